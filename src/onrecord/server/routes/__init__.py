"""The routes of the REST server: the verbs of ``Memory``, one each. They run in worker threads, so nothing blocks the loop."""

from onrecord.server.routes import documents, reading, records, runs, sessions, upkeep

ROUTERS = (records.routes, reading.routes, sessions.routes, runs.routes, documents.routes, upkeep.routes)

__all__ = ["ROUTERS"]
