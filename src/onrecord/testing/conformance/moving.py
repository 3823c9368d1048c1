"""Rows that travel, and one embedder that follows another."""

from __future__ import annotations

from dataclasses import replace

from onrecord.model.change import Archive, Edit, Erase
from onrecord.model.parcel import Extent, Fate, Filed, Loaded, Parcel, Tombstone
from onrecord.model.query import Corpus, View
from onrecord.model.record import Usage
from onrecord.model.run import RunStatus
from onrecord.model.turn import CaptureState, Turn
from onrecord.ports import Store
from onrecord.testing.builders import (
    NOW,
    REACH,
    SUBJECT,
    TENANT,
    a_batch,
    a_document,
    a_passage,
    a_record,
    a_summary,
    a_trace,
    a_turn,
    a_vector,
    a_verdict,
    adds,
)
from onrecord.testing.conformance.base import BOTH, OTHER_SUBJECT, OTHER_TENANT, Conformance


def _fill(store: Store) -> None:
    """A row of every kind, for ``user:ana`` at ``acme``, and a turn for others."""
    store.append(
        [a_turn(), a_turn("turn_2", "I like tea."), a_turn("turn_b", subject="user:bob"), a_turn("turn_x", tenant="globex")]
    )
    records = [a_record(), a_record("rec_2", "Likes tea."), a_record("rec_3", "Owns a boat.")]
    store.apply(adds(*records, verdicts=[a_verdict()], model="m", vectors={"rec_1": a_vector(1)}, captured=["turn_1"]))
    store.apply(
        a_batch(Edit(reason="so", id="rec_1", fields={"statement": "Prefers letters."}), Archive(reason="old", id="rec_2"))
    )
    store.apply(a_batch(Erase(reason="", id="rec_3")))
    store.touch(REACH, ["rec_1"], NOW)
    store.put_trace(a_trace())
    store.set_thread(REACH, "thread_1", title="Trip", archived=True)
    store.put_summary(REACH, "thread_1", a_summary("turn_1"), at=NOW, after=0)
    store.put_checkpoint(REACH, "run_1", 1, {"plan": ["go"]}, status=RunStatus.RUNNING, at=NOW)
    store.put_document(a_document(), [a_passage()], model="m", vectors={"pas_1": a_vector(0, 1)})
    store.put_vectors(Corpus.TURNS, REACH, "m", {"turn_1": a_vector(0, 0, 1)})


def _fates(done: list[Loaded]) -> set[Fate]:
    return {one.fate for one in done}


class MovingConformance(Conformance):
    """``dump``, ``load``, ``models``, ``behind`` and ``drop_vectors``."""

    def _filled(self, store: Store) -> list[Parcel]:
        _fill(store)
        return list(store.dump(Extent(vectors=True)))

    def test_what_is_dumped_is_loaded_and_dumped_the_same(self, store: Store) -> None:
        parcels = self._filled(store)
        other = self.make_another()
        assert _fates(other.load(parcels)) == {Fate.ADDED}
        assert list(other.dump(Extent(vectors=True))) == parcels
        assert other.check() == replace(store.check(), counts=other.check().counts)
        assert _fates(other.load(parcels)) == {Fate.SAME}
        assert list(other.dump(Extent(vectors=True))) == parcels
        assert other.events(REACH, "rec_1")[-1].after == other.get(REACH, ["rec_1"])[0]
        other.close()

    def test_a_dump_holds_the_rows_of_its_extent_alone(self, store: Store) -> None:
        _fill(store)
        for reach, turns in ((REACH, ["turn_1", "turn_2"]), (OTHER_SUBJECT, ["turn_b"]), (OTHER_TENANT, ["turn_x"])):
            found = store.dump(Extent(tenant=reach.tenant, subjects=reach.subjects))
            assert [parcel.id for parcel in found if isinstance(parcel, Turn)] == turns
        every = [parcel.id for parcel in store.dump(Extent()) if isinstance(parcel, Turn)]
        assert every == ["turn_1", "turn_2", "turn_b", "turn_x"]

    def test_a_dump_is_of_one_moment(self, store: Store) -> None:
        _fill(store)
        rows = store.dump(Extent())
        first = next(rows)
        store.append([a_turn("turn_9", thread=None)])
        store.apply(adds(a_record("rec_9")))
        left = [first, *rows]
        assert not any(isinstance(parcel, Turn) and parcel.id == "turn_9" for parcel in left)
        assert not any(isinstance(parcel, Filed) and parcel.record.id == "rec_9" for parcel in left)

    def test_an_earlier_state_is_brought_up_to_date_and_a_later_one_stays(self, store: Store) -> None:
        early = self._filled(store)
        other = self.make_another()
        other.load(early)
        store.apply(a_batch(Edit(reason="so", id="rec_1", fields={"statement": "Prefers calls."}), captured=["turn_2"]))
        late = list(store.dump(Extent(vectors=True)))
        assert _fates(other.load(late)) == {Fate.SAME, Fate.UPDATED}
        assert other.get(REACH, ["rec_1"])[0].statement == "Prefers calls."
        assert other.turns(REACH, ["turn_2"])[0].state is CaptureState.DONE
        assert other.lexical(View(reach=REACH), Corpus.RECORDS, ["call"]).ids in (("rec_1",), ["rec_1"])
        assert _fates(other.load(early)) == {Fate.SAME}
        other.close()

    def test_what_went_another_way_is_a_conflict_and_stays(self, store: Store) -> None:
        parcels = self._filled(store)
        other = self.make_another()
        other.load(parcels)
        for at, words in ((store, "Prefers calls."), (other, "Prefers visits.")):
            at.apply(a_batch(Edit(reason="so", id="rec_1", fields={"statement": words})))
        done = other.load(list(store.dump(Extent())))
        assert [one.detail for one in done if one.fate is Fate.CONFLICT] == ["the record went another way; what is here stays"]
        assert other.get(REACH, ["rec_1"])[0].statement == "Prefers visits."
        (clash,) = other.load([a_turn("turn_7", "Other words.", seq=1)])
        assert clash.fate is Fate.CONFLICT
        other.close()

    def test_what_was_erased_does_not_come_back(self, store: Store) -> None:
        parcels = self._filled(store)
        store.apply(a_batch(Erase(reason="", id="rec_1")))
        done = list(zip(parcels, store.load(parcels), strict=True))
        (record,) = (one for parcel, one in done if isinstance(parcel, Filed) and parcel.record.id == "rec_1")
        assert (record.fate, record.detail) == (Fate.REFUSED, "it was erased here")
        assert store.get(REACH, ["rec_1"]) == []
        (tombstone,) = (one for parcel, one in done if isinstance(parcel, Tombstone))
        assert tombstone.fate is Fate.SAME

    def test_a_parcel_that_cannot_be_stored_leaves_nothing_and_the_others_go_in(self, store: Store) -> None:
        record = Filed(record=a_record(metadata={"x": object()}), usage=Usage(), events=())
        done = store.load([record, a_turn(seq=1), a_turn("turn_2", seq=0)])
        assert [one.fate for one in done] == [Fate.REFUSED, Fate.ADDED, Fate.REFUSED]
        assert store.get(REACH, ["rec_1"]) == []
        assert store.check().counts["events"] == 0

    def test_models_tell_whether_every_row_of_a_reach_has_a_vector(self, store: Store) -> None:
        store.apply(adds(a_record(), model="m", vectors={"rec_1": a_vector(1)}))
        assert store.models(REACH) == {"m": True}
        assert store.models(OTHER_SUBJECT) == {}
        store.append([a_turn()])
        assert store.models(REACH) == {"m": False}
        assert store.models(BOTH) == {"m": False}
        assert store.behind("m") == [(TENANT, SUBJECT)]
        store.put_vectors(Corpus.TURNS, REACH, "m", {"turn_1": a_vector(1)})
        assert store.behind("m") == []
        assert store.behind("n") == [(TENANT, SUBJECT)]

    def test_dropping_the_vectors_of_other_models_leaves_those_of_one(self, store: Store) -> None:
        store.apply(adds(a_record(), model="m", vectors={"rec_1": a_vector(1)}))
        store.append([a_turn(), a_turn("turn_b", subject="user:bob")])
        store.put_vectors(Corpus.TURNS, BOTH, "m", {"turn_1": a_vector(1), "turn_b": a_vector(1)})
        store.put_vectors(Corpus.RECORDS, REACH, "n", {"rec_1": a_vector(0, 1)})
        store.put_vectors(Corpus.TURNS, REACH, "n", {"turn_1": a_vector(0, 1)})
        assert store.drop_vectors(REACH, keep="n") == 2
        assert store.models(REACH) == {"n": True}
        assert store.models(OTHER_SUBJECT) == {"m": True}
        assert store.nearest(View(reach=REACH), Corpus.RECORDS, "m", a_vector(1), limit=3) == []
        assert [row.id for row in store.unembedded(Corpus.TURNS, "n", limit=9)] == ["turn_b"]
        assert store.unembedded(Corpus.TURNS, "n", limit=9, reach=REACH) == []
        assert store.check().faults == ()

    def make_another(self) -> Store:
        """An empty store beside the one of the test; a suite whose ``make_store`` gives the same one again overrides it."""
        return self.make_store()
