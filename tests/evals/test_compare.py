"""Two runs side by side: who won how often, and what chance could have done."""

from __future__ import annotations

from typing import Any

import pytest

from onrecord.errors import InvalidInput
from onrecord.evals.compare import compare, mcnemar, sign_flip


def rows(values: list[float], talks: str = "", **more: Any) -> list[dict[str, Any]]:
    return [
        {"id": f"q{n}", "talk": talks[n] if talks else n, "category": "x", "systems": {"ours": {"R@5": value}}, **more}
        for n, value in enumerate(values)
    ]


def test_won_lost_and_tied_are_counted_and_the_difference_is_as_less_bs() -> None:
    (one,) = compare(rows([1, 1, 0, 1, 1]), rows([0, 1, 1, 0, 0]), system="ours", against="ours").compared
    assert (one.won, one.lost, one.tied) == (3, 1, 1)
    assert (one.a, one.b, round(one.difference, 3)) == (0.8, 0.4, 0.4)
    assert one.interval is not None
    assert one.interval[0] < 0.4 < one.interval[1]


def test_five_wins_and_no_loss_are_chance_once_in_sixteen() -> None:
    (one,) = compare(rows([1] * 5), rows([0] * 5), system="ours", against="ours").compared
    assert one.p == one.mcnemar == 2 / 32


def test_mcnemar_by_hand() -> None:
    # of 6 decided: 0 or 1 lost, both sides: 2 * (1 + 6) / 64
    assert mcnemar(5, 1) == pytest.approx(14 / 64)
    assert mcnemar(3, 3) == 1.0
    assert mcnemar(0, 0) == 1.0


def test_values_that_are_no_yes_or_no_have_no_mcnemar() -> None:
    (one,) = compare(rows([0.5, 1.0]), rows([0.0, 1.0]), system="ours", against="ours").compared
    assert one.mcnemar is None


def test_signs_are_flipped_by_conversation() -> None:
    """Thirty questions of five talks that all went one way are five wins, not thirty."""
    talks = [n // 6 for n in range(30)]
    assert sign_flip([1.0] * 30, talks, seed=1) == 2 / 32
    assert sign_flip([1.0] * 30, list(range(30)), seed=1) < 0.001


def test_many_units_are_drawn_by_the_seed() -> None:
    differences = [1.0 if n % 3 else -1.0 for n in range(60)]
    first, second = (sign_flip(differences, list(range(60)), seed=seed) for seed in (1, 1))
    assert first == second
    assert 0.005 < first < 0.03  # 40 of 60: a binomial test gives 0.0135


def test_runs_that_do_not_differ_are_certain_to_be_chance() -> None:
    assert sign_flip([0.0, 0.0], ["a", "b"], seed=1) == 1.0


def test_questions_of_one_side_alone_are_left_out_and_told() -> None:
    found = compare(rows([1, 1, 1]), rows([1, 0]), system="ours", against="ours")
    assert (found.compared[0].questions, found.only_a, found.only_b) == (2, 1, 0)


def test_categories_are_compared_each_and_those_apart_not_in_the_whole() -> None:
    left, right = rows([1, 1]), rows([0, 1])
    for side in (left, right):
        side[0]["category"] = "odd"
    found = compare(left, right, system="ours", against="ours", apart=["odd"]).compared
    assert [(one.category, one.difference) for one in found] == [("all", 0.0), ("odd", 1.0), ("x", 0.0)]


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"system": "theirs"}, "A: has no values of 'theirs'"),
        ({"against": "theirs"}, "B: has no values of 'theirs'"),
        ({"metrics": ["F1"]}, "--metric: 'F1'"),
    ],
)
def test_what_is_not_there_is_named(wanted: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        compare(rows([1]), rows([1]), **{"system": "ours", "against": "ours", **wanted})


def test_runs_over_different_questions_are_refused() -> None:
    with pytest.raises(InvalidInput, match="shares no question"):
        compare(rows([1]), rows([1], set="other"), system="ours", against="ours")


def test_a_file_with_a_question_twice_is_refused() -> None:
    with pytest.raises(InvalidInput, match="'q0' twice"):
        compare(rows([1]) + rows([1]), rows([1]), system="ours", against="ours")
