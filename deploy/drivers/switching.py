"""Who may take the seat: one of the configured drivers, or a guest.

Meets ``schemas.ports.Drivers``. Only names from the configuration open a vault; saying any other name opens nothing. Who takes
the wheel does not wait for what the one before said to be learnt: that happens beside, in the vault of who said it, which is closed
afterwards. Nobody can ask it anything meanwhile. Who comes back before it is done goes on with it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

from deploy.config import Config
from deploy.drivers.keys import key_source
from memory.guest import GuestMemory
from memory.rights import exports
from memory.screen.pin import Pins
from memory.vault.lifecycle import Destruction, destroy
from schemas.errors import GloveboxError, MemoryStoreError, UnknownEntryError
from schemas.ports import MemoryPort
from schemas.seat import Seat


class ConfiguredDrivers:
    """The memories of the drivers that the configuration names."""

    def __init__(self, config: Config, seat: Seat, open_: Callable[[Config], MemoryPort]) -> None:
        """Who drives now, and how another driver's memory is opened (from the configuration with their name)."""
        self._config, self.seat, self._open = config, seat, open_
        self._driver: str | None = config.driver.name
        """Who of them drives; None: a guest."""
        self._leaving: dict[str, MemoryPort] = {}
        """Driver -> memory that is not closed yet."""
        self._guard = threading.Lock()
        self._worker: ThreadPoolExecutor | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """See ``Drivers``."""
        return tuple(dict.fromkeys((self._config.driver.name, *self._config.driver.others)))

    def switch(self, driver: str | None) -> MemoryPort:
        """See ``Drivers``. What the one before said is learnt from afterwards, beside."""
        if driver is not None and driver not in self.names:
            raise UnknownEntryError(f"no driver is called {driver[:40]!r}: add the name to driver.others")
        if driver is not None and driver == self._driver:
            return self.seat.memory
        leaving, left = self._driver, self._vacate()
        if leaving is None:
            left.close()
        else:
            self._see_off(left)
        if driver is not None:
            between = self.seat.memory
            self.seat.take(self._back(driver) or self._open(self._as(driver)))
            self._driver = driver
            between.close()
        return self.seat.memory

    def _vacate(self) -> MemoryPort:
        """Let a guest drive; returns the memory of who drove before, which is still open."""
        memory, self._driver = self.seat.memory, None
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

    def save_export(self) -> str:
        """See ``Drivers``."""
        memory, now = self.seat.memory, datetime.now().astimezone()
        return exports.save(self._config.data.folder, memory.driver, memory.export(), now).name

    def delete(self) -> None:
        """See ``Drivers``."""
        if self._driver is None:
            return
        config = self._as(self._driver)
        self._vacate().close()
        if not delete_driver(config).verified:
            raise MemoryStoreError(
                f"the memory of {config.driver.name} was deleted but something of it is left: see {config.data.folder}"
            )

    def _as(self, driver: str) -> Config:
        return self._config.model_copy(update={"driver": self._config.driver.model_copy(update={"name": driver})})


def delete_driver(config: Config) -> Destruction:
    """Destroy the configured driver's vault, key and backups.

    Raises:
        schemas.errors.GloveboxError: as `memory.vault.lifecycle.destroy`.
    """
    exports.erase(config.data.folder, config.driver.name)
    Pins(config.data.folder).remove(config.driver.name)
    return destroy(config.data.folder, config.driver.name, key_source(config))
