"""An embedder that is not what it was, or says nothing of what it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from onrecord.errors import InvalidInput
from onrecord.memory import Memory
from onrecord.model.receipt import TurnResult
from onrecord.providers.embed import HashingEmbedder


class Ones:
    def __init__(self, name: Any, dim: Any) -> None:
        self.name, self.dim = name, dim

    def embed_documents(self, texts: Any) -> Any:
        return np.ones((len(texts), self.dim), np.float32)

    def embed_query(self, text: str) -> Any:
        return np.ones(self.dim, np.float32)


def test_after_the_dimension_changed_under_one_name_a_turn_is_stored_and_waits(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.db", embedder=Ones("ones", 4)) as memory:
        memory.add("I prefer window seats.", user_id="ana")
    with Memory(tmp_path / "m.db", embedder=Ones("ones", 8)) as memory:
        (turn,) = memory.add("I am allergic to walnuts.", user_id="ana", session_id="s").turns
        assert turn.result is TurnResult.QUEUED
        assert "EmbedderMismatch" in turn.detail
        assert len(memory.session("s", user_id="ana").turns()) == 1


@pytest.mark.parametrize(("name", "dim"), [("", 4), (" ", 4), (None, 4), (7, 4), ("ones", 0), ("ones", None), ("ones", True)])
def test_an_embedder_without_a_sound_name_or_dimension_is_refused_when_the_memory_is_made(name: Any, dim: Any) -> None:
    with pytest.raises(InvalidInput, match="embedder"):
        Memory(":memory:", embedder=Ones(name, dim))


def test_vectors_of_another_model_are_not_compared_and_maintenance_makes_new_ones(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.db", embedder=HashingEmbedder(16)) as memory:
        memory.add("I am allergic to walnuts.", user_id="ana")
    with Memory(tmp_path / "m.db", embedder=HashingEmbedder(32)) as memory:
        (before,) = memory.search("allergic to walnuts", user_id="ana", include="records", threshold=0.0).hits
        assert "cosine" not in before.parts  # found by its words
        assert memory.maintain().embedded >= 1
        (after,) = memory.search("allergic to walnuts", user_id="ana", include="records", threshold=0.0).hits
        assert after.parts["cosine"] > 0.5
        assert memory.engine.store.check().faults == ()
