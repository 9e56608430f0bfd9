"""How well words are marked, by label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from schemas.kinds import LABELS


def measured(found: Iterable[tuple[NDArray[np.bool_], NDArray[np.float32]]]) -> tuple[float, str]:
    """F1 over the parts that are marked, and a table by label: precision / recall (number).

    A part is found where the words that it marks have its label on the whole; told are those that the network marks. Where it
    begins and ends is another question: who says "the pizza place" marks two or three words.

    Args:
        found: for each sentence which labels its words may have, and the shares that they are given, (words, labels) each.
    """
    hit, told, right, caught = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for may, own in found:
        gold, mine = may.argmax(1), own.argmax(1)
        for first, last, label in _parts(gold):
            right[LABELS[label]] += 1
            caught[LABELS[label]] += int(own[first:last].sum(0).argmax()) == label
        for first, last, label in _parts(mine):
            told[LABELS[label]] += 1
            hit[LABELS[label]] += label in gold[first:last]
    names = [label for label in LABELS if label != LABELS[0]]
    precision, recall = (
        sum(one[m] for m in names) / max(1, sum(of[m] for m in names)) for one, of in ((hit, told), (caught, right))
    )
    table = " ".join(
        f"{m}:{hit[m] / max(1, told[m]):.2f}/{caught[m] / max(1, right[m]):.2f}({right[m]})" for m in names
    )
    return 2 * precision * recall / max(1e-9, precision + recall), table


def _parts(labels: NDArray[np.int64]) -> Iterator[tuple[int, int, int]]:
    """Words one after the other with the same label, without those that say nothing: first, last and label."""
    first = 0
    for at in range(1, len(labels) + 1):
        if at == len(labels) or labels[at] != labels[first]:
            if labels[first]:
                yield first, at, int(labels[first])
            first = at
