"""How acts are written: ``set_window(window=passenger,percent=50); play_music(genre=jazz)``.

The one spelling of the training data and of what the parser is told of the dialogue. Slots stand in the order of
``schemas.actions.acts.slots_of``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from schemas.actions.acts import NAMES, Act, Slot, SlotValue, slots_of
from schemas.errors import GenerationError

BETWEEN = "; "
_ACT = re.compile(r"([a-z_]+)\(([^()]*)\)")
_KNOWN = frozenset(NAMES)


def write(acts: Iterable[Act]) -> str:
    """The acts in their spelling."""
    return BETWEEN.join(_written(act) for act in acts)


def read(text: str) -> tuple[Act, ...]:
    """The acts of a text in that spelling, whatever the order of their slots.

    Raises:
        schemas.errors.GenerationError: it is none; the message holds no words of it.
    """
    acts: list[Act] = []
    for part in text.strip().split(BETWEEN.strip()):
        found = _ACT.fullmatch(part.strip())
        if found is None or found[1] not in _KNOWN:
            raise GenerationError("the text is no act")
        acts.append(Act(found[1], _slots(found[1], found[2])))
    return tuple(acts)


def _written(act: Act) -> str:
    inside = ",".join(f"{slot}={_value(act.slots[slot])}" for slot in slots_of(act.name) if slot in act.slots)
    return f"{act.name}({inside})"


def _value(value: SlotValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, int | float) else value


def _slots(name: str, text: str) -> Mapping[str, SlotValue]:
    known, given = slots_of(name), {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        slot, _, value = (piece.strip() for piece in part.partition("="))
        if slot not in known or slot in given or not value:
            raise GenerationError(f"the text for {name} has a slot that it cannot have")
        given[slot] = _meant(known[slot], value, f"{name}.{slot}")
    return {slot: given[slot] for slot in known if slot in given}


def _meant(slot: Slot, text: str, place: str) -> SlotValue:
    if slot.kind == "words":
        return text
    if slot.kind == "choice" and text in slot.choices:
        return text
    if slot.kind == "switch" and text in ("true", "false"):
        return text == "true"
    if slot.kind == "number" and re.fullmatch(r"\d{1,3}(?:\.5)?", text):
        return float(text) if "." in text else int(text)
    raise GenerationError(f"the text for {place} is nothing that can stand there")
