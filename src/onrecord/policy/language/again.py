"""Words that say that something was said before, in English, German, Spanish and French."""

from __future__ import annotations

import re

from onrecord.policy.language.remembered import remembered

_AGAIN = re.compile(
    r"\b(?:(?:so|and|once|say) again|again:|once more|(?:as|like) (?:i|we|he|she)(?:'ve| have)? (?:said|told|mentioned|say)|"
    r"(?:i|we) (?:already )?said so|"
    r"same as (?:i|we)|i (?:already )?told you|remind(?:er|ing)?|confirm(?:ing)?|as (?:always|ever|before|usual)|"
    r"as it ever was|repeat(?:ing)?|wie gesagt|nochmal|noch mal|erinner\w+|wie immer|como (?:dije|siempre)|recuerda|"
    r"rappel|comme (?:je l'ai dit|toujours)|encore une fois)\b"
)


@remembered
def says_again(text: str) -> bool:
    """Whether ``text`` says that it was said before."""
    return _AGAIN.search(text.casefold().replace("’", "'")) is not None
