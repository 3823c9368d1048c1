"""Two secrets that were taken out can't be compared: what is said around them decides."""

from __future__ import annotations

import pytest

from onrecord.model.change import Add, Reinforce, Supersede
from onrecord.testing.deciding import DAY, T0, decide, on_record, said

OLD = "The wifi password at the cabin is [secret:password]."


@pytest.mark.parametrize(
    "new",
    [
        "The wifi password at the cabin is now [secret:password].",
        "The new wifi password at the cabin is [secret:password].",
        "The wifi password at the cabin changed, is [secret:password].",
    ],
)
def test_another_secret_of_the_same_thing_takes_the_place_of_the_old_statement(new: str) -> None:
    change = decide(said(new, at=T0 + 9 * DAY), on_record(OLD)).changes[0]
    assert isinstance(change, Supersede)


def test_another_secret_of_another_thing_retires_nothing() -> None:
    change = decide(said("The wifi password at the office is now [secret:password].", at=T0 + 9 * DAY), on_record(OLD)).changes[0]
    assert isinstance(change, Add)


def test_the_same_words_without_a_word_of_change_are_said_again() -> None:
    assert isinstance(decide(said(OLD, at=T0 + 9 * DAY), on_record(OLD)).changes[0], Reinforce)
