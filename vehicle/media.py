"""The local media library: what can be played, and what comes before and after it.

Owns the file format and the choice. Does not own sound: what is "played" are the vehicle's media signals. No streaming
service is reached; a car's head unit or phone brings its own library.

The file is JSON: ``{"about": text, "artists": [...], "stations": [...], "podcasts": [...], "playlists": [...],
"favorites": [...]}`` with::

    {"name": "Dave Brubeck", "genres": ["jazz"], "songs": ["Take Five"], "also": []}    # artists
    {"name": "Jazz FM", "genre": "jazz", "mhz": 102.2, "also": []}                      # stations
    {"name": "Radiolab", "genres": ["science"], "also": []}                             # podcasts

    {"name": "Road trip", "songs": ["Hey Jude"], "also": []}                            # playlists

``favorites`` are titles of songs. ``also`` (other names), ``mhz`` (where it is on the dial), playlists and favourites may be left
out. Order matters: the
first that fits is played.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from rapidfuzz import fuzz

from schemas.errors import ConfigError

FAVORITES = "favorites"
"""What stands for a genre while the favourites play."""

ALIKE = 85.0
"""rapidfuzz ratio (0..100) from which two names count as the same."""


BAND_MHZ = (87.5, 108.0)
"""The FM broadcast band of ITU Region 1."""


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(min_length=1)]
    also: tuple[str, ...] = ()


class Artist(_Entry):
    """A musician or band."""

    genres: tuple[str, ...]
    songs: Annotated[tuple[str, ...], Field(min_length=1)]


class Station(_Entry):
    """A radio station."""

    genre: str
    mhz: Annotated[float, Field(ge=BAND_MHZ[0], le=BAND_MHZ[1])] | None = None
    """Where it is on the dial."""


class Podcast(_Entry):
    """A podcast show."""

    genres: tuple[str, ...]


class Playlist(_Entry):
    """Songs under a name."""

    songs: Annotated[tuple[str, ...], Field(min_length=1)]


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    about: str = ""
    artists: Annotated[tuple[Artist, ...], Field(min_length=1)]
    stations: Annotated[tuple[Station, ...], Field(min_length=1)]
    podcasts: Annotated[tuple[Podcast, ...], Field(min_length=1)]
    playlists: tuple[Playlist, ...] = ()
    favorites: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """Something that plays. ``title`` is a song, station or show; ``artist`` is empty but for music."""

    source: Literal["music", "radio", "podcast"]
    title: str
    artist: str
    genre: str

    @property
    def spoken(self) -> str:
        """As it is said: ``Take Five by Dave Brubeck``."""
        return f"{self.title} by {self.artist}" if self.artist else self.title


def _plain(text: str) -> str:
    words = re.findall(r"[^\W_]+", text.casefold())
    return " ".join(word for word in words if word != "the")


def _same(wanted: str, names: Sequence[str]) -> bool:
    plain = _plain(wanted)
    return any(fuzz.ratio(plain, _plain(name)) >= ALIKE for name in names)


def _part(wanted: str, names: Sequence[str]) -> bool:
    """Whether it is whole words of one of the names: "Bowie"."""
    plain = f" {_plain(wanted)} "
    return bool(plain.strip()) and any(plain in f" {_plain(name)} " for name in names)


def digits_mhz(name: str) -> float | None:
    """The place on the dial that a name in digits is ("98.5"); None for any other."""
    return float(name) if re.fullmatch(r"\d{2,3}(?:\.\d)?", name.strip()) else None


class MediaLibrary:
    """A library in memory: its items in the order in which they follow each other."""

    def __init__(
        self,
        artists: Sequence[Artist],
        stations: Sequence[Station],
        podcasts: Sequence[Podcast],
        playlists: Sequence[Playlist] = (),
        favorites: Sequence[str] = (),
        *,
        mhz_of: Callable[[str], float | None] = digits_mhz,
    ) -> None:
        """A library of these; ``mhz_of`` reads a place on the dial, None where a name is none.

        Raises:
            schemas.errors.ConfigError: a playlist or the favourites hold a song that no artist has.
        """
        self._artists = {artist.name: artist for artist in artists}
        self.music = tuple(
            Item("music", song, artist.name, genre)
            for artist in artists
            for genre in artist.genres
            for song in artist.songs
        )
        """Every song once for every genre of its artist."""
        self.radio = tuple(Item("radio", station.name, "", station.genre) for station in stations)
        self.shows = tuple(Item("podcast", show.name, "", genre) for show in podcasts for genre in show.genres)
        self.playlists = {entry.name: self._songs(entry.name, entry.songs) for entry in playlists}
        """Playlists by name; an item's genre is then the playlist's name, so that the next song is the list's."""
        self.favorites = self._songs(FAVORITES, favorites)
        self._mhz_of = mhz_of
        self._dial = [(station.mhz, item) for station, item in zip(stations, self.radio, strict=True)
                      if station.mhz is not None]  # fmt: skip
        self._names = {entry.name: (entry.name, *entry.also) for entry in (*artists, *stations, *podcasts, *playlists)}

    @classmethod
    def load(cls, path: Path | None = None, *, mhz_of: Callable[[str], float | None] = digits_mhz) -> MediaLibrary:
        """Read a library; None for the one that comes with Glovebox. ``mhz_of`` as for `MediaLibrary`.

        Raises:
            schemas.errors.ConfigError: the file is missing or not of this format.
        """
        path = path or Path(__file__).with_name("media.json")
        try:
            content = _File.model_validate_json(path.read_bytes())
        except OSError as error:
            raise ConfigError(f"cannot read the media library {path}: {error.strerror}") from error
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise ConfigError(f"{path} is no media library: {where}: {first['msg']}") from error
        lists = content.artists, content.stations, content.podcasts, content.playlists, content.favorites
        return cls(*lists, mhz_of=mhz_of)

    def song(
        self, *, genre: str | None = None, artist: str | None = None, song: str | None = None, but: Sequence[str] = ()
    ) -> Item | None:
        """The first song that is all of what was asked for; anything where nothing was; None where nothing fits.

        An artist goes by a part of the name, too, that no other artist has. What ``but`` names is left out: a song that is of
        such a genre, too, an artist, a title.
        """
        out = {item.title for item in self.music if self._is(item, but)}
        if artist is not None:
            artists = dict.fromkeys(item.artist for item in self.music)
            if not any(_same(artist, self._names[one]) for one in artists):
                parts = [one for one in artists if _part(artist, self._names[one])]
                artist = parts[0] if len(parts) == 1 else artist
        return next(
            (
                item
                for item in self.music
                if item.title not in out
                and (genre is None or _same(genre, [item.genre]))
                and (artist is None or _same(artist, self._names[item.artist]))
                and (song is None or _same(song, [item.title]))
            ),
            None,
        )

    def station(self, name: str | None = None, *, but: Sequence[str] = ()) -> Item | None:
        """The station of that name or frequency, else the first of that genre; any but these where none was asked for."""
        if name is not None and (mhz := self._mhz_of(name)) is not None:
            return next((item for known, item in self._dial if abs(known - mhz) < 0.05), None)
        radio = [item for item in self.radio if not self._is(item, but)]
        return self._named(radio, name) or self._of_genre(radio, name)

    def podcast(self, *, show: str | None = None, genre: str | None = None, but: Sequence[str] = ()) -> Item | None:
        """The show of that name, or the first of that genre; any but these where none was asked for."""
        shows = [item for item in self.shows if not self._is(item, but)]
        return self._named(shows, show) if show is not None else self._of_genre(shows, genre)

    def _is(self, item: Item, wanted: Sequence[str]) -> bool:
        """Whether any of these is the item's genre, title or artist."""
        names = (item.genre, *self._names.get(item.title, (item.title,)), *self._names.get(item.artist, (item.artist,)))
        return any(_same(one, [name for name in names if name]) for one in wanted)

    def playlist(self, name: str) -> Item | None:
        """The first song of the playlist of that name."""
        found = next((known for known in self.playlists if _same(name, self._names[known])), None)
        return self.playlists[found][0] if found is not None else None

    def on_dial(self, name: str) -> bool:
        """Whether a name is a place on the dial."""
        return self._mhz_of(name) is not None

    def frequencies(self) -> tuple[str, ...]:
        """Where stations are on the dial, in digits."""
        return tuple(f"{mhz:g}" for mhz, _ in self._dial)

    def playlist_names(self) -> tuple[str, ...]:
        """What the playlists may be called."""
        return tuple(name for known in self.playlists for name in self._names[known])

    def favorite(self) -> Item | None:
        """The first of the favourite songs; None where there are none."""
        return self.favorites[0] if self.favorites else None

    def neighbour(self, source: str, title: str, genre: str, step: int, *, shuffled: bool = False) -> Item | None:
        """What comes ``step`` after what plays, round and round: songs and shows of a genre or list, or all stations.

        Args:
            source: what plays: its source, title and genre.
            title: its title.
            genre: its genre, or the name of its playlist.
            step: 1 for the next, -1 for the one before.
            shuffled: in another order than the library's: the same for the same queue, so that "the one before" works.

        Returns:
            None where what plays is not of this library.
        """
        if source == "radio":
            queue: Sequence[Item] = self.radio
        elif genre in self.playlists or genre == FAVORITES:
            queue = self.playlists.get(genre, self.favorites)
        else:
            queue = [item for item in (*self.music, *self.shows) if (item.source, item.genre) == (source, genre)]
        if shuffled:
            queue = sorted(queue, key=lambda item: zlib.crc32(item.title.encode()))
        titles = [item.title for item in queue]
        return queue[(titles.index(title) + step) % len(queue)] if title in titles else None

    def _songs(self, name: str, titles: Sequence[str]) -> tuple[Item, ...]:
        known = {item.title: item for item in reversed(self.music)}
        missing = next((title for title in titles if title not in known), None)
        if missing is not None:
            raise ConfigError(f"{name} holds {missing!r}, which no artist of the media library has")
        return tuple(replace(known[title], genre=name) for title in titles)

    def _named(self, items: Sequence[Item], name: str | None) -> Item | None:
        if name is None:
            return next(iter(items), None)
        return next((item for item in items if _same(name, self._names[item.title])), None)

    @staticmethod
    def _of_genre(items: Sequence[Item], genre: str | None) -> Item | None:
        if genre is None:
            return next(iter(items), None)
        return next((item for item in items if _same(genre, [item.genre])), None)
