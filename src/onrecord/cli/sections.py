"""Parts of a Markdown file that a command writes: what stands between two comments that name the part."""

from __future__ import annotations

from pathlib import Path

from onrecord.errors import InvalidInput


def with_section(document: str, name: str, body: str) -> str:
    """``document`` with ``body`` between ``<!-- begin name -->`` and ``<!-- end name -->``; put at the end if missing.

    Everything outside stays as it is. Raises ``InvalidInput`` where only one of the two comments is there.
    """
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    part = f"{begin}\n\n{body.strip()}\n\n{end}"
    head, opened, rest = document.partition(begin)
    _, closed, tail = rest.partition(end)
    if bool(opened) != bool(closed):
        raise InvalidInput(name, "has one of its two comments only", f"write {begin} and {end}, or neither")
    if opened:
        return head + part + tail
    return f"{document.rstrip()}\n\n{part}\n".lstrip()


def write_section(path: Path, name: str, body: str) -> None:
    """Writes the part into the file, which is made if there is none. Raises ``InvalidInput`` where that can't be."""
    try:
        before = path.read_text("utf-8") if path.exists() else ""
        path.write_text(with_section(before, name, body), "utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput("--write", f"{path}: {error}", "name a Markdown file that can be written") from None
