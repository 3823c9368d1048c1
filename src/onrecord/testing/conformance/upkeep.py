"""``check``, ``repair``, ``close``, and several threads at once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from onrecord.errors import StaleRead, StoreClosed
from onrecord.model.change import Edit, Erase
from onrecord.model.parcel import Extent
from onrecord.model.query import Corpus, View
from onrecord.model.run import RunStatus
from onrecord.model.scope import Reach
from onrecord.ports import Erasure, Library, Store
from onrecord.testing.builders import (
    NOW,
    REACH,
    SUBJECT,
    a_batch,
    a_document,
    a_passage,
    a_record,
    a_summary,
    a_trace,
    a_turn,
    a_vector,
    a_verdict,
    adds,
)
from onrecord.testing.conformance.base import Conformance
from onrecord.testing.conformance.keys import ONE

CALLS: dict[str, Callable[[Store], object]] = {
    "append": lambda store: store.append([a_turn()]),
    "apply": lambda store: store.apply(adds(a_record())),
    "erase": lambda store: store.erase(Erasure(batch=a_batch())),
    "made_from": lambda store: store.made_from(REACH, ["turn_1"]),
    "put_vectors": lambda store: store.put_vectors(Corpus.RECORDS, REACH, "m", {}),
    "put_trace": lambda store: store.put_trace(a_trace()),
    "mark_injected": lambda store: store.mark_injected(REACH, "tra_1", ["rec_1"]),
    "touch": lambda store: store.touch(REACH, ["rec_1"], NOW),
    "fail_capture": lambda store: store.fail_capture(REACH, "turn_1", 1),
    "get": lambda store: store.get(REACH, ["rec_1"]),
    "select": lambda store: store.select(View(reach=REACH)),
    "usage": lambda store: store.usage(REACH, ["rec_1"]),
    "epochs": lambda store: store.epochs(REACH),
    "turns": lambda store: store.turns(REACH, ["turn_1"]),
    "thread": lambda store: store.thread(REACH, "thread_1"),
    "of_client": lambda store: store.of_client(REACH, "thread_1", ["msg-1"]),
    "neighbours": lambda store: store.neighbours(REACH, "turn_1", 1),
    "pending": lambda store: store.pending(limit=1),
    "put_summary": lambda store: store.put_summary(REACH, "thread_1", a_summary(), at=NOW, after=0),
    "summary": lambda store: store.summary(REACH, "thread_1"),
    "threads": lambda store: store.threads(REACH),
    "thread_info": lambda store: store.thread_info(REACH, "thread_1"),
    "set_thread": lambda store: store.set_thread(REACH, "thread_1", title="Trip"),
    "fork": lambda store: store.fork(REACH, "thread_1", "thread_2", upto=1),
    "put_checkpoint": lambda store: store.put_checkpoint(REACH, "run_1", 1, {}, status=RunStatus.RUNNING, at=NOW),
    "checkpoint": lambda store: store.checkpoint(REACH, "run_1"),
    "put_token_counts": lambda store: store.put_token_counts(REACH, "a", {"turn_1": 1}),
    "token_counts": lambda store: store.token_counts(REACH, "thread_1", "a"),
    "subjects": lambda store: store.subjects(),
    "archive_idle": lambda store: store.archive_idle(NOW, limit=1),
    "drop_run": lambda store: store.drop_run(REACH, "run_1"),
    "deciding": lambda store: store.deciding(REACH).__enter__(),
    "snapshot": lambda store: store.snapshot().__enter__(),
    "lexical": lambda store: store.lexical(View(reach=REACH), Corpus.RECORDS, ["word"]),
    "nearest": lambda store: store.nearest(View(reach=REACH), Corpus.RECORDS, "m", a_vector(1), limit=1),
    "recent": lambda store: store.recent(View(reach=REACH), Corpus.RECORDS, limit=1),
    "events": lambda store: store.events(REACH, "rec_1"),
    "verdicts": lambda store: store.verdicts(REACH),
    "verdicts_on": lambda store: store.verdicts_on(REACH, ["turn_1"]),
    "traces": lambda store: store.traces(REACH),
    "trace": lambda store: store.trace(REACH, "tra_1"),
    "put_key": lambda store: store.put_key(ONE),
    "key": lambda store: store.key(ONE.digest),
    "keys": lambda store: store.keys(),
    "drop_key": lambda store: store.drop_key(ONE.id),
    "put_document": lambda store: store.put_document(a_document(), [a_passage()]),
    "drop_document": lambda store: store.drop_document(REACH, "doc_1"),
    "documents": lambda store: store.documents(View(reach=REACH)),
    "documents_by_id": lambda store: store.documents_by_id(REACH, ["doc_1"]),
    "document_named": lambda store: store.document_named(REACH, "default", "guide.md"),
    "passages": lambda store: store.passages(REACH, ["pas_1"]),
    "passages_of": lambda store: store.passages_of(REACH, "doc_1"),
    "unembedded": lambda store: store.unembedded(Corpus.RECORDS, "m", limit=1),
    "drop_turn_vectors": lambda store: store.drop_turn_vectors(NOW, limit=1),
    "aged": lambda store: store.aged(NOW, limit=1),
    "shed": lambda store: store.shed(REACH, ["turn_1"], epochs={}),
    "out_of_recall": lambda store: store.out_of_recall({}, limit=1),
    "prune": lambda store: store.prune(traces=NOW, account=NOW, limit=1),
    "done_by": lambda store: store.done_by("acme", "upkeep_1"),
    "size": lambda store: store.size(),
    "dump": lambda store: list(store.dump(Extent())),
    "load": lambda store: store.load([]),
    "models": lambda store: store.models(REACH),
    "behind": lambda store: store.behind("m"),
    "drop_vectors": lambda store: store.drop_vectors(REACH, keep="m"),
    "backup": lambda store: store.backup("never-made.db"),
    "check": lambda store: store.check(),
    "repair": lambda store: store.repair(),
}


class UpkeepConformance(Conformance):
    """See the module."""

    def test_check_counts_rows_and_indexes(self, store: Store) -> None:
        assert store.check().faults == ()
        assert set(store.check().counts.values()) == {0}
        store.apply(adds(a_record("a"), a_record("b"), verdicts=[a_verdict()], model="m", vectors={"a": a_vector(1)}))
        store.append([a_turn()])
        store.put_trace(a_trace())
        store.put_summary(REACH, "thread_1", a_summary(), at=NOW, after=0)
        store.put_checkpoint(REACH, "run_1", 1, {}, status=RunStatus.RUNNING, at=NOW)
        store.put_document(a_document(), [a_passage()])
        health = store.check()
        assert health.faults == ()
        assert health.counts == {
            "records": 2,
            "record_terms": 2,
            "record_vectors/m": 1,
            "turns": 1,
            "turn_terms": 1,
            "events": 2,
            "verdicts": 1,
            "traces": 1,
            "summaries": 1,
            "checkpoints": 1,
            "documents": 1,
            "passages": 1,
            "passage_terms": 1,
        }

    def test_everybody_who_has_records_is_listed(self, store: Store) -> None:
        assert store.subjects() == []
        store.append([a_turn(subject="user:cleo")])
        for tenant, subject in (("globex", "user:ana"), ("acme", "user:bob"), ("acme", "user:ana")):
            reach = Reach(tenant, (subject,))
            store.apply(adds(a_record(tenant=tenant, subject=subject, id=f"r {tenant} {subject}"), reach=reach))
        everybody = [("acme", "user:ana"), ("acme", "user:bob"), ("globex", "user:ana")]
        assert store.subjects() == everybody
        assert store.subjects(limit=1) == everybody[:1]
        assert store.subjects(limit=9, after=everybody[0]) == everybody[1:]
        store.apply(a_batch(Erase(reason="", id="r acme user:bob"), reach=Reach("acme", ("user:bob",))))
        assert store.subjects() == [everybody[0], everybody[2]]

    def test_repairing_what_is_whole_changes_nothing(self, store: Store) -> None:
        store.apply(adds(a_record("a", "red red"), a_record("b"), model="m", vectors={"a": a_vector(1)}))
        store.append([a_turn()])
        before = store.check(), store.lexical(View(reach=REACH), Corpus.RECORDS, ["red"])
        assert store.repair() == before[0]
        assert (store.check(), store.lexical(View(reach=REACH), Corpus.RECORDS, ["red"])) == before

    @pytest.mark.parametrize("name", CALLS)
    def test_a_closed_store_refuses_every_call(self, store: Store, name: str) -> None:
        store.apply(adds(a_record()))
        store.close()
        store.close()
        with pytest.raises(StoreClosed):
            CALLS[name](store)

    def test_every_method_is_asked_after_closing(self) -> None:
        methods = {name for part in (Store, Library) for name in vars(part) if not name.startswith("_")} - {"close"}
        assert methods == set(CALLS)

    def test_an_empty_store_answers_every_read(self, store: Store) -> None:
        writes = {"erase", "append", "apply", "put_trace", "fail_capture", "put_summary", "set_thread", "fork", "put_checkpoint"}
        writes |= {"put_key", "drop_key", "put_document", "drop_document", "backup"}
        for name in set(CALLS) - writes:
            assert not CALLS[name](store) or name in ("epochs", "snapshot", "lexical", "check", "repair", "prune", "size")

    def test_empty_writes_do_nothing(self, store: Store) -> None:
        assert store.append([]) == []
        assert store.apply(a_batch()) == []
        store.put_vectors(Corpus.TURNS, REACH, "m", {})
        store.touch(REACH, [], NOW)
        assert set(store.check().counts.values()) == {0}

    def test_threads_share_a_store(self, store: Store) -> None:
        def work(n: int) -> int:
            store.append([a_turn(f"t{n}", client_id=f"c{n % 10}")])
            store.apply(adds(a_record(f"r{n}", f"common w{n}"), model="m", vectors={f"r{n}": a_vector(1)}))
            size = store.lexical(View(reach=REACH), Corpus.RECORDS, ["common"]).size
            assert f"r{n}" in dict(store.nearest(View(reach=REACH), Corpus.RECORDS, "m", a_vector(1), limit=99))
            if n % 5 == 0:
                store.apply(a_batch(Erase(reason="", id=f"r{n}")))
            return size

        with ThreadPoolExecutor(4) as pool:
            assert max(pool.map(work, range(40))) <= 40
        health = store.check()
        assert (health.counts["turns"], health.counts["records"], health.faults) == (10, 32, ())
        assert sorted(turn.seq for turn in store.thread(REACH, "thread_1")) == list(range(1, 11))

    def test_threads_that_decide_in_turn_are_not_overtaken(self, store: Store) -> None:
        store.apply(adds(a_record()))

        def decide(n: int) -> None:
            with store.deciding(REACH), store.deciding(REACH):
                epochs = store.epochs(REACH)
                store.apply(a_batch(Edit(reason="", id="rec_1", fields={"value": str(n)}), epochs=epochs))

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(decide, range(16)))
        assert store.epochs(REACH) == {SUBJECT: 17}

    def test_of_threads_that_decide_on_one_epoch_one_wins(self, store: Store) -> None:
        store.apply(adds(a_record()))
        epochs = store.epochs(REACH)

        def decide(n: int) -> bool:
            try:
                store.apply(a_batch(Edit(reason="", id="rec_1", fields={"value": str(n)}), epochs=epochs))
            except StaleRead:
                return False
            return True

        with ThreadPoolExecutor(4) as pool:
            assert sum(pool.map(decide, range(8))) == 1
