"""Another package adds an engine, an adapter, a key source: configuration chooses it, and a bad one is told in a sentence."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from deploy.config import load_config
from deploy.drivers.keys import device_key
from deploy.engines import Engines
from memory.vault.keys import KEY_SOURCES
from models.catalog import Catalog
from models.commands.matcher import TemplateMatcher
from models.commands.templates import load_templates
from schemas.clock import StreamClock
from schemas.errors import ConfigError, EngineMissingError
from schemas.registry import Registry
from vehicle.adapters import ADAPTERS, open_adapter
from voice.asr import RECOGNIZERS
from voice.tts import SYNTHESIZERS
from voice.wake import WAKE_WORDS

ROOT = Path(__file__).parents[3]
REGISTRIES = (RECOGNIZERS, SYNTHESIZERS, WAKE_WORDS, ADAPTERS, KEY_SOURCES)
MODULE = """
class Car:
    def __init__(self, clock, *, speed): self.clock, self.speed = clock, speed


class Thing:
    def __init__(self, needs): self.needs = needs


NOTHING = None
"""
ENTRIES = """
[glovebox.recognizers]
stranger = stranger_glovebox:Thing
[glovebox.voices]
stranger = stranger_glovebox:Thing
espeak = stranger_glovebox:Thing
lost = no_such_module:Hum
empty = stranger_glovebox:NOTHING
[glovebox.wake_words]
stranger = stranger_glovebox:Thing
[glovebox.adapters]
stranger = stranger_glovebox:Car
lost = no_such_module:Car
[glovebox.key_sources]
stranger = stranger_glovebox:Thing
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder into which that package was installed."""
    info = tmp_path / "site" / "stranger_glovebox-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger-glovebox\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRIES)
    (info.parent / "stranger_glovebox.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(info.parent))
    return info.parent


@pytest.mark.usefixtures("site")
def test_engines_of_another_package_are_chosen_by_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    named = dict.fromkeys(["asr.engine", "tts.engine", "wake.engine", "memory.key.source"], "stranger")
    config = load_config(flags=named, environment={})
    engines = Engines(config, Catalog.load(config.data))
    recognizer, voice = engines.recognizer(lambda: TemplateMatcher(load_templates())), engines.synthesizer()
    assert [type(one).__module__ for one in (recognizer, voice, engines.wake_word(recognizer))] == [
        "stranger_glovebox"
    ] * 3
    assert engines.told() == () and {str(choice.rung) for choice in engines.choices.values()} == {"stranger"}
    assert device_key(config).needs.driver == config.driver.name  # type: ignore[attr-defined]
    monkeypatch.delitem(sys.modules, "stranger_glovebox")


@pytest.mark.usefixtures("site")
def test_an_adapter_of_another_package_gets_its_settings(tmp_path: Path) -> None:
    file = tmp_path / "glovebox.toml"
    file.write_text('[vehicle]\nadapter = "stranger"\n[vehicle.added]\nspeed = 30\n')
    settings = load_config(file, environment={}).vehicle
    car = open_adapter(settings.adapter, clock=StreamClock(), **settings.options())
    assert car.speed == 30  # type: ignore[attr-defined]


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize(
    ("name", "told"), [("lost", "cannot be imported: No module named"), ("empty", "is no function")]
)
def test_one_that_leads_nowhere_is_told_in_a_sentence_and_the_next_best_speaks(name: str, told: str) -> None:
    config = load_config(flags={"tts.engine": name}, environment={})
    engines = Engines(config, Catalog.load(config.data))
    engines.synthesizer()
    (line,) = engines.told()
    assert line.startswith(f"Voice: espeak instead of {name}: the voice {name!r} of stranger-glovebox (")
    assert told in line and "\n" not in line


@pytest.mark.usefixtures("site")
def test_an_adapter_that_leads_nowhere_is_a_mistake_of_the_configuration() -> None:
    with pytest.raises(ConfigError, match=r"the vehicle adapter 'lost' of stranger-glovebox \(no_such_module:Car\)"):
        open_adapter("lost", clock=StreamClock())


@pytest.mark.usefixtures("site")
def test_no_package_takes_the_place_of_ours() -> None:
    assert SYNTHESIZERS.opener("espeak").__module__ == "voice.tts.espeak" and "espeak" not in SYNTHESIZERS.added()
    assert SYNTHESIZERS.names() == ("espeak", "piper", "wyoming", "empty", "lost", "stranger")


@pytest.mark.parametrize("key", ["asr.engine", "tts.engine", "wake.engine", "vehicle.adapter", "memory.key.source"])
def test_what_is_not_installed_is_told_when_the_configuration_is_read(key: str) -> None:
    with pytest.raises(ConfigError, match=rf"{re.escape(key)}.*is called 'stranger'; there are "):
        load_config(flags={key: "stranger"}, environment={})


@pytest.mark.parametrize("registry", REGISTRIES, ids=lambda registry: registry.kind)
def test_every_row_of_ours_leads_to_a_function(registry: Registry) -> None:
    for name in registry.rows:
        assert callable(registry.opener(name))
    with pytest.raises((ConfigError, EngineMissingError), match="did you mean"):
        registry.opener(f"{next(iter(registry.rows))}x")


def test_the_voice_of_the_guide_is_installed_chosen_and_meets_the_contract(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guide = (ROOT / "docs" / "extending.md").read_text("utf-8")
    blocks = dict(re.findall(r"^`([\w.]+)`[^\n]*:\n\n```\w+\n(.*?)```\n", guide, flags=re.MULTILINE | re.DOTALL))
    project = tomllib.loads(blocks["pyproject.toml"])["project"]
    info = tmp_path / "glovebox_hum-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    (info / "entry_points.txt").write_text(
        "".join(f"[{group}]\n{name} = {one}\n" for group, has in project["entry-points"].items() for name, one in has.items())
    )  # fmt: skip
    for name in ("glovebox_hum.py", "glovebox.toml"):
        (tmp_path / name).write_text(blocks[name])
    monkeypatch.syspath_prepend(str(tmp_path))
    config = load_config(tmp_path / "glovebox.toml", environment={})
    engines = Engines(config, Catalog.load(config.data))
    assert type(engines.synthesizer()).__module__ == "glovebox_hum" and engines.told() == ()
    monkeypatch.delitem(sys.modules, "glovebox_hum")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/contract/test_synthesizer.py", "-k", "hum"],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-2_000:]
    assert re.search(r"\b1[0-9] passed", ran.stdout)
