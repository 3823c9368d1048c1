"""``onrecord eval``: measuring a whole memory as it is shipped, and comparing what was measured."""

from __future__ import annotations

import typer

from onrecord.cli.command import command
from onrecord.cli.eval import compare, counted, own, qa, sets, trust

_HELP = "Measure a whole memory, on public sets and on your own."


def add_commands(app: typer.Typer) -> None:
    """Registers them."""
    group = typer.Typer(name="eval", help=_HELP, rich_markup_mode=None)
    for name, function in (
        ("locomo", sets.locomo),
        ("longmemeval", sets.longmemeval),
        ("beam", sets.beam),
        ("own", own.own),
        ("label", own.label),
        ("context", sets.context),
        ("qa", qa.qa),
        ("poison", trust.poison),
        ("isolation", trust.isolation),
        ("erasure", trust.erasure),
        ("keepsakes", counted.keepsakes),
        ("compaction", counted.compaction),
        ("msc", counted.msc),
        ("pairs", counted.pairs),
        ("followups", counted.followups),
        ("injection", counted.injection),
        ("compare", compare.compare),
    ):
        command(group, name)(function)
    app.add_typer(group)
