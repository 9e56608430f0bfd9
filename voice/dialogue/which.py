"""Asking which of two commands was said, where the sound fits both: "Lock or unlock the doors?".

Owns: the wording of the question and reading its answer. Does not own what comes of it: the chosen words are carried out as if they
had been heard.
"""

from __future__ import annotations

from models.text import spoken
from schemas.events import Transcript

FIRST = frozenset({"first", "former"})
SECOND = frozenset({"second", "latter", "other", "last"})
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


def heard(both: tuple[str, str] | None, transcript: Transcript) -> Transcript:
    """What was heard; where two commands were asked about, the one that it names."""
    text = None if both is None or transcript.alternative else chosen(*both, transcript.text)
    return transcript if text is None else transcript.model_copy(update={"text": text, "in_grammar": True})


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
