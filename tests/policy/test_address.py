from __future__ import annotations

import pytest

from onrecord.errors import InvalidInput
from onrecord.model.scope import Origin, Scope
from onrecord.policy.address import address, scope_of


def test_a_user_owns_what_is_said_and_agent_and_run_only_narrow() -> None:
    where = address("t", user_id="ana", agent_id="planner", run_id="r1", session_id="s1")
    assert where.subject == "user:ana"
    assert where.reach.subjects == ("user:ana",)
    assert where.origin == Origin(agent="planner", run="r1", thread="s1")


def test_an_agent_alone_owns_its_own_memory() -> None:
    assert address("t", agent_id="planner").subject == "agent:planner"


def test_an_explicit_subject_wins_over_the_ids() -> None:
    assert address("t", subject="account:acme", user_id="ana").subject == "account:acme"


def test_a_read_may_name_further_subjects_once_each() -> None:
    where = address("t", user_id="ana", subjects=["team:research", "user:ana"])
    assert where.reach.subjects == ("user:ana", "team:research")


@pytest.mark.parametrize("ids", [{}, {"run_id": "r1"}, {"session_id": "s1"}])
def test_a_call_without_an_owner_is_refused(ids: dict[str, str]) -> None:
    with pytest.raises(InvalidInput, match="user_id"):
        address("t", **ids)


@pytest.mark.parametrize("name", ["", "  ", " ana", "ana\n", "a\x00b", "x" * 201, "\ud800", "a\u2028b"])
def test_a_name_that_could_be_mistaken_is_refused_with_its_field(name: str) -> None:
    with pytest.raises(InvalidInput, match="user_id"):
        address("t", user_id=name)


@pytest.mark.parametrize("subject", ["ana", ":ana", "User:ana", "user:", "us er:ana"])
def test_a_subject_has_the_form_kind_and_name(subject: str) -> None:
    with pytest.raises(InvalidInput, match="subject"):
        address("t", subject=subject)


def test_hostile_names_are_names_like_any_other() -> None:
    for name in ("%", "_", "a%", "ana'; --", "ana:b", "аna", "🦊", "*", "x" * 195):
        assert address("t", user_id=name).subject == f"user:{name}"


def test_a_string_is_not_a_list_of_subjects() -> None:
    with pytest.raises(InvalidInput, match="subjects"):
        address("t", user_id="ana", subjects="team:research")


def test_the_scope_of_a_record_follows_its_subject() -> None:
    assert scope_of("team:research") is Scope.TEAM
    assert scope_of("home:kereru") is Scope.USER
