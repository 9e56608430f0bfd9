"""Who may use the screen: the one-time secret of the launcher, the sessions it opens, and the tokens on their forms.

No I/O. A token belongs to a session, to the address that its form is sent to and to whoever drives, and works once.
"""

from __future__ import annotations

import hmac
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from memory.screen.view import View
from schemas.memory import Selector

MOST_SESSIONS = 8
"""Open at once; the oldest ends. A car has a screen or two."""
MOST_USED = 2048
"""Used tokens that are remembered one by one; older ones are refused altogether."""


class Token(StrEnum):
    """What a form's token is."""

    GOOD = "good"
    FORGED = "forged"
    USED = "used"


@dataclass(slots=True)
class Session:
    """One browser that was let in."""

    id: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    view: View = field(default_factory=View)
    agreed: str = ""
    """What the first of two questions was answered with yes for: handing over, or deleting everything of a driver."""
    sweep: Selector | None = None
    """What was to be deleted on another page, and is so much that it is asked about as everything is."""
    moved: str = ""
    """Id of what was moved to another topic last."""
    _secret: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    _issued: int = 0
    _used: set[int] = field(default_factory=set[int])
    _floor: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def token(self, address: str, shift: int) -> str:
        """A fresh token for a form that is sent to this address under the driver of this shift (`schemas.seat.Seat.shift`)."""
        with self._lock:
            self._issued += 1
            return f"{self._issued}.{self._mark(self._issued, address, shift)}"

    def spend(self, token: str, address: str, shift: int) -> Token:
        """Whether a form may be carried out; it may not again with the same token, nor when somebody else drives."""
        number, _, mark = token.partition(".")
        if not number.isascii() or not number.isdigit() or len(number) > 12:
            return Token.FORGED
        count = int(number)
        if not hmac.compare_digest(mark.encode(), self._mark(count, address, shift).encode()):
            return Token.FORGED
        with self._lock:
            if count <= self._floor or count in self._used:
                return Token.USED
            self._used.add(count)
            if len(self._used) > MOST_USED:
                self._floor = sorted(self._used)[MOST_USED // 2]
                self._used = {one for one in self._used if one > self._floor}
            return Token.GOOD

    def _mark(self, number: int, address: str, shift: int) -> str:
        return hmac.new(self._secret, f"{number} {shift} {address}".encode(), "sha256").hexdigest()[:32]


class Doorkeeper:
    """Lets in whoever brings the launcher's secret, once, and knows them again by their cookie."""

    def __init__(self, told: Callable[[str], None] | None = None) -> None:
        """With a secret; ``told`` is called with every new one, so that the launcher can be opened again."""
        self._told, self._sessions, self._lock = told, dict[str, Session](), threading.Lock()
        self._run = secrets.token_urlsafe(6)
        """The first part of every secret of this start, by which a kiosk sees that the assistant was started again."""
        self.secret = self._another()

    def _another(self) -> str:
        return f"{self._run}.{secrets.token_urlsafe(32)}"

    def enter(self, secret: str) -> Session | None:
        """A session for the secret, which is spent with it; None for any other words."""
        with self._lock:
            if not hmac.compare_digest(secret.encode("utf-8", "replace"), self.secret.encode()):
                return None
            session = Session()
            self._sessions[session.id] = session
            while len(self._sessions) > MOST_SESSIONS:
                del self._sessions[next(iter(self._sessions))]
            self.secret = self._another()
        if self._told is not None:
            self._told(self.secret)
        return session

    def known(self, cookie: str | None) -> Session | None:
        """The session of a cookie."""
        return None if cookie is None else self._sessions.get(cookie)

    def forget_views(self) -> None:
        """Let go of what was searched for and agreed to: it may be words of what is erased now, or of another driver."""
        for session in list(self._sessions.values()):
            session.view, session.agreed, session.moved = View(), "", ""
