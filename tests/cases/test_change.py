"""What happens when the same, or something else, is said again: contradiction_both_kept, contradiction_wrong_resolution,
duplicate_memories, dedup_overreach.

B061 (verdicts of a judging model) comes with the model; the part of B072 about MCP with the server. Explicit text is
``remember``, a conversation is ``add``.
"""

from __future__ import annotations

from datetime import timedelta
from itertools import combinations
from typing import Any

import pytest

from onrecord.errors import InvalidInput
from onrecord.memory import Memory
from onrecord.model.receipt import Result, TurnResult
from onrecord.model.record import Record, Status
from onrecord.providers.scripted import SteppingClock

WHO: dict[str, Any] = {"user_id": "u", "session_id": "s"}
DAYS = timedelta(days=5)


def kept(memory: Memory, *statuses: Status) -> dict[str, Record]:
    return {r.statement: r for r in memory.get_all(user_id="u", statuses=list(statuses or Status))}


def current(memory: Memory) -> set[str]:
    return {record.statement for record in memory.get_all(user_id="u")}


def write(memory: Memory, path: str, text: str) -> None:
    if path == "said":
        memory.add(text, **WHO)
    else:
        memory.remember(text, user_id="u")


# -- both kept


@pytest.mark.parametrize("path", ["said", "on purpose"])
def test_a_changed_favourite_takes_the_place_of_the_old_one(real: Memory, clock: SteppingClock, path: str) -> None:
    """B052"""
    old, new = "My favourite tram line is the 4", "My favourite tram line is the 9 now"
    write(real, path, old)
    clock.now += DAYS
    write(real, path, new)
    assert current(real) == {new}
    assert kept(real)[old].status is Status.SUPERSEDED
    assert kept(real)[old].valid_until <= clock.now
    assert [hit.text for hit in real.search("favourite tram line", user_id="u").hits] == [new]
    shown = str(real.context("Which is my favourite tram line?", user_id="u").messages)
    assert new in shown
    assert old not in shown.replace(new, "")
    assert old in {hit.text for hit in real.search("favourite tram line", user_id="u", history=True).hits}


def test_superseded_versions_use_up_no_place(real: Memory, clock: SteppingClock) -> None:
    """B054"""
    for n in range(10):
        real.remember(f"The gate code is K{n}7.", user_id="u", key="gate_code", value=f"K{n}7")
        clock.now += DAYS
    real.remember("The gate opens inwards.", user_id="u")
    real.remember("The gate is painted green.", user_id="u")
    found = real.search("gate code", user_id="u", include="records", limit=3, threshold=0.0).hits
    assert {hit.text for hit in found} == {"The gate code is K97.", "The gate opens inwards.", "The gate is painted green."}
    past = real.search("gate code", user_id="u", include="records", limit=50, history=True, threshold=0.0).hits
    assert len(past) == 12
    assert [hit.record.status for hit in past if hit.record and hit.record.status is not Status.ACTIVE] == [Status.SUPERSEDED] * 9


@pytest.mark.parametrize("path", ["said", "on purpose"])
def test_a_change_told_in_other_words_leaves_one_current_fact(real: Memory, clock: SteppingClock, path: str) -> None:
    """B055"""
    old, new = "Deploy day for Larkspur is Monday", "Larkspur ships on Thursdays from now on"
    write(real, path, old)
    clock.now += 9 * DAYS
    write(real, path, new)
    assert current(real) == {new}
    assert kept(real)[old].superseded_by == kept(real)[new].id


# -- wrong resolution


@pytest.mark.parametrize("path", ["said", "on purpose"])
def test_a_mention_ends_no_other_fact_about_the_same_thing(real: Memory, clock: SteppingClock, path: str) -> None:
    """B058"""
    said = ["I work at Alder Works as a planner", "I administer the Alder Works wiki", "I asked Alder Works for an audit"]
    for text in said:
        write(real, path, text)
        clock.now += DAYS
    assert all(record.current for record in kept(real).values())
    assert said[0] in current(real)
    if path == "on purpose":
        assert current(real) == set(said)


@pytest.mark.parametrize("path", ["said", "on purpose"])
def test_a_correction_is_shown_and_what_it_corrects_points_to_it(real: Memory, clock: SteppingClock, path: str) -> None:
    """B059"""
    old, new = "I prefer window seats", "I prefer aisle seats"
    write(real, path, old)
    clock.now += DAYS
    write(real, path, new)
    found = real.search("seats", user_id="u", include="records").hits
    assert [hit.text for hit in found] == [new]
    assert kept(real)[old].superseded_by == kept(real)[new].id


# -- duplicates

FACTS = [
    [
        "I am allergic to walnuts.",
        "Remember, I'm allergic to walnuts.",
        "As I said, I am allergic to walnuts.",
        "I have a walnut allergy.",
    ],
    [
        "I work at Northwind as a planner.",
        "I work as a planner at Northwind.",
        "I'm a planner at Northwind.",
        "My job is planner at Northwind.",
    ],
    ["I live in Leipzig.", "I'm living in Leipzig.", "My home is in Leipzig.", "I am based in Leipzig."],
]


def test_three_facts_said_four_times_among_small_talk_are_about_three_records(real: Memory, clock: SteppingClock) -> None:
    """B068"""
    for n in range(4):
        for fact in FACTS:
            clock.now += timedelta(hours=1)
            real.add([{"role": "user", "content": fact[n]}, {"role": "assistant", "content": "Noted."}], **WHO)
        for filler in (f"run echo hello {n}", "ok", "thanks, what's next?", "please list the files"):
            real.add(filler, **WHO)
    assert 3 <= len(kept(real)) <= 4, list(kept(real))
    assert not any("echo" in text or "files" in text for text in kept(real))


def test_a_history_that_is_sent_again_is_read_once(memory: Memory) -> None:
    """B070"""
    said = [{"role": "user", "content": f"I keep tool {n} in locker {n * 7}.", "id": f"m{n}"} for n in range(30)]
    for end in range(4, 33, 4):
        memory.add(said[:end], **WHO)
    assert len(memory.session("s", user_id="u").turns()) == 30
    assert memory.engine.store.check().counts["turns"] == 30
    before = kept(memory)
    verdicts = memory.engine.store.check().counts["verdicts"]
    again = memory.add(said, **WHO)
    assert {turn.result for turn in again.turns} == {TurnResult.EXISTING}
    assert (again.items, again.changes) == ((), ())
    assert kept(memory) == before
    assert memory.engine.store.check().counts["verdicts"] == verdicts
    assert all(len(record.derived_from) == 1 for record in before.values())


def test_a_name_written_another_way_is_the_same_entry(memory: Memory) -> None:
    """B071"""
    first = memory.remember("The site roadmap is in the wiki.", user_id="u", key="Site Roadmap", value="wiki").records[0]
    for key in ("site-roadmap", "site_roadmap", "SITE roadmap"):
        again = memory.remember("The site roadmap is in the wiki.", user_id="u", key=key, value="wiki")
        assert [(item.result, item.record and item.record.id) for item in again.items] == [(Result.RESTATED, first.id)]
    other = memory.remember("The site roadmap is on the board.", user_id="u", key="site-roadmap", value="board")
    assert [item.result for item in other.items] == [Result.CONFLICTED]
    assert len(kept(memory)) == 2


PATHS = ["said", "on purpose", "as it is", "session"]


@pytest.mark.parametrize("paths", [*combinations(PATHS, 2), tuple(PATHS), tuple(reversed(PATHS))], ids="+".join)
def test_a_fact_is_one_record_by_whatever_ways_it_comes(memory: Memory, paths: tuple[str, ...]) -> None:
    """B072"""
    text = "I am allergic to walnuts."
    for path in paths:
        if path == "as it is":
            memory.add(text, infer=False, **WHO)
        elif path == "session":
            memory.session("other", user_id="u").add(text)
        else:
            write(memory, path, text)
    (record,) = kept(memory).values()
    assert len(record.derived_from) == len(paths)


# -- overreach


@pytest.mark.parametrize("path", ["said", "on purpose"])
def test_news_that_sounds_alike_is_no_duplicate(real: Memory, clock: SteppingClock, path: str) -> None:
    """B073"""
    write(real, path, "I work at Alder Works")
    before = kept(real)
    clock.now += DAYS
    news = "I just started at Birch Mill"
    receipt = real.add(news, **WHO) if path == "said" else real.remember(news, user_id="u")
    assert news in current(real)
    assert "I work at Alder Works" not in current(real)
    for item in receipt.items:
        assert item.result is Result.REFUSED or kept(real) != before


@pytest.mark.parametrize("path", ["as it is", "on purpose"])
@pytest.mark.parametrize(
    "texts",
    [
        ("Build 41 took 312 s", "Build 42 took 298 s"),
        ("Desk 3B is the user's", "Desk 3D is the colleague's"),
        ("Invoice 2024-118 is paid", "Invoice 2024-181 is paid"),
        ("Ana signs the lab orders", "Anna signs the lab orders"),
        ("The audit is on 3 May", "The audit of the annex is on 3 June"),
        ("The lab may upload files", "The lab may not upload files"),
        ("My sister is allergic to walnuts", "My brother is allergic to walnuts"),
    ],
)
def test_what_differs_in_a_number_name_date_or_not_is_kept_beside(real: Memory, path: str, texts: tuple[str, ...]) -> None:
    """B074"""
    for text in texts:
        if path == "as it is":
            real.add(text, infer=False, **WHO)
        else:
            real.remember(text, user_id="u")
    assert current(real) == set(texts)
    assert all(len(record.derived_from) == 1 for record in kept(real).values())


def test_turns_that_look_alike_are_all_kept_and_the_reply_tells_what_became_of_them(memory: Memory) -> None:
    """B075"""
    said = ["yes, the second one", "yes, the third one", "yes, the third one"]
    for text in said:
        receipt = memory.add(text, **WHO)
        assert [turn.result for turn in receipt.turns] == [TurnResult.STORED]
        assert all(item.result is Result.REFUSED and item.detail and item.record is None for item in receipt.items)
    assert [turn.text for turn in memory.session("s", user_id="u").turns()] == said


def test_batches_of_one_length_in_one_second_overwrite_nothing(memory: Memory, clock: SteppingClock) -> None:
    """B076"""
    now, ids = clock.now, set[str]()
    for letter in "ab":
        clock.now = now
        receipt = memory.add([f"Crate {letter}{n} holds {letter}{n * 3} parts" for n in range(3)], infer=False, at=now, **WHO)
        ids |= {record.id for record in receipt.records}
    assert len(ids) == len(kept(memory)) == len(memory.session("s", user_id="u").turns()) == 6


def test_names_that_read_alike_do_not_replace_each_other_silently(memory: Memory) -> None:
    """B077"""
    for n, key in enumerate(["R&D notes", "R-D notes", "r d notes"]):
        receipt = memory.remember(f"The notes are in cabinet {n}.", user_id="u", key=key, value=f"cabinet {n}")
        assert receipt.items[0].result in (Result.ADDED, Result.CONFLICTED)
    assert len(current(memory)) == 3


@pytest.mark.parametrize("key", ["会議メモ", "研究计划", "!!", "…"])
def test_a_name_that_no_key_can_be_made_of_is_refused_by_name_and_leaves_nothing(memory: Memory, key: str) -> None:
    """B077"""
    with pytest.raises(InvalidInput, match="key"):
        memory.remember("The notes of the meeting are in room 3.", user_id="u", key=key, value="room 3")
    counts = memory.engine.store.check().counts
    assert (counts["turns"], counts["records"], counts["verdicts"]) == (0, 0, 0)
