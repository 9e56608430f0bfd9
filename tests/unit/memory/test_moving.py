"""A preference is moved to another topic, through consent and maintenance, and back again."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memory.service import DriverMemory
from schemas.errors import ConsentError, UnknownEntryError
from schemas.memory import Condition, ConditionKind, Outcome, Selector, Sense
from tests.memories import fill, memory_of
from tests.screens import NOW, preference

MORNING = Condition(kind=ConditionKind.TIME_OF_DAY, value="morning", words="in the morning")


@pytest.fixture
def memory() -> DriverMemory:
    made = memory_of("ada", clock=lambda: NOW)
    assert isinstance(made, DriverMemory)
    fill(
        made,
        preference("a", "radiolab", "favorite_artists_or_bands").model_copy(update={"conditions": (MORNING,)}),
        preference("b", "spotify", "preferred_radio_station"),
        preference("c", "tidal", "preferred_music_streaming_service"),
    )
    return made


def test_what_is_moved_keeps_its_sentences_its_conditions_and_its_sense(memory: DriverMemory) -> None:
    decision = memory.move("a", "favorite_podcast_shows")
    assert decision.outcome is Outcome.APPEND and decision.preference is not None
    (moved,) = memory.preferences("favorite_podcast_shows")
    assert (moved.id, moved.value, moved.sentences) == (decision.preference, "radiolab", ("i really like radiolab",))
    assert moved.conditions == (MORNING,) and moved.sense is Sense.LIKES and moved.confidence == 0.83
    assert memory.preferences("favorite_artists_or_bands") == ()
    assert memory.browse("favorite_podcast_shows").total == 1


def test_an_occupied_topic_of_one_value_asks_and_only_then_lets_it_go(memory: DriverMemory) -> None:
    asked = memory.move("b", "preferred_music_streaming_service")
    assert (asked.outcome, asked.replaced, asked.preference) == (Outcome.ASK, ("tidal",), None)
    assert {p.id for p in memory.preferences()} == {"a", "b", "c"}  # nothing is changed
    done = memory.move("b", "preferred_music_streaming_service", instead=True)
    assert (done.outcome, done.replaced) == (Outcome.UPDATE, ("tidal",))
    assert [p.value for p in memory.preferences("preferred_music_streaming_service")] == ["spotify"]
    assert memory.preferences("preferred_radio_station") == ()


def test_taken_back_everything_holds_as_before(memory: DriverMemory) -> None:
    before = set(memory.preferences())
    done = memory.move("b", "preferred_music_streaming_service", instead=True)
    assert done.preference is not None
    assert {p.id for p in memory.move_back(done.preference)} == {"b", "c"}
    assert set(memory.preferences()) == before
    with pytest.raises(UnknownEntryError):
        memory.move_back(done.preference)
    with pytest.raises(UnknownEntryError, match="was not moved"):
        memory.move_back("b")


def test_what_is_there_already_is_not_there_twice(memory: DriverMemory) -> None:
    fill(memory, preference("d", "radiolab", "favorite_podcast_shows"))
    done = memory.move("a", "favorite_podcast_shows")
    assert [p.value for p in memory.preferences("favorite_podcast_shows") if not p.conditions] == ["radiolab"]
    assert done.preference is not None
    memory.move_back(done.preference)
    assert {p.id for p in memory.preferences()} == {"a", "b", "c", "d"}


def test_consent_and_the_topic_s_own_values_are_kept_to(memory: DriverMemory) -> None:
    memory.opt_out("favorite_podcast_shows")
    with pytest.raises(ConsentError):
        memory.move("a", "favorite_podcast_shows")
    with pytest.raises(ConsentError):  # sensitive, and never asked for
        memory.move("a", "dietary_preference")
    with pytest.raises(UnknownEntryError, match="one of low, medium, high"):
        memory.move("a", "fan_speed_preferences")
    with pytest.raises(UnknownEntryError):
        memory.move("a", "favourite_coffee")
    with pytest.raises(UnknownEntryError):
        memory.move("z", "favorite_songs")
    done = memory.move("a", "favorite_songs")
    assert done.preference is not None
    memory.opt_out("favorite_artists_or_bands")
    with pytest.raises(ConsentError):
        memory.move_back(done.preference)
    assert [p.detail for p in memory.preferences("favorite_songs")] == ["favorite_songs"]


def test_what_was_moved_is_forgotten_with_its_history(memory: DriverMemory) -> None:
    done = memory.move("b", "preferred_music_streaming_service", instead=True)
    assert done.preference is not None
    receipt = memory.forget(done.preference)
    assert receipt.verified
    assert {p.id for p in memory.preferences(history=True)} == {"a"}


def test_several_are_forgotten_by_their_ids(memory: DriverMemory) -> None:
    what = Selector(ids=("a", "c", "gone meanwhile"))
    assert {p.id for p in memory.matching(what).preferences} == {"a", "c"}
    held = memory.withhold(what)
    assert {p.id for p in memory.preferences()} == {"b"}
    memory.restore(held.token)
    assert len(memory.preferences()) == 3
    assert memory.forget_where(what).verified and {p.id for p in memory.preferences(history=True)} == {"b"}


def test_whole_words_are_found_first_then_parts_then_topics(memory: DriverMemory) -> None:
    fill(
        memory,
        preference("e", "rockabilly", days=1),
        preference("f", "rock", days=2),
        preference("g", "the rock, live", days=3),
    )
    assert [p.value for p in memory.browse(text="rock").preferences] == ["rock", "the rock, live", "rockabilly"]

    def told(detail: str, value: str, sense: Sense, conditions: Sequence[Condition]) -> str:
        return f"{sense.value} {detail} {'Tid' if value == 'spotify' else value} {len(conditions)}"

    found = memory.browse(text="tid", told=told, limit=9)
    assert [p.value for p in found.preferences] == ["spotify", "tidal"] and found.total == 2
    assert memory.browse(text="likes favorite_gen", told=told).total == 3
    assert memory.browse("favorite_genres", text="tidal", told=told).total == 0
