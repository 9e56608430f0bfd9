"""How much is remembered, or is forgotten now, in words that are spoken."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from models.numbers import number_words
from schemas.memory import Kind, Matches, Preference, Proposal, Receipt

ALOUD = 3
"""Things of a list that are read out at a time: our choice; drivers keep three or four in mind, and look at the road."""


def number(count: int) -> str:
    """A count as a word, from eleven on in digits."""
    return (number_words(count) if count else "no") if count <= 10 else str(count)


def there(matches: Matches, about: str = "") -> str:
    """What there is, such as "two things about you and one reminder"."""
    return _listed(matches.things, about, matches.timers, matches.reminders)


def gone(receipt: Receipt) -> str:
    """What was forgotten, such as "two things and one reminder"; empty where nothing was kept yet."""
    count = sum(receipt.kinds.values()) + receipt.proposals_erased + receipt.turns_erased + receipt.sentences_erased
    waited = receipt.timers_erased, receipt.reminders_erased
    return _listed(count, "", *waited) if count or any(waited) else ""


def told(matches: Matches, likes: Callable[[Preference | Proposal], str], said: str = "") -> list[str]:
    """What a selector stands for, each as it is named in a question: "that you like jazz"; what is made of another is left out.

    Args:
        matches: what it stands for.
        likes: how a preference is told.
        said: the words of what was told just now, where several things are named.
    """
    found = [f"that {likes(one)}" for one in (*matches.preferences, *matches.asked)]
    for one in matches.others:
        text = one.text.rstrip(".!?")
        if one.kind is Kind.PROFILE and one.tags:
            found.append(f"your {one.tags[0].replace('_', ' ')}: {text}")
        elif one.kind is Kind.FACT:
            found.append(f"what you asked me to keep: {text}")
        elif one.kind is Kind.THOUGHT:
            found.append(f"what I noticed: {text}")
        elif one.kind in (Kind.EPISODE, Kind.EVENT):
            found.append(f"what you told me: {text}")
    just = "what you have just told me"
    found += [f"{just}: {said}" if said else just] if matches.turns and not found else []
    return list(dict.fromkeys(found)) or [_many(matches.things, "thing")]


def listed(said: Sequence[str]) -> str:
    """Several things as one part of a sentence."""
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"


ONE = "one thing"
"""What is said of one thing that is named nowhere."""


def _listed(count: int, about: str, timers: int, reminders: int) -> str:
    parts = [f"{_many(count, 'thing')} {about}".rstrip()] if count or not (timers or reminders) else []
    parts += [_many(n, what) for n, what in ((timers, "timer"), (reminders, "reminder")) if n]
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]


def _many(count: int, what: str) -> str:
    return f"{number(count)} {what}{'' if count == 1 else 's'}"
