"""The coordinator: which way a complete command goes, and whether memory may fill what it leaves open.

Cheap: it decides on the evidence of the recogniser (a complete parse that won its comparison) and the matcher. What is no complete
command is the parser's (``voice.dialogue.acts``). Owns no state but what this vehicle has.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from pydantic import BaseModel, ConfigDict, Field

from schemas.actions import BY_NAME, Action, Domain
from schemas.actions.acts import Act
from schemas.events import Command, CommandKind, Route, Transcript
from schemas.ports import CommandMatcher
from voice.dialogue.memory.question import PER_TRIP
from voice.settings import CoordinatorSettings


class DialogueSettings(BaseModel):
    """What can be set about a dialogue."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    coordinator: CoordinatorSettings = CoordinatorSettings()
    questions: int = Field(default=PER_TRIP, ge=0)
    """How often a trip memory may ask the driver something."""
    introduces: bool = False
    """Whether a driver of whom nothing is known yet is offered to be got to know."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do with an utterance."""

    route: Route
    reason: str
    command: Command | None = None
    lacks: tuple[str, ...] = ()
    """For REJECT: actions that were asked for and that this vehicle does not have."""
    open: bool = False
    """For a command: memory may fill what it leaves open."""
    asks: float = 1.0
    """For acts: probability of all of them."""
    acts: tuple[Act, ...] = ()
    """What the parser makes of it, in order."""
    left: tuple[str, ...] = ()
    """Parts of it that were read by themselves and are in no act; they are spoken about."""
    meant: tuple[Action, ...] = ()
    """For what only means something after what was done: the actions that it comes to."""
    said: str = field(default="", compare=False)
    """The words."""

    def only(self, *names: str) -> bool:
        """Whether it has acts of these names and no other."""
        return bool(self.acts) and all(act.name in names for act in self.acts)


class Coordinator:
    """Chooses a route per utterance."""

    def __init__(
        self, matcher: CommandMatcher, offers: frozenset[str], settings: CoordinatorSettings | None = None
    ) -> None:
        """A coordinator.

        Args:
            matcher: understands complete commands.
            offers: actions that this vehicle has.
            settings: thresholds.
        """
        self._matcher, self._offers = matcher, offers
        self._settings = settings or CoordinatorSettings()

    def fit(self, offers: frozenset[str]) -> None:
        """From now on the vehicle has these actions."""
        self._offers = offers

    def plan(self, transcript: Transcript) -> Plan:
        """The route for what was heard; REJECT without a command for what is none, which is the parser's."""
        command = self._matcher.match(transcript.text) if transcript.in_grammar else None
        if command is not None:
            return replace(self._command(command), said=transcript.text)
        if not self.heard(transcript):
            return Plan(Route.REJECT, f"heard too faintly ({transcript.confidence:.2f})")
        return Plan(Route.REJECT, "no complete command")

    def heard(self, transcript: Transcript) -> bool:
        """Whether the words were heard well enough to be acted on."""
        return transcript.in_grammar or (not transcript.misheard and transcript.confidence >= self._settings.heard_at)

    def is_order(self, text: str) -> bool:
        """Whether the text is a complete command to the car."""
        command = self._matcher.match(text)
        return command is not None and command.kind is CommandKind.ACTION

    def _command(self, command: Command) -> Plan:
        if command.kind is CommandKind.CONTROL:
            return Plan(Route.CONTROL, f"control word {command.name}", command)
        if command.kind is CommandKind.MEMORY:
            return Plan(Route.MEMORY, f"memory command {command.name}", command)
        if command.kind is CommandKind.FOLLOW:
            return Plan(Route.FAST, f"by what was done before: {command.name}", command)
        if command.name not in self._offers and BY_NAME[command.name].domain is not Domain.MEMORY:
            return Plan(Route.REJECT, f"this vehicle has no {command.name}", lacks=(command.name,))
        left = bool(BY_NAME[command.name].details) and not command.slots
        why = ", left open: memory may fill it" if left else ""
        return Plan(Route.FAST, f"complete command {command.name}{why}", command, open=left)
