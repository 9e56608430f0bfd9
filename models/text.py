"""One spelling for every text: `normal` and `words` for what is read and stored, `spoken` for what is matched as speech.

Owns: case, apostrophes, punctuation, digits, units and abbreviations, and the names of days and months. Templates, both
recognisers, typed text and the measurements meet in the form that ``spoken`` gives; memory compares texts in the form that
``normal`` gives, which stands in vaults and must not change. The stems of search are `memory.recall.lexical`'s, numbers
`models.numbers`'; how text is read aloud is `voice.tts.reading`'s matter. Does not own meaning.
"""

from __future__ import annotations

import re
import unicodedata

from models.numbers import number_words, ordinal_words
from schemas import clock

_SHORT: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\bo\.k\b\.?"), "okay"),
    (re.compile(r"\bdr\.(?=\s+\w)"), "doctor"),
    (re.compile(r"\bmr\b\.?"), "mister"),
    (re.compile(r"\bmrs\b\.?"), "missus"),
    (re.compile(r"\bst\.(?=\s+\w)"), "saint"),
    (re.compile(r"(?<=\w)\s+st\.?(?=\s*(?:$|[,?!]))"), " street"),
    (re.compile(r"(?<=\w)\s+(?:ave|av)\b\.?"), " avenue"),
    (re.compile(r"(?<=\w)\s+rd\b\.?"), " road"),
    (re.compile(r"\bper cent\b"), "percent"),
    (re.compile(r"&"), " and "),
)  # fmt: skip
"""Abbreviations that recognisers write and nobody says as they stand."""
_UNITS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?:(?<=\d)|(?<=\d\s))(?:°\s*|(?<!\s))c\b"), " degrees celsius"),
    (re.compile(r"(?:(?<=\d)|(?<=\d\s))(?:°\s*|(?<!\s))f\b"), " degrees fahrenheit"),
    (re.compile(r"(?<=\d)\s*°"), " degrees"),
    (re.compile(r"(?<=\d)\s*%"), " percent"),
    (re.compile(r"(?<=\d)\s*km/h\b"), " kilometers per hour"),
    (re.compile(r"(?<=\d)\s*mph\b"), " miles per hour"),
    (re.compile(r"(?<=\d)\s*km\b"), " kilometers"),
    (re.compile(r"(?<=\d)\s*mins?\b"), " minutes"),
    (re.compile(r"(?<=\d)\s*secs?\b"), " seconds"),
    (re.compile(r"(?<=\d)\s*(?:hrs?|h)\b"), " hours"),
    (re.compile(r"(?<=\d)[\s-]*oz\b"), " ounce"),
)
"""Units behind a number."""
_DIALLED = re.compile(
    r"\b((?:call|dial|phone|ring|telephone)\s+(?:(?:the\s+|this\s+)?number\s+)?)(\+?\d[\d\s()/.-]*\d)(?!\w|[:%°]|[,.]\d)"
)
"""A number behind a word of calling: its digits are said one by one."""
_TELEPHONE = re.compile(r"(?<![\w.,:+])()(\+\d[\d\s()/-]{5,}\d|0\d[\d\s]{5,}\d)(?![\w:%°]|[,.]\d)")
"""A number that by its beginning and its length is dialled, wherever it stands."""
_MONEY = re.compile(r"([€$£])\s*(\d{1,6})(?:[.,](\d{2}))?(?!\d)|(\d{1,6})(?:[.,](\d{2}))?\s*([€£])")
_COINS = {"€": "euro", "$": "dollar", "£": "pound"}
_CLOCK = re.compile(r"(?<![\d:.])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])(\s*[ap]\.?m\b)?")
_ORDINAL = re.compile(r"(?<![\w.])(\d{1,4})(?:st|nd|rd|th)\b")
_DECADE = re.compile(r"(?<!\w)'?(\d0)'?s\b")
_DECADES = {
    "20": "twenties", "30": "thirties", "40": "forties", "50": "fifties", "60": "sixties", "70": "seventies", "80": "eighties",
    "90": "nineties",
}  # fmt: skip
_FRACTIONS = {"½": "a half", "¼": "a quarter", "¾": "three quarters"}
_FRACTION = re.compile(r"(\d)?\s*([½¼¾])")
_THOUSANDS = re.compile(r"(?<![\d,.])(\d{1,3}),(\d{3})(?![\d,])")
_MINUS = re.compile(r"(?:^|(?<=\s))[-\u2212](?=\d)")
_HALF_DAY = re.compile(r"(?<=\d)\s*([ap])\.?m\b\.?|\b(?<=[a-z] )(p)m\b")
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d\b)")
_NUMBER = re.compile(r"(?<![\w.])\d{1,6}(?:\.\d{1,2})?(?!\w)(?!\.\d)")
_INITIALS = re.compile(r"\b(?:[a-z]\.){2,}|\b[a-z]\.[a-z]\b")
_STRAY = re.compile(r"[^\w' ]|_")
_LOOSE_APOSTROPHE = re.compile(r"(?<![^\W_])'|'(?![^\W_])")
_WORDS = {"ok": "okay", "o'clock": "oclock", "ac": "a c", "metre": "meter", "metres": "meters", "kilometre": "kilometer",
          "kilometres": "kilometers", "centre": "center", "colour": "color", "colours": "colors", "favourite": "favorite",
          "favourites": "favorites", "theatre": "theater", "grey": "gray"}  # fmt: skip
"""Words with more than one spelling."""


_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"
)
"""What steers a terminal (ECMA-48): a control sequence, or a control string with its end."""
_STEERING = "\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2028\\u2029\\u2060-\\u2069\\ufeff"
_UNSEEN = re.compile(f"[{_STEERING}]+")
"""Characters that nobody says: controls but tab and new line, and marks that turn or hide what is shown."""
_RAW = re.compile(f"[{_STEERING}\\ud800-\\udfff]")

WEEKDAYS = tuple(day.capitalize() for day in clock.WEEKDAYS)
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
"""Names that do not depend on the machine's language, as the standard library's do."""


def plain(text: str) -> str:
    """A text as it may be stored: without what nobody says, as `seen` has it, and without spaces around it where there was any."""
    clean = seen(text)
    return text if clean == text else clean.strip()


def seen(text: str) -> str:
    """A text as it may be printed: a space in the place of controls, of what steers a terminal, of marks that turn or hide words.

    Tab and new line stay.
    """
    return _UNSEEN.sub(" ", _SEQUENCE.sub(" ", text)) if _UNSEEN.search(text) else text


def escaped(json: str) -> str:
    """JSON in which such characters, and halves of one, are written as their numbers: the same values, and nothing to steer by."""
    return _RAW.sub(lambda found: f"\\u{ord(found[0]):04x}", json)


def normal(text: str) -> str:
    """Case folded, one kind of apostrophe, single spaces; punctuation stays."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'").replace("`", "'")
    return " ".join(folded.split())


def letters(text: str) -> str:
    """The letters of a text for searching in it: small and capital ones are the same, with accents and without, ß and ss."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(one for one in apart if not unicodedata.combining(one))


def words(text: str) -> tuple[str, ...]:
    """The words of a text, normal, without punctuation."""
    return tuple(_WORD.findall(normal(text)))


def contains(text: str, part: str) -> bool:
    """Whether the words of ``part`` stand in ``text`` as they are, one after the other."""
    whole, wanted = words(text), words(part)
    return bool(wanted) and any(whole[i : i + len(wanted)] == wanted for i in range(len(whole) - len(wanted) + 1))


def spoken(text: str) -> str:
    """Lower-case words without punctuation, digits spelled out, single spaces; the form that all matching works on.

    ``"Set the temperature to 22.5°C, please!"`` is "set the temperature to twenty two point five degrees celsius please".
    Apostrophes inside words stay ("driver's"), hyphens become spaces, "A/C", "AC" and "A.C." become "a c", "7:30" is "seven
    thirty", "€5" is "five euros", "call 112" is "call one one two". Text in this form stays as it is.
    """
    text = text.lower().replace("’", "'")
    for pattern, words in _SHORT:
        text = pattern.sub(words, text)
    text = _TELEPHONE.sub(_dialled, _DIALLED.sub(_dialled, text))
    text = _MONEY.sub(_money, text)
    text = _CLOCK.sub(_clock, text)
    text = _THOUSANDS.sub(r"\1\2", text)
    text = _MINUS.sub(" minus ", text)
    text = _FRACTION.sub(_fraction, text)
    for pattern, words in _UNITS:
        text = pattern.sub(words, text)
    text = _DECADE.sub(lambda found: _DECADES.get(found[1], found[0]), text)
    text = _ORDINAL.sub(lambda found: ordinal_words(int(found[1])), text)
    text = _HALF_DAY.sub(lambda found: f" {found[1] or found[2]} m", text)
    text = _DECIMAL_COMMA.sub(".", text)
    text = _NUMBER.sub(_number, text)
    text = _INITIALS.sub(lambda found: found.group().replace(".", " "), text)
    text = _STRAY.sub(" ", text)
    text = _LOOSE_APOSTROPHE.sub(" ", text)
    return " ".join(_WORDS.get(word, word) for word in text.split())


def _number(found: re.Match[str]) -> str:
    """22.5 "twenty two point five", 0199 "zero one nine nine"."""
    digits = found.group()
    if digits.startswith("0") and len(digits) > 2 and digits.isdecimal():
        return f" {' '.join(number_words(int(one)) for one in digits)} "
    return f" {number_words(float(digits))} "


def _dialled(found: re.Match[str]) -> str:
    """Three digits and more are a telephone number."""
    digits = [one for one in found[2] if one.isdigit()]
    if len(digits) < 3:
        return found[0]
    plus = "plus " if found[2].startswith("+") else ""
    return f"{found[1]}{plus}{' '.join(number_words(int(one)) for one in digits)} "


def _money(found: re.Match[str]) -> str:
    """€5 "five euros", $12.50 "twelve dollars fifty"."""
    sign, whole, small = found[1] or found[6], found[2] or found[4], found[3] or found[5]
    coin = _COINS[sign]
    words = f"{whole} {coin}" if whole == "1" else f"{whole} {coin}s"
    return f" {words} {int(small)} " if small and int(small) else f" {words} "


def _clock(found: re.Match[str]) -> str:
    """7:30 "seven thirty", 7:05 "seven oh five", 7:00 "seven o'clock" and 7:00 pm "seven p m"."""
    hour, minute, half = found[1], int(found[2]), found[3] or ""
    hour = str(int(hour))
    if not minute:
        return f"{hour}{half}" if half else f"{hour} o'clock"
    return f"{hour} {'oh ' if minute < 10 else ''}{minute}{half}"


def _fraction(found: re.Match[str]) -> str:
    words = _FRACTIONS[found[2]]
    return f"{found[1]} and {words}" if found[1] else f" {words} "
