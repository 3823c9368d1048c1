"""Every command answers in JSON, whole and alone on stdout; a new command fails here until it is asked too."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

import onrecord
from onrecord.cli.reference import commands

Run: TypeAlias = Callable[..., Any]
WHO = ("--user", "ana")
#: How each command is asked; {id} is a record of Ana's, {key} a key. What needs a data set or a network, or never ends, says so.
ASKED: dict[str, tuple[str, ...] | str] = {
    "onrecord add": ("I never eat pork.", *WHO, "--session", "s"),
    "onrecord remember": ("Ana likes milk.", *WHO),
    "onrecord update": ("{id}", "Ana prefers aisle seats.", *WHO),
    "onrecord delete": ("{id}", "--yes", *WHO),
    "onrecord erase": ("--all", "--yes", *WHO),
    "onrecord search": ("Which seat?", *WHO),
    "onrecord get": ("{id}", *WHO),
    "onrecord list": WHO,
    "onrecord history": ("{id}", *WHO),
    "onrecord refusals": WHO,
    "onrecord context": ("Which seat?", *WHO),
    "onrecord session list": WHO,
    "onrecord session show": ("s", *WHO),
    "onrecord session end": ("s", *WHO),
    "onrecord compact": ("s", *WHO),
    "onrecord why": ("{id}", *WHO),
    "onrecord misses": WHO,
    "onrecord maintain": (),
    "onrecord review": WHO,
    "onrecord lineage": ("{id}", *WHO),
    "onrecord quarantine": ("{id}", "--dry-run", *WHO),
    "onrecord retract": ("{id}", "--dry-run", *WHO),
    "onrecord doctor": (),
    "onrecord keys add": ("program",),
    "onrecord keys list": (),
    "onrecord keys drop": ("{key}",),
    "onrecord policy": (),
    "onrecord demo": (),
    "onrecord completion": ("bash",),
    "onrecord model requirements": (),
    "onrecord knowledge add": ("shop.md", *WHO),
    "onrecord knowledge list": WHO,
    "onrecord knowledge search": ("When does the shop open?", *WHO),
    "onrecord knowledge remove": ("{document}", *WHO),
    "onrecord export": ("all.jsonl", *WHO),
    "onrecord backup": ("copy.db",),
    "onrecord reembed": (),
    "onrecord import": "wants what export wrote; tests/cli/test_moving.py asks it",
    "onrecord restore": "wants a backup, and a database that nobody has open; tests/cli/test_moving.py asks it",
    "onrecord simulate": "plays years; the tests of the simulator ask it",
    "onrecord undo": "takes back a run that merged; the tests of maintenance have one",
    "onrecord serve": "a server: it answers over HTTP",
    "onrecord mcp": "a server: it answers in its protocol",
    **{
        f"onrecord eval {name}": "needs a set; tests/cli/test_eval.py asks it"
        for name in (
            *("locomo", "longmemeval", "beam", "context", "keepsakes", "compaction", "msc", "pairs", "followups"),
            *("injection", "compare", "own", "label", "qa", "poison", "isolation", "erasure"),
        )
    },
    "onrecord model nomic": "fetches a model; tests/providers/test_nomic.py has what it does",
}


def asked(path: str) -> tuple[str, ...]:
    words = ASKED[path]
    assert not isinstance(words, str)
    return words


def test_every_command_is_asked_or_has_a_reason() -> None:
    assert {path for path, _ in commands()} == set(ASKED)


@pytest.mark.parametrize("path", [path for path, words in ASKED.items() if not isinstance(words, str)])
def test_the_answer_is_one_json_document_and_nothing_else(run: Run, ana: str, home: Path, path: str) -> None:
    (home / "shop.md").write_text("# Shop\n\nIt opens at ten.\n", "utf-8")
    document = run("knowledge", "add", "shop.md", *WHO, "--json").json()[0]["document"]["id"]
    run("add", "We decided to take the train.", *WHO, "--session", "s")
    key = run("keys", "add", "k", "--json").json()["id"]
    words = [word.replace("{id}", ana).replace("{key}", key).replace("{document}", document) for word in asked(path)]
    answer = run(*path.split()[1:], *words, "--json")
    assert (answer.code, answer.err) == (0, "")
    assert isinstance(json.loads(answer.out), dict | list)


@pytest.mark.parametrize("path", ["onrecord list", "onrecord policy", "onrecord completion", "onrecord context", "onrecord demo"])
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_reader_that_is_gone_before_anything_is_written_ends_a_command_quietly(
    run: Run, ana: str, home: Path, path: str, form: tuple[str, ...]
) -> None:
    source = str(Path(onrecord.__file__).resolve().parents[1])
    shown = subprocess.Popen(
        [sys.executable, "-m", "onrecord", *path.split()[1:], *asked(path), *form],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=home,
        env={**os.environ, "PYTHONPATH": source},
    )
    assert shown.stdout is not None
    assert shown.stderr is not None
    shown.stdout.close()
    told = shown.stderr.read()
    shown.stderr.close()
    assert (shown.wait(), told) == (141, b"")


@pytest.mark.parametrize("words", [("--help",), ("search", "--help"), ("--version",)])
def test_nobody_has_to_read_the_help(home: Path, words: tuple[str, ...]) -> None:
    env = {**os.environ, "PYTHONPATH": str(Path(onrecord.__file__).resolve().parents[1])}
    command = [sys.executable, "-m", "onrecord", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=home, env=env) as shown:
        assert shown.stdout is not None
        assert shown.stderr is not None
        shown.stdout.close()
        assert (shown.stderr.read(), shown.wait()) == (b"", 141)


@pytest.mark.parametrize("group", ["keys", "session", "model", "knowledge"])
def test_a_group_without_a_command_says_so_in_one_line(run: Run, group: str) -> None:
    failed = run(group)
    assert (failed.code, failed.out, failed.err) == (2, "", f"error: Missing command (see onrecord {group} --help)\n")


def test_the_exit_codes_are_documented(run: Run) -> None:
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text("utf-8")
    for code in ("0", "1", "2", "3", "4", "130", "141"):
        assert f"| {code} |" in page, code
    assert "Exit codes: 0 done, 1 not found or changed meanwhile, 2 bad input" in " ".join(run("--help").out.split())
