"""Acts as they are written, read and limited."""

from __future__ import annotations

import pytest

from models.acts.limits import meant, near, require_readable
from models.acts.spelling import read, write
from schemas.actions import BY_NAME, Domain
from schemas.actions.acts import NAMES, TOPICS, UNSAID, Act, slots_of
from schemas.errors import GenerationError


def test_every_action_of_the_car_is_an_act_with_its_slots() -> None:
    for name, action in BY_NAME.items():
        if action.domain is not Domain.MEMORY:
            assert set(action.model_fields) - UNSAID.get(name, frozenset()) <= set(slots_of(name)), name


def test_no_name_stands_twice() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert len(set(TOPICS)) == len(TOPICS)


def test_written_acts_are_read_again() -> None:
    acts = (
        Act("set_window", {"window": "passenger", "percent": 50}),
        Act("set_temperature", {"celsius": 21.5}),
        Act("play_music", {"artist": "simon and garfunkel"}),
        Act("set_dome_light", {"on": False}),
        Act("cannot", {"topic": "messages"}),
        Act("yes"),
    )
    text = write(acts)
    assert text == (
        "set_window(window=passenger,percent=50); set_temperature(celsius=21.5); play_music(artist=simon and garfunkel); "
        "set_dome_light(on=false); cannot(topic=messages); yes()"
    )
    assert read(text) == acts


def test_slots_are_brought_into_their_order() -> None:
    assert write(read("set_window(percent=50,window=passenger)")) == "set_window(window=passenger,percent=50)"


@pytest.mark.parametrize(
    "text",
    [
        "", "open the window", "fly()", "set_window(percent=fifty)", "set_window(colour=red)", "set_window(percent=5,percent=6)",
        "cannot(topic=pizza)", "set_dome_light(on=maybe)", "play_music(genre=)", "yes() no()",
    ],
)  # fmt: skip
def test_what_is_no_act_is_refused_without_its_words(text: str) -> None:
    with pytest.raises(GenerationError) as error:
        read(text)
    assert "pizza" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("fan to four", {4}),
        ("an hour and a half", {90}),
        ("twenty to seven", {6, 40}),
        ("open it a third", {35}),
        ("two hours", {120}),
        ("an hour and twenty minutes", {80}),
        ("three quarters of an hour", {45}),
        ("jump back a minute", {60}),
        ("two minutes further", {120}),
        ("five to midnight", {11, 55}),
        ("sixty eight degrees", {68}),
    ],
)
def test_numbers_that_may_be_written_are_said_or_follow(text: str, amounts: set[int]) -> None:
    assert amounts <= meant(text)
    assert not {37, 59, 71} & meant(text)


def test_of_a_context_the_numbers_count_and_those_a_step_away() -> None:
    assert near("did set_fan_speed(level=3)") == {2, 3, 4}
    assert near("did set_volume(percent=0); yes()") == {0, 1}


def test_endless_speech_is_not_parsed() -> None:
    require_readable("jazz " * 60)
    with pytest.raises(GenerationError, match="more than 60 words"):
        require_readable("jazz " * 61)
    with pytest.raises(GenerationError, match="more than 45 letters"):
        require_readable("play " + "ä" * 46)
