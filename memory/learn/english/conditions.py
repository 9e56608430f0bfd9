"""Words of a condition as one of the closed values that the car may be able to tell: "when it's raining" is ``rain``.

Which words are a condition, and of what kind, the marks tell (`schemas.kinds`); here is only their meaning. What no pattern knows
is `OTHER`, and kept in the driver's words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from models.text import normal
from schemas.kinds import OTHER, Condition, ConditionKind, Label

KINDS: Mapping[Label, ConditionKind] = {
    Label.TIME: ConditionKind.TIME_OF_DAY,
    Label.SEASON: ConditionKind.SEASON,
    Label.WEATHER: ConditionKind.WEATHER,
    Label.ROAD: ConditionKind.ROAD,
    Label.COMPANY: ConditionKind.COMPANY,
    Label.PURPOSE: ConditionKind.TRIP_PURPOSE,
}
_VALUES: Mapping[ConditionKind, tuple[tuple[str, str], ...]] = {
    ConditionKind.TIME_OF_DAY: (
        (r"week ?end|saturday|sunday", "weekend"),
        (r"week ?day|working day|work day|monday|tuesday|wednesday|thursday|friday", "weekday"),
        (r"morning|first thing|breakfast|dawn|before (?:my |i've had my )?coffee|early", "morning"),
        (r"lunch|midday|noon(?!s)(?<!afternoon)", "midday"),
        (r"afternoon|tea ?time", "afternoon"),
        (r"evening|dinner|dusk|sunset|supper|end of the day|after work", "evening"),
        (r"night|dark|midnight|bed ?time|late\b", "night"),
    ),
    ConditionKind.SEASON: (
        (r"summer|july|august|june", "summer"),
        (r"winter|december|january|february|christmas", "winter"),
        (r"spring|april|march\b|\bmay\b|easter", "spring"),
        (r"autumn|\bfall\b|october|november|september", "autumn"),
    ),
    ConditionKind.WEATHER: (
        (r"rain|wet|pouring|pissing|bucket|lashing|drizzl|monsoon|storm", "rain"),
        (r"snow", "snow"),
        (r"\bic[ey]|frost|freez", "ice"),
        (r"fog|mist", "fog"),
        (r"wind|gale|blow", "wind"),
        (r"\bhot|heat|boiling|scorch|roasting|baking|swelter|warm", "hot"),
        (r"cold|chill|nippy", "cold"),
        (r"sun|dry|fine|nice out|clear", "sun"),
    ),
    ConditionKind.ROAD: (
        (r"motorway|highway|interstate|freeway|autobahn|dual carriageway|expressway", "motorway"),
        (r"town|city|urban|centre|center", "town"),
        (r"country|back roads?|b roads?|rural|lanes?", "country"),
    ),
    ConditionKind.COMPANY: (
        (
            r"kid|child|baby|toddler|little one|wee one|son\b|daughter|grandson|granddaughter|grandkid|bairn|twins",
            "children",
        ),
        (r"alone|own\b|by myself|solo|nobody else|no one else|just me", "alone"),
        (r"dog|cat\b|pet|puppy", OTHER),
        (r"\w", "passengers"),
    ),
    ConditionKind.TRIP_PURPOSE: (
        (r"school", "school"),
        (r"work|office|commut|job|shift|site", "commute"),
        (r"shop|grocer|supermarket", "shopping"),
        (r"holiday|vacation|hols|camping|break", "holiday"),
        (r"long|journey|road trip|hundred miles|hours", "long"),
        (r"day out|weekend away|gym|match|fun|day trip|leisure|sunday drive", "leisure"),
    ),
}
"""Patterns over normal text; the first that is found counts."""


def condition(label: Label, words: str) -> Condition:
    """The condition that marked words name.

    Args:
        label: of the words, one of `KINDS`.
        words: the driver's.
    """
    kind = KINDS[label]
    text = normal(words)
    value = next((value for pattern, value in _VALUES[kind] if re.search(pattern, text)), OTHER)
    return Condition(kind=kind, value=value, words=words)


def same(one: tuple[Condition, ...], other: tuple[Condition, ...]) -> bool:
    """Whether two preferences hold under the same conditions."""
    return {_key(c) for c in one} == {_key(c) for c in other}


def _key(one: Condition) -> tuple[ConditionKind, str]:
    return one.kind, one.value if one.value != OTHER else normal(one.words)
