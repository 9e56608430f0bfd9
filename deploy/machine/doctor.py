"""Looks at the machine and says what is there, what is missing and what to do.

Owns the checks of ``glovebox doctor``. Changes nothing: in particular no vault and no key is made.
"""

from __future__ import annotations

import ctypes.util
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict

from deploy.config import Config, load_config, unnamed
from deploy.engines import PARSER, ROLES, standing
from models.catalog import Catalog
from schemas.errors import ConfigError, GloveboxError, UnknownEntryError, VaultBusyError
from schemas.events import Samples
from voice.asr import RECOGNIZERS
from voice.audio.echo import PACKAGE
from voice.audio.levels import CLIPPED, OFFSET, loudness_db
from voice.tts import SYNTHESIZERS

LEAST_FREE_MB = 50
"""Under this a vault may not take another drive: it holds kilobytes a trip, SQLite wants room for its journal."""
GOOD_FREE_MB = 500
GOOD_MEMORY_MB = 1200
"""What the assistant may use with the fetched weights (the limit that the demo checks); the profile `small` a third of it."""
WANTED_FLAGS = {"x86_64": ("avx2", "fma", "f16c"), "aarch64": ("asimddp",)}
"""Processor features that the built llama.cpp uses (see deploy/setup/wheels.sh)."""


class Finding(BaseModel):
    """What one check found."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    verdict: Literal["ok", "warn", "fail"]
    text: str
    advice: str = ""
    """What to do; empty for ok."""


def examine(file: Path | None = None, flags: Mapping[str, str] | None = None) -> list[Finding]:
    """All checks, in the order in which a person would make them."""
    findings = [
        check_python(),
        check_processor(Path("/proc/cpuinfo")),
        check_memory(Path("/proc/meminfo")),
        check_compiler(),
    ]
    try:
        config = load_config(file, flags=flags)
        configured = load_config(file, flags=unnamed(flags or {}))
    except ConfigError as error:
        return [
            *findings,
            Finding(name="configuration", verdict="fail", text=str(error), advice="Mend it; the rest waits."),
        ]
    findings.append(Finding(name="configuration", verdict="ok", text=f"profile {config.profile}"))
    findings += [
        check_disk(config.data.folder),
        check_speech(config),
        *(sound := list(check_sound())),
        check_echo(config),
    ]
    if any(finding.name == "microphone" and finding.verdict == "ok" for finding in sound):
        findings.append(check_level(lambda: _second_of_sound(config.audio.input_device)))
    findings += check_engines(config)
    findings += [*check_models(config), check_vault(config, configured)]
    return findings


def check_python(found: tuple[int, int] = sys.version_info[:2]) -> Finding:
    """Python 3.11 or newer."""
    text = f"Python {platform.python_version()} at {sys.executable}"
    if found < (3, 11):
        return Finding(name="python", verdict="fail", text=text, advice="Set up again with Python 3.11 or newer.")
    return Finding(name="python", verdict="ok", text=text)


def check_processor(cpuinfo: Path, machine: str | None = None) -> Finding:
    """The features that the language model's engine was built for."""
    machine = machine or platform.machine()
    wanted = WANTED_FLAGS.get(machine, ())
    words = set(_read(cpuinfo).split())
    missing = [flag for flag in wanted if flag not in words]
    text = f"{machine}, {os.cpu_count()} cores"
    if not words or not wanted:
        advice = "Its features cannot be told; glovebox say hello shows whether the language model runs."
        return Finding(name="processor", verdict="warn", text=text, advice=advice)
    if missing:
        advice = "The language model will be slow: ./deploy/up builds its engine for this processor alone."
        return Finding(name="processor", verdict="warn", text=f"{text}, without {', '.join(missing)}", advice=advice)
    return Finding(name="processor", verdict="ok", text=f"{text}, {', '.join(wanted)}")


def check_memory(meminfo: Path) -> Finding:
    """Memory that a start would find."""
    lines = dict(line.split(":", 1) for line in _read(meminfo).splitlines() if ":" in line)
    words = lines.get("MemAvailable", "").split()
    if not words:
        return Finding(name="memory", verdict="warn", text="cannot be told", advice=f"{GOOD_MEMORY_MB} MB are wanted.")
    free = int(words[0]) // 1024
    if free < GOOD_MEMORY_MB:
        advice = f"Close something: the assistant uses up to {GOOD_MEMORY_MB} MB."
        return Finding(name="memory", verdict="warn", text=f"{free} MB available", advice=advice)
    return Finding(name="memory", verdict="ok", text=f"{free} MB available")


def check_compiler(which: Callable[[str], str | None] = shutil.which) -> Finding:
    """A compiler; only a set-up without kept wheels needs it."""
    found = which("c++")
    if found is None:
        advice = "Needed only to set up anew: apt install build-essential."
        return Finding(name="compiler", verdict="warn", text="no C++ compiler", advice=advice)
    return Finding(name="compiler", verdict="ok", text=found)


def check_disk(folder: Path, free: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free) -> Finding:
    """Room for the vault where it lies."""
    there = next(path for path in (folder, *folder.absolute().parents) if path.is_dir())
    megabytes = free(there) // 1_000_000
    text = f"{megabytes} MB free at {folder}"
    if megabytes < LEAST_FREE_MB:
        return Finding(name="disk", verdict="fail", text=text, advice="Make room: nothing could be remembered.")
    if megabytes < GOOD_FREE_MB:
        return Finding(name="disk", verdict="warn", text=text, advice="Make room before you import models.")
    return Finding(name="disk", verdict="ok", text=text)


def check_speech(config: Config, which: Callable[[str], str | None] = shutil.which) -> Finding:
    """espeak-ng: the voice, and the drivers' voices of the demo."""
    found = which("espeak-ng")
    if found is None:
        verdict = "fail" if config.tts.engine == "espeak" else "warn"
        advice = "apt install espeak-ng"
        return Finding(name="espeak-ng", verdict=verdict, text="not installed", advice=advice)
    try:
        said = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=10, check=False).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding(
            name="espeak-ng", verdict="fail", text=f"{found} does not run: {error}", advice="Install it again."
        )
    return Finding(name="espeak-ng", verdict="ok", text=" ".join(said.split()[:4]) or found)


def check_sound(devices: Callable[[], list[dict[str, Any]]] | None = None) -> Iterator[Finding]:
    """PortAudio, a microphone, a loudspeaker. Without them everything but ``run`` works."""
    without = "glovebox hear FILE.wav, glovebox say TEXT and glovebox demo work without it."
    if devices is None and ctypes.util.find_library("portaudio") is None:
        advice = f"apt install libportaudio2; {without}"
        yield Finding(name="portaudio", verdict="warn", text="libportaudio2 is not installed", advice=advice)
        return
    try:
        found = (devices or _sound_devices)()
    except Exception as error:  # noqa: BLE001 - PortAudio fails in many ways, and all mean the same here
        advice = f"Check the sound system; {without}"
        yield Finding(name="portaudio", verdict="warn", text=f"does not answer ({type(error).__name__})", advice=advice)
        return
    yield Finding(name="portaudio", verdict="ok", text=f"{len(found)} devices")
    for name, key in (("microphone", "max_input_channels"), ("loudspeaker", "max_output_channels")):
        able = [_named(device) for device in found if device[key] > 0]
        if able:
            yield Finding(name=name, verdict="ok", text="; ".join(able))
        else:
            yield Finding(name=name, verdict="warn", text="none", advice=f"Plug one in; {without}")


def check_echo(
    config: Config, has: Callable[[str], bool] = lambda name: importlib.util.find_spec(name) is not None
) -> Finding:
    """Whether the assistant may listen while it speaks."""
    chosen = config.audio.echo
    if chosen == "builtin" and not has(PACKAGE):
        advice = "Run ./deploy/up again; until then only the wake word interrupts a reply."
        return Finding(name="echo", verdict="warn", text="the package pywebrtc-audio is not installed", advice=advice)
    told = {
        "builtin": "cancelled by WebRTC: a reply can be interrupted",
        "system": "left to the sound server; whether it cancels cannot be seen from here",
        "none": "not cancelled: only the wake word interrupts a reply",
    }
    return Finding(name="echo", verdict="ok", text=told[chosen])


def check_level(record: Callable[[], Samples]) -> Finding:
    """A second of the microphone's sound: silent, clipped or beside the zero line, whatever is heard in it."""
    try:
        sound = record()
    except Exception as error:  # noqa: BLE001 - as above
        advice = "The assistant goes on trying to open it; another program may hold it."
        return Finding(name="level", verdict="warn", text=f"cannot be recorded ({type(error).__name__})", advice=advice)
    peak, offset = int(np.abs(sound.astype(np.int32)).max(initial=0)), abs(float(sound.mean()))
    if peak == 0:
        advice = "It may be muted, or its sound server gives silence."
        return Finding(name="level", verdict="warn", text="the microphone gives nothing but silence", advice=advice)
    if float((np.abs(sound.astype(np.int32)) >= 32_700).mean()) > CLIPPED:
        return Finding(name="level", verdict="warn", text="the microphone is clipped", advice="Turn its gain down.")
    beside = f", {offset:.0f} beside the zero line (taken out)" if offset > OFFSET else ""
    return Finding(name="level", verdict="ok", text=f"{loudness_db(sound):.0f} dB of full scale in a second{beside}")


def check_engines(
    config: Config, has: Callable[[str], bool] = lambda name: importlib.util.find_spec(name) is not None
) -> Iterator[Finding]:
    """The packages that run the chosen models."""
    rows = (RECOGNIZERS.rows.get(config.asr.engine), SYNTHESIZERS.rows.get(config.tts.engine))
    better = [row.package for row in rows if row is not None]
    wanted = ["onnxruntime", "llama_cpp", "sqlcipher3", "hnswlib", "pocketsphinx", *(name for name in better if name)]
    missing = [name for name in wanted if not has(name)]
    if not missing:
        yield Finding(name="engines", verdict="ok", text=", ".join(wanted))
    for name in missing:
        verdict = "warn" if name in better else "fail"
        yield Finding(name="engines", verdict=verdict, text=f"{name} is not installed", advice="Run ./deploy/up again.")


def check_models(config: Config) -> Iterator[Finding]:
    """Every byte of the models that the configuration uses."""
    try:
        catalog = Catalog.load(config.data)
    except GloveboxError as error:
        yield Finding(name="models", verdict="fail", text=str(error), advice="Restore it from the repository.")
        return
    wanted = [config.wake.model, config.vad.model, config.encoder.model, PARSER, "asr-pocketsphinx", "asr-domain"]
    choices = [standing(config, catalog, role) for role in ROLES]
    wanted += [choice.rung.model for choice in choices if choice.rung.model is not None]
    if config.data.mixed:
        advice = "Name another folder, and move what lies there."
        yield Finding(name="models", verdict="warn", text=config.data.mixed, advice=advice)
    for line in filter(None, (catalog.trouble, *(choice.told() for choice in choices))):
        yield Finding(name="models", verdict="warn", text=line, advice="glovebox models why tells more.")
    whole: list[str] = []
    for name in wanted:
        try:
            catalog.find(name)
            whole.append(name)
        except GloveboxError as error:
            yield Finding(name="models", verdict="fail", text=str(error), advice="glovebox models list shows them all.")
    if whole:
        yield Finding(name="models", verdict="ok", text=f"whole: {', '.join(whole)}")


def check_vault(config: Config, configured: Config | None = None) -> Finding:
    """The driver's vault opens, if there is one.

    Args:
        config: of this call.
        configured: without the driver who was named on the command line; None: nobody was.
    """
    from deploy.drivers.switching import require_known
    from memory.vault.lifecycle import vault_path

    try:
        require_known(config, configured or config)
    except UnknownEntryError as error:
        return Finding(name="vault", verdict="fail", text=str(error), advice="Name a driver that there is.")
    if not vault_path(config.data.folder, config.driver.name).exists():
        text = f"none yet for driver {config.driver.name}; made at the first start"
        return Finding(name="vault", verdict="ok", text=text)
    from deploy.app import open_memory

    try:
        open_memory(config).close()
    except VaultBusyError as error:
        return Finding(name="vault", verdict="warn", text=str(error), advice="It is in use; nothing is wrong with it.")
    except GloveboxError as error:
        return Finding(name="vault", verdict="fail", text=str(error), advice="Nothing was changed.")
    return Finding(name="vault", verdict="ok", text=f"of driver {config.driver.name} opens")


def _named(device: Mapping[str, Any]) -> str:
    rate = device.get("default_samplerate")
    return f"{device['index']}: {device['name']}" + (f" ({rate:.0f} Hz)" if rate else "")


def _second_of_sound(device: int | str | None) -> Samples:
    import sounddevice

    own = int(sounddevice.query_devices(device, "input")["default_samplerate"])
    recorded = sounddevice.rec(own, samplerate=own, channels=1, dtype="int16", device=device)
    sounddevice.wait()
    return np.asarray(recorded[:, 0], np.int16)


def _sound_devices() -> list[dict[str, Any]]:
    import sounddevice

    return [dict(device) for device in sounddevice.query_devices()]


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
