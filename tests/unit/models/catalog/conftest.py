"""A server of models, and a catalogue without any."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from models.catalog import Catalog
from tests.unit.models.catalog.fetching_rig import Hub, serving


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Generator[Hub]:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with serving(Hub()) as running:
        yield running


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return Catalog(tmp_path / "models")
