"""What a writer wrote down as acknowledged, line by line, in a file of its own that no kill can take back."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path


class Notes:
    """The notes of one writer. A line is with the operating system when ``add`` returns: a kill leaves all or nothing of it."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY)

    def add(self, *words: object) -> None:
        """Notes one line."""
        os.write(self._file, (" ".join(map(str, words)) + "\n").encode())


def noted(folder: Path, first: str) -> Iterator[list[str]]:
    """The words behind ``first`` of every line that begins with it, of all writers, each writer's in order."""
    for file in sorted(folder.glob("*.acknowledged")):
        for line in file.read_text("utf-8").splitlines():
            word, *rest = line.split(" ")
            if word == first:
                yield rest
