"""The vocabulary of the language model: a byte-level BPE that llama.cpp and `tokenizers` apply alike.

Owns: the special tokens and the training of the pieces. Keys of the schemas (``"celsius":``) and their closed values
(``"driver"``) are one token each, in prompts and in outputs: naming a leaf is one decision.

Pieces are learnt from our own generated text and from the plain words of all-MiniLM-L6-v2's vocabulary (its vectors give
words that our text never uses a meaning; see `models.training.language.network`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import BaseModel
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

from models.structured.grammar import Schema, choices
from models.structured.prompt import KEYS, OUT, TASKS
from schemas.actions import ACTIONS, action_model
from schemas.memory import MaintenanceChoice
from schemas.preferences import CATEGORIES, preference_model

PAD, END = "<|pad|>", "<|end|>"
CONTROL = (PAD, END, *(f"<|{task}|>" for task in TASKS), "<|fact|>", "<|new|>", "<|turn|>", OUT)
"""Tokens that stand for no text."""
SIZE = 8192
"""Pieces in all: our text needs about 3,000 words; the rest are common English words that drivers may use."""
PLAIN_WORDS = 7000
"""Words taken from MiniLM's vocabulary, which is ordered by frequency."""


def _schemas(model: type[BaseModel]) -> Iterator[Schema]:
    schema = model.model_json_schema()
    yield schema
    yield from schema.get("$defs", {}).values()


def marks() -> tuple[str, ...]:
    """Keys and closed string values as they stand in JSON, each once."""
    whole = (
        action_model(tuple(action.name for action in ACTIONS)),
        preference_model(tuple(category.detail for category in CATEGORIES)),
        MaintenanceChoice,
    )
    found: dict[str, None] = {}
    for model in whole:
        for schema in _schemas(model):
            for name, part in schema.get("properties", {}).items():
                found[f"{json.dumps(name)}:"] = None
                values: list[Any] = [] if "anyOf" in part or "$ref" in part else choices(part) or []
                found.update((json.dumps(value), None) for value in values if isinstance(value, str))
    found.update((f"{json.dumps(name)}:", None) for name in sorted(KEYS))
    return tuple(found)


def train(texts: Iterable[str], plain_words: Iterable[str], size: int = SIZE) -> Tokenizer:
    """Learn the pieces.

    Args:
        texts: prompts with their outputs, as the network will see them.
        plain_words: words that should be one piece each if there is room, most common first.
        size: pieces in all, special tokens and the 256 bytes included.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel()
    special = [*CONTROL, *marks()]
    counts: Counter[str] = Counter()
    for text in texts:
        bare = text
        for mark in special:
            if mark in bare:
                bare = bare.replace(mark, "\n")
        counts.update(bare.split("\n"))
    trainer = trainers.BpeTrainer(
        vocab_size=size - len(special),
        min_frequency=1,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    extra = [f" {word}" for word in plain_words]
    tokenizer.train_from_iterator([*counts.elements(), *extra], trainer)
    tokenizer.add_special_tokens([AddedToken(text, special=True, normalized=False) for text in CONTROL])
    tokenizer.add_tokens([AddedToken(text, special=False, normalized=False) for text in marks()])
    return tokenizer
