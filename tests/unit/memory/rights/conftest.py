"""A memory on a desk whose clock stands still, for what a driver means by their words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.memories import Desk, StoppedClock


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(StoppedClock(), tmp_path)
    yield made
    made.close()
