"""What the tests of the dialogue share: stated fakes of the car and of the parser, and a dialogue over them and a real memory."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType

from memory.service import DriverMemory
from models.acts.spelling import read
from models.text import spoken
from schemas.actions import ACTIONS, Action, SetTrunk, SetWindow, Undo
from schemas.actions.acts import Parsed
from schemas.errors import ConfirmationError, GenerationError
from schemas.events import (
    ActionResult,
    ActionStatus,
    Command,
    CommandKind,
    Hypothesis,
    Reply,
    Ruling,
    Standing,
    VehicleState,
    Verdict,
)
from schemas.memory import Preference
from schemas.ports import CommandMatcher, Encoder, Talker
from schemas.seat import Seat
from tests.memories import fill, memory_of
from voice.dialogue.agent import Dialogue

NOW = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)


class FakeMatcher:
    """A fake: knows a handful of sentences."""

    commands = {
        "set the temperature to twenty two degrees": Command(
            kind=CommandKind.ACTION, name="set_temperature", slots={"celsius": 22.0}
        ),
        "open the trunk": Command(kind=CommandKind.ACTION, name="set_trunk", slots={"open": True}),
        "close the sunroof": Command(kind=CommandKind.ACTION, name="set_sunroof", slots={"percent": 0}),
        "play some music": Command(kind=CommandKind.ACTION, name="play_music"),
        "yes": Command(kind=CommandKind.CONTROL, name="yes"),
        "no": Command(kind=CommandKind.CONTROL, name="no"),
        "stop": Command(kind=CommandKind.CONTROL, name="stop"),
        "say that again": Command(kind=CommandKind.CONTROL, name="repeat"),
        "help": Command(kind=CommandKind.CONTROL, name="help"),
        "what do you remember": Command(kind=CommandKind.MEMORY, name="remember_what"),
        "forget that": Command(kind=CommandKind.MEMORY, name="forget_last"),
        "stop remembering music": Command(kind=CommandKind.MEMORY, name="opt_out", slots={"category": "music"}),
    }

    def match(self, text: str) -> Command | None:
        return self.commands.get(text)

    def begins(self, text: str) -> bool:
        return False

    def standing(self, text: str) -> Standing:
        return Standing.OPEN if self.match(text) is None else Standing.COMPLETE


class FakeVehicle:
    """A fake: refuses the trunk, asks before windows, does the rest."""

    def __init__(self) -> None:
        self.done: list[Action] = []
        self.waiting: dict[str, Action] = {}
        self.values: dict[str, int | float | str | bool] = {}
        self.answers: dict[str, Mapping[str, object]] = {}
        """Name of an action -> what the vehicle tells, where that is not the usual."""

    def offers(self) -> frozenset[str]:
        return frozenset(action.name for action in ACTIONS)

    async def state(self) -> VehicleState:
        return VehicleState(values=dict(self.values))

    async def foresee(self, action: Action, *, confirmed: bool = False) -> ActionResult | None:
        done, waiting = list(self.done), dict(self.waiting)
        result = self.carried_out(action) if confirmed else await self.act(action)
        self.done, self.waiting = done, waiting
        return result.model_copy(update={"token": None})

    async def act(self, action: Action) -> ActionResult:
        if isinstance(action, SetTrunk):
            ruling = Ruling(verdict=Verdict.DENY, rule="trunk_parked", reason="I can only open the trunk when parked.")
            return ActionResult(action=action, status=ActionStatus.DENIED, ruling=ruling)
        if isinstance(action, SetWindow):
            self.waiting["token"] = action
            ruling = Ruling(verdict=Verdict.CONFIRM, rule="window_fast", reason="We are fast.")
            return ActionResult(action=action, status=ActionStatus.NEEDS_CONFIRMATION, ruling=ruling, token="token")
        return self.carried_out(action)

    def carried_out(self, action: Action) -> ActionResult:
        self.done.append(action)
        ruling = Ruling(verdict=Verdict.ALLOW, rule="comfort", reason="")
        answer = {"name": "Trattoria", "minutes": 6, "title": "a jazz mix", "seconds": 600}
        told = dict(self.answers.get(action.name, answer))
        return ActionResult(action=action, status=ActionStatus.DONE, ruling=ruling, answer=told)

    async def confirm(self, token: str) -> ActionResult:
        if token not in self.waiting:
            raise ConfirmationError("unknown token")
        return self.carried_out(self.waiting.pop(token))

    def withdraw(self, token: str) -> None:
        self.waiting.pop(token, None)

    async def take_back(self, action: Action) -> ActionResult | None:
        if not self.done or self.done[-1] != action:
            return None
        self.done.pop()
        ruling = Ruling(verdict=Verdict.ALLOW, rule="comfort", reason="")
        return ActionResult(action=Undo(), status=ActionStatus.DONE, ruling=ruling, answer={"undone": action.name})

    def due(self) -> tuple[str, ...]:
        return ()

    async def close(self) -> None:
        return None


def holding(*held: tuple[str, str]) -> DriverMemory:
    """A real memory that holds these preferences: category and value."""
    memory = memory_of(clock=lambda: NOW)
    if held:
        fill(memory, *(
            Preference(id=f"p{n}", detail=detail, value=value, sentences=("said",), conversation="c", confidence=1.0,
                       valid_from=NOW)
            for n, (detail, value) in enumerate(held)
        ))  # fmt: skip
    return memory


def say(dialogue: Dialogue, text: str) -> Reply:
    return asyncio.run(dialogue.respond(dialogue.typed(text)))


class StubParser:
    """A stub: knows the sentences that the test gives it, as acts in their spelling; any other means ``otherwise``, if anything."""

    def __init__(self, sure: Mapping[str, str] = MappingProxyType({}), otherwise: str = "") -> None:
        self.knows = {spoken(text): (acts, 0.95) for text, acts in sure.items()}
        self.otherwise = otherwise
        self.asked: list[str] = []
        self.contexts: list[str] = []

    def parse(self, text: str, context: str = "") -> Parsed:
        self.asked.append(text)
        self.contexts.append(context)
        acts, sure = self.knows.get(text, (self.otherwise, 0.95))
        if not acts:
            raise GenerationError("unknown to the test")
        return Parsed(read(acts), sure)


def make(
    sure: Mapping[str, str] = MappingProxyType({}),
    *,
    held: Sequence[tuple[str, str]] = (),
    parser: StubParser | None = None,
) -> tuple[Dialogue, FakeVehicle, DriverMemory, StubParser]:
    """A dialogue over fakes and a real memory, whose parser knows these sentences for sure."""
    vehicle, memory, parser = FakeVehicle(), holding(*held), parser or StubParser()
    parser.knows |= StubParser(sure).knows
    dialogue = Dialogue(
        seat=Seat(memory),
        vehicle=vehicle,
        matcher=FakeMatcher(),
        parser=parser,
        clock=lambda: NOW,
    )
    return dialogue, vehicle, memory, parser


class Rig:
    """A dialogue with a stub parser over a real memory and a stated fake of a car; time stands unless the test moves it."""

    def __init__(
        self,
        matcher: CommandMatcher,
        vehicle: FakeVehicle | None = None,
        *,
        parser: StubParser | None = None,
        talker: Talker | None = None,
        encoder: Encoder | None = None,
    ) -> None:
        self.parser, self.vehicle, self.now = parser or StubParser(), vehicle or FakeVehicle(), NOW
        self.memory = memory_of(clock=self._now)
        self.dialogue = Dialogue(
            seat=Seat(self.memory),
            vehicle=self.vehicle,
            matcher=matcher,
            parser=self.parser,
            clock=self._now,
            talker=talker,
            encoder=encoder,
        )

    def _now(self) -> datetime:
        return self.now

    def say(
        self,
        text: str,
        acts: str = "",
        sure: float = 0.95,
        *,
        confidence: float = 1.0,
        addressed: bool = True,
        others: Mapping[str, float] = MappingProxyType({}),
    ) -> Reply:
        if acts:
            self.parser.knows[text] = acts, sure
        also = tuple(Hypothesis(text=other, log_score=math.log(share)) for other, share in others.items())
        heard = self.dialogue.typed(text).model_copy(update={"confidence": confidence, "others": also})
        return asyncio.run(self.dialogue.respond(heard, addressed=addressed))

    @property
    def done(self) -> list[str]:
        return [action.describe() for action in self.vehicle.done]
