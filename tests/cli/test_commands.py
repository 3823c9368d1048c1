"""Every command does what it says, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from onrecord.memory import Memory
from onrecord.providers.embed.hashing import HashingEmbedder

Run: TypeAlias = Callable[..., Any]

WHO = ("--user", "ana")


def test_what_is_remembered_is_found_again(run: Run, ana: str) -> None:
    page = run("search", "Which seat does she prefer?", *WHO)
    assert page.code == 0
    assert "Ana prefers window seats." in page.out
    hit = run("search", "Which seat does she prefer?", *WHO, "--json").json()["hits"][0]
    assert hit["id"] == ana
    assert hit["record"]["value"] == "window"


def test_nonsense_finds_nothing_and_that_is_no_error(run: Run, ana: str) -> None:
    found = run("search", "carburettor of a 1968 tractor", *WHO)
    assert (found.code, found.out) == (0, "Nothing is relevant enough.\n")


def test_add_tells_what_was_kept_and_what_was_refused(run: Run) -> None:
    added = run("add", "Remember that I prefer window seats. What time is it?", *WHO)
    assert added.code == 0
    assert added.out.startswith("kept")
    assert run("list", *WHO, "--json").json()[0]["kind"] == "preference"


def test_unquoted_words_are_one_message(run: Run) -> None:
    run("add", "Remember", "that", "I", "like", "tea.", *WHO, "--session", "s")
    assert [turn["text"] for turn in run("session", "show", "s", *WHO, "--json").json()] == ["Remember that I like tea."]


def test_a_dry_run_writes_nothing_not_even_a_file(run: Run, home: Path) -> None:
    told = run("add", "Remember that I like tea.", *WHO, "--dry-run")
    assert told.code == 0
    assert "Nothing was written" in told.out
    assert list(home.iterdir()) == []


def test_no_infer_keeps_a_message_as_it_is(run: Run) -> None:
    run("add", "Blue, maybe.", *WHO, "--no-infer", "--metadata", "topic=colour", "-m", "rank=3")
    record = run("list", *WHO, "--json").json()[0]
    assert record["statement"] == "Blue, maybe."
    assert record["metadata"] == {"topic": "colour", "rank": 3}


def test_filters_narrow_what_is_listed_and_found(run: Run) -> None:
    for topic in ("tea", "trains"):
        run("add", f"Ana likes {topic}.", *WHO, "--no-infer", "-m", f"topic={topic}")
    only = ("--filters", '{"topic": "tea"}')
    assert [r["statement"] for r in run("list", *WHO, *only, "--json").json()] == ["Ana likes tea."]
    found = run("search", "What does Ana like?", *WHO, *only, "--records", "--json").json()["hits"]
    assert [hit["record"]["statement"] for hit in found] == ["Ana likes tea."]


def test_messages_come_from_json_and_json_lines(run: Run, home: Path) -> None:
    said = [
        {"role": "user", "content": "Remember that I like tea.", "at": "2026-03-03T11:42:00+01:00"},
        {"role": "assistant", "content": "Noted."},
    ]
    (home / "a.json").write_text(json.dumps(said), "utf-8")
    (home / "b.jsonl").write_text("\n".join(map(json.dumps, said)) + "\n", "utf-8")
    for name in ("a.json", "b.jsonl"):
        assert run("add", "--file", name, *WHO, "--session", name).code == 0
        turns = run("session", "show", name, *WHO, "--json").json()
        assert [turn["role"] for turn in turns] == ["user", "assistant"]
    assert "2026-03-03 10:42" in run("session", "show", "a.json", *WHO).out


def test_one_json_line_is_enough(run: Run, home: Path) -> None:
    (home / "one.jsonl").write_text('{"role": "user", "content": "Remember that I like tea."}\n', "utf-8")
    assert run("add", "--file", "one.jsonl", *WHO, "--json").json()["turns"][0]["result"] == "stored"


def test_get_shows_every_field(run: Run, ana: str) -> None:
    page = run("get", ana, *WHO).out
    assert all(word in page for word in (ana, "user:ana", "preference", "window", "user_message"))
    assert run("get", ana, *WHO, "--json").json()["key"] == "seat"


def test_pages_of_a_list_follow_each_other(run: Run) -> None:
    for number in range(5):
        run("add", f"Number {number}{number}{number} is mine.", *WHO, "--no-infer")
    first = run("list", *WHO, "--limit", "2", "--json").json()
    rest = run("list", *WHO, "--after", first[-1]["id"], "--json").json()
    assert [record["statement"][7] for record in first + rest] == list("01234")
    assert f"--after {first[-1]['id']}" in run("list", *WHO, "-n", "2").out


def test_an_edit_is_in_the_history(run: Run, ana: str) -> None:
    edited = run("update", ana, "Ana prefers aisle seats.", "--set", "value=aisle", "--set", "pinned=true", *WHO, "--json").json()
    assert (edited["statement"], edited["value"], edited["pinned"], edited["version"]) == (
        "Ana prefers aisle seats.",
        "aisle",
        True,
        2,
    )
    page = run("history", ana, *WHO).out
    assert "Ana prefers window seats. → Ana prefers aisle seats." in page
    assert [event["type"] for event in run("history", ana, *WHO, "--json").json()] == ["added", "edited"]


def test_a_time_can_be_set(run: Run, ana: str) -> None:
    edited = run("update", ana, "--set", "valid_until=2027-06-30T00:00+00:00", "--set", "confidence=0.5", *WHO, "--json").json()
    assert (edited["valid_until"], edited["confidence"]) == ("2027-06-30T00:00:00+00:00", 0.5)


def test_an_edit_of_an_old_version_is_refused(run: Run, ana: str) -> None:
    refused = run("update", ana, "Something else.", "--version", "7", *WHO)
    assert refused.code == 1
    assert "is at version 1, not 7" in refused.err


def test_what_is_deleted_is_gone_and_its_story_says_so(run: Run, ana: str) -> None:
    assert run("delete", ana, *WHO, "--yes").out.startswith("Erased 1 record")
    assert run("get", ana, *WHO).code == 1
    story = run("why", ana, *WHO)
    assert "was erased" in story.out
    assert "window" not in story.out


def test_an_erasure_takes_the_dialogue_too_and_proves_it(run: Run, ana: str) -> None:
    told = run("erase", ana, "--dry-run", *WHO)
    assert told.out.startswith("Would be erased\n")
    assert run("get", ana, *WHO).code == 0
    assert run("erase", *WHO, "--yes").code == run("erase", ana, "--all", *WHO, "--yes").code == 2
    assert run("erase", "--session", "none", *WHO, "--yes").code == 1
    done = run("erase", ana, "--verify", "--yes", *WHO)
    assert done.out.startswith("Erased\n")
    assert "nothing is left" in done.out
    receipt = run("erase", "--all", "--yes", "--json", *WHO).json()
    assert (receipt["counts"]["events"], receipt["scan"], receipt["kept"]) == (2, None, [])
    assert run("erase", "--all", "--yes", *WHO).out == "Nothing was there.\n"


def test_a_lineage_is_told_and_followed(run: Run, ana: str) -> None:
    told = run("lineage", ana, *WHO)
    assert "It was said" in told.out
    assert run("lineage", "nothing", *WHO).code == 1
    assert run("quarantine", ana, "--dry-run", *WHO).out.startswith("Would be taken out")
    assert run("retract", ana, *WHO).out.startswith("Taken out")
    assert run("retract", ana, *WHO).out.startswith("Nothing to take out")
    assert run("list", *WHO).out == "Nothing on record.\n"


def test_what_lapsed_is_reviewed(run: Run, ana: str) -> None:
    assert run("review", *WHO).out == "Nothing waits for review.\n"
    assert run("review", ana, *WHO).code == run("review", "--keep", *WHO).code == 2
    assert run("review", ana, "--until", "2031-01-01", "--json", *WHO).json()["expiry_basis"] == "stated"
    assert run("review", ana, "--drop", "--json", *WHO).json()["status"] == "expired"
    assert run("review", ana, "--keep", *WHO).code == 2
    assert run("maintain", "--dry-run", "--json").json()["dry_run"] is True


def test_deleting_everything_counts_it(run: Run, ana: str) -> None:
    assert run("delete", "--all", *WHO, "--yes", "--json").json() == {"erased": 1}
    assert run("list", *WHO).out == "Nothing on record.\n"


def test_the_story_of_a_record_goes_from_turn_to_use(run: Run, ana: str) -> None:
    trace = run("search", "Which seat?", *WHO, "--json").json()["trace_id"]
    page = run("why", ana, *WHO).out
    parts = ["It was said", "It was judged", "It happened", "It was used"]
    assert sorted(parts, key=page.index) == parts
    assert trace in page
    assert list(run("why", ana, *WHO, "--json").json()) == ["id", "record", "usage", "turns", "verdicts", "events", "traces"]


def test_why_explains_an_answer_by_query_and_by_trace(run: Run, ana: str) -> None:
    run("remember", "Ana was born in 1990.", *WHO)
    page = run("why", "--query", "Which seat does she prefer?", *WHO).out
    assert page.index("Returned") < page.index("Ana prefers window seats.") < page.index("Ana was born in 1990.")
    assert "cosine" in page
    trace = run("search", "Which seat does she prefer?", *WHO, "--json").json()["trace_id"]
    told = run("why", trace, *WHO)
    assert told.code == 0
    assert "Ana prefers window seats." in told.out


def test_explain_shows_the_parts_of_a_score(run: Run, ana: str) -> None:
    assert "cosine" in run("search", "Which seat?", *WHO, "--explain").out
    assert "candidates" in run("search", "Which seat?", *WHO, "--explain", "--json").json()["trace"]


def test_records_and_episodes_can_be_searched_apart(run: Run, ana: str) -> None:
    records = run("search", "window seats", *WHO, "--records", "--json").json()["hits"]
    episodes = run("search", "window seats", *WHO, "--episodes", "--json").json()["hits"]
    assert all(hit["turn"] is None for hit in records)
    assert all(hit["record"] is None for hit in episodes)


def test_as_of_tells_what_was_true_then(run: Run) -> None:
    for city, day in (("Lisbon", "2026-01-01"), ("Porto", "2026-05-01")):
        run("remember", f"Ana lives in {city}.", "--key", "home_city", "--value", city, "--at", f"{day}T09:00+00:00", *WHO)
    ask = ("search", "Where does Ana live?", "--records", "--json", *WHO)
    assert [hit["record"]["value"] for hit in run(*ask).json()["hits"]] == ["Porto"]
    then = run(*ask, "--as-of", "2026-02-01").json()["hits"]
    assert then[0]["record"]["value"] == "Lisbon"


def test_a_correction_says_what_it_replaced(run: Run) -> None:
    run("remember", "Ana lives in Lisbon.", "--key", "home_city", "--value", "Lisbon", "--at", "2026-01-01", *WHO)
    page = run("remember", "Ana lives in Porto.", "--key", "home_city", "--value", "Porto", *WHO).out
    assert page.startswith("corrected")
    assert "Ana lives in Lisbon." in page


def test_refusals_are_listed_with_their_reason(run: Run) -> None:
    run("add", "I'm so tired today.", *WHO)
    page = run("refusals", *WHO)
    assert "tired" in page.out
    assert run("refusals", *WHO, "--json").json()[0]["accepted"] is False


def test_a_context_holds_system_records_and_message(run: Run, ana: str) -> None:
    made = run("context", "Which seat shall I book?", "--system", "You help.", *WHO, "--json").json()
    assert [message["role"] for message in made["messages"]] == ["system", "user", "user"]
    page = run("context", "Which seat shall I book?", "--system", "You help.", *WHO).out
    assert "Ana prefers window seats." in page
    assert "of 8000 tokens" in page


def test_a_context_takes_a_shape_and_the_tools_of_a_file(run: Run, ana: str, tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    path.write_text('[{"name": "book", "description": "Book a seat.", "input_schema": {"type": "object"}}]', "utf-8")
    asked = ("context", "Which seat shall I book?", "--system", "You help.", "--tools", str(path), *WHO)
    made = run(*asked, "--shape", "anthropic", "--preset", "coding", "--window", "9000", "--json").json()
    assert (made["system"][0]["text"], made["tools"][0]["name"], made["report"]["budget"]) == ("You help.", "book", 4_500)
    assert "You help." in run(*asked, "--shape", "anthropic").out
    assert run(*asked, "--shape", "gemini").code == 2
    assert run("context", "Hi.", "--tools", str(tmp_path / "none.json"), *WHO).code == 2


def test_a_context_that_cannot_hold_the_message_is_refused(run: Run, ana: str) -> None:
    assert run("context", "word " * 100, "--budget", "20", *WHO).code == 2


def test_what_a_run_merged_is_shown_and_taken_back(run: Run, ana: str) -> None:
    with Memory("onrecord.db", embedder=HashingEmbedder()) as memory:  # which knows words alone, and leaves both
        memory.remember("Cleo lives at 12 Quay Street in Leeds.", user_id="cleo")
        memory.add("Lives in Leeds at 12 Quay Street", infer=False, user_id="cleo")
    before = run("list", "--user", "cleo", "--json").json()
    page = run("maintain").out
    assert "merged" in page
    name = page.split("onrecord undo ")[1].split()[0]
    assert len(run("list", "--user", "cleo", "--json").json()) == len(before) - 1
    assert "would be as before" in run("undo", name, "--dry-run").out
    assert "are as before" in run("undo", name).out
    assert len(run("list", "--user", "cleo", "--json").json()) == len(before)
    assert run("undo", "upkeep_none").code == 1


def test_a_simulation_is_told_by_quarter(run: Run) -> None:
    page = run("simulate", "--years", "0.3", "--sessions", "12").out
    assert page.splitlines()[2].split()[:2] == ["week", "1"]
    assert page.splitlines()[3].split()[0] == "Q1"
    for wrong in (("--without", "sleep"), ("--years", "0"), ("--sessions", "3"), ("--embedder", "none")):
        assert run("simulate", *wrong).code == 2


def test_doctor_and_maintain_report(run: Run, ana: str) -> None:
    assert "Rows and indexes agree." in run("doctor").out
    assert run("doctor", "--repair", "--json").json()["faults"] == []
    assert run("maintain", "--json").json()["unembedded"] == 0
    done = run("maintain")
    assert "captured" in done.out
    assert "owners, what fades" in done.err


def test_tenants_do_not_see_each_other(run: Run, ana: str) -> None:
    other = ("--tenant", "other", *WHO)
    assert run("list", *other).out == "Nothing on record.\n"
    assert run("get", ana, *other).code == 1
    assert run("search", "window seats", *other).out == "Nothing is relevant enough.\n"


def test_stored_escapes_do_not_reach_the_terminal(run: Run) -> None:
    run("add", "Ana likes \x1b[31mred\x1b[0m\u202e.", *WHO, "--no-infer", "--session", "s")
    for command in (
        ("list",),
        ("search", "What does Ana like?"),
        ("session", "show", "s"),
        ("context", "red?", "--session", "s"),
    ):
        out = run(*command, *WHO).out
        assert "\x1b" not in out
        assert "\u202e" not in out


def test_alone_it_shows_its_commands_and_its_version_when_asked(run: Run) -> None:
    alone = run()
    assert alone.code == 0
    assert all(f"  {name}" in alone.out for name in ("add", "search", "why", "eval", "demo"))
    assert run("--version").out.startswith("onrecord ")


def test_threads_are_listed_and_compacted(run: Run) -> None:
    for n in range(8):
        run("add", f"Never send parcel {n} to the old office on Mill Road, please; the weather is fine.", *WHO, "--session", "s")
    (thread,) = run("session", "list", *WHO, "--json").json()
    assert (thread["id"], thread["turns"], thread["covered"]) == ("s", 8, 0)
    assert run("session", "list", *WHO).out.startswith("s\n")
    assert "Nothing to compact" in run("compact", "s", *WHO).out
    page = run("compact", "s", *WHO, "--budget", "60", "--explain")
    assert page.code == 0
    assert "Never send parcel 0" in page.out
    assert "turns have no line" in page.out
    done = run("compact", "s", *WHO, "--budget", "60", "--json").json()
    assert done["fresh"] is False
    assert set(done["summary"]["covers"]).isdisjoint(turn["id"] for turn in done["rest"])
    assert run("compact", "s", *WHO, "--budget", "0").code == 2
    assert run("session", "list", *WHO, "--archived").out == "No threads.\n"


def test_misses_lists_what_was_said_again_after_a_search(run: Run) -> None:
    run("add", "Remember that I prefer window seats on trains.", *WHO, "--session", "before")
    assert run("misses", *WHO).out == "No search missed what was said again after it.\n"
    run("context", "Book me something to Lyon for Friday.", *WHO, "--session", "s")
    run("add", "As I said, I prefer window seats on trains.", *WHO, "--session", "s")
    page = run("misses", *WHO)
    assert page.code == 0
    assert "not found for “Book me something to Lyon for Friday.”" in page.out
    (miss,) = run("misses", *WHO, "--json").json()
    assert miss["record"]["statement"] == "Remember that I prefer window seats on trains."
    assert miss["why"] in page.out.replace("\n            ", " ")
    assert run("misses", *WHO, "--since", "2999-01-01", "--json").json() == []
    assert run("misses", *WHO, "--since", "last week").code == 2


def test_why_tells_the_time_a_question_points_at(run: Run, ana: str) -> None:
    page = run("why", "--query", "What did Ana prefer in March 2024?", *WHO)
    assert "about the time from 2024-03-01 00:00 to 2024-04-01 00:00" in page.out
    told = run("search", "What did Ana prefer before March 2024?", *WHO, "--explain").out
    assert "about the time to 2024-03-01 00:00" in told
    trace = run("search", "What did Ana prefer in March 2024?", *WHO, "--explain", "--json").json()["trace"]
    assert trace["periods"] == [{"since": "2024-03-01T00:00:00+00:00", "until": "2024-04-01T00:00:00+00:00"}]


def test_why_tells_what_a_question_was_built_from(run: Run) -> None:
    run("remember", "The shop in Bergen opens at ten.", *WHO)
    run("add", "When does the shop in Oslo open?", *WHO, "--session", "s")
    made = run("context", "and in Bergen?", *WHO, "--session", "s", "--json").json()
    page = run("why", made["trace_id"], *WHO)
    assert "built from “and in Bergen?”, with 1 turn of its thread: When does the shop in Bergen open" in page.out
    given = run("context", "and in Bergen?", *WHO, "--session", "s", "--query", "the shop in Bergen", "--json").json()
    assert "for which it was given: the shop in Bergen" in run("why", given["trace_id"], *WHO).out
