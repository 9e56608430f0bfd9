"""The documents and the English locale file of the actions are what the classes say."""

from __future__ import annotations

from pathlib import Path

import pytest

from deploy.lab import documents


def test_what_is_committed_is_what_the_command_writes() -> None:
    for path, text in documents.written().items():
        assert path.read_text("utf-8") == text, f"{path.name} is out of date: run python -m deploy.lab.documents"


def test_a_domain_without_a_table_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = "Here are 7 actions and questions.\n\n<!-- actions: climate -->\n| old |\n"
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "actions.md").write_text(page, "utf-8")
    monkeypatch.setattr(documents, "ROOT", tmp_path)
    with pytest.raises(ValueError, match=r"no table for .*seats"):
        documents.written()
