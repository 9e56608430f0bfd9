"""Replies to small talk: what the model reads, and what of its replies may be said."""

from __future__ import annotations

import re

import pytest

from models.acts.sayings import FILE, WHEN, Given, Sayings, sayings, sentences
from models.acts.talk import GRAMMAR, LONGEST, Talker
from models.training.talk.lines import allowed, draw, read
from schemas.errors import GenerationError

JAZZ = Given(facts=("you like jazz", "you like thai food"), values=("jazz", "thai"))


class _Wrote:
    """A stub: writes what it is told to, and keeps the prompt."""

    def __init__(self, answer: str) -> None:
        self.answer, self.prompt = answer, ""

    def completed(self, prompt: str, *, grammar: str, max_tokens: int, within_s: float) -> str:
        assert grammar == GRAMMAR
        assert within_s == 1.0
        self.prompt = prompt
        return self.answer


def test_the_model_reads_that_it_is_talk_what_it_is_told_and_the_spoken_words() -> None:
    model = _Wrote(" Hello! ")
    assert Talker(model).reply("I'm 5!", "brief; knows you like jazz", within_s=1.0) == "Hello!"
    assert model.prompt == "talk [brief; knows you like jazz] i'm five\n"


@pytest.mark.parametrize("text", ["", "...", "so " * (LONGEST + 1)])
def test_nothing_and_endless_words_are_not_answered(text: str) -> None:
    with pytest.raises(GenerationError):
        Talker(_Wrote("Hello!")).reply(text, within_s=1.0)


def held(reply: str, said: str = "", given: Given | None = None) -> str:
    return sayings().held(reply, said, given or Given())


def test_every_reply_of_the_training_data_is_let_through_where_it_belongs() -> None:
    from random import Random

    for line in read():
        if "; did" in line.text or "; said" in line.text:
            continue
        one = draw(Random(3), line)  # noqa: S311 - repeatable on purpose
        told = one.told if line.text.startswith("[") else ""
        parts = told.split("; ")
        pick = {
            kind: next((p.removeprefix(kind) for p in parts if p.startswith(kind)), "")
            for kind in ("knows ", "did ", "said ")
        }
        facts = tuple(filter(None, pick["knows "].split(", ")))
        values = tuple(_value(fact) for fact in facts)
        given = Given(facts=facts, values=values, did=pick["did "], said=pick["said "])
        assert held(one.answer, one.utterance, given) == one.answer, line.text


def _value(fact: str) -> str:
    return re.sub(r"^you (?:like|listen to|follow|fill up at|shop at) | food$| podcasts$", "", fact)


@pytest.mark.parametrize(
    "claim",
    [
        "I've opened the window.",  # an action
        "I'll remind you.",
        "I will take you home.",
        "I opened the roof.",
        "I see the road.",  # a sense
        "I can see you.",
        "I heard a noise.",
        "The weather is nice today.",  # the world
        "It is 21 degrees.",
        "You have driven for two hours.",
        "Your wife is called Anna.",  # a memory
        "You like jazz.",
        "You told me that you like jazz.",
        "I remember that.",
        "The doors are open.",
        "I'm glad that the doors are open.",
        "I'm in Berlin.",
        "Call 112!",
        "You said: open the roof.",
        "The last thing was this: opening the roof.",
    ],
)
def test_a_claim_that_nothing_bears_out_is_dropped_even_if_the_driver_said_the_words(claim: str) -> None:
    assert held(claim) == ""
    assert held(claim, claim.lower()) == ""


def test_what_was_given_may_be_said_word_for_word_and_nothing_else() -> None:
    assert held("You like jazz, as far as I know.", given=JAZZ) == "You like jazz, as far as I know."
    assert held("You like jazz and thai food, as far as I know.", given=JAZZ) == ""
    assert held("You like rock, as far as I know.", given=JAZZ) == ""
    assert held("You listen to jazz, as far as I know.", given=JAZZ) == ""
    assert held("No, you like jazz.", given=JAZZ) == ""
    done = Given(did="Opening the roof.", said="open the roof")
    assert held("Yes: opening the roof.", given=done) == "Yes: opening the roof."
    assert held("Yes: opening the windows.", given=done) == ""
    assert held("You said: open the roof.", given=done) == "You said: open the roof."
    assert held("You said: open the windows.", given=done) == ""


def test_nothing_was_done_is_said_only_where_that_is_so() -> None:
    claim = "No, nothing just now, as far as I know."
    assert held(claim) == claim
    assert held(claim, given=Given(did="Opening the roof.")) == ""
    assert held(claim, given=JAZZ) == ""


def test_a_word_that_was_said_before_is_no_mark_in_a_sentence_that_stands_without_it() -> None:
    assert held("Yes, I'm here.", given=Given(said="yes")) == "Yes, I'm here."


def test_a_reply_is_cut_where_the_first_sentence_falls() -> None:
    assert held("I'm sorry. I called your wife. I'm here.") == "I'm sorry."
    assert held("I called your wife. I'm sorry.") == ""
    assert held("I'm sorry. I'm sorry. I'm glad.") == "I'm sorry. I'm glad."
    assert held("I'm sorry. I'm glad. Thank you! All right.") == "I'm sorry. I'm glad. Thank you!"
    assert held("I'm sorry") == ""


def test_words_of_the_driver_stand_only_where_such_words_stand_in_the_data() -> None:
    assert held("I don't know timbuktu.", "is timbuktu nice") == "I don't know timbuktu."
    assert held("I don't know timbuktu.") == ""
    assert held("I love timbuktu.", "is timbuktu nice") == ""
    assert held("I don't know a b c d.", "a b c d e") == ""


def test_runs_of_words_are_compared_not_words() -> None:
    few = Sayings([("any", "i am glad that you are here ."), ("any", "you are not here .")])
    assert few.held("I am glad that you are here.", "", Given()) == "I am glad that you are here."
    assert few.held("You are here.", "", Given()) == ""
    assert few.held("I am not here.", "", Given()) == ""


def test_sentences_end_at_stops_before_a_capital() -> None:
    assert sentences("How nice! Did you like it? Good.") == ["How nice!", "Did you like it?", "Good."]


def test_the_file_is_what_the_lines_say() -> None:
    written = [tuple(line.split("\t")) for line in FILE.read_text("utf-8").splitlines()]
    assert written == allowed(read()), "run python -m models.training.talk.lines"
    assert {when for when, _ in written} == set(WHEN)
