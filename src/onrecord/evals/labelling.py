"""Labels for your own conversations: a search suggests messages that may answer a question, and each label is written down."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from onrecord.errors import InvalidInput
from onrecord.evals.dataset import Dataset, Line, Question, Talk
from onrecord.evals.ingest import ingest, reach_of
from onrecord.evals.own import message_line, question_line, read
from onrecord.model.query import Include, Query, View
from onrecord.pipeline.retrieve import search
from onrecord.ports import Engine

#: Messages suggested for a question.
SUGGESTED = 9


@dataclass(frozen=True, slots=True)
class Labelled:
    """What was written to ``file``: questions in this sitting, how many of them cannot be answered, and in all."""

    file: str
    questions: int
    unanswerable: int
    total: int


def begin(file: Path, export: Path | None) -> Dataset:
    """The set that a file holds or, where there is none yet, one made of ``export`` and written there.

    Raises ``InvalidInput`` where neither or both are there, and for what cannot be read or written."""
    if file.exists() and export is not None:
        raise InvalidInput("--from", f"and {file} are both there", f"leave out --from to go on with {file}, or name a new file")
    if export is None:
        return read(file)
    dataset = replace(read(export), questions=())
    rows = [message_line(talk.id, line) for talk in dataset.talks.values() for line in talk.lines]
    _append(file, rows)
    return dataset


def conversation_of(dataset: Dataset, named: str | None) -> Talk:
    """The conversation to ask about. Raises ``InvalidInput`` where it is not there, or there are several and none is named."""
    if named is None and len(dataset.talks) == 1:
        return next(iter(dataset.talks.values()))
    if named is None or named not in dataset.talks:
        problem = "is missing" if named is None else f"{named!r} has no message"
        raise InvalidInput("--conversation", problem, f"name one of {', '.join(list(dataset.talks)[:9])}")
    return dataset.talks[named]


class Labelling:
    """A sitting over one conversation. ``engine`` must hold an empty store."""

    def __init__(self, file: Path, dataset: Dataset, talk: Talk, engine: Engine) -> None:
        self._file, self._engine, self._talk = file, engine, talk
        self._ids = {question.id for question in dataset.questions}
        self.written: list[Question] = []
        self._lines = {line.id: line for line in talk.lines}
        ingest(engine, replace(dataset, talks={talk.id: talk}, questions=()))

    @property
    def labelled(self) -> Labelled:
        """What there is now."""
        abstained = sum(question.abstain for question in self.written)
        return Labelled(str(self._file), len(self.written), abstained, len(self._ids))

    def suggested(self, text: str) -> list[Line]:
        """The messages that are likeliest to answer, best first."""
        now = self._talk.lines[-1].at + timedelta(days=1)
        view = View(reach=reach_of(self._talk.id), valid_at=now)
        query = Query(text=text, view=view, include=Include.EPISODES, limit=SUGGESTED, threshold=0.0, now=now)
        return [self._lines[hit.id] for hit in search(self._engine, query).hits]

    def chosen(self, typed: str, shown: Sequence[Line]) -> frozenset[str]:
        """The ids that were typed: numbers of what was shown, or ids; ``0`` alone for none.

        Raises ``InvalidInput`` that names the first word that is neither."""
        words = [word for word in re.split(r"[\s,]+", typed.strip()) if word]
        return frozenset() if words == ["0"] else frozenset(self._id(word, shown) for word in words)

    def write(self, text: str, gold: Iterable[str], category: str) -> Question:
        """Writes a question with its label at the end of the file."""
        number = next(n for n in range(len(self._ids) + 1, 10**9) if f"q{n}" not in self._ids)
        ids, at = frozenset(gold), self._talk.lines[-1].at + timedelta(days=1)
        question = Question(id=f"q{number}", talk=self._talk.id, text=text, category=category, at=at, gold=ids, abstain=not ids)
        _append(self._file, [question_line(question)])
        self._ids.add(question.id)
        self.written.append(question)
        return question

    def _id(self, word: str, shown: Sequence[Line]) -> str:
        if word in self._lines:
            return word
        if word.isdecimal() and 1 <= int(word) <= len(shown):
            return shown[int(word) - 1].id
        raise InvalidInput(
            "answer", f"{word!r} is neither a number that is shown nor an id", "type numbers, 0 for none, or /words"
        )


def _append(file: Path, rows: Sequence[str]) -> None:
    try:
        torn = file.exists() and file.stat().st_size and not file.read_bytes().endswith(b"\n")
        with file.open("a", encoding="utf-8", newline="\n") as out:
            out.write(("\n" if torn else "") + "".join(f"{row}\n" for row in rows))
    except OSError as error:
        raise InvalidInput("FILE", f"{file}: {error.strerror}", "name a file that can be written") from None
