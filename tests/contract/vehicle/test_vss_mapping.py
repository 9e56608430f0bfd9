"""The mapping to VSS against the standard's own JSON, release by release."""

from __future__ import annotations

import json
import math
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("kuksa.val.v2", reason="the extra [kuksa] is not installed")

from vehicle.adapters.kuksa.leaves import Leaf
from vehicle.adapters.kuksa.routes import Place, Routes, VssEntry, load_vss, resolve
from vehicle.adapters.kuksa.stand_in_tree import TREE
from vehicle.signals import SIGNALS, Kind

ROOT = Path(__file__).parents[3]
STANDARD = Path(os.environ.get("GLOVEBOX_DATA", ROOT.parent / "shared" / "data")) / "vss"
TYPES = {"string": 1, "boolean": 2, "int8": 3, "int16": 4, "int32": 5, "int64": 6, "uint8": 7, "uint16": 8, "uint32": 9,
         "uint64": 10, "float": 11, "double": 12}  # fmt: skip

pytestmark = pytest.mark.skipif(
    not STANDARD.is_dir(), reason=f"no VSS releases in {STANDARD}; set GLOVEBOX_DATA to the folder of the data sets"
)
MAPPING = load_vss("vss6")
ENTRIES = {**MAPPING.driving, **MAPPING.signals}
DRIVING = {
    "speed_kmh": "Speed",
    "gear": "Powertrain.Transmission.SelectedGear",
    "ignition_on": "LowVoltageSystemState",
}
"""SelectedGear 126 is P; ignition is on at ON and START."""
ONLY_READ = {
    "sunroof.position", "sunroof.tilt", "doors.child_lock", "media.title", "media.artist", "media.genre", "charging.active",
}  # fmt: skip
"""Writable here, a sensor there: VSS moves the sunroof by ``Sunroof.Switch``, chooses media by ``SelectedURI`` and charges
by ``Charging.StartStopCharging``."""


@cache
def tree(release: str) -> dict[str, Any]:
    return json.loads((STANDARD / f"vss_release_{release}.json").read_text("utf-8"))["Vehicle"]


@cache
def standard(release: str) -> dict[str, Leaf]:
    leaves: dict[str, Leaf] = {}

    def walk(node: dict[str, Any], path: str) -> None:
        for name, child in node.items():
            here = f"{path}.{name}" if path else name
            if "children" in child:
                walk(child["children"], here)
            else:
                low, high = float(child.get("min", "-inf")), float(child.get("max", "inf"))
                kind = TYPES.get(child["datatype"].removesuffix("[]"), 0) + (19 if "[]" in child["datatype"] else 0)
                actuator, allowed = child["type"] == "actuator", tuple(child.get("allowed", ()))
                leaves[here] = Leaf(here, kind, actuator, child.get("unit", ""), low, high, allowed)

    walk(tree(release)["children"], "")
    return leaves


def resolved(release: str) -> Routes:
    return resolve(MAPPING, standard(release), "LEFT")


@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_every_entry_is_what_vss_6_says(name: str) -> None:
    entry, leaves = ENTRIES[name], standard("6.0")
    paths = [entry.path, *entry.also, *((entry.write.path,) if entry.write else ())]
    for path in (path.format(left="DriverSide", right="PassengerSide") for path in paths):
        assert path in leaves, path
    route = resolved("6.0").by_name[name]
    leaf = route.reads[0]
    assert leaf.path == entry.path.format(left="DriverSide", right="PassengerSide"), "no alias is needed in 6.0"
    assert entry.unit == leaf.unit or entry.levels is not None
    if name in SIGNALS and SIGNALS[name].writable:
        assert route.writes and all(one.actuator for one in route.writes)


@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_every_value_that_would_be_written_is_allowed_by_vss_6(name: str) -> None:
    route, entry = resolved("6.0").by_name[name], ENTRIES[name]
    if route.write is None:
        return
    signal, form = route.write.signal, route.write.form
    listed = form.choices if form.choices is not None else form.points
    wanted = (entry.write or entry).choices or (entry.write or entry).points
    assert (listed is None) == (wanted is None)
    if listed is not None and wanted is not None:
        assert set(listed) == set(wanted), "the standard allows every choice of the mapping"
        return
    for value in (True, False) if signal.kind == "switch" else (signal.low, signal.high):
        theirs = route.write.encode(value)
        assert all(leaf.takes(theirs) for leaf in route.writes)
        assert route.read.decode(theirs) == value or entry.write is not None


def test_it_resolves_without_complaint_in_vss_6() -> None:
    assert resolved("6.0").findings == ()


MISSING = {
    "4.0": {"car.color", "charging.power", "fuel.flap_open", "mirrors.folded", "steering_wheel.heating"},
    "5.1": set[str](),
}


@pytest.mark.parametrize("release", sorted(MISSING))
def test_older_releases_are_found_by_their_names(release: str) -> None:
    routes = resolved(release)
    assert set(ENTRIES) - set(routes.by_name) == MISSING[release]
    assert {finding.subject for finding in routes.findings if finding.verdict != "ok"} == MISSING[release]


@pytest.mark.parametrize("name", sorted(name for name, entry in ENTRIES.items() if entry.aliases))
def test_every_alias_is_a_name_of_an_older_release(name: str) -> None:
    for place in ENTRIES[name].places()[1:]:
        path = place.path.format(left="DriverSide", right="PassengerSide")
        assert any(path in standard(release) for release in MISSING), path


def test_units_are_the_vehicles_own() -> None:
    assert resolved("6.0").by_name["car.odometer"].read.decode(18_250_000) == 18_250
    assert resolved("5.1").by_name["car.odometer"].read.decode(18_250.0) == 18_250
    assert resolved("4.0").by_name["outside.temperature"].read.decode(12.5) == 12.5


def test_half_degrees_are_rounded_where_the_vehicle_has_whole_ones() -> None:
    write = resolved("4.0").by_name["climate.driver.temperature"].write
    assert write is not None and write.encode(21.4) == 21


def test_the_tables_of_signals_and_mapping_agree() -> None:
    for name, entry in MAPPING.signals.items():
        vss = SIGNALS[name].vss
        assert vss is not None and vss == entry.path.format(left="DriverSide", right="PassengerSide")
    assert {name: entry.path for name, entry in MAPPING.driving.items()} == DRIVING
    unmapped = {name for name, signal in SIGNALS.items() if signal.vss is not None} - set(MAPPING.signals)
    assert unmapped == {"media.title", "media.artist", "media.genre", "charging.timer", "doors.child_lock"}
    switched = {name for name, entry in MAPPING.signals.items() if entry.write is not None}
    assert switched == ONLY_READ - unmapped


def described(path: str) -> dict[str, Any]:
    """All that VSS 6 says of a leaf."""
    node: dict[str, Any] = tree("6.0")
    for part in path.split("."):
        node = node["children"][part]
    return node


def test_vss_paths_are_in_release_6_and_of_their_kind() -> None:
    datatypes = {Kind.SWITCH: {"boolean"}, Kind.TEXT: {"string"}, Kind.CHOICE: {"string"}}
    mapped = [signal for signal in SIGNALS.values() if signal.vss]
    assert len(mapped) == 103
    for signal in mapped:
        leaf = described(str(signal.vss))
        if signal.writable:
            assert leaf["type"] == ("sensor" if signal.name in ONLY_READ else "actuator"), signal.name
        else:
            assert leaf["type"] in ("sensor", "attribute") or signal.name.startswith("door.")
        if signal.kind in datatypes:
            assert leaf["datatype"] in datatypes[signal.kind], signal.name
        else:
            assert leaf["datatype"] in ("float", "double", "int8", "uint8", "uint16", "uint32"), signal.name
        if signal.unit == leaf.get("unit", ""):
            assert signal.low >= leaf.get("min", -math.inf) or leaf["min"] == 1
            assert signal.high <= leaf.get("max", math.inf)
        else:
            assert (signal.unit, leaf.get("unit", "")) in {
                ("level", "percent"),
                ("km", "m"),
                ("min", "s"),
                ("", "iso8601"),
            }, signal.name
    for path in DRIVING.values():
        assert described(path)["type"] in ("sensor", "actuator")


def test_the_tree_of_the_stand_in_broker_is_the_standards() -> None:
    leaves = standard("6.0")
    assert {path: leaves.get(path) for path in TREE} == dict(TREE)
    assert resolve(MAPPING, TREE, "LEFT") == resolved("6.0")


def test_a_place_of_its_own_is_complete() -> None:
    assert set(Place.model_fields) < set(VssEntry.model_fields)
