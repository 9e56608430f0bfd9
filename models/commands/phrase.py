"""Sentence templates as trees of words: hassil's expressions with rules and word endings written out.

Owns: the four kinds of node and the way from hassil's expressions to them. hassil parses text by characters; a recogniser
and a sampler need whole words, so pieces that touch without a space ("light[s]") are joined here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations, product

from hassil import expression as hassil

from models.text import spoken

MAX_JOINED = 64
"""Spellings that pieces without a space between them may make; more is a missing space in the template."""
MAX_PERMUTED = 4
"""Items of a permutation: 4 make 24 orders, which are written out."""


class TemplateSyntaxError(ValueError):
    """A template that cannot be turned into words; the message says why, the loader adds file and intent."""


@dataclass(frozen=True, slots=True)
class Words:
    """Literal words in the spelling of ``spoken``; empty for nothing."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """One phrase after the other."""

    items: tuple[Phrase, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Exactly one of the phrases; ``optional`` if nothing is a choice too."""

    items: tuple[Phrase, ...]
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Slot:
    """A value of a list; it goes into the slot."""

    list_name: str
    slot: str


Phrase = Words | Run | Choice | Slot
NOTHING = Words(())


class Rules(dict[str, hassil.Sentence]):
    """Rules by name; ``phrases`` has those that were written out already: most templates begin with the same ones."""

    def __init__(self, rules: Mapping[str, hassil.Sentence]) -> None:
        """Take the rules; none is written out before it is needed."""
        super().__init__(rules)
        self.phrases: dict[str, Phrase] = {}


def phrase_of(expression: hassil.Expression, rules: Rules) -> Phrase:
    """The phrase that a hassil expression stands for, its rules written out.

    Raises:
        TemplateSyntaxError: an unknown rule, rules that contain each other, or too many spellings without a space.
    """
    return _lower(expression, rules, ())


def slots_of(phrase: Phrase) -> Iterator[Slot]:
    """Every slot in the phrase, in order, repeats included."""
    if isinstance(phrase, Slot):
        yield phrase
    elif not isinstance(phrase, Words):
        for item in phrase.items:
            yield from slots_of(item)


def _lower(expression: hassil.Expression, rules: Rules, inside: tuple[str, ...]) -> Phrase:
    if isinstance(expression, hassil.TextChunk):
        return Words(_split(expression.original_text))
    if isinstance(expression, hassil.ListReference):
        return Slot(expression.list_name, expression.slot_name)
    if isinstance(expression, hassil.RuleReference):
        name = expression.rule_name
        if name in inside:
            raise TemplateSyntaxError(f"rule <{name}> contains itself: nothing may repeat without bound")
        if name not in rules:
            raise TemplateSyntaxError(f"no rule <{name}> in expansion_rules")
        if name not in rules.phrases:
            rules.phrases[name] = _lower(rules[name].expression, rules, (*inside, name))
        return rules.phrases[name]
    if isinstance(expression, hassil.Alternative):
        kept = [_lower(item, rules, inside) for item in expression.items]
        full = tuple(dict.fromkeys(item for item in kept if item != NOTHING))
        return Choice(full, optional=len(kept) != len([item for item in kept if item != NOTHING]))
    if isinstance(expression, hassil.Permutation):
        if len(expression.items) > MAX_PERMUTED:
            raise TemplateSyntaxError(f"{len(expression.items)} items in a permutation; at most {MAX_PERMUTED}")
        items = [_lower(item, rules, inside) for item in expression.items]
        return Choice(tuple(Run(order) for order in permutations(items)))
    if isinstance(expression, hassil.Sequence):
        return _sequence(expression.items, rules, inside)
    raise TemplateSyntaxError(f"unknown part {type(expression).__name__}")


def _sequence(items: list[hassil.Expression], rules: Rules, inside: tuple[str, ...]) -> Phrase:
    runs: list[list[hassil.Expression]] = []
    for item in items:
        if runs and not _ends_apart(runs[-1][-1]) and not _begins_apart(item):
            runs[-1].append(item)
        else:
            runs.append([item])
    lowered = (
        _lower(run[0], rules, inside) if len(run) == 1 else _joined(run, rules, inside) for run in runs
    )  # fmt: skip
    flat: list[Phrase] = []
    for phrase in lowered:
        flat.extend(phrase.items if isinstance(phrase, Run) else [phrase] if phrase != NOTHING else [])
    return NOTHING if not flat else flat[0] if len(flat) == 1 else Run(tuple(flat))


def _joined(run: list[hassil.Expression], rules: Rules, inside: tuple[str, ...]) -> Phrase:
    """Pieces that touch, as a choice of their spellings."""
    spellings = ["".join(parts) for parts in product(*(_spellings(item, rules, inside) for item in run))]
    if len(spellings) > MAX_JOINED:
        raise TemplateSyntaxError(f"{len(spellings)} spellings of pieces without a space between them; add the spaces")
    choices = tuple(dict.fromkeys(Words(_split(text)) for text in spellings))
    return choices[0] if len(choices) == 1 else Choice(choices)


@lru_cache(maxsize=4096)
def _split(text: str) -> tuple[str, ...]:
    """The words of a piece of a template; the same pieces come again and again."""
    return tuple(spoken(text).split())


def _spellings(item: hassil.Expression, rules: Mapping[str, hassil.Sentence], inside: tuple[str, ...]) -> list[str]:
    if isinstance(item, hassil.TextChunk):
        return [item.original_text]
    if isinstance(item, hassil.Alternative):
        return [text for part in item.items for text in _spellings(part, rules, inside)]
    if isinstance(item, hassil.Sequence):
        return ["".join(parts) for parts in product(*(_spellings(part, rules, inside) for part in item.items))]
    if isinstance(item, hassil.RuleReference) and item.rule_name in rules and item.rule_name not in inside:
        return _spellings(rules[item.rule_name].expression, rules, (*inside, item.rule_name))
    raise TemplateSyntaxError("a list or an unknown rule touches a word; put a space between them")


def _begins_apart(item: hassil.Expression) -> bool:
    return _edges(item, 0)


def _ends_apart(item: hassil.Expression) -> bool:
    return _edges(item, -1)


def _edges(item: hassil.Expression, side: int) -> bool:
    """Whether every spelling of the item that is not empty has a space on that side (0: left, -1: right)."""
    if isinstance(item, hassil.TextChunk):
        return not item.original_text or item.original_text[side].isspace()
    if isinstance(item, hassil.Alternative):
        filled = [part for part in item.items if not (isinstance(part, hassil.TextChunk) and not part.original_text)]
        return all(_edges(part, side) for part in filled)
    if isinstance(item, hassil.Group) and item.items:
        return _edges(item.items[side], side)
    return False
