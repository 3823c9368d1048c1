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
    assert "p95" in shown.out
    assert "ask" not in shown.out


def test_json_comes_without_progress(run: Run, locomo: Path) -> None:
    assert run(*words(locomo, "--include", "episodes", "--json")).err == ""


def test_rows_and_tables_are_written(run: Run, locomo: Path, home: Path) -> None:
    (home / "b.md").write_text("# Numbers\n\n<!-- begin locomo -->\nold\n<!-- end locomo -->\n\nafter\n", "utf-8")
    run(*words(locomo, "--include", "episodes", "--rows", "r.jsonl", "--write", "b.md"))
    run_of, *rows = [json.loads(row) for row in (home / "r.jsonl").read_text("utf-8").splitlines()]
    assert run_of["run"]["eval"] == "locomo"
    assert [row["id"] for row in rows] == ["one/q0", "two/q0"]
    assert rows[0]["systems"]["onrecord"]["R@5"] == 1.0
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
        (("squad", "."), "error: No such command 'squad'"),
    ],
)
def test_a_set_that_cannot_be_read_is_named(run: Run, home: Path, given: tuple[str, ...], said: str) -> None:
    (home / "bad.json").write_text("nonsense", "utf-8")
    failed = run("eval", *given, "--cache", "cache") if given[0] != "squad" else run("eval", *given)
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
    assert rows[2:] == [
        "write",
        "micro, precision0.500  1 of 2 (0.095–0.905)",
        "micro, f10.250",
        "",
        "recall",
        "both, hit@10.500  1 of 2 (0.095–0.905)",
    ]
    assert "| recall, both, hit@1 | 0.500 | 1 of 2 (0.095–0.905) |" in keepsakes_markdown(found)


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
    assert "0.000  0 of 1 (0.000–0.793)" in shown.out
    assert "| sets, sick opposed, merged | 0.000 | 0 of 1 (0.000–0.793) |" in (home / "b.md").read_text("utf-8")


def lines_of(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


def test_an_interrupted_run_goes_on_from_its_rows(run: Run, locomo: Path, home: Path) -> None:
    words_of = words(locomo, "--include", "episodes", "--rows", "r.jsonl", "--json")
    whole = run(*words_of).json()
    kept = lines_of(home / "r.jsonl")
    (home / "r.jsonl").write_text("\n".join(kept[:2]) + '\n{"id": "two/q', "utf-8")  # killed while it wrote
    again = run(*words_of).json()
    assert [json.loads(line).get("id") for line in lines_of(home / "r.jsonl")] == [None, "one/q0", "two/q0"]
    assert again[0]["classes"] == whole[0]["classes"]


def test_rows_of_another_run_are_refused(run: Run, locomo: Path, home: Path) -> None:
    run(*words(locomo, "--include", "episodes", "--rows", "r.jsonl"))
    before = lines_of(home / "r.jsonl")
    failed = run(*words(locomo, "--include", "episodes", "--limit", "3", "--rows", "r.jsonl"))
    assert (failed.code, "another run (limits)" in failed.err) == (2, True)
    (home / "note.txt").write_text("my notes\n", "utf-8")
    assert run(*words(locomo, "--rows", "note.txt")).err.startswith("error: note.txt: line 1 is no row")
    assert (lines_of(home / "r.jsonl"), lines_of(home / "note.txt")) == (before, ["my notes"])


def test_two_systems_of_one_run_are_compared_question_by_question(run: Run, locomo: Path) -> None:
    run(*words(locomo, "--include", "episodes", "--rows", "r.jsonl"))
    found = run("eval", "compare", "r.jsonl", "r.jsonl", "--against", "bm25", "--metric", "R@5", "--json").json()
    (one,) = found["compared"]
    assert (one["questions"], one["difference"], one["p"], one["tied"]) == (2, 0.0, 1.0, 2)
    shown = run("eval", "compare", "r.jsonl", "r.jsonl", "--against", "vectors")
    assert "won 0, lost 0, tied 2" in shown.out
    assert run("eval", "compare", "r.jsonl", "r.jsonl", "--against", "grep").err.startswith("error: B: has no values of 'grep'")


def test_runs_that_searched_different_things_are_compared_where_both_are_named(run: Run, locomo: Path) -> None:
    run(*words(locomo, "--include", "episodes", "--include", "both", "--rows", "r.jsonl"))
    ways = ("--include", "episodes", "--include-b", "both", "--metric", "MRR")
    assert run("eval", "compare", "r.jsonl", "r.jsonl", *ways, "--json").json()["compared"][0]["questions"] == 2
    failed = run("eval", "compare", "r.jsonl", "r.jsonl", "--include", "records")
    assert "there are both, episodes" in failed.err


def test_a_sample_is_drawn_by_the_seed(run: Run, locomo: Path) -> None:
    found = run(*words(locomo, "--include", "episodes", "--sample", "1", "--json")).json()
    assert found[0]["questions"] == 1
