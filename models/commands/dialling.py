"""Telephone numbers as people say them, and the orders to call one.

Owns: how digits are grouped in speech ("oh eight hundred, double four, twenty one"), and when a sentence is an order to call and
nothing else. No template could list them: a number may be long, and the words around it stand in any order ("give 0800 123 456 a
call"). Whose number it is, is a contact's matter (`schemas.actions.CallContact`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from models.commands.units import DIMENSIONS
from models.numbers import SMALL, TENS
from schemas.actions.information import EMERGENCY_NUMBERS

SHORTEST, LONGEST = 3, 15
"""Digits of a number that can be called (`schemas.actions.CallNumber`); the longest: ITU-T E.164."""
LONG = 5
"""Digits from which on a number may be said in hundreds and tens: "ring two hundred" is none."""

_ONES = {**{word: str(value) for word, value in SMALL.items() if value < 10}, "oh": "0", "o": "0", "nought": "0"}
_TEENS = {word: str(value) for word, value in SMALL.items() if value >= 10}
_TIMES = {"double": 2, "triple": 3, "treble": 3}
_CALLING = frozenset("call calling phone ring dial telephone bell buzz".split())
_CONNECTING = _CALLING | frozenset("get send fetch connect through".split())
"""What asks for a call where the number is one for help that everybody knows."""
_KNOWN = frozenset({"112", "911", "999"})
_BESIDE = _CONNECTING | frozenset(
    "a an the this that it to on for with of me us you i we i'd i'll let's let my please now quickly quick fast immediately hurry "
    "straight right away asap just help can could would will like need want have got must somebody someone go and up number line "
    "give put make emergency services okay hey oh god urgently then so here over".split()
)
"""Words that may stand around a number without asking for anything else."""
_TURNS = frozenset(
    "not don't never no if when whenever unless until did does do had should who why how what which where didn't won't can't "
    "cannot stop cancel remind tell ask say said says play song message text email write".split()
)
"""Words shortly before an order that make it no order."""
_LATER = frozenset("if when whenever unless until later tomorrow after before".split())
"""Words after an order that have it wait."""
_ANYWHERE = frozenset("if when whenever unless until remind play song movie film text message email".split())
"""Words anywhere before an order that make it none, or have it wait."""
_BACK = 3
"""Words before an order that are looked at for the others."""
_SERVICE = re.compile(
    r"\b(?:an? |the )?(?:(?:ambulance|police|paramedics?|cops|fire (?:brigade|department|service|engine))(?: (?:service|people))?|"
    r"emergency services?)\b(?! (?:station|stations|academy|officer|museum|song|album|band|box|on|is|are|was|were|want|behind|"
    r"ahead|car|cars)\b)"
)
"""Who comes to help, and not what is called by them."""
_CLAUSES = frozenset(
    "he she it he's she's it's there there's my a an we i i'm we're we've i've someone somebody the because they they're his her "
    "our this".split()
)
"""Beginnings of what is told beside an order."""
_CORRECTED = frozenset("no wait sorry i mean actually scratch that make it not".split())
_HELPERS = re.compile(
    r"\b(?:call\w*|get|need|send|phone|ring|fetch|want|through|connect\w*|speak|talk)\b(?: \w+){0,4} "
    r"(?:ambulances?|paramedics?|police|cops|help|firefighters|coastguard|"
    r"fire (?:brigade|department|engine|service)|emergency (?:services?|number))\b"
)
_HARM = re.compile(
    r"\b(?:having|had|been|having had) (?:a|an) (?:\w+ )?(?:heart attack|stroke|seizure|accident|crash|pile up)\b|"
    r"\b(?:we've|i've|they've|he's|she's|has|have) (?:just )?(?:crashed|collapsed|passed out)\b|\b(?:bleeding|unconscious)\b|"
    r"\b(?:can't|cannot|isn't|not|stopped|stops) breath(?:e|ing)\b|\bon fire\b"
)
_OVER = re.compile(r"\b(?:ago|yesterday|last (?:night|week|month|year|time)|used to|film|movie|book|news|song)\b")
"""What tells of another time or of somebody's story."""
HELP_NUMBER = "112"
"""The number for help that every mobile network knows (3GPP TS 22.101, 10.1.1)."""


@dataclass(frozen=True, slots=True)
class Number:
    """A telephone number in a sentence."""

    digits: str
    """As it is dialled; a plus first where one was said."""
    at: int
    """Index of its first word."""
    end: int
    """Index of the word after it."""
    single: bool
    """It was said digit by digit."""


def ordered(sentence: str) -> str:
    """The number that a sentence in its spoken form has called; empty where it is no such order.

    One that calls for help is called whatever is said after or before the order ("call 911, he isn't breathing"), unless that could
    turn it round or have it wait.
    """
    words = sentence.split()
    found = list(numbers(words))
    for number in found:
        if number.digits in EMERGENCY_NUMBERS and _calls_for_help(words, number):
            return number.digits
    if _sends_for_help(sentence):
        return HELP_NUMBER
    if len(found) == 2 and set(words[found[0].end : found[1].at]) <= _CORRECTED and found[0].end < found[1].at:
        words = words[: found[0].at] + words[found[1].at :]  # "dial five five five, no wait, five five six"
        found = list(numbers(words))
    if len(found) != 1 or not SHORTEST <= len(found[0].digits.removeprefix("+")) <= LONGEST:
        return ""
    before, after = words[: found[0].at], words[found[0].end :]
    if before and before[0] in _CALLING and before[-1] in ("on", "at") and len(before) > 2 and not _TURNS & set(before):
        before = before[:1]  # "call anna on 555 0199": whoever that is, this is the number
    beside = {*before, *after}
    return found[0].digits if _telephone(found[0]) and beside & _CALLING and beside <= _BESIDE else ""


def dialling(sentence: str) -> Number | None:
    """The number with which a sentence ends that has begun to order a call; more digits may follow. None for any other sentence."""
    words = sentence.split()
    last = next((number for number in numbers(words) if number.end == len(words)), None)
    before = set(words[: last.at]) if last is not None else set[str]()
    return last if before & _CALLING and before <= _BESIDE else None


def help_wanted(sentence: str) -> str:
    """The number that a sentence may want called for help, in whatever words; empty where it speaks of none."""
    words = sentence.split()
    near = (number for number in numbers(words) if number.digits in EMERGENCY_NUMBERS and not _measure(words, number))
    number = next(near, None)
    bare = number is not None and _BESIDE.issuperset({*words[: number.at], *words[number.end :]})
    if number is not None and (bare or set(words) & _CONNECTING):
        return number.digits
    harm = _HARM.search(sentence) is not None and _OVER.search(sentence) is None
    return HELP_NUMBER if harm or _HELPERS.search(sentence) else ""


def numbers(words: Sequence[str]) -> Iterator[Number]:
    """The runs of digits in the words of a sentence, from left to right."""
    at = 0
    while at < len(words):
        found = _number(words, at)
        if found is not None:
            yield found
        at = at + 1 if found is None else found.end


def calls(sentence: str) -> bool:
    """Whether a sentence in its spoken form has a word for calling somebody."""
    return not _CALLING.isdisjoint(sentence.split())


def is_telephone(text: str) -> bool:
    """Whether a sentence in its spoken form names a telephone number: a long run of digits."""
    return any(len(number.digits) > LONG and number.single for number in numbers(text.split()))


def _sends_for_help(sentence: str) -> bool:
    """Whether it is an order to call or send for those who help, by their name."""
    named = _SERVICE.search(sentence)
    if named is None:
        return False
    before, after = sentence[: named.start()].split(), sentence[named.end() :].split()
    number = Number(HELP_NUMBER, len(before), len(before) + 1, single=True)
    rest = next((word for word in after if word not in _BESIDE), "")
    told = not rest or rest in _CLAUSES or any(word in _CALLING or word == "send" for word in before[-2:])
    return told and _calls_for_help([*before, HELP_NUMBER, *after], number, anyhow=True)


def _calls_for_help(words: Sequence[str], number: Number, *, anyhow: bool = False) -> bool:
    """Whether an order to call it stands at the beginning or the end, and no word beside that turns it round.

    Args:
        words: of the sentence.
        number: in it.
        anyhow: to get or send it is to call it, beside other words, too.
    """
    first, last = number.at, number.end
    while first > 0 and words[first - 1] in _BESIDE:
        first -= 1
    while last < len(words) and words[last] in _BESIDE:
        last += 1
    order = {*words[first : number.at], *words[number.end : last]}
    loose = not anyhow and (words[:first] or words[last:] or number.digits not in _KNOWN)
    asked = order & (_CALLING if loose else _CONNECTING)
    whole = (first == 0 or last == len(words)) and not _measure(words, number)
    turned = (
        _TURNS & set(words[max(0, first - _BACK) : first])
        or _LATER & set(words[last:])
        or _ANYWHERE & set(words[:first])
    )
    turned = turned or (first > 0 and words[first] == "to")  # somebody else is to, or some time
    return bool(asked) and whole and not turned and "up to" not in " ".join(words[first : number.at])


def _measure(words: Sequence[str], number: Number) -> bool:
    """Whether what follows says that it counts something, or goes on as no telephone number does."""
    return number.end < len(words) and (words[number.end] in DIMENSIONS or words[number.end] in ("point", "f", "fm"))


def _telephone(number: Number) -> bool:
    """Whether it was said as telephone numbers are: digit by digit, or so long that it is nothing else."""
    return number.single or len(number.digits) >= LONG


def _number(words: Sequence[str], at: int) -> Number | None:
    """The run of digits that begins at a word."""
    here, digits, single = at, "", True
    if here < len(words) and words[here] == "plus":
        here, digits = here + 1, "+"
    while (group := _group(words, here)) is not None:
        single = single and all(w in _ONES or w in _TIMES or w.isdecimal() for w in words[here : group[1]])
        digits, here = digits + group[0], group[1]
    return Number(digits, at, here, single) if digits.strip("+") else None


def _group(words: Sequence[str], at: int) -> tuple[str, int] | None:
    """The digits of one group and the index after it: "double four", "twenty one", "eight hundred", "one hundred and twelve"."""
    if at >= len(words):
        return None
    word = words[at]
    if word == "a" and words[at + 1 : at + 2] == ["hundred"]:
        return _scaled(words, "1", at + 1)
    if word in _TIMES:
        more = _ONES.get(words[at + 1]) if at + 1 < len(words) else None
        return None if more is None else (more * _TIMES[word], at + 2)
    if word.isdecimal():
        return word, at + 1
    if word in _TEENS:
        return _scaled(words, _TEENS[word], at + 1)
    if word in TENS:
        one = SMALL.get(words[at + 1], 0) if at + 1 < len(words) else 0
        return (
            _scaled(words, str(TENS[word] + one), at + 2) if 0 < one < 10 else _scaled(words, str(TENS[word]), at + 1)
        )
    return _scaled(words, _ONES[word], at + 1) if word in _ONES else None


def _scaled(words: Sequence[str], digits: str, at: int) -> tuple[str, int]:
    """A group with the thousands or hundreds behind it: "eight" with "hundred and twelve" is 812, "four" with "thousand" 4000."""
    for scale, zeros in (("thousand", 3), ("hundred", 2)):
        if digits == "0" or at >= len(words) or words[at] != scale:
            continue
        joined = at + 1 < len(words) and words[at + 1] == "and"
        rest = _group(words, at + 2 if joined else at + 1)
        tens = rest is not None and words[at + 1] in (*_TEENS, *TENS)
        if rest is not None and len(rest[0]) <= zeros and (joined or tens or zeros == 3):
            return digits + rest[0].zfill(zeros), rest[1]
        return digits + "0" * zeros, at + 1
    return digits, at
