"""Reads a suite of dialogues: cases, their turns, and what may be expected of a turn.

Owns the form of the file, one JSON object a line. A key that is not known is an error: an expectation that nobody looks at would
pass whatever happens. Judges nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, ValidationError

from schemas.errors import EvaluationDataError


def _compiles(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"not a regular expression: {error}") from None
    return pattern


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, (str, dict)) else value


Pattern: TypeAlias = Annotated[str, AfterValidator(_compiles)]
"""A regular expression; it is searched for, and case does not count."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Entry(_Part):
    """A preference, in memory or gone from it."""

    detail: Annotated[tuple[str, ...], BeforeValidator(_listed)] = ()
    """Keys of categories: one of them; ``*`` any, ``~`` before a pattern. None: any."""
    value: Pattern = ""
    polarity: Literal["like", "dislike"] | None = None
    """None: either."""


class Timer(_Part):
    """A timer or reminder."""

    kind: Literal["timer", "reminder"] | None = None
    minutes: float | tuple[float, float] | None = None
    """Left until it is due; from and to, or about so many."""
    label: Pattern = ""
    at: Pattern | None = None
    """The time of day, HH:MM."""


Entries: TypeAlias = Annotated[tuple[Entry, ...], BeforeValidator(_listed)]
Timers: TypeAlias = Annotated[tuple[Timer, ...], BeforeValidator(_listed)]


class Expectation(_Part):
    """One way in which a turn may go well: all that is set must hold. What is left out is expected not to happen."""

    state: dict[str, JsonValue] = {}
    """Signals afterwards: a value, ``[lowest, highest]``, ``up``, ``down``, ``any`` (another one), ``more`` or ``fewer`` for lists,
    ``~`` before a pattern."""
    state_may: dict[str, JsonValue] = {}
    """Signals that may change, too, and to what."""
    stored: Entries = ()
    stored_may: Entries = ()
    removed: Entries = ()
    removed_may: Entries = ()
    timer: Timers = ()
    timer_gone: Timers = ()
    timer_gone_may: Timers = ()
    mail: dict[Literal["to", "text"], Pattern] = {}
    consent: Literal["any"] | dict[str, JsonValue] = {}
    consent_may: JsonValue = None
    """Named where settings of memory may change, too, whatever the value."""
    reply: Pattern | None = None
    reply_not: Pattern | None = None
    idle: bool = False
    """Nothing at all happened, and the reply is no offer unless ``offer_ok``."""
    offer_ok: bool = False
    asks: Literal[True] | Pattern | None = None
    """A question, and nothing happened: one that is about the wish, ``any``, or one that the pattern is in."""
    declines: bool = False
    """Nothing happened, and the reply honestly says so, about nothing but the wish."""
    silent: bool = False
    """Nothing happened, and nothing was understood."""
    after_yes: bool = False
    """The answer may also be the one after the yes."""

    def names(self, *keys: str) -> bool:
        """Whether one of these keys stands in the file, with whatever value."""
        return not self.model_fields_set.isdisjoint(keys)


class Turn(_Part):
    """What the driver says, and what may come of it."""

    say: Annotated[str, Field(min_length=1)]
    right: tuple[Expectation, ...] | None = None
    """None: said and not judged."""
    ok: tuple[Expectation, ...] = ()
    topics: frozenset[str] = frozenset()
    """What a refusal may be about beside what the words of the wish are about; ``*`` anything."""
    never: Pattern | None = None
    """A reply that would be false here."""
    forbidden: Pattern | None = None
    """Signals that must not change, whatever else is expected."""
    yes: bool = True
    """Whether an offer is answered with yes."""
    wait_s: Annotated[float, Field(ge=0.0, le=3600.0)] | None = None
    """Seconds that pass after the turn."""
    note: str | None = None

    @property
    def wishes(self) -> tuple[Expectation, ...]:
        """All expectations, the right ones first."""
        return (*(self.right or ()), *self.ok)


class Setup(_Part):
    """The car and the driver's memory before the first turn."""

    motion: Literal["town", "parked", "motorway"] = "town"
    state: dict[str, JsonValue] = {}
    """Signals that differ from the simulated car's own."""
    said: tuple[str, ...] = ()
    """Said before: an earlier conversation, or the same one if it ``continues``."""
    continues: bool = False
    mail: bool = False
    """Whether an outbox is configured."""


class Case(_Part):
    """Turns after one another, in a car and a memory of their own."""

    id: Annotated[str, Field(min_length=1)]
    group: Annotated[str, Field(min_length=1)]
    setup: Setup = Setup()
    turns: Annotated[tuple[Turn, ...], Field(min_length=1)]


def read(path: Path, *, group: str | None = None, only: Sequence[str] = ()) -> tuple[Case, ...]:
    """The cases of a file, in its order.

    Args:
        path: JSON lines.
        group: only the cases of this group.
        only: only the cases with these ids.

    Raises:
        EvaluationDataError: the file is missing, empty or not of this form, an id is there twice, or nothing is left.
    """
    cases = tuple(
        _case(path, number, line) for number, line in enumerate(_text(path).splitlines(), start=1) if line.strip()
    )
    twice = [name for name, count in Counter(case.id for case in cases).items() if count > 1]
    if twice:
        raise EvaluationDataError(f"{path} has the case {twice[0]} twice; every case needs an id of its own")
    strange = sorted(set(only) - {case.id for case in cases})
    if strange:
        raise EvaluationDataError(f"{path} has no case {', '.join(strange)}; check --only")
    kept = tuple(case for case in cases if group in (None, case.group) and (not only or case.id in only))
    if not kept:
        groups = ", ".join(sorted({case.group for case in cases}))
        raise EvaluationDataError(f"{path} holds no such case; its groups: {groups or 'none'}")
    return kept


def spread(cases: Sequence[Case], limit: int | None) -> tuple[Case, ...]:
    """So many of the cases at equal distances: of groups that stand together each gives its share. All where there is no limit."""
    if limit is None or limit >= len(cases):
        return tuple(cases)
    return tuple(cases[number * len(cases) // limit] for number in range(limit))


def _case(path: Path, number: int, line: str) -> Case:
    try:
        return Case.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise EvaluationDataError(
            f"line {number} of {path} is not a case of a dialogue: {where or 'the line'}: {first['msg']}"
        ) from None


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise EvaluationDataError(f"{path} cannot be read: {error.strerror}; check --data") from None
    except UnicodeDecodeError:
        raise EvaluationDataError(f"{path} is not UTF-8 text; is it the right file?") from None
