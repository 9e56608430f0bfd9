"""What the driver surely tells, and what he gives up, with the encoder that ships."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memory.service import DriverMemory
from memory.vault.lifecycle import Vault
from models.catalog.shelf import BUILTIN
from models.runtime.onnx_encoder import OnnxEncoder
from schemas.memory import Decision, Turn
from tests.memories import StoppedClock

NOW = StoppedClock().now
ENCODER = OnnxEncoder(BUILTIN / "encoder")


@pytest.fixture
def memory() -> Iterator[DriverMemory]:
    own = DriverMemory("ada", Vault.in_memory(clock=lambda: NOW), encoder=ENCODER, clock=lambda: NOW)
    yield own
    own.close()


def said(memory: DriverMemory, text: str, *, told: bool) -> tuple[Decision, ...]:
    memory.note(Turn(speaker="driver", text=text, at=NOW), "trip-1")
    return memory.learn_pending("trip-1", text if told else "")


def kept(memory: DriverMemory) -> list[tuple[str, str]]:
    return [(p.value, p.sense.value) for p in memory.preferences()]


def test_what_is_surely_told_needs_less_sureness(memory: DriverMemory) -> None:
    said(memory, "heavy metal does my head in", told=False)
    assert not kept(memory)
    said(memory, "heavy metal does my head in", told=True)
    assert kept(memory) == [("heavy metal", "dislikes")]


def test_another_turn_is_not_taken_for_told(memory: DriverMemory) -> None:
    memory.note(Turn(speaker="driver", text="heavy metal does my head in", at=NOW), "trip-1")
    memory.learn_pending("trip-1", "something else")
    assert not kept(memory)


def test_what_is_given_up_is_looked_for_where_it_is_held(memory: DriverMemory) -> None:
    memory.remember("i love muse", "favorite_artists_or_bands")
    assert kept(memory) == [("muse", "likes")]
    decisions = said(memory, "actually i can't stand muse any more", told=True)
    assert {d.detail for d in decisions} == {"favorite_artists_or_bands"}
