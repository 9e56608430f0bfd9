"""What the parser is told of the dialogue: what was done or talked about last, or what waits for an answer, in one line.

The same few forms stand in the training data: ``did ACTS``, ``asked ACTS`` (a yes is wanted), ``needs ACT`` (something is missing),
``offered ACT: names``.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from models.acts.spelling import write
from schemas.actions import Action
from schemas.actions.acts import Act, slots_of
from voice.dialogue.open.things import Asked, Choice, Confirmation, Introducing, Missing, Offer, Remembering
from voice.dialogue.recent import RecentActions

MOST = 2
"""Acts that stand in a context: the last two."""


def context(open_: Asked | None, recent: RecentActions, now: datetime) -> str:
    """The line; empty where nothing is fresh.

    Args:
        open_: what waits for an answer.
        recent: what was done last, and what memory was told or asked since.
        now: the present moment.
    """
    match open_:
        case Missing(wish=wish) | Choice(wish=Act() as wish):
            return f"needs {write((wish,))}"
        case Confirmation(actions=waiting):
            return f"asked {_acts(waiting)}"
        case Offer(action=Action() as offered):
            return f"asked {_acts((offered,))}"
        case Introducing():
            return ""
        case Remembering() | Offer():
            return "asked tell()"
        case _:
            pass
    if talk := recent.talk(now):
        return f"did {write(talk[-MOST:])}"
    if not recent.actions or not recent.fresh(now):
        return ""
    names = [str(place["name"]).lower() for place in recent.answer.get("places") or ()]
    if names:
        return f"offered {_acts(recent.actions[-1:])}: {', '.join(names)}"
    return f"did {_acts(recent.actions)}"


def act_of(action: Action) -> Act:
    """An action as an act, with the slots that differ from what is meant where nothing is said."""
    fields = type(action).model_fields
    told = {
        slot: value
        for slot, value in action.slots().items()
        if slot in slots_of(action.name) and (fields[slot].is_required() or value != fields[slot].default)
    }
    return Act(action.name, told)


def _acts(actions: Iterable[Action]) -> str:
    return write([act_of(action) for action in actions][-MOST:])
