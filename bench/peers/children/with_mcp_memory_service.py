"""mcp-memory-service by the service its MCP tools call, on its SQLite backend: a store (its partition) for each subject.

``default`` is ``memory_store`` and ``memory_search`` without options: what is near something stored in the last day (cosine .85)
is rejected, and search is by vectors. ``best`` names the conversation, which its documentation has for saving turns (nothing but
exact repetition is rejected then), and searches ``hybrid``, fused by rank (of its two fusions the better one here).
"""

import asyncio
import os
from importlib.metadata import version
from pathlib import Path

import wire

PAGE = 500


class McpMemory(wire.Child):
    def open(self, folder, setting, endpoint):
        os.environ |= {
            "MCP_MEMORY_BASE_DIR": folder,
            "MCP_MEMORY_STORAGE_BACKEND": "sqlite_vec",
            "MCP_MEMORY_SQLITE_PATH": str(Path(folder, "memory.db")),
            "MCP_EXTERNAL_EMBEDDING_URL": f"{endpoint}/embeddings",
            "MCP_EXTERNAL_EMBEDDING_MODEL": "minilm",
        }
        if setting == "best":
            os.environ["MCP_HYBRID_FUSION_METHOD"] = "rrf"
        from mcp_memory_service.services.memory_service import MemoryService
        from mcp_memory_service.storage.sqlite_vec import SqliteVecMemoryStorage

        self._loop, self._best = asyncio.new_event_loop(), setting == "best"
        self._storage = SqliteVecMemoryStorage(str(Path(folder, "memory.db")))
        self._wait(self._storage.initialize())
        self._service = MemoryService(self._storage)
        can = ["add", "search", "everything", "erase"]
        return {"version": version("mcp-memory-service"), "embedder": "endpoint", "can": can}

    def add(self, subject, messages):
        for one in messages:
            named = {"conversation_id": one["thread"]} if self._best else {}
            kept = {"message": one["id"], "role": one["role"], "said_at": one["at"]}
            self._wait(self._service.store_memory(wire.told(one), metadata=kept, store=subject, **named))

    def search(self, subject, query, limit):
        mode = "hybrid" if self._best else "semantic"
        found = self._wait(self._storage.search_memories(query=query, mode=mode, limit=limit, store=subject))
        if found.get("error"):
            raise RuntimeError(found["error"])
        return [self._hit(one["content"], one) for one in found["memories"]]

    def everything(self, subject):
        return [self._hit(one.content, one.metadata) for one in sorted(self._all(subject), key=lambda one: one.created_at)]

    def erase(self, subject):
        for one in self._all(subject):
            self._wait(self._storage.delete(one.content_hash, store=subject))

    def close(self):
        self._wait(self._storage.close()) if asyncio.iscoroutinefunction(self._storage.close) else self._storage.close()

    def _all(self, subject):
        found = []
        while page := self._wait(self._storage.get_all_memories(limit=PAGE, offset=len(found), store=subject)):
            found += page
        return found

    def _hit(self, text, metadata):
        return wire.hit(text, (metadata or {}).get("message"))

    def _wait(self, coming):
        return self._loop.run_until_complete(coming)


if __name__ == "__main__":
    wire.serve(McpMemory())
