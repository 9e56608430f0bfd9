"""What of a text a synthesiser may see: letters to speak, nothing that it would take for an instruction."""

from __future__ import annotations

import unicodedata

from schemas.errors import AudioError

LIMIT = 4_000
"""Characters of one text, about four minutes of speech; more is a defect of the caller. At most 16 kB, so that it fits into a
pipe (64 KiB on Linux) whether or not the program at its other end reads."""


def speakable(text: str) -> str:
    """The text without control and format characters and without `[[`, which espeak-ng and Piper take for phoneme codes.

    Raises:
        AudioError: Longer than `LIMIT` characters.
    """
    if len(text) > LIMIT:
        raise AudioError(f"a text of {len(text)} characters is too long to speak, the limit is {LIMIT}; split it")
    shown = "".join(" " if unicodedata.category(character).startswith("C") else character for character in text)
    return " ".join(shown.replace("[", " ").replace("]", " ").split())
