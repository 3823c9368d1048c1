"""A recap quotes whole clauses, and its statement is one sentence of a record whatever was said."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from onrecord import Policy
from onrecord.model.record import STATEMENT_LIMIT
from onrecord.model.turn import Role
from onrecord.policy.compaction.recap import episode_record, recap
from onrecord.testing.builders import NOW, a_turn

LINE = st.one_of(
    st.text(max_size=400), st.sampled_from(["We decided on Lyon.", "Never ring before ten.", "Book a train to Lyon. " * 20, "ok"])
)
TALK = st.lists(st.tuples(st.sampled_from([Role.USER, Role.ASSISTANT, Role.SYSTEM]), LINE), min_size=1, max_size=8)


@settings(max_examples=150, deadline=None)
@given(TALK, st.text(alphabet="abc “”", max_size=80))
def test_every_recap_makes_a_sound_record_that_quotes_only_what_was_said(talk: list[tuple[Role, str]], title: str) -> None:
    turns = [a_turn(f"t{n}", text, role=role) for n, (role, text) in enumerate(talk)]
    told = recap(turns, 500)
    if told is None:
        return
    record = episode_record("rec_1", turns, told, title, Policy(), NOW)
    assert len(record.statement) <= STATEMENT_LIMIT
    assert set(record.derived_from) <= {turn.id for turn in turns}
    assert recap(turns, 500) == told
    if told.outcome:
        assert any(" ".join(told.outcome.text.split()) in " ".join(turn.text.split()) for turn in turns)
