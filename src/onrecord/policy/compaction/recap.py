"""Recap: what is put on record of a session that ended: what was discussed, decided and used, and how it ended. Extractive.

A recap only quotes, and only whole clauses: a clause that was cut off may say the opposite. What does not fit the statement
stands in the record's metadata, each line with its turns.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from onrecord.model.record import (
    INFERENCE_CEILING,
    STATEMENT_LIMIT,
    ExpiryBasis,
    Kind,
    Record,
    Source,
    SourceType,
)
from onrecord.model.scope import Origin
from onrecord.model.summary import Line, Section
from onrecord.model.trace import Hit
from onrecord.model.turn import Role, Turn
from onrecord.policy.address import scope_of
from onrecord.policy.compaction.protect import units
from onrecord.policy.compaction.summary import summarize
from onrecord.policy.defaults import Policy
from onrecord.policy.dialogue.parts import calls, results, spoken
from onrecord.policy.dialogue.prune import failed
from onrecord.policy.language.text import query_terms
from onrecord.policy.trust import instructs_model, source_of, trust_of

#: Where the parts of a recap stand in the metadata of its record.
FIELD = "episode"
#: Telling words that a clause needs to say how a session ended, and that are named where no clause fits.
_TELLING, _NAMED = 3, 6


@dataclass(frozen=True, slots=True)
class Told:
    """A line of a recap, verbatim, and the turns it was taken from."""

    text: str
    turn_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recap:
    """What a session was. ``used`` counts the calls of each tool, those that failed included; ``open`` is whether the user's
    last words have no answer, and then they are the ``outcome``."""

    discussed: tuple[Told, ...]
    decided: tuple[Told, ...]
    used: tuple[tuple[str, int, int], ...]
    outcome: Told | None
    open: bool
    turn_ids: tuple[str, ...]


def episode_id(tenant: str, subject: str, thread: str) -> str:
    """The id of the record of a session: always the same one, so that ending it twice writes one record."""
    where = json.dumps([tenant, subject, thread], ensure_ascii=False)
    return f"rec_session_{hashlib.sha256(where.encode()).hexdigest()[:26]}"


def recap(turns: Sequence[Turn], size: int) -> Recap | None:
    """What the turns of a session (oldest first) tell, in about ``size`` characters; ``None`` where nobody said anything."""
    heard = [turn for turn in turns if turn.role in (Role.USER, Role.ASSISTANT, Role.TOOL)]
    said = [turn for turn in heard if spoken(turn)]
    lines = summarize(said, size, len).lines
    if not lines:
        return None
    discussed = _told(sorted((line for line in lines if line.section is not Section.DECISIONS), key=_by_goal))
    decided = _told(line for line in lines if line.section is Section.DECISIONS)
    end, open = _ending(heard)
    calling = [turn.id for turn in heard if calls(turn)]
    named = [id for told in (*discussed, *decided, *([end] if end else [])) for id in told.turn_ids]
    order = {turn.id: place for place, turn in enumerate(turns)}
    ids = tuple(sorted({*named, *calling}, key=order.__getitem__))
    return Recap(discussed=discussed, decided=decided, used=_used(heard), outcome=end, open=open, turn_ids=ids)


def episode_record(id: str, turns: Sequence[Turn], told: Recap, title: str, policy: Policy, now: datetime) -> Record:
    """The recap of ``turns`` as a record of kind ``episode``. It is believed as far as the least trusted of its turns."""
    first, last = turns[0], turns[-1]
    named = set(told.turn_ids)
    doubtful = min((turn for turn in turns if turn.id in named), key=lambda turn: trust_of(turn, policy))
    source = source_of(doubtful)
    origin = Origin(first.origin.agent, first.origin.run, first.origin.thread)
    return Record(
        id=id,
        tenant=last.tenant,
        subject=last.subject,
        scope=scope_of(last.subject),
        origin=origin,
        kind=Kind.EPISODE,
        statement=statement(told, title, last.at),
        source=Source(source, doubtful.id),
        author=told_by(turns),
        quote="\n".join(line.text for line in (*told.discussed[:1], *told.decided)),
        confidence=INFERENCE_CEILING if source is SourceType.MODEL_INFERENCE else 0.95,
        trust=trust_of(doubtful, policy),
        valid_from=first.at,
        valid_until=max(last.at, now) + policy.lifespan.get(Kind.EPISODE, policy.default_lifespan),
        expiry_basis=ExpiryBasis.DEFAULT,
        said_at=last.at,
        written_at=now,
        metadata={FIELD: _parts(told, turns)},
        derived_from=told.turn_ids,
    )


def statement(told: Recap, title: str, ended: datetime) -> str:
    """The recap as one sentence of at most 240 characters: its end, what was decided, then the topic, each whole or in short."""
    name = f" “{title}”" if title and len(title) <= STATEMENT_LIMIT // 4 else ""
    head = f"Session{name} of {ended.date().isoformat()}: "
    forms = _forms(told)
    chosen = {label: shorts[-1] for label, shorts in forms.items()}
    for label in ("ended with", "left open", "decided", "discussed", "used"):
        for form in forms.get(label, ()):
            tried = _joined({**chosen, label: form})
            if len(head) + len(tried) < STATEMENT_LIMIT:
                chosen[label] = form
                break
    return f"{head}{_joined(chosen)}"[: STATEMENT_LIMIT - 1].rstrip(" .;") + "."


def _forms(told: Recap) -> dict[str, list[str]]:
    """What each part of a statement may say, the fullest form first; the last one is short, or empty."""
    forms: dict[str, list[str]] = {}
    if told.discussed:
        topic = told.discussed[0].text
        forms["discussed"] = [f"“{topic}”", ", ".join(_words(topic)[:_NAMED])]
    if told.decided:
        count = f"{len(told.decided)} {'thing' if len(told.decided) == 1 else 'things'}"
        forms["decided"] = [*(f"“{line.text}”" for line in told.decided), count]
    if told.used:
        forms["used"] = [", ".join(name for name, _, _ in told.used), f"{len(told.used)} tools"]
    if told.outcome:
        forms["left open" if told.open else "ended with"] = [f"“{told.outcome.text}”", ""]
    return forms


def _words(text: str) -> list[str]:
    """The telling words of a text, as written there."""
    return [word.strip('.,;:!?"“”()') for word in text.split() if query_terms(word)]


def _joined(chosen: Mapping[str, str]) -> str:
    return "; ".join(f"{label} {form}" for label, form in chosen.items() if form)


def told_by(turns: Sequence[Turn]) -> str:
    """The one who spoke most of the user's turns, or the last author."""
    authors = Counter(turn.author for turn in turns if turn.role is Role.USER)
    return authors.most_common(1)[0][0] if authors else turns[-1].author


def is_told_already(record: Record, turns: Sequence[Turn]) -> bool:
    """Whether an episode tells of these very turns, so that nothing has to be written, and no person's edit is undone."""
    parts = record.metadata.get(FIELD)
    return isinstance(parts, dict) and (parts.get("last"), parts.get("turns")) == (turns[-1].id, len(turns))


def facts_first(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """The hits in their order, but that no record of what happened stands above a record of what is true."""
    facts = [place for place, hit in enumerate(hits) if hit.record is not None and hit.record.kind is not Kind.EPISODE]
    edge = facts[-1] + 1 if facts else 0
    late = [hit for hit in hits[:edge] if hit.record is not None and hit.record.kind is Kind.EPISODE]
    return (*(hit for hit in hits[:edge] if hit not in late), *late, *hits[edge:])


def _told(lines: Iterable[Line]) -> tuple[Told, ...]:
    return tuple(Told(line.text, line.turn_ids) for line in lines)


def _by_goal(line: Line) -> bool:
    return line.section is not Section.GOAL


def _ending(turns: Sequence[Turn]) -> tuple[Told | None, bool]:
    """The first telling clause of the assistant's last words, or the user's where those were said later; and whether it is so."""
    for turn in reversed(turns):
        said = turn.role is Role.ASSISTANT or spoken(turn)
        clause = next(_telling(turn), None) if said else None
        if clause is not None:
            return Told(clause, (turn.id,)), turn.role is Role.USER
    return None, False


def _telling(turn: Turn) -> Iterator[str]:
    asked = turn.role is Role.USER
    for unit in units(turn):
        if len(unit.terms) >= _TELLING and (asked or not unit.asks) and (asked or not instructs_model(unit.text)):
            yield unit.text


def _used(turns: Sequence[Turn]) -> tuple[tuple[str, int, int], ...]:
    names = {call.id: call.name for turn in turns for call in calls(turn)}
    bad = Counter(names.get(r.call_id, "") for turn in turns for r in results(turn) if failed(r))
    made = Counter(call.name for turn in turns for call in calls(turn))
    return tuple((name, number, bad[name]) for name, number in made.items())


def _parts(told: Recap, turns: Sequence[Turn]) -> dict[str, Any]:
    end = told.outcome
    return {
        "session": turns[-1].origin.thread,
        "first": turns[0].id,
        "last": turns[-1].id,
        "turns": len(turns),
        "discussed": [_row(line) for line in told.discussed],
        "decided": [_row(line) for line in told.decided],
        "used": [{"tool": name, "calls": number, "failed": bad} for name, number, bad in told.used],
        "outcome": {**_row(end), "open": told.open} if end else None,
    }


def _row(line: Told) -> dict[str, Any]:
    return {"text": line.text, "turns": list(line.turn_ids)}
