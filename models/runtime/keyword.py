"""Runs a keyword network: a stream of samples to a stream of scores. Role-neutral: it knows no wake word and no port.

Owns: loading and checking the file, the feature ring, the network's stride, smoothing. Does not decide anything: threshold
and refractory period belong to who asks.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.runtime import mel
from schemas.errors import EngineMissingError, ModelDamagedError, ModelMissingError

FIELD = 109
"""Frames (1.09 s) that one output of the network sees."""
STRIDE = 4
"""Frames (40 ms) from output to output."""
SMOOTHING = 3
"""Outputs (120 ms) that are averaged into one score."""


def outputs_of(frames: int) -> int:
    """Number of outputs that the network gives for that many frames."""
    return 0 if frames < FIELD else 1 + (frames - FIELD) // STRIDE


def output_positions(first: int, count: int) -> NDArray[np.int64]:
    """Stream positions, in samples, where the outputs `first`, `first` + 1, ... end what they have seen."""
    frames = STRIDE * np.arange(first, first + count, dtype=np.int64) + FIELD - 1
    return frames * mel.HOP + mel.WINDOW


@dataclass(frozen=True)
class Scores:
    """Smoothed scores (0..1) and the stream position of each, in samples since the last reset."""

    values: NDArray[np.float32]
    positions: NDArray[np.int64]


class KeywordNetwork:
    """A keyword network on ONNX Runtime, one thread."""

    def __init__(self, path: Path) -> None:
        """Load and check the file.

        Raises:
            ModelMissingError: No such file.
            ModelDamagedError: Not a network that ONNX Runtime can load, or one for another front end.
            EngineMissingError: ONNX Runtime is not installed.
        """
        try:
            import onnxruntime as ort
        except ImportError as error:
            raise EngineMissingError("onnxruntime is not installed; install it to run keyword networks") from error
        if not path.is_file():
            raise ModelMissingError(
                f"keyword network {path} is missing; restore it or point the configuration at another"
            )
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        try:
            self._session: Any = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # ONNX Runtime's exceptions share no base but Exception
            raise ModelDamagedError(
                f"keyword network {path} ({path.stat().st_size} bytes) cannot be loaded; restore it"
            ) from error
        self.metadata: dict[str, str] = dict(self._session.get_modelmeta().custom_metadata_map)
        front_end = self.metadata.get("front_end")
        if front_end != mel.FRONT_END:
            raise ModelDamagedError(
                f"keyword network {path} was made for the front end {front_end!r}, this is {mel.FRONT_END!r}; train it again"
            )
        self._stream = mel.MelStream()
        self.reset()

    def reset(self) -> None:
        """Forget the stream: positions count from here."""
        self._stream.reset()
        self._frames = np.zeros((0, mel.BANDS), np.float32)
        self._recent = np.zeros(0, np.float32)
        self._outputs = 0

    def process(self, chunk: NDArray[np.int16]) -> Scores:
        """Take mono 16 kHz samples, any number; return the scores they complete, possibly none.

        The first score comes 1.105 s after a reset.
        """
        self._frames = np.concatenate([self._frames, self._stream.process(chunk)])
        count = outputs_of(self._frames.shape[0])
        if count == 0:
            return Scores(np.zeros(0, np.float32), np.zeros(0, np.int64))
        (raw,) = self._session.run(None, {"features": self._frames[None]})
        self._frames = self._frames[count * STRIDE :]
        padded = np.concatenate([self._recent, np.asarray(raw, dtype=np.float32).reshape(-1)])
        missing = SMOOTHING - 1 - self._recent.size
        padded = np.concatenate([np.zeros(missing, np.float32), padded])
        values = np.lib.stride_tricks.sliding_window_view(padded, SMOOTHING).mean(axis=-1, dtype=np.float32)
        self._recent = padded[-(SMOOTHING - 1) :]
        positions = output_positions(self._outputs, count)
        self._outputs += count
        return Scores(values, positions)
