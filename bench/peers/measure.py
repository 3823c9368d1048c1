"""One peer over one set: what it finds, how fast, and what it takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from random import Random
from statistics import fmean, median, quantiles
from time import perf_counter
from typing import Any

from bench.peers.peer import Cannot, Facts, Hit, Message
from bench.peers.remote import RemotePeer

from onrecord.evals import report
from onrecord.evals.dataset import Dataset, Question, Talk
from onrecord.evals.run import OURS, Report, Row
from onrecord.model.query import Include
from onrecord.policy.recall.episode import told
from onrecord.ports import TokenCounter

#: What is asked for, and the k of the recalls.
LIMIT, KS = 10, (5, 10)
#: Lines asked for by their own words, to see that what a peer gives back is sane; shorter ones are said more than once.
_VERBATIM, _DISTINCT = 25, 40

#: What is being done, steps done, steps in all.
Progress = Callable[[str, int, int], None]
#: The embedding endpoint's counters so far.
Stats = Callable[[], Mapping[str, float]]


@dataclass
class _Found:
    rows: list[Row] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    hits: list[int] = field(default_factory=list)
    without: str = ""


def measure(
    peer: RemotePeer, folder: Path, dataset: Dataset, *, tokens: TokenCounter, stats: Stats, seed: int, tick: Progress
) -> tuple[Facts, dict[str, Any]]:
    """The facts of a peer and its figures over a set. It is opened in ``folder``, which must be empty, and closed.

    Times are wall-clock; ``cpu_ms`` is processor time of the peer's process and of those it started, ``embed_ms`` that of the
    endpoint beside it (about 0 for one that embeds by itself). Raises ``PeerFailed``.
    """
    facts = peer.open(folder)
    try:
        began = _spent(peer, stats)
        taken = _ingest(peer, dataset, tick)
        between = _spent(peer, stats)
        verbatim = _verbatim(peer, dataset, seed)
        before = _spent(peer, stats)
        found = _ask(peer, dataset, tokens, tick)
        after = _spent(peer, stats)
        peak = peer.measure()["peak_kb"] / 1024
    finally:
        peer.close()
    turns = sum(len(talk.lines) for talk in dataset.talks.values())
    figures: dict[str, Any] = {
        "ingest": {"turns": turns, "seconds": round(taken, 2), "turns_per_s": round(turns / taken, 1)}
        | _each(began, between, turns),
        "peak_mb": round(peak, 1),
        "disk_mb": round(sum(one.stat().st_size for one in folder.rglob("*") if one.is_file()) / 2**20, 2),
        "verbatim@10": verbatim,
        "tokens": round(fmean(found.tokens)) if found.tokens else None,
        "hits": round(fmean(found.hits), 1) if found.hits else None,
    }
    if found.without:
        return facts, figures | {"search": None, "classes": None, "why_not": found.without}
    figures["search"] = _times(found.times) | _each(before, after, len(found.rows))
    figures["classes"] = _classes(dataset, found.rows)
    return facts, figures


def messages_of(talk: Talk) -> list[Message]:
    """A talk as messages, in order."""
    return [Message(line.id, line.session, line.role.value, line.author, line.text, line.at) for line in talk.lines]


def ranking_of(hits: Sequence[Hit], talk: Talk) -> tuple[str, ...]:
    """Ids of the lines that hits rest on, best first, each once; where a peer carries no ids, by their text."""
    by_text = {
        text: line.id for line in talk.lines for text in (line.text.strip(), told(line.at, line.author, line.text).strip())
    }
    known = {line.id for line in talk.lines}
    ids = [id for hit in hits for id in (hit.sources or (by_text.get(hit.text.strip(), ""),)) if id in known]
    return tuple(dict.fromkeys(ids))


def _ingest(peer: RemotePeer, dataset: Dataset, tick: Progress) -> float:
    """Seconds of taking everything in, one call for each sitting."""
    total, done, taken = sum(len(talk.lines) for talk in dataset.talks.values()), 0, 0.0
    for talk in dataset.talks.values():
        for _, sitting in groupby(messages_of(talk), key=lambda message: message.thread):
            messages = list(sitting)
            began = perf_counter()
            peer.add(talk.id, messages)
            taken += perf_counter() - began
            done += len(messages)
            tick("take in", done, total)
    return taken


def _verbatim(peer: RemotePeer, dataset: Dataset, seed: int) -> float | None:
    """The share of lines that are among the ten hits for their own words; ``None`` without a search."""
    random, found = Random(seed), []
    talks = list(dataset.talks.values())
    for _ in range(_VERBATIM):
        talk = random.choice(talks)
        line = random.choice([line for line in talk.lines if _DISTINCT <= len(line.text) <= 10 * _DISTINCT])
        try:
            found.append(line.id in ranking_of(peer.search(talk.id, line.text, LIMIT), talk)[:LIMIT])
        except Cannot:
            return None
    return round(fmean(found), 3)


def _ask(peer: RemotePeer, dataset: Dataset, tokens: TokenCounter, tick: Progress) -> _Found:
    found = _Found()
    for done, question in enumerate(dataset.questions, 1):
        talk = dataset.talks[question.talk]
        began = perf_counter()
        try:
            hits = peer.search(talk.id, question.text, LIMIT)
        except Cannot as error:
            found.without = str(error)
            found.tokens = [sum(tokens.count(hit.text) for hit in peer.everything(id)) for id in dataset.talks]
            return found
        found.times.append((perf_counter() - began) * 1000)
        found.tokens.append(sum(tokens.count(hit.text) for hit in hits))
        found.hits.append(len(hits))
        found.rows.append(_row(question, talk, ranking_of(hits, talk), found.times[-1], found.tokens[-1]))
        tick("ask", done, len(dataset.questions))
    return found


def _row(question: Question, talk: Talk, ranking: tuple[str, ...], ms: float, tokens: int) -> Row:
    session_of = {line.id: line.session for line in talk.lines}
    sessions = tuple(dict.fromkeys(session_of[id] for id in ranking))
    return Row(
        question=question,
        rankings={OURS: ranking},
        sessions={OURS: sessions},
        relevance=0.0,
        foreign=None,
        ms=ms,
        tokens={OURS: tokens},
    )


def _classes(dataset: Dataset, rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """The figures of the evaluations for each class, by the evaluations' own code."""
    made = Report(
        dataset=dataset.name,
        include=Include.EPISODES,
        embedder="",
        limits=KS,
        turns=0,
        ms_per_turn=0.0,
        rows=tuple(rows),
        apart=dataset.apart,
    )
    return {name: _kept(systems[OURS]) for name, systems in report.summary(made)["classes"].items()}


def _kept(figures: Mapping[str, Any]) -> dict[str, Any]:
    """The figures with the intervals of recall alone."""
    spans = {name: span for name, span in figures["intervals"].items() if name.startswith("R@")}
    return {**figures, "intervals": spans}


def _spent(peer: RemotePeer, stats: Stats) -> tuple[float, float]:
    return peer.measure()["cpu_seconds"], stats()["cpu_seconds"]


def _each(before: tuple[float, float], after: tuple[float, float], count: int) -> dict[str, float]:
    own, embedding = ((then - first) * 1000 / max(count, 1) for first, then in zip(before, after, strict=True))
    return {"cpu_ms": round(own, 3), "embed_ms": round(embedding, 3)}


def _times(values: Sequence[float]) -> dict[str, float]:
    last = quantiles(values, n=100, method="inclusive")[-1] if len(values) > 1 else values[0]
    return {"p50": round(median(values), 1), "p99": round(last, 1)}
