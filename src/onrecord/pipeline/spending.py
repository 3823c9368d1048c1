"""Spending: one call of a language model within the tenant's budget of the day, and the account of what it took.

The account is the working state of a run that belongs to no user (``agent:onrecord``), so every process of a tenant reads and
adds to the same one; it holds numbers and no words.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from onrecord.errors import ModelError, ModelUnavailable, VersionConflict
from onrecord.model.run import RunStatus
from onrecord.model.scope import Reach
from onrecord.policy.defaults import Policy
from onrecord.ports import Answer, ChatModel, Engine, Usage

_SUBJECT, _RUN = "agent:onrecord", "use of models"
#: Days that an account keeps: the last month.
_DAYS = 31
#: Processes that book at the same moment come one after the other; each round one of them gets through.
_ROUNDS = 64
#: Tokens of the longest answer that a model gives: where nobody says what it took, no more is booked.
_LONGEST = 128_000


def ask(engine: Engine, model: ChatModel, tenant: str, system: str, user: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The model's answer; what it took is booked, also for one that cannot be used.

    Raises ``ModelUnavailable`` also where the tenant's budget of the day is used up, ``ModelError``."""
    _check(engine, tenant)
    try:
        answer = model.complete(system, user, schema)
    except ModelUnavailable:
        raise
    except ModelError:
        _book(engine, tenant, Usage(1, engine.tokens.count(system) + engine.tokens.count(user)))
        raise
    _book(engine, tenant, answer.usage if isinstance(answer, Answer) else _estimate(engine, system, user, answer))
    return answer


def spent(engine: Engine, tenant: str, day: datetime) -> Usage:
    """What the calls of a tenant took on that day (UTC)."""
    kept = engine.store.checkpoint(Reach(tenant, (_SUBJECT,)), _RUN)
    return Usage(**kept.state["days"].get(_name(day), {})) if kept else Usage()


def cost(usage: Usage, policy: Policy) -> float:
    """What a usage costs, by the prices of the policy: cached tokens at their share of the price of fresh ones."""
    fresh = usage.given - usage.cached + usage.cached * policy.cached_price
    return (fresh * policy.price_given + usage.written * policy.price_written) / 1_000_000


def _check(engine: Engine, tenant: str) -> None:
    policy, used = engine.policy, spent(engine, tenant, engine.clock())
    if policy.model_tokens and used.given + used.written >= policy.model_tokens:
        raise ModelUnavailable(f"the budget of the day is used up: {used.given + used.written} tokens")
    if policy.model_cost and cost(used, policy) >= policy.model_cost:
        raise ModelUnavailable(f"the budget of the day is used up: a cost of {cost(used, policy):.4f}")


def _book(engine: Engine, tenant: str, usage: Usage) -> None:
    reach, now = Reach(tenant, (_SUBJECT,)), engine.clock()
    for round in range(_ROUNDS):
        kept = engine.store.checkpoint(reach, _RUN)
        days: dict[str, Any] = dict(kept.state["days"]) if kept else {}
        days[_name(now)] = asdict(Usage(**days.get(_name(now), {})) + usage)
        state = {"days": dict(sorted(days.items())[-_DAYS:])}
        try:
            engine.store.put_checkpoint(reach, _RUN, kept.step + 1 if kept else 1, state, status=RunStatus.RUNNING, at=now)
        except VersionConflict:
            if round + 1 == _ROUNDS:
                raise
        else:
            return


def _estimate(engine: Engine, system: str, user: str, answer: Mapping[str, Any]) -> Usage:
    count = engine.tokens.count
    return Usage(1, count(system) + count(user), 0, min(count(_told(answer)), _LONGEST))


def _told(answer: Mapping[str, Any]) -> str:
    """The answer as it may have been written; one that JSON cannot hold, or nested past the stack, word by word."""
    try:
        return json.dumps(answer, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        return " ".join(_words(answer))


def _words(answer: object) -> Iterator[str]:
    """The leaves of an answer, at most as many as the longest answer has tokens, so that one that holds itself ends too."""
    left: list[object] = [answer]
    for _ in range(_LONGEST):
        if not left:
            return
        match left.pop():
            case Mapping() as found:
                left += [*found.keys(), *found.values()]
            case list() | tuple() as found:
                left += found
            case leaf:
                yield str(leaf)


def _name(day: datetime) -> str:
    return day.date().isoformat()
