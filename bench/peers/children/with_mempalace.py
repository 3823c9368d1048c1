"""MemPalace by the tools of its MCP server: a wing for each subject, a room for each thread, a drawer for each message.

``default`` is its search as it is (vectors, re-ranked with BM25); ``best`` names the candidates of both (``candidate_strategy``
"union"). Its embedder is the ``openai-compat`` one of its documentation; the default would be fetched.
"""

import os
from hashlib import sha1
from importlib.metadata import version
from pathlib import Path

import wire

PAGE = 100
MOST = 100


class MemPalace(wire.Child):
    def open(self, folder, setting, endpoint):
        os.environ |= {
            "MEMPALACE_CONFIG_DIR": folder,
            "MEMPALACE_PALACE_PATH": str(Path(folder, "palace")),
            "MEMPALACE_EMBEDDING_MODEL": "openai-compat",
            "MEMPALACE_EMBEDDING_API_URL": endpoint,
            "MEMPALACE_EMBEDDING_API_MODEL": "minilm",
        }
        from mempalace import mcp_server

        self._tools = mcp_server
        self._strategy = "union" if setting == "best" else "vector"
        can = ["add", "search", "everything", "erase"]
        return {"version": version("mempalace"), "embedder": "endpoint", "can": can}

    def add(self, subject, messages):
        for one in messages:
            done = self._tools.tool_add_drawer(_name(subject), _name(one["thread"]), wire.told(one), source_file=_flat(one["id"]))
            if not done.get("success"):
                raise RuntimeError(done.get("error"))

    def search(self, subject, query, limit):
        found = self._tools.tool_search(query, limit=min(MOST, limit), wing=_name(subject), candidate_strategy=self._strategy)
        if "error" in found:
            if "No palace" in str(found["error"]):
                return []
            raise RuntimeError(found["error"])
        return [wire.hit(one["text"], _unflat(one.get("source_file"))) for one in found["results"]]

    def everything(self, subject):
        found = []
        for id in self._ids(subject):
            one = self._tools.tool_get_drawer(id)
            found.append(
                (one["metadata"].get("filed_at", ""), wire.hit(one["content"], _unflat(one["metadata"].get("source_file"))))
            )
        return [hit for _, hit in sorted(found, key=lambda pair: pair[0])]

    def erase(self, subject):
        for id in self._ids(subject):
            self._tools.tool_delete_drawer(id)

    def _ids(self, subject):
        ids = []
        while True:
            page = self._tools.tool_list_drawers(wing=_name(subject), limit=PAGE, offset=len(ids))
            drawers = page.get("drawers", [])
            ids += [one["drawer_id"] for one in drawers]
            if len(drawers) < PAGE:
                return ids


def _flat(id):
    """An id that looks like a path would come back as its last part."""
    return id.replace("/", "|")


def _unflat(source):
    return source.replace("|", "/") if source else None


def _name(name):
    """Wings and rooms may hold letters, digits, blanks and hyphens; any other name is its digest."""
    return name if name.replace("-", "").isalnum() else sha1(name.encode()).hexdigest()


if __name__ == "__main__":
    wire.serve(MemPalace())
