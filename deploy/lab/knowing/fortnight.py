"""Plays fourteen days of short drives by a clock of its own, in one vault, through the assembled assistant; checks the end.

The script stands in `DRIVES`, what must have come of it in `ended`. A driver types all of it; what is offered is answered as the
script says. Nothing is looked at from inside but the vault's own lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Final

from deploy.lab.dialogue.driving import Fleet
from deploy.lab.report.blocks import Progress
from schemas.manners import INTRODUCTION, SUGGESTIONS, manners_of
from schemas.memory import Consent, Preference, ProfileEntry

FIRST: Final = date(2026, 11, 2)
"""A Monday."""
DAYS: Final = 14
OFFERED: Final = "to get to know you?"
"""How the offer of the first minute ends,"""
USUALLY: Final = "By the way, you usually"
"""and how a suggestion begins."""


@dataclass(frozen=True, slots=True)
class Drive:
    """A drive: on which day, from 1 on, at which time, and what is said on it."""

    day: int
    at: time
    says: tuple[str, ...]


_MORNING, _EVENING = time(8, 10), time(18, 30)
DRIVES: Final[Sequence[Drive]] = (
    Drive(1, _MORNING, ("turn on the radio", "yes", "sam", "short ones please", "celsius and miles", "i like jazz", "play jazz")),
    Drive(2, _MORNING, ("play jazz", "turn on the seat heating")),
    Drive(3, _MORNING, ("play some jazz please",)),
    Drive(3, _EVENING, ("i love thai food", "how far is it to the airport")),
    Drive(4, _MORNING, ("play jazz",)),
    Drive(5, _MORNING, ("play jazz", "i like my seat heating on two")),
    Drive(6, _EVENING, ("private mode on", "i like heavy metal", "turn on the seat heating")),
    Drive(7, _EVENING, ("turn on the seat heating", "what did you learn this week")),
    Drive(8, _MORNING, ("private mode on", "turn on the seat heating")),
    Drive(9, _MORNING, ("turn on the seat heating", "yes", "turn off the seat heating")),
    Drive(10, _MORNING, ("don't suggest anything any more", "turn on the seat heating")),
    Drive(11, _MORNING, ("turn on the seat heating",)),
    Drive(12, _MORNING, ("turn on the seat heating", "i don't like thai food any more")),
    Drive(13, _EVENING, ("guest mode on", "hello", "how far is it to the airport", "turn on the seat heating")),
    Drive(14, _EVENING, ("hello", "how far is it to the airport", "what did you learn this week")),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence and its reply."""

    day: int
    at: datetime
    text: str
    reply: str


@dataclass(slots=True)
class Fortnight:
    """What was said, and what is kept at the end."""

    said: list[Said] = field(default_factory=list[Said])
    preferences: tuple[Preference, ...] = ()
    """Active ones."""
    profile: tuple[ProfileEntry, ...] = ()
    consent: Consent = field(default_factory=Consent)
    played: tuple[tuple[datetime, str], ...] = ()
    """When jazz was used for what, oldest first."""

    def on(self, day: int, text: str) -> str:
        """The reply to a sentence of a day; empty where it was not said."""
        return next((one.reply for one in self.said if (one.day, one.text) == (day, text)), "")

    def replies(self, words: str) -> list[Said]:
        """What was said with these words in its reply."""
        return [one for one in self.said if words in one.reply]


@dataclass(frozen=True, slots=True)
class Check:
    """An end state."""

    name: str
    holds: bool
    seen: str


def play(fleet: Fleet, folder: Path, progress: Progress, drives: Sequence[Drive] = DRIVES) -> Fortnight:
    """Drive all of it.

    Args:
        fleet: cars.
        folder: for the one vault; empty.
        progress: told how far it is.
        drives: what is driven.

    Raises:
        schemas.errors.GloveboxError: a part failed.
    """
    found = Fortnight()
    for number, drive in enumerate(drives):
        progress("drives", number, len(drives))
        began = datetime.combine(FIRST + timedelta(days=drive.day - 1), drive.at).astimezone()
        with fleet.drive(folder, began, introduces=True) as talk:
            for text in drive.says:
                at = talk.now
                found.said.append(Said(drive.day, at, text, talk.say(text)))
            talk.over()
            if number + 1 == len(drives):
                memory = talk.memory
                found.preferences, found.profile, found.consent = (
                    memory.preferences(),
                    memory.profile(),
                    memory.consent(),
                )
                jazz = next((one for one in found.preferences if one.value == "jazz"), None)
                found.played = memory.explain(jazz.id).used_for[::-1] if jazz is not None else ()
    progress("drives", len(drives), len(drives))
    return found


def ended(found: Fortnight) -> list[Check]:
    """The end states of the whole fortnight."""
    manners = manners_of(found.profile)
    values = sorted(one.value for one in found.preferences)
    offers, suggestions = found.replies(OFFERED), found.replies(USUALLY)
    asked = [(one.day, one.text) for one in suggestions]
    days = sorted({at.astimezone().date().isoformat() for at, _ in found.played})
    mornings = [(FIRST + timedelta(days=day - 1)).isoformat() for day in (1, 2, 3, 4, 5, 9)]
    guest, own = found.on(13, "how far is it to the airport"), found.on(14, "how far is it to the airport")
    review = found.on(14, "what did you learn this week")
    silent = [one for one in found.said if one.day in (6, 8, 10, 11, 12, 13)]
    hello, guests_hello, short = found.on(14, "hello"), found.on(13, "hello"), found.on(9, "turn off the seat heating")
    told = "listen to jazz in the mornings on weekdays, five of the last six working days"
    spoken_to = (manners.name, manners.length, manners.temperature, manners.distance)
    return [
        Check("the first minute is offered once, on the first drive", [one.day for one in offers] == [1],
              str([(one.day, one.text) for one in offers])),
        Check("how the driver wants to be spoken to is kept", spoken_to == ("Sam", "brief", "celsius", "miles"), str(manners)),
        Check("what was told is kept, and what is over is not", "jazz" in values and "thai" not in values, str(values)),
        Check("nothing of the private trips is kept", not any("metal" in value for value in values), str(values)),
        Check("jazz was played on five mornings, and once as suggested", days == mornings, str(days)),
        Check("one suggestion was made, on the second Tuesday", asked == [(9, "turn on the seat heating")], str(asked)),
        Check("it told its evidence", all(told in one.reply for one in suggestions), str([one.reply for one in suggestions])),
        Check("nothing was suggested on private trips, to a guest, and after it was silenced",
              not any(USUALLY in one.reply for one in silent), str([one.reply for one in silent])),
        Check("suggestions are switched off, and the first minute is not offered again",
              {SUGGESTIONS, INTRODUCTION} <= found.consent.opted_out, str(sorted(found.consent.opted_out))),
        Check("the name is in the greeting, and a guest has none",
              hello.startswith("Hello Sam.") and guests_hello.startswith("Hello."), f"{hello} / {guests_hello}"),
        Check("distances are in miles, a guest's as the car shows them", "miles" in own and "kilometres" in guest,
              f"{own} / {guest}"),
        Check("short answers are short", short == "Done.", short),
        Check("the review of the week tells what ended", "no longer" in review and "thai" in review, review),
    ]  # fmt: skip
