"""Options that several commands share, as groups, and how their values are read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from typer import Argument, Option

from onrecord.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Everywhere:
    """What every command takes, and ``onrecord`` itself before the command."""

    db: Annotated[
        str | None,
        Option(metavar="PATH", help="The database file.  [env: ONRECORD_DB; default: onrecord.db]"),
    ] = None
    tenant: Annotated[
        str | None,
        Option(metavar="NAME", help="The tenant.  [env: ONRECORD_TENANT; default: default]"),
    ] = None
    json: Annotated[bool, Option("--json", help="Answer in JSON.")] = False
    debug: Annotated[bool, Option("--debug", help="Show the log, and the traceback of an error.")] = False

    def over(self, earlier: Everywhere) -> Everywhere:
        """These, filled up with what was given before the command."""
        return Everywhere(
            self.db or earlier.db, self.tenant or earlier.tenant, self.json or earlier.json, self.debug or earlier.debug
        )


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose memory a command is about."""

    user: Annotated[str | None, Option(metavar="NAME", help="A user, e.g. ana.  [env: ONRECORD_USER]")] = None
    agent: Annotated[
        str | None,
        Option(metavar="NAME", help="An agent: alone it owns, beside a user it is where things are said."),
    ] = None
    subject: Annotated[str | None, Option(metavar="KIND:NAME", help="Any owner, e.g. account:acme.")] = None

    def named(self) -> dict[str, Any]:
        """The arguments of the library that say the same."""
        return {"user_id": self.user, "agent_id": self.agent, "subject": self.subject}


@dataclass(frozen=True, slots=True)
class Place(Owner):
    """Whose memory, and where something is said."""

    run: Annotated[str | None, Option(metavar="NAME", help="The run it is said in; narrows reads.")] = None
    session: Annotated[str | None, Option(metavar="NAME", help="The thread it is said in; narrows reads.")] = None

    def named(self) -> dict[str, Any]:
        """The arguments of the library that say the same."""
        return {**Owner.named(self), "run_id": self.run, "session_id": self.session}


RecordId = Annotated[str, Argument(metavar="ID", help="The id of a record.")]
At = Annotated[str | None, Option(metavar="TIME", help="When it was said, e.g. 2026-03-03T11:42+01:00.  [default: now]")]
DryRun = Annotated[bool, Option("--dry-run", help="Show what would happen and write nothing.")]
Metadata = Annotated[list[str] | None, Option("--metadata", "-m", metavar="KEY=VALUE", help="Fields of your own; repeatable.")]
Filters = Annotated[str | None, Option(metavar="JSON", help='Only where this holds, e.g. \'{"kind": "preference"}\'.')]
Also = Annotated[
    list[str] | None, Option(metavar="SUBJECT", help="A further subject that may be seen, e.g. team:care; repeatable.")
]


def moment(text: str | None, option: str) -> datetime | None:
    """The time an option gives; one without a zone is in this machine's. Raises ``InvalidInput``."""
    if text is None:
        return None
    try:
        given = datetime.fromisoformat(text)
        return given if given.tzinfo else given.astimezone()
    except (ValueError, OverflowError, OSError):
        raise InvalidInput(option, f"{text[:40]!r} is no time", "write 2026-03-03 or 2026-03-03T11:42+01:00") from None


def pair(text: str, option: str) -> tuple[str, str]:
    """The two sides of ``KEY=VALUE``. Raises ``InvalidInput``."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise InvalidInput(option, f"{text[:40]!r} is not KEY=VALUE", "write it like topic=travel")
    return name, value


def pairs(given: Sequence[str] | None, option: str) -> dict[str, Any]:
    """``KEY=VALUE`` options as a mapping; a value that is JSON counts as such (``3``, ``true``), any other is a string."""
    return {name: _json_or_word(value) for name, value in (pair(text, option) for text in given or ())}


def expression(text: str | None, option: str) -> Any:
    """The JSON an option gives. Raises ``InvalidInput``."""
    if text is None:
        return None
    try:
        return json.loads(text)
    except ValueError as error:
        raise InvalidInput(option, f"is not JSON: {error}", 'write it like {"topic": "travel"}') from None


def _json_or_word(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        return value
