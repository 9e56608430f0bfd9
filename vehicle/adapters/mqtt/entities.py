"""Which announced entity carries which of our signals, and how.

Owns the mapping's shape and the words on the wire. What is announced is read by ``vehicle.adapters.mqtt.announcements``. Talks to
no broker (``vehicle.adapters.mqtt.adapter``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from schemas.errors import AdapterError
from vehicle.adapters.findings import Finding
from vehicle.adapters.mapping import Document, Entry, check_entries, known_signals, read_mapping
from vehicle.adapters.mqtt.announcements import Entity
from vehicle.adapters.mqtt.templates import put, taken
from vehicle.adapters.translation import Form, Scalar, Translation, translation_of, unit_named
from vehicle.signals import Kind, Signal


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


def load_entities(name: str) -> MqttMapping:
    """A mapping to entities by name or path, checked against ``vehicle.signals``.

    Raises:
        schemas.errors.ConfigError: it cannot be used; the message names file and line.
    """
    mapping, source = read_mapping(name, MqttMapping)
    check_entries(source, "driving", mapping.driving)
    check_entries(source, "signals", mapping.signals)
    return mapping


@dataclass(frozen=True, slots=True)
class Link:
    """One signal of ours in an entity."""

    name: str
    entity: Entity
    read: Translation
    write: Translation | None

    def decoded(self, payload: bytes) -> tuple[bool, Any]:
        """Whether there is a value, and ours for it (None: it makes no sense)."""
        value: Any = payload.decode("utf-8", "replace")
        if self.entity.template is not None:
            value = taken(self.entity.template, value)
            if value is None:
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
        entity = self.entity
        if self.read.signal.kind is Kind.TEXTS:
            payload = json.dumps(list(value), ensure_ascii=False)
        else:
            theirs = self.write.encode(value)
            payload = _payload(
                _scaled(theirs, entity.scale) if entity.scale and not isinstance(theirs, str) else theirs
            )
        try:
            return payload if entity.command is None else put(entity.command, payload)
        except ValueError as error:
            raise AdapterError(f"{self.name}: {error}") from None

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
                number = float(value)
            except (ValueError, TypeError):
                return None
            return self.read.decode(_unscaled(number, self.entity.scale) if self.entity.scale else number)
        return self.read.decode(_payload(value))


def _scaled(percent: float, scale: tuple[float, float]) -> int:
    """Their number for a percentage."""
    return round(scale[0] + (scale[1] - scale[0]) * percent / 100.0)


def _unscaled(number: float, scale: tuple[float, float]) -> float:
    """The percentage for their number."""
    share = (number - scale[0]) / (scale[1] - scale[0])
    return float(round(100.0 * share)) if -1e-9 <= share <= 1.0 + 1e-9 else 100.0 * share


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
        if component not in ("switch", "binary_sensor", "lock", "light", "fan") or entity.scale is not None:
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
    if entity.ends is not None:
        said = form.model_copy(update={"unit": "", "points": {str(at): words for at, words in entity.ends[0].items()}})
        told = form.model_copy(update={"unit": "", "points": {str(at): word for at, word in entity.ends[1].items()}})
        return translation_of(signal, said), translation_of(signal, told)
    if component not in ("number", "sensor", "cover", "climate") and entity.scale is None:
        raise ValueError(f"a number cannot be a {component}")
    if form.points is not None:
        form = form.model_copy(update={"points": {ours: _words(theirs) for ours, theirs in form.points.items()}})
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


def links(mapping: MqttMapping, entities: Mapping[str, Entity | str]) -> tuple[dict[str, Link], tuple[Finding, ...]]:
    """Every signal that the announced entities carry, and what is missing or otherwise.

    Args:
        mapping: what is wanted.
        entities: by object id; a text says why one was not understood.
    """
    found: dict[str, Link] = {}
    findings: list[Finding] = []
    for section, entries in (("driving", mapping.driving), ("signals", mapping.signals)):
        for name, entry in entries.items():
            object_id = mapping.entity_of(name, entry)
            entity = entities.get(object_id)
            if not isinstance(entity, Entity):
                reason = entity or f"no entity {object_id} is announced"
                findings.append(Finding("fail" if section == "driving" else "warn", name, reason))
                continue
            one = link(known_signals(section)[name], entry, entity)
            if isinstance(one, Link):
                found[name] = one
                if not entity.state_topic:
                    said = f"{object_id} tells no state: what was commanded is taken for it"
                    findings.append(Finding("warn", name, said))
            else:
                findings.append(one)
    return found, tuple(findings)
