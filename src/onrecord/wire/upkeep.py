"""What a server answers about looking after a memory: refusals, misses, lineage, what was taken back or erased, maintenance."""

from __future__ import annotations

from datetime import datetime
from typing import Self

from pydantic import BaseModel, Field

from onrecord.model.change import Change
from onrecord.model.erasure import Erased as Erasure
from onrecord.model.lineage import Lineage, Recall
from onrecord.model.trace import Miss
from onrecord.model.undo import Undone as Undo
from onrecord.model.verdict import Verdict
from onrecord.pipeline.maintain import Report
from onrecord.wire.answers import Memory, Said


class Refused(BaseModel):
    """One statement or message that was not kept."""

    statement: str
    reason: str
    detail: str
    at: datetime
    turn_id: str | None

    @classmethod
    def of(cls, verdict: Verdict) -> Self:
        """The verdict as it is shown."""
        return cls(
            statement=verdict.statement, reason=verdict.reason, detail=verdict.detail, at=verdict.at, turn_id=verdict.turn_id
        )


class Missed(BaseModel):
    """A probable miss: a turn says again, or corrects, what was on record, and the search for it had not returned that."""

    memory: Memory = Field(description="The record that should have come, as it stood then.")
    turn: Said
    query: str = Field(description="What was looked for.")
    trace_id: str
    corrected: bool
    why: str

    @classmethod
    def of(cls, miss: Miss) -> Self:
        """The miss as it is shown."""
        return cls(
            memory=Memory.of(miss.record),
            turn=Said.of(miss.turn),
            query=miss.trace.query,
            trace_id=miss.trace.id,
            corrected=miss.corrected,
            why=miss.why,
        )


class Traced(BaseModel):
    """Where a record or turn comes from, and everything it reached. Rows are in order of time."""

    id: str
    memory: Memory | None = Field(description="None for a turn.")
    turns: list[Said] = Field(description="What it was made from, as it was said.")
    sources: list[Memory] = Field(description="Records it was made from.")
    made: list[Memory] = Field(description="Records that were made from it.")
    summaries: list[str] = Field(description="Threads whose summary covers its turns.")
    contexts: list[str] = Field(description="Ids of the traces of contexts that showed it to a model.")
    runs: list[str]
    missing: list[str] = Field(description="Ids of sources that are not there any more.")
    elsewhere: int = Field(description="How many rows of owners that the key does not reach are left out.")

    @classmethod
    def of(cls, found: Lineage, subject: str | None) -> Self:
        """The lineage as it is shown to who may see ``subject`` alone, or everybody of the tenant."""
        made = [row for row in found.made if subject in (None, row.subject)]
        summaries = [info.id for info in found.summaries if subject in (None, info.subject)]
        contexts = [trace for trace in found.contexts if subject is None or trace.subjects == (subject,)]
        hidden = len(found.made) - len(made) + len(found.summaries) - len(summaries) + len(found.contexts) - len(contexts)
        return cls(
            id=found.id,
            memory=None if found.record is None else Memory.of(found.record),
            turns=[Said.of(turn) for turn in found.turns],
            sources=[Memory.of(record) for record in found.sources],
            made=[Memory.of(record) for record in made],
            summaries=summaries,
            contexts=[trace.id for trace in contexts],
            runs=[*found.runs] if not hidden else sorted({trace.origin.run for trace in contexts if trace.origin.run}),
            missing=list(found.missing),
            elsewhere=hidden,
        )


class Changed(BaseModel):
    """One change of a record, done or (in a dry run) to be done."""

    type: str = Field(description="add, retract, quarantine, recompute, expire, archive, ...")
    id: str
    reason: str

    @classmethod
    def of(cls, change: Change) -> Self:
        """The change as it is shown."""
        id = getattr(change, "id", None) or getattr(change, "keep", None) or getattr(getattr(change, "record", None), "id", "")
        return cls(type=type(change).__name__.lower(), id=str(id), reason=change.reason)


class Recalled(BaseModel):
    """What taking something back did, or in a dry run would do."""

    changes: list[Changed]
    withheld: list[str] = Field(description="Ids of turns that no model sees any more.")
    reread: list[str] = Field(description="Ids of turns that were read again.")
    visible: list[str] = Field(description="Ids of turns of people that said what was named and stay in their dialogue.")
    dry_run: bool

    @classmethod
    def of(cls, done: Recall) -> Self:
        """What was taken back, as it is shown."""
        changes = [Changed.of(change) for change in done.changes]
        turns = {"withheld": list(done.withheld), "reread": list(done.reread), "visible": list(done.visible)}
        return cls(changes=changes, **turns, dry_run=done.dry_run)


class Proof(BaseModel):
    """Every byte of ``files`` (bytes by name) was read, and none of ``parts`` distinctive parts was in them."""

    files: dict[str, int]
    parts: int
    first: int = Field(description="Parts that still stood there before the files were written anew.")


class Erased(BaseModel):
    """The receipt of an erasure: rows taken away by what they were, and those that stay without their words."""

    counts: dict[str, int]
    emptied: dict[str, int]
    kept: list[str] = Field(description="Ids of turns that stay because other records rest on them.")
    proof: Proof | None
    dry_run: bool

    @classmethod
    def of(cls, done: Erasure) -> Self:
        """The receipt as it is shown."""
        scan = done.scan
        proof = None if scan is None else Proof(files=dict(scan.files), parts=scan.parts, first=scan.first)
        return cls(counts=dict(done.counts), emptied=dict(done.emptied), kept=list(done.kept), proof=proof, dry_run=done.dry_run)


class Maintained(BaseModel):
    """What a maintenance run did, or in a dry run would do. The counts are of the whole store, whoever's rows they are."""

    captured: int
    failed: int
    parked: int
    embedded: int
    unembedded: int
    archived: int
    faded: int
    expired: int
    stale: int
    merged: int = Field(description="Records that went into another that says the same.")
    promoted: int = Field(description="Records that went into one of what recurs.")
    joined: int = Field(description="Records whose key was joined to another of the same meaning.")
    flagged: int = Field(description="Pairs of records that cannot both be true, as a model suggested and their words bear out.")
    pruned: int = Field(description="Records erased because they were out of recall for longer than they are kept.")
    traces: int
    verdicts: int
    tombstones: int
    vectors_dropped: int
    restatements: int = Field(description="Events that tell that a record was said again, told together with later ones.")
    turns_shed: int
    turns_dropped: int = Field(description="Turns of which nothing was left but their place.")
    bytes_before: int
    bytes: int = Field(description="Bytes on disk that hold something.")
    run: str = Field(description="What undo takes to give back what was merged; empty if nothing was.")
    calls: int = Field(description="Calls of a model that read what was said.")
    strays: int = Field(description="What that model named and was not shown, and rows of its answers that could not be used.")
    dry_run: bool

    @classmethod
    def of(cls, report: Report) -> Self:
        """The report as it is shown."""
        return cls(**{name: getattr(report, name) for name in cls.model_fields})


class Undone(BaseModel):
    """What undoing a maintenance run gave back, or in a dry run would give."""

    run: str
    changes: list[Changed]
    left: list[str] = Field(description="Ids of records that changed since and stay as they are.")
    reread: list[str] = Field(description="Ids of turns that were read again.")
    dry_run: bool

    @classmethod
    def of(cls, done: Undo) -> Self:
        """What was undone, as it is shown."""
        changes = [Changed.of(change) for change in done.changes]
        return cls(run=done.run, changes=changes, left=list(done.left), reread=list(done.reread), dry_run=done.dry_run)
