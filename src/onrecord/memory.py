"""``Memory``: the verbs of the field over one store.

Every call names whose memory it means (``policy.address`` says how), returns typed results, and does nothing behind the
caller's back: ``add`` reports each input as stored, queued or refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from onrecord.build import build
from onrecord.errors import InvalidInput, NotFound
from onrecord.knowledge import KnowledgeBase
from onrecord.model.change import Edit, Event
from onrecord.model.context import Context, Preset, Shape
from onrecord.model.query import Include, View
from onrecord.model.receipt import Receipt
from onrecord.model.record import CURRENT, Kind, Record, Status
from onrecord.model.scope import Reach
from onrecord.model.thread import ThreadInfo
from onrecord.model.trace import Miss
from onrecord.model.verdict import Verdict
from onrecord.moving import Moving
from onrecord.pipeline.amend import amend, erase, erase_all
from onrecord.pipeline.ask import ask_for
from onrecord.pipeline.asking import query_of
from onrecord.pipeline.assemble import assemble
from onrecord.pipeline.explain import Story, explain
from onrecord.pipeline.missed import missed
from onrecord.pipeline.remember import remember, take_in
from onrecord.pipeline.retrieve import Found, search
from onrecord.pipeline.schedule import Schedule, seconds_of
from onrecord.policy.arguments import checked, instance, whole
from onrecord.policy.capture.note import Note
from onrecord.policy.compaction.recap import facts_first
from onrecord.policy.defaults import Policy
from onrecord.policy.dialogue.formatting import Formatter
from onrecord.policy.dialogue.messages import parse_messages
from onrecord.policy.language.vocabulary import Vocabulary
from onrecord.policy.secrecy.mask import masked
from onrecord.ports import ChatModel, Clock, Credentials, Embedder, Ids, Knowledge, Reranker, Resolver, Store, TokenCounter
from onrecord.run import Run
from onrecord.session import Session
from onrecord.telemetry import traced

__all__ = ["Memory"]


class Memory(Moving):
    """Long-term memory on one SQLite file (or another store). Safe to share between threads.

    ``path`` is the file, ``":memory:"`` for none. ``tenant`` is the outer wall: nothing passes it. The other arguments replace
    parts; left out, everything runs offline with the packaged embedder. ``formatters`` has, by the name of a tool, a function
    that makes of the text of its results what is shown to the model; one that fails is reported, and the result shown as it is.
    ``chat`` is a model that writes the summaries of threads; what loses or turns round something that binds is not used.
    ``reader`` is a model that reads what people say, beside the rules (``Policy.reading``): their turns wait for ``maintain``,
    which asks it about several at once. It points at what was said, in the person's words; the same gate decides.
    ``chat`` and ``reader`` may be named: ``"openai:MODEL"``, ``"http://localhost:8080/v1#MODEL"``, ...; so may ``embedder``:
    ``"minilm"`` (the default), ``"nomic"``, ``"openai:MODEL@URL"``, ... (``providers.choice`` lists them; ``build.open_chat``,
    ``open_reader`` and ``open_embedder`` take a key). ``previous`` is the one that was in use before, by which subjects are
    searched until ``reembed`` has done them. ``reranker``, as ``"bi-encoder:nomic"``, looks again at the first rows of a search
    that asks for it.
    ``resolvers`` has, by the key of a pointer record (``remember(..., kind="pointer", key="active_order_id", value="4417")``),
    what reads its system of record whenever a context is made (``providers.resolvers``); ``credentials(tenant, subject, key)``
    gives what it may use for one subject. What they give is shown and never stored. ``maintain_every`` runs ``maintain`` on a
    thread of its own while the memory is open, first after that long; of several processes on one file each may.
    ``knowledge`` is a base of documents that contexts look at in place of the built-in one (``Memory.knowledge``).
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
        Reach(tenant, ("user:x",))  # a bad tenant fails here and not at the first call
        if maintain_every is not None:  # and so does a bad span, before a database is opened
            seconds_of(instance(timedelta)(maintain_every, "maintain_every"))
        self.tenant = tenant
        self.engine = build(
            path,
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
        )
        self._schedule = None if maintain_every is None else Schedule(self.maintain, maintain_every)

    # -- writing

    @traced("upsert_memory")
    @checked()
    def add(
        self,
        messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any] | str],
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        session_id: str | None = None,
        subject: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        infer: bool = True,
        at: datetime | None = None,
        dry_run: bool = False,
    ) -> Receipt:
        """What became of every message and of every statement in it.

        Messages (a string counts as the user's) are journaled first, then read; ``at`` is when they were said, with the
        speaker's own zone (default: now). ``infer=False`` keeps each message as one record, as it is. ``dry_run`` returns what
        would happen and writes nothing. Raises ``InvalidInput`` before anything is written, ``StoreError`` if the journal fails.

        In a conversation of a team, an account or a home, what its speaker (the message's ``name``) says of their own taste or
        needs goes to ``user:<name in lower case>``, and the item's detail says so; ``Policy(personal_subjects=False)`` keeps it
        with the conversation. Set ``name`` from whom you signed in, never from what somebody typed.
        """
        where = self._address(user_id, agent_id, run_id, session_id, subject)
        parsed = parse_messages(messages)
        return take_in(self.engine, parsed, where, at=at, metadata=metadata or {}, infer=infer, dry_run=dry_run)

    @traced("upsert_memory")
    @checked()
    def remember(
        self,
        statement: str,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        session_id: str | None = None,
        subject: str | None = None,
        kind: Kind | str = Kind.STATED_FACT,
        key: str | None = None,
        value: str | None = None,
        qualifier: str | None = None,
        negation: bool | None = None,
        valid_from: datetime | None = None,
        valid_until: datetime | None = None,
        pinned: bool = False,
        metadata: Mapping[str, Any] | None = None,
        at: datetime | None = None,
        idempotency_key: str | None = None,
        dry_run: bool = False,
    ) -> Receipt:
        """What became of one statement written on purpose. It skips the gate's doubts, not redaction or reconcile.

        What comes again under the same ``idempotency_key``, in the same session of the same owner, is written once.
        Raises ``InvalidInput`` for one of more than 240 characters."""
        note = Note(
            statement=statement,
            kind=Kind(kind),
            key=key,
            value=value,
            qualifier=qualifier,
            negation=negation,
            valid_from=valid_from,
            valid_until=valid_until,
            pinned=pinned,
            metadata=metadata or {},
            at=at,
        )
        where = self._address(user_id, agent_id, run_id, session_id, subject)
        return remember(self.engine, note, where, once=idempotency_key, dry_run=dry_run)

    @traced("update_memory")
    @checked()
    def update(
        self,
        /,
        id: str,
        statement: str | None = None,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        subject: str | None = None,
        version: int | None = None,
        **fields: Any,
    ) -> Record:
        """The record after an edit of the named fields; everything else stays, the old state is in its history.

        New words bring their own value and polarity, unless those are named too. Metadata is merged by name; ``None`` takes one
        away.
        An edit of what it says (statement, value, negation, qualifier) becomes its source, ``human_edit``, said now by the user
        whose memory it is (elsewhere by ``caller``). Raises ``NotFound``, ``InvalidInput`` for a field that can't be edited,
        ``VersionConflict`` if ``version`` is old.
        """
        reach = self._address(user_id, agent_id, None, None, subject).reach
        named = dict(fields) if statement is None else {**fields, "statement": statement}
        if not named:
            raise InvalidInput("statement", "is missing", "name at least one field to change")
        return amend(self.engine, reach, Edit(id=id, version=version, fields=named, reason="edited by the caller"))

    @traced("delete_memory")
    @checked()
    def delete(self, id: str, *, user_id: str | None = None, agent_id: str | None = None, subject: str | None = None) -> None:
        """Removes a record and its words from rows, indexes, events, verdicts and traces; a tombstone without content stays.

        The turn it was captured from is dialogue and stays. Raises ``NotFound``, also for somebody else's id.
        """
        reach = self._address(user_id, agent_id, None, None, subject).reach
        erase(self.engine, reach, [id])

    @traced("delete_memory")
    @checked()
    def delete_all(
        self,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        session_id: str | None = None,
        subject: str | None = None,
    ) -> int:
        """How many records were removed, of any status and scope: all of the owner's, or those of the run or session named."""
        where = self._address(user_id, agent_id, run_id, session_id, subject)
        origin = replace(where.origin, agent=None if user_id is None and subject is None else agent_id)
        return erase_all(self.engine, View(reach=where.reach, origin=origin, statuses=frozenset(Status), every_scope=True))

    # -- reading

    @traced("search_memory")
    @checked(limit=whole(1, 1_000))
    def search(
        self,
        query: str,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        session_id: str | None = None,
        subject: str | None = None,
        subjects: Sequence[str] = (),
        limit: int | None = None,
        threshold: float | None = None,
        include: Include | str = Include.BOTH,
        kinds: Sequence[Kind | str] | None = None,
        key: str | None = None,
        filters: Mapping[str, Any] | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        history: bool = False,
        rerank: bool = False,
    ) -> Found:
        """Hits best first with the trace that explains them; empty when nothing is relevant enough.

        ``include`` is records, episodes or both; ``kinds`` and ``key`` leave only records of them. A record of kind ``episode``
        (what happened in a session) never stands above one of what is true. ``as_of`` asks what was true
        then, ``known_at`` what was on record then, ``history`` lets superseded records in. ``filters`` is described in
        ``policy.filter``. ``rerank`` has the memory's reranker look again at the first rows; if it fails, the order is that
        without it, and the trace says why. Raises ``InvalidInput`` if the memory has none.
        """
        if rerank and self.engine.reranker is None:
            raise InvalidInput("rerank", "needs a reranker", 'name one for the memory: Memory(reranker="bi-encoder:nomic")')
        where = self._address(user_id, agent_id, run_id, session_id, subject, subjects)
        asked = query_of(
            self.engine,
            where.reach,
            where.origin,
            query,
            limit=limit,
            threshold=threshold,
            include=include,
            kinds=kinds,
            key=key,
            filters=filters,
            as_of=as_of,
            known_at=known_at,
            since=since,
            until=until,
            history=history,
            rerank=rerank,
        )
        found = search(self.engine, asked)
        return replace(found, hits=facts_first(found.hits))

    @traced("search_memory")
    @checked()
    def get(self, id: str, *, user_id: str | None = None, agent_id: str | None = None, subject: str | None = None) -> Record:
        """One record, whatever its status. Raises ``NotFound``, also for somebody else's id."""
        reach = self._address(user_id, agent_id, None, None, subject).reach
        for record in self.engine.store.get(reach, [id]):
            return masked(record)
        raise NotFound("record", id)

    @traced("search_memory")
    @checked()
    def get_all(
        self,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        session_id: str | None = None,
        subject: str | None = None,
        subjects: Sequence[str] = (),
        filters: Mapping[str, Any] | None = None,
        statuses: Sequence[Status | str] | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> list[Record]:
        """Current records in order of id (oldest first); the next page begins ``after`` the last id. ``limit=None`` gives all."""
        where = self._address(user_id, agent_id, run_id, session_id, subject, subjects)
        wanted = CURRENT if statuses is None else frozenset(map(Status, statuses))
        view = View(reach=where.reach, origin=where.origin, statuses=wanted, filters=filters)
        return [masked(record) for record in self.engine.store.select(view, limit=limit, after=after)]

    @checked()
    def history(
        self, id: str, *, user_id: str | None = None, agent_id: str | None = None, subject: str | None = None
    ) -> list[Event]:
        """What happened to a record, oldest first. Raises ``NotFound``."""
        reach = self._address(user_id, agent_id, None, None, subject).reach
        events = self.engine.store.events(reach, id)
        if not events:
            raise NotFound("record", id)
        return [masked(event) for event in events]

    @checked()
    def why(self, id: str, *, user_id: str | None = None, agent_id: str | None = None, subject: str | None = None) -> Story:
        """The whole story of a record: turns, verdicts, events, uses. Raises ``NotFound``."""
        return explain(self.engine, self._address(user_id, agent_id, None, None, subject).reach, id)

    @checked()
    def misses(
        self,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        subject: str | None = None,
        subjects: Sequence[str] = (),
        since: datetime | None = None,
        limit: int = 20,
    ) -> list[Miss]:
        """Probable misses of retrieval, those of the latest turns first: a person said again, or corrected, what was on record,
        and the searches for that turn and the one before had not returned it.

        Each names the record as it stood, the turn, the trace of the search, and what tells that the record belonged there.
        ``since`` leaves out turns that were written before.
        """
        reach = self._address(user_id, agent_id, None, None, subject, subjects).reach
        return missed(self.engine, reach, since=since, limit=limit)

    @checked()
    def refusals(
        self, *, user_id: str | None = None, agent_id: str | None = None, subject: str | None = None, limit: int = 100
    ) -> list[Verdict]:
        """What the gate refused and why, newest first."""
        reach = self._address(user_id, agent_id, None, None, subject).reach
        return [masked(verdict) for verdict in self.engine.store.verdicts(reach, accepted=False, limit=limit)]

    @traced("search_memory")
    @checked(limit=whole(0))
    def context(
        self,
        message: str,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        session_id: str | None = None,
        subject: str | None = None,
        subjects: Sequence[str] = (),
        system: str = "",
        budget: int | None = None,
        tools: Sequence[Mapping[str, Any]] = (),
        shape: Shape | str = Shape.OPENAI,
        preset: Preset | str = Preset.ASSISTANT,
        limit: int | None = None,
        query: str | None = None,
        run_id: str | None = None,
        window: int | None = None,
    ) -> Context:
        """What to send to the model for ``message``, within ``budget`` tokens: system text, standing records, dialogue, what is
        on record about it, the message. The arguments are those of ``Session.context``.

        ``session_id`` gives the dialogue. What is recalled is what the message asks, with what it leaves out taken from the last
        turns of the dialogue ("and the second one?"); ``query`` names something else to look for. The records are all of the
        owner's, so ``agent_id`` beside an owner narrows nothing.
        """
        where = self._address(user_id, agent_id, None, session_id, subject, subjects)
        ask = ask_for(
            self.engine.policy,
            where.reach,
            message,
            thread=session_id,
            system=system,
            query=query,
            budget=budget,
            tools=tools,
            shape=Shape(shape),
            preset=Preset(preset),
            limit=limit,
            run=run_id,
            window=window,
        )
        return assemble(self.engine, ask)

    # -- the rest

    @property
    def knowledge(self) -> KnowledgeBase:
        """The documents of this memory: add, search, replace and remove them."""
        return KnowledgeBase(self.tenant, self.engine)

    @checked()
    def session(
        self,
        session_id: str,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        subject: str | None = None,
        formatters: Mapping[str, Formatter] | None = None,
    ) -> Session:
        """A handle on one thread. Nothing is read or written until it is used. ``formatters`` are its own, over the memory's."""
        engine = replace(self.engine, formatters={**self.engine.formatters, **(formatters or {})})
        return Session(engine, self._address(user_id, agent_id, None, session_id, subject))

    @checked(after=instance(ThreadInfo))
    def sessions(
        self,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        subject: str | None = None,
        archived: bool = False,
        limit: int = 100,
        after: ThreadInfo | None = None,
    ) -> list[ThreadInfo]:
        """The owner's threads, by their last turn, newest first; the next page begins ``after`` the last one of this."""
        reach = self._address(user_id, agent_id, None, None, subject).reach
        return self.engine.store.threads(reach, archived=archived, limit=limit, after=after)

    @checked()
    def run(self, run_id: str, *, user_id: str | None = None, agent_id: str | None = None, subject: str | None = None) -> Run:
        """The working memory of a run, at the last step that was saved; empty for a new one."""
        return Run(self.engine, self._address(user_id, agent_id, run_id, None, subject))

    def close(self) -> None:
        """Releases the database, after a scheduled run that is under way. Closing twice is harmless."""
        if self._schedule is not None:
            self._schedule.stop()
        self.engine.store.close()

    def __enter__(self) -> Self:
        """The memory itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Closes it."""
        self.close()
