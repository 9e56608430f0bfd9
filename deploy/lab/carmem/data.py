"""Reads CarMem's data: conversations with one gold preference each, lists of conversations, lists of values.

Owns the file forms and the way from CarMem's category titles to our keys. The data set has no licence: it is read where it
lies, and no text of it is kept, printed or raised.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schemas.errors import EvaluationDataError
from schemas.preferences import CATEGORIES, Category

MAINS: tuple[str, ...] = (
    "Points of Interest",
    "Navigation and Routing",
    "Vehicle Settings and Comfort",
    "Entertainment and Media",
)
SUBS: tuple[str, ...] = (
    "Restaurant", "Gas Station", "Charging Station(in public)", "Grocery Shopping", "Routing", "Traffic and Conditions",
    "Parking", "Climate Control", "Lighting and Ambience", "Music", "Radio and Podcasts",
)  # fmt: skip
DETAILS: tuple[str, ...] = (
    "Favorite Cuisine", "Preferred Restaurant Type", "Fast Food Preference", "Desired Price Range", "Dietary Preferences",
    "Preferred Payment method", "Preferred Gas Station", "Willingness to Pay Extra for Green Fuel",
    "Price Sensitivity for Fuel", "Preferred Charging Network", "Preferred type of Charging while traveling",
    "Preferred type of Charging when being at everyday points (f.e. work, grocery, restaurant)",
    "Charging Station Amenities", "Preferred Supermarket Chains", "Preference for Local Markets/Farms or Supermarket",
    "Avoidance of Specific Road Types", "Priority for Shortest Time or Shortest Distance", "Tolerance for Traffic",
    "Traffic Information Source Preferences", "Willingness to Take Longer Route to Avoid Traffic",
    "Preferred Parking Type", "Price Sensitivity for Paid Parking",
    "Distance Willing to Walk from Parking to Destination", "Preference for Covered Parking",
    "Need for Handicapped Accessible Parking", "Preference for Parking with Security", "Preferred Temperature",
    "Fan Speed Preferences", "Airflow Direction Preferences", "Seat Heating Preferences",
    "Interior Lighting Brightness Preferences", "Interior Lighting Ambient Preferences",
    "Interior Lightning Color Preferences", "Favorite Genres", "Favorite Artists/Bands", "Favorite Songs",
    "Preferred Music Streaming Service", "Preferred Radio Station", "Favorite Podcast Genres", "Favorite Podcast Shows",
    "General News Source",
)  # fmt: skip
"""CarMem's titles in the order of its label ids, which is the order of the first of `schemas.preferences.CATEGORIES`."""


@dataclass(frozen=True, slots=True)
class Item:
    """One conversation with the preference that it reveals."""

    id: str
    user: str
    gold: Category
    attribute: str
    turns: tuple[tuple[str, str], ...]
    """(``driver`` or ``assistant``, text), in order."""
    question: str
    """What the user asks in the next conversation: the query of retrieval."""
    equal: str
    negate: str
    different: str
    different_attribute: str

    def driver_texts(self) -> tuple[str, ...]:
        """The user's turns."""
        return tuple(text for speaker, text in self.turns if speaker == "driver")


def read(path: Path, limit: int | None = None) -> tuple[Item, ...]:
    """The conversations of a file, one JSON object a line for each user.

    Args:
        path: CarMem's JSON lines, or a part of them.
        limit: only so many conversations, from the top.

    Raises:
        EvaluationDataError: the file is missing, not in CarMem's form or empty, or the limit leaves nothing.
    """
    items: list[Item] = []
    for number, line in enumerate(_text(path).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            user = json.loads(line)
            items += [_item(user["user_uuid"], one) for one in user["data"]]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise EvaluationDataError(
                f"line {number} of {path} is not a user of CarMem ({_reason(error)}); give its JSON lines file to --data"
            ) from None
    if not items:
        raise EvaluationDataError(f"{path} holds no conversation; give CarMem's JSON lines file to --data")
    if limit is not None and limit < 1:
        raise EvaluationDataError(f"a limit of {limit} leaves no conversation; give at least 1")
    return tuple(items[:limit])


def read_ids(path: Path, items: Sequence[Item]) -> frozenset[str]:
    """The conversations that a list names, as lines or as a JSON list.

    Raises:
        EvaluationDataError: the file is missing, or names nothing that is in the data.
    """
    text = _text(path)
    try:
        named = {str(one) for one in json.loads(text)} if text.lstrip().startswith("[") else set(text.split())
    except ValueError:
        raise EvaluationDataError(
            f"{path} begins like a JSON list and is none; mend it or give one id a line"
        ) from None
    kept = frozenset(item.id for item in items if item.id in named)
    if not kept:
        raise EvaluationDataError(
            f"none of the {len(named)} ids in {path} is a conversation of the data; is it the other half?"
        )
    return kept


def category(main: str, sub: str, detail: str) -> Category:
    """Our category for CarMem's three titles.

    Raises:
        ValueError: there is no such category, or it stands elsewhere in the tree.
    """
    found = _BY_TITLE.get(detail)
    if found is None or (_MAIN_KEYS.get(main), _SUB_KEYS.get(sub)) != found.path[:2]:
        raise ValueError("it names a category that CarMem does not have")
    return found


def _item(user: str, data: Mapping[str, Any]) -> Item:
    main, sub, detail, attribute = (part.strip() for part in data["user_preference"].split(";", 3))
    asked = data["maintenance_questions"]
    turns = [(speaker, str(text)) for turn in data["extraction_conversation"] for speaker, text in turn.items()]
    return Item(
        id=str(data["conversation_uuid"]),
        user=str(user),
        gold=category(main, sub, detail),
        attribute=attribute,
        turns=tuple(("driver" if speaker.upper() == "USER" else "assistant", text) for speaker, text in turns),
        question=str(data["next_conversation_question"]),
        equal=str(asked["question_equal_preference"]),
        negate=str(asked["question_negate_preference"]),
        different=str(asked["question_different_preference"]),
        different_attribute=str(asked["different_attribute"]).strip(),
    )


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except OSError as error:
        raise EvaluationDataError(f"{path} cannot be read: {error.strerror}; check the path") from None
    except UnicodeDecodeError:
        raise EvaluationDataError(f"{path} is not UTF-8 text; is it the right file?") from None


def _reason(error: Exception) -> str:
    """What is wrong; none of these messages holds words of a conversation."""
    return f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error)


_BY_TITLE: Mapping[str, Category] = dict(zip(DETAILS, CATEGORIES, strict=False))
_MAIN_KEYS: Mapping[str, str] = dict(zip(MAINS, dict.fromkeys(c.main for c in CATEGORIES), strict=True))
_SUB_KEYS: Mapping[str, str] = dict(zip(SUBS, dict.fromkeys(c.sub for c in CATEGORIES), strict=True))
