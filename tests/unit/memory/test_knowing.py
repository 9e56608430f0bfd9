"""Manners, habits and the review of a day in a memory: what is kept and obeyed, what consent forbids, what is counted."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from memory.guest import GuestMemory
from schemas.errors import ConsentError
from schemas.manners import MANNERS, METRIC, SUGGESTIONS, Manners, Units, manners_of
from schemas.memory import Kind, Period, Recollection, Selector, Sense
from schemas.ports import MemoryPort
from schemas.seat import Seat
from tests.memories import fill, memory_of
from tests.screens import NOW, preference

DAY = Period(since=NOW - timedelta(hours=12), until=NOW + timedelta(hours=12))


class Days:
    """A memory on a day that the test moves."""

    def __init__(self) -> None:
        self.now = NOW
        self.memory: MemoryPort = memory_of("ada", clock=lambda: self.now)

    def use(self, days: int, action: str = "play_music") -> None:
        self.now = NOW - timedelta(days=days)
        held = self.memory.preferences()[0]
        self.memory.used((Recollection(preference=held, score=1.0),), action)
        self.now = NOW


@pytest.fixture
def days() -> Days:
    made = Days()
    fill(made.memory, preference("p0", "jazz", days=60))
    return made


def weekly(days: Days) -> None:
    for ago in (21, 14, 7):
        days.use(ago)


def test_only_what_the_driver_said_or_wrote_is_obeyed(days: Days) -> None:
    entry = days.memory.edit_profile("reply_length", "brief", aspect="style")
    observed = entry.model_copy(update={"edited": False})
    assert manners_of([entry]).brief and manners_of([observed]) == Manners()
    assert manners_of([entry.model_copy(update={"value": "whatever"})]) == Manners()
    miles = entry.model_copy(update={"key": "distance_unit", "value": "miles"})
    assert manners_of([miles]).units(METRIC) == Units(miles=True)


def test_manners_are_the_drivers_own_and_a_guest_has_none(days: Days) -> None:
    seat = Seat(days.memory)
    days.memory.edit_profile("name", "Sam")
    days.memory.edit_profile("temperature_unit", "fahrenheit", aspect="style")
    assert seat.manners.name == "Sam" and seat.units.fahrenheit
    seat.take(GuestMemory())
    assert seat.manners == Manners() and seat.units == METRIC
    seat.for_now("length", "brief")
    assert seat.manners.brief
    seat.take(days.memory)
    assert seat.manners.name == "Sam" and not seat.manners.brief


def test_manners_are_shown_exported_forgotten_and_switched_off_like_the_rest(days: Days) -> None:
    memory, seat = days.memory, Seat(days.memory)
    entry = memory.edit_profile("name", "Sam")
    assert "Sam" in str(memory.export()) and memory.browse_kept(text="sam").total == 1
    memory.opt_out(MANNERS)
    assert seat.manners == Manners()
    with pytest.raises(ConsentError):
        memory.edit_profile("reply_length", "brief", aspect="style")
    memory.opt_in(MANNERS)
    assert seat.manners.name == "Sam"
    memory.forget(entry.id)
    assert seat.manners == Manners() and not memory.profile()


@pytest.mark.parametrize(
    "name",
    [
        "Christian",
        "christian meyer",
        "Gay",
        "Fabian",
        "Evangeline Moss",
        "Islam",
        "Dr. Krummholz",
        "Captain Kirk",
        "Sam",
    ],
)
def test_a_first_name_may_be_kept_whatever_else_it_means(days: Days, name: str) -> None:
    days.memory.edit_profile("name", name)
    assert manners_of(days.memory.profile()).name == name
    other = memory_of("bert", clock=lambda: NOW)
    other.take_in(days.memory.export())
    assert manners_of(other.profile()).name == name


@pytest.mark.parametrize(
    "name",
    [
        "Pastor Krummholz", "Imam Yusuf", "Rev. Green", "Father Ted", "Sister Mary", "Rabbi Levi", "Sheikh Ali", "Deacon Frost",
        "Comrade Sam", "Senator Smith", "Christian Baptist", "Sam the Christian", "Deaf Dave", "rabbi",
    ],
)  # fmt: skip
def test_a_title_that_tells_a_special_kind_is_not_kept_with_a_name(days: Days, name: str) -> None:
    with pytest.raises(ConsentError, match="tells of"):
        days.memory.edit_profile("name", name)
    assert not days.memory.profile()
    days.memory.edit_profile("name", "Sam")
    exported = days.memory.export()
    exported["profile"][0]["value"] = name
    other = memory_of("bert", clock=lambda: NOW)
    assert other.take_in(exported).refused and not other.profile()


def test_a_title_may_be_kept_once_its_kind_was_asked_for(days: Days) -> None:
    days.memory.opt_in("belief")
    assert days.memory.edit_profile("name", "Pastor Krummholz").value == "Pastor Krummholz"


def test_a_sentence_is_no_name(days: Days) -> None:
    with pytest.raises(ConsentError):
        days.memory.edit_profile("name", "the muslim with cancer")


def test_a_private_trip_keeps_no_manners(days: Days) -> None:
    days.memory.set_private_trip(True)
    with pytest.raises(ConsentError):
        days.memory.edit_profile("name", "Sam")


def test_an_import_brings_manners_and_switches_along(days: Days) -> None:
    days.memory.edit_profile("name", "Sam")
    days.memory.opt_out(SUGGESTIONS)
    other = memory_of("bert", clock=lambda: NOW)
    other.take_in(days.memory.export())
    assert manners_of(other.profile()).name == "Sam" and SUGGESTIONS in other.consent().opted_out


def test_a_habit_is_found_with_its_evidence(days: Days) -> None:
    weekly(days)
    (habit,) = days.memory.habits()
    assert (habit.value, habit.action, habit.when, habit.times, habit.of) == ("jazz", "play_music", "on Sundays", 3, 3)


@pytest.mark.parametrize("how", ["suggestions", "music", "private", "paused", "forgotten"])
def test_consent_forbids_suggestions(days: Days, how: str) -> None:
    weekly(days)
    memory = days.memory
    match how:
        case "private":
            memory.set_private_trip(True)
        case "paused":
            memory.pause(NOW + timedelta(days=1))
        case "forgotten":
            memory.forget("p0")
        case _:
            memory.opt_out(how)
    assert not memory.habits()


def test_a_no_is_for_good_silence_for_a_week_and_a_yes_for_no_time(days: Days) -> None:
    weekly(days)
    (habit,) = days.memory.habits()
    days.memory.suggested(habit, None)
    assert not days.memory.habits()
    days.memory.suggested(habit, True)
    days.now += timedelta(seconds=1)
    assert days.memory.habits() == (habit,)
    days.memory.suggested(habit, False)
    days.now += timedelta(weeks=1)
    days.use(-7)
    days.now = NOW + timedelta(weeks=2)
    assert not days.memory.habits()


def test_the_review_tells_what_is_new_what_it_replaced_and_what_ended(days: Days) -> None:
    memory = days.memory
    fill(memory, preference("p1", "soul"), preference("p2", "blues"))
    made = memory.correct("p1", "bossa nova")
    memory.learn_pending()
    told = {one.text: one for one in memory.review(DAY).changes}
    assert set(told) == {"bossa nova", "blues"} and told["bossa nova"].before == "soul"
    assert told["bossa nova"].id == made.id and told["bossa nova"].kind is Kind.PREFERENCE
    memory.edit_profile("name", "Sam")
    assert memory.review(DAY).changes[0].text in {"Sam", "bossa nova"}
    assert not memory.review(Period(since=NOW + timedelta(days=1))).changes


def test_what_is_forgotten_is_only_counted_and_of_everything_nothing_is_left(days: Days) -> None:
    fill(days.memory, preference("p1", "soul"), preference("p2", "blues"))
    days.memory.forget("p1")
    held = days.memory.withhold(Selector(id="p2"))
    assert days.memory.review(DAY).forgotten == 1
    days.memory.carry_out(held.token)
    review = days.memory.review(DAY)
    assert review.forgotten == 2 and "soul" not in str(review) and "blues" not in str(review)
    assert not days.memory.review(Period(until=NOW - timedelta(days=1))).forgotten


def test_what_was_refused_is_counted_and_not_told(days: Days) -> None:
    days.memory.opt_out("favorite_artists_or_bands")
    days.memory.remember("i love the beatles", "favorite_artists_or_bands")
    review = days.memory.review(DAY)
    assert review.refused >= 1 and "beatles" not in str(review).lower()


def test_counts_of_forgetting_go_after_a_month(days: Days) -> None:
    days.memory.forget("p0")
    days.now = datetime(2026, 6, 1, tzinfo=NOW.tzinfo)
    fill(days.memory, preference("p3", "ska"))
    days.memory.forget("p3")
    assert days.memory.review(Period()).forgotten == 1


def test_a_fact_is_told_as_one_and_undone() -> None:
    memory = memory_of("ada", clock=lambda: NOW)
    memory.learner.keeping.remember("the alarm is serviced in may", about="my mother")
    (told,) = memory.review(DAY).changes
    assert (told.kind, told.text, told.about) == (Kind.FACT, "the alarm is serviced in may", "my mother")
    memory.forget(told.id)
    assert not memory.facts() and memory.review(DAY).forgotten == 1


def test_what_is_disliked_is_no_habit(days: Days) -> None:
    weekly(days)
    assert days.memory.habits()
    days.memory.forget("p0")
    fill(days.memory, preference("p1", "jazz", days=60).model_copy(update={"sense": Sense.DISLIKES}))
    weekly(days)
    assert not days.memory.habits() and days.memory.review(Period()).changes[0].sense is Sense.DISLIKES
