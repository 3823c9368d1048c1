"""Every peer of this environment does what the border of the comparison says, over a small conversation and real files."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from bench.peers.peer import BEST, DEFAULT, Cannot, Message
from bench.peers.registry import LOCAL, open_peer, settings

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SAID = (
    ("ana", "I'm allergic to walnuts."),
    ("bo", "Good to know, I will leave them out of the cake."),
    ("ana", "My sister Carla moved to Lisbon last spring."),
    ("bo", "Does she like the trams there?"),
    ("ana", "I work as a nurse in the children's ward."),
)
TALK = [
    Message(id=f"talk/{n}", thread="t", role="user", speaker=who, text=text, at=NOON + timedelta(minutes=n))
    for n, (who, text) in enumerate(SAID)
]
CASES = [(name, setting) for name in LOCAL for setting in settings(name)]
SEARCHING = [case for case in CASES if case[0] != "transcript"]


@pytest.mark.parametrize(("name", "setting"), SEARCHING)
def test_a_verbatim_question_finds_its_message_first(tmp_path: Path, name: str, setting: str) -> None:
    peer = open_peer(name, setting)
    facts = peer.open(tmp_path)
    peer.add("ana", TALK)
    hits = peer.search("ana", "My sister Carla moved to Lisbon last spring.", 3)
    peer.close()
    assert (facts.name, facts.setting) == (name, setting)
    assert hits[0].sources == ("talk/2",)
    assert len(hits) <= 3


@pytest.mark.parametrize(("name", "setting"), CASES)
def test_everything_holds_all_that_was_said_in_order(tmp_path: Path, name: str, setting: str) -> None:
    peer = open_peer(name, setting)
    peer.open(tmp_path)
    peer.add("ana", TALK)
    said = [hit for hit in peer.everything("ana") if hit.episode]
    others = peer.everything("bo")
    peer.close()
    assert [hit.sources for hit in said] == [(message.id,) for message in TALK]
    assert [hit.text for hit in said] == [message.text for message in TALK]
    assert others == []


@pytest.mark.parametrize(("name", "setting"), SEARCHING)
def test_nobody_finds_what_another_said(tmp_path: Path, name: str, setting: str) -> None:
    peer = open_peer(name, setting)
    peer.open(tmp_path)
    peer.add("ana", TALK)
    hits = peer.search("bo", "walnuts", 5)
    peer.close()
    assert hits == []


def test_what_is_erased_is_gone_and_the_others_stay(tmp_path: Path) -> None:
    for name in ("onrecord", "transcript"):
        peer = open_peer(name)
        peer.open(tmp_path / name)
        peer.add("ana", TALK)
        peer.add("bo", [Message("talk/9", "u", "user", "bo", "I keep bees.", NOON)])
        peer.erase("ana")
        assert peer.everything("ana") == []
        assert peer.everything("bo") != []
        peer.close()


def test_what_a_peer_has_not_it_refuses(tmp_path: Path) -> None:
    for name in ("bm25", "vectors"):
        peer = open_peer(name)
        peer.open(tmp_path / name)
        with pytest.raises(Cannot):
            peer.erase("ana")
        with pytest.raises(Cannot):
            peer.context("ana", "t", 100)
        peer.close()
    with pytest.raises(Cannot):
        open_peer("transcript").search("ana", "walnuts", 5)


def test_a_context_ends_in_what_was_said_last(tmp_path: Path) -> None:
    for name in ("onrecord", "transcript"):
        peer = open_peer(name)
        peer.open(tmp_path / name)
        peer.add("ana", TALK)
        messages = peer.context("ana", "t", 2_000)
        peer.close()
        assert "nurse" in str(messages[-1]["content"])


def test_an_unknown_peer_or_setting_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no 'nobody'"):
        open_peer("nobody")
    with pytest.raises(ValueError, match="bm25 has no 'best'"):
        open_peer("bm25", BEST)
    assert settings("onrecord") == (DEFAULT, BEST)


def test_what_a_turn_says_in_conflict_is_shown_as_disputed(tmp_path: Path) -> None:
    peer = open_peer("onrecord", BEST)
    peer.open(tmp_path)
    said = ("My locker is number 14.", "My locker is number 41.")
    peer.add("ana", [Message(id=text, thread="t", role="user", speaker="ana", text=text, at=NOON) for text in said])
    hits = peer.search("ana", "What is the number of my locker?", 5)
    peer.close()
    assert {(hit.text, hit.note) for hit in hits} == {(text, "disputed") for text in said}
