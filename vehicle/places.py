"""The local catalogue of places: what is near, what it is like, how long it takes to get there.

Owns the file format, the search and the estimate of the way. Does not own a map: there are no roads, so distances are
straight lines made longer and minutes an estimate; the car's own place is the town's centre unless a place is given.

The file is JSON: ``{"town": name, "about": text, "latitude": 54.5, "longitude": 3.5, "places": [...]}``, where latitude and
longitude are those of the town's centre. A place is (``docs/places.md`` tells more)::

    {"name": "Trattoria Limoncella",      # as it is said; unique
     "kind": "restaurant",                # a kind of find_place, or "destination" for a place that is only named
     "east_km": 0.6, "north_km": 0.4,     # from the town's centre
     "tags": ["italian", "casual", ...],  # what it is like: cuisine, brand, price, features; lower case
     "also": ["the airport"]}             # other names; may be left out

The file that comes with this module describes a town that does not exist; brands in it are named as facts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from rapidfuzz import fuzz

from schemas.actions import PlaceKind
from schemas.errors import ConfigError

Kind: TypeAlias = PlaceKind | Literal["destination"]

DETOUR = 1.3
"""Road length over straight line. Our choice."""

TOWN_KM, TOWN_KMH, OPEN_KMH = 4.0, 30.0, 60.0
"""The first kilometres are driven at town speed, what is beyond them faster. Our choice."""

ALIKE = 85.0
"""rapidfuzz ratio (0..100) from which two words count as the same: forgives a letter in seven, e.g. a plural."""

KM_PER_DEGREE = 111.2
"""Kilometres in a degree of latitude: 40,030 km of meridian over 360."""

_EMPTY_WORDS = frozenset(
    "a an and any at closest decent good great i in like me my near nearby nearest next nice of one place some something that "
    "the to with".split()
)
_KIND_WORDS: Mapping[str, frozenset[str]] = {
    kind: frozenset(f"station stations food cuisine kitchen {words}".split())
    for kind, words in {
        "restaurant": "restaurant restaurants cafe café",
        "fast_food": "restaurant restaurants shop",
        "cafe": "cafe café coffee shop",
        "bakery": "bakery baker shop",
        "gas_station": "gas petrol fuel",
        "charging_station": "charging charger chargers charge point",
        "parking": "parking car park lot",
        "supermarket": "shop store supermarket grocery",
    }.items()
}
"""Words that only name a kind of place: a charger "with a cafe" is another thing than a cafe."""


class Place(BaseModel):
    """One place of the file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(min_length=1)]
    kind: Kind
    east_km: float
    north_km: float
    tags: tuple[str, ...] = ()
    also: tuple[str, ...] = ()

    def is_a(self, words: str) -> bool:
        """Whether words name its kind, or a part of its name: "the pharmacy", "the lidl"."""
        said = [word for word in _words(words) if word not in _EMPTY_WORDS and word not in ("stop", "shop", "station")]
        known = {*_words(self.kind.replace("_", " ")), *_KIND_WORDS.get(self.kind, frozenset()), *_words(self.name)}
        return bool(said) and all(_alike(word, sorted(known)) for word in said)

    def road_km(self, start: Place | None = None) -> float:
        """Estimated kilometres of road from there (None: the town's centre)."""
        east, north = (start.east_km, start.north_km) if start else (0.0, 0.0)
        return DETOUR * math.hypot(self.east_km - east, self.north_km - north)

    def minutes(self, start: Place | None = None) -> int:
        """Estimated minutes by car from there (None: the town's centre), at least one."""
        road_km = self.road_km(start)
        hours = min(road_km, TOWN_KM) / TOWN_KMH + max(0.0, road_km - TOWN_KM) / OPEN_KMH
        return max(1, math.ceil(60.0 * hours))


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    town: str
    about: str = ""
    latitude: Annotated[float, Field(ge=-89.0, le=89.0)] = 0.0
    longitude: Annotated[float, Field(ge=-180.0, le=180.0)] = 0.0
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A place with the reason for the choice (for timelines: names tags of the file, not the driver's words)."""

    place: Place
    minutes: int
    reason: str


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+(?:'[^\W_]+)?", text.casefold())


def _alike(word: str, others: Sequence[str]) -> bool:
    return any(word == other or fuzz.ratio(word, other, score_cutoff=ALIKE) > 0 for other in others)


_NOT = re.compile(
    r"\b(?:not|nothing|without|no|\w+n't)\b(?: (?:be|too|so|very|that|really|overly|all that))* (\w+)"
    r"(?:(?<=cost) (?:too much|that much|so much|much|a lot|a fortune|a bomb|the earth))?"
)
_DEAR = frozenset("expensive pricey pricy dear costly steep cost".split())


def _apart(quality: str) -> tuple[str, list[str]]:
    """What a place should be like, and what it should not: of "not too pricey" the opposite that tags have a word for."""
    found = [word.lower() for word in _NOT.findall(quality)]
    dear = bool(_DEAR & set(found))
    return f"{_NOT.sub(' ', quality)}{' cheap' * dear}", [*found, *(["expensive"] * dear)]


class Places:
    """A catalogue in memory."""

    def __init__(self, places: Sequence[Place], *, latitude: float = 0.0, longitude: float = 0.0) -> None:
        """A catalogue of these places, around a centre in degrees."""
        self.places = tuple(places)
        self._centre = latitude, longitude
        self._named = {place.name: place for place in self.places}

    @classmethod
    def load(cls, path: Path | None = None) -> Places:
        """Read a catalogue; None for the one that comes with Glovebox.

        Raises:
            schemas.errors.ConfigError: the file is missing, not of this format, or names a place twice.
        """
        path = path or Path(__file__).with_name("places.json")
        try:
            content = _File.model_validate_json(path.read_bytes())
        except OSError as error:
            raise ConfigError(f"cannot read the places in {path}: {error.strerror}") from error
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise ConfigError(f"{path} is no catalogue of places: {where}: {first['msg']}") from error
        names = [place.name for place in content.places]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ConfigError(f"{path} names {twice!r} twice; give one of them another name")
        return cls(content.places, latitude=content.latitude, longitude=content.longitude)

    def find(
        self,
        kind: str,
        quality: str | None = None,
        *,
        start: Place | None = None,
        between: Sequence[Place] = (),
        but: Sequence[str] = (),
    ) -> Found | None:
        """The place of a kind that matches a quality best; the nearest of equally good ones.

        Args:
            kind: as in ``schemas.actions.FindPlace``.
            quality: free words ("cheap italian"); words that say nothing ("good", "food") do not count. At least half of
                those that count must match the place's tags or name.
            start: where "near" is; None: the car's own place.
            between: a route from the start; nearest is then what makes its way from there least longer.
            but: no place of such a name, or with such a tag.

        Returns:
            None where nothing of that kind matches.
        """
        ranked = self._ranked(kind, quality, start, between, but)
        if not ranked:
            return None
        share, _, place, matched = ranked[0]
        peers = sum(entry[0] == share for entry in ranked)
        tags = [tag for tag in place.tags if any(_alike(word, _words(tag)) for word in matched)]
        like = ", ".join(tags) or "the name matches" if matched else "any"
        reason = f"{like}; nearest of {peers}" if peers > 1 else f"{like}; the only one"
        return Found(place, place.minutes(start), reason)

    def ranked(
        self, kind: str, quality: str | None = None, *, start: Place | None = None, but: Sequence[str] = ()
    ) -> tuple[Place, ...]:
        """Places of a kind that match, as in ``find``; the best and nearest first."""
        return tuple(place for _, _, place, _ in self._ranked(kind, quality, start, (), but))

    def named(self, name: str) -> Place | None:
        """The place of exactly that name."""
        return self._named.get(name)

    def coordinates(self, place: Place) -> tuple[float, float]:
        """Latitude and longitude in degrees, to a millionth; flat around the centre, which is exact enough for a town."""
        latitude, longitude = self._centre
        return (
            round(latitude + place.north_km / KM_PER_DEGREE, 6),
            round(longitude + place.east_km / (KM_PER_DEGREE * math.cos(math.radians(latitude))), 6),
        )

    def _ranked(
        self, kind: str, quality: str | None, start: Place | None, between: Sequence[Place], but: Sequence[str]
    ) -> list[tuple[float, float, Place, list[str]]]:
        liked, turned_down = _apart(quality or "")
        wanted = [word for word in _words(liked) if word not in _EMPTY_WORDS]
        telling = [word for word in wanted if word not in _KIND_WORDS.get(kind, frozenset())]
        but = (*but, *turned_down)
        ranked: list[tuple[float, float, Place, list[str]]] = []
        for place in self.places:
            if place.kind != kind:
                continue
            known = [*(word for tag in place.tags for word in _words(tag)), *_words(place.name)]
            if any((parts := _words(one)) and all(_alike(part, known) for part in parts) for one in but):
                continue
            matched = [word for word in telling if _alike(word, known)]
            share = len(matched) / len(telling) if telling else 1.0
            if share >= 0.5:
                far = place.road_km(start)
                if between:
                    far += between[-1].road_km(place)
                ranked.append((-share, far, place, matched))
        return sorted(ranked, key=lambda entry: (*entry[:2], entry[2].name))

    def destination(self, name: str) -> Place | None:
        """The place of that name or other name, whatever its kind; small differences in spelling are forgiven."""
        wanted = " ".join(word for word in _words(name) if word != "the")
        best, score = None, 0.0
        for place in self.places:
            for title in (place.name, *place.also):
                known = " ".join(word for word in _words(title) if word != "the")
                likeness = fuzz.ratio(wanted, known)
                if likeness > score:
                    best, score = place, likeness
        return best if score >= ALIKE else None
