"""Pieces of ONNX graphs of sentence encoders, made in memory and without PyTorch. Needs the package ``onnx``.

Products of layers are integers: weights in 7 bits with one scale an output channel, what flows through in 8 bits with one scale
for the whole run, so that only runs of a single text repeat bit by bit. 7 bits, not 8: processors without VNNI add pairs of
uint8 x int8 products in 16 bits, and 255 * 127 * 2 would saturate there; 255 * 63 * 2 does not, so every processor gets the same
sums.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, numpy_helper

INPUT, OUTPUT = "input_ids", "vectors"
OPSET, IR_VERSION = 20, 9
WEIGHT_LIMIT, TABLE_LIMIT = 63, 127

Matrix: TypeAlias = NDArray[np.float32]


class Graph:
    """Nodes and constants under construction. Every method returns the names of the values that it added."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """A node with one output."""
        return self.ops(kind, 1, *inputs, **attributes)[0]

    def ops(self, kind: str, outputs: int, *inputs: str, **attributes: Any) -> list[str]:
        """A node with several outputs."""
        names = [f"{kind}_{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, **attributes))
        return names

    def floats(self, value: object) -> str:
        """A constant in single precision."""
        return self._constant(np.array(value, np.float32, order="C"))

    def ints(self, *value: int) -> str:
        """A constant vector of whole numbers."""
        return self._constant(np.array(value, np.int64))

    def int8(self, value: NDArray[np.int8]) -> str:
        """A constant in 8 bits."""
        return self._constant(np.ascontiguousarray(value))

    def _constant(self, array: NDArray[np.generic]) -> str:
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(array, name))
        return name


def float_linear(graph: Graph, x: str, weight: Matrix, bias: Matrix | None = None) -> str:
    """x @ weight.T + bias in single precision."""
    product = graph.op("MatMul", x, graph.floats(weight.T))
    return product if bias is None else graph.op("Add", product, graph.floats(bias))


def int8_linear(graph: Graph, x: str, weight: Matrix, bias: Matrix | None = None) -> str:
    """x @ weight.T + bias, multiplied as integers: weights scaled by output channel, x by one scale for the whole run."""
    levels, scales = quantise_rows(weight, WEIGHT_LIMIT)
    x_levels, x_scale, x_zero = graph.ops("DynamicQuantizeLinear", 3, x)
    product = graph.op("MatMulInteger", x_levels, graph.int8(levels.T), x_zero)
    scale = graph.op("Mul", x_scale, graph.floats(scales[:, 0]))
    product = graph.op("Mul", graph.op("Cast", product, to=TensorProto.FLOAT), scale)
    return product if bias is None else graph.op("Add", product, graph.floats(bias))


def int8_words(graph: Graph, table: Matrix) -> str:
    """The rows of ``table`` that the input names, from a table in 8 bits with one scale a row."""
    levels, scales = quantise_rows(table, TABLE_LIMIT)
    rows = graph.op("Cast", graph.op("Gather", graph.int8(levels), INPUT), to=TensorProto.FLOAT)
    return graph.op("Mul", rows, graph.op("Gather", graph.floats(scales), INPUT))


def quantise_rows(matrix: Matrix, limit: int) -> tuple[NDArray[np.int8], Matrix]:
    """Whole numbers in ±limit, shape of `matrix`, and the scale of each row, (rows, 1): matrix ≈ levels * scales."""
    scales = np.abs(matrix).max(axis=1, keepdims=True) / np.float32(limit)
    return np.rint(matrix / scales).astype(np.int8), scales


def finished(graph: Graph, x: str, width: int) -> bytes:
    """The serialised model of a graph whose last value is ``x``, (n, length, width): the mean over all tokens, of length 1.

    Input ``input_ids``: int64 (n, length), with no padding, so that the texts of one run must have one length. Output
    ``vectors``: float32 (n, width). Only operators of the ONNX standard are used.
    """
    mean = graph.op("ReduceMean", x, graph.ints(1), keepdims=0)
    length = graph.op("ReduceL2", mean, graph.ints(1), keepdims=1)
    graph.nodes.append(helper.make_node("Div", [mean, length], [OUTPUT]))
    inputs = [helper.make_tensor_value_info(INPUT, TensorProto.INT64, ["n", "length"])]
    outputs = [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["n", width])]
    built = helper.make_graph(graph.nodes, "sentence_encoder", inputs, outputs, graph.constants)
    model = helper.make_model(built, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    serialised: bytes = model.SerializeToString()
    return serialised
