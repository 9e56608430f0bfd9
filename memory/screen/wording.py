"""What the screen says, by language: locale files, dates, plurals. Owns no sentence itself: those stand in ``locale/*.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import date, datetime, tzinfo
from functools import cache
from pathlib import Path
from typing import Any

from memory.learn.english.vocabulary import CLOSED
from schemas.memory import FACTS, OTHER, Condition, Preference, Proposal, Sense, usual
from schemas.preferences import BY_DETAIL, MAIN_TITLES, SUB_TITLES

LANGUAGES = ("en", "de")
NAMELESS = "driver"
"""The name that a driver has who chose none (``deploy/default.toml``)."""
_FOLDER = Path(__file__).parent / "locale"
_DEGREES = re.compile(r"(\d+(?:\.\d+)?) degrees")
"""How memory writes a temperature, in Celsius."""
_OPENED = frozenset({"set_window", "set_sunroof", "set_sunshade"})
"""Actions of which no percent is closed and a hundred is open."""
_FIXED = frozenset(
    "zone change direction window but times event color mode unit source command kind preference part day".split()
)
"""Slots whose values are words of ours; any other text is as the driver said it."""


@cache
def sentences(language: str) -> Mapping[str, Any]:
    """A locale file: keys with dots -> text."""
    flat: dict[str, Any] = {}

    def walk(table: Mapping[str, Any], path: str) -> None:
        for key, value in table.items():
            name = f"{path}{key}"
            if isinstance(value, dict):
                walk(value, f"{name}.")
            else:
                flat[name] = value

    for name in (f"{language}.{part}toml" for part in ("", "said.", "actions.", "assistant.")):
        walk(tomllib.loads((_FOLDER / name).read_text("utf-8")), "")
    return flat


def _slug(value: str) -> str:
    """A value as a key of a locale file."""
    return value.lower().replace(" ", "_")


def _capital(word: str) -> str:
    """A word of a name as it is written; one without a vowel is a name's letters: BP, BBC."""
    return word.upper() if not re.search("[aeiouyäöü]", word) else word[:1].upper() + word[1:]


def short(text: str, most: int) -> str:
    """At most so many characters, cut between words; never a mark of what is left out alone."""
    text = text.strip()
    if len(text) <= most:
        return text
    cut = text[: most - 1].rsplit(" ", 1)[0] if " " in text[: most - 1] else text[: most - 1]
    return f"{cut.rstrip(' ,.:;') or cut}…"


def pieces(text: str, most: int) -> tuple[str, ...]:
    """A text in pieces of at most so many characters, cut between words; one at least."""
    found = [""]
    for word in re.findall(r"\S+\s*", text):
        for part in (word[at : at + most] for at in range(0, len(word), most)):
            if len(found[-1]) + len(part.rstrip()) > most:
                found.append("")
            found[-1] += part
    return tuple(found)


class Wording:
    """One language."""

    short = staticmethod(short)

    def __init__(self, language: str, zone: tzinfo, temperature: str = "") -> None:
        """Sentences of a language, times of a zone; ``temperature``: the unit that the driver wants, empty for the language's."""
        self._unit = temperature
        self.language = language if language in LANGUAGES else LANGUAGES[0]
        self._own, self._english, self._zone = sentences(self.language), sentences(LANGUAGES[0]), zone

    @property
    def direction(self) -> str:
        """``ltr`` or ``rtl``."""
        return str(self("direction"))

    def __call__(self, key: str, **values: object) -> str:
        """The sentence of a key with its values put in.

        Raises:
            KeyError: no such key (a defect of ours; a test goes through all).
        """
        text = self._own.get(key) or self._english[key]
        return str(text).format(**values) if values else str(text)

    def has(self, key: str) -> bool:
        """Whether there is a sentence of this key."""
        return key in self._own or key in self._english

    def person(self, name: str) -> str:
        """A driver's name as it is written; whoever gave none is called a driver."""
        return self("drivers.nameless") if name == NAMELESS else name.replace("_", " ").title()

    def count(self, key: str, number: int) -> str:
        """The sentence for a number of something: ``KEY.one`` or ``KEY.many``."""
        return self(f"{key}.{'one' if number == 1 else 'many'}", count=self.number(number))

    def number(self, value: int) -> str:
        """With the language's mark for thousands."""
        return f"{value:,}".replace(",", self("thousands"))

    def main(self, key: str) -> str:
        """Title of a main category."""
        return str(self._own.get(f"category.{key}", MAIN_TITLES[key]))

    def main_short(self, key: str) -> str:
        """The same in a word, for a tab."""
        return self(f"tab.{key}")

    def sub(self, key: str) -> str:
        """Title of a sub-category."""
        return str(self._own.get(f"category.{key}", SUB_TITLES[key]))

    def detail(self, key: str) -> str:
        """Title of a detail category; of facts, too."""
        if key == FACTS:
            return self("fact.title")
        return str(self._own.get(f"category.{key}", BY_DETAIL[key].title))

    def about(self, key: str) -> str:
        """What a detail category is about."""
        return str(self._own.get(f"description.{key}", BY_DETAIL[key].description))

    def title(self, key: str) -> str:
        """Title of a category of any level."""
        if key in MAIN_TITLES:
            return self.main(key)
        return self.sub(key) if key in SUB_TITLES else self.detail(key)

    def span(self, days: int) -> str:
        """A length of time in the largest unit that fits: days, months, years."""
        for unit, length in (("years", 365), ("months", 30)):
            whole, rest = divmod(days, length)
            if whole and rest * 10 <= length and (unit == "years" or days >= 30):
                return self.count(f"retention.{unit}", whole)
        return self.count("retention.days", days)

    def quantity(self, value: float) -> str:
        """With the language's decimal mark, without needless digits."""
        return f"{value:g}".replace(".", self("decimal"))

    def value(self, detail: str, value: str) -> str:
        """A remembered value alone: this language's word if it has one, a temperature in the driver's unit, names with capitals."""
        told = _DEGREES.fullmatch(value) if detail == "preferred_temperature" else None
        if told is not None:
            return self._warm(float(told.group(1)))
        word = self._own.get(f"word.{_slug(value)}") if detail in BY_DETAIL and not self._named(detail) else None
        if word is not None:
            return str(word)
        return " ".join(map(_capital, value.split())) if self._named(detail) and value.islower() else value

    def shown(self, detail: str, value: str, sense: Sense, conditions: Sequence[Condition]) -> str:
        """All that stands on the screen of a preference but the driver's own words: what a search for it looks through."""
        told = self.told(detail, value, sense, conditions)
        return f"{told}\n{self.value(detail, value)}\n{self.detail(detail)}\n{self.sub(BY_DETAIL[detail].sub)}"

    def _named(self, detail: str) -> bool:
        return detail in str(self("names")).split()

    def meant_by(self, detail: str, words: str) -> str:
        """A value as it is stored, for what the driver typed: this language's word for a value of the category is that value."""
        typed = words.strip().casefold()
        known = (*BY_DETAIL[detail].examples, *(CLOSED[detail].values if detail in CLOSED else ()))
        return next((one for one in known if self.value(detail, one).casefold() == typed), words.strip())

    def warm(self, celsius: float) -> str:
        """A temperature in the driver's unit."""
        return self._warm(celsius)

    def far(self, kilometers: float) -> str:
        """A distance, in whole kilometres from ten on."""
        return self("far", value=self.quantity(round(kilometers) if kilometers >= 10 else round(kilometers, 1)))

    def _warm(self, celsius: float) -> str:
        unit = self._unit or self("temperature.unit")
        form = "temperature.fahrenheit" if self._unit == "fahrenheit" else "temperature.told"
        value = float(round(celsius * 1.8 + 32)) if unit == "fahrenheit" else celsius
        return self(form, value=self.quantity(value))

    def meaning(self, told: Preference | Proposal) -> str:
        """What is remembered, as a sentence: "You like jazz music in the evening"."""
        return self.told(told.detail, told.value, told.sense, told.conditions)

    def told(self, detail: str, value: str, sense: str, conditions: Sequence[Condition]) -> str:
        """The same, of its parts."""
        return " ".join((self.in_sense(detail, value, sense), *(self._when(one) for one in conditions)))

    def in_sense(self, detail: str, value: str, sense: str = "") -> str:
        """A value as it is meant, as a sentence; without a sense as values of its category always are."""
        if detail not in BY_DETAIL:
            return value
        always = usual(detail)
        sense = sense or always
        whole = self._own.get(f"said.{detail}.{_slug(value)}") if sense == always else None
        if whole is not None:
            return str(whole)
        value = self.value(detail, value)
        if detail in CLOSED and sense != always:
            return self(f"closed.{sense}", title=self.detail(detail), value=value)
        template = self._own.get(f"meant.{detail}" if sense == always else f"meant.{sense}.{detail}")
        if template is not None:
            told = str(template).format(value=value)
            return told[:1].upper() + told[1:]
        thing = self(f"thing.{detail}", value=value) if f"thing.{detail}" in self._own else value
        return self(f"sense.{sense}", thing=thing)

    def _when(self, condition: Condition) -> str:
        if condition.value == OTHER and condition.words:
            return self("quoted", text=condition.words)
        return self(f"condition.{condition.value}")

    def act(self, action: str, slots: Mapping[str, Any]) -> str:
        """What was done: ``Window: driver, 40 %``. An action without a title is called by its name."""
        title = str(self._own.get(f"action.{action}") or action.replace("_", " "))
        ends = {0.0: "value.is_open.no", 100.0: "value.is_open.yes"} if action in _OPENED else {}
        told = [
            self(ends[value]) if name == "percent" and value in ends else self._slot(name, value)
            for name, value in slots.items()
            if name not in {"minute", "half"}
        ]
        if "hour" in slots:
            told[[name for name in slots if name not in {"minute", "half"}].index("hour")] = self._clock(slots)
        return f"{title}: {', '.join(told)}" if told else title

    def _slot(self, name: str, value: Any) -> str:
        if isinstance(value, bool):
            kind = name if f"value.{name}.yes" in self._own else "is_open" if name == "open" else "on"
            return self(f"value.{kind}.{'yes' if value else 'no'}")
        if name == "celsius" and isinstance(value, int | float):
            return self._warm(float(value))
        if name == "date":
            return self._of_year(date.fromisoformat(str(value)))
        if isinstance(value, int | float):
            form = f"slot.{name}" if f"slot.{name}" in self._own else "slot.number"
            return self(form, value=self.quantity(value))
        if name in _FIXED:
            told = str(self._own.get(f"value.{value}", value))
            return self(f"slot.{name}", value=told) if f"slot.{name}" in self._own else told
        return self("quoted", text=value)

    def _clock(self, slots: Mapping[str, Any]) -> str:
        """A time of day as it was said; the halves of the day are counted through."""
        hour, half = int(slots["hour"]), slots.get("half")
        hour = hour % 12 + (12 if half == "pm" else 0) if half else hour
        return f"{hour}:{int(slots.get('minute') or 0):02d}"

    def day(self, moment: datetime) -> str:
        """``21 Nov 2026``."""
        return self._of_year(moment.astimezone(self._zone))

    def _of_year(self, day: date) -> str:
        month = self("months").split()[day.month - 1]
        return self("day", day=day.day, month=month, year=day.year)

    def time(self, moment: datetime) -> str:
        """``18:05``."""
        return f"{moment.astimezone(self._zone):%H:%M}"

    def moment(self, moment: datetime) -> str:
        """Day and time."""
        return f"{self.day(moment)}, {self.time(moment)}"
