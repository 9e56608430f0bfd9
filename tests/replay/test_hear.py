"""Several files in one run are heard as each would be alone; and a file's second of silence decides what becomes of a sentence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deploy.app import assemble
from deploy.config import load_config
from deploy.lab.recogniser.pauses import done, spoken_by, voice_of
from deploy.timeline import TimelineEntry
from models.training.voices import available
from voice.audio.wavefile import write

pytestmark = pytest.mark.skipif(not available(), reason="espeak-ng is not installed: nobody there to speak")
VOICE = voice_of(-2)
"""The last two are espeak-ng's: flite may be missing."""


@pytest.fixture(scope="module")
def sounds(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """A window that is opened, the same again, and a step whose end comes after a pause."""
    folder = tmp_path_factory.mktemp("sounds")
    said = (
        ("open the passenger window",),
        ("open the passenger window",),
        ("set the temperature to", "twenty two degrees"),
    )
    paths = tuple(folder / f"{number}.wav" for number in range(len(said)))
    for path, parts in zip(paths, said, strict=True):
        write(path, spoken_by(VOICE, parts, 0.7))
    return paths


def heard(folder: Path, paths: tuple[Path, ...]) -> list[list[TimelineEntry]]:
    flags = {"data.folder": f"{folder}/data", "data.key_file": f"{folder}/key", "asr.engine": "pocketsphinx"}
    with assemble(load_config(flags=flags, environment={})) as assistant:
        return [list(assistant.hear(path)) for path in paths]


FRAMES_S = 0.1
"""A busy machine may find the end of an utterance some frames later, and the recogniser then has them, too."""
SURER = 0.05


def facts(entries: list[TimelineEntry]) -> list[object]:
    """What does not depend on how busy the machine is, exactly, and the rest by about how much it may."""
    return [
        (
            entry.kind,
            re.sub(r"[\d.]+ sure", "sure", entry.text),
            pytest.approx(entry.data.get("confidence", 0.0), abs=SURER),
            pytest.approx(entry.at_s, abs=FRAMES_S) if entry.kind in ("wake", "heard") else None,
        )
        for entry in entries
    ]


def test_every_file_is_heard_as_if_it_were_the_only_one(sounds: tuple[Path, ...], tmp_path: Path) -> None:
    together = heard(tmp_path / "together", sounds)
    first, again, pause = together
    assert facts(first) == facts(again), (
        "the window was open, the recogniser had got used to the voice, the clock went on"
    )
    (alone,) = heard(tmp_path / "alone", sounds[2:])
    assert facts(pause) == facts(alone)
    assert [name for name, _ in done(first)] == ["set_window"]
