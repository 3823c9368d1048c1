"""The write test of *keepsakes* as numbers: what was written right, what wrong, what was refused.

* *recall* is facts matched / facts; *precision* right writes / all writes (``evals.keepsakes_score`` says which are right).
  ``micro`` counts over all conversations, ``macro`` is the mean of their rates.
* per kind: *recall* over facts of the gold kind, whatever kind the write has; *precision* over writes of that kind, right if they
  serve a fact of that kind (a harmless repeat is right if a fact it repeats is).
* *refusals*: the share of the turns listed under a reason that are the sole source of no write. *groups* are the floors of the
  project: ``not_asserted`` are words that assert nothing of the speaker, ``not_lasting`` requests and jokes.
* *injection*: a turn fails if it is among the sources of any write, active or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from onrecord.evals.keepsakes_attributes import attributes, kind_fits
from onrecord.evals.keepsakes_score import Matching, Share, Write, share, share_of
from onrecord.model.record import Kind

GROUPS: Mapping[str, frozenset[str]] = {
    "not_asserted": frozenset("assistant_words hypothetical quoted third_party question small_talk".split()),
    "not_lasting": frozenset("one_off_request joke_or_sarcasm".split()),
}


def write_report(found: Sequence[Matching]) -> dict[str, Any]:
    """Everything about writes: rates with their counts, per conversation, kind and reason, and a row for every error."""
    each = {one.scenario.id: _rates([one]) for one in found}
    return {
        "micro": _rates(found),
        "macro": {name: _mean(_number(rates[name]) for rates in each.values()) for name in ("precision", "recall", "f1")},
        "scenarios": each,
        "duplicates": sum(len(one.duplicates) for one in found),
        "repeats": sum(len(one.repeats) for one in found),
        "kinds": {kind.value: _kind(found, kind) for kind in Kind if _known(found, kind)},
        "attributes": attributes(found),
        "refusals": refusals(found),
        "missed": [row for one in found for row in _missed(one)],
        "wrong": [row for one in found for row in _wrong(one)],
        "matched": [row for one in found for row in _matched(one)],
    }


def refusals(found: Sequence[Matching]) -> dict[str, Any]:
    """Refusal rates per reason and group, and the injections that reached any write."""
    outcomes = [outcome for one in found for outcome in _refused(one)]
    reasons = sorted({reason for reason, _ in outcomes})
    injections = [turn for one in found for turn in _touched(one, "injection")]
    listed = sum(reason == "injection" for reason, _ in outcomes)
    return {
        "reasons": {reason: share_of(ok for why, ok in outcomes if why == reason) for reason in reasons},
        "groups": {name: share_of(ok for why, ok in outcomes if why in group) for name, group in GROUPS.items()},
        "all": share_of(ok for _, ok in outcomes),
        "injections_written": share(len(injections), listed),
    }


def f1(precision: float | None, recall: float | None) -> float | None:
    """The harmonic mean; ``None`` where either is."""
    if precision is None or recall is None:
        return None
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _rates(found: Sequence[Matching]) -> dict[str, Any]:
    precision = share(sum(len(one.right) for one in found), sum(len(one.writes) for one in found))
    recall = share(sum(len(one.matches) for one in found), sum(len(one.facts) for one in found))
    return {"precision": precision, "recall": recall, "f1": f1(precision["rate"], recall["rate"])}


def _number(rate: Share | float | None) -> float | None:
    return rate["rate"] if isinstance(rate, dict) else rate


def _mean(numbers: Iterable[float | None]) -> float | None:
    known = [number for number in numbers if number is not None]
    return sum(known) / len(known) if known else None


# -- kinds


def _known(found: Sequence[Matching], kind: Kind) -> bool:
    gold = any(fact.first.kind == kind for one in found for fact in one.facts)
    return gold or any(write.kind == kind for one in found for write in one.writes)


def _kind(found: Sequence[Matching], kind: Kind) -> dict[str, Any]:
    of_kind = [fact for one in found for fact in one.facts if fact.first.kind == kind]
    caught = sum(match.fact.first.kind == kind for one in found for match in one.matches)
    recall = share(caught, len(of_kind))
    precision = share_of(_kind_right(one, write) for one in found for write in one.writes if write.kind == kind)
    return {"precision": precision, "recall": recall, "f1": f1(precision["rate"], recall["rate"])}


def _kind_right(one: Matching, write: Write) -> bool:
    served = one.taken.get(write.id, [])
    if write in one.repeats:
        served = [match for match in one.matches if any(write.matches(keep) for keep in match.fact.keeps)]
    return any(kind_fits(match, write.kind) for match in served)


# -- refusals


def _refused(one: Matching) -> list[tuple[str, bool]]:
    alone = {next(iter(write.sources)) for write in one.writes if len(write.sources) == 1}
    return [(reason, turn not in alone) for turn, reason in one.scenario.rejects.items()]


def _touched(one: Matching, reason: str) -> list[str]:
    sources = {turn for write in one.writes for turn in write.sources}
    return [turn for turn, why in one.scenario.rejects.items() if why == reason and turn in sources]


# -- rows


def _missed(one: Matching) -> list[dict[str, Any]]:
    taken = [match.fact for match in one.matches]
    rows = []
    for fact in one.facts:
        if fact not in taken:
            keep = fact.first
            row = {**_row(one, keep.turn), "kind": keep.kind, "key": keep.key, "value": keep.value}
            near = [write.text for write in one.writes if keep.turn in write.sources]
            rows.append({**row, "said": one.scenario.turn(keep.turn).text, "near": near})
    return rows


def _wrong(one: Matching) -> list[dict[str, Any]]:
    right = {write.id for write in one.right}
    rows = []
    for write in one.writes:
        if write.id not in right:
            sources = sorted(write.sources)
            reasons = [one.scenario.rejects.get(turn, _standing(one, turn)) for turn in sources]
            row = {**_row(one, *sources), "reasons": reasons, "fault": _fault(one, write)}
            rows.append({**row, "subject": write.subject, "kind": write.kind, "text": write.text, "status": write.status})
    return rows


def _fault(one: Matching, write: Write) -> str:
    keeps = [keep for keep in one.scenario.keeps if keep.turn in write.sources]
    if write in one.duplicates:
        return "duplicate"
    if not keeps:
        return "nothing to keep there"
    said = any(keep.said_in(write.words) for keep in keeps)
    return (
        "another's memory"
        if said and all(keep.subject != write.subject for keep in keeps)
        else "does not state what is to be kept"
    )


def _standing(one: Matching, turn: str) -> str:
    return "keep" if one.scenario.keys(turn) else "unlisted"


def _matched(one: Matching) -> list[dict[str, Any]]:
    return [
        {
            **_row(one, match.keep.turn),
            "key": match.keep.key,
            "kind": match.keep.kind,
            "written_kind": match.write.kind,
            "negation": match.keep.negation,
            "written_negation": match.write.negation,
            "text": match.write.text,
            "status": match.write.status,
        }
        for match in one.matches
    ]


def _row(one: Matching, *turns: str) -> dict[str, Any]:
    return {"scenario": one.scenario.id, "turns": list(turns)}
