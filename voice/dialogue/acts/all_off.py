"""What "everything off" is: whatever is on in the cabin, without what the driver wants left on.

The words name nothing, so the car's state does. Doors, windows, the route and the lights outside are no part of it: they are not
"on" in the sense of whoever says so, and some of them would be missed. What is found is only ever offered, thing by thing. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schemas.actions import BY_NAME
from schemas.actions.acts import Act, SlotValue
from schemas.actions.base import corners
from voice.dialogue.acts.excepted import named, place_of

NAME = "all_off"
_OFF: tuple[tuple[str, str, Mapping[str, SlotValue]], ...] = (
    ("light.dome", "set_dome_light", {"on": False}),
    ("light.ambient.on", "set_ambient_light", {"on": False}),
    *(
        (f"light.reading.{corner}", "set_reading_light", {"zone": corner, "on": False})
        for corner in ("driver", "passenger", "rear_left", "rear_right")
    ),
    ("climate.on", "set_climate", {"on": False}),
    *((f"seat.{zone}.heating", "set_seat_heating", {"level": 0, "zone": zone}) for zone in ("driver", "passenger", "rear")),
    *((f"seat.{zone}.ventilation", "set_seat_ventilation", {"level": 0, "zone": zone}) for zone in ("driver", "passenger")),
    *((f"seat.{zone}.massage", "set_seat_massage", {"level": 0, "zone": zone}) for zone in ("driver", "passenger")),
    ("steering_wheel.heating", "set_steering_wheel_heating", {"level": 0}),
    ("media.playing", "set_playback", {"command": "pause"}),
)  # fmt: skip
"""Signal that says that something is on, and the act that puts it off."""
_CALLED: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("set_dome_light", "set_ambient_light", "set_reading_light"), ("light", "lights", "lamp", "lamps")),
    "set_climate": ("climate", "air", "fan", "blower", "conditioning", "ac", "heating", "heater", "ventilation", "cooling"),
    "set_playback": ("music", "radio", "podcast", "song", "sound", "tunes", "album", "station"),
    "set_steering_wheel_heating": ("wheel", "steering"),
    **dict.fromkeys(("set_seat_heating", "set_seat_ventilation", "set_seat_massage"), ("seat", "seats")),
}  # fmt: skip
"""Words for what an act puts off. One of them is enough to leave it on: nobody misses what is still on."""
_KINDS: Mapping[str, str] = {
    "reading": "set_reading_light", "map": "set_reading_light", "dome": "set_dome_light", "ceiling": "set_dome_light",
    "ambient": "set_ambient_light", "mood": "set_ambient_light", "heating": "set_seat_heating", "heat": "set_seat_heating",
    "heated": "set_seat_heating", "cooling": "set_seat_ventilation", "massage": "set_seat_massage",
}  # fmt: skip
"""Words that tell one of several things with the same name from the others."""

_SOMEWHERE = frozenset({"set_dome_light", "set_ambient_light"})
"""Lights for the whole cabin: "the light in the back" is none of them."""


def spread(act: Act, values: Mapping[str, Any]) -> tuple[Act, ...]:
    """The acts that put off whatever is on, in the order of the table.

    Args:
        act: ``all_off``, perhaps with the words for what stays.
        values: the car's signals.
    """
    spared = str(act.slots.get("spared", ""))
    return tuple(
        one
        for signal, name, slots in _OFF
        if values.get(signal) and name in BY_NAME and not _stays(one := Act(name, slots), spared)
    )


def _stays(act: Act, spared: str) -> bool:
    """Whether it would put off what stays: the words name the thing, and where they name a place it is there."""
    said = frozenset(spared.split())
    if said.isdisjoint(_CALLED[act.name]):
        return False
    kinds = {_KINDS[word] for word in said if word in _KINDS}
    alike = {name for name in kinds if set(_CALLED[name]) & set(_CALLED[act.name])}
    where, place = named(spared), place_of(act)[1]
    if where and not place and act.name in _SOMEWHERE:
        return False
    return (not alike or act.name in alike) and (not where or not place or bool(where & set(corners(place))))
