"""Topics on the screen: moving a memory, looking at one topic, searching, deleting what is looked at; day and night."""

from __future__ import annotations

import re
from dataclasses import replace

from memory.screen.app import Screen
from memory.service import DriverMemory
from tests.memories import fill
from tests.screens import NOW, Browser, Car, preference


def test_a_memory_is_moved_to_another_topic_and_back(browser: Browser, memory: DriverMemory) -> None:
    fill(
        memory,
        preference("m", "spotify", "preferred_radio_station"),
        preference("t", "tidal", "preferred_music_streaming_service"),
    )
    assert "Music" in browser.get("/memory/m/move") and "Move to Streaming service" in browser.get(
        "/memory/m/move?in=music"
    )
    asked = browser.post("/memory/m/move", 200, detail="preferred_music_streaming_service")
    assert "something stands there already" in browser.page and "Tidal" in browser.page, asked
    assert {p.id for p in memory.preferences()} >= {"m", "t"}
    where = browser.post("/memory/m/move", instead="yes", detail="preferred_music_streaming_service")
    assert "You stream music with Spotify" in browser.get(where) and "Undo the move" in browser.page
    assert browser.post(f"{where}/move/back") in {"/memory/m", "/memory/t"}
    assert {p.id for p in memory.preferences()} >= {"m", "t"}
    assert "Undo the move" not in browser.get("/memory/m")
    for detail, status, told in (
        ("fan_speed_preferences", 409, "It does not fit there"),
        ("nothing", 400, "Nothing was changed"),
    ):
        browser.get("/memory/m/move?in=music")
        browser.post("/memory/m/move", status, detail=detail)
        assert told in browser.page
    browser.get("/memory/m/move?in=music")
    memory.opt_out("favorite_songs")  # meanwhile, by voice
    browser.post("/memory/m/move", 409, detail="favorite_songs")
    assert "That is switched off" in browser.page and "This topic is switched off" in browser.get(
        "/memory/m/move?in=music"
    )


def test_a_topic_is_looked_at_alone_and_all_of_it_deleted(browser: Browser, memory: DriverMemory, car: Car) -> None:
    fill(
        memory,
        *(preference(f"m{n}", f"band {n}", "favorite_artists_or_bands") for n in range(8)),
    )
    assert "Artists and bands" in browser.get("/memory/topics") and "8 remembered" in browser.page
    assert "Band 7" in browser.get("/memory?in=favorite_artists_or_bands") and "italian" not in browser.page.lower()
    assert "Delete 8 memories?" in browser.get("/memory/delete")
    browser.post("/memory/delete", 409, count="7")  # not what was asked about
    browser.get("/memory/delete")
    where = browser.post("/memory/delete", count="8")
    assert "8 memories are out of sight" in browser.get(where)
    assert memory.preferences("favorite_artists_or_bands") == ()
    browser.post(f"{where}/undo")
    assert len(memory.preferences("favorite_artists_or_bands")) == 8
    browser.get("/memory?in=favorite_artists_or_bands")
    browser.get("/memory/delete")
    where = browser.post("/memory/delete", count="8")
    car.wait()
    assert "Checked: nothing of it is left in any file" in browser.get(where.replace("leaving", "receipt"))
    assert [p.id for p in memory.preferences("points_of_interest")] == ["p2"]
    browser.get("/memory?all=1&in=")
    browser.get("/memory/delete", 303)  # everything is deleted elsewhere


def test_what_a_search_finds_is_deleted_and_nothing_else(
    browser: Browser, screen: Screen, memory: DriverMemory
) -> None:
    fill(memory, preference("r1", "rockabilly"), preference("r2", "rock"), preference("r3", "jazz fm", "preferred_radio_station")
    )  # fmt: skip
    browser.get("/memory/search")
    browser.post("/memory/search", text="rock")
    listed = browser.get("/memory")
    assert 0 < listed.index("/memory/r2") < listed.index("/memory/r1") and "/memory/p2" not in listed
    browser.get("/memory/search")
    browser.post("/memory/search", text="radio station")  # a topic
    assert "/memory/r3" in browser.get("/memory")
    screen.parts = replace(screen.parts, language="de")
    browser.get("/memory/search")
    browser.post("/memory/search", text="Italienisch")  # a value, in this language
    assert "/memory/p2" in browser.get("/memory") and "Einen Eintrag löschen?" in browser.get("/memory/delete")
    browser.post("/memory/delete", count="1")
    assert memory.preferences("favourite_cuisine") == () and len(memory.preferences("favorite_genres")) >= 2


def test_day_and_night_come_by_the_choice_the_car_or_the_time(browser: Browser, screen: Screen, car: Car) -> None:
    def look() -> str:
        return re.search(r'data-look="(\w+)"', browser.get("/"))[1]  # type: ignore[index]

    told: list[bool | None] = [None]
    screen.parts = replace(screen.parts, bright=lambda: told[0])
    assert look() == "light"  # five past eight
    car.now = NOW.replace(hour=21)
    assert look() == "dark"
    told[0] = True
    assert look() == "light"
    browser.get("/about")
    browser.post("/about", look="dark")
    assert look() == "dark"
    browser.get("/about")
    browser.post("/about", look="auto")
    told[0] = False
    assert look() == "dark"
