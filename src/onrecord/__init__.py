"""Long-term memory for LLM agents, kept as records you can read."""

from onrecord.errors import (
    BudgetTooSmall,
    EmbedderError,
    InvalidInput,
    NotFound,
    OnRecordError,
    StoreError,
    VersionConflict,
)
from onrecord.memory import Memory
from onrecord.model.context import Context
from onrecord.model.receipt import Receipt
from onrecord.model.record import Kind, Record, Status
from onrecord.model.trace import Hit, Trace
from onrecord.policy.defaults import Policy
from onrecord.session import Session

__all__ = [
    "BudgetTooSmall",
    "Context",
    "EmbedderError",
    "Hit",
    "InvalidInput",
    "Kind",
    "Memory",
    "NotFound",
    "OnRecordError",
    "Policy",
    "Receipt",
    "Record",
    "Session",
    "Status",
    "StoreError",
    "Trace",
    "VersionConflict",
]
