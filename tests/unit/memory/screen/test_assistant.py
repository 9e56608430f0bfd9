"""The assistant's view over a gated simulated car: the turn, answers by a tap, the tiles; who sees what of it."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, timedelta

import pytest

from deploy.screen import OwnLoop
from deploy.showing.cabin import SeenCabin
from memory.screen.app import Screen
from memory.screen.assistant.glance import Glance
from memory.screen.assistant.page import GLANCE, line
from memory.screen.assistant.talk import LASTS, WAITS, Act, Came, Exchange
from memory.screen.assistant.tiles import SHOWN, tiles
from memory.screen.parts import Offered
from memory.screen.wording import LANGUAGES, Wording
from schemas.actions import ACTIONS, SetTimer, SetWindow
from schemas.clock import WallClock
from schemas.events import Asking, Choice, Motion, Phase, VehicleState, Wanted
from schemas.memory import Waiting
from tests.gated_car import SLOTS
from tests.screens import NOW, Browser, Car, FakeDrivers
from tests.vehicle_rigs import until
from vehicle.adapters import open_adapter
from vehicle.policy import CONFIRMATION_S
from vehicle.service import GatedVehicle
from vehicle.signals import SIGNALS

YES_NO = Asking(
    number=7, question="Shall I close the windows?", yes_no=True,
    wanted=(Wanted(name="set_window", slots={"window": "all", "percent": 0}),),
)  # fmt: skip
WHICH = Asking(
    number=8,
    question="Lock or unlock the doors?",
    choices=(
        Choice(label="lock the doors", answer="lock the doors"),
        Choice(label="unlock", answer="unlock the doors"),
    ),
)
DONE = Act("set_window", {"window": "driver", "percent": 40}, Came.DONE)


@dataclass
class Finger:
    """What was tapped; meets ``schemas.ports.Touch``."""

    did: list[object] = field(default_factory=list)

    def press(self) -> None:
        self.did.append("press")

    def answer(self, number: int, words: str) -> None:
        self.did.append((number, words))

    def order(self, words: str) -> None:
        self.did.append(words)


@pytest.fixture
def touch(screen: Screen) -> Finger:
    made = Finger()
    object.__setattr__(screen.parts, "touch", made)
    return made


@pytest.fixture
def vehicle(screen: Screen) -> Iterator[GatedVehicle]:
    loop, clock = OwnLoop(), WallClock()
    made = GatedVehicle(open_adapter("simulated", clock=clock, profile="parked"), clock)
    cabin = SeenCabin(made, lambda: loop.loop)  # type: ignore[arg-type]
    object.__setattr__(screen.parts, "cabin", cabin)
    object.__setattr__(screen.parts, "glance", Glance(cabin, screen.parts.clock))
    made.does = lambda action: loop.run(made.act(action))  # type: ignore[attr-defined]
    made.sees = lambda name: loop.run(made.state()).values[name]  # type: ignore[attr-defined]
    yield made
    loop.run(made.close())
    loop.close()


def asked(screen: Screen, asking: Asking = YES_NO) -> None:
    screen.parts.talk.stands(Phase.SPEAKING, asking, 0)
    screen.parts.talk.replied(Exchange("close everything", asking.question, screen.parts.clock()), 0)
    screen.parts.talk.stands(Phase.LISTENING, asking, 0)


# The turn


def test_in_stillness_it_tells_the_time_who_drives_and_whether_it_remembers(
    browser: Browser, touch: Finger, drivers: FakeDrivers
) -> None:
    page = browser.get("/")
    assert "08:05" in page and "Ada" in page and "Remembers what you like" in page and "Listens for its name" in page
    drivers.switch(None)
    assert "Guest" in browser.get("/") and "Remembers nothing of a guest" in browser.page
    browser.post("/talk")
    assert touch.did == ["press"]


def test_without_the_assistant_it_says_that_nothing_listens(browser: Browser, screen: Screen) -> None:
    object.__setattr__(screen.parts, "microphone", None)
    page = browser.get("/")
    assert "Nothing listens" in page and 'action="/talk"' not in page


def test_words_reply_and_what_was_done_are_shown_with_its_value_and_an_undo(
    browser: Browser, screen: Screen, touch: Finger
) -> None:
    talk = screen.parts.talk
    talk.stands(Phase.HEARING, None, 0)
    talk.hears("open my window to", 0)
    assert "open my window to" in browser.get("/") and 'data-phase="hearing"' in browser.page
    talk.stands(Phase.THINKING, None, 0)
    assert "open my window to" in browser.get("/") and "Thinking" in browser.page
    talk.stands(Phase.SPEAKING, None, 0)
    talk.replied(Exchange("open my window", "Your window is at 40 percent.", NOW, (DONE,), undo=True), 0)
    page = browser.get("/")
    assert "Your window is at 40 percent." in page and "Window: driver, 40 %" in page and "open my window" in page
    browser.post("/again/1", what="undo")
    assert touch.did == ["undo that"]
    assert 'action="/again/1"' not in browser.get("/")


def test_signs_alone_take_no_word_away(screen: Screen) -> None:
    talk = screen.parts.talk
    talk.stands(Phase.HEARING, None, 0)
    for words in ("open my", "…", " . "):
        talk.hears(words, 0)
        assert talk.stand.words == "open my"
    talk.hears("", 0)
    assert talk.stand.words == ""


def test_an_undo_of_what_is_not_the_last_any_more_does_nothing(browser: Browser, screen: Screen, touch: Finger) -> None:
    talk = screen.parts.talk
    talk.replied(Exchange("open my window", "Okay.", NOW, (DONE,), undo=True), 0)
    browser.get("/")
    talk.replied(Exchange("warmer", "Okay.", NOW, (DONE,), undo=True), 0)
    assert browser.post("/again/1", what="undo") == "/" and touch.did == []


def test_a_question_is_answered_as_if_it_had_been_said(browser: Browser, screen: Screen, touch: Finger) -> None:
    asked(screen)
    page = browser.get("/")
    assert "Shall I close the windows?" in page and page.count('action="/answer/7"') == 2
    browser.post("/answer/7", answer="yes")
    asked(screen, WHICH)
    assert "lock the doors" in browser.get("/")
    browser.post("/answer/8", answer="1")
    browser.get("/")
    browser.post("/answer/8", answer="no")
    browser.get("/")
    browser.post("/answer/8", 400, answer="yes")  # which of them, is no question for a yes
    assert touch.did == [(7, "yes"), (8, "unlock the doors"), (8, "never mind")]


def test_a_tap_on_a_question_that_is_over_does_nothing(browser: Browser, screen: Screen, touch: Finger) -> None:
    asked(screen)
    browser.get("/")
    screen.parts.talk.stands(Phase.IDLE, None, 0)
    assert browser.post("/answer/7", answer="yes") == "/"
    asked(screen, WHICH)
    browser.get("/")
    asked(screen, YES_NO)
    assert browser.post("/answer/8", answer="0") == "/" and touch.did == []


def test_what_was_not_understood_is_shown_with_the_best_guess(browser: Browser, screen: Screen, touch: Finger) -> None:
    missed = Exchange("open the sun wolf", "I didn't understand that.", NOW, missed=True, guess="open the sunroof")
    screen.parts.talk.replied(missed, 0)
    page = browser.get("/")
    assert "open the sun wolf" in page and "Did you mean:" in page
    assert page.count("understand") == 0  # that it was not understood is said once
    browser.post("/again/1", what="guess")
    assert touch.did == ["open the sunroof"]
    object.__setattr__(screen.parts, "touch", None)  # nobody could take the guess up
    assert "Did you mean:" not in browser.get("/")
    screen.parts.talk.replied(replace(missed, guess=""), 0)
    assert "I didn&#39;t understand that." in browser.get("/")


def test_a_reply_stays_for_a_while_and_is_gone_then(browser: Browser, screen: Screen, car: Car) -> None:
    screen.parts.talk.replied(Exchange("hello", "Good morning.", NOW), 0)
    assert "Good morning." in browser.get("/")
    car.now += LASTS + timedelta(seconds=1)
    assert "Good morning." not in browser.get("/")


def test_a_question_that_nobody_answered_goes_with_its_buttons(
    browser: Browser, screen: Screen, touch: Finger, car: Car
) -> None:
    """The dialogue says when it is over; what was done in the same turn stays, and can be taken back."""
    asked(screen)
    assert YES_NO.question in browser.get("/") and 'action="/answer/7"' in browser.page
    screen.parts.talk.stands(Phase.IDLE, YES_NO, 0)  # as the loop tells it: the turn first, then what is open
    screen.parts.talk.stands(Phase.IDLE, None, 0)
    assert YES_NO.question not in browser.get("/") and 'action="/answer/7"' not in browser.page
    screen.parts.talk.replied(Exchange("warmer", "22 degrees. Shall I remember that?", NOW, (DONE,), undo=True), 0)
    screen.parts.talk.stands(Phase.LISTENING, YES_NO, 0)
    screen.parts.talk.stands(Phase.IDLE, None, 0)
    assert "Shall I remember that?" not in browser.get("/") and "Window: driver, 40 %" in browser.page
    car.now += LASTS
    assert "Window: driver, 40 %" not in browser.get("/")


def test_what_the_gate_asks_about_a_button_stays_as_long_as_the_gate_waits(
    browser: Browser, screen: Screen, car: Car
) -> None:
    assert WAITS.total_seconds() == CONFIRMATION_S
    screen.parts.talk.noted(Act("set_window", {"window": "all", "percent": 0}, Came.ASKED, "A hand?", "token"))
    car.now += WAITS - timedelta(seconds=1)
    assert "A hand?" in browser.get("/") and 'action="/confirm"' in browser.page
    car.now += timedelta(seconds=1)
    assert "A hand?" not in browser.get("/") and 'action="/confirm"' not in browser.page


# Who sees it


@pytest.mark.parametrize("to", ["bert", None])
def test_nobody_sees_the_words_of_who_drove_before_nor_may_answer_them(
    browser: Browser, screen: Screen, drivers: FakeDrivers, touch: Finger, to: str | None
) -> None:
    asked(screen)
    screen.parts.talk.stands(Phase.HEARING, YES_NO, 0)
    screen.parts.talk.hears("take me to the clinic", 0)
    drivers.switch(to)
    page = browser.get("/")
    assert "clinic" not in page and "close" not in page and 'action="/answer' not in page
    screen.parts.talk.replied(Exchange("take me to the clinic", "Going to the clinic.", NOW), 0)  # it comes late
    screen.parts.talk.hears("the clinic", 0)
    assert "clinic" not in browser.get("/")


def test_a_guests_words_are_gone_when_a_driver_comes_back(
    browser: Browser, screen: Screen, drivers: FakeDrivers
) -> None:
    drivers.switch(None)
    screen.parts.talk.replied(Exchange("i hate my job", "I'm sorry.", NOW), screen.parts.seat.era)
    assert "i hate my job" in browser.get("/")
    drivers.switch("ada")
    assert "i hate my job" not in browser.get("/")


def test_what_is_forgotten_takes_what_was_said_with_it(browser: Browser, screen: Screen, drivers: FakeDrivers) -> None:
    screen.parts.talk.replied(Exchange("i really like jazz", "Okay, you like jazz.", NOW), 0)
    drivers.memories["ada"].forget("p1")
    assert "jazz" not in browser.get("/")


# While the car moves


def test_while_driving_there_is_one_line_and_no_word_that_was_said(browser: Browser, screen: Screen, car: Car) -> None:
    object.__setattr__(screen.parts, "touch", Finger())
    car.motion = Motion.MOVING
    talk = screen.parts.talk
    talk.stands(Phase.HEARING, None, 0)
    talk.hears("take me to the clinic", 0)
    assert "clinic" not in browser.get("/") and "Listening" in browser.page
    talk.stands(Phase.SPEAKING, None, 0)
    talk.replied(Exchange("take me to the clinic", "Going to the clinic.", NOW, (DONE,), undo=True), 0)
    page = browser.get("/")
    assert "clinic" not in page and "Window: driver, 40 %" in page and page.count('class="line"') == 1
    talk.replied(Exchange("x", "y", NOW, (Act("navigate_to", {"destination": "the clinic"}, Came.DONE),)), 0)
    assert "clinic" not in browser.get("/") and 'class="line"' in browser.page
    asked(screen)
    page = browser.get("/")
    assert "Shall I close" not in page and "Window: all, closed?" in page and 'action="/answer/7"' in page


@pytest.mark.parametrize("trouble", ["microphone_missing", "microphone_hangs"])
def test_what_hears_nothing_does_not_say_that_it_listens(
    browser: Browser, screen: Screen, car: Car, trouble: str
) -> None:
    object.__setattr__(screen.parts, "sound", lambda: (trouble,))
    for motion, told in ((Motion.PARKED, f"sound.{trouble}"), (Motion.MOVING, f"sound.short.{trouble}")):
        car.motion = motion
        for phase in (Phase.IDLE, Phase.LISTENING):
            screen.parts.talk.stands(phase, None, 0)
            page = browser.get("/")
            assert Wording("en", UTC)(told) in html.unescape(page), (motion, phase)
            assert "Listening" not in page and "Listens" not in page, (motion, phase)
    car.motion = Motion.PARKED
    assert "Hears nothing" in browser.get("/latest") and "Listening" not in browser.page
    object.__setattr__(screen.parts, "sound", lambda: ("microphone_quiet",))
    assert "Listening" in browser.get("/")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_line_of_the_driving_form_is_read_in_a_glance(screen: Screen, language: str) -> None:
    words, talk = Wording(language, screen.parts.seat.zone), screen.parts.talk
    for action in ACTIONS:
        for slots in SLOTS.get(action.name, [{}]):
            wanted = Asking(number=1, question="?", yes_no=True, wanted=(Wanted(name=action.name, slots=slots),))
            talk.stands(Phase.LISTENING, wanted, 0)
            assert 0 < len(line(talk.stand, words)) <= GLANCE
            talk.stands(Phase.SPEAKING, None, 0)
            for came in (Came.DONE, Came.REFUSED):
                talk.replied(Exchange("x", "y", NOW, (Act(action.name, slots, came, "why"),)), 0)
                assert 0 < len(line(talk.stand, words)) <= GLANCE
    for phase in (Phase.LISTENING, Phase.HEARING, Phase.THINKING):
        talk.stands(phase, None, 0)
        assert 0 < len(line(talk.stand, words)) <= GLANCE


# The car


def test_the_tiles_show_what_the_car_says_and_a_button_goes_through_the_gate(
    browser: Browser, vehicle: GatedVehicle
) -> None:
    page = browser.get("/")
    assert "21 °C" in page and "No route" in page and "All closed" in page and "None set" in page
    browser.post("/car/climate", what="warmer")
    assert vehicle.sees("climate.driver.temperature") == 21.5  # type: ignore[attr-defined]
    assert "21.5 °C" in browser.get("/")
    browser.post("/car/climate", what="colder than all")  # no such button
    assert vehicle.sees("climate.driver.temperature") == 21.5  # type: ignore[attr-defined]


def test_what_the_gate_asks_about_is_asked_and_carried_out_with_a_yes(
    browser: Browser, screen: Screen, vehicle: GatedVehicle
) -> None:
    vehicle.does(SetWindow(window="rear_left", percent=100))  # type: ignore[attr-defined]
    before = vehicle.sees("window.rear_left")  # type: ignore[attr-defined]
    assert before > 0
    browser.get("/")
    browser.post("/car/windows", what="close")
    page = browser.get("/")
    assert "Somebody may have a hand at the window." in page and vehicle.sees("window.rear_left") >= before  # type: ignore[attr-defined]
    which = page.partition('name="which" value="')[2].partition('"')[0]
    browser.post("/confirm", answer="yes", which=which)
    assert "Somebody may" not in browser.get("/")
    until(lambda: vehicle.sees("window.rear_left") == 0, "the window")  # type: ignore[attr-defined]


def test_what_the_gate_refuses_says_why(browser: Browser, screen: Screen, vehicle: GatedVehicle) -> None:
    for _ in range(40):
        browser.get("/")
        browser.post("/car/climate", what="warmer" if _ % 2 else "cooler")
        if screen.parts.talk.stand.note is not None:
            break
    assert "too often in a row" in browser.get("/")


def test_a_timer_is_shown_and_cancelled(browser: Browser, vehicle: GatedVehicle) -> None:
    vehicle.does(SetTimer(minutes=10, label="pasta"))  # type: ignore[attr-defined]
    assert "pasta" in browser.get("/")
    browser.post("/car/timers", what="cancel")
    assert vehicle.organizer.kept() == () and "pasta" not in browser.get("/")


def test_a_car_that_does_not_answer_leaves_the_tiles_out(browser: Browser, screen: Screen) -> None:
    cabin = SeenCabin(None, lambda: None)  # type: ignore[arg-type]
    object.__setattr__(screen.parts, "cabin", cabin)
    object.__setattr__(screen.parts, "glance", Glance(cabin, screen.parts.clock))
    assert "08:05" in browser.get("/") and 'class="glance"' not in browser.page


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_tile_in_every_state_has_words_and_asks_for_an_action_that_there_is(
    screen: Screen, language: str
) -> None:
    words = Wording(language, screen.parts.seat.zone)
    assert set(SHOWN) <= set(SIGNALS)
    still = {signal.name: signal.initial for signal in SIGNALS.values()}
    busy = still | {
        "climate.on": False, "media.source": "music", "media.title": "So What", "media.playing": True, "navigation.minutes": 34,
        "navigation.destination": "Station Road", "navigation.stops": ("Charging park",), "navigation.kilometers": 28.4,
        "navigation.guidance": False, "window.driver": 40, "window.rear_left": 20,
    }  # fmt: skip
    waits = [
        Waiting(kind="timer", label="", at=NOW + timedelta(minutes=5)),
        Waiting(kind="reminder", label="milk", at=NOW + timedelta(hours=2)),
    ]
    for values in (still, busy):
        for waiting in ([], waits, waits[1:]):
            for parked in (True, False):
                made = tiles(VehicleState(values=values), waiting, words, NOW, parked=parked)
                assert len(made) == (5 if parked else 3)
                for tile in made:
                    assert tile.value and words(f"tile.{tile.key}") and "_" not in "".join((tile.value, *tile.details))
                    assert all(words(f"tile.do.{one.what}") and one.asks() for one in tile.controls)
    moving = tiles(VehicleState(values=busy), waits, words, NOW, parked=False)
    assert not any(word in "".join((tile.value, *tile.details)) for tile in moving for word in ("milk", "Station"))


# An export that is handed out


@dataclass
class Hands:
    """What was handed out; meets ``memory.screen.parts.Hands``."""

    gave: list[tuple[str, str]] = field(default_factory=list)
    withdrawn: int = 0

    def sticks(self) -> tuple[str, ...]:
        return ("STICK",)

    def networks(self) -> tuple[str, ...]:
        return ("wlan0",)

    def copy(self, name: str, stick: str) -> None:
        self.gave.append((name, stick))

    def offer(self, name: str, network: str) -> Offered:
        self.gave.append((name, network))
        return Offered("http://192.168.4.1:4711/word", "M0 0h1v1h-1z", 29, 180)

    def withdraw(self) -> None:
        self.withdrawn += 1


@pytest.fixture
def hands(screen: Screen) -> Hands:
    made = Hands()
    object.__setattr__(screen.parts, "hands", made)
    return made


def test_an_export_is_handed_out_after_the_pin_and_only_then(
    browser: Browser, screen: Screen, hands: Hands, car: Car, drivers: FakeDrivers
) -> None:
    screen.parts.pins.set("ada", "2468")
    assert "STICK" not in browser.get("/privacy/exported")
    browser.get("/privacy/exporting")
    browser.post("/privacy/export", 403, pin="1111")
    assert "STICK" not in browser.get("/privacy/exported")
    browser.get("/privacy/exporting")
    browser.post("/privacy/export", pin="2468")
    assert "Copy to STICK" in browser.get("/privacy/exported")
    assert "Copied" in browser.post("/privacy/handing", 200, stick="STICK")
    browser.get("/privacy/exported")
    page = browser.post("/privacy/handing", 200, network="wlan0")
    assert "192.168.4.1:4711/word" in page and "<svg" in page and "for three minutes" in page
    assert "(Wi-Fi)" in page and "wlan0" not in page
    assert hands.gave == [("export.json", "STICK"), ("export.json", "wlan0")]
    browser.post("/privacy/handing/over")
    assert hands.withdrawn == 1 and "STICK" not in browser.get("/privacy/exported")  # another time it is another export


def test_what_was_exported_long_ago_or_by_another_driver_is_not_handed_out(
    browser: Browser, hands: Hands, car: Car, drivers: FakeDrivers
) -> None:
    browser.get("/privacy")
    browser.post("/privacy/export")
    browser.get("/privacy/exported")
    car.now += timedelta(minutes=6)
    assert browser.post("/privacy/handing", stick="STICK") == "/privacy" and hands.gave == []
    browser.get("/privacy")
    browser.post("/privacy/export")
    drivers.switch("bert")
    assert "STICK" not in browser.get("/privacy/exported") and hands.withdrawn >= 1


def test_an_export_says_what_to_do_where_it_can_go_nowhere(
    browser: Browser, hands: Hands, car: Car, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("sticks", "networks"):
        monkeypatch.setattr(hands, name, tuple)
    browser.get("/privacy")
    browser.post("/privacy/export")
    assert "plug in a USB stick" in browser.get("/privacy/exported") and "Look again" in browser.page
    monkeypatch.undo()
    assert "Copy to STICK" in browser.get("/privacy/exported") and "plug in" not in browser.page
    car.now += timedelta(minutes=6)
    assert "export it once more" in browser.get("/privacy/exported") and "STICK" not in browser.page


def test_networks_have_a_persons_names(browser: Browser, hands: Hands, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of a kind are told apart by the system's names, and a kind that nobody has a word for has that alone."""
    monkeypatch.setattr(hands, "networks", lambda: ("enp3s0", "tun0", "usb0", "wlan0", "wlp2s0"))
    browser.get("/privacy")
    browser.post("/privacy/export")
    page = browser.get("/privacy/exported")
    for told in ("over network cable<", "over tun0<", "over USB cable<", "over Wi-Fi wlan0<", "over Wi-Fi wlp2s0<"):
        assert told in page, told


def test_nothing_is_handed_out_while_driving(browser: Browser, hands: Hands, car: Car) -> None:
    browser.get("/privacy")
    browser.post("/privacy/export")
    browser.get("/privacy/exported")
    car.motion = Motion.IDLING
    assert "You are driving" in browser.post("/privacy/handing", 403, network="wlan0") and hands.gave == []
