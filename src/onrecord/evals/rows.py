"""What a run found for each question, as JSON lines that are written as they come, so that an interrupted run can go on.

The first line says what run it is (``{"run": {...}}``): the set, the options, the models, and a digest of the code. A run goes on
from a file only where all of that is the same, since its rows would not compare otherwise.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias

import onrecord
from onrecord.errors import InvalidInput

Row: TypeAlias = Mapping[str, Any]
_CODE = (".py", ".sql", ".npz", ".txt")


class RowFile:
    """The rows of one run, in a file or, without a path, in memory alone.

    ``rows`` are those that were there and those added since, in order. What a killed process left of a last line is cut off.

    Raises:
        InvalidInput: the file holds another run, no run at all, or cannot be written.
    """

    def __init__(self, path: Path | None, run: Mapping[str, Any]) -> None:
        self.rows: list[dict[str, Any]] = []
        self._path, self._run = path, json.loads(json.dumps(dict(run)))
        self._file = None
        if path is None:
            return
        try:
            self._take_up(path)
            self._file = path.open("a", encoding="utf-8", newline="\n")
            if not path.stat().st_size:
                self._write({"run": self._run})
        except OSError as error:
            raise InvalidInput("--rows", f"{path}: {error.strerror}", "name a file that can be written") from None

    def __enter__(self) -> RowFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def add(self, row: Row) -> None:
        """Adds a row; the operating system has it when this returns."""
        plain = json.loads(json.dumps(dict(row), allow_nan=False))
        self.rows.append(plain)
        if self._file is not None:
            self._write(plain)

    def ids(self, **where: object) -> set[str]:
        """The ids of the rows that have these fields."""
        return {str(row["id"]) for row in self.rows if all(row.get(name) == value for name, value in where.items())}

    def close(self) -> None:
        """Closes the file."""
        if self._file is not None:
            self._file.close()

    def _take_up(self, path: Path) -> None:
        if not path.exists() or not path.stat().st_size:
            return
        whole, end, torn = path.read_bytes().rpartition(b"\n")
        if not whole and torn.startswith(b'{"run"'):  # killed before there was a row
            path.write_bytes(b"")
            return
        run, self.rows = read_lines(whole.decode("utf-8", "replace"), path)
        if run != self._run:
            differ = ", ".join(sorted(name for name in {*run, *self._run} if run.get(name) != self._run.get(name)))
            raise InvalidInput("--rows", f"{path} holds the rows of another run ({differ})", "name another file, or remove it")
        if torn:
            with path.open("r+b") as file:
                file.truncate(len(whole) + len(end))

    def _write(self, row: Row) -> None:
        assert self._file is not None
        self._file.write(json.dumps(row, ensure_ascii=False) + "\n")
        self._file.flush()


def read_rows(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The run and the rows of a file. Raises ``InvalidInput`` for one that cannot be read or holds no run."""
    try:
        return read_lines(path.read_text("utf-8"), path)
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(str(path), f"can't be read: {error}", "name a file that --rows wrote") from None


def read_lines(text: str, path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The run and the rows of a text; ``path`` is where it stands. Raises ``InvalidInput`` that names the line."""
    found = []
    for number, line in enumerate(filter(None, text.split("\n")), 1):
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict) or (number > 1 and "id" not in row):
            raise InvalidInput(str(path), f"line {number} is no row", "name a file that --rows wrote, or a new one")
        found.append(row)
    if not found or not isinstance(found[0].get("run"), dict):
        raise InvalidInput(str(path), "does not begin with its run", "name a file that --rows wrote, or a new one")
    return found[0]["run"], found[1:]


@cache
def code_digest() -> str:
    """Sixteen digits that differ where the code of this package does, its queries, prompts and small weights included."""
    digest = hashlib.sha256()
    root = Path(onrecord.__file__).parent
    for path in sorted(root.rglob("*")):
        if path.suffix in _CODE and path.is_file():
            digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]
