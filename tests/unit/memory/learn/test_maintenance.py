"""Pass, update or append, by rules."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
import pytest
from numpy.typing import NDArray

from memory.learn.english.conditions import condition
from memory.learn.maintenance import RELATED_AT, SAME_AT, Maintainer, Ruling
from models.runtime.fake_encoder import KeywordEncoder
from schemas.kinds import Label
from schemas.memory import Candidate, Outcome, Preference, Sense, usual

NOW = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)


class Encoder(KeywordEncoder):
    """A fake encoder to which stated pairs of values are as close as stated."""

    def __init__(self, **closeness: float) -> None:
        self.closeness = closeness

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.zeros((len(texts), 16), np.float32)
        vectors[0, 0] = 1.0
        for row, text in enumerate(texts[1:], start=1):
            close = self.closeness.get(text.rsplit(": ", 1)[-1].replace(" ", "_"), 0.0)
            vectors[row, 0], vectors[row, row] = close, np.sqrt(1 - close**2)
        return vectors


def stored(*values: str, detail: str = "favourite_cuisine") -> tuple[Preference, ...]:
    return tuple(
        Preference(
            id=value,
            detail=detail,
            value=value,
            sentences=("s",),
            conversation="c",
            confidence=1.0,
            valid_from=NOW,
            sense=usual(detail),
        )
        for value in values
    )


def candidate(value: str, sentence: str, detail: str = "favourite_cuisine", *, negated: bool = False) -> Candidate:
    return Candidate(
        detail=detail, value=value, sentence=sentence, said_at=NOW, conversation="d", confidence=1.0, negated=negated,
        sense=usual(detail),
    )  # fmt: skip


def decide(new: Candidate, existing: Sequence[Preference], encoder: Encoder | None = None) -> Ruling:
    return Maintainer(encoder or Encoder()).decide(new, existing)


def replaced(ruling: Ruling) -> list[str]:
    return [p.value for p in ruling.replaced]


def test_the_first_is_appended() -> None:
    ruling = decide(candidate("italian", "i love italian food"), ())
    assert ruling.outcome is Outcome.APPEND and "new to me" in ruling.reason


@pytest.mark.parametrize("value", ["italian", "the italian", "Italian", "italians"])
def test_an_equal_value_passes_whatever_else_is_stored(value: str) -> None:
    ruling = decide(candidate(value, f"i love {value} food"), stored("thai", "italian", "greek"))
    assert ruling.outcome is Outcome.PASS and ruling.equal is not None and ruling.equal.value == "italian"


def test_a_value_that_means_the_same_passes() -> None:
    close = Encoder(italian=SAME_AT + 0.01)
    ruling = decide(candidate("pasta and pizza", "i love pasta and pizza"), stored("thai", "italian"), encoder=close)
    assert ruling.outcome is Outcome.PASS and ruling.equal is not None and ruling.equal.value == "italian"


@pytest.mark.parametrize(("old", "new", "detail"), [("21 degrees", "22 degrees", "preferred_temperature"),
                                                    ("low", "high", "fan_speed_preferences"),
                                                    ("yes", "no", "preference_for_covered_parking"),
                                                    ("spotify", "tidal", "preferred_music_streaming_service")])  # fmt: skip
def test_a_single_category_is_updated_never_appended(old: str, new: str, detail: str) -> None:
    close = Encoder(**{old.replace(" ", "_"): 0.99 if detail != "preferred_music_streaming_service" else 0.1})
    ruling = decide(candidate(new, "i like it so", detail), stored(old, detail=detail), close)
    assert ruling.outcome is Outcome.UPDATE and replaced(ruling) == [old] and ruling.store


def test_a_multi_category_takes_one_more() -> None:
    ruling = decide(candidate("greek", "i love greek food"), stored("thai", "italian"))
    assert ruling.outcome is Outcome.APPEND and ruling.reason == "greek joins thai and italian"


@pytest.mark.parametrize("sentence", [
    "thai instead of italian please", "i prefer thai to italian now", "i like thai better than italian these days",
    "thai rather than italian from now on", "i'd rather eat thai than italian", "i switched from italian to thai",
    "no more italian i like thai now", "i'm done with italian it's thai for me", "swap italian for thai",
    "thai has replaced italian",
    "i don't want italian any longer but thai", "i used to like italian but now it's thai",
])  # fmt: skip
def test_a_named_replacement_is_an_update_of_just_that(sentence: str) -> None:
    ruling = decide(candidate("thai", sentence), stored("greek", "italian"))
    assert ruling.outcome is Outcome.UPDATE and replaced(ruling) == ["italian"] and ruling.store
    assert ruling.reason == "thai takes the place of italian"


@pytest.mark.parametrize("sentence", ["i've switched to thai", "my taste has changed i love thai"])
def test_a_changed_mind_replaces_the_only_one_and_joins_several(sentence: str) -> None:
    ruling = decide(candidate("thai", sentence), stored("italian"))
    assert ruling.outcome is Outcome.UPDATE and replaced(ruling) == ["italian"]
    assert decide(candidate("thai", sentence), stored("greek", "italian")).outcome is Outcome.APPEND


def test_a_better_known_value_that_replaces_another_is_merged_and_ends_it() -> None:
    ruling = decide(candidate("thai", "thai instead of italian"), stored("thai", "italian"))
    assert ruling.outcome is Outcome.UPDATE and ruling.equal is not None and replaced(ruling) == ["italian"]


@pytest.mark.parametrize(
    "sentence", ["thai instead", "thai is my new favourite", "from now on thai", "these days i love thai"]
)
def test_what_gives_nothing_up_joins(sentence: str) -> None:
    assert decide(candidate("thai", sentence), stored("italian")).outcome is Outcome.APPEND


BY_OTTERS = "waltz of snow by the otters"


@pytest.mark.parametrize(("new", "held", "close", "same"), [
    ("waltz of snow", BY_OTTERS, RELATED_AT + 0.01, True),
    (BY_OTTERS, "waltz of snow", RELATED_AT + 0.01, True),
    ("waltz of snow", BY_OTTERS, RELATED_AT - 0.01, True),  # only one tells who sings it
    ("waltz of snow by the crows", BY_OTTERS, RELATED_AT - 0.01, False),
    ("snow by the otters", BY_OTTERS, RELATED_AT - 0.01, False),  # too far apart, and nothing in the sentence leaves it open
    ("waltz of rain", "waltz of snow", RELATED_AT + 0.01, False),
    ("river by the lake", BY_OTTERS, RELATED_AT + 0.01, False),  # little words in common
])  # fmt: skip
def test_a_value_all_of_whose_words_stand_in_another_is_the_same(new: str, held: str, close: float, same: bool) -> None:
    near = Encoder(**{held.replace(" ", "_"): close})
    ruling = decide(
        candidate(new, f"i love {new}", "favorite_songs"), stored("tango", held, detail="favorite_songs"), near
    )
    assert ruling.outcome is (Outcome.PASS if same else Outcome.APPEND)
    assert (ruling.equal is not None and ruling.equal.value == held) is same


def test_a_sentence_of_how_things_are_now_may_tell_it_again_in_fewer_words() -> None:
    again = candidate("waltz of snow", "lately it's waltz of snow", "favorite_songs")
    assert decide(again, stored(BY_OTTERS, detail="favorite_songs")).outcome is Outcome.PASS


def test_one_more_road_to_avoid_from_now_on_does_not_free_another() -> None:
    detail = "avoidance_of_specific_road_types"
    tolls = candidate("toll roads", "no toll roads from now on", detail)
    assert decide(tolls, stored("highways", detail=detail)).outcome is Outcome.APPEND


@pytest.mark.parametrize("detail", ["favourite_cuisine", "preferred_radio_station"])
def test_what_ended_is_superseded_by_nothing(detail: str) -> None:
    new = candidate("heart", "no more heart for me", detail, negated=True)
    ruling = decide(new, stored("heart", detail=detail))
    assert ruling.outcome is Outcome.UPDATE and replaced(ruling) == ["heart"] and not ruling.store


@pytest.mark.parametrize("existing", [(), ("thai",), ("thai", "greek")])
def test_the_end_of_what_is_not_stored_is_dropped(existing: tuple[str, ...]) -> None:
    ruling = decide(candidate("italian", "no more italian", negated=True), stored(*existing))
    assert ruling.outcome is Outcome.DROPPED and not ruling.replaced


def test_every_reason_is_a_sentence_about_values_only() -> None:
    for new, existing in [
        (candidate("a", "i love a"), ()),
        (candidate("a", "i love a"), stored("a")),
        (candidate("a", "a instead of b"), stored("b", "c", "d", "e")),
        (candidate("a", "no more a", negated=True), stored("b")),
    ]:
        assert len(decide(new, existing).reason.split()) > 3


def test_what_is_disliked_without_a_condition_is_liked_under_none_and_the_other_way_round_both_stay() -> None:
    (jazz,) = stored("jazz", detail="favorite_genres")
    mornings = jazz.model_copy(update={"conditions": (condition(Label.TIME, "in the morning"),)})
    never = candidate("jazz", "i can't stand jazz", "favorite_genres").model_copy(update={"sense": Sense.DISLIKES})
    assert decide(never, [mornings]).replaced == (mornings,)
    evenings = never.model_copy(update={"conditions": (condition(Label.TIME, "in the evening"),)})
    assert decide(evenings, [mornings]).outcome is Outcome.APPEND
