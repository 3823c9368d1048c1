"""The embedders and the reranker side by side: what they find, and what that costs.

    python -m bench.tiers ../shared/data [--tier nomic ...] [--cache DIR]

Each tier runs in a process of its own. LoCoMo: evidence recall over turns, categories 1-4, by the shipped ranking; ``unseen`` are
the seven talks that the numbers of ``nomic`` and of the reranker were not chosen on. Keepsakes: the probes over records and
episodes together, in-sample for the rules of capture. Times are milliseconds of processor time (all threads), of the first 100
turns and 50 questions of one talk, nothing cached but what a search before has left: a turn is embedded; a question is embedded,
searched and reranked. MB: resident memory that loading the models took.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, median
from time import process_time
from typing import Any

from onrecord.build import open_embedder, open_reranker
from onrecord.evals import locomo
from onrecord.evals.cache import CachedEmbedder
from onrecord.evals.dataset import Dataset
from onrecord.evals.ingest import ingest, reach_of
from onrecord.evals.keepsakes import evaluate_keepsakes
from onrecord.evals.metrics import recall
from onrecord.evals.run import OURS, Row, evaluate
from onrecord.memory import Memory
from onrecord.model.query import Include, Query, View
from onrecord.pipeline.retrieve import search
from onrecord.policy.recall.episode import told
from onrecord.ports import Clock
from onrecord.providers.rerank import BiEncoderReranker

_CACHE = Path("~/.cache/onrecord/evals")
_TURNS, _QUESTIONS, _WARM = 100, 50, 5
_FITTED = 3


@dataclass(frozen=True, slots=True)
class Tier:
    """An embedder and perhaps another one that reranks."""

    embedder: str
    reranker: str = ""


TIERS = {
    "wordllama (static)": Tier("wordllama"),
    "minilm (default)": Tier("minilm"),
    "minilm + rerank": Tier("minilm", "nomic"),
    "nomic": Tier("nomic"),
    "nomic + rerank": Tier("nomic", "minilm"),
}
#: What each column says, and how it is written.
COLUMNS: Mapping[str, str] = {
    "LoCoMo R@5": ".3f",
    "R@10": ".3f",
    "multi-hop R@10": ".3f",
    "unseen R@10": ".3f",
    "unseen multi-hop": ".3f",
    "keepsakes hit@5": ".3f",
    "hit@1": ".3f",
    "balanced": ".3f",
    "ms a query": ".1f",
    "ms a turn": ".2f",
    "MB": ".0f",
}


def cost(tier: Tier, dataset: Dataset) -> dict[str, float]:
    """Time and memory, with models as they are shipped."""
    before, embedder = _memory(), open_embedder(tier.embedder)
    reranker = open_reranker(f"bi-encoder:{tier.reranker}") if tier.reranker else None
    embedder.embed_query("load")
    if reranker is not None:
        reranker.scores("load", ["load"])
    megabytes = _memory() - before
    talk = next(iter(dataset.talks.values()))
    lines = talk.lines[:_TURNS]
    began = process_time()
    embedder.embed_documents([told(line.at, line.author, line.text) for line in lines])
    per_turn = (process_time() - began) * 1000 / len(lines)
    with tempfile.TemporaryDirectory() as folder, Memory(Path(folder, "t.db"), embedder=embedder, reranker=reranker) as memory:
        part = replace(talk, lines=lines)
        ingest(memory.engine, replace(dataset, talks={talk.id: part}))
        times = []
        for question in [one for one in dataset.questions if one.talk == talk.id][: _QUESTIONS + _WARM]:
            view = View(reach=reach_of(talk.id), valid_at=question.at)
            query = Query(text=question.text, view=view, include=Include.EPISODES, limit=10, now=question.at)
            began = process_time()
            search(memory.engine, replace(query, rerank=reranker is not None))
            times.append((process_time() - began) * 1000)
    return {"ms a query": median(times[_WARM:]), "ms a turn": per_turn, "MB": megabytes}


def quality(tier: Tier, dataset: Dataset, keepsakes: Path, cache: Path) -> dict[str, float]:
    """What is found, with vectors from the cache of the evaluations."""
    embedder = CachedEmbedder(open_embedder(tier.embedder), cache)
    reranker = BiEncoderReranker(CachedEmbedder(open_embedder(tier.reranker), cache)) if tier.reranker else None
    with tempfile.TemporaryDirectory() as folder:
        made = iter(range(1_000_000))

        def memory(clock: Clock | None = None) -> Memory:
            return Memory(Path(folder, f"{next(made)}.db"), embedder=embedder, reranker=reranker, clock=clock)

        with memory() as one:
            counted = replace(dataset, questions=tuple(q for q in dataset.scored if q.category not in dataset.apart))
            rows = evaluate(counted, one.engine, limits=(5, 10), baselines=False, foreign=False).rows
        found = evaluate_keepsakes(keepsakes, memory, include=[Include.BOTH], with_baselines=False)
    unseen = list(dataset.talks)[_FITTED:]
    return locomo_figures(rows, unseen) | keepsakes_figures(found)


def locomo_figures(rows: Sequence[Row], unseen: Sequence[str]) -> dict[str, float]:
    """Recalls over all questions, the multi-hop ones, and those of talks nobody fitted on."""

    def mean(rows: Sequence[Row], k: int) -> float:
        return fmean(recall(row.rankings[OURS], row.question.gold, k) for row in rows)

    new = [row for row in rows if row.question.talk in unseen]
    return {
        "LoCoMo R@5": mean(rows, 5),
        "R@10": mean(rows, 10),
        "multi-hop R@10": mean([row for row in rows if row.question.category == "multi-hop"], 10),
        "unseen R@10": mean(new, 10),
        "unseen multi-hop": mean([row for row in new if row.question.category == "multi-hop"], 10),
    }


def keepsakes_figures(found: Mapping[str, Any]) -> dict[str, float]:
    """Hits of the probes, and how well silence is kept where it is wanted."""
    both = found["recall"][Include.BOTH.value]
    return {"keepsakes hit@5": both["hit@5"]["rate"], "hit@1": both["hit@1"]["rate"], "balanced": both["balanced"]}


def _memory() -> float:
    """Resident megabytes of this process."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize() / 2**20


def table(data: Path, tiers: Sequence[str], cache: Path) -> None:
    print("| tier | " + " | ".join(COLUMNS) + " |")
    print("|---" * (len(COLUMNS) + 1) + "|", flush=True)
    for name in tiers:
        command = [sys.executable, "-m", "bench.tiers", str(data), "--cache", str(cache), "--tier", name, "--part"]
        figures: dict[str, float] = {}
        for part in ("cost", "quality"):
            figures |= json.loads(subprocess.run([*command, part], stdout=subprocess.PIPE, check=True).stdout)
        print(f"| {name} | " + " | ".join(format(figures[column], form) for column, form in COLUMNS.items()) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--tier", choices=TIERS, action="append")
    parser.add_argument("--cache", type=Path, default=_CACHE)
    parser.add_argument("--part", choices=("cost", "quality"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    cache = given.cache.expanduser()
    if given.part is None:
        table(given.data, given.tier or list(TIERS), cache)
        return
    dataset, tier = locomo.load(given.data / "locomo/locomo10.json.gz"), TIERS[given.tier[0]]
    figures = cost(tier, dataset) if given.part == "cost" else quality(tier, dataset, given.data / "keepsakes", cache)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
