"""The driver's screen over memories in no file: every task, the same in another language, and how much a page weighs."""

from __future__ import annotations

from pathlib import Path

import pytest

from deploy.showing.choices import FILE, KeptChoices
from memory.rights.files import FILES
from memory.screen.app import Screen
from memory.screen.feed import Happened, What
from memory.screen.parts import CarPicture
from schemas.events import Motion
from schemas.memory import CONVERSATIONS, ENDLESS, Terms
from schemas.ports import MemoryPort
from schemas.preferences import CATEGORIES, MAIN_TITLES, SUB_TITLES
from tests.memories import fill
from tests.screens import NOW, ORIGIN, Browser, Car, FakeDrivers, ask, preference

# Seeing, correcting, forgetting


def test_home_tells_status_and_what_just_happened(browser: Browser, screen: Screen) -> None:
    screen.parts.feed.tell(Happened(What.REMEMBERED, NOW, "jazz", "favorite_genres", "p1"))
    page = browser.get("/latest")
    assert "Listening" in page and "Remembered" in page and "jazz" in page and "/take-back/1" in page


def test_home_says_that_the_car_cannot_be_reached(browser: Browser, screen: Screen) -> None:
    assert "reach the car." not in browser.get("/latest")
    object.__setattr__(screen.parts, "vehicle", lambda: False)
    assert "reach the car." in browser.get("/latest")


def test_the_list_is_paged_and_narrowed(browser: Browser, memory: MemoryPort) -> None:
    fill(memory, *(preference(f"x{n}", f"band {n}", "favorite_artists_or_bands", n) for n in range(20)))
    assert browser.get("/memory").count('class="row"') == 6
    assert "4 / 4" in browser.get("/memory?page=3")
    assert browser.get("/memory?in=points_of_interest").count('class="row"') == 1
    browser.get("/memory?in=")
    browser.get("/memory/search")
    assert browser.post("/memory/search", text="band 7") == "/memory"
    page = browser.get("/memory")
    assert page.count('class="row"') == 1 and "band 7" in page
    assert "one found" not in browser.get("/memory?all=1")
    browser.get("/memory?when=today")
    assert "jazz" in browser.get("/memory") and "italian" not in browser.page


def test_a_page_past_the_end_is_the_last_one(browser: Browser) -> None:
    assert "jazz" in browser.get("/memory?page=9999999")


def test_one_memory_says_why_since_when_and_how_sure(browser: Browser) -> None:
    page = browser.get("/memory/p1")
    assert "i really like jazz" in page and "83 %" in page and "1 Mar 2026, 08:00" in page


def test_forgetting_can_be_undone_for_ten_seconds(browser: Browser, memory: MemoryPort, car: Car) -> None:
    browser.get("/memory/p1")
    where = browser.post("/memory/p1/forget")
    assert "Forgotten" in browser.get(where) and f"url=/receipt/{where.rpartition('/')[2]}" in browser.page
    assert "jazz" not in browser.get("/memory") and "Undo" in browser.page
    browser.get(where)
    assert browser.post(f"{where}/undo") == "/memory"
    assert "jazz" in browser.get("/memory")
    car.wait()
    assert len(memory.preferences()) == 2


def test_what_is_not_undone_is_erased_with_a_receipt(browser: Browser, memory: MemoryPort, car: Car) -> None:
    browser.get("/memory/p1")
    where = browser.post("/memory/p1/forget")
    browser.get(where)
    token = browser.token(f"{where}/undo")
    car.wait()
    assert [p.id for p in memory.preferences()] == ["p2"]
    page = browser.get(where.replace("leaving", "receipt"))
    assert "Checked" in page and "one preference" in page and "Music genres" in page and "jazz" not in page
    late = browser.client.post(f"{where}/undo", data={"token": token}, headers={"Origin": ORIGIN})
    assert late.status_code == 409 and "Too late" in late.text


def test_an_erasure_empties_what_is_shown_live_and_searched_for(browser: Browser, screen: Screen, car: Car) -> None:
    screen.parts.feed.tell(Happened(What.HEARD, NOW, "i really like jazz"))
    browser.get("/memory/search")
    browser.post("/memory/search", text="jazz")
    browser.get("/memory/p1")
    browser.post("/memory/p1/forget")
    car.wait()
    assert screen.parts.feed.latest() == () and "jazz" not in browser.get("/latest") + browser.get("/memory")


def test_deleting_now_does_not_wait(browser: Browser, memory: MemoryPort) -> None:
    browser.get("/memory/p1")
    where = browser.post("/memory/p1/forget")
    browser.get(where)
    assert browser.post(f"{where}/now").startswith("/receipt/")
    assert len(memory.preferences()) == 1


def test_a_value_is_corrected(browser: Browser, memory: MemoryPort) -> None:
    browser.get("/memory/p1/correct")
    where = browser.post("/memory/p1/correct", value="rock")
    assert "rock" in browser.get(where) and [p.value for p in memory.preferences("music")] == ["rock"]


@pytest.mark.parametrize("typed", ["AC/DC", "P!nk", "Simon & Garfunkel"])
def test_a_name_stands_as_it_was_typed(browser: Browser, memory: MemoryPort, typed: str) -> None:
    fill(memory, preference("band", "queen", "favorite_artists_or_bands"))
    browser.get("/memory/band/correct")
    address = browser.post("/memory/band/correct", value=f" {typed} ")
    assert [p.value for p in memory.preferences("favorite_artists_or_bands")] == [typed]
    assert typed.replace("&", "&amp;") in browser.get(address)


def test_a_closed_category_offers_its_values(browser: Browser, memory: MemoryPort) -> None:
    fill(memory, preference("c1", "cheap", "desired_price_range"))
    page = browser.get("/memory/c1/correct")
    assert page.count('name="value"') >= 3 and '<input type="text"' not in page


def test_a_value_that_does_not_fit_is_refused_with_examples(browser: Browser, memory: MemoryPort) -> None:
    browser.get("/memory/p1/correct")
    assert "That does not fit here" in browser.post("/memory/p1/correct", 422, value="!!!")
    assert [p.value for p in memory.preferences("music")] == ["jazz"]


def test_what_was_just_remembered_is_taken_back(browser: Browser, screen: Screen, memory: MemoryPort, car: Car) -> None:
    car.motion = Motion.MOVING
    screen.parts.feed.tell(Happened(What.REMEMBERED, NOW, "jazz", "favorite_genres", "p1"))
    browser.get("/")
    where = browser.post("/take-back/1")
    assert len(memory.preferences()) == 1 and "Undo" in browser.get(where)
    assert browser.post(f"{where}/undo") == "/" and len(memory.preferences()) == 2


def test_a_value_that_took_anothers_place_is_put_back(browser: Browser, screen: Screen, memory: MemoryPort) -> None:
    screen.parts.feed.tell(Happened(What.CHANGED, NOW, "jazz", "favorite_genres", "p1", "rock"))
    browser.get("/latest")
    browser.post("/take-back/1")
    assert [p.value for p in memory.preferences("music")] == ["rock"]


# Questions, categories, privacy


def test_a_question_is_answered(browser: Browser, memory: MemoryPort) -> None:
    ask(memory)
    assert "One question" in browser.get("/latest")
    page = browser.get("/questions")
    assert "thai" in page and "perhaps some thai food tonight" in page
    assert browser.post(f"/questions/{memory.proposals()[0].id}", answer="yes") == "/"
    assert "thai" in [p.value for p in memory.preferences()]


def test_every_category_has_its_switch(browser: Browser) -> None:
    tree = browser.get("/categories")
    assert all(f"/categories/{sub}" in tree for sub in SUB_TITLES)
    pages = "".join(browser.get(f"/categories/{sub}") for sub in SUB_TITLES)
    assert pages.count('role="switch"') == len(CATEGORIES) >= 41
    assert pages.count('class="mark"') == sum(c.sensitive for c in CATEGORIES) == pages.count("Off unless you want it")


def test_switching_off_asks_what_to_do_with_what_is_there(browser: Browser, memory: MemoryPort, car: Car) -> None:
    browser.get("/categories/music")
    where = browser.post("/categories/favorite_genres/switch", to="off")
    assert "favorite_genres" in memory.consent().opted_out and len(memory.preferences()) == 2
    assert "Keep it" in browser.get(where)
    browser.post("/categories/favorite_genres/forget")
    car.wait()
    assert [p.id for p in memory.preferences()] == ["p2"]
    browser.get("/categories/music")
    assert browser.post("/categories/favorite_genres/switch", to="on") == "/categories/music"
    assert "favorite_genres" not in memory.consent().opted_out


def test_one_of_a_group_that_is_off_is_switched_on_alone(browser: Browser, memory: MemoryPort) -> None:
    memory.opt_out("music")
    browser.get("/categories/music")
    browser.post("/categories/favorite_songs/switch", to="on")
    consent = memory.consent()
    allowed = {c.detail for c in CATEGORIES if c.sub == "music" and consent.forbids(c, NOW) is None}
    assert allowed == {"favorite_songs"}


def test_a_sensitive_one_is_switched_on(browser: Browser, memory: MemoryPort) -> None:
    browser.get("/categories/restaurant")
    browser.post("/categories/dietary_preference/switch", to="on")
    assert "dietary_preference" in memory.consent().opted_in


def test_learning_is_paused_and_goes_on(browser: Browser, memory: MemoryPort) -> None:
    browser.get("/latest")
    browser.post("/pause", what="trip")
    assert memory.consent().private_trip and "Private trip" in browser.get("/latest")
    browser.post("/pause", what="off")
    assert not memory.consent().private_trip
    browser.get("/privacy")
    assert browser.post("/pause", what="day", **{"from": "privacy"}) == "/privacy"
    assert "Paused until 2 Mar 2026, 08:05" in browser.get("/privacy")
    browser.post("/pause", what="off", **{"from": "privacy"})
    browser.get("/privacy")
    browser.post("/pause", what="always", **{"from": "privacy"})
    assert memory.consent().paused_until == ENDLESS and "Off until you switch it on" in browser.get("/privacy")
    assert "9999" not in browser.get("/latest") + browser.get("/privacy")


def test_conversations_are_kept_only_when_switched_on(browser: Browser, memory: MemoryPort) -> None:
    browser.get("/privacy")
    browser.post("/privacy/conversations", to="on")
    assert CONVERSATIONS in memory.consent().opted_in
    browser.get("/privacy")
    browser.post("/privacy/conversations", to="off")
    assert not memory.consent().conversations


def test_a_stretch_of_time_is_deleted(browser: Browser, memory: MemoryPort, car: Car) -> None:
    browser.get("/privacy/delete")
    browser.post("/privacy/delete", what="day")
    car.wait()
    assert [p.id for p in memory.preferences()] == ["p2"]
    browser.get("/privacy/delete")
    assert "There is nothing to delete" in browser.post("/privacy/delete", 409, what="hour")


def test_the_export(browser: Browser, drivers: FakeDrivers) -> None:
    browser.get("/privacy")
    assert "exports" in browser.get(browser.post("/privacy/export")) and drivers.exports == 1


def test_conversations_are_kept_as_long_as_the_driver_says(browser: Browser, memory: MemoryPort) -> None:
    page = browser.get("/privacy/retention")
    assert "3 months" in page and "18 months" in page and page.count("Shorter: ") == 3
    assert browser.post("/privacy/retention", what="conversation_days", days="30") == "/privacy/retention"
    assert memory.terms() == Terms(conversation_days=30, thought_days=365, summary_days=365)
    assert "one month" in browser.get("/privacy/retention") and "set it longer again" in browser.page
    for what, days in (("conversation_days", "31"), ("conversation_days", "x"), ("nothing", "30")):
        browser.get("/privacy/retention")
        browser.post("/privacy/retention", 400, what=what, days=days)
    assert memory.terms().conversation_days == 30
    browser.get("/privacy/retention")
    browser.post("/privacy/retention", what="summary_days", days="1")
    page = browser.get("/privacy/retention")
    assert "one day" in page and page.count('class="button off"') == 1  # no shorter than that
    assert "aria-label=" in page and page.count("Longer: ") == 3


def test_a_guest_has_no_terms_to_change(browser: Browser) -> None:
    browser.get("/drivers/to/guest")
    browser.post("/drivers/to/guest")
    assert "Shorter" not in browser.get("/privacy/retention")


def test_without_a_pin_everything_is_asked_about_twice(browser: Browser, memory: MemoryPort, screen: Screen) -> None:
    browser.get("/privacy/everything")
    first = browser.page
    assert "Really delete everything?" in browser.post("/privacy/everything", 200)
    assert len(memory.preferences()) == 2
    where = browser.post("/privacy/everything/really")
    assert memory.preferences() == () and "Everything is out of sight" in browser.get(where)
    token = screen.door.known(browser.session())
    assert token is not None
    alone = {
        "token": token.token("/privacy/everything/really", screen.parts.seat.shift)
    }  # the second without the first
    again = browser.client.post("/privacy/everything/really", data=alone, headers={"Origin": ORIGIN})
    assert again.status_code == 400 and "once" not in first


def test_a_stretch_of_time_that_leaves_nothing_is_asked_about_as_everything_is(
    browser: Browser, memory: MemoryPort, screen: Screen, car: Car
) -> None:
    screen.parts.pins.set("ada", "2468")
    memory.forget("p2")
    browser.get("/privacy/delete")
    where = browser.post("/privacy/delete", what="day")
    assert "Delete so much at once?" in browser.get(where) and len(memory.preferences()) == 1
    assert "That is not the PIN" in browser.post("/privacy/everything", 403, pin="1111", of="some")
    assert len(memory.preferences()) == 1
    browser.post("/privacy/everything", pin="2468", of="some")
    car.wait()
    assert memory.preferences() == ()


def test_without_a_pin_it_is_asked_about_twice(browser: Browser, memory: MemoryPort) -> None:
    memory.forget("p2")
    browser.get("/privacy/delete")
    browser.get(browser.post("/privacy/delete", what="day"))
    assert "Really delete all of this?" in browser.post("/privacy/everything", 200, of="some")
    assert len(memory.preferences()) == 1
    browser.post("/privacy/everything/really", of="some")
    assert memory.preferences() == ()


def test_what_was_asked_about_is_what_goes(browser: Browser, memory: MemoryPort) -> None:
    browser.get("/privacy/everything")
    browser.post("/privacy/everything", 400, of="some")  # nothing of the kind was asked for
    browser.get("/privacy/everything")
    browser.post("/privacy/everything", 200)
    browser.post("/privacy/everything/really", 400, of="some")
    assert len(memory.preferences()) == 2


def test_the_second_question_belongs_to_one_driver(browser: Browser, drivers: FakeDrivers, screen: Screen) -> None:
    browser.get("/privacy/everything")
    browser.post("/privacy/everything", 200)
    drivers.switch("bert")
    fill(drivers.current, preference("b1", "folk"))
    browser.post("/privacy/everything/really", 403)
    assert len(drivers.current.preferences()) == 1


def test_everything_needs_the_pin_and_can_be_undone(
    browser: Browser, memory: MemoryPort, screen: Screen, car: Car
) -> None:
    screen.parts.pins.set("ada", "2468")
    browser.get("/privacy/everything")
    assert "That is not the PIN" in browser.post("/privacy/everything", 403, pin="1111")
    assert len(memory.preferences()) == 2
    where = browser.post("/privacy/everything", pin="2468")
    assert memory.preferences() == () and "Everything is out of sight" in browser.get(where)
    browser.post(f"{where}/undo")
    assert len(memory.preferences()) == 2
    browser.get("/privacy/everything")
    browser.post("/privacy/everything", pin="2468")
    car.wait()
    assert memory.preferences() == ()


# Drivers


def test_another_driver_needs_their_pin(browser: Browser, drivers: FakeDrivers, screen: Screen) -> None:
    screen.parts.pins.set("bert", "1357")
    screen.parts.feed.tell(Happened(What.HEARD, NOW, "words of ada"))
    assert "Bert" in browser.get("/drivers")
    browser.get("/drivers/to/1")
    browser.post("/drivers/to/1", 403, pin="0000")
    assert drivers.current.driver == "ada"
    browser.post("/drivers/to/1", pin="1357")
    assert drivers.current.driver == "bert" and "words of ada" not in browser.get("/latest")
    browser.get("/drivers/to/guest")
    browser.post("/drivers/to/guest")
    assert drivers.current.driver == "guest" and "Off: guest" in browser.get("/latest")


def test_a_pin_is_set_changed_and_removed(browser: Browser, screen: Screen, tmp_path: Path) -> None:
    browser.get("/drivers/pin")
    browser.post("/drivers/pin", 422, fresh="12")
    browser.post("/drivers/pin", fresh="2468")
    assert screen.parts.pins.has("ada") and (tmp_path / "keys" / "ada.locked").stat().st_mode & 0o777 == 0o600
    browser.get("/drivers/pin")
    browser.post("/drivers/pin", 403, pin="1", fresh="1357")
    browser.post("/drivers/pin", pin="2468", fresh="1357")
    browser.get("/drivers/pin")
    browser.post("/drivers/pin", 403, pin="2468", remove="yes")
    browser.post("/drivers/pin", pin="1357", remove="yes")
    assert not screen.parts.pins.has("ada")


def test_handing_over_asks_twice_and_leaves_nothing(browser: Browser, drivers: FakeDrivers, screen: Screen) -> None:
    screen.parts.pins.set("ada", "2468")
    browser.get("/drivers/hand-over")
    browser.post("/drivers/hand-over", 403, pin0="1357")
    assert "Really wipe" in browser.post("/drivers/hand-over", 200, pin0="2468")
    assert drivers.deleted == []
    assert "Everything is wiped" in browser.post("/drivers/hand-over/wipe", 200)
    assert drivers.deleted == ["ada", "bert"] and not screen.parts.pins.has("ada")
    assert drivers.current.driver == "guest"


# Language, the car, look, weight


def test_what_was_done_is_told_in_the_screens_language(browser: Browser, screen: Screen, memory: MemoryPort) -> None:
    done = Happened(
        What.DONE,
        NOW,
        "set_window(window=driver, percent=40)",
        action="set_window",
        slots={"window": "driver", "percent": 40},
    )
    screen.parts.feed.tell(done)
    memory.used(memory.recall("jazz"), "play_music")
    assert "Window: driver, 40 %" in browser.get("/latest") and "set_window" not in browser.page
    assert "· Music (" in browser.get("/memory/p1")
    browser.get("/about")
    browser.post("/about", language="de")
    assert "Fenster: Fahrer, 40 %" in browser.get("/latest") and "Erledigt" in browser.page


def test_the_development_page_shows_the_car_and_is_there_only_for_development(
    browser: Browser, screen: Screen, car: Car
) -> None:
    browser.get("/dev/car", 404)
    assert browser.client.get("/dev/car/live").status_code == 404
    seen: list[CarPicture | None] = [CarPicture("<svg><title>open</title></svg>", ("31 km/h", "to <b>Oakford</b>"))]
    object.__setattr__(screen.parts, "car", lambda: seen[0])
    car.motion = Motion.MOVING
    page = browser.get("/dev/car")
    assert "<svg><title>open</title></svg>" in page and "31 km/h" in page and "<b>" not in page
    seen[0] = None
    assert "does not answer" in browser.get("/dev/car")
    stranger = Browser(screen, enter=False)
    assert stranger.client.get("/dev/car").status_code == stranger.client.get("/dev/car/live").status_code == 401
    evil = browser.client.get("/dev/car/live", headers={"Host": "evil.example:8123"})
    assert evil.status_code == 403


def test_language_and_look_are_kept(browser: Browser) -> None:
    browser.get("/about")
    browser.post("/about", language="de")
    assert 'lang="de"' in browser.get("/latest") and "Mikrofon" in browser.page
    browser.get("/about")
    browser.post("/about", look="light")
    assert 'data-look="light"' in browser.get("/latest")
    assert "Lieblingsküche" in browser.get("/memory")


def test_another_browser_of_the_panel_begins_with_what_was_chosen_last(browser: Browser, screen: Screen) -> None:
    """A kiosk keeps no cookies: its next browser must not fall back into English."""
    browser.get("/about")
    browser.post("/about", language="de")
    browser.get("/about")
    browser.post("/about", look="dark")
    page = Browser(screen).get("/latest")
    assert 'lang="de"' in page and 'data-look="dark"' in page


def test_what_was_chosen_outlasts_the_program_and_a_broken_file(tmp_path: Path) -> None:
    kept = KeptChoices(tmp_path)
    kept.keep("language", "de")
    kept.keep("look", "dark")
    assert (KeptChoices(tmp_path).get("language"), KeptChoices(tmp_path).get("look")) == ("de", "dark")
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600 and FILE in FILES["marks"]
    for broken in ("", "[1]", '{"language": 3}', "\0"):
        (tmp_path / FILE).write_text(broken, "utf-8")
        assert KeptChoices(tmp_path).get("language") is None


def test_words_are_looked_for_under_all_topics(browser: Browser) -> None:
    browser.get("/memory?in=points_of_interest")
    browser.get("/memory/search")
    browser.post("/memory/search", text="jazz")
    assert "You like jazz music" in browser.get("/memory")


def test_every_page_is_light(browser: Browser, screen: Screen, memory: MemoryPort) -> None:
    fill(
        memory,
        *(
            preference(f"x{n}", f"a rather long value number {n} that a driver might really say " * 2, days=n)
            for n in range(50)
        ),
    )
    shared = sum(
        len(found[0]) for name in ("screen.css", "screen.js", "icons.svg") if (found := screen.renderer.static(name))
    )
    for path in ("/", "/memory", "/categories", "/categories/restaurant", "/privacy", "/memory/x1"):
        assert len(browser.get(path).encode()) + shared < 60_000, path


def test_every_main_category_has_a_tab(browser: Browser) -> None:
    page = browser.get("/memory")
    assert all(f"/memory?in={main}" in page for main in MAIN_TITLES)
