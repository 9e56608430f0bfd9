"""What the tests of the laboratory share: keyword fakes in the place of the models."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from deploy import app
from deploy.config import Config
from models.runtime.fake_encoder import KeywordEncoder
from models.structured.fake import KeywordModel


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> list[Config]:
    """Keyword fakes in the place of the models; the configurations that asked for them."""
    asked: list[Config] = []

    def understanding(config: Config, engines: Any) -> tuple[KeywordEncoder, KeywordModel]:
        engines.choices["llm"] = SimpleNamespace(rung="keywords")
        asked.append(config)
        return KeywordEncoder(), KeywordModel()

    monkeypatch.setattr(app, "understanding", understanding)
    return asked
