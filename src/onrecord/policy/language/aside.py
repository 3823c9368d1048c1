"""What somebody says about the telling, and not about anything else: "as I said", "by the way", "nothing new there".

Of two statements that differ in nothing but such words one restates the other; a statement with them says no more than without.
In English, German, Spanish and French.
"""

from __future__ import annotations

import re

from onrecord.policy.language.pattern import regex
from onrecord.policy.language.remembered import remembered

#: Before what is told, or behind it.
_SAID = (
    r"(?:as|like) (?:i|we)(?:'ve| have)? (?:already |just )?(?:said|mentioned|told you|noted|wrote)"
    r"(?: (?:before|earlier|already|last time))?|by the way|btw|fyi|for the record|(?:just )?so you know"
    r"|wie gesagt|como (?:ya )?(?:te )?dije|comme (?:je l'ai )?dit"
)
#: Sentences of their own. Each has to say all of it: "not always" and "it has changed" say something.
_TOLD = r"(?:i|we)(?:'ve| have)? (?:already )?(?:said|told you|mentioned)(?: (?:this|that|it|so))?(?: before| already)?"
_UNCHANGED = (
    r"(?:still |again )?nothing(?: (?:is|has|was))? (?:new|changed|different)|no change|business as usual"
    r"|(?:that|it|this) (?:hasn't|has not|didn't|did not) changed?"
    r"|(?:(?:that|it|this)(?: is|'s) )?(?:still |all )?the same(?: as (?:ever|always|before))?"
    r"|(?:still |just |same )?as (?:ever|always|before|usual)"
    r"|(?:alles )?wie (?:immer|gehabt|bisher)|(?:immer )?noch dasselbe|nichts neues|hat sich nichts geändert"
    r"|(?:todo )?como siempre|nada nuevo|sin novedades|igual que antes"
    r"|rien de (?:nouveau|neuf)|comme (?:toujours|d'habitude|avant)"
)
_KNOWN = (
    r"(?:but |as |and )?you (?:already |do |probably |may )?know (?:that|this|it)(?: already)?|as you (?:already )?know"
    r"|just saying|(?:many )?(?:thanks|thank you|cheers)|das (?:weißt|kennst) du (?:ja|schon)|danke"
    r"|ya lo sabes|gracias|tu (?:le )?sais déjà|merci"
)
_WHERE = r"(?: (?:there|here|about that|on that|with that|da|dort|ahí|là))?"
_ALONE = rf"(?:{_TOLD}|(?:{_UNCHANGED}){_WHERE}|{_KNOWN})(?:,? i (?:think|believe|guess))?"
_BEFORE = regex(
    r"^\W*(?:(?:and|so|well|oh|ok|okay|hey|hi|also)\b[\s,]+)*"
    rf"(?:{_SAID}|(?:just )?(?:to|a quick|a) remind(?:er|(?: you)?)|(?:please )?(?:remember|note|don't forget|keep in mind)"
    r"|for your (?:notes|information)|once (?:again|more)|again|in case (?:i|you) (?:forgot|forget)"
    r"|(?:i|we)(?:'ve| have) (?:already )?(?:said|told you|mentioned)(?: (?:this|that|it))?(?: before| already)?"
    r"|(?:nur )?zur erinnerung|übrigens|por cierto|pour rappel|au fait)(?: that| dass| que)?\b(?! to\b)\W+"
    rf"|^\W*(?:{_ALONE})\s*[.!:–—]\W*",
    re.IGNORECASE,
)
_BEHIND = regex(rf"(?:[\s,;(–—-]+(?:{_SAID}|remember)|[.!;–—]\s+{_ALONE})\W*$", re.IGNORECASE)
#: An aside is looked for in so many characters at either end, so many one after the other, which bounds the work for any text.
_REACH, _MOST = 120, 8


@remembered
def without_asides(text: str) -> str:
    """``text`` without words about the telling at either end, if something is left."""
    left = text.strip()
    for _ in range(_MOST):
        begun = _BEFORE.match(left[:_REACH])
        shorter = left[begun.end() :] if begun else left
        ended = _BEHIND.search(shorter, max(len(shorter) - _REACH, 0))
        shorter = (shorter[: ended.start()] if ended else shorter).strip()
        if not shorter or shorter == left:
            break
        left = shorter
    return left
