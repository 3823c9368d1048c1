"""Hindsight's engine with its model off, on a Postgres of its own: a bank for each subject, a document for each message.

Without a model it keeps texts whole ("chunks") and searches by vectors, words, its graph and dates, fused by rank. Its default
goes over what was found with a model that is fetched, and that nobody here has: ``rrf`` leaves it out. ``default`` is retain and
recall without options; ``best`` turns off graph, dates and what comes after the fusion, as its documentation advises for banks
of chunks.
"""

import asyncio
import os
from datetime import datetime
from importlib.metadata import version

import wire
from postgres import Postgres

PAGE = 500
PLAIN = {f"HINDSIGHT_API_ENABLE_{stage}": "false" for stage in ("GRAPH_RETRIEVAL", "TEMPORAL_RETRIEVAL", "RERANKING")}
GONE = 404


class Hindsight(wire.Child):
    def open(self, folder, setting, endpoint):
        self._postgres = Postgres(folder)
        os.environ |= {
            "HINDSIGHT_API_LLM_PROVIDER": "none",
            "HINDSIGHT_API_DATABASE_URL": self._postgres.url,
            "HINDSIGHT_API_EMBEDDINGS_PROVIDER": "openai",
            "HINDSIGHT_API_EMBEDDINGS_OPENAI_BASE_URL": endpoint,
            "HINDSIGHT_API_EMBEDDINGS_OPENAI_API_KEY": "none",
            "HINDSIGHT_API_EMBEDDINGS_OPENAI_MODEL": "minilm",
            "HINDSIGHT_API_RERANKER_PROVIDER": "rrf",
        }
        if setting == "best":
            os.environ |= PLAIN
        from hindsight_api import MemoryEngine
        from hindsight_api.extensions import OperationValidationError
        from hindsight_api.models import RequestContext

        self._loop, self._asked = asyncio.new_event_loop(), {"request_context": RequestContext()}
        self._engine, self._refused = MemoryEngine(), OperationValidationError
        self._wait(self._engine.initialize())
        can = ["add", "search", "everything", "erase"]
        return {"version": version("hindsight-api-slim"), "embedder": "endpoint", "can": can}

    def add(self, subject, messages):
        self._wait(self._engine.retain_batch_async(subject, [self._item(one) for one in messages], **self._asked))

    def search(self, subject, query, limit):
        found = self._there(self._engine.recall_async(subject, query, **self._asked))
        return [wire.hit(one.text, one.document_id) for one in (found.results[:limit] if found else ())]

    def everything(self, subject):
        units, page = [], True
        while page:
            found = self._there(self._engine.list_memory_units(subject, limit=PAGE, offset=len(units), **self._asked))
            page = found["items"] if found else []
            units += page
        return [wire.hit(one["text"], one["document_id"]) for one in sorted(units, key=lambda one: one["date"])]

    def erase(self, subject):
        self._wait(self._engine.delete_bank(subject, **self._asked))

    def close(self):
        self._wait(self._engine.close())
        self._postgres.close()

    def _item(self, message):
        return {"content": wire.told(message), "event_date": datetime.fromisoformat(message["at"]), "document_id": message["id"]}

    def _there(self, coming):
        """What comes of a call; nothing where there is no such bank, as after its erasure."""
        try:
            return self._wait(coming)
        except self._refused as error:
            if error.status_code != GONE:
                raise
            return None

    def _wait(self, coming):
        return self._loop.run_until_complete(coming)


if __name__ == "__main__":
    wire.serve(Hindsight())
