"""Prompts: a text belongs to its version, and nothing of a prompt can pass for something that was said."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onrecord.policy.prompts.prompt import NAMES, prompt, repeats_a_prompt

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("name", NAMES)
def test_a_version_of_a_prompt_keeps_its_text(name: str) -> None:
    """A changed prompt is a new version, with a snapshot of its own beside the old one."""
    assert f"{prompt(name).text}\n" == (GOLDEN / f"{prompt(name).tag}.txt").read_text("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_every_sentence_of_a_prompt_is_known_again(name: str) -> None:
    sentences = [part for part in re.split(r"(?<=[.:])\s|\n", prompt(name).text) if len(re.findall(r"[^\W_]+", part)) >= 7]
    assert len(sentences) > 3
    assert [sentence for sentence in sentences if not repeats_a_prompt(sentence)] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_words_of_an_example_are_in_it_and_known_again(name: str) -> None:
    for word in prompt(name).canaries:
        assert word in prompt(name).text.casefold()
        assert repeats_a_prompt(f"The user can't have {word.upper()}.")


@given(st.lists(st.sampled_from("I never eat nuts and my sister lives in Porto with two cats now".split()), max_size=12))
def test_what_people_say_is_no_prompt(words: list[str]) -> None:
    assert not repeats_a_prompt(" ".join(words))
