"""Acts as steps of a network that writes closed tokens and points at words: the tokens, the prompt, and what may follow what.

A step is a closed token (an act, ``slot=``, ``slot=value`` of a closed slot, a number, the end) or a place in the prompt: in a slot
of words the word that stands there, in a slot of numbers the number that begins there. ``set_window(window=passenger,percent=50)``
is ``set_window``, ``window=passenger``, ``percent=``, the place of "fifty", the end. Words of a slot are a run of words that were
said, so nothing can be written that was not. Owns this form; the network is ``models.acts.pointing``'s.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property

from models.acts.spelling import read
from models.numbers import number_at
from schemas.actions.acts import NAMES, Act, Slot, SlotValue, slots_of
from schemas.errors import GenerationError

END, BEGIN = "end", "begin"
CONTEXTS = ("did", "asked", "needs", "offered")
NAMED, NEXT = ":", ","
"""In a context: before the first name that was offered, and before each other one."""
AMOUNTS = (0.5, *range(101), *range(105, 601, 5))
"""Numbers that can be written though their words do not stand in the prompt ("half", "an hour and a half")."""
MOST_PLACES = 96
"""Places of a prompt; what is longer is cut off at its end."""
_WORD = re.compile(r"[^\s']+(?:'(?!s\b)[^\s']*)*|'s\b|'\S*")


def _closed() -> tuple[str, ...]:
    found = dict.fromkeys((END, BEGIN, *CONTEXTS, NAMED, NEXT, *NAMES, *(f"{amount:g}" for amount in AMOUNTS), ".5"))
    for name in NAMES:
        for slot, kind in slots_of(name).items():
            found.update(dict.fromkeys(f"{slot}={value}" for value in _values(kind)))
    return tuple(found)


def _values(slot: Slot) -> tuple[str, ...]:
    """What a closed token can say of a slot; nothing more than its name where words or a number follow."""
    return slot.choices if slot.kind == "choice" else ("true", "false") if slot.kind == "switch" else ("",)


CLOSED = _closed()
"""All closed tokens."""
TOKEN: Mapping[str, int] = {text: index for index, text in enumerate(CLOSED)}


@cache
def _openings(name: str, slot: str) -> frozenset[int]:
    """The tokens that begin a slot of an act."""
    return frozenset(TOKEN[f"{slot}={value}"] for value in _values(slots_of(name)[slot]))


@dataclass(frozen=True)
class Place:
    """A place of a prompt: a closed token, or a word."""

    token: int = -1
    """The closed token; -1 for a word."""
    word: str = ""
    start: int = 0
    end: int = 0
    """Where the word's letters stand in the text that it belongs to."""
    told: bool = False
    """Whether the word belongs to the context's text."""


@dataclass(frozen=True)
class Prompt:
    """What the network reads: the context, then the utterance, then the mark at which it begins to write."""

    text: str
    """The utterance in its spoken form."""
    told: str
    """The free words of the context, one after the other."""
    places: tuple[Place, ...]

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The word at every place; empty for closed tokens."""
        return tuple(place.word for place in self.places)

    @cached_property
    def amounts(self) -> tuple[float | None, ...]:
        """The number that begins at every place."""
        words = [word or "-" for word in self.words]
        return tuple(number_at(words, at) if self.words[at] else None for at in range(len(words)))


def prompt(text: str, context: str = "") -> Prompt:
    """The prompt of an utterance in its spoken form, with what the dialogue tells (`schemas.ports.ActParser.parse`)."""
    places: list[Place] = []
    told: list[str] = []
    length = 0

    def tell(words: str) -> None:
        nonlocal length
        for found in _WORD.finditer(words):
            places.append(Place(word=found[0], start=length + found.start(), end=length + found.end(), told=True))
        told.append(words)
        length += len(words) + 1

    kind, _, rest = context.partition(" ")
    acts, _, names = rest.partition("): ")
    try:
        before = read(f"{acts})" if names else acts) if kind in CONTEXTS else ()
    except GenerationError:
        before = ()
    if before:
        places.append(Place(TOKEN[kind]))
    for act in before:
        places.append(Place(TOKEN[act.name]))
        for slot, value in act.slots.items():
            sort = slots_of(act.name)[slot].kind
            if sort in ("choice", "switch"):
                places.append(Place(TOKEN[f"{slot}={_text(value)}"]))
                continue
            places.append(Place(TOKEN[f"{slot}="]))
            if sort == "words":
                tell(str(value))
            else:
                places += [Place(TOKEN[text]) for text in (str(int(float(value))),) if text in TOKEN]
                places += [Place(TOKEN[".5"])] * (float(value) % 1 == 0.5)
    for at, name in enumerate(names.split(", ") if names and before else ()):
        places.append(Place(TOKEN[NEXT if at else NAMED]))
        tell(name)
    places = places[: MOST_PLACES // 2]
    places += [Place(word=found[0], start=found.start(), end=found.end()) for found in _WORD.finditer(text)]
    places = [*places[: MOST_PLACES - 1], Place(TOKEN[BEGIN])]
    return Prompt(text, " ".join(told), tuple(places))


def _text(value: SlotValue) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


@dataclass(frozen=True)
class Step:
    """One step of an answer: a closed token, or places that all mean the same."""

    token: int = -1
    places: tuple[int, ...] = ()


def steps(acts: Sequence[Act], given: Prompt) -> list[Step]:
    """The steps that write acts, the end last.

    Raises:
        ValueError: a word or a number of theirs cannot be written from this prompt.
    """
    found: list[Step] = []
    for act in acts:
        found.append(Step(TOKEN[act.name]))
        for slot, kind in slots_of(act.name).items():
            if slot not in act.slots:
                continue
            value = act.slots[slot]
            if kind.kind in ("choice", "switch"):
                found.append(Step(TOKEN[f"{slot}={_text(value)}"]))
                continue
            found.append(Step(TOKEN[f"{slot}="]))
            found += _copied(str(value), given) if kind.kind == "words" else [_number(float(value), given)]
    return [*found, Step(TOKEN[END])]


def _number(value: float, given: Prompt) -> Step:
    if places := tuple(at for at, amount in enumerate(given.amounts) if amount == value):
        return Step(places=places)
    if f"{value:g}" not in TOKEN:
        raise ValueError(f"the number {value:g} is not said")
    return Step(TOKEN[f"{value:g}"])


def _copied(value: str, given: Prompt) -> list[Step]:
    wanted = _WORD.findall(value)
    starts = [at for at in range(len(given.words)) if list(given.words[at : at + len(wanted)]) == wanted]
    if not starts or not wanted:
        raise ValueError(f"{value!r} is not said")
    return [Step(places=tuple(start + at for start in starts)) for at in range(len(wanted))]


@dataclass
class Writing:
    """Acts in the making: what may come next, and what has come."""

    given: Prompt
    amounts: Collection[float] = ()
    """Numbers that may be written as closed tokens."""
    most: int = 5
    """Acts."""
    longest: int = 24
    """Words of a slot."""
    acts: list[tuple[str, dict[str, SlotValue]]] = field(default_factory=list[tuple[str, dict[str, SlotValue]]])
    done: bool = False
    _slot: str = ""
    """The slot of words or numbers that is open."""
    _run: list[int] = field(default_factory=list[int])
    """The places that were copied into it."""

    def allowed(self) -> tuple[set[int], set[int]]:
        """The closed tokens and the places that may come next."""
        if self._slot:
            kind = slots_of(self.acts[-1][0])[self._slot]
            if kind.kind == "number":
                fits = {
                    at for at, one in enumerate(self.given.amounts) if one is not None and (kind.halves or one % 1 == 0)
                }
                return {TOKEN[f"{amount:g}"] for amount in self.amounts if f"{amount:g}" in TOKEN}, fits
            if not self._run:
                return set(), {at for at, word in enumerate(self.given.words) if word and word != "'s"}
        closed: set[int] = set()
        if len(self.acts) < self.most:
            closed |= {TOKEN[name] for name in NAMES}
        if self.acts:
            closed.add(TOKEN[END])
            name, slots = self.acts[-1]
            order = list(slots_of(name))
            after = max((order.index(slot) for slot in (*slots, *([self._slot] if self._slot else []))), default=-1)
            for slot in order[after + 1 :]:
                if slots_of(name)[slot].kind != "words" or any(self.given.words):
                    closed |= _openings(name, slot)
        follow = self._run[-1] + 1 if self._run else -1
        more = 0 <= follow < len(self.given.words) and self.given.words[follow] and len(self._run) < self.longest
        same = more and self.given.places[follow].told == self.given.places[follow - 1].told
        return closed, {follow} if same else set()

    def take(self, token: int, place: int = -1) -> None:
        """Go on with a step that is allowed: a closed token, or a place."""
        if place >= 0 and slots_of(self.acts[-1][0])[self._slot].kind == "words":
            self._run.append(place)
            return
        if place >= 0:
            self._fill(self.given.amounts[place] or 0.0)
            return
        self._close()
        text = CLOSED[token]
        name, equals, value = text.partition("=")
        if text == END:
            self.done = True
        elif not equals and self._slot:
            self._fill(float(text))
        elif not equals:
            self.acts.append((text, {}))
        elif value:
            kind = slots_of(self.acts[-1][0])[name].kind
            self.acts[-1][1][name] = value == "true" if kind == "switch" else value
        else:
            self._slot = name

    def _fill(self, number: float) -> None:
        self.acts[-1][1][self._slot] = int(number) if number.is_integer() else number
        self._slot = ""

    def _close(self) -> None:
        if self._run:
            words = " ".join(self.given.words[at] for at in self._run)
            self.acts[-1][1][self._slot] = words.replace(" '", "'")
            self._slot, self._run = "", []

    def result(self) -> tuple[Act, ...]:
        """The acts."""
        return tuple(Act(name, slots) for name, slots in self.acts)
