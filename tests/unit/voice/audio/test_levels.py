"""Sound that is too quiet, off the zero line, clipped, in opposite phase or without its upper half."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest
import soxr

from schemas.events import FRAME, SAMPLE_RATE, Samples
from voice.audio.channels import ChannelChoice
from voice.audio.devices.health import Health
from voice.audio.levels import MOST_DB, QUIET_DB, RISE_DB, TARGET_DB, Leveller, level_whole, loudness_db
from voice.audio.wavefile import WaveSource, read, write


def talk(seconds: float, level_db: float = -20.0) -> Samples:
    """Broadband syllables of .2 s with .1 s between them, over a quiet floor: as loud as told, in dB of full scale."""
    drawn = np.random.default_rng(1)
    count = round(seconds * SAMPLE_RATE)
    voiced = (np.arange(count) / SAMPLE_RATE) % 0.3 < 0.2
    sound = drawn.standard_normal(count) * np.where(voiced, 1.0, 0.01)
    return np.rint(np.clip(sound * 32768 * 10 ** (level_db / 20), -32768, 32767)).astype(np.int16)


def stream(sound: Samples, leveller: Leveller | None = None) -> tuple[Samples, Leveller]:
    leveller = leveller or Leveller()
    frames = [leveller.level(sound[at : at + FRAME]) for at in range(0, sound.size - FRAME + 1, FRAME)]
    return np.concatenate(frames), leveller


@pytest.mark.parametrize("level_db", [-14.0, -20.0, -30.0])
def test_sound_at_a_normal_level_passes_sample_for_sample(level_db: float) -> None:
    sound = talk(6.0, level_db)
    out, leveller = stream(sound)
    assert np.array_equal(out, sound[: out.size]) and leveller.defect is None
    assert np.array_equal(level_whole(sound)[0], sound)


def test_quiet_speech_is_raised_slowly_and_a_file_at_once() -> None:
    sound = talk(20.0, -55.0)
    out, _ = stream(sound)
    gain_db = loudness_db(out[-SAMPLE_RATE:]) - loudness_db(sound[-SAMPLE_RATE:])
    assert TARGET_DB + 55.0 - 4.0 < gain_db < MOST_DB + 0.5
    rise = loudness_db(out[SAMPLE_RATE : 2 * SAMPLE_RATE]) - loudness_db(out[:SAMPLE_RATE])
    assert 0.0 < rise < RISE_DB + 1.0
    whole, _ = level_whole(sound)
    assert loudness_db(whole) > QUIET_DB


def test_noise_alone_is_not_raised() -> None:
    noise = np.random.default_rng(2).normal(0, 30, 20 * SAMPLE_RATE).astype(np.int16)
    out, _ = stream(noise)
    assert np.array_equal(out, noise[: out.size])
    assert np.array_equal(level_whole(noise)[0], noise)


def test_a_loud_word_after_quiet_ones_is_not_clipped() -> None:
    _, leveller = stream(talk(15.0, -55.0))
    loud = talk(3.0, -16.0)
    before = int(np.abs(loud.astype(np.int32)).max())
    out, _ = stream(loud, leveller)
    assert int(np.abs(out.astype(np.int32)).max()) <= max(before, 23_000)


def test_an_offset_is_taken_out() -> None:
    sound = (talk(8.0, -30.0).astype(np.int32) + 3000).astype(np.int16)
    out, _ = stream(sound)
    assert abs(float(out[-SAMPLE_RATE:].mean())) < 100.0
    assert abs(float(level_whole(sound)[0].mean())) < 1.0


def test_what_cannot_be_mended_is_named() -> None:
    good = talk(6.0)
    narrow = soxr.resample(soxr.resample(good.astype(np.float32), SAMPLE_RATE, 8000), 8000, SAMPLE_RATE)
    telephone = np.clip(np.rint(narrow), -32768, 32767).astype(np.int16)
    clipped = np.clip(good.astype(np.int32) * 20, -32768, 32767).astype(np.int16)
    for sound, defect in ((good, None), (telephone, "telephone"), (clipped, "clipped")):
        assert stream(sound)[1].defect == defect
        assert level_whole(sound)[1] == defect


def test_a_defect_is_told_once_and_its_end_too(caplog: pytest.LogCaptureFixture) -> None:
    health = Health()
    for _ in range(3):
        health.ill("level", "microphone_telephone")
    health.ill("microphone", "microphone_missing")
    assert health.troubles() == ("microphone_missing", "microphone_telephone")
    health.well("level")
    assert health.troubles() == ("microphone_missing",)
    assert len(caplog.records) == 3 and "sounds like a telephone" in caplog.text


@pytest.mark.parametrize("silent", [0, 1])
def test_a_dead_channel_costs_nothing(silent: int) -> None:
    sound = talk(2.0)
    stereo = np.column_stack([sound, sound])
    stereo[:, silent] = 0
    choice = ChannelChoice()
    heard = np.concatenate([choice.mono(stereo[at : at + FRAME]) for at in range(0, len(stereo), FRAME)])
    assert choice.chosen == 1 - silent and np.array_equal(heard, sound)


def test_opposite_phase_is_not_mixed_to_silence(tmp_path: Path) -> None:
    sound = talk(2.0)
    stereo = np.column_stack([sound, -sound])
    choice = ChannelChoice()
    heard = np.concatenate([choice.mono(stereo[at : at + FRAME]) for at in range(0, len(stereo), FRAME)])
    assert np.array_equal(np.abs(heard), np.abs(sound))
    path = tmp_path / "antiphase.wav"
    write(path, stereo)
    assert loudness_db(read(path)) == pytest.approx(loudness_db(sound), abs=0.01)


def test_channels_that_agree_are_averaged() -> None:
    sound = talk(1.0)
    other = np.roll(sound, 0) // 2
    mixed = ChannelChoice().mono(np.column_stack([sound, other]))
    assert np.abs(mixed - (sound.astype(float) + other) / 2).max() <= 0.5


def test_a_file_that_sounds_like_a_telephone_says_so(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "call.wav"
    write(path, soxr.resample(talk(4.0).astype(np.float32), SAMPLE_RATE, 8000).astype(np.int16), 8000)
    with caplog.at_level(logging.WARNING):
        WaveSource.from_file(path)
    assert "sounds like a telephone" in caplog.text
