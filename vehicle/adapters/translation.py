"""How a signal of ours looks on the other side of the wire: units, levels, names, directions.

Owns the arithmetic, both ways, of one value, and the check that a mapping's words make sense for its signal. Reads no
file (``vehicle.adapters.mapping``) and knows no protocol.

Encoding refuses what the other side cannot express; decoding answers None to anything that makes no sense (NaN, a number
out of range, a word that is not in the list): a value that lies is unknown.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict

from schemas.errors import AdapterError
from vehicle.signals import Kind, Signal, fits


def _finite(number: float) -> float:
    if not math.isfinite(number):
        raise ValueError("must be a finite number")
    return number


Scalar = bool | int | float | str
Finite = Annotated[float, AfterValidator(_finite)]

_SPELLINGS: Mapping[str, str] = MappingProxyType({
    "celsius": "Celsius", "°C": "Celsius", "fahrenheit": "Fahrenheit", "°F": "Fahrenheit", "%": "percent",
    "kmh": "km/h", "mi/h": "mph", "kpa": "kPa", "min.": "min",
})  # fmt: skip

CONVERSIONS: Mapping[tuple[str, str], tuple[float, float]] = MappingProxyType({
    ("Celsius", "Fahrenheit"): (1.8, 32.0),
    ("percent", "ratio"): (0.01, 0.0),
    ("mm", "cm"): (0.1, 0.0), ("mm", "m"): (0.001, 0.0),
    ("km", "m"): (1000.0, 0.0), ("km", "mi"): (0.621371192, 0.0),
    ("kPa", "bar"): (0.01, 0.0), ("kPa", "psi"): (0.145037738, 0.0), ("kPa", "Pa"): (1000.0, 0.0),
    ("km/h", "m/s"): (1.0 / 3.6, 0.0), ("km/h", "mph"): (0.621371192, 0.0),
    ("min", "s"): (60.0, 0.0), ("kWh", "Wh"): (1000.0, 0.0),
})  # fmt: skip
"""(our unit, theirs) -> factor and offset: theirs = ours x factor + offset. Definitions of the units."""

DIGITS = 3
"""Decoded numbers are rounded to this: a 32-bit float carries 21.1 as 21.10000038."""
DIGITS_OF_DEGREES = 6
"""A place on the earth to a tenth of a metre."""

DRIVING: Mapping[str, Signal] = MappingProxyType({
    "speed_kmh": Signal("speed_kmh", Kind.NUMBER, 0.0, False, "km/h", 0.0, 400.0),
    "gear": Signal("gear", Kind.CHOICE, "P", False, choices=("P", "R", "N", "D")),
    "ignition_on": Signal("ignition_on", Kind.SWITCH, True, False),
})  # fmt: skip
"""The driving fields of ``VehicleState`` as signals that are only read. Nothing on four wheels goes 400 km/h by accident."""


class Keep:
    """Nothing has to be written: what is asked for is so already."""


KEEP = Keep()


def unit_named(unit: str) -> str:
    """The unit in our spelling."""
    return _SPELLINGS.get(unit, unit)


class Form(BaseModel):
    """What a mapping says about the look of one signal's value on the other side."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    unit: str = ""
    """Their unit; left out: the value has none. With ``levels`` it is the unit of the levels."""
    range: tuple[Finite, Finite] | None = None
    """Their lowest and highest value; left out: ours, converted."""
    levels: tuple[Finite, ...] | None = None
    """Their value for our level 0, 1, 2 ...; rising."""
    half: Literal["positive", "negative"] | None = None
    """Two signals share one value, this one its positive or its negative half. Without ``levels`` only positive, and only to be
    read: on the other side of its lowest value it is there (a roof that is tilted is closed)."""
    choices: dict[str, Scalar | tuple[Scalar, ...]] | None = None
    """Their value for each of our choices (``true`` and ``false`` of a switch). Of several the first is written, and all of
    them are read as that choice. A choice that is left out cannot be written."""
    points: dict[str, Scalar | tuple[Scalar, ...]] | None = None
    """For a number of which the other side knows only some values: ours -> theirs, as in ``choices``."""
    open_at: Literal[0, 100] = 100
    """For openings in percent: which end is open on their side. Ours is 100."""
    least: Finite | None = None
    """Their lowest value where it is above ours: it stands for our lowest (VSS dims lights to 1, ours to 0)."""


@dataclass(frozen=True, slots=True)
class Translation:
    """One signal, both ways. Made by ``translation_of``."""

    signal: Signal
    form: Form
    factor: float = 1.0
    offset: float = 0.0
    whole: bool = False
    """Their numbers are integers."""
    low: float = -math.inf
    """Their range."""
    high: float = math.inf

    def encode(self, value: Any) -> Scalar:
        """Their value for ours.

        Raises:
            schemas.errors.AdapterError: the other side has no value for it.
        """
        form = self.form
        if form.choices is not None:
            return self._listed(form.choices, _word(value), value)
        if form.points is not None:
            return self._listed(form.points, f"{float(value):g}", value)
        if self.signal.kind is not Kind.NUMBER:
            return value
        number = self._number(float(value))
        number = float(round(number)) if self.whole else number
        if not self.low <= number <= self.high:
            raise AdapterError(
                f"{self.signal.name}: this vehicle takes {self.low:g} to {self.high:g} {form.unit}".rstrip()
            )
        return int(number) if self.whole else number

    def decode(self, theirs: Any) -> Any | None:
        """Our value for theirs; None where it makes no sense."""
        form = self.form
        listed = form.choices if form.choices is not None else form.points
        if listed is not None:
            return self._found(listed, theirs)
        if self.signal.kind is not Kind.NUMBER:
            return theirs if fits(self.signal, theirs) else None
        if isinstance(theirs, bool) or not isinstance(theirs, int | float):
            return None
        if form.half == "positive" and form.levels is None and -self.high <= theirs < self.low:
            theirs = self.low
        if not self.low <= theirs <= self.high:
            return None
        value = self._ours(float(theirs))
        return value if fits(self.signal, value) else None

    def mine(self, theirs: float) -> bool:
        """For one of two signals that share a value: whether it lies in this one's half."""
        return theirs > 0 if self.form.half == "positive" else theirs < 0

    def _number(self, value: float) -> float:
        form = self.form
        if form.levels is not None:
            theirs = form.levels[round(value)]
            return -theirs if form.half == "negative" else theirs
        if form.open_at == 0:
            value = self.signal.high - (value - self.signal.low)
        number = value * self.factor + self.offset
        return number if form.least is None else max(form.least, number)

    def _ours(self, theirs: float) -> float:
        form = self.form
        if form.levels is not None:
            number = -theirs if form.half == "negative" else theirs
            number = max(0.0, number) if form.half else number
            return min(
                range(len(form.levels)), key=lambda level: abs(form.levels[level] - number) if form.levels else 0
            )
        if form.least is not None and theirs <= form.least:
            return self.signal.low
        digits = DIGITS_OF_DEGREES if self.signal.unit == "degrees" else DIGITS
        value = round((theirs - self.offset) / self.factor, digits)
        value = self.signal.high - (value - self.signal.low) if form.open_at == 0 else value
        return int(value) if value == int(value) else value

    def _listed(self, table: Mapping[str, Scalar | tuple[Scalar, ...]], key: str, value: Any) -> Scalar:
        if key not in table:
            raise AdapterError(f"{self.signal.name}: this vehicle takes {', '.join(table)}, not {value!r}")
        theirs = table[key]
        return theirs[0] if isinstance(theirs, tuple) else theirs

    def _found(self, table: Mapping[str, Scalar | tuple[Scalar, ...]], theirs: Any) -> Any | None:
        for key, wanted in table.items():
            several = wanted if isinstance(wanted, tuple) else (wanted,)
            if any(theirs == one and isinstance(theirs, bool) == isinstance(one, bool) for one in several):
                return _unworded(self.signal.kind, key)
        return None


def translation_of(signal: Signal, form: Form, *, unit: str | None = None, whole: bool = False) -> Translation:
    """The translation of a signal by the words of a mapping.

    Args:
        signal: ours.
        form: what the mapping says.
        unit: what the other side itself says that its unit is; None where it does not.
        whole: whether its numbers are integers.

    Raises:
        ValueError: the form does not fit the signal. The message begins with the key that is wrong, then a colon.
    """
    if signal.kind is not Kind.NUMBER:
        _check_words(signal, form)
        return Translation(signal, form)
    if form.choices is not None:
        raise ValueError(f"choices: {signal.name} is a number; use points")
    if form.points is not None:
        for key in form.points:
            if not _is_number(key) or not fits(signal, float(key)):
                raise ValueError(f"points: {key} is outside {signal.low:g} to {signal.high:g}")
        return Translation(signal, form)
    theirs = unit_named(form.unit if unit is None else unit)
    if form.levels is not None:
        factor, offset, low, high = *_check_levels(signal, form, theirs), *_ends(form)
    else:
        factor, offset = _conversion(signal, theirs)
        low, high = sorted((signal.low * factor + offset, signal.high * factor + offset))
        if form.half == "negative":
            raise ValueError("half: negative needs levels")
    if form.open_at == 0 and (signal.unit != "percent" or not signal.writable):
        raise ValueError(f"open_at: {signal.name} does not open and close")
    low, high = _check_range(form, low, high)
    if form.least is not None and not low < form.least < high:
        raise ValueError(f"least: {form.least:g} is outside {low:g} to {high:g}")
    return Translation(signal, form, factor, offset, whole, low if form.least is None else form.least, high)


def _check_words(signal: Signal, form: Form) -> None:
    unfit = {"unit": form.unit or None, "range": form.range, "levels": form.levels, "half": form.half,
             "points": form.points, "least": form.least}  # fmt: skip
    for key, value in unfit.items():
        if value is not None:
            raise ValueError(f"{key}: {signal.name} is no number but a {signal.kind.value}")
    if form.open_at != 100:
        raise ValueError(f"open_at: {signal.name} is no number")
    known = {Kind.SWITCH: ("true", "false"), Kind.CHOICE: signal.choices}.get(signal.kind, ())
    if form.choices is None:
        return
    if not known:
        raise ValueError(f"choices: {signal.name} takes any words")
    strange = sorted(set(form.choices) - set(known))
    if strange:
        raise ValueError(f"choices: {signal.name} knows {', '.join(known)}, not {', '.join(strange)}")


def _check_levels(signal: Signal, form: Form, unit: str) -> tuple[float, float]:
    levels = form.levels or (0.0,)
    if signal.unit != "level":
        raise ValueError(f"levels: {signal.name} is in {signal.unit}, not in levels")
    if len(levels) != signal.high - signal.low + 1:
        raise ValueError(f"levels: {signal.name} has {signal.high - signal.low + 1:g} levels, not {len(levels)}")
    if any(after <= before for before, after in pairwise(levels)):
        raise ValueError("levels: must rise")
    if unit not in ("percent", "level", ""):
        raise ValueError(f"unit: levels in {unit} are not known; use percent")
    if form.half is not None and levels[0] != 0:
        raise ValueError("levels: a shared value is off at 0")
    return 1.0, 0.0


def _ends(form: Form) -> tuple[float, float]:
    levels = form.levels or (0.0,)
    return (-levels[-1] if form.half else levels[0]), levels[-1]


def _conversion(signal: Signal, theirs: str) -> tuple[float, float]:
    if theirs == signal.unit:
        return 1.0, 0.0
    if (signal.unit, theirs) not in CONVERSIONS:
        known = [signal.unit, *(other for ours, other in CONVERSIONS if ours == signal.unit)]
        raise ValueError(
            f"unit: {signal.name} in {theirs or 'no unit'} cannot be converted; it can be in {', '.join(known)}"
        )
    return CONVERSIONS[signal.unit, theirs]


def _check_range(form: Form, low: float, high: float) -> tuple[float, float]:
    if form.range is None:
        return low, high
    if form.range[0] >= form.range[1]:
        raise ValueError(f"range: {form.range[0]:g} is not below {form.range[1]:g}")
    if form.levels is not None and not (form.range[0] <= low and high <= form.range[1]):
        raise ValueError(f"levels: {low:g} to {high:g} is outside the range {form.range[0]:g} to {form.range[1]:g}")
    return form.range


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _unworded(kind: Kind, key: str) -> Any:
    if kind is Kind.SWITCH:
        return key == "true"
    if kind is Kind.NUMBER:
        number = float(key)
        return int(number) if number == int(number) else number
    return key


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
