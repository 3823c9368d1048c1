"""Candidate facts from one turn, by rules and without a model. Generous: the gate refuses.

A person's message gives a candidate for every sentence, or group of sentences, that could be a fact. Tool output and documents
give a ``tool_fact`` where they state a lasting limit in prose. The assistant's words give nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from onrecord.model.moment import as_utc
from onrecord.model.record import STATEMENT_LIMIT, Cardinality, Kind, Source
from onrecord.model.turn import Role, Turn
from onrecord.model.verdict import Act, Candidate
from onrecord.policy.address import scope_of
from onrecord.policy.capture.fields import corrects, qualifier_of
from onrecord.policy.capture.group import Group, groups, tidy
from onrecord.policy.capture.key import key_of, value_of
from onrecord.policy.capture.kind import kind_of
from onrecord.policy.capture.notices import notices
from onrecord.policy.capture.polarity import denies
from onrecord.policy.capture.reply import answered, asks_to_forget, forgotten, joined
from onrecord.policy.capture.time import validity
from onrecord.policy.defaults import Policy
from onrecord.policy.gate.features import cues
from onrecord.policy.language.tongue import language_of
from onrecord.policy.language.vocabulary import Vocabulary
from onrecord.policy.speech.sentences import without_print
from onrecord.policy.trust import source_of, subject_for, trust_of, without_context

#: How sure a candidate is: said outright to be remembered; plainly stated; only implied; read in data.
EXPLICIT, PLAIN, INDIRECT, READ = 0.95, 0.85, 0.7, 0.5
_CANDIDATE_LIMIT = 24
_EXPLICIT = frozenset({"mark"})


def record_id(turn_id: str, n: int) -> str:
    """The id of the ``n``-th candidate of a turn: the same turn read again proposes the same ids."""
    return f"rec_{turn_id.removeprefix('turn_')}_{n}"


def propose(turn: Turn, before: Sequence[Turn], policy: Policy, vocabulary: Vocabulary) -> list[Candidate]:
    """The candidates of ``turn`` in the order they were said, at most 24; ``before`` are the turns before it, oldest first."""
    text = without_context(turn.text)[: policy.capture_limit]
    if turn.role is Role.USER:
        found = _spoken(turn, text, before)
    elif turn.role in (Role.TOOL, Role.DOCUMENT):
        found = notices(text, document=turn.role is Role.DOCUMENT)
    else:
        found = []
    return [candidate_of(turn, n, group, policy, vocabulary, before) for n, group in enumerate(found[:_CANDIDATE_LIMIT])]


def _spoken(turn: Turn, text: str, before: Sequence[Turn]) -> list[Group]:
    asked = without_print(text)
    if asks_to_forget(asked):
        return [Group(tidy(asked)[:STATEMENT_LIMIT], asked[:STATEMENT_LIMIT], item=False)]
    question = answered(turn, before)
    if question is not None:
        said = joined(question, tidy(text))
        return [Group(said, said, item=False)]
    return groups(text)


def candidate_of(
    turn: Turn, n: int, group: Group, policy: Policy, vocabulary: Vocabulary, before: Sequence[Turn] = ()
) -> Candidate:
    """The candidate that the words of ``group`` make as the ``n``-th of ``turn``: all of its fields are read from those words,
    but for whose they are, which the turns ``before`` it may tell."""
    forget = turn.role is Role.USER and asks_to_forget(group.statement)
    negation = denies(group.statement)
    kind = kind_of(group.statement, negation) if turn.role is Role.USER else Kind.TOOL_FACT
    key = key_of(group.statement, vocabulary)
    subject = subject_for(turn, group.statement, before) if policy.personal_subjects else turn.subject
    corrected, old = (False, forgotten(group.statement)) if forget else corrects(group.statement, group.statement)
    explicit = bool(cues(group.statement) & _EXPLICIT)
    span = validity(group.statement, turn.at)
    return Candidate(
        id=record_id(turn.id, n),
        tenant=turn.tenant,
        subject=subject,
        scope=scope_of(subject),
        origin=turn.origin,
        act=Act.FORGET if forget else Act.ASSERT,
        kind=kind,
        key=key,
        value=None if forget else value_of(group.statement, key),
        cardinality=vocabulary.cardinality(key) if key else Cardinality.SINGLE,
        statement=group.statement,
        negation=negation,
        qualifier=qualifier_of(group.statement),
        source=Source(source_of(turn), turn.id),
        author=turn.author,
        quote=group.quote,
        language=language_of(group.quote or group.statement),
        confidence=_confidence(turn, group, explicit),
        trust=trust_of(turn, policy),
        said_at=as_utc(turn.at, "at"),
        valid_from=as_utc(span.since, "valid_from"),
        valid_until=as_utc(span.until, "valid_until") if span.until else None,
        expiry_basis=span.basis,
        correction=corrected,
        corrects=old,
        explicit=explicit,
        derived_from=(turn.id,),
        rule=_rule(turn, group, forget, explicit),
    )


def _confidence(turn: Turn, group: Group, explicit: bool) -> float:
    if turn.role is not Role.USER:
        return READ
    if explicit:
        return EXPLICIT
    found = cues(group.statement)
    return PLAIN if found & {"always", "never", "from_now", "i_am", "prefer", "decided", "must", "named", "only"} else INDIRECT


def _rule(turn: Turn, group: Group, forget: bool, explicit: bool) -> str:
    if turn.role is not Role.USER:
        return "notice"
    if forget:
        return "forget"
    if group.item:
        return "item"
    return "explicit" if explicit else "sentence"
