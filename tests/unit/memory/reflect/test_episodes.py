"""What is worth an episode: courtesies and plain orders are not, short answers join what they answer, nothing forbidden stays."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from memory.reflect.episodes import Drafter, Exchange, Hot
from memory.store.tags import MOST_GROWN, content, recurring, tags, title
from models.runtime.fake_encoder import KeywordEncoder
from schemas.memory import Episode, Turn

NOW = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)


class RequestEncoder(KeywordEncoder):
    """A fake that knows a request by its first word."""

    def requests(self, text: str) -> dict[str, float]:
        """A request or none, surely."""
        asks = text.split()[:1] in (["open"], ["turn"], ["play"], ["navigate"])
        return {"set_window": float(asks), "none": float(not asks)}


def drafter() -> Drafter:
    numbers = count(1)
    return Drafter(RequestEncoder(), lambda: f"e{next(numbers)}")


def exchange(driver: str, assistant: str = "Okay.", *, minute: int = 0, sure: float = 1.0, talk: str = "c") -> Exchange:
    return Exchange(talk, NOW + timedelta(minutes=minute), driver, assistant, sure)


def draft(*exchanges: Exchange, allowed: Callable[[str], bool] = lambda _: True) -> tuple[Episode, ...]:
    return drafter().draft(exchanges, allowed)


@pytest.mark.parametrize(
    "said",
    ["yes", "thanks", "okay then", "open the window", "turn it up a bit", "stop", "what do you remember about me", "hm",
     "forget that", "", "   ", "no thank you"],
)  # fmt: skip
def test_what_says_nothing_leaves_nothing(said: str) -> None:
    assert draft(exchange(said)) == ()


@pytest.mark.parametrize(
    "said",
    ["i met my sister yesterday", "play some jazz", "the concert was wonderful", "navigate to my brother's house"],
)
def test_what_says_something_is_kept_as_it_was_said(said: str) -> None:
    [kept] = draft(exchange(said, "Fine."))
    assert (kept.driver, kept.assistant, kept.at, kept.conversation) == (said, "Fine.", NOW, "c")


def test_details_and_tags() -> None:
    [kept] = draft(exchange("my sister loves jazz and italian food"))
    assert set(kept.details) == {"favorite_genres", "favourite_cuisine"}
    assert set(kept.tags) == {"music", "restaurant", "family"}


def test_a_short_answer_joins_the_question_that_it_answers() -> None:
    [kept] = draft(
        exchange("i need a present for my mother", "Does she like jazz?"), exchange("yes", "A record, then.", minute=1)
    )
    assert kept.driver == "i need a present for my mother / yes"
    assert kept.assistant == "Does she like jazz? / A record, then."
    assert len(draft(exchange("i met my sister"), exchange("yes", minute=1))) == 1
    assert "yes" not in draft(exchange("i met my sister"), exchange("yes", minute=1))[0].driver
    other = draft(exchange("i met my sister", "Where?", talk="a"), exchange("yes", talk="b"))
    assert [e.driver for e in other] == ["i met my sister"]


def test_nothing_forbidden_on_either_side_and_no_answer_to_it() -> None:
    def allowed(text: str) -> bool:
        return "jazz" not in text

    assert draft(exchange("i love jazz at home"), allowed=allowed) == ()
    assert draft(exchange("what would my sister like", "Jazz, perhaps jazz?"), allowed=allowed) == ()
    assert draft(exchange("my sister likes jazz", "Oh?"), exchange("yes"), allowed=allowed) == ()


def test_what_was_hardly_heard_is_no_memory() -> None:
    assert draft(exchange("i met my sister", sure=0.29)) == ()
    assert len(draft(exchange("i met my sister", sure=0.3))) == 1


@pytest.mark.parametrize(
    ("said", "lasting"),
    [
        ("remember that my passport is in the drawer", True),
        ("don't forget my mother's birthday", True),
        ("my son is allergic to nuts", True),
        ("i met my sister yesterday", False),
        ("do you remember my sister's name", False),
        ("i don't remember that concert", False),
    ],
)
def test_what_is_asked_to_be_remembered_and_what_can_harm_is_important(said: str, lasting: bool) -> None:
    assert (drafter().importance(said, ()) >= 0.9) is lasting


def test_people_and_statements_count_for_more() -> None:
    weigh = drafter().importance
    assert (
        weigh("the road is long", ()) < weigh("my sister came", ("family",)) < weigh("i love jazz", ("family",)) < 0.9
    )


# The hot tier


def turn(text: str, speaker: str = "driver", minute: int = 0) -> Turn:
    return Turn(speaker=speaker, text=text, at=NOW + timedelta(minutes=minute))


def test_an_answer_belongs_to_what_was_said_last_in_its_conversation() -> None:
    hot = Hot(8)
    hot.heard(turn("one"), "a")
    hot.answered(turn("first", "assistant"), "a")
    hot.answered(turn("second", "assistant"), "a")
    hot.heard(turn("two"), "a")
    hot.answered(turn("elsewhere", "assistant"), "b")
    assert [(e.driver, e.assistant) for e in hot.all()] == [("one", "first"), ("two", "")]


def test_what_is_answered_to_something_forbidden_is_not_kept() -> None:
    hot = Hot(8)
    hot.heard(turn("one"), "a")
    hot.cut("a")
    hot.answered(turn("you are vegan", "assistant"), "a")
    assert [(e.driver, e.assistant) for e in hot.all()] == [("one", "")]


def test_it_is_bounded_and_can_be_emptied() -> None:
    hot = Hot(3)
    for n in range(5):
        hot.heard(turn(str(n), minute=n), "ab"[n % 2])
    assert [e.driver for e in hot.all()] == ["2", "3", "4"]
    hot.drop([hot.all()[0]])
    assert [e.driver for e in hot.all()] == ["3", "4"]
    assert hot.forget("b") == 1 and [e.driver for e in hot.all()] == ["4"]
    assert hot.forget() == 1 and len(hot) == 0


# Tags


def test_tags_are_few_and_own_words_come_before_everyday_ones() -> None:
    assert tags("the falconry class with my sister and my boss at the gym", grown={"falconry"}) == (
        "falconry",
        "learning",
        "family",
    )
    assert tags("my sister, my brother and the boss") == ("family", "work")
    assert tags("jazz with my sister", ["music"]) == ("music", "family")
    assert title("free_time") == "free time" and title("gas_station") == "petrol stations"
    assert content("What did my sister's dog do?") == ("sister", "dog")


def test_a_word_becomes_a_tag_only_by_recurring() -> None:
    said = ("falconry is fun", "my falconry bowl", "falconry again", "falconry and a bowl", "a bowl of falconry")
    often = list(zip("aabbc", said, strict=True))
    assert recurring(often) == ("falconry",)
    assert recurring(often[:4]) == recurring(often[1:]) == ()
    assert recurring([("ab"[n % 2], text) for n, text in enumerate(said)]) == ()
    assert recurring(often, known=["falconry"]) == ()
    assert recurring([(talk, "my sister") for talk in "abcde"]) == ()
    many = [(str(n), "alpha beta1 gamma delta zeta") for n in range(5)]
    grown = [f"grown{n}" for n in range(MOST_GROWN)]
    assert recurring(many) == ("alpha", "delta", "gamma", "zeta")
    assert recurring(many, known=grown[2:]) == ("alpha", "delta") and recurring(many, known=grown) == ()
