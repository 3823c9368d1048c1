"""The line between the comparison and a peer in another environment, over a real process."""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from bench.peers.children import wire
from bench.peers.peer import Cannot, Facts, Hit, Message
from bench.peers.registry import as_child
from bench.peers.remote import PeerFailed, RemotePeer

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SAID = [
    Message("t/1", "t", "user", "Ana", "I keep bees.\nTwo hives\u2028of them.", NOON),
    Message("t/2", "t", "user", "Bo", "I keep hens.", NOON),
]


def scripted(patience: float = 60.0, setting: str = "default") -> RemotePeer:
    program = Path(__file__).with_name("scripted_child.py")
    beside = {"PYTHONPATH": str(Path(wire.__file__).parents[3])}
    return RemotePeer("scripted", setting, [sys.executable, str(program)], environment=beside, patience=patience)


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[RemotePeer]:
    made = scripted()
    made.open(tmp_path / "data")
    yield made
    made.close()


def test_what_a_child_prints_does_not_stand_between_its_answers(tmp_path: Path) -> None:
    peer = scripted()
    facts = peer.open(tmp_path / "data")
    peer.close()
    assert facts == Facts("scripted", "1.0", "default", "none", frozenset({"add", "search", "everything"}))
    log = (tmp_path / "data.log").read_text("utf-8")
    assert "a banner" in log
    assert "goes round Python" in log


def test_messages_go_over_whole_and_hits_come_back(peer: RemotePeer, tmp_path: Path) -> None:
    peer.add("ana", SAID)
    assert peer.search("ana", "hens", 5) == [Hit("[1 March 2026] Bo: I keep hens.", ("t/2",))]
    assert peer.everything("ana")[0] == Hit("[1 March 2026] Ana: I keep bees.\nTwo hives\u2028of them.", ("t/1",))
    assert peer.everything("bo") == []
    assert (tmp_path / "data" / "kept.txt").read_text() == "2"


def test_what_a_child_has_not_is_refused_and_it_goes_on(peer: RemotePeer) -> None:
    with pytest.raises(Cannot, match="no erasure"):
        peer.erase("ana")
    with pytest.raises(Cannot, match="no context"):
        peer.context("ana", "t", 100)
    assert peer.everything("ana") == []


def test_a_child_that_cannot_open_is_not_left_running(tmp_path: Path) -> None:
    peer = scripted(setting="broken")
    with pytest.raises(PeerFailed, match="no such setting"):
        peer.open(tmp_path / "data")
    with pytest.raises(RuntimeError, match="call open"):
        peer.everything("ana")


def test_an_error_of_a_peer_is_told_with_its_name_and_it_goes_on(peer: RemotePeer) -> None:
    with pytest.raises(PeerFailed, match=r"scripted \(default\) search: KeyError: 'no such word'"):
        peer.search("ana", "fail", 5)
    assert peer.everything("ana") == []


def test_the_end_of_a_child_is_told_with_what_it_said_last(peer: RemotePeer) -> None:
    with pytest.raises(PeerFailed, match=r"ended with 3[\s\S]*a banner"):
        peer.search("ana", "end", 5)


def test_a_child_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    peer = scripted(patience=1.0)
    peer.open(tmp_path / "data")
    with pytest.raises(PeerFailed, match="took more than 1 s"):
        peer.search("ana", "wait", 5)
    peer.close()


def test_a_child_tells_what_it_takes_and_not_what_its_parent_does(tmp_path: Path) -> None:
    held = bytearray(200 << 20)
    held[:: 1 << 12] = b"\1" * len(held[:: 1 << 12])  # every page is touched: this process has them all
    peer = scripted()
    peer.open(tmp_path / "data")
    found = peer.measure()
    peer.close()
    assert 1_000 < found["peak_kb"] < len(held) / 1024
    assert found["cpu_seconds"] > 0


def test_what_a_child_has_started_counts_with_it(peer: RemotePeer) -> None:
    before = peer.measure()
    peer.search("ana", "start", 5)
    after = peer.measure()
    assert after["peak_kb"] - before["peak_kb"] > 100 * 1024
    assert after["cpu_seconds"] - before["cpu_seconds"] > 0.5


def test_closing_twice_is_harmless_and_a_closed_peer_says_so(peer: RemotePeer) -> None:
    peer.close()
    peer.close()
    with pytest.raises(RuntimeError, match="call open"):
        peer.everything("ana")


def test_a_peer_of_this_environment_is_the_same_over_the_line(tmp_path: Path) -> None:
    peer = as_child("onrecord", "best", endpoint="", vectors=None)
    facts = peer.open(tmp_path / "data")
    peer.add("ana", SAID)
    hits = peer.search("ana", "I keep hens.", 5)
    peer.close()
    assert (facts.name, facts.setting) == ("onrecord", "best")
    assert (hits[0].text, hits[0].sources, hits[0].episode) == ("I keep hens.", ("t/2",), True)
    assert (tmp_path / "data" / "memory.db").exists()
