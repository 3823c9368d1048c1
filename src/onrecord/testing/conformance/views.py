"""Which rows a view shows, the same in ``select``, ``lexical``, ``nearest`` and ``recent``."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from onrecord.errors import InvalidInput
from onrecord.model.change import Archive, Edit, Erase, Retract
from onrecord.model.query import Corpus, View
from onrecord.model.record import ONCE_TRUE, ExpiryBasis, Kind, Record, Status
from onrecord.model.scope import Origin, Scope
from onrecord.model.turn import Role, Turn
from onrecord.ports import Store
from onrecord.testing.builders import NOW, REACH, a_batch, a_record, a_turn, a_vector, adds
from onrecord.testing.conformance.base import BOTH, OTHER_SUBJECT, OTHER_TENANT, SAID, Conformance, ids

DAY = timedelta(days=1)


def shown(store: Store, view: View, corpus: Corpus = Corpus.RECORDS) -> list[str]:
    """The ids that a view shows, after every way of reading it was found to agree."""
    recent = sorted(store.recent(view, corpus, limit=100))
    postings = store.lexical(view, corpus, ["word"])
    assert [row.id for row in postings.rows] == recent
    assert postings.size == len(recent)
    assert sorted(id for id, _ in store.nearest(view, corpus, "m", a_vector(1), limit=100)) == recent
    if corpus is Corpus.RECORDS:
        assert ids(store.select(view)) == recent
    return recent


def put(store: Store, *records: Record) -> None:
    """Adds records with vectors."""
    store.apply(adds(*records, model="m", vectors={record.id: a_vector(1) for record in records}, reach=BOTH))


def said(store: Store, *turns: Turn) -> None:
    """Appends turns with vectors."""
    store.append(turns)
    store.put_vectors(Corpus.TURNS, BOTH, "m", {turn.id: a_vector(1) for turn in turns})


def word(id: str, **fields: Any) -> Record:
    """A record that holds the word all tests look for."""
    return a_record(id, "A word.", **fields)


def spoken(id: str, **fields: Any) -> Turn:
    """A turn that holds the word all tests look for."""
    return a_turn(id, "A word.", **fields)


class ViewConformance(Conformance):
    """See the module."""

    def test_a_view_shows_current_records_unless_it_says_otherwise(self, store: Store) -> None:
        put(store, *(word(status, status=status) for status in Status))
        assert shown(store, View(reach=REACH)) == ["active", "conflicted"]
        assert shown(store, View(reach=REACH, statuses=frozenset({Status.ARCHIVED}))) == ["archived"]
        assert shown(store, View(reach=REACH, statuses=frozenset())) == []

    def test_a_view_shows_rows_of_its_reach_only(self, store: Store) -> None:
        put(store, word("a"), word("b", subject="user:bob"))
        said(store, spoken("t"), spoken("u", subject="user:bob"))
        for corpus, mine, theirs in ((Corpus.RECORDS, "a", "b"), (Corpus.TURNS, "t", "u")):
            assert shown(store, View(reach=REACH), corpus) == [mine]
            assert shown(store, View(reach=OTHER_SUBJECT), corpus) == [theirs]
            assert shown(store, View(reach=BOTH), corpus) == [mine, theirs]
            assert shown(store, View(reach=OTHER_TENANT), corpus) == []

    def test_a_view_narrows_by_kind_and_key(self, store: Store) -> None:
        put(store, word("a", kind=Kind.DECISION, key="one"), word("b", key="one"), word("c"))
        assert shown(store, View(reach=REACH, kinds=frozenset({Kind.DECISION}))) == ["a"]
        assert shown(store, View(reach=REACH, key="one")) == ["a", "b"]
        assert shown(store, View(reach=REACH, key="one", kinds=frozenset({Kind.PREFERENCE}))) == ["b"]
        assert shown(store, View(reach=REACH, kinds=frozenset())) == []

    def test_a_view_narrows_to_where_something_was_said(self, store: Store) -> None:
        origins = {
            "a": Origin(),
            "b": Origin("x"),
            "c": Origin("x", "r"),
            "d": Origin("y", "r", "s"),
            "e": Origin(None, None, "s"),
        }
        put(store, *(word(id, origin=origin) for id, origin in origins.items()))
        said(store, *(spoken(id, origin=origin) for id, origin in origins.items()))
        for corpus in SAID:
            assert shown(store, View(reach=REACH, origin=Origin(agent="x")), corpus) == ["b", "c"]
            assert shown(store, View(reach=REACH, origin=Origin(run="r")), corpus) == ["c", "d"]
            assert shown(store, View(reach=REACH, origin=Origin(thread="s")), corpus) == ["d", "e"]
            assert shown(store, View(reach=REACH, origin=Origin("x", "r")), corpus) == ["c"]

    def test_records_of_a_run_or_thread_show_only_where_it_is_named(self, store: Store) -> None:
        run, thread = Origin(run="r"), Origin(thread="s")
        put(
            store,
            word("a", scope=Scope.RUN, scope_ref="r", origin=run),
            word("b", scope=Scope.THREAD, scope_ref="s", origin=thread),
            word("c", origin=Origin(run="r", thread="s")),
            word("d", scope=Scope.THREAD, scope_ref="t", origin=thread),
        )
        assert shown(store, View(reach=REACH)) == ["c"]
        assert shown(store, View(reach=REACH, origin=run)) == ["a", "c"]
        assert shown(store, View(reach=REACH, origin=thread)) == ["b", "c"]
        assert shown(store, View(reach=REACH, every_scope=True)) == ["a", "b", "c", "d"]
        assert shown(store, View(reach=REACH, origin=thread, every_scope=True)) == ["b", "c", "d"]

    def test_a_stated_end_hides_and_a_default_end_does_not(self, store: Store) -> None:
        put(
            store,
            word("a", valid_until=NOW + DAY, expiry_basis=ExpiryBasis.STATED),
            word("b", valid_until=NOW + DAY, expiry_basis=ExpiryBasis.DEFAULT),
        )
        assert shown(store, View(reach=REACH)) == ["a", "b"]
        assert shown(store, View(reach=REACH, valid_at=NOW + DAY - timedelta(microseconds=1))) == ["a", "b"]
        assert shown(store, View(reach=REACH, valid_at=NOW + DAY)) == ["b"]

    def test_as_of_shows_what_was_true_then(self, store: Store) -> None:
        old = word("a", status=Status.SUPERSEDED, valid_until=NOW + DAY)
        put(store, old, word("b", valid_from=NOW + DAY))
        said(store, spoken("t"), spoken("u", at=NOW + DAY))
        then = View(reach=REACH, statuses=ONCE_TRUE, as_of=NOW)
        assert shown(store, then) == ["a"]
        assert shown(store, then, Corpus.TURNS) == ["t"]
        assert shown(store, View(reach=REACH, statuses=ONCE_TRUE, as_of=NOW + DAY)) == ["b"]
        assert shown(store, View(reach=REACH, as_of=NOW + DAY), Corpus.TURNS) == ["t", "u"]
        assert shown(store, View(reach=REACH, statuses=ONCE_TRUE, as_of=NOW - DAY)) == []

    def test_since_and_until_bound_the_time_said(self, store: Store) -> None:
        put(store, *(word(f"r{n}", said_at=NOW + n * DAY) for n in range(4)))
        said(store, *(spoken(f"r{n}", at=NOW + n * DAY) for n in range(4)))
        for corpus in SAID:
            assert shown(store, View(reach=REACH, since=NOW + DAY), corpus) == ["r1", "r2", "r3"]
            assert shown(store, View(reach=REACH, until=NOW + DAY), corpus) == ["r0"]
            assert shown(store, View(reach=REACH, since=NOW + DAY, until=NOW + 3 * DAY), corpus) == ["r1", "r2"]

    @pytest.mark.parametrize(
        ("filters", "expected"),
        [
            ({"topic": "travel"}, ["a"]),
            ({"AND": [{"size": {"gte": 1}}, {"NOT": {"topic": "travel"}}]}, ["b"]),
            ({"OR": [{"topic": "travel"}, {"size": 2}]}, ["a", "b"]),
            ({"topic": {"exists": False}}, ["b", "c"]),
            ({"author": "eve"}, ["c"]),
            ({}, ["a", "b", "c"]),
        ],
    )
    def test_the_callers_filters_hold_in_both_corpora(
        self, store: Store, filters: Mapping[str, Any], expected: list[str]
    ) -> None:
        rows: dict[str, dict[str, Any]] = {
            "a": {"metadata": {"topic": "travel", "size": 1}},
            "b": {"metadata": {"size": 2}},
            "c": {"author": "eve"},
        }
        put(store, *(word(id, **fields) for id, fields in rows.items()))
        said(store, *(spoken(id, **fields) for id, fields in rows.items()))
        for corpus in SAID:
            assert shown(store, View(reach=REACH, filters=filters), corpus) == expected

    def test_filters_apply_before_any_cut(self, store: Store) -> None:
        far = {f"r{n:03}": a_vector(0, 1) if n else a_vector(1) for n in range(50)}
        store.apply(adds(*(word(id, metadata={"n": id}) for id in far), model="m", vectors=far))
        view = View(reach=REACH, filters={"n": "r001"})
        assert store.nearest(view, Corpus.RECORDS, "m", a_vector(1), limit=1) == [("r001", 0.0)]
        assert ids(store.select(view, limit=1)) == ["r001"]
        assert store.recent(view, Corpus.RECORDS, limit=1) == ["r001"]

    def test_a_malformed_filter_is_refused_even_where_there_are_no_rows(self, store: Store) -> None:
        malformed: list[dict[str, Any]] = [{"a": {"no": 1}}, {"AND": []}, {"a": {"in": 3}}]
        for filters in malformed:
            view = View(reach=REACH, filters=filters)
            for corpus in SAID:
                with pytest.raises(InvalidInput):
                    store.lexical(view, corpus, ["word"])
                with pytest.raises(InvalidInput):
                    store.recent(view, corpus, limit=1)
            with pytest.raises(InvalidInput):
                store.select(view)

    def test_turn_fields_filter_turns(self, store: Store) -> None:
        said(store, spoken("t"), spoken("u", role=Role.ASSISTANT))
        assert shown(store, View(reach=REACH, filters={"role": "assistant"}), Corpus.TURNS) == ["u"]

    def test_known_at_shows_records_as_they_stood(self, store: Store) -> None:
        store.apply(adds(word("a"), word("b"), model="m", vectors={"a": a_vector(1), "b": a_vector(1)}))
        store.apply(a_batch(Edit(reason="", id="a", fields={"statement": "Other things."}), now=NOW + DAY))
        store.apply(a_batch(Archive(reason="", id="b"), now=NOW + DAY))
        store.apply(a_batch(Retract(reason="", id="b"), now=NOW + 2 * DAY))
        store.apply(adds(word("c", written_at=NOW + 2 * DAY), now=NOW + 2 * DAY))
        assert [(r.id, r.statement, r.version) for r in store.select(View(reach=REACH, known_at=NOW))] == [
            ("a", "A word.", 1),
            ("b", "A word.", 1),
        ]
        assert [row.id for row in store.lexical(View(reach=REACH, known_at=NOW), Corpus.RECORDS, ["word"]).rows] == ["a", "b"]
        assert store.select(View(reach=REACH, known_at=NOW - DAY)) == []
        assert ids(store.select(View(reach=REACH, known_at=NOW + DAY))) == ["a"]
        archived = View(reach=REACH, known_at=NOW + DAY, statuses=frozenset({Status.ARCHIVED}))
        assert [(r.id, r.version) for r in store.select(archived)] == [("b", 2)]
        assert ids(store.select(View(reach=REACH, known_at=NOW + 2 * DAY))) == ["a", "c"]
        assert store.recent(View(reach=REACH, known_at=NOW), Corpus.RECORDS, limit=9) == ["b", "a"]
        assert store.nearest(View(reach=REACH, known_at=NOW), Corpus.RECORDS, "m", a_vector(1), limit=9) == [("b", 1.0)]

    def test_known_at_never_shows_an_erased_record(self, store: Store) -> None:
        store.apply(adds(word("a")))
        store.apply(a_batch(Erase(reason="", id="a"), now=NOW + DAY))
        assert store.select(View(reach=REACH, known_at=NOW)) == []

    def test_known_at_leaves_out_turns_written_later(self, store: Store) -> None:
        said(store, spoken("t"), spoken("u", written_at=NOW + DAY))
        assert shown(store, View(reach=REACH, known_at=NOW), Corpus.TURNS) == ["t"]

    def test_what_only_records_have_is_passed_over_for_turns(self, store: Store) -> None:
        said(store, spoken("t"))
        view = View(reach=REACH, key="one", kinds=frozenset({Kind.DECISION}), statuses=frozenset())
        assert shown(store, view, Corpus.TURNS) == ["t"]

    def test_select_goes_on_behind_an_id(self, store: Store) -> None:
        put(store, *(word(id) for id in ("c", "a", "é", "b", "aa", "\U0001f600", "\uffff")))
        view = View(reach=REACH)
        every = ["a", "aa", "b", "c", "é", "\uffff", "\U0001f600"]
        assert ids(store.select(view)) == every
        assert ids(store.select(view, limit=2, after="a")) == ["aa", "b"]
        assert ids(store.select(view, after="ab")) == ["b", "c", "é", "\uffff", "\U0001f600"]
        assert store.select(view, after="\U0001f600") == store.select(view, limit=0) == []
