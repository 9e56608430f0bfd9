"""A keyword network that a test can build: it answers to a loud tone, of 2 kHz where nothing else is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from models.runtime import keyword, mel


def build(path: Path, hertz: int = 2000, *, most: float = 1.0, **metadata: str) -> Path:
    """A network with the field and stride of a real one that answers to a loud tone: `most` times the sigmoid of its last band."""
    kernel = np.zeros((1, mel.BANDS, keyword.FIELD), np.float32)
    kernel[0, int(np.argmax(mel.mel_bank()[hertz * 512 // mel.SAMPLE_RATE])), -1] = 4.0
    nodes = [
        helper.make_node("Transpose", ["features"], ["t"], perm=[0, 2, 1]),
        helper.make_node("Conv", ["t", "kernel", "bias"], ["c"], strides=[keyword.STRIDE]),
        helper.make_node("Sigmoid", ["c"], ["s"]),
        helper.make_node("Mul", ["s", "most"], ["m"]),
        helper.make_node("Squeeze", ["m", "axis"], ["scores"]),
    ]
    graph = helper.make_graph(
        nodes,
        "tone",
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, [1, "frames", mel.BANDS])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, "outputs"])],
        [
            numpy_helper.from_array(kernel, "kernel"),
            numpy_helper.from_array(np.asarray([-5.0], np.float32), "bias"),
            numpy_helper.from_array(np.asarray([most], np.float32), "most"),
            numpy_helper.from_array(np.asarray([1], np.int64), "axis"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    known = {"front_end": mel.FRONT_END, "keyword": "tone", "threshold": "0.5", "lag_samples": "800"}
    helper.set_model_props(model, {**known, **metadata})
    onnx.save(model, str(path))
    return path
