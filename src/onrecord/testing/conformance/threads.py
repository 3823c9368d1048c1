"""Threads and runs: summaries, lists, names, forks, checkpoints."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from onrecord.errors import InvalidInput, NotFound, StaleRead, VersionConflict
from onrecord.model.query import Corpus
from onrecord.model.run import Checkpoint, RunStatus
from onrecord.model.thread import ThreadInfo
from onrecord.model.turn import CaptureState
from onrecord.ports import Store
from onrecord.testing.builders import NOW, REACH, SUBJECT, TENANT, a_summary, a_turn
from onrecord.testing.conformance.base import BOTH, OTHER_SUBJECT, OTHER_TENANT, Conformance, ids

HOUR = timedelta(hours=1)


class ThreadConformance(Conformance):
    """See the module."""

    # -- the archive

    def test_threads_that_nobody_wrote_to_go_to_the_archive_the_longest_idle_first(self, store: Store) -> None:
        for hours, thread in ((3, "b"), (1, "a"), (5, "c")):
            store.append([a_turn(f"t{hours}", thread=thread, written_at=NOW + hours * HOUR)])
        store.append([a_turn("x", thread="a", tenant="other", written_at=NOW), a_turn("y", thread=None, written_at=NOW)])
        store.set_thread(REACH, "b", title="Lyon")
        assert store.archive_idle(NOW, limit=9) == []
        done = store.archive_idle(NOW + 5 * HOUR, limit=2)
        assert [(info.tenant, info.id, info.archived) for info in done] == [("other", "a", True), (TENANT, "a", True)]
        assert [info.title for info in store.archive_idle(NOW + 5 * HOUR, limit=9)] == ["Lyon"]
        assert store.archive_idle(NOW + 5 * HOUR, limit=9) == []
        assert [info.id for info in store.threads(REACH)] == ["c"]
        assert {info.id for info in store.threads(REACH, archived=True)} == {"a", "b"}
        assert ids(store.thread(REACH, "a")) == ["t1"]

    def test_a_turn_brings_its_thread_back_and_the_same_one_again_does_not(self, store: Store) -> None:
        store.append([a_turn("t1", client_id="m1"), a_turn("o1", thread="thread_2")])
        for thread in ("thread_1", "thread_2"):
            store.set_thread(REACH, thread, title="kept", archived=True)
        store.append([a_turn("t1_again", client_id="m1")])
        assert store.threads(REACH) == []
        store.append([a_turn("t2")])
        assert [(info.id, info.title, info.archived) for info in store.threads(REACH)] == [("thread_1", "kept", False)]

    # -- sizes

    def test_sizes_of_turns_are_kept_for_each_counter(self, store: Store) -> None:
        store.append([a_turn("t1"), a_turn("t2"), a_turn("o1", thread="thread_2"), a_turn("b1", subject="user:bob")])
        assert store.token_counts(REACH, "thread_1", "a") == {}
        store.put_token_counts(REACH, "a", {"t1": 3, "t2": 4, "o1": 5, "b1": 6, "t9": 7})
        store.put_token_counts(REACH, "b", {"t1": 30})
        store.put_token_counts(REACH, "a", {"t2": 44})
        assert store.token_counts(REACH, "thread_1", "a") == {"t1": 3, "t2": 44}
        assert store.token_counts(REACH, "thread_1", "b") == {"t1": 30}
        assert store.token_counts(REACH, "thread_2", "a") == {"o1": 5}
        for reach, thread in ((OTHER_SUBJECT, "thread_1"), (OTHER_TENANT, "thread_1"), (REACH, "")):
            assert store.token_counts(reach, thread, "a") == {}
        assert store.check().faults == ()

    # -- summaries

    def test_a_summary_comes_back_as_it_was_put(self, store: Store) -> None:
        store.append([a_turn("t1"), a_turn("t2")])
        assert store.summary(REACH, "thread_1") is None
        made = a_summary("t1", "t2", text="Grüße \0 東京", over=True, carried=a_summary("t1").lines)
        store.put_summary(REACH, "thread_1", made, at=NOW, after=0)
        assert store.summary(REACH, "thread_1") == made
        for reach, thread in ((OTHER_SUBJECT, "thread_1"), (OTHER_TENANT, "thread_1"), (REACH, "thread_2"), (REACH, "")):
            assert store.summary(reach, thread) is None

    def test_a_summary_takes_the_place_of_the_one_it_was_made_from(self, store: Store) -> None:
        store.append([a_turn(f"t{n}") for n in range(1, 5)])
        store.put_summary(REACH, "thread_1", a_summary("t1", "t2"), at=NOW, after=0)
        newest = a_summary("t1", "t2", "t3", text="Never write to her.")
        for late in (0, 1, 3):
            with pytest.raises(StaleRead):
                store.put_summary(REACH, "thread_1", newest, at=NOW, after=late)
        store.put_summary(REACH, "thread_1", newest, at=NOW, after=2)
        assert store.summary(REACH, "thread_1") == newest
        assert store.threads(REACH)[0].covered == 3
        assert store.check().counts["summaries"] == 1

    def test_a_summary_covers_turns_of_its_thread_and_never_fewer(self, store: Store) -> None:
        store.append([a_turn("t1"), a_turn("t2"), a_turn("o1", thread="thread_2"), a_turn("b1", subject="user:bob")])
        for foreign in ("o1", "b1", "t9"):
            with pytest.raises(InvalidInput):
                store.put_summary(REACH, "thread_1", a_summary(foreign), at=NOW, after=0)
        store.put_summary(REACH, "thread_1", a_summary("t1", "t2"), at=NOW, after=0)
        with pytest.raises(InvalidInput):
            store.put_summary(REACH, "thread_1", a_summary("t1"), at=NOW, after=2)
        for reach in (OTHER_SUBJECT, OTHER_TENANT):
            with pytest.raises(InvalidInput):
                store.put_summary(reach, "thread_1", a_summary("t1"), at=NOW, after=0)

    # -- lists

    def test_threads_come_by_their_last_turn_newest_first(self, store: Store) -> None:
        store.append([a_turn("a1", thread="a", at=NOW), a_turn("b1", thread="b", at=NOW + HOUR), a_turn("n1", thread=None)])
        store.append([a_turn("a2", thread="a", at=NOW + 2 * HOUR), a_turn("x1", thread="x", subject="user:bob")])
        assert store.threads(REACH) == [
            ThreadInfo(id="a", tenant=TENANT, subject=SUBJECT, turns=2, last_at=NOW + 2 * HOUR),
            ThreadInfo(id="b", tenant=TENANT, subject=SUBJECT, turns=1, last_at=NOW + HOUR),
        ]
        assert [info.id for info in store.threads(BOTH)] == ["a", "b", "x"]
        assert store.threads(OTHER_TENANT) == []

    def test_one_thread_is_told_of_as_the_list_tells_of_it(self, store: Store) -> None:
        store.append([a_turn("a1", thread="a", at=NOW), a_turn("a2", thread="a", at=NOW + HOUR), a_turn("n1", thread=None)])
        assert store.thread_info(REACH, "a") == store.threads(REACH)[0]
        store.put_summary(REACH, "a", a_summary("a1"), at=NOW, after=0)
        away = store.set_thread(REACH, "a", title="Lyon", archived=True)
        assert store.thread_info(REACH, "a") == away
        for reach, thread in ((REACH, "b"), (REACH, ""), (OTHER_SUBJECT, "a"), (OTHER_TENANT, "a")):
            assert store.thread_info(reach, thread) is None

    def test_a_long_list_comes_in_pages(self, store: Store) -> None:
        store.append([a_turn(f"t{n}", thread=f"s{n}", at=NOW + n // 2 * HOUR) for n in range(7)])
        whole = [info.id for info in store.threads(REACH)]
        assert whole == ["s6", "s5", "s4", "s3", "s2", "s1", "s0"]
        paged: list[ThreadInfo] = []
        while page := store.threads(REACH, limit=2, after=paged[-1] if paged else None):
            paged += page
        assert [info.id for info in paged] == whole
        assert store.threads(REACH, limit=0) == []

    def test_a_thread_can_be_named_and_put_away(self, store: Store) -> None:
        store.append([a_turn("t1"), a_turn("o1", thread="thread_2")])
        named = store.set_thread(REACH, "thread_1", title="Trip to Łódź")
        assert (named.title, named.archived) == ("Trip to Łódź", False)
        away = store.set_thread(REACH, "thread_1", archived=True)
        assert (away.title, away.archived) == ("Trip to Łódź", True)
        assert store.threads(REACH, archived=True) == [away]
        assert [info.id for info in store.threads(REACH)] == ["thread_2"]
        assert ids(store.thread(REACH, "thread_1")) == ["t1"]
        assert store.set_thread(REACH, "thread_1", title="", archived=False) == replace(named, title="")

    def test_what_is_no_thread_of_the_caller_cannot_be_changed(self, store: Store) -> None:
        store.append([a_turn("t1"), a_turn("n1", thread=None)])
        for reach, thread in ((REACH, "thread_2"), (REACH, ""), (OTHER_SUBJECT, "thread_1"), (OTHER_TENANT, "thread_1")):
            with pytest.raises(NotFound):
                store.set_thread(reach, thread, title="x")
            with pytest.raises(NotFound):
                store.fork(reach, thread, "new", upto=1)
        for title in ("x" * 201, "a\0b", " a"):
            with pytest.raises(InvalidInput):
                store.set_thread(REACH, "thread_1", title=title)
        assert store.threads(REACH)[0].title == ""

    # -- forks

    def test_a_fork_holds_copies_of_the_turns_up_to_its_place(self, store: Store) -> None:
        said: list[dict[str, Any]] = [{"client_id": "c1"}, {"payload": {"content": "x"}, "metadata": {"a": 1}}, {}]
        store.append([a_turn(f"t{n}", f"word {n}", at=NOW + n * HOUR, **fields) for n, fields in enumerate(said, 1)])
        store.set_thread(REACH, "thread_1", title="Trip", archived=True)
        made = store.fork(REACH, "thread_1", "thread_2", upto=2)
        assert made == ThreadInfo(
            id="thread_2",
            tenant=TENANT,
            subject=SUBJECT,
            turns=2,
            last_at=NOW + 2 * HOUR,
            title="Trip",
            forked_from="thread_1",
            forked_upto=2,
        )
        source, copies = store.thread(REACH, "thread_1", last=None)[:2], store.thread(REACH, "thread_2")
        assert not {turn.id for turn in source} & {turn.id for turn in copies}
        plain = [replace(turn, id="", origin=source[0].origin, state=CaptureState.PENDING) for turn in copies]
        assert plain == [replace(turn, id="") for turn in source]
        assert {turn.state for turn in copies} == {CaptureState.DONE}
        assert store.turns(REACH, [copies[0].id]) == copies[:1]

    def test_a_fork_goes_its_own_way(self, store: Store) -> None:
        store.append([a_turn("t1", client_id="c1"), a_turn("t2")])
        store.fork(REACH, "thread_1", "thread_2", upto=9)
        store.append([a_turn("t3"), a_turn("f3", thread="thread_2"), a_turn("f4", client_id="c1", thread="thread_2")])
        assert [turn.seq for turn in store.thread(REACH, "thread_2")] == [1, 2, 3]
        assert ids(store.thread(REACH, "thread_1")) == ["t1", "t2", "t3"]
        assert len(store.unembedded(Corpus.TURNS, "m", limit=99)) == 6
        assert store.check().faults == ()

    def test_a_fork_needs_a_new_name_and_something_to_copy(self, store: Store) -> None:
        store.append([a_turn("t1"), a_turn("o1", thread="thread_2"), a_turn("b1", thread="thread_3", subject="user:bob")])
        for new, upto in (("thread_2", 1), ("thread_1", 1), ("thread_4", 0), ("", 1), ("a\0", 1)):
            with pytest.raises(InvalidInput):
                store.fork(REACH, "thread_1", new, upto=upto)
        assert store.fork(REACH, "thread_1", "thread_3", upto=1).turns == 1
        assert store.check().counts["turns"] == 4

    # -- runs

    def test_the_last_step_of_a_run_comes_back(self, store: Store) -> None:
        assert store.checkpoint(REACH, "run_1") is None
        store.put_checkpoint(REACH, "run_1", 1, {"plan": ["a", "\0"], "n": 1.5}, status=RunStatus.RUNNING, at=NOW)
        store.put_checkpoint(REACH, "run_1", 2, {"plan": None}, status=RunStatus.WAITING, at=NOW + HOUR)
        last = Checkpoint(run="run_1", step=2, state={"plan": None}, status=RunStatus.WAITING, at=NOW + HOUR)
        assert store.checkpoint(REACH, "run_1") == last
        assert store.check().counts["checkpoints"] == 1
        for reach, run in ((OTHER_SUBJECT, "run_1"), (OTHER_TENANT, "run_1"), (REACH, "run_2")):
            assert store.checkpoint(reach, run) is None

    def test_the_same_step_again_changes_nothing(self, store: Store) -> None:
        for at in (NOW, NOW + HOUR):
            store.put_checkpoint(REACH, "run_1", 1, {"b": 1, "a": 2}, status=RunStatus.RUNNING, at=at)
        last = store.checkpoint(REACH, "run_1")
        assert last is not None
        assert last.at == NOW

    def test_a_step_follows_the_one_before(self, store: Store) -> None:
        with pytest.raises(VersionConflict):
            store.put_checkpoint(REACH, "run_1", 2, {}, status=RunStatus.RUNNING, at=NOW)
        store.put_checkpoint(REACH, "run_1", 1, {"x": 1}, status=RunStatus.RUNNING, at=NOW)
        for step, state, status in ((1, {"x": 2}, "running"), (1, {"x": 1}, "waiting"), (3, {}, "running"), (0, {}, "running")):
            with pytest.raises(VersionConflict):
                store.put_checkpoint(REACH, "run_1", step, state, status=RunStatus(status), at=NOW)
        last = store.checkpoint(REACH, "run_1")
        assert last is not None
        assert (last.step, last.state) == (1, {"x": 1})

    def test_a_state_that_is_no_json_is_refused(self, store: Store) -> None:
        for state in ({"x": object()}, {"x": float("nan")}, {"x": "\ud800"}, [1]):
            with pytest.raises(InvalidInput):
                store.put_checkpoint(REACH, "run_1", 1, state, status=RunStatus.RUNNING, at=NOW)  # type: ignore[arg-type]
        assert store.checkpoint(REACH, "run_1") is None

    def test_a_dropped_run_is_gone_and_may_begin_anew(self, store: Store) -> None:
        for reach in (REACH, OTHER_SUBJECT, OTHER_TENANT):
            store.put_checkpoint(reach, "run_1", 1, {}, status=RunStatus.RUNNING, at=NOW)
        assert store.drop_run(REACH, "run_1") == 1
        assert store.drop_run(REACH, "run_1") == 0
        assert store.checkpoint(REACH, "run_1") is None
        assert store.checkpoint(OTHER_SUBJECT, "run_1") is not None
        assert store.checkpoint(OTHER_TENANT, "run_1") is not None
        store.put_checkpoint(REACH, "run_1", 1, {"new": True}, status=RunStatus.RUNNING, at=NOW)
