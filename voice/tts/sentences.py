"""Where a reply may be cut, so that its beginning sounds while the rest is made.

Owns: the rules. They err on the side of not cutting: a pause in the wrong place is heard, a longer sentence is not.
"""

from __future__ import annotations

import re

_ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof st mt ft jr sr no nr vs etc approx ca ave blvd rd hwy dept min max temp e.g i.e a.m p.m u.s u.k".split()
)
"""Words after which a full stop does not end a sentence, in lower case without their last stop."""
_ENDS_SOMETIMES = frozenset({"a.m", "p.m", "etc", "no", "ave", "blvd", "rd", "min", "max"})
"""Of those: a sentence does end here if the next word begins with a capital."""
_STOP = re.compile(r"""[.!?…]+["'”’)\]]*(?=\s|$)|\n+""")
_WORD = re.compile(r"([\w.]*\w)$")
_PAUSE = re.compile(r"(?<=[,;:])\s+|\s+[–—-]\s+")
"""Where a speaker pauses within a sentence anyway."""
_JOINT = re.compile(r"\s+(?=(?:and|but|because|so|which|while|then)\s)")
"""Where one may, in a long sentence."""
_LONG, _LONGER = 7, 16
"""Words of a sentence that is cut at a pause, and of one that is cut at a joint, too: seven words are 2 s of speech."""
_LEAST, _LEAST_AT_JOINT = 3, 6
"""Words on either side of such a cut."""
OPENING = "Okay,"
"""A word of its own at the beginning: half a second of speech, in which the rest is made. Its sound is kept."""
_OPENED = 5
"""Words of a sentence from which on it is cut off."""
_ITEM = re.compile(r"\S+(?: \S+)?,")
"""What follows a comma of a list, where nobody pauses for long."""
LONGEST = 300
"""Characters of a piece; more without any stop is no sentence, and would take a voice seconds."""


def split_sentences(text: str) -> tuple[str, ...]:
    """The text's sentences in order, each with its stop; empty for a text without words.

    Decimals ("21.5 degrees"), times ("7.30", "5 p.m."), initials and common abbreviations do not end a sentence.
    """
    sentences: list[str] = []
    start = 0
    for match in _STOP.finditer(text):
        if match.end() < len(text) and not _ends(text[start : match.start()], match.group(), text[match.end() :]):
            continue
        sentences.append(text[start : match.end()])
        start = match.end()
    sentences.append(text[start:])
    stripped = (" ".join(sentence.split()) for sentence in sentences)
    return tuple(sentence for sentence in stripped if any(character.isalnum() for character in sentence))


def split_clauses(sentence: str) -> tuple[str, ...]:
    """A reply's first sentence in the pieces in which it is spoken: a long one in two, where a speaker would pause.

    The first ends in a comma if it ends in no other mark, so that the voice stays up. Later sentences need no cut: while the first
    sounds, the next is made, however long it is.
    """
    count = len(sentence.split())
    if count >= _OPENED and sentence.startswith(f"{OPENING} "):
        return OPENING, *split_long(sentence.removeprefix(OPENING).strip())
    for cut, long, least in ((_PAUSE, _LONG, _LEAST), (_JOINT, _LONGER, _LEAST_AT_JOINT)):
        for place in cut.finditer(sentence) if count >= long else ():
            before, after = sentence[: place.start()].rstrip(), sentence[place.end() :]
            if min(len(before.split()), len(after.split())) >= least and not _ITEM.match(after):
                first = before if before[-1] in ",;:" else f"{before},"
                return *split_long(first), *split_long(after)
    return split_long(sentence)


def split_long(sentence: str) -> tuple[str, ...]:
    """The sentence in pieces of at most `LONGEST` characters; cut between words, or within one that is longer than that."""
    parts: list[str] = []
    while len(sentence) > LONGEST:
        end = sentence.rfind(" ", 1, LONGEST)
        parts.append(sentence[: end if end > 0 else LONGEST])
        sentence = sentence[len(parts[-1]) :].strip()
    return (*parts, sentence) if sentence else tuple(parts)


def _ends(before: str, stop: str, after: str) -> bool:
    """Whether a sentence ends between `before` with its `stop` and `after`."""
    if stop[0] != ".":
        return True
    word = _WORD.search(before)
    if word is None or stop.startswith(".."):
        return True
    last, following = word.group(1).lower(), after.lstrip()
    if len(last) == 1 and last.isalpha() and word.group(1).isupper() and last != "i":
        return False  # an initial: "J. Smith"
    if last not in _ABBREVIATIONS:
        return True
    return last in _ENDS_SOMETIMES and following[:1].isupper()
