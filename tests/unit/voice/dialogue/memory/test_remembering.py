"""The talk about memory, in the driver's words: commands as the templates have them, over memories that store.

Long because every command about memory is said here, to the same driver.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from deploy.config import Config, load_config
from deploy.drivers.keys import key_source
from deploy.drivers.switching import ConfiguredDrivers
from memory.service import DriverMemory
from memory.vault.keys import KeySource
from memory.vault.lifecycle import Vault
from models.commands.matcher import TemplateMatcher
from models.runtime.fake_encoder import KeywordEncoder
from schemas.events import Reply, Route, Transcript, VehicleState
from schemas.memory import Outcome, Period, Selector, Turn
from schemas.seat import Seat
from tests.dialogues import FakeVehicle, StubParser
from tests.memories import memory_of
from tests.memories import talk as talked
from voice.dialogue.agent import Dialogue
from voice.dialogue.coordinator import DialogueSettings
from voice.dialogue.forgetting.erasing import after_all_else, wish
from voice.dialogue.forgetting.forgetting import NOT_ALL_BUT, NOTHING_LIKE_IT
from voice.dialogue.memory.remembering import Remembering
from voice.dialogue.memory.telling import NOT_KEPT
from voice.dialogue.replies.responder import NOT_UNDERSTOOD

START = datetime(2026, 3, 4, 9, 15, tzinfo=UTC)
"""A Wednesday."""


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


class Car(FakeVehicle):
    """Stands still unless it is told to move."""

    speed = 0.0

    async def state(self) -> VehicleState:
        return VehicleState(speed_kmh=self.speed)


@pytest.fixture(scope="module")
def matcher() -> TemplateMatcher:
    return TemplateMatcher()


class Talk:
    """A driver who talks to the car."""

    def __init__(
        self, matcher: TemplateMatcher, seat: Seat, clock: Clock, drivers: ConfiguredDrivers | None = None
    ) -> None:
        self.clock, self.vehicle, self.drivers, self.parser = clock, Car(), drivers, StubParser()
        self.seat = seat
        self.dialogue = Dialogue(
            seat=seat,
            vehicle=self.vehicle,
            matcher=matcher,
            parser=self.parser,
            clock=clock,
            settings=DialogueSettings(questions=0),
            drivers=drivers,
        )

    @property
    def memory(self) -> Any:
        return self.seat.memory

    def reply(self, text: str) -> Reply:
        return asyncio.run(self.dialogue.respond(self.dialogue.typed(text)))

    def __call__(self, text: str) -> str:
        self.clock.now += timedelta(seconds=5)
        return self.reply(text).text

    def values(self) -> set[str]:
        return {p.value for p in self.memory.preferences()}


@pytest.fixture
def talk(matcher: TemplateMatcher) -> Talk:
    clock = Clock()
    return Talk(matcher, Seat(memory_of("ada", clock=clock)), clock)


def tell(talk: Talk, *values: str, at: datetime = START) -> None:
    """What memory learnt before."""
    for value in values:
        talk.memory.learn(talked(f"i love {value}", at=at, name=f"before-{value}"))


# What is remembered


def test_a_list_is_read_three_at_a_time(talk: Talk) -> None:
    assert talk("what do you remember about me") == "I remember nothing about you yet."
    tell(talk, "jazz", "rock", "blues", "soul", "italian", "thai", "jazz")
    assert talk("what do you remember about me") == (
        "I remember that you like thai food, you like italian food and you like soul, and 3 more. Say: what else."
    )
    assert talk("what else") == "I also remember that you like blues, you like rock and you like jazz."
    assert talk("what else") == "That was all."


def test_no_long_list_while_driving(talk: Talk) -> None:
    tell(talk, "jazz", "rock", "blues", "soul", "italian")
    talk.vehicle.speed = 50.0
    assert talk("what do you remember about me").endswith("you like blues, and 2 more.")
    assert talk("tell me the rest") == "There are two more. I'll read them out when the car stands still."
    talk.vehicle.speed = 0.0
    assert talk("go on") == "I also remember that you like rock and you like jazz."


def test_one_category(talk: Talk) -> None:
    tell(talk, "jazz", "italian")
    assert talk("what do you remember about music") == "I remember that you like jazz."
    assert talk("what about parking") == "I remember nothing about parking."
    assert talk("what else") == "That was all."
    talk.dialogue.end_conversation()
    assert talk("what else") == "Ask me what I remember about you."


def test_nothing_that_is_said_about_memory_is_kept(talk: Talk) -> None:
    tell(talk, "jazz")
    for text in ("what do you remember about me", "why do you remember that", "forget that", "yes"):
        talk(text)
    assert talk.memory.learn_pending() == ()


# Why and when


def test_why_and_when(talk: Talk) -> None:
    tell(talk, "jazz", at=START - timedelta(days=2))
    talk("what do you remember about music")
    assert talk("why do you remember that") == (
        "I remember that you like jazz. You said so on Monday at 9:15. Your words were: i love jazz."
    )
    assert talk("when did i say that") == "You said that on Monday at 9:15."


def test_why_an_action_went_as_it_did(talk: Talk) -> None:
    tell(talk, "jazz")
    assert "because you like jazz" in talk("play some music")
    assert talk("why did you choose that") == (
        "I went by what you told me: you like jazz. You said so today at 9:15. Your words were: i love jazz."
    )
    (used,) = talk.memory.explain(talk.memory.preferences()[0].id).used_for
    assert used[1] == "play_music"
    talk("set the temperature to twenty two degrees")
    assert talk("why did you do that") == "Because you said: set the temperature to twenty two degrees."
    talk("open the trunk")
    assert talk("why did you say that") == "Because I can only open the trunk when parked."


def test_why_without_anything_spoken_of(talk: Talk) -> None:
    assert talk("why that") == talk("when did i say that") == "I don't know what you mean by that."


def test_a_correction_has_no_words_of_the_driver(talk: Talk) -> None:
    tell(talk, "jazz")
    talk.memory.correct(talk.memory.preferences()[0].id, "rock")
    talk("what do you remember about me")
    assert talk("how do you know that") == "I remember that you like rock. You wrote that yourself today at 9:15."
    assert talk("when did i say that") == "You wrote that today at 9:15."


# Remembering and forgetting


def test_what_is_asked_to_be_remembered_is_stored_at_once(talk: Talk) -> None:
    reply = talk.reply("remember that I like jazz")
    assert reply.text == "Okay, I'll remember that you like jazz." and reply.route is Route.MEMORY
    assert reply.decision is not None and reply.decision.outcome is Outcome.APPEND
    assert talk.values() == {"jazz"} and talk.memory.learn_pending() == ()
    assert talk("remember that i like jazz") == "I knew that already: you like jazz."
    assert talk("remember that i like the moon") == NOT_KEPT
    assert talk("remember that i am vegan").endswith("off until you allow it on the screen.")
    assert talk("forget that") == "Forgotten." and talk.values() == set()


@pytest.mark.parametrize(
    "words", ["everything except jazz", "all but jazz", "everything you know apart from the music"]
)
def test_all_but_one_thing_is_neither_all_nor_that_thing(talk: Talk, words: str) -> None:
    tell(talk, "jazz", "italian")
    assert talk(f"forget {words}") == NOT_ALL_BUT
    assert talk.values() == {"jazz", "italian"}


@pytest.mark.parametrize("words", ["forget jazz but keep italian food", "delete jazz, not italian food"])
def test_what_is_to_stay_is_not_asked_about(talk: Talk, words: str) -> None:
    tell(talk, "jazz", "italian")
    assert talk(words) == "Forget that you like jazz?"


def test_an_order_that_says_keep_is_done_beside_a_wish_to_forget() -> None:
    found = wish("forget jazz and keep the heating on", lambda part: "heating" in part)
    assert found is not None and (found.about, found.rest) == ("jazz", "keep the heating on")


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("forget jazz, i love blues", "Okay, I'll remember that you like blues. Forget that you like jazz?"),
        ("scrap that, it's blues i love", "Forgotten. Okay, I'll remember that you like blues."),
        ("forget jazz, i don't like it", "Forget that you like jazz?"),
        ("forget jazz and i love blues", "Forget that you like jazz?"),
    ],
)
def test_what_is_told_to_hold_instead_is_kept_beside_what_goes(
    talk: Talk, monkeypatch: pytest.MonkeyPatch, said: str, reply: str
) -> None:
    tell(talk, "jazz")
    talk("what do you remember about music")

    def tells(text: str) -> bool:
        return "love" in text

    monkeypatch.setattr(talk.memory, "tells", tells)
    for told in ("i love blues", "it's blues i love"):
        talk.parser.knows[told] = "tell()", 0.95
    assert talk(said) == reply


@pytest.mark.parametrize(
    ("words", "order"),
    [
        ("drop everything and play jazz", "play jazz"),
        ("forget about everything else, take me home", "take me home"),
        ("okay, just forget all else and open the window", "open the window"),
        ("forget everything you know about me and play jazz", ""),
        ("forget everything else you know about me and play jazz", ""),
        ("forget everything and play jazz", ""),
        ("drop everything and i love jazz", ""),
        ("forget jazz and play blues", ""),
    ],
)
def test_all_else_that_may_wait_is_nothing_that_is_remembered(words: str, order: str) -> None:
    def is_order(part: str) -> bool:
        return part.startswith(("play", "take", "open"))

    assert after_all_else(words, is_order) == order


def test_an_order_before_all_else_forgets_nothing_and_asks_nothing(talk: Talk) -> None:
    tell(talk, "jazz")
    reply = talk.reply("drop everything and open the sunroof")
    assert [result.action.name for result in reply.results] == ["set_sunroof"] and "?" not in reply.text
    assert talk.values() == {"jazz"}


@pytest.mark.parametrize(
    "words", ["note that i am on strike with unison", "the bin is collected on tuesday", "our drop is behind the wall"]
)
def test_a_noun_that_is_spelled_as_a_verb_of_erasing_erases_nothing(words: str) -> None:
    assert wish(words, lambda _: False) is None
    assert wish("hang on strike that i like jazz", lambda _: False) is not None


def test_forget_that_is_the_last_thing_mentioned(talk: Talk) -> None:
    tell(talk, "jazz", "italian")
    talk("what do you remember about music")
    assert talk("forget that") == "Forgotten."
    assert talk.values() == {"italian"}


def test_forget_that_asks_back_where_several_are_meant(talk: Talk) -> None:
    tell(talk, "jazz", "rock", "italian")
    talk("what do you remember about me")
    question = talk("forget that")
    assert question == "Forget that you like italian food, that you like rock and that you like jazz?"
    assert talk("the second one") == "Forgotten."
    assert talk.values() == {"jazz", "italian"}
    talk("what do you remember about me")
    talk("forget that")
    assert talk("the italian food") == "Forgotten."
    assert talk.values() == {"jazz"}


@pytest.mark.parametrize("text", ["no", "open the trunk", "set the temperature to twenty two degrees"])
def test_whatever_is_no_answer_forgets_nothing(talk: Talk, text: str) -> None:
    tell(talk, "jazz", "rock")
    talk("what do you remember about me")
    talk("forget that")
    talk(text)
    assert talk("the second one").startswith(NOT_UNDERSTOOD)
    assert talk.values() == {"jazz", "rock"}


def test_forget_that_without_anything_mentioned_asks_about_the_newest(talk: Talk) -> None:
    assert talk("forget that") == "There is nothing to forget."
    tell(talk, "jazz", "italian")
    assert talk("forget that") == "Do you mean that you like italian food? Say yes or no."
    assert talk("no") == "Okay, I keep it." and talk.values() == {"jazz", "italian"}
    talk("forget that")
    assert talk("yes") == "Forgotten." and talk.values() == {"jazz"}


def test_a_category_is_forgotten_after_a_yes(talk: Talk) -> None:
    tell(talk, "jazz", "italian", "thai")
    assert talk("forget everything about restaurants") == "That is two things about restaurants. Shall I forget it all?"
    assert talk("yes") == "Forgotten: two things." and talk.values() == {"jazz"}
    assert talk("forget everything about restaurants") == "I remember nothing about restaurants."
    assert talk("forget everything about music") == "Forget that you like jazz?" and talk.values() == {"jazz"}
    assert talk("yes") == "Forgotten." and talk.values() == set()


def test_a_time_is_forgotten(talk: Talk) -> None:
    tell(talk, "jazz", at=START - timedelta(days=1))
    tell(talk, "rock", "italian")
    assert talk("forget what i said yesterday") == "That is one thing from yesterday. Shall I forget it all?"
    assert talk("yes") == "Forgotten."
    assert talk.values() == {"rock", "italian"}
    assert talk("forget what i said on this trip") == "That is two things from this trip. Shall I forget it all?"
    assert talk("no") == "Okay, I keep it." and len(talk.values()) == 2
    assert talk("forget this trip") == "That is two things from this trip. Shall I forget it all?"
    assert talk("no") == "Okay, I keep it." and len(talk.values()) == 2
    talk("forget everything i said today")
    assert talk("yes") == "Once more, to be sure: forget all of that now? Say yes or no." and len(talk.values()) == 2
    talk("yes")
    assert talk.values() == set()


def test_everything_is_forgotten_after_a_yes_only(talk: Talk) -> None:
    tell(talk, "jazz")
    assert talk("forget everything you know about me") == "That is one thing about you. Shall I forget it all?"
    assert talk("play some music") and talk.values() == {"jazz"}
    talk("erase your memory")
    assert talk("yes") == "Once more, to be sure: forget everything now? Say yes or no." and talk.values() == {"jazz"}
    assert talk("no") == "Okay, I keep it."
    talk("erase your memory")
    talk("yes")
    assert talk("yes").startswith("Forgotten") and talk.values() == set()


def test_all_there_is_or_more_than_ten_things_are_asked_about_twice(talk: Talk) -> None:
    tell(talk, "jazz", "italian", at=START - timedelta(days=1))
    assert not talk.memory.sweeps(Selector(key="favorite_genres"))
    assert not talk.memory.sweeps(Selector(text="jazz"))
    assert talk.memory.sweeps(Selector(period=Period(since=START - timedelta(days=2))))
    for number in range(10):
        talk.memory.remember(f"i like band{number} music", "favorite_genres")
    assert talk.memory.sweeps(Selector(key="favorite_genres")) and not talk.memory.sweeps(Selector(text="rock"))
    held = len(talk.values())
    talk("stop remembering music")
    assert talk("delete them") == "Once more, to be sure: forget all of that now? Say yes or no."
    assert len(talk.values()) == held
    talk("yes")
    assert talk.values() == {"italian"}


# Switches


def test_switching_off_asks_what_to_do_with_what_is_there(talk: Talk) -> None:
    tell(talk, "jazz", "rock", "italian")
    assert talk("stop remembering music") == (
        "Okay, from now on I remember nothing about music. I still have two things from before. Shall I delete those?"
    )
    assert talk("no") == "Okay, it stays." and len(talk.values()) == 3
    for answer in ("keep them", "delete them"):
        assert talk("remember music again") == "Okay, I may remember things about music again."
        talk("stop remembering music")
        talk(answer)
    assert talk.values() == {"italian"}
    talk("stop remembering cuisine")
    assert talk("yes") == "Forgotten." and talk.values() == set()
    talk("remember cuisine again")
    assert talk("remember music again") == "Okay, I may remember things about music again."
    talk("stop remembering music")
    assert talk("stop remembering navigation") == "Okay, from now on I remember nothing about navigation and routing."
    assert talk.memory.consent().opted_out == {"music", "navigation_and_routing"}


@pytest.mark.parametrize(
    ("words", "key", "said"),
    [
        ("stop remembering my temperature", "preferred_temperature", "cabin temperature"),
        ("don't remember my seat heating", "seat_heating_preferences", "seat heating"),
        ("stop learning about songs", "favorite_songs", "songs"),
        ("stop remembering my music genres", "favorite_genres", "music genres"),
        ("stop remembering music", "music", "music"),
        ("stop remembering climate", "climate_control", "climate"),
        ("stop remembering comfort", "vehicle_settings_and_comfort", "vehicle settings and comfort"),
    ],
)
def test_what_is_named_is_off_and_no_more(talk: Talk, words: str, key: str, said: str) -> None:
    tell(talk, "jazz")
    assert talk(words).startswith(f"Okay, from now on I remember nothing about {said}.")
    assert talk.memory.consent().opted_out == {key}


@pytest.mark.parametrize(
    ("words", "answer", "left"),
    [
        ("forget both of my music genres", "yes", {"italian"}),
        ("get rid of both music genres", "yes", {"italian"}),
        ("delete my two genres", "only jazz", {"rock", "italian"}),
        ("delete my two genres", "the first one", {"jazz", "italian"}),
        ("delete my two genres", "no", {"jazz", "rock", "italian"}),
    ],
)
def test_a_number_of_things_of_a_kind_is_named_and_asked_about_once(
    talk: Talk, words: str, answer: str, left: set[str]
) -> None:
    tell(talk, "italian", "jazz", "rock")
    assert talk(words) == "Forget that you like rock and that you like jazz?"
    talk(answer)
    assert talk.values() == left


def test_those_two_were_read_out_or_told_last(talk: Talk) -> None:
    tell(talk, "jazz", "rock", "italian", "thai")
    talk("what do you remember about music")
    assert talk("forget those two") == "Forget that you like rock and that you like jazz?"
    assert talk("no") and talk("forget all three") == (
        "Forget that you like thai food, that you like italian food and that you like rock?"
    )
    assert talk("both") and talk.values() == {"jazz"}


def test_of_more_than_so_many_the_driver_says_which(talk: Talk) -> None:
    tell(talk, "jazz", "rock", "blues")
    assert talk("forget my two music genres").startswith(
        "Which shall I forget: that you like blues, that you like rock, or"
    )
    assert talk("blues") == "Forgotten." and talk.values() == {"jazz", "rock"}


@pytest.mark.parametrize(
    "words", ["forget two door cinema club", "forget five guys", "forget 21 degrees", "clear both windows"]
)
def test_a_number_that_is_part_of_a_name_counts_nothing(talk: Talk, words: str) -> None:
    tell(talk, "jazz", "rock")
    assert "jazz" not in talk(words) and talk.values() == {"jazz", "rock"}


def test_of_few_things_that_are_held_the_driver_says_which_is_meant(talk: Talk) -> None:
    sentence = "forget where i told you my aunt lives"
    assert talk(sentence) == NOTHING_LIKE_IT
    tell(talk, "jazz", "italian")
    assert talk(sentence) == (
        "I find nothing by that name. Which shall I forget: that you like italian food, or that you like jazz?"
    )
    assert talk("neither") and talk.values() == {"jazz", "italian"}
    tell(talk, "rock", "blues")
    assert talk(sentence) == NOTHING_LIKE_IT


def test_allowing_what_is_allowed_says_what_is_off(talk: Talk) -> None:
    assert talk("remember music again") == "I may remember things about music as before."
    talk("stop remembering navigation")
    assert talk("remember music again") == (
        "I may remember things about music as before, but nothing about navigation and routing."
    )
    talk("this is a private trip")
    assert talk("remember music again").endswith("as before, but this is a private trip still: say that it is over.")
    talk("the private trip is over")
    talk("stop learning")
    assert "but learning is paused still" in talk("remember music again")
    assert talk("remember navigation again") == "Okay, I may remember things about navigation and routing again."


def test_a_private_trip(talk: Talk) -> None:
    assert talk("this is a private trip") == "Private trip: I remember nothing."
    assert talk("remember that i like jazz") == "I won't keep that: this is a private trip." and talk.values() == set()
    assert talk("resume learning") == "This is a private trip still: say that it is over."
    assert talk("the private trip is over") == "I may remember things again."
    talk("remember that i like jazz")
    assert talk.values() == {"jazz"}


def test_a_pause(talk: Talk) -> None:
    assert talk("pause learning until tomorrow") == "Okay, I learn nothing until tomorrow."
    assert talk.memory.consent().paused_until == datetime(2026, 3, 5, tzinfo=UTC)
    assert talk("pause learning for an hour") == "Okay, I learn nothing for an hour."
    assert talk.memory.consent().paused_until == talk.clock.now + timedelta(hours=1)
    talk("remember that i like jazz")
    assert talk.values() == set()
    talk.clock.now += timedelta(hours=2)
    talk("remember that i like jazz")
    assert talk.values() == {"jazz"}
    assert talk("pause learning") == "Okay, I learn nothing until you say: learn again."
    talk.clock.now += timedelta(days=400)
    talk("remember that i like rock")
    assert talk.values() == {"jazz"}
    for text in ("learn again", "you may remember again"):
        talk("pause learning")
        assert talk(text) == "Okay, I learn again."
        assert talk.memory.consent().paused_until is None
    talk("pause learning")
    assert talk("resume learning") == "Okay, I learn again."
    assert talk.memory.consent().paused_until is None


# Two drivers, two vaults


@pytest.fixture
def car(matcher: TemplateMatcher, tmp_path: Path) -> Iterator[Talk]:
    """A car of two drivers, with vaults; ada drives."""
    clock = Clock()
    flags = {"home": str(tmp_path), "driver.name": "ada", "driver.others": "grace"}

    def opened(config: Config, keys: KeySource | None = None) -> DriverMemory:
        vault = Vault.open(config.data.folder, config.driver.name, keys or key_source(config), clock=clock)
        return DriverMemory(config.driver.name, vault, encoder=KeywordEncoder(), clock=clock)

    config = load_config(flags=flags, environment={})
    drivers = ConfiguredDrivers(config, Seat(opened(config)), opened)
    yield Talk(matcher, drivers.seat, clock, drivers)
    drivers.wait()
    drivers.seat.memory.close()


def test_neither_driver_hears_the_other(car: Talk) -> None:
    assert car("remember that i like jazz music") == "Okay, I'll remember that you like jazz."
    car("what do you remember about me")
    assert car("i am grace") == "Hello Grace."
    for text in ("what do you remember about me", "what do you remember about music", "say that again", "why that",
                 "when did i say that", "forget that", "what else", "who am i"):  # fmt: skip
        assert "jazz" not in car(text), text
    assert car.memory.driver == "grace" and car.memory.recall("jazz music") == ()
    assert car("remember that i like rock music") == "Okay, I'll remember that you like rock."
    assert car("i am driver one") == "Hello Ada."
    assert car("what do you remember about me") == "I remember that you like jazz."
    assert car("who am i") == "I remember things for Ada."


def test_only_configured_drivers_are_let_in(car: Talk, tmp_path: Path) -> None:
    car("this is mallory")
    assert car.memory.driver == "ada" and not list(tmp_path.glob("mallory*"))
    assert car("i am driver three") == "There are only two drivers here." and car.memory.driver == "ada"
    assert car("i'm Grace") == "Hello Grace."


def test_what_was_told_before_the_change_is_learnt_by_who_told_it(car: Talk) -> None:
    car.memory.note(Turn(speaker="driver", text="i love greek food", at=car.clock.now), car.dialogue.conversation)
    car("i am grace")
    assert car.values() == set()
    assert car.drivers is not None
    car.drivers.wait()
    car("i am ada")
    assert car.values() == {"greek"}


def test_an_open_question_does_not_outlive_the_change(car: Talk) -> None:
    car("remember that i like jazz music")
    car("remember that i like rock music")
    car("forget everything you know about me")
    car("i am grace")
    assert "no open question" in car("yes")
    car("i am ada")
    assert car.values() == {"jazz", "rock"}


def test_a_guest_is_nobody(car: Talk, tmp_path: Path) -> None:
    car("remember that i like jazz music")
    assert car("guest mode") == "Guest mode: I remember nothing and know nothing about you."
    assert car.drivers is not None
    car.drivers.wait()
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.vault")}
    assert car("what do you remember about me") == "I remember nothing about you yet."
    assert car("remember that i like rock music") == "I won't keep that: you are a guest."
    assert car("the private trip is over") == car("resume learning") == "You are a guest: I remember nothing."
    assert car("export my data") == "There is nothing to export."
    assert car("delete me") == "There is nothing to delete."
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.vault")} == before
    assert car("guest mode off") == "Hello Ada." and car.values() == {"jazz"}
    assert car("guest mode off") == "This is no guest mode."


def test_an_export_by_voice_lies_where_the_driver_can_fetch_it(car: Talk, tmp_path: Path) -> None:
    car("remember that i like jazz music")
    assert car("export my data").endswith("a file that is not encrypted. Shall I?")
    assert not (tmp_path / "exports").exists(), "not before a yes"
    said = car("yes")
    (file,) = (tmp_path / "exports").iterdir()
    assert file.name in said and "i like jazz music" in file.read_text("utf-8")
    assert file.stat().st_mode & 0o777 == 0o600
    car("what do you remember about music")
    assert car("forget that") == "Forgotten."
    assert not list((tmp_path / "exports").iterdir())


def test_an_export_that_is_refused_is_not_written(car: Talk, tmp_path: Path) -> None:
    car("remember that i like jazz music")
    car("export my data")
    assert car("no") == "Okay, no file is written." and not (tmp_path / "exports").exists()


def test_deleting_takes_two_yeses(car: Talk, tmp_path: Path) -> None:
    car("remember that i like jazz music")
    car("export my data")
    car("yes")
    question = car("delete me")
    assert question.startswith("That deletes all that I remember about Ada: one thing, with its key and its backups.")
    assert car("no") == "Okay, nothing is deleted." and car.values() == {"jazz"}
    car("delete me")
    assert car("yes") == "Once more, to be sure: delete everything now? Say yes or no."
    assert car("set the temperature to twenty two degrees") and car.values() == {"jazz"}
    assert "no open question" in car("yes")
    car("delete me")
    car("yes")
    assert car("yes") == "Everything is deleted, and so is the key. You are a guest now."
    assert not list(tmp_path.rglob("*ada*")) and car.memory.driver == "guest"


def test_what_is_heard_too_faintly_changes_nothing(car: Talk) -> None:
    faint = Transcript(text="remember that i like jazz music", confidence=0.05, in_grammar=False)
    asyncio.run(car.dialogue.respond(faint))
    faint = Transcript(text="i am grace", confidence=0.05, in_grammar=False)
    asyncio.run(car.dialogue.respond(faint))
    assert car.memory.driver == "ada" and car.values() == set()


@pytest.mark.parametrize(
    "said", ["remember that my pin is four four seven one", "remember my bank password is swordfish please"]
)
def test_secrets_are_never_kept(talk: Talk, said: str) -> None:
    assert talk(said) == "I won't keep that: I never keep PINs, passwords or numbers of accounts."
    assert talk.values() == set() and talk.memory.learn_pending() == ()


def test_what_is_remembered_is_found_by_a_word_with_which_it_was_told(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(talk, "jazz on long drives")
    assert talk.values() == {"jazz"}
    alike = talk.memory.recall("jazz")
    monkeypatch.setattr(talk.memory, "recall", Mock(return_value=alike))
    remembering = Remembering(talk.seat, talk.clock)
    assert remembering.about("drives", moving=False) == "I remember that you like jazz."
    assert remembering.about("boats", moving=False) == "I have kept nothing about boats."
    assert remembering.about("boats do i", moving=False) == "I have kept nothing about that."


def test_who_has_no_name_is_not_called_by_one(matcher: TemplateMatcher) -> None:
    clock, unnamed = Clock(), load_config(flags={}, environment={}).driver.name
    talk = Talk(matcher, Seat(memory_of(unnamed, clock=clock)), clock)
    assert talk("who am i") == "You are the driver of this car; nobody has told me your name."


def test_what_was_forgotten_is_neither_shown_nor_said_again(talk: Talk) -> None:
    cleared: list[str] = []
    talk.seat.observe(lambda forgotten: cleared.append("feed") if forgotten else None)
    talk("my sister is unbearable today")
    talk("forget what i just said")
    assert cleared == ["feed"] and "sister" not in talk("what did i just say")
    tell(talk, "jazz")
    talk("forget that i like jazz")
    assert cleared == ["feed"], "not before a yes"
    talk("yes")
    assert cleared == ["feed"] * 2
