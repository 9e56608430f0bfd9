"""What an utterance comes to: acts, in the order in which they were said.

An act is one of the car's actions (``schemas.actions``), perhaps with slots that are missing still; something about memory; a word
that steers the dialogue; or ``cannot``, with the topic that this car knows nothing of. Owns the names, their slots and what may
stand in them. How acts are written is ``models.acts``'s, what becomes of them the dialogue's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

from schemas.actions import BY_NAME, Domain

SlotValue: TypeAlias = str | float | bool

TOPICS: Final = (
    "messages", "calls", "traffic", "speed_limit", "warning_light", "service", "consumption", "fuel_price", "opening_hours",
    "booking", "ordering", "lists", "calendar_entry", "email_read", "news", "sport", "knowledge", "translation", "conversion",
    "web", "driving", "wipers", "horn", "drive_mode", "bonnet", "sound", "streaming", "video", "map_view", "screen",
    "parked_car", "schedule", "condition", "seat_save", "share", "emergency", "smart_home", "connect", "window_lock", "scent",
    "alarm", "name", "rules", "money", "health", "places", "breakdown", "other",
)  # fmt: skip
"""What drivers ask for and no action exists for."""


@dataclass(frozen=True, slots=True)
class Slot:
    """What may stand in a slot of an act."""

    kind: Literal["choice", "number", "words", "switch"]
    choices: tuple[str, ...] = ()
    """For ``choice``: its values."""
    halves: bool = False
    """For ``number``: whether it may have a half (21.5)."""


_WORDS, _NUMBER, _SWITCH = Slot("words"), Slot("number"), Slot("switch")


def _choice(*values: str) -> Slot:
    return Slot("choice", values)


_NOTHING: Mapping[str, Slot] = MappingProxyType({})
DIALOGUE: Final[Mapping[str, Mapping[str, Slot]]] = MappingProxyType({
    **dict.fromkeys(
        ("yes", "no", "cancel", "stop", "repeat", "hello", "how_are_you", "thanks", "goodbye", "joke", "who_are_you",
         "privacy", "praise", "blame", "help", "why", "refrain", "chat", "none"),
        _NOTHING,
    ),
    "all_off": {"spared": _WORDS},
    "choose": {"number": _NUMBER},
    "get_last": {"part": _choice("done", "said")},
    "cannot": {"topic": Slot("choice", TOPICS)},
})  # fmt: skip
"""Acts that steer the dialogue, or come to words alone; ``all_off`` to actions that only the state of the car tells."""
MEMORY: Final[Mapping[str, Mapping[str, Slot]]] = MappingProxyType({
    **dict.fromkeys(
        ("tell", "forget_last", "forget_all", "pause_learning", "resume_learning", "who_am_i", "delete_me", "export_data",
         "learned"),
        _NOTHING,
    ),
    "remember": {"what": _WORDS},
    "recall": {"about": _WORDS},
    "talked": {"about": _WORDS},
    "forget": {"about": _WORDS},
    "forget_period": {"period": _choice("hour", "today", "yesterday", "week", "trip")},
    "opt_out": {"about": _WORDS},
    "opt_in": {"about": _WORDS},
    "private_trip": {"on": _SWITCH},
    "guest_mode": {"on": _SWITCH},
    "switch_driver": {"name": _WORDS},
})  # fmt: skip
"""Acts about what is remembered, and of whom."""
SAID_OTHERWISE: Final[Mapping[str, Mapping[str, Slot]]] = MappingProxyType({"set_temperature": {"fahrenheit": _NUMBER}})
"""Slots that only an act has: they stand for the action's own slot in another unit."""
UNSAID: Final[Mapping[str, frozenset[str]]] = MappingProxyType({"set_reminder": frozenset({"date"})})
"""Slots that only an action has: rules fill them, and the parser knows nothing of them."""
NAMES: Final = (
    *(name for name, action in BY_NAME.items() if action.domain is not Domain.MEMORY and name not in DIALOGUE),
    *DIALOGUE,
    *MEMORY,
)
"""Every name that an act may have."""


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that was meant."""

    name: str
    slots: Mapping[str, SlotValue] = field(default_factory=dict[str, SlotValue])

    def __hash__(self) -> int:
        return hash((self.name, tuple(self.slots.items())))

    def completing(self, begun: Act) -> Act:
        """With the slots of a wish of the same name that was begun and lacked something."""
        return Act(self.name, {**begun.slots, **self.slots}) if begun.name == self.name else self

    @property
    def words(self) -> Mapping[str, str]:
        """Its slots of free words."""
        kinds = slots_of(self.name)
        return {slot: str(value) for slot, value in self.slots.items() if slot in kinds and kinds[slot].kind == "words"}

    @property
    def is_action(self) -> bool:
        """Whether it is one of the car's actions."""
        return self.name not in DIALOGUE and self.name not in MEMORY


@dataclass(frozen=True, slots=True)
class Parsed:
    """An utterance as acts."""

    acts: tuple[Act, ...]
    sure: float
    """Probability of the whole, 0..1."""
    left: tuple[str, ...] = ()
    """Parts of the utterance that ask for something and are in none of the acts, in the driver's words."""


@cache
def slots_of(name: str) -> Mapping[str, Slot]:
    """The slots of an act by its name, in the order in which they are written.

    Raises:
        KeyError: no act has this name.
    """
    if name in DIALOGUE:
        return DIALOGUE[name]
    if name in MEMORY:
        return MEMORY[name]
    schema = BY_NAME[name].model_json_schema()
    own = (
        {slot: _slot(part) for slot, part in schema["properties"].items() if slot not in UNSAID.get(name, ())}
        if "properties" in schema
        else {}
    )
    return {**own, **SAID_OTHERWISE.get(name, {})}


def _slot(schema: Mapping[str, Any]) -> Slot:
    for part in schema.get("anyOf", ()):
        if part.get("type") != "null":
            return _slot({**part, **{key: value for key, value in schema.items() if key != "anyOf"}})
    if "enum" in schema or "const" in schema:
        return Slot("choice", tuple(schema.get("enum", (schema.get("const"),))))
    if schema["type"] == "boolean":
        return _SWITCH
    if schema["type"] in ("integer", "number"):
        return Slot("number", halves=schema["type"] == "number")
    return _WORDS
