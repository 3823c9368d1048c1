"""``AsyncMemory``, ``AsyncSession``, ``AsyncRun``: the same verbs for an event loop, each a method of its sync twin on a thread.

No call blocks the loop: it runs on one of ``policy.call_threads`` threads, with the context variables of who called; further
calls queue. Parameters, results and errors are those of the twin, whose documentation applies. Formatters, embedders and models
are called on those threads too.

**Cancelling** a call (a timeout, a client that hung up) takes the result away from the caller and nothing else. A call that still
waits for a thread never runs; one that runs goes on to its end, and what it commits is committed whole. Who cannot know which
of the two it was repeats the call: a message with an ``id`` is stored once, however often it comes, and a ``checkpoint`` may be
repeated.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar

from onrecord.errors import StoreClosed
from onrecord.knowledge import KnowledgeBase
from onrecord.memory import Memory
from onrecord.model.run import RunStatus
from onrecord.model.scope import Reach
from onrecord.policy.defaults import Policy
from onrecord.policy.dialogue.formatting import Formatter
from onrecord.policy.language.vocabulary import Vocabulary
from onrecord.ports import ChatModel, Clock, Credentials, Embedder, Ids, Knowledge, Reranker, Resolver, Store, TokenCounter
from onrecord.run import Run
from onrecord.session import Session

__all__ = ["AsyncMemory", "AsyncRun", "AsyncSession", "drive"]

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")
T = TypeVar("T")
F = TypeVar("F")


class _Threads:
    """So many threads that calls run on, each with the context of its caller."""

    def __init__(self, count: int) -> None:
        self._count, self._closed = count, False
        self._begin()

    def _begin(self) -> None:
        self._pid, self._pool = os.getpid(), ThreadPoolExecutor(self._count, thread_name_prefix="onrecord")

    async def run(self, call: Callable[..., R], *args: Any, **kwargs: Any) -> R:
        """What ``call`` returns. Raises ``StoreClosed`` after ``close``."""
        if self._closed:
            raise StoreClosed("this memory was closed")
        if self._pid != os.getpid():  # threads do not come along into the child of a fork
            self._begin()
        bound = functools.partial(contextvars.copy_context().run, call, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self._pool, bound)

    async def close(self, last: Callable[[], None]) -> None:
        """Waits for the calls under way and does ``last``, also where the caller is cancelled meanwhile."""
        self._closed = True

        def end() -> None:
            if self._pid == os.getpid():
                self._pool.shutdown()
            last()

        await asyncio.shield(asyncio.to_thread(end))


class _Face(ABC, Generic[S]):
    """A handle whose methods are those of ``S`` on threads. ``_do`` runs there."""

    _threads: _Threads

    @abstractmethod
    def _do(self, method: Callable[..., R], *args: Any, **kwargs: Any) -> R:
        """What the method returns, called on the twin."""


def _threaded(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[_Face[S], P], Coroutine[Any, Any, R]]:
    """The method of the twin as a coroutine function with its signature and documentation."""

    @functools.wraps(method)
    async def call(self: _Face[S], /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await self._threads.run(self._do, method, *args, **kwargs)

    return call


def _handing(
    method: Callable[Concatenate[S, P], T], face: Callable[[_Threads, T], F]
) -> Callable[Concatenate[_Face[S], P], Coroutine[Any, Any, F]]:
    """As ``_threaded``, where the method returns a handle: its ``face`` is what comes back."""

    @functools.wraps(method)
    async def call(self: _Face[S], /, *args: P.args, **kwargs: P.kwargs) -> F:
        return face(self._threads, await self._threads.run(self._do, method, *args, **kwargs))

    return call


class _OfRun(Generic[T]):
    """An attribute of the run behind an ``AsyncRun``, to read and to set."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, run: AsyncRun, owner: type) -> T:
        value: T = getattr(run._twin, self._name)
        return value

    def __set__(self, run: AsyncRun, value: T) -> None:
        setattr(run._twin, self._name, value)


class AsyncRun(_Face[Run]):
    """A handle on one run; ``AsyncMemory.run`` makes it, at the last step that was saved. As ``Run``, whose attributes it has.

    Its calls run one after the other. Change ``plan``, ``values``, ``results`` and ``retries`` between them, not while one is
    under way: what is saved may or may not hold the change.
    """

    def __init__(self, threads: _Threads, twin: Run) -> None:
        self._threads, self._twin, self._turn = threads, twin, threading.Lock()

    id = _OfRun[str]()
    step = _OfRun[int]()
    status = _OfRun[RunStatus]()
    completed = _OfRun[bool]()
    plan = _OfRun[list[Any]]()
    values = _OfRun[dict[str, Any]]()
    results = _OfRun[dict[str, Any]]()
    retries = _OfRun[dict[str, int]]()
    waiting_for = _OfRun[str | None]()
    state = _OfRun[dict[str, Any]]()

    reload = _threaded(Run.reload)
    retry = _threaded(Run.retry)
    checkpoint = _threaded(Run.checkpoint)
    pause = _threaded(Run.pause)
    resume = _threaded(Run.resume)
    complete = _threaded(Run.complete)

    def _do(self, method: Callable[..., R], *args: Any, **kwargs: Any) -> R:
        with self._turn:  # a step that is repeated after a cancelled one must find that one done
            return method(self._twin, *args, **kwargs)


def _session(threads: _Threads, twin: Session) -> AsyncSession:
    return AsyncSession(threads, twin)


class AsyncSession(_Face[Session]):
    """A handle on one thread of dialogue; ``AsyncMemory.session`` makes it. As ``Session``."""

    def __init__(self, threads: _Threads, twin: Session) -> None:
        self._threads, self._twin, self.id = threads, twin, twin.id

    add = _threaded(Session.add)
    compact = _threaded(Session.compact)
    end = _threaded(Session.end)
    fork = _handing(Session.fork, _session)
    rename = _threaded(Session.rename)
    archive = _threaded(Session.archive)
    info = _threaded(Session.info)
    turns = _threaded(Session.turns)
    messages = _threaded(Session.messages)
    window = _threaded(Session.window)
    tokens = _threaded(Session.tokens)
    sizes = _threaded(Session.sizes)
    summary = _threaded(Session.summary)
    search = _threaded(Session.search)
    context = _threaded(Session.context)

    def _do(self, method: Callable[..., R], *args: Any, **kwargs: Any) -> R:
        return method(self._twin, *args, **kwargs)


class AsyncKnowledgeBase(_Face[KnowledgeBase]):
    """The documents of a memory; ``AsyncMemory.knowledge`` is one. As ``KnowledgeBase``, with every method awaited."""

    def __init__(self, threads: _Threads, twin: Callable[[], KnowledgeBase]) -> None:
        self._threads, self._twin = threads, twin

    add = _threaded(KnowledgeBase.add)
    search = _threaded(KnowledgeBase.search)
    get = _threaded(KnowledgeBase.get)
    passages = _threaded(KnowledgeBase.passages)
    get_all = _threaded(KnowledgeBase.get_all)
    remove = _threaded(KnowledgeBase.remove)

    def _do(self, method: Callable[..., R], *args: Any, **kwargs: Any) -> R:
        return method(self._twin(), *args, **kwargs)


class AsyncMemory(_Face[Memory]):
    """Long-term memory for an event loop. As ``Memory``, with every method awaited.

    Nothing is opened before ``async with`` or the first call, which raises ``StoreError`` if that fails. ``async with`` closes it
    at the end. It may be used from several loops and threads.
    """

    def __init__(
        self,
        path: str | Path = "onrecord.db",
        *,
        tenant: str = "default",
        store: Store | None = None,
        embedder: Embedder | str | None = None,
        previous: Embedder | str | None = None,
        tokens: TokenCounter | None = None,
        clock: Clock | None = None,
        ids: Ids | None = None,
        policy: Policy | None = None,
        vocabulary: Vocabulary | None = None,
        formatters: Mapping[str, Formatter] | None = None,
        chat: ChatModel | str | None = None,
        reader: ChatModel | str | None = None,
        reranker: Reranker | str | None = None,
        resolvers: Mapping[str, Resolver] | None = None,
        credentials: Credentials | None = None,
        knowledge: Knowledge | None = None,
        maintain_every: timedelta | None = None,
    ) -> None:
        Reach(tenant, ("user:x",))  # a bad tenant fails here, as in ``Memory``
        self.tenant = tenant
        self._open = functools.partial(
            Memory,
            path,
            tenant=tenant,
            store=store,
            embedder=embedder,
            previous=previous,
            tokens=tokens,
            clock=clock,
            ids=ids,
            policy=policy,
            vocabulary=vocabulary,
            formatters=formatters,
            chat=chat,
            reader=reader,
            reranker=reranker,
            resolvers=resolvers,
            credentials=credentials,
            knowledge=knowledge,
            maintain_every=maintain_every,
        )
        self._threads = _Threads((policy or Policy()).call_threads)
        self._twin: Memory | None = None
        self._opening = threading.Lock()

    add = _threaded(Memory.add)
    remember = _threaded(Memory.remember)
    update = _threaded(Memory.update)
    retract = _threaded(Memory.retract)
    delete = _threaded(Memory.delete)
    delete_all = _threaded(Memory.delete_all)
    search = _threaded(Memory.search)
    get = _threaded(Memory.get)
    get_all = _threaded(Memory.get_all)
    history = _threaded(Memory.history)
    why = _threaded(Memory.why)
    refusals = _threaded(Memory.refusals)
    misses = _threaded(Memory.misses)
    context = _threaded(Memory.context)
    sessions = _threaded(Memory.sessions)
    maintain = _threaded(Memory.maintain)
    erase = _threaded(Memory.erase)
    export_to = _threaded(Memory.export_to)
    import_from = _threaded(Memory.import_from)
    backup = _threaded(Memory.backup)
    reembed = _threaded(Memory.reembed)
    lineage = _threaded(Memory.lineage)
    quarantine = _threaded(Memory.quarantine)
    undo = _threaded(Memory.undo)
    review = _threaded(Memory.review)
    renew = _threaded(Memory.renew)
    expire = _threaded(Memory.expire)
    session = _handing(Memory.session, _session)
    run = _handing(Memory.run, AsyncRun)

    @property
    def knowledge(self) -> AsyncKnowledgeBase:
        """The documents of this memory. Nothing is opened before a method of it is awaited."""
        return AsyncKnowledgeBase(self._threads, lambda: self._opened().knowledge)

    async def close(self) -> None:
        """Releases the database, after a scheduled run that is under way. Closing twice is harmless."""
        await self._threads.close(self._release)

    async def __aenter__(self) -> Self:
        """The memory itself, opened."""
        await self._threads.run(self._opened)
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Closes it, when the calls under way are done."""
        await self.close()

    def _do(self, method: Callable[..., R], *args: Any, **kwargs: Any) -> R:
        return method(self._opened(), *args, **kwargs)

    def _opened(self) -> Memory:
        with self._opening:
            if self._twin is None:
                self._twin = self._open()
            return self._twin

    def _release(self) -> None:
        if self._twin is not None:
            self._twin.close()


async def drive(run: AsyncRun, step: Callable[[AsyncRun], Awaitable[bool]]) -> bool:
    """As ``onrecord.run.drive``, with steps that are awaited: whether there is nothing left to do (``False``: the run waits)."""
    await run.reload()
    while run.status is RunStatus.RUNNING:
        if not await step(run) or run.completed:
            return True
        if run.status is RunStatus.RUNNING:
            await run.checkpoint()
    return False
