"""Language models and what they answer: llm_output_parsing, llm_bad_decision, retry_storm, junk_extraction and slow_or_costly as
far as a model has part in them. B231 (a bulk erasure) is in ``tests/cases/test_reading.py``.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from onrecord.aio import AsyncMemory
from onrecord.errors import ModelError
from onrecord.memory import Memory
from onrecord.model.record import Record, Status
from onrecord.model.turn import CaptureState
from onrecord.policy.defaults import Policy
from onrecord.policy.prompts.prompt import prompt
from onrecord.policy.reading.ask import FIELDS, NAME
from onrecord.policy.replies.reply import Refused, Rows, answer, rows
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.providers.scripted import SteppingClock

BACKSLASH = chr(92)
FACT = {"turn": 1, "quote": "I live in Porto", "statement": "The user lives in Porto.", "about": []}
FACTS = json.dumps({"facts": [FACT]})


class Stub:
    """A model that answers with a text, read as those of servers are; or with an object as it is."""

    name = "stub"

    def __init__(self, reply: Callable[[list[dict[str, Any]]], str | Mapping[str, Any]]) -> None:
        self.reply, self.calls, self.sizes = reply, 0, list[int]()

    def complete(self, system: str, user: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        self.calls += 1
        self.sizes.append(len(system) + len(user))
        told = self.reply([json.loads(line) for line in user.split("\n")])
        found = answer(told, [NAME]) if isinstance(told, str) else told
        if isinstance(found, Refused):
            raise ModelError(found.reason)
        return found


Opened = Callable[..., tuple[Memory, Stub]]


@pytest.fixture
def opened(tmp_path: Path, clock: SteppingClock) -> Iterator[Opened]:
    made: list[Memory] = []

    def open_(reply: Any, **numbers: Any) -> tuple[Memory, Stub]:
        stub = Stub(reply if callable(reply) else lambda lines: reply)
        policy = Policy(**{"reading_turns": 1, **numbers})
        path = tmp_path / f"{len(made)}.db"
        made.append(Memory(path, embedder=HashingEmbedder(), clock=clock, reader=stub, policy=policy))
        return made[-1], stub

    yield open_
    for memory in made:
        memory.close()


def talk(memory: Memory, *texts: str, runs: int = 1) -> list[Record]:
    for text in texts:
        memory.add(text, user_id="u", session_id="s")
    for _ in range(runs):
        memory.maintain()
    return memory.get_all(user_id="u", statuses=list(Status))


def states(memory: Memory) -> list[CaptureState]:
    return [turn.state for turn in memory.session("s", user_id="u").turns()]


def last(lines: list[dict[str, Any]]) -> int:
    return max(int(line.get("turn", 0)) for line in lines)


# -- junk


def test_a_sentence_of_our_own_prompt_is_no_memory(opened: Opened) -> None:
    """B085"""
    for sentence in re.split(r"(?<=[.:])\s", prompt("capture").text):
        memory, _ = opened({"facts": [{**FACT, "quote": sentence, "statement": sentence}]})
        assert talk(memory, "ok thanks, I am off to bed now") == []


def test_an_example_of_our_own_prompt_is_no_memory(opened: Opened) -> None:
    """B086: not for an unrelated message, and not for one that holds the example"""
    example = {**FACT, "quote": "I can't have quillonberry", "statement": "The user can't have quillonberry."}
    memory, _ = opened({"facts": [example]})
    assert talk(memory, "The tram was late again this morning.") == []
    memory, _ = opened(lambda lines: {"facts": [{**example, "turn": last(lines)}]})
    assert all("quillonberry" not in record.statement or "model" not in rule for record, rule in _rules(memory, opened))


def _rules(memory: Memory, opened: Opened) -> list[tuple[Record, str]]:
    found = talk(memory, "Your docs say: I can't have quillonberry, it makes me ill.")
    return [(record, str(memory.why(record.id, user_id="u").verdicts[0].rule)) for record in found]


@pytest.mark.parametrize("text", ["", "  ", "😀👍", "\u200b\u200d\ufeff", "[image]", "..."])
def test_no_model_is_asked_about_nothing(opened: Opened, text: str) -> None:
    """B087"""
    memory, stub = opened(FACTS)
    assert talk(memory, text) == []
    assert stub.calls == 0


@pytest.mark.parametrize("reply", ["I cannot help with that.", "No facts found.", "None", "```", "{", "Here are the facts:"])
def test_what_a_broken_extractor_says_is_a_failure_and_no_memory(opened: Opened, reply: str) -> None:
    """B090, B232: at most three calls, then it is parked and seen"""
    memory, stub = opened(reply)
    assert talk(memory, "I moved to Porto in May, the office is nearer now.", runs=8) == []
    assert stub.calls == 3
    assert states(memory) == [CaptureState.PARKED]


# -- parsing


@pytest.mark.parametrize(
    "reply",
    [
        f'<think>maybe {{"facts": [{{"turn": 1, "quote": "a draft"}}]}}</think>{FACTS}',
        f'maybe {{"facts": []}}</think>{FACTS}',
        f'<THINK>{{"facts": []}}</THINK>\n{FACTS}',
        f"I considered {{x, y}} and [1,2 before answering: {FACTS}",
    ],
)
def test_the_answer_behind_reasoning_and_noise_is_used(reply: str) -> None:
    """B111, B112"""
    found = rows(reply, NAME, FIELDS)
    assert isinstance(found, Rows)
    assert list(found.rows) == [{**FACT, "about": []} if "about" in found.rows[0] else {k: FACT[k] for k in FACT if k != "about"}]


def test_reasoning_without_an_end_is_tried_again_and_not_taken_for_nothing(opened: Opened) -> None:
    """B111"""
    replies = iter(['<think>{"facts": []} or', '{"facts": [{"turn": 1, "quote": "I live in Porto"}]}'])
    memory, _ = opened(lambda lines: next(replies))
    (record,) = talk(memory, "I live in Porto, by the way.", runs=2)
    assert "I live in Porto" in record.quote


def test_a_tag_that_somebody_wrote_stays_in_the_quotation() -> None:
    """B111"""
    fact = {"turn": 1, "quote": "Never write <think> into my replies"}
    found = rows(json.dumps({"facts": [fact]}), NAME, FIELDS)
    assert isinstance(found, Rows)
    assert found.rows[0]["quote"] == fact["quote"]


@pytest.mark.parametrize(
    "said",
    [
        "I always use std::map<int,int> and never a list.",
        f"I prefer the pattern {BACKSLASH}d+-{BACKSLASH}w+ for tickets.",
        f"I prefer the folder C:{BACKSLASH}new{BACKSLASH}table for my tables.",
        'I prefer the editor "vi" for everything.',
    ],
)
@pytest.mark.parametrize("escaped", [True, False])
def test_code_is_kept_letter_for_letter(opened: Opened, said: str, escaped: bool) -> None:
    """B113: also where the model forgot to escape it"""
    written = json.dumps(said) if escaped else f'"{said}"'
    memory, _ = opened(f'{{"facts": [{{"turn": 1, "quote": {written}, "statement": ""}}]}}')
    (record,) = talk(memory, said)
    assert record.quote == said
    assert states(memory) == [CaptureState.DONE]


# -- decisions


@pytest.mark.parametrize("about", [["12"], [None], ["rec_of_somebody_else"], [7], [0], [-1], 9, "all", {"id": 1}])
def test_a_record_that_was_never_offered_is_left_alone_and_the_fact_is_kept(
    opened: Opened, about: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """B114, B115"""
    fact = {"quote": "I'm allergic to cats", "about": about, "action": "delete"}
    memory, _ = opened(lambda lines: {"facts": [{"turn": last(lines), **fact}]})
    memory.remember("I live in Porto", user_id="other")
    memory.remember("I work in a bakery", user_id="u")
    before = memory.get_all(user_id="other")
    with caplog.at_level(logging.WARNING, "onrecord"):
        found = talk(memory, "Cats? I'm allergic to cats, both of them.")
    assert memory.get_all(user_id="other") == before
    assert sorted(record.status for record in found) == ["active"] * len(found)
    assert any("allergic to cats" in record.statement for record in found)
    assert ("was not shown" in caplog.text) == (about in (["12"], [7], [0], [-1], 9))


def test_by_the_asynchronous_face_it_is_the_same(tmp_path: Path, clock: SteppingClock) -> None:
    """B115"""
    stub = Stub(lambda lines: {"facts": [{"turn": 1, "quote": "I live in Porto", "about": [7]}]})

    async def main() -> None:
        parts: dict[str, Any] = {"embedder": HashingEmbedder(), "clock": clock, "policy": Policy(reading_turns=1)}
        face: Any = AsyncMemory(tmp_path / "m.db", reader=stub, **parts)
        async with face as memory:
            await memory.add("I live in Porto.", user_id="u", session_id="s")
            report = await memory.maintain()
            assert (report.captured, report.strays) == (1, 1)
            assert [record.statement for record in await memory.get_all(user_id="u")] == ["I live in Porto."]

    asyncio.run(main())


# -- storms and costs


def test_a_talk_about_our_own_prompt_and_json_neither_loops_nor_blocks(opened: Opened) -> None:
    """B235"""
    garbled = '{"facts": [{"turn": 99}]} is what it says, I never know why'
    texts = [f"```json\n{FACTS}\n```", prompt("capture").text[:600], garbled]
    memory, stub = opened(lambda lines: "\n".join(line.get("text", "") for line in lines))
    talk(memory, *texts, "I live in Porto.", runs=12)
    assert CaptureState.PENDING not in states(memory)
    assert stub.calls <= 3 * 4


def test_what_a_model_is_given_does_not_grow_with_what_is_on_record(opened: Opened) -> None:
    """B229"""
    memory, stub = opened('{"facts": []}')
    sizes = []
    for n in range(120):
        memory.remember(f"Shelf {n} holds the boxes of year {1900 + n}", user_id="u")
        if n in (30, 119):
            memory.add("I keep the boxes on a shelf.", user_id="u", session_id=f"s{n}")
            memory.maintain()
            sizes.append(stub.sizes[-1])
    assert abs(sizes[1] - sizes[0]) < 0.1 * sizes[0]
