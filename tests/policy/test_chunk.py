"""Chunking: along the structure, nothing lost, nothing too long."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from onrecord.policy.defaults import Policy
from onrecord.policy.documents.chunk import chunked

POLICY = Policy(passage_size=80, passage_overlap=30, code_size=160)

GUIDE = """\
# Guide

Intro words.

## Install

Get the package first.
It is small.

```sh
pip install it

# and then
run it
```

### Linux

- one thing
- another thing
  with a second line

| a | b |
|---|---|
| 1 | 2 |

Use
---

Call it.
"""


def told(text: str, name: str = "guide.md", policy: Policy = POLICY) -> list[tuple[str, str]]:
    return [(chunk.heading, chunk.text) for chunk in chunked(text, name, policy)]


def test_sections_lists_tables_and_code_stay_whole_below_their_headings() -> None:
    assert told(GUIDE, policy=Policy()) == [
        ("Guide", "Intro words."),
        (
            "Guide > Install",
            "Get the package first.\nIt is small.\n\n```sh\npip install it\n\n# and then\nrun it\n```",
        ),
        (
            "Guide > Install > Linux",
            "- one thing\n- another thing\n  with a second line\n\n| a | b |\n|---|---|\n| 1 | 2 |",
        ),
        ("Guide > Use", "Call it."),
    ]


def test_a_long_paragraph_is_cut_between_sentences_and_begins_with_the_one_before() -> None:
    said = "The first train leaves at noon. The second one waits. Nobody knows when the third train is going to leave."
    assert told(said) == [
        ("", "The first train leaves at noon. The second one waits."),
        ("", "The second one waits. Nobody knows when the third train is going to leave."),
    ]


def test_a_long_list_is_cut_between_items() -> None:
    items = [f"- item number {n} of this list" for n in range(6)]
    assert told("\n".join(items)) == [("", "\n".join(items[n : n + 2])) for n in (0, 2, 4)]


def test_a_block_of_code_longer_than_a_passage_stays_whole_up_to_a_limit() -> None:
    short, long = "```\n" + "x = 1\n" * 20 + "```", "```\n" + "x = 1\n" * 60 + "```"
    assert told(f"Text.\n\n{short}") == [("", "Text."), ("", short)]
    assert [len(text) <= 80 for _, text in told(long)] == [True] * len(told(long))


def test_code_is_cut_at_its_definitions() -> None:
    code = "import os\n\n\ndef one(a):\n    return a\n\n\nclass Two:\n    x = 1\n\n    def three(self):\n        pass\n"
    assert told(code, "module.py") == [
        ("", "import os"),
        ("def one(a)", "def one(a):\n    return a"),
        ("class Two", "class Two:\n    x = 1\n\n    def three(self):\n        pass"),
    ]


def test_a_change_in_one_section_leaves_the_passages_of_the_others() -> None:
    before, after = told(GUIDE, policy=Policy()), told(GUIDE.replace("Intro words.", "Other words now."), policy=Policy())
    assert before[1:] == after[1:]
    assert before[0] != after[0]


def test_text_without_a_word_has_no_passage() -> None:
    assert told("") == told("\n \n\t\n") == []


def test_a_heading_with_nothing_below_it_is_words_of_its_own() -> None:
    assert told("# One\n## Two\n## Three\nWords.\n# Four") == [
        ("One", "Two"),
        ("One > Three", "Words."),
        ("", "Four"),
    ]


LINES = st.lists(
    st.sampled_from(
        ["# One", "## Two", "", "- item", "1. item", "```", "| a | b |", "    deep", "Words. More words!", "---", "x" * 200]
    )
    | st.text(max_size=40),
    max_size=25,
)


@given(LINES, st.sampled_from(["a.md", "a.py", "a.txt"]))
def test_no_word_is_lost_and_no_passage_is_too_long(lines: list[str], name: str) -> None:
    text = "\n".join(lines)
    made = chunked(text, name, POLICY)
    assert all(len(chunk.text) <= POLICY.code_size and chunk.text.strip() for chunk in made)
    shown = re.sub(r"\s", "", "".join(f"{chunk.heading}{chunk.text}" for chunk in made))
    for word in re.findall(r"[^\W\d_]+", text):
        assert word[:40] in shown
