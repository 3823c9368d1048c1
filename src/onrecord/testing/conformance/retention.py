"""What is older than it is kept goes: vectors and words of turns, traces, verdicts, what is told of erased records."""

from __future__ import annotations

from datetime import timedelta

import pytest

from onrecord.errors import StaleRead
from onrecord.model.change import Archive, Edit, Erase
from onrecord.model.query import Corpus, View
from onrecord.model.turn import CaptureState
from onrecord.ports import Pruned, Store
from onrecord.testing.builders import NOW, REACH, a_batch, a_record, a_trace, a_turn, a_vector, a_verdict, adds
from onrecord.testing.conformance.base import BOTH, OTHER_SUBJECT, OTHER_TENANT, Conformance

DAY = timedelta(days=1)


class RetentionConformance(Conformance):
    """See the module."""

    def test_vectors_of_turns_go_the_oldest_first_and_are_not_asked_for_again(self, store: Store) -> None:
        turns = [a_turn(f"t{n}", "red kettle", written_at=NOW + n * DAY) for n in range(4)]
        store.append([*turns, a_turn("b", subject="user:bob", written_at=NOW - DAY)])
        store.put_vectors(Corpus.TURNS, BOTH, "m", {id: a_vector(1) for id in ("t0", "t1", "t2", "t3", "b")})
        assert store.drop_turn_vectors(NOW + 3 * DAY, limit=2) == 2
        near = store.nearest(View(reach=REACH), Corpus.TURNS, "m", a_vector(1), limit=9)
        assert sorted(id for id, _ in near) == ["t1", "t2", "t3"]
        assert store.drop_turn_vectors(NOW + 3 * DAY, limit=9) == 2
        assert store.drop_turn_vectors(NOW + 3 * DAY, limit=9) == 0
        assert [row.id for row in store.unembedded(Corpus.TURNS, "m", limit=9)] == ["b", "t0", "t1", "t2"]
        assert store.unembedded(Corpus.TURNS, "m", limit=9, since=NOW + 3 * DAY) == []
        assert [row.id for row in store.unembedded(Corpus.TURNS, "m", limit=9, since=NOW + 2 * DAY)] == ["t2"]
        assert store.lexical(View(reach=REACH), Corpus.TURNS, ["kettl"]).size == 4
        assert store.check().faults == ()

    def test_captured_turns_are_listed_by_age(self, store: Store) -> None:
        rows = [("b", 1, "user:ana"), ("a", 1, "user:bob"), ("c", 0, "user:ana"), ("d", 2, "user:ana"), ("p", 0, "user:ana")]
        store.append([a_turn(id, subject=who, written_at=NOW + n * DAY) for id, n, who in rows])
        store.append([a_turn("a", tenant="globex", written_at=NOW + DAY)])
        store.apply(a_batch(captured=["a", "b", "c", "d"], reach=BOTH))
        store.apply(a_batch(captured=["a"], reach=OTHER_TENANT))
        found = store.aged(NOW + 2 * DAY, limit=9)
        assert [(turn.tenant, turn.id) for turn in found] == [("acme", "c"), ("acme", "a"), ("acme", "b"), ("globex", "a")]
        assert store.aged(NOW + 2 * DAY, limit=2) == found[:2]
        assert store.aged(NOW + 2 * DAY, limit=9, after=found[1]) == found[2:]
        assert store.aged(NOW, limit=9) == []

    def test_a_shed_turn_keeps_its_place_and_nothing_it_said(self, store: Store) -> None:
        store.append([a_turn("t1", "red kettle", payload={"content": "red kettle"}, client_id="c1"), a_turn("t2", "blue jug")])
        store.put_vectors(Corpus.TURNS, REACH, "m", {"t1": a_vector(1), "t2": a_vector(2)})
        store.put_token_counts(REACH, "x", {"t1": 5, "t2": 6})
        store.apply(a_batch(captured=["t1"]))
        assert store.shed(REACH, ["t1", "t2", "no_turn"], epochs=store.epochs(REACH)) == 1
        assert store.shed(REACH, ["t1"], epochs={}) == 0
        assert store.shed(OTHER_SUBJECT, ["t1"], epochs={}) == 0
        first, second = store.thread(REACH, "thread_1")
        assert (first.text, first.payload, first.state, first.seq) == ("", {}, CaptureState.SHED, 1)
        assert (second.text, second.state) == ("blue jug", CaptureState.PENDING)
        assert store.lexical(View(reach=REACH), Corpus.TURNS, ["kettl"]).size == 2
        assert store.lexical(View(reach=REACH), Corpus.TURNS, ["kettl"]).ids == ()
        assert [id for id, _ in store.nearest(View(reach=REACH), Corpus.TURNS, "m", a_vector(1), limit=9)] == ["t2"]
        assert store.token_counts(REACH, "thread_1", "x") == {"t2": 6}
        assert store.unembedded(Corpus.TURNS, "m", limit=9) == []
        assert store.aged(NOW + DAY, limit=9) == []
        store.apply(a_batch(reread=["t1"]))
        assert [turn.id for turn in store.pending(limit=9)] == ["t2"]
        with pytest.raises(StaleRead):
            store.apply(a_batch(captured=["t1"]))
        assert store.check().faults == ()

    def test_nothing_is_shed_if_a_subject_changed_since(self, store: Store) -> None:
        store.append([a_turn("t1", "red kettle")])
        store.apply(a_batch(captured=["t1"]))
        epochs = store.epochs(REACH)
        store.apply(adds(a_record()))
        with pytest.raises(StaleRead):
            store.shed(REACH, ["t1"], epochs=epochs)
        assert store.turns(REACH, ["t1"])[0].text == "red kettle"

    def test_old_traces_go(self, store: Store) -> None:
        for n in range(4):
            store.put_trace(a_trace(f"t{n}", at=NOW + n * DAY))
        assert store.prune(traces=NOW + 3 * DAY, account=NOW, limit=2) == Pruned(traces=2)
        assert [trace.id for trace in store.traces(REACH)] == ["t3", "t2"]
        assert store.prune(traces=NOW + 3 * DAY, account=NOW, limit=9) == Pruned(traces=1)
        assert [trace.id for trace in store.traces(REACH)] == ["t3"]

    def test_a_verdict_stays_as_long_as_the_words_it_was_given_on_or_a_record_it_names(self, store: Store) -> None:
        store.append([a_turn("t1"), a_turn("t2")])
        store.apply(adds(a_record("rec_1")))
        store.apply(a_batch(captured=["t1", "t2"]))
        store.apply(
            a_batch(
                verdicts=[
                    a_verdict("v1", turn_id="t1", record_ids=()),
                    a_verdict("v2", turn_id="t2", record_ids=("rec_1",)),
                    a_verdict("v3", turn_id="t2", record_ids=()),
                    a_verdict("v4", turn_id="gone", record_ids=("other",)),
                    a_verdict("v5", turn_id=None, record_ids=(), at=NOW + DAY),
                ]
            )
        )
        store.shed(REACH, ["t2"], epochs={})
        assert store.prune(traces=NOW, account=NOW + DAY, limit=9).verdicts == 2
        assert sorted(verdict.id for verdict in store.verdicts(REACH)) == ["v1", "v2", "v5"]
        assert store.check().faults == ()

    def test_what_is_told_of_erased_records_goes_once_no_turn_that_gave_them_has_words(self, store: Store) -> None:
        store.append([a_turn("t1")])
        store.apply(
            adds(a_record("a"), a_record("b"), a_record("c"), verdicts=[a_verdict("v1", turn_id="t1", record_ids=("a",))])
        )
        store.apply(a_batch(Edit(id="a", fields={"value": "x"}, reason=""), captured=["t1"]))
        store.apply(a_batch(Erase(id="a", reason=""), Erase(id="b", reason="")))
        assert store.prune(traces=NOW, account=NOW, limit=99).tombstones == 0
        assert store.prune(traces=NOW, account=NOW + DAY, limit=99).tombstones == 4
        assert [str(event.type) for event in store.events(REACH, "a")] == ["erased"]
        assert store.events(REACH, "b") == []
        assert [str(event.type) for event in store.events(REACH, "c")] == ["added"]
        store.shed(REACH, ["t1"], epochs={})
        assert store.prune(traces=NOW, account=NOW + DAY, limit=99) == Pruned(verdicts=1, tombstones=1)
        assert store.events(REACH, "a") == []

    def test_what_a_run_did_is_found_by_its_name(self, store: Store) -> None:
        store.apply(adds(a_record("a"), a_record("b"), a_record("c", subject="user:bob"), reach=BOTH))
        for id, actor in (("a", "upkeep_2"), ("c", "upkeep_1"), ("b", "upkeep_1")):
            store.apply(a_batch(Archive(id=id, reason="old"), reach=BOTH, actor=actor))
        found = store.done_by("acme", "upkeep_1")
        assert [(event.record_id, event.subject, str(event.type)) for event in found] == [
            ("c", "user:bob", "archived"),
            ("b", "user:ana", "archived"),
        ]
        assert found[1] == store.events(REACH, "b")[-1]
        assert store.done_by("globex", "upkeep_1") == store.done_by("acme", "upkeep_3") == []
