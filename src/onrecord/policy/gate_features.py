"""What the gate weighs: which cues a candidate shows, which its whole message shows, and what was asked just before.

A feature is a name with a number 0..1. Names start with ``c:`` (cue of the candidate), ``t:`` (cue elsewhere in the same message),
``b:`` (the turns before), ``s:`` (shape) and ``w:`` (short runs of function words, hashed).
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache

from onrecord.model.turn import Role, Turn
from onrecord.policy import gate_cues, speech_cues
from onrecord.policy.speech import own_words

#: Buckets for word runs. Few, since the training set is small and each bucket is a weight.
BUCKETS = 2048
_READ = 1200  # characters of a message that cues are looked for in; a candidate is 240
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+|[?!:;,.]")
_CAPITAL = re.compile(r"(?<=[a-z,;] )[A-ZÄÖÜÁÉÍÓÚ][\w-]+|^[A-Z][\w-]+ [A-Z]\w+")
_QUESTION = re.compile(r"[?？]\s*$")
_CUES = {**speech_cues.COMPILED, **gate_cues.COMPILED}
#: Words that carry grammar rather than topic; all others become a class in word runs, so that runs carry over to new topics.
_FUNCTION = frozenset(
    """a an the and or but if of at by for with about to from in on into over under up down off out as than then so not no never always only just
    also too very really please i me my mine we us our you your he him his she her it its they them their this that these those there here
    what which who when where why how is are was were be been am do does did don't doesn't didn't have has had having can can't cannot could
    will won't would should must may might let let's get got go goes going make makes keep keeps use uses want wants need needs like likes
    prefer hate love know think say says said tell told call calls ask take takes give gives put send write read work works live lives
    anything nothing everything something anyone nobody everyone any every each all some none more less most least one two ever still yet
    again already now today tonight tomorrow yesterday week month day year time times because since until till before after while during
    unless instead rather actually anymore longer new old first last next same other own back right well good better best ok okay yes yeah
    no thanks thank sorry hi hey hello oh ah lol haha ugh wow i'm i've i'll i'd it's that's he's she's they're we're you're we've isn't aren't
    wasn't weren't shouldn't wouldn't there's what's who's rule rules mind note remember forget stay stays must only max min per""".split()
)


def plain(text: str) -> str:
    """``text`` as cues read it: lower case, straight apostrophes and quotation marks, at most ``_READ`` characters."""
    return text[:_READ].casefold().replace("’", "'").replace("‘", "'")


@lru_cache(maxsize=512)
def cues(text: str) -> frozenset[str]:
    """The names of the cues that ``text`` (made ``plain``) shows."""
    return frozenset(name for name, pattern in _CUES.items() if pattern.search(text))


def features(statement: str, turn: Turn, before: Sequence[Turn]) -> dict[str, float]:
    """The features of ``statement``, which was said in ``turn`` after ``before``."""
    words = plain(own_words(statement))
    whole = plain(turn.text)
    mine = cues(words)
    found = dict.fromkeys((f"c:{name}" for name in mine), 1.0)
    found.update(dict.fromkeys((f"t:{name}" for name in cues(whole) - mine), 1.0))
    found.update(_shape(statement, turn))
    found.update(_before(before))
    found.update(_runs(words))
    return found


def _shape(statement: str, turn: Turn) -> dict[str, float]:
    count = len(_WORD.findall(statement))
    whole = len(_WORD.findall(turn.text[:_READ]))
    shape = {
        "s:length": min(count, 40) / 40,
        "s:turn": min(whole, 120) / 120,
        "s:share": min(1.0, count / max(1, whole)),
    }
    for limit in (4, 8, 14):
        if count <= limit:
            shape[f"s:upto{limit}"] = 1.0
    if _CAPITAL.search(statement):
        shape["s:capital"] = 1.0
    return shape


def _before(before: Sequence[Turn]) -> dict[str, float]:
    last = before[-1] if before else None
    if last is None:
        return {"b:opening": 1.0}
    found = {f"b:{last.role.value}": 1.0}
    if last.role is Role.ASSISTANT and _QUESTION.search(last.text[-200:]):
        found["b:asked"] = 1.0
    return found


def _runs(words: str) -> dict[str, float]:
    tokens = ["<", *(_classed(t) for t in _WORD.findall(words)[:80]), ">"]
    return dict.fromkeys((f"w:{_bucket(run)}" for run in _ngrams(tokens)), 0.5)


def _classed(token: str) -> str:
    if token in _FUNCTION or not token[0].isalpha():
        return "0" if token.isdigit() else token
    for ending in ("ing", "ed", "ly", "s"):
        if token.endswith(ending) and len(token) > len(ending) + 2:
            return "*" + ending
    return "*"


def _ngrams(tokens: Sequence[str]) -> Iterable[str]:
    for size in (1, 2, 3):
        for i in range(len(tokens) - size + 1):
            run = tokens[i : i + size]
            if any(not t.startswith("*") for t in run):
                yield " ".join(run)


def _bucket(run: str) -> int:
    return zlib.crc32(run.encode()) % BUCKETS
