"""How quick and how heavy the driver's screen is over a vault with many memories: ``glovebox bench screen``.

The screen is served as `glovebox screen` serves it and asked over the loopback interface by one browser's worth of requests. What a
browser needs to draw is not in these times.
"""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from deploy.app import memory_settings
from deploy.config import Config
from deploy.lab.memory.filling import Texts, fill
from deploy.lab.report.statistics import spread
from deploy.screen import ScreenServer
from memory.screen.feed import Happened, What
from memory.screen.parts import Parts
from memory.service import DriverMemory
from memory.vault.keys import RawKey
from memory.vault.lifecycle import Vault
from memory.vault.pins import Pins
from models.catalog import Catalog
from models.runtime.onnx_encoder import OnnxEncoder
from schemas.events import Motion
from schemas.seat import Seat

PAGES = ("/", "/memory", "/memory?in=entertainment_and_media", "/memory?in=&page=40", "/memory?in=more", "/memory?in=",
         "/categories", "/categories/music", "/privacy", "/privacy/retention", "/privacy/delete", "/drivers", "/about")  # fmt: skip
TEXTS = 2000
STATIC = ("screen.css", "screen.js", "icons.svg")


def measure(
    config: Config, tell: Callable[[str, int, int], None], *, size: int, rounds: int, seed: int
) -> dict[str, Any]:
    """Figures of a screen over so many memories: milliseconds and bytes."""
    tell("encoding texts", 0, 0)
    encoder = OnnxEncoder(Catalog.load(config.data).find(config.encoder.model), threads=config.encoder.threads)
    texts = Texts.made(encoder, TEXTS, seed)
    with tempfile.TemporaryDirectory(prefix="glovebox-screen-") as name:
        folder = Path(name)
        tell(f"filling a vault with {size:,} memories", 0, 0)
        for again in (False, True):
            vault = Vault.open(folder, "ada", RawKey(bytes(range(32))), clock=_now)
            memory = DriverMemory("ada", vault, encoder=encoder, clock=_now, settings=memory_settings(config))
            if not again:
                fill(vault, memory, texts, size, seed)
                memory.close()
        pins = Pins(folder, lambda _: RawKey(bytes(range(32))))
        parts = Parts(seat=Seat(memory), motion=lambda: Motion.PARKED, clock=_now, pins=pins)
        with ScreenServer(parts, folder) as server:
            told = _asked(server, memory, tell, rounds)
        memory.close()
    return {"memories": size, "preferences": sum(memory_count for memory_count in told.pop("tally").values()), **told}


def _asked(
    server: ScreenServer, memory: DriverMemory, tell: Callable[[str, int, int], None], rounds: int
) -> dict[str, Any]:
    import httpx2

    tally = memory.tally()
    origin = server.address.partition("/enter")[0]
    with httpx2.Client(base_url=origin, headers={"Origin": origin}, timeout=30) as browser:
        browser.get(server.address)
        began = time.perf_counter()
        first = browser.get("/")
        told: dict[str, Any] = {"tally": tally, "first_page_ms": _ms(began), "first_page_status": first.status_code}
        tell("pages", 0, 0)
        times: dict[str, list[float]] = {}
        heaviest = 0
        shared = sum(len(browser.get(f"/static/{name}").content) for name in STATIC)
        for _ in range(rounds):
            for path in PAGES:
                began = time.perf_counter()
                page = browser.get(path)
                times.setdefault(f"GET {path}", []).append(_ms(began))
                heaviest = max(heaviest, len(page.content))
        tell("actions", 0, 0)
        names = [p.id for p in memory.browse("entertainment_and_media", limit=rounds * 2).preferences]
        for name in names[:rounds]:
            _act(browser, f"/memory/{name}", f"/memory/{name}/forget", {}, times, "forget")
            _act(browser, "/", None, {}, times, "undo")
        for name in names[rounds:]:
            _act(
                browser,
                f"/memory/{name}/correct",
                f"/memory/{name}/correct",
                {"value": f"new {name[-4:]}"},
                times,
                "correct",
            )
        for to in ("off", "on") * (rounds // 2):
            _act(
                browser,
                "/categories/climate_control",
                "/categories/fan_speed_preferences/switch",
                {"to": to},
                times,
                "switch",
            )
            _act(browser, "/memory/search", "/memory/search", {"text": "wood"}, times, "search")
            began = time.perf_counter()
            browser.get("/memory")
            times.setdefault("GET /memory, searched", []).append(_ms(began))
        browser.get("/memory?all=1")
        everything = [one for each in times.values() for one in each]
        told |= {
            "action_ms": _spread(everything),
            "by_action_ms": {name: _spread(each) for name, each in sorted(times.items())},
            "page_bytes": {"shared": shared, "heaviest": heaviest, "together": shared + heaviest},
        }
        tell("live events", 0, 0)
        told["live_ms"] = _spread(_live(server, browser, rounds))
    return told


def _act(
    browser: Any, page: str, action: str | None, fields: dict[str, str], times: dict[str, list[float]], name: str
) -> None:
    text = browser.get(page).text
    if action is None:  # the banner's undo
        found = re.search(r'action="(/leaving/[^"]+/undo)"', text)
        assert found is not None  # noqa: S101 - a defect of this measurement
        action = str(found[1])
    token = re.search(rf'action="{re.escape(action)}"[^>]*>\s*<input type="hidden" name="token" value="([^"]+)"', text)
    assert token is not None  # noqa: S101 - as above
    began = time.perf_counter()
    answer = browser.post(action, data={"token": token[1], **fields})
    times.setdefault(f"POST {name}", []).append(_ms(began))
    if answer.status_code not in {303, 422}:
        raise RuntimeError(f"{name} was answered with {answer.status_code}")


def _live(server: ScreenServer, browser: Any, rounds: int) -> list[float]:
    delays: list[float] = []
    with browser.stream("GET", "/live") as stream:
        lines = stream.iter_lines()
        for number in range(rounds):
            word = f"value{number}x"
            began = time.perf_counter()
            server.screen.parts.feed.tell(Happened(What.HEARD, _now(), word))
            for line in lines:
                if line.startswith("data:") and word in json.loads(line.removeprefix("data: ")):
                    break
            delays.append(_ms(began))
    return delays


def _spread(values: list[float]) -> dict[str, float]:
    return {**spread(values, 1, p50=50, p95=95, worst=100), "count": len(values)}


def _ms(began: float) -> float:
    return round((time.perf_counter() - began) * 1000.0, 2)


def _now() -> datetime:
    return datetime.now(UTC)
