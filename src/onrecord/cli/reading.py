"""Commands that read, and those of sessions: search, get, list, history, refusals, context, compact, session list, show, end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from onrecord.cli.command import Desk, command
from onrecord.cli.options import Also, Filters, Owner, Place, RecordId, expression, moment
from onrecord.errors import InvalidInput

if TYPE_CHECKING:
    from onrecord.model.record import Status


def add_commands(app: typer.Typer) -> None:
    """Registers them."""
    named: dict[str, Callable[..., None]] = {
        "search": search,
        "get": get,
        "list": list_,
        "history": history,
        "refusals": refusals,
        "context": context,
    }
    for name, function in named.items():
        command(app, name)(function)
    sessions = typer.Typer(help="Look at threads of dialogue.", rich_markup_mode=None)
    app.add_typer(sessions, name="session")
    command(sessions, "list")(session_list)
    command(sessions, "show")(session_show)
    command(sessions, "end")(session_end)
    command(app, "compact")(compact)


def search(
    desk: Desk,
    where: Place,
    query: Annotated[str, Argument(metavar="QUERY", help="What to look for.")],
    limit: Annotated[int | None, Option("--limit", "-n", metavar="N", help="At most so many hits.  [default: 5]")] = None,
    threshold: Annotated[
        float | None, Option(metavar="X", help="The least relevance, 0 to 1.  [default: the embedder's]")
    ] = None,
    records: Annotated[bool, Option("--records", help="Look among records only.")] = False,
    episodes: Annotated[bool, Option("--episodes", help="Look among what was said only.")] = False,
    kind: Annotated[list[str] | None, Option(metavar="KIND", help="Only records of this kind; repeatable.")] = None,
    key: Annotated[str | None, Option(metavar="KEY", help="Only records of this attribute.")] = None,
    filters: Filters = None,
    as_of: Annotated[str | None, Option(metavar="TIME", help="What was true then.")] = None,
    known_at: Annotated[str | None, Option(metavar="TIME", help="What was on record then.")] = None,
    since: Annotated[str | None, Option(metavar="TIME", help="Said at that time or later.")] = None,
    until: Annotated[str | None, Option(metavar="TIME", help="Said before that time.")] = None,
    history: Annotated[bool, Option("--history", help="Superseded records too.")] = False,
    also: Also = None,
    rerank: Annotated[bool, Option("--rerank", help="Have the reranker of the settings look again at the first hits.")] = False,
    explain: Annotated[bool, Option("--explain", help="Show every part of each score.")] = False,
) -> None:
    """Find what is relevant, best first; nothing, where nothing is relevant enough."""
    from onrecord.cli import pages

    times = {"as_of": as_of, "known_at": known_at, "since": since, "until": until}
    named: dict[str, Any] = {name: moment(text, f"--{name.replace('_', '-')}") for name, text in times.items()}
    with desk.memory() as memory:
        found = memory.search(
            query,
            limit=limit,
            threshold=threshold,
            include=_include(records, episodes),
            kinds=kind,
            key=key,
            filters=expression(filters, "--filters"),
            history=history,
            subjects=also or (),
            rerank=rerank,
            **named,
            **desk.named(where),
        )
    answer = _brief(found, explain) if desk.json else found
    desk.answer(answer, lambda _: pages.hits_page(found.hits, found.trace, explain=explain))


def _include(records: bool, episodes: bool) -> str:
    if records and episodes:
        raise InvalidInput("--records", "and --episodes exclude each other", "give one, or none for both")
    return "records" if records else "episodes" if episodes else "both"


def get(desk: Desk, owner: Owner, id: RecordId) -> None:
    """Show one record, whatever its status."""
    from onrecord.cli import pages

    with desk.memory() as memory:
        record = memory.get(id, **desk.named(owner))
    desk.answer(record, pages.record_page)


def list_(
    desk: Desk,
    where: Place,
    limit: Annotated[int, Option("--limit", "-n", metavar="N", help="At most so many.")] = 100,
    after: Annotated[str | None, Option(metavar="ID", help="Begin behind this record.")] = None,
    status: Annotated[
        list[str] | None,
        Option(metavar="STATUS", help="active, conflicted, superseded, archived, ...; repeatable.  [default: current ones]"),
    ] = None,
    filters: Filters = None,
    also: Also = None,
) -> None:
    """List records, oldest first."""
    from onrecord.cli import pages

    with desk.memory() as memory:
        found = memory.get_all(
            limit=limit,
            after=after,
            statuses=_statuses(status),
            filters=expression(filters, "--filters"),
            subjects=also or (),
            **desk.named(where),
        )
    desk.answer(found, lambda records: pages.records_page(records, limit))


def history(desk: Desk, owner: Owner, id: RecordId) -> None:
    """Show what happened to a record, oldest first."""
    from onrecord.cli import stories

    with desk.memory() as memory:
        events = memory.history(id, **desk.named(owner))
    desk.answer(events, stories.history_page)


def refusals(
    desk: Desk, owner: Owner, limit: Annotated[int, Option("--limit", "-n", metavar="N", help="At most so many.")] = 20
) -> None:
    """Show what was refused and why, newest first."""
    from onrecord.cli import pages

    with desk.memory() as memory:
        verdicts = memory.refusals(limit=limit, **desk.named(owner))
    desk.answer(verdicts, pages.refusals_page)


def context(
    desk: Desk,
    where: Owner,
    message: Annotated[str, Argument(metavar="MESSAGE", help="What the user says now.")],
    session: Annotated[str | None, Option(metavar="NAME", help="The thread whose recent dialogue goes in.")] = None,
    system: Annotated[str, Option(metavar="TEXT", help="Your system text.")] = "",
    budget: Annotated[int | None, Option(metavar="TOKENS", help="Tokens to stay within.  [default: 8000]")] = None,
    limit: Annotated[int | None, Option("--limit", "-n", metavar="N", help="At most so many records.  [default: 12]")] = None,
    query: Annotated[
        str | None, Option(metavar="TEXT", help="Look for this.  [default: what the message asks, in its session]")
    ] = None,
    tools: Annotated[Path | None, Option(metavar="FILE", help="A JSON list of tool schemas that are sent too.")] = None,
    shape: Annotated[str, Option(metavar="SHAPE", help="openai, anthropic, alternating or single.")] = "openai",
    preset: Annotated[str, Option(metavar="PRESET", help="assistant, support, coding or research.")] = "assistant",
    run: Annotated[str | None, Option(metavar="NAME", help="The run whose state goes in.")] = None,
    window: Annotated[int | None, Option(metavar="TOKENS", help="The model's window; at most half of it is used.")] = None,
    also: Also = None,
) -> None:
    """Show what would be sent to the model for a message, and how its tokens are spent."""
    from onrecord.cli import pages

    named = {**desk.named(where), "session_id": session, "subjects": also or (), "run_id": run, "tools": _schemas(tools)}
    with desk.memory() as memory:
        made = memory.context(
            message, system=system, budget=budget, limit=limit, query=query, shape=shape, preset=preset, window=window, **named
        )
    desk.answer(made, pages.context_page)


def session_list(
    desk: Desk,
    owner: Owner,
    limit: Annotated[int, Option("--limit", "-n", metavar="N", help="At most so many.")] = 100,
    archived: Annotated[bool, Option("--archived", help="Those that were put away.")] = False,
) -> None:
    """List threads by their last turn, newest first."""
    from onrecord.cli import pages

    with desk.memory() as memory:
        found = memory.sessions(limit=limit, archived=archived, **desk.named(owner))
    desk.answer(found, pages.threads_page)


def compact(
    desk: Desk,
    owner: Owner,
    session: Annotated[str, Argument(metavar="THREAD", help="The name of the thread.")],
    budget: Annotated[int | None, Option(metavar="TOKENS", help="Tokens the thread may take.  [default: 2000]")] = None,
    explain: Annotated[
        bool, Option("--explain", help="Show every line with its turns, and what was carried and dropped.")
    ] = False,
) -> None:
    """Have a checked summary stand for the older turns of a thread. The turns stay."""
    from onrecord.cli import pages

    with desk.memory() as memory:
        done = memory.session(session, **desk.named(owner)).compact(budget=budget)
    desk.answer(done, lambda it: pages.compaction_page(it, explain=explain))


def session_show(
    desk: Desk,
    owner: Owner,
    session: Annotated[str, Argument(metavar="SESSION", help="The name of the thread.")],
    last: Annotated[int | None, Option(metavar="N", help="Only the last so many turns.")] = None,
) -> None:
    """Show the turns of a thread, in order."""
    from onrecord.cli import pages

    with desk.memory() as memory:
        turns = memory.session(session, **desk.named(owner)).turns(last=last)
    desk.answer(turns, pages.turns_page)


def session_end(
    desk: Desk, owner: Owner, session: Annotated[str, Argument(metavar="SESSION", help="The name of the thread.")]
) -> None:
    """Put on record what happened in a thread: what was discussed, decided and used, and the outcome. Safe to repeat."""
    from onrecord.cli import pages

    with desk.memory() as memory:
        receipt = memory.session(session, **desk.named(owner)).end()
    desk.answer(receipt, pages.receipt_page)


def _schemas(path: Path | None) -> Any:
    if path is None:
        return ()
    try:
        return expression(path.read_text("utf-8"), "--tools")
    except OSError as error:
        raise InvalidInput("--tools", f"{path}: {error.strerror}", "name a JSON file") from None


def _statuses(names: list[str] | None) -> list[Status] | None:
    from onrecord.model.record import Status

    try:
        return None if names is None else [Status(name) for name in names]
    except ValueError as error:
        raise InvalidInput("--status", str(error), "use " + ", ".join(Status)) from None


def _brief(found: Any, explain: bool) -> dict[str, Any]:
    """The hits with the id of their trace; the whole trace if asked for."""
    return {"hits": found.hits, "trace": found.trace} if explain else {"hits": found.hits, "trace_id": found.trace.id}
