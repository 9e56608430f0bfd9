"""Exchanges in tokens, as llama.cpp makes them of prompt and answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.training.talk.lines import Exchange
from schemas.errors import EngineMissingError


@dataclass(frozen=True)
class Item:
    """An exchange in tokens: those read, then those to be written, the end last."""

    tokens: tuple[int, ...]
    given: int
    """How many are read."""


class Spelling:
    """llama.cpp's own tokens of a GGUF file."""

    def __init__(self, path: Path) -> None:
        """Load the vocabulary.

        Raises:
            schemas.errors.EngineMissingError: llama-cpp-python is not installed.
        """
        try:
            from llama_cpp import Llama
        except ImportError as error:
            raise EngineMissingError("the package llama-cpp-python is not installed") from error
        self._model: Any = Llama(str(path), vocab_only=True, verbose=False)
        self.end = int(self._model.token_eos())

    def tokens(self, text: str, *, first: bool) -> list[int]:
        """The tokens of a text; ``first``: with the mark of a beginning before it."""
        return self._model.tokenize(text.encode(), add_bos=first)

    def text(self, tokens: Sequence[int]) -> str:
        """The text of tokens."""
        return self._model.detokenize(list(tokens)).decode(errors="replace")

    def item(self, one: Exchange) -> Item:
        """An exchange in tokens."""
        prompt = self.tokens(one.prompt, first=True)
        return Item((*prompt, *self.tokens(one.answer, first=False), self.end), len(prompt))
