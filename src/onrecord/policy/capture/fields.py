"""What a candidate says besides its words: the situation it holds in, what it corrects, and its language."""

from __future__ import annotations

from onrecord.policy.gate.features import cues, plain
from onrecord.policy.language.pattern import regex
from onrecord.policy.language.remembered import remembered

# --- the situation it holds in

_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_MONTHS = r"(?:january|february|march|april|may|june|july|august|september|october|november|december|summer|winter|spring|autumn)"
_AND = r"(?: (?:and|to|or|through|until|-) "
_DOING = (
    r"(?:speak|talk|work|travel|fly|drive|cook|teach|code|sing|play|run|train|study|explain|reply|"
    r"answer|call|am away|are away|am out|am on call|is away|is out)"
)
#: Only plain situations: a spurious one would keep a new value from replacing the old.
_SITUATIONS = (
    regex(r"\b(?:at|for) (?:work|home|school|the office|uni|church|practice|training|rehearsals?|the clinic|the gym)\b"),
    regex(
        rf"\b(?:on|at) (?:the )?(?:weekends?|weekdays?|(?:bank )?holidays?|school nights)\b|\bon {_DAYS}{_AND}{_DAYS})?|"
        rf"\bmonday to friday\b"
    ),
    regex(
        rf"\b(?:in|during) (?:the )?{_MONTHS}{_AND}{_MONTHS})(?! \d)|\b(?:in|during) (?:the )?(?:summer|"
        rf"winter|spring|autumn|holidays)\b"
    ),
    regex(
        rf"\b(?:while|whenever|when) (?:i'm|i am|i|we|we're|he's|she's|he|she|\w+'s|\w+ is) ?(?:{_DOING}|"
        rf"away|out|travelling|traveling|driving|on \w+|off \w+|in \w+|at \w+)\b"
    ),
    regex(
        r"\b(?:overnight|at night|(?:in|on) (?:staging|stage|production|prod|dev|test))\b|^(?:staging|"
        r"stage|production|prod|dev|test)\b"
    ),
    regex(r"(?:^|[.;,] |\band |\bnow )(?:for|with) (?:the |my |our )?[a-z][\w-]+(?: [\w-]+)?(?=,| (?:i|we|it|they|you)\b)"),
    regex(r"(?:^|[.;,] )in [\w-]+(?= i (?:have|take|need|wear|use)\b)"),
    regex(
        r"\bbeim \w+|\bbei (?:der )?arbeit\b|\bam wochenende\b|\bauf der arbeit\b|\ben (?:casa|el trabajo)\b|"
        r"\bau (?:travail|bureau)\b"
    ),
)


@remembered
def qualifier_of(statement: str) -> str | None:
    """The situation in which ``statement`` holds, in its own words, or ``None`` if it holds always."""
    words = plain(statement)
    for pattern in _SITUATIONS:
        found = pattern.search(words)
        if found and 4 <= len(found[0].strip(" .,;")) <= 60:
            return found[0].strip(" .,;").removeprefix("and ")
    return None


# --- corrections

_CORRECTS = regex(
    r"\b(?:instead of|rather than|not(?: the)?|no longer|isn't|is not|old|statt|en vez de|au lieu de|"
    r"was) ([\w.%€$£:+-]+(?: (?!from|on|now|in|at|for|any|and|but|since|as)[\w.%-]+)?)"
)
_CORRECTION = regex(
    r"\b(?:actually|correction|i meant|no longer|not any ?more|anymore|scratch that|(?:that's|"
    r"thats|that is|it's|info is|number is|address is) old(?! \w)|(?:that's|thats|it's|is|are) (?:wrong|"
    r"outdated|dead|history|different now)|instead|used to|changed?|"
    r"switched|moved|new (?:rule|number|address|limit|plan|phone|"
    r"email|job|time|day|slot)|got (?:cut|raised|lowered)|from now on|as of|effective|is now|are now|"
    r"now (?:at|up|down|is|it's)|(?:i|we) now (?:live|work)|(?:come|comes|went|gone) (?:down|up|over) to|replaces?|by mistake|"
    r"turns out|from (?:today|tomorrow)|henceforth|hereafter|"
    r"instead of|down to|up to \d|bumped|mixed up|i was wrong|doch nicht|nicht mehr|statt|neuer stand|"
    r"ab jetzt|nur noch|eigentlich|maintenant|c'est fini|ya no|en realidad|ahora|cambi[éo]|ne .{1,20} plus|désormais|en fait|"
    r"finalement)\b|変わ|ではなく"
)


@remembered
def corrects(statement: str, whole: str) -> tuple[bool, str | None]:
    """Whether the words correct something said before, and the value or thing they say no longer holds, if they name it."""
    words = plain(statement)
    said = _CORRECTION.search(words) is not None or "correct" in cues(whole)
    old = _CORRECTS.search(words)
    return said, old[1] if said and old else None
