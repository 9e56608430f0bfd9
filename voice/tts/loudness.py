"""How loud a voice is, and where its sound begins and ends.

Owns: one level for every voice, so that nothing jumps when another one takes over, and silence that does no work. Chimes lie 3 dB
below it (`voice.audio.earcon`). Measured in docs/log.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schemas.events import SAMPLE_RATE, Samples

LEVEL_DB = -20.0
"""RMS of what is voiced, in dB of full scale: what espeak-ng gives at its amplitude of 100 (-19.2 to -20.3 for four replies)."""
_FRAME = SAMPLE_RATE // 50
"""20 ms, of which one counts as voiced with a tenth of the loudest one's RMS."""
_MOST_DB = 20.0
"""A sound is raised by so much at most: noise stays noise."""
_KNEE, _TOP = 0.6, 0.95
"""Peaks above the knee are bent so that none passes the top; of full scale."""
_AUDIBLE = 0.004
"""Of the loudest sample: below it, a voice has not begun or is over."""
_BEFORE_S = 0.01
_AFTER_S = {",": 0.12, ";": 0.16, ":": 0.16, "–": 0.16}
_AFTER_END_S = 0.2
"""Silence left after a clause and after a sentence, where another may follow. Joe leaves .10 to .26 s after a sentence."""


def levelled(sound: Samples) -> Samples:
    """The sound at the common level, peaks limited."""
    wave = sound.astype(np.float64) / 32768.0
    loudness = voiced_db(wave)
    if loudness is None:
        return sound
    wave *= 10.0 ** (min(LEVEL_DB - loudness, _MOST_DB) / 20.0)
    size = np.abs(wave)
    bent = _KNEE + (_TOP - _KNEE) * np.tanh((size - _KNEE) / (_TOP - _KNEE))
    return np.rint(np.where(size > _KNEE, np.sign(wave) * bent, wave) * 32767.0).astype(np.int16)


def voiced_db(wave: NDArray[np.float64]) -> float | None:
    """RMS of the voiced frames of a sound of full scale 1, in dB; None for silence."""
    count = max(1, len(wave) // _FRAME)
    power = np.array([np.mean(frame**2) if len(frame) else 0.0 for frame in np.array_split(wave, count)])
    if power.max(initial=0.0) < 1e-9:
        return None
    return float(10.0 * np.log10(power[power > 0.01 * power.max()].mean()))


def trimmed(sound: Samples, *, ends: str) -> Samples:
    """The sound without silence before it, and with as much after it as fits the character that its text ends with."""
    size = np.abs(sound.astype(np.int32))
    heard = np.flatnonzero(size > _AUDIBLE * size.max(initial=0))
    if not heard.size or size.max() == 0:
        return sound[:0]
    begin = max(0, int(heard[0]) - round(_BEFORE_S * SAMPLE_RATE))
    end = int(heard[-1]) + 1 + round(_AFTER_S.get(ends, _AFTER_END_S) * SAMPLE_RATE)
    return np.concatenate([sound[begin:end], np.zeros(max(0, end - len(sound)), np.int16)])
