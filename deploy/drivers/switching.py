"""Who may take the seat: one of the configured drivers, or a guest; and who may destroy or hand out what is remembered.

Meets ``schemas.ports.Drivers``. Only names from the configuration open a vault; saying any other name opens nothing, and the name
of a driver who has a PIN opens nothing either. Who takes the wheel does not wait for what the one before said to be learnt: that
happens beside, in the vault of who said it, which is closed afterwards. Nobody can ask it anything meanwhile. Who comes back before
it is done goes on with it.
"""

from __future__ import annotations

import contextlib
import secrets
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol
from urllib.parse import unquote

from deploy.config import Config
from deploy.drivers.keys import as_driver, key_source, pins_of
from deploy.drivers.owner import Owner, wiping
from memory.guest import GuestMemory
from memory.rights import exports
from memory.vault.files import SUFFIX, write_whole
from memory.vault.keys import KeySource
from memory.vault.lifecycle import Destruction, destroy, require_closed
from memory.vault.pins import Pins
from schemas.errors import ConfigError, GloveboxError, MemoryStoreError, PinError, UnknownEntryError
from schemas.ports import MemoryPort, Wiping
from schemas.seat import Seat

WIPING = "wiping"
"""File of the data folder that says that all drivers are being deleted, until nothing is left."""

AGREED_FOR = timedelta(minutes=5)
"""How long a proof for wiping holds: long enough to read the second question. Our choice."""


class Open(Protocol):
    """Opens the memory of the configuration's driver."""

    def __call__(self, config: Config, keys: KeySource | None = ..., /) -> MemoryPort:
        """With the device's own key, or with what the driver's PIN has opened."""
        ...


@dataclass(frozen=True, slots=True)
class Proof:
    """That a driver with a PIN has entered it."""

    driver: str
    pin: str
    keys: KeySource


@dataclass(frozen=True, slots=True)
class _Agreed:
    """That the memories of all drivers may be destroyed."""

    word: str
    memory: MemoryPort
    """Of whoever drove then."""
    until: datetime


class ConfiguredDrivers:
    """The memories of the drivers that the configuration names."""

    def __init__(
        self,
        config: Config,
        seat: Seat,
        open_: Open,
        *,
        pins: Pins | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Who drives now, and how another driver's memory is opened.

        Args:
            config: with the name of the driver who begins. They have a PIN if the seat has a guest's memory: then they are awaited.
            seat: who drives.
            open_: opens a memory, from the configuration with its driver's name.
            pins: of the data folder; None: as it is configured.
            now: aware current time, for PINs that were tried too often.
        """
        self._config, self.seat, self._open, self._now = config, seat, open_, now
        self.pins, self.owner = pins or pins_of(config), Owner(config.data.folder)
        begins = seat.memory.driver == config.driver.name
        self._driver: str | None = config.driver.name if begins else None
        """Who of them drives; None: a guest."""
        self._awaited = None if begins else config.driver.name
        self._leaving: dict[str, MemoryPort] = {}
        """Driver -> memory that is not closed yet."""
        self._guard = threading.Lock()
        self._worker: ThreadPoolExecutor | None = None
        self._agreed: _Agreed | None = None
        finish_deletions(config)

    @property
    def names(self) -> tuple[str, ...]:
        """See ``Drivers``."""
        return tuple(dict.fromkeys((self._config.driver.name, *self._config.driver.others)))

    @property
    def awaited(self) -> str | None:
        """See ``Drivers``."""
        return self._awaited

    def guarded(self, driver: str) -> bool:
        """See ``Drivers``."""
        return self.pins.has(driver)

    # Taking the wheel

    def switch(self, driver: str | None, pin: str | None = None) -> MemoryPort:
        """See ``Drivers``. What the one before said is learnt from afterwards, beside."""
        return self.take(driver, self.proof(driver, pin))

    def proof(self, driver: str | None, pin: str | None) -> Proof | None:
        """That this is the driver's PIN; None where there is none, or none was entered. Takes some tenths of a second.

        Raises:
            PinError: it is not, or nobody may try now.
        """
        if driver is None or pin is None or driver not in self.names or not self.pins.has(driver):
            return None
        return Proof(driver, pin, self.pins.require(driver, pin, self._now()))

    def take(self, driver: str | None, proof: Proof | None = None) -> MemoryPort:
        """`switch`, for whoever has proven to be the driver, where that has to be proven."""
        if driver is not None and driver not in self.names:
            raise UnknownEntryError(f"no driver is called {driver[:40]!r}: add the name to driver.others")
        if driver is not None and driver == self._driver:
            return self.seat.memory
        proven = driver is not None and (not self.pins.has(driver) or (proof is not None and proof.driver == driver))
        leaving, left = self._driver, self._vacate(None if proven else driver)
        if leaving is None:
            left.close()
        else:
            self._see_off(left)
        if driver is None or not proven:
            return self.seat.memory
        between = self.seat.memory
        self.seat.take(self._back(driver) or self._opened(driver, proof))
        self._driver = driver
        between.close()
        return self.seat.memory

    def _opened(self, driver: str, proof: Proof | None) -> MemoryPort:
        config = as_driver(self._config, driver)
        if proof is None:
            return self._open(config)
        memory = self._open(config, proof.keys)
        with contextlib.suppress(GloveboxError):  # then the PIN guards as it did before, until another day
            self.pins.adopt(driver, proof.pin, self.pins.source(driver, proof.pin))
        return memory

    def _vacate(self, awaited: str | None = None) -> MemoryPort:
        """Let a guest drive, perhaps until a PIN is entered; returns the memory of who drove before, which is still open."""
        memory, self._driver, self._awaited = self.seat.memory, None, awaited
        self.seat.take(GuestMemory())
        return memory

    def wait(self) -> None:
        """Until what the drivers before said is learnt and their vaults are closed."""
        if self._worker is not None:
            self._worker.shutdown(wait=True)
            self._worker = None

    def _see_off(self, memory: MemoryPort) -> None:
        with self._guard:
            self._leaving[memory.driver] = memory
        self._worker = self._worker or ThreadPoolExecutor(max_workers=1, thread_name_prefix="leaving driver")
        self._worker.submit(self._finish, memory)

    def _finish(self, memory: MemoryPort) -> None:
        """Learn from what was said, think about it, and close; what fails waits in the vault for the next time."""
        try:
            memory.learn_pending()
            memory.reflect()
        except GloveboxError:
            return
        finally:
            with self._guard:
                if self._leaving.get(memory.driver) is memory:
                    del self._leaving[memory.driver]
                    memory.close()

    def _back(self, driver: str) -> MemoryPort | None:
        """The memory of a driver who comes back before it was closed."""
        with self._guard:
            return self._leaving.pop(driver, None)

    # Handing out and destroying

    def require(self, pin: str | None) -> None:
        """Let nobody go on who does not prove to be the driver at the wheel, where that driver has a PIN.

        Raises:
            PinError: it is missing or wrong.
        """
        if self._driver is not None:
            self.pins.require(self._driver, pin, self._now())

    def save_export(self, pin: str | None = None) -> str:
        """See ``Drivers``."""
        self.require(pin)
        memory, now = self.seat.memory, datetime.now().astimezone()
        return exports.save(self._config.data.folder, memory.driver, memory.export(), now).name

    def delete(self, pin: str | None = None) -> None:
        """See ``Drivers``."""
        self.require(pin)
        self.delete_proven()

    def delete_proven(self) -> None:
        """`delete`, for whoever has proven to be the driver."""
        if self._driver is None:
            return
        config = as_driver(self._config, self._driver)
        self._vacate().close()
        if not delete_driver(config).verified:
            raise MemoryStoreError(
                f"the memory of {config.driver.name} was deleted but something of it is left: see {config.data.folder}"
            )

    def wiping(self) -> Wiping:
        """See ``Drivers``."""
        guarded = [name for name in self.names if self.pins.has(name)]
        return wiping(self._driver, self.owner.name, guarded, code=self.owner.has_code)

    def may_wipe(self, pins: Mapping[str, str], code: str | None = None) -> str:
        """See ``Drivers``."""
        needed = self.wiping()
        if code is not None:
            if not self.owner.is_code(code):
                raise PinError("that is not the recovery code of this car")
        elif not needed.allowed:
            raise PinError(
                "only the owner of this car may wipe it: as the driver at the wheel, or by the recovery code"
            )
        else:
            for driver in needed.pins:
                self.pins.require(driver, pins.get(driver), self._now())
        self._agreed = _Agreed(secrets.token_urlsafe(16), self.seat.memory, self._now() + AGREED_FOR)
        return self._agreed.word

    def wipe(self, agreed: str) -> int:
        """See ``Drivers``. Cut short, it is finished at the next start."""
        held, self._agreed = self._agreed, None
        if (
            held is None
            or not secrets.compare_digest(held.word, agreed)
            or held.memory is not self.seat.memory
            or self._now() > held.until
        ):
            raise PinError("nobody has agreed to wiping the car: begin anew")
        self._vacate().close()
        with self._guard:
            leaving, self._leaving = tuple(self._leaving.values()), {}
        for memory in leaving:
            memory.close()
        return wipe_all(self._config)


def known(config: Config) -> tuple[str, ...]:
    """The drivers of the configuration, and whoever else has a vault in its folder."""
    held = (unquote(path.name.removesuffix(SUFFIX)) for path in sorted(config.data.folder.glob(f"*{SUFFIX}")))
    return tuple(dict.fromkeys((config.driver.name, *config.driver.others, *held)))


def require_known(config: Config, configured: Config) -> None:
    """Refuse a driver who is neither configured nor has a vault. Before the first start of all the configured one is known.

    Args:
        config: with the driver who was named on the command line.
        configured: without that.

    Raises:
        schemas.errors.UnknownEntryError: with the names that there are, and how to make a new one.
    """
    names = known(configured)
    if config.driver.name not in names:
        raise UnknownEntryError(
            f"no driver is called {config.driver.name!r}: there {'are' if len(names) > 1 else 'is'} {', '.join(names)}; "
            f"`glovebox drivers add {config.driver.name}` makes a new one"
        )


def delete_driver(config: Config) -> Destruction:
    """Destroy the configured driver's vault, key, backups, exports and PIN. Whoever calls it has asked for the PIN.

    Raises:
        schemas.errors.GloveboxError: as `memory.vault.lifecycle.destroy`.
    """
    exports.erase(config.data.folder, config.driver.name)
    done = destroy(config.data.folder, config.driver.name, key_source(config))
    pins_of(config).forget(config.driver.name)
    return done


def wipe_all(config: Config) -> int:
    """Destroy what there is of all drivers; returns how many there were. Whoever calls it has asked for what `wiping` says.

    Cut short, it is finished at the next start.

    Raises:
        schemas.errors.GloveboxError: as `memory.vault.lifecycle.destroy`; the others' are destroyed all the same.
    """
    folder, names = config.data.folder, known(config)
    require_closed(folder, names)
    if folder.is_dir():
        write_whole(folder / WIPING, b"")
    failed = None
    for name in names:
        try:
            if not delete_driver(as_driver(config, name)).verified:
                failed = MemoryStoreError(f"of the memory of {name} something is left: see {config.data.folder}")
        except GloveboxError as error:
            failed = error
    if failed is not None:
        raise failed
    Owner(folder).forget()
    (folder / WIPING).unlink(missing_ok=True)
    return len(names)


def finish_deletions(config: Config) -> None:
    """Finish what was being deleted when the program ended: nobody may open those vaults again to do it."""
    if (config.data.folder / WIPING).exists():
        with contextlib.suppress(GloveboxError):
            wipe_all(config)
    for mark in config.data.folder.glob("*.deleting"):
        with contextlib.suppress(GloveboxError, ConfigError):
            delete_driver(as_driver(config, unquote(mark.stem)))
