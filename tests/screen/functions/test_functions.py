"""Every function of the screen in a real Chromium: by click at four sizes in both languages, by Tab and by knob, while driving,
with a second window, after a restart of the assistant. One browser and one server for all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from memory.screen.routes import ROUTES, When
from schemas.events import Motion
from tests.screen.functions.hands import Step, Type, finger, keyboard, knob, route_of
from tests.screen.functions.stage import Stage, staged
from tests.screen.functions.table import FUNCTIONS, Function
from tests.screen_rig import SIZES, insisting

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Response

pytestmark = pytest.mark.socket  # as tests/screen/test_browser.py

PATIENCE_MS = 20_000
"""For one step on however busy a machine."""
WHEN = {f"{entry.method} {entry.path}": entry.when for entry in ROUTES}
END = """() => document.readyState === 'loading' || !document.querySelector('h1') ? null : ({
  heads: document.querySelectorAll('h1').length, wide: document.documentElement.scrollWidth > innerWidth,
  problem: document.querySelector('section[role=alert]')?.innerText || ''})"""
SENT = """(css) => { const form = document.querySelector(css)?.closest('form');
  return form ? [form.getAttribute('action'), new URLSearchParams(new FormData(form)).toString()] : null; }"""
SEND = """async ([path, body]) => (await fetch(path, body === null ? {redirect: 'manual'} : {
  method: 'POST', body, redirect: 'manual', headers: {'Content-Type': 'application/x-www-form-urlencoded'}})).status"""


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with staged(tmp_path_factory.mktemp("functions")) as made:
        yield made


def steady(page: Page, script: str, given: object = None) -> Any:
    """What a script finds, on the page that comes where one is just left."""
    from playwright.sync_api import Error  # not installed everywhere

    for _ in range(PATIENCE_MS // 20):
        try:
            found = page.evaluate(script, given)
        except Error as error:
            if "navigat" not in error.message:
                raise
            found = None
        if found is not None:
            return found
        page.wait_for_timeout(20)
    raise AssertionError("the page never came")


class Window:
    """A window of a size in a language, let in."""

    def __init__(self, stage: Stage, chromium: Browser, size: str = "1280x720", language: str = "en") -> None:
        width, height = SIZES[size]
        self.stage, self.language, self.touched = stage, language, True
        self.context = chromium.new_context(viewport={"width": width, "height": height})
        self.context.set_default_timeout(PATIENCE_MS)
        self.page = self.context.new_page()
        self.page.goto = insisting(self.page.goto)
        self.page.goto(stage.server.address)

    def blank(self) -> None:
        """Show nothing: what is done to the stage now leads no page elsewhere."""
        self.page.goto("about:blank")
        self.context.add_cookies([
            {"name": "language", "value": self.language, "url": self.stage.address},
            {"name": "look", "value": "light", "url": self.stage.address},
        ])  # fmt: skip

    def begin(self, function: Function, *, parked: bool = True) -> None:
        """Before it: everything as at first."""
        self.blank()
        self.stage.renew(touched=self.touched)
        self.touched = function.touches
        if function.before is not None:
            function.before(self.stage)
        if self.touched:
            self.stage.parts.glance.again()
        if not parked:
            self.stage.car.motion = Motion.MOVING

    def walk(self, function: Function, hand: Callable[[Page, Step], None]) -> None:
        """Up to the page of the last step."""
        self.page.goto(f"{self.stage.address}{function.start}", wait_until="commit")
        for step in function.steps[:-1]:
            hand(self.page, step)

    def finish(self, function: Function, hand: Callable[[Page, Step], None]) -> Response:
        """The last step, and the answer to it."""
        method, _, _ = function.address.partition(" ")

        def asked(answer: Response) -> bool:
            path = answer.url.removeprefix(self.stage.address).partition("?")[0]
            return route_of(answer.request.method, path) == function.address and answer.request.method == method

        with self.page.expect_response(asked) as told:
            if function.steps:
                hand(self.page, function.steps[-1])
            else:
                self.page.goto(f"{self.stage.address}{function.start}")
        return told.value

    def ended(self) -> list[str]:
        """What is wrong with the page where it ended."""
        seen: dict[str, Any] = steady(self.page, END)
        wrong = [] if seen["heads"] == 1 else [f"{seen['heads']} headings"]
        wrong += ["wider than the panel"] if seen["wide"] else []
        return wrong + ([seen["problem"]] if seen["problem"] else [])


def each(functions: tuple[Function, ...], does: Callable[[Function], list[str]]) -> dict[str, list[str]]:
    """What is wrong with which of them."""
    from playwright.sync_api import Error  # not installed everywhere

    wrong: dict[str, list[str]] = {}
    for function in functions:
        try:
            found = does(function)
        except (Error, AssertionError) as error:
            found = [str(error)[:400]]
        if found:
            wrong[function.name] = found
    return wrong


def done(window: Window, function: Function, hand: Callable[[Page, Step], None]) -> list[str]:
    """Do it from its first step to its last; what is wrong with that."""
    window.walk(function, hand)
    answer = window.finish(function, hand)
    wrong = window.ended()
    wrong += [f"answered by {answer.status}"] if answer.status >= 400 else []
    return wrong + (["not done"] if function.done is not None and not function.done(window.stage) else [])


def test_every_address_of_the_screen_has_its_function() -> None:
    """Whoever adds an address adds a row to ``table.py``, and it is tried in every way below."""
    addresses = {f"{entry.method} {entry.path}" for entry in ROUTES}
    assert {function.address for function in FUNCTIONS} == addresses
    assert len({function.name for function in FUNCTIONS}) == len(FUNCTIONS)
    always = {address for address, when in WHEN.items() if when is When.ALWAYS}
    driven = {function.address for function in FUNCTIONS if function.driving}
    assert always - driven == {"GET /", "GET /dev/car", "GET /leaving/{handle}", "POST /leaving/{handle}/undo"}
    assert driven <= always


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("size", SIZES)
def test_every_function_by_click(stage: Stage, chromium: Browser, size: str, language: str) -> None:
    window = Window(stage, chromium, size, language)

    def by_click(function: Function) -> list[str]:
        window.begin(function)
        wrong = done(window, function, finger)
        shown = window.page.evaluate("document.documentElement.lang")
        return wrong + ([f"shown in {shown}"] if shown != language and function.address != "POST /about" else [])

    assert each(FUNCTIONS, by_click) == {}
    window.context.close()


@pytest.mark.parametrize(
    ("hand", "size", "language"),
    [(keyboard, "1280x720", "en"), (knob, "800x480", "de")],
    ids=["tab", "knob"],
)
def test_every_function_by_keyboard_and_knob(
    stage: Stage, chromium: Browser, hand: Callable[[Page, Step], None], size: str, language: str
) -> None:
    window = Window(stage, chromium, size, language)

    def by_keys(function: Function) -> list[str]:
        window.begin(function)
        return done(window, function, hand)

    assert each(FUNCTIONS, by_keys) == {}
    window.context.close()


def test_every_function_while_driving(stage: Stage, chromium: Browser) -> None:
    """What may be done while driving is done; all else is gone from the page that is open, and refused where it is sent anyway."""
    window = Window(stage, chromium, "800x480", "de")

    def allowed(function: Function) -> list[str]:
        window.begin(function, parked=False)
        return done(window, function, finger)

    def locked(function: Function) -> list[str]:
        window.begin(function)
        window.walk(function, finger)
        page, last = window.page, function.steps[-1] if function.steps else ""
        assert not isinstance(last, Type)
        page.wait_for_selector(last or "h1", state="attached")
        sent = page.evaluate(SENT, last) if last else None
        picture = "" if last else page.locator(".map image").first.get_attribute("href")
        stage.car.motion = Motion.MOVING
        page.wait_for_selector("body.moving")
        wrong = ["still to be pressed"] if last and page.locator(f"{last}:visible").count() else []
        where = last.partition('href="')[2].partition('"')[0] or picture or function.start
        before = function.done is not None and function.done(stage)
        status = steady(page, SEND, sent or [where, None])
        wrong += [] if status == 403 or function.driving else [f"answered by {status}"]
        return wrong + (["done"] if function.done is not None and not before and function.done(stage) else [])

    driving = tuple(function for function in FUNCTIONS if function.driving)
    assert each(driving, allowed) == {}
    parked = tuple(f for f in FUNCTIONS if not f.driving and WHEN[f.address] is When.PARKED)
    assert each(parked, locked) == {}
    window.context.close()


SAME = """async () => {
  const told = (page) => page.querySelector('main').textContent.replace(/\\s+/g, ' ');
  const now = await fetch(location.href, {cache: 'no-store'});
  return told(document) === told(new DOMParser().parseFromString(await now.text(), 'text/html'));
}"""
"""Whether a page shows what it would show if it were loaded now."""


def test_every_function_with_a_second_window(stage: Stage, chromium: Browser) -> None:
    """The other window stands where the function begins. It follows by itself unless something is typed there; what was sent from
    the first one and is sent from it once more is not done twice, and never ends in a defect."""
    first, second = Window(stage, chromium), Window(stage, chromium, "390x844", "de")

    def twice(function: Function) -> list[str]:
        second.blank()
        first.begin(function)
        with second.page.expect_response("**/live?*" if function.address != "GET /dev/car" else "**/dev/car/live"):
            second.page.goto(f"{stage.address}{function.start}")
        last = function.steps[-1] if function.steps else None
        typed = any(
            isinstance(step, Type) for step in function.steps
        )  # what the other window would send is another wish
        form = second.page.evaluate(SENT, last) if isinstance(last, str) and not typed else None
        wrong = done(first, function, finger)
        if second.page.locator("main input:not([type=hidden])").count() == 0 and function.address != "GET /dev/car":
            second.page.wait_for_function(SAME)
        if form is not None:
            status = steady(second.page, SEND, form)
            wrong += [f"once more: {status}"] if status >= 500 else []
        return wrong + (["not done, or twice"] if function.done is not None and not function.done(stage) else [])

    assert each(FUNCTIONS, twice) == {}
    first.context.close()
    second.context.close()


def test_every_function_after_a_restart_of_the_assistant(stage: Stage, chromium: Browser) -> None:
    """A form of before changes nothing any more; whoever comes in anew can do everything."""
    window, sent = Window(stage, chromium), dict[str, list[str]]()

    def kept(function: Function) -> list[str]:
        window.begin(function)
        window.walk(function, finger)
        last = function.steps[-1] if function.steps else ""
        if last and not isinstance(last, Type):
            window.page.wait_for_selector(last, state="attached")
            form = window.page.evaluate(SENT, last)
            if form is not None:
                sent[function.name] = form
        return []

    assert each(FUNCTIONS, kept) == {}
    window.blank()
    stage.restart()
    window.page.goto(f"{stage.address}/about")  # no page of a session that it knows
    stage.renew()

    def refused(function: Function) -> list[str]:
        if function.name not in sent:
            return []
        before = function.done is not None and function.done(stage)
        status = window.page.evaluate(SEND, sent[function.name])
        wrong = [] if status == 401 else [f"answered by {status}"]
        return wrong + (["done"] if function.done is not None and not before and function.done(stage) else [])

    assert len(sent) > len(FUNCTIONS) / 2
    assert each(FUNCTIONS, refused) == {}
    window.context.close()
    again = Window(stage, chromium)

    def anew(function: Function) -> list[str]:
        again.begin(function)
        return done(again, function, finger)

    assert each(FUNCTIONS, anew) == {}
    again.context.close()
