"""Piper voices, spoken by a program of their own.

Owns: that program's life (`voice.tts.piper_worker`: started once, watched, ended, started again) and what it says, at 16 kHz and
the common level. Does not fetch voices, and loads nothing of piper-tts: only text goes out and sound comes in (docs/licences.md).

The program ends with the input that this process holds open, so that not even a kill of the assistant leaves it behind. (The
kernel's own way, PR_SET_PDEATHSIG, fires when the *thread* ends that started the program, as threads of a pool may.)
"""

from __future__ import annotations

import contextlib
import logging
import os
import select
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from schemas.errors import AudioError, EngineMissingError, GloveboxError, ModelDamagedError, ModelMissingError
from schemas.events import SAMPLE_RATE, Samples
from voice.audio.resample import Resampler
from voice.tts import Speaking
from voice.tts.loudness import levelled, trimmed
from voice.tts.speakable import speakable

_log = logging.getLogger("glovebox.voice")

WORKER = Path(__file__).with_name("piper_worker.py")
_HEAD = struct.Struct("<cII")
_LONGEST_S = 300.0
"""Sound of one text; a frame that announces more is garbage (`voice.tts.speakable.LIMIT` is about 240 s)."""
_FIRST_S, _LETTER_S = 2.0, 0.05
"""Seconds in which a text must have been made: so many, and so many more a letter, which is some .07 s of speech. A voice that is
slower than that even on a busy machine is no use; then the next best one speaks."""
_TRIAL = "One, two, three, four, five, six."
_TRIAL_S = (0.8, 5.5)
"""How long that may take to say. Joe takes 3.2 s; half as fast or four times as fast is a wrong rate in the JSON file."""
_REST_S = (0.0, 2.0, 10.0, 60.0)
"""Seconds before the program is started again after it failed once, twice, three times, more often in a row."""


def opened(speaking: Speaking) -> PiperSynthesizer:
    """The synthesiser of the table.

    Raises:
        EngineMissingError: piper-tts is not installed, or its program does not start.
        ModelMissingError: No voice was chosen, or a file of it is not there.
        ModelDamagedError: A file of the voice cannot be used, or what it says is no speech.
    """
    if speaking.model is None:
        raise ModelMissingError("piper needs a voice; name one in tts.model")
    return opened_voice(speaking.model)


def opened_voice(voice: Path) -> PiperSynthesizer:
    """A voice that has shown that it can speak.

    Raises:
        EngineMissingError: piper-tts is not installed, or its program does not start.
        ModelMissingError: A file of the voice is not there.
        ModelDamagedError: A file of the voice cannot be used, or what it says is no speech.
    """
    synthesizer = PiperSynthesizer(voice)
    try:
        synthesizer.check()
    except AudioError as error:
        synthesizer.close()
        raise EngineMissingError(f"{error}, but cannot speak; use espeak") from error
    except GloveboxError:
        synthesizer.close()
        raise
    return synthesizer


class PiperSynthesizer:
    """Speaks with a Piper voice; meets `schemas.ports.Synthesizer`. One piece a text: that is what the network gives.

    May be asked from several threads; the newest text wins, the one before ends without sound.
    """

    def __init__(
        self,
        voice: Path,
        *,
        threads: int = 1,
        niceness: int = 0,
        ready_s: float = 30.0,
        patience: float = 1.0,
        command: Sequence[str] | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start the program; `check` waits for it.

        Args:
            voice: The ONNX file; its JSON file lies beside it, with `.json` behind the name.
            threads: Of the network. One leaves a core to the recogniser.
            niceness: 0 to 19, of the program.
            ready_s: Longest wait for the voice to be loaded; .4 s on a quiet machine, 5 s were seen on a busy one.
            patience: Factor on the time in which a text must have been made.
            command: What to start in the worker's place, for tests.
            now: Clock, seconds.

        Raises:
            ModelMissingError: A file of the voice is not there.
        """
        for path in (voice, voice.with_name(f"{voice.name}.json")):
            if not path.is_file():
                raise ModelMissingError(f"Piper voice file {path} is missing; import the voice or use espeak")
        self.voice = voice.resolve()
        # -I: nothing of the surroundings changes what is imported, and the folder of the worker is not on the path
        own = [sys.executable, "-I", str(WORKER), str(self.voice), str(threads), str(niceness)]
        self._command = list(command or own)
        self._ready_s, self._patience, self._now = ready_s, patience, now
        self._writing, self._reading = threading.Lock(), threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._rate = 0
        self._number = 0
        self._early: tuple[bytes, int, bytes] | None = None
        """The answer to a newer request, read by who waited for an older one."""
        self._failures = 0
        self._started = self._rest_until = 0.0
        self._closed = False
        self._start()

    def check(self) -> None:
        """Wait until it can speak, and let it say something, so that the first reply is not the slow one.

        Raises:
            EngineMissingError: piper-tts is not installed.
            ModelDamagedError: A file of the voice cannot be used, or what it says is no speech.
            AudioError: The program ended, hung, or wrote garbage.
        """
        with self._reading:
            self._wait_ready(self._now() + self._ready_s)
        sound = self._made(_TRIAL, self._ready_s)  # the whole machine starts now: as patient as with loading
        seconds = len(sound) / SAMPLE_RATE
        if not (_TRIAL_S[0] <= seconds <= _TRIAL_S[1] and np.abs(sound.astype(np.int32)).max() > 1_000):
            raise ModelDamagedError(
                f"Piper voice {self.voice} says six words in {seconds:.1f} s, so it or the rate in its JSON file is wrong; "
                "import it again"
            )

    def synthesize(self, text: str) -> Iterator[Samples]:
        """Sound at 16 kHz, all in one piece; nothing for a text without anything to speak.

        Raises:
            AudioError: The program failed, or the text is longer than `voice.tts.speakable.LIMIT`. It is being started again.
            EngineMissingError: piper-tts has been removed.
            ModelDamagedError: A file of the voice can no longer be used.
        """
        words = speakable(text)
        if words:
            sound = self._made(words)
            if sound.size:
                yield sound

    def close(self) -> None:
        """End the program; it speaks no more."""
        self._closed = True
        process = self._process
        if process is not None:
            process.kill()  # whoever waits for its sound stops waiting
        with self._reading:
            self._end()

    def __del__(self) -> None:
        """End the program."""
        with contextlib.suppress(Exception):
            self._end()

    def _made(self, words: str, wait_s: float | None = None) -> Samples:
        number, process = self._ask(words)
        with self._reading:
            if number != self._number:
                return np.zeros(0, np.int16)
            if process is not self._process:
                raise AudioError("the Piper voice is being started again")
            wait_s = wait_s or self._patience * (_FIRST_S + _LETTER_S * len(words))
            sound = self._answer(number, self._now() + wait_s, wait_s)
            self._failures = 0
            resampler = Resampler(self._rate, SAMPLE_RATE)
        whole = np.concatenate([resampler.feed(sound), resampler.flush()])
        return levelled(trimmed(whole, ends=words[-1]))

    def _ask(self, words: str) -> tuple[int, subprocess.Popen[bytes]]:
        """Send it; the number of the request, and who was asked."""
        with self._writing:
            self._number = (self._number + 1) % 2**32
            process = self._process
            if process is None or self._rate == 0:
                with self._reading:
                    process = self._revived()
            data = words.encode()
            # One that has ended meanwhile says so where its answer is read.
            with contextlib.suppress(OSError, ValueError):
                if process.stdin is not None:
                    process.stdin.write(_HEAD.pack(b"T", self._number, len(data)) + data)
            return self._number, process

    def _revived(self) -> subprocess.Popen[bytes]:
        """Start it again where that is due; it is there only if it is ready by now.

        Raises:
            AudioError: It is not.
        """
        if self._closed:
            raise AudioError("the Piper voice is closed")
        if self._process is None and self._now() >= self._rest_until:
            self._start()
        if self._process is not None and not self._readable(0.0) and self._now() > self._started + self._ready_s:
            raise self._failed(f"was not ready within {self._ready_s:.0f} s")
        if self._process is None or not self._readable(0.0):
            raise AudioError("the Piper voice is being started again")
        self._wait_ready(self._now() + self._ready_s)
        return self._process

    def _start(self) -> None:
        self._rate = 0
        self._started = self._now()
        self._rest_until = self._started + _REST_S[-1]
        try:
            # A folder that is always there: piper-tts asks for it when it is imported. A session of its own: Ctrl-C in a
            # terminal is for the assistant, which ends the program when it has said good-bye.
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd="/",
                start_new_session=True, bufsize=0,
            )  # fmt: skip
        except OSError as error:
            self._process = None
            _log.warning("the Piper voice cannot be started: %s", error)

    def _wait_ready(self, until: float) -> None:
        if self._rate:
            return
        kind, _, data = self._frame(until, self._ready_s)
        if kind == b"X" and data == b"no":
            self._end()
            raise EngineMissingError("piper-tts is not installed; install Glovebox with its extra `tts`")
        if kind == b"X":
            self._end()
            raise ModelDamagedError(f"Piper voice {self.voice} with its JSON file cannot be loaded; import it again")
        if kind != b"R" or not data.isdigit() or not 8_000 <= int(data) <= 48_000:
            raise self._failed("wrote garbage")
        self._rate = int(data)

    def _answer(self, number: int, until: float, wait_s: float) -> Samples:
        while True:
            kind, about, data = self._early or self._frame(until, wait_s)
            self._early = None
            if (about - number) % 2**32 >= 2**31:
                continue  # the answer to a request that nobody waits for any more
            if about == self._number != number:
                self._early = kind, about, data  # a newer one came before this was begun, so it is never answered
                return np.zeros(0, np.int16)
            if about != number or kind not in (b"S", b"X") or len(data) % 2:
                raise self._failed("wrote garbage")
            if kind == b"X":
                if number != self._number:
                    return np.zeros(0, np.int16)  # stopped by a newer one
                raise AudioError("the Piper voice could not say that; espeak can")
            return np.frombuffer(data, "<i2").astype(np.int16)

    def _frame(self, until: float, wait_s: float) -> tuple[bytes, int, bytes]:
        kind, number, length = _HEAD.unpack(self._bytes(_HEAD.size, until, wait_s))
        if kind not in (b"R", b"S", b"X") or length > _LONGEST_S * 48_000 * 2:
            raise self._failed("wrote garbage")
        return kind, number, self._bytes(length, until, wait_s)

    def _bytes(self, count: int, until: float, wait_s: float) -> bytes:
        data = bytearray()
        while len(data) < count:
            if not self._readable(max(0.0, until - self._now())):
                raise self._failed(f"gave no sound for {wait_s:.1f} s")
            process = self._process
            block = os.read(process.stdout.fileno(), count - len(data)) if process and process.stdout else b""
            if not block:
                raise self._failed("has ended")
            data += block
        return bytes(data)

    def _readable(self, seconds: float) -> bool:
        process = self._process
        if process is None or process.stdout is None:
            return True  # reading it says that it has ended
        waiting = select.poll()
        waiting.register(process.stdout.fileno(), select.POLLIN)
        return bool(waiting.poll(seconds * 1000.0))

    def _failed(self, how: str) -> AudioError:
        """End what is left of it and start it again, the later the more often it failed."""
        status = self._end()
        rest = _REST_S[min(self._failures, len(_REST_S) - 1)]
        self._failures += 1
        self._rest_until = self._now() + rest
        if rest == 0.0 and not self._closed:
            self._start()
        ended = f" (status {status})" if status is not None and status != -9 else ""
        return AudioError(f"the program of the Piper voice {how}{ended}; it is started again")

    def _end(self) -> int | None:
        """Its exit status."""
        process, self._process, self._rate, self._early = self._process, None, 0, None
        if process is None:
            return None
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        return process.wait()
