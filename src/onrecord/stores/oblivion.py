"""``erase`` of the in-memory store: what it holds of turns, threads, runs and whole subjects goes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from onrecord.errors import NotFound
from onrecord.model.change import Event, EventType
from onrecord.model.query import Corpus
from onrecord.model.trace import Trace
from onrecord.model.turn import Turn
from onrecord.ports import Erasure
from onrecord.stores.erasure import emptied_trace, named_by, without_subjects


class Before:
    """What a receipt compares with: how many vectors of records there were, and which traces had words."""

    def __init__(self, state: Any) -> None:
        self.vectors = vectors_of(state)
        self.worded = [key for key, trace in state.traces.items() if trace.query]


class Oblivion:
    """One erasure on its way through the state. ``gone`` and ``emptied`` count rows by what they were."""

    def __init__(self, state: Any, erasure: Erasure) -> None:
        self._state, self._erasure = state, erasure
        self._tenant = erasure.batch.reach.tenant
        self.gone: Counter[str] = Counter()
        self.emptied: Counter[str] = Counter()

    def perform(self, events: list[Event], before: Before) -> None:
        """Takes everything away that the batch, which gave ``events``, did not."""
        state = self._state
        self.gone["records"] += sum(event.type is EventType.ERASED for event in events)
        self.gone["record_vectors"] += before.vectors - vectors_of(state)
        self._drop_turns()
        for subject, thread in self._erasure.threads:
            self._drop_thread(subject, thread)
        runs = {(self._tenant, *run) for run in self._erasure.runs}
        self._pop("checkpoints", state.dialogues.checkpoints, runs.__contains__)
        for subject in self._erasure.subjects:
            if subject in self._erasure.batch.reach.subjects:
                self._drop_subject(subject)
        self.emptied["traces"] = sum(key in state.traces and not state.traces[key].query for key in before.worded)

    def _pop(self, what: str, rows: dict[Any, Any], chosen: Callable[[Any], bool]) -> None:
        for key in [key for key in rows if chosen(key)]:
            del rows[key]
            self.gone[what] += 1

    # -- turns
    def _drop_turns(self) -> None:
        gone = {self._checked(id).id for id in self._erasure.turns}
        for id in dict.fromkeys(self._erasure.turns):
            self._drop_turn(self._state.turns[self._tenant, id])
        self._empty_traces(lambda trace: bool(gone & named_by(trace)), gone)

    def _checked(self, id: str) -> Turn:
        turn: Turn | None = self._state.turns.get((self._tenant, id))
        if turn is None or turn.subject not in self._erasure.batch.reach.subjects:
            raise NotFound("turn", id)
        return turn

    def _drop_turn(self, turn: Turn) -> None:
        state, thread = self._state, (self._tenant, turn.subject, turn.origin.thread)
        self._pop("turns", state.turns, lambda key: key == (self._tenant, turn.id))
        state.threads[thread] = tuple(id for id in state.threads[thread] if id != turn.id)
        if not state.threads[thread]:
            del state.threads[thread]
        self._pop("turn_vectors", state.vectors, lambda key: (key[0], *key[2:]) == (Corpus.TURNS, self._tenant, turn.id))
        for size in [key for key in state.dialogues.sizes if key[:2] == (self._tenant, turn.id)]:
            del state.dialogues.sizes[size]
        self._pop("summaries", state.dialogues.summaries, lambda key: key == thread)
        said = {key for key, verdict in state.verdicts.items() if key[0] == self._tenant and verdict.turn_id == turn.id}
        self._pop("verdicts", state.verdicts, said.__contains__)

    def _drop_thread(self, subject: str, thread: str) -> None:
        dialogues, place = self._state.dialogues, (self._tenant, subject, thread)
        self._pop("threads", dialogues.marks, lambda key: key == place)
        self._pop("summaries", dialogues.summaries, lambda key: key == place)
        for key, mark in dialogues.marks.items():
            if key[:2] == place[:2] and mark.forked_from == thread:
                dialogues.marks[key] = replace(mark, forked_from=None, forked_upto=0)
        self._empty_traces(lambda trace: subject in trace.subjects and trace.origin.thread == thread)

    def _empty_traces(self, chosen: Callable[[Trace], bool], ids: set[str] | frozenset[str] = frozenset()) -> None:
        for key, trace in self._state.traces.items():
            if key[0] == self._tenant and chosen(trace):
                self._state.traces[key] = emptied_trace(trace, ids)

    # -- whole subjects
    def _drop_subject(self, subject: str) -> None:
        state, dialogues = self._state, self._state.dialogues
        records = {key for key, row in state.records.items() if (key[0], row.subject) == (self._tenant, subject)}
        turns = {key for key, row in state.turns.items() if (key[0], row.subject) == (self._tenant, subject)}
        passages = {key for key, row in state.passages.items() if (key[0], row.subject) == (self._tenant, subject)}
        for key in [key for key, trace in state.traces.items() if key[0] == self._tenant and subject in trace.subjects]:
            self._leave_trace(key, subject, {id for _, id in records | turns | passages})
        self._pop("records", state.records, records.__contains__)
        for key in records:
            del state.usage[key]
        self._pop("turns", state.turns, turns.__contains__)
        self._pop("record_vectors", state.vectors, lambda key: key[0] is Corpus.RECORDS and key[2:] in records)
        self._pop("turn_vectors", state.vectors, lambda key: key[0] is Corpus.TURNS and key[2:] in turns)
        for size in [key for key in dialogues.sizes if key[:2] in turns]:
            del dialogues.sizes[size]
        for thread in [key for key in state.threads if key[:2] == (self._tenant, subject)]:
            del state.threads[thread]
        for what, rows in (("threads", "marks"), ("summaries", "summaries"), ("checkpoints", "checkpoints")):
            self._pop(what, getattr(dialogues, rows), lambda key: key[:2] == (self._tenant, subject))
        self._pop("passages", state.passages, passages.__contains__)
        self._pop("passage_vectors", state.vectors, lambda key: key[0] is Corpus.PASSAGES and key[2:] in passages)
        self._pop("documents", state.documents, lambda key: (key[0], state.documents[key].subject) == (self._tenant, subject))
        judged = {key for key, verdict in state.verdicts.items() if (key[0], verdict.subject) == (self._tenant, subject)}
        self._pop("verdicts", state.verdicts, judged.__contains__)
        self._drop_events(subject)
        state.epochs.pop((self._tenant, subject), None)

    def _drop_events(self, subject: str) -> None:
        state = self._state
        kept = [n for n, e in enumerate(state.events) if (e.tenant, e.subject) != (self._tenant, subject)]
        self.gone["events"] += len(state.events) - len(kept)
        state.events, state.changes = [state.events[n] for n in kept], [state.changes[n] for n in kept]

    def _leave_trace(self, key: tuple[str, str], subject: str, mine: set[str]) -> None:
        trace = self._state.traces[key]
        left = without_subjects(emptied_trace(trace, mine & named_by(trace)), {subject}, mine)
        if left.subjects:
            self._state.traces[key] = left
        else:
            del self._state.traces[key]
            self.gone["traces"] += 1


def vectors_of(state: Any) -> int:
    """How many vectors of records there are."""
    return sum(key[0] is Corpus.RECORDS for key in state.vectors)
