"""Any result as JSON: dataclasses by their public fields, enums by value, times in ISO 8601, sets in order."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from datetime import date, timedelta
from enum import Enum
from pathlib import Path
from typing import Any


def jsonable(value: Any) -> Any:
    """``value`` in the types JSON has. Raises ``TypeError`` for what has no such form."""
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, bool | int | str):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: jsonable(getattr(value, f.name)) for f in fields(value) if not f.name.startswith("_")}
    return _plain(value)


def as_json(value: Any, *, ascii_only: bool = False) -> str:
    """The JSON text of a result, indented."""
    return json.dumps(jsonable(value), ensure_ascii=ascii_only, indent=2, allow_nan=False)


def as_json_line(value: Any) -> str:
    """The JSON text of a result on one line."""
    return json.dumps(jsonable(value), ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    match value:
        case float():
            return value if math.isfinite(value) else None
        case date():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case Path():
            return str(value)
        case Mapping():
            return {str(jsonable(key)): jsonable(entry) for key, entry in value.items()}
        case AbstractSet():
            return sorted((jsonable(entry) for entry in value), key=str)
        case list() | tuple():
            return [jsonable(entry) for entry in value]
    if hasattr(value, "tolist"):  # numbers and arrays of numpy
        return jsonable(value.tolist())
    raise TypeError(f"{type(value).__name__} has no JSON form")
