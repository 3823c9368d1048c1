"""The part of threads and runs that touches no database: what may be written, and what a fork consists of. For every store."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from onrecord.errors import InvalidInput, NotFound, StaleRead, VersionConflict
from onrecord.model.run import Checkpoint, RunStatus
from onrecord.model.scope import checked_name
from onrecord.model.thread import ThreadInfo
from onrecord.model.turn import CaptureState, Turn
from onrecord.stores.codec import dumps


@dataclass(frozen=True, slots=True)
class Mark:
    """What somebody said about a thread, beside its turns."""

    title: str = ""
    archived: bool = False
    forked_from: str | None = None
    forked_upto: int = 0


def marked(mark: Mark, title: str | None, archived: bool | None) -> Mark:
    """The mark with what is given changed. Raises ``InvalidInput`` for a title that is none; an empty one takes it away."""
    given = mark.title if title is None else checked_name(title, "title") if title else ""
    return replace(mark, title=given, archived=mark.archived if archived is None else archived)


def described(last: Turn, mark: Mark, covered: int) -> ThreadInfo:
    """The thread that ends with ``last``."""
    return ThreadInfo(
        id=last.origin.thread or "",
        tenant=last.tenant,
        subject=last.subject,
        turns=last.seq,
        last_at=last.at,
        title=mark.title,
        archived=mark.archived,
        forked_from=mark.forked_from,
        forked_upto=mark.forked_upto,
        covered=covered,
    )


def listed(infos: Sequence[ThreadInfo], archived: bool, limit: int, after: ThreadInfo | None) -> list[ThreadInfo]:
    """Those that are archived or not, newest first, behind ``after``."""
    found = [i for i in infos if i.archived == archived and (after is None or i.place < after.place)]
    return sorted(found, key=lambda info: info.place, reverse=True)[: max(limit, 0)]


def check_summary(covered: int, before: int, after: int) -> None:
    """Raises for a summary of the turns up to ``covered`` in place of one up to ``before``, made after reading ``after``."""
    if before != after:
        raise StaleRead(f"the summary covers {before} turns by now, not {after}: read it again and decide anew")
    if covered < max(before, 1):
        raise InvalidInput("summary", f"covers {covered} turns of the thread", f"cover at least the first {max(before, 1)}")


def copies(turns: Sequence[Turn], thread: str, new: str, upto: int, taken: bool) -> list[Turn]:
    """The turns of a fork. A copy's id follows from the new thread and its place there."""
    checked_name(new, "new")
    if not turns:
        raise NotFound("thread", thread)
    if taken:
        raise InvalidInput("new", f"thread {new[:40]!r} exists already", "name a new one")
    if upto < 1:
        raise InvalidInput("upto", f"is {upto}", "name the number of the last turn to copy, from 1 on")
    return [_copy(turn, new) for turn in turns if turn.seq <= upto]


def _copy(turn: Turn, new: str) -> Turn:
    where = dumps([turn.tenant, turn.subject, new, turn.seq])
    id = f"turn_{hashlib.sha256(where.encode()).hexdigest()[:26]}"
    unseen = turn.state in (CaptureState.QUARANTINED, CaptureState.SHED)  # what no model sees stays unseen
    state = turn.state if unseen else CaptureState.DONE
    return replace(turn, id=id, origin=replace(turn.origin, thread=new), state=state, tries=0, note=None)


def step_is_new(last: Checkpoint | None, run: str, step: int, state: str, status: RunStatus) -> bool:
    """Whether a step (its state as JSON text) has to be written; ``False`` for the last one again. Raises ``VersionConflict``."""
    checked_name(run, "run")
    at = last.step if last else 0
    if last and step == at and status is last.status and state == state_json(last.state):
        return False
    if step != at + 1:
        raise VersionConflict(run, step - 1, at, what="run", count="step")
    return True


def state_json(state: Mapping[str, Any]) -> str:
    """The state of a run as JSON text. Raises ``InvalidInput`` for what is no object of JSON values."""
    if not isinstance(state, Mapping):
        raise InvalidInput("state", f"is a {type(state).__name__}", "pass an object of JSON values")
    return dumps(dict(state), "state")
