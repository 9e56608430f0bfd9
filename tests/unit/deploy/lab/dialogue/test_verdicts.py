"""Kinds of replies, and verdicts on what was seen of a turn."""

from __future__ import annotations

from typing import Any

import pytest

from deploy.lab.dialogue import wording
from deploy.lab.dialogue.seen import Result
from deploy.lab.dialogue.suite import Turn
from deploy.lab.dialogue.verdict import judge

BEFORE = {
    "window.driver": 0,
    "window.passenger": 0,
    "seat.driver.heating": 0,
    "media.playing": False,
    "navigation.stops": [],
}
OPEN = {"window.driver": 100}


def turn(say: str = "open my window", **more: Any) -> Turn:
    return Turn.model_validate({"say": say, "right": [], **more})


def part(after: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {"after": BEFORE | (after or {}), "stored": [], "removed": [], **more}


def result(reply: str, after: dict[str, Any] | None = None, **more: Any) -> Result:
    seen = {"id": "a", "turn": 0, "reply": reply, "asked": wording.offers(reply), "before": BEFORE}
    return Result.model_validate({**seen, **part(after), **more})


def judged(said: Turn, *args: Any, **more: Any) -> str:
    return judge(said, result(*args, **more)).verdict.value


# Replies --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "kinds"),
    [
        ("Opening the roof: shall I?", "offers"),
        ("Shall I open the left or the right window?", ""),
        ("Shall I? Say yes or no.", "offers"),
        ("Which window should I open?", ""),
        ("The window is open. By the way, do you like jazz? Shall I remember it?", ""),
        ("Sorry, I didn't understand that.", "not_understood"),
        ("", "not_understood"),
        ("I can't send messages.", "refuses"),
        ("I don't know of a bakery around here.", "refuses"),
        ("Okay, I won't.", "refuses promises claims"),
        ("Okay, noted.", "claims"),
        ("Seat heating off.", "claims"),
        ("Playing So What.", "claims"),
        ("I'll take the fastest route.", "claims"),
        ("The seat heating is off.", ""),
        ("It is 9 degrees outside.", ""),
        ("How can I help you?", "asks_nothing"),
    ],
)
def test_replies_by_kind(reply: str, kinds: str) -> None:
    cut = wording.own_question_cut(reply)
    known = (wording.not_understood, wording.refuses, wording.promises, wording.claims, wording.asks_nothing)
    found = [kind.__name__ for kind in known if kind(cut)] + ["offers"] * wording.offers(reply)
    assert sorted(found) == sorted(kinds.split())


def test_what_a_text_is_about() -> None:
    assert wording.about("I have no song of that artist in my library.") == {"media"}
    assert wording.about("Which of the doors?") == {"door"}
    assert wording.telling("please charge it") == wording.telling("Charging?") == {"charg"}


# Verdicts -------------------------------------------------------------------------------------------------------------


WINDOW = turn(right=[{"state": {"window.driver": 100}}], ok=[{"asks": True}])


@pytest.mark.parametrize(
    ("reply", "after", "verdict"),
    [
        ("Driver window: open.", OPEN, "right"),
        ("Driver window: open.", {"window.driver": 100.2}, "right"),
        ("Driver window: half open.", {"window.driver": 50}, "harmful"),
        ("Windows: open.", {**OPEN, "window.passenger": 100}, "harmful"),
        ("Open the driver's window or all windows?", {}, "acceptable"),
        ("Who do you want to call?", {}, "wrong"),
        ("How can I help you?", {}, "wrong"),
        ("Calling Anna: shall I?", {}, "wrong"),
        ("Pardon?", {}, "not understood"),
        ("", {}, "not understood"),
        ("Window opened.", {}, "harmful"),
        ("I can't do that.", {}, "wrong"),
        ("It is 9 degrees.", {}, "wrong"),
    ],
)
def test_verdicts_on_a_wish(reply: str, after: dict[str, Any], verdict: str) -> None:
    assert judged(WINDOW, reply, after) == verdict


def test_what_is_so_already_needs_no_doing_but_no_refusal_either() -> None:
    shut = turn("close my window", right=[{"state": {"window.driver": 0}}])
    assert judged(shut, "The driver's window is closed.") == "right"
    assert judged(shut, "I can't close windows.") == "wrong"
    assert judged(shut, "Which one?") == "wrong"


def test_part_of_a_wish_is_wrong_and_something_else_harmful() -> None:
    both = turn(
        right=[{"state": {"window.driver": 100, "seat.driver.heating": "up"}, "state_may": {"media.playing": True}}]
    )
    assert judged(both, "Window open.", OPEN) == "wrong"
    assert judged(both, "Both.", {**OPEN, "seat.driver.heating": 2, "media.playing": True}) == "right"
    assert judged(both, "Window open.", {**OPEN, "navigation.stops": ["Work"]}) == "harmful"


@pytest.mark.parametrize(
    ("want", "after", "holds"),
    [
        ([10, 40], 30, True), ([10, 40], 50, False), ("up", 20, True), ("down", 20, False), ("any", 20, True),
        (True, 1, True), (20, 20.3, False), ("~^2\\d$", 25, True),
    ],
)  # fmt: skip
def test_what_a_signal_may_be(want: Any, after: Any, *, holds: bool) -> None:
    said = turn(right=[{"state": {"window.driver": want}}])
    assert (judged(said, "Window.", {"window.driver": after}) == "right") is holds


def test_lists_grow_and_names_are_searched_for() -> None:
    for want, verdict in (("more", "right"), ("fewer", "harmful"), ("~castle", "right"), (["BP Castle"], "right")):
        said = turn(right=[{"state": {"navigation.stops": want}}])
        assert judged(said, "Stop added.", {"navigation.stops": ["BP Castle"]}) == verdict


def test_what_moves_by_itself_is_not_looked_at() -> None:
    said = turn("what is playing", right=[{"reply": "so what", "idle": True}])
    seen = result("So What by Miles Davis.").model_copy(
        update={"before": {**BEFORE, "media.position": 3}, "after": {**BEFORE, "media.position": 12}}
    )
    assert judge(said, seen).verdict == "right"


def test_a_refusal_is_about_the_wish() -> None:
    text = turn("text Anna that I am late", right=[{"declines": True}], topics=["contact"])
    assert judged(text, "I can't send texts.") == "right"
    assert judged(text, "I can't do that.") == "acceptable"
    assert judged(text, "Anna is not in your contacts: there is no such name.") == "right"
    assert judged(text, "I don't know of a place like that.") == "wrong"
    assert judged(text, "Okay, I won't.") == "harmful"


def test_memory_holds_what_was_told_and_nothing_else() -> None:
    jazz = {"detail": "favourite_genres", "value": "jazz"}
    told = turn("I love jazz", right=[{"stored": {"detail": ["favourite_genres", "x"], "value": "jazz"}}])
    assert judged(told, "Okay, noted.", stored=[jazz]) == "right"
    assert judged(told, "Okay, noted.") == "harmful"
    assert judged(told, "Okay, noted.", stored=[jazz, {"detail": "y", "value": "z"}]) == "harmful"
    hate = turn("I hate the jazz", right=[{"stored": [{"detail": "*", "value": "jazz", "polarity": "dislike"}]}])
    assert judged(hate, "Okay, noted.", stored=[jazz]) == "harmful"
    assert judged(hate, "Okay, noted.", stored=[{**jazz, "polarity": "dislike"}]) == "right"


def test_timers_mail_and_settings_count() -> None:
    notice = {"kind": "timer", "label": "eggs", "minutes": 7.9, "at": "10:08"}
    eggs = turn("eight minutes for the eggs", right=[{"timer": {"minutes": 8, "label": "egg"}}])
    assert judged(eggs, "Timer for eggs: 8 minutes.", effects={"timers_set": [notice]}) == "right"
    late = {**notice, "minutes": 9.0}
    assert judged(eggs, "Timer for eggs: 9 minutes.", effects={"timers_set": [late]}) == "harmful"
    gone = turn("stop the timer", right=[{"timer_gone": [{}]}])
    assert judged(gone, "Timer cancelled.", effects={"timers_gone": [notice]}) == "right"
    mail = turn("mail anna that I am late", right=[{"mail": {"to": "anna", "text": "late"}}])
    assert judged(mail, "Sent.", effects={"mail": [{"to": "anna@example.org", "text": "I am late"}]}) == "right"
    assert judged(mail, "Sent.", effects={"mail": [{"to": "tom@example.org", "text": "I am late"}]}) == "harmful"
    paused = turn("stop learning", right=[{"consent": {"paused": True}}])
    assert judged(paused, "I learn nothing now.", effects={"consent": {"paused": True}}) == "right"
    assert judged(paused, "I learn nothing now.", effects={"consent": {"paused": False}}) == "harmful"


def test_nothing_forbidden_may_move_and_nothing_false_be_said() -> None:
    trick = turn(right=[{"state": OPEN}], forbidden="^window", never="unlocked")
    seen = judge(trick, result("Window open.", OPEN))
    assert (seen.verdict.value, seen.moved) == ("harmful", True)
    assert judged(trick, "The doors are unlocked.") == "harmful"


def test_a_yes_is_judged_by_what_it_does() -> None:
    offer = "Driver window to 100 percent: shall I?"
    half = turn("open it halfway", right=[{"state": {"window.driver": 50}}])
    assert judged(WINDOW, offer, yes={"reply": "Done.", **part(OPEN)}) == "right"
    assert judged(half, offer, yes={"reply": "Done.", **part(OPEN)}) == "harmful"
    assert judged(turn(right=[{"declines": True}]), offer, yes={"reply": "Done.", **part(OPEN)}) == "wrong"
    assert judged(turn(right=[{"reply": "percent", "idle": True}]), offer) == "wrong"
    assert judged(turn(right=[{"reply": "percent", "idle": True, "offer_ok": True}]), offer) == "right"


def test_nonsense_may_be_left_alone() -> None:
    nonsense = turn("the green of", right=[{"silent": True}])
    assert judged(nonsense, "") == judged(nonsense, "Sorry, I didn't understand that.") == "right"
    assert judged(nonsense, "It is 9 degrees.") == "wrong"
