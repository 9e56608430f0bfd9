"""Acts in writing: ``set_window(window=passenger,percent=50); play_music()``.

Owns: reading and writing the form as text, with placeholders in it. The names of acts and slots are the program's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from models.text import spoken
from schemas.actions.acts import NAMES, TOPICS, slots_of

ACTS: Mapping[str, tuple[str, ...]] = {name: tuple(slots_of(name)) for name in NAMES}
"""Name of an act -> its slots, in the order in which they are written: those that the program reads."""
WORDS = frozenset(slot for name in NAMES for slot, kind in slots_of(name).items() if kind.kind == "words") - {"genre"}
"""Slots that hold words of the utterance, as they were said."""
_ACT = re.compile(r"([a-z_]+)\(([^()]*)\)")
_SLOT = re.compile(r",\s*(?=[a-z_]+=)")


@dataclass(frozen=True)
class Act:
    """One act; slots as they are written."""

    name: str
    slots: Mapping[str, str]

    def __str__(self) -> str:
        inside = ",".join(f"{slot}={self.slots[slot]}" for slot in ACTS[self.name] if slot in self.slots)
        return f"{self.name}({inside})"

    @property
    def said(self) -> tuple[str, ...]:
        """The values that are words of the utterance; what ``about`` says of the assistant's abilities is one of a few."""
        return tuple(
            value
            for slot, value in self.slots.items()
            if (slot in WORDS or (slot == "genre")) and self.name != "get_capabilities"
        )


def read(text: str) -> tuple[Act, ...]:
    """The acts that a text writes.

    Raises:
        ValueError: it is not in this form, or has a name, a slot or a topic that there is not.
    """
    acts: list[Act] = []
    for part in text.split(";"):
        found = _ACT.fullmatch(part.strip())
        if found is None:
            raise ValueError(f"{part.strip()!r} is no act")
        name, inside = found.groups()
        if name not in ACTS:
            raise ValueError(f"no act is called {name!r}")
        slots: dict[str, str] = {}
        for pair in _SLOT.split(inside) if inside.strip() else ():
            slot, equals, value = pair.partition("=")
            slot, value = slot.strip(), value.strip()
            if not equals or not value:
                raise ValueError(f"{pair!r} in {name} is no slot with a value")
            if slot not in ACTS[name]:
                raise ValueError(f"{name} has no slot {slot!r}")
            slots[slot] = spoken(value) if slot in WORDS and name != "get_capabilities" else value
        if slots.get("topic", "other") not in TOPICS:
            raise ValueError(f"no topic is called {slots['topic']!r}")
        acts.append(Act(name, slots))
    return tuple(acts)


def write(acts: tuple[Act, ...]) -> str:
    """The text of acts; `read` gives them back."""
    return "; ".join(map(str, acts))
