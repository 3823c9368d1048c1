"""A run over a small conversation with real child processes: figures by the evaluations' own code, and nothing twice."""

import json
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from bench.peers.measure import ranking_of
from bench.peers.peer import Hit
from bench.peers.registry import chosen, names, settings
from bench.peers.revision import revision
from bench.peers.run import Results, run
from bench.peers.sample import Sample
from rich.console import Console

from onrecord.evals.dataset import Dataset, Line, Question, Talk
from onrecord.model.turn import Role
from onrecord.providers.tokens import EstimateCounter

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SAID = (
    "I'm allergic to walnuts, so please leave them out of the cake.",
    "My sister Carla moved to Lisbon last spring, into a flat by the river.",
    "The trams there are yellow and far too small for all her boxes.",
    "I work as a nurse in the children's ward and like the night shifts.",
)
LINES = tuple(
    Line(id=f"talk/{n}", session=f"talk/s{n // 2}", at=NOON + timedelta(minutes=n), role=Role.USER, author="Ana", text=text)
    for n, text in enumerate(SAID)
)
ASKED = (
    Question(
        id="q1",
        talk="talk",
        text="Where did my sister Carla move?",
        category="single",
        at=NOON,
        gold=frozenset({"talk/1"}),
        sessions=frozenset({"talk/s0"}),
    ),
)
SMALL = Dataset(name="locomo", talks={"talk": Talk("talk", LINES)}, questions=ASKED)


def test_a_run_measures_each_once_and_writes_what_it_found(tmp_path: Path) -> None:
    out, sample = tmp_path / "found.json", Sample(1, 1, 0)
    for _ in range(2):  # the second time everything is there already
        results = Results(out, sample)
        run(
            chosen(["bm25", "transcript"]),
            {"locomo": SMALL},
            results,
            sample=sample,
            cache=tmp_path,
            again=frozenset(),
            counter=EstimateCounter(),
            console=Console(stderr=True, quiet=True),
        )
    found = json.loads(out.read_text("utf-8"))
    words, transcript = found["peers"]
    assert words["sets"]["locomo"]["classes"]["all"]["R@10"] == 1.0
    assert words["sets"]["locomo"]["verbatim@10"] == 1.0
    assert words["sets"]["locomo"]["ingest"]["turns"] == len(LINES)
    assert words["sets"]["locomo"]["disk_mb"] > 0
    assert transcript["sets"]["locomo"]["classes"] is None
    assert transcript["sets"]["locomo"]["tokens"] > 40
    assert len(found["peers"]) == 2
    assert found["sets"]["locomo"]["turns"] == len(LINES)
    assert words["sets"]["locomo"]["revision"] == revision()
    assert all(text not in out.read_text("utf-8") for text in SAID)


def test_results_of_another_sample_are_not_mixed_in(tmp_path: Path) -> None:
    out = tmp_path / "found.json"
    Results(out, Sample(1, 1, 0)).put("bm25", "default", "locomo", {"failed": "late"}, {})
    assert not Results(out, Sample(1, 1, 0)).has("bm25", "default", "locomo")
    with pytest.raises(ValueError, match="is of another sample"):
        Results(out, Sample(2, 1, 0))


def test_peers_are_chosen_by_name_or_by_name_and_setting() -> None:
    assert chosen(["onrecord", "mem0:best"]) == [("onrecord", "default"), ("onrecord", "best"), ("mem0", "best")]
    assert chosen() == [(name, setting) for name in names() for setting in settings(name)]
    with pytest.raises(ValueError, match="there is no 'nobody'"):
        chosen(["nobody"])
    with pytest.raises(ValueError, match="bm25 has no 'best'"):
        chosen(["bm25:best"])


def test_a_hit_without_an_id_counts_by_its_text() -> None:
    talk = Talk("talk", LINES)
    hits = [Hit(f"[1 March 2026] Ana: {SAID[2]}\n"), Hit(SAID[0]), Hit("of another talk"), Hit("pieces", ("talk/2", "gone"))]
    assert ranking_of(hits, talk) == ("talk/2", "talk/0")


def test_figures_are_of_a_commit_and_say_where_they_are_of_more(tmp_path: Path) -> None:
    assert revision(tmp_path) == ""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "one.py").write_text("1\n")
    who = ["-c", "user.name=Ana", "-c", "user.email=ana@example.org"]
    for words in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "one"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    clean = revision(tmp_path)
    assert clean
    assert not clean.endswith("+")
    (tmp_path / "notes.txt").write_text("nothing that is measured\n")
    assert revision(tmp_path) == clean
    (tmp_path / "src" / "one.py").write_text("2\n")
    assert revision(tmp_path) == f"{clean}+"
