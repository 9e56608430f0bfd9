"""Kinds of road that a driver turns down, or allows again: "no tolls", "motorways are fine", "does this avoid ferries?".

The parser hears which road is spoken of, and takes each for one to be avoided. Which way it is meant the words say, and whether
anything ends by it the car's state does. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from schemas.actions.acts import Act

_NAMES = {
    "avoid_highways": r"(?:motor|high|free|express)ways?|autobahns?|interstates?|dual carriageways?",
    "avoid_tolls": r"toll roads?|tolls?|toll ways?|turnpikes?",
    "avoid_ferries": r"ferry|ferries|car ferry|car ferries",
}
_CALLED = {"avoid_highways": "motorways", "avoid_tolls": "toll roads", "avoid_ferries": "ferries"}
_ROADS = {preference: re.compile(rf"\b(?:{names})\b") for preference, names in _NAMES.items()}
_ONLY_ROADS = re.compile(rf"^(?:(?:the|a|any|all|some|{'|'.join(_NAMES.values())}|road|roads|and|or)(?: |$))+$")
_PARTS = re.compile(r"\b(?:but|and|though|although|while|only|just)\b")
_ENDS = re.compile(
    r"\b(?:stop|quit|don't|do not|no longer|not|needn't|no need to|never mind)\b(?: \w+){0,3}? "
    r"(?:avoid|avoiding|dodge|dodging|skip|skipping|mind|care|object)\b|\b(?:no (?:problem|objections?|issues?)|nothing against)\b"
)
"""A "not" that is said to the avoiding: what is not avoided is allowed."""
_TURNS_DOWN = re.compile(
    r"\b(?:avoid\w*|dodg\w+|bypass\w*|no|not|never|without|skip\w*|hate|leave|off|away|clear|less|fewer|than|instead|rather|out|"
    r"exclude|if|unless|dislike)\b|n't\b"
)
_ALLOWS = re.compile(
    r"\b(?:again|allow\w*|fine|okay|ok|all right|alright|good|welcome|accept\w*|permit\w*|includ\w+|use|using|take|taking|may|can|"
    r"back|prefer|want|like|go)\b"
)
_ASKS = re.compile(
    r"^(?:and |so |but |okay |hey )*(?:does|do|did|is|are|am|has|have|was|were|will|would|isn't|aren't|doesn't) "
    r"(?:we|i|this|that|it|the|my|our|your|you|any|there)\b.*\b(?:avoid\w*|take|takes|taking|us|use|uses|using|on|by|over|have|has)\b"
)
"""A question about the way: nothing is asked for."""
_PLEASE = re.compile(r"\b(?:please|can you|could you)\b")
_GOES = frozenset({"add_stop", "navigate_to", "change_destination", "add_charging_stops"})
"""Acts that take a road for a place."""
_LOOKS = frozenset({"get_routes", "get_navigation"})


def allowed(text: str) -> dict[str, bool]:
    """Whether each kind of road that is named is allowed or turned down, by the preference that avoids it; not those of neither."""
    found = dict[str, bool]()
    said, waiting = None, list[str]()
    for part in _PARTS.split(text):
        ends = _ENDS.search(part) is not None
        down = not ends and _TURNS_DOWN.search(part) is not None
        way = True if ends or (not down and _ALLOWS.search(part)) else False if down else said
        named = [preference for preference, words in _ROADS.items() if words.search(part)]
        if way is None:
            waiting += named
            continue
        said = way
        found |= dict.fromkeys((*waiting, *named), way)
        waiting.clear()
    return found


def asks(text: str) -> bool:
    """Whether it asks how the way goes by the kinds of road that it names."""
    return (
        _ASKS.search(text) is not None and _PLEASE.search(text) is None and any(r.search(text) for r in _ROADS.values())
    )


def meant(text: str, acts: Sequence[Act], values: Mapping[str, Any]) -> tuple[tuple[Act, ...], tuple[str, ...]]:
    """The acts as they are meant of the roads, and what is said to those that come to nothing.

    Args:
        text: the utterance in its spoken form.
        acts: what the parser wrote.
        values: the car's signals.
    """
    named = [preference for preference, words in _ROADS.items() if words.search(text)]
    if not named:
        return tuple(acts), ()
    now = values.get("navigation.preference")
    if asks(text):
        rest = tuple(act for act in acts if not (_of_roads(act) or act.name in _LOOKS))
        return rest, tuple(_answer(one, now) for one in named) if len(rest) < len(acts) else ()
    ways = allowed(text)
    kept, says = list[Act](), list[str]()
    charges = "charg" in text
    for act in acts:
        of = [str(act.slots["preference"])] if "preference" in act.slots else named
        free = [one for one in of if ways.get(one) is True]
        if not _of_roads(act) or not free or (charges and act.name == "add_charging_stops"):
            kept.append(act)
        elif now is None or now in free:
            kept.append(Act("set_route_preference", {"preference": "fastest"}))
        else:
            says += [_answer(one, now) for one in free]
    return tuple(dict.fromkeys(kept)), tuple(dict.fromkeys(says))


def _of_roads(act: Act) -> bool:
    """Whether it has to do with kinds of road, or takes one for a place."""
    if act.name == "set_route_preference":
        return str(act.slots.get("preference", "")) in _ROADS
    where = act.slots.get("destination", "")
    return act.name in _GOES and (not where or _ONLY_ROADS.match(str(where)) is not None)


def _answer(preference: str, now: object) -> str:
    if now is None:
        return "The car doesn't tell me which roads it avoids."
    return f"I am {'' if now == preference else 'not '}avoiding {_CALLED[preference]}."
