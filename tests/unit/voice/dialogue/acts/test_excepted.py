"""What is left out: the places that an exception names."""

from __future__ import annotations

import pytest

from voice.dialogue.acts import excepted


@pytest.mark.parametrize(
    ("words", "corners"),
    [
        ("except mine", {"driver"}), ("all but hers", {"passenger"}), ("not the back ones", {"rear_left", "rear_right"}),
        ("apart from the rear right", {"rear_right"}), ("other than the front left", {"driver"}),
        ("save for the two behind", {"rear_left", "rear_right"}), ("apart from my reading light", {"driver"}),
        ("but leave the music", set()),
    ],
)  # fmt: skip
def test_the_corners_that_words_name(words: str, corners: set[str]) -> None:
    assert excepted.named(words) == corners
