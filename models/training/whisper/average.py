"""Several additions as one: their mean, and less of it.

``python -m models.training.whisper.average OUT ADDITION... [--share .85]``. The mean of two states of a training generalises better
than either (Izmailov et al. 2018, arXiv 1803.05407), and a share of the change keeps more of what the weights knew
before (Wortsman et al. 2022, arXiv 2109.01903). The mean of low-rank products is kept in the rank of the first, by its
largest singular values.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from models.runtime.ct2_file import Adaptation


def mean(additions: Sequence[Adaptation], share: float = 1.0) -> Adaptation:
    """The mean of what they add, times ``share``.

    Args:
        additions: at least one, all to the same variables of the same file.
        share: 1 is the whole mean.

    Raises:
        ValueError: they belong to different files, or change different variables.
    """
    first = additions[0]
    if any(one.sha256 != first.sha256 or one.changes.keys() != first.changes.keys() for one in additions):
        raise ValueError("these additions do not belong together")
    changes: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    for name, (narrow, _) in first.changes.items():
        rank = len(narrow)
        downs = np.concatenate([one.changes[name][0] for one in additions]).astype(np.float32)
        ups = np.concatenate([one.changes[name][1] for one in additions], axis=1).astype(np.float32)
        right, small_right = np.linalg.qr(downs.T)
        left, small_left = np.linalg.qr(ups * np.float32(share / len(additions)))
        out, size, back = np.linalg.svd(small_left @ small_right.T)
        root = np.sqrt(size[:rank])
        down, up = root[:, None] * (back[:rank] @ right.T), (left @ out[:, :rank]) * root
        changes[name] = (down.astype(np.float16), up.astype(np.float16))
    return Adaptation(first.sha256, changes)


def main() -> None:
    """Write the mean."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("additions", type=Path, nargs="+")
    parser.add_argument("--share", type=float, default=1.0, help="of the mean that is kept")
    given = parser.parse_args()
    mean([Adaptation.load(path) for path in given.additions], given.share).save(given.out)


if __name__ == "__main__":
    main()
