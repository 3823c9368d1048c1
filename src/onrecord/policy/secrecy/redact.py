"""Secrets out of text before anything else reads it: ``[secret:KIND]`` stands where a key, password or card number stood.

The rules know the shapes of issued credentials, and the words that people put before a secret in the languages we meet.
Account details that open nothing by themselves (IBAN, phone, e-mail, order numbers) stay: they are often what to remember.
A code that opens a door or disarms an alarm is a secret.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from onrecord.errors import InvalidInput
from onrecord.policy.language.pattern import regex
from onrecord.policy.secrecy import signs as secrets
from onrecord.policy.secrecy.confided import chosen, confided
from onrecord.policy.secrecy.logins import logins
from onrecord.policy.secrecy.openers import opened

#: Deeper JSON than this is refused rather than half read.
DEPTH_LIMIT = 100
_ROUNDS = 6  # a value can hide behind another one; each round only ever removes text

Span = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Redaction:
    """``text`` without its secrets, and the kinds ``found`` in it, in reading order, with repeats."""

    text: str
    found: tuple[str, ...] = ()


def redact(text: str) -> Redaction:
    """``text`` with every secret replaced by ``[secret:KIND]``. Deterministic; a second pass changes nothing. Never raises."""
    found: tuple[str, ...] = ()
    for _ in range(_ROUNDS):
        masked = _PLACEHOLDER.sub(lambda match: _MASK * len(match[0]), text)
        spans = _disjoint(masked, _spans(masked))
        if not spans:
            break
        found += tuple(kind for _, _, kind in spans)
        text = _replaced(text, spans)
    return Redaction(text, found)


def redact_json(value: Any) -> tuple[Any, tuple[str, ...]]:
    """A copy of JSON-like ``value`` without secrets, and the kinds found, in walking order.

    Under a name such as ``password`` or ``api_key`` every string and number is a secret, whatever it looks like, also in
    ``{"name": "api_key", "value": …}``. Mappings come back as dicts, tuples as lists. Raises ``InvalidInput`` for a value
    that is nested more than 100 levels deep.
    """
    found: list[str] = []
    return _walk(value, None, found, 0), tuple(found)


def _walk(value: Any, kind: str | None, found: list[str], depth: int) -> Any:
    if depth > DEPTH_LIMIT:
        raise InvalidInput("payload", f"is nested deeper than {DEPTH_LIMIT} levels", "flatten it")
    if isinstance(value, Mapping):
        return _walk_mapping(value, kind, found, depth)
    if isinstance(value, (list, tuple)):
        return [_walk(item, kind, found, depth + 1) for item in value]
    return _leaf(value, kind, found)


def _walk_mapping(value: Mapping[Any, Any], kind: str | None, found: list[str], depth: int) -> dict[Any, Any]:
    label = next((value[k] for k in ("name", "key", "header", "field") if isinstance(value.get(k), str)), "")
    clean: dict[Any, Any] = {}
    for key, item in value.items():
        inner = kind or (_kind_of(key) if isinstance(key, str) else None)
        if key in ("value", "val"):
            inner = inner or _kind_of(label)
        clean[_leaf(key, None, found)] = _walk(item, inner, found, depth + 1)
    return clean


def _kind_of(name: str) -> str | None:
    return None if _PLACEHOLDER.search(name) else secrets.secret_name(name)


def _leaf(value: Any, kind: str | None, found: list[str]) -> Any:
    number = isinstance(value, int) and not isinstance(value, bool)
    if not isinstance(value, str) and not number:
        return value
    text = str(value)
    if kind and text.strip() and (not number or kind in ("password", "pin")) and not _PLACEHOLDER.fullmatch(text):
        found.append(kind)
        return f"[secret:{kind}]"
    done = redact(text)
    found.extend(done.found)
    return done.text if done.found else value


# --- spans: (start, end, kind) of what is to be replaced

_PLACEHOLDER = regex(r"\[secret:(?:" + "|".join(secrets.KINDS) + r")\]")
#: Stands for what was replaced before, so that the rules do not read its words; it is no letter and no blank.
_MASK = "\ufffc"
_LETTERS = regex(r"\w")


def _spans(text: str) -> Iterator[Span]:
    return chain.from_iterable(find(text) for find in _FINDERS)


def _disjoint(masked: str, spans: Iterator[Span]) -> list[Span]:
    """Overlapping spans as one, with the kind of the first; without those that hold nothing but what was replaced before."""
    merged: list[Span] = []
    for start, end, kind in sorted((_grown(masked, span) for span in spans), key=lambda span: (span[0], -span[1])):
        if not _LETTERS.search(masked, start, end):
            continue
        if merged and start < merged[-1][1]:
            first, last, name = merged[-1]
            merged[-1] = (first, max(last, end), name)
        else:
            merged.append((start, end, kind))
    return merged


def _grown(masked: str, span: Span) -> Span:
    """A span that cuts into a placeholder, grown to hold all of it."""
    start, end, kind = span
    while start and masked[start] == masked[start - 1] == _MASK:
        start -= 1
    while end < len(masked) and masked[end - 1] == masked[end] == _MASK:
        end += 1
    return start, end, kind


def _replaced(text: str, spans: list[Span]) -> str:
    parts, at = [], 0
    for start, end, kind in spans:
        parts += [text[at:start], f"[secret:{kind}]"]
        at = end
    return "".join([*parts, text[at:]])


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The value in ``text[start:end]`` without the quotes, brackets and full stops around it."""
    while start < end and text[start] in "\"'`“”„«»「」([{\\":
        start += 1
    while start < end and text[end - 1] in "\"'`“”„«»「」)]}>\\.,;:":
        end -= 1
    return start, end


def _value_of(match: re.Match[str]) -> tuple[int, int]:
    name = next(name for name in ("quoted", "bare") if name in match.re.groupindex and match[name] is not None)
    return _trimmed(match.string, *match.span(name))


def _is_value(value: str) -> bool:
    """Whether a word after "the password is" can be the password."""
    word = value.casefold().strip("!?*")
    if len(word) < 3 or word in secrets.NOT_A_VALUE or secrets.REFERENCE.match(value):
        return False
    return not re.match(r"https?://", value) and re.search(r"\w", value) is not None


# --- by shape


def _issued(text: str) -> Iterator[Span]:
    for match in secrets.FAMILIES.finditer(text):
        if not match[0].startswith(("sk-", "gl")) or len(match[0]) >= 24 or secrets.looks_random(match[0]):
            yield *match.span(), "api_key"
    for match in secrets.JWT.finditer(text):
        if "." in match[0]:
            yield *match.span(), "token"
    for match in secrets.PEM.finditer(text):
        yield *match.span(), "private_key"
    for match in secrets.WEBHOOK.finditer(text):
        yield *match.span(match.lastindex or 0), "token"


def _in_urls(text: str) -> Iterator[Span]:
    for match in secrets.USERINFO.finditer(text):
        yield *match.span(match.lastindex or 0), "password"
    for match in secrets.URL_TOKEN.finditer(text):
        if ":" not in match[1] and secrets.looks_random(match[1]):
            yield *match.span(1), "token"
    for match in secrets.CURL_USER.finditer(text):
        yield match.start(1) + match[1].index(":") + 1, match.end(1), "password"


def _in_headers(text: str) -> Iterator[Span]:
    for match in secrets.HEADER.finditer(text):
        value = match[match.lastindex or 0]
        if match.lastindex == 2 and not match[1] and not _is_odd(value):
            continue
        if not secrets.REFERENCE.match(value) and value.casefold() not in ("bearer", "basic", "token", "none", "required"):
            yield *match.span(match.lastindex or 0), "token"
    for match in secrets.BEARER.finditer(text):
        token = match[1]
        encoded = len(token) % 4 == 0 and token != token.lower() and token != token.upper()
        if any(c.isdigit() for c in token) and (encoded if match[0][:5].casefold() == "basic" else len(token) >= 12):
            yield *match.span(1), "token"


_CARD = regex(r"(?<![\w.+-])\d(?:[ -]?\d){12,18}(?![\w-]|\.\d)")
_NAMED_CARD = regex(
    r"(?i)\b(?P<sure>(?:credit|debit|bank|visa|mastercard|amex|maestro)[ -]?(?:card)?|cc|kreditkarten?|tarjeta de (?:crédito|"
    r"débito)|carte (?:bancaire|bleue|de crédit))?"
    r"(?:\bcards?|karte|tarjeta|carte)?(?: (?:number|no\.?|nummer|num|ending|is|n°|número|"
    r"numéro)){0,2}[ :#=]{1,4}(\d(?:[ -]?\d){11,18})(?![\w-]|\.\d)"
)
_IBAN = regex(r"(?<![A-Z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Z0-9])")
_SSN = regex(r"(?i)\b(?:ssn|social security)(?: (?:number|no\.?|#))?[^\d\n]{0,20}(\d{3}-\d\d-\d{4}|\d{9})(?!\d)")
#: "Her social, 078-05-1120": the word alone is enough where the number is written as such numbers are.
_SOCIAL = regex(r"(?i)\bsocial\b[^\d\n]{0,20}(\d{3}[- ]\d\d[- ]\d{4})(?![\d-])")
_LONG = regex(r"(?<!base64,)(?<![\w+/=.:-])[A-Za-z0-9+/_=-]{36,}(?![\w+/=])")


def _numbers(text: str) -> Iterator[Span]:
    accounts = [match.span() for match in _IBAN.finditer(text)]
    for match in _CARD.finditer(text):
        inside = any(start < match.end() and match.start() < end for start, end in accounts)
        if not inside and secrets.passes_luhn(re.sub(r"[ -]", "", match[0])):
            yield *match.span(), "card"
    for match in _NAMED_CARD.finditer(text):
        named = match[0][: match.start(2) - match.start()].casefold()
        if match["sure"] or (
            re.search("card|karte|tarjeta|carte", named) and secrets.passes_luhn(re.sub(r"[ -]", "", match[2]), any_issuer=True)
        ):
            yield *match.span(2), "card"
    for match in chain(_SSN.finditer(text), _SOCIAL.finditer(text)):
        yield *match.span(1), "national_id"


def _scrambled(text: str) -> Iterator[Span]:
    for match in _LONG.finditer(text):
        if secrets.looks_scrambled(match[0]):
            yield *match.span(), "token"


# --- by name: NAME=value, "name": "value", --name value

_UNQUOTED = regex(r"[^\s\"';]+")
_QUERY_VALUE = regex(r"[^\s\"';&#]+")
#: A value that is code: a call, an index, a path of names.
_IN_CODE = regex(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?:[\[(]|\.[a-z_]+\b)")
_CLOSING = {'"': regex(r"(?:[^\"\\\n]|\\[^\"\n])*"), "'": regex(r"(?:[^'\\\n]|\\[^'\n])*")}


def _assigned(text: str) -> Iterator[Span]:
    for match in chain(secrets.ASSIGNMENT.finditer(text), secrets.FLAG.finditer(text)):
        kind = secrets.secret_name(match[1])
        if kind is None:
            continue
        start, end = _assigned_value(text, match)
        code = match[2] is None and _IN_CODE.match(text, start)
        command = match[1] == "pwd" and not _is_odd(text[start:end])  # prints the working directory
        if not code and not command and _is_assigned(text[start:end], kind, _is_prose(text, match)):
            yield start, end, kind


def _is_prose(text: str, match: re.Match[str]) -> bool:
    """An ordinary word and a colon stand in prose too: "Token: a small disc"."""
    return re.fullmatch(r"[a-z]+|[A-Z][a-z]+", match[1]) is not None and text[match.end(1) : match.end(1) + 2] == ": "


def _assigned_value(text: str, match: re.Match[str]) -> tuple[int, int]:
    if match[2]:
        closed = _CLOSING[match[2][-1]].match(text, match.end())
        return match.end(), closed.end() if closed else match.end()
    in_query = text[match.start() - 1 : match.start()] in ("?", "&")
    value = (_QUERY_VALUE if in_query else _UNQUOTED).match(text, match.end())
    return _trimmed(text, match.end(), value.end()) if value else (match.end(), match.end())


def _is_assigned(value: str, kind: str, prose: bool) -> bool:
    if not _is_value(value) or (value.isidentifier() and secrets.secret_name(value)):
        return False
    if kind == "pin":
        return sum(c.isdigit() for c in value) >= 3
    if not prose:
        return True
    return " " not in value and (_is_odd(value) or kind == "password")


# --- by the words before it

_QUOTED = (
    r"(?P<quoted>\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|`[^`\n]{1,200}`|“[^”\n]{1,200}”|„[^“”\n]{1,200}[“”]|«[^»\n]{1,200}»|"
    r"「[^」\n]{1,200}」)"
)
_WORD = r"(?P<bare>[!-~]+|[^\s。、，,.!?]+)"
_PASSWORD = rf"(?i)(?<![\w-]){secrets.PASSWORD}"
_SPOKEN = regex(rf"{_PASSWORD}{secrets.GAP}[ \t]*{secrets.COPULA}[ \t]*(?:{_QUOTED}|{_WORD})")
_DIRECT = regex(rf"{_PASSWORD}[ \t]{{1,3}}(?:{_QUOTED}|(?P<bare>\S+))")
_SET = regex(
    rf"(?i)\b(?:set|chang\w+|updat\w+|reset|switch\w*|setz\w*|änder\w+|geändert|"
    rf"cambi\w+)\b[^.!?\n]{{0,60}}?(?<![\w-]){secrets.PASSWORD}{secrets.GAP}"
    rf"[ \t](?:to|auf|a|à|por|en)[ \t](?:{_QUOTED}|{_WORD})"
)
_CHANGED = regex(rf"{_PASSWORD}[ \t]from[ \t](?:{_QUOTED}|{_WORD})")
_BEFORE = regex(
    r"(?i)(?<!\S)(?P<bare>\S{4,200}) (?:is|as|ist|es|est|als) (?:the |my |our |your |a |das |mein |la |mi |le |mon "
    r")?(?:[\w-]{1,20} ){0,2}" + secrets.PASSWORD
)
_PHRASE = regex(
    r"(?i)\b(?:pass ?phrase|seed phrase|recovery phrase|mnemonic)(?: is| are|:| =)[ \t]*(?P<bare>(?:[a-z]+[ ,]{1,2}){3,23}[a-z]+)"
)
_CODE = regex(
    rf"(?i)(?<![A-Za-z_-])(?:{secrets.PIN}|{secrets.CODE}){secrets.GAP}(?:[ \t]*(?:{secrets.COPULA}|to\b|auf\b|a\b)|"
    rf",)?[ \t#\"'“(]*"
    rf"(?P<bare>\d[\d -]{{1,14}}\d(?![\w.]*\d)[^\s,;.)\"'”]*|(?:{secrets.DIGIT_WORDS}[ ,-]{{1,2}}){{2,11}}"
    rf"{secrets.DIGIT_WORDS}\b|(?=[^\s,;]{{0,60}}\d)[^\s,;)\"'”]+)"
)
#: The digits before what they are: "4417 is the code at the gym". Codes that anybody may know are none.
_CODE_AFTER = regex(
    r"(?i)(?<![\w.,:/€$£+-])(?P<bare>\d{4,10}|\d{1,4}(?:[ -]\d{1,4}){1,4})[#*]?(?:['’]s| (?:is|was|opens with|ist|es|est))"
    r" (?:now |still |jetzt )?(?:the|my|our|his|her|their|der|die|das|mein|unser|el|la|mi|le|mon|notre)"
    r"(?: (?!(?:area|post|postal|zip|dial\w*|country|error|status|exit|promo\w*|discount|voucher|product|article|tracking|"
    r"booking|source|colou?r|tax|sort|bank)\b)[\w'-]{1,20}){0,2}?"
    r" (?:code|pin|pin[ -]?code|passcode|combination|combo|geheimzahl|türcode|código|clave)"
    r"(?![\w-]| (?:review|base|coverage|style|freeze|path))"
)
_MORE_CODES = regex(r"[ \t]*(?:,|/|&|and|or|und|oder|y|et)[ \t]*([^\s,;)\"'”]*\d{3}[^\s,;)\"'”]*)")
_NEAR = regex(rf"(?i)(?<!\w){secrets.NEAR}(?![A-Za-z])")
_KEY_GOES_ON = regex(r"\s*(?:[:=：,—–-]|(?:for|to|of|is|für|zum|para|pour|ist|es|est|i|you)\b)")
_HANDED = regex(
    r"(?:[:=：/,–—→-]|\b(?:is|are|to|ist|lautet|use|with|it's|auf|es|est|was|now))[ \t]{1,2}[\"'`“(]?$|[:=：\"'`“(は]$"
)
_TOKEN = regex(r"[^\s,;\"'`“”()<>。、]{8,400}")
_ODD_TOKEN = regex(r"[^\s,;\"'`“”()<>。、]{6,400}")
_NAMED_CODE = regex(r"(?i)\b(?:code|pin|combination|key|código|clave)\b[^.!?\n]{0,40}?[:=][ \t]{0,3}(?P<bare>\S*\d{4}\S*)")
_SENTENCE_END = regex(r"[.!?](?:\s|$)|\n")
_REACH = 120  # characters from a word such as "token" to the token it announces


def _spoken(text: str) -> Iterator[Span]:
    for pattern in (_SPOKEN, _SET, _CHANGED, _PHRASE):
        for match in pattern.finditer(text):
            start, end = _value_of(match)
            code = match.groupdict().get("bare") and _IN_CODE.match(text, start)
            command = match[0].startswith("pwd") and not _is_odd(text[start:end])
            if _is_value(text[start:end]) and not code and not command:
                yield start, end, "recovery_phrase" if pattern is _PHRASE and match[0][:4].casefold() != "pass" else "password"
    for pattern in (_DIRECT, _BEFORE):
        for match in pattern.finditer(text):
            start, end = _value_of(match)
            if _is_value(text[start:end]) and (match.groupdict().get("quoted") or _is_odd(text[start:end])):
                yield start, end, "password"


def _is_odd(value: str) -> bool:
    """Whether a word holds digits as no ordinary word, date or version does."""
    return re.fullmatch(r"\d{6,}", value) is not None or (
        any(c.isdigit() for c in value) and any(c.isalpha() for c in value) and len(value) >= 5 and not secrets.is_ordinary(value)
    )


def _codes(text: str) -> Iterator[Span]:
    for match in _CODE.finditer(text):
        start, end = _trimmed(text, *match.span("bare"))
        value = text[start:end]
        digits = sum(c.isdigit() for c in value)
        enough = 3 if re.search(r"(?i)cv[vc]|security", match[0]) else 4
        if (digits >= enough and not secrets.is_version(value)) or (digits == 0 and " " in value):
            kind = "pin" if re.search(rf"(?i){secrets.PIN}", match[0][: start - match.start()]) else "code"
            yield start, end, kind
            yield from _listed(text, end, kind)
    for match in _CODE_AFTER.finditer(text):
        yield *match.span("bare"), "pin" if "pin" in match[0].casefold() else "code"


def _listed(text: str, at: int, kind: str) -> Iterator[Span]:
    while more := _MORE_CODES.match(text, at):
        at = more.end()
        yield *_trimmed(text, *more.span(1)), kind


def _near(text: str) -> Iterator[Span]:
    for cue in _NEAR.finditer(text):
        bare = cue[0].casefold() in ("key", "keys", "clave", "schlüssel")
        if text[cue.end() : cue.end() + 1] in ("=", ":") or (bare and not _KEY_GOES_ON.match(text, cue.end())):
            continue
        stop = _SENTENCE_END.search(text, cue.end(), cue.end() + _REACH)
        for match in _TOKEN.finditer(text, cue.end(), stop.start() if stop else cue.end() + _REACH):
            start, end = _trimmed(text, *_whole(text, match))
            adjacent = not bare and not text[cue.end() : start].strip()
            handed = adjacent or _HANDED.search(text, max(cue.start(), start - 12), start)
            value = text[start:end]
            if handed and (secrets.looks_random(value) or (secrets.is_uuid(value) and not bare)):
                yield start, end, "api_key" if "key" in cue[0].casefold() else "token"


def _whole(text: str, match: re.Match[str]) -> tuple[int, int]:
    """A token that the end of the window cut, to its end."""
    rest = _TOKEN.match(text, match.start())
    return rest.span() if rest else match.span()


def _asked(text: str) -> Iterator[Span]:
    """Odd tokens in the same line as a request not to keep something."""
    for ask in secrets.ASKED_NOT_TO_KEEP.finditer(text):
        left = max(text.rfind("\n", 0, ask.start()) + 1, ask.start() - _REACH)
        right = text.find("\n", ask.end(), ask.end() + _REACH)
        for match in _ODD_TOKEN.finditer(text, left, right if right >= 0 else ask.end() + _REACH):
            start, end = _trimmed(text, *_whole(text, match))
            if secrets.looks_random(text[start:end]) or chosen(text[start:end]):
                yield start, end, "token"
        for match in _NAMED_CODE.finditer(text, left, right if right >= 0 else ask.end() + _REACH):
            yield *_trimmed(text, *match.span("bare")), "code"


_FINDERS: tuple[Callable[[str], Iterator[Span]], ...] = (
    _issued,
    _in_urls,
    _in_headers,
    _numbers,
    _scrambled,
    _assigned,
    _spoken,
    _codes,
    _near,
    _asked,
    confided,
    opened,
    logins,
)
