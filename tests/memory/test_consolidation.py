"""What says the same becomes one record, found at every moment; a run can be undone, and killed anywhere."""

from __future__ import annotations

import multiprocessing
import os
import signal
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from onrecord.errors import EmbedderError, InvalidInput, NotFound
from onrecord.memory import Memory
from onrecord.model.change import Merge, Recompute, Supersede
from onrecord.model.query import Corpus
from onrecord.model.record import Kind, Record, Status
from onrecord.model.scope import Reach
from onrecord.pipeline.maintain import drain
from onrecord.policy.consolidation.recur import FIELD
from onrecord.policy.lifecycle.expiry import UPKEEP
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.providers.scripted import SteppingClock
from onrecord.testing.builders import a_batch, a_record, adds

WHO: dict[str, Any] = {"user_id": "ana"}
REACH = Reach("default", ("user:ana",))
DAY = timedelta(days=1)
HOME = (
    "Lives at 12 Quay Street in Leeds.",
    "As I said, lives in Leeds at twelve Quay Street.",
    "Lives at 12 Quay Street in Leeds",
)


def put(memory: Memory, *statements: str, user: str = "ana", **fields: Any) -> list[str]:
    """Ids of records written as they are, each resting on a turn of its own: what an import or an older version left."""
    now, subject = memory.engine.clock(), f"user:{user}"
    given: dict[str, Any] = {"tenant": "default", "subject": subject, "kind": Kind.STATED_FACT, "said_at": now, "written_at": now}
    given |= {"valid_from": now, "valid_until": now + 365 * DAY}
    ids = []
    for statement in statements:
        (turn,) = memory.add({"role": "assistant", "content": statement}, user_id=user, session_id="old").turns
        id = f"rec_{user}_{len(memory.get_all(user_id=user, statuses=list(Status))):04d}"
        record = a_record(id, statement, **given | fields, derived_from=(str(turn.turn_id),))
        vectors = {id: memory.engine.embedder.embed_documents([record.text])[0]}
        reach = Reach("default", (subject,))
        memory.engine.store.apply(adds(record, reach=reach, model=memory.engine.embedder.name, vectors=vectors))
        ids.append(id)
    return ids


def current(memory: Memory, user: str = "ana") -> dict[str, Record]:
    return {record.id: record for record in memory.get_all(user_id=user)}


def test_what_says_the_same_becomes_one_record_that_rests_on_all_of_it(memory: Memory) -> None:
    ids = put(memory, *HOME, "Lives at 14 Quay Street in Leeds.", "Does not live in Leeds at 12 Quay Street.")
    memory.engine.store.touch(REACH, [ids[2]], memory.engine.clock())
    report = memory.maintain()
    assert (report.before, report.after, report.merged, report.promoted) == (5, 3, 2, 0)
    kept = current(memory)[ids[2]]
    assert set(ids[:2]) < set(kept.derived_from)
    assert {turn.text for turn in memory.lineage(kept.id, **WHO).turns} == set(HOME)
    for gone in ids[:2]:
        assert memory.get(gone, **WHO).status is Status.ARCHIVED
        assert kept.id in [record.id for record in memory.lineage(gone, **WHO).made]
        assert report.run in memory.history(gone, **WHO)[-1].reason
    assert memory.engine.store.check().faults == ()
    again = memory.maintain()
    assert (again.merged, again.changes, again.run) == (0, (), "")


def test_a_rehearsal_tells_what_would_be_merged_and_merges_nothing(memory: Memory) -> None:
    put(memory, *HOME)
    told = memory.maintain(dry_run=True)
    assert (told.merged, len(told.changes), told.run, len(current(memory))) == (2, 4, "", 3)
    assert memory.maintain().merged == 2


def test_the_fuller_words_are_kept_with_whom_they_are_of(memory: Memory) -> None:
    short, full = put(memory, "Her dentist is Doctor Okafor.", "Her dentist is Doctor Okafor, who speaks French.")
    memory.engine.store.touch(REACH, [short], memory.engine.clock())
    memory.maintain()
    (kept,) = current(memory).values()
    assert (kept.id, kept.statement) == (short, "Her dentist is Doctor Okafor, who speaks French.")
    (hit,) = memory.search("Who speaks French?", include="records", **WHO).hits
    assert hit.id == short
    assert memory.engine.store.unembedded(Corpus.RECORDS, memory.engine.embedder.name, limit=9) == []
    assert full in kept.derived_from


def test_a_run_is_undone_by_its_name_and_not_done_again(memory: Memory, clock: SteppingClock) -> None:
    ids = put(memory, *HOME, "Her dentist is Doctor Okafor.", "Her dentist is Doctor Okafor, who speaks French.")
    before = current(memory)
    run = memory.maintain().run
    assert len(current(memory)) == 2
    with pytest.raises(NotFound):
        memory.undo("upkeep_other")
    with pytest.raises(NotFound):
        Memory(store=memory.engine.store, tenant="other", embedder=HashingEmbedder(), clock=clock).undo(run)
    rehearsed = memory.undo(run, dry_run=True)
    assert len(current(memory)) == 2
    done = memory.undo(run)
    assert (done.changes, done.left) == (rehearsed.changes, [])
    after = current(memory)
    for id in ids:
        assert replace(after[id], version=1) == replace(before[id], version=1)
    assert memory.maintain().merged == 0
    again = memory.undo(run)
    assert (again.changes, again.left, again.reread) == ([], [], [])
    assert current(memory) == after
    assert memory.engine.store.check().faults == ()


def test_what_was_said_again_since_is_read_anew_and_what_was_edited_since_stays(memory: Memory, clock: SteppingClock) -> None:
    home = put(memory, *HOME)
    dentist = put(memory, "Her dentist is Doctor Okafor.", "Her dentist is Doctor Okafor, who speaks French.")
    run = memory.maintain().run
    (kept,) = (id for id in home if id in current(memory))
    (other,) = (id for id in dentist if id in current(memory))
    clock.now += DAY
    again = memory.remember("Lives at 12 Quay Street in Leeds.", **WHO)
    assert again.records[0].id == kept
    memory.update(other, "Her dentist is Doctor Baker now.", **WHO)
    done = memory.undo(run)
    assert set(done.left) == set(dentist)
    assert list(done.reread) == [turn.turn_id for turn in again.turns]
    repeated = memory.undo(run)
    assert (repeated.changes, set(repeated.left), repeated.reread) == ([], set(dentist), [])
    assert set(current(memory)) == {*home, other}
    assert again.turns[0].turn_id in {source for id in home for source in memory.get(id, **WHO).derived_from}


def test_the_words_of_what_was_merged_are_over_once_what_it_went_into_is(memory: Memory, clock: SteppingClock) -> None:
    for text in ("Lives at 12 Quay Street in Leeds.", "Lives in Leeds at 12 Quay Street."):
        memory.add(text, infer=False, **WHO)
    assert memory.maintain().merged == 1
    (kept,) = current(memory)
    asked = {"query": "Who lives in Quay Street in Leeds?", "threshold": 0.0, **WHO}
    held = [hit for hit in memory.search(include="episodes", **asked).hits if hit.turn]
    assert {hit.current for hit in held} == {True}
    moved = a_record("rec_moved", "Lives at 3 Mill Lane in York.", tenant="default", subject="user:ana")
    change = Supersede(old=kept, version=memory.get(kept, **WHO).version, record=moved, reason="moved")
    memory.engine.store.apply(a_batch(change, reach=REACH, now=memory.engine.clock()))
    told = [hit.text for hit in memory.search(include="episodes", **asked).hits]
    assert not [text for text in told if "Quay" in text]


def test_a_run_of_so_long_ago_that_it_is_told_together_with_others_is_not_undone(memory: Memory, clock: SteppingClock) -> None:
    put(memory, *HOME)
    run = memory.maintain().run
    clock.now += memory.engine.policy.account_retention + DAY
    with pytest.raises(InvalidInput, match="run"):
        memory.undo(run)
    assert len(current(memory)) == 1


def test_a_run_is_undone_though_the_record_names_fewer_of_its_sources_since(memory: Memory, clock: SteppingClock) -> None:
    home = put(memory, *HOME)
    run = memory.maintain().run
    (kept,) = current(memory)
    now = memory.get(kept, **WHO)
    fewer = Recompute(record=replace(now, derived_from=now.derived_from[:1]), version=now.version, reason="no words any more")
    memory.engine.store.apply(a_batch(fewer, reach=REACH, actor=UPKEEP, now=memory.engine.clock()))
    assert memory.undo(run).left == []
    assert set(current(memory)) == set(home)


def test_pinned_records_disputed_ones_and_those_of_another_trust_or_situation_stay(memory: Memory) -> None:
    put(memory, HOME[0], pinned=True)
    put(memory, HOME[1], trust=0.3)
    put(memory, HOME[2], qualifier="in winter")
    put(memory, HOME[0], metadata={"room": "b2"})
    put(memory, HOME[0], metadata={"room": "b3"})
    assert memory.maintain().merged == 0


def test_keys_of_one_meaning_are_joined_and_what_stands_against_each_other_is_settled_as_under_one_key(
    memory: Memory, clock: SteppingClock
) -> None:
    put(memory, "The wifi password is kelp7.", key="wifi_password", value="kelp7")
    clock.now += 5 * DAY
    put(memory, "The password of the wifi is reef9.", key="password_of_wifi", value="reef9")
    report = memory.maintain()
    assert report.joined == 1
    (kept,) = current(memory).values()
    assert (kept.key, kept.value) == ("wifi_password", "reef9")
    memory.undo(report.run)
    assert {record.key for record in current(memory).values()} == {"wifi_password", "password_of_wifi"}


def test_a_fact_said_again_without_its_key_in_words_of_a_source_goes_with_the_value_it_gives(
    memory: Memory, clock: SteppingClock
) -> None:
    printer: dict[str, Any] = {"kind": "stated_fact", **WHO}
    memory.remember("The printer for letters is Falcon 9.", key="office_printer", value="Falcon 9", **printer)
    clock.now += 9 * DAY
    memory.remember("Letters come out of the printer Falcon 9.", key="office_printer", value="Falcon 9", **printer)
    clock.now += 9 * DAY
    said = memory.remember("As I said, letters come out of the printer Falcon 9.", **printer)
    assert "says again" in said.items[0].detail
    (known,) = memory.get_all(**WHO)
    assert (known.value, len(known.derived_from)) == ("Falcon 9", 3)
    clock.now += 9 * DAY
    memory.remember("Kestrel 7 is the printer with the good paper.", key="office_printer", value="Kestrel 7", **printer)
    assert [record.value for record in memory.get_all(**WHO)] == ["Kestrel 7"]
    assert memory.engine.store.check().faults == ()


def test_what_went_with_a_value_comes_back_when_the_other_value_is_taken_out(memory: Memory, clock: SteppingClock) -> None:
    (bare,) = put(memory, "Letters come out of the printer Falcon 9.")
    for words in ("The printer for letters is Falcon 9.", "Letters come out of the printer Falcon 9."):
        clock.now += 9 * DAY
        memory.remember(words, key="office_printer", value="Falcon 9", kind="stated_fact", **WHO)
    clock.now += 9 * DAY
    new = memory.remember("Kestrel 7 is the printer.", key="office_printer", value="Kestrel 7", kind="stated_fact", **WHO)
    gone = memory.get(bare, **WHO)
    assert (gone.status, [record.value for record in memory.get_all(**WHO)]) == (Status.SUPERSEDED, ["Kestrel 7"])
    assert "says the same without a key" in memory.history(bare, **WHO)[-1].reason
    assert new.items[0].record is not None
    memory.retract([new.items[0].record.id], **WHO)
    assert {record.value for record in memory.get_all(**WHO)} == {"Falcon 9", None}
    assert bare in current(memory)


def test_what_recurs_is_told_in_general_beside_the_last_of_its_days(memory: Memory, clock: SteppingClock) -> None:
    ids = []
    for day in (3, 10, 17, 24):
        clock.now = clock.now.replace(month=5, day=day)
        moment = clock.now
        ids += put(memory, f"Swam in the lake on {day} May.", kind=Kind.EPISODE, valid_from=moment)
    report = memory.maintain()
    assert report.promoted == 3
    general, last = sorted(current(memory).values(), key=lambda record: record.id == ids[-1])
    assert (last.id, general.statement, general.kind) == (ids[-1], "Swam in the lake.", Kind.STATED_FACT)
    assert general.metadata[FIELD]["dates"] == ["2026-05-03", "2026-05-10", "2026-05-17", "2026-05-24"]
    clock.now += 7 * DAY
    ids += put(memory, "Swam in the lake on 31 May.", kind=Kind.EPISODE, valid_from=clock.now)
    assert memory.maintain().promoted == 1
    assert set(current(memory)) == {general.id, ids[-1]}
    assert memory.get(general.id, **WHO).metadata[FIELD]["times"] == 5
    memory.undo(report.run)
    assert set(current(memory)) == {general.id, ids[-1]}  # it was brought up to date since
    assert memory.maintain().promoted == 0


def test_a_general_record_that_somebody_took_back_is_not_made_again(memory: Memory, clock: SteppingClock) -> None:
    for day in (3, 10, 17):
        clock.now = clock.now.replace(month=5, day=day)
        put(memory, f"Swam in the lake on {day} May.", kind=Kind.EPISODE, valid_from=clock.now)
    run = memory.maintain().run
    memory.undo(run)
    assert len(current(memory)) == 3
    assert memory.maintain().promoted == 0


def test_the_fact_is_found_at_every_moment_even_where_nothing_can_be_embedded(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(memory, *HOME)
    seen = []

    def slow(texts: list[str]) -> Any:
        seen.append([hit.text for hit in memory.search("Quay Street", include="records", **WHO).hits])
        raise EmbedderError("it is down")

    monkeypatch.setattr(memory.engine.embedder, "embed_documents", slow)
    memory.maintain()
    monkeypatch.undo()
    assert seen
    assert all("Quay Street" in str(hits) for hits in seen)
    assert len(memory.search("Quay Street", include="records", **WHO).hits) == 1


def test_a_run_tells_how_far_it_is(memory: Memory) -> None:
    put(memory, *HOME)
    memory.remember("Lives in Leeds.", user_id="bob")
    told: list[tuple[str, int, int]] = []
    drain(memory.engine, memory.tenant, progress=lambda *part: told.append(part))
    assert [part for part in told if part[0].startswith("owners")] == [
        (what, done, 2) for what in ("owners, what fades", "owners, what says the same") for done in (0, 1, 2)
    ]


def test_a_run_takes_no_more_than_its_limit(memory: Memory) -> None:
    put(memory, *HOME, *HOME)
    assert [memory.maintain(limit=2).merged for _ in range(4)] == [2, 2, 1, 0]


def test_deleting_a_record_deletes_what_was_merged_into_it(memory: Memory) -> None:
    put(memory, *HOME)
    memory.maintain()
    (kept,) = current(memory)
    memory.delete(kept, **WHO)
    assert memory.get_all(**WHO, statuses=list(Status)) == []


def test_erasing_a_turn_gives_back_what_else_was_merged(memory: Memory) -> None:
    ids = put(memory, *HOME)
    memory.maintain()
    (kept,) = current(memory)
    gone, other = (id for id in ids if id != kept)
    (turn,) = memory.get(gone, **WHO).derived_from
    memory.erase(ids=[turn], verify=True, **WHO)
    assert set(current(memory)) == {kept, other}
    with pytest.raises(NotFound):
        memory.get(gone, **WHO)
    memory.erase(ids=[kept], verify=True, **WHO)
    assert set(current(memory)) == {other}


def test_quarantining_one_source_takes_it_out_of_what_it_went_into(memory: Memory) -> None:
    ids = [id for statement in HOME for id in put(memory, statement)]
    memory.maintain()
    (kept,) = current(memory)
    (turn,) = memory.get(ids[1], **WHO).derived_from
    memory.quarantine([turn], **WHO)
    assert memory.get(ids[1], **WHO).status is Status.QUARANTINED
    (left,) = current(memory).values()
    assert (left.id, ids[0] in left.derived_from, ids[1] in left.derived_from) == (kept, True, False)


def test_what_was_merged_into_something_that_is_taken_out_comes_back(memory: Memory) -> None:
    ids = [id for statement in HOME for id in put(memory, statement)]
    memory.maintain()
    (kept,) = current(memory)
    assert kept == ids[2]
    (turn,) = memory.get(ids[0], **WHO).derived_from
    memory.quarantine([turn], **WHO)  # and with it the last, which says the same in the same words later
    assert [memory.get(id, **WHO).status for id in (ids[0], kept)] == [Status.QUARANTINED, Status.QUARANTINED]
    assert set(current(memory)) == {ids[1]}


def _maintained(path: Path, now: Any, at: int) -> None:
    """A run that dies at its ``at``-th write of a merge."""
    with Memory(path, embedder=HashingEmbedder(), clock=lambda: now) as memory:
        apply, seen = memory.engine.store.apply, list[Any]()

        def dying(batch: Any) -> Any:
            seen.extend(change for change in batch.changes if isinstance(change, Merge))
            if len(seen) >= at:
                os.kill(os.getpid(), signal.SIGKILL)
            return apply(batch)

        memory.engine.store.apply = dying  # type: ignore[method-assign]
        memory.maintain()


def test_a_run_that_is_killed_leaves_every_subject_merged_or_as_it_was(tmp_path: Path, clock: SteppingClock) -> None:
    path = tmp_path / "memory.db"
    with Memory(path, embedder=HashingEmbedder(), clock=clock) as memory:
        for name in ("ana", "bob"):
            put(memory, *HOME, user=name)
    process = multiprocessing.get_context("spawn").Process(target=_maintained, args=(path, clock.now, 3))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    with Memory(path, embedder=HashingEmbedder(), clock=clock) as memory:
        assert [len(current(memory, name)) for name in ("ana", "bob")] == [1, 3]
        assert memory.maintain().merged == 2
        assert [len(current(memory, name)) for name in ("ana", "bob")] == [1, 1]
        assert memory.engine.store.check().faults == ()
