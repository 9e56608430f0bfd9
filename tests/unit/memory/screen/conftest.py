"""A screen over the memories of two drivers, the car around it, and a browser that was let in."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.screen.app import Screen
from schemas.ports import MemoryPort
from tests.memories import fill
from tests.screens import Browser, Car, FakeDrivers, drivers_of, parts_of, preference


@pytest.fixture
def car() -> Car:
    return Car()


@pytest.fixture
def drivers(car: Car) -> FakeDrivers:
    made = drivers_of(car)
    fill(made.memories["ada"], preference("p1"), preference("p2", "italian", "favourite_cuisine", 3))
    return made


@pytest.fixture
def memory(drivers: FakeDrivers) -> MemoryPort:
    return drivers.memories["ada"]


@pytest.fixture
def screen(car: Car, drivers: FakeDrivers, tmp_path: Path) -> Screen:
    return Screen(parts_of(car, drivers, tmp_path))


@pytest.fixture
def browser(screen: Screen) -> Browser:
    return Browser(screen)
