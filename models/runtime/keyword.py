"""Runs a keyword network: a stream of samples to a stream of scores. Role-neutral: it knows no wake word and no port.

Owns: loading and checking the file, the feature ring, the network's stride and its phases, smoothing, and asking a second
network about what the ring still holds. Does not decide anything: thresholds and refractory period belong to who asks.
"""

from __future__ import annotations

import math
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
"""Frames (40 ms) from output to output of one run of the network."""
HOP = 2
"""Frames (20 ms) from score to score: the network runs at two offsets of its stride. With one alone it mattered where
in the 40 ms a word fell (docs/log.md)."""
SMOOTHING = 3
"""Outputs of each offset (120 ms) that are averaged into one score."""
SPAN = 32
"""Frames (0.32 s) by which a check looks back further than its network's field: its score may rise later or sooner than the
first network's."""

SUREST = 8.0
"""Largest logit that counts of one network: no network outvotes the other altogether."""


def outputs_of(frames: int) -> int:
    """Number of outputs that one run of the network gives for that many frames."""
    return 0 if frames < FIELD else 1 + (frames - FIELD) // STRIDE


def output_positions(first: int, count: int, hop: int = STRIDE) -> NDArray[np.int64]:
    """Stream positions, in samples, where the outputs `first`, `first` + 1, ... end what they have seen."""
    frames = hop * np.arange(first, first + count, dtype=np.int64) + FIELD - 1
    return frames * mel.HOP + mel.WINDOW


@dataclass(frozen=True)
class Scores:
    """Smoothed scores (0..1) and the stream position of each, in samples since the last reset."""

    values: NDArray[np.float32]
    positions: NDArray[np.int64]


class KeywordNetwork:
    """A keyword network on ONNX Runtime, one thread, over a stream; with the second network that its file names, if it does.

    A small network listens always and fires easily; where it does, the second (its "check") must find the keyword again in what
    was just heard, at every offset of its stride. It reads the features that are still in the ring and keeps no sound.
    """

    def __init__(self, path: Path, *, alone: bool = False, fires: float | None = None) -> None:
        """Load and check the files.

        Args:
            path: The ONNX file. Its metadata may name a file beside it as "check", and the score from which on that is asked
                as "fires".
            alone: Leave the check out: every score is then the first network's own.
            fires: Score of the first network from which on the check is asked, in place of the file's.

        Raises:
            ModelMissingError: No such file, or its check is not beside it.
            ModelDamagedError: Not a network that ONNX Runtime can load, or one for another front end.
            EngineMissingError: ONNX Runtime is not installed.
        """
        self._session, self.metadata = _loaded(path)
        self._check: Any = None
        if "check" in self.metadata and not alone:
            self._check, _ = _loaded(path.with_name(self.metadata["check"]))
            try:
                self._fires = float(self.metadata["fires"]) if fires is None else fires
            except (KeyError, ValueError) as error:
                raise ModelDamagedError(
                    f"keyword network {path} does not say when its check is asked; restore it"
                ) from error
        self._stream = mel.MelStream()
        self.reset()

    def reset(self) -> None:
        """Forget the stream: positions count from here."""
        self._stream.reset()
        self._frames = np.zeros((0, mel.BANDS), np.float32)
        self._first = 0
        self._recent = np.zeros(0, np.float32)
        self._outputs = 0

    def process(self, chunk: NDArray[np.int16]) -> Scores:
        """Take mono 16 kHz samples, any number; return the scores they complete, possibly none.

        The first score comes 1.105 s after a reset. With a check, it is what both say again where the
        first fires, and 0 elsewhere.
        """
        kept = max(self._first, HOP * self._outputs - SPAN)
        self._frames = np.concatenate([self._frames[kept - self._first :], self._stream.process(chunk)])
        self._first = kept
        raw = _every(self._session, self._frames[HOP * self._outputs - self._first :], HOP)
        if raw.size == 0:
            return Scores(np.zeros(0, np.float32), np.zeros(0, np.int64))
        window = SMOOTHING * STRIDE // HOP
        padded = np.concatenate([np.zeros(window - 1 - self._recent.size, np.float32), self._recent, raw])
        values = np.lib.stride_tricks.sliding_window_view(padded, window).mean(axis=-1, dtype=np.float32)
        self._recent = padded[-(window - 1) :]
        if self._check is not None:
            for index, value in enumerate(values.tolist()):
                end = HOP * (self._outputs + index) + FIELD - self._first
                values[index] = (
                    self._again(self._frames[max(0, end - FIELD - SPAN) : end]) if value >= self._fires else 0.0
                )
        positions = output_positions(self._outputs, raw.size, HOP)
        self._outputs += raw.size
        return Scores(values, positions)

    def _again(self, frames: NDArray[np.float32]) -> float:
        """What both networks say of `frames`, shape (count, 40), at every offset: the mean of the logits of their best scores."""
        window = SMOOTHING * STRIDE
        logits: list[float] = []
        for session in (self._session, self._check):
            raw = _every(session, frames, 1)
            if raw.size < window:
                return 0.0
            best = float(np.lib.stride_tricks.sliding_window_view(raw, window).mean(axis=-1).max())
            logits.append(float(np.clip(np.log(best + 1e-9) - np.log(1.0 + 1e-9 - best), -SUREST, SUREST)))
        return 1.0 / (1.0 + math.exp(-sum(logits) / len(logits)))


def _every(session: Any, frames: NDArray[np.float32], hop: int) -> NDArray[np.float32]:
    """The network's outputs every `hop` frames: runs at STRIDE / hop offsets, put in order."""
    count = 0 if frames.shape[0] < FIELD else 1 + (frames.shape[0] - FIELD) // hop
    values = np.zeros(count, np.float32)
    phases = STRIDE // hop
    for phase in range(min(phases, count)):
        (raw,) = session.run(None, {"features": frames[None, phase * hop :]})
        values[phase::phases] = np.asarray(raw, dtype=np.float32).reshape(-1)
    return values


def _loaded(path: Path) -> tuple[Any, dict[str, str]]:
    """A file's session and metadata, checked."""
    try:
        import onnxruntime as ort
    except ImportError as error:
        raise EngineMissingError("onnxruntime is not installed; install it to run keyword networks") from error
    if not path.is_file():
        raise ModelMissingError(f"keyword network {path} is missing; restore it or point the configuration at another")
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime's exceptions share no base but Exception
        raise ModelDamagedError(
            f"keyword network {path} ({path.stat().st_size} bytes) cannot be loaded; restore it"
        ) from error
    metadata: dict[str, str] = dict(session.get_modelmeta().custom_metadata_map)
    front_end = metadata.get("front_end")
    if front_end != mel.FRONT_END:
        raise ModelDamagedError(
            f"keyword network {path} was made for the front end {front_end!r}, this is {mel.FRONT_END!r}; train it again"
        )
    return session, metadata
