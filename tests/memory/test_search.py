"""Search with the packaged embedder: what is near enough, and what is not."""

from __future__ import annotations

import pytest

from onrecord.memory import Memory

SAID = (
    "I prefer window seats on trains.",
    "My sister Mira lives in Oslo.",
    "I'm allergic to peanuts, never suggest them.",
    "We decided to use Postgres 16 for the ledger.",
    "I work at Acme as a nurse.",
    "My birthday is 3 May.",
)


@pytest.fixture(scope="module")
def memory() -> Memory:
    """One that holds a few statements."""
    made = Memory(":memory:")
    for text in SAID:
        made.add(text, user_id="ana")
    return made


@pytest.mark.parametrize("query", ["zxqv blorp", "asdf qwer", "lorem ipsum dolor", "🙂🙂", "what is the capital of Mongolia"])
def test_nonsense_and_what_nobody_spoke_of_return_nothing(memory: Memory, query: str) -> None:
    assert not memory.search(query, user_id="ana").hits


@pytest.mark.parametrize(
    ("query", "text"),
    [("which seat does Ana like", SAID[0]), ("where does her sister live", SAID[1]), ("what database do we use", SAID[3])],
)
def test_what_was_said_in_other_words_is_found_as_a_record(memory: Memory, query: str, text: str) -> None:
    first = memory.search(query, user_id="ana").hits[0]
    assert (first.record is not None, first.text) == (True, text)
