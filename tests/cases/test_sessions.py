"""What went wrong with sessions elsewhere, each as a test. The number in a comment is the case's."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from onrecord import BudgetTooSmall, InvalidInput, Kind, Memory, Session, StoreError
from onrecord.cli.main import run as run_command
from onrecord.model.change import Edit
from onrecord.model.receipt import Result
from onrecord.model.record import STATEMENT_LIMIT
from onrecord.model.scope import Reach
from onrecord.model.summary import FaultKind, SpanKind
from onrecord.model.turn import Role
from onrecord.policy.compaction.protect import ledger
from onrecord.policy.compaction.summary import summarize
from onrecord.policy.compaction.verify import accept, check
from onrecord.policy.dialogue.pairing import INTERRUPTED
from onrecord.policy.dialogue.parts import MEDIA_TOKENS, message_tokens, parts
from onrecord.policy.dialogue.refusals import openai_faults
from onrecord.ports import Batch, Vector
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.providers.scripted import SteppingClock
from onrecord.stores.sqlite import SQLiteStore
from onrecord.testing.builders import NOW, REACH, a_turn
from onrecord.testing.faults import faulty

Messages = list[dict[str, Any]]


def user(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **more}


def assistant(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": text, **more}


def calling(*ids: str) -> dict[str, Any]:
    called = [{"id": id, "type": "function", "function": {"name": "look", "arguments": '{"at": 1}'}} for id in ids]
    return {"role": "assistant", "content": None, "tool_calls": called}


def result(id: str, text: str = "found") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": text}


def filled(memory: Memory, messages: Messages, name: str = "s") -> Session:
    session = memory.session(name, user_id="ana")
    session.add(messages, infer=False)
    return session


# -- session_durability


def test_an_append_that_fails_leaves_nothing_and_its_retry_stores_once(memory: Memory) -> None:  # B148
    broken = Memory(store=faulty(memory.engine.store, lambda n, name: name == "append"), embedder=HashingEmbedder())
    said = [user("one", id="m1"), assistant("two", id="m2")]
    with pytest.raises(StoreError):
        broken.session("s", user_id="ana").add(said)
    session = memory.session("s", user_id="ana")
    assert session.turns() == []
    session.add(said)
    session.add(said)
    assert [turn.text for turn in session.turns()] == ["one", "two"]


@pytest.mark.parametrize("step", [timedelta(), timedelta(seconds=-1)])
def test_the_order_is_that_of_the_append_whatever_the_clock_does(step: timedelta) -> None:  # B149
    memory = Memory(":memory:", embedder=HashingEmbedder(), clock=SteppingClock(NOW, step))
    session = memory.session("s", user_id="ana")
    turns = [a_turn(f"t{n}", f"item {n}", tenant="default", thread="s", written_at=memory.engine.clock()) for n in range(500)]
    memory.engine.store.append(turns)
    assert [turn.text for turn in session.turns()] == [f"item {n}" for n in range(500)]
    assert [turn.seq for turn in session.turns()] == list(range(1, 501))


def test_a_model_that_fails_and_is_asked_again_leaves_one_item_each(memory: Memory) -> None:  # B151
    session = memory.session("s", user_id="ana")
    for _ in range(2):  # the second time after the model failed
        session.add(user("What is up?", id="m1"), infer=False)
    session.add(assistant("Not much.", id="m2"), infer=False)
    assert [turn.role for turn in session.turns()] == [Role.USER, Role.ASSISTANT]


@pytest.mark.parametrize("item", [None, 3, {}, [None], [3], [{}], [{"role": "user", "content": 3}]])
def test_what_is_no_message_is_refused_on_write(memory: Memory, item: Any) -> None:  # B153
    session = memory.session("s", user_id="ana")
    with pytest.raises(InvalidInput):
        session.add(item)
    assert session.turns() == []


def test_a_history_passed_in_every_time_is_stored_once(memory: Memory) -> None:  # B154
    session, history = memory.session("s", user_id="ana"), list[dict[str, Any]]()
    for n in range(5):
        history += [user(f"question {n}", id=f"u{n}"), assistant(f"answer {n}", id=f"a{n}")]
        session.add(history, infer=False)
    assert len(session.turns()) == 10


def test_tool_calls_and_results_are_reloaded_whole(tmp_path: Path) -> None:  # B155
    said = [user("Look twice."), calling("c1", "c2"), result("c1", "a"), result("c2", "b"), assistant("a and b")]
    with Memory(tmp_path / "m.db", embedder=HashingEmbedder()) as memory:
        filled(memory, said)
    with Memory(tmp_path / "m.db", embedder=HashingEmbedder()) as memory:
        assert memory.session("s", user_id="ana").messages() == said


def test_the_last_so_many_come_in_order(memory: Memory) -> None:  # B156
    session = filled(memory, [user(f"item {n}") for n in range(1, 11)])
    assert [turn.text for turn in session.turns(last=3)] == ["item 8", "item 9", "item 10"]
    assert session.turns(last=0) == session.turns(last=-4) == []
    assert len(session.turns(last=10**9)) == 10


def test_a_torn_last_write_heals_on_open(tmp_path: Path) -> None:  # B158
    store = SQLiteStore(tmp_path / "whole.db")
    store.append([a_turn("t1"), a_turn("t2")])
    before = (tmp_path / "whole.db-wal").stat().st_size
    store.append([a_turn("t3")])
    after = (tmp_path / "whole.db-wal").stat().st_size
    for size in range(before, after, max(1, (after - before) // 60)):
        torn = tmp_path / f"torn{size}.db"
        shutil.copy(tmp_path / "whole.db", torn)
        (tmp_path / f"{torn.name}-wal").write_bytes((tmp_path / "whole.db-wal").read_bytes()[:size])
        healed = SQLiteStore(torn)
        assert [turn.id for turn in healed.thread(REACH, "thread_1")] == ["t1", "t2"]
        assert healed.append([a_turn("t3")])[0].turn.seq == 3
        assert healed.check().faults == ()
        healed.close()
    store.close()


# -- tool_pair_split, trim_drops_required


def test_parallel_calls_stay_or_go_together(memory: Memory) -> None:  # B161
    session = filled(memory, [user("Go."), calling("c1", "c2", "c3"), result("c3"), result("c1"), result("c2"), user("And?")])
    for budget in range(20, session.tokens() + 20):
        roles = [turn.role for turn in session.window(budget).kept]
        assert (roles.count(Role.ASSISTANT), roles.count(Role.TOOL)) in ((0, 0), (1, 3))


def test_a_long_run_of_calls_is_summarised_at_its_edges(memory: Memory) -> None:  # B162
    said = [user("Audit all thirty shelves.")]
    for n in range(30):
        said += [calling(f"c{n}"), result(f"c{n}", f"shelf {n} holds {n * 7} boxes of paper and one lamp")]
    session = filled(memory, said)
    for ratio in (2, 3, 4, 8):
        done = session.compact(budget=session.tokens() // ratio)
        assert done.summary is not None
        assert openai_faults(session.context("So?", budget=4_000).messages) == []
        assert session.turns()[0].id not in done.summary.covers
        rest = [message for message in session.context("So?", budget=4_000).messages if message.get("tool_calls")]
        assert len(rest) == sum(turn.role is Role.ASSISTANT for turn in done.rest)


def test_a_call_that_was_never_answered_gets_a_result_that_says_so(memory: Memory) -> None:  # B163
    session = filled(memory, [user("Go."), calling("c1")])
    assert session.messages()[-1] == {"role": "tool", "tool_call_id": "c1", "content": INTERRUPTED}


def test_a_result_bigger_than_the_budget_is_shortened_beside_its_call(memory: Memory) -> None:  # B164, B166
    session = filled(memory, [user("Read it."), calling("c1"), result("c1", "line of the log\n" * 2_000)])
    kept = session.window(400).kept
    assert [turn.role for turn in kept] == [Role.USER, Role.ASSISTANT, Role.TOOL]
    assert "characters left out" in kept[2].text
    assert [turn.role for turn in session.window(30).kept] == [Role.USER]


def test_a_history_far_below_the_budget_is_left_as_it_is(memory: Memory) -> None:  # B168
    said = [user("Go."), calling("c1"), result("c1"), assistant("Done.")]
    session = filled(memory, said)
    assert list(session.window(100_000).kept) == session.turns()
    assert list(session.context("And?", budget=8_000).messages[: len(said)]) == said


# -- summary_faults, consolidation_loss


def test_every_round_states_all_facts_so_far_once(memory: Memory) -> None:  # B169
    session, facts = memory.session("s", user_id="ana"), list[str]()
    for n in range(3):
        facts.append(f"Never ship order 44{n}7 before the {n + 10}th.")
        session.add([user(facts[-1]), *(assistant(f"The sky of day {n}.{k} is blue and calm.") for k in range(8))], infer=False)
        session.add(user("Go on."), infer=False)
        summary = session.compact(budget=120).summary
        assert summary is not None
        assert [summary.text.count(fact) for fact in facts] == [1] * len(facts)
        assert len(set(summary.covers)) == len(summary.covers)
        order = [turn.id for turn in session.turns() if turn.id in summary.covers]
        assert list(summary.covers) == order


def test_ten_compactions_are_as_good_as_one(memory: Memory) -> None:  # B129
    session = filled(memory, [user(f"Never open gate {n}. The path there is long and stony.") for n in range(12)])
    made = [session.compact(budget=150).summary for _ in range(10)]
    assert made[0] is not None
    assert made == [made[0]] * 10


def test_a_model_that_gives_back_its_input_is_not_used() -> None:  # B171
    turns = [a_turn(f"t{n}", f"Never open gate {n}; the path there is long and stony.") for n in range(6)]
    whole = "\n".join(turn.text for turn in turns) * 2
    summary, _ = accept(whole, turns, 60, len)
    assert summary.text == summarize(turns, 60, len).text


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ("The dose must not exceed a few mg.", FaultKind.LOST),
        ("The dose must not exceed 24 mg.", FaultKind.ALTERED),
        ("The dose must exceed 42 mg.", FaultKind.INVERTED),
        ("The dose must not exceed 42 mg, says Dr. Okafor.", FaultKind.INVENTED),
    ],
)
def test_a_number_dropped_or_changed_and_a_name_made_up_are_found(told: str, kind: FaultKind) -> None:  # B134
    turns = [a_turn("t1", "The dose must not exceed 42 mg.")]
    assert kind in {fault.kind for fault in check(told, ledger(turns), turns)}


class Interrupting:
    """An embedder so slow that others search while it works: it does so itself, and notes whether they found anything."""

    def __init__(self, search: Callable[[], bool]) -> None:
        self._inner, self._search, self.found = HashingEmbedder(), search, list[bool]()
        self.name, self.dim = self._inner.name, self._inner.dim

    def embed_documents(self, texts: Sequence[str]) -> Vector:
        self.found.append(self._search())
        return self._inner.embed_documents(texts)

    def embed_query(self, text: str) -> Vector:
        return self._inner.embed_query(text)


def test_a_fact_is_found_while_its_thread_is_compacted_and_its_episode_rewritten(memory: Memory) -> None:  # B128
    fact, found = "The tank of boiler 7 holds 412 litres.", list[bool]()
    session = filled(memory, [user(fact), *(user(f"Item {n}: the garden is large and green.") for n in range(20))])
    session.end()
    session.compact(budget=120)
    session.add(user("And what about the pump?"), infer=False)

    def findable() -> bool:
        return any(fact in (hit.turn or hit.record).text for hit in memory.search("tank of boiler 7", user_id="ana").hits)  # type: ignore[union-attr]

    slow = Interrupting(findable)
    other = Memory(store=memory.engine.store, embedder=slow, clock=memory.engine.clock).session("s", user_id="ana")
    assert other.end().items[0].result is Result.MERGED
    other.compact(budget=100)
    found = [*slow.found, findable()]
    assert len(found) > 1
    assert all(found)


def test_restatements_do_not_pile_up_in_records_summaries_or_episodes(memory: Memory) -> None:  # B130
    rules = [f"Never open hall {n * 7} before {n + 5} o'clock." for n in range(10)]
    session = memory.session("s", user_id="ana")
    for n in range(90):
        memory.remember(rules[n % 10], user_id="ana")
        session.add(user(rules[n % 10]), infer=False)
        if n % 10 == 9:
            session.end()
    listed = memory.get_all(user_id="ana")
    assert sorted(record.statement for record in listed if record.kind is not Kind.EPISODE) == sorted(rules)
    assert len(listed) == 11
    summary = session.compact(budget=300).summary
    assert summary is not None
    assert [summary.text.count(rule) for rule in rules] == [1] * 10


def test_dated_readings_stand_side_by_side(memory: Memory) -> None:  # B133
    readings = [f"Meter on 1 {month}: {value}" for month, value in (("May", 4120), ("June", 4388), ("July", 4651))]
    session = memory.session("s", user_id="ana")
    for reading in readings:
        memory.remember(reading, user_id="ana", session_id="s")
    assert [record.statement for record in memory.get_all(user_id="ana")] == readings
    session.add([user("Please go on."), assistant("Certainly. " * 40), user("That was all.")], infer=False)
    summary = session.compact(budget=120).summary
    assert summary is not None
    assert all(reading in summary.text for reading in readings)
    faults = check("Meter on 1 July: 4651", ledger(session.turns()))
    assert {fault.span.tokens for fault in faults if fault.span and fault.span.kind is SpanKind.NUMBER} == {("4120",), ("4388",)}


# -- token_accounting


class Weights:
    """A counter for which a block sign is a hundred tokens and nothing else counts."""

    def count(self, text: str) -> int:
        return 100 * text.count("■")


@pytest.mark.parametrize(("sizes", "kept"), [((3, 50, 2), (0, 2)), ((50, 60), ())])
def test_records_go_in_whole_or_not_at_all_and_a_long_one_stops_none_behind_it(  # B175
    clock: SteppingClock, sizes: tuple[int, ...], kept: tuple[int, ...]
) -> None:
    memory = Memory(":memory:", embedder=HashingEmbedder(), tokens=Weights(), clock=clock)
    said = [f"Never use dye {n} in vat {n}{'■' * size}." for n, size in enumerate(sizes)]
    ids = [memory.remember(text, user_id="ana", kind="constraint").records[0].id for text in said]
    made = memory.context("Which dye?", user_id="ana", budget=3_000)
    section = next(section for section in made.report.sections if section.name == "standing")
    shown = str(made.messages[0]["content"]) if kept else ""
    assert [n for n, text in enumerate(said) if text in shown] == list(kept)
    assert set(section.left_out) == {id for n, id in enumerate(ids) if n not in kept}
    assert section.tokens <= 3_000 > section.budget == 450
    assert bool(made.report.warnings) is not bool(kept)


def test_no_path_writes_a_record_longer_than_the_limit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:  # B176
    path, long = tmp_path / "memory.db", "Never ship it unlabelled " * 40
    with Memory(path, embedder=HashingEmbedder()) as memory:
        written = [
            *memory.remember("Never ship it unlabelled", user_id="ana", pinned=True).records,
            *memory.add(long, user_id="bob", infer=False).records,  # the whole stays in its turn
            *memory.add(long, user_id="eve").records,
        ]
        id, reach = written[0].id, Reach("default", ("user:ana",))
        assert len(written) >= 2
        assert max(len(record.statement) for record in written) <= STATEMENT_LIMIT
        edit = Edit(reason="by hand", id=id, fields={"statement": long.strip()})
        for write in (
            lambda: memory.remember(long.strip(), user_id="ana"),
            lambda: memory.update(id, long.strip(), user_id="ana"),
            lambda: memory.engine.store.apply(Batch(reach=reach, now=NOW, actor="test", changes=[edit])),
            lambda: replace(written[0], statement=long.strip()),
        ):
            with pytest.raises(InvalidInput, match=rf"is {len(long.strip())} characters .*at most {STATEMENT_LIMIT}"):
                write()
    assert run_command(["--db", str(path), "update", id, long.strip(), "--user", "ana"]) == 2
    assert f"is {len(long.strip())} characters" in capsys.readouterr().err


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 400_000}},
        {"type": "input_image", "image_url": "data:image/png;base64," + "A" * 400_000},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 400_000}},
        {"type": "file", "file": {"file_data": "A" * 400_000}},
        {"type": "input_audio", "input_audio": {"data": "A" * 400_000, "format": "wav"}},
    ],
)
def test_media_count_alike_in_every_shape_and_the_words_stay(memory: Memory, part: dict[str, Any]) -> None:  # B173
    message = {"role": "user", "content": [{"type": "text", "text": "Look at this."}, part]}
    session = filled(memory, [message])
    words = memory.engine.tokens.count("Look at this.")
    assert session.tokens() == message_tokens(message, memory.engine.tokens.count) <= MEDIA_TOKENS + words + 6
    assert len(parts(session.window(2_000).kept[0])) == 2


def test_all_sections_together_stay_under_the_ceiling(memory: Memory) -> None:  # B177
    session = filled(memory, [user(f"Item {n}: " + "the garden is large and green. " * 60) for n in range(40)])
    report = session.context("And?", system="Be brief.").report
    assert sum(section.tokens for section in report.sections) == report.tokens <= report.budget == 8_000


def test_a_system_text_over_the_limit_is_an_error_that_names_sizes(memory: Memory) -> None:  # B178
    with pytest.raises(BudgetTooSmall, match=r"300 tokens do not hold .* \(\d+\)"):
        memory.context("Hi.", user_id="ana", system="rule " * 400, budget=300)


# -- sync_async_mismatch


def test_one_memory_serves_threads_and_an_event_loop(memory: Memory) -> None:  # B144
    session = memory.session("s", user_id="ana")
    session.add("from the main thread", infer=False)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda n: session.add(f"from worker {n}", infer=False), range(6)))

    async def in_a_loop() -> int:
        await asyncio.to_thread(session.add, "from a loop", infer=False)
        session.add("from the loop itself", infer=False)
        return len(session.turns())

    assert asyncio.run(in_a_loop()) == 9
