"""A preference as half a sentence that follows "that": ``you like italian food``.

Owns the wording of every category of the tree, for replies that name what is remembered and questions about what might be.
Values that stand for something rather than name it ("yes", "low") have words of their own.
"""

from __future__ import annotations

from schemas.memory import Preference, Proposal
from schemas.preferences import BY_DETAIL

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


def because(told: Preference | Proposal) -> str:
    """A preference, or what may be one, as half a sentence."""
    ways = LIKES[told.detail]
    template = ways if isinstance(ways, str) else ways.get(told.value, ways.get(_ANY))
    if template is None:
        return f"your {BY_DETAIL[told.detail].title.lower()} is {told.value}"
    return template.format(value=told.value)
