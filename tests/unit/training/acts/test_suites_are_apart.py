"""The suites of dialogues that are measured on, and the lines that are trained on, share no more than what anybody says."""

from __future__ import annotations

from pathlib import Path

import pytest

from deploy.lab.dialogue import suite
from models.text import spoken
from models.training.acts.lines import lines

SUITES = Path(__file__).parents[3] / "suites"
SHORT = 3
"""Words that anybody may say in the same order: "not that one"."""
MOST = 0.05
"""Share of longer sentences that may stand in both: "put the hazards on" is said by many."""


@pytest.mark.parametrize(
    "name",
    ["read", "unread", "later_read", "later_unread", "stranger_read", "stranger_unread", "second_stranger_unread"],
)
def test_a_suite_is_not_trained_on(name: str) -> None:
    said = {spoken(turn.say) for case in suite.read(SUITES / f"{name}.jsonl") for turn in case.turns}
    taught = {line.text.partition("=>")[0].rpartition("]")[2].strip() for line in lines()}
    assert len(said) > 60 and len(taught) > 10_000
    shared = {text for text in said & taught if len(text.split()) > SHORT}
    assert len(shared) <= MOST * len(said), f"{len(shared)} sentences stand in both"
