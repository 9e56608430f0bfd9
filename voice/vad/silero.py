"""Silero VAD on ONNX Runtime.

Owns: the network's state and the samples that each frame needs of the one before. Does not own the decision where
speech begins and ends (`voice.vad.endpoint`) nor where the weights lie (the caller's path; see models/builtin/vad/CARD.md).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.errors import EngineMissingError, ModelDamagedError, ModelMissingError
from schemas.events import FRAME, Samples

CONTEXT = 64
"""Samples of the frame before that Silero v5 and v6 want in front of each frame at 16 kHz (a constant of their wrapper)."""
_STATE = (1, 1, 128)
"""Shape of each half of the LSTM's state."""


class SileroVad:
    """Probability of speech, frame by frame; meets `schemas.ports.Vad`. One thread."""

    def __init__(self, path: Path) -> None:
        """Load the network.

        Args:
            path: Silero's ONNX file for 16 kHz in its "sequence" form: inputs `input` (n, 576), `h` and `c`.

        Raises:
            ModelMissingError: No such file.
            ModelDamagedError: Not a network that ONNX Runtime can load, or one of another form.
            EngineMissingError: ONNX Runtime is not installed.
        """
        try:
            import onnxruntime as ort
        except ImportError as error:
            raise EngineMissingError("onnxruntime is not installed; install it to tell speech from noise") from error
        if not path.is_file():
            raise ModelMissingError(f"VAD network {path} is missing; restore it or point the configuration at another")
        options: Any = ort.SessionOptions()  # pyright: ignore[reportUnknownMemberType]  the package has no types
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        try:
            self._session: Any = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # ONNX Runtime's exceptions share no base but Exception
            size = path.stat().st_size
            raise ModelDamagedError(f"VAD network {path} ({size} bytes) cannot be loaded; restore it") from error
        shapes = {entry.name: list(entry.shape) for entry in self._session.get_inputs()}
        if list(shapes) != ["input", "h", "c"] or shapes["input"][1] != CONTEXT + FRAME:
            raise ModelDamagedError(
                f"VAD network {path} takes {shapes}, not 16 kHz frames of {FRAME} samples with a context of {CONTEXT} "
                "and a state h, c; use silero_vad_16k_sequence.onnx"
            )
        self.reset()

    def reset(self) -> None:
        """Forget the stream so far."""
        self._h: NDArray[np.float32] = np.zeros(_STATE, np.float32)
        self._c: NDArray[np.float32] = np.zeros(_STATE, np.float32)
        self._window: NDArray[np.float32] = np.zeros((1, CONTEXT + FRAME), np.float32)

    def process(self, frame: Samples) -> float:
        """Probability (0..1) that this frame of `FRAME` samples holds speech.

        Raises:
            ValueError: Another number of samples.
        """
        if frame.shape != (FRAME,):
            raise ValueError(f"Silero VAD takes frames of {FRAME} samples, got shape {frame.shape}")
        self._window[0, :CONTEXT] = self._window[0, -CONTEXT:]
        self._window[0, CONTEXT:] = frame / np.float32(32768.0)
        probability, self._h, self._c = self._session.run(None, {"input": self._window, "h": self._h, "c": self._c})
        return float(probability[0])
