"""Mapping files: what is refused, and where it says that the mistake is; and the arithmetic of values."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from schemas.clock import StreamClock
from schemas.errors import AdapterError, ConfigError
from vehicle.adapters.mapping import find_mapping
from vehicle.adapters.readings import Readings
from vehicle.adapters.translation import DRIVING, Form, translation_of
from vehicle.signals import SIGNALS

pytest.importorskip("kuksa.val.v2", reason="the extra [kuksa] is not installed")
pytest.importorskip("can", reason="the extra [can] is not installed")

from vehicle.adapters.can.network import load_network
from vehicle.adapters.kuksa.routes import load_vss


@pytest.mark.parametrize(
    ("entry", "line", "hint"),
    [
        ("  window.drver: {path: A, unit: percent}", 2, "no such signal; did you mean window.driver"),
        ("  window.driver: {path: A, unit: bar}", 2, "in bar cannot be converted; it can be in percent"),
        ("  window.driver: {path: A}", 2, "no unit cannot be converted"),
        ("  climate.fan:\n    path: A\n    unit: percent\n    levels: [0, 20, 40]", 5, "has 6 levels, not 3"),
        ("  climate.fan:\n    path: A\n    unit: percent\n    levels: [0, 20, 10, 60, 80, 100]", 5, "must rise"),
        ("  climate.fan:\n    path: A\n    unit: percent\n    levels: [0, 20, .nan, 60, 80, 100]", 5, "finite"),
        (
            "  climate.fan: {path: A, unit: percent, levels: [0, 20, 40, 60, 80, 120], range: [0, 100]}",
            2,
            "outside the range",
        ),
        ("  doors.locked: {path: A, choices: {yes: 1}}", 2, "knows true, false, not yes"),
        ("  doors.locked: {path: A, unit: percent}", 2, "is no number but a switch"),
        ("  climate.airflow:\n    path: A\n    choices:\n      sideways: UP", 4, "not sideways"),
        ("  window.driver: {path: A, unit: percent, open_at: 50}", 2, "0 or 100"),
        ("  tire.front_left: {path: A, unit: kPa, open_at: 0}", 2, "does not open and close"),
        ("  window.driver: {path: A, unit: percent, range: [100, 0]}", 2, "is not below"),
        ("  window.driver: {path: A, unit: percent, colour: red}", 2, "is not known here"),
        ("  light.dome: {path: A}\n  light.dome: {path: B}", 3, "stands twice"),
        (
            "  sunroof.position:\n    path: A\n    unit: percent\n    write: {path: B, points: {300: OPEN}}",
            5,
            "outside 0 to 100",
        ),
        ("  window.driver: {path: [}", 2, "mend that line"),
        ("  window.driver: {path: A, unit: percent, max_age_s: -1}", 2, "greater than 0"),
    ],
)
def test_a_mistake_is_refused_with_its_line(tmp_path: Path, entry: str, line: int, hint: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(f"signals:\n{entry}\nextends: vss6\n", "utf-8")
    with pytest.raises(ConfigError, match=hint) as caught:
        load_vss(str(file))
    assert str(caught.value).startswith(f"{file}:{line}: ")


def test_a_file_of_its_own_changes_only_what_it_names(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("extends: vss6\nsignals:\n  window.driver: {path: My.Window, unit: percent, open_at: 0}\n", "utf-8")
    mine, base = load_vss(str(file)), load_vss("vss6")
    assert mine.signals["window.driver"].path == "My.Window" and mine.signals["window.driver"].open_at == 0
    assert {**mine.signals, "window.driver": base.signals["window.driver"]} == base.signals


def test_missing_and_unreadable_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="did you mean 'vss6'"):
        find_mapping("vss5")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_vss(str(tmp_path / "absent.yaml"))
    (tmp_path / "list.yaml").write_text("- 1\n", "utf-8")
    with pytest.raises(ConfigError, match="begins with keys"):
        load_vss(str(tmp_path / "list.yaml"))


CAN = Path(find_mapping("example_can"))


@pytest.mark.parametrize(
    ("old", "new", "hint"),
    [
        ("id: 0x300", "id: 0x301", "has the id 0x300 in the DBC, not 0x301"),
        ("      FanLevelReq: {idle: 15, min: 0, max: 5}\n", "", "FanLevelReq is not in the list transmit.CLIMATE_CMD"),
        ("      ClimateSyncReq: {idle: 3, min: 0, max: 1}\n", "", "ClimateSyncReq is not in the list"),
        ("    fixed: {Spare: 0}\n", "", "nothing says what to send for Spare"),
        ("FanLevelReq: {idle: 15, min: 0, max: 5}", "FanLevelReq: {idle: 3, min: 0, max: 3}", "asks for nothing"),
        (
            "FanLevelReq: {idle: 15, min: 0, max: 5}",
            "FanLevelReq: {idle: 15, min: 0, max: 99}",
            "does not fit the signal's 4 bits",
        ),
        ("FanLevelReq: {idle: 15, min: 0, max: 5}", "FanLevelReq: {idle: 15, min: 0, max: .inf}", "finite"),
        (
            "message: TIRE_STATUS, signal: FL, unit: bar",
            "message: TIRE_STATUS, signal: FL, unit: psi",
            "is in bar in the DBC",
        ),
        ("message: TIRE_STATUS, signal: FL, unit: bar", "message: TYRES, signal: FL, unit: bar", "no message TYRES"),
        ("message: TIRE_STATUS, signal: FL, unit: bar", "message: TIRE_STATUS, signal: F, unit: bar", "no signal F"),
        ("checksum: {signal: Checksum, kind", "checksum: {signal: Counter, kind", "not a whole byte"),
        ("per_second: 20", "per_second: 0", "greater than or equal to 1"),
    ],
)
def test_a_can_mapping_that_does_not_fit_its_dbc_is_refused(tmp_path: Path, old: str, new: str, hint: str) -> None:
    text = CAN.read_text("utf-8")
    assert old in text
    file = tmp_path / "mine.yaml"
    file.write_text(text.replace(old, new), "utf-8")
    with pytest.raises(ConfigError, match=hint) as caught:
        load_network(str(file), "example")
    place, line = str(caught.value).split(": ")[0].rsplit(":", 1)
    assert place == str(file)
    assert int(line) in range(1, text.count("\n") + 2)


def test_a_dbc_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_network("example_can", str(tmp_path / "absent.dbc"))
    (tmp_path / "broken.dbc").write_text("BO_ what", "utf-8")
    with pytest.raises(ConfigError, match="no usable DBC"):
        load_network("example_can", str(tmp_path / "broken.dbc"))


@pytest.mark.parametrize(
    ("name", "form", "ours", "theirs"),
    [
        ("climate.fan", {"unit": "percent", "levels": (0, 20, 40, 60, 80, 100)}, 3, 60),
        ("seat.driver.heating", {"unit": "percent", "levels": (0, 33, 67, 100), "half": "positive"}, 2, 67),
        ("seat.driver.ventilation", {"unit": "percent", "levels": (0, 33, 67, 100), "half": "negative"}, 2, -67),
        ("sunroof.shade", {"unit": "percent", "open_at": 0}, 30, 70),
        ("light.ambient.brightness", {"unit": "percent", "least": 1}, 0, 1),
        ("light.ambient.brightness", {"unit": "percent", "least": 1}, 100, 100),
        ("position.latitude", {"unit": "degrees"}, 54.500123, 54.500123),
        ("battery.range", {"unit": "m"}, 256.5, 256_500),
        ("tire.front_left", {"unit": "bar"}, 250, 2.5),
        ("outside.temperature", {"unit": "Fahrenheit"}, 20, 68),
        ("light.ambient.color", {"choices": {"red": "#FF0000"}}, "red", "#FF0000"),
        ("doors.locked", {"choices": {"true": "ON", "false": "OFF"}}, False, "OFF"),
        ("trunk.position", {"points": {"0": False, "100": True}}, 100, True),
    ],
)
def test_values_go_both_ways(name: str, form: dict[str, Any], ours: Any, theirs: Any) -> None:
    translation = translation_of(SIGNALS[name], Form.model_validate(form))
    assert translation.encode(ours) == pytest.approx(theirs)
    assert translation.decode(theirs) == ours


@pytest.mark.parametrize("theirs", [math.nan, math.inf, -1, 101, "50", True, None])
def test_what_makes_no_sense_is_unknown(theirs: Any) -> None:
    assert translation_of(SIGNALS["window.driver"], Form(unit="percent")).decode(theirs) is None


def test_what_the_other_side_cannot_say_is_refused() -> None:
    roof = translation_of(SIGNALS["sunroof.position"], Form(points={"0": "CLOSE", "100": "OPEN"}))
    with pytest.raises(AdapterError, match="takes 0, 100, not 30"):
        roof.encode(30)
    air = translation_of(SIGNALS["climate.airflow"], Form(choices={"face": "MIDDLE"}))
    with pytest.raises(AdapterError, match="takes face"):
        air.encode("face_and_feet")


@pytest.mark.parametrize(
    ("theirs", "ours"), [(-100, 0), (-1, 0), (0, 0), (40, 40), (101, None), (-101, None), (math.nan, None)]
)
def test_a_roof_that_is_tilted_is_closed(theirs: float, ours: float | None) -> None:
    roof = translation_of(SIGNALS["sunroof.position"], Form(unit="percent", range=(0, 100), half="positive"))
    assert roof.decode(theirs) == ours


def test_the_negative_half_of_a_number_is_none() -> None:
    with pytest.raises(ValueError, match="half: negative"):
        translation_of(SIGNALS["sunroof.position"], Form(unit="percent", half="negative"))


def test_speed_in_other_units() -> None:
    assert translation_of(DRIVING["speed_kmh"], Form(unit="m/s")).decode(10.0) == 36


def test_ages_never_go_back_while_reports_come() -> None:
    clock = StreamClock()
    readings = Readings(clock, {})
    readings.put("speed_kmh", 50.0)
    clock.advance_to(0.9)
    assert readings.state(frozenset()).speed_kmh == 50.0
    clock.advance_to(1.5)
    stale = readings.state(frozenset())
    assert stale.speed_kmh is None and stale.age_s == 1.5
    readings.put("speed_kmh", 500.0)
    lied = readings.state(frozenset())
    assert lied.speed_kmh is None and lied.age_s == 0.0 and readings.nonsense == {"speed_kmh": 1}
    readings.put("speed_kmh", 40.0, math.inf)
    assert readings.state(frozenset()).speed_kmh is None
