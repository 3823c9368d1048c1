"""Packing: whole items, what is required first, shares before leftovers, never over the room."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onrecord.errors import InvalidInput
from onrecord.model.context import Preset, Section, Share
from onrecord.policy.context.pack import BUDGET, SHARE, Item, Wish, by_worth, pack
from onrecord.policy.context.plan import PRIORITY, VARYING, Plan
from onrecord.policy.defaults import Policy

SHARES = Policy().shares[Preset.ASSISTANT]
ALL = frozenset(Section)


def item(id: str, tokens: int, *, required: bool = False, place: str = "") -> Item:
    return Item((id,), (f"- {id}",), tokens, required, place)


def plan(budget: int = 1_000, there: frozenset[Section] = ALL) -> Plan:
    return Plan(budget, SHARES, there)


def test_every_section_has_a_priority_and_every_preset_shares_within_one() -> None:
    assert set(PRIORITY) == set(Section)
    for shares in Policy().shares.values():
        assert Plan(100, shares, ALL).share(Section.CURRENT) > 0
    with pytest.raises(InvalidInput, match="shares"):
        Plan(100, {**SHARES, Share.RECORDS: 0.9}, ALL)


def test_a_long_item_does_not_stop_those_behind_it() -> None:
    wish = Wish(Section.RECORDS, (item("a", 60), item("b", 500), item("c", 40)), frame=10)
    made = pack([wish], plan(), 1_000, {})[Section.RECORDS]
    assert (made.ids, made.tokens, dict(made.left_out)) == (("a", "c"), 110, {"b": SHARE})


def test_what_is_required_goes_first_whatever_the_shares() -> None:
    records = Wish(Section.RECORDS, (item("nice", 100), item("must", 300, required=True)), frame=0)
    knowledge = Wish(Section.KNOWLEDGE, (item("page", 200),), frame=0)
    made = pack([knowledge, records], plan(), 400, {})
    assert made[Section.RECORDS].ids == ("must",)
    assert made[Section.KNOWLEDGE].ids == ()
    assert made[Section.KNOWLEDGE].left_out == {"page": BUDGET}


def test_leftovers_are_given_out_only_where_no_dialogue_has_to_stay_the_same() -> None:
    wishes = [Wish(Section.EPISODES, tuple(item(f"e{n}", 90) for n in range(9)), frame=0)]
    assert len(pack(wishes, plan(), 1_000, {})[Section.EPISODES].ids) == 2
    assert len(pack(wishes, plan(there=ALL - {Section.DIALOGUE}), 1_000, {})[Section.EPISODES].ids) == 9


def test_sections_of_one_group_share_and_a_limit_of_its_own_holds() -> None:
    records = Wish(Section.RECORDS, (item("r", 150),), frame=0)
    episodes = Wish(Section.EPISODES, (item("e", 40), item("f", 40)), frame=0, most=60)
    made = pack([episodes, records], plan(), 1_000, {})
    assert (made[Section.RECORDS].ids, made[Section.EPISODES].ids) == (("r",), ("e",))
    assert pack([records], plan(), 1_000, {Section.RECORDS: 0, Section.EPISODES: 100})[Section.RECORDS].ids == ()


def test_what_is_kept_is_shown_in_order_of_place() -> None:
    wish = Wish(Section.EPISODES, (item("late", 5, place="2"), item("early", 5, place="1")), frame=0)
    assert pack([wish], plan(), 100, {})[Section.EPISODES].lines == ["- early", "- late"]


ITEMS = st.lists(st.builds(Item, st.just(("x",)), st.just(("- x",)), st.integers(0, 300), st.booleans()), max_size=8).map(tuple)
WISHES = st.fixed_dictionaries(dict.fromkeys(VARYING, ITEMS))


@given(WISHES, st.integers(0, 1_500), st.integers(0, 30), st.booleans())
def test_no_pack_exceeds_its_room_or_loses_an_item(
    wished: dict[Section, tuple[Item, ...]], room: int, frame: int, dialogue: bool
) -> None:
    named = {
        section: tuple(Item((f"{section}{n}",), one.lines, one.tokens, one.required) for n, one in enumerate(items))
        for section, items in wished.items()
    }
    there = ALL if dialogue else ALL - {Section.DIALOGUE}
    made = pack([Wish(section, items, frame) for section, items in named.items()], plan(there=there), room, {})
    assert sum(one.tokens for one in made.values()) <= room
    for section, one in made.items():
        assert sorted((*one.ids, *one.left_out)) == sorted(id for entry in named[section] for id in entry.ids)
        assert one.tokens == sum(entry.tokens for entry in one.kept) + (frame if one.kept else 0)
    smallest = min((one.tokens for items in named.values() for one in items if one.required), default=None)
    if smallest is not None and smallest + frame <= room:
        assert any(entry.required for one in made.values() for entry in one.kept)


SCORED = st.lists(st.tuples(st.floats(0, 2), st.integers(1, 2_000)), max_size=20)


@given(SCORED)
def test_items_of_usual_length_stay_in_their_order_and_none_is_lost(items: list[tuple[float, int]]) -> None:
    policy = Policy()
    order = by_worth([score for score, _ in items], [tokens for _, tokens in items], policy)
    assert sorted(order) == list(range(len(items)))
    usual = [place for place in order if items[place][1] <= policy.usual_row]
    assert usual == sorted(usual)


def test_a_long_item_gives_way_to_shorter_ones_nearly_as_good_and_to_no_weak_ones() -> None:
    assert by_worth([1.0, 0.9, 0.3], [1_000, 50, 50], Policy()) == [1, 0, 2]
