"""Which preferences matter for what was asked, and in which order."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memory.recall.cache import Entry, SearchCache, detail_bits
from memory.recall.decay import preference_half_life
from memory.recall.preferences import PreferenceRanker
from memory.store.searchable import preference_words
from models.runtime.fake_encoder import KeywordEncoder
from schemas.memory import Kind
from schemas.preferences import BY_DETAIL

NOW = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)


def test_the_searched_text_names_category_value_and_sentence() -> None:
    assert preference_words("favorite_genres", "jazz", "i love jazz") == "Music genres, music: jazz. i love jazz."
    assert preference_words("favorite_genres", "jazz", None) == "Music genres, music: jazz."


# The order of preferences


class Preferences:
    """A searchable copy with preferences alone."""

    def __init__(self) -> None:
        self.encoder = KeywordEncoder()
        self.cache = SearchCache(self.encoder.dimension)
        self.ranker = PreferenceRanker(self.encoder)

    def put(self, value: str, detail: str = "favorite_genres", *, age: int = 0) -> None:
        vector = self.encoder.encode([preference_words(detail, value, f"i love {value}")])[0]
        said = (NOW - timedelta(days=age)).timestamp()
        half_life = preference_half_life(BY_DETAIL[detail], 0)
        self.cache.put(
            [Entry(value, Kind.PREFERENCE, said, said, half_life, 0.9, vector, details=detail_bits([detail]))]
        )

    def names(self, query: str, *, limit: int = 5, now: datetime = NOW, **filters: tuple[str, ...]) -> list[str]:
        filters = {"details": (), "hidden": (), **filters}
        found = self.ranker.ranked(self.cache, query, **filters, limit=limit, now=now.timestamp())
        assert all(0 <= score <= 1 for _, score in found)
        return [name for name, _ in found]


@pytest.fixture
def held() -> Preferences:
    made = Preferences()
    made.put("jazz")
    made.put("rock")
    made.put("italian", "favourite_cuisine")
    return made


def test_most_turns_recall_nothing(held: Preferences) -> None:
    assert held.names("how long until we arrive") == [] and held.names("  ") == []


def test_the_nearest_comes_first(held: Preferences) -> None:
    assert held.names("play jazz music")[0] == "jazz" and held.names("rock music please")[0] == "rock"


def test_filters(held: Preferences) -> None:
    assert held.names("jazz", details=("favourite_cuisine",)) == ["italian"]
    assert held.names("jazz music", hidden=("favorite_genres",)) == []
    assert len(held.names("music", details=("favorite_genres",), limit=1)) == 1


def test_what_faded_is_not_recalled(held: Preferences) -> None:
    assert held.names("jazz music", now=NOW + timedelta(days=5000)) == []


def test_the_fresher_of_two_alike_comes_first(held: Preferences) -> None:
    held.put("soul", age=900)
    held.put("funk")
    order = held.names("some music", details=("favorite_genres",))
    assert order.index("funk") < order.index("soul")


def test_a_large_store_is_searched_as_a_small_one(held: Preferences) -> None:
    for number in range(500):
        held.put(f"band number {number}", "favorite_artists_or_bands")
    assert held.names("play jazz music")[0] == "jazz"
    assert held.names("hm", details=("favorite_genres",), limit=1) == ["jazz"]
