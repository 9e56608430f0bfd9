"""Words of a pronouncing dictionary: those that sound like a keyword, and nonsense sentences to hear all sounds of the language.

Owns: reading the dictionary inside the pocketsphinx package (CMUdict, BSD) and the distance between pronunciations. Does
not own voices. A fifth of the near words, chosen by a hash, is kept for measuring and never trained on.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

PRONUNCIATIONS = {"computer": "K AH M P Y UW T ER", "jarvis": "JH AA R V AH S"}
_VOWELS = frozenset("AA AE AH AO AW AY EH ER EY IH IY OW OY UH UW".split())
_ALIKE = [
    frozenset(group.split())
    for group in ("P B", "T D", "K G", "CH JH SH ZH", "F V", "S Z", "TH DH F S", "M N NG", "L R W", "Y IY UW", "R ER")
]
_SAME = 1.0
"""A word of as many phones and no farther than this is taken for the keyword itself, said otherwise ("jervis")."""
_LONGER = 3
"""Phones by which a near word may be longer or shorter."""


@cache
def dictionary() -> dict[str, tuple[str, ...]]:
    """Each word's first pronunciation; words of letters only."""
    import pocketsphinx

    path = Path(str(pocketsphinx.get_model_path("en-us/cmudict-en-us.dict")))
    entries = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
    return {entry[0]: tuple(entry[1:]) for entry in entries if entry and entry[0].isalpha()}


def distances(words: list[tuple[str, ...]], wanted: tuple[str, ...]) -> Floats:
    """Edit distance of each pronunciation to `wanted`; 0.5 for one vowel instead of another or for consonants made alike."""
    number = {phone: index for index, phone in enumerate(sorted({phone for word in words for phone in word}))}
    costs = np.asarray([[_cost(phone, other) for other in wanted] for phone in number], np.float32)
    lengths = np.asarray([len(word) for word in words])
    codes = np.zeros((len(words), max(1, int(lengths.max()))), np.int64)
    for row, word in enumerate(words):
        codes[row, : len(word)] = [number[phone] for phone in word]
    row = np.tile(np.arange(len(wanted) + 1, dtype=np.float32), (len(words), 1))
    result = row[:, -1].copy()
    for place in range(codes.shape[1]):
        fresh = np.empty_like(row)
        fresh[:, 0] = place + 1
        for index in range(len(wanted)):
            changed = row[:, index] + costs[codes[:, place], index]
            fresh[:, index + 1] = np.minimum(np.minimum(row[:, index + 1], fresh[:, index]) + 1.0, changed)
        row = fresh
        result[lengths == place + 1] = row[lengths == place + 1, -1]
    return result


@cache
def near_words(keyword: str, count: int = 400) -> tuple[str, ...]:
    """The `count` dictionary words nearest to `keyword`, those that hold it or are said just like it left out."""
    wanted = tuple(PRONUNCIATIONS[keyword].split())
    text = " ".join(wanted)
    words = [
        (word, phones)
        for word, phones in dictionary().items()
        if abs(len(phones) - len(wanted)) <= _LONGER and keyword not in word and text not in " ".join(phones)
    ]
    far = distances([phones for _, phones in words], wanted)
    found = [
        (float(value), word)
        for value, (word, phones) in zip(far, words, strict=True)
        if len(phones) != len(wanted) or value > _SAME
    ]
    return tuple(word for _, word in sorted(found)[:count])


def measured_only(word: str) -> bool:
    """Whether a near word is kept for measuring: one in five, by a hash."""
    return hashlib.sha256(f"near-1/{word}".encode()).digest()[0] < 51


def nonsense(count: int, seed: int) -> tuple[str, ...]:
    """Sentences of three to eight words drawn from the whole dictionary, without the keywords."""
    rng = np.random.default_rng(seed)
    words = [word for word in dictionary() if not any(keyword in word for keyword in PRONUNCIATIONS)]
    return tuple(
        " ".join(words[int(index)] for index in rng.integers(0, len(words), int(rng.integers(3, 9))))
        for _ in range(count)
    )


def _cost(first: str, second: str) -> float:
    if first == second:
        return 0.0
    if first in _VOWELS and second in _VOWELS:
        return 0.5
    return 0.5 if any(first in group and second in group for group in _ALIKE) else 1.0
