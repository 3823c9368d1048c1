"""The same memory from an event loop: each call is awaited, and none blocks the loop."""

from __future__ import annotations

import asyncio
from pathlib import Path

from onrecord import AsyncMemory


async def answer(memory: AsyncMemory, message: str, id: str) -> str:
    """What a reply of a web server would do: store the message, and fetch what the model is to see.

    The message has an ``id``, so a client that gave up and sends it again has it stored once.
    """
    session = await memory.session("monday", user_id="ana")
    await session.add({"role": "user", "content": message, "id": id})
    context = await session.context("Where could we eat?")
    return "\n".join(str(part["content"]) for part in context.messages)


async def serve(path: Path) -> list[str]:
    """Several requests at once."""
    async with AsyncMemory(path) as memory:
        said = ("I am allergic to walnuts.", "I prefer to sit outside.")
        return list(await asyncio.gather(*(answer(memory, text, f"m{n}") for n, text in enumerate(said))))
