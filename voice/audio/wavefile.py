"""Sound files: reading, writing, and playing them as a microphone and a loudspeaker would.

Owns: conversion to mono int16 at 16 kHz, what is wrong with a bad file, writing without ever leaving a damaged one.
Does not own devices (`voice.audio.device`) nor where recordings are kept.
"""

from __future__ import annotations

import errno
import io
import logging
import os
import struct
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

import numpy as np
import soundfile
import soxr
from numpy.typing import NDArray

from schemas.errors import AudioFileError, GloveboxError, NoSpeechError, StorageFullError
from schemas.events import FRAME, SAMPLE_RATE, Samples
from voice.audio.channels import ChannelChoice
from voice.audio.devices.health import RECORDED
from voice.audio.levels import level_whole

_LOG = logging.getLogger(__name__)

LIMIT_S = 1800.0
"""Longest file that `read` takes unless told otherwise: half an hour, 58 MB as int16."""

SILENT = 4
"""No sample beyond this, of 32768: 78 dB under full scale, where no gain makes speech of it. Our choice."""
LOUDEST = 64.0
"""Float samples beyond this multiple of full scale are no sound; their squares would leave the range of 32 bits."""
_BLOCK = 65_536
"""Sample frames that are converted at once, so that a long file at 48 kHz does not fill the memory."""
_RATES = (4_000, 384_000)
"""Rates outside this range, in Hz, are taken for a damaged header."""
_STREAMED = 0x7FFF0000
"""Sizes from here on are what programs write that do not know the length (espeak-ng, sox, ffmpeg to a pipe)."""
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORMATS = {".wav": "WAV", ".flac": "FLAC"}


def read(path: Path, *, limit_s: float = LIMIT_S) -> Samples:
    """The sound of a WAV, FLAC or any other file that libsndfile knows, at any rate, width and number of channels.

    Of several channels the better is taken (`voice.audio.channels`), the rate is converted by soxr, float samples beyond
    full scale are clipped.

    Args:
        path: The file.
        limit_s: Longest sound to accept, in seconds.

    Raises:
        AudioFileError: The file is missing, empty, cut short, damaged, no sound, too long, or holds NaN or infinity.
    """
    try:
        if not path.is_file():
            what = "is not a file" if path.exists() else "does not exist"
            raise AudioFileError(f"sound file {path} {what}; check the path")
        if path.stat().st_size == 0:
            raise AudioFileError(f"sound file {path} is empty (0 bytes); record it again")
        _check_length(path)
        with soundfile.SoundFile(path) as file:
            return _convert(path, file, limit_s)
    except (soundfile.LibsndfileError, TypeError) as error:  # TypeError: a name like .raw, whose sound has no header
        raise AudioFileError(
            f"sound file {path} ({path.stat().st_size} bytes) cannot be read: it is damaged or no sound that is known here; "
            "give a WAV or FLAC file, or convert it with sox or ffmpeg"
        ) from error
    except OSError as error:
        raise AudioFileError(
            f"sound file {path} cannot be read: {error.strerror}; check its permissions and disk"
        ) from error


def check(path: Path) -> None:
    """Look whether a file is worth being heard, before anything is loaded for it.

    Raises:
        AudioFileError: As `read`.
        NoSpeechError: There is nothing but silence in it.
    """
    if int(np.abs(read(path).astype(np.int32)).max()) <= SILENT:
        raise NoSpeechError(f"sound file {path} is silent; is it the right file, and was the microphone on?")


def write(path: Path, samples: NDArray[np.int16], rate: int = SAMPLE_RATE) -> None:
    """Write a WAV or FLAC file, whole or not at all: an older file stays until the new one is on the disk.

    Args:
        path: Ends in .wav or .flac; its folder must exist.
        samples: int16, shape (n,) or (n, channels).
        rate: Samples a second.

    Raises:
        StorageFullError: No space left, or over the quota; nothing is left behind.
        AudioFileError: It cannot be written for another reason.
        ValueError: Another suffix.
    """
    kind = _FORMATS.get(path.suffix.lower())
    if kind is None:
        raise ValueError(f"sound is written as .wav or .flac, not as {path.suffix!r}")
    buffer = io.BytesIO()
    soundfile.write(buffer, samples, rate, format=kind, subtype="PCM_16")
    temporary: Path | None = None
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        temporary = Path(name)
        with os.fdopen(descriptor, "wb") as file:
            file.write(buffer.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise _write_error(path, buffer.getbuffer().nbytes, error) from error


class WaveSource:
    """Sound that is delivered as a microphone would deliver it, only faster; meets `schemas.ports.AudioSource`."""

    def __init__(self, samples: Samples, *, lead_s: float = 0.0, tail_s: float = 0.0) -> None:
        """Deliver `samples` once.

        Args:
            samples: Mono int16 at 16 kHz.
            lead_s: Silence before them, in seconds.
            tail_s: Silence after them, in seconds: 1 s lets the endpointer close the last utterance.
        """
        silence = (np.zeros(round(seconds * SAMPLE_RATE), np.int16) for seconds in (lead_s, tail_s))
        lead, tail = silence
        whole = np.concatenate([lead, samples, tail])
        self._samples: Samples = np.pad(whole, (0, -whole.size % FRAME))
        self._closed = False
        self.position = 0
        """Samples delivered so far."""
        self.trouble = ""
        """What cannot be mended in the sound, for a person; empty for nothing that is known."""

    @classmethod
    def from_file(cls, path: Path, *, lead_s: float = 0.0, tail_s: float = 0.0, limit_s: float = LIMIT_S) -> Self:
        """Deliver a file, levelled as a microphone's sound is; the log says what cannot be mended. Raises as `read` does."""
        sound, defect = level_whole(read(path, limit_s=limit_s))
        source = cls(sound, lead_s=lead_s, tail_s=tail_s)
        if defect is not None:
            source.trouble = RECORDED[defect]
            _LOG.warning("%s: %s", path, source.trouble)
        return source

    @property
    def seconds(self) -> float:
        """Length in seconds, with the silence and the last frame's padding."""
        return self._samples.size / SAMPLE_RATE

    def frames(self) -> Iterator[Samples]:
        """Frames of `FRAME` samples; the last is filled up with zeros. A second call goes on where the first ended."""
        while not self._closed and self.position < self._samples.size:
            frame = self._samples[self.position : self.position + FRAME]
            self.position += FRAME
            yield frame

    def close(self) -> None:
        """End `frames`."""
        self._closed = True


class WaveSink:
    """Keeps what is played, at the place where it would have been heard; meets `schemas.ports.AudioSink`."""

    def __init__(self, now: Callable[[], float] = lambda: 0.0) -> None:
        """An empty track.

        Args:
            now: The stream's clock: seconds since it began. Without one all sound is queued from 0 on.
        """
        self._now = now
        self._pieces: list[tuple[int, Samples]] = []
        self._end = 0

    def play(self, samples: Samples) -> float:
        """Queue sound after what is still to be heard; returns seconds until all of it will have been."""
        now = self._now()
        start = max(self._end, round(now * SAMPLE_RATE))
        self._pieces.append((start, samples.copy()))
        self._end = start + samples.size
        return max(0.0, self._end / SAMPLE_RATE - now)

    def stop(self) -> None:
        """Drop what would be heard from now on."""
        now = round(self._now() * SAMPLE_RATE)
        self._pieces = [(start, piece[: now - start]) for start, piece in self._pieces if start < now]
        self._end = min(self._end, now)

    def close(self) -> None:
        """Nothing to release; the track stays."""

    def track(self, seconds: float = 0.0) -> Samples:
        """Everything that was heard, from second 0 of the stream on, silence between; at least `seconds` long."""
        track = np.zeros(max(self._end, round(seconds * SAMPLE_RATE)), np.int16)
        for start, piece in self._pieces:
            track[start : start + piece.size] = piece
        return track


def _convert(path: Path, file: Any, limit_s: float) -> Samples:
    rate, promised = int(file.samplerate), int(file.frames)
    if not _RATES[0] <= rate <= _RATES[1]:
        raise AudioFileError(
            f"sound file {path} says it has {rate} samples a second; its header is damaged, record it again"
        )
    if promised == 0:
        raise AudioFileError(f"sound file {path} has a header but no sound; record it again")
    resampler = soxr.ResampleStream(rate, SAMPLE_RATE, 1, dtype="float32") if rate != SAMPLE_RATE else None
    parts: list[NDArray[np.float32]] = []
    channels = ChannelChoice()
    got = 0
    while len(block := file.read(_BLOCK, dtype="float32", always_2d=True)):
        got += len(block)
        if got > limit_s * rate:
            raise AudioFileError(f"sound file {path} is longer than {limit_s:g} s; cut it or raise the limit")
        if not np.isfinite(block).all():
            raise AudioFileError(f"sound file {path} holds samples that are not numbers; export it again as 16-bit PCM")
        mono = channels.mono(np.clip(block, -LOUDEST, LOUDEST))
        parts.append(mono if resampler is None else resampler.resample_chunk(mono))
    if got < promised < 1 << 62:
        raise AudioFileError(f"sound file {path} is cut short: {got} of {promised} samples; copy or record it again")
    if resampler is not None:
        parts.append(resampler.resample_chunk(np.zeros(0, np.float32), last=True))
    whole = np.concatenate(parts) if parts else np.zeros(0, np.float32)
    if whole.size == 0:
        raise AudioFileError(f"sound file {path} has a header but no sound; record it again")
    return np.clip(np.rint(whole * 32768.0), -32768, 32767).astype(np.int16)


def _check_length(path: Path) -> None:
    """To libsndfile a WAV that was cut short is a shorter one; a voice assistant must not act on half a sentence."""
    with path.open("rb") as file:
        head = file.read(12)
        if len(head) < 12 or head[:4] != b"RIFF" or head[8:] != b"WAVE":
            return
        while len(header := file.read(8)) == 8:
            kind, size = struct.unpack("<4sI", header)
            if kind == b"data":
                there = path.stat().st_size - file.tell()
                if size < _STREAMED and size > there:
                    raise AudioFileError(
                        f"sound file {path} is cut short: its header promises {size} bytes of sound, {there} are "
                        "there; copy or record it again"
                    )
                return
            file.seek(size + size % 2, os.SEEK_CUR)


def _write_error(path: Path, size: int, error: OSError) -> GloveboxError:
    if error.errno in _FULL:
        return StorageFullError(f"no space for {size} bytes of sound at {path}; free some and try again")
    return AudioFileError(
        f"sound file {path} cannot be written: {error.strerror}; check the folder and its permissions"
    )
