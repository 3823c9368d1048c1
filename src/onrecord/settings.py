"""Settings of the edges (the command line, a server): a TOML file, then the environment, then what the caller gave.

The file is ``$ONRECORD_CONFIG``, or ``onrecord.toml`` in the working directory if there is one:

    db = "memory/onrecord.db"
    tenant = "acme"
    user = "ana"                 # whose memory is meant when a command names nobody
    embedder = "nomic"           # as providers.choice lists them; "minilm" is the default
    previous_embedder = "minilm" # what rows may still have vectors of, until "onrecord reembed" is through
    reranker = "bi-encoder:nomic"
    chat = "openai:gpt-4.1-mini" # writes summaries; as providers.choice lists them
    reader = "http://localhost:8080/v1#qwen"    # reads what people say, when ``maintain`` runs

    [policy]                     # any number or switch of ``policy.defaults.Policy``; times are in days
    search_limit = 8
    lifespan = {preference = 365}

Of the environment ``ONRECORD_DB``, ``ONRECORD_TENANT``, ``ONRECORD_USER``, ``ONRECORD_EMBEDDER``, ``ONRECORD_PREVIOUS_EMBEDDER``,
``ONRECORD_RERANKER``, ``ONRECORD_CHAT``, ``ONRECORD_READER``, and the keys ``ONRECORD_EMBEDDER_KEY``, ``ONRECORD_CHAT_KEY`` and
``ONRECORD_READER_KEY`` count; a key stands in no file. The library itself reads none of this.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import timedelta
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Any

from onrecord.errors import InvalidInput
from onrecord.policy.defaults import Policy

FILE = "onrecord.toml"
_WORDS = ("db", "tenant", "user", "embedder", "previous_embedder", "reranker", "chat", "reader")
#: What the environment alone may hold.
_SECRETS = ("embedder_key", "chat_key", "reader_key")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Where the memory is, whose walls hold, and the numbers it goes by. ``user`` may be left open."""

    db: str = "onrecord.db"
    tenant: str = "default"
    user: str | None = None
    embedder: str = "minilm"
    previous_embedder: str | None = None
    reranker: str | None = None
    chat: str | None = None
    reader: str | None = None
    embedder_key: str = field(default="", repr=False)
    chat_key: str = field(default="", repr=False)
    reader_key: str = field(default="", repr=False)
    policy: Policy = field(default_factory=Policy)


def load(environ: Mapping[str, str] | None = None, folder: Path | None = None) -> Settings:
    """The settings in force. Raises ``InvalidInput`` that names the file and the key."""
    env = os.environ if environ is None else environ
    path = _file(env, folder or Path())
    table = _table(path) if path else {}
    named: dict[str, Any] = {word: env[name] for word in (*_WORDS, *_SECRETS) if env.get(name := f"ONRECORD_{word.upper()}")}
    return replace(_settings(table), **named)


def _file(env: Mapping[str, str], folder: Path) -> Path | None:
    named = env.get("ONRECORD_CONFIG")
    if named and not Path(named).is_file():
        raise InvalidInput("ONRECORD_CONFIG", f"{named} is no file", "name a TOML file, or unset it")
    path = Path(named) if named else folder / FILE
    return path if path.is_file() else None


def _table(path: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(str(path), f"is not TOML: {error}", "see https://toml.io") from None


def _settings(table: Mapping[str, Any]) -> Settings:
    for word in _SECRETS:
        if word in table:
            raise InvalidInput(word, "stands in a file", f"take it out, and set ONRECORD_{word.upper()} in the environment")
    _refuse_unknown(table, (*_WORDS, "policy"), "")
    for word in _WORDS:
        if not isinstance(table.get(word, ""), str):
            raise InvalidInput(word, f"is a {type(table[word]).__name__}", f'write {word} = "..."')
    words = {word: table[word] for word in _WORDS if word in table}
    return Settings(**words, policy=_policy(table.get("policy", {})))


def _policy(table: object) -> Policy:
    if not isinstance(table, Mapping):
        raise InvalidInput("policy", f"is a {type(table).__name__}", "write it as a table: [policy]")
    base = Policy()
    _refuse_unknown(table, [f.name for f in fields(Policy)], "policy.")
    given = {name: _like(getattr(base, name), value, f"policy.{name}") for name, value in table.items()}
    try:
        return replace(base, **given)
    except InvalidInput as error:
        raise InvalidInput(f"policy.{error.field}", error.problem, error.fix) from None


def _like(model: object, value: object, name: str) -> Any:
    """``value`` in the type of ``model``: a number, days, or a table whose entries replace those of the default."""
    if isinstance(model, Mapping):
        return _merged(model, value, name)
    if isinstance(model, StrEnum):
        if value not in (words := [str(one) for one in type(model)]):
            raise InvalidInput(name, f"{str(value)[:40]!r} is not known", "write " + ", ".join(words))
        return type(model)(value)
    if isinstance(model, bool):
        if not isinstance(value, bool):
            raise InvalidInput(name, f"is a {type(value).__name__}", "write true or false")
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(name, f"is a {type(value).__name__}", "write a number")
    if isinstance(model, timedelta):
        return timedelta(days=value)
    if isinstance(model, int) and value != int(value):
        raise InvalidInput(name, f"is {value}", "write a whole number")
    return type(model)(value)  # type: ignore[call-arg]


def _merged(model: Mapping[str, object], value: object, name: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise InvalidInput(name, f"is a {type(value).__name__}", "write a table, e.g. {preference = 365}")
    sample, kind = next(iter(model.values())), type(next(iter(model)))
    given = {word: _like(sample, entry, f"{name}.{word}") for word, entry in value.items()}
    if not issubclass(kind, StrEnum):  # by names that somebody else gave, such as those of embedders
        return {**model, **given}
    by_word = {str(key): key for key in kind}
    _refuse_unknown(value, by_word, f"{name}.")
    return {**model, **{by_word[word]: entry for word, entry in given.items()}}


def _refuse_unknown(table: Mapping[str, object], known: Iterable[str], prefix: str) -> None:
    names = list(known)
    for key in table:
        if key not in names:
            near = get_close_matches(key, names, 1)
            fix = f"did you mean {prefix}{near[0]}?" if near else "known are " + ", ".join(names)
            raise InvalidInput(f"{prefix}{key}", "is no setting", fix)
