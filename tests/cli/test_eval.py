"""A benchmark is run, shown, written down question by question, and put into its part of a Markdown file."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from onrecord.cli.scores import keepsakes_markdown, keepsakes_page

Run: TypeAlias = Callable[..., Any]
LINES = ("I joined a rowing club in Leith.", "My dentist moved to Granton.", "We saw a heron by the canal.")


@pytest.fixture
def locomo(home: Path) -> Path:
    """A set of two tiny talks in the form of LoCoMo."""
    talks = []
    for name in ("one", "two"):
        said = [{"speaker": "Ana", "dia_id": f"D1:{n}", "text": text} for n, text in enumerate(LINES, 1)]
        spoken = {"speaker_a": "Ana", "speaker_b": "Ben", "session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": said}
        asked = [{"question": "Which club did Ana join?", "answer": "rowing", "evidence": ["D1:1"], "category": 4}]
        talks.append({"sample_id": name, "conversation": spoken, "qa": asked})
    path = home / "locomo.json"
    path.write_text(json.dumps(talks), "utf-8")
    return path


def words(path: Path, *more: str) -> tuple[str, ...]:
    return ("eval", "locomo", str(path), "--cache", "cache", *more)


def test_each_way_of_searching_has_its_figures_beside_the_baselines(run: Run, locomo: Path) -> None:
    runs = run(*words(locomo, "--json")).json()
    assert [one["include"] for one in runs] == ["episodes", "records", "both"]
    assert set(runs[0]["classes"]["all"]) == {"onrecord", "bm25", "vectors"}
    assert runs[0]["classes"]["all"]["onrecord"]["R@5"] == 1.0


def test_the_page_shows_progress_on_stderr_alone(run: Run, locomo: Path) -> None:
    shown = run(*words(locomo, "--include", "episodes", "--no-baselines", "--limit", "1"))
    assert shown.code == 0
    assert "R@1 1.000" in shown.out
    assert "bm25" not in shown.out
    assert "locomo episodes, ask: 2/2" in shown.err
    assert "ask" not in shown.out


def test_json_comes_without_progress(run: Run, locomo: Path) -> None:
    assert run(*words(locomo, "--include", "episodes", "--json")).err == ""


def test_rows_and_tables_are_written(run: Run, locomo: Path, home: Path) -> None:
    (home / "b.md").write_text("# Numbers\n\n<!-- begin locomo -->\nold\n<!-- end locomo -->\n\nafter\n", "utf-8")
    run(*words(locomo, "--include", "episodes", "--rows", "r.jsonl", "--write", "b.md"))
    rows = [json.loads(row) for row in (home / "r.jsonl").read_text("utf-8").splitlines()]
    assert [row["id"] for row in rows] == ["one/q0", "two/q0"]
    page = (home / "b.md").read_text("utf-8")
    assert "| all | 2 | onrecord |" in page
    assert "old" not in page
    assert page.endswith("\nafter\n")


def test_a_second_run_finds_its_embeddings_in_the_cache(run: Run, locomo: Path, home: Path) -> None:
    run(*words(locomo, "--include", "episodes"))
    before = {path.name: path.stat().st_size for path in (home / "cache").iterdir()}
    assert before
    run(*words(locomo, "--include", "episodes"))
    assert {path.name: path.stat().st_size for path in (home / "cache").iterdir()} == before


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("locomo", "none.json"), "error: PATH: none.json can't be read: No such file"),
        (("locomo", "bad.json"), "error: PATH: bad.json can't be read: JSONDecodeError"),
        (("longmemeval", "."), "error: PATH: . can't be read: No such file"),
        (("beam", "."), "error: PATH: . holds no question of beam"),
        (("keepsakes", "none"), "error: PATH: none is no folder"),
        (("squad", "."), "error: Invalid value for 'SET'"),
    ],
)
def test_a_set_that_cannot_be_read_is_named(run: Run, home: Path, given: tuple[str, ...], said: str) -> None:
    (home / "bad.json").write_text("nonsense", "utf-8")
    failed = run("eval", *given, "--cache", "cache")
    assert (failed.code, failed.out) == (2, "")
    assert failed.err.startswith(said)


def test_keepsakes_shows_every_rate_with_its_counts() -> None:
    rate = {"rate": 0.5, "n": 1, "of": 2}
    found = {
        "conversations": ["a"],
        "write": {"micro": {"precision": rate, "f1": 0.25}, "kinds": {"x": rate}, "missed": [{}]},
        "recall": {"both": {"hit@1": rate, "recall@5": {"rate": None, "of": 0}}},
        "unread": [],
    }
    rows = ["".join(text for text, _ in (line.label, *line.words)) for line in keepsakes_page(found)]
    assert rows[0] == "keepsakes  1 conversation"
    assert rows[2:] == ["write", "micro, precision0.500  1 of 2", "micro, f10.250", "", "recall", "both, hit@10.500  1 of 2"]
    assert "| recall, both, hit@1 | 0.500 | 1 of 2 |" in keepsakes_markdown(found)


def test_compaction_is_measured_on_every_set_of_a_folder(run: Run, home: Path) -> None:
    folder = Path(__file__).parents[1] / "evals" / "data"
    page = Path("compaction.md")
    found = run("eval", "compaction", str(folder), "--cache", "cache", "--write", str(page), "--json").json()
    assert set(found) == {"keepsakes"}
    assert set(found["keepsakes"]) == {"4x, 1 round", "4x, 5 rounds", "8x, 1 round", "8x, 5 rounds"}
    assert found["keepsakes"]["4x, 1 round"]["ledger"]["inverted"] == []
    assert "| 4x, 1 round | ledger |" in page.read_text("utf-8")
    assert run("eval", "compaction", str(home / "nothing"), "--cache", "cache").code == 2
    one = run("eval", "compaction", str(folder / "keepsakes"), "--cache", "cache", "--json").json()
    assert one["keepsakes"] == found["keepsakes"]


def test_pairs_are_counted_on_the_page_and_in_the_file(run: Run, home: Path) -> None:
    pair = {"id": "1", "a": "Ana likes tea", "b": "Ana does not like tea", "relatedness": 4.0, "label": "CONTRADICTION"}
    (home / "sick.jsonl.gz").write_bytes(gzip.compress(json.dumps(pair).encode()))
    shown = run("eval", "pairs", str(home), "--cache", "cache", "--write", "b.md")
    assert "0.000  0 of 1" in shown.out
    assert "| sets, sick opposed, merged | 0.000 | 0 of 1 |" in (home / "b.md").read_text("utf-8")
