"""What the in-memory store lets go of with time: vectors and words of turns, traces, verdicts, what is told of the erased."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from onrecord.errors import StaleRead
from onrecord.model.change import Event, EventType
from onrecord.model.query import Corpus
from onrecord.model.scope import Reach
from onrecord.model.turn import CaptureState, Turn
from onrecord.ports import Pruned
from onrecord.stores.detached import all_detached
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

    def prune(self, *, traces: datetime, account: datetime, limit: int) -> Pruned:
        """See ``Store.prune``."""
        with self._writing() as state:
            return Pruned(
                traces=_pop(state.traces, lambda trace: trace.at < traces, limit),
                verdicts=_pop(state.verdicts, lambda verdict: verdict.at < account and _settled(state, verdict), limit),
                tombstones=_forget_erased(state, account, limit),
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
    named = any((verdict.tenant, id) in state.records for id in verdict.record_ids)
    return not named and _wordless(state, verdict.tenant, verdict.turn_id)


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
