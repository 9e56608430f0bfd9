"""What is open as somebody sees it who answers with a finger: yes and no, or the things that were asked about.

Owns which words a button stands for. They are read as if they had been said (``reading.py``, ``which.py``): nothing here decides.
"""

from __future__ import annotations

from schemas.events import Asking, Choice, Wanted
from voice.dialogue.forgetting import asking
from voice.dialogue.open import which
from voice.dialogue.open.things import Asked, Confirmation, Forgetting, Introducing, Missing
from voice.dialogue.open.things import Choice as Several

MOST = 4
"""Buttons for choices: more are no glance. What is beyond them can be said."""
_PLACES = ("the first", "the second", "the third", "the fourth")
_KEEP = (Choice(label="Keep", answer="keep them"), Choice(label="Delete", answer="delete them"))
_LENGTHS = (Choice(label="Short", answer="short"), Choice(label="Longer", answer="longer"))


def shown(thing: Asked, number: int) -> Asking:
    """What is open, as this question."""
    match thing:
        case Several():
            return Asking(number=number, question=thing.question, choices=_several(thing))
        case Missing():
            return Asking(number=number, question=thing.question)
        case Introducing():
            choices = _LENGTHS if thing.about == "length" else ()
            return Asking(number=number, question=thing.question, choices=choices)
        case Forgetting() if thing.asked.asked is asking.Asked.KEEP:
            return Asking(number=number, question=thing.question, choices=_KEEP)
        case Forgetting() if thing.asked.asked is asking.Asked.FORGET and len(thing.asked.among) > 1:
            named = [one.value for one in thing.asked.among[:MOST]]
            return Asking(number=number, question=thing.question, choices=_placed(named))
        case Forgetting() if thing.asked.asked is asking.Asked.WHICH:
            return Asking(
                number=number, question=thing.question, choices=_placed([name for _, name in thing.asked.which[:MOST]])
            )
        case Confirmation():
            wanted = tuple(Wanted(name=action.name, slots=action.slots()) for action in thing.actions)
            return Asking(number=number, question=thing.question, yes_no=True, wanted=wanted)
        case _:
            return Asking(number=number, question=thing.question, yes_no=True)


def _several(thing: Several) -> tuple[Choice, ...]:
    if thing.wish is None:  # two commands: each is named by its words
        return tuple(Choice(label=text, answer=text) for text in thing.among)
    among = thing.among[:MOST]
    if all(which.named(thing.among, name) == name for name in among):
        return tuple(Choice(label=name, answer=name) for name in among)
    return _placed(among)


def _placed(labels: list[str] | tuple[str, ...]) -> tuple[Choice, ...]:
    return tuple(Choice(label=label, answer=place) for label, place in zip(labels, _PLACES, strict=False))
