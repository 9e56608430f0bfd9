"""Several requests in one sentence, where the parser's reading of the whole leaves a doubt: each is read by itself.

The parser reads a sentence as a whole, which is right nearly always. Where it is unsure, or a number or a side found no place, the
parts between "and" and its like are read one after the other, and the better reading counts. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod

from models.acts.spelling import write
from schemas.actions.acts import Act, Parsed, slots_of
from schemas.actions.base import GROUPS
from schemas.events import CommandKind
from schemas.ports import CommandMatcher
from voice.dialogue.acts.accounted import left_over, unspoken
from voice.dialogue.acts.planning import GUESS_AT

_JOINS = re.compile(
    r"\b(?:and then|and also|and please|and|then|also|plus|but)\b"
    r"(?! (?:a |one |a half|half|quarter|(?:please )?(?:not|don't|do not|never|leave|keep))\b)"
)
"""Not before what is to be left out: that belongs to what stands before it."""
MOST = 4
"""Parts of a sentence that are read by themselves: more is a story."""
_SIDE = re.compile(
    r"\b(?:my|mine|me|behind|passenger|passenger's|driver's|left|right|rear|back|front|his|hers?|next to|opposite)\b"
)
_IDLE = frozenset({"none", "chat"})
"""Acts of a part that asks for nothing."""


def parts(text: str) -> tuple[str, ...]:
    """The parts of a sentence between the words that join requests; one where there are none, or too many."""
    found = tuple(part.strip() for part in _JOINS.split(text) if part.strip())
    return found if len(found) <= MOST else (text,)


def lacks_side(pieces: Sequence[str], acts: Sequence[Act]) -> bool:
    """Whether two places were named for one thing ("my window and the one behind me"), and the acts have one corner."""
    if len(acts) != 1 or len(pieces) != 2 or not all(_SIDE.search(piece) for piece in pieces):
        return False
    place = acts[0].slots.get("window", acts[0].slots.get("zone"))
    return acts[0].is_action and bool({"window", "zone"} & set(slots_of(acts[0].name))) and place not in GROUPS


def did(acts: Sequence[Act]) -> str:
    """What the parser is told of the part before."""
    done = [act for act in acts if act.is_action]
    return f"did {write(done[-1:])}" if done else ""


def better(text: str, whole: Parsed, found: Sequence[Parsed]) -> Parsed:
    """The reading of the parts where it is more probable, or leaves nothing over that the whole does; else the whole's.

    Parts that come to fewer acts count only where the whole's reading is a guess.

    Args:
        text: the sentence.
        whole: its reading as a whole.
        found: the readings of its parts.
    """
    acts = tuple(dict.fromkeys(act for part in found for act in part.acts if act.name not in _IDLE))
    together = Parsed(acts, prod(part.sure for part in found))
    fewer = len(acts) < len([act for act in whole.acts if act.name not in _IDLE])
    if not acts or (fewer and whole.sure >= GUESS_AT):
        return whole
    mends = (left_over(text, whole.acts) is not None and left_over(text, acts) is None) or (
        unspoken(text, whole.acts) != "" and unspoken(text, acts) == ""
    )
    more = len(acts) > len(whole.acts) and together.sure >= 0.5
    return together if together.sure > whole.sure or (mends and together.sure >= 0.5) or more else whole


_HOW = re.compile(
    r"^(?:how (?:do|can|would|could|should) (?:i|we|you)|where (?:do|can) i|(?:can you )?tell me how to) (?P<wish>.+)$"
)


def asked_how(text: str, matcher: CommandMatcher) -> Act | None:
    """The action that was asked about ("how do I turn the fog lights on?"), if the words after it are a complete command."""
    found = _HOW.match(text)
    command = matcher.match(found["wish"]) if found is not None else None
    if command is None or command.kind is not CommandKind.ACTION:
        return None
    return Act(command.name, command.slots)
