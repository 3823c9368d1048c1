"""The command that prints a shell's completion script: completion."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer
from typer import Argument

from onrecord.cli import render
from onrecord.cli.command import Desk, command

#: The variable in which a shell asks for completions; typer reads it.
COMPLETING = "_ONRECORD_COMPLETE"


class Shell(StrEnum):
    """The shells that are known."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def add_commands(app: typer.Typer) -> None:
    """Registers it."""
    command(app, "completion")(completion)


def completion(desk: Desk, shell: Annotated[Shell, Argument(metavar="SHELL", help="bash, zsh or fish.")]) -> None:
    """Print the script that completes commands and options, e.g. for bash: eval "$(onrecord completion bash)"."""
    from typer._completion_shared import get_completion_script

    script = get_completion_script(prog_name="onrecord", complete_var=COMPLETING, shell=shell)
    if desk.json:
        render.show_json({"shell": shell, "script": script})
    else:
        render.show_text(script)


def start() -> None:
    """Makes this process answer a shell that asks for completions."""
    from typer._completion_classes import completion_init

    completion_init()
