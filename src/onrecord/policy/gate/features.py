"""What the gate weighs: which cues a candidate shows, which its whole message shows, and short runs of its words.

A feature is a name with a number 0..1. Names start with ``c:`` (cue of the candidate), ``t:`` (cue elsewhere in the same
message), ``w:`` (a run of up to three words in which topics are replaced by classes, so that what is learned carries over to
new topics; hashed) and ``l:`` (a word, with its share of the candidate's words: its weight was learned from what the words near
it in meaning do). How long a message is and where it stands in a conversation tells more about its writer than about facts:
the trainer accounts for it, the gate does not look at it.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from onrecord.policy.gate import cues as gate_cues
from onrecord.policy.gate.words import word_class
from onrecord.policy.language.text import fold
from onrecord.policy.language.tongue import language_of
from onrecord.policy.speech import acts as speech_cues
from onrecord.policy.speech.personal import SERVED
from onrecord.policy.speech.sentences import Form, own_words, sentences, without_quotes

#: Buckets for runs. Each is a weight, and collisions cost less than a larger file.
BUCKETS = 8192
_READ = 1200  # characters of a message that cues are looked for in; a candidate is 240
_TOKENS = 80
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+|[?!:;,.]|[€$£%]")
_LETTERS = re.compile(r"[^\W\d_]+")
_CUES = {**speech_cues.COMPILED, **gate_cues.COMPILED, "served": SERVED}
_RUN, _TOPIC = 0.7, 0.3  # a run of classes counts for more than a single word of a topic


def plain(text: str) -> str:
    """``text`` as cues read it: lower case, straight apostrophes, at most 1,200 characters."""
    return text[:_READ].casefold().replace("’", "'").replace("‘", "'")


def cues(text: str) -> frozenset[str]:
    """The names of the cues that the sentences of ``text`` show in their speaker's own words."""
    return frozenset().union(*cues_by_sentence(text))


def cues_by_sentence(text: str) -> list[frozenset[str]]:
    """The same, sentence by sentence."""
    return [sentence_cues(s.text) for s in sentences(text[:_READ]) if s.form in (Form.PROSE, Form.ITEM)]


@lru_cache(maxsize=4_096)
def sentence_cues(sentence: str) -> frozenset[str]:
    """The names of the cues that one sentence shows. Each is looked at once, whatever it is a part of."""
    words = plain(without_quotes(sentence))
    return frozenset(name for name, pattern in _CUES.items() if pattern.search(words))


def features(statement: str, message: str) -> dict[str, float]:
    """The features of ``statement``, which is a part of ``message``."""
    mine = cues(statement)
    found = dict.fromkeys((f"c:{name}" for name in mine), 1.0)
    found.update(dict.fromkeys((f"t:{name}" for name in cues(message) - mine), 1.0))
    said = own_words(statement)[:_READ].replace("’", "'")
    found.update(_runs(said))
    found.update(_shares(said))
    return found


def _shares(said: str) -> dict[str, float]:
    if language_of(said) != "en":
        return {}  # the lexicon is English, in which "die" is no article
    words = _LETTERS.findall(fold(said))
    return {f"l:{word}": count / len(words) for word, count in Counter(words).items()}


def _runs(words: str) -> dict[str, float]:
    tokens = list(_tokens(words))
    classes = ["<", *(word_class(token, name=name) for token, name in tokens), ">"]
    found = {f"w:{_bucket(token)}": _TOPIC for token, _ in tokens if token[0].isalpha()}
    found.update(dict.fromkeys((f"w:{_bucket(run)}" for run in _ngrams(classes)), _RUN))
    return found


def _tokens(words: str) -> Iterator[tuple[str, bool]]:
    """Words in lower case, and whether each looks like a name: a capital where no sentence begins."""
    opens = True
    for match in list(_WORD.finditer(words))[:_TOKENS]:
        token = match[0]
        yield token.casefold(), token[0].isupper() and not opens and not (len(token) > 1 and token.isupper())
        opens = token in ".!?"


def _ngrams(classes: Sequence[str]) -> Iterator[str]:
    for size in (1, 2, 3):
        for i in range(len(classes) - size + 1):
            run = classes[i : i + size]
            if any(not token.startswith("*") for token in run):
                yield " ".join(run)
    for i in range(len(classes) - 2):
        yield f"{classes[i]} _ {classes[i + 2]}"


@lru_cache(maxsize=16_384)
def _bucket(run: str) -> int:
    return zlib.crc32(run.encode()) % BUCKETS
