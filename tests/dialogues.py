"""What the tests of the dialogue share: stated fakes of its ports, and a dialogue over them."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from pydantic import BaseModel, ValidationError

from models.acts.spelling import read
from schemas.actions import ACTIONS, Action, SetTrunk, SetWindow, Undo
from schemas.actions.acts import Parsed
from schemas.errors import ConfirmationError, GenerationError
from schemas.events import (
    ActionResult,
    ActionStatus,
    Command,
    CommandKind,
    Reply,
    Ruling,
    Standing,
    VehicleState,
    Verdict,
)
from schemas.memory import (
    Consent,
    Kind,
    Matches,
    Preference,
    Proposal,
    Receipt,
    Recollection,
    Selector,
    Turn,
    Words,
)
from schemas.ports import CommandMatcher, Encoder, Talker
from schemas.seat import Seat
from tests.memories import memory_of
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


class FakeEncoder:
    """A fake: scores by key words."""

    dimension = 4
    asks = {
        "hungry": "find_place",
        "music": "play_music",
        "window": "set_window",
        "rocket": "launch",
        "comfortable": "set_temperature",
    }
    tells = {"italian": "favourite_cuisine", "jazz": "favorite_genres", "vegan": "dietary_preference"}

    def encode(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        return np.ones((len(texts), 4), np.float32)

    def _scores(self, table: dict[str, str], text: str) -> dict[str, float]:
        found = [label for word, label in table.items() if word in text]
        return {found[0]: 0.9, "none": 0.1} if found else {next(iter(table.values())): 0.05, "none": 0.95}

    def topics(self, text: str) -> dict[str, float]:
        return self._scores(self.tells, text)

    def requests(self, text: str) -> dict[str, float]:
        return self._scores(self.asks, text)

    def strength(self, text: str) -> dict[str, float]:
        return {"none": 0.0, "hinted": 0.0, "stated": 1.0, "ended": 0.0}

    def words(self, text: str, detail: str) -> tuple[Words, ...]:
        return ()

    def choices(self, text: str, detail: str) -> dict[str, float]:
        return {}


class FakeModel:
    """A fake: answers what the test says, and keeps what it was asked."""

    def __init__(self, *answers: dict[str, Any] | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, list[str], list[str], set[str]]] = []

    def fill(self, task: str, model: type[BaseModel], *, turns: Sequence[str], facts: Sequence[str] = ()) -> BaseModel:
        self.asked.append((task, list(turns), list(facts), set(model.model_fields)))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        try:
            return model.model_validate(answer)
        except ValidationError as error:
            raise GenerationError("does not fit its slice") from error


class FakeVehicle:
    """A fake: refuses the trunk, asks before windows, does the rest."""

    def __init__(self) -> None:
        self.done: list[Action] = []
        self.waiting: dict[str, Action] = {}

    def offers(self) -> frozenset[str]:
        return frozenset(action.name for action in ACTIONS)

    async def state(self) -> VehicleState:
        return VehicleState()

    async def foresee(self, action: Action, *, confirmed: bool = False) -> ActionResult | None:
        done, waiting = list(self.done), dict(self.waiting)
        result = self._do(action) if confirmed else await self.act(action)
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
        return self._do(action)

    def _do(self, action: Action) -> ActionResult:
        self.done.append(action)
        ruling = Ruling(verdict=Verdict.ALLOW, rule="comfort", reason="")
        answer = {"name": "Trattoria", "minutes": 6, "title": "a jazz mix", "seconds": 600}
        return ActionResult(action=action, status=ActionStatus.DONE, ruling=ruling, answer=answer)

    async def confirm(self, token: str) -> ActionResult:
        if token not in self.waiting:
            raise ConfirmationError("unknown token")
        return self._do(self.waiting.pop(token))

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


class FakeMemory:
    """A fake: holds what the test puts in."""

    driver = "test"

    def __init__(self, *held: tuple[str, str]) -> None:
        self.held = [
            Preference(id=f"p{n}", detail=detail, value=value, sentences=("said",), conversation="c", confidence=1.0,
                       valid_from=NOW)
            for n, (detail, value) in enumerate(held)
        ]  # fmt: skip
        self.noted: list[Turn] = []
        self.used_ids: list[str] = []
        self.agreed = Consent()

    def recall(self, query: str, *, details: Sequence[str] = (), limit: int = 3) -> tuple[Recollection, ...]:
        fitting = [p for p in self.held if not details or p.detail in details]
        return tuple(Recollection(preference=p, score=0.8) for p in fitting[:limit])

    def used(self, recalled: Sequence[Recollection], action: str | None = None) -> None:
        self.used_ids += [r.preference.id for r in recalled]

    def note(self, turn: Turn, conversation: str, *, teaches: bool = True) -> None:
        self.noted.append(turn)

    def forget_pending(self, conversation: str) -> int:
        erased, self.noted = len(self.noted), []
        return erased

    def preferences(self, key: str | None = None, *, history: bool = False) -> tuple[Preference, ...]:
        return tuple(p for p in self.held if key is None or key in p.category.path)

    def forget(self, key: str) -> Receipt:
        gone = next(p for p in self.held if p.id == key)
        self.held.remove(gone)
        return Receipt(erased=(gone.id,), categories=(gone.category.key,), at=NOW, verified=True)

    def proposals(self) -> tuple[Proposal, ...]:
        return ()

    def matching(self, what: Selector) -> Matches:
        held = tuple(p for p in self.held if what.key is None or what.key in p.category.path)
        return Matches(preferences=held, kinds={Kind.PREFERENCE: len(held)} if held else {})

    def consent(self) -> Consent:
        return self.agreed

    def opt_out(self, key: str) -> Consent:
        self.agreed = self.agreed.model_copy(update={"opted_out": self.agreed.opted_out | {key}})
        return self.agreed


def make(
    *answers: dict[str, Any] | Exception, held: Sequence[tuple[str, str]] = (), model: FakeModel | None = None
) -> tuple[Dialogue, FakeVehicle, FakeMemory, FakeModel]:
    vehicle, memory, model = FakeVehicle(), FakeMemory(*held), model or FakeModel(*answers)
    dialogue = Dialogue(
        seat=Seat(memory),  # type: ignore[arg-type]
        vehicle=vehicle,
        matcher=FakeMatcher(),
        encoder=FakeEncoder(),
        model=model,
        clock=lambda: NOW,
    )
    return dialogue, vehicle, memory, model


def say(dialogue: Dialogue, text: str) -> Reply:
    return asyncio.run(dialogue.respond(dialogue.typed(text)))


class StubParser:
    """A stub: knows the sentences that the test gives it; of any other it says what it says of all others, if anything."""

    def __init__(self, otherwise: str = "") -> None:
        self.otherwise = otherwise
        self.knows: dict[str, tuple[str, float]] = {}
        self.contexts: list[str] = []

    def parse(self, text: str, context: str = "", *, without: Collection[str] = ()) -> Parsed:
        self.contexts.append(context)
        acts, sure = self.knows.get(text, (self.otherwise, 0.95))
        if not acts:
            raise GenerationError("unknown to the test")
        return Parsed(read(acts), sure)


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
            encoder=encoder or FakeEncoder(),
            model=FakeModel({}),
            clock=self._now,
            parser=self.parser,
            talker=talker,
        )

    def _now(self) -> datetime:
        return self.now

    def say(
        self, text: str, acts: str = "", sure: float = 0.95, *, confidence: float = 1.0, addressed: bool = True
    ) -> Reply:
        if acts:
            self.parser.knows[text] = acts, sure
        heard = self.dialogue.typed(text).model_copy(update={"confidence": confidence})
        return asyncio.run(self.dialogue.respond(heard, addressed=addressed))

    @property
    def done(self) -> list[str]:
        return [action.describe() for action in self.vehicle.done]
