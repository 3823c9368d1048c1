"""How a model is chosen in one string: ``KIND[:MODEL][#DIM][@WHERE]``.

    minilm                                      the default, in this package
    nomic  nomic@/srv/models                    the better local one; @ the folder of its file
    wordllama                                   static, inside the package wordllama
    model2vec:minishlab/potion-base-8M          static; a name on its hub or a folder
    fastembed:BAAI/bge-small-en-v1.5            @ a folder with the model's files
    sentence-transformers:BAAI/bge-m3           a name on its hub or a folder
    openai:text-embedding-3-small               any server of that protocol: @http://localhost:8000/v1
    openai:text-embedding-3-large#1024          # the length of its vectors, where it is known
    ollama:nomic-embed-text                     @http://localhost:11434

A language model, for summaries (``chat``) or to read with (``reader``):

    openai:gpt-4.1-mini                         any server of that protocol: @http://localhost:8000/v1
    http://localhost:8080/v1#qwen2.5            the same, by its address
    ollama:qwen2.5:7b                           @http://localhost:11434/v1
    anthropic:claude-haiku-4-5  google:gemini-2.5-flash

A reranker is ``bi-encoder:`` and an embedder, or ``fastembed:`` or ``sentence-transformers:`` and a cross-encoder.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from onrecord.errors import InvalidInput

_CHOICE = re.compile(r"(?P<kind>[a-z0-9-]+)(?::(?P<model>[^@#]*))?(?:#(?P<dim>\d{1,6}))?(?:@(?P<where>.+))?")


@dataclass(frozen=True, slots=True)
class Parts:
    """What a choice may name beside its kind."""

    model: bool = False
    dim: bool = False
    where: bool = False


EMBEDDERS: Mapping[str, Parts] = {
    "minilm": Parts(),
    "nomic": Parts(where=True),
    "wordllama": Parts(),
    "model2vec": Parts(model=True),
    "fastembed": Parts(model=True, where=True),
    "sentence-transformers": Parts(model=True),
    "openai": Parts(model=True, dim=True, where=True),
    "ollama": Parts(model=True, dim=True, where=True),
}
RERANKERS: Mapping[str, Parts] = {"fastembed": Parts(model=True, where=True), "sentence-transformers": Parts(model=True)}
CHATS: Mapping[str, Parts] = {
    "openai": Parts(model=True, where=True),
    "ollama": Parts(model=True, where=True),
    "anthropic": Parts(model=True, where=True),
    "google": Parts(model=True, where=True),
}
BI_ENCODER = "bi-encoder:"


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice in its parts; those not named are empty, or None."""

    kind: str
    model: str = ""
    dim: int | None = None
    where: str = ""


def parse(text: str, known: Mapping[str, Parts], field: str) -> Choice:
    """The parts of a choice among ``known`` kinds. Raises ``InvalidInput`` that names ``field``."""
    match = _CHOICE.fullmatch(text.strip())
    parts = known.get(match["kind"]) if match else None
    if match is None or parts is None:
        raise InvalidInput(field, f"{text[:60]!r} is not known", f"write {', '.join(map(_form, known.items()))}")
    given = {name: bool(match[name]) for name in ("model", "dim", "where")}
    wrong = [name for name, there in given.items() if there and not getattr(parts, name)]
    if wrong or (parts.model and not given["model"]):
        raise InvalidInput(field, f"{text[:60]!r} is not of the form", f"write {_form((match['kind'], parts))}")
    return Choice(match["kind"], match["model"] or "", int(match["dim"]) if match["dim"] else None, match["where"] or "")


def _form(entry: tuple[str, Parts]) -> str:
    kind, parts = entry
    optional = ("[#DIM]" if parts.dim else "") + ("[@WHERE]" if parts.where else "")
    return kind + (":MODEL" if parts.model else "") + optional
