"""Key and value of a candidate. A wrong key is worse than none: it retires what it does not concern.

A key is taken only from what the statement is plainly about: the thing before "is", or a first-person verb that names an
attribute.
"""

from __future__ import annotations

import re

from onrecord.policy.gate_features import plain
from onrecord.policy.pattern import regex
from onrecord.policy.vocabulary import Vocabulary

#: "my X is Y", "X: Y", "the X for Z is now Y"
_ABOUT = regex(
    r"(?:^|[.;!?] )(?:(?:and|so|oh|btw|also|actually|but|now|remember|note|that|for the record|please)[,:]? ){0,3}"
    r"(?P<who>my|our|mein\w?|unser\w?|mi|nuestr[oa]|mon|ma|notre|私の)\s?(?P<thing>[\w'-]+(?: [\w'-]+){0,3}?) ?"
    r"(?:is|are|was|will be|has (?:changed|moved)|(?:has |have )?changed to|moved to|ends in|heißt|"
    r"ist|sind|es|son|est|sont|は|:|=) ?(?:now |called |always |on |at |jetzt |ahora |maintenant )?(?P<value>[^.;,!?\n]{1,80})"
)
_CALLED = regex(r"\b(?:call me|ich heiße|me llamo|je m'appelle) (?P<value>[\w'-]+(?: [\w'-]+)?)")
#: Verbs that name the attribute by themselves, in the words of the vocabulary's cues.
_FIRST_PERSON = regex(
    r"(?:^|[.,;!] ?|\b(?:and|that|so|actually|because|und|y|et) )(?P<verb>i (?:live in|live at|"
    r"moved to|work (?:at|for|as)|(?:just |recently )?started (?:at|as)|am allergic to|speak|prefer|"
    r"take|drive|study)|i'm (?:allergic to|"
    r"vegetarian|vegan|from|a vegetarian|a vegan|left-handed)|"
    r"i am (?:vegetarian|vegan|from|a vegetarian|a vegan|left-handed)|ich wohne in|ich arbeite (?:bei|"
    r"als)|ich bin allergisch gegen|vivo en|trabajo en|soy alérgic[oa] a|j'habite à|je travaille (?:chez|"
    r"à|dans)|je suis allergique)"
    r"(?P<value>[^.;,!?\n]{0,60})"
)
_VERB_KEYS = (
    (regex(r"live|moved|wohne|vivo|habite"), "home_city"),
    (regex(r"(?:work|started) (?:at|for)|arbeite bei|trabajo|travaille"), "employer"),
    (regex(r"(?:work|started) as|arbeite als"), "occupation"),
    (regex(r"allerg"), "allergy"),
    (regex(r"vegetarian|vegan"), "diet"),
    (regex(r"speak"), "languages"),
    (regex(r"left-handed"), "handedness"),
)
_CODE = regex(r"(?<![\w.-])(?=[\w./#+-]*\d)(?=[\w./#+-]*[A-Za-z])[A-Za-z][\w./#+-]*\w(?![\w-])")
_UNIT = (
    r"(?:%|€|\$|percent|eur|euros?|usd|dollars?|kg|g|cm|mm|m|km|l|ml|min|minutes|hours?|h|days?|weeks?|"
    r"months?|years?|degrees|°c?|am|pm|uhr|people|seats|requests?|words?|wörter|pages?|lines?|bullets?)"
)
_AMOUNT = regex(rf"[€$£]\s?\d[\d.,]*|(?<![\w.:])\d[\d.,]*(?::\d\d)?\s?{_UNIT}(?!\w)|(?<![\w.])\d\d?:\d\d(?!\w)", re.IGNORECASE)


def key_of(statement: str, vocabulary: Vocabulary) -> str | None:
    """The attribute that ``statement`` is plainly about, in the vocabulary's canonical form, or ``None``."""
    words = plain(statement)
    about = _ABOUT.search(words)
    if about and (found := vocabulary.attribute_of(f"{about['who']} {about['thing']}")):
        return found[0]
    if _CALLED.search(words):
        return vocabulary.canonical("name" if "call me" not in words else "nickname")
    said = _FIRST_PERSON.search(words)
    if said is None:
        if "fav" not in words:
            return None
        favourite = [key for key in vocabulary.attribute_of(words) if key.startswith("favourite_")]
        return favourite[0] if favourite else None
    key = next((key for verb, key in _VERB_KEYS if verb.search(said["verb"])), None)
    return vocabulary.canonical(key) if key else None


def value_of(statement: str, key: str | None) -> str | None:
    """The short value in ``statement``: what stands behind "is" or the verb where there is a key, else its only code."""
    if key is not None:
        words = plain(statement)
        for pattern in (_ABOUT, _CALLED, _FIRST_PERSON):
            found = pattern.search(words)
            if found and found["value"].strip():
                begin, end = found.span("value")
                return _clipped(statement[begin:end] if len(words) == len(statement) else found["value"])
    for pattern in (_CODE, _AMOUNT):
        every = list(dict.fromkeys(m[0] for m in pattern.finditer(statement)))
        if len(every) == 1:
            return every[0].strip(" `.,:;")
    return None


_LATELY = regex(r"\s+(?:now|these days|again|too|as well|instead|at the moment|jetzt|ahora|maintenant)$", re.IGNORECASE)


def _clipped(value: str) -> str:
    head = re.split(
        r"\b(?:because|since|so|but|and (?:i|we|he|she|it|they)|which|instead|weil|und ich|porque|parce que)\b", value, maxsplit=1
    )[0]
    bare = _LATELY.sub("", head.strip(" `.,:;\"'"))
    return (bare or value.strip())[:80]
