"""A command writes its own part of a Markdown file and leaves the rest alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from onrecord.cli.sections import with_section, write_section
from onrecord.errors import InvalidInput

PAGE = "# Title\n\n<!-- begin a -->\n\nold\n\n<!-- end a -->\n\nafter\n"


def test_the_part_between_the_comments_is_replaced_and_nothing_else() -> None:
    assert with_section(PAGE, "a", "new\n") == PAGE.replace("old", "new")


def test_writing_twice_changes_nothing_more() -> None:
    once = with_section(PAGE, "a", "new")
    assert with_section(once, "a", "new") == once


def test_a_part_that_is_missing_goes_to_the_end() -> None:
    assert with_section("# Title\n", "b", "new") == "# Title\n\n<!-- begin b -->\n\nnew\n\n<!-- end b -->\n"


def test_half_a_part_is_refused() -> None:
    with pytest.raises(InvalidInput, match="one of its two comments"):
        with_section("<!-- begin a -->\n", "a", "new")


def test_a_file_that_is_missing_is_made(tmp_path: Path) -> None:
    write_section(tmp_path / "new.md", "a", "text")
    assert (tmp_path / "new.md").read_text("utf-8") == "<!-- begin a -->\n\ntext\n\n<!-- end a -->\n"


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="--write"):
        write_section(tmp_path / "none" / "new.md", "a", "text")
