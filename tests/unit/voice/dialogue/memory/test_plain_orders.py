"""Plain orders to the car are carried out without a question of memory, unless they were repeated on several days."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from schemas.actions import Undo
from schemas.events import ActionResult, ActionStatus, Reply, Route, Ruling, Verdict
from schemas.memory import Consent, Proposal
from schemas.seat import Seat
from tests.dialogues import NOW
from voice.dialogue.memory.question import REPEATED, ByTheWay

DONE = Reply(
    text="22 degrees.", route=Route.FAST, reason="done",
    results=(ActionResult(action=Undo(), status=ActionStatus.DONE, ruling=Ruling(verdict=Verdict.ALLOW, rule="r", reason="")),),
)  # fmt: skip


class Held:
    """A fake memory with one open proposal."""

    def __init__(self, proposal: Proposal, *, worth: bool = True) -> None:
        self.proposal, self.is_worth = proposal, worth

    def watch(self, changed: object) -> None:
        del changed

    def proposals(self) -> tuple[Proposal, ...]:
        return (self.proposal,)

    def worth(self, proposal: Proposal, *, told: bool = False) -> bool:
        return self.is_worth and proposal is self.proposal

    def consent(self) -> Consent:
        return Consent()

    def profile(self) -> tuple[()]:
        return ()

    def asked(self, proposal: str) -> None:
        assert proposal == self.proposal.id


def hint(sentence: str, confidence: float, at: datetime = NOW) -> Proposal:
    return Proposal(
        id="p", detail="interior_lighting_color_preferences", value="blue", sentence=sentence, said_at=at, conversation="before",
        confidence=confidence, expires_at=at + timedelta(days=14),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "confidence", "asked"),
    [
        ("set the ambient lights to blue", 0.69, False),
        ("set the ambient lights to blue", REPEATED, True),
        ("blue light is so nice in the evening", 0.3, True),
    ],
)
def test_a_plain_order_alone_is_no_reason_to_ask(sentence: str, confidence: float, asked: bool) -> None:
    memory: object = Held(hint(sentence, confidence))
    question = ByTheWay(Seat(memory), lambda: NOW, plain=lambda said: said.startswith("set"))  # pyright: ignore[reportArgumentType]
    assert (question.due(DONE, None, "now") is not None) is asked


def test_what_memory_thinks_not_worth_it_is_not_asked() -> None:
    memory: object = Held(hint("blue light is so nice in the evening", 0.9), worth=False)
    assert ByTheWay(Seat(memory), lambda: NOW).due(DONE, None, "now") is None  # pyright: ignore[reportArgumentType]
