from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from deploy.config import Config, load_config
from deploy.machine import doctor
from memory.vault.lifecycle import vault_path
from schemas.errors import VaultBusyError, WrongKeyError

GIGABYTE = 1_000_000_000


def config(**flags: str) -> Config:
    return load_config(flags={key.replace("__", "."): value for key, value in flags.items()})


def nothing(_: str) -> None:
    return None


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> Callable[[Exception | None], None]:
    """A vault's file, and what happens when it is opened."""
    chosen = config()
    chosen.data.folder.mkdir(parents=True)
    vault_path(chosen.data.folder, chosen.driver.name).write_bytes(b"x")

    class Opened:
        def close(self) -> None:
            """Nothing to release."""

    def opens(error: Exception | None) -> None:
        def open_memory(_: Config) -> Opened:
            if error is not None:
                raise error
            return Opened()

        app = ModuleType("deploy.app")
        vars(app).update(open_memory=open_memory)
        monkeypatch.setitem(sys.modules, "deploy.app", app)

    return opens


def test_python() -> None:
    assert doctor.check_python().verdict == "ok"
    assert doctor.check_python((3, 10)).verdict == "fail"


@pytest.mark.parametrize(
    ("machine", "text", "verdict"),
    [
        ("x86_64", "flags : fpu avx2 fma f16c", "ok"),
        ("x86_64", "flags : fpu avx", "warn"),
        ("aarch64", "Features : fp asimd asimddp", "ok"),
        ("aarch64", "Features : fp asimd", "warn"),
        ("riscv64", "isa : rv64", "warn"),
        ("x86_64", "", "warn"),
    ],
)
def test_processor(tmp_path: Path, machine: str, text: str, verdict: str) -> None:
    (tmp_path / "cpuinfo").write_text(text, encoding="utf-8")
    finding = doctor.check_processor(tmp_path / "cpuinfo", machine)
    assert finding.verdict == verdict and bool(finding.advice) == (verdict != "ok")


@pytest.mark.parametrize(
    ("text", "verdict"), [("MemAvailable: 2000000 kB", "ok"), ("MemAvailable: 300000 kB", "warn"), ("", "warn")]
)
def test_memory(tmp_path: Path, text: str, verdict: str) -> None:
    (tmp_path / "meminfo").write_text(text, encoding="utf-8")
    assert doctor.check_memory(tmp_path / "meminfo").verdict == verdict


def test_unreadable_proc_files_are_only_a_warning(tmp_path: Path) -> None:
    assert doctor.check_memory(tmp_path / "none").verdict == "warn"
    assert doctor.check_processor(tmp_path / "none").verdict == "warn"


@pytest.mark.parametrize(("free", "verdict"), [(2 * GIGABYTE, "ok"), (100_000_000, "warn"), (1_000_000, "fail")])
def test_disk_looks_where_the_folder_will_be(tmp_path: Path, free: int, verdict: str) -> None:
    asked: list[Path] = []
    finding = doctor.check_disk(tmp_path / "not" / "yet", lambda path: asked.append(path) or free)
    assert finding.verdict == verdict and asked == [tmp_path]


def test_compiler_and_espeak() -> None:
    assert doctor.check_compiler(nothing).verdict == "warn"
    assert doctor.check_compiler(lambda _: "/usr/bin/c++").verdict == "ok"
    assert doctor.check_speech(config(tts__engine="espeak"), nothing).verdict == "fail"
    assert doctor.check_speech(config(), nothing).verdict == "warn"
    assert doctor.check_speech(config(), lambda _: "/none/espeak-ng").verdict == "fail"
    assert doctor.check_speech(config(), lambda _: sys.executable).verdict == "ok"


def test_sound_without_devices_says_what_still_works() -> None:
    portaudio, microphone, loudspeaker = doctor.check_sound(list[dict[str, Any]])
    assert portaudio.verdict == "ok" and microphone.verdict == loudspeaker.verdict == "warn"
    assert "glovebox hear FILE.wav" in microphone.advice


def test_sound_names_the_devices() -> None:
    devices = [{"index": 3, "name": "USB", "max_input_channels": 1, "max_output_channels": 0}]
    _, microphone, loudspeaker = doctor.check_sound(lambda: devices)
    assert microphone.text == "3: USB" and loudspeaker.verdict == "warn"


def test_a_device_is_named_with_its_rate() -> None:
    devices = [
        {"index": 0, "name": "USB", "max_input_channels": 1, "max_output_channels": 1, "default_samplerate": 44_100.0}
    ]
    _, microphone, _ = doctor.check_sound(lambda: devices)
    assert microphone.text == "0: USB (44100 Hz)"


@pytest.mark.parametrize(("echo", "there", "verdict", "words"), [
    ("builtin", True, "ok", "WebRTC"), ("builtin", False, "warn", "pywebrtc-audio"), ("system", False, "ok", "sound server"),
    ("none", True, "ok", "not cancelled"),
])  # fmt: skip
def test_the_echo_is_cancelled_or_not(echo: str, there: bool, verdict: str, words: str) -> None:
    finding = doctor.check_echo(config(audio__echo=echo), lambda _: there)
    assert finding.verdict == verdict and words in finding.text


def test_the_level_of_the_microphone() -> None:
    drawn = np.random.default_rng(1).normal(0, 300, 16_000)
    assert doctor.check_level(lambda: drawn.astype(np.int16)).text == "-41 dB of full scale in a second"
    assert "zero line" in doctor.check_level(lambda: (drawn + 2000).astype(np.int16)).text
    assert "silence" in doctor.check_level(lambda: np.zeros(16_000, np.int16)).text
    assert "clipped" in doctor.check_level(lambda: np.full(16_000, 32_767, np.int16)).text

    def busy() -> np.ndarray[tuple[int], np.dtype[np.int16]]:
        raise OSError("busy")

    assert doctor.check_level(busy).verdict == "warn"


def test_sound_that_does_not_answer_is_a_warning() -> None:
    def broken() -> list[dict[str, Any]]:
        raise OSError("PortAudio library not found")

    (finding,) = doctor.check_sound(broken)
    assert finding.verdict == "warn" and "OSError" in finding.text


def test_an_engine_that_is_missing_is_a_failure_only_if_nothing_can_stand_in_for_it() -> None:
    (fine,) = doctor.check_engines(config(), lambda _: True)
    assert fine.verdict == "ok" and "pocketsphinx" in fine.text
    (better,) = doctor.check_engines(config(), lambda name: name != "faster_whisper")
    assert better.verdict == "warn" and "faster_whisper" in better.text
    (core,) = doctor.check_engines(config(), lambda name: name != "hnswlib")
    assert core.verdict == "fail" and "./deploy/up" in core.advice
    (small,) = doctor.check_engines(config(asr__engine="pocketsphinx"), lambda name: name != "faster_whisper")
    assert small.verdict == "ok"


def test_models_are_verified_by_role(tmp_path: Path) -> None:
    findings = list(
        doctor.check_models(
            config(
                profile="small",
                talker__model="nothing",
                encoder__model=str(tmp_path),
                vad__model="no",
                wake__model="vad-silero",
            )
        )
    )
    assert [finding.verdict for finding in findings] == ["warn", "fail", "ok"]
    assert findings[0].text.startswith("Small talk: sentences instead of nothing: ")
    assert "'no'" in findings[1].text and str(tmp_path) in findings[2].text


def test_no_vault_yet_is_fine_and_none_is_made() -> None:
    chosen = config()
    assert doctor.check_vault(chosen).verdict == "ok"
    assert not chosen.data.folder.exists() and not chosen.data.key_file.exists()


def test_no_vault_is_promised_to_a_driver_who_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_sound_devices", list[dict[str, Any]])

    def vault(name: str) -> doctor.Finding:
        (found,) = (one for one in doctor.examine(None, {"driver.name": name}) if one.name == "vault")
        return found

    there = config().driver.name
    assert vault(there).verdict == "ok" and "made at the first start" in vault(there).text
    assert vault("zork").verdict == "fail" and "no driver is called 'zork'" in vault("zork").text
    assert not config().data.folder.exists()


@pytest.mark.parametrize(
    ("error", "verdict"), [(None, "ok"), (VaultBusyError("in use"), "warn"), (WrongKeyError("does not fit"), "fail")]
)
def test_vault(memory: Callable[[Exception | None], None], error: Exception | None, verdict: str) -> None:
    memory(error)
    assert doctor.check_vault(config()).verdict == verdict


def test_a_wrong_configuration_is_a_finding_and_ends_the_examination() -> None:
    findings = doctor.examine(None, {"talker.treads": "1"})
    assert findings[-1].name == "configuration" and findings[-1].verdict == "fail"
    assert "did you mean talker.threads?" in findings[-1].text


def test_the_whole_examination_covers_every_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_sound_devices", list[dict[str, Any]])
    names = {finding.name for finding in doctor.examine()}
    assert names >= {"python", "processor", "memory", "compiler", "configuration", "disk", "espeak-ng", "portaudio"}
    assert names >= {"engines", "models", "vault"}
    assert os.environ["HOME"] in str(config().data.folder)


def test_models_in_the_personal_folder_are_told_once(tmp_path: Path) -> None:
    apart = config(data__folder=str(tmp_path / "own"), data__models=str(tmp_path / "own-models"))
    within = config(data__folder=str(tmp_path / "own"), data__models=str(tmp_path / "own" / "models"))
    told = [
        [found.text for found in doctor.check_models(one) if "personal folder" in found.text] for one in (apart, within)
    ]
    assert told[0] == [] and len(told[1]) == 1
