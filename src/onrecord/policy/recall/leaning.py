"""How a message leans on its thread: by pronouns, by what it leaves out, by counting ("the second one"), or not at all. Pure.

Rules over closed classes of words in English, German, Spanish and French; no model. What stands alone must be told from what does
not: a question that has its own subject and predicate is never mixed with what was said before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from onrecord.policy.language.pattern import regex
from onrecord.policy.language.text import STOP_WORDS, fold, terms


class Lean(StrEnum):
    """What a message lacks. ``bare``: all but its question word. ``fragment``: its predicate. ``place``: which of several is
    meant. ``person`` and ``thing``: whom or what a pronoun stands for. ``alone``: nothing."""

    BARE = "bare"
    FRAGMENT = "fragment"
    PLACE = "place"
    PERSON = "person"
    THING = "thing"
    ALONE = "alone"


@dataclass(frozen=True, slots=True)
class Leaning:
    """``lean`` says what is lacking, ``core`` is the message, folded, without its opening ("and", "what about") and closing marks.
    ``clause`` tells whether it has a verb or question word, ``reported`` whether it asks what somebody says of a matter."""

    lean: Lean
    core: str
    clause: bool = False
    reported: bool = False


_OPENING = regex(
    r"^[\s¿¡,.…-]*(?:(?:ok|okay|right|hm+|so|well|ah|oh|yes|no|thanks)[,.!…]?\s+)?"
    r"(?:what about|how about|(?:and )?(?:the )?same (?:thing )?(?:for|with|goes for)|likewise for|ditto for|"
    r"und was ist mit|was ist mit|und wie ist es mit|wie ist es mit|dasselbe fur|y que hay de|que hay de|y que tal|que tal|"
    r"et qu['’]en est-il de|qu['’]en est-il de|et pour|and what about|and how about|"
    r"and|und|et|y|or|oder|but|aber|then|also)\b[\s,:…-]*"
)
_ABOUT = regex(r"\b(?:about|same|mit|dasselbe|hay|tal|pour|likewise|ditto)\b")
_BARE = regex(
    r"^(?:(?:but |so )?(?:why|how come|wherefore|since when|until when|till when|by when|from when|for how long|how long|how often|"
    r"how much|how many|how so|how|when|where|who|whose|which|what for|what else|says who|who says(?: so| that)?|really|"
    r"warum|wieso|weshalb|seit wann|bis wann|ab wann|wie lange|wie viel|wie oft|wann|wo|wer|welche[rs]?|was noch|"
    r"por que|desde cuando|hasta cuando|cuando|donde|quien|cuanto|cuantos|pourquoi|depuis quand|jusqu['’]a quand|quand|ou|qui|"
    r"combien)(?: not| exactly| then| nicht| genau| denn| exactement)?)$"
)
_PLACE = regex(
    r"\b(?:the|a|an|any|der|die|das|dem|den|el|la|los|las|le|les|l['’])\s?(?:other|others|former|latter|andere[nrsm]?|otr[oa]s?|"
    r"autres?)\b|"
    r"\b(?:the|der|die|das|el|la|le)\s(?:first|second|third|fourth|fifth|last|next|previous|one before|erste[nr]?|zweite[nr]?|"
    r"dritte[nr]?|letzte[nr]?|primer[oa]?|segund[oa]|tercer[oa]?|ultim[oa]|premiere?|deuxieme|troisieme|derniere?)"
    r"(?:\sones?)?(?=\s*[?.!,]|\s*$|\s(?:is|was|are|does|did|has|say|says|said|sagt|dice|dit)\b)|"
    r"\b(?:the|this|that|which|another|next|last|first|second|third|new|old|right|wrong)\sones?\b|\bboth(?: of them)?\b(?! \w+s\b)|"
    r"\b(?:alle )?beiden?\b(?=\s*[?.!,]|\s*$)"
)
_PERSON = regex(
    r"\b(?:he|him|his|himself|she|her|hers|herself|they|them|their|theirs|er|ihm|ihn|seine[nrms]?|sie|ihr|ihre[nrms]?|"
    r"ellas?|ellos|lo(?= \w+[aeo]\b)|sus?|ils?(?! y a\b)|elles?|lui|leurs?)\b"
)
_THING = regex(
    r"\b(?:it|its|itself|these|those|dies|diese[nrms]?|dazu|davon|damit|dafur|daruber|dagegen|dort|eso|esa|ese|esto|esta(?= \w+\?)|"
    r"alli|ca|cela|celui-ci|celle-ci)\b|"
    r"\b(?:that|this|das)(?=\s*[?.!,]|\s*$|\s(?:one|too|then|again|for|in|with|now|is|was|end|end\w*|cost\w*|mean\w*|change\w*)\b)|"
    r"\b(?:about|of|for|with|to|by|on|did|was|is|does|like|do|before|after|since|until) (?:that|this)\b(?! \w+ing\b)|"
    r"(?<!is )(?<!are )(?<!was )(?<!were )\bthere(?=\s*[?.!,]|\s*$)"
)
#: "this week" says when, not what.
_TIME_NEXT = regex(
    r"\b(?:this|that|these|diese[nrms]?|est[ae]) (?:\w+ )?(?:day|week|weekend|month|year|morning|afternoon|evening|night|"
    r"spring|summer|autumn|fall|winter|(?:mon|tues|wednes|thurs|fri|satur|sun)day|tag|woche|monat|jahr|abend|semana|mes)\b"
)
#: A clause of its own has one of these, or a question word with more than itself.
_CLAUSE = regex(
    r"\b(?:is|are|was|were|am|be|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must|"
    r"ist|sind|war|waren|hat|habe|haben|kann|konnen|muss|soll|darf|wird|werden|gibt|macht|geht|"
    r"es|son|esta|estan|era|tiene|hay|puede|debe|va|est|sont|etait|peut|doit|faut)\b|n['’]t\b"
)
_ASKING = regex(
    r"\b(?:who|whom|whose|when|where|why|how|what|which|wer|wem|wen|wann|wo|warum|wie|was|welche[rsnm]?|quien|cuando|donde|como|"
    r"que|cual|cuanto|qui|quand|ou|comment|quel(?:le)?s?|combien|pourquoi)\b"
)
_WORD = regex(r"\w[\w'’.+#@/-]*[+#]*(?<![.'’/-])|\w")
_CONTRACTED = regex(r"['’](?:s|re|ve|ll|d|m)$")
_SAYS_NOTHING = regex(rf"(?:{_CLAUSE.pattern})|(?:{_ASKING.pattern})")
#: Verbs and times that say nothing about what is asked: "what does the nurse say?" lacks what she
#: says it about.
_LIGHT = frozenset(
    """say said tell told think thought give gave mean meant want go get got put make made know sagt sagen meint dice dicen dit
    dire about before after since until now then again too either else over vor nach seit bis dann jetzt ahora antes despues
    avant apres""".split()
)
_SAYS = regex(r"\b(?:says?|said|tells?|told|thinks?|thought|claims?|finds?|found|sagt|sagen|sagte|meint|dice|dijo|dit)\b")
#: A name before "she" is whom it stands for: "can Wren say when she comes?"
_NAME_BEFORE = regex(
    r"(?<=[\w,] )[^\W\d_a-z][\w’'-]+(?=.*\b(?:he|him|his|she|her|hers|they|them|their|er|ihm|ihn|sein\w*|sie|ihre?\w*|"
    r"ella|ellos|elle|lui)\b)"
)
#: So many telling words before "it" are what it stands for: "if the deck oven breaks, who mends it?"
_ANTECEDENT = 3
#: A fragment is short; more words than these make a sentence of their own.
_FRAGMENT_TERMS = 4


def leaning(message: str) -> Leaning:
    """How ``message`` leans on what was said before it, whatever that was."""
    folded = " ".join(fold(message).split())
    opening = _OPENING.match(folded)
    core = _trimmed(folded[opening.end() :] if opening else folded)
    clause = _CLAUSE.search(core) is not None or _ASKING.search(core) is not None
    return Leaning(_lean(core, opening[0] if opening else "", clause, message), core, clause, _SAYS.search(core) is not None)


def own_terms(text: str) -> list[str]:
    """The terms of ``text`` that say what it is about, in order: no stop words, no question words and no light verbs."""
    words = (_CONTRACTED.sub("", word) for word in _WORD.findall(fold(text)))
    return [word for word in words if word not in STOP_WORDS | _LIGHT and not _SAYS_NOTHING.fullmatch(word) and terms(word)]


def _lean(core: str, opening: str, clause: bool, message: str) -> Lean:
    if not core or _BARE.match(core):
        return Lean.BARE
    own = own_terms(core)
    if _ABOUT.search(opening) and not clause:
        return Lean.FRAGMENT
    plain = _TIME_NEXT.sub(" ", core)
    if _PLACE.search(plain):
        return Lean.PLACE
    pronoun = _pronoun(plain, message)
    if pronoun is not None:
        return pronoun
    if not clause and len(own) <= (_FRAGMENT_TERMS if opening else 2):
        return Lean.FRAGMENT
    return Lean.FRAGMENT if opening and len(own) <= 1 else Lean.ALONE


def _pronoun(core: str, message: str) -> Lean | None:
    """The kind of a pronoun that has nothing before it in the message to stand for."""
    person, thing = _PERSON.search(core), _THING.search(core)
    if person and not _NAME_BEFORE.search(message):
        return Lean.PERSON
    return Lean.THING if thing and len(own_terms(core[: thing.start()])) < _ANTECEDENT else None


def _trimmed(core: str) -> str:
    return core.strip(" \t?!.,;:…¿¡-")
