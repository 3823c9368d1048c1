"""Selection: relevant enough, not twice, no more than asked, conflicts whole."""

from __future__ import annotations

from onrecord.model.query import Corpus
from onrecord.model.trace import Drop, Scored
from onrecord.policy.recall.select import Rules, Selection, rolled_up, select


def scored(*relevances: float) -> list[Scored]:
    """Candidates a, b, c … of these relevances, in this order."""
    return [Scored(chr(97 + n), Corpus.RECORDS, 1.0 - n / 10, relevance) for n, relevance in enumerate(relevances)]


def ids(selection: Selection) -> list[str]:
    return [one.id for one in selection.kept]


def drops(selection: Selection) -> dict[str, Drop]:
    return {one.id: one.dropped for one in selection.candidates if one.dropped}


def test_nothing_is_returned_when_the_best_is_too_weak() -> None:
    selection = select(scored(0.2, 0.25), {}, Rules(limit=5, floor=0.3, tail=0.1))
    assert ids(selection) == []
    assert drops(selection) == {"a": Drop.BELOW_THRESHOLD, "b": Drop.BELOW_THRESHOLD}


def test_behind_a_good_hit_weaker_ones_pass_down_to_the_tail() -> None:
    selection = select(scored(0.2, 0.9, 0.05), {}, Rules(limit=5, floor=0.3, tail=0.1))
    assert ids(selection) == ["a", "b"]
    assert drops(selection) == {"c": Drop.BELOW_THRESHOLD}


def test_the_cap_is_hard_and_the_rest_are_near_misses() -> None:
    selection = select(scored(0.9, 0.9, 0.9), {}, Rules(limit=2, floor=0.3, tail=0.1))
    assert ids(selection) == ["a", "b"]
    assert drops(selection) == {"c": Drop.OVER_LIMIT}


def test_the_same_sentence_comes_once_and_another_number_is_another_sentence() -> None:
    texts = {"a": "Dinner at 7 with Tom", "b": "dinner at 7, with Tom!", "c": "Dinner at 8 with Tom"}
    selection = select(scored(0.9, 0.9, 0.9), texts, Rules(limit=5, floor=0.3, tail=0.1))
    assert ids(selection) == ["a", "c"]
    assert drops(selection) == {"b": Drop.DUPLICATE}


def test_a_turn_behind_a_record_made_from_it_is_a_repetition() -> None:
    rules = Rules(limit=5, floor=0.3, tail=0.1, told_by={"b": {"a"}, "a": {"z"}})
    assert drops(select(scored(0.9, 0.9), {}, rules)) == {"b": Drop.DUPLICATE}


def test_a_record_takes_the_better_place_of_a_turn_it_was_made_from() -> None:
    rules = Rules(limit=5, floor=0.3, tail=0.1, told_by={"a": {"c"}})
    selection = select(scored(0.9, 0.9, 0.9), {}, rules)
    assert (ids(selection), drops(selection)) == (["c", "b"], {"a": Drop.DUPLICATE})


def test_a_record_below_the_tail_takes_no_place() -> None:
    rules = Rules(limit=5, floor=0.3, tail=0.1, told_by={"a": {"b"}})
    assert ids(select(scored(0.9, 0.05), {}, rules)) == ["a"]


def test_a_row_may_have_a_floor_and_tail_of_its_own() -> None:
    rules = Rules(limit=5, floor=0.3, tail=0.1, bounds={"a": (2.0, 0.5)})
    assert ids(select(scored(0.9, 0.2), {}, rules)) == []
    assert ids(select(scored(0.9, 0.4), {}, rules)) == ["a", "b"]
    assert ids(select(scored(0.4, 0.4), {}, rules)) == ["b"]


def test_barred_rows_are_left_out_for_their_reason_and_others_move_up() -> None:
    rules = Rules(limit=1, floor=0.3, tail=0.1, barred={"a": Drop.RETIRED})
    selection = select(scored(0.9, 0.9), {}, rules)
    assert (ids(selection), drops(selection)) == (["b"], {"a": Drop.RETIRED})


def test_both_sides_of_a_conflict_come_together_and_the_last_makes_room() -> None:
    rules = Rules(limit=3, floor=0.3, tail=0.1, conflicts={"a": ("d",), "d": ("a",)})
    selection = select(scored(0.9, 0.9, 0.9, 0.01), {}, rules)
    assert ids(selection) == ["a", "d", "b"]


def test_a_conflict_that_does_not_fit_never_breaks_the_cap() -> None:
    rules = Rules(limit=1, floor=0.3, tail=0.1, conflicts={"a": ("b",)})
    assert ids(select(scored(0.9, 0.9), {}, rules)) == ["a"]


def test_a_side_that_is_barred_stays_out() -> None:
    rules = Rules(limit=3, floor=0.3, tail=0.1, conflicts={"a": ("b",)}, barred={"b": Drop.NOT_TRUSTED})
    assert ids(select(scored(0.9, 0.9), {}, rules)) == ["a"]


def test_groups_are_ordered_by_their_best_row_and_a_little_for_more() -> None:
    rows = [("a", 1.0), ("b", 0.9), ("c", 0.9), ("d", 0.1), ("e", 0.1)]
    group = {"a": "x", "b": "y", "c": "y", "d": "z", "e": "z"}
    assert rolled_up(rows, group) == ["x", "y", "z"]  # .9 + .1 · .9 < 1
    assert rolled_up([("a", 0.95), *rows[1:]], group) == ["y", "x", "z"]
