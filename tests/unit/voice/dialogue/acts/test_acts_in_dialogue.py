"""What becomes of the acts that a parser finds in an utterance: done, asked about, refused or answered."""

from __future__ import annotations

import asyncio

import pytest

from models.commands.matcher import TemplateMatcher
from schemas.actions import Action
from schemas.actions.acts import TOPICS
from schemas.events import ActionResult, Transcript
from tests.dialogues import FakeVehicle, Rig
from voice.dialogue.doing import NO_STOP
from voice.dialogue.replies.cannot import CANNOT, WAYS, refusal
from voice.dialogue.replies.responder import SMALL_TALK


def test_every_topic_has_its_sentence() -> None:
    assert set(CANNOT) == set(TOPICS)
    assert all(sentence.endswith(".") and "?" not in sentence for sentence in CANNOT.values())


def test_a_complete_command_needs_no_parser(rig: Rig) -> None:
    rig.say("lock the doors")
    assert rig.done == ["set_door_locks(locked=True)"] and rig.parser.contexts == []


@pytest.mark.parametrize(
    "text",
    [
        "Okay, lock the doors then.",
        "um lock the doors would you",
        "Do lock the doors!",
        "so lock the doors please mate",
    ],
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


def test_what_is_missing_is_asked_for_and_the_parser_is_told(rig: Rig) -> None:
    reply = rig.say("get somebody on the line for me", "call_contact()")
    assert reply.text == "Whom shall I call?" and rig.done == []
    rig.say("my sister please would you", "call_contact(person=sister)")
    assert rig.parser.contexts[-1] == "needs call_contact()"
    assert rig.done == ["call_contact(person=sister)"]


def test_yes_in_any_words_confirms_and_more_may_follow(rig: Rig) -> None:
    rig.say("my window all the way", "set_window(window=driver,percent=100)")
    rig.say("i suppose so and the music louder", "yes(); change_volume(change=up)")
    assert rig.done == ["set_window(window=driver, percent=100)", "change_volume(change=up)"]


def test_no_in_any_words_withdraws(rig: Rig) -> None:
    rig.say("my window all the way", "set_window(window=driver,percent=100)")
    reply = rig.say("on second thought leave it shut", "no()")
    assert reply.text == "Okay, I won't." and rig.vehicle.waiting == {}


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


def test_one_of_several_places_is_chosen_by_its_number(rig: Rig) -> None:
    assert (
        rig.say("the second of them", "choose(number=2)").text == "I'm not sure what you mean. Please say it in full."
    )


def test_endless_speech_gets_a_short_answer_and_is_not_kept(rig: Rig) -> None:
    assert rig.say("open my window and " * 300).text == "That was too long for me. Please say it in a few words."
    assert (
        rig.say("\u8bf7\u6253\u5f00\u8f66\u7a97", "set_window(window=all,percent=100)").text
        == "Sorry, I didn't understand that."
    )


def test_no_act_of_several_is_lost_without_a_word(rig: Rig) -> None:
    reply = rig.say("fan to two and what did you just do", "set_fan_speed(level=2); get_last(part=done)")
    assert rig.done == ["set_fan_speed(level=2)"] and reply.text.endswith("I didn't understand the rest.")
    assert "You can ask for" in rig.say("fan to three and help me", "set_fan_speed(level=3); help()").text


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


def test_interior_lights_off_are_all_of_them(rig: Rig) -> None:
    rig.say("turn off the interior lights")
    assert rig.done == [
        "set_ambient_light(on=False)",
        "set_reading_light(zone=all, on=False)",
        "set_dome_light(on=False)",
    ]


def test_everything_off_is_offered_thing_by_thing_and_done_only_after_a_yes(rig: Rig) -> None:
    rig.vehicle.values |= {"light.ambient.on": True, "media.playing": True, "light.reading.driver": True}
    reply = rig.say("everything off apart from my reading light", "all_off(spared=my reading light)")
    assert rig.done == [] and "mbient" in reply.text and reply.text.endswith("?")
    rig.say("yes")
    assert rig.done == ["set_ambient_light(on=False)", "set_playback(command=pause)"]


@pytest.mark.parametrize("text", ["turn everything up", "switch off all the lights they said"])
def test_everything_goes_off_only_where_no_thing_is_named_and_off_is_said(rig: Rig, text: str) -> None:
    rig.vehicle.values |= {"climate.on": True, "media.playing": True}
    reply = rig.say(text, "all_off()")
    assert rig.done == [] and "climate" not in reply.text.casefold()


def test_a_word_that_points_is_the_name_of_no_place(rig: Rig) -> None:
    assert rig.say("okay go there instead then", "navigate_to(destination=instead)").text == "Where to?"


def test_a_greeting_beside_a_wish_does_not_ask_for_one(rig: Rig) -> None:
    reply = rig.say("hello there the fan at three", "hello(); set_fan_speed(level=3)")
    assert reply.text.startswith("Hello. ") and "What can I do" not in reply.text and len(rig.done) == 1
    assert rig.say("hello there", "hello()").text == "Hello. What can I do for you?"


@pytest.mark.parametrize("word", ["praise", "thanks", "blame"])
def test_nobody_is_thanked_beside_a_question_whether_it_was_meant_so(rig: Rig, word: str) -> None:
    acts = f"{word}(); change_volume(change=down)"
    assert rig.say("its making a right racket", acts, 0.6).text == "Shall I turn it down?"
    assert rig.say("lovely and a little quieter", acts).text.endswith("Turning it down.")
