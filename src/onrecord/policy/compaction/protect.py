"""Load-bearing spans: what a summary of a turn may not lose or turn round. Found before anything is summarised."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from onrecord.model.summary import BINDING, Span, SpanKind
from onrecord.model.turn import Role, Turn
from onrecord.policy.compaction.lasting import stands
from onrecord.policy.dialogue.parts import voices
from onrecord.policy.language.binding import binding
from onrecord.policy.language.text import STOP_WORDS, query_terms, terms
from onrecord.policy.language.tokens import TokenKind, tokens
from onrecord.policy.speech.sentences import SENTENCE_LIMIT, Form, Sentence, sentences
from onrecord.policy.trust import instructs_model, without_context

#: A longer sentence is taken apart at its commas, so that one rule does not carry a page of prose with it.
CLAUSE_LIMIT = 200
#: Characters that a statement in front of a question has at least.
STATEMENT = 16

_LINE = re.compile(r"[\r\n\u2028\u2029\x85\x0b\x0c]+")
_FENCE = re.compile(r"[ \t]{0,4}(?:```|~~~)")
_BREAK = re.compile(r"[,;:)](?=\s)|\s[–—-]\s|(?<=\w)\s(?=(?:and|but|so|because|und|aber|pero|mais) )")
_ASKS = re.compile(r"[?？][\s\"'”’)*]{0,4}$")
#: A question without its mark, unless it bids: "will you stop calling me".
_ASKS_UNMARKED = re.compile(
    r"\W*(?:(?:and|so|but|hey|ok|also|well) )?(?:(?:did|does|is|are|was|were|has|had|isn't|wasn't|didn't) "
    r"(?:i|you|we|he|she|it|they|anyone|anybody|someone|somebody|there|this|that)\b|(?:do|have) (?:i|you|we|they)\b|"
    r"(?:can|could|would|will) (?:i|we|he|she|it|they|anyone|anybody|someone|somebody)\b|"
    r"what(?:'s| is| was| even| do| does| did)\b|how (?:do|does|did|many|much|long|far)\b|"
    r"(?:i )?wonder (?:what|if|whether|how)\b)",
    re.IGNORECASE,
)
_BIDS = re.compile(r"\b(?:please|never|always|from now on|stop|not to)\b", re.IGNORECASE)
#: Where a question begins behind a statement: "I never met him, but can you help me?"
_TURN = re.compile(
    r"(?:[,;:–—]\s+|\s-\s+)(?:(?:and|but|so|or|then|also|und|aber|pero|y|et|mais)\s+)?"
    r"(?=(?:can|could|would|will|should|do|does|did|is|are|am|may|shall|what|what's|how|how's|why|when|where|got any|any|"
    r"kannst|können|wie|was|puedes|cómo|qué|peux|pouvez|comment)\s)",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\s*(?:because|since|otherwise|so that|that's why|the reason|or else|due to|weil|sonst|damit|porque|parce que|sinon)\b",
    re.IGNORECASE,
)
#: Content words that say what a sentence is about, and up to how many do not where it points back to the one before.
SUBJECT, LEANING = 2, 6
#: Words that deny, as terms: they are not what a sentence is about.
NEGATORS = frozenset(
    term for word in "no not never nothing nobody none without cannot don't avoid kein nicht nie".split() for term in terms(word)
)
_POINTS = re.compile(
    r"\b(?:it|them|those|these|none of that|such|ours|theirs|by then|before then)\b|\bdavon\b|"
    r"\b(?:l'|les? (?=\w+er\b)|y (?=\w)|los? (?=\w))"
)
#: Roles whose rules bind. The assistant's proposals are not the user's decisions.
_BOUND = frozenset({Role.USER, Role.SYSTEM, Role.TOOL, Role.DOCUMENT})
_DETAILS = {
    TokenKind.NUMBER: SpanKind.NUMBER,
    TokenKind.DATE: SpanKind.DATE,
    TokenKind.CODE: SpanKind.IDENTIFIER,
    TokenKind.URL: SpanKind.IDENTIFIER,
    TokenKind.NAME: SpanKind.RARE,
}
#: Capitals for emphasis, and words that begin a line, are no names.
_COMMON = STOP_WORDS | frozenset("not never no only always all ok please yes".split())
_ORDER = list(SpanKind)


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, or a clause of a long one: the binding ``kinds`` of what it says, and the ``details`` in it.

    ``terms`` are its content words and, behind ``=``, its values. ``required`` units must survive a summary.
    """

    text: str
    kinds: frozenset[SpanKind]
    details: Mapping[SpanKind, tuple[str, ...]]
    terms: frozenset[str]
    required: bool
    asks: bool = False


def protected(turn: Turn) -> list[Span]:
    """The load-bearing spans of ``turn`` in order of their clauses, one for each kind, each with its clause verbatim.

    Negations, constraints and decisions of the user, the system, tools and documents are required, and so is the reason that
    follows one. Those of the assistant are not, nor questions, what a user pasted in, and text of tools and documents
    that gives a model orders. The engine's own recalled block is passed over.
    """
    return spans(turn, units(turn))


def spans(turn: Turn, found: Iterable[Unit]) -> list[Span]:
    """The spans of a turn whose units are known already, as ``protected``."""
    return [span for unit in found for span in _spans(turn, unit)]


def units(turn: Turn) -> list[Unit]:
    """The sentences of a turn in order, long ones in clauses, with the kinds of what they bear."""
    return [unit for voice in voices(turn) for unit in _units_of(turn.role, voice)]


def _units_of(role: Role, voice: Turn) -> list[Unit]:
    """The units of what one voice says in a turn of ``role``."""
    found: list[Unit] = []
    may = 0  # how many of the last units may bind: what is quoted, or gives a model orders, is never brought along
    beside = voice.role is not role  # data in a user's message: it can be looked up, and binds nobody
    for sentence in _sentences(without_context(voice.text)):
        own = not beside and _own(role, sentence) and stands(role, sentence.text)
        for clause in _cut(sentence.text):
            binds = own and not (role in (Role.TOOL, Role.DOCUMENT) and instructs_model(clause))
            unit = _unit(clause, binds)
            found.append(_with_reason(found[-1], unit) if found and own else unit)
            may = may + 1 if binds else 0
            _bring_along(found, len(found) - may)
    return found


def made_unit(text: str, kinds: frozenset[SpanKind], *, required: bool, asks: bool = False) -> Unit:
    """A unit of known kinds, with its details and terms read from the text."""
    found = details(text)
    values = (f"={value}" for kind, values in found.items() if kind is not SpanKind.RARE for value in values)
    return Unit(text, kinds, found, frozenset(query_terms(text)).union(values), required, asks)


def clauses(text: str) -> list[str]:
    """The sentences of ``text`` in order, those over ``CLAUSE_LIMIT`` characters at their commas. Nothing visible is lost."""
    return [clause for sentence in _sentences(text) for clause in _cut(sentence.text)]


def details(text: str) -> dict[SpanKind, tuple[str, ...]]:
    """The numbers, dates, identifiers and names (``rare``) of ``text`` in normal form, each once, in order.

    Kinds without any are left out."""
    found: dict[SpanKind, dict[str, None]] = {}
    for token in tokens(text):
        kind = _DETAILS.get(token.kind)
        if kind is not None and token.word not in _COMMON:
            found.setdefault(kind, {})[token.normal] = None
    return {kind: tuple(values) for kind, values in found.items()}


def ledger(turns: Iterable[Turn]) -> tuple[Span, ...]:
    """The protected spans of several turns, in order."""
    return tuple(span for turn in turns for span in protected(turn))


def _unit(text: str, own: bool) -> Unit:
    asks = _ASKS.search(text) is not None or (_ASKS_UNMARKED.match(text) is not None and not _BIDS.search(text))
    kinds = frozenset() if asks else binding(text)
    return made_unit(text, kinds, required=own and bool(kinds), asks=asks)


def _with_reason(before: Unit, unit: Unit) -> Unit:
    """``unit``, of the kinds of the one before it if it gives the reason for that."""
    if before.required and not unit.required and not unit.asks and _REASON.match(unit.text):
        return replace(unit, kinds=before.kinds - {SpanKind.NEGATION} or before.kinds, required=True)
    return unit


def _bring_along(found: list[Unit], first: int) -> None:
    """Where the last unit binds and does not say what ("none of that", "not cut"), the one before it that does is required too.

    Looks back to ``first`` at most, and over no more than one that says next to nothing."""
    last = found[-1]
    if not last.required or not _leans(last):
        return
    for place in range(len(found) - 2, max(first, len(found) - 3) - 1, -1):
        before = found[place]
        if before.required or before.asks:
            return
        found[place] = replace(before, kinds=frozenset({SpanKind.CONSTRAINT}), required=True)
        if _matter(before) >= SUBJECT:
            return


def _leans(unit: Unit) -> bool:
    said = _matter(unit)
    return said < SUBJECT or (said <= LEANING and _POINTS.search(unit.text.casefold()) is not None)


def _matter(unit: Unit) -> int:
    """How many words of a unit say what it is about."""
    return sum(term[0] != "=" and not term[0].isdigit() for term in unit.terms - NEGATORS)


def _own(role: Role, sentence: Sentence) -> bool:
    """Whether a rule in the sentence would bind: not the assistant's words, nor what a person pasted in."""
    return role in _BOUND and not (role is Role.USER and sentence.form in (Form.QUOTED, Form.CODE, Form.PRINTED))


def _sentences(text: str) -> Iterator[Sentence]:
    fenced = False
    for line in _LINE.split(text):
        if _FENCE.match(line):
            fenced = not fenced
        elif fenced and line.strip():
            yield Sentence(0, len(line), line.strip(), Form.CODE)
        else:
            yield from _of_line(line)


def _of_line(line: str) -> Iterator[Sentence]:
    found = sentences(line)
    while len(found) == SENTENCE_LIMIT:  # it stops there; a summary must not
        yield from found
        line = line[found[-1].end :]
        found = sentences(line)
    yield from found


def _cut(text: str) -> Iterator[str]:
    """The clauses of a sentence: a statement apart from the question behind it, and what is too long at its commas."""
    asks = _TURN.search(text) if _ASKS.search(text) else None
    if asks and asks.start() >= STATEMENT:
        yield from _short(text[: asks.start() + 1].strip())
        text = text[asks.start() + 1 :].strip()
    yield from _short(text)


def _short(text: str) -> Iterator[str]:
    if len(text) <= CLAUSE_LIMIT:
        yield text
        return
    begin = 0
    for match in _BREAK.finditer(text):
        if match.end() - begin >= CLAUSE_LIMIT // 2 and len(text) - match.end() > CLAUSE_LIMIT // 6:
            yield text[begin : match.end()].strip()
            begin = match.end()
    yield from (text[at : at + 2 * CLAUSE_LIMIT].strip() for at in range(begin, len(text), 2 * CLAUSE_LIMIT))


def _spans(turn: Turn, unit: Unit) -> Iterator[Span]:
    for kind in sorted({*unit.kinds, *unit.details}, key=_ORDER.index):
        yield Span(
            kind=kind,
            text=unit.text,
            turn_id=turn.id,
            role=turn.role,
            author=turn.author,
            tokens=unit.details.get(kind) or tuple(query_terms(unit.text)),
            required=unit.required and kind in BINDING,
        )
