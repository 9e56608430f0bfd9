"""The file of the reader's layers: from where the branches part to the states of the pieces that acts are read from.

Input: ``states`` (pieces, 384), the encoder's where its branches part. Output: ``own`` (pieces, 384). Weights: int8, as in
``models.training.encoder.export``.
"""

from __future__ import annotations

from pathlib import Path

import onnx
from onnx import TensorProto, helper

from models.training.acts.pointing.network import Reader
from models.training.encoder.export import IR_VERSION, OPSET, Graph
from models.training.encoder.network import FORK, WIDTH


def write(path: Path, reader: Reader) -> None:
    """Write the layers, for one text a run."""
    graph = Graph()
    x = "states"
    for layer in reader.layers:
        x = graph.layer(x, layer)  # type: ignore[arg-type]  # a ModuleList forgets what it holds
    graph.add("Identity", x, name="own")
    states = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["pieces", WIDTH]) for name in ("states", "own")]
    made = helper.make_graph(graph.nodes, "glovebox-acts", states[:1], states[1:], list(graph.constants.values()))
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    helper.set_model_props(model, {"fork": str(FORK)})
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())
