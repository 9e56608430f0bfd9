"""Facts, senses and conditions on the screen: in sentences, each with why, correct and delete, in both languages."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from deploy.screen import told
from deploy.timeline import entry_of
from memory.screen.app import Screen
from memory.service import DriverMemory
from schemas.memory import FACTS, Condition, ConditionKind, Decision, Outcome, Preference, Sense
from tests.screens import NOW, Browser, preference

KEY = "the spare key is under the <mat>"


@pytest.fixture
def key(memory: DriverMemory) -> str:
    made = memory.learner.keeping.remember(
        KEY, about="my sister", until=NOW + timedelta(days=2), until_words="till friday"
    )
    assert made.fact is not None
    return made.fact


def test_facts_have_a_tab_and_a_page_of_their_own(browser: Browser, key: str, memory: DriverMemory) -> None:
    for place in ("gym", "pool", "club", "yard", "school", "office", "port"):
        memory.learner.keeping.remember(f"my locker is number 3 in the {place}", said_at=NOW - timedelta(days=9))
    page = browser.get("/memory?in=kept")
    assert "&lt;mat&gt;" in page and "my sister" in page and "1 / 2" in page
    assert "3 in the gym" in browser.get("/memory?page=1") + page
    page = browser.get(f"/facts/{key}")
    assert "You asked me to keep" in page and "till friday" in page and "not yet" in page
    browser.get("/facts/nobody", 404)


def test_a_fact_is_corrected(browser: Browser, key: str, memory: DriverMemory) -> None:
    where = f"/facts/{key}/correct"
    browser.get(where)
    assert "That needs a word" in browser.post(where, 422, value="  ")
    assert browser.post(where, value=" the spare key is in the boot ") == f"/facts/{key}"
    assert [fact.text for fact in memory.facts()] == ["the spare key is in the boot"]


def test_a_fact_is_forgotten_and_taken_back(browser: Browser, key: str, memory: DriverMemory) -> None:
    browser.get(f"/facts/{key}")
    leaving = browser.post(f"/memory/{key}/forget")
    assert memory.facts() == () and "mat" not in browser.get("/memory?in=kept")
    browser.get(leaving)
    browser.post(f"{leaving}/undo")
    assert [fact.id for fact in memory.facts()] == [key]


def test_facts_are_switched_off_and_on(browser: Browser, memory: DriverMemory) -> None:
    for to in ("off", "on"):
        browser.get("/memory?in=kept")
        assert browser.post("/categories/facts/switch", to=to) == "/memory?in=kept"
        assert (FACTS in memory.consent().opted_out) == (to == "off")
    browser.get("/memory?in=kept")
    browser.post("/categories/facts/switch", 400, to="perhaps")


MORNING = Condition(kind=ConditionKind.TIME_OF_DAY, value="morning", words="in the morning")
WIFE = Condition(kind=ConditionKind.COMPANY, value="other", words="when my wife is with me")


def told_as(
    value: str, detail: str = "favorite_genres", sense: Sense = Sense.LIKES, *conditions: Condition
) -> Preference:
    return preference("q", value, detail).model_copy(update={"sense": sense, "conditions": conditions})


ROADS = "avoidance_of_specific_road_types"


@pytest.mark.parametrize(
    ("made", "english", "german"),
    [
        (told_as("country", sense=Sense.DISLIKES), "You dislike country music", "Country magst du nicht"),
        (
            told_as("jazz", "favorite_genres", Sense.LIKES, MORNING),
            "You like jazz music in the morning",
            "Du magst Jazz morgens",
        ),
        (
            told_as("jazz", "favorite_genres", Sense.LIKES, WIFE),
            "You like jazz music “when my wife is with me”",
            "„when my",
        ),
        (
            told_as("low", "fan_speed_preferences", Sense.NEEDS),
            "Fan speed: it has to be low",
            "Gebläse: es muss schwach sein",
        ),
        (told_as("high", "fan_speed_preferences", Sense.DISLIKES), "Fan speed: not high", "Gebläse: nicht stark"),
        (told_as("toll roads", ROADS, Sense.AVOIDS), "You avoid toll roads", "Du meidest Mautstraßen"),
        (told_as("toll roads", ROADS, Sense.LIKES), "You don’t mind toll roads", "Du hast nichts gegen Mautstraßen"),
    ],
)
def test_a_sense_and_a_condition_are_told_in_a_sentence(
    browser: Browser, screen: Screen, memory: DriverMemory, made: Preference, english: str, german: str
) -> None:
    memory.session.store.add(made, NOW)
    assert english in browser.get("/memory") and english in browser.get("/memory/q")
    screen.parts = replace(screen.parts, language="de")
    assert german in browser.get("/memory/q")


def test_what_just_happened_says_what_is_disliked(browser: Browser, screen: Screen) -> None:
    decision = Decision(
        outcome=Outcome.APPEND,
        detail="favorite_genres",
        reason="r",
        value="country",
        preference="p9",
        sense=Sense.DISLIKES,
    )
    kept = Decision(outcome=Outcome.APPEND, detail=FACTS, reason="kept", value="my locker is number forty", fact="k")
    for one in (decision, kept):
        entry = entry_of(0.0, one)
        happened = told(entry, lambda: NOW)
        assert happened is not None
        screen.parts.feed.tell(happened)
    page = browser.get("/latest")
    assert (
        "You dislike country music" in page and "my locker is number forty" in page and "You asked me to keep" in page
    )
