"""Runs the REST server until it is told to stop; requests under way are answered first."""

from __future__ import annotations

import sys

from onrecord.memory import Memory
from onrecord.server.app import rest_app
from onrecord.server.garbage import settle
from onrecord.server.host import is_loopback, refuse_open, serve
from onrecord.server.limits import Limits

#: Seconds after which a thread that computes lets another go on. With Python's .005 the event loop waits that long for each
#: of the threads that are before it.
_SWITCH = 0.000_5


def serve_rest(memory: Memory, host: str, port: int, limits: Limits | None = None) -> None:
    """Serves at ``http://host:port`` until interrupted.

    Raises ``InvalidInput`` for a host that others can reach while no key is kept."""
    if not memory.engine.store.keys():
        refuse_open(host, "make a key first: onrecord keys add NAME --right write")
    app = rest_app(memory, local=is_loopback(host), limits=limits)
    app.openapi()
    warm(memory)
    sys.setswitchinterval(_SWITCH)
    serve(app, host, port)


def warm(memory: Memory) -> None:
    """Does once, before anybody waits, what is slow the first time: the model is loaded, patterns are compiled.

    In a memory of its own, so that nothing is left behind. On the threads of a server it would hold the event loop."""
    engine = memory.engine
    with Memory(":memory:", embedder=engine.embedder, policy=engine.policy, tokens=engine.tokens) as scratch:
        for said in ("I moved to Porto last week, and I never eat pork.", "Actually I live in Lisbon."):
            scratch.add(said, user_id="nobody", session_id="s")
        scratch.search("Where did I live in March?", user_id="nobody")
        scratch.context("And what do I eat there?", user_id="nobody", session_id="s")
    settle()
