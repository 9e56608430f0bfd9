"""Which of several is meant: two commands where the sound fits both ("Lock or unlock the doors?"), or contacts of one name.

Owns: the wording of the question about commands, and reading the answers. Does not own what comes of it: the chosen command is
carried out as if it had been heard, a chosen name goes into the wish that lacked it.
"""

from __future__ import annotations

from collections.abc import Sequence

from models.text import spoken
from schemas.events import Transcript
from voice.dialogue.open.things import Asked, Choice

FIRST = frozenset({"first", "former"})
SECOND = frozenset({"second", "latter", "other", "last"})
_PLACES = {0: FIRST, 1: frozenset({"second", "other"}), 2: frozenset({"third"}), -1: frozenset({"last", "latter"})}
LONGEST_ANSWER = 5
"""Words of an answer that names one by a part of it; in a longer sentence the same words mean something else."""
LONGEST_PART = 3
"""Words in which two commands may differ for the short question; beyond it both are said in full."""


def question(one: str, other: str) -> str:
    """One short question for two commands, each given as it is spoken."""
    before, first, second, after = _apart(one, other)
    if not (0 < len(first) <= LONGEST_PART and 0 < len(second) <= LONGEST_PART):
        return f"Did you say {one}, or {other}?"
    text = " ".join([*before, *first, "or", *second, *after])
    return f"{text[:1].upper()}{text[1:]}?"


def asked(one: str, other: str) -> Choice:
    """Two commands, one of which was heard."""
    return Choice(question(one, other), "Because it sounded like both.", (one, other))


def heard(open_: Asked | None, transcript: Transcript) -> Transcript:
    """What was heard; where two commands were asked about, the one that it names."""
    if not isinstance(open_, Choice) or open_.wish is not None or transcript.alternative:
        return transcript
    text = chosen(open_.among[0], open_.among[1], transcript.text)
    return transcript if text is None else transcript.model_copy(update={"text": text, "in_grammar": True})


def names(open_: Asked | None, answer: str) -> str | None:
    """Which of the things that were asked about an answer names; None where it names none, or several."""
    if not isinstance(open_, Choice):
        return None
    if open_.wish is None:
        return chosen(open_.among[0], open_.among[1], answer)
    return named(open_.among, answer)


def named(among: Sequence[str], answer: str) -> str | None:
    """Which of several names an answer means: by a word that no other of them has, or by its place."""
    said = spoken(answer).split()
    if len(said) > LONGEST_ANSWER:
        return None
    words = [set(spoken(name).split()) for name in among]
    own = [mine - set[str]().union(*(other for other in words if other is not mine)) for mine in words]
    meant = [name for name, mine in zip(among, own, strict=True) if mine & set(said)]
    places = [place for place, word in _PLACES.items() if word & set(said)]
    if not meant and len(places) == 1 and -len(among) <= places[0] < len(among):
        meant = [among[places[0]]]
    return meant[0] if len(meant) == 1 else None


def chosen(one: str, other: str, answer: str) -> str | None:
    """Which of the two an answer names: by its words, or as the first or the second. None where it names none, or both.

    A bare yes names none of them.
    """
    words = spoken(answer).split()
    for text in (one, other):
        if words == text.split():
            return text
    if len(words) > LONGEST_ANSWER:
        return None
    _, first, second, _ = _apart(one, other)
    said = set(words)
    means = [
        bool(said & FIRST) or (bool(first) and said >= set(first)),
        bool(said & SECOND) or (bool(second) and said >= set(second)),
    ]
    if all(means) and set(first) < set(second):  # "heating", "seat heating": the longer one was named
        means[0] = False
    elif all(means) and set(second) < set(first):
        means[1] = False
    return None if all(means) or not any(means) else one if means[0] else other


def _apart(one: str, other: str) -> tuple[list[str], list[str], list[str], list[str]]:
    """The words before and after that both have, and between them what differs."""
    first, second = one.split(), other.split()
    shorter = min(len(first), len(second))
    before = next((at for at in range(shorter) if first[at] != second[at]), shorter)
    left = shorter - before
    after = next((at for at in range(left) if first[-1 - at] != second[-1 - at]), left)
    return (
        first[:before],
        first[before : len(first) - after],
        second[before : len(second) - after],
        first[len(first) - after :],
    )
