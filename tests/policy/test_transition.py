from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onrecord.errors import InvalidInput, NotFound, VersionConflict
from onrecord.model.change import (
    Add,
    Archive,
    Change,
    Edit,
    Erase,
    EventType,
    Expire,
    Flag,
    Merge,
    Quarantine,
    Reinforce,
    Resolve,
    Restore,
    Retract,
    Supersede,
)
from onrecord.model.record import CURRENT, ExpiryBasis, Kind, Record, Source, SourceType, Status
from onrecord.model.scope import Scope
from onrecord.policy.transition import steps

T0 = datetime(2026, 3, 1, 9, tzinfo=UTC)
DAY = timedelta(days=1)


def a_record(id: str, **fields: object) -> Record:
    base = Record(
        id=id,
        tenant="t",
        subject="user:ana",
        scope=Scope.USER,
        kind=Kind.PREFERENCE,
        statement=f"statement {id}",
        source=Source(SourceType.USER_MESSAGE, f"turn_{id}"),
        author="ana",
        confidence=0.8,
        trust=1.0,
        valid_from=T0,
        valid_until=T0 + 700 * DAY,
        expiry_basis=ExpiryBasis.DEFAULT,
        said_at=T0,
        written_at=T0,
        derived_from=(f"turn_{id}",),
    )
    return replace(base, **fields)  # type: ignore[arg-type]


class World:
    """Records by id; performs changes as a store does."""

    def __init__(self, *records: Record) -> None:
        self.rows = {record.id: record for record in records}

    def apply(self, *changes: Change) -> list[EventType]:
        events = []
        for change in changes:
            for step in steps(change, self.rows.get):
                events.append(step.type)
                if step.after is None:
                    del self.rows[step.record_id]
                else:
                    self.rows[step.record_id] = step.after
        return events

    def __getitem__(self, id: str) -> Record:
        return self.rows[id]


def test_superseding_closes_the_old_record_when_the_new_one_begins() -> None:
    world = World(a_record("a"))
    events = world.apply(Supersede(old="a", record=a_record("b", valid_from=T0 + 30 * DAY), reason="moved"))
    assert events == [EventType.ADDED, EventType.SUPERSEDED]
    assert (world["a"].status, world["a"].superseded_by) == (Status.SUPERSEDED, "b")
    assert world["a"].valid_until == T0 + 30 * DAY
    assert world["b"].status is Status.ACTIVE


def test_a_successor_that_begins_earlier_never_turns_the_old_span_around() -> None:
    world = World(a_record("a"))
    world.apply(Supersede(old="a", record=a_record("b", valid_from=T0 - DAY), reason="x"))
    assert world["a"].valid_until == world["a"].valid_from


def test_ten_restatements_leave_one_record_with_ten_sources() -> None:
    world = World(a_record("a"))
    for n in range(1, 10):
        world.apply(Reinforce(id="a", sources=(f"turn_{n}",), confidence=0.5 + n / 20, said_at=T0 + n * DAY, reason="again"))
    assert len(world["a"].derived_from) == 10
    assert world["a"].confidence == pytest.approx(0.95)
    assert world["a"].said_at == T0 + 9 * DAY


def test_a_restatement_never_lowers_confidence_or_moves_time_back() -> None:
    world = World(a_record("a"))
    world.apply(Reinforce(id="a", confidence=0.1, said_at=T0 - DAY, valid_until=T0, reason="again"))
    assert (world["a"].confidence, world["a"].said_at, world["a"].valid_until) == (0.8, T0, T0 + 700 * DAY)


def test_a_merge_keeps_the_id_and_both_sources() -> None:
    world = World(a_record("a"))
    world.apply(Merge(record=a_record("a", statement="longer", derived_from=("turn_z",)), reason="says more"))
    assert world["a"].statement == "longer"
    assert world["a"].derived_from == ("turn_a", "turn_z")
    assert world["a"].version == 2


def test_a_conflict_shows_on_every_side() -> None:
    world = World(a_record("a"))
    world.apply(Flag(ids=("a",), record=a_record("b"), reason="which?"))
    assert world["a"].conflicts_with == ("b",)
    assert world["b"].conflicts_with == ("a",)
    assert {world["a"].status, world["b"].status} == {Status.CONFLICTED}


def test_a_third_side_joins_a_conflict_without_losing_the_first_two() -> None:
    world = World(a_record("a"))
    world.apply(Flag(ids=("a",), record=a_record("b"), reason="?"), Flag(ids=("a", "b"), record=a_record("c"), reason="?"))
    assert [set(world[id].conflicts_with) for id in "abc"] == [{"b", "c"}, {"a", "c"}, {"a", "b"}]


def test_resolving_a_conflict_keeps_one_side_and_supersedes_the_other() -> None:
    world = World(a_record("a"))
    world.apply(Flag(ids=("a",), record=a_record("b"), reason="?"), Resolve(keep="b", drop=("a",), reason="she said so"))
    assert (world["b"].status, world["b"].conflicts_with) == (Status.ACTIVE, ())
    assert (world["a"].status, world["a"].superseded_by) == (Status.SUPERSEDED, "b")


def test_a_third_party_to_two_dropped_sides_holds_again() -> None:
    world = World(a_record("a"), a_record("x"), a_record("k"))
    world.apply(Flag(ids=("a", "x"), reason="?"), Flag(ids=("x",), record=a_record("b"), reason="?"))
    world.apply(Resolve(keep="k", drop=("a", "b"), reason="k it is"))
    assert (world["x"].status, world["x"].conflicts_with) == (Status.ACTIVE, ())
    assert world["x"].version == 5


@pytest.mark.parametrize("change", [Retract, Archive, Expire, Quarantine])
def test_when_one_side_of_a_conflict_leaves_the_other_holds_again(change: type[Retract]) -> None:
    world = World(a_record("a"))
    world.apply(Flag(ids=("a",), record=a_record("b"), reason="?"), change(id="a", reason="gone"))
    assert world["a"].status not in CURRENT
    assert (world["b"].status, world["b"].conflicts_with) == (Status.ACTIVE, ())


def test_superseding_one_side_of_a_conflict_settles_it_for_the_other() -> None:
    world = World(a_record("a"))
    world.apply(Flag(ids=("a",), record=a_record("b"), reason="?"), Supersede(old="a", record=a_record("c"), reason="now c"))
    assert (world["b"].status, world["b"].conflicts_with) == (Status.ACTIVE, ())


def test_erasing_leaves_nothing_and_frees_the_other_side() -> None:
    world = World(a_record("a"))
    world.apply(Flag(ids=("a",), record=a_record("b"), reason="?"), Erase(id="a", reason="asked"))
    assert set(world.rows) == {"b"}
    assert world["b"].conflicts_with == ()


def test_what_is_out_of_recall_can_be_restored_and_what_is_not_can_not() -> None:
    world = World(a_record("a"))
    world.apply(Retract(id="a", reason="x"), Restore(id="a", reason="mistake"))
    assert world["a"].status is Status.ACTIVE
    with pytest.raises(InvalidInput):
        world.apply(Restore(id="a", reason="again"))


def test_an_edit_changes_only_the_named_fields() -> None:
    world = World(a_record("a", metadata={"x": 1}, pinned=True))
    world.apply(Edit(id="a", fields={"statement": "new words"}, reason="edit"))
    edit = Source(SourceType.HUMAN_EDIT, "a")
    assert world["a"] == a_record(
        "a", metadata={"x": 1}, pinned=True, statement="new words", version=2, source=edit, quote="new words"
    )


@pytest.mark.parametrize("field", ["tenant", "subject", "id", "trust", "derived_from", "written_at", "version", "nonsense"])
def test_identity_and_history_can_not_be_edited(field: str) -> None:
    with pytest.raises(InvalidInput, match=field):
        World(a_record("a")).apply(Edit(id="a", fields={field: "x"}, reason="edit"))


def test_a_change_decided_on_an_old_version_is_refused() -> None:
    world = World(a_record("a"))
    world.apply(Edit(id="a", version=1, fields={"pinned": True}, reason="first"))
    with pytest.raises(VersionConflict):
        world.apply(Edit(id="a", version=1, fields={"pinned": False}, reason="second"))


@pytest.mark.parametrize(
    "change",
    [
        Reinforce(id="x", reason=""),
        Supersede(old="x", record=a_record("b"), reason=""),
        Flag(ids=("x",), record=a_record("b"), reason=""),
        Retract(id="x", reason=""),
        Erase(id="x", reason=""),
        Resolve(keep="x", drop=("a",), reason=""),
    ],
)
def test_a_record_that_is_not_there_can_not_be_changed(change: Change) -> None:
    with pytest.raises(NotFound):
        World(a_record("a")).apply(change)


def test_an_id_is_used_once() -> None:
    with pytest.raises(InvalidInput, match="id"):
        World(a_record("a")).apply(Add(record=a_record("a"), reason=""))


def test_a_side_can_not_be_kept_and_dropped_at_once() -> None:
    with pytest.raises(InvalidInput, match="drop"):
        World(a_record("a")).apply(Resolve(keep="a", drop=("a",), reason=""))


def test_a_conflict_with_itself_is_refused() -> None:
    with pytest.raises(InvalidInput):
        World(a_record("a")).apply(Flag(ids=("a",), reason=""))


_IDS = st.sampled_from("abcd")


@st.composite
def some_changes(draw: st.DrawFn) -> Sequence[Change]:
    made = st.one_of(
        st.builds(Retract, id=_IDS, reason=st.just("")),
        st.builds(Restore, id=_IDS, reason=st.just("")),
        st.builds(Archive, id=_IDS, reason=st.just("")),
        st.builds(Erase, id=_IDS, reason=st.just("")),
        st.builds(lambda x, y: Flag(ids=(x, y), reason=""), _IDS, _IDS),
        st.builds(lambda x, y: Resolve(keep=x, drop=(y,), reason=""), _IDS, _IDS),
        st.builds(lambda x, n: Supersede(old=x, record=a_record(f"n{n}"), reason=""), _IDS, st.integers(0, 9)),
    )
    return draw(st.lists(made, max_size=12))


@given(some_changes())
def test_conflicts_stay_mutual_and_match_the_status_whatever_happens(changes: Sequence[Change]) -> None:
    world = World(*(a_record(id) for id in "abcd"))
    for change in changes:
        try:
            world.apply(change)
        except (NotFound, InvalidInput):
            continue
    for record in world.rows.values():
        assert (record.status is Status.CONFLICTED) == bool(record.conflicts_with)
        for other in record.conflicts_with:
            assert record.id in world[other].conflicts_with


def test_an_edit_of_what_a_record_says_becomes_its_source_and_history_keeps_the_old_one() -> None:
    old = a_record("a", quote="I prefer email.", derived_from=("turn_1",))
    for fields in ({"statement": "Prefers phone."}, {"value": "phone"}, {"negation": True}, {"qualifier": "at work"}):
        (step,) = steps(Edit(reason="", id=old.id, fields=fields), {old.id: old}.get)
        assert step.before == old
        assert step.after is not None
        assert step.after.source == Source(SourceType.HUMAN_EDIT, old.id)
        assert step.after.quote == step.after.statement
        assert (step.after.derived_from, step.after.trust, step.after.author) == (("turn_1",), old.trust, old.author)
    for same in ({"pinned": True}, {"confidence": 0.5}, {"metadata": {"a": 1}}, {"statement": old.statement}):
        (step,) = steps(Edit(reason="", id=old.id, fields=same), {old.id: old}.get)
        assert step.after is not None
        assert (step.after.source, step.after.quote) == (old.source, old.quote)
