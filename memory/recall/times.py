"""Words for a time, as the period that they mean: "yesterday", "last tuesday", "two weeks ago", "on our first trip".

The table `EXPRESSIONS` lists what is understood; every row is a pattern and what it means on the driver's calendar. Looks
back, as questions of memory do: "on tuesday" is the last one that was. Now, zone and trips are given; days begin at the
zone's midnight, so a day in which the clocks change has 23 or 25 hours. Pure. English; another language is another table.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cache

from models import text as spelling
from models.numbers import SMALL, TENS
from models.text import normal
from schemas.clock import WEEKDAYS
from schemas.memory import Period, Trip

MONTHS = tuple(name.lower() for name in spelling.MONTHS)
NUMBERS = {"a": 1, "an": 1, "a couple of": 2, "a couple": 2, "a few": 3} | {
    word: number for word, number in (SMALL | TENS).items() if number
}
ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth",
    "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth",
    "twenty first", "twenty second", "twenty third", "twenty fourth", "twenty fifth", "twenty sixth", "twenty seventh",
    "twenty eighth", "twenty ninth", "thirtieth", "thirty first",
)  # fmt: skip
PARTS: dict[str, tuple[int, int]] = {
    "early morning": (4, 9), "morning": (5, 12), "noon": (11, 14), "lunchtime": (11, 14), "midday": (11, 14),
    "afternoon": (12, 18), "evening": (17, 24), "night": (18, 30),
}  # fmt: skip
"""Hours of a day, from and until; 30 is six the next morning."""
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""First month, as meteorologists count them in the northern half of the world."""
FEASTS = {
    "christmas eve": (12, 24, 1),
    "christmas": (12, 24, 3),
    "new year's eve": (12, 31, 1),
    "new year's day": (1, 1, 1),
}
"""Month, day and how many days."""
THIRDS = {"early": 1, "beginning": 1, "start": 1, "mid": 11, "middle": 11, "late": 21, "end": 21}
"""The first day of a third of a month."""
FEW: dict[str, tuple[int, int]] = {"day": (2, 10), "week": (2, 6), "month": (2, 6), "year": (2, 5)}
"""How many "a few" may be, from and to; our choice: who says it does not remember the day."""
RECENT_DAYS = 14
"""What "recently" means; our choice."""
MOST_BACK = 10_000
"""Of any unit; more is no time that a driver means."""


@dataclass(frozen=True, slots=True)
class _Calendar:
    """What a meaning goes by."""

    now: datetime
    """In the driver's zone."""
    trips: Sequence[Trip]

    @property
    def today(self) -> date:
        return self.now.date()

    @property
    def monday(self) -> date:
        """Of this week."""
        return self.today - timedelta(days=self.today.weekday())

    def moment(self, day: date, hour: int = 0) -> datetime:
        """An hour of a day, in UTC; from 24 on of the day after."""
        local = datetime.combine(day + timedelta(days=hour // 24), time(hour % 24), tzinfo=self.now.tzinfo)
        return local.astimezone(UTC)

    def days(self, first: date, count: int = 1) -> Period:
        """So many whole days."""
        return Period(since=self.moment(first), until=self.moment(first + timedelta(days=count)))

    def part(self, day: date, part: str | None) -> Period:
        """A part of a day; all of it for None."""
        if part is None:
            return self.days(day)
        first, last = PARTS[part]
        return Period(since=self.moment(day, first), until=self.moment(day, last))

    def months(self, year: int, month: int, count: int = 1) -> Period:
        """So many whole months; the month may lie outside 1..12."""
        return Period(since=self.moment(_first(year, month)), until=self.moment(_first(year, month + count)))

    def around(self, moment: datetime, before: timedelta, after: timedelta) -> Period:
        """A stretch round a moment that is not known exactly."""
        return Period(since=(moment - before).astimezone(UTC), until=(moment + after).astimezone(UTC))


def _first(year: int, month: int) -> date:
    """The first day of a month, which may lie outside 1..12."""
    years, months = divmod(month - 1, 12)
    return date(year + years, months + 1, 1)


@dataclass(frozen=True, slots=True)
class _Said:
    """The named parts of an expression; None for what was not said."""

    parts: dict[str, str | None]

    def __getitem__(self, name: str) -> str:
        return self.parts[name] or ""

    def get(self, name: str) -> str | None:
        return self.parts.get(name)

    @property
    def number(self) -> int:
        text = self.parts.get("number")
        return 1 if text is None else int(text) if text.isdecimal() else NUMBERS[text]


Meaning = Callable[[_Calendar, _Said], Period | None]


def _ordinal(text: str) -> int:
    digits = re.match(r"\d+", text)
    return int(digits.group()) if digits else ORDINALS.index(text.replace("-", " ")) + 1


def _day(back: int) -> Meaning:
    return lambda calendar, said: calendar.part(calendar.today - timedelta(days=back), said.get("part"))


def _last_night(calendar: _Calendar, _: _Said) -> Period:
    return calendar.part(calendar.today - timedelta(days=1), "night")


def _up_to_now(span: timedelta) -> Meaning:
    return lambda calendar, _: calendar.around(calendar.now, span, timedelta(0))


def _weekday(calendar: _Calendar, said: _Said) -> Period:
    """The last such day before today."""
    back = (calendar.today.weekday() - WEEKDAYS.index(said["weekday"])) % 7 or 7
    earlier = 7 if said.get("before") else 0
    return calendar.part(calendar.today - timedelta(days=back + earlier), said.get("part"))


def _weekday_of_last_week(calendar: _Calendar, said: _Said) -> Period:
    day = calendar.monday + timedelta(days=WEEKDAYS.index(said["weekday"]) - 7)
    return calendar.part(day, said.get("part"))


def _ago(calendar: _Calendar, said: _Said) -> Period:
    """So long ago, as exactly as people mean it: a day is that day, a week seven days, a month that month, a few are vague."""
    count, unit, today = said.number, said["unit"], calendar.today
    if said["number"] == "a few" and unit in FEW:
        least, most = FEW[unit]
        days = {"day": 1, "week": 7, "month": 31, "year": 366}[unit]
        first = today - timedelta(days=most * days)
        return calendar.days(first, (most - least) * days + 1)
    if unit == "minute":
        about = timedelta(minutes=2 + count // 4)
        return calendar.around(calendar.now - timedelta(minutes=count), about, about)
    if unit == "hour":
        about = timedelta(minutes=45)
        return calendar.around(calendar.now - timedelta(hours=count), about, about)
    if unit == "day":
        return calendar.days(today - timedelta(days=count))
    if unit == "week":
        return calendar.days(today - timedelta(days=7 * count + 3), 7)
    return (
        calendar.months(today.year, today.month - count)
        if unit == "month"
        else calendar.months(today.year - count, 1, 12)
    )


def _within(calendar: _Calendar, said: _Said) -> Period:
    """The last so many, up to now."""
    days = {"minute": 1 / 1440, "hour": 1 / 24, "day": 1, "week": 7, "month": 30.5, "year": 365.25}[said["unit"]]
    return calendar.around(calendar.now, timedelta(days=days * said.number), timedelta(0))


def _date(calendar: _Calendar, said: _Said) -> Period | None:
    """A day of a month; without a year the last one that is not in the future."""
    month = int(said["month"]) if said["month"].isdecimal() else MONTHS.index(said["month"]) + 1
    day, year, today = _ordinal(said["day"]), said.get("year"), calendar.today
    if not 1 <= month <= 12:
        return None
    for candidate in [int(year)] if year else range(today.year, today.year - 9, -1):
        if 1 <= day <= monthrange(candidate, month)[1]:
            found = date(candidate, month, day)
            if year or found <= today:
                return calendar.part(found, said.get("part"))
    return None


def _day_of_a_month(calendar: _Calendar, said: _Said) -> Period | None:
    """``the 3rd``: of this month, or of the last one that had it."""
    day, today = _ordinal(said["day"]), calendar.today
    for back in range(12):
        first = _first(today.year, today.month - back)
        if 1 <= day <= monthrange(first.year, first.month)[1] and first.replace(day=day) <= today:
            return calendar.part(first.replace(day=day), said.get("part"))
    return None


def _month(calendar: _Calendar, said: _Said) -> Period:
    """A month by name, or a third of it: the last one that has begun, unless a year is said."""
    month, today = MONTHS.index(said["month"]) + 1, calendar.today
    running = month == today.month and said.get("last") is not None  # "last may" in may is not this one
    year = today.year - (month > today.month or running)
    if said.get("lastyear"):
        year = today.year - 1
    elif said.get("year"):
        year = int(said["year"])
    third = said.get("third")
    if third is None:
        return calendar.months(year, month)
    first = date(year, month, THIRDS[third])
    return calendar.days(first, 10 if first.day < 21 else monthrange(year, month)[1] - 20)


def _season(calendar: _Calendar, said: _Said) -> Period:
    return _latest(calendar, said, lambda year: calendar.months(year, SEASONS[said["season"]], 3))


def _feast(calendar: _Calendar, said: _Said) -> Period:
    month, day, count = FEASTS[said["feast"]]
    return _latest(calendar, said, lambda year: calendar.days(date(year, month, day), count))


def _latest(calendar: _Calendar, said: _Said, of: Callable[[int], Period]) -> Period:
    """The last one that has begun; with ``last`` the last one that is over."""
    for year in (calendar.today.year, calendar.today.year - 1):
        found = of(year)
        edge = found.until if said.get("last") else found.since
        if edge is not None and edge <= calendar.now:
            return found
    return of(calendar.today.year - 2)


def _weekend(calendar: _Calendar, said: _Said) -> Period:
    """Saturday and Sunday: the last ones that have begun; with ``last`` those of a week that is over."""
    running = calendar.today.weekday() >= 5
    weeks = 2 if said.get("before") else 1 if said["which"] == "last" or not running else 0
    return calendar.days(calendar.monday + timedelta(days=5 - 7 * weeks), 2)


def _unit(calendar: _Calendar, said: _Said) -> Period:
    """This, last week, month, year, or the one before."""
    back, today = {"this": 0, "last": 1, "before last": 2}[said["which"]], calendar.today
    if said["unit"] == "week":
        return calendar.days(calendar.monday - timedelta(days=7 * back), 7)
    if said["unit"] == "month":
        return calendar.months(today.year, today.month - back)
    return calendar.months(today.year - back, 1, 12)


def _year(calendar: _Calendar, said: _Said) -> Period:
    return calendar.months(int(said["year"]), 1, 12)


def _trip(calendar: _Calendar, said: _Said) -> Period | None:
    """A drive by its place in their order; the one that lasts counts as this one, not as the last."""
    trips = sorted(calendar.trips, key=lambda trip: trip.began_at)
    running = bool(trips) and trips[-1].ended_at is None
    which = said["which"]
    if which in ("this", "today's", "current"):
        number = len(trips) - 1 if running else -1
    elif which in ("last", "previous", "latest", "before last", "ago"):
        back = {"before last": 2, "ago": said.number}.get(which, 1)
        number = len(trips) - back - running
    else:
        number = _ordinal(which) - 1
    if not 0 <= number < len(trips):
        return None
    began, later = trips[number].began_at, [trip.began_at for trip in trips[number + 1 :]]
    until = trips[number].ended_at or (later[0] if later else None)  # no end: it lasts, or was cut off
    return Period(since=began, until=None if until is None else max(until, began))


_N = "|".join(sorted((*NUMBERS, r"\d{1,4}"), key=len, reverse=True))
_D = "|".join(WEEKDAYS)
_M = "|".join(MONTHS)
_P = "|".join(PARTS)
_O = "|".join(sorted((o.replace(" ", "[ -]") for o in ORDINALS), key=len, reverse=True))
_NTH = rf"\d{{1,2}}(?:st|nd|rd|th)|{_O}"
_AT = rf"(?:,? (?:in the |at )?(?P<part>{_P}))?"
_YEAR = r"(?P<year>(?:19|20)\d{2})"
_NO_NOUN = r"(?! (?!(?:what|when|where|who|how|did|do|i|you|we|and|to|until|till|through|about|please)\b)\w)"
"""Not before the thing that is counted: "on the first floor"."""
_DRIVE = r"(?:trip|drive|ride|journey)"
_IN = r"(?:(?:on|during|in|at|over|within|for) )?"

EXPRESSIONS: tuple[tuple[str, Meaning], ...] = (
    (rf"{_IN}(?:our|the|my) {_DRIVE} (?P<which>before last)", _trip),
    (rf"{_IN}(?:our |the |my |that |your )?(?:very )?(?P<which>{_NTH}|last|previous|latest|this|today's|current) {_DRIVE}",
     _trip),
    (rf"(?P<number>{_N}) {_DRIVE}s? (?P<which>ago)", _trip),
    (rf"{_IN}(?P<year>\d{{4}})-(?P<month>\d{{2}})-(?P<day>\d{{2}})", _date),
    (rf"{_IN}(?:the )?(?P<day>{_NTH}|\d{{1,2}})(?: of)? (?P<month>{_M})(?:,? (?:of )?{_YEAR})?{_AT}", _date),
    (rf"{_IN}(?P<month>{_M}) (?:the )?(?P<day>{_NTH}|\d{{1,2}})(?!\d)(?:,? (?:of )?{_YEAR})?{_AT}", _date),
    (rf"on the (?P<day>{_NTH})(?: of (?:this|the) month)?{_AT}{_NO_NOUN}", _day_of_a_month),
    (rf"{_IN}(?:the )?day before yesterday{_AT}", _day(2)),
    (rf"yesterday{_AT}", _day(1)),
    (r"last night", _last_night),
    (rf"(?:earlier )?(?:this|today in the|today at) (?P<part>{_P})", _day(0)),
    (r"(?:earlier )?(?:today|tonight)", _day(0)),
    (r"just now|a moment ago|right now", _up_to_now(timedelta(minutes=10))),
    (r"recently|lately|these days", _up_to_now(timedelta(days=RECENT_DAYS))),
    (rf"{_IN}(?P<weekday>{_D})(?: of| in)? last week{_AT}", _weekday_of_last_week),
    (rf"last week,? (?:on )?(?P<weekday>{_D}){_AT}", _weekday_of_last_week),
    (rf"{_IN}the (?P<weekday>{_D}) (?P<before>before last){_AT}", _weekday),
    (rf"a (?P<before>week ago) (?:on |last )?(?P<weekday>{_D}){_AT}", _weekday),
    (rf"(?:on|last|this|past|this past) (?P<weekday>{_D}){_AT}", _weekday),
    (rf"(?P<weekday>{_D}) (?P<part>{_P})", _weekday),
    (rf"(?P<weekday>{_D})(?=\W*$)", _weekday),
    (rf"{_IN}the weekend (?P<before>before last)", _weekend),
    (rf"{_IN}(?P<which>last|this|the) (?:past )?weekend", _weekend),
    (r"(?:the )?(?P<unit>week|month|year) (?P<which>before last)", _unit),
    (rf"(?:about |some |around )?(?P<number>{_N}) (?P<unit>minute|hour|day|week|month|year)s? (?:ago|back|earlier)", _ago),
    (rf"{_IN}the (?:last|past) (?:(?P<number>{_N}) )?(?P<unit>minute|hour|day|week|month|year)s?", _within),
    (r"(?:earlier )?(?P<which>this|last) (?P<unit>week|month|year)", _unit),
    (rf"{_IN}(?:the )?(?P<third>early|mid|late|beginning|start|middle|end)(?:[ -]| of )(?P<month>{_M})(?:,? (?:of )?{_YEAR})?",
     _month),
    (rf"(?:in|during|of|this|(?P<last>last)) (?P<month>{_M})(?:,? (?:of )?(?:{_YEAR}|(?P<lastyear>last year)))?", _month),
    (rf"(?P<month>{_M}),? (?:of )?(?:{_YEAR}|(?P<lastyear>last year))", _month),
    (rf"(?P<month>{'|'.join(month for month in MONTHS if month not in ('march', 'may'))})", _month),
    (r"(?:in|during|this|(?P<last>last)) (?:the )?(?P<season>spring|summer|autumn|fall|winter)", _season),
    (rf"(?:at|over|on|this|(?P<last>last)) (?P<feast>{'|'.join(FEASTS)})", _feast),
    (rf"(?:in|during) {_YEAR}", _year),
)  # fmt: skip
"""What is understood: the expression that begins first counts; of those that begin at one place the longest, then the
first row."""

EDGES: tuple[tuple[str, bool, bool], ...] = (
    (r"(?:ever )?since|from", True, False),
    (r"(?<!day )before|until|till|up to", False, True),
    (r"after", False, False),
)
"""Words before a time that make it an edge: whether what is meant begins with it, and whether it ends before it; neither: it
begins after it."""


@cache
def _compiled() -> list[tuple[re.Pattern[str], Meaning]]:
    """The table's patterns; made when they are first needed, since that takes longer than importing this module may."""
    return [(re.compile(rf"(?<![\w'-])(?:{pattern})(?![\w-])"), meaning) for pattern, meaning in EXPRESSIONS]


_EDGES = [(re.compile(rf"(?<![\w'-])(?:{pattern}) (?:the )?"), begins, ends) for pattern, begins, ends in EDGES]
_BETWEEN = re.compile(r"(?<![\w'-])(?:between|from) (?:the )?")
_AND = re.compile(r" (?:and|to|until|till|through) (?:the )?")
_UNSAID = ("", "on ", "in ", "at ", "on the ")
"""What is left out after the words of an edge: "since (on) tuesday", "before (in) may"."""


@dataclass(frozen=True, slots=True)
class _Found:
    start: int
    end: int
    period: Period


def period_in(text: str, now: datetime, zone: tzinfo, trips: Sequence[Trip] = ()) -> Period | None:
    """The time that a text speaks of; the first one if it speaks of several. None where it speaks of none.

    Args:
        text: a question or an order, as typed or as heard.
        now: aware current time.
        zone: where the driver is.
        trips: for "on our first trip"; without them such words mean nothing.

    Returns:
        Its ``words`` are those of the text, normal; `without` takes them out.
    """
    plain, calendar = normal(text), _Calendar(now.astimezone(zone), trips)
    for look in (_ranged, _edged, _plain):
        found = look(plain, calendar)
        if found is not None:
            return found.period.model_copy(update={"words": plain[found.start : found.end]})
    return None


def without(text: str, period: Period) -> str:
    """A text without the words that said when, normal: what is left to search for."""
    return " ".join(normal(text).replace(period.words, " ", 1).split()) if period.words else normal(text)


_TALK = re.compile(
    r"\b(?:i|you|we)\b(?:'ve|'d)?(?: \w+){0,3}? (?:told?|sa(?:y|id)|mention(?:ed)?|ask(?:ed)?|recommend(?:ed)?|suggest(?:ed)?|"
    r"talk(?:ed|ing)?|spe(?:ak|aking)|spoken?|discuss(?:ed)?|shared?|consult(?:ed)?|answer(?:ed)?|chat(?:ted)?|explain(?:ed)?|"
    r"advised?|tell)\b|\b(?:our|this|that|the) (?:conversation|talk|chat)\b"
)


def of_talk(text: str) -> bool:
    """Whether a question's time is when something was said, and not when it happened: "what did you recommend on friday".

    What happened in june may be told in july; what was said on friday was said on friday.
    """
    return _TALK.search(normal(text)) is not None


def _ranged(plain: str, calendar: _Calendar) -> _Found | None:
    """``between X and Y``, ``from X to Y``."""
    for between in _BETWEEN.finditer(plain):
        first = _at(plain, between.end(), calendar)
        joined = None if first is None else _AND.match(plain, first.end)
        last = None if joined is None else _at(plain, joined.end(), calendar)
        if first is None or last is None:
            continue
        since, until = first.period.since, last.period.until
        if since is not None and until is not None and since < until:
            return _Found(between.start(), last.end, Period(since=since, until=until))
    return None


def _edged(plain: str, calendar: _Calendar) -> _Found | None:
    """``since X``, ``before X``, ``after X``."""
    for pattern, begins, ends in _EDGES:
        for edge in pattern.finditer(plain):
            found = _at(plain, edge.end(), calendar)
            if found is None:
                continue
            since, until = found.period.since, found.period.until
            period = Period(since=since) if begins else Period(until=since) if ends else Period(since=until)
            if period.since is not None or period.until is not None:
                return _Found(edge.start(), found.end, period)
    return None


def _plain(plain: str, calendar: _Calendar) -> _Found | None:
    """The first expression of a text that means a time."""
    start = 0
    while True:
        matches = [match for pattern, _ in _compiled() if (match := pattern.search(plain, start))]
        if not matches:
            return None
        first = min(match.start() for match in matches)
        found = _at(plain, first, calendar, _UNSAID[:1])
        if found is not None:
            return found
        start = first + 1


def _at(plain: str, start: int, calendar: _Calendar, unsaid: Sequence[str] = _UNSAID) -> _Found | None:
    """The longest expression that begins here; words that may be left out are put in as far as they help."""
    best: _Found | None = None
    for words in unsaid:
        text, begin = (plain, start) if not words else (words + plain[start:], 0)
        for pattern, meaning in _compiled():
            match = pattern.match(text, begin)
            if match is None or not _sane(match):
                continue
            end = match.end() - begin + start - len(words)
            if best is not None and end <= best.end:
                continue
            try:
                period = meaning(calendar, _Said(match.groupdict()))
            except (ValueError, OverflowError):  # before the year 1: no time that anybody means
                continue
            if period is not None:
                best = _Found(start, end, period)
    return best


def _sane(match: re.Match[str]) -> bool:
    number = match.groupdict().get("number")
    return number is None or not number.isdecimal() or int(number) < MOST_BACK
