"""Builds the ONNX graph of a BERT sentence encoder from its weights, out of the pieces of ``providers/embed/graph.py``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from onrecord.providers.embed.graph import INPUT, Graph, Matrix, finished, int8_linear, int8_words

LAYERS, HEADS, MAX_TOKENS, EPSILON = 6, 12, 256, 1e-12

Weights: TypeAlias = Mapping[str, Matrix]
Linear: TypeAlias = Callable[[Graph, str, Matrix, Matrix], str]
"""Adds x @ weight.T + bias to the graph, x by name, weight (out, in), bias (out,); returns the name of the result."""


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
    return finished(graph, x, weights["embeddings.LayerNorm.bias"].shape[0])


def _embeddings(graph: Graph, weights: Weights, quantise_table: bool) -> str:
    words = _words(graph, weights["embeddings.word_embeddings.weight"], quantise_table)
    # every text is a single segment, so its type vector is the same at every place
    places = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    length = graph.op("Shape", INPUT, start=1, end=2)
    places_used = graph.op("Slice", graph.floats(places[:MAX_TOKENS]), graph.ints(0), length, graph.ints(0))
    return _norm(graph, weights, "embeddings.LayerNorm", graph.op("Add", words, places_used))


def _words(graph: Graph, table: Matrix, quantise: bool) -> str:
    return int8_words(graph, table) if quantise else graph.op("Gather", graph.floats(table), INPUT)


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
