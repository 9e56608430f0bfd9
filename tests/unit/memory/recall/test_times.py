"""Words for a time: each as the period that it means, in any zone, also when the clocks change."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.times import of_talk, period_in, without
from schemas.memory import Period, Trip

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 21, 15, 30, tzinfo=BERLIN)
"""A Saturday."""
TRIPS = (
    Trip(id="a", began_at=datetime(2026, 11, 1, 8, tzinfo=BERLIN), ended_at=datetime(2026, 11, 1, 9, tzinfo=BERLIN)),
    Trip(id="b", began_at=datetime(2026, 11, 10, 8, tzinfo=BERLIN)),
    Trip(id="c", began_at=datetime(2026, 11, 18, 8, tzinfo=BERLIN), ended_at=datetime(2026, 11, 18, 9, tzinfo=BERLIN)),
    Trip(id="d", began_at=datetime(2026, 11, 21, 15, tzinfo=BERLIN)),
)


def local(moment: datetime | None) -> str:
    return "" if moment is None else moment.astimezone(BERLIN).strftime("%Y-%m-%d %H:%M").removesuffix(" 00:00")


MEANT: list[tuple[str, str, str]] = [
    # days
    ("what did i say yesterday", "2026-11-20", "2026-11-21"),
    ("the day before yesterday", "2026-11-19", "2026-11-20"),
    ("today", "2026-11-21", "2026-11-22"),
    ("what did I ask for this morning?", "2026-11-21 05:00", "2026-11-21 12:00"),
    ("yesterday evening", "2026-11-20 17:00", "2026-11-21"),
    ("last night", "2026-11-20 18:00", "2026-11-21 06:00"),
    ("three days ago", "2026-11-18", "2026-11-19"),
    ("a couple of days ago", "2026-11-19", "2026-11-20"),
    ("a few days ago", "2026-11-11", "2026-11-20"),
    ("a few weeks ago", "2026-10-10", "2026-11-08"),
    ("an hour ago", "2026-11-21 13:45", "2026-11-21 15:15"),
    ("in the last three days", "2026-11-18 15:30", "2026-11-21 15:30"),
    ("recently", "2026-11-07 15:30", "2026-11-21 15:30"),
    # weekdays
    ("last Tuesday", "2026-11-17", "2026-11-18"),
    ("on saturday", "2026-11-14", "2026-11-15"),
    ("on sunday what did you say", "2026-11-15", "2026-11-16"),
    ("tuesday morning", "2026-11-17 05:00", "2026-11-17 12:00"),
    ("on friday of last week", "2026-11-13", "2026-11-14"),
    ("last week on friday", "2026-11-13", "2026-11-14"),
    ("the tuesday before last", "2026-11-10", "2026-11-11"),
    ("a week ago on friday", "2026-11-13", "2026-11-14"),
    # weeks, months, years
    ("this week", "2026-11-16", "2026-11-23"),
    ("last week", "2026-11-09", "2026-11-16"),
    ("two weeks ago", "2026-11-04", "2026-11-11"),
    ("last weekend", "2026-11-14", "2026-11-16"),
    ("over the weekend", "2026-11-21", "2026-11-23"),
    ("the weekend before last", "2026-11-07", "2026-11-09"),
    ("last month", "2026-10-01", "2026-11-01"),
    ("two months ago", "2026-09-01", "2026-10-01"),
    ("last year", "2025-01-01", "2026-01-01"),
    ("in 2024", "2024-01-01", "2025-01-01"),
    ("in May", "2026-05-01", "2026-06-01"),
    ("in december", "2025-12-01", "2026-01-01"),
    ("last november", "2025-11-01", "2025-12-01"),
    ("in march last year", "2025-03-01", "2025-04-01"),
    ("in may 2023", "2023-05-01", "2023-06-01"),
    ("early may", "2026-05-01", "2026-05-11"),
    ("at the end of february 2024", "2024-02-21", "2024-03-01"),
    ("last summer", "2026-06-01", "2026-09-01"),
    ("in winter", "2025-12-01", "2026-03-01"),
    ("at christmas", "2025-12-24", "2025-12-27"),
    # dates
    ("on the 3rd", "2026-11-03", "2026-11-04"),
    ("on the 31st", "2026-10-31", "2026-11-01"),
    ("on the twenty first", "2026-11-21", "2026-11-22"),
    ("May 3rd", "2026-05-03", "2026-05-04"),
    ("on may third in the evening", "2026-05-03 17:00", "2026-05-04"),
    ("the 3rd of may", "2026-05-03", "2026-05-04"),
    ("7 May 2023", "2023-05-07", "2023-05-08"),
    ("february 29", "2024-02-29", "2024-03-01"),
    ("on 2026-05-03", "2026-05-03", "2026-05-04"),
    # trips
    ("on our first trip", "2026-11-01 08:00", "2026-11-01 09:00"),
    ("on the second drive", "2026-11-10 08:00", "2026-11-18 08:00"),
    ("on the last trip", "2026-11-18 08:00", "2026-11-18 09:00"),
    ("the trip before last", "2026-11-10 08:00", "2026-11-18 08:00"),
    ("three trips ago", "2026-11-01 08:00", "2026-11-01 09:00"),
    ("this trip", "2026-11-21 15:00", ""),
    # edges and ranges
    ("since last week", "2026-11-09", ""),
    ("since tuesday", "2026-11-17", ""),
    ("before may", "", "2026-05-01"),
    ("after christmas", "2025-12-27", ""),
    ("until yesterday", "", "2026-11-20"),
    ("before our first trip", "", "2026-11-01 08:00"),
    ("between monday and wednesday", "2026-11-16", "2026-11-19"),
    ("between the 3rd and the 5th", "2026-11-03", "2026-11-06"),
    ("from may to july", "2026-05-01", "2026-08-01"),
]


@pytest.mark.parametrize(("said", "since", "until"), MEANT)
def test_what_is_meant(said: str, since: str, until: str) -> None:
    period = period_in(said, NOW, BERLIN, TRIPS)
    assert period is not None
    assert (local(period.since), local(period.until)) == (since, until)


NOTHING = [
    "", "play jazz", "may i ask", "i may go", "march on", "on the first floor", "on the first date", "sunday roast is nice",
    "tomorrow", "next week", "in the morning", "on tuesdays", "from home to work", "99999 days ago", "9999 years ago",
    "on the 42nd", "may 42", "2026-13-01", "2026-02-30", "the thirtieth trip", "zero trips ago",
]  # fmt: skip


@pytest.mark.parametrize("said", NOTHING)
def test_no_time(said: str) -> None:
    assert period_in(said, NOW, BERLIN, TRIPS) is None


def test_trips_mean_nothing_without_trips() -> None:
    for said in ("on our first trip", "last trip", "this trip", "two trips ago", "the trip before last"):
        assert period_in(said, NOW, BERLIN) is None
    assert period_in("this trip", NOW, BERLIN, TRIPS[:1]) is None


@pytest.mark.parametrize(
    ("said", "words", "left"),
    [
        ("What did I say  on Monday about my dog?", "on monday", "what did i say about my dog?"),
        ("between may and july where was I", "between may and july", "where was i"),
        ("what happened since last week", "since last week", "what happened"),
    ],
)
def test_the_words_are_known_and_can_be_taken_out(said: str, words: str, left: str) -> None:
    period = period_in(said, NOW, BERLIN)
    assert period is not None and period.words == words and without(said, period) == left
    assert without(" Play  jazz", Period()) == "play jazz"


def test_a_day_in_which_the_clocks_change() -> None:
    spring = datetime(2026, 3, 30, 9, tzinfo=BERLIN)
    period = period_in("yesterday", spring, BERLIN)
    assert period is not None and period.since is not None and period.until is not None
    assert period.until - period.since == timedelta(hours=23)
    autumn = period_in("yesterday", datetime(2026, 10, 26, 9, tzinfo=BERLIN), BERLIN)
    assert autumn is not None and autumn.since is not None and autumn.until is not None
    assert autumn.until - autumn.since == timedelta(hours=25)


def test_the_zone_says_which_day_it_is() -> None:
    now = datetime(2026, 11, 21, 23, 30, tzinfo=UTC)
    berlin, pacific = (period_in("today", now, zone) for zone in (BERLIN, ZoneInfo("America/Los_Angeles")))
    assert berlin is not None and pacific is not None
    assert berlin.since == datetime(2026, 11, 21, 23, tzinfo=UTC) and pacific.since == datetime(
        2026, 11, 21, 8, tzinfo=UTC
    )


ZONES = st.sampled_from(("Europe/Berlin", "America/Los_Angeles", "Asia/Kolkata", "Australia/Lord_Howe", "UTC")).map(
    ZoneInfo
)
MOMENTS = st.datetimes(datetime(2000, 1, 1), datetime(2060, 12, 31), timezones=st.just(UTC))  # noqa: DTZ001


@given(
    now=MOMENTS,
    zone=ZONES,
    said=st.sampled_from([said for said, _, _ in MEANT if "trip" not in said and "drive" not in said]),
)
def test_every_period_is_one_and_has_begun(now: datetime, zone: ZoneInfo, said: str) -> None:
    period = period_in(said, now, zone)
    if period is None:  # the 29th of February may be more than eight years ago, a range may end before it begins
        assert said == "february 29" or said.startswith(("between", "from"))
        return
    assert period.since is None or period.until is None or period.since < period.until
    edge = period.since or period.until
    assert edge is not None and edge.utcoffset() == timedelta(0)
    if not any(words in said for words in ("2023", "2024", "2026", "morning", "evening")):  # these may lie ahead
        assert edge <= now


@given(now=MOMENTS, zone=ZONES, back=st.integers(1, 400))
def test_days_are_the_zones_days(now: datetime, zone: ZoneInfo, back: int) -> None:
    period = period_in(f"{back} days ago", now, zone)
    day = now.astimezone(zone).date() - timedelta(days=back)
    assert period is not None and period.since is not None and period.until is not None
    assert timedelta(hours=22) < period.until - period.since < timedelta(hours=26)
    noon = datetime.combine(day, time(12), tzinfo=zone)
    assert (
        period.holds(noon) and not period.holds(noon + timedelta(days=1)) and not period.holds(noon - timedelta(days=1))
    )


@given(now=MOMENTS, zone=ZONES, day=st.dates(date(1990, 1, 1), date(2070, 1, 1)))
def test_a_written_date_is_that_day_whenever_it_is_asked(now: datetime, zone: ZoneInfo, day: date) -> None:
    spoken = period_in(f"on {day.day} {day:%B} {day.year}", now, zone)
    written = period_in(day.isoformat(), now, zone)
    assert spoken is not None and written is not None
    assert (spoken.since, spoken.until) == (written.since, written.until)
    assert spoken.holds(datetime.combine(day, time(12), tzinfo=zone))


@given(text=st.text(max_size=60), now=MOMENTS)
def test_any_text_is_taken(text: str, now: datetime) -> None:
    period = period_in(text, now, BERLIN, TRIPS)
    assert period is None or period.words


@given(
    st.lists(
        st.sampled_from("on the last before between and first trip 3rd may monday week ago two since weekend".split()),
        max_size=8,
    )
)
def test_any_words_of_time_are_taken(said: list[str]) -> None:
    period = period_in(" ".join(said), NOW, BERLIN, TRIPS)
    assert period is None or period.since is None or period.until is None or period.since <= period.until


@pytest.mark.parametrize(
    ("said", "talk"),
    [
        ("what did you recommend on friday", True), ("what did i say last tuesday", True), ("yesterday you told me", True),
        ("i mentioned on may 2nd that i went there", True), ("what did we talk about yesterday", True),
        ("when did we go camping in june", False), ("where did i park on friday", False), ("who told anna in may", False),
    ],
)  # fmt: skip
def test_whether_a_time_is_that_of_the_talk(said: str, talk: bool) -> None:
    assert of_talk(said) is talk
