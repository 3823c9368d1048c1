"""Verdicts, traces, and what an erasure leaves of them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from onrecord.errors import InvalidInput
from onrecord.model.change import Add, Edit, Erase, EventType, Flag, Supersede
from onrecord.model.moment import EPOCH
from onrecord.model.query import Corpus, View
from onrecord.model.record import Status
from onrecord.model.scope import Origin, Reach
from onrecord.model.trace import Period, Scored
from onrecord.model.verdict import Reason
from onrecord.ports import Store
from onrecord.testing.builders import NOW, REACH, TENANT, a_batch, a_record, a_trace, a_turn, a_vector, a_verdict, adds
from onrecord.testing.conformance.base import BOTH, OTHER_SUBJECT, OTHER_TENANT, Conformance

DAY = timedelta(days=1)


class AccountConformance(Conformance):
    """See the module."""

    def test_verdicts_come_back_newest_first(self, store: Store) -> None:
        first, refused = (
            a_verdict("v1"),
            a_verdict("v2", accepted=False, reason=Reason.MOOD, kind=None, record_ids=(), turn_id="t2"),
        )
        later, foreign = a_verdict("v0", at=NOW + DAY, record_ids=("rec_1", "rec_2")), a_verdict("v3", subject="user:bob")
        store.apply(a_batch(verdicts=[first, refused, later, foreign], reach=BOTH))
        assert store.verdicts(REACH) == [later, refused, first]
        assert store.verdicts(REACH, limit=1) == [later]
        assert store.verdicts(REACH, accepted=False) == [refused]
        assert store.verdicts(REACH, accepted=True) == [later, first]
        assert store.verdicts(REACH, turn_id="t2") == [refused]
        assert store.verdicts(REACH, record_id="rec_2") == [later]
        assert store.verdicts(REACH, record_id="rec_1", turn_id="turn_1", limit=1) == [later]
        assert store.verdicts(REACH, record_id="rec_1", turn_id="t2") == []
        assert store.verdicts(BOTH) == [later, foreign, refused, first]
        assert store.verdicts(OTHER_SUBJECT, record_id="rec_1") == [foreign]
        assert store.verdicts(OTHER_TENANT) == []

    def test_verdicts_on_many_turns_come_by_turn_all_of_them_newest_first(self, store: Store) -> None:
        many = [a_verdict(f"v{n:03d}", at=NOW + n * DAY) for n in range(120)]
        other, foreign = a_verdict("w1", turn_id="t2"), a_verdict("w2", turn_id="t2", subject="user:bob")
        store.apply(a_batch(verdicts=[*many, other, foreign, a_verdict("w3", turn_id=None)], reach=BOTH))
        assert store.verdicts_on(REACH, ["t2", "turn_1", "t2", "nothing"]) == {"turn_1": many[::-1], "t2": [other]}
        assert store.verdicts_on(BOTH, ["t2"]) == {"t2": [foreign, other]}
        assert store.verdicts_on(REACH, []) == store.verdicts_on(OTHER_TENANT, ["turn_1", "t2"]) == {}

    def test_verdict_ids_are_unique_per_tenant(self, store: Store) -> None:
        store.apply(a_batch(verdicts=[a_verdict()]))
        with pytest.raises(InvalidInput):
            store.apply(a_batch(verdicts=[a_verdict("v2"), a_verdict()]))
        store.apply(a_batch(verdicts=[a_verdict(tenant="globex")], reach=OTHER_TENANT))
        assert len(store.verdicts(REACH)) == len(store.verdicts(OTHER_TENANT)) == 1

    def test_events_of_a_database_have_one_growing_number(self, store: Store) -> None:
        one = store.apply(adds(a_record("a"), a_record("b")))
        two = store.apply(adds(a_record("a", tenant="globex"), reach=OTHER_TENANT))
        three = store.apply(a_batch(Edit(reason="", id="a", fields={"value": "x"})))
        seqs = [event.seq for event in [*one, *two, *three]]
        assert seqs == sorted(set(seqs))
        assert [event.seq for event in store.events(REACH, "a")] == [one[0].seq, three[0].seq]

    def test_a_trace_comes_back_and_is_replaced_by_one_of_the_same_id(self, store: Store) -> None:
        period = Period(NOW - DAY, NOW)
        built: dict[str, Any] = {
            "message": "and by whom?",
            "built_from": ("turn_1", "turn_2"),
            "periods": (period, Period(EPOCH, NOW)),
        }
        trace = a_trace(origin=Origin("planner", None, "thread_1"), **built)
        store.put_trace(trace)
        assert store.trace(REACH, "tra_1") == trace
        again = a_trace(query="again", returned=("rec_2",), injected=(), at=NOW + DAY)
        store.put_trace(again)
        assert store.traces(REACH) == [again]
        assert store.traces(REACH, record_id="rec_1") == []
        assert store.traces(REACH, record_id="rec_2") == [again]
        assert store.check().counts["traces"] == 1

    def test_traces_come_newest_first_and_only_with_all_their_subjects_in_reach(self, store: Store) -> None:
        mine, newer = a_trace("t1"), a_trace("t2", at=NOW + DAY, returned=(), injected=())
        both, foreign = a_trace("t3", subjects=("user:ana", "user:bob")), a_trace("t1", tenant="globex")
        for trace in (mine, newer, both, foreign):
            store.put_trace(trace)
        assert store.traces(REACH) == [newer, mine]
        assert store.traces(REACH, limit=1) == [newer]
        assert store.traces(BOTH) == [newer, both, mine]
        assert store.traces(REACH, record_id="rec_1") == [mine]
        assert store.traces(BOTH, record_id="rec_1") == [both, mine]
        assert store.traces(OTHER_SUBJECT) == []
        assert store.traces(OTHER_TENANT) == [foreign]
        assert store.trace(REACH, "t3") is None
        assert store.trace(BOTH, "t3") == both
        assert store.trace(REACH, "t9") is store.trace(OTHER_SUBJECT, "t1") is None

    def test_a_trace_of_nobody_is_refused(self, store: Store) -> None:
        for fields in ({"tenant": ""}, {"subjects": ()}, {"subjects": ("",)}):
            with pytest.raises(InvalidInput):
                store.put_trace(a_trace(**fields))

    def test_an_erased_record_leaves_a_tombstone_without_content(self, store: Store) -> None:
        store.apply(adds(a_record(), actor="ana", verdicts=[a_verdict()], model="m", vectors={"rec_1": a_vector(1)}))
        store.apply(a_batch(Edit(reason="secret", id="rec_1", fields={"value": "secret"})))
        store.apply(a_batch(Erase(reason="secret", id="rec_1"), actor="bob", now=NOW + DAY))
        events = store.events(REACH, "rec_1")
        assert [(e.type, e.actor, e.at) for e in events] == [
            (EventType.ADDED, "ana", NOW),
            (EventType.EDITED, "test", NOW),
            (EventType.ERASED, "bob", NOW + DAY),
        ]
        assert {(e.reason, e.before, e.after) for e in events} == {("", None, None)}
        assert store.get(REACH, ["rec_1"]) == store.select(View(reach=REACH, statuses=frozenset(Status))) == []
        assert store.usage(REACH, ["rec_1"]) == {}
        assert store.nearest(View(reach=REACH), Corpus.RECORDS, "m", a_vector(1), limit=9, also=["rec_1"]) == []
        counts = store.check().counts
        assert (counts["records"], counts["record_terms"], counts.get("record_vectors/m", 0), counts["events"]) == (0, 0, 0, 3)

    def test_an_erased_record_takes_its_words_out_of_verdicts(self, store: Store) -> None:
        about, other = a_verdict("v1", record_ids=("rec_1", "rec_2")), a_verdict("v2", record_ids=("rec_2",))
        store.apply(adds(a_record(), a_record("rec_2"), verdicts=[about, other]))
        store.apply(a_batch(Erase(reason="", id="rec_1"), verdicts=[a_verdict("v3")]))
        empty = {v.id: (v.statement, v.detail, v.reason) for v in store.verdicts(REACH)}
        assert empty == {
            "v1": ("", "", Reason.KEPT),
            "v2": ("Prefers email.", "She says so.", Reason.KEPT),
            "v3": ("", "", Reason.KEPT),
        }

    def test_an_erased_record_takes_the_question_out_of_traces_that_saw_it(self, store: Store) -> None:
        other = a_trace("t3", candidates=(Scored("rec_3", Corpus.RECORDS, 1, 1),), returned=("rec_3",), injected=())
        foreign = a_trace("t4", tenant="globex")
        for trace in (a_trace("t1", message="and how?"), a_trace("t2", subjects=("user:ana", "user:bob")), other, foreign):
            store.put_trace(trace)
        store.apply(adds(a_record(), a_record("rec_2")))
        store.apply(a_batch(Erase(reason="", id="rec_2")))
        for id in ("t1", "t2"):
            left = store.trace(BOTH, id)
            assert left is not None
            assert (left.query, left.message, left.terms) == ("", "", ())
            assert [c.id for c in left.candidates] == ["rec_1"]
            assert left.returned == ("rec_1",)
        assert store.trace(REACH, "t3") == other
        assert store.trace(OTHER_TENANT, "t4") == foreign

    def test_a_trace_of_before_an_erasure_is_kept_without_words(self, store: Store) -> None:
        store.apply(adds(a_record(), a_record("rec_2")))
        store.put_trace(a_trace("t1", injected=()))
        store.apply(a_batch(Erase(reason="", id="rec_2")))
        store.mark_injected(REACH, "t1", ["rec_1"])  # by a context that saw the trace as it was
        store.put_trace(a_trace("t2"))  # by a search that began before
        for id in ("t1", "t2"):
            left = store.trace(REACH, id)
            assert left is not None
            assert (left.query, left.terms, [c.id for c in left.candidates], left.injected) == ("", (), ["rec_1"], ("rec_1",))

    def test_a_trace_is_marked_only_with_all_its_subjects_in_reach(self, store: Store) -> None:
        store.put_trace(a_trace("t1", injected=()))
        for reach in (OTHER_SUBJECT, OTHER_TENANT):
            store.mark_injected(reach, "t1", ["rec_1"])
        assert store.trace(REACH, "t1") == a_trace("t1", injected=())
        assert store.traces(REACH, record_id="rec_2") == []
        store.mark_injected(REACH, "t1", ["rec_1", "rec_2"])
        store.mark_injected(REACH, "nothing", ["rec_1"])
        assert store.traces(REACH) == store.traces(REACH, record_id="rec_2") == [a_trace("t1", injected=("rec_1", "rec_2"))]

    def test_the_reason_of_a_change_goes_with_any_record_it_touched(self, store: Store) -> None:
        store.apply(adds(a_record(), a_record("rec_3")))
        store.apply(a_batch(Supersede(reason="phone, not email", old="rec_1", record=a_record("rec_2", "Prefers phone."))))
        store.apply(a_batch(Edit(reason="untouched", id="rec_3", fields={"value": "x"})))
        store.apply(a_batch(Erase(reason="", id="rec_1")))
        (added,) = store.events(REACH, "rec_2")
        assert (added.reason, added.after) == ("", store.get(REACH, ["rec_2"])[0])
        assert [event.reason for event in store.events(REACH, "rec_3")] == ["she said so", "untouched"]

    def test_erasing_one_side_ends_the_conflict(self, store: Store) -> None:
        store.apply(adds(a_record()))
        store.apply(a_batch(Flag(reason="", ids=("rec_1",), record=a_record("rec_2"))))
        events = store.apply(a_batch(Erase(reason="secret", id="rec_1")))
        assert [(e.type, e.record_id, e.reason) for e in events] == [
            (EventType.RESOLVED, "rec_2", ""),
            (EventType.ERASED, "rec_1", ""),
        ]
        assert [(r.id, r.status) for r in store.select(View(reach=REACH))] == [("rec_2", Status.ACTIVE)]

    def test_what_a_caller_changes_in_a_row_is_not_changed_in_the_store(self, store: Store) -> None:
        record, turn = a_record(metadata={"tags": ["a"]}), a_turn(payload={"content": ["a"]}, note={"kind": "goal"})
        view, thread = View(reach=REACH), str(turn.origin.thread)

        def rows() -> list[object]:
            events, turns = store.events(REACH, "rec_1"), [*store.turns(REACH, ["turn_1"]), *store.pending(limit=1)]
            turns += [*store.thread(REACH, thread), *store.neighbours(REACH, "turn_1", 1)]
            return [*store.get(REACH, ["rec_1"]), *store.select(view), *turns, *events, *store.traces(REACH)]

        given: list[object] = [*store.apply(adds(record)), *[done.turn for done in store.append([turn])]]
        store.put_trace(a_trace())
        before = repr(rows())
        for row in (*given, *rows()):
            _spoil(row)
            _spoil(getattr(row, "after", None))
        assert repr(rows()) == before

    def test_a_name_is_compared_code_point_by_code_point(self, store: Store) -> None:
        names = ["user:ana", "user:Ana", "user:an", "user:anaa", "user:%", "user:_na", "user:ána", "user:a\u0301na", "user:аna"]
        for n, name in enumerate(names):
            reach = Reach(TENANT, (name,))
            store.append([a_turn(f"t{n}", subject=name)])
            store.apply(a_batch(Add(reason="", record=a_record(f"r{n}", subject=name)), reach=reach))
        for n, name in enumerate(names):
            reach = Reach(TENANT, (name,))
            assert [turn.id for turn in store.thread(reach, "thread_1")] == [f"t{n}"]
            assert [record.id for record in store.select(View(reach=reach))] == [f"r{n}"]


def _spoil(row: object) -> None:
    """Changes what can be changed in a row that a store handed out."""
    held = [getattr(row, part, None) or {} for part in ("metadata", "payload", "note")]
    for part in [*held, *(scored.parts for scored in getattr(row, "candidates", ()))]:
        for value in part.values():
            if isinstance(value, list):
                value.append("b")
        part["more"] = 1.0
