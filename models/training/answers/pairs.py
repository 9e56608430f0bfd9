"""Memories with questions that they answer and questions that they do not: ``data/*.txt``, written for this project.

A block is a memory (``M driver: ... | car: ...``, ``M fact: ...``, ``M preference: ...``), questions that it answers (``+``) and
others (``-``): near misses, the same topic, something else, no question to memory at all. Writers saw no evaluation set.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from schemas.errors import EvaluationDataError

DATA = Path(__file__).with_name("data")
APART = "long.txt"
"""By a writer of its own, long exchanges above all: never trained on, kept for measuring."""


@dataclass(frozen=True, slots=True)
class Block:
    """A memory with questions that it answers, and others that it does not."""

    memory: str
    answered: tuple[str, ...]
    near: tuple[str, ...]
    fact: bool = False
    """Whether it was asked to be kept."""


def blocks(*paths: Path) -> tuple[Block, ...]:
    """The blocks of these files, or of all.

    Raises:
        EvaluationDataError: a file is not in this form.
    """
    found: list[Block] = []
    for path in paths or sorted(DATA.glob("*.txt")):
        for part in re.split(r"\n\s*\n", path.read_text("utf-8").strip()):
            head, *rest = [line.strip() for line in part.splitlines()]
            if not head.startswith("M ") or any(line[:2] not in ("+ ", "- ") for line in rest):
                raise EvaluationDataError(f"{path}: {head!r} does not begin a block of M, + and - lines")
            answered, near = (tuple(line[2:] for line in rest if line[0] == sign) for sign in "+-")
            found.append(Block(_words(head[2:]), answered, near, head.startswith("M fact")))
    return tuple(found)


def _words(memory: str) -> str:
    """A memory as search has it in words: without who spoke, or of which kind it is."""
    said = re.sub(r"(?:^|\s*\|\s*)(?:driver|car): *", " ", memory)
    return re.sub(r"^(?:fact|event|summary|preference): *", "", said.strip()).strip()
