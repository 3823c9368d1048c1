"""Sentences of a message, and which of its words are somebody else's: quotes, code, list items, lines that were pasted in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from onrecord.policy.speech.printed import TRACE, printed, speaks

#: Candidates of one message; a longer list is a document that was pasted in, not somebody talking.
SENTENCE_LIMIT = 500
_SHORT = 2_000


class Form(StrEnum):
    """How a sentence stands in its message."""

    PROSE = "prose"
    ITEM = "item"
    QUOTED = "quoted"
    CODE = "code"
    PRINTED = "printed"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence, as ``text[start:end]`` of its message, without a list marker; ``first`` of its line or not."""

    start: int
    end: int
    text: str
    form: Form
    first: bool = True


_ITEM = re.compile(r"[ \t]{0,8}(?:[-*•·–]|\(?\d{1,2}[.)]|[a-h]\))[ \t]+")
#: A line that also closes it is no fence: "```make ship``` is how we deploy".
_FENCE = re.compile(r"[ \t]{0,4}(?:```|~~~)(?!.*(?:```|~~~))")
_END = re.compile(r"[.!?…]+[\"'”’»)\]*_]{0,3}(?=\s)|[。！？]+[」』）]?|;(?=\s)|\s[–—]\s(?=wait\b)")
_ABBREVIATION = re.compile(
    r"(?:\b(?:dr|mr|mrs|ms|prof|st|no|nr|vs|approx|etc|inc|ltd|ext|incl|max|min|e\.g|i\.e|z\.b|"
    r"bzw|ca|sra|sr|mme|mlle|p\.ex|u\.s|a\.m|p\.m"
    r")|\b[A-Za-z])\.$",
    re.IGNORECASE,
)
_DAY_NUMBER = re.compile(r"(?<![\d.,:])\d{1,2}\.$")
_MONTH_NEXT = re.compile(
    r"\s*(?:jan|feb|mär|mar|apr|mai|may|jun|jul|aug|sep|okt|oct|nov|dez|dec|tag|woche|stock|klasse)", re.IGNORECASE
)
_LONG_QUOTE = re.compile(
    r"“[^“”]{1,2000}”|„[^„“”]{1,2000}[“”]|«[^«»]{1,2000}»|「[^「」]{1,2000}」|(?<!\w)\"[^\"\n]{1,2000}\"(?!\w)"
)
_ROLE_LINE = re.compile(r"[ \t]{0,4}(?:assistant|system|user|human|ai|tool|bot)[ \t]{0,2}:", re.IGNORECASE)
_CHAT_LINE = re.compile(r"[ \t]{0,4}(?:\*\*[\w .'-]{1,30}\*\*|\[\d\d?:\d\d(?::\d\d)?\])[ \t]{0,2}:?")


def sentences(text: str) -> list[Sentence]:
    """The sentences of ``text`` in order, at most ``SENTENCE_LIMIT``; pasted lines are marked, never dropped."""
    return list(_read(text) if len(text) <= _SHORT else _sentences(text))


@lru_cache(maxsize=128)
def _read(text: str) -> tuple[Sentence, ...]:
    """The same for a short text; one message is looked at from many sides."""
    return tuple(_sentences(text))


def _sentences(text: str) -> list[Sentence]:
    found: list[Sentence] = []
    fenced = False
    lines = list(_lines(text))
    by_program = printed([line for _, line in lines])
    for place, (start, line) in enumerate(lines):
        if _FENCE.match(line):
            fenced = not fenced
            continue
        if line.strip():
            found.extend(_printed(start, line) if place in by_program and not fenced else _of_line(start, line, fenced))
        if len(found) >= SENTENCE_LIMIT:
            return found[:SENTENCE_LIMIT]
    return found


def own_words(text: str) -> str:
    """``text`` with code, pasted lines and quotations of four words or more taken out: what the speaker says in person."""
    parts = [s.text for s in sentences(text) if s.form in (Form.PROSE, Form.ITEM)]
    return without_quotes("\n".join(parts))


def without_print(text: str) -> str:
    """``text`` without what a program printed; ``text`` itself where nothing is."""
    found = sentences(text)
    said = [sentence.text for sentence in found if sentence.form is not Form.PRINTED]
    return text if len(said) == len(found) else "\n".join(said)


def without_quotes(text: str) -> str:
    """``text`` with quotations of four words or more replaced by empty quotation marks."""
    return _LONG_QUOTE.sub(lambda m: m[0] if len(m[0].split()) < 4 and len(m[0]) < 40 else '""', text)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for line in text.splitlines(keepends=True):
        yield start, line.rstrip("\r\n")
        start += len(line)


def _of_line(start: int, line: str, fenced: bool) -> Iterator[Sentence]:
    if fenced:
        yield Sentence(start, start + len(line), line, Form.CODE)
        return
    if line.lstrip().startswith((">", "|")) or _ROLE_LINE.match(line) or _CHAT_LINE.match(line):
        yield Sentence(start, start + len(line), line, Form.QUOTED)
        return
    marker = _ITEM.match(line)
    form = Form.ITEM if marker else Form.PROSE
    inner = marker.end() if marker else 0
    if trace := TRACE.search(line, inner):
        yield from _told(start, line[: trace.start()], inner, form)
        yield from _printed(start, line, trace.start())
        return
    yield from _told(start, line, inner, form)


def _told(start: int, line: str, inner: int, form: Form) -> Iterator[Sentence]:
    for n, (begin, end) in enumerate(_split(line, inner)):
        yield Sentence(start + begin, start + end, line[begin:end], form, first=n == 0)


def _printed(start: int, line: str, inner: int = 0) -> Iterator[Sentence]:
    """What a program printed, and behind it, on the same line, what its reader says of themselves."""
    form = Form.PRINTED
    for n, (begin, end) in enumerate(_split(line, inner)):
        form = Form.PROSE if n and (form is Form.PROSE or speaks(line[begin:end])) else form
        yield Sentence(start + begin, start + end, line[begin:end], form, first=n == 0)


def _split(line: str, begin: int) -> Iterator[tuple[int, int]]:
    protected = [m.span() for m in _LONG_QUOTE.finditer(line)]
    for match in _END.finditer(line, begin):
        if _goes_on(line, match, protected):
            continue
        yield from _trimmed(line, begin, match.end())
        begin = match.end()
    yield from _trimmed(line, begin, len(line))


def _goes_on(line: str, match: re.Match[str], protected: list[tuple[int, int]]) -> bool:
    """Whether the mark ends no sentence: inside a quotation, after an abbreviation, in "20. Juni"."""
    end = match.end()
    if any(a < match.start() and end < b for a, b in protected):
        return True
    if match[0][0] != ".":
        return False
    head = line[max(0, end - 12) : end]
    if _DAY_NUMBER.search(head):
        return bool(_MONTH_NEXT.match(line[end : end + 12]))
    return bool(_ABBREVIATION.search(head))


def _trimmed(line: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    while begin < end and line[begin].isspace():
        begin += 1
    while end > begin and line[end - 1].isspace():
        end -= 1
    if any(c.isalnum() for c in line[begin:end]):
        yield begin, end
