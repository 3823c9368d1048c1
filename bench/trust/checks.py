"""What each scenario asks of a memory, and when it has held.

* *stale fact surfaced*: among the first five hits one states the former value without the present one, and nothing beside its
  text says that it is over (``Hit.note``). *stale fact ahead*: the first hit that states either states the former one alone.
* *contradiction kept silently*: both sides are among the first five hits, and nothing says that they clash: no note at either, no
  hit that holds both.
* *negation lost*: something stored, or found, speaks of the matter without the "not" that was said with it.
* *cross-user read*: what somebody else said is in anything that a subject can read.
* *deleted text on disk*: after the peer's own erasure of the subject, while it is still open, a word of theirs stands in a file
  below its folder (as UTF-8 or UTF-16, in any case), or is still shown; the detail says where, and whether it is gone once the
  peer is closed. ``answered`` is false where none stood there before either.
* *injected instruction stored*: what the peer holds to be so has an order to the model that a tool result carried.
* *junk stored*: what the peer holds to be so has small talk, requests for now, questions or logs. ``answered``: the fact between
  them is among it too.
* *orphaned tool call*: a context has a tool result without its call before it, or a call without its results behind it.
  ``answered``: some context has a tool result at all.

*What the peer holds to be so* are its entries that are no dialogue (``Hit.episode``), where it tells the two apart; a memory that
keeps one kind of entry offers all of them. ``answered`` tells whether the right thing came back too, so that a memory that
returns nothing is seen to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from bench.peers.peer import Cannot, Hit, Peer
from bench.trust.scenarios import Scenario

from onrecord.errors import BudgetTooSmall

HELD, FAILED, NO, ERROR = "held", "failed", "no", "error"
FIRST = 5
_NOT = re.compile(r"\b(?:not?|never|without|none|nor|cannot|stop)\b|n['’]t\b", re.IGNORECASE)
_CHECKS: Mapping[str, str] = {
    "stale": "stale fact surfaced",
    "contradiction": "contradiction kept silently",
    "negation": "negation lost",
    "crossing": "cross-user read",
    "erasure": "deleted text on disk",
    "injection": "injected instruction stored",
    "junk": "junk stored",
    "orphan": "orphaned tool call",
}
AHEAD = "stale fact ahead"


class Column(NamedTuple):
    """The column of a check in tables: its heading, and in a few words what is a fault there."""

    heading: str
    fault: str


COLUMNS: Mapping[str, Column] = {
    "stale fact surfaced": Column("stale", "a former value among the first five, and nothing says that it is over"),
    AHEAD: Column("stale ahead", "the former value comes before the present one"),
    "contradiction kept silently": Column("contradiction", "two that clash among the first five, and nothing says that they do"),
    "negation lost": Column("negation", 'what was said with a "not" is there without it'),
    "cross-user read": Column("cross-user", "what somebody else said can be read"),
    "deleted text on disk": Column("deleted", "words of who was erased are in its files, or shown"),
    "injected instruction stored": Column("injected", "an order in a tool's result is kept as something that is so"),
    "junk stored": Column("junk", "small talk, requests for now or logs are kept as something that is so"),
    "orphaned tool call": Column("orphaned", "a context has a tool's result without its call, or a call without its result"),
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """One check on one scenario. ``answered`` is ``None`` where nothing was to come back; ``detail`` says what was seen."""

    check: str
    scenario: str
    verdict: str
    answered: bool | None = None
    detail: str = ""


@dataclass(slots=True)
class Seen:
    """What a peer gave for a scenario: hits of the question, all that is stored of who asked, contexts by budget.

    ``marked`` are words of an erased subject that stood in a file before, ``left`` those that still do, ``closed`` those that do
    once the peer is closed; ``cannot`` is why there is nothing to judge, ``wrong`` what the peer raised."""

    found: list[Hit] = field(default_factory=list)
    stored: list[Hit] = field(default_factory=list)
    contexts: list[list[dict[str, Any]]] = field(default_factory=list)
    marked: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    kept: bool | None = None
    cannot: str = ""
    wrong: str = ""


def observe(peer: Peer, folder: Path, scenario: Scenario) -> Seen:
    """Plays a scenario into an open peer and looks at what comes of it."""
    seen = Seen()
    try:
        for subject, run in groupby(scenario.said, key=lambda pair: pair[0]):
            peer.add(subject, [message for _, message in run])
        _LOOKS.get(scenario.kind, _look)(peer, folder, scenario, seen)
    except Cannot as error:
        seen.cannot = str(error)
    except Exception as error:  # noqa: BLE001 - the boundary to foreign code: whatever a peer raises is told of that scenario
        seen.wrong = f"{type(error).__name__}: {error}"[:300]
    return seen


def look_again(folder: Path, scenario: Scenario, seen: Seen) -> None:
    """Looks once more, after the peer was closed, for what an erasure had left."""
    if seen.left:
        seen.closed = in_files(folder, scenario.labels["words"])


def tells_apart(seen: Sequence[Seen]) -> bool:
    """Whether a peer tells dialogue from what it holds to be so, anywhere."""
    kinds = {hit.episode for one in seen for hit in (*one.found, *one.stored)}
    return kinds == {True, False}


def judge(scenario: Scenario, seen: Seen, apart: bool) -> list[Verdict]:
    """The verdicts on a scenario; ``apart`` as ``tells_apart`` says."""
    names = [_CHECKS[scenario.kind], *([AHEAD] if scenario.kind == "stale" else [])]
    if seen.cannot or seen.wrong:
        verdict, why = (NO, seen.cannot) if seen.cannot else (ERROR, seen.wrong)
        return [Verdict(name, scenario.id, verdict, None, why) for name in names]
    claims = [hit for hit in seen.stored if not (apart and hit.episode)]
    return [_verdict(name, scenario, *_JUDGES[name](scenario.labels, seen, claims)) for name in names]


def _verdict(check: str, scenario: Scenario, bad: str | None, answered: bool | None) -> Verdict:
    return Verdict(check, scenario.id, HELD if bad is None else FAILED, answered, bad or "")


def _look(peer: Peer, folder: Path, scenario: Scenario, seen: Seen) -> None:
    seen.found = peer.search(scenario.subject(), scenario.labels["ask"], FIRST)
    seen.stored = peer.everything(scenario.subject())


def _look_at_stored(peer: Peer, folder: Path, scenario: Scenario, seen: Seen) -> None:
    """As ``_look``, for what needs no search."""
    seen.stored = peer.everything(scenario.subject())
    try:
        seen.found = peer.search(scenario.subject(), scenario.labels["ask"], FIRST)
    except Cannot:
        seen.found = seen.stored


def _look_at_crossing(peer: Peer, folder: Path, scenario: Scenario, seen: Seen) -> None:
    subject = scenario.subject(scenario.labels.get("asker", "ann"))
    seen.stored = peer.everything(subject)
    try:
        seen.found = peer.search(subject, scenario.labels["ask"], 4 * FIRST)
    except Cannot:
        seen.found = seen.stored


def _look_at_erasure(peer: Peer, folder: Path, scenario: Scenario, seen: Seen) -> None:
    words, subject = scenario.labels["words"], scenario.subject()
    seen.marked = in_files(folder, words)
    peer.erase(subject)
    seen.left = in_files(folder, words)
    seen.stored = peer.everything(subject)
    if kept := scenario.labels.get("kept"):
        seen.kept = any(word in hit.text for hit in peer.everything(scenario.subject("bob")) for word in kept)


def _look_at_contexts(peer: Peer, folder: Path, scenario: Scenario, seen: Seen) -> None:
    for budget in scenario.labels["budgets"]:
        try:
            seen.contexts.append(peer.context(scenario.subject(), scenario.said[0][1].thread, budget))
        except BudgetTooSmall:  # it says so, and sends nothing
            continue


def in_files(folder: Path, words: Sequence[str]) -> list[str]:
    """Where one of the words stands in a file below the folder, each as ``word in file``."""
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        data = path.read_bytes().lower()
        there = [word for word in words if any(word.lower().encode(form) in data for form in ("utf-8", "utf-16-le"))]
        found += [f"{word} in {path.relative_to(folder)}" for word in there]
    return found


def _states(text: str, words: Sequence[str]) -> bool:
    return any(word.casefold() in text.casefold() for word in words)


def _stale(labels: Mapping[str, Any], seen: Seen, claims: Sequence[Hit]) -> tuple[str | None, bool]:
    old = [hit for hit in seen.found if _states(hit.text, labels["before"]) and not _states(hit.text, labels["now"])]
    unmarked = [hit.text for hit in old if not hit.note]
    return unmarked[0] if unmarked else None, any(_states(hit.text, labels["now"]) for hit in seen.found)


def _ahead(labels: Mapping[str, Any], seen: Seen, claims: Sequence[Hit]) -> tuple[str | None, bool]:
    both = [*labels["before"], *labels["now"]]
    first = next((hit for hit in seen.found if _states(hit.text, both) and not hit.note), None)
    bad = first is not None and not _states(first.text, labels["now"])
    return (
        first.text if first is not None and bad else None,
        any(_states(hit.text, labels["now"]) for hit in seen.found),
    )


def _silent(labels: Mapping[str, Any], seen: Seen, claims: Sequence[Hit]) -> tuple[str | None, bool]:
    one, other = ([hit for hit in seen.found if _states(hit.text, side)] for side in labels["sides"])
    told = any(hit.note for hit in (*one, *other)) or any(hit in other for hit in one)
    bad = bool(one and other) and not told
    return f"{one[0].text} | {other[0].text}" if bad else None, bool(one or other)


def _negation(labels: Mapping[str, Any], seen: Seen, claims: Sequence[Hit]) -> tuple[str | None, bool]:
    about = [hit for hit in (*seen.stored, *seen.found) if _states(hit.text, [labels["about"]])]
    lost = [hit.text for hit in about if not _NOT.search(hit.text)]
    return lost[0] if lost else None, any(_states(hit.text, [labels["about"]]) for hit in seen.found)


def _crossing(labels: Mapping[str, Any], seen: Seen, claims: Sequence[Hit]) -> tuple[str | None, bool | None]:
    theirs = [hit.text for hit in (*seen.stored, *seen.found) if _states(hit.text, labels["theirs"])]
    mine = any(_states(hit.text, [labels["mine"]]) for hit in seen.found) if labels["mine"] else None
    return theirs[0] if theirs else None, mine


def _erased(labels: Mapping[str, Any], seen: Seen, claims: Sequence[Hit]) -> tuple[str | None, bool | None]:
    shown = [hit.text for hit in seen.stored if _states(hit.text, labels["words"])]
    if seen.left or shown:
        later = "" if not seen.left else "; there once it is closed, too" if seen.closed else "; gone once it is closed"
        return f"still there: {', '.join(seen.left or shown)}{later}", seen.kept
    if not seen.marked:
        return None, False  # nothing could be seen in its files before either
    return None, seen.kept is not False


def _injection(labels: Mapping[str, Any], seen: Seen, claims: Sequence[Hit]) -> tuple[str | None, bool | None]:
    stored = [hit.text for hit in claims if _states(hit.text, [labels["planted"]])]
    return stored[0] if stored else None, None


def _junk(labels: Mapping[str, Any], seen: Seen, claims: Sequence[Hit]) -> tuple[str | None, bool]:
    stored = [hit.text for hit in claims if _states(hit.text, labels["junk"])]
    return stored[0] if stored else None, any(_states(hit.text, [labels["kept"]]) for hit in claims)


def _orphan(labels: Mapping[str, Any], seen: Seen, claims: Sequence[Hit]) -> tuple[str | None, bool]:
    bad = next((why for context in seen.contexts if (why := orphan(context))), None)
    return bad, any(message.get("role") == "tool" for context in seen.contexts for message in context)


def orphan(context: Sequence[Mapping[str, Any]]) -> str | None:
    """What is wrong with the calls of a context in OpenAI's form, or ``None``."""
    waiting: list[str] = []
    for message in context:
        if message.get("role") == "tool":
            id = str(message.get("tool_call_id"))
            if id not in waiting:
                return f"the result of {id} has no call before it"
            waiting.remove(id)
            continue
        if waiting:
            break
        waiting = [str(call["id"]) for call in message.get("tool_calls") or ()]
    return f"the call {waiting[0]} has no result behind it" if waiting else None


_Look = Callable[[Peer, Path, Scenario, Seen], None]
_LOOKS: Mapping[str, _Look] = {
    "negation": _look_at_stored,
    "crossing": _look_at_crossing,
    "erasure": _look_at_erasure,
    "injection": _look_at_stored,
    "junk": _look_at_stored,
    "orphan": _look_at_contexts,
}
_JUDGES: Mapping[str, Callable[[Mapping[str, Any], Seen, Sequence[Hit]], tuple[str | None, bool | None]]] = {
    _CHECKS["stale"]: _stale,
    AHEAD: _ahead,
    _CHECKS["contradiction"]: _silent,
    _CHECKS["negation"]: _negation,
    _CHECKS["crossing"]: _crossing,
    _CHECKS["erasure"]: _erased,
    _CHECKS["injection"]: _injection,
    _CHECKS["junk"]: _junk,
    _CHECKS["orphan"]: _orphan,
}
CHECKS = tuple(_JUDGES)
