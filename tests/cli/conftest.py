"""A folder of its own for every test, and two ways to run a command: in this process, and as a program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import onrecord
from onrecord.cli.main import run as run_command

SOURCE = str(Path(onrecord.__file__).resolve().parents[1])


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """Its output, read as JSON."""
        return json.loads(self.out)


Run = Callable[..., Ran]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory; no settings of the machine's own."""
    for name in ("DB", "TENANT", "USER", "CONFIG", "EMBEDDER", "EMBEDDER_KEY", "RERANKER"):
        monkeypatch.delenv(f"ONRECORD_{name}", raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in this process."""

    def go(*words: str) -> Ran:
        code = run_command(words)
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return go


@pytest.fixture
def program(home: Path) -> Run:
    """Runs a command as a program of its own."""

    def go(*words: str, stdin: bytes = b"", **env: str) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "onrecord", *words],
            input=stdin,
            capture_output=True,
            cwd=home,
            env={**os.environ, "PYTHONPATH": SOURCE, **env},
            check=False,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    return go


@pytest.fixture
def ana(run: Run) -> str:
    """The id of one record of Ana's."""
    words = ("Ana prefers window seats.", "--user", "ana", "--kind", "preference", "--key", "seat", "--value", "window")
    return str(run("remember", *words, "--json").json()["items"][0]["record"]["id"])
