"""The screen as a web application: who may come in, what may be done now, and how an answer becomes a page.

Every request goes through `Screen._serve`, in this order: host, origin, session, driving lock, token, the page's own function.
No page can be reached around it: the table in `memory.screen.routes` is all there is.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from memory.screen import live
from memory.screen.answers import Answer, Go, Page, ProblemError, Visit
from memory.screen.departures import Departures
from memory.screen.pages import dev
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

COOKIE = "glovebox_screen"
LONGEST_FORM = 8192
"""Bytes of a form; the longest field is a value of 200 characters."""
YEAR_S = 31_536_000

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
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
        self.departures = Departures(parts.clock, parts.later, self._changed)
        self.renderer = Renderer()
        self.hosts: frozenset[str] = frozenset()
        """Host headers that are ours, port included; set by whoever binds the socket."""
        routes = [Route("/enter", self._enter, methods=["GET"]), Route("/live", self._live, methods=["GET"])]
        routes += [Route("/dev/car/live", self._live_car, methods=["GET"])]
        routes += [Route("/static/{name}", self._static, methods=["GET"])]
        for path in dict.fromkeys(entry.path for entry in ROUTES):
            by_method = {entry.method: entry for entry in ROUTES if entry.path == path}
            routes.append(Route(path, self._endpoint(by_method), methods=list(by_method)))
        self.app = Starlette(
            routes=routes,
            lifespan=self._life,
            exception_handlers={HTTPException: self._unknown, 500: self._defect},
        )

    def bind(self, port: int) -> str:
        """Take requests to this port of the loopback interface as ours; returns the address that opens the screen, once."""
        self.hosts = frozenset({f"127.0.0.1:{port}", f"localhost:{port}"})
        return f"http://127.0.0.1:{port}/enter?key={self.door.secret}"

    @asynccontextmanager
    async def _life(self, _: Starlette) -> AsyncGenerator[None]:
        yield
        await run_in_threadpool(self.departures.finish_all)

    def _changed(self, erased: bool) -> None:
        if erased:
            self.parts.feed.clear()
            self.door.forget_views()
        else:
            self.parts.feed.changed()

    # The way in

    def _stranger(self, request: Request) -> str | None:
        """Why a request is none of ours: made to another name (DNS rebinding) or by another page."""
        if request.headers.get("host", "") not in self.hosts:
            return "host"
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
        if request.headers.get("host", "") not in self.hosts:
            return self._problem(request, ProblemError("host", 403))
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
        if entry.method == "POST":
            spent = session.spend(form.get("token", ""), request.url.path)
            if spent is not Token.GOOD:
                raise ProblemError("forged" if spent is Token.FORGED else "used", 403 if spent is Token.FORGED else 409)
        visit = self._visit(request, session, parked=parked, form=form)
        answer = await run_in_threadpool(entry.handler, visit)
        return await run_in_threadpool(self._respond, request, visit, answer)

    def _visit(self, request: Request, session: Session, *, parked: bool, form: Mapping[str, str]) -> Visit:
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
        )

    def _words(self, request: Request) -> Wording:
        return Wording(request.cookies.get("language", self.parts.language), self.parts.seat.zone)

    def _respond(self, request: Request, visit: Visit, answer: Answer) -> Response:
        if isinstance(answer, Go):
            response: Response = RedirectResponse(answer.address, status_code=303, headers=dict(HEADERS))
            for name, value in answer.cookies.items():
                response.set_cookie(name, value, max_age=YEAR_S, httponly=True, samesite="strict", path="/")
            return response
        return self._html(request, answer, visit.session, visit.words, parked=visit.parked)

    def _html(self, request: Request, page: Page, session: Session | None, words: Wording, *, parked: bool) -> Response:
        look = request.cookies.get("look", "dark")
        text = self.renderer.page(
            page,
            words=words,
            token=session.token if session is not None else None,
            path=request.url.path,
            parked=parked,
            look=look if look in {"dark", "light"} else "dark",
            leaving=self.departures.open() if session is not None else None,
            now=self.parts.clock(),
        )
        headers = dict(HEADERS)
        return Response(text, status_code=page.status, media_type="text/html; charset=utf-8", headers=headers)

    def _locked(self, request: Request, session: Session) -> Response:
        page = Page("locked.html", {}, status=403, refresh=(5, "/"))
        return self._html(request, page, session, self._words(request), parked=False)

    def _problem(self, request: Request, problem: ProblemError) -> Response:
        """A page that says what is wrong; without a session it has no way on."""
        session = self.door.known(request.cookies.get(COOKIE)) if problem.key not in {"host", "origin"} else None
        page = Page("problem.html", {"key": problem.key, "inside": session is not None}, status=problem.status)
        return self._html(request, page, session, self._words(request), parked=session is not None)

    async def _unknown(self, request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 404
        try:
            self._admitted(request)
        except ProblemError as problem:
            return self._problem(request, problem)
        return self._problem(request, ProblemError("missing", status))

    async def _defect(self, request: Request, error: Exception) -> Response:
        del error  # it may hold what was said
        return self._problem(request, ProblemError("defect", 500))

    async def _static(self, request: Request) -> Response:
        found = self.renderer.static(request.path_params["name"])
        if request.headers.get("host", "") not in self.hosts or found is None:
            return self._problem(request, ProblemError("host" if found else "missing", 404))
        text, kind = found
        return Response(text, media_type=kind, headers={**HEADERS, "Cache-Control": "private, max-age=3600"})

    async def _live(self, request: Request) -> Response:
        try:
            session = self._admitted(request)
        except ProblemError as problem:
            return Response(status_code=problem.status, headers=dict(HEADERS))
        words = self._words(request)

        def section() -> str:
            from memory.screen.pages import home

            visit = self._visit(request, session, parked=watch.parked, form={})
            values = {**home.status(visit), **home.happened(visit)}
            return self.renderer.part("happened.html", values, words=words, token=session.token, parked=watch.parked)

        watch = live.Watch(self.parts.feed, self.parked, section, lambda: self.door.known(session.id) is not None)
        return live.stream(watch.events(), HEADERS)

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
                "car_now.html", dev.values(visit), words=visit.words, token=session.token, parked=False
            )

        return live.stream(live.pictures(section, lambda: self.door.known(session.id) is not None), HEADERS)


async def _form(request: Request) -> Mapping[str, str]:
    """The fields of a form; nothing else is read, and nothing long."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise ProblemError("form", 415)
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > LONGEST_FORM:
            raise ProblemError("form", 413)
    try:
        return dict(parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=16, strict_parsing=False))
    except ValueError as error:
        raise ProblemError("form", 400) from error
