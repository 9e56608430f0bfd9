"""What is worth asking a driver about aloud, and what stays on the screen."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory.learn.worth import not_worth
from models.runtime.fake_encoder import HINTING, KeywordEncoder
from schemas.memory import Candidate

GENRE = "favorite_genres"


def hint(sentence: str, value: str = "jazz", sure: float = 0.6) -> Candidate:
    return Candidate(
        detail=GENRE, value=value, sentence=sentence, said_at=datetime(2026, 3, 1, tzinfo=UTC), conversation="c", confidence=sure
    )  # fmt: skip


def test_a_telling_of_a_known_value_is_worth_a_question() -> None:
    assert not_worth(KeywordEncoder(), hint("I do like jazz music in here.")) is None


@pytest.mark.parametrize(
    ("told", "why"),
    [
        (hint("I do like jazz music in here.", sure=0.2), "guess"),
        (
            hint("I do like some things of jazz music in here now.", value="some things of jazz music in here"),
            "call it that",
        ),
        (hint("I do like jazz music, the one.", value="the jazz"), "call it that"),
        (hint("Do I like jazz music in here?"), "asked, supposed"),
        (hint(f"{min(HINTING)} jazz"), "no habit"),
        (hint("I like jazz music and italian food."), "something else"),
    ],
)
def test_what_is_not(told: Candidate, why: str) -> None:
    assert why in str(not_worth(KeywordEncoder(), told))
