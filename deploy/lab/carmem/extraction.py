"""CarMem's extraction protocol: is the preference put where it belongs, and does an opt-out hold?

Protocol: arXiv 2501.09645, section 4.1, as its authors' code runs it (docs/evaluation.md says where the two differ). Runs
`memory.learn.extraction.Extractor` and counts what it *found*: what an empty memory would store at once, and what the driver would
be asked about before it is stored. What is stored without asking is counted beside it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from deploy.lab.carmem.data import Item
from deploy.lab.carmem.parts import Parts
from deploy.lab.report.blocks import Progress
from deploy.lab.report.statistics import Paired, Ratio, Scores, micro, paired, share
from memory import consent as switches
from memory.learn.english.canonical import Canon, fold
from memory.learn.extraction import Extraction, ExtractionSettings, Extractor
from memory.learn.worth import not_worth
from memory.recall.lexical import stems
from models.text import normal
from schemas.memory import Candidate, Consent, Conversation, Turn
from schemas.preferences import CATEGORIES

NOW = datetime(2025, 1, 20, 8, 0, tzinfo=UTC)
"""When everything is said: no figure of this protocol depends on time."""

EVERYTHING = Consent(opted_in=frozenset(c.detail for c in CATEGORIES if c.sensitive))
"""All categories on, the sensitive ones too: CarMem has preferences in them."""

THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(2, 20))
"""Confidences from which something could be stored without asking: .1 to .95."""

SONGS, ARTISTS = "favorite_songs", "favorite_artists_or_bands"
"""The protocol counts a song as one of its artist's: CarMem's songs are named with their artists."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What extraction made of one conversation."""

    item: Item
    extraction: Extraction
    seconds: float

    @property
    def stored(self) -> tuple[Candidate, ...]:
        """What an empty memory would store."""
        return tuple(candidate for candidate in self.extraction.candidates if not candidate.negated)

    @property
    def asked(self) -> tuple[Candidate, ...]:
        """What the driver would be asked about."""
        return tuple(candidate for candidate in self.extraction.unsure if not candidate.negated)

    @property
    def found(self) -> tuple[Candidate, ...]:
        """What extraction found: what would be stored, and what would be asked about."""
        return (*self.stored, *self.asked)

    @property
    def exact(self) -> bool:
        """Whether exactly the gold detail category was found: what CarMem calls passed."""
        return {_relabelled(c.detail) for c in self.found} == {_relabelled(self.item.gold.detail)}


def conversation(item: Item) -> Conversation:
    """The conversation as the assistant notes it."""
    return Conversation(id=item.id, turns=tuple(Turn(speaker=who, text=text, at=NOW) for who, text in item.turns))


def utterance(item: Item, text: str) -> Conversation:
    """A conversation of one utterance."""
    return Conversation(id=item.id, turns=(Turn(speaker="driver", text=text, at=NOW),))


def read_in_schema(
    parts: Parts,
    items: Sequence[Item],
    tell: Progress,
    *,
    what: str,
    settings: ExtractionSettings | None = None,
    timed: bool = False,
) -> tuple[Reading, ...]:
    """Extraction with every category on.

    Args:
        parts: the encoder.
        items: conversations.
        tell: progress.
        what: name of this pass.
        settings: instead of those of ``parts``.
        timed: run the encoder for every conversation, so that the seconds count.
    """
    extractor = Extractor(parts.encoder, settings or parts.settings.extraction)

    def read(item: Item) -> Reading:
        return _timed(item, lambda: extractor.extract(conversation(item), EVERYTHING, NOW))

    parts.encoder.afresh = timed
    try:
        return tuple(_each(items, read, what, tell))
    finally:
        parts.encoder.afresh = False


def read_out_of_schema(
    parts: Parts, items: Sequence[Item], tell: Progress, *, what: str, settings: ExtractionSettings | None = None
) -> tuple[Reading, ...]:
    """Extraction with each conversation's gold sub category switched off."""
    extractor = Extractor(parts.encoder, settings or parts.settings.extraction)

    def read(item: Item) -> Reading:
        allowed = switches.opt_out(EVERYTHING, item.gold.sub)
        return _timed(item, lambda: extractor.extract(conversation(item), allowed, NOW))

    return tuple(_each(items, read, what, tell))


@dataclass(frozen=True, slots=True)
class InSchema:
    """Scores with every category on."""

    main: Scores
    sub: Scores
    detail: Scores

    def levels(self) -> dict[str, Scores]:
        """Scores by the name of their level."""
        return {"main": self.main, "sub": self.sub, "detail": self.detail}


def in_schema(readings: Sequence[Reading]) -> InSchema:
    """Micro-averaged scores at the three levels of the tree, over what was found."""
    return InSchema(
        main=micro([(frozenset((r.item.gold.main,)), frozenset(c.category.main for c in r.found)) for r in readings]),
        sub=micro([(frozenset((r.item.gold.sub,)), frozenset(c.category.sub for c in r.found)) for r in readings]),
        detail=micro([
            (frozenset((_relabelled(r.item.gold.detail),)), frozenset(_relabelled(c.detail) for c in r.found))
            for r in readings
        ]),
    )  # fmt: skip


def unasked(readings: Sequence[Reading]) -> tuple[Reading, ...]:
    """The readings with only what is stored without asking."""
    return tuple(replace(r, extraction=replace(r.extraction, unsure=())) for r in readings)


def answered(readings: Sequence[Reading]) -> InSchema:
    """The scores if every question were answered truly: yes to the gold category, no to others."""
    return in_schema([
        replace(r, extraction=Extraction((*r.extraction.candidates, *_confirmed(r)))) for r in readings
    ])  # fmt: skip


def stored_from(readings: Sequence[Reading], threshold: float) -> tuple[Reading, ...]:
    """The readings as they would be if everything from this confidence on were stored, and nothing below it."""
    return tuple(
        replace(r, extraction=Extraction(tuple(c for c in (*r.stored, *r.asked) if c.confidence >= threshold)))
        for r in readings
    )


def asked(readings: Sequence[Reading]) -> dict[str, Ratio]:
    """How many conversations end in a question, and how many of the questions are about the gold category."""
    questions = [(r, candidate) for r in readings for candidate in r.asked]
    return {
        "conversations": share(bool(r.asked) for r in readings),
        "right": share(_relabelled(c.detail) == _relabelled(r.item.gold.detail) for r, c in questions),
    }


def aloud(parts: Parts, readings: Sequence[Reading]) -> dict[str, Ratio]:
    """What the driver would really be asked (`memory.learn.worth`), by rules that do not look at those.

    ``per_stored``: questions for each preference that is stored. ``right``: they are about the gold category. ``sensible``: they
    name its value, too, in its own words or some of them, or as we write it.
    """
    canon = Canon(parts.encoder)
    asks = [(r.item, [c for c in r.extraction.unsure if not_worth(parts.encoder, c) is None]) for r in readings]
    every = [(item, c) for item, own in asks for c in own]
    stored = sum(len(r.extraction.candidates) for r in readings)
    right = [_relabelled(c.detail) == _relabelled(item.gold.detail) for item, c in every]
    named = [
        _same(canon, c, item.attribute) or not set(stems(c.value)).isdisjoint(stems(item.attribute))
        for item, c in every
    ]
    return {
        "conversations": share(bool(own) for _, own in asks),
        "per_stored": Ratio((1.0,) * len(every), (stored / max(1, len(every)),) * len(every)),
        "right": share(right),
        "sensible": share(one and other for one, other in zip(right, named, strict=True)),
    }


@dataclass(frozen=True, slots=True)
class OutOfSchema:
    """What happened where the driver had opted out."""

    nothing_stored: Ratio
    """Conversations from which nothing was stored and nothing asked: what CarMem counts."""
    nothing_unasked: Ratio
    """Conversations from which nothing was stored without asking."""
    removed_stored: Ratio
    spill: Ratio
    """Conversations of which something went to another category."""
    spill_to: dict[str, float]
    """Share of the conversations by sub category that it went to."""
    asked: Ratio
    """Conversations that end in a question about another category."""
    same_main: int
    """Conversations by distinct sub category that stayed in the gold main category."""
    other_main: int


def out_of_schema(readings: Sequence[Reading]) -> OutOfSchema:
    """Whether the opt-out held: strictly nothing found, as the authors' code counts, and where it went otherwise."""
    to: Counter[str] = Counter()
    same = other = 0
    for reading in readings:
        for main, sub in {c.category.path[:2] for c in reading.found}:
            if sub != reading.item.gold.sub:
                to[sub] += 1
                same, other = (same + 1, other) if main == reading.item.gold.main else (same, other + 1)
    return OutOfSchema(
        nothing_stored=share(not r.found for r in readings),
        nothing_unasked=share(not r.stored for r in readings),
        removed_stored=share(any(c.category.sub == r.item.gold.sub for c in r.found) for r in readings),
        spill=share(any(c.category.sub != r.item.gold.sub for c in r.found) for r in readings),
        asked=share(bool(r.asked) for r in readings),
        spill_to={sub: count / len(readings) for sub, count in to.most_common()},
        same_main=same,
        other_main=other,
    )


def attributes(parts: Parts, readings: Sequence[Reading]) -> dict[str, Ratio]:
    """What CarMem does not score, over the conversations whose gold category was found: the value, and where it stands.

    ``match``: the stored value is the gold one, in our way of writing it or in its own words. ``sentence_in_user_turn``: the
    stored sentence is the user's. The others are CarMem's own count of where the gold value stands word for word.
    """
    canon = Canon(parts.encoder)
    found = [
        (r.item, [c for c in r.found if c.detail == r.item.gold.detail])
        for r in readings
        if any(c.detail == r.item.gold.detail for c in r.found)
    ]
    return {
        "match": share(any(_same(canon, c, item.attribute) for c in candidates) for item, candidates in found),
        "sentence_in_user_turn": share(
            all(any(c.sentence in text for text in item.driver_texts()) for c in candidates)
            for item, candidates in found
        ),
        "in_conversation": share(_holds([text for _, text in item.turns], item) for item, _ in found),
        "in_user_turns": share(_holds(item.driver_texts(), item) for item, _ in found),
        "in_sentence": share(_holds([c.sentence for c in candidates], item) for item, candidates in found),
    }


def against(readings: Sequence[Reading], passed: frozenset[str]) -> Paired:
    """Exactly the gold category, conversation by conversation, against the list of those in which GPT-4o had that."""
    return paired([r.exact for r in readings], [r.item.id in passed for r in readings])


def confidences(readings: Sequence[Reading]) -> list[tuple[float, bool]]:
    """Stated confidence of everything stored or asked about, and whether its category was the gold one."""
    return [(c.confidence, _relabelled(c.detail) == _relabelled(r.item.gold.detail)) for r in readings for c in r.found]


def _timed(item: Item, extract: Callable[[], Extraction]) -> Reading:
    begun = time.perf_counter()
    extraction = extract()
    return Reading(item, extraction, time.perf_counter() - begun)


def _each(items: Sequence[Item], read: Callable[[Item], Reading], what: str, tell: Progress) -> list[Reading]:
    readings: list[Reading] = []
    tell(what, 0, len(items))
    for item in items:
        readings.append(read(item))
        tell(what, len(readings), len(items))
    return readings


def _confirmed(reading: Reading) -> list[Candidate]:
    gold = _relabelled(reading.item.gold.detail)
    return [candidate for candidate in reading.asked if _relabelled(candidate.detail) == gold]


def _relabelled(detail: str) -> str:
    return ARTISTS if detail == SONGS else detail


def _same(canon: Canon, candidate: Candidate, gold: str) -> bool:
    own = normal(gold.split("(", maxsplit=1)[0])
    written = canon.canonical(candidate.detail, own, None)
    return fold(candidate.value) in {fold(own), fold(normal(gold)), fold(written or own)}


def _holds(texts: Sequence[str], item: Item) -> bool:
    return any(item.attribute.lower() in text.lower() for text in texts)
