"""What a liking points at: the music that plays, or nothing that is known."""

from __future__ import annotations

import pytest

from voice.dialogue.memory.pointing import bare, named, unknown

PLAYS = {
    "media.playing": True, "media.source": "music", "media.title": "So What", "media.artist": "Miles Davis", "media.genre": "jazz",
}  # fmt: skip


@pytest.mark.parametrize(
    ("said", "means"),
    [
        ("i like this stuff when i'm driving to work", "i like jazz when i'm driving to work"),
        ("i love this kind of thing in the evening", "i love jazz in the evening"),
        ("keep in mind i like this guy", "keep in mind i like Miles Davis"),
        ("i can't stand that band", "i can't stand Miles Davis"),
        ("i like this, keep that in mind", "i like jazz, keep that in mind"),
        ("i can't stand this song", "i can't stand this song"),
        ("i like this seat further back", "i like this seat further back"),
        ("remember this for me", "remember this for me"),
        ("this car takes diesel", "this car takes diesel"),
    ],
)
def test_what_plays_takes_the_place_of_what_points_at_it(said: str, means: str) -> None:
    assert named(said, PLAYS) == means
    assert named(said, {**PLAYS, "media.playing": False}) == named(said, {}) == said
    assert named(said, {**PLAYS, "media.source": "podcast"}) == said


def test_where_nothing_is_known_it_says_so() -> None:
    assert (
        unknown("i like this stuff", {}) == "I don't know what you mean by this stuff; name it, and I'll remember it."
    )
    assert unknown("i like this song", PLAYS).startswith("That is So What by Miles Davis;")
    assert unknown("i like jazz", {}) == ""


def test_only_without_a_word_for_its_kind_may_it_be_what_the_car_did() -> None:
    assert bare("i like it like this") and not bare("i like this music") and not bare("i like jazz")
