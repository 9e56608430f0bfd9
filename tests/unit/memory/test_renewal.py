"""What a sentence makes of a fact that is kept: other numbers, days and places of the same thing, and what only sounds like one."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory.driver.renewal import Renewal, renewed
from schemas.memory import Outcome
from tests.memories import memory_of

BAKERY, PLUMBER, MUM = "the bakery closes at six", "the plumber is coming on monday", "mum lives in york"
VET = "the vet is seeing rex on monday and tilly on friday"


@pytest.mark.parametrize(
    ("old", "said", "text"),
    [
        (BAKERY, "actually that bakery closes at five thirty", "the bakery closes at five thirty"),
        (PLUMBER, "the plumber's coming on thursday now, not monday", "the plumber is coming on thursday"),
        ("the dentist is on the fourth of may", "so the dentist isn't on the fourth, it's on the ninth",
         "the dentist is on the ninth of may"),
        (VET, "the vet is seeing rex on tuesday now, not monday", "the vet is seeing rex on tuesday and tilly on friday"),
        ("the ferry leaves at quarter past eight", "lisa says the ferry doesn't leave at quarter past eight, it leaves at nine",
         "the ferry leaves at nine"),
        ("my gym locker is number forty two", "they've moved me, my gym locker is number seventeen now",
         "my gym locker is number seventeen"),
        ("the spare key is under the mat", "the spare key is in the shed now", "the spare key is in the shed"),
        ("our tent is in the loft", "we've moved the tent to the garage", "our tent is in the garage"),
        ("yoga is at the church hall", "yoga isn't at the church hall any more, it's at the school", "yoga is at the school"),
    ],
)  # fmt: skip
def test_another_value_of_the_same_thing_is_surely_taken(old: str, said: str, text: str) -> None:
    made = renewed(old, said)
    assert made is not None and (made.text, made.whole, made.sure) == (text, True, True)


@pytest.mark.parametrize(
    ("old", "said", "text"),
    [
        ("the site gate opens at seven", "hey the gate's opening at six thirty these days", "the site gate opens at six thirty"),
        (PLUMBER, "the plumber is coming to mum on wednesday", "the plumber is coming on wednesday"),
        (MUM, "mum has moved to leeds", "mum lives in leeds"),
        (MUM, "mum lives in leeds", "mum lives in leeds"),
        ("the first aid kit is under the seat", "i put the first aid kit in the boot", "the first aid kit is in the boot"),
    ],
)  # fmt: skip
def test_what_may_be_another_thing_or_for_a_while_is_not_sure(old: str, said: str, text: str) -> None:
    made = renewed(old, said)
    assert isinstance(made, Renewal) and (made.text, made.sure) == (text, False)


@pytest.mark.parametrize(
    ("old", "said"),
    [
        (BAKERY, "the butcher closes at five"),
        (BAKERY, "the bakery opens at seven"),
        (BAKERY, "the bakery closes at five on sundays"),
        (BAKERY, "i think the bakery closes at five"),
        (BAKERY, "the bakery used to close at five"),
        (PLUMBER, "the plumber charges sixty an hour"),
        ("locker seven is number twelve", "locker eight is number five"),
        ("my locker is number three in the gym", "my locker is number three in the pool"),
        (MUM, "dad lives in leeds"),
        (MUM, "we're going to leeds with mum"),
        (MUM, "mum was in leeds yesterday"),
        ("the spare key is under the mat", "the mat is in the shed now"),
        ("our tent is in the loft", "we slept in the tent in the garden last summer"),
        ("jake works at the library", "jake's wife works at the town hall"),
        (VET, "the vet is seeing bella on tuesday"),
    ],
)
def test_what_is_another_thing_changes_nothing(old: str, said: str) -> None:
    assert renewed(old, said) is None


def test_of_what_is_kept_the_one_fact_that_is_meant_is_found() -> None:
    memory = memory_of(clock=lambda: datetime(2026, 3, 1, 8, 0, tzinfo=UTC))
    for text in (BAKERY, PLUMBER):
        assert memory.learner.keeping.remember(text).outcome is Outcome.APPEND
    found = memory.renewal("the plumber's coming on thursday now, not monday")
    assert found is not None and (found[0].text, found[1]) == ("the plumber is coming on thursday", True)
    assert memory.renewal("the bakery closes at five", orders=True) is None
    assert memory.renewal("the bakery doesn't close at six, it's five", orders=True) is not None
    assert {fact.text for fact in memory.facts()} == {BAKERY, PLUMBER}
    again = memory.learner.keeping.remember("the bakery closes at five now")
    assert again.replaced == (BAKERY,) and again.value == "the bakery closes at five"
    memory.close()
