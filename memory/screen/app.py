"""The screen as a web application: who may come in, what may be done now, and how an answer becomes a page.

Every request is asked for its host before anything else, redirects and errors included; then it goes through `Screen._serve`, in
this order: origin, session, driving lock, token, the page's own function. No page can be reached around it: the table in
`memory.screen.routes` is all there is. Of a driver who has left nothing is shown: the seat says so, and what is open is told.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from memory.screen import daylight, live
from memory.screen.answers import Answer, Go, Page, ProblemError, Visit
from memory.screen.assistant import page as assistant
from memory.screen.assistant.ports import Picture
from memory.screen.departures import Departures, Leaving
from memory.screen.feed import Mark
from memory.screen.pages import dev, home
from memory.screen.parts import Parts
from memory.screen.render import Renderer
from memory.screen.routes import ROUTES, Entry, When
from memory.screen.sessions import Doorkeeper, Session, Token
from memory.screen.wording import Wording
from schemas.errors import (
    ConsentError,
    GloveboxError,
    KeySourceError,
    MemoryStoreError,
    StorageFullError,
    UnknownEntryError,
    VaultBusyError,
    WrongKeyError,
)
from schemas.events import Motion

_Part = Callable[[str, Callable[[Visit], Mapping[str, Any]]], str]
COOKIE = "glovebox_screen"
LONGEST_FORM = 8192
"""Bytes of a form; the longest field is a value of 200 characters."""
FORM_S = 5.0
"""Seconds in which a form must be there."""
YEAR_S = 31_536_000
CALM_S, ENDS_S = 0.5, 2.0
"""At the end: how long nothing may have been asked for before the server goes, and how long that is waited for. A page that has
just asked whether anybody is there, and so goes elsewhere, still gets all of the next one. Our choice."""
PREPARES_AFTER_S = 2.0
"""Seconds after its start in which no page is compiled that nobody asked for: first the assistant has to hear. Our choice."""

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), usb=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

_PROBLEMS: tuple[tuple[type[GloveboxError], str, int], ...] = (
    (UnknownEntryError, "gone", 404),
    (ConsentError, "consent", 409),
    (StorageFullError, "full", 507),
    (WrongKeyError, "locked", 503),
    (KeySourceError, "locked", 503),
    (VaultBusyError, "busy", 503),
    (MemoryStoreError, "vault", 503),
    (GloveboxError, "defect", 500),
)


class Screen:
    """The application and what it keeps between requests."""

    def __init__(self, parts: Parts, *, told: Callable[[str], None] | None = None) -> None:
        """A screen over these parts; ``told`` gets every new secret of the launcher."""
        self.parts = parts
        self.door = Doorkeeper(told)
        self.departures = Departures(parts.clock, parts.later)
        self.renderer = Renderer()
        self._seen_parked = live.Recent(self.parked)
        self.hosts: frozenset[str] = frozenset()
        """Host headers that are ours, port included; set by whoever binds the socket."""
        self.ending = False
        """Every page that is open is told that the assistant ends, and none may leave for another one any more."""
        self.traffic = live.Traffic()
        self._strangers: dict[tuple[str, int, str, str], bytes] = {}
        routes = [Route("/enter", self._enter, methods=["GET"]), Route("/live", self._live, methods=["GET"])]
        routes += [Route("/dev/car/live", self._live_car, methods=["GET"])]
        routes += [Route("/static/{name}", self._static, methods=["GET"])]
        for path in dict.fromkeys(entry.path for entry in ROUTES):
            by_method = {entry.method: entry for entry in ROUTES if entry.path == path}
            routes.append(Route(path, self._endpoint(by_method), methods=list(by_method)))
        pages = Starlette(
            routes=routes,
            lifespan=self._life,
            exception_handlers={HTTPException: self._unknown, 500: self._defect},
        )
        pages.router.redirect_slashes = False
        self.app: ASGIApp = _Named(pages, self)
        parts.seat.follow(self._emptied)
        parts.seat.observe(self._observed)
        self._emptied()

    def bind(self, port: int) -> str:
        """Take requests to this port of the loopback interface as ours; returns the address that opens the screen, once."""
        self.hosts = frozenset({f"127.0.0.1:{port}", f"localhost:{port}"})
        return f"http://127.0.0.1:{port}/enter?key={self.door.secret}"

    def end(self) -> None:
        """Tell every page that is open that the assistant ends, and wait until none asks for anything; from any thread."""
        self.ending = True
        self.parts.feed.watchers.wake()
        began = time.monotonic()
        while time.monotonic() - began < ENDS_S and (self.traffic.streams or self.traffic.calm_s < CALM_S):
            time.sleep(0.02)

    @asynccontextmanager
    async def _life(self, _: Starlette) -> AsyncGenerator[None]:
        preparing = asyncio.create_task(self._prepare())
        yield
        preparing.cancel()
        await asyncio.wait((preparing,))
        await run_in_threadpool(self.departures.finish_all)

    async def _prepare(self) -> None:
        await asyncio.sleep(PREPARES_AFTER_S)
        await run_in_threadpool(self.renderer.prepare)

    def _emptied(self) -> None:
        """Somebody else drives, or something was forgotten: nothing of before is shown or searched for."""
        seat = self.parts.seat
        self.parts.talk.clear()
        if self.parts.hands is not None:
            self.parts.hands.withdraw()
        self.parts.feed.clear(seat.shift, seat.era)
        self.door.forget_views()

    def _observed(self, forgotten: bool) -> None:
        if forgotten:
            self._emptied()
        else:
            self.parts.feed.stored()

    # The way in

    def to_other_host(self, request: Request) -> Response:
        """The answer to a request that was made to another name."""
        return self._to_stranger(request, ProblemError("host", 403))

    def _stranger(self, request: Request) -> str | None:
        """Why a request is none of ours: made by another page."""
        origin = request.headers.get("origin")
        if origin is not None and urlsplit(origin).netloc not in self.hosts:
            return "origin"
        site = request.headers.get("sec-fetch-site", "none")
        if site not in {"none", "same-origin"} and request.url.path != "/enter":
            return "origin"
        if request.method == "POST" and origin is None and site != "same-origin":
            return "origin"
        return None

    async def _enter(self, request: Request) -> Response:
        session = self.door.enter(request.query_params.get("key", ""))
        if session is None:
            return self._problem(request, ProblemError("key", 403))
        response = RedirectResponse("/", status_code=303, headers=dict(HEADERS))
        response.set_cookie(COOKIE, session.id, httponly=True, samesite="strict", path="/")
        return response

    def _admitted(self, request: Request) -> Session:
        strange = self._stranger(request)
        if strange is not None:
            raise ProblemError(strange, 403)
        session = self.door.known(request.cookies.get(COOKIE))
        if session is None:
            raise ProblemError("session", 401)
        return session

    async def parked(self) -> bool:
        """Whether the car is surely parked."""
        try:
            return await run_in_threadpool(self.parts.motion) is Motion.PARKED
        except Exception:  # noqa: BLE001 - whatever goes wrong there, the car may be moving
            return False

    # Answers

    def _endpoint(self, by_method: Mapping[str, Entry]) -> Callable[[Request], Any]:
        async def endpoint(request: Request) -> Response:
            entry = by_method.get(request.method) or by_method["GET"]
            try:
                return await self._serve(entry, request)
            except ProblemError as problem:
                return self._problem(request, problem)
            except GloveboxError as error:
                key, status = next((key, status) for kind, key, status in _PROBLEMS if isinstance(error, kind))
                return self._problem(request, ProblemError(key, status))

        return endpoint

    async def _serve(self, entry: Entry, request: Request) -> Response:
        session = self._admitted(request)
        parked = await self.parked()
        form: Mapping[str, str] = {}
        if entry.method == "POST":
            form = await _form(request)
        if entry.when is When.PARKED and not parked:
            return self._locked(request, session)
        visit = self._visit(request, session, parked=parked, form=form)
        if entry.method == "POST":
            spent = session.spend(form.get("token", ""), request.url.path, visit.mark.shift)
            if spent is not Token.GOOD:
                raise ProblemError("forged" if spent is Token.FORGED else "used", 403 if spent is Token.FORGED else 409)
        answer = await run_in_threadpool(entry.handler, visit)
        return await run_in_threadpool(self._respond, request, visit, answer)

    def _visit(self, request: Request, session: Session, *, parked: bool, form: Mapping[str, str]) -> Visit:
        seat, mark = self.parts.seat, self.parts.feed.mark
        shift, memory = seat.shift, seat.memory
        while shift != seat.shift:
            shift, memory = seat.shift, seat.memory
        return Visit(
            self.parts,
            session,
            self._words(request),
            self.departures,
            self.door,
            parked,
            dict(request.path_params),
            dict(request.query_params),
            form,
            mark._replace(shift=shift),
            memory,
        )

    def _words(self, request: Request) -> Wording:
        seat = self.parts.seat
        try:
            unit = seat.manners.temperature
        except GloveboxError:  # a memory that cannot be had is told by the page itself
            unit = ""
        return Wording(self._chosen(request, "language") or self.parts.language, seat.zone, unit)

    def _chosen(self, request: Request, name: str) -> str | None:
        """What this browser chose; else what was chosen on this panel last, for a kiosk, which keeps no cookies."""
        return request.cookies.get(name) or self.parts.choices.get(name)

    def _look(self, request: Request) -> str:
        """Day or night colours for this browser, now."""
        now = self.parts.clock().astimezone(self.parts.seat.zone)
        return daylight.look(daylight.chosen(self._chosen(request, "look")), self.parts.bright(), now)

    def _respond(self, request: Request, visit: Visit, answer: Answer) -> Response:
        if isinstance(answer, Picture):
            return Response(answer.data, media_type=answer.kind, headers=dict(HEADERS))
        if isinstance(answer, Go):
            response: Response = RedirectResponse(answer.address, status_code=303, headers=dict(HEADERS))
            for name, value in answer.cookies.items():
                response.set_cookie(name, value, max_age=YEAR_S, httponly=True, samesite="strict", path="/")
            return response
        if not answer.anybodys and visit.mark.shift != self.parts.seat.shift:
            return RedirectResponse("/", status_code=303, headers=dict(HEADERS))
        mark = None if answer.anybodys else visit.mark
        return self._html(request, answer, visit.session, visit.words, parked=visit.parked, mark=mark)

    def _html(
        self,
        request: Request,
        page: Page,
        session: Session | None,
        words: Wording,
        *,
        parked: bool,
        mark: Mark | None = None,
    ) -> Response:
        mark = mark or self.parts.feed.mark
        text = self.renderer.page(
            page,
            words=words,
            token=partial(session.token, shift=mark.shift) if session is not None else None,
            mark=mark,
            path=request.url.path,
            parked=parked,
            look=self._look(request),
            chosen=daylight.chosen(self._chosen(request, "look")),
            leaving=self._leaving() if session is not None else None,
            now=self.parts.clock(),
        )
        headers = dict(HEADERS)
        return Response(text, status_code=page.status, media_type="text/html; charset=utf-8", headers=headers)

    def _leaving(self) -> Leaving | None:
        try:
            return self.departures.open(self.parts.seat.memory)
        except Exception:  # noqa: BLE001 - a memory that cannot be had is told by the page itself
            return None

    def _locked(self, request: Request, session: Session) -> Response:
        page = Page("locked.html", {}, status=403, refresh=(5, "/"))
        return self._html(request, page, session, self._words(request), parked=False)

    def _problem(self, request: Request, problem: ProblemError) -> Response:
        """A page that says what is wrong; without a session it has no way on."""
        session = self.door.known(request.cookies.get(COOKIE)) if problem.key not in {"host", "origin"} else None
        if session is None:
            return self._to_stranger(request, problem)
        page = Page("problem.html", {"key": problem.key, "inside": True}, status=problem.status)
        return self._html(request, page, session, self._words(request), parked=True)

    def _to_stranger(self, request: Request, problem: ProblemError) -> Response:
        """The page for who was not let in; always the same, so that many who ask cost the driver no time."""
        words = self._words(request)
        kind = (problem.key, problem.status, words.language, self._look(request))
        if kind not in self._strangers:
            page = Page("problem.html", {"key": problem.key, "inside": False}, status=problem.status)
            self._strangers[kind] = bytes(self._html(request, page, None, words, parked=False).body)
        headers = {**HEADERS, "Content-Type": "text/html; charset=utf-8"}
        return Response(self._strangers[kind], status_code=problem.status, headers=headers)

    async def _unknown(self, request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 404
        try:
            self._admitted(request)
        except ProblemError as problem:
            return self._problem(request, problem)
        if status == 405 and request.method == "GET":  # back to a page that answered a form: what it was about
            section = "/" + request.url.path.split("/")[1]
            known = any((entry.method, entry.path) == ("GET", section) for entry in ROUTES)
            return RedirectResponse(section if known else "/", status_code=303, headers=dict(HEADERS))
        return self._problem(request, ProblemError("missing", status))

    async def _defect(self, request: Request, error: Exception) -> Response:
        del error  # it may hold what was said
        return self._problem(request, ProblemError("defect", 500))

    async def _static(self, request: Request) -> Response:
        found = self.renderer.static(request.path_params["name"])
        if found is None:
            return self._problem(request, ProblemError("missing", 404))
        if self.ending and request.method == "HEAD":  # a page asks whether somebody is there, before it goes elsewhere
            return Response(status_code=503, headers=dict(HEADERS))
        text, kind = found
        return Response(text, media_type=kind, headers={**HEADERS, "Cache-Control": "private, max-age=3600"})

    async def _live(self, request: Request) -> Response:
        try:
            session = self._admitted(request)
        except ProblemError as problem:
            return Response(status_code=problem.status, headers=dict(HEADERS))
        words = self._words(request)

        def part(template: str, values: Callable[[Visit], Mapping[str, Any]]) -> str:
            visit = self._visit(request, session, parked=watch.parked, form={})
            token = partial(session.token, shift=visit.mark.shift)
            return self.renderer.part(template, values(visit), words=words, token=token, parked=watch.parked)

        def welcome() -> bool:
            return not self.ending and self.door.known(session.id) is not None

        seen = Mark.read(request.query_params.get("seen", ""))
        look = partial(self._look, request)
        if request.query_params.get("view") == "assistant":
            watch = self._watch_assistant(part, welcome, seen, look)
        else:

            def happened() -> str:
                return part("happened.html", lambda visit: {**home.status(visit), **home.happened(visit)})

            sections = [live.Section("happened", lambda: self.parts.feed.version, happened)]
            watch = live.Watch(self.parts.feed, self._seen_parked, sections, welcome, seen, lambda: {"look": look()})
        return live.stream(watch.events(), HEADERS)

    def _watch_assistant(
        self, part: _Part, welcome: Callable[[], bool], seen: Mark | None, look: Callable[[], str]
    ) -> live.Watch:
        """The assistant's view: the turn by itself, since it must be quick, and the rest of the page."""
        talk, feed, glance = self.parts.talk, self.parts.feed, self.parts.glance

        def light() -> Mapping[str, object]:
            return {"look": look(), "level": talk.level, "words": talk.stand.words if watch.parked else ""}

        def version() -> object:
            glance.keep_up()
            return talk.stand.version, feed.version, watch.parked, self.parts.clock().minute, glance.version

        sections = [live.Section("assistant", version, lambda: part("assistant_now.html", assistant.values))]
        watch = live.Watch(feed, self._seen_parked, sections, welcome, seen, light)
        return watch

    async def _live_car(self, request: Request) -> Response:
        try:
            session = self._admitted(request)
        except ProblemError as problem:
            return Response(status_code=problem.status, headers=dict(HEADERS))
        if self.parts.car is None:
            return Response(status_code=404, headers=dict(HEADERS))
        visit = self._visit(request, session, parked=False, form={})

        def section() -> str:
            return self.renderer.part(
                "car_now.html",
                dev.values(visit),
                words=visit.words,
                token=partial(session.token, shift=visit.mark.shift),
                parked=False,
            )

        def welcome() -> bool:
            return not self.ending and self.door.known(session.id) is not None

        return live.stream(live.pictures(section, welcome), HEADERS)


class _Named:
    """Lets nothing in that was asked of another name (DNS rebinding), whatever it would be answered with."""

    def __init__(self, pages: ASGIApp, screen: Screen) -> None:
        self._pages, self._screen = pages, screen

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and Request(scope).headers.get("host", "") not in self._screen.hosts:
            await self._screen.to_other_host(Request(scope))(scope, receive, send)
        elif scope["type"] == "http":
            with self._screen.traffic.under_way(scope["path"], asks=self._screen.ending and scope["method"] == "HEAD"):
                await self._pages(scope, receive, send)
        else:
            await self._pages(scope, receive, send)


async def _form(request: Request) -> Mapping[str, str]:
    """The fields of a form; nothing else is read, and nothing long."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise ProblemError("form", 415)
    body = bytearray()
    try:
        async with asyncio.timeout(FORM_S):
            async for piece in request.stream():
                body += piece
                if len(body) > LONGEST_FORM:
                    raise ProblemError("form", 413)
    except TimeoutError:
        raise ProblemError("form", 408) from None
    try:
        return dict(parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=16, strict_parsing=False))
    except ValueError as error:
        raise ProblemError("form", 400) from error
