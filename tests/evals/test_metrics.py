"""Metrics against values worked out by hand."""

from __future__ import annotations

import math

import pytest

from onrecord.evals import metrics

RANKING = ["a", "b", "c", "d"]


def test_recall_is_the_share_of_gold_found() -> None:
    assert metrics.recall(RANKING, {"a", "d"}, 3) == 0.5
    assert metrics.recall(RANKING, ["a", "a"], 1) == 1.0  # gold may name a line twice
    assert metrics.recall([], {"a"}, 5) == 0.0


def test_any_and_all_at_k() -> None:
    assert (metrics.any_of(RANKING, {"b", "z"}, 2), metrics.all_of(RANKING, {"b", "z"}, 2)) == (1.0, 0.0)
    assert metrics.all_of(RANKING, {"a", "b"}, 2) == 1.0
    assert metrics.any_of(RANKING, {"c"}, 2) == 0.0


def test_reciprocal_rank_looks_at_the_first_gold_id() -> None:
    assert metrics.reciprocal_rank(RANKING, {"c", "d"}) == pytest.approx(1 / 3)
    assert metrics.reciprocal_rank(RANKING, {"z"}) == 0.0


def test_standard_ndcg_by_hand() -> None:
    # gold at ranks 2 and 4: (1/log2 3 + 1/log2 5) / (1/log2 2 + 1/log2 3)
    expected = (1 / math.log2(3) + 1 / math.log2(5)) / (1 + 1 / math.log2(3))
    assert metrics.ndcg(RANKING, {"b", "d"}, 10) == pytest.approx(expected)
    assert metrics.ndcg(RANKING, {"a", "b"}, 10) == pytest.approx(1.0)


def test_official_ndcg_weighs_the_first_two_ranks_alike() -> None:
    assert metrics.ndcg_official(RANKING, {"a"}, 10) == metrics.ndcg_official(RANKING, {"b"}, 10) == 1.0
    # gold at ranks 2 and 4: (1 + 1/2) / (1 + 1)
    assert metrics.ndcg_official(RANKING, {"b", "d"}, 10) == pytest.approx(0.75)


def test_ndcg_counts_no_more_gold_than_fits_in_k() -> None:
    assert metrics.ndcg(["a"], {"a", "b", "c"}, 1) == 1.0


def test_auroc_counts_pairs_and_halves_ties() -> None:
    assert metrics.auroc([3.0, 2.0], [1.0, 0.0]) == 1.0
    assert metrics.auroc([1.0, 0.0], [1.0, 0.0]) == 0.5
    # pairs (2>1) (2>2 tie) (1=1 tie) (1<2): 1 + .5 + .5 + 0 of 4
    assert metrics.auroc([2.0, 1.0], [1.0, 2.0]) == 0.5
    assert metrics.auroc([2.0, 2.0, 0.5], [1.0]) == pytest.approx(2 / 3)


def test_auroc_needs_both_sides() -> None:
    with pytest.raises(ValueError):
        metrics.auroc([], [1.0])


def test_token_f1_ignores_case_articles_and_punctuation() -> None:
    assert metrics.token_f1("The Cat!", "cat") == 1.0
    # shared: red, car; 3 words against 2: 2*2/5
    assert metrics.token_f1("red sports car", "a red car") == pytest.approx(0.8)
    assert metrics.token_f1("", "the") == 1.0
    assert metrics.token_f1("", "cat") == 0.0


def test_a_question_without_gold_is_refused() -> None:
    with pytest.raises(ValueError):
        metrics.recall(RANKING, set(), 5)
