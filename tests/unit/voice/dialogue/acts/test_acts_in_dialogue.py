"""What becomes of the acts that a parser finds in an utterance."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from unittest.mock import Mock

import pytest

from models.acts.spelling import read
from models.commands.matcher import TemplateMatcher
from models.commands.templates import load_templates
from models.text import WEEKDAYS, spoken
from schemas.actions import BY_NAME, Action, SetTimer, parse_action
from schemas.actions.acts import TOPICS, Act
from schemas.events import ActionResult, Command, CommandKind, Route, Transcript
from schemas.memory import ENDLESS, Turn
from tests.dialogues import NOW, FakeVehicle, Rig
from tests.memories import memory_of
from voice.dialogue.acts.accounted import doubt, unheeded
from voice.dialogue.acts.planning import teaches
from voice.dialogue.acts.resolving import on_day, resolve
from voice.dialogue.coordinator import Plan
from voice.dialogue.doing import NO_STOP
from voice.dialogue.recent import FRESH
from voice.dialogue.replies import responder
from voice.dialogue.replies.cannot import CANNOT, WAYS, refusal
from voice.dialogue.replies.responder import JOKES, SMALL_TALK


@pytest.fixture(scope="module")
def matcher() -> TemplateMatcher:
    return TemplateMatcher(load_templates())


@pytest.fixture
def rig(matcher: TemplateMatcher) -> Rig:
    return Rig(matcher)


def test_every_topic_has_its_sentence() -> None:
    assert set(CANNOT) == set(TOPICS)
    assert all(sentence.endswith(".") and "?" not in sentence for sentence in CANNOT.values())


def test_a_complete_command_needs_no_parser(rig: Rig) -> None:
    rig.say("lock the doors")
    assert rig.done == ["set_door_locks(locked=True)"] and rig.parser.contexts == []


@pytest.mark.parametrize(
    "text", ["Okay, lock the doors then.", "um lock the doors would you", "so lock the doors please mate"]
)
def test_words_around_a_complete_command_need_no_parser(rig: Rig, text: str) -> None:
    rig.say(text)
    assert rig.done == ["set_door_locks(locked=True)"] and rig.parser.contexts == []


def test_okay_may_be_an_answer_where_something_was_asked(rig: Rig) -> None:
    rig.say("put a bit of warmth under me", "set_seat_heating(level=2)", 0.3)
    rig.say("okay lock the doors", "yes(); set_door_locks(locked=true)")
    assert rig.done == ["set_seat_heating(level=2, zone=driver)", "set_door_locks(locked=True)"]


def test_all_acts_are_carried_out_or_spoken_about_in_one_reply(rig: Rig) -> None:
    reply = rig.say(
        "colder for me and tell my wife by text and the fan on four would you",
        "change_temperature(change=down,zone=driver); cannot(topic=messages); set_fan_speed(level=4)",
    )
    assert rig.done == ["change_temperature(change=down, zone=driver)", "set_fan_speed(level=4)"]
    assert "messages" in reply.text and reply.text.count(".") >= 2


def test_who_hears_it_is_answered_alone_and_beside_a_wish(rig: Rig) -> None:
    told = SMALL_TALK["privacy"]
    assert rig.say("does somebody at the factory hear all of it", "privacy()").text == told
    assert rig.done == []
    reply = rig.say("fan on three and who listens to all of it", "set_fan_speed(level=3); privacy()")
    assert rig.done == ["set_fan_speed(level=3)"] and reply.text.endswith(told)


def test_what_the_model_is_not_sure_of_is_asked_first(rig: Rig) -> None:
    reply = rig.say("put a bit of warmth under me", "set_seat_heating(level=2)", 0.3)
    assert rig.done == [] and "Shall I" in reply.text
    rig.say("yes")
    assert rig.done == ["set_seat_heating(level=2, zone=driver)"]


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("all windows down except the one behind me", "set_window(window=all,percent=100)"),
        ("heat my seat if it gets any colder", "set_seat_heating(level=2)"),
        ("i do not want the seat that hot so never heat it", "set_seat_heating(level=2)"),
        ("warm up the seat next to the passenger door would you", "set_seat_heating(level=2)"),
    ],
)
def test_words_that_went_nowhere_are_a_reason_to_ask(rig: Rig, text: str, acts: str) -> None:
    reply = rig.say(text, acts)
    assert rig.done == [] and "Shall I" in reply.text


@pytest.mark.parametrize(
    ("text", "acts", "done"),
    [
        (
            "make it sixty eight in here would you",
            "set_temperature(fahrenheit=68)",
            "set_temperature(celsius=20.0, zone=all)",
        ),
        ("if you could turn the fan to two", "set_fan_speed(level=2)", "set_fan_speed(level=2)"),
        ("the red one for the lights in here", "set_ambient_color(color=red)", "set_ambient_color(color=red)"),
    ],
)
def test_what_is_accounted_for_is_done(rig: Rig, text: str, acts: str, done: str) -> None:
    rig.say(text, acts)
    assert rig.done == [done]


@pytest.mark.parametrize(
    ("text", "acts", "counted"),
    [
        ("open the window by five inches", "change_window(change=open,by=5)", False),
        ("open the window ten centimetres", "set_window(percent=10)", False),
        ("set the fan to three kilometres an hour", "set_fan_speed(level=3)", False),
        ("close the sunroof by twenty degrees", "set_sunroof(percent=20)", False),
        ("forty decibels please", "set_volume(percent=40)", False),
        ("the temperature to twenty percent", "set_temperature(celsius=20)", False),
        ("the fan to twenty one degrees", "set_temperature(celsius=21)", False),
        ("ambient light at forty dollars", "set_ambient_brightness(percent=40)", False),
        ("make it five percent warmer", "change_temperature(change=up,by=5)", False),
        ("open the window four inches", "change_window(change=open,by=4)", False),
        ("five volts on the fan", "set_fan_speed(level=5)", False),
        ("sixty kilos of volume", "set_volume(percent=60)", False),
        ("the charge limit at eighty percent", "set_charge_limit(percent=80)", True),
        ("fan on two feet only", "set_fan_speed(level=2); set_airflow(direction=feet)", True),
        ("make it two and a half degrees warmer", "change_temperature(change=up,by=2.5)", True),
        ("set it to twenty one degrees", "set_temperature(celsius=21)", True),
        ("a timer for five minutes", "set_timer(minutes=5)", True),
        ("open the window by five percent and in ten metres turn", "change_window(change=open,by=5)", True),
    ],
)
def test_a_number_in_a_unit_that_the_action_does_not_count_in_is_asked_about(
    text: str, acts: str, counted: bool
) -> None:
    meant = read(acts)
    actions = tuple(action for act in meant if (action := resolve(act, BY_NAME.keys()).action) is not None)
    assert len(actions) == len(meant)
    assert bool(doubt(spoken(text), meant, actions, "", BY_NAME.keys())) is not counted


@pytest.mark.parametrize(("said", "seconds"), [("two minutes", 120), ("ten seconds", 10), ("eight minutes", 480)])
def test_what_is_skipped_is_as_long_as_was_said(rig: Rig, said: str, seconds: int) -> None:
    number = {"two minutes": 2, "ten seconds": 10, "eight minutes": 8}[said]
    rig.say(f"would you jump {said} on", f"seek(change=forward,seconds={number})")
    assert rig.done == [f"seek(change=forward, seconds={seconds})"]


def test_what_is_too_long_to_skip_is_said_to_be(rig: Rig) -> None:
    reply = rig.say("jump thirty minutes on would you", "seek(change=forward,seconds=30)")
    assert reply.text == "Forward or back goes from 5 to 600 seconds." and not rig.done


@pytest.mark.parametrize(
    ("text", "acts", "digits"),
    [
        ("tell somebody to ring nine one one", "cannot(topic=condition)", "911"),
        ("my husband can't breathe get an ambulance", "tell()", "112"),
        ("get the fire brigade out here", "cannot(topic=emergency)", "112"),
        ("there's a lorry on its side", "cannot(topic=emergency)", "112"),
        ("we need help we've crashed", "help(); cannot(topic=breakdown)", "112"),
        ("please somebody get help", "help()", "112"),
        ("would nine nine nine be the one to call", "chat()", "999"),
    ],
)
def test_who_may_ask_for_help_is_asked_whether_to_call_it(rig: Rig, text: str, acts: str, digits: str) -> None:
    reply = rig.say(text, acts)
    assert reply.text == f"Shall I call {' '.join(digits)}?" and not rig.done
    rig.say("yes")
    assert rig.done == [f"call_number(digits={digits})"]


def test_a_number_too_short_to_call_is_no_order_for_something_else(rig: Rig) -> None:
    rig.say("would you jump ten seconds on", "seek(change=forward,seconds=10)")
    reply = rig.say("call nine", "seek(change=forward,seconds=9)")
    assert reply.text == "Shall I go forward 10 seconds?" and len(rig.done) == 1


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("don't call the police", "refrain()"),
        ("navigate to the police station", "navigate_to(destination=police station)"),
        ("play something by the police if you need to", "play_music(artist=the police)"),
    ],
)
def test_who_asks_for_something_else_is_not(rig: Rig, text: str, acts: str) -> None:
    assert "Shall I call" not in rig.say(text, acts).text


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("wake me in two hours or so", "set_timer(minutes=120)"),
        ("an hour and twenty for the roast would you", "set_timer(minutes=80)"),
        ("jump back a minute would you", "seek(change=back,seconds=60)"),
        ("two minutes further on in this", "seek(change=forward,seconds=120)"),
    ],
)
def test_hours_are_minutes_and_minutes_seconds(text: str, acts: str) -> None:
    (act,) = read(acts)
    action = parse_action(act.name, dict(act.slots))
    assert doubt(text, (act,), (action,), "", frozenset({act.name})) == ""


def test_what_is_missing_is_asked_for_and_the_parser_is_told(rig: Rig) -> None:
    reply = rig.say("get somebody on the line for me", "call_contact()")
    assert reply.text == "Whom shall I call?" and rig.done == []
    rig.say("my sister please would you", "call_contact(person=sister)")
    assert rig.parser.contexts[-1] == "needs call_contact()"
    assert rig.done == ["call_contact(person=sister)"]


def test_a_number_out_of_range_is_told_with_the_range(rig: Rig) -> None:
    assert (
        rig.say("make it thirty five in here", "set_temperature(celsius=35)").text
        == "Temperature goes from 16 to 28 degrees."
    )
    assert rig.done == []


def test_the_parser_is_told_what_was_done_and_what_waits(rig: Rig) -> None:
    rig.say("bring the fan to three then", "set_fan_speed(level=3)")
    rig.say("nope bit less than that", "change_fan_speed(change=down)")
    assert rig.parser.contexts[-1] == "did set_fan_speed(level=3)"
    rig.say("give me air from outside through the glass", "set_window(window=driver,percent=100)")
    rig.say("only half of it though", "set_window(window=driver,percent=50)")
    assert rig.parser.contexts[-1] == "asked set_window(percent=100)"


def test_yes_in_any_words_confirms_and_more_may_follow(rig: Rig) -> None:
    rig.say("my window all the way", "set_window(window=driver,percent=100)")
    rig.say("i suppose so and the music louder", "yes(); change_volume(change=up)")
    assert rig.done == ["set_window(window=driver, percent=100)", "change_volume(change=up)"]


def test_no_in_any_words_withdraws(rig: Rig) -> None:
    rig.say("my window all the way", "set_window(window=driver,percent=100)")
    reply = rig.say("on second thought leave it shut", "no()")
    assert reply.text == "Okay, I won't." and rig.vehicle.waiting == {}


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
    refused = rig.say("how high is the tallest mountain", "cannot(topic=knowledge)").text
    assert refused and "level three" not in refused


def test_talk_about_memory_has_one_entrance(rig: Rig) -> None:
    assert rig.say("so what have you got on me", "recall()").text == "I remember nothing about you yet."
    assert rig.say("keep no more track of the music i like", "opt_out(about=music)").text.startswith(
        "Okay, from now on"
    )
    assert rig.say("stop tracking my thing", "opt_out(about=thing)").text.startswith("Which topic")
    assert rig.say("my mate takes the wheel now", "guest_mode(on=true)").route is Route.MEMORY


def test_words_to_somebody_else_are_left_alone(rig: Rig) -> None:
    assert rig.say("put your shoes on love", "none()", addressed=False).text == ""
    assert rig.say("nice weather today isn't it", "chat()", addressed=False).text == ""
    assert rig.say("shall we have a coffee", "list_places(kind=cafe)", 0.3, addressed=False).text == ""
    assert rig.done == []


def test_misheard_openings_are_asked_about(rig: Rig) -> None:
    reply = rig.say("would you close up the roof", "set_sunroof(percent=0)", confidence=0.8)
    assert rig.done == [] and "Shall I" in reply.text
    rig.say("warmer please will you", "change_temperature(change=up)", confidence=0.8)
    assert rig.done == ["change_temperature(change=up, zone=all)"]


def test_nothing_usable_is_not_understood(rig: Rig) -> None:
    assert rig.say("flurb the garnet").text == "Sorry, I didn't understand that."


def test_what_will_be_said_is_foreseen_without_doing_it(rig: Rig) -> None:
    rig.parser.knows["the fan up to four if you would"] = "set_fan_speed(level=4)", 0.95
    heard = Transcript(text="the fan up to four if you would", confidence=0.9, in_grammar=False)
    foreseen = asyncio.run(rig.dialogue.foresee(heard))
    assert rig.done == []
    assert asyncio.run(rig.dialogue.respond(heard)).text == foreseen
    assert len(rig.parser.contexts) == 1


def test_the_same_parse_with_another_driver_finds_no_context(rig: Rig) -> None:
    rig.say("bring the fan to three then", "set_fan_speed(level=3)")
    rig.dialogue.seat.take(memory_of("bob", clock=lambda: NOW))
    rig.say("a touch less of it", "change_fan_speed(change=down)")
    assert rig.parser.contexts[-1] == ""


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("a touch warmer then", "change_temperature(change=down)"),
        ("would you open up the roof", "set_sunroof(percent=0)"),
        ("that fog light thing off again", "set_fog_lights(on=true)"),
    ],
)
def test_words_that_ask_for_the_opposite_are_a_reason_to_ask(rig: Rig, text: str, acts: str) -> None:
    assert "Shall I" in rig.say(text, acts).text
    assert rig.done == []


@pytest.mark.parametrize(
    ("text", "acts", "done"),
    [
        ("the roof is open so close it would you", "set_sunroof(percent=0)", "set_sunroof(percent=0)"),
    ],
)
def test_words_that_are_turned_round_are_none(rig: Rig, text: str, acts: str, done: str) -> None:
    rig.say(text, acts)
    assert rig.done == [done]


@pytest.mark.parametrize(
    ("topic", "text", "said"),
    [
        ("bonnet", "open the glove box please", "I can't open the glove box."),
        ("ordering", "could you order me a pizza", "I can't order you a pizza."),
        ("messages", "read my latest message", "I can't read your latest message."),
        ("sound", "more bass", CANNOT["sound"]),
        ("knowledge", "write me a poem about the sea and the wind and the rain", CANNOT["knowledge"]),
        ("emergency", "move that cyclist", CANNOT["emergency"]),
        ("schedule", "turn on the parking heater", "I can't turn on the parking heater."),
        ("schedule", "have the car warm when i come", CANNOT["schedule"]),
    ],
)
def test_a_wish_is_refused_in_its_own_words_where_that_is_plain(topic: str, text: str, said: str) -> None:
    assert refusal(topic, text) == said


def test_a_car_that_has_a_way_names_it_in_words_that_are_understood(matcher: TemplateMatcher) -> None:
    for topic, ways in WAYS.items():
        for way in ways:
            command = matcher.match(way.say)
            assert command is not None and command.name == way.action
            text = f"do something about my {next(iter(way.words), 'car')}"
            assert refusal(topic, text, {way.action}) == f"I can't do just that. You can say, for example: {way.say}."
            assert refusal(topic, text, {"set_volume"}) == refusal(topic, text) and way.say not in refusal(topic, text)
            if way.words:
                assert way.say not in refusal(topic, "open the glove box", {way.action})


def test_a_free_wish_is_not_refused_as_if_this_car_had_no_way(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    wish = "make the car a bit livelier", "cannot(topic=drive_mode)"
    assert "switch to sport mode" in rig.say(*wish).text
    monkeypatch.setattr(rig.vehicle, "offers", lambda: frozenset({"set_volume"}))
    assert rig.say(*wish).text == "I can't make the car a bit livelier."


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


def test_a_temperature_that_is_no_celsius_is_fahrenheit(rig: Rig) -> None:
    rig.say("sixty eight next to me", "set_temperature(celsius=68,zone=passenger)")
    assert rig.done == ["set_temperature(celsius=20.0, zone=passenger)"]


def test_one_of_several_places_is_chosen_by_its_number(rig: Rig) -> None:
    assert (
        rig.say("the second of them", "choose(number=2)").text == "I'm not sure what you mean. Please say it in full."
    )


def test_what_was_done_last_is_told_in_any_words(rig: Rig) -> None:
    rig.say("bring the fan to three then", "set_fan_speed(level=3)")
    assert "Fan" in rig.say("tell me again what you just went and did", "get_last(part=done)").text


def test_what_was_asked_for_completes_what_was_begun(rig: Rig) -> None:
    rig.say("mail somebody that i am late", "send_email(message=i am late)")
    rig.say("to my sister then", "send_email(person=sister)")
    assert rig.done == ["send_email(person=sister, message=i am late)"]


def test_a_number_that_went_nowhere_is_named_and_only_what_was_said_is_offered(rig: Rig) -> None:
    reply = rig.say("twenty three and fan five", "set_fan_speed(level=5)")
    assert reply.text == "I heard 23, but I'm not sure what for. Shall I set the fan to 5?" and rig.done == []
    reply = rig.say("twenty three on the fan", "set_fan_speed(level=5)")
    assert reply.text == "I heard 23, but I'm not sure what for. Please say that again." and rig.done == []


def test_a_value_is_not_made_up_where_another_one_is_named(rig: Rig) -> None:
    assert rig.say("wheel heating the same as my seat", "set_steering_wheel_heating(level=2)").text.startswith(
        "I can't see that setting"
    )
    assert rig.done == []


@pytest.mark.parametrize(("text", "acts"), [("cancel that", ""), ("oh drop that again would you", "cancel()")])
def test_what_was_done_is_taken_back_when_it_is_called_off(rig: Rig, text: str, acts: str) -> None:
    assert rig.say(text, acts).text in ("Okay.", "There is nothing to call off.", "I haven't asked you anything.")
    rig.say("bring the fan to three then", "set_fan_speed(level=3)")
    assert rig.say(text, acts).text == "Shall I undo that?"
    rig.say("yes")
    assert rig.done[-1] == "undo()"


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
    ("text", "acts", "done"),
    [
        ("temperature to twenty no twenty one", "set_temperature(celsius=21)", ["set_temperature(celsius=21.0, zone=all)"]),
        ("fan to three sorry four", "set_fan_speed(level=4)", ["set_fan_speed(level=4)"]),
        ("blue light fan on three and a coffee", "set_ambient_color(color=blue); cannot(topic=ordering)",
         ["set_ambient_color(color=blue)"]),
        ("i do not want you to turn the music off", "set_playback(command=pause)", []),
        ("twenty four is way too hot for me", "set_temperature(celsius=24)", []),
        ("the roof and all windows shut but leave mine", "set_sunroof(percent=0); set_window(window=all,percent=0)",
         ["set_sunroof(percent=0)"]),
    ],
)  # fmt: skip
def test_what_was_taken_back_turned_down_or_left_out(rig: Rig, text: str, acts: str, done: list[str]) -> None:
    rig.say(text, acts)
    assert rig.done == done


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


def test_endless_speech_gets_a_short_answer_and_is_not_kept(rig: Rig) -> None:
    assert rig.say("open my window and " * 300).text == "That was too long for me. Please say it in a few words."
    assert (
        rig.say("\u8bf7\u6253\u5f00\u8f66\u7a97", "set_window(window=all,percent=100)").text
        == "Sorry, I didn't understand that."
    )


def test_what_was_stored_last_is_told(rig: Rig) -> None:
    rig.say("remember that i love jazz")
    assert "jazz" in rig.say("so what did you just save", "get_last(part=done)").text


def test_no_act_of_several_is_lost_without_a_word(rig: Rig) -> None:
    reply = rig.say("fan to two and what did you just do", "set_fan_speed(level=2); get_last(part=done)")
    assert rig.done == ["set_fan_speed(level=2)"] and reply.text.endswith("I didn't understand the rest.")
    assert "You can ask for" in rig.say("fan to three and help me", "set_fan_speed(level=3); help()").text


def test_what_is_called_off_and_wished_for_instead_is_not_asked_about(rig: Rig) -> None:
    rig.say("bring the fan to three then", "set_fan_speed(level=3)")
    assert "Shall I" not in rig.say("forget it and mute the sound", "cancel(); set_mute(on=true)").text
    assert rig.done[-1] == "set_mute(on=True)"


def test_a_timer_in_the_place_of_the_last_one_leaves_one(rig: Rig) -> None:
    rig.say("set a timer for fifteen minutes")
    rig.say("actually make it twenty minutes instead would you", "set_timer(minutes=20)")
    assert rig.done == ["set_timer(minutes=15)", "undo()", "set_timer(minutes=20)"]


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


def test_warmer_after_a_seat_was_heated_is_the_seat(rig: Rig) -> None:
    rig.say("warmer")
    rig.say("would you heat the seat to level one", "set_seat_heating(level=1)")
    rig.say("a bit warmer")
    rig.say("make it warmer in here")
    assert rig.done == [
        "change_temperature(change=up, zone=all)",
        "set_seat_heating(level=1, zone=driver)",
        "change_seat_heating(change=up, zone=driver)",
        "change_temperature(change=up, zone=all)",
    ]


def test_whether_a_place_is_open_is_not_known_and_that_is_said(rig: Rig) -> None:
    told = rig.say("a chemist that's still open please", "list_places(kind=pharmacy)").text
    assert told.endswith("I don't know whether it is open.")
    assert "open" not in rig.say("a chemist please", "list_places(kind=pharmacy)").text


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
        ("bin the directions i know where i am", "cancel_navigation()", 0.4, "I remember nothing about"),
        ("forget that i like it at twenty two", "set_temperature(celsius=22)", 0.9, "I remember nothing of that."),
    ],
)
def test_words_of_erasing_that_name_nothing_remembered_may_ask_for_something_else(
    rig: Rig, text: str, acts: str, sure: float, answer: str
) -> None:
    assert rig.say(text, acts, sure).text.startswith(answer) and rig.done == []


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


@pytest.mark.parametrize(
    ("others", "done"),
    [
        ({"put on new beat": 0.2}, True),
        ({"put on new beat": 0.4}, False),
        ({"whack on the music": 0.6}, True),
        ({"but i need you": 0.4}, False),
    ],
    ids=["unlikely", "another wish", "the same wish", "no wish at all"],
)
def test_a_wish_is_asked_about_where_other_words_sound_the_same(rig: Rig, others: dict[str, float], done: bool) -> None:
    rig.parser.knows |= {
        "put on new beat": ("play_music(title=new beat)", 0.9),
        "whack on the music": ("play_music()", 0.9),
    }
    reply = rig.say("whack on some music", "play_music()", confidence=0.9, others=others)
    assert rig.done == (["play_music()"] if done else [])
    assert reply.text.startswith("Shall I play ") is not done


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("heat for the passenger cool for me", True),
        ("make hers cooler than mine", False),
    ],
)
def test_two_who_are_named_are_both_meant(rig: Rig, text: str, asks: bool) -> None:
    rig.say(text, "change_temperature(change=down,zone=passenger)")
    assert (rig.done == []) is asks


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


def test_so_many_steps_are_no_number_that_is_left_over(rig: Rig) -> None:
    rig.vehicle.values["climate.fan"] = 4
    rig.say("fan down two notches", "change_fan_speed(change=down)")
    assert rig.done == ["set_fan_speed(level=2)"]


@pytest.mark.parametrize("text", ["a bit louder in the back only", "volume up but just at the front"])
def test_a_place_that_nothing_can_have_is_not_lost(rig: Rig, text: str) -> None:
    assert "I can't do this part" in rig.say(text, "change_volume(change=up)").text
    assert rig.done == []


@pytest.mark.parametrize(
    ("text", "acts", "asked"),
    [
        ("more air in the back", "change_fan_speed(change=up)", True),
        ("more air at the back please", "change_fan_speed(change=up)", False),  # "the back" alone may be anybody's
        ("could i have more air", "change_fan_speed(change=up)", False),
        ("move the passenger mirror outwards", "adjust_mirror(zone=passenger,direction=down)", True),
    ],
)
def test_a_place_or_a_way_that_went_nowhere_is_asked_about(rig: Rig, text: str, acts: str, asked: bool) -> None:
    assert rig.say(text, acts).text.startswith("Shall I") is asked
    assert (rig.done == []) is asked


def test_a_favourite_is_what_memory_knows(rig: Rig) -> None:
    rig.say("play my favorite station", "play_favorites()")
    rig.say("play my favorite band", "play_favorites()")
    rig.say("play my favorites would you", "play_favorites()")
    assert rig.done == ["play_radio()", "play_music()", "play_favorites()"]


def test_another_joke_is_another_one(rig: Rig) -> None:
    told = [rig.say("tell me a joke").text for _ in range(len(JOKES) + 1)]
    assert told == [*JOKES, JOKES[0]]


@pytest.mark.parametrize(("share", "learnt"), [(0.2, True), (0.5, False)])
def test_what_may_have_been_something_else_teaches_nothing(rig: Rig, share: float, learnt: bool) -> None:
    rig.say("i love jazz", "tell()", confidence=0.9, others={"i have asked": share})
    assert [one.value for one in rig.memory.preferences()] == (["jazz"] if learnt else [])
    rig.dialogue.end_conversation()
    rig.memory.learn_pending()
    assert [one.value for one in rig.memory.preferences()] == (["jazz"] if learnt else [])


def test_what_was_done_is_told_after_talk_of_something_else(rig: Rig) -> None:
    rig.say("set the fan to three")
    rig.say("what do you know about me")
    rig.say("no")
    assert rig.say("what have you been up to", "get_last(part=done)").text.endswith("Fan at 3.")


@pytest.mark.parametrize(
    ("text", "acts", "part"),
    [
        ("a pharmacy that isn't crown please", "find_place(kind=pharmacy)", "that isn't crown"),
        ("some fleetwood mac but not dreams", "play_music(artist=fleetwood mac)", "but not dreams"),
        ("recirculate the air until we are out of here", "set_recirculation(on=true)", "until we are out of here"),
        ("the fog lights on only the rear", "set_fog_lights(on=true)", "only the rear"),
        ("the back windows open no sorry just the right one and fan to four",
         "set_window(window=rear,percent=100); set_fan_speed(level=4)", "just the right one"),
    ],
)  # fmt: skip
def test_a_question_says_which_part_it_leaves_out(rig: Rig, text: str, acts: str, part: str) -> None:
    told = rig.say(text, acts).text
    assert told.startswith(f"I can't do this part: {part}.") and told.endswith("?"), told
    assert rig.done == []


def test_what_a_leftover_number_is_about_is_asked_with_the_rest(rig: Rig) -> None:
    told = rig.say("windows up and air con on at nineteen", "set_window(percent=0); set_air_conditioning(on=true)").text
    assert told.startswith("I heard 19, but I'm not sure what for. Shall I close") and "air conditioning" in told
    assert rig.done == []


@pytest.mark.parametrize(("acts", "obeyed"), [("pause_learning()", True), ("resume_learning()", False)])
def test_what_lessens_what_is_kept_needs_less_to_be_obeyed(rig: Rig, acts: str, obeyed: bool) -> None:
    before = rig.memory.consent()
    rig.say("that learning thing you know what i want of it", acts, 0.5)
    assert (rig.memory.consent() != before) is obeyed


class NoMap(FakeVehicle):
    """A car that knows no destination."""

    async def act(self, action: Action) -> ActionResult:
        result = await super().act(action)
        return result.model_copy(update={"answer": {}}) if action.name == "navigate_to" else result


def test_a_stop_on_the_way_to_nowhere_is_left_out(matcher: TemplateMatcher) -> None:
    rig = Rig(matcher, NoMap())
    reply = rig.say(
        "off to blatherwick manor by way of some coffee",
        "navigate_to(destination=blatherwick manor); find_on_route(kind=cafe)",
    )
    assert rig.done == ["navigate_to(destination=blatherwick manor)"]
    assert "blatherwick manor" in reply.text and reply.text.endswith(NO_STOP)


@pytest.mark.parametrize(
    ("text", "acts", "done"),
    [
        ("passenger's seat heating to two please not mine", "set_seat_heating(level=2,zone=passenger)", "passenger"),
        ("my seat heating to two but not hers", "set_seat_heating(level=2,zone=driver)", "driver"),
    ],
)
def test_whoever_is_left_out_and_is_not_meant_anyway_needs_no_question(
    rig: Rig, text: str, acts: str, done: str
) -> None:
    rig.say(text, acts)
    assert rig.done == [f"set_seat_heating(level=2, zone={done})"]
    rig.say("seat heating on two but not mine", "set_seat_heating(level=2,zone=all)")
    assert rig.done[1:] == ["set_seat_heating(level=2, zone=rear)", "set_seat_heating(level=2, zone=passenger)"]


def test_what_words_ask_the_opposite_of_is_no_guess(rig: Rig) -> None:
    reply = rig.say(
        "lock up and dome light off would you", "set_door_locks(locked=false); set_dome_light(on=false)", 0.3
    )
    assert rig.done == [] and "unlock" not in reply.text.lower()


def test_what_opens_the_car_is_no_guess_without_a_word_for_it(rig: Rig) -> None:
    assert "Shall I" not in rig.say("nine clever monkeys painted the moon", "set_sunroof(percent=10)", 0.3).text
    assert "Shall I" in rig.say("could the sunroof have a gap", "set_sunroof(percent=10)", 0.3).text


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("once we are past the bridge remind me to ring dave", "set_reminder(what=ring dave,minutes=15)"),
        ("when we're ten minutes from home set a timer", "set_timer(minutes=10)"),
    ],
)
def test_a_condition_of_a_reminder_is_not_left_out_in_silence(rig: Rig, text: str, acts: str) -> None:
    assert rig.say(text, acts).text.startswith("I can't do this part")
    assert rig.done == []


def test_a_condition_in_what_one_is_reminded_of_is_no_condition_of_the_reminder() -> None:
    what = "see when the bank closes"
    reminder = Act("set_reminder", {"what": what, "minutes": 10})
    assert unheeded(f"remind me in ten minutes to {what}", [reminder]) == ""
    assert unheeded(f"when we pass the bank remind me to {what}", [reminder]) == "when we pass the bank remind me to"


@pytest.mark.parametrize(
    ("text", "acts", "left"),
    [
        ("open the windows but don't touch the back", "set_window(window=all,percent=100)", True),
        ("open the front windows but don't touch the back", "set_window(window=front,percent=100)", False),
        ("open the windows but don't touch the back", "set_window(window=all,but=rear,percent=100)", False),
        ("warm the seats and leave mine alone", "set_seat_heating(zone=all,level=2)", True),
        ("warm her seat and leave mine alone", "set_seat_heating(zone=passenger,level=2)", False),
        ("a c on and don't touch the heating", "set_seat_heating(level=2)", True),
    ],
)
def test_what_is_to_be_left_alone_is_heeded_or_asked_about(text: str, acts: str, left: bool) -> None:
    assert bool(unheeded(text, read(acts))) is left


def test_what_somebody_is_to_be_told_is_no_timer() -> None:
    timer = read("set_timer(minutes=10)")
    said = doubt("tell him ten minutes", timer, [SetTimer(minutes=10)], "", ())
    assert said == "somebody is to be told"
    assert doubt("ten minutes", timer, [SetTimer(minutes=10)], "", ()) != said


@pytest.mark.parametrize(
    ("ahead", "slots"),
    [(0, {"day": "today"}), (1, {"day": "tomorrow"}), (3, None), (6, None)],
)
@pytest.mark.parametrize("name", ["get_weather", "get_calendar", "set_reminder"])
def test_another_day_than_tomorrow_is_not_taken_for_it(name: str, ahead: int, slots: dict[str, str] | None) -> None:
    said = f"what about {WEEKDAYS[(NOW.weekday() + ahead) % 7].lower()}"
    found = on_day(Act(name, {"day": "tomorrow"}), said, NOW)
    assert (None if found is None else found.slots) == slots


def test_a_day_beside_tomorrow_or_within_what_one_is_reminded_of_changes_nothing() -> None:
    for act, said in (
        (Act("get_weather", {"day": "tomorrow"}), "and tomorrow not on sunday"),
        (Act("set_reminder", {"what": "cancel sunday lunch", "hour": 8}), "remind me at eight to cancel sunday lunch"),
        (Act("play_music", {"song": "sunday bloody sunday"}), "play sunday bloody sunday"),
    ):
        assert on_day(act, said, NOW) == act


def test_another_day_is_told_to_be_out_of_reach(rig: Rig) -> None:
    assert rig.say("what's it like outside at the weekend", "get_weather()").text == responder.ONLY_TOMORROW
    assert rig.done == []


def test_dimmer_is_the_display_after_the_display_and_nothing_after_a_lamp_that_is_on_or_off(rig: Rig) -> None:
    rig.say("set the display brightness to eighty percent")
    rig.say("dimmer")
    assert rig.done[-1] == "change_display_brightness(change=down)"
    rig.say("turn on the dome light")
    before = list(rig.done)
    assert rig.say("dimmer").text == CANNOT["other"] and rig.done == before


def test_interior_lights_off_are_all_of_them(rig: Rig) -> None:
    rig.say("turn off the interior lights")
    assert rig.done == [
        "set_ambient_light(on=False)",
        "set_reading_light(zone=all, on=False)",
        "set_dome_light(on=False)",
    ]


def test_frost_that_is_to_come_off_is_not_to_be_switched_off(rig: Rig) -> None:
    rig.say("get the frost off the back window please", "set_defrost(window=rear,on=true)")
    assert rig.done == ["set_defrost(window=rear, on=True)"]


@pytest.mark.parametrize(
    ("text", "act", "percent"),
    [
        ("drop the back windows by half", "change_window(window=rear,change=open)", 50),
        ("let the back windows down two thirds of the way", "change_window(window=rear,change=open)", 65),
        ("bring the back windows up a quarter", "change_window(window=rear,change=close)", 75),
    ],
)
def test_a_share_that_was_said_is_no_step(rig: Rig, text: str, act: str, percent: int) -> None:
    assert rig.say(text, act).text.endswith(f"the rear windows to {percent} percent?")
    rig.say("yes")
    assert rig.done == [f"set_window(window=rear, percent={percent})"]


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("open my window a bit i'll be half an hour", "change_window(window=driver,change=open)"),
        (
            "open my window a bit and the screen at half brightness",
            "change_window(window=driver,change=open); set_display_brightness(percent=50)",
        ),
    ],
)
def test_another_half_is_no_share_of_the_window(rig: Rig, text: str, acts: str) -> None:
    if rig.say(text, acts).pending:
        rig.say("yes")
    assert "set_window(window=driver, percent=50)" not in rig.done


def test_what_is_asked_for_by_a_liking_tells_of_none(rig: Rig) -> None:
    assert rig.say("use my preferred jazz channel", "tell()").text == responder.NOTHING_TO_FOLLOW
    assert rig.memory.learn_pending() == () and rig.memory.preferences() == ()


def test_how_it_was_left_is_not_how_it_is_wanted(rig: Rig) -> None:
    rig.say("somebody left a light on back there would you kill it", "set_reading_light(zone=rear,on=false)")
    assert rig.done == ["set_reading_light(zone=rear, on=False)"]


@pytest.mark.parametrize(
    ("text", "acts", "told"),
    [
        ("lock up lights off and wake me", "set_door_locks(locked=true); stop()", "what you want with the lights"),
        ("heat her seat cool mine", "set_seat_ventilation(level=2,zone=passenger)", "Shall I"),
        (
            "go home via the bakery on elm street",
            "navigate_to(destination=home)",
            "I can't do this part: via the bakery",
        ),
        ("up and down with the heating", "change_temperature(change=up); change_temperature(change=down)", "opposite"),
    ],
)
def test_a_thing_a_side_or_a_stop_that_no_act_has_is_not_left_out_in_silence(
    rig: Rig, text: str, acts: str, told: str
) -> None:
    assert told in rig.say(text, acts).text
    assert rig.done == []


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("never mind the lights lock the doors", "set_door_locks(locked=true)"),
        ("the seat next to the window could be warmer", "set_seat_heating(level=2,zone=passenger)"),
        ("find us a bakery on the way home via wherever", "navigate_to(destination=home); find_on_route(kind=bakery)"),
    ],
)
def test_what_is_only_named_is_not_missed(rig: Rig, text: str, acts: str) -> None:
    rig.say(text, acts)
    assert rig.done


@pytest.mark.parametrize(
    ("text", "acts", "done"),
    [
        ("fan to two not the temperature", "set_fan_speed(level=2)", ["set_fan_speed(level=2)"]),
        (
            "take me to the airport but not on the motorway",
            "navigate_to(destination=airport); set_route_preference(preference=avoid_highways)",
            ["navigate_to(destination=airport)", "set_route_preference(preference=avoid_highways)"],
        ),
    ],
)
def test_an_exception_that_is_heeded_needs_no_question(rig: Rig, text: str, acts: str, done: list[str]) -> None:
    rig.say(text, acts)
    assert rig.done == done


def test_what_was_ruled_out_is_not_offered(rig: Rig) -> None:
    reply = rig.say("anything but jazz please just put something on", "play_music(genre=jazz)")
    assert reply.text == responder.not_done("anything but jazz") and rig.done == []


def test_how_loud_it_is_turns_nothing_down(rig: Rig) -> None:
    rig.say("how loud is it", "change_volume(change=down)")
    assert rig.done == []


def test_a_lock_that_an_offer_would_leave_out_is_named(rig: Rig) -> None:
    reply = rig.say(
        "close the windows lock up and lights off", "set_window(window=all,percent=0); set_dome_light(on=false)", 0.5
    )
    assert "what you want with the lock" in reply.text and rig.done == []


def test_everything_off_is_offered_thing_by_thing_and_done_only_after_a_yes(rig: Rig) -> None:
    rig.vehicle.values |= {"light.ambient.on": True, "media.playing": True, "light.reading.driver": True}
    reply = rig.say("everything off apart from my reading light", "all_off(spared=my reading light)")
    assert rig.done == [] and "mbient" in reply.text and reply.text.endswith("?")
    rig.say("yes")
    assert rig.done == ["set_ambient_light(on=False)", "set_playback(command=pause)"]


@pytest.mark.parametrize(
    ("text", "celsius"),
    [
        ("let me have it at nineteen five would you", 19.5),
        ("i fancy twenty two five on my side", 22.5),
        ("i fancy twenty five on my side", 25),
        ("let me have it at nineteen in five minutes", 19),
    ],
)
def test_the_half_of_a_degree_may_be_said_by_five_alone(rig: Rig, text: str, celsius: float) -> None:
    whole = int(celsius)
    reply = rig.say(text, f"set_temperature(celsius={whole},zone=driver)")
    if "minutes" in text:
        assert "5" in reply.text or "five" in reply.text
    else:
        assert rig.done == [f"set_temperature(celsius={celsius:.1f}, zone=driver)"]


@pytest.mark.parametrize("text", ["turn everything up", "switch off all the lights they said"])
def test_everything_goes_off_only_where_no_thing_is_named_and_off_is_said(rig: Rig, text: str) -> None:
    rig.vehicle.values |= {"climate.on": True, "media.playing": True}
    reply = rig.say(text, "all_off()")
    assert rig.done == [] and "climate" not in reply.text.casefold()


def test_a_reason_behind_a_comma_does_not_hide_the_wish(rig: Rig) -> None:
    rig.say("please set the fan to two for me", "set_fan_speed(level=2)")
    rig.parser.knows |= {
        "cancel that he's rung me already": ("cannot(topic=calls)", 0.95),
        "kill the ceiling light it's glaring": ("none()", 0.4),
        "kill the ceiling light": ("set_dome_light(on=false)", 0.95),
    }
    assert rig.say("cancel that, he's rung me already").text == "Shall I undo that?"
    rig.say("no")
    rig.say("kill the ceiling light, it's glaring")
    assert rig.done[-1] == "set_dome_light(on=False)"


def test_a_number_in_a_reason_is_no_amount(rig: Rig) -> None:
    rig.say("it's nine o'clock, open the roof for me", "")
    rig.parser.knows["it's nine oclock open the roof for me"] = "set_sunroof(percent=100)", 0.95
    assert "9" not in rig.say("it's nine o'clock, open the roof for me").text
    assert rig.done == ["set_sunroof(percent=100)"]


def test_what_still_moves_is_stopped_whatever_was_said_since(rig: Rig) -> None:
    rig.vehicle.answers |= {"stop_moving": {"stopped": ["window.driver"]}, "get_openings": {"open": {}}}
    rig.say("wind mine down a crack would you", "change_window(window=driver,change=open)")
    rig.say("would you tell me if it's open", "get_openings(part=windows)")
    assert rig.say("stop").text == "Stopped." and rig.done[-1] == "stop_moving()"


def test_a_word_that_points_is_the_name_of_no_place(rig: Rig) -> None:
    assert rig.say("okay go there instead then", "navigate_to(destination=instead)").text == "Where to?"


def test_the_day_after_is_neither_today_nor_tomorrow(rig: Rig) -> None:
    assert rig.say("and the day after that", "get_weather(day=tomorrow)").text == responder.ONLY_TOMORROW


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
