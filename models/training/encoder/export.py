"""Writes the trained network as one ONNX file with one byte a weight.

Matrices: int8, symmetric, a scale a column, multiplied by ``MatMulInteger`` with activations that are quantised as they
come; embedding rows: int8 with a scale a row. One text a run: the range of the activations, and so the result, then
depends on nothing but the text. Inputs: ``ids`` (pieces,) int64. Outputs: ``embedding`` (384,) of length 1; probabilities
``topics`` (details + none,), ``strength`` (4,), ``requests`` (actions + none,), ``choices`` (values of the closed categories,
which sum to 1 in each category), ``values`` (pieces, details), and ``states`` (pieces, 2 WIDTH): those where the branches part and
those at the end of the one that classifies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

from models.training.encoder.network import EPSILON, FORK, HEADS, WIDTH, Base, Classifier, Layer

OPSET = 20
"""The first with ``Gelu``."""
IR_VERSION = 10
LEVELS = 127
"""Largest magnitude of an int8 weight."""


def _array(tensor: Tensor) -> NDArray[np.float32]:
    return np.asarray(tensor.detach().numpy(), dtype=np.float32)


class Graph:
    """An ONNX graph in the making: every call adds a node and gives the name of its result."""

    def __init__(self) -> None:
        """Empty."""
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}

    def constant(self, array: NDArray[Any] | float) -> str:
        """A constant tensor; equal small ones are stored once."""
        value = np.asarray(array, dtype=np.float32) if isinstance(array, float) else np.asarray(array)
        name = f"c_{value.dtype}_{value.ravel().tolist()}" if value.size <= 4 else f"w{len(self.constants)}"
        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def add(self, operator: str, *inputs: str, outputs: int = 1, name: str = "", **attributes: Any) -> Any:
        """A node; gives its output's name, or a list of them."""
        names = [name] if name else [f"n{len(self.nodes)}_{number}" for number in range(outputs)]
        self.nodes.append(helper.make_node(operator, list(inputs), names, **attributes))
        return names[0] if outputs == 1 else names

    def linear(self, quantised: list[str], module: nn.Linear) -> str:
        """(rows, in) @ weight + bias, with the input as `quantise` gives it."""
        weight = _array(module.weight).T
        scale = np.maximum(np.abs(weight).max(0), 1e-8) / LEVELS
        levels = self.constant(np.round(weight / scale).astype(np.int8))
        pieces, piece_scale, zero = quantised
        product = self.add("MatMulInteger", pieces, levels, zero)
        product = self.add("Cast", product, to=TensorProto.FLOAT)
        scales = self.add("Mul", piece_scale, self.constant(scale.astype(np.float32)))
        return self.add("Add", self.add("Mul", product, scales), self.constant(_array(module.bias)))

    def quantise(self, x: str) -> list[str]:
        """Levels, scale and zero point of an activation."""
        return self.add("DynamicQuantizeLinear", x, outputs=3)

    def norm(self, x: str, module: nn.LayerNorm) -> str:
        """Layer normalisation over the last axis."""
        scale, shift = self.constant(_array(module.weight)), self.constant(_array(module.bias))
        return self.add("LayerNormalization", x, scale, shift, axis=-1, epsilon=EPSILON)

    def layer(self, x: str, layer: Layer) -> str:
        """One encoder layer on (pieces, WIDTH)."""
        split = self.constant(np.array([0, HEADS, WIDTH // HEADS], dtype=np.int64))
        quantised = self.quantise(x)
        query, key, value = (
            self.add("Reshape", self.linear(quantised, part), split) for part in (layer.query, layer.key, layer.value)
        )
        query, value = (self.add("Transpose", part, perm=[1, 0, 2]) for part in (query, value))
        key = self.add("Transpose", key, perm=[1, 2, 0])
        scores = self.add("Mul", self.add("MatMul", query, key), self.constant(float((WIDTH // HEADS) ** -0.5)))
        mixed = self.add("MatMul", self.add("Softmax", scores, axis=-1), value)
        mixed = self.add("Transpose", mixed, perm=[1, 0, 2])
        mixed = self.add("Reshape", mixed, self.constant(np.array([0, WIDTH], dtype=np.int64)))
        x = self.norm(self.add("Add", x, self.linear(self.quantise(mixed), layer.out)), layer.out_norm)
        inner = self.add("Gelu", self.linear(self.quantise(x), layer.up))
        return self.norm(self.add("Add", x, self.linear(self.quantise(inner), layer.down)), layer.down_norm)

    def mean(self, x: str) -> str:
        """(pieces, WIDTH) to (1, WIDTH)."""
        return self.add("ReduceMean", x, self.constant(np.array([0], dtype=np.int64)), keepdims=1)

    def embed(self, ids: str, base: Base) -> str:
        """(pieces,) to (pieces, WIDTH)."""
        rows = _array(base.embeddings.pieces.weight)
        scale = np.maximum(np.abs(rows).max(1, keepdims=True), 1e-8) / LEVELS
        levels = self.add("Gather", self.constant(np.round(rows / scale).astype(np.int8)), ids)
        levels = self.add("Cast", levels, to=TensorProto.FLOAT)
        pieces = self.add("Mul", levels, self.add("Gather", self.constant(scale.astype(np.float32)), ids))
        count = self.add("Shape", ids)
        start, axes = self.constant(np.array([0], dtype=np.int64)), self.constant(np.array([0], dtype=np.int64))
        positions = self.constant(_array(base.embeddings.positions.weight))
        positions = self.add("Slice", positions, start, count, axes)
        return self.norm(self.add("Add", pieces, positions), base.embeddings.norm)


def written(path: Path) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Weight and bias of every linear module and norm of a file that `Graph` wrote, in its order, as its 8 bits have them."""
    graph = onnx.load(path).graph
    held = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    takers = {name: node for node in graph.node for name in node.input}
    makers = {name: node for node in graph.node for name in node.output}
    found: list[tuple[NDArray[Any], NDArray[Any]]] = []
    for node in graph.node:
        if node.op_type == "LayerNormalization":
            found.append((held[node.input[1]], held[node.input[2]]))
        elif node.op_type == "MatMulInteger":
            scaled = takers[takers[node.output[0]].output[0]]
            added = takers[scaled.output[0]]
            scale = makers[scaled.input[1]].input[1]
            found.append(((held[node.input[1]] * held[scale]).T, held[added.input[1]]))
    return [(weight.astype(np.float32), bias.astype(np.float32)) for weight, bias in found]


def restore(held: Sequence[tuple[NDArray[np.float32], NDArray[np.float32]]], modules: Sequence[nn.Module]) -> None:
    """Give modules the weights of a file, to go on from what ships.

    Args:
        held: as `written` gives them.
        modules: linear ones and norms, in the order in which they were written.

    Raises:
        ValueError: the file holds other ones.
    """
    if [tuple(weight.shape) for weight, _ in held] != [tuple(module.weight.shape) for module in modules]:
        raise ValueError("the file holds other matrices than these")
    for module, (weight, bias) in zip(modules, held, strict=True):
        module.weight.data = torch.from_numpy(weight.copy())
        module.bias.data = torch.from_numpy(bias.copy())


def build(base: Base, classifier: Classifier, groups: Sequence[int], metadata: Mapping[str, str]) -> onnx.ModelProto:
    """The whole network as an ONNX model; ``groups``: the category's number of every choice."""
    graph = Graph()
    x = graph.embed("ids", base)
    layers: list[Layer] = list(base.layers)  # type: ignore[arg-type]  # a ModuleList forgets what it holds
    for layer in layers[:FORK]:
        x = graph.layer(x, layer)
    before = graph.mean(x)
    found = x
    for layer in layers[FORK:]:
        found = graph.layer(found, layer)
    flat = graph.constant(np.array([-1], dtype=np.int64))
    found = graph.mean(found)
    vector = graph.add("LpNormalization", found, axis=-1, p=2)
    graph.add("Reshape", vector, flat, name="embedding")
    own = x
    for layer in classifier.layers:
        own = graph.layer(own, layer)  # type: ignore[arg-type]
    pooled = graph.add("Concat", graph.mean(own), before, found, axis=-1)
    hidden = graph.quantise(graph.add("Gelu", graph.linear(graph.quantise(pooled), classifier.hidden)))
    strength = graph.add("Softmax", graph.linear(hidden, classifier.strength), axis=-1)
    nothing = graph.add("Slice", strength, *(graph.constant(np.array([n], dtype=np.int64)) for n in (0, 1, 1)))
    reveals = graph.add("Sub", graph.constant(1.0), nothing)
    details = graph.add("Mul", graph.add("Softmax", graph.linear(hidden, classifier.details), axis=-1), reveals)
    graph.add("Reshape", graph.add("Concat", details, nothing, axis=-1), flat, name="topics")
    graph.add("Reshape", strength, flat, name="strength")
    asked = graph.add("Softmax", graph.linear(hidden, classifier.requests), axis=-1)
    graph.add("Reshape", asked, flat, name="requests")
    rivals = np.equal.outer(np.array(groups), np.array(groups)).astype(np.float32)
    odds = graph.add("Exp", graph.linear(hidden, classifier.choices))
    shares = graph.add("Div", odds, graph.add("MatMul", odds, graph.constant(rivals)))
    graph.add("Reshape", shares, flat, name="choices")
    pieces = graph.quantise(own)
    logits = graph.add("Add", graph.linear(pieces, classifier.value), graph.linear(pieces, classifier.values))
    graph.add("Sigmoid", logits, name="values")
    graph.add("Concat", x, own, name="states", axis=-1)

    def output(name: str, size: int) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, [size])

    details_count, requests_count = classifier.details.out_features + 1, classifier.requests.out_features
    made = helper.make_graph(
        graph.nodes,
        "glovebox-encoder",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, ["pieces"])],
        [
            output("embedding", WIDTH),
            output("topics", details_count),
            output("strength", classifier.strength.out_features),
            output("requests", requests_count),
            output("choices", classifier.choices.out_features),
            helper.make_tensor_value_info("values", TensorProto.FLOAT, ["pieces", details_count - 1]),
            helper.make_tensor_value_info("states", TensorProto.FLOAT, ["pieces", 2 * WIDTH]),
        ],
        list(graph.constants.values()),
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    helper.set_model_props(model, dict(metadata))
    onnx.checker.check_model(model)
    return model


def write(path: Path, base: Base, classifier: Classifier, groups: Sequence[int], metadata: Mapping[str, str]) -> None:
    """Write the network to a file."""
    path.write_bytes(build(base, classifier, groups, metadata).SerializeToString())
