"""A draft: the changes decided so far for one turn, and the records as they would stand after them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from onrecord.errors import EmbedderError
from onrecord.model.change import Change
from onrecord.model.query import Best, Corpus, View
from onrecord.model.record import CURRENT, Kind, Record
from onrecord.model.scope import Reach
from onrecord.model.turn import CaptureState
from onrecord.model.verdict import Act, Candidate
from onrecord.pipeline.nearness import cosines
from onrecord.policy.correction.admit import candidate_record
from onrecord.policy.correction.bonds import EMBEDDER
from onrecord.policy.correction.neighbour import Neighbour
from onrecord.policy.correction.retold import rests_on_words
from onrecord.policy.language.text import query_terms, terms
from onrecord.policy.recall.rank import idfs
from onrecord.policy.secrecy.mask import masked
from onrecord.policy.transition import steps
from onrecord.ports import Engine, Vector

#: With so small a k1 a word counts by its weight, however often it stands in a row.
_ONCE = 1e-12
#: Sources of a record whose words are read; what is said again is put as it was put of late.
_SOURCES = 16


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What the turns of one dry run would have left behind so far: the records as they would stand, and their vectors."""

    rows: dict[str, Record | None] = field(default_factory=dict)
    vectors: dict[str, Vector] = field(default_factory=dict)


class Draft:
    """Reads the store once per candidate and lays the changes of the same turn, or rehearsal, over it; writes nothing."""

    def __init__(self, engine: Engine, reach: Reach, vectors: Mapping[str, Vector], rehearsal: Rehearsal | None = None) -> None:
        self._engine, self._reach, self._vectors = engine, reach, vectors
        self._rows: dict[str, Record | None] = {}
        self._others: dict[str, Vector] = {}
        self._near: dict[tuple[str, str], list[tuple[str, float]]] = {}
        if rehearsal is not None:
            rehearsal.vectors.update(vectors)
            self._rows, self._vectors = rehearsal.rows, rehearsal.vectors
        self.changes: list[Change] = []

    def load(self, id: str) -> Record | None:
        """The record as it would stand, or ``None``."""
        self._fetch([id])
        return self._rows[id]

    def _fetch(self, ids: Collection[str]) -> None:
        """Reads those of the records that were not read yet, all at once."""
        if missing := [id for id in ids if id not in self._rows]:
            found = {row.id: masked(row) for row in self._engine.store.get(self._reach, missing)}
            self._rows.update((id, found.get(id)) for id in missing)

    def known(self, candidate: Candidate) -> bool:
        """Whether this very candidate was written before: its turn is read again after a crash."""
        return self.load(candidate.id) is not None

    def add(self, changes: Sequence[Change]) -> None:
        """Takes changes in, so that the next candidate of the turn sees them."""
        for change in changes:
            for step in steps(change, self.load):
                self._rows[step.record_id] = step.after
            self.changes.append(change)

    def vectors_of_changes(self) -> dict[str, Vector]:
        """Vectors of the records that the changes add or reword."""
        known = {**self._others, **self._vectors}
        return {id: known[id] for id, row in self._rows.items() if row is not None and id in known}

    def neighbours(self, candidate: Candidate) -> list[Neighbour]:
        """Current records of the candidate's subject with their closeness, each once: all of a small subject; of a larger one
        those with its key and the similar ones.
        """
        with self._engine.store.snapshot():  # one look at the store; what is embedded afterwards may take long
            found = self._found(candidate)
            rows = {id: row for id in found if (row := self._rows[id]) is not None and _states_a_fact(row)}
            whole = self._meanings(candidate)
            told = {id: self._told(row) for id, row in rows.items() if rests_on_words(candidate, row)}
        meanings = cosines(self._engine, self._record(candidate), rows, whole)
        return [Neighbour(row, found[id], meanings.get(id, ()), told.get(id, ())) for id, row in rows.items()]

    def _found(self, candidate: Candidate) -> dict[str, float]:
        """Ids of the rows that any leg finds, and how near they are."""
        view, found = View(reach=Reach(candidate.tenant, (candidate.subject,))), dict[str, float]()
        for leg in (self._whole, self._same_key, self._lexical, self._nearest, self._drafted):
            for id, closeness in leg(view, candidate).items():
                found[id] = max(found.get(id, 0.0), closeness)
        self._fetch(found)
        return found

    def _told(self, record: Record) -> tuple[str, ...]:
        """The words of the turns said last that a record rests on. Those that are withheld tell nothing."""
        turns = self._engine.store.turns(self._reach, record.derived_from[-_SOURCES:])
        return tuple(turn.text for turn in turns if turn.text and turn.state is not CaptureState.QUARANTINED)

    def beside(self, candidate: Candidate, others: Sequence[Candidate]) -> list[Neighbour]:
        """Other candidates as the records that they would have become, compared with ``candidate``; none that is on record."""
        self._fetch([other.id for other in others])
        rows = {other.id: self._record(other) for other in others if not self.known(other)}
        mine = self._vectors.get(candidate.id)
        if mine is None or not rows or not self._engine.embedder.name.startswith(EMBEDDER):
            return []
        try:
            vectors = self._engine.embedder.embed_documents([row.text for row in rows.values()])
        except EmbedderError:
            return []
        self._others.update(zip(rows, vectors, strict=True))
        near = {id: float(mine @ self._others[id]) for id in rows}
        meanings = cosines(self._engine, self._record(candidate), rows, near)
        return [Neighbour(row, near[id], meanings.get(id, ())) for id, row in rows.items()]

    def vector(self, candidate: Candidate) -> Vector | None:
        """The vector of a candidate's statement, if there is one."""
        return self._vectors.get(candidate.id)

    def _record(self, candidate: Candidate) -> Record:
        return candidate_record(candidate, self._engine.policy, candidate.said_at)

    def _meanings(self, candidate: Candidate) -> dict[str, float]:
        """The cosine of every current record of a small subject, if the embedder is the one that the pair model knows."""
        mine = self._vectors.get(candidate.id)
        if mine is None or not self._engine.embedder.name.startswith(EMBEDDER):
            return {}
        drafted = {id: float(mine @ self._vectors[id]) for id in self._rows if id in self._vectors}
        return {**dict(self._ranked(candidate, self._engine.policy.whole_subject)), **drafted}

    def _ranked(self, candidate: Candidate, limit: int) -> list[tuple[str, float]]:
        """The cosines of the nearest stored records of the subject; the store is asked once for all that want them."""
        asked = candidate.id, candidate.subject
        if asked not in self._near:
            view, policy = View(reach=Reach(candidate.tenant, (candidate.subject,))), self._engine.policy
            most = max(policy.whole_subject, policy.neighbour_limit)
            mine, name = self._vectors[candidate.id], self._engine.embedder.name
            self._near[asked] = self._engine.store.nearest(view, Corpus.RECORDS, name, mine, limit=most)
        return self._near[asked][:limit]

    def _whole(self, view: View, candidate: Candidate) -> dict[str, float]:
        """Every current record of a small subject, however far; none of a larger one."""
        limit = self._engine.policy.whole_subject
        every = self._engine.store.select(view, limit=limit + 1)
        if len(every) > limit:
            return {}
        for record in every:
            if record.id not in self._rows:
                self._rows[record.id] = masked(record)
        return {record.id: 0.0 for record in every}

    def _same_key(self, view: View, candidate: Candidate) -> dict[str, float]:
        if candidate.key is None:
            return {}
        keyed = self._engine.store.select(View(reach=view.reach, key=candidate.key))
        return {record.id: 1.0 for record in keyed}

    def _nearest(self, view: View, candidate: Candidate) -> dict[str, float]:
        if candidate.id not in self._vectors:
            return {}
        policy = self._engine.policy
        return {id: cosine for id, cosine in self._ranked(candidate, policy.neighbour_limit) if cosine >= policy.neighbour_floor}

    def _lexical(self, view: View, candidate: Candidate) -> dict[str, float]:
        """Rows that share telling words: each word weighs as it is rare in the subject, so a code or name in common is enough.

        A request to forget looks at every row that shares a word, and at what was said last ("forget that").
        """
        asked, limit = query_terms(candidate.statement), self._engine.policy.neighbour_limit
        found = self._engine.store.lexical(view, Corpus.RECORDS, asked, best=Best(limit=limit, k1=_ONCE, b=0.0))
        weights: list[float] = idfs(found).tolist() if found.rows else []
        total = sum(weights) or 1.0
        shares = [(sum(w for w, n in zip(weights, row.counts, strict=True) if n) / total, row.id) for row in found.rows]
        forget = candidate.act is Act.FORGET
        floor = 0.0 if forget else self._engine.policy.shared_words_floor
        best = sorted((s for s in shares if s[0] >= floor), key=lambda s: (-s[0], s[1]))
        near = {id: share for share, id in best[:limit]}
        if forget:
            said_last = self._engine.store.recent(view, Corpus.RECORDS, limit=limit)
            near = {**dict.fromkeys(said_last, 0.0), **near}
        return near

    def _drafted(self, view: View, candidate: Candidate) -> dict[str, float]:
        """Records of this same turn, or rehearsal, that are not in the store yet. A request to forget looks at every one."""
        floor = 0.0 if candidate.act is Act.FORGET else self._engine.policy.neighbour_floor
        mine, words = self._vectors.get(candidate.id), set(terms(candidate.statement))
        near = {}
        for id, row in self._rows.items():
            if row is None or row.subject not in view.reach.subjects:
                continue
            shared = len(words & set(terms(row.statement))) / max(1, len(words))
            theirs = self._vectors.get(id)
            cosine = float(mine @ theirs) if mine is not None and theirs is not None else 0.0
            same_key = candidate.key is not None and row.key == candidate.key
            closeness = 1.0 if same_key else max(cosine, shared)
            near[id] = closeness if closeness >= floor else 0.0
        return near


def _states_a_fact(record: Record) -> bool:
    """What happened in a session repeats what was said there: a fact is never taken for a restatement or correction of it."""
    return record.status in CURRENT and record.kind is not Kind.EPISODE
