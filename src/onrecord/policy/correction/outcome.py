"""What is done for a candidate once it is clear what it does to what is on record: the changes, and one sentence for a reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from onrecord.model.change import Add, Change, Flag, Merge, Reinforce, Resolve, Supersede
from onrecord.model.record import INFERENCE_CEILING, STATEMENT_LIMIT, Kind, Record, SourceType, Status
from onrecord.model.verdict import Candidate
from onrecord.policy.correction.revalued import revalued
from onrecord.policy.defaults import Policy
from onrecord.policy.language.doubt import is_doubtful
from onrecord.policy.weights import BondFloors


@dataclass(frozen=True, slots=True)
class Decision:
    """The changes in the order to apply them, and one sentence for a reader. No changes: nothing was clear enough to do.

    ``answers`` tells that they bring back what was said before and was found too light to keep; ``revalues`` that the same words
    give another value, which is news however light it is."""

    changes: tuple[Change, ...]
    note: str
    answers: bool = False
    revalues: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """What is being decided."""

    said: Candidate
    new: Record
    policy: Policy
    floors: BondFloors


def restated(case: Case, old: Record) -> Decision:
    """What is on record was said again: one more source, or a better one in its place."""
    new = case.new
    if new.trust > old.trust:
        return _vouched(case, old)
    if old.key is None and new.key is not None and new.trust == old.trust:
        return extended(case, old)
    return reinforced(case, old)


def _vouched(case: Case, old: Record) -> Decision:
    """A better source says it: its record stands on that source alone, so that the other can be taken out without it."""
    new = case.new
    reason = f"{quoted(new)} says again what is on record from a less trusted source, {quoted(old)}, and takes its place."
    return Decision((Supersede(reason=reason, old=old.id, version=old.version, record=_keeping(old, new)),), reason)


def reinforced(case: Case, old: Record) -> Decision:
    """One more source and mention of what is on record, which keeps its words."""
    new = case.new
    reason = f"{quoted(new)} says again what is on record as {quoted(old)}."
    again = Reinforce(
        reason=reason,
        id=old.id,
        version=old.version,
        sources=new.derived_from,
        confidence=_capped(new.confidence, old) if new.trust >= old.trust else 0.0,
        said_at=new.said_at,
        valid_until=_longer(old, new),
    )
    return Decision((again, *_settled(case, old)), reason)


def _capped(confidence: float, old: Record) -> float:
    guess = old.kind is Kind.MODEL_INFERENCE or old.source.type is SourceType.MODEL_INFERENCE
    return min(confidence, INFERENCE_CEILING) if guess else confidence


def _longer(old: Record, new: Record) -> datetime | None:
    """A default end moves on with each mention; a stated one only by a stated one."""
    if new.trust < old.trust or old.expiry_basis is not new.expiry_basis:
        return None
    return new.valid_until


def _settled(case: Case, old: Record) -> tuple[Change, ...]:
    """Saying one side of a conflict again settles it, if it comes with a correction cue from an equally trusted source."""
    if old.status is not Status.CONFLICTED or not case.said.correction or not is_sure(case, old):
        return ()
    reason = f"{quoted(case.new)} settles the conflict in favour of {quoted(old)}."
    return (Resolve(reason=reason, keep=old.id, drop=old.conflicts_with),)


def _keeping(old: Record, new: Record) -> Record:
    """The new record with what only the old one says: key, value, qualifier, a pin, the caller's own fields."""
    return replace(
        new,
        key=new.key or old.key,
        value=new.value if new.key else old.value,
        cardinality=new.cardinality if new.key else old.cardinality,
        pinned=new.pinned or old.pinned,
        metadata={**old.metadata, **new.metadata},
    )


def extended(case: Case, old: Record) -> Decision:
    """The old record in the fuller words, under its id; less trusted words never reword a record."""
    new = case.new
    if new.trust > old.trust:
        return _vouched(case, old)
    if new.trust < old.trust or new.confidence < old.confidence - case.policy.confidence_slack:
        return added(case, [])
    reason = f"{quoted(new)} says all that {quoted(old)} says, and more."
    return Decision((Merge(reason=reason, record=_in_place(old, _keeping(old, new), case), version=old.version),), reason)


def joined(case: Case, old: Record) -> Decision:
    """One record in both wordings: neither says all of the other, so that nothing of either is dropped."""
    new = case.new
    if new.trust < old.trust or old.kind is Kind.MODEL_INFERENCE:
        return reinforced(case, old)
    both = f"{old.statement.rstrip(' .')}. {new.statement}"
    quote = "\n".join(dict.fromkeys(part for part in (old.quote, new.quote) if part))
    words = replace(old, statement=both if len(both) <= STATEMENT_LIMIT else old.statement, quote=quote)
    reason = f"{quoted(new)} says again in other words what is on record as {quoted(old)}."
    return Decision((Merge(reason=reason, record=_in_place(old, words, case), version=old.version),), reason)


def _in_place(old: Record, words: Record, case: Case) -> Record:
    """``words`` under the id and with the past of ``old``, resting on the new source too."""
    new = case.new
    return replace(
        words,
        id=old.id,
        version=old.version,
        kind=old.kind,
        origin=old.origin,
        source=old.source,
        confidence=_capped(max(old.confidence, new.confidence), old),
        trust=min(old.trust, new.trust),
        valid_from=min(old.valid_from, new.valid_from),
        valid_until=_longer(old, new) or old.valid_until,
        expiry_basis=old.expiry_basis,
        written_at=old.written_at,
        said_at=max(old.said_at, new.said_at),
        status=old.status,
        conflicts_with=old.conflicts_with,
        derived_from=tuple(dict.fromkeys((*old.derived_from, *new.derived_from))),
    )


def replaced(case: Case, rivals: list[Record]) -> Decision:
    """The new record in the place of one old record, and of its rivals in a conflict."""
    first, *rest = sorted(rivals, key=lambda old: (-old.said_at.timestamp(), old.id))
    why = "corrects" if case.said.correction else "is newer than"
    reason = f"{quoted(case.new)} {why} {quoted(first)} and is at least as sure, so it takes its place."
    changes: list[Change] = [Supersede(reason=reason, old=first.id, version=first.version, record=case.new)]
    if rest:
        settled = f"{quoted(case.new)} also takes the place of {listed(rest)}."
        changes.append(Resolve(reason=settled, keep=case.new.id, drop=tuple(old.id for old in rest)))
    return Decision(tuple(changes), reason)


def flagged(case: Case, rivals: list[Record]) -> Decision:
    """Both sides are kept and shown as conflicting."""
    why = "is doubted or less sure" if not all(is_sure(case, old) for old in rivals) else "does not say that it corrects it"
    reason = f"{quoted(case.new)} contradicts {listed(rivals)} and {why}, so both are kept and shown as conflicting."
    flag = Flag(reason=reason, ids=tuple(sorted(old.id for old in rivals)), record=case.new)
    return Decision((flag,), reason, revalues=any(revalued(old.statement, case.new.statement) for old in rivals))


def history(case: Case, old: Record) -> Decision:
    """What was said before what is on record is kept as what was so then."""
    reason = f"{quoted(case.new)} was said before {quoted(old)}, so it is kept as history only."
    end = max(case.new.valid_from, min(case.new.valid_until, old.valid_from))
    past = replace(case.new, status=Status.SUPERSEDED, superseded_by=old.id, valid_until=end)
    return Decision((Add(reason=reason, record=past),), reason)


def added(case: Case, keyed: list[Record]) -> Decision:
    """A record of its own, ``keyed`` beside it."""
    beside = f" beside {listed(keyed)}: both can be true" if keyed else ""
    reason = f"{quoted(case.new)} is new{beside}."
    return Decision((Add(reason=reason, record=case.new),), reason)


def is_sure(case: Case, old: Record) -> bool:
    """Whether the new statement is at least as sure and as trusted as an old one."""
    doubt = is_doubtful(case.said.quote or case.said.statement) and not is_doubtful(old.statement)
    return not doubt and case.new.trust >= old.trust and case.new.confidence >= old.confidence - _slack(case, old)


def _slack(case: Case, old: Record) -> float:
    """How much less sure may still be as sure. Like is compared with like: both a person's own words, or anything else."""
    people = {SourceType.USER_MESSAGE, SourceType.HUMAN_EDIT}
    spoken = {old.source.type, case.new.source.type} <= people
    return case.policy.spoken_slack if spoken else case.policy.confidence_slack


# --- words for reasons


def surest(records: list[Record]) -> Record:
    """The most trusted of some records, then the surest, then the one said last."""
    return max(records, key=lambda old: (old.trust, old.confidence, old.said_at, old.id))


def shortened(text: str) -> str:
    """A text in quotation marks, cut for a sentence about it."""
    return "“" + (text if len(text) <= 80 else text[:79] + "…") + "”"


def quoted(record: Record) -> str:
    """The words of a record, for a sentence about it."""
    return shortened(record.text)


def listed(records: Sequence[Record]) -> str:
    """The words of several records, for a sentence about them."""
    return " and ".join(quoted(old) for old in sorted(records, key=lambda old: old.id))
