"""Consolidation of one subject: which records become one, as changes. Nothing is performed here."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain

from onrecord.model.change import Change, Edit, Flag, Resolve
from onrecord.model.record import Cardinality, Record
from onrecord.policy.consolidation.contest import contest
from onrecord.policy.consolidation.keys import joined_keys
from onrecord.policy.consolidation.merge import (
    Proposal,
    Row,
    claimed,
    frame_of,
    may_merge,
    merged,
    refused,
    same_fact,
    stays,
    words,
)
from onrecord.policy.consolidation.recur import Recurrence, promoted, recurrences
from onrecord.policy.defaults import Policy
from onrecord.policy.language.values import normal_value, same_qualifier, same_value
from onrecord.policy.language.vocabulary import DEFAULT, Vocabulary


@dataclass(slots=True)
class Plan:
    """The changes in the order to apply them, how many records go (``merged`` into another, into a ``promoted`` one), how many
    keys are ``joined`` to another (ids of their records), how many pairs are ``flagged`` as contradictory. ``refused`` are
    proposals that would lose something, and why."""

    changes: list[Change] = field(default_factory=list)
    merged: int = 0
    promoted: int = 0
    joined: list[str] = field(default_factory=list)
    flagged: int = 0
    refused: list[tuple[Proposal, str]] = field(default_factory=list)
    #: Ids of records that take part in more than a change of key.
    touched: set[str] = field(default_factory=set)


def consolidate(
    rows: Sequence[Row],
    now: datetime,
    policy: Policy,
    vocabulary: Vocabulary = DEFAULT,
    *,
    run: str = "",
    limit: int | None = None,
    apart: Collection[str] = (),
    proposed: Iterable[Proposal] = (),
    contested: Iterable[tuple[Record, Record]] = (),
) -> Plan:
    """What is to be done with the current records of one subject, at most ``limit`` of which go (``policy.merge_limit``).

    ``apart`` are ids of records that stay as they are: a person parted them. ``proposed`` are merges that somebody else
    suggests, such as a model; they are held to the same check as those that are found here, and so are pairs that it calls
    ``contested``, the older record first. ``run`` names the run in every
    reason. The same rows give the same plan, and the rows that it leaves give an empty one."""
    plan = Plan()
    if not policy.merge_limit:
        return plan
    left = policy.merge_limit if limit is None else min(limit, policy.merge_limit)
    rows = sorted((row for row in rows if row[0].id not in apart), key=lambda row: row[0].id)
    rows = _join_keys(plan, rows, policy, vocabulary, run)
    for proposal in chain(_proposals(rows), proposed):
        left -= _merge(plan, proposal, left, run)
        if left <= 0:
            break
    free = [record for record, _ in rows if record.id not in plan.touched]
    for found in recurrences(free, now, policy):
        left -= _promote(plan, found, left, run)
    _flag(plan, contested, policy, run)
    return plan


# --- keys


def _join_keys(plan: Plan, rows: Sequence[Row], policy: Policy, vocabulary: Vocabulary, run: str) -> list[Row]:
    """The rows under the keys that they are to have, those that come to stand against another settled or shown."""
    joined = joined_keys((record for record, _ in rows if may_merge(record)), vocabulary)
    done: list[Row] = []
    for record, usage in rows:
        key = joined.get(record.key or "") if may_merge(record) else None
        if key is not None:
            reason = f"{record.key} means the same as {key} ({run})"
            plan.changes.append(Edit(id=record.id, version=record.version, fields={"key": key}, reason=reason))
            plan.joined.append(record.id)
            record = replace(record, key=key, version=record.version + 1)
        done.append((record, usage))
    for key in sorted(set(joined.values())):
        _settle(plan, [record for record, _ in done if record.key == key and may_merge(record)], policy, run)
    return [row for row in done if row[0].id not in plan.touched]


def _settle(plan: Plan, records: Sequence[Record], policy: Policy, run: str) -> None:
    """Of two values that one key can't have at once the later one holds, as when it is said under the very key; said within a
    day, or less surely, both are shown."""
    single = sorted((r for r in records if r.cardinality is Cardinality.SINGLE), key=lambda record: (record.said_at, record.id))
    standing: list[Record] = []
    for new in single:
        if rivals := [old for old in standing if _rivals(old, new)]:
            change = _settled(new, rivals, policy, run)
            plan.changes.append(change)
            plan.touched |= {new.id, *(old.id for old in rivals)}
            standing = [old for old in standing if isinstance(change, Flag) or old not in rivals]
        standing.append(new)


def _rivals(old: Record, new: Record) -> bool:
    return same_qualifier(old.qualifier, new.qualifier) and old.negation == new.negation and not same_value(old, new)


def _settled(new: Record, rivals: Sequence[Record], policy: Policy, run: str) -> Resolve | Flag:
    listed = " and ".join(f"“{old.statement}”" for old in rivals)
    reason = f"“{new.statement}” and {listed} are of one key, {new.key} ({run})"
    ids = tuple(old.id for old in rivals)
    if all(_may_replace(old, new, policy) for old in rivals):
        return Resolve(keep=new.id, drop=ids, reason=reason)
    return Flag(ids=(*ids, new.id), reason=reason)


def _may_replace(old: Record, new: Record, policy: Policy) -> bool:
    sure = new.trust >= old.trust and new.confidence >= old.confidence - policy.confidence_slack
    return sure and new.said_at - old.said_at > policy.contradiction_window


def _flag(plan: Plan, contested: Iterable[tuple[Record, Record]], policy: Policy, run: str) -> None:
    """Flags the pairs that stand the check; a record that something else happens to in this plan is left for the next."""
    for old, new in contested:
        flag = contest(old, new, policy, run)
        if flag is not None and plan.touched.isdisjoint(flag.ids) and not {old.id, new.id} & set(plan.joined):
            plan.changes.append(flag)
            plan.touched.update(flag.ids)
            plan.flagged += 1


# --- merges


def _proposals(rows: Sequence[Row]) -> Iterator[Proposal]:
    free = {row[0].id: row for row in rows if may_merge(row[0])}
    for group in _groups([record for record, _ in free.values()]):
        keep = stays([free[record.id] for record in group])
        same = tuple(record for record in group if record.id != keep.id and same_fact(keep, record))
        if same:
            yield Proposal(keep, same, words(keep, same))


def _groups(records: Sequence[Record]) -> list[list[Record]]:
    """Records that may be of one fact, put together by what they share: the claim, key and value, or the beginning."""
    home = {record.id: record.id for record in records}
    known = {record.id: record for record in records}

    def root(id: str) -> str:
        while home[id] != id:
            home[id] = home[home[id]]
            id = home[id]
        return id

    for one, other in _near(records):
        if root(one) != root(other) and same_fact(known[one], known[other]):
            home[max(root(one), root(other))] = min(root(one), root(other))
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(root(record.id), []).append(record)
    return [group for group in groups.values() if len(group) > 1]


def _near(records: Sequence[Record]) -> Iterator[tuple[str, str]]:
    """Pairs worth comparing: each record with the first that shares a mark with it."""
    first: dict[object, list[str]] = {}
    for record in records:
        for mark in _marks(record):
            for other in first.setdefault(mark, [])[:_COMPARED]:
                yield other, record.id
            first[mark].append(record.id)
    frames = {frame_of(record.statement): record.id for record in reversed(records)}
    for record in records:
        frame = frame_of(record.statement)
        yield from ((frames[frame[:n]], record.id) for n in range(1, len(frame)) if frame[:n] in frames)


#: Of records that share a mark the first few are compared with each later one; where these differ, they differ in what counts.
_COMPARED = 8


def _marks(record: Record) -> Iterator[object]:
    yield "claim", claimed(record).key
    if record.key and record.value:
        yield "key", record.key, normal_value(record.value)


def _merge(plan: Plan, proposal: Proposal, left: int, run: str) -> int:
    ids = {proposal.keep.id, *(record.id for record in proposal.gone)}
    proposal = replace(proposal, gone=proposal.gone[: max(left, 0)])
    if not proposal.gone or ids & plan.touched:
        return 0
    if why := refused(proposal):
        plan.refused.append((proposal, why))
        fitting = _fitting(proposal)
        return _merge(plan, fitting, left, run) if 0 < len(fitting.gone) < len(proposal.gone) else 0
    plan.changes += merged(proposal, run)
    plan.touched |= ids
    plan.merged += len(proposal.gone)
    return len(proposal.gone)


def _fitting(proposal: Proposal) -> Proposal:
    """The proposal without those of its sources that do not go into what stays even alone; none of them if the words are new."""
    keep = proposal.keep
    if proposal.statement not in {record.statement for record in (keep, *proposal.gone)}:
        return replace(proposal, gone=())
    gone = tuple(record for record in proposal.gone if not refused(Proposal(keep, (record,), words(keep, (record,)))))
    return Proposal(keep, gone, words(keep, gone))


def _promote(plan: Plan, found: Recurrence, left: int, run: str) -> int:
    gone = len(found.sources) - 1
    if gone > left:
        return 0
    plan.changes += promoted(found, run)
    plan.touched |= {found.general.id, *(record.id for record in found.sources)}
    plan.promoted += gone
    return gone
