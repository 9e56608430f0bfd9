"""Reads the suite: sentences, and what may be kept of them.

Owns the form of the file (YAML, a list). A key that is not known is an error: an expectation that nobody looks at would pass
whatever happens. Judges nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from deploy.lab.dialogue.suite import Pattern
from schemas.errors import EvaluationDataError

KINDS = ("likes", "dislikes", "condition", "fact", "past", "others", "secret", "change")
"""What the sentences are about, in the order of the report."""


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Names: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(_listed)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Under(_Part):
    """A condition."""

    kind: Names
    words: Pattern


class Liking(_Part):
    """A preference that holds, or does not."""

    category: Names
    value: Pattern
    sense: Names
    condition: Under | None = None
    """None: it holds always, and no condition may be stored."""


class Thing(_Part):
    """A fact: every pattern is found in it."""

    words: tuple[Pattern, ...]
    about: str | None = None
    """Whose it is; None: not looked at."""
    until: str = "none"
    """When it stops mattering: a word of it; ``none``: it does not say; ``any``: not looked at."""


class Want(_Part):
    """One thing that must be so; exactly one of the fields is given."""

    preference: Liking | None = None
    fact: Thing | None = None
    gone: Liking | None = None
    gone_fact: Thing | None = None


class Never(_Part):
    """What must not be kept."""

    value: Pattern | None = None
    category: Names = ()
    sense: Names = ()
    text: Pattern | None = None


Word = Literal["nothing", "refused", "asked_first", "silent", "refused_politely", "until: none", "until: any"]
Wish: TypeAlias = Word | Want


class Entry(_Part):
    """A sentence, and what may be kept of it. For the fields see the suite."""

    id: str
    kind: Literal["likes", "dislikes", "condition", "fact", "past", "others", "secret", "change"]
    say: Annotated[str, Field(min_length=1)]
    form: str = ""
    before: tuple[str, ...] = ()
    consent: tuple[str, ...] = ()
    ask: str | None = None
    right: Annotated[tuple[Wish, ...], Field(min_length=1)]
    ok: tuple[Wish, ...] = ()
    also: tuple[Want, ...] = ()
    never: tuple[Never, ...] = ()
    kept: bool = False
    """Held back: scored, never shown."""


class _Named(yaml.SafeLoader):
    """YAML in which ``yes`` is a word."""


_Named.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in found if tag != "tag:yaml.org,2002:bool" or first in "tTfF"]
    for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def read(path: Path, *, kept: bool | None = None, only: Sequence[str] = ()) -> tuple[Entry, ...]:
    """The entries of a file, in its order.

    Args:
        path: the suite.
        kept: True: only what is held back; False: only what is not; None: all.
        only: only these ids.

    Raises:
        EvaluationDataError: the file is missing or not of this form, or nothing is left.
    """
    try:
        told = yaml.load(path.read_text("utf-8"), _Named)  # noqa: S506 - a safe loader
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise EvaluationDataError(f"{path} cannot be read as YAML ({type(error).__name__}); check --data") from None
    if not isinstance(told, list):
        raise EvaluationDataError(f"{path} is not a list of sentences")
    entries: list[Entry] = []
    for number, one in enumerate(told, start=1):
        try:
            entries.append(Entry.model_validate(one))
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            raise EvaluationDataError(f"entry {number} of {path}: {where}: {first['msg']}") from None
    found = tuple(one for one in entries if kept in (None, one.kept) and (not only or one.id in only))
    if not found:
        raise EvaluationDataError(f"{path} holds no such sentence; check --only and --kept")
    return found
