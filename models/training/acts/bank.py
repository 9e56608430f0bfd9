"""The phrase bank's and the command templates' sentences as acts.

Owns: what of them is surely right in the form of the acts. The bank was written for another reading, with slots filled out of habit
("open the window" is the driver's there), so much is mended or left out here; the lines in ``data/`` decide where the two differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from random import Random
from typing import Any, TypeAlias

import numpy as np

from models.commands.templates import Templates, load_templates
from models.numbers import numbers
from models.training import conversations, phrases
from models.training.acts.form import ACTS, WORDS, Act
from models.training.acts.lines import Case, says
from schemas.actions import BY_NAME
from schemas.events import Command

CONTROL = {
    "yes": "yes", "help": "help", "hello": "hello", "how_are_you": "how_are_you", "good_night": "goodbye", "joke": "joke",
    "repeat": "repeat", "who_are_you": "who_are_you", "privacy": "privacy", "praise": "praise", "blame": "blame",
    "forget_last": "forget_last", "remember_last": "remember", "forget_everything": "forget_all", "private_trip": "private_trip",
    "pause_learning": "pause_learning", "resume_learning": "resume_learning", "guest_mode": "guest_mode",
    "export_data": "export_data", "delete_me": "delete_me", "who_am_i": "who_am_i", "forget_period": "forget_period",
}  # fmt: skip
"""Intent of the templates -> act."""
Slots: TypeAlias = dict[str, Any]
Rule: TypeAlias = Callable[[str, str, Slots], tuple[str, Slots]]
"""Of a sentence, an action and its slots: the act's name (empty: not surely right) and slots."""

OVERHEARD = (
    "unintelligible", "passengers and voices in the background", "shops and clerks", "waiters and guests", "phone calls",
    "hotel desks",
)  # fmt: skip
"""Kinds of the bank's lines that are words to somebody else, or none."""
TALK = ("weather talk", "opinions on the world", "complains on the road", "jokes and riddles", "news talk")
AS_SAID = ("what", "message", "song", "artist", "show", "station")
"""Slots whose article is part of the name."""
SHARES = (0.5, 0.3, 0.13, 0.07)
"""Of requests, templates, likings and talk, before what is not surely right is left out."""
_LIKING = re.compile(
    r"\b(?:love|like|likes|hate|prefer|favou?rite|always|usually|never|can't stand|fan of|enjoy|allergic|don't eat|avoid)\b"
)
_WISH = re.compile(
    r"\b(?:can you|could you|would you|please|find|take me|navigate|play|put on|let's|show me|stop|tonight|now|today|i want|"
    r"i need|i'd like|i'm hungry|turn|set|switch|book|give me|drive|get me|look for|where|what|which|is there|how)\b"
)
_GOING = re.compile(r"\b(?:take|drive|bring|guide|lead) (?:me|us)\b|\bnavigate\b|^find (?:me |us )?(?:a|an|the)\b")
_NEARBY = re.compile(r"\b(?:near ?by|around|here|near|close)\b")
_SUPERLATIVE = re.compile(r"\b(nearest|closest|next)\b")
_ARTICLE = re.compile(r"^(?:my|the|a|an|our|your|some) (?=.)")
_MINE = re.compile(r"\b(?:my|mine|me|driver|driver's)\b")
_LEVEL = re.compile(
    r"\b(?:off|zero|one|two|three|four|five|low|lowest|medium|high|highest|max|maximum|minimum|full|strongest|stop|no)\b"
)


def mended(text: str, name: str, slots: Mapping[str, Any]) -> Act | None:
    """The act of a sentence that the bank gives an action and slots; None where it is not surely right."""
    given = {slot: value for slot, value in slots.items() if value is not None}
    rule = _RULES.get(name)
    if rule is not None:
        name, given = rule(text, name, given)
    if not name or re.search(r"\b(?:back here|both|tonight)\b", text):
        return None
    if given.get("zone") == "all" and not re.search(r"\b(?:all|everyone|everybody|every|whole|sides|seats)\b", text):
        del given["zone"]
    if re.search(r"\bmy (?:seat|heated seat|back|bum)\b", text) and "zone" in ACTS[name] and "zone" not in given:
        return None
    written: dict[str, str] = {}
    for slot, value in given.items():
        if slot not in ACTS[name]:
            return None
        one = _spelt(value)
        if slot in WORDS or slot == "genre":
            one = one if slot in AS_SAID else _ARTICLE.sub("", one)
            if not says(text, one):
                return None
        written[slot] = one
    return Act(name, written)


def _spelt(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def _window(text: str, name: str, given: Slots) -> tuple[str, Slots]:
    if given.get("window", given.get("zone")) == "driver" and not _MINE.search(text):
        given = {slot: value for slot, value in given.items() if slot not in ("window", "zone")}
    return name, given


def _temperature(text: str, name: str, given: Slots) -> tuple[str, Slots]:
    said = numbers(text)
    if given.get("celsius") not in said:
        hot = [value for value in said if 60 <= value <= 90]
        if not hot:
            return "", {}
        given = {"fahrenheit": max(hot), **{slot: value for slot, value in given.items() if slot != "celsius"}}
    return name, given


def _level(text: str, name: str, given: Slots) -> tuple[str, Slots]:
    return (name, given) if _LEVEL.search(text) else ("", {})


def _defrost(text: str, name: str, given: Slots) -> tuple[str, Slots]:
    if given.get("window", "front") == "front":
        named = re.search(r"\b(?:windshield|windscreen|front)\b", text)
        given = {**given, "window": "front"} if named else {slot: v for slot, v in given.items() if slot != "window"}
    return name, given


def _place(text: str, name: str, given: Slots) -> tuple[str, Slots]:
    if name == "find_place" and (not _GOING.search(text) or _NEARBY.search(text)):
        return "", {}
    if found := _SUPERLATIVE.search(text):
        if "quality" in given or found[1] == "next":
            return "", {}
        given = {**given, "quality": found[1]}
    return name, given


def _kind(text: str, name: str, given: Slots) -> tuple[str, Slots]:
    kind = "timer" if "timer" in text else "reminder" if "remind" in text else None
    rest = {slot: value for slot, value in given.items() if slot != "kind"}
    return name, {"kind": kind, **rest} if kind else rest


def _part(text: str, name: str, given: Slots) -> tuple[str, Slots]:
    if name == "get_contact" and "part" not in given and "number" in text:
        given = {**given, "part": "phone"}
    return name, {slot: value for slot, value in given.items() if (slot, value) != ("part", "all")}


def _day(text: str, name: str, given: Slots) -> tuple[str, Slots]:
    return name, {slot: value for slot, value in given.items() if slot != "day" or str(value) in text}


def _only(pattern: str) -> Rule:
    wanted = re.compile(pattern)

    def rule(text: str, name: str, given: Slots) -> tuple[str, Slots]:
        return (name, given) if wanted.search(text) else ("", {})

    return rule


def _renamed(name: str) -> Rule:
    def rule(_text: str, _name: str, given: Slots) -> tuple[str, Slots]:
        return name, given

    return rule


_RULES: Mapping[str, Rule] = {
    "set_window": _window,
    "change_window": _window, "set_reading_light": _window, "set_temperature": _temperature, "set_fan_speed": _level,
    "set_defrost": _defrost, "find_place": _place, "find_on_route": _place, "list_places": _place, "get_timers": _kind,
    "cancel_timer": _kind, "get_contact": _part, "get_openings": _part, "get_lights": _part, "get_weather": _day,
    "get_calendar": _day, "send_email": _only(r"mail"), "choose_route": _only(r"route|alternative|way"),
    "get_warnings": _only(r"^(?!.*\blight\b)"), "set_playback": _only(r"^(?!.*\b(?:again|stop|more|repeat)\b)"),
    "set_reminder": _only(r"^(?!.*\b(?:note|tomorrow|morning|evening|tonight)\b)"), "play_podcast": _only(r"podcast"),
    "stop_moving": _only(r"\w \w"), "get_preferences": _renamed("recall"), "forget_preference": _renamed("forget"),
    "set_charge_timer": _only(r"^(?!.*\b(?:midnight|noon)\b)"), "get_car": _only(r"^(?!.*limit)"),
    "set_charging": _only(r"charg"), "play_radio": _only(r"^(?!.*news)"),
    "get_seats": _only(r"seat|who|anyone|anybody|somebody|passenger|many"),
}  # fmt: skip


@lru_cache(maxsize=1)
def _templates() -> Templates:
    return load_templates()


def requested(rng: Random) -> Case | None:
    """One of the bank's requests."""
    phrasing = rng.choice(phrases.requests())
    text, slots = rng.choice(phrasing.say), dict(phrasing.slots)
    for hole in re.findall(r"{(\w+)}", text):
        said, value = conversations._say_slot(rng, phrases.slots()[hole], held_out=False)  # noqa: SLF001 - the same drawing
        text = text.replace(f"{{{hole}}}", said)
        slots = {slot: value if given == f"{{{hole}}}" else given for slot, given in slots.items()}
    act = mended(text, phrasing.action, slots)
    return Case(text, (act,), "", "bank") if act else None


def commanded(text: str, command: Command) -> Case | None:
    """One of the command templates' sentences."""
    if command.name in BY_NAME:
        act = mended(text, command.name, command.slots)
    elif command.name in CONTROL and command.slots.get("period", "day") in (
        "day",
        "hour",
        "today",
        "yesterday",
        "week",
        "trip",
    ):
        act = Act(CONTROL[command.name], {s: str(v).lower() for s, v in command.slots.items() if s in ("on", "period")})
    else:
        act = None
    return Case(text, (act,), "", "templates") if act else None


def told(rng: Random) -> Case | None:
    """A liking of the phrase bank."""
    one = conversations.statements(rng, 1)[0]
    if one.hinted or not _LIKING.search(one.text) or _WISH.search(one.text) or len(one.text.split()) > 22:
        return None
    return Case(one.text, (Act("tell", {}),), "", "told")


def talk(rng: Random) -> Case | None:
    """Words that ask the car for nothing."""
    group = rng.choice([one for one in phrases.negatives() if one.kind in OVERHEARD + TALK])
    text = rng.choice(group.lines)
    if group.kind in TALK and (_LIKING.search(text) or _WISH.search(text)):
        return None
    return Case(text, (Act("none" if group.kind in OVERHEARD else "chat", {}),), "", "talk")


def cases(rng: Random, n: int) -> list[Case]:
    """``n`` of any of these."""
    seed = rng.randrange(2**32)
    commands = iter(_templates().sample(np.random.default_rng(seed), n))  # all at once: each call looks up all slots
    found: list[Case] = []
    for make in rng.choices((requested, None, told, talk), SHARES, k=3 * n):
        one = make(rng) if make else next((made for made in (commanded(*drawn) for drawn in commands) if made), None)
        if one is not None:
            found.append(one)
    return found[:n]
