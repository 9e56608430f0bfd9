"""A preference as half a sentence that follows "that": ``you like italian food``.

Owns the wording of every category of the tree, for replies that name what is remembered and questions about what might be.
Values that stand for something rather than name it ("yes", "low") have words of their own; what is disliked, avoided or needed is
said so, and when.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from schemas.errors import UnknownEntryError
from schemas.memory import CONVERSATIONS, FACTS, OTHER, Condition, ConditionKind, Fact, Preference, Proposal, Sense
from schemas.preferences import BY_DETAIL, MAIN_TITLES, SUB_TITLES
from schemas.seat import Seat
from voice.dialogue.memory import kept
from voice.dialogue.replies.turned import turned

_ANY = ""
"""Key of the wording for values that have none of their own."""

_CHARGING = {"ac": "slow AC charging", "dc": "quick DC charging", _ANY: "{value}"}

LIKES: dict[str, str | dict[str, str]] = {
    "favourite_cuisine": "you like {value} food",
    "preferred_restaurant_type": {"diner": "you like diners", _ANY: "you like {value} places"},
    "fast_food_preference": "you like {value}",
    "desired_price_range": "you like {value} restaurants",
    "dietary_preference": "you eat {value}",
    "preferred_payment_method": {
        "cash": "you pay for meals in cash",
        "mobile": "you pay for meals by phone",
        _ANY: "you pay for meals by {value}",
    },
    "preferred_gas_station": "you fill up at {value}",
    "willingness_to_pay_extra_for_green_fuel": {
        "yes": "you pay extra for green fuel",
        "no": "you don't pay extra for green fuel",
    },
    "price_sensitivity_for_fuel": {
        "always cheapest": "you always want the cheapest fuel",
        "rather cheap": "you would rather have cheap fuel",
        "price is irrelevant": "the price of fuel doesn't matter to you",
    },
    "preferred_charging_network": "you charge at {value}",
    "preferred_type_of_charging_while_traveling": {
        value: f"you want {words} on a journey" for value, words in _CHARGING.items()
    },
    "preferred_type_of_charging_at_everyday_points": {
        value: f"you want {words} at everyday stops" for value, words in _CHARGING.items()
    },
    "charging_station_onsite_amenities": {
        "wifi": "you like chargers that have wifi",
        _ANY: "you like chargers that have a {value}",
    },
    "preferred_supermarket_chain": "you shop at {value}",
    "preference_for_local_markets_farms_or_supermarket": {
        "supermarket": "you buy your food at the supermarket",
        _ANY: "you buy your food at {value}",
    },
    "avoidance_of_specific_road_types": "you avoid {value}",
    "priority_for_shortest_time_or_shortest_distance": {
        "shortest time": "you take the quickest route",
        "shortest distance": "you take the shortest route",
    },
    "tolerance_for_traffic": {
        "low": "you can't stand traffic",
        "medium": "you put up with some traffic",
        "high": "you don't mind traffic",
    },
    "traffic_information_source_preferences": {
        "in car system": "you get traffic information from the car",
        "navigation app": "you get traffic information from a navigation app",
        "radio": "you get traffic information from the radio",
        "smartphone": "you get traffic information from your phone",
        _ANY: "you get traffic information from {value}",
    },
    "willingness_to_take_longer_route_to_avoid_traffic": {
        "yes": "you take a longer route to get round traffic",
        "no": "you don't take a longer route to get round traffic",
    },
    "preferred_parking_type": {
        "on street": "you park on the street",
        "off street": "you park off the street",
        "parking garage": "you park in a garage",
        "park and ride": "you like park and ride",
        _ANY: "you like {value} parking",
    },
    "price_sensitivity_for_paid_parking": {
        "always the cheapest": "you always want the cheapest parking",
        "will pay for convenience": "you pay more for parking that is convenient",
        "price is irrelevant": "the price of parking doesn't matter to you",
    },
    "distance_willing_to_walk_from_parking_to_destination": {
        "distance does not matter": "you don't mind how far you walk from where you park",
        _ANY: "you walk {value} from where you park",
    },
    "preference_for_covered_parking": {"yes": "you like covered parking", "no": "you don't need covered parking"},
    "need_for_handicapped_accessible_parking": {
        "yes": "you need an accessible parking space",
        "no": "you don't need an accessible parking space",
    },
    "preference_for_parking_with_security": {
        "yes": "you like guarded parking",
        "no": "you don't need guarded parking",
    },
    "preferred_temperature": "you like it at {value}",
    "fan_speed_preferences": "you like the fan on {value}",
    "airflow_direction_preferences": {
        "windshield": "you like the air at the windshield",
        _ANY: "you like the air at your {value}",
    },
    "seat_heating_preferences": "you like your seat heating on {value}",
    "interior_lighting_brightness_preferences": {
        "low": "you like the light in the car dim",
        "high": "you like the light in the car bright",
        _ANY: "you like the light in the car on {value}",
    },
    "interior_lighting_ambient_preferences": "you like {value} light in the car",
    "interior_lighting_color_preferences": "you like {value} light",
    "favorite_genres": "you like {value}",
    "favorite_artists_or_bands": "you like {value}",
    "favorite_songs": "you like {value}",
    "preferred_music_streaming_service": "you stream music from {value}",
    "preferred_radio_station": "you listen to {value}",
    "favorite_podcast_genres": "you like {value} podcasts",
    "favorite_podcast_shows": "you follow {value}",
    "general_news_source": "you get your news from {value}",
}


THINGS: dict[str, str | dict[str, str]] = {
    "favourite_cuisine": "{value} food",
    "preferred_restaurant_type": "{value} places",
    "fast_food_preference": "{value}",
    "desired_price_range": "{value} restaurants",
    "dietary_preference": "{value} food",
    "preferred_gas_station": "{value}",
    "preferred_charging_network": "{value}",
    "preferred_supermarket_chain": "{value}",
    "avoidance_of_specific_road_types": "{value}",
    "preferred_parking_type": {
        "parking garage": "parking garages",
        "park and ride": "park and ride",
        _ANY: "{value} parking",
    },
    "interior_lighting_color_preferences": "{value} light",
    "favorite_genres": "{value} music",
    "favorite_artists_or_bands": "{value}",
    "favorite_songs": "{value}",
    "preferred_music_streaming_service": "{value}",
    "preferred_radio_station": "{value}",
    "favorite_podcast_genres": "{value} podcasts",
    "favorite_podcast_shows": "{value}",
    "general_news_source": "{value}",
}
"""What is disliked, avoided or needed, where a value names a thing; of other categories the whole of `LIKES` is turned round."""

HELD: dict[str, str] = {
    "morning": "in the morning", "midday": "at midday", "afternoon": "in the afternoon", "evening": "in the evening",
    "night": "at night", "weekday": "on weekdays", "weekend": "at the weekend", "spring": "in spring", "summer": "in summer",
    "autumn": "in autumn", "winter": "in winter", "rain": "when it rains", "snow": "when it snows", "ice": "when it freezes",
    "fog": "in fog", "wind": "when it is windy", "sun": "when the sun shines", "hot": "when it is hot", "cold": "when it is cold",
    "motorway": "on the motorway", "town": "in town", "country": "in the country", "alone": "when you are alone",
    "children": "with children in the car", "passengers": "with others in the car", "commute": "on the way to work",
    "school": "on the way to school", "shopping": "when you go shopping", "leisure": "on trips for fun",
    "holiday": "on holiday", "long": "on long journeys", OTHER: "sometimes",
}  # fmt: skip
"""Conditions whose own words are gone."""

_BEGINS = re.compile(
    r"(?:(?:only|just|mostly|usually|always|especially|even|right|somewhere|late|early|first thing|last thing|straight|long|soon|"
    r"shortly|\w+ (?:hours?|minutes?)) ?)*(?:(?:in|on|at|around|about|round|when|whenever|while|if|unless|during|after|before|"
    r"with|without|for|by|from|until|till|past|over|every|each|once|as|under|through|to|since|between|near|along|outside|alone|"
    r"come|driving|going|travelling|except|all|most|where|wherever)\b|$)",
    re.IGNORECASE,
)
"""How words begin that can follow a preference as they are: "in the morning", "when it rains", "late at night"."""
_AROUND = re.compile(
    r"^(?:round about|somewhere (?:around|about|round)|round)\b(?= (?:\w+ )?(?:\w*time|noon|midday|\w*day)\b)",
    re.IGNORECASE,
)
_PARTS_OF_A_DAY = re.compile(r"(?:the )?(?:morning|afternoon|evening)s?", re.IGNORECASE)
_ON_DAYS = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun|week|work|working )days?\b", re.IGNORECASE)
_FEASTS = re.compile(r"\b(?:christmas|easter|new year)", re.IGNORECASE)
_LIKING, _NEEDING = "you like ", "you need "


def because(told: Preference | Proposal) -> str:
    """A preference, or what may be one, as half a sentence: "you dislike country music", "you like jazz in the morning"."""
    return " ".join((_meant(told), *(_when(one) for one in told.conditions)))


def as_written(likes: str, value: str, sentences: Iterable[str]) -> str:
    """A preference as half a sentence, its value with the capitals and hyphens of the driver's words: "you like Willie Nelson"."""
    words = r"[ -]".join(map(re.escape, value.split()))
    plain = re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
    written = next((found[0] for one in sentences if (found := plain.search(one)) and found[0] != value), value)
    return plain.sub(lambda _: written, likes, count=1)


def as_told(seat: Seat, told: Preference | Proposal | Fact) -> str:
    """What is or may be remembered as half a sentence, in the driver's words and units; of a fact, that it was asked to be kept."""
    if isinstance(told, Fact):
        return kept.asked(told)
    return seat.units.liking(as_written(because(told), told.value, _words_of(seat, told)))


def _words_of(seat: Seat, told: Preference | Proposal) -> tuple[str, ...]:
    """The driver's words that tell it."""
    if isinstance(told, Proposal):
        return (told.sentence,)
    try:
        return tuple(sentence for _, sentence in seat.memory.explain(told.id).because)
    except UnknownEntryError:  # of what was liked before
        return ()


def title(key: str) -> str:
    """A category's spoken name, whatever its level."""
    if key in (CONVERSATIONS, FACTS):
        return "our conversations" if key == CONVERSATIONS else "what you asked me to keep"
    last = key.rsplit(".", maxsplit=1)[-1]
    return (MAIN_TITLES.get(last) or SUB_TITLES.get(last) or BY_DETAIL[last].title).lower()


def wording(detail: str, value: str) -> str:
    """A value that is liked as half a sentence, without its conditions; empty where it has no words."""
    return _placed(LIKES[detail], value)


def _meant(told: Preference | Proposal) -> str:
    likes = wording(told.detail, told.value) or None
    thing = _placed(THINGS.get(told.detail, {}), told.value)
    if told.sense is Sense.LIKES and told.detail == "avoidance_of_specific_road_types":
        return f"you don't mind {told.value}"
    if told.sense is Sense.LIKES:
        return likes or f"your {BY_DETAIL[told.detail].title.lower()} is {told.value}"
    if thing:
        return f"you {_VERBS[told.sense]} {thing.removesuffix(' music') if 'music' in told.value else thing}"
    begins_well = likes is not None and likes.startswith("you ") and not likes.startswith(("you can't", "you don't"))
    if likes is None or not begins_well:
        no = "" if told.sense is Sense.NEEDS else "not "
        return f"your {BY_DETAIL[told.detail].title.lower()} is {no}{told.value}"
    rest = likes.removeprefix(_LIKING).removeprefix("you ")
    if told.sense is Sense.NEEDS:
        return f"you need {'' if likes.startswith((_LIKING, _NEEDING)) else 'to '}{rest.removeprefix('need ')}"
    return f"you {_VERBS[told.sense]} {rest}" if likes.startswith(_LIKING) else f"you would rather not {rest}"


def _placed(ways: str | dict[str, str], value: str) -> str:
    """A value in its wording, empty where it has none; a storey stands behind what is parked on it: "parking on level 3"."""
    template = ways if isinstance(ways, str) else ways.get(value, ways.get(_ANY, ""))
    if template.endswith("{value} parking") and _STOREY.fullmatch(value):
        template = template.replace("{value} parking", "parking on {value}")
    return template.format(value=value)


_STOREY = re.compile(r"(?:the )?(?:(?:level|floor|deck|storey) \w+|\w+ (?:level|floor|deck|storey))")
_VERBS = {Sense.DISLIKES: "dislike", Sense.AVOIDS: "avoid", Sense.NEEDS: "need"}


def _when(condition: Condition) -> str:
    """A condition in the driver's words, as they are said back; what only names a time or a thing gets what it takes to follow."""
    said = _AROUND.sub("around", turned(condition.words.strip(" ,.;:!?")))
    if not said:
        return HELD[condition.value]
    if _BEGINS.match(said):
        return said[0].lower() + said[1:]
    match condition.kind:
        case ConditionKind.TIME_OF_DAY if _PARTS_OF_A_DAY.fullmatch(said):
            return f"in the {said.lower().removeprefix('the ')}"
        case ConditionKind.TIME_OF_DAY if condition.value == "night" and " " not in said:
            return HELD["night"]
        case ConditionKind.TIME_OF_DAY:
            return f"{'on' if _ON_DAYS.search(said) else 'at'} {said}"
        case ConditionKind.SEASON:
            return f"{'at' if _FEASTS.search(said) else 'in'} {said}"
        case ConditionKind.COMPANY if condition.value == OTHER:
            return f"with {said}"
        case _:
            return said if condition.value == OTHER else HELD[condition.value]
