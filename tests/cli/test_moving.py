"""Commands by which memory moves."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run


def test_a_memory_is_exported_imported_and_the_same(run: Run, home: Path) -> None:
    run("add", "I prefer email.", "--user", "ana", "--session", "s")
    told = run("export", "e.jsonl", "--json").json()
    assert told["rows"]["record"] == 1
    assert "1 rows" not in run("export", "e.jsonl").out
    done = run("import", "e.jsonl", "--db", "other.db", "--json").json()
    assert (done["added"], done["refused"]) == (told["rows"], 0)
    run("export", "again.jsonl", "--db", "other.db")
    assert (home / "again.jsonl").read_bytes() == (home / "e.jsonl").read_bytes()
    page = run("import", "e.jsonl", "--db", "other.db")
    assert page.code == 0
    assert "record the same" in page.out


def test_lines_that_were_left_out_are_shown_and_end_with_1(run: Run, home: Path) -> None:
    run("add", "I prefer email.", "--user", "ana")
    run("export", "e.jsonl", "--user", "ana")
    with (home / "e.jsonl").open("a", encoding="utf-8") as file:
        file.write("{broken\n")
    number = len((home / "e.jsonl").read_text("utf-8").splitlines())
    done = run("import", "e.jsonl", "--db", "other.db")
    assert done.code == 1
    assert f"{number} refused" in done.out
    strict = run("import", "e.jsonl", "--strict", "--db", "third.db")
    assert (strict.code, f"line {number}" in strict.err) == (2, True)
    assert run("export", "e.jsonl", "--user", "ana", "--all-tenants").code == 2


def test_another_systems_memories_come_in(run: Run, home: Path) -> None:
    (home / "all.json").write_text(json.dumps([{"id": "1", "memory": "Likes tea", "user_id": "ana"}]), "utf-8")
    done = run("import", "all.json", "--from", "mem0", "--json").json()
    assert done["added"] == {"record": 1, "turn": 1}
    assert "Likes tea" in run("list", "--user", "ana").out
    unknown = run("import", "all.json", "--from", "letta")
    assert (unknown.code, "letta" in unknown.err) == (2, True)


def test_a_backup_is_made_and_restored(run: Run, home: Path) -> None:
    run("remember", "Likes tea.", "--user", "ana")
    assert "copy.db is whole" in run("backup", "copy.db").out
    run("remember", "Owns a boat.", "--user", "ana")
    refused = run("restore", "copy.db")
    assert (refused.code, "--force" in refused.err) == (2, True)
    assert run("backup", "copy.db").code == 2
    assert run("restore", "copy.db", "--force").code == 0
    listed = run("list", "--user", "ana").out
    assert "tea" in listed
    assert "boat" not in listed
    missing = run("restore", "none.db", "--db", "new.db")
    assert (missing.code, "FILE" in missing.err) == (2, True)


def test_reembed_says_what_searches_use_now(run: Run) -> None:
    run("remember", "Likes tea.", "--user", "ana")
    done = run("reembed")
    assert done.code == 0
    assert "Searches use" in done.out
