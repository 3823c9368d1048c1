"""Tell it something, ask for it, correct it, and ask why. Each function is one step of the guide."""

from __future__ import annotations

from onrecord import Memory, Record


def tell(memory: Memory) -> list[str]:
    """What was kept of a message, and what was refused."""
    receipt = memory.add("I am allergic to walnuts. What time is it?", user_id="ana", session_id="monday")
    return [f"{item.result}: {item.statement}" for item in receipt.items]


def ask(memory: Memory) -> list[str]:
    """The answers to a question, best first."""
    found = memory.search("What is Ana allergic to?", user_id="ana", include="records")
    return [hit.text for hit in found.hits]


def correct(memory: Memory) -> list[Record]:
    """What holds after a correction: the later statement; the earlier one is history."""
    memory.add("I live in Lisbon.", user_id="ana")
    memory.add("By the way, I moved to Porto.", user_id="ana")
    return memory.get_all(user_id="ana", filters={"key": "home_city"})


def why(memory: Memory, record: Record) -> list[str]:
    """What happened to a record, and the reason of each step."""
    return [f"{event.type}: {event.reason}" for event in memory.why(record.id, user_id="ana").events]
