"""What a driver tells in one to four turns, and what of it is a lasting preference: the raw material of extraction.

Owns: which turns there are and which of their words are mentions. Turns that tell nothing are on the same topics as those
that do: one-off wishes, questions, other people's likings, requests. Requests that choose what a category holds ("play some
jazz") are left out: whether they hint at a preference is open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from models.structured.words import words
from models.training import conversations, phrases
from models.training.conversations import Statement
from models.training.encoder import examples as spoken
from schemas.preferences import BY_DETAIL, CATEGORIES

TURNS = {1: 0.78, 2: 0.18, 3: 0.03, 4: 0.01}
"""Driver turns; ``memory.learn.extraction`` mostly asks about one."""
TELLING = {1: 0.66, 2: 0.55, 3: 0.45, 4: 0.4}
"""Share of the turns that tell something, by the number of turns."""
JOINED, TWO, LISTED = 0.25, 0.1, 0.1
"""Statements with something beside them, with another statement, and with two values."""
RENAMED = 0.25
"""Names replaced by random words, beside those that `models.training.encoder.examples` coins."""
NOTHING = {"aside": 0.42, "need": 0.12, "talk": 0.18, "request": 0.16, "other's": 0.07, "once": 0.05}
"""What turns without a preference are."""
POOL = 200
"""Sentences without a preference that are drawn at once, and used as often before others are drawn."""

Mention = tuple[int, str, str]
"""Number of the turn, detail key, words."""


@dataclass(frozen=True)
class LabelledTurns:
    """Turns with the preferences in them."""

    turns: tuple[str, ...]
    gold: tuple[Mention, ...]
    about: tuple[str, ...]
    """Detail keys that turns without a preference are about."""
    kind: str


class TurnSampler:
    """Draws what drivers tell. Deterministic for a source of chance."""

    def __init__(self, rng: Random, *, held_out: bool = False, names: Sequence[str] = ()) -> None:
        """A sampler; ``names`` are words that names are made of (empty: names stay)."""
        self._rng, self._held_out, self._names = rng, held_out, names
        self._pool: list[str] = []
        self._uses = 0

    def sample(self) -> LabelledTurns:
        """One to four turns."""
        rng = self._rng
        count = rng.choices(list(TURNS), list(TURNS.values()))[0]
        turns: list[str] = []
        gold: list[Mention] = []
        about: list[str] = []
        kinds: list[str] = []
        for turn in range(count):
            if rng.random() < TELLING[count]:
                text, mentions, kind = self._telling()
            else:
                text, topics, kind = self._nothing()
                about += topics
                mentions = ()
            rough = spoken.roughened(rng, spoken.Example(text, said=mentions))
            turns.append(rough.text)
            gold += [(turn, detail, " ".join(words(said))) for detail, said in rough.said]
            kinds.append(kind)
        kind = kinds[0] if count == 1 else f"{min(count, 3)} turns"
        return LabelledTurns(tuple(turns), tuple(gold), tuple(about), kind)

    def _telling(self) -> tuple[str, tuple[tuple[str, str], ...], str]:
        """A turn with its (detail, words)."""
        rng, chance = self._rng, self._rng.random()
        first = self._statement()
        kind = "negated" if first.negated else "hinted" if first.hinted else "stated"
        if chance < TWO and (second := self._statement()).detail != first.detail:
            both = spoken.both(rng, spoken.statement(first), spoken.statement(second))
            return both.text, both.said, "two"
        if chance < TWO + LISTED and (listed := self._listed(first)) is not None:
            return listed[0], listed[1], "listed"
        text = first.text
        if rng.random() < JOINED:
            near = phrases.part(phrases.needs().get(BY_DETAIL[first.detail].sub, ()), held_out=self._held_out)
            others = list(near) if near and rng.random() < 0.5 else self._others()
            text = spoken.joined(rng, spoken.statement(first), others).text
        return text, ((first.detail, first.said),), kind

    def _statement(self) -> Statement:
        rng = self._rng
        made = spoken.coined(rng, conversations.statements(rng, 1, held_out=self._held_out)[0])
        if made.detail in spoken.NAMED and self._names and made.text.count(made.said) == 1 and rng.random() < RENAMED:
            name = " ".join(rng.choice(self._names) for _ in range(rng.choices((1, 2, 3), (5, 4, 2))[0]))
            made = replace(made, text=made.text.replace(made.said, name), said=name)
        return made

    def _listed(self, made: Statement) -> tuple[str, tuple[tuple[str, str], ...]] | None:
        """The statement with a second value; None where its category holds one."""
        rng, values = self._rng, phrases.values_part(phrases.topics()[made.detail], held_out=self._held_out)
        ways = [way for value in values if value.canonical != made.value for way in value.said]
        if not BY_DETAIL[made.detail].multi or not ways or made.text.count(made.said) != 1:
            return None
        other = rng.choice(ways)
        both = (other, made.said) if rng.random() < 0.5 else (made.said, other)
        text = made.text.replace(made.said, f"{both[0]} {rng.choice(('and', 'and', 'or'))} {both[1]}")
        return text, tuple((made.detail, said) for said in both)

    def _nothing(self) -> tuple[str, list[str], str]:
        """A turn without a preference, and the details that it is about."""
        rng = self._rng
        kind = rng.choices(list(NOTHING), list(NOTHING.values()))[0]
        if kind == "aside":
            beside = conversations.asides(rng, 1, held_out=self._held_out)[0]
            return beside.text, [beside.detail], "one-off" if beside.once else "aside"
        if kind == "need":
            sub = rng.choice(tuple(phrases.needs()))
            text = rng.choice(phrases.part(phrases.needs()[sub], held_out=self._held_out))
            return text, [category.detail for category in CATEGORIES if category.sub == sub], kind
        if kind in ("other's", "once"):
            made = self._statement()
            if kind == "once" and not made.negated:
                return f"{rng.choice(spoken.ONCE)} {made.text}", [made.detail], "one-off"
            theirs = spoken.of_somebody_else(rng, made)
            if theirs is not None:
                return theirs.text, [made.detail], "other's"
        return rng.choice(self._others()), [rng.choice(CATEGORIES).detail], "talk"

    def _others(self) -> list[str]:
        """Sentences that tell nothing."""
        if self._uses % POOL == 0:
            asked = map(spoken.request, conversations.requests(self._rng, POOL, held_out=self._held_out))
            neither = conversations.negatives(self._rng, POOL // 2, held_out=self._held_out)
            self._pool = [spoken.framed(self._rng, one).text for one in asked if one.strength is not None]
            self._pool += [one.text for one in neither]
        self._uses += 1
        return self._pool
