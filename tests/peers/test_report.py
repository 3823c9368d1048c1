"""The tables are made from the files of results alone: what is missing is "no", and what is lost is said."""

from typing import Any

from bench.peers import report
from bench.trust.checks import CHECKS


def part(recall: float, *, turns: float = 100.0, classes: bool = True) -> dict[str, Any]:
    figures = dict.fromkeys(("R@5", "R@10", "any@5", "all@5", "MRR", "nDCG@10", "nDCG@10 official", "session_all@5"), recall)
    found = {
        "all": {"n": 4, **figures, "intervals": {"R@10": [recall - 0.1, recall + 0.1]}},
        "multi-hop": {"n": 2, **figures, "R@10": recall / 2},
    }
    return {
        "ingest": {"turns": 10, "seconds": 1.0, "turns_per_s": turns, "cpu_ms": 1.0, "embed_ms": 2.0},
        "search": {"p50": 3.0, "p99": 9.0, "cpu_ms": 1.0, "embed_ms": 2.0} if classes else None,
        "classes": found if classes else None,
        "peak_mb": 50.0,
        "disk_mb": 2.0,
        "tokens": 300,
        "hits": 10.0 if classes else None,
        "verbatim@10": 0.96 if classes else None,
        "at": "2026-11-30T18:00:00+00:00",
        "revision": "abc1234+",
    }


def entry(peer: str, setting: str, found: dict[str, Any]) -> dict[str, Any]:
    return {"peer": peer, "setting": setting, "version": "1.0", "embedder": "e", "can": [], "sets": {"locomo": found}}


QUALITY = {
    "sample": {"talks": 3, "every": 8, "seed": 0},
    "machine": {"cores": 2, "memory_gb": 24, "system": "Linux x86_64", "python": "3.11.7"},
    "sets": {
        "locomo": {"part": "3 of 10 conversations", "talks": 3, "turns": 10, "questions": 4, "embedded": "by each"},
    },
    "peers": [
        entry("onrecord", "default", part(0.7)),
        entry("mem0", "best", part(0.6, turns=1234.5)),
        entry("mem0", "default", {"failed": "mem0 (default) add: too late", "at": "2026-11-30T18:10:00+00:00"}),
        entry("transcript", "default", part(0.0, classes=False)),
    ],
}


def counts(held: int, failed: int = 0, no: int = 0) -> dict[str, int]:
    return {"held": held, "failed": failed, "no": no, "error": 0, "answered": held, "to_answer": held + failed}


def tried(name: str, setting: str, *counted: dict[str, int]) -> dict[str, Any]:
    checks = dict.fromkeys(CHECKS, counts(0, no=1)) | dict(zip(("cross-user read", "junk stored"), counted, strict=True))
    seen = (("held", True), ("held", False), ("failed", None), ("no", None))
    about = {"name": name, "setting": setting, "date": "2026-11-30", "revision": "abc1234"}
    return {**about, "checks": checks, "verdicts": [{"verdict": verdict, "answered": answered} for verdict, answered in seen]}


TRUST = {
    "onrecord, default": tried("onrecord", "default", counts(3), counts(1, 1)),
    "mem0, best": tried("mem0", "best", counts(3), counts(2, 0)),
}


def test_a_peer_without_a_search_is_no_and_one_that_failed_is_failed() -> None:
    page = report.page(QUALITY, {})
    assert "| onrecord | default | 0.700 | 0.700 (0.60–0.80) | 0.700 | 0.700 | 0.700 | 0.350 |" in page
    assert "| transcript | default | no | no | no | no | no | no |" in page
    assert "| mem0 | default | failed | failed |" in page
    assert "mem0 (default) failed: mem0 (default) add: too late" in page


def test_intervals_are_shown_only_where_all_have_them() -> None:
    without = part(0.5)
    del without["classes"]["all"]["intervals"]
    page = report.page(QUALITY | {"peers": [*QUALITY["peers"], entry("langgraph", "default", without)]}, {})  # type: ignore[misc]
    assert "0.60–0.80" not in page
    assert "interval" not in page


def test_what_is_lost_is_said_with_who_is_ahead() -> None:
    page = report.page(QUALITY, {})
    assert "- turns/s: 100, behind mem0 (best) 1234.5." in page
    assert "- LoCoMo, all, R@10" not in page  # this one is won


def test_what_is_lost_in_trust_is_said_too() -> None:
    page = report.page(QUALITY, TRUST)
    assert "- Trust, junk stored, scenarios in which it held: 1, behind mem0 (best) 2." in page
    assert "cross-user read, scenarios" not in page


def test_the_page_says_what_was_run_and_how() -> None:
    page = report.page(QUALITY, {})
    assert "LoCoMo: 3 of 10 conversations (3 talks, 10 turns, 4 questions)" in page
    assert "--talks 3 --every 8 --seed 0" in page
    assert "onrecord at abc1234+ (+: with changes that are not committed)." in page
    assert "2 shared cores, 24 GB" in page
    assert "2026-11-30T18:00 to 2026-11-30T18:10 UTC" in page
    assert "[mem0](https://github.com/mem0ai/mem0) 1.0" in page
    assert "mem0 (best) has 0.96 of lines" in page


def test_trust_is_a_line_for_each_with_a_column_for_each_check() -> None:
    page = report.page(QUALITY, TRUST)
    assert "- **stale ahead**: the former value comes before the present one" in page
    assert "| memory | setting | stale | stale ahead | contradiction | negation | cross-user | deleted |" in page
    assert "| onrecord | default | no | no | no | no | 3/3 | no | no | 1/2 (1/2) | no |" in page
    assert "| mem0 | best | no | no | no | no | 3/3 | no | no | 2/2 | no |" in page
    assert "Run 2026-11-30; onrecord at abc1234." in page


def test_the_short_table_has_a_line_for_each() -> None:
    short = report.short(QUALITY, TRUST)
    assert "| onrecord | default | 0.700 | 3.0 | 100.0 | 2.0 | 1 of 3 |" in short
    assert "| mem0 | best | 0.600 | 3.0 | 1,234.5 | 2.0 | 1 of 3 |" in short
    assert "docs/benchmarks-peers.md" in short


def test_without_results_the_page_has_no_tables() -> None:
    page = report.page({}, {})
    assert page.startswith("# Beside other memories")
    assert "|" not in page
