"""The adapter's file: llama.cpp's names and halves of all that was trained."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is for training only")

import gguf  # noqa: E402

from models.training.acts.export import additions_of, shorter, write  # noqa: E402
from models.training.acts.network import ALPHA, Added  # noqa: E402


def test_the_file_holds_what_was_trained_under_llama_cpp_s_names(tmp_path: Path) -> None:
    made = {"blk.0.attn_q.a": torch.randn(16, 8), "blk.0.attn_q.b": torch.randn(24, 16)}
    write(tmp_path / "a.gguf", made)
    reader = gguf.GGUFReader(str(tmp_path / "a.gguf"))
    assert reader.fields["general.type"].contents() == "adapter"
    assert reader.fields["adapter.type"].contents() == "lora"
    assert reader.fields["adapter.lora.alpha"].contents() == ALPHA
    assert reader.fields["general.architecture"].contents() == "gemma3"
    tensors = {one.name: one for one in reader.tensors}
    assert set(tensors) == {"blk.0.attn_q.weight.lora_a", "blk.0.attn_q.weight.lora_b"}
    for letter in "ab":
        read = tensors[f"blk.0.attn_q.weight.lora_{letter}"].data
        assert read.dtype == np.float16
        assert np.array_equal(read, made[f"blk.0.attn_q.{letter}"].numpy().astype(np.float16))


def test_an_untrained_addition_adds_nothing() -> None:
    torch.manual_seed(0)
    weight = torch.randn(6, 4)
    linear = Added(weight)
    x = torch.randn(3, 4)
    assert torch.equal(linear(x), x @ weight.T)


def test_what_is_tuned_has_fewer_digits_and_the_rest_of_the_file_stays(tmp_path: Path) -> None:
    torch.manual_seed(0)
    first = {"blk.0.attn_q.a": torch.randn(16, 8), "blk.1.attn_q.a": torch.randn(16, 8)}
    write(tmp_path / "shipped.gguf", first)
    read = additions_of(tmp_path / "shipped.gguf")
    assert all(torch.equal(read[name], one.half().float()) for name, one in first.items())
    write(tmp_path / "tuned.gguf", {**read, "blk.1.attn_q.a": torch.randn(16, 8)}, tuned={"blk.1.attn_q.a"})
    before, after = (tmp_path / "shipped.gguf").read_bytes(), (tmp_path / "tuned.gguf").read_bytes()
    changed = [at for at, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    assert changed and min(changed) >= len(before) - 16 * 8 * 2 - 32, "only the last tensor"


def test_fewer_digits_are_right_to_one_part_in_a_hundred_and_twenty_eight() -> None:
    values = np.array([0.0, 1.0, -1.0, 0.337, -2.71828, 1e-3, 511.0], dtype=np.float16)
    found = shorter(values)
    assert np.all(np.abs(found - values) <= np.abs(values) / 128)
    assert not np.any(found.view(np.uint16) & 0xF)
