"""The comparison of forgetting: made lives are what they are called, and a rule that forgets nothing loses nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from deploy.lab.memory import pruning
from deploy.lab.memory.pruning import ACTIVE, ASKED, RULES, SAID, Bank, Life, answered, lived, measure
from deploy.lab.report.blocks import silent
from memory.reflect.retention import Held, kept
from memory.settings import Prune
from models.runtime.fake_encoder import KeywordEncoder


@pytest.fixture(scope="module")
def bank() -> Bank:
    """Twelve categories with a value each, every sentence of a value at one place."""
    texts = {(f"d{n:02d}", "value"): tuple(f"d{n:02d} says {k}" for k in range(4)) for n in range(2 * ACTIVE)}
    vectors = {text: np.eye(2 * ACTIVE, dtype=np.float32)[n] for n, own in enumerate(texts.values()) for text in own}
    return Bank(texts, vectors)


@pytest.mark.parametrize("life", Life)
def test_what_is_asked_was_said_before_in_other_words(bank: Bank, life: Life) -> None:
    days = lived(bank, life, 1, 70)
    assert days == lived(bank, life, 1, 70) != lived(bank, life, 2, 70)
    known: set[tuple[str, str]] = set()
    spoken: set[str] = set()
    for number, day in enumerate(days):
        assert len(day.said) == SAID and len(day.asked) in (0, ASKED)
        assert {subject for subject, _ in day.asked} <= known and not {text for _, text in day.asked} & spoken
        known |= {subject for subject, _ in day.said}
        spoken |= {text for _, text in day.said}
        if life is not Life.STEADY:
            assert len({subject for subject, _ in day.said}) <= ACTIVE, number


def test_interests_return_or_do_not(bank: Bank) -> None:
    def about(life: Life, first: int, last: int) -> set[str]:
        return {s[0] for day in lived(bank, life, 1, 70)[first:last] for s, _ in day.said}

    assert not about(Life.RETURNING, 0, 30) & about(Life.RETURNING, 30, 60)
    assert about(Life.RETURNING, 60, 70) <= about(Life.RETURNING, 0, 30)
    assert about(Life.DRIFTING, 0, 15) & about(Life.DRIFTING, 15, 30) and not about(Life.DRIFTING, 0, 15) & about(
        Life.DRIFTING, 45, 60
    )


@pytest.mark.parametrize("rule", RULES)
def test_room_for_all_answers_all(bank: Bank, rule: str) -> None:
    days = lived(bank, Life.RETURNING, 1, 70)
    assert answered(bank, days, rule, None, 1) == 1.0
    assert answered(bank, days, rule, 10_000, 1) == 1.0
    little = answered(bank, days, rule, 2, 1)
    assert 0.0 < little < 0.9


@pytest.mark.parametrize("rule", Prune)
def test_the_rule_that_is_named_is_the_one_that_is_kept_by(
    bank: Bank, monkeypatch: pytest.MonkeyPatch, rule: Prune
) -> None:
    seen: list[Prune] = []

    def keeping(memories: Sequence[Held], *given: Any) -> frozenset[str]:
        seen.append(given[-1].prune)
        return kept(memories, *given)

    monkeypatch.setattr(pruning, "kept", keeping)
    answered(bank, lived(bank, Life.RETURNING, 1, 20), rule.value, 10, 1)
    assert set(seen) == {rule}


def test_the_report_holds_every_rule_at_every_capacity(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    def made(*_: object) -> Bank:
        return bank

    monkeypatch.setattr(Bank, "made", made)
    report = measure(KeywordEncoder(), silent, lives=1, days=12)
    figures = report.figures["answered"]
    assert set(figures) == set(Life)
    for own in figures.values():
        assert {*RULES, "all"} <= set(own)
        assert all(0.0 <= share <= 1.0 for rule in RULES for share in own[rule].values()) and len(own["lru"]) == 4
    assert len(report.blocks) == 4
