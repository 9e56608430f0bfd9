"""An act of the car as an action: units, grids, what is missing, what lies out of range.

Pure. What is said about it is ready to be spoken.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from pydantic import ValidationError

from models.text import WEEKDAYS, contains
from schemas.actions import BY_NAME, Action, CancelTimer, SetReminder, SetTimer, Undo, corners, parse_action
from schemas.actions.acts import Act
from voice.dialogue import errands
from voice.dialogue.acts.measured import STEP, counted
from voice.dialogue.acts.planning import NOT_MEANT
from voice.dialogue.coordinator import Plan
from voice.dialogue.followup import lacks_time
from voice.dialogue.knowing import lately, named
from voice.dialogue.recent import RecentActions, goal
from voice.dialogue.replies import responder
from voice.dialogue.replies.examples import stems

ASKS = {
    "set_temperature": "To how many degrees?",
    "set_fan_speed": "To which level, from 0 to 5?",
    "set_airflow": "Where shall the air blow?",
    "set_seat_heating": "To which level, from 0 to 3?",
    "set_ambient_color": "In which colour?",
    "set_volume": "To how many percent?",
    "set_guidance_volume": "To how many percent?",
    "adjust_mirror": "Up, down, left or right?",
    "set_drive_mode": "Which one: normal, sport, economy, snow or rain?",
    "play_playlist": "Which playlist?",
    "navigate_to": "Where to?",
    "find_place": "What kind of place?",
    "list_places": "What kind of place?",
    "find_on_route": "What kind of place?",
    "add_stop": "Where shall we stop?",
    "change_destination": "Where to?",
    "replace_stop": "Where shall we go instead?",
    "get_distance": "How far to where?",
    "set_charge_limit": "To how many percent?",
    "set_reminder": "What shall I remind you of?",
    "get_contact": "Whose?",
    "call_contact": "Whom shall I call?",
    "send_email": "What shall I write, and to whom?",
    "choose_route": "Which one, by its number?",
    "recall_seat_position": "Which one, from 1 to 3?",
}
"""What is asked where a wish lacks what it needs."""
FAHRENHEIT_FROM = 50
"""Degrees that nobody means in Celsius."""
HOW = "How do you want it?"
"""The question for all others."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """What an act of the car comes to: an action; or a question for what is missing; or a sentence about why not."""

    act: Act
    action: Action | None = None
    needs: str = ""
    """The question for what is missing."""
    says: str = ""
    """Why it cannot be."""


_DAYED = frozenset({"get_weather", "get_calendar", "set_reminder"})
_OTHER_DAY = re.compile(
    rf"\b(?:{'|'.join(WEEKDAYS).lower()})\b|\b(?:at|on|over|this|next) (?:the )?weekend\b|\bnext (?:week|month)\b|"
    r"\b(?:the )?day after(?: tomorrow)?\b|\bin (?:\w+ )?(?:days|weeks|months)\b"
)

_NEAR_DAY = re.compile(r"\b(?:today|tonight|(?<!day after )tomorrow|this (?:morning|afternoon|evening))\b")


_TAKEN_OUT = re.compile(
    r"\b(?:drop|skip|scratch|scrap|lose|remove|cut|cancel|forget|ditch|bin|delete|leave out|take out|without|leave|take) "
    r"(?:(?:the|that|this|my|our) )?(?P<stop>.+?)(?: (?:out|off|away|from|of|on|please|then|again|now|after all|instead|"
    r"the (?:route|trip|way))\b.*)?$"
)
_ANY_STOP = frozenset("next first last second stop stops waypoint waypoints stopover route way all".split())


def placed(act: Act, text: str, told: str) -> Act:
    """The act with the place that was meant: the stop that is named, and what was spoken of last where "it" is one.

    Args:
        act: of the car.
        text: the utterance in its spoken form.
        told: name of the place that was told of last; empty where none was.
    """
    if down := _turned_down(act.words.get("quality", ""), text):
        return Act(act.name, {**act.slots, "quality": down})
    where = act.slots.get("destination")
    if act.name == "remove_stop" and where is None:
        found = _TAKEN_OUT.search(text)
        said = set(found["stop"].split()) if found is not None else set[str]()
        if found is None or said & _ANY_STOP:
            return act
        stop = told if said <= _NO_NAME else found["stop"]
        return Act(act.name, {**act.slots, "destination": stop}) if stop else act
    if act.name not in ("add_stop", "navigate_to", "change_destination") or not isinstance(where, str):
        return act
    if not set(where.split()) <= _NO_NAME:
        return act
    rest = {slot: value for slot, value in act.slots.items() if slot != "destination"}
    return Act(act.name, {**rest, "destination": told} if told else rest)


_DOWN = r"\b(?:not|nothing|no|without|\w+n't)(?: (?:a|an|any|be|too|so|very|that|really|overly|all))* "


def _turned_down(quality: str, text: str) -> str:
    """What a place should not be like with the words that turn it down, where it was named without them: "nothing too pricey"."""
    found = re.search(rf"{_DOWN}{re.escape(quality)}\b", text) if quality else None
    return found[0] if found is not None else ""


def whom(act: Act, text: str, people: named.People) -> tuple[Act, tuple[str, ...]]:
    """The act with the person who was named last, where it names one by a pronoun; or without, and the several whom it may mean.

    Args:
        act: of the car.
        text: the utterance as it was heard.
        people: who was named last.
    """
    person = act.slots.get("person")
    pronoun, before = named.referred(person, text) if isinstance(person, str) else ("", "")
    if not pronoun:
        return act, ()
    found = named.meant(pronoun, named.with_last(people, named.named(before)))
    rest = {slot: value for slot, value in act.slots.items() if slot != "person"}
    if len(found) == 1:
        return Act(act.name, {**rest, "person": found[0].name}), ()
    return Act(act.name, rest), tuple(one.name for one in found)


_ONE_OF_THEM = re.compile(r"\b(?:this|that|it|the (?:one|timer|reminder|alarm))\b(?! all)")


def which_one(act: Act, text: str, recent: RecentActions, now: datetime) -> str:
    """The question which timer or reminder is to go, where one is meant and several were told of just now; empty for all else."""
    told = recent.answer.get("timers") or recent.answer.get("others") or () if recent.fresh(now) else ()
    if act.name != "cancel_timer" or act.slots.get("label") or len(told) < 2 or _ONE_OF_THEM.search(text) is None:
        return ""
    names = [str(one["label"]) or "the one without a name" for one in told]
    return f"Which one: {', '.join(names[:-1])} or {names[-1]}?"


def on_day(act: Act, text: str, now: datetime) -> Act | None:
    """The act on the day that was said; None where no slot can say it: others than a reminder know today and tomorrow.

    Args:
        act: of the parser.
        text: the utterance in its spoken form.
        now: the present moment, where the car is.
    """
    if act.name not in _DAYED:
        return act
    if act.name == "set_reminder" and (found := errands.dated(text, now.date())) is not None:
        slots = {slot: value for slot, value in act.slots.items() if slot != "day"}
        return Act(act.name, {**slots, "date": found[1].isoformat()})
    rest = re.sub(rf"\b{re.escape(str(act.slots.get('what', '')))}\b", " ", text) if act.slots.get("what") else text
    found = _OTHER_DAY.search(rest)
    if found is None or _NEAR_DAY.search(rest):
        return act
    name = found[0].title()
    ahead = (WEEKDAYS.index(name) - now.weekday()) % 7 if name in WEEKDAYS else _days(found[0])
    day = {0: "today", 1: "tomorrow"}.get(ahead) if ahead is not None else None
    if day is None and ahead is not None and ahead < 7 and act.name == "set_reminder":
        day = WEEKDAYS[(now.weekday() + ahead) % 7].lower()
    return Act(act.name, {**act.slots, "day": day}) if day is not None else None


def _days(words: str) -> int | None:
    """How many days ahead words say: "the day after tomorrow"."""
    return 2 if words.endswith("day after tomorrow") else None


_SHARE = re.compile(
    r"\b(?P<half>half(?:way)?)\b(?! (?:an?|past|there|asleep|blind|deaf)\b)|\b(?P<of>a|one|two|three) (?P<part>third|quarter)s?\b"
)
_PARTS = {"third": 35, "quarter": 25}
_SET = {"change_window": "set_window", "change_sunroof": "set_sunroof"}


def to_share(act: Act, text: str) -> Act:
    """A step of a window or the roof of which a share was said ("drop the back windows by half"): that far open, or shut."""
    found = _SHARE.search(text) if act.name in _SET and "by" not in act.slots else None
    if found is None:
        return act
    share = 50 if found["half"] else {"two": 65, "three": 75}.get(found["of"], _PARTS[found["part"] or "third"])
    place = {slot: value for slot, value in act.slots.items() if slot in ("window", "but")}
    return Act(_SET[act.name], {**place, "percent": 100 - share if act.slots.get("change") == "close" else share})


def resolve(act: Act, offers: Collection[str]) -> Resolved:
    """The action of an act, if it is one that this vehicle has and all is there that it needs."""
    if act.name not in offers:
        return Resolved(act, says=responder.lacks((act.name,)))
    slots = {slot: value for slot, value in act.slots.items() if not _is_no_name(act, slot)}
    degrees = slots.get("celsius")
    if act.name == "set_temperature" and isinstance(degrees, int | float) and degrees >= FAHRENHEIT_FROM:
        slots["fahrenheit"] = slots.pop("celsius")
    for slot in ("percent", "by", "seconds"):
        value = slots.get(slot)
        if isinstance(value, int) and not isinstance(value, bool) and act.name != "change_temperature":
            slots[slot] = STEP * round(value / STEP)
    try:
        action = parse_action(act.name, slots)
        return Resolved(act, needs=lacks_time(action)) if lacks_time(action) else Resolved(act, action)
    except ValidationError as error:
        missing = [problem for problem in error.errors() if problem["type"] == "missing"]
        if missing:
            return Resolved(act, needs=ASKS.get(act.name, HOW))
        return Resolved(act, says=_limits(act.name, str(error.errors()[0]["loc"][0])))


_NO_NAME = frozenset(
    "instead there here that it one ones this again please now then too okay ok yes yeah sure fine right also so".split()
)
"""Words that alone are the name of nothing."""


def _is_no_name(act: Act, slot: str) -> bool:
    """Whether a name was written that is none: "go there instead" names no place, "make it eleven instead" no errand."""
    return set(act.words.get(slot, "-").split()) <= (_NO_NAME if slot not in _QUOTED else _NO_ERRAND)


_NO_ERRAND = frozenset({"instead"})
_QUOTED = frozenset({"message", "what", "song", "label"})
"""Slots whose words may be any."""


def _limits(name: str, slot: str) -> str:
    """How far a number may go."""
    schema = BY_NAME[name].model_json_schema()["properties"].get(slot, {})
    for part in (schema, *schema.get("anyOf", ())):
        if "minimum" in part and "maximum" in part:
            unit = {"degrees": " degrees", "share": " percent", "time": f" {slot}"}.get(counted(name, slot), "")
            return f"{BY_NAME[name].title} goes from {part['minimum']:g} to {part['maximum']:g}{unit}."
    return "I can't set that."


_ANOTHER = re.compile(r"\b(?:another|different|other one|(?P<all>others?|else|more))\b")


def another(action: Action, said: str, recent: RecentActions, now: datetime) -> Action:
    """A search for a place, without those that were told of before where another one is asked for, and else like the one before.

    Args:
        action: what is meant.
        said: the words, in their spoken form.
        recent: what was done last.
        now: the present moment.
    """
    last = recent.actions[-1] if recent.fresh(now) and recent.actions else None
    turned_down = _ANOTHER.search(said)
    if last is None or turned_down is None or action.name not in _SEARCHES or last.name not in _SEARCHES:
        return action
    had, told = (
        last.slots(),
        [str(place["name"]) for place in recent.answer.get("places") or (recent.answer,) if "name" in place],
    )
    if had["kind"] != action.slots()["kind"]:
        return action
    gone = told if turned_down["all"] else told[:1]
    own = {slot: value for slot, value in action.slots().items() if slot != "quality" or contains(said, str(value))}
    return parse_action(action.name, {**had, **own}).sparing((*last.spares, *gone))


_SEARCHES = frozenset({"find_place", "list_places"})
_IN_ITS_PLACE = re.compile(r"\b(?:instead|(?:make|change|move) (?:it|that|the|my)|i meant?|no wait|not that)\b")
_NOT_THERE = re.compile(
    r"^(?:no|nope|not|wrong|sorry|oops)\b|\b(?:instead|i meant?|i said|not (?:that|mine|hers|his|me))\b"
)
_ONE = re.compile(r"\b(?:window|one)\b")


@dataclass(frozen=True, slots=True)
class Again:
    """A reminder that is set already, at another time."""

    actions: tuple[Action, ...] = ()
    """What takes it away, and sets it anew."""
    wish: Act | None = None
    among: tuple[str, ...] = ()
    """Several that may be meant, and the wish for one of them."""
    question: str = ""


def waiting_one(
    act: Act, text: str, waiting: Sequence[Mapping[str, object]], recent: RecentActions, now: datetime
) -> Again:
    """Which of the reminders that are set is meant by one at another time.

    Args:
        act: the new time, and words of what it is for, if any were said; else the one that was set just now is meant.
        text: the utterance in its spoken form.
        waiting: what is set, as ``get_timers`` tells it.
        recent: what was done last.
        now: the present moment.
    """
    act = on_day(act, text, now) or act
    last = recent.done if recent.fresh(now) and not recent.since else None
    just = last.what if isinstance(last, SetReminder) else ""
    said = stems(str(act.slots.get("what", just)))
    meant = [one for one in waiting if not said or said & stems(str(one["label"]))] or waiting
    if len(meant) > 1:
        among = tuple(str(one["label"]) for one in meant)
        return Again(wish=act, among=among, question=responder.which(among))
    label, had = str(meant[0]["label"]), {**meant[0], **({"day": "tomorrow"} if meant[0]["tomorrow"] else {})}
    another_day = {"day", "date", "minutes", "event"} & act.slots.keys()
    day = {} if another_day else {slot: had[slot] for slot in ("day", "date") if had.get(slot)}
    action = parse_action(act.name, {**day, **act.slots, "what": label})
    return Again((CancelTimer(kind="reminder", label=label), action))


def put_right(act: Act, said: str, waiting: Sequence[Mapping[str, object]]) -> Act | None:
    """A reminder at another time, with what it is for: the one of those that are set which a correction names.

    None for what is no correction, says itself what it is for, or names none or several. Arguments as for `waiting_one`.
    """
    if not lately.corrects(said) or contains(said, str(act.slots.get("what", said))):
        return None
    called = [label for one in waiting if stems(label := str(one["label"])) & stems(said)]
    return Act(act.name, {**act.slots, "what": called[0]}) if len(called) == 1 else None


_BESIDE = re.compile(r"\b(?:another|second|as well|too|also|both|again)\b")


def replacing(action: Action, said: str, recent: RecentActions, now: datetime) -> tuple[Action, ...]:
    """The action, after the undoing of the last one where it is to stand in the place of that.

    A timer or reminder stands beside the one before, but for one of the same thing ("make it twenty minutes instead"), and so does
    what was done somewhere else ("no, the back window"); any other action replaces the one before by itself.

    Args:
        action: what is meant.
        said: the words, in their spoken form.
        recent: what was done last.
        now: the present moment.
    """
    last = recent.done if recent.replaceable and recent.fresh(now) else None
    if last is None or last.name != action.name or _BESIDE.search(said) is not None:
        return (action,)
    if isinstance(action, SetTimer | SetReminder):
        called = _called(action, said, recent) or last
        had, same = called.slots(), ["label", "what"]
        what = str(had.get("what", ""))
        of_the_same = (
            bool(what) and what == action.slots().get("what") and not contains(said, what)
        )  # it was not said again
        if not of_the_same and _IN_ITS_PLACE.search(said) is None:
            return (action,)
        if "hour" in action.slots() and _NEAR_DAY.search(said) is None:
            same += ["day", "date", *(["half"] if had.get("hour") == action.slots()["hour"] else [])]
        kept = {slot: value for slot, value in had.items() if slot in same}
        if called == last:
            return Undo(), parse_action(action.name, {**kept, **action.slots()})
        kind = "timer" if isinstance(called, SetTimer) else "reminder"
        return CancelTimer(kind=kind, label=_label(called)), parse_action(action.name, {**action.slots(), **kept})
    if _NOT_THERE.search(said) is None or _where(last) <= _where(action):
        return (action,)
    return Undo(), _same_side(action, last) if _ONE.search(said) is not None else action


def _called(action: Action, said: str, recent: RecentActions) -> Action | None:
    """Which timer or reminder of those that were set last the words call by what it is for ("make the cake one half past")."""
    alike = [one for one in recent.actions if one.name == action.name and _label(one)]
    found = [one for one in alike if stems(_label(one)) & stems(said)]
    return found[0] if len(found) == 1 else None


def _label(action: Action) -> str:
    return str(action.slots().get("what") or action.slots().get("label") or "")


def _same_side(action: Action, last: Action) -> Action:
    """One window of a row, where the row was named after one window: "no, the back one" is the one on the same side."""
    row, there = _where(action), _where(last)
    if "window" not in action.slots() or len(there) != 1 or len(row) != 2:
        return action
    side = next(corners(side) for side in ("left", "right") if there <= frozenset(corners(side)))
    alike = row & frozenset(side)
    return parse_action(action.name, {**action.slots(), "window": next(iter(alike))}) if len(alike) == 1 else action


def _where(action: Action) -> frozenset[str]:
    """The corners of the car that an action is about; none where it has no place."""
    slots = action.slots()
    place = slots.get("window", slots.get("zone"))
    return frozenset(corners(str(place), slots.get("but"))) if place is not None else frozenset()


def chosen(act: Act, text: str, recent: RecentActions) -> Action | None:
    """The place or the route of those that were told which is chosen; None where there is none.

    Args:
        act: with its number, if one was heard.
        text: the utterance in its spoken form.
        recent: what was told last.
    """
    told = recent.answer.get("places") or ([recent.answer] if recent.answer.get("name") else ())
    places = [str(place["name"]) for place in told]
    number = 1 if len(places) == 1 and _ONE_OF_THEM.search(text) is not None else act.slots.get("number")
    if isinstance(number, int) and 0 < number <= len(places):
        return parse_action("navigate_to", {"destination": places[number - 1]})
    if isinstance(number, int) and recent.answer.get("routes"):
        return parse_action("choose_route", {"number": max(1, min(3, number))})
    return None


def nothing_chosen(recent: RecentActions) -> str:
    """What is said where nothing of what was told is chosen."""
    went = "places" in recent.answer or any(goal(action) for action in recent.actions[-1:])
    return (
        responder.NAMED_ONE if went and len(recent.answer.get("places") or (1,)) == 1 else responder.NOTHING_TO_FOLLOW
    )


WHOLE_AT = 0.97
"""Probability of all acts from which on the words are a whole sentence. Our choice."""


def is_whole(plan: Plan, offers: Collection[str]) -> bool:
    """Whether the acts are surely all of an utterance: they are sure, and none lacks anything."""
    if not plan.acts or plan.asks < WHOLE_AT or any(act.name in NOT_MEANT for act in plan.acts):
        return False
    return all(not act.is_action or not resolve(act, offers).needs for act in plan.acts)


def left_open(act: Act) -> bool:
    """Whether memory may fill what was not said."""
    return act.is_action and bool(BY_NAME[act.name].details) and not set(act.slots) - {"kind", "zone", "near"}
