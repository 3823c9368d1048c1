"""Which language a text is in, told by its commonest words and its script: enough to treat it as what it is."""

from __future__ import annotations

from onrecord.policy.language.pattern import regex
from onrecord.policy.language.remembered import remembered

_READ = 1200  # characters that are looked at
_TONGUES = {
    "de": regex(r"\b(?:ich|und|der|die|das|nicht|ist|mein|meine|bitte|für|mit|ein|eine|kein|wir|auf|immer|bei|nur|sie)\b"),
    "es": regex(r"\b(?:el|los|las|que|por|para|mi|una|con|está|soy|pero|muy|siempre|nunca|solo|hoy|del|al|mis|y)\b"),
    "fr": regex(r"\b(?:le|les|des|je|est|pas|mon|ma|une|pour|avec|mais|très|toujours|jamais|dans|sur|nous|du|au|et)\b"),
    "en": regex(r"\b(?:the|and|is|my|i|you|to|of|in|for|not|it|we|that|no|on|are|with|at|a)\b"),
}
_KANA = regex("[\u3040-\u30ff]")
_HAN = regex("[\u4e00-\u9fff]")
_HANGUL = regex("[\uac00-\ud7af]")


@remembered
def language_of(text: str) -> str:
    """The likeliest language of ``text`` as a two-letter code; English when nothing tells."""
    for code, script in (("ja", _KANA), ("ko", _HANGUL), ("zh", _HAN)):
        if len(script.findall(text[:500])) >= 2:
            return code
    words = text[:_READ].casefold()
    counts = {code: len(pattern.findall(words)) for code, pattern in _TONGUES.items()}
    best = max(counts, key=lambda code: (counts[code], code == "en"))
    return best if counts[best] else "en"
