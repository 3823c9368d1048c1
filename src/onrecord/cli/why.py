"""``onrecord why``: the story of a record, or of an answer; ``onrecord misses``: what an answer should have held."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from onrecord.cli.command import Desk, command
from onrecord.cli.options import Also, Owner, Place, moment
from onrecord.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from onrecord.cli.stories import Account
    from onrecord.memory import Memory
    from onrecord.model.trace import Trace


def add_commands(app: typer.Typer) -> None:
    """Registers them."""
    command(app, "why")(why)
    command(app, "misses")(misses)


def why(
    desk: Desk,
    where: Place,
    id: Annotated[str | None, Argument(metavar="ID", help="The id of a record, or of the trace of a search.")] = None,
    query: Annotated[str | None, Option("--query", "-q", metavar="TEXT", help="Run this search and explain its answer.")] = None,
    limit: Annotated[
        int | None, Option("--limit", "-n", metavar="N", help="At most so many hits of that search.  [default: 5]")
    ] = None,
) -> None:
    """Tell why a record is there (turn, verdict, changes, uses), or why a search answered what it did."""
    from onrecord.cli import stories

    if (id is None) == (query is None):
        raise InvalidInput("ID", "and --query exclude each other" if id else "is missing", "give a record or trace, or a query")
    named = desk.named(where)
    with desk.memory() as memory:
        if query is not None:
            found = memory.search(query, limit=limit, **named)
            desk.answer(account(memory, found.trace), stories.account_page)
        else:
            _explain(desk, memory, id or "", named)


def misses(
    desk: Desk,
    owner: Owner,
    since: Annotated[str | None, Option(metavar="TIME", help="Only what was said again at that time or later.")] = None,
    limit: Annotated[int, Option("--limit", "-n", metavar="N", help="At most so many.")] = 20,
    also: Also = None,
) -> None:
    """List searches that probably missed a record: somebody said it again, or corrected it, right after them."""
    from onrecord.cli import stories

    with desk.memory() as memory:
        found = memory.misses(since=moment(since, "--since"), limit=limit, subjects=also or (), **desk.named(owner))
    desk.answer(found, stories.misses_page)


def account(memory: Memory, trace: Trace) -> Account:
    """The trace with the words of its candidates."""
    from onrecord.cli.stories import Account
    from onrecord.model.scope import SHARED, Reach

    reach, store = Reach(trace.tenant, trace.subjects), memory.engine.store
    ids = [candidate.id for candidate in trace.candidates]
    records = {record.id: record.text for record in store.get(reach, ids)}
    passages = store.passages(Reach(trace.tenant, (*trace.subjects, SHARED)), ids)
    turns = {turn.id: turn.text for turn in store.turns(reach, ids)}
    return Account(trace, {**records, **turns, **{passage.id: passage.text for passage in passages}})


def _explain(desk: Desk, memory: Memory, id: str, named: dict[str, Any]) -> None:
    """The story of a record of that id; if there is none, the account of a trace."""
    from onrecord.cli import stories

    owner = {name: named[name] for name in ("user_id", "agent_id", "subject")}
    try:
        desk.answer(memory.why(id, **owner), stories.story_page)
    except NotFound:
        found = memory.engine.store.trace(_reach(memory, owner), id)
        if found is None:
            raise NotFound("record or trace", id) from None
        desk.answer(account(memory, found), stories.account_page)


def _reach(memory: Memory, owner: dict[str, Any]) -> Any:
    from onrecord.policy.address import address

    return address(memory.tenant, **owner).reach
