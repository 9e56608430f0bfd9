"""What drivers say, generated: statements, requests, negatives and whole conversations with their gold answers.

Deterministic for a given ``random.Random``. The words come from ``models.training.phrases``; this module only puts
them together: values into slots, fillers around, numbers into words, mishearings, turns in a row. All in spoken form.

With ``held_out=True`` patterns and (in open-ended categories) values come from the part that is never trained on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import Any, TypeVar

from models.training import phrases
from models.training.phrases import Lines, Phrasing, Sentence, Slot, Topic, Vague
from schemas.preferences import BY_DETAIL

T = TypeVar("T")

NEGATED_SHARE = 0.12
"""Statements that take a preference back."""
CHANGED_SHARE = 0.10
"""Statements in which the driver changes his or her mind."""
HINTED_SHARE = 0.28
"""Statements that only show the preference by what they ask for."""
FILLED_SHARE = 0.35
"""Statements and requests with a filler around them."""
COMMON_SHARE = 0.25
"""Values that are one of the category's examples in ``schemas.preferences``, beside those that chance upon them."""
ONCE_SHARE = 0.3
"""Asides that are a wish for this time only."""
VAGUE_SHARE = 0.4
"""Requests that a remembered preference completes."""
REMEMBERED_SHARE = 0.7
"""Vague requests for which there is a fact."""
NUMBER_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
BEFORE = (
    "well", "oh", "um", "uh", "hey", "you know", "listen", "ok", "look", "to be honest", "by the way", "oh and",
    "honestly", "so", "actually", "as i said", "hm", "good morning", "excuse me", "alright", "just so you know",
)  # fmt: skip
AFTER = (
    "please", "thanks", "you know", "if you can", "ok", "by the way", "to be honest", "i think", "right", "my dear",
)  # fmt: skip
MISHEARD: Mapping[str, tuple[str, ...]] = {
    "i": ("a", ""), "the": ("a", ""), "a": ("the", ""), "to": ("two", ""), "in": ("and", ""), "and": ("in", ""),
    "for": ("four", ""), "of": ("", "a"), "is": ("as", ""), "it": ("at", ""), "at": ("it", ""), "my": ("by", ""),
    "i'm": ("i am", "am"), "it's": ("its", "is"), "on": ("and", ""), "with": ("", "will"), "that": ("the", ""),
    "you": ("ya", ""), "are": ("our", ""), "always": ("all ways",), "please": ("peas", ""), "would": ("wood",),
    "have": ("half", ""), "this": ("the", ""), "there": ("their", ""), "want": ("won't", "wand"), "like": ("light",),
}  # fmt: skip
"""Function words, and what a small recogniser makes of them (empty: swallowed)."""


@dataclass(frozen=True)
class Statement:
    """A sentence that reveals a preference; ``said`` is a part of ``text``, ``value`` the canonical value it means.

    ``hinted``: only by what it asks for, without a word that it lasts.
    """

    text: str
    detail: str
    said: str
    value: str
    negated: bool
    hinted: bool = False


@dataclass(frozen=True)
class Aside:
    """A sentence on a category's topic that reveals no lasting preference; ``once``: a wish for this time only."""

    text: str
    detail: str
    once: bool


@dataclass(frozen=True)
class Request:
    """A sentence that asks for something.

    ``facts`` are what is remembered (``"detail key: value"``), relevant or not. ``intent`` is the action that the words
    are about; ``action`` and ``slots`` what should be done with these facts: both None where nothing can be.
    """

    text: str
    facts: tuple[str, ...]
    intent: str
    action: str | None
    slots: Mapping[str, Any] | None


@dataclass(frozen=True)
class Negative:
    """A sentence that holds no preference; ``asks``: it may ask the car for something (what is left open)."""

    text: str
    kind: str
    asks: bool


@dataclass(frozen=True)
class Gold:
    """A preference that a conversation reveals; ``turn`` counts the driver's turns from 0."""

    turn: int
    detail: str
    said: str
    value: str
    negated: bool


@dataclass(frozen=True)
class Dialogue:
    """Two to eight turns of (``driver`` or ``assistant``, text), the driver first, and the preferences in them."""

    turns: tuple[tuple[str, str], ...]
    gold: tuple[Gold, ...]


def spoken_number(number: int) -> str:
    """The number (0 to 100) in words.

    Raises:
        ValueError: the number is not from 0 to 100.
    """
    if not 0 <= number <= 100:
        raise ValueError(f"{number} is not from 0 to 100")
    if number == 100:
        return "one hundred"
    if number < 20:
        return NUMBER_WORDS[number]
    tens, ones = divmod(number, 10)
    return TENS[tens] + (f" {NUMBER_WORDS[ones]}" if ones else "")


def misheard(rng: Random, text: str, keep: str = "", rate: float = 0.12) -> str:
    """The text as a small recogniser might have it: function words swallowed or confused, at that rate a word.

    Args:
        rng: source of chance.
        text: what was said.
        keep: words in it that stay as they are.
        rate: share of the function words that go wrong.
    """
    start = text.find(keep) if keep else len(text)
    parts = (text[:start], text[start : start + len(keep)], text[start + len(keep) :])
    kept = [parts[1]] if parts[1] else []
    before, after = (_mishear_words(rng, part.split(), rate) for part in (parts[0], parts[2]))
    heard = " ".join([*before, *kept, *after])
    return heard or text


def _mishear_words(rng: Random, words: Sequence[str], rate: float) -> list[str]:
    heard = (rng.choice(MISHEARD[word]) if word in MISHEARD and rng.random() < rate else word for word in words)
    return [word for word in heard if word]


def statements(rng: Random, n: int, *, held_out: bool = False, details: Sequence[str] = ()) -> list[Statement]:
    """Sentences that reveal a preference, every category as often as the others.

    Args:
        rng: source of chance.
        n: how many.
        held_out: from the part that is never trained on.
        details: only these detail keys; empty for all.
    """
    keys = tuple(details) or tuple(phrases.topics())
    return [_statement(rng, rng.choice(keys), held_out) for _ in range(n)]


def borders(rng: Random, n: int, *, held_out: bool = False) -> list[Statement]:
    """Statements on the border between two categories only, every line as often as the others."""
    lines = _border_part(held_out)
    return [_of_line(rng, *rng.choice(lines), held_out) for _ in range(n)]


def asides(rng: Random, n: int, *, held_out: bool = False) -> list[Aside]:
    """Sentences on a category's topic that reveal nothing, every category as often as the others."""
    keys = [topic.detail for topic in phrases.topics().values() if topic.about.patterns or topic.once.patterns]
    return [_aside(rng, rng.choice(keys), held_out) for _ in range(n)]


def requests(rng: Random, n: int, *, held_out: bool = False, action: str | None = None) -> list[Request]:
    """Sentences that ask for something: every action and every vague request as often as the others, or one action outright."""
    if action is not None:
        return [_direct(rng, action, held_out) for _ in range(n)]
    return [
        _vague(rng, rng.choice(_vague_requests()), held_out)
        if rng.random() < VAGUE_SHARE
        else _direct(rng, rng.choice(_action_names()), held_out)
        for _ in range(n)
    ]


def negatives(rng: Random, n: int, *, held_out: bool = False) -> list[Negative]:
    """Sentences without a preference, every kind by the number of its lines."""
    lines = _negative_lines(held_out)
    chosen = (rng.choice(lines) for _ in range(n))
    return [replace(line, text=_filled(rng, line.text, 0.2)) for line in chosen]


def spoken(rng: Random, n: int) -> list[str]:
    """A mixture of all that a driver may say, from the part that is trained on: for a recogniser's language model."""
    third = n // 3
    texts = [item.text for item in statements(rng, third)] + [item.text for item in requests(rng, n - 2 * third)]
    texts += [item.text for item in negatives(rng, third)]
    rng.shuffle(texts)
    return texts


def conversations(rng: Random, n: int, *, held_out: bool = False, noisy: bool = False) -> list[Dialogue]:
    """Conversations of two to eight turns with no, one or two preferences.

    Args:
        rng: source of chance.
        n: how many.
        held_out: from the part that is never trained on.
        noisy: with a small recogniser's mishearings in the driver's turns; the words of a value stay.
    """
    return [_dialogue(rng, held_out, noisy) for _ in range(n)]


def _filled(rng: Random, text: str, share: float = FILLED_SHARE) -> str:
    if rng.random() >= share:
        return text
    if rng.random() < 0.65:
        return f"{rng.choice(BEFORE)} {text}"
    return f"{text} {rng.choice(AFTER)}"


def _ways(topic: Topic, held_out: bool) -> list[tuple[str, str]]:
    """(said, canonical) of all values that can be said in a slot."""
    return [(said, value.canonical) for value in phrases.values_part(topic, held_out=held_out) for said in value.said]


def _choose_way(rng: Random, topic: Topic, held_out: bool) -> tuple[str, str]:
    """A way of saying a value, whatever number of ways it has; the category's own examples are said more often."""
    values = [v for v in phrases.values_part(topic, held_out=held_out) if v.said]
    common = [v for v in values if v.canonical in BY_DETAIL[topic.detail].examples]
    value = rng.choice(common if common and rng.random() < COMMON_SHARE else values)
    return rng.choice(value.said), value.canonical


@lru_cache(maxsize=512)
def _lines_part(lines: Lines, held_out: bool) -> tuple[str | Sentence, ...]:
    return phrases.part(lines.patterns, held_out=held_out) + phrases.part(lines.sentences, held_out=held_out)


def _statement(rng: Random, detail: str, held_out: bool) -> Statement:
    topic = phrases.topics()[detail]
    chance = rng.random()
    negated = chance < NEGATED_SHARE
    changed = NEGATED_SHARE <= chance < NEGATED_SHARE + CHANGED_SHARE
    hinted = chance >= 1 - HINTED_SHARE and bool(topic.hints.patterns or topic.hints.sentences)
    lines = topic.negations if negated else topic.changes if changed else topic.hints if hinted else topic.reveals
    made = _of_line(rng, topic, rng.choice(_lines_part(lines, held_out)), hinted, held_out)
    return replace(made, negated=negated)


def _of_line(rng: Random, topic: Topic, line: str | Sentence, hinted: bool, held_out: bool) -> Statement:
    """A line with a value in its slot and perhaps a filler around it."""
    if isinstance(line, Sentence):
        text, said, value = line.text, line.said, line.canonical
    else:
        said, value = _choose_way(rng, topic, held_out)
        text = line.replace("{value}", said)
    return Statement(_filled(rng, text), topic.detail, said, value, False, hinted)


@lru_cache(maxsize=2)
def _border_part(held_out: bool) -> tuple[tuple[Topic, str | Sentence, bool], ...]:
    """(topic, line, whether it only hints) of one side of the division."""
    return tuple(
        (topic, line, hinted)
        for topic in phrases.topics().values()
        for lines, hinted in ((topic.reveals, False), (topic.hints, True))
        for line in _lines_part(lines, held_out)
        if str(line) in phrases.border_lines()
    )


def _aside(rng: Random, detail: str, held_out: bool) -> Aside:
    topic = phrases.topics()[detail]
    once = rng.random() < ONCE_SHARE or not topic.about.patterns
    lines = topic.once if once and (topic.once.patterns or topic.once.sentences) else topic.about
    line = rng.choice(_lines_part(lines, held_out))
    text = line.text if isinstance(line, Sentence) else line
    if "{value}" in text:
        text = text.replace("{value}", _choose_way(rng, topic, held_out)[0])
    return Aside(_filled(rng, text, 0.2), detail, once)


@lru_cache(maxsize=1)
def _action_names() -> tuple[str, ...]:
    return tuple(dict.fromkeys(phrasing.action for phrasing in phrases.requests()))


@lru_cache(maxsize=1)
def _vague_requests() -> tuple[Vague, ...]:
    return phrases.vague()


@lru_cache(maxsize=256)
def _phrasings(action: str, held_out: bool) -> tuple[tuple[Phrasing, str], ...]:
    """The action's lines on one side of the division; the division is over all lines of an action together."""
    lines = {line: phrasing for phrasing in phrases.requests() if phrasing.action == action for line in phrasing.say}
    return tuple((lines[line], line) for line in phrases.part(tuple(lines), held_out=held_out))


def _say_slot(rng: Random, slot: Slot, held_out: bool) -> tuple[str, Any]:
    """(what is said, the slot's value)."""
    if slot.numbers == "celsius":
        half = rng.randint(32, 56)
        whole = spoken_number(half // 2)
        said = rng.choice((f"{whole} point five", f"{whole} and a half")) if half % 2 else whole
        return rng.choice((said, f"{said} degrees")), half / 2
    if slot.numbers == "percent":
        percent = rng.randrange(0, 101, 5)
        return f"{spoken_number(percent)} percent", percent
    if slot.values is not None:
        said = rng.choice(tuple(slot.values))
        return said, slot.values[said]
    if slot.words:
        words = rng.choice(phrases.part(slot.words, held_out=held_out))
        return words, words
    said, _ = _choose_way(rng, phrases.topics()[rng.choice(slot.topics)], held_out)
    return said, said


def _direct(rng: Random, action: str, held_out: bool) -> Request:
    phrasing, text = rng.choice(_phrasings(action, held_out))
    filled = dict(phrasing.slots)
    for name in re.findall(r"{(\w+)}", text):
        said, value = _say_slot(rng, phrases.slots()[name], held_out)
        text = text.replace(f"{{{name}}}", said)
        filled = {slot: value if given == f"{{{name}}}" else given for slot, given in filled.items()}
    facts = _other_facts(rng, (), held_out) if rng.random() < 0.3 else ()
    return Request(_filled(rng, text), facts, action, action, filled)


def _vague(rng: Random, group: Vague, held_out: bool) -> Request:
    text = _filled(rng, rng.choice(phrases.part(group.say, held_out=held_out)))
    details = tuple(fill.detail for fill in group.fills)
    facts: list[str] = []
    slots: dict[str, Any] | None = None
    if group.fills and rng.random() < REMEMBERED_SHARE:
        count = 1 if rng.random() < 0.75 else min(2, len(group.fills))
        chosen = sorted(rng.sample(range(len(group.fills)), count))
        for index in chosen:
            fill = group.fills[index]
            ways = [value for _, value in _ways(phrases.topics()[fill.detail], held_out)]
            value = rng.choice([v for v in ways if fill.values is None or v in fill.values] or list(fill.values or ()))
            facts.append(f"{fill.detail}: {value}")
            if slots is None:
                slots = {**group.slots, fill.slot: value if fill.values is None else fill.values[value]}
    facts += _other_facts(rng, details, held_out) if rng.random() < 0.5 else []
    rng.shuffle(facts)
    if slots is None and group.otherwise is not None:
        slots = dict(group.otherwise)
    return Request(text, tuple(facts), group.action, None if slots is None else group.action, slots)


def _other_facts(rng: Random, details: Sequence[str], held_out: bool) -> tuple[str, ...]:
    """One to three facts that have nothing to do with these detail keys."""
    topics = [t for t in phrases.topics().values() if t.detail not in details and _ways(t, held_out)]
    chosen = rng.sample(topics, rng.randint(1, 3))
    return tuple(f"{topic.detail}: {_choose_way(rng, topic, held_out)[1]}" for topic in chosen)


@lru_cache(maxsize=2)
def _negative_lines(held_out: bool) -> tuple[Negative, ...]:
    return tuple(
        Negative(text, group.kind, group.asks)
        for group in phrases.negatives()
        for text in phrases.part(group.lines, held_out=held_out)
    )


def _chatter(rng: Random, held_out: bool) -> str:
    if rng.random() < 0.5:
        return requests(rng, 1, held_out=held_out)[0].text
    return negatives(rng, 1, held_out=held_out)[0].text


def _assistant(rng: Random, before: Statement | None, after: Statement | None, last: bool) -> str:
    """The assistant's turn between two of the driver's: an answer to the one before, then an opening for the next."""
    said = phrases.assistant()

    def line(statement: Statement | None, moment: str) -> str:
        sub = "any" if statement is None or rng.random() < 0.3 else BY_DETAIL[statement.detail].sub
        return rng.choice(said[sub][moment])

    if last:
        return line(before, "closes") if rng.random() < 0.6 else line(before, "answers")
    if after is None or rng.random() < 0.2:
        return line(before, "answers")
    return line(after, "opens") if before is None else f"{line(before, 'answers')} {line(after, 'opens')}"


def _dialogue(rng: Random, held_out: bool, noisy: bool) -> Dialogue:
    drivers = rng.randint(1, 4)
    count = min(drivers, rng.choices((0, 1, 2), (0.3, 0.5, 0.2))[0])
    carrying = rng.sample(range(drivers), count)
    stated: list[Statement | None] = [
        statements(rng, 1, held_out=held_out)[0] if turn in carrying else None for turn in range(drivers)
    ]
    turns: list[tuple[str, str]] = []
    gold: list[Gold] = []
    for turn, statement in enumerate(stated):
        if statement is None:
            text = _chatter(rng, held_out)
            text = misheard(rng, text) if noisy else text
        else:
            text = misheard(rng, statement.text, statement.said) if noisy else statement.text
            text = f"{_chatter(rng, held_out)} {text}" if rng.random() < 0.2 else text
            gold.append(Gold(turn, statement.detail, statement.said, statement.value, statement.negated))
        last = turn == drivers - 1
        turns.append(("driver", text))
        turns.append(("assistant", _assistant(rng, statement, None if last else stated[turn + 1], last)))
    return Dialogue(tuple(turns), tuple(gold))
