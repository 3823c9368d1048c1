"""LangGraph's ``SqliteStore`` with its vector index: a namespace for each subject, a message under its own id."""

from importlib.metadata import version
from pathlib import Path

import wire
from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore

PAGE = 1000


class LangGraph(wire.Child):
    def open(self, folder, setting, endpoint):
        index = {"dims": 384, "embed": lambda texts: wire.embed(endpoint, texts), "fields": ["text"]}
        self._held = SqliteStore.from_conn_string(str(Path(folder, "store.db")), index=index)
        self._store = self._held.__enter__()
        self._store.setup()
        can = ["add", "search", "everything", "erase"]
        return {"version": version("langgraph-checkpoint-sqlite"), "embedder": "endpoint", "can": can}

    def add(self, subject, messages):
        self._store.batch([PutOp((subject,), one["id"], {"text": wire.told(one)}) for one in messages])

    def search(self, subject, query, limit):
        return [self._hit(item) for item in self._store.search((subject,), query=query, limit=limit)]

    def everything(self, subject):
        return [self._hit(item) for item in sorted(self._items(subject), key=lambda item: item.created_at)]

    def erase(self, subject):
        for item in self._items(subject):
            self._store.delete((subject,), item.key)

    def close(self):
        self._held.__exit__(None, None, None)

    def _items(self, subject):
        found = []
        while page := self._store.search((subject,), limit=PAGE, offset=len(found)):
            found += page
        return found

    def _hit(self, item):
        return wire.hit(item.value["text"], item.key)


if __name__ == "__main__":
    wire.serve(LangGraph())
