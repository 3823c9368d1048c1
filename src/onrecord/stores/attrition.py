"""What the in-memory store lets go of with time: vectors and words of turns, traces, verdicts, what is told of the erased."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from onrecord.errors import StaleRead
from onrecord.model.change import Event, EventType
from onrecord.model.query import Corpus
from onrecord.model.record import Record, Status
from onrecord.model.scope import Reach
from onrecord.model.turn import CaptureState, Turn
from onrecord.policy.lifecycle.expiry import told_together
from onrecord.ports import Pruned
from onrecord.stores.detached import all_detached, detached
from onrecord.stores.guarded import Guarded


class Attrition(Guarded):
    """The methods that take away what is older than it is kept."""

    def drop_turn_vectors(self, before: datetime, *, limit: int) -> int:
        """See ``Store.drop_turn_vectors``."""
        with self._writing() as state:
            held = {key[2:] for key in state.vectors if key[0] is Corpus.TURNS}
            old = [turn for turn in map(state.turns.__getitem__, held) if turn.written_at < before]
            gone = {(turn.tenant, turn.id) for turn in sorted(old, key=_oldest)[: max(limit, 0)]}
            _drop_vectors(state, gone)
            return len(gone)

    def aged(self, before: datetime, *, limit: int, after: Turn | None = None) -> list[Turn]:
        """See ``Store.aged``."""
        with self._reading() as state:
            old = sorted((turn for turn in state.turns.values() if _may_shed(turn) and turn.written_at < before), key=_oldest)
            return all_detached([turn for turn in old if after is None or _oldest(turn) > _oldest(after)][: max(limit, 0)])

    def shed(self, reach: Reach, ids: Sequence[str], *, epochs: Mapping[str, int]) -> int:
        """See ``Store.shed``."""
        with self._writing() as state:
            if any(state.epochs.get((reach.tenant, name), 0) != epoch for name, epoch in epochs.items()):
                raise StaleRead("a subject changed meanwhile: decide anew")
            found = (state.turns.get((reach.tenant, id)) for id in dict.fromkeys(ids))
            gone = [turn for turn in found if turn and turn.subject in reach.subjects and _may_shed(turn)]
            for turn in gone:
                wordless = replace(turn, text="", payload={}, note=None, state=CaptureState.SHED)
                state.turns[turn.tenant, turn.id] = wordless
                for size in [key for key in state.dialogues.sizes if key[:2] == (turn.tenant, turn.id)]:
                    del state.dialogues.sizes[size]
            _drop_vectors(state, {(turn.tenant, turn.id) for turn in gone})
            return len(gone)

    def out_of_recall(
        self, before: Mapping[Status, datetime], *, limit: int, after: tuple[Record, datetime] | None = None
    ) -> list[tuple[Record, datetime]]:
        """See ``Store.out_of_recall``."""
        with self._reading() as state:
            moved = {(event.tenant, event.record_id): event.at for event in state.events}
            rows = ((record, moved[key]) for key, record in state.records.items() if record.status in before)
            old = sorted((row for row in rows if not row[0].pinned and row[1] < before[row[0].status]), key=_left)
            found = [row for row in old if after is None or _left(row) > _left(after)][: max(limit, 0)]
            return [(detached(record), at) for record, at in found]

    def prune(self, *, traces: datetime, account: datetime, limit: int) -> Pruned:
        """See ``Store.prune``."""
        with self._writing() as state:
            return Pruned(
                traces=_pop(state.traces, lambda trace: trace.at < traces, limit),
                verdicts=_pop(state.verdicts, lambda verdict: verdict.at < account and _settled(state, verdict), limit),
                tombstones=_forget_erased(state, account, limit),
                restatements=_join_restatements(state, account, limit),
                places=_drop_places(state, account, limit),
            )

    def size(self) -> int:
        """See ``Store.size``."""
        with self._reading():
            return 0


def is_shed(row: object) -> bool:
    """Whether a row is a turn whose words were not kept."""
    return isinstance(row, Turn) and row.state is CaptureState.SHED


def _oldest(turn: Turn) -> tuple[datetime, str, str]:
    return turn.written_at, turn.tenant, turn.id


def _left(row: tuple[Record, datetime]) -> tuple[datetime, str, str]:
    record, at = row
    return at, record.tenant, record.id


def _may_shed(turn: Turn) -> bool:
    return turn.state is CaptureState.DONE


def _drop_vectors(state: Any, turns: set[tuple[str, str]]) -> None:
    for key in [key for key in state.vectors if key[0] is Corpus.TURNS and key[2:] in turns]:
        del state.vectors[key]


def _pop(rows: dict[Any, Any], chosen: Callable[[Any], bool], limit: int) -> int:
    old = sorted((row.at, key) for key, row in rows.items() if chosen(row))[: max(limit, 0)]
    for _, key in old:
        del rows[key]
    return len(old)


def _wordless(state: Any, tenant: str, turn_id: str | None) -> bool:
    turn = state.turns.get((tenant, turn_id))
    return turn is None or turn.state is CaptureState.SHED


def _settled(state: Any, verdict: Any) -> bool:
    there = {(verdict.tenant, id) for id in verdict.record_ids} & state.records.keys()
    told = any(event.verdict_id == verdict.id and (event.tenant, event.record_id) in there for event in state.events)
    return not told and _wordless(state, verdict.tenant, verdict.turn_id)


def _forget_erased(state: Any, before: datetime, limit: int) -> int:
    told = {
        (verdict.tenant, id)
        for verdict in state.verdicts.values()
        if not _wordless(state, verdict.tenant, verdict.turn_id)
        for id in verdict.record_ids
    }

    def old(event: Event) -> bool:
        key = event.tenant, event.record_id
        empty = event.before is None and event.after is None and key not in state.records
        return empty and event.at < before and (event.type is not EventType.ERASED or key not in told)

    gone = [place for place, event in enumerate(state.events) if old(event)][: max(limit, 0)]
    for place in reversed(gone):
        del state.events[place], state.changes[place]
    return len(gone)


def _join_restatements(state: Any, before: datetime, limit: int) -> int:
    alone = Counter(state.changes)
    last: dict[tuple[str, str], tuple[int, bool]] = {}
    gone = set[int]()
    for place, event in enumerate(state.events):
        here = event.tenant, event.record_id
        old = told_together(event) and event.at < before and event.before is not None
        may = old and alone[state.changes[place]] == 1
        earlier, free = last.get(here, (0, False))
        if may and free and len(gone) < limit:
            state.events[place] = replace(event, before=state.events[earlier].before)
            gone.add(earlier)
        last[here] = place, may
    for place in sorted(gone, reverse=True):
        del state.events[place], state.changes[place]
    return len(gone)


def _drop_places(state: Any, before: datetime, limit: int) -> int:
    dialogues = state.dialogues
    ends = {key: _ending(state, key) for key in state.threads}
    for key in [key for key in dialogues.summaries if _silent(ends[key], before)][:limit]:
        del dialogues.summaries[key]
    done = 0
    while done < limit and (old := _old_places(state, before)[: limit - done]):
        for turn in old:
            _drop_place(state, turn)
        done += len(old)
    return done


def _ending(state: Any, key: tuple[str, str, str | None]) -> Turn:
    last: Turn = state.turns[key[0], state.threads[key][-1]]
    return last


def _silent(turn: Turn, before: datetime) -> bool:
    return turn.state is CaptureState.SHED and turn.written_at < before


def _old_places(state: Any, before: datetime) -> list[Turn]:
    sources = {(record.tenant, id) for record in state.records.values() for id in record.sources}
    judged = {(verdict.tenant, verdict.turn_id) for verdict in state.verdicts.values()}
    pinned = {(key[0], id) for key in state.threads for id in _needed(state, key)}
    silent = (turn for turn in state.turns.values() if _silent(turn, before))
    return sorted((turn for turn in silent if (turn.tenant, turn.id) not in sources | judged | pinned), key=_oldest)


def _needed(state: Any, key: tuple[str, str, str | None]) -> set[str]:
    """The turns of a thread that hold its place: the last, if it is not the only one, and the last one that a summary covers."""
    ids, (covered, _, _) = state.threads[key], state.dialogues.summaries.get(key, (0, "", None))
    ends = [id for id in ids if state.turns[key[0], id].seq == covered]
    return {*ends, *(ids[-1:] if len(ids) > 1 else ())}


def _drop_place(state: Any, turn: Turn) -> None:
    key = turn.tenant, turn.subject, turn.origin.thread
    del state.turns[turn.tenant, turn.id]
    state.threads[key] = tuple(id for id in state.threads[key] if id != turn.id)
    if state.threads[key]:
        return
    del state.threads[key]
    marks = state.dialogues.marks
    marks.pop(key, None)
    for other, mark in marks.items():
        if other[:2] == key[:2] and mark.forked_from == turn.origin.thread:
            marks[other] = replace(mark, forked_from=None, forked_upto=0)
