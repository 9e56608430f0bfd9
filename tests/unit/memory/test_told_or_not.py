"""A stranger's turns, one at a time: what reveals a lasting preference is stored rightly, what reveals none is not stored.

tests/suites/told_or_not.txt was written by somebody who saw neither code nor training lines; only its figures were looked at. Of
164 turns with a preference 130 are stored rightly at once (before the second opinion 119), of 250 without one none is.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory.learn.extraction import Extraction, Extractor
from models.catalog import Catalog
from models.runtime.onnx_encoder import OnnxEncoder
from schemas.memory import Consent, Conversation, Turn
from schemas.preferences import CATEGORIES

SUITE = Path(__file__).parents[2] / "suites" / "told_or_not.txt"
NOW = datetime(2026, 11, 27, 10, tzinfo=UTC)
EVERYTHING = Consent(opted_in=frozenset(category.detail for category in CATEGORIES if category.sensitive))
NONE = "none"


@pytest.fixture(scope="module")
def read() -> list[tuple[str, Extraction]]:
    """The label of every turn, and what is made of it."""
    extractor, label, found = Extractor(OnnxEncoder(Catalog().find("encoder"))), "", list[tuple[str, Extraction]]()
    for line in SUITE.read_text("utf-8").splitlines():
        if line.startswith("== "):
            label = line.removeprefix("== ")
        elif line and not line.startswith("#"):
            said = Conversation(id="c", turns=(Turn(speaker="driver", text=line, at=NOW),))
            found.append((label, extractor.extract(said, EVERYTHING, NOW)))
    return found


def test_what_reveals_a_preference_is_stored_under_its_category(read: list[tuple[str, Extraction]]) -> None:
    told = [(label, {one.detail for one in made.candidates}) for label, made in read if label != NONE]
    assert len(told) == 4 * len(CATEGORIES)
    assert sum(label in stored for label, stored in told) >= 128
    assert sum(bool(stored - {label}) for label, stored in told) <= 3


def test_what_reveals_none_is_not_stored(read: list[tuple[str, Extraction]]) -> None:
    plain = [made for label, made in read if label == NONE]
    assert len(plain) == 250 and sum(bool(made.candidates) for made in plain) <= 1
