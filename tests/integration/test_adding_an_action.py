"""docs/adding-an-action.md is followed to the letter in a copy of the program, and the new action is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.recipes import ROOT, copied, followed, run

DRIVE = """
from datetime import UTC, datetime
from models.commands.matcher import TemplateMatcher
from models.commands.templates import load_templates
from schemas.actions import ACTIONS, SetFootrest, Undo, parse_action
from schemas.events import ActionStatus, VehicleState, Verdict
from tests.gated_car import Car
from vehicle.gate import rule
from voice.dialogue import followup
from voice.dialogue.recent import RecentActions
from voice.dialogue.replies.responder import lacks, report
from voice.dialogue.validator import careful, validate

matcher = TemplateMatcher(load_templates())
command = matcher.match("could you raise the footrest please")
assert command is not None and (command.name, command.slots) == ("set_footrest", {"percent": 100}), command
raised = parse_action(command.name, command.slots)
assert raised.name in [kind.name for kind in ACTIONS]

parked = VehicleState(speed_kmh=0.0, gear="P", ignition_on=True, age_s=0.0)
assert rule(raised, parked).verdict is Verdict.ALLOW
denied = rule(raised, parked.model_copy(update={"speed_kmh": 50.0, "gear": "D"}))
assert denied.verdict is Verdict.DENY and "footrest when we're parked" in denied.reason


car = Car()
assert "set_footrest" in car.vehicle.offers()


def said(action):
    result = car.act(action)
    assert result.status is ActionStatus.DONE, result
    return report([result]), car.value("seat.driver.footrest")


assert said(raised) == ("Footrest at 100 percent.", 100)
assert careful(raised)
assert validate(raised, "my feet want the footrest up all the way", car.vehicle.offers()).ok
assert not validate(raised, "open up", car.vehicle.offers()).ok

recent = RecentActions((raised,), at=datetime.now(UTC))
(lower,) = followup.meant(matcher.match("a bit less"), recent, datetime.now(UTC))
assert lower == SetFootrest(percent=80)
assert said(lower) == ("Footrest at 80 percent.", 80)
assert said(Undo()) == ("Footrest as it was before.", 100)
assert lacks(("set_footrest",)) == "This car has no electric footrest."
"""
"""Said, judged, moved, answered, gone on with and taken back."""

CHECKS = (
    "tests/integration/test_actions_complete.py",
    "tests/unit/deploy/lab/test_documents.py",
    "tests/unit/memory/screen/test_wording.py",
    "tests/unit/vehicle/test_docs.py",
    "tests/unit/vehicle/test_policy.py::test_golden_and_table_speak_of_the_same_actions",
    "tests/unit/vehicle/test_policy.py::test_every_action_in_every_state_of_the_grid[set_footrest]",
    "tests/unit/vehicle/test_policy.py::test_rows_get_stricter_with_motion_and_say_why",
    "tests/unit/models/test_phrases.py::test_every_action_can_be_asked_for_in_several_ways",
    "tests/unit/voice/dialogue/test_commands.py::test_what_the_documentation_says_is_understood",
    "tests/unit/voice/dialogue/test_commands.py::test_every_action_can_be_asked_for_in_ten_ways_and_switched_either_way_in_five",
)


@pytest.mark.timeout(300)
def test_who_follows_the_guide_has_a_new_action_in_six_files(tmp_path: Path) -> None:
    tree = copied(tmp_path)
    touched = followed("adding-an-action.md", tree)
    assert len(touched) == 6, touched
    for made in ("docs/actions.md", "docs/what-to-say.md", "memory/screen/locale/en.actions.toml"):
        copy = (tree / made).read_text("utf-8")
        (tree / made).unlink()
        (tree / made).write_text(copy, "utf-8")
    run(tree, "-m", "deploy.lab.documents")
    assert "| `set_footrest` | percent | 4 | base ADD |  |" in (tree / "docs/actions.md").read_text("utf-8")
    now, before = (
        int((root / "docs/actions.md").read_text("utf-8").partition(" actions and questions")[0].rpartition("\n")[2])
        for root in (tree, ROOT)
    )
    assert now == before + 1
    assert "`set_footrest`" not in (ROOT / "docs/actions.md").read_text("utf-8")
    run(tree, "-c", DRIVE)
    run(tree, "-m", "pytest", "-q", "-p", "no:cacheprovider", *CHECKS)
