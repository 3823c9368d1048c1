"""Long-term memory for LLM agents, kept as records you can read."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from onrecord.aio import AsyncKnowledgeBase, AsyncMemory, AsyncRun, AsyncSession
    from onrecord.build import restore
    from onrecord.errors import (
        BudgetTooSmall,
        EmbedderError,
        InvalidInput,
        NotFound,
        OnRecordError,
        StoreError,
        VersionConflict,
    )
    from onrecord.knowledge import KnowledgeBase
    from onrecord.memory import Memory
    from onrecord.model.context import Context
    from onrecord.model.document import Document, Excerpt
    from onrecord.model.receipt import Receipt
    from onrecord.model.record import Kind, Record, Status
    from onrecord.model.trace import Hit, Trace
    from onrecord.policy.defaults import Policy
    from onrecord.run import Run
    from onrecord.session import Session

__all__ = [
    "AsyncKnowledgeBase",
    "AsyncMemory",
    "AsyncRun",
    "AsyncSession",
    "BudgetTooSmall",
    "Context",
    "Document",
    "EmbedderError",
    "Excerpt",
    "Hit",
    "InvalidInput",
    "Kind",
    "KnowledgeBase",
    "Memory",
    "NotFound",
    "OnRecordError",
    "Policy",
    "Receipt",
    "Record",
    "Run",
    "Session",
    "Status",
    "StoreError",
    "Trace",
    "VersionConflict",
    "restore",
]

#: Where the names that are no errors live. They load at first use: `onrecord --help` must not wait for numpy.
_HOMES = {
    "AsyncKnowledgeBase": "aio",
    "AsyncMemory": "aio",
    "AsyncRun": "aio",
    "AsyncSession": "aio",
    "Context": "model.context",
    "Document": "model.document",
    "Excerpt": "model.document",
    "Hit": "model.trace",
    "Kind": "model.record",
    "KnowledgeBase": "knowledge",
    "Memory": "memory",
    "Policy": "policy.defaults",
    "Receipt": "model.receipt",
    "Record": "model.record",
    "Run": "run",
    "Session": "session",
    "Status": "model.record",
    "Trace": "model.trace",
    "restore": "build",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'errors')}"), name)
