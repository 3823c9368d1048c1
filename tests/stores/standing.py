"""Who stands in a line, as its file tells."""

from __future__ import annotations

import time
from pathlib import Path


def drawn(path: str, number: int, line: int = 0) -> None:
    """Comes back once ``number`` was drawn in a line of the file at ``path``."""
    end = time.monotonic() + 30
    while int.from_bytes(Path(path).read_bytes()[16 * line :][:8], "little") < number:
        assert time.monotonic() < end, f"nobody drew {number}"
        time.sleep(0)
