"""Timers and reminders, calendar, contacts, weather and mail; and what is planned with them."""

from __future__ import annotations

import email
import json
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest

from schemas.actions import ACTIONS, Domain, parse_action
from schemas.errors import AdapterError, ConfigError
from schemas.events import VehicleState
from vehicle import organizer as module
from vehicle.media import MediaLibrary
from vehicle.organizer import MOST_TIMERS, SHIFT_S, Organizer, time_of_day
from vehicle.places import Places
from vehicle.planning import Plan, Planner
from vehicle.signals import SIGNALS

SAMPLE = Path(module.__file__).with_name("organizer.json")
NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
"""A Friday."""


class Desk:
    """An organizer whose clock and time of day are set by hand, and a planner over it."""

    def __init__(self, now: datetime = NOON, outbox: Path | None = None, *, known: bool = True) -> None:
        self.seconds, self.now = 0.0, now
        path = SAMPLE if known else None
        self.organizer = Organizer.load(path, lambda: self.seconds, lambda: self.now, outbox=outbox)
        self.planner = Planner(Places.load(), MediaLibrary.load(), organizer=self.organizer)

    def plan(self, name: str, **slots: Any) -> Plan:
        values = {name: signal.initial for name, signal in SIGNALS.items()}
        return self.planner.plan(parse_action(name, slots), VehicleState(values=values))

    def do(self, name: str, **slots: Any) -> Plan:
        made = self.plan(name, **slots)
        assert made.effect is not None, made.refusal
        made.effect.do()
        return made


# Timers ----------------------------------------------------------------------------------------------------------------


def test_a_timer_runs_only_when_it_is_started_and_is_told_once() -> None:
    desk = Desk()
    assert desk.plan("set_timer", minutes=2, seconds=30, label="eggs").answer == {"seconds": 150, "label": "eggs"}
    assert desk.organizer.waiting() == ()
    desk.do("set_timer", minutes=2, seconds=30, label="eggs")
    desk.seconds = 149.9
    assert desk.organizer.due() == ()
    desk.seconds = 150.0
    assert [notice.spoken() for notice in desk.organizer.due()] == ["Your eggs timer is over."]
    assert desk.organizer.due() == ()


def test_several_are_told_in_the_order_in_which_they_are_due() -> None:
    desk = Desk()
    desk.do("set_timer", minutes=2)
    desk.do("set_timer", minutes=1, label="tea")
    told = desk.plan("get_timers").answer["timers"]
    assert [(timer["label"], timer["seconds"], timer["at"]) for timer in told] == [
        ("tea", 60, "12:01"),
        ("", 120, "12:02"),
    ]
    desk.seconds = 500.0
    assert [notice.spoken() for notice in desk.organizer.due()] == ["Your tea timer is over.", "Your timer is over."]


@pytest.mark.parametrize(
    ("now", "slots", "at", "minutes"),
    [
        (NOON, {"minutes": 20}, "12:20", 20),
        (NOON, {"hour": 5, "half": "pm"}, "17:00", 300),
        (NOON, {"hour": 5}, "17:00", 300),
        (NOON, {"hour": 17, "minute": 30}, "17:30", 330),
        (NOON, {"hour": 11, "half": "am"}, "11:00", 23 * 60),
        (NOON, {"hour": 12}, "12:00", 24 * 60),
        (NOON.replace(hour=20), {"hour": 7}, "07:00", 11 * 60),
        (NOON.replace(hour=6), {"hour": 7}, "07:00", 60),
        (NOON.replace(hour=18), {"hour": 3}, "15:00", 21 * 60),
        (NOON.replace(hour=18), {"hour": 3, "day": "tomorrow"}, "15:00", 21 * 60),
        (NOON.replace(hour=18), {"hour": 3, "half": "am"}, "03:00", 9 * 60),
        (NOON.replace(hour=18), {"hour": 9, "day": "tomorrow"}, "09:00", 15 * 60),
        (NOON.replace(hour=1), {"hour": 3}, "03:00", 2 * 60),
        (NOON.replace(hour=1), {"hour": 5}, "17:00", 16 * 60),
        (NOON.replace(hour=23), {"hour": 1}, "01:00", 2 * 60),
        (NOON, {"hour": 9, "day": "saturday"}, "09:00", 21 * 60),
        (NOON, {"hour": 9, "half": "am", "day": "tuesday"}, "09:00", (3 * 24 + 21) * 60),
        (NOON, {"hour": 3, "minute": 30, "day": "thursday"}, "15:30", (6 * 24 + 3) * 60 + 30),
        (NOON, {"hour": 9, "day": "friday"}, "09:00", (6 * 24 + 21) * 60),
    ],
)
def test_a_reminder_is_the_next_such_time(now: datetime, slots: dict[str, Any], at: str, minutes: int) -> None:
    desk = Desk(now)
    made = desk.do("set_reminder", what="call anna", **slots)
    assert (made.answer["at"], made.answer["seconds"]) == (at, 60 * minutes)
    desk.seconds = 60.0 * minutes
    assert [notice.spoken() for notice in desk.organizer.due()] == ["Reminder: call anna."]


def test_a_reminder_says_its_day() -> None:
    desk = Desk()
    told = [desk.do("set_reminder", what="bread", hour=9, day=day).answer for day in ("today", "tomorrow", "monday")]
    assert [(one["tomorrow"], one["day"]) for one in told] == [(False, None), (True, None), (False, "monday")]


def test_cancelling_by_kind_and_label_and_taking_it_back() -> None:
    desk = Desk()
    desk.do("set_timer", minutes=5, label="pasta")
    desk.do("set_timer", minutes=9, label="cake")
    desk.do("set_reminder", what="bread", minutes=9)
    made = desk.do("cancel_timer", label="pastas")
    assert made.answer == {"kind": "timer", "cancelled": ["pasta"]}
    assert [notice.label for notice in desk.organizer.waiting()] == ["cake", "bread"]
    assert made.effect is not None and made.effect.undo is not None
    made.effect.undo()
    assert len(desk.organizer.waiting("timer")) == 2
    desk.do("cancel_timer")
    assert [notice.label for notice in desk.organizer.waiting()] == ["bread"]
    assert "no such timer" in desk.plan("cancel_timer").refusal


def test_a_timer_that_is_taken_back_does_not_ring() -> None:
    desk = Desk()
    made = desk.do("set_timer", minutes=1)
    assert made.effect is not None and made.effect.undo is not None
    made.effect.undo()
    desk.seconds = 100.0
    assert desk.organizer.due() == ()


def test_there_is_a_limit() -> None:
    desk = Desk()
    for _ in range(MOST_TIMERS):
        desk.do("set_timer", minutes=1)
    with pytest.raises(AdapterError, match="20 timers and reminders are set already"):
        desk.do("set_timer", minutes=1)


@pytest.mark.parametrize(
    ("hour", "minute", "half", "meant"),
    [
        (5, None, "pm", time(17)),
        (12, 5, "pm", time(12, 5)),
        (12, None, "am", time(0)),
        (5, 0, None, time(5)),
        (0, 1, "am", time(0, 1)),
    ],
)
def test_times_of_day(hour: int, minute: int | None, half: str | None, meant: time) -> None:
    assert time_of_day(hour, minute, half) == meant


@pytest.mark.parametrize(("name", "slots"), [("set_timer", {}), ("set_reminder", {"what": "x"})])
def test_without_a_time_there_is_a_question(name: str, slots: dict[str, Any]) -> None:
    assert "I need a time" in Desk().plan(name, **slots).refusal


# What the file knows ---------------------------------------------------------------------------------------------------


def test_the_calendar_of_a_day() -> None:
    desk = Desk()
    assert desk.plan("get_calendar").answer["entries"] == [
        {"title": "Dentist", "at": "15:30", "place": "Dr Ames, dentist"}
    ]
    assert desk.plan("get_calendar", day="tomorrow").answer == {"day": "tomorrow", "entries": []}
    assert "no calendar" in Desk(known=False).plan("get_calendar").refusal


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("anna berg", "Anna Berg"),
        ("my sister", "Anna Berg"),
        ("Anna", "Anna Berg"),
        ("tom", "Tomas Ilic"),
        ("boss", "Priya Nair"),
        ("nobody", None),
    ],
)
def test_contacts(name: str, found: str | None) -> None:
    contact = Desk().organizer.contact(name)
    assert (contact.name if contact else None) == found


def test_two_of_one_first_name_are_not_guessed() -> None:
    anna = module.Contact(name="Anna Berg"), module.Contact(name="Anna Tal")
    organizer = Organizer(lambda: 0.0, contacts=anna)
    assert organizer.contact("anna") is None
    assert organizer.contact("anna tal") is anna[1]


def test_contact_details_and_calls() -> None:
    desk = Desk()
    assert desk.plan("get_contact", person="anna", part="email").answer["value"] == "anna@example.org"
    assert desk.plan("get_contact", person="garage pohl", part="email").answer["value"] == ""
    call = desk.plan("call_contact", person="my boss")
    assert (call.changes, call.answer) == ({"phone.number": "+49 30 5550103"}, {"name": "Priya Nair"})
    for name in ("get_contact", "call_contact"):
        assert "don't know that contact" in desk.plan(name, person="nobody").refusal
    nameless = Organizer(lambda: 0.0, contacts=[module.Contact(name="Zoe")])
    planner = Planner(Places.load(), MediaLibrary.load(), organizer=nameless)
    assert (
        "no telephone number" in planner.plan(parse_action("call_contact", {"person": "zoe"}), VehicleState()).refusal
    )


def test_a_call_is_ended_where_there_is_one() -> None:
    desk = Desk()
    assert "no call" in desk.plan("hang_up").refusal
    calling = VehicleState(values={"phone.number": "+49 30 5550103"})
    assert desk.planner.plan(parse_action("hang_up", {}), calling).changes == {"phone.number": ""}


def test_one_email_goes_to_several_or_to_nobody(tmp_path: Path) -> None:
    people = [
        module.Contact(name="Anna Berg", email="anna@example.org"),
        module.Contact(name="Ben Tal", email="ben@example.org"),
        module.Contact(name="Mum and Dad", email="home@example.org"),
        module.Contact(name="Zoe"),
    ]
    organizer = Organizer(lambda: 0.0, contacts=people, outbox=tmp_path)
    planner = Planner(Places.load(), MediaLibrary.load(), organizer=organizer)

    def mailed(**slots: str) -> Plan:
        return planner.plan(parse_action("send_email", {"message": "late", **slots}), VehicleState())

    for slots in ({"person": "anna", "other": "ben"}, {"person": "anna and ben"}, {"person": "anna, ben and anna"}):
        plan = mailed(**slots)
        assert plan.answer == {"name": "Anna Berg and Ben Tal"}
        assert plan.effect is not None
        plan.effect.do()
    written = [file.read_text() for file in tmp_path.iterdir()]
    assert len(written) == 3 and all("To: anna@example.org, ben@example.org" in text for text in written)
    assert mailed(person="mum and dad").answer == {"name": "Mum and Dad"}
    assert "don't know that contact" in mailed(person="anna and nobody").refusal
    assert "e-mail address of Zoe" in mailed(person="anna", other="zoe").refusal


def test_weather_here_and_elsewhere() -> None:
    desk = Desk()
    assert desk.plan("get_weather").answer["sky"] == "clouds with light rain"
    assert desk.plan("get_weather", place="sandy reach beach", day="tomorrow").answer["high"] == 16
    assert "no forecast" in desk.plan("get_weather", place="paris").refusal
    early = desk.plan("get_weather", day="tomorrow", hour=8, half="am").answer
    assert (early["at"], early["sky"], early["celsius"], early["rain_percent"]) == ("08:00", "cloudy", 8, 20)
    late = desk.plan("get_weather", day="tomorrow", hour=8, half="pm").answer
    assert (late["at"], late["celsius"]) == ("20:00", 9) and "low" not in late
    assert desk.plan("get_weather", day="tomorrow", hour=3).answer["at"] == "15:00"
    whole = desk.plan("get_weather", place="sandy reach beach", hour=15).answer
    assert whole["hour_unknown"] and (whole["low"], whole["high"]) == (9, 16)
    assert "no forecast" in Desk(known=False).plan("get_weather").refusal


def test_time_date_and_what_can_be_done() -> None:
    desk = Desk()
    assert desk.plan("get_time").answer == {"time": "12:00", "date": "2026-11-20", "weekday": "friday"}
    everything = desk.plan("get_capabilities").answer["can"]
    assert "set_window" in everything and "send_email" not in everything
    assert desk.plan("get_capabilities", about="charging").answer["can"] == [
        action.name for action in ACTIONS if action.domain is Domain.CHARGING
    ]


# Mail ------------------------------------------------------------------------------------------------------------------


def test_an_e_mail_is_a_file_for_a_mail_program(tmp_path: Path) -> None:
    desk = Desk(outbox=tmp_path / "out")
    assert "send_email" in desk.planner.offers()
    made = desk.plan("send_email", person="anna", message="i am late")
    assert not (tmp_path / "out").exists()
    assert made.effect is not None and made.effect.undo is None
    made.effect.do()
    (written,) = (tmp_path / "out").iterdir()
    message = email.message_from_bytes(written.read_bytes())
    assert message["To"] == "anna@example.org" and "i am late" in message.as_string()
    assert written.stat().st_mode & 0o777 == 0o600


def test_an_e_mail_that_cannot_be_written(tmp_path: Path) -> None:
    assert "send_email" not in Desk().planner.offers()
    with pytest.raises(AdapterError, match="no outbox"):
        Desk().do("send_email", person="anna", message="x")
    blocked = tmp_path / "file"
    blocked.write_text("")
    desk = Desk(outbox=blocked)
    with pytest.raises(AdapterError, match="cannot be written"):
        desk.do("send_email", person="anna", message="x")
    assert "no e-mail address" in desk.plan("send_email", person="garage pohl", message="x").refusal
    assert "don't know" in desk.plan("send_email", person="nobody", message="x").refusal


# The file --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ('{"contacts": [{"name": ""}]}', "contacts.0.name"),
        ('{"contacts": [{"name": "A", "email": "a@b, c@d"}]}', "contacts.0.email"),
        ('{"calendar": [{"title": "x", "on": "31.12."}]}', "calendar.0.on"),
        ('{"friends": []}', "friends"),
        ("{", "has no contacts and calendar"),
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path: Path, content: str, complaint: str) -> None:
    path = tmp_path / "organizer.json"
    path.write_text(content)
    with pytest.raises(ConfigError, match=complaint):
        Organizer.load(path, lambda: 0.0)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read contacts"):
        Organizer.load(tmp_path / "none.json", lambda: 0.0)


def test_days_and_dates(tmp_path: Path) -> None:
    path = tmp_path / "o.json"
    path.write_text(json.dumps({
        "calendar": [{"title": "late", "on": "2026-11-20", "at": "18:00"}, {"title": "all day", "on": "2026-11-20"}],
        "weather": [{"on": "2026-11-21", "sky": "sunny", "low": 1, "high": 2}],
    }))  # fmt: skip
    organizer = Organizer.load(path, lambda: 0.0, lambda: NOON)
    found = organizer.appointments(date(2026, 11, 20))
    assert found is not None and [entry.title for entry in found] == ["all day", "late"]
    assert organizer.forecast(date(2026, 11, 20)) is None
    assert organizer.forecast(date(2026, 11, 21)) is not None


ROUTE = {"navigation.destination": "Home", "navigation.minutes": 20}


def test_a_reminder_for_the_arrival_moves_with_the_route() -> None:
    desk = Desk()
    changes: list[int] = []
    made = desk.planner.plan(
        parse_action("set_reminder", {"what": "buy milk", "event": "arrival"}), VehicleState(values=ROUTE)
    )
    assert (made.answer["arrival"], made.answer["at"]) == (True, "12:20") and made.effect is not None
    desk.do("set_reminder", what="call anna", minutes=30)
    made.effect.do()
    assert desk.organizer.awaits_arrival
    desk.organizer.watch(lambda: changes.append(1))
    desk.organizer.arriving(20 * 60.0 + SHIFT_S - 1.0)
    assert not changes
    desk.organizer.arriving(40 * 60.0)
    assert [notice.label for notice in desk.organizer.waiting()] == ["call anna", "buy milk"] and len(changes) == 1
    assert desk.organizer.kept()[1].at == NOON + timedelta(minutes=40)
    desk.organizer.arriving(60.0)
    desk.organizer.arriving(0.0)
    assert [notice.spoken() for notice in desk.organizer.due()] == ["Reminder: buy milk."]
    assert not desk.organizer.awaits_arrival


def test_a_route_that_is_called_off_does_not_ring() -> None:
    desk = Desk()
    made = desk.planner.plan(
        parse_action("set_reminder", {"what": "buy milk", "event": "arrival"}), VehicleState(values=ROUTE)
    )
    assert made.effect is not None
    made.effect.do()
    desk.organizer.arriving(0.0)
    assert not desk.organizer.due() and desk.organizer.awaits_arrival
    desk.organizer.arriving(120.0)
    desk.organizer.arriving(0.0)
    assert [notice.label for notice in desk.organizer.due()] == ["buy milk"]


def test_without_a_route_there_is_no_arrival() -> None:
    assert "no route" in Desk().plan("set_reminder", what="buy milk", event="arrival").refusal


def test_the_arrival_itself_is_never_put_off() -> None:
    desk = Desk()
    made = desk.planner.plan(
        parse_action("set_reminder", {"what": "milk", "event": "arrival"}),
        VehicleState(values=ROUTE | {"navigation.minutes": 0}),
    )
    assert made.effect is not None
    made.effect.do()
    desk.organizer.arriving(0.0)
    assert [notice.label for notice in desk.organizer.due()] == ["milk"]
