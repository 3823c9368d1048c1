"""Prompts: each a file with its version, the words of its examples that nobody uses, and what the model is told.

A changed text is a new version: the snapshots in the tests hold both together, and the ledger names the version that a candidate
came of. What is in a prompt can never come back as a fact: its examples are about things that do not exist, and words that repeat
one of its passages are known again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

NAMES = ("capture", "summary", "consolidation", "conflict")
#: So many words in a row that also stand in a prompt are no chance.
_RUN = 7
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt. ``tag`` names it with its version, for the ledger."""

    name: str
    version: int
    canaries: frozenset[str]
    text: str

    @property
    def tag(self) -> str:
        """Its name and version, such as ``capture.v1``."""
        return f"{self.name}.v{self.version}"


@cache
def prompt(name: str) -> Prompt:
    """The prompt of that name, one of ``NAMES``."""
    return parsed(name, resources.files("onrecord.policy.prompts").joinpath(f"data/{name}.txt").read_text("utf-8"))


def parsed(name: str, raw: str) -> Prompt:
    """The prompt of a file's text: lines of fields, an empty line, and what the model is told."""
    head, _, body = raw.partition("\n\n")
    fields = dict(line.split(":", 1) for line in head.splitlines())
    # one line a paragraph: how the file is wrapped is for people who read it
    text = "\n\n".join(_unwrapped(part) for part in body.strip().split("\n\n"))
    return Prompt(name, int(fields["version"]), frozenset(fields["canaries"].split()), text)


def repeats_a_prompt(text: str) -> bool:
    """Whether ``text`` holds a word of an example, or a passage of seven words, of any prompt."""
    words = _words(text)
    return any(not prompt(name).canaries.isdisjoint(words) for name in NAMES) or not _runs(words).isdisjoint(_every_run())


def _unwrapped(paragraph: str) -> str:
    """The paragraph on one line, an entry of a list on a line of its own."""
    return re.sub(r"\n(?!- )", " ", paragraph)


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _runs(words: list[str]) -> set[tuple[str, ...]]:
    return {tuple(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1)}


@cache
def _every_run() -> frozenset[tuple[str, ...]]:
    return frozenset(run for name in NAMES for run in _runs(_words(prompt(name).text)))
