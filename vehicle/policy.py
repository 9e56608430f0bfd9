"""The rules of the gate as data: action x driving state -> allow, confirm or deny, with a reason and a source.

Owns every threshold, verdict and spoken reason. Does not decide: ``vehicle.gate`` reads these rows.

- Every action has exactly one row without conditions (its base). Rows with conditions can only make it stricter.
- Of the rows whose conditions are met, the strictest verdict wins; of equally strict ones, the first in the table.
- A condition on something unknown counts as met. Together with "unknown counts as moving" this makes a state that is
  less known never more permissive.
- A condition on something that this car does not have is not met: an interlock needs both of its things. Rain falls on a car
  without a sensor, too.
- Letters are the verdicts when parked, idling and moving: A allow (in a conditional row: no opinion), C confirm,
  D deny.

Reviewed against what is published on distraction. NHTSA's guidelines (78 FR 24817, 2013) lock out video, typing and text that
scrolls while the car is not in park, and want a task interruptible and its glances short; the European statement of principles
(ESoP, 2008/653/EC) and the AAM's principles (2006) want that nothing masks a warning, takes away the view or surprises, and that
what is not for driving is out of reach while driving. All three leave voice out or nearly so: what is spoken here shows nothing,
and long lists are cut while moving (``LISTED_MOVING``). Rows that follow one of them say so; thresholds are our choice.

Tiers (our choice): 0 reads, 1 comfort and reversible, 2 needs care, 3 can pinch or take away the view, 4 parked only.
What belongs to no tier (steering, brakes, horn, hazard lights, indicators, wipers, engine, driver assistance) has no
action and no signal.

Coupled actions of CAR-bench that switch something on along with what was asked (sunshade with the sunroof; fan, air
conditioning and airflow with the front defroster; fan with the air conditioning) are in ``vehicle.planning``. What would
need a window closed, or contradicts a running interlock, is refused or asked about here. CAR-bench's weather check for
fog lights has no row: the car has a rain sensor and no signal for fog.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from types import MappingProxyType
from typing import Any

from schemas.actions.information import EMERGENCY_NUMBERS
from schemas.events import Motion, Verdict

STALE_S = 1.0
"""Speed and gear older than this are unknown. Our choice: at 50 km/h the car has gone 14 m by then."""

LISTED_MOVING = 3
"""How many things of a list are told while moving; the rest waits for a stop. Our choice: more are not kept in mind by ear, and
NHTSA's 12 seconds for a whole task (78 FR 24817) hold about three."""

CONFIRMATION_S = 14.0
"""Seconds that a question stays open, from the ruling on: 8 to answer (research table of this project: our choice) after up to
6 in which the question itself is spoken."""

FAST_KMH = 80.0
"""Above it, opening a window or the sunroof is asked about: noise and draught startle. Our choice."""

VERY_FAST_KMH = 120.0
"""Above it, opening is refused: the load on glass and roof grows with the square of speed. Our choice."""


LOUD_PERCENT = 80
"""Above it, raising the volume while moving is asked about: it may drown a siren or the car's own warnings. Our choice."""

WET_RIDE_KMH = 30.0
"""From this speed on, in rain, the roof is closed without a question: no hand is in it, and the driver gets wet. Our choice."""

FOGGING_CELSIUS = 5.0
"""Below it, recirculated air fogs a windscreen that nothing keeps clear. Our choice."""


class Tier(IntEnum):
    """How much harm an action can do."""

    READ = 0
    COMFORT = 1
    CARE = 2
    PINCH = 3
    PARKED = 4


RATE_WINDOW_S = 10.0
"""Length of the window in which actions are counted. Our choice."""

RATE_LIMITS: Mapping[Tier, int] = MappingProxyType(
    {Tier.READ: 60, Tier.COMFORT: 20, Tier.CARE: 10, Tier.PINCH: 6, Tier.PARKED: 3}
)
"""How often one action may be carried out within the window: above what a person asks for, below what a loop does."""


class Op(StrEnum):
    """How a condition compares."""

    IS = "is"
    IN = "in"
    ABOVE = "above"
    BELOW = "below"


@dataclass(frozen=True, slots=True)
class Condition:
    """``subject op value``.

    The subject is ``slot.<name>``, ``speed`` (km/h), ``ignition``, ``opens`` or ``closes`` (the target against the
    present position; of a volume: louder or quieter), ``target`` (the widest of the positions that it moves to, percent),
    ``rear_window`` (whether it is about one in the back, with others or alone), ``others_window`` (any but the driver's own),
    ``rear_locked`` (the child lock of doors or windows), ``wet_ride`` (rain, at ``WET_RIDE_KMH`` or more), ``emergency`` (a call
    to an emergency number), ``widest_window`` (percent) or the name of a signal.
    """

    subject: str
    op: Op
    value: Any


@dataclass(frozen=True, slots=True)
class Row:
    """One rule. ``verdicts`` by driving state."""

    rule: str
    action: str
    tier: Tier
    verdicts: Mapping[Motion, Verdict]
    when: tuple[Condition, ...]
    source: str

    def reason(self, verdict: Verdict) -> str:
        """The sentence to speak with this verdict; empty for ALLOW."""
        if verdict is Verdict.ALLOW:
            return ""
        return (ASKING if verdict is Verdict.CONFIRM else REFUSING)[self.rule]


_LETTERS = {"A": Verdict.ALLOW, "C": Verdict.CONFIRM, "D": Verdict.DENY}
_CHOICE = "our choice"
_FMVSS = "49 CFR 571.118 (FMVSS 118)"
_MANUALS = "BMW and Mercedes owner manuals: what moves the driver is done at a stand only"
_ESOP = "ESoP 2008 (2008/653/EC): the view and the driver's controls stay free"
_WARNINGS = "ESoP 2008 and AAM 2006: sound must not mask warnings; the threshold is our choice"
_PINCH = "49 CFR 571.118 (FMVSS 118) in spirit; which openings are asked about is our choice"


def _bench(policy: str) -> str:
    return f"CAR-bench policy {policy} (arXiv 2601.22027)"


def _row(rule: str, action: str, tier: int, verdicts: str, *when: Condition, source: str = _CHOICE) -> Row:
    by_motion = dict(zip((Motion.PARKED, Motion.IDLING, Motion.MOVING), (_LETTERS[v] for v in verdicts), strict=True))
    return Row(rule, action, Tier(tier), MappingProxyType(by_motion), when, source)


def _is(subject: str, value: Any) -> Condition:
    return Condition(subject, Op.IS, value)


def _above(subject: str, value: float) -> Condition:
    return Condition(subject, Op.ABOVE, value)


def _below(subject: str, value: float) -> Condition:
    return Condition(subject, Op.BELOW, value)


_OPENS, _CLOSES, _IGNITION_OFF = _is("opens", True), _is("closes", True), _is("ignition", False)
_ON, _OFF = _is("slot.on", True), _is("slot.on", False)
_FAST, _VERY_FAST = _above("speed", FAST_KMH), _above("speed", VERY_FAST_KMH)
_DEFROST = _is("climate.defrost_front", True)
_COOLING, _DOWN = _is("climate.air_conditioning", True), _is("slot.change", "down")
_LOW_FAN, _WIDE = _below("climate.fan", 3), _above("slot.percent", 25)
_FOG, _DARK, _HIGH = _is("light.fog", True), _is("light.low_beam", False), _is("light.high_beam", True)
_ROOF_OPEN, _WINDOWS_OPEN = _above("sunroof.position", 0), _above("widest_window", 20)
_RAISED, _LOWERED = _is("slot.raised", True), _is("slot.raised", False)
_REAR, _OTHERS = _is("rear_window", True), _is("others_window", True)
_LOUD, _SPEED_UNIT = _above("target", LOUD_PERCENT), Condition("slot.unit", Op.IN, ("kilometers", "miles"))
_NOT_WINDSHIELD = Condition("slot.direction", Op.IN, ("face", "feet", "face_and_feet"))

ROWS: tuple[Row, ...] = (
    # climate
    _row("set_temperature", "set_temperature", 1, "AAA"),
    _row("change_temperature", "change_temperature", 1, "AAA"),
    _row("fan_for_defrost", "set_fan_speed", 1, "CCC", _below("slot.level", 2), _DEFROST, source=_bench("010")),
    _row("set_fan_speed", "set_fan_speed", 1, "AAA"),
    _row("set_rear_fan", "set_rear_fan", 1, "AAA"),
    _row("fan_down_for_defrost", "change_fan_speed", 1, "CCC", _DOWN, _LOW_FAN, _DEFROST, source=_bench("010")),
    _row("change_fan_speed", "change_fan_speed", 1, "AAA"),
    _row("cooling_the_street", "set_air_conditioning", 1, "CCC", _ON, _WINDOWS_OPEN, source=_bench("011")),
    _row("cooling_for_defrost", "set_air_conditioning", 1, "CCC", _OFF, _DEFROST, source=_bench("010")),
    _row("set_air_conditioning", "set_air_conditioning", 1, "AAA"),
    _row("airflow_for_defrost", "set_airflow", 1, "CCC", _NOT_WINDSHIELD, _DEFROST, source=_bench("010")),
    _row("set_airflow", "set_airflow", 1, "AAA"),
    _row("recirculation_fogs", "set_recirculation", 2, "CCC", _ON, _DEFROST),
    _row("recirculation_in_the_cold", "set_recirculation", 2, "AAC", _ON,
         _below("outside.temperature", FOGGING_CELSIUS), source=_ESOP),
    _row("set_recirculation", "set_recirculation", 2, "AAA"),
    _row("defrost_off_fogs", "set_defrost", 1, "AAC", _OFF, Condition("slot.window", Op.IN, ("front", "all")),
         _is("climate.recirculation", True), source=_ESOP),
    _row("set_defrost", "set_defrost", 1, "AAA"),
    _row("climate_for_defrost", "set_climate", 1, "CCC", _OFF, _DEFROST, source=_bench("010")),
    _row("set_climate", "set_climate", 1, "AAA"),
    _row("auto_for_defrost", "set_auto_climate", 1, "CCC", _ON, _DEFROST, source=_bench("010")),
    _row("set_auto_climate", "set_auto_climate", 1, "AAA"),
    _row("set_climate_sync", "set_climate_sync", 1, "AAA"),
    # seats
    _row("set_seat_heating", "set_seat_heating", 1, "AAA"),
    _row("change_seat_heating", "change_seat_heating", 1, "AAA"),
    _row("set_seat_ventilation", "set_seat_ventilation", 1, "AAA"),
    _row("set_seat_massage", "set_seat_massage", 1, "AAA"),
    _row("change_lumbar", "change_lumbar", 1, "AAA"),
    _row("set_steering_wheel_heating", "set_steering_wheel_heating", 1, "AAA"),
    _row("change_steering_wheel_heating", "change_steering_wheel_heating", 1, "AAA"),
    _row("move_seat", "move_seat", 4, "ADD", source=_MANUALS),
    _row("recline_seat", "recline_seat", 4, "ADD", source=_MANUALS),
    _row("recall_seat_position", "recall_seat_position", 4, "CDD", source=_MANUALS),
    # openings
    _row("window_very_fast", "set_window", 3, "AAD", _OPENS, _VERY_FAST),
    _row("window_ignition", "set_window", 3, "DDD", _CLOSES, _IGNITION_OFF, source=_FMVSS),
    _row("window_fast", "set_window", 3, "AAC", _OPENS, _FAST),
    _row("window_closing_on_others", "set_window", 3, "CCC", _CLOSES, _OTHERS, source=_PINCH),
    _row("window_child_lock", "set_window", 3, "CCC", _OPENS, _REAR, _is("rear_locked", True)),
    _row("window_and_cooling", "set_window", 3, "CCC", _OPENS, _WIDE, _COOLING, source=_bench("007")),
    _row("set_window", "set_window", 3, "AAA"),
    _row("window_step_very_fast", "change_window", 3, "AAD", _OPENS, _VERY_FAST),
    _row("window_step_ignition", "change_window", 3, "DDD", _CLOSES, _IGNITION_OFF, source=_FMVSS),
    _row("window_step_fast", "change_window", 3, "AAC", _OPENS, _FAST),
    _row("window_step_closing_on_others", "change_window", 3, "CCC", _CLOSES, _OTHERS, source=_PINCH),
    _row("window_step_child_lock", "change_window", 3, "CCC", _OPENS, _REAR, _is("rear_locked", True)),
    _row("window_step_and_cooling", "change_window", 3, "CCC", _OPENS, _above("target", 25), _COOLING,
         source=_bench("007")),
    _row("change_window", "change_window", 3, "AAA"),
    _row("sunroof_very_fast", "set_sunroof", 3, "AAD", _OPENS, _VERY_FAST),
    _row("sunroof_ignition", "set_sunroof", 3, "DDD", _CLOSES, _IGNITION_OFF, source=_FMVSS),
    _row("sunroof_fast", "set_sunroof", 3, "AAC", _OPENS, _FAST),
    _row("sunroof_rain", "set_sunroof", 3, "CCC", _OPENS, _above("outside.rain", 0), source=_bench("008")),
    _row("sunroof_closing", "set_sunroof", 3, "CCC", _CLOSES, _is("wet_ride", False), source=_PINCH),
    _row("set_sunroof", "set_sunroof", 3, "AAA"),
    _row("sunroof_step_very_fast", "change_sunroof", 3, "AAD", _OPENS, _VERY_FAST),
    _row("sunroof_step_ignition", "change_sunroof", 3, "DDD", _CLOSES, _IGNITION_OFF, source=_FMVSS),
    _row("sunroof_step_fast", "change_sunroof", 3, "AAC", _OPENS, _FAST),
    _row("sunroof_step_rain", "change_sunroof", 3, "CCC", _OPENS, _above("outside.rain", 0), source=_bench("008")),
    _row("sunroof_step_closing", "change_sunroof", 3, "CCC", _CLOSES, _is("wet_ride", False), source=_PINCH),
    _row("change_sunroof", "change_sunroof", 3, "AAA"),
    _row("tilt_very_fast", "set_roof_tilt", 3, "AAD", _RAISED, _VERY_FAST),
    _row("tilt_open_roof", "set_roof_tilt", 3, "DDD", _RAISED, _ROOF_OPEN),
    _row("tilt_ignition", "set_roof_tilt", 3, "DDD", _LOWERED, _IGNITION_OFF, source=_FMVSS),
    _row("tilt_fast", "set_roof_tilt", 3, "AAC", _RAISED, _FAST),
    _row("tilt_rain", "set_roof_tilt", 3, "CCC", _RAISED, _above("outside.rain", 0), source=_bench("008")),
    _row("tilt_lowering", "set_roof_tilt", 3, "CCC", _LOWERED, _is("wet_ride", False), source=_PINCH),
    _row("set_roof_tilt", "set_roof_tilt", 3, "AAA"),
    _row("stop_moving", "stop_moving", 0, "AAA", source="what moves can always be stopped: our choice"),
    _row("shade_under_open_roof", "set_sunshade", 2, "DDD", _CLOSES, _ROOF_OPEN, source=_bench("005")),
    _row("set_sunshade", "set_sunshade", 2, "AAA"),
    _row("trunk_open", "set_trunk", 4, "CDD", _is("slot.open", True), source=_bench("004")),
    _row("set_trunk", "set_trunk", 4, "CCD", source=_PINCH),
    _row("unlock", "set_door_locks", 4, "CDD", _is("slot.locked", False)),
    _row("set_door_locks", "set_door_locks", 4, "AAA"),
    _row("child_lock_off", "set_child_lock", 4, "CDD", _OFF),
    _row("set_child_lock", "set_child_lock", 4, "AAA"),
    _row("window_lock_off", "set_window_lock", 4, "CDD", _OFF),
    _row("set_window_lock", "set_window_lock", 4, "AAA"),
    _row("fold_mirrors", "set_mirrors", 3, "ADD", _is("slot.folded", True), source=_ESOP),
    _row("set_mirrors", "set_mirrors", 3, "AAA"),
    _row("adjust_mirror", "adjust_mirror", 3, "AAD", source=_ESOP),
    _row("set_mirror_heating", "set_mirror_heating", 2, "AAA"),
    # lights
    _row("set_ambient_light", "set_ambient_light", 1, "AAA"),
    _row("set_ambient_color", "set_ambient_color", 1, "AAA"),
    _row("set_ambient_brightness", "set_ambient_brightness", 1, "AAA"),
    _row("change_ambient_brightness", "change_ambient_brightness", 1, "AAA"),
    _row("set_reading_light", "set_reading_light", 1, "AAA"),
    _row("dome_light_glare", "set_dome_light", 1, "AAC", _ON),
    _row("set_dome_light", "set_dome_light", 1, "AAA"),
    _row("low_beam_for_fog_lights", "set_low_beam", 3, "DDD", _OFF, _FOG, source=_bench("013")),
    _row("low_beam_off", "set_low_beam", 3, "ADD", _OFF),
    _row("set_low_beam", "set_low_beam", 3, "AAA"),
    _row("high_beam_with_fog_lights", "set_high_beam", 3, "DDD", _ON, _FOG, source=_bench("014")),
    _row("high_beam_dazzles", "set_high_beam", 3, "CCC", _ON, source=_bench("004")),
    _row("set_high_beam", "set_high_beam", 3, "AAA"),
    _row("fog_lights_without_low_beam", "set_fog_lights", 3, "DDD", _ON, _DARK, source=_bench("013")),
    _row("fog_lights_with_high_beam", "set_fog_lights", 3, "DDD", _ON, _HIGH, source=_bench("013")),
    _row("set_fog_lights", "set_fog_lights", 3, "AAA"),
    # display
    _row("display_dark", "set_display_brightness", 1, "AAC", _below("slot.percent", 10), source=_ESOP),
    _row("set_display_brightness", "set_display_brightness", 1, "AAA"),
    _row("display_darker", "change_display_brightness", 1, "AAC", _DOWN, _below("display.brightness", 20), source=_ESOP),
    _row("change_display_brightness", "change_display_brightness", 1, "AAA"),
    _row("set_display_mode", "set_display_mode", 1, "AAA"),
    _row("unit_of_speed", "set_unit", 1, "AAC", _SPEED_UNIT, source=_ESOP),
    _row("set_unit", "set_unit", 1, "AAA"),
    # media
    _row("play_music", "play_music", 1, "AAA"),
    _row("play_radio", "play_radio", 1, "AAA"),
    _row("play_podcast", "play_podcast", 1, "AAA"),
    _row("play_playlist", "play_playlist", 1, "AAA"),
    _row("play_favorites", "play_favorites", 1, "AAA"),
    _row("set_media_source", "set_media_source", 1, "AAA"),
    _row("volume_loud", "set_volume", 1, "AAC", _OPENS, _above("slot.percent", LOUD_PERCENT), source=_WARNINGS),
    _row("set_volume", "set_volume", 1, "AAA"),
    _row("volume_louder", "change_volume", 1, "AAC", _OPENS, _LOUD, source=_WARNINGS),
    _row("change_volume", "change_volume", 1, "AAA"),
    _row("set_playback", "set_playback", 1, "AAA"),
    _row("seek", "seek", 1, "AAA"),
    _row("set_mute", "set_mute", 1, "AAA"),
    _row("set_shuffle", "set_shuffle", 1, "AAA"),
    _row("set_repeat", "set_repeat", 1, "AAA"),
    _row("get_playing", "get_playing", 0, "AAA"),
    # navigation: spoken, moves nothing
    _row("navigate_to", "navigate_to", 2, "AAA"),
    _row("find_place", "find_place", 2, "AAA"),
    _row("find_on_route", "find_on_route", 2, "AAA"),
    _row("list_places", "list_places", 0, "AAA"),
    _row("add_stop", "add_stop", 2, "AAA"),
    _row("remove_stop", "remove_stop", 2, "AAA"),
    _row("replace_stop", "replace_stop", 2, "AAA"),
    _row("change_destination", "change_destination", 2, "AAA"),
    _row("cancel_navigation", "cancel_navigation", 2, "AAA"),
    _row("set_route_preference", "set_route_preference", 2, "AAA"),
    _row("get_routes", "get_routes", 0, "AAA"),
    _row("choose_route", "choose_route", 2, "AAA"),
    _row("add_charging_stops", "add_charging_stops", 2, "AAA"),
    _row("set_guidance", "set_guidance", 1, "AAA"),
    _row("guidance_loud", "set_guidance_volume", 1, "AAC", _above("slot.percent", LOUD_PERCENT), source=_WARNINGS),
    _row("set_guidance_volume", "set_guidance_volume", 1, "AAA"),
    _row("get_distance", "get_distance", 0, "AAA"),
    # charging
    _row("charging_at_a_stand", "set_charging", 1, "AAD", _ON),
    _row("set_charging", "set_charging", 1, "AAA"),
    _row("set_charge_limit", "set_charge_limit", 1, "AAA"),
    _row("set_charge_port", "set_charge_port", 4, "ADD"),
    _row("set_fuel_door", "set_fuel_door", 4, "ADD"),
    _row("set_drive_mode", "set_drive_mode", 2, "ACC"),
    _row("set_charge_timer", "set_charge_timer", 1, "AAA"),
    _row("get_charging", "get_charging", 0, "AAA"),
    # status
    _row("get_range", "get_range", 0, "AAA"),
    _row("get_tire_pressure", "get_tire_pressure", 0, "AAA"),
    _row("get_outside_temperature", "get_outside_temperature", 0, "AAA"),
    _row("get_cabin_temperature", "get_cabin_temperature", 0, "AAA"),
    _row("get_navigation", "get_navigation", 0, "AAA"),
    _row("get_climate", "get_climate", 0, "AAA"),
    _row("get_seats", "get_seats", 0, "AAA"),
    _row("get_openings", "get_openings", 0, "AAA"),
    _row("get_lights", "get_lights", 0, "AAA"),
    _row("get_car", "get_car", 0, "AAA"),
    _row("get_trip", "get_trip", 0, "AAA"),
    _row("get_service", "get_service", 0, "AAA"),
    _row("get_warnings", "get_warnings", 0, "AAA"),
    # assistant
    _row("get_time", "get_time", 0, "AAA"),
    _row("get_weather", "get_weather", 0, "AAA"),
    _row("get_capabilities", "get_capabilities", 0, "AAA"),
    _row("set_timer", "set_timer", 1, "AAA"),
    _row("set_reminder", "set_reminder", 1, "AAA"),
    _row("get_timers", "get_timers", 0, "AAA"),
    _row("cancel_timer", "cancel_timer", 1, "AAA"),
    _row("get_calendar", "get_calendar", 0, "AAA"),
    _row("get_contact", "get_contact", 0, "AAA"),
    _row("call_contact", "call_contact", 2, "CCC"),
    _row("call_of_a_number", "call_number", 2, "CCC", _is("emergency", False)),
    _row("call_number", "call_number", 2, "AAA"),
    _row("hang_up_emergency", "hang_up", 2, "CCC", Condition("phone.number", Op.IN, tuple(sorted(EMERGENCY_NUMBERS)))),
    _row("hang_up", "hang_up", 2, "AAA"),
    _row("send_email", "send_email", 2, "CCC", source=_bench("004")),
    _row("undo", "undo", 1, "AAA", source="each value that it restores is judged by the rules of its own action"),
)  # fmt: skip

ASKING: Mapping[str, str] = MappingProxyType({
    "fan_for_defrost": "The front defroster is on and needs the fan at two or more.",
    "fan_down_for_defrost": "The front defroster is on and needs the fan at two or more.",
    "cooling_the_street": "A window is open, so the air conditioning would cool the street.",
    "cooling_for_defrost": "The front defroster is on; without the air conditioning the windscreen may fog up.",
    "airflow_for_defrost": "The front defroster is on and needs the air at the windscreen.",
    "recirculation_fogs": "The front defroster is on, and recirculated air fogs the windscreen.",
    "window_fast": "We are going faster than 80 kilometres an hour, so it will be loud.",
    "recirculation_in_the_cold": "It is cold outside, and recirculated air may fog the windscreen.",
    "defrost_off_fogs": "The air recirculates, so the windscreen may fog up.",
    "window_closing_on_others": "Somebody may have a hand at the window.",
    "set_drive_mode": "The car will drive differently.",
    "tilt_fast": "We are going faster than 80 kilometres an hour, so it will be loud.",
    "tilt_rain": "It may be raining.",
    "tilt_lowering": "Somebody may have a hand at the sunroof.",
    "guidance_loud": "That is so loud that you may not hear a siren.",
    "hang_up_emergency": "This is a call to the emergency services.",
    "window_child_lock": "The child lock is on, so a child may sit there.",
    "window_step_child_lock": "The child lock is on, so a child may sit there.",
    "unit_of_speed": "The speedometer may change with it.",
    "volume_loud": "That is so loud that you may not hear a siren.",
    "volume_louder": "That is so loud that you may not hear a siren.",
    "call_of_a_number": "That starts a telephone call.",
    "window_and_cooling": "The air conditioning is on.",
    "sunroof_fast": "We are going faster than 80 kilometres an hour, so it will be loud.",
    "sunroof_rain": "It may be raining.",
    "sunroof_closing": "Somebody may have a hand at the sunroof.",
    "trunk_open": "The trunk needs room to open.",
    "set_trunk": "Somebody may stand at the trunk.",
    "unlock": "Anybody can open an unlocked door.",
    "climate_for_defrost": "The front defroster is on; without the climate control the windscreen may fog up.",
    "auto_for_defrost": "The front defroster is on and needs the air at the windscreen.",
    "recall_seat_position": "Your seat will move, so take care that nothing gets caught.",
    "window_step_fast": "We are going faster than 80 kilometres an hour, so it will be loud.",
    "sunroof_step_fast": "We are going faster than 80 kilometres an hour, so it will be loud.",
    "window_step_closing_on_others": "Somebody may have a hand at the window.",
    "window_step_and_cooling": "The air conditioning is on.",
    "sunroof_step_rain": "It may be raining.",
    "sunroof_step_closing": "Somebody may have a hand at the sunroof.",
    "window_lock_off": "Children can then move the rear windows.",
    "child_lock_off": "Children can then open the rear doors from inside.",
    "display_dark": "The screen will be hard to read.",
    "display_darker": "The screen will be hard to read.",
    "call_contact": "That starts a telephone call.",
    "send_email": "That sends an e-mail.",
    "dome_light_glare": "The dome light makes it harder to see out.",
    "high_beam_dazzles": "The high beam dazzles others.",
})  # fmt: skip
"""What is said before the question, by rule. A rule also asks where its signal is unknown."""

REFUSING: Mapping[str, str] = MappingProxyType({
    "move_seat": "I can only move your seat when we're parked.",
    "recline_seat": "I can only move your backrest when we're parked.",
    "recall_seat_position": "I can only move your seat when we're parked.",
    "window_step_very_fast": "I can only open a window below 120 kilometres an hour; ask me again when we're slower.",
    "window_step_ignition": "I can only close windows while the ignition is on; switch it on and ask me again.",
    "sunroof_step_very_fast": "I can only open the sunroof below 120 kilometres an hour; ask me again when we're slower.",
    "sunroof_step_ignition": "I can only close the sunroof while the ignition is on; switch it on and ask me again.",
    "window_lock_off": "I can only unlock the rear windows when we're parked.",
    "child_lock_off": "I can only switch the child lock off when we're parked.",
    "charging_at_a_stand": "I can only start charging when we stand still.",
    "tilt_very_fast": "I can only tilt the sunroof below 120 kilometres an hour; ask me again when we're slower.",
    "tilt_open_roof": "The sunroof is open; ask me to close it first, then to tilt it.",
    "tilt_ignition": "I can only lower the sunroof while the ignition is on; switch it on and ask me again.",
    "adjust_mirror": "I can only turn the mirrors when we stand still.",
    "set_fuel_door": "I can only move the fuel door when we're parked.",
    "set_charge_port": "I can only move the charge port when we're parked.",
    "window_very_fast": "I can only open a window below 120 kilometres an hour; ask me again when we're slower.",
    "window_ignition": "I can only close windows while the ignition is on; switch it on and ask me again.",
    "sunroof_very_fast": "I can only open the sunroof below 120 kilometres an hour; ask me again when we're slower.",
    "sunroof_ignition": "I can only close the sunroof while the ignition is on; switch it on and ask me again.",
    "shade_under_open_roof": "The sunshade can only close under a closed sunroof; ask me to close the sunroof first.",
    "trunk_open": "I can only open the trunk when we're parked.",
    "set_trunk": "I can only close the trunk when we stand still.",
    "unlock": "I can only unlock the doors when we're parked.",
    "fold_mirrors": "I can only fold the mirrors when we're parked.",
    "low_beam_for_fog_lights": "The fog lights need the headlights; ask me to switch the fog lights off first.",
    "low_beam_off": "I can only switch the headlights off when we're parked.",
    "high_beam_with_fog_lights": "Fog lights and high beam don't mix; ask me to switch the fog lights off first.",
    "fog_lights_without_low_beam": "The fog lights need the headlights; ask me to switch the headlights on first.",
    "fog_lights_with_high_beam": "Fog lights and high beam don't mix; ask me to switch the high beam off first.",
    "silent": "I'm not connected to the car yet; ask me again in a moment.",
    "too_often": "That was too often in a row; ask me again in ten seconds.",
    "nothing_to_undo": "There is nothing to take back; ask me for what you want instead.",
    "not_fitted": "This car doesn't have that; ask me what I can do.",
})  # fmt: skip
"""What is said when a rule refuses: why, and what would work. The last four are no rows: see the gate and service."""

UNKNOWN_SPEED = "The car doesn't tell me how fast we're going."
UNKNOWN_PARKED = "The car doesn't tell me whether it is parked."
"""What is said before a refusal that would not be one if the car told these, and were parked."""


SPEAKERS: Mapping[str, Mapping[Tier, Verdict]] = MappingProxyType({
    "child": MappingProxyType({Tier.CARE: Verdict.CONFIRM, Tier.PINCH: Verdict.DENY, Tier.PARKED: Verdict.DENY}),
    "rear": MappingProxyType({Tier.PARKED: Verdict.CONFIRM}),
    "passenger": MappingProxyType({Tier.PARKED: Verdict.CONFIRM}),
})  # fmt: skip
"""Who speaks -> what becomes of an action of a tier at the least, in a car that knows it (signal ``cabin.speaker``: a seat's
microphone, or a seat that is known to hold a child). The driver, and whoever is not known, is judged by the table alone; an
emergency call is everybody's. Our choice."""

SPEAKER_ASKS = "Somebody else than the driver asked for that."
SPEAKER_REFUSED = "I can only do that for a grown-up; ask me from another seat."


def by_action(rows: tuple[Row, ...] = ROWS) -> Mapping[str, tuple[Row, ...]]:
    """The rows of every action, in the table's order."""
    grouped: dict[str, list[Row]] = {}
    for row in rows:
        grouped.setdefault(row.action, []).append(row)
    return MappingProxyType({action: tuple(found) for action, found in grouped.items()})


POLICY = by_action()
"""The policy that is in force."""
