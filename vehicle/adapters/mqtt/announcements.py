"""Home Assistant's announcements: which entities there are, where their states come and where commands go.

Owns the reading of discovery, both of its forms (a message for an entity, and one for a device with all its components), with the
abbreviations, defaults and scales of the components. An entity that carries several values is read as several: ``blower`` and
``blower.percentage``, ``cabin`` and ``cabin.mode``. Source: Home Assistant's documentation of MQTT discovery and of the components.
Talks to no broker.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from jinja2 import Template

from vehicle.adapters.mqtt.templates import COLOURS, POSITION, template_of

_SHORT = {
    "act_t": "action_topic", "avty": "availability", "avty_mode": "availability_mode", "avty_t": "availability_topic",
    "avty_tpl": "availability_template", "bri_cmd_tpl": "brightness_command_template", "bri_cmd_t": "brightness_command_topic",
    "bri_scl": "brightness_scale", "bri_stat_t": "brightness_state_topic", "bri_val_tpl": "brightness_value_template",
    "cmd_t": "command_topic", "cmd_tpl": "command_template", "cmps": "components", "curr_temp_t": "current_temperature_topic",
    "curr_temp_tpl": "current_temperature_template", "dev": "device", "fan_mode_cmd_tpl": "fan_mode_command_template",
    "fan_mode_cmd_t": "fan_mode_command_topic", "fan_mode_stat_t": "fan_mode_state_topic",
    "fan_mode_stat_tpl": "fan_mode_state_template", "fan_modes": "fan_modes", "max_temp": "max_temp", "min_temp": "min_temp",
    "mode_cmd_tpl": "mode_command_template", "mode_cmd_t": "mode_command_topic", "mode_stat_t": "mode_state_topic",
    "mode_stat_tpl": "mode_state_template", "modes": "modes", "o": "origin", "obj_id": "object_id", "ops": "options",
    "opt": "optimistic", "p": "platform", "pct_cmd_tpl": "percentage_command_template", "pct_cmd_t": "percentage_command_topic",
    "pct_stat_t": "percentage_state_topic", "pct_val_tpl": "percentage_value_template", "pl_avail": "payload_available",
    "pl_cls": "payload_close", "pl_lock": "payload_lock", "pl_not_avail": "payload_not_available", "pl_off": "payload_off",
    "pl_on": "payload_on", "pl_open": "payload_open", "pl_stop": "payload_stop", "pl_unlk": "payload_unlock",
    "pos_clsd": "position_closed",
    "pos_open": "position_open", "pos_t": "position_topic", "pos_tpl": "position_template",
    "rgb_cmd_tpl": "rgb_command_template", "rgb_cmd_t": "rgb_command_topic", "rgb_stat_t": "rgb_state_topic",
    "rgb_val_tpl": "rgb_value_template", "schema": "schema", "set_pos_t": "set_position_topic",
    "set_pos_tpl": "set_position_template", "spd_rng_max": "speed_range_max", "spd_rng_min": "speed_range_min",
    "stat_closing": "state_closing", "stat_clsd": "state_closed", "stat_locked": "state_locked", "stat_off": "state_off",
    "stat_on": "state_on", "stat_open": "state_open", "stat_opening": "state_opening", "stat_stopped": "state_stopped",
    "stat_t": "state_topic", "stat_tpl": "state_template", "stat_unlocked": "state_unlocked",
    "stat_val_tpl": "state_value_template", "t": "topic", "temp_cmd_t": "temperature_command_topic",
    "temp_cmd_tpl": "temperature_command_template", "temp_stat_t": "temperature_state_topic",
    "temp_stat_tpl": "temperature_state_template", "temp_unit": "temperature_unit", "uniq_id": "unique_id",
    "unit_of_meas": "unit_of_measurement", "val_tpl": "value_template",
}  # fmt: skip

CLOSING, STOPPED, OPENING = 25, 50, 75
"""What a cover without positions counts as between its ends, in percent: nearer to where it goes, so that its first word proves
that it moves. Our choice; no more is known than that it is between."""

SHARED = ("availability", "availability_topic", "availability_mode", "availability_template", "payload_available",
          "payload_not_available", "state_topic", "command_topic")  # fmt: skip
"""What a device's announcement says once for all its components."""


@dataclass(frozen=True, slots=True)
class Availability:
    """A topic that tells whether an entity is there."""

    topic: str
    online: str = "online"
    template: Template | None = None


@dataclass(frozen=True, slots=True)
class Entity:
    """One value of an entity, as announced."""

    component: str
    object_id: str
    state_topic: str
    """Empty: nobody tells the state; what was commanded and acknowledged is taken for it, as Home Assistant does."""
    command_topic: str | None
    template: Template | None = None
    """Takes the value out of a state; None: the state is the value."""
    command: Template | None = None
    """Puts a value into a command; None: the command is the value."""
    available: tuple[Availability, ...] = ()
    mode: str = "latest"
    """Of the availability of several topics: ``all``, ``any`` or ``latest``."""
    unit: str | None = None
    low: float | None = None
    high: float | None = None
    options: tuple[str, ...] | None = None
    said: Mapping[bool, str] = field(default_factory=lambda: {True: "ON", False: "OFF"})
    """States of what is on or off, locked or not."""
    told: Mapping[bool, str] = field(default_factory=lambda: {True: "ON", False: "OFF"})
    """Commands to it."""
    scale: tuple[float, float] | None = None
    """Their numbers for 0 and 100 percent; falling for a cover that is open at 0."""
    ends: tuple[Mapping[int, tuple[str, ...]], Mapping[int, str]] | None = None
    """Of a cover without positions: the states of closed (0), between (`CLOSING`, `STOPPED`, `OPENING`) and open (100), and the
    commands."""
    stop: str | None = None
    """The command that stops such a cover on its way; None: it takes none."""

    def there(self, payloads: Mapping[str, tuple[int, str]]) -> bool:
        """Whether it can be used.

        Args:
            payloads: topic of availability -> when it was told (a count) and what; topics that told nothing are missing.
        """
        told = [
            (payloads[one.topic][0], payloads[one.topic][1] == one.online)
            for one in self.available
            if one.topic in payloads
        ]
        if not self.available:
            return True
        if self.mode == "all":
            return len(told) == len(self.available) and all(is_there for _, is_there in told)
        if self.mode == "any":
            return any(is_there for _, is_there in told)
        return bool(told) and max(told)[1]


Found = Mapping[str, "Entity | str"]
"""Object id -> an entity, or why it is not understood."""


def announced(topic: str, payload: bytes, prefix: str, node: str | None) -> Found | None:
    """What an announcement says.

    Args:
        topic: of the announcement.
        payload: its JSON; empty where everything in it is taken back.
        prefix: the prefix of discovery.
        node: only entities of this node, or device; None for all.

    Returns:
        All that the topic announces now; None where it is none of ours.
    """
    parts = topic.removeprefix(f"{prefix}/").split("/")
    if not topic.startswith(f"{prefix}/") or parts[-1] != "config" or not 3 <= len(parts) <= 4:
        return None
    component, object_id = parts[0], parts[-2]
    if node is not None and node != (parts[1] if len(parts) == 4 or component == "device" else None):
        return None
    if not payload:
        return {}
    try:
        given = json.loads(payload.decode("utf-8"))
        if not isinstance(given, dict):
            return {object_id: "its announcement is no JSON object"}
        said = _long(given)  # pyright: ignore[reportUnknownArgumentType]
        if component != "device":
            return _read(component, object_id, said)
        return _components(said)
    except _ODD as error:
        return {object_id: _why(error)}


def _components(said: Mapping[str, Any]) -> dict[str, Entity | str]:
    """What a device's announcement says of each of its components."""
    found: dict[str, Entity | str] = {}
    shared = {key: said[key] for key in SHARED if key in said}
    for key, own in said["components"].items():
        part = _long(own, str(said.get("~", "")))
        if set(part) > {"platform"}:  # one that says only what it was is taken back
            found |= _read(str(part["platform"]), str(key), {**shared, **part})
    return found


def _read(component: str, object_id: str, said: Mapping[str, Any]) -> dict[str, Entity | str]:
    """The values of one entity, or why it is not understood."""
    try:
        if component not in _READERS:
            raise ValueError(f"{component} entities are not understood")
        common: dict[str, Any] = {"component": component, "available": tuple(_availability(said)), "mode": _mode(said)}
        found: dict[str, Entity | str] = {one.object_id: one for one in _READERS[component](object_id, said, common)}
    except _ODD as error:
        return {object_id: _why(error)}
    return found or {object_id: "it tells and takes nothing that is understood"}


_ODD = (ValueError, KeyError, TypeError, AttributeError)


def _why(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"its announcement lacks {error}"
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError):
        return f"its announcement is no JSON: {error}"
    if isinstance(error, ValueError):
        return str(error).replace("could not convert string to float:", "its announcement needs a number where it has")
    return f"its announcement is none of Home Assistant's form: {error}"


def _long(said: Mapping[str, Any], base: str = "") -> dict[str, Any]:
    """With abbreviations written out and ``~`` replaced by the base topic."""
    base = str(said.get("~", base))

    def full(value: Any) -> Any:
        if isinstance(value, str) and base and value.startswith("~"):
            return base + value[1:]
        if isinstance(value, list):
            return [_long(one, base) if isinstance(one, dict) else one for one in value]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        return base.join((value[:-1], "")) if isinstance(value, str) and base and value.endswith("~") else value

    return {_SHORT.get(key, key): full(value) for key, value in said.items()}


def _mode(said: Mapping[str, Any]) -> str:
    mode = str(said.get("availability_mode", "latest"))
    if mode not in ("all", "any", "latest"):
        raise ValueError(f"the availability mode {mode} is not known")
    return mode


def _availability(said: Mapping[str, Any]) -> Iterator[Availability]:
    online = str(said.get("payload_available", "online"))
    if "availability_topic" in said:
        yield Availability(str(said["availability_topic"]), online, _template(said, "availability_template"))
    for one in said.get("availability", ()):
        template = _template(one, "value_template")
        yield Availability(str(one["topic"]), str(one.get("payload_available", "online")), template)


def _template(said: Mapping[str, Any], key: str, *more: str) -> Template | None:
    return template_of(str(said[key]), *more) if said.get(key) is not None else None


def _topics(said: Mapping[str, Any], name: str = "") -> dict[str, Any]:
    """Where a value's state comes and its command goes, by the usual keys: ``state_topic`` or ``brightness_state_topic``."""
    lead = f"{name}_" if name else ""
    command = said.get(f"{lead}command_topic")
    return {
        "state_topic": str(said.get(f"{lead}state_topic", "")),
        "command_topic": str(command) if command is not None else None,
        "template": _template(said, f"{lead}state_template") or _template(said, f"{lead}value_template"),
        "command": _template(said, f"{lead}command_template", *(COLOURS if name == "rgb" else ())),
    }


def _on_off(said: Mapping[str, Any]) -> dict[str, Any]:
    told = {True: str(said.get("payload_on", "ON")), False: str(said.get("payload_off", "OFF"))}
    states = {True: str(said.get("state_on", told[True])), False: str(said.get("state_off", told[False]))}
    return {"told": told, "said": states}


_Reader = Iterator[Entity]


def _plain(object_id: str, said: Mapping[str, Any], common: dict[str, Any]) -> _Reader:
    """Numbers, switches, lists, texts and what is only read."""
    component = common["component"]
    topics = _topics(said)
    number = component == "number"
    if component in ("sensor", "binary_sensor"):
        said["state_topic"]
        topics["command_topic"] = None
    else:
        said["command_topic"]
    if component == "select":
        said["options"]
    low, high = _number(said.get("min", 1 if number else None)), _number(said.get("max", 100 if number else None))
    yield Entity(
        object_id=object_id, **common, **topics, **_on_off(said), unit=said.get("unit_of_measurement"), low=low, high=high,
        options=tuple(str(one) for one in said["options"]) if component == "select" else None,
    )  # fmt: skip


def _lock(object_id: str, said: Mapping[str, Any], common: dict[str, Any]) -> _Reader:
    told = {True: str(said.get("payload_lock", "LOCK")), False: str(said.get("payload_unlock", "UNLOCK"))}
    states = {True: str(said.get("state_locked", "LOCKED")), False: str(said.get("state_unlocked", "UNLOCKED"))}
    said["command_topic"]
    yield Entity(object_id=object_id, **common, **_topics(said), told=told, said=states)


def _cover(object_id: str, said: Mapping[str, Any], common: dict[str, Any]) -> _Reader:
    if "position_topic" in said:
        topics: dict[str, Any] = {
            "state_topic": str(said["position_topic"]),
            "command_topic": str(said["set_position_topic"]) if "set_position_topic" in said else None,
            "template": _template(said, "position_template") or _template(said, "value_template"),
            "command": _template(said, "set_position_template", POSITION),
        }
        scale = float(said.get("position_closed", 0)), float(said.get("position_open", 100))
        if scale[0] == scale[1]:
            raise ValueError("its position is the same open and closed")
        yield Entity(object_id=object_id, **common, **topics, unit="percent", scale=scale)
        return
    words = {0: "closed", CLOSING: "closing", STOPPED: "stopped", OPENING: "opening", 100: "open"}
    states = {at: (str(said.get(f"state_{word}", word)),) for at, word in words.items()}
    told = {0: str(said.get("payload_close", "CLOSE")), 100: str(said.get("payload_open", "OPEN"))}
    said["command_topic"]
    stop = said.get("payload_stop", "STOP")
    yield Entity(
        object_id=object_id, **common, **_topics(said), unit="percent", ends=(states, told),
        stop=str(stop) if stop is not None else None,
    )  # fmt: skip


def _light(object_id: str, said: Mapping[str, Any], common: dict[str, Any]) -> _Reader:
    schema = str(said.get("schema", "basic"))
    bright = float(said.get("brightness_scale", 255))
    if schema == "json":
        topics: dict[str, Any] = {
            "state_topic": str(said.get("state_topic", "")),
            "command_topic": str(said["command_topic"]),
        }
        yield Entity(
            object_id=object_id, **common, **topics, template=template_of("{{ value_json.state }}"),
            command=template_of('{"state": "{{ value }}"}'),
        )  # fmt: skip
        if said.get("brightness"):
            yield Entity(
                object_id=f"{object_id}.brightness", **common, **topics, unit="percent", scale=(0.0, bright),
                template=template_of("{{ value_json.brightness }}"),
                command=template_of('{"state": "ON", "brightness": {{ value }}}'),
            )  # fmt: skip
        return
    if schema != "basic":
        raise ValueError(f"lights of the schema {schema} are not understood")
    on = _topics(said)
    on["template"] = _template(said, "state_value_template")
    said["command_topic"]
    yield Entity(object_id=object_id, **common, **on, **_on_off(said))
    if "brightness_command_topic" in said:
        yield Entity(
            object_id=f"{object_id}.brightness",
            **common,
            **_topics(said, "brightness"),
            unit="percent",
            scale=(0.0, bright),
        )
    if "rgb_command_topic" in said:
        yield Entity(object_id=f"{object_id}.rgb", **common, **_topics(said, "rgb"))


def _fan(object_id: str, said: Mapping[str, Any], common: dict[str, Any]) -> _Reader:
    said["command_topic"]
    on = _topics(said)
    on["template"] = _template(said, "state_value_template")
    yield Entity(object_id=object_id, **common, **on, **_on_off(said))
    if "percentage_command_topic" in said:
        low, high = float(said.get("speed_range_min", 1)), float(said.get("speed_range_max", 100))
        yield Entity(
            object_id=f"{object_id}.percentage", **common, **_topics(said, "percentage"), unit="percent",
            scale=(low - 1.0, high),
        )  # fmt: skip


def _climate(object_id: str, said: Mapping[str, Any], common: dict[str, Any]) -> _Reader:
    unit = {"C": "Celsius", "F": "Fahrenheit"}[str(said.get("temperature_unit", "C"))]
    if "temperature_command_topic" in said:
        default = (7.0, 35.0) if unit == "Celsius" else (44.6, 95.0)
        low, high = float(said.get("min_temp", default[0])), float(said.get("max_temp", default[1]))
        yield Entity(object_id=object_id, **common, **_topics(said, "temperature"), unit=unit, low=low, high=high)
    if "current_temperature_topic" in said:
        yield Entity(
            object_id=f"{object_id}.current", **common, state_topic=str(said["current_temperature_topic"]),
            command_topic=None, template=_template(said, "current_temperature_template"), unit=unit,
        )  # fmt: skip
    modes = {
        "mode": ("modes", ("auto", "off", "cool", "heat", "dry", "fan_only")),
        "fan_mode": ("fan_modes", ("auto", "low", "medium", "high")),
    }
    for name, (key, usual) in modes.items():
        if f"{name}_command_topic" in said:
            options = tuple(str(one) for one in said.get(key, usual))
            yield Entity(object_id=f"{object_id}.{name}", **common, **_topics(said, name), options=options)


_READERS = {
    **dict.fromkeys(("number", "switch", "select", "text", "sensor", "binary_sensor"), _plain),
    "lock": _lock, "cover": _cover, "light": _light, "fan": _fan, "climate": _climate,
}  # fmt: skip


def _number(value: Any) -> float | None:
    number = None if value is None else float(value)
    if number is not None and not math.isfinite(number):
        raise ValueError(f"its announcement needs a number where it has {value!r}")
    return number
