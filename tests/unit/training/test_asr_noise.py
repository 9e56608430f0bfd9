"""The front end in NumPy beside the engine's own, the network that takes noise out of cepstra, and its training pairs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pocketsphinx
import pytest
import soundfile as sf

from models.acoustics import mix_at_snr
from models.runtime import cepstra, denoiser
from models.training import voices
from models.training.asr import gaussians, kitchen_noise, noisy, senones
from models.training.wake import noises
from schemas.errors import AudioFileError, ModelDamagedError, ModelMissingError
from schemas.events import FRAME, Samples

NETWORK = Path(__file__).parents[3] / "models" / "builtin" / "asr" / "noise.npz"
MODEL = Path(pocketsphinx.get_model_path("en-us/en-us"))


def voiced(seconds: float = 1.5) -> noisy.Floats:
    """A buzz with moving formants between two pauses: enough of a voice for a front end."""
    times = np.arange(round(seconds * cepstra.SAMPLE_RATE)) / cepstra.SAMPLE_RATE
    buzz = sum(
        np.exp(-(((140.0 * order - 700.0 - 400.0 * np.sin(5.0 * times)) / 500.0) ** 2))
        * np.sin(2.0 * np.pi * 140.0 * order * times)
        for order in range(1, 25)
    )
    said = buzz * (np.sin(np.pi * times / seconds) > 0.5) + 1e-3 * np.random.default_rng(3).standard_normal(times.size)
    return np.asarray(0.1 * said, dtype=np.float32)


def scaled(sound: noisy.Floats) -> Samples:
    return np.asarray(np.clip(sound, -1.0, 1.0) * 32767.0, dtype=np.int16)


def heard(samples: Samples, chunk: int, network: denoiser.Denoiser | None) -> noisy.Floats:
    stream = denoiser.CepstralStream(network)
    parts = [stream.push(samples[start : start + chunk]) for start in range(0, samples.size, chunk)]
    return np.concatenate([*parts, stream.rest()])


def test_cepstra_are_those_of_the_engine(tmp_path: Path) -> None:
    samples = scaled(voiced())
    decoder = pocketsphinx.Decoder(
        hmm=str(MODEL), lm=None, keyphrase="hello", kws_threshold=1e-20, mfclogdir=str(tmp_path), loglevel="FATAL"
    )
    decoder.start_utt()
    decoder.process_raw(samples.tobytes(), full_utt=True)
    decoder.end_utt()
    raw = next(tmp_path.iterdir()).read_bytes()
    theirs = np.frombuffer(raw[4:], ">f4").reshape(-1, cepstra.COEFFICIENTS)
    ours = heard(samples, FRAME, None)
    assert abs(len(theirs) - len(ours)) <= 1  # the engine pads the last frame
    assert np.abs(theirs[: len(ours)] - ours).max() < 0.05


@pytest.mark.parametrize("chunk", [100, 160, 5000])
def test_the_size_of_the_chunks_does_not_matter(chunk: int) -> None:
    samples, network = scaled(voiced()), denoiser.Denoiser(NETWORK)
    np.testing.assert_allclose(heard(samples, chunk, network), heard(samples, FRAME, network), atol=1e-3)


def test_every_frame_is_answered_and_the_next_stream_starts_afresh() -> None:
    samples, stream = scaled(voiced()), denoiser.CepstralStream(denoiser.Denoiser(NETWORK))
    first = np.concatenate([stream.push(samples), stream.rest()])
    stream.reset()
    second = np.concatenate([stream.push(samples), stream.rest()])
    assert len(first) == 1 + (samples.size - cepstra.WINDOW) // cepstra.HOP
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("network", [NETWORK, None], ids=["network", "none"])
def test_what_was_heard_before_gives_no_cepstra_but_shows_the_noise(network: Path | None) -> None:
    rng = np.random.default_rng(8)
    noise = np.asarray(300.0 * rng.standard_normal(cepstra.SAMPLE_RATE), dtype=np.int16)
    samples = np.asarray(scaled(voiced()) + 300.0 * rng.standard_normal(voiced().size), dtype=np.int16)
    stream = denoiser.CepstralStream(denoiser.Denoiser(network) if network is not None else None)
    cold = np.concatenate([stream.push(samples), stream.rest()])
    stream.reset()
    stream.warm(noise)
    warm = np.concatenate([stream.push(samples), stream.rest()])
    whole = heard(np.concatenate([noise, samples]), FRAME, denoiser.Denoiser(network) if network is not None else None)
    assert 0 <= len(warm) - len(cold) <= 2
    assert np.array_equal(warm, whole[-len(warm) :])
    assert np.abs(warm[-len(cold) :][:20] - cold[:20]).max() > 0.1


@pytest.mark.parametrize("size", [0, 1, cepstra.WINDOW - 1])
def test_less_than_a_frame_is_no_cepstra(size: int) -> None:
    assert heard(np.ones(size, np.int16), FRAME, denoiser.Denoiser(NETWORK)).shape == (0, cepstra.COEFFICIENTS)


@pytest.mark.parametrize("kind", ["road", "kitchen"])
def test_noise_goes_from_the_cepstra(kind: str) -> None:
    if not voices.available():
        pytest.skip("espeak-ng is not installed: nobody there to speak")
    said = voices.speak("set the temperature to twenty two degrees", voices.Prosody("en-us+f3", 150, 50))
    voice = np.pad(said.astype(np.float32) / np.float32(65536.0), (4800, 4800))
    make, network = {"road": noises.road, "kitchen": noises.kitchen}[kind], denoiser.Denoiser(NETWORK)
    before, after = [], []
    spread = np.sqrt(gaussians.read(MODEL / "variances").mean(axis=(0, 2)))[
        0
    ]  # the acoustic model's, of each coefficient
    for seed in range(4):
        noise = make(4.0, np.random.default_rng(seed))
        quiet = heard(scaled(mix_at_snr(voice, noise, 35.0)), FRAME, None)
        loud = scaled(mix_at_snr(voice, noise, 8.0))
        before.append(np.abs((heard(loud, FRAME, None) - quiet) / spread).mean())
        after.append(np.abs((heard(loud, FRAME, network) - quiet) / spread).mean())
    assert np.mean(after) < 0.9 * np.mean(before), (before, after)


def test_quiet_is_left_alone() -> None:
    voice = scaled(voiced())  # 36 dB and more between its loudest and its quietest moment
    network, plain = heard(voice, FRAME, denoiser.Denoiser(NETWORK)), heard(voice, FRAME, None)
    loud = slice(40, len(plain))  # by then the voice has shown how far it stands over the pause before it
    np.testing.assert_allclose(network[loud], plain[loud], atol=1e-3)


def test_the_share_falls_from_noise_to_quiet() -> None:
    found = [denoiser.share_at(decibels) for decibels in (0.0, 28.0, 33.0, 38.0, 60.0)]
    assert found == [1.0, 1.0, pytest.approx(0.5), 0.0, 0.0]


def test_loudness_is_that_of_the_loudest_over_the_quietest_moment() -> None:
    loudness = denoiser.Loudness()
    found = [loudness.step(np.full(cepstra.BANDS, power)) for power in [1e6] * 20 + [1e8] * 20 + [1e6] * 20]
    assert found[:7] == [0.0] * 7
    assert found[19] == pytest.approx(0.0)
    assert found[-1] == pytest.approx(20.0, abs=0.1)


def test_a_missing_or_damaged_network_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelMissingError, match=r"noise\.npz"):
        denoiser.Denoiser(tmp_path / "noise.npz")
    for content in (b"", b"PK\x03\x04 no archive"):
        (tmp_path / "noise.npz").write_bytes(content)
        with pytest.raises(ModelDamagedError, match=r"noise\.npz"):
            denoiser.Denoiser(tmp_path / "noise.npz")
    np.savez(tmp_path / "noise.npz", other=np.zeros(3))
    with pytest.raises(ModelDamagedError, match=r"noise\.npz"):
        denoiser.Denoiser(tmp_path / "noise.npz")


def test_gaussians_of_the_package_are_read_and_damaged_ones_refused(tmp_path: Path) -> None:
    variances = gaussians.read(MODEL / "variances")
    assert variances.shape == (42, 3, 128, 13)
    assert (variances >= 0.0).all()
    whole = (MODEL / "variances").read_bytes()
    for content in (b"", whole[:20], whole[:90], whole[:-8]):
        (tmp_path / "variances").write_bytes(content)
        with pytest.raises(ModelDamagedError, match="variances"):
            gaussians.read(tmp_path / "variances")


def test_training_pairs_are_noisy_on_one_side_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noisy, "KINDS", {"plain": (noises.plain, 1.0, 1)})
    clips, rng = [scaled(voiced())] * 5, np.random.default_rng(2)
    found = noisy.pairs(noisy.Sounds(clips, [], rng), 5, rng)
    assert found.shown.shape == (5, noisy.LONGEST, 2 * cepstra.BANDS)
    assert found.plain.shape == found.wanted.shape == (5, noisy.LONGEST, cepstra.COEFFICIENTS)
    ends = (found.weight > 0.0).sum(axis=1)
    assert ((ends > 150) & (ends < 260)).all()
    assert np.isfinite(found.shown).all()
    assert np.abs(found.plain - found.wanted).max(axis=(1, 2)).max() > 1.0


def test_recorded_people_speak_in_half_of_the_scenes_and_are_trimmed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(noisy, "KINDS", {"plain": (noises.plain, 1.0, 1)})
    with pytest.raises(AudioFileError, match="no recordings"):
        noisy.recorded(tmp_path)
    pause = np.zeros(cepstra.SAMPLE_RATE, np.int16)
    sf.write(tmp_path / "one.wav", np.concatenate([pause, scaled(voiced(0.5)), pause]), cepstra.SAMPLE_RATE)
    (real,) = noisy.recorded(tmp_path)
    assert 0.4 < real.size / cepstra.SAMPLE_RATE < 1.1
    sounds = noisy.Sounds([scaled(voiced())], [real], np.random.default_rng(1))
    drawn = [sounds.speech() for _ in range(60)]
    assert 15 < sum(recorded for _, recorded in drawn) < 45
    assert all(np.isfinite(said).all() for said, _ in drawn)
    sf.write(tmp_path / "two.wav", pause, 8000)
    with pytest.raises(AudioFileError, match=r"two\.wav"):
        noisy.recorded(tmp_path)


def test_kitchens_are_made_up_from_the_generator_alone() -> None:
    clips = [scaled(voiced(0.5))]
    first, again, other = (kitchen_noise.kitchen(2.0, np.random.default_rng(seed), clips) for seed in (4, 4, 5))
    assert first.shape == (2 * cepstra.SAMPLE_RATE,)
    assert np.isfinite(first).all()
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_the_senones_of_the_package_mix_the_gaussians_of_their_phones(tmp_path: Path) -> None:
    found = senones.read(MODEL)
    assert found.phones[found.codebook[0]] == "+NSN+"
    assert found.plain == 3 * len(found.phones) == 126
    assert found.weights.shape == (3, 128, found.codebook.size)
    sums = np.exp(found.weights).sum(axis=1)  # 8 bits a weight: near 1
    assert ((sums > 0.85) & (sums < 1.1)).all()
    for name in ("mdef", "sendump"):
        (tmp_path / name).write_bytes((MODEL / name).read_bytes())
    for name in ("mdef", "sendump"):
        whole = (MODEL / name).read_bytes()
        (tmp_path / name).write_bytes(whole[: len(whole) // 2])
        with pytest.raises(ModelDamagedError, match="senones"):
            senones.read(tmp_path)
        (tmp_path / name).write_bytes(whole)
