"""Pictures of every page of the screen for docs/screen-pictures.md: ``python -m tests.screen.pictures``.

Each is a real page in Chromium over a memory of examples, made small: WebP of a few kilobytes. The document is written too.
"""

from __future__ import annotations

import base64
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

from memory.screen.feed import Happened, What
from schemas.events import Motion
from tests.memories import fill
from tests.screen_rig import CHROMIUM, PAGES, Rig
from tests.screens import NOW, preference

if TYPE_CHECKING:
    from playwright.sync_api import Page

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


def name_of(path: str) -> str:
    """A file's name for an address."""
    return path.strip("/").replace("/", "-").replace("?in=", "-") or "home"


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
