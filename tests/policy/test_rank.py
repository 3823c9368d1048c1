"""BM25 by hand, fusion, and boosts that break ties and nothing else."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onrecord.model.query import Best, Posting, Postings
from onrecord.policy.defaults import Policy
from onrecord.policy.recall import rank

POLICY = Policy()
TWO = Postings.of(4, 10.0, (Posting("a", 10, (1, 0)), Posting("b", 20, (2, 1))))
SCORES = st.dictionaries(st.text("abcdef", min_size=1, max_size=2), st.floats(0.01, 1.0), min_size=1, max_size=8)


def test_bm25_by_hand() -> None:
    scores = rank.bm25(TWO, k1=0.9, b=0.4)
    common, rare = math.log1p((4 - 2 + 0.5) / 2.5), math.log1p((4 - 1 + 0.5) / 1.5)
    assert scores["a"] == pytest.approx(common * 1.9 / 1.9)  # mean length, once: the idf itself
    norm = 0.9 * (0.6 + 0.4 * 2.0)
    assert scores["b"] == pytest.approx(common * 2 * 1.9 / (2 + norm) + rare * 1.9 / (1 + norm))


def test_a_term_that_every_row_holds_still_counts_a_little() -> None:
    everywhere = Postings.of(2, 5.0, (Posting("a", 5, (1,)), Posting("b", 5, (1,))))
    assert all(score > 0 for score in rank.bm25(everywhere, 0.9, 0.4).values())


def test_no_match_gives_no_scores() -> None:
    assert rank.bm25(Postings.of(9, 4.0, ()), 0.9, 0.4) == {}


def test_a_share_is_whole_where_every_term_is_there_once() -> None:
    whole = Postings.of(4, 10.0, (Posting("a", 10, (1, 1)), Posting("b", 10, (1, 0))))
    shares = rank.shares(whole, 2, k1=0.9, b=0.4)
    common, rare = rank.idfs(whole)
    assert shares == pytest.approx({"a": 1.0, "b": common / (common + rare)})


def test_terms_that_were_not_counted_lower_every_share() -> None:
    absent = math.log1p(4.5 / 0.5)
    one, two = rank.shares(TWO, 2, 0.9, 0.4), rank.shares(TWO, 3, 0.9, 0.4)
    known = rank.idfs(TWO).sum()
    assert two["a"] == pytest.approx(one["a"] * known / (known + absent))
    assert rank.shares(Postings.of(9, 4.0, ()), 2, 0.9, 0.4) == {}


def test_fusion_is_convex_and_counts_what_is_missing_as_nothing() -> None:
    fused = rank.fuse({"a": 4.0, "b": 2.0}, {"b": 0.8, "c": 0.4}, 0.6)
    assert fused == pytest.approx({"a": 0.4, "b": 0.6 + 0.2, "c": 0.3})


def test_fusion_goes_on_with_one_leg_alone() -> None:
    assert rank.fuse({"a": 4.0, "b": 2.0}, {}, 0.6) == {"a": 1.0, "b": 0.5}
    assert rank.fuse({"a": 0.0}, {"a": 0.5}, 0.6) == {"a": 1.0}
    assert rank.fuse({}, {}, 0.6) == {}


def test_cosines_below_nothing_count_as_nothing() -> None:
    assert rank.fuse({"a": 1.0}, {"a": -0.5, "b": 0.5}, 0.5) == {"a": 0.5, "b": 0.5}


@given(SCORES, SCORES, st.floats(0.0, 1.0))
def test_fused_scores_lie_between_nothing_and_one(lexical: dict[str, float], near: dict[str, float], weight: float) -> None:
    assert all(0.0 <= score <= 1.0 + 1e-9 for score in rank.fuse(lexical, near, weight).values())


@given(SCORES, SCORES, st.floats(0.0, 1.0))
def test_what_is_first_in_every_leg_is_first(lexical: dict[str, float], near: dict[str, float], weight: float) -> None:
    lexical, near = {**lexical, "top": 2.0}, {**near, "top": 2.0}
    assert rank.ordered(rank.fuse(lexical, near, weight))[0] == "top"


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_boosts_together_stay_in_their_span(fresh: float, reinforced: float, confidence: float) -> None:
    factor = rank.boost(fresh, reinforced, confidence, POLICY)
    assert 1.0 - POLICY.boost_span <= factor <= 1.0 + POLICY.boost_span + 1e-12


def test_freshness_is_a_half_after_sixty_days_and_never_above_one() -> None:
    assert rank.freshness(0, POLICY) == 1.0
    assert rank.freshness(60, POLICY) == 0.5
    assert rank.freshness(-5, POLICY) == 1.0


def test_reinforcement_is_capped() -> None:
    assert rank.reinforcement(5, POLICY) == 0.5
    assert rank.reinforcement(500, POLICY) == 1.0


def test_ties_go_by_id() -> None:
    assert rank.ordered({"b": 1.0, "a": 1.0, "c": 2.0}) == ["c", "a", "b"]


_SCORES = st.lists(st.floats(-10, 10, allow_nan=False), min_size=1, max_size=30)


@given(_SCORES, st.data(), st.floats(0, 1))
def test_a_blend_stays_within_the_span_of_the_scores(scores: list[float], data: st.DataObject, weight: float) -> None:
    opinions = data.draw(st.lists(st.floats(-5, 5), min_size=len(scores), max_size=len(scores)))
    blended = rank.blend(scores, opinions, weight)
    assert len(blended) == len(scores)
    assert all(min(scores) - 1e-9 <= value <= max(scores) + 1e-9 for value in blended)


@given(_SCORES, st.data())
def test_a_blend_of_weight_0_has_the_order_of_the_scores_and_of_weight_1_that_of_the_opinions(
    scores: list[float], data: st.DataObject
) -> None:
    opinions = data.draw(st.lists(st.floats(-5, 5), min_size=len(scores), max_size=len(scores)))
    assert rank.blend(scores, opinions, 0.0) == pytest.approx(scores, abs=1e-9)
    blended = rank.blend(scores, opinions, 1.0)
    for i, j in itertools.combinations(range(len(scores)), 2):
        if opinions[i] < opinions[j]:
            assert blended[i] <= blended[j] + 1e-12


def test_what_both_put_first_stays_first() -> None:
    assert rank.blend([3.0, 1.0, 2.0], [0.9, 0.2, 0.4], 0.4) == [3.0, 1.0, pytest.approx(1.0 + 2.0 * (0.6 * 0.5 + 0.4 * 2 / 7))]


def test_an_embedder_is_known_by_the_longest_beginning_of_its_name() -> None:
    policy = Policy(vector_weight=0.6, vector_weights={"a": 0.1, "ab": 0.2}, cosine_zeros={"ab": 0.5})
    assert [rank.vector_weight(name, policy) for name in ("abc", "ac", "b", "")] == [0.2, 0.1, 0.6, 0.6]
    assert rank.nearness({"x": 0.7, "y": 0.4}, "abc", policy) == {"x": pytest.approx(0.2), "y": pytest.approx(-0.1)}
    assert rank.nearness({"x": 0.7, "y": -0.4}, "b", policy) == {"x": 0.7, "y": -0.4}
    for name in ("abc", "b"):  # what is not above zero counts nothing
        assert rank.fuse({}, rank.nearness({"x": 0.7, "y": -0.4}, name, policy), 0.6) == {"x": 1.0, "y": 0.0}


@given(st.dictionaries(st.text(max_size=3), st.sampled_from([0.0, 0.25, 0.5, 1.0])), st.integers(0, 12))
def test_the_first_few_are_those_of_the_whole_order(scores: dict[str, float], limit: int) -> None:
    assert rank.ordered(scores, limit or None)[: limit or None] == rank.ordered(scores)[: limit or None]


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 3), st.integers(0, 3)), max_size=30), st.integers(0, 12))
def test_a_cut_keeps_the_best_with_equal_ones_in_order_of_id(rows: list[tuple[int, int, int]], limit: int) -> None:
    held = [Posting(f"r{n:02}", length, (a, b)) for n, (length, a, b) in enumerate(rows) if a or b]
    postings = Postings.of(40, 5.0, reversed(held))
    scores = {id: round(score, 9) for id, score in rank.bm25(postings, 0.9, 0.75).items()}
    kept = rank.cut(postings, Best(limit=limit, k1=0.9, b=0.75, also=["r03"]))
    best = set(sorted(sorted(scores), key=scores.__getitem__, reverse=True)[:limit])
    assert set(kept.ids) == best | ({"r03"} & set(scores))
