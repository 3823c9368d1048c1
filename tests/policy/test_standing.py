"""What the words of a turn are worth as an answer."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from onrecord.model.trace import Standing
from onrecord.model.verdict import Reason, Verdict
from onrecord.policy.defaults import Policy
from onrecord.policy.recall.question import Aim
from onrecord.policy.recall.standing import answers, note, standing
from onrecord.testing.builders import a_turn, a_verdict

TURN = a_turn("turn_1", "We might repaint the shed some day")


def refused(reason: Reason, statement: str = "We might repaint the shed some day") -> Verdict:
    """A refusal of ``TURN`` for this reason."""
    return a_verdict(accepted=False, reason=reason, statement=statement, record_ids=())


def test_a_turn_that_nobody_judged_is_open() -> None:
    assert standing(TURN, [], [], Policy()) is Standing.OPEN


def test_a_turn_holds_while_its_records_do_and_is_over_when_one_of_them_is() -> None:
    kept = [a_verdict(record_ids=("rec_1", "rec_2"))]
    assert standing(TURN, kept, ["active", "conflicted"], Policy()) is Standing.HOLDS
    for state in ("superseded", "retracted", "quarantined", "erased", "expired", "past its end"):
        assert standing(TURN, kept, ["active", state], Policy()) is Standing.OVER


def test_a_kept_turn_whose_records_are_out_of_reach_is_open() -> None:
    assert standing(TURN, [a_verdict()], [], Policy()) is Standing.OPEN


@pytest.mark.parametrize(
    ("reason", "stands"),
    [
        (Reason.NOT_SPECIFIC, Standing.LIGHT),
        (Reason.EPHEMERAL, Standing.TOLD),
        (Reason.TOOL_OUTPUT, Standing.TOLD),
        (Reason.QUESTION, Standing.UNSAID),
        (Reason.QUOTED, Standing.UNSAID),
        (Reason.HYPOTHETICAL, Standing.UNSAID),
        (Reason.ASSISTANT_WORDS, Standing.UNSAID),
        (Reason.INJECTION, Standing.UNSAID),
    ],
)
def test_a_refusal_says_what_the_words_are(reason: Reason, stands: Standing) -> None:
    assert standing(TURN, [refused(reason)], [], Policy()) is stands


def test_the_best_of_several_refusals_counts() -> None:
    assert standing(TURN, [refused(Reason.QUESTION), refused(Reason.NOT_DURABLE)], [], Policy()) is Standing.LIGHT


def test_what_a_model_got_wrong_says_nothing_of_the_turn() -> None:
    of_a_model = [replace(refused(reason), rule="model/capture.v1") for reason in (Reason.UNSUPPORTED, Reason.NOT_SPECIFIC)]
    unread = replace(refused(Reason.UNREAD), rule="turn")
    assert standing(TURN, [*of_a_model, unread], [], Policy()) is Standing.OPEN
    assert standing(TURN, [*of_a_model, refused(Reason.MOOD)], [], Policy()) is Standing.TOLD


def test_a_secret_outweighs_what_was_kept_beside_it() -> None:
    verdicts = [a_verdict(), refused(Reason.SECRET)]
    assert standing(TURN, verdicts, ["active"], Policy()) is Standing.UNSAID


def test_what_was_nearly_kept_is_likely() -> None:
    verdict = refused(Reason.NOT_SPECIFIC)
    assert standing(TURN, [verdict], [], Policy(nearly_kept=0.0)) is Standing.LIKELY
    assert standing(TURN, [verdict], [], Policy(nearly_kept=1.0)) is Standing.LIGHT


def test_a_question_about_a_state_is_answered_by_statements_alone() -> None:
    assert {one for one in Standing if answers(Aim.STATE, one)} == {
        Standing.OPEN,
        Standing.HOLDS,
        Standing.LIKELY,
        Standing.LIGHT,
    }


def test_each_wider_aim_lets_more_in() -> None:
    let_in = [{one for one in Standing if answers(aim, one)} for aim in (Aim.STATE, Aim.STOOD, Aim.STORY, Aim.SAID)]
    assert all(narrow < wide for narrow, wide in itertools.pairwise(let_in))
    assert let_in[-1] == set(Standing)


def test_the_note_tells_why_words_are_history() -> None:
    assert note(Standing.OVER, [a_verdict()], ["active", "superseded"]) == "what it said is superseded now"
    assert note(Standing.UNSAID, [refused(Reason.QUESTION)], []) == "what was said, not what is so (question)"
    assert note(Standing.HOLDS, [a_verdict()], ["active"]) == ""
