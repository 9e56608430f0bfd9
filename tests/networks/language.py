"""A tiny language model with random weights, for tests: it knows nothing, but its file and its form are real."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from models.training.language.data import vocabulary
from models.training.language.export import write
from models.training.language.shape import Shape

TEXTS = (
    " please play some jazz and set the temperature to twenty one degrees in here i'm cold and hungry",
    " i always like italian food and never take the motorway because traffic makes me nervous",
    '{"}},:[{"turn":0,"value":" jazz"}]}}}',
)
PIECES = 1200


def write_tiny(path: Path, *, seed: int = 0, width: int = 32, layers: int = 1, causal: bool = True) -> None:
    """Write a random model of about 100 kB with the vocabulary's special tokens.

    Args:
        path: of the GGUF file.
        seed: of the weights.
        width: of the network, a multiple of 32.
        layers: of the network.
        causal: whether a prompt's tokens see only what stands before them.
    """
    tokenizer = vocabulary.train(TEXTS, (), PIECES)
    shape = Shape(vocabulary=tokenizer.get_vocab_size(), width=width, layers=layers, heads=1, inner=64, context=4096)
    draw = np.random.default_rng(seed)

    def matrix(rows: int, columns: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        return draw.normal(0.0, 0.5, (rows, columns)).astype(np.float32)

    one = np.ones(width, np.float32)
    tensors = {"token_embd.weight": matrix(shape.vocabulary, width), "output_norm.weight": one}
    for at in range(layers):
        own = {f"attn_{name}": matrix(width, width) for name in ("q", "k", "v", "output")}
        own |= {"ffn_gate": matrix(shape.inner, width), "ffn_up": matrix(shape.inner, width)}
        own |= {"ffn_down": matrix(width, shape.inner), "attn_norm": one, "ffn_norm": one}
        tensors |= {f"blk.{at}.{name}.weight": value for name, value in own.items()}
    write(path, shape, tensors, tokenizer, causal=causal)
