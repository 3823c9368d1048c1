"""``Session``: one thread of dialogue, saved after every turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from onrecord.errors import InvalidInput, NotFound
from onrecord.model.context import Context, Preset, Shape, Share
from onrecord.model.query import Include
from onrecord.model.receipt import Receipt
from onrecord.model.record import Kind
from onrecord.model.scope import Origin, Reach
from onrecord.model.summary import Summary
from onrecord.model.thread import ThreadInfo
from onrecord.model.turn import Turn
from onrecord.pipeline.ask import ask_for
from onrecord.pipeline.asking import in_thread, query_of
from onrecord.pipeline.assemble import assemble
from onrecord.pipeline.closing import close
from onrecord.pipeline.compact import Compaction, compact
from onrecord.pipeline.remember import take_in
from onrecord.pipeline.retrieve import Found, search
from onrecord.pipeline.sizes import sizes
from onrecord.policy.address import Address, checked_subjects
from onrecord.policy.arguments import checked, whole, words
from onrecord.policy.compaction.recap import facts_first
from onrecord.policy.context.prefix import identical, spent
from onrecord.policy.context.tools import tool_tokens
from onrecord.policy.dialogue.formatting import formatted
from onrecord.policy.dialogue.messages import parse_messages
from onrecord.policy.dialogue.parts import MESSAGE_OVERHEAD
from onrecord.policy.dialogue.prune import shortener
from onrecord.policy.dialogue.shapes import to_anthropic, to_openai
from onrecord.policy.dialogue.window import Window, window
from onrecord.policy.lifecycle.echo import withheld
from onrecord.policy.secrecy.mask import masked
from onrecord.ports import Engine
from onrecord.telemetry import traced

__all__ = ["Session"]


@dataclass(frozen=True, slots=True)
class _Before:
    """The context that was made last, and what the whole transcript would have taken then."""

    context: Context
    replay: int


class Session:
    """A handle on one thread; ``Memory.session`` makes it. Any process can hold one on the same thread."""

    def __init__(self, engine: Engine, where: Address) -> None:
        self._engine, self._where = engine, where
        self.id = where.origin.thread or ""
        self._before: _Before | None = None

    # -- writing

    @traced("upsert_memory")
    @checked()
    def add(
        self,
        messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any] | str],
        *,
        metadata: Mapping[str, Any] | None = None,
        at: datetime | None = None,
        infer: bool = True,
    ) -> Receipt:
        """What became of the messages; each is durable when this returns. As ``Memory.add``.

        A message with an ``id`` is stored once, however often it comes: a caller may pass the whole history every time."""
        parsed = parse_messages(messages)
        return take_in(self._engine, parsed, self._where, at=at, metadata=metadata or {}, infer=infer, dry_run=False)

    @checked()
    def compact(self, *, budget: int | None = None) -> Compaction:
        """Has a summary stand for the older turns, so that the thread takes about ``budget`` tokens, half of them the newest
        turns as they were said. The turns stay and can be read by id.

        What binds (constraints, negations, decisions) is in the summary whatever the budget; ``summary.over`` tells that it took
        more. A thread that fits is left alone. Where the memory has a ``chat`` model, it writes the summary; what its words lost
        is carried beside them, and words that turn round, change or make up something are refused."""
        policy = self._engine.policy
        size = int(policy.context_budget * policy.shares[Preset.ASSISTANT][Share.DIALOGUE]) if budget is None else budget
        return compact(self._engine, self._owner, self.id, size)

    @traced("upsert_memory")
    def end(self) -> Receipt:
        """What became of the episode: one record that tells what was discussed, decided and used, and the outcome.

        Safe to repeat; after more was said, the record is brought up to date. What was erased or taken back stays so. The thread
        stays as it is and can go on. Search finds it with ``kinds=["episode"]``, and beside facts never above them. Raises
        ``NotFound`` before the first turn."""
        return close(self._engine, self._owner, self.id, self.info().title)

    @checked(new=words)
    def fork(self, new: str, *, upto: Turn | int | None = None) -> Session:
        """Another thread with copies of the turns up to ``upto`` (a turn or its number; all if not given). It has no summary."""
        seq = self.info().turns if upto is None else upto if isinstance(upto, int) else upto.seq
        self._engine.store.fork(self._owner, self.id, new, upto=seq)
        origin = type(self._where.origin)(self._where.origin.agent, self._where.origin.run, new)
        return Session(self._engine, Address(self._where.reach, self._where.subject, origin))

    @checked()
    def rename(self, title: str) -> ThreadInfo:
        """Gives the thread a title; an empty one takes it away. Raises ``NotFound`` before the first turn."""
        return self._engine.store.set_thread(self._owner, self.id, title=title)

    @checked()
    def archive(self, archived: bool = True) -> ThreadInfo:
        """Puts the thread away, out of the list of the others, or back. It stays readable. Raises ``NotFound``."""
        return self._engine.store.set_thread(self._owner, self.id, archived=archived)

    # -- reading

    def info(self) -> ThreadInfo:
        """Title, number of turns and so on. Raises ``NotFound`` before the first turn."""
        info = self._engine.store.thread_info(self._owner, self.id)
        if info is None:
            raise NotFound("thread", self.id)
        return info

    @checked()
    def turns(self, *, last: int | None = None) -> list[Turn]:
        """The turns in order; only the last ``last`` if given."""
        return [masked(withheld(turn)) for turn in self._engine.store.thread(self._where.reach, self.id, last=last)]

    @checked()
    def messages(self, shape: str = "openai", *, last: int | None = None) -> list[dict[str, Any]]:
        """The thread as messages of a provider, ``openai`` or ``anthropic``. What came in that shape comes back as it was, but
        for secrets and the caller's ids.

        Anthropic takes system text apart from the messages; here it is a first message in the role ``system``."""
        turns = self.turns(last=last)
        if shape == "openai":
            return to_openai(turns)
        if shape != "anthropic":
            raise InvalidInput("shape", f"is {shape!r}", "use openai or anthropic")
        system, messages = to_anthropic(turns)
        return [{"role": "system", "content": system}, *messages] if system else messages

    @checked()
    def window(self, budget: int) -> Window:
        """The newest turns that fit ``budget`` tokens, with the system's and the user's last words, and calls with their results.

        Results of tools with a formatter are as that shows them. Raises ``BudgetTooSmall`` where those words alone do not fit."""

        turns = self.turns()
        size = sizes(self._engine, self._owner, self.id, turns)
        shown = formatted(turns, self._engine.formatters)
        made = window(shown.turns, budget, size, shorten=shortener(size))
        return replace(made, warnings=shown.warnings)

    def tokens(self) -> int:
        """Tokens of all turns, as messages; never fewer than a model will count. Each turn is counted once and its size kept."""
        return sum(self.sizes().values())

    def sizes(self) -> dict[str, int]:
        """The tokens of each turn as messages, by id, in order."""
        turns = self.turns()
        size = sizes(self._engine, self._owner, self.id, turns)
        return {turn.id: size(turn) for turn in turns}

    def summary(self) -> Summary | None:
        """The newest summary of the older turns, or ``None``."""
        return self._engine.store.summary(self._owner, self.id)

    @traced("search_memory")
    @checked(limit=whole(1, 1_000))
    def search(
        self,
        message: str,
        *,
        query: str | None = None,
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
        """What the owner's whole memory holds on ``message``, said next in this thread; as ``Memory.search`` without a session.

        What the message leaves out ("and his?", "the second one") is taken from the last turns; the trace tells the ``query``
        that was built, and from which turns, which are no hits themselves. A message that stands alone is looked for as it is,
        and so is a ``query`` that is given."""
        asked = query_of(
            self._engine,
            self._reach(subjects),
            Origin(),
            message,
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
        found = search(self._engine, in_thread(self._engine, self._owner, self.id, asked, query))
        return replace(found, hits=facts_first(found.hits))

    @traced("search_memory")
    @checked(limit=whole(0))
    def context(
        self,
        message: str = "",
        *,
        system: str = "",
        budget: int | None = None,
        tools: Sequence[Mapping[str, Any]] = (),
        shape: Shape | str = Shape.OPENAI,
        preset: Preset | str = Preset.ASSISTANT,
        limit: int | None = None,
        subjects: Sequence[str] = (),
        run_id: str | None = None,
        window: int | None = None,
        query: str | None = None,
    ) -> Context:
        """What to send to the model for ``message``, within ``budget`` tokens, tool schemas included. It is not stored: ``add``
        it when sent. Without a message the dialogue ends in what is to be answered.

        ``shape`` is openai, anthropic, alternating (for templates with one system message and strict roles) or single (one
        message of tagged events). ``preset`` sets the shares: assistant, support, coding, research. ``limit`` caps the records
        and is never above the policy's, ``run_id`` names the run whose state goes in, ``window`` is the model's, in tokens:
        without a budget at most half of it is used. What is recalled is what ``search`` finds for the message, or for ``query``
        if one is given. The report tells what is identical to the context that this handle made before,
        and what its contexts took so far. Raises ``BudgetTooSmall``.
        """
        made = assemble(
            self._engine,
            ask_for(
                self._engine.policy,
                self._reach(subjects),
                message,
                thread=self.id,
                system=system,
                budget=budget,
                tools=tools,
                shape=Shape(shape),
                preset=Preset(preset),
                limit=limit,
                run=run_id,
                window=window,
                query=query,
            ),
        )
        return self._compared(made, message, system)

    def _compared(self, made: Context, message: str, system: str) -> Context:
        """The context with what it has in common with the one before, and what this handle's contexts took."""
        count, before = self._engine.tokens.count, self._before
        same = identical(before.context, made, count) if before else None
        told = [text for text in (system, message) if text]
        replay = self.tokens() + tool_tokens(made.tools, count) + sum(count(text) + MESSAGE_OVERHEAD for text in told)
        spending = spent(
            before.context.report.spending if before else None,
            made.report.tokens,
            same or 0,
            replay,
            before.replay if before else 0,
            self._engine.policy.cached_price,
        )
        made = replace(made, report=replace(made.report, identical=same, spending=spending))
        self._before = _Before(made, replay)
        return made

    def _told(self) -> tuple[str, str | None, Engine]:
        return self._where.reach.tenant, self.id, self._engine

    def _reach(self, subjects: Sequence[str]) -> Reach:
        reach = self._where.reach
        return Reach(reach.tenant, tuple(dict.fromkeys((*reach.subjects, *checked_subjects(subjects))))) if subjects else reach

    @property
    def _owner(self) -> Reach:
        return Reach(self._where.reach.tenant, (self._where.subject,))
