"""Another embedder: rows get vectors of it, subject by subject, while searches go on with one model at a time.

A subject keeps the vectors of the embedder before until all of its rows have new ones; then those go, in one transaction. Until
then questions are put to the embedder before, if it can be had, or to words and the new vectors that are there already: those of
two models are never compared. A run that died is repeated and goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from onrecord.model.query import Corpus
from onrecord.model.scope import Reach
from onrecord.pipeline.maintain import embed_rows
from onrecord.pipeline.prune import vectors_since
from onrecord.ports import Engine, Unembedded

#: Called with the part of the work, how much of it is done, and how much there is.
Progress = Callable[[str, int, int], None]
_AT_ONCE = 1_024
#: More rows than one call writes.
_FRESH = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Reembedded:
    """What a run did: ``embedded`` rows and ``dropped`` vectors of other embedders, in so many ``subjects``; those ``left`` are
    not done, because the embedder failed on some of their rows, and are searched as before."""

    model: str
    subjects: int
    embedded: int
    dropped: int
    left: int


def seeing(engine: Engine, reach: Reach) -> Engine:
    """The parts by which a question is answered: with the embedder before, where rows of the reach have vectors of that one and
    not all have one of the new."""
    if engine.previous is None or engine.previous.name == engine.embedder.name:
        return engine
    held = engine.store.models(reach)
    done = held.get(engine.embedder.name, False)
    return replace(engine, embedder=engine.previous) if engine.previous.name in held and not done else engine


def follow(engine: Engine, reach: Reach) -> None:
    """Gives what was just written a vector of the embedder before, too, as long as questions are put to that one."""
    asked = seeing(engine, reach)
    if asked is not engine:
        for corpus in Corpus:
            embed_rows(asked, corpus, _bare(asked, corpus, reach, _FRESH))


def reembed(engine: Engine, progress: Progress) -> Reembedded:
    """Gives every row of every tenant a vector of the embedder, and takes the others away. Raises ``StoreError``."""
    model, embedded, dropped, left = engine.embedder.name, 0, 0, 0
    owners = engine.store.behind(model)
    for n, (tenant, subject) in enumerate(owners):
        progress("subjects", n, len(owners))
        reach = Reach(tenant, (subject,))
        embedded += sum(_embedded(engine, corpus, reach) for corpus in Corpus)
        if any(_bare(engine, corpus, reach, 1) for corpus in Corpus):
            left += 1
        else:
            dropped += engine.store.drop_vectors(reach, keep=model)
    progress("subjects", len(owners), len(owners))
    return Reembedded(model=model, subjects=len(owners), embedded=embedded, dropped=dropped, left=left)


def _embedded(engine: Engine, corpus: Corpus, reach: Reach) -> int:
    """How many rows of a subject got a vector. It goes on as long as all do, since those that fail come first again."""
    done = 0
    while rows := _bare(engine, corpus, reach, _AT_ONCE):
        fresh = embed_rows(engine, corpus, rows)
        done += fresh
        if fresh < len(rows):
            break
    return done


def _bare(engine: Engine, corpus: Corpus, reach: Reach, limit: int) -> list[Unembedded]:
    """Rows of the reach that lack a vector and are to have one."""
    since = vectors_since(engine) if corpus is Corpus.TURNS else None
    return engine.store.unembedded(corpus, engine.embedder.name, limit=limit, since=since, reach=reach)
