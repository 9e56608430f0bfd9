"""``glovebox bench pruning``: what a bounded memory can still answer, by what it forgets.

Compares the two rules of `memory.reflect.retention`.

A made driver says things and asks about them for some months, in the words of the project's phrase bank: every memory and every
question is a sentence about a value of a category, a question never in the words of the memory that it is about. A question is
answered if a memory of its value is among the nearest that are stored. What was found counts as used. Three lives: interests that
stay, interests that drift and do not return, and two sets of them that take turns. Forgetting at random is the third rule, to see
what either is worth.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from deploy.lab.report.blocks import Plot, Progress, Report, Series, Table
from memory.reflect import retention
from memory.reflect.retention import Held, kept
from memory.settings import Prune, RoomSettings
from models.training import conversations
from schemas.ports import Encoder
from schemas.preferences import CATEGORIES

START = datetime(2026, 1, 1, tzinfo=UTC)
DAYS, SAID, ASKED = 120, 6, 4
"""Days of a life, and what is said and asked on each."""
VALUES, TEXTS = 3, 8
"""Of a category: values that the driver has to do with, and sentences about each."""
SENTENCES, LEAST = 300, 4
"""Sentences that are made for a category to choose from, and how many a value needs."""
ACTIVE = 6
"""Categories that a driver has to do with at a time, where interests change."""
NEAREST = 5
"""Memories that an answer may use."""
SHARES = (0.05, 0.1, 0.2, 0.4)
"""Capacities, as a share of all that is said."""
RANDOM = "random"
RULES = (*(rule.value for rule in Prune), RANDOM)

Subject = tuple[str, str]
"""Detail key and value."""


class Life(StrEnum):
    """How interests change."""

    STEADY = "steady"
    DRIFTING = "drifting"
    RETURNING = "returning"


@dataclass(frozen=True, slots=True)
class Bank:
    """Sentences about values, with their vectors."""

    texts: Mapping[Subject, tuple[str, ...]]
    vectors: Mapping[str, NDArray[np.float32]]

    @classmethod
    def made(cls, encoder: Encoder, seed: int, tell: Progress) -> Bank:
        """`VALUES` values a category with at most `TEXTS` sentences each, encoded; categories with too few are left out."""
        rng = random.Random(seed)
        found: dict[Subject, set[str]] = {}
        for category in CATEGORIES:
            for one in conversations.statements(rng, SENTENCES, details=[category.detail]):
                if not one.negated:
                    found.setdefault((one.detail, one.value), set()).add(one.text)
        able: dict[Subject, tuple[str, ...]] = {}
        for category in CATEGORIES:
            values = sorted(s for s, texts in found.items() if s[0] == category.detail and len(texts) >= LEAST)
            for subject in rng.sample(values, min(VALUES, len(values))):
                texts = sorted(found[subject])
                able[subject] = tuple(rng.sample(texts, min(TEXTS, len(texts))))
        flat = sorted({text for texts in able.values() for text in texts})
        vectors: dict[str, NDArray[np.float32]] = {}
        for done, text in enumerate(flat):
            tell("encoding", done, len(flat))
            vectors[text] = encoder.encode([text])[0]
        return cls(able, vectors)


@dataclass(frozen=True, slots=True)
class Day:
    """What is said and asked on a day."""

    said: tuple[tuple[Subject, str], ...]
    asked: tuple[tuple[Subject, str], ...]


def lived(bank: Bank, life: Life, seed: int, days: int = DAYS) -> tuple[Day, ...]:
    """A life from the bank. What is asked about was said before; every second sentence is for saying, the others for asking."""
    rng = random.Random(f"{life}{seed}")
    details = sorted({detail for detail, _ in bank.texts})
    rng.shuffle(details)
    told: set[Subject] = set()
    found: list[Day] = []
    for number in range(days):
        active = _active(details, life, number)
        subjects = [s for s in sorted(bank.texts) if s[0] in active]
        said = rng.choices(subjects, [active[s[0]] for s in subjects], k=SAID)
        able = [s for s in subjects if s in told]
        asked = rng.choices(able, [active[s[0]] for s in able], k=ASKED) if able else []
        told.update(said)
        found.append(
            Day(
                tuple((s, rng.choice(bank.texts[s][::2])) for s in said),
                tuple((s, rng.choice(bank.texts[s][1::2])) for s in asked),
            )
        )
    return tuple(found)


def _active(details: Sequence[str], life: Life, day: int) -> dict[str, float]:
    """Categories that matter on a day, with weights."""
    if life is Life.STEADY:
        return {detail: 1.0 / (rank + 1) for rank, detail in enumerate(details)}
    first = 2 * (day // 15) if life is Life.DRIFTING else ACTIVE * (day // 30 % 2)
    return {details[(first + n) % len(details)]: 1.0 for n in range(ACTIVE)}


def answered(bank: Bank, days: Sequence[Day], rule: str, capacity: int | None, seed: int) -> float:
    """Share of the questions of a life that find a memory of their value; with no capacity nothing is forgotten."""
    rng = random.Random(seed)
    held: dict[str, Held] = {}
    subjects: dict[str, Subject] = {}
    vectors: dict[str, NDArray[np.float32]] = {}
    ring: list[NDArray[np.float32]] = []
    hits = asked = 0
    for number, day in enumerate(days):
        now, names = START + timedelta(days=number), list(held)
        table = np.stack([vectors[name] for name in names]) if names else np.zeros((0, 0), np.float32)
        for subject, question in day.asked:
            asked += 1
            vector = bank.vectors[question]
            ring = [*ring, vector][-retention.QUERIES :]
            near = [names[row] for row in np.argsort(-(table @ vector), kind="stable")[:NEAREST]] if names else []
            right = [name for name in near if subjects[name] == subject]
            hits += bool(right)
            for name in right[:1]:
                held[name] = replace(held[name], touched=now, uses=held[name].uses + 1)
        for place, (subject, text) in enumerate(day.said):
            name = f"{number:03d}-{place}"
            held[name] = Held(name, now + timedelta(minutes=place))
            subjects[name], vectors[name] = subject, bank.vectors[text]
        if capacity is None or len(held) <= capacity:
            continue
        if rule == RANDOM:
            stay = frozenset(rng.sample(sorted(held), capacity))
        else:
            queries = np.stack(ring) if ring else np.zeros((0, len(next(iter(vectors.values())))), np.float32)
            stay = kept(list(held.values()), vectors, queries, RoomSettings(prune=Prune(rule), capacity=capacity))
        held = {name: one for name, one in held.items() if name in stay}
    return hits / asked if asked else 0.0


def measure(encoder: Encoder, tell: Progress, *, lives: int = 5, days: int = DAYS) -> Report:
    """Compare the rules on so many lives of each kind."""
    bank = Bank.made(encoder, 1, tell)
    total = days * SAID
    figures: dict[str, dict[str, dict[str, float]]] = {}
    rows: list[tuple[str | float, ...]] = []
    plots: list[Plot] = []
    for life in Life:
        told = [lived(bank, life, seed, days) for seed in range(lives)]
        tell(f"{life} interests", 0, 0)
        full = statistics.fmean(answered(bank, one, RANDOM, None, 0) for one in told)
        points: dict[str, list[tuple[float, float]]] = {rule: [] for rule in RULES}
        for share in SHARES:
            capacity = max(1, round(share * total))
            cells: list[float] = []
            for rule in RULES:
                scores = [answered(bank, one, rule, capacity, seed) for seed, one in enumerate(told)]
                cells.append(round(statistics.fmean(scores), 4))
                points[rule].append((share, cells[-1]))
                figures.setdefault(life, {}).setdefault(rule, {})[str(capacity)] = cells[-1]
                spread = round(statistics.stdev(scores), 4) if len(scores) > 1 else 0.0
                figures[life].setdefault(f"{rule}_sd", {})[str(capacity)] = spread
            rows.append((life, f"{capacity} of {total}", *cells, round(full, 4)))
        figures[life]["all"] = {str(total): round(full, 4)}
        series = tuple(Series(rule, tuple(points[rule])) for rule in RULES)
        plots.append(Plot(f"Questions answered, {life} interests", "share of memories that fit", "answered",
                          (*series, Series("nothing forgotten", ((SHARES[0], full), (SHARES[-1], full)), "line", True)),
                          y_range=(0.0, 1.0)))  # fmt: skip
    table = Table(
        "Share of questions that still find a memory of what they ask about",
        ("interests", "room for", *RULES, "nothing forgotten"),
        tuple(rows),
        note=f"Mean of {lives} lives of {days} days; {SAID} memories and {ASKED} questions a day.",
    )
    return Report(
        title="Forgetting for want of room",
        lead="A bounded memory under two rules and at random, on lives made from the project's phrase bank.",
        figures={
            "answered": figures,
            "lives": lives,
            "days": days,
            "settings": {"queries": retention.QUERIES, "nearest": retention.NEAREST, "fresh": retention.FRESH},
        },
        blocks=(table, *plots),
        facts=(("categories and values", f"{len({d for d, _ in bank.texts})}, {len(bank.texts)}"),),
    )
