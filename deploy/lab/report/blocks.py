"""What an evaluation hands over: the figures as one JSON object, and blocks of tables and plots for people.

Values only. Drawing belongs to `deploy.lab.report.plot` and `deploy.lab.report.page`, printing to the command line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Cell: TypeAlias = str | float | int | None
"""A string as it is; a float with three decimals, or as its column says; None is a dash."""

Progress: TypeAlias = Callable[[str, int, int], None]
"""Told what is being done, how many items are done, and of how many."""

Interval: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Goal:
    """What the project set itself for a figure."""

    at: float
    least: bool = True
    """True: at least so much; False: at most."""

    def met(self, value: float) -> bool:
        """Whether a value reaches it."""
        return value >= self.at if self.least else value <= self.at

    def __str__(self) -> str:
        return f"{'>=' if self.least else '<='} {self.at:g}"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of figures, ours beside what was published."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    """What a reader has to know to read it: the setting, the source of the published figures."""


@dataclass(frozen=True, slots=True)
class Series:
    """One line or set of points in a plot."""

    name: str
    points: tuple[tuple[float, float], ...]
    """(x, y) in the units of the plot's axes."""
    style: Literal["line", "points", "both", "steps"] = "both"
    dashed: bool = False
    """For what others published or a reference."""


@dataclass(frozen=True, slots=True)
class Plot:
    """Curves over two axes: a detection trade-off, accuracy over the signal-to-noise ratio, a reliability plot."""

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    x_range: Interval | None = None
    """None: what the points span. A range may be given from high to low."""
    y_range: Interval | None = None
    log_x: bool = False
    """Logarithmic; points at or below 0 stand on the left edge."""
    diagonal: bool = False
    """With the line y = x, for reliability plots."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Dot:
    """One figure on a common scale, with what others published."""

    name: str
    ours: float
    interval: Interval | None = None
    published: float | None = None
    goal: float | None = None


@dataclass(frozen=True, slots=True)
class Dots:
    """Figures under each other on one scale: ours with its interval, the published one, the goal."""

    title: str
    dots: tuple[Dot, ...]
    x_range: Interval = (0.0, 1.0)
    note: str = ""


@dataclass(frozen=True, slots=True)
class Bar:
    """A part of a whole, from one moment to another."""

    name: str
    begins: float
    ends: float


@dataclass(frozen=True, slots=True)
class Waterfall:
    """What follows what, and how long each takes: a row a case, in milliseconds."""

    title: str
    rows: tuple[tuple[str, tuple[Bar, ...]], ...]
    note: str = ""


Block: TypeAlias = Table | Plot | Dots | Waterfall


@dataclass(frozen=True, slots=True)
class Report:
    """The result of one evaluation."""

    title: str
    lead: str
    """One or two sentences: what was measured, on what, with which models."""
    figures: dict[str, Any]
    """What ``--json`` prints: plain JSON values; shares from 0 to 1."""
    blocks: tuple[Block, ...] = ()
    facts: tuple[tuple[str, str], ...] = field(default=())
    """Name and value of what a reader needs to repeat it: models, settings, number of items, machine."""


def silent(what: str, done: int, total: int) -> None:
    """A `Progress` that tells nobody."""
    del what, done, total


def shown(cell: Cell) -> str:
    """A cell as it is printed."""
    if cell is None:
        return "–"
    return f"{cell:.3f}" if isinstance(cell, float) else str(cell)


def reliability(title: str, bins: tuple[tuple[float, float, int], ...], note: str = "") -> Plot:
    """A reliability plot.

    Args:
        title: its heading.
        bins: mean stated confidence, share that was right, number of items, for each bin that has any.
        note: what it says.
    """
    points = tuple((confidence, right) for confidence, right, _ in bins)
    counts = ", ".join(f"{confidence:.2f}: {count}" for confidence, _, count in bins)
    return Plot(
        title=title,
        x_label="stated confidence",
        y_label="share that was right",
        series=(Series("measured", points),),
        x_range=(0.0, 1.0),
        y_range=(0.0, 1.0),
        diagonal=True,
        note=f"{note} Items in each bin: {counts}.".strip(),
    )
