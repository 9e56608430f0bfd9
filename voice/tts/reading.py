"""How written English is read aloud: units, times, numbers to be read digit by digit, signs, abbreviations.

Owns the table. Only what a voice gets wrong stands in it (checked against espeak-ng's phonemes, from which Piper speaks, too): they
read "21.5", "1,000", "3rd" and "USB" well by themselves. Does not own what a text may hold at all (`voice.tts.speakable`), nor
the form in which words are matched (`models.text`).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from models.numbers import number_words

_Rule = tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]

_UNITS = {
    "km/h": "kilometres an hour", "kmh": "kilometres an hour", "mph": "miles an hour", "km": "kilometres", "m": "metres",
    "ft": "feet", "mi": "miles", "kWh": "kilowatt hours", "kW": "kilowatts", "min": "minutes", "mins": "minutes", "h": "hours",
    "hrs": "hours", "s": "seconds", "sec": "seconds", "psi": "P S I", "lb": "pounds", "kg": "kilograms", "l": "litres",
    "°C": "degrees Celsius", "°F": "degrees Fahrenheit", "°": "degrees", "%": "percent",
    "l/100 km": "litres per hundred kilometres",
}  # fmt: skip
"""After a number: else "km/h" is read "K M slash H", and "5 min" "five min"."""
_ANY_UNIT = "|".join(re.escape(unit) for unit in sorted(_UNITS, key=len, reverse=True))
_ONE = re.compile(r"^(degree|kilometre|metre|mile|minute|hour|second|pound|kilogram|litre|kilowatt)s\b")
_SINGULAR = r"\1"
_COINS = {"€": "euro", "$": "dollar", "£": "pound"}
"""Before a number: read "euros five"."""
_SHORT = {
    "dr": "Doctor", "mr": "Mister", "mrs": "Missus", "ms": "Miz", "prof": "Professor", "st": "Saint", "approx": "approximately",
    "vs": "versus", "e.g": "for example", "i.e": "that is", "ave": "Avenue", "blvd": "Boulevard", "rd": "Road", "hwy": "Highway",
    "dept": "department", "max": "maximum",
}  # fmt: skip
"""Before a full stop that ends no sentence: Piper makes an end of it, with the fall and the pause."""
_SIGNS = {
    "½": " and a half", "¼": " and a quarter", "¾": " and three quarters", "~": " about ", "≈": " about ", "×": " times ",
    "&": " and ", "#": " number ", "ß": "ss", "straße": "strahssa", "Straße": "Strahssa", "_": " ", "*": " ", "`": " ", "|": ", ",
}  # fmt: skip
_SLASHED = {"a/c": "air conditioning", "w/o": "without", "24/7": "twenty four seven"}
_HALF = re.compile(r"(?<!\d)(\s*)([½¼¾])")
_ALONE = {"½": "half", "¼": "a quarter", "¾": "three quarters"}


def _unit(found: re.Match[str]) -> str:
    number, words = found[1], _UNITS[found[2]]
    return f"{number} {_ONE.sub(_SINGULAR, words) if number == '1' else words}"


def _coin(found: re.Match[str]) -> str:
    coin, whole, cents = _COINS[found[1]], found[2], found[3]
    words = f"{whole} {coin}" if whole == "1" else f"{whole} {coin}s"
    return f"{words} {int(cents)}" if cents and int(cents) else words


def _clock(found: re.Match[str]) -> str:
    """7:30 "seven thirty", 7:05 "seven oh five", 7:00 "seven o'clock"; of 24 hours "twenty one thirty one"."""
    hour, minute = int(found[1]), int(found[2])
    if hour > 23 or minute > 59:
        return found[0]
    hours = number_words(hour) if hour else "zero"
    if not minute:
        return hours if found[3] else f"{hours} o'clock"
    return f"{hours} {'oh ' if minute < 10 else ''}{number_words(minute)}"


def _digits(found: re.Match[str]) -> str:
    """A telephone number: digit by digit, in the groups in which it is written."""
    names = {"+": "plus", **{str(digit): number_words(digit) for digit in range(10)}}
    return ", ".join(" ".join(names[sign] for sign in group if sign in names) for group in found[0].split())


_RULES: tuple[_Rule, ...] = (
    (re.compile(r"</?[A-Za-z][^<>]{0,200}>|https?://"), " "),  # markup is neither obeyed nor read
    (re.compile(rf"\b(?:{'|'.join(_SLASHED)})(?!\w)", re.IGNORECASE), lambda found: _SLASHED[found[0].lower()]),
    (re.compile(r"(?<![\w+])(?:\+\d[\d ]{5,}\d|0\d{2,}(?: \d+)+|\d{7,})(?![\w.,]\d)"), _digits),
    (re.compile(r"(?<![\d:])(\d{1,2}):(\d\d)(?!:?\d)(?=(\s*(?:[ap]\.?m\b|o'clock))?)"), _clock),
    (re.compile(r"([€$£])\s?(\d+(?:,\d{3})*)(?:\.(\d\d))?(?!\d)"), _coin),
    (re.compile(rf"(?<![\w.])([+-]?\d+(?:,\d{{3}})*(?:\.\d+)?)\s?({_ANY_UNIT})(?![\w/])"), _unit),
    (re.compile(r"(?<![-.\w])(\d+(?:\.\d+)?)\s?[–-]\s?(\d+(?:\.\d+)?)(?![-\w])"), r"\1 to \2"),
    (re.compile(r"(?<=\w)/(?=[^\W\d])"), " "),  # "and/or", "AC/DC"
    (re.compile(r"\bno\.(?=\s?\d)", re.IGNORECASE), "number"),
    (
        re.compile(rf"\b({'|'.join(re.escape(short) for short in _SHORT)})\.(?=\s+\w)", re.IGNORECASE),
        lambda found: _SHORT[found[1].lower()],
    ),
    (_HALF, lambda found: f"{found[1]}{_ALONE[found[2]]}"),
    (
        re.compile("|".join(re.escape(sign) for sign in sorted(_SIGNS, key=len, reverse=True))),
        lambda found: _SIGNS[found[0]],
    ),
)


def read_aloud(text: str) -> str:
    """The text with everything written out that a voice would read wrongly."""
    for pattern, words in _RULES:
        text = pattern.sub(words, text)
    return text
