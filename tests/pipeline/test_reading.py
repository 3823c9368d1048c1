"""Reading with a model: turns wait in the queue, calls are bounded under every failure, and nothing of a turn is lost."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from onrecord.errors import ModelError, ModelUnavailable
from onrecord.memory import Memory
from onrecord.model.receipt import TurnResult
from onrecord.model.scope import Reach
from onrecord.model.turn import CaptureState
from onrecord.model.verdict import Reason
from onrecord.pipeline.spending import ask, cost, spent
from onrecord.policy.defaults import Policy, Reading
from onrecord.ports import Answer, Usage
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.providers.scripted import SteppingClock

Reply = Callable[[list[dict[str, Any]]], Mapping[str, Any]]


class Pointer:
    """A model that answers as ``reply`` does, given the lines it was shown."""

    name = "pointer"

    def __init__(self, reply: Reply) -> None:
        self._reply, self.shown = reply, list[list[dict[str, Any]]]()

    def complete(self, system: str, user: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        self.shown.append([json.loads(line) for line in user.split("\n")])
        return self._reply(self.shown[-1])

    @property
    def asked(self) -> list[list[str]]:
        """The texts that each call asked about."""
        return [[line["text"] for line in lines if line.get("read")] for lines in self.shown]


def everything(lines: list[dict[str, Any]]) -> Mapping[str, Any]:
    return {"facts": [{"turn": line["turn"], "quote": line["text"]} for line in lines if line.get("read")]}


def nothing(lines: list[dict[str, Any]]) -> Mapping[str, Any]:
    return {"facts": []}


def nonsense(lines: list[dict[str, Any]]) -> Mapping[str, Any]:
    return {"thoughts": "I cannot help with that."}


def down(lines: list[dict[str, Any]]) -> Mapping[str, Any]:
    raise ModelUnavailable("it is away")


def broken(lines: list[dict[str, Any]]) -> Mapping[str, Any]:
    raise ModelError("answered 500")


def raising(lines: list[dict[str, Any]]) -> Mapping[str, Any]:
    raise ValueError("what a client of somebody's own may raise")


Opened = Callable[..., tuple[Memory, Pointer]]


@pytest.fixture(params=["inmemory", "sqlite"])
def opened(request: pytest.FixtureRequest, tmp_path: Path, clock: SteppingClock) -> Iterator[Opened]:
    """An empty memory with a reader, on each store."""
    made: list[Memory] = []

    def open_(reply: Reply, **numbers: Any) -> tuple[Memory, Pointer]:
        path = ":memory:" if request.param == "inmemory" else tmp_path / f"{len(made)}.db"
        reader = Pointer(reply)
        policy = Policy(**{"reading_turns": 1, **numbers})
        made.append(Memory(path, embedder=HashingEmbedder(), clock=clock, reader=reader, policy=policy))
        return made[-1], reader

    yield open_
    for memory in made:
        memory.close()


def say(memory: Memory, text: str, thread: str = "s", role: str = "user") -> Any:
    return memory.add([{"role": role, "content": text}], user_id="ana", session_id=thread)


def statements(memory: Memory) -> list[str]:
    return [record.statement for record in memory.get_all(user_id="ana")]


def test_what_a_person_says_waits_for_the_model_and_is_kept_then(opened: Opened) -> None:
    memory, reader = opened(everything)
    receipt = say(memory, "I'm allergic to peanuts.")
    assert [turn.result for turn in receipt.turns] == [TurnResult.QUEUED]
    assert reader.shown == []
    report = memory.maintain()
    assert (report.captured, report.calls, report.strays) == (1, 1, 0)
    assert statements(memory) == ["I'm allergic to peanuts."]
    assert memory.maintain().calls == 0


def test_a_model_finds_what_rules_group_away(opened: Opened) -> None:
    """A telling clause in the middle of a rambling sentence, pointed at."""
    said = "Sorry, that took a while, the tram stood still again and, well, lunch, I'm allergic to peanuts, so much for that."
    alone, _ = opened(nothing)
    say(alone, said)
    alone.maintain()
    memory, _ = opened(lambda lines: {"facts": [{"turn": 1, "quote": "I'm allergic to peanuts"}]})
    say(memory, said)
    memory.maintain()
    assert statements(alone) == []
    assert statements(memory) == ["I'm allergic to peanuts"]
    (verdict,) = memory.engine.store.verdicts(Reach("default", ("user:ana",)), accepted=True)
    assert verdict.rule == "model/capture.v1"


def test_turns_of_a_thread_are_read_together_with_what_was_said_between(opened: Opened) -> None:
    memory, reader = opened(nothing, reading_turns=3)
    for text in ("I live in Porto.", "I eat no nuts."):
        say(memory, text)
        say(memory, "Noted!", role="assistant")
    assert memory.maintain().calls == 0
    say(memory, "I have two cats.")
    assert memory.maintain().calls == 1
    assert reader.asked == [["I live in Porto.", "I eat no nuts.", "I have two cats."]]
    assert [line["role"] for line in reader.shown[0]] == ["user", "assistant", "user", "assistant", "user"]


def test_a_thread_that_went_quiet_is_read_as_it_stands(opened: Opened, clock: SteppingClock) -> None:
    memory, reader = opened(nothing, reading_turns=8)
    say(memory, "I live in Porto.")
    memory.maintain()
    clock.now += timedelta(minutes=11)
    memory.maintain()
    assert reader.asked == [["I live in Porto."]]


def test_threads_and_people_are_never_shown_together(opened: Opened) -> None:
    memory, reader = opened(nothing, reading_turns=2)
    for user, thread, text in (("ana", "a", "I live in Porto."), ("bo", "b", "I live in Faro."), ("ana", "c", "I eat no nuts.")):
        for more in (text, f"Really: {text}"):
            memory.add(more, user_id=user, session_id=thread)
    memory.maintain()
    assert [len(texts) for texts in reader.asked] == [2, 2, 2]
    assert all(sum("turn" in line for line in lines) == 2 for lines in reader.shown)


@pytest.mark.parametrize("text", ["", "  ", "🙂", "\u200b", "[image]", "Please forget my old address, the one in Faro."])
def test_no_model_is_asked_about_what_holds_nothing_or_asks_to_forget(opened: Opened, text: str) -> None:
    memory, reader = opened(everything)
    say(memory, text)
    memory.maintain()
    assert reader.shown == []
    assert statements(memory) == []


def test_what_is_written_on_purpose_waits_for_no_model(opened: Opened) -> None:
    memory, reader = opened(everything)
    memory.remember("The blue boxes stand in the attic", user_id="ana")
    assert statements(memory) == ["The blue boxes stand in the attic"]
    assert reader.shown == []


@pytest.mark.parametrize(
    "reply", [nonsense, broken, raising, lambda lines: {"facts": "none"}, lambda lines: {"facts": [{"turn": 1}]}]
)
def test_a_turn_about_which_a_model_never_answers_well_is_parked_after_three_calls(opened: Opened, reply: Reply) -> None:
    memory, reader = opened(reply)
    receipt = say(memory, "I'm allergic to peanuts.")
    parked = sum(memory.maintain().parked for _ in range(10))
    (turn,) = memory.session("s", user_id="ana").turns()
    assert (parked, turn.state, len(reader.shown)) == (1, CaptureState.PARKED, 3)
    assert turn.id == receipt.turns[0].turn_id
    (told,) = memory.engine.store.verdicts(Reach("default", ("user:ana",)))
    assert (told.turn_id, told.reason, told.accepted) == (turn.id, Reason.UNREAD, False)
    assert "parked after 3 tries" in told.detail


def test_one_turn_that_a_model_fails_on_costs_the_others_one_call(opened: Opened) -> None:
    """A window that fails is taken apart: what is read alone is captured, and the poison is parked."""

    def allergic(lines: list[dict[str, Any]]) -> Mapping[str, Any]:
        return nonsense(lines) if any(line.get("read") and "poison" in line["text"] for line in lines) else everything(lines)

    memory, reader = opened(allergic, reading_turns=3)
    for text in ("I live in Porto.", "This is the poison.", "I'm allergic to peanuts."):
        say(memory, text)
    for _ in range(6):
        memory.maintain()
    assert sorted(statements(memory)) == ["I live in Porto.", "I'm allergic to peanuts."]
    assert [turn.state for turn in memory.session("s", user_id="ana").turns()] == ["done", "parked", "done"]
    for text in ("I live in Porto.", "This is the poison.", "I'm allergic to peanuts."):
        assert sum(text in texts for texts in reader.asked) <= 3


def test_a_model_that_is_away_costs_one_call_a_run_and_no_tries(opened: Opened) -> None:
    memory, reader = opened(down)
    for n in range(5):
        say(memory, f"I have {n + 2} cats.", thread=f"s{n}")
    for _ in range(7):
        report = memory.maintain()
    assert len(reader.shown) == 7
    assert (report.failed, report.parked) == (5, 0)
    reader._reply = everything
    assert memory.maintain().captured == 5


def test_a_model_that_is_out_of_order_is_left_alone_for_the_rest_of_a_run(opened: Opened) -> None:
    memory, reader = opened(broken)
    for n in range(9):
        say(memory, f"I have {n + 2} cats.", thread=f"s{n}")
    memory.maintain()
    assert len(reader.shown) == 3


def test_what_a_model_is_shown_does_not_grow_with_the_memory(opened: Opened) -> None:
    memory, reader = opened(nothing)
    sizes = []
    for n in range(60):
        memory.remember(f"Shelf number {n} holds the boxes of year {1900 + n}", user_id="ana")
        if n in (20, 59):
            say(memory, "I keep the boxes on a shelf.", thread=f"s{n}")
            memory.maintain()
            sizes.append(sum("record" in line for line in reader.shown[-1]))
    assert sizes == [Policy().reading_records] * 2


def test_by_rules_alone_no_model_is_asked(opened: Opened) -> None:
    memory, reader = opened(everything, reading=Reading.RULES)
    say(memory, "I'm allergic to peanuts.")
    assert statements(memory) == ["I'm allergic to peanuts."]
    assert reader.shown == []


def test_by_a_model_alone_rules_propose_nothing(opened: Opened) -> None:
    memory, _ = opened(nothing, reading=Reading.MODEL)
    say(memory, "I'm allergic to peanuts.")
    memory.maintain()
    assert statements(memory) == []


def test_a_dry_run_asks_no_model(opened: Opened) -> None:
    memory, reader = opened(everything)
    memory.add("I'm allergic to peanuts.", user_id="ana", dry_run=True)
    memory.maintain(dry_run=True)
    assert reader.shown == []


# --- the account


def test_what_calls_take_is_booked_by_tenant_and_day_on_the_store(opened: Opened) -> None:
    used = Usage(1, 100, 40, 10)
    memory, _ = opened(lambda lines: Answer({"facts": []}, used))
    for text in ("I live in Porto.", "I eat no nuts."):
        say(memory, text)
        memory.maintain()
    engine = memory.engine
    assert spent(engine, "default", engine.clock()) == used + used
    assert spent(engine, "other", engine.clock()) == Usage()
    assert spent(engine, "default", engine.clock() + timedelta(days=1)) == Usage()
    assert cost(used, Policy(price_given=2.0, price_written=10.0, cached_price=0.1)) == pytest.approx((64 * 2 + 10 * 10) / 1e6)


def test_a_call_that_says_nothing_of_itself_is_booked_by_an_estimate_also_when_it_fails(opened: Opened) -> None:
    for reply in (nothing, broken):
        memory, _ = opened(reply)
        say(memory, "I live in Porto.")
        memory.maintain()
        taken = spent(memory.engine, "default", memory.engine.clock())
        assert taken.calls == 1
        assert taken.given > 100


def test_a_budget_that_is_used_up_asks_nothing_more_that_day_and_goes_on_the_next(opened: Opened, clock: SteppingClock) -> None:
    memory, reader = opened(lambda lines: Answer(everything(lines), Usage(1, 900, 0, 200)), model_tokens=1_000)
    say(memory, "I'm allergic to peanuts.")
    memory.maintain()
    say(memory, "I live in Porto.")
    for _ in range(5):
        memory.maintain()
    assert len(reader.shown) == 1
    clock.now += timedelta(days=1)
    memory.maintain()
    assert sorted(statements(memory)) == ["I live in Porto.", "I'm allergic to peanuts."]


def test_a_budget_in_money_holds_too(opened: Opened) -> None:
    memory, reader = opened(
        lambda lines: Answer({"facts": []}, Usage(1, 1_000_000)), model_cost=2.0, price_given=1.0, model_tokens=0
    )
    for n in range(4):
        say(memory, f"I have {n + 2} cats.", thread=f"s{n}")
        memory.maintain()
    assert len(reader.shown) == 2
    with pytest.raises(ModelUnavailable, match="budget of the day"):
        ask(memory.engine, reader, "default", "", "{}", {})


@pytest.mark.parametrize("depth", [3, 100_000])
def test_an_answer_nested_past_the_stack_is_booked_and_costs_a_try(opened: Opened, depth: int) -> None:
    def nested(lines: Any) -> Any:
        found: Any = {}
        for _ in range(depth):
            found = {"facts": found}
        return found

    memory, _ = opened(nested)
    say(memory, "I live in Porto.")
    memory.maintain()
    taken = spent(memory.engine, "default", memory.engine.clock())
    assert taken.calls == 1
    assert 0 < taken.written <= 128_000
