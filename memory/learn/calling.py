"""The call by which preferences are extracted: what was found, in the hierarchical Pydantic model of what may be remembered.

In CarMem (arXiv 2501.09645, section 3.2) a language model calls a function whose parameters are the tree of categories, main > sub
> detail, without those that the driver has switched off. Here the encoder makes the call (ADR 48). The model has no field for
what is forbidden, so that cannot be filled; and a value must be words of the turn that it is said to come from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from models.text import contains, normal, words
from schemas.preferences import BY_DETAIL, Category, Mention, preference_model


def call(found: Mapping[str, Sequence[Mention]], allowed: Iterable[str], turns: Sequence[str]) -> BaseModel:
    """The validated call with what was found.

    Args:
        found: by detail key; a category without mentions is left out.
        allowed: detail keys of all that may be remembered now.
        turns: the driver's turns, by their number.

    Raises:
        ValueError: a category is not allowed or holds more than it may (`pydantic.ValidationError`), or a value was not said.
    """
    given: dict[str, Any] = {}
    for detail, said in found.items():
        if any(one.turn >= len(turns) or not contains(turns[one.turn], one.value) for one in said):
            raise ValueError(f"a value for {detail} is no run of words of its turn")
        if said:
            main, sub, _ = BY_DETAIL[detail].path
            given.setdefault(main, {}).setdefault(sub, {})[detail] = [one.model_dump() for one in said]
    return preference_model(tuple(sorted(allowed))).model_validate(given)


def mentions(call_: BaseModel) -> Iterator[tuple[Category, Mention]]:
    """The mentions in a call, in the order of the tree."""
    for main in type(call_).model_fields:
        subs = getattr(call_, main)
        for sub in type(subs).model_fields if isinstance(subs, BaseModel) else ():
            details = getattr(subs, sub)
            for detail in type(details).model_fields if isinstance(details, BaseModel) else ():
                for mention in getattr(details, detail) or ():
                    yield BY_DETAIL[detail], mention


def called(detail: str, number: int, values: Iterable[str], allowed: Iterable[str], turns: Sequence[str]) -> list[str]:
    """The values that stand in a call with these values of one category in one turn; none where that call is not valid.

    A word with a hyphen is one word: it stands there whole, however much of it was found.
    """
    whole = [unbroken(turns[number], value) for value in values] if number < len(turns) else values
    try:
        made = call({detail: [Mention(turn=number, value=value) for value in whole]}, allowed, turns)
    except ValueError:
        return []
    return [mention.value for _, mention in mentions(made)]


def unbroken(text: str, value: str) -> str:
    """The words of a value in a text with all of a word whose halves a hyphen joins: of "wi" in "the wi-fi" it is "wi-fi"."""
    found = re.search(rf"(?<![\w'])(?:\w+-)*{_run(value)}(?:-\w+)*(?![\w'])", normal(text))
    return value if found is None or "-" not in found[0] else found[0]


def _run(value: str) -> str:
    """A pattern for the words of a value one after the other, with any marks between them."""
    return r"[^\w']+".join(re.escape(word) for word in words(value))
