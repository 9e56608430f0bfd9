"""What a generated reply may say: nothing but what the replies it was trained on say, with what it was given put in.

A reply is taken apart into sentences, a sentence into its words. What was recalled, done or said, and words of the driver's that no
trained reply has, are marks in it. A sentence that has a mark of something given must stand in ``sayings.txt`` as it is; of any
other each run of `RUN` words must stand there. So a name, a number, a promise, a sense or a memory that nobody gave finds no place.
What a reply to a question about the past may say hangs on what was given: "nothing just now" only where nothing was done.

``sayings.txt`` is written from the training lines by ``python -m models.training.talk.lines``; a line of it is what has to be given
(`WHEN`) and a sentence. Owns the marks, the file's format and the comparison; does not own the wording.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

FILE: Final = Path(__file__).with_name("sayings.txt")
WHEN: Final = ("any", "nothing", "knows", "did", "said")
"""What has to be given so that a sentence may be said; ``nothing``: nothing recalled and nothing done."""
RUN = 4
"""Words of a run, with the sentence's beginning and its stop. Of 393 written replies runs of 2, 3, 4 and 5 words let something of
213, 206, 196 and 194 be said. Of the ten that three add to four, five fit, four are odd ("That is a big day.") and one is false
("Only you can tell me.", of an elephant's noise); five take away one that fits and an odd one (docs/log.md, 2026-11-23)."""
MOST_SENTENCES, MOST_WORDS = 3, 30
"""Of a reply; the longest that it was trained on."""
MOST_OWN = 3
"""Words of the driver's in a row."""
FACT, VALUE, DID, SAID, OWN = "<fact>", "<value>", "<did>", "<said>", "<own>"
GIVEN: Final = frozenset({FACT, VALUE, DID, SAID})
_SENTENCES = re.compile(r"(?<=[.?!]) +(?=[A-Z])")
_WORDS = re.compile(r"{[a-z_]+\d?}|[\w']+(?:-[\w']+)*|[.,:?!]")


@dataclass(frozen=True, slots=True)
class Given:
    """What a reply may be about, beside the driver's words."""

    facts: tuple[str, ...] = ()
    """What memory recalled, as half sentences: ``you like italian food``,"""
    values: tuple[str, ...] = ()
    """and the values in them: ``italian``."""
    did: str = ""
    """The assistant's report of what it did last, one sentence."""
    said: str = ""
    """What the driver said before, in its spoken form."""

    @property
    def when(self) -> frozenset[str]:
        """Which of `WHEN` holds."""
        nothing = not self.facts and not self.did
        held = (True, nothing, bool(self.facts), bool(self.did), bool(self.said))
        return frozenset(name for name, holds in zip(WHEN, held, strict=True) if holds)


def sentences(reply: str) -> list[str]:
    """The sentences of a reply, with their stops."""
    return _SENTENCES.split(reply.strip())


def words(text: str) -> list[str]:
    """Words and stops, in small letters."""
    return _WORDS.findall(text.lower())


def marked(sentence: str, given: Given) -> list[str]:
    """The words of a sentence, with a mark for each thing that was given."""
    found = words(sentence)
    wanted = [(words(fact), FACT) for fact in given.facts] + [(words(value), VALUE) for value in given.values]
    wanted += [(words(given.did.rstrip(".")), DID), (words(given.said), SAID)]
    for run, mark in sorted(wanted, key=lambda one: -len(one[0])):
        for at in range(len(found) - len(run), -1, -1) if run else ():
            if found[at : at + len(run)] == run:
                found[at : at + len(run)] = [mark]
    return found


class Sayings:
    """All that may be said."""

    def __init__(self, lines: Iterable[tuple[str, str]]) -> None:
        """Of pairs of what has to be given and a sentence with its marks."""
        self._whole: Mapping[str, set[tuple[str, ...]]] = defaultdict(set)
        self._runs: Mapping[str, set[tuple[str, ...]]] = defaultdict(set)
        self._words: set[str] = set()
        for when, line in lines:
            sentence = tuple(line.split())
            self._whole[when].add(sentence)
            self._runs[when].update(_runs(sentence))
            self._words.update(sentence)

    def held(self, reply: str, said: str, given: Given) -> str:
        """The reply up to the first sentence that may not be said, each sentence once; empty if that is the first of all.

        Args:
            reply: as the model wrote it.
            said: the driver's words, in their spoken form.
            given: what else it may be about.
        """
        kept: list[str] = []
        for sentence in dict.fromkeys(sentences(reply)[:MOST_SENTENCES]):
            if not self._may(sentence, said, given) or len(" ".join([*kept, sentence]).split()) > MOST_WORDS:
                break
            kept.append(sentence)
        return " ".join(kept)

    def _may(self, sentence: str, said: str, given: Given) -> bool:
        own = frozenset(words(said))
        ways = (self._own(marked(sentence, what), own) for what in (Given(), given))
        return sentence[-1:] in ".?!" and any(self._stands(found, given.when) for found in ways if found is not None)

    def _stands(self, found: tuple[str, ...], when: frozenset[str]) -> bool:
        if not GIVEN.isdisjoint(found):
            return any(found in self._whole[one] for one in when)
        return all(any(run in self._runs[one] for one in when) for run in _runs(found))

    def _own(self, found: Sequence[str], said: frozenset[str]) -> tuple[str, ...] | None:
        """With a mark for the driver's own words; None if a word is from nowhere."""
        put: list[str] = []
        row = 0
        for word in found:
            if word in self._words or word in GIVEN:
                put.append(word)
                row = 0
            elif word in said and row < MOST_OWN:
                if not row:
                    put.append(OWN)
                row += 1
            else:
                return None
        return tuple(put)


def _runs(sentence: Sequence[str]) -> set[tuple[str, ...]]:
    padded = ("<begin>", *sentence)
    return {tuple(padded[at : at + RUN]) for at in range(max(1, len(padded) - RUN + 1))}


@lru_cache(maxsize=1)
def sayings() -> Sayings:
    """Those of the file."""
    pairs = (line.split("\t", 1) for line in FILE.read_text(encoding="utf-8").splitlines())
    return Sayings((when, sentence) for when, sentence in pairs)
