"""What is said, and what must come of it. Written before any recogniser had heard it; do not fit it to what one hears.

Owns sentences and expectations. `|` is a pause in mid-sentence, `*word*` a word that carries the meaning of a free wording.
The wake word is not part of a text. The vehicle is the simulated one, parked, with its ignition on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Wanted:
    """An action that must be asked of the vehicle: done, or asked back or refused where its rules say so."""

    action: str
    slots: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Slots that must have these values; others are free."""
    signals: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Where the action is done: what these signals must be, or be on their way to, afterwards."""


@dataclass(frozen=True, slots=True)
class Case:
    """A sentence with what must come of it."""

    text: str
    wanted: tuple[Wanted, ...]

    @property
    def pieces(self) -> tuple[str, ...]:
        """What is said between the pauses."""
        return tuple(piece.strip() for piece in self.text.split("|"))

    @property
    def name(self) -> str:
        """The sentence as people would write it."""
        return " ... ".join(self.pieces)


@dataclass(frozen=True, slots=True)
class Onward:
    """A sentence whose first piece is a complete request by itself, and the request that it becomes."""

    alone: Case
    whole: Case


@dataclass(frozen=True, slots=True)
class Wording:
    """A request in words that no template has."""

    marked: str

    @property
    def text(self) -> str:
        """As it is said."""
        return self.marked.replace("*", "")

    @property
    def carriers(self) -> tuple[str, ...]:
        """The words that carry the meaning."""
        return tuple(self.marked.split("*")[1::2])


def _case(text: str, action: str, slots: Mapping[str, Any] | None = None, **signals: Any) -> Case:
    named = {name.replace("__", "."): value for name, value in signals.items()}
    return Case(text, (Wanted(action, slots or {}, named),))


def _onward(text: str, alone: Wanted, *whole: Wanted) -> Onward:
    return Onward(Case(text.split("|", maxsplit=1)[0].strip(), (alone,)), Case(text, whole))


WAKE_WORD = "computer"
"""What the drivers say first; the built-in wake word."""

COMMANDS: tuple[Case, ...] = (
    _case("set the temperature to twenty two and a half degrees", "set_temperature", {"celsius": 22.5},
          climate__driver__temperature=22.5),
    _case("make it twenty degrees in the back", "set_temperature", {"celsius": 20.0, "zone": "rear"},
          climate__rear__temperature=20.0),
    _case("i'm freezing", "change_temperature", {"change": "up"}),
    _case("set the fan to three", "set_fan_speed", {"level": 3}, climate__fan=3),
    _case("turn on the air conditioning", "set_air_conditioning", {"on": True}, climate__air_conditioning=True),
    _case("seat heating high", "set_seat_heating", {"level": 3}, seat__driver__heating=3),
    _case("my hands are cold", "set_steering_wheel_heating", {}),
    _case("open the passenger window halfway", "set_window", {"window": "passenger", "percent": 50},
          window__passenger=50),
    _case("close all windows", "set_window", {"window": "all", "percent": 0}, window__driver=0),
    _case("open the boot", "set_trunk", {"open": True}, trunk__position=100),
    _case("lock the doors", "set_door_locks", {"locked": True}),
    _case("fold the mirrors", "set_mirrors", {"folded": True}, mirrors__folded=True),
    _case("make the lights blue", "set_ambient_color", {"color": "blue"}, light__ambient__color="blue"),
    _case("turn on the reading light behind me", "set_reading_light", {"zone": "rear_left", "on": True},
          light__reading__rear_left=True),
    _case("night mode", "set_display_mode", {"mode": "night"}, display__mode="night"),
    _case("play dancing queen by abba", "play_music", {"artist": "abba", "song": "dancing queen"},
          media__title="Dancing Queen"),
    _case("volume forty", "set_volume", {"percent": 40}, media__volume=40),
    _case("take me home", "navigate_to", {"destination": "home"}, navigation__destination="Home"),
    _case("find a thai restaurant near me", "find_place", {"kind": "restaurant", "quality": "thai"}),
    _case("charge to eighty percent", "set_charge_limit", {"percent": 80}, charging__limit=80),
    _case("what's the outside temperature", "get_outside_temperature"),
    _case("what time is it", "get_time", {"part": "time"}),
    _case("set a timer for ten minutes", "set_timer", {"minutes": 10}),
    _case("will it rain tomorrow", "get_weather", {"day": "tomorrow"}),
)  # fmt: skip
"""Of docs/what-to-say.md, from every part of the car that can be asked while it is parked."""

FREE: tuple[Wording, ...] = tuple(
    Wording(text)
    for text in (
        "could you make it a little *cooler* in here please",
        "i think i'd like the *window* on the *passenger* side *down* a bit",
        "would you mind turning the *music* *down* somewhat",
        "it's getting rather dark so put the *headlights* *on* for us",
        "can we go to the *airport* without using any *motorways*",
        "let's listen to something by *miles davis* this evening",
        "i need somewhere to *charge* the car before we get there",
        "please remember that i really like *italian* *food*",
        "do you happen to know how *far* it still is until we *arrive*",
        "my *back* hurts could you *massage* it a little",
        "somebody should *close* the *roof* because it's about to rain",
        "tell *anna* that i'll be *twenty* *minutes* *late*",
        "let me know in a *quarter* of an *hour* when the pizza is done",
        "what was the name of the *song* that we just heard",
        "the *screen* is blinding me could you make it *darker*",
        "is there anywhere nice to eat *sushi* around here",
        "how *warm* will it be in *london* on *sunday*",
        "give the children in the *back* some *fresh* *air*",
        "i can barely see through the *rear* *window*",
        "would it be possible to *warm* up both *front* *seats*",
    )
)
"""Wordings of our own that are in no template."""

PAUSED: tuple[Case, ...] = (
    _case("set the temperature to | nineteen degrees", "set_temperature", {"celsius": 19.0},
          climate__driver__temperature=19.0),
    _case("navigate to | the central station", "navigate_to", {"destination": "the central station"},
          navigation__destination="Central Station"),
    _case("set a timer for | twenty minutes", "set_timer", {"minutes": 20}),
    _case("turn on | the reading light behind me", "set_reading_light", {"zone": "rear_left", "on": True},
          light__reading__rear_left=True),
    _case("make the lights | green", "set_ambient_color", {"color": "green"}, light__ambient__color="green"),
    _case("set the volume to | thirty percent", "set_volume", {"percent": 30}, media__volume=30),
    _case("open the | sunshade", "set_sunshade", {"percent": 100}, sunroof__shade=100),
    _case("play | dancing queen by abba", "play_music", {"song": "dancing queen"}, media__title="Dancing Queen"),
    _case("charge to | ninety percent", "set_charge_limit", {"percent": 90}, charging__limit=90),
    _case("what's the | outside temperature", "get_outside_temperature"),
    _case("heat | the mirrors", "set_mirror_heating", {"on": True}, mirrors__heating=True),
    _case("set the screen to | fifty percent", "set_display_brightness", {"percent": 50}, display__brightness=50),
)  # fmt: skip
"""One request each, not complete before its pause."""

_WINDOW = {"window": "passenger"}
_DRIVER = {"window": "driver"}

ONWARD: tuple[Onward, ...] = (
    _onward("turn on the air conditioning | and close all windows", Wanted("set_air_conditioning", {"on": True}),
            Wanted("set_air_conditioning", {"on": True}), Wanted("set_window", {"window": "all", "percent": 0})),
    _onward("open the passenger window | halfway", Wanted("set_window", {**_WINDOW, "percent": 100}),
            Wanted("set_window", {**_WINDOW, "percent": 50}, {"window.passenger": 50})),
    _onward("turn on the seat heating | for the passenger", Wanted("set_seat_heating", {"zone": "driver"}),
            Wanted("set_seat_heating", {"zone": "passenger"})),
    _onward("set the temperature to twenty | one degrees", Wanted("set_temperature", {"celsius": 20.0}),
            Wanted("set_temperature", {"celsius": 21.0}, {"climate.driver.temperature": 21.0})),
    _onward("set the volume to twenty | five percent", Wanted("set_volume", {"percent": 20}),
            Wanted("set_volume", {"percent": 25}, {"media.volume": 25})),
    _onward("open the sunroof | halfway", Wanted("set_sunroof", {"percent": 100}),
            Wanted("set_sunroof", {"percent": 50}, {"sunroof.position": 50})),
    _onward("make it warmer | in the back", Wanted("change_temperature", {"change": "up"}),
            Wanted("change_temperature", {"change": "up", "zone": "rear"})),
    _onward("turn the volume down | by ten percent", Wanted("change_volume", {"change": "down"}),
            Wanted("change_volume", {"change": "down", "by": 10})),
    _onward("open the sunshade | halfway", Wanted("set_sunshade", {"percent": 100}),
            Wanted("set_sunshade", {"percent": 50}, {"sunroof.shade": 50})),
    _onward("open the window | a bit", Wanted("set_window", {**_DRIVER, "percent": 100}),
            Wanted("change_window", {**_DRIVER, "change": "open"})),
    _onward("turn off the seat heating | on the passenger side", Wanted("set_seat_heating", {"zone": "driver", "level": 0}),
            Wanted("set_seat_heating", {"zone": "passenger", "level": 0})),
    _onward("make it twenty degrees | in the back", Wanted("set_temperature", {"celsius": 20.0, "zone": "all"}),
            Wanted("set_temperature", {"celsius": 20.0, "zone": "rear"}, {"climate.rear.temperature": 20.0})),
    _onward("what's the weather | in paris", Wanted("get_weather"), Wanted("get_weather", {"place": "paris"})),
    _onward("will it rain | tomorrow", Wanted("get_weather", {"day": "today"}), Wanted("get_weather", {"day": "tomorrow"})),
    _onward("what's on my calendar | tomorrow", Wanted("get_calendar", {"day": "today"}),
            Wanted("get_calendar", {"day": "tomorrow"})),
    _onward("start charging | at ten p m", Wanted("set_charging", {"on": True}),
            Wanted("set_charge_timer", {"on": True, "hour": 10, "half": "pm"})),
    _onward("open the driver's window | by thirty percent", Wanted("set_window", {**_DRIVER, "percent": 100}),
            Wanted("change_window", {**_DRIVER, "change": "open", "by": 30})),
    _onward("lock the doors | and fold the mirrors", Wanted("set_door_locks", {"locked": True}),
            Wanted("set_door_locks", {"locked": True}), Wanted("set_mirrors", {"folded": True})),
    _onward("navigate to the airport | and avoid motorways", Wanted("navigate_to", {"destination": "the airport"}),
            Wanted("navigate_to", {"destination": "the airport"}),
            Wanted("set_route_preference", {"preference": "avoid_highways"})),
    _onward("play some jazz | and turn up the volume", Wanted("play_music", {"genre": "jazz"}),
            Wanted("play_music", {"genre": "jazz"}), Wanted("change_volume", {"change": "up"})),
)  # fmt: skip
"""Complete before the pause, and another request after it."""

ONE_BREATH = _case("lock the doors", "set_door_locks", {"locked": True})
"""Said directly behind recordings of the wake word, in an unlocked car."""

OPENING = _case("what time is it", "get_time", {"part": "time"})
"""Opens the conversation after which a passenger talks."""
