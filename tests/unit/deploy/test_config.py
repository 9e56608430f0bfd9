from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from deploy import config as configuration
from deploy.config import DEFAULTS, PROFILES, Config, keys, load, load_config
from schemas.errors import ConfigError
from tests.architecture.test_packages import MODULES

EMPTY: dict[str, str] = {"HOME": "/home/somebody"}


def device_file(folder: Path, text: str) -> Path:
    path = folder / "glovebox.toml"
    path.write_text(text, encoding="utf-8")
    return path


def leaf(config: Config, key: str) -> Any:
    value: Any = config
    for part in key.split("."):
        value = getattr(value, part)
    return value


def test_defaults_load_without_any_other_source() -> None:
    config = load_config(environment=EMPTY)
    assert config.asr.engine == "together" and config.asr.model == ("whisper-base", "whisper-tiny-en")
    assert config.data.models == Path("/home/somebody/.local/share/glovebox-models")
    assert config.data.catalog == Path("/home/somebody/.config/glovebox/models.toml")
    assert config.data.folder == Path("/home/somebody/.local/share/glovebox")
    assert config.data.key_file == Path("/home/somebody/.config/glovebox/vault.key")


def test_every_key_is_written_or_named_in_the_default_file() -> None:
    text = DEFAULTS.read_text("utf-8")
    section, found = "", set[str]()
    for line in text.splitlines():
        name = line.lstrip("# ").partition("=")[0].strip()
        if line.startswith("["):
            section = line.strip("[]") + "."
        elif name.isidentifier() and "=" in line:
            found.add(f"{section}{name}")
    assert set(keys()) - found == set()


def test_the_home_of_somebody_who_does_not_exist_is_a_path_that_is_not_there() -> None:
    config = load_config(environment={}, flags={"vehicle.organizer": "~nobody-of-that-name/organizer.json"})
    assert config.vehicle.organizer is not None and not config.vehicle.organizer.exists()


def test_flags_beat_environment_beats_file_beats_profile_beats_defaults(tmp_path: Path) -> None:
    file = device_file(tmp_path, 'profile = "pi5"\n[talker]\nthreads = 6\ngpu_layers = 3\n[tts]\npitch = 10\n')
    environment = {**EMPTY, "GLOVEBOX_TALKER__THREADS": "7", "GLOVEBOX_TTS__PITCH": "20"}
    loaded = load(file, flags={"talker.threads": "8"}, environment=environment)
    config = loaded.config
    assert config.talker.threads == 8  # the flag
    assert config.tts.pitch == 20  # the environment
    assert config.talker.gpu_layers == 3  # the file
    assert config.asr.model[0] == "whisper-base-en"  # the profile
    assert config.wake.keyword == "computer"  # the defaults
    assert loaded.origins["talker.threads"] == "the command line"
    assert loaded.origins["tts.pitch"] == "the environment"
    assert loaded.origins["talker.gpu_layers"] == str(file)
    assert loaded.origins["asr.model"] == str(PROFILES / "pi5.toml")
    assert loaded.origins["wake.keyword"] == str(DEFAULTS)


@pytest.mark.parametrize("profile", ["default", "small", "pi5", "jetson"])
def test_every_profile_is_valid(profile: str) -> None:
    assert load_config(environment={**EMPTY, "GLOVEBOX_PROFILE": profile}).profile == profile


def test_the_users_own_file_comes_before_the_systems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system = device_file(tmp_path, "[tts]\npitch = 11\n")
    monkeypatch.setattr(configuration, "SYSTEM_FILE", system)
    environment = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    assert load_config(environment=environment).tts.pitch == 11
    own = tmp_path / "config" / "glovebox"
    own.mkdir(parents=True)
    device_file(own, "[tts]\npitch = 12\n")
    assert load_config(environment=environment).tts.pitch == 12


def test_a_relative_path_is_relative_to_its_file(tmp_path: Path) -> None:
    file = device_file(
        tmp_path, '[data]\nfolder = "./here"\n[talker]\nmodel = "../other.gguf"\n[tts]\nmodel = ["./a.onnx", "b"]\n'
    )
    config = load_config(file, environment=EMPTY)
    assert config.data.folder == tmp_path / "here"
    assert config.talker.model == (str(tmp_path / "../other.gguf"),)
    assert config.tts.model == (str(tmp_path / "a.onnx"), "b")


def test_relative_xdg_folders_are_ignored() -> None:
    config = load_config(environment={**EMPTY, "XDG_DATA_HOME": "relative"})
    assert config.data.folder == Path("/home/somebody/.local/share/glovebox")


def test_names_of_the_setup_and_the_tests_are_no_settings() -> None:
    environment = {**EMPTY, "GLOVEBOX_DATA": "../shared/data", "GLOVEBOX_CACHE": "/var/x", "GLOVEBOX_NO_APT": "1"}
    assert load_config(environment=environment) == load_config(environment=EMPTY)


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("talker.treads", "did you mean talker.threads?"),
        ("talkr.threads", "did you mean talker?"),
        ("wake.treshold", "did you mean wake.threshold?"),
        ("endpoint.hurry_s", "did you mean endpoint.hurry_silence_s?"),
        ("voice", "did you mean tts.voice?"),
        ("talker.temperature", "[talker] has model, adapter"),
        ("qqq", "`glovebox config show` lists all"),
    ],
)
def test_an_unknown_key_says_what_was_meant(wrong: str, meant: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(flags={wrong: "1"}, environment=EMPTY)
    assert meant in str(caught.value)


@pytest.mark.parametrize("text", ["[parser]\ngpu_layers = -1\n", "[parser]\n", "parser = 3\n"])
def test_a_section_of_before_is_named_with_its_name_of_now(tmp_path: Path, text: str) -> None:
    file = device_file(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load_config(file, environment=EMPTY)
    assert str(caught.value) == f"{file}: the section [parser] is now [talker]; write that instead"


def test_an_unknown_key_names_its_source(tmp_path: Path) -> None:
    file = device_file(tmp_path, "[talker]\ntreads = 2\n")
    with pytest.raises(ConfigError, match=str(file)):
        load_config(file, environment=EMPTY)
    with pytest.raises(ConfigError, match=r"the environment: there is no setting talker\.treads"):
        load_config(environment={**EMPTY, "GLOVEBOX_TALKER__TREADS": "2"})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("talker.threads", "many"),
        ("talker.threads", "0"),
        ("wake.threshold", "1.5"),
        ("profile", "pi6"),
        ("driver.name", "A b"),
    ],
)
def test_a_value_that_does_not_fit_is_named(key: str, value: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(flags={key: value}, environment=EMPTY)
    assert f"{key} = '{value}' does not fit" in str(caught.value)


@pytest.mark.parametrize(
    ("flags", "needle"),
    [
        ({"tts.engine": "piper", "tts.model": ""}, "engine piper needs a model"),
        ({"asr.engine": "whisper", "asr.model": ""}, "engine whisper needs a model"),
        ({"vad.stop_below": "0.9"}, "stop_below (0.9) must not lie above start_at (0.5)"),
        (
            {"endpoint.silence_s": "0.1"},
            "hurry_silence_s <= whole_silence_s, silence_s, middle_silence_s, unfinished_silence_s < max_utterance_s",
        ),
    ],
)
def test_settings_that_do_not_go_together(flags: dict[str, str], needle: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(flags=flags, environment=EMPTY)
    assert needle in str(caught.value)


def test_a_missing_file_is_an_error_and_a_missing_default_place_is_not(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="does not exist"):
        load_config(tmp_path / "none.toml", environment=EMPTY)


@pytest.mark.parametrize("text", ["[talker\n", "[talker]\nthreads = \n"])
def test_broken_toml_names_file_and_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError, match=r"not valid TOML: .*line \d"):
        load_config(device_file(tmp_path, text), environment=EMPTY)


@pytest.mark.parametrize(
    "text", ["a=" + "[" * 5_000, ".".join("a" * 900) + "=1", ".".join("a" * 9_000) + "=1", "a=" + "{a=" * 5_000]
)
def test_values_without_end_are_told(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError, match="values in values"):
        load_config(device_file(tmp_path, text), environment=EMPTY)


def test_a_flag_and_a_variable_without_end_are_told() -> None:
    with pytest.raises(ConfigError, match="values in values"):
        load_config(flags={".".join("a" * 3_000): "1"}, environment=EMPTY)
    with pytest.raises(ConfigError, match="values in values"):
        load_config(environment={**EMPTY, "GLOVEBOX_DRIVER__OTHERS": "[" * 5_000})


def test_a_file_that_is_no_text_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "glovebox.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(path, environment=EMPTY)


def test_a_device_is_a_number_or_a_name() -> None:
    assert load_config(flags={"audio.input_device": "3"}, environment=EMPTY).audio.input_device == 3
    assert load_config(flags={"audio.input_device": "USB"}, environment=EMPTY).audio.input_device == "USB"


def test_the_configuration_survives_json() -> None:
    config = load_config(environment=EMPTY)
    assert Config.model_validate(config.model_dump(mode="json")) == config


def test_it_is_frozen_at_every_level() -> None:
    config = load_config(environment=EMPTY)
    for section in (config, *(getattr(config, name) for name in Config.model_fields)):
        if isinstance(section, BaseModel):
            assert section.model_config.get("frozen") and section.model_config.get("extra") == "forbid"


def test_numbers_say_their_unit() -> None:
    for key in keys():
        value = leaf(load_config(environment=EMPTY), key)
        if isinstance(value, float):
            assert key.endswith(("_s", "_at", "_below", "_floor")), f"{key}: seconds end in _s, probabilities in _at"


def test_the_defaults_are_those_that_the_parts_were_measured_with() -> None:
    from deploy.app import memory_settings
    from memory.service import MemorySettings
    from memory.settings import BackupSettings
    from vehicle.policy import CONFIRMATION_S
    from voice.account import LoopSettings
    from voice.dialogue.coordinator import DialogueSettings
    from voice.settings import CoordinatorSettings, EndpointSettings, SpeechThresholds
    from voice.tts.espeak import EspeakSettings
    from voice.turn import Limits

    config = load_config(environment=EMPTY)
    assert config.dialogue == CoordinatorSettings()
    assert config.endpoint == EndpointSettings()
    assert SpeechThresholds(**config.vad.model_dump(exclude={"model"})) == SpeechThresholds()
    assert config.memory.backups == BackupSettings()
    turn = config.turn.model_dump()
    assert Limits(**{name: turn[name] for name in turn if hasattr(Limits(), name)}) == Limits()
    assert LoopSettings(**{name: turn[name] for name in turn if hasattr(LoopSettings(), name)}) == LoopSettings()
    assert memory_settings(config) == MemorySettings()
    assert config.memory.questions_per_trip == DialogueSettings().questions
    assert config.vehicle.confirmation_s == CONFIRMATION_S
    voice = EspeakSettings(voice=config.tts.voice, speed=config.tts.speed_wpm, pitch=config.tts.pitch)
    assert voice == EspeakSettings()


def test_no_package_has_settings_of_a_name_that_another_has() -> None:
    """What can be configured is defined once, in its package, and nested into the configuration."""
    defined = Counter(
        name
        for path in MODULES
        for name in re.findall(r"^class ([A-Z]\w+Settings)\b", path.read_text("utf-8"), re.MULTILINE)
    )
    assert [name for name, times in defined.items() if times > 1] == []


def test_a_folder_in_place_of_a_file_is_told_as_what_it_is(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is a folder"):
        load_config(tmp_path)
