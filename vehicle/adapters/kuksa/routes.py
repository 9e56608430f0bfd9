"""From the mapping and what the vehicle says it has to routes: which leaf is read, which are written, and how.

Owns capability discovery: a signal whose leaf is missing, is only a sensor, or has another type or unit is not offered, and a
finding says so. Speaks to nobody (``vehicle.adapters.kuksa.broker``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from schemas.errors import AdapterError
from vehicle.adapters.findings import Finding
from vehicle.adapters.kuksa.leaves import Leaf
from vehicle.adapters.mapping import Document, Entry, check_entries, check_form, known_signals, read_mapping
from vehicle.adapters.translation import KEEP, Form, Keep, Scalar, Translation, translation_of
from vehicle.signals import Kind, Signal

DRIVER_POSITION = "Cabin.DriverPosition"
_SIDES = {"LEFT": ("DriverSide", "PassengerSide"), "RIGHT": ("PassengerSide", "DriverSide")}


class Written(Form):
    """Another path for the target, with a look of its own."""

    path: str


class Place(Form):
    """Where a signal is in a tree."""

    path: str
    also: tuple[str, ...] = ()
    write: Written | None = None


class VssEntry(Place, Entry):
    """A signal's place in the standard, and what to try where the vehicle lacks it."""

    aliases: tuple[str | Place, ...] = ()

    def places(self) -> tuple[Place, ...]:
        """All places in the order in which they are tried."""
        own = Place.model_validate(self.model_dump(exclude={"aliases", "max_age_s"}))
        others = [
            own.model_copy(update={"path": alias, "also": ()}) if isinstance(alias, str) else alias
            for alias in self.aliases
        ]
        return (own, *others)


class VssMapping(Document):
    """A mapping to a VSS tree."""

    driver_position: Literal["LEFT", "RIGHT"]
    driving: dict[str, VssEntry]
    signals: dict[str, VssEntry]


def load_vss(name: str) -> VssMapping:
    """A mapping to a VSS tree by name or path, checked against ``vehicle.signals``.

    Raises:
        schemas.errors.ConfigError: it cannot be used; the message names file and line.
    """
    mapping, source = read_mapping(name, VssMapping)
    for section, entries in (("driving", mapping.driving), ("signals", mapping.signals)):
        check_entries(source, section, entries)
        for name_, entry in entries.items():
            signal = known_signals(section)[name_]
            for index, place in enumerate(entry.places()):
                where = (section, name_) if index == 0 else (section, name_, "aliases", index - 1)
                check_form(source, where, signal, place_form(place))
                if place.write is not None:
                    check_form(source, (*where, "write"), signal, written_form(place.write))
    return mapping


def place_form(place: Place) -> Form:
    """The look of a place's present value."""
    return Form.model_validate(place.model_dump(include=set(Form.model_fields)))


def written_form(written: Written) -> Form:
    """The look of its target."""
    return Form.model_validate(written.model_dump(include=set(Form.model_fields)))


def in_tree(path: str, driver_position: str) -> str:
    """The path with the driver's side put in."""
    left, right = _SIDES.get(driver_position, _SIDES["LEFT"])
    return path.format(left=left, right=right)


@dataclass(frozen=True, slots=True)
class Route:
    """One signal in this vehicle."""

    reads: tuple[Leaf, ...]
    """The first decides; a switch is on only if it is on in all."""
    read: Translation
    writes: tuple[Leaf, ...] = ()
    write: Translation | None = None

    def decoded(self, values: Mapping[str, Scalar]) -> object | None:
        """Our value of what these leaves hold; None where the first holds nothing that makes sense."""
        first = values.get(self.reads[0].path)
        value = None if first is None else self.read.decode(first)
        if self.read.signal.kind is not Kind.SWITCH or len(self.reads) == 1 or value is None:
            return value
        others = [self.read.decode(values[leaf.path]) for leaf in self.reads[1:] if leaf.path in values]
        return value is True and False not in others

    def encoded(self, value: object, present: Scalar | None) -> Scalar | Keep:
        """What to write for our value.

        Raises:
            schemas.errors.AdapterError: the vehicle cannot express it.
        """
        if self.write is None:
            raise AdapterError(f"{self.read.signal.name} can only be read in this vehicle")
        shared = self.write.form.half is not None
        if shared and value == 0 and isinstance(present, int | float) and present != 0 and not self.write.mine(present):
            return KEEP  # the other half is on, so this one is off already
        return self.write.encode(value)


@dataclass(frozen=True, slots=True)
class Routes:
    """All signals of this vehicle."""

    by_name: Mapping[str, Route] = field(default_factory=dict[str, Route])
    findings: tuple[Finding, ...] = ()

    @property
    def offers(self) -> frozenset[str]:
        """The signals without the driving fields."""
        return frozenset(self.by_name) - frozenset(known_signals("driving"))

    def names_of(self) -> Mapping[str, tuple[str, ...]]:
        """Path -> the signals that are read from it."""
        names: dict[str, list[str]] = {}
        for name, route in self.by_name.items():
            for leaf in route.reads:
                names.setdefault(leaf.path, []).append(name)
        return {path: tuple(several) for path, several in names.items()}


def resolve(mapping: VssMapping, leaves: Mapping[str, Leaf], driver_position: str) -> Routes:
    """The routes in a vehicle with these leaves.

    Args:
        mapping: what is wanted.
        leaves: what there is, by path.
        driver_position: LEFT or RIGHT.
    """
    routes: dict[str, Route] = {}
    findings: list[Finding] = []
    for section, entries in (("driving", mapping.driving), ("signals", mapping.signals)):
        for name, entry in entries.items():
            found = _route(known_signals(section)[name], entry, leaves, driver_position)
            if isinstance(found, Route):
                routes[name] = found
                if found.reads[0].path != in_tree(entry.path, driver_position):
                    findings.append(Finding("ok", name, f"found under its older name {found.reads[0].path}"))
            else:
                findings.append(replace(found, verdict="fail") if section == "driving" else found)
    return Routes(routes, tuple(findings))


def _route(signal: Signal, entry: VssEntry, leaves: Mapping[str, Leaf], driver_position: str) -> Route | Finding:
    """The first place that the vehicle has, or why it is not used."""
    for place in entry.places():
        leaf = leaves.get(in_tree(place.path, driver_position))
        if leaf is None:
            continue
        also = tuple(leaves[path] for path in (in_tree(path, driver_position) for path in place.also) if path in leaves)
        try:
            read = _translation(signal, place_form(place), leaf)
            if not signal.writable:
                return Route((leaf,), read)
            written = leaf if place.write is None else leaves.get(in_tree(place.write.path, driver_position))
            if written is None or not written.actuator:
                text = (
                    f"{place.path} can only be read in this vehicle"
                    if written
                    else f"the vehicle has no {place.path} to write"
                )
                return Finding("warn", signal.name, f"{text}, so it is not offered")
            write = _translation(
                signal, place_form(place) if place.write is None else written_form(place.write), written
            )
        except (ValueError, AdapterError) as error:
            return Finding("fail", signal.name, f"{leaf.path} is not as the mapping says: {error}; it is not offered")
        fellows = tuple(other for other in also if other.actuator and other.datatype == leaf.datatype)
        return Route((leaf, *fellows), read, (written, *(() if place.write else fellows)), write)
    return Finding("warn", signal.name, f"the vehicle has no {entry.path}")


def _translation(signal: Signal, form: Form, leaf: Leaf) -> Translation:
    """The translation for this leaf.

    Raises:
        ValueError: unit or datatype do not fit.
    """
    if leaf.field is None:
        raise ValueError(f"it is a {leaf.type_name}")
    translation = translation_of(signal, form, unit=leaf.unit or None, whole=leaf.whole)
    listed = form.choices if form.choices is not None else form.points
    if listed is not None:
        known = {ours: _known(theirs, leaf) for ours, theirs in listed.items()}
        usable = {ours: theirs for ours, theirs in known.items() if theirs}
        if not usable:
            raise ValueError(f"as a {leaf.type_name} it takes none of the values in the mapping")
        key = "choices" if form.choices is not None else "points"
        return replace(translation, form=form.model_copy(update={key: usable}))
    wanted = {Kind.SWITCH: "bool", Kind.TEXT: "string", Kind.CHOICE: "string"}.get(signal.kind)
    if (wanted is not None and leaf.field != wanted) or (wanted is None and leaf.field in ("bool", "string")):
        raise ValueError(f"a {signal.kind.value} cannot be a {leaf.type_name}")
    return translation


def _known(theirs: Scalar | tuple[Scalar, ...], leaf: Leaf) -> tuple[Scalar, ...]:
    several = theirs if isinstance(theirs, tuple) else (theirs,)
    return tuple(one for one in several if leaf.takes(one))


def combined(wanted: Mapping[str, Scalar]) -> Scalar:
    """What to write to a leaf of which several signals want something.

    Args:
        wanted: by signal.

    Raises:
        schemas.errors.AdapterError: they contradict each other.
    """
    values = set(wanted.values())
    on = {value for value in values if value != 0}
    if len(values) == 1 or len(on) == 1:
        return next(iter(on or values))
    raise AdapterError(f"{' and '.join(sorted(wanted))} exclude each other in this vehicle")
