"""Routes about threads of dialogue: list, add to, read, search, compact, end, fork, rename, put away."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query

from onrecord.errors import InvalidInput
from onrecord.server.answering import Answering
from onrecord.server.callers import CHANGED, ONE, Caller, Once, Reader, Thread, Whose, Writer, identified
from onrecord.server.links import links
from onrecord.session import Session
from onrecord.wire import answers, requests, threads
from onrecord.wire.cursor import thread_at

routes = Answering("/sessions", "sessions")
_ABOUT = ("session", "turns", "messages", "end_session", "compact_session", "summary", "fork_session", "update_session")


@routes.get("", summary="The owner's threads", responses=links(_ABOUT, session_id="$response.body#/threads/0/id"))
def sessions(caller: Reader, asked: Annotated[requests.ThreadList, Query()]) -> threads.Threads:
    """By their last turn, newest first, in pages."""
    given = {**asked.arguments(), "limit": asked.limit + 1}
    if asked.after is not None:
        given["after"] = thread_at(asked.after, caller.memory.tenant)
    return threads.Threads.of(caller.memory.sessions(**caller.owned(given)), asked.limit)


@routes.get("/{session_id}", summary="One thread", responses=ONE)
def session(caller: Reader, session_id: Thread, whose: Whose) -> threads.Thread:
    """Its title, how long it is, when something was said in it last."""
    return threads.Thread.of(_thread(caller, session_id, whose.arguments())[0].info())


@routes.patch("/{session_id}", summary="Rename a thread, or put it away", responses=ONE)
def update_session(caller: Writer, session_id: Thread, change: requests.ThreadChange) -> threads.Thread:
    """What is not named stays."""
    if change.title is None and change.archived is None:
        raise InvalidInput("title", "is missing", "name a title, or archived")
    found, _ = _thread(caller, session_id, change.arguments())
    if change.title is not None:
        info = found.rename(change.title)
    if change.archived is not None:
        info = found.archive(change.archived)
    return threads.Thread.of(info)


@routes.post("/{session_id}/turns", summary="Add to a thread", responses=links(_ABOUT, session_id="$request.path.session_id"))
def add_turns(caller: Writer, session_id: Thread, asked: requests.AddTurns, idempotency_key: Once = None) -> answers.Added:
    """As taking messages in; each is durable when this answers."""
    found, given = _thread(caller, session_id, asked.arguments())
    given["messages"] = identified(asked.messages, idempotency_key)
    return answers.Added.of(found.add(**given))


@routes.get("/{session_id}/turns", summary="What was said in a thread")
def turns(caller: Reader, session_id: Thread, whose: Annotated[requests.Whose, Query()]) -> list[answers.Said]:
    """The last turns, oldest first; none for a thread that is not there."""
    found, _ = _thread(caller, session_id, whose.arguments())
    return [answers.Said.of(turn) for turn in found.turns(last=whose.limit)]


@routes.get("/{session_id}/messages", summary="A thread as messages of a provider")
def messages(caller: Reader, session_id: Thread, asked: Annotated[requests.Said, Query()]) -> threads.Dialogue:
    """What came in that shape comes back as it was, but for secrets and the caller's ids."""
    found, given = _thread(caller, session_id, asked.arguments())
    return threads.Dialogue(messages=found.messages(**given))


@routes.get("/{session_id}/summary", summary="The newest summary of a thread")
def summary(caller: Reader, session_id: Thread, whose: Whose) -> threads.Summarized | None:
    """Of its older turns; nothing where there is none."""
    found = _thread(caller, session_id, whose.arguments())[0].summary()
    return None if found is None else threads.Summarized.of(found)


@routes.post("/{session_id}/compact", summary="Have a summary stand for older turns", responses=CHANGED)
def compact_session(caller: Writer, session_id: Thread, asked: requests.Compact) -> threads.Compacted:
    """The turns stay; what binds is in the summary whatever the budget. A thread that fits is left alone."""
    found, given = _thread(caller, session_id, asked.arguments())
    return threads.Compacted.of(found.compact(**given))


@routes.post("/{session_id}/end", summary="Put on record what happened in a thread", responses=CHANGED)
def end_session(caller: Writer, session_id: Thread, whose: requests.Owner) -> answers.Added:
    """One record that tells what was discussed, decided and used, and the outcome. Safe to repeat; the thread can go on."""
    return answers.Added.of(_thread(caller, session_id, whose.arguments())[0].end())


@routes.post("/{session_id}/fork", summary="Another thread with copies of the turns", responses=CHANGED)
def fork_session(caller: Writer, session_id: Thread, asked: requests.Fork) -> threads.Thread:
    """All of them, or those up to a number."""
    found, given = _thread(caller, session_id, asked.arguments())
    return threads.Thread.of(found.fork(**given).info())


@routes.post("/{session_id}/search", summary="Find what is on record about the next message")
def search_session(caller: Reader, session_id: Thread, asked: requests.SearchInThread) -> answers.FoundMemories:
    """In the owner's whole memory; what the message leaves out is taken from the last turns."""
    found, given = _thread(caller, session_id, asked.arguments())
    return answers.FoundMemories.of(found.search(**given))


@routes.post("/{session_id}/context", summary="Messages to send to a model, for the next message")
def session_context(caller: Reader, session_id: Thread, asked: requests.ThreadContextAsked) -> threads.Assembled:
    """With the dialogue of the thread; without a message it ends in what is to be answered."""
    found, given = _thread(caller, session_id, asked.arguments())
    return threads.Assembled.of(found.context(**given))


def _thread(caller: Caller, session_id: str, given: dict[str, Any]) -> tuple[Session, dict[str, Any]]:
    """The thread, and those of the arguments that do not name its owner. ``subjects`` are checked against the key too."""
    owned = caller.owned(given)
    owner = {name: owned.pop(name, None) for name in ("user_id", "agent_id", "subject")}
    return caller.memory.session(session_id, **owner), owned
