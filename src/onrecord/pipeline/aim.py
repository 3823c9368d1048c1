"""Aim: in which memory what a request to forget means is on record."""

from __future__ import annotations

from dataclasses import replace

from onrecord.model.turn import Turn
from onrecord.model.verdict import Act
from onrecord.pipeline.draft import Draft
from onrecord.policy.address import scope_of
from onrecord.policy.correction.forget import targets
from onrecord.policy.gate.judge import Judged
from onrecord.policy.trust import memories_of
from onrecord.ports import Engine


def memories(engine: Engine, turn: Turn) -> list[str]:
    """The subjects in which what was told in ``turn`` may be on record; the turn's own comes first."""
    return memories_of(turn) if engine.policy.personal_subjects else [turn.subject]


def aimed(engine: Engine, draft: Draft, judged: Judged, turn: Turn | None) -> Judged:
    """A request to forget, aimed at that memory of its speaker's which has what it means: what somebody told of themselves in a
    shared conversation is on record as their own. Anything else as it is."""
    asked = judged.candidate
    if turn is None or turn.note is not None or asked.act is not Act.FORGET:
        return judged
    elsewhere = [
        replace(asked, subject=subject, scope=scope_of(subject)) for subject in memories(engine, turn) if subject != asked.subject
    ]
    found = (one for one in (asked, *elsewhere) if targets(one, draft.neighbours(one)))
    return replace(judged, candidate=next(found, asked))
