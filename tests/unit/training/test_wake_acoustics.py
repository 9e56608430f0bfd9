"""The synthetic cabin noise and the mixing that training, tests and the demonstration drive share."""

from __future__ import annotations

import math

import numpy as np
import pytest

from models import acoustics


def rms(samples: acoustics.Samples) -> float:
    return math.sqrt(float(np.mean(samples.astype(np.float64) ** 2)))


def tone(seconds: float, level: float) -> acoustics.Samples:
    times = np.arange(round(seconds * acoustics.SAMPLE_RATE)) / acoustics.SAMPLE_RATE
    return (level * math.sqrt(2.0) * np.sin(2.0 * np.pi * 500.0 * times)).astype(np.float32)


def test_same_seed_same_noise() -> None:
    first, second, other = (acoustics.road_noise(1.5, np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert first.dtype == np.float32 and first.shape == (24_000,)
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)


def test_noise_grows_with_speed() -> None:
    levels = [
        rms(acoustics.road_noise(5.0, np.random.default_rng(1), speed)) for speed in (0.0, 30.0, 60.0, 100.0, 140.0)
    ]
    assert levels == sorted(levels)
    assert 20.0 * math.log10(levels[3]) == pytest.approx(-32.0, abs=3.0)


def test_engine_adds_its_firing_frequency() -> None:
    noise = acoustics.road_noise(8.0, np.random.default_rng(2), speed_kmh=0.0, rpm=3000.0)
    power = np.abs(np.fft.rfft(noise)) ** 2
    peak = float(np.fft.rfftfreq(noise.size, 1.0 / acoustics.SAMPLE_RATE)[int(np.argmax(power))])
    assert peak == pytest.approx(100.0, rel=0.05)  # two firings a revolution at 50 revolutions a second


@pytest.mark.parametrize(("seconds", "speed", "rpm"), [(0.0, 50.0, 0.0), (1.0, -1.0, 0.0), (1.0, 50.0, 9000.0)])
def test_out_of_range_is_refused(seconds: float, speed: float, rpm: float) -> None:
    with pytest.raises(ValueError, match="got"):
        acoustics.road_noise(seconds, np.random.default_rng(0), speed, rpm)


@pytest.mark.parametrize("snr_db", [-5.0, 0.0, 15.0])
def test_mixture_has_the_ratio_asked_for(snr_db: float) -> None:
    speech = tone(1.0, 0.1)
    noise = acoustics.road_noise(2.0, np.random.default_rng(5))
    mixed = acoustics.mix_at_snr(speech, noise, snr_db)
    assert 20.0 * math.log10(rms(speech) / rms((mixed - speech).astype(np.float32))) == pytest.approx(snr_db, abs=0.05)


def test_loud_mixture_is_turned_down_whole() -> None:
    mixed = acoustics.mix_at_snr(tone(1.0, 0.6), acoustics.road_noise(1.0, np.random.default_rng(5)), 0.0)
    assert float(np.abs(mixed).max()) == pytest.approx(0.99, abs=1e-4)


def test_pauses_do_not_count_as_speech() -> None:
    speech = tone(1.0, 0.1)
    padded = np.concatenate([np.zeros(32_000, np.float32), speech, np.zeros(32_000, np.float32)])
    assert acoustics.active_level(padded) == pytest.approx(acoustics.active_level(speech), rel=0.02)


def test_silence_and_short_noise_are_refused() -> None:
    noise = acoustics.road_noise(0.5, np.random.default_rng(5))
    with pytest.raises(ValueError, match="above silence"):
        acoustics.mix_at_snr(np.zeros(1000, np.float32), noise, 10.0)
    with pytest.raises(ValueError, match="fewer"):
        acoustics.mix_at_snr(tone(1.0, 0.1), noise, 10.0)


def test_enclosure_keeps_energy_and_onset() -> None:
    response = acoustics.enclosure_response(np.random.default_rng(7), 0.08)
    assert float(np.sum(response**2)) == pytest.approx(1.0, abs=1e-4)
    assert int(np.argmax(np.abs(response))) == 0
    click = np.zeros(4000, np.float32)
    click[100] = 1.0
    assert np.allclose(acoustics.convolve(click, response)[100 : 100 + response.size], response, atol=1e-5)
