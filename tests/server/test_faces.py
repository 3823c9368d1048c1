"""Every public verb of the library is in REST, in the client and (where a model should have it) in MCP, or stands here with the
reason why not. A new verb needs one line here, or the tests fail."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest

from onrecord import Memory, Run, Session
from onrecord.client import Client, RemoteKnowledge, RemoteRun, RemoteSession
from onrecord.knowledge import KnowledgeBase
from onrecord.server.app import rest_app
from onrecord.server.tools import VERBS

#: The operation of each verb in the description of the REST server, and its tool (or why there is none).
FACES: dict[str, tuple[str, str]] = {
    "Memory.add": ("add_memories", "add_memory"),
    "Memory.remember": ("remember", "add_memory"),
    "Memory.update": ("update_memory", "update_memory"),
    "Memory.retract": ("retract", "forget"),
    "Memory.delete": ("delete_memory", "delete_memory"),
    "Memory.delete_all": ("delete_memories", "- a model takes one record away at a time, so that a person sees each"),
    "Memory.erase": ("erase", "- for good and with the dialogue: a person's decision, with an admin's key"),
    "Memory.search": ("search", "search_memories"),
    "Memory.get": ("get_memory", "get_memory"),
    "Memory.get_all": ("list_memories", "list_memories"),
    "Memory.history": ("history", "why"),
    "Memory.why": ("why", "why"),
    "Memory.refusals": ("refusals", "- for who runs the memory: a model can do nothing about them"),
    "Memory.misses": ("misses", "- for who runs the memory: a model can do nothing about them"),
    "Memory.context": ("context", "get_context"),
    "Memory.session": ("session", "read_session"),
    "Memory.sessions": ("sessions", "list_sessions"),
    "Memory.run": ("run", "- the state of a program, which that program keeps"),
    "Memory.lineage": ("lineage", "lineage"),
    "Memory.quarantine": ("quarantine", "- whom not to trust is a person's decision, and what is distrusted may ask for it"),
    "Memory.review": ("review", "review_memories"),
    "Memory.renew": ("renew", "confirm_memory"),
    "Memory.expire": ("expire", "confirm_memory"),
    "Memory.maintain": ("maintain", "- for who runs the memory"),
    "Memory.undo": ("undo", "- for who runs the memory"),
    "KnowledgeBase.add": ("add_document", "- what is to be looked up is for who runs the memory to choose"),
    "KnowledgeBase.search": ("search_documents", "search_knowledge"),
    "KnowledgeBase.get": ("get_document", "search_knowledge"),
    "KnowledgeBase.passages": ("passages", "search_knowledge"),
    "KnowledgeBase.get_all": ("list_documents", "search_knowledge"),
    "KnowledgeBase.remove": ("remove_document", "- as add"),
    "Session.add": ("add_turns", "add_memory"),
    "Session.compact": ("compact_session", "- for the program that assembles the contexts"),
    "Session.end": ("end_session", "end_session"),
    "Session.fork": ("fork_session", "- for the program that leads the conversation"),
    "Session.rename": ("update_session", "- for the program that shows a list of conversations"),
    "Session.archive": ("update_session", "- for the program that shows a list of conversations"),
    "Session.info": ("session", "list_sessions"),
    "Session.turns": ("turns", "read_session"),
    "Session.messages": ("messages", "read_session"),
    "Session.summary": ("summary", "- for the program that assembles the contexts"),
    "Session.search": ("search_session", "search_memories"),
    "Session.context": ("session_context", "get_context"),
    "Run.reload": ("run", "- the state of a program, which that program keeps"),
    "Run.checkpoint": ("checkpoint", "- the state of a program, which that program keeps"),
    "Run.pause": ("checkpoint", "- the state of a program, which that program keeps"),
    "Run.resume": ("checkpoint", "- the state of a program, which that program keeps"),
    "Run.complete": ("complete", "- the state of a program, which that program keeps"),
}
#: Verbs that no server has, and why.
HERE_ALONE = {
    "Memory.export_to": "writes a file beside the caller; a server's stands on another machine",
    "Memory.import_from": "the same, of a file that is read",
    "Memory.backup": "the same; who runs a server makes its backups",
    "Memory.reembed": "of every tenant, for as long as it takes: for who runs the server",
    "Memory.close": "of a handle, which each process has of its own",
    "Session.window": "for programs that assemble contexts by themselves: a server's are assembled by context, which counts",
    "Session.tokens": "the same",
    "Session.sizes": "the same",
    "Run.retry": "changes the state in the caller's hands; checkpoint saves it",
}
#: Arguments that a server does not take, by verb or by name alone, and why or what stands for them.
NOT_SENT = {
    "formatters": "functions of the process",
    "Memory.remember.idempotency_key": "the header Idempotency-Key",
    "Memory.get_all.statuses": "status, repeated",
    "Memory.session.session_id": "in the path",
    "Session.turns.last": "limit",
    "Run.pause.waiting_for": "in the state",
    "Run.resume.answer": "in the state",
}
REMOTE = {"Memory": Client, "KnowledgeBase": RemoteKnowledge, "Session": RemoteSession, "Run": RemoteRun}


def verbs() -> Iterator[tuple[str, Any]]:
    for cls in (Memory, KnowledgeBase, Session, Run):
        for name, method in inspect.getmembers(cls, inspect.isfunction):
            if not name.startswith("_"):
                yield f"{cls.__name__}.{name}", method


@pytest.fixture(scope="module")
def described() -> dict[str, set[str]]:
    """Each operation of the REST server by its name: the arguments it takes."""
    schema = rest_app(Memory(":memory:"), local=True).openapi()

    def properties(reference: dict[str, Any]) -> set[str]:
        for one in (reference, *reference.get("anyOf", ())):
            if "$ref" in one:
                return set(schema["components"]["schemas"][one["$ref"].rpartition("/")[2]]["properties"])
        return set()

    found = {}
    for path, operations in schema["paths"].items():
        for operation in operations.values() if path.startswith("/v1") else ():
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            named = {parameter["name"] for parameter in operation.get("parameters", ())}
            found[operation["operationId"]] = named | properties(body)
    return found


def test_every_verb_has_its_faces_or_a_reason() -> None:
    assert {name for name, _ in verbs()} == set(FACES) | set(HERE_ALONE)
    assert not set(FACES) & set(HERE_ALONE)


def test_every_operation_and_every_tool_belongs_to_a_verb(described: dict[str, Any]) -> None:
    assert {operation for operation, _ in FACES.values()} == set(described)
    assert {tool for _, tool in FACES.values() if not tool.startswith("- ")} == {verb.function.__name__ for verb in VERBS}


@pytest.mark.parametrize("name", FACES)
def test_the_client_has_the_verb(name: str) -> None:
    cls, _, verb = name.partition(".")
    assert callable(getattr(REMOTE[cls], verb))


@pytest.mark.parametrize(("name", "method"), [(name, method) for name, method in verbs() if name in FACES])
def test_the_server_takes_every_argument_of_the_verb(described: dict[str, set[str]], name: str, method: Any) -> None:
    operation, _ = FACES[name]
    fields = [p.name for p in inspect.signature(method).parameters.values() if p.kind is not p.VAR_KEYWORD and p.name != "self"]
    missing = [one for one in fields if one not in described[operation] and not {one, f"{name}.{one}"} & set(NOT_SENT)]
    assert missing == []


@pytest.mark.parametrize("name", list(REMOTE))
def test_the_client_has_nothing_that_the_library_has_not(name: str) -> None:
    own = {verb for verb, _ in inspect.getmembers(REMOTE[name], inspect.isfunction) if not verb.startswith("_")}
    assert own <= {verb.partition(".")[2] for verb, _ in verbs() if verb.startswith(f"{name}.")}
