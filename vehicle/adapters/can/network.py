"""The mapping to CAN messages, checked against the DBC: what is received where, and the closed list of what may be sent.

Owns the shape of the mapping and its check at start, every complaint with file and line. Sends nothing
(``vehicle.adapters.can.frames``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os.path import expanduser
from pathlib import Path
from typing import Annotated, Any

import cantools
from cantools.database import Database, Message
from cantools.database import Signal as DbcSignal
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from vehicle.adapters.can.checksums import BYTES, CHECKSUMS, family
from vehicle.adapters.can.dbc import bits, load_dbc
from vehicle.adapters.mapping import (
    FOLDER,
    Document,
    Entry,
    Source,
    Where,
    check_entries,
    check_form,
    known_signals,
    read_mapping,
)
from vehicle.adapters.translation import CONVERSIONS, Form, Translation, translation_of, unit_named

_DBC_UNITS = {"degC": "Celsius", "deg": "degrees", "degF": "Fahrenheit"}
_LOOK = frozenset(Form.model_fields)


class Strict(BaseModel):
    """Base of the parts: frozen, and a key that is not there is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Written(Form):
    """Where a target is asked for; without a look of its own it has that of the present value."""

    message: str
    signal: str


class CanEntry(Entry):
    """Where a signal is on the bus."""

    message: str
    signal: str
    write: Written | None = None

    def written_look(self) -> Form:
        """How the target looks."""
        own = self.write is not None and bool(self.write.model_fields_set & _LOOK)
        source: Form = self.write if own and self.write is not None else self
        return Form.model_validate(source.model_dump(include=set(_LOOK)))


class Checksum(Strict):
    """What proves the rest of a frame."""

    signal: str
    kind: Annotated[str, AfterValidator(CHECKSUMS.known)]
    """A family of ``vehicle.adapters.can.checksums``, or one that another package adds."""
    data_id: Annotated[int, Field(ge=0, le=0xFFFF)] | None = None
    """A constant of the message that is counted in (AUTOSAR end-to-end protection)."""
    data_ids: tuple[Annotated[int, Field(ge=0, le=0xFFFF)], ...] = ()
    """In its place: one for each value of the counter, from 0 on."""

    @property
    def constants(self) -> tuple[int, ...]:
        """The constants of the message: none, one, or one for each value of the counter."""
        return self.data_ids or (() if self.data_id is None else (self.data_id,))


class Received(Strict):
    """What is known of a message that comes in."""

    max_age_s: Annotated[float, Field(gt=0.0, le=60.0)] | None = None
    """Age from which on its values are unknown; left out: they hold while the bus lives."""
    counter: str | None = None
    checksum: Checksum | None = None


class Allowed(Strict):
    """One signal of a frame that may be sent."""

    idle: Annotated[int, Field(ge=0)]
    """The raw value that asks for nothing."""
    min: float
    max: float
    """The range that may be asked for, in the DBC's unit."""


class Sent(Strict):
    """One frame that may be sent."""

    id: Annotated[int, Field(ge=0, le=0x1FFFFFFF)]
    """Must be the DBC's: a mapping that was made for another car is found out."""
    cycle_ms: Annotated[float, Field(ge=5.0, le=1000.0)]
    """Between the repetitions of a request."""
    repeats: Annotated[int, Field(ge=1, le=20)]
    """How often a request is sent before the frame asks for nothing again."""
    idle_cycle_ms: Annotated[float, Field(ge=10.0, le=10_000.0)] | None = None
    """The frame is sent that often even when nothing is asked for; left out: it is not."""
    per_second: Annotated[int, Field(ge=1, le=100)]
    """Most requests a second; more are refused."""
    counter: str | None = None
    checksum: Checksum | None = None
    fixed: dict[str, Annotated[int, Field(ge=0)]] = {}
    """Raw values of signals that never ask for anything."""
    signals: dict[str, Allowed]


class CanMapping(Document):
    """A mapping to CAN messages."""

    driving: dict[str, CanEntry]
    signals: dict[str, CanEntry]
    messages: dict[str, Received] = Field(default_factory=dict[str, Received])
    transmit: dict[str, Sent] = Field(default_factory=dict[str, Sent])


@dataclass(frozen=True, slots=True)
class Input:
    """One signal of ours in a message that comes in."""

    name: str
    signal: str
    read: Translation


@dataclass(frozen=True, slots=True)
class Output:
    """One signal of ours in a frame that may be sent."""

    frame: str
    signal: DbcSignal
    allowed: Allowed
    write: Translation


@dataclass(frozen=True, slots=True)
class Network:
    """Everything that is known of the bus."""

    name: str
    database: Database
    inputs: Mapping[int, tuple[Input, ...]]
    """By frame id."""
    received: Mapping[int, Received]
    outputs: Mapping[str, Output]
    """By our signal."""
    sent: Mapping[str, tuple[Message, Sent]]
    """By frame name."""
    limits: Mapping[str, float]
    """Longest age in seconds by our signal."""
    mended: tuple[str, ...] = ()
    """What in the DBC was not as it should be."""


def load_network(mapping: str, dbc: str) -> Network:
    """Mapping and DBC together.

    Args:
        mapping: name or path; see ``vehicle.adapters.mapping.find_mapping``.
        dbc: name of one that comes with Glovebox, or a path.

    Raises:
        schemas.errors.ConfigError: one of them cannot be used; the message names file and line.
    """
    wanted, source = read_mapping(mapping, CanMapping)
    database, mended = _database(dbc)
    check_entries(source, "driving", wanted.driving)
    check_entries(source, "signals", wanted.signals)
    checks = _Checks(source, database, wanted)
    inputs: dict[int, list[Input]] = {}
    outputs: dict[str, Output] = {}
    limits: dict[str, float] = {}
    for section, entries in (("driving", wanted.driving), ("signals", wanted.signals)):
        for name, entry in entries.items():
            message, read = checks.read(section, name, entry)
            inputs.setdefault(message.frame_id, []).append(Input(name, entry.signal, read))
            age = entry.max_age_s or (
                wanted.messages[entry.message].max_age_s if entry.message in wanted.messages else None
            )
            limits |= {name: age} if age else {}
            if entry.write is not None:
                outputs[name] = checks.write(section, name, entry)
    return Network(
        wanted.name,
        database,
        {frame: tuple(several) for frame, several in inputs.items()},
        {checks.message(("messages", name), name).frame_id: one for name, one in checks.received()},
        outputs,
        {name: (checks.frame(name, sent), sent) for name, sent in wanted.transmit.items()},
        limits,
        mended,
    )


def _database(dbc: str) -> tuple[Database, tuple[str, ...]]:
    return load_dbc(Path(expanduser(dbc)) if "/" in dbc or "." in dbc else FOLDER / f"{dbc}.dbc")


class _Checks:
    """Compares a mapping with its DBC."""

    def __init__(self, source: Source, database: Database, mapping: CanMapping) -> None:
        self._source, self._database, self._mapping = source, database, mapping

    def message(self, where: Where, name: str) -> Message:
        """The message of that name.

        Raises:
            schemas.errors.ConfigError: the DBC has none.
        """
        try:
            return self._database.get_message_by_name(name)
        except KeyError:
            raise self._source.complaint(where, f"the DBC has no message {name}") from None

    def received(self) -> Iterator[tuple[str, Received]]:
        """What is known of incoming messages, with counters and checksums that fit the DBC."""
        for name, one in self._mapping.messages.items():
            where = ("messages", name)
            self._protection(where, self.message(where, name), one.counter, one.checksum)
            yield name, one

    def read(self, section: str, name: str, entry: CanEntry) -> tuple[Message, Translation]:
        """Where a present value comes from."""
        message = self.message((section, name, "message"), entry.message)
        signal = self._signal((section, name, "signal"), message, entry.signal)
        look = Form.model_validate(entry.model_dump(include=set(_LOOK)))
        self._unit((section, name, "unit"), look, signal)
        return message, translation_of(known_signals(section)[name], look)

    def write(self, section: str, name: str, entry: CanEntry) -> Output:
        """Where a target goes."""
        where = (section, name, "write")
        ours = known_signals(section)[name]
        written = entry.write
        if written is None or not ours.writable:
            raise self._source.complaint(where, f"{name} is only read")
        if written.message not in self._mapping.transmit:
            raise self._source.complaint((*where, "message"), f"{written.message} is not in the list `transmit`")
        allowed = self._mapping.transmit[written.message].signals.get(written.signal)
        if allowed is None:
            raise self._source.complaint(
                (*where, "signal"), f"{written.signal} is not in the list transmit.{written.message}"
            )
        message = self.message((*where, "message"), written.message)
        signal = self._signal((*where, "signal"), message, written.signal)
        look = entry.written_look()
        check_form(self._source, where, ours, look)
        self._unit((*where, "unit"), look, signal)
        return Output(written.message, signal, allowed, translation_of(ours, look))

    def frame(self, name: str, sent: Sent) -> Message:
        """A frame that may be sent, every signal of which is accounted for."""
        where = ("transmit", name)
        message = self.message(where, name)
        if message.frame_id != sent.id:
            raise self._source.complaint(
                (*where, "id"), f"{name} has the id 0x{message.frame_id:X} in the DBC, not 0x{sent.id:X}"
            )
        try:
            message.refresh(strict=True)
        except cantools.Error as error:
            raise self._source.complaint(where, f"the DBC contradicts itself: {error}") from None
        self._protection(where, message, sent.counter, sent.checksum)
        special = {one for one in (sent.counter, sent.checksum.signal if sent.checksum else None) if one}
        for key, allowed in sent.signals.items():
            place = (*where, "signals", key)
            signal = self._signal(place, message, key)
            if allowed.min > allowed.max:
                raise self._source.complaint(place, f"min {allowed.min:g} is above max {allowed.max:g}")
            for bound in (allowed.min, allowed.max):
                raw = raw_of(signal, bound)
                if not 0 <= raw < 2**signal.length and not signal.is_signed:
                    raise self._source.complaint(place, f"{bound:g} does not fit the signal's {signal.length} bits")
                if raw == allowed.idle:
                    raise self._source.complaint(place, f"{bound:g} is the value that asks for nothing")
        for key, raw in {**{key: one.idle for key, one in sent.signals.items()}, **sent.fixed}.items():
            section = "signals" if key in sent.signals else "fixed"
            signal = self._signal((*where, section, key), message, key)
            if raw >= 2**signal.length:
                raise self._source.complaint(
                    (*where, section, key), f"{raw} does not fit the signal's {signal.length} bits"
                )
        there = self._branch(where, message, sent)
        strange = sorted((set(sent.signals) | set(sent.fixed)) - there)
        if strange:
            text = f"{', '.join(strange)} is not in the frame where its multiplexer is as `fixed` says"
            raise self._source.complaint(where, text)
        missing = sorted(there - set(sent.signals) - set(sent.fixed) - special)
        if missing:
            text = f"nothing says what to send for {', '.join(missing)}; give each an idle or fixed value"
            raise self._source.complaint(where, text)
        return message

    def _branch(self, where: Where, message: Message, sent: Sent) -> set[str]:
        """The signals of a frame: of a multiplexed one those that are there while its multiplexer has the fixed value."""
        found: set[str] = set()
        for signal in message.signals:
            selector = signal.multiplexer_signal
            if signal.is_multiplexer and signal.name not in sent.fixed:
                text = f"{signal.name} chooses what the frame holds; give it a value under `fixed`"
                raise self._source.complaint(where, text)
            if selector is None or sent.fixed.get(selector) in (signal.multiplexer_ids or ()):
                found.add(signal.name)
        return found

    def _signal(self, where: Where, message: Message, name: str) -> DbcSignal:
        try:
            signal = message.get_signal_by_name(name)
        except KeyError:
            raise self._source.complaint(where, f"{message.name} has no signal {name} in the DBC") from None
        if max(bits(signal)) >= 8 * message.length:
            raise self._source.complaint(where, f"{name} does not fit the {message.length} bytes of {message.name}")
        return signal

    def _unit(self, where: Where, look: Form, signal: DbcSignal) -> None:
        """A unit that contradicts the DBC's is a mistake in one of them."""
        given = unit_named(_DBC_UNITS.get(signal.unit or "", signal.unit or ""))
        known = {unit for pair in CONVERSIONS for unit in pair} | {"percent", "degrees", "kW"}
        if given in known and look.unit and unit_named(look.unit) != given and look.levels is None:
            raise self._source.complaint(where, f"{signal.name} is in {signal.unit} in the DBC, not in {look.unit}")

    def _protection(self, where: Where, message: Message, counter: str | None, checksum: Checksum | None) -> None:
        if counter is not None:
            self._signal((*where, "counter"), message, counter)
        if checksum is not None:
            family(checksum.kind)  # what leads nowhere is told now, and not by the first frame
            signal = self._signal((*where, "checksum"), message, checksum.signal)
            whole = signal.length == 8 and signal.start % 8 == (0 if signal.byte_order == "little_endian" else 7)
            if checksum.kind in BYTES and not whole:
                raise self._source.complaint((*where, "checksum"), f"{checksum.signal} is not a whole byte")


def raw_of(signal: DbcSignal, value: Any) -> int:
    """The raw number of a value in the DBC's unit."""
    return round((float(value) - float(signal.offset)) / float(signal.scale))
