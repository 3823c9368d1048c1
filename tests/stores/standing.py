"""Who stands in a line, as its file tells."""

from __future__ import annotations

import time
from pathlib import Path


def number(path: str) -> int:
    """The number drawn last in the first line of the file at ``path``."""
    return int.from_bytes(Path(path).read_bytes()[:8], "little")


def drawn(path: str, wanted: int) -> None:
    """Comes back once ``wanted`` was drawn there."""
    end = time.monotonic() + 30
    while number(path) < wanted:
        assert time.monotonic() < end, f"nobody drew {wanted}"
        time.sleep(0)
