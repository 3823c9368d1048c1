"""``Client``: the verbs of ``Memory`` over a REST server. Needs the extra ``onrecord[client]``.

A request that did not get through, or was one too many, is sent again a few times, waiting longer each time. Where it may have
got through (no answer, 503) only what is harmless twice is repeated: reads, and ``add`` and ``remember``, which carry an
idempotency key. What the server refuses is raised as the library's own error.
"""

from onrecord.client.knowledge import RemoteKnowledge
from onrecord.client.line import Refused
from onrecord.client.memory import Client
from onrecord.client.run import RemoteRun
from onrecord.client.session import RemoteSession

__all__ = ["Client", "Refused", "RemoteKnowledge", "RemoteRun", "RemoteSession"]
