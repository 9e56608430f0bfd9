"""The profile: facts, habits and style of a driver, each line with what it rests on. Pure.

Facts are read from what the driver says by a table of patterns, habits from the times of trips and from induced thoughts, style
from how the driver speaks; a line is made of words that were said, or of fixed ones. What the driver wrote or corrected is left
alone; of two facts under one key the later holds.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Literal

from memory.reflect.induction import Induced
from models.text import normal, words
from schemas.memory import Episode, Preference, ProfileEntry, Trip

LEAST_TRIPS = 4
"""Trips that a usual time needs. This and the following: our choices of when something belongs to the profile."""
SPREAD_MINUTES = 45.0
"""How far they may lie from their middle, in the mean."""
LEAST_EPISODES = 10
"""Episodes that style needs."""
BRIEF = 6.0
"""Median of words of a turn up to which a driver speaks briefly."""
FULL = 18.0
"""The same from which on a driver speaks in full."""
POLITE = 0.5
"""Share of requests with a word of courtesy from which on a driver is polite."""
MOST_HABITS = 20
"""Recurring requests that are listed."""


@dataclass(frozen=True, slots=True)
class Said:
    """Something that the driver said."""

    source: str
    text: str
    at: datetime
    details: tuple[str, ...] = ()


_NAME = r"(?P<value>[a-z][a-z'-]+(?: [a-z][a-z'-]+)?)"
_ONE = r"(?P<value>[a-z][a-z'-]+)"
_STOP = r"(?=$|[.,;!?]| and\b| but\b| so\b| because\b| who\b| with\b| now\b| please\b)"
_KIN = (
    r"(?P<key>wife|husband|partner|girlfriend|boyfriend|fiancee?|sister|brother|mother|father|mum|mom|dad|son|daughter|"
    r"grandmother|grandfather|grandma|grandpa|aunt|uncle|cousin|boss|best friend|neighbou?r|dog|cat|horse|doctor|dentist)"
)

_CHILDREN = r"(?:kids?|children|daughters?|sons?|boys|girls)"
_JOB = (
    r"(?:teacher|nurse|doctor|engineer|student|lawyer|manager|driver|developer|programmer|writer|artist|designer|accountant|"
    r"chef|cook|farmer|electrician|plumber|carpenter|architect|scientist|researcher|journalist|musician|photographer|pilot|"
    r"salesman|saleswoman|secretary|mechanic|dentist|vet)"
)

FACTS: tuple[tuple[str, str], ...] = (
    ("name", rf"\b(?:my name is|my name's|call me|i am called|i'm called) {_ONE}{_STOP}"),
    ("{key}", rf"\b(?:my|our) {_KIN}(?:'s name is| is called| is named|, whose name is,?) {_NAME}{_STOP}"),
    ("{key}", rf"\b(?:my|our) {_KIN},? {_ONE}(?: |')(?:is|has|was|likes|lives|works|got|had|wants|will|s)\b"),
    ("children", rf"\b(?:i|we)(?: have|'ve got| got) (?P<value>(?:one|two|three|four|five|six|\d) {_CHILDREN})\b"),
    ("work", r"\bi (?:work|am working) (?P<value>(?:as an?|at|for|in) (?:\w+ ){0,2}?\w+)" + _STOP),
    ("work", rf"\b(?:i'm|i am) (?P<value>an? (?:\w+ )?{_JOB})\b"),
    ("home", r"\b(?:i|we) (?:live|moved to live|am living|are living) (?P<value>(?:in|near|outside) (?:\w+ ){0,2}?\w+)" + _STOP),
    ("birthday", r"\bmy birthday is (?:on |in )?(?P<value>(?:the )?[\w ]{3,30}?)" + _STOP),
    ("car", r"\b(?:i drive|my car is) (?P<value>an? (?:\w+ )?\w+)" + _STOP),
)  # fmt: skip
"""Key of a fact and how it is told; ``{key}`` is the word that stands there. Later ones count."""

_FACTS = [(key, re.compile(pattern)) for key, pattern in FACTS]
_NO_NAME = frozenset(
    """a an the in on at is was has had got will likes lives works not very really so too and or but who that going coming
    just always never also still here there back home sick ill fine good great called named later again back tomorrow
    today tonight soon when if maybe first once""".split()
)
_COURTESY = frozenset(("please", "thanks", "thank", "kindly", "could", "would"))


def facts(said: Iterable[Said]) -> dict[str, tuple[str, tuple[Said, ...]]]:
    """Key -> value and where it was said, oldest first; of several values the last."""
    found: dict[str, tuple[str, list[Said]]] = {}
    for one in sorted(said, key=lambda s: s.at):
        plain = normal(one.text)
        for key, pattern in _FACTS:
            for match in pattern.finditer(plain):
                value = match["value"].strip()
                if not value or (key in ("{key}", "name") and set(value.split()) & _NO_NAME):
                    continue
                name = key.format(key=match["key"]) if "{" in key else key
                before = found.get(name)
                if before is not None and before[0] == value:
                    before[1].append(one)
                else:
                    found[name] = (value, [one])
    return {key: (value, tuple(dict.fromkeys(said))) for key, (value, said) in found.items()}


def usual_times(trips: Sequence[Trip], zone: tzinfo) -> dict[str, str]:
    """Key -> when trips usually begin, on weekdays and at weekends; a driver with two usual times has none by this rule."""
    found: dict[str, str] = {}
    for key, words_for, weekend in (
        ("usual_start_weekdays", "on weekdays", False),
        ("usual_start_weekends", "at weekends", True),
    ):
        starts = [t.began_at.astimezone(zone) for t in trips if (t.began_at.astimezone(zone).weekday() >= 5) == weekend]
        minutes = sorted(s.hour * 60 + s.minute for s in starts)
        if len(minutes) < LEAST_TRIPS:
            continue
        middle = statistics.median(minutes)
        if statistics.fmean(abs(m - middle) for m in minutes) <= SPREAD_MINUTES:
            rounded = round(middle / 15) * 15 % 1440
            found[key] = f"around {rounded // 60}:{rounded % 60:02d} {words_for}"
    return found


def style(episodes: Sequence[Episode]) -> dict[str, str]:
    """Key -> how the driver speaks, where enough was said to tell."""
    if len(episodes) < LEAST_EPISODES:
        return {}
    found: dict[str, str] = {}
    length = statistics.median(len(words(e.driver)) for e in episodes)
    if length <= BRIEF:
        found["reply_length"] = "brief"
    elif length >= FULL:
        found["reply_length"] = "full"
    courteous = sum(bool(_COURTESY & set(words(e.driver))) for e in episodes)
    if courteous >= POLITE * len(episodes):
        found["courtesy"] = "polite"
    return found


Aspect = Literal["fact", "habit", "style"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the profile is refined from."""

    episodes: Sequence[Episode]
    """All that are kept, oldest first."""
    preferences: Sequence[Preference]
    """Active ones, for the facts in their sentences."""
    induced: Sequence[Induced]
    """Thoughts as they are now."""
    trips: Sequence[Trip]


def refined(
    held: Sequence[ProfileEntry],
    evidence: Evidence,
    now: datetime,
    zone: tzinfo,
    *,
    new_id: Callable[[], str],
    unwanted: Callable[[str], bool] = lambda _: False,
) -> tuple[ProfileEntry, ...]:
    """The entries that are new or have changed.

    Args:
        held: the profile so far.
        evidence: what it is refined from.
        now: when new entries begin.
        zone: the driver's.
        new_id: makes the entries' ids.
        unwanted: whether the driver deleted the entry of this key and does not want it back.
    """
    standing = {entry.key: entry for entry in held}
    made: list[ProfileEntry] = []

    def put(
        aspect: Aspect, key: str, value: str, sources: Collection[str], details: Collection[str], sure: float
    ) -> None:
        before = standing.get(key)
        if unwanted(key) or (before is not None and before.edited):
            return
        known = before.sources if before is not None and before.value == value else ()
        whole = tuple(dict.fromkeys((*known, *sources)))
        if before is not None and before.value == value and set(whole) == set(before.sources):
            return
        same = before is not None and before.value == value
        made.append(
            ProfileEntry(
                id=before.id if before is not None and same else new_id(),
                aspect=aspect,
                key=key,
                value=value,
                details=tuple(dict.fromkeys(details)),
                sources=whole,
                confidence=max(sure, before.confidence) if before is not None and same else sure,
                since=before.since if before is not None and same else now,
            )
        )

    said = [Said(e.id, e.driver, e.at, e.details) for e in evidence.episodes]
    said += [Said(p.id, sentence, p.valid_from, (p.detail,)) for p in evidence.preferences for sentence in p.sentences]
    for key, (value, told) in facts(said).items():
        before = standing.get(key)
        if before is not None and before.value != value and told[-1].at < before.since:
            continue  # what the entry rests on was said later and is older than what is looked at
        put("fact", key, value, [s.source for s in told], [d for s in told for d in s.details], _sure(len(told)))
    for key, value in usual_times(evidence.trips, zone).items():
        put("habit", key, value, [t.id for t in evidence.trips], (), 0.8)
    for thought in [t for t in evidence.induced if t.when][:MOST_HABITS]:
        details = () if thought.detail is None else (thought.detail,)
        put("habit", f"often_{'_'.join(words(thought.subject))}", thought.text, thought.sources, details,
            _sure(thought.count))  # fmt: skip
    for key, value in style(evidence.episodes).items():
        put("style", key, value, [e.id for e in evidence.episodes[-LEAST_EPISODES:]], (), 0.7)
    return tuple(made)


def _sure(count: int) -> float:
    """Said once .6, and every further time halves the doubt."""
    return 1.0 - 0.4 * 0.5 ** (count - 1)
