from __future__ import annotations

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from onrecord.model.change import Merge, Reinforce, Retract, Supersede
from onrecord.model.record import Cardinality, Kind, Record, Source, SourceType
from onrecord.model.verdict import Act, Candidate
from onrecord.policy.correction.reconcile import candidate_record
from onrecord.testing.deciding import DAY, HOUR, POLICY, T0, decide, on_record, said

_WORDS = st.sampled_from(
    "Ana Bo Rex Porto tea coffee 3 4 KB-311 KB-312 not never on off before after Monday manages likes the gate is open".split()
)
_SENTENCES = st.lists(_WORDS, min_size=1, max_size=7).map(" ".join)
_QUALIFIERS = st.sampled_from([None, "at work", "at home", "on weekends"])


@st.composite
def _records(draw: st.DrawFn, id: str) -> Record:
    statement = draw(_SENTENCES)
    key = draw(st.sampled_from([None, "seat", "hobby"]))
    return on_record(
        statement,
        id=id,
        at=T0 + draw(st.integers(0, 100)) * HOUR,
        key=key,
        value=statement if key else None,
        cardinality=Cardinality.MULTI if key == "hobby" else Cardinality.SINGLE,
        negation=draw(st.booleans()),
        qualifier=draw(_QUALIFIERS),
        source=Source(
            draw(st.sampled_from([SourceType.USER_MESSAGE, SourceType.DOCUMENT, SourceType.MODEL_INFERENCE])), f"turn_{id}"
        ),
        confidence=draw(st.sampled_from([0.5, 0.8, 1.0])),
        kind=Kind.STATED_FACT,
    )


@st.composite
def _candidates(draw: st.DrawFn) -> Candidate:
    record = draw(_records("rec_new"))
    return said(
        record.statement,
        at=record.said_at,
        key=record.key,
        value=record.value,
        cardinality=record.cardinality,
        negation=record.negation,
        qualifier=record.qualifier,
        source=record.source,
        kind=record.kind,
        confidence=record.confidence,
        correction=draw(st.booleans()),
        act=draw(st.sampled_from([Act.ASSERT, Act.ASSERT, Act.ASSERT, Act.FORGET])),
    )


_THREE = st.tuples(_records("rec_1"), _records("rec_2"), _records("rec_3"))


@given(_candidates(), _THREE)
def test_the_order_of_neighbours_does_not_matter(candidate: Candidate, old: tuple[Record, Record, Record]) -> None:
    decisions = {repr(decide(candidate, *order)) for order in permutations(old)}
    assert len(decisions) == 1


@given(_candidates(), _THREE)
def test_a_qualified_statement_never_supersedes_one_of_another_situation(
    candidate: Candidate, old: tuple[Record, Record, Record]
) -> None:
    rows = {record.id: record for record in old}
    for change in decide(candidate, *old).changes:
        if isinstance(change, Supersede) and candidate.qualifier:
            assert rows[change.old].qualifier == candidate.qualifier


@given(_candidates(), _THREE)
def test_the_untrusted_never_retire_the_trusted(candidate: Candidate, old: tuple[Record, Record, Record]) -> None:
    rows = {record.id: record for record in old}
    trust = candidate_record(candidate, POLICY, T0).trust
    for change in decide(candidate, *old).changes:
        gone = {Supersede: "old", Retract: "id"}.get(type(change))
        if gone:
            assert trust >= rows[getattr(change, gone)].trust


@given(_candidates(), _THREE)
def test_what_is_said_is_never_lost(candidate: Candidate, old: tuple[Record, Record, Record]) -> None:
    if candidate.act is Act.ASSERT:
        assert decide(candidate, *old).changes


_SLOTS = {
    "number": ("3", "4", "13", "30"),
    "name": ("Ana", "Bo", "Anabel", "Ana Maria"),
    "date": ("3 May", "4 May", "3 June", "3 May 2027"),
    "code": ("KB-311", "KB-312", "kb311", "WAW118K"),
    "polarity": ("always", "never", "sometimes", "hardly ever"),
}


@given(
    st.sampled_from(sorted(_SLOTS)),
    st.data(),
    st.sampled_from(["Room {} is ours", "Meet {} at the desk", "The plan for Rex says {}", "{} is what we said"]),
)
def test_no_merge_across_a_number_name_date_code_or_polarity(slot: str, data: st.DataObject, frame: str) -> None:
    one, two, *_ = data.draw(st.permutations(_SLOTS[slot]))
    decision = decide(said(frame.format(two), at=T0 + DAY), on_record(frame.format(one)), cosine=1.0)
    assert not any(isinstance(change, (Reinforce, Merge)) for change in decision.changes)
