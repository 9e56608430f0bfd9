"""Words of an exception and the places that they name: "all the windows but mine", "heat every seat, just not the back ones".

Pure. What is left out is for the parser to read; whether it has is looked at by `accounted`.
"""

from __future__ import annotations

import re

from schemas.actions import BY_NAME
from schemas.actions.acts import Act, slots_of
from schemas.actions.base import corners

EXCEPTION = re.compile(
    r"\b(?:except|apart from|other than|excluding|save for|all but|but not|but leave|but keep|everything but|anything but)\b|"
    r"\b(?:all|both|every\w*)(?: (?!but\b)\w+){0,3} (?:but|bar)\b|"
    r"\bnot (?:the|mine|my|hers|his)\b|\b(?:that|which) (?:isn't|is not|aren't|are not)\b|"
    r"(?:(?<=but )|(?<=and )|(?<=just )|(?<=please ))(?:don't|do not) (?:open|close|shut|move|change|turn|put|switch|start)\b|"
    r"\b(?:don't|do not) (?:touch|bother)\b|"
    r"\bleave (?:the |my |his |her )?(?:\w+ ){1,2}(?:alone|be|as (?:it|they)|how (?:it|they)|where (?:it|they))\b"
)
"""Words of an exception."""
CUT = re.compile(r"\b(?:and|then|also|plus|please)\b")
"""Where the words of an exception or a condition end."""
_NAMED = (
    (re.compile(r"\b(?:rear|back) (?P<side>left|right)\b|\b(?P<side_>left|right)(?: \w+)? (?:rear|back)\b"), "rear"),
    (re.compile(r"\bfront (?P<side>left|right)\b|\b(?P<side_>left|right) front\b"), "front"),
    (re.compile(r"\b(?:mine|me|my (?:own|side|seat|window|one|light|lamp|reading light|door)|driver's|the driver)\b"), "driver"),
    (re.compile(r"\b(?:hers|his|her (?:side|seat|window|one|light)|passenger(?:'s)?|next to me)\b"), "passenger"),
    (re.compile(r"\b(?:rear|back|behind|the kids)\b"), "rear"),
    (re.compile(r"\bfront\b"), "front"),
    (re.compile(r"\bleft\b"), "left"),
    (re.compile(r"\bright\b"), "right"),
)  # fmt: skip
"""Words for a place, and which it is; the first that fits takes its words away from the others."""


def named(words: str) -> frozenset[str]:
    """The corners of the car that words name."""
    found = set[str]()
    for pattern, place in _NAMED:
        for match in pattern.finditer(words):
            parts = match.groupdict()
            side = parts.get("side") or parts.get("side_")
            found |= set(corners(place)) & set(corners(side)) if side else set(corners(place))
        words = pattern.sub(" ", words)
    return frozenset(found)


def place_of(act: Act) -> tuple[str, str]:
    """The slot of an act that says where, and its value; empty where it has none."""
    slots = slots_of(act.name)
    slot = next((slot for slot in ("window", "zone") if act.is_action and slot in slots), "")
    if not slot:
        return "", ""
    field = BY_NAME[act.name].model_fields[slot]
    return slot, str(act.slots.get(slot, "" if field.is_required() else field.default))
