"""Acts in writing: ``set_window(window=passenger,percent=50); play_music()``.

Owns: the names of the acts and of their slots, in the order in which they are written, which slots hold words of the utterance,
and reading and writing the form. Does not own what a car does with an act.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from models.text import spoken

WORDS = frozenset(
    "artist song station show playlist destination stop person what message label place quality near about name".split()
)
"""Slots that hold words of the utterance, as they were said."""
_TABLE = """
set_temperature celsius zone fahrenheit | change_temperature change zone by | set_fan_speed level | change_fan_speed change
set_air_conditioning on | set_airflow direction | set_recirculation on | set_defrost window on | set_climate on
set_auto_climate on | set_climate_sync on | set_seat_heating level zone | change_seat_heating change zone
set_seat_ventilation level zone | set_seat_massage level zone | change_lumbar change zone | set_steering_wheel_heating level
change_steering_wheel_heating change | move_seat direction | recline_seat direction | recall_seat_position number
set_window window but percent | change_window window but change by | set_sunroof percent | change_sunroof change by
set_sunshade percent | stop_moving | set_trunk open | set_door_locks locked | set_child_lock on | set_mirrors folded
set_mirror_heating on | set_ambient_light on | set_ambient_color color | set_ambient_brightness percent
change_ambient_brightness change | set_reading_light zone on | set_dome_light on | set_low_beam on | set_high_beam on
set_fog_lights on | set_display_brightness percent | change_display_brightness change | set_display_mode mode | set_unit unit
play_music genre artist song | play_radio station | play_podcast show genre | play_playlist playlist | play_favorites
set_media_source source | set_volume percent | change_volume change by times | set_playback command | seek change seconds
set_mute on | set_shuffle on | set_repeat mode | get_playing | navigate_to destination | find_place kind quality near
find_on_route kind quality | list_places kind quality near | add_stop destination | remove_stop destination
replace_stop stop destination | change_destination destination | cancel_navigation | set_route_preference preference
get_routes | choose_route number | add_charging_stops | set_guidance on | get_distance destination | get_navigation
set_charging on | set_charge_limit percent | set_charge_port open | set_charge_timer on hour minute half
get_charging percent minutes | get_range percent | get_tire_pressure | get_outside_temperature | get_cabin_temperature
get_climate | get_seats part | get_openings part | get_lights part | get_car part | get_warnings | get_time part
get_weather day hour half place | get_capabilities about | set_timer minutes seconds label
set_reminder what minutes hour minute half day event | get_timers kind | cancel_timer kind label | get_calendar day
get_contact person part | call_contact person | send_email person message | undo | yes | no | cancel | stop | repeat | hello
how_are_you | thanks | goodbye | joke | who_are_you | praise | blame | help | get_last part | why | choose number | refrain
chat | none | tell | remember what | recall about | talked about | forget about | forget_last | forget_all
forget_period period | opt_out about | opt_in about | private_trip on | pause_learning | resume_learning | guest_mode on
who_am_i | switch_driver name | delete_me | export_data | learned | cannot topic
"""
ACTS: Mapping[str, tuple[str, ...]] = {
    line.split()[0]: tuple(line.split()[1:]) for row in _TABLE.strip().splitlines() for line in row.split(" | ")
}
"""Name of an act -> its slots, in the order in which they are written."""
TOPICS = frozenset(
    "messages calls traffic speed_limit warning_light service consumption fuel_price opening_hours booking ordering lists "
    "calendar_entry email_read news sport knowledge translation conversion web driving wipers horn drive_mode bonnet sound "
    "streaming video map_view screen parked_car schedule condition seat_save share emergency smart_home connect window_lock "
    "scent alarm name rules money health other".split()
)
"""What the car cannot do, by name: the values of the slot ``topic``."""
_ACT = re.compile(r"([a-z_]+)\(([^()]*)\)")
_SLOT = re.compile(r",\s*(?=[a-z_]+=)")


@dataclass(frozen=True)
class Act:
    """One act; slots as they are written."""

    name: str
    slots: Mapping[str, str]

    def __str__(self) -> str:
        inside = ",".join(f"{slot}={self.slots[slot]}" for slot in ACTS[self.name] if slot in self.slots)
        return f"{self.name}({inside})"

    @property
    def said(self) -> tuple[str, ...]:
        """The values that are words of the utterance; what ``about`` says of the assistant's abilities is one of a few."""
        return tuple(
            value
            for slot, value in self.slots.items()
            if (slot in WORDS or (slot == "genre")) and self.name != "get_capabilities"
        )


def read(text: str) -> tuple[Act, ...]:
    """The acts that a text writes.

    Raises:
        ValueError: it is not in this form, or has a name, a slot or a topic that there is not.
    """
    acts: list[Act] = []
    for part in text.split(";"):
        found = _ACT.fullmatch(part.strip())
        if found is None:
            raise ValueError(f"{part.strip()!r} is no act")
        name, inside = found.groups()
        if name not in ACTS:
            raise ValueError(f"no act is called {name!r}")
        slots: dict[str, str] = {}
        for pair in _SLOT.split(inside) if inside.strip() else ():
            slot, equals, value = pair.partition("=")
            slot, value = slot.strip(), value.strip()
            if not equals or not value:
                raise ValueError(f"{pair!r} in {name} is no slot with a value")
            if slot not in ACTS[name]:
                raise ValueError(f"{name} has no slot {slot!r}")
            slots[slot] = spoken(value) if slot in WORDS and name != "get_capabilities" else value
        if slots.get("topic", "other") not in TOPICS:
            raise ValueError(f"no topic is called {slots['topic']!r}")
        acts.append(Act(name, slots))
    return tuple(acts)


def write(acts: tuple[Act, ...]) -> str:
    """The text of acts; `read` gives them back."""
    return "; ".join(map(str, acts))
