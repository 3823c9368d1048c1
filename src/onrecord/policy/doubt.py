"""Whether a speaker doubts what they say. What is doubted is kept and shown, and replaces nothing."""

from __future__ import annotations

import re

_DOUBT = re.compile(
    r"\b(?:i (?:think|believe|guess|suppose|reckon|assume)|as far as i (?:know|remember|recall)|(?:that's |it's |is )?what i remember|if i (?:remember|recall)|"
    r"iirc|afaik|not (?:sure|certain|positive)|maybe|perhaps|probably|possibly|might (?:be|have)|may be|could be|supposedly|apparently|allegedly|"
    r"i (?:don't|do not) (?:know|remember) (?:which|if|whether|what|who|when)|which (?:one )?(?:is|of them is) right|whoever's right|whichever is right|"
    r"can't both be|or is (?:it|that)|unless i'm (?:wrong|mistaken)|don't quote me|"
    r"ich (?:glaube|denke|meine|weiß nicht|vermute)|vielleicht|wahrscheinlich|vermutlich|oder ist das|nicht sicher|"
    r"creo que|quizás?|tal vez|probablemente|no sé|no estoy segur[oa]|je (?:crois|pense|ne sais pas)|peut-être|probablement|pas sûre?)\b"
    r"|かもしれ|かも(?:$|[。、])|たぶん|多分|と思(?:う|い)|可能|也许|大概"
)


def is_doubtful(text: str) -> bool:
    """Whether ``text`` says that its speaker is not sure of it."""
    return _DOUBT.search(text.casefold().replace("’", "'")) is not None
