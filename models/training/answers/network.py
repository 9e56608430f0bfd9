"""The branch of the encoder that reads a question and a memory together, as a PyTorch network, and its ONNX file.

    question [SEP] memory [SEP] -> embeddings -> layers 0, 1 (the encoder's) -> own copies of layers 2 .. 4, fine-tuned
        -> first and mean state -> odds

A cross-encoder (Nogueira and Cho 2019, arXiv 1901.04085). Input of the file: ``states`` (pieces, 384), the encoder's where its
branches part; output: ``odds`` (1,), the log odds that the memory answers the question. Weights: int8, as in
``models.training.encoder.export``.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper
from torch import Tensor, nn
from torch.nn import functional

from models.training.encoder.export import IR_VERSION, OPSET, Graph
from models.training.encoder.network import FORK, WIDTH, Layer, attention_bias, mean

DEPTH = 3
"""Own layers. Four have no room in the 60 MB that we carry."""
INNER = 128
DROPPED = 0.1


class Answers(nn.Module):
    """Own layers, the first and the mean state, a hidden layer, the log odds."""

    def __init__(self, layers: list[Layer]) -> None:
        """With these layers, which are trained on."""
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.hidden, self.out = nn.Linear(2 * WIDTH, INNER), nn.Linear(INNER, 1)
        self.dropout = nn.Dropout(DROPPED)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Hidden states after the shared layers (batch, pieces, WIDTH) and which are there to log odds (batch,)."""
        bias = attention_bias(mask)
        for layer in self.layers:
            x = layer(x, bias)
        pooled = self.dropout(torch.cat([x[:, 0], mean(x, mask)], -1))
        return self.out(self.dropout(functional.gelu(self.hidden(pooled))))[:, 0]

    def in_order(self) -> list[nn.Module]:
        """What has weights, in the order in which `write` writes it."""
        layers = [part for layer in self.layers for part in layer.in_order()]  # type: ignore[operator]
        return [*layers, self.hidden, self.out]


def write(path: Path, branch: Answers) -> None:
    """Write the branch, for one pair a run."""
    graph = Graph()
    x = "states"
    for layer in branch.layers:
        x = graph.layer(x, layer)  # type: ignore[arg-type]  # a ModuleList forgets what it holds
    zero, one = (graph.constant(np.array([number], dtype=np.int64)) for number in (0, 1))
    pooled = graph.quantise(graph.add("Concat", graph.add("Slice", x, zero, one, zero), graph.mean(x), axis=-1))
    hidden = graph.add("Gelu", graph.linear(pooled, branch.hidden))
    odds = graph.linear(graph.quantise(hidden), branch.out)
    graph.add("Reshape", odds, graph.constant(np.array([-1], dtype=np.int64)), name="odds")
    made = helper.make_graph(
        graph.nodes,
        "glovebox-answers",
        [helper.make_tensor_value_info("states", TensorProto.FLOAT, ["pieces", WIDTH])],
        [helper.make_tensor_value_info("odds", TensorProto.FLOAT, [1])],
        list(graph.constants.values()),
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    helper.set_model_props(model, {"fork": str(FORK)})
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())
