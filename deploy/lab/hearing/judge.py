"""What became of something said, from what the assistant told of itself and the state of the vehicle.

Owns right and wrong. Judges actions, signals and words, never how the assistant came to them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from rapidfuzz.distance import Levenshtein

from deploy.lab.hearing.cases import Case, Wanted, Wording
from deploy.timeline import TimelineEntry
from models.text import spoken

ASKED = ("moved", "asked", "refused", "fault")
"""Kinds of entries that tell of an action: done, waiting for a yes, not allowed, failed."""


class Outcome(StrEnum):
    """What became of a request."""

    RIGHT = "right"
    """Exactly the wanted actions were asked of the vehicle, and its signals are as they must be."""
    AMENDED = "amended"
    """Something was done for the beginning of the sentence and replaced by what the whole asks for: right in the end."""
    WRONG = "wrong"
    """The vehicle did something that nobody asked for."""
    PARTLY = "partly"
    """Only some of the wanted actions, and nothing else."""
    OTHER = "other"
    """Something else was asked back or refused; nothing was done."""
    QUESTION = "question"
    """Nothing was done, and the reply is a question: which of two was meant, or whether it was."""
    NOTHING = "nothing"
    """Woken, and nothing was done."""
    ASLEEP = "asleep"
    """The wake word was not heard."""


@dataclass(frozen=True, slots=True)
class Done:
    """An action that was asked of the vehicle."""

    kind: str
    """One of `ASKED`."""
    action: str
    slots: Mapping[str, Any]
    targets: Mapping[str, Any]
    """Signals that it moved, and where to."""


def actions(entries: Sequence[TimelineEntry]) -> tuple[Done, ...]:
    """All actions that the entries tell of, in their order."""
    return tuple(
        Done(
            entry.kind,
            entry.data["action"],
            entry.data["slots"],
            {moved["signal"]: moved["target"] for moved in entry.data["moved"]},
        )
        for entry in entries
        if entry.kind in ASKED
    )


def meets(done: Done, wanted: Wanted, values: Mapping[str, Any]) -> bool:
    """Whether an action is the wanted one.

    Args:
        done: what was asked of the vehicle.
        wanted: what should have been.
        values: the vehicle's signals afterwards; what is on its way counts where it is going.
    """
    if done.action != wanted.action or any(
        not same(done.slots.get(name), value) for name, value in wanted.slots.items()
    ):
        return False
    if done.kind != "moved":
        return True
    return all(same(done.targets.get(signal, values.get(signal)), value) for signal, value in wanted.signals.items())


def same(found: Any, wanted: Any) -> bool:
    """Equal, numbers to a twentieth."""
    if isinstance(wanted, bool) or isinstance(found, bool):
        return found is wanted
    if isinstance(wanted, int | float) and isinstance(found, int | float):
        return abs(found - wanted) < 0.05
    return bool(found == wanted)


def outcome(
    entries: Sequence[TimelineEntry], case: Case, values: Mapping[str, Any], first: Case | None = None
) -> Outcome:
    """What became of a request.

    Args:
        entries: everything that was told.
        case: what was said.
        values: the vehicle's signals afterwards.
        first: what the beginning of the sentence asks for by itself, if it does: may be done first and amended.
    """
    if not any(entry.kind == "wake" for entry in entries):
        return Outcome.ASLEEP
    found, undone = _standing(actions(entries))
    met = [any(meets(done, wanted, values) for done in found) for wanted in case.wanted]
    spare = [done for done in found if not any(meets(done, wanted, values) for wanted in case.wanted)]
    allowed = _loosely(first) if first is not None else ()
    names = {wanted.action for wanted in case.wanted}
    early = [done for done in spare if done.action in names or any(meets(done, one, {}) for one in allowed)]
    others = [done for done in spare if done not in early]
    if any(done.kind == "moved" for done in others):
        return Outcome.WRONG
    if all(met) and not others:
        last = max(place for place, done in enumerate(found) if done not in spare)
        if any(place > last and done in early for place, done in enumerate(found)):
            return Outcome.WRONG
        return Outcome.AMENDED if early or undone else Outcome.RIGHT
    if any(done.kind == "moved" for done in early):
        return Outcome.WRONG
    if any(met):
        return Outcome.PARTLY
    if found:
        return Outcome.OTHER
    asked = any(entry.kind == "said" and entry.text.strip("“” ").endswith(("?", "yes or no.")) for entry in entries)
    return Outcome.QUESTION if asked else Outcome.NOTHING


def _standing(found: Sequence[Done]) -> tuple[tuple[Done, ...], bool]:
    """The actions without what was taken back in the same breath, and whether something was."""
    kept: list[Done] = []
    undone = False
    for done in found:
        if done.action == "undo" and done.kind == "moved":
            undone = True
            last = next((place for place in reversed(range(len(kept))) if kept[place].kind == "moved"), None)
            if last is not None:
                del kept[last]
        else:
            kept.append(done)
    return tuple(kept), undone


def _loosely(case: Case) -> tuple[Wanted, ...]:
    """The wanted actions without the signals: they were right for a moment."""
    return tuple(Wanted(wanted.action, wanted.slots) for wanted in case.wanted)


@dataclass(frozen=True, slots=True)
class Words:
    """What was heard of a wording."""

    errors: int
    """Substitutions, deletions and insertions."""
    words: int
    carried: int
    """Words that carry the meaning and were heard, in their order."""
    carriers: int
    woken: bool

    @property
    def right(self) -> bool:
        """All words that carry the meaning were heard."""
        return self.woken and self.carried == self.carriers


def heard_text(entries: Sequence[TimelineEntry]) -> str:
    """The words of all turns, in the spoken form, without the wake word in front.

    An utterance that went on is told again from where it began: the later words count.
    """
    told: dict[float, str] = {}
    for entry in entries:
        if entry.kind == "heard":
            told[entry.at_s] = spoken(entry.data.get("text") or "")
    words = " ".join(told.values())
    return words.removeprefix("computer ").strip()


def words_heard(entries: Sequence[TimelineEntry], wording: Wording) -> Words:
    """Compares what was heard with what was said, both in the one spoken form."""
    said, heard = spoken(wording.text).split(), heard_text(entries).split()
    carriers = [word for phrase in wording.carriers for word in spoken(phrase).split()]
    place = carried = 0
    for word in carriers:
        ahead = [step for step in range(place, len(heard)) if _stands(word, heard, step)]
        if ahead:
            place, carried = ahead[0] + 1, carried + 1
    woken = any(entry.kind == "wake" for entry in entries)
    return Words(Levenshtein.distance(said, heard), len(said), carried, len(carriers), woken)


def _stands(word: str, heard: Sequence[str], place: int) -> bool:
    """Whether a word stands there, in one ("headlights") or in two ("head lights")."""
    return heard[place] == word or "".join(heard[place : place + 2]) == word


def answered_at(entries: Sequence[TimelineEntry], after_s: float) -> float | None:
    """Second at which the first reply after `after_s` began to sound; None without one.

    A reply that began before the sentence was over answers something else.
    """
    return next((entry.at_s for entry in entries if entry.kind == "said" and entry.at_s >= after_s), None)
