"""What a request to forget is about."""

from __future__ import annotations

import re
from collections.abc import Sequence

from onrecord.model.record import Record
from onrecord.model.verdict import Candidate
from onrecord.policy.correction.topic import topic_of
from onrecord.policy.language.text import terms
from onrecord.policy.language.values import telling
from onrecord.policy.language.vocabulary import DEFAULT, Vocabulary

#: Words of the request itself, and words that say nothing in other languages.
_ASKING = telling(
    "forget delete remove erase drop scrub scratch take back please thing things bit stuff part anymore longer hold keep "
    "record records memory "
    "told said gave tell gave number wrong rather would like want remember note wipe clear know all everything about also "
    "never mind out altogether entirely completely "
    "der die das den dem des ein eine einen mein meine meinen und bitte ganz mal lösch löschen vergiss vergessen streich sache "
    "ding nicht "
    "el la los las un una mi mis y por favor olvida borra quita cosa lo que le les ce cette mon ma mes et oublie efface "
    "supprime truc chose"
)
_VERB = (
    r"(?:forget|erase|delete|remove|drop|scrub|scratch|strike|wipe|take (?:out|back)|get rid of|vergiss|vergesst|lösche?|"
    r"streiche?|"
    r"olvida|borra|elimina|quita|oublie[zr]?|efface[zr]?|supprime[zr]?)"
)
_OBJECT = re.compile(rf"\b{_VERB}\b([^,.;!?\n]{{1,200}})", re.IGNORECASE)
_BEFORE = re.compile(rf"([^.;!?\n]{{2,120}}?)[,:–—-]\s*(?:please |bitte |por favor )?{_VERB}\b", re.IGNORECASE)
#: What follows says where the thing is or what it belongs to.
_PLACE = re.compile(r"\b(?:for|in|at|on|of|from|by|für|im|von|vom|bei|de|del|para|en|du|des|pour|dans)\b", re.IGNORECASE)
#: This share of the telling words has to be in a record.
_SHARE = 0.5


def targets(candidate: Candidate, near: Sequence[Record], vocabulary: Vocabulary = DEFAULT) -> list[Record]:
    """The records that the request means, by id; several if it fits them alike, none if it fits nothing."""
    thing = what_to_forget(candidate)
    wanted = telling(thing) - _ASKING
    keys = {candidate.key} if candidate.key else set(vocabulary.attribute_of(thing))
    head = telling(_PLACE.split(thing)[0]) - _ASKING - _names(thing)
    scored = [(_fit(old, wanted, head, bool(keys & _keys_of(old, vocabulary))), old) for old in near]
    best = max((fit for fit, _ in scored), default=0.0)
    if best < _SHARE:
        return []
    return _nearest([old for fit, old in scored if fit == best], candidate)


def _nearest(found: list[Record], candidate: Candidate) -> list[Record]:
    """Of records that fit the thing alike, those that share most with the rest of the request; by id."""
    said = telling(candidate.statement) - _ASKING
    shared = {old.id: len(said & _words(old)) for old in found}
    most = max(shared.values())
    return sorted((old for old in found if shared[old.id] == most), key=lambda old: old.id)


def what_to_forget(candidate: Candidate) -> str:
    """The words that name it: what the candidate says it corrects, the object of the request, its value, or its statement."""
    if candidate.corrects:
        return candidate.corrects
    request = candidate.statement
    objects = [match[1] for match in _OBJECT.finditer(request)]
    named = [text for text in (*objects, *(match[1] for match in _BEFORE.finditer(request))) if telling(text) - _ASKING]
    return named[0] if named else candidate.value or request


def _keys_of(old: Record, vocabulary: Vocabulary) -> set[str]:
    return {old.key} if old.key else set(vocabulary.attribute_of(old.statement))


def _names(thing: str) -> set[str]:
    """Much can be said of one name: whatever else is asked for has to be there too, where half is enough."""
    return {value.normal for value in topic_of(thing).values if value.kind == "name"}


def _fit(old: Record, wanted: set[str], head: set[str], same_key: bool) -> float:
    """The share of the wanted words that the record has; a key that is meant counts as half of a match by itself.

    Half of them is enough only with a word of the ``head``: "the stove for the sitting room" is no lamp of that room."""
    common = wanted & _words(old)
    share = len(common) / len(wanted) if wanted else 0.0
    if not same_key and share <= _SHARE and head and not head & common:
        return 0.0
    return share + (_SHARE if same_key else 0.0)


def _words(old: Record) -> set[str]:
    return set(terms(f"{old.statement} {old.value or ''} {(old.key or '').replace('_', ' ')} {old.quote}"))
