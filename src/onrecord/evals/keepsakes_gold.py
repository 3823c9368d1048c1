"""The labelled conversations of *keepsakes*: loading them, and the text comparison their README prescribes.

A folder holds ``scenarios/*.json``, or the files themselves. The format and every definition are in the data set's README.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from onrecord.errors import InvalidInput
from onrecord.model.scope import Origin
from onrecord.model.turn import Role, Turn

_UNITS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_NUMBERS = {word: str(n) for n, word in enumerate(_UNITS)} | {
    "first": "1",
    "second": "2",
    "third": "3",
    "fourth": "4",
    "fifth": "5",
    "fifteen": "15",
    "twenty": "20",
    "thirty": "30",
    "fifty": "50",
}


def norm(text: str) -> str:
    """``text`` as it is compared: compatibility form, no case, single blanks, small numbers as digits."""
    flat = re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text).casefold())
    flat = re.sub(r"\b(\d+)(st|nd|rd|th)\b", r"\1", flat)
    return re.sub(r"[a-z]+", lambda m: _NUMBERS.get(m[0], m[0]), flat)


def has(text: str, must: str) -> bool:
    """Whether ``text`` holds ``must``; where ``must`` begins or ends with a digit, no further digit may touch it."""
    wanted = norm(must)
    before = r"(?<!\d)" if wanted[0].isdigit() else ""
    behind = r"(?!\d)" if wanted[-1].isdigit() else ""
    return re.search(before + re.escape(wanted) + behind, norm(text)) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """One thing worth keeping, on the turn that says it."""

    turn: str
    subject: str
    kind: str
    key: str
    value: str
    must_contain: tuple[str, ...]
    negation: bool
    qualifier: str | None
    valid_until: date | None
    resolved_date: date | None

    def said_in(self, text: str) -> bool:
        """Whether ``text`` holds everything that has to appear."""
        return all(has(text, must) for must in self.must_contain)


@dataclass(frozen=True, slots=True)
class Fact:
    """What recall counts: one keep, or the keeps of one key of restated turns, in order of their turns."""

    keeps: tuple[Keep, ...]

    @property
    def first(self) -> Keep:
        """The keep of the turn that said it first."""
        return self.keeps[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A question to the memory of ``subject``, asked right after turn ``after``."""

    number: int
    after: str
    at: datetime
    subject: str
    query: str
    expect: tuple[str, ...]
    forbid: tuple[str, ...]
    abstain: bool
    tags: tuple[str, ...]
    as_of: date | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One labelled conversation. ``rejects`` maps turns to the reason why nothing of them is kept."""

    id: str
    zone: ZoneInfo
    turns: tuple[Turn, ...]
    keeps: tuple[Keep, ...]
    rejects: Mapping[str, str]
    restated: tuple[tuple[str, str], ...]
    coexist: tuple[tuple[str, str], ...]
    conflict: tuple[tuple[str, str], ...]
    supersede: tuple[tuple[str, str, str], ...]  # old turn, new turn, key
    retracted: tuple[tuple[str, str], ...]  # the turn taken back, the turn that takes it back
    probes: tuple[Probe, ...]

    def facts(self) -> list[Fact]:
        """The facts in order of their first turn; keeps of one key and subject of restated turns are one fact."""
        earlier = {again: first for first, again in self.restated}
        facts: list[list[Keep]] = []
        for keep in self.keeps:
            same = (group for group in facts if _same_key(group[0], keep) and group[-1].turn == earlier.get(keep.turn))
            group = next(same, None)
            if group is None:
                facts.append([keep])
            else:
                group.append(keep)
        return [Fact(tuple(group)) for group in facts]

    def turn(self, id: str) -> Turn:
        """The turn of this id. Raises ``InvalidInput`` when there is none."""
        for turn in self.turns:
            if turn.id == id:
                return turn
        raise InvalidInput("gold", f"names turn {id!r}, which {self.id} does not have")

    def keep(self, turn: str, key: str) -> Keep:
        """The keep of a turn with this key. Raises ``InvalidInput`` when there is none."""
        for keep in self.keeps:
            if (keep.turn, keep.key) == (turn, key):
                return keep
        raise InvalidInput("gold", f"has no keep {key!r} on {turn} of {self.id}")

    def place(self, turn: str) -> int:
        """The number of turns before this one."""
        return next(n for n, other in enumerate(self.turns) if other.id == turn)

    def dead_from(self, keep: Keep) -> str | None:
        """The first turn that supersedes a keep or takes it back, ``None`` if none does."""
        ends = [new for old, new, key in self.supersede if (old, key) == (keep.turn, keep.key)]
        ends += [turn for of, turn in self.retracted if of == keep.turn]
        return min(ends, key=self.place, default=None)

    def keys(self, turn: str) -> list[str]:
        """The keys kept of a turn, in order."""
        return [keep.key for keep in self.keeps if keep.turn == turn]

    def end_of(self, day: date) -> datetime:
        """The last second of a day in the conversation's home zone, in UTC."""
        return datetime.combine(day, time(23, 59, 59), self.zone).astimezone(UTC)


def load(folder: Path, *, only: Collection[str] | None = None) -> list[Scenario]:
    """The conversations of a folder in order of their file names; ``only`` those of these ids.

    Raises ``InvalidInput`` when there is none.
    """
    inner = folder / "scenarios"
    files = sorted((inner if inner.is_dir() else folder).glob("*.json"))
    found = [_scenario(json.loads(file.read_text("utf-8"))) for file in files]
    chosen = [scenario for scenario in found if only is None or scenario.id in only]
    if not chosen:
        raise InvalidInput("folder", f"{folder.name!r} has no such conversation", "name a folder with scenarios/*.json")
    return chosen


def _scenario(raw: Mapping[str, Any]) -> Scenario:
    gold = raw["gold"]
    return Scenario(
        id=raw["id"],
        zone=ZoneInfo(raw["timezone"]),
        turns=tuple(_turns(raw["turns"])),
        keeps=tuple(_keep(keep) for keep in gold["keep"]),
        rejects={reject["turn"]: reject["reason"] for reject in gold["reject"]},
        restated=_pairs(gold["restated"]),
        coexist=_pairs(gold["coexist"]),
        conflict=_pairs(gold["conflict"]),
        supersede=tuple((pair["old"], pair["new"], pair["key"]) for pair in gold["supersede"]),
        retracted=tuple((pair["of"], pair["turn"]) for pair in gold["retracted"]),
        probes=tuple(_probe(n, probe) for n, probe in enumerate(raw["probes"], start=1)),
    )


def _same_key(one: Keep, other: Keep) -> bool:
    return (one.key, one.subject) == (other.key, other.subject)


def _pairs(raw: Sequence[Sequence[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((first, second) for first, second in raw)


def _turns(raw: Sequence[Mapping[str, Any]]) -> list[Turn]:
    counts: dict[tuple[str, str], int] = {}
    turns = []
    for said in raw:
        thread = (said["subject"], said["session"])
        counts[thread] = counts.get(thread, 0) + 1
        turns.append(_turn(said, counts[thread]))
    return turns


def _turn(said: Mapping[str, Any], seq: int) -> Turn:
    at = datetime.fromisoformat(said["at"])
    return Turn(
        id=said["id"],
        tenant="keepsakes",
        subject=said["subject"],
        origin=Origin(thread=said["session"]),
        role=Role(said["role"]),
        author=said["author"],
        text=said["text"],
        at=at,
        written_at=at.astimezone(UTC),
        seq=seq,
    )


def _keep(raw: Mapping[str, Any]) -> Keep:
    return Keep(
        turn=raw["turn"],
        subject=raw["subject"],
        kind=raw["kind"],
        key=raw["key"],
        value=raw["value"],
        must_contain=tuple(raw["must_contain"]),
        negation=raw["negation"],
        qualifier=raw["qualifier"],
        valid_until=_day(raw["valid_until"]),
        resolved_date=_day(raw["resolved_date"]),
    )


def _probe(number: int, raw: Mapping[str, Any]) -> Probe:
    return Probe(
        number=number,
        after=raw["after"],
        at=datetime.fromisoformat(raw["at"]),
        subject=raw["subject"],
        query=raw["query"],
        expect=tuple(raw["expect_turns"]),
        forbid=tuple(raw["forbid_turns"]),
        abstain=raw["abstain"],
        tags=tuple(raw["tags"]),
        as_of=_day(raw.get("as_of")),
    )


def _day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)
