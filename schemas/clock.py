"""The two clocks: the wall's, for a live car, and the stream's, for a drive that is played from data; and the days of the week."""

from __future__ import annotations

import asyncio
import time
from typing import Literal, TypeAlias, get_args

Weekday: TypeAlias = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
WEEKDAYS: tuple[Weekday, ...] = get_args(Weekday)
"""As ``date.weekday`` counts them."""


class WallClock:
    """Monotonic wall time; implements ``schemas.ports.Clock``."""

    def now(self) -> float:
        """Seconds of ``time.monotonic``."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait really."""
        await asyncio.sleep(seconds)


class StreamClock:
    """The microphone stream as clock; implements ``schemas.ports.Clock``.

    ``advance_to`` follows the stream. Who sleeps makes the clock run ahead at once; ``slept`` adds it up, so that the
    loop can count it into the time until the reply.
    """

    def __init__(self) -> None:
        """At second 0."""
        self._now = 0.0
        self.slept = 0.0
        """Seconds slept since the start."""

    def now(self) -> float:
        """Seconds since the stream began."""
        return self._now

    async def sleep(self, seconds: float) -> None:
        """Run ahead by ``seconds`` and let others run."""
        self._now += max(0.0, seconds)
        self.slept += max(0.0, seconds)
        await asyncio.sleep(0)

    def advance_to(self, seconds: float) -> None:
        """The stream has reached this second; never goes back."""
        self._now = max(self._now, seconds)
