"""Writes the network as a GGUF file for llama.cpp.

Owns: names of tensors and metadata. Matrices are stored as Q8_0 (blocks of 32 numbers of 8 bits with a scale), norms as
float32.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import gguf
import numpy as np
from gguf.quants import quantize
from numpy.typing import NDArray
from tokenizers import Tokenizer

from models.training.language.data.vocabulary import CONTROL, END, PAD, marks
from models.training.language.shape import Shape

PROMPT_FORMAT = "compact-2"
"""Under the key ``glovebox.prompt_format``: says that the model is ours and wants the compact prompt."""


def write(
    path: Path,
    shape: Shape,
    tensors: Mapping[str, NDArray[np.float32]],
    tokenizer: Tokenizer,
    *,
    quantized: bool = True,
    causal: bool = False,
) -> None:
    """Write the file.

    Args:
        path: of the file.
        shape: the network's sizes.
        tensors: its tensors under llama.cpp's names.
        tokenizer: its vocabulary.
        quantized: False keeps float32, for comparing.
        causal: True for a network whose prompt's tokens see only what stands before them.
    """
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_name("Glovebox language model")
    writer.add_license("Apache-2.0")
    writer.add_string("glovebox.prompt_format", PROMPT_FORMAT)
    writer.add_context_length(shape.context)
    writer.add_embedding_length(shape.width)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.inner)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.heads)
    writer.add_layer_norm_rms_eps(shape.epsilon)
    writer.add_causal_attention(causal)
    writer.add_rope_dimension_count(shape.head)
    writer.add_rope_freq_base(shape.base)
    writer.add_vocab_size(shape.vocabulary)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0 if quantized else gguf.LlamaFileType.ALL_F32)
    _write_vocabulary(writer, tokenizer)
    for name, tensor in tensors.items():
        if quantized and tensor.ndim == 2:
            kind = gguf.GGMLQuantizationType.Q8_0
            writer.add_tensor(name, quantize(tensor, kind), raw_dtype=kind)
        else:
            writer.add_tensor(name, np.ascontiguousarray(tensor))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _write_vocabulary(writer: gguf.GGUFWriter, tokenizer: Tokenizer) -> None:
    own = marks()
    texts = [tokenizer.id_to_token(index) for index in range(tokenizer.get_vocab_size())]
    kinds = dict.fromkeys(own, gguf.TokenType.USER_DEFINED) | dict.fromkeys(CONTROL, gguf.TokenType.CONTROL)
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(texts)
    writer.add_token_types([kinds.get(text, gguf.TokenType.NORMAL) for text in texts])
    writer.add_token_merges([" ".join(pair) for pair in merges])
    end = tokenizer.token_to_id(END)
    writer.add_bos_token_id(end)
    writer.add_eos_token_id(end)
    writer.add_pad_token_id(tokenizer.token_to_id(PAD))
    writer.add_add_bos_token(value=False)
    writer.add_add_space_prefix(value=False)
