from __future__ import annotations

from onrecord.memory import Memory
from onrecord.policy.defaults import QUERY_LIMIT
from onrecord.policy.dialogue.messages import query_text


def test_a_short_query_is_read_whole() -> None:
    assert query_text("Where do I live?") == "Where do I live?"


def test_of_a_long_query_the_first_and_last_words_are_read_and_none_is_cut() -> None:
    words = [f"w{n}" for n in range(1_000_000)]
    read = query_text(" ".join(words))
    assert len(read) <= QUERY_LIMIT
    assert read.startswith("w0 w1 ")
    assert read.endswith(" w999998 w999999")
    assert set(read.split()) <= set(words)


def test_a_query_of_one_endless_word_is_cut_all_the_same() -> None:
    assert len(query_text("x" * 10_000_000)) <= QUERY_LIMIT + 1


def test_what_is_asked_at_the_end_of_a_pasted_log_is_found(memory: Memory) -> None:
    memory.add("I am allergic to walnuts.", user_id="ana")
    hits = memory.search("INFO started ok\n" * 600_000 + "Am I allergic to walnuts?", user_id="ana", threshold=0.0).hits
    assert "walnuts" in hits[0].text
