"""What a request to forget is about."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from onrecord.model.record import Record
from onrecord.model.verdict import Candidate
from onrecord.policy.text import terms
from onrecord.policy.values import telling
from onrecord.policy.vocabulary import DEFAULT, Vocabulary

#: Words of the request itself.
_ASKING = telling(
    "forget delete remove erase drop scrub scratch take back please thing things bit stuff part anymore longer hold keep "
    "record records memory "
    "told said gave tell gave number wrong rather would like want remember note wipe clear know all everything about lösch "
    "löschen vergiss "
    "vergessen olvida borra oublie efface sache ding"
)
#: This share of the telling words has to be in a record.
_SHARE = 0.5


def targets(candidate: Candidate, near: Sequence[Record], vocabulary: Vocabulary = DEFAULT) -> list[Record]:
    """The records that the request means, best match first; several if it fits them alike, none if it fits nothing."""
    thing = candidate.corrects or candidate.value or candidate.statement
    wanted = telling(thing) - _ASKING
    keys = {candidate.key} if candidate.key else {*vocabulary.attribute_of(thing)}
    scored = [(_fit(old, wanted, keys), old) for old in near]
    best = max((fit for fit, _ in scored), default=0.0)
    if best < _SHARE:
        return []
    return sorted((old for fit, old in scored if fit == best), key=lambda old: old.id)


def _fit(old: Record, wanted: set[str], keys: Collection[str]) -> float:
    """The share of the wanted words that the record has; a key that is meant counts as half of a match by itself."""
    words = set(terms(f"{old.statement} {old.value or ''} {(old.key or '').replace('_', ' ')} {old.quote}"))
    share = len(wanted & words) / len(wanted) if wanted else 0.0
    return share + (_SHARE if old.key is not None and old.key in keys else 0.0)
