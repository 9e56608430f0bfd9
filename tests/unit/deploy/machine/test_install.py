"""`./deploy/install` in a folder that stands for a system's root, without rights, network or systemd.

What it calls is a stand-in: the set-up of the version (``deploy/up``), apt, systemctl, users, the sealing of the key. The files are real.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.integration.service_rig import settings
from tests.unit.deploy.test_setup import BASH, ROOT, WITHIN_S, program

CALLS = {
    # As chroot(8), with a root that is a folder: what begins with a slash lies in it.
    "chroot": 'root=$1; shift; given=(); for one; do case $one in /*) one=$root$one ;; esac; given+=("$one"); done; exec "${given[@]}"',
    "uname": "echo x86_64",
    "df": 'printf "head\\nx x x %s\\n" "${FREE_MB:-9000}"',
    "dpkg-query": 'case "$*" in *Status-Status*) grep -qx -- "${@: -1}" "$SYSTEM/installed" && echo installed ;; *) cat "$SYSTEM/installed" ;; esac',
    "apt-get": 'echo "apt-get $*" >>"$SYSTEM/calls"; for last; do case $last in -*|install|purge|update|*=*) ;; '
    '*) case "$*" in *purge*) sed -i "/^$last\\$/d" "$SYSTEM/installed" ;; *install*) echo "$last" >>"$SYSTEM/installed" ;; esac ;; esac; done',
    "useradd": 'echo "glovebox:x:900:900::/var/lib/glovebox:/usr/sbin/nologin" >>"$SYSTEM/root/etc/passwd"',
    "usermod": "exit 0",
    "userdel": 'sed -i "/^glovebox:/d" "$SYSTEM/root/etc/passwd"',
    "chown": "exit 0",
    "mktemp": "echo /tmp/try",
    "runuser": 'shift 3; exec "$@"',
    "systemd-creds": 'echo "sealed $(wc -c)"',
    "sh": 'case "$2" in *systemd-creds*) [ -z "$OLD_SYSTEMD" ] || exit 1 ;; esac; exec /bin/sh "$@"',
    "systemd-machine-id-setup": 'echo 1 >"$SYSTEM/root/etc/machine-id"',
    # A service comes up unless the version that is current is marked as broken; the memory is changed by the first start of each.
    "systemctl": """echo "systemctl $*" >>"$SYSTEM/calls"
here=$SYSTEM/root/opt/glovebox/current
case "$*" in
    "restart glovebox.service") basename "$(readlink "$here")" >>"$SYSTEM/root/var/lib/glovebox/memory/ada.vault"; [ ! -e "$here/deploy/broken" ] ;;
    *is-active*) [ ! -e "$here/deploy/broken" ] ;;
    *is-enabled*) exit 1 ;;
    *NRestarts*) echo 0 ;;
esac""",
}
UP = """#!/usr/bin/env bash
here=$(cd "$(dirname "$0")/.." && pwd)
echo "up $* profile=$GLOVEBOX_PROFILE gpu=$GLOVEBOX_GPU with=$GLOVEBOX_WITH" >>"$SYSTEM/calls"
mkdir -p "$here/.venv/bin" "$here/.venv/lib"
printf '#!/bin/sh\\n[ ! -e "%s/deploy/mute" ]\\n' "$here" >"$here/.venv/bin/glovebox"
printf '#!/bin/sh\\nexit 0\\n' >"$here/.venv/bin/python"
chmod +x "$here"/.venv/bin/*
"""


class System:
    """A checkout to install from, and a root to install to."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.root, self.checkout = folder, folder / "root", folder / "checkout"
        for name in ("etc", "run/systemd/system", "var/lib", "var/cache", "opt", "proc"):
            (self.root / name).mkdir(parents=True)
        (self.root / "etc/os-release").write_text('PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n')
        (self.root / "etc/passwd").write_text("root:x:0:0::/root:/bin/sh\n")
        (self.root / "etc/group").write_text("root:x:0:\naudio:x:29:\n")
        (self.root / "etc/fstab").write_text("UUID=1 / ext4 defaults,noatime 0 1\nUUID=2 /boot vfat defaults 0 2\n")
        (folder / "installed").write_text("bash\npython3\n")
        (folder / "bin").mkdir()
        for name, text in CALLS.items():
            program(folder / "bin" / name, text)
        for name in ("install", "device", "systemd", "__init__.py", "kiosk"):
            copy = shutil.copytree if (ROOT / "deploy" / name).is_dir() else shutil.copy
            (self.checkout / "deploy").mkdir(parents=True, exist_ok=True)
            copy(ROOT / "deploy" / name, self.checkout / "deploy" / name)
        for name in ("memory", "models", "schemas", "vehicle", "voice", "docs"):
            (self.checkout / name).mkdir()
        for name in ("LICENSE", "README.md", "pyproject.toml", "docs/licences.md", "voice/__init__.py"):
            (self.checkout / name).write_text(name)
        (self.checkout / "deploy/up").write_text(UP)
        (self.checkout / "deploy/up").chmod(0o755)

    def install(self, *arguments: str, told: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "SYSTEM": str(self.folder), "GLOVEBOX_HEALTH_S": "0", **more,
        }  # fmt: skip
        return subprocess.run(
            [BASH, str(self.checkout / "deploy/install"), "--root", str(self.root), *arguments],
            env=environment, input=told, capture_output=True, text=True, check=False, timeout=WITHIN_S,
        )  # fmt: skip

    def at(self, path: str) -> Path:
        return self.root / path.lstrip("/")

    def files(self) -> dict[str, str]:
        """Every file, link and folder of the root; the content of files."""
        found = sorted(self.root.rglob("*"))
        return {
            str(path.relative_to(self.root)): str(path.readlink()) if path.is_symlink() else path.read_bytes().hex() if path.is_file() else "" for path in found
        }  # fmt: skip

    def current(self) -> str:
        return self.at("/opt/glovebox/current").readlink().name

    def calls(self) -> str:
        return (self.folder / "calls").read_text()

    def change(self, name: str = "voice/__init__.py") -> None:
        """Another version of the checkout."""
        file = self.checkout / name
        file.write_text((file.read_text() if file.exists() else "") + "\nchanged\n")


@pytest.fixture
def system(tmp_path: Path) -> System:
    return System(tmp_path)


def done(run: subprocess.CompletedProcess[str]) -> str:
    assert run.returncode == 0, run.stderr
    return run.stderr


def test_looking_changes_nothing_and_says_what_is_missing(system: System) -> None:
    before = system.files()
    assert "Debian GNU/Linux 12" in done(system.install("--check"))
    lacking = system.install("--check", FREE_MB="100")
    assert lacking.returncode == 1 and "room" in lacking.stderr and "nothing was changed" in lacking.stderr
    assert system.files() == before


def test_it_installs_unattended_with_the_usual_choices(system: System) -> None:
    told = done(system.install("--unattended"))
    assert "is installed" in told
    toml = system.at("/etc/glovebox/glovebox.toml").read_text()
    assert 'profile = "default"' in toml and 'echo = "builtin"' in toml and 'source = "credential"' in toml
    assert (
        "up --version profile=default gpu=none with=\n" in system.calls()
        and "simulated car until /etc/glovebox" in told
    )
    assert (
        "systemctl --quiet enable glovebox.service\n" in system.calls() and "restart glovebox.service" in system.calls()
    )
    assert system.at("/etc/credstore.encrypted/glovebox.key").read_text() == "sealed 32\n"
    assert system.at("/etc/credstore.encrypted/glovebox.key").stat().st_mode & 0o777 == 0o600
    assert system.at("/var/lib/glovebox/memory").stat().st_mode & 0o777 == 0o700
    start = settings(system.at("/etc/systemd/system/glovebox.service"))["ExecStart"][0].split()[0]
    assert system.at("/opt/glovebox/current").exists() and start == "/opt/glovebox/current/.venv/bin/glovebox"
    assert not system.at("/etc/systemd/system/glovebox-kiosk.service").exists()


def test_a_board_gets_its_profile_and_the_rest_is_asked(system: System) -> None:
    system.at("/proc/device-tree").mkdir()
    system.at("/proc/device-tree/model").write_bytes(b"Raspberry Pi 5 Model B Rev 1.0\0")
    # profile: as it is; sound; kiosk; with; can; ignition; low voltage; read-only
    told = done(system.install(told="\npipewire\nyes\nmqtt\n500000\nvehicle\ngpio:gpiochip0/17:low\n\n"))
    assert "Which models" not in told.splitlines()[0] and "with=mqtt,can\n" in system.calls()
    toml = system.at("/etc/glovebox/glovebox.toml").read_text()
    assert (
        'profile = "pi5"' in toml
        and 'echo = "system"' in toml
        and 'ignition = "vehicle"' in toml
        and 'low_voltage = "gpio:gpiochip0/17:low"' in toml
    )
    units = {path.name for path in system.at("/etc/systemd/system").glob("*.service")}
    assert units == {f"glovebox{end}.service" for end in ("", "-sound", "-sound-session", "-power", "-kiosk")}
    assert "BitRate=500000" in system.at("/etc/systemd/network/80-glovebox-can.network").read_text()
    assert "AF_CAN" in system.at("/etc/systemd/system/glovebox.service.d/can.conf").read_text()
    for name in ("pipewire-alsa", "cage", "gpiod", "can-utils"):
        assert name in (system.folder / "installed").read_text().split()


@pytest.mark.parametrize(
    "wrong",
    [
        ["--profile", "pi4"],
        ["--ignition", "gpio:17"],
        ["--low-voltage", "vehicle"],
        ["--can", "fast"],
        ["--with", "can bus"],
        ["--fast"],
    ],
)
def test_a_wrong_option_is_named_before_anything_is_changed(system: System, wrong: list[str]) -> None:
    before = system.files()
    failed = system.install("--unattended", *wrong)
    assert failed.returncode == 1 and wrong[-1].lstrip("-") in failed.stderr
    assert system.files() == before


def test_again_is_the_same_and_remembers_what_was_chosen(system: System) -> None:
    done(system.install("--unattended", "--profile", "small", "--sound", "pipewire"))
    first = system.files()
    del first["var/lib/glovebox/memory/ada.vault"]
    assert "is there already" in done(system.install("--unattended"))
    again = system.files()
    del again["var/lib/glovebox/memory/ada.vault"]
    assert again == first and system.calls().count("up --small") == 1


def test_what_is_no_longer_chosen_goes(system: System) -> None:
    done(system.install("--unattended"))
    plain = set(system.files())
    done(
        system.install(
            "--unattended", "--sound", "pipewire", "--kiosk", "yes", "--can", "500000", "--ignition", "vehicle"
        )
    )
    assert "disable" not in system.calls() and system.at("/opt/glovebox/networkd").exists()
    done(system.install("--unattended", "--sound", "alsa", "--kiosk", "no", "--can", "none", "--ignition", "none"))
    assert "disable --now glovebox-kiosk.service" in system.calls()
    left = {path for path in set(system.files()) - plain if not system.at(path).is_dir()}
    assert left <= {"opt/glovebox/packages"}


def test_settings_that_somebody_edited_are_kept(system: System) -> None:
    done(system.install("--unattended"))
    file = system.at("/etc/glovebox/glovebox.toml")
    file.write_text(file.read_text() + '\n[driver]\nname = "ada"\n')
    assert "was edited" in done(system.install("--unattended", "--sound", "pipewire"))
    assert 'name = "ada"' in file.read_text()


def test_where_systemd_cannot_seal_the_key_is_kept_unsealed_and_that_is_said(system: System) -> None:
    before = system.files()
    assert "UNSEALED" in done(system.install("--unattended", OLD_SYSTEMD="1"))
    key = system.at("/etc/credstore/glovebox.key")
    assert key.stat().st_size == 32 and key.stat().st_mode & 0o777 == 0o600
    fence = system.at("/etc/systemd/system/glovebox.service.d/key.conf").read_text()
    assert "LoadCredential=glovebox.key:/etc/credstore/glovebox.key" in fence
    assert "sealed" not in system.at("/etc/glovebox/glovebox.toml").read_text()
    held = key.read_bytes()
    done(system.install("--unattended", OLD_SYSTEMD="1"))
    assert key.read_bytes() == held
    done(system.install("--remove", "--unattended", "--memories", "--packages"))
    assert {name for name in system.files() if name != "etc/machine-id"} == set(before)


def test_a_file_of_somebody_else_is_not_overwritten(system: System) -> None:
    rules = system.at("/etc/udev/rules.d/60-glovebox.rules")
    rules.parent.mkdir(parents=True)
    rules.write_text("mine\n")
    failed = system.install("--unattended")
    assert failed.returncode == 1 and "is not ours" in failed.stderr and rules.read_text() == "mine\n"


def test_an_upgrade_keeps_the_version_before_and_goes_back_to_it(system: System) -> None:
    done(system.install("--unattended"))
    first = system.current()
    system.change()
    done(system.install("--unattended"))
    second = system.current()
    assert second != first and system.at("/opt/glovebox/previous").readlink().name == first
    system.change()
    done(system.install("--unattended"))
    kept = {path.name for path in system.at("/opt/glovebox/versions").iterdir()}
    assert kept == {system.current(), second}
    done(system.install("--back"))
    assert system.current() == second
    done(system.install("--back"))
    assert system.current() in kept - {second}
    assert not system.at("/var/lib/glovebox/memory.before").exists()


def test_an_upgrade_that_does_not_come_up_is_taken_back_with_the_memory_as_it_was(system: System) -> None:
    done(system.install("--unattended"))
    first, vault = system.current(), system.at("/var/lib/glovebox/memory/ada.vault")
    held = vault.read_text()
    system.change("deploy/broken")
    failed = system.install("--unattended")
    assert failed.returncode == 1 and "was taken back" in failed.stderr
    assert system.current() == first
    assert vault.read_text() == held + f"{first}\n"  # what the broken one wrote is gone; the old one has started again
    assert {path.name for path in system.at("/opt/glovebox/versions").iterdir()} == {first}
    assert not system.at("/var/lib/glovebox/memory.before").exists()


def test_a_version_that_does_not_answer_never_gets_to_run(system: System) -> None:
    done(system.install("--unattended"))
    first, held = system.current(), system.at("/var/lib/glovebox/memory/ada.vault").read_text()
    system.change("deploy/mute")
    failed = system.install("--unattended")
    assert failed.returncode == 1 and "does not answer" in failed.stderr
    assert system.current() == first and system.at("/var/lib/glovebox/memory/ada.vault").read_text() == held


def test_going_back_without_a_version_before_is_refused(system: System) -> None:
    done(system.install("--unattended"))
    failed = system.install("--back")
    assert failed.returncode == 1 and "no version before" in failed.stderr


@pytest.mark.parametrize(
    "extra", [[], ["--sound", "pipewire", "--kiosk", "yes", "--can", "500000", "--ignition", "vehicle"]]
)
def test_removing_leaves_nothing(system: System, extra: list[str]) -> None:
    before, had = system.files(), (system.folder / "installed").read_text()
    done(system.install("--unattended", *extra))
    done(system.install("--remove", "--unattended", "--memories", "--packages"))
    left = system.files()
    left.pop("etc/machine-id", None)  # the system's own, made if it had none
    assert left == before
    assert (system.folder / "installed").read_text() == had
    assert ("disable systemd-networkd.service" in system.calls()) == bool(extra)


def test_removing_keeps_memories_unless_told_otherwise(system: System) -> None:
    done(system.install("--unattended"))
    told = done(system.install("--remove", told="no\nno\n"))
    assert "stay" in told and "removed" in told
    assert system.at("/var/lib/glovebox/memory/ada.vault").exists()
    assert system.at("/etc/credstore.encrypted/glovebox.key").exists()
    done(system.install("--unattended"))
    assert system.at("/etc/credstore.encrypted/glovebox.key").read_text() == "sealed 32\n"


def test_a_read_only_system_wants_a_partition_of_its_own_for_what_is_written(system: System) -> None:
    failed = system.install("--unattended", "--read-only", "yes")
    assert failed.returncode == 1 and "partition of its own" in failed.stderr
    table = system.at("/etc/fstab")
    before = table.read_text() + "UUID=3 /var/lib/glovebox ext4 defaults 0 2\n"
    table.write_text(before)
    done(system.install("--unattended", "--read-only", "yes"))
    lines = {line.split()[1]: line.split() for line in table.read_text().splitlines()}
    assert (
        lines["/"][3] == "ro,noatime"
        and lines["/boot"][3] == "defaults"
        and lines["/var/lib/glovebox"][3] == "defaults"
    )
    assert {lines[place][0] for place in ("/tmp", "/var/tmp", "/var/log")} == {"tmpfs"}
    done(system.install("--unattended"))
    assert len(table.read_text().splitlines()) == 6
    done(system.install("--unattended", "--read-only", "no"))
    assert table.read_text() == before
    assert not system.at("/etc/systemd/journald.conf.d/60-glovebox.conf").exists()


def test_an_image_is_prepared_without_starting_anything(system: System) -> None:
    (system.root / "run/systemd/system").rmdir()
    assert "starts with the system" in done(system.install("--unattended"))
    assert "restart" not in system.calls() and "enable glovebox.service" in system.calls()


def test_two_at_once_are_one(system: System) -> None:
    done(system.install("--unattended"))
    with (system.at("/opt/glovebox/lock")).open("w") as lock:
        import fcntl

        fcntl.flock(lock, fcntl.LOCK_EX)
        failed = system.install("--unattended")
    assert failed.returncode == 1 and "another installation" in failed.stderr


def test_what_ends_the_system_reads_the_devices_settings_and_no_others() -> None:
    """Root's own would be looked for first, in a home that its unit closes: it never came up."""
    unit = settings(ROOT / "deploy/systemd/glovebox-power.service")
    assert unit["ProtectHome"] == ["true"] and unit["ExecStart"][0].split()[1:] == [
        "--config", "/etc/glovebox/glovebox.toml", "power",
    ]  # fmt: skip


@pytest.mark.parametrize("unit", sorted((ROOT / "deploy/systemd").glob("*.service")), ids=lambda path: path.stem)
def test_every_unit_is_one_that_systemd_takes(unit: Path, tmp_path: Path) -> None:
    """Verified in a root that has the programs which the units start."""
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("there is no systemd-analyze here: install Debian's package systemd")
    units = tmp_path / "etc/systemd/system"
    units.mkdir(parents=True)
    for other in (ROOT / "deploy/systemd").glob("*.service"):
        shutil.copy(other, units)
        program(tmp_path / settings(other)["ExecStart"][0].split()[0].lstrip("/"), "exit 0")
    for name in (
        "sound.target",
        "sysinit.target",
        "basic.target",
        "shutdown.target",
        "multi-user.target",
        "graphical.target",
    ):
        (units / name).write_text("[Unit]\nDescription=of the system\n")
    found = subprocess.run(
        [analyze, "verify", "--man=no", "--recursive-errors=no", f"--root={tmp_path}", f"/etc/systemd/system/{unit.name}"],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert found.returncode == 0 and unit.name not in found.stderr, found.stderr
