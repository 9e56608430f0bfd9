"""The policy's rules stated once more, for its tests: what must come out for every action in a grid of states.

``GOLDEN`` says in plain Python, for a world in which everything is known, what the rules are; it was written from the
rules and not from the table. What is unknown is filled in with every value of the grid, and the strictest outcome
counts.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args

from schemas.actions import BY_NAME, Action, SetAirflow, parse_action
from schemas.events import Motion, VehicleState, Verdict

PERCENTS = (0, 25, 30, 100)
POSITIONS = (None, 0, 50)
SWITCH = (None, False, True)


@dataclass(frozen=True)
class World:
    """An action in a state of which everything is known."""

    slots: Mapping[str, Any]
    speed: float
    ignition: bool
    values: Mapping[str, Any]

    def travels(self, names: tuple[str, ...], *, up: bool) -> bool:
        target = self.slots["percent"]
        return any(self.values[n] < target if up else self.values[n] > target for n in names)

    def steps(self, names: tuple[str, ...], *, up: bool) -> bool:
        if (self.slots["change"] == "open") is not up:
            return False
        return any(self.values[n] < 100 if up else self.values[n] > 0 for n in names)

    def stepped(self, names: tuple[str, ...], step: int) -> float:
        by = self.slots["by"] or step
        return max(min(100, max(0, self.values[n] + (by if self.slots["change"] == "open" else -by))) for n in names)


ALL_WINDOWS = ("window.driver", "window.passenger", "window.rear_left", "window.rear_right")
Holds = Callable[[World], bool]
Golden = list[tuple[str, str, Holds]]


def panes(w: World) -> tuple[str, ...]:
    meant, spared = (
        {
            "front": ALL_WINDOWS[:2],
            "rear": ALL_WINDOWS[2:],
            "left": ALL_WINDOWS[::2],
            "right": ALL_WINDOWS[1::2],
            "all": ALL_WINDOWS,
        }.get(place, (f"window.{place}",))
        for place in (w.slots["window"], w.slots["but"])
    )
    return tuple(name for name in meant if name not in spared)


def behind(w: World) -> bool:
    return not set(panes(w)) <= set(ALL_WINDOWS[:2])


def on_others(w: World) -> bool:
    return panes(w) != ("window.driver",)


def louder_than_80(w: World) -> bool:
    now = w.values["media.volume"]
    if w.slots.get("times"):
        then = now * 2 if w.slots["times"] == "double" else now / 2
    elif "change" in w.slots:
        then = now + (w.slots["by"] or 10) * (1 if w.slots["change"] == "up" else -1)
    else:
        then = w.slots["percent"]
    return min(100, then) > 80 and then > now and now < 100


def always(_: World) -> bool:
    return True


# Rule, letters when parked, idling and moving (A allow, C ask, D refuse), when it holds. The strictest that holds decides.
GOLDEN: dict[str, Golden] = {
    "set_fan_speed": [
        ("fan_for_defrost", "CCC", lambda w: w.slots["level"] in (0, 1) and w.values["climate.defrost_front"]),
        ("set_fan_speed", "AAA", always),
    ],
    "change_fan_speed": [
        ("fan_down_for_defrost", "CCC",
         lambda w: w.slots["change"] == "down" and w.values["climate.fan"] <= 2 and w.values["climate.defrost_front"]),
        ("change_fan_speed", "AAA", always),
    ],
    "set_air_conditioning": [
        ("cooling_the_street", "CCC", lambda w: w.slots["on"] and max(w.values[n] for n in ALL_WINDOWS) > 20),
        ("cooling_for_defrost", "CCC", lambda w: not w.slots["on"] and w.values["climate.defrost_front"]),
        ("set_air_conditioning", "AAA", always),
    ],
    "set_airflow": [
        ("airflow_for_defrost", "CCC",
         lambda w: w.slots["direction"] in ("face", "feet", "face_and_feet") and w.values["climate.defrost_front"]),
        ("set_airflow", "AAA", always),
    ],
    "set_recirculation": [
        ("recirculation_fogs", "CCC", lambda w: w.slots["on"] and w.values["climate.defrost_front"]),
        ("recirculation_in_the_cold", "AAC",
         lambda w: w.slots["on"] and w.values["outside.temperature"] < 5),
        ("set_recirculation", "AAA", always),
    ],
    "set_defrost": [
        ("defrost_off_fogs", "AAC",
         lambda w: not w.slots["on"] and w.slots["window"] != "rear" and w.values["climate.recirculation"]),
        ("set_defrost", "AAA", always),
    ],
    "set_unit": [
        ("unit_of_speed", "AAC", lambda w: w.slots["unit"] in ("kilometers", "miles")),
        ("set_unit", "AAA", always),
    ],
    "set_volume": [("volume_loud", "AAC", louder_than_80), ("set_volume", "AAA", always)],
    "change_volume": [("volume_louder", "AAC", louder_than_80), ("change_volume", "AAA", always)],
    "call_number": [
        ("call_of_a_number", "CCC",
         lambda w: w.slots["digits"] not in ("112", "911", "999", "000", "110", "111", "118", "119")),
        ("call_number", "AAA", always),
    ],
    "move_seat": [("move_seat", "ADD", always)],
    "set_window": [
        ("window_very_fast", "AAD", lambda w: w.travels(panes(w), up=True) and w.speed > 120),
        ("window_ignition", "DDD", lambda w: w.travels(panes(w), up=False) and not w.ignition),
        ("window_fast", "AAC", lambda w: w.travels(panes(w), up=True) and w.speed > 80),
        ("window_closing_on_others", "CCC", lambda w: w.travels(panes(w), up=False) and on_others(w)),
        ("window_child_lock", "CCC",
         lambda w: w.travels(panes(w), up=True) and behind(w) and w.values["doors.child_lock"]),
        ("window_and_cooling", "CCC",
         lambda w: w.travels(panes(w), up=True) and w.slots["percent"] > 25 and w.values["climate.air_conditioning"]),
        ("set_window", "AAA", always),
    ],
    "set_sunroof": [
        ("sunroof_very_fast", "AAD", lambda w: w.travels(("sunroof.position",), up=True) and w.speed > 120),
        ("sunroof_ignition", "DDD", lambda w: w.travels(("sunroof.position",), up=False) and not w.ignition),
        ("sunroof_fast", "AAC", lambda w: w.travels(("sunroof.position",), up=True) and w.speed > 80),
        ("sunroof_rain", "CCC", lambda w: w.travels(("sunroof.position",), up=True) and w.values["outside.rain"] > 0),
        ("sunroof_closing", "CCC",
         lambda w: w.travels(("sunroof.position",), up=False) and not (w.values["outside.rain"] > 0 and w.speed >= 30)),
        ("set_sunroof", "AAA", always),
    ],
    "change_window": [
        ("window_step_very_fast", "AAD", lambda w: w.steps(panes(w), up=True) and w.speed > 120),
        ("window_step_ignition", "DDD", lambda w: w.steps(panes(w), up=False) and not w.ignition),
        ("window_step_fast", "AAC", lambda w: w.steps(panes(w), up=True) and w.speed > 80),
        ("window_step_closing_on_others", "CCC", lambda w: w.steps(panes(w), up=False) and on_others(w)),
        ("window_step_child_lock", "CCC",
         lambda w: w.steps(panes(w), up=True) and behind(w) and w.values["doors.child_lock"]),
        ("window_step_and_cooling", "CCC",
         lambda w: w.steps(panes(w), up=True) and w.stepped(panes(w), 15) > 25 and w.values["climate.air_conditioning"]),
        ("change_window", "AAA", always),
    ],
    "change_sunroof": [
        ("sunroof_step_very_fast", "AAD", lambda w: w.steps(("sunroof.position",), up=True) and w.speed > 120),
        ("sunroof_step_ignition", "DDD", lambda w: w.steps(("sunroof.position",), up=False) and not w.ignition),
        ("sunroof_step_fast", "AAC", lambda w: w.steps(("sunroof.position",), up=True) and w.speed > 80),
        ("sunroof_step_rain", "CCC",
         lambda w: w.steps(("sunroof.position",), up=True) and w.values["outside.rain"] > 0),
        ("sunroof_step_closing", "CCC",
         lambda w: w.steps(("sunroof.position",), up=False) and not (w.values["outside.rain"] > 0 and w.speed >= 30)),
        ("change_sunroof", "AAA", always),
    ],
    "set_climate": [
        ("climate_for_defrost", "CCC", lambda w: not w.slots["on"] and w.values["climate.defrost_front"]),
        ("set_climate", "AAA", always),
    ],
    "set_auto_climate": [
        ("auto_for_defrost", "CCC", lambda w: w.slots["on"] and w.values["climate.defrost_front"]),
        ("set_auto_climate", "AAA", always),
    ],
    "set_roof_tilt": [
        ("tilt_very_fast", "AAD", lambda w: w.slots["raised"] and w.speed > 120),
        ("tilt_open_roof", "DDD", lambda w: w.slots["raised"] and w.values["sunroof.position"] > 0),
        ("tilt_ignition", "DDD", lambda w: not w.slots["raised"] and not w.ignition),
        ("tilt_fast", "AAC", lambda w: w.slots["raised"] and w.speed > 80),
        ("tilt_rain", "CCC", lambda w: w.slots["raised"] and w.values["outside.rain"] > 0),
        ("tilt_lowering", "CCC",
         lambda w: not w.slots["raised"] and not (w.values["outside.rain"] > 0 and w.speed >= 30)),
        ("set_roof_tilt", "AAA", always),
    ],
    "set_guidance_volume": [
        ("guidance_loud", "AAC", lambda w: w.slots["percent"] > 80),
        ("set_guidance_volume", "AAA", always),
    ],
    "hang_up": [
        ("hang_up_emergency", "CCC", lambda w: w.values["phone.number"] in EMERGENCY),
        ("hang_up", "AAA", always),
    ],
    "recline_seat": [("recline_seat", "ADD", always)],
    "recall_seat_position": [("recall_seat_position", "CDD", always)],
    "set_child_lock": [("child_lock_off", "CDD", lambda w: not w.slots["on"]), ("set_child_lock", "AAA", always)],
    "set_window_lock": [("window_lock_off", "CDD", lambda w: not w.slots["on"]), ("set_window_lock", "AAA", always)],
    "set_display_brightness": [
        ("display_dark", "AAC", lambda w: w.slots["percent"] < 10),
        ("set_display_brightness", "AAA", always),
    ],
    "change_display_brightness": [
        ("display_darker", "AAC", lambda w: w.slots["change"] == "down" and w.values["display.brightness"] < 20),
        ("change_display_brightness", "AAA", always),
    ],
    "set_charging": [("charging_at_a_stand", "AAD", lambda w: w.slots["on"]), ("set_charging", "AAA", always)],
    "set_charge_port": [("set_charge_port", "ADD", always)],
    "call_contact": [("call_contact", "CCC", always)],
    "send_email": [("send_email", "CCC", always)],
    "adjust_mirror": [("adjust_mirror", "AAD", always)],
    "set_fuel_door": [("set_fuel_door", "ADD", always)],
    "set_drive_mode": [("set_drive_mode", "ACC", always)],
    "set_sunshade": [
        ("shade_under_open_roof", "DDD",
         lambda w: w.travels(("sunroof.shade",), up=False) and w.values["sunroof.position"] > 0),
        ("set_sunshade", "AAA", always),
    ],
    "set_trunk": [("trunk_open", "CDD", lambda w: w.slots["open"]), ("set_trunk", "CCD", always)],
    "set_door_locks": [("unlock", "CDD", lambda w: not w.slots["locked"]), ("set_door_locks", "AAA", always)],
    "set_mirrors": [("fold_mirrors", "ADD", lambda w: w.slots["folded"]), ("set_mirrors", "AAA", always)],
    "set_dome_light": [("dome_light_glare", "AAC", lambda w: w.slots["on"]), ("set_dome_light", "AAA", always)],
    "set_low_beam": [
        ("low_beam_for_fog_lights", "DDD", lambda w: not w.slots["on"] and w.values["light.fog"]),
        ("low_beam_off", "ADD", lambda w: not w.slots["on"]),
        ("set_low_beam", "AAA", always),
    ],
    "set_high_beam": [
        ("high_beam_with_fog_lights", "DDD", lambda w: w.slots["on"] and w.values["light.fog"]),
        ("high_beam_dazzles", "CCC", lambda w: w.slots["on"]),
        ("set_high_beam", "AAA", always),
    ],
    "set_fog_lights": [
        ("fog_lights_without_low_beam", "DDD", lambda w: w.slots["on"] and not w.values["light.low_beam"]),
        ("fog_lights_with_high_beam", "DDD", lambda w: w.slots["on"] and w.values["light.high_beam"]),
        ("set_fog_lights", "AAA", always),
    ],
}  # fmt: skip

EMERGENCY = ("112", "911", "999", "000", "110", "111", "118", "119")

# Always allowed, whatever the state: comfort, media, navigation, questions.
FREE = """
set_temperature change_temperature set_rear_fan set_seat_heating set_seat_ventilation set_steering_wheel_heating
set_ambient_light set_ambient_color set_ambient_brightness change_ambient_brightness set_reading_light
play_music play_radio play_podcast set_playback seek set_mute
navigate_to find_place add_stop cancel_navigation set_route_preference
get_range get_tire_pressure get_outside_temperature get_cabin_temperature get_navigation
set_climate_sync change_seat_heating set_seat_massage change_lumbar change_steering_wheel_heating set_mirror_heating
stop_moving set_display_mode play_playlist play_favorites set_media_source set_shuffle set_repeat get_playing
find_on_route list_places remove_stop replace_stop change_destination get_routes choose_route add_charging_stops
set_guidance get_distance set_charge_limit set_charge_timer get_charging
get_climate get_seats get_openings get_lights get_car get_warnings get_trip get_service
get_time get_weather get_capabilities set_timer set_reminder get_timers cancel_timer get_calendar get_contact undo
""".split()

# Values of the signals that matter to an action; None is unknown.
GRID: dict[str, dict[str, tuple[Any, ...]]] = {
    "set_fan_speed": {"climate.defrost_front": SWITCH},
    "change_fan_speed": {"climate.defrost_front": SWITCH, "climate.fan": (None, 1, 2, 3, 5)},
    "set_air_conditioning": {
        "climate.defrost_front": SWITCH,
        "window.driver": (None, 0, 20, 21),
        "window.passenger": (0,),
        "window.rear_left": (None, 0, 100),
        "window.rear_right": (0,),
    },
    "set_airflow": {"climate.defrost_front": SWITCH},
    "set_recirculation": {"climate.defrost_front": SWITCH, "outside.temperature": (None, 4.0, 5.0, 20.0)},
    "set_defrost": {"climate.recirculation": SWITCH},
    "set_volume": {"media.volume": (None, 0, 85, 100)},
    "change_volume": {"media.volume": (None, 35, 41, 70, 71, 95, 100)},
    "set_window": {
        "window.driver": POSITIONS,
        "window.passenger": (0,),
        "window.rear_left": (None, 0, 100),
        "window.rear_right": (50,),
        "climate.air_conditioning": SWITCH,
        "doors.child_lock": (False, True),
        "windows.locked": (False,),
    },
    "set_roof_tilt": {"sunroof.position": (None, 0, 1), "outside.rain": (None, 0, 1, 100)},
    "hang_up": {"phone.number": (None, "", *EMERGENCY, "0441234")},
    "set_sunroof": {"sunroof.position": POSITIONS, "outside.rain": (None, 0, 1, 100)},
    "change_window": {
        "window.driver": (None, 0, 1, 50),
        "window.passenger": (0,),
        "window.rear_left": (None, 0, 50, 100),
        "window.rear_right": (50,),
        "climate.air_conditioning": SWITCH,
        "doors.child_lock": (False, True),
        "windows.locked": (False,),
    },
    "change_sunroof": {"sunroof.position": (None, 0, 50, 100), "outside.rain": (None, 0, 1, 100)},
    "set_climate": {"climate.defrost_front": SWITCH},
    "set_auto_climate": {"climate.defrost_front": SWITCH},
    "change_display_brightness": {"display.brightness": (None, 0, 19, 20, 60)},
    "set_sunshade": {"sunroof.shade": POSITIONS, "sunroof.position": (None, 0, 1)},
    "set_low_beam": {"light.fog": SWITCH},
    "set_high_beam": {"light.fog": SWITCH},
    "set_fog_lights": {"light.low_beam": SWITCH, "light.high_beam": SWITCH},
}

# Slots of the actions whose rules look at them.
SLOTS: dict[str, list[dict[str, Any]]] = {
    "set_fan_speed": [{"level": level} for level in range(6)],
    "change_fan_speed": [{"change": "up"}, {"change": "down"}],
    "set_airflow": [{"direction": d} for d in get_args(SetAirflow.model_fields["direction"].annotation)],
    "change_window": [
        {"window": "driver", "change": "open", "by": 5},
        {"window": "driver", "change": "open", "by": 25},
        *({"window": w, "change": change} for w in ("driver", "rear_left", "all") for change in ("open", "close")),
        {"window": "passenger", "change": "close"},
        {"window": "rear_right", "change": "close", "by": 100},
        *({"window": w, "change": change} for w in ("front", "right") for change in ("open", "close")),
        {"window": "all", "but": "rear", "change": "close"},
        {"window": "all", "but": "driver", "change": "close"},
    ],
    "change_sunroof": [{"change": "open"}, {"change": "close"}, {"change": "open", "by": 50}],
    "change_seat_heating": [{"change": "up"}],
    "set_seat_massage": [{"level": 3}],
    "change_lumbar": [{"change": "up"}],
    "change_steering_wheel_heating": [{"change": "up"}],
    "set_roof_tilt": [{"raised": True}, {"raised": False}],
    "set_rear_fan": [{"level": 3}],
    "set_guidance_volume": [{"percent": percent} for percent in (0, 80, 85, 100)],
    "recline_seat": [{"direction": "back"}, {"direction": "forward"}],
    "recall_seat_position": [{"number": 1}],
    "set_display_brightness": [{"percent": percent} for percent in (0, 5, 10, 15, 100)],
    "change_display_brightness": [{"change": "up"}, {"change": "down"}],
    "set_display_mode": [{"mode": "night"}],
    "set_unit": [{"unit": unit} for unit in ("celsius", "fahrenheit", "kilometers", "miles")],
    "play_playlist": [{"playlist": "x"}],
    "set_media_source": [{"source": "usb"}],
    "set_repeat": [{"mode": "all"}],
    "find_on_route": [{"kind": "cafe"}],
    "list_places": [{"kind": "cafe"}],
    "replace_stop": [{"destination": "x"}],
    "change_destination": [{"destination": "x"}],
    "choose_route": [{"number": 3}],
    "get_distance": [{"destination": "x"}],
    "set_charge_limit": [{"percent": 100}],
    "set_charge_port": [{"open": True}, {"open": False}],
    "set_fuel_door": [{"open": True}, {"open": False}],
    "set_drive_mode": [{"mode": "sport"}, {"mode": "normal"}],
    "adjust_mirror": [
        {"direction": d, "zone": zone} for d in ("up", "down", "left", "right") for zone in ("driver", "passenger")
    ],
    "set_reminder": [{"what": "x"}],
    "get_contact": [{"person": "x"}],
    "call_contact": [{"person": "x"}],
    "call_number": [{"digits": number} for number in (*EMERGENCY, "0441234")],
    "send_email": [{"person": "x", "message": "y"}],
    "set_window": [
        *({"window": "driver", "percent": percent} for percent in PERCENTS),
        {"window": "passenger", "percent": 0},
        {"window": "rear_left", "percent": 0},
        {"window": "rear_left", "percent": 100},
        {"window": "rear_right", "percent": 0},
        {"window": "all", "percent": 0},
        {"window": "all", "percent": 30},
        *({"window": w, "percent": percent} for w in ("front", "rear", "left", "right") for percent in (0, 35)),
        *({"window": "all", "but": but, "percent": 0} for but in ("driver", "front", "rear", "left")),
        {"window": "all", "but": "driver", "percent": 100},
        {"window": "left", "but": "rear_left", "percent": 0},
    ],
    "set_sunroof": [{"percent": percent} for percent in PERCENTS],
    "set_sunshade": [{"percent": percent} for percent in PERCENTS],
    "set_trunk": [{"open": True}, {"open": False}],
    "set_door_locks": [{"locked": True}, {"locked": False}],
    "set_mirrors": [{"folded": True}, {"folded": False}],
    "move_seat": [{"direction": d} for d in ("forward", "back", "up", "down")],
    "set_temperature": [{"celsius": 16}, {"celsius": 28, "zone": "driver"}],
    "change_temperature": [{"change": "up"}, {"change": "down"}],
    "set_defrost": [{"on": on, "window": window} for on in (True, False) for window in ("front", "rear", "all")],
    "set_seat_heating": [{"level": 3}],
    "set_seat_ventilation": [{"level": 3}],
    "set_steering_wheel_heating": [{"level": 3}],
    "set_ambient_color": [{"color": "red"}],
    "set_ambient_brightness": [{"percent": 0}, {"percent": 100}],
    "change_ambient_brightness": [{"change": "up"}],
    "set_volume": [{"percent": percent} for percent in (0, 80, 85, 100)],
    "change_volume": [
        {"change": "up"},
        {"change": "down"},
        {"change": "up", "by": 50},
        {"change": "up", "times": "double"},
        {"change": "down", "times": "half"},
    ],
    "set_playback": [{"command": "next"}, {"command": "restart"}],
    "seek": [{"change": "forward"}],
    "navigate_to": [{"destination": "home"}],
    "find_place": [{"kind": "cafe"}],
    "add_stop": [{"destination": "home"}],
    "set_route_preference": [{"preference": "shortest"}],
}

# Ages, negative speeds and the like are in test_gate.py, exact thresholds in the boundary test below.
SPEEDS = (None, 0.0, 0.1, 30.0, 80.0, 80.1, 120.1)
DRIVING: list[dict[str, Any]] = [
    {"speed_kmh": speed, "gear": gear, "ignition_on": ignition, "age_s": age}
    for speed, gear, ignition, age in itertools.product(SPEEDS, (None, "P", "D"), SWITCH, (0.0, 1.001))
]


def instances(name: str) -> list[Action]:
    fields = BY_NAME[name].model_fields
    slots = SLOTS.get(name) or ([{"on": True}, {"on": False}] if "on" in fields else [{}])
    return [parse_action(name, chosen) for chosen in slots]


def states(name: str, driving: list[dict[str, Any]]) -> Iterator[VehicleState]:
    grid = GRID.get(name, {})
    for combination in itertools.product(*grid.values()):
        values = {signal: value for signal, value in zip(grid, combination, strict=True) if value is not None}
        for drive in driving:
            yield VehicleState(**drive, values=values)


def golden_motion(state: VehicleState) -> Motion:
    """Written the other way round than the gate's: standing needs everything to be certain."""
    certain = (
        state.speed_kmh == 0
        and state.gear in ("P", "R", "N", "D")
        and state.ignition_on in (True, False)
        and 0 <= state.age_s <= 1
    )
    if not certain:
        return Motion.MOVING
    return Motion.PARKED if state.gear == "P" else Motion.IDLING


@cache
def golden_rows(
    name: str, slots: tuple[tuple[str, Any], ...], known: tuple[tuple[str, Any], ...]
) -> list[tuple[str, str]]:
    """The rules that hold in at least one world that fits what is known."""
    facts = dict(known)
    speed, ignition = facts.pop("speed"), facts.pop("ignition")
    grid = GRID.get(name, {})
    options = [[facts[s]] if facts[s] is not None else [v for v in grid[s] if v is not None] for s in grid]
    worlds = [
        World(dict(slots), a_speed, an_ignition, dict(zip(grid, combination, strict=True)))
        for a_speed in ([speed] if speed is not None else [0.0, 200.0])
        for an_ignition in ([ignition] if ignition is not None else [True, False])
        for combination in itertools.product(*options)
    ]
    return [(title, letters) for title, letters, holds in golden(name) if any(holds(world) for world in worlds)]


def golden(name: str) -> Golden:
    return GOLDEN.get(name) or [(name, "AAA", always)]


def expected(action: Action, state: VehicleState) -> tuple[Verdict, str]:
    speed = state.speed_kmh
    sure = speed is not None and speed >= 0 and 0 <= state.age_s <= 1
    known: dict[str, Any] = {"speed": speed if sure else None, "ignition": state.ignition_on}
    known |= {signal: state.values.get(signal) for signal in GRID.get(action.name, {})}
    held = golden_rows(action.name, tuple(action.model_dump().items()), tuple(known.items()))
    column = {Motion.PARKED: 0, Motion.IDLING: 1, Motion.MOVING: 2}[golden_motion(state)]
    letter, title = max(((letters[column], title) for title, letters in held), key=lambda found: "ACD".index(found[0]))
    return {"A": Verdict.ALLOW, "C": Verdict.CONFIRM, "D": Verdict.DENY}[
        letter
    ], title if letter != "A" else action.name
