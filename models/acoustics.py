"""Synthetic sound of a moving car, and mixing at a stated signal-to-noise ratio.

Owns: road, wind and engine noise made from numbers; the active level of speech; mixing; a small enclosure's
reverberation. Needs NumPy only and is a function of the random generator it is given, so that training, tests and the
demonstration drive hear the same noise for the same seed. Does not own recordings, voices or files.

What the noise is *not*: a recording. Its ingredients and their growth with speed follow what is commonly written of
cabin noise (tyre and road 30 to 40 dB per decade of speed, wind about 60), with shapes chosen by us. Figures measured in it
say how a part behaves in this noise, not in any one car.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.float32]
_Shape = Callable[[NDArray[np.float64]], NDArray[np.float64]]

SAMPLE_RATE = 16_000
"""Hz, of every array in this module."""

REFERENCE_SPEED_KMH = 100.0
REFERENCE_RMS = 10.0 ** (-32.0 / 20.0)
"""Overall level of `road_noise` at the reference speed: -32 dBFS, about 15 dB under speech that averages -17 dBFS."""

_FRAME = 320
"""Samples (20 ms) of one level frame."""
_ACTIVE_RANGE_DB = 20.0
"""A frame counts as speech when it is at most this far under the loud frames; ITU-T P.56 uses a margin of 15.9 dB under
the active level, and the loud frames lie about 5 dB above that level."""


def road_noise(seconds: float, rng: np.random.Generator, speed_kmh: float = 100.0, rpm: float = 2200.0) -> Samples:
    """Noise in a cabin as a microphone with the usual 80 Hz high-pass hears it.

    Tyre rumble and hiss, wind with gusts, the road's unevenness, now and then an expansion joint, and a four-cylinder
    engine's harmonics. The car stands at `speed_kmh` 0 (engine alone) and coasts at `rpm` 0 (no engine).

    Args:
        seconds: Duration, above 0.
        rng: Source of all randomness; the same state gives the same noise.
        speed_kmh: 0 to 250.
        rpm: Engine speed in revolutions a minute, 0 to 8000.

    Returns:
        Mono samples at 16 kHz, shape (round(seconds * 16000),), RMS about -32 dBFS at 100 km/h, less when slower.

    Raises:
        ValueError: An argument out of range.
    """
    if not seconds > 0.0 or not 0.0 <= speed_kmh <= 250.0 or not 0.0 <= rpm <= 8000.0:
        raise ValueError(
            f"road noise needs seconds > 0, speed 0..250 km/h, rpm 0..8000; got {seconds}, {speed_kmh}, {rpm}"
        )
    count = max(1, round(seconds * SAMPLE_RATE))
    relative = max(speed_kmh, 1.0) / REFERENCE_SPEED_KMH
    surface = rng.uniform(-3.0, 3.0)  # dB: smooth asphalt to coarse concrete
    tilt = rng.uniform(-1.5, 1.5)  # dB an octave, around each shape
    # Weights at 100 km/h sum to one in power; rumble carries most of it, as in every cabin.
    rumble = _shaped(count, rng, lambda f: (1.0 + (f / 110.0) ** 2) ** -1.75, tilt)
    hiss = _shaped(count, rng, lambda f: _hump(f, 500.0, 0.9) + 0.02 * _hump(f, 2500.0, 0.9), tilt)
    wind = _shaped(count, rng, lambda f: (1.0 + (f / 250.0) ** 2) ** -1.25, tilt)
    rumble *= 0.85 * relative**1.5 * _slow(count, rng, 2.0, 2.0)
    hiss *= 0.35 * relative**1.75 * 10.0 ** (surface / 20.0) * _slow(count, rng, 1.0, 1.5)
    wind *= 0.40 * relative**3.0 * _slow(count, rng, 0.5, 4.0)
    noise = rumble + hiss + wind
    if speed_kmh > 5.0:
        noise += _joints(count, rng, speed_kmh) * relative**1.5
    if rpm > 0.0:
        noise += 0.22 * (rpm / 2200.0) * _engine(count, rng, rpm)
    return np.asarray(noise * REFERENCE_RMS, dtype=np.float32)


def active_level(speech: Samples) -> float:
    """RMS of the parts of `speech` that hold speech, pauses left out (after the idea of ITU-T P.56, simplified).

    Returns:
        Linear RMS, 0.0 for silence or an empty array.
    """
    samples = speech.astype(np.float64)
    if samples.size == 0:
        return 0.0
    padded = np.pad(samples, (0, -samples.size % _FRAME))
    power = np.mean(padded.reshape(-1, _FRAME) ** 2, axis=1)
    loud = float(np.percentile(power, 95))
    if loud <= 0.0:
        loud = float(power.max())
    if loud <= 0.0:
        return 0.0
    active = power[power >= loud * 10.0 ** (-_ACTIVE_RANGE_DB / 10.0)]
    return math.sqrt(float(active.mean()))


def noise_gain(speech_level: float, noise: Samples, snr_db: float) -> float:
    """Factor for `noise` that puts it `snr_db` under a speech of RMS `speech_level`; unweighted, whole band.

    Raises:
        ValueError: The speech level is not positive or the noise is silent.
    """
    level = math.sqrt(float(np.mean(noise.astype(np.float64) ** 2))) if noise.size else 0.0
    if not speech_level > 0.0 or not level > 0.0:
        raise ValueError(f"a ratio needs speech and noise above silence; got levels {speech_level} and {level}")
    return speech_level / level * 10.0 ** (-snr_db / 20.0)


def mix_at_snr(speech: Samples, noise: Samples, snr_db: float) -> Samples:
    """Add noise under speech so that active speech level over noise RMS is `snr_db`.

    The noise's first `len(speech)` samples are used. The speech keeps its level unless the sum would clip; then the whole
    sum is turned down to a peak of 0.99, which leaves the ratio as it was.

    Returns:
        Shape of `speech`, float32 within [-0.99, 0.99] wherever the sum had to be turned down.

    Raises:
        ValueError: The noise is shorter than the speech, or either is silent.
    """
    if noise.size < speech.size:
        raise ValueError(f"the noise has {noise.size} samples, fewer than the speech's {speech.size}; make it longer")
    under = noise[: speech.size]
    mixed = speech + np.float32(noise_gain(active_level(speech), under, snr_db)) * under
    peak = float(np.abs(mixed).max())
    return np.asarray(mixed * (0.99 / peak) if peak > 0.99 else mixed, dtype=np.float32)


def enclosure_response(rng: np.random.Generator, rt60: float) -> Samples:
    """A made-up impulse response: direct sound, then noise decaying by 60 dB in `rt60` seconds.

    A car cabin lies near 0.05 to 0.1 s, a living room near 0.4 s. Direct-to-reverberant ratio 0 to 12 dB at random.

    Returns:
        Unit-energy impulse response at 16 kHz, its direct sound at index 0.

    Raises:
        ValueError: `rt60` outside 0.02..2 s.
    """
    if not 0.02 <= rt60 <= 2.0:
        raise ValueError(f"rt60 must lie within 0.02..2 s; got {rt60}")
    count = round(rt60 * SAMPLE_RATE)
    times = np.arange(count) / SAMPLE_RATE
    tail = rng.standard_normal(count) * 10.0 ** (-3.0 * times / rt60)
    tail[: SAMPLE_RATE // 1000] = 0.0  # first reflection 1 ms after the direct sound: 34 cm
    energy = float(np.sum(tail**2))
    response = tail / math.sqrt(energy) * 10.0 ** (-rng.uniform(0.0, 12.0) / 20.0)
    response[0] = 1.0
    return np.asarray(response / math.sqrt(float(np.sum(response**2))), dtype=np.float32)


def convolve(samples: Samples, response: Samples) -> Samples:
    """`samples` through `response`, cut to the length of `samples`."""
    size = 1 << (samples.size + response.size - 2).bit_length() if samples.size + response.size > 2 else 2
    product = np.fft.rfft(samples, size) * np.fft.rfft(response, size)
    return np.asarray(np.fft.irfft(product, size)[: samples.size], dtype=np.float32)


def _hump(frequency: NDArray[np.float64], centre: float, octaves: float) -> NDArray[np.float64]:
    """A bell of unit height over log-frequency, `octaves` wide (standard deviation)."""
    return np.exp(-0.5 * (np.log2(np.maximum(frequency, 1.0) / centre) / octaves) ** 2)


def _shaped(count: int, rng: np.random.Generator, shape: _Shape, tilt_db: float) -> NDArray[np.float64]:
    """White noise given a power `shape` over frequency, tilted, high-passed at 80 Hz, RMS 1."""
    size = count + (-count % 2) or 2
    frequency = np.asarray(np.fft.rfftfreq(size, 1.0 / SAMPLE_RATE), dtype=np.float64)
    octaves = np.log2(np.maximum(frequency, 20.0) / 500.0)
    highpass = frequency**4 / (frequency**4 + 80.0**4)  # second-order, in power
    power = shape(frequency) * 10.0 ** (tilt_db * octaves / 10.0) * highpass
    spectrum = np.fft.rfft(rng.standard_normal(size)) * np.sqrt(power)
    noise = np.fft.irfft(spectrum, size)[:count]
    return noise / max(float(np.sqrt(np.mean(noise**2))), 1e-12)


def _slow(count: int, rng: np.random.Generator, hertz: float, spread_db: float) -> NDArray[np.float64]:
    """A gain that wanders by `spread_db` (standard deviation) at about `hertz`: gusts, patches of the road."""
    knots = max(2, int(count / SAMPLE_RATE * hertz) + 2)
    level = rng.normal(0.0, spread_db, knots)
    return 10.0 ** (np.interp(np.linspace(0.0, knots - 1.0, count), np.arange(knots), level) / 20.0)


def _joints(count: int, rng: np.random.Generator, speed_kmh: float) -> NDArray[np.float64]:
    """Expansion joints: a thump for the front axle and one for the rear, on average every six seconds."""
    noise = np.zeros(count)
    length = SAMPLE_RATE // 10
    decay = np.exp(-np.arange(length) / (0.018 * SAMPLE_RATE))
    axle = round(2.7 / (speed_kmh / 3.6) * SAMPLE_RATE)  # wheelbase 2.7 m
    for start in rng.integers(0, count, rng.poisson(count / SAMPLE_RATE / 6.0)):
        thump = decay * np.sin(2.0 * np.pi * rng.uniform(60.0, 140.0) * np.arange(length) / SAMPLE_RATE)
        thump += 0.4 * decay**3 * rng.standard_normal(length)
        for place in (int(start), int(start) + axle):
            end = min(place + length, count)
            if place < count:
                noise[place:end] += rng.uniform(1.0, 3.0) * thump[: end - place]
    return noise


def _engine(count: int, rng: np.random.Generator, rpm: float) -> NDArray[np.float64]:
    """Harmonics of a four-stroke, four-cylinder engine: firing at twice the crank's speed, half orders between; RMS 1."""
    crank = rpm / 60.0 * _slow(count, rng, 0.7, 0.15)  # +-2 % wandering
    phase = 2.0 * np.pi * np.cumsum(crank) / SAMPLE_RATE
    noise = np.zeros(count)
    for order in np.arange(0.5, 12.5, 0.5):
        if order * rpm / 60.0 > 1500.0:
            break
        hertz = order * rpm / 60.0
        firing = (1.0 if order % 2.0 == 0.0 else 0.25) * hertz**2 / math.hypot(hertz**2, 80.0**2)
        noise += firing * rng.uniform(0.4, 1.0) / order**0.8 * np.sin(order * phase + rng.uniform(0.0, 2.0 * np.pi))
    return noise / max(float(np.sqrt(np.mean(noise**2))), 1e-12)
