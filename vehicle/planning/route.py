"""Plans of navigation: destinations, stops, alternatives, and the charging stops that a route needs.

The places are a catalogue without roads (``vehicle.places``), so lengths and minutes are estimates, and the three
alternatives are three ways of estimating: the quickest by motorway with a toll, the shortest, and one without motorways.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schemas import actions as a
from schemas.events import VehicleState
from vehicle.organizer import Organizer
from vehicle.places import Place
from vehicle.planning.plan import Plan, direct, present
from vehicle.sources import PlaceSource

FAR_KM = 15.0
"""A route shorter than this has no motorway to take. Our choice."""

RESERVE = 0.15
"""Share of a full charge that a route should leave: one is added before it would not. Our choice."""

_NO_ROUTE = "There is no route; tell me where to go first."
_UNKNOWN_PLACE = "I don't know the place that it should be near; ask me for one near here."
NEAR_KM = 4.0
"""How far by road "near" a place reaches. Our choice: ten minutes in town."""
_MOST_NAMED = 3
"""Places named at once: more are not kept in mind by ear."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """One of the ways to the destination. ``name`` is a value of ``navigation.preference`` or close to it."""

    name: str
    km: float
    minutes: int
    toll: bool

    def told(self, number: int) -> dict[str, Any]:
        """As an answer: number, name, km, minutes, toll."""
        return {
            "number": number,
            "name": self.name,
            "km": round(self.km, 1),
            "minutes": self.minutes,
            "toll": self.toll,
        }


_HOME = re.compile(r"(?:'s|s')?(?: (?:place|house|home|flat|apartment|address))?$")
"""What follows a name where the place is meant at which somebody lives."""


class Routes:
    """Plans routes over a catalogue of places."""

    def __init__(self, places: PlaceSource, organizer: Organizer) -> None:
        """Routes between these places, and to where somebody lives who is known."""
        self._places, self._organizer = places, organizer

    def plan(self, action: a.Action, state: VehicleState) -> Plan:
        """What a navigation action writes and answers.

        Raises:
            schemas.errors.AdapterError: the vehicle does not report its route.
        """
        match action:
            case a.NavigateTo(destination=name):
                return self._go(self._destination(name))
            case a.FindPlace(near=near) | a.ListPlaces(near=near) if near is not None:
                start = self._destination(near)
                return self._around(action, start) if start else Plan(refusal=_UNKNOWN_PLACE)
            case a.FindPlace() | a.ListPlaces():
                return self._around(action, None)
            case a.FindOnRoute(kind=kind, quality=quality):
                way = self._way(state)
                found = self._places.find(kind, quality, between=way, but=action.spares)
                return self._stop(found.place, state, reason=found.reason) if found else Plan()
            case a.AddStop(destination=name):
                return self._stop(self._destination(name), state)
            case a.RemoveStop(destination=name):
                return self._without(name, state)
            case a.ReplaceStop(stop=stop, destination=name):
                return self._replaced(stop, self._destination(name), state)
            case a.ChangeDestination(destination=name):
                return self._elsewhere(self._destination(name), state)
            case a.CancelNavigation():
                going = state.values.get("navigation.destination") != ""
                return Plan(*_cleared()) if going else Plan(refusal=_NO_ROUTE)
            case a.GetRoutes():
                told = [way.told(number) for number, way in enumerate(self._alternatives(state), 1)]
                return Plan(answer={"routes": told, "destination": present(state, "navigation.destination")})
            case a.ChooseRoute(number=number):
                return self._chosen(number, state)
            case a.AddChargingStops():
                return self._charged(state)
            case a.GetDistance(destination=name):
                place = self._destination(name)
                if place is None:
                    return Plan()
                return Plan(answer={"name": place.name, "km": round(place.road_km(), 1), "minutes": place.minutes()})
            case _:
                return Plan(direct(action))

    def _destination(self, name: str) -> Place | None:
        """The place of that name, or else the address of the contact that is meant: "tom's", "my mum's house"."""
        place = self._places.destination(name)
        if place is None:
            who = self._organizer.contact(_HOME.sub("", name))
            place = self._places.destination(who.address) if who is not None and who.address else None
        return place

    # Reading the present route -----------------------------------------------------------------------------------------

    def _way(self, state: VehicleState) -> tuple[Place, ...]:
        """The places still to come, in order; what is not in the catalogue is left out."""
        names = (*present(state, "navigation.stops"), present(state, "navigation.destination"))
        return tuple(place for name in names if name and (place := self._places.named(name)) is not None)

    def _alternatives(self, state: VehicleState) -> list[Alternative]:
        way = self._way(state)
        return alternatives(*_length(way)) if way else []

    # Finding one -------------------------------------------------------------------------------------------------------

    def _around(self, action: a.FindPlace | a.ListPlaces, start: Place | None) -> Plan:
        """Places around another one, or around the car: the way there is told from where the car is."""
        where = {"near": start.name} if start is not None else {}
        if isinstance(action, a.FindPlace):
            found = self._places.find(action.kind, action.quality, start=start, but=action.spares)
            if found is not None and start is not None and found.place.road_km(start) > NEAR_KM:
                return Plan(refusal=f"Near {start.name} I know of none; the nearest to it is {found.place.name}.")
            return self._go(found.place, reason=found.reason, **where) if found else Plan()
        near = self._places.ranked(action.kind, action.quality, start=start, but=action.spares)[:_MOST_NAMED]
        told = [{"name": place.name, "minutes": place.minutes()} for place in near]
        return Plan(answer={"kind": action.kind, "places": told, **where})

    # Planning a new one ------------------------------------------------------------------------------------------------

    def _go(self, place: Place | None, **more: str) -> Plan:
        """A new route there; nothing where the place is not known."""
        if place is None:
            return Plan()
        answer = {"name": place.name, "minutes": place.minutes(), **more}
        return self._route((), place, answer)

    def _route(self, stops: Sequence[Place], end: Place, answer: Mapping[str, Any]) -> Plan:
        km, minutes = _length((*stops, end))
        latitude, longitude = self._places.coordinates(end)
        changes: dict[str, Any] = {
            "navigation.destination": end.name,
            "navigation.stops": tuple(stop.name for stop in stops),
            "navigation.minutes": minutes,
            "navigation.kilometers": round(km, 1),
            "navigation.route": 1,
            "navigation.latitude": latitude,
            "navigation.longitude": longitude,
        }
        return Plan(changes, answer, frozenset({"navigation.minutes", "navigation.kilometers"}))

    def _stop(self, stop: Place | None, state: VehicleState, **more: str) -> Plan:
        """The way by the new stop; without a route, the stop becomes the destination."""
        way = self._way(state)
        if stop is None or not way:
            return self._go(stop, **more)
        if stop in way:
            names = tuple(present(state, "navigation.stops"))
            return Plan({"navigation.stops": names}, {"name": stop.name, "on_route": True, **more})
        stops, end = (*way[:-1], stop), way[-1]
        answer = {"name": stop.name, "minutes": stop.minutes(stops[-2] if len(stops) > 1 else None), **more}
        return self._route(stops, end, answer)

    def _without(self, name: str | None, state: VehicleState) -> Plan:
        way = self._way(state)
        stops = way[:-1]
        found = self._among(stops, name)
        if found is None:
            return Plan(refusal=_no_such_stop(stops, name))
        return self._route([stop for stop in stops if stop is not found], way[-1], {"name": found.name})

    def _replaced(self, name: str | None, place: Place | None, state: VehicleState) -> Plan:
        way = self._way(state)
        stops = way[:-1]
        found = self._among(stops, name)
        if found is None:
            return Plan(refusal=_no_such_stop(stops, name))
        if place is None:
            return Plan()
        answer = {"name": place.name, "minutes": place.minutes(), "replaced": found.name}
        return self._route([place if stop is found else stop for stop in stops], way[-1], answer)

    def _elsewhere(self, place: Place | None, state: VehicleState) -> Plan:
        way = self._way(state)
        if place is None or not way:
            return self._go(place)
        _, minutes = _length((*way[:-1], place))
        return self._route(way[:-1], place, {"name": place.name, "minutes": minutes})

    def _among(self, stops: Sequence[Place], name: str | None) -> Place | None:
        if name is None:
            return stops[0] if stops else None
        wanted = self._destination(name)
        if (found := next((stop for stop in stops if stop is wanted), None)) is not None:
            return found
        alike = [stop for stop in stops if stop.is_a(name)]
        return alike[-1] if alike else None

    def _chosen(self, number: int, state: VehicleState) -> Plan:
        ways = self._alternatives(state)
        if not ways:
            return Plan(refusal="There is no route to choose; tell me where to go, then ask me for the routes.")
        if number > len(ways):
            return Plan(refusal=f"There are only {len(ways)} routes; ask me for the routes to hear them.")
        chosen = ways[number - 1]
        changes = {
            "navigation.route": number,
            "navigation.minutes": chosen.minutes,
            "navigation.kilometers": round(chosen.km, 1),
        }
        return Plan(changes, chosen.told(number), frozenset({"navigation.minutes", "navigation.kilometers"}))

    def _charged(self, state: VehicleState) -> Plan:
        """Chargers put in where the charge would fall below the reserve."""
        way = self._way(state)
        if not way:
            return Plan(refusal=_NO_ROUTE)
        reach, charge = float(present(state, "battery.range")), state.values.get("battery.charge")
        full = reach / (charge / 100.0) if charge else reach
        left, here = reach, None
        stops: list[Place] = []
        added: list[str] = []
        for place in way:
            if left - place.road_km(here) < RESERVE * full:
                found = self._places.find("charging_station", None, start=here)
                if found is None or left < found.place.road_km(here):
                    return Plan(refusal="I know of no charger that we could reach; ask me for the nearest charger.")
                stops.append(found.place)
                added.append(found.place.name)
                left, here = full, found.place
            left -= place.road_km(here)
            stops.append(place)
            here = place
        arrival = {"stops": added, "charge_percent": max(0, math.floor(100.0 * left / full))}
        return self._route(stops[:-1], stops[-1], arrival) if added else Plan(answer=arrival)


def alternatives(km: float, minutes: int) -> list[Alternative]:
    """The ways of a route whose estimate is this, quickest first; a short one has no motorway to take."""
    plain = Alternative("shortest", km, minutes, False)
    if km < FAR_KM:
        return [plain, Alternative("avoid_highways", 1.1 * km, math.ceil(1.2 * minutes), False)]
    quick = Alternative("fastest", 1.1 * km, math.ceil(0.85 * minutes), True)
    return [quick, plain, Alternative("avoid_highways", 1.05 * km, math.ceil(1.25 * minutes), False)]


def _length(way: Sequence[Place]) -> tuple[float, int]:
    """Kilometres and minutes from the car through these places."""
    starts = [None, *way[:-1]]
    legs = list(zip(way, starts, strict=True))
    return sum(place.road_km(start) for place, start in legs), sum(place.minutes(start) for place, start in legs)


def _cleared() -> tuple[dict[str, Any], dict[str, Any], frozenset[str]]:
    numbers = dict.fromkeys(("navigation.minutes", "navigation.kilometers"), 0)
    changes: dict[str, Any] = {"navigation.destination": "", "navigation.stops": (), **numbers, "navigation.route": 1}
    return changes, {}, frozenset(numbers)


def _no_such_stop(stops: Sequence[Place], name: str | None) -> str:
    if not stops or name is None:
        return "There is no stop on the route; ask me to add one."
    return f"That is no stop on the route; ask me to take out {stops[0].name} instead."
