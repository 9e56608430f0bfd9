"""VAD and endpointer together, on espeak-ng voices in synthetic cabin noise and, where they are at hand, on real voices.

`python -m tests.audio.test_vad_in_noise` prints the figures.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from models.acoustics import mix_at_snr, road_noise
from schemas.events import FRAME, SAMPLE_RATE, Samples
from voice.audio.wavefile import read
from voice.settings import EndpointSettings
from voice.tts.espeak import EspeakSettings, EspeakSynthesizer
from voice.vad.endpoint import Endpointer, EndpointEvent, NoSpeech, SpeechEnded, SpeechStarted
from voice.vad.silero import SileroVad

WEIGHTS = Path(__file__).parents[2] / "models" / "builtin" / "vad" / "silero.onnx"
DATA = Path(os.environ.get("GLOVEBOX_DATA", Path(__file__).parents[3] / "shared" / "data"))

VOICES = ("en-us", "en-us+f2", "en-gb+m3", "en-gb+f4")
SENTENCES = ("turn on the seat heating", "set the temperature to twenty one degrees", "open the window a little please")
WORDS = ("no", "yes", "stop")
LEAD, TAIL = 1.37, 1.5
"""Seconds before and after; the first is no whole number of frames."""


@cache
def vad() -> SileroVad:
    return SileroVad(WEIGHTS)


@cache
def voice(name: str, text: str, speed: int = 165) -> Samples:
    """A clip without the silence around it: cut 40 dB under its peak."""
    settings = EspeakSettings(voice=name, speed=speed)
    sound = np.concatenate(list(EspeakSynthesizer(settings).synthesize(text)))
    loud = np.flatnonzero(np.abs(sound.astype(np.int32)) > 0.01 * np.abs(sound.astype(np.int32)).max())
    return sound[loud[0] : loud[-1] + 1]


def scene(clip: Samples, snr_db: float | None, seed: int, speed_kmh: float = 100.0) -> Samples:
    """The clip in the middle of noise; None for none."""
    lead, tail = (np.zeros(round(seconds * SAMPLE_RATE), np.float32) for seconds in (LEAD, TAIL))
    whole = np.concatenate([lead, clip.astype(np.float32) / 32768.0, tail])
    if snr_db is not None:
        rng = np.random.default_rng(seed)
        whole = mix_at_snr(whole, road_noise(whole.size / SAMPLE_RATE, rng, speed_kmh), snr_db)
    return np.rint(whole * 32767.0).astype(np.int16)


def endpoints(samples: Samples, settings: EndpointSettings | None = None) -> list[EndpointEvent]:
    endpointer = Endpointer(settings)
    vad().reset()
    told = (
        endpointer.process(vad().process(samples[start : start + FRAME]))
        for start in range(0, samples.size - FRAME + 1, FRAME)
    )
    return [event for event in told if event is not None and not isinstance(event, NoSpeech)]


def edge_errors(clip: Samples, samples: Samples) -> tuple[float, float] | None:
    """(beginning, end) in seconds, positive for late; None where there is not exactly one utterance."""
    match endpoints(samples):
        case [SpeechStarted(began), SpeechEnded(ended, "silence")]:
            return began / SAMPLE_RATE - LEAD, ended / SAMPLE_RATE - LEAD - clip.size / SAMPLE_RATE
        case _:
            return None


@pytest.mark.parametrize("text", SENTENCES)
@pytest.mark.parametrize("name", VOICES)
def test_a_sentence_at_15_db_is_one_utterance_near_its_edges(name: str, text: str) -> None:
    clip = voice(name, text)
    errors = edge_errors(clip, scene(clip, 15.0, seed=len(text)))
    assert errors is not None
    begin, end = errors
    assert -0.10 < begin < 0.15
    assert -0.10 < end < 0.25


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("name", VOICES)
@pytest.mark.parametrize("snr_db", [None, 15.0, 5.0])
def test_one_word_is_not_lost(name: str, word: str, snr_db: float | None) -> None:
    clip = voice(name, word, 260)
    assert clip.size < 0.35 * SAMPLE_RATE
    events = endpoints(scene(clip, snr_db, seed=len(name)))
    assert [type(event) for event in events[:2]] == [SpeechStarted, SpeechEnded]
    assert -0.1 < events[0].sample / SAMPLE_RATE - LEAD < 0.15


@pytest.mark.parametrize("speed_kmh", [0.0, 50.0, 100.0, 130.0])
def test_thirty_seconds_of_the_road_are_no_speech(speed_kmh: float) -> None:
    noise = road_noise(30.0, np.random.default_rng(round(speed_kmh)), speed_kmh)
    loud = noise * np.float32(0.1 / np.sqrt(np.mean(noise**2)))  # -20 dBFS, as loud as a voice
    for sound in (noise, loud) if speed_kmh == 100.0 else (loud,):
        assert endpoints(np.rint(np.clip(sound, -1.0, 1.0) * 32767.0).astype(np.int16)) == []


def test_a_voice_that_never_stops_is_capped() -> None:
    clip = np.tile(voice("en-us", SENTENCES[1]), 9)
    match endpoints(scene(clip, 15.0, seed=1)):
        case [SpeechStarted(began), SpeechEnded(ended, "cap"), *_]:
            assert (ended - began) / SAMPLE_RATE == pytest.approx(12.0, abs=0.04)
        case other:
            pytest.fail(f"not one capped utterance but {other}")


def test_the_vad_takes_less_than_two_percent_of_a_core() -> None:
    assert cpu_share() < 0.02


@pytest.mark.skipif(
    not (DATA / "commands").is_dir(), reason="GLOVEBOX_DATA has no commands/: no real voices to listen to"
)
@pytest.mark.parametrize("snr_db", [None, 15.0])
def test_real_voices_are_one_utterance_each(snr_db: float | None) -> None:
    assert share_of_single_utterances(snr_db, 16) == 1.0


def share_of_single_utterances(snr_db: float | None, count: int) -> float:
    """Of the first real clips: how many give exactly one beginning and one end."""
    clips = [read(path) for path in sorted((DATA / "commands").glob("*.flac"))[:count]]
    found = [endpoints(scene(clip, snr_db, seed)) for seed, clip in enumerate(clips)]
    return sum(len(events) == 2 for events in found) / len(found)


def cpu_share() -> float:
    """CPU seconds for a second of sound."""
    samples = scene(voice("en-us", SENTENCES[1]), 15.0, seed=1)
    endpoints(samples)
    started = time.process_time()
    for _ in range(5):
        endpoints(samples)
    return (time.process_time() - started) / (5 * samples.size / SAMPLE_RATE)


def report() -> Iterator[str]:
    """Edge errors by noise, real voices, CPU: a line each."""
    for snr_db in (None, 20.0, 15.0, 10.0, 5.0, 0.0):
        for kind, texts, speed in (("sentences", SENTENCES, 165), ("words", WORDS, 260)):
            clips = [voice(name, text, speed) for name in VOICES for text in texts]
            errors = [edge_errors(clip, scene(clip, snr_db, seed)) for clip in clips for seed in range(3)]
            kept = np.asarray([error for error in errors if error is not None]).reshape(-1, 2) * 1000.0
            low, middle, high = np.percentile(kept, [5, 50, 95], axis=0)
            yield (
                f"{snr_db} dB {kind}: one utterance {len(kept)}/{len(errors)}, ms late p5/p50/p95: "
                f"begin {low[0]:.0f}/{middle[0]:.0f}/{high[0]:.0f}, end {low[1]:.0f}/{middle[1]:.0f}/{high[1]:.0f}"
            )
    for snr_db in (None, 15.0, 5.0):
        yield f"real voices {snr_db} dB: one utterance {share_of_single_utterances(snr_db, 310):.3f}"
    share = cpu_share()
    yield f"VAD and endpointer: {1000.0 * share:.2f} ms CPU a second of sound, {share * FRAME / 16:.3f} ms a frame"


if __name__ == "__main__":
    for line in report():
        print(line)  # noqa: T201  this is what it is for
