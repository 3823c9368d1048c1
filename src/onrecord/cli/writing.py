"""Commands that write: add, remember, update, delete, erase."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

from onrecord.cli.command import Desk, command
from onrecord.cli.options import At, DryRun, Metadata, Owner, Place, RecordId, expression, moment, pair, pairs
from onrecord.errors import InvalidInput

#: Fields of ``update --set`` that are no plain strings.
_TIMES = ("valid_from", "valid_until")
_JSON = ("confidence", "negation", "pinned", "metadata")


def add_commands(app: typer.Typer) -> None:
    """Registers them."""
    for name, function in (("add", add), ("remember", remember), ("update", update), ("delete", delete), ("erase", erase)):
        command(app, name)(function)


def add(
    desk: Desk,
    where: Place,
    text: Annotated[list[str] | None, Argument(metavar="TEXT", help="What the user says; - reads it from stdin.")] = None,
    file: Annotated[
        str | None,
        Option("--file", "-f", metavar="FILE", help="Messages in JSON or JSON lines ({role, content}); - is stdin."),
    ] = None,
    no_infer: Annotated[bool, Option("--no-infer", help="Keep each message as one record, as it is.")] = False,
    dry_run: DryRun = False,
    at: At = None,
    metadata: Metadata = None,
) -> None:
    """Take in what was said: keep what deserves to last, and say what was refused and why."""
    from onrecord.cli import pages

    messages = _messages(text or [], file)
    named = {**desk.named(where), "at": moment(at, "--at"), "metadata": pairs(metadata, "--metadata")}
    with desk.memory(create=True, rehearse=dry_run) as memory:
        receipt = memory.add(messages, infer=not no_infer, dry_run=dry_run, **named)
    desk.answer(receipt, pages.receipt_page)


def remember(
    desk: Desk,
    where: Place,
    statement: Annotated[str, Argument(metavar="STATEMENT", help="One sentence that stands alone; - reads it from stdin.")],
    kind: Annotated[
        str, Option(metavar="KIND", help="stated_fact, preference, constraint, decision, relationship, ...")
    ] = "stated_fact",
    key: Annotated[str | None, Option(metavar="KEY", help="The attribute it is about, e.g. contact_channel.")] = None,
    value: Annotated[str | None, Option(metavar="TEXT", help="Its short value, e.g. email.")] = None,
    qualifier: Annotated[str | None, Option(metavar="TEXT", help='The situation it holds in, e.g. "at work".')] = None,
    since: Annotated[str | None, Option(metavar="TIME", help="From when it is true.  [default: when it is said]")] = None,
    until: Annotated[str | None, Option(metavar="TIME", help="Until when it is true.  [default: by kind]")] = None,
    pinned: Annotated[bool, Option("--pinned", help="It never fades.")] = False,
    dry_run: DryRun = False,
    at: At = None,
    metadata: Metadata = None,
) -> None:
    """Put one statement on record on purpose, with the fields you know."""
    from onrecord.cli import pages

    fields: dict[str, Any] = {"kind": kind, "key": key, "value": value, "qualifier": qualifier, "pinned": pinned}
    times: dict[str, Any] = {
        "valid_from": moment(since, "--since"),
        "valid_until": moment(until, "--until"),
        "at": moment(at, "--at"),
    }
    named = {**desk.named(where), "metadata": pairs(metadata, "--metadata")}
    with desk.memory(create=True, rehearse=dry_run) as memory:
        receipt = memory.remember(_said(statement), dry_run=dry_run, **fields, **times, **named)
    desk.answer(receipt, pages.receipt_page)


def update(
    desk: Desk,
    owner: Owner,
    id: RecordId,
    statement: Annotated[str | None, Argument(metavar="STATEMENT", help="The new sentence.")] = None,
    set: Annotated[list[str] | None, Option("--set", metavar="FIELD=VALUE", help="A field to change; repeatable.")] = None,
    version: Annotated[int | None, Option(metavar="N", help="Refuse unless the record is at this version.")] = None,
) -> None:
    """Edit a record by hand; its history keeps what it said before."""
    from onrecord.cli import pages

    fields = dict(_field(text) for text in set or ())
    if "statement" in fields and statement is not None:
        raise InvalidInput("--set", "names the statement a second time", "give it once")
    words = {} if statement is None else {"statement": statement}
    if not fields and not words:
        raise InvalidInput("STATEMENT", "is missing", "say what changes: a new sentence, or --set FIELD=VALUE")
    with desk.memory() as memory:
        record = memory.update(id, version=version, **words, **fields, **desk.named(owner))
    desk.answer(record, pages.record_page)


def delete(
    desk: Desk,
    where: Place,
    ids: Annotated[list[str] | None, Argument(metavar="ID", help="The ids of records.")] = None,
    all: Annotated[bool, Option("--all", help="Everything of the owner, or said in the run or session named.")] = False,
    yes: Annotated[bool, Option("--yes", "-y", help="Don't ask.")] = False,
) -> None:
    """Erase records and their words everywhere but in the dialogue they came from. There is no way back."""
    from onrecord.cli import pages

    if bool(ids) == all:
        raise InvalidInput("ID", "and --all exclude each other" if ids else "is missing", "name records, or say --all")
    named = desk.named(where)
    with desk.memory() as memory:
        _confirm(f"Erase {'everything' if all else len(ids or [])} for good?", yes)
        count = memory.delete_all(**named) if all else len(ids or [])
        for id in ids or []:
            memory.delete(id, user_id=named["user_id"], agent_id=named["agent_id"], subject=named["subject"])
    desk.answer({"erased": count}, pages.erasure_page)


def erase(
    desk: Desk,
    owner: Owner,
    ids: Annotated[list[str] | None, Argument(metavar="ID", help="The ids of records and turns.")] = None,
    session: Annotated[str | None, Option(metavar="NAME", help="A whole thread of the owner.")] = None,
    all: Annotated[bool, Option("--all", help="Everything of the owner.")] = False,
    verify: Annotated[bool, Option("--verify", help="Write the files anew and read every byte for what is left.")] = False,
    dry_run: DryRun = False,
    yes: Annotated[bool, Option("--yes", "-y", help="Don't ask.")] = False,
) -> None:
    """Erase records with the dialogue they came from, a thread, or everything of an owner. There is no way back."""
    from onrecord.cli import pages

    if sum((bool(ids), session is not None, all)) != 1:
        raise InvalidInput("ID", "or --session or --all: one of them is to be named", "say what is to be erased")
    named = desk.named(owner)
    chosen: dict[str, Any] = {"ids": ids} if ids else {} if all else {"session_id": session}
    with desk.memory() as memory:
        _confirm(f"Erase {'everything' if all else session or len(ids or [])} for good?", yes or dry_run)
        erased = memory.erase(verify=verify, dry_run=dry_run, **chosen, **named)
    desk.answer(erased, pages.erased_page)


def _messages(text: list[str], file: str | None) -> Any:
    if bool(text) == bool(file):
        raise InvalidInput("TEXT", "and --file exclude each other" if text else "is missing", "give words, - or --file")
    return _parsed(_read(file), file) if file else _said(" ".join(text))


def _said(text: str) -> str:
    return _read("-").rstrip("\n") if text == "-" else text


def _read(name: str) -> str:
    try:
        raw = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(name, f"is not UTF-8 at byte {error.start}", "convert it first, e.g. with iconv") from None
    except OSError as error:
        raise InvalidInput("--file", f"{name}: {error.strerror}", "name a file that can be read") from None


def _parsed(content: str, name: str) -> Any:
    """The messages of a JSON document, or of JSON lines."""
    try:
        return json.loads(content)
    except ValueError as whole:
        lines = [(number, row) for number, row in enumerate(content.split("\n"), 1) if row.strip()]
        if len(lines) < 2 and not name.endswith("l"):
            raise InvalidInput(name, f"is not JSON: {whole}", 'write [{"role": "user", "content": "..."}, ...]') from None
        return [_parsed_line(number, row, name) for number, row in lines]


def _parsed_line(number: int, row: str, name: str) -> Any:
    try:
        return json.loads(row)
    except ValueError as error:
        raise InvalidInput(f"{name} line {number}", f"is not JSON: {error}", "write one message a line, or one list") from None


def _field(text: str) -> tuple[str, Any]:
    name, value = pair(text, "--set")
    if name in _JSON:
        return name, expression(value, f"--set {name}")
    return name, moment(value, f"--set {name}") if name in _TIMES else value


def _confirm(question: str, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise InvalidInput("--yes", "is missing", "erasing can't be undone: say --yes where nobody can be asked")
    typer.confirm(question, abort=True, err=True)
