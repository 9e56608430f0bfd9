"""What a whole sentence means best: the one thing that it fits, several where they fit alike, nothing where nothing fits."""

from __future__ import annotations

import pytest

from memory.service import DriverMemory
from models.catalog.shelf import BUILTIN
from models.runtime.onnx_encoder import OnnxEncoder
from schemas.memory import CONVERSATIONS, Selector, Turn
from tests.memories import Desk, StoppedClock, likes, talked
from tests.vaults import every_word

NOW = StoppedClock().now
ENCODER = OnnxEncoder(BUILTIN / "encoder")
SAID = "mrs lindqvist is my accountant down at the harbour"


@pytest.fixture
def memory(desk: Desk) -> DriverMemory:
    made = desk(encoder=ENCODER)
    made.opt_in(CONVERSATIONS)
    return made


def left(desk: Desk, word: str) -> bool:
    return any(word in text for text in every_word(desk.store))


@pytest.mark.parametrize(
    "words",
    [
        "i'd be grateful if mrs lindqvist no longer appeared among the things you know",
        "our accountant business can you see the back of it",
        "so nothing on lindqvist should ever remain in there jokes included",
    ],
    ids=["two of its words", "half of the words", "one word that only it has"],
)
def test_a_kept_conversation_is_named_by_a_whole_sentence(desk: Desk, memory: DriverMemory, words: str) -> None:
    talked(memory, NOW, SAID, "the ferry leaves from the north pier at seven")
    assert left(desk, "lindqvist")
    (what,) = memory.fitting(words)
    assert memory.forget_where(what).verified
    assert not left(desk, "lindqvist") and left(desk, "ferry")


def test_of_a_preference_only_the_sentence_goes_that_was_meant(desk: Desk, memory: DriverMemory) -> None:
    said = "the quartet by the harbour played for hours"
    talked(memory, NOW, said)
    likes(desk, "p1", "favorite_genres", "jazz", said, "i love jazz")
    (what,) = memory.fitting("so nothing on the quartet should ever remain in there jokes included")
    memory.forget_where(what)
    assert not left(desk, "quartet") and [p.sentences for p in memory.preferences()] == [("i love jazz",)]


def test_nothing_fits_what_was_never_told(desk: Desk, memory: DriverMemory) -> None:
    likes(desk, "p1", "favorite_genres", "jazz", "i love jazz")
    talked(memory, NOW, SAID)
    assert memory.fitting("the thing about my yacht can go from your memory") == ()
    assert memory.fitting("take it out of there and never keep it") == ()


def test_the_nearest_are_guessed_where_nothing_fits_and_none_if_nothing_is_near(
    desk: Desk, memory: DriverMemory
) -> None:
    likes(desk, "p1", "favorite_podcast_shows", "agatha", "agatha is the one i hear")
    likes(desk, "p2", "preferred_gas_station", "shell", "i buy petrol at shell")
    text = "the audiobooks of that lady detective, take her out of there"
    assert memory.fitting(text) == ()
    assert memory.fitting(text, guesses=1) == (Selector(ids=("p1",)),)
    assert memory.fitting("take it out of there and never keep it", guesses=3) == ()


def test_what_comes_near_a_fit_by_one_word_is_told_beside_it(desk: Desk, memory: DriverMemory) -> None:
    likes(desk, "p1", "preferred_supermarket_chain", "aldi", "we always shop at aldi")
    memory.note(Turn(speaker="driver", text="my favourite chippy is the wetherby whaler", at=NOW), "now")
    memory.note(Turn(speaker="assistant", text="I see.", at=NOW), "now")
    described = memory.fitting("please would you be so kind as to forget which chip shop i like best")
    assert {one.text or one.ids for one in described} == {"my favourite chippy is the wetherby whaler", ("p1",)}
    assert memory.fitting("get rid of aldi for me would you") == (Selector(ids=("p1",)),)


def test_what_has_to_be_named_is_not_told_by_its_topic(desk: Desk, memory: DriverMemory) -> None:
    likes(desk, "p1", "avoidance_of_specific_road_types", "highways", "i avoid highways whenever i can")
    said = "you can let go of the steering now i've got it"
    assert memory.fitting(said, "steering now i've got it") == (Selector(ids=("p1",)),)
    assert memory.fitting(said, "steering now i've got it", named=True) == ()
    assert memory.fitting("the highways can go", named=True) == (Selector(ids=("p1",)),)


def test_what_is_described_at_length_may_be_another_than_what_is_called_so(desk: Desk, memory: DriverMemory) -> None:
    likes(desk, "p1", "avoidance_of_specific_road_types", "highways", "i avoid highways")
    likes(desk, "p2", "avoidance_of_specific_road_types", "the hammersmith flyover", "i avoid the hammersmith flyover")
    likes(desk, "p3", "preferred_gas_station", "shell", "i buy petrol at shell")
    described = "that raised road in west london i said i dodge, it doesn't need remembering, out with it"
    assert {one.ids for one in memory.fitting(described, guesses=2)} == {("p1",), ("p2",)}
    assert memory.fitting("lose the highways from your files", guesses=3) == (Selector(ids=("p1",)),)


def test_two_that_fit_alike_are_both_told(desk: Desk, memory: DriverMemory) -> None:
    likes(desk, "p1", "preferred_gas_station", "co op", "i buy petrol at the co op")
    likes(desk, "p2", "preferred_gas_station", "shell", "i buy petrol at shell")
    likes(desk, "p3", "favorite_genres", "jazz", "i love jazz")
    assert {one.ids for one in memory.fitting("cut the petrol one from what you've got on file")} == {("p1",), ("p2",)}
    assert memory.fitting("cut the shell one from what you've got on file") == (Selector(ids=("p2",)),)


def test_what_was_there_before_goes_with_what_fits(desk: Desk, memory: DriverMemory) -> None:
    likes(desk, "p1", "preferred_gas_station", "shell", "i buy petrol at shell")
    likes(desk, "p2", "preferred_gas_station", "co op", "i buy petrol at the co op")
    with desk.store.transaction():
        desk.store.supersede("p1", NOW, "p2")
    assert memory.fitting("lose the co op petrol from your files") == (Selector(ids=("p2", "p1")),)


def test_what_waits_to_be_kept_fits_too_and_is_gone_with_a_yes(desk: Desk, memory: DriverMemory) -> None:
    memory.note(Turn(speaker="driver", text="i go climbing on thursdays", at=NOW), "now")
    memory.note(Turn(speaker="assistant", text="I see.", at=NOW), "now")
    (what,) = memory.fitting("so nothing on my climbing should remain in there jokes included")
    assert memory.matching(what).turns == 1
    memory.forget_where(what)
    memory.reflect()
    assert not left(desk, "climbing")


def test_a_preference_stands_for_the_sentence_that_told_it(desk: Desk, memory: DriverMemory) -> None:
    talked(memory, NOW, "i always buy my petrol at the co op")
    (held,) = memory.preferences()
    assert memory.fitting("cut the petrol one from what you've got on file") == (Selector(ids=(held.id,)),)
    memory.forget(held.id)
    assert not left(desk, "petrol")


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        ("that note on the spare key is stale so throw it away now", ["the spare key is under the mat"]),
        ("the thing about my locker is stale so throw it away now", ["my locker is number forty"]),
        ("that note on the winter tyres is stale so throw it away now", []),
    ],
)
def test_a_fact_is_found_by_what_it_is_about(memory: DriverMemory, words: str, facts: list[str]) -> None:
    memory.remember("remember that the spare key is under the mat")
    memory.remember("remember that my locker is number forty")
    found = memory.fitting(words)
    assert [one.text for what in found for one in memory.matching(what).others] == facts
