"""What a request to forget is about."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from onrecord.model.record import Record
from onrecord.model.verdict import Candidate
from onrecord.policy.correction.neighbour import Neighbour
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
    "el la los las un una mi mis y por favor olvida borra quita cosa lo que oye te conté dije dicho le les ce cette mon ma mes "
    "et oublie efface "
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
#: This share of the telling words has to be in a record, or fewer of many words if no other record has as many of them.
_SHARE, _FEW, _TWO = 0.5, 0.34, 2
#: So much nearer in meaning than the next is plainly nearer.
_LEAD = 0.1
_WHEN_TOLD = re.compile(
    r"(?<=\bi )(?:told|gave|said|mentioned|wrote)(?: to)?(?: you)?(?: all)?,? (?:back )?(?:in|on|last|this|at|"
    r"over)(?: the)? [a-z]+\b",
    re.IGNORECASE,
)


def targets(candidate: Candidate, near: Sequence[Neighbour], vocabulary: Vocabulary = DEFAULT) -> list[Record]:
    """The records that the request means, by id; several if it fits them alike, none if it fits nothing.

    Where none of them says it in its own words, the turns they rest on may: people ask to forget what they told."""
    thing = _without_when(what_to_forget(candidate))
    wanted = telling(thing) - _ASKING
    keys = {candidate.key} if candidate.key else set(vocabulary.attribute_of(thing))
    head = telling(_PLACE.split(thing)[0]) - _ASKING - _names(thing)
    scored = [(_fit(n.record, wanted, head, bool(keys & _keys_of(n.record, vocabulary))), n) for n in near]
    best = max((fit for fit, _ in scored), default=0.0)
    if best >= _SHARE:
        return _nearest([n for fit, n in scored if fit == best], candidate)
    return _by_two_words(wanted, [n.record for n in near if head & _words(n.record)]) or _told(wanted, near)


def _by_two_words(wanted: Set[str], olds: Sequence[Record]) -> list[Record]:
    """The one record that shares two words or more with a request of many, where no other shares as much."""
    shared = sorted(((len(wanted & _words(old)), old.id, old) for old in olds), key=lambda row: row[:2], reverse=True)
    most = shared[0][0] if shared else 0
    if most < _TWO or most < _FEW * len(wanted) or (len(shared) > 1 and shared[1][0] == most):
        return []
    return [shared[0][2]]


def _told(wanted: Set[str], near: Sequence[Neighbour]) -> list[Record]:
    """What was told in the one turn that has most of the wanted words, two at the least; by id."""
    turns = {n.record.source.ref: len(wanted & set(terms(" ".join(n.told)))) for n in near}
    most = max(turns.values(), default=0)
    if most < _TWO or most <= _SHARE * len(wanted) or list(turns.values()).count(most) > 1:
        return []
    return sorted((n.record for n in near if turns[n.record.source.ref] == most), key=lambda old: old.id)


def _nearest(found: list[Neighbour], candidate: Candidate) -> list[Record]:
    """Of records that fit the thing alike, those that share most with the rest of the request, and of these the one that is
    plainly nearer in meaning; by id."""
    said = telling(candidate.statement) - _ASKING
    shared = {n.record.id: len(said & _words(n.record)) for n in found}
    most = max(shared.values())
    alike = sorted((n for n in found if shared[n.record.id] == most), key=lambda n: (-_meaning(n), n.record.id))
    if len(alike) > 1 and _meaning(alike[0]) - _meaning(alike[1]) >= _LEAD:
        return [alike[0].record]
    return sorted((n.record for n in alike), key=lambda old: old.id)


def _meaning(neighbour: Neighbour) -> float:
    return neighbour.meaning[0][0] if neighbour.meaning else 0.0


def _without_when(thing: str) -> str:
    """``thing`` without the time at which it was told: "what I told you in March" is nothing of March."""
    return _WHEN_TOLD.sub(" ", thing)


def what_to_forget(candidate: Candidate) -> str:
    """The words that name it: what the candidate says it corrects, the object of the request, its value, or its statement."""
    if candidate.corrects:
        return candidate.corrects
    request = candidate.statement
    objects = [match[1] for match in _OBJECT.finditer(request)]
    named = [text for text in (*objects, *(match[1] for match in _BEFORE.finditer(request))) if telling(text) - _ASKING]
    return named[0] if named else candidate.value or request


def _keys_of(old: Record, vocabulary: Vocabulary) -> Set[str]:
    return {old.key} if old.key else set(vocabulary.attribute_of(old.statement))


def _names(thing: str) -> Set[str]:
    """Much can be said of one name: whatever else is asked for has to be there too, where half is enough."""
    return {value.normal for value in topic_of(thing).values if value.kind == "name"}


def _fit(old: Record, wanted: Set[str], head: Set[str], same_key: bool) -> float:
    """The share of the wanted words that the record has; a key that is meant counts as half of a match by itself.

    Half of them is enough only with a word of the ``head``: "the stove for the sitting room" is no lamp of that room."""
    common = wanted & _words(old)
    share = len(common) / len(wanted) if wanted else 0.0
    if not same_key and share <= _SHARE and head and not head & common:
        return 0.0
    return share + (_SHARE if same_key else 0.0)


def _words(old: Record) -> Set[str]:
    return set(terms(f"{old.statement} {old.value or ''} {(old.key or '').replace('_', ' ')} {old.quote}"))
