"""What was too light to keep, once somebody answers it."""

from __future__ import annotations

from dataclasses import replace

from onrecord.model.change import Add, Flag, Merge, Supersede
from onrecord.model.record import Record
from onrecord.policy.capture.fields import corrects
from onrecord.policy.correction.light import answered
from onrecord.policy.correction.reconcile import Decision, Neighbour, candidate_record
from onrecord.policy.language.negation import is_negated
from onrecord.policy.transition import steps
from onrecord.testing.deciding import DAY, POLICY, T0, on_record, said

DUMPS = "nightly dumps to the cold bucket are kept 14 days"
OLD = "jobs go to the longhaul queue of the cluster"


def light(text: str = OLD) -> Record:
    return on_record(text, id="rec_light", quote=text, negation=is_negated(text))


def answer(
    text: str, cosine: float, *, alone: bool = True, old: str = OLD, on: str | None = None, author: str = "ana"
) -> Decision | None:
    """What becomes of ``text``, said three weeks after the light statement, with ``on`` on record and as near."""
    candidate = said(text, at=T0 + 21 * DAY, quote=text, correction=corrects(text, text)[0], author=author)
    candidate = replace(candidate, negation=is_negated(text))
    record = candidate_record(candidate, POLICY, candidate.said_at)
    near = [Neighbour(on_record(on, id="rec_on", quote=on), 0.0, ((cosine,),))] if on else []
    return answered(candidate, record, near, [Neighbour(light(old), cosine, ((cosine,),))], POLICY, alone=True)


def test_a_correction_puts_both_on_record_and_the_old_one_in_the_past() -> None:
    decision = answer("jobs go to the frost queue of the cluster now, not to longhaul", 0.75)
    assert decision is not None
    assert decision.answers
    kept, change = decision.changes
    assert isinstance(kept, Add)
    assert kept.record == light()
    assert isinstance(change, Supersede)
    assert (change.old, change.record.id) == ("rec_light", "rec_new")


def test_somebody_else_who_says_otherwise_leaves_both_in_conflict() -> None:
    decision = answer(
        "that's not what is there, the dumps in the cold bucket stay 30 days, I set the rule", 0.7, old=DUMPS, author="ben"
    )
    assert decision is not None
    kept, change = decision.changes
    assert isinstance(kept, Add)
    assert isinstance(change, Flag)
    assert change.ids == ("rec_light",)


def test_who_says_it_again_leaves_one_record_with_both_sources() -> None:
    decision = answer("As I said, whatever you submit belongs in longhaul on the cluster", 0.7)
    assert decision is not None
    rows: dict[str, Record | None] = {}
    for change in decision.changes:
        for step in steps(change, rows.get):
            rows[step.record_id] = step.after
    (record,) = (row for row in rows.values() if row)
    assert isinstance(decision.changes[1], Merge)
    assert set(record.derived_from) == {"turn_rec_light", "turn_rec_new"}


def test_what_speaks_of_something_else_answers_nothing() -> None:
    assert answer("Ines waters the plants on Tuesdays", 0.1) is None


def test_what_is_on_record_goes_before_what_was_too_light() -> None:
    assert answer("jobs go to the frost queue of the cluster now, not to longhaul", 0.75, on=OLD) is None


def test_without_cosines_of_the_known_embedder_nothing_is_brought_back() -> None:
    candidate = said("jobs go to the frost queue now", at=T0 + 21 * DAY, correction=True)
    record = candidate_record(candidate, POLICY, candidate.said_at)
    assert answered(candidate, record, [], [Neighbour(light(), 0.9)], POLICY, alone=True) is None
