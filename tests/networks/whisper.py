"""A Whisper for CTranslate2 whose weights are written by hand: it hears the words that a test gives it in any sound.

It proves the engine, the files and our handling; it proves nothing about hearing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

SIZE = 48
"""Dimensions of the network, and its words."""
WORDS = ("Play", "Ġsome", "Ġjazz", "Ġla")
MARKS = (
    "<|endoftext|>", "<|startoftranscript|>", "<|transcribe|>", "<|translate|>", "<|startofprev|>", "<|startoflm|>",
    "<|nospeech|>", "<|notimestamps|>",
)  # fmt: skip
"""The marks come after the words and the time stamps (none here) after them: Whisper's code relies on that order."""


def tiny_whisper(folder: Path, said: Sequence[str], *, empty: float = -9.0, kept: str = "int8") -> Path:
    """Write a Whisper for CTranslate2 that always says these words; ``empty`` is its logit for "no speech".

    Every layer adds nothing (its output weights are 0), so what a position's embedding holds comes out: the positions
    hold the next word each, and the words' embeddings are the unit vectors.
    """
    from ctranslate2.specs import WhisperSpec

    spec: Any = WhisperSpec(1, 1, 1, 1)

    def zeros(linear: Any, rows: int = SIZE) -> None:
        linear.weight, linear.bias = np.zeros((rows, SIZE), np.float32), np.zeros(rows, np.float32)

    def fill(layer: Any) -> None:
        for name, part in list(vars(layer).items()):
            kind = type(part).__name__
            if kind == "LayerNormSpec":
                part.gamma, part.beta = np.ones(SIZE, np.float32), np.zeros(SIZE, np.float32)
            elif kind == "LinearSpec":
                zeros(part)
            elif name == "linear":  # attention: queries, keys and values in one, or queries apart; then the output
                widths = (3, 1) if len(part) == 2 else (1, 2, 1)
                for width, one in zip(widths, part, strict=True):
                    zeros(one, width * SIZE)
            elif isinstance(part, list):
                for one in cast(list[Any], part):
                    fill(one)
            elif kind.endswith(("AttentionSpec", "FeedForwardSpec", "EncoderSpec", "DecoderSpec")):
                fill(part)

    fill(spec)
    for convolution, channels in ((spec.encoder.conv1, 80), (spec.encoder.conv2, SIZE)):
        convolution.weight = np.zeros((SIZE, channels, 3), np.float32)
        convolution.bias = np.zeros(SIZE, np.float32)
    spec.encoder.position_encodings.encodings = np.zeros((1500, SIZE), np.float32)

    unused = (f"x{index}" for index in range(SIZE - len(WORDS) - len(MARKS)))
    vocabulary = [*WORDS, *unused, *MARKS]
    positions: NDArray[np.float32] = np.zeros((448, SIZE), np.float32)
    positions[0, vocabulary.index("<|nospeech|>")] = empty
    for place, word in enumerate([*said, "<|endoftext|>"], start=1):
        positions[place, vocabulary.index(word)] = 30.0
    positions[len(said) + 2 :, vocabulary.index("<|endoftext|>")] = 30.0
    spec.decoder.embeddings.weight = np.eye(SIZE, dtype=np.float32)
    spec.decoder.position_encodings.encodings = positions
    spec.decoder.projection.weight = np.eye(SIZE, dtype=np.float32) * 3.0

    spec.register_vocabulary(vocabulary)
    spec.config.suppress_ids, spec.config.suppress_ids_begin = [], []
    spec.config.lang_ids, spec.config.alignment_heads = [], [[0, 0]]
    folder.mkdir(parents=True, exist_ok=True)
    spec.validate()
    spec.optimize(quantization=kept)
    spec.save(str(folder))

    special = [
        {"id": index, "content": word, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
         "special": True} for index, word in enumerate(vocabulary) if word.startswith("<|")
    ]  # fmt: skip
    tokenizer = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": special, "normalizer": None,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": {"type": "WordLevel", "vocab": {word: index for index, word in enumerate(vocabulary)}, "unk_token": "x0"},
    }  # fmt: skip
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    return folder
