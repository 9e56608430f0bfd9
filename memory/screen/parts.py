"""What the screen is given: the memory, the driving state, what happens live. It reaches for nothing itself."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, cast

from memory.screen.assistant.glance import Glance
from memory.screen.assistant.ports import Atlas, Cabin
from memory.screen.assistant.talk import Talk
from memory.screen.feed import Feed
from memory.vault.pins import Pins
from schemas.events import Motion
from schemas.ports import Drivers, Touch
from schemas.seat import Seat


class Later(Protocol):
    """Does something after a while, on another thread."""

    def __call__(self, seconds: float, act: Callable[[], object]) -> None:
        """Call ``act`` after so many seconds."""
        ...


def by_timer(seconds: float, act: Callable[[], object]) -> None:
    """`Later` on the clock of the wall; ends with the program, which erases what is withheld when it opens the vault again."""
    timer = threading.Timer(seconds, act)
    timer.daemon = True
    timer.start()


@dataclass(frozen=True, slots=True)
class Model:
    """A model as the page About names it."""

    name: str
    role: str
    licence: str
    megabytes: float


@dataclass(frozen=True, slots=True)
class About:
    """What the page About tells."""

    version: str = ""
    models: tuple[Model, ...] = ()


@dataclass(frozen=True, slots=True)
class CarPicture:
    """The vehicle's state for the eyes."""

    svg: str
    """Markup of our own making, with everything that came from the vehicle escaped; it goes into the page as it is."""
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Offered:
    """An export that waits on the car's own network to be fetched once."""

    address: str
    cells: str
    """The address as a QR code: the path of its dark squares, a unit each."""
    size: int
    """Units that it is wide."""
    seconds: int
    """How long it waits."""


class Hands(Protocol):
    """Gives an export of this device to its driver. Asked only while parked, by who has proven to be that driver."""

    def sticks(self) -> Sequence[str]:
        """Names of the removable media that can be written to."""
        ...

    def networks(self) -> Sequence[str]:
        """Names of this machine's interfaces into a private network."""
        ...

    def copy(self, name: str, stick: str) -> None:
        """Copy the export of this name.

        Raises:
            schemas.errors.StorageFullError: no room for it.
            schemas.errors.MemoryStoreError: it cannot be written.
        """
        ...

    def offer(self, name: str, network: str) -> Offered:
        """Offer the export of this name, and nothing else, to the first who knows the address.

        Raises:
            schemas.errors.MemoryStoreError: not on that network.
        """
        ...

    def withdraw(self) -> None:
        """Offer nothing any more."""
        ...


class Choices(Protocol):
    """What was chosen on this panel for all browsers that chose nothing of their own: its language, day or night."""

    def get(self, name: str) -> str | None:
        """What was chosen last; None: nothing."""
        ...

    def keep(self, name: str, value: str) -> None:
        """Let it hold from now on."""
        ...


class Chosen:
    """`Choices` of one start."""

    def __init__(self) -> None:
        """Nothing is chosen."""
        self._held: dict[str, str] = {}

    def get(self, name: str) -> str | None:
        """See ``Choices``."""
        return self._held.get(name)

    def keep(self, name: str, value: str) -> None:
        """See ``Choices``."""
        self._held[name] = value


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything that the screen needs of the rest of the program."""

    seat: Seat
    """Who drives."""
    motion: Callable[[], Motion | None]
    """The driving state now; None is unknown, which counts as moving."""
    clock: Callable[[], datetime]
    pins: Pins
    feed: Feed = field(default_factory=Feed)
    drivers: Drivers | None = None
    """Who else may drive; None: nobody, and nothing can be exported or handed over from here."""
    language: str = "en"
    about: About = About()
    microphone: Callable[[], bool] | None = None
    """Whether the assistant listens; None where no assistant runs beside the screen."""
    sound: Callable[[], Sequence[str]] = tuple
    """What is wrong with microphone and loudspeaker now: keys of the sentences under ``sound`` in ``locale/``."""
    vehicle: Callable[[], bool] = lambda: True
    """Whether the vehicle answers."""
    bright: Callable[[], bool | None] = lambda: None
    """Whether the vehicle finds it bright outside, or was told to show day colours; None: it does not say, the time counts."""
    stop: Callable[[], None] | None = None
    """Falls silent and ends the turn and its conversation; None where no assistant runs."""
    car: Callable[[], CarPicture | None] | None = None
    """For the development page: how the car looks now, None where it does not answer. Without it there is no such page."""
    later: Later = by_timer
    talk: Talk = field(kw_only=True, default=cast("Talk", None))
    """The turn that is shown; made with the rest where none is given."""
    touch: Touch | None = None
    """What a finger can do in place of the voice; None where no assistant runs beside the screen."""
    cabin: Cabin | None = None
    """The car; None where there is none to be seen."""
    hands: Hands | None = None
    """Gives exports away; None: they stay in the data folder."""
    atlas: Atlas | None = None
    """The map; None: there is none, and nothing of one is shown."""

    choices: Choices = field(default_factory=Chosen)

    glance: Glance = field(init=False)
    """What the open pages see of it."""

    def __post_init__(self) -> None:
        """With a turn of its own, and a look at the car."""
        if cast("Talk | None", self.talk) is None:
            object.__setattr__(self, "talk", Talk(self.feed, self.clock))
        object.__setattr__(self, "glance", Glance(self.cabin, self.clock, self.feed.watchers.wake))
