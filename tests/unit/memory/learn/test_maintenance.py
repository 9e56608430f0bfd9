"""Pass, update or append: what rules decide, what the language model decides, and what it may not."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import BaseModel

from memory.learn.maintenance import SAME_AT, Maintainer, Ruling
from models.runtime.fake_encoder import KeywordEncoder
from schemas.errors import GenerationError
from schemas.memory import Candidate, MaintenanceChoice, Outcome, Preference, usual

NOW = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)


class Model:
    """A fake language model: always the same choice, or a failure; remembers what it was asked."""

    def __init__(self, choice: MaintenanceChoice | None) -> None:
        self.choice = choice
        self.facts: list[tuple[str, ...]] = []

    def fill(self, task: str, model: type[BaseModel], *, turns: Sequence[str], facts: Sequence[str] = ()) -> BaseModel:
        assert task == "maintain" and model is MaintenanceChoice and len(turns) == 1
        self.facts.append(tuple(facts))
        if self.choice is None:
            raise GenerationError("no")
        return self.choice


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


def decide(
    new: Candidate, existing: Sequence[Preference], model: Model | None = None, encoder: Encoder | None = None
) -> Ruling:
    return Maintainer(encoder or Encoder(), model or Model(None)).decide(new, existing)


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
    for choice in ("append", "pass", "update"):
        model = Model(MaintenanceChoice(decision=choice, entry=0))
        ruling = decide(candidate(new, "i like it so", detail), stored(old, detail=detail), model, close)
        assert ruling.outcome is Outcome.UPDATE and replaced(ruling) == [old] and ruling.store and not model.facts


def test_a_multi_category_takes_one_more_without_asking() -> None:
    model = Model(None)
    ruling = decide(candidate("greek", "i love greek food"), stored("thai", "italian"), model)
    assert ruling.outcome is Outcome.APPEND and ruling.reason == "greek joins thai and italian" and not model.facts


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
def test_a_changed_mind_replaces_the_only_one_and_asks_among_several(sentence: str) -> None:
    model = Model(MaintenanceChoice(decision="update", entry=1))
    ruling = decide(candidate("thai", sentence), stored("italian"), model)
    assert ruling.outcome is Outcome.UPDATE and replaced(ruling) == ["italian"] and not model.facts
    ruling = decide(candidate("thai", sentence), stored("greek", "italian"), model)
    assert ruling.outcome is Outcome.UPDATE and replaced(ruling) == ["italian"]
    assert model.facts == [("category: favourite_cuisine", "0: greek", "1: italian", "new: thai")]


def test_a_better_known_value_that_replaces_another_is_merged_and_ends_it() -> None:
    ruling = decide(candidate("thai", "thai instead of italian"), stored("thai", "italian"))
    assert ruling.outcome is Outcome.UPDATE and ruling.equal is not None and replaced(ruling) == ["italian"]


@pytest.mark.parametrize("sentence", ["thai instead", "thai is my new favourite", "from now on thai"])
def test_what_may_be_a_changed_mind_is_asked(sentence: str) -> None:
    new = candidate("thai", sentence)
    update, append = MaintenanceChoice(decision="update", entry=0), MaintenanceChoice(decision="append")
    for choice, outcome in ((update, Outcome.UPDATE), (append, Outcome.APPEND)):
        model = Model(choice)
        assert decide(new, stored("italian"), model).outcome is outcome and len(model.facts) == 1
    assert decide(new, stored("greek", "italian"), Model(update)).outcome is Outcome.APPEND


def test_the_model_cannot_replace_what_nobody_gave_up() -> None:
    near = Encoder(italian=0.91)
    model = Model(MaintenanceChoice(decision="update", entry=0))
    ruling = decide(candidate("sicilian", "i love sicilian food"), stored("italian"), model, near)
    assert model.facts and ruling.outcome is Outcome.APPEND


def test_the_model_cannot_call_different_things_the_same() -> None:
    model = Model(MaintenanceChoice(decision="pass", entry=1))
    new = candidate("greek", "these days i love greek food")
    assert decide(new, stored("thai", "italian"), model).outcome is Outcome.APPEND
    assert decide(new, stored("thai", "italian"), model, Encoder(italian=0.91)).outcome is Outcome.PASS


def test_little_words_in_common_do_not_make_two_names_the_same() -> None:
    model = Model(MaintenanceChoice(decision="pass", entry=0))
    held = stored("waltz of the snow by the otters", detail="favorite_songs")
    song = candidate("river by the lake by anna", "lately it's river by the lake by anna", "favorite_songs")
    assert decide(song, held, model).outcome is Outcome.APPEND
    same = candidate("waltz of snow", "lately it's waltz of snow", "favorite_songs")
    assert decide(same, held, model).outcome is Outcome.PASS
    assert len(model.facts) == 2


def test_one_more_road_to_avoid_from_now_on_does_not_free_another() -> None:
    model = Model(MaintenanceChoice(decision="update", entry=0))
    detail = "avoidance_of_specific_road_types"
    tolls = candidate("toll roads", "no toll roads from now on", detail)
    assert decide(tolls, stored("highways", detail=detail), model).outcome is Outcome.APPEND


@pytest.mark.parametrize("entry", [None, 9])
def test_a_choice_without_a_usable_entry_means_the_nearest(entry: int | None) -> None:
    model = Model(MaintenanceChoice(decision="pass", entry=entry))
    ruling = decide(candidate("sicilian", "i love sicilian"), stored("thai", "italian"), model, Encoder(italian=0.91))
    assert ruling.outcome is Outcome.PASS and ruling.equal is not None and ruling.equal.value == "italian"


def test_without_the_model_both_are_kept() -> None:
    new = candidate("greek", "these days i love greek food")
    assert decide(new, stored("thai"), Model(None)).outcome is Outcome.APPEND


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
