"""From a conversation to candidates: what the language model sees, and what of its answer is believed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import BaseModel

from memory.learn.extraction import Extraction, ExtractionSettings, Extractor
from models.runtime.fake_encoder import KeywordEncoder
from schemas.memory import Consent, Conversation, Outcome, Turn
from schemas.preferences import BY_DETAIL, CATEGORIES

NOW = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
Said = tuple[str, int, str]
"""Detail key, number of the turn, value: a mention as the scripted model writes it."""


class Scripted:
    """A fake language model that writes down what it is told to, whatever was said."""

    def __init__(self, *answers: Sequence[Said] | Exception) -> None:
        self.answers = list(answers)
        self.seen: list[tuple[str, ...]] = []
        self.offered: list[set[str]] = []

    def fill(self, task: str, model: type[BaseModel], *, turns: Sequence[str], facts: Sequence[str] = ()) -> BaseModel:
        assert task == "extract" and not facts
        self.seen.append(tuple(turns))
        parts = model.model_json_schema().get("$defs", {}).values()
        self.offered.append({name for part in parts for name in part.get("properties", {})} & set(BY_DETAIL))
        answer = self.answers.pop(0) if self.answers else ()
        if isinstance(answer, Exception):
            raise answer
        filled: dict[str, Any] = {}
        for detail, turn, value in answer:
            main, sub, _ = BY_DETAIL[detail].path
            filled.setdefault(main, {}).setdefault(sub, {}).setdefault(detail, []).append(
                {"turn": turn, "value": value}
            )
        return model.model_validate(filled)


class Stated(KeywordEncoder):
    """A fake encoder with stated topics for stated texts; everything else tells nothing."""

    def __init__(self, topics: Mapping[str, Mapping[str, float]]) -> None:
        super().__init__()
        self.stated = topics

    def topics(self, text: str) -> dict[str, float]:
        stated = self.stated.get(text, {})
        rest = 1.0 - sum(stated.values())
        return {**{c.detail: 0.0 for c in CATEGORIES}, **stated, "none": rest}


def extract(
    encoder: KeywordEncoder,
    model: Scripted,
    *said: str,
    consent: Consent | None = None,
    settings: ExtractionSettings | None = None,
    confidence: float = 1.0,
) -> Extraction:
    turns = [
        Turn(speaker="driver", text=text, at=NOW + timedelta(minutes=n), confidence=confidence)
        for n, text in enumerate(said)
    ]
    return Extractor(encoder, model, settings or ExtractionSettings()).extract(
        Conversation(id="trip", turns=tuple(turns)), consent or Consent(), NOW
    )


JAZZ, FOOD = "favorite_genres", "favourite_cuisine"


def test_a_candidate_is_all_that_was_said() -> None:
    found = extract(KeywordEncoder(), Scripted([(JAZZ, 0, "jazz music")]), "i love jazz music", confidence=0.8)
    (candidate,) = found.candidates
    assert (candidate.detail, candidate.value, candidate.sentence) == (JAZZ, "jazz", "i love jazz music")
    assert candidate.said_at == NOW and candidate.conversation == "trip" and not candidate.negated
    assert 0.5 < candidate.confidence <= 0.8 and found.decisions == ()


def test_the_assistant_s_words_are_never_read() -> None:
    model = Scripted()
    turns = (Turn(speaker="assistant", text="do you love jazz music", at=NOW),)
    made = Extractor(KeywordEncoder(), model, ExtractionSettings())
    found = made.extract(Conversation(id="c", turns=turns), Consent(), NOW)
    assert found == Extraction() and model.seen == []


def test_orders_to_memory_are_not_read_at_all() -> None:
    model = Scripted([(JAZZ, 0, "music")])
    assert extract(KeywordEncoder(), model, "stop remembering music", "what do you know about music") == Extraction()
    assert model.seen == []


def test_negations_are_marked() -> None:
    found = extract(KeywordEncoder(), Scripted([(JAZZ, 0, "jazz")]), "no more jazz for me")
    assert [c.negated for c in found.candidates] == [True]


def test_a_closed_value_that_cannot_be_told_is_dropped() -> None:
    text = "something about the fan"
    topics = {text: {"fan_speed_preferences": 0.9}}
    found = extract(Stated(topics), Scripted(), text)
    assert found.candidates == found.unsure == () and "could not tell which" in found.decisions[0].reason


def test_each_is_told_once() -> None:
    found = extract(KeywordEncoder(), Scripted([(JAZZ, 0, "jazz"), (JAZZ, 0, "jazz music")]), "i love jazz music")
    assert len(found.candidates) == 1


# Consent


def off(*keys: str) -> Consent:
    return Consent(opted_out=frozenset(keys))


def test_a_forbidden_turn_is_not_shown_and_its_categories_are_not_offered() -> None:
    model = Scripted([(JAZZ, 0, "jazz")])
    found = extract(KeywordEncoder(), model, "i love thai food", "i love jazz", consent=off("restaurant"))
    assert not [text for turns in model.seen for text in turns if "thai" in text]
    assert not set[str]().union(*model.offered) & {c.detail for c in CATEGORIES if c.sub == "restaurant"}
    (decision,) = found.decisions
    assert decision.outcome is Outcome.REFUSED and decision.detail == FOOD and "thai" not in decision.reason
    assert [c.value for c in found.candidates] == ["jazz"]


@pytest.mark.parametrize(("topics", "refused"), [
    ({FOOD: 0.5, "fast_food_preference": 0.3}, True),
    ({FOOD: 0.3, "fast_food_preference": 0.5}, True),  # nearly half of what it may be is forbidden: it would spill
    ({FOOD: 0.06, "fast_food_preference": 0.8}, True),  # the driver has switched it off: not as its neighbour, either
    ({FOOD: 0.01, "fast_food_preference": 0.8}, False),
    ({FOOD: 0.06}, False),  # tells nothing, most likely
    ({FOOD: 0.11}, True),
])  # fmt: skip
def test_what_belongs_to_a_forbidden_category(topics: Mapping[str, float], refused: bool) -> None:
    model = Scripted()
    screened = Extractor(Stated({"x": topics}), model).screen("x", off(FOOD), NOW)
    assert (screened.forbidden, screened.reason is not None) == ((FOOD, True) if refused else (None, False))
    extract(Stated({"x": topics}), model, "x", consent=off(FOOD))
    assert not refused or model.seen == []
    assert all(FOOD not in offered for offered in model.offered)


@pytest.mark.parametrize("consent", [Consent(private_trip=True), Consent(paused_until=NOW + timedelta(hours=1))])
def test_nothing_is_asked_of_the_model_while_nothing_may_be_remembered(consent: Consent) -> None:
    model = Scripted()
    found = extract(KeywordEncoder(), model, "i love jazz", "what a day", consent=consent)
    assert model.seen == [] and [d.outcome for d in found.decisions] == [Outcome.REFUSED]


def test_sensitive_things_are_refused_until_asked_for() -> None:
    text = "i am vegan"
    found = extract(KeywordEncoder(), Scripted(), text)
    assert [d.detail for d in found.decisions] == ["dietary_preference"] and "sensitive" in found.decisions[0].reason
    asked = Consent(opted_in=frozenset({"dietary_preference"}))
    found = extract(KeywordEncoder(), Scripted([("dietary_preference", 0, "vegan")]), text, consent=asked)
    assert [c.value for c in found.candidates] == ["vegan"]
