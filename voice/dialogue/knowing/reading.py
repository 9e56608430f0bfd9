"""Reads out of words, and of the acts that they were parsed as, how the driver wants to be spoken to; and answers to our questions.

Pure. Which sentence is about manners at all the parser says: as ``cannot(name)``, how the assistant or the driver is called and
talks, as ``set_unit``, or as talk. Here only the name, the length and the units are found in it. What is a complete command
(models/commands/knowing.yaml) comes here no more.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from models.numbers import numbers
from models.text import spoken, words
from schemas.actions.acts import Act
from schemas.events import Command, CommandKind, Route
from schemas.manners import LONGEST_NAME
from schemas.memory import Period
from voice.dialogue.coordinator import Plan

NAMES: Final = frozenset({"introduce", "manner", "suggestions", "review", "take_back"})
"""Commands of models/commands/knowing.yaml."""
SURE_AT: Final = 0.7
"""Probability from which on acts stand, whatever else the words may be taken for; as ``planning.SURELY``."""
ORDER_AT: Final = 0.9
"""The same where an answer is awaited, of which the parser knows nothing: a name alone may look like a station."""
_MINE: Final = ({"cannot"}, {"chat"}, {"tell"}, {"refrain"}, {"none"}, {"set_unit"}, {"set_unit", "tell"})
"""Acts of sentences that may be about manners, if they have the words for it."""

_CALLED = re.compile(
    r"\b(?:call me|i(?:'d| would) like to be called|i want to be called|i prefer to be called|i go by|"
    r"(?:my friends|everybody|everyone|people|they|most people) calls? me)(?: just| simply)? (?P<name>.+)$"
)
_ASKED_NAME = re.compile(
    r"^(?:(?:please|just|simply|well|um|oh|hi|hello|okay|yes|sure|you can|you may|call me|my name is|my name's|it's|it is|i'm|i am|"
    r"i go by|everybody calls me|everyone calls me|people call me|the name is|say) )+"
)
_OWN_NAME: Final = r"\b(?:(?:my|the) name(?:['’]s| is)|(?:i['’]m|i am)(?: called)?|this is|it['’]s|it is|call me)"
_NAME_ENDS = re.compile(
    r"\b(?:please|from now on|if you (?:like|want|please)|thanks|thank you|will do|is fine|is good|is enough|and|but|so|then|"
    r"because|not|when|instead|again)\b.*$|"
    r"[,.;!?].*$"
)
_NO_NAME = frozenset(
    """a an the my your his her back later again when if at in on tomorrow today tonight every soon now maybe that this it what
    whatever nothing anything something nobody you me up out by for please stop yes no not names crazy stupid one
    car home help""".split()
)
_WORD = re.compile(r"[a-z\u00c0-\u024f][a-z\u00c0-\u024f'’.-]*")
MOST_WORDS: Final = 3
"""Of a name."""

_TALKING = frozenset(
    """answer answers answering reply replies replying talk talking speak speaking say tell chat explain explanation explanations
    response responses respond sentence sentences""".split()
)
_BRIEF = frozenset(
    "brief briefly briefer short shorter terse terser concise crisp curt succinct less fewer little".split()
)
_FULL = frozenset("chatty chattier talkative long longer more detailed detail details wordy fuller full".split())
_TURNED = re.compile(
    r"\b(?:too|so|no need for|not so|don't be(?: so)?|do not be(?: so)?|without|no)(?: many| much| very)? (?P<word>\w+)"
)
_PEOPLE = r"my (?:\w+ )?(?:wife|husband|boss|sister|brother|kids?|children|mother|father|mum|dad|friend\w*)|he|she|they"
_SOMEBODY = re.compile(rf"\b(?:{_PEOPLE})\b")
_OF_OTHERS = re.compile(
    rf"\b(?:{_PEOPLE}|my (?:\w+ )?(?:answers?|repl\w+)|was|were|is it|do (?:people|americans)|does)\b"
)
_MEASURES: Final = {
    "celsius": ("temperature", "celsius"), "centigrade": ("temperature", "celsius"), "fahrenheit": ("temperature", "fahrenheit"),
    "miles": ("distance", "miles"), "kilometers": ("distance", "kilometers"), "kilometres": ("distance", "kilometers"),
    "metric": ("both", ""), "imperial": ("both", ""),
}  # fmt: skip
_SYSTEMS: Final = {
    "metric": {"temperature": "celsius", "distance": "kilometers"},
    "imperial": {"temperature": "fahrenheit", "distance": "miles"},
}
_COUNTS = re.compile(r"^(?:i|we) (?:(?:only|always|still|just) )?(?:think|count|reckon|measure|talk) in\b")
"""How a driver tells in which units to speak."""
_CHANGED = re.compile(r"\b(?:chang\w*|new|differ\w*|learn\w*|pick\w* up|updat\w*|added)\b")
_LATER = re.compile(
    r"\b(?:later|another time|some other time|not now|that's (?:enough|all)|that is (?:enough|all)|enough|no more questions|"
    r"i(?:'m| am) (?:busy|driving)|let me drive|leave me alone)\b"
)
_SKIP = re.compile(
    r"^(?:no|skip(?: (?:it|that|this))?|next(?: one| question)?|pass|(?:i )?don't care|no matter|none|rather not)\b"
)


def instead(plan: Plan, text: str, period: Callable[[str], Period | None]) -> Plan:
    """The plan, or that of the talk about knowing the driver where the words are such.

    Args:
        plan: as it was parsed.
        text: the utterance.
        period: the time that words speak of.
    """
    command = plan.command
    if command is not None and command.name in NAMES:
        return plan
    said = spoken(text)
    looks = command is not None and command.name == "remember_what" and "category" not in command.slots
    recalls = [act.name for act in plan.acts] == ["recall"] and _CHANGED.search(said) is not None
    if (looks or recalls) and (span := period(said)) is not None and span.since is not None:
        return _planned("review", {"words": said}, plan)
    found, acts = manners(text, plan), {act.name for act in plan.acts}
    if acts == {"set_unit"} and _SOMEBODY.search(said):
        return replace(plan, route=Route.REJECT, reason=f"{plan.reason}: of somebody else", acts=())
    if not found:
        return plan
    if "set_unit" in acts and not {"name", "length"} & set(found):
        asked = tuple(
            Act("set_unit", {"unit": unit}) for unit in (found.get("temperature"), found.get("distance")) if unit
        )
        return replace(plan, acts=asked, asks=max(plan.asks, SURE_AT)) if len(acts) == 1 else plan
    if command is not None and command.name == "set_unit":
        return plan
    return _planned("manner", found, plan)


def _planned(name: str, slots: dict[str, str], plan: Plan) -> Plan:
    command = Command(kind=CommandKind.MEMORY, name=name, slots=dict(slots))
    return Plan(Route.MEMORY, f"{plan.reason}; about knowing the driver", command)


def manners(text: str, plan: Plan) -> dict[str, str]:
    """Field of ``schemas.manners.Manners`` -> what the words say of it; none where they are about something else."""
    said = spoken(text)
    acts, command = {act.name for act in plan.acts}, plan.command
    own = any(act.name == "cannot" and act.slots.get("topic") == "name" for act in plan.acts)
    sure = plan.asks >= SURE_AT
    if command is not None and command.name not in ("set_unit", "good_night", "pause_learning", "help", "stop"):
        return {}
    if command is None and acts and acts not in _MINE and sure:
        return {}
    if _OF_OTHERS.search(said) and not own:
        return {}
    found: dict[str, str] = {}
    if (own or "tell" in acts) and (name := called(text)):
        found["name"] = name
    if (own or not sure or acts <= {"chat", "tell", "refrain"}) and (how_long := length(said)):
        found["length"] = how_long
    if own or "set_unit" in acts or (acts == {"tell"} and _COUNTS.search(said)):
        found |= units(said)
    return found


def called(text: str) -> str:
    """The name that the driver asks to be called by; empty where there is none."""
    plain = " ".join(re.sub(r"(?<=[a-z])\.(?=\s|$)", "", text.lower()).split())
    last = plain.rfind("call me ")
    found = _CALLED.search(plain[max(0, last) :]) or _CALLED.search(plain)
    return "" if found is None else _name(found["name"], text)


def told_name(text: str, name: str) -> str:
    """A name as it is written, where whoever speaks says that it is their own: "my name's Rob, by the way"; else empty.

    Args:
        text: the utterance.
        name: the name of a driver that was found in it.
    """
    found = re.search(rf"{_OWN_NAME} {re.escape(name.lower())}\b(?!['’]s)", " ".join(text.lower().split()))
    return "" if found is None else _name(name.lower(), text)


def _name(said: str, text: str) -> str:
    """A name as it is written, in the driver's own capitals where there are some."""
    bare = _NAME_ENDS.sub("", said).strip(" '\"")
    parts = bare.split()
    if not 0 < len(parts) <= MOST_WORDS or len(bare) > LONGEST_NAME or parts[0] in _NO_NAME:
        return ""
    if not all(_WORD.fullmatch(part) for part in parts) or numbers(bare):
        return ""
    own = re.search(re.escape(bare), text, re.IGNORECASE)
    written = own[0] if own is not None and own[0] != own[0].lower() else bare
    return written if written != written.lower() else " ".join(part[:1].upper() + part[1:] for part in parts)


def length(said: str) -> str:
    """How long the driver wants replies: ``brief``, ``full``, ``normal``; empty where nothing is said of it."""
    told = words(said)
    if not _TALKING & set(told) and not re.match(r"(?:please )?(?:be|keep it|keep (?:things|them))\b", said):
        return ""
    if {"normal", "normally", "usual", "usually"} & set(told):
        return "normal"
    turned = {found["word"] for found in _TURNED.finditer(said)}
    short = (
        bool(_BRIEF & set(told) - turned)
        or bool(_FULL & turned)
        or re.search(r"\btoo (?:much|many|long)\b", said) is not None
    )
    long = bool(_FULL & set(told) - turned) or bool(_BRIEF & turned)
    return "" if short == long else "brief" if short else "full"


def units(said: str) -> dict[str, str]:
    """The units that are named, by field of the manners."""
    found: dict[str, str] = {}
    for word in words(said.partition(" not ")[0]):
        for system in _SYSTEMS.keys() & {word}:
            found |= _SYSTEMS[system]
        if word in _MEASURES and word not in _SYSTEMS:
            field, unit = _MEASURES[word]
            found[field] = unit
    return found


def place(command: Command) -> int:
    """Which of what was told is meant, from 1 on; 0 where none is."""
    return int(command.slots.get("place", 0))


def leaves(text: str) -> bool:
    """Whether somebody who is asked wants to be asked no more for now."""
    return _LATER.search(spoken(text)) is not None


def skips(text: str) -> bool:
    """Whether a question is not to be answered."""
    return _SKIP.match(spoken(text)) is not None


FEW = 4
"""Words of an answer that is nothing else, though the parser alone takes it for an order ("short ones please"). Our choice."""


def answered(field: str, text: str, plan: Plan) -> dict[str, str]:
    """What the answer to a question about one of the manners says; none where it is no answer.

    Args:
        field: ``name``, ``length`` or ``units``.
        text: the answer.
        plan: what it would be if nothing had been asked.
    """
    said = spoken(text)
    if field == "units":
        return units(said)
    commanded = plan.command is not None and plan.command.kind is CommandKind.ACTION
    ordered = commanded or (plan.asks >= ORDER_AT and any(act.is_action for act in plan.acts))
    if field == "length":
        own = set(words(said)) if not ordered or (not commanded and len(words(said)) <= FEW) else set[str]()
        bare = "brief" if _BRIEF & own else "full" if _FULL & own else ""
        same = re.search(
            r"\b(?:normal\w*|either|as (?:you are|it is|now)|in between|medium|whatever|you (?:choose|decide))\b", said
        )
        found = length(said) or bare or ("normal" if same else "")
        return {"length": found} if found else {}
    if commanded or plan.route in (Route.CONTROL, Route.MEMORY):
        return {}
    plain = " ".join(text.lower().split())
    begun = _ASKED_NAME.match(plain)
    name = called(text) or _name(plain[begun.end() :] if begun is not None else plain, text)
    return {"name": name} if name and (begun is not None or not ordered) else {}
