"""Whisper's tokenizer as Whisper itself uses it.

Owns one repair: the ``tokenizer.json`` that is published with the multilingual models in CTranslate2's format lacks the first merge
of the vocabulary, "Ġ t" (it was taken for a heading). It decodes well, but writes every word that begins with t as a space and a
rest ("Ġ", "the"), which Whisper never does: such a prompt is strange to it, and sentences are scored too low (-12 and -9 instead of
-0.1 for " the"). The English models have the merge.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

FIRST = ("Ġ", "t")
"""The first merge of GPT-2's vocabulary, and so of Whisper's."""


def tokenizer(folder: Path) -> Any:
    """The ``tokenizers.Tokenizer`` of a model's folder, with the first merge where it lacks it.

    Raises:
        OSError: there is no ``tokenizer.json``.
        ValueError: it is no JSON.
        KeyError: it describes no tokenizer.
    """
    from tokenizers import Tokenizer

    described: dict[str, Any] = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    model: dict[str, Any] = described["model"]
    merges: list[Any] = model.get("merges") or []
    if merges and "".join(FIRST) in model["vocab"]:
        first = " ".join(FIRST) if isinstance(merges[0], str) else list(FIRST)
        if first not in merges:
            merges.insert(0, first)
    return Tokenizer.from_str(json.dumps(described))


class Writer:
    """Spoken words as Whisper writes them: a capital, names with theirs, a full stop."""

    def __init__(self, encode: Callable[[str], Sequence[int]]) -> None:
        """From what gives the tokens of a text."""
        self._encode = encode
        self._known: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        """Write one text: ``"find a thai restaurant"`` gives ``" Find a Thai restaurant."``.

        A word is a name to Whisper if it has a token of its own with a capital and none without: Thai, London, Davis. So is "I".
        """
        words = " ".join(self._word(word) for word in text.split())
        return f" {words[:1].upper()}{words[1:]}."

    def _word(self, word: str) -> str:
        if word not in self._known:
            capital = word[:1].upper() + word[1:]
            name = len(word) > 1 and len(self._encode(f" {word}")) > 1 and len(self._encode(f" {capital}")) == 1
            self._known[word] = capital if name or word == "i" or word.startswith("i'") else word
        return self._known[word]
