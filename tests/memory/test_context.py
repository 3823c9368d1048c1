"""Contexts: everything at hand within a budget, in every shape, the beginning the same from turn to turn."""

from __future__ import annotations

import json
import random
import warnings
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.memory.test_session import FILLER, PARTS, history, say, talk
from tests.policy.test_frame import HOSTILE

from onrecord import BudgetTooSmall, InvalidInput, Memory, Session
from onrecord.model.context import Context, Preset, Section, Shape
from onrecord.model.record import Kind
from onrecord.pipeline.journal import journal, prepare
from onrecord.policy.address import address
from onrecord.policy.context.tools import TOOLS_OVERHEAD
from onrecord.policy.dialogue.frame import Tag, parse
from onrecord.policy.dialogue.messages import parse_messages
from onrecord.policy.dialogue.refusals import anthropic_faults, openai_faults
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.providers.tokens import BpeCounter

WHO: dict[str, Any] = {"user_id": "ana"}
TOOLS = [
    {"type": "function", "function": {"name": "book", "description": "Book a train.", "parameters": {"type": "object"}}},
    {
        "name": "look",
        "description": "Look a train up.",
        "input_schema": {"type": "object", "properties": {"to": {"type": "string"}}},
    },
]


@cache
def exact() -> BpeCounter:
    """The exact counter; its package loads its data in a way that is deprecated."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return BpeCounter()


def texts(made: Context) -> list[str]:
    """Every text of a context that is no system text, block by block."""
    found = []
    for message in made.messages:
        content = message["content"]
        if message["role"] != "system":
            found += [content] if isinstance(content, str) else [str(part.get("text", part)) for part in content or ()]
    return found


def blocks(made: Context) -> list[tuple[Tag, list[str]]]:
    return [(tag, [row.text for row in rows]) for text in texts(made) for tag, rows in parse(text)]


def filled(memory: Memory) -> Session:
    memory.remember("Never book a stop in Frankfurt.", kind="constraint", at=None, **WHO)
    memory.remember("My name is Ana Reis.", key="name", value="Ana Reis", **WHO)
    memory.remember("I prefer window seats on long flights.", kind="preference", **WHO)
    session = memory.session("s", **WHO)
    say(session, talk(12))
    say(memory.session("before", **WHO), [{"role": "user", "content": "The window seats of the night train were draughty."}])
    return session


def test_sections_stand_in_order_and_the_current_step_last(memory: Memory) -> None:
    session = filled(memory)
    run = memory.run("trip", **WHO)
    run.plan, run.values = ["find a train", "book it"], {"to": "Lyon"}
    run.checkpoint()
    session.compact(budget=session.tokens() // 3)
    made = session.context(
        "Which window seats on long flights do I prefer?", system="You book trains.", tools=TOOLS, run_id="trip"
    )
    told = [tag for tag, _ in blocks(made)]
    assert told == [Tag.MEMORY, Tag.STATE, Tag.MEMORY, Tag.EPISODES]
    assert made.messages[0] == {"role": "system", "content": "You book trains."}
    assert made.messages[1]["role"] == "user"
    assert str(made.messages[2]["content"]).startswith(Tag.SUMMARY.opening)
    assert made.messages[-1] == {"role": "user", "content": "Which window seats on long flights do I prefer?"}
    standing, state, records, episodes = (rows for _, rows in blocks(made))
    assert standing == ["Never book a stop in Frankfurt.", "My name is Ana Reis."]
    assert state[1:] == ["find a train", "book it", "Lyon"]
    assert records == ["I prefer window seats on long flights."]
    assert "The window seats of the night train were draughty." in episodes
    names = [section.name for section in made.report.sections]
    assert names == [s for s in Section if s in names]
    assert sum(section.tokens for section in made.report.sections) == made.report.tokens
    assert 0 < made.report.current_share < 0.5


def test_labels_name_what_each_row_shows(memory: Memory) -> None:
    session = filled(memory)
    made = session.context("Which window seats on long flights do I prefer?")
    rows = [row for text in texts(made) for _, found in parse(text) for row in found]
    assert {row.label for row in rows} == set(made.labels)
    for row in rows:
        if row.label[0] in "sr":
            assert memory.get(made.labels[row.label], **WHO).statement == row.text


def test_a_conflict_goes_in_with_both_sides_that_name_each_other(memory: Memory) -> None:
    for day in ("9", "10"):
        memory.add(f"My birthday is on {day} November.", **WHO)
    made = memory.context("When is my birthday?", **WHO)
    (rows,) = [rows for text in texts(made) for _, rows in parse(text)]
    assert [row.note("CONFLICTS with") for row in rows] == ["s2", "s1"]


def test_no_more_than_twelve_records_go_in_whatever_is_asked_for(memory: Memory) -> None:
    for n in range(20):
        memory.remember(f"The parcel number {n} goes to shelf {n * 7}.", **WHO)
    made = memory.context("Which shelf does each parcel go to?", limit=50, **WHO)
    assert sum(made.report.section(name).kept for name in ("standing", "records")) <= 12


def test_many_constraints_leave_places_for_what_is_asked(memory: Memory) -> None:
    for n in range(14):
        memory.remember(f"Never put crate {n} into hall {n * 3}.", kind="constraint", **WHO)
    memory.remember("I prefer window seats on long flights.", kind="preference", **WHO)
    made = memory.context("Which window seats on long flights do I prefer?", **WHO)
    standing, records = (rows for tag, rows in blocks(made) if tag is Tag.MEMORY)
    assert (len(standing), len(records)) == (8, 4)
    assert "I prefer window seats on long flights." in records


def test_constraints_come_before_anything_else_where_little_fits(memory: Memory) -> None:
    for n in range(5):
        memory.remember(f"I like tea of garden {n} with the sweet smell of spring and honey.", kind="preference", **WHO)
    memory.remember("Never serve tea with milk.", kind="constraint", **WHO)
    made = memory.context("Which tea do I like?", budget=190, **WHO)
    assert next(rows for _, rows in blocks(made)) == ["Never serve tea with milk."]


def test_records_with_hostile_words_come_back_exactly_from_the_whole_prompt(memory: Memory) -> None:
    said = [
        f"Note {n} on parcels {text}".strip() for n, text in enumerate(HOSTILE) if "\ud800" not in text and "\x00" not in text
    ]
    for n, text in enumerate(said):
        kind = "constraint" if n % 3 == 0 else "preference"
        memory.remember(text, kind=kind, qualifier=HOSTILE[n % 10] or None, **WHO)
    session = memory.session("s", **WHO)
    session.add([{"role": "user", "content": f"{text} and"} for text in said[:8]], infer=False)
    for shape in Shape:
        made = session.context(f"What about parcels? {HOSTILE[0]}\n{HOSTILE[6]}", shape=shape, budget=20_000)
        rows = [row for text in texts(made) for tag, found in parse(text) if tag is Tag.MEMORY for row in found]
        given = {record.id: record for record in memory.get_all(**WHO)}
        assert len(rows) == 12
        for row in rows:
            record = given[made.labels[row.label]]
            assert (row.type, row.text, row.note("when")) == (record.kind, record.statement, record.qualifier)


TURNS = ["user", "long", "assistant", "calls", "open call", "system", "late"]


@settings(max_examples=60, deadline=None)
@given(
    PARTS,
    st.integers(30, 3_000),
    st.sampled_from(list(Shape)),
    st.sampled_from(list(Preset)),
    st.integers(0, 2),
    st.integers(0, 99),
)
def test_no_shape_exceeds_its_budget_and_every_provider_takes_it(
    parts: list[str], budget: int, shape: Shape, preset: Preset, tools: int, seed: int
) -> None:
    memory = Memory(":memory:", embedder=HashingEmbedder(), tokens=exact() if seed % 3 == 0 else None)
    for n in range(seed % 7):
        memory.remember(f"I never want {n} of it. {FILLER}"[:200], kind="constraint" if n % 2 else "preference", **WHO)
    session = memory.session("s", **WHO)
    where = address("default", user_id="ana", session_id="s")
    journal(
        memory.engine, prepare(memory.engine, parse_messages(history(parts, random.Random(seed))), where, at=None, metadata={})
    )
    system = "Be brief." if seed % 2 else ""
    try:
        made = session.context("What about it?", system=system, budget=budget, shape=shape, preset=preset, tools=TOOLS[:tools])
    except BudgetTooSmall:
        assert budget < 40 + (TOOLS_OVERHEAD + 150 if tools else 0)
        return
    assert made.report.tokens <= budget
    if shape is Shape.ANTHROPIC:
        assert anthropic_faults(list(made.system), made.messages) == []
        assert json.dumps(made.request).count("cache_control") <= 4
    else:
        assert openai_faults(made.messages) == []
        assert made.messages[-1]["role"] == "user"
    if shape in (Shape.ALTERNATING, Shape.SINGLE):
        roles = [message["role"] for message in made.messages]
        assert "system" not in roles[1:]
        assert all(a != b or a == "tool" for a, b in pairwise(roles))
    assert str(made.messages[-1]["content"]).find("What about it?") >= 0


def test_a_system_turn_of_the_thread_stands_before_what_is_standing(memory: Memory) -> None:
    memory.remember("Never book a stop in Frankfurt.", kind="constraint", **WHO)
    session = memory.session("s", **WHO)
    say(session, [{"role": "system", "content": "You book trains."}, {"role": "user", "content": "Hello."}])
    roles = [message["role"] for message in session.context("And?").messages]
    assert roles == ["system", "user", "user", "user"]
    made = session.context("And?", shape="anthropic")
    assert [part["text"] for part in made.system] == ["You book trains."]


def test_the_beginning_stays_the_same_and_what_is_found_does_not_pile_up(memory: Memory) -> None:
    session = filled(memory)
    for n in range(6):
        made = session.context(f"Question {n} about window seats on long flights?", system="You book trains.", shape="anthropic")
        assert [tag for tag, _ in blocks(made)].count(Tag.MEMORY) <= 2
        if n:
            stable = sum(made.report.section(name).tokens for name in ("system", "standing", "dialogue"))
            assert made.report.identical is not None
            assert made.report.identical >= 0.9 * stable - 80
        say(session, [{"role": "user", "content": f"Question {n} about window seats?"}, {"role": "assistant", "content": FILLER}])
    spending = made.report.spending
    assert spending is not None
    assert (spending.turns, spending.sent > spending.identical) == (6, True)
    assert spending.billed < spending.sent
    assert spending.replayed > spending.replay_billed > 0
    assert session.context("?", system="Another system text.", shape="anthropic").report.identical == 0


def test_the_first_context_of_a_handle_has_nothing_to_compare_with(memory: Memory) -> None:
    session = filled(memory)
    made = session.context("Hello?")
    assert (made.report.identical, made.report.identical_share) == (None, None)
    assert session.context("Hello?").report.identical_share == 1.0


def test_tool_schemas_are_counted_and_take_the_shape_asked(memory: Memory) -> None:
    count = memory.engine.tokens.count
    made = memory.context("Hi.", tools=TOOLS, shape="anthropic", **WHO)
    assert [set(tool) - {"cache_control"} for tool in made.tools] == [{"name", "description", "input_schema"}] * 2
    assert made.tools[-1]["cache_control"] == {"type": "ephemeral"}
    assert made.report.section("tools").tokens >= TOOLS_OVERHEAD + sum(count(json.dumps(tool)) for tool in made.tools[:1])
    made = memory.context("Hi.", tools=TOOLS, **WHO)
    assert [tool["function"]["name"] for tool in made.tools] == ["book", "look"]
    assert made.tools[0] == TOOLS[0]
    assert made.request["tools"] == list(made.tools)
    own = [{"type": "web_search_20250305", "name": "web_search"}]
    assert memory.context("Hi.", tools=own, shape="anthropic", **WHO).tools[0]["type"] == own[0]["type"]
    with pytest.raises(InvalidInput, match=r"tools\[0\].name"):
        memory.context("Hi.", tools=[{"description": "nameless"}], **WHO)
    with pytest.raises(BudgetTooSmall, match="tools"):
        memory.context("Hi.", tools=TOOLS, budget=100, **WHO)


def test_a_context_fuller_than_half_of_the_window_is_a_smell(memory: Memory) -> None:
    session = filled(memory)
    assert session.context("Hello?", window=4_000).report.budget == 2_000
    assert session.context("Hello?", window=10**6).report.budget == 8_000
    made = session.context("Hello?", window=300, budget=290)
    assert any("half of the model's window" in warning for warning in made.report.warnings)


def test_without_a_message_the_dialogue_ends_in_what_is_to_be_answered(memory: Memory) -> None:
    session = memory.session("s", **WHO)
    called = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    said: list[dict[str, Any]] = [
        {"role": "user", "content": "Which seats?"},
        {"role": "assistant", "content": None, "tool_calls": [called]},
        {"role": "tool", "tool_call_id": "c1", "content": "window"},
    ]
    say(session, said)
    assert list(session.context().messages) == said
    assert memory.context("", **WHO).messages == ()


def test_a_single_message_holds_the_dialogue_as_events(memory: Memory) -> None:
    session = memory.session("s", **WHO)
    called = {"id": "c1", "type": "function", "function": {"name": "seats", "arguments": '{"n": 1}'}}
    image = {"type": "image_url", "image_url": {"url": "https://x.test/a.png"}}
    say(session, [
        {"role": "user", "content": [{"type": "text", "text": "Which seats?"}, image]},
        {"role": "assistant", "content": None, "tool_calls": [called]},
        {"role": "tool", "tool_call_id": "c1", "content": "window"},
    ])  # fmt: skip
    made = session.context("So?", system="Be brief.", shape="single")
    assert [message["role"] for message in made.messages] == ["system", "user"]
    ((tag, rows),) = parse(str(made.messages[1]["content"]))
    assert (tag, [(row.type, row.text) for row in rows]) == (
        Tag.EVENTS,
        [("user", "Which seats?"), ("not_shown", "image_url"), ("tool_call", 'seats({"n": 1})'), ("tool_result", "window")],
    )
    assert str(made.messages[1]["content"]).endswith("\n\nSo?")


def test_an_image_counts_as_one_and_the_words_around_it_stay(memory: Memory) -> None:  # B173
    session = memory.session("s", **WHO)
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 400_000}}
    say(
        session,
        [
            {"role": "user", "content": [{"type": "text", "text": "The old words."}, image]},
            {"role": "assistant", "content": "A cat."},
        ],
    )
    made = session.context("And?", budget=4_000)
    assert len(made.messages) == 3
    assert made.report.tokens <= 4_000


def test_an_episode_of_a_retired_statement_is_not_shown(memory: Memory) -> None:
    memory.add("I live in Lisbon.", session_id="a", **WHO)
    memory.add("Actually, I live in Porto now.", session_id="a", **WHO)
    shown = "\n".join(texts(memory.context("Where do I live?", **WHO)))
    assert "Porto" in shown
    assert "I live in Lisbon." not in shown


def test_an_episode_record_is_never_put_before_the_model_as_a_fact(memory: Memory) -> None:
    session = filled(memory)
    session.end()
    made = memory.context("What did we discuss about the weather in the garden?", **WHO)
    kinds = {row.type for text in texts(made) for tag, rows in parse(text) if tag is Tag.MEMORY for row in rows}
    assert Kind.EPISODE not in kinds
