"""Examples of maintenance: a new value against the list of what is stored in its category.

Owns: the cases (repeated, other, taken back, replaced by name) and the decision that is right for each:

- the value is stored already, in these or other words: ``pass``, and which entry
- a category that holds one value: ``update`` of its entry
- a category that holds several: ``append``; where the sentence takes back or trades in an entry: ``update`` of that entry
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from models.training import conversations, phrases
from schemas.preferences import BY_DETAIL

TRADES = (
    "i prefer {new} over {old} now", "{new} instead of {old} from now on", "no more {old} i like {new} now",
    "i used to like {old} but now it's {new}", "forget {old} i want {new}", "i switched from {old} to {new}",
    "not {old} any more {new} is what i want", "{new} has replaced {old} for me", "rather {new} than {old} these days",
    "i gave up {old} and went over to {new}", "change {old} to {new} please", "i'm done with {old} it's {new} for me",
    "swap {old} for {new}", "{old} is out {new} is in", "i don't want {old} any longer but {new}",
)  # fmt: skip
"""Sentences that trade one value for another; the last third is held out."""
SUFFIXES = {"favourite_cuisine": "food", "favorite_genres": "music", "preferred_charging_network": "chargers"}
RANDOM_SHARE = 0.5
"""Cases whose other values may be random words, so that comparing does not depend on the values."""
OTHER_VALUE = 0.5
"""Cases whose sentence gets another value put in."""
TRIES = 30
"""Sentences that are drawn until one takes something back."""
CATEGORY_SHARE = 0.75
"""Examples that name their category."""


@dataclass(frozen=True)
class Case:
    """One decision."""

    sentence: str
    facts: tuple[str, ...]
    choice: dict[str, Any]
    kind: str


def maintain(rng: Random, *, held_out: bool, names: Sequence[str] = ()) -> Case | None:
    """One case; None where the category has too few values."""
    detail = rng.choice([d for d, topic in phrases.topics().items() if any(v.said for v in topic.values)])
    category, topic = BY_DETAIL[detail], phrases.topics()[detail]
    values = [v for v in phrases.values_part(topic, held_out=held_out) if v.said]
    ways = {v.canonical: [*v.said, v.canonical] for v in values}
    if names and rng.random() < RANDOM_SHARE:
        random = [" ".join(rng.choice(names) for _ in range(rng.randint(1, 2))) for _ in range(6)]
        ways.update({name: [name] for name in random})
    kind = rng.choices(("same", "other", "taken back", "traded"), (0.38, 0.34, 0.12, 0.16))[0]
    draws = (conversations.statements(rng, 1, held_out=held_out, details=(detail,))[0] for _ in range(TRIES))
    statement = next((drawn for drawn in draws if drawn.negated == (kind == "taken back")), None)
    if statement is None:
        return None
    new, said, sentence = statement.value, statement.said, statement.text
    if sentence.count(said) == 1 and rng.random() < OTHER_VALUE and ways:
        new = rng.choice(list(ways))
        way = rng.choice(ways[new])
        said, sentence = way, sentence.replace(said, way)
    ways.setdefault(new, [new, said])
    others = [value for value in ways if value != new]
    most = 5 if category.multi else 1
    count = min(len(others), rng.randint(0, most - (kind != "other" and category.multi)))
    stored = rng.sample(others, count) if category.multi else []
    choice: dict[str, Any] = {"decision": "append"}
    if kind in ("same", "taken back"):
        stored.insert(rng.randint(0, len(stored)), new)
        choice = {"decision": "pass" if kind == "same" else "update", "entry": stored.index(new)}
    elif kind == "traded":
        if not others:
            return None
        old = rng.choice(stored or others)
        stored = stored or [old]
        trades = TRADES[10:] if held_out else TRADES[:10]
        sentence = rng.choice(trades).format(new=said, old=rng.choice(ways[old]))
        choice = {"decision": "update", "entry": stored.index(old)}
    elif not category.multi and others and rng.random() < 0.9:
        stored = [rng.choice(others)]
        choice = {"decision": "update", "entry": 0}
    listed = [f"{number}: {rng.choice(ways[value])}" for number, value in enumerate(stored)]
    if kind != "traded" and detail in SUFFIXES and rng.random() < 0.3:
        said = f"{said} {SUFFIXES[detail]}"
    head = (f"category: {detail}",) if rng.random() < CATEGORY_SHARE else ()
    if not head and not category.multi and kind == "other":
        return None
    return Case(sentence, (*head, *listed, f"new: {said}"), choice, kind)
