"""Results of tools are shown as the caller's formatter makes them; one that fails never costs a result."""

from __future__ import annotations

from typing import Any

import pytest

from onrecord import Memory, Session
from onrecord.policy.dialogue.refusals import anthropic_faults, openai_faults
from onrecord.policy.dialogue.shapes import to_anthropic, to_openai
from onrecord.providers.embed.hashing import HashingEmbedder


def called(id: str, name: str, found: Any) -> list[dict[str, Any]]:
    call = {"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": id, "content": found},
    ]


SAID = [{"role": "user", "content": "Look it up."}, *called("a", "sql", '{"rows": 812}'), *called("b", "web", "<p>page</p>")]


def shorten(text: str) -> str:
    return "rows: 812"


def broken(text: str) -> str:
    raise ValueError("no table")


def filled(memory: Memory, **more: Any) -> Session:
    session = memory.session("s", user_id="ana", **more)
    session.add(SAID, infer=False)
    return session


def shown(session: Session) -> list[Any]:
    return [m["content"] for m in session.context("And?").messages if m["role"] == "tool"]


def test_a_formatter_of_the_memory_is_used_by_windows_and_contexts() -> None:
    memory = Memory(":memory:", embedder=HashingEmbedder(), formatters={"sql": shorten})
    session = filled(memory)
    assert shown(session) == ["rows: 812", "<p>page</p>"]
    kept = session.window(4_000).kept
    assert [turn.text for turn in kept][2::2] == ["rows: 812", "<p>page</p>"]
    made = memory.context("And?", user_id="ana", session_id="s")
    assert "rows: 812" in [m["content"] for m in made.messages]
    assert [turn.text for turn in session.turns()][2] == '{"rows": 812}'
    assert session.messages() == SAID
    assert openai_faults(to_openai(kept)) == anthropic_faults(*to_anthropic(kept)) == []


def test_a_session_has_formatters_of_its_own_before_the_memorys() -> None:
    memory = Memory(":memory:", embedder=HashingEmbedder(), formatters={"sql": shorten, "web": shorten})
    session = filled(memory, formatters={"web": lambda text: "a page"})
    assert shown(session) == ["rows: 812", "a page"]
    assert shown(memory.session("s", user_id="ana")) == ["rows: 812", "rows: 812"]


@pytest.mark.parametrize(("formatter", "problem"), [(broken, "failed (ValueError)"), (len, "gave a int")])
def test_a_formatter_that_fails_is_reported_and_its_result_is_shown_as_it_came(formatter: Any, problem: str) -> None:
    session = filled(Memory(":memory:", embedder=HashingEmbedder()), formatters={"sql": formatter, "web": shorten})
    turn = session.turns()[2].id
    told = (f"the formatter of sql {problem} on turn {turn}; its result is shown as it came",)
    assert shown(session) == ['{"rows": 812}', "rows: 812"]
    assert session.context("And?").report.warnings == told
    assert session.window(4_000).warnings == told


def test_a_formatter_sees_every_text_of_a_result_and_leaves_pictures_alone() -> None:
    memory = Memory(":memory:", embedder=HashingEmbedder(), formatters={"look": str.upper})
    session = memory.session("s", user_id="ana")
    image = {"type": "image", "source": {"type": "url", "url": "u"}}
    session.add(
        [
            {"role": "user", "content": "Look."},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "look", "input": {}}]},
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "a cat"}, image]}],
            },
        ],
        infer=False,
    )
    block = session.window(9_000).kept[2].payload["content"][0]
    assert block["content"] == [{"type": "text", "text": "A CAT"}, image]


def test_a_failure_is_judged_by_the_result_itself_and_not_by_how_it_is_shown() -> None:
    memory = Memory(":memory:", embedder=HashingEmbedder(), formatters={"sql": lambda text: "Error: none"})
    session = memory.session("s", user_id="ana")
    answers = [{"role": "assistant", "content": "There are 812."}, {"role": "user", "content": "Thanks, go on."}]
    session.add([*SAID[:3], *answers], infer=False)
    assert shown(session) == ["Error: none"]
