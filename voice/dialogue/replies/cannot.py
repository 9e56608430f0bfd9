"""What is said to wishes that no action exists for: the wish in the driver's own words, or a sentence of its own for each topic."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from voice.dialogue.replies.turned import turned

CANNOT: Final[Mapping[str, str]] = MappingProxyType({
    "messages": "I can't read or send messages.",
    "calls": "I can't answer, end or list calls.",
    "traffic": "I don't know the traffic.",
    "speed_limit": "I don't know the speed limit here.",
    "warning_light": "I don't know what that light means. Please look into the manual.",
    "service": "I don't know. Please look into the car's manual.",
    "consumption": "I don't know the consumption.",
    "fuel_price": "I don't know the prices there.",
    "opening_hours": "I don't know opening hours or reviews.",
    "booking": "I can't book anything.",
    "ordering": "I can't order or buy anything.",
    "lists": "I can't keep lists or notes.",
    "calendar_entry": "I can't change your calendar.",
    "email_read": "I can't read e-mails.",
    "news": "I don't know the news.",
    "sport": "I don't know the scores.",
    "knowledge": "I don't know that: I only know this car and what you told me.",
    "translation": "I can't translate.",
    "conversion": "I can't do sums or convert units.",
    "web": "I can't reach the internet.",
    "driving": "That stays in your hands: I touch nothing that drives the car.",
    "wipers": "That stays in your hands: I don't touch the wipers.",
    "horn": "That stays in your hands: I don't touch horn, hazard lights or indicators.",
    "drive_mode": "I can't change how the car drives.",
    "bonnet": "I can't open or close that.",
    "sound": "I can't change bass, treble or balance.",
    "streaming": "I can't reach streaming services.",
    "video": "I can't show films or games.",
    "map_view": "I can't change the map or show a camera.",
    "screen": "I can't switch screens or open apps.",
    "parked_car": "I don't know where the car was parked.",
    "schedule": "I can't do that by myself at a set time.",
    "condition": "I can't wait for that and do it by myself. Tell me when it is time.",
    "seat_save": "I can't store or move that.",
    "share": "I can't share where you are.",
    "emergency": "I can't report that. In an emergency, please get help yourself.",
    "smart_home": "I can't reach anything outside this car.",
    "connect": "I can't connect phones or networks.",
    "window_lock": "I can't lock single windows.",
    "scent": "This car has nothing like that.",
    "alarm": "I can't reach the alarm or the dash cam.",
    "name": "I can't change names, voices or languages.",
    "rules": "I can't do that: my rules do not change by being told so.",
    "money": "I know nothing about money matters, so I can't say.",
    "health": "I can't give advice on that.",
    "places": "I can't look for that: I know restaurants, cafes, bakeries, supermarkets, fuel, charging, parking, hotels, toilets, "
    "chemists, hospitals and airports.",
    "breakdown": "I can't tell what is wrong, or send help. If it doesn't feel safe, please stop and call for help.",
    "other": "This car can't do that.",
})  # fmt: skip
"""By topic (``schemas.actions.acts.TOPICS``). None names a thing that the car can do: it would be taken for an answer to that."""


@dataclass(frozen=True, slots=True)
class Way:
    """What a car may have for wishes of a topic."""

    action: str
    say: str
    """A complete command for it."""
    words: frozenset[str] = frozenset()
    """Words of which the wish has one; empty: whatever it is."""


WAYS: Final[Mapping[str, tuple[Way, ...]]] = MappingProxyType(
    {
        "calls": (Way("hang_up", "hang up"),),
        "consumption": (Way("get_trip", "what's the consumption"),),
        "drive_mode": (Way("set_drive_mode", "switch to sport mode"),),
        "bonnet": (Way("set_fuel_door", "open the fuel door", frozenset(("fuel", "petrol", "tank", "gas"))),),
        "service": (
            Way("get_service", "when is the next service due", frozenset(("service", "inspection", "maintenance"))),
        ),
        "sound": (
            Way("set_guidance_volume", "navigation volume forty", frozenset(("navigation", "guidance", "directions"))),
        ),
    }
)
"""By topic. A free wish for one of these actions may be read as one that no car can do. Whoever has a car that can is told in which
words, and not that it cannot."""
IN_WORDS: Final = frozenset(
    "messages calls booking ordering lists calendar_entry email_read translation web bonnet sound streaming video map_view screen "
    "seat_save share connect window_lock other drive_mode schedule".split()
)
"""Topics whose wishes are said again: "I can't open the glove box"."""
LONGEST = 8
"""Words of a wish that is said again."""
_POLITE = re.compile(
    r"^(?:(?:please|hey|um|okay|so|can you|could you|would you|will you|i want you to|i'd like you to) )+|"
    r"(?: please| thanks| thank you)+$"
)
_VERBS = frozenset(
    "add adjust answer book buy cancel check close connect download fold hang heat lock make move open order pair play post read "
    "preheat recline record reject reply send set share show start store stream switch text translate turn write zoom".split()
)


def refusal(topic: str, text: str = "", offers: Collection[str] = ()) -> str:
    """What is said to a wish.

    Args:
        topic: what it is about.
        text: the wish in its spoken form, if it was all that was said.
        offers: names of the actions that this car has.
    """
    for way in WAYS.get(topic, ()):
        if way.action in offers and (not way.words or not way.words.isdisjoint(text.split())):
            return f"I can't do just that. You can say, for example: {way.say}."
    words = _POLITE.sub("", text).split()
    plain = 1 < len(words) <= LONGEST and words[0] in _VERBS and "and" not in words
    if topic in IN_WORDS and plain:
        return f"I can't {turned(' '.join(words))}."
    return CANNOT[topic]
