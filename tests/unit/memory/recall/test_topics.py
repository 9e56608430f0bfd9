"""Which categories a question is about, by the encoder that is shipped."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory.service import DriverMemory
from models.catalog.shelf import BUILTIN
from models.runtime.onnx_encoder import OnnxEncoder
from tests.memories import vault_of


def _now() -> datetime:
    return datetime(2026, 11, 24, 10, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def memory() -> DriverMemory:
    encoder = OnnxEncoder(BUILTIN / "encoder")
    return DriverMemory("anna", vault_of("anna", _now), encoder=encoder, clock=_now)


@pytest.mark.parametrize(
    ("question", "detail"),
    [
        ("how warm do I usually have it", "preferred_temperature"),
        ("which roads do I avoid", "avoidance_of_specific_road_types"),
        ("do I like jazz", "favorite_genres"),
        ("which station do I listen to", "preferred_radio_station"),
    ],
)
def test_a_question_is_about_a_category_without_a_word_of_its_title(
    memory: DriverMemory, question: str, detail: str
) -> None:
    assert detail in memory.topics(question)


@pytest.mark.parametrize("question", ["what do you know about my dog", "what's my shoe size", "when is my wedding day"])
def test_what_is_not_remembered_at_all_is_no_category(memory: DriverMemory, question: str) -> None:
    assert memory.topics(question) == ()
