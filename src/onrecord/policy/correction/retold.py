"""What is said again in words in which it was said before: a record under a key rests on all of them, and shows only the first.

Who restates a fact without its key often does so as it was put last, in words that the record does not have. Its sources do, so
that no meaning has to be guessed: the same claim of the same value is the same fact. A source that says several things is left
out, since each of them has a record of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from onrecord.model.record import Cardinality, Record
from onrecord.model.verdict import Act, Candidate
from onrecord.policy.address import subject_name
from onrecord.policy.correction.neighbour import Neighbour
from onrecord.policy.correction.parts import parts_of
from onrecord.policy.language.aside import without_asides
from onrecord.policy.language.claim import Claim, claim_of, same_claim
from onrecord.policy.language.polarity import difference
from onrecord.policy.language.values import same_qualifier, telling


def rests_on_words(candidate: Candidate, old: Record) -> bool:
    """Whether the words of the sources of ``old`` help to tell what ``candidate`` does: it asks to forget something, gives the
    value of ``old`` without a key, or is of the same key."""
    if candidate.act is Act.FORGET:
        return True
    if not old.key or not old.value:
        return False
    if candidate.key:
        return candidate.key == old.key and old.cardinality is Cardinality.SINGLE
    return _gives(candidate.statement, old)


def retold(new: Record, near: Iterable[Neighbour]) -> list[Record]:
    """The records under a key that ``new``, without one, says again in words of theirs."""
    return [n.record for n in near if new.key is None and n.record.key and restates(new, n.record, n.told)]


def echoes(old: Record, near: Sequence[Neighbour]) -> list[Record]:
    """The records without a key, in order of id, that say nothing but what ``old`` says, in words of its sources: what takes the
    place of ``old`` takes theirs. None that is pinned, which a person wants as it is."""
    told = next((n.told for n in near if n.record.id == old.id), ())
    free = [n.record for n in near if n.record.key is None and not n.record.pinned and n.record.kind is old.kind]
    return sorted((record for record in free if restates(record, old, told)), key=lambda record: record.id)


def restates(new: Record, old: Record, told: Iterable[str]) -> bool:
    """Whether ``new`` gives the value of ``old`` in its words, or in those of one of its sources, and says nothing else."""
    if new.negation != old.negation or not same_qualifier(new.qualifier, old.qualifier) or not _gives(new.statement, old):
        return False
    return any(_same(new, words) for words in (old.statement, *told) if _gives(words, old))


def _gives(statement: str, old: Record) -> bool:
    """Whether all telling words of the value of ``old`` stand in ``statement``."""
    value = telling(old.value or "")
    return bool(value) and value <= telling(statement)


def _same(new: Record, words: str) -> bool:
    one, other = without_asides(new.statement), without_asides(words)
    if len(parts_of(one)) > 1 or len(parts_of(other)) > 1 or difference(one, other):
        return False
    return same_claim(_claim(one, new), _claim(other, new))


def _claim(text: str, record: Record) -> Claim:
    return claim_of(text, subject_name(record.subject))
