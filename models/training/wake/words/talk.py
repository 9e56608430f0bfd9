"""Ordinary talk to say to the wake word: lines of the project's own phrase bank, none of which holds a keyword.

Owns: which lines, and their split. Does not own voices. Everything in the bank was written for this project.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import numpy as np
import yaml

from models.training.phrases import FOLDER
from models.training.wake.corpus import Part

FILES = ("talk", "negatives", "neighbours", "requests", "assistant", "turns_nothing")
_LINE = re.compile(r"[A-Za-z0-9',.?! -]{25,170}")
_KEYWORD = re.compile("comput|jarvis", re.IGNORECASE)


@cache
def lines(part: Part) -> tuple[str, ...]:
    """Lines of 25 to 170 letters, mixed once for all: 85 % to train on, 7.5 % to choose thresholds with, 7.5 % to measure."""
    found = {line.replace("[", "").replace("]", "") for name in FILES for line in _strings(_read(name))}
    every = sorted(line for line in found if _LINE.fullmatch(line) and not _KEYWORD.search(line))
    order = np.random.default_rng(3).permutation(len(every))
    first, last = {"train": (0.0, 0.85), "dev": (0.85, 0.925), "test": (0.925, 1.0)}[part]
    return tuple(every[int(index)] for index in order[round(first * len(every)) : round(last * len(every))])


def _read(name: str) -> object:
    return yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))


def _strings(node: object) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, list):
        for item in node:
            yield from _strings(item)
    elif isinstance(node, dict):
        for item in node.values():
            yield from _strings(item)
