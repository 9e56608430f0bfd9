"""Numbers in English words: how a number is said, and which number words say. The only table of number words there is.

`unicode_rbnf` (Unicode's own rules) says numbers; it does not read them, so reading is here: whole numbers up to 199 and their
halves, as much as temperatures, levels, minutes and hours need.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unicode_rbnf import RbnfEngine

SMALL: dict[str, int] = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen".split()
    )
}
TENS: dict[str, int] = {
    word: 10 * number
    for number, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
}
_ONES = tuple(SMALL)[1:10]
NUMBER = (
    rf"(?:(?:{'|'.join(TENS)})(?: (?:{'|'.join(_ONES)}))?|{'|'.join(sorted(tuple(SMALL)[1:], key=len, reverse=True))})"
)
"""Pattern of a number from 1 to 99 in words."""
HOUR = rf"(?:{'|'.join(sorted(tuple(SMALL)[1:13], key=len, reverse=True))})"
"""Pattern of an hour of the clock in words, 1 to 12."""


@lru_cache(maxsize=1)
def _engine() -> RbnfEngine:
    from unicode_rbnf import RbnfEngine  # a tenth of a second that most commands do not need

    return RbnfEngine.for_language("en")


@lru_cache(maxsize=512)
def number_words(value: float) -> str:
    """A number in English words, without hyphens: ``22.5`` is "twenty two point five"."""
    exact = int(value) if float(value).is_integer() else value
    return _engine().format_number(exact).text.replace("-", " ")


@lru_cache(maxsize=256)
def ordinal_words(value: int) -> str:
    """A place in an order in English words: ``21`` is "twenty first"."""
    return _engine().format_number(value, ruleset_names=["spellout-ordinal"]).text.replace("-", " ")


def number_of(words: str) -> int:
    """The number that words say which `NUMBER` matches."""
    return sum(TENS.get(word, SMALL.get(word, 0)) for word in words.split())


def number_at(words: Sequence[str], at: int) -> float | None:
    """The number 0 to 199.5 that begins at a word, as far as it goes: "twenty one and a half" is 21.5; None for no number.

    Args:
        words: lower-case words or digits, hyphens and points as words of their own.
        at: where to look.
    """
    whole, after = _whole(words[at]), at + 1
    if whole is None:
        return None
    one = _whole(words[after]) if words[at] in TENS and after < len(words) else None
    if one is not None and words[after] in _ONES:
        whole, after = whole + one, after + 1
    rest = tuple(words[after : after + 3])
    if rest == ("and", "a", "half") or rest[:2] == ("and", "half"):
        return whole + 0.5
    tenth = _whole(rest[1]) if len(rest) > 1 and rest[0] == "point" else None
    return whole + tenth / 10 if tenth is not None and tenth < 10 else float(whole)


def numbers(text: str) -> set[float]:
    """All numbers 0 to 199.5 that a text says, in digits or words ("twenty one and a half" -> 21.5; 20, 1 and 21 too)."""
    found = {float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)}
    words = re.findall(r"[a-z]+", text.lower().replace("-", " "))
    for at, word in enumerate(words):
        long = number_at(words, at)
        if long is not None:
            bare = _whole(word) or 0
            one = _whole(words[at + 1]) if word in TENS and at + 1 < len(words) and words[at + 1] in _ONES else None
            found |= {float(bare), float(bare + (one or 0)), long}
    return found


_SHORT = re.compile(
    rf"\b(?P<whole>sixteen|seventeen|eighteen|nineteen|twenty (?:{'|'.join(_ONES)})) five\b"
    r"(?! (?:minutes?|hours?|seconds?|percent)\b)"
)


def with_points(text: str) -> str:
    """A text with these written out: "nineteen point five"."""
    return _SHORT.sub(lambda found: f"{found['whole']} point five", text)


def _whole(word: str) -> int | None:
    """A single word or its digits, 0 to 199."""
    if word.isdecimal():
        return int(word) if len(word) <= 3 and int(word) < 200 else None
    return 100 if word == "hundred" else TENS.get(word, SMALL.get(word))


FM_MHZ = (87.5, 108.0)
"""The FM broadcast band of ITU Region 1."""
_FREQUENCY = re.compile(
    r"^(?:the )?(?:radio |station |f m |fm )*(?P<whole>[a-z]+(?: [a-z]+)*?|\d{2,3})(?:(?: point |\.)(?P<tenth>[a-z]+|\d))?"
    r"(?: f m| fm| megahertz| mhz)*$"
)


def mhz_of(name: str) -> float | None:
    """The place on the dial that words or digits name ("ninety eight point five", "101.1 FM"), in MHz; None for any other name."""
    found = _FREQUENCY.match(name.casefold().strip())
    if found is None:
        return None
    words = re.sub(r"^(?:one|a) (?=hundred)", "", found["whole"]).split()
    above = 0
    if words[0] == "hundred" or words[:2] in (["one", "oh"], ["one", "zero"], ["one", "o"]):
        above, words = 100, [word for word in words[1:] if word not in ("and", "oh", "zero", "o")] or ["zero"]
    whole = _all_of(words)
    tenth = 0.0 if found["tenth"] is None else _all_of([found["tenth"]])
    if whole is None or tenth is None or tenth > 9:
        return None
    mhz = above + whole + tenth / 10
    return mhz if FM_MHZ[0] <= mhz <= FM_MHZ[1] else None


def mhz_words(mhz: float) -> tuple[str, ...]:
    """How a place on the dial is said."""
    plain = number_words(mhz)
    above = plain.removeprefix("one hundred ")
    return (plain,) if mhz < 101.0 else (f"one hundred and {above}", f"one oh {above}", plain)


def _all_of(words: Sequence[str]) -> float | None:
    """The number that all of these words say."""
    known = len(words) == 1 or (len(words) == 2 and words[0] in TENS and 0 < SMALL.get(words[1], 0) < 10)
    return number_at(words, 0) if known else None
