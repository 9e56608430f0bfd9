"""Files that are no Silero network."""

from __future__ import annotations

import hashlib
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from schemas.errors import ModelDamagedError, ModelMissingError
from voice.vad.silero import SileroVad

FOLDER = Path(__file__).parents[3] / "models" / "builtin" / "vad"


def test_a_missing_network_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelMissingError, match=r"absent\.onnx"):
        SileroVad(tmp_path / "absent.onnx")


def test_a_truncated_network_is_named(tmp_path: Path) -> None:
    path = tmp_path / "cut.onnx"
    path.write_bytes((FOLDER / "silero.onnx").read_bytes()[:100_000])
    with pytest.raises(ModelDamagedError, match=r"cut\.onnx \(100000 bytes\)"):
        SileroVad(path)


def test_another_network_is_named_with_what_it_takes(tmp_path: Path) -> None:
    path = tmp_path / "other.onnx"
    value = helper.make_tensor_value_info("input", TensorProto.FLOAT, [1, 576])
    graph = helper.make_graph(
        [helper.make_node("Identity", ["input"], ["output"])],
        "other",
        [value],
        [helper.make_tensor_value_info("output", TensorProto.FLOAT, [1, 576])],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(path))
    with pytest.raises(ModelDamagedError, match="state h, c"):
        SileroVad(path)


def test_the_card_tells_the_file_that_is_there() -> None:
    content = (FOLDER / "silero.onnx").read_bytes()
    card = (FOLDER / "CARD.md").read_text()
    assert hashlib.sha256(content).hexdigest() in card
    assert f"{len(content):,} bytes" in card
