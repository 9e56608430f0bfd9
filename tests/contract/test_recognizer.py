"""What every recogniser promises (``schemas.ports.Recognizer``): the fake, PocketSphinx, Whisper, both together, and
each that another installed package adds (docs/extending.md).

The Whisper of this test hears "play some jazz" in any sound (``tests.networks.whisper``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import voice.asr.whisper
from models.acoustics import mix_at_snr, road_noise
from models.commands.matcher import TemplateMatcher
from models.training.voices import Prosody, available, speak
from schemas.errors import ModelError, ModelMissingError
from schemas.events import FRAME, Samples
from schemas.ports import Recognizer
from tests.networks.whisper import tiny_whisper
from voice.asr import RECOGNIZERS, Hearing
from voice.asr.fake import FakeRecognizer
from voice.asr.pocketsphinx import PocketSphinxRecognizer
from voice.asr.together import TogetherRecognizer
from voice.asr.whisper import WhisperRecognizer
from voice.engines import opened
from voice.wake import SecondEar

BUILTIN = Path(__file__).parents[2] / "models" / "builtin" / "asr"
RATE = 16_000


@dataclass(frozen=True)
class Case:
    """A recogniser and a sound in which it hears its text, if it hears anything there."""

    recognizer: Recognizer
    samples: Samples
    text: str


@pytest.fixture(scope="module")
def matcher() -> TemplateMatcher:
    return TemplateMatcher()


@pytest.fixture(scope="module")
def speech() -> Samples:
    """2.5 s: "play some jazz" in road noise at 20 dB, with a pause around it."""
    noise = road_noise(2.5, np.random.default_rng(5))
    if not available():
        return (noise * 32767.0).astype(np.int16)
    speech = np.zeros(noise.size, np.float32)
    words = speak("play some jazz", Prosody("en-us+m6", 150, 50))
    speech[6_000 : 6_000 + words.size] = words / 65536.0
    return (mix_at_snr(speech, noise, 20.0) * 32767.0).astype(np.int16)


@pytest.fixture(scope="module")
def engines(matcher: TemplateMatcher, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Callable[[], Recognizer]]:
    folder = tiny_whisper(tmp_path_factory.mktemp("whisper"), ("Play", "Ġsome", "Ġjazz"))
    sphinx = PocketSphinxRecognizer(BUILTIN, matcher)
    whisper = WhisperRecognizer(folder, matcher.match, threads=1)
    together = TogetherRecognizer(
        PocketSphinxRecognizer(BUILTIN, matcher), WhisperRecognizer(folder, matcher.match, threads=1), matcher
    )
    return {
        "together": lambda: together,
        "fake": lambda: FakeRecognizer(["play some jazz"] * 3, match=matcher.match),
        "pocketsphinx": lambda: sphinx,
        "whisper": lambda: whisper,
        **{
            name: partial(opened, RECOGNIZERS, name, Hearing(lambda: matcher, no_model, 1))
            for name in RECOGNIZERS.added()
        },
    }


def no_model(name: str) -> Path:
    raise ModelMissingError(f"{name} is not there")


@pytest.fixture(params=["fake", "pocketsphinx", "whisper", "together", *sorted(RECOGNIZERS.added())])
def case(request: pytest.FixtureRequest, engines: dict[str, Callable[[], Recognizer]], speech: Samples) -> Case:
    if request.param in ("pocketsphinx", "together") and not available():
        pytest.skip("espeak-ng is not installed: nobody there to speak")
    return Case(engines[request.param](), speech, "play some jazz")


def hear(recognizer: Recognizer, samples: Samples, chunk: int = FRAME) -> Any:
    recognizer.start()
    for start in range(0, samples.size, chunk):
        recognizer.feed(samples[start : start + chunk])
    return recognizer.finish()


def test_hears_the_text_and_that_it_is_a_command(case: Case, matcher: TemplateMatcher) -> None:
    found = hear(case.recognizer, case.samples)
    assert found.text == case.text
    assert found.in_grammar
    assert matcher.match(found.text) is not None
    assert 0.2 < found.confidence <= 1.0
    assert found.seconds == pytest.approx(2.5)


@pytest.mark.parametrize("chunk", [160, 1000, 40_000])
def test_the_size_of_the_chunks_does_not_matter(case: Case, chunk: int) -> None:
    assert hear(case.recognizer, case.samples, chunk).text == case.text


def test_texts_are_lower_case_words(case: Case) -> None:
    found = hear(case.recognizer, case.samples)
    for text in (found.text, *(one.text for one in (found.grammar, found.open) if one is not None)):
        assert text == " ".join(text.lower().replace(".", "").split())


def test_an_unfinished_utterance_is_thrown_away(case: Case) -> None:
    case.recognizer.start()
    case.recognizer.feed(case.samples[:12_000])
    found = hear(case.recognizer, case.samples)
    assert (found.text, found.seconds) == (case.text, pytest.approx(2.5))


def test_nothing_fed_is_nothing_heard(case: Case) -> None:
    case.recognizer.start()
    case.recognizer.feed(np.zeros(0, np.int16))
    found = case.recognizer.finish()
    assert (found.text, found.in_grammar, found.confidence, found.seconds) == ("", False, 0.0, 0.0)


def test_finish_without_start_is_nothing_heard(case: Case) -> None:
    hear(case.recognizer, case.samples)
    assert case.recognizer.finish().text == ""


def test_partial_words_never_raise_and_end_with_the_utterance(case: Case) -> None:
    case.recognizer.start()
    assert case.recognizer.partial() == ""
    for start in range(0, case.samples.size, FRAME):
        case.recognizer.feed(case.samples[start : start + FRAME])
        assert isinstance(case.recognizer.partial(), str)
    case.recognizer.finish()


def test_after_a_reset_it_hears_as_if_new(case: Case) -> None:
    case.recognizer.reset()
    first = hear(case.recognizer, case.samples)
    hear(case.recognizer, case.samples // 4)
    case.recognizer.start()
    case.recognizer.feed(case.samples[:8_000])
    case.recognizer.reset()
    assert case.recognizer.finish().text == ""
    assert hear(case.recognizer, case.samples) == first


def test_a_pause_anywhere_changes_no_word(case: Case) -> None:
    case.recognizer.pause()
    case.recognizer.start()
    case.recognizer.pause()
    for start in range(0, case.samples.size, FRAME):
        case.recognizer.feed(case.samples[start : start + FRAME])
        if start % (8 * FRAME) == 0:
            case.recognizer.pause()
    case.recognizer.pause()
    case.recognizer.pause()
    assert case.recognizer.finish().text == case.text


def test_fed_samples_may_be_reused_by_the_caller(case: Case) -> None:
    case.recognizer.start()
    buffer = np.empty(FRAME, np.int16)
    for start in range(0, case.samples.size - FRAME, FRAME):
        buffer[:] = case.samples[start : start + FRAME]
        case.recognizer.feed(buffer)
        buffer[:] = 0
    assert case.recognizer.finish().text == case.text


def test_a_missing_model_file_is_named(tmp_path: Path, matcher: TemplateMatcher) -> None:
    with pytest.raises(ModelMissingError, match=r"domain\.dict"):
        PocketSphinxRecognizer(tmp_path, matcher)
    with pytest.raises(ModelMissingError, match=r"model\.bin"):
        WhisperRecognizer(tmp_path, matcher.match)


@pytest.mark.parametrize("engine", ["whisper", "together"])
def test_a_second_ear_hears_a_word_and_leaves_the_open_utterance_alone(
    engines: dict[str, Callable[[], Recognizer]], speech: Samples, engine: str
) -> None:
    recognizer = engines[engine]()
    assert isinstance(recognizer, SecondEar) and not isinstance(engines["pocketsphinx"](), SecondEar)
    recognizer.start()
    recognizer.feed(speech)
    assert recognizer.has(speech[:20_000], "jazz") and not recognizer.has(speech[:20_000], "la")
    assert "jazz" in recognizer.finish().text


def test_a_whisper_without_its_tokenizer_is_refused_and_nothing_is_fetched(
    tmp_path: Path, matcher: TemplateMatcher
) -> None:
    folder = tiny_whisper(tmp_path / "model", ("Play",))
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ModelMissingError, match=r"tokenizer\.json"):
        WhisperRecognizer(folder, matcher.match)


@pytest.mark.parametrize("engine", ["pocketsphinx", "whisper"])
def test_a_damaged_model_is_a_clear_error(tmp_path: Path, matcher: TemplateMatcher, engine: str) -> None:
    for name in ("domain.dict", "domain.lm.bin", "model.bin", "config.json", "tokenizer.json"):
        (tmp_path / name).write_bytes(b"\x00 not a model")
    make = PocketSphinxRecognizer if engine == "pocketsphinx" else WhisperRecognizer
    with pytest.raises(ModelError, match=str(tmp_path)):
        make(tmp_path, matcher if engine == "pocketsphinx" else matcher.match)  # pyright: ignore[reportArgumentType]


def test_whisper_on_silence_with_improbable_words_is_nothing(
    tmp_path: Path, matcher: TemplateMatcher, speech: Samples, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tiny_whisper(tmp_path, ("Play", "Ġsome", "Ġjazz"), empty=30.0)
    assert hear(WhisperRecognizer(folder, matcher.match), speech).confidence < 0.2
    monkeypatch.setattr(voice.asr.whisper, "LOG_PROBABILITY", 0.5)  # the words of this network have log probability 0
    assert hear(WhisperRecognizer(folder, matcher.match), speech).text == ""


def test_whisper_that_repeats_itself_is_nothing(tmp_path: Path, matcher: TemplateMatcher, speech: Samples) -> None:
    folder = tiny_whisper(tmp_path, ("Play", *["Ġla"] * 40))
    found = hear(WhisperRecognizer(folder, matcher.match), speech)
    assert (found.text, found.confidence, found.in_grammar) == ("", 0.0, False)


def test_whisper_needs_a_tenth_of_a_second(engines: dict[str, Callable[[], Recognizer]]) -> None:
    assert hear(engines["whisper"](), np.zeros(RATE // 20, np.int16)).text == ""
