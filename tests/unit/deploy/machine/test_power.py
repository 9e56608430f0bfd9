"""When the device ends: the rule, what it reads, and what the assistant tells of the ignition."""

from __future__ import annotations

import queue
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deploy.machine.power import FRESH_S, Power, Why, of_file, of_gpio, switch, telling, watch
from schemas.errors import ConfigError


def seen(power: Power, *looks: tuple[float, bool | None, bool | None]) -> list[Why | None]:
    return [power.see(*look) for look in looks]


def test_it_ends_when_the_ignition_has_been_off_for_the_whole_time() -> None:
    looks = ((0.0, False, None), (59.9, False, None), (60.0, False, None))
    assert seen(Power(60.0, 1.0), *looks) == [None, None, "ignition"]


def test_a_start_of_the_engine_does_not_end_it() -> None:
    looks = ((0.0, False, None), (30.0, True, None), (61.0, False, None), (90.0, False, None))
    assert seen(Power(60.0, 1.0), *looks) == [None] * 4


def test_low_voltage_ends_it_whatever_the_ignition_says() -> None:
    assert seen(Power(60.0, 1.0), (0.0, True, True), (1.0, True, True)) == [None, "voltage"]
    assert seen(Power(60.0, 1.0), (0.0, True, True), (0.5, True, False), (1.2, True, True)) == [None] * 3


def test_what_is_not_known_changes_nothing() -> None:
    assert seen(Power(5.0, 1.0), *((float(second), None, None) for second in range(100))) == [None] * 100
    asleep = seen(Power(5.0, 1.0), (0.0, False, None), (3.0, None, None), (5.0, None, None))
    assert asleep == [None, None, "ignition"]  # a car that said so and fell asleep


@given(st.lists(st.tuples(st.sampled_from([True, None]), st.sampled_from([False, None])), max_size=200))
def test_it_never_ends_while_nothing_says_off_or_low(looks: list[tuple[bool | None, bool | None]]) -> None:
    power = Power(1.0, 0.0)
    assert not any(power.see(float(at), ignition, low) for at, (ignition, low) in enumerate(looks))


@pytest.mark.parametrize(
    ("text", "is_"), [("1\n", True), ("on", True), ("0", False), ("off\nold", False), ("", None), ("perhaps", None)]
)
def test_a_file_says_on_or_off_or_nothing(tmp_path: Path, text: str, is_: bool | None) -> None:
    (tmp_path / "said").write_text(text)
    assert switch(f"file:{tmp_path / 'said'}")() is is_
    assert switch(f"file:{tmp_path / 'not there'}")() is None


def test_what_the_assistant_told_grows_old(tmp_path: Path) -> None:
    told = tmp_path / "ignition"
    told.write_text("0\n")
    written = told.stat().st_mtime
    assert of_file(told, FRESH_S, lambda: written + FRESH_S)() is False
    assert of_file(told, FRESH_S, lambda: written + FRESH_S + 1)() is None


@pytest.mark.parametrize(("version", "asked"), [("v1.6.3", "gpiochip0 17"), ("v2.1", "--numeric --chip gpiochip0 17")])
def test_a_line_of_gpio_is_asked_in_both_versions(tmp_path: Path, version: str, asked: str) -> None:
    program = tmp_path / "gpioget"
    program.write_text(
        f'#!/bin/sh\nif [ "$1" = --version ]; then echo "gpioget (libgpiod) {version}"; exit; fi\n'
        f'[ "$*" = "{asked}" ] && cat {tmp_path}/value\n'
    )
    program.chmod(0o755)
    high, low = (of_gpio(f"gpio:gpiochip0/17{end}", str(program)) for end in ("", ":low"))
    (tmp_path / "value").write_text("1\n")
    assert (high(), low()) == (True, False)
    (tmp_path / "value").write_text("0\n")
    assert (high(), low()) == (False, True)
    (tmp_path / "value").write_text("error\n")
    assert (high(), low()) == (None, None)


def test_a_line_without_gpioget_or_written_otherwise_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="apt install gpiod"):
        of_gpio("gpio:gpiochip0/17", str(tmp_path / "gpioget"))
    with pytest.raises(ConfigError, match="gpio:CHIP/LINE"):
        switch("gpio:17")


def test_it_looks_until_it_ends_once() -> None:
    now, ended = [0.0], list[Why]()

    def wait(seconds: float) -> None:
        now[0] += seconds

    watch(Power(10.0, 1.0), lambda: now[0] < 5.0, lambda: None, ended.append, wait=wait, monotonic=lambda: now[0])
    assert ended == ["ignition"] and 15.0 <= now[0] <= 16.0


def test_the_assistant_tells_what_the_vehicle_says_and_takes_it_back_at_the_end(tmp_path: Path) -> None:
    asked, answers = queue.Queue[None](), queue.Queue[bool | None]()
    path = tmp_path / "ignition"

    def ignition() -> bool | None:
        asked.put(None)
        return answers.get(timeout=60)

    with telling(ignition, path, every_s=0.001):
        asked.get(timeout=60)
        for said in (True, False, None):
            answers.put(said)
            asked.get(timeout=60)  # the next look: what was said has been written
            assert of_file(path, FRESH_S)() is said
        answers.put(True)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_told_where_nobody_made_a_folder_for_it(tmp_path: Path) -> None:
    with telling(lambda: pytest.fail("asked"), tmp_path / "not there" / "ignition"):
        assert list(tmp_path.iterdir()) == []
