"""*keepsakes*: does a memory write the right facts of a conversation, refuse the rest, correct what changed, and recall it?

``evaluate_keepsakes`` plays whole conversations into memories and scores all of it; ``write_metrics`` runs capture alone, without
a store: the fast loop for whoever changes the rules. The definitions stand in the modules ``evals.keepsakes_*``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from onrecord.evals import keepsakes_baselines as baselines
from onrecord.evals.keepsakes_gold import Scenario, load
from onrecord.evals.keepsakes_play import HandClock, MakeMemory, Played, play
from onrecord.evals.keepsakes_probes import recall_report, score
from onrecord.evals.keepsakes_relations import correction_report
from onrecord.evals.keepsakes_score import Matching, Write, matching, share
from onrecord.evals.keepsakes_write import write_report
from onrecord.model.query import Include
from onrecord.model.turn import Role, Turn
from onrecord.model.verdict import Act, Candidate
from onrecord.policy.capture.propose import propose
from onrecord.policy.defaults import Policy
from onrecord.policy.gate.judge import judge, judge_turn
from onrecord.policy.language.vocabulary import Vocabulary
from onrecord.policy.secrecy.asked import redact_reply

#: Turns before the one at hand, oldest first, of the same thread → the candidates that pass the gate.
Capture: TypeAlias = Callable[[Turn, Sequence[Turn]], Sequence[Candidate]]
#: Turns taken in, turns in all.
Progress: TypeAlias = Callable[[int, int], None]
#: Turns of the thread that capture may read, as in the pipeline.
BEFORE = 8


def evaluate_keepsakes(
    folder: Path,
    make_memory: MakeMemory,
    *,
    only: Collection[str] | None = None,
    include: Sequence[Include | str] = tuple(Include),
    with_baselines: bool = True,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """The whole evaluation as plain data: ``write``, ``secrets``, ``correction``, ``recall`` per mode, ``baselines``, ``unread``.

    ``make_memory`` gets a clock and gives a fresh memory that uses it; one is made for each conversation. ``include`` are the
    modes in which probes are asked. Raises ``InvalidInput`` when the folder holds no conversation.
    """
    scenarios = load(folder, only=only)
    modes = [Include(mode) for mode in include]
    tick = _ticker(progress, sum(len(scenario.turns) for scenario in scenarios))
    played = [play(scenario, make_memory, modes, tick) for scenario in scenarios]
    found = [matching(one.scenario, one.writes) for one in played]
    return {
        "conversations": [scenario.id for scenario in scenarios],
        "write": write_report(found),
        "secrets": _secrets(played),
        "correction": correction_report(played, found),
        "recall": {mode.value: _recall(played, mode) for mode in modes},
        "baselines": _baselines(scenarios, make_memory) if with_baselines else {},
        "unread": [{"scenario": one.scenario.id, "queued": one.queued, "refused": one.refused} for one in played if _unread(one)],
    }


def _ticker(progress: Progress | None, total: int) -> Callable[[], None]:
    done = 0

    def tick() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, total)

    return tick


def _unread(one: Played) -> bool:
    return bool(one.queued or one.refused)


def _secrets(played: Sequence[Played]) -> dict[str, Any]:
    """The turns with a secret whose token is stored anywhere: a record, a turn, an event, a verdict or an index."""
    listed = sum(reason == "secret" for one in played for reason in one.scenario.rejects.values())
    leaked = [{"scenario": one.scenario.id, "turn": turn} for one in played for turn in one.leaked]
    return {"leaked": share(len(leaked), listed), "turns": leaked}


def _recall(played: Sequence[Played], mode: Include) -> dict[str, Any]:
    return recall_report([score(one.scenario, answer) for one in played for answer in one.answers.get(mode.value, ())])


def _baselines(scenarios: Sequence[Scenario], make_memory: MakeMemory) -> dict[str, Any]:
    with make_memory(HandClock()) as memory:
        rankers = {"bm25_turns": baselines.by_words, "vector_turns": baselines.by_vectors(memory.engine.embedder)}
    return {
        name: recall_report([score(scenario, answer) for scenario in scenarios for answer in baselines.answers(scenario, ranker)])
        for name, ranker in rankers.items()
    }


def write_metrics(folder: Path, capture: Capture, *, only: Collection[str] | None = None) -> dict[str, Any]:
    """The report of ``evals.keepsakes_write`` for capture alone, over the conversations of a folder.

    Every accepted candidate that states something is a write. Nothing is reconciled, so what is said on both turns of a restated
    pair counts as one write with both as sources. Raises ``InvalidInput`` when the folder holds no conversation.
    """
    return write_report([capture_matching(scenario, capture) for scenario in load(folder, only=only)])


def capture_matching(scenario: Scenario, capture: Capture) -> Matching:
    """What capture alone makes of one conversation."""
    writes: list[Write] = []
    for turn, before in _with_thread(scenario):
        accepted = [candidate for candidate in capture(turn, before) if candidate.act is Act.ASSERT]
        writes += [_write(candidate, f"{turn.id}/{n}") for n, candidate in enumerate(accepted)]
    return matching(scenario, _reconciled(scenario, writes))


def rule_capture(policy: Policy | None = None, vocabulary: Vocabulary | None = None) -> Capture:
    """Capture by the packaged rules and gate, as the pipeline runs them."""
    policy, vocabulary = policy or Policy(), vocabulary or Vocabulary()

    def capture(turn: Turn, before: Sequence[Turn]) -> list[Candidate]:
        if judge_turn(turn, policy) is not None:
            return []
        found = propose(turn, before, policy, vocabulary)
        return [candidate for candidate in found if judge(candidate, turn, before, policy).accepted]

    return capture


def _with_thread(scenario: Scenario) -> list[tuple[Turn, list[Turn]]]:
    """Each turn, redacted as the journal does it, with those before it in its thread."""
    threads: dict[tuple[str, str | None], list[Turn]] = {}
    pairs = []
    for turn in scenario.turns:
        thread = threads.setdefault((turn.subject, turn.origin.thread), [])
        asked = thread[-1].text if thread and thread[-1].role is Role.ASSISTANT and turn.role is Role.USER else ""
        clean = replace(turn, text=redact_reply(turn.text, asked).text)
        pairs.append((clean, thread[-BEFORE:]))
        thread.append(clean)
    return pairs


def _write(candidate: Candidate, id: str) -> Write:
    return Write(
        id=id,
        sources=frozenset({*candidate.derived_from, candidate.source.ref}),
        subject=candidate.subject,
        text=candidate.statement,
        quote=candidate.quote,
        kind=candidate.kind,
        negation=candidate.negation,
        qualifier=candidate.qualifier,
        value=candidate.value,
        begin=candidate.valid_from,
        end=candidate.valid_until,
    )


def _reconciled(scenario: Scenario, writes: Sequence[Write]) -> list[Write]:
    """The writes as if restatements had been recognised: the first one of each restated turn rests on both turns."""
    rows = list(writes)
    for fact in scenario.facts():
        both = frozenset(keep.turn for keep in fact.keeps)
        for keep in fact.keeps if len(both) > 1 else ():
            first = next((n for n, write in enumerate(rows) if write.matches(keep) and write.sources == {keep.turn}), None)
            if first is not None:
                rows[first] = replace(rows[first], sources=both)
    return rows
