"""Two runs agree when their recalls are half a point apart at most, and their costs stand in the same proportion."""

from copy import deepcopy
from typing import Any

import pytest
from bench.peers.agree import differences


def run(recall: float = 0.6, *, slower: float = 1.0, peer_slower: float = 1.0) -> dict[str, Any]:
    def entry(peer: str, recall: float, factor: float) -> dict[str, Any]:
        classes = {"all": {"n": 4, "R@5": recall, "R@10": recall}}
        costs = {"ingest": {"turns_per_s": 100 / factor}, "search": {"p50": 5 * factor}}
        return {"peer": peer, "setting": "default", "sets": {"locomo": {"classes": classes, **costs}}}

    return {
        "sample": {"talks": 3, "every": 8, "seed": 0},
        "sets": {"locomo": {"embedded": "by each"}},
        "peers": [entry("onrecord", 0.7, slower), entry("mem0", recall, slower * peer_slower)],
    }


def test_a_slower_day_of_the_machine_is_no_difference() -> None:
    assert list(differences(run(), run(slower=3.0))) == []


def test_a_point_of_recall_is_one() -> None:
    assert list(differences(run(0.600), run(0.604))) == []
    assert sorted(differences(run(0.600), run(0.610))) == [
        "mem0 (default), locomo, all, R@10: 1.00 points apart",
        "mem0 (default), locomo, all, R@5: 1.00 points apart",
    ]


def test_another_proportion_is_one() -> None:
    found = sorted(differences(run(), run(peer_slower=1.5)))
    assert [line.split(":")[0] for line in found] == ["mem0 (default), p50", "mem0 (default), turns_per_s"]


def test_what_only_one_run_has_is_passed_over() -> None:
    partial = deepcopy(run())
    partial["peers"][1]["sets"]["locomo"] = {"failed": "late"}
    assert list(differences(run(), partial)) == []


def test_runs_of_different_samples_are_not_compared() -> None:
    other = run() | {"sample": {"talks": 2, "every": 8, "seed": 0}}
    with pytest.raises(ValueError, match="different samples"):
        list(differences(run(), other))
