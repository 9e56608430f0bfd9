"""espeak-ng, the voice that is always there, as a program of its own.

Owns: how it is started, its WAV stream, the conversion to 16 kHz, its end. Does not own where sentences are split
(`voice.tts.sentences`). espeak-ng is GPL-3 and stays outside this process: only text goes in and sound comes out.

One process a sentence: the program's first sound is there 13 ms after its start on x86-64, so there is nothing to gain by
keeping one alive.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from schemas.errors import AudioError, EngineMissingError
from schemas.events import SAMPLE_RATE, Samples
from voice.audio.resample import Resampler
from voice.tts import Speaking
from voice.tts.speakable import speakable

_VOICE = re.compile(r"[A-Za-z][A-Za-z0-9_+-]{0,39}")
"""As `espeak-ng --voices` lists them, with a variant: en-us, en-gb-x-rp+m3. No path and no option looks like that."""
_HEADER_LIMIT = 4_096
"""Bytes in which the WAV header must end; espeak-ng's has 44."""
_READ = 16_384
_FIRST_S = 0.04
"""The first piece has at least 40 ms, so that playing it does not run dry before the next is read."""


@dataclass(frozen=True, slots=True)
class EspeakSettings:
    """How it speaks."""

    voice: str = "en-us"
    speed: int = 165
    """Words a minute, 80 to 450; espeak-ng's own default is 175."""
    pitch: int = 50
    """0 to 99."""
    amplitude: int = 100
    """0 to 200."""

    def __post_init__(self) -> None:
        """Check the ranges.

        Raises:
            ValueError: Naming what does not fit.
        """
        if not _VOICE.fullmatch(self.voice):
            raise ValueError(f"{self.voice!r} is no name of an espeak-ng voice; `espeak-ng --voices` lists them")
        for name, value, low, high in (
            ("speed", self.speed, 80, 450),
            ("pitch", self.pitch, 0, 99),
            ("amplitude", self.amplitude, 0, 200),
        ):
            if not low <= value <= high:
                raise ValueError(f"{name} must lie within {low}..{high}; got {value}")


class EspeakSynthesizer:
    """Speaks through espeak-ng; meets `schemas.ports.Synthesizer`."""

    def __init__(
        self, settings: EspeakSettings | None = None, *, program: str = "espeak-ng", timeout_s: float = 5.0
    ) -> None:
        """A synthesiser; nothing is started yet.

        Args:
            settings: Voice, speed, pitch, amplitude.
            program: Name or path of the program.
            timeout_s: Longest wait for the next piece of sound.
        """
        self.settings = settings or EspeakSettings()
        self._program, self._timeout = program, timeout_s

    def check(self) -> None:
        """Find out early whether it can speak.

        Raises:
            EngineMissingError: The program is not installed.
        """
        if shutil.which(self._program) is None:
            raise self._missing()

    def synthesize(self, text: str) -> Iterator[Samples]:
        """Sound at 16 kHz, piece by piece as the program makes it; nothing for a text without anything to speak.

        Leaving off early ends the program.

        Raises:
            EngineMissingError: The program is not installed.
            AudioError: It failed, gave no sound in time, or the text is longer than `voice.tts.speakable.LIMIT`.
        """
        words = speakable(text)
        if not words:
            return
        process = self._start(words)
        try:
            yield from self._convert(process)
        finally:
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()

    def _start(self, words: str) -> subprocess.Popen[bytes]:
        wish = self.settings
        command = [self._program, "--stdout", "--stdin", "-b", "1", "-v", wish.voice]
        command += ["-s", str(wish.speed), "-p", str(wish.pitch), "-a", str(wish.amplitude)]
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        except (FileNotFoundError, PermissionError) as error:
            raise self._missing() from error
        if process.stdin is not None:
            # A program that has already died says so below, by its exit status.
            with contextlib.suppress(BrokenPipeError), process.stdin as pipe:
                pipe.write(words.encode())
        return process

    def _convert(self, process: subprocess.Popen[bytes]) -> Iterator[Samples]:
        head, resampler, odd = b"", None, b""
        waiting: Samples = np.zeros(0, np.int16)
        first = True
        while block := self._read(process):
            if resampler is None:
                head += block
                rate, block = _parse_header(head)
                if rate is None:
                    continue
                resampler = Resampler(rate, SAMPLE_RATE)
            block = odd + block
            whole = len(block) // 2 * 2
            odd = block[whole:]
            piece = resampler.feed(np.frombuffer(block[:whole], "<i2").astype(np.int16))
            waiting = np.concatenate([waiting, piece])
            if waiting.size and (not first or waiting.size >= _FIRST_S * SAMPLE_RATE):
                yield waiting
                waiting, first = np.zeros(0, np.int16), False
        status = process.wait()
        if resampler is None or status != 0:
            raise AudioError(
                f"espeak-ng ended with status {status} and "
                f"{'no sound' if resampler is None else 'broken sound'} (voice {self.settings.voice}); "
                "try `espeak-ng -v VOICE test` in a shell, `espeak-ng --voices` lists the voices"
            )
        rest = np.concatenate([waiting, resampler.flush()])
        if rest.size:
            yield rest

    def _read(self, process: subprocess.Popen[bytes]) -> bytes:
        """The next bytes of its output; empty at the end."""
        assert process.stdout is not None  # noqa: S101  it was opened with a pipe
        descriptor = process.stdout.fileno()
        waiting = select.poll()
        waiting.register(descriptor, select.POLLIN)
        if not waiting.poll(self._timeout * 1000.0):
            raise AudioError(
                f"espeak-ng gave no sound for {self._timeout:g} s and was ended; try `espeak-ng test` in a shell"
            )
        return os.read(descriptor, _READ)

    def _missing(self) -> EngineMissingError:
        return EngineMissingError(
            f"the program {self._program} is not installed or cannot be run; on Debian: sudo apt install espeak-ng"
        )


def _parse_header(head: bytes) -> tuple[int | None, bytes]:
    """(rate, sound after the header); rate None while the header is not complete. Its sizes are bogus and not looked at.

    Raises:
        AudioError: Not a mono 16-bit WAV.
    """
    if len(head) < 12:
        return None, b""
    position, rate = 12, 0
    if head[:4] == b"RIFF" and head[8:12] == b"WAVE":
        while position + 8 <= len(head) < _HEADER_LIMIT + _READ:
            kind, size = head[position : position + 4], int.from_bytes(head[position + 4 : position + 8], "little")
            position += 8
            if kind == b"data" and rate:
                return rate, head[position:]
            if kind == b"fmt " and position + 16 <= len(head):
                channels, rate, width = (
                    int.from_bytes(head[position + a : position + b], "little") for a, b in ((2, 4), (4, 8), (14, 16))
                )
                if (channels, width) != (1, 16):
                    break
            position += size
        else:
            if len(head) < _HEADER_LIMIT:
                return None, b""
    raise AudioError(
        "espeak-ng gave something else than mono 16-bit WAV; reinstall it: sudo apt install --reinstall espeak-ng"
    )


def opened(speaking: Speaking) -> EspeakSynthesizer:
    """The synthesiser of the table.

    Raises:
        EngineMissingError: The program is not installed.
    """
    synthesizer = EspeakSynthesizer(EspeakSettings(speaking.voice, speaking.speed, speaking.pitch))
    synthesizer.check()
    return synthesizer
