"""From a message to candidate texts: sentences that belong together form one, sentences with facts of their own each form one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from onrecord.model.record import STATEMENT_LIMIT
from onrecord.policy.capture.polarity import denies
from onrecord.policy.gate.features import plain, sentence_cues
from onrecord.policy.gate.model import score
from onrecord.policy.language.text import query_terms
from onrecord.policy.speech.sentences import Form, Sentence, own_words, sentences
from onrecord.policy.trust import planted

#: A quotation holds the sentence and its neighbours, not a whole essay.
QUOTE_LIMIT = 700
#: A shorter sentence ("keypad only", "effective today") goes with the one before.
_OWN_WORDS = 5
#: So many sentences without a fact are a story of their own, and no beginning of one.
_PREAMBLE = 6
_RECENT = 8
#: Of a group that is too long, this many clauses and characters of a sentence are weighed.
_PIECES = 24
_READ = 2_000

#: Cues of which one is enough to make a sentence a fact of its own.
_ANCHORS = frozenset(
    """always from_now never never_order bare_no only must cannot limit prefer i_am i_do my_is decided named place pointer
    person_role codelike amount clock dated own_form until habit is_copula present_3 when_do""".split()
)
_SOFT = frozenset("ask_final ask_open told_us".split())
_FOLLOWS = re.compile(
    r"^(?:and |but |or )?(?:it|it's|its|they|they're|that|that's|this|those|these|he|she|he's|"
    r"she's|his|her|their|them|so|because|bc|since|otherwise|else|which|not|even|no exceptions?|"
    r"then|there|same|both|neither|either|unless|except|especially|too|also not|last (?:time|year|"
    r"week|month)|i (?:lost|had|got|was|came|did)|we (?:lost|had|got|were|did|said)|"
    r"das|es|sie|er|sonst|weil|denn|eso|esa|porque|si no|ça|c'est|parce que|sinon)\b"
)
_FILLER = re.compile(
    r"^(?:(?:ok|okay|oh|and|so|well|hey|hi|right|alright|yes|yeah|yep|also|then|but|btw|um+|uh+|"
    r"hm+|ah|by the way|oh and|fyi|also|one more|one more thing|another thing|"
    r"which reminds me|before i forget|while i have you|while you're at it)[,.:;!…]*\s+){1,4}",
    re.IGNORECASE,
)
# It points back at a time, place or thing that the sentence before has named.
_POINTS_BACK = re.compile(
    r"\b(?:in|during|over|for|at|after|before|until|within) (?:that|this|those|these) (?:time|"
    r"stretch|period|window|days|weeks|week|month|case|room|place|one)\b|\btill then\b|\buntil then\b|"
    r"\b(?:there|then|either|neither|the (?:other(?! hand)|same|rest|usual|latter|former))\b"
)
# It announces what follows and says nothing by itself.
_INTRODUCES = re.compile(
    r":\s*$|^(?:ok |so |right |now |and )?(?:two|three|four|five|a few|some|my|our|the|these|here are|"
    r"more|new|house|standing) (?:[\w'-]+ ){0,2}?(?:rules?|things?|points?|notes?|items?|facts?|"
    r"stuff|basics)\b"
    r"(?![^.]{0,60}\b(?:is|are|must|never|always|no|only|means|applies)\b)"
)
_CLAUSE = re.compile(r"[,;:—–]\s+|\s+[–—]\s+|\s+(?=(?:and|but|so|because|weil|und|aber|y|pero|et|mais)\s)|[、，]")


@dataclass(frozen=True, slots=True)
class Group:
    """One candidate: the sentence a person would keep, the verbatim words around it, and whether it was a list item."""

    statement: str
    quote: str
    item: bool


def groups(text: str) -> list[Group]:
    """The candidate texts of a message, in order. Quotations, code and questions form none."""
    parts = [part for run in _runs(sentences(text)) for part in _parts(_without_questions(run))]
    telling = [part for n, part in enumerate(parts) if not (n + 1 < len(parts) and _introduces(part))]
    return [_group(text, part) for part in telling]


def _runs(said: Sequence[Sentence]) -> list[list[Sentence]]:
    """The speaker's own sentences, apart where a program's output or an order that was planted stands between them: no statement
    reaches across it."""
    runs: list[list[Sentence]] = [[]]
    for sentence in said:
        if sentence.form is Form.PRINTED:
            runs.append([])
        elif planted(sentence.text):
            runs += [[sentence], []]
        elif sentence.form in (Form.PROSE, Form.ITEM) and own_words(sentence.text).strip(' ".,'):
            runs[-1].append(sentence)
    return [run for run in runs if run]


def _introduces(part: Sequence[Sentence]) -> bool:
    return len(part) == 1 and introduces(part[0].text)


def introduces(text: str) -> bool:
    """Whether a sentence announces what follows and says nothing by itself."""
    return _INTRODUCES.search(plain(text)) is not None


def _without_questions(own: Sequence[Sentence]) -> list[Sentence]:
    kept = [s for s in own if "ask_final" not in sentence_cues(s.text)]
    return kept or list(own)


def _parts(own: Sequence[Sentence]) -> list[list[Sentence]]:
    parts: list[list[Sentence]] = []
    for sentence in own:
        if not parts or _opens(sentence, parts[-1]):
            parts.append([sentence])
        else:
            parts[-1].append(sentence)
    return parts


def _opens(sentence: Sentence, part: Sequence[Sentence]) -> bool:
    """Whether ``sentence`` begins a fact of its own rather than going on with the one before."""
    if sentence.form is Form.ITEM:
        return sentence.first
    if part[-1].form is Form.ITEM:
        return True
    if not is_anchor(sentence.text):
        return False
    words, recent = plain(sentence.text), part[-_RECENT:]
    if not any(is_anchor(s.text) for s in recent):
        return len(part) >= _PREAMBLE and not _POINTS_BACK.search(words)
    if _FOLLOWS.match(words) or _POINTS_BACK.search(words) or len(words.split()) < _OWN_WORDS or _introduces(part):
        return False
    if denies(sentence.text) != any(denies(s.text) for s in recent if is_anchor(s.text)):
        return True  # one record holds one polarity
    return not _topics(words) & _topics(" ".join(plain(s.text) for s in recent))


def _topics(words: str) -> set[str]:
    return {t for t in query_terms(words) if len(t) > 3}


def is_anchor(text: str) -> bool:
    """Whether a sentence shows a cue of something lasting, and is no question."""
    found = sentence_cues(text)
    return bool(found & _ANCHORS) and not found & _SOFT


def _group(text: str, part: Sequence[Sentence]) -> Group:
    return Group(_statement(text, part), _quote(text, part), part[0].form is Form.ITEM)


def _quote(text: str, part: Sequence[Sentence]) -> str:
    chosen = list(part)
    while len(chosen) > 1 and chosen[-1].end - chosen[0].start > QUOTE_LIMIT:
        chosen.pop(0 if not is_anchor(chosen[0].text) else -1)
    return text[chosen[0].start : chosen[-1].end][:QUOTE_LIMIT]


def _statement(text: str, part: Sequence[Sentence]) -> str:
    whole = tidy(text[part[0].start : part[-1].end])
    if len(whole) <= STATEMENT_LIMIT:
        return whole
    pieces = [piece for s in part for piece in _clauses(s.text)][:_PIECES]
    return tidy(_around(pieces, [score(piece, piece) for piece in pieces])).strip(" ,;:–—")


def _around(pieces: Sequence[str], worth: Sequence[float]) -> str:
    """The piece that most looks like a fact, with its neighbours, the better one first, as far as the limit goes."""
    begin = max(range(len(pieces)), key=lambda i: worth[i])
    end = begin + 1
    while True:
        sides = [(worth[i], i) for i in (begin - 1, end) if 0 <= i < len(pieces)]
        fitting = [(w, i) for w, i in sides if len(" ".join(pieces[min(begin, i) : max(end, i + 1)])) <= STATEMENT_LIMIT]
        if not fitting:
            return " ".join(pieces[begin:end])[:STATEMENT_LIMIT]
        _, i = max(fitting)
        begin, end = min(begin, i), max(end, i + 1)


def _clauses(sentence: str) -> list[str]:
    """A sentence, or the clauses of one that is too long for a statement."""
    if len(sentence) <= STATEMENT_LIMIT:
        return [sentence]
    cuts = [0, *(m.end() for m in _CLAUSE.finditer(sentence[:_READ])), min(len(sentence), _READ)]
    return [piece for a, b in pairwise(cuts) if (piece := sentence[a:b].strip())]


def tidy(text: str) -> str:
    """``text`` on one line, without openers such as "oh and btw"."""
    line = " ".join(text.split())
    bare = _FILLER.sub("", line, count=1)
    return bare if len(bare) >= 8 else line
