"""The account as pages: a record's history, its whole story, and why a search answered what it did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from onrecord.cli.lines import Line, blank, day, joined, line, minute, one_line, title
from onrecord.cli.pages import asked_lines, record_page, score_parts
from onrecord.model.change import Event
from onrecord.model.query import Corpus
from onrecord.model.record import Record
from onrecord.model.trace import Drop, Miss, Scored, Trace
from onrecord.model.turn import Turn
from onrecord.model.verdict import Verdict

if TYPE_CHECKING:
    from onrecord.model.lineage import Lineage, Recall
    from onrecord.pipeline.explain import Story

_WHEN = 18
_DROPPED: Mapping[Drop, str] = {
    Drop.BELOW_THRESHOLD: "not relevant enough",
    Drop.OVER_LIMIT: "relevant, but beyond the limit",
    Drop.DUPLICATE: "says the same as a better hit",
    Drop.RETIRED: "no longer true",
    Drop.NOT_TRUSTED: "not trusted",
    Drop.IN_DIALOGUE: "in the dialogue already",
}


_CORPORA = {Corpus.RECORDS: "record", Corpus.TURNS: "episode", Corpus.PASSAGES: "passage of a document"}


@dataclass(frozen=True, slots=True)
class Account:
    """A trace with the words of its candidates, as far as they still exist."""

    trace: Trace
    words: Mapping[str, str]


def history_page(events: Sequence[Event]) -> Iterator[Line]:
    """What happened to a record, oldest first."""
    for event in events:
        yield from event_lines(event)


def story_page(story: Story) -> Iterator[Line]:
    """From the words a record rests on to the answers it was used in."""
    if story.record is not None:
        yield from record_page(story.record)
    else:
        yield title(story.id, "was erased; only that it existed is known")
    yield from story_lines(story)


def story_lines(story: Story) -> Iterator[Line]:
    """The parts of the story: said, judged, happened, used."""
    yield from _part("It was said", [row for turn in story.turns for row in turn_lines(turn)])
    yield from _part("It was judged", [row for verdict in story.verdicts for row in verdict_lines(verdict)])
    yield from _part("It happened", [row for event in story.events for row in event_lines(event, indent=2)])
    yield from _part("It was used", [*_counters(story), *(row for trace in story.traces for row in use_lines(trace, story.id))])


def account_page(account: Account) -> Iterator[Line]:
    """Every candidate of a search: what came back, what stayed just under the cut, what else was dropped and why."""
    trace = account.trace
    yield title(f"“{trace.query}”", f"{minute(trace.at)}  {trace.id}")
    facts = (f"terms {' '.join(trace.terms) or 'none'}", f"embedder {trace.embedder}", f"threshold {trace.threshold:.2f}")
    yield line(joined(facts))
    if trace.rerank_fault:
        yield line((f"not reranked: {trace.rerank_fault}", "warn"))
    elif trace.reranker:
        yield line(f"reranked by {trace.reranker}")
    yield from asked_lines(trace)
    kept = [c for id in trace.returned for c in trace.candidates if c.id == id]
    near = trace.near_misses
    rest = Counter(c.dropped for c in trace.candidates if c.dropped and c not in near)
    yield from _part("Returned", [row for c in kept for row in candidate_lines(c, account)], "nothing")
    yield from _part("Just under the cut", [row for c in near for row in candidate_lines(c, account)])
    yield from _part("Dropped besides", [line(_DROPPED[why], label=str(n), width=5, indent=2) for why, n in rest.items() if why])
    if trace.injected:
        yield blank()
        yield line((f"Sent to a model: {', '.join(trace.injected)}", "dim"))


def misses_page(found: Sequence[Miss]) -> Iterator[Line]:
    """Probable misses: the record, what was asked, and what was said after it."""
    if not found:
        yield line(("No search missed what was said again after it.", "dim"))
    for miss in found:
        yield line((miss.record.text, "strong"), label=(day(miss.turn.at), "dim"), width=12)
        yield line(f"not found for “{one_line(miss.trace.query, 160)}”", indent=12)
        again = "corrected" if miss.corrected else "said again"
        yield line(f"{again} by {miss.turn.author}: “{one_line(miss.turn.text, 160)}”", indent=12)
        yield line(joined((miss.why, miss.record.id, miss.trace.id, miss.turn.id)), indent=12)


def candidate_lines(candidate: Scored, account: Account) -> Iterator[Line]:
    """One candidate: its relevance, its words, its numbers, and why it was dropped."""
    words = account.words.get(candidate.id, "(no longer there)")
    text = words if candidate.corpus is Corpus.RECORDS else f"“{one_line(words, 160)}”"
    yield line(text, label=(f"{candidate.relevance:.2f}", "strong"), width=6, indent=2)
    why = _DROPPED[candidate.dropped] if candidate.dropped else ""
    yield line(joined((_CORPORA[candidate.corpus], why, candidate.id)), indent=8)
    yield line(score_parts(candidate.score, candidate.relevance, candidate.parts), indent=8)


def turn_lines(turn: Turn) -> Iterator[Line]:
    """The words, who said them, where and when."""
    yield line(f"“{one_line(turn.text, 400)}”", label=(minute(turn.at), "dim"), width=_WHEN, indent=2)
    where = f"in {turn.origin.thread}" if turn.origin.thread else ""
    yield line(joined((f"{turn.author} ({turn.role})", where, turn.id)), indent=2 + _WHEN)


def verdict_lines(verdict: Verdict) -> Iterator[Line]:
    """What the gate said."""
    word = ("accepted", "good") if verdict.accepted else ("refused", "bad")
    yield line(word, f"  {verdict.detail}", label=(minute(verdict.at), "dim"), width=_WHEN, indent=2)
    yield line(joined((f"proposed by {verdict.rule}" if verdict.rule else "", verdict.id)), indent=2 + _WHEN)


def event_lines(event: Event, *, indent: int = 0) -> Iterator[Line]:
    """What happened, why, and what it changed in words."""
    yield line((str(event.type), "strong"), f"  {event.reason}", label=(minute(event.at), "dim"), width=_WHEN, indent=indent)
    for text in _difference(event.before, event.after):
        yield line((text, "dim"), indent=indent + _WHEN)


def use_lines(trace: Trace, id: str) -> Iterator[Line]:
    """One search that returned the record."""
    sent = "sent to a model" if id in trace.injected else "found"
    yield line(f"{sent} for “{one_line(trace.query, 120)}”", label=(minute(trace.at), "dim"), width=_WHEN, indent=2)
    yield line(joined((trace.id,)), indent=2 + _WHEN)


def _part(heading: str, rows: Sequence[Line], nothing: str = "") -> Iterator[Line]:
    if rows or nothing:
        yield blank()
        yield title(heading)
        yield from rows or [line((nothing, "dim"), indent=2)]


def _counters(story: Story) -> Iterator[Line]:
    usage = story.usage
    last = f", last on {minute(usage.last_reinforced_at)}" if usage.last_reinforced_at else ""
    said = "once" if usage.mention_count == 1 else f"{usage.mention_count} times"
    yield line(f"said {said}, sent to a model {usage.access_count} times{last}", indent=2)


def _difference(before: Record | None, after: Record | None) -> Iterator[str]:
    if before is None or after is None:
        if after is not None:
            yield f"→ {after.text}"
        return
    for name in ("statement", "value", "qualifier", "status", "confidence", "superseded_by", "valid_until"):
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            yield f"{name.replace('_', ' ')}: {_shown(old)} → {_shown(new)}"


def _shown(value: object) -> str:
    return "none" if value is None else str(value)


def lineage_page(found: Lineage) -> Iterator[Line]:
    """Back to the words, forward to everything they reached."""
    if found.record is not None:
        yield from record_page(found.record)
    yield from _part("It was said", [row for turn in found.turns for row in turn_lines(turn)])
    yield from _part("It was made from", [_row(record.id, record.statement) for record in found.sources])
    yield from _part("Not there any more", [_row(id, "") for id in found.missing])
    yield from _part("Made from it", [_row(row.id, f"{row.statement} ({row.subject}, {row.status})") for row in found.made])
    yield from _part("Summarised in", [_row(info.id, info.title) for info in found.summaries])
    yield from _part("Shown to a model", [_row(trace.id, one_line(trace.query, 80)) for trace in found.contexts])
    yield from _part("In runs", [_row(run, "") for run in found.runs])


def recall_page(done: Recall) -> Iterator[Line]:
    """What was, or would be, taken out."""
    yield title(
        "Would be taken out" if done.dry_run else "Taken out" if done.changes or done.withheld else "Nothing to take out."
    )
    for change in done.changes:
        record = getattr(change, "record", None)
        yield _row(getattr(change, "id", record.id if record else ""), f"{type(change).__name__.lower()}: {change.reason}")
    yield from (_row(id, "withheld from every model") for id in done.withheld)
    yield from (_row(id, "read again") for id in done.reread)
    yield from (_row(id, "stays in its dialogue: name it too to withhold it") for id in done.visible)


def _row(id: str, words: str) -> Line:
    return line(words, label=(id, "dim"), width=34, indent=2)
