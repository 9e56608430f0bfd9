"""No text on a tile or a button is cut off, in either language, at the four sizes: measured in Chromium."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pytest

from memory.screen.assistant.glance import Glance
from memory.screen.assistant.talk import Exchange
from memory.screen.assistant.tiles import SHOWN, WINDOWS
from schemas.events import Motion, Phase, VehicleState
from schemas.memory import Waiting
from tests.memories import fill
from tests.screen.functions.stage import WHICH, YES_NO
from tests.screen.test_assistant import FITS, Finger, opened, touch
from tests.screen_rig import PAGES, SIZES, Rig
from tests.screens import NOW, preference

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.socket  # as tests/screen/test_browser.py
__all__ = ["touch"]

# ruff: noqa: E501 - a script for the browser reads better in long lines

CUT = """() => {
  // a letter's box is up to a fifth of its size higher than a tight line, and nothing of it is cut by that
  const found = [], inside = (a, b, more = 1) => a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - more && a.bottom <= b.bottom + more;
  const told = (e) => `${e.className || e.tagName}: ${e.innerText.trim()} (${e.scrollWidth}x${e.scrollHeight} in ${e.clientWidth}x${e.clientHeight})`;
  const type = (e) => parseFloat(getComputedStyle(e).fontSize);
  for (const e of document.querySelectorAll('main button, main .button, .rail a, .banner button, .tabs a, .tile, .tile .value, .tile .label, .tile .big, .rest p, .phase, .line')) {
    if (!e.offsetParent || !e.clientWidth) continue;
    if (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1 + .2 * type(e)) found.push(told(e));
    const range = document.createRange();
    range.selectNodeContents(e);
    const words = [...range.getClientRects()].filter((r) => r.width > 2 && r.height > 2), box = e.getBoundingClientRect();
    if (!e.matches('.tile') && ![...e.children].some((one) => one.offsetWidth <= 1) && innerWidth > 600 && words.some((r) => !inside(r, box, 1 + .2 * type(e)))) found.push(`over the edge of ${told(e)}`);
  }
  // a tile leaves out a part that has no room, and shows the others whole; the first one always
  for (const e of document.querySelectorAll('.tile .detail')) {
    if (!e.offsetParent) continue;
    const box = e.getBoundingClientRect(), more = 1 + .2 * type(e), parts = [...e.children].map((one) => one.getBoundingClientRect());
    if (!inside(parts[0], box, more)) found.push(`nothing of ${told(e)}`);
    for (const part of parts) if (!inside(part, box, more) && part.top < box.bottom - more) found.push(`half of ${told(e)}`);
  }
  return found;
}"""
"""Every text of a tile or a button that does not fit into its box."""

UNDER = """() => { const rail = document.querySelector('.rail'), edge = rail && innerWidth < 600 ? rail.getBoundingClientRect().top : innerHeight;
  return [...document.querySelectorAll('main button, main .button, .tile')].filter((e) => e.getBoundingClientRect().bottom > edge + .5).map((e) => `under the rail: ${e.innerText}`); }"""
"""What lies under the rail of a panel that stands upright."""

AWAKE = {
    "climate.driver.temperature": 21.5, "climate.cabin_temperature": 23.0, "climate.on": True, "media.source": "streaming",
    "media.playing": True, "media.title": "The Girl from Ipanema", "media.artist": "Stan Getz and João Gilberto",
    "navigation.destination": "the central station", "navigation.minutes": 26.0, "navigation.kilometers": 23.0,
    "navigation.stops": ("a petrol station",), "navigation.guidance": True, **{f"window.{name}": 0.0 for name in WINDOWS},
}  # fmt: skip
STATES: dict[str, tuple[dict[str, Any], tuple[Waiting, ...]]] = {
    "still": ({**AWAKE, "climate.on": False, "media.source": "off", "media.playing": False, "media.title": "", "media.artist": "",
               "navigation.destination": ""}, ()),
    "awake": ({**AWAKE, "window.driver": 40.0}, (Waiting(kind="timer", label="pasta", at=NOW.replace(minute=15)),)),
    "a lot": ({**AWAKE, "media.title": "Donaudampfschifffahrtsgesellschaft und andere Lieder, erster Teil", "media.source": "radio",
               "navigation.destination": "Heinrich-Heine-Straße 12a, Düsseldorf-Benrath", **{f"window.{name}": 35.0 for name in WINDOWS}},
              (Waiting(kind="timer", label="the bread in the oven at home", at=NOW.replace(minute=59)),
               Waiting(kind="reminder", label="call mum", at=NOW.replace(hour=9)))),
    "odd names": ({**AWAKE, "media.title": "שיר אחד ארוך מאוד על הדרך הביתה ועוד קצת", "media.artist": "Wolfeschlegelsteinhausenbergerdorff",
                   "navigation.destination": "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch",
                   "navigation.stops": ("Taumatawhakatangihangakoauauotamateaturipukakapikimaungahoronukupokaiwhenuakitanatahu",)},
                  (Waiting(kind="timer", label="Rindfleischetikettierungsüberwachung", at=NOW.replace(minute=30)),)),
    "one window": ({**AWAKE, "window.rear_right": 75.0, "media.playing": False},
                   (Waiting(kind="reminder", label="", at=NOW.replace(hour=19)),)),
}  # fmt: skip


class Still:
    """A car that is as it is told; meets ``memory.screen.assistant.ports.Cabin``."""

    def __init__(self) -> None:
        self.values: Mapping[str, Any] = {}
        self.waits: tuple[Waiting, ...] = ()

    def look(self) -> VehicleState:
        return VehicleState(values={name: self.values[name] for name in SHOWN if name in self.values})

    def offers(self) -> frozenset[str]:
        return frozenset(
            {"change_temperature", "set_climate", "set_playback", "set_guidance", "set_window", "cancel_timer"}
        )

    def waiting(self) -> tuple[Waiting, ...]:
        return self.waits


@pytest.fixture
def still(rig: Rig) -> Callable[[str], None]:
    """Puts the car into one of ``STATES``."""
    car, parts = Still(), rig.server.screen.parts
    object.__setattr__(parts, "cabin", car)
    object.__setattr__(parts, "glance", Glance(car, parts.clock, parts.feed.watchers.wake))  # type: ignore[arg-type]

    def put(name: str) -> None:
        car.values, car.waits = STATES[name]
        parts.glance.again()

    return put


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("size", SIZES)
def test_no_tile_is_cut(
    rig: Rig, chromium: Browser, still: Callable[[str], None], touch: Finger, size: str, language: str
) -> None:
    rig.remembered()
    page = opened(rig, chromium, size)
    rig.choose(page, language=language)
    wrong: dict[str, list[str]] = {}
    for motion in (Motion.PARKED, Motion.MOVING):
        for state in STATES:
            page.goto("about:blank")
            rig.car.motion = motion
            still(state)
            page.goto(f"{rig.address}/")
            page.evaluate("document.fonts.ready")
            assert page.locator(".glance .tile").count() == (5 if motion is Motion.PARKED else 3)
            target = str(76 * (0.83 if SIZES[size][0] <= 900 else 1))
            if found := [*page.evaluate(CUT), *page.evaluate(FITS.replace("TARGET", target)), *page.evaluate(UNDER)]:
                wrong[f"{state} {motion.value}"] = found
    assert wrong == {}
    page.context.close()


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("size", SIZES)
def test_no_button_is_cut_on_any_page(rig: Rig, chromium: Browser, size: str, language: str) -> None:
    page = rig.open(chromium, size)
    rig.choose(page, language=language)
    wrong: dict[str, list[str]] = {}
    for path in PAGES:
        page.goto(f"{rig.address}{path}")
        page.evaluate("document.fonts.ready")
        if found := page.evaluate(CUT):
            wrong[path] = found
    assert wrong == {}
    page.context.close()


LONG = "the song with the very long name that goes on " * 6
"""276 letters."""


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("size", SIZES)
def test_a_value_of_270_letters_breaks_no_page(rig: Rig, chromium: Browser, size: str, language: str) -> None:
    """It is shown in full on a page of its own, and nothing scrolls there."""
    fill(
        rig.memory, preference("long", LONG.strip(), "favorite_songs"), preference("word", "x" * 270, "favorite_songs")
    )
    page = rig.open(chromium, size)
    rig.choose(page, language=language)
    page.goto(f"{rig.address}/memory/long")
    assert page.locator(".huge").inner_text().lower().count("very long") == 6
    for path in (
        "/memory/long",
        "/memory/word",
        "/memory/long/correct",
        "/memory/long/move",
        "/memory/long/move?in=music",
        "/memory",
        "/memory/learned",
    ):
        page.goto(f"{rig.address}{path}")
        page.evaluate("document.fonts.ready")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        if path not in ("/memory", "/memory/learned") or size != "390x844":
            assert page.evaluate("document.documentElement.scrollHeight <= innerHeight"), path
    page.context.close()


OURS = ("/privacy/files", "/privacy/retention", "/drivers", "/drivers/offers", "/drivers/manners", "/categories/restaurant", "/categories/health",
        "/categories/climate_control", "/memory/topics", "/memory/p0/move?in=music", "/about")  # fmt: skip
"""Lists of words of ours alone."""


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("size", SIZES)
def test_no_words_of_ours_are_cut_in_a_list(rig: Rig, chromium: Browser, size: str, language: str) -> None:
    page = rig.open(chromium, size)
    rig.choose(page, language=language)
    cut = "[...document.querySelectorAll('.row .value, .row .label, .head h1, .head .sub')].filter((e) => e.offsetParent && (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 9)).map((e) => e.innerText)"
    wrong: dict[str, list[str]] = {}
    for path in OURS:
        page.goto(f"{rig.address}{path}")
        page.evaluate("document.fonts.ready")
        if found := page.evaluate(cut):
            wrong[path] = found
    assert wrong == {}
    page.context.close()


HALF = """() => [...document.querySelectorAll('.label.parts')].flatMap((label) => {
  const box = label.getBoundingClientRect(), parts = [...label.children], shown = parts.filter((one) => one.getBoundingClientRect().top < box.bottom - 4);
  const half = shown.filter((one, at) => at < 2 && (one.scrollWidth > one.clientWidth + 1 || one.getBoundingClientRect().right > box.right + 1));
  return [...(shown[0] === parts[0] ? [] : ['nothing']), ...half.map((one) => one.innerText)];
})"""
"""Of the small lines of a list the parts of which only half is shown; words that were said may be cut."""


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("size", SIZES)
def test_no_day_is_shown_by_half_and_the_terms_fit(rig: Rig, chromium: Browser, size: str, language: str) -> None:
    fill(rig.memory, preference("w", "less than 10 minutes", "distance_willing_to_walk_from_parking_to_destination"))
    page = rig.open(chromium, size)
    rig.choose(page, language=language)
    for path in ("/memory?in=", "/memory?in=kept"):
        page.goto(f"{rig.address}{path}")
        assert page.locator(".label.parts").count() == 6
        assert page.evaluate(HALF) == [], path
    page.goto(f"{rig.address}/privacy/retention")
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    page.context.close()


TWICE = "640x360"
"""What a browser that magnifies twice leaves of 1280x720."""
OVER = """() => {
  const found = [], told = (e) => (e.innerText || e.getAttribute('aria-label') || e.className || e.tagName).trim().slice(0, 40);
  const shown = (e) => { // what its parents do not hide of it
    const {left, right, top, bottom} = e.getBoundingClientRect(), box = {left, right, top, bottom};
    for (let up = e.parentElement; up; up = up.parentElement) if (getComputedStyle(up).overflowY !== 'visible') {
      const edge = up.getBoundingClientRect();
      Object.assign(box, {left: Math.max(box.left, edge.left), right: Math.min(box.right, edge.right), top: Math.max(box.top, edge.top), bottom: Math.min(box.bottom, edge.bottom)});
    }
    return box;
  };
  const seen = [...document.querySelectorAll('.rail a, main a, main button, main input:not([type=hidden]), main p, main h1, main h2, main dt, main dd, main bdi, .banner button')]
    .filter((e) => e.offsetParent && e.offsetWidth > 1 && !e.closest('.hidden')).map((e) => [e, shown(e)]);
  for (const [one, a] of seen) for (const [other, b] of seen) {
    if (one === other || one.contains(other) || other.contains(one)) continue;
    if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3) found.push(`${told(one)} | ${told(other)}`);
  }
  for (const [e] of seen) if (e.matches('a, button') && (e.offsetWidth < 24 || e.offsetHeight < 24)) found.push(`small: ${told(e)}`);
  if (document.documentElement.scrollWidth > innerWidth) found.push('wider than the panel');
  for (const e of document.querySelectorAll('.stage p, .rail a')) {
    const box = e.getBoundingClientRect(), seen = shown(e), more = .2 * parseFloat(getComputedStyle(e).fontSize);
    if (e.offsetWidth > 1 && (box.bottom - box.top - (seen.bottom - seen.top) > more || box.right - seen.right > 1)) found.push(`cut: ${told(e)}`);
  }
  for (const e of document.querySelectorAll('.rail a')) if (e.getBoundingClientRect().bottom > innerHeight + 1) found.push(`below the rail: ${told(e)}`);
  return found;
}"""
"""What lies over something else, what is too small to hit, and what does not fit in width; a page may scroll."""


@pytest.mark.parametrize("language", ["en", "de"])
def test_at_twice_the_size_nothing_lies_over_anything(
    rig: Rig, chromium: Browser, still: Callable[[str], None], touch: Finger, language: str
) -> None:
    page = rig.open(chromium, TWICE)
    rig.choose(page, language=language)
    wrong: dict[str, list[str]] = {}

    def look(name: str, path: str = "/") -> None:
        page.goto(f"{rig.address}{path}")
        page.evaluate("document.fonts.ready")
        if found := page.evaluate(OVER):
            wrong[name] = found
        page.goto("about:blank")

    for path in PAGES:
        look(path, path)
    rig.remembered()
    for motion in (Motion.PARKED, Motion.MOVING):
        rig.car.motion = motion
        for state in STATES:
            still(state)
            look(f"{state} {motion.value}")
    rig.car.motion = Motion.PARKED
    era, talk = rig.server.screen.parts.seat.era, rig.server.screen.parts.talk
    for name, asking in (("asked", YES_NO), ("which", WHICH)):
        talk.stands(Phase.LISTENING, asking, era)
        look(name)
    talk.stands(Phase.SPEAKING, None, era)
    talk.replied(Exchange("what can you do", "I can open and close your windows, and much besides. " * 4, NOW), era)
    look("a long reply")
    talk.replied(Exchange("open it", "Done.", NOW, undo=True), era)
    look("done")
    assert wrong == {}
    page.context.close()
