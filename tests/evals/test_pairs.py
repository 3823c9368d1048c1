from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from onrecord.evals.pairs import becomes_one, evaluate_pairs


def test_what_differs_stays_two_and_what_is_the_same_becomes_one() -> None:
    assert becomes_one("I prefer aisle seats", "The user prefers aisle seats")
    assert not becomes_one("Uploads are permitted", "Uploads are not permitted")


def test_counts_by_set_and_label(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "a": "A gate is open", "b": "A gate is not open", "relatedness": 4.0, "label": "CONTRADICTION"},
        {"id": "2", "a": "A gate is open", "b": "The gate is open", "relatedness": 4.8, "label": "ENTAILMENT"},
    ]
    with gzip.open(tmp_path / "sick.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    found = evaluate_pairs(tmp_path)
    assert found["sets"] == {"sick opposed": {"pairs": 1, "merged": 0}, "sick same": {"pairs": 1, "merged": 1}}
    assert found["merged_opposed"] == 0


@pytest.mark.data
def test_no_contradiction_of_the_public_sets_is_merged(data: Callable[[str], Path]) -> None:
    found = evaluate_pairs(data("components"))
    assert found["merged_opposed"] == 0
    assert found["sets"]["sick other"]["merged"] == 0
    assert found["sets"]["sick same"]["merged"] >= 150
