"""Which memories can be compared, and how each is opened."""

from __future__ import annotations

from bench.peers.baselines import BM25, TRANSCRIPT, VECTORS, Baseline, Transcript
from bench.peers.own import OnRecord
from bench.peers.peer import DEFAULT, SETTINGS, Peer

from onrecord.ports import Embedder

#: Those that run in this very environment.
LOCAL = ("onrecord", BM25, VECTORS, TRANSCRIPT)


def names() -> tuple[str, ...]:
    """Every peer that there is an adapter for, whether it is installed or not."""
    return LOCAL


def settings(name: str) -> tuple[str, ...]:
    """The settings a peer has; one without options of its own has the defaults alone."""
    return (DEFAULT,) if name in (BM25, VECTORS, TRANSCRIPT) else SETTINGS


def open_peer(name: str, setting: str = DEFAULT, *, embedder: Embedder | None = None) -> Peer:
    """A peer that is not open yet. ``embedder`` is for those of this environment, and must give the packaged one's vectors.

    Raises ``ValueError`` for a name or setting that there is not.
    """
    if name not in names():
        raise ValueError(f"peer: there is no {name!r}; name one of {', '.join(names())}")
    if setting not in settings(name):
        raise ValueError(f"setting: {name} has no {setting!r}; name one of {', '.join(settings(name))}")
    if name == "onrecord":
        return OnRecord(setting, embedder)
    return Transcript(setting) if name == TRANSCRIPT else Baseline(name, setting, embedder)
