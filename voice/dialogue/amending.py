"""An utterance that went on after it had been answered: what becomes of what was done for its first part.

Nothing is done twice and nothing stays done that the whole does not ask for. The rules, in order:

1. The whole is another command than its first part ("a bit warmer ... in the back"): the first part's is taken back, the
   whole's is done; a step that takes the place of a journey begins where that began ("open the window ... just a little bit").
   It is the same command (what followed was a cough): the answer stands.
2. What was said since is "no", "cancel" or "undo that" by itself: what was done is taken back.
3. What was said since is a command by itself ("open the window ... play some jazz", "... I mean the passenger one", "stop"): it is
   dealt with after the first part. Where nothing was done for that, the whole comes first, if it is understood ("a reminder in
   twenty minutes ... to ring my sister").
4. Nothing was understood of what was said since, or the first part was a complete command that was carried out: the answer stands.
5. Free speech that is understood as a whole takes the place of its first part; if it is not, the answer stands.

What cannot be taken back (the gate forbids it, or asks first) is told, and nothing more is done. Owns no state.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from schemas.actions import Action, ChangeSunroof, ChangeWindow, SetSunroof, SetWindow, parse_action
from schemas.events import ActionResult, ActionStatus, Command, CommandKind, Reply, Route, Transcript
from schemas.ports import CommandMatcher, VehiclePort
from voice.dialogue.followup import AJAR
from voice.dialogue.replies import responder


@dataclass(frozen=True, slots=True)
class First:
    """The first part of an utterance."""

    heard: Transcript
    reply: Reply | None = None
    """None where it was not worked out: nothing was done for it."""
    told: bool = False
    """Its reply has begun to sound."""


class Way(StrEnum):
    """What becomes of the first part."""

    STANDS = "its answer stands"
    REPLACED = "the whole takes its place"
    CANCELLED = "it is taken back"
    FOLLOWED = "what was said since comes after it"


def _parsed(matcher: CommandMatcher, transcript: Transcript) -> Command | None:
    return matcher.match(transcript.text) if transcript.in_grammar else None


def doubted(matcher: CommandMatcher, heard: Transcript) -> Transcript:
    """What goes on from something before; which of two was meant is open where a word's "un-" may have been "and".

    "And fold the mirrors" is "unfold the mirrors" to whoever hears it by itself: both recognisers had that for two of three
    voices, and "unlock" for "and lock" (docs/log.md).
    """
    joined = heard.text.removeprefix(_SOUNDS_JOINED)
    known, other = (matcher.match(text) if heard.in_grammar else None for text in (heard.text, joined))
    if joined == heard.text or known is None or other is None or known.name != other.name:
        return heard
    return heard.model_copy(update={"in_grammar": False, "alternative": joined})


def by_itself(matcher: CommandMatcher, tail: Transcript | None) -> Transcript | None:
    """What was said since, without what joins it to the first part, if that leaves a command and the words were heard well."""
    if tail is None or tail.misheard or tail.confidence < 0.5:
        return tail
    if matcher.match(tail.text) is not None:
        return doubted(matcher, tail)
    text = _JOINS.sub("", tail.text)
    clear = text != tail.text and matcher.match(text) is not None
    return tail.model_copy(update={"text": text, "in_grammar": True, "alternative": ""}) if clear else tail


def action_of(matcher: CommandMatcher, transcript: Transcript) -> Action | None:
    """The action that the words ask for by themselves, if they are such a command."""
    command = _parsed(matcher, transcript)
    plain = command is not None and command.kind is CommandKind.ACTION
    return parse_action(command.name, command.slots) if command is not None and plain else None


def _stepped(first: First | None, instead: Action | None) -> Action | None:
    """The place for a pane that was sent off and is to move only a step: from where it was, not from where it is by now.

    None for everything else, and where the panes of one order stood differently.
    """
    if not isinstance(instead, ChangeWindow | ChangeSunroof) or first is None or first.reply is None:
        return None
    results = [result for result in first.reply.results if result.status is ActionStatus.DONE]
    panes = [moved for result in results for moved in result.moved if moved.signal.startswith(_PANES)]
    places = {moved.before for moved in panes}
    done = results[0].action.slots() if len(results) == 1 else {}
    if len(places) != 1 or done.get("window") != instead.slots().get("window"):
        return None
    step = instead.by or AJAR
    percent = max(0, min(100, round(places.pop()) + (step if instead.change == "open" else -step)))
    if isinstance(instead, ChangeWindow):
        return SetWindow(window=instead.window, percent=percent)
    return SetSunroof(percent=percent)


def way(matcher: CommandMatcher, whole: Transcript, tail: Transcript | None, first: First | None) -> Way:
    """By which of the rules an utterance goes on; for free speech REPLACED, if it is understood."""
    parsed = partial(_parsed, matcher)
    if first is None or not first.heard.text:
        return Way.REPLACED
    begun, all_ = parsed(first.heard), parsed(whole)
    if all_ is not None:
        return Way.STANDS if all_ == begun else Way.REPLACED
    if tail is None or not tail.text:
        return Way.STANDS
    added = parsed(tail)
    if added is not None:
        if added.name == "undo" or (added.kind is CommandKind.CONTROL and added.name == "no"):
            return Way.CANCELLED
        idle = first.reply is not None and not first.reply.results and begun is None
        return Way.REPLACED if idle and added.kind is CommandKind.ACTION else Way.FOLLOWED
    if tail.alternative and matcher.match(tail.text) and matcher.match(tail.alternative):
        return Way.FOLLOWED
    return Way.STANDS if begun is not None and first.reply is not None and first.reply.results else Way.REPLACED


async def take_back(
    vehicle: VehiclePort, reply: Reply | None, instead: Action | None = None
) -> tuple[tuple[ActionResult, ...], bool]:
    """Undo what was done for a reply, the last first; what came of it, and whether all is as it was before.

    What ``instead`` gives another target anyway is left: a window that opens need not close before it stops halfway.
    """
    undone: list[ActionResult] = []
    for result in reversed(reply.results if reply is not None else ()):
        if result.status is ActionStatus.DONE and not (instead is not None and _same_thing(result.action, instead)):
            back = await vehicle.take_back(result.action)
            if back is not None:
                undone.append(back)
                if back.status is not ActionStatus.DONE:
                    return tuple(undone), False
    return tuple(undone), True


def _same_thing(done: Action, instead: Action) -> bool:
    """Whether both set the same thing, so that only the later counts."""
    places = [{slot: value for slot, value in one.slots().items() if slot in _PLACES} for one in (done, instead)]
    return (
        done.name == instead.name
        and done.name.startswith("set_")
        and places[0] == places[1]
        and done.name not in _APART
    )


_JOINS = re.compile(r"^(?:(?:and|but|then|also|oh|no|sorry|wait|actually),? )+")
"""How what was said since begins, before a command: "and avoid motorways", "no, cancel that"."""
_SOUNDS_JOINED = "un"
"""What "and" before a word sounds like as a part of it."""
_PANES = ("window.", "sunroof.position")
_PLACES = frozenset({"window", "zone"})
_APART = frozenset({"set_timer", "set_reminder"})
"""Of these there may be several."""


async def amended(
    vehicle: VehiclePort,
    chosen: Way,
    texts: tuple[Transcript, Transcript | None],
    first: First | None,
    instead: Action | None,
    respond: Callable[[Transcript], Awaitable[Reply]],
) -> Reply:
    """The reply to an utterance that went on.

    Args:
        vehicle: takes back what was done.
        chosen: what becomes of the first part.
        texts: the whole, and what was said since the first part was answered.
        first: the first part.
        instead: the action that the whole asks for, where it is a command.
        respond: the reply to words by themselves.

    Raises:
        schemas.errors.GloveboxError: what ``respond`` raises.
    """
    whole, tail = texts
    reply = first.reply if first is not None else None
    if chosen is Way.STANDS and first is not None:
        return reply if reply is not None else await respond(first.heard)
    if chosen is Way.FOLLOWED and first is not None and tail is not None:
        before = reply if reply is not None else await respond(first.heard)
        after = await respond(tail)
        understood = before.route is not Route.REJECT and before.text and not after.ends_conversation
        return (
            after.model_copy(update={"text": f"{before.text.removesuffix(responder.INVITES)} {after.text}"})
            if understood
            else after
        )
    stepped = _stepped(first, instead) if chosen is Way.REPLACED else None
    if stepped is not None and instead is not None:
        result = await vehicle.act(stepped)
        told = result.model_copy(update={"action": instead}) if result.status is ActionStatus.DONE else result
        text = responder.report([told])
        return Reply(text=text, route=Route.FAST, reason=chosen.value, results=(result,), pending=result.token)
    undone, whole_again = await take_back(vehicle, reply, instead)
    if not whole_again:
        told = undone[-1]
        return Reply(
            text=responder.report([told]), route=Route.CONTROL, reason=chosen.value, results=undone, pending=told.token
        )
    if chosen is Way.CANCELLED:
        return Reply(text=responder.CANCELLED, route=Route.CONTROL, reason=chosen.value, results=undone)
    again = await respond(whole)
    return again.model_copy(update={"results": (*undone, *again.results)})
