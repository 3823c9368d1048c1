"""What changed from one JSON value to another, itself a JSON value: of an object the fields that differ, of a list what was added
at its end, of anything else the new value."""

from __future__ import annotations

import json
from typing import Any

#: Names of the parts of a difference: fields that changed and that went, what a list was continued with, and another value.
_CHANGED, _GONE, _MORE, _NEW = "~", "-", "+", "="


def same(one: Any, other: Any) -> bool:
    """Whether two values have the same JSON text, by which 1, 1.0 and true differ."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def difference(old: Any, new: Any) -> Any:
    """What ``changed`` makes ``new`` of ``old`` with."""
    if isinstance(old, dict) and isinstance(new, dict):
        fields = {name: difference(old[name], new[name]) if name in old else {_NEW: new[name]} for name in new}
        changed_fields = {name: fields[name] for name in new if name not in old or not same(old[name], new[name])}
        gone = [name for name in old if name not in new]
        return {_CHANGED: changed_fields, _GONE: gone} if gone else {_CHANGED: changed_fields}
    if isinstance(old, list) and isinstance(new, list) and old and same(new[: len(old)], old):
        return {_MORE: new[len(old) :]}
    return {_NEW: new}


def changed(old: Any, by: Any) -> Any:
    """``old`` changed by a ``difference``; ``old`` itself stays as it is. Raises ``KeyError``, ``TypeError`` if that is none."""
    if _NEW in by:
        return by[_NEW]
    if _MORE in by:
        return [*old, *by[_MORE]]
    fields = {name: value for name, value in old.items() if name not in by.get(_GONE, ())}
    return fields | {name: changed(old.get(name), change) for name, change in by[_CHANGED].items()}
