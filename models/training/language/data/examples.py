"""Examples of both tasks: sentences of the phrase bank, in slices such as the encoder makes.

Owns: which slice a sentence is shown with, and the output that is right for it. The words come from
``models.training.conversations``. What was left out of a slice (opted out)
must not be filled into a neighbour: there the right output is ``{}``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any

from pydantic import BaseModel

from models.structured.grammar import Schema, resolve
from models.structured.prompt import LEAD, compact
from models.structured.words import Sources, grounded
from models.training.language.data.labelled_turns import TurnSampler
from models.training.language.data.maintain import maintain
from schemas.memory import MaintenanceChoice
from schemas.preferences import BY_DETAIL, CATEGORIES, preference_model

SIZES = {1: 0.32, 2: 0.18, 3: 0.16, 4: 0.13, 5: 0.12, 6: 0.09}
"""Leaves in a slice, as extraction makes them: one where the encoder is sure."""
WITHOUT_TRUTH = 0.1
"""Examples whose true leaf is not in the slice."""
OFFERED = 0.85
"""Turns that tell nothing, whose slice has the category that they are about."""
NEAR = 0.65
"""Distractors from the same main category, as the encoder's slices mostly are."""


WHOLE: dict[str, type[BaseModel]] = {
    "extract": preference_model(tuple(category.detail for category in CATEGORIES)),
    "maintain": MaintenanceChoice,
}
"""The whole model of each task: building one for every example's slice would take most of the time."""
_MAINS, _SUBS = (list(dict.fromkeys(getattr(c, level) for c in CATEGORIES)) for level in ("main", "sub"))
_TREE = sorted(CATEGORIES, key=lambda c: (_MAINS.index(c.main), _SUBS.index(c.sub)))
ORDER = {name: at for at, name in enumerate(category.detail for category in _TREE)}
"""Where a leaf stands in the schema that is filled: by main and sub category."""


@dataclass(frozen=True)
class Example:
    """A call of ``fill`` and the right answer."""

    task: str
    leaves: tuple[str, ...]
    """Names of the slice's leaves in the schema's order; empty for maintenance."""
    turns: tuple[str, ...]
    facts: tuple[str, ...]
    answer: Mapping[str, Any]
    """JSON values, without defaults."""
    kind: str
    """What it was made from, for reports."""

    @property
    def model(self) -> type[BaseModel]:
        """The slice."""
        if self.task == "maintain":
            return MaintenanceChoice
        return preference_model(self.leaves)

    @property
    def prompt(self) -> str:
        """The prompt, as ``Structured`` makes it."""
        return compact(self.task, self.leaves, self.turns, self.facts)

    @property
    def output(self) -> str:
        """The right output, as the grammar has it."""
        schema = _schema(self.task)
        return json.dumps(_led(self.answer, schema, schema), separators=(",", ":"), ensure_ascii=False)


@lru_cache(maxsize=4)
def _schema(task: str) -> Schema:
    return WHOLE[task].model_json_schema()


def _led(data: Any, schema: Schema, root: Schema) -> Any:
    """JSON values in the grammar's form: grounded strings with `LEAD`, whole numbers without a point."""
    schema = resolve(schema, root)
    if isinstance(data, dict):
        return {name: _led(value, schema["properties"][name], root) for name, value in data.items()}
    if isinstance(data, list):
        return [_led(value, schema["items"], root) for value in data]
    if isinstance(data, float) and data.is_integer():
        return int(data)
    return LEAD + data if isinstance(data, str) and schema.get("grounded") else data


class Examples:
    """Draws examples. Deterministic for a seed."""

    def __init__(self, seed: int, *, held_out: bool = False, names: Sequence[str] = ()) -> None:
        """A source of examples.

        Args:
            seed: of all chance.
            held_out: from the part of the phrase bank that is never trained on.
            names: words that random names are made of; empty: names stay.
        """
        self._rng, self._held_out, self._names = Random(seed), held_out, names
        self._sampler = TurnSampler(self._rng, held_out=held_out, names=names)

    def draw(self, n: int, tasks: Mapping[str, float]) -> list[Example]:
        """``n`` examples of tasks in these shares."""
        makers: dict[str, Callable[[], Example | None]] = {
            "extract": self.extract, "maintain": self.maintain
        }  # fmt: skip
        drawn: list[Example] = []
        names, shares = list(tasks), list(tasks.values())
        while len(drawn) < n:
            example = makers[self._rng.choices(names, shares)[0]]()
            if example is not None:
                drawn.append(example)
        return drawn

    def extract(self) -> Example | None:
        """One or a few driver turns; None where the words at hand cannot make one."""
        rng = self._rng
        told = self._sampler.sample()
        about = [detail for _, detail, _ in told.gold]
        gone = rng.choice(about) if about and rng.random() < WITHOUT_TRUTH else ""
        gold = [mention for mention in told.gold if mention[1] != gone]
        offered = [d for d in told.about if rng.random() < OFFERED / max(1, len(told.about))] if told.about else []
        true = list(dict.fromkeys([*(detail for _, detail, _ in gold), *(d for d in offered if d != gone)]))
        seed = [*about, *told.about] or [rng.choice(list(BY_DETAIL))]
        leaves = self._slice(true[: max(SIZES)], seed, gone, _details_by_group())
        if any(detail not in leaves for _, detail, _ in gold):
            return None
        tree: dict[str, dict[str, dict[str, Any]]] = {}
        for turn, detail, said in gold:
            main, sub, _ = BY_DETAIL[detail].path
            mentions = tree.setdefault(main, {}).setdefault(sub, {}).setdefault(detail, [])
            mentions.append({"turn": turn, "value": said})
        return self._example("extract", leaves, told.turns, (), tree, "left out" if gone else told.kind)

    def maintain(self) -> Example | None:
        """One new value against a list; None where the words at hand cannot make one."""
        case = maintain(self._rng, held_out=self._held_out, names=self._names)
        if case is None:
            return None
        return self._example("maintain", (), (case.sentence,), case.facts, case.choice, case.kind)

    def _example(
        self, task: str, leaves: tuple[str, ...], turns: tuple[str, ...], facts: tuple[str, ...], tree: Any, kind: str
    ) -> Example | None:
        """The example, if it is valid and its strings are words that were said."""
        try:
            answer = WHOLE[task].model_validate(tree)
        except ValueError:
            return None
        sources = Sources.of(turns, facts)
        data = answer.model_dump(mode="json", exclude_defaults=True)
        if not all(grounded(value, texts) for value, texts in _said(data, sources)):
            return None
        return Example(task, tuple(sorted(leaves, key=ORDER.__getitem__)), turns, facts, data, kind)

    def _slice(
        self, true: Sequence[str], about: Sequence[str], gone: str, groups: Mapping[str, Sequence[str]]
    ) -> tuple[str, ...]:
        """The true leaves with distractors, without ``gone``."""
        rng = self._rng
        chosen = dict.fromkeys(true)
        size = max(rng.choices(list(SIZES), list(SIZES.values()))[0], len(chosen))
        everything = list(groups)
        while len(chosen) < size:
            leaf = rng.choice(groups[rng.choice(list(about))] if rng.random() < NEAR else everything)
            if leaf == gone or leaf in chosen:
                leaf = rng.choice(everything)
            if leaf != gone:
                chosen[leaf] = None
        return tuple(chosen)


def _said(data: Any, sources: Sources) -> list[tuple[str, Any]]:
    """Every grounded string of a dumped answer with the texts that it must come from."""
    found: list[tuple[str, Any]] = []
    if isinstance(data, dict):
        if "value" in data:
            return [(data["value"], (sources.turns[data["turn"]],))]
        for value in data.values():
            found += _said(value, sources)
    elif isinstance(data, list):
        found = [item for value in data for item in _said(value, sources)]
    return found


@lru_cache(maxsize=1)
def _details_by_group() -> dict[str, list[str]]:
    """Detail -> those of its main category, those of its sub category three times."""
    return {
        c.detail: [d.detail for d in CATEGORIES if d.main == c.main for _ in range(3 if d.sub == c.sub else 1)]
        for c in CATEGORIES
    }
