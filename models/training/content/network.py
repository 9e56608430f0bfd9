"""The branch of the encoder that tells what a sentence tells of the driver, as a PyTorch network, and its ONNX file.

    pieces -> embeddings -> layers 0, 1 (the encoder's) -> own copies of layers 2 .. 5, fine-tuned
        -> a label of every piece
        -> mean and highest -> kinds, details, wishes

Input of the file: ``states`` (pieces, 384), the encoder's where its branches part. Outputs: ``kinds`` (8,), a logit for each of
``schemas.preferences.KINDS`` and the last for what is ordinary; ``details`` (42,), the probability that a lasting preference of a
category is revealed, in the order of the file's property ``details``, and the last that none is; ``wishes`` (6,), the probability
of what memory is asked for, in the order of `schemas.kinds.Wish`; ``labels`` (pieces, 18), a logit of each of
`schemas.kinds.LABELS` for every piece. Weights: int8, as in ``models.training.encoder.export``.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper
from torch import Tensor, nn
from torch.nn import functional

from models.training.encoder.export import IR_VERSION, OPSET, Graph
from models.training.encoder.network import FORK, WIDTH, Layer, attention_bias, mean
from schemas.kinds import LABELS, Wish
from schemas.preferences import CATEGORIES, KINDS

DETAILS = tuple(category.detail for category in CATEGORIES)
INNER, WIDER, ASKED = 128, 256, 128
"""Width of the layer above the two pools, for kinds, for details and for wishes."""
DROPPED = 0.2
FAR = 10_000.0


class Told(NamedTuple):
    """Logits."""

    kinds: Tensor
    details: Tensor
    wishes: Tensor
    """(batch, answers) each."""
    labels: Tensor
    """(batch, pieces, labels)."""


class Branch(nn.Module):
    """Own layers; above their mean and highest state a hidden layer and the answers to a question, and a label of every piece."""

    def __init__(self, layers: list[Layer]) -> None:
        """With these layers, which are trained on."""
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.hidden, self.kinds = nn.Linear(2 * WIDTH, INNER), nn.Linear(INNER, len(KINDS) + 1)
        self.wider, self.details = nn.Linear(2 * WIDTH, WIDER), nn.Linear(WIDER, len(DETAILS) + 1)
        self.asked, self.wishes = nn.Linear(2 * WIDTH, ASKED), nn.Linear(ASKED, len(Wish))
        self.labels = nn.Linear(WIDTH, len(LABELS))
        self.dropout = nn.Dropout(DROPPED)

    def forward(self, x: Tensor, mask: Tensor) -> Told:
        """Hidden states after the shared layers (batch, pieces, WIDTH) and which are there to what they tell."""
        bias = attention_bias(mask)
        for layer in self.layers:
            x = layer(x, bias)
        highest = (x - (1.0 - mask[:, :, None]) * FAR).max(1).values
        pooled = self.dropout(torch.cat([mean(x, mask), highest], -1))

        def answers(inner: nn.Linear, outer: nn.Linear) -> Tensor:
            return outer(self.dropout(functional.gelu(inner(pooled))))  # type: ignore[no-any-return]

        return Told(
            answers(self.hidden, self.kinds),
            answers(self.wider, self.details),
            answers(self.asked, self.wishes),
            self.labels(self.dropout(x)),
        )

    def in_order(self) -> list[nn.Module]:
        """What has weights, in the order in which `write` writes it."""
        layers = [part for layer in self.layers for part in layer.in_order()]  # type: ignore[operator]
        return [*layers, self.labels, self.hidden, self.kinds, self.wider, self.details, self.asked, self.wishes]


def write(path: Path, branch: Branch) -> None:
    """Write the branch, for one text a run."""
    graph = Graph()
    x = "states"
    for layer in branch.layers:
        x = graph.layer(x, layer)  # type: ignore[arg-type]  # a ModuleList forgets what it holds
    graph.add("Identity", graph.linear(graph.quantise(x), branch.labels), name="labels")
    first = graph.constant(np.array([0], dtype=np.int64))
    pooled = graph.add("Concat", graph.mean(x), graph.add("ReduceMax", x, first, keepdims=1), axis=-1)
    pooled, flat = graph.quantise(pooled), graph.constant(np.array([-1], dtype=np.int64))
    hidden = graph.add("Gelu", graph.linear(pooled, branch.hidden))
    graph.add("Reshape", graph.linear(graph.quantise(hidden), branch.kinds), flat, name="kinds")
    for name, inner, outer in (
        ("details", branch.wider, branch.details),
        ("wishes", branch.asked, branch.wishes),
    ):
        hidden = graph.quantise(graph.add("Gelu", graph.linear(pooled, inner)))
        graph.add("Reshape", graph.add("Softmax", graph.linear(hidden, outer), axis=-1), flat, name=name)
    made = helper.make_graph(
        graph.nodes,
        "glovebox-content",
        [helper.make_tensor_value_info("states", TensorProto.FLOAT, ["pieces", WIDTH])],
        [
            helper.make_tensor_value_info("kinds", TensorProto.FLOAT, [len(KINDS) + 1]),
            helper.make_tensor_value_info("details", TensorProto.FLOAT, [len(DETAILS) + 1]),
            helper.make_tensor_value_info("wishes", TensorProto.FLOAT, [len(Wish)]),
            helper.make_tensor_value_info("labels", TensorProto.FLOAT, ["pieces", len(LABELS)]),
        ],
        list(graph.constants.values()),
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    helper.set_model_props(model, {"fork": str(FORK), "details": " ".join(DETAILS)})
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())
