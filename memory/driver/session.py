"""An open memory: the vault, what is read from it for recall, and the locks that all parts of the memory share.

Learning reads and thinks under `Session.thinking` alone (that takes its time, and recall must not wait for it), then
writes under `Session.lock`. Whoever changes consent or what is stored calls `Session.changed`; who finds another revision under the
lock than it began with thinks again. Decides nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime

from memory.learn.extraction import Extractor
from memory.learn.guard import Guard
from memory.learn.screening import screening, sift
from memory.recall.search import HybridSearch
from memory.store.conversations import Archive
from memory.store.preferences import Store
from memory.vault.lifecycle import Vault
from schemas.memory import Consent
from schemas.ports import Encoder


class ActLock:
    """Held for every act on the vault, by a thread as often as it likes; tells what changed once it is let go for good."""

    def __init__(self) -> None:
        """Nobody is told yet."""
        self.told: Callable[[bool], None] | None = None
        self._lock, self._depth = threading.RLock(), 0
        self._news: bool | None = None

    def changed(self, forgotten: bool) -> None:
        """Something is another, or about to be; called while it is held."""
        self._news = forgotten or bool(self._news)

    def __enter__(self) -> None:
        """Wait for it."""
        self._lock.acquire()
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        """Let it go, and tell."""
        self._depth -= 1
        news = self._news if self._depth == 0 else None
        if news is not None:
            self._news = None
        self._lock.release()
        if news is not None and self.told is not None:
            self.told(news)


class Session:
    """One driver's vault while it is open."""

    def __init__(
        self,
        driver: str,
        vault: Vault,
        encoder: Encoder,
        extractor: Extractor,
        *,
        search: HybridSearch,
        guard: Guard,
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
    ) -> None:
        """Over a driver's open vault.

        Args:
            driver: the driver's name.
            vault: the open vault.
            encoder: for recall.
            extractor: reads what a turn tells, and what it may not.
            search: over this vault.
            guard: tells special kinds of data.
            clock: aware current time.
            new_id: makes ids.
        """
        self.driver, self.vault, self.encoder, self.extractor = driver, vault, encoder, extractor
        self.clock, self.new_id = clock, new_id
        self.guard = guard
        """Asked of every text before anything of it is written."""
        self.store = Store(vault)
        self.archive = Archive(vault, self.store)
        self.search = search
        """The searchable copy; whoever changes the vault says `HybridSearch.refresh`."""
        self.lock = ActLock()
        """Held for every act on the vault."""
        self.thinking = threading.Lock()
        """Held while something is learnt or thought about; taken before `lock`."""
        self.revision = 0
        """Counts changes of consent and of what is stored."""

    def forbidden(self, text: str, consent: Consent) -> frozenset[str]:
        """See `memory.learn.guard.Guard`."""
        return self.guard.forbidden(text, consent)

    def forbidden_line(self, key: str, value: str, consent: Consent) -> frozenset[str]:
        """See `memory.learn.guard.Guard`."""
        return self.guard.forbidden_line(key, value, consent)

    def cleared(self, text: str, consent: Consent) -> str:
        """See `memory.learn.guard.Guard`."""
        return self.guard.cleared(text, consent)

    def pieces(self, text: str, consent: Consent, now: datetime) -> tuple[str, ...]:
        """What of a text may wait to be learnt from: neither of a special kind nor of a category that is off."""
        left = self.guard.cleared(text, consent)
        return sift(left, screening(self.extractor, consent, now)).kept if left else ()

    def changed(self, *, forgotten: bool = False) -> None:
        """Consent or what is stored is about to be another. Called with the lock held.

        Args:
            forgotten: something of what was said or shown is not to be seen any more.
        """
        self.revision += 1
        self.lock.changed(forgotten)

    def watch(self, changed: Callable[[bool], None] | None) -> None:
        """See ``schemas.memory_port.MemoryPort``."""
        self.lock.told = changed

    def now(self) -> tuple[datetime, Consent]:
        """The time, and what may be remembered at it."""
        return self.clock(), self.store.consent()
