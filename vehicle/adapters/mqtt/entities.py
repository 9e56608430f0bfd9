"""Home Assistant entities as a gateway announces them, and how they carry our signals.

Owns the reading of announcements and the words on the wire. Source: Home Assistant's documentation of MQTT discovery and of the
components, with its abbreviations. Talks to no broker (``vehicle.adapters.mqtt.adapter``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from vehicle.adapters.findings import Finding
from vehicle.adapters.mapping import Document, Entry, check_entries, known_signals, read_mapping
from vehicle.adapters.translation import Form, Scalar, Translation, translation_of, unit_named
from vehicle.signals import Kind, Signal

COMMANDED = frozenset({"number", "switch", "select", "text", "cover", "lock"})
COMPONENTS = COMMANDED | {"sensor", "binary_sensor"}

_SHORT = {
    "stat_t": "state_topic", "cmd_t": "command_topic", "avty_t": "availability_topic", "avty": "availability",
    "uniq_id": "unique_id", "obj_id": "object_id", "pl_on": "payload_on", "pl_off": "payload_off", "stat_on": "state_on",
    "stat_off": "state_off", "unit_of_meas": "unit_of_measurement", "ops": "options", "val_tpl": "value_template",
    "cmd_tpl": "command_template", "pl_avail": "payload_available", "pl_not_avail": "payload_not_available",
    "pos_t": "position_topic", "set_pos_t": "set_position_topic", "pos_open": "position_open", "pos_clsd": "position_closed",
    "pl_lock": "payload_lock", "pl_unlk": "payload_unlock", "stat_locked": "state_locked", "stat_unlocked": "state_unlocked",
    "t": "topic",
}  # fmt: skip

_SWITCH = {True: ("payload_on", "ON", "state_on"), False: ("payload_off", "OFF", "state_off")}
_LOCK = {True: ("payload_lock", "LOCK", "state_locked"), False: ("payload_unlock", "UNLOCK", "state_unlocked")}
"""On or off -> key of the command, its default, key of the state; a state's default is the command, of a lock with "ED"."""

_TEMPLATE = re.compile(r"\{\{\s*value(?:_json((?:\.\w+|\[['\"]\w+['\"]\])+))?\s*\}\}")


class MqttEntry(Entry):
    """Which entity a signal is."""

    entity: str | None = None
    """Its object id; left out: the signal's name with underscores for dots."""


class MqttMapping(Document):
    """A mapping to entities."""

    node: str | None = None
    """The node of the vehicle's gateway in the topics of discovery; left out: any."""
    batch_topic: str | None = None
    """Topic of the gateway that takes several commands at once, as a JSON object: entity -> payload."""
    driving: dict[str, MqttEntry]
    signals: dict[str, MqttEntry]

    def entity_of(self, name: str, entry: MqttEntry) -> str:
        """The object id of a signal's entity."""
        return entry.entity or name.replace(".", "_")


@dataclass(frozen=True, slots=True)
class Availability:
    """A topic that tells whether an entity is there."""

    topic: str
    online: str = "online"


@dataclass(frozen=True, slots=True)
class Entity:
    """One entity as announced."""

    component: str
    object_id: str
    state_topic: str
    command_topic: str | None
    path: tuple[str, ...] = ()
    """Where the value is in a JSON state; empty: the state is the value."""
    available: tuple[Availability, ...] = ()
    unit: str | None = None
    low: float | None = None
    high: float | None = None
    options: tuple[str, ...] | None = None
    said: Mapping[bool, str] = field(default_factory=lambda: {True: "ON", False: "OFF"})
    """States of what is on or off."""
    told: Mapping[bool, str] = field(default_factory=lambda: {True: "ON", False: "OFF"})
    """Commands to it."""
    reversed: bool = False
    """A cover that is open at 0."""


def load_entities(name: str) -> MqttMapping:
    """A mapping to entities by name or path, checked against ``vehicle.signals``.

    Raises:
        schemas.errors.ConfigError: it cannot be used; the message names file and line.
    """
    mapping, source = read_mapping(name, MqttMapping)
    check_entries(source, "driving", mapping.driving)
    check_entries(source, "signals", mapping.signals)
    return mapping


def announced(topic: str, payload: bytes, prefix: str, node: str | None) -> tuple[str, Entity | None, str] | None:
    """What an announcement says.

    Args:
        topic: of the announcement.
        payload: its JSON; empty where the entity is taken back.
        prefix: the prefix of discovery.
        node: only entities of this node; None for all.

    Returns:
        Object id, the entity (None: taken back, or not understood) and why it is not understood; None where the topic is
        none of ours.
    """
    parts = topic.removeprefix(f"{prefix}/").split("/")
    if not topic.startswith(f"{prefix}/") or parts[-1] != "config" or not 3 <= len(parts) <= 4:
        return None
    component, object_id = parts[0], parts[-2]
    if node is not None and (len(parts) < 4 or parts[1] != node):
        return None
    if not payload:
        return object_id, None, ""
    if component not in COMPONENTS:
        return object_id, None, f"{component} entities are not understood"
    try:
        said = _long(json.loads(payload))
        return object_id, _entity(component, object_id, said), ""
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        reason = str(error) if isinstance(error, ValueError) else f"its announcement lacks {error}"
        return object_id, None, reason


def _long(said: Mapping[str, Any]) -> dict[str, Any]:
    """With abbreviations written out and ``~`` replaced by the base topic."""
    base = said.get("~", "")

    def full(value: Any) -> Any:
        if isinstance(value, str) and base and value.startswith("~"):
            return base + value[1:]
        return base.join((value[:-1], "")) if isinstance(value, str) and base and value.endswith("~") else value

    out: dict[str, Any] = {}
    for key, value in said.items():
        if isinstance(value, list) and all(isinstance(one, dict) for one in value):  # pyright: ignore[reportUnknownVariableType]
            out[_SHORT.get(key, key)] = [{_SHORT.get(k, k): full(v) for k, v in one.items()} for one in value]  # pyright: ignore[reportUnknownVariableType]
        else:
            out[_SHORT.get(key, key)] = full(value)
    return out


def _entity(component: str, object_id: str, said: Mapping[str, Any]) -> Entity:
    cover = component == "cover"
    if "command_template" in said:
        raise ValueError("command templates are not understood")
    template = said.get("position_template" if cover else "value_template")
    found = _TEMPLATE.fullmatch(str(template).strip()) if template is not None else None
    if template is not None and found is None:
        raise ValueError("its value template is not understood")
    path = tuple(re.findall(r"\w+", found.group(1))) if found is not None and found.group(1) else ()
    words = _LOCK if component == "lock" else _SWITCH
    told = {on: str(said.get(key, default)) for on, (key, default, _) in words.items()}
    states = {
        on: str(said.get(key, told[on] if component != "lock" else f"{told[on]}ED"))
        for on, (_, _, key) in words.items()
    }
    return Entity(
        component=component,
        object_id=object_id,
        state_topic=str(said["position_topic" if cover else "state_topic"]),
        command_topic=str(said["set_position_topic" if cover else "command_topic"]) if component in COMMANDED else None,
        path=path,
        available=tuple(_availability(said)),
        unit="percent" if cover else said.get("unit_of_measurement"),
        low=_number(said.get("min", 1 if component == "number" else None)),
        high=_number(said.get("max", 100 if component == "number" else None)),
        options=tuple(str(one) for one in said["options"]) if component == "select" else None,
        said=states,
        told=told,
        reversed=cover and float(said.get("position_open", 100)) < float(said.get("position_closed", 0)),
    )


def _availability(said: Mapping[str, Any]) -> Iterable[Availability]:
    online = str(said.get("payload_available", "online"))
    if "availability_topic" in said:
        yield Availability(str(said["availability_topic"]), online)
    for one in said.get("availability", ()):
        yield Availability(str(one["topic"]), str(one.get("payload_available", "online")))


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


@dataclass(frozen=True, slots=True)
class Link:
    """One signal of ours in an entity."""

    name: str
    entity: Entity
    read: Translation
    write: Translation | None

    def decoded(self, payload: bytes) -> tuple[bool, Any]:
        """Whether there is a value, and ours for it (None: it makes no sense)."""
        try:
            value: Any = payload.decode("utf-8")
            for key in self.entity.path:
                value = (json.loads(value) if isinstance(value, str) else value)[key]
        except (ValueError, KeyError, TypeError):
            return True, None
        if value in ("None", "unknown", "unavailable", None):
            return False, None
        return True, self._ours(value)

    def encoded(self, value: Any) -> str:
        """What is sent for our value.

        Raises:
            schemas.errors.AdapterError: the entity cannot express it.
        """
        if self.write is None:
            raise ValueError(f"{self.name} is only read")
        if self.read.signal.kind is Kind.TEXTS:
            return json.dumps(list(value), ensure_ascii=False)
        return _payload(self.write.encode(value))

    def _ours(self, value: Any) -> Any:
        kind = self.read.signal.kind
        if kind is Kind.TEXTS:
            try:
                texts: Any = json.loads(value) if isinstance(value, str) else value
            except ValueError:
                return None
            return self.read.decode(tuple(texts)) if isinstance(texts, list) else None  # pyright: ignore[reportUnknownArgumentType]
        listed = self.read.form.choices is not None or self.read.form.points is not None
        if kind is Kind.NUMBER and not listed:
            try:
                return self.read.decode(float(value))
            except (ValueError, TypeError):
                return None
        return self.read.decode(_payload(value))


def _payload(value: Scalar) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"{value:.6f}".rstrip("0").rstrip(".")
    return value


def link(signal: Signal, entry: MqttEntry, entity: Entity) -> Link | Finding:
    """How a signal is carried by an entity, or why it cannot be."""
    form = Form.model_validate(entry.model_dump(include=set(Form.model_fields)))
    try:
        read, write = _looks(signal, form, entity)
    except ValueError as error:
        return Finding(
            "fail", signal.name, f"the {entity.component} {entity.object_id} is not as the mapping says: {error}"
        )
    if signal.writable and entity.command_topic is None:
        return Finding(
            "warn", signal.name, f"the {entity.component} {entity.object_id} can only be read, so it is not offered"
        )
    return Link(signal.name, entity, read, write if signal.writable else None)


def _looks(signal: Signal, form: Form, entity: Entity) -> tuple[Translation, Translation]:
    """How it is read and written.

    Raises:
        ValueError: it cannot be.
    """
    kind, component = signal.kind, entity.component
    if kind is Kind.SWITCH and form.choices is None:
        if component not in ("switch", "binary_sensor", "lock"):
            raise ValueError(f"a switch cannot be a {component}")
        said = form.model_copy(update={"choices": {"true": entity.said[True], "false": entity.said[False]}})
        told = form.model_copy(update={"choices": {"true": entity.told[True], "false": entity.told[False]}})
        return translation_of(signal, said), translation_of(signal, told)
    if kind is Kind.CHOICE or form.choices is not None:
        same: Mapping[str, Any] = form.choices or {choice: choice for choice in signal.choices}
        words = {ours: _words(theirs) for ours, theirs in same.items()}
        if entity.options is not None:
            words = {
                ours: tuple(one for one in theirs if one in (entity.options or ())) for ours, theirs in words.items()
            }
        words = {ours: theirs for ours, theirs in words.items() if theirs}
        if not words:
            raise ValueError("it has none of the options in the mapping")
        both = translation_of(signal, form.model_copy(update={"choices": words}))
        return both, both
    if kind in (Kind.TEXT, Kind.TEXTS):
        if component not in ("text", "sensor"):
            raise ValueError(f"words cannot be a {component}")
        both = translation_of(signal, form)
        return both, both
    if component not in ("number", "sensor", "cover"):
        raise ValueError(f"a number cannot be a {component}")
    if form.points is not None:
        form = form.model_copy(update={"points": {ours: _words(theirs) for ours, theirs in form.points.items()}})
    if entity.reversed:
        form = form.model_copy(update={"open_at": 0})
    unit = None if entity.unit is None or form.levels is not None else unit_named(entity.unit)
    both = translation_of(signal, form, unit=unit)
    if form.points is None:
        low = both.low if entity.low is None else max(both.low, entity.low)
        high = both.high if entity.high is None else min(both.high, entity.high)
        if low > high:
            raise ValueError(f"it takes {entity.low:g} to {entity.high:g}, the signal {both.low:g} to {both.high:g}")
        return both, replace(both, low=low, high=high)
    return both, both


def _words(theirs: Any) -> tuple[str, ...]:
    return tuple(_payload(one) for one in (theirs if isinstance(theirs, tuple) else (theirs,)))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def links(
    mapping: MqttMapping, entities: Mapping[str, Entity], odd: Mapping[str, str]
) -> tuple[dict[str, Link], tuple[Finding, ...]]:
    """Every signal that the announced entities carry, and what is missing or otherwise.

    Args:
        mapping: what is wanted.
        entities: by object id.
        odd: why an object id was not understood.
    """
    found: dict[str, Link] = {}
    findings: list[Finding] = []
    for section, entries in (("driving", mapping.driving), ("signals", mapping.signals)):
        for name, entry in entries.items():
            object_id = mapping.entity_of(name, entry)
            if object_id not in entities:
                reason = odd.get(object_id) or f"no entity {object_id} is announced"
                findings.append(Finding("fail" if section == "driving" else "warn", name, reason))
                continue
            one = link(known_signals(section)[name], entry, entities[object_id])
            if isinstance(one, Link):
                found[name] = one
            else:
                findings.append(one)
    return found, tuple(findings)
