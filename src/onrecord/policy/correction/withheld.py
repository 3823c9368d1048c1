"""Statements of a secret that was taken out: two placeholders look alike, whatever stood there."""

from __future__ import annotations

import re
from collections.abc import Sequence

from onrecord.model.record import Record
from onrecord.policy.language.doubt import is_news
from onrecord.policy.language.values import telling

_PLACEHOLDER = re.compile(r"\[secret:\w+\]")
#: Words that say that it is another one, not which.
_NEWS = telling("old new former previous now changed correction")


def another_secret(new: Record, olds: Sequence[Record], correction: bool) -> Record | None:
    """The one old statement of a secret of which ``new`` says in its own words that it is another one now; else ``None``.

    Nobody can compare secrets that were not kept, so only the words around them tell which is meant, and that it is news.
    """
    if not _PLACEHOLDER.search(new.statement) or not (correction or is_news(new.statement)):
        return None
    about = _about(new)
    same = [old for old in olds if _PLACEHOLDER.search(old.statement) and old.said_at < new.said_at and _about(old) == about]
    return same[0] if about and len(same) == 1 else None


def _about(record: Record) -> frozenset[str]:
    return frozenset(telling(_PLACEHOLDER.sub("", record.statement))) - _NEWS
