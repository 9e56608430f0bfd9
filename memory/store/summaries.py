"""A day in a few lines, composed: fixed wording around words that were said, never words of our own about the driver.

A summary is kept as its lines, one a source, so that a line can go without anything being written anew; its text is composed
whenever it is read. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from memory.store.tags import MOST_TAGS, title
from models.text import MONTHS, WEEKDAYS


@dataclass(frozen=True, slots=True)
class Line:
    """What one source adds to the summary of its day."""

    source: str
    """Id of the episode."""
    text: str
    details: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


def day_words(day: date) -> str:
    """A day as it is said: ``Saturday 21 November 2026``; never depends on the machine's language."""
    return f"{WEEKDAYS[day.weekday()]} {day.day} {MONTHS[day.month - 1]} {day.year}"


def compose(day: date, lines: Sequence[Line]) -> str:
    """The text of a summary."""
    about = [title(tag) for tag in common_tags(lines)]
    head = f"{day_words(day)}: {_listed(about)}." if about else f"{day_words(day)}."
    return " ".join([head, *(line.text for line in lines)])


def common_tags(lines: Sequence[Line]) -> tuple[str, ...]:
    """The tags that most lines have, at most `MOST_TAGS`."""
    counted = Counter(tag for line in lines for tag in line.tags)
    return tuple(tag for tag, _ in counted.most_common(MOST_TAGS))


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
