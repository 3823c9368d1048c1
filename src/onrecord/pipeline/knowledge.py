"""Knowledge: documents are cut, kept and looked things up in.

    text → redacted → chunks → passages (those that are there stay, with their vectors) → store.put_document
    question → words and vectors → fused → relevant enough → excerpts

What a document says is data to answer from. Nothing here proposes records: a document tells nobody's preferences.
"""

from __future__ import annotations

import hashlib
import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from onrecord.errors import EmbedderError, InvalidInput, NotFound, StaleRead
from onrecord.model.document import Document, Excerpt, Passage, Shelved
from onrecord.model.query import Best, Corpus, View
from onrecord.model.record import SourceType
from onrecord.model.scope import Reach
from onrecord.model.trace import Scored
from onrecord.pipeline.journal import BATCH
from onrecord.pipeline.reembed import seeing
from onrecord.policy.documents.chunk import Chunk, chunked
from onrecord.policy.language.text import query_terms
from onrecord.policy.recall import rank
from onrecord.policy.recall.episode import EPISODE_LIMIT
from onrecord.policy.recall.relevance import Calibration, calibration, relevance
from onrecord.policy.recall.select import Rules, select
from onrecord.policy.secrecy.redact import redact, redact_json
from onrecord.ports import Engine, Vector

#: Passages that are read beside four times those wanted, since some of them say the same.
_SPARE = 20
_log = logging.getLogger("onrecord")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What is to be shelved, for the first subject of ``reach``."""

    reach: Reach
    text: str
    name: str
    collection: str
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Findings:
    """The excerpts, best first, and every passage that was weighed, the best first, with why it was dropped."""

    excerpts: tuple[Excerpt, ...] = ()
    weighed: tuple[Scored, ...] = ()


def shelve(engine: Engine, entry: Entry) -> Shelved:
    """What became of a document: it is added, or replaces the one of its name, of which the passages that are the same stay.

    Secrets in it are replaced first. Where the embedder fails, new passages wait for their vectors. Raises ``InvalidInput`` for a
    text that is too long or says nothing, ``StaleRead`` where others keep replacing it."""
    limit = engine.policy.document_limit
    if len(entry.text) > limit:
        raise InvalidInput("text", f"is {len(entry.text)} characters long", f"split it: a document has at most {limit}")
    name, text = redact(entry.name).text, redact(entry.text).text
    chunks = chunked(text, name, engine.policy)
    if not chunks:
        raise InvalidInput("text", "says nothing", "give a text with words")
    for _ in range(engine.policy.reconcile_attempts):
        try:
            return _shelved(engine, entry, name, text, chunks)
        except StaleRead:
            continue
    raise StaleRead("others kept replacing this document: try again")


def _shelved(engine: Engine, entry: Entry, name: str, text: str, chunks: Sequence[Chunk]) -> Shelved:
    now, reach = engine.clock(), entry.reach
    held = engine.store.document_named(reach, entry.collection, name)
    document = Document(
        id=held.id if held else engine.ids("doc"),
        tenant=reach.tenant,
        subject=reach.subjects[0],
        collection=entry.collection,
        name=name,
        digest=_digest("", text),
        size=len(text),
        passages=len(chunks),
        metadata=redact_json(dict(entry.metadata))[0],
        version=held.version + 1 if held else 1,
        added_at=held.added_at if held else now,
        updated_at=now,
    )
    before = engine.store.passages_of(reach, held.id) if held else []
    passages = _passages(engine, document, chunks, before)
    known = {passage.id for passage in before}
    fresh = [passage for passage in passages if passage.id not in known]
    vectors = _embedded(engine, fresh)
    engine.store.put_document(document, passages, model=engine.embedder.name, vectors=vectors)
    kept = len(passages) - len(fresh)
    return Shelved(document=document, added=len(fresh), kept=kept, dropped=len(before) - kept, queued=len(fresh) - len(vectors))


def _passages(engine: Engine, document: Document, chunks: Sequence[Chunk], before: Sequence[Passage]) -> list[Passage]:
    """The chunks as passages, under the ids of those that say the same already."""
    known: dict[str, list[str]] = defaultdict(list)
    for passage in reversed(before):
        known[passage.digest].append(passage.id)
    made = []
    for position, chunk in enumerate(chunks, 1):
        digest = _digest(chunk.heading, chunk.text)
        made.append(
            Passage(
                id=known[digest].pop() if known[digest] else engine.ids("pas"),
                tenant=document.tenant,
                subject=document.subject,
                document_id=document.id,
                position=position,
                heading=chunk.heading,
                text=chunk.text,
                digest=digest,
                written_at=document.updated_at,
            )
        )
    return made


def _embedded(engine: Engine, passages: Sequence[Passage]) -> dict[str, Vector]:
    found: dict[str, Vector] = {}
    for start in range(0, len(passages), BATCH):
        batch = passages[start : start + BATCH]
        try:
            matrix = engine.embedder.embed_documents([passage.told[:EPISODE_LIMIT] for passage in batch])
        except EmbedderError as error:
            _log.warning("embedding %d passages failed: %s; they wait", len(passages) - start, type(error).__name__)
            break
        found |= {passage.id: matrix[n] for n, passage in enumerate(batch)}
    return found


def _digest(heading: str, text: str) -> str:
    return hashlib.sha256(f"{heading}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()


def document_of(engine: Engine, reach: Reach, id: str) -> Document:
    """The document of that id. Raises ``NotFound``."""
    for document in engine.store.documents_by_id(reach, [id]):
        return document
    raise NotFound("document", id)


def look_up(engine: Engine, view: View, text: str, *, limit: int, threshold: float | None = None) -> Findings:
    """The passages that answer a question, at most ``limit``; none if none is relevant enough by itself.

    Words and vectors are fused as for records and turns. Where the embedder fails, words alone decide."""
    if not text.strip() or not engine.store.documents(view, limit=1):
        return Findings()
    engine = seeing(engine, view.reach)
    vector = _asked(engine, text)
    calibrated = calibration(engine.embedder.name if vector is not None else "", Corpus.PASSAGES)
    with engine.store.snapshot():
        ranked = _ranked(engine, view, text, vector, calibrated)
        rows = {row.id: row for row in engine.store.passages(view.reach, [one.id for one in ranked[: 4 * limit + _SPARE]])}
        named = list(dict.fromkeys(row.document_id for row in rows.values()))
        documents = {one.id: one for one in engine.store.documents_by_id(view.reach, named)}
    floor, tail = (calibrated.floor, calibrated.tail) if threshold is None else (threshold, threshold)
    texts = {id: row.text for id, row in rows.items()}
    selection = select([one for one in ranked if one.id in rows], texts, Rules(limit=limit, floor=floor, tail=tail))
    trust = engine.policy.trust[SourceType.DOCUMENT]
    excerpts = (_excerpt(one, rows[one.id], documents[rows[one.id].document_id], trust) for one in selection.kept)
    return Findings(tuple(excerpts), selection.candidates[: engine.policy.knowledge_traced])


def _ranked(engine: Engine, view: View, text: str, vector: Vector | None, calibrated: Calibration) -> list[Scored]:
    policy, name = engine.policy, engine.embedder.name if vector is not None else ""
    cosines, shares = _legs(engine, view, text, vector)
    fused = rank.fuse(shares, rank.nearness(cosines, name, policy), rank.vector_weight(name, policy))
    found = []
    for id in rank.ordered(fused):
        near, held = cosines.get(id, 0.0), shares.get(id, 0.0)
        parts = {"bm25": held, "cosine": near, "fused": fused[id]}
        sure = relevance(near, min(held, 1.0), calibrated)
        found.append(Scored(id, Corpus.PASSAGES, fused[id], sure, {part: value for part, value in parts.items() if value}))
    return found


def _excerpt(one: Scored, passage: Passage, document: Document, trust: float) -> Excerpt:
    return Excerpt(passage=passage, document=document, score=one.score, relevance=one.relevance, trust=trust, parts=one.parts)


def _asked(engine: Engine, text: str) -> Vector | None:
    try:
        return engine.embedder.embed_query(text)
    except EmbedderError as error:
        _log.warning("the question could not be embedded: %s; words alone are looked for", type(error).__name__)
        return None


def _legs(engine: Engine, view: View, text: str, vector: Vector | None) -> tuple[dict[str, float], dict[str, float]]:
    """Cosines and shares of BM25 of the candidates; what one of the two finds is measured by the other too."""
    store, policy, terms = engine.store, engine.policy, query_terms(text)
    name, limit = engine.embedder.name, policy.candidate_limit
    cosines = dict(store.nearest(view, Corpus.PASSAGES, name, vector, limit=limit)) if vector is not None else {}
    best = Best(limit=limit, k1=policy.bm25_k1, b=policy.bm25_b, also=cosines.keys())
    postings = store.lexical(view, Corpus.PASSAGES, terms, best=best)
    shares = rank.shares(postings, len(terms), policy.bm25_k1, policy.bm25_b)
    others = shares.keys() - cosines.keys()
    if vector is not None and others:
        cosines |= dict(store.nearest(view, Corpus.PASSAGES, name, vector, limit=0, also=others))
    return cosines, shares
