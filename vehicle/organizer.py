"""What an assistant does beside the vehicle: timers and reminders, calendar, contacts, weather, outgoing mail.

Owns timers and reminders while the program runs. What somebody wants to be reminded of is personal and this package has no
vault, so they are written nowhere here: ``kept`` gives what waits (on arrival: at the time that was
reckoned with last), ``restore`` takes it up again, and ``watch`` tells when it
is another (``deploy.drivers.reminders`` keeps it in the driver's vault). Reads the calendar, contacts and
weather from one local file that a telephone, a sync program or a person writes; without one it says so. Nothing is sent
from here: an e-mail is written to a folder as a message that a mail program can pick up.

The file is JSON, every key may be left out::

    {"contacts": [{"name": "Anna Berg", "also": ["my sister"], "phone": "+49 30 5550101",
                   "email": "anna@example.org", "address": "Station Road"}],
     "calendar": [{"title": "Dentist", "on": "2026-11-21", "at": "15:30", "place": "Dr Ames, dentist"},
                  {"title": "Choir", "every": "tuesday", "at": "19:00"}],
     "weather":  [{"on": "2026-11-21", "sky": "light rain", "low": 7, "high": 12, "rain_percent": 70, "place": "...",
                   "hours": [{"from": 6, "sky": "fog", "celsius": 8, "rain_percent": 10}]}]}
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from email.message import EmailMessage
from itertools import count
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from rapidfuzz import fuzz

from schemas.clock import WEEKDAYS, Weekday
from schemas.errors import AdapterError, ConfigError
from schemas.memory import Waiting

ALIKE = 85.0
"""rapidfuzz ratio (0..100) from which two names count as the same."""

SHIFT_S = 30.0
"""What is due on arrival is moved by at least this, but for the arrival itself. Our choice."""

CALLED_OFF_S = 180.0
"""A route that is over while more than this was left of it did not arrive. Our choice: an estimate may be two minutes wrong."""
NEXT_ROUTE_S = 86_400.0
"""How long what is due on arrival waits for another route. Our choice: it is about that day."""

MOST_TIMERS = 20
"""Timers and reminders at once: more is a mistake, and would be told for minutes."""

Kind = Literal["timer", "reminder"]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Contact(_Entry):
    """Somebody to call, write or visit."""

    name: Annotated[str, Field(min_length=1)]
    also: tuple[str, ...] = ()
    phone: Annotated[str, Field(pattern=r"^[+0-9][0-9 ]{2,20}$")] | None = None
    email: Annotated[str, Field(pattern=r"^[^@\s,;]+@[^@\s,;]+$")] | None = None
    address: str | None = None
    """A name that ``vehicle.places`` knows, or a postal address."""


class Appointment(_Entry):
    """Something in the calendar, on a day or every week."""

    title: Annotated[str, Field(min_length=1)]
    on: date | None = None
    every: Weekday | None = None
    at: time | None = None
    place: str = ""

    def falls_on(self, day: date) -> bool:
        """Whether it is on that day."""
        return self.on == day or self.every == WEEKDAYS[day.weekday()]


class Hours(_Entry):
    """The weather from an hour of the day on, until the next that is told."""

    begins: Annotated[int, Field(ge=0, le=23, alias="from")]
    sky: Annotated[str, Field(min_length=1)]
    celsius: Annotated[float, Field(ge=-90, le=60)]
    rain_percent: Annotated[int, Field(ge=0, le=100)] = 0


class Forecast(_Entry):
    """The weather of a day at a place; no place is here."""

    on: date | None = None
    every: Literal["day"] | None = None
    sky: Annotated[str, Field(min_length=1)]
    low: Annotated[float, Field(ge=-90, le=60)]
    high: Annotated[float, Field(ge=-90, le=60)]
    rain_percent: Annotated[int, Field(ge=0, le=100)] = 0
    place: str = ""
    hours: tuple[Hours, ...] = ()

    def at(self, hour: int) -> Hours | None:
        """The weather of an hour; None where only the whole day is known."""
        begun = [part for part in self.hours if part.begins <= hour]
        return max(begun, key=lambda part: part.begins, default=None)


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    about: str = ""
    contacts: tuple[Contact, ...] = ()
    calendar: tuple[Appointment, ...] | None = None
    weather: tuple[Forecast, ...] | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """A timer or reminder. ``due`` is seconds of the clock; ``at`` the time of day, for reminders that have one."""

    number: int
    kind: Kind
    label: str
    due: float
    at: datetime
    arrival: bool = False
    """Whether it is due when the route arrives, and moves with that (`Organizer.arriving`)."""

    def spoken(self) -> str:
        """What to say when it is due."""
        if self.kind == "reminder":
            return f"Reminder: {self.label}." if self.label else "I was to remind you of something now."
        return f"Your {self.label} timer is over." if self.label else "Your timer is over."


def time_of_day(hour: int, minute: int | None, half: str | None) -> time:
    """The time that an hour, a minute and am or pm mean; without am or pm the hour stands as it is."""
    if half == "pm" and hour < 12:
        hour += 12
    if half == "am" and hour == 12:
        hour = 0
    return time(hour, minute or 0)


class Organizer:
    """Timers, and what the local file knows. What waits may be changed by several threads."""

    def __init__(
        self,
        monotonic: Callable[[], float],
        now: Callable[[], datetime] = datetime.now,
        *,
        contacts: Sequence[Contact] = (),
        calendar: Sequence[Appointment] | None = None,
        weather: Sequence[Forecast] | None = None,
        outbox: Path | None = None,
    ) -> None:
        """An organizer without timers.

        Args:
            monotonic: seconds that timers run by.
            now: the time of day, local.
            contacts: whom it knows.
            calendar: None where there is no calendar.
            weather: None where there is no forecast.
            outbox: where e-mails are written; None where none can be sent.
        """
        self._monotonic, self.now = monotonic, now
        self.contacts, self.calendar, self.weather = tuple(contacts), calendar, weather
        self._outbox = outbox
        self._waiting: list[Notice] = []
        self._guard = threading.Lock()
        """Held while that is changed; never while ``_changed`` is called."""
        self._changed: Callable[[], None] = _nobody_asks
        self._numbers = count(1)
        self.oldest = 0
        """Number of the first notice that may run: another one after each `restore`."""

    @classmethod
    def load(
        cls,
        path: Path | None,
        monotonic: Callable[[], float],
        now: Callable[[], datetime] = datetime.now,
        *,
        outbox: Path | None = None,
    ) -> Organizer:
        """Read the local file; None for an organizer that knows nobody.

        Raises:
            schemas.errors.ConfigError: the file is missing or not of this format.
        """
        if path is None:
            return cls(monotonic, now, outbox=outbox)
        try:
            content = _File.model_validate_json(path.read_bytes())
        except OSError as error:
            raise ConfigError(f"cannot read contacts and calendar in {path}: {error.strerror}") from error
        except ValidationError as error:
            first = error.errors(include_input=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            raise ConfigError(
                f"{path} has no contacts and calendar that can be read: {where}: {first['msg']}"
            ) from None
        return cls(
            monotonic,
            now,
            contacts=content.contacts,
            calendar=content.calendar,
            weather=content.weather,
            outbox=outbox,
        )

    @property
    def people(self) -> tuple[str, ...]:
        """What the contacts may be called: whole names, first names that are one contact's, other names."""
        first = [who.name.split()[0] for who in self.contacts]
        single = [name for name in first if first.count(name) == 1]
        whole = [name for who in self.contacts for name in (who.name, *who.also)]
        return tuple(dict.fromkeys((*whole, *single)))

    @property
    def sends_mail(self) -> bool:
        """Whether an e-mail can be written anywhere."""
        return self._outbox is not None

    # Timers and reminders ----------------------------------------------------------------------------------------------

    def timer(self, seconds: float, label: str = "") -> Notice:
        """A timer that could be started; it does not run yet."""
        return self._notice("timer", label, seconds)

    def reminder(
        self, what: str, *, seconds: float | None = None, at: time | None = None, days: int = 0,
        arrival: bool = False,
    ) -> Notice:  # fmt: skip
        """A reminder that could be started: after some seconds, or the next time that it is this time of day.

        Args:
            what: the errand.
            seconds: after so many.
            at: or at this time of day.
            days: so many days ahead; of today, where that time has been, of tomorrow.
            arrival: the seconds are those to the end of the route.
        """
        if at is not None:
            here = self.now()
            then = datetime.combine(here.date(), at, here.tzinfo)
            then += timedelta(days=days or (1 if then <= here else 0))
            seconds = (then - here).total_seconds()
        return replace(self._notice("reminder", what, seconds or 0.0), arrival=arrival)

    def arriving(self, seconds: float) -> None:
        """The route takes this long from now (0: it is over): what is due on arrival is due then.

        A route that is over long before its arrival was called off: what waits for it waits for the next one, a day at most.
        Less than `SHIFT_S` earlier or later is left alone: minutes to go are an estimate, and every change is written to the vault.
        """
        if seconds <= 0.0 and all(self.remaining(one) > CALLED_OFF_S for one in self._waiting if one.arrival):
            seconds = NEXT_ROUTE_S
        due, at = self._monotonic() + seconds, self.now() + timedelta(seconds=seconds)
        with self._guard:
            moved = [
                replace(one, due=due, at=at)
                if one.arrival and (abs(one.due - due) >= SHIFT_S or seconds <= 0.0 < one.due - due)
                else one
                for one in self._waiting
            ]
            changed = moved != self._waiting
            self._waiting = sorted(moved, key=lambda waiting: (waiting.due, waiting.number))
        if changed:
            self._changed()

    @property
    def awaits_arrival(self) -> bool:
        """Whether anything is due when the route arrives."""
        return any(notice.arrival for notice in self._waiting)

    def start(self, notice: Notice) -> None:
        """Let it run.

        Raises:
            schemas.errors.AdapterError: too many run already, or it is one of before `restore`: what was forgotten, and what
                another driver has set, is not taken back by "undo that".
        """
        with self._guard:
            if notice.number < self.oldest:
                raise AdapterError("that timer or reminder is forgotten; set it again")
            if len(self._waiting) >= MOST_TIMERS:
                raise AdapterError(f"{MOST_TIMERS} timers and reminders are set already; cancel one first")
            self._waiting = sorted([*self._waiting, notice], key=lambda waiting: (waiting.due, waiting.number))
        self._changed()

    def stop(self, notice: Notice) -> None:
        """Take it away; what is not there is ignored."""
        with self._guard:
            self._waiting = [waiting for waiting in self._waiting if waiting.number != notice.number]
        self._changed()

    def waiting(self, kind: Kind | None = None, label: str | None = None) -> tuple[Notice, ...]:
        """What runs, the next one first; of a kind, and of a label or one like it, else one with these words in it."""
        running = tuple(notice for notice in self._waiting if kind is None or notice.kind == kind)
        if label is None:
            return running
        alike = tuple(notice for notice in running if _alike(label, (notice.label,)))
        return alike or tuple(notice for notice in running if _within(label, notice.label))

    def remaining(self, notice: Notice) -> float:
        """Seconds until it is due, at least 0."""
        return max(0.0, notice.due - self._monotonic())

    def due(self) -> tuple[Notice, ...]:
        """What has become due since the last call, in order; it is told once."""
        now = self._monotonic()
        with self._guard:
            over = tuple(notice for notice in self._waiting if notice.due <= now)
            self._waiting = [notice for notice in self._waiting if notice.due > now]
        if over:
            self._changed()
        return over

    def watch(self, changed: Callable[[], None]) -> None:
        """From now on call this when what waits has changed, on the thread that changed it."""
        self._changed = changed

    def kept(self) -> tuple[Waiting, ...]:
        """What waits, with the times that it is due at, the next one first."""
        return tuple(Waiting(kind=one.kind, label=one.label, at=one.at.astimezone(UTC)) for one in self._waiting)

    def restore(self, kept: Sequence[Waiting]) -> None:
        """Let this wait, and nothing else; what has become due meanwhile is due at once."""
        here = self.now() if self.now().tzinfo is not None else self.now().astimezone()
        oldest = next(self._numbers)
        waiting = [
            Notice(next(self._numbers), one.kind, one.label, self._monotonic() + (one.at - here).total_seconds(),
                   one.at.astimezone(here.tzinfo))
            for one in kept[:MOST_TIMERS]
        ]  # fmt: skip
        with self._guard:
            self._waiting, self.oldest = waiting, oldest

    def _notice(self, kind: Kind, label: str, seconds: float) -> Notice:
        at = self.now() + timedelta(seconds=seconds)
        return Notice(next(self._numbers), kind, label, self._monotonic() + seconds, at)

    # What the file knows -----------------------------------------------------------------------------------------------

    def contact(self, name: str) -> Contact | None:
        """The contact of that name, first name or other name; None where nobody or more than one is meant."""
        found = self.named(name)
        return found[0] if len(found) == 1 else None

    def named(self, name: str) -> tuple[Contact, ...]:
        """The contacts of that name ("my boss", "boss"), or of another word for it ("mother" for "Mum").

        Where none has it whole, those of that first or last name ("the Walkers").
        """
        name = name.removesuffix("'s").removeprefix("my ").removeprefix("the ")
        exact = tuple(
            who for who in self.contacts if _alike(name, (who.name, *(also.removeprefix("my ") for also in who.also)))
        )
        one = tuple(who for who in self.contacts if _alike(name, who.name.split()))
        others = next((kin for kin in _KIN if name.casefold() in kin), frozenset())
        exact = exact or tuple(
            who for who in self.contacts
            if others & {also.removeprefix("my ").casefold() for also in (who.name, *who.also)}
        )  # fmt: skip
        family = name.removesuffix("s")
        return exact or one or tuple(who for who in self.contacts if _alike(family, who.name.split()[-1:]))

    def appointments(self, day: date) -> tuple[Appointment, ...] | None:
        """What is in the calendar on a day, by time; None where there is no calendar."""
        if self.calendar is None:
            return None
        return tuple(sorted((e for e in self.calendar if e.falls_on(day)), key=lambda entry: entry.at or time.min))

    def forecast(self, day: date, place: str | None = None) -> Forecast | None:
        """The weather of a day; None where nothing is known of it."""
        for known in self.weather or ():
            here = _alike(place, (known.place,)) if place else not known.place
            if here and (known.on == day or known.every == "day"):
                return known
        return None

    def mail(self, to: Sequence[Contact], text: str) -> Callable[[], None]:
        """The writing of an e-mail, to be done later: one file in the outbox.

        Raises:
            schemas.errors.AdapterError: when it is done: the outbox cannot be written.
        """
        message = EmailMessage()
        message["To"] = ", ".join(one.email for one in to if one.email)
        message["Date"] = self.now()
        message["Subject"] = "From the car"
        message.set_content(text)
        folder, name = self._outbox, f"{self.now():%Y%m%dT%H%M%S}-{next(self._numbers)}.eml"

        def write() -> None:
            if folder is None:
                raise AdapterError("no outbox is configured; set vehicle.outbox")
            try:
                folder.mkdir(parents=True, exist_ok=True)
                path = folder / name
                path.touch(mode=0o600)
                path.write_bytes(bytes(message))
            except OSError as error:
                raise AdapterError(f"the outbox {folder} cannot be written: {error.strerror}") from error

        return write


def _nobody_asks() -> None:
    """Nobody keeps what waits."""


_KIN = tuple(
    frozenset(words.split())
    for words in (
        "mum mummy mam mom mommy mama ma mother", "dad daddy da pa papa pop father", "wife missus", "husband hubby",
        "gran granny grandma grandmother nan nana nanny", "grandad granddad grandpa grandfather", "sister sis", "brother bro",
    )
)  # fmt: skip
"""Words for the same person of one's life."""
_PLAIN = frozenset("a an the my our your his her their to of for about at".split())


def _within(wanted: str, label: str) -> bool:
    """Whether the words of what is wanted that tell something stand in a label."""
    words = set(wanted.casefold().split()) - _PLAIN
    return bool(words) and words <= set(label.casefold().split())


def _alike(wanted: str, names: Sequence[str]) -> bool:
    plain = " ".join(wanted.casefold().split())
    return any(fuzz.ratio(plain, " ".join(name.casefold().split())) >= ALIKE for name in names)
