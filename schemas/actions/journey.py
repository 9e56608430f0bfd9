"""Actions on the way: navigation and charging."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from schemas.actions.base import (
    PLACE_DETAILS,
    Action,
    Domain,
    HalfDay,
    Hour,
    Minute,
    Minutes,
    Percent,
    PlaceKind,
    Words,
    words,
)
from schemas.actions.said import DRIVE_MODES, Slots, on_off, one_of, place, spoken_time

_ROUTE = ("navigation.destination", "navigation.stops", "navigation.minutes")
_CHARGE = ("battery.charge", "battery.capacity")
_PLACES = {detail: "quality" for details in PLACE_DETAILS.values() for detail in details}

# Navigation -----------------------------------------------------------------------------------------------------------


class NavigateTo(Action):
    name, domain, description = "navigate_to", Domain.NAVIGATION, "Start navigation to a destination by name."
    title, thing = "Route to", "navigation"
    examples = "take me home", "navigate to the central station"
    do = lambda s: "take you home" if s["destination"] == "home" else f"take you to {s['destination']}"
    tells = "name, minutes; empty: unknown place"
    needs = _ROUTE
    also = ("navigation.kilometers", "navigation.route", "navigation.latitude", "navigation.longitude")
    instead = (("navigation.latitude", "navigation.longitude"),)
    to_place = True
    destination: Words


class FindPlace(Action):
    name, domain = "find_place", Domain.NAVIGATION
    description = "Find a place nearby and navigate to it."
    title, thing = "Place nearby", "navigation"
    examples = "find a thai restaurant near me", "where is the nearest pharmacy"
    do = lambda s: f"take you to {place(s)}"
    tells = "name, minutes, reason; empty: nothing like it"
    needs = _ROUTE
    also = ("navigation.kilometers", "navigation.route", "navigation.latitude", "navigation.longitude")
    instead = (("navigation.latitude", "navigation.longitude"),)
    details = _PLACES
    to_place = True
    kind: PlaceKind
    quality: Words | None = None
    """What it should be like: a cuisine, a brand, a price, a feature."""
    near: Words | None = None
    """The place around which it is looked for; None: where the car is."""

    def takes(self, detail: str) -> bool:
        """Whether the detail matters for the kind of place."""
        return detail in PLACE_DETAILS.get(self.kind, ())


class FindOnRoute(Action):
    name, domain = "find_on_route", Domain.NAVIGATION
    description = "Find a place along the present route and add it as a stop."
    title, thing = "Place on the route", "navigation"
    examples = "find a charger on the way", "stop at the next petrol station on the route"
    do = lambda s: f"add {place(s)} on the way"
    tells = "name, minutes, reason; empty: nothing like it"
    needs = _ROUTE
    also = ("navigation.kilometers", "navigation.route", "navigation.latitude", "navigation.longitude")
    details = _PLACES
    to_place = True
    kind: PlaceKind
    quality: Words | None = None

    def takes(self, detail: str) -> bool:
        """Whether the detail matters for the kind of place."""
        return detail in PLACE_DETAILS.get(self.kind, ())


class ListPlaces(Action):
    name, domain, query = "list_places", Domain.NAVIGATION, True
    description = "Tell which places of a kind are nearby, without going there."
    title, thing = "Places nearby", "navigation"
    examples = "which restaurants are nearby", "are there any hotels around here"
    tells = "kind, places: [name, minutes]"
    details = _PLACES
    kind: PlaceKind
    quality: Words | None = None
    near: Words | None = None

    def takes(self, detail: str) -> bool:
        """Whether the detail matters for the kind of place."""
        return detail in PLACE_DETAILS.get(self.kind, ())


class AddStop(Action):
    name, domain, description = "add_stop", Domain.NAVIGATION, "Add a stop to the route by name."
    title = "Stop added"
    examples = "add a stop at the library", "stop at the museum on the way"
    do = lambda s: f"add a stop at {s['destination']}"
    tells = "name, minutes; empty: unknown place"
    needs = _ROUTE
    also = ("navigation.kilometers", "navigation.route", "navigation.latitude", "navigation.longitude")
    named_by = words("stop via over way add pass by through first pick")
    to_place = True
    destination: Words


class RemoveStop(Action):
    name, domain, description = (
        "remove_stop",
        Domain.NAVIGATION,
        "Take a stop out of the route; the next one unless named.",
    )
    title = "Stop removed"
    examples = "skip the next stop", "take the library out of the route"
    do = lambda s: f"take {s['destination'] or 'the next stop'} out of the route"
    tells = "name"
    needs = _ROUTE
    also = ("navigation.kilometers", "navigation.route", "navigation.latitude", "navigation.longitude")
    negatable = True
    destination: Words | None = None


class ReplaceStop(Action):
    name, domain, description = "replace_stop", Domain.NAVIGATION, "Go to another place instead of a stop on the route."
    title = "Stop replaced"
    examples = "stop at the park instead", "go via the museum instead of the library"
    do = lambda s: f"go to {s['destination']} instead"
    tells = "name, minutes, replaced; empty: unknown place"
    needs = _ROUTE
    also = ("navigation.kilometers", "navigation.route", "navigation.latitude", "navigation.longitude")
    negatable = True
    to_place = True
    stop: Words | None = None
    """None: the next one."""
    destination: Words


class ChangeDestination(Action):
    name, domain = "change_destination", Domain.NAVIGATION
    description = "Change where the route ends and keep its stops."
    title = "New destination"
    examples = "change the destination to the airport", "take me home instead"
    do = lambda s: f"go to {s['destination']} instead"
    tells = "name, minutes; empty: unknown place"
    needs = _ROUTE
    also = ("navigation.kilometers", "navigation.route", "navigation.latitude", "navigation.longitude")
    named_by = words("to destination instead go going drive take rather change navigate there")
    negatable = True
    to_place = True
    destination: Words


class CancelNavigation(Action):
    name, domain, description = "cancel_navigation", Domain.NAVIGATION, "End navigation."
    title = "Route ended"
    examples = "cancel the route", "stop navigating"
    do = lambda _: "end the navigation"
    done = lambda _: "Navigation ended"
    needs = _ROUTE
    also = ("navigation.kilometers", "navigation.route", "navigation.latitude", "navigation.longitude")
    named_by = words("cancel stop end abort navigation route guidance navigating quit forget destination")
    negatable = True


class SetRoutePreference(Action):
    name, domain = "set_route_preference", Domain.NAVIGATION
    description = "Choose the quickest or shortest route, or avoid a kind of road."
    title = "Kind of route"
    examples = "take the fastest route", "avoid motorways"
    do = one_of(
        "preference",
        fastest="take the fastest route",
        shortest="take the shortest route",
        avoid_highways="avoid motorways",
        avoid_tolls="avoid tolls",
        avoid_ferries="avoid ferries",
    )
    done = one_of(
        "preference",
        fastest="I'll take the fastest route",
        shortest="I'll take the shortest route",
        avoid_highways="I'll avoid motorways",
        avoid_tolls="I'll avoid toll roads",
        avoid_ferries="I'll avoid ferries",
    )
    sets = {"navigation.preference": "preference"}
    details = {
        "avoidance_of_specific_road_types": "preference",
        "priority_for_shortest_time_or_shortest_distance": "preference",
    }
    negatable = True
    preference: Literal["fastest", "shortest", "avoid_highways", "avoid_tolls", "avoid_ferries"]


class GetRoutes(Action):
    name, domain, query = "get_routes", Domain.NAVIGATION, True
    description = "Tell the alternative routes to the destination with their lengths, times and tolls."
    title, thing = "Routes", "navigation"
    examples = "what other routes are there", "is there a faster way"
    tells = "destination, routes: [number, name, km, minutes, toll]"
    needs = _ROUTE


class ChooseRoute(Action):
    name, domain, description = "choose_route", Domain.NAVIGATION, "Take one of the alternative routes by its number."
    title = "Route chosen"
    examples = "take the second route", "route number one"
    do = lambda s: f"take route {s['number']}"
    tells = "number, name, km, minutes, toll"
    sets = {"navigation.route": "number"}
    needs = (*_ROUTE, "navigation.route")
    also = ("navigation.kilometers", "navigation.route", "navigation.latitude", "navigation.longitude")
    number: Annotated[int, Field(ge=1, le=3)]


class AddChargingStops(Action):
    name, domain = "add_charging_stops", Domain.NAVIGATION
    description = "Add the charging stops that the route needs."
    title, thing = "Charging stops added", "charging planner"
    examples = "add charging stops", "where do i have to charge on the way"
    do = lambda _: "add charging stops"
    tells = "stops: names, charge_percent on arrival"
    needs = (*_ROUTE, "battery.range")
    also = ("navigation.kilometers", "navigation.route", "navigation.latitude", "navigation.longitude")


class SetGuidance(Action):
    name, domain, description = "set_guidance", Domain.NAVIGATION, "Switch the voice of the navigation on or off."
    title, thing = "Voice of the navigation", "voice guidance"
    examples = "turn off the voice guidance", "read out the directions"
    do = lambda s: f"turn the spoken directions {'on' if s['on'] else 'off'}"
    done = on_off("Voice guidance")
    sets = {"navigation.guidance": "on"}
    on: bool


class SetGuidanceVolume(Action):
    name, domain = "set_guidance_volume", Domain.NAVIGATION
    description = "Set how loud the voice of the navigation is, in percent."
    title, thing = "Volume of the navigation", "volume of its own for the navigation"
    examples = "navigation volume forty", "set the voice guidance to thirty percent"
    do = lambda s: f"set the volume of the navigation to {s['percent']} percent"
    done = lambda s: f"Navigation at {s['percent']} percent"
    sets = {"navigation.volume": "percent"}
    named_by = words("navigation guidance directions sat nav satnav")
    stride = 10
    percent: Percent


class GetDistance(Action):
    name, domain, query = "get_distance", Domain.NAVIGATION, True
    description = "How far it is to a place, and how long it takes."
    title = "Distance"
    examples = "how far is it to the airport", "how long does it take to get to oxford"
    tells = "name, km, minutes; empty: unknown place"
    named_by = words("far distance away long near close time minutes miles kilometres kilometers")
    to_place = True
    destination: Words


# Charging -------------------------------------------------------------------------------------------------------------


class SetCharging(Action):
    name, domain, description = "set_charging", Domain.CHARGING, "Start or stop charging the battery."
    title, thing = "Charging", "charging control"
    examples = "start charging", "stop charging now"
    do = lambda s: f"{'start' if s['on'] else 'stop'} charging"
    done = lambda s: "Charging" if s["on"] else "Charging stopped"
    sets = {"charging.active": "on"}
    needs = ("charging.active", "charging.plugged")
    on: bool


class SetChargeLimit(Action):
    name, domain, description = "set_charge_limit", Domain.CHARGING, "Set how full the battery is charged, in percent."
    title, thing = "Charge limit", "charge limit"
    examples = "charge to eighty percent", "don't charge above ninety percent"
    do = lambda s: f"set the charge limit to {s['percent']} percent"
    done = lambda s: f"Charging to {s['percent']} percent"
    sets = {"charging.limit": "percent"}
    negatable = True
    stride = 10
    percent: Annotated[int, Field(ge=50, le=100, multiple_of=5)]


class SetChargePort(Action):
    name, domain, description = "set_charge_port", Domain.CHARGING, "Open or close the charge port."
    title, thing = "Charge port", "electric charge port"
    examples = "open the charge port", "close the charging flap"
    do = lambda s: f"{'open' if s['open'] else 'close'} the charge port"
    done = lambda s: "Charge port open" if s["open"] else "Charge port closed"
    sets = {"charging.port_open": "open"}
    careful = True
    open: bool


def _charge_timer(slots: Slots) -> str:
    if not slots["on"] or slots["hour"] is None:
        return "No charging timer"
    return f"I'll begin to charge at {spoken_time(slots['hour'], slots['minute'], slots['half'])}"


class SetFuelDoor(Action):
    name, domain, description = "set_fuel_door", Domain.CHARGING, "Open or close the flap of the fuel tank."
    title, thing = "Fuel door", "electric fuel door"
    examples = "open the fuel door", "close the tank flap"
    do = lambda s: f"{'open' if s['open'] else 'close'} the fuel door"
    done = lambda s: "Fuel door open" if s["open"] else "Fuel door closed"
    sets = {"fuel.flap_open": "open"}
    careful = True
    open: bool


class SetDriveMode(Action):
    name, domain, description = "set_drive_mode", Domain.CHARGING, "Choose how the car drives: sport, economy, snow."
    title, thing = "Drive mode", "drive modes"
    examples = "switch to sport mode", "drive economically"
    do = lambda s: f"switch to {DRIVE_MODES[s['mode']]}"
    done = lambda s: f"Driving in {DRIVE_MODES[s['mode']]}"
    sets = {"drive.mode": "mode"}
    named_by = words("mode sport sporty eco economy economical economically normal snow rain comfort drive driving")
    careful = True
    mode: Literal["normal", "sport", "economy", "snow", "rain"]


class SetChargeTimer(Action):
    name, domain = "set_charge_timer", Domain.CHARGING
    description = "Begin to charge at a time of day, or drop that plan."
    title, thing = "Charging timer", "charging timer"
    examples = "start charging at ten p m", "cancel the charge timer"
    do = lambda s: "set the charging timer" if s["on"] else "drop the charging timer"
    done = _charge_timer
    tells = "at"
    needs = ("charging.timer",)
    negatable = True
    on: bool = True
    hour: Hour | None = None
    minute: Minute | None = None
    half: HalfDay | None = None


class GetCharging(Action):
    name, domain, query = "get_charging", Domain.CHARGING, True
    description = "Whether it charges, and how long to a percentage or how full after some minutes."
    title, thing = "Charging", "charging status"
    examples = "how long until it's full", "how long to eighty percent"
    tells = "charging, plugged, percent, limit, power_kw; to_percent, minutes; or after_minutes, percent_then"
    needs = ("charging.active", "charging.plugged", "charging.power", *_CHARGE)
    also = ("charging.limit",)
    percent: Percent | None = None
    minutes: Minutes | None = None
