"""The table of signals: closed and consistent."""

from __future__ import annotations

import math
from typing import Any, get_args

import pytest

from schemas.actions import BY_NAME, GROUPS, Action, SetReadingLight, SetWindow
from schemas.errors import AdapterError
from vehicle.planning import PARTS, SIGNALS_OF
from vehicle.signals import SIGNALS, check_changes, fits


def test_names_are_unique_and_start_values_fit() -> None:
    assert len(SIGNALS) == 121
    for name, signal in SIGNALS.items():
        assert signal.name == name
        assert fits(signal, signal.initial)


def test_every_signal_serves_an_action_or_the_gate() -> None:
    used = {name for names in (*SIGNALS_OF.values(), *PARTS.values()) for name in names}
    assert used <= set(SIGNALS)
    assert set(SIGNALS_OF) <= set(BY_NAME)


@pytest.mark.parametrize("action", [SetWindow, SetReadingLight])
def test_every_place_is_one_or_a_group_of_several(action: type[Action]) -> None:
    prefix, slot = ("window", "window") if action is SetWindow else ("light.reading", "zone")
    single = [value for value in get_args(action.model_fields[slot].annotation) if value not in GROUPS]
    assert [f"{prefix}.{value}" for value in single] == [name for name in SIGNALS if name.startswith(f"{prefix}.")]
    assert (
        set(GROUPS["all"]) == set(single) == {*GROUPS["front"], *GROUPS["rear"]} == {*GROUPS["left"], *GROUPS["right"]}
    )


def test_nothing_that_must_never_be_exposed_can_be_written() -> None:
    words = ("steer", "brake", "horn", "hazard", "indicator", "wiper", "hood", "cruise", "airbag", "engine", "gear")
    dangerous = [name for name in SIGNALS if any(word in name for word in words)]
    assert dangerous == ["steering_wheel.heating"]


@pytest.mark.parametrize(
    ("name", "value", "fine"),
    [
        ("climate.driver.temperature", 16, True),
        ("climate.driver.temperature", 28.0, True),
        ("climate.driver.temperature", math.nextafter(28.0, 30.0), False),
        ("climate.driver.temperature", math.nan, False),
        ("climate.driver.temperature", True, False),
        ("climate.driver.temperature", "21", False),
        ("doors.locked", True, True),
        ("doors.locked", 1, False),
        ("climate.airflow", "feet", True),
        ("climate.airflow", "knees", False),
        ("climate.airflow", 1, False),
        ("media.title", "", True),
        ("media.title", None, False),
        ("navigation.stops", ("a", "b"), True),
        ("navigation.stops", ["a"], True),
        ("navigation.stops", [1], False),
        ("navigation.stops", "a", False),
    ],
)
def test_fitting(name: str, value: Any, fine: bool) -> None:
    assert fits(SIGNALS[name], value) is fine


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"engine.on": True}, "no signal is called 'engine.on'"),
        ({"battery.charge": 100}, "battery.charge can only be read"),
        ({"climate.fan": 6}, "climate.fan does not take 6: it is a number from 0 to 5 level"),
        ({"climate.airflow": "secret words"}, "does not take str: it is a choice out of face, feet"),
        ({"doors.locked": None}, "doors.locked does not take None: it is a switch$"),
    ],
)
def test_changes_are_refused_with_a_reason(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(AdapterError, match=message):
        check_changes({"climate.fan": 1, **changes})
