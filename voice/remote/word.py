"""The wake word on another computer: the microphone's sound goes out as it comes, and a detection comes when it comes.

Owns the stream and what stands in while the other computer is away: a wake word engine of ours that is fed meanwhile. Connecting
and reading happen on a thread of its own: the microphone waits for nobody.
"""

from __future__ import annotations

import logging
import queue
import threading

from wyoming.audio import AudioChunk, AudioStart
from wyoming.wake import Detect, Detection

from schemas.errors import GloveboxError, ModelError
from schemas.events import SAMPLE_RATE, Samples, WakeDetection
from schemas.ports import WakeWord
from voice.remote.line import AWAY_S, AwayError, Line
from voice.wake import Waking, onnx

_LOG = logging.getLogger("glovebox.voice")


class RemoteWakeWord:
    """Meets ``schemas.ports.WakeWord``. A detection is told with the chunk that is taken after it came."""

    sample_rate: int = SAMPLE_RATE

    def __init__(self, line: Line, behind: WakeWord, keyword: str, refractory: int) -> None:
        """Connects in the background.

        Args:
            line: to the service.
            behind: listens while that is away.
            keyword: what it is asked for.
            refractory: samples after a detection in which there is no other.
        """
        self._line, self._behind, self._keyword, self._refractory = line, behind, keyword, refractory
        self._position, self._rest, self._base = 0, 0, 0
        self._found: queue.SimpleQueue[int | None] = queue.SimpleQueue()
        self._here = threading.Event()
        """The service listens."""
        self._ended = threading.Event()
        threading.Thread(target=self._stay, name="remote-wake", daemon=True).start()

    def process(self, chunk: Samples) -> WakeDetection | None:
        """Take the next samples (any number)."""
        begins, self._position = self._position, self._position + len(chunk)
        if self._here.is_set():
            try:
                milliseconds = (begins * 1_000) // SAMPLE_RATE
                self._line.send(AudioChunk(SAMPLE_RATE, 2, 1, chunk.astype("<i2").tobytes(), timestamp=milliseconds))
            except AwayError:
                self._here.clear()  # the reading thread tells of it and connects again
                self._behind.reset()
                self._base = self._position
        else:
            found = self._behind.process(chunk)
            if found is not None and self._position >= self._rest:
                self._rest = self._position + self._refractory
                return found.model_copy(update={"end_sample": self._base + found.end_sample})
        return self._heard()

    def reset(self) -> None:
        """Forget the stream so far; positions count from here."""
        self._behind.reset()
        self._position = self._rest = self._base = 0
        while not self._found.empty():
            self._found.get_nowait()

    def close(self) -> None:
        """Hang up for good."""
        self._ended.set()
        self._line.close()

    def wait(self, seconds: float) -> bool:
        """Whether the service listens, at the latest after so many seconds."""
        return self._here.wait(seconds)

    def _heard(self) -> WakeDetection | None:
        end: int | None = None
        while not self._found.empty():
            told = self._found.get_nowait()
            end = self._position if told is None else min(told * SAMPLE_RATE // 1_000, self._position)
        if end is None or self._position < self._rest:
            return None
        self._rest = self._position + self._refractory
        return WakeDetection(keyword=self._keyword, score=1.0, end_sample=end)

    def _stay(self) -> None:
        """Connect, read, and connect again."""
        told = False
        while not self._ended.is_set():
            try:
                self._line.connect()
                self._line.send(Detect(names=[self._keyword]), AudioStart(SAMPLE_RATE, 2, 1))
                self._here.set()
                told = False
                while True:
                    event = self._line.receive(None)
                    if Detection.is_type(event.type):
                        at = event.data.get("timestamp")
                        self._found.put(at if isinstance(at, int) else None)
            except (AwayError, GloveboxError) as error:
                self._here.clear()
                if not told and not self._ended.is_set():
                    _LOG.warning("the wake word at %s; ours listens until it is back", error)
                    told = True
            self._ended.wait(AWAY_S)


def opened(waking: Waking) -> RemoteWakeWord:
    """The engine of the table, with ours behind it.

    Raises:
        schemas.errors.ModelError: that cannot be had, or no address was given.
    """
    if waking.remote is None:
        raise ModelError("a remote wake word needs an address; set wake.remote")
    refractory = round(waking.refractory_s * SAMPLE_RATE)
    return RemoteWakeWord(Line(waking.remote), onnx.opened(waking), waking.keyword, refractory)
