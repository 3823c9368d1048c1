"""Transfer: rows go out into a file of JSON lines, and come in from one. Few of them are in memory at a time.

A file appears whole or not at all. What comes in is written in batches, each in one transaction, under the ids it has: an import
that died is repeated, and recognises what is there already.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from onrecord.errors import InvalidInput
from onrecord.model.parcel import PARCELS, Extent, Fate, Loaded, Parcel, id_of, tenant_of
from onrecord.model.transfer import Exported, Imported, Trouble
from onrecord.pipeline.progress import Progress, quiet
from onrecord.policy.portable import check_head, head_line, parcel_line, parcel_of
from onrecord.ports import Engine

_AT_ONCE = 256
#: Bytes that the first line has at the most.
_HEAD = 1 << 20
#: So many troubles are told one by one.
_TOLD = 100
_KINDS = {kind: word for word, kind in PARCELS.items()}


def export(engine: Engine, path: str | Path, extent: Extent, progress: Progress = quiet) -> Exported:
    """The file made. Raises ``InvalidInput`` if it cannot be written, or is there and no export."""
    rows: Counter[str] = Counter()
    with _whole(Path(path)) as file:
        file.write(f"{head_line(extent)}\n".encode())
        for parcel in engine.store.dump(extent):
            file.write(f"{parcel_line(parcel)}\n".encode())
            rows[_KINDS[type(parcel)]] += 1
            if rows.total() % _AT_ONCE == 0:
                progress("rows", rows.total(), 0)
    return Exported(path=str(path), size=Path(path).stat().st_size, rows=dict(rows))


@contextmanager
def _whole(path: Path) -> Iterator[IO[bytes]]:
    """A file beside ``path`` that takes its place once it is written and on disk."""
    there = path.exists()
    if there and (not path.is_file() or (path.stat().st_size and not _is_export(path))):
        raise InvalidInput("path", f"{path} is there and is no export", "name another file")
    part = path.with_name(f"{path.name}.part-{os.getpid()}")
    try:
        with part.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        raise InvalidInput("path", f"{path}: {error.strerror}", "name a file that can be written") from error
    finally:
        part.unlink(missing_ok=True)


def _is_export(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            check_head(file.readline(_HEAD).decode("utf-8-sig", "replace"))
    except InvalidInput:
        return False
    return True


def import_from(
    engine: Engine, path: str | Path, *, tenant: str | None, strict: bool = False, progress: Progress = quiet
) -> Imported:
    """What became of every line; those of another ``tenant`` than the one given are refused. With ``strict`` the first line that
    cannot be taken in ends it: ``InvalidInput`` names it, and what stands before it is in."""
    arrivals = _Arrivals(engine, tenant, strict, progress)
    try:
        with Path(path).open("rb") as file:
            arrivals.size = os.fstat(file.fileno()).st_size
            head = file.readline(_HEAD)
            check_head(head.decode("utf-8-sig", "replace"))  # programs that edit text may put a mark of its bytes first
            arrivals.read = len(head)
            for number, line in enumerate(file, 2):
                arrivals.take(number, line)
    except OSError as error:
        raise InvalidInput("source", f"{path}: {error.strerror}", "name a file that export wrote") from error
    return arrivals.result()


@dataclass(slots=True)
class _Arrivals:
    """Lines on their way into the store."""

    engine: Engine
    tenant: str | None
    strict: bool
    progress: Progress
    size: int = 0
    lines: int = 0
    read: int = 0
    waiting: list[tuple[int, Parcel]] = field(default_factory=list)
    fates: dict[Fate, Counter[str]] = field(default_factory=lambda: {fate: Counter() for fate in Fate})
    troubles: list[Trouble] = field(default_factory=list)

    def take(self, number: int, line: bytes) -> None:
        """Reads a line; a full batch is written."""
        self.read += len(line)
        if not line.strip():
            return
        self.lines += 1
        try:
            parcel = parcel_of(_text(line))
            if self.tenant is not None and tenant_of(parcel) != self.tenant:
                raise InvalidInput("tenant", f"is {tenant_of(parcel)!r}", f"open it, or all: this is {self.tenant!r}")
        except InvalidInput as error:
            self._trouble(Trouble(number, Fate.REFUSED, "", str(error)))
            return
        self.waiting.append((number, parcel))
        if len(self.waiting) >= _AT_ONCE:
            self.write()

    def write(self) -> None:
        """Writes what waits, in one transaction."""
        waiting, self.waiting = self.waiting, []
        done = self.engine.store.load([parcel for _, parcel in waiting]) if waiting else []
        for (number, parcel), loaded in zip(waiting, done, strict=True):
            self._count(number, parcel, loaded)
        self.progress("bytes", self.read, self.size)

    def _count(self, number: int, parcel: Parcel, loaded: Loaded) -> None:
        kind = _KINDS[type(parcel)]
        if loaded.fate in (Fate.CONFLICT, Fate.REFUSED):
            self._trouble(Trouble(number, loaded.fate, f"{kind} {id_of(parcel)}", loaded.detail))
        else:
            self.fates[loaded.fate][kind] += 1

    def _trouble(self, trouble: Trouble) -> None:
        if self.strict:
            self.strict = False
            self.write()
            told = f"{trouble.what}: {trouble.why}" if trouble.what else trouble.why
            raise InvalidInput(f"line {trouble.line}", told, "what stands before it is in; mend it and repeat")
        self.fates[trouble.fate]["line"] += 1
        if len(self.troubles) < _TOLD:
            self.troubles.append(trouble)

    def result(self) -> Imported:
        """What became of everything."""
        self.write()
        added, updated, same = (dict(self.fates[fate]) for fate in (Fate.ADDED, Fate.UPDATED, Fate.SAME))
        return Imported(
            lines=self.lines,
            added=added,
            updated=updated,
            same=same,
            conflicts=self.fates[Fate.CONFLICT].total(),
            refused=self.fates[Fate.REFUSED].total(),
            troubles=tuple(sorted(self.troubles, key=lambda trouble: trouble.line)),
        )


def _text(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput("line", f"is no UTF-8: {error.reason}", "restore the line from where it was written") from None
