"""Results as pages for people: records, hits, receipts, refusals, turns, contexts. Pure: a result in, lines out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from onrecord.cli.lines import Line, Span, blank, day, joined, line, minute, one_line, title
from onrecord.model.context import Context, SectionReport
from onrecord.model.erasure import Erased
from onrecord.model.moment import EPOCH
from onrecord.model.receipt import Item, Receipt, Result, TurnResult
from onrecord.model.record import Record, Status
from onrecord.model.thread import ThreadInfo
from onrecord.model.trace import Hit, Trace
from onrecord.model.turn import Turn
from onrecord.model.verdict import Verdict

if TYPE_CHECKING:
    from onrecord.pipeline.compact import Compaction

#: What became of a candidate, in a word a newcomer knows, and its colour.
BECAME: Mapping[Result, Span] = {
    Result.ADDED: ("kept", "good"),
    Result.RESTATED: ("restated", "good"),
    Result.MERGED: ("merged", "good"),
    Result.SUPERSEDED: ("corrected", "note"),
    Result.CONFLICTED: ("conflict", "warn"),
    Result.RETRACTED: ("forgotten", "note"),
    Result.REFUSED: ("refused", "bad"),
}
#: The column of such a word.
COLUMN = 11
_FIELDS = (
    "id tenant subject scope scope_ref kind key value cardinality qualifier negation status author language confidence trust "
    "version pinned superseded_by"
).split()


def receipt_page(receipt: Receipt) -> Iterator[Line]:
    """What became of messages."""
    if receipt.dry_run:
        yield line(("Nothing was written; this is what would happen.", "warn"))
    for item in receipt.items:
        yield from item_lines(item)
    for turn in receipt.turns:
        if turn.result in (TurnResult.QUEUED, TurnResult.REFUSED):
            yield line(turn.detail, label=(str(turn.result), "warn"), width=COLUMN)
    if not receipt.items:
        stored = sum(turn.turn_id is not None for turn in receipt.turns)
        yield line((f"Stored {count(stored, 'turn')}; nothing in it to keep on record.", "dim"))


def item_lines(item: Item, *, indent: int = 0, brief: bool = False) -> Iterator[Line]:
    """One candidate: what became of it, its words and why; ``brief`` leaves out what only a program needs."""
    lead, below = BECAME[item.result], indent + COLUMN
    if item.record is None:
        yield line(f"“{one_line(item.statement, 160)}”", label=lead, width=COLUMN, indent=indent)
        yield line((f"{plain(item.reason)}: {item.detail}", "dim"), indent=below)
        return
    yield line(item.record.text, label=lead, width=COLUMN, indent=indent)
    yield line(joined(about(item.record)[:2] if brief else (*about(item.record), item.record.id)), indent=below)
    if item.result is not Result.ADDED:
        yield line((item.detail, "dim"), indent=below)


def records_page(records: Sequence[Record], limit: int) -> Iterator[Line]:
    """Records, each in two lines, and how to go on."""
    if not records:
        yield line(("Nothing on record.", "dim"))
    for record in records:
        state = "" if record.status is Status.ACTIVE else f"{record.status} · "
        yield line(record.text)
        yield line((state, "warn"), joined((*about(record), record.id)), indent=2)
    if records and len(records) == limit:
        yield line((f"More: --after {records[-1].id}", "dim"))


def record_page(record: Record) -> Iterator[Line]:
    """Every field of one record."""
    yield title(record.statement)
    for name in _FIELDS:
        value = getattr(record, name)
        if value not in (None, ""):
            yield line(f"{value:.2f}" if isinstance(value, float) else str(value), label=(name, "dim"), width=15, indent=2)
    rest = {
        "true": f"{day(record.valid_from)} to {day(record.valid_until)} ({record.expiry_basis} end)",
        "said": f"{minute(record.said_at)}, written {minute(record.written_at)}",
        "source": f"{record.source.type} {record.source.ref}",
        "quote": f"“{record.quote}”" if record.quote else "",
        "said in": ", ".join(filter(None, (record.origin.agent, record.origin.run, record.origin.thread))),
        "made from": ", ".join(record.derived_from),
        "conflicts with": ", ".join(record.conflicts_with),
        "metadata": ", ".join(f"{key}={value}" for key, value in record.metadata.items()),
    }
    yield from (line(text, label=(name, "dim"), width=15, indent=2) for name, text in rest.items() if text)


def hits_page(hits: Sequence[Hit], trace: Trace, *, explain: bool = False) -> Iterator[Line]:
    """Hits, best first; with ``explain`` how the question was understood, and every part of each score."""
    if explain:
        yield from asked_lines(trace)
    if not hits:
        yield line(("Nothing is relevant enough.", "dim"))
    for number, hit in enumerate(hits, 1):
        yield from hit_lines(hit, number)
        if explain:
            yield line(score_parts(hit.score, hit.relevance, hit.parts), indent=10)
    if explain:
        yield line((f"onrecord why {trace.id} tells what else was looked at.", "dim"))


def asked_lines(trace: Trace) -> Iterator[Line]:
    """How a question was understood: what of it was taken from a thread, and the time that it points at."""
    if trace.message and trace.message != trace.query:
        source = (
            f", with {count(len(trace.built_from), 'turn')} of its thread" if trace.built_from else ", for which it was given"
        )
        yield line((f"built from “{one_line(trace.message, 160)}”{source}: {one_line(trace.query, 240)}", "dim"))
    for period in trace.periods:
        since = f"from {minute(period.since)} " if period.since > EPOCH else ""
        yield line((f"about the time {since}to {minute(period.until)}", "dim"))


def hit_lines(hit: Hit, number: int, *, indent: int = 0) -> Iterator[Line]:
    """One hit: its number and relevance, its words, and what they are."""
    lead: Span = (f"{number:>2}  {hit.relevance:.2f}", "strong")
    if hit.record is not None:
        marks = ("past its usual end" if hit.stale else "", "in conflict" if hit.conflicts_with else "")
        yield line(hit.record.text, label=lead, width=10, indent=indent)
        yield line(joined((*about(hit.record), *marks, hit.id)), indent=indent + 10)
    elif hit.turn is not None:
        where = f"in {hit.turn.origin.thread}" if hit.turn.origin.thread else ""
        yield line(f"“{one_line(hit.turn.text, 240)}”", label=lead, width=10, indent=indent)
        said = f"episode, said {day(hit.turn.at)} by {hit.turn.author}"
        yield line(joined((said, where, hit.fate.note, hit.id)), indent=indent + 10)


def score_parts(score: float, relevance: float, parts: Mapping[str, float]) -> Span:
    """The numbers of a score, in a row."""
    named = (f"{name} {value:.3f}" for name, value in parts.items())
    return joined((f"score {score:.3f}", f"relevance {relevance:.3f}", *named))


def refusals_page(verdicts: Sequence[Verdict]) -> Iterator[Line]:
    """What was refused, newest first."""
    if not verdicts:
        yield line(("Nothing was refused.", "dim"))
    for verdict in verdicts:
        yield line(f"“{one_line(verdict.statement, 160)}”", label=(day(verdict.at), "dim"), width=12)
        yield line((f"{plain(verdict.reason)}: {verdict.detail}", "dim"), indent=12)


def turns_page(turns: Sequence[Turn]) -> Iterator[Line]:
    """The turns of a thread, in order."""
    if not turns:
        yield line(("Nothing was said there.", "dim"))
    for turn in turns:
        yield line((turn.author, "strong"), (f"  {minute(turn.at)}  {turn.id}", "dim"))
        yield line(turn.text, indent=2)


def threads_page(threads: Sequence[ThreadInfo]) -> Iterator[Line]:
    """Threads, one a line, the newest first."""
    if not threads:
        yield line(("No threads.", "dim"))
    for thread in threads:
        name = (thread.id, "strong")
        fork = f"copied from {thread.forked_from}" if thread.forked_from else ""
        covered = f"summary of {thread.covered}" if thread.covered else ""
        yield line(name, (f"  {thread.title}" if thread.title else "", ""))
        yield line(joined((minute(thread.last_at), count(thread.turns, "turn"), covered, fork)), indent=2)


def compaction_page(done: Compaction, *, explain: bool = False) -> Iterator[Line]:
    """What a thread was compacted to; with ``explain`` every line with its turns, what was carried, and what was dropped."""
    if done.summary is None:
        yield line((f"Nothing to compact: the thread takes {done.before} tokens.", "dim"))
        return
    made = "Made" if done.fresh else "Already there:"
    yield line(f"{made} a summary of {count(len(done.summary.covers), 'turn')}; {done.before} tokens are {done.after} now.")
    if done.summary.over:
        yield line(("What binds took more than the budget; none of it was left out.", "warn"))
    if done.refused:
        yield line((f"The words of the model were not used: {done.refused}", "warn"))
    yield blank()
    if not explain:
        yield from (line(row) for row in done.summary.text.splitlines())
        return
    for part in done.summary.lines:
        carried = "carried · " if part in done.summary.carried else ""
        yield line(part.text, label=(part.section.value, "note"), width=16)
        yield line((f"{carried}{', '.join(part.turn_ids)}", "dim"), indent=16)
    yield line(f"{len(done.summary.ledger)} clauses bind and were checked; {len(done.summary.dropped)} turns have no line:")
    yield from (line((id, "dim"), indent=2) for id in done.summary.dropped)


def context_page(made: Context) -> Iterator[Line]:
    """The messages as the model would get them, and the report."""
    yield from message_lines(made)
    yield blank()
    report = made.report
    yield title(f"{report.tokens} of {report.budget} tokens")
    yield from (_section(section) for section in report.sections)
    yield from (line((warning, "warn"), indent=2) for warning in report.warnings)
    if made.trace_id:
        yield line((f"onrecord why {made.trace_id} tells what was looked at for it.", "dim"))


def message_lines(made: Context, *, indent: int = 0) -> Iterator[Line]:
    """The system text and the messages of a context, each under its role."""
    for part in made.system:
        yield line(("system", "note"), indent=indent)
        yield line(str(part["text"]), indent=indent + 2)
    for message in made.messages:
        yield line((str(message["role"]), "note"), indent=indent)
        yield line(str(message["content"]), indent=indent + 2)


def erasure_page(counted: Mapping[str, int]) -> Iterator[Line]:
    """How much was erased."""
    yield line(f"Erased {count(counted['erased'], 'record')}, with their words in indexes, events, verdicts and traces.")


def erased_page(erased: Erased) -> Iterator[Line]:
    """What an erasure took away, and how it was proved."""
    yield title("Would be erased" if erased.dry_run else "Erased" if erased.counts else "Nothing was there.")
    yield from counts_page(erased.counts)
    if erased.emptied:
        yield title("Left without words")
        yield from counts_page(erased.emptied)
    for id in erased.kept:
        yield line(f"Turn {id} stays: other records rest on it too.", indent=2)
    if erased.scan:
        read = ", ".join(f"{name} ({size:,} bytes)" for name, size in erased.scan.files.items()) or "no files"
        yield line(f"Looked for {erased.scan.parts:,} parts of it in {read}: nothing is left.", indent=2)


def counts_page(counts: Mapping[str, int]) -> Iterator[Line]:
    """Numbers under their names."""
    width = max((len(name) for name in counts), default=0) + 2
    yield from (line(f"{number:,}", label=plain(name), width=width, indent=2) for name, number in counts.items())


def _section(section: SectionReport) -> Line:
    left = f"{len(section.left_out)} left out" if section.left_out else ""
    words = f"{section.tokens} of at most {section.budget} tokens, {count(int(section.kept), 'item')}"
    return line(words, (f"  {left}" if left else "", "warn"), label=section.name, width=10, indent=2)


def about(record: Record) -> list[str]:
    """What a record is, in a few words each: its kind, attribute, source and confidence."""
    value = f"{record.key} = {record.value}" if record.key and record.value else record.key or ""
    return [
        plain(record.kind) + (" (must NOT, or is NOT)" if record.negation else ""),
        value,
        f"{day(record.said_at)} by {record.author}",
        f"confidence {record.confidence:.2f}",
    ]


def plain(name: str) -> str:
    """A name of the code, as words."""
    return str(name).replace("_", " ")


def count(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number} {noun}" + ("" if number == 1 else "s")
