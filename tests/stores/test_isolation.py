"""No call for one tenant or subject ever shows or touches another's rows, whatever the names are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from onrecord.errors import InvalidInput, NotFound, OnRecordError
from onrecord.model.change import Change, Edit, Erase, Flag, Merge, Reinforce, Resolve, Restore, Retract, Supersede
from onrecord.model.query import Corpus, View
from onrecord.model.run import RunStatus
from onrecord.model.scope import Reach
from onrecord.ports import Batch, Store
from onrecord.stores.inmemory import InMemoryStore
from onrecord.stores.sqlite import SQLiteStore
from onrecord.testing.builders import NOW, a_document, a_passage, a_record, a_summary, a_trace, a_turn, a_vector, a_verdict, adds
from onrecord.testing.sight import ids_in, sight

HOSTILE = [
    "acme",
    "acm",
    "acme2",
    "Acme",
    "%",
    "_cme",
    "acme%",
    "a'; DROP TABLE record; --",
    '"quoted"',
    "\\",
    "acme:user:ana",
    "аcme",  # the first letter is Cyrillic
    "a\u200bcme",
    "\U0001f600",
    "x" * 200,
    "x" * 199,
]
SUBJECTS = ["user:ana", "user:an", "user:ana:1", "user:%", "team:ana", "user:" + "x" * 195]
REACHES = [Reach(tenant, (SUBJECTS[0],)) for tenant in HOSTILE] + [Reach("acme", (subject,)) for subject in SUBJECTS[1:]]


def own(n: int) -> list[str]:
    """The ids that only the reach number ``n`` has."""
    return [f"{kind}_{n}_" for kind in ("rec", "turn", "ver", "tra", "doc", "pas")]


def fill(store: Store, n: int, reach: Reach) -> None:
    """Writes one of everything."""
    rec, turn, ver, tra, doc, pas = own(n)
    whose: dict[str, Any] = {"tenant": reach.tenant, "subject": reach.subjects[0]}
    store.append([a_turn(turn, f"word {turn}", author=turn, client_id="client", **whose)])
    verdict = a_verdict(ver, turn_id=turn, record_ids=(rec,), detail=rec, **whose)
    record = a_record(rec, f"word {rec}", author=rec, **whose)
    store.apply(adds(record, reach=reach, verdicts=[verdict], model="m", vectors={rec: a_vector(1)}))
    store.put_vectors(Corpus.TURNS, reach, "m", {turn: a_vector(1)})
    store.put_trace(a_trace(tra, tenant=reach.tenant, subjects=reach.subjects, query=tra, returned=(rec,), candidates=()))
    passage = a_passage(pas, f"word {pas}", document_id=doc, **whose)
    store.put_document(a_document(doc, **whose), [passage], model="m", vectors={pas: a_vector(1)})
    store.set_thread(reach, "thread_1", title=turn)
    store.put_summary(reach, "thread_1", a_summary(turn), at=NOW, after=0)
    store.put_checkpoint(reach, "run_1", 1, {"made from": turn}, status=RunStatus.RUNNING, at=NOW)


def everything(store: Store, reach: Reach) -> Any:
    """All that a reach can see when it asks for everybody's ids."""
    ids = [id for n in range(len(REACHES)) for id in own(n)]
    return sight(store, View(reach=reach), ids=ids, threads=["thread_1"], terms=["word"], model="m", vector=a_vector(1))


def memory(_: Path) -> Store:
    return InMemoryStore()


def sqlite(folder: Path) -> Store:
    return SQLiteStore(folder / "memory.db", synchronous="NORMAL")


@pytest.fixture(params=[memory, sqlite])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    make: Callable[[Path], Store] = request.param
    store = make(tmp_path)
    for n, reach in enumerate(REACHES):
        fill(store, n, reach)
    yield store
    store.close()


def test_every_read_shows_the_rows_of_its_reach_alone(store: Store) -> None:
    for n, reach in enumerate(REACHES):
        seen = ids_in(everything(store, reach))
        for m in range(len(REACHES)):
            for id in own(m):
                assert any(id in text for text in seen) == (m == n), (reach, id)


def test_a_reach_of_several_subjects_shows_those_alone(store: Store) -> None:
    wide = Reach("acme", (SUBJECTS[0], SUBJECTS[3]))
    mine = {REACHES.index(Reach("acme", (subject,))) for subject in wide.subjects}
    seen = ids_in(everything(store, wide))
    for n in range(len(REACHES)):
        for id in own(n):
            assert any(id in text for text in seen) == (n in mine), id


def test_searches_count_the_rows_of_their_reach_alone(store: Store) -> None:
    for reach in REACHES:
        for corpus in Corpus:
            assert store.lexical(View(reach=reach), corpus, ["word"]).size == 1
            assert len(store.nearest(View(reach=reach), corpus, "m", a_vector(1), limit=99)) == 1


def changes_of(rec: str, mine: str, reach: Reach) -> list[Change]:
    """Changes that name a foreign record."""
    fresh = a_record("fresh", tenant=reach.tenant, subject=reach.subjects[0])
    foreign = a_record(rec, tenant=reach.tenant, subject=reach.subjects[0])
    return [
        Edit(reason="", id=rec, fields={"value": "x"}),
        Reinforce(reason="", id=rec),
        Merge(reason="", record=foreign),
        Supersede(reason="", old=rec, record=fresh),
        Flag(reason="", ids=(rec, mine)),
        Resolve(reason="", keep=mine, drop=(rec,)),
        Retract(reason="", id=rec),
        Restore(reason="", id=rec),
        Erase(reason="", id=rec),
    ]


def test_no_write_touches_the_rows_of_another(store: Store) -> None:
    before = [everything(store, reach) for reach in REACHES]
    for n, reach in enumerate(REACHES):
        m = (n + 1) % len(REACHES)
        rec, turn, *_ = own(m)
        for change in changes_of(rec, own(n)[0], reach):
            with pytest.raises(NotFound):
                store.apply(Batch(reach=reach, now=NOW, actor="eve", changes=[change]))
        with pytest.raises(NotFound):
            store.apply(Batch(reach=reach, now=NOW, actor="eve", captured=[turn]))
        with pytest.raises(NotFound):
            store.fail_capture(reach, turn, 1)
        with pytest.raises((NotFound, InvalidInput)):
            store.put_summary(reach, "thread_1", a_summary(turn), at=NOW, after=1)
        with pytest.raises(NotFound):
            store.set_thread(reach, "thread_2", title="eve")
        with pytest.raises(NotFound):
            store.fork(reach, "thread_2", "thread_3", upto=1)
        assert store.drop_run(reach, "run_2") == 0
        store.touch(reach, [rec], NOW)
        for corpus in Corpus:
            store.put_vectors(corpus, reach, "m", {rec: a_vector(0, 1), turn: a_vector(0, 1)})
    assert [everything(store, reach) for reach in REACHES] == before


def test_rows_of_another_cannot_be_added(store: Store) -> None:
    before = [everything(store, reach) for reach in REACHES]
    for n, reach in enumerate(REACHES):
        other = REACHES[(n + 1) % len(REACHES)]
        fields: dict[str, Any] = {"tenant": other.tenant, "subject": other.subjects[0]}
        with pytest.raises(InvalidInput):
            store.apply(adds(a_record("fresh", **fields), reach=reach))
        with pytest.raises(InvalidInput):
            store.apply(Batch(reach=reach, now=NOW, actor="eve", verdicts=[a_verdict("fresh", **fields)]))
    assert [everything(store, reach) for reach in REACHES] == before


def test_erasing_for_one_leaves_the_same_ids_of_others_alone(tmp_path: Path) -> None:
    for make in (memory, sqlite):
        store = make(tmp_path)
        tenants = [Reach(name, ("user:ana",)) for name in HOSTILE]
        for reach in tenants:
            whose: dict[str, Any] = {"tenant": reach.tenant}
            store.apply(
                adds(a_record(**whose), reach=reach, verdicts=[a_verdict(**whose)], model="m", vectors={"rec_1": a_vector(1)})
            )
            store.put_trace(a_trace(**whose))
        rest = [everything_of_one(store, reach) for reach in tenants[1:]]
        store.apply(Batch(reach=tenants[0], now=NOW, actor="ana", changes=[Erase(reason="", id="rec_1")]))
        assert [everything_of_one(store, reach) for reach in tenants[1:]] == rest
        assert "Prefers email." not in ids_in(everything_of_one(store, tenants[0]))
        store.close()


def everything_of_one(store: Store, reach: Reach) -> Any:
    return sight(
        store,
        View(reach=reach),
        ids=["rec_1", "ver_1", "tra_1"],
        threads=["thread_1"],
        terms=["email"],
        model="m",
        vector=a_vector(1),
    )


@pytest.mark.parametrize("name", ["", " ", "\t", "\0", "a\nb", " a", "a ", "x" * 201, "\ud800"])
def test_a_name_that_is_none_is_refused_everywhere(store: Store, name: str) -> None:
    counts = store.check().counts
    with pytest.raises(InvalidInput):
        Reach(name, ("user:ana",))
    with pytest.raises(InvalidInput):
        Reach("acme", (name,))
    for call in (
        lambda: store.append([a_turn("fresh", tenant=name)]),
        lambda: store.append([a_turn("fresh", subject=name)]),
        lambda: store.put_trace(a_trace("fresh", tenant=name)),
        lambda: store.put_trace(a_trace("fresh", subjects=(name,))),
    ):
        with pytest.raises(OnRecordError):
            call()
    assert store.check().counts == counts
