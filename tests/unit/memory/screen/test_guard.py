"""The driver's screen over memories in no file: the lock while driving, who is let in, and what goes wrong."""

from __future__ import annotations

import pytest

from memory.guest import GuestMemory
from memory.screen.app import COOKIE, HEADERS, Screen
from memory.screen.feed import Happened, What
from memory.screen.routes import ROUTES, When
from memory.screen.sessions import MOST_USED, Session, Token
from schemas.errors import VaultBusyError, WrongKeyError
from schemas.events import Motion
from schemas.ports import MemoryPort
from schemas.seat import Seat
from tests.memories import fill
from tests.screens import NOW, ORIGIN, Browser, Car, FakeDrivers, ask, preference

# While the car moves


@pytest.mark.parametrize("motion", [Motion.MOVING, Motion.IDLING, None])
@pytest.mark.parametrize("entry", ROUTES, ids=lambda e: f"{e.method} {e.path}")
def test_every_address_asks_for_session_token_and_lock(
    screen: Screen, car: Car, drivers: FakeDrivers, entry: object, motion: Motion | None
) -> None:
    from memory.screen.routes import Entry

    assert isinstance(entry, Entry)
    path = entry.path.format(number="1", handle="h", id="p1", kind="profile", key="music", place="1", tile="climate", level=0,
                             column=0, row=0)  # fmt: skip
    headers = {"Origin": ORIGIN}
    stranger = Browser(screen, enter=False)
    assert stranger.client.request(entry.method, path, headers=headers).status_code == 401
    browser = Browser(screen)
    if entry.method == "POST":
        forged = browser.client.post(path, data={"token": "1.abcdef"}, headers=headers)
        assert forged.status_code == 403 and "Nothing was changed" in forged.text
        elsewhere = browser.client.post(path, data={}, headers={"Origin": "http://evil.example"})
        assert elsewhere.status_code == 403
        assert browser.client.post(path, data={}).status_code == 403  # no origin at all
    car.motion = motion
    session = screen.door.known(browser.session())
    assert session is not None
    token = {"token": session.token(path, screen.parts.seat.shift)} if entry.method == "POST" else None
    answer = browser.client.request(entry.method, path, headers=headers, data=token)
    locked = answer.status_code == 403 and "You are driving" in answer.text
    assert locked == (entry.when is When.PARKED)
    assert "jazz" not in answer.text and drivers.deleted == [] and len(drivers.memories["ada"].preferences()) == 2


def test_while_driving_home_has_no_list_and_no_field(
    browser: Browser, screen: Screen, car: Car, memory: MemoryPort
) -> None:
    for number in range(5):
        screen.parts.feed.tell(Happened(What.HEARD, NOW, f"sentence {number}"))
    screen.parts.feed.tell(Happened(What.REMEMBERED, NOW, "jazz", "favorite_genres", "p1"))
    ask(memory)
    car.motion = Motion.MOVING
    page = browser.get("/")
    assert "Ask me, or park first" in page and "sentence" not in page and page.count("jazz") == 2
    assert '<input type="text"' not in page and "<nav" not in page and "/questions" not in page
    browser.post("/stop")
    assert car.stopped == 1


def test_a_car_that_cannot_be_asked_counts_as_moving(screen: Screen, car: Car, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Motion:
        raise RuntimeError

    object.__setattr__(screen.parts, "motion", broken)
    assert "You are driving" in Browser(screen).get("/memory", 403)


# Who is let in, and what goes wrong


def test_the_launchers_secret_works_once(screen: Screen) -> None:
    address = screen.bind(8123).removeprefix(ORIGIN)
    first = Browser(screen, enter=False)
    assert first.client.get(address).status_code == 303
    cookie = first.client.cookies
    assert len(cookie[COOKIE]) >= 32
    stolen = Browser(screen, enter=False)
    answer = stolen.client.get(address)
    assert answer.status_code == 403 and "used already" in answer.text and COOKIE not in stolen.client.cookies


def test_the_cookie_is_for_this_page_alone(screen: Screen) -> None:
    browser = Browser(screen, enter=False)
    answer = browser.client.get(screen.bind(8123).removeprefix(ORIGIN))
    told = answer.headers["set-cookie"].lower()
    assert "httponly" in told and "samesite=strict" in told


def test_another_host_name_gets_nothing(browser: Browser) -> None:
    for host in ("evil.example:8123", "127.0.0.1:9", "", "127.0.0.1"):
        answer = browser.client.get("/memory", headers={"Host": host})
        assert answer.status_code == 403 and "jazz" not in answer.text, host


def test_another_page_gets_nothing(browser: Browser) -> None:
    answer = browser.client.get("/memory", headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403 and "jazz" not in answer.text


def test_the_same_form_counts_once(browser: Browser, memory: MemoryPort) -> None:
    browser.get("/memory/p1")
    token = {"token": browser.token("/memory/p1/forget")}
    assert browser.client.post("/memory/p1/forget", data=token, headers={"Origin": ORIGIN}).status_code == 303
    again = browser.client.post("/memory/p1/forget", data=token, headers={"Origin": ORIGIN})
    assert again.status_code == 409 and "done already" in again.text
    other = browser.client.post("/memory/p2/forget", data=token, headers={"Origin": ORIGIN})
    assert other.status_code == 403 and len(memory.preferences()) == 1


def test_tokens_that_are_long_gone_are_refused_and_the_list_of_them_stays_short() -> None:
    session = Session()
    first = session.token("/", 0)
    for _ in range(MOST_USED + 10):
        assert session.spend(session.token("/", 0), "/", 0) is Token.GOOD
    assert session.spend(first, "/", 0) is Token.USED and len(session._used) <= MOST_USED
    for forged in ("", ".", "1.", "x.y", "1.ü", f"{'9' * 40}.a", "-1.a"):
        assert session.spend(forged, "/", 0) is Token.FORGED


def test_two_windows_that_edit_the_same_thing_are_told(screen: Screen, browser: Browser, memory: MemoryPort) -> None:
    other = Browser(screen)
    browser.get("/memory/p1/correct")
    other.get("/memory/p1/correct")
    other.post("/memory/p1/correct", value="rock")
    assert "It has changed meanwhile" in browser.post("/memory/p1/correct", 409, value="pop")
    assert [p.value for p in memory.preferences("music")] == ["rock"]
    browser.get("/memory/p2")
    other.get("/memory/p2")
    other.post("/memory/p2/forget")
    assert "not there any more" in browser.post("/memory/p2/forget", 404)


def test_script_in_a_memory_is_only_text(browser: Browser, memory: MemoryPort, screen: Screen) -> None:
    evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
    fill(memory, preference("evil", evil))
    screen.parts.feed.tell(Happened(What.REMEMBERED, NOW, evil, "favorite_genres", "evil"))
    for path in ("/", "/memory", "/memory/evil", "/memory/evil/correct"):
        page = browser.get(path)
        assert "<script>alert" not in page and "<img" not in page and "&lt;script&gt;" in page


class Gone(Seat):
    """A seat of which the memory cannot be had."""

    def __init__(self, error: Exception) -> None:
        super().__init__(GuestMemory())
        self.error = error

    @property
    def memory(self) -> MemoryPort:
        raise self.error


@pytest.mark.parametrize(("error", "told"), [(WrongKeyError("k"), "locked"), (VaultBusyError("k"), "in use")])
def test_a_vault_that_cannot_be_had_is_a_page(screen: Screen, browser: Browser, error: Exception, told: str) -> None:
    object.__setattr__(screen.parts, "seat", Gone(error))
    assert told in browser.get("/memory", 503)


def test_a_defect_tells_nothing_of_what_it_was_about(screen: Screen, browser: Browser) -> None:
    object.__setattr__(screen.parts, "seat", Gone(RuntimeError("jazz jazz jazz")))
    page = browser.get("/memory", 500)
    assert "Something went wrong" in page and "jazz" not in page


def test_no_page_is_cached_or_framed_or_loads_from_outside(browser: Browser) -> None:
    for path in ("/", "/memory", "/nowhere", "/about"):
        answer = browser.client.get(path)
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
        assert "http://" not in answer.text and "https://" not in answer.text
        assert "<style" not in answer.text and " style=" not in answer.text and "onclick" not in answer.text


@pytest.mark.parametrize("body", [b"\xff\xfe", b"a=" + b"x" * 9000, b"&".join(b"a=1" for _ in range(50))])
def test_a_form_that_is_none_changes_nothing(browser: Browser, memory: MemoryPort, body: bytes) -> None:
    headers = {"Origin": ORIGIN, "Content-Type": "application/x-www-form-urlencoded"}
    assert browser.client.post("/pause", content=body, headers=headers).status_code in {400, 403, 413}
    assert browser.client.post("/pause", json={"what": "trip"}, headers={"Origin": ORIGIN}).status_code == 415
    assert not memory.consent().private_trip


def test_addresses_that_lead_nowhere_are_told(browser: Browser) -> None:
    for path in ("/nowhere", "/memory/none", "/categories/none", "/drivers/to/9", "/other/thought/none", "/receipt/none",
                 "/leaving/none", "/static/none", "/categories/music/kept"):  # fmt: skip
        assert browser.client.get(path).status_code == 404, path
