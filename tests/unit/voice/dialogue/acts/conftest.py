"""A dialogue over the command templates, for the tests of acts."""

from __future__ import annotations

import pytest

from models.commands.matcher import TemplateMatcher
from models.commands.templates import load_templates
from tests.dialogues import Rig


@pytest.fixture(scope="session")
def matcher() -> TemplateMatcher:
    return TemplateMatcher(load_templates())


@pytest.fixture
def rig(matcher: TemplateMatcher) -> Rig:
    return Rig(matcher)
