"""The coordinator: which way an utterance goes, and whether memory is needed for it.

Cheap: rules and one encoder pass. It decides on the evidence of the recogniser (a complete parse that won its
comparison), the matcher and the encoder, and never calls the language model. Owns no state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from schemas.events import Command, CommandKind, Route, Transcript
from schemas.ports import CommandMatcher, Encoder

SERVES: dict[str, tuple[str, ...]] = {
    "set_temperature": ("preferred_temperature",),
    "change_temperature": ("preferred_temperature",),
    "set_fan_speed": ("fan_speed_preferences",),
    "set_airflow": ("airflow_direction_preferences",),
    "set_seat_heating": ("seat_heating_preferences",),
    "set_ambient_color": ("interior_lighting_color_preferences",),
    "set_ambient_brightness": ("interior_lighting_brightness_preferences",),
    "play_music": ("favorite_genres", "favorite_artists_or_bands", "favorite_songs"),
    "play_radio": ("preferred_radio_station", "general_news_source"),
    "play_podcast": ("favorite_podcast_shows", "favorite_podcast_genres"),
    "find_place": (
        "favourite_cuisine",
        "preferred_restaurant_type",
        "fast_food_preference",
        "desired_price_range",
        "dietary_preference",
        "preferred_gas_station",
        "preferred_charging_network",
        "charging_station_onsite_amenities",
        "preferred_supermarket_chain",
        "preferred_parking_type",
        "preference_for_covered_parking",
    ),
    "set_route_preference": ("avoidance_of_specific_road_types", "priority_for_shortest_time_or_shortest_distance"),
}
"""Which remembered details can fill an action that the driver left open."""

PLACE_DETAILS: dict[str, tuple[str, ...]] = {
    "restaurant": ("favourite_cuisine", "preferred_restaurant_type", "desired_price_range", "dietary_preference"),
    "fast_food": ("fast_food_preference",),
    "cafe": ("preferred_restaurant_type", "desired_price_range"),
    "gas_station": ("preferred_gas_station",),
    "charging_station": ("preferred_charging_network", "charging_station_onsite_amenities"),
    "supermarket": ("preferred_supermarket_chain",),
    "parking": ("preferred_parking_type", "preference_for_covered_parking"),
}
"""Which details matter for a kind of place."""


class CoordinatorSettings(BaseModel):
    """Thresholds of the decision. Our choices, tried on the demo's lines and a few dozen typed sentences, not tuned."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    request_at: float = 0.5
    """Probability that the utterance asks for something, from which on the language model is asked."""
    statement_at: float = 0.4
    """Probability of its best preference category, from which on it counts as telling a preference."""
    heard_at: float = 0.2
    """Recogniser confidence below which the words are not acted on at all."""
    request_floor: float = 0.04
    """Actions less probable than this stay out of the slice."""
    slice_size: int = 5
    """Most actions in a slice: .965 of held-out requests have their action within the first three (docs/log.md)."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do with an utterance."""

    route: Route
    reason: str
    command: Command | None = None
    actions: tuple[str, ...] = ()
    """For MODEL: the slice, most probable first."""
    details: tuple[str, ...] = ()
    """For MODEL: the details worth recalling; empty when memory is not needed."""
    topic: str | None = None
    """For STATEMENT: the category that the driver told something about."""


class Coordinator:
    """Chooses a route per utterance."""

    def __init__(
        self,
        matcher: CommandMatcher,
        encoder: Encoder,
        offers: frozenset[str],
        settings: CoordinatorSettings | None = None,
        wants_memory: Callable[[str, dict[str, object]], bool] | None = None,
    ) -> None:
        """A coordinator.

        Args:
            matcher: understands complete commands.
            encoder: scores texts against the leaves of both schemas.
            offers: actions that this vehicle has.
            settings: thresholds.
            wants_memory: whether a parsed command is open enough that memory should fill it; default: an action of
                ``SERVES`` without any slot ("play music").
        """
        self._matcher, self._encoder, self._offers = matcher, encoder, offers
        self._settings = settings or CoordinatorSettings()
        self._wants_memory = wants_memory or _open

    def plan(self, transcript: Transcript) -> Plan:
        """The route for what was heard. Typed text comes with confidence 1 and ``in_grammar`` as the matcher says."""
        text = transcript.text
        command = self._matcher.match(text) if transcript.in_grammar else None
        if command is not None:
            return self._command(command)
        if not self.heard(transcript):
            return Plan(Route.REJECT, f"heard too faintly ({transcript.confidence:.2f})")
        return self._free(text)

    def heard(self, transcript: Transcript) -> bool:
        """Whether the words were heard well enough to be acted on."""
        return transcript.in_grammar or transcript.confidence >= self._settings.heard_at

    def _command(self, command: Command) -> Plan:
        if command.kind is CommandKind.CONTROL:
            return Plan(Route.CONTROL, f"control word {command.name}", command)
        if command.kind is CommandKind.MEMORY:
            return Plan(Route.MEMORY, f"memory command {command.name}", command)
        if self._wants_memory(command.name, command.slots):
            return Plan(
                Route.MODEL,
                f"complete command {command.name}, left open: memory may fill it",
                command,
                actions=(command.name,),
                details=SERVES[command.name],
            )
        return Plan(Route.FAST, f"complete command {command.name}", command)

    def _free(self, text: str) -> Plan:
        settings = self._settings
        requests, topics = self._encoder.requests(text), self._encoder.topics(text)
        asks = 1.0 - requests.get("none", 0.0)
        topic = max((t for t in topics if t != "none"), key=topics.__getitem__)
        tells = topics[topic]
        if asks >= settings.request_at and asks >= tells:
            ranked = sorted((a for a in requests if a != "none"), key=requests.__getitem__, reverse=True)
            offered = [a for a in ranked if a in self._offers and requests[a] >= settings.request_floor]
            if offered:
                actions = tuple(offered[: settings.slice_size])
                details = tuple(dict.fromkeys(d for a in actions[:2] for d in SERVES.get(a, ())))
                why = f"asks for something ({asks:.2f}), most like {actions[0]} ({requests[actions[0]]:.2f})"
                return Plan(Route.MODEL, why, actions=actions, details=details)
            return Plan(Route.REJECT, "asks for something that this vehicle does not have")
        if tells >= settings.statement_at:
            return Plan(Route.STATEMENT, f"tells something about {topic} ({tells:.2f})", topic=topic)
        return Plan(Route.REJECT, f"neither a request ({asks:.2f}) nor a preference ({tells:.2f})")


def _open(name: str, slots: dict[str, object]) -> bool:
    """Whether a command left everything open that memory could fill: "play music"."""
    return name in SERVES and not slots
