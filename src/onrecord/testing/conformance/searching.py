"""``lexical``, ``nearest``, ``recent`` and the vectors behind them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from onrecord.errors import EmbedderMismatch, InvalidInput
from onrecord.model.change import Archive, Edit, Erase, Merge
from onrecord.model.query import Corpus, Posting, Postings, View
from onrecord.policy.language.text import terms
from onrecord.policy.recall.episode import episode_text
from onrecord.ports import Store, Unembedded
from onrecord.testing.builders import NOW, REACH, TENANT, a_batch, a_record, a_turn, a_vector, adds
from onrecord.testing.conformance.base import BOTH, OTHER_SUBJECT, OTHER_TENANT, SAID, Conformance

HERE = View(reach=REACH)


class SearchConformance(Conformance):
    """See the module."""

    def test_lexical_counts_each_term_in_the_rows_that_hold_any(self, store: Store) -> None:
        store.apply(adds(a_record("b", "red red blue"), a_record("a", "blue sky"), a_record("c", "grass")))
        found = store.lexical(HERE, Corpus.RECORDS, ["blue", "red", "sea"])
        assert found == Postings.of(3, 2.0, (Posting("a", 2, (1, 0, 0)), Posting("b", 3, (1, 2, 0))))

    def test_lexical_counts_over_the_rows_of_the_view_alone(self, store: Store) -> None:
        store.apply(adds(a_record("a", "red"), a_record("b", "red red red", subject="user:bob"), reach=BOTH))
        assert store.lexical(HERE, Corpus.RECORDS, ["red"]) == Postings.of(1, 1.0, (Posting("a", 1, (1,)),))
        assert store.lexical(View(reach=BOTH), Corpus.RECORDS, ["red"]).mean_length == 2.0
        assert store.lexical(View(reach=OTHER_TENANT), Corpus.RECORDS, ["red"]) == Postings.of(0, 0.0, ())
        store.apply(a_batch(Archive(reason="", id="a")))
        assert store.lexical(HERE, Corpus.RECORDS, ["red"]) == Postings.of(0, 0.0, ())

    def test_a_snapshot_answers_as_the_store_does(self, store: Store) -> None:
        store.apply(adds(a_record("a", "red"), model="m", vectors={"a": a_vector(1)}))
        with store.snapshot(), store.snapshot():
            assert store.lexical(HERE, Corpus.RECORDS, ["red"]).rows == (Posting("a", 1, (1,)),)
            assert store.recent(HERE, Corpus.RECORDS, limit=5) == store.recent(HERE, Corpus.RECORDS, limit=5) == ["a"]
            assert [record.id for record in store.get(REACH, ["a", "b"])] == ["a"]
        store.apply(adds(a_record("b", "red")))
        with store.snapshot():
            assert store.lexical(HERE, Corpus.RECORDS, ["red"]).size == 2

    def test_lexical_without_terms_still_tells_the_size(self, store: Store) -> None:
        store.append([a_turn("t", "red red"), a_turn("u", "...")])
        frame = len(terms(episode_text(a_turn("u", "..."))))
        assert store.lexical(HERE, Corpus.TURNS, []) == Postings.of(2, frame + 1.0, ())

    @pytest.mark.parametrize(
        "text",
        [
            "東京に住んでいます",
            "C++ and c# on v2.3.1",
            "o'brien's a-17_b/c@d.org: R&D",
            "Ünïcödé ǅ ﬁ ß İ",
            "서울 사람",
            "ärger-fall",
            "١٢٣ ½ ²",
        ],
    )
    def test_every_term_of_a_text_finds_it(self, store: Store, text: str) -> None:
        store.apply(adds(a_record("a", text), a_record("b", "nothing here")))
        store.append([a_turn("a", text)])
        indexed = {Corpus.RECORDS: terms(text), Corpus.TURNS: terms(episode_text(a_turn("a", text)))}
        for corpus, held in indexed.items():
            for term in terms(text):
                (row,) = store.lexical(HERE, corpus, [term]).rows
                assert (row.id, row.counts, row.length) == ("a", (held.count(term),), len(held))

    def test_a_turn_is_found_by_its_author_and_by_its_day(self, store: Store) -> None:
        turn = a_turn("a", "...")
        store.append([turn])
        for term in terms(f"{turn.author} {turn.at.year}"):
            assert [row.id for row in store.lexical(HERE, Corpus.TURNS, [term]).rows] == ["a"]

    def test_odd_terms_find_nothing_and_break_nothing(self, store: Store) -> None:
        store.apply(adds(a_record("a", "red and blue")))
        odd = [
            "",
            " ",
            '"',
            "red blue",
            "red*",
            "red OR blue",
            "a\0b",
            "NEAR(red blue)",
            "-red",
            "^red",
            "terms:red",
            "(",
            "RED",
            "'",
        ]
        assert store.lexical(HERE, Corpus.RECORDS, odd).rows == ()
        assert store.lexical(HERE, Corpus.RECORDS, [*odd, "red"]).rows[0].counts == (0,) * len(odd) + (1,)

    def test_a_very_long_question_is_answered(self, store: Store) -> None:
        store.apply(adds(a_record("a", "red")))
        many = [f"w{n}" for n in range(3000)] + ["red"]
        assert [row.id for row in store.lexical(HERE, Corpus.RECORDS, many).rows] == ["a"]

    def test_nearest_comes_best_first_with_ties_by_id(self, store: Store) -> None:
        vectors = {"d": a_vector(1), "b": a_vector(0.5, 0.5, 0.5, 0.5), "a": a_vector(0, 1), "c": a_vector(1), "e": a_vector(-1)}
        store.apply(adds(*(a_record(id) for id in [*vectors, "f"]), model="m", vectors=vectors))
        every = [("c", 1.0), ("d", 1.0), ("b", 0.5), ("a", 0.0), ("e", -1.0)]
        assert store.nearest(HERE, Corpus.RECORDS, "m", a_vector(1), limit=9) == every
        assert store.nearest(HERE, Corpus.RECORDS, "m", a_vector(1), limit=1) == every[:1]
        assert store.nearest(HERE, Corpus.RECORDS, "m", a_vector(1), limit=0) == []

    def test_nearest_adds_the_rows_named_by_id(self, store: Store) -> None:
        vectors = {"a": a_vector(1), "b": a_vector(0, 1), "c": a_vector(0.5, 0.5, 0.5, 0.5)}
        store.apply(adds(*(a_record(id) for id in [*vectors, "d"]), model="m", vectors=vectors))
        found = store.nearest(HERE, Corpus.RECORDS, "m", a_vector(1), limit=1, also=["c", "b", "a", "d", "x", "c"])
        assert found == [("a", 1.0), ("b", 0.0), ("c", 0.5)]

    def test_nearest_takes_the_view_before_the_cut(self, store: Store) -> None:
        store.apply(
            adds(
                a_record("a"),
                a_record("b", subject="user:bob"),
                reach=BOTH,
                model="m",
                vectors={"a": a_vector(0, 1), "b": a_vector(1)},
            )
        )
        assert store.nearest(HERE, Corpus.RECORDS, "m", a_vector(1), limit=1, also=["b"]) == [("a", 0.0)]
        assert store.nearest(View(reach=BOTH), Corpus.RECORDS, "m", a_vector(1), limit=1) == [("b", 1.0)]
        assert store.nearest(View(reach=OTHER_TENANT), Corpus.RECORDS, "m", a_vector(1), limit=1, also=["a", "b"]) == []

    def test_vectors_of_different_models_are_never_compared(self, store: Store) -> None:
        store.apply(adds(a_record("a"), model="m", vectors={"a": a_vector(1)}))
        store.put_vectors(Corpus.RECORDS, REACH, "n", {"a": np.array([0, 1], np.float32)})
        assert store.nearest(HERE, Corpus.RECORDS, "m", a_vector(1), limit=9) == [("a", 1.0)]
        assert store.nearest(HERE, Corpus.RECORDS, "n", np.array([0, 1], np.float32), limit=9) == [("a", 1.0)]
        assert store.nearest(HERE, Corpus.RECORDS, "o", a_vector(1), limit=9) == []
        assert store.nearest(HERE, Corpus.TURNS, "m", a_vector(1), limit=9) == []

    def test_a_second_dimension_of_one_model_is_refused(self, store: Store) -> None:
        store.apply(adds(a_record("a"), model="m", vectors={"a": a_vector(1)}))
        short = np.ones(3, np.float32)
        with pytest.raises(EmbedderMismatch):
            store.put_vectors(Corpus.TURNS, REACH, "m", {"a": short})
        with pytest.raises(EmbedderMismatch):
            store.apply(adds(a_record("b"), model="m", vectors={"b": short}))
        with pytest.raises(EmbedderMismatch):
            store.put_vectors(Corpus.RECORDS, REACH, "n", {"a": short, "b": a_vector(1)})
        with pytest.raises(EmbedderMismatch):
            store.nearest(HERE, Corpus.RECORDS, "m", short, limit=1)
        assert store.check().counts["records"] == 1

    def test_vectors_without_a_model_are_refused(self, store: Store) -> None:
        with pytest.raises(InvalidInput):
            store.apply(adds(a_record("a"), vectors={"a": a_vector(1)}))
        with pytest.raises(InvalidInput):
            store.put_vectors(Corpus.RECORDS, REACH, "", {"a": a_vector(1)})

    def test_put_vectors_passes_over_what_is_not_there(self, store: Store) -> None:
        store.apply(adds(a_record("a")))
        store.append([a_turn("t")])
        vectors = {"a": a_vector(1), "t": a_vector(0, 1), "x": a_vector(1)}
        for reach in (OTHER_TENANT, OTHER_SUBJECT, REACH):
            store.put_vectors(Corpus.RECORDS, reach, "m", vectors)
            store.put_vectors(Corpus.TURNS, reach, "m", vectors)
        assert store.nearest(HERE, Corpus.RECORDS, "m", a_vector(1), limit=9) == [("a", 1.0)]
        assert store.nearest(HERE, Corpus.TURNS, "m", a_vector(1), limit=9) == [("t", 0.0)]
        assert {k: v for k, v in store.check().counts.items() if "vectors" in k} == {"record_vectors/m": 1, "turn_vectors/m": 1}

    def test_a_vector_can_be_set_anew(self, store: Store) -> None:
        store.apply(adds(a_record("a"), a_record("b"), model="m", vectors={"a": a_vector(1), "b": a_vector(1)}))
        epochs = store.epochs(REACH)
        for vector, cosine in ((a_vector(0, 1), 0.0), (a_vector(-1), -1.0)):
            store.put_vectors(Corpus.RECORDS, REACH, "m", {"a": vector})
            assert store.nearest(HERE, Corpus.RECORDS, "m", a_vector(1), limit=9) == [("b", 1.0), ("a", cosine)]
        assert store.epochs(REACH) == epochs

    def test_a_changed_text_loses_its_old_vector(self, store: Store) -> None:
        store.apply(adds(a_record("a"), a_record("b"), model="m", vectors={"a": a_vector(1), "b": a_vector(1)}))
        store.apply(a_batch(Edit(reason="", id="a", fields={"value": "same words"})))
        assert store.unembedded(Corpus.RECORDS, "m", limit=9) == []
        store.apply(a_batch(Edit(reason="", id="a", fields={"statement": "Other words."})))
        assert store.unembedded(Corpus.RECORDS, "m", limit=9) == [Unembedded(TENANT, "user:ana", "a", "Other words.", 3)]
        assert store.nearest(HERE, Corpus.RECORDS, "m", a_vector(1), limit=9, also=["a"]) == [("b", 1.0)]
        merged = replace(a_record("a"), statement="More words.")
        store.apply(a_batch(Merge(reason="", record=merged), model="m", vectors={"a": a_vector(0, 1)}))
        assert store.nearest(HERE, Corpus.RECORDS, "m", a_vector(1), limit=9) == [("b", 1.0), ("a", 0.0)]

    def test_searches_see_every_write_at_once(self, store: Store) -> None:
        for n in range(5):
            store.apply(adds(a_record(f"r{n}", f"common word{n}"), model="m", vectors={f"r{n}": a_vector(1)}))
            store.append([a_turn(f"t{n}", f"common word{n}")])
            store.put_vectors(Corpus.TURNS, REACH, "m", {f"t{n}": a_vector(1)})
            for corpus, one in ((Corpus.RECORDS, "r"), (Corpus.TURNS, "t")):
                assert store.lexical(HERE, corpus, ["common"]).size == n + 1
                assert [id for id, _ in store.nearest(HERE, corpus, "m", a_vector(1), limit=9)] == [
                    f"{one}{k}" for k in range(n + 1)
                ]
        store.apply(a_batch(Erase(reason="", id="r2"), Archive(reason="", id="r0")))
        assert [row.id for row in store.lexical(HERE, Corpus.RECORDS, ["common"]).rows] == ["r1", "r3", "r4"]
        assert [id for id, _ in store.nearest(HERE, Corpus.RECORDS, "m", a_vector(1), limit=9)] == ["r1", "r3", "r4"]

    def test_recent_comes_newest_first_with_ties_by_id_downward(self, store: Store) -> None:
        days = {"a": 0, "d": 1, "b": 1, "c": 2, "e": 0}
        store.apply(adds(*(a_record(id, said_at=NOW + timedelta(days=day)) for id, day in days.items())))
        store.append([a_turn(id, at=NOW + timedelta(days=day)) for id, day in days.items()])
        for corpus in SAID:
            assert store.recent(HERE, corpus, limit=9) == ["c", "d", "b", "e", "a"]
            assert store.recent(HERE, corpus, limit=2) == ["c", "d"]
            assert store.recent(HERE, corpus, limit=0) == []

    def test_a_vector_of_older_words_is_passed_over(self, store: Store) -> None:
        store.apply(adds(a_record("a"), a_record("b")))
        read = {row.id: row.version for row in store.unembedded(Corpus.RECORDS, "m", limit=9)}
        store.apply(a_batch(Edit(reason="", id="a", fields={"statement": "Other words."})))
        slow = {"a": a_vector(1), "b": a_vector(1), "c": a_vector(1)}
        store.put_vectors(Corpus.RECORDS, REACH, "m", slow, versions=read)
        assert [(row.id, row.version) for row in store.unembedded(Corpus.RECORDS, "m", limit=9)] == [("a", 2)]
        store.put_vectors(Corpus.RECORDS, REACH, "m", {"a": a_vector(0, 1)}, versions={"a": 2, "b": 1})
        store.put_vectors(Corpus.RECORDS, REACH, "m", slow, versions=read)
        assert store.nearest(HERE, Corpus.RECORDS, "m", a_vector(0, 1), limit=9) == [("a", 1.0), ("b", 0.0)]
        store.append([a_turn("t")])
        store.put_vectors(Corpus.TURNS, REACH, "m", {"t": a_vector(1)}, versions={"t": 7})
        assert store.unembedded(Corpus.TURNS, "m", limit=9) == []

    def test_rows_without_a_vector_of_one_model_are_found_whichever_others_they_have(self, store: Store) -> None:
        store.apply(adds(*(a_record(id, written_at=NOW + timedelta(days=n)) for n, id in enumerate("abcd"))))
        for model, id in [("m", "a"), ("n", "a"), ("n", "b"), ("m", "b"), ("n", "c"), ("o", "c")]:
            store.put_vectors(Corpus.RECORDS, REACH, model, {id: a_vector(1)})
        found = {model: [row.id for row in store.unembedded(Corpus.RECORDS, model, limit=9)] for model in "mnop"}
        assert found == {"m": ["c", "d"], "n": ["d"], "o": ["a", "b", "d"], "p": ["a", "b", "c", "d"]}
        assert [row.id for row in store.unembedded(Corpus.RECORDS, "o", limit=2)] == ["a", "b"]
        store.apply(a_batch(Edit(reason="", id="a", fields={"statement": "Other words."}), Erase(reason="", id="d")))
        assert [row.id for row in store.unembedded(Corpus.RECORDS, "n", limit=9)] == ["a"]

    def test_unembedded_rows_of_all_tenants_come_oldest_first(self, store: Store) -> None:
        store.apply(adds(a_record("b", qualifier="at work"), a_record("a", written_at=NOW + timedelta(days=1))))
        store.apply(adds(a_record("c", tenant="globex"), reach=OTHER_TENANT))
        found = store.unembedded(Corpus.RECORDS, "m", limit=9)
        assert [(row.tenant, row.subject, row.id) for row in found] == [
            (TENANT, "user:ana", "b"),
            ("globex", "user:ana", "c"),
            (TENANT, "user:ana", "a"),
        ]
        assert found[0].text == "Prefers email. (at work)"
        assert store.unembedded(Corpus.RECORDS, "m", limit=1) == found[:1]
        store.put_vectors(Corpus.RECORDS, REACH, "m", {"b": a_vector(1)})
        assert store.unembedded(Corpus.RECORDS, "m", limit=9) == found[1:]
        assert store.unembedded(Corpus.RECORDS, "n", limit=9) == found
        store.append([a_turn("t", "words")])
        assert store.unembedded(Corpus.TURNS, "m", limit=9) == [
            Unembedded(TENANT, "user:ana", "t", episode_text(a_turn("t", "words")))
        ]
