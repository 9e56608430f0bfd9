"""Pronunciations and the build of the trigram."""

from __future__ import annotations

from pathlib import Path

import pocketsphinx
import pytest

from models.commands.templates import load_templates
from models.runtime.phonemes import arpabet
from models.training.asr import build as building
from models.training.asr.pronunciation import REVIEWED, pronounce, read_dictionary
from models.training.voices import available

BUILTIN = Path(__file__).parents[3] / "models" / "builtin" / "asr"
PACKAGE = Path(pocketsphinx.get_model_path("en-us/cmudict-en-us.dict"))
PHONES = {phone for ways in read_dictionary(PACKAGE).values() for way in ways[:1] for phone in way.split()}


@pytest.mark.parametrize(
    ("ipa", "phones"),
    [
        ("wˈɪndskɹiːn", "W IH N D S K R IY N"),
        ("ɹˈeɪdɪˌoʊhɛd", "R EY D IH OW HH EH D"),
        ("kˈɑːɹpɑːɹk", "K AA R P AA R K"),
        ("tʃˈɑːɹdʒɚ", "CH AA R JH ER"),
        ("lˈɪdəl", "L IH D AH L"),
    ],
)
def test_phonemes_become_arpabet(ipa: str, phones: str) -> None:
    assert arpabet(ipa) == phones


def test_no_phonemes_is_an_error() -> None:
    with pytest.raises(ValueError, match="no phoneme"):
        arpabet("?!")


def test_reviewed_words_use_the_phones_of_the_acoustic_model() -> None:
    assert len(PHONES) == 39
    for ways in read_dictionary(REVIEWED).values():
        assert {phone for way in ways for phone in way.split()} <= PHONES


def test_a_reviewed_word_wins_over_the_dictionary_and_espeak_is_asked_last() -> None:
    if not available():
        pytest.skip("espeak-ng is not installed: nobody to ask for a pronunciation")
    found, guessed = pronounce(["ionity", "the", "flumbert"], {"the": ["DH AH", "DH IY"], "ionity": ["N OW"]})
    assert found["ionity"] == ["AY AA N IH T IY"]
    assert found["the"] == ["DH AH", "DH IY"]
    assert found["flumbert"] == ["F L AH M B ER T"]
    assert guessed == ["flumbert"]


def test_the_builtin_dictionary_has_every_word_of_the_templates_and_known_phones() -> None:
    words = read_dictionary(BUILTIN / "domain.dict")
    assert load_templates().vocabulary() <= set(words)
    assert {phone for ways in words.values() for way in ways for phone in way.split()} <= PHONES
    assert len(words["computer"]) == 4


def test_the_corpus_is_the_same_for_the_same_seed() -> None:
    templates = load_templates()
    first, again = (building.corpus(templates, 3, commands=50, free=30) for _ in range(2))
    assert first == again
    assert first != building.corpus(templates, 4, commands=50, free=30)
    assert len(first.commands) == 50 and len(first.free) == 30
    assert any(text.startswith("computer ") for text in first.commands)


def test_a_build_is_reproducible_and_loads(tmp_path: Path) -> None:
    for name in ("one", "two"):
        figures = building.build(tmp_path / name, seed=1, commands=200, free=0)
        assert figures["commands"] == 200
    for name in ("domain.dict", "domain.lm.bin", "CARD.md"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    decoder = pocketsphinx.Decoder(
        hmm=pocketsphinx.get_model_path("en-us/en-us"), dict=str(tmp_path / "one" / "domain.dict"),
        lm=str(tmp_path / "one" / "domain.lm.bin"), loglevel="FATAL",
    )  # fmt: skip
    assert decoder.lookup_word("windscreen") == "W IH N D S K R IY N"


def test_the_builtin_files_are_small() -> None:
    assert sum(path.stat().st_size for path in BUILTIN.iterdir()) < 7_000_000
