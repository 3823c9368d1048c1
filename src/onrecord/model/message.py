"""The parts of a message, whatever provider's shape it came in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Words:
    """Text that somebody wrote. ``original`` is the part as it came, or empty for a plain string."""

    text: str
    original: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call: ``arguments`` are JSON text, as OpenAI sends them. ``original`` is the part as it came."""

    id: str
    name: str
    arguments: str
    original: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Result:
    """What a call returned: a string or content parts. ``original`` is the part as it came."""

    call_id: str
    content: Any
    failed: bool = False
    original: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Media:
    """An image, sound or file, by reference or inline, as it came."""

    original: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Opaque:
    """A part that only its own provider understands (reasoning, citations), as it came."""

    original: Mapping[str, Any]


Part: TypeAlias = Words | Call | Result | Media | Opaque
