"""Reading with a model: turns that wait are put together by thread, asked about in one call, and captured one by one.

The queue is that of capture: a turn that a model is to read stays pending until it was. It is also the only ladder of tries. An
answer that cannot be used costs each of its turns a try, and they are read alone from then on; one that was never given (the
model is away, the budget is used up) costs nothing, and no further call is made in that run.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from onrecord.errors import ModelError, ModelUnavailable
from onrecord.model.query import Best, Corpus, View
from onrecord.model.record import Kind, Record
from onrecord.model.scope import Reach
from onrecord.model.turn import Role, Turn
from onrecord.pipeline.spending import ask
from onrecord.policy.capture.reply import asks_to_forget
from onrecord.policy.defaults import Reading as Who
from onrecord.policy.gate.judge import judge_turn
from onrecord.policy.language.text import query_terms
from onrecord.policy.lifecycle.echo import withheld
from onrecord.policy.prompts.prompt import prompt
from onrecord.policy.reading.ask import SCHEMA, Shown, own_words, question
from onrecord.policy.reading.point import Reading, Told, pointed_at
from onrecord.policy.secrecy.mask import masked
from onrecord.ports import Engine

_log = logging.getLogger("onrecord")
#: Answers in a row that cannot be used, after which a model counts as out of order for this run.
_GIVE_UP = 3


@dataclass(frozen=True, slots=True)
class Window:
    """Turns of one thread that are captured together, oldest first, and whether a model is asked about them."""

    turns: tuple[Turn, ...]
    asked: bool


def waits_for_a_model(engine: Engine, turn: Turn) -> bool:
    """Whether a model is to read ``turn``: a person's own words, none written on purpose, and not refused as they stand. What
    asks that something be forgotten waits for no model."""
    if engine.reader is None or engine.policy.reading is Who.RULES or turn.note is not None or turn.role is not Role.USER:
        return False
    words = own_words(turn)
    if not words or asks_to_forget(words):
        return False
    return judge_turn(replace(turn, text=words, payload={}), engine.policy) is None


class Reader:
    """One run over the queue. ``strays`` counts what models named that was not shown to them."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self._now = engine, engine.clock()
        self._failed, self.away, self.strays, self.calls = 0, False, 0, 0

    def windows(self, turns: Sequence[Turn]) -> Iterator[Window]:
        """The turns in windows, in the order of their first turns; what waits for more to be said is left out."""
        threads: dict[tuple[str, str, str | None], list[Turn]] = {}
        made: list[Window] = []
        for turn in turns:
            if not waits_for_a_model(self._engine, turn):
                made.append(Window((turn,), asked=False))
                continue
            open_ = threads.setdefault((turn.tenant, turn.subject, turn.origin.thread), [])
            if open_ and self._is_full(open_, turn):
                made.append(Window(tuple(open_), asked=True))
                open_.clear()
            open_.append(turn)
        made += [Window(tuple(open_), asked=True) for open_ in threads.values() if open_ and self._is_ready(open_)]
        place = {turn.id: n for n, turn in enumerate(turns)}
        yield from sorted(made, key=lambda window: place[window.turns[0].id])

    def read(self, window: Window) -> Mapping[str, tuple[Told, ...]]:
        """What a model tells of each turn, by its id; nothing for turns that it is not asked about. Raises ``ModelError``."""
        if not window.asked:
            return {}
        if self.away:
            raise ModelUnavailable("it was out of order earlier in this run")
        try:
            reading = self._asked(window.turns)
        except ModelError as error:
            self._failed += 1
            self.away = isinstance(error, ModelUnavailable) or self._failed >= _GIVE_UP
            raise
        self._failed = 0
        self.strays += len(reading.strays)
        if reading.strays:
            _log.warning("a reader named %d things that it was not shown, such as: %s", len(reading.strays), reading.strays[0])
        return reading.told

    def _is_full(self, turns: Sequence[Turn], further: Turn) -> bool:
        """Whether the window ends before a further turn; one that failed is read alone."""
        if turns[-1].tries or further.tries or len(turns) >= self._engine.policy.reading_turns:
            return True
        words = "\n".join(own_words(turn) for turn in (*turns, further))
        return self._engine.tokens.count(words) > self._engine.policy.reading_input

    def _is_ready(self, turns: Sequence[Turn]) -> bool:
        policy = self._engine.policy
        quiet: datetime = turns[-1].written_at + policy.reading_wait
        return bool(turns[-1].tries) or len(turns) >= policy.reading_turns or quiet <= self._now

    def _asked(self, turns: Sequence[Turn]) -> Reading:
        engine, tenant = self._engine, turns[0].tenant
        assert engine.reader is not None
        shown = _shown(engine, turns)
        self.calls += 1
        reply = ask(engine, engine.reader, tenant, prompt("capture").text, question(shown), SCHEMA)
        return pointed_at(reply, shown, engine.policy, engine.vocabulary)


def _shown(engine: Engine, turns: Sequence[Turn]) -> Shown:
    reach = Reach(turns[0].tenant, (turns[0].subject,))
    return Shown(_around(engine, reach, turns), frozenset(turn.id for turn in turns), _known(engine, reach, turns))


def _around(engine: Engine, reach: Reach, turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns asked about, with what was said between them and just before."""
    if turns[0].origin.thread is None:
        return tuple(turns)
    first, last = turns[0].seq, turns[-1].seq
    wide = max(engine.policy.reading_before, last - first)
    near = engine.store.neighbours(reach, turns[0].id, wide)
    mine = {turn.id: turn for turn in turns}
    found = [mine.get(turn.id, turn) for turn in near if first - engine.policy.reading_before <= turn.seq <= last]
    return tuple(map(withheld, found))


def _known(engine: Engine, reach: Reach, turns: Sequence[Turn]) -> tuple[Record, ...]:
    """Current records that share telling words with the turns, then the newest, as many as the policy shows."""
    view, limit = View(reach=reach), engine.policy.reading_records
    words = query_terms(" ".join(own_words(turn) for turn in turns))
    best = Best(limit=limit, k1=engine.policy.bm25_k1, b=engine.policy.bm25_b)
    rows = engine.store.lexical(view, Corpus.RECORDS, words, best=best).rows if words else ()
    ids = dict.fromkeys([*(row.id for row in rows), *engine.store.recent(view, Corpus.RECORDS, limit=limit)])
    found = [record for record in engine.store.get(reach, list(ids)) if record.current and record.kind is not Kind.EPISODE]
    return tuple(masked(record) for record in found[:limit])
