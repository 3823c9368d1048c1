"""The vectors of the last texts, kept in front of an embedder."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from onrecord.errors import EmbedderError, InvalidInput
from onrecord.providers.embed.cache import VectorCache
from onrecord.providers.embed.guard import GuardedEmbedder
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.providers.scripted import FailingEmbedder


class Counted:
    """An embedder that notes what it was asked, and whose questions differ from its documents."""

    def __init__(self, name: str = "counted") -> None:
        self.name, self.dim, self.asked = name, 8, list[str]()

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        return HashingEmbedder(8).embed_documents(texts)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        self.asked.append(text)
        return -HashingEmbedder(8).embed_query(text)


def test_a_text_is_embedded_once_however_often_it_is_asked_about() -> None:
    inner = Counted()
    cache = VectorCache(inner)
    first = cache.embed_documents(["a", "b", "a"])
    assert np.array_equal(cache.embed_documents(["b", "a", "b"]), first[[1, 0, 1]])
    assert inner.asked == ["a", "b"]


def test_a_question_is_not_the_document_of_the_same_words() -> None:
    cache = VectorCache(Counted())
    (document,) = cache.embed_documents(["a"])
    assert np.array_equal(cache.embed_query("a"), -document)


def test_the_least_lately_used_goes_first() -> None:
    inner = Counted()
    cache = VectorCache(inner, size=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        cache.embed_query(text)
    assert inner.asked == ["a", "b", "c", "b"]


def test_another_name_has_other_vectors() -> None:
    inner = Counted()
    cache = VectorCache(inner)
    cache.embed_query("a")
    inner.name = "other"
    cache.embed_query("a")
    assert inner.asked == ["a", "a"]


def test_what_a_caller_does_to_a_vector_stays_with_the_caller() -> None:
    cache = VectorCache(Counted())
    cache.embed_query("a")[:] = 0.0
    assert cache.embed_query("a").any()


def test_a_failure_is_not_kept() -> None:
    cache = VectorCache(FailingEmbedder(HashingEmbedder(8), lambda n: n == 1))
    with pytest.raises(EmbedderError):
        cache.embed_query("a")
    assert cache.embed_query("a").shape == (8,)


def test_a_nonsense_answer_is_neither_given_nor_kept() -> None:
    inner = Counted()
    inner.dim = 9
    cache = VectorCache(inner)
    for _ in range(2):
        with pytest.raises(EmbedderError, match=r"returned shape \(1, 8\), not \(1, 9\)"):
            cache.embed_documents(["a"])
    assert inner.asked == ["a", "a"]


def test_no_room_is_refused() -> None:
    with pytest.raises(InvalidInput, match="size"):
        VectorCache(Counted(), size=0)


@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=5), max_size=12), st.integers(1, 4))
def test_the_answers_are_those_of_the_embedder_behind(calls: list[list[str]], size: int) -> None:
    plain, cache = GuardedEmbedder(HashingEmbedder(8)), VectorCache(HashingEmbedder(8), size=size)
    for texts in calls:
        assert np.array_equal(cache.embed_documents(texts), plain.embed_documents(texts))
