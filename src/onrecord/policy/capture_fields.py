"""What a candidate says besides its words: kind, value, situation, correction, language, and when it begins and ends."""

from __future__ import annotations

import re

from onrecord.model.record import Kind
from onrecord.policy.gate_features import cues, plain

# --- kind

_CONSTRAINT = frozenset("never never_order bare_no must cannot".split())
_PROCEDURE = re.compile(
    r"\b(?:sign[- ]?off|approval|approve[sd]?|escalat\w+|goes? (?:to|through|via)|go(?:es)? against|target(?:s|ed)?|merge[sd]?|deploy\w*|review\w*|steps?|workflow|process|procedure|"
    r"handover|checklist|rule|each time|first .{3,40} then|before (?:you|any|the|it|each|every)|after (?:you|any|each|every)|when(?:ever)? (?:you|a|an|the|someone|somebody|there)|if (?:a|an|the) \w+|"
    r"get(?:s)? \d+|open(?:s)? (?:at|only)|make it a rule|works? (?:only )?(?:if|with|when|for)|fails? (?:if|with|when|for)|workaround|regel|ablauf|regla|règle)\b"
)
_RELATION = re.compile(
    r"\b(?:their|our|my|his|her|the) (?:\w+ )?(?:cfo|ceo|cto|contact|doctor|dentist|vet|accountant|lawyer|landlord|landlady|agent|broker|tutor|coach|cousin|sister|brother|partner|wife|husband|"
    r"daughter|son|mum|mom|mother|dad|father|aunt|uncle|neighbou?r|boss|manager|deputy|assistant|buddy|godmother|godfather|niece|nephew|grandmother|grandfather)\b|"
    r"\bis (?:the one who|in charge of|responsible for|married to|my|our|their)\b|\b(?:keeps|holds|has) the (?:\w+ )?keys?\b|\b(?:ask|call|contact) (?:him|her|them)\b|"
    r"\bmeine? (?:cousine|schwester|frau|mutter|tante|nichte|freundin|bruder|mann|vater|onkel|neffe|freund|kollegin?)\b|\bmi (?:hermana|hermano|prima|primo|madre|padre|esposa|marido|novi[ao])\b|"
    r"\bm(?:a|on) (?:sœur|frère|cousine?|mère|père|femme|mari|fille|fils)\b"
)
_POINTER = re.compile(
    r"\b(?:look (?:it |them |that |there)|look up|check there|link (?:there|to)|instead of asking|don't memori[sz]e|is the source of truth|documented (?:in|at|on)|(?:is|are|sits?|lives?|live|kept|stored|saved|filed) "
    r"(?:\w+ )?(?:in|on|under|at) (?:the |our |my )?(?:[\w/.-]+ )?(?:folder|wiki|drive|vault|kb|sheet|spreadsheet|doc|docs|handbook|binder|calendar|board|channel|repo|notion|confluence|sharepoint|readme|dashboard|page|tab)\b)|"
    r"\b(?:is|are) (?:in|on) (?:kb-?\d+|[\w-]+/[\w/-]+)"
)
_DECISION = re.compile(
    r"\b(?:we (?:decided|agreed|talked|settled|chose|picked|voted)|decided|agreed on|settled on|we're going with|we'll go with|going with|signed up to|we split|final decision|i(?:'ve| have) decided|"
    r"sticking with|the plan is|set aside|put aside|cap (?:for|of|is)|budget (?:for|of|is)|beschlossen|entschieden|hemos decidido|quedamos en|on a décidé)\b|\bcap: |決め"
)
_PREFERENCE = re.compile(
    r"\b(?:prefer\w*|rather|sooner|favou?rite|i (?:like|love|hate|dislike|want|need)|can't stand|cannot stand|loathe|detest|(?:works?|suits?|best) (?:for me|best|me)|for me|you (?:write|send|make|give) me|when you (?:write|send|make|give|explain|talk|"
    r"reply|answer|code)|call me|address me|lieber|am liebsten|ich mag|prefiero|me gusta|je préfère|j'aime|i'd like|mornings are|no english|always exactly)\b|好き|嫌い|がいい|ください|で。$"
)
_HEALTH = re.compile(
    r"\b(?:allerg\w+|intoleran\w+|coeliac|celiac|welts|hives|rash|faint|asthma|epilep\w+|diabet\w+|anaphyla\w+)\b"
)


def kind_of(statement: str, negation: bool) -> Kind:
    """The kind of record that ``statement`` makes; a plain stated fact where nothing else fits."""
    words = plain(statement)
    found = cues(words)
    if _POINTER.search(words):
        return Kind.POINTER
    if _HEALTH.search(words):
        return Kind.CONSTRAINT
    if _DECISION.search(words):
        return Kind.DECISION
    return _by_force(words, found, negation)


def _by_force(words: str, found: frozenset[str], negation: bool) -> Kind:
    preference = _PREFERENCE.search(words) is not None
    forced = bool(found & _CONSTRAINT) or ("limit" in found and "digit" in found)
    if preference and not found & {"never", "must"}:
        return Kind.PREFERENCE
    if forced and (negation or "limit" in found or "must" in found):
        return Kind.CONSTRAINT
    if _RELATION.search(words):
        return Kind.RELATIONSHIP
    if _PROCEDURE.search(words):
        return Kind.PROCEDURE
    return Kind.PREFERENCE if preference else Kind.STATED_FACT


# --- the situation it holds in

_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_MONTHS = r"(?:january|february|march|april|may|june|july|august|september|october|november|december|summer|winter|spring|autumn)"
_SITUATIONS = (
    re.compile(r"\b(?:at|for) (?:work|home|school|the office|night|uni|lunch|breakfast|dinner|church|practice|training)\b"),
    re.compile(
        rf"\b(?:on|at|over) (?:the )?(?:weekends?|weekdays?|holidays?|{_DAYS})\b(?: (?:and|or) {_DAYS})?|\bmonday to friday\b|\bweekdays\b"
    ),
    re.compile(rf"\b(?:in|during|over) (?:the )?{_MONTHS}(?: (?:and|to|or) {_MONTHS})?\b"),
    re.compile(
        r"\b(?:while|whenever|when) (?:i|we|you|he|she|they|it|the \w+|\w+)(?:'s|'re|'m)? ?(?:am |are |is )?(?:\w+ ?){1,3}?(?=[,.;:]|$)"
    ),
    re.compile(r"\b(?:during|at) (?:the )?\w+(?: \w+)?(?= (?:we|i|you|they|it|the|he|she)\b|,)"),
    re.compile(
        r"\b(?:overnight|at night|in the (?:mornings?|evenings?|afternoons?)|(?:in|on) (?:staging|production|prod|dev|test))\b"
    ),
    re.compile(
        r"(?:^|[.;,] |\band )(?:for|with|in|on|at) (?:the |my |our )?[\w-]+(?: [\w-]+)?(?=,| (?:i|we|you|it|they|the|get|has|have|use)\b)"
    ),
    re.compile(
        r"\b(?:beim|bei|zum|für) \w+|\bam wochenende\b|\bauf der arbeit\b|\ben (?:casa|el trabajo)\b|\bau (?:travail|bureau)\b"
    ),
)


def qualifier_of(statement: str) -> str | None:
    """The situation in which ``statement`` holds, in its own words, or ``None`` if it holds always."""
    words = plain(statement)
    for pattern in _SITUATIONS:
        found = pattern.search(words)
        if found and 4 <= len(found[0].strip(" .,;")) <= 60:
            return found[0].strip(" .,;").removeprefix("and ")
    return None


# --- corrections

_CORRECTS = re.compile(
    r"\b(?:instead of|rather than|not(?: the)?|no longer|isn't|is not|old|statt|en vez de|au lieu de|was) ([\w.%€$£:+-]+(?: [\w.%-]+)?)"
)
_CORRECTION = re.compile(
    r"\b(?:actually|correction|i meant|no longer|not any ?more|anymore|scratch that|(?:that's|thats|it's|is|are) (?:old|wrong|outdated|dead|history|different now)|instead|used to|changed?|switched|moved|new (?:rule|number|address|limit|plan|phone|"
    r"email|job|time|day|slot)|got (?:cut|raised|lowered)|from now on|as of|effective|is now|are now|now (?:at|up|down|is|it's)|(?:come|comes|went|gone) (?:down|up|over) to|replaces?|by mistake|turns out|"
    r"instead of|down to|up to \d|bumped|mixed up|i was wrong|doch nicht|nicht mehr|statt|neuer stand|ab jetzt|eigentlich|ya no|en realidad|ahora|cambi[éo]|ne .{1,20} plus|désormais|en fait|finalement)\b|変わ|ではなく"
)


def corrects(statement: str, whole: str) -> tuple[bool, str | None]:
    """Whether the words correct something said before, and the value or thing they say no longer holds, if they name it."""
    words = plain(statement)
    said = _CORRECTION.search(words) is not None or "correct" in cues(plain(whole))
    old = _CORRECTS.search(words)
    return said, old[1] if said and old else None


# --- value

_CODE = re.compile(r"(?<![\w-])(?=[\w./#+-]*\d)[A-Za-z][\w./#+-]*[\w]|`[^`\n]{1,60}`")
_NUMBER = re.compile(r"[€$£]\s?\d[\d.,]*|\d[\d.,:/]*\s?(?:%|[a-zA-Z°€]{1,8}\b)?")
_NAME = re.compile(r"(?<=[a-z,:;] )[A-ZÄÖÜ][\w'’-]+(?: [A-ZÄÖÜ][\w'’-]+){0,2}")


def value_of(statement: str) -> str | None:
    """The short value in ``statement``: its code, number with unit, or name; ``None`` if it has none."""
    for pattern in (_CODE, _NUMBER, _NAME):
        found = pattern.search(statement)
        if found:
            return found[0].strip(" `.,:;")
    return None


# --- language

_TONGUES = {
    "de": re.compile(r"\b(?:ich|und|der|die|das|nicht|ist|mein|meine|bitte|für|mit|ein|eine|kein|wir|auf|immer|bei|nur|sie)\b"),
    "es": re.compile(r"\b(?:el|los|las|que|por|para|mi|una|con|está|soy|pero|muy|siempre|nunca|solo|hoy|del|al|mis|y)\b"),
    "fr": re.compile(r"\b(?:le|les|des|je|est|pas|mon|ma|une|pour|avec|mais|très|toujours|jamais|dans|sur|nous|du|au|et)\b"),
    "en": re.compile(r"\b(?:the|and|is|my|i|you|to|of|in|for|not|it|we|that|no|on|are|with|at|a)\b"),
}
_KANA = re.compile("[\u3040-\u30ff]")
_HAN = re.compile("[\u4e00-\u9fff]")
_HANGUL = re.compile("[\uac00-\ud7af]")


def language_of(text: str) -> str:
    """The likeliest language of ``text`` as a two-letter code; English when nothing tells."""
    for code, script in (("ja", _KANA), ("ko", _HANGUL), ("zh", _HAN)):
        if len(script.findall(text[:500])) >= 2:
            return code
    words = plain(text)
    counts = {code: len(pattern.findall(words)) for code, pattern in _TONGUES.items()}
    best = max(counts, key=lambda code: (counts[code], code == "en"))
    return best if counts[best] else "en"
