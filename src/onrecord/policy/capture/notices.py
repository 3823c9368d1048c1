"""What tool output and documents may say for themselves: a lasting limit or requirement. Everything else is looked up again.

One candidate an object of JSON or a document at most, so that what belongs together stays together.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from onrecord.model.record import STATEMENT_LIMIT
from onrecord.policy.capture.group import QUOTE_LIMIT, Group, tidy
from onrecord.policy.speech.sentences import Form, Sentence, sentences

_DEPTH = 12
#: Of a person's message what a program printed says nothing; here all of it is data.
_READ_OF_DATA = frozenset({Form.PROSE, Form.ITEM, Form.PRINTED})
_CANDIDATES = 6
_NORM = re.compile(
    r"\b(?:must(?: not|n't)?|may only|may not|shall(?: not)?|only|never|(?:is|are) (?:not|never)|"
    r"(?:not|never) (?:be )?(?:permitted|admitted|allowed|accepted|possible|supported|covered|"
    r"offered|available|open\w*)|"
    r"permitted|forbidden|prohibited|no [\w ]{2,40}\b(?:on|in|between|will be|from|until|after|"
    r"before|at|without|with|visits|calls|deliveries)|known (?:limitation|issue|bug)|limitation|"
    r"limiter?|requires?|required|assumes?|"
    r"cannot|can't|unsupported|at most|at least|no more than|not more than|maximum|minimum|"
    r"(?:max|min|above|below|under|over|up to|within|limited to|capped at)\.? (?:eur |usd |€|\$)?\d[\d.,]*|"
    r"\d+ ?[a-z]{1,3} (?:max|min)|\d+ max|exceed\w*|more than \d+|once opened|store at|"
    r"keep \w+ (?:under|below|above|at|dry|away)|"
    r"do not|don't|we (?:take|accept|do|offer|allow) no|we (?:do not|don't|only|never|cannot)|"
    r"closed|deprecated|end of life|root cause|diagnosis|conclusion|exclusion|excluded|does not extend|"
    r"policy number|in force|valid (?:until|to|from)|"
    r"until (?:\d{1,2}(?:st|nd|rd|th)? [a-z]{3,}|\d{4}-\d\d|your|the|further)|retain\w*|is free for|per (?:stop|hour|day|"
    r"person|head|key|"
    r"minute)|muss|müssen|dürfen nicht|nicht (?:zulässig|erlaubt|möglich)|höchstens|mindestens|"
    r"no se permite|debe|prohibido|máximo|mínimo|il est interdit|doi(?:t|vent)|ne pas|ne \w+ pas|"
    r"maximum|minimum|porteur|obligatoire|au (?:moins|plus)|jusqu'(?:au|à)|(?:de )?hasta (?:el )?\d+|máxim\w+|mínim\w+|sólo|"
    r"solo (?:se|admite|con)|"
    r"únicamente|seulement|uniquement|bis zu \d+|(?:longer|shorter|larger|smaller|older|heavier) than \d+|to be \d+|accepted|"
    r"(?:rejects?|drops|discards|refuses) (?:any|every|all)|no later than|"
    r"every \d+|alle \d+|cada \d+|tous les \d+|(?:is|are) dropped)\b|\bno [a-z]+\b.{0,60}\b(?:any|all)\b|以上|以下|禁止|しないで"
)
#: Terms, advice and measures, which documents state without a word of limit: "Time limit 40 h", "Royalty payable: 10 %", "two
#: lockable dressing rooms needed". Of a document alone; what a tool reports is read off again.
_TERM = re.compile(
    r"\b(?:recommend\w*|advise[sd]?|to avoid|avoid|aftercare|nothing (?:to be|may|is to)|no exertion|at any one time|"
    r"may (?:hold|have|bring|take|carry|order|end|cancel|use)|you will (?:leave|start|need|receive)|"
    r"(?:each|every|all) [\w-]+ (?:carr(?:y|ies)|brings?|wears?|needs?|gets?|pays?)|"
    r"(?:is|are) (?:now|deleted|needed|reserved for|kept|entitled|due)|(?:deleted|removed) (?:without|after)|"
    r"on condition|against payment|rehoused|zugelassen|trägt|beträgt|empfehlen|vermeiden|recomend\w+|evitar|"
    r"recommand\w+|éviter)\b"
    r"|\b(?:time limit|limit|height|width|length|size|depth|weight|duration|term|start|depart\w*|rate|royalt\w+|fees?|share|"
    r"dose|dosage|smallest|largest|notice|hours|charge|deposit|guarantee|velocity|supply|rooms?|cut|split)\b"
    r"[^.\n]{0,60}?(?:\b\d|[£€$]\d|: (?:one|two|three|four|five|six)\b)"
    r"|\b\d+(?:\.\d+)? ?% (?:of|cut|in|split)\b|\bof \d+(?:\.\d+)? (?:km/s|m/s|mm|cm|km|kg|mg|ml)\b"
)
#: What a sheet states as a label with its value ("Jacke: 56", "Vitamin D: 25 micrograms daily", "Contact: Dr Amadi"),
#: or as a measure behind its name ("Chest 44.", "Torso 43 cm"). Of a document alone, and not of its date, number or author.
_LABELLED = re.compile(
    r"^(?!(?:date|datum|fecha|page|seite|from|to|cc|re|subject|betreff|asunto|objet|ref|fitted by|signed|author|by|tel|phone|fax|"
    r"e-?mail|order|invoice|ticket|status|result|note|customer|client|kunde|cliente|patient|name|url|see|source|license|photo|"
    r"support|slogan|tip|lost|found|wanted|reading|next|warning|attention|news|hours|version|job|error|total|sum|subtotal|"
    r"price|now|was|q|a)\b)"
    r"[^\W\d_][\w'’() /-]{1,40}?(?: |)[:=] (?=\S)(?!https?:)(?=(?-i:[^:]{0,80}?[A-ZÄÖÜÉ\d]))[^:]{2,160}$"
    r"|^(?:(?:chest|waist|hips?|bust|collar|neck|sleeve|arm|leg|inside leg|inseam|outseam|hem|shoulders?|torso|girth|foot|feet|"
    r"head|hat|"
    r"glove|ring|jacket|trousers|shirt|dress|shoe|boot|frame|jacke|hose|hemd|ärmel\w*|armlänge|taille|bund|hüfte|schritt\w*|"
    r"schuhgröße|pecho|cintura|cadera|manga|poitrine|hanches|manche)(?: (?:size|measured|length|width|größe))?,? ?[:=]? ?\d)"
    r"|^(?:built|founded|born|laid|gebaut|gegründet|construid[oa]|construit) (?:in )?1\d{3}\b",
    re.IGNORECASE,
)
#: What a document or tool says of the moment, of itself, or to sell something.
_PASSING = re.compile(
    r"\b(?:joke|lol|sticker|ideally|slogan|advert|sale|offers?|discount|deal|subscribe|click|unsubscribe|"
    r"warranty|warn(?:ing)?|error|retry|timeout|trace|archived|do not use|superseded|draft only|"
    r"some of us|i (?:think|believe|heard)|promo|newsletter|valid now|balance|on_hand|assertion\w*|"
    r"uptime|passed|failed|i'm|i am|i can(?:'t| ?not)|i could not|as an ai|let's|following code|"
    r"code (?:block|section|snippet|excerpt)|your (?:response|answer|solution|"
    r"code\w*|algorithm|system|password|reply|output|task|instructions|logic)|ignore the above|"
    r"don't (?:hesitate|forget))\b|^[qa]: |\d\d:\d\d:\d\d|\?\s*$|^\W*\d+\W*$"
)
#: A report of what happened states no term.
_PAST = re.compile(
    r"\b(?:was|were|had|did|we saw|sent|received|yesterday|last (?:week|month|year|night)|today|this morning|tonight|"
    r"available|expected)\b"
)
_SPEAKER = re.compile(r"^\s*(?:\[[^\]]{1,20}\]|[A-Z][A-Z /]{2,30}: \w+|\w{2,20}:\s*\")")
_LOG = re.compile(r"^\s*(?:\$|>|PASS|FAIL|INFO|WARN|ERROR|DEBUG|at |\d{2}:\d{2})")


def notices(text: str, *, document: bool = False) -> list[Group]:
    """The lasting limits that tool output or a document states, in order, at most six; of a ``document`` also what it states as a
    label with its value, which a tool reports of the moment."""
    stripped = text.strip()
    if stripped[:1] not in ("{", "["):
        return _document(text, document)
    try:
        value = json.loads(stripped)
    except (ValueError, RecursionError):
        return []
    return [group for group in map(_object, _objects(value, 0)) if group][:_CANDIDATES]


def _objects(value: Any, depth: int) -> Iterator[dict[str, Any]]:
    if depth > _DEPTH:
        return
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if isinstance(value, dict):
        yield value
    for part in inner:
        yield from _objects(part, depth + 1)


def _object(value: dict[str, Any]) -> Group | None:
    """An object with a sentence that states a limit; its other strings say what the limit is about."""
    said = {key: text for key, text in value.items() if isinstance(text, str) and text.strip()}
    limits = [s.text for text in said.values() for s in sentences(text) if len(s.text.split()) >= 4 and _states(s)]
    if not limits:
        return None
    about = [f"{key}: {text}" for key, text in said.items() if len(text) <= 60]
    statement = tidy("; ".join(dict.fromkeys([*limits, *about])))
    return Group(_within(statement), "; ".join(f"{k}: {t}" for k, t in said.items())[:QUOTE_LIMIT], item=False)


def _document(text: str, sheet: bool) -> list[Group]:
    found = sentences(text)
    prose = [s for s in found if s.form in _READ_OF_DATA]
    telling = [
        s
        for s, before in zip(prose, [None, *prose], strict=False)
        if _tells(s) or (sheet and _labels(s)) or (before and _goes_on(before))
    ]
    if not telling:
        return []
    title = (
        [found[0]] if len(text) <= QUOTE_LIMIT and found[0] not in telling and found[0].form in (Form.PROSE, Form.PRINTED) else []
    )
    statement = tidy(" ".join(s.text for s in (*title, *telling)))
    if len(statement) > STATEMENT_LIMIT:
        statement = tidy(" ".join(s.text for s in telling))
    return [Group(_within(statement), _span(text, [*title, *telling]), item=False)]


def _tells(sentence: Sentence) -> bool:
    return _states(sentence) or _sets(sentence)


def _labels(sentence: Sentence) -> bool:
    """Whether it is a line of a sheet: a label and what it says, or a measure."""
    words = sentence.text.strip()
    return not _PASSING.search(words.casefold()) and _LABELLED.match(words) is not None


def _goes_on(sentence: Sentence) -> bool:
    """Whether what a sentence states goes on behind a semicolon: "the bus does not call at the quay; board at the church"."""
    return sentence.text.rstrip().endswith(";") and _tells(sentence)


def _states(sentence: Sentence) -> bool:
    return _reads(sentence) and _NORM.search(sentence.text.casefold()) is not None


def _sets(sentence: Sentence) -> bool:
    words = sentence.text.casefold()
    return _reads(sentence) and _TERM.search(words) is not None and not _PAST.search(words)


def _reads(sentence: Sentence) -> bool:
    """Whether it is a sentence of a length to state something, and not a line of a log, of talk or of the moment."""
    words = sentence.text.casefold()
    if len(words) > 600 or len(words.split()) < 3 or _SPEAKER.match(sentence.text) or _LOG.match(sentence.text):
        return False
    return not _PASSING.search(words)


def _span(text: str, part: Sequence[Sentence]) -> str:
    first = part[0]
    end = max(s.end for s in part if s.end - first.start <= QUOTE_LIMIT or s is first)
    return text[first.start : end][:QUOTE_LIMIT]


def _within(statement: str) -> str:
    if len(statement) <= STATEMENT_LIMIT:
        return statement
    return statement[:STATEMENT_LIMIT].rpartition(" ")[0] or statement[:STATEMENT_LIMIT]
