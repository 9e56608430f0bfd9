"""A small recurrent network between noisy and clean cepstra, for a recogniser whose acoustic model knows little noise.

Owns: what the network is shown, running it frame by frame in NumPy, its file, and the stream from samples to cepstra with
or without it. Does not own the front end (``models.runtime.cepstra``) nor training (``models.training.asr.denoise``). The
network hears ``AHEAD`` frames more than it answers for, so its cepstra come that much later.
"""

from __future__ import annotations

import math
from collections import deque
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from models.runtime import cepstra
from schemas.errors import ModelDamagedError, ModelMissingError

Floats = NDArray[np.float32]

AHEAD = 6
"""Frames (10 ms) that the network hears before it answers."""
_LEVEL, _SPREAD = np.float32(14.0), np.float32(4.0)
"""Mean and spread of the log energies of speech at 16-bit scale, roughly: what the network is shown lies around 0."""
_QUIETEST = np.float32(1.0)
"""Added to energies before the logarithm, so that digital silence stays finite."""
MOMENT = 8
"""Frames over which loudness is averaged."""
QUIETEST_MOMENT = 1e3
"""Added to the energy of every moment, so that digital silence stays finite."""
QUIET_FROM, NOISY_TO = 38.0, 28.0
"""Decibels of the loudest over the quietest moment: from the first on an utterance counts as quiet and its cepstra stay as they
are, up to the second the network's answer counts whole. Half a second after the pre-roll's start, recorded orders to a coffee
machine (a third of them) have 36 to 59 dB (p5 to p95), in kitchen noise at 10 dB 10 to 25 dB, on the road at 10 dB 13 to 25 dB."""
NAMES = ("enter", "enter_bias", "input", "recur", "input_bias", "recur_bias", "input_2", "recur_2", "input_bias_2",
         "recur_bias_2", "leave", "leave_bias")  # fmt: skip
"""Arrays of the file."""


def shown(power: cepstra.Doubles, cleaned: cepstra.Doubles) -> Floats:
    """What the network is shown of a frame: energies (..., 25), and those after the engine's noise removal; (..., 50)."""
    both = np.concatenate([power, cleaned], axis=-1).astype(np.float32)
    return (np.log(both + _QUIETEST) - _LEVEL) / _SPREAD


class Denoiser:
    """The network on one stream; ``reset`` begins the next."""

    def __init__(self, path: Path) -> None:
        """Load the network.

        Args:
            path: the ``.npz`` that ``models.training.asr.denoise`` writes.

        Raises:
            schemas.errors.ModelMissingError: no such file.
            schemas.errors.ModelDamagedError: it is not such a file.
        """
        if not path.is_file():
            raise ModelMissingError(f"{path} is missing; make it with python -m models.training.asr.denoise")
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
                self._weights: dict[str, Floats] = {name: stored[name].astype(np.float32) for name in NAMES}
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            raise ModelDamagedError(f"{path} is no network for noise; restore it or train it again") from error
        if self._weights["enter"].shape[0] != 2 * cepstra.BANDS:
            raise ModelDamagedError(f"{path} belongs to another front end; train it again")
        self.reset()

    def reset(self) -> None:
        """Begin a stream."""
        size = self._weights["recur"].shape[0]
        self._states = [np.zeros(size, np.float32), np.zeros(size, np.float32)]

    def step(self, frame: Floats) -> cepstra.Doubles:
        """What is shown of the next frame, (50,), to what the cepstra of the frame ``AHEAD`` before it lack, (13,)."""
        weights = self._weights
        signal = np.tanh(frame @ weights["enter"] + weights["enter_bias"])
        first = self._recurrent(0, "", signal)
        second = self._recurrent(1, "_2", first)
        answer = np.concatenate([first, second]) @ weights["leave"] + weights["leave_bias"]
        return answer.astype(np.float64)

    def _recurrent(self, layer: int, suffix: str, signal: Floats) -> Floats:
        """A gated recurrent unit as PyTorch has it (gates in the order reset, update, new)."""
        weights, state = self._weights, self._states[layer]
        size = state.size
        given = signal @ weights["input" + suffix] + weights["input_bias" + suffix]
        kept = state @ weights["recur" + suffix] + weights["recur_bias" + suffix]
        gates = 1.0 / (1.0 + np.exp(-np.clip(given[: 2 * size] + kept[: 2 * size], -30.0, 30.0)))
        fresh = np.tanh(given[2 * size :] + gates[:size] * kept[2 * size :])
        updated: Floats = (fresh + gates[size:] * (state - fresh)).astype(np.float32)
        self._states[layer] = updated
        return updated


class Loudness:
    """How far the loudest moment of an utterance so far stands over its quietest: what tells noise from quiet."""

    def __init__(self) -> None:
        """Begin an utterance."""
        self._recent: deque[float] = deque(maxlen=MOMENT)
        self._lowest, self._highest = math.inf, 0.0

    def step(self, power: cepstra.Doubles) -> float:
        """The next frame's mel energies, (25,); gives decibels, 0 at the start."""
        self._recent.append(float(power.sum()))
        if len(self._recent) == MOMENT:
            level = sum(self._recent) / MOMENT + QUIETEST_MOMENT
            self._lowest, self._highest = min(self._lowest, level), max(self._highest, level)
        return 10.0 * math.log10(self._highest / self._lowest) if self._highest > 0.0 else 0.0


def share_at(decibels: float) -> float:
    """How much of the network's answer counts, 0 to 1, where an utterance stands so far over its quietest moment."""
    return min(1.0, max(0.0, (QUIET_FROM - decibels) / (QUIET_FROM - NOISY_TO)))


class CepstralStream:
    """Samples in chunks of any size to the cepstra of one utterance, without its noise where there is noise and a network."""

    def __init__(self, denoiser: Denoiser | None) -> None:
        """Start with the first utterance.

        Args:
            denoiser: takes the noise out; None for cepstra as the engine's own front end gives them.
        """
        self._denoiser = denoiser
        self.reset()

    def reset(self) -> None:
        """Begin an utterance."""
        self._mel = cepstra.MelPowerStream()
        self._removal = cepstra.NoiseRemoval()
        self._loudness = Loudness()
        self._share = 1.0
        self._waiting: deque[cepstra.Doubles] = deque()
        self._before = 0
        self._last = np.zeros(2 * cepstra.BANDS, np.float32)
        if self._denoiser is not None:
            self._denoiser.reset()

    def warm(self, samples: NDArray[np.int16]) -> None:
        """What was heard before the utterance: it gives no cepstra, but shows the noise. Right after `reset`."""
        self.push(samples)
        self._before = len(self._waiting)

    def push(self, samples: NDArray[np.int16]) -> Floats:
        """The next samples; gives the cepstra that are known now, (frames, 13)."""
        found: list[cepstra.Doubles] = []
        for power in self._mel.push(samples):
            cleaned = self._removal.step(power)
            self._waiting.append(cepstra.cepstra(cleaned))
            if self._denoiser is None:
                found.append(self._waiting.popleft())
                continue
            self._last = shown(power, cleaned)
            self._share = share_at(self._loudness.step(power))
            change = self._denoiser.step(self._last)
            if len(self._waiting) > AHEAD:
                self._give(found, self._share * change)
        return _rows(found)

    def rest(self) -> Floats:
        """What is still owed at the end of the utterance, (frames, 13): its last frame is repeated for the network."""
        found: list[cepstra.Doubles] = []
        while self._waiting and self._denoiser is not None:
            self._give(found, self._share * self._denoiser.step(self._last))
        return _rows(found)

    def _give(self, found: list[cepstra.Doubles], change: cepstra.Doubles) -> None:
        """The next frame that waits, changed, unless it is from before the utterance."""
        frame = self._waiting.popleft()
        if self._before:
            self._before -= 1
        else:
            found.append(frame + change)


def _rows(found: list[cepstra.Doubles]) -> Floats:
    return np.asarray(found, dtype=np.float32).reshape(len(found), cepstra.COEFFICIENTS)
