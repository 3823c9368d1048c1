"""Logs as JSON, one object a line: when, what, in which request, for which tenant, run and session; never what was said.

A line holds no text that a caller or a record could have put there: of this package the message before its arguments are filled
in, of others none at all; of an error its class and where it was raised, not its words.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from collections.abc import Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import IO, Any

from onrecord.telemetry import CALL

#: The id of the HTTP request that is being answered. Threads that answer it have a copy.
REQUEST: ContextVar[str | None] = ContextVar("request", default=None)
#: Numbers and words that a line of ours may carry beside: none of them is from a record.
_FIELDS = ("method", "route", "status", "ms", "tenant", "key")


class JsonLines(logging.Formatter):
    """Formats records as JSON objects."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        own = record.name.partition(".")[0] == "onrecord"
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": str(record.msg) if own else f"{record.module}.{record.funcName}:{record.lineno}",
            **_context(),
            **{name: getattr(record, name) for name in _FIELDS if own and hasattr(record, name)},
            **_error(record),
        }
        return json.dumps({name: value for name, value in line.items() if value is not None}, ensure_ascii=False, default=str)


def log_json(stream: IO[str] | None = None, level: int = logging.INFO) -> logging.Handler:
    """Sends every log of this process, from ``level`` on, to a stream (stderr) as JSON lines; the handler that does."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    for old in list(root.handlers):
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    logging.getLogger("onrecord").setLevel(level)
    return handler


def _context() -> Mapping[str, Any]:
    call = CALL.get()
    told = {} if call is None else {"tenant": call.tenant, "run": call.run, "session": call.session, "call": call.operation}
    return {"request": REQUEST.get(), **told}


def _error(record: logging.LogRecord) -> Mapping[str, Any]:
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return {}
    frames = traceback.extract_tb(error.__traceback__)
    return {"error": type(error).__qualname__, "at": [f"{one.filename}:{one.lineno} {one.name}" for one in frames]}
