"""Writers that are killed at any moment lose nothing that was acknowledged. ``CRASH_SECONDS=60`` runs it for a minute,
``python -m bench.crash --kills 500 --pause 0.4`` kills 500 times."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_killed_writers_lose_double_and_disorder_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    from bench.crash import run

    outcome = run(tmp_path, seconds=float(os.environ.get("CRASH_SECONDS", "4")), pause=0.5)
    assert outcome.whole, outcome
    assert outcome.acknowledged > 0
