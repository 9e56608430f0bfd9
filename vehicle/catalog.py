"""From an action to what is written to the vehicle, and from the vehicle to an answer.

Owns which signals an action needs, how relative changes resolve against the present state, what is switched along with
what was asked, and which signals prove that it is done. Decides nothing about safety (``vehicle.gate``) and writes
nothing (``vehicle.service``).

Switched along (CAR-bench policies 005, 010, 011, which want these pairs): opening the sunroof opens the sunshade at least
as far; the front defroster brings fan 2, air at the windscreen and air conditioning; air conditioning brings fan 1;
a colour or brightness of the ambient light switches it on, brightness 0 off; setting or raising the volume ends muting.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from schemas import actions as a
from schemas.errors import AdapterError
from schemas.events import VehicleState
from vehicle.media import Item, MediaLibrary
from vehicle.places import Place, Places
from vehicle.signals import SIGNALS, TIRE_LOW_KPA, TIRES, WINDOWS

TEMPERATURE_STEP = 1.5
"""Degrees that "warmer" and "cooler" mean: smaller steps are hardly felt. Our choice."""

PERCENT_STEP = 10
"""What "louder" and "brighter" mean, in percent. Our choice."""

SEAT_STEP_MM = 20
"""How far the seat moves at a time: little enough to notice and stop. Our choice."""

_TEMPERATURES = ("climate.driver.temperature", "climate.passenger.temperature")
_DEFROST = (
    "climate.defrost_front",
    "climate.defrost_rear",
    "climate.fan",
    "climate.airflow",
    "climate.air_conditioning",
)
_AMBIENT = "light.ambient"
_MEDIA = ("media.source", "media.title", "media.artist", "media.genre", "media.playing", "media.muted")
_ROUTE = ("navigation.destination", "navigation.stops", "navigation.minutes")

SIGNALS_OF: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "set_temperature": _TEMPERATURES,
    "change_temperature": _TEMPERATURES,
    "set_fan_speed": ("climate.fan",),
    "change_fan_speed": ("climate.fan",),
    "set_air_conditioning": ("climate.air_conditioning", "climate.fan"),
    "set_airflow": ("climate.airflow",),
    "set_recirculation": ("climate.recirculation",),
    "set_defrost": _DEFROST,
    "set_seat_heating": ("seat.driver.heating", "seat.passenger.heating"),
    "set_seat_ventilation": ("seat.driver.ventilation", "seat.passenger.ventilation"),
    "set_steering_wheel_heating": ("steering_wheel.heating",),
    "move_seat": ("seat.driver.position", "seat.driver.height"),
    "set_window": WINDOWS["all"],
    "set_sunroof": ("sunroof.position", "sunroof.shade"),
    "set_sunshade": ("sunroof.shade",),
    "set_trunk": ("trunk.position",),
    "set_door_locks": ("doors.locked",),
    "set_mirrors": ("mirrors.folded",),
    "set_ambient_light": (f"{_AMBIENT}.on",),
    "set_ambient_color": (f"{_AMBIENT}.on", f"{_AMBIENT}.color"),
    "set_ambient_brightness": (f"{_AMBIENT}.on", f"{_AMBIENT}.brightness"),
    "change_ambient_brightness": (f"{_AMBIENT}.on", f"{_AMBIENT}.brightness"),
    "set_reading_light": ("light.reading.driver", "light.reading.passenger"),
    "set_dome_light": ("light.dome",),
    "set_low_beam": ("light.low_beam",),
    "set_high_beam": ("light.high_beam",),
    "set_fog_lights": ("light.fog",),
    "play_music": _MEDIA,
    "play_radio": _MEDIA,
    "play_podcast": _MEDIA,
    "set_volume": ("media.volume", "media.muted"),
    "change_volume": ("media.volume", "media.muted"),
    "set_playback": _MEDIA,
    "set_mute": ("media.muted",),
    "navigate_to": _ROUTE,
    "find_place": _ROUTE,
    "add_stop": _ROUTE,
    "cancel_navigation": _ROUTE,
    "set_route_preference": ("navigation.preference",),
    "get_range": ("battery.range", "battery.charge"),
    "get_tire_pressure": TIRES,
    "get_outside_temperature": ("outside.temperature",),
    "get_cabin_temperature": ("climate.cabin_temperature", "climate.driver.temperature"),
    "get_navigation": _ROUTE,
})  # fmt: skip
"""Signals that an action reads or writes: a vehicle has the action if it has all of them."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What an action comes to in a state."""

    changes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Signal -> target value, to be written together."""
    answer: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What was read or chosen, for ``ActionResult.answer``."""
    unproven: frozenset[str] = frozenset()
    """Signals that change by themselves, so that their value proves nothing."""
    refusal: str = ""
    """Why it cannot be done though it is allowed; a sentence to speak. Empty when it can."""

    @property
    def proof(self) -> Mapping[str, Any]:
        """The changes that must be seen in the vehicle's current values before anyone says "done"."""
        return {name: value for name, value in self.changes.items() if name not in self.unproven}


def actions_for(signals: frozenset[str]) -> frozenset[str]:
    """Names of the actions that a vehicle with these signals has."""
    return frozenset(name for name, needed in SIGNALS_OF.items() if signals.issuperset(needed))


class Catalog:
    """Plans actions with what is known of places and media."""

    def __init__(self, places: Places, media: MediaLibrary) -> None:
        """A catalogue over these."""
        self._places, self._media = places, media

    def plan(self, action: a.Action, state: VehicleState) -> Plan:
        """What to write and what to answer.

        Raises:
            schemas.errors.AdapterError: a relative change or a question needs a signal that the vehicle does not report.
        """
        match action.domain:
            case a.Domain.CLIMATE:
                return Plan(_climate(action, state))
            case a.Domain.SEATS:
                return Plan(_seats(action, state))
            case a.Domain.OPENINGS:
                return Plan(_openings(action, state))
            case a.Domain.LIGHTS:
                return Plan(_lights(action, state))
            case a.Domain.MEDIA:
                return self._plan_media(action, state)
            case a.Domain.NAVIGATION:
                return self._plan_route(action, state)
            case a.Domain.STATUS:
                return Plan(answer=_status(action, state))
            case _:
                raise _unplanned(action)

    def _plan_media(self, action: a.Action, state: VehicleState) -> Plan:
        match action:
            case a.PlayMusic(genre=genre, artist=artist, song=song):
                return _play(self._media.song(genre=genre, artist=artist, song=song), "a genre, an artist or a song")
            case a.PlayRadio(station=station):
                return _play(self._media.station(station), "a station")
            case a.PlayPodcast(show=show, genre=genre):
                return _play(self._media.podcast(show=show, genre=genre), "a show or a genre")
            case a.SetVolume(percent=percent):
                return Plan({"media.volume": percent, "media.muted": False})
            case a.ChangeVolume(change=change):
                louder = {"media.muted": False} if change == "up" else {}
                return Plan({"media.volume": _stepped(state, "media.volume", change, PERCENT_STEP), **louder})
            case a.SetMute(on=on):
                return Plan({"media.muted": on})
            case a.SetPlayback(command="pause"):
                return Plan({"media.playing": False})
            case a.SetPlayback(command=command):
                return self._playback(command, state)
            case _:
                raise _unplanned(action)

    def _playback(self, command: str, state: VehicleState) -> Plan:
        source = _value(state, "media.source")
        if source == "off":
            return _play(self._media.song(), "a genre, an artist or a song")
        if command == "play":
            return Plan({"media.playing": True})
        step = 1 if command == "next" else -1
        item = self._media.neighbour(source, _value(state, "media.title"), _value(state, "media.genre"), step)
        return _play(item or self._media.song(), "a genre, an artist or a song")

    def _plan_route(self, action: a.Action, state: VehicleState) -> Plan:
        match action:
            case a.NavigateTo(destination=name):
                return _go(self._places.destination(name))
            case a.FindPlace(kind=kind, quality=quality):
                found = self._places.find(kind, quality)
                return _go(found.place, reason=found.reason) if found else Plan()
            case a.AddStop(destination=name):
                return self._stop(self._places.destination(name), state)
            case a.CancelNavigation():
                return _route("", (), 0)
            case a.SetRoutePreference(preference=preference):
                return Plan({"navigation.preference": preference})
            case _:
                raise _unplanned(action)

    def _stop(self, stop: Place | None, state: VehicleState) -> Plan:
        """The way by the new stop; without a route, the stop becomes the destination."""
        heading = _value(state, "navigation.destination")
        if stop is None or not heading:
            return _go(stop)
        stops = (*_value(state, "navigation.stops"), stop.name)
        way = [place for name in (*stops, heading) if (place := self._places.destination(name)) is not None]
        starts = [None, *way[:-1]]
        minutes = sum(place.minutes(start) for place, start in zip(way, starts, strict=True))
        answer = {"name": stop.name, "minutes": stop.minutes(way[-3] if len(way) > 2 else None)}
        return _route(heading, stops, minutes, answer)


def _unplanned(action: a.Action) -> AdapterError:
    return AdapterError(f"the catalogue has no plan for {action.name}")


def _value(state: VehicleState, name: str) -> Any:
    """The present value of a signal that must be known."""
    value = state.values.get(name)
    if value is None:
        raise AdapterError(f"the vehicle does not report {name}")
    return value


def _stepped(state: VehicleState, name: str, change: str, step: float) -> Any:
    """The value one step up or down, within the signal's range."""
    signal, value = SIGNALS[name], _value(state, name)
    return min(signal.high, max(signal.low, value + (step if change == "up" else -step)))


def _sides(zone: str, template: str) -> tuple[str, ...]:
    return tuple(template.format(side) for side in (("driver", "passenger") if zone == "all" else (zone,)))


def _climate(action: a.Action, state: VehicleState) -> dict[str, Any]:
    match action:
        case a.SetTemperature(celsius=celsius, zone=zone):
            return dict.fromkeys(_sides(zone, "climate.{}.temperature"), celsius)
        case a.ChangeTemperature(change=change, zone=zone):
            names = _sides(zone, "climate.{}.temperature")
            return {name: _stepped(state, name, change, TEMPERATURE_STEP) for name in names}
        case a.SetFanSpeed(level=level):
            return {"climate.fan": level}
        case a.ChangeFanSpeed(change=change):
            return {"climate.fan": _stepped(state, "climate.fan", change, 1)}
        case a.SetAirConditioning(on=on):
            return {"climate.air_conditioning": on, **(_fan_at_least(state, 1) if on else {})}
        case a.SetAirflow(direction=direction):
            return {"climate.airflow": direction}
        case a.SetRecirculation(on=on):
            return {"climate.recirculation": on}
        case a.SetDefrost(window=window, on=on):
            sides = ("front", "rear") if window == "all" else (window,)
            changes: dict[str, Any] = {f"climate.defrost_{side}": on for side in sides}
            if on and "front" in sides:
                changes |= {
                    "climate.air_conditioning": True,
                    "climate.airflow": "windshield",
                    **_fan_at_least(state, 2),
                }
            return changes
        case _:
            raise _unplanned(action)


def _fan_at_least(state: VehicleState, level: int) -> dict[str, Any]:
    return {"climate.fan": level} if _value(state, "climate.fan") < level else {}


def _seats(action: a.Action, state: VehicleState) -> dict[str, Any]:
    match action:
        case a.SetSeatHeating(level=level, zone=zone):
            return dict.fromkeys(_sides(zone, "seat.{}.heating"), level)
        case a.SetSeatVentilation(level=level, zone=zone):
            return dict.fromkeys(_sides(zone, "seat.{}.ventilation"), level)
        case a.SetSteeringWheelHeating(level=level):
            return {"steering_wheel.heating": level}
        case a.MoveSeat(direction=direction):
            name = "seat.driver.position" if direction in ("forward", "back") else "seat.driver.height"
            # Position counts backwards from the front stop, as in VSS.
            return {name: _stepped(state, name, "up" if direction in ("back", "up") else "down", SEAT_STEP_MM)}
        case _:
            raise _unplanned(action)


def _openings(action: a.Action, state: VehicleState) -> dict[str, Any]:
    match action:
        case a.SetWindow(window=window, percent=percent):
            return dict.fromkeys(WINDOWS[window], percent)
        case a.SetSunroof(percent=percent):
            shade = _value(state, "sunroof.shade")
            return {"sunroof.position": percent, **({"sunroof.shade": percent} if shade < percent else {})}
        case a.SetSunshade(percent=percent):
            return {"sunroof.shade": percent}
        case a.SetTrunk(open=wanted):
            return {"trunk.position": 100 if wanted else 0}
        case a.SetDoorLocks(locked=locked):
            return {"doors.locked": locked}
        case a.SetMirrors(folded=folded):
            return {"mirrors.folded": folded}
        case _:
            raise _unplanned(action)


def _lights(action: a.Action, state: VehicleState) -> dict[str, Any]:
    match action:
        case a.SetAmbientLight(on=on):
            return {f"{_AMBIENT}.on": on}
        case a.SetAmbientColor(color=color):
            return {f"{_AMBIENT}.on": True, f"{_AMBIENT}.color": color}
        case a.SetAmbientBrightness(percent=percent):
            return {f"{_AMBIENT}.on": percent > 0, f"{_AMBIENT}.brightness": percent}
        case a.ChangeAmbientBrightness(change=change):
            percent = _stepped(state, f"{_AMBIENT}.brightness", change, PERCENT_STEP)
            return {f"{_AMBIENT}.on": percent > 0, f"{_AMBIENT}.brightness": percent}
        case a.SetReadingLight(zone=zone, on=on):
            return dict.fromkeys(_sides(zone, "light.reading.{}"), on)
        case a.SetDomeLight() | a.SetLowBeam() | a.SetHighBeam():
            return {f"light.{action.name.removeprefix('set_').removesuffix('_light')}": action.on}
        case a.SetFogLights(on=on):
            return {"light.fog": on}
        case _:
            raise _unplanned(action)


def _play(item: Item | None, ask_for: str) -> Plan:
    if item is None:
        return Plan(refusal=f"I can't find that in the library; ask me for {ask_for} that is in it.")
    changes = {
        "media.source": item.source,
        "media.title": item.title,
        "media.artist": item.artist,
        "media.genre": item.genre,
        "media.playing": True,
        "media.muted": False,
    }
    return Plan(changes, {"title": item.spoken, "genre": item.genre})


def _route(destination: str, stops: tuple[str, ...], minutes: int, answer: Mapping[str, Any] | None = None) -> Plan:
    changes = {"navigation.destination": destination, "navigation.stops": stops, "navigation.minutes": minutes}
    return Plan(changes, answer or {}, frozenset({"navigation.minutes"}))


def _go(place: Place | None, **more: str) -> Plan:
    """A new route there; nothing where the place is not known."""
    if place is None:
        return Plan()
    return _route(place.name, (), place.minutes(), {"name": place.name, "minutes": place.minutes(), **more})


def _status(action: a.Action, state: VehicleState) -> dict[str, Any]:
    match action:
        case a.GetRange():
            return {
                "range_km": round(_value(state, "battery.range")),
                "charge_percent": round(_value(state, "battery.charge")),
            }
        case a.GetTirePressure():
            pressures = {name.removeprefix("tire."): _value(state, name) for name in TIRES}
            low = [name.replace("_", " ") for name, kpa in pressures.items() if kpa < TIRE_LOW_KPA]
            return {"low": low, "kpa": pressures}
        case a.GetOutsideTemperature():
            return {"celsius": _value(state, "outside.temperature")}
        case a.GetCabinTemperature():
            return {
                "celsius": _value(state, "climate.cabin_temperature"),
                "target_celsius": _value(state, "climate.driver.temperature"),
            }
        case a.GetNavigation():
            minutes = _value(state, "navigation.minutes")
            stops = list(_value(state, "navigation.stops"))
            return {"destination": _value(state, "navigation.destination"), "minutes": minutes, "stops": stops}
        case _:
            raise _unplanned(action)
