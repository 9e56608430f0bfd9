"""What belongs to a category that its driver has switched off is dropped, and not kept as its neighbour (neighbours.txt).

Said to a real memory with the models that Glovebox carries, every other category on, the sensitive ones, too; each sentence is a
conversation of its own.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from deploy.config import load_config
from deploy.engines import Engines
from memory.service import DriverMemory
from models.catalog import Catalog
from schemas.memory import Turn
from schemas.ports import Encoder
from schemas.preferences import BY_DETAIL, CATEGORIES
from tests.memories import memory_of

NOW = datetime(2026, 11, 24, 10, 0, tzinfo=UTC)
SPILLED = frozenset(("i stay away from every station but agip", "i love this american life"))
"""What the encoder takes for something else altogether: the two of the 410 that still spill."""


def _lines() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    detail = ""
    for line in (Path(__file__).parent / "neighbours.txt").read_text("utf-8").splitlines():
        if line.startswith("== "):
            detail = line.removeprefix("== ")
        elif line and not line.startswith("#"):
            found.setdefault(detail, []).append(line)
    return found


LINES = _lines()


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    config = load_config(environment={}, flags={"profile": "small"})
    return Engines(config, Catalog.load(config.data)).encoder()


def memory(encoder: Encoder) -> DriverMemory:
    made = memory_of(clock=lambda: NOW, encoder=encoder)
    for category in CATEGORIES:
        if category.sensitive:
            made.opt_in(category.detail)
    return made


def comes_of(told: DriverMemory, text: str) -> list[str]:
    """The categories in which something of a sentence was kept, or waits to be asked about."""
    told.note(Turn(speaker="driver", text=text, at=NOW), "talk")
    told.note(Turn(speaker="assistant", text="Okay.", at=NOW), "talk")
    told.learn_pending()
    found = [one.detail for one in (*told.preferences(), *told.proposals())]
    told.forget("everything")
    return found


def test_there_are_enough_of_them() -> None:
    assert set(LINES) == set(BY_DETAIL) and all(len(lines) >= 10 for lines in LINES.values())


@pytest.mark.parametrize("detail", LINES)
def test_nothing_of_it_is_kept_or_asked(detail: str, encoder: Encoder) -> None:
    told = memory(encoder)
    told.opt_out(detail)
    spilled = {line for line in LINES[detail] if comes_of(told, line)}
    told.close()
    assert spilled <= SPILLED


def test_with_everything_on_nearly_all_of_it_is_kept(encoder: Encoder) -> None:
    told = memory(encoder)
    lost = [line for lines in LINES.values() for line in lines[::5] if not comes_of(told, line)]
    told.close()
    assert len(lost) <= 4, lost


def test_a_neighbour_that_is_on_is_still_kept(encoder: Encoder) -> None:
    told = memory(encoder)
    told.opt_out("favorite_podcast_genres")
    assert comes_of(told, "i like it at 21 degrees") == ["preferred_temperature"]
    assert comes_of(told, "i love lebanese food") == ["favourite_cuisine"]
    told.close()
