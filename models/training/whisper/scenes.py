"""Speech as the recogniser gets it in a car: noise of many kinds, a small room, cut beginnings, silence before and after.

Owns: the scenes of training. The noise is drawn anew each time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from models.acoustics import active_level, enclosure_response, noise_gain, road_noise
from models.training.asr.kitchen_noise import kitchen, talk
from models.training.whisper.speech import Speech

RATE = 16_000
Floats = NDArray[np.float32]

QUIET = 0.2
"""Scenes with nothing but a microphone's floor."""
SNR_DB = (0.0, 25.0)
"""Of the others."""
PIECE_S = 15.0
"""Seconds of a piece of noise."""


def coloured(count: int, rng: np.random.Generator) -> Floats:
    """Noise whose power falls by a random slope, with random wide humps: RMS 1, shape (count,)."""
    size = max(1024, 1 << (count - 1).bit_length())
    hertz = np.fft.rfftfreq(size, 1.0 / RATE)
    power = np.maximum(hertz, rng.uniform(40.0, 120.0)) ** -rng.uniform(0.3, 2.2)
    for _ in range(int(rng.integers(0, 4))):
        middle, width = np.exp(rng.uniform(np.log(150.0), np.log(5000.0))), rng.uniform(0.2, 0.8)
        power = power * (
            1.0 + rng.uniform(0.0, 8.0) * np.exp(-0.5 * (np.log(np.maximum(hertz, 1.0) / middle) / width) ** 2)
        )
    phases = rng.normal(size=hertz.size) + 1j * rng.normal(size=hertz.size)
    noise = np.fft.irfft(phases * np.sqrt(power), size)[:count]
    return np.asarray(noise / np.sqrt(np.mean(noise**2) + 1e-12), np.float32)


def noises(count: int, speech: Speech, rng: np.random.Generator) -> list[Floats]:
    """Pieces of ``PIECE_S`` of noise: coloured, of a road, of a kitchen, of people talking."""
    length = round(PIECE_S * RATE)
    pieces: list[Floats] = []
    for _ in range(count):
        kind = rng.random()
        if kind < 0.5:
            piece = coloured(length, rng)
        elif kind < 0.75:
            road = road_noise(PIECE_S, rng, float(rng.uniform(30.0, 160.0)))
            piece = road + np.float32(10.0 ** (-rng.uniform(25.0, 45.0) / 20.0)) * coloured(length, rng)
        else:
            clips = [speech[int(number)] for number in rng.integers(len(speech), size=12)]
            piece = kitchen(PIECE_S, rng, clips) if kind < 0.85 else np.asarray(talk(length, rng, clips), np.float32)
            piece = piece + np.float32(0.02 * np.std(piece)) * coloured(length, rng)
        pieces.append(np.asarray(piece, np.float32))
    return pieces


def _noise(count: int, pool: list[Floats], rng: np.random.Generator) -> Floats:
    """A part of one of the pieces, shape (count,)."""
    piece = pool[int(rng.integers(len(pool)))]
    return np.resize(np.roll(piece, int(rng.integers(piece.size))), count)


def scene(sound: NDArray[np.int16] | None, pool: list[Floats], rng: np.random.Generator) -> Floats:
    """One utterance as it is handed to the recogniser, float32 of full scale 1; None is an utterance without words."""
    if sound is None:
        noise = _noise(int(rng.integers(RATE // 3, 3 * RATE)), pool, rng)
        level = 10.0 ** (rng.uniform(-60.0, -25.0) / 20.0)
        return np.asarray(noise * level / np.sqrt(np.mean(noise**2) + 1e-12), np.float32)
    wave = sound.astype(np.float32) / np.float32(32768.0)
    if rng.random() < 0.7:  # faster and higher, or slower and lower: other throats
        factor = float(np.exp(rng.uniform(-0.13, 0.13)))
        places = np.arange(0.0, wave.size - 1, factor)
        wave = np.interp(places, np.arange(wave.size), wave).astype(np.float32)
    if rng.random() < 0.25:  # the beginning is cut off
        wave = wave[int(rng.uniform(0.0, 0.07) * RATE) :]
    lead = int(rng.uniform(0.02, 0.45) * RATE)
    tail = int(rng.uniform(0.05, 0.8) * RATE)
    wave = np.pad(wave, (lead, tail))
    if rng.random() < 0.4:
        room = enclosure_response(rng, float(rng.uniform(0.04, 0.3)))
        size = 1 << (wave.size + room.size - 1).bit_length()
        wave = np.fft.irfft(np.fft.rfft(wave, size) * np.fft.rfft(room, size), size)[: wave.size].astype(np.float32)
    if rng.random() < 0.5:  # a microphone's colour
        size = 1 << (wave.size - 1).bit_length()
        hertz = np.fft.rfftfreq(size, 1.0 / RATE)
        tilt = (np.maximum(hertz, 60.0) / 1000.0) ** rng.uniform(-0.4, 0.4)
        wave = np.fft.irfft(np.fft.rfft(wave, size) * tilt, size)[: wave.size].astype(np.float32)
    level = active_level(wave)
    if level <= 0.0:
        return wave
    wave = wave * np.float32(10.0 ** (rng.uniform(-32.0, -14.0) / 20.0) / level)
    wave += rng.standard_normal(wave.size).astype(np.float32) * np.float32(10.0 ** (rng.uniform(-80.0, -60.0) / 20.0))
    if rng.random() >= QUIET:
        noise = _noise(wave.size, pool, rng)
        wave += noise * np.float32(noise_gain(active_level(wave), noise, float(rng.uniform(*SNR_DB))))
    return np.clip(wave, -1.0, 1.0)
