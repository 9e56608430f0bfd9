"""Acts that are about memory: what is told, kept, forgotten or switched off, and what of an order is learnt."""

from __future__ import annotations

from datetime import datetime, timedelta
from unittest.mock import Mock

import pytest

from models.commands.matcher import TemplateMatcher
from models.runtime.fake_encoder import KeywordEncoder
from schemas.actions import Action
from schemas.actions.acts import Act
from schemas.events import ActionResult, ActionStatus, Command, CommandKind, Route, Ruling, Verdict
from schemas.kinds import Wish
from schemas.memory import ENDLESS, Decision, Turn
from tests.dialogues import NOW, FakeVehicle, Rig
from voice.dialogue.acts.planning import teaches
from voice.dialogue.coordinator import Plan
from voice.dialogue.forgetting.forgetting import NOTHING_LIKE_IT
from voice.dialogue.replies import responder
from voice.dialogue.replies.responder import REMEMBER_WHAT


def asked_to_keep(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What memory will have been asked to keep, none of which it keeps."""
    asked: list[str] = []

    def remember(said: str) -> tuple[Decision, ...]:
        asked.append(said)
        return ()

    monkeypatch.setattr(rig.memory, "remember", remember)
    return asked


def test_noted_is_said_only_of_what_is_stored(rig: Rig) -> None:
    reply = rig.say("i have a soft spot for jazz by the way", "tell()")
    stored = rig.memory.preferences()
    assert [held.value for held in stored] == ["jazz"]
    assert bool(stored) == ("remember" in reply.text and "don't" not in reply.text)
    assert rig.say("that is how i see it anyway", "tell()").text.startswith("I see, but I don't keep")
    assert rig.memory.preferences() == stored


def test_asked_not_to_do_something_nothing_is_done_or_stored(rig: Rig) -> None:
    assert rig.say("you had better leave the windows alone", "refrain()").text == "Okay, I won't."
    assert rig.done == [] and rig.memory.preferences() == ()


def test_what_the_car_cannot_know_the_driver_may_have_told(rig: Rig) -> None:
    assert "level three" not in rig.say("where did i park", "recall(about=park)").text
    rig.memory.learner.keeping.remember("i parked on level three")
    asked = "on which level have i parked"
    assert rig.say(asked, "recall(about=level)").text.startswith("You parked on level three. You told me today")
    assert rig.say(asked, "cannot(topic=knowledge)").text.startswith("You parked on level three. You told me today")
    assert "level three" not in rig.say("park the kettle on level three", "cannot(topic=smart_home)").text
    refused = rig.say("how high is the tallest mountain", "cannot(topic=knowledge)").text
    assert refused and "level three" not in refused


class WithoutCalendar(FakeVehicle):
    """Has no calendar."""

    async def act(self, action: Action) -> ActionResult:
        if action.name != "get_calendar":
            return await super().act(action)
        ruling = Ruling(verdict=Verdict.DENY, rule="lacking", reason="I have no calendar.")
        return ActionResult(action=action, status=ActionStatus.DENIED, ruling=ruling)


def test_memory_answers_before_the_car_says_that_it_cannot(matcher: TemplateMatcher) -> None:
    rig = Rig(matcher, WithoutCalendar())
    asked = "on which days are my shifts"
    assert rig.say(asked, "get_calendar()").text == "I have no calendar."
    rig.memory.learner.keeping.remember("my shifts are the days from thursday to saturday")
    assert "thursday to saturday" in rig.say(asked, "get_calendar()").text


def test_a_question_that_was_taken_for_telling_is_answered_unless_it_tells(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.memory.learner.keeping.remember("my shifts are the days from thursday to saturday")
    assert "thursday to saturday" in rig.say("are my shifts still on the same days", "tell()").text
    monkeypatch.setattr(rig.memory, "tells", Mock(return_value=True))
    assert "thursday to saturday" not in rig.say("are my shifts still on the same days", "tell()").text


class Asked(KeywordEncoder):
    """Hears a wish to have something kept in every text."""

    def wishes(self, text: str) -> dict[Wish, float]:  # type: ignore[override]  # the fake one cannot tell
        return {wish: float(wish is Wish.KEEP) for wish in Wish}


@pytest.mark.parametrize(("what", "kept"), [("call the bank", True), ("the dock", False)])
def test_what_is_to_be_kept_is_no_reminder_of_what_was_said_before(
    matcher: TemplateMatcher, monkeypatch: pytest.MonkeyPatch, what: str, kept: bool
) -> None:
    rig = Rig(matcher, encoder=Asked())
    monkeypatch.setattr(rig.memory, "keeps", Mock(return_value=True))
    asked = asked_to_keep(rig, monkeypatch)
    rig.vehicle.answers["set_reminder"] = {"what": what, "label": what, "seconds": 1800, "at": "17:35"}
    said = rig.say("mind that the dock shuts in half an hour", f"set_reminder(what={what},minutes=30)")
    assert ("remind you" in said.text) != kept
    assert bool(asked) == kept


def test_talk_about_memory_has_one_entrance(rig: Rig) -> None:
    assert rig.say("so what have you got on me", "recall()").text == "I remember nothing about you yet."
    assert rig.say("keep no more track of the music i like", "opt_out(about=music)").text.startswith(
        "Okay, from now on"
    )
    assert rig.say("stop tracking my thing", "opt_out(about=thing)").text.startswith("Which topic")
    assert rig.say("my mate takes the wheel now", "guest_mode(on=true)").route is Route.MEMORY


def test_only_what_is_told_teaches(rig: Rig) -> None:
    rig.say("twenty two for me i like that", "set_temperature(celsius=22,zone=driver)")
    assert rig.memory.learn_pending() == ()
    rig.say("jazz is what i love most", "tell()")
    assert rig.memory.learn_pending() == ()  # it was learnt from at once


@pytest.mark.parametrize(
    ("name", "slots", "taught"),
    [
        ("call_number", {"digits": "911"}, False),
        ("change_temperature", {"change": "up", "by": 2}, False),
        ("play_radio", {"station": "jazz fm"}, True),
    ],
)
def test_a_complete_command_teaches_only_by_what_it_chooses(name: str, slots: dict[str, object], taught: bool) -> None:
    command = Command(kind=CommandKind.ACTION, name=name, slots=slots)
    assert teaches(Plan(Route.FAST, "complete command", command), "these words") is taught


@pytest.mark.parametrize(("text", "taught"), [
    ("i want a roof over the car if i'm parking it in the rain", True), ("maybe i like jazz", False),
])  # fmt: skip
def test_an_if_is_no_hedge(text: str, taught: bool) -> None:
    assert teaches(Plan(Route.MODEL, "told", acts=(Act("tell", {}),), asks=1.0), text) is taught


class Marking:
    """A memory that takes every sentence for one that tells of a liking and asks to have it kept, as the marks of words may."""

    def __init__(self, rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
        self.taught = list[str]()
        note = rig.memory.note

        def noted(turn: Turn, conversation: str, *, teaches: bool = True) -> None:
            if teaches and turn.speaker == "driver":
                self.taught.append(turn.text)
            note(turn, conversation, teaches=teaches)

        monkeypatch.setattr(rig.memory, "note", noted)
        monkeypatch.setattr(rig.memory, "tells", Mock(return_value=True))
        monkeypatch.setattr(rig.memory, "keeps", Mock(return_value=True))


def test_an_order_teaches_only_what_the_parser_takes_for_a_telling(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    marking = Marking(rig, monkeypatch)
    rig.say("twenty two for me and the fan on three", "set_temperature(celsius=22,zone=driver); set_fan_speed(level=3)")
    assert marking.taught == [] and len(rig.done) == 2
    rig.say("i'm mad about jazz so put some on", "tell(); play_music(genre=jazz)")
    assert marking.taught == ["i'm mad about jazz so put some on"]


@pytest.mark.parametrize(
    ("text", "acts", "done"),
    [
        (
            "the uh the thing my seat put it on two",
            "set_seat_heating(level=2)",
            ["set_seat_heating(level=2, zone=driver)"],
        ),
        (
            "keep in mind the bins go out on monday and the fan on three",
            "remember(what=the bins go out on monday); set_fan_speed(level=3)",
            ["set_fan_speed(level=3)"],
        ),
        ("save my seat as number two", "cannot(topic=seat_save)", []),
    ],
)
def test_what_the_parser_reads_otherwise_is_not_kept_whole(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, text: str, acts: str, done: list[str]
) -> None:
    Marking(rig, monkeypatch)
    reply = rig.say(text, acts)
    assert rig.done == done and "keep that" not in reply.text
    assert text not in {fact.text for fact in rig.memory.facts()}


@pytest.mark.parametrize(
    "acts", ["forget(about=jazz)", "forget_all()", "opt_out(about=music)", "guest_mode(on=true)", "yes()"]
)
def test_nothing_is_erased_switched_or_agreed_to_on_a_guess(rig: Rig, acts: str) -> None:
    rig.say("remember that i love jazz")
    assert [held.value for held in rig.memory.preferences()] == ["jazz"]
    rig.say("my window all the way down", "set_window(window=driver,percent=100)")
    before = rig.memory.export()["consent"], len(rig.memory.preferences())
    asked = "Sorry, I didn't understand that. Shall I open your window?"
    assert rig.say("set it to the way it was for me", acts, 0.4).text == asked
    assert (rig.memory.export()["consent"], len(rig.memory.preferences())) == before and rig.done == []


@pytest.mark.parametrize(
    "text",
    [
        "i would never ever set it to twenty eight i hate that",
        "maybe i like jazz i am not sure",
        "i hate dim lights in here",
    ],
)
def test_what_is_turned_down_or_doubted_is_no_liking(rig: Rig, text: str) -> None:
    rig.say(text, "tell()")
    assert not {"28 degrees", "jazz", "low"} & {held.value for held in rig.memory.preferences()}


def test_what_was_stored_last_is_told(rig: Rig) -> None:
    rig.say("remember that i love jazz")
    assert "jazz" in rig.say("so what did you just save", "get_last(part=done)").text


@pytest.mark.parametrize(
    "text", ["i'd be glad if nothing i say were noted", "don't take down what we talk about today"]
)
def test_what_is_still_to_be_said_is_not_learnt_instead_of_erasing_what_was(rig: Rig, text: str) -> None:
    rig.say(text, "forget_period(period=today)")
    assert rig.memory.consent().paused_until is not None


@pytest.mark.parametrize(
    ("text", "acts", "sure", "answer"),
    [
        ("bin the directions i know where i am", "cancel_navigation()", 0.9, "Shall I end the navigation?"),
        (
            "bin the directions i know where i am",
            "cancel_navigation()",
            0.4,
            NOTHING_LIKE_IT,
        ),
        (
            "forget that i like it at twenty two",
            "set_temperature(celsius=22)",
            0.9,
            NOTHING_LIKE_IT,
        ),
    ],
)
def test_words_of_erasing_that_name_nothing_remembered_may_ask_for_something_else(
    rig: Rig, text: str, acts: str, sure: float, answer: str
) -> None:
    assert rig.say(text, acts, sure).text.startswith(answer) and rig.done == []


@pytest.mark.parametrize(
    ("text", "acts"),
    [("keep that", "none()"), ("yes do keep it", "none()"), ("it may stand in your little book", "remember()")],
)
def test_what_was_told_and_not_kept_is_kept_once_that_is_asked_for(
    rig: Rig, text: str, acts: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = asked_to_keep(rig, monkeypatch)
    assert rig.say("that is how i see it anyway", "tell()").text.startswith("I see, but I don't keep")
    rig.say(text, acts)
    assert asked == ["remember that that is how i see it anyway"]


def test_there_must_be_something_to_keep(rig: Rig) -> None:
    assert rig.say("remember that", "remember()").text == REMEMBER_WHAT
    rig.say("set the volume to thirty", "set_volume(percent=30)")
    assert rig.say("do keep that", "remember()").text == REMEMBER_WHAT and rig.memory.facts() == ()


def test_an_order_beside_a_wish_that_names_nothing_remembered_is_carried_out(rig: Rig) -> None:
    reply = rig.say("forget polka and set the volume to thirty", "set_volume(percent=30)").text
    assert "nothing about polka" in reply and len(rig.done) == 1


def test_a_trip_of_which_nothing_is_to_be_kept_is_private_and_no_wish_to_erase(rig: Rig) -> None:
    rig.say("don't keep anything i say this trip yeah", "private_trip(on=true)")
    assert rig.memory.consent().private_trip


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("stop remembering things about me", ENDLESS),
        ("i'd rather you kept nothing for the rest of the day", NOW.replace(day=3, hour=0, minute=0)),
        ("keep nothing of this for half an hour", NOW + timedelta(minutes=30)),
    ],
)
def test_a_pause_ends_when_the_words_say_so(rig: Rig, text: str, ends: datetime) -> None:
    rig.say(text, "pause_learning()")
    assert rig.memory.consent().paused_until == ends


@pytest.mark.parametrize(("share", "learnt"), [(0.2, True), (0.5, False)])
def test_what_may_have_been_something_else_teaches_nothing(rig: Rig, share: float, learnt: bool) -> None:
    rig.say("i love jazz", "tell()", confidence=0.9, others={"i have asked": share})
    assert [one.value for one in rig.memory.preferences()] == (["jazz"] if learnt else [])
    rig.dialogue.end_conversation()
    rig.memory.learn_pending()
    assert [one.value for one in rig.memory.preferences()] == (["jazz"] if learnt else [])


@pytest.mark.parametrize(("acts", "obeyed"), [("pause_learning()", True), ("resume_learning()", False)])
def test_what_lessens_what_is_kept_needs_less_to_be_obeyed(rig: Rig, acts: str, obeyed: bool) -> None:
    before = rig.memory.consent()
    rig.say("that learning thing you know what i want of it", acts, 0.5)
    assert (rig.memory.consent() != before) is obeyed


def test_what_is_asked_for_by_a_liking_tells_of_none(rig: Rig) -> None:
    assert rig.say("use my preferred jazz channel", "tell()").text == responder.NOTHING_TO_FOLLOW
    assert rig.memory.learn_pending() == () and rig.memory.preferences() == ()


def test_what_the_driver_does_at_a_time_is_kept_and_is_no_order_for_then(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = asked_to_keep(rig, monkeypatch)
    said = "please note every tuesday evening i drive to the choir"
    assert "at a set time" not in rig.say(said, "remember(); cannot(topic=schedule)").text and asked == [said]
    acts = "remember(what=the bins go out); cannot(topic=schedule)"
    assert (
        "at a set time" in rig.say("note that the bins go out and every morning at six turn the heating on", acts).text
    )


@pytest.mark.parametrize(
    ("promise", "told"),
    [
        ("Okay, I'll keep that: the key is under the mat.", "I kept this: the key is under the mat."),
        ("Okay, I'll keep that for a day: level three.", "I kept this for a day: level three."),
        ("Okay, I'll remember that you like jazz.", "I kept that you like jazz."),
        ("I keep that already: level three.", "I keep that already: level three."),
    ],
)
def test_what_memory_promised_is_told_as_done(promise: str, told: str) -> None:
    assert responder.as_done(promise) == told
    assert responder.last("done", {"done": responder.as_done(promise)}) == told
