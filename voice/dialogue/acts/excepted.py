"""What is to be left out: "all the windows but mine", "heat every seat, just not the back ones".

The parser writes one window that is left out, and for all else nothing. Here the places that the words of an exception name are
taken out of those where an act acts, so that what is left is what was asked for. Pure; an exception that names no place is not its
matter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import permutations

from schemas.actions import BY_NAME
from schemas.actions.acts import Act, SlotValue, slots_of
from schemas.actions.base import GROUPS, corners

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


def clause(text: str) -> str:
    """The words of an exception, from where it begins; empty where there is none."""
    found = EXCEPTION.search(text)
    return "" if found is None else CUT.split(text[found.start() :])[0].strip()


def place_of(act: Act) -> tuple[str, str]:
    """The slot of an act that says where, and its value; empty where it has none."""
    slots = slots_of(act.name)
    slot = next((slot for slot in ("window", "zone") if act.is_action and slot in slots), "")
    if not slot:
        return "", ""
    field = BY_NAME[act.name].model_fields[slot]
    return slot, str(act.slots.get(slot, "" if field.is_required() else field.default))


def without(text: str, acts: Sequence[Act]) -> tuple[tuple[Act, ...], str]:
    """The acts without the places that the words of an exception name, and these words; empty words where nothing is taken out.

    Args:
        text: the utterance in its spoken form.
        acts: what the parser wrote.
    """
    words = clause(text)
    acts = _twice(acts) if words else tuple(acts)
    spared = named(words)
    if not spared:
        return acts, ""
    found, heeded = list[Act](), ""
    for act in acts:
        slot, place = place_of(act)
        whole = set(corners(place)) if slot else set[str]()
        kept = whole - spared - set(corners(str(act.slots["but"])) if "but" in act.slots else ())
        if len(whole) < 2 or not kept or not whole & spared:
            found.append(act)
            continue
        heeded = words
        found += _at(act, slot, place, kept)
    return tuple(found), heeded


def _at(act: Act, slot: str, place: str, kept: set[str]) -> list[Act]:
    """The act at the corners that are kept: by one place that is left out where it can say so, else place by place."""
    rest: dict[str, SlotValue] = {name: value for name, value in act.slots.items() if name != "but"}
    if "but" in slots_of(act.name):
        out = next((one for one in slots_of(act.name)["but"].choices if set(corners(place, one)) == kept), None)
        if out is not None:
            return [Act(act.name, {**rest, slot: place, "but": out})]
    choices = sorted(slots_of(act.name)[slot].choices, key=lambda one: -len(corners(one)))
    found, left = list[Act](), set(kept)
    for choice in choices:
        if choice != "all" and set(corners(choice)) <= left:
            found.append(Act(act.name, {**rest, slot: choice}))
            left -= set(corners(choice))
    return found


def _twice(acts: Sequence[Act]) -> tuple[Act, ...]:
    """All places but one, where the parser wrote both: "all the seats but mine" is none for mine."""
    for whole, part in permutations(acts, 2):
        slot, place = place_of(whole)
        other = part.slots.get(slot)
        if not slot or other is None or Act(whole.name, {**whole.slots, slot: other}) != part:
            continue
        kept = set(corners(place)) - set(corners(str(other)))
        if kept and place in GROUPS:
            at = acts.index(whole)
            rest = [act for act in acts if act not in (whole, part)]
            return (*rest[:at], *_at(whole, slot, place, kept), *rest[at:])
    return tuple(acts)
