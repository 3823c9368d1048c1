"""How a function becomes an MCP tool: it is told whose memory, and clients may write what is not given as they like."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import ToolAnnotations
from pydantic import BeforeValidator, Field

from onrecord.errors import OnRecordError
from onrecord.model.key import Right
from onrecord.server.owners import Owners

#: What clients send for "not given".
_NOTHING = (None, "", "null")
_USER: TypeAlias = Annotated[str | None, Field(max_length=200, description="Whose memory: a user, e.g. ana.")]
_SUBJECT: TypeAlias = Annotated[
    str | None, Field(max_length=200, description="Whose memory, if it is no user's: kind:name, e.g. account:acme.")
]
_OWNER = {"user_id": _USER, "subject": _SUBJECT}


@dataclass(frozen=True, slots=True)
class Verb:
    """A tool before it is bound: its function takes a ``Whose`` first."""

    function: Callable[..., Any]
    right: Right
    annotations: ToolAnnotations


def bind(verb: Verb, owners: Owners) -> Tool:
    """The tool for these owners. Where they are not fixed it takes an owner too."""
    function, named = verb.function, {} if owners.fixed is not None else _OWNER

    @functools.wraps(function)
    def call(**given: Any) -> Any:
        try:
            whose = owners.whose(verb.right, {name: given.pop(name, None) for name in named})
            return function(whose, **given)
        except OnRecordError as error:
            raise ToolError(str(error)) from error

    signature = inspect.signature(function, eval_str=True)
    own = [p.replace(annotation=_lenient(p)) for name, p in signature.parameters.items() if name != "whose"]
    more = [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind) for n, kind in named.items()]
    flat = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own] + [p.replace(annotation=_lenient(p)) for p in more]
    call.__signature__ = signature.replace(parameters=flat)  # type: ignore[attr-defined]
    call.__annotations__ = {p.name: p.annotation for p in flat} | {"return": signature.return_annotation}
    del call.__wrapped__
    tool = Tool.from_function(call, description=inspect.getdoc(function), annotations=verb.annotations)
    tool.parameters = _plain(tool.parameters)
    return tool


def _lenient(parameter: inspect.Parameter) -> Any:
    """The type of a parameter; for an optional one null, "" and "null" mean that it was not given."""
    if parameter.default is parameter.empty:
        return parameter.annotation
    default = parameter.default
    return Annotated[parameter.annotation, BeforeValidator(lambda value: default if _is_nothing(value) else value)]


def _is_nothing(value: object) -> bool:
    return value is None or (isinstance(value, str) and value in _NOTHING)


def _plain(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema without "or null": some clients can't write a union, and what is optional can be left out."""
    return {**schema, "properties": {name: _without_null(one) for name, one in schema.get("properties", {}).items()}}


def _without_null(one: Mapping[str, Any]) -> dict[str, Any]:
    kinds = [kind for kind in one.get("anyOf", ()) if kind != {"type": "null"}]
    if len(kinds) != 1:
        return dict(one)
    rest = {name: value for name, value in one.items() if name not in ("anyOf", "default")}
    return {**kinds[0], **rest}
