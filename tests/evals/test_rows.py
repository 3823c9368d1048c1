"""Rows are on disk as they come, belong to one run, and survive a process that was killed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.evals.test_run import DAY, a_dataset

from onrecord.errors import InvalidInput
from onrecord.evals.dataset import Dataset, Question, sampled
from onrecord.evals.rows import RowFile, code_digest, read_rows

RUN = {"eval": "tiny", "limits": [5, 10]}


def test_a_row_is_in_the_file_as_soon_as_it_is_added(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with RowFile(path, RUN) as rows:
        rows.add({"id": "a", "x": 1.5})
        assert read_rows(path) == (RUN, [{"id": "a", "x": 1.5}])


def test_a_run_is_taken_up_where_it_was_left_and_half_a_line_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with RowFile(path, RUN) as rows:
        rows.add({"id": "a", "include": "both"})
    with path.open("a") as file:
        file.write('{"id": "b", "incl')
    with RowFile(path, RUN) as rows:
        assert (rows.ids(), rows.ids(include="both"), rows.ids(include="records")) == ({"a"}, {"a"}, set())
        rows.add({"id": "b", "include": "é\u2028"})
    assert [row["id"] for row in read_rows(path)[1]] == ["a", "b"]


def test_a_file_that_holds_half_of_its_first_line_begins_anew(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text('{"run": {"ev', "utf-8")
    with RowFile(tmp_path / "r.jsonl", RUN) as rows:
        rows.add({"id": "a"})
    assert read_rows(tmp_path / "r.jsonl") == (RUN, [{"id": "a"}])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("notes\n", "line 1 is no row"),
        ('{"id": "a"}\n', "does not begin with its run"),
        ('{"run": {}}\n{"x": 1}\n', "line 2 is no row"),
        (json.dumps({"run": {**RUN, "limits": [3]}}) + "\n", r"another run \(limits\)"),
    ],
)
def test_what_is_no_file_of_this_run_is_refused_and_stays_as_it_is(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(content, "utf-8")
    with pytest.raises(InvalidInput, match=said):
        RowFile(path, RUN)
    assert path.read_text("utf-8") == content


def test_without_a_path_rows_are_kept_in_memory() -> None:
    rows = RowFile(None, RUN)
    rows.add({"id": "a"})
    assert rows.ids() == {"a"}


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="--rows"):
        RowFile(tmp_path / "nowhere" / "r.jsonl", RUN)


def test_the_code_has_a_digest_that_stays() -> None:
    assert code_digest() == code_digest()
    assert len(code_digest()) == 16


def questions(dataset: Dataset) -> list[str]:
    return [question.id for question in dataset.questions]


def test_a_sample_is_the_same_for_a_seed_and_keeps_the_order() -> None:
    many = tuple(Question(id=f"{n:02}", talk="one", text="?", category="c", at=DAY) for n in range(50))
    dataset = Dataset(name="many", talks=a_dataset().talks, questions=many)
    first = questions(sampled(dataset, 10, 1))
    assert first == sorted(first) == questions(sampled(dataset, 10, 1))
    assert first != questions(sampled(dataset, 10, 2))
    assert sampled(dataset, None, 1) is sampled(dataset, 99, 1) is dataset


def test_a_set_is_told_from_one_with_another_question_or_line() -> None:
    dataset = a_dataset()
    fewer = Dataset(name="tiny", talks=dataset.talks, questions=dataset.questions[1:])
    shorter = Dataset(name="tiny", talks={"one": dataset.talks["one"]}, questions=dataset.questions)
    assert len({dataset.digest, fewer.digest, shorter.digest, a_dataset().digest}) == 3
