"""The first rows looked at again: the order of both opinions, and the order without when the second one fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from onrecord.errors import InvalidInput, RerankerError
from onrecord.memory import Memory
from onrecord.policy.defaults import Policy
from onrecord.providers.embed import HashingEmbedder
from onrecord.providers.rerank import BiEncoderReranker

SAID = ["The blue bicycle is in the cellar.", "Our bicycle needs a new chain.", "Bicycle lamps are sold out.", "Soup at noon."]
ASKED = "where is the bicycle"


class Scripted:
    """Scores by a function of the texts, which it notes."""

    name = "scripted"

    def __init__(self, score: Callable[[str], Any]) -> None:
        self._score, self.asked = score, list[tuple[str, list[str]]]()

    def scores(self, query: str, texts: Sequence[str]) -> Any:
        self.asked.append((query, list(texts)))
        return [self._score(text) for text in texts]


@pytest.fixture(params=["inmemory", "sqlite"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path:
    return ":memory:" if request.param == "inmemory" else tmp_path / "memory.db"


def memory_with(path: str | Path, reranker: Any, **policy: Any) -> Memory:
    memory = Memory(path, embedder=HashingEmbedder(), reranker=reranker, policy=Policy(**policy))
    memory.add(SAID, user_id="ana", session_id="s")
    return memory


def found(memory: Memory, *, rerank: bool) -> Any:
    return memory.search(ASKED, user_id="ana", include="episodes", threshold=0.0, limit=4, rerank=rerank)


def test_the_second_opinion_moves_rows_and_leaves_relevance_alone(path: str | Path) -> None:
    scripted = Scripted(lambda text: float("lamps" in text))
    with memory_with(path, scripted, rerank_weight=1.0) as memory:
        plain, again = found(memory, rerank=False), found(memory, rerank=True)
        assert "lamps" not in plain.hits[0].text
        assert "lamps" in again.hits[0].text
        assert {hit.id: hit.relevance for hit in plain.hits} == {hit.id: hit.relevance for hit in again.hits}
        assert again.hits[0].parts["rerank"] == 1.0
        assert "rerank" not in again.hits[1].parts or again.hits[1].parts["rerank"] == 0.0
        kept = memory.engine.store.trace(memory._address("ana", None, None, None, None).reach, again.trace.id)
        assert kept is not None
        assert (kept.reranker, kept.rerank_fault) == ("scripted", "")
        assert (plain.trace.reranker, plain.trace.rerank_fault) == ("", "")


def test_only_the_first_rows_are_looked_at_and_they_stay_first(path: str | Path) -> None:
    scripted = Scripted(lambda text: -len(text))
    with memory_with(path, scripted, rerank_weight=1.0, rerank_depth=2) as memory:
        plain, again = found(memory, rerank=False), found(memory, rerank=True)
        ((query, texts),) = scripted.asked
        assert (query, len(texts)) == (ASKED, 2)
        assert all(text.startswith("[") and text.endswith(hit.text) for text, hit in zip(texts, plain.hits, strict=False))
        assert {hit.id for hit in again.hits[:2]} == {hit.id for hit in plain.hits[:2]}
        assert [hit.id for hit in again.hits[2:]] == [hit.id for hit in plain.hits[2:]]


def _fails(text: str) -> float:
    raise OSError("no route")


@pytest.mark.parametrize(
    ("score", "why"),
    [(_fails, "failed: OSError"), (lambda text: float("nan"), "not finite"), (lambda text: [1.0, 2.0], "scores for")],
)
def test_when_it_fails_the_order_is_that_without_and_the_trace_says_why(
    path: str | Path, score: Callable[[str], Any], why: str
) -> None:
    with memory_with(path, Scripted(score)) as memory:
        plain, again = found(memory, rerank=False), found(memory, rerank=True)
        assert [(hit.id, hit.score) for hit in again.hits] == [(hit.id, hit.score) for hit in plain.hits]
        assert again.trace.reranker == "scripted"
        assert why in again.trace.rerank_fault
        (last, *_) = memory.engine.store.traces(memory._address("ana", None, None, None, None).reach)
        assert last.rerank_fault == again.trace.rerank_fault


def test_asking_for_it_where_there_is_none_is_refused() -> None:
    with Memory(":memory:", embedder=HashingEmbedder()) as memory, pytest.raises(InvalidInput, match="rerank: needs a reranker"):
        memory.search("anything", user_id="ana", rerank=True)


@pytest.mark.parametrize("text", ["", "   "])
def test_a_search_without_words_is_not_reranked(text: str) -> None:
    scripted = Scripted(_fails)
    with memory_with(":memory:", scripted) as memory:
        assert memory.search(text, user_id="ana", rerank=True).trace.reranker == ""
        assert scripted.asked == []


def test_another_embedder_is_a_second_opinion(path: str | Path) -> None:
    reranker = BiEncoderReranker(HashingEmbedder(256))
    assert reranker.scores("blue bicycle", ["a blue bicycle", "soup"])[0] > 0.5 > reranker.scores("blue bicycle", ["soup"])[0]
    with memory_with(path, reranker) as memory:
        again = found(memory, rerank=True)
        assert again.trace.reranker == "bi-encoder:hashing/256"
        assert "cellar" in again.hits[0].text


def test_an_error_of_a_reranker_names_it() -> None:
    from onrecord.build import build

    engine = build(":memory:", reranker=Scripted(_fails))
    assert engine.reranker is not None
    assert engine.reranker.scores("a", []) == []
    with pytest.raises(RerankerError, match="reranker scripted failed: OSError"):
        engine.reranker.scores("a", ["b"])
