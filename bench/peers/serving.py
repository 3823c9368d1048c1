"""Runs a peer of this environment as a child, so that it is timed and measured over the same line as all others.

python -m bench.peers.serving NAME SETTING [--cache DIR]
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from bench.peers import peer
from bench.peers.children import wire
from bench.peers.registry import local_peer

from onrecord.build import open_embedder
from onrecord.evals.cache import CachedEmbedder


class Served(wire.Child):
    """A peer behind the line."""

    def __init__(self, inner: peer.Peer) -> None:
        self._inner = inner

    def open(self, folder: str, setting: str, endpoint: str) -> dict[str, Any]:
        """What it is; it embeds by itself and needs no endpoint."""
        facts = self._inner.open(Path(folder))
        return {"version": facts.version, "embedder": facts.embedder, "can": sorted(facts.can)}

    def add(self, subject: str, messages: Sequence[Mapping[str, Any]]) -> None:
        """Takes messages in."""
        self._inner.add(subject, [_message(one) for one in messages])

    def search(self, subject: str, query: str, limit: int) -> list[dict[str, Any]]:
        """Hits, best first."""
        return [asdict(hit) for hit in _done(self._inner.search, subject, query, limit)]

    def everything(self, subject: str) -> list[dict[str, Any]]:
        """What is stored, oldest first."""
        return [asdict(hit) for hit in _done(self._inner.everything, subject)]

    def erase(self, subject: str) -> None:
        """Takes everything of a subject away."""
        _done(self._inner.erase, subject)

    def context(self, subject: str, thread: str, tokens: int) -> list[dict[str, Any]]:
        """Messages for a model."""
        return list(_done(self._inner.context, subject, thread, tokens))

    def close(self) -> None:
        """Closes it."""
        self._inner.close()


def _done(call: Any, *arguments: Any) -> Any:
    try:
        return call(*arguments)
    except peer.Cannot as error:
        raise wire.Cannot(str(error)) from None


def _message(sent: Mapping[str, Any]) -> peer.Message:
    kept = {name: sent[name] for name in ("id", "thread", "role", "speaker", "text", "payload")}
    return peer.Message(**kept, at=datetime.fromisoformat(sent["at"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("setting")
    parser.add_argument("--cache", type=Path)
    given = parser.parse_args()
    embedder = CachedEmbedder(open_embedder("minilm"), given.cache.expanduser()) if given.cache else None
    wire.serve(Served(local_peer(given.name, given.setting, embedder)))


if __name__ == "__main__":
    main()
