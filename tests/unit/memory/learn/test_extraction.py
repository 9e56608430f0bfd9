"""From a conversation to candidates: what is read, what is called, and what consent takes out."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pytest
from pydantic import ValidationError

from memory.learn import extraction
from memory.learn.calling import call, called, mentions
from memory.learn.extraction import Extraction, ExtractionSettings, Extractor
from models.runtime.fake_encoder import KeywordEncoder
from schemas.memory import Consent, Conversation, Outcome, Turn, Words
from schemas.preferences import BY_DETAIL, CATEGORIES, Mention, preference_model

NOW = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)


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
    *said: str,
    consent: Consent | None = None,
    settings: ExtractionSettings | None = None,
    confidence: float = 1.0,
) -> Extraction:
    turns = [
        Turn(speaker="driver", text=text, at=NOW + timedelta(minutes=n), confidence=confidence)
        for n, text in enumerate(said)
    ]
    return Extractor(encoder, settings or ExtractionSettings()).extract(
        Conversation(id="trip", turns=tuple(turns)), consent or Consent(), NOW
    )


JAZZ, FOOD, STATION = "favorite_genres", "favourite_cuisine", "preferred_radio_station"


def test_a_candidate_is_all_that_was_said() -> None:
    found = extract(KeywordEncoder(), "i love jazz music", confidence=0.8)
    (candidate,) = found.candidates
    assert (candidate.detail, candidate.value, candidate.sentence) == (JAZZ, "jazz", "i love jazz music")
    assert candidate.said_at == NOW and candidate.conversation == "trip" and not candidate.negated
    assert 0.5 < candidate.confidence <= 0.8 and found.decisions == ()


def test_the_assistant_s_words_are_never_read() -> None:
    turns = (Turn(speaker="assistant", text="do you love jazz music", at=NOW),)
    found = Extractor(KeywordEncoder()).extract(Conversation(id="c", turns=turns), Consent(), NOW)
    assert found == Extraction()


def test_orders_to_memory_are_not_read_at_all() -> None:
    assert extract(KeywordEncoder(), "stop remembering music", "what do you know about music") == Extraction()


def test_negations_are_marked() -> None:
    found = extract(KeywordEncoder(), "no more jazz for me")
    assert [c.negated for c in found.candidates] == [True]


def test_a_closed_value_that_cannot_be_told_is_dropped() -> None:
    text = "something about the fan"
    topics = {text: {"fan_speed_preferences": 0.9}}
    found = extract(Stated(topics), text)
    assert found.candidates == found.unsure == () and "could not tell which" in found.decisions[0].reason


def test_each_is_told_once() -> None:
    class Twice(KeywordEncoder):
        def words(self, text: str, detail: str) -> tuple[Words, ...]:
            return (*super().words(text, detail), Words(text="jazz music", probability=0.9))

    assert len(extract(Twice(), "i love jazz music").candidates) == 1


def test_words_that_were_not_said_are_not_taken() -> None:
    class Inventing(KeywordEncoder):
        def words(self, text: str, detail: str) -> tuple[Words, ...]:
            return (Words(text="polka", probability=0.9),)

    found = extract(Inventing(), "i love jazz music")
    assert found.candidates == found.unsure == () and "could not tell which" in found.decisions[0].reason


# Consent


def off(*keys: str) -> Consent:
    return Consent(opted_out=frozenset(keys))


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, frozenset[str]]]:
    """The category of each call, and what the call has a place for."""
    made: list[tuple[str, frozenset[str]]] = []

    def noted(detail: str, number: int, values: list[str], allowed: frozenset[str], turns: list[str]) -> list[str]:
        made.append((detail, allowed))
        return called(detail, number, values, allowed, turns)

    monkeypatch.setattr(extraction, "called", noted)
    return made


def test_a_forbidden_turn_is_not_read_and_its_categories_have_no_place_in_a_call(
    calls: list[tuple[str, frozenset[str]]],
) -> None:
    found = extract(KeywordEncoder(), "i love thai food", "i love jazz", consent=off("restaurant"))
    assert [detail for detail, _ in calls] == [JAZZ]
    assert calls[0][1] == {c.detail for c in CATEGORIES if c.sub != "restaurant" and not c.sensitive}
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
def test_what_belongs_to_a_forbidden_category(
    topics: Mapping[str, float], refused: bool, calls: list[tuple[str, frozenset[str]]]
) -> None:
    screened = Extractor(Stated({"x": topics})).screen("x", off(FOOD), NOW)
    assert (screened.forbidden, screened.reason is not None) == ((FOOD, True) if refused else (None, False))
    extract(Stated({"x": topics}), "x", consent=off(FOOD))
    assert not refused or calls == []
    assert all(FOOD not in allowed for _, allowed in calls)


@pytest.mark.parametrize("consent", [Consent(private_trip=True), Consent(paused_until=NOW + timedelta(hours=1))])
def test_nothing_is_called_while_nothing_may_be_remembered(
    consent: Consent, calls: list[tuple[str, frozenset[str]]]
) -> None:
    found = extract(KeywordEncoder(), "i love jazz", "what a day", consent=consent)
    assert calls == [] and [d.outcome for d in found.decisions] == [Outcome.REFUSED]


def test_sensitive_things_are_refused_until_asked_for() -> None:
    text = "i am vegan"
    found = extract(KeywordEncoder(), text)
    assert [d.detail for d in found.decisions] == ["dietary_preference"] and "sensitive" in found.decisions[0].reason
    asked = Consent(opted_in=frozenset({"dietary_preference"}))
    found = extract(KeywordEncoder(), text, consent=asked)
    assert [c.value for c in found.candidates] == ["vegan"]


# The call


MUSIC = [detail for detail, category in BY_DETAIL.items() if category.sub == "music"]
REST = [detail for detail in BY_DETAIL if detail not in MUSIC]


def mention(value: str, turn: int = 0) -> Mention:
    return Mention(turn=turn, value=value)


def test_a_call_is_an_instance_of_the_tree_of_what_may_be_remembered() -> None:
    made = call(
        {STATION: [mention("kiss fm", 1)], JAZZ: [mention("jazz"), mention("blues")]},
        BY_DETAIL,
        ["jazz and blues", "kiss fm"],
    )
    assert isinstance(made, preference_model(tuple(sorted(BY_DETAIL))))
    found = [(category.detail, one.turn, one.value) for category, one in mentions(made)]
    assert found == [(JAZZ, 0, "jazz"), (JAZZ, 0, "blues"), (STATION, 1, "kiss fm")]
    music = made.model_dump(exclude_none=True)["entertainment_and_media"]["music"]
    assert music[JAZZ][0] == {"turn": 0, "value": "jazz"}


@pytest.mark.parametrize("allowed", [REST, [d for d in BY_DETAIL if d != JAZZ], [STATION], []])
def test_a_forbidden_category_cannot_be_in_a_call(allowed: list[str]) -> None:
    schema = str(preference_model(tuple(sorted(allowed))).model_json_schema())
    assert JAZZ not in schema, "the model has no field for it"
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        call({JAZZ: [mention("jazz")]}, allowed, ["i love jazz"])
    assert called(JAZZ, 0, ["jazz"], allowed, ["i love jazz"]) == []


@pytest.mark.parametrize(("value", "turn"), [("polka", 0), ("jazz love", 0), ("jaz", 0), ("jazz", 1), ("jazz", 2)])
def test_a_value_that_was_not_said_in_its_turn_is_refused(value: str, turn: int) -> None:
    turns = ["i love jazz", "what a day"]
    with pytest.raises(ValueError, match="no run of words of its turn") as raised:
        call({JAZZ: [mention(value, turn)]}, BY_DETAIL, turns)
    assert value not in str(raised.value)
    assert called(JAZZ, turn, [value], BY_DETAIL, turns) == []


@pytest.mark.parametrize(("detail", "values", "valid"), [(JAZZ, ["jazz", "blues", "jazz blues", "and"], True),
                                                         (STATION, ["jazz"], True), (STATION, ["jazz", "blues"], False),
                                                         (JAZZ, [""], False), (JAZZ, [], True)])  # fmt: skip
def test_a_category_with_one_value_holds_one(detail: str, values: list[str], valid: bool) -> None:
    assert called(detail, 0, values, BY_DETAIL, ["jazz blues and jazz"]) == (values if valid else [])


def test_a_call_without_mentions_is_empty() -> None:
    for made in (call({}, BY_DETAIL, []), call({JAZZ: []}, REST, [])):
        assert not list(mentions(made)) and made.model_dump(exclude_none=True) == {}
