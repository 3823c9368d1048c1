"""The summary keeps what binds and fills the rest by worth; the checker sees what a summary lost, turned round or made up."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from onrecord.model.scope import Origin
from onrecord.model.summary import FaultKind, Section, SpanKind
from onrecord.model.turn import Role, Turn
from onrecord.policy.compaction.protect import ledger
from onrecord.policy.compaction.summary import render, summarize
from onrecord.policy.compaction.verify import accept, check, repair

AT = datetime(2026, 3, 3, tzinfo=UTC)
TALK = [
    (Role.USER, "Help me plan the move to the new warehouse."),
    (
        Role.ASSISTANT,
        "Happy to. Where shall we start? I would suggest listing what you have and when you want to be done with everything.",
    ),
    (Role.USER, "We have 412 pallets. The lease on Dock Street ends on 30 June."),
    (Role.ASSISTANT, "That leaves enough time. Shall I draft a schedule for the weeks until then?"),
    (Role.USER, "Yes. Never schedule anything on a Tuesday, the dock is closed. And we decided on Veldkant as the carrier."),
    (Role.TOOL, "quote Q-1187: 38 EUR per pallet, valid until 15 May"),
    (Role.ASSISTANT, "The quote is in. It looks good to me, all in all, and nothing speaks against it."),
    (Role.USER, "Lovely weather, isn't it?"),
    (Role.ASSISTANT, "It is! The sun is out and it should stay that way for the rest of the week, or so they say."),
]


def words(text: str) -> int:
    return (len(text) + 3) // 4


def talk(said: list[tuple[Role, str]] = TALK, author: str = "Ana") -> list[Turn]:
    return [
        Turn(
            id=f"t{n}",
            tenant="d",
            subject="user:ana",
            origin=Origin(thread="x"),
            role=role,
            author=author if role is Role.USER else role.value,
            text=text,
            at=AT + timedelta(minutes=n),
            written_at=AT,
        )
        for n, (role, text) in enumerate(said)
    ]


def test_what_binds_is_kept_whatever_the_budget_and_the_summary_says_that_it_is_over() -> None:
    summary = summarize(talk(), 1, words)
    assert "Never schedule anything on a Tuesday, the dock is closed." in summary.text
    assert "we decided on Veldkant as the carrier" in summary.text
    assert summary.over
    assert not any(fault.span and fault.span.required for fault in check(summary.text, summary.ledger))


@pytest.mark.parametrize("budget", [60, 80, 100, 150])
def test_a_budget_that_holds_what_binds_is_kept(budget: int) -> None:
    summary = summarize(talk(), budget, words)
    assert summary.tokens == words(summary.text) <= budget
    assert not summary.over


def test_values_come_before_talk() -> None:
    text = summarize(talk(), 80, words).text
    assert "412 pallets" in text
    assert "weather" not in text


def test_of_two_sentences_the_one_about_the_speaker_comes_first() -> None:
    turns = talk([(Role.USER, "Nice day."), (Role.USER, "Otters eat quick fish."), (Role.USER, "I mend quick boats.")])
    assert [line.text for line in summarize(turns, 9, words).lines] == ["I mend quick boats."]


def test_each_line_names_its_turns_and_what_was_dropped_is_named_too() -> None:
    turns = talk()
    summary = summarize(turns, 70, words)
    by_id = {turn.id: turn.text for turn in turns}
    for line in summary.lines:
        assert all(piece in by_id[line.turn_ids[0]] for piece in line.text.split(" … "))
    named = {id for line in summary.lines for id in line.turn_ids}
    assert named | set(summary.dropped) == set(by_id) == set(summary.covers)


def test_lines_stand_in_their_sections_and_say_who_spoke_where_it_is_not_the_user() -> None:
    summary = summarize(talk(), 150, words)
    sections = [line.section for line in summary.lines]
    assert sections == sorted(sections, key=list(Section).index)
    assert sections[:3] == [Section.GOAL, Section.CONSTRAINTS, Section.DECISIONS]
    assert "- tool: quote Q-1187" in summary.text
    assert "- Ana:" not in summary.text


def test_a_rule_from_a_document_is_no_constraint_of_the_users() -> None:
    turns = talk([(Role.USER, "Read this."), (Role.DOCUMENT, "Parcels must never be left outside.")])
    assert [line.section for line in summarize(turns, 40, words).lines if "Parcels" in line.text] == [Section.FACTS]


def test_five_rounds_lose_nothing_more_than_one() -> None:
    turns = talk()
    found = summarize(turns, 80, words)
    spans = found.ledger
    for _ in range(5):
        again = summarize(turns, 80, words, earlier=spans)
        assert again == found
        spans = again.ledger


def test_new_facts_are_covered_once_from_round_to_round() -> None:
    said = list(TALK)
    for n in range(3):
        said.append((Role.USER, f"Rule {n}: never use door {n}."))
        summary = summarize(talk(said), 100, words)
        assert [summary.text.count(f"never use door {k}.") for k in range(n + 1)] == [1] * (n + 1)
        assert len(summary.covers) == len(set(summary.covers)) == len(said)


def test_a_clause_of_a_turn_that_is_gone_lives_on_from_the_ledger() -> None:
    turns = talk()
    before = summarize(turns, 80, words)
    after = summarize(turns[5:], 80, words, earlier=before.ledger)
    assert "Never schedule anything on a Tuesday" in after.text
    assert "t4" in {id for line in after.lines for id in line.turn_ids}
    assert "t4" in after.covers


def test_a_restated_rule_stands_once() -> None:
    turns = talk([(Role.USER, "Never ring before ten.")] * 3)
    assert summarize(turns, 50, words).text.count("ring before ten") == 1


def test_an_empty_thread_has_an_empty_summary() -> None:
    summary = summarize([], 10, words)
    assert (summary.text, summary.lines, summary.over) == ("", (), False)


# --- the checker

RULES = [
    (Role.USER, "The garden valve V-12 must never open more than 40 percent."),
    (Role.USER, "Please don't ring before 10, I work nights at the bakery."),
    (Role.USER, "We decided to keep the grocery cap at 820 dollars a month."),
]


def faults(text: str, kind: FaultKind) -> list[str]:
    turns = talk(RULES)
    return [f.span.text if f.span else f.found for f in check(text, ledger(turns), turns) if f.kind is kind]


@pytest.mark.parametrize(
    "text",
    [
        "The garden valve V-12 may open to at most 40 percent.",
        "Garden valve V-12: open no more than 40 percent.",
        "never open the garden valve V-12 over 40 %",
    ],
)
def test_a_faithful_paraphrase_is_no_inversion(text: str) -> None:
    assert faults(text, FaultKind.INVERTED) == []
    assert RULES[0][1] not in faults(text, FaultKind.LOST)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("The garden valve V-12 must open more than 40 percent.", 0),
        ("Garden valve V-12 opens at least 40 percent.", 0),
        ("Please ring before 10, Ana works nights at the bakery.", 1),
        ("Ana decided not to keep the grocery cap at 820 dollars a month.", 2),
    ],
)
def test_an_inversion_is_seen(text: str, rule: int) -> None:
    assert RULES[rule][1] in faults(text, FaultKind.INVERTED)


def test_a_changed_value_is_seen() -> None:
    assert faults("The garden valve V-12 must never open more than 70 percent.", FaultKind.ALTERED) == [RULES[0][1]] * 2


def test_what_is_missing_is_lost() -> None:
    assert RULES[1][1] in faults("The garden valve V-12 must never open more than 40 percent.", FaultKind.LOST)


def test_a_value_or_name_that_no_source_has_is_invented() -> None:
    assert faults("The quote Q-77 came from Bertrand.", FaultKind.INVENTED) == ["Q-77", "bertrand"]


def test_a_later_statement_of_the_opposite_is_no_inversion() -> None:
    turns = talk(
        [
            (Role.USER, "Never deploy the billing service on a Friday."),
            (Role.USER, "From now on always deploy the billing service on a Friday."),
        ]
    )
    found = check("From now on always deploy the billing service on a Friday.", ledger(turns), turns)
    assert [f.kind for f in found if f.kind is FaultKind.INVERTED] == []


def test_repair_carries_every_lost_clause_verbatim_once() -> None:
    turns = talk(RULES)
    lines = repair(check("Ana has a garden.", ledger(turns)))
    assert [line.text for line in lines] == [text for _, text in RULES]
    assert not any(f.span and f.span.required for f in check("Ana has a garden.\n" + render(lines), ledger(turns)))


def test_a_models_summary_is_used_with_what_it_lost_beside_it() -> None:
    turns = talk(RULES * 1 + [(Role.ASSISTANT, "Noted, and anything else that comes to mind is welcome. " * 20)])
    summary, found = accept("Ana keeps a garden and a grocery cap.", turns, 200, words)
    assert summary.text.startswith("Ana keeps a garden")
    assert {f.kind for f in found} == {FaultKind.LOST}
    assert len(summary.carried) == 3
    assert summary.tokens <= 200


@pytest.mark.parametrize(
    "text",
    [
        "Please ring before 10, Ana works nights at the bakery.",
        "The valve is V-99.",
        "",
        "word " * 400,
    ],
)
def test_a_models_summary_that_inverts_invents_or_saves_nothing_is_refused(text: str) -> None:
    turns = talk(RULES)
    summary, _ = accept(text, turns, 120, words)
    assert summary == summarize(turns, 120, words)


def test_no_rule_of_a_generated_thread_is_ever_lost_or_turned_round() -> None:
    for size in (1, 5, 40):
        turns = talk(
            [(Role.USER, f"Never open gate {n} without badge B-{n}.") if n % 3 == 0 else TALK[n % len(TALK)] for n in range(size)]
        )
        for budget in (1, 50, 400):
            summary = summarize(turns, budget, words)
            assert check(summary.text, summary.ledger, turns) == []
            assert {s.kind for s in summary.ledger} <= {SpanKind.NEGATION, SpanKind.CONSTRAINT, SpanKind.DECISION}
            assert replace(summary, text="") != summary
