from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from deploy.demo.judge import Drive
from deploy.demo.page import render as drive_page
from deploy.lab.cli.options import deliver, progress
from deploy.lab.report.blocks import Dot, Dots, Plot, Report, Series, Table, reliability, shown
from deploy.lab.report.page import render
from deploy.lab.report.plot import curves
from memory.screen.render import look
from schemas.errors import ConfigError

REPORT = Report(
    title="A protocol",
    lead="Ten items <of ours>.",
    figures={"share": 0.5, "by": {"a": 1}},
    blocks=(
        Table("Shares", ("level", "ours", "published"), (("main", 0.51234, 0.9), ("detail", 7, None)), note="Of ten."),
        Dots("On one scale", (Dot("main F1", 0.5, (0.4, 0.6), 0.9, 0.97),)),
        Plot("Trade-off", "false accepts", "misses", (Series("ours", ((0.0, 0.3), (1.0, 0.1)), "steps"),), log_x=True),
        reliability("Reliability", ((0.25, 0.2, 4), (0.75, 0.8, 6))),
    ),
    facts=(("encoder", "tiny & quick"),),
)


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_holds_everything_in_one_file() -> None:
    page = render(REPORT, "glovebox eval carmem --data file.jsonl")
    reader = Reader()
    reader.feed(page)
    assert reader.open == [] and reader.links == [] and "http" not in page and "<script" not in page
    assert reader.tags.count("svg") == 3 and reader.tags.count("table") == 1
    assert "0.512" in page and "–" in page
    assert "Ten items &lt;of ours&gt;." in page and "tiny &amp; quick" in page
    assert "glovebox eval carmem --data file.jsonl" in page


def test_reports_and_the_demos_page_have_the_look_of_the_screen() -> None:
    assert look() in render(REPORT, "glovebox eval carmem") and "data:font/woff2;base64," in look()
    drive = Drive()
    drive.entries[1] = []
    drive.summaries[1] = {
        "engines": {},
        "resident_mb": 1.0,
        "audio_s": 1.0,
        "vault": [],
        "learn_s": 0.0,
        "drive_s": 1.0,
    }
    assert look() in drive_page(drive, np.zeros((16_000, 2), np.float32))


def test_a_point_stands_where_its_values_say() -> None:
    plot = Plot("p", "x", "y", (Series("s", ((0.0, 0.0), (1.0, 1.0))),), x_range=(0.0, 1.0), y_range=(0.0, 1.0))
    places = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', curves(plot))
    assert places == [("62.0", "332.0"), ("702.0", "14.0")]  # the corners of the axes


def test_a_logarithmic_axis_has_equal_steps_for_equal_factors() -> None:
    points = ((0.0, 0.5), (0.1, 0.5), (1.0, 0.5), (10.0, 0.5))
    plot = Plot("p", "x", "y", (Series("s", points),), x_range=(0.1, 10.0), y_range=(0.0, 1.0), log_x=True)
    xs = [float(x) for x in re.findall(r'<circle cx="([\d.]+)"', curves(plot))]
    assert xs == [62.0, 62.0, 382.0, 702.0]  # nothing at all stands on the left edge


def test_names_of_series_cannot_break_the_drawing() -> None:
    svg = curves(Plot('a"b', "x<", "y&", (Series("<script>", ((1.0, 1.0),)),)))
    assert "<script>" not in svg and "x&lt;" in svg and "y&amp;" in svg and "a&quot;b" in svg


def test_cells() -> None:
    assert [shown(cell) for cell in (0.12345, 3, None, "a")] == ["0.123", "3", "–", "a"]


def test_json_is_one_object_and_nothing_else(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with progress() as tell:
        tell("reading", 0, 3)
        tell("reading", 3, 3)
    deliver(REPORT, as_json=True, page=tmp_path / "page.html")
    told = capsys.readouterr()
    assert json.loads(told.out) == {"share": 0.5, "by": {"a": 1}}
    assert told.err == "reading: 3\n"
    assert "<svg" in (tmp_path / "page.html").read_text("utf-8")


def test_tables_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    deliver(REPORT, as_json=False, page=None)
    told = capsys.readouterr().out
    assert "A protocol" in told and "0.512" in told and "Of ten." in told


def test_a_page_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be written"):
        deliver(REPORT, as_json=True, page=tmp_path / "missing" / "page.html")
