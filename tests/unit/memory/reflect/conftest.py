"""A memory that keeps conversations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from schemas.memory import CONVERSATIONS
from tests.unit.memory.reflect.bench import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    made.memory.opt_in(CONVERSATIONS)
    yield made
    made.memory.close()
