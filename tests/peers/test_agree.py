"""Two runs agree when their recalls are half a point apart at most, and their costs stand in the same proportion."""

import json
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from bench.peers import agree
from bench.peers.agree import differences, proportions


def run(recall: float = 0.6, *, slower: float = 1.0, peer_slower: float = 1.0, dearer: float = 1.0) -> dict[str, Any]:
    """``slower`` is the machine, ``peer_slower`` what it did while the peer ran; ``dearer`` is more work for the peer."""

    def entry(peer: str, recall: float, factor: float, work: float = 1.0) -> dict[str, Any]:
        classes = {"all": {"n": 4, "R@5": recall, "R@10": recall}}
        costs = {
            "ingest": {"turns_per_s": 100 / factor, "cpu_ms": 4 * work, "embed_ms": 6 * work},
            "search": {"p50": 5 * factor, "cpu_ms": 2 * work, "embed_ms": 0.0},
        }
        return {"peer": peer, "setting": "default", "sets": {"locomo": {"classes": classes, **costs}}}

    return {
        "sample": {"talks": 3, "every": 8, "seed": 0},
        "sets": {"locomo": {"embedded": "by each"}},
        "peers": [
            entry("onrecord", 0.7, slower),
            entry("bm25", 0.7, slower),
            entry("mem0", recall, slower * peer_slower, dearer),
        ],
    }


def test_a_slower_day_of_the_machine_is_no_difference() -> None:
    assert list(differences(run(), run(slower=3.0))) == []


def test_a_point_of_recall_is_one() -> None:
    assert list(differences(run(0.600), run(0.604))) == []
    assert sorted(map(str, differences(run(0.600), run(0.610)))) == [
        "quality: mem0 (default), locomo, all, R@10: 1.00 points apart",
        "quality: mem0 (default), locomo, all, R@5: 1.00 points apart",
    ]


def test_another_proportion_is_one_of_its_own_kind() -> None:
    waited, worked = differences(run(), run(peer_slower=1.5)), differences(run(), run(dearer=1.5))
    assert sorted(str(one).split(":")[:2] for one in waited) == [
        ["wall-clock", " mem0 (default), search p50"],
        ["wall-clock", " mem0 (default), turns/s"],
    ]
    assert sorted(map(str, worked)) == [
        "processor: mem0 (default), ms a search: 2.00 and, at the speed of the first run, 3.00",
        "processor: mem0 (default), ms a turn: 10.00 and, at the speed of the first run, 15.00",
    ]


def test_costs_of_both_kinds_are_told_at_the_speed_of_the_first_run() -> None:
    told = [pair for pair in proportions(run(), run(slower=2.0, dearer=1.1)) if pair.key == ("mem0", "default")]
    assert [pair.cost.kind for pair in told] == ["wall-clock", "wall-clock", "processor", "processor"]
    assert [(pair.first, round(pair.second, 3)) for pair in told] == [(100.0, 100.0), (5.0, 5.0), (10.0, 11.0), (2.0, 2.2)]


def test_one_memory_that_strayed_is_told_alone_whichever_it_is() -> None:
    strayed = deepcopy(run())
    strayed["peers"][0]["sets"]["locomo"]["search"]["cpu_ms"] *= 2
    assert [str(one).split(",")[0] for one in differences(run(), strayed)] == ["processor: onrecord (default)"]


def test_a_proportion_of_next_to_nothing_says_nothing() -> None:
    told = proportions(run(dearer=0.001), run(dearer=0.002))
    assert {pair.cost.kind for pair in told if pair.key == ("mem0", "default")} == {"wall-clock"}
    assert {one.kind for one in differences(run(dearer=0.001), run(dearer=0.002))} == set()


@pytest.mark.parametrize(
    ("other", "asked", "left_with"),
    [
        (run(peer_slower=1.5), [], 0),
        (run(peer_slower=1.5), ["--wall"], 1),
        (run(dearer=1.5), [], 1),
        (run(0.7), [], 1),
        (run(), ["--wall"], 0),
    ],
)
def test_waiting_decides_only_where_it_is_asked_for(
    other: dict[str, Any],
    asked: list[str],
    left_with: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    files = [tmp_path / "one.json", tmp_path / "other.json"]
    for path, found in zip(files, (run(), other), strict=True):
        path.write_text(json.dumps(found), "utf-8")
    monkeypatch.setattr(sys, "argv", ["agree", *map(str, files), *asked])
    with pytest.raises(SystemExit) as left:
        agree.main()
    assert left.value.code == left_with
    told = capsys.readouterr().out
    assert ("(told only)" in told) is (other == run(peer_slower=1.5) and not asked)
    assert ("the runs agree" in told) is (left_with == 0)


def test_what_only_one_run_has_is_passed_over() -> None:
    partial = deepcopy(run())
    partial["peers"][2]["sets"]["locomo"] = {"failed": "late"}
    assert list(differences(run(), partial)) == []


def test_runs_of_different_samples_are_not_compared() -> None:
    other = run() | {"sample": {"talks": 2, "every": 8, "seed": 0}}
    with pytest.raises(ValueError, match="different samples"):
        list(differences(run(), other))
