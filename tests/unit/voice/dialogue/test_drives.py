"""Drives: what is said one after the other to the real matcher, gate and simulated car, and every reply, word for word.

The parser is a stub that knows a few sentences: all else must come out by rules alone, also when it is heard and not typed.

Long because a drive is told whole, word for word.
"""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from deploy.car import sayable
from models.commands.matcher import TemplateMatcher
from models.commands.templates import load_templates
from models.numbers import mhz_of
from schemas.clock import StreamClock
from schemas.events import Transcript
from schemas.seat import Seat
from tests.dialogues import StubParser, say
from tests.memories import memory_of
from vehicle import organizer as organizer_module
from vehicle.adapters.simulated import SimulatedVehicle
from vehicle.media import MediaLibrary
from vehicle.organizer import Organizer
from vehicle.service import GatedVehicle
from voice.dialogue.agent import Dialogue
from voice.dialogue.replies.responder import DRIVING, NOT_UNDERSTOOD

EVENING = datetime(2026, 11, 20, 20, 30, tzinfo=UTC)
SAMPLE = Path(organizer_module.__file__).with_name("organizer.json")


PARSED = {
    "set a timer for five minutes and another for ten minutes": "set_timer(minutes=5); set_timer(minutes=10)",
    "set two timers one for five and one for ten minutes": "set_timer(minutes=5); set_timer(minutes=10)",
    "forget the reminder about the dentist": "cancel_timer(kind=reminder,label=dentist)",
    "navigate to xyzzy": "navigate_to(destination=xyzzy)",
    "close everything and turn on recirculation": "set_window(window=all,percent=0); set_sunroof(percent=0); "
    "set_recirculation(on=true)",
    "remind me to call anna": "set_reminder(what=call anna)",
    "take me home and add a stop at the post office": "navigate_to(destination=home); add_stop(destination=post office)",
    "why is mine twenty three now": "why()",
    "mine twenty three now": "set_temperature(celsius=23,zone=driver)",
    "why is the passenger at twenty": "why()",
    "the passenger at twenty": "set_temperature(celsius=20,zone=passenger)",
    "why's my side at nineteen": "why()",
    "my side at nineteen": "set_temperature(celsius=19,zone=driver)",
    "set a timer for the roast potatoes": "set_timer(label=roast potatoes)",
    "set a timer": "set_timer()",
    "remind me at half past nine to call mum": "set_reminder(what=call mum,hour=9,minute=30)",
    "make the dentist half past nine": "set_reminder(what=the dentist,hour=9,minute=30)",
    "remind me tomorrow at nine in the morning of the dentist": "set_reminder(what=dentist,hour=9,half=am,day=tomorrow)",
    "remind me tomorrow at nine to take the lasagne out of the freezer":
    "set_reminder(what=take the lasagne out of the freezer,hour=9,day=tomorrow)",
    "remind me when i get home to water the plants": "set_reminder(what=water the plants)",
    "wake me at six thirty tomorrow": "set_reminder(what=wake me,hour=6,minute=30,day=tomorrow)",
    "wake me at half past seven": "set_reminder(what=wake me,hour=7,minute=30)",
    "remind me in twenty minutes to check the cake": "set_reminder(what=check the cake,minutes=20)",
}  # fmt: skip


class Drive:
    """A dialogue in a simulated car whose clock goes on by a few seconds with everything that is said."""

    def __init__(self, matcher: TemplateMatcher, profile: str = "parked") -> None:
        self.clock = StreamClock()
        self.memory = memory_of(clock=self.now)
        self.seat = Seat(self.memory)
        organizer = Organizer.load(SAMPLE, self.clock.now, self.now)
        car = SimulatedVehicle(self.clock, profile=profile)
        media = MediaLibrary.load(mhz_of=mhz_of)
        self.vehicle = GatedVehicle(car, self.clock, organizer=organizer, media=media)
        self.dialogue = Dialogue(
            seat=self.seat,
            vehicle=self.vehicle,
            matcher=matcher,
            parser=StubParser(PARSED),
            clock=self.now,
        )
        self.clock.advance_to(100.0)

    def now(self) -> datetime:
        return EVENING + timedelta(seconds=self.clock.now())

    def say(self, text: str) -> str:
        self.clock.advance_to(self.clock.now() + 4.0)
        return say(self.dialogue, text).text


@pytest.fixture(scope="module")
def matcher() -> TemplateMatcher:
    names = {"contact": Organizer.load(SAMPLE, lambda: 0.0).people, "playlist": MediaLibrary.load().playlist_names()}
    return TemplateMatcher(load_templates(names=sayable(names)))


DRIVES: dict[str, list[tuple[str, str]]] = {
    "another thing the same": [
        ("it's freezing in here", "Making it warmer."),
        ("and the seat heating too", "Seat heating up."),
        ("and the steering wheel as well", "Making the steering wheel warmer."),
        ("turn on the seat heating", "Seat heating medium."),
        ("and the steering wheel too", "Steering wheel heating medium."),
        ("dim the display", "Screen dimmer."),
        ("and the volume too", "Turning it down."),
    ],
    "two timers": [
        ("set a timer for five minutes and another for ten minutes", "Timer: 5 minutes. Timer: 10 minutes."),
        ("which timers are set", "Timer: 4 minutes 56 seconds left and timer: 9 minutes 56 seconds left."),
        ("cancel all timers", "Timers cancelled."),
        ("set two timers one for 5 and one for 10 minutes", "Timer: 5 minutes. Timer: 10 minutes."),
    ],
    "a reminder that is not wanted any more": [
        ("remind me to call the dentist in two hours", "I'll remind you at 10:31 in the evening: call the dentist."),
        ("remind me to buy milk in one hour", "I'll remind you at 9:31 in the evening: buy milk."),
        ("forget the reminder about the dentist", "Reminder cancelled."),
        ("which reminders are set", "At 9:31 in the evening: buy milk."),
        ("forget the reminder to buy milk", "Reminder cancelled."),
        ("which reminders are set", "There is no reminder."),
    ],
    "a reminder while nothing is written": [
        ("pause learning for an hour", "Okay, I learn nothing for an hour."),
        (
            "remind me to call the dentist in two hours",
            "I'll remind you at 10:31 in the evening: call the dentist. It is lost when the car is switched off.",
        ),
        ("resume learning", "Okay, I learn again."),
        ("this is a private trip", "Private trip: I remember nothing."),
        (
            "remind me to buy milk in one hour",
            "I'll remind you at 9:32 in the evening: buy milk. It is lost when the car is switched off.",
        ),
        ("the private trip is over", "I may remember things again."),
        ("remind me to buy milk in one hour", "I'll remind you at 9:32 in the evening: buy milk."),
    ],
    "stuffy": [
        ("turn on recirculation", "Recirculating the air."),
        ("it's stuffy in here", "Letting fresh air in. Fan up."),
        (
            "close everything and turn on recirculation",
            "All windows are closed already. The sunroof is closed already. Recirculating the air.",
        ),
    ],
    "not all the way": [
        ("open my window", "Opening your window."),
        ("next question", NOT_UNDERSTOOD),
        ("close the window but not all the way", "Your window to 20 percent."),
        ("undo that", "Window as it was before."),
        ("close it but not completely", "Your window to 20 percent."),
        ("open it but not all the way", "Your window to 50 percent."),
        ("close all the windows but not all the way", "Your window to 20 percent."),
        ("close all the windows", "Closing your window."),
        ("open all the windows but not all the way", "All windows to 50 percent."),
        (
            "close them but not all the way",
            "Somebody may have a hand at the window. Shall I open all windows to 20 percent?",
        ),
        ("yes", "All windows to 20 percent."),
    ],
    "on arrival": [
        (
            "remind me to buy milk when we arrive",
            "There is no route; tell me where to go, then ask me to remind you when we arrive.",
        ),
        ("take me home", "Taking you home, 6 minutes away."),
        ("when we get there remind me to buy milk", "I'll remind you when we arrive: buy milk."),
        ("remind me to call anna", "When shall I remind you?"),
        ("when we get there", "I'll remind you when we arrive: call anna."),
        ("cancel the route", "Navigation ended."),
    ],
    "the other one, and back": [
        ("heat my seat", "Seat heating medium."),
        ("and the other one", "Seat heating medium on the passenger's side."),
        ("put hers back", "Seat heating as it was before."),
        ("close the passenger window a bit", "Window: that is as far as it goes."),
        ("the other one", "Window: that is as far as it goes."),
        ("and close both", "The front windows are closed already."),
        ("restart the navigation", NOT_UNDERSTOOD + " You can say, for example: take me home."),
        ("take me home", "Taking you home, 6 minutes away."),
        ("stop navigation", "Navigation ended."),
        ("fold the mirrors", "Mirrors folded."),
        ("restart the navigation", "Taking you home, 6 minutes away."),
    ],
    "what was done and said last": [
        ("what did you just do", "Nothing that I know of."),
        ("fold the mirrors", "Mirrors folded."),
        ("what time is it", "It is 20:31."),
        ("what did you just do", "The last thing that I did: Mirrors folded."),
        ("what did i just say", "You said: what time is it."),
    ],
    "near another place": [
        ("take me home and add a stop at the post office", "Taking you home, 6 minutes away. Adding Post Office, 2 minutes away."),
        (
            "are there any hotels near the airport",
            "Near Marrowby Airport there is Traveller's Rest, 12 minutes away and Hotel Belvoir, 3 minutes away.",
        ),
        ("where are we going", "To Home, 9 minutes, with a stop at Post Office."),
        ("find a cafe near the airport", "Near Marrowby Airport I know of none; the nearest to it is Drive-In Roast."),
    ],
    "window groups": [
        ("open the front windows a third", "The front windows to 35 percent."),
        ("and the other ones", NOT_UNDERSTOOD),
        ("close all the windows except mine",
         "Somebody may have a hand at the window. Shall I close the passenger's window?"),
        ("yes", "Closing the passenger's window."),
        ("open all the windows", "Opening all windows."),
        ("close all the windows except mine",
         "Somebody may have a hand at the window. Shall I close all windows but yours?"),
        ("yes", "Closing all windows but yours."),
        ("open them again", "Opening all windows but yours."),
        (
            "a bit less",
            "Somebody may have a hand at the window. Shall I close all windows but yours a little?",
        ),
        ("no", "Okay, I won't."),
        ("close the front windows", "Somebody may have a hand at the window. Shall I close the front windows?"),
        ("yes", "Closing the front windows."),
    ],
    "both screens": [
        ("defrost the rear window", "Rear defroster on."),
        ("and the windscreen", "Front defroster on."),
        ("turn it off", "Front defroster off."),
        ("turn off the air conditioning", "Air conditioning off."),
        ("open my window", "Opening your window."),
        ("and the rear window", "Opening the rear windows."),
        ("play some jazz", "Playing So What by Miles Davis."),
        ("and the windscreen", f"{NOT_UNDERSTOOD} You can say, for example: the windshield is fogged up."),
    ],
    "once more": [
        ("play some jazz", "Playing So What by Miles Davis."),
        ("next song", "Next one."),
        ("play it again", "From the beginning."),
        ("repeat it", "From the beginning."),
        ("repeat that", "From the beginning."),
        ("skip forward", "Going forward a bit."),
        ("go back fifteen seconds", "Back 15 seconds."),
        ("rewind the song one minute", "Back 1 minute."),
        ("twice as loud", "Twice as loud."),
        ("half as loud", "Half as loud."),
        ("set the temperature to twenty one", "21 degrees already."),
        ("repeat it", "21 degrees already."),
        ("put on the news", "Playing The News Station."),
        ("play it again", "I can only do that with music and podcasts; ask me to play some first."),
        ("tune to ninety eight point five", "Playing Radio One."),
    ],
    "mirrors": [
        ("fold the mirrors", "Mirrors folded."),
        ("and out again", "Mirrors unfolded."),
        ("and back in again", "Mirrors folded."),
    ],
    "a charger with something": [
        ("find a charger with a cafe", "Taking you to Library Courtyard Charger, 2 minutes away."),
        ("navigate to the nearest charging station with a playground", "Taking you to Tesla Retail Park, 9 minutes away."),
    ],
    "warmer": [
        ("it's freezing in here", "Making it warmer."),
        ("a bit more", "Making it warmer."),
        ("and the passenger side too", "Making it warmer on the passenger's side."),
        ("that's too much", "Making it cooler on the passenger's side."),
        ("undo that", "Temperature as it was before."),
        ("set it to twenty two degrees", "22 degrees."),
        ("no twenty one", "21 degrees."),
        ("turn the fan to three", "Fan at 3."),
        ("a little less", "Fan down."),
        ("make that two", "Fan at 2 already."),
        ("turn it off", "Fan off."),
        ("cooler", "Making it cooler."),
        ("more", "Making it cooler."),
        ("no the other way", "Making it warmer."),
        ("higher", "Making it warmer."),
    ],
    "seats": [
        ("heat my seat please", "Seat heating medium."),
        ("higher", "Seat heating up."),
        ("and the passenger's too", "Seat heating up on the passenger's side."),
        ("turn them both off", "Seat heating off on both sides."),
        ("massage level two", "Massage medium."),
        ("a bit more", "Massage high."),
        ("turn it off", "Massage off."),
        ("move my seat back a bit", "Moving your seat back."),
        ("too much", "Moving your seat forward."),
    ],
    "a reminder at another time": [
        ("remind me tomorrow at nine in the morning of the dentist", "I'll remind you at 9 o'clock tomorrow morning: the dentist."),
        ("make the dentist half past nine", "I'll remind you at 9:30 tomorrow morning: the dentist instead."),
        ("how much time is left on the timer", "There is no timer, but one reminder, at 9:30 tomorrow morning: the dentist."),
    ],
    "dimmer than off": [("make the ambient light dimmer", "Ambient light: it goes no lower.")],
    "turn it up": [
        ("turn it up", "Turning it up."),
        ("turn on the seat heating", "Seat heating medium."),
        ("turn it up", "Seat heating up."),
        ("turn it down a bit please", "Seat heating down."),
        ("louder", "Turning it up."),
        ("turn it up", "Turning it up."),
    ],
    "windows": [
        ("turn off the air conditioning", "Air conditioning off already."),
        ("open my window", "Opening your window."),
        ("stop", "Okay."),
        ("close it again", "Closing your window."),
        ("open the sunroof", "Opening the sunroof."),
        ("stop", "Stopped."),
        ("a bit more", "Opening the sunroof a little."),
        ("open the rear windows halfway", "The rear windows to 50 percent."),
        ("close everything", ("Somebody may have a hand at the window. Somebody may have a hand at the sunroof. "
         "Shall I close the rear windows and close the sunroof?")),
        ("yes", "Closing the rear windows. Closing the sunroof."),
    ],
    "lights": [
        ("set the ambient lights to blue", "Ambient light blue."),
        ("no green", "Ambient light green."),
        ("a bit more", "Making the light brighter."),
        ("turn on the reading light", "Reading light on."),
        ("and switch it off again", "Reading light off."),
        ("turn off all the lights inside", "Ambient light off. All reading lights off. Dome light off."),
    ],
    "music": [
        ("play some jazz", "Playing So What by Miles Davis."),
        ("not so loud", "Turning it down."),
        ("a bit more", "Turning it down."),
        ("next song", "Next one."),
        ("no the one before", "The one before."),
        ("who is this", "So What by Miles Davis."),
        ("put on the news", "Playing The News Station."),
        ("turn it off", "Paused."),
        ("play my quiet evening playlist", "Playing Blue in Green by Miles Davis."),
    ],
    "somewhere": [
        ("take me home", "Taking you home, 6 minutes away."),
        ("how long will it take", "To Home, 6 minutes."),
        ("find a restaurant", "Taking you to Trattoria Limoncella, 2 minutes away."),
        ("no the other one", "Taking you to Green Furrow, 3 minutes away."),
        ("something else", "Taking you to Bistro Hirondelle, 3 minutes away."),
        ("something japanese", "Taking you to Hoshi Counter, 4 minutes away."),
        ("how far is it to the airport", "Marrowby Airport is 8.7 kilometres, 13 minutes away."),
        ("let's go there instead", "Taking you to Marrowby Airport, 13 minutes away."),
        ("which restaurants are nearby", ("There is Trattoria Limoncella, 2 minutes away, Green Furrow, 3 minutes away and "
         "Bistro Hirondelle, 3 minutes away.")),
        ("take me to the second one", "Taking you to Green Furrow, 3 minutes away."),
    ],
    "people": [
        ("what's priya's number", "The number of Priya Nair is +49 30 5550103."),
        ("call her", "That starts a telephone call. Shall I call Priya Nair?"),
        ("no", "Okay, I won't."),
        ("call garage pohl", "That starts a telephone call. Shall I call garage pohl?"),
        ("yes", "Calling Garage Pohl."),
        ("what's on my calendar", "Today: Dentist at 15:30, Dr Ames, dentist."),
        ("and tomorrow", "Nothing is in your calendar tomorrow."),
        ("will it rain", "Today: clouds with light rain, 7 to 12 degrees, 60 percent chance of rain."),
        ("what about tomorrow", "Tomorrow: clouds with light rain, 7 to 12 degrees, 60 percent chance of rain."),
    ],
    "reminders": [
        ("set a timer for the roast potatoes", "For how long?"),
        ("eight minutes", "Timer for roast potatoes: 8 minutes."),
        ("no make it ten", "Timer for roast potatoes: 10 minutes instead."),
        ("set a timer", "For how long?"),
        ("never mind", "Okay, I won't."),
        ("remind me to buy milk", "When shall I remind you?"),
        ("at six", "I'll remind you at 6 o'clock tomorrow morning: buy milk."),
        ("remind me at half past nine to call mum", "I'll remind you at 9:30 in the evening: call mum."),
        ("remind me tomorrow at nine to take the lasagne out of the freezer", (
            "I'll remind you at 9 o'clock tomorrow morning: take the lasagne out of the freezer.")),
        ("remind me when i get home to water the plants", "When shall I remind you?"),
        ("in an hour", "I'll remind you at 9:32 in the evening: water the plants."),
        ("wake me at six thirty tomorrow", "I'll remind you at 6:30 tomorrow morning: wake me."),
        ("wake me at half past seven", "I'll remind you at 7:30 tomorrow morning: wake me."),
        ("remind me in twenty minutes to check the cake", "I'll remind you at 8:52 in the evening: check the cake."),
        ("delete my reminders", "Reminders cancelled."),
    ],
    "units": [
        ("show temperatures in fahrenheit", "From now on in degrees Fahrenheit."),
        ("set it to seventy two degrees", "72 degrees."),
        ("set the temperature to seventy one degrees fahrenheit", "71 degrees."),
        ("two degrees warmer", "Making it warmer by 2 degrees."),
        ("no seventy", "70 degrees."),
        ("set the temperature to twenty degrees celsius", "68 degrees."),
        ("how warm is it outside", "It is 54 degrees outside."),
        ("what's the weather", "Today: clouds with light rain, 45 to 54 degrees, 60 percent chance of rain."),
        ("use miles please", "From now on in miles."),
        ("how far can i go", "159 miles, the battery is at 72 percent."),
        ("how far is it to the airport", "Marrowby Airport is 5.4 miles, 13 minutes away."),
        ("what's the mileage", "11340 miles."),
        ("switch to kilometres", "From now on in kilometres."),
        ("how far can i go", "256 kilometres, the battery is at 72 percent."),
    ],
    "talk": [
        ("hello", "Hello. What can I do for you?"),
        ("don't open the window", "Okay, I won't."),
        ("thank you", "You're welcome."),
        ("a bit more", NOT_UNDERSTOOD),
        ("turn it off", NOT_UNDERSTOOD),
        ("turn on cruise control", DRIVING),
        ("honk the horn", DRIVING),
        ("can you drive the car for me", DRIVING),
        ("purple monkey dishwasher", NOT_UNDERSTOOD),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", DRIVES)
def test_a_drive(name: str, matcher: TemplateMatcher) -> None:
    drive = Drive(matcher)
    assert [(text, drive.say(text)) for text, _ in DRIVES[name]] == DRIVES[name]


def test_on_the_motorway_the_speeds_of_a_refusal_are_in_the_drivers_unit(matcher: TemplateMatcher) -> None:
    drive = Drive(matcher, "motorway")
    assert "120 kilometres an hour" in drive.say("open my window")
    drive.say("use miles")
    drive.say("yes")
    assert "75 miles an hour" in drive.say("open my window")


def test_the_speed_is_told_in_the_drivers_unit(matcher: TemplateMatcher) -> None:
    drive = Drive(matcher, "motorway")
    kmh = re.fullmatch(r"(\d+) kilometres an hour\.", drive.say("how fast are we going"))
    drive.say("use miles")
    drive.say("yes")
    mph = re.fullmatch(r"(\d+) miles an hour\.", drive.say("what's my speed"))
    assert kmh is not None and mph is not None
    assert 100 < int(kmh[1]) < 140
    assert int(mph[1]) == pytest.approx(int(kmh[1]) / 1.609, abs=3)
    assert Drive(matcher).say("how fast are we going") == "We stand still."


def test_a_song_is_played_again_from_its_beginning_also_after_a_while(matcher: TemplateMatcher) -> None:
    drive = Drive(matcher)
    drive.say("play some jazz")
    drive.clock.advance_to(drive.clock.now() + 150.0)
    assert asyncio.run(drive.vehicle.state()).values["media.position"] >= 150
    assert drive.say("play that song again") == "From the beginning."
    assert asyncio.run(drive.vehicle.state()).values["media.position"] < 5


def test_closing_not_all_the_way_never_opens(matcher: TemplateMatcher) -> None:
    drive = Drive(matcher)
    drive.say("open my window ten percent")
    drive.clock.advance_to(drive.clock.now() + 20.0)
    assert drive.say("close my window but not all the way") == "Your window to 5 percent."


def test_what_follows_is_about_the_last_two_minutes_only(matcher: TemplateMatcher) -> None:
    drive = Drive(matcher)
    drive.say("play some jazz")
    drive.say("louder")
    drive.clock.advance_to(drive.clock.now() + 121.0)
    assert drive.say("a bit more") == NOT_UNDERSTOOD


@pytest.mark.parametrize(
    ("unit", "heard", "said"),
    [
        ("celsius", "seventy", "17 degrees."),
        ("celsius", "seventy two", "22 degrees."),
        ("fahrenheit", "seventeen", "70 degrees already."),
    ],
)
def test_of_two_numbers_that_sound_alike_the_unit_decides(
    matcher: TemplateMatcher, unit: str, heard: str, said: str
) -> None:
    drive = Drive(matcher)
    drive.say(f"switch to {unit}")
    text = f"set the temperature to {heard} degrees"
    transcript = Transcript(text=text, confidence=0.9, in_grammar=True)
    assert asyncio.run(drive.dialogue.respond(transcript)).text == said


def test_nothing_of_a_private_trip_or_of_another_driver_is_told(matcher: TemplateMatcher) -> None:
    drive = Drive(matcher)
    drive.say("fold the mirrors")
    drive.memory.set_private_trip(True)
    drive.say("unfold the mirrors")
    assert drive.say("what did you just do") == "Nothing that I know of."
    drive.memory.set_private_trip(False)
    assert drive.say("what did i just say") == "I don't know what you said last."
    drive.say("fold the mirrors")
    assert drive.say("what did you do") == "The last thing that I did: Mirrors folded."
    drive.seat.take(memory_of(clock=drive.now))  # somebody else drives
    assert drive.say("what did you do") == "Nothing that I know of."


def test_what_was_done_last_is_what_changed_something(matcher: TemplateMatcher) -> None:
    drive = Drive(matcher)
    drive.say("navigate to xyzzy")
    nothing = (
        "Nothing that I know of. I did not do the last thing that you asked for: I don't know of xyzzy around here."
    )
    assert drive.say("what did you do") == nothing
    drive.say("fold the mirrors")
    drive.say("close the sunroof")  # it is closed
    assert drive.say("what did you do") == "The last thing that I did: Mirrors folded."
    drive.say("navigate to xyzzy")
    assert drive.say("what did you do") == f"The last thing that I did: Mirrors folded.{nothing.partition('.')[2]}"


def test_the_last_turn_is_told_whole_and_then_what_came_before_it(matcher: TemplateMatcher) -> None:
    drive = Drive(matcher)
    drive.say("fold the mirrors")
    drive.say("close everything and turn on recirculation")
    drive.say("set the temperature to twenty two degrees")
    drive.say("fold the mirrors")  # they are
    assert drive.say("what did you just do") == "The last thing that I did: 22 degrees."
    assert drive.say("and before that") == "Before that: Recirculating the air."  # all was closed
    assert drive.say("what about before that one") == "Before that: Mirrors folded."
    assert drive.say("and before that") == "I know of nothing before that."
    assert drive.say("unfold the mirrors") == "Mirrors unfolded."
    assert drive.say("and before that") == NOT_UNDERSTOOD  # nobody has told what was done
    drive.memory.set_private_trip(True)
    drive.say("fold the mirrors")
    drive.say("what did you just do")
    assert drive.say("and before that") == "I know of nothing before that."


def test_why_tells_of_the_turn_that_moved_the_thing(matcher: TemplateMatcher) -> None:
    drive = Drive(matcher)
    drive.say("twenty three degrees on my side")
    drive.say("twenty degrees on the passenger side")
    assert drive.say("20 degrees on the passenger side").endswith("already.")
    assert drive.say("why did you do that") == "Because it was so already. I have moved nothing."
    assert drive.say("why is mine twenty three now").endswith(": twenty three degrees on my side.")
    assert drive.say("why is the passenger at twenty").endswith(": twenty degrees on the passenger side.")
    assert drive.say("why's my side at nineteen") == "I have done nothing like that."
