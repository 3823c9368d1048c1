"""``onrecord eval compare``: two runs over the same questions, with what chance could have done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from onrecord.cli.command import Desk
from onrecord.cli.eval.bench import Seed
from onrecord.cli.lines import Line, blank, line, title
from onrecord.errors import InvalidInput

if TYPE_CHECKING:
    from onrecord.evals.compare import Compared, Comparison


def compare(
    desk: Desk,
    a: Annotated[Path, Argument(metavar="A", help="The rows of one run, as --rows wrote them.")],
    b: Annotated[Path, Argument(metavar="B", help="The rows of the other; the same file to compare two systems of one run.")],
    metric: Annotated[
        list[str] | None, Option(metavar="NAME", help="Only this metric, e.g. R@10; repeatable.  [default: all both have]")
    ] = None,
    system: Annotated[str, Option(metavar="NAME", help="The system of A.")] = "onrecord",
    against: Annotated[str | None, Option(metavar="NAME", help="The system of B.  [default: the same]")] = None,
    include: Annotated[
        str | None, Option(metavar="WHAT", help="Only rows that searched this; needed where the two runs searched different.")
    ] = None,
    include_b: Annotated[str | None, Option(metavar="WHAT", help="The same of B, where it is another.")] = None,
    seed: Seed = 1,
) -> None:
    """Compare two runs question by question: the difference, its interval, and the chance of it."""
    from onrecord.evals.compare import compare as compared

    apart, left = _rows(a, "A", include)
    _, right = _rows(b, "B", include_b or include)
    found = compared(left, right, system=system, against=against or system, metrics=metric or (), apart=apart, seed=seed)
    desk.answer(found, lambda result: comparison_page(result, f"{a.name}, {system}", f"{b.name}, {against or system}"))


def _rows(path: Path, side: str, include: str | None) -> tuple[list[str], list[dict[str, Any]]]:
    """The categories left out of the whole, and the rows; with ``include`` those of one way, which need not be the other's."""
    from onrecord.evals.rows import read_rows

    run, rows = read_rows(path)
    if include is not None:
        ways = sorted({str(row.get("include")) for row in rows})
        rows = [{**row, "include": ""} for row in rows if row.get("include") == include]
        if not rows:
            raise InvalidInput("--include", f"{side} has no rows that searched {include}", f"there are {', '.join(ways)}")
    return list(run.get("apart", ())), rows


def comparison_page(found: Comparison, a: str, b: str) -> Iterator[Line]:
    """For each class a line a metric."""
    from onrecord.cli.pages import count  # not while commands are listed

    yield title(f"A: {a}", f"B: {b}")
    if found.only_a or found.only_b:
        only = f"{count(found.only_a, 'question')} in A alone, {count(found.only_b, 'question')} in B alone: left out"
        yield line((only, "warn"))
    for category in dict.fromkeys(one.category for one in found.compared):
        mine = [one for one in found.compared if one.category == category]
        yield blank()
        yield line((category, "strong"), (f"  {count(mine[0].questions, 'question')}, {mine[0].units} drawn", "dim"))
        yield from _lines(mine)


def _lines(compared: Sequence[Compared]) -> Iterator[Line]:
    for one in compared:
        span = f" ({one.interval[0]:+.3f} to {one.interval[1]:+.3f})" if one.interval else ""
        exact = "" if one.mcnemar is None else f", McNemar {one.mcnemar:.3f}"
        yield line(
            f"{one.a:.3f} - {one.b:.3f} = {one.difference:+.3f}{span}, p {one.p:.3f}{exact}",
            (f"  won {one.won}, lost {one.lost}, tied {one.tied}", "dim"),
            label=(one.metric, "note"),
            width=20,
            indent=2,
        )
