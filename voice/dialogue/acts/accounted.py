"""Whether all that was said has gone into what is to be done; what has not is a reason to ask before anything moves.

The parser writes what was most likely meant. This looks at the words themselves: a number that went nowhere, an exception, a
condition, a "not", a side that no slot names. Pure; it refuses nothing, it names a doubt.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from models.commands.dialling import dialling
from models.numbers import NUMBER, number_of, number_words, numbers, with_points
from schemas.actions import BY_NAME, Action, Domain
from schemas.actions.acts import Act, slots_of
from schemas.actions.base import corners
from voice.dialogue import errands
from voice.dialogue.acts.excepted import CUT, EXCEPTION, named, place_of
from voice.dialogue.acts.measured import foreign
from voice.dialogue.acts.worded import unnamed
from voice.dialogue.replies.examples import stems
from voice.dialogue.replies.responder import DRIVES, exception
from voice.dialogue.validator import careful, validate

_LIMITED = re.compile(
    r"\b(?:only|just) (?:at |in |on |for )?the (?:front|back|rear|left|right|side|sides)\b|"
    r"\b(?:at|in|on|for) the (?:front|back|rear|left|right) (?:only|alone)\b|\b(?:front|back|rear) only\b"
)
_CONDITION = re.compile(
    r"\b(?:if|whenever|unless|until|as soon as|as long as|once (?:we|i|it|the))\b|\bwhen (?:we|i|it|the|my|she|he|they)\b"
)
_POLITE = re.compile(
    r"\b(?:tell(?:ing)?|let(?:ting)?|know|ask(?:ing)?|see|check|out|wonder)(?: (?:me|us|know))* (?:when|if|whether)\b|"
    r"\bif (?:you|possible|that's|it's (?:okay|ok|all right|possible|not)|i (?:may|might|could))\b|\b(?:as if|see if)\b"
)
""""If you would", "tell me when we arrive": no condition."""
_MUSED = re.compile(
    r"\b(?:i'm|i am|we're|we are|i was|i've been|been) (?:thinking (?:of|about)|considering|wondering)\b|"
    r"\b(?:i|we) (?:might|may)\b|\bi wonder (?:if|whether) (?:i|we)(?:'d)?\b(?! (?:can|could|might|may))"
)
"""Thinking aloud: no order yet."""
_CONTRAST = re.compile(r"^(?:no )?(?:please )?(?:don't|do not|never|not)\b.*?\b(?=(?:just|only|but|instead|rather)\b)")
"""What is turned down at the beginning, before what is wanted in its place."""
_SIDE = re.compile(
    r"\b(?:passenger|passenger's|rear|behind|in the back|back (?:left|right|seats?)|left hand|right hand)\b"
)
_IN_THE_BACK = {"change_fan_speed": "set_rear_fan", "set_fan_speed": "set_rear_fan"}
"""What a thing without places has in the back, as an action of its own."""
_PLACED = frozenset({"zone", "window", "but", "part", "direction"})
"""Slots that say where."""

_SHARES = re.compile(r"\b(?:one|two|three) (?:third|quarter)s?\b")
_WARMER = frozenset("warmer hotter louder brighter higher stronger".split())
_COOLER = frozenset("cooler colder quieter softer dimmer darker lower weaker".split())
_OPEN, _SHUT = frozenset({"open", "opened", "unlock"}), frozenset({"close", "closed", "shut", "lock"})
_OPPOSITES = {
    "change": (_WARMER, _COOLER), "percent": (_OPEN, _SHUT), "open": (_OPEN, _SHUT),
    "locked": (frozenset({"lock"}), frozenset({"unlock"})), "on": (frozenset({"on"}), frozenset({"off"})),
}  # fmt: skip
"""Slot -> plain words that ask for its one end, and for its other."""
_OWNED = re.compile(
    r"(?<!of )(?<!as )(?<!than )(?<!like )(?<!but )(?<!not )(?<!leave )(?<!touch )(?<!to )(?<!keep )\b(mine|hers)\b"
)
_FOR_ME = re.compile(r"\b(?:for (?:me|myself)|mine|my side)\b")
_FOR_HER = re.compile(
    r"\bfor (?:the passenger|her|him|my (?:wife|husband|partner|friend|mate|missus|mum|mam|mom|dad|nan|gran))\b|\bhers\b|"
    r"\b(?:passenger|her|his) side\b"
)
_ONE_OF_TWO = re.compile(r"\b(?:not?|never|same|wait|alone|fine|rather|than|take)\b|n't\b")
"""Words that come where two are named and only one is meant. Of 72 training lines that name both, 24 act for one; all have one."""
_MUSIC = ("play", "volume", "mute", "media", "seek", "repeat", "shuffle")
_LAMPS = ("light", "beam", "ambient", "display", "sunshade", "warnings")
_AIR = ("fan", "ventilation", "temperature", "air", "climate", "defrost")
_THINGS = {
    **dict.fromkeys(("window", "windows"), ("window", "openings", "sunroof", "moving", "defrost", *_AIR, "recirculation")),
    **dict.fromkeys(("roof", "sunroof"), ("sunroof", "sunshade", "openings", "moving", "recirculation")),
    **dict.fromkeys(("boot", "trunk"), ("trunk", "openings", "moving")),
    **dict.fromkeys(("doors", "locks", "lock", "unlock"), ("lock", "openings", "ambient", "trunk", "charge")),
    "mirrors": ("mirror",),
    **dict.fromkeys(("light", "lights", "lamp", "lamps"), _LAMPS),
    **dict.fromkeys(("fan", "blower"), tuple(part for part in _AIR if part != "temperature")),
    **dict.fromkeys(("music", "radio", "podcast"), _MUSIC), "volume": ("volume", "mute", "stop"),
    **dict.fromkeys(("screen", "display"), ("display", "guidance", "defrost", "air", "unit")), "timer": ("timer",),
    "weather": ("weather", "temperature"), "blind": ("sunshade", "brightness"), "massage": ("massage",),
    **dict.fromkeys(("seat", "seats"), ("seat", "lumbar", "reading", "temperature", "window", "air", "stop", "wheel")),
    "heating": ("heating", "seats", *_AIR), "temperature": ("temperature", "climate", "weather", "unit"),
}  # fmt: skip
"""What a car has, by the words for it, and parts of the names of the acts that have to do with it: as they stand together in the
training data's lines of one act (docs/log.md, 2026-11-23)."""
_UNTOUCHED = re.compile(
    r"\b(?:not|no|don't|do not|never mind|leave|keep|without|forget|than|with|can't|in|on|under|of|at|to|by|near|beside|"
    r"behind)(?: \w+){0,3}? "
    rf"(?:{'|'.join(_THINGS)})\b"
)
"""Things that only tell where, or that are to be left alone."""
_SAME = re.compile(r"\bthe same (?:\w+ )?as (?:mine|me|hers|his|the|my|on)\b")
_NOT_OFF = re.compile(
    r"\b(?:don't|do not|never)\b(?: \w+){0,6} (?:off|paused?|stopp?(?:ed)?|muted?|shut|closed?|skip(?:ped)?)\b"
)
"""A "not" before what would be switched off."""
_TAKEN_BACK = re.compile(r"\b(?:no|sorry|wait|i mean|i meant|make that|actually|rather|on second thoughts?|instead)\b")
"""Words after which what was said before may not hold."""
_NUMBERS = re.compile(rf"\b({NUMBER})( hundred)?( point five| and a half)?\b")


def doubt(
    text: str, acts: Sequence[Act], actions: Sequence[Action], context: str, offers: Collection[str],
    grounds: Collection[str] = (),
) -> str:  # fmt: skip
    """Why the actions may not be all that was meant; empty where nothing speaks against them.

    Args:
        text: the utterance in its spoken form.
        acts: all acts of the utterance.
        actions: those of the car, resolved.
        context: what the parser was told, whose words and numbers count as said.
        offers: actions that this vehicle has.
        grounds: slots that the car's state has filled.
    """
    moving = [action for action in actions if not action.query]
    if not moving:
        return ""
    named = {act.name for act in acts}
    slots = {slot for act in acts for slot in act.slots}
    placeable = any(
        _PLACED & set(type(action).model_fields) or _IN_THE_BACK.get(action.name) in offers for action in moving
    )
    alone = len(moving) == 1
    reasons = {
        "something was said that no action has": unheeded(text, acts),
        "a thing was named that no action has": unspoken(text, acts),
        "a number was to be called": not slots & {"digits", "person"} and dialling(text) is not None,
        "a side was said that no action names": placeable and not _PLACED & slots and _SIDE.search(text),
        "no word speaks of what would move": any(careful(one) and unnamed(one, text, context) for one in moving),
        "whose it is was said, and another's would move": _anothers(text, moving),
        "what it was to wait for is nothing to wait for here": any(map(waits, acts)),
        "it was only thought of": "tell" not in named and _MUSED.search(text),
        "a number was said in a unit in which nothing counts": foreign(_without_names(text, acts), acts),
        "switching off was turned down": alone and _NOT_OFF.search(text),
        "the words ask for the opposite": alone and against(text, moving[0]),
    }
    why = next((reason for reason, found in reasons.items() if found), "")
    return why or (_unsaid(text, acts[0], moving[0], context, offers, grounds) if len(acts) == 1 else "")


def unheeded(text: str, acts: Sequence[Act]) -> str:
    """The words of an exception, a condition or a limit that no act has; empty where there are none."""
    slots = {slot for act in acts for slot in act.slots}
    if any(act.name in _EXCUSED or waits(act) for act in acts) or "event" in slots:
        return ""
    whole, text = text, _without_names(text, acts)  # what is to be reminded of, or sent, may have conditions of its own
    plain = _POLITE.sub(lambda found: " " * len(found[0]), text)
    exception = None if "but" in slots else EXCEPTION.search(text)
    limit = None if _PLACED & slots else _LIMITED.search(text)
    condition = _CONDITION.search(plain)
    if condition is not None:  # a reminder's own is for the driver to judge then
        begins = " ".join(plain[condition.start() :].split()[:3])
        condition = None if any(begins in act.words.get("what", "") for act in acts) else condition
    found = exception or condition or limit
    if found is None:
        return ""
    clause = _clause(whole, found.start())
    return "" if found is exception and _heeded(clause, acts) else clause


def _clause(text: str, start: int) -> str:
    """The words from there on that belong together, eight at most."""
    return " ".join(CUT.split(text[start:])[0].split()[:8])


def _heeded(clause: str, acts: Sequence[Act]) -> bool:
    """Whether what is left out in such words is nothing that the acts touch, or is what an act of them does."""
    if DRIVES.search(clause):
        return True  # nothing that acts do touches it
    clause, names = exception(clause), " ".join(act.name for act in acts)
    spared, places = named(clause), [place for act in acts if (place := place_of(act)[1])]
    if spared and places and not any(spared & set(corners(place)) for place in places):
        return True
    things = [word for word in clause.split() if word in _THINGS]
    if not things and not spared and clause.startswith(("keep ", "leave ")):
        return _left_anyway(clause, acts)
    return bool(things) and not any(part in names for word in things for part in _THINGS[word])


def _left_anyway(clause: str, acts: Sequence[Act]) -> bool:
    """Whether what is to stay as it is has a name in the car, and is no part of what the acts of the car are called."""
    kinds = [BY_NAME[act.name] for act in acts if act.is_action]
    said, touched = (
        stems(clause),
        stems(" ".join(f"{kind.title} {kind.thing} {' '.join(kind.examples)}" for kind in kinds)),
    )
    known = stems(" ".join(f"{kind.title} {kind.thing} {' '.join(kind.named_by)}" for kind in BY_NAME.values()))
    return bool(kinds) and bool(said & known) and not said & touched


def rules_out(clause: str, acts: Sequence[Act]) -> bool:
    """Whether a name that an act has is what the words turn down: "anything but jazz"."""
    said = (
        set(clause.split()) if clause.startswith(("anything but", "everything but", "not ", "but not")) else set[str]()
    )
    values = (value for act in acts for value in act.words.values())
    return any(set(value.split()) <= said for value in values)


def unspoken(text: str, acts: Sequence[Act]) -> str:
    """A thing that was named and that no act has to do with; empty where there is none. "Lock up, lights off": the lights.

    Of 11,510 lines of the training data, with the acts that belong to them, it finds such a thing in 1 of 250; where one of the
    acts of a sentence is left out, in 1 of 6.
    """
    if {act.name for act in acts} & {*_EXCUSED, "cannot"} or _TAKEN_BACK.search(text):
        return ""
    rest = _UNTOUCHED.sub(" ", f" {_without_names(text, acts)} ")
    names = " ".join(act.name for act in acts)
    said = (word for word in rest.split() if word in _THINGS)
    return next((word for word in said if not any(part in names for part in _THINGS[word])), "")


def _anothers(text: str, actions: Sequence[Action]) -> bool:
    """Whether "mine" or "hers" was said, or "for me" and "for her", and of all places that would move none is that one."""
    owners = {"driver" if found[1] == "mine" else "passenger" for found in _OWNED.finditer(text)}
    if _FOR_ME.search(text) and _FOR_HER.search(text) and not _ONE_OF_TWO.search(text):
        owners = {"driver", "passenger"}
    slots = (action.slots() for action in actions)
    places = [str(held.get("zone") or held.get("window")) for held in slots if held.get("zone") or held.get("window")]
    moving = {corner for place in places for corner in corners(place)}
    return bool(places) and not owners <= moving


_SETTINGS = frozenset({"on", "locked", "open", "level", "percent", "celsius", "fahrenheit", "color"})
"""Slots of which a thing has one value at a time."""


def contrary(acts: Sequence[Act]) -> bool:
    """Whether two acts want the opposite of the same thing at once ("up and down", "open it and close it")."""
    wanted: dict[tuple[str, ...], set[str]] = {}
    for act in acts:
        other = sorted(
            f"{slot} {value}" for slot, value in act.slots.items() if slot not in (*_SETTINGS, "change", "by")
        )
        if act.name.startswith("change_") and "change" in act.slots:
            wanted.setdefault((act.name, *other), set()).add(str(act.slots["change"]))
        elif act.name.startswith("set_"):
            for slot in _SETTINGS & set(act.slots):
                wanted.setdefault((act.name, slot, *other), set()).add(str(act.slots[slot]))
    return any(len(ways) > 1 for ways in wanted.values())


def takes_back(text: str) -> bool:
    """Whether words of it may take back what was said before them: its parts do not all hold then."""
    return _TAKEN_BACK.search(text) is not None


def _without_names(text: str, acts: Sequence[Act]) -> str:
    """The words that stand in no slot of free words; the others are blanks."""
    for act in acts:
        for value in act.words.values():
            text = re.sub(rf"\b{re.escape(value)}\b", lambda said: " " * len(said[0]), text, count=1)
    return text


_EXCUSED = frozenset({"refrain", "no", "tell", "cancel_timer"})
"""Acts that speak of exceptions and conditions themselves."""


def waits(act: Act) -> bool:
    """Whether it says that something was to be done on a condition that nobody here can wait for."""
    return act.name == "cannot" and act.slots.get("topic") in ("condition", "schedule")


def _unsaid(
    text: str, act: Act, action: Action, context: str, offers: Collection[str], grounds: Collection[str]
) -> str:
    """What of the only action nobody said, or was turned down; empty where nothing is."""
    told = re.sub(r"[^a-z0-9.' ]", " ", context)
    wanted = _CONTRAST.sub("", text)
    found, errand = EXCEPTION.search(text), errands.asked(text)
    if found is not None and _heeded(clause := _clause(text, found.start()), [act]):
        wanted = wanted.replace(exception(clause), " ", 1)
    for slot, value in action.slots().items():
        if isinstance(value, str):  # the parser writes words that were said, and rules what they are about
            told += f" {value}"
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        given = act.slots.get(slot)
        rounded = isinstance(given, int | float) and given != value and float(given) in numbers(text)
        timed = errand is not None and errand.slots.get(slot) == value  # "ten to five" is 4 and 50
        if (
            slot == "celsius" or slot in grounds or rounded or timed
        ):  # in whatever unit; as the car has it; to its steps
            told += f" {number_words(value)}"
    finding = validate(action, f"{wanted} {told}".strip(), offers)
    return "" if finding.ok else finding.reason


def left_over(text: str, acts: Sequence[Act]) -> float | None:
    """The smallest number that was said outside all free words and stands in no slot; None where all found their place."""
    left = _left(text, acts)
    return left[0] if left else None


def copies(text: str, acts: Sequence[Act]) -> bool:
    """Whether a number was wished for by naming another thing that has it ("the same as mine"), and was made up then."""
    made_up = any(
        isinstance(value, int) and not isinstance(value, bool) for act in acts for value in act.slots.values()
    )
    return made_up and _SAME.search(text) is not None


def amount_guessed(act: Act, said: str) -> bool:
    """Whether it has a number that nobody said in so many words."""
    amounts = [v for v in act.slots.values() if isinstance(v, int | float) and not isinstance(v, bool)]
    return any(float(amount) not in numbers(said) for amount in amounts)


def names(action: Action, text: str) -> bool:
    """Whether a sentence has a word of what the action is called or asked for, by its first letters.

    What stands in a slot of free words was said in any case, and speaks for nothing.
    """
    return bool(stems(called(action)) & stems(text))


def called(action: Action) -> str:
    """What an action is called and asked for by, in words."""
    kind, slots = type(action), slots_of(action.name)
    known = (
        kind.title,
        kind.description,
        kind.thing,
        *kind.examples,
        *kind.named_by,
        *(str(value) for slot, value in action.slots().items() if slot not in slots or slots[slot].kind != "words"),
    )
    return " ".join((*known, *(sign for each in kind.complaints.values() for sign in each)))


def against(text: str, action: Action) -> bool:
    """Whether plain words of the sentence ask for the opposite of what the action does, and none for it."""
    said, slots = frozenset(text.split()), action.slots()
    for slot, ends in _OPPOSITES.items():
        if slot not in slots or (slot == "percent" and action.domain is not Domain.OPENINGS):
            continue
        raised, lowered = _OPPOSITES["open"] if slot == "change" and action.domain is Domain.OPENINGS else ends
        up = slots[slot] in ("up", "open") if isinstance(slots[slot], str) else bool(slots[slot])
        for_it, against = (raised, lowered) if up else (lowered, raised)
        if said & against and not said & for_it:
            return True
    return False


def _left(text: str, acts: Sequence[Act]) -> tuple[float, ...]:
    """Numbers that were said outside all free words and stand in no slot."""
    if any("digits" in act.slots for act in acts):
        return ()  # a telephone number
    kept = [part for part in _TAKEN_BACK.split(text) if part.strip()]
    warm = any(act.name == "set_temperature" for act in acts)
    last = kept[-1] if kept else text
    rest, filled = f" {with_points(last) if warm else last} ", set[float]()
    for act in acts:
        for value in act.slots.values():
            if isinstance(value, str):
                rest = rest.replace(f" {value} ", " ", 1)
            elif not isinstance(value, bool):
                filled.add(float(value))
        if {"minutes", "seconds"} <= set(act.slots):
            filled.add(float(act.slots["minutes"]) + float(act.slots["seconds"]) / 60.0)  # "nine and a half minutes"
        if act.slots.get("minute", 0) and "hour" in act.slots:
            filled |= {float(act.slots["hour"]) + 1.0, 60.0 - float(act.slots["minute"])}  # "ten to nine"
    filled.add(float(len(acts)))  # "two timers"
    said = {
        number_of(found[1]) * (1.0, 100.0)[bool(found[2])] + (0.5 if found[3] else 0.0)
        for found in _NUMBERS.finditer(_SHARES.sub(" ", rest))
    }
    if filled & ({value * 60.0 for value in said} | {value + 12.0 for value in said}):
        return ()  # hours
    return tuple(value for value in sorted(said) if value > 1 and value not in filled)
