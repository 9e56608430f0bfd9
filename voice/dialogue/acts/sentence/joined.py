"""Several requests in one sentence: the parts are read by themselves beside the whole, and the better reading counts.

The parser reads a sentence as a whole; of three requests or four it loses one more often than not. A short part by itself it
reads nearly always right, unless the part leans on another one ("and the back ones too"), and then it is not sure of it. So the
parts, between "and" and its like and where a writer sets a comma, are a second opinion: they count where the whole is in doubt, or
where one of them surely asks for something that the whole has not. What is in neither is named. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from math import prod

from models.acts.spelling import read, write
from models.text import spoken
from schemas.actions import BY_NAME, Domain
from schemas.actions.acts import Act, Parsed, slots_of
from schemas.errors import GenerationError
from voice.dialogue.acts.accounted import contrary, left_over, unspoken
from voice.dialogue.acts.excepted import named, place_of
from voice.dialogue.acts.planning import GUESS_AT
from voice.dialogue.acts.seen import unconditional

_JOINS = re.compile(
    r"\b(?:and then|and also|and please|(?<!hundred )and|then|also|plus|but)\b"
    r"(?! (?:a |one |a half|half|quarter|(?:please )?(?:not|don't|do not|never|leave|keep))\b)"
)
"""Not before what is to be left out: that belongs to what stands before it."""
_MARKS = re.compile(r"[,;:.!?]+(?:\s+|$)")
"""Where a writer pauses; not within a number."""
_CLINGS = re.compile(
    r"^(?:only\b|(?:(?:just|but) )?(?:not|leave|except|apart from|other than|besides|excluding|save for|all but)\b)"
)
"""The beginning of what is left out of the part before, or of all that is meant of it."""
_TELLS = re.compile(
    r"(?:(?:it|that|there|this|he|she)'s|i'm|(?:we|you|they)'re|(?:i|we)'ve been|"
    r"(?:it|i|we|you|there|this|that|he|she|they|(?:the|my|our|your) \w+|\w+) (?:is|are|am))\b"
)
"""The beginning of a reason: how things are, set off by a comma from what is asked for because of it."""
POINTS = re.compile(r"\b(?:it|them|that|those|ones?|same)\b")
"""Words that mean something of the part before."""
_SOUND = re.compile(
    r"(?:oh|ooh|ah|aw|um|uh|er|erm|hm+|mm+|whoa|phew|well|right|so|hey)(?: (?:oh|ah|um|uh|er|well|so|right|hey))*"
)
"""What is no part by itself: after something was done it would be read as a wish for more of that."""
MOST = 5
"""Parts of a sentence that are read by themselves: more is a story."""
_IDLE = frozenset({"none", "chat"})
"""Acts of a part that asks for nothing."""


def parts(written: str) -> tuple[str, ...]:
    """The parts of a sentence, in their spoken form and without conditions; one where there are none, or too many.

    Args:
        written: the sentence as it was written down, with its commas if it has any.
    """
    clauses, opening = list[str](), ""
    for mark in _MARKS.split(written):
        said = unconditional(spoken(mark))
        tells = _TELLS.match(said) is not None
        if clauses and (tells or _CLINGS.match(said)):
            clauses[-1] = f"{clauses[-1]} {said}"
        elif tells:
            opening = f"{opening} {said}".strip()
        elif said:
            clauses.append(f"{opening} {said}".strip())
            opening = ""
    clauses += [opening] if opening else []
    found = list[str]()
    for part in (part.strip() for clause in clauses for part in _JOINS.split(clause) if part.strip()):
        if found and (_SOUND.fullmatch(part) or _SOUND.fullmatch(found[-1])):
            found[-1] = f"{found[-1]} {part}"
        else:
            found.append(part)
    return tuple(found) if len(found) <= MOST else (unconditional(spoken(written)),)


def without_reasons(written: str) -> str:
    """A sentence in its spoken form without the reasons that commas set off from what is asked for; empty where nothing is.

    Args:
        written: the sentence as it was written down.
    """
    clauses = (spoken(mark) for mark in _MARKS.split(written))
    return " ".join(clause for clause in clauses if clause and not _TELLS.match(clause))


_TOO_MUCH = re.compile(
    r"^(?P<wish>.+?)(?: (?:oh|ah|hm+|um|uh))*(?: (?:no|wait|sorry|whoa|hang on|hold on))+"
    r"(?: (?:that's|that is|it's|it is))?(?: (?:a bit|a little|way|far))? too \w+(?: now)?$"
)
"""A wish, and behind it the complaint that what it comes to is too much: "turn it up. no wait that's too much"."""


def called_off(text: str) -> str:
    """The wish that is called off by what is said behind it; empty where none is."""
    found = _TOO_MUCH.match(text)
    return found["wish"] if found is not None else ""


def as_it_is(wish: Parsed, whole: Parsed) -> Parsed:
    """The reading of a sentence that calls its own wish off: where that is a step, nothing moves, neither up nor down."""
    step = all(act.is_action and "change" in act.slots for act in wish.acts)
    return Parsed((Act("refrain"),), max(wish.sure, whole.sure)) if step else whole


_GOAL = re.compile(
    r"\b(?:(?:get|go|drive|make it|(?:do|take|bring|carry|last) (?:me|us)|back|way) to|reach|(?:get|go)(?= home\b)) (?P<goal>.+)$"
)


def goal_asked(text: str, whole: Parsed) -> str:
    """The question how far it is to where the range is to reach, in words that the parser knows; empty where no goal is named."""
    found = _GOAL.search(text) if [act.name for act in whole.acts] == ["get_range"] else None
    return f"how far is it to {found['goal']}" if found is not None else ""


def with_goal(goal: Parsed, whole: Parsed) -> Parsed:
    """The reading of a question whether the range reaches so far: both are told."""
    far = goal.acts == tuple(act for act in goal.acts if act.name == "get_distance" and "destination" in act.slots)
    return Parsed((*goal.acts, *whole.acts), min(goal.sure, whole.sure)) if far and goal.sure >= SURE_PARTS else whole


async def looked_again(
    text: str, whole: Parsed, context: str, parse: Callable[[str, str], Awaitable[Parsed]]
) -> Parsed:
    """The reading of a sentence that calls its own wish off, or asks how far something reaches, by what it names.

    Args:
        text: the sentence in its spoken form.
        whole: its reading.
        context: what the parser was told.
        parse: reads words after a context.
    """
    if wish := called_off(text):
        return as_it_is(await parse(wish, context), whole)
    return with_goal(await parse(goal, ""), whole) if (goal := goal_asked(text, whole)) else whole


def did(acts: Sequence[Act], before: str = "") -> str:
    """What the parser is told of the part before; what it was told before that where the part asks for nothing."""
    if before and all(act.name in _IDLE | {"praise", "thanks"} for act in acts):
        return before
    done = [act for act in acts if act.is_action]
    return f"{_DID}{write(done[-1:])}" if done else ""


SURE_PART = 0.9
"""Probability from which on a part by itself surely asks for what is read in it."""
SURE_PARTS = 0.75
"""The same for all parts of a sentence together."""


IT_AT = 0.8
"""Probability of what is asked for of "it" once it is where that was done: the parser was unsure of the place alone. Our choice."""
_IT = re.compile(r"\b(?:it|that|them|those)\b")
_ELSEWHERE = re.compile(r"\b(?:others?|opposite|both|all|each|every\w*|too|also|as well|same|her|him|my)\b")


def where_it_is(text: str, reading: Parsed, context: str) -> Parsed:
    """The reading with "it" in the place where that was done, where no word says another: it is the front defroster that goes off.

    Args:
        text: what was read, in its spoken form.
        reading: what the parser made of it.
        context: what the parser was told.
    """
    told = context.startswith(_DID) and reading.sure < SURE_PART
    if not told or not _IT.search(text) or _ELSEWHERE.search(text) or named(text):
        return reading
    try:
        done = read(context.removeprefix(_DID))
    except GenerationError:  # free words that are hard to read
        return reading
    acts = tuple(_there(act, done) for act in reading.acts)
    if acts == reading.acts:
        return reading
    return Parsed(acts, max(reading.sure, IT_AT) if len(acts) == 1 else reading.sure, reading.left)


_DID = "did "


def _there(act: Act, done: Sequence[Act]) -> Act:
    """The act where the same was done last; as it is where nothing like it was."""
    slot, place = place_of(act)
    kind = {*_family(act)}
    where = next((place_of(one)[1] for one in reversed(done) if kind & {*_family(one)}), "")
    if not slot or where in ("", place) or where not in slots_of(act.name)[slot].choices:
        return act
    return Act(act.name, {**act.slots, slot: where})


def _family(act: Act) -> tuple[str, ...]:
    """Names of the actions that move what this one moves."""
    kind = BY_NAME.get(act.name)
    return () if kind is None else tuple(filter(None, (kind.name, kind.step, kind.outright)))


def lost(whole: Parsed, pieces: Sequence[str], found: Sequence[Parsed]) -> tuple[str, ...]:
    """The parts that surely ask for something of which the whole's reading has nothing.

    Args:
        whole: the reading of the whole sentence.
        pieces: its parts.
        found: their readings.
    """
    had = {_about(act) for act in whole.acts}
    return tuple(
        piece
        for piece, part in zip(pieces, found, strict=True)
        if part.sure >= SURE_PART
        and len(part.acts) == 1
        and (part.acts[0].is_action or part.acts[0].name == "cannot")
        and _about(part.acts[0]) not in had
    )


def turned_round(whole: Parsed, found: Sequence[Parsed]) -> bool:
    """Whether a part surely wants the opposite of what the whole's reading has of it: "fan down, radio up"."""
    sure_of = [act for part in found if part.sure >= SURE_PART and len(part.acts) == 1 for act in part.acts]
    agree = not contrary(whole.acts) and not contrary([act for part in found for act in part.acts])
    return agree and any(contrary([act, other]) for act in sure_of for other in whole.acts)


def of_a_place(reading: Parsed) -> bool:
    """Whether a reading has to do with one place to go to."""
    only = reading.acts[0] if len(reading.acts) == 1 else None
    return only is not None and only.is_action and BY_NAME[only.name].domain is Domain.NAVIGATION


def own_place(whole: Parsed, alone: Parsed) -> Parsed:
    """The reading of a sentence by itself, where that surely names a place which the reading after what was said before has not.

    After a pharmacy "stop at the post office" is no stop at the pharmacy.
    """
    named = [act.words.get("destination") for act in alone.acts] if of_a_place(alone) else []
    if not named or named[0] is None or alone.sure < SURE_PARTS:
        return whole
    return whole if any(named[0] in act.words.values() for act in whole.acts) else alone


def _about(act: Act) -> str:
    """What an act is about, so that two readings of the same words are: the goal, what plays, else the thing by its name."""
    if act.name == "cannot":
        return f"cannot {act.slots.get('topic')}"
    domain = BY_NAME[act.name].domain if act.is_action else None
    if (domain is Domain.NAVIGATION and act.name != "set_route_preference") or act.name.startswith("play_"):
        return str(domain)
    return act.name.partition("_")[2] or act.name


def better(text: str, whole: Parsed, pieces: Sequence[str], found: Sequence[Parsed]) -> Parsed:
    """The reading of the parts where it is more probable, or leaves nothing over that the whole does; else the whole's.

    Parts that come to fewer acts count only where the whole's reading is a guess. What is surely said and in neither is named.

    Args:
        text: the sentence in its spoken form.
        whole: its reading as a whole.
        pieces: its parts.
        found: their readings.
    """
    if _is_story(whole):
        return whole
    acts = tuple(dict.fromkeys(act for part in found for act in part.acts if act.name not in _IDLE))
    together = Parsed(acts, prod(part.sure for part in found))
    if turned_round(whole, found) and together.sure >= SURE_PARTS:
        return together
    clear = [part for part in found if part.sure >= SURE_PARTS and part.acts[0].name not in _IDLE]
    known, rest = tuple(dict.fromkeys(act for part in clear for act in part.acts)), prod(part.sure for part in clear)
    guesses = max(whole.sure, together.sure) < GUESSED
    if guesses and any(act.is_action for act in known) and len(known) >= len(whole.acts) and rest >= SURE_PARTS:
        unread = tuple(
            piece
            for piece, part in zip(pieces, found, strict=True)
            if part.sure < SURE_PARTS and not all(act.name in _TOLD or act in known for act in part.acts)
        )
        return Parsed(known, rest, unread)
    missed = lost(whole, pieces, found)
    fewer = len(acts) < len([act for act in whole.acts if act.name not in _IDLE])
    if acts and not (fewer and whole.sure >= GUESS_AT):
        mends = (left_over(text, whole.acts) is not None and left_over(text, acts) is None) or (
            unspoken(text, whole.acts) != "" and unspoken(text, acts) == ""
        )
        more = len(acts) > len(whole.acts) and together.sure >= GUESSED
        if together.sure > whole.sure or ((mends or missed) and together.sure >= GUESSED) or more:
            return together
    return Parsed(whole.acts, whole.sure, missed)


def _is_story(whole: Parsed) -> bool:
    """Whether the whole likely asks for nothing, or turns the rules of the car down: a part of it is no request then."""
    if any(act.name == "cannot" and act.slots.get("topic") == "rules" for act in whole.acts):
        return whole.sure >= GUESS_AT
    turned_down = any(
        act.name == "refrain" for act in whole.acts
    )  # "don't open it, just put the fan up" asks for something, too
    return whole.sure >= (SURE_PART if turned_down else STORY_AT) and all(act.name in _TOLD for act in whole.acts)


_TOLD = frozenset({"none", "chat", "tell", "refrain"})
"""Acts of a sentence in which nothing is asked of the car."""
GUESSED = 0.5
"""Probability under which a reading is a guess, and gives way to the parts that are sure, though others are not. Our choice."""
STORY_AT = 0.7
"""Probability from which on a sentence in which nothing is asked has no part that asks for something. Our choice."""
