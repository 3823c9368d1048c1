"""Playing a conversation of *keepsakes* into a memory: turns one by one, and each probe right after its turn, at its time.

*Reach.* A turn is added under the subject of its conversation. A probe is asked to its own subject's memory and to no other, as
by a caller who names one owner: a foreign fact must not come back, so widening the reach to the conversation would be wrong by
the data set's own rule, and every expected fact belongs to the probe's subject. Records are found wherever they were said,
since capture files them under their owner. Turns stay with their conversation, so for episodes an expected turn of another
conversation is out of reach; such probes count as missed and are counted apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeAlias

from onrecord.evals.keepsakes_gold import Probe, Scenario
from onrecord.evals.keepsakes_score import Write
from onrecord.model.query import Corpus, Include, View
from onrecord.model.receipt import TurnResult
from onrecord.model.record import Record, Status
from onrecord.model.scope import Reach
from onrecord.model.trace import Hit
from onrecord.model.turn import CaptureState, Role, Turn
from onrecord.pipeline.maintain import read_queue
from onrecord.pipeline.reading import Reader
from onrecord.policy.language.text import terms
from onrecord.ports import Clock

if TYPE_CHECKING:
    from onrecord.memory import Memory

#: A fresh, empty memory that tells the time by the clock given.
MakeMemory: TypeAlias = Callable[[Clock], "Memory"]
#: Hits asked for, and looked at.
DEPTH = 5
_EVERY = 1_000_000
_SECRET = re.compile(r"[\w./+=-]*FAKE[\w./+=-]*")


@dataclass(slots=True)
class HandClock:
    """A clock that stands where it is put."""

    now: datetime = datetime(2000, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        """The moment it was put to."""
        return self.now

    def put(self, moment: datetime) -> None:
        """Puts it."""
        self.now = moment.astimezone(UTC)


@dataclass(frozen=True, slots=True)
class Returned:
    """One item of an answer: the turns it rests on, its words, and whether it was offered as true at the time asked about."""

    sources: tuple[str, ...]
    words: str
    current: bool = True


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for a probe, best first."""

    probe: Probe
    items: tuple[Returned, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a record stood after a turn."""

    active: bool
    conflicted: bool
    conflicts: tuple[str, ...]


#: Turn → record → where it stood once the turn had been taken in.
States: TypeAlias = Mapping[str, Mapping[str, Standing]]


@dataclass(slots=True)
class Played:
    """One conversation after it was played. ``leaked`` are turns whose secret is stored, ``queued`` those that were not read."""

    scenario: Scenario
    writes: list[Write] = field(default_factory=list)
    states: dict[str, dict[str, Standing]] = field(default_factory=dict)
    answers: dict[str, list[Answer]] = field(default_factory=dict)
    leaked: list[str] = field(default_factory=list)
    queued: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def play(scenario: Scenario, make_memory: MakeMemory, include: Sequence[Include], tick: Callable[[], None]) -> Played:
    """One conversation, turn by turn, in a fresh memory; ``tick`` is called after each turn."""
    clock = HandClock()
    with make_memory(clock) as memory:
        player = _Player(scenario, memory, clock)
        for turn in scenario.turns:
            player.hear(turn)
            for probe in scenario.probes:
                if probe.after == turn.id:
                    player.ask(probe, include)
            tick()
        return player.finish()


class _Player:
    """A memory in the middle of a conversation."""

    def __init__(self, scenario: Scenario, memory: Memory, clock: HandClock) -> None:
        self._memory, self._clock = memory, clock
        self._subjects = _subjects(scenario)
        self._ids: dict[str, str] = {}  # stored turn → turn of the conversation
        self._watched = {turn for pair in (*scenario.restated, *scenario.coexist, *scenario.conflict) for turn in pair}
        self._watched |= {new for _, new, _ in scenario.supersede} | {turn for _, turn in scenario.retracted}
        self.played = Played(scenario)

    def hear(self, turn: Turn) -> None:
        self._clock.put(turn.at)
        message = {"role": turn.role.value, "content": turn.text, "name": turn.author, "at": turn.at, "id": turn.id}
        receipt = self._memory.add([message], subject=turn.subject, session_id=turn.origin.thread)
        stored = receipt.turns[0]
        if stored.turn_id is not None:
            self._ids[stored.turn_id] = turn.id
        if stored.result is TurnResult.QUEUED:
            self.played.queued.append(turn.id)
            self._read()
        if stored.result is TurnResult.REFUSED:
            self.played.refused.append(turn.id)
        self._subjects.update({record.subject: None for record in receipt.records})
        if turn.id in self._watched:
            self.played.states[turn.id] = {record.id: _standing(record) for record in self._records()}

    def ask(self, probe: Probe, include: Sequence[Include]) -> None:
        self._clock.put(probe.at)
        as_of = self.played.scenario.end_of(probe.as_of) if probe.as_of else None
        for mode in include:
            found = self._memory.search(
                probe.query,
                subject=probe.subject,
                include=mode,
                as_of=as_of,
                limit=DEPTH,
                rerank=self._memory.engine.reranker is not None,
            )
            items = tuple(self._returned(hit, as_of is not None) for hit in found.hits)
            self.played.answers.setdefault(mode.value, []).append(Answer(probe, items))

    def _read(self) -> None:
        """Reads what waits for a model, as maintenance does; what is read late is unread no more."""
        engine = self._memory.engine
        if engine.reader is not None:
            for _ in read_queue(engine, engine.store.pending(limit=_EVERY), Reader(engine)):
                pass
            stored = engine.store.turns(self._reach(), list(self._ids))
            done = {self._ids[turn.id] for turn in stored if turn.state is CaptureState.DONE}
            self.played.queued = [turn for turn in self.played.queued if turn not in done]

    def finish(self) -> Played:
        for _ in range(self._memory.engine.policy.reading_tries):
            self._clock.put(self._clock.now + self._memory.engine.policy.reading_wait)
            self._read()
        records = self._records()
        self.played.writes = [_write(record, self._turns_of(record.derived_from, record.source.ref)) for record in records]
        self.played.leaked = self._leaks(records)
        return self.played

    def _reach(self) -> Reach:
        return Reach(self._memory.tenant, tuple(self._subjects))

    def _records(self) -> list[Record]:
        first, *others = self._subjects
        return self._memory.get_all(subject=first, subjects=others, statuses=list(Status))

    def _turns_of(self, refs: Sequence[str], ref: str) -> tuple[str, ...]:
        """The conversation's turns among the sources of a record; what it was merged from is looked through."""
        return tuple(dict.fromkeys(self._ids[id] for id in (*refs, ref) if id in self._ids))

    def _returned(self, hit: Hit, as_of: bool) -> Returned:
        sources = self._turns_of(hit.sources, hit.id)
        if hit.record is None:
            return Returned(sources, hit.text, hit.current)
        words = f"{hit.record.text}\n{hit.record.quote}"
        return Returned(sources, words, as_of or (hit.record.current and not hit.stale))

    def _leaks(self, records: Sequence[Record]) -> list[str]:
        secrets = [turn for turn, reason in self.played.scenario.rejects.items() if reason == "secret"]
        stored = self._everything(records)
        return [turn for turn in secrets if any(self._holds(stored, token) for token in self._tokens(turn))]

    def _tokens(self, turn: str) -> list[str]:
        return _SECRET.findall(self.played.scenario.turn(turn).text)

    def _holds(self, stored: str, token: str) -> bool:
        indexed = [term for term in terms(token) if "fake" in term and len(term) > len("fake")]
        view = View(reach=self._reach(), statuses=frozenset(Status))
        store = self._memory.engine.store
        return token in stored or any(store.lexical(view, corpus, indexed).rows for corpus in Corpus if indexed)

    def _everything(self, records: Sequence[Record]) -> str:
        """All that the store holds of the conversation, as one text."""
        store, reach = self._memory.engine.store, self._reach()
        events = [store.events(reach, record.id) for record in records]
        return repr([store.turns(reach, list(self._ids)), records, events, store.verdicts(reach, limit=_EVERY)])


def _subjects(scenario: Scenario) -> dict[str, None]:
    """Every owner that the conversation could write to, in order of appearance."""
    named = [turn.subject for turn in scenario.turns] + [keep.subject for keep in scenario.keeps]
    speakers = [f"user:{turn.author.strip().casefold()}" for turn in scenario.turns if turn.role is Role.USER]
    return dict.fromkeys([*named, *speakers, *(probe.subject for probe in scenario.probes)])


def _standing(record: Record) -> Standing:
    return Standing(record.current, record.status is Status.CONFLICTED, record.conflicts_with)


def _write(record: Record, sources: Sequence[str]) -> Write:
    return Write(
        id=record.id,
        sources=frozenset(sources),
        subject=record.subject,
        text=record.text,
        quote=record.quote,
        kind=record.kind,
        negation=record.negation,
        qualifier=record.qualifier,
        value=record.value,
        begin=record.valid_from,
        end=record.valid_until,
        status=record.status,
        active=record.current,
    )
