"""The documentation of the commands is made from the commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from onrecord.cli.reference import commands, option_names, reference
from onrecord.cli.sections import with_section

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


@pytest.mark.parametrize(("path", "node"), list(commands()))
def test_every_command_and_option_is_documented(path: str, node: object) -> None:
    text = PAGE.read_text("utf-8")
    assert f"### {path}\n" in text
    missing = [name for name in option_names(node) if f"`{name}" not in text]
    assert missing == []


def test_the_page_is_what_the_commands_say_now() -> None:
    """If this fails: ``python -m onrecord.cli.reference docs/cli.md``."""
    text = PAGE.read_text("utf-8")
    assert with_section(text, "commands", reference()) == text


def test_every_command_takes_the_shared_options() -> None:
    for path, node in commands():
        assert {"--db", "--tenant", "--json", "--debug"} <= set(option_names(node)), path
