"""Whether a memory answers a question: a logistic model over how the question lies to it and to all the others.

What tells most is not how near a memory is but how much nearer than the rest of the store: where a driver talks of films every day,
"which film was it" is near to all of them. So the nearest others are part of what it sees; where there are fewer, what everyday
talk comes to stands in their place, and three memories are judged as three thousand are.

The weights are `python -m deploy.lab.recall.answers`' on our own questions and memories (``models/training/answers/data``), near
misses included. Of what stands alone and comes nearest the encoder is asked as well (`memory.recall.search`). Pure.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memory.recall.exact import Floats

FEATURES = ("cosine", "share", "cosine of others", "nearness of others", "words asked")
WEIGHTS: tuple[float, ...] = (10.553, 3.371, 8.213, -23.206, 0.152)
"""Of `FEATURES`, in their order,"""
BIAS = -3.723
"""and of nothing."""

_OTHERS, _NEAREST = 20, 10
"""Nearest memories whose mean cosine, and whose mean nearness, stand for the rest of the store."""
_USUAL_COSINE, _USUAL_NEARNESS = 0.2, 0.12
"""What stands for those that a small store lacks: about what the 20th and the 10th come to among 200 of our own. Our choice."""


def features(cosines: Floats, shares: Floats, nearness: Floats, asked: float) -> NDArray[np.float32]:
    """What is known of each candidate, shape (candidates, len(FEATURES)).

    Args:
        cosines: (candidates,) of their vectors with the question's.
        shares: (candidates,) of the question's words that they say.
        nearness: (candidates,) of each by itself, without its neighbours.
        asked: how many words of the question say what it is about.
    """
    others = (_mean(cosines, _OTHERS, _USUAL_COSINE), _mean(nearness, _NEAREST, _USUAL_NEARNESS), asked)
    return np.column_stack([cosines, shares, *(np.full(len(cosines), one) for one in others)]).astype(np.float32)


def sureness(of: NDArray[np.float32], more: float = 0.0) -> Floats:
    """How sure it is that each candidate answers the question, 0..1.

    Args:
        of: their `features`.
        more: logarithm of odds that something else tells: the question names a time at which it was said.
    """
    odds = of @ np.array(WEIGHTS, np.float32) + BIAS + more
    return (1.0 / (1.0 + np.exp(-odds))).astype(np.float32)


def _mean(values: Floats, count: int, usual: float) -> float:
    """Mean of the highest so many, what is usual in the place of those that are not there."""
    highest = -np.sort(-values)[:count]
    return float(highest.sum() + usual * (count - len(highest))) / count
