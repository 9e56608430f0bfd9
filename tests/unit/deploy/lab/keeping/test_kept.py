"""What is right to keep of a sentence, and what not: the suite's own rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deploy.lab.keeping import suite
from deploy.lab.keeping.judging import Note, Pref, Seen, judge
from schemas.errors import EvaluationDataError

SUITE = Path(__file__).parents[4] / "suites" / "memory.yaml"
JAZZ = {"preference": {"category": "favorite_genres", "value": "jazz", "sense": "likes"}}
LEVEL = {"fact": {"words": ["level (three|3)"], "until": "next drive"}}


def entry(*right: Any, **more: Any) -> suite.Entry:
    return suite.Entry.model_validate({"id": "a", "kind": "likes", "say": "i like jazz", "right": list(right), **more})


def seen(*kept: Pref | Note, reply: str = "Okay.", **more: Any) -> Seen:
    preferences = frozenset(one for one in kept if isinstance(one, Pref))
    facts = frozenset(one for one in kept if isinstance(one, Note))
    told: dict[str, Any] = {"reply": reply, "answer": "", "before": frozenset[Pref](), **more}
    return Seen(**told, preferences=preferences, facts=facts)


def verdict(told: suite.Entry, *kept: Pref | Note, **more: Any) -> str:
    return judge(told, seen(*kept, **more)).verdict.value


LIKES = Pref("favorite_genres", "jazz", "likes")
HATES = Pref("favorite_genres", "jazz", "dislikes")
MORNING = Pref("favorite_genres", "jazz", "likes", (("time_of_day", "in the morning"),))


def test_a_liking_is_right_with_its_sense_and_without_a_condition_that_nobody_said():
    assert verdict(entry(JAZZ), LIKES) == "right"
    assert verdict(entry(JAZZ)) == "lost"
    assert verdict(entry(JAZZ), HATES) == "sense"
    assert verdict(entry(JAZZ), MORNING) == "extra"
    assert verdict(entry(JAZZ), LIKES, Pref("favorite_songs", "jazz", "likes")) == "extra"


def test_a_condition_must_be_kept():
    wanted = {**JAZZ["preference"], "condition": {"kind": "time_of_day", "words": "morning"}}
    assert verdict(entry({"preference": wanted}), MORNING) == "right"
    assert verdict(entry({"preference": wanted}), LIKES) == "extra"


def test_nothing_may_be_kept_and_asking_counts_only_where_it_may():
    assert verdict(entry("nothing")) == "right"
    assert verdict(entry("nothing"), LIKES) == "extra"
    assert verdict(entry("nothing", never=[{"value": "jazz"}]), LIKES) == "never"
    assert verdict(entry(JAZZ), asks=True) == "lost"
    assert verdict(entry(JAZZ, ok=["asked_first"]), asks=True) == "right"


def test_a_fact_is_kept_with_its_end_and_given_when_asked_for():
    told = entry(LEVEL, ask="where did i park")
    note = Note("i parked on level three", "", "next drive")
    assert verdict(told, note, answer="You parked on level three.") == "right"
    assert verdict(told, note, answer="I don't know.") == "lost"
    assert verdict(told, Note("i parked on level three", "", ""), answer="Level three.") == "lost"
    assert verdict(entry(LEVEL, ok=["until: none"]), Note("i parked on level three", "", "")) == "right"


def test_a_secret_must_be_refused_aloud_and_stand_nowhere():
    told = entry("refused", never=[{"text": "4815"}])
    assert verdict(told, reply="I never keep PINs.") == "right"
    assert verdict(told, reply="Okay.") == "lost"
    assert verdict(told, reply="I never keep PINs.", tables="my pin is 4815") == "never"
    assert verdict(told, reply="I won't keep 4815.") == "never"


def test_what_held_before_is_no_extra_and_must_go_where_it_is_gone():
    gone = {"gone": {"category": "favorite_genres", "value": "jazz", "sense": "likes"}}
    assert verdict(entry("nothing"), LIKES, before=frozenset({LIKES})) == "right"
    assert verdict(entry(gone), LIKES, before=frozenset({LIKES})) == "lost"
    assert verdict(entry(gone), before=frozenset({LIKES})) == "right"


def test_the_suite_can_be_read_in_halves():
    read, held = suite.read(SUITE, kept=False), suite.read(SUITE, kept=True)
    assert len(read) == len(held) == 120
    assert {one.kind for one in read} == set(suite.KINDS)


def test_an_unknown_key_is_an_error(tmp_path: Path):
    path = tmp_path / "suite.yaml"
    path.write_text("- {id: a, kind: likes, say: x, right: [nothing], nver: []}", "utf-8")
    with pytest.raises(EvaluationDataError, match="entry 1"):
        suite.read(path)


def test_a_secret_is_no_part_of_the_digits_of_a_hash():
    never = entry("refused", never=[{"text": "2026|two zero two six"}])
    no = "I won't keep that: never a code."
    assert verdict(never, reply=no, tables="7c277a252cacce202610cba6") == "right"
    assert verdict(never, reply=no, tables="garage 2026") == "never"
