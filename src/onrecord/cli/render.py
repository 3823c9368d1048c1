"""The only module that prints: pages for people, JSON for programs, errors in one line, progress on stderr.

Output is plain where it isn't a terminal, and as wide as the terminal is (100 columns where there is none; ``COLUMNS`` says
otherwise). Stored text can't steer the terminal, and characters the output's encoding lacks never break it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, Protocol

from onrecord.cli.jsonable import as_json
from onrecord.cli.lines import Line, harmless

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

STYLES = {"": "", "strong": "bold", "dim": "dim", "good": "green", "warn": "yellow", "bad": "red", "note": "cyan"}
WIDTH = 100
#: 128 + SIGPIPE, as a shell reports it.
READER_GONE = 141
_NARROWEST = 20
#: The signs our own pages use, where the output can't show them.
_ASCII = str.maketrans({"·": "-", "→": "->", "…": "...", "“": '"', "”": '"', "✓": "+", "✗": "x", "─": "-", "│": "|", "≥": ">="})


class Meter(Protocol):
    """Shows how far a long work is."""

    def __call__(self, what: str, done: int, total: int) -> None:
        """``done`` of ``total`` units of a part of the work are ready."""
        ...


def show(lines: Iterable[Line]) -> None:
    """Prints a page on stdout."""
    console = _console(sys.stdout)
    with _readable():
        for line in lines:
            for row in _rows(line, console):
                console.print(row, soft_wrap=True, crop=False, end="\n")


def show_json(result: Any) -> None:
    """Prints one JSON document on stdout."""
    text = as_json(result, ascii_only=not _has(sys.stdout, "·é日"))
    with _readable():
        print(text, file=_safe(sys.stdout))


def show_text(text: str) -> None:
    """Prints a text of our own as it is."""
    with _readable():
        print(text, file=_safe(sys.stdout))


def show_error(message: str) -> None:
    """Prints one line on stderr."""
    print(f"error: {' '.join(harmless(message).split())}", file=_safe(sys.stderr))


def ask(lines: Iterable[Line], prompt: str) -> str | None:
    """What is typed, or piped in, after a page and a prompt on stderr; ``None`` where nothing more comes."""
    console = _console(sys.stderr)
    for line in lines:
        for row in _rows(line, console):
            console.print(row, soft_wrap=True, crop=False, end="\n")
    print(prompt, end=" ", file=_safe(sys.stderr), flush=True)
    typed = sys.stdin.readline()
    if not sys.stdin.isatty():
        print(file=sys.stderr)
    return typed.rstrip("\r\n") if typed else None


@contextmanager
def meter(*, quiet: bool = False) -> Iterator[Meter]:
    """A meter on stderr: a bar on a terminal, a line for every tenth of the way elsewhere, nothing if ``quiet``."""
    if quiet:
        yield lambda what, done, total: None
    elif not sys.stderr.isatty():
        yield _tenths()
    else:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=_console(sys.stderr), transient=True) as progress:
            task = progress.add_task("", total=None)
            yield lambda what, done, total: progress.update(task, description=what, completed=done, total=total)


def under(tick: Meter, name: str) -> Meter:
    """A meter that shows its parts of the work under the name of the whole."""
    return lambda what, done, total: tick(f"{name}, {what}", done, total)


@contextmanager
def _readable() -> Iterator[None]:
    """Ends the program, quietly and with the shell's own code, when nobody reads its output any more."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter's last flush fails again
        raise SystemExit(READER_GONE) from None


def _tenths() -> Meter:
    shown: dict[str, int] = {}

    def say(what: str, done: int, total: int) -> None:
        tenth = 10 * done // max(total, 1)
        if tenth != shown.get(what):
            shown[what] = tenth
            print(f"{what}: {done}/{total}", file=_safe(sys.stderr), flush=True)

    return say


def _rows(line: Line, console: Console) -> Iterator[Text]:
    """The line as rows of text: its label before the first, blanks of the same width before the others."""
    from rich.text import Text

    label, lead = _text((line.label,)), line.indent + line.width
    if label.cell_len and label.cell_len >= line.width:
        lead = line.indent + label.cell_len + 1
    room = console.width - lead
    if room < _NARROWEST and label.cell_len:  # no space beside the label: the words go below it
        yield Text(" " * line.indent).append_text(label)
        label, lead, room = Text(), 2, console.width - 2
    words = _text(line.words).wrap(console, max(room, 1), overflow="fold")
    for number, row in enumerate(words or [Text()]):
        row.rstrip()
        head = Text(" " * line.indent).append_text(label) if number == 0 else Text()
        if row.cell_len:
            head.append(" " * (lead - head.cell_len)).append_text(row)
        yield head


def _text(spans: Iterable[tuple[str, str]]) -> Text:
    from rich.text import Text

    asciify = not _has(sys.stdout, "·…→")
    text = Text()
    for words, style in spans:
        plain = harmless(words)
        text.append(plain.translate(_ASCII) if asciify else plain, STYLES[style])
    return text


def _console(stream: IO[str]) -> Console:
    from rich.console import Console

    class Passing(Console):
        def on_broken_pipe(self) -> None:
            raise  # what is being handled goes on to whoever called

    width = None if stream.isatty() else _columns()
    return Passing(file=_safe(stream), width=width, markup=False, highlight=False, emoji=False)


def _columns() -> int:
    given = os.environ.get("COLUMNS", "")
    return max(_NARROWEST, int(given)) if given.isdecimal() else WIDTH


def _safe(stream: IO[str]) -> IO[str]:
    """The stream, from now on writing as an escape what its encoding lacks."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None and getattr(stream, "errors", "") != "backslashreplace":
        reconfigure(errors="backslashreplace")
    return stream


def _has(stream: IO[str], text: str) -> bool:
    try:
        text.encode(getattr(stream, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True
