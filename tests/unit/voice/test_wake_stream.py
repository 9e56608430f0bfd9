"""The wake word's stream: chunk sizes, refractory period, reset, bad files. On a network that the test builds itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from models.runtime import mel
from models.runtime.keyword import KeywordNetwork
from schemas.errors import ModelDamagedError, ModelError, ModelMissingError
from schemas.events import Samples, WakeDetection
from tests.networks.tone import build
from voice.wake.onnx import AFTER, BEFORE, OnnxWakeWord

RATE = 16_000


@pytest.fixture
def network(tmp_path: Path) -> Path:
    return build(tmp_path / "tone.onnx")


def stream(seconds: float, tones: tuple[float, ...]) -> Samples:
    """Faint noise with 0.3 s of a loud 2 kHz tone at each of `tones` seconds."""
    samples = 30.0 * np.random.default_rng(1).standard_normal(round(seconds * RATE))
    burst = 8000.0 * np.sin(2.0 * np.pi * 2000.0 * np.arange(round(0.3 * RATE)) / RATE)
    for second in tones:
        samples[round(second * RATE) : round(second * RATE) + burst.size] += burst
    return samples.astype(np.int16)


def detections(wake: OnnxWakeWord, samples: Samples, chunk: int) -> list[WakeDetection]:
    found = [wake.process(samples[start : start + chunk]) for start in range(0, samples.size, chunk)]
    while (last := wake.process(np.zeros(0, np.int16))) is not None:
        found.append(last)
    return [item for item in found if item is not None]


@pytest.mark.parametrize("chunk", [1, 160, 333, 512, 4096, 100_000])
def test_any_chunk_size_gives_the_scores_of_the_whole(network: Path, chunk: int) -> None:
    samples = stream(2.5, (1.6,))
    whole = KeywordNetwork(network).process(samples)
    pieces = KeywordNetwork(network)
    parts = [pieces.process(samples[start : start + chunk]) for start in range(0, samples.size, chunk)]
    values: NDArray[np.float32] = np.concatenate([part.values for part in parts])
    positions: NDArray[np.int64] = np.concatenate([part.positions for part in parts])
    assert whole.values.size == 70 and float(whole.values.max()) > 0.6
    assert np.array_equal(positions, whole.positions)
    assert np.allclose(values, whole.values, atol=1e-5)


@pytest.mark.parametrize("chunk", [480, 512, 16_000, 200_000])
def test_any_chunk_size_gives_the_same_detections(network: Path, chunk: int) -> None:
    found = detections(OnnxWakeWord(network), stream(9.0, (2.0, 6.0)), chunk)
    assert [item.keyword for item in found] == ["tone", "tone"]
    reference = detections(OnnxWakeWord(network), stream(9.0, (2.0, 6.0)), 512)
    assert [item.end_sample for item in found] == [item.end_sample for item in reference]


def test_end_is_the_position_less_the_lag(tmp_path: Path) -> None:
    samples = stream(3.0, (2.0,))
    ends = [
        detections(OnnxWakeWord(build(tmp_path / "a.onnx", lag_samples=lag)), samples, 512)[0].end_sample
        for lag in ("0", "800")
    ]
    assert ends[0] - ends[1] == 800
    assert 2.0 * RATE < ends[0] < 2.4 * RATE


def test_refractory_period_holds_back_the_second(network: Path) -> None:
    samples = stream(7.0, (2.0, 3.2, 5.0))
    assert len(detections(OnnxWakeWord(network, refractory=0.5), samples, 512)) == 3
    assert len(detections(OnnxWakeWord(network, refractory=2.0), samples, 512)) == 2
    assert len(detections(OnnxWakeWord(network, refractory=6.0), samples, 512)) == 1


def test_threshold_is_the_files_unless_given(network: Path) -> None:
    assert OnnxWakeWord(network).threshold == 0.5
    assert detections(OnnxWakeWord(network, threshold=1.0), stream(4.0, (2.0,)), 512) == []


def test_reset_starts_a_new_stream(network: Path) -> None:
    wake = OnnxWakeWord(network)
    samples = stream(5.0, (2.0, 4.4))
    first = detections(wake, samples, 512)
    wake.process(stream(3.0, (2.0,)))
    wake.reset()
    assert detections(wake, samples, 512) == first


@pytest.mark.parametrize("values", [{"threshold": 0.0}, {"threshold": 1.5}, {"refractory": -1.0}])
def test_values_out_of_range_are_refused(network: Path, values: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must lie"):
        OnnxWakeWord(network, threshold=values.get("threshold"), refractory=values.get("refractory", 2.0))


def test_half_of_the_networks_grid_makes_no_difference(network: Path) -> None:
    samples = stream(3.0, (2.0,))
    best = [float(KeywordNetwork(network).process(samples[cut:]).values.max()) for cut in (0, 320, 640)]
    assert best[1:] == pytest.approx(best[:1] * 2, abs=0.01)


def test_scores_come_every_20_ms(network: Path) -> None:
    positions = KeywordNetwork(network).process(stream(2.0, ())).positions
    assert positions[0] == (108 * 160 + 400) and set(np.diff(positions).tolist()) == {320}


@pytest.mark.parametrize("chunk", [333, 512, 200_000])
@pytest.mark.parametrize(("hertz", "count"), [(2000, 2), (3000, 0)])
def test_a_check_must_find_it_again(tmp_path: Path, hertz: int, count: int, chunk: int) -> None:
    build(tmp_path / "again.onnx", hertz)
    first = build(tmp_path / "first.onnx", check="again.onnx", fires="0.2")
    found = detections(OnnxWakeWord(first, threshold=0.6), stream(9.0, (2.0, 6.0)), chunk)
    assert len(found) == count
    assert [item.end_sample for item in found] == [
        item.end_sample for item in detections(OnnxWakeWord(first, threshold=0.6), stream(9.0, (2.0, 6.0)), 512)
    ]


def test_the_check_is_asked_where_the_first_fires(tmp_path: Path) -> None:
    build(tmp_path / "again.onnx", 2000)
    never = build(tmp_path / "never.onnx", 3000, check="again.onnx", fires="0.2")
    samples = stream(4.0, (2.0,))
    assert not KeywordNetwork(never).process(samples).values.any()
    assert KeywordNetwork(never, alone=True).process(samples).values.all()


def test_a_check_that_is_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(ModelMissingError, match=r"again\.onnx is missing"):
        OnnxWakeWord(build(tmp_path / "first.onnx", check="again.onnx", fires="0.2"))
    build(tmp_path / "again.onnx")
    with pytest.raises(ModelDamagedError, match="does not say when its check is asked"):
        OnnxWakeWord(build(tmp_path / "other.onnx", check="again.onnx"))


class Ear:
    """A second ear that always says the same, and keeps what it was asked about."""

    def __init__(self, answer: bool | ModelError) -> None:
        self.answer, self.asked = answer, list[Samples]()

    def has(self, sound: Samples, word: str) -> bool:
        assert word == "tone"
        self.asked.append(sound)
        if isinstance(self.answer, ModelError):
            raise self.answer
        return self.answer


def doubtful(tmp_path: Path) -> Path:
    """A network that never comes up to .7, with a check that agrees."""
    build(tmp_path / "again.onnx", 2000, most=0.7)
    return build(tmp_path / "first.onnx", 2000, most=0.7, check="again.onnx", fires="0.3")


@pytest.mark.parametrize("chunk", [333, 512, 16_000, 200_000])
@pytest.mark.parametrize(("answer", "count"), [(True, 2), (False, 0)])
def test_in_doubt_the_second_ear_decides(tmp_path: Path, chunk: int, answer: bool, count: int) -> None:
    ear, again = Ear(answer), Ear(answer)
    samples = stream(9.0, (2.0, 6.0))
    found = detections(OnnxWakeWord(doubtful(tmp_path), second=ear), samples, chunk)
    assert len(found) == count
    reference = detections(OnnxWakeWord(doubtful(tmp_path), second=again), samples, 512)
    assert [item.end_sample for item in found] == [item.end_sample for item in reference]
    assert len(ear.asked) == len(again.asked) >= 2
    assert all(np.array_equal(one, other) for one, other in zip(ear.asked, again.asked, strict=True))


def test_the_second_ear_hears_what_came_before_and_a_little_after(tmp_path: Path) -> None:
    ear = Ear(answer=True)
    samples = stream(4.0, (2.0,))
    detections(OnnxWakeWord(doubtful(tmp_path), second=ear), samples, 512)
    (sound,) = ear.asked
    assert BEFORE + AFTER <= sound.size <= BEFORE + AFTER + 640
    places = [at for at in range(0, samples.size - sound.size, 1) if np.array_equal(samples[at : at + 64], sound[:64])]
    assert len(places) == 1 and np.array_equal(samples[places[0] : places[0] + sound.size], sound)
    assert places[0] < 2.0 * RATE < places[0] + sound.size


def test_however_sure_the_networks_are_the_second_ear_must_hear_it(tmp_path: Path) -> None:
    ear = Ear(answer=False)
    assert detections(OnnxWakeWord(build(tmp_path / "sure.onnx", most=1.4), second=ear), stream(4.0, (2.0,)), 512) == []
    assert ear.asked


def test_under_a_threshold_that_is_given_nothing_is_asked(tmp_path: Path) -> None:
    ear = Ear(answer=True)
    wake = OnnxWakeWord(doubtful(tmp_path), threshold=0.8, second=ear)
    assert detections(wake, stream(4.0, (2.0,)), 512) == [] and not ear.asked


def test_silence_asks_nothing(tmp_path: Path) -> None:
    ear = Ear(answer=True)
    assert detections(OnnxWakeWord(doubtful(tmp_path), second=ear), stream(6.0, ()), 512) == [] and not ear.asked


@pytest.mark.parametrize(("most", "count"), [(0.7, 0), (1.4, 1)])
def test_a_second_ear_that_fails_leaves_it_to_the_threshold(tmp_path: Path, most: float, count: int) -> None:
    ear = Ear(ModelError("broken"))
    network = build(tmp_path / "tone.onnx", most=most, threshold="0.8")
    assert len(detections(OnnxWakeWord(network, second=ear), stream(4.0, (2.0,)), 512)) == count and ear.asked


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ModelMissingError, match=r"none\.onnx is missing"):
        OnnxWakeWord(tmp_path / "none.onnx")


@pytest.mark.parametrize("keep", [0, 100, 0.5])
def test_truncated_file(network: Path, keep: float) -> None:
    content = network.read_bytes()
    network.write_bytes(content[: int(keep if keep > 1 else keep * len(content))])
    with pytest.raises(ModelDamagedError, match="cannot be loaded"):
        OnnxWakeWord(network)


def test_another_front_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelDamagedError, match="front end 'mfcc13'"):
        OnnxWakeWord(build(tmp_path / "other.onnx", front_end="mfcc13"))


def test_file_without_threshold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelDamagedError, match="lacks"):
        OnnxWakeWord(build(tmp_path / "bare.onnx", threshold="high"))


def test_features_do_not_depend_on_chunks_or_gain() -> None:
    samples = stream(1.0, (0.5,))
    whole = mel.MelStream().process(samples)
    pieces = mel.MelStream()
    parts = np.concatenate([pieces.process(samples[start : start + 77]) for start in range(0, samples.size, 77)])
    assert np.allclose(whole, parts, atol=1e-4)
    quieter = mel.MelStream().process((samples // 4).astype(np.int16))
    assert float(np.abs(whole - quieter)[60:].mean()) < 0.1 * float(np.abs(whole)[60:].mean())
