"""The commands for documents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

Run: TypeAlias = Callable[..., Any]
GUIDE = "# Returns\n\nParcels go back within thirty days.\n\n## Refunds\n\nA refund is paid to the card five days later.\n"


@pytest.fixture
def guide(tmp_path: Path) -> Path:
    path = tmp_path / "docs" / "returns.md"
    path.parent.mkdir()
    path.write_text(GUIDE, "utf-8")
    return path


def test_a_file_is_added_found_replaced_and_removed(run: Run, guide: Path) -> None:
    added = run("knowledge", "add", str(guide), "--name", "returns.md", "-m", "lang=en")
    assert added.code == 0
    assert "2 passages · 2 new" in added.out
    (hit, *_) = run("knowledge", "search", "When is a refund paid?", "--json").json()
    assert (hit["document"]["name"], hit["passage"]["heading"]) == ("returns.md", "Returns > Refunds")
    assert "Returns > Refunds" in run("knowledge", "search", "When", "is", "a", "refund", "paid?", "--explain").out
    guide.write_text(GUIDE.replace("thirty", "sixty"), "utf-8")
    (again,) = run("knowledge", "add", str(guide), "--name", "returns.md", "--json").json()
    assert (again["added"], again["kept"], again["dropped"]) == (1, 1, 1)
    (listed,) = run("knowledge", "list", "--json").json()
    assert listed["version"] == 2
    assert "returns.md" in run("knowledge", "remove", listed["id"]).out
    assert run("knowledge", "list").out == "No documents.\n"
    assert run("knowledge", "remove", listed["id"]).code == 1


def test_every_file_of_a_folder_is_added_and_narrowed_by_owner_collection_and_filters(run: Run, guide: Path) -> None:
    (guide.parent / "tool.py").write_text("def refund(card):\n    return card\n", "utf-8")
    (guide.parent / ".hidden").write_text("x", "utf-8")
    run("knowledge", "add", str(guide.parent), "--user", "ana", "--collection", "help", "-m", "lang=en")
    assert run("knowledge", "list", "--json").json() == []
    for narrowed, number in (((), 2), (("--collection", "other"), 0), (("--filters", '{"lang": "en"}'), 2)):
        assert len(run("knowledge", "list", "--user", "ana", *narrowed, "--json").json()) == number


def test_a_file_that_is_no_text_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\xff\xfe")
    told = run("knowledge", "add", str(tmp_path / "picture.png"))
    assert told.code == 2
    assert "picture.png" in told.err
    assert run("knowledge", "add", str(tmp_path / "none.md")).code == 2


def test_of_a_folder_the_file_that_says_nothing_is_named(run: Run, guide: Path) -> None:
    (guide.parent / "empty.md").write_text(" \n", "utf-8")
    told = run("knowledge", "add", str(guide.parent))
    assert (told.code, "empty.md says nothing" in told.err, "leave it out" in told.err) == (2, True, True)
