"""Which signals an action cannot do without, and with that: which actions a vehicle has.

A car with a second heated row has more signals than an action needs; what is not needed is written where it is offered.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from vehicle.signals import DOORS, SEATS, TIRES, WINDOWS

_TEMPERATURES = ("climate.driver.temperature", "climate.passenger.temperature")
_DEFROST = (
    "climate.defrost_front",
    "climate.defrost_rear",
    "climate.fan",
    "climate.airflow",
    "climate.air_conditioning",
)
_AMBIENT = "light.ambient"
_MEDIA = ("media.source", "media.title", "media.playing")
_HEARD = ("media.artist", "media.genre", "media.muted")
_ROUTE = ("navigation.destination", "navigation.stops", "navigation.minutes")
_CHARGE = ("battery.charge", "battery.capacity")

SIGNALS_OF: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "set_temperature": _TEMPERATURES,
    "change_temperature": _TEMPERATURES,
    "set_fan_speed": ("climate.fan",),
    "change_fan_speed": ("climate.fan",),
    "set_air_conditioning": ("climate.air_conditioning", "climate.fan"),
    "set_airflow": ("climate.airflow",),
    "set_recirculation": ("climate.recirculation",),
    "set_defrost": _DEFROST,
    "set_climate": ("climate.on",),
    "set_auto_climate": ("climate.auto",),
    "set_climate_sync": ("climate.sync", *_TEMPERATURES),
    "set_seat_heating": ("seat.driver.heating", "seat.passenger.heating"),
    "change_seat_heating": ("seat.driver.heating", "seat.passenger.heating"),
    "set_seat_ventilation": ("seat.driver.ventilation", "seat.passenger.ventilation"),
    "set_seat_massage": ("seat.driver.massage",),
    "change_lumbar": ("seat.driver.lumbar",),
    "set_steering_wheel_heating": ("steering_wheel.heating",),
    "change_steering_wheel_heating": ("steering_wheel.heating",),
    "move_seat": ("seat.driver.position", "seat.driver.height"),
    "recline_seat": ("seat.driver.recline",),
    "recall_seat_position": ("seat.driver.memory",),
    "set_window": WINDOWS["all"],
    "change_window": WINDOWS["all"],
    "set_sunroof": ("sunroof.position", "sunroof.shade"),
    "change_sunroof": ("sunroof.position", "sunroof.shade"),
    "set_sunshade": ("sunroof.shade",),
    "stop_moving": (),
    "set_trunk": ("trunk.position",),
    "set_door_locks": ("doors.locked",),
    "set_child_lock": ("doors.child_lock",),
    "set_mirrors": ("mirrors.folded",),
    "set_mirror_heating": ("mirrors.heating",),
    "set_ambient_light": (f"{_AMBIENT}.on",),
    "set_ambient_color": (f"{_AMBIENT}.on", f"{_AMBIENT}.color"),
    "set_ambient_brightness": (f"{_AMBIENT}.on", f"{_AMBIENT}.brightness"),
    "change_ambient_brightness": (f"{_AMBIENT}.on", f"{_AMBIENT}.brightness"),
    "set_reading_light": ("light.reading.driver", "light.reading.passenger"),
    "set_dome_light": ("light.dome",),
    "set_low_beam": ("light.low_beam",),
    "set_high_beam": ("light.high_beam",),
    "set_fog_lights": ("light.fog",),
    "set_display_brightness": ("display.brightness",),
    "change_display_brightness": ("display.brightness",),
    "set_display_mode": ("display.mode",),
    "set_unit": ("display.temperature_unit", "display.distance_unit"),
    "play_music": _MEDIA,
    "play_radio": _MEDIA,
    "play_podcast": _MEDIA,
    "play_playlist": _MEDIA,
    "play_favorites": _MEDIA,
    "set_media_source": ("media.source",),
    "set_volume": ("media.volume",),
    "change_volume": ("media.volume",),
    "set_playback": _MEDIA,
    "set_mute": ("media.muted",),
    "set_shuffle": ("media.shuffle",),
    "set_repeat": ("media.repeat",),
    "get_playing": _MEDIA,
    "navigate_to": _ROUTE,
    "find_place": _ROUTE,
    "find_on_route": _ROUTE,
    "list_places": (),
    "add_stop": _ROUTE,
    "remove_stop": _ROUTE,
    "replace_stop": _ROUTE,
    "change_destination": _ROUTE,
    "cancel_navigation": _ROUTE,
    "set_route_preference": ("navigation.preference",),
    "get_routes": _ROUTE,
    "choose_route": (*_ROUTE, "navigation.route"),
    "add_charging_stops": (*_ROUTE, "battery.range"),
    "set_guidance": ("navigation.guidance",),
    "get_distance": (),
    "set_charging": ("charging.active", "charging.plugged"),
    "set_charge_limit": ("charging.limit",),
    "set_charge_port": ("charging.port_open",),
    "set_charge_timer": ("charging.timer",),
    "get_charging": ("charging.active", "charging.plugged", "charging.power", *_CHARGE),
    "get_range": ("battery.range", "battery.charge"),
    "get_tire_pressure": TIRES,
    "get_outside_temperature": ("outside.temperature",),
    "get_cabin_temperature": ("climate.cabin_temperature", "climate.driver.temperature"),
    "get_navigation": _ROUTE,
    "get_climate": (*_TEMPERATURES, *_DEFROST, "climate.recirculation"),
    "get_seats": ("seat.driver.heating", "seat.passenger.heating"),
    "get_openings": WINDOWS["all"],
    "get_lights": ("light.low_beam", "light.high_beam", "light.fog"),
    "get_car": ("car.odometer",),
    "get_warnings": TIRES,
    "get_time": (),
    "get_weather": (),
    "get_capabilities": (),
    "set_timer": (),
    "set_reminder": (),
    "get_timers": (),
    "cancel_timer": (),
    "get_calendar": (),
    "get_contact": (),
    "call_contact": ("phone.number",),
    "send_email": (),
    "undo": (),
})  # fmt: skip
"""Signals that an action reads or writes and cannot do without: a vehicle has the action if it has all of them."""

INSTEAD: Mapping[str, tuple[tuple[str, ...], ...]] = MappingProxyType({
    "get_range": (("fuel.range", "fuel.level"),),
    **dict.fromkeys(("navigate_to", "find_place"), (("navigation.latitude", "navigation.longitude"),)),
})  # fmt: skip
"""Other signals that do as well."""

WELCOME: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "set_temperature": ("climate.rear.temperature", "climate.on", "climate.sync"),
    "change_temperature": ("climate.rear.temperature", "climate.on", "climate.sync"),
    "set_fan_speed": ("climate.on", "climate.auto"),
    "change_fan_speed": ("climate.on", "climate.auto"),
    "set_air_conditioning": ("climate.on",),
    "set_airflow": ("climate.auto",),
    "set_recirculation": ("climate.auto",),
    "set_defrost": ("climate.on", "climate.auto"),
    "set_auto_climate": ("climate.on",),
    "set_climate_sync": ("climate.rear.temperature",),
    "set_seat_heating": ("seat.rear.heating",),
    "change_seat_heating": ("seat.rear.heating",),
    "set_seat_massage": ("seat.passenger.massage",),
    "change_lumbar": ("seat.passenger.lumbar",),
    "set_reading_light": ("light.reading.rear_left", "light.reading.rear_right"),
    **dict.fromkeys(("play_music", "play_radio", "play_podcast", "play_playlist", "play_favorites", "set_playback"),
                    ("media.shuffle", *_HEARD)),
    "set_media_source": ("media.title", "media.playing", *_HEARD),
    **dict.fromkeys(("set_volume", "change_volume"), ("media.muted",)),
    **dict.fromkeys(("navigate_to", "find_place", "find_on_route", "add_stop", "remove_stop", "replace_stop",
                     "change_destination", "cancel_navigation", "choose_route", "add_charging_stops"),
                    ("navigation.kilometers", "navigation.route", "navigation.latitude", "navigation.longitude")),
    "get_playing": ("media.position", "media.artist"),
    "get_charging": ("charging.limit",),
    "get_range": ("fuel.range", "fuel.level"),
    "get_climate": ("climate.on", "climate.auto", "climate.sync"),
    "get_seats": ("seat.rear.heating", "steering_wheel.heating", *(f"seat.{seat}.occupancy" for seat in SEATS)),
    "get_openings": ("sunroof.position", "sunroof.shade", "trunk.position", "doors.locked", *DOORS),
    "get_lights": ("light.dome", "light.ambient.on", "light.ambient.color", "light.reading.driver",
                   "light.reading.passenger", "light.reading.rear_left", "light.reading.rear_right"),
    "get_car": ("car.color",),
    "get_warnings": ("battery.charge", "washer.low", "seat.driver.belted", *DOORS, "doors.locked"),
})  # fmt: skip
"""Signals that an action reads or writes besides, where the vehicle has them."""


def actions_for(signals: frozenset[str]) -> frozenset[str]:
    """Names of the actions that a vehicle with these signals has."""
    return frozenset(
        name
        for name, needed in SIGNALS_OF.items()
        if any(signals.issuperset(names) for names in (needed, *INSTEAD.get(name, ())))
    )
