"""``erase`` and ``made_from``: turns, threads, runs and whole subjects."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from onrecord.errors import NotFound, StaleRead, VersionConflict
from onrecord.model.change import Add, Edit, Erase, EventType, Merge, Recompute
from onrecord.model.query import Corpus, View
from onrecord.model.record import Status
from onrecord.model.run import RunStatus
from onrecord.model.scope import Origin
from onrecord.model.trace import Scored
from onrecord.model.turn import CaptureState
from onrecord.ports import Erasure, Store
from onrecord.testing.builders import NOW, REACH, a_batch, a_record, a_summary, a_trace, a_turn, a_vector, a_verdict, adds
from onrecord.testing.conformance.base import BOTH, OTHER_SUBJECT, OTHER_TENANT, Conformance, ids

DAY = timedelta(days=1)


def _peopled(store: Store, **who: Any) -> None:
    """Gives a subject a row of everything, as ``ana`` of ``acme`` unless told otherwise."""
    subject, tenant = who.get("subject", "user:ana"), who.get("tenant", "acme")
    reach = type(REACH)(tenant, (subject,))
    name = subject[5:]
    store.append([a_turn(f"turn_{name}", f"{name} says marzipan.", client_id="c", **who)])
    verdict = a_verdict(f"ver_{name}", turn_id=f"turn_{name}", record_ids=(f"rec_{name}",), **who)
    record = a_record(f"rec_{name}", f"Likes {name} marzipan.", derived_from=(f"turn_{name}",), **who)
    vectors = {f"rec_{name}": a_vector(1)}
    store.apply(adds(record, reach=reach, verdicts=[verdict], model="m", vectors=vectors, captured=[f"turn_{name}"]))
    store.put_vectors(Corpus.TURNS, reach, "m", {f"turn_{name}": a_vector(0, 1)})
    candidates = (Scored(f"rec_{name}", Corpus.RECORDS, 1, 1), Scored(f"turn_{name}", Corpus.TURNS, 1, 1))
    given = {"candidates": candidates, "returned": (f"rec_{name}",), "injected": ()}
    store.put_trace(a_trace(f"tra_{name}", tenant=tenant, subjects=(subject,), **given))
    store.set_thread(reach, "thread_1", title="Sweets")
    store.put_summary(reach, "thread_1", a_summary(f"turn_{name}"), at=NOW, after=0)
    store.put_token_counts(reach, "t", {f"turn_{name}": 5})
    store.put_checkpoint(reach, "run_1", 1, {"plan": "marzipan"}, status=RunStatus.RUNNING, at=NOW)


def _everything(*subjects: str, reach: Any = REACH) -> Erasure:
    return Erasure(batch=a_batch(reach=reach), subjects=subjects or reach.subjects)


class ErasingConformance(Conformance):
    """See the module."""

    def test_of_an_erased_subject_nothing_stays_and_others_are_untouched(self, store: Store) -> None:
        _peopled(store)
        _peopled(store, subject="user:bob")
        before = store.check().counts
        done = store.erase(_everything())
        expected = dict.fromkeys("records turns events verdicts traces summaries threads checkpoints".split(), 1)
        assert done.counts == expected | {"record_vectors": 1, "turn_vectors": 1}
        assert store.check().counts == {name: count // 2 for name, count in before.items()}
        assert store.check().faults == ()
        rows: list[object] = [*store.get(REACH, ["rec_ana"]), *store.turns(REACH, ["turn_ana"]), *store.threads(REACH)]
        rows += [*store.thread(REACH, "thread_1"), *store.events(REACH, "rec_ana"), *store.verdicts(REACH), *store.traces(REACH)]
        assert [*rows, store.summary(REACH, "thread_1"), store.checkpoint(REACH, "run_1")] == [None, None]
        assert store.epochs(REACH) == {"user:ana": 0}
        assert ids(store.thread(OTHER_SUBJECT, "thread_1")) == ["turn_bob"]
        assert [trace.query for trace in store.traces(OTHER_SUBJECT)] == [a_trace().query]
        assert store.token_counts(OTHER_SUBJECT, "thread_1", "t") == {"turn_bob": 5}

    def test_a_subject_of_the_same_name_begins_anew(self, store: Store) -> None:
        _peopled(store)
        view = View(reach=REACH)
        assert ids(store.select(view)) == ["rec_ana"]
        store.erase(_everything())
        assert store.select(view) == []
        _peopled(store)
        assert ids(store.select(view)) == ["rec_ana"]
        assert store.nearest(view, Corpus.TURNS, "m", a_vector(0, 1), limit=9) == [("turn_ana", 1.0)]
        assert [turn.seq for turn in store.thread(REACH, "thread_1")] == [1]
        assert store.check().faults == ()

    def test_only_subjects_of_the_reach_are_erased(self, store: Store) -> None:
        _peopled(store)
        for reach in (OTHER_SUBJECT, OTHER_TENANT):
            assert store.erase(_everything("user:ana" if reach is OTHER_SUBJECT else "user:x", reach=reach)).counts == {}
            with pytest.raises(NotFound):
                store.erase(Erasure(batch=a_batch(reach=reach), turns=["turn_ana"]))
        assert ids(store.select(View(reach=REACH))) == ["rec_ana"]

    def test_a_trace_that_looked_at_others_too_stays_without_words(self, store: Store) -> None:
        _peopled(store)
        _peopled(store, subject="user:bob")
        seen = (Scored("rec_ana", Corpus.RECORDS, 1, 1), Scored("rec_bob", Corpus.RECORDS, 1, 1))
        shared = a_trace("t", subjects=BOTH.subjects, candidates=seen, returned=("rec_ana", "rec_bob"), injected=("rec_ana",))
        store.put_trace(shared)
        assert store.erase(_everything()).emptied == {"traces": 1}
        left = store.trace(OTHER_SUBJECT, "t")
        assert left is not None
        assert (left.query, left.terms, left.subjects, left.injected) == ("", (), ("user:bob",), ())
        assert ([one.id for one in left.candidates], left.returned) == (["rec_bob"], ("rec_bob",))

    def test_an_erased_turn_takes_what_was_made_of_its_words(self, store: Store) -> None:
        _peopled(store)
        store.append([a_turn("t2", "Something else.")])
        done = store.erase(Erasure(batch=a_batch(), turns=["turn_ana"]))
        assert done.counts == {"turns": 1, "turn_vectors": 1, "verdicts": 1, "summaries": 1}
        assert done.emptied == {"traces": 1}
        assert ids(store.thread(REACH, "thread_1")) == ["t2"]
        assert store.lexical(View(reach=REACH), Corpus.TURNS, ["marzipan"]).ids in ((), [])
        assert store.verdicts(REACH) == []
        assert store.summary(REACH, "thread_1") is None
        trace = store.trace(REACH, "tra_ana")
        assert trace is not None
        assert (trace.query, trace.terms, [one.id for one in trace.candidates]) == ("", (), ["rec_ana"])
        assert store.check().faults == ()

    def test_turns_after_a_gap_are_numbered_on(self, store: Store) -> None:
        store.append([a_turn(f"t{n}") for n in range(3)])
        store.erase(Erasure(batch=a_batch(), turns=["t1"]))
        (appended,) = store.append([a_turn("t3")])
        assert appended.turn.seq == 4
        assert [(turn.id, turn.seq) for turn in store.thread(REACH, "thread_1")] == [("t0", 1), ("t2", 3), ("t3", 4)]
        assert ids(store.neighbours(REACH, "t2", 1)) == ["t2", "t3"]

    def test_a_trace_of_before_the_erasure_of_a_turn_is_kept_without_words(self, store: Store) -> None:
        _peopled(store)
        store.erase(Erasure(batch=a_batch(), turns=["turn_ana"]))
        store.put_trace(a_trace("late", candidates=(Scored("turn_ana", Corpus.TURNS, 1, 1),), returned=(), injected=()))
        late = store.trace(REACH, "late")
        assert late is not None
        assert (late.query, late.candidates) == ("", ())

    def test_a_thread_loses_its_title_its_questions_and_its_runs(self, store: Store) -> None:
        _peopled(store)
        store.fork(REACH, "thread_1", "thread_2", upto=1)
        asked = {"candidates": (), "returned": (), "injected": ()}
        store.put_trace(a_trace("here", origin=Origin(thread="thread_1"), **asked))
        store.put_trace(a_trace("there", origin=Origin(thread="thread_2"), **asked))
        erasure = Erasure(
            batch=a_batch(),
            turns=["turn_ana"],
            threads=[("user:ana", "thread_1")],
            runs=[("user:ana", "run_1"), ("user:ana", "run_2")],
        )
        done = store.erase(erasure)
        assert (done.counts["threads"], done.counts["checkpoints"]) == (1, 1)
        (fork,) = store.threads(REACH)
        assert (fork.id, fork.title, fork.forked_from, fork.forked_upto) == ("thread_2", "Sweets", None, 0)
        assert {trace.id: bool(trace.query) for trace in store.traces(REACH)} == {"tra_ana": False, "here": False, "there": True}

    def test_records_go_by_the_changes_of_the_batch(self, store: Store) -> None:
        _peopled(store)
        (old,) = store.get(REACH, ["rec_ana"])
        again = Add(reason="what is left", record=a_record("rec_ana", "Likes nuts.", derived_from=("t2",), version=old.version))
        done = store.erase(Erasure(batch=a_batch(Erase(reason="", id="rec_ana"), again), turns=["turn_ana"]))
        assert (done.counts["records"], done.counts["record_vectors"]) == (1, 1)
        assert [record.statement for record in store.get(REACH, ["rec_ana"])] == ["Likes nuts."]
        assert [event.after and event.after.statement for event in store.events(REACH, "rec_ana")] == [None, None, "Likes nuts."]

    def test_turns_to_be_read_again_are_pending(self, store: Store) -> None:
        _peopled(store)
        store.erase(Erasure(batch=a_batch(reread=["turn_ana", "no_turn"])))
        (turn,) = store.pending(limit=9)
        assert (turn.id, turn.state, turn.tries) == ("turn_ana", CaptureState.PENDING, 0)

    def test_withheld_turns_take_the_summaries_of_their_threads_and_are_captured_no_more(self, store: Store) -> None:
        _peopled(store)
        store.append([a_turn("t2")])
        store.apply(a_batch(withheld=["turn_ana", "t2", "no_turn"]))
        assert [turn.state for turn in store.thread(REACH, "thread_1")] == [CaptureState.QUARANTINED] * 2
        assert store.summary(REACH, "thread_1") is None
        assert store.pending(limit=9) == []
        with pytest.raises(StaleRead):
            store.apply(a_batch(captured=["t2"]))
        store.apply(a_batch(withheld=["turn_bob"], reach=OTHER_SUBJECT))
        store.apply(a_batch(withheld=["turn_ana"], reread=["t2"], reach=OTHER_TENANT))
        assert store.check().faults == ()

    def test_a_record_is_recomputed_under_its_id(self, store: Store) -> None:
        first = a_record("r1", derived_from=("t1",))
        store.apply(adds(first))
        store.apply(a_batch(Merge(reason="", record=a_record("r1", "More words.", derived_from=("t1", "t2")))))
        (event,) = store.apply(a_batch(Recompute(reason="t2 lied", record=first, version=2)))
        (now,) = store.get(REACH, ["r1"])
        assert (event.type, event.after, now.version, now.statement) == (EventType.RECOMPUTED, now, 3, first.statement)
        assert (ids(store.made_from(REACH, ["t1"])), store.made_from(REACH, ["t2"])) == (["r1"], [])
        assert store.lexical(View(reach=REACH), Corpus.RECORDS, ["more"]).rows == ()
        with pytest.raises(VersionConflict):
            store.apply(a_batch(Recompute(reason="", record=first, version=1)))

    def test_a_rehearsal_counts_and_takes_nothing_away(self, store: Store) -> None:
        _peopled(store)
        before = store.check()
        told = store.erase(_everything(), rehearse=True, verify=True)
        assert told.scan is None
        assert (store.check(), store.epochs(REACH)) == (before, {"user:ana": 1})
        assert store.erase(_everything()).counts == told.counts

    def test_an_erasure_decided_on_old_rows_erases_nothing(self, store: Store) -> None:
        _peopled(store)
        stale = store.epochs(REACH)
        store.apply(a_batch(Edit(reason="", id="rec_ana", fields={"value": "x"})))
        with pytest.raises(StaleRead):
            store.erase(Erasure(batch=a_batch(epochs=stale), subjects=REACH.subjects))
        with pytest.raises(NotFound):
            store.erase(Erasure(batch=a_batch(), turns=["turn_ana", "no_turn"]))
        assert ids(store.turns(REACH, ["turn_ana"])) == ["turn_ana"]

    def test_numbers_of_events_grow_on_after_an_erasure(self, store: Store) -> None:
        first = store.apply(adds(a_record("a")))
        store.erase(_everything())
        second = store.apply(adds(a_record("b")))
        assert second[0].seq > first[0].seq
        assert ids(store.select(View(reach=REACH, known_at=NOW + DAY))) == ["b"]

    def test_what_was_made_from_a_row_is_found_in_any_subject_of_the_tenant(self, store: Store) -> None:
        store.append([a_turn("t1"), a_turn("t2")])
        store.append([a_turn("t1", tenant="globex")])
        mine = a_record("r1", derived_from=("t1",), status=Status.SUPERSEDED)
        bobs = a_record("r2", subject="user:bob", derived_from=("t1", "r1"))
        plain = a_record("r3")  # rests on its source alone
        store.apply(adds(mine, bobs, plain, reach=BOTH))
        store.apply(adds(a_record("r9", tenant="globex", derived_from=("t1",)), reach=OTHER_TENANT))
        assert ids(store.made_from(REACH, ["t1"])) == ["r1", "r2"]
        assert ids(store.made_from(REACH, ["r1", "t1", "t1"])) == ["r1", "r2"]
        assert ids(store.made_from(REACH, ["turn_1"])) == ["r3"]
        assert ids(store.made_from(REACH)) == ["r2"]
        assert ids(store.made_from(OTHER_SUBJECT, ["t1"])) == ["r2"]  # its own record tells of the source
        assert ids(store.made_from(OTHER_TENANT, ["t1"])) == ["r9"]
        assert store.made_from(REACH, ["t2", "nothing"]) == store.made_from(REACH, []) == []
        store.apply(a_batch(Merge(reason="", record=a_record("r1", "More.", derived_from=("t2",)))))
        assert ids(store.made_from(REACH, ["t2"])) == ids(store.made_from(REACH, ["t1"]))[:1] == ["r1"]
        store.apply(a_batch(Erase(reason="", id="r1")))
        assert store.made_from(REACH, ["t2"]) == []
