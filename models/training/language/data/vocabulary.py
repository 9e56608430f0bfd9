"""The vocabulary of the language model: a byte-level BPE that llama.cpp and `tokenizers` apply alike.

Owns: the special tokens and the training of the pieces. What JSON consists of beside words and numbers is in as few tokens
as can be (`marks`): naming a leaf with all that stands above it is one, so it is one decision, and most answers are five to
eight tokens. Digits stand alone.

Pieces are learnt from our own generated text and from the plain words of all-MiniLM-L6-v2's vocabulary (its vectors give
words that our text never uses a meaning; see `models.training.language.network`).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

from models.structured.prompt import OUT, TASKS, opening
from schemas.preferences import BY_DETAIL, CATEGORIES

PAD, END = "<|pad|>", "<|end|>"
CONTROL = (PAD, END, *(f"<|{task}|>" for task in TASKS), "<|fact|>", "<|new|>", "<|turn|>", OUT)
"""Tokens that stand for no text."""
SIZE = 12_288
"""Pieces in all: our text needs about 6,000 words; the rest are common English words that drivers may use."""
PLAIN_WORDS = 9000
"""Words taken from MiniLM's vocabulary, which is ordered by frequency."""


DIGIT = re.compile(r"[0-9]")
CLOSERS = ("{}", *("}" * n for n in range(1, 4)), *("}" * n + "," for n in range(1, 4)))
"""What an object of actions ends with, or goes on with."""
TEXT_CLOSERS = ('"}]}}}', '"}]}},', '"}]},', '"}],', '"},{"turn":', ',"value":"', '"}}}', '"}},', '"},')
"""The same after the words of a value."""


def marks() -> tuple[str, ...]:
    """What JSON of both tasks consists of beside words and numbers, each once."""
    found: dict[str, None] = dict.fromkeys((*CLOSERS, *TEXT_CLOSERS))
    for category in CATEGORIES:
        main, sub, detail = category.path
        found.update(dict.fromkeys((opening(detail), f'"{main}":{{', f'"{sub}":{{', f'"{detail}":[{{"turn":')))
    found.update(dict.fromkeys(f'{{"decision":"{name}","entry":' for name in ("pass", "update")))
    found['{"decision":"append"}'] = None
    found.update((f"{json.dumps(name)}:", None) for name in sorted(BY_DETAIL))
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
    known = re.compile("|".join(re.escape(mark) for mark in sorted(special, key=len, reverse=True)))
    counts: Counter[str] = Counter()
    for text in texts:
        bare = text
        bare = known.sub("\n", bare)
        counts.update(DIGIT.sub("\n", bare).split("\n"))
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


def widen(tokenizer: Tokenizer) -> None:
    """Add the marks of leaves and values that the tokenizer does not know yet, behind all others: tokens keep their numbers."""
    known = tokenizer.get_vocab()
    new = [AddedToken(text, special=False, normalized=False) for text in marks() if text not in known]
    tokenizer.add_tokens(new)
