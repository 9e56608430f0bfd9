"""Acts that go on from what was done, asked or found before: corrected, completed, taken back, told again."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from models.acts.spelling import read
from models.commands.matcher import TemplateMatcher
from schemas.actions import Action, SetMute, parse_action
from schemas.actions.acts import Act, Parsed
from schemas.events import ActionResult
from schemas.manners import METRIC, Units
from tests.dialogues import NOW, FakeVehicle, Rig, StubParser
from tests.memories import memory_of
from voice.dialogue import errands
from voice.dialogue.acts.resolving import another, placed, put_right, replacing, waiting_one
from voice.dialogue.acts.sentence import joined
from voice.dialogue.recent import FRESH, RecentActions
from voice.dialogue.replies import responder
from voice.dialogue.replies.responder import JOKES
from voice.dialogue.replies.units import asked_in


def test_the_parser_is_told_what_was_done_and_what_waits(rig: Rig) -> None:
    rig.say("bring the fan to three then", "set_fan_speed(level=3)")
    rig.say("nope bit less than that", "change_fan_speed(change=down)")
    assert rig.parser.contexts[-1] == "did set_fan_speed(level=3)"
    rig.say("give me air from outside through the glass", "set_window(window=driver,percent=100)")
    rig.say("only half of it though", "set_window(window=driver,percent=50)")
    assert rig.parser.contexts[-1] == "asked set_window(percent=100)"


def test_the_parser_is_told_what_memory_was_told_or_asked_last(rig: Rig) -> None:
    rig.say("bring the fan to three then", "set_fan_speed(level=3)")
    rig.say("is there anything you know of geoff", "recall(about=geoff)")
    rig.say("and for me", "recall(about=me)")
    assert rig.parser.contexts[-1] == "did recall(about=geoff)"
    rig.say("what music do i like")
    rig.say("and what about food")
    assert rig.parser.contexts[-1] == "did recall(about=music)"
    rig.say("bring the fan to four then", "set_fan_speed(level=4)")
    rig.say("nope bit less than that", "change_fan_speed(change=down)")
    assert rig.parser.contexts[-1] == "did set_fan_speed(level=4)"


def test_another_one_after_a_joke_is_a_joke(rig: Rig) -> None:
    rig.say("put something lively on", "play_music(genre=jazz)")
    told = rig.say("tell me a joke").text
    again = rig.say("another one", "joke()").text
    assert rig.parser.contexts[-1] == "did joke()"
    assert again != told and {told, again} <= set(responder.JOKES)


def test_what_was_refused_is_what_is_meant_and_what_was_done_is_called_off(rig: Rig) -> None:
    rig.say("bring the fan to three then", "set_fan_speed(level=3)")
    rig.say("lift the boot lid for me", "set_trunk(open=true)")
    assert "parked" in rig.say("go on just a bit", "set_trunk(open=true)").text
    assert rig.parser.contexts[-1] == "did set_trunk(open=true)"
    assert rig.say("no wait shut it instead", "set_trunk(open=false)").text.startswith("I can only")
    assert rig.done == ["set_fan_speed(level=3)"]
    assert rig.say("cancel that").text == "Shall I undo that?"


def test_what_was_so_already_is_not_called_off(matcher: TemplateMatcher) -> None:
    class Still(FakeVehicle):
        def carried_out(self, action: Action) -> ActionResult:
            result = super().carried_out(action)
            return result.model_copy(update={"already": isinstance(action, SetMute)})

    rig = Rig(matcher, Still())
    rig.say("hush for a while", "set_mute(on=true)")
    assert rig.say("cancel that").text == "There is nothing to call off."
    rig.say("bring the fan to three then", "set_fan_speed(level=3)")
    rig.say("hush for a while", "set_mute(on=true)")
    assert rig.say("cancel that").text == "Shall I undo that?"


def test_the_second_of_one_place_is_none(rig: Rig) -> None:
    rig.say("find me a taco somewhere", "find_place(kind=fast_food,quality=taco)")
    assert rig.say("the next best of those", "choose(number=2)").text == responder.NAMED_ONE
    rig.say("bring the fan to three then", "set_fan_speed(level=3)")
    assert rig.say("the next best of those", "choose(number=2)").text == responder.NOTHING_TO_FOLLOW


class _Leaning(StubParser):
    """A stub: "forward a touch" is the music's, but after the backrest was moved it is not."""

    def parse(self, text: str, context: str = "") -> Parsed:
        moved = "recline_seat" in context
        if text == "forward a touch":
            return Parsed(read("recline_seat(direction=forward)" if moved else "seek(change=forward)"), 0.95)
        return super().parse(text, context)


def test_a_part_that_means_something_else_after_what_was_done_is_not_lost(matcher: TemplateMatcher) -> None:
    forward = "recline_seat(direction=forward)"
    rig = Rig(matcher, parser=_Leaning({"too far": forward, "too far forward a touch": forward}))
    rig.say("lean me back", "recline_seat(direction=back)")
    rig.say("too far, forward a touch")
    assert rig.done == ["recline_seat(direction=back)", "recline_seat(direction=forward)"]


def test_the_same_parse_with_another_driver_finds_no_context(rig: Rig) -> None:
    rig.say("bring the fan to three then", "set_fan_speed(level=3)")
    rig.dialogue.seat.take(memory_of("bob", clock=lambda: NOW))
    rig.say("a touch less of it", "change_fan_speed(change=down)")
    assert rig.parser.contexts[-1] == ""


def test_what_was_done_last_is_told_in_any_words(rig: Rig) -> None:
    rig.say("bring the fan to three then", "set_fan_speed(level=3)")
    assert "Fan" in rig.say("tell me again what you just went and did", "get_last(part=done)").text


def test_what_was_asked_for_completes_what_was_begun(rig: Rig) -> None:
    rig.say("mail somebody that i am late", "send_email(message=i am late)")
    rig.say("to my sister then", "send_email(person=sister)")
    assert rig.done == ["send_email(person=sister, message=i am late)"]


@pytest.mark.parametrize(("text", "acts"), [("cancel that", ""), ("oh drop that again would you", "cancel()")])
def test_what_was_done_is_taken_back_when_it_is_called_off(rig: Rig, text: str, acts: str) -> None:
    assert rig.say(text, acts).text in (
        "Okay.",
        "There is nothing to call off.",
        "There is no open question. Please say what you want.",
    )
    rig.say("bring the fan to three then", "set_fan_speed(level=3)")
    assert rig.say(text, acts).text == "Shall I undo that?"
    rig.say("yes")
    assert rig.done[-1] == "undo()"


def test_what_is_called_off_and_wished_for_instead_is_not_asked_about(rig: Rig) -> None:
    rig.say("bring the fan to three then", "set_fan_speed(level=3)")
    assert "Shall I" not in rig.say("forget it and mute the sound", "cancel(); set_mute(on=true)").text
    assert rig.done[-1] == "set_mute(on=True)"


def test_a_timer_in_the_place_of_the_last_one_leaves_one(rig: Rig) -> None:
    rig.say("set a timer for fifteen minutes")
    rig.say("actually make it twenty minutes instead would you", "set_timer(minutes=20)")
    assert rig.done == ["set_timer(minutes=15)", "undo()", "set_timer(minutes=20)"]


def test_a_reminder_of_the_same_thing_at_another_time_takes_its_place() -> None:
    first = parse_action("set_reminder", {"what": "cake", "hour": 4})
    recent = RecentActions((first,), at=NOW, done=first, done_at=NOW)
    later = parse_action("set_reminder", {"what": "cake", "hour": 4, "minute": 30})
    assert [one.name for one in replacing(later, "not four half past", recent, NOW)] == ["undo", "set_reminder"]
    assert replacing(later, "once more at half past four again", recent, NOW) == (later,)
    other = parse_action("set_reminder", {"what": "bread", "hour": 5})
    assert replacing(other, "at five the bread", recent, NOW) == (other,)


def test_a_reminder_that_is_called_by_its_thing_is_the_one_that_is_moved() -> None:
    cake = parse_action("set_reminder", {"what": "collect the cake", "hour": 3})
    dentist = parse_action("set_reminder", {"what": "ring the dentist", "minutes": 20})
    recent = RecentActions((cake, dentist), at=NOW, done=dentist, done_at=NOW)
    meant = parse_action("set_reminder", {"what": "ring the dentist", "hour": 3, "minute": 30})
    gone, again = replacing(meant, "make the cake one half past", recent, NOW)
    assert gone.slots() == {"kind": "reminder", "label": "collect the cake"}
    assert again.slots() == {"what": "collect the cake", "hour": 3, "minute": 30}
    last = [one.name for one in replacing(meant, "make the dentist one half past three", recent, NOW)]
    assert last == ["undo", "set_reminder"]
    assert replacing(meant, "and half past three for the cake", recent, NOW) == (meant,)


@pytest.mark.parametrize(("text", "what", "meant"), [
    ("wait no the essay is due at five", "ring gran", "the essay is due"),
    ("wait no make it five", "ring gran", None),
    ("no hang on ring gran at five", "ring gran", None),
    ("the essay is due at five", "ring gran", None),
    ("sorry five for both", "ring gran", None),
])  # fmt: skip
def test_a_correction_that_names_a_reminder_which_is_set_means_that_one(
    text: str, what: str, meant: str | None
) -> None:
    waiting = [{"label": "the essay is due"}, {"label": "ring gran"}]
    made = put_right(Act("set_reminder", {"what": what, "hour": 5}), text, waiting)
    assert (made.slots if made is not None else None) == (None if meant is None else {"what": meant, "hour": 5})


@pytest.mark.parametrize(
    "text", ["and time another twenty minutes for me", "twenty minutes on the clock for the pasta"]
)
def test_a_timer_beside_the_last_one_leaves_both(rig: Rig, text: str) -> None:
    rig.say("set a timer for fifteen minutes")
    rig.say(text, "set_timer(minutes=20)")
    assert rig.done == ["set_timer(minutes=15)", "set_timer(minutes=20)"]


@pytest.mark.parametrize(
    ("first", "text", "acts", "done"),
    [
        ("set_window(window=driver,percent=100)", "no i meant the back window", "set_window(window=rear,percent=100)",
         ["set_window(window=driver, percent=100)", "undo()", "set_window(window=rear_left, percent=100)"]),
        ("set_window(window=passenger,percent=100)", "wrong the back ones", "set_window(window=rear,percent=100)",
         ["set_window(window=passenger, percent=100)", "undo()", "set_window(window=rear, percent=100)"]),
        ("set_seat_heating(level=2)", "the passenger's i mean", "set_seat_heating(level=2,zone=passenger)",
         ["set_seat_heating(level=2, zone=driver)", "undo()", "set_seat_heating(level=2, zone=passenger)"]),
        ("set_seat_heating(level=2)", "hers too i mean", "set_seat_heating(level=2,zone=passenger)",
         ["set_seat_heating(level=2, zone=driver)", "set_seat_heating(level=2, zone=passenger)"]),
        ("set_window(window=driver,percent=100)", "no every one of them", "set_window(window=all,percent=100)",
         ["set_window(window=driver, percent=100)", "set_window(window=all, percent=100)"]),
        ("set_seat_heating(level=2)", "a high one for the lady", "set_seat_heating(level=3,zone=passenger)",
         ["set_seat_heating(level=2, zone=driver)", "set_seat_heating(level=3, zone=passenger)"]),
    ],
)  # fmt: skip
def test_what_was_done_elsewhere_is_taken_back_where_the_driver_corrects_it(
    rig: Rig, first: str, text: str, acts: str, done: list[str]
) -> None:
    for wish, meant in (("the way that i like it would you open and heat it", first), (text, acts)):
        if rig.say(wish, meant).pending:
            rig.say("yes")
    assert rig.done == done


def test_a_question_between_changes_nothing_of_what_was_done(rig: Rig) -> None:
    rig.say("set a timer for twenty minutes", "set_timer(minutes=20)")
    rig.say("how long's left on it", "get_timers(kind=timer)")
    rig.say("make it twenty five", "set_timer(minutes=25)")
    assert rig.done == ["set_timer(minutes=20)", "get_timers(kind=timer)", "undo()", "set_timer(minutes=25)"]
    rig.say("how long's left on it", "get_timers(kind=timer)")
    assert rig.say("cancel it").text == "Shall I undo that?"
    rig.now += FRESH + timedelta(seconds=1)
    rig.say("how long's left on it", "get_timers(kind=timer)")
    assert rig.say("cancel it").pending is None


def test_another_joke_is_another_one(rig: Rig) -> None:
    told = [rig.say("tell me a joke").text for _ in range(len(JOKES) + 1)]
    assert told == [*JOKES, JOKES[0]]


def test_what_was_done_is_told_after_talk_of_something_else(rig: Rig) -> None:
    rig.say("set the fan to three")
    rig.say("what do you know about me")
    rig.say("no")
    assert rig.say("what have you been up to", "get_last(part=done)").text.endswith("Fan at 3.")


def test_what_still_moves_is_stopped_whatever_was_said_since(rig: Rig) -> None:
    rig.vehicle.answers |= {"stop_moving": {"stopped": ["window.driver"]}, "get_openings": {"open": {}}}
    rig.say("wind mine down a crack would you", "change_window(window=driver,change=open)")
    rig.say("would you tell me if it's open", "get_openings(part=windows)")
    assert rig.say("stop").text == "Stopped." and rig.done[-1] == "stop_moving()"


@pytest.mark.parametrize("said", ["forget the coffee", "forget the coffee shop", "forget the cafe"])
def test_a_stop_is_forgotten_and_no_memory(rig: Rig, said: str) -> None:
    rig.say("a flat white along there wouldn't hurt", "find_on_route(kind=cafe)")
    rig.say(said)
    assert rig.done[-1] == "undo()"
    rig.say(said)
    assert rig.done[-1] == "undo()" and len(rig.done) == 2


def test_the_right_one_is_on_the_same_row_and_the_one_before_is_as_it_was(rig: Rig) -> None:
    rig.say("a crack on the one behind me if you would", "change_window(window=rear_left,change=open)")
    rig.say("oh sorry love, I meant the right one")
    assert rig.done[-2:] == ["undo()", "change_window(window=rear_right, change=open)"]
    rig.say("no, i meant the front one")
    assert rig.done[-2:] == ["undo()", "change_window(window=passenger, change=open)"]


def test_where_nothing_else_was_found_the_first_one_is_one_of_those_before(rig: Rig) -> None:
    found = {"kind": "restaurant", "places": [{"name": "Casa Fiorenza", "minutes": 8}]}
    rig.vehicle.answers["list_places"] = found
    rig.say("any decent italian round here", "list_places(kind=restaurant,quality=italian)")
    rig.vehicle.answers["list_places"] = {"kind": "restaurant", "places": []}
    reply = rig.say("a cheaper one then", "list_places(kind=restaurant,quality=cheaper)")
    assert reply.text == "I know of no cheap restaurant around here."
    rig.say("we'll have the first one you said", "choose(number=1)")
    assert rig.done[-1] == "navigate_to(destination=Casa Fiorenza)"


WHY = "why()"


@pytest.fixture
def drive(rig: Rig) -> Rig:
    """Four things done, the third after a yes, and one refused."""
    rig.say("dim the ambient light")
    rig.say("set the temperature to twenty one degrees")
    rig.say("open my window")
    rig.say("yes")
    rig.say("bring the fan to three then", "set_fan_speed(level=3)")
    rig.say("open the trunk")
    return rig


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("why did you dim the ambient light", "Because you said today at 3:04: dim the ambient light."),
        ("why did you set the temperature to twenty one degrees",
         "Because you said today at 3:04: set the temperature to twenty one degrees."),
        ("and why did you change the temperature", "Because you said today at 3:04: set the temperature to twenty one degrees."),
        ("why did you open my window", "Because you said yes today at 3:04, when I asked: Shall I open your window?"),
        ("what made you turn the fan up", "Because you said today at 3:04: bring the fan to three then."),
        ("why did you close my window", responder.NOTHING_LIKE_IT),
        ("why did you open the rear windows", responder.NOTHING_LIKE_IT),
        ("why did you open the sunroof", responder.NOTHING_LIKE_IT),
        ("why did you set the temperature to twenty five degrees", responder.NOTHING_LIKE_IT),
    ],
)  # fmt: skip
def test_why_is_asked_of_what_was_done_by_its_name(drive: Rig, text: str, told: str) -> None:
    assert drive.say(text, WHY).text == told


@pytest.mark.parametrize("text", ["why did you not open the trunk", "why did you refuse to open the trunk", "why that"])
def test_why_of_anything_else_is_that_of_the_last_refusal(drive: Rig, text: str) -> None:
    assert drive.say(text, WHY).text.startswith("Because I can only open the trunk")


TOLD: dict[str, Any] = {
    "kind": "reminder",
    "timers": [{"label": "buy milk", "at": "18:00", "seconds": 60, "tomorrow": False, "arrival": False}],
}
OTHER = {"label": "call mum", "at": "19:00", "seconds": 90, "tomorrow": False, "arrival": False}


@pytest.mark.parametrize("text", ["delete this one", "cancel that one", "scrap that", "please delete this rule"])
def test_what_was_told_of_just_now_is_called_off(rig: Rig, text: str) -> None:
    rig.vehicle.answers["get_timers"] = TOLD
    rig.say("which errands are waiting", "get_timers(kind=reminder)")
    rig.say(text)
    assert rig.done[-1] == "cancel_timer(kind=reminder, label=buy milk)"


def test_of_several_that_were_told_of_one_is_asked_for(rig: Rig) -> None:
    rig.vehicle.answers["get_timers"] = {**TOLD, "timers": [*TOLD["timers"], OTHER]}
    rig.say("which errands are waiting", "get_timers(kind=reminder)")
    assert rig.say("cancel that one").text == "Which one: buy milk or call mum?"
    rig.say("the call to mum one", "cancel_timer(kind=reminder,label=call mum)")
    assert rig.done[-1] == "cancel_timer(kind=reminder, label=call mum)"


def test_what_was_set_just_now_is_taken_back_unless_something_else_was_told_since(rig: Rig) -> None:
    rig.say("ten minutes for the eggs", "set_timer(minutes=10,label=eggs)")
    rig.say("delete this one")
    assert rig.done[-1] == "undo()"
    rig.say("ten minutes for the eggs", "set_timer(minutes=10,label=eggs)")
    rig.say("jazz is what i am fond of", "tell()")
    rig.say("delete this one")
    assert rig.done[-1] == "set_timer(minutes=10, label=eggs)"


def test_it_as_a_place_is_the_one_that_was_told_of(rig: Rig) -> None:
    rig.say("some charger around here", "find_place(kind=charging_station)")
    rig.say("okay add it as a stop", "add_stop(destination=okay)")
    assert rig.done[-1] == "add_stop(destination=Trattoria)"
    rig.say("no leave it out", "remove_stop()")
    assert rig.done[-1] == "remove_stop(destination=Trattoria)"
    rig.say("drop the supermarket please", "remove_stop()")
    assert rig.done[-1] == "remove_stop(destination=supermarket)"
    rig.say("skip the next stop then", "remove_stop()")
    assert rig.done[-1] == "remove_stop()"


def test_what_was_agreed_to_belongs_to_the_turn_that_asked(rig: Rig) -> None:
    rig.say("hush for a while", "set_mute(on=true)")
    rig.say("fan three and air through the glass", "set_fan_speed(level=3); set_window(window=driver,percent=100)")
    rig.say("yes")
    assert rig.say("what did you do").text == "The last thing that I did: Fan at 3. Opening your window."
    assert rig.say("so and before that", "undo()", 0.6).text == "Before that: Muted."
    assert rig.say("put it back as it was before", "undo()").text != "I know of nothing before that."
    rig.say(
        "fan one a bit of quiet and cool", "set_fan_speed(level=1); set_volume(percent=10); set_temperature(celsius=19)"
    )
    rig.say("shift the boot lid up", "set_trunk(open=true)")
    said = rig.say("so what all did you do just now", "get_last(part=done)").text
    assert said.startswith("The last thing that I did: Fan at 1, volume at 10 percent, and 19 degrees. I did not do")


_WAITING = tuple(
    {"label": label, "tomorrow": False, "day": None, "date": None} for label in ("check the oven", "post the letter")
)


def test_a_reminder_that_waits_is_moved_though_other_things_were_said_since() -> None:
    text = "och make that reminder three instead"
    moved = errands.moved(text)
    assert moved is not None
    again = waiting_one(Act(moved.name, moved.slots), text, _WAITING[:1], RecentActions(), NOW)
    assert [one.describe() for one in again.actions] == [
        "cancel_timer(kind=reminder, label=check the oven)", "set_reminder(what=check the oven, hour=3)",
    ]  # fmt: skip


def test_which_of_two_reminders_is_moved_is_asked_but_where_it_is_named() -> None:
    for text, among, moved in (
        ("make that reminder four", ("check the oven", "post the letter"), ""),
        ("move the letter reminder to four", (), "post the letter"),
    ):
        wish = errands.moved(text)
        assert wish is not None
        again = waiting_one(Act(wish.name, wish.slots), text, _WAITING, RecentActions(), NOW)
        assert again.among == among
        assert [one.slots()["what"] for one in again.actions[1:]] == ([moved] if moved else [])


def test_of_two_reminders_the_one_that_was_set_just_now_is_moved() -> None:
    text, first = "no make that one twelve", parse_action("set_reminder", {"what": "post the letter", "hour": 4})
    moved = errands.moved(text)
    assert moved is not None
    recent = RecentActions((first,), at=NOW, done=first, done_at=NOW)
    again = waiting_one(Act(moved.name, moved.slots), text, _WAITING, recent, NOW)
    assert not again.among and again.actions[1].slots()["what"] == "post the letter"


@pytest.mark.parametrize(
    "text", ["make it a bit warmer", "put it on two percent", "move the seat back", "make that reminder"]
)
def test_what_names_no_time_moves_no_reminder(text: str) -> None:
    assert errands.moved(text) is None


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        (
            "if it's frosty at seven remind me to scrape the screen",
            {"what": "scrape the screen if it's frosty", "hour": 7},
        ),
        ("remind me to shut the roof at four if it's raining", {"what": "shut the roof if it's raining", "hour": 4}),
        ("remind me at four to ask dave if he's coming", {"what": "ask dave if he's coming", "hour": 4}),
    ],
)
def test_the_condition_of_a_reminder_is_kept_in_its_words(text: str, slots: dict[str, object]) -> None:
    found = errands.asked(text)
    assert found is not None and found.slots == slots


def test_another_place_is_none_of_those_that_were_turned_down() -> None:
    wish = parse_action("list_places", {"kind": "pharmacy"})
    told = RecentActions((wish,), {"places": [{"name": "Crown"}, {"name": "Late"}]}, NOW)
    assert another(wish, "is there a different one i can't park there", told, NOW).spares == ("Crown",)
    assert another(wish, "are there any others", told, NOW).spares == ("Crown", "Late")
    assert another(wish, "which pharmacies are there", told, NOW).spares == ()


def test_a_question_is_answered_in_the_unit_that_it_names() -> None:
    asks, sets = parse_action("get_range", {}), parse_action("set_temperature", {"celsius": 20})
    assert asked_in(METRIC, "how many miles have i got left", [asks]).miles
    assert not asked_in(Units(miles=True), "and in kilometres", [asks]).miles
    assert not asked_in(METRIC, "two miles and twenty degrees", [asks, sets]).miles


def test_a_place_that_is_named_counts_for_more_than_the_one_before() -> None:
    before, named = Act("find_on_route", {"kind": "pharmacy"}), Act("add_stop", {"destination": "post office"})
    assert joined.own_place(Parsed((before,), 0.5), Parsed((named,), 0.9)).acts == (named,)
    assert joined.own_place(Parsed((before,), 0.5), Parsed((named,), 0.6)).acts == (before,)


@pytest.mark.parametrize(
    ("text", "quality", "meant"),
    [
        ("find me a charger near here nothing too pricey", "pricey", "nothing too pricey"),
        ("somewhere to eat that isn't very posh", "posh", "isn't very posh"),
        ("a pricey place for once", "pricey", "pricey"),
    ],
)
def test_what_a_place_should_not_be_like_keeps_its_not(text: str, quality: str, meant: str) -> None:
    act = Act("find_place", {"kind": "restaurant", "quality": quality})
    assert placed(act, text, "").slots["quality"] == meant
