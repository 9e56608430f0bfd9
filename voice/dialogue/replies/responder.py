"""The response generator: one or two short sentences, from templates and results, never from imagination.

Every word comes from an action's slots, a result of the vehicle, a remembered value or this file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from schemas.actions import BY_NAME, Action, Domain
from schemas.actions.acts import slots_of
from schemas.actions.said import Slots, panes, several_panes
from schemas.events import ActionResult, ActionStatus, Ruling, Verdict
from schemas.manners import METRIC, Units
from schemas.memory import Recollection
from voice.dialogue.memory.likes import because
from voice.dialogue.replies.answers import answer, parts_done, reaches
from voice.dialogue.replies.turned import turned


def question(action: Action, units: Units = METRIC) -> str:
    """What to ask before an action that needs a yes."""
    return questions((action,), units)


def questions(actions: Sequence[Action], units: Units = METRIC) -> str:
    """One question for several actions that need a yes."""
    new = actions[1:] if len(actions) > 1 and _makes_room(actions[0], actions[1]) else actions
    doing = [text for _, text in _with_panes([(0, one, _doing(one, units)) for one in _in_front(new)])]
    return f"Shall I {', '.join(doing[:-1])} and {doing[-1]}?" if len(doing) > 1 else f"Shall I {doing[0]}?"


def report(
    results: Sequence[ActionResult],
    used: Sequence[Recollection] = (),
    units: Units = METRIC,
    said: Sequence[tuple[int, str]] = (),
    length: str = "",
) -> str:
    """The reply to what was done, denied, asked or failed, and which memory was used; arguments as of `told`."""
    return " ".join(filter(None, (told(results, used, units, said, length), asked(results, units))))


def told(
    results: Sequence[ActionResult],
    used: Sequence[Recollection] = (),
    units: Units = METRIC,
    said: Sequence[tuple[int, str]] = (),
    length: str = "",
) -> str:
    """The same without the question at its end; what waits for a yes comes last, with the reason for it.

    Args:
        results: in their order.
        used: memories.
        units: the driver's.
        said: what else is said, each with the number of results before it.
        length: ``brief`` for a driver who wants short answers, ``full`` for one who wants longer ones.
    """
    if length == "brief" and not said and all(map(_speaks_for_itself, results)):
        return DONE if results else ""
    used = () if length == "brief" else used
    reasons = units.liking(" and ".join(dict.fromkeys(because(r.preference) for r in used)))
    back = len(results) > 1 and results[0].status is ActionStatus.DONE and _gives_way(results[0], results[1])
    instead = back and results[0].answer.get("undone", results[1].action.name) == results[1].action.name
    if back:
        results = results[1:]  # taken back to be done otherwise: what is said is what is done now
    results = [_put_back(result) for result in results]
    waiting = [result for result in results if result.status is ActionStatus.NEEDS_CONFIRMATION]
    alone = not any(result.moved for result in results)
    plain = [(n, r) for n, r in enumerate(results) if r not in waiting and not contacts(r)]
    spoken = _with_panes([(n, r.action, _sentence(r, units, alone=alone)) for n, r in _as_one(plain)])
    sentences = [sentence for _, sentence in spoken]
    if reasons and len(results) == 1 and results[0].action.name == "set_temperature":
        so = "and it is set to that already" if results[0].already else "so I've set that"
        sentences = [f"{reasons[0].upper()}{reasons[1:]}, {so}."]
    elif reasons and sentences and sentences[0].endswith("."):
        sentences[0] = f"{sentences[0][:-1]}, because {reasons}."
    if instead and sentences and sentences[0].endswith("."):
        sentences[0] = f"{sentences[0][:-1]} instead."
    for before, remark in sorted(said, key=lambda one: one[0], reverse=True):
        sentences.insert(sum(place < before for place, _ in spoken), remark)
    if [result.action.name for result in results] == ["get_distance", "get_range"]:
        sentences.append(reaches(results[0].answer, results[1].answer))
    why = (f"{units.sentence(result.ruling.reason).rstrip('.')}." for result in waiting)
    more = (OTHERWISE,) if length == "full" and results and all(map(_done, results)) else ()
    return " ".join(filter(None, dict.fromkeys((*sentences, *why, *more))))


def _gives_way(result: ActionResult, other: ActionResult) -> bool:
    """Whether what was taken away makes room for what was done after it."""
    return _makes_room(result.action, other.action) or result.action.name == "undo"


def _makes_room(action: Action, other: Action) -> bool:
    """Whether a timer or reminder is taken away to be set anew."""
    return action.name == "cancel_timer" and other.name == f"set_{action.slots()['kind']}"


def _put_back(result: ActionResult) -> ActionResult:
    """What was taken back, told by its name: who says "put that back" may have meant something else."""
    undone = BY_NAME.get(str(result.answer.get("undone", "")))
    if undone is None:
        return result
    return result.model_copy(update={"answer": {**result.answer, "thing": called(undone)}})


_CALLED = {"cancel_timer": "Timers and reminders", "set_roof_tilt": "Sunroof", "set_climate_sync": "Temperature"}


def called(kind: type[Action]) -> str:
    """What an action has changed, by its name: the title, or what it is about where that tells what was done."""
    if kind.domain is Domain.MEDIA and "volume" not in kind.name:
        return "Music"
    return (
        "Route"
        if kind.domain is Domain.NAVIGATION and "guidance" not in kind.name
        else _CALLED.get(kind.name, kind.title)
    )


def put_back(kind: type[Action]) -> str:
    """The question whether what was changed by an action some time ago is to be as it was, since nothing was changed just now."""
    return f"{CHANGED_NOTHING} Shall I put the {called(kind).lower()} back as it was?"


CHANGED_NOTHING = "I changed nothing just now."
"""The reply to who wants something put back after a wish that came to nothing."""


def _done(result: ActionResult) -> bool:
    """Whether it was done, and is no question."""
    return result.status is ActionStatus.DONE and not result.action.query and not result.already and not result.answer


def _speaks_for_itself(result: ActionResult) -> bool:
    """Whether it was done and nothing of it can have been misheard that the driver does not see: no number, no name."""
    kinds = slots_of(result.action.name)
    told = (
        kinds[slot].kind in ("switch", "choice") or value in (0, 100) for slot, value in result.action.slots().items()
    )
    return _done(result) and all(told)


def asked(results: Sequence[ActionResult], units: Units = METRIC) -> str:
    """The one question for all that waits for a yes, or for the contact that is meant; empty where none is asked."""
    waiting = [result for result in results if result.status is ActionStatus.NEEDS_CONFIRMATION]
    if waiting:
        return questions([result.action for result in waiting], units)
    return next((result.ruling.reason for result in results if contacts(result)), "")


def contacts(result: ActionResult) -> tuple[str, ...]:
    """The contacts of whom one is meant, where it was not done for that."""
    return tuple(map(str, result.answer.get("contacts", ()))) if result.status is ActionStatus.DENIED else ()


def which(among: Sequence[str]) -> str:
    """The question which of several people is meant."""
    return f"Which one do you mean: {', '.join(among[:-1])} or {among[-1]}?"


def _in_front(actions: Sequence[Action]) -> list[Action]:
    """Actions as they are spoken of: the same for driver and passenger is one "in front"."""
    found = list[Action]()
    for action in actions:
        last = found[-1] if found else None
        zones = (last.slots().get("zone"), action.slots().get("zone")) if last is not None else ()
        if last is None or zones != ("driver", "passenger") or _elsewhere(last) != _elsewhere(action):
            found.append(action)
        else:
            found[-1] = action.model_copy(update={"zone": "front"})
    return found


def _elsewhere(action: Action) -> tuple[str, dict[str, Any]]:
    return action.name, {slot: value for slot, value in action.slots().items() if slot != "zone"}


def _as_one(results: Sequence[tuple[int, ActionResult]]) -> list[tuple[int, ActionResult]]:
    """Results as they are spoken of, as `_in_front`, where the same came of both."""
    found = list[tuple[int, ActionResult]]()
    for n, result in results:
        last = found[-1][1] if found else None
        alike = last is not None and (last.status, last.already) == (result.status, result.already)
        one = _in_front((last.action, result.action)) if alike and last is not None else []
        if len(one) == 1:
            found[-1] = (found[-1][0], result.model_copy(update={"action": one[0]}))
        else:
            found.append((n, result))
    return found


def _with_panes(told: Sequence[tuple[int, Action, str]]) -> list[tuple[int, str]]:
    """Sentences with their places; those that tell the same of windows, one after the other, are one that names them all."""
    found, last, named = list[tuple[int, str]](), "", list[str]()
    for n, action, sentence in told:
        slots = action.model_dump(mode="json")
        pane = panes(slots) if action.domain is Domain.OPENINGS and slots.get("window") else ""
        own = pane if pane in sentence else f"{pane[:1].upper()}{pane[1:]}"
        rest = sentence.replace(own, "{}", 1) if own and own in sentence else ""
        joins = rest and rest == last and not rest.endswith("already.")
        named = [*named, pane] if joins else [pane]
        if joins:
            text = rest.format(several_panes(named))
            found[-1] = (found[-1][0], f"{text[:1].upper()}{text[1:]}" if sentence[:1].isupper() else text)
        else:
            found.append((n, sentence))
        last = rest
    return found


def _doing(action: Action, units: Units) -> str:
    slots = _own_spelling(units.slots(action.name, action.model_dump(mode="json")), {}) | {
        "spared": bool(action.spares)
    }
    do = type(action).do
    return do(slots) if do else f"look up: {type(action).title.lower()}"


def _sentence(result: ActionResult, units: Units, *, alone: bool) -> str:
    if result.status is ActionStatus.DENIED:
        return units.sentence(result.ruling.reason)
    if result.status is ActionStatus.FAULT:
        if result.ruling.rule == "silent":
            return "I can't reach the car."
        if result.error == "partly_done":
            return parts_done([moved.signal for moved in result.moved])
        if result.error == "not_reported":
            return NOT_TOLD if result.action.query else NOT_TOLD_HOW
        return "The car did not do that." if result.error != "not_moved" else "I asked the car, but nothing moved."
    slots = _own_spelling(units.slots(result.action.name, result.action.model_dump(mode="json")), result.answer)
    if result.action.spares:
        slots["spared"] = True
    if result.already:
        return _already(result, slots, units, alone=alone)
    if done := type(result.action).done:
        return f"{done(slots)}."
    return f"{answer(result.action.name, slots, units.told(result.answer))}."


_NAMES = ("person", "other", "destination")
"""Slots that name somebody or a place."""


def _own_spelling(slots: Slots, told: Mapping[str, object]) -> Slots:
    """Slots with the names that were found, as far as they were said, in their own spelling, and "my boss" as "your boss"."""
    own = {word.lower(): word for word in re.findall(r"[\w'’]+", str(told.get("name", "")))}
    spelled = {
        slot: re.sub(r"[\w'’]+", lambda word: own.get(word[0].lower(), word[0]), turned(str(slots[slot])))
        for slot in _NAMES
        if slots.get(slot)
    }
    return {**slots, **spelled}


def _already(result: ActionResult, slots: Slots, units: Units, *, alone: bool) -> str:
    """What is said where everything was so before: nothing is claimed to move. Beside what was done, "off" says enough."""
    action = type(result.action)
    if "change" in slots:
        way = {"up": "higher", "down": "lower"}.get(slots["change"])
        return f"{action.title}: {f'it goes no {way}' if way else 'that is as far as it goes'}."
    wide = slots.get("open", {0: False, 100: True}.get(slots.get("percent", -1)))
    said = action.done(slots) if action.done else answer(action.name, slots, units.told(result.answer))
    if "open" in slots or (action.domain is Domain.OPENINGS and "percent" in slots):
        thing, _, at = (
            said.partition(" to ") if wide is None else (said.partition(" ")[2], "", "")
        )  # of "Closing the roof"
        how = f"at {at}" if wide is None else "open" if wide else "closed"
        return f"{thing[0].upper()}{thing[1:]} {'are' if 'windows' in thing.lower() else 'is'} {how} already."
    return f"{said} already." if alone else f"{said}."


SEVERAL_NAMED = "Because you named several."
DONE = "Done."
OTHERWISE = "Just tell me if you'd like it otherwise."
HELP = (
    "You can ask for the climate, windows, lights, music, or the way somewhere. "
    "Tell me what you like, or ask what I remember about you."
)
JOKES = (
    "I told the sat nav to get lost. It took the scenic route.",
    "Why did the car go to sleep? It was exhausted.",
    "What has four wheels and flies? A bin lorry.",
    "I asked the tyres how they were. They said: under pressure, but rolling with it.",
    "Why don't cars play football? They only have one boot.",
    "My favourite music is heavy metal. Well, look at me.",
)
"""Told in turn, so that "another one" is another one."""
INVITES = " What can I do for you?"
"""Said where nothing was asked for beside the greeting."""
SMALL_TALK = {
    "hello": f"Hello.{INVITES}",
    "how_are_you": f"All is well, thank you.{INVITES}",
    "good_night": "Good night, and drive safely.",
    "joke": JOKES[0],
    "who_are_you": "I'm your car's assistant. Everything that you tell me stays in this car.",
    "privacy": "I record no sound, and listen only after the wake word. What I remember stays in this car, encrypted.",
    "thanks": "You're welcome.",
    "praise": "Thank you, I'm glad.",
    "blame": "I'm sorry. Tell me what you want in other words, or say: help.",
}
"""Replies to what people say to anything that talks, by control word."""
DRIVES = re.compile(
    r"\b(?:cruise control|horn|honk|hoot|wipers?|brakes?|handbrake|autopilot|indicators?|blinkers?|hazard (?:lights?|warning)|"
    r"lane assist\w*|accelerate|steer|overtake|(?:drive|park) (?:itself|yourself|the car|for me))\b"
)
"""What no action exists for and none is to be guessed at."""
DRIVING = "That stays in your hands: I touch nothing that drives the car."
WELCOME = "You're welcome."
FOR_HOW_LONG = "For how long?"
WHEN = "When shall I remind you?"
AT_WHAT_TIME = "At what time?"
LOST = "It is lost when the car is switched off."
"""Said to a reminder that is not written down."""
NOTHING_TO_FOLLOW = "I'm not sure what you mean. Please say it in full."
NAMED_ONE = "I named only one. To go somewhere else, say: another one."
THE_REST = "I didn't understand the rest."
NOT_UNDERSTOOD = "Sorry, I didn't understand that."
UNKNOWN = (NOTHING_TO_FOLLOW, NOT_UNDERSTOOD)
"""Replies to what was not understood."""
NOTHING_PENDING = "There is no open question. Please say what you want."
CANCELLED = "Okay, I won't."
_CALLS_OFF = re.compile(r"\b(?:cancel|undo|abort|call (?:it|that) off|take (?:it|that) back)\b")
NOTHING_TO_CALL_OFF = "There is nothing to call off."
OKAY = "Okay."
DROPPED = "Sorry, I still don't understand, so I'll leave it."
NOT_SURE = "Because I'm not sure that I understood you."
TO_UNDO = "Because you called it off."
TOO_LONG = "That was too long for me. Please say it in a few words."
COPIES = "I can't see that setting. Please tell me the value."
CONTRARY = "I heard two opposite wishes. Please say which one you want."
NOT_TOLD = "The car doesn't tell me that."
NOT_TOLD_HOW = "The car doesn't tell me how that stands now, so I can't change it by a step."
ONLY_TOMORROW = "I can only do that for today or tomorrow."
WHICH_DAY = "I can remind you on a day and at a time that you name."
WHICH_SEATS = "I'm not sure which seats you mean. Please name them, for example: the passenger's seat."
SEATS_UNKNOWN = "I can't see which seats are taken. Please name the seat."
NO_SEAT_EMPTY = "There is no such seat."
NO_WINDOW_OPEN = "There is no open window."
NOTHING_ON = "There is nothing on that I could switch off."
CONDITION_UNKNOWN = "I can't see whether that is so, so I leave it."
CHAT = "I see. Tell me if I can do something for you."
REMEMBER_WHAT = "What shall I remember?"
WHICH_TOPIC = (
    "Which topic do you mean? Say for example: music, restaurants or parking; or, to have nothing learned at all: "
    "private trip."
)
NO_SUCH_DRIVER = "I don't know a driver of that name."


_LACKED = "Because nothing in this car lets me do that. To hear what I can do, say: help."
_KEPT_AWAY = "Because I am kept away from what drives the car, so that nothing I mishear can steer it."
_FIXED = "Because my rules are fixed, so that nobody can talk me out of them."


def why(ruling: Ruling) -> str:
    """Why an action was refused, or is asked about."""
    reason = ruling.reason.rstrip(".")
    begin = reason if reason.startswith(("I ", "I'm")) else f"{reason[:1].lower()}{reason[1:]}"
    safe = ruling.verdict is Verdict.DENY and ruling.source not in _NO_RULES
    return f"Because {begin}.{' That is a rule of the car, and I keep to it.' if safe else ''}"


_NO_RULES = frozenset({"planner", "service", ""})
"""Sources of what is refused for another reason than safety."""


SO_ALREADY = "Because it was so already. I have moved nothing."
"""Said to the question why, after a wish that changed nothing."""
NOTHING_LIKE_IT = "I have done nothing like that."
"""Said to the question why something was done that was not."""


def because_said(words: str, when: str, asked: str) -> str:
    """Why something was done: what was said then, or what was agreed to (``asked``, a question)."""
    said = words.rstrip(".")
    return f"Because you said {said} {when}, when I asked: {asked}" if asked else f"Because you said {when}: {said}."


def why_not(topic: str) -> str:
    """Why a wish was refused that no action exists for, by its topic."""
    return _KEPT_AWAY if topic in ("driving", "wipers", "horn") else _FIXED if topic == "rules" else _LACKED


def last(part: str, kept: Mapping[str, str]) -> str:
    """What was done, and why the last wish was not; or what the driver said last."""
    if part != "done":
        return f"You said: {kept[part].rstrip('.')}." if part in kept else "I don't know what you said last."
    told = kept.get(part, "")
    done = (
        told if told.startswith("I ") else f"The last thing that I did: {told}" if told else "Nothing that I know of."
    )
    return f"{done} I did not do the last thing that you asked for: {kept['undone']}" if "undone" in kept else done


_PROMISED = {
    "I'll remember that ": "I kept that ",
    "I'll keep that: ": "I kept this: ",
    "I'll keep that ": "I kept this ",
}


def as_done(promise: str) -> str:
    """What memory promised, told as what it did: "Okay, I'll keep that: ..." is "I kept this: ..."; all else as it was said."""
    said = promise.removeprefix("Okay, ")
    begins = next((begin for begin in _PROMISED if said.startswith(begin)), "")
    return _PROMISED.get(begins, "") + said.removeprefix(begins)


def before(done: str) -> str:
    """What was done before what was told of; ``done``: empty for nothing."""
    return f"Before that: {done}" if done else "I know of nothing before that."


def together(report: str, count: int) -> str:
    """A report of so many things as one sentence: "Paused, and 22 degrees."; as it is where its sentences are not that many."""
    said = report.removesuffix(".").split(". ")
    if len(said) != count or count == 1 or not report.endswith("."):
        return report
    rest = [name if name[:2] in ("I ", "I'") else f"{name[:1].lower()}{name[1:]}" for name in said[1:]]
    return f"{', '.join((said[0], *rest[:-1]))}, and {rest[-1]}."


def try_saying(example: str) -> str:
    """The reply to what was not understood, with an example of what would be."""
    return f"{NOT_UNDERSTOOD} You can say, for example: {example}."


def for_what(number: float, *, alone: bool) -> str:
    """What is said to a number that found no place; ``alone``: nothing else comes of the sentence."""
    return (
        f"What is the {number:g} for? Please say that again." if alone else f"I don't know what the {number:g} is for."
    )


def nothing_to_call_off(text: str) -> str:
    """The reply to words in their spoken form that call something off, where there is nothing; "never mind" asks for nothing."""
    return NOTHING_TO_CALL_OFF if _CALLS_OFF.search(text) else OKAY


def not_done(clause: str, written: str = "") -> str:
    """What is said to an exception, a condition or a limit that no action has; ``written``: the driver's words as they stand."""
    said = " ".join(_capitals(written).get(word, word) for word in turned(exception(clause)).split())
    return f"I left one thing out: {said}."


def exception(clause: str) -> str:
    """The words of an exception by themselves: without what joins them, and without what is said beside them."""
    plain = _EXCEPTS.sub("not ", _JOINING.sub("", clause))
    return _BESIDE.split(plain)[0] if plain.startswith("not ") else plain


_JOINING = re.compile(r"^(?:(?:and|but|just|please) )+(?=\w)")
_EXCEPTS = re.compile(
    r"^(?:(?:all|both|every\w*|any\w*)(?: \w+){0,3}? (?:but|bar)|except(?: for)?|apart from|other than|excluding|save for|"
    r"(?:that|which|who) (?:isn't|is not|aren't|are not)) "
)
"""Words that leave something out, each of which is a "not" to whoever hears it by itself."""
_BESIDE = re.compile(
    r" (?:just|only|instead|rather|because|cos|since)\b| (?:i|we|he|she|they|it)'\w+\b| (?:it|they) \w+|"
    r"(?<!one)(?<!ones)(?<!that)(?<!which)(?<!who) (?:i|we) "
)
"""Where something else begins behind what is left out: a reason, an opinion, what is wanted instead. "The one i like" goes on."""


def _capitals(written: str) -> dict[str, str]:
    """The words that the driver's text has with a capital inside a sentence, by their small form."""
    inside = re.findall(r"(?<=[^.!?\s] )[A-Z][\w'’]*", written)
    return {word.lower(): word for word in inside if word[:2] not in ("I", "I'", "I’")}


def not_read(part: str) -> str:
    """What is said to a part of an utterance that came to nothing, in the driver's own words."""
    return f"I didn't get this part: {part}."


def unsure_of(thing: str) -> str:
    """What is said where a thing was named that nothing is done with."""
    return f"I'm not sure what you want with the {thing}."


def lacks(names: Sequence[str]) -> str:
    """The reply to what this vehicle does not have; ``names`` are of actions, most likely first."""
    thing = next((thing for name in names if name in BY_NAME and (thing := BY_NAME[name].thing)), None)
    return f"This car has no {thing}." if thing else "This car can't do that."
