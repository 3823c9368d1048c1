"""Consult: the documents are looked at for a context, the built-in collection or a base of somebody else's."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from onrecord.model.document import Excerpt
from onrecord.model.query import View
from onrecord.model.scope import SHARED, Reach
from onrecord.model.trace import Scored
from onrecord.pipeline.knowledge import look_up
from onrecord.ports import Engine, Errand, Knowledge

_log = logging.getLogger("onrecord")


@dataclass(frozen=True, slots=True)
class Consulted:
    """What documents say: the excerpts, best first, the scores for the trace, and why there are none if that failed."""

    excerpts: tuple[Excerpt, ...] = ()
    weighed: tuple[Scored, ...] = ()
    failure: str = ""


def consulted(engine: Engine, reach: Reach) -> bool:
    """Whether there are documents to look at, before anything is asked."""
    return engine.knowledge is not None or bool(engine.store.documents(View(reach=_with_shared(reach)), limit=1))


def consult(engine: Engine, reach: Reach, text: str, limit: int) -> Consulted:
    """What documents of the reach, and those that all share, say to a question; nothing if there is none."""
    if not text.strip():
        return Consulted()
    if engine.knowledge is not None:
        return _elsewhere(engine, engine.knowledge, reach, text, limit)
    found = look_up(engine, View(reach=_with_shared(reach)), text, limit=limit)
    return Consulted(found.excerpts, found.weighed)


def _elsewhere(engine: Engine, knowledge: Knowledge, reach: Reach, text: str, limit: int) -> Consulted:
    errand = Errand("knowledge", lambda: knowledge.search(reach, text, limit=limit), engine.policy.knowledge_time.total_seconds())
    (outcome,) = engine.runner.run([errand])
    if outcome.done and isinstance(outcome.value, Sequence) and all(isinstance(one, Excerpt) for one in outcome.value):
        return Consulted(tuple(outcome.value[:limit]))
    why = type(outcome.error).__name__ if outcome.error else "no list of passages" if outcome.done else "no answer in time"
    _log.warning("the base of documents failed: %s", why)
    return Consulted(failure=f"the documents could not be looked at ({why})")


def _with_shared(reach: Reach) -> Reach:
    return Reach(reach.tenant, tuple(dict.fromkeys((*reach.subjects, SHARED))))
