"""Post-thinking: what several occasions say together, and which single ones were events. Pure.

The mechanism is CAIM's post-thinking (arXiv 2505.13044: extract key events, induce thoughts, review and merge), done with rules
and counts in the place of a large language model: a thought is fixed wording round words that were said, so nothing can be in it
that was not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from memory.reflect.episodes import REMEMBER, VITAL
from memory.store.tags import content
from models.text import normal
from schemas.memory import Episode

REPEATS = 3
"""Occasions that a thought needs. This and the following: our choices of when occasions are a habit."""
DAYS = 2
"""Days on which they have to be."""
WITHIN_DAYS = 90
"""Days before now within which they have to be."""
SHARE = 0.7
"""Share of them that falls into one part of the day, for the thought to say so."""
LEAST_WEEKDAYS = 5
"""Occasions, all of them on weekdays, for the thought to say so: five of seven days are, so fewer tell nothing."""
LEAST_WEEKENDS = 3
"""Occasions, all of them at weekends, for the thought to say so."""
LONGEST = 40
"""Words of an event at most."""


@dataclass(frozen=True, slots=True)
class Occasion:
    """One time at which something came up."""

    subject: str
    """The value, in the driver's words."""
    at: datetime
    source: str
    """Id of the episode or preference; an episode and a preference of one moment are one occasion with two sources."""
    detail: str | None = None
    tags: tuple[str, ...] = ()
    asked: bool = False
    """Whether the driver asked for it, rather than spoke of it."""


@dataclass(frozen=True, slots=True)
class Induced:
    """What several occasions say together."""

    subject: str
    detail: str | None
    text: str
    when: str
    """Empty where it has no time of its own."""
    at: datetime
    """Of the last occasion."""
    sources: tuple[str, ...]
    tags: tuple[str, ...]
    count: int


DAYTIMES: tuple[tuple[str, int, int], ...] = (
    ("in the mornings", 5, 11), ("around midday", 11, 14), ("in the afternoons", 14, 18), ("in the evenings", 18, 23),
)  # fmt: skip
"""Words and hours of a part of the day; what lies in none of them is night."""

WEEKDAYS, WEEKENDS = "on weekdays", "at weekends"


def daytime(moment: datetime, zone: tzinfo) -> str:
    """The part of the day in the driver's zone."""
    hour = moment.astimezone(zone).hour
    return next((words for words, since, until in DAYTIMES if since <= hour < until), "at night")


def week_part(moment: datetime, zone: tzinfo) -> str:
    """Weekdays or weekends."""
    return WEEKENDS if moment.astimezone(zone).weekday() >= 5 else WEEKDAYS


def induce(occasions: Iterable[Occasion], now: datetime, zone: tzinfo) -> tuple[Induced, ...]:
    """The thoughts that occasions bear out, the most frequent first."""
    since = now - timedelta(days=WITHIN_DAYS)
    groups: dict[tuple[str | None, tuple[str, ...]], list[Occasion]] = {}
    for occasion in occasions:
        if since <= occasion.at <= now + timedelta(days=1) and content(occasion.subject):
            groups.setdefault((occasion.detail, content(occasion.subject)), []).append(occasion)
    found: list[Induced] = []
    for (detail, _), group in groups.items():
        days = {o.at.astimezone(zone).date() for o in group}
        count = len({o.at for o in group})
        if count < REPEATS or len(days) < DAYS:
            continue
        group.sort(key=lambda o: o.at)
        subject = Counter(normal(o.subject) for o in group).most_common(1)[0][0]
        when = _when(group, zone)
        verb = "asks for" if sum(o.asked for o in group) * 2 > len(group) else "speaks of"
        found.append(
            Induced(
                subject=subject,
                detail=detail,
                text=" ".join(part for part in ("often", verb, subject, when) if part),
                when=when,
                at=group[-1].at,
                sources=tuple(dict.fromkeys(o.source for o in group)),
                tags=tuple(tag for tag, _ in Counter(tag for o in group for tag in o.tags).most_common(3)),
                count=count,
            )
        )
    found.sort(key=lambda induced: (-induced.count, induced.text))
    return tuple(found)


def _when(group: Sequence[Occasion], zone: tzinfo) -> str:
    """When it comes up: the part of the day of most of the occasions, and of the week if all of them agree."""
    time, times = Counter(daytime(o.at, zone) for o in group).most_common(1)[0]
    parts = [time] if times >= SHARE * len(group) else []
    days = {week_part(o.at, zone) for o in group}
    apart = len({o.at.astimezone(zone).date() for o in group})
    if days == {WEEKDAYS} and apart >= LEAST_WEEKDAYS:
        parts.append(WEEKDAYS)
    elif days == {WEEKENDS} and apart >= LEAST_WEEKENDS:
        parts.append(WEEKENDS)
    return " ".join(parts)


_I = r"(?:i|we|i've|we've|i have|we have|i'm|i am|we're|we are|i just|we just|i've just|we've just)"
_MY = r"(?:my|our) (?:\w+ ){0,2}?\w+"
_DID = (
    r"(?:got|bought|sold|lost|found|won|broke|met|moved|started|finished|passed|failed|quit|joined|adopted|visited|booked|signed|"
    r"graduated|married|divorced|retired|ordered|attended|celebrated|crashed|hit|arrived|returned|saw|took|made|went|came|spent|"
    r"changed|cancelled|canceled|decided|tried|watched|read|had)"
)
_DATE = (
    r"(?:appointment|meeting|exam|interview|date|party|wedding|flight|tickets?|test|surgery|birthday|concert|match|game|race|"
    r"deadline|class|presentation|visit)"
)
_DAY = r"(?:yesterday|tomorrow|last (?:night|week|weekend|month|year)|this (?:morning|weekend)|next (?:week|month|year|\w+day))"

EVENTS: tuple[str, ...] = (
    rf"\b{_I} (?:\w+ )?{_DID}\b",
    rf"\b{_I} (?:getting|going|moving|starting|planning|expecting|having|leaving|flying|meeting|visiting|taking|buying)\b",
    r"\b(?:i|we)(?:'ll| will| want to| plan to| hope to| need to| must| have to|'ve got to) \w+",
    rf"\b(?:i|we) ?(?:have|'ve got|got) (?:(?:an?|the|my|our|some|two) (?:[\w']+ ){{0,3}}?)?{_DATE}\b",
    rf"\b{_MY} (?:is|was|got|has|had|will|died|broke|arrived|left|came|called|started|finished|moved|won|lost|turns|turned)\b",
    r"\bit(?:'s| is| was) (?:my|our) (?:[\w']+ ){0,2}(?:birthday|anniversary|first|last|wedding)\b",
    rf"\b{_DAY}\b.*\b(?:i|we|my|our)\b|\b(?:i|we|my|our)\b.*\b{_DAY}\b",
)
"""What the driver tells of his or her life: done, planned, or happened to somebody near. Asked of one sentence."""

_EVENT = [re.compile(pattern) for pattern in EVENTS]
_QUESTION = re.compile(
    r"\?\s*$|^(?:what|who|when|where|why|how|which|can|could|do|did|does|is|are|will|would|should)\b"
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
LEAST = 2
"""Words that say something, of an event: "i went there" tells nothing."""


def event(episode: Episode) -> str | None:
    """The sentences of an episode that tell an event, as they were said; None where none does."""
    told = [part.strip() for part in _SENTENCE.split(episode.driver) if tells_event(part)]
    text = " ".join(told)
    return " ".join(text.split()[:LONGEST]) or None


def tells_event(sentence: str) -> bool:
    """Whether a sentence tells something that happened, is planned, or is to be remembered."""
    plain = normal(sentence)
    if REMEMBER.search(plain) or VITAL.search(plain):
        return True
    if _QUESTION.search(plain) or len(content(plain)) < LEAST:
        return False
    return any(pattern.search(plain) for pattern in _EVENT)
