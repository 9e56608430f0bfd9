"""Which way the acts of an utterance go: as a word that steers the dialogue, as talk about memory, or to be carried out in order.

Pure. An utterance of one act that the dialogue knows already by its templates goes the same way as if it had been such a template,
so that a question that is open is answered by any words for yes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from models.commands import dialling
from models.numbers import numbers
from models.text import contains
from schemas.actions import BY_NAME
from schemas.actions.acts import MEMORY, Act, Parsed, SlotValue
from schemas.events import Command, CommandKind, Route
from voice.dialogue import errands
from voice.dialogue.acts import all_off
from voice.dialogue.acts.accounted import unspoken, waits
from voice.dialogue.acts.worded import unworded
from voice.dialogue.coordinator import Plan

CONTROLS = {
    **{name: name for name in ("yes", "no", "stop", "repeat", "hello", "how_are_you", "joke", "who_are_you", "praise")},
    **{name: name for name in ("privacy", "blame", "help", "thanks", "get_last")},
    "goodbye": "good_night",
    "cancel": "cancel",
}
"""Acts that are control words (models/commands/control.yaml), by the control word's name; "cancel" is a "no" to what was done."""
COMMANDS = {
    "why": "why_that",
    "forget_last": "forget_last",
    "forget_all": "forget_everything",
    "pause_learning": "pause_learning",
    "resume_learning": "resume_learning",
    "who_am_i": "who_am_i",
    "delete_me": "delete_me",
    "export_data": "export_data",
    "learned": "remember_what",
    "forget_period": "forget_period",
    "private_trip": "private_trip",
    "guest_mode": "guest_mode",
}
"""Acts that are commands about memory (models/commands/memory.yaml) with the same slots, by the command's name."""
DEFAULTS = {"forget_period": {"period": "today"}, "private_trip": {"on": True}, "guest_mode": {"on": True}}
"""Slots that a command cannot do without, where none was said."""
SURE_ONLY = frozenset(MEMORY) - {"recall", "talked", "who_am_i", "learned", "tell"} | {"yes"}
"""Acts that cannot be taken back or open what is guarded: a yes, and what changes memory or consent. A yes alone is judged by what
is open (``voice.dialogue.open.reading``)."""
SURELY = 0.7
"""Probability that they need. Our choice: of 400 sentences nine in ten above it were right."""
LESSENS_AT = 0.4
"""The same for what only lessens what is kept: it is told and can be taken back, or asked about first. Our choice."""
GUESS_AT = 0.2
"""Probability under which a guess is offered only if the sentence has a word of it. Of 400 sentences, written before the first
training, nine lay below, four of them right; of five from there to .3 four were."""
GUESS_CAREFUL_AT = 0.5
"""The same for what opens the car: "nine clever monkeys painted the moon" was the roof with .21. Our choice."""
HEARD_AT = 0.7
"""How sure the recogniser has to be for words to teach that the parser does not take for a telling. Our choice."""
TOLD_AT = 0.5
"""Probability that what a driver tells needs beside other acts, to be learnt from. Our choice."""
_FROM_NOW = re.compile(
    r"\b(?:don't|do not|stop|quit|never|nothing|none)\b.*\b(?:i|we) (?:say|tell|talk|mention|do)\b(?!.*\b(?:said|told|yesterday)\b)"
)
"""What is still to be said shall not be kept: to erase what was said before would not do."""
_OFF = re.compile(r"\b(?:off|out|down|kill|stop|shut|only|nothing|just|leave|keep)\b")
"""Words of which one is said where everything is to go off: "turn everything up" and "everything to the max" have none."""
_THIS_DAY = re.compile(
    r"\b(?:tomorrow|today|tonight|(?:rest of the|this|end of the) (?:day|evening|afternoon|morning))\b"
)
_HEDGES = re.compile(r"\b(?:maybe|perhaps|might|not sure)\b")
"""Words after which a liking is none yet."""
_REFUSES = re.compile(r"\b(?:never|hate|rather die|can't (?:stand|bear)|anything but|wouldn't|too)\b")
"""Words that turn a number down: memory knows no number that is not liked."""
_ORDER = re.compile(r"^(?:please |can you |could you )?(?:remember|note|store|save|memori[sz]e)\b")
_OWN = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|my|mine|me|we|our|us)\b")
"""An order to keep something teaches only what it says of whoever gives it."""
_BY_LIKING = re.compile(
    r"\b(?:use|set|put|choose|pick|play|apply|restore|take|switch|go|turn|give me|get me)\b(?: \w+){0,3} "
    r"(?:my|our) (?:preferred|favou?rite|usual|normal|saved|regular)\b"
)
NOT_MEANT = frozenset({"none", "chat"})
"""Acts of what was most likely said to somebody else, where nobody was addressed."""
UNMEANT_AT = 0.5
"""Probability under which an utterance without the wake word is taken for talk to somebody else. Our choice."""


OFFERED = 0.5
"""What a request counts that may be meant: it is offered."""
NOWHERE = frozenset({"cannot", "tell", "chat", "none", "help", "get_capabilities", "call_contact", "call_number"})
"""Acts that get nobody help."""


def plan(parsed: Parsed, text: str, context: str) -> Plan:
    """The plan for parsed words.

    Args:
        parsed: what the parser found.
        text: the utterance in its spoken form.
        context: what the parser was told.
    """
    acts = tuple(act for act in parsed.acts if act.name != "none") or parsed.acts
    if _FROM_NOW.search(text):
        acts = tuple(Act("pause_learning") if act.name.startswith("forget") else act for act in acts)
    why = f"means {'; '.join(act.name for act in acts)} ({parsed.sure:.2f})"
    only = acts[0] if len(acts) == 1 else None
    planned = Plan(Route.MODEL, why, acts=acts, asks=parsed.sure, left=parsed.left, said=text)
    against = unworded(acts, text, context)
    alone = only is not None and only.name == "yes"
    needed = max((LESSENS_AT if _lessens(act) else SURELY for act in acts if act.name in SURE_ONLY), default=0.0)
    if alone:
        needed = AGREED_AT if context.startswith("asked ") else 0.0
    if parsed.sure < needed:
        against = "not sure enough"
    if any(act.name == all_off.NAME for act in acts) and (_OFF.search(text) is None or unspoken(text, acts)):
        against = "no word of everything that is to go off"
    if against:
        return replace(planned, route=Route.REJECT, reason=f"{why}: {against}", acts=())
    if only is None:
        return planned
    if only.name in CONTROLS:
        return replace(
            planned,
            route=Route.CONTROL,
            command=_command(CommandKind.CONTROL, CONTROLS[only.name], only.slots),
            acts=(),
        )
    if only.name in COMMANDS:
        slots = {**DEFAULTS.get(only.name, {}), **only.slots}
        if only.name == "pause_learning":
            slots["pause"] = _paused(text)
        command = _command(CommandKind.MEMORY, COMMANDS[only.name], slots)
        return replace(planned, route=Route.MEMORY, command=command, acts=())
    if only.name == "none":
        return replace(planned, route=Route.REJECT, acts=())
    return planned


def _paused(text: str) -> int | str:
    """How long nothing is to be learnt: minutes, until ``tomorrow``, or ``always`` where the words name no end."""
    if _THIS_DAY.search(text):
        return "tomorrow"
    return errands.span_minutes(text) or "always"


def _lessens(act: Act) -> bool:
    """Whether it only lessens what is kept."""
    return act.name in ("pause_learning", "opt_out", "forget") or (
        act.name == "private_trip" and act.slots.get("on") is not False
    )


def timed(text: str, parsed: Parsed, context: str = "") -> Parsed:
    """A timer or reminder with the time that the words say, where they are a sentence of that kind and nothing else.

    Right after reminders were told of (``context``), "make that ten" is a time of the clock.

    Times of day are a small grammar of their own ("quarter past six", "at noon tomorrow"), which ``voice.dialogue.errands`` has.
    """
    only = parsed.acts[0] if len(parsed.acts) == 1 else None
    if (
        only is not None
        and (moved := errands.moved(text))
        and (only.name == moved.name or errands.names_reminder(text) or context == _TOLD_REMINDERS)
    ):
        return Parsed((Act(moved.name, moved.slots),), max(parsed.sure, SURELY))
    errand = errands.asked(text) if only is not None and (only.name in _TIMED or waits(only)) else None
    if only is None or errand is None:
        return parsed
    if not waits(only) and (errand.name != only.name or not set(only.slots) <= set(errand.slots)):
        return parsed
    slots, said = dict(errand.slots), [one.slots.get("what") for one in (errand, only)]
    if said[0] is not None and not contains(text, str(said[0])):  # what an alarm is for, nobody has said
        slots.pop("what")
        slots |= {"what": said[1]} if said[1] is not None and contains(text, str(said[1])) else {}
    return Parsed((Act(errand.name, slots),), max(parsed.sure, SURELY if waits(only) else BOTH_AT))


BOTH_AT = 0.75
"""Probability of a reminder for which the parser and the rules of `errands` take a sentence both: enough to set it and say so,
whatever the parser made of its time. Our choice."""
_TOLD_REMINDERS = "did get_timers(kind=reminder)"
AGREED_AT = 0.8
"""Probability from which on words that are no complete command are a yes to a question ("do you never get fed up listening to me"
had .71)."""
_TIMED = frozenset({"set_timer", "set_reminder"})
_AIRFLOWS = {
    frozenset({"face", "feet"}): "face_and_feet", frozenset({"windshield", "feet"}): "windshield_and_feet",
    frozenset({"windshield", "face"}): "windshield_and_face", frozenset({"windshield", "face", "feet"}): "everywhere",
}  # fmt: skip
_AS_STOP = {"navigate_to": "add_stop", "find_place": "find_on_route"}
"""Going somewhere, and calling there on the way."""
_ELSEWHERE = frozenset({*_AS_STOP, "change_destination"})


def arranged(acts: Sequence[Act], done: str = "") -> tuple[Act, ...]:
    """Acts of one sentence that mean something else together than one after the other.

    "To school, then to work" is one way with a stop; a route that gives way to another is not ended first; air to two places
    is one setting, and the later would undo the earlier. "Too loud, back to where it was" takes back what was done before the
    sentence, and the same change with a zone and without one is one change.

    Args:
        acts: in their order.
        done: name of the action that was done last and can be called off; empty where there is none.
    """
    acts = _once(_back_first(acts, done))
    going = [act for act in acts if act.name in _AS_STOP]
    found = list(acts)
    if len(going) > 1 and going[-1].name == "navigate_to":
        found = [act for act in acts if act.name not in _AS_STOP]
        stops = [Act(_AS_STOP[act.name], act.slots) for act in going[:-1]]
        place = acts.index(going[0])
        found[place:place] = [going[-1], *stops]
    if any(act.name in _ELSEWHERE for act in found):
        found = [act for act in found if act.name != "cancel_navigation"]
    blown = [act for act in found if act.name == "set_airflow"]
    together = _AIRFLOWS.get(frozenset(str(act.slots.get("direction")) for act in blown))
    if len(blown) > 1 and together is not None:
        place = found.index(blown[0])
        found = [act for act in found if act not in blown]
        found.insert(place, Act("set_airflow", {"direction": together}))
    return tuple(found)


_STEPS = frozenset({"change", "direction"})
"""Slots of a step from how it was."""


def _back_first(acts: Sequence[Act], done: str) -> list[Act]:
    """What is taken back comes first; a step of the same thing that was said before it says only why."""
    undo = next((n for n, act in enumerate(acts) if act.name == "undo"), None)
    if undo is None:
        return list(acts)
    kind = BY_NAME.get(done)
    same = {kind.name, kind.step, kind.outright} if kind is not None else set[str]()
    before = [act for act in acts[:undo] if not (act.name in same and _STEPS & act.slots.keys())]
    return [acts[undo], *before, *acts[undo + 1 :]]


def _once(acts: Sequence[Act]) -> list[Act]:
    """Each change once: one for no zone is the same as the one beside it for a zone."""
    zoned = [Act(act.name, _unzoned(act)) for act in acts if act.slots.get("change") and "zone" in act.slots]
    return [act for act in acts if "zone" in act.slots or act not in zoned]


def _unzoned(act: Act) -> dict[str, SlotValue]:
    return {slot: value for slot, value in act.slots.items() if slot != "zone"}


def meant(planned: Plan) -> bool:
    """Whether acts were most likely said to the assistant, though without the wake word."""
    return planned.asks >= UNMEANT_AT and not all(act.name in NOT_MEANT for act in planned.acts)


def teaches(planned: Plan, text: str) -> bool:
    """Whether memory may learn from what has this plan: of what was parsed only what the driver tells for sure.

    Args:
        planned: the plan.
        text: the utterance in its spoken form.
    """
    if by_liking(text) or _chooses_nothing(planned) or dialling.is_telephone(text):
        return False
    if not planned.acts:
        return _ORDER.match(text) is None or _OWN.search(text) is not None
    if len(planned.acts) > 1 and planned.asks < TOLD_AT:
        return False
    refused = _REFUSES.search(text) is not None and bool(numbers(text))
    return any(act.name == "tell" for act in planned.acts) and not refused and not hedges(text)


def _chooses_nothing(planned: Plan) -> bool:
    """Whether it is a complete command to the car with nothing in it of what memory knows likings of: a number to dial."""
    command = planned.command
    if command is None or command.kind is not CommandKind.ACTION:
        return False
    return not set(BY_NAME[command.name].details.values()) & set(command.slots)


def orders(planned: Plan) -> bool:
    """Whether it likely asks something of the car: then it tells of a liking only if the parser says so, too.

    By the marks of their words alone 199 of 2,500 of our lines that are orders and nothing else would have taught one ("twenty two
    for me and nineteen for her", a station that was to be played), 55 of them at a share of .98 (docs/log.md).
    """
    command = planned.command is not None and planned.command.kind is CommandKind.ACTION
    asked = planned.asks >= TOLD_AT and any(act.is_action for act in planned.acts)
    return command or bool(planned.meant) or asked


def sets(plan: Plan) -> bool:
    """Whether it puts something in the car at a number."""
    own = [(plan.command.name, plan.command.slots)] if plan.command is not None else []
    return any(
        name.startswith(("set_", "change_")) and name not in _TIMED and any(
            isinstance(value, int | float) and not isinstance(value, bool) for value in slots.values()
        )
        for name, slots in (*own, *((act.name, act.slots) for act in plan.acts))
    )  # fmt: skip


_TALKS = NOT_MEANT | {"cannot", "call_number"}


def may_tell_secret(planned: Plan, text: str) -> bool:
    """Whether what has this plan asks nothing of the car, but for a call that has no word for it: then it may tell a secret."""
    if planned.command is not None or planned.meant or any(act.name not in _TALKS for act in planned.acts):
        return False
    return not dialling.calls(text) or all(act.name != "call_number" for act in planned.acts)


MOSTLY = 0.6
"""Share of the words from which on what is to be kept is all that was said. Our choice."""


def noted(planned: Plan, text: str) -> Plan:
    """The plan without the car's refusal to do a thing at a time, where what was said is to be kept: the driver does it then."""
    kept = next((str(act.slots.get("what") or text) for act in planned.acts if act.name == "remember"), "")
    hangs = [
        act for act in planned.acts if act.name == "cannot" and act.slots.get("topic") in ("schedule", "condition")
    ]
    if not hangs or not kept or len(kept.split()) < MOSTLY * len(text.split()):
        return planned
    others = (act for act in planned.acts if act not in hangs and act.name != "remember")
    return replace(planned, acts=(Act("remember", {"about": kept}), *others))


def beside_a_no(planned: Plan) -> Plan:
    """The plan for what is said beside a "never mind" to what is open, which calls off that and nothing that was done before."""
    others = tuple(act for act in planned.acts if act.name != "cancel")
    return replace(planned, acts=others) if others and len(others) < len(planned.acts) else planned


def nothing(planned: Plan) -> bool:
    """Whether it comes to nothing: what was said was not understood, is talk, or asks for what was talked about or done last."""
    last = planned.command is None or planned.command.name == "get_last"
    return last and not planned.meant and all(act.name in NOT_MEANT | {"talked"} for act in planned.acts)


def harmless(act: Act) -> bool:
    """Whether an act changes nothing: it tells, or asks for what is known."""
    return act.name in ("tell", "recall") or (act.is_action and BY_NAME[act.name].query)


def hedges(text: str) -> bool:
    """Whether the driver is not sure of what is told."""
    return _HEDGES.search(text) is not None


def by_liking(text: str) -> bool:
    """Whether a sentence in its spoken form asks for what is liked ("use my preferred mode"), and so tells of no liking."""
    return _BY_LIKING.search(text) is not None


def for_help(planned: Plan, text: str) -> Plan:
    """The plan, or where it leads nowhere and the words may ask for help, the question whether to call for it.

    Args:
        planned: the plan.
        text: the utterance in its spoken form.
    """
    emergency = any(act.name == "cannot" and act.slots.get("topic") == "emergency" for act in planned.acts)
    digits = dialling.help_wanted(text) or (dialling.HELP_NUMBER if emergency and planned.asks >= TOLD_AT else "")
    names = {act.name for act in planned.acts} | ({planned.command.name} if planned.command is not None else set[str]())
    if not digits or not names <= NOWHERE:
        return planned
    return Plan(Route.MODEL, "may ask for help", acts=(Act("call_number", {"digits": digits}),), asks=OFFERED)


_WHY_DID = re.compile(
    r"^(?:(?:and|but|so|okay|hey|computer) )*(?:why (?:did|have|had) you|what made you|how come you)(?: (?:just|go and))* "
    r"(?P<deed>(?!(?:not|refuse|say|ask|tell|think|remember|know|believe|decline|deny|never|leave|do|choose|pick|"
    r"take (?:it|that))\b)\w+ .+)$"
)


_WHY_IS = re.compile(
    r"^(?:(?:and|but|so|okay|hey|computer) )*(?:why(?:'s| is| are| has| have| was| were)|how come) "
    r"(?P<deed>(?!.*\b(?:not|never)\b)(?!you\b)\w+ .+)$"
)
"""Asks why something is as it is: what made it so is asked for. "Why is that" names nothing."""


def deed_asked(text: str) -> str:
    """The deed of the assistant's that a sentence in its spoken form asks the reason for; empty where it asks for none."""
    found = _WHY_DID.match(text) or _WHY_IS.match(text)
    return found["deed"] if found is not None else ""


BEFORE = "before"
"""The part of ``get_last`` that goes on from what was told of: what was done before that."""
_BEFORE = re.compile(r"\bbefore(?: (?:that|this|then|those|it))?(?: one)?$")
_ONLY_BEFORE = re.compile(
    r"(?:(?:and|so|but|then|okay|right|well|um|uh|hm|what|how|about|is|was|were|did|had|have|you|it|i|we|that|the|thing|things|one|"
    r"do|doing|done|just|right|came|come|happened|tell|me|say|else|again) )*(?:immediately |just |right |straight )?"
    rf"{_BEFORE.pattern}"
)
"""A question that only goes on from the answer to another one: it names nothing. "And what was it you did before that"."""


def going_back(planned: Plan, text: str, *, told: bool) -> Plan:
    """The plan, or where words ask for what was done before, the question for that.

    Args:
        planned: the plan.
        text: the utterance in its spoken form.
        told: the driver was just told what was done: a few words are enough.
    """
    command = planned.command
    asks = command is not None and command.name == "get_last" and command.slots.get("part", "done") == "done"
    if _BEFORE.search(text) is None or not (asks or (told and _ONLY_BEFORE.fullmatch(text))):
        return planned
    return Plan(
        Route.CONTROL, "asks for what was done before", _command(CommandKind.CONTROL, "get_last", {"part": BEFORE}),
        asks=planned.asks if asks else 1.0,
    )  # fmt: skip


def only_talk(planned: Plan) -> bool:
    """Whether it is small talk and nothing else."""
    return [act.name for act in planned.acts] == ["chat"]


def about_memory(act: Act) -> bool:
    """Whether it is talk about memory that is answered there, and not noted."""
    return act.name in MEMORY and act.name != "tell"


def _command(kind: CommandKind, name: str, slots: Mapping[str, object] | None = None) -> Command:
    return Command(kind=kind, name=name, slots=dict(slots or {}))
