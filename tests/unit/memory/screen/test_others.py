"""Nothing of one driver is to be seen by the next, or of what was forgotten by anybody: pages, forms, the feed, open windows."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncGenerator

import pytest

from deploy.drivers.trips import TripMemory
from deploy.screen import told
from deploy.timeline import Timeline, TimelineEntry
from memory.screen.app import Screen
from memory.screen.feed import Feed, Happened, Mark, What
from memory.screen.live import Section, Watch
from schemas.events import Motion, Reply, Route, Transcript, TurnRecord
from schemas.memory import Selector
from schemas.ports import MemoryPort
from tests.memories import fill
from tests.screens import NOW, ORIGIN, Browser, Car, FakeDrivers, preference

WITHIN_S = 0.3


def remembered(screen: Screen, value: str = "jazz") -> None:
    screen.parts.feed.tell(Happened(What.REMEMBERED, NOW, value, "favorite_genres", "p1"))


@pytest.mark.parametrize("motion", [Motion.PARKED, Motion.MOVING])
@pytest.mark.parametrize("to", ["bert", None])
def test_the_next_driver_and_a_guest_see_nothing_of_what_happened_before(
    screen: Screen, browser: Browser, car: Car, drivers: FakeDrivers, motion: Motion, to: str | None
) -> None:
    screen.parts.feed.tell(Happened(What.HEARD, NOW, "take me to the clinic"))
    remembered(screen)
    car.motion = motion
    where = "/latest" if motion is Motion.PARKED else "/"
    assert "jazz" in browser.get(where)
    drivers.switch(to)  # as by voice: the screen has no part in it
    page = browser.get("/") + browser.get(where)
    assert "jazz" not in page and "clinic" not in page


def test_what_is_forgotten_goes_from_what_happened(screen: Screen, browser: Browser, memory: MemoryPort) -> None:
    remembered(screen)
    assert "jazz" in browser.get("/latest")
    memory.forget("p1")  # as by voice
    assert "jazz" not in browser.get("/latest")


def test_what_is_withheld_is_out_of_what_happened_at_once(screen: Screen, browser: Browser) -> None:
    remembered(screen)
    browser.get("/memory/p1")
    browser.post("/memory/p1/forget")
    assert "jazz" not in browser.get("/latest")


def test_a_category_that_is_switched_off_goes_from_what_happened(screen: Screen, memory: MemoryPort) -> None:
    remembered(screen)
    memory.opt_out("music")
    assert screen.parts.feed.latest() == ()


def test_what_was_said_under_one_driver_and_told_under_the_next_is_not_shown(
    screen: Screen, drivers: FakeDrivers
) -> None:
    """The turn in which the driver changes ends when the next one drives already."""
    seat, feed = screen.parts.seat, screen.parts.feed

    def emit(entry: TimelineEntry) -> None:
        happened = told(entry, lambda: NOW)
        if happened is not None:
            feed.tell(happened, entry.era)

    def turn(text: str, era: int) -> TurnRecord:
        reply = Reply(text=f"Yes, {text}.", route=Route.MODEL, reason="r")
        heard = Transcript(text=text, confidence=1.0, in_grammar=True)
        return TurnRecord(conversation="c", transcript=heard, reply=reply, era=era)

    before = seat.era
    drivers.switch("bert")
    timeline = Timeline(emit)
    timeline.finished(turn("call the clinic and i am bert", before))
    assert feed.latest() == ()
    timeline.finished(turn("play jazz", seat.era))
    assert [one.text for one in feed.latest()] == ["Yes, play jazz.", "play jazz"]


def test_what_is_learnt_late_is_not_shown_to_the_next_driver(
    screen: Screen, drivers: FakeDrivers, memory: MemoryPort, monkeypatch: pytest.MonkeyPatch
) -> None:
    told_of: list[TimelineEntry] = []
    learn = memory.learn_pending

    def slowly(conversation: str | None = None) -> object:
        decisions = memory.remember("i love jazz", "favorite_genres")
        drivers.switch("bert")
        return (*decisions, *learn(conversation))

    monkeypatch.setattr(memory, "learn_pending", slowly)
    TripMemory(screen.parts.seat).learn(told_of.append)
    assert told_of
    for entry in told_of:
        happened = told(entry, lambda: NOW)
        if happened is not None:
            screen.parts.feed.tell(happened, entry.era)
    assert screen.parts.feed.latest() == ()


def test_a_form_of_one_driver_does_nothing_to_the_next(
    browser: Browser, drivers: FakeDrivers, memory: MemoryPort
) -> None:
    other = drivers.memories["bert"]
    fill(other, preference("p1", "techno"))
    browser.get("/memory/p1")
    token = {"token": browser.token("/memory/p1/forget")}
    drivers.switch("bert")
    answer = browser.client.post("/memory/p1/forget", data=token, headers={"Origin": ORIGIN})
    assert answer.status_code == 403 and "Nothing was changed" in answer.text
    assert len(other.preferences()) == 1 and len(memory.preferences()) == 2


def test_what_one_driver_has_just_forgotten_is_not_offered_back_to_the_next(
    screen: Screen, browser: Browser, drivers: FakeDrivers
) -> None:
    browser.get("/memory/p1")
    where = browser.post("/memory/p1/forget")
    assert "/undo" in browser.get("/memory")
    drivers.switch("bert")
    assert "/undo" not in browser.get("/memory")
    browser.get(where, 404)
    browser.get(where.replace("leaving", "receipt"), 404)
    drivers.switch("ada")
    assert "/undo" in browser.get("/memory")


def test_a_search_and_a_first_yes_end_with_the_driver(browser: Browser, screen: Screen, drivers: FakeDrivers) -> None:
    session = screen.door.known(browser.session())
    assert session is not None
    browser.get("/memory/search")
    browser.post("/memory/search", text="jazz")
    browser.get("/drivers/hand-over")
    browser.post("/drivers/hand-over", 200)
    assert session.view.text == "jazz" and session.agreed
    drivers.switch("bert")
    assert session.view.text == "" and session.agreed == ""


# Windows that stay open


async def named(events: AsyncGenerator[str], wanted: str) -> str:
    """The data of the next event of this name, which must come within 300 ms."""
    async with asyncio.timeout(WITHIN_S):
        async for event in events:
            name, _, data = event.partition("\n")
            if name == f"event: {wanted}":
                return str(json.loads(data.removeprefix("data: ")))
    raise AssertionError(f"the stream ended without {wanted}")


async def opened(screen: Screen, car: Car, seen: Mark | None = None) -> AsyncGenerator[str]:
    async def parked() -> bool:
        return car.motion is Motion.PARKED

    def section() -> str:
        return " ".join(one.text for one in screen.parts.feed.latest())

    shown = Section("happened", lambda: screen.parts.feed.version, section)
    events = Watch(screen.parts.feed, parked, [shown], lambda: True, seen).events()
    await named(events, "happened")
    return events


@pytest.mark.parametrize("windows", [1, 4])
def test_every_open_window_follows_driver_forgetting_learning_and_lock_within_300_ms(
    screen: Screen, car: Car, drivers: FakeDrivers, memory: MemoryPort, windows: int
) -> None:
    async def watch() -> None:
        streams = [await opened(screen, car) for _ in range(windows)]
        memory.remember("i love samba", "favorite_genres")
        await asyncio.gather(*(named(stream, "stored") for stream in streams))
        memory.set_private_trip(True)
        await asyncio.gather(*(named(stream, "stored") for stream in streams))
        memory.forget_where(Selector(id="p1"))
        await asyncio.gather(*(named(stream, "forgotten") for stream in streams))
        remembered(screen, "tango")
        assert await asyncio.gather(*(named(stream, "happened") for stream in streams)) == ["tango"] * windows
        drivers.switch("bert")
        await asyncio.gather(*(named(stream, "driver") for stream in streams))
        assert await asyncio.gather(*(named(stream, "happened") for stream in streams)) == [""] * windows
        car.motion = Motion.MOVING
        assert await asyncio.gather(*(named(stream, "motion") for stream in streams)) == ["moving"] * windows

    asyncio.run(watch())


@pytest.mark.parametrize(("act", "event"), [("switch", "driver"), ("forget", "forgotten"), ("learn", "stored")])
def test_what_changed_between_a_page_and_its_stream_is_told_at_once(
    screen: Screen, browser: Browser, drivers: FakeDrivers, act: str, event: str
) -> None:
    seen = Mark.read(browser.get("/memory").partition('data-mark="')[2].partition('"')[0])
    assert seen is not None
    if act == "switch":
        drivers.switch("bert")
    elif act == "forget":
        drivers.memories["ada"].forget("p1")
    else:
        drivers.memories["ada"].remember("i love samba", "favorite_genres")

    async def watch() -> None:
        async def parked() -> bool:
            return True

        await named(Watch(screen.parts.feed, parked, [], lambda: True, seen).events(), event)

    asyncio.run(watch())


def test_another_driver_is_told_while_memory_is_slow_to_say_what_happened(screen: Screen, drivers: FakeDrivers) -> None:
    """And what it says then, of who drove before, is shown to nobody."""
    goes_on, asked = threading.Event(), threading.Event()

    def section() -> str:
        text = " ".join(one.text for one in screen.parts.feed.latest())
        if text:
            asked.set()
            goes_on.wait(5)
        return text

    async def parked() -> bool:
        return True

    async def watch() -> None:
        shown = Section("happened", lambda: screen.parts.feed.version, section)
        stream = Watch(screen.parts.feed, parked, [shown], lambda: True).events()
        await named(stream, "happened")
        remembered(screen, "tango")
        told = asyncio.ensure_future(named(stream, "driver"))
        await asyncio.to_thread(asked.wait, 5)
        drivers.switch("bert")
        await told
        goes_on.set()
        assert await named(stream, "happened") == ""

    asyncio.run(watch())


def test_a_mark_that_is_none_is_taken_for_now() -> None:
    assert Mark.read("1.2.3") == Mark(1, 2, 3) and str(Mark(1, 2, 3)) == "1.2.3"
    for text in ("", "1.2", "1.2.x", "1.2.-3", f"1.2.{'9' * 40}", "1.2.²"):
        assert Mark.read(text) is None


def test_the_feed_takes_nothing_of_an_earlier_era() -> None:
    feed = Feed()
    feed.clear(1, 3)
    feed.tell(Happened(What.SAID, NOW, "old"), era=2)
    feed.tell(Happened(What.SAID, NOW, "new"), era=3)
    assert [one.text for one in feed.latest()] == ["new"]
