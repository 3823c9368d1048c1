"""Key and value of a candidate. A wrong key is worse than none: it retires what it does not concern.

A key is taken only from what the statement is plainly about: the thing before "is", or a first-person verb that names an
attribute.
"""

from __future__ import annotations

import re

from onrecord.model.record import Cardinality, Kind
from onrecord.policy.gate.features import plain
from onrecord.policy.language.pattern import regex
from onrecord.policy.language.vocabulary import Vocabulary

#: "my X is Y", "X: Y", "the X for Z is now Y"
_ABOUT = regex(
    r"(?:^|[.;!?] )(?:(?:and|so|oh|btw|also|actually|but|now|remember|note|that|for the record|please)[,:]? ){0,3}"
    r"(?P<who>my|our|mein\w?|unser\w?|mi|nuestr[oa]|mon|ma|notre|私の)\s?(?P<thing>[\w'-]+(?: [\w'-]+){0,3}?) ?"
    r"(?:is|are|was|will be|has (?:changed|moved)|(?:has |have )?changed to|moved to|ends in|heißt|"
    r"ist|sind|es|son|est|sont|は|:|=) ?(?:now |called |always |on |at |jetzt |ahora |maintenant )?(?P<value>[^.;,!?\n]{1,80})"
)
#: The same the other way round: "Ravi is my manager". Pronouns name nothing.
_OF_MINE = regex(
    r"(?:^|[.;!?] )(?:(?:and|so|oh|btw|also|actually|but|now|remember|note|that|for the record|please)[,:]? ){0,3}"
    r"(?P<value>(?!(?:this|that|these|those|it|he|she|they|we|you|i|there|here|what|who|which|where|one|nothing|everything|that's|"
    r"das|es|dies\w*|er|sie|wer|was|esto|eso|quien|ce|c'est|qui)\b)[\w'&-]+\.?(?: [\w'&-]+){0,3}?) "
    r"(?:is|will be|became|ist|es|est) (?:now |jetzt |ahora |maintenant )?"
    r"(?P<who>my|our|mein\w?|unser\w?|mi|nuestr[oa]|mon|ma|notre) "
    r"(?P<thing>(?!(?:second|third|other|former|ex|previous|old|last|next|late|future)\b)[\w'-]+(?: [\w'-]+){0,2}?)"
    r"(?= (?:now|these days|at|since|from|for|of|again|jetzt|seit|ahora|desde|maintenant|depuis)\b|\s*[.;,!?\n]|\s*$)"
)
#: Where somebody's home lies, if it is called a place.
_AT_HOME = regex(
    r"\bmy (?:home|flat|apartment|house|new (?:home|flat|apartment|house)) is (?:now )?in (?P<value>[^.;,!?\n]{1,60})"
)
# "Call me before nine" gives an hour and no name, and neither does "never call me Bob".
_CALLED = regex(
    r"\b(?:(?<!never )(?<!not )(?<!n't )call me(?! (?:before|after|at|on|by|in|when|if|back|again|only|later|early|first|any\w*|"
    r"every|to\w*|until|between|during|from|as soon|once|about|for|with|via|over|instead|please|now|or|and|an?)\b)|"
    r"ich heiße|me llamo|je m'appelle) (?P<value>[\w'-]+(?: [\w'-]+)?)"
)
#: Verbs that name the attribute by themselves, in the words of the vocabulary's cues.
_FIRST_PERSON = regex(
    r"(?:^|[.,;!] ?|\b(?:and|that|so|actually|because|und|y|et) )(?P<verb>i (?:now |currently )?(?:live in|live at|"
    r"moved to|work (?:at|for|as)|report to|(?:just |recently )?started (?:at|as)|am allergic to|speak|prefer|"
    r"take|drive|study)|i'm (?:allergic to|based in|"
    r"vegetarian|vegan|from|a vegetarian|a vegan|left-handed)|"
    r"i am (?:based in|vegetarian|vegan|from|a vegetarian|a vegan|left-handed)|ich wohne in|ich arbeite (?:bei|"
    r"als)|ich bin allergisch gegen|vivo en|trabajo en|soy alérgic[oa] a|j'habite à|je travaille (?:chez|"
    r"à|dans)|je suis allergique)"
    r"(?P<value>[^.;,!?\n]{0,60})"
)
#: What somebody can't bear, named before it is said to be so.
_SUFFERED = regex(
    r"\b(?:i have|i've got|i have got|i suffer from) (?:an? )?(?:(?:severe|mild|bad|serious|nasty) )?"
    r"(?P<value>[\w'-]+(?: [\w'-]+)?) (?:allergy|intolerance)\b"
)
_VERB_KEYS = (
    (regex(r"live|moved|based|wohne|vivo|habite"), "home_city"),
    (regex(r"report to"), "manager"),
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
    for about in filter(None, (_ABOUT.search(words), _of_mine(words, vocabulary))):
        if found := vocabulary.attribute_of(f"{about['who']} {about['thing']}"):
            return found[0] if vocabulary.kind(found[0]) is not Kind.RELATIONSHIP or _named(statement, words, about) else None
    if (home := _AT_HOME.search(words)) and _named(statement, words, home):
        return vocabulary.canonical("home_city")
    if _CALLED.search(words):
        return vocabulary.canonical("name" if "call me" not in words else "nickname")
    if _SUFFERED.search(words):
        return vocabulary.canonical("allergy")
    said = _FIRST_PERSON.search(words)
    if said is None:
        if "fav" not in words:
            return None
        favourite = [key for key in vocabulary.attribute_of(words) if key.startswith("favourite_")]
        return favourite[0] if favourite else None
    key = next((key for verb, key in _VERB_KEYS if verb.search(said["verb"])), None) or _liked(said, vocabulary)
    return vocabulary.canonical(key) if key else None


def _of_mine(words: str, vocabulary: Vocabulary) -> re.Match[str] | None:
    """What is somebody's by its value, if the whole thing is what the attribute names: "our team colour" is no team."""
    mine = _OF_MINE.search(words)
    if mine is None:
        return None
    part = f"{mine['who']} {mine['thing'].rpartition(' ')[0]}"
    return mine if vocabulary.attribute_of(part)[:1] != vocabulary.attribute_of(f"{mine['who']} {mine['thing']}")[:1] else None


def _named(statement: str, words: str, about: re.Match[str]) -> bool:
    """Whether what is said of somebody's kin is who it is: "my sister is Ana", not "my sister is allergic"."""
    begin = about.start("value")
    return len(words) != len(statement) or statement[begin : begin + 1].isupper() or "call" in about[0]


def _liked(said: re.Match[str], vocabulary: Vocabulary) -> str | None:
    """The attribute of what somebody prefers, where the thing names it itself: "aisle seats"."""
    if "prefer" not in said["verb"]:
        return None
    named = [key for key in vocabulary.attribute_of(said["value"]) if vocabulary.cardinality(key) is Cardinality.SINGLE]
    return named[0] if len(named) == 1 and vocabulary.kind(named[0]) is Kind.PREFERENCE else None


def value_of(statement: str, key: str | None) -> str | None:
    """The short value in ``statement``: what stands behind "is" or the verb where there is a key, else its only code."""
    if key is not None:
        words = plain(statement)
        for pattern in (_AT_HOME, _ABOUT, _OF_MINE, _CALLED, _SUFFERED, _FIRST_PERSON):
            found = pattern.search(words)
            if found and found["value"].strip():
                begin, end = found.span("value")
                return _clipped(statement[begin:end] if len(words) == len(statement) else found["value"], key)
    for pattern in (_CODE, _AMOUNT):
        every = list(dict.fromkeys(m[0] for m in pattern.finditer(statement)))
        if len(every) == 1:
            return every[0].strip(" `.,:;")
    return None


#: When it came to be so belongs to the dates, not to the value: "Porto last week" is Porto.
_LATELY = regex(
    r"\s+(?:now|these days|again|too|as well|instead|at the moment|today|yesterday|recently|lately|(?:a|two|three|\d+|some|"
    r"a few) (?:day|week|month|year)s? ago|(?:just |only )?(?:last|this|next) (?:\w+day|week|weekend|month|year|spring|summer|"
    r"autumn|fall|winter)|(?:since|on|in|from) (?:last |early |late |mid-?)?(?:\w+day|january|february|march|april|may|june|july|"
    r"august|september|october|november|december|spring|summer|autumn|winter|(?:19|20)\d\d)s?|jetzt|gestern|heute|seit \w+|"
    r"letzte[nrs]? \w+|vor \w+ \w+|ahora|ayer|hoy|desde \w+|la semana pasada|el \w+ pasado|maintenant|hier|depuis \w+|"
    r"la semaine dernière|le mois dernier)$",
    re.IGNORECASE,
)


#: Where somebody works ends before what they do there: "Acme as a data engineer" is Acme.
_POST = regex(r"\s+(?:as (?:an?|the|their|its)|als|como|comme)\b.*$", re.IGNORECASE)


def _clipped(value: str, key: str) -> str:
    head = re.split(
        r"\b(?:because|since|so|but|and (?:i|we|he|she|it|they)|which|instead|weil|und ich|porque|parce que)\b",
        value,
        maxsplit=1,
        flags=re.IGNORECASE,
    )[0]
    bare = (_POST.sub("", head) if key == "employer" else head).strip(" `.,:;\"'")
    while (shorter := _LATELY.sub("", bare).rstrip(" ,")) != bare:
        bare = shorter
    return (bare or value.strip())[:80]
