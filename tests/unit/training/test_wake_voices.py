"""Who speaks when the wake word is trained, its threshold chosen, and it is measured: three casts that never meet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf

from models.training import voices
from models.training.wake import strangers
from models.training.wake.corpus import Clip
from models.training.wake.measure import poisson, wilson
from models.training.wake.words import talk
from schemas.errors import EngineMissingError

RATE = 16_000


def cast(draw: voices.Draw, count: int = 1500) -> set[str]:
    rng = np.random.default_rng(1)
    return {draw(rng).voice for _ in range(count)}


def test_no_voice_to_measure_with_is_trained_on() -> None:
    trained, chosen = cast(voices.OLD) | cast(voices.READ), cast(voices.DEV)
    assert trained.isdisjoint(voices.TEST_VOICES) and chosen.isdisjoint(voices.TEST_VOICES)
    assert not any("slt" in voice or "en-US" in voice for voice in trained | chosen)
    assert (
        trained.isdisjoint(chosen)
        and trained.isdisjoint(cast(voices.OTHERS))
        and chosen.isdisjoint(cast(voices.OTHERS))
    )
    assert {voice.rpartition(":")[0] for voice in trained} == {"", "flite", "festival", "pico"}


def test_shares_of_a_mixture_are_kept() -> None:
    draw = voices.mixed((3.0, voices.one_of("a:", ("x",))), (1.0, voices.one_of("b:", ("y",))))
    rng = np.random.default_rng(2)
    spoken = [draw(rng).voice for _ in range(2000)]
    assert spoken.count("a:x") / 2000 == pytest.approx(0.75, abs=0.04)


def test_a_missing_engine_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(_: str) -> None:
        return None

    monkeypatch.setattr("shutil.which", nowhere)
    with pytest.raises(EngineMissingError, match="flite is not installed"):
        voices.speak("computer", voices.Prosody("flite:rms", 160, 50))
    monkeypatch.delenv(voices.PIPER, raising=False)
    with pytest.raises(EngineMissingError, match=voices.PIPER):
        voices.speak("computer", voices.Prosody("piper:joe", 160, 50))


def test_talk_holds_no_keyword_and_its_parts_are_apart() -> None:
    train, dev, test = (set(talk.lines(part)) for part in ("train", "dev", "test"))
    assert len(train) > 4000 and len(dev) > 300 and len(test) > 300
    assert train.isdisjoint(dev) and train.isdisjoint(test) and dev.isdisjoint(test)
    assert not any(word in line.lower() for line in train | dev | test for word in ("comput", "jarvis"))


@pytest.fixture
def mute(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Nobody speaks: every utterance lasts half a second; what was to be said is taken down."""
    said: list[tuple[str, str]] = []

    def speak(text: str, prosody: voices.Prosody) -> Clip:
        said.append((prosody.voice, text))
        return np.ones(RATE // 2, np.int16)

    monkeypatch.setattr(voices, "speak", speak)
    return said


def test_strangers_call_in_turn_alone_and_with_a_command(mute: list[tuple[str, str]]) -> None:
    names = [name for name, _ in strangers.calls("computer", 30, 1)]
    assert names[:3] == ["000-piper-joe", "001-pico-en-US", "002-festival-cmu_us_slt_arctic_hts"]
    assert {voice for voice, _ in mute} == set(voices.TEST_VOICES)
    texts = [text for _, text in mute]
    assert texts.count("computer") == 18 and all("computer" in text for text in texts)
    assert sum(text.endswith(strangers.COMMANDS) for text in texts) == 9


def test_strangers_talk_for_as_long_as_asked_and_never_call(mute: list[tuple[str, str]]) -> None:
    lines = [
        "the computer is on",
        "hm",
        "ask Jarvis about it",
        *(f"this is line number {index}" for index in range(40)),
    ]
    assert len(list(strangers.talk(lines, 0.1, 1))) == 12
    assert all(text.startswith("this is line") for _, text in mute)
    assert len(list(strangers.talk(lines, 60.0, 1))) == 40


def test_a_folder_of_strangers_is_whole_or_absent(tmp_path: Path) -> None:
    def two(fail: bool) -> Callable[[], None]:
        def clips() -> Iterator[tuple[str, Clip]]:
            yield "000-a", np.ones(800, np.int16)
            if fail:
                raise EngineMissingError("gone")
            yield "001-b", np.ones(800, np.int16)

        return lambda: strangers.write(tmp_path / "calls", clips())

    with pytest.raises(EngineMissingError):
        two(True)()
    assert not (tmp_path / "calls").exists()
    two(False)()
    assert sorted(path.name for path in (tmp_path / "calls").iterdir()) == ["000-a.wav", "001-b.wav"]
    assert sf.info(tmp_path / "calls" / "000-a.wav").samplerate == RATE


def test_intervals_are_those_of_the_tables() -> None:
    assert poisson(0) == pytest.approx((0.0, 3.689), abs=0.001)  # Garwood 1936
    assert poisson(3) == pytest.approx((0.619, 8.767), abs=0.001)
    assert wilson(0.0, 210) == pytest.approx((0.0, 0.01797), abs=1e-4)
