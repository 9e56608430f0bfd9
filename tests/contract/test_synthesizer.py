"""What every synthesiser does: the fake, espeak-ng, Piper with a voice that this test builds and a real one, several as one,
and each that another installed package adds (docs/extending.md)."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from schemas.errors import AudioError
from schemas.events import SAMPLE_RATE, Samples
from schemas.ports import Synthesizer
from voice.audio.earcon import chime
from voice.engines import opened
from voice.tts import SYNTHESIZERS, Speaking
from voice.tts.espeak import EspeakSynthesizer
from voice.tts.fake import FakeSynthesizer
from voice.tts.loudness import LEVEL_DB, voiced_db
from voice.tts.piper import PiperSynthesizer
from voice.tts.voices import Voices

HOP = 512
"""Samples that the tiny voice gives for each phoneme id."""


def build_voice(folder: Path, rate: int = 22_050) -> Path:
    """A Piper voice that hums: every phoneme id becomes `HOP` samples of a tone. It has the shape of a voice, not the sense."""
    path = folder / "hum.onnx"
    tone = (0.3 * np.sin(2.0 * np.pi * 8.0 * np.arange(HOP) / HOP)).astype(np.float32)
    nodes = [
        helper.make_node("Cast", ["input"], ["ids"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["ids", "zero"], ["nothing"]),
        helper.make_node("Unsqueeze", ["nothing", "axis"], ["column"]),
        helper.make_node("Add", ["column", "tone"], ["rows"]),
        helper.make_node("Reshape", ["rows", "shape"], ["output"]),
    ]
    graph = helper.make_graph(
        nodes,
        "hum",
        [
            helper.make_tensor_value_info("input", TensorProto.INT64, ["batch", "phonemes"]),
            helper.make_tensor_value_info("input_lengths", TensorProto.INT64, ["batch"]),
            helper.make_tensor_value_info("scales", TensorProto.FLOAT, [3]),
        ],
        [helper.make_tensor_value_info("output", TensorProto.FLOAT, [1, 1, "samples"])],
        [
            numpy_helper.from_array(np.zeros(1, np.float32), "zero"),
            numpy_helper.from_array(tone[None, None], "tone"),
            numpy_helper.from_array(np.asarray([2], np.int64), "axis"),
            numpy_helper.from_array(np.asarray([1, 1, -1], np.int64), "shape"),
        ],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(path))
    alphabet = "_^$ abcdefghijklmnopqrstuvwxyz.,?!'"
    config = {
        "audio": {"sample_rate": rate},
        "espeak": {"voice": "en-us"},
        "phoneme_type": "text",
        "num_symbols": len(alphabet),
        "num_speakers": 1,
        "phoneme_id_map": {letter: [number] for number, letter in enumerate(alphabet)},
    }
    path.with_name("hum.onnx.json").write_text(json.dumps(config))
    return path


@contextmanager
def piper(voice: Path) -> Generator[PiperSynthesizer]:
    with closing(PiperSynthesizer(voice, patience=20.0)) as synthesizer:
        synthesizer.check()
        yield synthesizer


@pytest.fixture(scope="module", params=["fake", "espeak", "piper", "fetched", "voices", *sorted(SYNTHESIZERS.added())])
def synthesizer(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, real_models: Callable[[str], Path]
) -> Iterator[Synthesizer]:
    """One for all tests, as the assistant has one for all replies: what a test does to it must not harm the next."""
    match request.param:
        case "fake":
            yield FakeSynthesizer()
        case "espeak":
            yield EspeakSynthesizer()
        case "voices":
            yield Voices(FakeSynthesizer(), EspeakSynthesizer())
        case "piper":
            with piper(build_voice(tmp_path_factory.mktemp("hum"))) as voice:
                yield voice
        case added if added in SYNTHESIZERS.added():
            yield opened(SYNTHESIZERS, added, Speaking("en-us", 175, 50))
        case _:
            with piper(real_models("piper-en-us-joe-medium")) as voice:
                yield voice


def level(sound: Samples) -> float:
    """RMS of what is voiced, dB of full scale."""
    loudness = voiced_db(sound / 32768.0)
    assert loudness is not None
    return loudness


def spoken(synthesizer: Synthesizer, text: str) -> Samples:
    return np.concatenate([*synthesizer.synthesize(text), np.zeros(0, np.int16)])


def test_a_sentence_becomes_sound_of_a_likely_length(synthesizer: Synthesizer) -> None:
    sound = spoken(synthesizer, "the temperature is twenty one degrees")
    assert sound.dtype == np.int16 and sound.ndim == 1
    assert 1.0 < sound.size / SAMPLE_RATE < 5.0
    assert np.abs(sound.astype(np.int32)).max() > 1000


def test_more_words_take_longer(synthesizer: Synthesizer) -> None:
    assert spoken(synthesizer, "the window is open and the fan is off").size > spoken(synthesizer, "yes").size


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_nothing_to_say_is_nothing_to_hear(synthesizer: Synthesizer, text: str) -> None:
    assert list(synthesizer.synthesize(text)) == []


def test_the_same_text_sounds_alike_again(synthesizer: Synthesizer) -> None:
    """A Piper voice draws its rhythm and its breath anew every time: the length differs by a few per cent."""
    first, second = (spoken(synthesizer, "the driver's window is open") for _ in range(2))
    assert first.size == pytest.approx(second.size, rel=0.25)
    assert level(first) == pytest.approx(level(second), abs=1.5)


def test_leaving_off_after_the_first_piece_is_allowed(synthesizer: Synthesizer) -> None:
    pieces: Iterator[Samples] = synthesizer.synthesize("one two three four five six seven eight nine ten")
    assert next(pieces).size > 0
    del pieces
    assert spoken(synthesizer, "yes").size > 0


@pytest.mark.parametrize(
    "text", ["-h", "--version", "[[h@l'oU]]", "<speak>hi</speak>", "a\x00b\x01c\x1b", "é ü ß 東京 🚗"]
)
def test_odd_text_does_no_harm(synthesizer: Synthesizer, text: str) -> None:
    assert spoken(synthesizer, text).dtype == np.int16
    assert spoken(synthesizer, "yes").size > 0


def test_a_text_without_end_is_refused(synthesizer: Synthesizer) -> None:
    if isinstance(synthesizer, Voices):
        pytest.skip("it splits what it is given")
    with pytest.raises(AudioError, match="split"):
        spoken(synthesizer, "word " * 1000)


def test_every_voice_speaks_at_the_same_level(synthesizer: Synthesizer) -> None:
    if isinstance(synthesizer, FakeSynthesizer | Voices):
        pytest.skip("it beeps, or is made of others")
    for text in ("Okay.", "The temperature is twenty one degrees.", "Sorry, I didn't understand that."):
        sound = spoken(synthesizer, text)
        assert level(sound) == pytest.approx(LEVEL_DB, abs=2.0)
        assert np.abs(sound.astype(np.int32)).max() < 32_500
    for name in ("listening", "done", "error"):
        assert -6.0 < level(chime(name)) - LEVEL_DB < 0.0, "a chime lies a little below a voice"
