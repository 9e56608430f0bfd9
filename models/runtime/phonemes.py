"""How espeak-ng says a word, in the phones of CMUdict: for names that no dictionary has.

Owns the translation of phonemes. Used where dictionaries are built and, for the names of a driver's contacts and playlists, where
a recogniser starts.
"""

from __future__ import annotations

import re
import subprocess

from schemas.errors import ModelError

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
