"""The journal: ``append``, ``turns``, ``thread``, ``neighbours``, ``pending``, ``fail_capture``."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from onrecord.errors import InvalidInput, NotFound, StaleRead
from onrecord.model.scope import Origin, Reach
from onrecord.model.turn import CaptureState, Role
from onrecord.ports import Store
from onrecord.testing.builders import NOW, REACH, a_batch, a_turn, a_verdict
from onrecord.testing.conformance.base import BOTH, OTHER_SUBJECT, OTHER_TENANT, Conformance, ids


class TurnConformance(Conformance):
    """See the module."""

    def test_a_turn_comes_back_as_it_was_said(self, store: Store) -> None:
        turn = a_turn(
            text="Grüße \0 東京 \u2029 \U0001f600",
            role=Role.TOOL,
            origin=Origin("planner", "run_1", "thread_1"),
            client_id="msg-1",
            payload={"content": [{"type": "text", "text": "\0"}]},
            metadata={"topic": "travel"},
        )
        (stored,) = store.append([turn])
        assert (stored.turn, stored.existing) == (replace(turn, seq=1), False)
        assert store.turns(REACH, ["turn_1"]) == [replace(turn, seq=1)]

    @pytest.mark.parametrize(
        "zone",
        [UTC, timezone(timedelta(hours=-9, minutes=-30)), timezone(timedelta(hours=5, minutes=45)), ZoneInfo("Asia/Tokyo")],
    )
    def test_a_turn_keeps_the_clock_of_its_speaker(self, store: Store, zone: timezone) -> None:
        said = datetime(2026, 3, 1, 23, 30, 0, 123456, tzinfo=zone)
        store.append([a_turn(at=said)])
        (turn,) = store.turns(REACH, ["turn_1"])
        assert (turn.at, turn.at.utcoffset()) == (said, said.utcoffset())
        assert turn.at.replace(tzinfo=None) == said.replace(tzinfo=None)

    def test_a_time_without_a_zone_is_refused(self, store: Store) -> None:
        naive = datetime(2026, 1, 1)  # noqa: DTZ001
        for turn in (a_turn(at=naive), a_turn(written_at=naive)):
            with pytest.raises(InvalidInput):
                store.append([turn])
        assert store.check().counts["turns"] == 0

    def test_turns_are_numbered_within_their_thread(self, store: Store) -> None:
        turns = [
            a_turn("t1"),
            a_turn("t2", thread="thread_2"),
            a_turn("t3"),
            a_turn("t4", subject="user:bob"),
            a_turn("t5", thread=None),
            a_turn("t6", thread=None),
        ]
        assert [done.turn.seq for done in store.append(turns)] == [1, 1, 2, 1, 1, 2]
        assert [done.turn.seq for done in store.append([a_turn("t7"), a_turn("t8", tenant="globex")])] == [3, 1]

    def test_appending_is_idempotent_by_client_id_within_a_thread(self, store: Store) -> None:
        first = store.append([a_turn("t1", client_id="msg-1")])[0].turn
        again = store.append([a_turn("t2", "other words", client_id="msg-1"), a_turn("t3", client_id="msg-2")])
        assert [(done.turn.id, done.existing) for done in again] == [("t1", True), ("t3", False)]
        assert again[0].turn == first
        within = store.append([a_turn("t4", client_id="msg-3"), a_turn("t5", client_id="msg-3")])
        assert [(done.turn.id, done.existing) for done in within] == [("t4", False), ("t4", True)]
        for other in (
            a_turn("t6", client_id="msg-1", thread="thread_2"),
            a_turn("t7", client_id="msg-1", thread=None),
            a_turn("t8", client_id="msg-1", subject="user:bob"),
            a_turn("t9", client_id="msg-1", tenant="globex"),
        ):
            assert store.append([other])[0].existing is False

    def test_turns_are_found_by_the_ids_of_the_caller_within_their_thread(self, store: Store) -> None:
        store.append([a_turn("t1", client_id="m1"), a_turn("t2", client_id="m2"), a_turn("t3")])
        store.append([a_turn("n1", client_id="m1", thread=None), a_turn("o1", client_id="m1", thread="thread_2")])
        store.append([a_turn("b1", client_id="m1", subject="user:bob")])
        assert ids(store.of_client(REACH, "thread_1", ["m2", "m9", "m1"])) == ["t2", "t1"]
        assert ids(store.of_client(REACH, None, ["m1", "m2"])) == ["n1"]
        assert ids(store.of_client(BOTH, "thread_1", ["m1"])) == ["t1", "b1"]
        assert store.of_client(REACH, "thread_1", []) == store.of_client(REACH, "", ["m1"]) == []
        assert store.of_client(OTHER_TENANT, "thread_1", ["m1"]) == []

    def test_a_second_turn_of_one_id_is_refused_and_the_whole_call_with_it(self, store: Store) -> None:
        store.append([a_turn("t1")])
        with pytest.raises(InvalidInput):
            store.append([a_turn("t2"), a_turn("t1")])
        assert ids(store.thread(REACH, "thread_1")) == ["t1"]
        assert store.append([a_turn("t1", tenant="globex")])[0].existing is False

    def test_a_turn_of_nobody_is_refused(self, store: Store) -> None:
        nobody = [a_turn(tenant=""), a_turn(subject=""), a_turn(subject="ana"), a_turn(tenant=" "), a_turn(text="\ud800")]
        for turn in nobody:
            with pytest.raises(InvalidInput):
                store.append([turn])
        assert store.check().counts["turns"] == 0

    def test_turns_come_in_the_order_asked_without_what_is_not_there(self, store: Store) -> None:
        store.append([a_turn("t1"), a_turn("t2"), a_turn("t3", subject="user:bob")])
        assert ids(store.turns(REACH, ["t2", "t0", "t3", "t1"])) == ["t2", "t1"]
        assert ids(store.turns(BOTH, ["t3", "t1"])) == ["t3", "t1"]
        assert store.turns(OTHER_TENANT, ["t1"]) == []

    def test_a_thread_is_in_order_and_can_be_cut_to_its_end(self, store: Store) -> None:
        store.append([a_turn(f"t{n}") for n in range(5)])
        store.append([a_turn("b1", subject="user:bob"), a_turn("o1", thread="thread_2"), a_turn("n1", thread=None)])
        assert ids(store.thread(REACH, "thread_1")) == ["t0", "t1", "t2", "t3", "t4"]
        assert ids(store.thread(REACH, "thread_1", last=2)) == ["t3", "t4"]
        assert ids(store.thread(REACH, "thread_1", last=0)) == []
        assert ids(store.thread(REACH, "thread_1", last=9)) == ["t0", "t1", "t2", "t3", "t4"]
        assert ids(store.thread(BOTH, "thread_1", last=9)) == ["t0", "b1", "t1", "t2", "t3", "t4"]
        assert ids(store.thread(BOTH, "thread_1", last=5)) == ["b1", "t1", "t2", "t3", "t4"]
        assert store.thread(OTHER_TENANT, "thread_1") == store.thread(REACH, "nothing") == store.thread(REACH, "") == []

    def test_neighbours_are_those_of_the_same_thread(self, store: Store) -> None:
        store.append([turn for n in range(5) for turn in (a_turn(f"t{n}"), a_turn(f"o{n}", thread="thread_2"))])
        assert ids(store.neighbours(REACH, "t2", 1)) == ["t1", "t2", "t3"]
        assert ids(store.neighbours(REACH, "t0", 2)) == ["t0", "t1", "t2"]
        assert ids(store.neighbours(REACH, "t4", 0)) == ["t4"]
        assert ids(store.neighbours(REACH, "t2", 1, after=0)) == ["t1", "t2"]
        assert ids(store.neighbours(REACH, "t1", 0, after=2)) == ["t1", "t2", "t3"]
        assert store.neighbours(REACH, "t9", 1) == store.neighbours(OTHER_SUBJECT, "t2", 1) == []

    def test_pending_turns_of_all_tenants_come_oldest_first(self, store: Store) -> None:
        store.append([a_turn("t1", written_at=NOW + timedelta(hours=2)), a_turn("t2", state=CaptureState.DONE)])
        store.append([a_turn("g1", tenant="globex", written_at=NOW + timedelta(hours=1)), a_turn("t3")])
        waiting = store.pending(limit=9)
        assert [(turn.tenant, turn.id) for turn in waiting] == [("acme", "t3"), ("globex", "g1"), ("acme", "t1")]
        assert ids(store.pending(limit=1)) == ["t3"]

    def test_pending_turns_of_a_reach_are_those_of_its_subjects_alone(self, store: Store) -> None:
        store.append([a_turn("t1", written_at=NOW + timedelta(hours=2)), a_turn("t2", state=CaptureState.DONE)])
        store.append([a_turn("b1", subject=BOTH.subjects[1], written_at=NOW + timedelta(hours=1)), a_turn("t3")])
        store.append([a_turn("g1", tenant="globex", written_at=NOW - timedelta(hours=1))])
        assert ids(store.pending(limit=9, reach=REACH)) == ["t3", "t1"]
        assert ids(store.pending(limit=1, reach=REACH)) == ["t3"]
        assert ids(store.pending(limit=9, reach=BOTH)) == ["t3", "b1", "t1"]
        assert store.pending(limit=0, reach=BOTH) == store.pending(limit=9, reach=Reach("acme", ("user:nobody",))) == []
        store.fail_capture(REACH, "t3", 1)
        store.apply(a_batch(captured=["t1"]))
        assert store.pending(limit=9, reach=REACH) == []

    def test_a_captured_turn_is_done(self, store: Store) -> None:
        store.append([a_turn("t1"), a_turn("t2")])
        store.apply(a_batch(captured=["t1"]))
        assert ids(store.pending(limit=9)) == ["t2"]
        assert store.turns(REACH, ["t1"])[0].state is CaptureState.DONE
        for foreign in (OTHER_SUBJECT, OTHER_TENANT):
            with pytest.raises(NotFound):
                store.apply(a_batch(captured=["t2"], reach=foreign))
        assert ids(store.pending(limit=9)) == ["t2"]

    def test_a_note_stays_with_its_turn_until_it_is_captured(self, store: Store) -> None:
        note = {"kind": "preference", "value": "é", "negation": False}
        store.append([a_turn("t1", note=note), a_turn("t2", note={}), a_turn("t3")])
        assert [turn.note for turn in store.pending(limit=9)] == [note, {}, None]
        assert store.fail_capture(REACH, "t1", 1).note == note
        store.apply(a_batch(captured=["t1", "t2"]))
        assert [turn.note for turn in store.turns(REACH, ["t1", "t2", "t3"])] == [None, None, None]
        assert store.append([a_turn("t4", client_id="c", note=note)])[0].turn.note == note
        assert store.fork(REACH, "thread_1", "thread_2", upto=9).turns == 4
        assert {turn.note for turn in store.thread(REACH, "thread_2")} == {None}

    def test_a_note_that_is_no_json_is_refused(self, store: Store) -> None:
        with pytest.raises(InvalidInput):
            store.append([a_turn("t1", note={"value": object()})])
        assert store.pending(limit=9) == []

    def test_of_two_who_capture_one_turn_the_second_writes_nothing(self, store: Store) -> None:
        store.append([a_turn("t1"), a_turn("t2")])
        store.apply(a_batch(captured=["t1"], verdicts=[a_verdict("v1", accepted=False)]))
        for again in (["t1"], ["t2", "t1"]):
            with pytest.raises(StaleRead):
                store.apply(a_batch(captured=again, verdicts=[a_verdict("v2", accepted=False)]))
        assert [verdict.id for verdict in store.verdicts(REACH)] == ["v1"]
        assert ids(store.pending(limit=9)) == ["t2"]

    def test_a_turn_that_fails_too_often_is_parked(self, store: Store) -> None:
        store.append([a_turn("t1")])
        failed = store.fail_capture(REACH, "t1", 2)
        assert (failed.tries, failed.state) == (1, CaptureState.PENDING)
        failed = store.fail_capture(REACH, "t1", 2)
        assert (failed.tries, failed.state) == (2, CaptureState.PARKED)
        assert store.turns(REACH, ["t1"]) == [failed]
        assert store.pending(limit=9) == []
        for reach, id in ((REACH, "t0"), (OTHER_SUBJECT, "t1"), (OTHER_TENANT, "t1")):
            with pytest.raises(NotFound):
                store.fail_capture(reach, id, 2)
