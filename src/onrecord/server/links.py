"""Links of the OpenAPI description (spec.openapis.org/oas/v3.1.1, Link Object): which operations an answer leads to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def links(operations: Sequence[str], *, ids: str | None = None, **parameters: str) -> dict[int | str, dict[str, Any]]:
    """How a successful answer stands in the description of a route: its parameters are those of each of the ``operations``.

    ``ids`` is the id that operations on lists of rows are given."""
    found = {name: {"operationId": name, "parameters": dict(parameters)} for name in operations}
    if ids is not None:
        found |= {name: {"operationId": name, "requestBody": {"ids": [ids]}} for name in ("retract", "quarantine", "erase")}
    return {200: {"links": found}}
