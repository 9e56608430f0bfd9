"""Networks in the shapes of openWakeWord's, that a test can build: a spectrogram, an embedding and a wake word that know nothing.

The shapes are those that the package's code asks for (`openwakeword.utils.AudioFeatures`, 0.6.0): [1, samples] to
[1, 1, frames, 32] with a frame every 10 ms, [n, 76, 32, 1] to [n, 1, 1, 96], and [1, 16, 96] to [1, 1].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, numpy_helper

BANDS, FRAMES, EMBEDDING, EMBEDDINGS = 32, 76, 96, 16
WINDOW, STEP = 640, 160


def build(folder: Path, word: str) -> Path:
    """The three files; gives that of the word, which is the surer the louder the last 1.3 s were."""
    loud = np.full((BANDS, 1, WINDOW), 1.0 / WINDOW, np.float32)
    _save(
        folder / "melspectrogram.onnx",
        [
            helper.make_node("Abs", ["input"], ["abs"]),
            helper.make_node("Unsqueeze", ["abs", "one"], ["x"]),
            helper.make_node("Conv", ["x", "loud"], ["c"], strides=[STEP]),
            helper.make_node("Transpose", ["c"], ["t"], perm=[0, 2, 1]),
            helper.make_node("Unsqueeze", ["t", "one"], ["output"]),
        ],
        ("input", [1, "samples"]),
        ("output", [1, 1, "frames", BANDS]),
        {"loud": loud, "one": np.asarray([1], np.int64)},
    )
    _save(
        folder / "embedding_model.onnx",
        [
            helper.make_node("ReduceMean", ["input_1"], ["m"], axes=[1, 2], keepdims=1),
            helper.make_node("Expand", ["m", "shape"], ["output"]),
        ],
        ("input_1", ["n", FRAMES, BANDS, 1]),
        ("output", ["n", 1, 1, EMBEDDING]),
        {"shape": np.asarray([1, 1, 1, EMBEDDING], np.int64)},
    )
    _save(
        folder / f"{word}.onnx",
        [
            helper.make_node("ReduceMean", ["x"], ["m"], axes=[1, 2], keepdims=0),
            helper.make_node("Unsqueeze", ["m", "one"], ["u"]),
            helper.make_node("Sub", ["u", "quiet"], ["d"]),
            helper.make_node("Sigmoid", ["d"], ["score"]),
        ],
        ("x", [1, EMBEDDINGS, EMBEDDING]),
        ("score", [1, 1]),
        {"quiet": np.asarray([100.0], np.float32), "one": np.asarray([1], np.int64)},
    )
    return folder / f"{word}.onnx"


def _save(
    path: Path,
    nodes: Sequence[NodeProto],
    given: tuple[str, Sequence[int | str]],
    gives: tuple[str, Sequence[int | str]],
    constants: Mapping[str, NDArray[np.float32] | NDArray[np.int64]],
) -> None:
    graph = helper.make_graph(
        list(nodes),
        path.stem,
        [helper.make_tensor_value_info(given[0], TensorProto.FLOAT, list(given[1]))],
        [helper.make_tensor_value_info(gives[0], TensorProto.FLOAT, list(gives[1]))],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(path))
