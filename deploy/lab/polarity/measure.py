"""What memory decides on sentences that end, refuse, deny or praise, with the real encoder.

``python -m deploy.lab.polarity.measure [--show]``: each sentence of ``sentences.yaml`` is read twice, with nothing held and with
its value held, by `memory.learn.extraction.Extractor` and `memory.learn.maintenance.Maintainer`, as the product does. The language
model gives no answer here: what needs its help counts as not found.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from deploy.lab.carmem.parts import KeptEncoder, Parts
from memory.learn.english.canonical import fold
from memory.learn.extraction import Extractor
from memory.learn.maintenance import Maintainer
from models.catalog import Catalog
from models.runtime.onnx_encoder import OnnxEncoder
from schemas.memory import Candidate, Consent, Conversation, Preference, Turn, usual
from schemas.preferences import BY_DETAIL, CATEGORIES

SENTENCES = Path(__file__).with_name("sentences.yaml")
NOW = datetime(2026, 1, 20, 8, 0, tzinfo=UTC)
EVERYTHING = Consent(opted_in=frozenset(c.detail for c in CATEGORIES if c.sensitive))
"""Every category on, the sensitive ones too."""
ENDS, PRAISES = frozenset(("ends", "refuses")), "praises"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, and what it is about."""

    kind: str
    """A key of ``sentences.yaml``."""
    detail: str
    value: str
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a sentence."""

    sentence: Sentence
    held: str
    """What became of the value where it was held: ``ended``, ``asked`` (to end it) or ``kept``."""
    empty: str
    """What was made of it with nothing held: ``stored``, ``asked``, ``other`` (another thing stored or asked) or ``nothing``."""
    unasked: str
    """What was stored without a question, with nothing held: ``detail = value``, or nothing."""

    @property
    def right(self) -> bool:
        """Whether both are as ``sentences.yaml`` says."""
        if self.sentence.kind == PRAISES:
            return self.held == "kept" and self.empty in ("stored", "asked")
        if self.sentence.kind in ENDS:
            return self.held != "kept" and not self.false_store
        return not self.false_store and (self.held == "kept" or self.sentence.kind == "denies")

    @property
    def false_store(self) -> bool:
        """Whether something was stored unasked that the sentence does not say; "no" or "low" may be what a refusal says."""
        if not self.unasked or self.sentence.kind == PRAISES:
            return False
        another = self.unasked.startswith(f"{self.sentence.detail} = ") and self.empty == "other"
        return not (self.sentence.kind in ENDS and another and not BY_DETAIL[self.sentence.detail].multi)

    @property
    def false_end(self) -> bool:
        """Whether a held value was ended unasked although it holds."""
        return self.held == "ended" and self.sentence.kind not in (*ENDS, "denies")


def parts() -> Parts:
    """The built-in encoder."""
    return Parts(KeptEncoder(OnnxEncoder(Catalog().find("encoder"), threads=1)))


def sentences(path: Path = SENTENCES) -> tuple[Sentence, ...]:
    """The sentences of a file."""
    groups: dict[str, list[Any]] = yaml.safe_load(path.read_text("utf-8"))
    return tuple(Sentence(kind, *row) for kind, rows in groups.items() for row in rows)


def judge(own: Parts, sentence: Sentence) -> Verdict:
    """What memory makes of a sentence."""
    extractor = Extractor(own.encoder, own.settings.extraction)
    maintainer = Maintainer(own.encoder)
    turn = Turn(speaker="driver", text=sentence.text, at=NOW)
    found = extractor.extract(Conversation(id="polarity", turns=(turn,)), EVERYTHING, NOW)
    preference = Preference(
        id="held", detail=sentence.detail, value=sentence.value, sentences=("said before",), conversation="before",
        confidence=1.0, valid_from=NOW, sense=usual(sentence.detail),
    )  # fmt: skip

    def ends(candidates: Iterable[Candidate]) -> bool:
        own_detail = (c for c in candidates if c.detail == sentence.detail)
        return any(preference in maintainer.decide(c, (preference,)).replaced for c in own_detail)

    stored = [c for c in found.candidates if _for(c)]
    asked = [c for c in found.unsure if _for(c)]
    empty = "nothing"
    if stored or asked:
        empty = "other"
    if any(_same(c, sentence) for c in asked):
        empty = "asked"
    if any(_same(c, sentence) for c in stored):
        empty = "stored"
    held = "ended" if ends(found.candidates) else "asked" if ends(found.unsure) else "kept"
    return Verdict(sentence, held, empty, ", ".join(f"{c.detail} = {c.value}" for c in stored))


def _for(candidate: Candidate) -> bool:
    """Whether a candidate says that a value is preferred; of road types, that it is avoided."""
    return not candidate.negated and (candidate.sense.wanted or usual(candidate.detail) is candidate.sense)


def _same(candidate: Candidate, sentence: Sentence) -> bool:
    """Whether a candidate is what the sentence is about, whichever of the two names it at more length ("heart fm")."""
    one, other = ({*fold(value).split()} for value in (candidate.value, sentence.value))
    return candidate.detail == sentence.detail and (one <= other or other <= one)


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts over all sentences."""

    against: tuple[int, int]
    """Right, of those that end, refuse, pass, deny or tell of others."""
    praising: tuple[int, int]
    false_ends: int
    false_stores: int
    false_questions: int
    """Praises after which the driver is asked whether the value is to end."""

    def row(self) -> str:
        """As a line of a table."""
        return (
            f"{self.against[0]:3}/{self.against[1]} {self.praising[0]:3}/{self.praising[1]} "
            f"{self.false_ends:4} {self.false_stores:4} {self.false_questions:4}"
        )


def figures(verdicts: Sequence[Verdict]) -> Figures:
    """The counts of these verdicts."""
    praising = [v for v in verdicts if v.sentence.kind == PRAISES]
    against = [v for v in verdicts if v.sentence.kind != PRAISES]
    return Figures(
        against=(sum(v.right for v in against), len(against)),
        praising=(sum(v.right for v in praising), len(praising)),
        false_ends=sum(v.false_end for v in verdicts),
        false_stores=sum(v.false_store for v in verdicts),
        false_questions=sum(v.held == "asked" for v in praising),
    )


def main() -> None:
    """Measure, and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--show", action="store_true", help="print every sentence that is decided wrongly")
    shown = options.parse_args().show
    own = parts()
    verdicts = [judge(own, sentence) for sentence in sentences()]
    for kind in dict.fromkeys(v.sentence.kind for v in verdicts):
        group = [v for v in verdicts if v.sentence.kind == kind]
        held, empty = (dict(Counter(getattr(v, name) for v in group).most_common()) for name in ("held", "empty"))
        print(f"{kind:8} right {sum(v.right for v in group):3} of {len(group):3}; held: {held}; nothing held: {empty}")
        for v in group:
            if shown and not v.right:
                print(f"    {v.held:6} {v.empty:8} {v.sentence.text}  [{v.unasked}]")
    print("against praising false ends, false stores, questions to end what is praised:", figures(verdicts).row())


if __name__ == "__main__":
    main()
