"""How much is remembered, or is forgotten now, in words that are spoken."""

from __future__ import annotations

from models.numbers import number_words
from schemas.memory import Matches, Receipt


def number(count: int) -> str:
    """A count as a word, from eleven on in digits."""
    return (number_words(count) if count else "no") if count <= 10 else str(count)


def things(matches: Matches) -> int:
    """How many things a selector stands for; timers and reminders that wait are not among them."""
    return sum(matches.kinds.values()) + matches.sentences + matches.turns + matches.proposals


def there(matches: Matches, about: str = "") -> str:
    """What there is, such as "two things about you and one reminder"."""
    return _listed(things(matches), about, matches.timers, matches.reminders)


def gone(receipt: Receipt) -> str:
    """What was forgotten, such as "two things and one reminder"."""
    count = sum(receipt.kinds.values()) + receipt.proposals_erased + receipt.turns_erased + receipt.sentences_erased
    return _listed(count, "", receipt.timers_erased, receipt.reminders_erased)


def _listed(count: int, about: str, timers: int, reminders: int) -> str:
    parts = [f"{_many(count, 'thing')} {about}".rstrip()] if count or not (timers or reminders) else []
    parts += [_many(n, what) for n, what in ((timers, "timer"), (reminders, "reminder")) if n]
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]


def _many(count: int, what: str) -> str:
    return f"{number(count)} {what}{'' if count == 1 else 's'}"
