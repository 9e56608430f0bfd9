"""CarMem's maintenance protocol (arXiv 2501.09645, section 4.2): pass, update or append?

Two settings. *Protocol*: a store of gold, incoming preferences of gold category and value for `equal` and `different`, a really
extracted one for `negate`, which counts only where exactly the gold category comes out. *End to end*: the store is what the
assistant's own memory learnt from the user's conversations, in a vault of its own, its questions answered truly; `negate` is
learnt by that memory from the utterance, and what fails to be extracted is an error.

A value enters maintenance as the assistant writes it (`memory.learn.english.canonical.Canon`), in both settings and on both sides.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from deploy.lab.carmem.data import Item
from deploy.lab.carmem.extraction import EVERYTHING, NOW, conversation, utterance
from deploy.lab.carmem.parts import Parts
from deploy.lab.carmem.store import by_user, filled
from deploy.lab.report.blocks import Progress
from deploy.lab.report.statistics import Ratio, share
from memory.learn.english.canonical import Canon
from memory.learn.extraction import Extractor
from memory.learn.maintenance import Maintainer
from memory.learn.meaning import sense_of
from memory.service import DriverMemory
from memory.vault.keys import RawKey
from memory.vault.lifecycle import Vault
from schemas.memory import Candidate, Decision, Outcome, Preference, Sense

KINDS = ("equal", "negate", "different")
LENIENT = "different_lenient"
"""`different` in a category of several values, where taking the place of an old one also counts."""
EXPECTED = {
    ("equal", True): Outcome.PASS,
    ("equal", False): Outcome.PASS,
    ("negate", True): Outcome.UPDATE,
    ("negate", False): Outcome.UPDATE,
    ("different", True): Outcome.APPEND,
    ("different", False): Outcome.UPDATE,
}
WRITTEN = frozenset((Outcome.PASS, Outcome.UPDATE, Outcome.APPEND))
NOTHING = "nothing"
"""Counted where no decision was taken: nothing was extracted."""
_KEY = b"evaluation only: nothing of worth"[:32]


@dataclass(slots=True)
class Maintenance:
    """Decisions by kind of question and of category."""

    decided: dict[tuple[str, bool], list[tuple[str, str]]] = field(
        default_factory=dict[tuple[str, bool], list[tuple[str, str]]]
    )
    """(kind, multi) -> (user, outcome) of each question that counts."""
    left_out: Counter[bool] = field(default_factory=Counter[bool])
    """Negations that do not count in the protocol's setting, by whether the category is multi."""

    def add(self, kind: str, item: Item, outcome: str) -> None:
        """Note the outcome of a question."""
        self.decided.setdefault((kind, item.gold.multi), []).append((item.user, outcome))

    def users(self, kind: str, *, multi: bool) -> list[str]:
        """The users of a cell's questions."""
        return [user for user, _ in self.decided.get((kind, multi), ())]

    def accuracy(self, kind: str, *, multi: bool) -> Ratio:
        """Share of a cell's questions that were decided as the protocol expects."""
        return share(outcome == EXPECTED[kind, multi] for _, outcome in self.decided.get((kind, multi), ()))

    def lenient(self) -> Ratio:
        """See `LENIENT`."""
        accepted = (Outcome.APPEND, Outcome.UPDATE)
        return share(outcome in accepted for _, outcome in self.decided.get(("different", True), ()))

    def counts(self, kind: str, *, multi: bool) -> dict[str, int]:
        """How often each outcome was decided in a cell."""
        return dict(Counter(str(outcome) for _, outcome in self.decided.get((kind, multi), ())))


def protocol(parts: Parts, items: Sequence[Item], tell: Progress) -> Maintenance:
    """The protocol's setting over these conversations, which are also what the store is made of."""
    found, what = Maintenance(), "maintenance, protocol"
    extractor = Extractor(parts.encoder, parts.settings.extraction)
    maintainer = Maintainer(parts.encoder)
    write = _writer(parts)
    tell(what, 0, len(items))
    done = 0
    for own in by_user(items).values():
        store = [p.model_copy(update={"value": write(p.detail, p.value)}) for p in filled(parts, own)]
        for item in own:
            held = [p for p in reversed(store) if p.detail == item.gold.detail]
            _artificial(found, item, held, maintainer, write)
            said = extractor.extract(utterance(item, item.negate), EVERYTHING, NOW)
            negated = one((*said.candidates, *said.unsure))
            if negated is None or negated.detail != item.gold.detail:
                found.left_out[item.gold.multi] += 1
            else:
                found.add("negate", item, maintainer.decide(negated, held).outcome)
            done += 1
            tell(what, done, len(items))
    return found


def end_to_end(parts: Parts, items: Sequence[Item], tell: Progress) -> Maintenance:
    """The same over what the assistant's own memory has learnt from the conversations, each question on its own."""
    found, what = Maintenance(), "maintenance, end to end"
    maintainer = Maintainer(parts.encoder)
    write = _writer(parts)
    tell(what, 0, len(items))
    done = 0
    with TemporaryDirectory(prefix="glovebox-eval-") as folder:
        for number, own in enumerate(by_user(items).values()):
            learnt, trial = Path(folder) / f"user{number}", Path(folder) / "trial"
            held = _learn(parts, learnt, own)
            for item in own:
                _artificial(found, item, [p for p in held if p.detail == item.gold.detail], maintainer, write)
                shutil.copytree(learnt, trial)
                found.add("negate", item, _negate(parts, trial, item))
                shutil.rmtree(trial)
                done += 1
                tell(what, done, len(items))
    return found


def one(candidates: Sequence[Candidate]) -> Candidate | None:
    """The single preference of an utterance, or None where there is none or more than one.

    "Not jazz, rather blues" is one: what ends and what takes its place.
    """
    kept = [
        c
        for c in candidates
        if not c.negated or all(o.negated or o.detail != c.detail or o.sentence != c.sentence for o in candidates)
    ]
    return kept[0] if len(kept) == 1 else None


def _artificial(
    found: Maintenance,
    item: Item,
    held: Sequence[Preference],
    maintainer: Maintainer,
    write: Callable[[str, str], str],
) -> None:
    """`equal` and `different`, whose incoming preferences are given."""
    for kind, text, value in (
        ("equal", item.equal, item.attribute),
        ("different", item.different, item.different_attribute),
    ):
        incoming = Candidate(
            detail=item.gold.detail,
            value=write(item.gold.detail, value),
            sentence=text,
            said_at=NOW,
            conversation=item.id,
            confidence=1.0,
            sense=sense_of(item.gold.detail, value, Sense.LIKES),
        )
        found.add(kind, item, maintainer.decide(incoming, held).outcome)


def _writer(parts: Parts) -> Callable[[str, str], str]:
    """How the assistant writes a value; as it is where it could not place it."""
    canon = Canon(parts.encoder)
    return lambda detail, value: canon.canonical(detail, value, None) or value


def _learn(parts: Parts, folder: Path, items: Sequence[Item]) -> tuple[Preference, ...]:
    """What the memory holds after a user's conversations."""
    memory = _memory(parts, folder)
    try:
        for detail in sorted(EVERYTHING.opted_in):
            memory.opt_in(detail)
        for item in items:
            memory.learn(conversation(item))
            _answer(memory, item)
        return memory.preferences()
    finally:
        memory.close()


def _negate(parts: Parts, folder: Path, item: Item) -> str:
    """The one decision that the memory takes on the negation, if it is on the gold category."""
    memory = _memory(parts, folder)
    try:
        learnt = memory.learn(utterance(item, item.negate))
        taken = [d for d in (*learnt, *_answer(memory, item)) if d.outcome in WRITTEN]
    finally:
        memory.close()
    return _single(taken, item)


def _answer(memory: DriverMemory, item: Item) -> list[Decision]:
    """What becomes of the assistant's questions when the driver answers truly: yes to the gold category, no to others."""
    return [memory.answer(proposal.id, proposal.detail == item.gold.detail) for proposal in memory.proposals()]


def _single(taken: Sequence[Decision], item: Item) -> str:
    if not taken:
        return NOTHING
    return taken[0].outcome if len(taken) == 1 and taken[0].detail == item.gold.detail else "elsewhere"


def _memory(parts: Parts, folder: Path) -> DriverMemory:
    vault = Vault.open(folder, "driver", RawKey(_KEY), clock=lambda: NOW)
    return DriverMemory("driver", vault, encoder=parts.encoder, clock=lambda: NOW, settings=parts.settings)
