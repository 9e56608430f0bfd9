"""The coordinator: which way an utterance goes, and whether memory is needed for it.

Cheap: rules and one encoder pass. It decides on the evidence of the recogniser (a complete parse that won its
comparison), the matcher and the encoder, and never calls the language model. Owns no state.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict, Field

from models.text import spoken
from schemas.actions import BY_NAME, Action, Domain, parse_action
from schemas.actions.acts import Act
from schemas.events import Command, CommandKind, Reply, Route, Transcript
from schemas.ports import CommandMatcher, Encoder
from voice.dialogue import errands, followup
from voice.dialogue.memory.question import PER_TRIP
from voice.dialogue.replies.responder import THE_REST
from voice.settings import CoordinatorSettings

LEAST_AT = 0.2
"""Probability of the likeliest action under which nothing is asked for that the car knows ("change the oil"). Of 26 free
wordings of orders the least had .27, of ten wishes that no car grants six had .14 and less, the others .24 and more."""
PART_AT = 0.7
"""Probability from which on a part of a sentence counts as a request of its own. Our choice."""
LACKS_AT = 0.5
"""Probability of an action that this vehicle does not have, from which on the answer says so. Our choice."""


class DialogueSettings(BaseModel):
    """What can be set about a dialogue."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    coordinator: CoordinatorSettings = CoordinatorSettings()
    questions: int = Field(default=PER_TRIP, ge=0)
    """How often a trip memory may ask the driver something."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do with an utterance."""

    route: Route
    reason: str
    command: Command | None = None
    actions: tuple[str, ...] = ()
    """For MODEL: the slice, most probable first."""
    details: tuple[str, ...] = ()
    """For MODEL: the details worth recalling; empty when memory is not needed."""
    topic: str | None = None
    """For STATEMENT: the category that the driver told something about."""
    lacks: tuple[str, ...] = ()
    """For REJECT: actions that were asked for and that this vehicle does not have, most probable first."""
    parts: tuple[tuple[str, Plan], ...] = ()
    """For MODEL: the requests that are joined in this one ("make it warmer and play some jazz"), each with its own plan."""
    unfinished: bool = False
    """For REJECT: the words break off."""
    rest: bool = False
    """What follows the command is not understood."""
    asks: float = 1.0
    """For MODEL: probability that it asks for something."""
    sure: bool = False
    """For parts: the words were typed."""
    acts: tuple[Act, ...] = ()
    """What the parser makes of it, in order; ``asks`` is the probability of all of it."""
    meant: tuple[Action, ...] = ()
    """For what only means something after what was done: the actions that it comes to."""

    def told(self, reply: Reply) -> Reply:
        """The reply, with a word on what of the sentence it leaves out."""
        return reply.model_copy(update={"text": f"{reply.text} {THE_REST}"}) if self.rest else reply


class Coordinator:
    """Chooses a route per utterance."""

    def __init__(
        self,
        matcher: CommandMatcher,
        encoder: Encoder,
        offers: frozenset[str],
        settings: CoordinatorSettings | None = None,
        wants_memory: Callable[[str, dict[str, object]], bool] | None = None,
    ) -> None:
        """A coordinator.

        Args:
            matcher: understands complete commands.
            encoder: scores texts against the leaves of both schemas.
            offers: actions that this vehicle has.
            settings: thresholds.
            wants_memory: whether a parsed command is open enough that memory should fill it; default: an action
                that remembered details can fill, without any slot ("play music").
        """
        self._matcher, self._encoder, self._offers = matcher, encoder, offers
        self._settings = settings or CoordinatorSettings()
        self._wants_memory = wants_memory or _open

    def fit(self, offers: frozenset[str]) -> None:
        """From now on the vehicle has these actions."""
        self._offers = offers

    def meant(self, plan: Plan) -> bool:
        """Whether what has this plan was most likely said to the assistant, though without the wake word."""
        sure = plan.route is not Route.MODEL or plan.command is not None or plan.asks >= self._settings.unasked_at
        return sure and plan.route is not Route.REJECT

    def plan(self, transcript: Transcript) -> Plan:
        """The route for what was heard. Typed text comes with confidence 1 and ``in_grammar`` as the matcher says."""
        text = transcript.text
        command = self._matcher.match(text) if transcript.in_grammar else None
        if command is not None:
            return self._command(command)
        return self.free(transcript)

    def free(self, transcript: Transcript) -> Plan:
        """The route for what is no complete command, or one that nothing came of."""
        if not self.heard(transcript):
            return Plan(Route.REJECT, f"heard too faintly ({transcript.confidence:.2f})")
        timers = errands.timers(spoken(transcript.text))
        if timers and self._has("set_timer"):
            each = tuple(parse_action(timer.name, timer.slots) for timer in timers)
            return Plan(Route.FAST, f"{len(each)} timers at once", timers[0], meant=each)
        errand = errands.asked(spoken(transcript.text))
        if errand is not None and self._has(errand.name):
            return self._command(errand)
        if self._matcher.begins(transcript.text):
            return Plan(Route.REJECT, "breaks off where something must follow", unfinished=True)
        corrected = followup.corrected(spoken(transcript.text), self._matcher.match)
        if corrected is not None and all(self._has(action.name) for action in corrected[1]):
            why, names = "corrected while it was said", tuple(action.name for action in corrected[1])
            own = ((transcript.text, Plan(Route.FAST, why, corrected[0], meant=corrected[1])),)
            return Plan(Route.MODEL, why, actions=names, parts=own, sure=transcript.confidence >= 1.0)
        return self._joined(transcript) or self._free(transcript.text)

    def heard(self, transcript: Transcript) -> bool:
        """Whether the words were heard well enough to be acted on."""
        return transcript.in_grammar or (not transcript.misheard and transcript.confidence >= self._settings.heard_at)

    def _command(self, command: Command) -> Plan:
        if command.kind is CommandKind.CONTROL:
            return Plan(Route.CONTROL, f"control word {command.name}", command)
        if command.kind is CommandKind.MEMORY:
            return Plan(Route.MEMORY, f"memory command {command.name}", command)
        if command.kind is CommandKind.FOLLOW:
            return Plan(Route.FAST, f"by what was done before: {command.name}", command)
        if not self._has(command.name):
            return Plan(Route.REJECT, f"this vehicle has no {command.name}", lacks=(command.name,))
        if self._wants_memory(command.name, command.slots):
            return Plan(
                Route.MODEL,
                f"complete command {command.name}, left open: memory may fill it",
                command,
                actions=(command.name,),
                details=BY_NAME[command.name].details,
            )
        return Plan(Route.FAST, f"complete command {command.name}", command)

    def _has(self, name: str) -> bool:
        """Whether it can be asked for here: what the vehicle offers, and what memory answers."""
        return name in self._offers or (name in BY_NAME and BY_NAME[name].domain is Domain.MEMORY)

    def _joined(self, transcript: Transcript) -> Plan | None:
        """The plan for several requests in one sentence; None where it is one."""
        texts = parts(transcript.text, self.is_order)
        plans = [self._part(text) for text in texts]
        found = [plan for plan in plans if plan is not None]
        if len(texts) > 1 and plans[0] is not None and plans[0].command is not None and not any(plans[1:]):
            if _BINDS.match(transcript.text[len(texts[0]) :].strip()):
                return None
            why, sure = f"{plans[0].reason}; the rest is not understood", transcript.confidence >= 1.0
            own = ((texts[0], plans[0]),)
            return Plan(Route.MODEL, why, actions=(plans[0].command.name,), parts=own, sure=sure, rest=True)
        if len(found) < 2 or len(found) < len(plans):
            return None
        names = [
            plan.meant[0].name if plan.meant else plan.command.name if plan.command else plan.actions[0]
            for plan in found
        ]
        if len(set(names)) < len(names):
            return None
        return Plan(
            Route.MODEL,
            f"{len(names)} requests: {', '.join(names)}",
            actions=tuple(names),
            details=tuple(dict.fromkeys(detail for plan in found for detail in plan.details)),
            parts=tuple(zip(texts, found, strict=True)),
            sure=transcript.confidence >= 1.0,
        )

    def is_order(self, text: str) -> bool:
        """Whether the text is a complete command to the car."""
        command = self._matcher.match(text)
        return command is not None and command.kind is CommandKind.ACTION

    def _part(self, text: str) -> Plan | None:
        """The plan for a part of a sentence, if it is a request of its own."""
        command = self._matcher.match(text)
        if command is not None:
            if command.kind is CommandKind.FOLLOW:
                meant = followup.alone(command)
                fits = meant and all(self._has(action.name) for action in meant)
                return replace(self._command(command), meant=meant) if fits else None
            plan = self._command(command)
            return plan if plan.route in (Route.FAST, Route.MODEL) else None
        if len(text.split()) < 2 or 1.0 - self._encoder.requests(text).get("none", 0.0) < PART_AT:
            return None
        plan = self._free(text)
        return plan if plan.route is Route.MODEL else None

    def _free(self, text: str) -> Plan:
        settings = self._settings
        requests, topics = self._encoder.requests(text), self._encoder.topics(text)
        asks = 1.0 - requests.get("none", 0.0)
        topic = max((t for t in topics if t != "none"), key=topics.__getitem__)
        tells = topics[topic]
        if asks >= settings.request_at and asks >= tells:
            ranked = sorted((a for a in requests if a != "none"), key=requests.__getitem__, reverse=True)
            if requests[ranked[0]] < LEAST_AT:
                return Plan(Route.REJECT, f"asks for something ({asks:.2f}), but for nothing known", lacks=("unknown",))
            offered = [a for a in ranked if self._has(a) and requests[a] >= settings.request_floor]
            foreign = not self._has(ranked[0]) and requests[ranked[0]] >= LACKS_AT
            if offered and not foreign:
                actions = tuple(offered[: settings.slice_size])
                details = tuple(dict.fromkeys(d for a in actions[:2] for d in BY_NAME[a].details))
                nearest = actions[0].replace("_", " ")
                why = f"asks for something ({asks:.2f}), nearest is “{nearest}” ({requests[actions[0]]:.2f})"
                return Plan(Route.MODEL, why, actions=actions, details=details, asks=asks)
            return Plan(Route.REJECT, "asks for something that this vehicle does not have", lacks=tuple(ranked[:1]))
        if tells >= settings.statement_at:
            return Plan(Route.STATEMENT, f"tells something about {topic} ({tells:.2f})", topic=topic)
        return Plan(Route.REJECT, f"neither a request ({asks:.2f}) nor a preference ({tells:.2f})")


JOINS = re.compile(r"\b(?:and then|and also|and please|and|then|also|plus|but)\b")
"""What stands between two requests in a sentence."""
MOST_PARTS = 3
_BINDS = re.compile(r"(?:and |but )?(?:only|if|unless|when|until|once|not|don't|never|except|without)\b")
"""How a rest begins that says when or how far the first request is meant: without it that is not to be done."""


def parts(text: str, is_command: Callable[[str], bool]) -> tuple[str, ...]:
    """A sentence cut where one request ends and the next begins; one part where nothing joins two.

    What joins may also stand inside a command ("twenty one and a half", "face and feet"): a part that is a complete
    command is never cut, the longest first; what is left is cut at every join.
    """
    ends = [(found.start(), found.end()) for found in JOINS.finditer(text)]
    if not ends or is_command(text):
        return (text.strip(),)
    for start, end in reversed(ends):
        if (first := text[:start].strip()) and (rest := text[end:].strip()) and is_command(first):
            return (first, *parts(rest, is_command))[:MOST_PARTS]
    start, end = ends[0]
    first, rest = text[:start].strip(), text[end:].strip()
    return tuple(part for part in (first, *parts(rest, is_command)) if part)[:MOST_PARTS]


def _open(name: str, slots: dict[str, object]) -> bool:
    """Whether a command left everything open that memory could fill: "play music"."""
    return name in BY_NAME and bool(BY_NAME[name].details) and not slots
