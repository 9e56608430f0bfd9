"""The closed category tree of what may be remembered.

4 main, 11 sub and 41 detail categories (the hierarchy of CarMem, COLING 2025 Industry, arXiv 2501.09645, section 3;
names are facts, the descriptions and example values here are our own). Nothing outside this tree can be stored. Each
detail category is *single* (one value at a time) or *multi*, may be *sensitive* (off until the driver asks for it) and
has a retention: how long it is kept unused.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, Final, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, create_model

GROUNDED: dict[str, Any] = {"grounded": True}
"""JSON-schema mark of a string that must be words of the driver (see ``voice.dialogue.validator``)."""

RETENTION_DAYS = 540
"""Days that an unused preference is kept: 18 months, the longest expiry that Google's and Alexa's privacy pages
offer."""

Path: TypeAlias = tuple[str, str, str]
"""Keys of the main, sub and detail category."""


class Category(BaseModel):
    """One detail category: a leaf of the tree."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    main: str
    sub: str
    detail: str
    title: str
    """As the driver reads and hears it."""
    description: str
    multi: bool
    """True: several values may hold at once. False: a new value replaces the old one."""
    examples: tuple[str, ...]
    sensitive: bool = False
    """True: off until the driver asks for it."""
    retention_days: int = RETENTION_DAYS

    @property
    def path(self) -> Path:
        """``(main, sub, detail)``."""
        return (self.main, self.sub, self.detail)

    @property
    def key(self) -> str:
        """``main.sub.detail``: how the path is written in files, on the command line and in ``--json``."""
        return ".".join(self.path)


MAIN_TITLES: dict[str, str] = {
    "points_of_interest": "Points of interest",
    "navigation_and_routing": "Navigation and routing",
    "vehicle_settings_and_comfort": "Vehicle settings and comfort",
    "entertainment_and_media": "Entertainment and media",
}

SUB_TITLES: dict[str, str] = {
    "restaurant": "Restaurants",
    "gas_station": "Petrol stations",
    "charging_station": "Public charging",
    "grocery_shopping": "Grocery shopping",
    "routing": "Routing",
    "traffic_and_conditions": "Traffic and conditions",
    "parking": "Parking",
    "climate_control": "Climate",
    "lighting_and_ambience": "Lighting and ambience",
    "music": "Music",
    "radio_and_podcasts": "Radio and podcasts",
}


def _category(
    path: str, title: str, multi: bool, description: str, examples: str, *, sensitive: bool = False
) -> Category:
    main, sub, detail = path.split("/")
    values = tuple(value.strip() for value in examples.split("|"))
    return Category(
        main=main, sub=sub, detail=detail, title=title, description=description, multi=multi, examples=values,
        sensitive=sensitive,
    )  # fmt: skip


_POI, _NAV = "points_of_interest", "navigation_and_routing"
_VEH, _ENT = "vehicle_settings_and_comfort", "entertainment_and_media"
MULTI, SINGLE = True, False

CATEGORIES: tuple[Category, ...] = (
    _category(f"{_POI}/restaurant/favourite_cuisine", "Favourite cuisine", MULTI,
              "A country's or region's cooking that the driver likes to eat.",
              "italian | thai | mexican | greek | japanese | indian"),
    _category(f"{_POI}/restaurant/preferred_restaurant_type", "Restaurant type", MULTI,
              "The kind of place the driver likes to eat in, whatever it cooks.",
              "casual | fine dining | buffet | street food | diner"),
    _category(f"{_POI}/restaurant/fast_food_preference", "Fast food", MULTI,
              "The fast food, or fast-food chain, the driver goes for.",
              "burgers | pizza | sandwiches | fried chicken | tacos"),
    _category(f"{_POI}/restaurant/desired_price_range", "Restaurant price range", SINGLE,
              "How much a restaurant meal may cost.", "cheap | mid range | expensive"),
    _category(f"{_POI}/restaurant/dietary_preference", "Dietary needs", MULTI,
              "A diet, allergy or intolerance that restaurants must respect.",
              "vegetarian | vegan | gluten free | halal | kosher | lactose free | nut free", sensitive=True),
    _category(f"{_POI}/restaurant/preferred_payment_method", "Payment at restaurants", SINGLE,
              "How the driver pays for a meal.", "cash | card"),
    _category(f"{_POI}/gas_station/preferred_gas_station", "Petrol station brand", MULTI,
              "The petrol station brand the driver fills up at.", "shell | bp | total | esso"),
    _category(f"{_POI}/gas_station/willingness_to_pay_extra_for_green_fuel", "Paying extra for green fuel", SINGLE,
              "Whether the driver pays more for environmentally friendly fuel.", "yes | no"),
    _category(f"{_POI}/gas_station/price_sensitivity_for_fuel", "Fuel price", SINGLE,
              "How much the price matters when the driver chooses where to fill up.",
              "always cheapest | rather cheap | price is irrelevant"),
    _category(f"{_POI}/charging_station/preferred_charging_network", "Charging network", MULTI,
              "The operator whose public chargers the driver uses.", "ionity | fastned | allego | shell recharge"),
    _category(f"{_POI}/charging_station/preferred_type_of_charging_while_traveling", "Charging on a journey", SINGLE,
              "How quick a charger the driver wants on a long journey.", "ac | dc | fast charging"),
    _category(f"{_POI}/charging_station/preferred_type_of_charging_at_everyday_points", "Charging day to day", SINGLE,
              "How quick a charger the driver wants at everyday stops: work, shopping, a restaurant.",
              "ac | dc | fast charging"),
    _category(f"{_POI}/charging_station/charging_station_onsite_amenities", "Amenities at chargers", MULTI,
              "What should be there to use while the car charges.", "cafe | restroom | playground | wifi"),
    _category(f"{_POI}/grocery_shopping/preferred_supermarket_chain", "Supermarket chain", MULTI,
              "The supermarket chain the driver shops at.", "aldi | lidl | tesco | whole foods"),
    _category(f"{_POI}/grocery_shopping/preference_for_local_markets_farms_or_supermarket", "Markets or supermarkets",
              SINGLE, "Whether the driver buys food at local markets and farms or at the supermarket.",
              "local markets | supermarket"),
    _category(f"{_NAV}/routing/avoidance_of_specific_road_types", "Roads to avoid", MULTI,
              "Kinds of road the driver does not want to take.", "highways | toll roads | unpaved roads | ferries"),
    _category(f"{_NAV}/routing/priority_for_shortest_time_or_shortest_distance", "Fastest or shortest", SINGLE,
              "Whether a route should be quickest or shortest.", "shortest time | shortest distance"),
    _category(f"{_NAV}/routing/tolerance_for_traffic", "Tolerance for traffic", SINGLE,
              "How well the driver puts up with traffic. Only the tolerance, not whether a detour is welcome.",
              "low | medium | high"),
    _category(f"{_NAV}/traffic_and_conditions/traffic_information_source_preferences", "Traffic information from",
              SINGLE, "Where the driver gets traffic information from.",
              "in car system | navigation app | radio | smartphone"),
    _category(f"{_NAV}/traffic_and_conditions/willingness_to_take_longer_route_to_avoid_traffic",
              "Longer route round traffic", SINGLE,
              "Whether the driver takes a longer route to get round traffic. Only where traffic is named.",
              "yes | no"),
    _category(f"{_NAV}/parking/preferred_parking_type", "Parking type", SINGLE,
              "The kind of parking place the driver looks for.", "on street | off street | parking garage"),
    _category(f"{_NAV}/parking/price_sensitivity_for_paid_parking", "Parking price", SINGLE,
              "How much the price of parking matters.",
              "always the cheapest | will pay for convenience | price is irrelevant"),
    _category(f"{_NAV}/parking/distance_willing_to_walk_from_parking_to_destination", "Walk from parking", SINGLE,
              "How far the driver walks from the parking place to the destination.",
              "less than 5 minutes | less than 10 minutes | distance does not matter"),
    _category(f"{_NAV}/parking/preference_for_covered_parking", "Covered parking", SINGLE,
              "Whether the car should stand under a roof.", "yes | no"),
    _category(f"{_NAV}/parking/need_for_handicapped_accessible_parking", "Accessible parking", SINGLE,
              "Whether the driver needs an accessible parking space.", "yes", sensitive=True),
    _category(f"{_NAV}/parking/preference_for_parking_with_security", "Guarded parking", SINGLE,
              "Whether the parking place should be watched.", "yes | no"),
    _category(f"{_VEH}/climate_control/preferred_temperature", "Cabin temperature", SINGLE,
              "The temperature the driver likes in the car.",
              "18 degrees | 20 degrees | 21 degrees | 22 degrees | 24 degrees"),
    _category(f"{_VEH}/climate_control/fan_speed_preferences", "Fan speed", SINGLE,
              "How strongly the fan should blow.", "low | medium | high"),
    _category(f"{_VEH}/climate_control/airflow_direction_preferences", "Airflow direction", SINGLE,
              "Where the air should blow.", "face | feet | windshield | face and feet"),
    _category(f"{_VEH}/climate_control/seat_heating_preferences", "Seat heating", SINGLE,
              "How warm the seat should be.", "low | medium | high"),
    _category(f"{_VEH}/lighting_and_ambience/interior_lighting_brightness_preferences", "Interior light brightness",
              SINGLE, "How bright the light in the cabin should be.", "low | medium | high"),
    _category(f"{_VEH}/lighting_and_ambience/interior_lighting_ambient_preferences", "Light temperature", SINGLE,
              "Whether the light in the cabin should be warm or cool.", "warm | cool"),
    _category(f"{_VEH}/lighting_and_ambience/interior_lighting_color_preferences", "Interior light colour", MULTI,
              "A colour the driver likes for the light in the cabin.", "red | blue | green | purple | orange | white"),
    _category(f"{_ENT}/music/favorite_genres", "Music genres", MULTI,
              "A kind of music the driver likes.", "jazz | rock | pop | classical | country | electronic"),
    _category(f"{_ENT}/music/favorite_artists_or_bands", "Artists and bands", MULTI,
              "A musician or band the driver likes.", "queen | abba | miles davis | adele"),
    _category(f"{_ENT}/music/favorite_songs", "Songs", MULTI,
              "A particular song the driver likes.", "hey jude | imagine | dancing queen | wonderwall"),
    _category(f"{_ENT}/music/preferred_music_streaming_service", "Streaming service", SINGLE,
              "The service the driver streams music from.", "spotify | apple music | tidal | deezer"),
    _category(f"{_ENT}/radio_and_podcasts/preferred_radio_station", "Radio station", SINGLE,
              "The radio station the driver listens to.", "radio one | capital | classic gold | jazz fm"),
    _category(f"{_ENT}/radio_and_podcasts/favorite_podcast_genres", "Podcast genres", MULTI,
              "A kind of podcast the driver likes.", "true crime | history | comedy | technology"),
    _category(f"{_ENT}/radio_and_podcasts/favorite_podcast_shows", "Podcast shows", MULTI,
              "A particular podcast the driver follows.", "serial | radiolab | the daily"),
    _category(f"{_ENT}/radio_and_podcasts/general_news_source", "News source", SINGLE,
              "Where the driver gets the news from.", "bbc | cnn | reuters | local news"),
    # A category of our own goes above this line, after CarMem's 41 (docs/adding-a-category.md).
)  # fmt: skip
"""All 41 detail categories, in CarMem's order (its detail ids 15-55), before any of our own."""

BY_DETAIL: dict[str, Category] = {category.detail: category for category in CATEGORIES}
"""Detail keys are unique in the whole tree."""


def find(key: str) -> tuple[Category, ...]:
    """The categories under a key: a main, sub or detail key, or a dotted path of them.

    Raises:
        KeyError: no category has that key.
    """
    parts = key.split(".")
    found = tuple(c for c in CATEGORIES if key in c.path or list(c.path[: len(parts)]) == parts)
    if not found:
        raise KeyError(key)
    return found


# The special kinds of data (GDPR article 9, and children): never written unless the driver has asked for them by their name.

SPECIAL_TITLES: Final = {
    "health": "health",
    "belief": "religion or belief",
    "politics": "politics",
    "union": "trade unions",
    "orientation": "sexual life or orientation",
    "origin": "origin",
    "children": "children",
}
"""Key -> as the driver reads and hears it."""

KINDS: Final = tuple(SPECIAL_TITLES)
"""The keys by which a driver asks for them (`schemas.memory.Consent.opted_in`)."""

WITH: Final = {
    "dietary_preference": frozenset({"health", "belief"}),
    "need_for_handicapped_accessible_parking": frozenset({"health"}),
}
"""Sensitive category -> the kinds that its own values tell of: whoever asked for the category has asked for that of it."""


class Mention(BaseModel):
    """One preference as it stands in a call (``memory.learn.calling``)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    turn: Annotated[int, Field(ge=0)]
    """Number of the driver's turn that revealed it."""
    value: Annotated[str, Field(min_length=1, json_schema_extra=GROUNDED)]
    """The words of that turn that carry the value."""


@lru_cache(maxsize=16)
def preference_model(details: tuple[str, ...]) -> type[BaseModel]:
    """The hierarchical Pydantic model of a part of the tree.

    Args:
        details: detail keys of that part; order does not matter.

    Returns:
        A model with one optional field a main category, each a model with one optional field a sub category, each a
        model with one optional list of `Mention` a detail category; extras forbidden at every level. A single
        category holds at most one item.

    Raises:
        KeyError: an unknown detail key.
    """
    tree: dict[str, dict[str, list[Category]]] = {}
    wanted = {BY_DETAIL[detail].detail for detail in details}
    for category in CATEGORIES:
        if category.detail in wanted:
            tree.setdefault(category.main, {}).setdefault(category.sub, []).append(category)
    mains: dict[str, Any] = {}
    for main, subs in tree.items():
        fields: dict[str, Any] = {}
        for sub, leaves in subs.items():
            items: dict[str, Any] = {
                leaf.detail: (
                    list[Mention] | None,
                    Field(
                        default=None, max_length=None if leaf.multi else 1, min_length=1, description=leaf.description
                    ),
                )
                for leaf in leaves
            }
            sub_model = create_model(f"Sub_{sub}", __config__=ConfigDict(extra="forbid"), **items)
            fields[sub] = (sub_model | None, Field(default=None, description=SUB_TITLES[sub]))
        main_model = create_model(f"Main_{main}", __config__=ConfigDict(extra="forbid"), **fields)
        mains[main] = (main_model | None, Field(default=None, description=MAIN_TITLES[main]))
    return create_model("Preferences", __config__=ConfigDict(extra="forbid"), **mains)
