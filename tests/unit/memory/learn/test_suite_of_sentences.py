"""The sentences that memory is to be measured on are in their form, and every second one is held back."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from schemas.preferences import BY_DETAIL

ENTRIES: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parents[3] / "suites" / "memory.yaml").read_text(encoding="utf-8")
)
KINDS = {"likes", "dislikes", "condition", "fact", "past", "others", "secret", "change"}
SENSES = {"likes", "dislikes", "avoids", "needs"}


def preferences(value: Any) -> Iterator[dict[str, Any]]:
    """Every preference that stands anywhere in an entry."""
    if isinstance(value, dict):
        if "preference" in value:
            yield value["preference"]
        for one in value.values():
            yield from preferences(one)
    elif isinstance(value, list):
        for one in value:
            yield from preferences(one)


def listed(value: Any) -> list[Any]:
    """A list, or one thing as a list."""
    return value if isinstance(value, list) else [value]


def test_there_are_thirty_of_each_kind_and_every_second_is_held_back() -> None:
    counts = Counter(entry["kind"] for entry in ENTRIES)
    assert set(counts) == KINDS and set(counts.values()) == {30}
    assert len({entry["id"] for entry in ENTRIES}) == len({entry["say"] for entry in ENTRIES}) == len(ENTRIES)
    for entry in ENTRIES:
        assert entry.get("kept", False) is (int(entry["id"].rsplit("-", 1)[1]) % 2 == 0), entry["id"]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: str(entry["id"]))
def test_what_is_right_names_categories_senses_and_patterns_that_exist(entry: dict[str, Any]) -> None:
    assert entry["right"], "something must be right"
    for one in preferences(entry):
        assert set(listed(one["category"])) <= set(BY_DETAIL)
        assert set(listed(one.get("sense", "likes"))) <= SENSES
        re.compile(one["value"])
