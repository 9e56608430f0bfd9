"""A file from an address: with a short look whether it can be reached, and going on where a connection was cut.

Owns HTTP. Knows nothing of models; what it wrote is checked by whoever asked for it. Used only while somebody fetches models:
the running assistant opens no connection.
"""

from __future__ import annotations

import errno
import http.client
import threading
import urllib.request
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit

from schemas.errors import StorageFullError

REACH_S = 3.0
"""Seconds that an address has to answer at all; a machine without access to it must not wait longer."""
STALL_S = 20.0
"""Seconds without a byte after which a connection counts as cut."""
TRIES = 3
"""Connections in a row that bring no byte, after which the file is given up."""
NO_PROXY = "the proxy that is set on this machine (HTTPS_PROXY, HTTP_PROXY) is no address"
"""Said where the settings of proxies cannot be understood; never which, for a password may stand in it."""
_BLOCK = 1 << 18


class WayError(Exception):
    """This way does not lead to the file; the text says why, for a person, without any address but the host's name."""


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows to another host (that is how hubs deliver), never from an encrypted connection to an open one."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        if urlsplit(newurl).scheme != "https" and urlsplit(req.full_url).scheme == "https":
            raise WayError(f"{host(req.full_url)} leads to an unencrypted address")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class Web:
    """Fetches by HTTP; remembers for its lifetime which hosts could not be reached."""

    def __init__(self) -> None:
        """Nothing is opened yet. The system's proxies are used, and nothing but HTTP."""
        self._opener = urllib.request.OpenerDirector()
        for handler in (
            urllib.request.ProxyHandler(),
            urllib.request.HTTPHandler(),
            urllib.request.HTTPSHandler(),
            urllib.request.HTTPDefaultErrorHandler(),
            urllib.request.HTTPErrorProcessor(),
            _Redirects(),
        ):
            self._opener.add_handler(handler)
        self._reached: dict[str, bool] = {}

    def fetch(self, base: str, name: str, partial: Path, size: int, told: Callable[[int], None]) -> None:
        """Append to what is there of a file until it has its size.

        Args:
            base: the address of its folder.
            name: its path below that.
            partial: where its bytes gather.
            size: how many it has.
            told: called with the bytes that are there, now and then.

        Raises:
            WayError: it cannot be had from there.
            schemas.errors.StorageFullError: no room is left.
        """
        url = f"{base}/{quote(name)}"
        if not _usable(urllib.request.getproxies().get(urlsplit(url).scheme, "//none")):
            raise WayError(NO_PROXY)
        if not self.reaches(url):
            raise WayError(f"{host(url)} cannot be reached")
        fruitless, before = 0, -1
        while (there := _size(partial)) != size:
            fruitless = 0 if there > before else fruitless + 1
            if fruitless == TRIES:
                raise WayError(f"{host(url)} ends the connection again and again")
            before = there
            try:
                self._more(url, partial, there, size, told)
            except HTTPError as error:
                with error:
                    if error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
                        partial.unlink(missing_ok=True)
                    elif error.code < http.client.INTERNAL_SERVER_ERROR:
                        raise WayError(f"{host(url)} answers {error.code} for {name}") from None
            except (OSError, http.client.HTTPException) as error:
                if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
                    raise StorageFullError(
                        f"no room is left for {name}; free some and run it again, it goes on from there"
                    ) from error

    def _more(self, url: str, partial: Path, there: int, size: int, told: Callable[[int], None]) -> None:
        """One connection: from where the file is to its end or the connection's."""
        headers = {"User-Agent": "glovebox", "Accept-Encoding": "identity"}
        if there:
            headers["Range"] = f"bytes={there}-"
        request = urllib.request.Request(url, headers=headers)  # noqa: S310 - the opener knows no scheme but HTTP's
        with self._opener.open(request, timeout=STALL_S) as reply:
            going_on = reply.status == http.client.PARTIAL_CONTENT and _begins_at(reply) == there
            have = there if going_on else 0
            with partial.open("ab" if going_on else "wb") as stream:
                while block := reply.read(_BLOCK):
                    have += len(block)
                    if have > size:
                        stream.truncate(0)
                        raise WayError(f"{host(url)} has another file: more than {size} bytes")
                    stream.write(block)
                    told(have)
        if have < size and reply.length == 0:
            partial.unlink(missing_ok=True)
            raise WayError(f"{host(url)} has another file: {have} bytes instead of {size}")

    def reaches(self, url: str) -> bool:
        """Whether the host answers within ``REACH_S``; asked once."""
        name = host(url)
        if name not in self._reached:
            answers: SimpleQueue[bool] = SimpleQueue()
            # A look-up of a name cannot be given a time limit, so it gets a thread that may outlive the question.
            threading.Thread(target=self._knock, args=(url, answers), daemon=True).start()
            try:
                self._reached[name] = answers.get(timeout=REACH_S)
            except Empty:
                self._reached[name] = False
        return self._reached[name]

    def _knock(self, url: str, answers: SimpleQueue[bool]) -> None:
        request = urllib.request.Request(url, method="HEAD", headers={"User-Agent": "glovebox"})  # noqa: S310 - as above
        try:
            self._opener.open(request, timeout=REACH_S).close()
        except HTTPError as error:
            error.close()
        except (OSError, http.client.HTTPException, WayError):
            answers.put(False)
            return
        answers.put(True)


def host(url: str) -> str:
    """The name of the address's host, as a person may see it."""
    return urlsplit(url).hostname or "the address"


def _usable(proxy: str) -> bool:
    """Whether a proxy's setting is an address: with or without a scheme, with a host, with a number as port."""
    try:
        parts = urlsplit(proxy if "//" in proxy else f"//{proxy}")
        return bool(parts.hostname) and parts.scheme in ("", "http", "https") and (parts.port or 1) > 0
    except ValueError:
        return False


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _begins_at(reply: Any) -> int:
    """Where the answer to a range request begins (RFC 9110, section 14.4); -1 if it does not say."""
    said = str(reply.headers.get("Content-Range", ""))
    first = said.removeprefix("bytes ").partition("-")[0]
    return int(first) if said.startswith("bytes ") and first.isdecimal() else -1
