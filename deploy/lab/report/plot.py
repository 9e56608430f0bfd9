"""Draws the plots of a report as SVG, without a plotting library at run time.

Owns geometry only. Every plot is as wide as its container and says in words what it shows (``aria-label``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from deploy.lab.report.blocks import Dots, Interval, Plot, Series, Waterfall

WIDTH, HEIGHT = 720.0, 380.0
LEFT, RIGHT, TOP, BOTTOM = 62.0, 18.0, 14.0, 48.0
ROW = 30.0
NAMES = 250.0
"""Width of the names of `Dots`."""
COLOURS = ("#6ee7ff", "#ffd166", "#c77dff", "#4ade80", "#ff8a5b", "#4f8cff", "#ff6b6b", "#b7c3d6")
"""Told apart on the page's dark ground; dashes and names do it without colour."""
PADDING = 0.05
"""Share of the span left free round the points where no range is given."""


def curves(plot: Plot) -> str:
    """A plot with two axes."""
    every = [point for series in plot.series for point in series.points]
    positive = [x for x, _ in every if x > 0]
    least = min(positive, default=0.1)
    xs = [max(x, least) for x, _ in every] if plot.log_x else [x for x, _ in every]
    x_range = plot.x_range or _span(xs, log=plot.log_x)
    y_range = plot.y_range or _span([y for _, y in every])

    def at(x: float, y: float) -> tuple[float, float]:
        across = _share(max(x, min(x_range)) if plot.log_x else x, x_range, log=plot.log_x)
        up = _share(y, y_range)
        return LEFT + across * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)

    parts: list[str] = []
    for tick in _ticks(x_range, log=plot.log_x):
        x, _ = at(tick, y_range[0])
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>')
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{tick:g}</text>')
    for tick in _ticks(y_range):
        _, y = at(x_range[0], tick)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>')
    middle = (TOP + HEIGHT - BOTTOM) / 2
    across = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{across}" y="{HEIGHT - 8}" text-anchor="middle">{escape(plot.x_label)}</text>')
    parts.append(
        f'<text x="16" y="{middle}" text-anchor="middle" transform="rotate(-90 16 {middle})">{escape(plot.y_label)}</text>'
    )
    if plot.diagonal:
        low, high = max(x_range[0], y_range[0]), min(x_range[1], y_range[1])
        (x1, y1), (x2, y2) = at(low, low), at(high, high)
        parts.append(f'<line class="diagonal" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>')
    for number, series in enumerate(plot.series):
        parts += _series(series, [at(x, y) for x, y in series.points], COLOURS[number % len(COLOURS)])
    label = f"{plot.title}: {plot.y_label} over {plot.x_label}; {', '.join(s.name for s in plot.series)}"
    return _svg(parts, HEIGHT, label)


def dots(figure: Dots) -> str:
    """Figures under each other on one scale."""
    height = TOP + ROW * len(figure.dots) + BOTTOM - 14

    def at(value: float) -> float:
        return NAMES + min(1.0, max(0.0, _share(value, figure.x_range))) * (WIDTH - NAMES - RIGHT - 46)

    parts: list[str] = []
    bottom = TOP + ROW * len(figure.dots)
    for tick in _ticks(figure.x_range):
        x = at(tick)
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{tick:g}</text>')
    for number, dot in enumerate(figure.dots):
        y = TOP + ROW * (number + 0.5)
        parts.append(f'<text x="{NAMES - 12}" y="{y + 4:.1f}" text-anchor="end" class="name">{escape(dot.name)}</text>')
        if dot.interval is not None:
            low, high = at(dot.interval[0]), at(dot.interval[1])
            parts.append(f'<line class="interval" x1="{low:.1f}" x2="{high:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>')
        if dot.goal is not None:
            x = at(dot.goal)
            parts.append(f'<line class="goal" x1="{x:.1f}" x2="{x:.1f}" y1="{y - 9:.1f}" y2="{y + 9:.1f}"/>')
        if dot.published is not None:
            x = at(dot.published)
            parts.append(f'<path class="published" d="M{x:.1f} {y - 6:.1f}l6 6-6 6-6-6z"/>')
        parts.append(f'<circle class="ours" cx="{at(dot.ours):.1f}" cy="{y:.1f}" r="6"/>')
        parts.append(f'<text x="{WIDTH - RIGHT}" y="{y + 4:.1f}" text-anchor="end" class="name">{dot.ours:.3f}</text>')
    return _svg(parts, height, f"{figure.title}: our figures, their intervals, the published ones and the goals")


def waterfall(figure: Waterfall) -> str:
    """Rows of parts on one scale from 0; a part too short to see is at least a hair wide."""
    height = TOP + 2 * ROW * len(figure.rows) + BOTTOM - 14
    scale = (0.0, max((bar.ends for _, bars in figure.rows for bar in bars), default=1.0))
    hue = {name: colour for name, colour, _ in colours(parts_of(figure))}
    parts: list[str] = []
    bottom = TOP + 2 * ROW * len(figure.rows)

    def at(value: float) -> float:
        return LEFT + _share(value, scale) * (WIDTH - LEFT - RIGHT - 60)

    for tick in _ticks(scale):
        x = at(tick)
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{tick:g} ms</text>')
    for number, (name, bars) in enumerate(figure.rows):
        y = TOP + 2 * ROW * number
        parts.append(f'<text x="{LEFT}" y="{y + 18}" class="name">{escape(name)}</text>')
        for bar in bars:
            title = f"<title>{escape(bar.name)}: {bar.ends - bar.begins:.1f} ms</title>"
            wide = max(1.0, at(bar.ends) - at(bar.begins))
            parts.append(
                f'<rect x="{at(bar.begins):.1f}" y="{y + 26}" width="{wide:.1f}" height="20" fill="{hue[bar.name]}">{title}</rect>'
            )
        end = max((bar.ends for bar in bars), default=0.0)
        parts.append(f'<text x="{at(end) + 8:.1f}" y="{y + 41}" class="name">{end:.0f} ms</text>')
    return _svg(parts, height, f"{figure.title}: {', '.join(name for name, _ in figure.rows)}; milliseconds by part")


def parts_of(figure: Waterfall) -> tuple[Series, ...]:
    """The parts that occur, for the legend."""
    names = dict.fromkeys(bar.name for _, bars in figure.rows for bar in bars)
    return tuple(Series(name, ()) for name in names)


def colours(series: Sequence[Series]) -> list[tuple[str, str, bool]]:
    """The legend: name, colour and whether it is dashed."""
    return [(one.name, COLOURS[number % len(COLOURS)], one.dashed) for number, one in enumerate(series)]


def _series(series: Series, places: list[tuple[float, float]], colour: str) -> list[str]:
    parts: list[str] = []
    if series.style != "points" and len(places) > 1:
        moves: list[str] = []
        for number, (x, y) in enumerate(places):
            if number and series.style == "steps":
                moves.append(f"H{x:.1f}")
            moves.append(f"{'L' if number else 'M'}{x:.1f} {y:.1f}")
        dash = ' stroke-dasharray="7 5"' if series.dashed else ""
        parts.append(f'<path d="{"".join(moves)}" fill="none" stroke="{colour}" stroke-width="2.5"{dash}/>')
    if series.style in ("points", "both"):
        for (x, y), (x_value, y_value) in zip(places, series.points, strict=True):
            title = f"<title>{escape(series.name)}: {x_value:g}, {y_value:g}</title>"
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{colour}">{title}</circle>')
    return parts


def _svg(parts: list[str], height: float, label: str) -> str:
    box = f'viewBox="0 0 {WIDTH:g} {height:g}"'
    return f'<svg {box} role="img" aria-label="{escape(label, quote=True)}">{"".join(parts)}</svg>'


def _share(value: float, of: Interval, *, log: bool = False) -> float:
    """Where a value stands between two ends: 0 at the first, 1 at the second."""
    low, high = of
    if log:
        low, high, value = math.log10(low), math.log10(high), math.log10(value)
    return (value - low) / (high - low) if high != low else 0.5


def _span(values: Sequence[float], *, log: bool = False) -> Interval:
    """The range of some values, with room on both sides."""
    if not values:
        return (0.1, 1.0) if log else (0.0, 1.0)
    low, high = min(values), max(values)
    if log:
        return low / 1.3, high * 1.3
    room = PADDING * (high - low) or 0.5
    return low - room if low < 0 or low - room > 0 else 0.0, high + room


def _ticks(of: Interval, *, log: bool = False) -> list[float]:
    """Round numbers between two ends."""
    low, high = sorted(of)
    if log:
        found = [
            factor * 10.0**power
            for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
            for factor in (1.0, 2.0, 5.0)
        ]
        return [tick for tick in found if low <= tick <= high]
    if high == low:
        return [low]
    rough = (high - low) / 5
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor >= rough)
    first = math.ceil(low / step - 1e-9)
    return [round(number * step, 10) for number in range(first, math.floor(high / step + 1e-9) + 1)]
