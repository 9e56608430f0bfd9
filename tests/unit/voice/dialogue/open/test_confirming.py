"""Answers that name what is asked about."""

from __future__ import annotations

import pytest

from schemas.actions import parse_action
from voice.dialogue.open.confirming import answer
from voice.dialogue.replies.responder import questions

PHARMACY = (parse_action("find_on_route", {"kind": "pharmacy"}),)
STOP = (parse_action("add_stop", {"destination": "crown pharmacy"}),)
ROOF = (parse_action("set_sunroof", {"percent": 100}),)
OUT = (parse_action("remove_stop", {"destination": "pharmacy"}),)


@pytest.mark.parametrize(
    ("text", "yes"),
    [
        ("ok add it", True), ("okay add it please", True), ("yeah do that", True), ("sure go ahead and add it", True),
        ("scratch the pharmacy", False), ("drop the crown pharmacy please", False), ("no leave the pharmacy out", False),
        ("no leave it", False), ("leave it out", False), ("no don't add it", False), ("don't bother", False),
        ("no skip that", False), ("leave it for now", False), ("not that one", False),
        ("scratch the bakery", None), ("add a bakery", None), ("open it", None), ("add it to my favourites", None),
        ("leave it on", None), ("don't remember that", None),
    ],
)  # fmt: skip
def test_a_stop_that_is_asked_about(text: str, yes: bool | None) -> None:
    for actions in (PHARMACY, STOP):
        if "crown" not in text or actions is STOP:
            assert answer(questions(actions), actions, text) is yes


@pytest.mark.parametrize(
    ("text", "yes"), [("ok open it", True), ("leave the sunroof", False), ("leave it", False), ("close it", None)]
)
def test_a_roof_that_is_asked_about(text: str, yes: bool | None) -> None:
    assert answer(questions(ROOF), ROOF, text) is yes


@pytest.mark.parametrize(
    ("text", "yes"), [("scratch the pharmacy", True), ("keep the pharmacy", False), ("take it", True)]
)
def test_what_is_asked_to_be_taken_away(text: str, yes: bool) -> None:
    assert answer(questions(OUT), OUT, text) is yes
