"""What the screen shows of a turn, and offers where nothing was understood."""

from __future__ import annotations

import pytest

from deploy.showing.turns import exchange_of, guess
from models.commands.matcher import TemplateMatcher
from models.commands.templates import load_templates
from schemas.events import Hypothesis, Reply, Route, Transcript, TurnRecord
from tests.screens import NOW


@pytest.fixture(scope="module")
def matcher() -> TemplateMatcher:
    return TemplateMatcher(load_templates())


def heard(text: str, grammar: str, *others: str) -> Transcript:
    also = tuple(Hypothesis(text=other, log_score=-2.0 - place) for place, other in enumerate(others))
    return Transcript(
        text=text, confidence=0.5, in_grammar=False, grammar=Hypothesis(text=grammar, log_score=-1.0), others=also
    )


@pytest.mark.parametrize(
    ("text", "grammar", "offered"),
    [
        ("unlock the boars", "unlock the doors", "unlock the doors"),
        ("turn the van up", "turn the fan up", "turn the fan up"),
        ("purple monkey dishwasher seventeen", "i would like you to open the window please", ""),
        ("he's such a drama queen", "mute the media please", ""),
        ("lock the floors", "not a command at all", ""),
    ],
)
def test_a_command_is_offered_only_if_it_is_like_what_was_heard(
    matcher: TemplateMatcher, text: str, grammar: str, offered: str
) -> None:
    assert guess(heard(text, grammar), matcher) == offered


def test_the_likeliest_other_command_is_offered_where_the_first_is_none(matcher: TemplateMatcher) -> None:
    assert guess(heard("lock the floors", "not one", "lock the four", "lock the doors"), matcher) == "lock the doors"


def _turn(text: str, reply: str) -> TurnRecord:
    answer = Reply(text=reply, route=Route.MODEL, reason="a test")
    return TurnRecord(
        conversation="c", transcript=Transcript(text=text, confidence=0.9, in_grammar=False), reply=answer
    )


@pytest.mark.parametrize("signs", ["…", "...", " . ", "–", "“”"])
def test_signs_alone_are_neither_words_nor_a_reply(matcher: TemplateMatcher, signs: str) -> None:
    shown = exchange_of(_turn(signs, "Yes?"), matcher, NOW)
    assert shown is not None and (shown.heard, shown.reply) == ("", "Yes?")
    assert exchange_of(_turn("tell me a joke", signs), matcher, NOW) is None
