"""Two tenants and several subjects with hostile names: no method of one ever shows, counts or touches what is another's."""

from __future__ import annotations

import inspect
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from onrecord.errors import InvalidInput, NotFound
from onrecord.evals.isolation import PROBES
from onrecord.memory import Memory
from onrecord.model.receipt import Receipt
from onrecord.providers.embed.hashing import HashingEmbedder

HOSTILE = ["%", "_", "a", "a%", "ab", "a_", "A", "а", "á", "a'--", 'a"', "a:b", "*", "🦊", "x" * 195, "null", "0"]


#: Names no subject: acts on the whole file, and tells of records of its own tenant alone (``test_fading``).
#: Those of whoever runs the memory, which look at all of it.
_UNPROBED = {"close", "maintain", "undo", "import_from", "backup", "reembed"}


def test_every_public_method_is_probed() -> None:
    public = {n for n, _ in inspect.getmembers(Memory, inspect.isfunction) if not n.startswith("_")}
    assert public == {name for name in PROBES if "." not in name} | _UNPROBED


@pytest.mark.parametrize("method", PROBES)
def test_no_method_shows_or_changes_what_belongs_to_another_subject(memory: Memory, method: str) -> None:
    session = memory.session("shared", user_id="owner")
    session.add("The greenhouse needs two keys, both marked QX7.")
    session.rename("QX7")
    run = memory.run("shared", user_id="owner")
    run.values["keys"] = "QX7"
    run.checkpoint()
    record = memory.remember("The greenhouse needs two keys, both marked QX7.", user_id="owner").records[0]
    before = memory.why(record.id, user_id="owner")
    try:
        answer = PROBES[method](memory, {"user_id": "stranger"}, record.id)
    except NotFound as error:
        answer = str(error).replace(record.id, "")
    assert "QX7" not in repr(answer)
    assert record.id not in repr(answer)
    after = memory.why(record.id, user_id="owner")
    assert (after.record, after.events, len(session.turns())) == (before.record, before.events, 1)


@pytest.mark.parametrize("method", PROBES)
def test_the_same_name_in_another_tenant_is_another_subject(memory: Memory, method: str) -> None:
    other = Memory(store=memory.engine.store, tenant="other", embedder=HashingEmbedder())
    memory.session("shared", user_id="ana").add("The greenhouse needs two keys, both marked QX7.")
    record = memory.remember("The greenhouse needs two keys, both marked QX7.", user_id="ana").records[0]
    try:
        answer = PROBES[method](other, {"user_id": "ana"}, record.id)
    except NotFound as error:
        answer = str(error).replace(record.id, "")
    assert "QX7" not in repr(answer)
    assert memory.get(record.id, user_id="ana") == record


def test_a_foreign_id_and_a_made_up_one_get_the_same_answer(memory: Memory) -> None:
    record = memory.remember("The greenhouse needs two keys.", user_id="ana").records[0]
    for method in ("get", "history", "why", "delete"):
        with pytest.raises(NotFound) as foreign:
            PROBES[method](memory, {"user_id": "bo"}, record.id)
        with pytest.raises(NotFound) as made_up:
            PROBES[method](memory, {"user_id": "bo"}, "rec_00000000000000000000000000_0")
        assert str(foreign.value).replace(record.id, "ID") == str(made_up.value).replace("rec_00000000000000000000000000_0", "ID")


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["t1", "t%", "t_"]), st.sampled_from(HOSTILE), st.integers(0, 999)), min_size=1, max_size=8
    )
)
def test_hostile_names_never_meet(writes: list[tuple[str, str, int]]) -> None:
    memories = {tenant: Memory(":memory:", tenant=tenant, embedder=HashingEmbedder()) for tenant in ("t1",)}
    store = memories["t1"].engine.store
    memories |= {tenant: Memory(store=store, tenant=tenant, embedder=HashingEmbedder()) for tenant in ("t%", "t_")}
    expected: dict[tuple[str, str], set[str]] = {}
    for tenant, name, number in writes:
        statement = f"Locker {number} of {tenant} is for code K{number}{len(name)}."
        memories[tenant].remember(statement, user_id=name)
        expected.setdefault((tenant, name), set()).add(statement)
    for tenant, memory in memories.items():
        for name in HOSTILE:
            mine = expected.get((tenant, name), set())
            assert {record.statement for record in memory.get_all(user_id=name)} == mine
            assert {hit.text for hit in memory.search("Locker code", user_id=name, limit=50).hits} <= mine


@pytest.mark.parametrize("method", sorted(set(PROBES)))
@pytest.mark.parametrize("name", ["", " ", "\n", " ana", "x" * 500, "\ud800"])
def test_a_name_that_is_no_name_is_refused_by_every_method(memory: Memory, method: str, name: str) -> None:
    with pytest.raises(InvalidInput):
        PROBES[method](memory, {"user_id": name}, "rec_x")


def test_a_shared_subject_is_read_by_those_who_name_it(memory: Memory) -> None:
    memory.remember("The team ships on Thursdays.", subject="team:research")
    assert memory.search("When does the team ship?", user_id="ana", include="records").hits == ()
    shared = memory.search("When does the team ship?", user_id="ana", subjects=["team:research"], include="records")
    assert [hit.text for hit in shared.hits] == ["The team ships on Thursdays."]


def test_a_row_is_found_with_every_true_part_of_its_origin_and_with_no_wrong_one(memory: Memory) -> None:
    memory.add("I prefer window seats.", user_id="u1", agent_id="a1", run_id="r1")
    for agent in (None, "a1", "a2"):
        for run in (None, "r1", "r2"):
            found = memory.search("window seats", user_id="u1", agent_id=agent, run_id=run, include="records").hits
            listed = memory.get_all(user_id="u1", agent_id=agent, run_id=run)
            assert len(found) == len(listed) == (agent != "a2" and run != "r2")
    assert memory.get_all(user_id="u2", agent_id="a1", run_id="r1") == []
    assert memory.get_all(agent_id="a1", run_id="r1") == []  # an agent alone reads its own memory, not its users'


def test_two_workspaces_may_have_an_agent_of_the_same_name(memory: Memory) -> None:
    other = Memory(store=memory.engine.store, tenant="second", embedder=HashingEmbedder())
    memory.remember("The deadline is 3 May.", agent_id="planner", key="deadline", value="3 May")
    other.remember("The deadline is 9 July.", agent_id="planner", key="deadline", value="9 July")
    assert [h.text for h in memory.search("deadline", agent_id="planner", include="records").hits] == ["The deadline is 3 May."]
    assert [h.text for h in other.search("deadline", agent_id="planner", include="records").hits] == ["The deadline is 9 July."]


def test_a_search_leaves_the_callers_arguments_as_they_were(memory: Memory) -> None:
    filters: dict[str, Any] = {"OR": [{"topic": "a"}, {"topic": "b"}]}
    subjects = ["team:x"]
    memory.search("anything", user_id="ana", filters=filters, subjects=subjects)
    memory.search("anything", user_id="bo", filters=filters, subjects=subjects)
    assert filters == {"OR": [{"topic": "a"}, {"topic": "b"}]}
    assert subjects == ["team:x"]


def test_turns_of_two_handles_used_at_once_land_where_they_were_sent(memory: Memory) -> None:
    def say(who: str) -> list[Receipt]:
        session = memory.session("main", user_id=who)
        return [session.add(f"Locker {n} belongs to {who}.") for n in range(15)]

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(say, ["u1", "u2"]))
    for who in ("u1", "u2"):
        turns = memory.session("main", user_id=who).turns()
        assert [turn.text for turn in turns] == [f"Locker {n} belongs to {who}." for n in range(15)]
        assert [turn.seq for turn in turns] == list(range(1, 16))


def test_a_filter_that_is_ignored_would_change_every_one_of_these_answers(memory: Memory) -> None:
    memory.remember(
        "Book the ferry to Samso.", user_id="ana", kind="decision", key="ferry", value="samso", metadata={"topic": "trip"}
    )
    for n in range(3):
        memory.remember(f"The ferry has {n + 2} decks.", user_id="ana", metadata={"topic": "facts"})

    def ask(**narrow: Any) -> set[str]:
        return {hit.text for hit in memory.search("ferry", user_id="ana", include="records", **narrow).hits}

    assert len(ask()) == 4
    assert ask(kinds=["decision"]) == {"Book the ferry to Samso."}
    assert ask(key="ferry") == {"Book the ferry to Samso."}
    assert ask(filters={"topic": "trip"}) == {"Book the ferry to Samso."}
    assert ask(filters={"NOT": {"topic": "facts"}}) == {"Book the ferry to Samso."}
    assert len(ask(limit=2)) == 2
