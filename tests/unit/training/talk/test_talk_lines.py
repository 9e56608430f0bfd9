"""Lines of small talk: the format, what is told beside, and that all of ours are sound."""

from __future__ import annotations

from random import Random

import pytest

from models.acts import talk as runtime
from models.training.acts.lines import Line
from models.training.talk import lines


def seeded(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - repeatable on purpose


def line(text: str) -> Line:
    return Line("some", 1, text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("hello", "no arrow"),
        ("[brief hello => Hello!", "not closed"),
        ("[loud] hello => Hello!", "nothing that is told"),
        ("hello => hello", "no short reply"),
        (f"hello => Well{' well' * 30}.", "no short reply"),
        ("[brief] ... => Hello!", "no utterance"),
        ("[] i like {noise} => Good.", "no placeholder"),
    ],
)
def test_what_is_not_in_the_format_is_told_with_its_place(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=rf"some\.txt:1: .*{told}"):
        lines.draw(seeded(0), line(text))


def test_the_same_name_and_number_stand_in_all_parts() -> None:
    text = "[knows you like {genre}; did The temperature is {n:17-25} degrees now.] hm => You like {genre}, at {n}."
    for seed in range(9):
        one = lines.draw(seeded(seed), line(text))
        knows, did = one.told.split("; ")
        genre, degrees = knows.removeprefix("knows you like "), did.split()[4]
        assert one.answer == f"You like {genre}, at {degrees}."
        assert one.prompt == f"talk [{one.told}] hm\n"


def test_only_a_line_without_brackets_is_told_something_beside() -> None:
    bare = {lines.draw(seeded(seed), line("hello => Hello!")).told for seed in range(40)}
    assert "" in bare
    assert any(told.startswith("knows ") for told in bare)
    assert any(told.startswith("did ") for told in bare)
    assert {lines.draw(seeded(seed), line("[] hello => Hello!")).told for seed in range(40)} == {""}


def test_what_is_told_is_written_as_the_program_writes_it() -> None:
    told = runtime.told("brief", ("you like jazz", "you like rock"), "Playing jazz.", "play jazz")
    assert told == "brief; knows you like jazz, you like rock; did Playing jazz.; said play jazz"
    assert runtime.told("loud") == ""
    assert lines.draw(seeded(0), line(f"[{told}] hm => Good.")).told == told


def test_ours_are_sound_some_are_held_out_and_each_is_drawn_once() -> None:
    all_ = lines.read()
    assert [problem for _, problem in lines.checked(all_)] == []
    said = [one.text.partition("=>")[0].strip() for one in all_]
    assert sorted(one for one in set(said) if said.count(one) > 1) == []
    held = {one.text for one in all_ if one.held_out}
    assert len(all_) > 1000
    assert 0.02 < len(held) / len(all_) < 0.06
    drawn = lines.drawn(seeded(1), all_)
    assert len(drawn) == len(all_)
    assert 0.2 < sum(bool(one.told) for one in drawn) / len(drawn) < 0.7
