"""Which state of the project figures are of."""

from __future__ import annotations

import subprocess
from pathlib import Path

_ROOT = Path(__file__).parents[2]
#: What a figure depends on; the files of results change while it runs.
_MEASURED = ("src", "bench", ":!bench/peers/results")


def revision(root: Path = _ROOT) -> str:
    """The commit of a checkout, short; empty outside of one. A ``+`` follows where what is measured differs from it."""
    asked = (
        ["git", "rev-parse", "--short", "HEAD"],
        ["git", "status", "--porcelain", "--untracked-files=no", "--", *_MEASURED],
    )
    try:
        commit, differs = (
            subprocess.run(one, capture_output=True, text=True, check=True, cwd=root).stdout.strip() for one in asked
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return f"{commit}+" if differs else commit
