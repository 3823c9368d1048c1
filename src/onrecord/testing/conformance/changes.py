"""Writing and reading records: ``apply``, ``get``, ``usage``, ``touch``, ``epochs``, ``events``."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from onrecord.errors import InvalidInput, NotFound, StaleRead, VersionConflict
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
from onrecord.model.query import Corpus, View
from onrecord.model.record import ExpiryBasis, Kind, Source, SourceType, Status, Usage
from onrecord.model.scope import Origin, Reach, Scope
from onrecord.ports import Store
from onrecord.testing.builders import NOW, REACH, TENANT, a_batch, a_record, a_turn, a_vector, a_verdict, adds
from onrecord.testing.conformance.base import BOTH, OTHER_SUBJECT, OTHER_TENANT, Conformance, ids

LATER = NOW + timedelta(days=1)


class ChangeConformance(Conformance):
    """See the module."""

    def test_a_record_comes_back_as_it_was_written(self, store: Store) -> None:
        record = a_record(
            scope=Scope.THREAD,
            scope_ref="thread_1",
            origin=Origin("planner", "run_1", "thread_1"),
            key="contact_channel",
            value="email\0 \u2028 \U0001f600",
            statement="Bevorzugt E-Mail, nicht Telefon; 東京。\0 \U0001f600",
            negation=True,
            qualifier="at work",
            source=Source(SourceType.TOOL_RESULT, "turn_9"),
            quote="'\"%_\\\n",
            expiry_basis=ExpiryBasis.STATED,
            conflicts_with=("rec_8", "rec_9"),
            superseded_by="rec_7",
            status=Status.SUPERSEDED,
            pinned=True,
            metadata={"a": [1, 2.5, None, True, {"ü": "\0"}], "": ""},
            derived_from=("turn_1", "turn_2"),
        )
        store.apply(adds(record))
        assert store.get(REACH, ["rec_1"]) == [record]

    def test_get_keeps_the_order_asked_and_leaves_out_what_is_not_there(self, store: Store) -> None:
        store.apply(adds(a_record("rec_1"), a_record("rec_2"), a_record("rec_3")))
        assert ids(store.get(REACH, ["rec_3", "rec_0", "rec_1", "rec_3"])) == ["rec_3", "rec_1", "rec_3"]
        assert store.get(REACH, []) == []

    def test_get_gives_records_of_any_status(self, store: Store) -> None:
        store.apply(adds(*(a_record(f"rec_{status}", status=status) for status in Status)))
        assert len(store.get(REACH, [f"rec_{status}" for status in Status])) == len(Status)

    def test_each_change_has_its_event_with_the_rows_before_and_after(self, store: Store) -> None:
        (added,) = store.apply(adds(a_record(), actor="ana"))
        assert (added.type, added.actor, added.at, added.reason) == (EventType.ADDED, "ana", NOW, "she said so")
        assert (added.before, added.after, added.tenant, added.subject) == (None, a_record(), TENANT, "user:ana")
        (edited,) = store.apply(a_batch(Edit(reason="typo", id="rec_1", fields={"value": "mail"}, verdict_id="ver_1"), now=LATER))
        assert (edited.type, edited.before, edited.verdict_id, edited.at) == (EventType.EDITED, a_record(), "ver_1", LATER)
        by_hand = Source(SourceType.HUMAN_EDIT, "rec_1")
        assert edited.after == replace(a_record(), value="mail", version=2, source=by_hand, quote=a_record().statement)
        assert store.get(REACH, ["rec_1"]) == [edited.after]
        assert store.events(REACH, "rec_1") == [added, edited]
        assert added.seq < edited.seq

    @pytest.mark.parametrize(
        ("change", "status", "type"),
        [
            (Archive(reason="", id="rec_1"), Status.ARCHIVED, EventType.ARCHIVED),
            (Expire(reason="", id="rec_1"), Status.EXPIRED, EventType.EXPIRED),
            (Retract(reason="", id="rec_1"), Status.RETRACTED, EventType.RETRACTED),
            (Quarantine(reason="", id="rec_1"), Status.QUARANTINED, EventType.QUARANTINED),
        ],
    )
    def test_a_retired_record_can_be_restored(self, store: Store, change: Change, status: Status, type: EventType) -> None:
        store.apply(adds(a_record()))
        assert [event.type for event in store.apply(a_batch(change))] == [type]
        assert [(r.status, r.version) for r in store.get(REACH, ["rec_1"])] == [(status, 2)]
        assert store.select(View(reach=REACH)) == []
        store.apply(a_batch(Restore(reason="", id="rec_1")))
        assert [(r.status, r.version) for r in store.select(View(reach=REACH))] == [(Status.ACTIVE, 3)]

    def test_superseding_adds_the_new_and_ends_the_old(self, store: Store) -> None:
        store.apply(adds(a_record()))
        new = a_record("rec_2", "Prefers phone.", valid_from=LATER)
        events = store.apply(a_batch(Supersede(reason="", old="rec_1", version=1, record=new)))
        assert [event.type for event in events] == [EventType.ADDED, EventType.SUPERSEDED]
        old, stored = store.get(REACH, ["rec_1", "rec_2"])
        assert (old.status, old.superseded_by, old.valid_until, stored) == (Status.SUPERSEDED, "rec_2", LATER, new)

    def test_a_conflict_is_flagged_and_resolved(self, store: Store) -> None:
        store.apply(adds(a_record()))
        store.apply(a_batch(Flag(reason="", ids=("rec_1",), record=a_record("rec_2", "Prefers phone."))))
        assert {r.id: r.conflicts_with for r in store.select(View(reach=REACH))} == {"rec_1": ("rec_2",), "rec_2": ("rec_1",)}
        store.apply(a_batch(Resolve(reason="", keep="rec_2", drop=("rec_1",))))
        dropped, kept = store.get(REACH, ["rec_1", "rec_2"])
        assert (dropped.status, dropped.superseded_by) == (Status.SUPERSEDED, "rec_2")
        assert (kept.status, kept.conflicts_with) == (Status.ACTIVE, ())

    def test_a_merged_record_keeps_its_id_and_is_found_by_its_new_words(self, store: Store) -> None:
        store.apply(adds(a_record()))
        store.apply(a_batch(Merge(reason="", record=replace(a_record(), statement="Prefers email to phone."))))
        assert [row.id for row in store.lexical(View(reach=REACH), Corpus.RECORDS, ["phone"]).rows] == ["rec_1"]
        store.apply(a_batch(Edit(reason="", id="rec_1", fields={"statement": "Prefers letters."})))
        assert store.lexical(View(reach=REACH), Corpus.RECORDS, ["phone"]).rows == ()

    def test_a_later_change_of_a_batch_sees_the_earlier_ones(self, store: Store) -> None:
        add = Add(reason="", record=a_record())
        edit = Edit(reason="", id="rec_1", version=1, fields={"statement": "Prefers letters."})
        store.apply(a_batch(add, edit, Reinforce(reason="", id="rec_1", version=2, sources=("turn_2",))))
        (record,) = store.get(REACH, ["rec_1"])
        assert (record.statement, record.version, record.derived_from) == ("Prefers letters.", 3, ("turn_2",))

    def test_a_record_erased_in_the_batch_that_added_it_leaves_no_words(self, store: Store) -> None:
        events = store.apply(a_batch(Add(reason="secret", record=a_record()), Erase(reason="secret", id="rec_1")))
        assert [(e.type, e.reason, e.before, e.after) for e in events] == [
            (EventType.ADDED, "", None, None),
            (EventType.ERASED, "", None, None),
        ]
        assert store.events(REACH, "rec_1") == events
        assert store.get(REACH, ["rec_1"]) == []

    def test_an_id_may_be_added_again_once_it_is_erased(self, store: Store) -> None:
        store.apply(adds(a_record()))
        again = a_record(statement="Prefers letters.")
        store.apply(a_batch(Erase(reason="", id="rec_1"), Add(reason="", record=again)))
        assert store.get(REACH, ["rec_1"]) == [again]
        assert store.usage(REACH, ["rec_1"]) == {"rec_1": Usage()}
        assert store.lexical(View(reach=REACH), Corpus.RECORDS, ["email", "letter"]).rows[0].counts == (0, 1)

    def test_a_failing_batch_writes_nothing(self, store: Store) -> None:
        store.append([a_turn()])
        store.apply(adds(a_record()))
        before = store.check(), store.epochs(REACH)
        batch = a_batch(
            Add(reason="", record=a_record("rec_2")),
            Retract(reason="", id="rec_1"),
            Erase(reason="", id="rec_0"),
            verdicts=[a_verdict()],
            captured=["turn_1"],
            model="m",
            vectors={"rec_1": a_vector(1)},
        )
        with pytest.raises(NotFound):
            store.apply(batch)
        assert (store.check(), store.epochs(REACH)) == before
        assert store.get(REACH, ["rec_1", "rec_2"]) == [a_record()]
        assert ids(store.pending(limit=9)) == ["turn_1"]

    def test_a_change_of_a_version_that_is_gone_is_refused(self, store: Store) -> None:
        store.apply(adds(a_record()))
        store.apply(a_batch(Edit(reason="", id="rec_1", version=1, fields={"value": "a"})))
        with pytest.raises(VersionConflict):
            store.apply(a_batch(Edit(reason="", id="rec_1", version=1, fields={"value": "b"})))

    def test_a_batch_decided_on_an_older_epoch_is_refused(self, store: Store) -> None:
        epochs = store.epochs(REACH)
        assert epochs == {"user:ana": 0}
        store.apply(adds(a_record(), epochs=epochs))
        with pytest.raises(StaleRead):
            store.apply(adds(a_record("rec_2"), epochs=epochs))
        store.apply(adds(a_record("rec_2"), epochs=store.epochs(REACH)))

    def test_an_epoch_grows_with_every_change_of_the_records_of_its_subject_alone(self, store: Store) -> None:
        store.apply(adds(a_record()))
        first = store.epochs(BOTH)
        store.append([a_turn()])
        store.apply(a_batch(verdicts=[a_verdict()], captured=["turn_1"]))
        assert store.epochs(BOTH) == first
        store.apply(a_batch(Archive(reason="", id="rec_1")))
        assert store.epochs(BOTH)["user:ana"] > first["user:ana"]
        assert store.epochs(BOTH)["user:bob"] == 0

    def test_foreign_ids_behave_like_made_up_ones(self, store: Store) -> None:
        store.apply(adds(a_record()))
        for reach in (OTHER_SUBJECT, OTHER_TENANT):
            assert store.get(reach, ["rec_1"]) == []
            assert store.events(reach, "rec_1") == []
            assert store.usage(reach, ["rec_1"]) == {}
            for change in (Retract(reason="", id="rec_1"), Erase(reason="", id="rec_1")):
                with pytest.raises(NotFound):
                    store.apply(a_batch(change, reach=reach))
        assert store.get(REACH, ["rec_1"]) == [a_record()]

    def test_rows_outside_the_reach_cannot_be_written(self, store: Store) -> None:
        store.apply(adds(a_record()))
        for batch in (
            adds(a_record("rec_2"), reach=OTHER_SUBJECT),
            adds(a_record("rec_2"), reach=OTHER_TENANT),
            a_batch(Merge(reason="", record=replace(a_record(), subject="user:bob")), reach=BOTH),
            a_batch(verdicts=[a_verdict()], reach=OTHER_TENANT),
            a_batch(epochs={"user:bob": 0}),
        ):
            with pytest.raises(InvalidInput):
                store.apply(batch)
        assert store.check().counts["events"] == 1

    def test_ids_are_unique_per_tenant(self, store: Store) -> None:
        store.apply(adds(a_record()))
        with pytest.raises(InvalidInput):
            store.apply(adds(a_record()))
        with pytest.raises(InvalidInput):
            store.apply(adds(a_record(subject="user:bob"), reach=OTHER_SUBJECT))
        store.apply(adds(a_record(tenant="globex"), reach=OTHER_TENANT))
        assert store.get(OTHER_TENANT, ["rec_1"]) == [a_record(tenant="globex")]

    def test_one_batch_may_change_records_of_several_subjects(self, store: Store) -> None:
        store.apply(adds(a_record(), a_record("rec_2", subject="user:bob"), reach=BOTH))
        assert ids(store.get(BOTH, ["rec_1", "rec_2"])) == ["rec_1", "rec_2"]
        assert ids(store.get(OTHER_SUBJECT, ["rec_1", "rec_2"])) == ["rec_2"]

    def test_what_cannot_be_stored_is_refused(self, store: Store) -> None:
        for record in (a_record(metadata={"a": object()}), a_record(quote="\ud800"), a_record(metadata={"a": float("nan")})):
            with pytest.raises(InvalidInput):
                store.apply(adds(record))
        store.apply(adds(a_record()))
        with pytest.raises(InvalidInput):
            store.apply(a_batch(Edit(reason="", id="rec_1", fields={"kind": "nonsense"})))
        with pytest.raises(InvalidInput):
            store.apply(a_batch(Edit(reason="", id="rec_1", fields={"metadata": 3})))
        store.apply(a_batch(Edit(reason="", id="rec_1", fields={"kind": "decision"})))
        assert store.get(REACH, ["rec_1"])[0].kind is Kind.DECISION

    def test_mentions_and_uses_are_counted_beside_the_record(self, store: Store) -> None:
        store.apply(adds(a_record(), a_record("rec_2")))
        assert store.usage(REACH, ["rec_1", "rec_0"]) == {"rec_1": Usage(None, 0, 1)}
        store.apply(a_batch(Reinforce(reason="", id="rec_1", said_at=LATER)))
        assert store.usage(REACH, ["rec_1"]) == {"rec_1": Usage(LATER, 0, 2)}
        epochs = store.epochs(REACH)
        store.touch(REACH, ["rec_1", "rec_1", "rec_2", "rec_0"], NOW)
        assert store.usage(REACH, ["rec_1", "rec_2"]) == {"rec_1": Usage(LATER, 1, 2), "rec_2": Usage(NOW, 1, 1)}
        assert (store.epochs(REACH), len(store.events(REACH, "rec_1"))) == (epochs, 2)
        store.touch(OTHER_TENANT, ["rec_1"], NOW)
        store.touch(OTHER_SUBJECT, ["rec_1"], NOW)
        assert store.usage(REACH, ["rec_1"])["rec_1"].access_count == 1

    def test_a_subject_may_be_named_twice(self, store: Store) -> None:
        twice = Reach(TENANT, ("user:ana", "user:ana"))
        store.apply(adds(a_record(), reach=twice))
        assert ids(store.select(View(reach=twice))) == ["rec_1"]
        assert len(store.events(twice, "rec_1")) == 1
