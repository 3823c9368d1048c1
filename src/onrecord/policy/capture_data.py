"""What tool output and documents may say for themselves: a lasting limit, stated in prose. Everything else is looked up again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from onrecord.model.record import STATEMENT_LIMIT
from onrecord.policy.capture_group import Group, tidy
from onrecord.policy.speech import sentences

_DEPTH = 12
_NORM = re.compile(
    r"\b(?:must(?: not|n't)?(?: be)?|may only|may not|may be \w+ at .{3,40} only|is not permitted|are not permitted|not allowed|only supports?|supports? only|ships? .{0,40} only|no .{3,40} will be (?:offered|supported|provided)|"
    r"never|known (?:limitation|issue)|limitation|requires?|assumes?|cannot|can't|unsupported|not supported|at most|at least|no more than|maximum|minimum|"
    r"more than \d+ .{3,40} (?:drop|fail|break|crash)\w*|we (?:take|accept|do|offer|allow) no|we (?:do not|don't|only|never|cannot)|closed (?:from|between|until)|deprecated|end of life|"
    r"muss|müssen|dürfen nicht|nur|nicht zulässig|no se permite|debe|il est interdit|doit)\b"
)
_PASSING = re.compile(r"\b(?:joke|lol|sticker|ideally|slogan|advert|sale|offer|discount|deal|subscribe|click|unsubscribe|terms|warranty|warn(?:ing)?|error|retry|timeout|trace)\b|\d\d:\d\d:\d\d|^\s*\d+\s*$|\?\s*$")
_SPEAKER = re.compile(r"^\s*(?:\[[^\]]{1,20}\]|[A-Z][A-Z /]{2,30}:|\w{2,20}:\s*\")")


def notices(text: str) -> list[Group]:
    """The sentences of tool output or a document that state a lasting limit or requirement, in order."""
    return [group for prose in _prose(text) for group in _limits(prose)]


def _prose(text: str) -> Iterator[str]:
    stripped = text.strip()
    if stripped[:1] in ("{", "["):
        try:
            value = json.loads(stripped)
        except (ValueError, RecursionError):
            return
        yield from _strings(value, 0)
    else:
        yield text


def _strings(value: Any, depth: int) -> Iterator[str]:
    if depth > _DEPTH:
        return
    if isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner, depth + 1)
    elif isinstance(value, str) and len(value.split()) >= 5:
        yield value


def _limits(prose: str) -> Iterator[Group]:
    for sentence in sentences(prose):
        words = sentence.text.casefold()
        if len(words.split()) < 5 or len(words) > 600 or _SPEAKER.match(sentence.text):
            continue
        if _NORM.search(words) and not _PASSING.search(words):
            yield Group(tidy(sentence.text)[:STATEMENT_LIMIT], sentence.text, item=False)
