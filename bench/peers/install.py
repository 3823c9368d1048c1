"""Installs the peers, each into a virtual environment of its own, from the package registry that pip is set to.

    python -m bench.peers.install [NAME ...] [--into DIR] [--lock]

An environment that holds what is asked for is left alone. ``--lock`` writes down what was installed, so that a later install gets
the same; with a lock there, it is kept to. DIR is ``~/.cache/onrecord/peers`` or ``ONRECORD_PEERS``.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.peers.catalog import LOCKS, Entry, entries, lock_of, root

_DONE = "installed.txt"
#: Where an interpreter is looked for that does what a peer needs, in this order; then those that pyenv keeps.
_PYTHONS = (sys.executable, "/usr/bin/python3", "python3.11", "python3.12", "python3.13", "python3.14")
_PYENV = "versions/3.*/bin/python"
_CHECK = (
    "import sqlite3, sys, venv; ok = sys.version_info >= {python!r} and "
    "(not {extensions} or hasattr(sqlite3.connect(':memory:'), 'enable_load_extension')); sys.exit(not ok)"
)


def install(entry: Entry, flavour: str, folder: Path, *, lock: bool = False) -> list[str]:
    """The frozen list of the environment after it was made or found complete. Raises ``CalledProcessError`` if pip fails."""
    place = folder / entry.name / flavour
    pinned = lock_of(entry, flavour)
    mark = place / _DONE
    wanted = stamp(entry.flavours[flavour], pinned)
    if not (mark.exists() and mark.read_text("utf-8") == wanted):
        subprocess.run([interpreter(entry), "-m", "venv", "--clear", place], check=True)
        constraints = ["-c", str(pinned)] if pinned.exists() else []
        pip: list[str | Path] = [place / "bin/python", "-m", "pip", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "-q", *constraints, *entry.flavours[flavour]], check=True)
        mark.write_text(wanted, "utf-8")
    frozen = _frozen(place)
    if lock:
        LOCKS.mkdir(exist_ok=True)
        pinned.write_text("\n".join(frozen) + "\n", "utf-8")
        mark.write_text(stamp(entry.flavours[flavour], pinned), "utf-8")
    return frozen


def interpreter(entry: Entry) -> str:
    """A Python that the peer runs on. Raises ``ValueError`` where there is none."""
    check = _CHECK.format(python=entry.python, extensions=entry.extensions)
    pythons = (*_PYTHONS, *map(str, sorted(_pyenv().glob(_PYENV))))
    for python in pythons:
        try:
            if subprocess.run([python, "-c", check], capture_output=True, check=False).returncode == 0:
                return python
        except OSError:
            continue
    what = f"Python {'.'.join(map(str, entry.python))}" + (" whose sqlite3 loads extensions" if entry.extensions else "")
    raise ValueError(f"{entry.name}: needs {what}; none of {', '.join(pythons)} is")


def _pyenv() -> Path:
    return Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser()


def stamp(requires: Sequence[str], pinned: Path) -> str:
    """What an environment was made from; another stamp means that it has to be made anew."""
    held = pinned.read_text("utf-8") if pinned.exists() else ""
    return hashlib.sha256("\n".join([*requires, held]).encode()).hexdigest()


def _frozen(place: Path) -> list[str]:
    listed = subprocess.run([place / "bin/python", "-m", "pip", "freeze"], check=True, capture_output=True, text=True).stdout
    return [line for line in listed.splitlines() if "==" in line]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known = entries()
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(known)}; none: all")
    parser.add_argument("--into", type=Path, default=root())
    parser.add_argument("--lock", action="store_true")
    given = parser.parse_args()
    if unknown := set(given.names) - set(known):
        parser.error(f"there is no {sorted(unknown)[0]!r}; name any of {', '.join(known)}")
    failed = []
    for name in given.names or known:
        for flavour, requires in known[name].flavours.items():
            print(f"{name} ({flavour}): {' '.join(requires)}", flush=True)
            try:
                frozen = install(known[name], flavour, given.into, lock=given.lock)
            except (subprocess.CalledProcessError, ValueError) as error:
                failed.append(name)
                print(f"  failed: {error}", flush=True)
            else:
                print(f"  {len(frozen)} packages in {given.into / name / flavour}", flush=True)
    if failed:
        sys.exit(f"not installed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
