"""Whether a write of *keepsakes* has its kind, polarity, dates and qualifier right. Over matched facts only.

* *statement*: its own text holds every ``must_contain``, without the quote: it can be read alone.
* *kind*: it is the gold kind; on tool and document turns ``tool_fact`` is right too.
* *negation*: its polarity equals the gold one. ``negated`` and ``positive`` are the same apart, ``negated_or_cue`` accepts a
  negative cue in the text of a write without a polarity.
* *resolved_date*, *valid_until*: a date of the write falls on that day in the speaker's zone (an end at midnight belongs to the
  day before), or the day is written out in its text or value, in ISO form or as day and month.
* *qualifier*: its qualifier or text shares a content word, by stem, with the gold one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta

from onrecord.evals.keepsakes_gold import norm
from onrecord.evals.keepsakes_score import Match, Matching, Share, share_of
from onrecord.model.record import Kind
from onrecord.model.turn import Role
from onrecord.policy.language.text import query_terms

_MONTHS = (
    "jan(?:uary|uar|uari|vier)?|jänner|enero|janvier",
    "feb(?:ruary|ruar|rero|ruari)?|février",
    "mar(?:ch|s|zo)?|märz|maart",
    "apr(?:il)?|avril|abril",
    "may|mai|mayo|mei",
    "june?|juni|juin|junio",
    "july?|juli|juillet|julio",
    "aug(?:ust|ustus)?|août|agosto",
    "sept?(?:ember|embre|iembre)?",
    "o[ck]t(?:ober|obre|ubre)?",
    "nov(?:ember|embre|iembre)?",
    "de[cz](?:ember|iembre)?|décembre",
)
_CUE = re.compile(
    r"\b(?:no|not|never|nothing|nobody|none|only|without|don't|avoid|at most|max|zero|off|out|except|kein\w*|nicht)\b|n't\b|ない"
)


def attributes(found: Sequence[Matching]) -> dict[str, Share]:
    """Each attribute over the matched facts that have it."""
    matches = [match for each in found for match in each.matches]
    negated = [match for match in matches if match.keep.negation]
    return {
        "statement": share_of(match.keep.said_in(match.write.text) for match in matches),
        "kind": share_of(kind_fits(match, match.write.kind) for match in matches),
        "negation": share_of(match.write.negation == match.keep.negation for match in matches),
        "negated": share_of(match.write.negation for match in negated),
        "negated_or_cue": share_of(match.write.negation or _has_cue(match) for match in negated),
        "positive": share_of(not match.write.negation for match in matches if not match.keep.negation),
        "resolved_date": share_of(falls_on(match, day) for match in matches if (day := match.keep.resolved_date)),
        "valid_until": share_of(falls_on(match, day) for match in matches if (day := match.keep.valid_until)),
        "qualifier": share_of(_qualified(match, words) for match in matches if (words := match.keep.qualifier)),
    }


def kind_fits(match: Match, kind: str) -> bool:
    """Whether ``kind`` is right for the fact of a match."""
    quoted = match.turn.role in (Role.TOOL, Role.DOCUMENT)
    return kind == match.keep.kind or (quoted and kind == Kind.TOOL_FACT)


def falls_on(match: Match, day: date) -> bool:
    """Whether a date of the write is ``day``, or its text or value names the day."""
    return day in _days(match) or names_day(f"{match.write.words}\n{match.write.value or ''}", day)


def names_day(text: str, day: date) -> bool:
    """Whether ``text`` has ``day`` in ISO form, or its day and month beside each other."""
    words, month = norm(text), _MONTHS[day.month - 1]
    number = rf"(?<!\d)0?{day.day}(?!\d)"
    forms = (
        re.escape(day.isoformat()),
        rf"{number}\.?,?\s(?:of |de )?(?:{month})\b",
        rf"\b(?:{month})\.?\s(?:the )?{number}",
        rf"(?<!\d)0?{day.month}月0?{day.day}日",
    )
    return any(re.search(form, words) for form in forms)


def _days(match: Match) -> list[date]:
    begin, end = match.write.begin, match.write.end
    last = end - timedelta(microseconds=1) if end else None
    return [_local(match, moment) for moment in (begin, last) if moment]


def _local(match: Match, moment: datetime) -> date:
    return moment.astimezone(match.turn.at.tzinfo).date()


def _has_cue(match: Match) -> bool:
    return _CUE.search(match.write.words.casefold().replace("’", "'")) is not None


def _qualified(match: Match, qualifier: str) -> bool:
    written = f"{match.write.qualifier or ''}\n{match.write.words}"
    return bool(set(query_terms(qualifier)) & set(query_terms(written)))
