"""Compares ways to run all-MiniLM-L6-v2: speed, start-up, memory, nearness to single precision, and repeatability.

    python -m bench.embed [--threads N] [--locomo locomo10.json.gz]

Each variant is built beforehand (which needs what `tools/build_minilm.py` needs) and runs in a process of its own, on
texts of 15-25, 50-70 and 240-256 tokens out of Python's own manual. "int8 alone" is the bundled one. "alone" runs one
text at a time, "batch" runs up to 16 texts of the same length together (there is no padding). Speeds are texts a second
of processor time, "start" is processor seconds from the file to the first vector. "same" tells whether a text had the
same vector, bit for bit, in a batch as alone. With LoCoMo's path the recall of evidence by vectors alone is measured
too (its categories 1-4).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto
from tools import minilm_upstream as upstream
from tools.minilm_graph import Linear, build_encoder

from onrecord.providers.embed.encoder import load_session
from onrecord.providers.embed.graph import INPUT, WEIGHT_LIMIT, Graph, Matrix, float_linear, int8_linear, quantise_rows
from onrecord.providers.embed.minilm import load_tokenizer

Ids: TypeAlias = list[int]
SIZES = {"20": (15, 25, 128), "60": (50, 70, 96), "250": (240, 256, 32)}
BATCH = 16


@dataclass(frozen=True)
class Variant:
    """A way to build the graph, and whether texts of one length share a run."""

    linear: Linear
    quantise_table: bool
    batch: bool

    def build(self) -> bytes:
        tensors = upstream.read_weights(upstream.find_folder())
        return build_encoder(tensors, linear=self.linear, quantise_table=self.quantise_table)


def row_linear(graph: Graph, x: str, weight: Matrix, bias: Matrix) -> str:
    """As `int8_linear`, with a scale for each token, so that a batch could not change a text's vector."""
    levels, scales = quantise_rows(weight, WEIGHT_LIMIT)
    top = graph.op("ReduceMax", graph.op("Abs", x), graph.ints(-1), keepdims=1)
    x_scale = graph.op("Div", graph.op("Max", top, graph.floats(1e-9)), graph.floats(127))
    rounded = graph.op("Round", graph.op("Div", x, x_scale))
    x_levels = graph.op("Cast", graph.op("Add", rounded, graph.floats(128)), to=TensorProto.UINT8)
    zero = graph.op("Cast", graph.floats(128), to=TensorProto.UINT8)
    product = graph.op("Cast", graph.op("MatMulInteger", x_levels, graph.int8(levels.T), zero), to=TensorProto.FLOAT)
    product = graph.op("Mul", graph.op("Mul", product, x_scale), graph.floats(scales[:, 0]))
    return graph.op("Add", product, graph.floats(bias))


VARIANTS = {
    "fp32 alone": Variant(float_linear, False, False),
    "fp32 batch": Variant(float_linear, False, True),
    "int8 alone": Variant(int8_linear, True, False),
    "int8 batch": Variant(int8_linear, True, True),
    "int8 by token alone": Variant(row_linear, True, False),
    "int8 by token batch": Variant(row_linear, True, True),
}


class Runner:
    """A loaded model; `start` is the processor seconds that reading, checking and loading it took."""

    def __init__(self, model: Path, threads: int) -> None:
        began = time.process_time()
        content = model.read_bytes()
        hashlib.sha256(content).hexdigest()
        self._session = load_session(content, threads)
        del content
        self.run([[101, 102]])
        self.start = time.process_time() - began

    def run(self, texts: Sequence[Ids]) -> Matrix:
        vectors: Matrix = self._session.run(None, {INPUT: np.array(texts, np.int64)})[0]
        return vectors

    def alone(self, texts: Sequence[Ids]) -> Matrix:
        return np.concatenate([self.run([ids]) for ids in texts])

    def batch(self, texts: Sequence[Ids]) -> Matrix:
        vectors = np.empty((len(texts), 384), np.float32)
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        while order:
            size = len(texts[order[0]])
            group = [i for i in order[:BATCH] if len(texts[i]) == size]
            vectors[group], order = self.run([texts[i] for i in group]), order[len(group) :]
        return vectors


def samples() -> dict[str, list[Ids]]:
    """Token ids of texts of each size, the same ones at every call."""
    rng = random.Random(7)
    manual = "\n".join(import_module("pydoc_data.topics").topics.values())[:600_000]
    tokenizer = load_tokenizer()
    tokenizer.no_truncation()
    stream: Ids = tokenizer.encode(manual, add_special_tokens=False).ids
    found: dict[str, list[Ids]] = {}
    for name, (least, most, amount) in SIZES.items():
        starts = [rng.randrange(len(stream) - most) for _ in range(amount)]
        found[name] = [[101, *stream[at : at + rng.randint(least, most) - 2], 102] for at in starts]
    return found


def rate(run: Callable[[Sequence[Ids]], Matrix], texts: Sequence[Ids]) -> float:
    """Texts for a second of one processor, the best of five: processor time, as other work disturbs it least."""
    times = []
    for _ in range(5):
        began = time.process_time()
        run(texts)
        times.append(time.process_time() - began)
    return len(texts) / min(times)


def measure(name: str, threads: int, folder: Path, locomo: Path | None) -> dict[str, Any]:
    """The numbers of one variant, built in `folder`; its vectors are saved there too."""
    variant = VARIANTS[name]
    before = _memory()
    runner = Runner(folder / f"{name}.onnx", threads)
    memory = _memory() - before
    run = runner.batch if variant.batch else runner.alone
    texts = samples()
    numbers: dict[str, Any] = {size: rate(run, ids) for size, ids in texts.items()}
    everything = [ids for group in texts.values() for ids in group]
    alone = runner.alone(everything)
    np.save(folder / f"{name}.npy", run(everything))
    peak = _peak()
    same = bool(np.array_equal(alone, run(everything)))
    numbers |= {"start": runner.start, "memory": memory, "peak": peak, "same": same}
    return numbers | (recall(run, locomo) if locomo else {})


def _memory() -> float:
    """Resident megabytes of this process."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize() / 2**20


def _peak() -> float:
    """The most resident megabytes since this program started; `ru_maxrss` would count the parent's too."""
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 2**10


def recall(run: Callable[[Sequence[Ids]], Matrix], path: Path) -> dict[str, float]:
    """Mean share of a question's evidence among the 5 and 10 nearest messages of its talk."""
    dataset = import_module("onrecord.evals.locomo").load(path, captions=True)
    tokenizer = load_tokenizer()
    found: dict[int, list[float]] = {5: [], 10: []}
    for talk in dataset.talks.values():
        units = [f"[{line.at.day} {line.at:%B %Y}] {line.author}: {line.text}" for line in talk.lines]
        matrix = run([tokenizer.encode(unit).ids for unit in units])
        for question in dataset.questions:
            if question.talk == talk.id and question.gold and not question.abstain:
                order = np.argsort(-(matrix @ run([tokenizer.encode(question.text).ids])[0]), kind="stable")
                for k, values in found.items():
                    values.append(len(question.gold & {talk.lines[i].id for i in order[:k]}) / len(question.gold))
    return {f"R@{k}": float(np.mean(values)) for k, values in found.items()}


def cosines(found: NDArray[np.float32], reference: NDArray[np.float32]) -> tuple[float, float]:
    """Mean and least cosine."""
    products = (found * reference).sum(axis=1)
    return float(products.mean()), float(products.min())


def table(threads: int, locomo: Path | None, folder: Path) -> None:
    head = "".join(f"{size + ' tok/s':>11}" for size in SIZES)
    print(f"{'variant':20}{head}{'start':>7}{'MB':>6}{'peak MB':>9}{'cosine':>8}{'least':>7}", end="")
    print(f"{'same':>7}{'R@5':>7}{'R@10':>7}")
    reference: Matrix | None = None
    for name in VARIANTS:
        (folder / f"{name}.onnx").write_bytes(VARIANTS[name].build())
        command = [sys.executable, "-m", "bench.embed", "--variant", name, "--threads", str(threads), "--folder", str(folder)]
        command += ["--locomo", str(locomo)] if locomo else []
        answer = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        vectors = np.load(folder / f"{name}.npy")
        reference = vectors if reference is None else reference
        print(row(name, json.loads(answer.stdout), *cosines(vectors, reference)), flush=True)


def row(name: str, found: dict[str, Any], mean: float, least: float) -> str:
    speeds = "".join(f"{found[size]:11.0f}" for size in SIZES)
    cost = f"{found['start']:7.2f}{found['memory']:6.0f}{found['peak']:9.0f}"
    recalls = "".join(f"{found.get(key, float('nan')):7.3f}" for key in ("R@5", "R@10"))
    return f"{name:20}{speeds}{cost}{mean:8.4f}{least:7.3f}{found['same']!s:>7}{recalls}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--locomo", type=Path)
    parser.add_argument("--variant", choices=VARIANTS)
    parser.add_argument("--folder", type=Path)
    arguments = parser.parse_args()
    if arguments.variant:
        print(json.dumps(measure(arguments.variant, arguments.threads, arguments.folder, arguments.locomo)))
        return
    with tempfile.TemporaryDirectory() as folder:
        table(arguments.threads, arguments.locomo, Path(folder))


if __name__ == "__main__":
    main()
