"""Which memories can be compared, and how each is opened."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from bench.peers.baselines import BM25, TRANSCRIPT, VECTORS, Baseline, Transcript
from bench.peers.catalog import entries, python_of, root
from bench.peers.endpoint import Endpoint, afresh
from bench.peers.own import OnRecord
from bench.peers.peer import DEFAULT, SETTINGS, Peer
from bench.peers.remote import PATIENCE, RemotePeer

from onrecord.ports import Embedder

#: Those that run in this very environment.
LOCAL = ("onrecord", BM25, VECTORS, TRANSCRIPT)


def names() -> tuple[str, ...]:
    """Every peer that there is an adapter for, whether it is installed or not."""
    return (*LOCAL, *entries())


def settings(name: str) -> tuple[str, ...]:
    """The settings a peer has; one without options of its own has the defaults alone."""
    if name in LOCAL:
        return SETTINGS if name == "onrecord" else (DEFAULT,)
    return entries()[name].settings


def chosen(given: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Each ``NAME`` (all its settings) or ``NAME:SETTING``; all there are where nothing is given. Raises ``ValueError``."""
    found: list[tuple[str, str]] = []
    for one in given or names():
        name, _, setting = one.partition(":")
        _check(name, setting)
        found += [(name, each) for each in ([setting] if setting else settings(name))]
    return found


def installed(name: str, setting: str = DEFAULT) -> bool:
    """Whether the peer can be opened on this machine."""
    return name in LOCAL or python_of(entries()[name], setting, root()).exists()


def open_peer(
    name: str, setting: str = DEFAULT, *, endpoint: str = "", embedder: Embedder | None = None, patience: float = PATIENCE
) -> Peer:
    """A peer that is not open yet; one with an environment of its own runs as a child and embeds by ``endpoint``.

    ``endpoint`` is the base address of ``bench.peers.endpoint``; without one, one is served by this process from now on.
    ``embedder`` is for those of this environment. Raises ``ValueError`` for a name or setting that there is not, and for a peer
    that is not installed.
    """
    _check(name, setting)
    if name in LOCAL:
        return local_peer(name, setting, embedder)
    entry = entries()[name]
    python = python_of(entry, setting, root())
    if not python.exists():
        raise ValueError(f"peer: {name} ({setting}) is not at {python}; run python -m bench.peers.install {name}")
    return RemotePeer(
        name,
        setting,
        [str(python), str(entry.program)],
        endpoint=endpoint or _served(),
        environment={**entry.environment, "PYTHONPATH": ""},
        patience=patience,
    )


def local_peer(name: str, setting: str, embedder: Embedder | None = None) -> Peer:
    """A peer of this environment. ``embedder`` must give the packaged one's vectors."""
    _check(name, setting)
    if name == "onrecord":
        return OnRecord(setting, embedder)
    return Transcript(setting) if name == TRANSCRIPT else Baseline(name, setting, embedder)


def as_child(name: str, setting: str, *, endpoint: str, vectors: Path | None, patience: float = PATIENCE) -> RemotePeer:
    """Any peer as a child process, so that all are measured over the same line; ``vectors`` keeps those of this environment's."""
    if name not in LOCAL:
        found = open_peer(name, setting, endpoint=endpoint, patience=patience)
        assert isinstance(found, RemotePeer)
        return found
    _check(name, setting)
    command: Sequence[str] = [sys.executable, "-m", "bench.peers.serving", name, setting]
    kept = ["--cache", str(vectors)] if vectors else []
    here = os.pathsep.join(str(Path(place).resolve()) for place in sys.path if place or Path("bench").is_dir())
    return RemotePeer(name, setting, [*command, *kept], patience=patience, environment={"PYTHONPATH": here})


@cache
def _served() -> str:
    """The address of an endpoint of this process, started once."""
    server = Endpoint(afresh())
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.url


def _check(name: str, setting: str) -> None:
    if name not in names():
        raise ValueError(f"peer: there is no {name!r}; name one of {', '.join(names())}")
    if setting and setting not in settings(name):
        raise ValueError(f"setting: {name} has no {setting!r}; name one of {', '.join(settings(name))}")
