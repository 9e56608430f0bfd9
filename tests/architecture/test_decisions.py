"""Every decision record has the form that docs/adr/README.md asks for, and is in its list."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest

DECISIONS = Path(__file__).parents[2] / "docs" / "adr"
RECORDS = sorted(path for path in DECISIONS.glob("*.md") if path.name != "README.md")
HEADINGS = ["Context", "Decision", "Consequences", "Not taken"]


@pytest.mark.parametrize("record", RECORDS, ids=[path.stem for path in RECORDS])
def test_a_record_has_its_headings_in_order_and_a_date(record: Path) -> None:
    text = record.read_text("utf-8")
    number, dated = int(record.name[:4]), re.match(r"# (\d+)\. \S.*\n\nStatus: accepted, (\S+)\n\n## Context\n", text)
    assert dated, "a record begins with “# N. Title”, “Status: accepted, YYYY-MM-DD” and “## Context”"
    assert int(dated[1]) == number and date.fromisoformat(dated[2])
    assert re.findall(r"^#+ (.+)$", text, re.MULTILINE)[1:] == HEADINGS
    assert all(part.strip() for part in re.split(r"^## .+$", text, flags=re.MULTILINE)), (
        "a heading has nothing below it"
    )


def test_the_list_has_every_record_by_its_title() -> None:
    titles = [(path.read_text("utf-8").partition("\n")[0].removeprefix("# "), path.name) for path in RECORDS]
    listed = re.findall(r"^- \[(.+)\]\((.+)\)$", (DECISIONS / "README.md").read_text("utf-8"), re.MULTILINE)
    assert listed == titles
