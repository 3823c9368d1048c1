"""Whatever anybody wrote, in any field: parsed back from the whole prompt, the blocks hold exactly what was given."""

from __future__ import annotations

from typing import Any

import pytest
from tests.memory.test_context import texts
from tests.policy.test_frame import HOSTILE

from onrecord import Memory
from onrecord.model.context import Context, Shape
from onrecord.model.scope import SHARED, Reach
from onrecord.policy.dialogue.frame import Row, Tag, parse
from onrecord.ports import Pointer
from onrecord.providers.embed.hashing import HashingEmbedder

WHO: dict[str, Any] = {"user_id": "ana"}
#: What can be stored: a half character is refused, and so are control characters in names.
SAID = [text for text in HOSTILE if "\ud800" not in text and "\x00" not in text]
NAMES = [text.strip() for text in SAID if text.strip().isprintable() and text.strip()]


class Echo:
    """A resolver that gives back hostile text, chosen by the value of the pointer."""

    def resolve(self, pointer: Pointer) -> str:
        return SAID[int(pointer.value.split(" ")[0])]


@pytest.fixture
def full() -> Memory:
    """A memory with hostile text in records, documents, pointers, a run, and a dialogue with tools."""
    memory = Memory(":memory:", embedder=HashingEmbedder(), resolvers={"parcel": Echo()})
    for n, text in enumerate(SAID[:10]):
        memory.remember(f"Note {n} on parcels {text}".strip(), kind="constraint" if n % 2 else "preference", **WHO)
    for n in range(5):
        memory.remember(f"Parcel pointer {n} {SAID[n]}", kind="pointer", key="parcel", value=f"{n} {SAID[n]}".strip(), **WHO)
    for n, text in enumerate(SAID[:12]):
        name = f"{n} {NAMES[n % len(NAMES)]}"
        memory.knowledge.add(f"# Parcels {text}\n\nThe parcels of desk {n}. {text}", name=name, collection=NAMES[n % len(NAMES)])
    run = memory.run("trip", **WHO)
    run.plan, run.values = list(SAID[:8]), {text or "empty": text for text in SAID[8:12]}
    run.results = {"look": SAID[12:16]}
    run.checkpoint()
    session = memory.session("s", **WHO)
    for n, text in enumerate(SAID):
        call = {"id": f"c{n}", "type": "function", "function": {"name": "look", "arguments": '{"at": "here"}'}}
        session.add(
            [
                {"role": "user", "content": f"{text} parcels", "name": NAMES[n % len(NAMES)]},
                {"role": "assistant", "content": text or None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": f"c{n}", "content": f"{text}\n{SAID[n - 1]}"},
                {"role": "assistant", "content": f"Done. {text}"},
            ],
            infer=False,
        )
    return memory


def rows_of(made: Context) -> dict[Tag, list[Row]]:
    found: dict[Tag, list[Row]] = {}
    for text in texts(made):
        for tag, rows in parse(text):
            found.setdefault(tag, []).extend(rows)
    return found


@pytest.mark.parametrize("shape", list(Shape))
def test_the_blocks_of_a_hostile_memory_hold_exactly_what_was_given(full: Memory, shape: Shape) -> None:
    made = full.session("s", **WHO).context(
        SAID[0] + "\n" + SAID[6], query="What about parcels?", shape=shape, budget=30_000, run_id="trip"
    )
    found = rows_of(made)
    blocks = {Tag.MEMORY, Tag.KNOWLEDGE, Tag.LIVE, Tag.STATE}
    assert set(found) - {Tag.EPISODES} == (blocks | {Tag.EVENTS} if shape is Shape.SINGLE else blocks)
    labels = [row.label for tag in blocks - {Tag.STATE} for row in found[tag]]
    assert sorted(labels) == sorted(label for label in made.labels if label[0] not in "ew")
    records = {record.id: record for record in full.get_all(**WHO)}
    for row in found[Tag.MEMORY]:
        record = records[made.labels[row.label]]
        assert (row.type, row.text, row.note("by")) == (record.kind, record.statement, record.author)
    for row in found[Tag.LIVE]:
        record = records[made.labels[row.label]]
        assert (row.type, row.text) == ("pointer", SAID[int((record.value or "").split(" ")[0])])
        assert row.note("from") == record.value
    for row in found[Tag.KNOWLEDGE]:
        (passage,) = full.engine.store.passages(Reach("default", (SHARED,)), [made.labels[row.label]])
        assert (row.type, row.text, row.note("section")) == ("passage", passage.text, passage.heading)
        assert row.note("from") == full.knowledge.get(passage.document_id).name
    plan = [row.text for row in found[Tag.STATE] if row.type == "plan"]
    assert plan == SAID[:8]


def test_tool_results_are_rows_of_their_own_where_all_is_one_message(full: Memory) -> None:
    made = full.session("s", **WHO).context("So?", query="parcels", shape=Shape.SINGLE, budget=60_000)
    rows = rows_of(made)[Tag.EVENTS]
    told = [row.text for row in rows if row.type == "tool_result"]
    given = [f"{text}\n{SAID[n - 1]}" for n, text in enumerate(SAID)]
    assert told == given[-len(told) :]
    assert told
