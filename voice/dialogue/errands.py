"""Reminders and timers in the driver's own words: "remind me at six to call mum", "set a timer for the roast potatoes".

Pure rules over words, for what no list of templates can hold: the errand is whatever is left beside the time. What is a time is
narrow on purpose; a sentence whose time is not understood is left to the parser.
"""

from __future__ import annotations

import re
from typing import Any

from models.numbers import HOUR, NUMBER, number_of
from schemas.events import Command, CommandKind

_SPANS = {"half an hour": 30, "a quarter of an hour": 15, "an hour and a half": 90, "one and a half hours": 90, "a minute": 1,
          "an hour": 60, "three quarters of an hour": 45, "a couple of minutes": 2, "a few minutes": 5}  # fmt: skip
_SPAN = rf"(?:{'|'.join(sorted(_SPANS, key=len, reverse=True))}|(?:{NUMBER}) (?:minutes?|hours?))"
_SPAN_SAID = re.compile(rf"\b{_SPAN}\b")
_DAY = (
    r"(?:(?P<day>tomorrow|today|tonight|this (?:morning|afternoon|evening))(?: (?:morning|afternoon|evening|night))?)"
)


def _clock(day: str) -> str:
    """A time of day, after a day or before it."""
    return (
        rf"(?:(?P<past>half|quarter) past (?P<past_hour>{HOUR})|quarter to (?P<to_hour>{HOUR})|(?P<noon>noon|midday|midnight)|"
        rf"(?P<hour>{HOUR})(?: (?P<minute>{NUMBER}))?(?: oclock)?)"
        rf"(?: (?P<half>a m|in the morning|p m|in the afternoon|in the evening|at night|tonight))?{day}"
    )


_ARRIVAL = (
    r"(?:(?:when|once|as soon as) (?:(?:we|i) (?:arrive|get there|are there|have arrived|am there)|we're there|i'm there)|"
    r"(?:on|upon) arrival)"
)
_ARRIVAL_FIRST = re.compile(rf"^(?P<arrival>{_ARRIVAL}) (?P<rest>.+)$")
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
    if (first := _ARRIVAL_FIRST.match(text)) is not None:
        text = f"{first['rest'].removesuffix(' please')} {first['arrival']}"
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
    when, errand = _split(rest)
    if errand is None:
        return None
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
        slots = {"hour": (number_of(said["to_hour"]) - 2) % 12 + 1, "minute": 45}
    elif "past" in said:
        slots = {"hour": number_of(said["past_hour"]), "minute": 30 if said["past"] == "half" else 15}
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


def span_minutes(text: str) -> int | None:
    """The first length of time in these words, in minutes: "an hour and a half"."""
    found = _SPAN_SAID.search(text)
    return None if found is None else _minutes(found[0])


def _minutes(span: str) -> int:
    if span in _SPANS:
        return _SPANS[span]
    number, unit = span.rsplit(" ", 1)
    return number_of(number) * (60 if unit.startswith("hour") else 1)
