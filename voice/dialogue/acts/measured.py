"""What the numbers of an utterance were said to count, and what the slots of the acts count. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from models.commands.units import DIMENSIONS
from models.numbers import NUMBER, numbers
from schemas.actions.acts import Act, slots_of

_SLOTS = {
    **dict.fromkeys(("celsius", "fahrenheit"), "degrees"), **dict.fromkeys(("percent", "by"), "share"),
    **dict.fromkeys(("minutes", "seconds", "hour", "minute", "day", "event"), "time"),
    "direction": "length",
}  # fmt: skip
"""Slot -> what it counts; the others count in nothing that has a name ("level two"). Air may go to the feet: "fan two, feet"."""
STEP = 5
"""What percents and seconds are rounded to (`voice.dialogue.acts.resolving`)."""
_BY_DEGREES = "change_temperature"
_MEASURED = re.compile(
    rf"\b(?P<number>\d+(?:\.\d+)?|(?:(?:a|{NUMBER}) )?(?:hundred|thousand)(?: (?:and )?{NUMBER})?|"
    rf"{NUMBER}(?: point \w+| and a half)?) "
    rf"(?P<unit>{'|'.join(sorted(DIMENSIONS, key=len, reverse=True))})\b"
)
_MOMENT = re.compile(r"\bone (?:second|minute)\b")
"""Asks for patience as often as it counts."""
_SECONDS = {"minute": 60, "minutes": 60, "hour": 3600, "hours": 3600}


def counted(name: str, slot: str) -> str:
    """What a slot of an act counts; empty where its number has no unit."""
    return "degrees" if (name, slot) == (_BY_DEGREES, "by") else _SLOTS.get(slot, "")


def foreign(text: str, acts: Iterable[Act]) -> str:
    """A number with its unit that became an amount, though nothing counts in that unit ("five inches"); empty where there is none.

    Of 18,341 lines of the training data, with the acts that belong to them, none has such a number.

    Args:
        text: the utterance in its spoken form, without what stands in slots of free words.
        acts: all of them.
    """
    slots = [(act.name, slot, value) for act in acts for slot, value in act.slots.items()]
    known = {counted(name, slot) for name, slot, _ in slots}
    amounts = {float(value) for *_, value in slots if isinstance(value, int | float) and not isinstance(value, bool)}
    said = _MEASURED.finditer(_MOMENT.sub(" ", text))
    foreign_to = (found for found in said if DIMENSIONS[found["unit"]] not in known)
    return next((found[0] for found in foreign_to if any(_became(found["number"], amount) for amount in amounts)), "")


def _became(said: str, amount: float) -> bool:
    """Whether a number is the amount, or was rounded to it."""
    return any(one == amount or STEP * round(one / STEP) == amount for one in numbers(said) if one)


def in_seconds(act: Act, text: str) -> Act:
    """The act with its seconds as they were said: "skip thirty minutes" where it has no slot for minutes."""
    seconds = act.slots.get("seconds") if act.is_action else None
    if seconds is None or "minutes" in slots_of(act.name):
        return act
    return next((Act(act.name, {**act.slots, "seconds": whole}) for whole in _spans(text, seconds)), act)


def _spans(text: str, value: object) -> Iterator[int]:
    """Seconds of the times in the text whose number the value is, though it was said of minutes or hours."""
    for found in _MEASURED.finditer(text):
        if found["unit"] in _SECONDS and isinstance(value, int | float) and float(value) in numbers(found["number"]):
            yield round(value * _SECONDS[found["unit"]])
