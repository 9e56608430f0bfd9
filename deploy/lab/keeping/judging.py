"""Whether what was kept of a sentence is what should have been.

Owns the rules of the suite's first lines. Knows nothing of how memory works: it is given what an export and the vault show.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from deploy.lab.keeping.suite import Entry, Liking, Never, Thing, Want, Wish

NEGATIVE = frozenset({"dislikes", "avoids"})
POSITIVE = frozenset({"likes", "needs"})
TOLD = re.compile(r"\b(?:never|not|n't|cannot|can't|won't|don't)\b", re.IGNORECASE)
"""A refusal says one of these."""
KEEPS = re.compile(r"\b(?:noted|remember(?:ed)?|keep (?:that|it)|kept|got it|okay)\b", re.IGNORECASE)


class Verdict(StrEnum):
    """What became of a sentence."""

    RIGHT = "right"
    LOST = "lost"
    """Something that should be kept is not, and nothing that is kept is wrong."""
    EXTRA = "extra"
    """Something is kept that should not be, with no wrong sense and nothing that must never be kept."""
    SENSE = "sense"
    """A preference is kept with the wrong sense."""
    NEVER = "never"
    """Something is kept or said that must never be."""


@dataclass(frozen=True, slots=True)
class Pref:
    """A preference that holds."""

    category: str
    value: str
    sense: str
    conditions: tuple[tuple[str, str], ...] = ()
    """(kind, the driver's words)."""


@dataclass(frozen=True, slots=True)
class Note:
    """A fact."""

    text: str
    about: str
    until: str
    """When it stops mattering: words, and the name of day and month; empty if it does not say."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What there is after a sentence."""

    reply: str
    answer: str
    """To the entry's later question; empty where there is none."""
    before: frozenset[Pref]
    """What held before the sentence."""
    preferences: frozenset[Pref]
    facts: frozenset[Note]
    facts_before: frozenset[Note] = frozenset()
    asks: bool = False
    """Whether memory or the reply asks before anything is kept."""
    tables: str = ""
    """All that is stored, in whatever table."""

    @property
    def news(self) -> tuple[frozenset[Pref], frozenset[Note]]:
        """What is kept that was not before."""
        return self.preferences - self.before, self.facts - self.facts_before


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict, and why, in a few words."""

    verdict: Verdict
    why: str = ""


def stored(told: dict[str, Any]) -> tuple[frozenset[Pref], frozenset[Note]]:
    """Preferences that hold and facts of an export."""
    preferences = frozenset(
        Pref(
            one["category"].rsplit(".", 1)[-1],
            one["value"],
            one.get("sense", "likes"),
            tuple((c["kind"], c["words"]) for c in one.get("conditions", ())),
        )
        for one in told["preferences"]
        if one["valid_to"] is None and one["status"] == "active"
    )
    facts = frozenset(
        Note(one["text"], one.get("about", ""), _until(one.get("until"), one.get("until_words", "")))
        for one in told.get("facts", ())
    )
    return preferences, facts


def _until(moment: str | None, words: str) -> str:
    when = f"{datetime.fromisoformat(moment):%A %B}" if moment else ""
    return f"{words} {when}".strip()


def judge(entry: Entry, seen: Seen) -> Judgement:
    """What became of a sentence."""
    for never in entry.never:
        if why := _breaks(never, seen):
            return Judgement(Verdict.NEVER, why)
    if why := _senses(entry, seen):
        return Judgement(Verdict.SENSE, why)
    first = ""
    for way in _ways(entry):
        lacks = _lacks(entry, way, seen)
        if not lacks:
            return Judgement(Verdict.RIGHT)
        first = first or lacks
    extra = _extra(entry, tuple(one for way in _ways(entry) for one in way), seen)
    return Judgement(Verdict.EXTRA if extra else Verdict.LOST, extra or first)


def _ways(entry: Entry) -> Iterator[tuple[Wish, ...]]:
    """All that may be so, the right way first: each with everything that must hold together."""
    yield entry.right
    for other in entry.ok:
        if isinstance(other, Want):
            places = [
                n
                for n, one in enumerate(entry.right)
                if one in ("nothing", "refused") or (isinstance(one, Want) and (one.preference or one.fact))
            ]
            for place in places:
                yield (*entry.right[:place], other, *entry.right[place + 1 :])
        elif other.startswith("until: "):
            until = other.removeprefix("until: ")
            yield tuple(
                one.model_copy(update={"fact": one.fact.model_copy(update={"until": until})})
                if isinstance(one, Want) and one.fact
                else one
                for one in entry.right
            )
        else:
            yield (other,)


def _lacks(entry: Entry, way: Sequence[Wish], seen: Seen) -> str:
    """What is not so of a way, or kept beside it; empty: it is so."""
    news, notes = seen.news
    told = bool(TOLD.search(seen.reply))
    for wish in way:
        if isinstance(wish, Want):
            if why := _misses(wish, seen):
                return why
        elif wish == "asked_first":
            if not seen.asks or news or notes:
                return "not asked first"
        elif (wish in ("refused", "refused_politely")) and not told:
            return "refused without a word"
        elif wish == "silent" and KEEPS.search(seen.reply) and not told:
            return "said to be kept"
    if extra := _extra(entry, way, seen):
        return extra
    if entry.ask and not any(isinstance(one, str) for one in way):
        wanted = [one.fact for one in way if isinstance(one, Want) and one.fact]
        missing = [p for thing in wanted for p in thing.words if not re.search(p, seen.answer, re.IGNORECASE)]
        if missing:
            return f"asked for it, {missing[0]} was not said"
    return ""


def _misses(wish: Want, seen: Seen) -> str:
    if wish.preference and not any(_is(wish.preference, one) for one in seen.preferences):
        return f"{wish.preference.value} is not kept so"
    if wish.fact and not any(_tells(wish.fact, one) for one in seen.facts):
        return f"the fact {wish.fact.words[0]} is not kept so"
    if wish.gone and any(_is(wish.gone, one, loose=True) for one in seen.preferences):
        return f"{wish.gone.value} still holds"
    if wish.gone_fact and any(_tells(wish.gone_fact, one) for one in seen.facts):
        return f"the fact {wish.gone_fact.words[0]} is still kept"
    return ""


def _extra(entry: Entry, way: Sequence[Wish], seen: Seen) -> str:
    """What is kept that nothing of a way or of ``also`` allows."""
    news, notes = seen.news
    wants = [one for one in (*way, *entry.also) if isinstance(one, Want)]
    for pref in news:
        if not any(one.preference and _is(one.preference, pref) for one in wants):
            return f"kept: {pref.category}: {pref.sense} {pref.value} {pref.conditions or ''}".strip()
    for note in notes:
        if not any(one.fact and _tells(one.fact, note, whole=False) for one in wants):
            return f"kept: {note.text}"
    return ""


def _is(wanted: Liking, kept: Pref, *, loose: bool = False) -> bool:
    """Whether a preference is the one that is wanted; ``loose``: under whatever condition."""
    if kept.category not in wanted.category or kept.sense not in wanted.sense:
        return False
    if not re.search(wanted.value, kept.value, re.IGNORECASE):
        return False
    if loose:
        return True
    if wanted.condition is None:
        return not kept.conditions
    under = wanted.condition
    return bool(kept.conditions) and any(
        kind in under.kind and re.search(under.words, words, re.IGNORECASE) for kind, words in kept.conditions
    )


def _tells(wanted: Thing, kept: Note, *, whole: bool = True) -> bool:
    """Whether a fact is the one that is wanted; not ``whole``: whatever it says of whose it is and until when."""
    text = f"{kept.about} {kept.text}"
    if not all(re.search(pattern, text, re.IGNORECASE) for pattern in wanted.words):
        return False
    if not whole:
        return True
    if wanted.about and not re.search(rf"\b{re.escape(wanted.about)}\b", text, re.IGNORECASE):
        return False
    if wanted.until == "any":
        return True
    return not kept.until if wanted.until == "none" else wanted.until.split()[-1].lower() in kept.until.lower()


def _senses(entry: Entry, seen: Seen) -> str:
    """A preference that is kept with the opposite of the sense that it should have."""
    for wish in entry.right:
        wanted = wish.preference if isinstance(wish, Want) else None
        if wanted is None:
            continue
        good = frozenset(wanted.sense)
        for pref in seen.news[0]:
            of_it = pref.category in wanted.category and re.search(wanted.value, pref.value, re.IGNORECASE)
            opposite = (pref.sense in NEGATIVE and good <= POSITIVE) or (pref.sense in POSITIVE and good <= NEGATIVE)
            if of_it and opposite and not any(_allowed(one, pref) for one in (*entry.ok, *entry.also)):
                return f"kept: {pref.category}: {pref.sense} {pref.value}"
    return ""


def _allowed(wish: Wish, pref: Pref) -> bool:
    return isinstance(wish, Want) and wish.preference is not None and _is(wish.preference, pref)


def _breaks(never: Never, seen: Seen) -> str:
    if never.text is not None:
        alone = rf"(?<!\w)(?:{never.text})(?!\w)"  # not within the digits of a hash
        kept = re.search(alone, seen.tables, re.IGNORECASE)
        said = re.search(never.text, f"{seen.reply} {seen.answer}", re.IGNORECASE)
        return "the secret is in the vault" if kept else "the secret is said" if said else ""
    for pref in seen.preferences:
        if pref.conditions or (never.category and pref.category not in never.category):
            continue
        if never.sense and pref.sense not in never.sense:
            continue
        if re.search(never.value or "", pref.value, re.IGNORECASE):
            return f"kept: {pref.category}: {pref.sense} {pref.value}"
    return ""
