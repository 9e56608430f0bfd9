"""Where a reply may be cut, so that its first sentence sounds while the second is made.

Owns: the rule. It errs on the side of not cutting: a pause in the wrong place is heard, a longer sentence is not.
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
