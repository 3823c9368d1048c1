"""Every failure is one line with the way out, and an exit code that is documented."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from onrecord.cli.main import exit_code
from onrecord.errors import (
    BudgetTooSmall,
    EmbedderUnavailable,
    InvalidInput,
    ModelError,
    NotFound,
    SecretRefused,
    StoreBusy,
    StoreError,
    VersionConflict,
)

Run: TypeAlias = Callable[..., Any]

WHO = ("--user", "ana")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("get", "rec_x", *WHO), 1, "error: no record 'rec_x' here"),
        (("why", "rec_x", *WHO), 1, "error: no record or trace 'rec_x' here"),
        (("history", "rec_x", *WHO), 1, "error: no record 'rec_x' here"),
        (("delete", "rec_x", "--yes", *WHO), 1, "error: no record 'rec_x' here"),
        (("list",), 2, "error: --user: is missing (say whose memory this is"),
        (("list", "--user", " "), 2, "error: --user: is empty"),
        (("list", "--subject", "acme"), 2, "error: --subject: 'acme' is not kind:name"),
        (("list", "--tenant", "a\nb", *WHO), 2, "error: --tenant: holds control characters"),
        (("search",), 2, "error: Missing argument 'QUERY' (see onrecord search --help)"),
        (("search", "x", "--limt", "3", *WHO), 2, "error: No such option: --limt"),
        (("serch", "x"), 2, "error: No such command 'serch'"),
        (("search", "x", "--limit", "many", *WHO), 2, "error: Invalid value for '--limit'"),
        (("search", "x", "--limit", "0", *WHO), 2, "error: --limit: is 0 (use 1 to 1000)"),
        (("search", "x", "--threshold", "3", *WHO), 2, "error: --threshold: is 3.0 (use 0 to 1)"),
        (("search", "x", "--filters", "{", *WHO), 2, "error: --filters: is not JSON"),
        (("search", "x", "--filters", '{"a": {"zz": 1}}', *WHO), 2, "error: --filters: a has the unknown operator 'zz'"),
        (("search", "x", "--kind", "opinion", *WHO), 2, "error: --kind: is 'opinion'"),
        (("search", "x", "--as-of", "yesterday", *WHO), 2, "error: --as-of: 'yesterday' is no time"),
        (("search", "x", "--records", "--episodes", *WHO), 2, "error: --records: and --episodes exclude each other"),
        (("search", "x", "--also", "acme", *WHO), 2, "error: --also: 'acme' is not kind:name"),
        (("list", "--limit", "0", *WHO), 2, "error: --limit: is 0"),
        (("list", "--status", "dead", *WHO), 2, "error: --status: "),
        (("add", *WHO), 2, "error: TEXT: is missing"),
        (("add", "x", "--file", "y", *WHO), 2, "error: TEXT: and --file exclude each other"),
        (("add", "--file", "none.json", *WHO), 2, "error: --file: none.json: No such file"),
        (("add", "x", "--at", "noon", *WHO), 2, "error: --at: 'noon' is no time"),
        (("add", "x", "--metadata", "novalue", *WHO), 2, "error: --metadata: 'novalue' is not KEY=VALUE"),
        (("remember", " ", *WHO), 2, "error: statement: is empty"),
        (
            ("remember", "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD", *WHO),
            2,
            "error: statement: holds nothing but a secret",
        ),
        (("update", "rec_x", *WHO), 2, "error: STATEMENT: is missing"),
        (("update", "rec_x", "y", "--set", "statement=z", *WHO), 2, "error: --set: names the statement a second time"),
        (("delete", *WHO), 2, "error: ID: is missing"),
        (("delete", "rec_x", "--all", *WHO), 2, "error: ID: and --all exclude each other"),
        (("delete", "rec_x", *WHO), 2, "error: --yes: is missing"),
        (("why", *WHO), 2, "error: ID: is missing"),
        (("why", "rec_x", "--query", "y", *WHO), 2, "error: ID: and --query exclude each other"),
        (("context", "x" * 400, "--budget", "3", *WHO), 2, "error: budget: 3 tokens"),
    ],
)
def test_a_failure_is_one_line_and_a_code(run: Run, ana: str, words: tuple[str, ...], code: int, said: str) -> None:
    failed = run(*words)
    assert failed.err.startswith(said)
    assert failed.err.count("\n") == 1
    assert (failed.code, failed.out) == (code, "")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (NotFound("record", "x"), 1),
        (VersionConflict("x", 1, 2), 1),
        (InvalidInput("a", "b"), 2),
        (SecretRefused("a", "b"), 2),
        (BudgetTooSmall("a"), 2),
        (StoreError("a"), 3),
        (StoreBusy("a"), 3),
        (EmbedderUnavailable("a"), 3),
        (ModelError("a"), 3),
    ],
)
def test_each_class_of_errors_has_its_code(error: Exception, code: int) -> None:
    assert exit_code(error) == code


def test_reading_makes_no_file(run: Run, home: Path) -> None:
    missing = run("search", "x", *WHO)
    assert missing.code == 2
    assert missing.err.startswith("error: --db: onrecord.db does not exist (add something first")
    assert list(home.iterdir()) == []


def test_a_file_that_is_no_database_is_a_failure_of_the_store(run: Run, home: Path) -> None:
    (home / "onrecord.db").write_bytes(b"this is no database " * 100)
    assert run("list", *WHO).code == 3


def test_broken_settings_are_named(run: Run, home: Path) -> None:
    (home / "onrecord.toml").write_text('tennant = "x"\n', "utf-8")
    assert run("list", *WHO).err == "error: tennant: is no setting (did you mean tenant?)\n"


def test_broken_json_is_named_by_its_line(run: Run, home: Path) -> None:
    (home / "m.jsonl").write_text('{"role": "user", "content": "a"}\nnonsense\n', "utf-8")
    assert run("add", "--file", "m.jsonl", *WHO).err.startswith("error: m.jsonl line 2: is not JSON")
    (home / "m.json").write_text("nonsense", "utf-8")
    assert run("add", "--file", "m.json", *WHO).err.startswith("error: m.json: is not JSON")
    (home / "m.json").write_bytes(b"\xff\xfe\x00")
    assert run("add", "--file", "m.json", *WHO).err.startswith("error: m.json: is not UTF-8 at byte 0")


def test_a_message_that_is_off_is_named(run: Run, home: Path) -> None:
    (home / "m.json").write_text('[{"role": "king", "content": "a"}]', "utf-8")
    assert run("add", "--file", "m.json", *WHO).err.startswith("error: messages[0].role: is 'king'")


def test_debug_shows_the_traceback_and_still_the_line(program: Run) -> None:
    failed = program("list", "--user", "ana", "--debug")
    assert failed.code == 2
    assert "Traceback" in failed.err
    assert failed.err.splitlines()[-1].startswith("error: --db: ")
