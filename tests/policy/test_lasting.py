"""What a person only quotes, wants for this once or asks not to be kept need not survive a summary; nor data without rules."""

from __future__ import annotations

import pytest

from onrecord.model.turn import Role
from onrecord.policy.compaction.lasting import stands
from onrecord.policy.compaction.protect import protected
from onrecord.testing.builders import a_turn


@pytest.mark.parametrize(
    "text",
    [
        'The poster said "never walk under the crane while it is loaded".',
        "Das Schild sagt: „Hier darf man nicht ohne Helm arbeiten.“",
        "Write the summary in capitals, only this time.",
        "Just this once, never mind the two-person rule at the kiln.",
        "Nur heute bitte keine Fotos vom Ofen.",
        "The door code is 4417 for the plumber, don't store it anywhere.",
        "Use this login for the form, bitte nicht merken.",
        "Jo told me that in confidence, so never repeat it.",
        "Please forget what I said about my sister, she doesn't want to be in here.",
    ],
)
def test_these_do_not_go_on_binding(text: str) -> None:
    assert not stands(Role.USER, text)
    assert not any(span.required for span in protected(a_turn("t1", text)))


@pytest.mark.parametrize(
    "text",
    [
        "Never walk under the crane while it is loaded.",
        "Never write “final” into a file name of ours.",
        'Always sign with "Ana" and never with the full name.',
        "Don't store solvents above the second shelf.",
        "Look there each time, it changes weekly, don't memorise the list.",
        "Only this kiln may be used for lead glazes.",
        "Don't forget: no deliveries before ten.",
    ],
)
def test_these_do(text: str) -> None:
    assert stands(Role.USER, text)
    assert any(span.required for span in protected(a_turn("t1", text)))


@pytest.mark.parametrize(
    ("text", "binds"),
    [
        ('{"order":"TB-60412","refund_state":"none","rule":"red if >100%"}', False),
        ('[{"alert":"A-117","text":"conveyor stopped, nobody hurt"}, {"max": 30}]', True),
        ('{"place":"attic","advice":"do not drill or disturb the lagging"}', True),
        ("{not json: never open valve V-12 here}", True),
    ],
)
def test_data_binds_where_one_of_its_values_is_a_sentence_that_does(text: str, binds: bool) -> None:
    assert any(span.required for span in protected(a_turn("t1", text, role=Role.TOOL))) is binds
