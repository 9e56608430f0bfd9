"""Parts of ``schemas.ports.MemoryPort``: what may be remembered, and what is done with conversations that are kept."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal, Protocol

from schemas.memory import Consent, Episode, Listing, Period, ProfileEntry, Reflected, Summary, Terms, Thought, Trip


class BrowsingPort(Protocol):
    """What is remembered, a page at a time: for a screen."""

    def browse(
        self, key: str | None = None, *, text: str = "", period: Period | None = None, limit: int = 6, offset: int = 0
    ) -> Listing:
        """A page of the active preferences, newest first, without reading the others.

        Args:
            key: a main, sub or detail key; None: all.
            text: only those that hold these letters in their value or in a sentence; small and capital letters are the same,
                with accents and without.
            period: only those that were said first in this time.
            limit: at most that many.
            offset: how many to leave out before.

        Raises:
            schemas.errors.UnknownEntryError: no such category.
        """
        ...

    def browse_kept(
        self, *, name: str | None = None, text: str = "", period: Period | None = None, limit: int = 6, offset: int = 0
    ) -> Listing:
        """A page of what is kept beside preferences, newest first: the profile, thoughts and events, exchanges, days.

        Args:
            name: only what has this id; None: all.
            text: as `browse`.
            period: only what is of this time.
            limit: at most that many.
            offset: how many to leave out before.
        """
        ...

    def tally(self) -> dict[str, int]:
        """Detail key -> how many active preferences it has; those without any are left out."""
        ...


class ConsentPort(Protocol):
    """What may be remembered."""

    def consent(self) -> Consent:
        """What may be remembered now."""
        ...

    def opt_out(self, key: str) -> Consent:
        """Switch a main, sub or detail category off, or the keeping of conversations; open proposals go.

        What is stored stays until forgotten: ``matching(Selector(key=key))``, so that the driver can be asked about it.
        """
        ...

    def opt_in(self, key: str) -> Consent:
        """Switch a category on again, or a sensitive one or the keeping of conversations on for the first time."""
        ...

    def set_private_trip(self, private: bool) -> Consent:
        """Remember nothing from now on, or remember again."""
        ...

    def pause(self, until: datetime | None) -> Consent:
        """Remember nothing until then; None resumes."""
        ...


class KeepingPort(Protocol):
    """The tiers beside preferences.

    Until the driver asks that conversations are kept, all of it is empty but what rests on preferences alone.
    """

    def begin_trip(self, trip: str) -> None:
        """A drive begins; its conversations are called ``<trip>-<number>``."""
        ...

    def end_trip(self, trip: str) -> None:
        """A drive is over, and with it a private trip."""
        ...

    def reflect(self) -> Reflected:
        """Think about what was said since the last time, then let go of what is over; nobody who recalls waits for it.

        While nothing may be remembered nothing is made; what is over goes all the same.
        """
        ...

    def recent(self, conversation: str) -> tuple[tuple[str, str], ...]:
        """What was said and answered lately in a running conversation, oldest first; only what may be kept."""
        ...

    def episodes(self, period: Period | None = None) -> tuple[Episode, ...]:
        """Exchanges that are kept, oldest first."""
        ...

    def thoughts(self, period: Period | None = None) -> tuple[Thought, ...]:
        """Thoughts and key events, oldest first."""
        ...

    def summaries(self, since: date | None = None, until: date | None = None) -> tuple[Summary, ...]:
        """Days in a few lines, oldest first; ``until`` is the day after the last."""
        ...

    def profile(self) -> tuple[ProfileEntry, ...]:
        """Facts, habits and style."""
        ...

    def edit_profile(self, key: str, value: str, *, aspect: Literal["fact", "habit", "style"] = "fact") -> ProfileEntry:
        """Write or correct a line of the profile; refinement leaves it alone from then on. ``aspect`` is for a new line.

        Raises:
            schemas.errors.ConsentError: nothing may be remembered now, or not of that category.
            schemas.errors.UnknownEntryError: no key or no value.
        """
        ...

    def trips(self) -> tuple[Trip, ...]:
        """Trips whose times are kept, first to last."""
        ...

    def period(self, words: str) -> Period | None:
        """The time that words speak of ("last tuesday"), on the driver's calendar and trips; None where they speak of none."""
        ...

    def terms(self) -> Terms:
        """How long what comes of conversations is kept: what the driver chose, else what is configured."""
        ...

    def set_terms(self, terms: Terms) -> Terms:
        """Keep it so long from now on.

        What is over by it goes with the next `reflect`, not sooner: until then it can be taken back.

        Raises:
            schemas.errors.ConsentError: a guest, of whom nothing is kept.
        """
        ...
