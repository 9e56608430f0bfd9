"""What the tests of the laboratory share: a fake by keywords in the place of the encoder."""

from __future__ import annotations

import pytest

from deploy.config import Config
from deploy.engines import Engines
from models.runtime.fake_encoder import KeywordEncoder


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> list[Config]:
    """A fake by keywords in the place of the encoder; the configurations that asked for it."""
    asked: list[Config] = []

    def encoder(engines: Engines) -> KeywordEncoder:
        asked.append(engines.config)
        return KeywordEncoder()

    monkeypatch.setattr(Engines, "encoder", encoder)
    return asked
