"""Lines of utterances with their acts: the format, drawing from them, the phrase bank's share, and that all of ours are sound."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from models.training.acts import alter, bank
from models.training.acts.data import Corpus, conflicts
from models.training.acts.form import Act, read, write
from models.training.acts.lines import Case, Line, draw, lines, said_number, says


def seeded(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - repeatable on purpose


def line(text: str) -> Line:
    return Line("some", 1, text)


def test_acts_are_read_as_they_are_written_and_slots_are_put_in_order() -> None:
    text = "set_window(window=passenger,percent=50); navigate_to(destination=park hotel); yes()"
    assert write(read(text)) == text
    assert write(read("set_window(percent=50, window=passenger)")) == "set_window(window=passenger,percent=50)"
    assert read("send_email(person=mum,message=i'm late)")[0].said == ("mum", "i'm late")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("fly(height=3)", "no act is called"),
        ("set_window(colour=red)", "has no slot"),
        ("set_window", "is no act"),
        ("set_window(percent)", "no slot with a value"),
        ("cannot(topic=flying)", "no topic"),
    ],
)
def test_what_is_no_act_is_told(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        read(text)


def test_numbers_are_said_in_words_and_written_in_digits() -> None:
    for seed in range(30):
        case = draw(
            seeded(seed),
            line("make it {n:16-18:0.5} and {n2:2-3} => set_temperature(celsius={n}); set_fan_speed(level={n2:2-3})"),
        )
        celsius = float(case.acts[0].slots["celsius"])
        assert celsius in (16, 16.5, 17, 17.5, 18)
        assert case.acts[1].slots["level"] in ("2", "3")
        assert not any(letter.isdigit() for letter in case.utterance)
    assert said_number(seeded(0), 21.5) in ("twenty one and a half", "twenty one point five")


def test_names_stand_in_both_parts_and_lose_their_article_where_they_are_written() -> None:
    for seed in range(60):
        case = draw(
            seeded(seed),
            line(
                "take me to {destination} with {artist} on => navigate_to(destination={destination}); play_music(artist={artist})"
            ),
        )
        destination = case.acts[0].slots["destination"]
        assert says(case.utterance, destination)
        assert not destination.startswith(("the ", "my "))
        assert says(case.utterance, case.acts[1].slots["artist"])
        assert (
            " the the "
            not in draw(seeded(seed), line("to the {destination} => navigate_to(destination={destination})")).utterance
        )
        kept = draw(seeded(seed), line("remind me to call {person} => set_reminder(what=call {person})"))
        assert kept.utterance.endswith(kept.acts[0].slots["what"])


def test_a_context_and_ways_of_saying_it() -> None:
    case = draw(
        seeded(1), line("[did play_music(artist={artist})] (turn|switch) it (off|) => set_playback(command=pause)")
    )
    artist = case.context.removeprefix("did play_music(artist=").removesuffix(")")
    assert case.prompt == f"[did play_music(artist={artist})] {case.utterance}\n"
    assert case.utterance in ("turn it", "switch it", "turn it off", "switch it off")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("open it", "no arrow"),
        ("play {tune} => play_music()", "no placeholder"),
        ("play something => play_music(artist=queen)", "not said"),
        ("play it => play_music(artist={artist})", "not in the utterance"),
        ("{n} degrees => set_temperature(celsius={n})", "needs a range"),
        ("[did yes() more => yes()", "not closed"),
    ],
)
def test_a_line_that_is_not_in_the_format_is_told_with_its_place(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=f"some.txt:1: .*{told}"):
        draw(seeded(0), line(text))


def test_the_same_words_with_another_meaning_are_found() -> None:
    first, same, other = line("hi => hello()"), line("hi  => hello()"), line("hi => chat()")
    assert conflicts([first, same]) == ([same], [])
    assert conflicts([first, other]) == ([], [(first, other)])


def test_our_own_lines_are_in_the_format_and_contradict_nothing() -> None:
    all_ = lines()
    assert len(all_) > 5000
    rng = seeded(0)
    for one in all_:
        draw(rng, one)
    assert conflicts(all_)[1] == []
    apart = [one for one in all_ if one.held_out]
    assert 0.03 < len(apart) / len(all_) < 0.05


def test_a_round_has_the_bank_s_share_and_nothing_that_is_held_out(tmp_path: Path) -> None:
    path = tmp_path / "few.txt"
    path.write_text(
        "# a remark\n"
        + "\n".join(
            f"play song {word} now please => play_music(song={word})" for word in "abcdefghijklmnopqrstuvwxyz" * 4
        ),
        encoding="utf-8",
    )
    corpus = Corpus(path)
    assert len(corpus.twice) == 78
    assert len(corpus.lines) == 26
    made = corpus.round(3)
    assert [case.answer for case in made] == [case.answer for case in corpus.round(3)]
    assert not {one.text.partition(" => ")[0] for one in corpus.held_out} & {case.utterance for case in made}
    assert {"few", "joined"} < {case.group for case in made}
    for case in made:
        assert all(says(f"{case.utterance} {case.context}", value) for act in case.acts for value in act.said)


def test_the_bank_s_habits_are_left_out() -> None:
    assert bank.mended("open the window", "set_window", {"window": "driver", "percent": 100}) == Act(
        "set_window", {"percent": "100"}
    )
    mine = bank.mended("open my window", "set_window", {"window": "driver", "percent": 100})
    assert mine == Act("set_window", {"window": "driver", "percent": "100"})
    hot = bank.mended("sixty eight degrees please", "set_temperature", {"celsius": 20})
    assert hot == Act("set_temperature", {"fahrenheit": "68"})
    assert bank.mended("write to anna that i'm late", "send_email", {"person": "anna", "message": "i'm late"}) is None
    assert bank.mended("call my mother", "call_contact", {"person": "my mother"}) == Act(
        "call_contact", {"person": "mother"}
    )
    for case in bank.cases(seeded(4), 40):
        assert read(case.answer) == case.acts


def test_other_words_keep_the_meaning() -> None:
    rng = seeded(2)
    case = Case("take me to the harbour", (Act("navigate_to", {"destination": "harbour"}),))
    assert alter.complete(case)
    for _ in range(30):
        assert says(alter.misheard(rng, case).utterance, "harbour")
        assert "take me to the harbour" in alter.framed(rng, case).utterance
        assert alter.after_something(rng, case, [case]).acts == case.acts
    both = alter.joined(rng, (case, Case("close the sunroof now please", (Act("set_sunroof", {"percent": "0"}),))))
    assert [act.name for act in both.acts] == ["navigate_to", "set_sunroof"]
    assert not alter.complete(Case("and a bit more of it", (Act("change_volume", {"change": "up"}),)))
