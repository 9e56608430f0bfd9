"""One way of writing each value."""

from __future__ import annotations

import pytest

from memory.learn.calling import unbroken
from memory.learn.english.canonical import (
    Canon,
    bare_name,
    fold,
    is_closed,
    plain_value,
    polarity,
    refuses_another_level,
    said_by_refusing,
    temperature,
    turned_down,
    wanted_by_refusing,
)
from memory.learn.english.kinds import KINDS, plausible
from memory.learn.english.negation import Polarity
from memory.learn.english.phrasings import SAID_AS
from memory.learn.english.vocabulary import CLOSED
from models.runtime.fake_encoder import KeywordEncoder
from schemas.preferences import BY_DETAIL

WALK, FUEL = "distance_willing_to_walk_from_parking_to_destination", "price_sensitivity_for_fuel"


def canonical(detail: str, said: str, sentence: str | None = None, encoder: KeywordEncoder | None = None) -> str | None:
    return Canon(encoder or KeywordEncoder()).canonical(detail, said, sentence)


@pytest.mark.parametrize(("said", "value"), [
    ("twenty two degrees", "22 degrees"), ("22 degrees", "22 degrees"), ("22", "22 degrees"), ("22°C", "22 degrees"),
    ("twenty-one", "21 degrees"), ("nineteen degrees", "19 degrees"), ("twenty and a half degrees", "20.5 degrees"),
    ("twenty one point five", "21.5 degrees"), ("21.5 degrees", "21.5 degrees"), ("twenty", "20 degrees"),
    ("warm", None), ("two", None), ("half seven", None), ("35 degrees", None),
    ("ninety degrees", None), ("100 degrees", None), ("fifty degrees", None),
    ("seventy two degrees", "22 degrees"), ("68 fahrenheit", "20 degrees"), ("seventy", "21 degrees"),
    ("eighty five", "29.5 degrees"),
])  # fmt: skip
def test_temperatures(said: str, value: str | None) -> None:
    assert temperature(said) == value


@pytest.mark.parametrize(("detail", "said", "sentence", "value"), [
    ("fan_speed_preferences", "high", "i don't want the fan on high any more", "high"),
    ("interior_lighting_brightness_preferences", "rather dark", "it should be rather dark in here", "low"),
    ("desired_price_range", "spend much", "i don't like to spend much on a meal", "cheap"),
    ("desired_price_range", "money is no object", "money is no object when i go out", "expensive"),
    ("desired_price_range", "not too cheap and not too expensive", "not too cheap and not too expensive", "mid range"),
    ("price_sensitivity_for_fuel", "doesn't matter", "the price of petrol doesn't matter to me", "price is irrelevant"),
    ("price_sensitivity_for_fuel", "the cheapest", "always the cheapest petrol", "always cheapest"),
    ("willingness_to_pay_extra_for_green_fuel", "happy to pay more", "i'm happy to pay more for green fuel", "yes"),
    ("willingness_to_pay_extra_for_green_fuel", "not paying extra", "i'm not paying extra for green fuel", "no"),
    ("need_for_handicapped_accessible_parking", "a wheelchair", "i use a wheelchair", "yes"),
    ("preferred_type_of_charging_while_traveling", "as quick as possible", "charging must be as quick as possible",
     "fast charging"),
    ("preference_for_local_markets_farms_or_supermarket", "straight from the farmer", "i buy straight from the farmer",
     "local markets"),
])  # fmt: skip
def test_closed_values_by_rule(detail: str, said: str, sentence: str, value: str) -> None:
    assert is_closed(detail) and canonical(detail, said, sentence) == value


@pytest.mark.parametrize(("detail", "said", "value"), [
    ("favourite_cuisine", "italian food", "italian"), ("favourite_cuisine", "the Thai kitchen", "thai"),
    ("favourite_cuisine", "uyghur food", "uyghur"), ("favorite_genres", "some jazz music", "jazz"),
    ("favorite_artists_or_bands", "The Beatles", "the beatles"), ("favorite_songs", "hey jude", "hey jude"),
    ("preferred_supermarket_chain", "aldi stores", "aldi"), ("preferred_supermarket_chain", "corner shop", "corner shop"),
    ("general_news_source", "the b b c", "bbc"), ("general_news_source", "b b c news", "bbc"),
    ("general_news_source", "fox news", "fox news"), ("preferred_radio_station", "virgin radio", "virgin radio"),
    ("avoidance_of_specific_road_types", "the motorway", "highways"), ("dietary_preference", "meat", "vegetarian"),
    ("dietary_preference", "allergic to nuts", "nut free"), ("airflow_direction_preferences", "my feet", "feet"),
    ("interior_lighting_color_preferences", "a blue light", "blue"), ("preferred_payment_method", "with my card", "card"),
    ("charging_station_onsite_amenities", "a coffee shop", "cafe"), ("preferred_parking_type", "a multi storey", "parking garage"),
    ("favorite_genres", "pop radio station", "pop"), ("preferred_music_streaming_service", "the tidewave service", "tidewave"),
    ("favorite_artists_or_bands", "Mira Halloran (Pop/Folk)", "mira halloran"),
    (WALK, "less than 5 min (accepting a higher cost)", "less than 5 minutes"),
])  # fmt: skip
def test_listed_values(detail: str, said: str, value: str) -> None:
    assert canonical(detail, said) == value


@pytest.mark.parametrize(("detail", "said"), [
    ("favorite_podcast_genres", "podcasts"), ("favourite_cuisine", "the food"), ("favorite_genres", "some music"),
    ("preferred_radio_station", "the radio"), ("preferred_gas_station", "a petrol station"), (WALK, "a purple elephant"),
])  # fmt: skip
def test_words_that_only_name_the_kind_are_no_value(detail: str, said: str) -> None:
    assert canonical(detail, said) is None


def test_equal_values_fold_to_one() -> None:
    for one, other in [("Burgers", "a burger"), ("ferries", "ferry"), ("b b c", "BBC"), ("The Beatles", "beatles"),
                       ("sandwiches", "sandwich")]:  # fmt: skip
        assert fold(one) == fold(other)
    assert fold("jazz") != fold("jazz fm") and fold("bus") == "bus" and fold("swiss") == "swiss"


def test_every_table_names_categories_and_values_of_the_tree() -> None:
    for detail, closed in CLOSED.items():
        known = set(BY_DETAIL[detail].examples)
        assert set(closed.values) == known and not BY_DETAIL[detail].multi
        assert {value for _, value in closed.patterns} <= known
        assert set((closed.flips or {}).values()) <= known
    assert set(SAID_AS) <= set(BY_DETAIL) and not set(SAID_AS) & set(CLOSED)


def test_every_example_of_the_tree_is_its_own_canonical_value() -> None:
    for detail, category in BY_DETAIL.items():
        for example in category.examples:
            assert canonical(detail, example) == example, detail
            if detail not in CLOSED:
                assert plain_value(detail, example) == example


def test_polarities() -> None:
    assert polarity("favorite_genres", "jazz") is Polarity.PLAIN
    assert polarity("avoidance_of_specific_road_types", "highways") is Polarity.AVOIDED
    assert polarity("preference_for_covered_parking", "a roof") is Polarity.ANSWER
    assert polarity("fan_speed_preferences", "high") is Polarity.STATED
    assert polarity("dietary_preference", "vegan") is Polarity.PLAIN
    assert polarity("dietary_preference", "no onions") is Polarity.STATED
    assert polarity("dietary_preference", "meat") is Polarity.AVOIDED


COVERED, GUARDED = "preference_for_covered_parking", "preference_for_parking_with_security"


@pytest.mark.parametrize(("detail", "sentence", "value"), [
    (COVERED, "i don't really mind whether it's covered", "indifferent"),
    (COVERED, "roof or no roof it makes no difference to me", "indifferent"),
    (GUARDED, "guarded or not who cares", "indifferent"),
])  # fmt: skip
def test_no_preference_is_another_thing_than_a_refusal(detail: str, sentence: str, value: str) -> None:
    assert canonical(detail, sentence) == value
    assert not turned_down(detail, value, sentence, sentence)


class Sure(KeywordEncoder):
    """A fake encoder that is sure of one value of every closed category."""

    def __init__(self, value: str) -> None:
        super().__init__()
        self.value = value

    def choices(self, text: str, detail: str) -> dict[str, float]:
        return {self.value: 0.9, "another": 0.1}


@pytest.mark.parametrize(("detail", "sentence", "heard", "value"), [
    ("fan_speed_preferences", "turn it up i don't want the fan low", "low", "high"),
    ("fan_speed_preferences", "i like the fan low", "low", "low"),
    ("seat_heating_preferences", "my seat should not be too hot", "high", "medium"),
    ("interior_lighting_brightness_preferences", "avoid having it bright at night", "high", "low"),
    ("desired_price_range", "places that aren't expensive", "expensive", "cheap"),
    ("desired_price_range", "not too pricey please", "expensive", "mid range"),
    ("desired_price_range", "avoid cheap places", "cheap", "mid range"),
    ("fan_speed_preferences", "i don't want the fan low any more", "low", "low"),
    ("willingness_to_take_longer_route_to_avoid_traffic", "keep me out of jams even if it takes longer", "no", "yes"),
    ("willingness_to_take_longer_route_to_avoid_traffic", "avoid traffic at all costs", "no", "yes"),
    ("willingness_to_take_longer_route_to_avoid_traffic", "i want the fastest way not some detours", "yes", "no"),
    ("interior_lighting_brightness_preferences", "not too dim and not too bright", "medium", "medium"),
    (WALK, "the free lot even if i have to walk half an hour", "less than 10 minutes", "distance does not matter"),
    (WALK, "the cheapest garage no matter how far", "less than 10 minutes", "distance does not matter"),
    (WALK, "no more than five minutes on foot", "less than 5 minutes", "less than 5 minutes"),
    (FUEL, "good quality before the price at the pump", "rather cheap", "price is irrelevant"),
    (FUEL, "skip the cheapest petrol please", "always cheapest", "price is irrelevant"),
    (FUEL, "the cheapest petrol please", "always cheapest", "always cheapest"),
    (FUEL, "what it costs yes the price does matter", "price is irrelevant", "rather cheap"),
])  # fmt: skip
def test_a_level_that_is_refused_by_its_name_is_another(detail: str, sentence: str, heard: str, value: str) -> None:
    assert canonical(detail, "it", f"{sentence}", Sure(heard)) == value


@pytest.mark.parametrize(("detail", "value", "sentence", "said", "down"), [
    ("preferred_payment_method", "cash", "places that don't take cash", "cash", True),
    ("preferred_payment_method", "cash", "places that don't take cash", "don't take cash", True),
    ("preferred_payment_method", "cash", "i pay cash", "cash", False),
    ("preferred_parking_type", "on street", "a space that's not on the street", "not on the street", True),
    ("preferred_type_of_charging_while_traveling", "dc", "a station that does not have dc", "dc", True),
    ("preferred_type_of_charging_while_traveling", "dc", "i charge with dc", "dc", False),
    (COVERED, "yes", "never want the sun on my seats", "never want the sun on my seats", True),
    ("tolerance_for_traffic", "low", "traffic no thanks", "no thanks", False),
])  # fmt: skip
def test_what_is_turned_down(detail: str, value: str, sentence: str, said: str, down: bool) -> None:
    assert turned_down(detail, value, sentence, said) is down


@pytest.mark.parametrize(("detail", "sentence", "value"), [
    ("seat_heating_preferences", "i always want my seat on heat level one in the mornings", "low"),
    ("seat_heating_preferences", "setting two for the seat please", "medium"),
    ("fan_speed_preferences", "keep the blower at level two", "low"),
    ("fan_speed_preferences", "the fan belongs on level 5", "high"),
    ("seat_heating_preferences", "not level three that burns", "low"),
])  # fmt: skip
def test_a_level_by_its_number_counts_whatever_the_encoder_makes_of_it(detail: str, sentence: str, value: str) -> None:
    sure_of_another = "low" if "not" in sentence or value == "high" else "high"
    assert canonical(detail, "it", sentence, Sure(sure_of_another)) == value


def test_a_level_that_is_named_itself_and_refused_is_another() -> None:
    assert canonical("fan_speed_preferences", "low", "make it stronger i don't want it low") == "high"
    assert canonical("fan_speed_preferences", "low", "i want it low") == "low"


@pytest.mark.parametrize(("detail", "value", "sentence", "refusing"), [
    (FUEL, "price is irrelevant", "ignore what the petrol costs", True),
    (WALK, "distance does not matter", "i'm no longer after a short walk", True),
    ("tolerance_for_traffic", "low", "i can't stand these queues any longer", True),
    ("tolerance_for_traffic", "low", "i'm no longer patient with jams", True),
    ("tolerance_for_traffic", "low", "jams annoy me", False),
    ("tolerance_for_traffic", "high", "i'm no longer patient with jams", False),
    ("fan_speed_preferences", "low", "i can't stand it", False),
])  # fmt: skip
def test_a_value_said_in_refusing_words(detail: str, value: str, sentence: str, refusing: bool) -> None:
    assert said_by_refusing(detail, value, sentence) is refusing


def test_a_refused_level_says_nothing_of_another() -> None:
    assert refuses_another_level("fan_speed_preferences", "high", "turn it up i don't want it low")
    assert not refuses_another_level("fan_speed_preferences", "low", "turn it up i don't want it low")
    assert not refuses_another_level("tolerance_for_traffic", "high", "i don't want it low")


def test_words_that_name_nothing_are_no_value() -> None:
    assert not plausible("favorite_artists_or_bands", "tbh") and not plausible(
        "preferred_charging_network", "to 80 percent"
    )
    assert not plausible("preferred_charging_network", "80 percent") and plausible(
        "preferred_temperature", "20 degrees"
    )
    assert plausible("favorite_artists_or_bands", "at the drive in") and plausible(
        "preferred_charging_network", "ionity"
    )


def test_kinds_are_plausible_and_names_are_free() -> None:
    assert plausible("favourite_cuisine", "west african") and not plausible("favourite_cuisine", "napkin")
    assert plausible("dietary_preference", "gluten free") and not plausible("dietary_preference", "cosmetics")
    assert plausible("favorite_artists_or_bands", "cosmetics")
    for detail in KINDS:
        assert all(plausible(detail, example) for example in BY_DETAIL[detail].examples)


@pytest.mark.parametrize(("text", "value", "whole"), [
    ("the wi-fi must be good", "wi", "wi-fi"), ("I like lo-fi beats", "fi", "lo-fi"), ("hip-hop", "hip hop", "hip-hop"),
    ("a band called Blink-182", "blink", "blink-182"), ("I like rock and pop", "rock", "rock"),
    ("jazz - I love it", "jazz", "jazz"),
])  # fmt: skip
def test_a_word_with_a_hyphen_is_not_cut(text: str, value: str, whole: str) -> None:
    assert unbroken(text, value) == whole


@pytest.mark.parametrize(("said", "name"), [
    ("called Texaco", "texaco"), ("music genre bossa nova", "bossa nova"), ("a place named Tesco", "tesco"),
    ("the song called Yesterday", "yesterday"), ("genre comedy", "comedy"),
    ("Call Me", "Call Me"), ("Naming Gallery", "Naming Gallery"), ("place", "place"),
])  # fmt: skip
def test_words_that_only_say_that_it_is_a_name_are_left_out(said: str, name: str) -> None:
    assert bare_name(said) == name


@pytest.mark.parametrize(("said", "value"), [
    ("i won't walk more than three minutes from where i park", "less than 5 minutes"),
    ("i'm not going further than seven minutes on foot", "less than 10 minutes"),
    ("i never walk far from the car", "less than 5 minutes"),
    ("i don't mind walking more than ten minutes", "distance does not matter"),
    ("it doesn't matter how far i walk", "distance does not matter"),
    ("no matter how far i have to walk", "distance does not matter"),
])  # fmt: skip
def test_how_far_is_walked_is_read_with_what_is_refused(said: str, value: str) -> None:
    assert canonical(WALK, said, said) == value


@pytest.mark.parametrize(("detail", "said", "value"), [
    ("favorite_genres", "reggae's", "reggae"), ("favorite_genres", "country music's", "country"),
    ("favorite_genres", "children's music", "children's"), ("preferred_music_streaming_service", "spotify's", "spotify"),
    ("fast_food_preference", "mcdonald's", "mcdonald's"), ("preferred_supermarket_chain", "sainsbury's", "sainsbury's"),
])  # fmt: skip
def test_a_verb_drawn_to_a_value_is_none_of_it(detail: str, said: str, value: str) -> None:
    assert plain_value(detail, said) == value


@pytest.mark.parametrize(("said", "value"), [
    ("the aircon on", None), ("aircon cold", None), ("on my knees", "knees"), ("the back window", "back"), ("my toes", "feet"),
])  # fmt: skip
def test_air_is_led_to_somebody_or_to_glass_alone(said: str, value: str | None) -> None:
    assert canonical("airflow_direction_preferences", said) == value


@pytest.mark.parametrize(("sentence", "said", "wanted"), [
    ("i never park where there are no cameras", "no cameras", True),
    ("i won't leave the car anywhere without a guard", "a guard", True),
    ("i refuse to park in a place that has no cameras", "cameras", True),
    ("i don't need cameras where i park", "cameras", False), ("i never use a car park with guards", "guards", False),
    ("i don't care that there are no cameras", "no cameras", False),
])  # fmt: skip
def test_who_refuses_a_place_without_something_wants_it(sentence: str, said: str, wanted: bool) -> None:
    assert wanted_by_refusing("preference_for_parking_with_security", sentence, said) is wanted
    if wanted:
        assert canonical("preference_for_parking_with_security", said, sentence) == "yes"
