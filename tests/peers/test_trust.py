"""The trust suite tells a memory that holds from one that does not, and asks every peer the same."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from bench.peers.peer import Cannot, Facts, Hit, Message
from bench.peers.registry import open_peer
from bench.trust import __main__ as suite
from bench.trust.__main__ import cell, counts, table
from bench.trust.checks import CHECKS, COLUMNS, ERROR, FAILED, HELD, NO, Verdict, judge, look_again, observe, orphan, tells_apart
from bench.trust.scenarios import KINDS, Scenario, load

from onrecord.providers.embed.hashing import HashingEmbedder

SCENARIOS = {(one.kind, one.id): one for one in load()}


class Notebook:
    """A peer that keeps every line of everybody in one file, in order, and does whatever a test wants done badly."""

    def __init__(self, *, mixes: bool = False, erases: bool = True, shreds: bool = True) -> None:
        self.mixes, self.erases, self.shreds = mixes, erases, shreds
        self.kept: list[tuple[str, Message]] = []
        self.folder = Path()

    def open(self, folder: Path) -> Facts:
        self.folder = folder
        return Facts("notebook", "1", "default", "none", frozenset())

    def add(self, subject: str, messages: Sequence[Message]) -> None:
        self.kept += [(subject, message) for message in messages]
        self._save()

    def search(self, subject: str, query: str, limit: int) -> list[Hit]:
        return self.everything(subject)[-limit:][::-1]

    def everything(self, subject: str) -> list[Hit]:
        return [self.hit(message) for owner, message in self.kept if self.mixes or owner == subject]

    def hit(self, message: Message) -> Hit:
        return Hit(message.text, (message.id,))

    def erase(self, subject: str) -> None:
        if not self.erases:
            raise Cannot("nothing is ever torn out")
        self.kept = [(owner, message) for owner, message in self.kept if owner != subject]
        if self.shreds:
            self._save()

    def context(self, subject: str, thread: str, tokens: int) -> list[dict[str, Any]]:
        said = [message for _, message in self.kept if message.thread == thread][-tokens // 20 :]
        return [{"role": message.role, "content": message.text, **message.payload} for message in said]

    def close(self) -> None:
        pass

    def _save(self) -> None:
        (self.folder / "book.txt").write_text("\n".join(message.text for _, message in self.kept), "utf-8")


def asked(peer: Any, folder: Path, kind: str, id: str, apart: bool = False) -> list[Verdict]:
    peer.open(folder)
    scenario = SCENARIOS[kind, id]
    return judge(scenario, observe(peer, folder, scenario), apart)


def test_a_former_value_without_a_word_that_it_is_over_is_a_fault(tmp_path: Path) -> None:
    surfaced, ahead = asked(Notebook(), tmp_path, "stale", "moved")
    assert (surfaced.verdict, surfaced.answered, ahead.verdict) == (FAILED, True, HELD)  # the newest line comes first
    assert "Hexham" in surfaced.detail


def test_a_former_value_that_is_marked_is_none(tmp_path: Path) -> None:
    class Marking(Notebook):
        def hit(self, message: Message) -> Hit:
            return Hit(message.text, note="over" if "Hexham" in message.text else "")

    assert [one.verdict for one in asked(Marking(), tmp_path, "stale", "moved")] == [HELD, HELD]


def test_the_former_value_before_the_present_one_is_told_apart(tmp_path: Path) -> None:
    class Backward(Notebook):
        def search(self, subject: str, query: str, limit: int) -> list[Hit]:
            return self.everything(subject)

    assert [one.verdict for one in asked(Backward(), tmp_path, "stale", "moved")] == [FAILED, FAILED]


def test_two_sides_with_nothing_that_says_so_are_a_silent_contradiction(tmp_path: Path) -> None:
    class Disputing(Notebook):
        def hit(self, message: Message) -> Hit:
            return Hit(message.text, note="disputed")

    class Forgetting(Notebook):
        def search(self, subject: str, query: str, limit: int) -> list[Hit]:
            return []

    (silent,) = asked(Notebook(), tmp_path, "contradiction", "locker")
    (told,) = asked(Disputing(), tmp_path, "contradiction", "locker")
    (nothing,) = asked(Forgetting(), tmp_path, "contradiction", "locker")
    assert (silent.verdict, told.verdict) == (FAILED, HELD)
    assert (nothing.verdict, nothing.answered) == (HELD, False)


def test_a_negation_that_was_cut_off_is_lost(tmp_path: Path) -> None:
    class Shortening(Notebook):
        def hit(self, message: Message) -> Hit:
            return Hit(message.text.replace("I don't eat", "The user eats"))

    assert asked(Notebook(), tmp_path, "negation", "shellfish")[0].verdict == HELD
    assert asked(Shortening(), tmp_path, "negation", "shellfish")[0].verdict == FAILED


def test_every_negation_of_the_scenarios_is_recognised_as_one(tmp_path: Path) -> None:
    for kind, id in SCENARIOS:
        if kind == "negation":
            assert asked(Notebook(), tmp_path, kind, id)[0].verdict == HELD, id


def test_what_another_said_is_a_crossing(tmp_path: Path) -> None:
    for kind, id in SCENARIOS:
        if kind == "crossing":
            assert asked(Notebook(), tmp_path, kind, id)[0].verdict == HELD, id
            assert asked(Notebook(mixes=True), tmp_path, kind, id)[0].verdict == FAILED, id


def test_erasure_is_judged_by_the_bytes_of_the_files(tmp_path: Path) -> None:
    (gone,) = asked(Notebook(), tmp_path, "erasure", "fact")
    (left,) = asked(Notebook(shreds=False), tmp_path, "erasure", "fact")
    (none,) = asked(Notebook(erases=False), tmp_path, "erasure", "fact")
    assert (gone.verdict, gone.answered) == (HELD, True)
    assert (left.verdict, left.detail) == (FAILED, "still there: Quarrelbeck in book.txt; gone once it is closed")
    assert (none.verdict, none.detail) == (NO, "nothing is ever torn out")


def test_what_an_erasure_left_is_looked_for_again_once_the_peer_is_closed(tmp_path: Path) -> None:
    peer, scenario = Notebook(shreds=False), SCENARIOS["erasure", "fact"]
    peer.open(tmp_path)
    seen = observe(peer, tmp_path, scenario)
    look_again(tmp_path, scenario, seen)
    assert judge(scenario, seen, apart=False)[0].detail.endswith("there once it is closed, too")


def test_what_others_said_has_to_stay(tmp_path: Path) -> None:
    class Burning(Notebook):
        def erase(self, subject: str) -> None:
            self.kept.clear()
            self._save()

    assert asked(Burning(), tmp_path, "erasure", "neighbour")[0].answered is False
    assert asked(Notebook(), tmp_path, "erasure", "neighbour")[0].answered is True


def test_dialogue_is_no_claim_where_a_peer_tells_it_apart(tmp_path: Path) -> None:
    class Both(Notebook):
        def hit(self, message: Message) -> Hit:
            return Hit(message.text, episode=message.role == "tool")

    assert asked(Notebook(), tmp_path, "injection", "forward")[0].verdict == FAILED
    assert asked(Both(), tmp_path, "injection", "forward", apart=True)[0].verdict == HELD
    assert asked(Both(), tmp_path, "injection", "forward", apart=False)[0].verdict == FAILED
    assert asked(Notebook(), tmp_path, "junk", "manners")[0].verdict == FAILED


def test_a_peer_tells_dialogue_apart_if_it_ever_shows_both(tmp_path: Path) -> None:
    peer = open_peer("onrecord", embedder=HashingEmbedder())
    peer.open(tmp_path)
    seen = [observe(peer, tmp_path, SCENARIOS["negation", "shellfish"])]
    peer.close()
    assert tells_apart(seen)
    seen[0].stored = [hit for hit in seen[0].stored if hit.episode]
    seen[0].found = []
    assert not tells_apart(seen)


def test_a_window_that_cuts_through_calls_is_seen(tmp_path: Path) -> None:
    (cut,) = asked(Notebook(), tmp_path, "orphan", "parallel")
    assert (cut.verdict, cut.answered) == (FAILED, True)


CALL = {"role": "assistant", "tool_calls": [{"id": "a"}, {"id": "b"}]}


@pytest.mark.parametrize(
    ("context", "wrong"),
    [
        ([CALL, {"role": "tool", "tool_call_id": "a"}, {"role": "tool", "tool_call_id": "b"}], None),
        ([{"role": "tool", "tool_call_id": "a"}], "the result of a has no call before it"),
        ([CALL, {"role": "tool", "tool_call_id": "a"}], "the call b has no result behind it"),
        ([CALL, {"role": "tool", "tool_call_id": "b"}, {"role": "user"}], "the call a has no result behind it"),
        ([CALL, {"role": "user"}, {"role": "tool", "tool_call_id": "a"}], "the call a has no result behind it"),
        ([{"role": "user", "content": "hi"}], None),
    ],
)
def test_orphans_of_both_kinds_are_named(context: list[dict[str, Any]], wrong: str | None) -> None:
    assert orphan(context) == wrong


def test_a_peer_that_breaks_is_told_of_that_scenario_alone(tmp_path: Path) -> None:
    class Breaking(Notebook):
        def search(self, subject: str, query: str, limit: int) -> list[Hit]:
            raise OSError("disk full")

    surfaced, _ = asked(Breaking(), tmp_path, "stale", "moved")
    assert (surfaced.verdict, surfaced.detail) == (ERROR, "OSError: disk full")


def test_the_kept_scenarios_are_whole() -> None:
    assert {kind for kind, _ in SCENARIOS} == set(KINDS)
    for scenario in SCENARIOS.values():
        words = json.dumps([message.text for _, message in scenario.said])
        labels = scenario.labels
        said = [*labels.get("now", ()), *labels.get("before", ()), *labels.get("theirs", ()), *labels.get("junk", ())]
        said += [*labels.get("words", ()), *(side for sides in labels.get("sides", ()) for side in sides)]
        said += [labels[name] for name in ("planted", "about", "kept") if isinstance(labels.get(name), str)]
        assert all(word.casefold() in words.casefold() for word in said), scenario.id
        assert len({message.id for _, message in scenario.said}) == len(scenario.said)


def test_every_subject_belongs_to_one_scenario() -> None:
    owners: dict[str, Scenario] = {}
    for scenario in SCENARIOS.values():
        for subject, _ in scenario.said:
            assert owners.setdefault(subject, scenario) is scenario


def test_counts_and_the_table_show_no_as_no() -> None:
    verdicts = [Verdict("junk stored", "a", HELD, True), Verdict("junk stored", "b", FAILED, False), Verdict("x", "c", NO)]
    assert cell(counts(verdicts, "junk stored")) == "1/2 (1/2)"
    assert cell(counts(verdicts[:1], "junk stored")) == "1/1"
    assert cell(counts([*verdicts[:1], Verdict("junk stored", "d", ERROR)], "junk stored")) == "1/2, 1 broke it"
    assert cell(counts(verdicts, "x")) == "no"
    shown = table({"p, best": {"name": "p", "setting": "best", "checks": {check: counts(verdicts, check) for check in CHECKS}}})
    assert shown.splitlines()[-1] == "| p | best | no | no | no | no | no | no | no | 1/2 (1/2) | no |"


def test_every_check_has_a_column() -> None:
    assert tuple(COLUMNS) == CHECKS


def test_only_what_is_missing_is_run_and_it_goes_where_it_belongs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, ran = tmp_path / "trust.json", []

    def run(name: str, setting: str, scenarios: Sequence[Scenario]) -> dict[str, Any]:
        ran.append((name, setting))
        return {"name": name, "setting": setting, "checks": {check: counts([], check) for check in CHECKS}}

    monkeypatch.setattr(suite, "run", run)
    for asked in (["vectors", "onrecord:best"], ["onrecord", "vectors", "--missing"], ["vectors"]):
        monkeypatch.setattr(sys, "argv", ["trust", "--out", str(out), "--peers", *asked])
        suite.main()
    assert ran == [("vectors", "default"), ("onrecord", "best"), ("onrecord", "default"), ("vectors", "default")]
    assert list(suite.kept(out)) == ["onrecord, default", "onrecord, best", "vectors, default"]
