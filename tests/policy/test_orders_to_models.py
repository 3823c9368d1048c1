"""Documents that give orders to a model, in many guises and languages, and documents that do not, counted."""

from __future__ import annotations

from pathlib import Path

from onrecord.model.record import Kind
from onrecord.model.turn import Role
from onrecord.policy.capture.propose import propose
from onrecord.policy.defaults import Policy
from onrecord.policy.language.vocabulary import DEFAULT
from onrecord.policy.trust import instructs_model
from onrecord.testing.builders import a_turn

_LINES = Path(__file__).parent / "data" / "orders.tsv"
#: What still passes for a document's own words: a claim about somebody named, an order through a quotation or a shell.
_STILL_MISSED, _STILL_WRONGED = 6, 1


def _texts(label: str) -> list[str]:
    lines = _LINES.read_text(encoding="utf-8").splitlines()
    return [line.split("\t")[1] for line in lines if line.startswith(f"{label}\t")]


def test_most_orders_to_a_model_are_seen_as_such() -> None:
    missed = [text for text in _texts("order") if not instructs_model(text)]
    assert len(_texts("order")) >= 70
    assert len(missed) <= _STILL_MISSED, missed


def test_documents_that_speak_to_people_are_hardly_ever_taken_for_orders() -> None:
    wronged = [text for text in _texts("fine") if instructs_model(text)]
    assert len(_texts("fine")) >= 70
    assert len(wronged) <= _STILL_WRONGED, wronged


def test_whatever_a_document_or_tool_says_is_no_preference_and_no_rule() -> None:
    for role in (Role.DOCUMENT, Role.TOOL):
        for text in _texts("order") + _texts("fine"):
            kinds = {candidate.kind for candidate in propose(a_turn(text=text, role=role), [], Policy(), DEFAULT)}
            assert kinds <= {Kind.TOOL_FACT}, text
