"""What the planner draws on: where one can go, and what can be played.

Owns the two ports. The local files (``vehicle.places``, ``vehicle.media``) are one back end of each; a navigation unit or a
head unit with a library of its own is another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from vehicle.media import Item
from vehicle.places import Found, Place


class PlaceSource(Protocol):
    """Where one can go from where the car is."""

    def find(
        self,
        kind: str,
        quality: str | None = None,
        *,
        start: Place | None = None,
        between: Sequence[Place] = (),
        but: Sequence[str] = (),
    ) -> Found | None:
        """The place of a kind (``schemas.actions.PlaceKind``) that is most like the quality; the nearest of equals.

        Args:
            kind: what it is.
            quality: what it should be like, in free words.
            start: where "near" is; None: the car's own place.
            between: a route from there; nearest is then what makes its way least longer.
            but: no place that is called so or is like that.
        """
        ...

    def ranked(
        self, kind: str, quality: str | None = None, *, start: Place | None = None, but: Sequence[str] = ()
    ) -> tuple[Place, ...]:
        """All that match, the best first, of equals the nearest to the start (None: the car's own place)."""
        ...

    def destination(self, name: str) -> Place | None:
        """The place that a driver calls so."""
        ...

    def named(self, name: str) -> Place | None:
        """The place of exactly that name, as a route has it."""
        ...

    def coordinates(self, place: Place) -> tuple[float, float]:
        """Latitude and longitude in degrees."""
        ...


class MediaSource(Protocol):
    """What can be played. None where nothing fits."""

    def song(
        self, *, genre: str | None = None, artist: str | None = None, song: str | None = None, but: Sequence[str] = ()
    ) -> Item | None:
        """A song that is all of what was asked for; any where nothing was; none that is of such a genre, artist or title."""
        ...

    def station(self, name: str | None = None, *, but: Sequence[str] = ()) -> Item | None:
        """A station by name, frequency in words or genre; any but these where none was asked for."""
        ...

    def on_dial(self, name: str) -> bool:
        """Whether a name is a place on the dial."""
        ...

    def podcast(self, *, show: str | None = None, genre: str | None = None, but: Sequence[str] = ()) -> Item | None:
        """A show by name or genre; any but these where none was asked for."""
        ...

    def playlist(self, name: str) -> Item | None:
        """The first song of a playlist."""
        ...

    def favorite(self) -> Item | None:
        """The first of the favourites."""
        ...

    def neighbour(self, source: str, title: str, genre: str, step: int, *, shuffled: bool = False) -> Item | None:
        """What comes ``step`` after what plays."""
        ...
