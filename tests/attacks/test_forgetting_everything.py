"""Ways of saying that everything is to be forgotten, and of taking back what was said just before; and what sounds like them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.attacks.test_forgetting import Drive, Heard, carried

__all__ = ["carried"]
CASES: dict[str, list[str]] = yaml.safe_load((Path(__file__).parent / "forgetting_everything.yaml").read_text("utf-8"))
ALL = re.compile(r"\bthings about you\b.* Shall I forget it all\?|^That deletes all that I remember about")
"""What is asked where everything is to be forgotten."""
TOLD = "i love bossa nova"


@pytest.fixture(scope="module")
def drive(carried: Heard, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Drive]:
    """One car for all of them: none of them is said yes to."""
    made = Drive(tmp_path_factory.mktemp("drive"), carried, None, 0)
    yield made
    made.car.leave()


def asked(drive: Drive, text: str) -> str:
    """The reply to a sentence, after which nothing is open any more."""
    reply = drive.say(text)
    drive.say("no")
    rest(drive)
    return reply


def rest(drive: Drive) -> None:
    """Nothing is spoken of any more, and what is told next is learnt."""
    drive.car.dialogue.end_conversation()
    drive.memory.pause(None)


@pytest.mark.parametrize("text", CASES["all"])
def test_everything_is_asked_about(text: str, drive: Drive) -> None:
    assert ALL.search(asked(drive, text))


@pytest.mark.parametrize("text", CASES["near"])
def test_what_only_sounds_like_everything_is_not(text: str, drive: Drive) -> None:
    assert not ALL.search(asked(drive, text))


@pytest.mark.parametrize("text", CASES["last"])
def test_what_was_just_told_is_taken_back(text: str, drive: Drive) -> None:
    drive.say(TOLD)
    assert "bossa nova" in drive.told()
    reply = drive.say(text)
    if reply.endswith("?"):
        reply = drive.say("yes")
    rest(drive)
    assert "bossa nova" not in drive.told(), reply


@pytest.mark.parametrize("text", CASES["not_last"])
def test_what_only_sounds_like_taking_back_is_not(text: str, drive: Drive) -> None:
    drive.say(TOLD)
    drive.say(text)
    drive.say("no")
    rest(drive)
    assert "bossa nova" in drive.told()


@pytest.mark.parametrize("text", CASES["telling"])
def test_what_tells_something_special_and_names_nothing_is_no_wish(text: str, drive: Drive) -> None:
    reply = asked(drive, text)
    assert "I find nothing" not in reply and "orget" not in reply, reply
