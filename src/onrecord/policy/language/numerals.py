"""Numbers as words and as digits, and the units behind them, in one form each: ``thirty-five kilos`` is ``35 kg``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType


def _table(words: str, values: Sequence[int]) -> dict[str, int]:
    return dict(zip(words.split(), values, strict=True))


_ONES = {
    **_table("zero one two three four five six seven eight nine ten eleven twelve", range(13)),
    **_table("thirteen fourteen fifteen sixteen seventeen eighteen nineteen", range(13, 20)),
    **_table("null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf", range(13)),
    **_table("cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce", range(13)),
    **_table("deux trois quatre cinq sept huit neuf dix onze douze", (2, 3, 4, 5, 7, 8, 9, 10, 11, 12)),
    **_table("dozen", (12,)),
}
_TENS = {
    **_table("twenty thirty forty fifty sixty seventy eighty ninety", range(20, 100, 10)),
    **_table("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig", range(20, 100, 10)),
    **_table("veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa", range(20, 100, 10)),
    **_table("vingt trente quarante cinquante soixante", range(20, 70, 10)),
}
_SCALES = {
    **_table("hundred thousand million hundert tausend cien mil cent mille", (100, 1000, 10**6, 100, 1000, 100, 1000, 100, 1000))
}
#: Ordinals as words; the digit form is read by the caller.
ORDINALS: Mapping[str, int] = MappingProxyType(
    _table("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth", range(1, 13))
)
#: Words that multiply or take part of one thing.
FRACTIONS: Mapping[str, str] = MappingProxyType({"half": "0.5", "quarter": "0.25", "once": "1x", "twice": "2x", "thrice": "3x"})

UNITS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys("% percent pct prozent por_ciento pourcent".split(), "%"),
        **dict.fromkeys("€ eur euro euros".split(), "EUR"),
        **dict.fromkeys("$ usd dollar dollars bucks".split(), "USD"),
        **dict.fromkeys("£ gbp pound_sterling quid".split(), "GBP"),
        **dict.fromkeys("kg kilo kilos kilogram kilograms kilogramm".split(), "kg"),
        **dict.fromkeys("g gram grams gramm".split(), "g"),
        **dict.fromkeys("mg milligram milligrams".split(), "mg"),
        **dict.fromkeys("km kilometer kilometers kilometre kilometres".split(), "km"),
        **dict.fromkeys("m meter meters metre metres".split(), "m"),
        **dict.fromkeys("cm centimeter centimeters centimetre centimetres".split(), "cm"),
        **dict.fromkeys("mm millimeter millimeters millimetre millimetres".split(), "mm"),
        **dict.fromkeys("l liter liters litre litres".split(), "l"),
        **dict.fromkeys("h hr hrs hour hours stunde stunden hora horas heure heures".split(), "h"),
        **dict.fromkeys("min mins minute minutes minuten minuto minutos".split(), "min"),
        **dict.fromkeys("sec secs second seconds sekunden segundos secondes".split(), "s"),
        **dict.fromkeys("day days tag tage tagen día días jour jours".split(), "day"),
        **dict.fromkeys("week weeks woche wochen semana semanas semaine semaines".split(), "week"),
        **dict.fromkeys("month months monat monate monaten mes meses mois".split(), "month"),
        **dict.fromkeys("year years jahr jahre jahren año años an ans".split(), "year"),
        **dict.fromkeys("° degree degrees °c grad grados degrés".split(), "°"),
    }
)


def word_value(word: str) -> int | None:
    """The number that one casefolded word names (``thirty-five`` → 35), or ``None``."""
    if word in _ONES:
        return _ONES[word]
    if word in _TENS:
        return _TENS[word]
    head, dash, tail = word.partition("-")
    if dash and head in _TENS and 0 < _ONES.get(tail, 0) < 10:
        return _TENS[head] + _ONES[tail]
    return None


def read_number(words: Sequence[str], at: int) -> tuple[int, int]:
    """The whole number spelled in ``words`` from ``at`` on, and how many words it takes; ``(0, 0)`` where none begins.

    Words are casefolded. ``two hundred and five`` → ``(205, 4)``.
    """
    total, current, used = 0, -1, 0
    i = at
    while i < len(words):
        word, value = words[i], word_value(words[i])
        if value is not None and (
            current < 0 or (current % 100 in range(20, 100, 10) and 0 < value < 10) or (current >= 100 and current % 100 == 0)
        ):
            current = max(current, 0) + value
        elif word in _SCALES and current > 0 and _SCALES[word] > 100:
            total, current = total + current * _SCALES[word], 0
        elif word in _SCALES and 0 < current < 100:
            current *= _SCALES[word]
        elif not (word == "and" and current >= 100 and i + 1 < len(words) and word_value(words[i + 1]) is not None):
            break
        i += 1
        used = i - at
    return (total + max(current, 0), used) if used else (0, 0)


def canonical_number(digits: str) -> str:
    """Digits in one form: ``1,200`` → ``1200``, ``16,5`` and ``16.50`` → ``16.5``; ``007`` stays, it is a code."""
    plain = digits
    groups = plain.split(",")
    if len(groups) > 1:
        thousands = all(len(group) == 3 for group in groups[1:]) and len(groups[0]) <= 3 and groups[0] != "0"
        plain = "".join(groups) if thousands else plain.replace(",", ".")
    if plain.count(".") == 1 and plain.replace(".", "").isdigit():
        plain = plain.rstrip("0").rstrip(".")
    return plain
