"""A reply that is a secret only because of what was asked never reaches the store."""

from __future__ import annotations

import pytest

from onrecord.memory import Memory

_QUESTION = {"role": "assistant", "content": "Which PIN shall I note for the alarm?"}


@pytest.mark.parametrize("reply", ["7719", "it's 7719, but only until Friday"])
@pytest.mark.parametrize("together", [True, False])
def test_the_answer_to_a_question_for_a_pin_is_not_stored(memory: Memory, reply: str, together: bool) -> None:
    answer = {"role": "user", "content": reply}
    for batch in [[_QUESTION, answer]] if together else [[_QUESTION], [answer]]:
        memory.add(batch, user_id="ana", session_id="s")
    said = memory.session("s", user_id="ana").turns()
    assert len(said) == 2
    assert not any("7719" in turn.text for turn in said)
    assert not any("7719" in repr(record) for record in memory.get_all(user_id="ana", statuses=None))


def test_the_same_words_stay_where_nothing_of_the_kind_was_asked(memory: Memory) -> None:
    memory.add(
        [{"role": "assistant", "content": "Which bus do you take?"}, {"role": "user", "content": "7719"}],
        user_id="ana",
        session_id="s",
    )
    assert memory.session("s", user_id="ana").turns()[-1].text == "7719"
