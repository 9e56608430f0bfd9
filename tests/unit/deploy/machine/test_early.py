"""What is started first: the recogniser loads before it is known what can be said, and waits for that alone."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any, cast

import pytest

from deploy.config import Config, load_config
from deploy.engines import Engines
from deploy.machine import early as module
from deploy.machine.early import Early
from models.commands.matcher import TemplateMatcher

MATCHER = cast("TemplateMatcher", object())


class Voice:
    """A voice that is only closed."""

    closed = False

    def close(self) -> None:
        self.closed = True


class Parts:
    """What is loaded beside, as the engines would."""

    def __init__(self) -> None:
        self.voice, self.loaded, self.heard = Voice(), threading.Event(), list[Any]()

    def recognizer(self, commands: Callable[[], TemplateMatcher]) -> str:
        self.loaded.set()
        try:
            self.heard.append(commands())
        except CancelledError as error:
            self.heard.append(error)
            raise
        return "ears"


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> Parts:
    made = Parts()

    def voice(config: Config, engines: Engines) -> tuple[Voice, None]:
        return made.voice, None

    def recognizer(engines: Engines, commands: Callable[[], TemplateMatcher]) -> str:
        return made.recognizer(commands)

    def nothing(*_: object) -> str:
        return "understood"

    monkeypatch.setattr(module, "open_voice", voice)
    monkeypatch.setattr(Engines, "recognizer", recognizer)
    for name in ("encoder", "parser", "talker"):
        monkeypatch.setattr(Engines, name, nothing)
    return made


def begun(tmp_path: Path) -> Early:
    return Early(load_config(flags={"home": str(tmp_path), "profile": "small"}, environment={}), live=False)


def test_ears_are_loaded_before_the_commands_are_known(parts: Parts, tmp_path: Path) -> None:
    early = begun(tmp_path)
    with early.loading:
        assert parts.loaded.wait(60) and not early.recognizer.done()
        assert early.understanding.result(60) == ("understood",) * 3
        early.commands.set_result(MATCHER)
        assert early.recognizer.result(60) == "ears" and parts.heard == [MATCHER]
    early.end()
    assert parts.voice.closed


def test_where_the_rest_fails_nobody_waits_for_the_commands(parts: Parts, tmp_path: Path) -> None:
    early = begun(tmp_path)
    assert parts.loaded.wait(60)
    early.end()
    early.loading.close()  # returns only if all that loads has come to its end
    assert isinstance(parts.heard[0], CancelledError) and parts.voice.closed
