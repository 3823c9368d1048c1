"""Choosing an embedder or a reranker by one string."""

from __future__ import annotations

import pytest

from onrecord.build import open_embedder, open_reranker
from onrecord.errors import InvalidInput
from onrecord.memory import Memory
from onrecord.providers.choice import EMBEDDERS, Choice, parse


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("minilm", Choice("minilm")),
        (" nomic@/srv/models ", Choice("nomic", where="/srv/models")),
        ("model2vec:minishlab/potion-base-8M", Choice("model2vec", "minishlab/potion-base-8M")),
        ("openai:text-embedding-3-large#1024", Choice("openai", "text-embedding-3-large", 1024)),
        ("openai:m#3@http://h:80/v1", Choice("openai", "m", 3, "http://h:80/v1")),
        ("ollama:nomic-embed-text:latest@http://h", Choice("ollama", "nomic-embed-text:latest", where="http://h")),
    ],
)
def test_a_choice_is_read(text: str, choice: Choice) -> None:
    assert parse(text, EMBEDDERS, "embedder") == choice


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("", "write minilm, nomic"),
        ("gpt", "openai:MODEL"),
        ("minilm:large", "write minilm"),
        ("openai", r"write openai:MODEL\[#DIM\]\[@WHERE\]"),
        ("openai:", "openai:MODEL"),
        ("fastembed:m#3", r"fastembed:MODEL\[@WHERE\]"),
        ("openai:m#many", "openai:MODEL"),
    ],
)
def test_what_is_no_choice_is_refused_with_the_forms_there_are(text: str, fix: str) -> None:
    with pytest.raises(InvalidInput, match=fix) as caught:
        Memory(":memory:", embedder=text) if text else open_embedder(text)
    assert caught.value.field == "embedder"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("minilm", "all-MiniLM-L6-v2/int8"),
        ("nomic", "nomic-embed-text-v1.5/int8"),
        ("wordllama", "wordllama/256"),
        ("model2vec:a/b", "model2vec:a/b"),
        ("fastembed:a/b@/x", "fastembed:a/b"),
        ("sentence-transformers:a/b", "sentence-transformers:a/b"),
        ("openai:m#64@http://h/v1", "openai:m#64"),
        ("openai:m", "openai:m"),
        ("ollama:m@http://h", "ollama:m"),
    ],
)
def test_each_choice_names_its_vectors_and_loads_nothing(text: str, name: str) -> None:
    with Memory(":memory:", embedder=text) as memory:
        assert memory.engine.embedder.name == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("bi-encoder:nomic", "bi-encoder:nomic-embed-text-v1.5/int8"),
        ("bi-encoder:ollama:m@http://h", "bi-encoder:ollama:m"),
        ("fastembed:a/b", "fastembed:a/b"),
        ("sentence-transformers:a/b", "sentence-transformers:a/b"),
    ],
)
def test_each_reranker_has_a_name(text: str, name: str) -> None:
    assert open_reranker(text).name == name


@pytest.mark.parametrize(("text", "field"), [("nomic", "reranker"), ("bi-encoder:gpt", "embedder"), ("fastembed", "reranker")])
def test_what_is_no_reranker_is_refused(text: str, field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        Memory(":memory:", reranker=text)
    assert caught.value.field == field
