"""basic-memory by the tools of its MCP server: a project for each subject, a note (a Markdown file) for each message.

Notes are written as files and then taken in by what its ``project index`` runs, its way for more than one at once. ``default`` is
``search_notes`` without options, which is hybrid and drops what is below a likeness of .55, set for another embedder; ``best``
drops nothing (``min_similarity=0.0``). Its reranker is a model that is fetched, and off unless asked for.
"""

import asyncio
import os
import sqlite3
import sys
from hashlib import sha1
from importlib.metadata import version
from pathlib import Path
from urllib.parse import quote, unquote

if not hasattr(sqlite3.Connection, "enable_load_extension"):  # its vectors are an extension
    import pysqlite3

    sys.modules["sqlite3"], sys.modules["sqlite3.dbapi2"] = pysqlite3, pysqlite3.dbapi2

import wire

PAGE = 100


class BasicMemory(wire.Child):
    def open(self, folder, setting, endpoint):
        os.environ |= {
            "BASIC_MEMORY_CONFIG_DIR": str(Path(folder, "config")),
            "BASIC_MEMORY_HOME": str(Path(folder, "main")),
            "BASIC_MEMORY_SEMANTIC_EMBEDDING_PROVIDER": "openai",
            "BASIC_MEMORY_SEMANTIC_EMBEDDING_API_BASE": endpoint,
            "BASIC_MEMORY_SEMANTIC_EMBEDDING_API_KEY": "none",
            "BASIC_MEMORY_SEMANTIC_EMBEDDING_MODEL": "minilm",
            "BASIC_MEMORY_SEMANTIC_EMBEDDING_DIMENSIONS": "384",
        }
        from basic_memory.config import init_mcp_logging
        from basic_memory.index import local_project
        from basic_memory.mcp import tools

        init_mcp_logging()  # without it every step is printed
        self._tools, self._index, self._loop = tools, local_project, asyncio.new_event_loop()
        self._notes, self._floor = Path(folder, "notes"), 0.0 if setting == "best" else None
        self._projects = {one.name: one for one in self._wait(_projects())}
        can = ["add", "search", "everything", "erase"]
        return {"version": version("basic-memory"), "embedder": "endpoint", "can": can}

    def add(self, subject, messages):
        project = self._project(_name(subject))
        count = len(list(Path(project.path).glob("*.md")))
        for number, one in enumerate(messages, count):
            Path(project.path, f"{number:06} {quote(one['id'], safe='')}.md").write_text(_note(number, one), "utf-8")
        runtime = self._index.LocalProjectIndexRuntimeFactory()
        self._wait(self._index.run_local_project_index_for_project(project, runtime_factory=runtime))

    def search(self, subject, query, limit):
        found, _ = self._page(subject, query=query, page_size=limit, min_similarity=self._floor)
        return [wire.hit(one["content"], _id(one["file_path"])) for one in found]

    def everything(self, subject):
        notes, page, more = [], 0, True
        while more:
            page += 1
            found, more = self._page(subject, note_types=["note"], page=page, page_size=PAGE)
            notes += found
        return [wire.hit(one["content"], _id(one["file_path"])) for one in sorted(notes, key=lambda one: one["file_path"])]

    def erase(self, subject):
        if self._projects.pop(name := _name(subject), None):
            self._wait(self._tools.delete_project(name, delete_notes=True))

    def close(self):
        from basic_memory import db

        self._wait(db.shutdown_db())

    def _project(self, name):
        if name not in self._projects:
            self._wait(self._tools.create_memory_project(name, str(self._notes / name)))
            self._projects = {one.name: one for one in self._wait(_projects())}
        return self._projects[name]

    def _page(self, subject, **asked):
        if (name := _name(subject)) not in self._projects:
            return [], False
        found = self._wait(self._tools.search_notes(project=name, output_format="json", **asked))
        if not isinstance(found, dict):
            raise RuntimeError(found)
        return found["results"], found["has_more"]

    def _wait(self, coming):
        return self._loop.run_until_complete(coming)


async def _projects():
    from basic_memory import db
    from basic_memory.config import ConfigManager
    from basic_memory.repository import ProjectRepository

    _, sessions = await db.get_or_create_db(ConfigManager().config.database_path, db.DatabaseType.FILESYSTEM)
    async with db.scoped_session(sessions) as session:
        return await ProjectRepository().get_active_projects(session)


def _note(number, message):
    """Title and permalink are part of what it embeds and looks words up in: both say nothing, so that the message decides."""
    return f"---\ntitle: m{number}\ntype: note\npermalink: m{number}\n---\n\n{wire.told(message)}\n"


def _id(path):
    return unquote(Path(path).stem.partition(" ")[2])


def _name(subject):
    """A project's name is also a folder and part of an address; any other than a plain one is its digest."""
    return subject if subject.replace("-", "").isalnum() and subject == subject.lower() else sha1(subject.encode()).hexdigest()


if __name__ == "__main__":
    wire.serve(BasicMemory())
