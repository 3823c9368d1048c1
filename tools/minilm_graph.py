"""Builds the ONNX graph of a BERT sentence encoder from its weights, in memory and without PyTorch.

Input `input_ids`: int64 (n, length), with no padding, so the texts of one run must have one length. Output `vectors`:
float32 (n, width), the mean over all tokens, L2-normalised. Only operators of the ONNX standard are used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, numpy_helper

INPUT, OUTPUT = "input_ids", "vectors"
OPSET, IR_VERSION = 20, 9
LAYERS, HEADS, MAX_TOKENS, EPSILON = 6, 12, 256, 1e-12

# 7 bits, not 8: processors without VNNI add pairs of uint8 x int8 products in 16 bits, and 255 * 127 * 2 would saturate
# there; 255 * 63 * 2 does not, so every processor gets the same sums.
WEIGHT_LIMIT = 63
TABLE_LIMIT = 127

Matrix: TypeAlias = NDArray[np.float32]
Weights: TypeAlias = Mapping[str, Matrix]
Linear: TypeAlias = "Callable[[Graph, str, Matrix, Matrix], str]"
"""Adds x @ weight.T + bias to the graph, x by name, weight (out, in), bias (out,); returns the name of the result."""


class Graph:
    """Nodes and constants under construction. Every method returns the names of the values that it added."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        return self.ops(kind, 1, *inputs, **attributes)[0]

    def ops(self, kind: str, outputs: int, *inputs: str, **attributes: Any) -> list[str]:
        names = [f"{kind}_{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, **attributes))
        return names

    def floats(self, value: object) -> str:
        return self._constant(np.array(value, np.float32, order="C"))

    def ints(self, *value: int) -> str:
        return self._constant(np.array(value, np.int64))

    def int8(self, value: NDArray[np.int8]) -> str:
        return self._constant(np.ascontiguousarray(value))

    def _constant(self, array: NDArray[np.generic]) -> str:
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(array, name))
        return name


def float_linear(graph: Graph, x: str, weight: Matrix, bias: Matrix) -> str:
    """x @ weight.T + bias in single precision."""
    return graph.op("Add", graph.op("MatMul", x, graph.floats(weight.T)), graph.floats(bias))


def int8_linear(graph: Graph, x: str, weight: Matrix, bias: Matrix) -> str:
    """x @ weight.T + bias, multiplied as integers: weights scaled by output channel, x by one scale for the whole run.

    Since that scale depends on all that is in the run, only runs of a single text repeat bit by bit.
    """
    levels, scales = quantise_rows(weight, WEIGHT_LIMIT)
    x_levels, x_scale, x_zero = graph.ops("DynamicQuantizeLinear", 3, x)
    product = graph.op("MatMulInteger", x_levels, graph.int8(levels.T), x_zero)
    scale = graph.op("Mul", x_scale, graph.floats(scales[:, 0]))
    product = graph.op("Mul", graph.op("Cast", product, to=TensorProto.FLOAT), scale)
    return graph.op("Add", product, graph.floats(bias))


def quantise_rows(matrix: Matrix, limit: int) -> tuple[NDArray[np.int8], Matrix]:
    """Whole numbers in ±limit, shape of `matrix`, and the scale of each row, (rows, 1): matrix ≈ levels * scales."""
    scales = np.abs(matrix).max(axis=1, keepdims=True) / np.float32(limit)
    return np.rint(matrix / scales).astype(np.int8), scales


def build_encoder(weights: Weights, *, linear: Linear = int8_linear, quantise_table: bool = True) -> bytes:
    """The serialised ONNX model of the encoder.

    Args:
        weights: tensors under the names that BERT checkpoints use.
        linear: how the products of the layers are computed.
        quantise_table: whether the table of word vectors is held as int8, one scale a word, a quarter of the size.

    Raises:
        KeyError: a tensor is missing.
    """
    graph = Graph()
    x = _embeddings(graph, weights, quantise_table)
    for layer in range(LAYERS):
        x = _layer(graph, weights, linear, f"encoder.layer.{layer}", x)
    mean = graph.op("ReduceMean", x, graph.ints(1), keepdims=0)
    length = graph.op("ReduceL2", mean, graph.ints(1), keepdims=1)
    graph.nodes.append(helper.make_node("Div", [mean, length], [OUTPUT]))
    return _serialise(graph, width=weights["embeddings.LayerNorm.bias"].shape[0])


def _serialise(graph: Graph, width: int) -> bytes:
    inputs = [helper.make_tensor_value_info(INPUT, TensorProto.INT64, ["n", "length"])]
    outputs = [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["n", width])]
    built = helper.make_graph(graph.nodes, "sentence_encoder", inputs, outputs, graph.constants)
    model = helper.make_model(built, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    serialised: bytes = model.SerializeToString()
    return serialised


def _embeddings(graph: Graph, weights: Weights, quantise_table: bool) -> str:
    words = _words(graph, weights["embeddings.word_embeddings.weight"], quantise_table)
    # every text is a single segment, so its type vector is the same at every place
    places = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    length = graph.op("Shape", INPUT, start=1, end=2)
    places_used = graph.op("Slice", graph.floats(places[:MAX_TOKENS]), graph.ints(0), length, graph.ints(0))
    return _norm(graph, weights, "embeddings.LayerNorm", graph.op("Add", words, places_used))


def _words(graph: Graph, table: Matrix, quantise: bool) -> str:
    if not quantise:
        return graph.op("Gather", graph.floats(table), INPUT)
    levels, scales = quantise_rows(table, TABLE_LIMIT)
    rows = graph.op("Cast", graph.op("Gather", graph.int8(levels), INPUT), to=TensorProto.FLOAT)
    return graph.op("Mul", rows, graph.op("Gather", graph.floats(scales), INPUT))


def _layer(graph: Graph, weights: Weights, linear: Linear, layer: str, x: str) -> str:
    def dense(x: str, *names: str) -> str:
        parts = [f"{layer}.{name}" for name in names]
        weight = np.concatenate([weights[f"{part}.weight"] for part in parts])
        return linear(graph, x, weight, np.concatenate([weights[f"{part}.bias"] for part in parts]))

    mixed = dense(x, *(f"attention.self.{part}" for part in ("query", "key", "value")))
    width = weights["embeddings.LayerNorm.bias"].shape[0]
    attended = dense(_attention(graph, mixed, width), "attention.output.dense")
    x = _norm(graph, weights, f"{layer}.attention.output.LayerNorm", graph.op("Add", attended, x))
    inner = graph.op("Gelu", dense(x, "intermediate.dense"))
    return _norm(graph, weights, f"{layer}.output.LayerNorm", graph.op("Add", dense(inner, "output.dense"), x))


def _attention(graph: Graph, mixed: str, width: int) -> str:
    size = width // HEADS
    heads = graph.op("Reshape", mixed, graph.ints(0, 0, 3 * HEADS, size))
    query, key, value = graph.ops("Split", 3, graph.op("Transpose", heads, perm=[0, 2, 1, 3]), axis=1, num_outputs=3)
    scores = graph.op("MatMul", query, graph.op("Transpose", key, perm=[0, 1, 3, 2]))
    shares = graph.op("Softmax", graph.op("Mul", scores, graph.floats(size**-0.5)), axis=-1)
    mixed = graph.op("Transpose", graph.op("MatMul", shares, value), perm=[0, 2, 1, 3])
    return graph.op("Reshape", mixed, graph.ints(0, 0, width))


def _norm(graph: Graph, weights: Weights, name: str, x: str) -> str:
    scale, shift = graph.floats(weights[f"{name}.weight"]), graph.floats(weights[f"{name}.bias"])
    return graph.op("LayerNormalization", x, scale, shift, axis=-1, epsilon=EPSILON)
