"""What is said on the two trips, and the state in which the vehicle and the vault must be afterwards.

The first half is sound for the microphone (``deploy.demo.cabin``), the second is read only after the drive, by
``deploy.demo.play``, to judge it. The assistant sees neither.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from deploy.demo.cabin import Line, Voice

ANNA = Voice("en-us+f2", 150, 50, 1.07)
BEN = Voice("en-us+m3", 150, 50, 0.95)
CLARA = Voice("en-us+f5", 150, 50, 1.03)
DAN = Voice("en-us+m6", 150, 50, 1.0)
"""The voices of espeak-ng that PocketSphinx hears best in this noise, of 20 tried: docs/log.md."""

PAUSE_BETWEEN_TRIPS_S = 1.5
NEW_TALK_S = 7.5
"""Seconds of quiet after which the follow-up window (5 s) has surely closed."""


@dataclass(frozen=True, slots=True)
class Trip:
    """One trip: who says what, and what must have come of it."""

    number: int
    title: str
    profile: str
    """Name of the simulated vehicle's speed profile."""
    seed: int
    lines: tuple[Line, ...]
    vehicle: dict[str, Any] = field(default_factory=dict[str, Any])
    """Signal -> value at the end."""
    statuses: dict[str, int] = field(default_factory=dict[str, int])
    """Kind of timeline entry -> least number of them."""
    decisions: dict[str, int] = field(default_factory=dict[str, int])
    """Outcome of maintenance -> exact number."""
    rejects: int = 0
    """How many utterances must be answered as what nothing was made of."""
    used: tuple[str, ...] = ()
    """Values of remembered preferences that replies must have used."""
    vault: dict[str, str] = field(default_factory=dict[str, str])
    """Detail -> value, exactly what the vault holds at the end."""


def _line(text: str, voice: Voice, *, wake: bool = True, wait_s: float = NEW_TALK_S, breath_s: float = 0.35) -> Line:
    return Line(text, voice, wake=wake, wait_s=wait_s, breath_s=breath_s)


VAULT = {
    "favourite_cuisine": "italian",
    "preferred_temperature": "20 degrees",
    "favorite_genres": "jazz",
}

TRIPS: tuple[Trip, ...] = (
    Trip(
        number=1,
        title="The first trip",
        profile="town",
        seed=1,
        lines=(
            _line("set the temperature to twenty three degrees", ANNA, wait_s=1.5),
            _line("my favourite temperature is twenty two degrees", DAN, wake=False, wait_s=0.9),
            _line("stop remembering podcasts", ANNA),
            _line("open my window", ANNA, breath_s=0.0),
            _line("set the volume to forty percent", BEN),
            _line("navigate to the airport", CLARA),
            _line("i love italian food", CLARA, wake=False, wait_s=0.9),
            _line("set the ambient light to blue", DAN),
            _line("open the trunk", DAN),
            _line("open the roof", ANNA),
            _line("yes", ANNA, wake=False, wait_s=0.9),
            _line("nine clever monkeys painted the moon", ANNA),
            _line("my favourite music is jazz", ANNA),
            _line("i always listen to true crime podcasts", ANNA, wake=False, wait_s=0.9),
            _line("i love italian food", CLARA),
            _line("actually my favourite temperature is twenty degrees", DAN),
        ),
        vehicle={
            "climate.driver.temperature": 23.0,
            "window.driver": 100,
            "media.volume": 40,
            "navigation.destination": "Marrowby Airport",
            "light.ambient.on": True,
            "light.ambient.color": "blue",
            "sunroof.position": 100,
            "trunk.position": 0,
        },
        statuses={"moved": 6, "refused": 1, "asked": 1},
        rejects=1,
        decisions={"append": 3, "pass": 1, "update": 1, "refused": 1},
        vault=VAULT,
    ),
    Trip(
        number=2,
        title="The second trip",
        profile="town",
        seed=2,
        lines=(
            _line("i'm hungry", CLARA, wait_s=1.5),
            _line("make it comfortable", ANNA),
            _line("play something", DAN),
        ),
        vehicle={
            "climate.driver.temperature": 20.0,
            "media.playing": True,
            "media.genre": "jazz",
            "navigation.destination": "Trattoria Limoncella",
        },
        statuses={"moved": 3, "recalled": 3},
        used=("italian", "20 degrees", "jazz"),
        vault=VAULT,
    ),
)
