"""Memories for the cases: with the packaged embedder where meaning matters; and the command line in this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from onrecord.cli.main import run as run_command
from onrecord.memory import Memory
from onrecord.providers.embed import MiniLmEmbedder
from onrecord.providers.scripted import SteppingClock


@pytest.fixture(scope="session")
def minilm() -> MiniLmEmbedder:
    """The packaged embedder, loaded once."""
    return MiniLmEmbedder()


@pytest.fixture
def real(minilm: MiniLmEmbedder, clock: SteppingClock) -> Memory:
    """An empty memory in this process with the packaged embedder."""
    return Memory(":memory:", embedder=minilm, clock=clock)


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """Its output, read as JSON."""
        return json.loads(self.out)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Runs a command in this process, in an empty folder and without settings of the machine's own."""
    for name in ("DB", "TENANT", "USER", "CONFIG"):
        monkeypatch.delenv(f"ONRECORD_{name}", raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)

    def go(*words: str) -> Ran:
        code = run_command(words)
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return go
