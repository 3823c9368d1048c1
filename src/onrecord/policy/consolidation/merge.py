"""Merging two records of one fact: which may be, which of them stays, in whose words, and the changes that do it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from onrecord.model.change import Archive, Change, Merge
from onrecord.model.record import STATEMENT_LIMIT, Cardinality, ExpiryBasis, Kind, Record, Status, Usage
from onrecord.policy.address import subject_name
from onrecord.policy.consolidation.survive import faults, holds_all
from onrecord.policy.language.aside import without_asides
from onrecord.policy.language.claim import Claim, claim_of, same_claim, telling
from onrecord.policy.language.polarity import Signature, difference, says_more, signature
from onrecord.policy.language.values import normal_value, same_qualifier

#: Kinds of what happened or was measured: each is of its own time.
DATED = frozenset({Kind.EPISODE, Kind.TOOL_FACT})

Row = tuple[Record, Usage]


@dataclass(frozen=True, slots=True)
class Proposal:
    """``gone`` are to go into ``keep``, which says ``statement`` then. Whoever proposes it, it is done only if all of them
    survive in that."""

    keep: Record
    gone: tuple[Record, ...]
    statement: str


def may_merge(record: Record) -> bool:
    """Whether a record may be a side of a merge: in force, undisputed, and not pinned, which a person wants as it is."""
    return record.status is Status.ACTIVE and not record.pinned and record.kind is not Kind.POINTER


def claimed(record: Record) -> Claim:
    """What the record claims, the name of its subject left out."""
    return claim_of(record.statement, subject_name(record.subject))


def same_fact(one: Record, other: Record) -> bool:
    """Whether two records state one fact, however it is put. Where anything that bears weight differs, they do not."""
    if not _alike(one, other) or difference(one.statement, other.statement) or not _same_parts(one, other):
        return False
    if same_claim(claimed(one), claimed(other)):
        return True
    return not _strict(one) and (_contains(one, other) or _contains(other, one))


def stays(records: Sequence[Row]) -> Record:
    """The record that the others go into: the one used most, then the one said most often, said last, with the smaller id."""
    best = sorted(records, key=lambda row: row[0].id)
    return max(best, key=lambda row: (row[1].access_count, row[1].mention_count, row[0].confidence, row[0].said_at))[0]


def words(keep: Record, gone: Iterable[Record]) -> str:
    """The statement that says all: that of the record that stays, unless another holds it and more."""
    best = keep
    for other in gone:
        if telling(best.statement) < telling(other.statement):
            best = other
    return best.statement


def refused(proposal: Proposal) -> str:
    """Why a proposal is not done, in a few words; empty if all of its sources survive."""
    sides = (proposal.keep, *proposal.gone)
    if not all(map(may_merge, sides)) or not all(_alike(proposal.keep, other) for other in proposal.gone):
        return "these records are not of one thing"
    if len(proposal.statement) > STATEMENT_LIMIT:
        return "the statement is too long"
    if found := faults(proposal.statement, sides):
        lost = found[0].span.text if found[0].span else found[0].found
        return f"{found[0].kind}: {lost}"
    missing = next((side for side in sides if not holds_all(proposal.statement, side)), None)
    return f"lost: words of {missing.id}" if missing else ""


def merged(proposal: Proposal, run: str) -> list[Change]:
    """The changes of a proposal: each source goes into what stays by a merge of its own and is archived, linked from it."""
    keep, version, done = proposal.keep, proposal.keep.version, list[Change]()
    for source in proposal.gone:
        keep = _together(keep, source, proposal.statement)
        why = f"“{source.statement}” says what “{proposal.keep.statement}” says: one record of both ({run})"
        done.append(Merge(reason=why, record=keep, version=version))
        done.append(Archive(id=source.id, version=source.version, reason=f"merged into {keep.id} ({run})"))
        version += 1
    return done


def _alike(one: Record, other: Record) -> bool:
    """Whether all that is no words is equal: whose, where, how far believed, whether denied, in which situation, until when."""
    same = all(getattr(one, name) == getattr(other, name) for name in _SAME)
    if not same or one.origin.agent != other.origin.agent or not same_qualifier(one.qualifier, other.qualifier):
        return False
    if one.expiry_basis is ExpiryBasis.STATED and one.valid_until != other.valid_until:
        return False
    if one.kind in DATED and one.valid_from.date() != other.valid_from.date():
        return False
    shared = one.metadata.keys() & other.metadata.keys()
    return all(one.metadata[name] == other.metadata[name] for name in shared) and _keys_fit(one, other)


_SAME = "tenant subject scope scope_ref trust negation kind expiry_basis".split()


def _keys_fit(one: Record, other: Record) -> bool:
    if one.key is None or other.key is None:
        return True
    same = not (one.value and other.value) or normal_value(one.value) == normal_value(other.value)
    return one.key == other.key and same


def _same_parts(one: Record, other: Record) -> bool:
    """Whether neither gives a number, date, code or name that the other does not, unless it gives all of the other's and more."""
    a, b = _signed(one.statement), _signed(other.statement)
    mine, theirs = (frozenset().union(s.numbers, s.dates, s.codes, s.urls) for s in (a, b))
    return a.negated == b.negated and (mine <= theirs or theirs <= mine)


def frame_of(text: str) -> tuple[str, ...]:
    """The words of a statement that claim something, in order: what ``says_more`` compares the beginnings of."""
    return _signed(text).frame


@lru_cache(maxsize=16_384)
def _signed(text: str) -> Signature:
    return signature(without_asides(text))


def _strict(record: Record) -> bool:
    """What binds or denies is merged only with what says the very same."""
    return record.negation or record.kind is Kind.CONSTRAINT


def _contains(more: Record, less: Record) -> bool:
    """Whether one says all of the other, of one value under one key, or with something added behind it."""
    keyed = more.key is not None and more.key == less.key and bool(more.value) and bool(less.value)
    if keyed and telling(less.statement) <= telling(more.statement):
        return True
    return says_more(without_asides(more.statement), without_asides(less.statement))


def _together(keep: Record, source: Record, statement: str) -> Record:
    """``keep`` resting on ``source`` too. Its words, with whom they are of, are those of the statement that is kept."""
    spoken = source if source.statement == statement and keep.statement != statement else keep
    named = keep if keep.key else source
    return replace(
        keep,
        statement=statement,
        quote=spoken.quote,
        source=spoken.source,
        author=spoken.author,
        language=spoken.language,
        key=named.key,
        value=named.value or keep.value or source.value,
        cardinality=named.cardinality if named.key else Cardinality.SINGLE,
        confidence=max(keep.confidence, source.confidence),
        trust=min(keep.trust, source.trust),
        valid_from=min(keep.valid_from, source.valid_from),
        valid_until=max(keep.valid_until, source.valid_until),
        said_at=max(keep.said_at, source.said_at),
        metadata={**source.metadata, **keep.metadata},
        derived_from=tuple(dict.fromkeys((*keep.sources, source.id, *source.sources))),
    )
