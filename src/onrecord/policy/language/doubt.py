"""How a speaker puts it: in doubt, which is kept and shown and replaces nothing, or as news, which replaces what was."""

from __future__ import annotations

import re

from onrecord.policy.language.remembered import remembered

_DOUBT = re.compile(
    r"\b(?:i (?:think|believe|guess|suppose|reckon|assume)|as far as i (?:know|remember|recall)|(?:that's |it's |is )?what i "
    r"remember|if i (?:remember|recall)|"
    r"iirc|afaik|not (?:sure|certain|positive)|maybe|perhaps|probably|possibly|might (?:be|have)|may be|could be|supposedly|"
    r"apparently|allegedly|"
    r"i (?:don't|do not) (?:know|remember) (?:which|if|whether|what|who|when)|which (?:one )?(?:is|of them is) right|whoever's "
    r"right|whichever is right|"
    r"can't both be|or is (?:it|that)|unless i'm (?:wrong|mistaken)|don't quote me|"
    r"ich (?:glaube|denke|meine|weiß nicht|vermute)|vielleicht|wahrscheinlich|vermutlich|oder ist das|nicht sicher|"
    r"creo que|quizás?|tal vez|probablemente|no sé|no estoy segur[oa]|je (?:crois|pense|ne sais pas)|peut-être|probablement|"
    r"pas sûre?)\b"
    r"|かもしれ|かも(?:$|[。、])|たぶん|多分|と思(?:う|い)|可能|也许|大概"
)


@remembered
def is_doubtful(text: str) -> bool:
    """Whether ``text`` says that its speaker is not sure of it."""
    return _DOUBT.search(text.casefold().replace("’", "'")) is not None


_NEWS = re.compile(
    r"\b(?:now|from (?:now|today|tomorrow|here) on|as of|effective|no longer|any ?more|instead|new|changed?|changes|switched|"
    r"moved|raised|lowered|"
    r"cut to|(?:is|are|goes|went|comes?|came) (?:up|down) to|used to be|these days|since \w+day|starting|updated?|correction|"
    r"jetzt|ab (?:sofort|jetzt|heute|morgen)|neuer?|neues|künftig|statt|nicht mehr|geändert|ahora|desde ahora|nuev[oa]|ya no|"
    r"en vez de|cambi\w+|"
    r"maintenant|désormais|nouve(?:au|lle)|ne \w+ plus|au lieu|chang\w+)\b|今は|これから|今後|変わ|变|改"
)


@remembered
def is_news(text: str) -> bool:
    """Whether ``text`` says that something is otherwise than before."""
    return _NEWS.search(text.casefold().replace("’", "'")) is not None
