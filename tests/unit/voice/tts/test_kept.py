"""Sentences made ahead: which they are, and what is held of them."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import voice.tts.kept
from deploy.speech import MakingAhead, assembled_voice, said
from schemas.errors import AudioError, GloveboxError
from schemas.events import SAMPLE_RATE, Samples
from tests.vehicle_rigs import until
from voice.audio.wavefile import read
from voice.dialogue.replies import responder
from voice.dialogue.replies.fixed import PLAIN, fixed_sentences
from voice.tts.fake import FakeSynthesizer
from voice.tts.kept import KeptSentences, voice_digest
from voice.tts.piper import PiperSynthesizer
from voice.tts.sentences import split_clauses, split_sentences
from voice.tts.speakable import speakable

OWN = ("Okay.", "Say yes or no.", "Done.")


def made(folder: Path, sentences: tuple[str, ...] = OWN, voice: str = "v1") -> KeptSentences:
    kept = KeptSentences(folder, voice, sentences)
    while kept.make(FakeSynthesizer()):
        pass
    return kept


def test_what_was_made_is_there_again(tmp_path: Path) -> None:
    first = made(tmp_path)
    again = KeptSentences(tmp_path, "v1", OWN)
    assert again.missing() == () and again.make(FakeSynthesizer()) == 0
    for sentence in OWN:
        one, other = first.get(sentence), again.get(sentence)
        assert one is not None and other is not None
        assert np.array_equal(one, other) and not other.flags.writeable


def test_nothing_but_its_own_sentences_is_ever_kept(tmp_path: Path) -> None:
    kept = made(tmp_path)
    assert kept.get("You like jazz.") is None
    assert len(list(tmp_path.rglob("*.wav"))) == len(OWN)
    for path in tmp_path.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, "for the owner alone"


@pytest.mark.parametrize("damage", [b"", b"RIFF", b"rubbish" * 100])
def test_a_damaged_file_is_made_again(tmp_path: Path, damage: bytes) -> None:
    made(tmp_path)
    for path in tmp_path.rglob("*.wav"):
        path.write_bytes(damage)
    assert KeptSentences(tmp_path, "v1", OWN).missing() == OWN
    assert made(tmp_path).get("Okay.") is not None


def test_a_cut_file_is_made_again(tmp_path: Path) -> None:
    made(tmp_path)
    for path in tmp_path.rglob("*.wav"):
        path.write_bytes(path.read_bytes()[:-100])
    assert KeptSentences(tmp_path, "v1", OWN).missing() == OWN


def test_another_voice_begins_anew_and_the_old_one_goes(tmp_path: Path) -> None:
    made(tmp_path, voice="v1")
    other = KeptSentences(tmp_path, "v2", OWN)
    assert other.missing() == OWN
    other.drop_other_voices()
    assert KeptSentences(tmp_path, "v1", OWN).missing() == OWN


def test_what_is_held_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voice.tts.kept, "LIMIT_S", 10.0)
    kept = made(tmp_path, tuple(f"Sentence number {n}." for n in range(50)))
    held = [sound for n in range(50) if (sound := kept.get(f"Sentence number {n}.")) is not None]
    assert 5 < len(held) < 10 and sum(map(len, held)) <= 10 * SAMPLE_RATE and kept.missing() == ()


def test_where_not_even_the_first_fits_nothing_is_made_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(voice.tts.kept, "LIMIT_S", 0.1)
    assert made(tmp_path).missing() == ()


def test_what_an_upgrade_says_first_takes_the_room_of_what_it_says_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(voice.tts.kept, "LIMIT_S", 10.0)
    old = tuple(f"Sentence number {n}." for n in range(50))
    made(tmp_path, old)
    kept = made(tmp_path, ("I see.", "Okay.", *old))
    again = KeptSentences(tmp_path, "v1", ("I see.", "Okay.", *old))
    for one in (kept, again):
        assert one.get("I see.") is not None and one.get("Okay.") is not None and one.missing() == ()
        held = [sound for sentence in ("I see.", "Okay.", *old) if (sound := one.get(sentence)) is not None]
        assert len(held) > 5 and sum(map(len, held)) <= 10 * SAMPLE_RATE
    files = len(list(tmp_path.rglob("*.wav")))
    assert files <= len(held) + 1, "what gave up its room is gone from the folder, too"


def test_a_voice_that_fails_or_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    class Silent:
        def synthesize(self, text: str) -> Iterator[Samples]:
            yield from ()

    class Broken:
        def synthesize(self, text: str) -> Iterator[Samples]:
            raise AudioError("broken")

    kept = KeptSentences(tmp_path / "file", "v1", OWN)
    for voice_ in (Silent(), Broken()):
        with pytest.raises(GloveboxError):
            kept.make(voice_)
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OSError, match="file"):
        kept.make(FakeSynthesizer())
    assert kept.get("Okay.") is not None, "in memory all the same"


def test_a_voice_is_told_by_its_files_and_settings(tmp_path: Path) -> None:
    model = tmp_path / "a.onnx"
    model.write_bytes(b"a" * 3_000_000)
    model.with_name("a.onnx.json").write_text("{}")
    seen = {voice_digest(model), voice_digest(model, 1.2)}
    model.with_name("a.onnx.json").write_text('{"x": 1}')
    seen.add(voice_digest(model))
    model.write_bytes(b"a" * 2_999_999 + b"b")
    seen.add(voice_digest(model))
    assert len(seen) == 4


def test_a_voice_that_fails_ahead_disturbs_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    with MakingAhead(KeptSentences(tmp_path, "v1", OWN), tmp_path / "absent.onnx", begin_s=0.0):
        until(lambda: "no sentence could be made ahead" in caplog.text, "the warning")


def test_a_quick_voice_keeps_nothing(tmp_path: Path) -> None:
    speech, ahead = assembled_voice(FakeSynthesizer(), FakeSynthesizer(), tmp_path)
    assert ahead is None and list(speech.synthesize("Okay.")) and not list(tmp_path.iterdir())
    speech.close()


def test_the_very_first_start_makes_what_is_said_most(tmp_path: Path) -> None:
    class Made(PiperSynthesizer):
        def __init__(self) -> None:
            self.voice, self.said = tmp_path / "a.onnx", list[str]()

        def synthesize(self, text: str) -> Iterator[Samples]:
            self.said.append(text)
            yield np.ones(160, np.int16)

        def close(self) -> None: ...

    (tmp_path / "a.onnx").write_bytes(b"a")
    (tmp_path / "a.onnx.json").write_text("{}")
    first, again = Made(), Made()
    speech, ahead = assembled_voice(first, FakeSynthesizer(), tmp_path / "spoken")
    assert ahead is not None and first.said[:2] == list(fixed_sentences()[:2]) and 10 < len(first.said) < 25
    assembled_voice(again, FakeSynthesizer(), tmp_path / "spoken")
    assert again.said == []
    list(speech.synthesize(PLAIN[0]))
    assert first.said.count(PLAIN[0]) == 1
    speech.close()


def test_the_fixed_sentences_are_sentences_without_gaps() -> None:
    sentences = fixed_sentences()
    assert 250 < len(sentences) < 500 and len(set(sentences)) == len(sentences)
    for sentence in sentences:
        assert split_sentences(sentence) == (sentence,) and speakable(sentence)
        assert "None" not in sentence and "_" not in sentence
    assert {"Doors locked.", "21.5 degrees.", "Shall I open the trunk?", "I can't reach my memory."} <= set(sentences)


def test_there_is_room_for_every_action_before_all_windows_and_seats_have_theirs() -> None:
    sentences = fixed_sentences()
    seconds = [sum(0.4 + 0.065 * len(one) for one in sentences[: sentences.index(last) + 1]) for last in (
        "Playing.", "Paused.", "Next one.", "Muted.", "Navigation ended.", "Charging.", "What kind of place?", "Hello.",
    )]  # fmt: skip
    assert max(seconds) < voice.tts.kept.LIMIT_S, (
        "Piper takes about so long for a sentence; behind the limit nothing is kept"
    )


def test_what_free_speech_is_answered_often_begins_with_a_sound_that_is_kept() -> None:
    first = {split_clauses(split_sentences(one)[0])[0] for one in (
        responder.CHAT, "I won't keep that: you switched podcast genres off.", "Okay, I'll remember that you like jazz.",
    )}  # fmt: skip
    assert first <= set(fixed_sentences())


def test_plain_replies_stand_where_they_are_said() -> None:
    source = " ".join(path.read_text() for path in Path("voice/dialogue").rglob("*.py") if path.name != "fixed.py")
    source = re.sub(r'"\s*\n\s*f?"', "", source)
    assert [reply for reply in PLAIN if not all(part in source for part in split_sentences(reply))] == []


def test_saying_something_into_a_file(tmp_path: Path) -> None:
    told = list(said(FakeSynthesizer(), ["one two", "three"], tmp_path / "said.wav", None))
    assert [one["text"] for one in told] == ["one two", "three"]
    assert len(read(tmp_path / "said.wav")) / SAMPLE_RATE == pytest.approx(
        sum(float(str(one["seconds"])) for one in told), abs=0.01
    )
