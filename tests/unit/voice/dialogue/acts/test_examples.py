"""Examples of what can be said."""

from __future__ import annotations

from schemas.actions import BY_NAME
from voice.dialogue.replies import examples


def test_an_example_is_about_a_thing_that_was_named() -> None:
    assert "window" in examples.fitting("do something about that window thing", BY_NAME)
    assert "seat" in examples.fitting("my seat somehow", BY_NAME)
    assert examples.fitting("purple monkey dishwasher", BY_NAME) == ""


def test_how_to_ask_for_examples_is_no_example() -> None:
    assert "what can i say" not in examples.fitting(
        "what functions and features of the assistant can be asked", BY_NAME
    )


def test_no_example_of_what_the_car_has_not() -> None:
    assert "window" not in examples.fitting("that window thing", frozenset({"set_volume"}))
