"""The set-up's shell functions, without a network and without building anything."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
SCRIPTS = [
    ROOT / "deploy" / "up",
    ROOT / "deploy" / "check",
    ROOT / ".ci" / "run",
    *(ROOT / "deploy" / "setup").glob("*.sh"),
]
BASH = shutil.which("bash") or "/bin/bash"
PRELUDE = """
set -euo pipefail
. "$ROOT/deploy/setup/progress.sh"; . "$ROOT/deploy/setup/machine.sh"
. "$ROOT/deploy/setup/wheels.sh"; . "$ROOT/deploy/setup/environment.sh"; . "$ROOT/deploy/setup/weights.sh"
"""
TOOLS = ("bash", "sh", "awk", "cat", "cut", "df", "dirname", "grep", "head", "id", "mkdir", "mktemp", "mv", "rm", "rmdir", "sed",
         "sha256sum", "sleep", "tail", "tr", "uname", "flock")  # fmt: skip


WITHIN_S = 600
"""Longest time for a script, on however busy a machine."""


def shell(code: str, root: Path = ROOT, *, path: str | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "ROOT": str(root),
        "HOME": str(root),
        "PATH": path or os.environ["PATH"],
        "GLOVEBOX_CACHE": str(root / "c"),
    }
    command = [BASH, "-c", PRELUDE + code]
    return subprocess.run(
        command, env={**environment, **env}, capture_output=True, text=True, check=False, timeout=WITHIN_S
    )


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder with what the set-up reads, and nothing set up."""
    root = tmp_path / "clone"
    shutil.copytree(ROOT / "deploy" / "setup", root / "deploy" / "setup")
    shutil.copytree(ROOT / "deploy" / "profiles", root / "deploy" / "profiles")
    (root / "models").mkdir()
    for name in ("pyproject.toml", "deploy/up", "deploy/constraints.txt", "deploy/default.toml", "models/catalog.toml"):
        shutil.copy(ROOT / name, root / name)
    return root


@pytest.fixture
def bare(tmp_path: Path) -> str:
    """A PATH with a shell's tools and no espeak-ng, compiler, apt or sudo."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in TOOLS:
        if (found := shutil.which(tool)) is not None:
            (folder / tool).symlink_to(found)
    return str(folder)


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{BASH}\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_are_valid_and_name_no_host(script: Path) -> None:
    assert subprocess.run([BASH, "-n", str(script)], check=False).returncode == 0
    assert "://" not in script.read_text("utf-8")
    if script.suffix != ".sh":
        assert os.access(script, os.X_OK)


def test_what_is_missing_is_named_in_one_error(clone: Path, bare: str) -> None:
    done = shell(f'check_machine "{sys.executable}" yes', clone, path=bare)
    assert done.returncode == 1 and done.stdout == ""
    assert "Set-up stopped: this machine lacks: espeak-ng" in done.stderr and "build-essential" in done.stderr
    assert "run this again" in done.stderr


def test_a_compiler_is_wanted_only_when_something_is_built(clone: Path, bare: str) -> None:
    building = shell(f'missing_packages "{sys.executable}" yes', clone, path=bare).stdout.split()
    kept = shell(f'missing_packages "{sys.executable}" no', clone, path=bare).stdout.split()
    assert "build-essential" in building and "build-essential" not in kept and "espeak-ng" in kept


def test_apt_is_left_alone_when_told_so(clone: Path, bare: str) -> None:
    program(Path(bare) / "apt-get", "exit 0")
    assert shell("may_install", clone, path=bare, GLOVEBOX_NO_APT="1").returncode == 1


def test_apt_updates_and_tries_again_when_a_package_is_not_found(clone: Path, bare: str) -> None:
    program(
        Path(bare) / "apt-get",
        f'echo "$1" >>"{clone}/calls"; [ "$1" = update ] && : >"{clone}/fresh"; [ -f "{clone}/fresh" ]',
    )
    assert shell('as_root() { "$@"; }; apt_install espeak-ng', clone, path=bare).returncode == 0
    assert (clone / "calls").read_text("utf-8").split() == ["install", "update", "install"]


def test_mosquitto_is_offered_and_nothing_stops_without_it(clone: Path, bare: str) -> None:
    absent = "has_mosquitto() { false; };"
    told = shell(f"{absent} offer_mosquitto", clone, path=bare, GLOVEBOX_NO_APT="1")
    assert told.returncode == 0 and "will be skipped" in told.stderr
    installs = f'apt_install() {{ echo "$@" >>"{clone}/calls"; false; }}'
    failing = f'{absent} may_install() {{ true; }}; {installs}; mkdir -p "$LOGS"; offer_mosquitto'
    done = shell(failing, clone, path=bare)
    assert done.returncode == 0 and "could not be installed" in done.stderr
    assert (clone / "calls").read_text("utf-8") == "mosquitto\n"
    there = shell("has_mosquitto() { true; }; may_install() { echo asked; }; offer_mosquitto", clone, path=bare)
    assert there.returncode == 0 and there.stdout == "" and there.stderr == ""


def test_axe_is_fetched_as_the_lock_file_says_and_nothing_stops_without_it(clone: Path) -> None:
    shutil.copytree(ROOT / "tests" / "screen" / "axe", clone / "tests" / "screen" / "axe")
    assert '"integrity": "sha512-' in (clone / "tests/screen/axe/package-lock.json").read_text("utf-8")
    python = clone / ".venv" / "bin" / "python"
    program(python, f'echo "$@" >"{clone}/asked"; exit 1')
    failed = shell("offer_axe; axe_there", clone)
    assert failed.returncode == 1 and "in CI they fail" in failed.stderr
    assert "ci --ignore-scripts" in (clone / "asked").read_text("utf-8")
    program(python, "mkdir -p node_modules/axe-core; echo script >node_modules/axe-core/axe.min.js")
    assert shell("offer_axe; axe_there", clone).returncode == 0
    program(python, "exit 1")
    assert shell("offer_axe", clone).stderr == ""  # it is there
    (clone / "tests/screen/axe/package-lock.json").write_text("another version", "utf-8")
    assert shell("axe_there", clone).returncode == 1


def test_an_old_python_is_not_taken(clone: Path, bare: str) -> None:
    program(Path(bare) / "python3", "exit 1")
    done = shell("find_python", clone, path=bare)
    assert done.returncode == 1 and "no Python 3.11 or newer" in done.stderr
    named = shell("find_python", clone, path=bare, GLOVEBOX_PYTHON="python3")
    assert "GLOVEBOX_PYTHON is python3" in named.stderr
    assert shell("find_python", clone, GLOVEBOX_PYTHON=sys.executable).stdout.strip() == sys.executable


def test_the_packages_that_are_built_are_pinned(clone: Path) -> None:
    done = shell('for name in "${BUILT[@]}"; do echo "$name $(pinned "$name")"; done', clone)
    pins = dict(line.split() for line in done.stdout.splitlines())
    assert set(pins) == {"llama-cpp-python", "hnswlib"} and all(pins.values())


def test_a_kept_wheel_is_used_and_a_damaged_one_removed(clone: Path) -> None:
    version = shell("pinned hnswlib", clone).stdout.strip()
    folder = clone / "c" / "wheels" / "here"
    folder.mkdir(parents=True)
    wheel = folder / f"hnswlib-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("hnswlib.py", "x = 1\n" * 100)
    code = f'kept_wheel "{sys.executable}" "{folder}" hnswlib'
    assert shell(code, clone).stdout.strip() == str(wheel)
    wheel.write_bytes(wheel.read_bytes()[:-40])
    assert shell(code, clone).stdout == "" and not wheel.exists()
    other = folder / "hnswlib-0.0.1-py3-none-any.whl"
    other.write_bytes(b"")
    assert shell(code, clone).stdout == "" and other.exists(), "another version's wheel is left alone"


def named(clone: Path, mode: str) -> set[str]:
    """The packages of a mode, by their lines in the list of digests."""
    lines = shell(f"hashed {mode}", clone).stdout.splitlines()
    assert all(line.startswith("    --hash=sha256:") or "==" in line for line in lines)
    return {line.partition("==")[0] for line in lines if not line.startswith(" ")}


def test_what_is_fetched_follows_the_mode_and_the_digests(clone: Path) -> None:
    small, without, default, dev, build = (
        named(clone, mode) for mode in ("small", "without-piper", "default", "dev", "build")
    )
    assert {"pydantic", "uvicorn", "numpy"} <= small < without < default < dev
    assert "faster-whisper" in without - small and "piper-tts" in default - without and "pytest" in dev - default
    assert {"hatchling", "editables", "scikit-build-core"} <= build and not {"llama-cpp-python", "hnswlib"} & (
        dev | build
    )
    with_can = set(shell("GLOVEBOX_WITH=can,mqtt; hashed small", clone).stdout.splitlines())
    wires = {line.partition("==")[0] for line in with_can if not line.startswith(" ")} - small
    assert {"python-can", "cantools", "paho-mqtt"} <= wires <= dev and "kuksa-client" not in wires
    assert shell("GLOVEBOX_WITH=can; hashed build", clone).stdout == shell("hashed build", clone).stdout
    before = shell("fetched_mark folder default", clone).stdout
    hashes = clone / "deploy" / "setup" / "hashes.txt"
    hashes.write_text(hashes.read_text("utf-8").replace("--hash=sha256:0", "--hash=sha256:1"), "utf-8")
    assert shell("fetched_mark folder default", clone).stdout != before


def test_every_pin_has_its_digests_and_no_other_version() -> None:
    """`deploy/setup/renew.py` was run since the pins were changed."""

    def plain(text: str) -> set[tuple[str, str]]:
        found = re.findall(r"^([A-Za-z0-9._-]+)==([^ \\\n]+)", text, re.MULTILINE)
        return {(re.sub(r"[-_.]+", "-", name).lower(), version) for name, version in found}

    text = (ROOT / "deploy" / "setup" / "hashes.txt").read_text("utf-8")
    pins, listed = plain((ROOT / "deploy" / "constraints.txt").read_text("utf-8")), plain(text)
    assert pins <= listed
    blocks = text.split("# modes:")[1:]
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}$", block.strip()) for block in blocks)


@pytest.mark.parametrize(("kept", "fetched"), [("small", True), ("default", False), ("dev", False)])
def test_what_was_fetched_for_more_serves_for_less(clone: Path, kept: str, fetched: bool) -> None:
    (clone / ".venv" / "bin").mkdir(parents=True)
    (clone / ".venv" / "bin" / "python").symlink_to(sys.executable)
    code = f': >"$(fetched_mark "$ROOT" {kept})"; watch_command() {{ echo fetching; }}; fetch_packages "$ROOT" without-piper'
    assert ("fetching" in shell(code, clone).stdout) == fetched


INSTALLING = """
kept_wheel() { echo "$2/$3.whl"; }; fetched_mark() { echo "$1/mark"; }; fetch_all() { echo fetched >>"$ROOT/calls"; }
mkdir -p "$LOGS"; : >"$ROOT/mark"; : >"$ROOT/damaged.whl"; : >"$ROOT/hnswlib-1.whl"
"""


def test_what_is_kept_is_installed_by_its_digests_without_an_index(clone: Path) -> None:
    program(clone / ".venv" / "bin" / "python", f'echo "$*" >>"{clone}/calls"')
    assert shell(f'{INSTALLING} install_all "$ROOT" dev', clone).returncode == 0
    packages, built, own = (clone / "calls").read_text("utf-8").splitlines()
    assert "--require-hashes" in packages and all("--no-index --no-deps" in one for one in (packages, built, own))
    assert "llama-cpp-python.whl" in built and own.endswith(f"--editable {clone}") and (clone / "mark").exists()


def test_what_is_damaged_is_fetched_again_and_what_was_built_stays(clone: Path) -> None:
    program(
        clone / ".venv" / "bin" / "python",
        f'echo "$*" >>"{clone}/calls"; [[ "$*" != *--require-hashes* ]] || [ ! -f "{clone}/damaged.whl" ]',
    )
    assert shell(f'{INSTALLING} install_all "$ROOT" dev', clone).returncode == 0
    calls = (clone / "calls").read_text("utf-8").splitlines()
    assert calls[1] == "fetched" and len(calls) == 5 and not (clone / "mark").exists()
    assert (clone / "hnswlib-1.whl").exists() and not (clone / "damaged.whl").exists()


def test_a_stamp_counts_only_while_nothing_has_changed(clone: Path) -> None:
    program(clone / ".venv" / "bin" / "glovebox", "exit 0")
    (clone / ".venv" / "bin" / "python").symlink_to(sys.executable)
    stamp = 'printf "%s %s\\n" "$(environment_digest)" dev >"$STAMP"'
    path = f"{clone}/fake:{os.environ['PATH']}"
    program(clone / "fake" / "espeak-ng", "exit 0")
    assert shell("environment_ready default", clone, path=path).returncode == 1
    assert shell(f"{stamp}; environment_ready default; environment_ready dev", clone, path=path).returncode == 0
    assert shell(f"{stamp.replace('dev', 'default')}; environment_ready dev", clone, path=path).returncode == 1
    assert shell("environment_ready default", clone, path=path).returncode == 0
    assert shell("GLOVEBOX_WITH=can; environment_ready default", clone, path=path).returncode == 1
    stamp = 'printf "%s %s %s\\n" "$(environment_digest)" default "can mqtt" >"$STAMP"'
    assert shell(f"{stamp}; GLOVEBOX_WITH=can; environment_ready default", clone, path=path).returncode == 0
    assert shell("GLOVEBOX_WITH=can,kuksa; environment_ready default", clone, path=path).returncode == 1
    (clone / "pyproject.toml").write_text("changed", encoding="utf-8")
    assert shell("environment_ready default", clone, path=path).returncode == 1


@pytest.mark.parametrize(
    ("made", "serves"),
    [
        ("small", {"small"}),
        ("default", {"small", "default"}),
        ("without-piper", {"small", "default", "without-piper"}),
        ("dev", {"small", "default", "dev"}),
    ],
)
def test_an_environment_serves_what_needs_less_and_one_without_piper_stays_so(
    clone: Path, made: str, serves: set[str]
) -> None:
    asked = " ".join(f"serves {made} {mode} && echo {mode};" for mode in ("small", "default", "without-piper", "dev"))
    assert set(shell(f"{asked} true", clone).stdout.split()) == serves


@pytest.fixture
def ready(clone: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """`deploy/up` of a clone that is set up, with a glovebox that prints what it is asked; the mode it was made in comes first."""
    program(
        clone / ".venv" / "bin" / "glovebox", f'printf "%s\\n" "$@"; [ "$1" != models ] || [ ! -e "{clone}/offline" ]'
    )
    program(clone / "fake" / "espeak-ng", "exit 0")
    (clone / ".venv" / "bin" / "python").symlink_to(sys.executable)
    path = f"{clone}/fake:{os.environ['PATH']}"

    def up(made: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        shell(f'printf "%s %s\\n" "$(environment_digest)" {made} >"$STAMP"', clone, path=path)
        command = [str(clone / "deploy" / "up"), *arguments]
        environment = {**os.environ, "PATH": path}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=WITHIN_S)

    return up


def test_up_starts_the_command_and_the_assistant_without_one(ready: Callable[..., Any]) -> None:
    assert ready("default").stdout == "run\n"
    assert ready("default", "demo", "--out", "a folder").stdout == "demo\n--out\na folder\n"
    assert ready("default", "--small", "demo").stdout == "--profile\nsmall\ndemo\n"
    assert ready("without-piper", "--without-piper", "demo").stdout == "demo\n"


def test_weights_are_fetched_once_and_nothing_stops_without_them(clone: Path, ready: Callable[..., Any]) -> None:
    (clone / "offline").touch()
    for _ in range(2):
        done = ready("default", "demo")
        assert done.stdout == "demo\n" and done.stderr.startswith("models\nget\n")
        assert "going on with what the repository carries" in done.stderr
    (clone / "offline").unlink()
    fetched = ready("default", "demo").stderr.splitlines()
    assert fetched[:2] == ["models", "get"] and fetched[3:] == ["speak", "--ahead"], (
        "the voice's sentences are made with it"
    )
    assert ready("default", "demo").stderr == ""
    (clone / "models" / "catalog.toml").write_text("another", "utf-8")
    assert ready("default", "demo").stderr.startswith("models\nget\n")
    assert ready("default", "--small", "demo").stderr == "" and ready("dev", "--dev").stderr.count("models") == 0


def test_a_failing_step_shows_the_end_of_its_log_and_where_it_is(clone: Path) -> None:
    log = clone / "log" / "x.log"
    code = f"""watch_command "making tea" "{log}" "Buy milk." "{BASH}" -c 'for i in $(seq 1 40); do echo line $i; done; exit 3'"""
    done = shell(code, clone)
    assert done.returncode == 1
    assert "making tea failed (exit code 3)" in done.stderr
    assert "| line 40" in done.stderr and "| line 26" in done.stderr and "line 25\n" not in done.stderr
    assert str(log) in done.stderr and "Buy milk." in done.stderr


def test_progress_goes_to_standard_error_and_says_how_long_it_took(clone: Path) -> None:
    done = shell(f'step "One"; watch_command "waiting" "{clone}/x.log" "" true', clone)
    assert done.returncode == 0 and done.stdout == ""
    assert "[1/6] One" in done.stderr and "waiting: done in " in done.stderr


@pytest.mark.parametrize(
    ("log", "sign"),
    [
        ("  [12/83] Building CXX object x.o\n", "[12/83]"),
        ("Collecting numpy==2.4.6\n  Downloading numpy-2.4.6.whl (17 MB)\n", "Downloading numpy-2.4.6.whl"),
        ("nothing of note\n", ""),
    ],
)
def test_the_sign_of_progress_is_the_newest_line_that_tells_something(clone: Path, log: str, sign: str) -> None:
    (clone / "x.log").write_text(log, encoding="utf-8")
    assert shell(f'progress_sign "{clone}/x.log"', clone).stdout.strip() == sign


def test_an_interrupt_ends_what_runs_and_leaves_no_stamp(clone: Path) -> None:
    started = clone / "started"
    os.mkfifo(started)
    child = f"exec 3>'{started}'; echo ready >&3; exec sleep 600"
    code = PRELUDE + f"""watch_command "building" "{clone}/x.log" "" "{BASH}" -c "{child}\""""
    environment = {"ROOT": str(clone), "HOME": str(clone), "PATH": os.environ["PATH"]}
    with (
        subprocess.Popen([BASH, "-c", code], env=environment, stderr=subprocess.DEVNULL) as setup,
        started.open() as pipe,
    ):
        assert pipe.readline() == "ready\n"
        setup.send_signal(signal.SIGTERM)
        assert setup.wait(timeout=WITHIN_S) == 143
        assert pipe.read() == "", "the pipe ends when nothing that was started holds it any more"
    assert not (clone / ".venv" / ".glovebox-stamp").exists()


def test_a_path_with_spaces_and_quotes_reaches_the_compiler_whole(tmp_path: Path) -> None:
    root = tmp_path / "ein Ort für's Auto"
    shutil.copytree(ROOT / "deploy" / "setup", root / "deploy" / "setup")
    flags = shlex.split(shell("llama_flags", root).stdout)  # as scikit-build-core splits CMAKE_ARGS
    (include,) = [flag.partition("=")[2] for flag in flags if "INCLUDE" in flag]
    assert include == f"{root}/deploy/setup/without_common.cmake" and Path(include).is_file()


@pytest.mark.parametrize(
    ("log", "advice"),
    [
        ("CMake Error at CMakeLists.txt", "mend it"),
        ("ERROR: No matching distribution found for x", "reaches a Python package index"),
    ],
)
def test_the_advice_fits_what_failed(clone: Path, log: str, advice: str) -> None:
    done = shell(f"work() {{ echo '{log}'; false; }}; watch_command building '{clone}/log' 'mend it' work", clone)
    assert done.returncode == 1 and log in done.stderr and advice in done.stderr.splitlines()[-1]
