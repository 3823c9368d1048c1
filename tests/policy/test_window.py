"""The window on generated histories: whatever the history and the budget, no provider refuses what is kept."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onrecord.errors import BudgetTooSmall
from onrecord.model.scope import Origin
from onrecord.model.turn import Role, Turn
from onrecord.policy.dialogue.messages import parse_messages
from onrecord.policy.dialogue.parts import calls, results, spoken, turn_tokens
from onrecord.policy.dialogue.prune import prune, shortener
from onrecord.policy.dialogue.refusals import anthropic_faults, openai_faults
from onrecord.policy.dialogue.shapes import to_anthropic, to_openai
from onrecord.policy.dialogue.window import MENDING, Window, window

BEGIN = datetime(2026, 3, 3, 9, tzinfo=UTC)
PAIRS = 10_000


def words(text: str) -> int:
    return (len(text) + 2) // 3


def tokens(turn: Turn) -> int:
    return turn_tokens(turn, words)


def stored(messages: list[dict[str, Any]]) -> list[Turn]:
    """Messages as the journal would store them."""
    return [
        Turn(
            id=f"turn_{n}",
            tenant="default",
            subject="user:ana",
            origin=Origin(thread="t"),
            role=message.role,
            author=message.author or message.role.value,
            text=message.text,
            at=BEGIN + timedelta(seconds=n),
            written_at=BEGIN,
            seq=n + 1,
            payload=message.payload,
        )
        for n, message in enumerate(parse_messages(messages))
    ]


# --- histories: mostly sound, with everything in them that goes wrong in life


def text(rng: random.Random) -> str:
    return rng.choice(
        ["ok", "  spaced  ", "what about the order 4417?", "word " * rng.randint(1, 60), "長い文章です。", "tail \n"]
    )


def media(rng: random.Random, anthropic: bool) -> dict[str, Any]:
    if anthropic:
        source = {"type": "base64", "media_type": "image/png", "data": "iVBO" * rng.randint(1, 500)}
        return {"type": "image", "source": rng.choice([source, {"type": "url", "url": "https://example.com/a.png"}])}
    image = {
        "type": "image_url",
        "image_url": {"url": rng.choice(["https://example.com/a.png", "data:image/png;base64," + "iVBO" * 300])},
    }
    return rng.choice([image, {"type": "input_audio", "input_audio": {"data": "AAAA" * 100, "format": "wav"}}])


def user(rng: random.Random, anthropic: bool) -> dict[str, Any]:
    if rng.random() < 0.2:
        return {"role": "user", "content": [{"type": "text", "text": text(rng)}, media(rng, anthropic)]}
    return {"role": "user", "content": text(rng)}


def output(rng: random.Random, anthropic: bool) -> Any:
    plain = rng.choice(["done", "", "Error: timed out", "[]", "row " * rng.randint(1, 400)])
    if not anthropic or rng.random() < 0.5:
        return plain
    return [{"type": "text", "text": plain}] if rng.random() < 0.7 else [{"type": "text", "text": plain}, media(rng, True)]


def tool_use(rng: random.Random, ids: Iterator[int], anthropic: bool) -> list[dict[str, Any]]:
    """One assistant message with calls and its results; late, doubled, missing or shuffled at times."""
    made = [f"call_{rng.choice([1, 2]) if rng.random() < 0.1 else next(ids)}" for _ in range(rng.randint(1, 4))]
    names = [rng.choice(["search", "read_file", "shell"]) for _ in made]
    said = rng.choice(["", "Let me look.", "word " * 40])
    answered = [id for id in made if rng.random() < 0.93]
    rng.shuffle(answered)
    if rng.random() < 0.05 and answered:
        answered.append(answered[0])
    if anthropic:
        return _anthropic_use(rng, made, names, said, answered)
    arguments = [rng.choice(['{"q": "order 4417"}', "{}", "not json", ""]) for _ in made]
    tools = [
        {"id": i, "type": "function", "function": {"name": n, "arguments": a}}
        for i, n, a in zip(made, names, arguments, strict=True)
    ]
    call = {"role": "assistant", "content": said or None, "tool_calls": tools}
    return [call, *({"role": "tool", "tool_call_id": id, "content": output(rng, False)} for id in answered)]


def _anthropic_use(rng: random.Random, made: list[str], names: list[str], said: str, answered: list[str]) -> list[dict[str, Any]]:
    thinking = [{"type": "thinking", "thinking": "hm", "signature": "s"}] if rng.random() < 0.2 else []
    uses = [{"type": "tool_use", "id": id, "name": name, "input": {"q": 1}} for id, name in zip(made, names, strict=True)]
    call = {"role": "assistant", "content": [*thinking, *([{"type": "text", "text": said}] if said else []), *uses]}
    blocks: list[Any] = [
        {"type": "tool_result", "tool_use_id": id, "content": output(rng, True), "is_error": rng.random() < 0.2}
        for id in answered
    ]
    if rng.random() < 0.2:
        blocks.insert(rng.randint(0, len(blocks)), {"type": "text", "text": text(rng)})
    return [call, {"role": "user", "content": blocks}] if blocks else [call]


def history(rng: random.Random) -> list[Turn]:
    ids = iter(range(10, 10_000))
    anthropic = rng.random() < 0.5
    messages: list[dict[str, Any]] = [{"role": "system", "content": "Be brief."}] if rng.random() < 0.6 else []
    for _ in range(rng.randint(1, 12)):
        mixed = anthropic if rng.random() < 0.95 else not anthropic
        kind = rng.random()
        if kind < 0.4:
            messages.append(user(rng, mixed))
        elif kind < 0.65:
            messages.append({"role": "assistant", "content": text(rng)})
        elif kind < 0.95:
            messages += tool_use(rng, ids, mixed)
        else:
            messages.append({"role": rng.choice(["document", "tool", "system"]), "content": text(rng)})
    if rng.random() < 0.1:
        place = rng.randrange(len(messages))
        messages.insert(rng.randrange(len(messages)), messages.pop(place))
    if rng.random() < 0.2:
        del messages[rng.randrange(len(messages)) :]
    return stored([m for m in messages if m["content"] or m.get("tool_calls") or m["role"] == "tool"])


def check(turns: list[Turn], budget: int, rng: random.Random) -> Window | None:
    """Everything that must hold for one pair of history and budget."""
    try:
        kept = window(turns, budget, tokens, chunk=rng.choice([None, 1]), shorten=rng.choice([None, shortener(tokens)]))
    except BudgetTooSmall:
        required = [t for t in turns if t.role is Role.SYSTEM] + [t for t in turns if spoken(t)][-1:]
        assert sum(map(tokens, turns)) + MENDING * (2 * len(turns) + 1) > budget
        assert required
        return None
    assert kept.tokens <= budget
    assert sum(map(tokens, kept.kept)) <= kept.tokens
    accepted(list(kept.kept), budget)
    said = [turn.id for turn in turns if spoken(turn)][-1:]
    required_ids = {turn.id for turn in turns if turn.role is Role.SYSTEM} | set(said)
    assert required_ids <= {turn.id for turn in kept.kept}
    assert [t.id for t in turns] == sorted([t.id for t in (*kept.kept, *kept.left_out)], key=lambda id: int(id[5:]))
    return kept


def accepted(turns: list[Turn], budget: int) -> None:
    chat = to_openai(turns)
    assert openai_faults(chat) == []
    assert sum(map(tokens, stored(chat))) <= budget
    system, blocks = to_anthropic(turns)
    assert anthropic_faults(system, blocks) == []
    assert sum(map(tokens, stored(blocks))) + (words(system) + 6 if system else 0) <= budget


def test_ten_thousand_histories_and_budgets_leave_nothing_to_refuse() -> None:
    rng = random.Random(20_260_303)
    done = kept = trimmed = 0
    while done < PAIRS:
        turns = history(rng)
        whole = sum(map(tokens, turns))
        for _ in range(5):
            found = check(turns, rng.randint(1, whole + 64), rng)
            kept += found is not None
            trimmed += found is not None and bool(found.left_out)
            done += 1
    assert kept > PAIRS // 4
    assert trimmed > PAIRS // 8


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**32), share=st.floats(0, 1.2))
def test_a_pruned_history_is_accepted_for_every_budget(seed: int, share: float) -> None:
    rng = random.Random(seed)
    turns = list(prune(history(rng)).kept)
    check(turns, int(sum(map(tokens, turns)) * share), rng)


def test_a_history_that_fits_comes_back_as_it_was() -> None:
    rng = random.Random(3)
    for _ in range(100):
        turns = history(rng)
        kept = window(turns, 10**9, tokens)
        assert kept.kept == tuple(turns)
        assert kept.left_out == ()


def dialogue(length: int) -> list[Turn]:
    messages = [{"role": ("user", "assistant")[n % 2], "content": f"message number {n} " + "word " * 10} for n in range(length)]
    return stored([{"role": "system", "content": "Be brief."}, *messages])


def test_the_kept_start_stays_where_it_is_for_most_turns_and_moves_in_chunks() -> None:
    starts = [window(dialogue(length), 600, tokens).kept[1].id for length in range(40, 120)]
    moves = sum(a != b for a, b in itertools.pairwise(starts))
    assert moves < 80 / 4
    each = [window(dialogue(length), 600, tokens, chunk=1).kept[1].id for length in range(40, 120)]
    assert sum(a != b for a, b in itertools.pairwise(each)) > 70


def test_parallel_calls_stay_with_all_their_results_or_go_with_them() -> None:
    tools = [{"id": f"c{n}", "type": "function", "function": {"name": "search", "arguments": "{}"}} for n in range(3)]
    answers = [{"role": "tool", "tool_call_id": f"c{n}", "content": "found " * 20} for n in (2, 0, 1)]
    turns = stored(
        [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": None, "tool_calls": tools},
            *answers,
            {"role": "user", "content": "and now?"},
        ]
    )
    for budget in range(30, sum(map(tokens, turns)) + 100):
        kept = window(turns, budget, tokens).kept
        assert len([t for t in kept if calls(t) or results(t)]) in (0, 4)


def test_the_users_message_stays_where_a_result_alone_exceeds_the_budget_and_the_result_is_shortened() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "a"}'}}
    turns = stored(
        [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Read it."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "line\n" * 3000},
        ]
    )
    assert [t.role for t in window(turns, 300, tokens).kept] == [Role.SYSTEM, Role.USER]
    kept = window(turns, 300, tokens, shorten=shortener(tokens))
    assert [t.role for t in kept.kept] == [Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.TOOL]
    assert "characters left out; the whole is in turn turn_3" in kept.kept[-1].text
    assert kept.tokens <= 300


def test_a_budget_below_the_required_turns_raises_and_names_the_sizes() -> None:
    turns = stored([{"role": "system", "content": "x" * 900}, {"role": "user", "content": "hi"}])
    with pytest.raises(BudgetTooSmall, match=r"100 tokens .*\(313\)"):
        window(turns, 100, tokens)


def test_an_image_counts_the_same_in_every_shape_and_never_by_its_base64() -> None:
    data = "A" * 400_000
    shapes: list[dict[str, Any]] = [
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}},
        {"type": "input_image", "image_url": f"data:image/png;base64,{data}"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}},
        {"type": "file", "file": {"file_data": data}},
        {"type": "input_audio", "input_audio": {"data": data, "format": "wav"}},
    ]
    counted = {tokens(stored([{"role": "user", "content": [shape]}])[0]) for shape in shapes}
    assert len(counted) == 1
    assert counted.pop() < 2_000


def test_generated_histories_hold_what_goes_wrong_in_life() -> None:
    rng = random.Random(7)
    faults = {
        fault.split(": ", 1)[1].split("'")[0]
        for _ in range(400)
        for fault in openai_faults([json.loads(json.dumps(dict(t.payload))) for t in history(rng) if t.payload])
    }
    assert len(faults) >= 4
