"""Fakes of the two models that memory leans on, for tests; nothing here is understood.

`KeywordEncoder` and `KeywordModel` know a few words a category and nothing else. `DoubtingExtractor` is the real one with a
doubt that a test can turn on.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from memory.learn.extraction import Extraction, ExtractionSettings, Extractor
from models.text import contains, words
from schemas.memory import Consent, Conversation, MaintenanceChoice, Words
from schemas.preferences import BY_DETAIL, CATEGORIES

KEYWORDS: dict[str, tuple[str, ...]] = {
    "favourite_cuisine": ("italian", "thai", "greek", "food", "cuisine", "hungry"),
    "dietary_preference": ("vegetarian", "vegan", "halal", "gluten"),
    "preferred_temperature": ("degrees", "temperature"),
    "favorite_genres": ("jazz", "rock", "blues", "music"),
    "preferred_gas_station": ("shell", "esso", "petrol"),
    "preference_for_covered_parking": ("covered", "roof", "garage"),
    "avoidance_of_specific_road_types": ("highways", "tolls", "ferries"),
}
"""Words by which `KeywordEncoder` knows a category."""

REFUSING = frozenset(("no", "not", "don't", "never", "hate"))

VALUES: dict[str, tuple[str, ...]] = {
    "favourite_cuisine": ("italian", "thai", "greek"),
    "dietary_preference": ("vegetarian", "vegan", "halal"),
    "preferred_temperature": ("twenty one degrees", "twenty two degrees", "18 degrees"),
    "favorite_genres": ("jazz", "rock", "blues"),
    "preferred_gas_station": ("shell", "esso"),
    "preference_for_covered_parking": ("covered", "roof"),
    "avoidance_of_specific_road_types": ("highways", "tolls", "ferries"),
}
"""Values that `KeywordModel` finds."""


class KeywordEncoder:
    """A fake encoder: topics by keyword, vectors by hashed words; meets ``schemas.ports.Encoder``."""

    dimension = 256

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of word counts, shape (len(texts), 256)."""
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            for word in words(text):
                vectors[row, zlib.crc32(word.encode()) % self.dimension] += 1.0
            vectors[row] /= max(float(np.linalg.norm(vectors[row])), 1e-6)
        return vectors

    def topics(self, text: str) -> dict[str, float]:
        """All that is not ``none`` is shared out by keywords found."""
        said = words(text)
        hits = {c.detail: sum(word in KEYWORDS.get(c.detail, ()) for word in said) for c in CATEGORIES}
        total = sum(hits.values())
        if not total:
            return {**dict.fromkeys(hits, 0.0), "none": 1.0}
        return {**{detail: 0.9 * count / total for detail, count in hits.items()}, "none": 0.1}

    def strength(self, text: str) -> dict[str, float]:
        """What is not ``none`` is stated; with a refusing word it may as well have ended, for the wording to tell."""
        nothing = self.topics(text)["none"]
        ended = (1.0 - nothing) / 2 if REFUSING & set(words(text)) else 0.0
        return {"none": nothing, "hinted": 0.0, "stated": 1.0 - nothing - ended, "ended": ended}

    def words(self, text: str, detail: str) -> tuple[Words, ...]:
        """Every one of `VALUES` that the text contains."""
        return tuple(Words(text=value, probability=0.9) for value in VALUES.get(detail, ()) if contains(text, value))

    def choices(self, text: str, detail: str) -> dict[str, float]:
        """Cannot tell."""
        del text, detail
        return {}

    def requests(self, text: str) -> dict[str, float]:
        """Never a request."""
        del text
        return {"none": 1.0}


class KeywordModel:
    """A fake language model: finds `VALUES` in the turns; joins what it is asked to maintain unless told otherwise."""

    def __init__(self, choice: MaintenanceChoice | None = None) -> None:
        """Answers maintenance with this choice."""
        self.choice = choice or MaintenanceChoice(decision="append")
        self.asked: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = []
        """Task, turns and facts of every call."""

    def fill(self, task: str, model: type[BaseModel], *, turns: Sequence[str], facts: Sequence[str] = ()) -> BaseModel:
        """A slice filled with every known value of every offered category."""
        self.asked.append((task, tuple(turns), tuple(facts)))
        if task == "maintain":
            return self.choice
        schema = model.model_json_schema()
        offered = {name for part in schema.get("$defs", {}).values() for name in part.get("properties", {})}
        filled: dict[str, Any] = {}
        for detail, values in VALUES.items():
            category = BY_DETAIL[detail]
            found = [
                {"turn": number, "value": value}
                for number, turn in enumerate(turns)
                for value in values
                if contains(turn, value)
            ][: 3 if category.multi else 1]
            if detail in offered and found:
                filled.setdefault(category.main, {}).setdefault(category.sub, {})[detail] = found
        return model.model_validate(filled)


class DoubtingExtractor(Extractor):
    """A fake measure of sureness: unsure of every turn that was heard with less than half confidence, sure of the others."""

    def __init__(self) -> None:
        """Reads with the keyword fakes."""
        super().__init__(KeywordEncoder(), KeywordModel(), ExtractionSettings(store_at=0.0, ask_at=0.0))

    def extract(
        self, conversation: Conversation, consent: Consent, now: datetime, *, least: float | None = None
    ) -> Extraction:
        """What the real one finds, parted anew."""
        found = super().extract(conversation, consent, now, least=least)
        faint = {turn.text for turn in conversation.driver_turns() if turn.confidence < 0.5}
        everything = (*found.candidates, *found.unsure)
        return replace(
            found,
            candidates=tuple(c for c in everything if c.sentence not in faint),
            unsure=tuple(c for c in everything if c.sentence in faint),
        )
