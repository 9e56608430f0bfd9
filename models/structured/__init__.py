"""The one mechanism of understanding: a Pydantic model, filled from words by a language model under a grammar.

Owns: the way from a slice to a validated value: JSON schema -> grammar (`models.structured.grammar`) -> prompt
(`models.structured.prompt`) -> completion -> validation. Does not own which slice (the callers choose it), nor what
becomes of the value. Grammar text is made here and nowhere else: malformed grammar ends llama.cpp's process.

What each task is given and what it fills:

- ``extract``: the driver's turns; a slice from ``schemas.preferences.preference_model``. ``Mention.turn`` is the index in
  ``turns``; ``Mention.value`` is words of that turn. Preferences that are taken back ("no more jazz") are mentions too:
  telling that apart is the caller's. ``{}``: nothing lasting was said, or nothing in the slice.
- ``maintain``: ``fill("maintain", MaintenanceChoice, turns=[sentence], facts=["category: favourite_cuisine",
  "0: italian", "1: thai", "new: italian food"])``: first the detail key (may be left out), then the whole list of the
  category's active values with their numbers (0 to 15), then the new value. ``entry`` is one of these numbers; it is None
  for ``append``. The grammar does not tie ``entry`` to ``decision``: for ``pass`` and ``update`` check that it is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ValidationError

from models.structured.grammar import Grammar, Schema, UnsupportedSchemaError, leaves, resolve
from models.structured.prompt import LEAD, TASKS, chat, compact
from models.structured.words import Sources, Words, grounded
from schemas.errors import GenerationError
from schemas.ports import LanguageModel

__all__ = ["Structured", "UnsupportedSchemaError"]

MAX_TOKENS = 384
"""Limit of an output: eight categories of three mentions of a few words take about 250 tokens of our vocabulary."""
KEPT_GRAMMARS = 256
"""Grammars that do not depend on words and are kept; slices repeat, and 256 of them are a few hundred kilobytes."""


class Structured:
    """Fills models through a `schemas.ports.LanguageModel`.

    Attributes:
        calls: fills that were asked for.
        valid: fills whose output was a valid, grounded instance of its slice.
    """

    def __init__(
        self,
        language: LanguageModel,
        *,
        chat_template: Callable[[str, str], str] | None = None,
        max_tokens: int = MAX_TOKENS,
    ) -> None:
        """A filler.

        Args:
            language: completes the prompts.
            chat_template: for an instruct model: makes a prompt of system and user text
                (``LlamaCppModel.render_chat``). None: our own model's compact format.
            max_tokens: limit of one output.
        """
        self._language, self._chat, self._max_tokens = language, chat_template, max_tokens
        self._lead = LEAD if chat_template is None else ""
        self._kept: dict[type[BaseModel], str] = {}
        self.calls = 0
        self.valid = 0

    def fill(self, task: str, model: type[BaseModel], *, turns: Sequence[str], facts: Sequence[str] = ()) -> BaseModel:
        """See `schemas.ports.StructuredModel.fill`, and the head of this module for the tasks.

        Raises:
            schemas.errors.GenerationError: no valid output within the limits.
            UnsupportedSchemaError: the model uses what the grammar does not support.
            ValueError: no such task.
        """
        if task not in TASKS:
            raise ValueError(f"task {task!r} is none of {', '.join(TASKS)}")
        self.calls += 1
        schema = _schema(model)
        sources = Sources.of(turns, facts)
        grammar = self.grammar(model, sources)
        prompt = self._prompt(task, model, turns, facts)
        output = self._language.complete(prompt, grammar=grammar, max_tokens=self._max_tokens)
        filled = _read(model, output, schema, sources)
        self.valid += 1
        return filled

    def _prompt(self, task: str, model: type[BaseModel], turns: Sequence[str], facts: Sequence[str]) -> str:
        if self._chat is None:
            return compact(task, _names(model), turns, facts)
        return self._chat(*chat(task, _schema(model), turns, facts))

    def grammar(self, model: type[BaseModel], sources: Sources) -> str:
        """The GBNF of a slice; kept where it does not depend on the words."""
        if model in self._kept:
            return self._kept[model]
        grammar = Grammar(_schema(model), sources, lead=self._lead)
        if not grammar.dynamic:
            if len(self._kept) >= KEPT_GRAMMARS:
                self._kept.clear()
            self._kept[model] = grammar.text
        return grammar.text


@lru_cache(maxsize=512)
def _schema(model: type[BaseModel]) -> Schema:
    return model.model_json_schema()


@lru_cache(maxsize=512)
def _names(model: type[BaseModel]) -> tuple[str, ...]:
    return tuple(path[-1] for path, _ in leaves(_schema(model)))


def _read(model: type[BaseModel], output: str, schema: Schema, sources: Sources) -> BaseModel:
    """The validated instance; the message of an error holds no words of the output."""
    try:
        data = _stripped(model.model_validate_json(output).model_dump(mode="json", exclude_none=True))
        filled = model.model_validate(data)
    except ValidationError as error:
        places = ", ".join(".".join(map(str, problem["loc"])) or problem["type"] for problem in error.errors())
        raise GenerationError(f"the language model's output does not fit {model.__name__}: {places}") from None
    for place, value, texts in _grounded_strings(data, schema, schema, sources, sources.everything):
        if not grounded(value, texts):
            raise GenerationError(f"the language model's output for {place} is no run of words that were said")
    return filled


def _stripped(data: Any) -> Any:
    if isinstance(data, dict):
        return {name: _stripped(value) for name, value in data.items()}
    if isinstance(data, list):
        return [_stripped(value) for value in data]
    return data.strip() if isinstance(data, str) else data


def _grounded_strings(
    data: Any, schema: Schema, root: Schema, sources: Sources, texts: Sequence[Words], place: str = "the model"
) -> Iterator[tuple[str, str, Sequence[Words]]]:
    """Every grounded string with the name of its place and the texts it must come from."""
    schema = resolve(schema, root)
    if isinstance(data, dict):
        turn = data.get("turn")
        inner = texts if turn is None else sources.turns[turn : turn + 1]
        for name, value in data.items():
            yield from _grounded_strings(value, schema["properties"][name], root, sources, inner, name)
    elif isinstance(data, list):
        for value in data:
            yield from _grounded_strings(value, schema["items"], root, sources, texts, place)
    elif isinstance(data, str) and schema.get("grounded"):
        yield place, data, texts
