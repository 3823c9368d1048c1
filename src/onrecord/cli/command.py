"""How a function becomes a command: groups of options are spread out, and it gets a desk to work at."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

import typer

from onrecord.cli import render
from onrecord.cli.lines import Line
from onrecord.cli.options import Everywhere, Owner
from onrecord.errors import InvalidInput

if TYPE_CHECKING:
    from onrecord.memory import Memory
    from onrecord.settings import Settings

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Desk:
    """What a command works with: the settings in force, the memory, and the way to answer."""

    given: Everywhere

    @property
    def json(self) -> bool:
        """Whether the answer is for a program."""
        return self.given.json

    @property
    def settings(self) -> Settings:
        """The settings, under the options given."""
        from onrecord.settings import load

        words: dict[str, Any] = {"db": self.given.db, "tenant": self.given.tenant}
        return replace(load(), **{name: word for name, word in words.items() if word is not None})

    def memory(self, *, create: bool = False, rehearse: bool = False) -> Memory:
        """The memory, opened. Only what writes the first words may ``create`` its file, and a rehearsal does without one."""
        from onrecord.build import open_chat, open_embedder, open_reader, open_reranker
        from onrecord.memory import Memory

        settings = self.settings
        key = settings.embedder_key
        path = settings.db
        if not Path(path).exists():
            if not create:
                raise InvalidInput("--db", f"{path} does not exist", "add something first, or name the right file")
            path = ":memory:" if rehearse else path
        previous = settings.previous_embedder
        return Memory(
            path,
            tenant=settings.tenant,
            policy=settings.policy,
            embedder=open_embedder(settings.embedder, key=key),
            previous=open_embedder(previous, key=key) if previous else None,
            reranker=open_reranker(settings.reranker, key=key) if settings.reranker else None,
            chat=open_chat(settings.chat, key=settings.chat_key) if settings.chat else None,
            reader=open_reader(settings.reader, key=settings.reader_key) if settings.reader else None,
        )

    def named(self, owner: Owner) -> dict[str, Any]:
        """The owner as arguments of the library; the user of the settings if the command names nobody."""
        if owner.user or owner.agent or owner.subject:
            return owner.named()
        if user := self.settings.user:
            return {**owner.named(), "user_id": user}
        raise InvalidInput("--user", "is missing", "say whose memory this is, e.g. --user ana or --subject account:acme")

    def answer(self, result: T, page: Callable[[T], Iterable[Line]]) -> None:
        """Prints the result: as a page, or as JSON."""
        if self.json:
            render.show_json(result)
        else:
            render.show(page(result))


def command(app: typer.Typer, name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Registers a function that takes a ``Desk``. Parameters that are option groups become one option for each field."""

    def register(function: Callable[..., None]) -> Callable[..., None]:
        app.command(name, no_args_is_help=False)(_outline(function))
        return function

    return register


def fill_in(app: typer.Typer, words: Container[str] | None = None) -> None:
    """Gives the commands named in ``words`` (all, if ``None``) their options. To read them all takes longer than to run one."""
    for info in app.registered_commands:
        whole = getattr(info.callback, "whole", None)
        if whole is not None and (words is None or info.name in words):
            info.callback = spread(whole)
    for group in app.registered_groups:
        if group.typer_instance is not None:
            fill_in(group.typer_instance, words)


def _outline(function: Callable[..., None]) -> Callable[..., None]:
    """What a list of commands shows of a function: its first line."""

    def outline() -> None: ...

    outline.__doc__, outline.__name__ = function.__doc__, function.__name__
    outline.whole = function  # type: ignore[attr-defined]
    return outline


def spread(function: Callable[..., None]) -> Callable[..., None]:
    """``function`` with flat parameters, as typer reads them."""
    own = inspect.signature(function, eval_str=True).parameters
    groups: dict[str, type[Any]] = {name: p.annotation for name, p in own.items() if _is_group(p.annotation)}
    flat = [p.replace(kind=p.KEYWORD_ONLY) for name, p in own.items() if name not in groups and p.annotation is not Desk]
    for group in (*groups.values(), Everywhere):
        flat += _parameters(group)

    def run(context: typer.Context, **given: Any) -> None:
        built = {name: _take(group, given) for name, group in groups.items()}
        everywhere: Everywhere = _take(Everywhere, given).over(context.find_root().obj or Everywhere())
        function(Desk(everywhere), **built, **given)

    first = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    run.__signature__ = inspect.Signature([first, *flat])  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in (first, *flat)}
    run.__doc__, run.__name__ = function.__doc__, function.__name__
    return run


def _is_group(annotation: object) -> bool:
    return is_dataclass(annotation) and annotation is not Desk


@cache
def _parameters(group: type[Any]) -> tuple[inspect.Parameter, ...]:
    hints: Mapping[str, Any] = get_type_hints(group, include_extras=True)
    kind = inspect.Parameter.KEYWORD_ONLY
    return tuple(inspect.Parameter(f.name, kind, default=f.default, annotation=hints[f.name]) for f in fields(group))


def _take(group: type[T], given: dict[str, Any]) -> T:
    return group(**{f.name: given.pop(f.name) for f in fields(group)})  # type: ignore[arg-type]
