"""cross_tenant_read, ownership_by_id, filter_ignored: nobody sees or touches another's memory, and every filter counts.

B011 (the write and the read path derive the scope from one credential, over REST and MCP) comes with the servers, and so do the
parts of B012 and B014 that are about request bodies and status codes.
"""

from __future__ import annotations

import copy
from itertools import chain, combinations
from typing import Any

import pytest

from onrecord.errors import InvalidInput, NotFound, StoreError
from onrecord.memory import Memory
from onrecord.model.record import Status
from onrecord.model.scope import Reach
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.providers.scripted import SteppingClock
from onrecord.testing.faults import faulty


def texts(memory: Memory, query: str, **where: Any) -> set[str]:
    return {hit.text for hit in memory.search(query, **where).hits}


def test_no_leg_of_a_search_shows_another_persons_words(real: Memory) -> None:
    """B001"""
    real.add("The greenhouse needs two keys", user_id="u1", session_id="s", infer=False)
    real.add("The greenhouse is painted blue", user_id="u2", session_id="s", infer=False)
    found = real.search("greenhouse", user_id="u1", session_id="s", limit=50, threshold=0.0)
    assert {hit.text for hit in found.hits} == {"The greenhouse needs two keys"}
    others = {record.id for record in real.get_all(user_id="u2")}
    others |= {turn.id for turn in real.session("s", user_id="u2").turns()}
    assert others.isdisjoint(candidate.id for candidate in found.trace.candidates)
    assert all(turn.subject == "user:u1" for hit in found.hits for turn in hit.neighbours)
    assert "blue" not in repr(real.context("greenhouse", user_id="u1", session_id="s"))
    assert "blue" not in repr(real.search("greenhouse", user_id="u1", subjects=["team:a"], limit=50, threshold=0.0))


def test_a_question_to_one_space_is_answered_from_that_space_alone(memory: Memory) -> None:
    """B003"""
    for n, code in enumerate(("Larkspur", "Foxglove")):
        memory.remember(f"The project codename of phase {n} is {code}.", subject="project:a")
    for n in range(5):
        memory.remember(f"The project codename of section {n} is Thistle{n}.", subject="project:c")
    assert len(texts(memory, "project codename", subject="project:a", limit=50)) == 2
    empty = memory.search("project codename", subject="project:b", threshold=0.0)
    assert (empty.hits, empty.trace.candidates) == ((), ())
    assert "codename of" not in repr(memory.context("project codename", subject="project:b").messages[:-1])


def test_turns_of_two_open_handles_are_stored_once_and_where_they_were_said(memory: Memory) -> None:
    """B006"""
    handles = [memory.session(f"s-{who}", user_id=who) for who in ("u1", "u2")]
    for n in range(10):
        for handle in handles:
            handle.add(f"Turn {n} of {handle.id}.")
    for who, handle in zip(("u1", "u2"), handles, strict=True):
        assert [turn.text for turn in handle.turns()] == [f"Turn {n} of s-{who}." for n in range(10)]
        assert {turn.subject for turn in handle.turns()} == {f"user:{who}"}
    assert memory.engine.store.check().counts["turns"] == 20


@pytest.mark.parametrize("order", [("s1", "s2"), ("s2", "s1"), ("s1", "s2", "s1")])
def test_a_session_sees_its_own_whichever_was_asked_first(memory: Memory, order: tuple[str, ...]) -> None:
    """B007"""
    for session in ("s1", "s2"):
        memory.add(f"Locker of {session} holds a kayak", user_id="u", session_id=session, infer=False)
    filters: dict[str, Any] = {"AND": [{"author": "u"}, {"NOT": {"author": "x"}}]}
    kept = copy.deepcopy(filters)
    for session in order:
        found = texts(memory, "locker kayak", user_id="u", session_id=session, filters=filters)
        assert found == {f"Locker of {session} holds a kayak"}
    assert filters == kept


def test_equal_agent_names_in_two_workspaces_never_mix(memory: Memory) -> None:
    """B009"""
    for space, day in (("project:crew1", "3 May"), ("project:crew2", "9 July")):
        memory.add(f"The deadline is {day}", subject=space, agent_id="planner", infer=False)
    for space, day in (("project:crew1", "3 May"), ("project:crew2", "9 July")):
        assert texts(memory, "deadline", subject=space, agent_id="planner", threshold=0.0) == {f"The deadline is {day}"}
    assert texts(memory, "deadline", agent_id="planner", threshold=0.0) == set()


def test_a_failed_write_never_falls_back_to_somebody_elses_memory(memory: Memory) -> None:
    """B010"""
    memory.add("The greenhouse needs two keys", user_id="u1", infer=False)
    store = faulty(memory.engine.store, lambda n, name: name == "append")
    broken = Memory(store=store, embedder=HashingEmbedder(), clock=memory.engine.clock)
    with pytest.raises(StoreError):
        broken.add("The greenhouse needs two keys", user_id="u10", infer=False)
    for one in (broken, memory):
        assert one.search("The greenhouse needs two keys", user_id="u10", threshold=0.0).hits == ()
        assert one.get_all(user_id="u10", statuses=list(Status)) == []


def test_who_knows_an_id_of_another_can_do_nothing_with_it(memory: Memory) -> None:
    """B012"""
    mine = memory.remember("The alarm pattern is the letter Z.", user_id="u1").records[0]
    answers = []
    for id in (mine.id, "rec_00000000000000000000000000_0"):
        with pytest.raises(NotFound) as error:
            memory.delete(id, user_id="u2")
        answers.append(str(error.value).replace(id, "ID"))
    assert answers[0] == answers[1]
    assert memory.get(mine.id, user_id="u1") == mine


def test_ids_and_owners_in_a_request_never_widen_it(memory: Memory) -> None:
    """B014"""
    theirs = memory.remember("The alarm pattern is the letter Z.", user_id="u1").records[0]
    mine = memory.remember("The alarm pattern is a circle.", user_id="u2").records[0]
    assert [r.id for r in memory.engine.store.get(Reach("default", ("user:u2",)), [theirs.id, mine.id])] == [mine.id]
    wrong: list[dict[str, Any]] = [{"tenant": "t1"}, {"tenant_id": "t1"}, {"subject_": "x"}, {"id_": theirs.id}, {"user": "u1"}]
    for fields in wrong:
        with pytest.raises(InvalidInput):
            memory.update(mine.id, user_id="u2", **fields)
    assert memory.get(mine.id, user_id="u2") == mine
    assert texts(memory, "alarm pattern", user_id="u2", filters={"subject": "user:u1"}, threshold=0.0) == set()


def test_a_filter_by_kind_leaves_that_kind_alone(memory: Memory) -> None:
    """B016"""
    memory.remember("Book the ferry to Samso.", user_id="u", kind="decision")
    for n in range(3):
        memory.remember(f"The ferry to Samso has {n + 2} decks.", user_id="u")
    assert texts(memory, "ferry to Samso", user_id="u", kinds=["decision"], limit=5) == {"Book the ferry to Samso."}
    assert len(texts(memory, "ferry to Samso", user_id="u", include="records", limit=5)) == 4


TRUE = {"user_id": "u1", "agent_id": "a1", "run_id": "r1", "session_id": "s1"}
SUBSETS = [c for n in range(5) for c in combinations(TRUE, n) if "user_id" in c]


@pytest.mark.parametrize("named", SUBSETS, ids=["+".join(c) for c in SUBSETS])
def test_a_row_is_found_by_every_true_combination_of_ids_and_by_none_with_one_wrong(
    memory: Memory, named: tuple[str, ...]
) -> None:
    """B018, B019 (on each store)"""
    memory.add("The locker holds a kayak", infer=False, **TRUE)  # type: ignore[arg-type]
    where: dict[str, Any] = {name: TRUE[name] for name in named}
    for include in ("records", "episodes"):
        assert texts(memory, "locker kayak", include=include, **where) == {"The locker holds a kayak"}
    assert len(memory.get_all(**where)) == 1
    for name in named:
        wrong = {**where, name: "other"}
        assert texts(memory, "locker kayak", threshold=0.0, **wrong) == set()
        assert memory.get_all(**wrong) == []


def test_standing_rules_apply_whatever_tags_they_carry(memory: Memory, clock: SteppingClock) -> None:
    """B021"""
    tagged = "Always write dates like 3 May."
    plain = "Never promise a refund."
    memory.remember(tagged, user_id="u", kind="constraint", pinned=True, metadata={"tags": ["style"]})
    memory.remember(plain, user_id="u", kind="constraint", pinned=True)
    shown = str(memory.context("Write to the customer.", user_id="u").messages)
    assert tagged in shown
    assert plain in shown

    def listed(filters: dict[str, Any] | None) -> set[str]:
        return {record.statement for record in memory.get_all(user_id="u", filters=filters)}

    assert listed(None) == {tagged, plain}
    assert listed({"tags": {"contains": "style"}}) == {tagged}
    assert listed({"tags": {"contains": "other"}}) == set()
    assert listed({"tags": None}) == listed({"tags": {"exists": False}}) == {plain}


FILTERS: list[tuple[dict[str, Any], set[int]]] = [
    ({"n": 1}, {1}),
    ({"n": {"ne": 1}}, {0, 2, 3}),
    ({"n": {"gt": 1}}, {2, 3}),
    ({"n": {"gte": 1, "lt": 3}}, {1, 2}),
    ({"n": {"lte": 0}}, {0}),
    ({"n": {"in": [0, 3]}}, {0, 3}),
    ({"n": {"nin": [0, 3]}}, {1, 2}),
    ({"odd": {"exists": True}}, {1, 3}),
    ({"odd": None}, {0, 2}),
    ({"tags": {"contains": "t2"}}, {2}),
    ({"OR": [{"n": 0}, {"n": 2}]}, {0, 2}),
    ({"AND": [{"odd": True}, {"n": {"gt": 1}}]}, {3}),
    ({"NOT": {"n": 0}}, {1, 2, 3}),
    ({"value": "v2"}, {2}),
    ({"pinned": True}, {3}),
    ({"qualifier": "at work"}, {0}),
]


@pytest.mark.parametrize(("filters", "expected"), FILTERS, ids=[str(f) for f, _ in FILTERS])
def test_every_documented_filter_changes_the_answer(memory: Memory, filters: dict[str, Any], expected: set[int]) -> None:
    """B016: of every filter there is a test in which ignoring it changes the result."""
    for n in range(4):
        own = {"n": n, "tags": [f"t{n}"], **({"odd": True} if n % 2 else {})}
        memory.remember(
            f"Kayak {n} is in locker {n * 7}.",
            user_id="u",
            value=f"v{n}",
            pinned=n == 3,
            qualifier="at work" if n == 0 else None,
            metadata=own,
        )
    wanted = {f"Kayak {n} is in locker {n * 7}." for n in expected}
    assert texts(memory, "kayak locker", user_id="u", include="records", filters=filters) == wanted
    assert {record.statement for record in memory.get_all(user_id="u", filters=filters)} == wanted
    assert len(list(chain(memory.get_all(user_id="u")))) == 4
