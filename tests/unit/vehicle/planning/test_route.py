"""Routes over the catalogue of places: stops, alternatives, the way along, charging stops."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.actions import parse_action
from schemas.events import VehicleState
from vehicle.media import MediaLibrary
from vehicle.organizer import Contact, Organizer
from vehicle.places import Place, Places
from vehicle.planning import Plan, Planner
from vehicle.planning.route import FAR_KM, alternatives
from vehicle.signals import SIGNALS, check_changes

PLACES = Places.load()
PLANNER = Planner(PLACES, MediaLibrary.load())
INITIAL = {name: signal.initial for name, signal in SIGNALS.items()}
WAY: dict[str, Any] = {
    "navigation.destination": "Marrowby Airport",
    "navigation.stops": ("Post Office", "Marrowby Zoo"),
}

FAR: dict[str, Any] = {"navigation.destination": "Marrowby Airport", "navigation.stops": ("Sandy Reach Beach",)}


def plan(name: str, values: dict[str, Any] | None = None, /, **slots: Any) -> Plan:
    made = PLANNER.plan(parse_action(name, slots), VehicleState(values=INITIAL | (values or {})))
    check_changes(made.changes)
    return made


def test_a_stop_is_taken_out_by_its_kind_and_put_in_once() -> None:
    way = {**WAY, "navigation.stops": ("Crown Pharmacy", "Hedgerow Bread", "Lidl Mill Lane")}
    for said, left in (("the supermarket", 2), ("pharmacy", 0), ("bakery", 1), ("the lidl", 2)):
        stops = plan("remove_stop", way, destination=said).changes["navigation.stops"]
        assert way["navigation.stops"][left] not in stops and len(stops) == 2
    assert plan("remove_stop", way, destination="the cafe").refusal
    again = plan("add_stop", way, destination="crown pharmacy")
    assert again.changes == {"navigation.stops": way["navigation.stops"]}
    assert again.answer == {"name": "Crown Pharmacy", "on_route": True}


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("tom's", "Marrowby Zoo"),
        ("tom's place", "Marrowby Zoo"),
        ("my mother's house", "Post Office"),
        ("olga's", None),
    ],
)
def test_one_goes_to_where_somebody_lives(said: str, place: str | None) -> None:
    known = [
        Contact(name="Tom Hall", also=("tom",), address="zoo"),
        Contact(name="Mum", address="the post office"),
        Contact(name="Olga"),
    ]
    planner = Planner(PLACES, MediaLibrary.load(), organizer=Organizer(lambda: 0.0, contacts=known))
    made = planner.plan(parse_action("navigate_to", {"destination": said}), VehicleState(values=INITIAL))
    assert made.changes.get("navigation.destination") == place


def test_a_stop_is_taken_out_by_name_or_the_next_one() -> None:
    assert plan("remove_stop", WAY, destination="the zoo").changes["navigation.stops"] == ("Post Office",)
    made = plan("remove_stop", WAY)
    assert made.changes["navigation.stops"] == ("Marrowby Zoo",)
    assert made.answer == {"name": "Post Office"}


def test_a_stop_is_replaced_where_it_stood() -> None:
    made = plan("replace_stop", WAY, stop="post office", destination="the harbour")
    assert made.changes["navigation.stops"] == ("Marrowby Harbour", "Marrowby Zoo")
    assert (made.answer["name"], made.answer["replaced"]) == ("Marrowby Harbour", "Post Office")
    assert plan("replace_stop", WAY, destination="atlantis") == Plan()


def test_the_end_changes_and_the_stops_stay() -> None:
    made = plan("change_destination", WAY, destination="home")
    assert made.changes["navigation.destination"] == "Home"
    assert made.changes["navigation.stops"] == ("Post Office", "Marrowby Zoo")
    assert plan("change_destination", destination="home").changes["navigation.stops"] == ()
    assert plan("change_destination", WAY, destination="atlantis") == Plan()


@pytest.mark.parametrize(
    ("name", "values", "slots", "words"),
    [
        ("remove_stop", {}, {}, "There is no stop on the route"),
        ("remove_stop", WAY, {"destination": "home"}, "ask me to take out Post Office instead"),
        ("replace_stop", {}, {"destination": "home"}, "There is no stop"),
        ("choose_route", {}, {"number": 1}, "There is no route to choose"),
        ("choose_route", {"navigation.destination": "Home"}, {"number": 3}, "There are only 2 routes"),
        ("add_charging_stops", {}, {}, "There is no route"),
    ],
)
def test_what_does_not_fit_the_route_is_refused(
    name: str, values: dict[str, Any], slots: dict[str, Any], words: str
) -> None:
    made = plan(name, values, **slots)
    assert words in made.refusal and not made.changes


def test_alternatives_differ_in_length_time_and_toll() -> None:
    told = plan("get_routes", FAR).answer
    assert told["destination"] == "Marrowby Airport"
    assert [way["name"] for way in told["routes"]] == ["fastest", "shortest", "avoid_highways"]
    assert [way["toll"] for way in told["routes"]] == [True, False, False]
    quick, plain, slow = told["routes"]
    assert quick["minutes"] < plain["minutes"] < slow["minutes"] and plain["km"] < quick["km"]
    chosen = plan("choose_route", FAR, number=1)
    assert chosen.changes["navigation.route"] == 1 and chosen.changes["navigation.minutes"] == quick["minutes"]
    assert chosen.proof == {"navigation.route": 1}
    assert plan("get_routes").answer == {"routes": [], "destination": ""}


@pytest.mark.parametrize(("km", "ways"), [(FAR_KM - 0.1, 2), (FAR_KM, 3)])
def test_a_short_route_has_no_motorway(km: float, ways: int) -> None:
    assert len(alternatives(km, 20)) == ways


def test_along_the_route_is_what_costs_least_way() -> None:
    here = plan("find_place", kind="charging_station").answer["name"]
    along = plan("find_on_route", {"navigation.destination": "Sandy Reach Beach"}, kind="charging_station")
    assert (here, along.answer["name"]) == ("Allego Town Hall", "Tesla Retail Park")
    assert along.changes["navigation.stops"] == (along.answer["name"],)
    assert along.changes["navigation.destination"] == "Sandy Reach Beach"
    assert plan("find_on_route", WAY, kind="restaurant", quality="klingon") == Plan()
    assert plan("find_on_route", kind="charging_station").changes["navigation.destination"] == here


def test_what_is_near_is_told_without_going_there() -> None:
    told = plan("list_places", kind="restaurant", quality="italian")
    assert [place["name"] for place in told.answer["places"]] == ["Trattoria Limoncella", "Casa Fiorenza"]
    assert not told.changes
    assert plan("list_places", kind="restaurant", quality="klingon").answer["places"] == []
    assert len(plan("list_places", kind="restaurant").answer["places"]) == 3


def test_how_far_it_is() -> None:
    airport = PLACES.named("Marrowby Airport")
    assert airport is not None
    told = plan("get_distance", destination="the airport").answer
    assert told == {"name": "Marrowby Airport", "km": round(airport.road_km(), 1), "minutes": airport.minutes()}
    assert plan("get_distance", destination="atlantis") == Plan()


def test_charging_stops_are_added_only_where_needed() -> None:
    enough = plan("add_charging_stops", WAY)
    assert (enough.answer["stops"], dict(enough.changes)) == ([], {})
    assert 0 < enough.answer["charge_percent"] < 72
    low = plan("add_charging_stops", {**WAY, "battery.charge": 10.0, "battery.range": 35.0})
    (added,) = low.answer["stops"]
    assert added in low.changes["navigation.stops"]
    assert low.changes["navigation.destination"] == "Marrowby Airport"
    assert low.answer["charge_percent"] > 50
    empty = plan("add_charging_stops", {**WAY, "battery.charge": 0.1, "battery.range": 0.2})
    assert "no charger that we could reach" in empty.refusal


def test_coordinates_are_around_the_towns_centre() -> None:
    centre = Place(name="here", kind="destination", east_km=0.0, north_km=0.0)
    north = Place(name="north", kind="destination", east_km=0.0, north_km=111.2)
    town = Places([centre, north], latitude=54.5, longitude=3.5)
    assert town.coordinates(centre) == (54.5, 3.5)
    assert town.coordinates(north) == (55.5, 3.5)
    assert town.named("north") is north and town.named("South") is None
