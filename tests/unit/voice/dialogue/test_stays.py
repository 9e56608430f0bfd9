"""What is not sure is put to the car at once where nothing would move without a yes."""

from __future__ import annotations

import asyncio

import pytest

from schemas.actions import Action, parse_action
from schemas.events import ActionResult, ActionStatus, Ruling, Verdict
from tests.dialogues import FakeVehicle
from voice.dialogue.foresight import stays

CALL = parse_action("call_contact", {"person": "anna"})
WINDOW = parse_action("set_window", {"window": "driver", "percent": 100})
FAN = parse_action("set_fan_speed", {"level": 3})


class Car(FakeVehicle):
    """One that foresees what it is told to."""

    def __init__(self, status: ActionStatus, *, already: bool = False) -> None:
        super().__init__()
        self.status, self.already = status, already

    async def foresee(self, action: Action, *, confirmed: bool = False) -> ActionResult:
        ruling = Ruling(verdict=Verdict.ALLOW, rule="r", reason="", source="s")
        return ActionResult(action=action, status=self.status, ruling=ruling, already=self.already)


@pytest.mark.parametrize(
    ("action", "status", "stayed"),
    [
        (CALL, ActionStatus.NEEDS_CONFIRMATION, True),
        (WINDOW, ActionStatus.NEEDS_CONFIRMATION, False),  # what opens the car needs two agreements
        (WINDOW, ActionStatus.DENIED, True),
        (FAN, ActionStatus.DENIED, True),
        (FAN, ActionStatus.DONE, False),
    ],
)
def test_what_the_car_would_ask_or_refuse_itself_is_not_asked_about_first(
    action: Action, status: ActionStatus, *, stayed: bool
) -> None:
    assert asyncio.run(stays((action,), Car(status))) is stayed


def test_what_is_so_already_is_not_offered() -> None:
    assert asyncio.run(stays((FAN,), Car(ActionStatus.DONE, already=True)))
    assert not asyncio.run(stays((), Car(ActionStatus.DENIED)))
