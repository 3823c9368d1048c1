"""Everything that one reach can see of a store, by every reading method: for comparing stores, and for looking for leaks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from onrecord.model.query import Corpus, View
from onrecord.model.record import Status
from onrecord.model.scope import Reach
from onrecord.ports import Store, Vector

EVERY_STATUS = frozenset(Status)


def sight(
    store: Store, view: View, *, ids: Sequence[str], threads: Sequence[str], terms: Sequence[str], model: str, vector: Vector
) -> Mapping[str, Any]:
    """The answers of every reading method by name: of ids for ``view.reach``, of searches for ``view``."""
    return {
        **_by_id(store, view.reach, ids),
        **_searches(store, view, terms, model, vector),
        "thread": [store.thread(view.reach, thread, last=last) for thread in threads for last in (None, 2)],
        "threads": [store.threads(view.reach, archived=archived) for archived in (False, True)],
        "thread_info": [store.thread_info(view.reach, thread) for thread in threads],
        "of_client": [store.of_client(view.reach, thread, ["c1", "c2"]) for thread in (*threads, None)],
        "summary": [store.summary(view.reach, thread) for thread in threads],
        "token_counts": [store.token_counts(view.reach, thread, counter) for thread in threads for counter in ("a", "b")],
        "checkpoint": [store.checkpoint(view.reach, run) for run in ("run_1", "run_2")],
        "epochs": store.epochs(view.reach),
        "verdicts": [store.verdicts(view.reach, accepted=accepted) for accepted in (None, True, False)],
        "traces": store.traces(view.reach),
    }


def _by_id(store: Store, reach: Reach, ids: Sequence[str]) -> dict[str, Any]:
    return {
        "get": store.get(reach, ids),
        "usage": store.usage(reach, ids),
        "turns": store.turns(reach, ids),
        "neighbours": [store.neighbours(reach, id, 1) for id in ids],
        "events": [store.events(reach, id) for id in ids],
        "verdicts_of_record": [store.verdicts(reach, record_id=id) for id in ids],
        "verdicts_of_turn": [store.verdicts(reach, turn_id=id) for id in ids],
        "verdicts_on": sorted(store.verdicts_on(reach, ids).items()),
        "traces_of_record": [store.traces(reach, record_id=id) for id in ids],
        "trace": [store.trace(reach, id) for id in ids],
        "passages": store.passages(reach, ids),
        "documents_by_id": store.documents_by_id(reach, ids),
        "passages_of": [store.passages_of(reach, id) for id in ids],
    }


def _searches(store: Store, view: View, terms: Sequence[str], model: str, vector: Vector) -> dict[str, Any]:
    every = replace(view, statuses=EVERY_STATUS)
    found: dict[str, Any] = {"select": store.select(view), "select_every": store.select(every)}
    found["documents"] = store.documents(replace(view, filters=None))
    found["document_named"] = [store.document_named(view.reach, "default", name) for name in ("guide.md", "notes.md")]
    for corpus in Corpus:
        found[f"lexical_{corpus}"] = store.lexical(view, corpus, terms)
        found[f"recent_{corpus}"] = store.recent(every, corpus, limit=3)
        found[f"nearest_{corpus}"] = store.nearest(view, corpus, model, vector, limit=3)
    return found


def ids_in(seen: Any) -> set[str]:
    """Every string that stands in an answer as an id or anywhere else."""
    if isinstance(seen, str):
        return {seen}
    if isinstance(seen, Mapping):
        return ids_in([*seen.keys(), *seen.values()])
    if isinstance(seen, Iterable):
        return {found for part in seen for found in ids_in(part)}
    if hasattr(seen, "__dataclass_fields__"):
        return ids_in([getattr(seen, name) for name in seen.__dataclass_fields__])
    return set()
