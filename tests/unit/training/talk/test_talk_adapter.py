"""The adapter's file: llama.cpp's names and halves of all that was trained."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is for training only")

import gguf  # noqa: E402

from models.training.talk.export import additions_of, write  # noqa: E402
from models.training.talk.network import ALPHA, Added  # noqa: E402
from models.training.talk.train import nearest  # noqa: E402


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
    linear = Added(weight, 4)
    x = torch.randn(3, 4)
    assert torch.equal(linear(x), x @ weight.T)


def test_a_training_begins_with_a_shipped_adapter_or_with_a_state(tmp_path: Path) -> None:
    first = {"blk.0.attn_q.a": torch.randn(16, 8), "blk.1.attn_q.a": torch.randn(16, 8)}
    write(tmp_path / "shipped.gguf", first)
    torch.save({"additions": first, "step": 3}, tmp_path / "state.pt")
    shipped, state = additions_of(tmp_path / "shipped.gguf"), additions_of(tmp_path / "state.pt")
    assert all(torch.equal(shipped[name], one.half().float()) for name, one in first.items())
    assert all(torch.equal(state[name], one) for name, one in first.items())


def test_a_smaller_addition_begins_as_near_to_the_larger_one_as_its_rank_allows() -> None:
    torch.manual_seed(0)
    thin, rest = torch.randn(8, 2) @ torch.randn(2, 6), torch.randn(8, 6)
    for whole, rank, left in ((thin, 2, 1e-4), (rest, 6, 1e-4), (rest, 2, torch.linalg.svdvals(rest)[2:].norm())):
        large = {"x.a": torch.eye(6), "x.b": whole}
        small = nearest(large, rank)
        added, wanted = small["x.b"] @ small["x.a"] / rank, large["x.b"] @ large["x.a"] / 6
        assert (added - wanted).norm() * 6 == pytest.approx(float(left), abs=1e-3)
