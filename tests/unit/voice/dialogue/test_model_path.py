"""Every action by the model path: the built-in models on free phrasings that they were not trained on.

Two of each action, from the part of the phrase bank that is kept out of training. Once in slices that hold the action and three of
its domain, which says what the language model does where the encoder was right; once through encoder, coordinator, language
model and validator, as in a car. The least shares are a little below what was measured; what is missed stands in the cards.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest

from models.runtime.llamacpp import LlamaCppModel
from models.runtime.onnx_encoder import OnnxEncoder
from models.structured import Structured
from models.training import conversations
from models.training.conversations import Request
from schemas.actions import ACTIONS, BY_NAME, action_model, actions_of, parse_action
from schemas.events import Route, Standing, Transcript
from schemas.seat import Seat
from tests.memories import memory_of
from voice.dialogue.coordinator import Coordinator
from voice.dialogue.operator import Operator

BUILTIN = Path(__file__).parents[4] / "models/builtin"
PATH = BUILTIN / "language/glovebox.gguf"
EACH = 2
NEIGHBOURS = 3
LEAST_ACTION, LEAST_EXACT, LEAST_REACHED = 0.85, 0.77, 96
LEAST_ALL = 0.76
"""Measured: .904, .817 and .774 of 208; 100 of the 104 actions at least once by the language model. ``seek``, which the built-in
models were not trained on, is missed twice; without it the same 206 came out alike before and after it."""


class NoCommands:
    """A fake matcher that knows no command, so that everything takes the model path."""

    def match(self, text: str) -> None:
        return None

    def begins(self, text: str) -> bool:
        return False

    def standing(self, text: str) -> Standing:
        return Standing.OPEN


@pytest.fixture(scope="module")
def asked() -> dict[str, list[Request]]:
    """Requests by action, none with facts; drawn for each action apart, so that a new one changes no other's."""
    found: dict[str, list[Request]] = {action.name: [] for action in ACTIONS}
    for name, own in found.items():
        rng = Random(f"12 {name}")  # noqa: S311 - examples, not secrets
        for request in conversations.requests(rng, 200, held_out=True, action=name):
            if len(own) < EACH and not request.facts and request.text not in {one.text for one in own}:
                own.append(request)
    return found


def slice_of(name: str, rng: Random) -> tuple[str, ...]:
    """The action among others of its domain, in the schema's order."""
    near = [action.name for action in ACTIONS if action.domain is BY_NAME[name].domain and action.name != name]
    chosen = {name, *rng.sample(near, min(NEIGHBOURS, len(near)))}
    return tuple(action.name for action in ACTIONS if action.name in chosen)


def test_every_action_is_asked_for(asked: dict[str, list[Request]]) -> None:
    assert [name for name, own in asked.items() if len(own) < EACH] == []


def test_free_phrasings_come_out_as_their_actions(asked: dict[str, list[Request]]) -> None:
    structured = Structured(LlamaCppModel(PATH, threads=1))
    rng = Random(3)  # noqa: S311 - slices, not secrets
    named = exact = 0
    reached: set[str] = set()
    for name, own in asked.items():
        for request in own:
            slots: dict[str, Any] = dict(request.slots or {})
            filled = actions_of(structured.fill("act", action_model(slice_of(name, rng)), turns=[request.text]))
            named += [action.name for action in filled] == [name]
            exact += filled == (parse_action(name, slots),)
            reached |= {action.name for action in filled} & {name}
    total = EACH * len(asked)
    shares = f"action right {named / total:.3f}, exact {exact / total:.3f}, reached {len(reached)} of {len(asked)}"
    assert named / total >= LEAST_ACTION, shares
    assert exact / total >= LEAST_EXACT, shares
    assert len(reached) >= LEAST_REACHED, sorted(set(asked) - reached)


def test_free_phrasings_reach_their_actions_through_all_stages(asked: dict[str, list[Request]]) -> None:
    encoder = OnnxEncoder(BUILTIN / "encoder", threads=1)
    offers = frozenset(asked)
    coordinator = Coordinator(NoCommands(), encoder, offers)
    operator = Operator(
        Seat(memory_of("anna", clock=lambda: datetime(2026, 1, 2, tzinfo=UTC))),
        Structured(LlamaCppModel(PATH, threads=1)),
        offers,
    )
    named = 0
    reached: set[str] = set()
    for name, own in asked.items():
        for request in own:
            plan = coordinator.plan(Transcript(text=request.text, confidence=0.9, in_grammar=False))
            if plan.route is not Route.MODEL:
                continue
            found = [action.name for action in operator.propose(request.text, plan).actions]
            named += found == [name]
            reached |= {*found} & {name}
    total = EACH * len(asked)
    assert named / total >= LEAST_ALL, (
        f"{named / total:.3f}, reached {len(reached)}: not {sorted(set(asked) - reached)}"
    )
