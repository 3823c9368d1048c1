"""What ``peers.toml`` says: which memories live in environments of their own, what these need, and where they stand."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bench.peers.peer import BEST, SETTINGS

_HERE = Path(__file__).parent
LIST = _HERE / "peers.toml"
LOCKS = _HERE / "locks"


@dataclass(frozen=True, slots=True)
class Entry:
    """One peer. ``requires`` are exact requirements; ``best`` those of an environment of its own for the best setting.

    ``python`` is the least version it runs on, ``extensions`` whether its SQLite must be able to load extensions.
    """

    name: str
    home: str
    requires: tuple[str, ...]
    settings: tuple[str, ...]
    best: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    python: tuple[int, ...] = (3, 11)
    extensions: bool = False

    def flavour(self, setting: str) -> str:
        """Which of its environments a setting runs in."""
        return BEST if setting == BEST and self.best else "default"

    @property
    def flavours(self) -> dict[str, tuple[str, ...]]:
        """Its environments and what each needs."""
        return {"default": self.requires, **({BEST: self.best} if self.best else {})}

    @property
    def program(self) -> Path:
        """The child's program."""
        return _HERE / "children" / f"with_{self.name.replace('-', '_')}.py"


def entries(path: Path = LIST) -> dict[str, Entry]:
    """The peers of the list, in its order. Raises ``ValueError`` that names the peer and what is wrong."""
    return {name: _entry(name, given) for name, given in tomllib.loads(path.read_text("utf-8")).items()}


def root() -> Path:
    """The folder of the environments: ``ONRECORD_PEERS``, or one in the cache of the user."""
    return Path(os.environ.get("ONRECORD_PEERS", "~/.cache/onrecord/peers")).expanduser()


def python_of(entry: Entry, setting: str, folder: Path) -> Path:
    """The interpreter that a setting of a peer runs with, whether it is there or not."""
    return folder / entry.name / entry.flavour(setting) / "bin" / "python"


def lock_of(entry: Entry, flavour: str) -> Path:
    """The file that pins everything of an environment."""
    return LOCKS / f"{entry.name}-{flavour}.txt"


def _entry(name: str, given: Mapping[str, object]) -> Entry:
    best = given.get(BEST, {})
    requires, more = _list(name, given, "requires"), _list(name, best, "requires") if best else ()
    for requirement in (*requires, *more):
        if "==" not in requirement:
            raise ValueError(f"{name}.requires: {requirement!r} is not exact; write NAME==VERSION")
    settings = _list(name, given, "settings")
    if unknown := set(settings) - set(SETTINGS):
        raise ValueError(f"{name}.settings: there is no {sorted(unknown)[0]!r}; name any of {', '.join(SETTINGS)}")
    environment = given.get("environment", {})
    assert isinstance(environment, dict)
    return Entry(
        name,
        str(given.get("home", "")),
        requires,
        settings,
        more,
        {variable: str(value) for variable, value in environment.items()},
        tuple(int(part) for part in str(given.get("python", "3.11")).split(".")),
        bool(given.get("extensions", False)),
    )


def _list(name: str, given: object, field_name: str) -> tuple[str, ...]:
    found = given.get(field_name) if isinstance(given, dict) else None
    if not isinstance(found, list) or not found:
        raise ValueError(f"{name}.{field_name}: is missing; give a list")
    return tuple(str(one) for one in found)
