"""The media library: its file, and what is chosen from it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from schemas.errors import ConfigError
from vehicle.media import MediaLibrary

LIBRARY = MediaLibrary.load()


@pytest.mark.parametrize(
    ("wanted", "spoken"),
    [
        ({}, "So What by Miles Davis"),
        ({"genre": "jazz"}, "So What by Miles Davis"),
        ({"genre": "rock"}, "Bohemian Rhapsody by Queen"),
        ({"artist": "the beatles"}, "Hey Jude by The Beatles"),
        ({"artist": "mozart"}, "A Little Night Music by Wolfgang Amadeus Mozart"),
        ({"artist": "abba", "song": "mamma mia"}, "Mamma Mia by ABBA"),
        ({"song": "take five"}, "Take Five by Dave Brubeck"),
    ],
)
def test_songs(wanted: dict[str, str], spoken: str) -> None:
    item = LIBRARY.song(**wanted)
    assert item is not None
    assert item.spoken == spoken
    assert item.source == "music"


def test_what_contradicts_itself_is_not_found() -> None:
    assert LIBRARY.song(artist="abba", song="hey jude") is None


def test_the_genre_asked_for_is_the_one_that_plays() -> None:
    item = LIBRARY.song(genre="blues", artist="nina simone")
    assert item is not None
    assert item.genre == "blues"


@pytest.mark.parametrize(
    ("name", "spoken"),
    [(None, "Radio One"), ("jazz fm", "Jazz FM"), ("capital", "Capital FM"), ("soul", "Smooth Radio")],
)
def test_stations_by_name_then_by_genre(name: str | None, spoken: str) -> None:
    item = LIBRARY.station(name)
    assert item is not None
    assert item.spoken == spoken


def test_podcasts() -> None:
    anything, by_show, by_genre = LIBRARY.podcast(), LIBRARY.podcast(show="radiolab"), LIBRARY.podcast(genre="history")
    assert [item.spoken for item in (anything, by_show, by_genre) if item] == [
        "Serial",
        "Radiolab",
        "Stuff You Should Know",
    ]
    assert LIBRARY.podcast(show="unheard of") is None
    assert LIBRARY.podcast(genre="unheard of") is None


def test_neighbours_go_round() -> None:
    jazz = [item.title for item in LIBRARY.music if item.genre == "jazz"]
    heard: list[str] = []
    title = jazz[0]
    for _ in jazz:
        item = LIBRARY.neighbour("music", title, "jazz", 1)
        assert item is not None
        heard.append(title)
        title = item.title
    assert heard == jazz
    assert title == jazz[0]
    last = LIBRARY.neighbour("music", jazz[0], "jazz", -1)
    assert last is not None
    assert last.title == jazz[-1]
    show = LIBRARY.neighbour("podcast", "Planet Money", "economics", 1)
    assert show is not None
    assert show.title == "Freakonomics"
    assert LIBRARY.neighbour("music", "Nowhere", "jazz", 1) is None


@pytest.mark.parametrize("content", ["{", json.dumps({"artists": [], "stations": [], "podcasts": []})])
def test_a_file_of_another_form_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "media.json"
    path.write_text(content)
    with pytest.raises(ConfigError, match="is no media library"):
        MediaLibrary.load(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read the media library"):
        MediaLibrary.load(tmp_path / "none.json")


def test_a_station_by_its_frequency() -> None:
    for station in LIBRARY.radio:
        assert LIBRARY.station(station.title) == station
    found = {LIBRARY.station(mhz) for mhz in LIBRARY.frequencies()}
    assert None not in found and len(found) == len(LIBRARY.frequencies()) == 11
    assert LIBRARY.station("99.1") is None and LIBRARY.station("ninety eight point five") is None
    told = MediaLibrary.load(mhz_of={"up there": 102.2}.get).station("up there")
    assert told is not None and told.title == "Jazz FM"
