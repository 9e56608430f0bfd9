"""A tiny language model with random weights, for tests: it knows nothing, but its file and its form are real."""

from __future__ import annotations

import json
from pathlib import Path

import gguf
import numpy as np
from gguf.quants import quantize
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

TEXTS = (
    " please play some jazz and set the temperature to twenty one degrees in here i'm cold and hungry",
    " i always like italian food and never take the motorway because traffic makes me nervous",
)
PIECES = 600
END, TURN = "<|end|>", "<|turn|>"
LONG = '"preferred_type_of_charging_at_everyday_points":'
"""A token of more than 32 bytes."""
WIDTH, INNER = 32, 64


def write_tiny(path: Path) -> None:
    """Write a random model of one layer, about 100 kB."""
    tokenizer = _vocabulary()
    size = tokenizer.get_vocab_size()
    draw = np.random.default_rng(0)
    matrices = {f"attn_{name}": (WIDTH, WIDTH) for name in ("q", "k", "v", "output")}
    matrices |= {"ffn_gate": (INNER, WIDTH), "ffn_up": (INNER, WIDTH), "ffn_down": (WIDTH, INNER)}
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_context_length(4096)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(1)
    writer.add_head_count_kv(1)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH)
    writer.add_vocab_size(size)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0)
    _write_vocabulary(writer, tokenizer)
    for name, shape in {"token_embd": (size, WIDTH), **{f"blk.0.{name}": s for name, s in matrices.items()}}.items():
        kind = gguf.GGMLQuantizationType.Q8_0
        writer.add_tensor(
            f"{name}.weight", quantize(draw.normal(0.0, 0.5, shape).astype(np.float32), kind), raw_dtype=kind
        )
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        writer.add_tensor(f"{name}.weight", np.ones(WIDTH, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _vocabulary() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(
        TEXTS, trainers.BpeTrainer(vocab_size=PIECES, min_frequency=1, initial_alphabet=alphabet, show_progress=False)
    )
    tokenizer.add_special_tokens([AddedToken(text, special=True, normalized=False) for text in (END, TURN)])
    tokenizer.add_tokens([AddedToken(LONG, special=False, normalized=False)])
    return tokenizer


def _write_vocabulary(writer: gguf.GGUFWriter, tokenizer: Tokenizer) -> None:
    kinds = {END: gguf.TokenType.CONTROL, TURN: gguf.TokenType.CONTROL, LONG: gguf.TokenType.USER_DEFINED}
    known = tokenizer.get_vocab()
    texts = sorted(known, key=known.__getitem__)
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(texts)
    writer.add_token_types([kinds.get(text, gguf.TokenType.NORMAL) for text in texts])
    writer.add_token_merges([" ".join(pair) for pair in merges])
    writer.add_bos_token_id(known[END])
    writer.add_eos_token_id(known[END])
    writer.add_add_bos_token(value=False)
    writer.add_add_space_prefix(value=False)
