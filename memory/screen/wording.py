"""What the screen says, by language: locale files, dates, plurals. Owns no sentence itself: those stand in ``locale/*.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import datetime, tzinfo
from functools import cache
from pathlib import Path
from typing import Any

from schemas.preferences import BY_DETAIL, MAIN_TITLES, SUB_TITLES

LANGUAGES = ("en", "de")
_FOLDER = Path(__file__).parent / "locale"


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

    walk(tomllib.loads((_FOLDER / f"{language}.toml").read_text("utf-8")), "")
    return flat


class Wording:
    """One language."""

    def __init__(self, language: str, zone: tzinfo) -> None:
        """Sentences of a language, times of a zone."""
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
        """Title of a detail category."""
        return str(self._own.get(f"category.{key}", BY_DETAIL[key].title))

    def about(self, key: str) -> str:
        """What a detail category is about."""
        return str(self._own.get(f"description.{key}", BY_DETAIL[key].description))

    def title(self, key: str) -> str:
        """Title of a category of any level."""
        if key in MAIN_TITLES:
            return self.main(key)
        return self.sub(key) if key in SUB_TITLES else self.detail(key)

    def day(self, moment: datetime) -> str:
        """``21 Nov 2026``."""
        here = moment.astimezone(self._zone)
        month = self("months").split()[here.month - 1]
        return self("day", day=here.day, month=month, year=here.year)

    def time(self, moment: datetime) -> str:
        """``18:05``."""
        return f"{moment.astimezone(self._zone):%H:%M}"

    def moment(self, moment: datetime) -> str:
        """Day and time."""
        return f"{self.day(moment)}, {self.time(moment)}"
