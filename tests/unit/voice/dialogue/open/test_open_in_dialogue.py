"""What is open, through the whole dialogue: one question at a time, and nothing without the answer that belongs to it."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.commands.matcher import TemplateMatcher
from schemas.actions import Action
from schemas.events import ActionResult, ActionStatus, Ruling, Transcript, Verdict
from tests.dialogues import FakeMatcher, FakeVehicle, Rig
from tests.memories import memory_of
from voice.dialogue.open.table import OPEN_FOR, Open
from voice.dialogue.open.things import Confirmation
from voice.dialogue.replies import responder

WINDOW = "my window all the way", "set_window(window=driver,percent=100)"
ASKED = "We are fast. Shall I open your window?"
UNSURE = "put a bit of warmth under me", "set_seat_heating(level=2)", 0.3
TIMER = "time the pasta for me", "set_timer(label=pasta)"
NONSENSE = "flurb the garnet"


@pytest.fixture
def rig() -> Rig:
    return Rig(FakeMatcher())


@pytest.fixture(scope="module")
def templates() -> TemplateMatcher:
    return TemplateMatcher()


def test_two_questions_never_stand_in_one_reply_and_none_is_lost(rig: Rig) -> None:
    reply = rig.say("window down and time the pasta", f"{WINDOW[1]}; set_timer(label=pasta)")
    assert reply.text == ASKED
    assert rig.say("yes").text == "Opening your window. For how long?"
    rig.say("ten minutes then", "set_timer(minutes=10)")
    assert rig.done[-1] == "set_timer(minutes=10, label=pasta)"


def test_after_a_no_the_second_question_is_asked(rig: Rig) -> None:
    rig.say("window down and time the pasta", f"{WINDOW[1]}; set_timer(label=pasta)")
    assert rig.say("no").text == f"{responder.CANCELLED} {responder.FOR_HOW_LONG}"
    assert rig.vehicle.waiting == {} and rig.done == []


def test_memory_and_the_gate_ask_one_after_the_other(rig: Rig) -> None:
    rig.say("remember that i love jazz")
    rig.say("remember that i love italian food")
    rig.parser.knows["my window down"] = WINDOW[1], 0.95
    reply = rig.say("wipe what you know of me and my window down", f"forget_all(); {WINDOW[1]}")
    assert reply.text == ASKED
    assert rig.say("no").text.endswith("Shall I forget it all?")
    assert rig.say("yes").text.startswith("Once more, to be sure")
    rig.say("yes")
    assert rig.memory.preferences() == () and rig.done == []


def test_a_yes_to_a_question_for_something_missing_asks_for_it_again(rig: Rig) -> None:
    assert rig.say(*TIMER).text == responder.FOR_HOW_LONG
    assert rig.say("yes").text == responder.FOR_HOW_LONG


def test_a_few_words_complete_what_was_asked_for_though_nothing_in_them_names_it(rig: Rig) -> None:
    assert rig.say("get somebody on the line for me", "call_contact()").text == "Whom shall I call?"
    rig.say("my sister", "call_contact(person=sister)", 0.3)
    assert rig.done == ["call_contact(person=sister)"]


@pytest.mark.parametrize(("said", "sure"), [("yeah go on then", 0.4), ("mm why ever not", 0.9)])
def test_a_yes_in_odd_words_gets_a_calm_answer_where_nothing_is_open(rig: Rig, said: str, sure: float) -> None:
    assert rig.say(said, "yes()", sure).text == responder.NOTHING_PENDING
    assert rig.done == []


@pytest.mark.parametrize(("sure", "called"), [(0.71, False), (0.9, True)])
def test_other_words_than_a_yes_are_one_only_where_that_is_sure(rig: Rig, sure: float, called: bool) -> None:
    assert rig.say("get my sister on the line for me", "call_contact(person=sister)", 0.6).text.startswith("Shall I")
    rig.say("do you never get fed up listening to me", "yes()", sure)
    assert (rig.done != []) is called


def test_never_mind_after_acting_offers_to_undo_and_only_then(rig: Rig) -> None:
    assert rig.say("oh never mind", "cancel()").text == responder.OKAY
    rig.say("bring the fan to three then", "set_fan_speed(level=3)")
    assert rig.say("oh never mind", "cancel()").text == "Shall I undo that?"
    assert rig.say("what for", "why()").text == f"{responder.TO_UNDO} Shall I undo that?"
    rig.say("yes")
    assert rig.done[-1] == "undo()"
    assert rig.say("oh never mind", "cancel()").text == responder.OKAY, "it is undone"


def test_never_mind_beside_a_request_turns_down_what_is_asked_and_leaves_what_was_done(rig: Rig) -> None:
    rig.say("bring the fan to three then", "set_fan_speed(level=3)")
    rig.say("get my sister on the line for me", "call_contact(person=sister)", 0.6)
    rig.say("ah never mind she is busy my seat on two", "cancel(); set_seat_heating(level=2)")
    assert rig.done == ["set_fan_speed(level=3)", "set_seat_heating(level=2, zone=driver)"]


def test_what_is_asked_about_is_put_back_before_what_was_done(rig: Rig) -> None:
    rig.say("off home with us", "navigate_to(destination=home)")
    assert rig.say("a gap at my window", "set_window(percent=20)").text.endswith("?")
    assert rig.say("ah no put that back the way it was", "undo()").text == responder.CANCELLED
    assert rig.done == ["navigate_to(destination=home)"]
    assert rig.say("and the warmth", "set_temperature()").text == "To how many degrees?"
    assert rig.say("no leave it as it was before", "undo()").text == responder.CANCELLED
    assert rig.done == ["navigate_to(destination=home)"]


def test_after_a_refusal_what_was_done_before_is_put_back_only_for_a_yes(rig: Rig) -> None:
    rig.say("pop the trunk for me", "set_trunk(open=true)")
    assert rig.say("leave it like it was", "undo()").text == responder.CHANGED_NOTHING
    rig.say("bring the fan to three then", "set_fan_speed(level=3)")
    rig.say("pop the trunk for me", "set_trunk(open=true)")
    asked = f"{responder.CHANGED_NOTHING} Shall I put the fan back as it was?"
    assert rig.say("leave it like it was", "undo()").text == asked
    assert rig.done == ["set_fan_speed(level=3)"]
    rig.say("yes")
    assert rig.done[-1] == "undo()"


def test_why_not_after_a_refusal_gives_the_reason(rig: Rig) -> None:
    rig.say("pop the trunk for me", "set_trunk(open=true)")
    assert rig.say("why not", "why()").text == "Because I can only open the trunk when parked."
    rig.say("drop my wife a line", "cannot(topic=messages)")
    assert rig.say("why not", "why()").text == responder.why_not("messages")
    assert responder.why_not("driving") != responder.why_not("messages") != responder.why_not("rules")
    rig.say("bring the fan to three then", "set_fan_speed(level=3)")
    assert rig.say("why not", "why()").text == "Because you said: bring the fan to three then."


def test_why_of_a_question_gives_the_reason_and_asks_again(rig: Rig) -> None:
    rig.say(*WINDOW)
    assert rig.say("how so", "why()").text == "Because we are fast. Shall I open your window?"
    rig.say("no")
    rig.say(*UNSURE)
    assert rig.say("how so", "why()").text.startswith(responder.NOT_SURE)
    rig.say("yes")
    assert rig.done == ["set_seat_heating(level=2, zone=driver)"]


def test_a_guess_is_no_answer_and_no_new_wish_while_something_is_open(rig: Rig) -> None:
    rig.say(*WINDOW)
    assert (
        rig.say("mumble jumble", "set_shuffle(on=true)", 0.3).text
        == f"{responder.NOT_UNDERSTOOD} Shall I open your window?"
    )
    assert rig.say("mumble jumble", "set_shuffle(on=true)", 0.3).text == responder.DROPPED
    assert rig.vehicle.waiting == {} and rig.done == []


def test_talk_of_others_leaves_the_question_open_in_silence(rig: Rig) -> None:
    rig.say(*WINDOW)
    assert rig.say("nice weather isn't it", "chat()", addressed=False).text == ""
    rig.say("yes", addressed=False)
    assert rig.done == ["set_window(window=driver, percent=100)"]


def test_a_correction_of_what_waits_takes_nothing_back(rig: Rig) -> None:
    rig.say("bring the fan to three then", "set_fan_speed(level=3)")
    rig.say(*WINDOW)
    rig.say("no the back one", "set_window(window=rear,percent=100)")
    rig.say("yes")
    assert rig.done == ["set_fan_speed(level=3)", "set_window(window=rear, percent=100)"]


def test_what_is_said_of_an_offer_is_offered_again(templates: TemplateMatcher) -> None:
    rig = Rig(templates)
    rig.say(*UNSURE)
    assert rig.say("both sides").text == "Shall I set the seat heating to medium on both sides?"
    assert rig.done == []
    rig.say("yes")
    assert rig.done == ["set_seat_heating(level=2, zone=all)"]


def test_the_other_one_too_and_both_sides_go_on_from_what_was_done(templates: TemplateMatcher) -> None:
    rig = Rig(templates)
    rig.say("heat my seat")
    rig.say("the other one too")
    rig.say("both sides")
    assert [action.slots().get("zone") for action in rig.vehicle.done] == ["driver", "passenger", "all"]


def test_a_question_that_is_over_is_not_repeated(rig: Rig) -> None:
    rig.say("fan and window", f"set_fan_speed(level=3); {WINDOW[1]}")
    assert rig.say("say that again").text == f"Fan at 3. {ASKED}"
    rig.dialogue.drop_pending()
    assert rig.say("say that again").text == "Fan at 3. We are fast."


class Phone(FakeVehicle):
    """Knows two people of one name."""

    async def act(self, action: Action) -> ActionResult:
        if action.slots().get("person") != "anna":
            return await super().act(action)
        ruling = Ruling(
            verdict=Verdict.DENY, rule="not_possible", reason="Which one do you mean: Anna Berg or Anna Stone?"
        )
        told = {"contacts": ["Anna Berg", "Anna Stone"]}
        return ActionResult(action=action, status=ActionStatus.DENIED, ruling=ruling, answer=told)


@pytest.mark.parametrize(
    ("answer", "called"),
    [
        ("stone", "Anna Stone"),
        ("Anna Berg please", "Anna Berg"),
        ("the second one", "Anna Stone"),
        ("the other", "Anna Stone"),
    ],
)
def test_which_of_two_is_answered_with_a_name_or_a_place(answer: str, called: str) -> None:
    rig = Rig(FakeMatcher(), vehicle=Phone())
    assert rig.say("ring anna", "call_contact(person=anna)").text == "Which one do you mean: Anna Berg or Anna Stone?"
    assert rig.say("yes").text == "Which one do you mean: Anna Berg or Anna Stone?"
    rig.say(answer)
    assert rig.done == [f"call_contact(person={called})"]


@pytest.mark.parametrize("end", ["wake word", "end", "driver", "time", "another wish"])
def test_every_question_ends(rig: Rig, end: str) -> None:
    for text, acts, sure in ((*WINDOW, 0.95), UNSURE, (*TIMER, 0.95)):
        rig.say(text, acts, sure)
        _end(rig, end)
        before = list(rig.done)
        assert rig.say("yes").text == responder.NOTHING_PENDING
        assert rig.done == before and rig.vehicle.waiting == {}


def _end(rig: Rig, end: str) -> None:
    if end == "wake word":
        rig.dialogue.drop_pending()
    elif end == "end":
        rig.dialogue.end_conversation()
    elif end == "driver":
        rig.dialogue.seat.take(memory_of("bob", clock=lambda: rig.now))
    elif end == "time":
        rig.now += OPEN_FOR + timedelta(seconds=1)
    else:
        rig.say("bring the fan to three then", "set_fan_speed(level=3)")


def test_a_private_trip_keeps_nothing_of_a_dialogue(rig: Rig) -> None:
    rig.memory.set_private_trip(True)
    rig.say(*WINDOW)
    rig.say("yes")
    rig.say("jazz is what i love most", "tell()")
    for part in ("done", "said"):
        asked = rig.say(f"what was {part} last", f"get_last(part={part})")
        assert asked.text in ("Nothing that I know of.", "I don't know what you said last.")
    rig.memory.set_private_trip(False)
    assert rig.memory.learn_pending() == () and rig.memory.preferences() == ()
    assert rig.memory.export()["preferences"] == []


SENTENCES = {
    "window": (WINDOW[1], 0.95), "fan": ("set_fan_speed(level=3)", 0.95), "unsure": (UNSURE[1], 0.55), "guess": (UNSURE[1], 0.3),
    "timer": ("set_timer(label=pasta)", 0.95), "ten": ("set_timer(minutes=10)", 0.95), "both": (f"{WINDOW[1]}; set_timer()", 0.95),
    "more": ("yes(); change_volume(change=up)", 0.95), "off": ("cancel()", 0.95), "how so": ("why()", 0.95),
    "chat": ("chat()", 0.95), "message": ("cannot(topic=messages)", 0.95),
}  # fmt: skip
"""What is said -> its acts, and how sure they are."""
WORDS = [*SENTENCES, "yes", "no", "stop", "help", "say that again", "what do you remember", "forget that", NONSENSE,
         "<wake word>", "<end>", "<driver>", "<time>"]  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(WORDS), st.booleans()), max_size=14))
def test_whatever_is_said_nothing_is_done_without_its_yes_and_one_question_is_open(
    said: list[tuple[str, bool]],
) -> None:
    rig = Rig(FakeMatcher())
    rig.say("remember that i love jazz")
    rig.say("remember that i love italian food")
    late = False
    for text, addressed in said:
        open_, done = rig.dialogue.open, len(rig.done)
        if text.startswith("<"):
            _end(rig, text.strip("<>"))
            assert len(rig.done) == done
            late = text == "<time>"
            if not late:
                assert rig.dialogue.open is None and rig.vehicle.waiting == {}
            continue
        acts, sure = SENTENCES.get(text, ("", 0.95))
        reply = rig.say(text, acts, sure, addressed=addressed)
        agreed = open_.actions if isinstance(open_, Confirmation) and text in ("yes", "more") and not late else ()
        for action in rig.vehicle.done[done:]:
            guarded = action.name in ("set_window", "set_seat_heating", "undo")
            assert not guarded or action in agreed, f"{action.describe()} without its yes"
        now, late = rig.dialogue.open, False
        assert reply.text.count("?") <= 1
        assert "?" not in reply.text or (now is not None and reply.text.endswith(now.question))
        assert rig.vehicle.waiting == {} or now is not None
        if now is not None and now is not open_:
            assert reply.text.endswith(now.question), "what is newly open was asked aloud"
        if now is None or now.kind is Open.MISSING:
            assert reply.pending is None


def test_what_is_foreseen_of_an_answer_is_what_is_said(rig: Rig) -> None:
    rig.say(*WINDOW)
    heard = Transcript(text="yes", confidence=1.0, in_grammar=True)
    foreseen = asyncio.run(rig.dialogue.foresee(heard))
    assert rig.done == [] and rig.say("yes").text == foreseen
