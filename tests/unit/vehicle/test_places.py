"""The catalogue of places: its file, and what is found in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest

from schemas.actions import FindPlace
from schemas.errors import ConfigError
from vehicle.places import Place, Places

PLACES = Places.load()
KINDS: tuple[str, ...] = get_args(FindPlace.model_fields["kind"].annotation)


def test_the_town_has_something_of_every_kind() -> None:
    for kind in KINDS:
        found = PLACES.find(kind)
        assert found is not None
        assert found.place.kind == kind
    assert len(PLACES.places) >= 60
    named = [title for place in PLACES.places for title in (place.name, *place.also)]
    assert len({title.casefold() for title in named}) == len(named)


@pytest.mark.parametrize(
    ("kind", "quality", "name", "reason"),
    [
        ("restaurant", "italian", "Trattoria Limoncella", "italian; nearest of 2"),
        ("restaurant", "an Italian restaurant", "Trattoria Limoncella", "italian; nearest of 2"),
        ("restaurant", "cheap indian food", "Clay Oven House", "indian, cheap; the only one"),
        ("restaurant", "fine dining", "Bistro Hirondelle", "fine dining; nearest of 3"),
        ("restaurant", "itallian", "Trattoria Limoncella", "italian; nearest of 2"),
        ("restaurant", "good", "Trattoria Limoncella", "any; nearest of 28"),
        ("charging_station", "cafe", "Library Courtyard Charger", "cafe; nearest of 4"),
        ("charging_station", "a charger with a playground", "Tesla Retail Park", "playground; the only one"),
        ("fast_food", "burger", "Five Guys Market", "burgers, burger; nearest of 3"),
        ("fast_food", "burgers", "Five Guys Market", "burgers, burger; nearest of 3"),
        ("gas_station", "shell", "Shell Mill Lane", "shell; the only one"),
        ("gas_station", "cheapest", "Free Pump Co-op", "cheapest; the only one"),
        ("charging_station", "fast charging with wifi", "Fastned Meadow", "fast charging, fast, wifi; nearest of 2"),
        ("charging_station", "shell recharge", "Shell Recharge Mill Lane", "shell recharge, shell; the only one"),
        ("supermarket", "lidl", "Lidl Mill Lane", "lidl; the only one"),
        ("supermarket", "local markets", "Saturday Farmers' Market", "local market, local markets; nearest of 2"),
        ("parking", "covered and guarded", "Market Square Garage", "covered, guarded; nearest of 2"),
        ("parking", "parking garage", "Market Square Garage", "garage, parking garage; nearest of 3"),
        ("cafe", "kingfisher", "Café Kingfisher", "the name matches; the only one"),
    ],
)
def test_finding(kind: str, quality: str, name: str, reason: str) -> None:
    found = PLACES.find(kind, quality)
    assert found is not None
    assert (found.place.name, found.reason) == (name, reason)
    assert found.minutes == found.place.minutes()


@pytest.mark.parametrize(
    ("kind", "quality"), [("restaurant", "klingon"), ("cafe", "shell"), ("destination", "x"), ("moon", "")]
)
def test_nothing_that_matches_is_nothing(kind: str, quality: str) -> None:
    assert PLACES.find(kind, quality) is None


def test_half_of_the_telling_words_is_enough_and_more_is_better() -> None:
    partly = PLACES.find("restaurant", "vegan klingon")
    assert partly is not None
    assert "vegan" in partly.place.tags
    assert PLACES.find("restaurant", "vegan klingon romulan") is None


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("home", "Home"),
        ("the airport", "Marrowby Airport"),
        ("Marrowby airport", "Marrowby Airport"),
        ("central station", "Central Station"),
        ("city hall", "Town Hall"),
        ("my parents", "My parents"),
        ("work", "Work"),
        ("the hosptal", "St Brannock Hospital"),
        ("Trattoria Limoncella", "Trattoria Limoncella"),
    ],
)
def test_destinations_by_any_of_their_names(said: str, name: str) -> None:
    place = PLACES.destination(said)
    assert place is not None
    assert place.name == name


@pytest.mark.parametrize("said", ["", "the", "london", "worm", "airfield museum of the north"])
def test_a_destination_that_is_not_there(said: str) -> None:
    assert PLACES.destination(said) is None


def test_every_place_is_found_by_its_names() -> None:
    for place in PLACES.places:
        for title in (place.name, *place.also):
            assert PLACES.destination(title) == place


def test_minutes_grow_with_distance() -> None:
    here, near, far = (Place(name="x", kind="cafe", east_km=km, north_km=0.0) for km in (0.0, 1.0, 20.0))
    # 1.3 km of road at 30 km/h; 26 km: 4 at 30 km/h, 22 at 60 km/h; the way back is as long.
    assert (here.minutes(), near.minutes(), far.minutes(), here.minutes(far)) == (1, 3, 30, 30)


def write(tmp_path: Path, content: Any) -> Path:
    path = tmp_path / "places.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("not json", "is no catalogue of places"),
        ({"town": "A"}, "places: Field required"),
        ({"town": "A", "places": [{"name": "x", "kind": "volcano", "east_km": 0, "north_km": 0}]}, r"places\.0\.kind"),
        ({"town": "A", "places": [{"name": "x", "kind": "cafe", "east_km": 0, "north_km": 0}] * 2}, "names 'x' twice"),
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path: Path, content: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Places.load(write(tmp_path, content))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read the places"):
        Places.load(tmp_path / "none.json")


def test_an_own_file(tmp_path: Path) -> None:
    places = Places.load(
        write(tmp_path, {"town": "A", "places": [{"name": "Bar", "kind": "cafe", "east_km": 0, "north_km": 1}]})
    )
    found = places.find("cafe", "anything")
    assert found is None
    assert places.destination("bar") == places.places[0]


def test_what_a_place_should_not_be_is_turned_down_and_its_opposite_looked_for() -> None:
    places = Places.load()
    for quality in ("not too pricey", "nothing too expensive", "doesn't cost too much"):
        assert {"cheap"} <= set(places.ranked("hotel", quality)[0].tags)
    assert all("quiet" not in place.tags for place in places.ranked("restaurant", "not too quiet"))
