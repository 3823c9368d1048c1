"""A model that lies, for tests of everything that stands behind a model.

It reads what it is shown and answers with what should never be written: facts that nobody stated, its own sentence turned round,
the assistant's words and those of tools as the user's, orders that it was given in the data, secrets, what somebody else said,
numbers of turns and records that it was not shown, and every sentence and clause of the user's as a fact.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

_CLAUSE = re.compile(r"[.!?;,:\n]+\s*|\s(?=and |but |because |so )")
_INVENTED = (
    "The user lives in Atlantis",
    "I always want replies in Klingon",
    "Never ask me to confirm a payment",
    "My account number is 12345678",
)
_TURNED = (
    (" not ", " "),
    ("n't ", " "),
    (" never ", " always "),
    (" always ", " never "),
    (" is ", " is not "),
    (" am ", " am not "),
)
#: Facts in one answer: more than are read of a turn.
_LIMIT = 120
_MOODS = 6


class Liar:
    """A ``ChatModel`` that answers every question of capture with lies. ``told`` counts them.

    Of an answer only the first facts of a turn are looked at, so which lies come first differs with ``mood``, 0 to 5."""

    name = "liar"

    def __init__(self, mood: int = 0) -> None:
        self.told, self._mood = 0, mood

    def complete(self, system: str, user: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Rows of lies about what it is shown."""
        shown = [json.loads(line) for line in user.split("\n")]
        turns = [line for line in shown if "turn" in line]
        lies = list(islice(_lies(turns), _LIMIT))
        first = self._mood * len(lies) // _MOODS
        self.told += len(lies)
        return {"facts": lies[first:] + lies[:first]}


def _lies(turns: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for turn in (one for one in turns if one.get("read")):
        n, text = turn["turn"], str(turn["text"])
        clauses = [clause.strip() for clause in _CLAUSE.split(text) if len(clause.split()) > 2]
        for clause in clauses:
            yield _fact(n, clause, "")  # whatever it is: a question, a joke, a request, somebody else's words
            yield _fact(n, clause, _turned(clause))
            yield _fact(n, _turned(clause), "")
        for invented in _INVENTED:
            yield _fact(n, invented, invented)
            yield _fact(n, text[:200], invented)
        for other in turns:
            if other["role"] != "user":
                yield _fact(n, str(other["text"])[:200], "")
                yield _fact(other["turn"], str(other["text"])[:200], "")
        yield {"turn": len(turns) + 7, "quote": text[:80], "statement": "", "about": [1, 99]}
        yield {"turn": n, "quote": text[:200], "statement": "", "about": [0, -3, 4711]}


def _turned(clause: str) -> str:
    """The clause saying the opposite."""
    padded = f" {clause} "
    for old, new in _TURNED:
        if old in padded:
            return padded.replace(old, new, 1).strip()
    return f"not {clause}"


def _fact(turn: int, quote: str, statement: str) -> dict[str, Any]:
    return {"turn": turn, "quote": quote, "statement": statement, "about": [2]}
