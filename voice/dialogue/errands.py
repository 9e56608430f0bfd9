"""Reminders and timers in the driver's own words: "remind me at six to call mum", "set a timer for the roast potatoes".

Pure rules over words, for what no list of templates can hold: the errand is whatever is left beside the time, and a condition is
a part of it, for the driver to judge when it is due. What is a time is narrow on purpose; a sentence whose time is not understood
is left to the parser, to which the day of a date is not told: it has no words for it.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Any

from models.numbers import HOUR, NUMBER, number_of, ordinal_words
from models.text import MONTHS, WEEKDAYS, spoken
from schemas.events import Command, CommandKind

_SPANS = {"half an hour": 30, "a quarter of an hour": 15, "an hour and a half": 90, "one and a half hours": 90, "a minute": 1,
          "an hour": 60, "three quarters of an hour": 45, "a couple of minutes": 2, "a few minutes": 5}  # fmt: skip
_SPAN = rf"(?:{'|'.join(sorted(_SPANS, key=len, reverse=True))}|(?:{NUMBER}) (?:minutes?|hours?))"
_SPAN_SAID = re.compile(rf"\b{_SPAN}\b")
_DAY = (
    r"(?:(?P<day>tomorrow|today|tonight|this (?:morning|afternoon|evening))(?: (?:morning|afternoon|evening|night))?)"
)
_PART = rf"(?:(?:a )?quarter|{NUMBER}(?: minutes?)?)"
"""Minutes of an hour, before it or after it: "ten to five"."""


def _clock(day: str) -> str:
    """A time of day, after a day or before it."""
    return (
        rf"(?:(?P<past>half|{_PART}) past (?P<past_hour>{HOUR})|(?P<before>{_PART}) (?:to|till) (?P<to_hour>{HOUR})|"
        rf"(?P<noon>noon|midday|midnight)|"
        rf"(?P<hour>{HOUR})(?: (?P<minute>{NUMBER}))?(?: oclock)?)"
        rf"(?: (?P<half>a m|in the morning|p m|in the afternoon|in the evening|at night|tonight))?{day}"
    )


_ARRIVAL = (
    r"(?:(?:when|once|as soon as) (?:(?:we|i) (?:arrive|get there|are there|have arrived|am there)|we're there|i'm there)|"
    r"(?:on|upon) arrival)"
)
_FIRST = re.compile(rf"^(?P<begin>{_ARRIVAL}|(?:if|unless) .+?) (?P<rest>(?:please )?remind (?:me|us)\b.+)$")
"""When to be reminded, or on which condition, before the wish."""
_TIMES = (
    rf"(?:in|after) (?P<span>{_SPAN})(?: from now)?", rf"(?P<span>{_SPAN}) from now", rf"{_DAY} (?:at )?{_clock('')}",
    rf"at {_clock(f'(?: {_DAY})?')}", _DAY, rf"(?P<arrival>{_ARRIVAL})",
)  # fmt: skip
"""Ways of saying when, the longest first."""
_WHENS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^(?:for )?{_clock(f'(?: {_DAY})?')}$",
        *(place for time in _TIMES for place in (rf"^(?:for )?{time}(?: |$)", rf"(?:^| )(?:for )?{time}$")),
        r"^later | later$",
    )
)
_POLITE = r"(?:(?:please|hey|okay|oh|and|also|can you|could you|would you|will you|i want you to|i'd like you to|you have to) )*"
_LEAD = re.compile(
    rf"^{_POLITE}(?:remind (?:me|us)|(?:set|make|create|add|give me|i need|i want)(?: me)? (?:a|another) reminder|"
    r"(?:a )?reminder|(?:don't|do not|never) let me forget|help me (?:to )?remember|i (?:want|would like) to be reminded|"
    r"i'd like to be reminded|make sure (?:that )?i remember)(?: please)?\b ?"
)
_WAKE = re.compile(
    rf"^{_POLITE}(?:wake (?:me|us)(?: up)?|set (?:an|the) alarm(?: clock)?(?: for)?|alarm(?: clock)?(?: for)?)\b ?"
)
_TELL = re.compile(rf"^{_POLITE}(?:tell|warn|alert|nudge|ping) me\b ?")
_AFTER = re.compile(
    r"^(?P<rest>i (?:have|need|want|ought|must|should|still have)\b.+?)(?: please)?"
    r" remind me(?: (?:of|about) (?:it|that))?(?: then)?(?: please)?$"
)
_JOIN = re.compile(
    r"^(?:to|that i (?:have|need|want|ought|still have) to|that i (?:must|should)|i (?:have|need|want|ought|still have) to|"
    r"i (?:must|should)|that|about|of|for)\b ?"
)
_OCCASION = re.compile(r"^(?:when|as soon as|once) (?:i|we|i'm|we're) [a-z' ]{2,40}? (?=to )")
"""An occasion that we cannot know of ("when i get home"): then it is asked when."""
_QUESTION = re.compile(r"^(?:what|who|when|where|why|how|which|if|whether)\b")
_TIMER = re.compile(
    rf"^{_POLITE}(?:(?:set|start|make|put|run)(?: me)? (?:a|the|another)|(?:i|we) need a|give me a|a)? ?timer"
    r"(?: (?:on )?for (?:the |my |our )?(?P<label>[a-z' ]{2,40}?))?(?: please)?$"
)
_NAMED = re.compile(
    rf"^{_POLITE}(?:set|start|make)(?: me)? (?:a|the|my) (?P<label>[a-z']+(?: [a-z']+)?) timer(?: please)?$"
)


_PROVIDED = re.compile(r"^(.+?) ((?:if|unless) .+)$")
"""An errand on a condition; the time stands before that."""
_MOVED = re.compile(
    r"\b(?:make|move|change|push|shift|put|set|switch|bring) (?:it|(?:the|that|this|my|our) (?:(?P<label>[a-z' ]{2,40}?) )?"
    r"(?P<noun>reminder|alarm|one)|that|this)(?: (?:back|forward|on|up|out))?(?: (?:to|for|until|till|at))? (?P<time>[a-z ]+?)"
    r"(?: (?:instead|then|please))*$"
)
"""One that is set already, at another time."""


def moved(text: str) -> Command | None:
    """Another time for a reminder that is set already, and words of what it is for, if any were said; None where it is none.

    Args:
        text: as for `asked`.
    """
    found = _MOVED.search(text)
    when, rest = _split(found["time"]) if found is not None else ({}, "")
    if found is None or rest or not when:
        return None
    label = found["label"]
    return Command(kind=CommandKind.ACTION, name="set_reminder", slots={**when, **({"what": label} if label else {})})


def names_reminder(text: str) -> bool:
    """Whether such a sentence says that it is a reminder."""
    found = _MOVED.search(text)
    return found is not None and found["noun"] in ("reminder", "alarm")


def asked(text: str) -> Command | None:
    """A timer or reminder that was asked for; None where it is neither, or its time not understood.

    Args:
        text: lower-case words, numbers spelled out (``models.text.spoken``).
    """
    return _reminder(text) or _timer(text)


def _timer(text: str) -> Command | None:
    found = _TIMER.match(text) or _NAMED.match(text)
    if found is None:
        return None
    label = found["label"]
    if label is not None and re.search(rf"\b(?:minutes?|seconds?|hours?|hour)\b|^{NUMBER}\b", label):
        return None
    return Command(kind=CommandKind.ACTION, name="set_timer", slots={"label": label} if label else {})


def _reminder(text: str) -> Command | None:
    if (first := _FIRST.match(text)) is not None:
        text = f"{first['rest'].removesuffix(' please')} {first['begin']}"
    wakes = _WAKE.match(text)
    lead = wakes or _LEAD.match(text) or _TELL.match(text)
    if lead is not None:
        rest = text[lead.end() :]
    elif (after := _AFTER.match(text)) is not None:
        rest = after["rest"]
    else:
        return None
    rest = rest.removesuffix(" please").strip()
    rest = rest if re.match(_ARRIVAL, rest) else _OCCASION.sub("", rest)
    if _QUESTION.match(rest):
        return None
    provided = _PROVIDED.match(rest)
    when, errand = _split(provided[1]) if provided is not None else ({}, None)
    if not when:  # "if it's raining at five": the time belongs to the condition
        provided = None
        when, errand = _split(rest)
    if errand is None:
        return None
    errand = f"{errand} {provided[2]}" if provided is not None else errand
    if not errand and wakes is not None and "hour" in when:
        errand = "wake up"
    if not errand or (lead is not None and _TELL.match(text) and not when) or (wakes is not None and not when):
        return None
    if re.search(rf"\b(?:at|in) (?:{NUMBER})\b", errand) or len(errand) > 60:
        return None
    return Command(kind=CommandKind.ACTION, name="set_reminder", slots={"what": errand, **when})


def _split(rest: str) -> tuple[dict[str, Any], str | None]:
    """The time at the beginning or the end, and what is left; None for that where the rest is no errand."""
    when: dict[str, Any] = {}
    for pattern in _WHENS:
        found = pattern.search(rest)
        if found is not None:
            when = _time(found)
            rest = f"{rest[: found.start()]} {rest[found.end() :]}".strip()
            break
    joined = _JOIN.match(rest)
    if joined is not None:
        rest = rest[joined.end() :].strip()
    return when, rest


def _time(found: re.Match[str]) -> dict[str, Any]:
    said = {name: value for name, value in found.groupdict().items() if value is not None}
    if span := said.get("span"):
        return {"minutes": _minutes(span)}
    if "arrival" in said:
        return {"event": "arrival"}
    slots: dict[str, Any] = {}
    if "noon" in said:
        slots = {"hour": 0 if said["noon"] == "midnight" else 12, "minute": 0}
    elif "to_hour" in said:
        slots = {"hour": (number_of(said["to_hour"]) - 2) % 12 + 1, "minute": 60 - _part(said["before"])}
    elif "past" in said:
        slots = {"hour": number_of(said["past_hour"]), "minute": _part(said["past"])}
    elif "hour" in said:
        slots = {"hour": number_of(said["hour"])}
        if "minute" in said:
            slots["minute"] = number_of(said["minute"])
    half = said.get("half") or {"tonight": "tonight", "this evening": "evening"}.get(said.get("day", ""))
    if slots and half and "noon" not in said:
        slots["half"] = "am" if half in ("a m", "in the morning") else "pm"
    if said.get("day") == "tomorrow":
        slots["day"] = "tomorrow"
    return slots


def _part(words: str) -> int:
    """Minutes that such words say."""
    return 30 if words == "half" else 15 if words.endswith("quarter") else number_of(words)


_ORDINALS = {ordinal_words(number): number for number in range(1, 32)}
_NTH = rf"(?P<nth>{'|'.join(sorted(_ORDINALS, key=len, reverse=True))})"
_FEASTS = {"christmas eve": (12, 24), "christmas day": (12, 25), "boxing day": (12, 26), "new year's eve": (12, 31),
           "new year's day": (1, 1), "valentine's day": (2, 14), "halloween": (10, 31)}  # fmt: skip
_MONTH = rf"(?P<month>{'|'.join(MONTHS).lower()})"
_WEEKDAY = rf"(?P<weekday>{'|'.join(WEEKDAYS).lower()})"
_REMINDS = re.compile(r"\b(?:remind (?:me|us)|reminder|let me forget|alarm|wake (?:me|us))\b")
_ON = r"(?:\bon (?:the )?|(?<=\breminder )for (?:the )?|(?<=\bremind me )(?:the )?|(?<=\bremind us )(?:the )?)"
_DATES = (
    re.compile(rf"{_ON}{_NTH} (?:of )?{_MONTH}\b"), re.compile(rf"{_ON}{_MONTH} (?:the )?{_NTH}\b"),
    re.compile(rf"{_ON}{_NTH}(?= (?:at|to|that|about|of)\b|$)"),
    re.compile(rf"{_ON}(?P<feast>{'|'.join(_FEASTS)})\b"),
    re.compile(rf"(?:\b(?:on|next) )*\b{_WEEKDAY} week\b"), re.compile(rf"\b(?:in )?a week on {_WEEKDAY}\b"),
    re.compile(rf"\bin (?P<count>an?|{NUMBER}) (?P<unit>day|week|fortnight)s?(?: time)?\b"),
)  # fmt: skip
"""Ways of saying a day for which no slot of the parser has a name."""
_OF_A_DAY = re.compile(rf"\b(?:tomorrow|today|tonight|{'|'.join(WEEKDAYS).lower()})\b")


def dated(text: str, today: date) -> tuple[str, date] | None:
    """A wish to be reminded without the words that say its date, and the date; None where it says none.

    Args:
        text: lower-case words, numbers spelled out (``models.text.spoken``).
        today: the next such day is meant.
    """
    found = _date(text)
    if found is None:
        return None
    said = found.groupdict()
    if said.get("weekday"):
        ahead = (WEEKDAYS.index(said["weekday"].title()) - today.weekday()) % 7 or 7
        day = today + timedelta(days=ahead + 7)
    elif said.get("unit"):
        count = 1 if said["count"].startswith("a") else number_of(said["count"])
        day = today + timedelta(days=count * {"day": 1, "week": 7, "fortnight": 14}[said["unit"]])
    else:
        feast = _FEASTS.get(said.get("feast") or "")
        months = (
            [MONTHS.index(said["month"].title()) + 1] if said.get("month") else [feast[0]] if feast else range(1, 13)
        )
        nth = feast[1] if feast else _ORDINALS[said["nth"]]
        days = (_day(year, month, nth) for year in range(today.year, today.year + _YEARS) for month in months)
        day = next((one for one in days if one is not None and one >= today), None)
    return (_without(text, found), day) if day is not None else None


_YEARS = 9
"""Years in which a day of a month comes: a leap day is eight years apart once in a century."""


def undated(written: str) -> str:
    """A wish to be reminded in its spoken form without the words that say its date; as it is where it has none."""
    found = _date(text := spoken(written))
    return written if found is None else _without(text, found)


def _without(text: str, found: re.Match[str]) -> str:
    return " ".join(f"{text[: found.start()]} {text[found.end() :]}".split())


def _date(text: str) -> re.Match[str] | None:
    """The words of a date, where it is the day on which to remind: beside another day it belongs to the errand."""
    if _REMINDS.search(text) is None:
        return None
    found = next((found for pattern in _DATES if (found := pattern.search(text)) is not None), None)
    return None if found is None or _OF_A_DAY.search(_without(text, found)) is not None else found


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def span_minutes(text: str) -> int | None:
    """The first length of time in these words, in minutes: "an hour and a half"."""
    found = _SPAN_SAID.search(text)
    return None if found is None else _minutes(found[0])


def _minutes(span: str) -> int:
    if span in _SPANS:
        return _SPANS[span]
    number, unit = span.rsplit(" ", 1)
    return number_of(number) * (60 if unit.startswith("hour") else 1)
