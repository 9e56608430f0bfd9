"""Acts as they are written, read and allowed."""

from __future__ import annotations

import pytest

from models.acts.grammar import grammar, meant
from models.acts.parser import ActParser, prompt
from models.acts.spelling import read, write
from schemas.actions import BY_NAME, Domain
from schemas.actions.acts import NAMES, TOPICS, Act, slots_of
from schemas.errors import GenerationError


def test_every_action_of_the_car_is_an_act_with_its_slots() -> None:
    for name, action in BY_NAME.items():
        if action.domain is not Domain.MEMORY:
            assert set(action.model_fields) <= set(slots_of(name)), name


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


def test_the_grammar_leaves_out_words_nobody_said() -> None:
    text = grammar(["play", "jazz", 'ja"zz', "{x}"])
    assert 'word ::= "jazz" | "play"' in text
    assert "words" not in grammar([])


class _Wrote:
    def __init__(self, answer: str) -> None:
        self.answer, self.prompt = answer, ""

    def scored(self, prompt: str, *, grammar: str, max_tokens: int, within_s: float) -> tuple[str, float]:
        self.prompt = prompt
        assert within_s < 6.0
        assert '"jazz"' in grammar
        assert max_tokens > 0
        return self.answer, 0.5


def test_the_same_act_twice_is_one() -> None:
    model = _Wrote("play_music(genre=jazz); play_music(genre=jazz); set_mute(on=false)")
    parsed = ActParser(model).parse("Play jazz!", "did set_volume(percent=20)")
    assert model.prompt == prompt("play jazz", "did set_volume(percent=20)")
    assert [act.name for act in parsed.acts] == ["play_music", "set_mute"]
    assert parsed.sure == 0.5


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


def test_a_number_that_nobody_said_cannot_be_written() -> None:
    text = grammar(["fan"], {4})
    assert 'number ::= "0" | "1" | "2" | "3" | "4" | "5" | "100"' in text


def test_endless_speech_is_not_parsed() -> None:
    with pytest.raises(GenerationError, match="more than 60 words"):
        ActParser(_Wrote("yes()")).parse("jazz " * 61)
    with pytest.raises(GenerationError, match="more than 45 letters"):
        ActParser(_Wrote("yes()")).parse("play " + "ä" * 46)
