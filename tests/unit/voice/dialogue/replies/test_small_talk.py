"""Small talk in a dialogue: what the model is told, what of its reply is said, and when a sentence of ours stands."""

from __future__ import annotations

import asyncio
from functools import cache

import pytest

from models.catalog.shelf import BUILTIN
from models.commands.matcher import TemplateMatcher
from models.commands.templates import load_templates
from models.runtime.onnx_encoder import OnnxEncoder
from schemas.errors import GenerationError
from tests.dialogues import Rig, StubParser
from voice.dialogue.replies.responder import CHAT


class StubTalker:
    """A stub: writes what the test says, and keeps what it was told."""

    def __init__(self) -> None:
        self.writes: str | None = "I'm sorry to hear that."
        self.told: list[tuple[str, str]] = []

    def reply(self, text: str, told: str = "", *, within_s: float) -> str:
        assert 0.5 < within_s < 1.5
        self.told.append((text, told))
        if self.writes is None:
            raise GenerationError("too late")
        return self.writes


class TalkRig(Rig):
    """A dialogue that takes for small talk what the test does not explain, with the built-in encoder."""

    def __init__(self, matcher: TemplateMatcher, *, talks: bool = True) -> None:
        self.talker, parser = StubTalker(), StubParser(otherwise="chat()")
        parser.knows["nine clever monkeys painted the moon"] = "chat()", 0.3
        super().__init__(
            matcher,
            parser=parser,
            talker=self.talker if talks else None,
            encoder=built_in_encoder(),
        )

    def foresee(self, text: str) -> str | None:
        return asyncio.run(self.dialogue.foresee(self.dialogue.typed(text)))


@cache
def built_in_encoder() -> OnnxEncoder:
    return OnnxEncoder(BUILTIN / "encoder")


@pytest.fixture(scope="module")
def matcher() -> TemplateMatcher:
    return TemplateMatcher(load_templates())


@pytest.fixture
def rig(matcher: TemplateMatcher) -> TalkRig:
    return TalkRig(matcher)


def test_the_model_answers_small_talk(rig: TalkRig) -> None:
    assert rig.say("what a horrible day that was").text == "I'm sorry to hear that."
    assert rig.talker.told == [("what a horrible day that was", "")]


@pytest.mark.parametrize(
    "writes", [None, "", "I've turned the heating up.", "I see your face.", "Your wife is called Anna."]
)
def test_our_sentence_stands_where_the_model_fails_or_claims_something(rig: TalkRig, writes: str | None) -> None:
    rig.talker.writes = writes
    assert rig.say("what a horrible day that was").text == CHAT
    assert rig.vehicle.done == []


@pytest.mark.parametrize(
    ("text", "writes", "said"),
    [
        ("i sprained my ankle", "Well done!", CHAT),
        ("my cousin is emigrating to canada", "How nice. I hope that it is a good one.", CHAT),
        ("i was rude to you earlier", "I'm sorry. Please tell me what went wrong.", "I'm sorry."),
        ("we won the cup today", "Congratulations! Well done.", "Congratulations! Well done."),
    ],
)
def test_of_a_reply_is_said_what_fits(rig: TalkRig, text: str, writes: str, said: str) -> None:
    rig.talker.writes = writes
    assert rig.say(text).text == said


def test_what_is_hardly_small_talk_the_model_is_not_asked_about(rig: TalkRig) -> None:
    assert rig.say("nine clever monkeys painted the moon").text == CHAT
    assert rig.talker.told == []


def test_without_a_model_our_sentence_stands(matcher: TemplateMatcher) -> None:
    assert TalkRig(matcher, talks=False).say("what a horrible day that was").text == CHAT


@pytest.mark.parametrize("talks", [True, False])
@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("honestly I sometimes want to die", "call somebody who can help"),
        ("I think about hurting myself", "call somebody who can help"),
        ("I nearly fell asleep just now", "stop at the next safe place"),
        ("my eyelids are so heavy", "stop at the next safe place"),
        ("I've had a couple of pints but I'm fine", "don't drive after a drink"),
        ("is anybody else listening in on us", "stays in this car"),
        ("are my words sent to america", "stays in this car"),
    ],
)
def test_where_lives_hang_on_it_no_model_is_asked(matcher: TemplateMatcher, text: str, reply: str, talks: bool) -> None:
    rig = TalkRig(matcher, talks=talks)
    assert reply in rig.say(text).text
    assert rig.talker.told == []


def test_nothing_else_is_answered_by_the_model(rig: TalkRig) -> None:
    rig.parser.knows |= {
        "make it a bit warmer if you can": ("change_temperature(change=up)", 0.95),
        "order me a pizza would you": ("cannot(topic=ordering)", 0.95),
        "you are a good one thanks a lot": ("praise()", 0.95),
        "i am so tired and so cold": ("chat(); change_temperature(change=up)", 0.95),
    }
    for text in rig.parser.knows:
        assert rig.say(text).text
    assert rig.talker.told == []


def test_it_is_told_what_was_done_and_said_last(rig: TalkRig) -> None:
    done = rig.say("open the sunroof").text
    rig.talker.writes = f"Yes: {done.lower()}"
    assert rig.say("goodness was that you").text == f"Yes: {done.lower()}"
    assert rig.talker.told[-1][1] == f"did {done}; said open the sunroof"


def test_it_is_told_what_memory_recalls_and_how_long_replies_are_to_be(rig: TalkRig) -> None:
    rig.memory.remember("I love jazz", "favorite_genres")
    rig.memory.edit_profile("reply_length", "brief", aspect="style")
    rig.talker.writes = "You like jazz."
    assert rig.say("guess what music i love jazz or what").text == "You like jazz."
    assert rig.talker.told[-1][1].startswith("brief; knows you like jazz")
    rig.talker.writes = "I don't know that yet. You can tell me."
    assert rig.say("so guess what music i love jazz or what").text == CHAT


def test_nothing_is_told_in_a_private_trip_nor_of_what_is_switched_off(rig: TalkRig) -> None:
    rig.memory.remember("I love jazz", "favorite_genres")
    rig.memory.opt_out("favorite_genres")
    rig.say("guess what music i love jazz or what")
    assert "jazz" not in rig.talker.told[-1][1]
    rig.memory.opt_in("favorite_genres")
    rig.memory.set_private_trip(True)
    rig.say("open the sunroof")
    rig.say("guess what music i love jazz or what")
    assert rig.talker.told[-1][1] == ""


def test_a_reply_is_foreseen_and_not_written_twice(rig: TalkRig) -> None:
    assert rig.foresee("what a horrible day that was") == "I'm sorry to hear that."
    assert rig.say("what a horrible day that was").text == "I'm sorry to hear that."
    assert len(rig.talker.told) == 1


def test_what_this_car_does_not_have_is_not_offered(rig: TalkRig, monkeypatch: pytest.MonkeyPatch) -> None:
    rig.talker.writes = "That is no fun. Ask me for a podcast, if you like."
    assert rig.say("i'm bored out of my mind").text == rig.talker.writes
    left = rig.vehicle.offers() - {"play_podcast"}
    monkeypatch.setattr(rig.vehicle, "offers", lambda: left)
    assert rig.say("i'm so bored out of my mind").text == "That is no fun."


def test_a_reply_teaches_memory_nothing(rig: TalkRig) -> None:
    rig.talker.writes = "You like jazz."
    rig.say("guess what music i love")
    rig.memory.learn_pending()
    assert rig.memory.preferences() == ()


def test_what_was_just_done_is_not_denied(rig: TalkRig) -> None:
    rig.talker.writes = "I don't know that, sorry."
    rig.say("open the sunroof")
    assert rig.say("who turned this on").text == CHAT
