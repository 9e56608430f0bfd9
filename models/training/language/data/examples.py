"""Examples of the three tasks: sentences of the phrase bank and the templates, in slices such as the encoder makes.

Owns: which slice a sentence is shown with, and the output that is right for it. The words come from
``models.training.conversations`` and ``models.commands``. What was left out of a slice (opted out, not in this vehicle)
must not be filled into a neighbour: there the right output is ``{}``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any

import numpy as np
from pydantic import BaseModel

from models.commands.templates import Templates, load_templates
from models.structured.grammar import Schema, resolve
from models.structured.prompt import LEAD, compact
from models.structured.words import Sources, fact_parts, grounded, words
from models.training import conversations, phrases
from models.training.language.data.labelled_turns import TurnSampler
from models.training.language.data.maintain import maintain
from schemas.actions import ACTIONS, BY_NAME, action_model
from schemas.events import Command, CommandKind
from schemas.memory import MaintenanceChoice
from schemas.preferences import BY_DETAIL, CATEGORIES, preference_model

SIZES = {1: 0.32, 2: 0.18, 3: 0.16, 4: 0.13, 5: 0.12, 6: 0.09}
"""Leaves in a slice, as the coordinator and extraction make them: one where the encoder is sure."""
MISHEARD_SHARE = 0.25
"""Requests with a small recogniser's mistakes."""
ACT_KINDS = {"request": 0.55, "number": 0.06, "command": 0.1, "two": 0.16, "nothing": 0.13}
"""What act examples are made from."""
WITHOUT_TRUTH = 0.1
"""Examples whose true leaf is not in the slice."""
OFFERED = 0.85
"""Turns that tell nothing, whose slice has the category that they are about."""
NEAR = 0.65
"""Distractors from the same group (domain, main category), as the encoder's slices mostly are."""
NUMBER_DETAILS = (
    "preferred_temperature", "fan_speed_preferences", "seat_heating_preferences", "interior_lighting_brightness_preferences",
)  # fmt: skip
"""Detail categories whose values are or stand for numbers."""
COMMANDS = 32
"""Commands of the templates that are drawn at once: for each call all slots of the templates are looked up."""
TRIES = 60
"""Draws until a request takes its number from a fact."""
RENAMED = 0.5
"""Names (of artists, places, brands) that are replaced by random words, so that copying does not depend on the name."""
RESPOKEN = 0.5
"""Facts in the words of a driver instead of the canonical value."""
NAME_SLOTS = (
    "artist", "song", "station", "show", "destination", "stop", "playlist", "person", "what", "message", "label", "place",
)  # fmt: skip
"""Slots whose words may be any."""
NAME_DETAILS = (
    "preferred_gas_station", "preferred_charging_network", "preferred_supermarket_chain", "favorite_artists_or_bands",
    "favorite_songs", "preferred_music_streaming_service", "preferred_radio_station", "favorite_podcast_shows",
    "general_news_source", "favourite_cuisine", "fast_food_preference",
)  # fmt: skip
"""Detail categories whose values are names that nobody can list."""


WHOLE: dict[str, type[BaseModel]] = {
    "act": action_model(tuple(action.name for action in ACTIONS)),
    "extract": preference_model(tuple(category.detail for category in CATEGORIES)),
    "maintain": MaintenanceChoice,
}
"""The whole model of each task: building one for every example's slice would take most of the time."""
_MAINS, _SUBS = (list(dict.fromkeys(getattr(c, level) for c in CATEGORIES)) for level in ("main", "sub"))
_TREE = sorted(CATEGORIES, key=lambda c: (_MAINS.index(c.main), _SUBS.index(c.sub)))
ORDER = {name: at for at, name in enumerate([*BY_NAME, *(category.detail for category in _TREE)])}
"""Where a leaf stands in the schema that is filled: actions as listed, details by main and sub category."""


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
        return (action_model if self.task == "act" else preference_model)(self.leaves)

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
        self._numpy = np.random.default_rng(seed)
        self._templates: Templates = load_templates()
        self._commands: list[tuple[str, Command]] = []
        self._sampler = TurnSampler(self._rng, held_out=held_out, names=names)

    def draw(self, n: int, tasks: Mapping[str, float]) -> list[Example]:
        """``n`` examples of tasks in these shares."""
        makers: dict[str, Callable[[], Example | None]] = {
            "act": self.act, "extract": self.extract, "maintain": self.maintain
        }  # fmt: skip
        drawn: list[Example] = []
        names, shares = list(tasks), list(tasks.values())
        while len(drawn) < n:
            example = makers[self._rng.choices(names, shares)[0]]()
            if example is not None:
                drawn.append(example)
        return drawn

    def act(self) -> Example | None:
        """One request; None where the words at hand cannot make one."""
        rng = self._rng
        kinds = {name: share for name, share in ACT_KINDS.items() if not (self._held_out and name == "command")}
        kind = rng.choices(list(kinds), list(kinds.values()))[0]
        facts: tuple[str, ...] = ()
        wanted: list[tuple[str, dict[str, Any]]] = []
        about: list[str] = []
        if kind == "nothing":
            negative = conversations.negatives(rng, 1, held_out=self._held_out)[0]
            if negative.asks:
                return None
            text = negative.text
            about = [rng.choice(list(BY_NAME))]
            if rng.random() < 0.3:
                facts = conversations.requests(rng, 1, held_out=self._held_out)[0].facts
        elif kind == "command":
            if not self._commands:
                self._commands = list(self._templates.sample(self._numpy, COMMANDS))
            text, command = self._commands.pop()
            if command.kind is not CommandKind.ACTION:
                return None
            wanted, about = [(command.name, dict(command.slots))], [command.name]
        else:
            draws = (conversations.requests(rng, 1, held_out=self._held_out) for _ in range(TRIES))
            asked = conversations.requests(rng, 2 if kind == "two" else 1, held_out=self._held_out)
            if kind == "number":
                asked = next((drawn for drawn in draws if _numeric(drawn[0])), asked)
            if len({request.intent for request in asked}) < len(asked):
                return None
            if len(asked) > 1 and any(request.facts for request in asked[1:]):
                return None
            named = [self._renamed(request.text, request.slots or {}) for request in asked]
            facts, named[0] = self._respoken(asked[0].facts, named[0])
            text = rng.choice((" and ", " and then ", " also ", " and please ")).join(said for said, _ in named)
            about = [request.intent for request in asked]
            wanted = [(r.action, slots) for r, (_, slots) in zip(asked, named, strict=True) if r.action]
        if kind != "nothing" and rng.random() < WITHOUT_TRUTH:
            gone = rng.choice(about)
            wanted = [(name, slots) for name, slots in wanted if name != gone]
        else:
            gone = ""
        leaves = self._slice([name for name in about if name != gone], about, gone, _actions_by_group())
        said = [value for _, slots in wanted for value in slots.values() if isinstance(value, str)]
        text = self._misheard(text, said)
        tree: dict[str, dict[str, Any]] = {}
        for name, slots in wanted:
            tree.setdefault(BY_NAME[name].domain.value, {})[name] = slots
        return self._example("act", leaves, (text,), facts, tree, kind if not gone else "left out")

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

    def _misheard(self, text: str, said: Sequence[str]) -> str:
        if self._rng.random() >= MISHEARD_SHARE:
            return text
        keep = next((value for value in said if value in text), "")
        heard = conversations.misheard(self._rng, text, keep)
        return heard if all(value in heard for value in said if value in text) else text

    def _name(self) -> str:
        return " ".join(self._rng.choice(self._names) for _ in range(self._rng.choices((1, 2, 3), (5, 4, 2))[0]))

    def _renamed(self, text: str, slots: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        changed = dict(slots)
        for slot, value in slots.items():
            if slot in NAME_SLOTS and self._names and text.count(str(value)) == 1 and self._rng.random() < RENAMED:
                name = self._name()
                text, changed[slot] = text.replace(value, name), name
        return text, changed

    def _respoken(
        self, facts: Sequence[str], named: tuple[str, dict[str, Any]]
    ) -> tuple[tuple[str, ...], tuple[str, dict[str, Any]]]:
        """The facts as drivers say them (what is stored is their words), or with another name; slots follow."""
        text, slots = named
        changed: list[str] = []
        for fact in facts:
            detail, value = fact_parts(fact)
            ways = next((v.said for v in phrases.topics()[detail].values if v.canonical == value), ())
            new = value
            if detail in NAME_DETAILS and self._names and self._rng.random() < RENAMED:
                new = self._name()
            elif ways and self._rng.random() < RESPOKEN:
                new = self._rng.choice(ways)
            if " ".join(words(text)).find(value) < 0:
                slots = {slot: new if given == value else given for slot, given in slots.items()}
            changed.append(f"{detail}: {new}")
        return tuple(changed), (text, slots)


def _free(name: str, value: Any) -> list[tuple[str, str]]:
    """(slot, words) of an action's slots that hold the driver's own words."""
    if name not in BY_NAME or not isinstance(value, dict):
        return []
    return [(slot, given) for slot, given in value.items() if slot in _grounded_slots()[name]]


@lru_cache(maxsize=1)
def _grounded_slots() -> dict[str, frozenset[str]]:
    """Action -> its slots that hold the driver's own words."""
    return {
        action.name: frozenset(
            slot for slot, schema in action.model_json_schema()["properties"].items() if "grounded" in str(schema)
        )
        for action in ACTIONS
    }


def _said(data: Any, sources: Sources) -> list[tuple[str, Any]]:
    """Every grounded string of a dumped answer with the texts that it must come from."""
    found: list[tuple[str, Any]] = []
    if isinstance(data, dict):
        if "value" in data:
            return [(data["value"], (sources.turns[data["turn"]],))]
        for name, value in data.items():
            found += [(words, sources.everything) for _, words in _free(name, value)] or _said(value, sources)
    elif isinstance(data, list):
        found = [item for value in data for item in _said(value, sources)]
    return found


def _numeric(asked: conversations.Request) -> bool:
    """Whether the request takes a number from a fact."""
    numbers = [value for value in (asked.slots or {}).values() if isinstance(value, int | float)]
    return bool(numbers) and any(fact_parts(fact)[0] in NUMBER_DETAILS for fact in asked.facts)


@lru_cache(maxsize=1)
def _actions_by_group() -> dict[str, list[str]]:
    """Action -> those of its domain."""
    return {a.name: [b.name for b in ACTIONS if b.domain is a.domain] for a in ACTIONS}


@lru_cache(maxsize=1)
def _details_by_group() -> dict[str, list[str]]:
    """Detail -> those of its main category, those of its sub category three times."""
    return {
        c.detail: [d.detail for d in CATEGORIES if d.main == c.main for _ in range(3 if d.sub == c.sub else 1)]
        for c in CATEGORIES
    }
