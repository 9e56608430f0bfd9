"""What is worth asking a driver about aloud, and what stays on the screen."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory.learn.worth import not_worth
from models.runtime.fake_encoder import KeywordEncoder
from schemas.memory import Candidate

GENRE = "favorite_genres"


class Telling(KeywordEncoder):
    """Takes a sentence for a preference as surely as it is told."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def revealed(self, text: str) -> dict[str, float]:  # type: ignore[override]
        del text
        return {GENRE: self.share}


def hint(sentence: str, value: str = "jazz", sure: float = 0.6) -> Candidate:
    return Candidate(
        detail=GENRE, value=value, sentence=sentence, said_at=datetime(2026, 3, 1, tzinfo=UTC), conversation="c", confidence=sure
    )  # fmt: skip


def test_a_telling_of_a_known_value_is_worth_a_question() -> None:
    assert not_worth(Telling(0.9), hint("I do like jazz music in here.")) is None


def test_an_order_is_no_habit_until_it_is_given_on_several_days() -> None:
    assert "for this once" in str(not_worth(Telling(0.2), hint("Play jazz music.")))
    assert not_worth(Telling(0.2), hint("Play jazz music.", sure=0.8)) is None


def test_less_is_enough_where_the_words_are_marked_as_the_drivers_own() -> None:
    assert not_worth(Telling(0.5), hint("I do like jazz music in here.")) is None
    assert "for this once" in str(not_worth(Telling(0.5), hint("Perhaps jazz music in here.")))


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
    ],
)
def test_what_is_not(told: Candidate, why: str) -> None:
    assert why in str(not_worth(Telling(0.9), told))


def test_a_value_of_the_tree_itself_is_worth_a_question_whatever_word_it_begins_with() -> None:
    street = hint("I park on the street.", "on street").model_copy(update={"detail": "preferred_parking_type"})
    assert "nobody would call it that" not in str(not_worth(Telling(0.9), street))
