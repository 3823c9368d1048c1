"""Measures `EstimateCounter` against o200k, cl100k and WordPiece: how far above the largest, and whether ever below.

    python -m bench.tokens [--seed N] [--chat locomo10.json.gz]
    python -m bench.tokens --fit            # computes the weights anew; needs scipy

Texts: generated ones of every kind, the translations and tutorials of this machine in some hundred languages (those
that are installed), code of the standard library, and LoCoMo's messages where its path is given. Cut in pieces of 1 to
4,000 characters.
"""

from __future__ import annotations

import argparse
import base64
import gettext
import gzip
import json
import random
import string
import sysconfig
import unicodedata
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from onrecord.providers.embed.minilm import load_tokenizer
from onrecord.providers.tokens import WEIGHTS, BpeCounter, EstimateCounter, features

Sample: TypeAlias = tuple[str, str]
"""A kind and a text."""

PIECES = (1, 3, 12, 40, 150, 600, 2500)
LENGTHS = (1, 2, 3, 5, 8, 16, 40, 120, 500, 2000)
NATURAL = {"chat": 15.0, "code": 8.0, "json": 5.0, "tutorials": 5.0, "translations": 3.0}
"""How much closeness on a kind counts in the fit; 0.3 for the rest."""


class Random(random.Random):
    """Random texts."""

    def length(self) -> int:
        return self.choice(LENGTHS)

    def text(self, letters: str, length: int) -> str:
        return "".join(self.choices(letters, k=length))

    def words(self, letters: str, longest: int, joint: str = " ") -> str:
        return joint.join(self.text(letters, self.randint(1, longest)) for _ in range(self.length() // 4 + 1))


def pieces(text: str, rng: Random) -> Iterator[str]:
    at = 0
    while at < len(text):
        size = max(1, int(rng.choice(PIECES) * rng.uniform(0.6, 1.5)))
        yield text[at : at + size]
        at += size


def translations(rng: Random) -> Iterator[Sample]:
    languages: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(Path("/usr/share/locale").glob("*/LC_MESSAGES/*.mo")):
        languages[path.parts[4]].append(path)
    for _, paths in sorted(languages.items()):
        messages = [message for path in paths for message in _messages(path)]
        rng.shuffle(messages)
        yield from (("translations", message) for message in messages[:150])
        yield from (("translations", piece) for piece in pieces(" ".join(messages[:400]), rng))


def _messages(path: Path) -> list[str]:
    with path.open("rb") as file:
        try:
            catalogue: dict[Any, str] = vars(gettext.GNUTranslations(file))["_catalog"]
        except (OSError, ValueError, LookupError):  # some of the installed files are broken
            return []
    return [text for key, text in catalogue.items() if key and text]


def tutorials(rng: Random) -> Iterator[Sample]:
    for path in sorted(Path("/usr/share/vim").glob("vim*/tutor/*utf-8")):
        yield from (("tutorials", piece) for piece in pieces(path.read_text("utf-8", "replace"), rng))


def code(rng: Random) -> Iterator[Sample]:
    paths = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py")) + sorted(Path("/usr/include").glob("*.h"))
    for path in rng.sample(paths, min(len(paths), 120)):
        yield from (("code", piece) for piece in pieces(path.read_text("utf-8", "replace")[:8000], rng))


def chat(rng: Random, path: Path | None) -> Iterator[Sample]:
    if path is None:
        return
    talks = json.loads(gzip.decompress(path.read_bytes()))
    sessions = [said for talk in talks for said in talk["conversation"].values() if isinstance(said, list)]
    turns = [turn["text"] for session in sessions for turn in session]
    yield from (("chat", turn) for turn in rng.sample(turns, 1500))
    yield from (("chat", piece) for piece in pieces("\n".join(turns[:2000]), rng))
    yield from (("json", piece) for piece in pieces(json.dumps(talks[0], indent=1)[:300_000], rng))


def encoded(rng: Random) -> Iterator[Sample]:
    raw = rng.randbytes(rng.length())
    for coder in (base64.b64encode, base64.urlsafe_b64encode, base64.b32encode, base64.b85encode, base64.b16encode):
        yield coder.__name__, coder(raw).decode()
    yield "hex", raw.hex()
    yield "hex", raw.hex(":")
    yield "uuid", " ".join(str(uuid.UUID(bytes=rng.randbytes(16))) for _ in range(rng.randint(1, 20)))


def gibberish(rng: Random) -> Iterator[Sample]:
    for letters in (string.ascii_lowercase, string.ascii_uppercase, string.ascii_letters, "bcdfghjklmnpqrstvwxz"):
        yield "gibberish", rng.text(letters, rng.length())
        yield "gibberish", rng.words(letters, 9)
    yield "gibberish", rng.text(string.ascii_letters + string.digits, rng.length())
    yield "printable", rng.text(string.printable, rng.length())
    yield "control", rng.text("".join(map(chr, range(32))), rng.length())
    yield "names", rng.words(string.ascii_lowercase, 7).title().replace(" ", "")
    yield "names", rng.words(string.ascii_lowercase, 7, "_")


def marks(rng: Random) -> Iterator[Sample]:
    yield "marks", rng.text(string.punctuation, rng.length())
    yield "marks", rng.text(".,;:!?", rng.length())
    yield "rule", rng.choice("-=*_#~.+") * rng.length()
    for letters in (" ", "\n", "\t", " \n\t", " \n\t\r\x0b\x0c\xa0\u3000\u2003"):
        yield "spacing", rng.text(letters, rng.length())


def numbers(rng: Random) -> Iterator[Sample]:
    yield "digits", rng.text(string.digits, rng.length())
    amount = rng.length() // 4 + 1
    yield "numbers", " ".join(str(rng.randrange(10 ** rng.randint(1, 12))) for _ in range(amount))
    yield "numbers", ", ".join(f"{rng.uniform(-1000, 1000):.{rng.randint(1, 6)}f}" for _ in range(amount))
    yield "numbers", " ".join(f"{rng.randrange(1900, 2100)}-{rng.randrange(1, 13):02}-08T11:09Z" for _ in range(amount))


def structured(rng: Random) -> Iterator[Sample]:
    rows = [{key: _value(rng) for key in rng.words(string.ascii_lowercase, 12).split()} for _ in range(5)]
    yield "json", json.dumps(rows, indent=rng.choice((None, 2, 4)), separators=rng.choice((None, (",", ":"))))
    query = rng.text(string.ascii_letters + string.digits + "%&=", rng.length())
    host = rng.text(string.ascii_lowercase, 8)
    yield "url", f"https://{host}.com/{rng.words(string.ascii_lowercase, 9, '/')}?q={query}"
    yield "path", f"/{rng.words(string.ascii_lowercase, 9, '/')}.{rng.text(string.ascii_lowercase, 3)}"


def _value(rng: Random) -> object:
    return rng.choice((1, None, True, rng.random(), rng.text(string.ascii_letters, 8)))


def _listed(encoding: str, first: int, last: int) -> str:
    """The characters of a national set whose lead byte is in this range."""
    pairs = (bytes((lead, trail)) for lead in range(first, last + 1) for trail in range(0xA1, 0xFF))
    return "".join(pair.decode(encoding, "ignore") for pair in pairs)


def _assigned(first: int, last: int) -> str:
    return "".join(chr(c) for c in range(first, last) if unicodedata.category(chr(c)) not in ("Cn", "Cs", "Co"))


EAST_ASIAN = {
    "han, common": _listed("gb2312", 0xB0, 0xD7) + "，。、“”",
    "han, Japanese": _listed("euc_jp", 0xB0, 0xCF),
    "han, rare": _listed("gb2312", 0xD8, 0xF7),
    "han, all": _assigned(0x4E00, 0xA000),
    "hangul": _listed("euc_kr", 0xB0, 0xC8),
    "hangul, all": _assigned(0xAC00, 0xD7A4),
    "kana": _assigned(0x3041, 0x3097) + _assigned(0x30A1, 0x30FB),
}
EMOJI = _assigned(0x1F300, 0x1FAFF) + _assigned(0x2600, 0x27BF)
ACCENTS = _assigned(0x300, 0x370)
UNICODE = _assigned(0x80, 0x20000)


def scripts(rng: Random) -> Iterator[Sample]:
    yield from ((kind, rng.text(letters, rng.length())) for kind, letters in EAST_ASIAN.items())
    yield "emoji", rng.text(EMOJI, rng.length())
    amount = range(rng.randint(1, 30))
    yield "emoji", "\u200d".join(rng.choice(EMOJI) + rng.choice(("", "\ufe0f", "\U0001f3fd")) for _ in amount)
    yield "emoji", " ".join(f"{rng.choice(('thanks', 'love it', 'lol'))} {rng.choice(EMOJI)}" for _ in amount)
    yield "emoji", rng.text(_assigned(0x1F1E6, 0x1F200), rng.length())
    yield "unicode, all", rng.text(UNICODE, rng.length())
    start = rng.randrange(len(UNICODE) - 100)
    yield "one alphabet", rng.text(UNICODE[start : start + 100], rng.length())
    yield "one alphabet", rng.words(UNICODE[start : start + 60], 8)
    yield "accents", "".join(rng.choice(string.ascii_letters) + rng.text(ACCENTS, 3) for _ in range(rng.length()))
    yield "beyond the plane", "".join(map(chr, rng.sample(range(0x10000, 0x110000), rng.length() // 4 + 1)))


GENERATORS: tuple[Callable[[Random], Iterable[Sample]], ...] = (encoded, gibberish, marks, numbers, structured, scripts)


def corpus(seed: int, path: Path | None) -> list[Sample]:
    """Every different sample of this seed; without lone surrogates."""
    rng = Random(seed)
    found = [*translations(rng), *tutorials(rng), *code(rng), *chat(rng, path)]
    found += (sample for _ in range(300) for generate in GENERATORS for sample in generate(rng))
    clean = ((kind, text.encode("utf-8", "replace").decode("utf-8")) for kind, text in found)
    return list(dict.fromkeys(sample for sample in clean if sample[1]))


def word_pieces() -> Callable[[str], int]:
    """The count by the embedder's tokenizer, without its two end marks."""
    tokenizer = load_tokenizer()
    tokenizer.no_truncation()
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def largest(samples: list[Sample]) -> NDArray[np.int64]:
    """The largest of the three counts, for each sample."""
    counts = [BpeCounter("o200k_base").count, BpeCounter("cl100k_base").count, word_pieces()]
    return np.array([max(count(text) for count in counts) for _, text in samples])


def report(samples: list[Sample], true: NDArray[np.int64]) -> None:
    estimate = EstimateCounter().count
    estimates = np.array([estimate(text) for _, text in samples])
    characters = np.array([len(text) for _, text in samples])
    kinds = np.array([kind for kind, _ in samples])
    print(f"{'kind':18}{'texts':>8}{'chars':>10}{'chars/token':>13}{'estimate/true':>15}", end="")
    print(f"{'chars/4/true':>14}{'under':>7}")
    for kind in [*dict.fromkeys(kinds.tolist()), "all"]:
        mask = (kinds == kind) | (kind == "all")
        real, size = true[mask].sum(), characters[mask].sum()
        print(
            f"{kind:18}{mask.sum():8}{size:10}{size / real:13.2f}{estimates[mask].sum() / real:15.2f}"
            f"{size / 4 / real:14.2f}{(estimates < true)[mask].sum():7}"
        )
    for index in islice(np.flatnonzero(estimates < true), 10):
        print(f"under: {samples[index][0]}, {estimates[index]} < {true[index]}: {samples[index][1][:80]!r}")


def fit(samples: list[Sample], true: NDArray[np.int64]) -> None:
    """Prints the weights that are never below and, weighed by kind, least above: a linear programme."""
    linprog = import_module("scipy.optimize").linprog
    rows = np.array([[features(text)[name] for name in WEIGHTS] for _, text in samples], dtype=float)
    cost = np.zeros(len(samples))
    for kind in {kind for kind, _ in samples}:
        mask = np.array([kind == other for other, _ in samples])
        safe = np.maximum(true[mask], 1)
        cost[mask] = NATURAL.get(kind, 0.3) * (0.5 / safe / mask.sum() + 0.5 / safe.sum())
    bounds = [(1, 1) if name in ("common", "mark") else (0, None) for name in WEIGHTS]
    result = linprog(cost @ rows, A_ub=-rows, b_ub=-true, bounds=bounds, method="highs")
    for name, weight in zip(WEIGHTS, result.x, strict=True):
        print(f'    "{name}": {weight:.3f},  # now {WEIGHTS[name]}')


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--chat", type=Path, help="locomo10.json.gz")
    parser.add_argument("--fit", action="store_true")
    arguments = parser.parse_args()
    seeds = range(arguments.seed, arguments.seed + 4) if arguments.fit else (arguments.seed,)
    samples = list(dict.fromkeys(sample for seed in seeds for sample in corpus(seed, arguments.chat)))
    (fit if arguments.fit else report)(samples, largest(samples))


if __name__ == "__main__":
    main()
