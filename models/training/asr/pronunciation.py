"""Pronunciations in ARPAbet: from CMUdict, from our reviewed list, or else from espeak-ng's phonemes (``models.runtime.phonemes``).

Owns: looking words up. ``reviewed.dict`` beside this file holds what was checked by eye, mostly
brands and British car words that CMUdict lacks; espeak-ng is asked only for words that stand in neither, and
``build`` lists those on its output so that they can be reviewed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from models.runtime.phonemes import by_espeak

REVIEWED = Path(__file__).parent / "reviewed.dict"


def read_dictionary(path: Path) -> dict[str, list[str]]:
    """A CMUdict file: word to its pronunciations, the first one first."""
    found: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith(("#", ";;;")):
            word, phones = line.split(None, 1)
            found.setdefault(re.sub(r"\(\d+\)$", "", word), []).append(" ".join(phones.split()))
    return found


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
