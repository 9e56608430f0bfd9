"""Pronunciations in ARPAbet: from CMUdict, from our reviewed list, or else from espeak-ng's phonemes.

Owns: looking words up and translating phonemes. ``reviewed.dict`` beside this file holds what was checked by eye, mostly
brands and British car words that CMUdict lacks; espeak-ng is asked only for words that stand in neither, and
``build`` lists those on its output so that they can be reviewed.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from schemas.errors import ModelError

REVIEWED = Path(__file__).parent / "reviewed.dict"

# espeak-ng's IPA for en-us, longest first when splitting, to the 39 ARPAbet phones of CMUdict.
_PHONES: dict[str, str] = {
    "aɪɚ": "AY ER", "aɪə": "AY AH", "ɑːɹ": "AA R", "ɔːɹ": "AO R", "oːɹ": "AO R", "oʊ": "OW", "aʊ": "AW", "aɪ": "AY",
    "eɪ": "EY", "ɔɪ": "OY", "tʃ": "CH", "dʒ": "JH", "iə": "IY AH", "ɑː": "AA", "ɔː": "AO", "ɜː": "ER", "iː": "IY", "uː": "UW",
    "ɛɹ": "EH R", "ɪɹ": "IH R", "ʊɹ": "UH R", "əl": "AH L", "ɚ": "ER", "ɝ": "ER", "ɐ": "AH", "ə": "AH", "ʌ": "AH", "ᵻ": "IH",
    "æ": "AE", "ɛ": "EH", "ɪ": "IH", "i": "IY", "ʊ": "UH", "u": "UW", "ɔ": "AO", "a": "AA", "ɑ": "AA", "o": "OW", "e": "EH",
    "b": "B", "d": "D", "ð": "DH", "f": "F", "ɡ": "G", "g": "G", "h": "HH", "j": "Y", "k": "K", "l": "L", "m": "M",
    "n": "N", "ŋ": "NG", "p": "P", "ɹ": "R", "r": "R", "s": "S", "ʃ": "SH", "t": "T", "ɾ": "T", "θ": "TH", "v": "V",
    "w": "W", "z": "Z", "ʒ": "ZH", "x": "K", "ʔ": "T",
}  # fmt: skip
_SPLIT = re.compile("|".join(sorted(map(re.escape, _PHONES), key=len, reverse=True)))


def read_dictionary(path: Path) -> dict[str, list[str]]:
    """A CMUdict file: word to its pronunciations, the first one first."""
    found: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith(("#", ";;;")):
            word, phones = line.split(None, 1)
            found.setdefault(re.sub(r"\(\d+\)$", "", word), []).append(" ".join(phones.split()))
    return found


def arpabet(ipa: str) -> str:
    """espeak-ng's IPA in ARPAbet; stress, length and unknown marks are dropped.

    Raises:
        ValueError: nothing in it is known.
    """
    phones = " ".join(_PHONES[found.group()] for found in _SPLIT.finditer(re.sub("[ˈˌ_ ]", "", ipa)))
    if not phones:
        raise ValueError(f"no phoneme in {ipa!r}")
    return phones


def by_espeak(word: str) -> str:
    """How espeak-ng's American voice says the word, in ARPAbet.

    Raises:
        schemas.errors.ModelError: espeak-ng is missing or has nothing to say.
    """
    command = ["espeak-ng", "-q", "--ipa", "-v", "en-us", word]
    try:
        return arpabet(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    except (OSError, subprocess.CalledProcessError, ValueError) as error:
        raise ModelError(
            f"no pronunciation for {word!r}: no dictionary has it and espeak-ng gave none; "
            "write it under pronunciations in the template file"
        ) from error


def pronounce(
    words: Iterable[str], cmudict: dict[str, list[str]], more: Mapping[str, Sequence[str]] | None = None
) -> tuple[dict[str, list[str]], list[str]]:
    """Pronunciations of the words, and which of them only espeak-ng knew; both sorted.

    Args:
        words: what to look up.
        cmudict: the package's dictionary.
        more: further ways of saying some of the words, after those of the dictionaries.
    """
    reviewed = read_dictionary(REVIEWED)
    found: dict[str, list[str]] = {}
    guessed: list[str] = []
    for word in sorted(set(words)):
        known = [*(reviewed.get(word) or cmudict.get(word) or ()), *(more or {}).get(word, ())]
        if not known:
            guessed.append(word)
        found[word] = list(dict.fromkeys(known)) or [by_espeak(word)]
    return found, guessed
