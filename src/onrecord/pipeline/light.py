"""What was said before and refused as too light, where what is said now may answer it: read again from the turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from onrecord.model.query import Corpus, View
from onrecord.model.scope import Reach
from onrecord.model.turn import CaptureState, Role, Turn
from onrecord.model.verdict import Candidate, Verdict
from onrecord.pipeline.examine import examine, turns_before
from onrecord.pipeline.fate import taken_back
from onrecord.policy.secrecy.mask import masked
from onrecord.ports import Engine, Vector


def said_lightly(engine: Engine, turn: Turn, candidate: Candidate, vector: Vector | None) -> list[Candidate]:
    """Candidates of the subject of ``candidate`` that were refused for their weight alone, from the turns nearest to it.

    The ledger says what was refused and never became a record; a turn of which something was taken back gives nothing.
    """
    if vector is None or turn.note is not None or not turn.seq:
        return []
    reach, limit = Reach(turn.tenant, (turn.subject,)), engine.policy.light_turns
    near = engine.store.nearest(View(reach=reach), Corpus.TURNS, engine.embedder.name, vector, limit=limit)
    turns = [masked(told) for told in engine.store.turns(reach, [id for id, _ in near]) if _may_be_read(told, turn)]
    if not turns:
        return []
    ids = [told.id for told in turns]
    barred, ruled = taken_back(engine, reach, ids), engine.store.verdicts_on(reach, ids)
    free = [told for told in turns if told.id not in barred]
    return [one for told in free for one in _refused(engine, told, ruled.get(told.id, ()), candidate.subject)]


def _may_be_read(told: Turn, turn: Turn) -> bool:
    return told.role is Role.USER and told.state is CaptureState.DONE and told.note is None and told.seq < turn.seq


def _refused(engine: Engine, told: Turn, verdicts: Sequence[Verdict], subject: str) -> Iterator[Candidate]:
    refused = {verdict.statement for verdict in verdicts if not verdict.accepted and not verdict.record_ids}
    refused -= {verdict.statement for verdict in verdicts if verdict.accepted}
    if not refused:
        return
    judged, _ = examine(engine, told, turns_before(engine, told, ()))
    for one in judged:
        light = one.ruling.likely and not one.ruling.accepted
        if light and one.candidate.subject == subject and one.candidate.statement in refused:
            yield one.candidate
