"""A few random wishes to each adapter under faults; the long run is `python -m tests.adapter_sequences`."""

from __future__ import annotations

import pytest

from tests.adapter_sequences import Sequences
from tests.vehicle_rigs import RIGS, WIRED

pytestmark = pytest.mark.socket  # brokers of their own on the loopback interface


@pytest.mark.parametrize("name", sorted(WIRED))
def test_nothing_but_what_is_allowed_and_wanted_now_reaches_the_car(name: str) -> None:
    rig = RIGS[name]()
    try:
        tally = Sequences(rig, 11).run(12)
    finally:
        rig.close()
    assert tally.violations == []
    assert tally.sequences == 12
    assert tally.arrived > 8
