"""Which of several things an answer picks, said or tapped."""

from __future__ import annotations

import pytest

from schemas.events import Command, CommandKind
from schemas.memory import Selector
from voice.dialogue.forgetting.asking import Asked, Question, read, which
from voice.dialogue.open.table import Event
from voice.dialogue.open.tapping import shown
from voice.dialogue.open.things import Forgetting

FIRST, SECOND = Selector(ids=("p1",)), Selector(ids=("p2",))
OPEN = Question(
    Asked.WHICH, again="Which shall I forget: ...?",
    which=((FIRST, "that you fill up at shell"), (SECOND, "that you fill up at co op")),
)  # fmt: skip


def command(name: str, **slots: int) -> Command:
    return Command(kind=CommandKind.MEMORY, name=name, slots=slots)


@pytest.mark.parametrize(
    ("text", "said", "event", "picked"),
    [
        ("the co op", None, Event.FITS, (SECOND,)),
        ("the first one", command("pick", position=1), Event.FITS, (FIRST,)),
        ("the fifth one", command("pick", position=5), Event.AGAIN, ()),
        ("both of them", None, Event.FITS, (FIRST, SECOND)),
        ("yes", command("yes"), Event.AGAIN, ()),
        ("delete them", command("delete_those"), Event.FITS, (FIRST, SECOND)),
        ("keep them", command("keep_those"), Event.NO, None),
        ("the shell and the co op please", None, Event.FITS, (FIRST, SECOND)),
        ("all two of those", None, Event.FITS, (FIRST, SECOND)),
        ("everything about adele", None, None, ()),
        ("all my music", None, None, ()),
        ("fill up", None, None, ()),
        ("open the window", None, None, ()),
    ],
)
def test_an_answer_picks_one_or_all_and_a_yes_none(
    text: str, said: Command | None, event: Event | None, picked: tuple[Selector, ...] | None
) -> None:
    assert read(OPEN, text, said) is event
    assert picked is None or which(OPEN, text, said) == picked


def test_words_that_name_nothing_pick_nothing_and_most_of_its_words_pick_one() -> None:
    boss, beep = (FIRST, "what you told me: the boss was in the lane"), (SECOND, "that you avoid lane keeping beep")
    open_ = Question(Asked.WHICH, again="Which shall I forget: ...?", which=(boss, beep))
    assert which(open_, "open the window", None) == () and read(open_, "open the window", None) is None
    assert which(open_, "you know what i was told", None) == ()
    assert which(open_, "the lane keeping beep", None) == (SECOND,)
    assert which(open_, "the boss one", None) == (FIRST,)


def test_each_has_a_button() -> None:
    choices = shown(Forgetting(OPEN), 1).choices
    assert [(one.label, one.answer) for one in choices] == [
        ("that you fill up at shell", "the first"), ("that you fill up at co op", "the second"),
    ]  # fmt: skip
