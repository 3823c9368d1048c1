"""What was said before and refused as too light, where what is said now may answer it: read again from the turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from onrecord.model.query import Corpus, View
from onrecord.model.scope import Reach
from onrecord.model.turn import CaptureState, Role, Turn
from onrecord.model.verdict import Candidate, Verdict
from onrecord.pipeline.examine import examine, turns_before
from onrecord.pipeline.fate import taken_back
from onrecord.policy.defaults import Policy
from onrecord.policy.dialogue.parts import voices
from onrecord.policy.gate.judge import may_be_news
from onrecord.policy.secrecy.mask import masked
from onrecord.ports import Engine, Vector


@dataclass(frozen=True, slots=True)
class _Told:
    """A turn, and what of it was refused and may be news of something all the same."""

    turn: Turn
    refused: frozenset[str]


def said_lightly(engine: Engine, turn: Turn, candidate: Candidate, vector: Vector | None) -> list[Candidate]:
    """Candidates of the subject of ``candidate`` that were refused for their weight alone, from the turns nearest to it.

    The ledger says what was refused and never became a record; a turn of which something was taken back gives nothing.
    """
    if vector is None or turn.note is not None or not turn.seq:
        return []
    reach, limit = Reach(turn.tenant, (turn.subject,)), engine.policy.light_turns
    with engine.store.snapshot():
        near = engine.store.nearest(View(reach=reach), Corpus.TURNS, engine.embedder.name, vector, limit=limit)
        told = list(_refused(engine, reach, [id for id, _ in near], turn))
        barred = taken_back(engine, reach, [one.turn.id for one in told]) if told else ()
        free = [one for one in told if one.turn.id not in barred]
        return [light for one in free for light in _light(engine, one, candidate.subject)]


def _refused(engine: Engine, reach: Reach, ids: Sequence[str], turn: Turn) -> Iterator[_Told]:
    """Those of the turns of which something may have been too light alone. Reading a turn again is most of what this costs."""
    ruled = engine.store.verdicts_on(reach, ids) if ids else {}
    words = {id: _never_kept(verdicts) for id, verdicts in ruled.items()}
    for told in engine.store.turns(reach, [id for id in ids if words.get(id)]):
        if _may_be_read(told, turn):
            clean = masked(told)
            if refused := _weighty(clean, words[told.id], engine.policy):
                yield _Told(clean, refused)


def _never_kept(verdicts: Sequence[Verdict]) -> frozenset[str]:
    refused = {verdict.statement for verdict in verdicts if not verdict.accepted and not verdict.record_ids}
    return frozenset(refused - {verdict.statement for verdict in verdicts if verdict.accepted})


def _weighty(told: Turn, statements: frozenset[str], policy: Policy) -> frozenset[str]:
    own = voices(told)[0].text
    return frozenset(statement for statement in statements if may_be_news(statement, own, policy))


def _may_be_read(told: Turn, turn: Turn) -> bool:
    return told.role is Role.USER and told.state is CaptureState.DONE and told.note is None and told.seq < turn.seq


def _light(engine: Engine, told: _Told, subject: str) -> Iterator[Candidate]:
    judged, _ = examine(engine, told.turn, turns_before(engine, told.turn, ()))
    for one in judged:
        light = one.ruling.likely and not one.ruling.accepted
        if light and one.candidate.subject == subject and one.candidate.statement in told.refused:
            yield one.candidate
