"""Simulation: a made life is played through a whole memory on a file, with a clock that steps and maintenance every week.

At the end of week one and of each quarter every fact is asked for. ``hit5`` is the share of the facts whose present value stands
in one of the first five hits. ``superseded`` counts hits among them that are superseded records, or turns that gave nothing else.
``former`` counts hits that give a former value of the fact, without the present one, as what is so, for whatever reason: also
what is kept under two names of one attribute, which no rule can tell from two. What is offered as disputed is not given as so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from onrecord.evals.life import DAY, Life, Probe, Said, Sitting
from onrecord.memory import Memory
from onrecord.model.record import Status
from onrecord.model.trace import Hit
from onrecord.policy.defaults import Policy
from onrecord.ports import Embedder
from onrecord.stores.sqlite import SQLiteStore

START = datetime(2026, 1, 5, tzinfo=UTC)
WHO = "robin"
#: What can be left out, to see what it is worth.
PARTS = ("decay", "consolidation", "retention")
_WEEK, _QUARTER = 7, 91
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The memory on one day. Shares are of the facts written on purpose and of those told in passing; ``former`` likewise."""

    day: int
    active: int
    records: int
    turns: int
    bytes: int
    hit5: float
    hit5_told: float
    superseded: int
    former: int
    former_told: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulated:
    """A simulation: what was left out, the memory after week one, and after each quarter."""

    seed: int
    without: tuple[str, ...]
    week_one: Measured
    quarters: tuple[Measured, ...]


class _Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=10)
        return self.now


def policy_without(parts: Iterable[str], keep_turns: int | None, keep: int | None = None) -> Policy:
    """The settings of a simulation; ``keep_turns`` and ``keep``, the longest that anything out of recall is kept, are in days."""
    span = None if keep_turns is None else keep_turns * DAY
    policy = Policy(turn_retention=span, turn_vector_retention=span)
    if keep is not None:
        most = keep * DAY
        policy = replace(
            policy,
            record_retention={status: min(span, most) for status, span in policy.record_retention.items()},
            trace_retention=min(policy.trace_retention, most),
            account_retention=min(policy.account_retention, most),
        )
    if "decay" in parts:
        policy = replace(policy, archive_below=0.0)
    if "consolidation" in parts:
        policy = replace(policy, merge_limit=0)
    if "retention" in parts:
        never = 1_000 * 365 * DAY
        spans = dict.fromkeys(policy.record_retention, never)
        policy = replace(
            policy,
            record_retention=spans,
            trace_retention=never,
            account_retention=never,
            turn_retention=None,
            turn_vector_retention=None,
        )
    return policy


def simulate(
    path: Path,
    embedder: Embedder | str,
    *,
    seed: int = 1,
    years: float = 2.0,
    sessions: int = 1_000,
    keep_turns: int | None = 180,
    keep: int | None = None,
    without: Sequence[str] = (),
    progress: Progress | None = None,
) -> Simulated:
    """A life of so many years and sessions played into a memory in the file ``path``."""
    clock, life = _Clock(), Life(seed, START, round(365 * years), sessions)
    store = SQLiteStore(path, synchronous="NORMAL")  # nobody pulls a plug here
    policy = policy_without(without, keep_turns, keep)
    measured: list[Measured] = []
    probes: list[Probe] = []  # what is so after the last sitting that was played; the life itself is one ahead
    with Memory(store=store, embedder=embedder, clock=clock, policy=policy) as memory:
        kept, due = START, [START + _WEEK * DAY, *(START + n * _QUARTER * DAY for n in range(1, 1 + life.days // _QUARTER))]
        for done, sitting in enumerate(life.sittings(), 1):
            while due and sitting.at >= due[0]:
                clock.now = due.pop(0)
                memory.maintain()
                measured.append(_measured(memory, probes, (clock.now - START).days))
            while sitting.at - kept >= _WEEK * DAY:
                kept += _WEEK * DAY
                clock.now = max(clock.now, kept)
                memory.maintain()
            clock.now = max(clock.now, sitting.at)
            _play(memory, sitting, f"s{done}")
            probes = life.probes()
            if progress:
                progress(done, sessions)
        for moment in due:
            clock.now = max(clock.now, moment)
            memory.maintain()
            measured.append(_measured(memory, probes, (moment - START).days))
    return Simulated(seed=seed, without=tuple(without), week_one=measured[0], quarters=tuple(measured[1:]))


def _play(memory: Memory, sitting: Sitting, session: str) -> None:
    talk = [said.text for said in sitting.said if not said.purpose]
    if talk:
        memory.add([{"role": "user", "content": text} for text in talk], user_id=WHO, session_id=session)
    for said in sitting.said:
        if said.purpose:
            _write(memory, said, session)
    if sitting.asked:
        memory.context(sitting.asked, user_id=WHO, session_id=session)


def _write(memory: Memory, said: Said, session: str) -> None:
    memory.remember(
        said.text,
        user_id=WHO,
        session_id=session,
        kind=said.kind or "stated_fact",
        key=said.key or None,
        value=said.value or None,
    )


def _measured(memory: Memory, probes: Sequence[Probe], day: int) -> Measured:
    counts = memory.engine.store.check().counts
    answers = [(probe, *_asked(memory, probe)) for probe in probes]
    return Measured(
        day=day,
        active=len(memory.get_all(user_id=WHO, statuses=[Status.ACTIVE, Status.CONFLICTED], limit=1_000_000)),
        records=counts["records"],
        turns=counts["turns"],
        bytes=memory.engine.store.size(),
        hit5=_mean([hit for probe, hit, _, _ in answers if probe.purpose]),
        hit5_told=_mean([hit for probe, hit, _, _ in answers if not probe.purpose]),
        superseded=sum(gone for _, _, _, gone in answers),
        former=sum(old for probe, _, old, _ in answers if probe.purpose),
        former_told=sum(old for probe, _, old, _ in answers if not probe.purpose),
    )


def _asked(memory: Memory, probe: Probe) -> tuple[bool, int, int]:
    """Whether the present value is among the first five hits, how many of them give a former one as what is so, and how many are
    superseded."""
    hits = memory.search(probe.question, user_id=WHO, limit=5).hits
    texts = [(hit.text.casefold(), hit.current and not _disputed(hit)) for hit in hits]
    now = probe.value.casefold()
    former = [value.casefold() for value in probe.former]
    old = sum(current and now not in text and any(value in text for value in former) for text, current in texts)
    gone = sum(not hit.record.current if hit.record else hit.fate.retired for hit in hits)
    return any(now in text for text, _ in texts), old, gone


def _disputed(hit: Hit) -> bool:
    return hit.record is not None and hit.record.status is Status.CONFLICTED


def _mean(values: Sequence[bool]) -> float:
    return sum(values) / len(values) if values else 0.0
