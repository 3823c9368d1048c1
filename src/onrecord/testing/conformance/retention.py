"""What is older than it is kept goes: vectors and words of turns, traces, verdicts, what is told of erased records."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from onrecord.errors import StaleRead
from onrecord.model.change import Add, Archive, Edit, Erase, Flag, Merge, Recompute, Reinforce, Resolve, Restore, Retract
from onrecord.model.query import Corpus, View
from onrecord.model.record import Status
from onrecord.model.turn import CaptureState
from onrecord.ports import Pruned, Store
from onrecord.testing.builders import NOW, REACH, a_batch, a_record, a_summary, a_trace, a_turn, a_vector, a_verdict, adds
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

    def test_a_verdict_stays_as_long_as_the_words_it_was_given_on_or_what_tells_of_it(self, store: Store) -> None:
        store.append([a_turn("t1"), a_turn("t2")])
        store.apply(a_batch(Add(record=a_record("rec_1"), reason="", verdict_id="v2")))
        store.apply(a_batch(captured=["t1", "t2"]))
        store.apply(
            a_batch(
                verdicts=[
                    a_verdict("v1", turn_id="t1", record_ids=()),
                    a_verdict("v2", turn_id="t2", record_ids=("rec_1",)),
                    a_verdict("v3", turn_id="t2", record_ids=()),
                    a_verdict("v4", turn_id="gone", record_ids=("other",)),
                    a_verdict("v5", turn_id=None, record_ids=(), at=NOW + DAY),
                    a_verdict("v6", turn_id="t2", record_ids=("rec_1",)),
                ]
            )
        )
        store.shed(REACH, ["t2"], epochs={})
        assert store.prune(traces=NOW, account=NOW + DAY, limit=9).verdicts == 3
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
        assert store.prune(traces=NOW, account=NOW + DAY, limit=99) == Pruned(verdicts=1, tombstones=1, places=1)
        assert store.events(REACH, "a") == []

    def test_of_old_restatements_in_a_row_the_last_tells_of_all(self, store: Store) -> None:
        again = [Reinforce(id="a", sources=(f"t{n}",), reason=f"said {n}") for n in range(6)]
        store.apply(adds(a_record("a", derived_from=("t",)), a_record("b")))
        for n, change in enumerate(again[:3]):
            store.apply(a_batch(change, now=NOW + n * DAY))
        store.apply(a_batch(Edit(id="a", fields={"value": "x"}, reason=""), now=NOW + 3 * DAY))
        store.apply(a_batch(again[3], Reinforce(id="b", reason=""), now=NOW + 4 * DAY))
        store.apply(a_batch(again[4], now=NOW + 5 * DAY))
        store.apply(a_batch(again[5], now=NOW + 9 * DAY))
        assert store.prune(traces=NOW, account=NOW, limit=9) == Pruned()
        assert store.prune(traces=NOW, account=NOW + 6 * DAY, limit=2) == Pruned(restatements=2)
        assert store.prune(traces=NOW, account=NOW + 6 * DAY, limit=9) == Pruned(restatements=1)
        assert store.prune(traces=NOW, account=NOW + 6 * DAY, limit=9) == Pruned()
        told = store.events(REACH, "a")
        assert [event.reason for event in told[1:]] == ["said 2", "", "said 4", "said 5"]
        assert [event.before and event.before.version for event in told] == [None, 1, 4, 5, 7]
        assert [event.after and event.after.version for event in told] == [1, 4, 5, 7, 8]
        assert [event.after.derived_from for event in told if event.after][1] == ("t", "t0", "t1", "t2")
        assert len(store.events(REACH, "b")) == 2
        assert [row.version for row in store.select(View(reach=REACH, known_at=NOW + DAY)) if row.id == "a"] == [1]
        assert store.check().faults == ()

    def test_of_what_is_said_again_and_again_every_state_is_told(self, store: Store) -> None:
        store.apply(adds(a_record("a", derived_from=("t",), metadata={"n": 0, "of": ["x"]}), a_record("b")))
        for n in range(40):
            store.apply(a_batch(Reinforce(id="a", sources=(f"t{n}",), reason=""), now=NOW + n * DAY))
            if n % 7 == 0:
                metadata = {"n": n % 2 == 0, "of": ["x", *map(str, range(n))], "+": {"=": n}}
                store.apply(a_batch(Edit(id="a", fields={"metadata": metadata}, reason=""), now=NOW + n * DAY))
        told = store.events(REACH, "a")
        assert [event.after and event.after.version for event in told] == list(range(1, 48))
        assert [event.before for event in told][1:] == [event.after for event in told][:-1]
        assert told[-1].after == store.get(REACH, ["a"])[0]
        for n in (0, 15, 16, 17, 31, 39):
            (row,) = (row for row in store.select(View(reach=REACH, known_at=NOW + n * DAY)) if row.id == "a")
            assert row.derived_from == ("t", *(f"t{m}" for m in range(n + 1)))
        assert store.prune(traces=NOW, account=NOW + 30 * DAY, limit=99).restatements == 24
        left = store.events(REACH, "a")
        assert [event.before for event in left][1:] == [event.after for event in left][:-1]
        assert left[-1] == told[-1]
        store.apply(a_batch(Erase(id="a", reason="")))
        assert not [event for event in store.events(REACH, "a") if event.before or event.after]
        store.apply(adds(a_record("a")))
        store.apply(a_batch(Edit(id="a", fields={"value": "x"}, reason="")))
        assert [event.after and event.after.value for event in store.events(REACH, "a")][-2:] == [a_record().value, "x"]
        assert store.check().faults == ()

    def test_what_upkeep_no_longer_names_is_told_together_with_restatements_and_what_others_take_out_is_not(
        self, store: Store
    ) -> None:
        store.apply(adds(a_record("a", derived_from=("t",)), a_record("b", derived_from=("t",))))
        for id, actor in (("a", "upkeep"), ("b", "caller")):
            store.apply(a_batch(Reinforce(id=id, sources=("t0", "t1"), reason="")))
            (now,) = store.get(REACH, [id])
            fewer = Recompute(record=replace(now, derived_from=("t", "t1")), version=now.version, reason="")
            store.apply(a_batch(fewer, actor=actor))
            assert [record.id for record in store.made_from(REACH, ["t0"])] == []
            store.apply(a_batch(Reinforce(id=id, sources=("t2",), reason="")))
        assert store.prune(traces=NOW, account=NOW + DAY, limit=9) == Pruned(restatements=2)
        assert [str(event.type) for event in store.events(REACH, "b")] == ["added", "restated", "recomputed", "restated"]
        added, again = store.events(REACH, "a")
        assert (added.after, again.after) == (again.before, store.get(REACH, ["a"])[0])
        assert again.after
        assert again.after.derived_from == ("t", "t1", "t2")
        assert store.check().faults == ()

    def test_what_runs_merged_into_a_record_is_told_together_and_what_happened_beside_another_change_in_full(
        self, store: Store
    ) -> None:
        store.apply(adds(a_record("a"), a_record("b"), a_record("c")))
        for n in range(3):
            (now,) = store.get(REACH, ["a"])
            more = replace(now, derived_from=(*now.sources, f"t{n}"))
            store.apply(a_batch(Merge(record=more, version=now.version, reason=f"run {n}"), actor=f"upkeep_{n}"))
        for name in ("c", "b"):  # restates a record and settles a conflict in one change
            store.apply(a_batch(Flag(ids=("b", "c"), reason="")))
            store.apply(a_batch(Resolve(keep=name, drop=("b" if name == "c" else "c",), reason="")))
        before = [store.events(REACH, id) for id in ("b", "c")]
        assert store.prune(traces=NOW, account=NOW + DAY, limit=9) == Pruned(restatements=2)
        assert [event.reason for event in store.events(REACH, "a")][1:] == ["run 2"]
        assert [store.events(REACH, id) for id in ("b", "c")] == before
        assert store.check().faults == ()

    def test_of_a_turn_without_words_nothing_is_left_once_nothing_tells_of_it(self, store: Store) -> None:
        ids = [f"t{n}" for n in range(5)]
        store.append([a_turn(id) for id in ids])
        store.append([a_turn("other", thread="thread_2"), a_turn("b", subject="user:bob")])
        store.append([a_turn("own", thread=None), a_turn("own_2", thread=None)])
        store.set_thread(REACH, "thread_2", title="Trip")
        store.apply(adds(a_record("rec_1", derived_from=("t1",)), verdicts=[a_verdict("v1", turn_id="t2", at=NOW + 5 * DAY)]))
        store.apply(a_batch(captured=[*ids, "other", "own", "own_2"]))
        store.shed(REACH, [*ids[:4], "other", "own", "own_2"], epochs={})
        assert store.prune(traces=NOW, account=NOW, limit=9).places == 0
        assert store.prune(traces=NOW, account=NOW + DAY, limit=2).places == 2
        assert store.prune(traces=NOW, account=NOW + DAY, limit=9).places == 3
        assert store.prune(traces=NOW, account=NOW + DAY, limit=9).places == 0
        assert [(turn.id, turn.seq) for turn in store.thread(REACH, "thread_1")] == [("t1", 2), ("t2", 3), ("t4", 5)]
        assert [turn.id for turn in store.turns(REACH, ["other", "own", "own_2"])] == []
        assert [info.id for info in store.threads(REACH)] == ["thread_1"]
        assert store.thread_info(REACH, "thread_2") is None
        assert store.append([a_turn("t6")])[0].turn.seq == 6
        assert store.append([a_turn("new", thread="thread_2")])[0].turn.seq == 1
        assert (store.threads(REACH)[0].title, store.turns(OTHER_SUBJECT, ["b"])[0].id) == ("", "b")
        assert store.check().faults == ()

    def test_the_last_turn_of_a_thread_and_of_a_summary_hold_its_place(self, store: Store) -> None:
        ids = ["t1", "t2", "t3", "t4"]
        store.append([a_turn(id) for id in ids])
        store.put_summary(REACH, "thread_1", a_summary("t1", "t2"), at=NOW, after=0)
        store.apply(a_batch(captured=ids))
        store.shed(REACH, ids[:3], epochs={})
        assert store.prune(traces=NOW, account=NOW + DAY, limit=9).places == 2
        assert [turn.id for turn in store.thread(REACH, "thread_1")] == ["t2", "t4"]
        assert store.summary(REACH, "thread_1") is not None
        store.shed(REACH, ["t4"], epochs={})
        assert store.prune(traces=NOW, account=NOW + DAY, limit=9).places == 2
        assert store.thread(REACH, "thread_1") == []
        assert store.summary(REACH, "thread_1") is None
        assert store.check().faults == ()

    def test_what_is_out_of_recall_is_listed_from_when_it_went(self, store: Store) -> None:
        names = ["a", "b", "c", "d", "e"]
        store.apply(adds(*(a_record(name, pinned=name == "e") for name in names), a_record("o", subject="user:bob"), reach=BOTH))
        store.apply(adds(a_record("a", tenant="globex"), reach=OTHER_TENANT))
        for n, name in enumerate(["b", "a", "e"]):
            store.apply(a_batch(Archive(id=name, reason=""), now=NOW + n * DAY))
        store.apply(a_batch(Archive(id="o", reason=""), reach=BOTH, now=NOW + DAY))
        store.apply(a_batch(Archive(id="a", reason=""), reach=OTHER_TENANT, now=NOW + DAY))
        store.apply(a_batch(Retract(id="c", reason=""), now=NOW))
        store.apply(a_batch(Archive(id="d", reason=""), now=NOW))
        store.apply(a_batch(Restore(id="d", reason=""), now=NOW))
        spans = {Status.ARCHIVED: NOW + 2 * DAY, Status.RETRACTED: NOW}
        found = store.out_of_recall(spans, limit=9)
        assert [(row.tenant, row.id) for row, _ in found] == [("acme", "b"), ("acme", "a"), ("acme", "o"), ("globex", "a")]
        assert [at for _, at in found] == [NOW, NOW + DAY, NOW + DAY, NOW + DAY]
        assert found[0][0] == store.get(REACH, ["b"])[0]
        assert store.out_of_recall(spans, limit=2) == found[:2]
        assert store.out_of_recall(spans, limit=9, after=found[1]) == found[2:]
        assert store.out_of_recall({Status.RETRACTED: NOW + DAY}, limit=9)[0][0].id == "c"
        store.apply(a_batch(Edit(id="b", fields={"value": "x"}, reason=""), now=NOW + 4 * DAY))
        assert [row.id for row, _ in store.out_of_recall(spans, limit=9)] == ["a", "o", "a"]
        assert store.check().faults == ()

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
