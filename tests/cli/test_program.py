"""As a program: pipes, environments, signals, and the time it takes to start."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

import onrecord

SOURCE = str(Path(onrecord.__file__).resolve().parents[1])
Run: TypeAlias = Callable[..., Any]

WHO = ("--user", "ana")


def test_text_comes_through_a_pipe(program: Run) -> None:
    said = "Remember that I like “größere” 日本 tea.\n".encode()
    assert program("add", "-", *WHO, "--no-infer", stdin=said).code == 0
    assert "größere" in program("list", *WHO).out


def test_messages_come_through_a_pipe(program: Run) -> None:
    said = json.dumps([{"role": "user", "content": "Remember that I like tea."}]).encode()
    assert json.loads(program("add", "--file", "-", *WHO, "--json", stdin=said).out)["turns"][0]["result"] == "stored"


def test_bytes_that_are_no_text_are_refused(program: Run) -> None:
    refused = program("add", "-", *WHO, stdin=b"\xff\xfe")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith("error: -: is not UTF-8 at byte 0")


@pytest.mark.parametrize("locale", [{"LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}])
def test_a_poor_locale_breaks_nothing(program: Run, locale: dict[str, str]) -> None:
    assert program("remember", "Ana likes 日本 tea — größer.", *WHO, **locale).code == 0
    listed = program("list", *WHO, **locale)
    assert (listed.code, listed.err) == (0, "")
    assert json.loads(program("list", *WHO, "--json", **locale).out)[0]["statement"] == "Ana likes 日本 tea — größer."


def test_piped_output_has_no_colour(program: Run) -> None:
    assert program("remember", "Ana likes tea.", *WHO, TERM="xterm-256color").code == 0
    assert "\x1b" not in program("list", *WHO, TERM="xterm-256color").out


def test_options_stand_before_or_after_the_command(program: Run) -> None:
    assert program("--db", "a.db", "remember", "Ana likes tea.", *WHO).code == 0
    after = program("list", "--db", "a.db", "--json", *WHO)
    before = program("--db", "a.db", "--json", "list", *WHO)
    assert after.out == before.out
    assert json.loads(before.out)[0]["statement"] == "Ana likes tea."


def test_the_environment_names_file_tenant_and_user(program: Run, home: Path) -> None:
    env = {"ONRECORD_DB": "env.db", "ONRECORD_TENANT": "acme", "ONRECORD_USER": "ana"}
    assert program("remember", "Ana likes tea.", **env).code == 0
    assert (home / "env.db").exists()
    assert json.loads(program("list", "--json", **env).out)[0]["tenant"] == "acme"
    assert program("list", "--tenant", "other", **env).out == "Nothing on record.\n"


def test_a_reader_that_goes_away_is_no_error(program: Run, home: Path) -> None:
    for number in range(3):
        program("add", f"Line {number} " + "word " * 3000, *WHO, "--session", "s")
    command = [sys.executable, "-m", "onrecord", "session", "show", "s", *WHO]
    shown = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=home, env={**os.environ, "PYTHONPATH": SOURCE}
    )
    assert shown.stdout is not None
    assert shown.stderr is not None
    shown.stdout.close()
    assert (shown.wait(), shown.stderr.read()) == (141, b"")
    shown.stderr.close()


def test_an_interrupt_ends_with_130(home: Path) -> None:
    """The command waits for its input, so the interrupt comes while it runs."""
    os.mkfifo(home / "input.jsonl")
    waiting = subprocess.Popen(
        [sys.executable, "-m", "onrecord", "add", "--file", "input.jsonl", *WHO],
        stderr=subprocess.PIPE,
        cwd=home,
        env={**os.environ, "PYTHONPATH": SOURCE, "PYTHONFAULTHANDLER": "0"},
    )
    assert waiting.stderr is not None
    with (home / "input.jsonl").open("wb"):  # which returns once the command has opened it to read
        waiting.send_signal(signal.SIGINT)
        assert (waiting.wait(), waiting.stderr.read()) == (130, b"")
    waiting.stderr.close()


def test_a_worker_maintains_again_and_again_and_ends_whole_when_it_is_told_to(program: Run, home: Path) -> None:
    program("remember", "Ana likes tea.", *WHO)
    command = [sys.executable, "-m", "onrecord", "maintain", "--every", "0.01", "--json"]
    env = {**os.environ, "PYTHONPATH": SOURCE}
    worker = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=home, env=env, text=True)
    assert worker.stdout is not None
    reports = 0
    for line in iter(worker.stdout.readline, ""):
        reports += line.startswith("}")
        if reports == 2:
            worker.send_signal(signal.SIGTERM)
            break
    out, err = worker.communicate()
    assert (worker.returncode, err) == (0, "")
    assert out == "" or out.rstrip().endswith("}")  # a run that had begun is told to its end


@pytest.mark.parametrize("span", ["0", "-1", "inf", "nan"])
def test_a_worker_without_a_span_is_refused(program: Run, span: str) -> None:
    program("remember", "Ana likes tea.", *WHO)
    refused = program("maintain", "--every", span)
    assert refused.code == 2
    assert refused.err.startswith("error: --every: is ")


#: What makes a start slow, and is left until something needs it.
HEAVY = ("numpy", "apsw", "onnxruntime", "tokenizers", "pydantic", "rich", "fastapi", "mcp", "opentelemetry", "httpx2")


@pytest.mark.parametrize(
    ("done", "more"),
    [
        ("import onrecord", ("typer", "onrecord.memory")),
        ("import onrecord.cli.main as cli; cli.run(['--help'])", ("onrecord.memory",)),
        ("import onrecord.cli.main as cli; cli.run([])", ("onrecord.memory",)),
    ],
)
def test_what_needs_neither_numbers_nor_models_loads_none(done: str, more: tuple[str, ...]) -> None:
    check = f"import sys; {done}; print([name for name in {(*HEAVY, *more)!r} if name in sys.modules], file=sys.stderr)"
    ran = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, env={**os.environ, "PYTHONPATH": SOURCE}, text=True, check=True
    )
    assert ran.stderr == "[]\n"


def test_an_mcp_server_over_the_streams_loads_no_web_framework(home: Path) -> None:
    check = (
        "import sys; from onrecord.server.mcp import mcp_server; "
        "print([name for name in ('fastapi', 'prometheus_client', 'onnxruntime') if name in sys.modules])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, env={**os.environ, "PYTHONPATH": SOURCE}, text=True, check=True
    )
    assert ran.stdout == "[]\n"


@pytest.mark.parametrize(
    ("shell", "mark"),
    [
        ("bash", "complete -o default -F _onrecord_completion onrecord"),
        ("zsh", "#compdef onrecord"),
        ("fish", "complete --command"),
    ],
)
def test_each_shell_gets_its_script(program: Run, shell: str, mark: str) -> None:
    printed = program("completion", shell)
    assert (printed.code, printed.err) == (0, "")
    assert mark in printed.out
    assert json.loads(program("completion", shell, "--json").out)["script"].strip() == printed.out.strip()


@pytest.mark.parametrize(
    ("words", "found"),
    [("onrecord sea", "search"), ("onrecord search --li", "--limit"), ("onrecord session f", ""), ("onrecord keys a", "add")],
)
def test_a_shell_that_asks_gets_commands_and_options(program: Run, words: str, found: str) -> None:
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1), "_ONRECORD_COMPLETE": "complete_bash"}
    assert program(**asked).out.split() == found.split()


def test_the_script_of_bash_works_in_bash(home: Path) -> None:
    """As a shell does it: the script is read, and its function asked."""
    path = home / "onrecord"
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m onrecord "$@"\n', "utf-8")
    path.chmod(0o755)
    asked = 'eval "$(onrecord completion bash)"; COMP_WORDS=(onrecord mainta); COMP_CWORD=1; _onrecord_completion onrecord; '
    env = {**os.environ, "PYTHONPATH": SOURCE, "PATH": f"{home}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", asked + 'echo "${COMPREPLY[@]}"'], capture_output=True, text=True, env=env, check=False)
    assert (done.stdout.strip(), done.stderr) == ("maintain", "")
