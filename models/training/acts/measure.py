"""What an answer of the network is worth, and the tables of many: used by ``models.training.acts.pointing.measure``.

An answer is right if it has the same acts with the same slots, in any order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np

from models.training.acts.data import Corpus
from models.training.acts.form import Act, read
from models.training.acts.lines import Case, draw, lines

SURE = (0.3, 0.5, 0.8, 0.95)
"""Where the answers are divided by their probability."""


@dataclass(frozen=True)
class Answer:
    """What was written for a case."""

    case: Case
    text: str
    sure: float
    """Probability of the whole, 0..1."""
    seconds: float

    @property
    def acts(self) -> tuple[Act, ...] | None:
        """What was written, or None if it is no form of acts."""
        try:
            return read(self.text)
        except ValueError:
            return None

    @property
    def right(self) -> bool:
        """The same acts."""
        return self.acts is not None and sorted(map(str, self.acts)) == sorted(map(str, self.case.acts))

    @property
    def named(self) -> bool:
        """Acts of the same names."""
        return self.acts is not None and sorted(a.name for a in self.acts) == sorted(a.name for a in self.case.acts)


def table(answers: Sequence[Answer], by: Callable[[Answer], str]) -> Iterable[str]:
    """A line for each group: how many, exactly right, right names."""
    groups: dict[str, list[Answer]] = defaultdict(list)
    for one in answers:
        groups[by(one)].append(one)
    for name, some in sorted(groups.items()):
        right, named = (np.mean([getattr(one, what) for one in some]) for what in ("right", "named"))
        yield f"{name:18} {len(some):5}   exactly right {right:.3f}   right names {named:.3f}"


def _sureness(one: Answer) -> str:
    return f"sure >= {max((edge for edge in SURE if one.sure >= edge), default=0.0):.2f}"


def report(answers: Sequence[Answer]) -> Iterable[str]:
    """All tables."""
    yield from table(answers, lambda _: "all")
    yield "by file"
    yield from table(answers, lambda one: one.case.group)
    yield "by number of acts, and with a context"
    yield from table(answers, lambda one: f"{len(one.case.acts)} acts{', context' if one.case.context else ''}")
    yield "by the answer's probability"
    yield from table(answers, _sureness)
    times = np.percentile([1000 * one.seconds for one in answers], (50, 95))
    yield f"{times[0]:.0f} ms an answer (p50), {times[1]:.0f} ms (p95)"


def drawn(file: Path | None, folder: Path) -> list[Case]:
    """A case of every line of a file, or without one of every line that is held out."""
    rng = Random(1)
    return [draw(rng, line) for line in lines(file)] if file is not None else Corpus(folder).tests()


def tell(answers: Sequence[Answer], wrong: int) -> None:
    """Print the report, and so many of the wrong answers."""
    for line in report(answers):
        print(line)
    for one in [one for one in answers if not one.right][:wrong]:
        print(f"  {one.case.prompt.strip()!r}: {one.case.answer}\n      wrote {one.text} ({one.sure:.2f})")
