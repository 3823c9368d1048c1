"""``onrecord``: the entry point, the list of commands, and what every failure looks like.

Exit codes: 0 done; 1 nothing by that id, or it changed meanwhile, or ``doctor`` found faults; 2 an argument or setting is off;
3 the store, the embedder or a model failed; 4 a fault of this program; 130 interrupted; 141 the reader of the output went away.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated

import typer
from typer import Option, TyperException

from onrecord.cli import (
    completion,
    demo,
    eval,
    keys,
    knowledge,
    model,
    moving,
    reading,
    render,
    serving,
    simulate,
    upkeep,
    why,
    writing,
)
from onrecord.cli.command import fill_in
from onrecord.cli.options import Everywhere
from onrecord.errors import BudgetTooSmall, InvalidInput, NotFound, OnRecordError, VersionConflict

_log = logging.getLogger("onrecord")
#: The options that set the fields which the library names.
_SAME = "tenant subject limit threshold filters metadata kind key value qualifier at budget".split()
_OPTIONS: Mapping[str, str] = {
    "user_id": "--user",
    "statuses": "--status",
    "kinds": "--kind",
    "agent_id": "--agent",
    "run_id": "--run",
    "session_id": "--session",
    "subjects": "--also",
    **{name: f"--{name}" for name in _SAME},
}

app = typer.Typer(
    name="onrecord",
    help="Long-term memory for LLM agents, kept as records you can read.",
    epilog="Exit codes: 0 done, 1 not found or changed meanwhile, 2 bad input, 3 store or embedder failed, 4 internal fault.",
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for part in (writing, reading, why, upkeep, moving, serving, keys, knowledge, model, eval, simulate, demo, completion):
    part.add_commands(app)


@app.callback(invoke_without_command=True)
def onrecord(
    context: typer.Context,
    db: Annotated[str | None, Option(metavar="PATH", help="The database file.  [env: ONRECORD_DB; default: onrecord.db]")] = None,
    tenant: Annotated[str | None, Option(metavar="NAME", help="The tenant.  [env: ONRECORD_TENANT; default: default]")] = None,
    json: Annotated[bool, Option("--json", help="Answer in JSON.")] = False,
    debug: Annotated[bool, Option("--debug", help="Show the log, and the traceback of an error.")] = False,
    version: Annotated[bool, Option("--version", help="Show the version.")] = False,
) -> None:
    """Take in what was said, find it again, and tell why."""
    context.obj = Everywhere(db, tenant, json, debug)
    if version:
        from onrecord.wire.version import package_version

        render.show_text(f"onrecord {package_version()}")
    elif context.invoked_subcommand is None:
        render.show_text(context.get_help())


def main(argv: Sequence[str] | None = None) -> None:
    """Runs a command and leaves with its exit code."""
    sys.exit(run(sys.argv[1:] if argv is None else argv))


def run(argv: Sequence[str]) -> int:
    """The exit code of a command; everything it has to say was printed."""
    debug = "--debug" in argv
    logging.basicConfig(level=logging.DEBUG if debug else logging.CRITICAL, format="%(levelname)s %(name)s: %(message)s")
    try:
        completing = completion.COMPLETING in os.environ
        if completing:
            completion.start()
        fill_in(app, None if completing else argv)
        code = app([_decoded(word) for word in argv or ("--help",)], prog_name="onrecord", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except SystemExit as left:
        if isinstance(left.__context__, BrokenPipeError):  # nobody read the help, which typer printed
            return render.READER_GONE
        raise
    except (OnRecordError, TyperException) as error:
        return _failed(error, debug)
    except Exception as error:  # noqa: BLE001 - the one place: whatever it is, the user gets one line, and the log the rest
        _log.exception("unexpected")
        render.show_error(f"{type(error).__name__}: {error} (a fault of onrecord; run again with --debug and report it)")
        return 4


def _failed(error: OnRecordError | TyperException, debug: bool) -> int:
    if debug:
        _log.debug("failed", exc_info=error)
    render.show_error(_message(error))
    return exit_code(error)


def exit_code(error: Exception) -> int:
    """The exit code that stands for an error."""
    match error:
        case NotFound() | VersionConflict():
            return 1
        case InvalidInput() | BudgetTooSmall() | TyperException():
            return 2
    return 3


def _message(error: Exception) -> str:
    if isinstance(error, InvalidInput):
        fix = f" ({error.fix})" if error.fix else ""
        return f"{_OPTIONS.get(error.field, error.field)}: {error.problem}{fix}"
    if isinstance(error, TyperException):
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "onrecord"
        return f"{error.format_message().rstrip('.')} (see {path} --help)"
    return str(error)


def _decoded(word: str) -> str:
    """An argument that the locale could not read, read as UTF-8."""
    try:
        word.encode()
    except UnicodeEncodeError:
        return os.fsencode(word).decode("utf-8", "surrogateescape")
    return word
