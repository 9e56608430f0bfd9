"""What the talk about memory may ask, and which answer to it the driver's words are.

The by-the-way questions of memory itself ("shall I remember that ...?") are ``voice.dialogue.memory.question``'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from models.numbers import number_at
from models.text import words
from schemas.events import Command
from schemas.memory import Preference, Selector
from voice.dialogue.forgetting.naming import BETWEEN
from voice.dialogue.open.table import Event
from voice.dialogue.replies.examples import COMMON


class Asked(Enum):
    """What the driver was asked."""

    FORGET = "whether these things are to be forgotten"
    WHICH = "which of these things is to be forgotten"
    FORGET_SURELY = "whether everything, or much at once, is to be forgotten, once more"
    KEEP = "whether what is there already is deleted, too"
    EXPORT = "whether the data is to be written to a file"
    DELETE = "whether the driver is to be deleted"
    DELETE_SURELY = "whether the driver is to be deleted, once more"


@dataclass(frozen=True, slots=True)
class Question:
    """The question that is open."""

    asked: Asked
    what: Selector = field(default_factory=Selector)
    among: tuple[Preference, ...] = ()
    again: str = ""
    """How it is asked once more."""
    which: tuple[tuple[Selector, str], ...] = ()
    """For `Asked.WHICH`, and for `Asked.FORGET` of several things: what is meant by each, and how it is called in the question."""


LEFT = {
    Asked.FORGET: "Okay, I keep it.",
    Asked.WHICH: "Okay, I keep it.",
    Asked.FORGET_SURELY: "Okay, I keep it.",
    Asked.KEEP: "Okay, it stays.",
    Asked.EXPORT: "Okay, no file is written.",
    Asked.DELETE: "Okay, nothing is deleted.",
    Asked.DELETE_SURELY: "Okay, nothing is deleted.",
}
"""What is said when the driver says no."""


def read(open_: Question, text: str, command: Command | None) -> Event | None:
    """Which answer to the question the words are; None: none.

    Args:
        open_: what was asked.
        text: what was said.
        command: what it parsed as, if it did.
    """
    name = "" if command is None else command.name
    if name in ("repeat", "help"):
        return Event.AGAIN
    if name == "keep_those" and open_.asked in (Asked.KEEP, Asked.FORGET, Asked.WHICH, Asked.FORGET_SURELY):
        return Event.NO
    if open_.asked is Asked.WHICH and name == "yes":  # "which?" has no yes
        return Event.AGAIN
    if open_.asked is Asked.WHICH:
        fits = Event.FITS if which(open_, text, command) else None
        return Event.AGAIN if fits is None and name in ("pick", "delete_those", "forget_last") else fits
    if open_.asked is Asked.FORGET and open_.which and name not in _AGREES[open_.asked]:
        return Event.FITS if which(open_, text, command) else Event.AGAIN if name == "pick" else None
    if open_.asked is Asked.FORGET and len(open_.among) > 1 and name not in _AGREES[open_.asked]:
        return _named(open_, text, command)
    return Event.YES if name in _AGREES[open_.asked] else None


_AGREES = {
    Asked.FORGET: ("yes", "delete_those", "forget_last"),
    Asked.WHICH: (),
    Asked.FORGET_SURELY: ("yes", "delete_those", "forget_everything"),
    Asked.KEEP: ("yes", "delete_those", "forget_last"),
    Asked.EXPORT: ("yes", "export_data"),
    Asked.DELETE: ("yes", "delete_me"),
    Asked.DELETE_SURELY: ("yes", "delete_me"),
}
"""Commands that mean yes."""


def _named(open_: Question, text: str, command: Command | None) -> Event | None:
    if command is not None and command.name == "pick":
        return Event.FITS if picked(open_, text, command) else Event.AGAIN
    return Event.FITS if picked(open_, text, command) else None


def picked(open_: Question, text: str, command: Command | None) -> tuple[Preference, ...]:
    """Which of several things an answer names: one by its place or its words, or all; none where it names none."""
    if command is not None and command.name == "pick":
        place = int(command.slots["position"])
        return open_.among[place - 1 : place]
    if command is not None and command.name in ("delete_those", "forget_everything"):
        return open_.among
    said = set(text.lower().split())
    named = tuple(one for one in open_.among if set(one.value.lower().split()) & said)
    return named if len(named) == 1 else ()


_ALL = frozenset({"all", "both", "them", "everything"})
_FRAME = COMMON | frozenset("a i me my told asked said keep avoid dislike need prefer noticed".split())
"""Words in which something is called and that are not its name."""
_POINTS = frozenset("those these things ones thing lot yes yeah yep okay forget delete erase remove".split())
"""Words beside "all" that only point at what was asked about."""
MEANS_NOTHING = 2
"""Letters of a word up to which it names nothing: "of", "ok"."""


def which(open_: Question, text: str, command: Command | None) -> tuple[Selector, ...]:
    """What an answer picks: by its place, or by most words that only it is called by, one or several one after the other; or all.

    All of them only where the answer names nothing else: "everything about Adele" is another wish.
    """
    if command is not None and command.name == "pick":
        place = int(command.slots["position"])
        return tuple(what for what, _ in open_.which[place - 1 : place])
    called = [set(words(name)) - _FRAME for _, name in open_.which]
    own = [mine.difference(*(other for other in called if other is not mine)) for mine in called]
    places = [_place(own, part) for part in BETWEEN.split(text.lower())]
    if None in places or len(set(places)) < len(places):
        places = [_place(own, text)]
    if places != [None]:
        return tuple(open_.which[place][0] for place in places if place is not None)
    said = set(words(text))
    named = {word for word in said if len(word) > MEANS_NOTHING} - _FRAME - _ALL - _POINTS
    every = bool(said & _ALL) and not any(number_at((word,), 0) is None for word in named)
    return tuple(what for what, _ in open_.which) if every and not any(mine & said for mine in own) else ()


def _place(own: Sequence[set[str]], text: str) -> int | None:
    """The place of the one that has most of the words for itself; None where none has, or several alike."""
    shared = [len(mine & set(words(text))) for mine in own]
    most = max(shared)
    return shared.index(most) if most and shared.count(most) == 1 else None
