"""Token counters: exact where the vocabulary is there, above it where it is not."""

from __future__ import annotations

import json
import math
import random
import sys
from functools import lru_cache
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onrecord.errors import InvalidInput, OnRecordError
from onrecord.providers.tokens import WEIGHTS, BpeCounter, EstimateCounter, features

PROSE = {
    "English": "We moved to Lisbon in March, and the first thing we did was look for a school near the river.",
    "German": "Im März sind wir nach Lissabon gezogen; zuerst suchten wir eine Schule in der Nähe des Flusses.",
    "French": "Nous avons déménagé à Lisbonne en mars, et nous avons d'abord cherché une école près du fleuve.",
    "Turkish": "Mart ayında Lizbon'a taşındık ve ilk işimiz nehre yakın bir okul aramak oldu.",
    "Finnish": "Muutimme maaliskuussa Lissaboniin, ja ensimmäiseksi etsimme koulua joen läheltä.",
    "Russian": "В марте мы переехали в Лиссабон и первым делом стали искать школу недалеко от реки.",
    "Arabic": "انتقلنا إلى لشبونة في مارس، وكان أول ما فعلناه هو البحث عن مدرسة قريبة من النهر.",
    "Hindi": "हम मार्च में लिस्बन चले गए और सबसे पहले नदी के पास एक स्कूल खोजा।",
    "Chinese": "我们三月搬到了里斯本，第一件事就是在河边找一所学校。",
    "Japanese": "三月にリスボンへ引っ越して、まず川の近くの学校を探しました。",
    "Korean": "우리는 3월에 리스본으로 이사했고, 가장 먼저 강 근처의 학교를 찾았습니다.",
}
OTHER = {
    "JSON": json.dumps([{"id": n, "name": f"user_{n}", "tags": ["a"], "ok": True, "score": n / 7} for n in range(9)]),
    "code": "def f(x: int) -> dict[str, int]:\n    return {k: v**2 for k, v in zip('abc', range(x), strict=False)}\n",
    "base64": "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAA",
    "hex": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "table": "| a | b |\n|---|---|\n| 1 | 2 |\n" * 5,
    "emoji": "🎉👩‍👩‍👧‍👦🏳️‍🌈🇵🇹👍🏽",
    "numbers": "3.14159, 2718281828, 2023-05-08T13:56:00Z, +351 912 345 678",
    "gibberish": "qxzvkj wpfgh ZKRTQ xX9fQ2",
    "blank": " \n\t\n  ",
}
SAMPLES = {**PROSE, **OTHER}


ENCODINGS = ("o200k_base", "cl100k_base")
exact_counter = lru_cache(BpeCounter)


@pytest.fixture(params=ENCODINGS)
def exact(request: pytest.FixtureRequest) -> BpeCounter:
    pytest.importorskip("bpe_openai")
    return exact_counter(request.param)


@pytest.mark.parametrize("kind", SAMPLES)
def test_the_estimate_is_never_under_the_true_count(exact: BpeCounter, kind: str) -> None:
    text = SAMPLES[kind]
    counter = EstimateCounter()
    for size in (1, 3, 10, 30, len(text)):
        for start in range(0, len(text), size):
            piece = text[start : start + size]
            assert counter.count(piece) >= exact.count(piece), piece


@given(st.text(st.characters(codec="utf-8"), max_size=80) | st.text(st.characters(codec="ascii"), max_size=80))
@settings(max_examples=300, deadline=None, database=None)
def test_no_text_that_hypothesis_finds_is_undercounted(text: str) -> None:
    pytest.importorskip("bpe_openai")
    assert EstimateCounter().count(text) >= max(exact_counter(name).count(text) for name in ENCODINGS)


@pytest.mark.parametrize("kind", [*PROSE, "JSON", "base64"])
def test_the_estimate_is_at_most_about_twice_the_larger_count(kind: str) -> None:
    pytest.importorskip("bpe_openai")
    text = SAMPLES[kind] * 5
    assert EstimateCounter().count(text) <= 2.2 * max(exact_counter(name).count(text) for name in ENCODINGS)


def test_the_estimate_is_never_above_the_bytes() -> None:
    counter = EstimateCounter()
    for text in ("", "a", "é", "学", "🎉", "\ud800", "!?", "Lisbon"):
        assert counter.count(text) <= len(text.encode("utf-8", "surrogatepass"))
    assert counter.count("") == 0


def test_a_longer_text_does_not_count_less_by_more_than_a_word() -> None:
    counter = EstimateCounter()
    text = " ".join(PROSE.values())
    counts = [counter.count(text[:end]) for end in range(0, len(text), 7)]
    assert all(later >= earlier - math.ceil(10 * WEIGHTS["letter"]) for earlier, later in pairwise(counts))


def test_every_feature_has_a_weight() -> None:
    rng = random.Random(3)
    text = "".join(chr(rng.randrange(32, 0x20000)) for _ in range(20_000)).encode("utf-8", "replace").decode()
    found = features(text + "".join(SAMPLES.values()) + "\x01thatWas")
    assert found.keys() == WEIGHTS.keys()


def test_counting_is_exact_with_the_vocabulary() -> None:
    pytest.importorskip("bpe_openai")
    assert BpeCounter().count("hello world") == 2
    assert BpeCounter("cl100k_base").count("antidisestablishmentarianism") == 6
    assert BpeCounter().count("") == 0


def test_markers_of_a_model_count_as_plain_text() -> None:
    pytest.importorskip("bpe_openai")
    assert BpeCounter().count("<|endoftext|>") > 1


def test_an_unknown_encoding_is_refused() -> None:
    pytest.importorskip("bpe_openai")
    with pytest.raises(InvalidInput, match="o200k_base"):
        BpeCounter("p50k")


def test_without_the_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bpe_openai", None)
    with pytest.raises(OnRecordError, match=r"pip install 'onrecord\[tokens\]'"):
        BpeCounter()
