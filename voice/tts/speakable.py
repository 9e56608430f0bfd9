"""What of a text a synthesiser may see: letters to speak, nothing that it would take for an instruction or read out by its name."""

from __future__ import annotations

import unicodedata

from schemas.errors import AudioError
from voice.tts.reading import read_aloud

LIMIT = 4_000
"""Characters of one text, about four minutes of speech; more is a defect of the caller. Written out it is less than 64 KiB, so that
it fits into a pipe on Linux whether or not the program at its other end reads."""


def speakable(text: str) -> str:
    """The text as it is read aloud.

    Without control and format characters, pictures ("oncoming automobile"), markup, and `[[`, which espeak-ng and Piper take for
    phoneme codes; with units, times and abbreviations written out.

    Raises:
        AudioError: Longer than `LIMIT` characters.
    """
    if len(text) > LIMIT:
        raise AudioError(f"a text of {len(text)} characters is too long to speak, the limit is {LIMIT}; split it")
    words = read_aloud("".join(" " if unicodedata.category(one).startswith("C") else one for one in text))
    shown = "".join(" " if one in "[]<>" or unicodedata.category(one) in _UNSPOKEN else one for one in words)
    return " ".join(shown.split())


_UNSPOKEN = ("So", "Sk", "Cs", "Co", "Cn", "Me")
"""Pictures and their modifiers, and what has no meaning."""
