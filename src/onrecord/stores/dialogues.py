"""What the in-memory store keeps of threads and runs beside their turns, and some of its methods on them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, TypeAlias

from onrecord.errors import NotFound
from onrecord.model.moment import as_utc
from onrecord.model.run import Checkpoint, RunStatus
from onrecord.model.scope import Reach
from onrecord.model.summary import Summary
from onrecord.model.thread import ThreadInfo
from onrecord.model.turn import Turn
from onrecord.stores.codec import summary_json, summary_of
from onrecord.stores.detached import all_detached
from onrecord.stores.guarded import Guarded
from onrecord.stores.threads import Mark, check_summary, described, listed, marked, state_json, step_is_new

#: Tenant, subject, and the name of a thread or run.
Place: TypeAlias = tuple[str, str, str]


@dataclass(slots=True)
class Dialogues:
    """Titles, summaries with the number of the last turn they cover and their time, and checkpoints."""

    marks: dict[Place, Mark] = field(default_factory=dict)
    summaries: dict[Place, tuple[int, str, datetime]] = field(default_factory=dict)
    #: Step, state as JSON text, status and time.
    checkpoints: dict[Place, tuple[int, str, RunStatus, datetime]] = field(default_factory=dict)
    #: Tokens by tenant, turn and counter.
    sizes: dict[tuple[str, str, str], int] = field(default_factory=dict)

    def __copy__(self) -> Dialogues:
        """A copy to write on."""
        return Dialogues(**{part.name: getattr(self, part.name).copy() for part in fields(self)})

    def put_summary(self, turns: Sequence[Turn], place: Place, summary: Summary, at: datetime, after: int) -> None:
        """See ``Store.put_summary``."""
        named = set(summary.covers)
        covered = max((turn.seq for turn in turns if turn.id in named), default=0)
        check_summary(covered, self._covered(place), after)
        self.keep_summary(place, covered, summary, at)

    def keep_summary(self, place: Place, covered: int, summary: Summary, at: datetime) -> None:
        """Sets a summary of the turns up to the number ``covered``."""
        self.summaries[place] = covered, summary_json(summary), as_utc(at, "at")

    def summary(self, place: Place) -> Summary | None:
        """See ``Store.summary``."""
        return summary_of(self.summaries[place][1]) if place in self.summaries else None

    def listed(self, lasts: Sequence[Turn], archived: bool, limit: int, after: ThreadInfo | None) -> list[ThreadInfo]:
        """The threads that end with these turns. See ``Store.threads``."""
        return listed([self.thread_info(last) for last in lasts], archived, limit, after)

    def thread_info(self, last: Turn) -> ThreadInfo:
        """The thread that ends with ``last``."""
        return described(last, self.marks.get(_place(last), Mark()), self._covered(_place(last)))

    def set_thread(self, turns: Sequence[Turn], thread: str, title: str | None, archived: bool | None) -> ThreadInfo:
        """See ``Store.set_thread``."""
        if not turns:
            raise NotFound("thread", thread)
        place = _place(turns[-1])
        self.marks[place] = marked(self.marks.get(place, Mark()), title, archived)
        return self.thread_info(turns[-1])

    def wake(self, turn: Turn) -> None:
        """Takes the thread of a turn out of the archive."""
        place = _place(turn)
        if place in self.marks:
            self.marks[place] = marked(self.marks[place], None, False)

    def archive_idle(self, lasts: Sequence[Turn], before: datetime, limit: int) -> list[ThreadInfo]:
        """See ``Store.archive_idle``; of the threads that end with these turns."""
        idle = [last for last in lasts if last.written_at < before and not self.marks.get(_place(last), Mark()).archived]
        idle.sort(key=lambda turn: (turn.written_at, *_place(turn)))
        for last in idle[:limit]:
            self.marks[_place(last)] = marked(self.marks.get(_place(last), Mark()), None, True)
        return [self.thread_info(last) for last in idle[:limit]]

    def fork(self, last: Turn, source: str) -> ThreadInfo:
        """Notes where the thread that ends with ``last`` was copied from."""
        old = self.marks.get((last.tenant, last.subject, source), Mark())
        self.marks[_place(last)] = Mark(old.title, forked_from=source, forked_upto=last.seq)
        return self.thread_info(last)

    def put_checkpoint(self, place: Place, step: int, state: Mapping[str, Any], status: RunStatus, at: datetime) -> None:
        """See ``Store.put_checkpoint``."""
        body, word = state_json(state), RunStatus(status)
        if step_is_new(self.checkpoint(place), place[2], step, body, word):
            self.checkpoints[place] = step, body, word, at

    def checkpoint(self, place: Place) -> Checkpoint | None:
        """See ``Store.checkpoint``."""
        if place not in self.checkpoints:
            return None
        step, body, status, at = self.checkpoints[place]
        return Checkpoint(run=place[2], step=step, state=json.loads(body), status=status, at=at)

    def _covered(self, place: Place) -> int:
        return self.summaries[place][0] if place in self.summaries else 0


class Talks(Guarded):
    """The methods of the in-memory store on threads that need nothing but turns and ``Dialogues``."""

    def thread_info(self, reach: Reach, thread: str) -> ThreadInfo | None:
        """See ``Store.thread_info``."""
        with self._reading() as state:
            held = state.threads.get((reach.tenant, reach.subjects[0], thread))
            info: ThreadInfo | None = state.dialogues.thread_info(state.turns[reach.tenant, held[-1]]) if held else None
            return info

    def of_client(self, reach: Reach, thread: str | None, client_ids: Sequence[str]) -> list[Turn]:
        """See ``Store.of_client``."""
        with self._reading() as state:
            held = [id for subject in reach.subjects for id in state.threads.get((reach.tenant, subject, thread), ())]
            turns = [state.turns[reach.tenant, id] for id in held]
            return all_detached([turn for asked in client_ids for turn in turns if turn.client_id == asked])

    def put_token_counts(self, reach: Reach, counter: str, counts: Mapping[str, int]) -> None:
        """See ``Store.put_token_counts``."""
        with self._writing() as state:
            for id, tokens in counts.items():
                turn = state.turns.get((reach.tenant, id))
                if turn is not None and turn.subject in reach.subjects:
                    state.dialogues.sizes[reach.tenant, id, counter] = tokens

    def token_counts(self, reach: Reach, thread: str, counter: str) -> dict[str, int]:
        """See ``Store.token_counts``."""
        with self._reading() as state:
            ids = (id for subject in reach.subjects for id in state.threads.get((reach.tenant, subject, thread), ()))
            kept = {id: state.dialogues.sizes.get((reach.tenant, id, counter)) for id in ids}
            return {id: tokens for id, tokens in kept.items() if tokens is not None}

    def archive_idle(self, before: datetime, *, limit: int) -> list[ThreadInfo]:
        """See ``Store.archive_idle``."""
        moment = as_utc(before, "before")
        with self._writing() as state:
            lasts = [state.turns[key[0], ids[-1]] for key, ids in state.threads.items() if key[2] is not None]
            done: list[ThreadInfo] = state.dialogues.archive_idle(lasts, moment, max(limit, 0))
            return done


def _place(turn: Turn) -> Place:
    return turn.tenant, turn.subject, turn.origin.thread or ""
