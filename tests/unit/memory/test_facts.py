"""Facts, senses and conditions in a vault: written with consent only, found, corrected, forgotten, read out and in."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory.learn.facts import tells_place
from memory.rights.export_page import page
from memory.service import DriverMemory
from memory.store import facts as facts_of
from memory.vault.lifecycle import backups, utc_text
from schemas.errors import ConsentError, ExportError, UnknownEntryError
from schemas.kinds import PARKED as OF_PARKING
from schemas.kinds import PARKED_FOR
from schemas.memory import (
    CONVERSATIONS,
    FACTS,
    Condition,
    ConditionKind,
    Consent,
    Kind,
    Outcome,
    Period,
    Preference,
    Selector,
    Sense,
    Turn,
)
from tests.memories import Desk, StoppedClock
from tests.vaults import every_word

CLOCK = StoppedClock()
NOW = CLOCK.now
KEY = "the spare key is under the mat"
PARKED = "i parked on level three"
MORNING = Condition(kind=ConditionKind.TIME_OF_DAY, value="morning", words="in the morning")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(CLOCK, tmp_path)
    CLOCK.now = NOW
    yield made
    made.close()
    CLOCK.now = NOW


@pytest.fixture
def memory(desk: Desk) -> DriverMemory:
    return desk()


def keep(memory: DriverMemory, text: str, **more: Any) -> str:
    decision = memory.learner.keeping.remember(text, **more)
    assert decision.outcome is Outcome.APPEND, decision.reason
    assert decision.fact is not None
    return decision.fact


def disliked(name: str = "p1", value: str = "jazz", conditions: tuple[Condition, ...] = ()) -> Preference:
    return Preference(
        id=name, detail="favorite_genres", value=value, sentences=(f"i hate {value}",), conversation="trip",
        confidence=0.9, valid_from=NOW, sense=Sense.DISLIKES, conditions=conditions,
    )  # fmt: skip


# Senses and conditions


def test_a_sense_and_conditions_come_back_as_they_were_written(desk: Desk, memory: DriverMemory) -> None:
    kept = disliked(conditions=(MORNING,))
    desk.store.add(kept, NOW)
    assert memory.preferences() == (kept,)
    assert desk().preferences() == (kept,)


def test_a_condition_is_of_its_closed_list() -> None:
    with pytest.raises(ValueError, match="time_of_day is one of morning"):
        Condition(kind=ConditionKind.TIME_OF_DAY, value="winter", words="in winter")


def test_words_of_a_condition_go_with_what_they_tell(desk: Desk, memory: DriverMemory) -> None:
    desk.store.add(disliked("p1", "polka"), NOW)
    polka = Condition(kind=ConditionKind.COMPANY, value="other", words="when the polka club is with me")
    desk.store.add(disliked("p2", "rock", conditions=(polka, MORNING)), NOW)
    assert memory.forget("p1").verified
    (left,) = memory.preferences()
    assert left.conditions == (polka.model_copy(update={"words": ""}), MORNING)
    assert not any("polka" in word for word in every_word(desk.store))


def test_a_correction_keeps_sense_and_conditions(desk: Desk, memory: DriverMemory) -> None:
    desk.store.add(disliked(conditions=(MORNING,)), NOW)
    made = memory.correct("p1", "blues")
    assert (made.value, made.sense, made.conditions) == ("blues", Sense.DISLIKES, (MORNING,))


# Keeping


def test_a_fact_is_kept_found_and_told(memory: DriverMemory) -> None:
    name = keep(memory, KEY)
    keep(memory, "the alarm is serviced in may", about="my mother")
    assert [f.text for f in memory.facts()][-1] == KEY and memory.fact(name).said_at == NOW
    (found,) = memory.search("where is the spare key", kinds=[Kind.FACT], limit=1)
    assert (found.kind, found.id, found.text) == (Kind.FACT, name, KEY)
    assert [f.text for f in memory.browse_facts(text="spare").facts] == [KEY]
    assert [f.about for f in memory.browse_facts(text="mother").facts] == ["my mother"]
    assert memory.browse_facts(limit=1, offset=1).total == 2
    memory.used([found])
    assert memory.fact(name).uses == 1


def test_the_same_is_kept_once(memory: DriverMemory) -> None:
    keep(memory, KEY)
    again = memory.learner.keeping.remember("The spare key is under the mat")
    assert again.outcome is Outcome.PASS and len(memory.facts()) == 1


def test_it_never_fades_and_goes_when_it_is_over(desk: Desk, memory: DriverMemory) -> None:
    keep(memory, KEY)
    keep(memory, PARKED, until=NOW + timedelta(days=1), until_words="till tomorrow")
    CLOCK.now = NOW + timedelta(days=2)
    assert [f.text for f in memory.facts()] == [KEY]
    assert all(found.text != f"{PARKED} (till tomorrow)" for found in memory.search("level three where i parked"))
    assert memory.reflect().let_go == {Kind.FACT: 1}
    assert every_word(desk.store) == [KEY] and backups(desk.vault.folder or Path(), "ada") == ()
    CLOCK.now = NOW + timedelta(days=20_000)
    memory.reflect()
    assert [f.text for f in memory.facts()] == [KEY]


def test_what_is_over_is_erased_when_the_vault_is_opened(desk: Desk, memory: DriverMemory) -> None:
    keep(memory, PARKED, until=NOW + timedelta(hours=1))
    CLOCK.now = NOW + timedelta(days=1)
    desk()
    assert every_word(desk.store) == []


def test_when_it_is_full_nothing_is_lost_and_it_says_so(memory: DriverMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memory.driver.keeping.MOST_FACTS", 2)
    keep(memory, "my locker is number forty", said_at=NOW - timedelta(days=3))
    keep(memory, KEY)
    refused = memory.learner.keeping.remember(PARKED)
    assert refused.outcome is Outcome.REFUSED and "my locker is number forty" in refused.reason
    assert len(memory.facts()) == 2 and facts_of.MOST_FACTS == 500


# Consent and the guard


@pytest.mark.parametrize(
    "consent",
    [
        Consent(opted_out=frozenset({FACTS})),
        Consent(private_trip=True),
        Consent(paused_until=NOW + timedelta(hours=1)),
    ],
)
def test_nothing_gets_round_consent(desk: Desk, memory: DriverMemory, consent: Consent) -> None:
    name = keep(memory, KEY)
    desk.store.set_consent(consent)
    refused = memory.learner.keeping.remember(PARKED)
    assert refused.outcome is Outcome.REFUSED and PARKED not in refused.reason
    fact = memory.fact(name).model_copy(update={"id": "n"})
    with pytest.raises(ConsentError):
        desk.store.facts.add(fact, NOW)
    with pytest.raises(ConsentError):
        memory.correct_fact(name, "the spare key is in the boot")
    insert = "INSERT INTO facts (id, text, said_at, conversation) VALUES (?, 't', ?, 'c')"
    for key, verb in (("n", "INSERT"), (name, "INSERT OR REPLACE")):
        with pytest.raises(ConsentError), desk.vault.transaction():
            desk.vault.write(insert.replace("INSERT", verb), (key, utc_text(NOW)))
    for column in ("id", "text", "about", "until_words", "conversation"):
        with pytest.raises(ConsentError), desk.vault.transaction():
            desk.vault.write(f"UPDATE facts SET {column} = 'x'")  # noqa: S608 - names of this list
    assert [f.text for f in memory.facts()] == [KEY]
    assert memory.forget(name).verified and memory.facts() == ()


def test_switched_off_it_is_shown_and_not_used(memory: DriverMemory) -> None:
    keep(memory, KEY)
    assert memory.opt_out(FACTS).opted_out == {FACTS}
    assert memory.search("where is the spare key") == () and len(memory.facts()) == 1
    assert memory.opt_out("music").opted_out == {FACTS, "music"}
    assert memory.opt_in("music").opted_out == {FACTS}
    assert memory.opt_in(FACTS).opted_out == frozenset() and memory.search("where is the spare key")


@pytest.mark.parametrize("text", ["my wife has her chemotherapy on tuesday", "my boss is gay"])
def test_a_special_kind_is_refused_until_it_is_asked_for(desk: Desk, memory: DriverMemory, text: str) -> None:
    refused = memory.learner.keeping.remember(text)
    assert refused.outcome is Outcome.REFUSED and "unless you allow it on the screen" in refused.reason
    name = keep(memory, KEY)
    with pytest.raises(ConsentError):
        memory.correct_fact(name, text)
    assert every_word(desk.store) == [KEY]


# Correcting and forgetting


def test_a_correction_leaves_nothing_of_the_old_words(desk: Desk, memory: DriverMemory) -> None:
    name = keep(memory, KEY)
    assert memory.correct_fact(name, " the spare key is in the boot ").text == "the spare key is in the boot"
    assert every_word(desk.store) == ["the spare key is in the boot"]
    assert [f.id for f in memory.search("is the spare key in the boot", limit=1)] == [name]
    with pytest.raises(UnknownEntryError):
        memory.correct_fact(name, " ")
    with pytest.raises(UnknownEntryError):
        memory.correct_fact("nobody", "x y")


def test_forgotten_with_what_was_said_of_it(desk: Desk, memory: DriverMemory) -> None:
    memory.opt_in(CONVERSATIONS)
    memory.note(Turn(speaker="driver", text=f"remember that {PARKED} by the lift", at=NOW), "trip-1")
    memory.note(Turn(speaker="assistant", text="Noted.", at=NOW), "trip-1")
    memory.learn_pending()
    keep(memory, PARKED)
    keep(memory, KEY)
    assert memory.matching(Selector(about="where i parked")).kinds[Kind.FACT] == 1
    receipt = memory.forget_where(Selector(about="where i parked"))
    assert receipt.verified and receipt.kinds == {Kind.FACT: 1, Kind.EPISODE: 1}
    assert every_word(desk.store) == [KEY]


@pytest.mark.parametrize(
    "what",
    [
        Selector(everything=True),
        Selector(key=FACTS),
        Selector(text="spare key"),
        Selector(conversation="trip-1"),
        Selector(conversation="trip"),
        Selector(period=Period(since=NOW - timedelta(hours=1))),
        Selector(about="the spare key"),
    ],
)
def test_forgotten_by_whatever_is_said_of_it(desk: Desk, memory: DriverMemory, what: Selector) -> None:
    name = keep(memory, KEY, conversation="trip-1")
    older = keep(memory, PARKED, conversation="other-1", said_at=NOW - timedelta(days=2))
    receipt = memory.forget_where(what)
    every = what.everything or what.key == FACTS
    assert receipt.verified and set(receipt.erased) == {name, *([older] if every else [])}
    assert every_word(desk.store) == ([] if every else [PARKED])
    assert not memory.session.search.cache.holds([name])


def test_forgetting_something_else_leaves_it(desk: Desk, memory: DriverMemory) -> None:
    keep(memory, KEY)
    desk.store.add(disliked(), NOW)
    memory.forget("p1")
    memory.forget_where(Selector(period=Period(until=NOW - timedelta(days=1))))
    assert [f.text for f in memory.facts()] == [KEY]


def test_withheld_it_is_nowhere_and_it_can_be_taken_back(desk: Desk, memory: DriverMemory) -> None:
    name = keep(memory, KEY)
    token = memory.withhold(Selector(id=name)).token
    assert memory.facts() == () == memory.browse_facts().facts and memory.search("where is the spare key") == ()
    memory.restore(token)
    assert len(memory.facts()) == 1 and memory.search("where is the spare key")
    assert memory.carry_out(memory.withhold(Selector(id=name)).token).kinds == {Kind.FACT: 1}
    assert every_word(desk.store) == []


# Taking along


def test_an_export_takes_them_along(desk: Desk, memory: DriverMemory, tmp_path: Path) -> None:
    desk.store.add(disliked(conditions=(MORNING,)), NOW)
    keep(memory, PARKED, about="my wife", until=NOW + timedelta(days=3), until_words="till wednesday")
    keep(memory, KEY)
    exported, facts, preferences = memory.export(), memory.facts(), memory.preferences()
    shown = page(exported, tzinfo=UTC)
    assert KEY in shown and "till wednesday" in shown and "my wife" in shown
    other = desk(folder=tmp_path / "other")
    other.opt_out(FACTS)
    assert FACTS in other.take_in(exported).refused and other.facts() == ()
    other.opt_in(FACTS)
    assert other.take_in(exported).kinds == {Kind.FACT: 2}
    assert set(other.facts()) == set(facts) and other.preferences() == preferences
    assert other.take_in(exported).known == 3


def test_an_export_cannot_bring_what_may_not_be_kept(desk: Desk, memory: DriverMemory, tmp_path: Path) -> None:
    keep(memory, KEY)
    exported = memory.export()
    told = [exported["facts"][0] | {"id": "h", "text": "my wife has her chemotherapy on tuesday"}]
    over = [exported["facts"][0] | {"id": "o", "text": PARKED, "until": "2026-02-28T08:00:00Z"}]
    other = desk(folder=tmp_path / "other")
    assert "health" in other.take_in({**exported, "facts": told + over}).refused and other.facts() == ()
    bad = [exported["facts"][0] | {"until": "tomorrow"}]
    with pytest.raises(ExportError):
        other.take_in({**exported, "facts": bad})


def test_of_an_older_export_a_road_type_is_avoided(desk: Desk, memory: DriverMemory, tmp_path: Path) -> None:
    toll = disliked("p1", "toll roads").model_copy(update={"detail": "avoidance_of_specific_road_types"})
    desk.store.add(toll, NOW)
    exported = memory.export()
    old = [{k: v for k, v in p.items() if k not in ("sense", "conditions")} for p in exported["preferences"]]
    other = desk(folder=tmp_path / "other")
    del exported["facts"]
    other.take_in({**exported, "version": 3, "preferences": old, "proposals": []})
    assert [p.sense for p in other.preferences()] == [Sense.AVOIDS]


def test_where_the_car_is_parked_is_kept_for_a_day_over_the_drives_of_it(memory: DriverMemory) -> None:
    memory.begin_trip("there")
    keep(memory, PARKED, until=NOW + PARKED_FOR, until_words=OF_PARKING)
    memory.end_trip("there")
    memory.begin_trip("back")  # asked for as the drive begins
    assert [(fact.text, fact.until) for fact in memory.facts()] == [(PARKED, NOW + PARKED_FOR)]
    CLOCK.now = NOW + PARKED_FOR
    assert not memory.facts()


def test_a_parking_place_from_before_such_had_an_end_goes(desk: Desk, memory: DriverMemory) -> None:
    keep(memory, PARKED, until_words=OF_PARKING)
    assert not desk().facts()


@pytest.mark.parametrize(
    ("said", "tells"),
    [
        ("we've parked behind the cinema", True),
        ("we're on deck five by the green pillar, remember where i parked", True),
        ("where are we parked again", False),
        ("where have i parked then", False),
        ("remind me where i parked", False),
        ("do you know where the car is", False),
    ],
)
def test_a_question_tells_no_parking_place(said: str, tells: bool) -> None:
    assert tells_place(said) is tells
