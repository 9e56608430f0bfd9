"""Renders a report as one self-contained HTML page: no script, font or picture from anywhere else; in the look of the screen."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, select_autoescape
from markupsafe import Markup

from deploy.lab.report import plot
from deploy.lab.report.blocks import Block, Dots, Report, Table, Waterfall, shown
from memory.screen.render import look


def render(report: Report, command: str = "") -> str:
    """The page.

    Args:
        report: figures, tables and plots.
        command: how it was made, for whoever repeats it; shown on the page.
    """
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=select_autoescape(default=True, default_for_string=True, enabled_extensions=("j2", "html")),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    blocks = [_block(block) for block in report.blocks]
    return environment.get_template("page.html.j2").render(
        report=report, blocks=blocks, command=command, shown=shown, look=look()
    )


def _block(block: Block) -> dict[str, object]:
    if isinstance(block, Table):
        return {"kind": "table", "block": block}
    # the drawing is ours, and what it shows of others' words is escaped where it is drawn
    if isinstance(block, Dots):
        return {"kind": "dots", "block": block, "svg": Markup(plot.dots(block))}  # noqa: S704
    if isinstance(block, Waterfall):
        legend = plot.colours(plot.parts_of(block))
        return {"kind": "plot", "block": block, "svg": Markup(plot.waterfall(block)), "legend": legend}  # noqa: S704
    return {"kind": "plot", "block": block, "svg": Markup(plot.curves(block)), "legend": plot.colours(block.series)}  # noqa: S704
