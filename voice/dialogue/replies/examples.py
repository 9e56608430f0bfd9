"""Examples of what can be said, in place of a riddle: fitting to what was heard, or of a group of things that the car can do.

The examples are the actions' own (``schemas.actions``), each of which is understood as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from schemas.actions import ACTIONS, BY_NAME, Domain, GetCapabilities

COMMON = frozenset(
    "about again all and any anything are back bit but can can't could did does don't down every far for from get give going good "
    "got has have her here him his how i'd i'll i'm into it's its just know let level like long make many more much need next not "
    "now off one open other others ones out over play please put really say see set show side some something still switch take "
    "tell than thank that the their them then there they this too turn two use very want was way were what what's when where "
    "which who why will with would you your".split()
)
"""Words that name nothing in particular."""
_ENDING = re.compile(r"(?:ings?|ers?|ed|es|s)$")
_STEM = 6
"""First letters by which two words without their endings are taken for the same: "windows", but not "windscreen"."""


def fitting(text: str, offers: Collection[str]) -> str:
    """An example of what can be said, about a thing that was named in what was heard; empty where none was.

    Args:
        text: what was heard, in its spoken form.
        offers: actions that the vehicle has.
    """
    heard = stems(text)
    best, most = "", 0
    for action in ACTIONS:
        if action.name not in offers or action.domain is Domain.MEMORY or action is GetCapabilities:
            continue
        named = 2 * len(heard & stems(f"{action.title} {action.thing}")) + len(heard & stems(action.description))
        if named > most:
            best, most = action.examples[0], named
    return best


def of(names: Sequence[str], most: int = 3) -> tuple[str, ...]:
    """An example for each of the first actions of that name, as many as are kept in mind by ear."""
    return tuple(BY_NAME[name].examples[0] for name in names if name in BY_NAME)[:most]


def stems(text: str) -> frozenset[str]:
    """The beginnings of the words that name something in particular."""
    words = (word for word in re.findall(r"[a-z']+", text.lower()) if len(word) > 2 and word not in COMMON)
    return frozenset(_ENDING.sub("", word.removesuffix("'s"))[:_STEM] for word in words)
