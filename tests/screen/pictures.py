"""Pictures of every page of the screen for docs/screen-pictures.md: ``python -m tests.screen.pictures``.

Each is a real page in Chromium over a memory of examples, made small: WebP of a few kilobytes. The document is written too.
"""

from __future__ import annotations

import base64
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

from deploy.screen import OwnLoop, car_of
from deploy.showing.atlas import Atlas
from deploy.showing.cabin import SeenCabin
from memory.screen.assistant.glance import Glance
from memory.screen.assistant.talk import Exchange
from memory.screen.feed import Happened, What
from schemas.actions import NavigateTo, PlayMusic, SetTimer, SetWindow
from schemas.clock import WallClock
from schemas.events import Asking, Motion, Phase, Wanted
from tests.memories import fill
from tests.screen.map.making import around, mbtiles
from tests.screen_rig import CHROMIUM, PAGES, Rig
from tests.screens import NOW, preference
from vehicle.adapters import open_adapter
from vehicle.service import GatedVehicle

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

DOCS = Path(__file__).parents[2] / "docs"
WIDE = 560
"""Pixels of a picture's width."""
SMALLER = """async ([data, width, quality]) => {
  const image = new Image();
  image.src = `data:image/png;base64,${data}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = Math.round(image.height * width / image.width);
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL('image/webp', quality).split(',')[1];
}"""
EXAMPLES = (
    ("21.5 degrees", "preferred_temperature"), ("medium", "fan_speed_preferences"), ("high", "seat_heating_preferences"),
    ("italian", "favourite_cuisine"), ("always cheapest", "price_sensitivity_for_fuel"), ("yes", "preference_for_covered_parking"),
    ("less than 10 minutes", "distance_willing_to_walk_from_parking_to_destination"), ("miles davis", "favorite_artists_or_bands"),
)  # fmt: skip
OTHERS = (
    ("home-day", "/", "1280x720", "en", "light"), ("home-german", "/", "1280x720", "de", "dark"),
    ("home-small", "/", "800x480", "en", "dark"), ("home-wide", "/", "1920x720", "en", "dark"),
    ("home-upright", "/", "390x844", "en", "light"), ("memory-german", "/memory?in=", "1280x720", "de", "light"),
    ("memory-upright", "/memory?in=", "390x844", "de", "dark"), ("search-german", "/memory/search", "800x480", "de", "light"),
)  # fmt: skip
"""Beside every page in English, by night, at 1280x720: name, address, size, language, look."""
GOING_ON = (PlayMusic(genre="jazz"), NavigateTo(destination="the airport"), SetTimer(minutes=10, label="pasta"),
            SetWindow(window="driver", percent=40))  # fmt: skip
"""What the simulated car does while Home is shown with its tiles."""
ASKED = Asking(
    number=1, question="Somebody may have a hand at a rear window. Shall I close the windows?", yes_no=True,
    wanted=(Wanted(name="set_window", slots={"window": "all", "percent": 0}),),
)  # fmt: skip


class _Finger:
    """Somebody who may tap, and does not; meets ``schemas.ports.Touch``. Without one there are no buttons."""

    def press(self) -> None: ...

    def answer(self, number: int, words: str) -> None: ...

    def order(self, words: str) -> None: ...


def name_of(path: str) -> str:
    """A file's name for an address."""
    return re.sub(r"/|\?\w+=", "-", path.strip("/")) or "home"


def main() -> int:
    """Make them all; returns the exit status."""
    folder = DOCS / "images" / "screen"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.webp"):
        old.unlink()
    wanted = [(name_of(p), p, "1280x720", "en", "dark") for p in PAGES if p not in {"/memory?in=", "/nowhere"}]
    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory(dir="/tmp") as place, sync_playwright() as running:
        rig = Rig(Path(place))
        fill(rig.memory, *(preference(f"e{n}", value, detail) for n, (value, detail) in enumerate(EXAMPLES)))
        feed = rig.server.screen.parts.feed
        feed.tell(Happened(What.HEARD, NOW, "set the driver's window to forty percent"))
        feed.tell(Happened(What.DONE, NOW, "", action="set_window", slots={"window": "driver", "percent": 40}))
        rig.remembered()
        browser = running.chromium.launch(executable_path=CHROMIUM, args=root)
        with rig.server:
            made = [(name, *rest) for name, *rest in [*wanted, *OTHERS]]
            for size in dict.fromkeys(one[2] for one in made):
                page = rig.open(browser, size)
                for name, path, own, language, look in made:
                    if own == size:
                        rig.choose(page, language=language, look=look)
                        page.goto(f"{rig.address}{path}")
                        _keep(page, folder / f"{name}.webp")
                page.goto("about:blank")
                if size == "1280x720":
                    rig.choose(page, look="dark", language="en")
                    rig.car.motion = Motion.MOVING
                    page.goto(f"{rig.address}/")
                    _keep(page, folder / "driving.webp")
                    page.goto("about:blank")
                    rig.car.motion = Motion.PARKED
                page.context.close()
            _with_a_car(rig, browser, folder)
        browser.close()
    names = sorted(one.stem for one in folder.glob("*.webp"))
    lines = [
        "# Pictures of the screen",
        "",
        "Made by `python -m tests.screen.pictures`; [the screen](screen.md) says what each page does.",
        "",
    ]
    for name in names:
        lines += [f"## {name}", "", f"![{name}](images/screen/{name}.webp)", ""]
    (DOCS / "screen-pictures.md").write_text("\n".join(lines).rstrip() + "\n", "utf-8")
    size = sum(one.stat().st_size for one in folder.glob("*.webp"))
    sys.stdout.write(f"{len(names)} pictures, {size / 1000:.0f} kB\n")
    return 0


def _with_a_car(rig: Rig, browser: Browser, folder: Path) -> None:
    """Home with the car, with a map of a town that there is not, with a question parked and moving; the development page."""
    loop, clock = OwnLoop(), WallClock()
    vehicle = GatedVehicle(open_adapter("simulated", clock=clock, profile="parked"), clock)
    parts = rig.server.screen.parts
    cabin = SeenCabin(vehicle, lambda: loop.loop)
    seen = {"cabin": cabin, "glance": Glance(cabin, parts.clock, parts.feed.watchers.wake), "touch": _Finger(),
            "car": car_of(vehicle, lambda: loop.loop)}  # fmt: skip
    for name, value in seen.items():
        object.__setattr__(parts, name, value)
    for action in GOING_ON:
        loop.run(vehicle.act(action))
    page = rig.open(browser)
    rig.choose(page, look="dark", language="en")
    page.goto(f"{rig.address}/dev/car")
    page.wait_for_selector("#car svg")
    _keep(page, folder / "dev-car.webp")
    page.goto(f"{rig.address}/")
    page.wait_for_selector(".tile.windows >> text=40")
    _keep(page, folder / "home-car.webp")
    page.goto("about:blank")
    town = mbtiles(rig.folder / "town.mbtiles", around(54.5, 3.5, range(9, 16)))
    object.__setattr__(parts, "atlas", Atlas(town))
    page.goto(f"{rig.address}/", wait_until="load")
    page.wait_for_selector(".map .end")
    _keep(page, folder / "home-map.webp")
    page.goto("about:blank")
    object.__setattr__(parts, "atlas", None)
    parts.talk.stands(Phase.LISTENING, ASKED, 0)
    parts.talk.replied(Exchange("close everything", ASKED.question, NOW), 0)
    for motion, name in ((Motion.PARKED, "home-asked"), (Motion.MOVING, "driving-asked")):
        rig.car.motion = motion
        page.goto(f"{rig.address}/")
        _keep(page, folder / f"{name}.webp")
        page.goto("about:blank")
    page.context.close()
    loop.run(vehicle.close())
    loop.close()


def _keep(page: Page, file: Path) -> None:
    """A page as it looks now, made small."""
    page.evaluate("document.fonts.ready")
    whole = base64.b64encode(page.screenshot()).decode("ascii")
    width = WIDE if (page.viewport_size or {"width": WIDE})["width"] > WIDE else 300
    blank = page.context.new_page()  # the page's own policy lets no data in
    small = blank.evaluate(SMALLER, [whole, width, 0.72])
    blank.close()
    file.write_bytes(base64.b64decode(small))


if __name__ == "__main__":
    raise SystemExit(main())
