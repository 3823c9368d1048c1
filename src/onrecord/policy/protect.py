"""Load-bearing spans: what a summary of a turn may not lose or turn round. Found before anything is summarised.

The net is wide on purpose. A span too many costs a line; a rule that is missed is gone from the window.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from onrecord.model.summary import BINDING, Span, SpanKind
from onrecord.model.turn import Role, Turn
from onrecord.policy.negation import is_negated
from onrecord.policy.speech import Form, Sentence, sentences
from onrecord.policy.text import STOP_WORDS, query_terms
from onrecord.policy.tokens import TokenKind, tokens
from onrecord.policy.trust import instructs_model, without_context

#: A longer sentence is taken apart at its commas, so that one rule does not carry a page of prose with it.
CLAUSE_LIMIT = 200
#: Content words that a clause needs beside its cue; "not today" says nothing when it stands alone.
TELLING = 2

_FENCE = re.compile(r"[ \t]{0,4}(?:```|~~~)")
_BREAK = re.compile(r"[,;:)](?=\s)|\s[–—-]\s|(?<=\w)\s(?=(?:and|but|so|because|und|aber|pero|mais) )")
_ASKS = re.compile(r"[?？][\s\"'”’)*]{0,4}$")

_IDIOM = re.compile(
    r"\bno (?:problem\w*|worr(?:y|ies)|doubt|wonder|idea|matter|thanks|thank you|kidding|rush|hurry|big deal|offen[cs]e|joke|clue|biggie)\b"
    r"|\bnever ?mind\b|\b(?:don't|do not|dont) (?:worry|know|think so|care|remember|you think|ask me|forget|get me started)\b"
    r"|\bwhy (?:don't|not)\b|\bcan(?:'t|not) (?:wait|complain|believe|remember|tell|thank|help)\b|\bnot (?:bad|sure|yet|really|too bad|much)\b"
    r"|\bif not\b|\bor not\b|\bnot (?:only|just)\b|^\W*(?:no|nope|nah|nein|non)\b(?=\s*[,.!;:]|\s*$| (?:it|i|that|we|you|he|she|they|this)\b)|\bcouldn't (?:agree|be happier|care less)\b"
    r"|[\"']\s?(?:no|none|not|null)\s?[\"']|\w-(?:no|not|none)-\w"
    r"|すみません|かもしれ(?:ない|ません)|問題(?:は)?(?:ない|ありません)"
)
_NEGATIVE = re.compile(
    r"\b(?:no|not|never|nothing|nobody|none|nor|neither|without|cannot|nowhere|no-one|avoid\w*|forbid\w*|forbidden|banned|prohibit\w*|refuse[sd]?|except|"
    r"unless|exclud\w+|kein\w{0,2}|nicht|nie|niemals|niemand\w*|nichts|ohne|nunca|nadie|ningun\w*|ningún|jamás|tampoco|sin|ne|pas|jamais|rien|sans|aucune?|"
    r"isnt|dont|doesnt|cant|wont|mustnt|shouldnt|arent|allergic|allergy|intolerant|zero|instead of|rather than|refrain\w*|steer clear|hold off|hands off|quit|stop\w*|leave \w+(?: \w+)? alone|(?:nut|gluten|dairy|lactose|sugar|meat|alcohol|smoke|risk)-free)\b|n't\b|なし"
    r"|ない|ません|ずに|禁止|だめ|ダメ|[不没沒未勿别別]|않|없|지 ?마"
    r"|\b(?:stays?|keeps?|kept|goes|nobody|hands?) (?:\w+ ){0,4}(?:out|away|off|sealed|closed|shut|low)\b|\boff[- ](?:limits|the table)\b|\bout of the question\b"
)
#: Things that were so once; told and over, unless a rule speaks too.
_TOLD = re.compile(r"\b(?:did|was|were|had)(?:n't| not)\b")
_RULE = re.compile(
    r"\b(?:always|never|every (?:time|day|week|month|single|\w+day)|each (?:time|of)|each(?=\W*$)|only|must|mustn't|have to|has to|needs? to be|shall|anything|whatever|whoever|wherever|at most|at least|max|maximum|minimum|"
    r"no more|not more|no less|no later|up to|cap(?:ped)?|ceiling|limit(?:ed|s)?|from now on|going forward|until further|as a rule|by default|rules?|policy|mandatory|required|"
    r"allowed|permitted|supposed to|whenever|without exception|standing|strictly|keep (?:it|them|\d+|my|our)|deadline|at the latest|sign-?off|approval|reserved for|regardless|no matter|exclusively|solely|rather you|wish you|any \w+ (?:above|over|under|below|from)|make sure|ensure|important|remember|"
    r"immer|nur|muss|müssen|darf|dürfen|soll|regel|höchstens|mindestens|jedes mal|siempre|solo|sólo|debe\w*|regla|cada|toujours|seulement|doit|doivent|règle|chaque|il faut)\b"
    r"|いつも|必ず|だけ|なければ|ルール|まで"
)
_DECISION = re.compile(
    r"\b(?:decided?|decision|decides|agreed?|settled|going with|go with|went with|signed up (?:to|for)|chose|chosen|choose|picked|opted|opting|sticking (?:with|to)|stick with|approved|"
    r"signed off|finali[sz]ed|final answer|set aside|split|we talked|let's (?:use|go|do|keep|make|stick)|we(?:'ll| will) (?:use|go|do|keep|have|stick|take)|we're (?:using|keeping|moving|switching|doing)|"
    r"switch(?:ed|ing)? to|moved to|is now|are now|from (?:now|here) on|instead|the plan is|conclusion|committed to|"
    r"entschieden|beschlossen|einigen|geeinigt|decidido|decidimos|acordado|quedamos|décidé|convenu|choisi)\b|決め|決ま"
)
#: "If we ever moved, I'd need none": supposed, not so.
_SUPPOSED = re.compile(r"\bif (?:i|we|they|you|he|she|it)\b.{0,80}(?:'d|would)\b|(?:'d|would)\b.{0,80}\bif (?:i|we|they|you|he|she|it)\b|\bif only\b|\bwäre\b|\bhätte\b")
#: An order of one word beside its negator: "no docker", "never npm", "don't ring".
_BARE = re.compile(r"[\W~]*(?:no|never|don't|do not|kein\w*|nie|pas de|sin|nunca) [^\W\d]{3,}")
#: Capitals for emphasis, and words that begin a line, are no names.
_COMMON = STOP_WORDS | frozenset("not never no only always all ok please yes".split())
_EMPTY = frozenset("now today ever yet then lol haha great good well thing really mine word no not jaja".split())
_SHARES = re.compile(r"(?<![\d/.-])(\d\d)[/:-](\d\d)(?![\d/-])")
_REASON = re.compile(r"\s*(?:because|since|otherwise|so that|that's why|the reason|or else|due to|weil|sonst|damit|porque|si no|parce que|sinon)\b", re.IGNORECASE)
#: Roles whose rules bind. The assistant's proposals are not the user's decisions.
_BOUND = frozenset({Role.USER, Role.SYSTEM, Role.TOOL, Role.DOCUMENT})


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, or a clause of a long one: the binding ``kinds`` of what it says, and the ``details`` in it.

    ``terms`` are its content words and, behind ``=``, its values. ``reason`` tells that it gives one for the unit before."""

    text: str
    kinds: frozenset[SpanKind]
    details: Mapping[SpanKind, tuple[str, ...]]
    terms: frozenset[str]
    required: bool
    asks: bool = False
    reason: bool = False


def protected(turn: Turn) -> list[Span]:
    """The load-bearing spans of ``turn`` in order of their clauses, one for each kind, each with its clause verbatim.

    Negations, constraints and decisions of the user, the system, tools and documents are required; the assistant's are not,
    nor are questions, nor text of tools and documents that gives a model orders. The engine's own recalled block is passed over.
    """
    return spans(turn, units(turn))


def spans(turn: Turn, found: Iterable[Unit]) -> list[Span]:
    """The spans of a turn whose units are known already, as ``protected``."""
    return [span for unit in found for span in _spans(turn, unit)]


def units(turn: Turn) -> list[Unit]:
    """The sentences of a turn in order, long ones in clauses, with the kinds of what they bear."""
    hostile = turn.role in (Role.TOOL, Role.DOCUMENT)
    return [
        _unit(clause, _own(turn.role, sentence) and not (hostile and instructs_model(clause)))
        for sentence in _sentences(without_context(turn.text))
        for clause in _cut(sentence.text)
    ]


def clauses(text: str) -> list[str]:
    """The sentences of ``text`` in order, those over ``CLAUSE_LIMIT`` characters at their commas. Nothing visible is lost."""
    return [clause for sentence in _sentences(text) for clause in _cut(sentence.text)]


def _own(role: Role, sentence: Sentence) -> bool:
    """Whether a rule in the sentence would bind: not the assistant's words, nor what a person pasted in."""
    return role in _BOUND and not (role is Role.USER and sentence.form in (Form.QUOTED, Form.CODE))


def is_denial(text: str) -> bool:
    """Whether ``text`` says that something is not or must not be, limits and exclusions included: wider than ``is_negated``."""
    plain = _IDIOM.sub(" ~ ", _folded(text))
    return _NEGATIVE.search(plain) is not None or is_negated(text)


def _folded(text: str) -> str:
    return text.casefold().replace("’", "'").replace("`", "")


def _sentences(text: str) -> Iterator[Sentence]:
    fenced = False
    for line in re.split(r"[\r\n\u2028\u2029\x85\x0b\x0c]+", text):
        if _FENCE.match(line):
            fenced = not fenced
        elif fenced and line.strip():
            yield Sentence(0, len(line), line.strip(), Form.CODE)
        else:
            yield from sentences(line)


def _cut(text: str) -> Iterator[str]:
    if len(text) <= CLAUSE_LIMIT:
        yield text
        return
    begin = 0
    for match in _BREAK.finditer(text):
        if match.end() - begin >= CLAUSE_LIMIT // 2 and len(text) - match.end() > CLAUSE_LIMIT // 6:
            yield text[begin : match.end()].strip()
            begin = match.end()
    yield from (text[at : at + 2 * CLAUSE_LIMIT].strip() for at in range(begin, len(text), 2 * CLAUSE_LIMIT))


def _unit(text: str, own: bool) -> Unit:
    asks = _ASKS.search(text) is not None
    kinds = frozenset(() if asks or _SUPPOSED.search(_folded(text)) else _binding(text))
    return unit(text, kinds, required=own and bool(kinds), asks=asks, reason=_REASON.match(text) is not None)


def unit(text: str, kinds: frozenset[SpanKind], *, required: bool, asks: bool = False, reason: bool = False) -> Unit:
    """A unit of known kinds, with its details and terms read from the text."""
    found = details(text)
    values = (f"={value}" for kind, values in found.items() if kind is not SpanKind.RARE for value in values)
    return Unit(text, kinds, found, frozenset(query_terms(text)).union(values), required, asks, reason)


def _binding(text: str) -> Iterator[SpanKind]:
    plain = _IDIOM.sub(" ~ ", _folded(text))
    content = _content(plain)
    rule = _RULE.search(plain) is not None
    if content >= (1 if _BARE.match(plain) else TELLING) and (_NEGATIVE.search(plain) or is_negated(text)) and (rule or not _TOLD.search(plain)):
        yield SpanKind.NEGATION
    if content > TELLING and rule:
        yield SpanKind.CONSTRAINT
    if content > TELLING and (_DECISION.search(plain) or any(int(a) + int(b) == 100 for a, b in _SHARES.findall(plain))):
        yield SpanKind.DECISION


def _content(plain: str) -> int:
    """How many telling words stand beside the negators."""
    bare = _NEGATIVE.sub(" ", plain)
    return 0 if not re.search(r"\w", bare) else len(set(query_terms(bare)) - _EMPTY)


def details(text: str) -> dict[SpanKind, tuple[str, ...]]:
    """The numbers, dates, identifiers and names (``rare``) of ``text`` in normal form, each once, in order; kinds without any are left out."""
    found: dict[SpanKind, dict[str, None]] = {}
    for token in tokens(text):
        kind = _DETAILS.get(token.kind)
        if kind is not None and token.word not in _COMMON:
            found.setdefault(kind, {})[token.normal] = None
    return {kind: tuple(values) for kind, values in found.items()}


_DETAILS = {
    TokenKind.NUMBER: SpanKind.NUMBER,
    TokenKind.DATE: SpanKind.DATE,
    TokenKind.CODE: SpanKind.IDENTIFIER,
    TokenKind.URL: SpanKind.IDENTIFIER,
    TokenKind.NAME: SpanKind.RARE,
}
_ORDER = list(SpanKind)


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


def ledger(turns: Iterable[Turn]) -> tuple[Span, ...]:
    """The protected spans of several turns, in order."""
    return tuple(span for turn in turns for span in protected(turn))
