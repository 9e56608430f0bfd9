"""`eval wake`: reading, counting, what is printed, the peers. On a network that the test builds itself."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import soundfile as sf

from deploy.cli.main import main
from deploy.lab.report.page import render
from deploy.lab.wake import ears as wake_ears
from deploy.lab.wake import protocol as wake
from deploy.lab.wake import sounds as wake_sounds
from models.runtime.keyword import Scores
from models.training import voices
from models.training.wake import listening
from models.training.wake.corpus import Clip, Spoken, part_of
from schemas.errors import AudioFileError, EvaluationDataError
from tests.networks import openwakeword
from tests.networks.tone import build
from voice.wake.onnx import OnnxWakeWord

RATE = 16_000


def tone(seconds: float, at: float, level: float = 8000.0, hertz: float = 2000.0) -> Clip:
    """Faint noise with 0.3 s of a tone from second `at` on."""
    samples = 10.0 * np.random.default_rng(1).standard_normal(round(seconds * RATE))
    burst = level * np.sin(2.0 * np.pi * hertz * np.arange(round(0.3 * RATE)) / RATE)
    samples[round(at * RATE) : round(at * RATE) + burst.size] += burst
    return samples.astype(np.int16)


@pytest.fixture
def network(tmp_path: Path) -> Path:
    return build(tmp_path / "tone.onnx")


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Six recordings of the word, one of them of another; two folders of negatives, one false accept in them."""
    words, speech, more = tmp_path / "words", tmp_path / "speech", tmp_path / "more"
    for folder in (words, speech, more):
        folder.mkdir()
    for index in range(6):
        sf.write(words / f"{index}.wav", tone(1.5, 0.6, hertz=500.0 if index == 5 else 2000.0), RATE)
    sf.write(speech / "low.flac", tone(20.0, 7.0, hertz=500.0), RATE)
    sf.write(more / "high.flac", tone(16.0, 9.0), RATE)
    return words, speech, more


class Listed:
    """An ear that gives the scores it was made with, whatever it hears."""

    name = "listed"
    threshold = 0.5

    def __init__(self, values: list[float], every: int) -> None:
        self._values, self._every = values, every

    def reset(self) -> None:
        """Nothing to forget."""

    def listen(self, samples: Clip) -> Scores:
        positions = np.arange(self._every, samples.size, self._every, dtype=np.int64)
        return Scores(np.resize(np.asarray(self._values, np.float32), positions.size), positions)

    def live(self, chunk: Clip) -> None:
        """Costs nothing."""


def test_files_are_found_below_and_by_part(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    names = [f"{index}.WAV" for index in range(12)]
    for name in names:
        sf.write(tmp_path / "deep" / name, np.ones(4000, np.int16), RATE, format="WAV")
    (tmp_path / "notes.txt").write_text("no sound", encoding="utf-8")
    assert len(wake_sounds.files(tmp_path)) == 12
    assert {path.name for path in wake_sounds.files(tmp_path, "test")} == {n for n in names if part_of(n) == "test"}


def test_missing_and_empty_folders_are_named(tmp_path: Path) -> None:
    with pytest.raises(EvaluationDataError, match="there is no folder"):
        wake_sounds.files(tmp_path / "none")
    with pytest.raises(EvaluationDataError, match="holds no WAV or FLAC"):
        wake_sounds.files(tmp_path)
    with pytest.raises(EvaluationDataError, match="no noise file"):
        wake_sounds.noise(tmp_path / "none.flac")


def test_other_rates_and_stereo_are_brought_to_16_khz_mono(tmp_path: Path) -> None:
    left = (8000.0 * np.sin(2.0 * np.pi * 440.0 * np.arange(44_100) / 44_100)).astype(np.int16)
    sf.write(tmp_path / "a.wav", np.stack([left, 0 * left], axis=1), 44_100)
    clip = wake_sounds.read(tmp_path / "a.wav")
    assert clip.dtype == np.int16 and clip.size == pytest.approx(RATE, abs=2)
    peak = np.fft.rfftfreq(clip.size, 1.0 / RATE)[int(np.argmax(np.abs(np.fft.rfft(clip))))]
    assert float(peak) == pytest.approx(440.0, abs=2.0)


def test_broken_silent_and_short_recordings_are_named(tmp_path: Path) -> None:
    (tmp_path / "broken.wav").write_bytes(b"no sound")
    sf.write(tmp_path / "silent.wav", np.zeros(RATE, np.int16), RATE)
    sf.write(tmp_path / "empty.wav", np.zeros(0, np.int16), RATE)
    for name, words in (("broken", "not a readable"), ("empty", "no sound"), ("silent", "silent or shorter")):
        with pytest.raises(AudioFileError, match=words):
            wake_sounds.positives([tmp_path / f"{name}.wav"], max)
    with pytest.raises(AudioFileError, match="is silent"):
        wake_sounds.noise(tmp_path / "silent.wav")


def test_counting_is_that_of_the_engine_in_the_car(network: Path) -> None:
    stream = np.concatenate([tone(4.0, 1.5), tone(4.0, 0.5, level=300.0), tone(5.0, 1.0), tone(3.0, 0.2)])
    ear, engine = wake_ears.OurEar(network), OnnxWakeWord(network)
    scores = ear.listen(stream)
    found = [engine.process(stream[start : start + 512]) for start in range(0, stream.size, 512)]
    for threshold in (engine.threshold,):
        assert listening.accepts(scores, threshold) == sum(item is not None for item in found) >= 2


def test_points_of_a_known_ear() -> None:
    """Every 0.1 s a score, one in five of them .9: each keyword's window holds one, and 36.5 s hold 19 that are 2 s apart."""
    clips = [Spoken(tone(1.5, 0.6), 9600, 14_400)] * 3
    plan = wake.Plan("tone", clips, [tone(36.0, 5.0)], (10.0,), None, "road", draws=2, road_minutes=0.1)
    (curve,) = wake.measure([Listed([0.9, *[0.1] * 4], RATE // 10)], plan)
    assert plan.hours == pytest.approx(0.01)
    low, middle, high = (curve.point(10.0, level) for level in (0.05, 0.5, 0.95))
    assert (low.miss, middle.false_accepts, middle.fa_per_hour) == (0.0, 19, pytest.approx(1900.0))
    assert high.false_accepts == 0 and high.miss == 1.0
    assert curve.at_goal(10.0).threshold == pytest.approx(0.900001, abs=2e-6)


def test_steps_stand_just_above_the_highest_wrong_scores() -> None:
    positions = np.arange(10, dtype=np.int64) * 3 * RATE
    values = np.asarray([0.1, 0.8, 0.3, 0.61, 0.2, 0.0, 0.0, 0.0, 0.0, 0.0], np.float32)
    curve = wake.Curve("x", 0.5, {5.0: wake.Heard(np.ones(4, np.float32), Scores(values, positions))}, 1.0, 0.0)
    counts = {level: curve.point(5.0, level).false_accepts for level in curve.thresholds()}
    assert set(counts.values()) >= {0, 1, 2, 3, 4, 5}
    assert min(level for level, count in counts.items() if count == 1) == pytest.approx(0.61, abs=1e-5)
    assert 0.5 in counts


def test_command_prints_one_json_object(
    folders: tuple[Path, Path, Path], network: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words, speech, more = (str(folder) for folder in folders)
    page = tmp_path / "page.html"
    flags = [
        "--model",
        str(network),
        "--keyword",
        "tone",
        "--snr",
        "20,10",
        "--draws",
        "1",
        "--page",
        str(page),
        "--json",
    ]
    assert main(["eval", "wake", "--positives", words, "--negatives", speech, more, *flags]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    figures = json.loads(line)
    assert {"keyword", "hours_negative", "points", "cpu_share"} <= figures.keys()
    assert figures["keyword"] == "tone" and figures["hours_negative"] == pytest.approx(0.01)
    shipped = {point["snr"]: point for point in figures["points"] if point["shipped"]}
    assert shipped.keys() == {20.0, 10.0} and shipped[20.0]["threshold"] == 0.5
    assert shipped[20.0]["miss"] == pytest.approx(1 / 6, abs=1e-4)
    assert shipped[20.0]["fa_per_hour"] == pytest.approx(100.0)
    assert 0.0 < figures["cpu_share"] < 1.0
    html = page.read_text("utf-8")
    assert "false accepts an hour" in html and "<svg" in html and "http" not in html.replace("http://www.w3.org", "")


def test_same_seed_same_figures(folders: tuple[Path, Path, Path], network: Path) -> None:
    words, speech, _ = folders
    clips = wake_sounds.positives(wake_sounds.files(words), max)
    others = [wake_sounds.read(path) for path in wake_sounds.files(speech)]
    ear = wake_ears.OurEar(network)
    first, again, other = (
        wake.measure([ear], wake.Plan("tone", clips, others, (5.0,), None, "road", seed=seed, road_minutes=0.2))[0]
        for seed in (1, 1, 2)
    )
    assert np.array_equal(first.heard[5.0].best, again.heard[5.0].best)
    assert not np.array_equal(first.heard[5.0].best, other.heard[5.0].best)


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--snr", "loud"], "not a list of decibels"),
        (["--snr", "99"], "outside"),
        (["--noise", "none.flac"], "no noise file"),
        (["--keyword", "computer"], "is a network for 'tone'"),
    ],
)
def test_wrong_options_say_what_to_do(
    folders: tuple[Path, Path, Path], network: Path, capsys: pytest.CaptureFixture[str], flags: list[str], words: str
) -> None:
    call = ["eval", "wake", "--positives", str(folders[0]), "--negatives", str(folders[1]), "--model", str(network)]
    assert main([*call, "--keyword", "tone", *flags, "--json"]) >= 10
    assert words in json.loads(capsys.readouterr().out)["error"]["message"]


def test_report_tells_new_speakers_apart_by_distance(network: Path) -> None:
    def said(hertz: float) -> Spoken:
        return Spoken(tone(1.0, 0.3, hertz=hertz), 4800, 9600)

    known = [said(hertz) for hertz in (1600.0, 1900.0, 2000.0, 2200.0)]
    plan = wake.Plan(
        "tone", [known[2], said(2050.0), said(1000.0), said(500.0)], [tone(9.0, 3.0, hertz=500.0)], (20.0,), None, "road",
        draws=1, known=known, road_minutes=0.2,
    )  # fmt: skip
    report = wake.report(wake.measure([wake_ears.OurEar(network)], plan), plan, {"openWakeWord": "is not installed"})
    groups = report.figures["by_distance"]
    assert groups["copies of takes trained on"] == {"recordings": 1, "miss": {"20": 0.0}}
    assert groups["far"]["miss"]["20"] == 1.0
    assert "openWakeWord is not installed" in render(report)


def test_pocketsphinx_hears_a_clear_word_and_says_how_surely() -> None:
    if not voices.available():
        pytest.skip("espeak-ng is not installed: nobody there to say the wake word")
    word = voices.speak("computer", voices.Prosody("en-us", 140, 50))
    clip = np.pad(word, (RATE, RATE))
    ear = wake_ears.PocketSphinxEar("computer")
    scores = ear.listen(clip)
    assert scores.values.size == 1 and 0.0 < float(scores.values[0]) <= 1.0
    assert float(scores.positions[0]) == pytest.approx(RATE + word.size, abs=0.2 * RATE)
    later = ear.listen(clip)
    assert float(later.positions[0]) == pytest.approx(clip.size + RATE + word.size, abs=0.2 * RATE)
    assert not wake_ears.PocketSphinxEar.knows("xyzzyqux")


def test_openwakeword_is_asked_every_80_ms_for_words_that_it_knows(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Model:
        def __init__(self, wakeword_models: list[str], inference_framework: str, **before: str) -> None:
            assert inference_framework == "onnx" and wakeword_models == [str(inside / "alexa_v0.1.onnx")]
            assert [Path(one).name for one in before.values()] == ["melspectrogram.onnx", "embedding_model.onnx"]
            self.sizes: list[int] = []

        def reset(self) -> None:
            self.sizes = []

        def predict(self, chunk: Clip) -> dict[str, float]:
            self.sizes.append(chunk.size)
            return {"alexa_v0.1": len(self.sizes) / 10.0}

    inside = tmp_path / "resources" / "models"
    inside.mkdir(parents=True)
    package, module = ModuleType("openwakeword"), ModuleType("openwakeword.model")
    package.__file__ = str(tmp_path / "__init__.py")
    entry = {"model_path": str(inside / "alexa_v0.1.tflite")}
    monkeypatch.setitem(package.__dict__, "MODELS", {"alexa": entry})
    monkeypatch.setitem(module.__dict__, "Model", Model)
    monkeypatch.setitem(sys.modules, "openwakeword", package)
    monkeypatch.setitem(sys.modules, "openwakeword.model", module)
    assert "has no model of 'computer'" in str(wake_ears.OpenWakeWordEar.load("computer"))
    assert "its file is not on this machine" in str(wake_ears.OpenWakeWordEar.load("alexa"))
    (inside / "alexa_v0.1.onnx").write_bytes(b"weights")
    assert "lacks its own melspectrogram.onnx" in str(wake_ears.OpenWakeWordEar.load("alexa"))
    for name in ("melspectrogram.onnx", "embedding_model.onnx"):
        (inside / name).write_bytes(b"weights")
    ear = wake_ears.OpenWakeWordEar.load("alexa")
    assert isinstance(ear, wake_ears.OpenWakeWordEar)
    first, second = (ear.listen(np.zeros(2000, np.int16)) for _ in range(2))
    assert first.positions.tolist() == [1280] and second.positions.tolist() == [2560, 3840]
    assert second.values.tolist() == pytest.approx([0.2, 0.3])


def test_openwakewords_own_code_scores_a_model_that_is_named(tmp_path: Path) -> None:
    """Through the package itself, with networks of its shapes that know nothing: nobody's weights are needed."""
    pytest.importorskip("openwakeword", reason="openWakeWord is not installed: pip install openwakeword")
    word = openwakeword.build(tmp_path, "computer")
    ears, missing = wake_ears.peers("computer", word)
    assert [ear.name for ear in ears] == ["PocketSphinx", "openWakeWord"] and missing == {}
    ear = ears[-1]
    ear.reset()
    quiet, loud = np.zeros(2 * RATE, np.int16), np.full(2 * RATE + 500, 4_000, np.int16)
    first, second = ear.listen(quiet), ear.listen(loud)
    assert first.values.size == 25 and second.values.size == 25 and second.positions[-1] == 50 * 1280
    assert float(first.values[-1]) < 0.01 and float(second.values[-1]) > 0.99
    ear.live(np.zeros(wake_ears.CHUNK, np.int16))
    ear.reset()
    assert ear.listen(quiet).positions[-1] == 25 * 1280
    word.write_bytes(b"nothing")
    assert "cannot use" in str(wake_ears.OpenWakeWordEar.load("computer", word))
    (tmp_path / "embedding_model.onnx").unlink()
    assert "lacks its own embedding_model.onnx" in str(wake_ears.OpenWakeWordEar.load("computer", word))


def test_peers_that_cannot_run_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openwakeword", None)  # as if it were not installed
    ears, missing = wake_ears.peers("computer")
    assert [ear.name for ear in ears] == ["PocketSphinx"]
    assert missing == {"openWakeWord": "is not installed"}
