"""Whether what a model points at was said, and in which words it is kept: the person's own, never the model's.

A quotation must stand in the turn. It is widened to whole clauses, and to whole sentences where what it leaves out would change
what it says: a condition, a denial, somebody else who says it. The model's own sentence is only held against those words: where
it denies what they state, names what they do not, or says something else, the whole is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from onrecord.model.record import STATEMENT_LIMIT
from onrecord.model.turn import Turn
from onrecord.model.verdict import Reason
from onrecord.policy.capture.group import QUOTE_LIMIT, Group, introduces, tidy
from onrecord.policy.capture.polarity import denies
from onrecord.policy.gate.features import cues, plain, sentence_cues
from onrecord.policy.language.polarity import signature
from onrecord.policy.language.text import fold, query_terms, terms
from onrecord.policy.prompts.prompt import repeats_a_prompt
from onrecord.policy.reading.ask import own_words
from onrecord.policy.reading.place import place_of
from onrecord.policy.speech.sentences import Form, Sentence, sentences
from onrecord.policy.speech.sentences import own_words as spoken_words

#: More than this is a passage, and no statement.
_SENTENCES = 3
#: Share of a statement's words that have to be among those of the turn. A paraphrase keeps half; what is made up, less.
SHARED = 0.5
_CLAUSE = re.compile(r"[,;:—–]\s+|\s+[–—]\s+|\s+(?=(?:and|but|so|because|weil|und|aber|y|pero|et|mais)\s)|[、，]")
#: What a clause says of the one beside it: it denies, limits or doubts it, or gives it to somebody else. To leave it out would
#: turn what that one says.
_BINDS = re.compile(
    r"\b(?:not|n't|never|no|none|nobody|if|unless|except|only|when|whenever|until|till|(?<!a )while|once|before|after|would|"
    r"could|might|may|maybe|perhaps|probably|suppose|imagine|pretend|say|says|said|told|tells|asked|asks|thinks?|thought|claims?|heard|reads?|wrote|"
    r"joking|kidding|lol|used to|just kidding|instead|rather|than|for now|today|tonight|tomorrow|this (?:time|once|week)|"
    r"wenn|nicht|kein\w*|nie|sagt\w*|vielleicht|außer|nur|si|sauf|quand|dit|pas|jamais|peut-être|cuando|dice|dijo|quizás|nunca|solo)\b"
    r"|ない|ません|もし|たら|なら|と言|如果|不|没|说|可能"
)
#: Cues of a sentence that speak against its being meant: they must not be left out.
_AGAINST = frozenset({"suppose", "joke", "quote_frame", "once", "ask_final", "ask_open", "they_open", "moment"})
_BRACKETS = (("(", ")"), ("[", "]"), ("“", "”"), ("«", "»"))
#: Characters behind the words in which they may be taken back.
_NEXT = 80
_TAKEN_BACK = re.compile(
    r"\b(?:kidding|joking|jk|just a joke|not really|scratch that|never ?mind|nur spaß|kleiner scherz|es broma|je plaisante)\b"
)
_NOBODY = frozenset({"user", "the", "a", "an", "their", "they", "he", "she", "his", "her"})


@dataclass(frozen=True, slots=True)
class Pointed:
    """What a model points at: the number of a turn, a quotation, and a sentence of its own."""

    turn: int
    quote: str
    statement: str = ""
    about: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Ungrounded:
    """Why it is not what was said."""

    reason: Reason
    detail: str


def ground(pointed: Pointed, turn: Turn, limit: int) -> Group | Ungrounded:
    """The person's own words that ``pointed`` stands for, out of the first ``limit`` characters of ``turn``, or why there are
    none."""
    text = own_words(turn)[:limit]
    if repeats_a_prompt(pointed.quote) or repeats_a_prompt(pointed.statement):
        return Ungrounded(Reason.FEEDBACK, "repeats what the model was told")
    place = place_of(pointed.quote, text)
    if place is None:
        return Ungrounded(Reason.UNSUPPORTED, "its quotation does not stand in what the user says there")
    around = [s for s in sentences(text) if s.start < place[1] and place[0] < s.end]
    if not around or any(s.form not in (Form.PROSE, Form.ITEM) for s in around):
        return Ungrounded(Reason.QUOTED, "is pasted in, and nobody's own words")
    around = _asserting(around)
    if len(around) > _SENTENCES:
        return Ungrounded(Reason.NOT_SPECIFIC, "points at a whole passage")
    kept = _kept(text, place, around)
    if len(kept) > STATEMENT_LIMIT:
        return Ungrounded(Reason.NOT_SPECIFIC, "points at more than a statement holds")
    if (fault := _incomplete(kept, text, around)) is not None:
        return fault
    wrong = _contradicts(pointed.statement, kept, text, turn)
    return wrong or Group(kept, text[around[0].start : around[-1].end][:QUOTE_LIMIT], item=False)


def _asserting(around: list[Sentence]) -> list[Sentence]:
    """The sentences without the questions at either end, unless there is nothing else."""
    asked = ["ask_final" in sentence_cues(sentence.text) for sentence in around]
    if all(asked):
        return around
    return around[asked.index(False) : len(asked) - asked[::-1].index(False)]


def _kept(text: str, place: tuple[int, int], around: Sequence[Sentence]) -> str:
    """The clauses that the quotation touches; all of the sentences where the others say something of them."""
    begin, end = around[0].start, around[-1].end
    place = max(begin, place[0]), min(end, place[1])  # a quotation may begin at the mark of an item
    whole = tidy(text[begin:end])
    cuts = [begin, *(begin + found.end() for found in _CLAUSE.finditer(text[begin:end])), end]
    first = max(cut for cut in cuts if cut <= place[0])
    last = min(cut for cut in cuts if cut >= place[1])
    inside = tidy(text[first:last]).strip(" ,;:–—")
    before = text[max((cut for cut in cuts if cut < first), default=first) : first]
    behind = text[last : min((cut for cut in cuts if cut > last), default=last)]
    if _BINDS.search(plain(f"{before} ~ {behind}")) or (cues(whole) & _AGAINST) - cues(inside):
        return whole
    return inside


def _incomplete(kept: str, text: str, around: Sequence[Sentence]) -> Ungrounded | None:
    """What is wrong with the words where they stand: they are part of a quotation or a bracket, only announce what follows, or
    are taken back by it."""
    if place_of(kept, spoken_words(text)) is None:
        return Ungrounded(Reason.QUOTED, "is part of a quotation, and nobody's own words")
    if any(kept.count(opening) != kept.count(closing) for opening, closing in _BRACKETS) or kept.count('"') % 2:
        return Ungrounded(Reason.NOT_SPECIFIC, "breaks off inside a bracket")
    if introduces(kept):
        return Ungrounded(Reason.NOT_SPECIFIC, "only announces what follows")
    if _TAKEN_BACK.search(plain(text[around[-1].end :][:_NEXT])):
        return Ungrounded(Reason.JOKE, "is taken back by what follows")
    return None


def _contradicts(statement: str, kept: str, text: str, turn: Turn) -> Ungrounded | None:
    """What is wrong with the model's sentence, if it gives one."""
    if not statement:
        return None
    if denies(statement) != denies(kept):
        return Ungrounded(Reason.UNSUPPORTED, "the model's sentence denies what was said, or states what was denied")
    said = f"{text} {turn.author}"
    strange = _values(statement) - _values(said) - set(terms(said)) - _NOBODY
    if strange:
        return Ungrounded(Reason.UNSUPPORTED, f"the model's sentence names what was not said ({', '.join(sorted(strange))[:60]})")
    mine = [term for term in query_terms(statement) if term not in _NOBODY]
    shared = sum(term in set(terms(kept)) for term in mine)
    if mine and shared < SHARED * len(mine):
        return Ungrounded(Reason.UNSUPPORTED, "the model's sentence says something else than its quotation")
    return None


def _values(text: str) -> set[str]:
    found = signature(text)
    return {fold(value) for group in (found.numbers, found.dates, found.codes, found.urls, found.names) for value in group}
