"""A small deterministic encoder for tests and benches: it knows a few words of a few categories, and no meanings."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from models.text import contains, words
from schemas.actions import ACTIONS
from schemas.kinds import LABELS, Label, Marked
from schemas.memory import Words
from schemas.preferences import BY_DETAIL, CATEGORIES

NONE = "none"
KEYWORDS: dict[str, tuple[str, ...]] = {
    "favourite_cuisine": ("italian", "thai", "greek", "food", "cuisine", "hungry"),
    "dietary_preference": ("vegetarian", "vegan", "halal", "gluten"),
    "preferred_temperature": ("degrees", "temperature"),
    "favorite_genres": ("jazz", "rock", "blues", "soul", "music"),
    "preferred_gas_station": ("shell", "esso", "petrol"),
    "preference_for_covered_parking": ("covered", "roof", "garage"),
    "avoidance_of_specific_road_types": ("highways", "tolls", "ferries"),
}
"""Words by which a category is known."""
VALUES: dict[str, tuple[str, ...]] = {
    "favourite_cuisine": ("italian", "thai", "greek"),
    "dietary_preference": ("vegetarian", "vegan", "halal"),
    "preferred_temperature": ("twenty one degrees", "twenty two degrees", "18 degrees"),
    "favorite_genres": ("jazz", "rock", "blues", "soul"),
    "preferred_gas_station": ("shell", "esso"),
    "preference_for_covered_parking": ("covered", "roof"),
    "avoidance_of_specific_road_types": ("highways", "tolls", "ferries"),
}
"""Words that carry a value."""
REQUESTS = {"set_fan_speed": ("set", "fan")}
"""An action is asked for in a text with all of its words."""
REFUSING = frozenset(("no", "not", "don't", "never", "hate"))
HINTING = frozenset(("perhaps",))
"""A text with one of these hints at a preference, which is to be asked about; another states it."""
FOND = frozenset(("love", "like", "prefer"))
"""What follows one of these is liked, whatever it is."""
OVER = frozenset(("more", "anymore", "longer"))
"""With a refusing word: it held once."""


class KeywordEncoder:
    """`schemas.ports.Encoder` without a model: categories by keyword, vectors by hashed words."""

    def __init__(self, dimension: int = 256) -> None:
        """Vectors of this length."""
        self.dimension = dimension

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), dimension): hashed counts of words."""
        return np.array([_hashed(text, self.dimension) for text in texts], np.float32).reshape(-1, self.dimension)

    def topics(self, text: str) -> dict[str, float]:
        """All that is not ``none`` is shared out by the keywords found."""
        said = words(text)
        hits = {c.detail: sum(word in KEYWORDS.get(c.detail, ()) for word in said) for c in CATEGORIES}
        total = sum(hits.values())
        nothing = 0.1 if total else 1.0
        return {**{detail: 0.9 * count / max(total, 1) for detail, count in hits.items()}, NONE: nothing}

    def strength(self, text: str) -> dict[str, float]:
        """What is not ``none`` is hinted or stated; with a refusing word it may as well have ended, for the wording to tell."""
        said, nothing = set(words(text)), self.topics(text)[NONE]
        ended = (1.0 - nothing) / 2 if REFUSING & said else 0.0
        told = 1.0 - nothing - ended
        hinted = told if HINTING & said else 0.0
        return {NONE: nothing, "hinted": hinted, "stated": told - hinted, "ended": ended}

    def words(self, text: str, detail: str) -> tuple[Words, ...]:
        """Every one of `VALUES` that stands in the text."""
        known = VALUES.get(BY_DETAIL[detail].detail, ())
        return tuple(Words(text=value, probability=0.9) for value in known if contains(text, value))

    def choices(self, text: str, detail: str) -> dict[str, float]:
        """Cannot tell."""
        del text, detail
        return {}

    def requests(self, text: str) -> dict[str, float]:
        """All or nothing, by `REQUESTS`."""
        said = set(words(text))
        asked = next((name for name, needed in REQUESTS.items() if said.issuperset(needed)), NONE)
        return {name: float(name == asked) for name in (*(action.name for action in ACTIONS), NONE)}

    def states(self, text: str, spans: Sequence[tuple[int, int]]) -> NDArray[np.float32]:
        """No network, no states: (spans, 1), all zero."""
        del text
        return np.zeros((len(spans), 1), np.float32)

    def special(self, text: str) -> None:
        """Cannot tell."""
        del text

    def revealed(self, text: str) -> None:
        """Cannot tell."""
        del text

    def wishes(self, text: str) -> None:
        """Cannot tell."""
        del text

    def answers(self, question: str, memory: str) -> None:
        """Cannot tell."""
        del question, memory

    def marks(self, text: str) -> Marked:
        """A value is liked; with a refusing word it is disliked, or past, and of a road what is refused is avoided."""
        plain = " ".join(text.split())
        spans = tuple(found.span() for found in re.finditer(r"[^\W_]+(?:'[^\W_]+)*", plain))
        own = [plain[start:end].lower() for start, end in spans]
        shares = np.zeros((len(spans), len(LABELS)), np.float32)
        shares[:, 0] = 1.0
        known = [(detail, value.split()) for detail, values in VALUES.items() for value in values]
        places = sorted(
            (at, at + len(said), detail)
            for detail, said in known
            for at in range(len(own) - len(said) + 1)
            if own[at : at + len(said)] == said and not HINTING & set(own)
        )
        fond = next(
            (at + 1 for at, word in enumerate(own) if word in FOND and not (REFUSING | {"that"}) & set(own)), len(own)
        )
        if not places and fond < len(own) and not HINTING & set(own):
            places = [(fond, len(own), "")]
        before = 0
        for start, end, detail in places:
            shares[start:end] = 0.0
            around = own if len(places) == 1 else own[before:start]
            shares[start:end, LABELS.index(_label(detail, around, own))] = 1.0
            before = end
        return Marked(plain, spans, shares)


def _label(detail: str, before: Sequence[str], said: Sequence[str]) -> Label:
    if detail == "avoidance_of_specific_road_types":
        return Label.AVOIDS
    if not REFUSING & set(before):
        return Label.LIKES
    return Label.PAST if OVER & set(said) else Label.DISLIKES


@lru_cache(maxsize=1024)
def _hashed(text: str, dimension: int) -> NDArray[np.float32]:
    vector = np.zeros(dimension, np.float32)
    for word in words(text) or [""]:
        vector[zlib.crc32(word.encode()) % dimension] += 1.0
    return vector / np.float32(np.linalg.norm(vector))
