"""Has a case spoken to the assistant instead of typed: one stream of sound from the first sentence to the end of the conversation.

Owns who speaks, when, and when a reply is over. Voices and noise are `deploy.lab.hearing`'s. The driver says the wake word where no
conversation is open and goes on without it where one is, as the screen shows it. What was said before a case is typed, so that it
begins where it should.
"""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from queue import SimpleQueue

import numpy as np

from deploy.assistant import Assistant
from deploy.lab.dialogue.seen import Said
from deploy.lab.dialogue.suite import Case
from deploy.lab.hearing.cases import WAKE_WORD
from deploy.lab.hearing.judge import heard_text
from deploy.lab.hearing.scenes import LEAD_S, LEVEL_DBFS, background, in_car, joined, pcm
from deploy.lab.hearing.voices import Voice
from deploy.timeline import TimelineEntry
from schemas.clock import StreamClock
from schemas.errors import AudioError
from schemas.events import FRAME, SAMPLE_RATE, Samples
from voice.audio.wavefile import WaveSink

YES = "yes"
"""The answer to an offer."""
NEXT_S = 4.0
"""Seconds from the end of a reply to the driver's next sentence of the same case: within the follow-up window of five
(``turn.follow_up_s``), and as long as a window of the simulated car travels."""
STEP_S = 0.32
"""The stream goes on by so much before it is looked whether the reply is over."""
ASLEEP_S = 1.0
"""After a sentence whose wake word was not heard: the network tells of it within .6 s."""
EARLY_S = 0.3
"""An utterance may be closed so long before the last sound of it has died away."""
PATIENCE_S = 30.0
"""A reply that takes longer is no reply; every state of the turn has ended by then."""


class DriverClock(StreamClock):
    """A stream's clock that may begin later than at 0: what was typed before the stream has taken time, too."""

    def __init__(self) -> None:
        """At second 0."""
        super().__init__()
        self.begins = 0.0
        """What the clock says when the stream begins."""

    def advance_to(self, seconds: float) -> None:
        """The stream has reached this second."""
        super().advance_to(self.begins + seconds)


@dataclass(frozen=True, slots=True)
class Speakers:
    """Who says the cases, and in which noise."""

    voices: Sequence[Voice]
    snr_db: float | None
    """None for the quiet car."""
    seed: int = 1

    @property
    def noise(self) -> str:
        """The noise in words."""
        return "in quiet" if self.snr_db is None else f"at {self.snr_db:g} dB"

    def of(self, number: int) -> Voice:
        """Who says the case with this number: the voices share them out."""
        return self.voices[number % len(self.voices)]

    def prepare(self, cases: Sequence[Case]) -> None:
        """Make the sound of all cases, which is kept: a synthesiser that is started once for many sentences is quicker.

        Raises:
            schemas.errors.GloveboxError: a voice failed.
        """
        for voice in self.voices:
            own = [case for number, case in enumerate(cases) if self.of(number) is voice]
            texts = [turn.say.strip() for case in own for turn in case.turns] + [YES]
            voice.sounds([text for said in dict.fromkeys(texts) for text in (said, woken(said))])

    @contextmanager
    def speaking(self, assistant: Assistant, clock: DriverClock, case: Case, number: int) -> Generator[Aloud]:
        """A driver in a car that hears nothing else, from a second before the first sentence to the end of the conversation."""
        rng = np.random.default_rng([self.seed, zlib.crc32(f"{case.id}/{self.snr_db}".encode())])
        clock.begins = clock.now()
        aloud = Aloud(assistant, self.of(number), self.snr_db, rng)
        try:
            aloud.wait(LEAD_S)
            yield aloud
        finally:
            aloud.close()


def woken(text: str) -> str:
    """A sentence with the wake word before it, in one breath."""
    return f"{WAKE_WORD}, {text}"


class Aloud:
    """One driver who speaks; meets `deploy.lab.dialogue.driving.Way`."""

    def __init__(self, assistant: Assistant, voice: Voice, snr_db: float | None, rng: np.random.Generator) -> None:
        """A car that listens, in which nothing was said."""
        self.voice, self._snr_db, self._rng = voice, snr_db, rng
        self._seen: list[tuple[float, TimelineEntry]] = []
        """All that was told, with the second of the stream at which it was."""
        self._stream = _Stream(lambda source: assistant.play_back(source, WaveSink(lambda: source.at), self._tell))

    def say(self, text: str) -> Said:
        """Say a sentence, and listen until the reply has sounded, or it is clear that there is none.

        Raises:
            schemas.errors.GloveboxError: the chain broke.
        """
        begun = len(self._seen)
        speech = joined([self.voice.sound(text if self._open else woken(text))], [])
        self._stream.play(in_car(speech, self._snr_db, self._rng, lead_s=0.0, tail_s=0.0).samples)
        ended = self._now()
        while not self._over(begun, ended):
            self.wait(STEP_S)
        return _said([entry for _, entry in self._seen[begun:]], ended)

    def wait(self, seconds: float, *, goes_on: bool = False) -> None:
        """Nobody speaks for so long; for `NEXT_S` at most where the driver ``goes_on``."""
        seconds = min(seconds, NEXT_S) if goes_on else seconds
        count = round(seconds * SAMPLE_RATE)
        self._stream.play(pcm(background(count, 10.0 ** (LEVEL_DBFS / 20.0), self._snr_db, self._rng)))

    def close(self) -> None:
        """The stream ends; what was being said is answered first."""
        self._stream.end()

    @property
    def _open(self) -> bool:
        """Whether a conversation is open."""
        return next(
            (entry.kind == "wake" for _, entry in reversed(self._seen) if entry.kind in ("wake", "ended")), False
        )

    def _now(self) -> float:
        return self._stream.at

    def _tell(self, entry: TimelineEntry) -> None:
        self._seen.append((self._now(), entry))

    def _over(self, begun: int, ended: float) -> bool:
        now, news = self._now(), self._seen[begun:]
        until = max((entry.at_s + entry.data["seconds"] for _, entry in news if entry.kind == "said"), default=0.0)
        if now < until:
            return False
        if not self._open:
            return now >= ended + ASLEEP_S
        told = [at for at, entry in news if entry.kind in ("heard", "said", "error")]
        return (bool(told) and told[-1] >= ended - EARLY_S) or now >= ended + PATIENCE_S


class _Stream:
    """A microphone that hears what it is handed, when it is handed it; meets `schemas.ports.AudioSource`.

    The assistant runs in a thread of its own, and only while the driver waits for it: nothing runs at the same time.
    """

    def __init__(self, listen: Callable[[_Stream], object]) -> None:
        """Begin to listen.

        Args:
            listen: plays a source to its end.
        """
        self._given: SimpleQueue[Samples | None] = SimpleQueue()
        self._taken: SimpleQueue[Exception | None] = SimpleQueue()
        self._rest: Samples = np.zeros(0, np.int16)
        """What was handed over and fills no frame yet."""
        self._position = 0
        self._broken: Exception | None = None
        self._thread = threading.Thread(target=self._run, args=(listen,), name="listening", daemon=True)
        self._thread.start()

    @property
    def at(self) -> float:
        """Seconds that were heard."""
        return self._position / SAMPLE_RATE

    def play(self, sound: Samples) -> None:
        """Let it be heard; returns when it was.

        Raises:
            Exception: whatever ended the listening.
        """
        if self._broken is None:
            self._given.put(sound)
            self._broken = self._taken.get()
        if self._broken is not None:
            raise self._broken

    def end(self) -> None:
        """Nothing more comes; returns when what is left was done."""
        self._given.put(None)
        self._thread.join()

    def frames(self) -> Iterator[Samples]:
        """Frames of what is handed over, until the end."""
        while (sound := self._given.get()) is not None:
            whole = np.concatenate([self._rest, sound])
            full = whole.size - whole.size % FRAME
            self._rest = whole[full:]
            for begin in range(0, full, FRAME):
                self._position += FRAME
                yield whole[begin : begin + FRAME]
            self._taken.put(None)

    def close(self) -> None:
        """End `frames`."""
        self._given.put(None)

    def _run(self, listen: Callable[[_Stream], object]) -> None:
        try:
            listen(self)
        except Exception as error:  # noqa: BLE001 - it is raised again where the driver speaks
            self._taken.put(error)
        else:
            self._taken.put(AudioError("the stream has ended"))


def _said(entries: Sequence[TimelineEntry], ended: float) -> Said:
    """What a driver heard, from the end of the sentence on."""
    replies = [entry for entry in entries if entry.kind == "said"]
    failed = next((f"{entry.data['code']}: {entry.text}" for entry in entries if entry.kind == "error"), "")
    first = next((entry.at_s for entry in replies if entry.at_s >= ended - EARLY_S), ended)
    text = " ".join(entry.text[1:-1] for entry in replies) or (f"(error: {failed})" if failed else "")
    return Said(text, max(0.0, first - ended), failed, heard_text(entries))
