"""What of a text may be written while special kinds of data are off: health, belief, politics, union, sex, origin, children.

Goes by what is said and not by the category that it is taken for: "24 degrees because of my chemotherapy" is about the cabin and
tells of an illness. Words tell it (`models.special`), and where none does, or what they say depends on the sentence, a branch of
the encoder (``models.training.content``). Of a text that tells such a thing the clauses that do not are
kept, if nothing is told by them alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from models.special import special_words, told_by_name, without_names
from models.text import normal, spoken, words
from schemas.errors import ConsentError
from schemas.manners import LINES
from schemas.memory import Consent
from schemas.ports import Encoder
from schemas.preferences import KINDS, SPECIAL_TITLES, WITH

AT, AT_WORD = -0.75, -2.6
"""Log odds from which on a text tells something special, without and with a word that tells only with more than itself; chosen on
all of tests/attacks/sensitive*.txt but the twelfth (docs/log.md, 2026-11-29)."""
AT_LINE = 2.0
"""The same for a line of the profile that was made a sentence: surer, as the words of that sentence are not the driver's. Chosen on
the lines in tests/attacks/test_sensitive.py: the surest ordinary one has 1.4 ("phone: nokia"), "church: st. mary's" 2.9."""
READ, STEP = 24, 16
"""Words that the encoder reads at a time, and how many further on it reads again: a few words that tell are not lost among many."""
WITH_AT = 0.3
"""From this probability on a text is about a sensitive category that was asked for, and may tell what that is for. Our choice."""
MOST_NAMES = 2
"""Words of a name to be called by in which there is no sentence, so that the words alone are looked at."""
LEAST = 3
"""Words that a clause needs to be kept by itself."""
_CUT = re.compile(
    r"\s*[,;.!?:]+\s+|\s+(?=(?:because|since|so|but|that's why|due to|although|when|while|if|"
    r"until)\b|and (?:i|we|my|our|he|she|they|his|her|their|mum|dad|mom)\b)"
)
_JOINS = re.compile(r"^(?:(?:because|since|as|so|and|but|that's why|although|when|while) )+")
_REASON = re.compile(r"^(?:because|since|so|due to|that's why)\b")
"""How a clause begins that gives a reason: what the sentence is about must not hide what it tells."""
_OWN = re.compile(
    r"(?:i|we|i'm|i'd|i've|we're)\b|"
    r"(?!.*\b(?:it|that|this|them|so|too|also|either|neither|same|both)\b)(?:my|our) (?:[\w-]+ ){0,2}[\w-]+?(?:'s| (?:is|are|was|"
    r"has|lives|works|likes|loves|hates|wants|needs|prefers|drives|goes|comes|starts|finishes|arrives|moved|takes|drinks|plays|keeps))\b"
)
"""How a clause begins that says something by itself: others lean on the one beside them ("tom, my eight year old, likes ...")."""


class Guard:
    """Tells special kinds of data, and takes them out."""

    def __init__(self, encoder: Encoder) -> None:
        """With this encoder; one that cannot tell leaves it to the words."""
        self._encoder = encoder
        self._known = lru_cache(maxsize=512)(self._kinds)

    def kinds(self, text: str) -> frozenset[str]:
        """The special kinds that a text tells of."""
        return self._known(text)

    def _kinds(self, text: str) -> frozenset[str]:
        found = self._told(text)
        clauses = [part.strip() for part in _CUT.split(text) if part and part.strip()] if not found else []
        if len(clauses) < 2:
            return found
        alone = ((_JOINS.sub("", clause), _REASON.match(normal(clause)) is not None) for clause in clauses)
        told = (self._told(part) for part, reason in alone if reason or special_words(part).maybe)
        return next((kinds for kinds in told if kinds), found)

    def _told(self, text: str) -> frozenset[str]:
        """What a text tells as a whole."""
        told = special_words(text)
        if told.surely or not without_names(text) or len(words(text)) < (1 if told.maybe else LEAST):
            return told.surely
        scores = self._scores(text)
        if scores is None:
            return told.maybe
        if odds(scores) < (AT_WORD if told.maybe else AT):
            return frozenset()
        return told.maybe or frozenset({KINDS[int(scores[:-1].argmax())]})

    def _scores(self, text: str) -> NDArray[np.float32] | None:
        """Of the part of a text that tells most, (kinds + 1,); None where the encoder cannot tell."""
        said = spoken(without_names(text)).split()
        parts = [said[start : start + READ] for start in range(0, max(1, len(said) - (READ - STEP)), STEP)]
        found = [scores for part in parts if (scores := self._encoder.special(" ".join(part))) is not None]
        return max(found, key=odds, default=None)

    def forbidden(self, text: str, consent: Consent) -> frozenset[str]:
        """The special kinds that a text tells of and that the driver has not asked for, by themselves or with a category."""
        return self._unasked(self.kinds(text), text, consent)

    def _unasked(self, kinds: frozenset[str], text: str, consent: Consent) -> frozenset[str]:
        """Those of the kinds that a text tells that the driver has not asked for."""
        found = kinds - consent.special
        asked = [detail for detail in WITH if detail in consent.opted_in] if found else []
        topics = self._encoder.topics(text) if asked else {}
        for detail in asked:
            if topics.get(detail, 0.0) >= WITH_AT:
                found -= WITH[detail]
        return found

    def cleared(self, text: str, consent: Consent) -> str:
        """What of a text may be written: the text, those of its clauses that tell nothing special, or nothing."""
        if not self.forbidden(text, consent):
            return text
        parts = [_JOINS.sub("", part) for part in _CUT.split(text) if part and part.strip()]
        free = [
            one
            for one in parts
            if _OWN.match(normal(one)) and len(words(one)) >= LEAST and not self.forbidden(one, consent)
        ]
        left = ", ".join(free)
        return left if len(free) < len(parts) and not self.forbidden(left, consent) else ""

    def require(self, text: str, consent: Consent) -> None:
        """Refuse what the driver writes down by hand.

        Raises:
            ConsentError: it tells something special that the driver has not asked for.
        """
        self._require_none(self.forbidden(text, consent))

    def forbidden_line(self, key: str, value: str, consent: Consent) -> frozenset[str]:
        """The special kinds that a line of the profile tells and that the driver has not asked for.

        Key and value are no sentence, so that one can hide what the other tells: the value is asked about by itself, under its key,
        and as the sentence that the line stands for.
        """
        if key == LINES["name"][0]:
            return self.forbidden_name(value, consent)
        said = key.rpartition(".")[2].replace("_", " ")
        line = f"{said}: {value}"
        told, scores = self.kinds(value) | self.kinds(line), self._scores(f"my {said} is {value}")
        if scores is not None and odds(scores) >= AT_LINE:
            told |= {KINDS[int(scores[:-1].argmax())]}
        return self._unasked(told, line, consent)

    def require_line(self, key: str, value: str, consent: Consent) -> None:
        """Refuse a line of the profile, as `require`."""
        self._require_none(self.forbidden_line(key, value, consent))

    def forbidden_name(self, name: str, consent: Consent) -> frozenset[str]:
        """The special kinds that a name to be called by tells and that the driver has not asked for."""
        kinds = told_by_name(name) - consent.special
        return kinds if len(words(name)) <= MOST_NAMES else kinds | self.forbidden(f"name {name}", consent)

    def _require_none(self, kinds: Collection[str]) -> None:
        if kinds:
            asked = " or ".join(f"`memory optin {kind}`" for kind in KINDS if kind in kinds)
            raise ConsentError(f"that was refused, {self.refusal(kinds)}: {asked} switches it on")

    def refusal(self, kinds: Collection[str]) -> str:
        """Why something is not kept, as it is said."""
        titles = [SPECIAL_TITLES[kind] for kind in KINDS if kind in kinds]
        return f"it tells of {' and '.join(titles)}, which I don't keep unless you allow it on the screen"


def odds(scores: NDArray[np.float32]) -> float:
    """Log odds of any of the kinds but the last, of their logits (kinds + 1,)."""
    return float(np.logaddexp.reduce(scores[:-1]) - scores[-1])
