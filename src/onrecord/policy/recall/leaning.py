"""How a message leans on its thread: by pronouns, by what it leaves out, by counting ("the second one"), or not at all. Pure.

Rules over closed classes of words in English, German, Spanish and French; no model. What stands alone must be told from what does
not: a question that has its own subject and predicate is never mixed with what was said before.
"""

from __future__ import annotations

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
    """``lean`` says what is lacking. ``core`` is the message, folded, without its opening ("and", "what about") and end marks,
    ``written`` the same as it was written.

    ``clause`` tells whether it has a verb or question word, ``reported`` whether it asks what somebody says of a matter.
    """

    lean: Lean
    core: str
    written: str = ""
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
    r"^(?:(?:but |so )?(?:why|how come|since when|until when|till when|by when|from when|for how long|how long|how often|"
    r"how much|how many|how so|how|when|where|who|whose|which|what for|what else|says who|who says(?: so| that)?|really|"
    r"warum|wieso|weshalb|seit wann|bis wann|ab wann|wie lange|wie viel|wie oft|wann|wo|wer|welche[rs]?|was noch|"
    r"por que|desde cuando|hasta cuando|cuando|donde|quien|cuanto|cuantos|pourquoi|depuis quand|jusqu['’]a quand|quand|ou|qui|"
    r"combien)(?: not| exactly| then| nicht| genau| denn| exactement)?)$"
)
_ENDS = r"(?=\s*[?.!,]|\s*$|\s(?:is|was|are|does|did|has|say|says|said|sagt|dice|dit)\b)"
_PLACE = regex(
    r"\b(?:the|der|die|das|dem|den|el|la|los|las|le|les|l['’])\s?(?:others?|andere[nrsm]?|otr[oa]s?|autres?)\b|"
    rf"\b(?:the|der|die|das|el|la|le)\s(?:former|latter|previous|one before|first|second|third|fourth|fifth|last|next|"
    r"erste[nr]?|zweite[nr]?|dritte[nr]?|letzte[nr]?|primer[oa]?|segund[oa]|tercer[oa]?|ultim[oa]|"
    rf"premiere?|deuxieme|troisieme|derniere?)(?:\sones?)?{_ENDS}|"
    r"\b(?:the|this|that|which|another|next|last|first|second|third|new|old|right|wrong)\sones?\b|"
    r"\bboth(?: of them)?(?=\s*[?.!,]|\s*$)|\b(?:alle )?beiden?(?=\s*[?.!,]|\s*$)"
)
_PERSON = regex(
    r"\b(?:he|him|his|himself|she|her|hers|herself|they|them|their|theirs|er|ihm|ihn|seine[nrms]?|sie|ihr|ihre[nrms]?|"
    r"ellas?|ellos|lo(?= \w+[aeo]\b)|sus?|ils?(?! y a\b)|elles?|lui|leurs?)\b"
)
#: "How long does it take" and "is it safe to" speak of no thing.
_THING = regex(
    r"(?<!is )(?<!was )\bit\b(?! (?:takes?|took|is|was|rains?|snows?)\b|['’]s \w+ (?:for|to|that)\b)|"
    r"\b(?:is|was) it(?! \w+ (?:to|that|if|when)\b)|"
    r"\b(?:its|itself|these|those|dies|diese[nrms]?|dazu|davon|damit|dafur|daruber|dagegen|dort|eso|esa|ese|esto|alli|ca|cela|"
    r"celui-ci|celle-ci)\b|"
    r"\b(?:that|this|das)(?=\s*[?.!,]|\s*$|\s(?:too|then|again|now|end|ends|cost|costs|means?)\b)|"
    r"\b(?:about|of|for|with|to|by|on|did|was|is|does|like|before|after|since|until) (?:that|this)(?=\s(?:in|for|with|on|at)\b)|"
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
#: Verbs and times that say nothing about what is asked: "what does the nurse say?" lacks what she says it about.
_LIGHT = frozenset(
    """say said tell told think thought give gave mean meant want go get got put make made know sagt sagen meint dice dicen dit
    dire about before after since until now then again too either else over vor nach seit bis dann jetzt ahora antes despues
    avant apres""".split()
)
_SAYS = regex(r"\b(?:says?|said|tells?|told|thinks?|thought|claims?|finds?|found|sagt|sagen|sagte|meint|dice|dijo|dit)\b")
#: A name before "she" is whom it stands for: "can Wren say when she comes?"
_NAME_BEFORE = regex(
    r"(?<=[\w,] )(?!\w+days?\b|January|February|March|April|May\b|June|July|August|September|October|November|December)"
    r"[^\W\d_a-z][\w’'-]+(?=.*\b(?:he|him|his|himself|she|her|hers|herself|they|them|their|er|ihm|ihn|sein\w*|sie|"
    r"ihre?\w*|ella|ellos|elle|lui)\b)"
)
#: So many telling words before "it" are what it stands for: "if the deck oven breaks, who mends it?"
_ANTECEDENT = 3
#: A fragment is short; more words than these make a sentence of their own.
_FRAGMENT_TERMS = 4


#: The department and the hospital are no pronouns.
_CAPITALS = regex(r"\b(?:IT|ER)\b")
#: Characters of a message that is read; whoever writes more leaves out nothing.
_LONGEST = 300


def leaning(message: str) -> Leaning:
    """How ``message`` leans on what was said before it, whatever that was."""
    if len(message) > _LONGEST:
        return Leaning(Lean.ALONE, "")
    folded = " ".join(fold(_CAPITALS.sub("", message)).split())
    opening = _OPENING.match(folded)
    core = _trimmed(folded[opening.end() :] if opening else folded)
    clause = _CLAUSE.search(core) is not None or _ASKING.search(core) is not None
    lean = _lean(core, opening[0] if opening else "", clause, message)
    return Leaning(lean, core, _written(core, message), clause, _SAYS.search(core) is not None)


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


def _written(core: str, message: str) -> str:
    """The words of ``core`` as they stand at the end of the message."""
    words = _trimmed(" ".join(message.split()[-max(core.count(" ") + 1, 1) :]))
    return words if fold(words) == core else core


def _trimmed(core: str) -> str:
    return core.strip(" \t?!.,;:…¿¡-")
