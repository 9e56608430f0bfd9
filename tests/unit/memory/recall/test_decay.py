"""Decay, retention, pruning, links: the pure rules of what stays."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memory.recall.decay import (
    DOUBT_FLOOR,
    LASTING_FROM,
    LASTING_USES,
    half_life,
    idle,
    lasting,
    preference_half_life,
    preference_weight,
)
from memory.recall.decay import retention as left
from memory.reflect import links, retention
from memory.reflect.retention import Held, kept
from memory.settings import Prune, RetentionSettings, RoomSettings
from schemas.memory import Episode, Kind, Preference, Status, Summary, Thought, Trip
from schemas.preferences import BY_DETAIL

NOW = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)


# Decay


@given(idle=st.floats(0, 4000), days=st.floats(1, 1000), uses=st.integers(0, 100), importance=st.floats(0, 1))
def test_retention_grows_with_strength_and_falls_with_time(
    idle: float, days: float, uses: int, importance: float
) -> None:
    now = left(idle, half_life(days, uses, importance))
    assert 0.0 <= now <= 1.0
    assert left(idle, half_life(days, uses + 1, importance)) >= now
    assert left(idle, half_life(days * 2, uses, importance)) >= now
    assert left(idle, half_life(days, uses, min(1.0, importance + 0.1))) >= now
    assert left(idle + 1, half_life(days, uses, importance)) <= now


def test_half_after_a_half_life_and_longer_with_use() -> None:
    assert left(90.0, half_life(90)) == pytest.approx(0.5)
    assert left(135.0, half_life(90, uses=1)) == pytest.approx(0.5)
    assert left(-5.0, half_life(90)) == 1.0
    assert left(np.array([90.0, -5.0]), half_life(90)).tolist() == [0.5, 1.0]


def test_what_is_important_or_often_used_does_not_fade() -> None:
    assert left(100_000.0, half_life(1, importance=LASTING_FROM)) == 1.0
    assert left(100_000.0, half_life(1, uses=LASTING_USES)) == 1.0
    assert not lasting(LASTING_FROM - 0.01, LASTING_USES - 1)
    assert idle(NOW, NOW - timedelta(days=9), NOW - timedelta(days=2)) == 2.0


def test_a_preference_fades_over_its_categorys_retention_time_and_an_allergy_does_not() -> None:
    genre, allergy = BY_DETAIL["favorite_genres"], BY_DETAIL["dietary_preference"]
    assert left(540.0, preference_half_life(genre, 0)) == left(810.0, preference_half_life(genre, 1)) == 0.5
    assert left(4000.0, preference_half_life(allergy, 0)) == 1.0


def test_a_preference_weighs_more_with_confidence_and_with_being_said_again() -> None:
    assert preference_weight(0.0, 1) == DOUBT_FLOOR and preference_weight(1.0, 1) == 1.0
    assert preference_weight(0.0, 2) == pytest.approx(0.75)


# Retention


def preference(name: str, detail: str, age: int, *, uses: int = 0, status: Status = Status.ACTIVE) -> Preference:
    at = NOW - timedelta(days=age)
    return Preference(
        id=name, detail=detail, value="x", sentences=(), conversation="c", confidence=1.0, valid_from=at, uses=uses,
        status=status, valid_to=at if status is Status.SUPERSEDED else None,
    )  # fmt: skip


def test_preferences_go_after_their_categorys_retention_without_use() -> None:
    held = [
        preference("new", "favorite_genres", 539),
        preference("old", "favorite_genres", 540),
        preference("used", "favorite_genres", 700, uses=1),
        preference("allergy", "dietary_preference", 5000),
        preference("history", "favorite_genres", 540, status=Status.SUPERSEDED),
        preference("late history", "favorite_genres", 539, status=Status.SUPERSEDED),
    ]
    assert set(retention.faded_preferences(held, NOW)) == {"old", "history"}
    touched = preference("old", "favorite_genres", 900).model_copy(update={"last_used": NOW - timedelta(days=3)})
    assert not retention.faded_preferences([touched], NOW)


def episode(name: str, age: float, *, importance: float = 0.2, uses: int = 0) -> Episode:
    return Episode(
        id=name, conversation="c", at=NOW - timedelta(days=age), driver="x", importance=importance, uses=uses
    )


def test_words_go_when_their_days_are_over_however_often_they_were_used() -> None:
    settings = RetentionSettings(conversation_days=90)
    held = [
        episode("new", 89.9),
        episode("old", 90),
        episode("used", 91, uses=99),
        episode("asked for", 900, importance=1.0),
    ]
    assert retention.old_episodes(held, NOW, settings) == ("old", "used")


def test_thoughts_summaries_and_trips() -> None:
    settings = RetentionSettings(thought_days=365, summary_days=365)

    def thought(name: str, age: int, uses: int = 0, importance: float = 0.5) -> Thought:
        at = NOW - timedelta(days=age)
        return Thought(id=name, kind=Kind.THOUGHT, text="x", at=at, uses=uses, importance=importance)

    thoughts = [thought("a", 365), thought("b", 364), thought("c", 500, uses=1), thought("d", 3650, importance=1.0)]
    assert retention.faded_thoughts(thoughts, NOW, settings) == ("a",)
    summaries = [Summary(id=str(age), day=NOW.date() - timedelta(days=age), text="x") for age in (364, 365)]
    assert retention.old_summaries(summaries, NOW.date(), settings) == ("365",)
    trips = [Trip(id=str(age), began_at=NOW - timedelta(days=age)) for age in (900, 800, 1)]
    assert retention.old_trips(trips, NOW, UTC, settings) == ("800",)


# Pruning


def unit(*parts: float) -> NDArray[np.float32]:
    vector = np.array(parts, np.float32)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def held(name: str, age: int, *, importance: float = 0.0, uses: int = 0) -> Held:
    return Held(name, NOW - timedelta(days=age), importance, uses)


VECTORS = {"a": unit(1, 0), "b": unit(0, 1), "c": unit(1, 0.2), "d": unit(0.1, 1)}
ASKED = np.stack([unit(1, 0.1)] * 3)
MEMORIES = [held("a", 40), held("b", 10), held("c", 30), held("d", 20)]


def test_the_two_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    lru = RoomSettings(prune=Prune.LRU, capacity=2)
    assert kept(MEMORIES, VECTORS, ASKED, lru) == {"b", "d"}
    monkeypatch.setattr(retention, "NEAREST", 2)
    monkeypatch.setattr(retention, "FRESH", 0.2)
    relevance = RoomSettings(prune=Prune.RELEVANCE, capacity=2)
    assert kept(MEMORIES, VECTORS, ASKED, relevance) == {"a", "c"}
    assert kept(MEMORIES, VECTORS, ASKED[:0], relevance) == {"b", "d"}
    monkeypatch.setattr(retention, "FRESH", 1.0)
    assert "a" not in kept(MEMORIES, VECTORS, ASKED, relevance)


def test_copies_of_one_answer_do_not_crowd_out_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    memories = [*(held(f"copy{n}", n) for n in range(5)), held("other", 99)]
    vectors = {m.id: unit(1, 0.001 * n) for n, m in enumerate(memories)} | {"other": unit(0, 1)}
    asked = np.stack([unit(1, 0), unit(1, 0), unit(0, 1)])
    monkeypatch.setattr(retention, "FRESH", 0.3)
    settings = RoomSettings(prune=Prune.RELEVANCE, capacity=2)
    assert kept(memories, vectors, asked, settings) == {"copy0", "other"}


@pytest.mark.parametrize("rule", Prune)
def test_what_does_not_fade_stays(rule: Prune) -> None:
    settings = RoomSettings(prune=rule, capacity=2)
    memories = [*MEMORIES, held("vital", 400, importance=1.0), held("often", 300, uses=LASTING_USES)]
    assert kept(memories, VECTORS, ASKED, settings) == {"vital", "often"}


@given(
    ages=st.lists(st.integers(0, 1000), max_size=30),
    capacity=st.integers(1, 30),
    rule=st.sampled_from(Prune),
    queries=st.integers(0, 3),
)
def test_as_many_stay_as_there_is_room_for(ages: Sequence[int], capacity: int, rule: Prune, queries: int) -> None:
    memories = [held(str(n), age) for n, age in enumerate(ages)]
    vectors = {m.id: unit(1, n) for n, m in enumerate(memories)}
    stay = kept(memories, vectors, ASKED[:queries], RoomSettings(prune=rule, capacity=capacity))
    assert len(stay) == min(len(memories), capacity) and stay <= {m.id for m in memories}
    assert stay == kept(memories[::-1], vectors, ASKED[:queries], RoomSettings(prune=rule, capacity=capacity))


# Links


def test_the_nearest_are_linked_and_the_older_ones_hear_of_new_ones() -> None:
    refreshed = partial(links.refreshed, most=2, at=0.5)
    vectors = {"a": unit(1, 0), "b": unit(1, 0.4), "far": unit(-1, 0)}
    first = refreshed(vectors, ["a", "b", "far"], {})
    assert first == {"a": ("b",), "b": ("a",), "far": ()}
    vectors |= {"c": unit(1, 0.3), "d": unit(1, 0.1)}
    later = refreshed(vectors, ["c", "d"], first)
    assert later == {"c": ("b", "d"), "d": ("a", "c"), "a": ("d", "c"), "b": ("c", "d")}
    kin = refreshed(vectors, ["a", "b"], {}, {"a": ("b", "x")})
    assert (kin["a"], kin["b"]) == (("d", "c"), ("c", "d"))
    assert refreshed(vectors, [], first) == {} == refreshed({}, ["x"], {})


@given(st.integers(2, 12), st.integers(1, 6), st.integers(0, 10_000))
def test_links_added_one_by_one_are_those_made_at_once(count: int, most: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    vectors = {str(n): unit(*rng.normal(size=4)) for n in range(count)}
    refreshed = partial(links.refreshed, most=most, at=0.1)
    linked: dict[str, tuple[str, ...]] = {}
    for n in range(count):
        linked |= refreshed({str(k): vectors[str(k)] for k in range(n + 1)}, [str(n)], linked)
    whole = refreshed(vectors, list(vectors), {})
    for name, others in whole.items():
        near = [round(float(vectors[name] @ vectors[o]), 5) for o in others]
        assert [round(float(vectors[name] @ vectors[o]), 5) for o in linked[name]] == near
        assert name not in others and len(others) <= most
