"""Documents: kept, replaced, searched and gone, with their passages."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from onrecord.errors import InvalidInput, NotFound, StaleRead
from onrecord.model.document import Document, Passage
from onrecord.model.query import Corpus, View
from onrecord.model.scope import SHARED, Reach
from onrecord.ports import Erasure, Store
from onrecord.testing.builders import NOW, REACH, SUBJECT, TENANT, a_batch, a_document, a_passage, a_vector
from onrecord.testing.conformance.base import BOTH, OTHER_SUBJECT, OTHER_TENANT, Conformance

HOUR = timedelta(hours=1)
NOON, MILK = a_passage(), a_passage("pas_2", "Milk is in the fridge.", position=2, heading="")
VIEW = View(reach=REACH)


def put(store: Store, document: Document | None = None, *passages: Passage) -> Document:
    """A document of two passages with vectors, or the one given."""
    document = document or a_document(passages=2)
    mine = passages or (NOON, MILK)
    store.put_document(document, mine, model="m", vectors={passage.id: a_vector(1) for passage in mine})
    return document


class DocumentConformance(Conformance):
    """See the module."""

    def test_a_document_comes_back_with_its_passages_in_order(self, store: Store) -> None:
        document = put(store, a_document(passages=2, metadata={"topic": "travel", "pages": [1, 2]}))
        assert store.documents(VIEW) == [document]
        assert store.document_named(REACH, "default", "guide.md") == document
        assert store.documents_by_id(REACH, ["none", "doc_1"]) == [document]
        assert store.passages_of(REACH, "doc_1") == [NOON, MILK]
        assert store.passages(REACH, ["pas_2", "none", "pas_1"]) == [MILK, NOON]

    def test_documents_come_by_id_and_in_pages(self, store: Store) -> None:
        for n in (2, 1, 3):
            put(store, a_document(f"doc_{n}", name=str(n)), a_passage(f"pas_{n}", document_id=f"doc_{n}"))
        assert [one.id for one in store.documents(VIEW, limit=2)] == ["doc_1", "doc_2"]
        assert [one.id for one in store.documents(VIEW, after="doc_2")] == ["doc_3"]

    def test_a_replacement_keeps_what_is_the_same_and_drops_the_rest(self, store: Store) -> None:
        put(store)
        fresh = a_passage("pas_3", "Buses leave at one.", written_at=NOW + HOUR)
        newer = a_document(passages=2, version=2, digest="e", added_at=NOW + HOUR, updated_at=NOW + HOUR)
        store.put_document(newer, [fresh, replace(NOON, position=2)])
        assert store.documents(VIEW) == [replace(newer, added_at=NOW)]
        assert store.passages_of(REACH, "doc_1") == [fresh, replace(NOON, position=2)]
        assert [row.id for row in store.unembedded(Corpus.PASSAGES, "m", limit=9)] == ["pas_3"]
        assert not store.lexical(VIEW, Corpus.PASSAGES, ["milk"]).ids
        assert store.nearest(VIEW, Corpus.PASSAGES, "m", a_vector(1), limit=9) == [("pas_1", 1.0)]
        assert store.check().faults == ()

    def test_who_replaces_what_another_replaced_meanwhile_is_told(self, store: Store) -> None:
        put(store)
        store.put_document(a_document(version=2), [NOON])
        for late in (a_document(version=2), a_document(version=4), a_document("doc_2"), a_document("doc_2", version=2)):
            with pytest.raises(StaleRead):
                store.put_document(late, [replace(NOON, document_id=late.id, id="pas_9")])
        assert store.documents(VIEW)[0].version == 2

    def test_ids_are_given_once(self, store: Store) -> None:
        put(store)
        wrong = [
            (a_document(subject="user:bob"), a_passage("pas_9", subject="user:bob")),
            (a_document("doc_2", name="b"), a_passage("pas_1", "Other words.", document_id="doc_2")),
            (a_document(version=2), a_passage("pas_1", "Other words.")),
            (a_document(version=2, passages=2), a_passage()),
            (a_document(version=2), a_passage(document_id="doc_2")),
            (a_document(version=2), a_passage(subject="user:bob")),
        ]
        for document, passage in wrong:
            with pytest.raises(InvalidInput):
                store.put_document(document, [passage])
        assert store.passages_of(REACH, "doc_1") == [NOON, MILK]
        put(store, a_document(tenant="globex"), a_passage(tenant="globex"))

    def test_a_document_that_is_gone_leaves_nothing_to_find(self, store: Store) -> None:
        put(store)
        for foreign in (OTHER_SUBJECT, OTHER_TENANT):
            with pytest.raises(NotFound):
                store.drop_document(foreign, "doc_1")
        store.drop_document(REACH, "doc_1")
        assert not store.documents(VIEW)
        assert not store.passages_of(REACH, "doc_1") + store.passages(REACH, ["pas_1"])
        assert store.nearest(VIEW, Corpus.PASSAGES, "m", a_vector(1), limit=9) == []
        counts = store.check().counts
        assert counts["documents"] == counts["passages"] == counts["passage_terms"] == 0
        with pytest.raises(NotFound):
            store.drop_document(REACH, "doc_1")
        put(store)
        assert store.passages_of(REACH, "doc_1") == [NOON, MILK]

    def test_others_see_none_of_it(self, store: Store) -> None:
        put(store)
        for foreign in (OTHER_SUBJECT, OTHER_TENANT, Reach(TENANT, (SHARED,))):
            view = View(reach=foreign)
            assert not store.documents(view) + store.documents_by_id(foreign, ["doc_1"])
            assert not store.passages_of(foreign, "doc_1") + store.passages(foreign, ["pas_1"])
            assert store.document_named(foreign, "default", "guide.md") is None
            assert store.lexical(view, Corpus.PASSAGES, ["train"]).size == 0
            assert store.nearest(view, Corpus.PASSAGES, "m", a_vector(1), limit=9) == []
            assert store.recent(view, Corpus.PASSAGES, limit=9) == []

    def test_full_text_holds_heading_and_words(self, store: Store) -> None:
        put(store)
        for term, id in (("travel", "pas_1"), ("train", "pas_1"), ("fridg", "pas_2")):
            found = store.lexical(VIEW, Corpus.PASSAGES, [term])
            assert (found.size, list(found.ids), found.counts.tolist()) == (2, [id], [[1]])

    def test_filters_and_times_are_of_the_document(self, store: Store) -> None:
        put(store, a_document(metadata={"topic": "travel"}), NOON)
        later = a_passage("pas_9", "Trains leave at one.", document_id="doc_2", written_at=NOW + HOUR)
        put(store, a_document("doc_2", name="b", collection="work", updated_at=NOW + HOUR), later)
        wanted = [
            ({"filters": {"topic": "travel"}}, ["pas_1"]),
            ({"filters": {"collection": "work"}}, ["pas_9"]),
            ({"filters": {"name": {"in": ["b", "guide.md"]}}}, ["pas_9", "pas_1"]),
            ({"since": NOW + HOUR}, ["pas_9"]),
            ({"until": NOW + HOUR}, ["pas_1"]),
        ]
        for given, ids in wanted:
            view = View(reach=REACH, **given)  # type: ignore[arg-type]
            assert store.recent(view, Corpus.PASSAGES, limit=9) == ids
            assert sorted(store.lexical(view, Corpus.PASSAGES, ["train"]).ids) == sorted(ids)
            assert store.lexical(view, Corpus.PASSAGES, ["train"]).size == len(ids)
            assert [id for id, _ in store.nearest(view, Corpus.PASSAGES, "m", a_vector(1), limit=9)] == sorted(ids)

    def test_passages_without_a_vector_wait_for_one(self, store: Store) -> None:
        store.put_document(a_document(passages=2), [NOON, MILK])
        waiting = store.unembedded(Corpus.PASSAGES, "m", limit=9)
        assert [(row.subject, row.id, row.text) for row in waiting] == [(SUBJECT, p.id, p.told) for p in (NOON, MILK)]
        store.put_vectors(Corpus.PASSAGES, REACH, "m", {"pas_1": a_vector(1), "none": a_vector(1)})
        store.put_vectors(Corpus.PASSAGES, OTHER_SUBJECT, "m", {"pas_2": a_vector(1)})
        assert [row.id for row in store.unembedded(Corpus.PASSAGES, "m", limit=9)] == ["pas_2"]
        assert store.check().counts["passage_vectors/m"] == 1

    def test_erasing_a_subject_takes_its_documents_and_nobody_elses(self, store: Store) -> None:
        put(store)
        put(store, a_document("doc_2", subject=SHARED), a_passage("pas_9", document_id="doc_2", subject=SHARED))
        done = store.erase(Erasure(batch=a_batch(reach=BOTH), subjects=[SUBJECT]), verify=True)
        assert {what: done.counts.get(what) for what in ("documents", "passages", "passage_vectors")} == {
            "documents": 1,
            "passages": 2,
            "passage_vectors": 2,
        }
        assert store.documents(VIEW) == []
        assert [one.id for one in store.documents(View(reach=Reach(TENANT, (SHARED,))))] == ["doc_2"]
        assert store.check().faults == ()
