"""What is left of the account of an erased record: who, when and why not, without its words. The same in every store."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace

from onrecord.model.change import Event
from onrecord.model.erasure import Erased, Scan
from onrecord.model.trace import Trace
from onrecord.model.verdict import Verdict


def emptied_event(event: Event) -> Event:
    """The event without rows and reason."""
    return replace(event, before=None, after=None, reason="")


def emptied_verdict(verdict: Verdict) -> Verdict:
    """The verdict without the words it judged; the reason code stays."""
    return replace(verdict, statement="", detail="")


def emptied_trace(trace: Trace, record_ids: Set[str]) -> Trace:
    """The trace without the words of the question, without the records among its candidates and what their pointers gave."""
    rest = tuple(scored for scored in trace.candidates if scored.id not in record_ids)
    seen = {id: hash for id, hash in trace.seen.items() if id not in record_ids}
    return replace(trace, query="", message="", terms=(), candidates=rest, seen=seen)


def named_by(trace: Trace) -> set[str]:
    """The rows that the trace returned, used or considered."""
    return {*trace.returned, *trace.injected, *(scored.id for scored in trace.candidates)}


def without_subjects(trace: Trace, subjects: Set[str], ids: Set[str]) -> Trace:
    """The trace without some of the subjects it looked at and the rows that were theirs."""
    return replace(
        trace,
        subjects=tuple(name for name in trace.subjects if name not in subjects),
        returned=tuple(id for id in trace.returned if id not in ids),
        injected=tuple(id for id in trace.injected if id not in ids),
    )


#: What a receipt counts; what is made from these (full text, counters, counts of tokens) goes with them.
_TOLD = """
records turns record_vectors turn_vectors events verdicts traces summaries threads checkpoints documents passages passage_vectors
""".split()


def receipt(gone: Mapping[str, int], emptied: Mapping[str, int], scan: Scan | None) -> Erased:
    """The receipt of these counts."""
    counts = {what: gone[what] for what in _TOLD if gone.get(what)}
    return Erased(counts=counts, emptied={what: count for what, count in sorted(emptied.items()) if count}, scan=scan)
