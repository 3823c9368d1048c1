"""The question that a message of a thread puts: what it leaves out is taken from the turns before it. Pure.

"And his?" finds nothing by itself, and with the whole thread behind it finds the thread. So the message keeps its own words; a
pronoun is given its name, a fragment takes the place of its like in the question before, "the second one" becomes what was
listed second, and only where something is still lacking the telling words of the last exchange are added.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from onrecord.model.turn import Role, Turn
from onrecord.policy.language.pattern import regex
from onrecord.policy.language.text import STOP_WORDS, fold
from onrecord.policy.recall.leaning import Lean, Leaning, leaning, own_terms


@dataclass(frozen=True, slots=True)
class Built:
    """The text to look for, and the ids of the turns that it was built from, oldest first; none where the message is enough."""

    text: str
    turns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Exchange:
    """The last question of the thread as it was meant, the answer to it (empty for none), and the turns they stand in."""

    question: str
    answer: str
    turns: tuple[str, ...]


_SPOKEN = frozenset({Role.USER, Role.ASSISTANT})
#: Characters of an answer that are read: what it is about stands at its beginning.
_ANSWER = 400
#: Telling words that a message with a pronoun has of its own before the question before it is left out.
_ENOUGH = 2
_PREPOSITION = (
    "on|in|at|for|with|from|to|by|under|over|during|before|after|since|until|about|according to|"
    "fur|im|am|bei|mit|von|nach|zu|vor|seit|bis|para|con|en|sobre|segun|pour|avec|dans|chez|selon|depuis"
)
_LEADING = regex(rf"^(?:{_PREPOSITION})\b")
_DETERMINER = "the|my|our|your|his|her|their|a|an|der|die|das|den|dem|mein\\w*|unser\\w*|el|la|mi|nuestr[oa]|le|les|mon|ma|notre"
_FIRST_WORDS = regex(rf"^(?:(?:{_PREPOSITION}) )?(?:{_DETERMINER})\b ?")
_OBJECT = regex(rf"\b(?:for|of|at|to|with|about|fur|mit|von|para|con|de|pour|avec) ((?:(?:{_DETERMINER}) )?[\w-]+(?: [\w-]+)?)$")
_TIME = regex(
    r"\b(?:(?:on|in|at|am|im|el|los|le) )?(?:a |an |the |every |each |last |next |this )?"
    r"(?:weekdays?|weekends?|weeks?|months?|years?|today|tomorrow|yesterday|mornings?|afternoons?|evenings?|nights?|noon|"
    r"spring|summer|autumn|winter|holidays?|term time|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|"
    r"january|february|march|april|may|june|july|august|september|october|november|december|\d{4}|"
    r"montags?|dienstags?|mittwochs?|donnerstags?|freitags?|samstags?|sonntags?|heute|morgen|gestern|"
    r"lunes|martes|miercoles|jueves|viernes|sabados?|domingos?|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)\b"
)
_PLACES = (
    regex(r"\b(?:first|former|erste\w?|primer[oa]?|premiere?)\b"),
    regex(r"\b(?:second|zweite\w?|segund[oa]|deuxieme)\b"),
    regex(r"\b(?:third|dritte\w?|tercer[oa]?|troisieme)\b"),
    regex(r"\b(?:fourth|vierte\w?|cuart[oa]|quatrieme)\b"),
)
_LAST = regex(r"\b(?:latter|last|letzte\w?|ultim[oa]|derniere?)\b")
_ITEM = regex(r"^\s*(?:[-*•]|\(?\d{1,2}[.)])\s+(.+)$", re.MULTILINE)
_JOINED = regex(r",\s*(?:and|or|und|oder|y|o|et|ou)?\s*|\s(?:and|or|und|oder|y|et|ou)\s")
_NAME = regex(r"(?<![\w'’])[^\W\d_a-z][\w’'-]*(?:\s(?!I\b)[^\W\d_a-z][\w’'-]*)*")
_AFTER_NAME = regex(
    r"['’]s\b|,? (?:and|is|was|are|has|does|do|did|can|will|sends?|says?|said|wants?|remembers|thinks|looks|works|writes|moved|"
    r"left|took|made|und|ist|hat|sieht|sagt|will|kann|macht|kommt|meint|es|tiene|dice|est|a|dit)\b|[,.]?\s*$|, "
)
_BEGINS = regex(r"(?:^|[.!?:\n]\s*|\d[.)]\s)$")
_OPENS_CLAUSE = regex(
    r"kann|ist|hat|darf|soll|muss|wird|wer|wem|wen|wann|wo|warum|wie|was|welche\w?|quien|cuando|donde|como|que|qui|quand"
)
_NO_NAME = frozenset(
    """yes no never always only through until from nothing something maybe sure right ok okay hello hi thanks please also both
    ja nein nie immer nur bis ab auf si non oui nunca""".split()
)
_PERSONS = regex(
    r"\b(?:(?:my|our|her|his|their|mein\w*|unser\w*|mi|tu|su|mon|ma|notre) )?(?:mom|mum|mama|mother|dad|papa|father|wife|husband|"
    r"partner|brother|sister|son|daughter|nephew|niece|uncle|aunt|boss|doctor|nurse|mutter|vater|bruder|schwester|tochter|sohn|chefin|chef|arzt|arztin|madre|"
    r"padre|hermano|hermana|hijo|hija|marido|jefe|mere|pere|frere|soeur|fils|fille|mari)\b"
)
_PRONOUN = regex(r"\b(?:he|him|his|she|her|hers|they|them|their|theirs|it|its|er|ihm|ihn|sie|ihr|lo|su|elle?|ils?|lui)\b")


def follow_up(message: str, turns: Sequence[Turn]) -> Built:
    """What ``message`` asks, said right after ``turns`` (of its thread, oldest first).

    A message that stands alone, or that has nothing before it, is returned as it is.
    """
    spoken = [turn for turn in turns if turn.role in _SPOKEN and turn.text.strip()]
    if spoken and spoken[-1].role is Role.USER and spoken[-1].text.strip() == message.strip():
        spoken.pop()  # it was stored already
    lacking = leaning(message)
    if lacking.lean is Lean.ALONE or not (exchange := _last_exchange(spoken)):
        return Built(message)
    return Built(" ".join(_text(message, lacking, exchange).split()), exchange.turns)


def _last_exchange(spoken: Sequence[Turn]) -> _Exchange | None:
    """The last question and what was answered; where only one of the two is there, the other is empty."""
    asked = next((n for n in range(len(spoken) - 1, -1, -1) if spoken[n].role is Role.USER), None)
    if asked is None:
        return _Exchange("", spoken[-1].text[:_ANSWER], (spoken[-1].id,)) if spoken else None
    meant = follow_up(spoken[asked].text, spoken[:asked])
    answers = spoken[asked + 1 :]
    answer = " ".join(turn.text for turn in answers[:1])[:_ANSWER]
    used = (*meant.turns, *(turn.id for turn in (spoken[asked], *answers[:1])))
    return _Exchange(meant.text, answer, tuple(dict.fromkeys(used)))


def _text(message: str, lacking: Leaning, exchange: _Exchange) -> str:
    match lacking.lean:
        case Lean.BARE:
            return f"{exchange.question} {_first_sentence(exchange.answer)} {message}"
        case Lean.FRAGMENT:
            return _in_its_place(lacking, exchange.question)
        case Lean.PLACE:
            return _counted(message, lacking, exchange)
        case _:
            return _named(message, lacking, exchange)


def _first_sentence(answer: str) -> str:
    return re.split(r"(?<=[.!?])\s|\n", answer.strip(), maxsplit=1)[0]


def _in_its_place(lacking: Leaning, question: str) -> str:
    """The question with the fragment where its like stood; before the question where nothing is like it."""
    asked = question.strip().rstrip("?!. ")
    if lacking.clause:  # "what does the nurse say": another source for the same matter
        return f"{lacking.written} {_without_source(asked)}"
    for start, end in _likes(lacking.core, asked):
        return f"{asked[:start]} {lacking.written} {asked[end:]}"
    return f"{lacking.written} {asked}"


def _likes(fragment: str, asked: str) -> Iterator[tuple[int, int]]:
    """Spans of the question that the fragment may stand for, the surest first: a time for a time, what has the same
    preposition, a name for a name, what has the same determiner, and what a last preposition is about."""
    folded = fold(asked) if len(fold(asked)) == len(asked) else asked.lower()
    if _TIME.fullmatch(fragment):
        yield from (found.span() for found in list(_TIME.finditer(folded))[-1:])
    leading, single = _LEADING.match(fragment), len(own_terms(fragment)) == 1
    if leading:
        yield from _phrases(rf"{re.escape(leading[0])}\b", folded, asked)
    elif single:
        yield from list(_names_at(asked))[-1:]
    if first := _FIRST_WORDS.match(fragment):
        yield from _phrases(rf"{re.escape(first[0].strip())}\b", folded, asked)
    if single and not leading and (object := _OBJECT.search(folded)):
        yield object.span(1)


def _phrases(opening: str, folded: str, asked: str) -> Iterator[tuple[int, int]]:
    """The last phrase with that opening: up to the end of the name that it is about, or to the next preposition, mark or end."""
    found = list(re.finditer(rf"\b{opening}(?:(?!\b(?:{_PREPOSITION})\b)[^,;:?!.])*", folded))
    for one in found[-1:]:
        inside = [end for start, end in _names_at(asked) if one.start() <= start and end <= one.end()]
        yield one.start(), min(inside, default=one.end())


def _counted(message: str, lacking: Leaning, exchange: _Exchange) -> str:
    """The message with what was listed at the place that it counts to, and what the list was about unless it asks on its own."""
    listed = _listed(exchange.answer) or _listed(exchange.question)
    folded = fold(message)
    place = next((n for n, pattern in enumerate(_PLACES) if pattern.search(folded)), None)
    place = len(listed) - 1 if place is None and _LAST.search(folded) else place
    if place is not None and 0 <= place < len(listed):
        matter = "" if lacking.clause and not lacking.reported else _about(exchange.question)
        return f"{message} {listed[place]} {matter}"
    others = [name for name in _names(exchange.answer) if fold(name) not in fold(exchange.question)]
    return f"{message} {_without_source(exchange.question)} {' '.join(others)}"


def _listed(text: str) -> list[str]:
    items = [match.strip() for match in _ITEM.findall(text)]
    if len(items) > 1:
        return items
    parts = [part.strip(" .?!") for part in _JOINED.split(_first_sentence(text)) if own_terms(part)]
    return parts if len(parts) > 1 else []


def _without_source(question: str) -> str:
    """The question without whom it asked about a matter: the other one is asked now."""
    return re.sub(r"\b(?:according to|laut|segun|selon)\b [^,;?]*", " ", question.rstrip("?!. "))


def _named(message: str, lacking: Leaning, exchange: _Exchange) -> str:
    """The message with the names that its pronoun may stand for; with the exchange before it where it says little itself."""
    own = own_terms(_PRONOUN.sub(" ", lacking.core))
    if not own and not lacking.reported:
        return f"{exchange.question} {_first_sentence(exchange.answer)} {message}"
    people = _people(exchange)
    said = _PRONOUN.sub(people[0], message, count=1) if len(people) == 1 else f"{message} {' '.join(people)}"
    if lacking.lean is Lean.PERSON and people and len(own) >= _ENOUGH:
        return said
    matter = _without_source(exchange.question) if lacking.reported else exchange.question
    told = "" if people or lacking.lean is Lean.THING else _first_sentence(exchange.answer)
    return f"{said} {_about(matter)} {told}"


def _people(exchange: _Exchange) -> list[str]:
    """Whom or what the exchange names, and whom it speaks of ("my mother")."""
    both = f"{exchange.question}\n{exchange.answer}"
    named = [name for name in _names(both) if not _TIME.search(fold(name))]
    return named + [match[0] for match in _PERSONS.finditer(fold(exchange.question))][:1]


def _about(question: str) -> str:
    """The telling words of a question, as they stand in it."""
    return " ".join(own_terms(question))


def _names(text: str) -> list[str]:
    return list(dict.fromkeys(text[start:end] for start, end in _names_at(text)))


def _names_at(text: str) -> Iterator[tuple[int, int]]:
    """Spans of words written as names. The first of a sentence counts where it is followed as a name is."""
    for found in _NAME.finditer(text):
        start, words = found.start(), found[0].split()
        while words and (fold(words[0]) in STOP_WORDS | _NO_NAME or _OPENS_CLAUSE.fullmatch(fold(words[0]))):
            start += len(words.pop(0)) + 1
        if not words or not words[0][0].isupper() or words[0] == "I":
            continue
        first = start == found.start() and _BEGINS.search(text[:start]) is not None
        if first and len(words) == 1 and not _AFTER_NAME.match(text[found.end() :]):
            continue
        yield start, found.end()
