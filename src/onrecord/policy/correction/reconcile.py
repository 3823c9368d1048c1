"""What a candidate does to what is on record: restate, extend, replace, stand beside, contradict, or take back.

Each branch is one row of a table. Neighbours are only nominated by similarity; keys, values and words decide. Nothing is replaced
by what is less trusted or doubted, and a correction retires only what it points at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from onrecord.model.change import Add, Resolve, Retract, Supersede
from onrecord.model.record import Cardinality, ExpiryBasis, Kind, Record
from onrecord.model.verdict import Act, Candidate
from onrecord.policy.correction.admit import candidate_record
from onrecord.policy.correction.counterpart import Bond, Counterpart, counterpart
from onrecord.policy.correction.forget import targets, what_to_forget
from onrecord.policy.correction.kindred import kindred
from onrecord.policy.correction.late import answered_since
from onrecord.policy.correction.measure import another_setting
from onrecord.policy.correction.neighbour import Neighbour
from onrecord.policy.correction.outcome import (
    Case,
    Decision,
    added,
    extended,
    flagged,
    history,
    is_sure,
    joined,
    listed,
    quoted,
    reinforced,
    replaced,
    restated,
    shortened,
    surest,
)
from onrecord.policy.correction.remainder import remainder
from onrecord.policy.correction.retold import echoes, retold
from onrecord.policy.correction.revalued import in_other_value
from onrecord.policy.correction.withheld import another_secret
from onrecord.policy.defaults import Policy
from onrecord.policy.language.doubt import is_news
from onrecord.policy.language.polarity import same_but_for_numbers, same_facts, says_more
from onrecord.policy.language.values import mentions_value, same_qualifier, same_value, telling, value_of

__all__ = ["Decision", "Neighbour", "candidate_record", "reconcile"]


#: Words that stand for whatever is on record without naming it.
_NAMES_NOTHING = telling(
    "old new former previous number value figure one thing time date name address rule that it last first before alt neue "
    "viejo ancien"
)


def reconcile(
    candidate: Candidate,
    record: Record,
    neighbours: Sequence[Neighbour],
    policy: Policy,
    *,
    alone: bool = True,
) -> Decision:
    """What is to happen for ``candidate``, which would become ``record``. The order of ``neighbours`` does not matter.

    ``alone`` tells that it is kept whatever is there; what is kept only as news has to be the surer of what it is news of.

    Every changed record is named with the version it was decided on. What counts for order is when things were said. Never
    raises.
    """
    case = Case(candidate, record, policy, policy.kindred if alone else policy.kindred_light)
    near = sorted((n for n in neighbours if _comparable(n.record, record)), key=lambda n: (-n.cosine, n.record.id))
    if candidate.act is Act.FORGET:
        return _forget(case, near)
    keyed = [n.record for n in near if record.key is not None and n.record.key == record.key]
    others = [n.record for n in near if n.record not in keyed and n.cosine >= policy.neighbour_floor]
    rest = [n.record for n in near if n.record not in keyed]
    known = _other_secret(case, near) or _with_echoes(case, _same_key(case, keyed), near) or _in_its_words(case, near)
    known = known or _by_words(case, others) or _by_topic(case, rest)
    known = known or _by_resemblance(case, [n for n in near if n.record not in keyed]) or _read_late(case, rest)
    return known or added(case, keyed)


def _comparable(old: Record, new: Record) -> bool:
    return (old.tenant, old.subject) == (new.tenant, new.subject) and old.current and old.id != new.id


def _other_secret(case: Case, near: Sequence[Neighbour]) -> Decision | None:
    old = another_secret(case.new, [n.record for n in near], case.said.correction)
    return replaced(case, [old]) if old and is_sure(case, old) else None


# --- the same key


def _same_key(case: Case, keyed: list[Record]) -> Decision | None:
    same = [old for old in keyed if _restates(old, case.new)]
    if same:
        return restated(case, surest(same))
    rivals = [old for old in keyed if _contradicts(old, case)]
    if not rivals:
        return None
    if case.new.cardinality is Cardinality.MULTI:
        return _multi(case, rivals)
    earlier = [old for old in rivals if case.new.said_at < old.said_at]
    if earlier:
        return history(case, max(earlier, key=lambda old: (old.said_at, old.id)))
    return _replaced_or_flagged(case, rivals)


def _restates(old: Record, new: Record) -> bool:
    return same_value(old, new) and old.negation == new.negation and same_qualifier(old.qualifier, new.qualifier)


def _contradicts(old: Record, case: Case) -> bool:
    """Whether an old record of the same key can't hold beside the new one."""
    new = case.new
    if _apart(old.qualifier, case) or _readings(old, new):
        return False
    same = same_value(old, new)
    if new.cardinality is Cardinality.MULTI:
        return same and old.negation != new.negation
    if same or (not old.negation and not new.negation):
        return True
    # "no e-mail" and "by phone", or "no e-mail" and "no calls", hold together; "not before 10" and "not before 16" do not
    return same_but_for_numbers(value_of(old), value_of(new)) or _points_at(case, old)


def _apart(qualifier: str | None, case: Case) -> bool:
    """Whether two statements of one key hold in different situations, so that both can be true.

    A situation beside none is an exception to the rule, and a rule beside exceptions; only a correction reaches across.
    """
    if same_qualifier(qualifier, case.new.qualifier):
        return False
    if qualifier and case.new.qualifier:
        return True
    return bool(case.new.qualifier) or not case.said.correction


def _readings(old: Record, new: Record) -> bool:
    """Two measurements of different days are two facts, also under one key."""
    measured = {Kind.TOOL_FACT, Kind.EPISODE}
    return (
        old.kind in measured
        and new.kind in measured
        and old.valid_from.date() != new.valid_from.date()
        and (old.expiry_basis is ExpiryBasis.STATED and new.expiry_basis is ExpiryBasis.STATED)
    )


def _multi(case: Case, rivals: list[Record]) -> Decision:
    """The same value with the opposite polarity: taken back by "no longer X", else a contradiction like any other."""
    if case.new.negation and case.said.correction and all(is_sure(case, old) for old in rivals):
        reason = f"{quoted(case.new)} takes back {listed(rivals)} alone; other values of {case.new.key} stay."
        return Decision(tuple(Retract(reason=reason, id=old.id, version=old.version) for old in rivals), reason)
    return _replaced_or_flagged(case, rivals)


def _replaced_or_flagged(case: Case, rivals: list[Record]) -> Decision:
    if all(_may_replace(case, old) for old in rivals):
        return replaced(case, rivals)
    return flagged(case, rivals)


def _may_replace(case: Case, old: Record) -> bool:
    later = case.new.said_at >= old.said_at
    news = _cue(case, old) or case.new.said_at - old.said_at > case.policy.contradiction_window
    return later and news and is_sure(case, old)


def _cue(case: Case, old: Record) -> bool:
    """Whether a correction cue points at this record: by name, or, where it names nothing, at what it contradicts."""
    return case.said.correction and (not _target(case) or mentions_value(old, _target(case)))


def _points_at(case: Case, old: Record) -> bool:
    return case.said.correction and bool(_target(case)) and mentions_value(old, _target(case))


def _target(case: Case) -> str:
    """What the correction says that it corrects; "the old number" names nothing."""
    named = case.said.corrects or ""
    return named if telling(named) - _NAMES_NOTHING else ""


# --- the words of its sources


def _in_its_words(case: Case, near: Sequence[Neighbour]) -> Decision | None:
    again = retold(case.new, near)
    return restated(case, surest(again)) if again else None


def _with_echoes(case: Case, decision: Decision | None, near: Sequence[Neighbour]) -> Decision | None:
    """What takes the place of a record takes that of those without a key that say only the same."""
    gone = {change.old for change in decision.changes if isinstance(change, Supersede)} if decision else set[str]()
    said = [echo for n in near if n.record.id in gone for echo in echoes(n.record, near) if _may_replace(case, echo)]
    if decision is None or not said:
        return decision
    reason = f"{quoted(case.new)} also takes the place of {listed(said)}, which says the same without a key."
    return replace(
        decision, changes=(*decision.changes, Resolve(reason=reason, keep=case.new.id, drop=tuple(old.id for old in said)))
    )


# --- by words


def _by_words(case: Case, others: list[Record]) -> Decision | None:
    alike = [old for old in others if same_qualifier(old.qualifier, case.new.qualifier) and old.negation == case.new.negation]
    same = [old for old in alike if same_facts(old.statement, case.new.statement)]
    if same:
        return restated(case, surest(same))
    if fuller := [old for old in alike if says_more(old.statement, case.new.statement) and _keys_agree(old, case.new)]:
        return reinforced(case, surest(fuller))
    if shorter := [old for old in alike if says_more(case.new.statement, old.statement) and _keys_agree(old, case.new)]:
        return extended(case, surest(shorter))
    return _other_words(case, others)


def _keys_agree(old: Record, new: Record) -> bool:
    return old.key is None or new.key is None or old.key == new.key


def _other_words(case: Case, others: list[Record]) -> Decision | None:
    """Near in meaning, but a number, name, date, code or the polarity differs: a correction, a contradiction, or another fact."""
    apart = [old for old in others if not same_qualifier(old.qualifier, case.new.qualifier)]
    near = [old for old in others if old not in apart]
    opposed = [old for old in near if _opposed(old, case.new)]
    meant = [old for old in near if case.said.correction and (_points_at(case, old) or (not _target(case) and old in opposed))]
    if meant:
        # what corrects one side of a conflict corrects all
        together = all(meant[0].id in old.conflicts_with for old in meant[1:])
        return _replaced_or_flagged(case, meant) if together else flagged(case, meant)
    later = [old for old in opposed if case.new.said_at >= old.said_at]
    if not later:
        return None
    # the very same words with another value are news by themselves; other words about one setting need to say that they are
    plain = all(in_other_value(old.statement, case.new.statement) for old in later)
    return _replaced_or_flagged(case, later) if plain or is_news(case.new.statement) else flagged(case, later)


def _opposed(old: Record, new: Record) -> bool:
    """Whether two statements are plainly of one attribute: equal but for the polarity or an antonym, or settings of one thing."""
    if _readings(old, new):
        return False
    return in_other_value(old.statement, new.statement) or another_setting(old.statement, new.statement)


# --- by topic


def _by_topic(case: Case, others: list[Record]) -> Decision | None:
    """Other words for one attribute of one thing, where neither a key nor near words say so."""
    found = counterpart(case.said, case.new, [old for old in others if _keys_agree(old, case.new)], case.policy)
    if found is None or _readings(found.record, case.new):
        return None
    return _bound(case, found)


def _bound(case: Case, found: Counterpart) -> Decision:
    old = found.record
    if found.bond is Bond.REPEATS:
        return joined(case, old)
    # a prohibition gives way to another one, or to words that name it: never to a statement that merely permits or says less
    kept = _forbids(found.part or old) and not case.new.negation and not found.plain
    if found.bond is not Bond.CORRECTS or kept or not is_sure(case, old):
        return flagged(case, [old])
    done, rest = replaced(case, [old]), remainder(old, case.new, found.part)
    if rest is None:
        return done
    reason = f"{quoted(rest)} is not what {quoted(case.new)} corrects, so it stays."
    return Decision((*done.changes, Add(reason=reason, record=rest)), done.note)


def _forbids(old: Record) -> bool:
    return old.negation and old.kind is Kind.CONSTRAINT


# --- by resemblance


def _by_resemblance(case: Case, near: list[Neighbour]) -> Decision | None:
    """What the pair model finds to be of one attribute, where nothing else says so."""
    olds = [n for n in near if n.record.said_at <= case.new.said_at and n.record.source.ref != case.new.source.ref]
    found = kindred(case.said, case.new, [(n.record, n.meaning) for n in olds], case.floors, case.policy)
    if found is None or _readings(found.record, case.new) or not _keys_agree(found.record, case.new):
        return None
    return _bound(case, found)


def _read_late(case: Case, others: list[Record]) -> Decision | None:
    """What was said since answers it already: it is history, a side of a conflict, or one more source."""
    found = answered_since(case.said, case.new, others, case.policy)
    if found is None or _readings(found.record, case.new):
        return None
    if found.bond is Bond.REPEATS:
        return reinforced(case, found.record)
    return history(case, found.record) if found.bond is Bond.CORRECTS else flagged(case, [found.record])


def _forget(case: Case, near: list[Neighbour]) -> Decision:
    thing = what_to_forget(case.said).strip()
    found = targets(case.said, near)
    if not found:
        return Decision((), f"Nothing on record matches {shortened(thing)}.")
    trusted = [old for old in found if case.new.trust >= old.trust]
    if not trusted:
        return Decision((), f"A request from a less trusted source does not take back {listed(found)}.")
    if len({old.source.ref for old in trusted}) > 1:
        return Decision((), f"{len(trusted)} records could be meant by {shortened(thing)}: {listed(trusted)}. Say which.")
    reason = f"{shortened(case.said.quote or case.said.statement)} takes back {listed(trusted)}."
    return Decision(tuple(Retract(reason=reason, id=old.id, version=old.version) for old in trusted), reason)
