"""What holds of the gated vehicle holds in place, and over the line to a process of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.gated_car import Car, beside
from vehicle.apart.outside import VehicleApart
from vehicle.service import GatedVehicle


@pytest.fixture(params=["in place", "apart"], autouse=True)
def _reached(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with ExitStack() as opened:
        if request.param == "apart":

            def reached(vehicle: GatedVehicle) -> VehicleApart:
                return opened.enter_context(beside(vehicle))

            monkeypatch.setattr(Car, "reached", staticmethod(reached))
        yield
