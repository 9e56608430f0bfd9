"""A fake of the language model port: answers that the caller wrote down. It understands nothing."""

from __future__ import annotations

from collections.abc import Mapping

from schemas.errors import GenerationError

CHARACTERS = 4
"""Characters that count as a token, roughly as in English."""


class FakeLanguageModel:
    """A `schemas.ports.LanguageModel` that gives scripted answers.

    Attributes:
        prompts: all prompts so far.
    """

    def __init__(self, answers: Mapping[str, str] | None = None, *, otherwise: str = "{}") -> None:
        """A fake.

        Args:
            answers: words that a prompt may hold -> the output then; the first that fits counts.
            otherwise: the output for all other prompts.
        """
        self._answers, self._otherwise = dict(answers or {}), otherwise
        self.prompts: list[str] = []

    def complete(self, prompt: str, *, grammar: str, max_tokens: int) -> str:
        """The answer. That the grammar accepts it is up to who wrote it.

        Raises:
            schemas.errors.GenerationError: the answer is longer than ``max_tokens``, or the grammar is empty.
        """
        if not grammar.strip():
            raise GenerationError("there is no grammar")
        self.prompts.append(prompt)
        answer = next((output for words, output in self._answers.items() if words in prompt), self._otherwise)
        if len(answer) > max_tokens * CHARACTERS:
            raise GenerationError(f"the output was not complete after {max_tokens} tokens")
        return answer
