"""``onrecord eval own`` and ``label``: your own conversations, and the questions that are put to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from onrecord.cli import render
from onrecord.cli.command import Desk
from onrecord.cli.eval.bench import CACHE, Cache, Output, open_bench
from onrecord.cli.eval.sets import Asking, retrieval
from onrecord.cli.lines import Line, line, minute, one_line, title
from onrecord.errors import InvalidInput

if TYPE_CHECKING:
    from onrecord.evals.dataset import Line as Said
    from onrecord.evals.labelling import Labelled, Labelling

_WIDTH = 90


def own(
    desk: Desk,
    path: Annotated[Path, Argument(metavar="FILE", help="JSON lines of messages and labelled questions; eval label writes it.")],
    asking: Asking,
    output: Output,
) -> None:
    """Retrieval on your own conversations, with the questions that you labelled."""
    from onrecord.evals.own import load

    retrieval(desk, "own", path, load(path), asking, output)


def label(
    desk: Desk,
    file: Annotated[Path, Argument(metavar="FILE", help="Where questions are written; it is made by --from, or gone on with.")],
    export: Annotated[
        Path | None,
        Option("--from", metavar="EXPORT", help="A conversation: messages in JSON or JSON lines, or what onrecord export wrote."),
    ] = None,
    conversation: Annotated[
        str | None, Option(metavar="NAME", help="Which of several conversations the questions are about.")
    ] = None,
    category: Annotated[str, Option(metavar="NAME", help="The class that the questions are counted in.")] = "question",
    cache: Cache = CACHE,
) -> None:
    """Type questions, choose the messages that answer them among those a search suggests, and have it written down.

    A question a line, and after it the numbers of the messages: 0 if none answers it, /words to search for other words, an empty
    line to leave it out. An empty question ends it. Works as well with the lines piped in.
    """
    from onrecord.evals.labelling import Labelling, begin, conversation_of

    dataset = begin(file, export)
    talk = conversation_of(dataset, conversation)
    with open_bench(desk, Output(cache=cache)) as bench, bench.memory() as memory:
        labelling = Labelling(file, dataset, talk, memory.engine)
        page: Sequence[Line] = [title(f"{len(talk.lines)} messages of {talk.id}", "a question, and then what answers it")]
        while question := (render.ask(page, "question:") or "").strip():
            page = list(_label(labelling, question, category))
    desk.answer(labelling.labelled, labelled_page)


def _label(labelling: Labelling, question: str, category: str) -> Iterator[Line]:
    """Asks for the messages of a question until they are named, or it is left out; what is to be told of it."""
    shown = labelling.suggested(question)
    page = list(suggested_page(shown))
    while typed := (render.ask(page, "answered by:") or "").strip():
        if typed.startswith("/"):
            shown = labelling.suggested(typed.removeprefix("/"))
            page = list(suggested_page(shown))
            continue
        try:
            written = labelling.write(question, labelling.chosen(typed, shown), category)
        except InvalidInput as error:
            page = [line((f"{error.problem} ({error.fix})", "warn"))]
            continue
        yield line((f"{written.id}: {', '.join(sorted(written.gold)) or 'cannot be answered'}", "good"))
        return
    yield line(("left out", "dim"))


def suggested_page(shown: Sequence[Said]) -> Iterator[Line]:
    """Messages with the numbers by which they are chosen."""
    for number, said in enumerate(shown, 1):
        yield line(
            one_line(said.text, _WIDTH), (f"  {said.author}, {minute(said.at)}", "dim"), label=(f"{number}", "note"), width=4
        )


def labelled_page(found: Labelled) -> Iterator[Line]:
    """What was written."""
    counted = f"{found.questions} written, {found.unanswerable} of them without an answer; {found.total} in all"
    yield line((found.file, "strong"), f"  {counted}")
    yield line((f"onrecord eval own {found.file}", "dim"))
