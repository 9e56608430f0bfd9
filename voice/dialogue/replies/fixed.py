"""The sentences that the assistant says again and again, word for word: their sound can be made ahead and kept.

Owns the list. Every sentence of it stands in this program or is made of an action's slots that have a fixed choice of values: none
holds a word that a driver said, a name, or anything remembered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

from schemas.actions import ACTIONS, Action
from schemas.errors import GloveboxError
from voice.dialogue.acts import resolving
from voice.dialogue.replies import responder
from voice.dialogue.replies.responder import CHAT, HELP, JOKES, SMALL_TALK
from voice.tts.sentences import OPENING, split_sentences

PLAIN = (
    "Sorry, I didn't understand that.",
    CHAT,
    "I won't keep that:",
    "I knew that already:",
    "I'm not sure what you mean. Please say it in full.",
    "Say yes or no.",
    "I didn't understand the rest.",
    "Okay, I won't.",
    "There is no open question. Please say what you want.",
    "Sorry, I still don't understand, so I'll leave it.",
    "I remember nothing about you yet.",
    "You're welcome.",
    "For how long?",
    "When shall I remind you?",
    "At what time?",
    "The car did not do that.",
    "I can't reach the car.",
    "I asked the car, but nothing moved.",
    "That stays in your hands: I touch nothing that drives the car.",
)
"""Replies of `voice.dialogue` that are said as they stand, and beginnings of them; a test looks that each does stand there."""
ASKING = (
    *resolving.ASKS.values(), resolving.HOW, responder.OKAY, responder.DONE, responder.OTHERWISE, responder.NOTHING_TO_CALL_OFF,
    responder.TOO_LONG, responder.CONTRARY, responder.WHICH_SEATS, responder.NO_WINDOW_OPEN, responder.NOTHING_ON,
    responder.REMEMBER_WHAT, responder.WHICH_TOPIC, responder.LOST,
)  # fmt: skip
"""Questions for what was left out, and answers to free speech."""
ASKED = ("set_trunk", "set_door_locks", "set_window", "set_sunroof")
"""Actions that wait for a yes often: the question is kept, too."""
_STEPS = {"percent": 25, "level": 1, "celsius": 0.5, "number": 1}
"""Slot -> distance of the values whose sentences are kept."""
_MOST_OF_ONE = 25
"""Sentences of one action: first those with the usual zone or window. 25 are all temperatures that a car can be set to."""
_FIRST_OF_ONE = 5
"""Of these, how many of every action come before the rest of any. Behind all sentences of the fan and the windows there was no room
left (`voice.tts.kept.LIMIT_S`) for what is said of music and the route."""


def fixed_sentences(refusals: Iterable[str] = ()) -> tuple[str, ...]:
    """All of them, the most frequent kinds first, each once; some 450, about 13 minutes of speech.

    Args:
        refusals: what is said where the gate refuses; they come before the rarer values of the actions.
    """
    done = list(_done())
    first = [sentence for one in done for sentence in one[:_FIRST_OF_ONE]]
    more = [sentence for one in done for sentence in one[_FIRST_OF_ONE:]]
    faults = [kind.spoken for kind in _kinds(GloveboxError)]
    replies = [*PLAIN, *first, *ASKING, *refusals, HELP, *SMALL_TALK.values(), *faults, *more, *JOKES]
    return (OPENING, *dict.fromkeys(sentence for reply in replies for sentence in split_sentences(reply)))


def _kinds(kind: type[GloveboxError]) -> Iterator[type[GloveboxError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from _kinds(below)


def _done() -> Iterator[list[str]]:
    """What is said once an action is done, and the questions before some; one list for each action."""
    for action in ACTIONS:
        slots = _slots(action)
        if (done := action.done) is not None:
            yield [f"{words}." for words in dict.fromkeys(map(done, slots))][:_MOST_OF_ONE]
        if (do := action.do) is not None and action.name in ASKED:
            yield [f"Shall I {words}?" for words in dict.fromkeys(map(do, slots))][:_MOST_OF_ONE]


def _slots(action: type[Action]) -> list[dict[str, Any]]:
    """Slots of an action, the usual ones first; none if one of them takes free words."""
    fields: dict[str, dict[str, Any]] = action.model_json_schema()["properties"]
    values = [_values(name, field, action.model_fields[name].is_required()) for name, field in fields.items()]
    ranked = sorted(product(*values), key=lambda chosen: sum(rank for rank, _ in chosen))
    return [{name: value for name, (_, value) in zip(fields, chosen, strict=True)} for chosen in ranked]


def _values(name: str, field: dict[str, Any], required: bool) -> list[tuple[int, Any]]:
    """(0 for a usual one, else 1; value)."""
    if "enum" in field:
        usual = field.get("default", field["enum"][0])
        return [(int(value != usual), value) for value in field["enum"]]
    if field.get("type") == "boolean":
        return [(0, True), (0, False)]
    if name in _STEPS and "minimum" in field:
        step = _STEPS[name]
        return [(0, field["minimum"] + step * n) for n in range(int((field["maximum"] - field["minimum"]) / step) + 1)]
    return [] if required else [(0, None)]
