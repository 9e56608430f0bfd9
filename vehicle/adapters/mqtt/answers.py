"""What we wait for from the broker: echoes of our own words, and acknowledgements of what we published.

Owns futures, by word and by message id. Called by the thread of the connection and by whoever waits; publishes nothing itself.
"""

from __future__ import annotations

import secrets
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress


class Answers:
    """What is waited for on the present connection."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._words: dict[str, Future[None]] = {}
        self._messages: dict[int, Future[int]] = {}
        self.connection: Future[str] = Future()
        """The broker's answer to the wish to connect."""

    def connecting(self) -> Future[str]:
        """A new connection is asked for."""
        self.connection = Future()
        return self.connection

    def word(self) -> tuple[str, Future[None]]:
        """A word to send to ourselves, and what comes true when it is back."""
        word, future = secrets.token_hex(8), Future[None]()
        self._words[word] = future
        return word, future

    def echoed(self, word: str) -> None:
        """A word came back; a foreign one is ignored."""
        future = self._words.pop(word, None)
        if future is not None and not future.done():
            future.set_result(None)

    def message(self, mid: int) -> Future[int]:
        """The acknowledgement of a message, a reason code; it may be there before anybody waits for it."""
        return self._messages.setdefault(mid, Future())

    def acknowledged(self, mid: int, reason: int) -> None:
        """The broker took a message, or refused it."""
        future = self.message(mid)
        if not future.done():
            future.set_result(reason)

    def forget(self, mid: int) -> None:
        """Nobody waits for this message any more."""
        self._messages.pop(mid, None)

    def give_up(self, trouble: str) -> None:
        """Whoever waits for the broker waits in vain."""
        for future in [self.connection, *self._words.values(), *self._messages.values()]:
            if not future.done():
                with suppress(InvalidStateError):
                    future.set_exception(ConnectionError(trouble))
        self._words, self._messages = {}, {}
