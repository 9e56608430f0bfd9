"""In what sense and when something is preferred, what a fact is that was asked to be kept, and what may be remembered.

Beside them the labels with which the words of a sentence are marked (`models.marks`).
Values only, of closed lists where they can be; `schemas.memory` has what is made of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, model_validator

from schemas.preferences import KINDS, Category

Share = Annotated[float, Field(ge=0.0, le=1.0)]


class Value(BaseModel):
    """Base of all values of a memory."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Sense(StrEnum):
    """What the driver has with a value: what is disliked or avoided is never used as if it were liked."""

    LIKES = "likes"
    """Also what the driver usually takes or does, and of a road type that it is not to be avoided."""
    DISLIKES = "dislikes"
    AVOIDS = "avoids"
    """Keeps away from it as a rule, whatever the reason; of a road type the ordinary case."""
    NEEDS = "needs"
    """It has to be so."""

    @property
    def wanted(self) -> bool:
        """Whether the value may be offered and used."""
        return self in (Sense.LIKES, Sense.NEEDS)


def usual(detail: str) -> Sense:
    """The sense in which a value of a category stands where nothing else was said: of road types, that they are avoided."""
    return Sense.AVOIDS if detail == "avoidance_of_specific_road_types" else Sense.LIKES


class ConditionKind(StrEnum):
    """What a condition is about."""

    TIME_OF_DAY = "time_of_day"
    SEASON = "season"
    WEATHER = "weather"
    ROAD = "road"
    COMPANY = "company"
    TRIP_PURPOSE = "trip_purpose"


OTHER = "other"
"""A condition that no value of its kind fits: the car cannot tell whether it holds, so it only shows the words."""

CONDITIONS: Mapping[ConditionKind, tuple[str, ...]] = {
    ConditionKind.TIME_OF_DAY: ("morning", "midday", "afternoon", "evening", "night", "weekday", "weekend", OTHER),
    ConditionKind.SEASON: ("spring", "summer", "autumn", "winter", OTHER),
    ConditionKind.WEATHER: ("rain", "snow", "ice", "fog", "wind", "sun", "hot", "cold", OTHER),
    ConditionKind.ROAD: ("motorway", "town", "country", OTHER),
    ConditionKind.COMPANY: ("alone", "children", "passengers", OTHER),
    ConditionKind.TRIP_PURPOSE: ("commute", "school", "shopping", "leisure", "holiday", "long", OTHER),
}
"""The values of each kind: few, and such that a car may be able to tell them."""


class Condition(Value):
    """When a preference holds. Several of one preference have to hold all at once."""

    kind: ConditionKind
    value: str
    """One of `CONDITIONS` of the kind."""
    words: str
    """The driver's own, as they are shown: "on the way to work"."""

    @model_validator(mode="after")
    def _closed(self) -> Self:
        if self.value not in CONDITIONS[self.kind]:
            raise ValueError(f"a condition of {self.kind} is one of {', '.join(CONDITIONS[self.kind])}")
        return self


PARKED = "the next drive"
"""Marks a parking place in `Fact.until_words`: the word of vaults in which one ended when the next drive began."""
PARKED_FOR = timedelta(days=1)
"""How long a parking place matters where no other is told: its driver asks before the next drive or on it. Our choice."""


class Fact(Value):
    """What the driver asked to have kept and is no preference ("the spare key is under the mat")."""

    id: str
    text: str
    """The driver's words, the asking cut off."""
    about: str = ""
    """The driver's words for whom it is about ("my wife"); empty: the driver, or nobody."""
    said_at: datetime
    conversation: str
    until: datetime | None = None
    """When it stops mattering and goes by itself; None: it stays until forgotten."""
    until_words: str = ""
    """How the driver said that ("till friday")."""
    uses: int = 0
    last_used: datetime | None = None

    @property
    def parked(self) -> bool:
        """Whether it tells where the car stands: the newest such is the only one that holds."""
        return self.until_words == PARKED


CONVERSATIONS = "conversations"
"""The key by which the driver asks that conversations as such are kept (episodes, summaries, events, trips); off until then."""

FACTS = "facts"
"""The key by which the driver switches facts off; on until then, as each of them is asked for."""


ENDLESS = datetime(9999, 12, 31, tzinfo=UTC)
"""The end of a pause that only the driver ends."""


class Consent(Value):
    """What may be remembered."""

    opted_out: frozenset[str] = frozenset()
    """Main, sub or detail keys that the driver switched off, and `FACTS` if the driver switched those off."""
    opted_in: frozenset[str] = frozenset()
    """Sensitive detail keys that the driver asked for, and `CONVERSATIONS` if the driver asked for that."""
    paused_until: datetime | None = None
    """`ENDLESS` until the driver says otherwise."""
    private_trip: bool = False

    @property
    def conversations(self) -> bool:
        """Whether the driver asked that conversations are kept."""
        return CONVERSATIONS in self.opted_in

    @property
    def special(self) -> frozenset[str]:
        """The special kinds of data that the driver asked for."""
        return self.opted_in & frozenset(KINDS)

    def silent(self, now: datetime) -> str | None:
        """The reason for which nothing at all may be written now, or None."""
        if self.private_trip:
            return "this is a private trip"
        if self.paused_until is not None and now < self.paused_until:
            return "learning is paused"
        return None

    def forbids_facts(self, now: datetime) -> str | None:
        """The reason for which no fact may be written now, or None if one may."""
        return self.silent(now) or ("you switched keeping things for you off" if FACTS in self.opted_out else None)

    def forbids(self, category: Category, now: datetime) -> str | None:
        """The reason for which this category may not be written now, or None if it may."""
        reason = self.silent(now)
        if reason is not None:
            return reason
        for key in category.path:
            if key in self.opted_out:
                return f"you switched {category.title.lower()} off"
        if category.sensitive and category.detail not in self.opted_in:
            return f"the topic {category.title.lower()} is sensitive, and off until you allow it on the screen"
        return None


Days = Annotated[int, Field(ge=1, le=3650)]


class Terms(Value):
    """How many days what comes of conversations is kept at most; preferences go by their category."""

    conversation_days: Days
    """What was said word for word."""
    thought_days: Days
    """Thoughts and events, from their last use on."""
    summary_days: Days
    """Daily summaries and the times of trips."""


class Label(StrEnum):
    """What a word is part of. The order is the network's."""

    NOTHING = "nothing"
    LIKES = "likes"
    DISLIKES = "dislikes"
    AVOIDS = "avoids"
    NEEDS = "needs"
    PAST = "past"
    """A thing that was liked, used or avoided once."""
    UNREAL = "unreal"
    """Supposed, asked, quoted, ironic, or wanted this once."""
    OTHERS = "others"
    """Somebody else likes or needs it."""
    TIME = "time"
    SEASON = "season"
    WEATHER = "weather"
    ROAD = "road"
    COMPANY = "company"
    PURPOSE = "purpose"
    HOLDER = "holder"
    """Whose it is, if not the driver's."""
    FACT = "fact"
    """What the driver asks to have kept."""
    UNTIL = "until"
    """When a fact stops mattering."""
    SECRET = "secret"  # noqa: S105 - a label
    """A PIN, password, code or number of an account."""


class Wish(StrEnum):
    """What a sentence asks of memory. The order is the network's."""

    NAMED = "named"
    """To forget what it names."""
    LAST = "last"
    """To forget what was said just now."""
    EVERYTHING = "everything"
    """To forget all that is remembered."""
    REMINDER = "reminder"
    """To drop a reminder that waits."""
    KEEP = "keep"
    """To keep what it tells."""
    NONE = "none"


LABELS = tuple(Label)
OWN = frozenset((Label.LIKES, Label.DISLIKES, Label.AVOIDS, Label.NEEDS))
"""The driver's own, now."""
VALUES = OWN | {Label.PAST, Label.UNREAL, Label.OTHERS}
"""What a thing that is spoken of may be."""
CONDITION_LABELS = (Label.TIME, Label.SEASON, Label.WEATHER, Label.ROAD, Label.COMPANY, Label.PURPOSE)
EVERY = 0.05
"""What a word counts that is surely part of no value, beside one that surely is. Our choice."""
PART_AT = 0.5
"""From this share on a word is part of what is marked; the training's own middle."""


@dataclass(frozen=True, slots=True)
class Part:
    """Words one after the other with the same label."""

    label: Label
    text: str
    """As it was said."""
    start: int
    """The first of its words, from 0,"""
    end: int
    """and the one after its last."""
    share: float
    """Mean over its words."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A text with a share of every label for each of its words."""

    text: str = ""
    """With single spaces."""
    spans: tuple[tuple[int, int], ...] = ()
    """Where its words begin and end."""
    shares: NDArray[np.float32] | None = None
    """(words, labels) in the order of `LABELS`; None where nobody could tell."""

    @property
    def told(self) -> bool:
        """Whether there is anything to go by."""
        return self.shares is not None and len(self.spans) > 0

    def parts(self, labels: Collection[Label], at: float = PART_AT) -> tuple[Part, ...]:
        """The parts that have one of these labels, in their order.

        Args:
            labels: which.
            at: share of all of them together from which on a word belongs to a part; its likeliest one is the part's.
        """
        if self.shares is None:
            return ()
        columns = [LABELS.index(label) for label in LABELS if label in labels]
        own = self.shares[:, columns]
        found: list[Part] = []
        row = 0
        while row < len(own):
            end = row
            while end < len(own) and own[end].sum() >= at and own[end].argmax() == own[row].argmax():
                end += 1
            if end > row:
                best = int(own[row].argmax())
                first, last = self.whole(row, end)
                text = self.text[self.spans[first][0] : self.spans[last - 1][1]]
                found.append(Part(LABELS[columns[best]], text, first, last, float(own[row:end, best].mean())))
            row = max(end, row + 1)
        return tuple(found)

    def whole(self, start: int, end: int) -> tuple[int, int]:
        """A run of words, first and the one after the last, with all of a number that it has a half of: "20.5" are two words."""
        while start > 0 and self._of_a_number(start - 1):
            start -= 1
        while 0 < end < len(self.spans) and self._of_a_number(end - 1):
            end += 1
        return start, end

    def _of_a_number(self, at: int) -> bool:
        """Whether a word and the next one are halves of a number."""
        before, after = self.spans[at][1], self.spans[at + 1][0]
        point = self.text[before:after] in (".", ":")
        return point and self.text[before - 1].isdigit() and self.text[after].isdigit()

    def places(self, said: Sequence[str]) -> tuple[int, int] | None:
        """Where these words stand one after the other, first word and the one after the last; the best marked place of several."""
        own = [self.text[start:end].lower() for start, end in self.spans]
        wanted = [word.lower() for word in said]
        starts = [at for at in range(len(own) - len(wanted) + 1) if wanted and own[at : at + len(wanted)] == wanted]
        if not starts or self.shares is None:
            return None
        nothing = self.shares[:, 0]
        best = min(starts, key=lambda at: float(nothing[at : at + len(wanted)].mean()))
        return best, best + len(wanted)

    def of(self, said: Sequence[str]) -> Mapping[Label, float]:
        """The mean shares of these words where they stand together, of all words where they do not.

        A word counts by how surely it is part of a value: "a good strong" says less than "blow".

        Args:
            said: words, lower case (``models.text.words``).

        Returns:
            A share for every label; they sum to 1, or are all missing where nobody could tell.
        """
        if self.shares is None or not len(self.shares):
            return {}
        place = self.places(said)
        rows = self.shares[place[0] : place[1]] if place is not None else self.shares
        weights = EVERY + _share(rows, VALUES)
        return dict(zip(LABELS, (weights @ rows / weights.sum()).astype(float).tolist(), strict=True))


def _share(rows: NDArray[np.float32], labels: Collection[Label]) -> NDArray[np.float32]:
    return rows[:, [LABELS.index(label) for label in LABELS if label in labels]].sum(1)
