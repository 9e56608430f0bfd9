"""PINs: what one opens, how often it may be tried, and that whatever is cut short the vault opens with the one or the other."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import TypeAlias

import pytest
from argon2 import PasswordHasher

from memory.store.preferences import Store
from memory.vault.keys import KeySource
from memory.vault.keys.file import KeyFile
from memory.vault.keys.pinned import Cost, PinnedKey
from memory.vault.keys.wrapped import WrappedKey
from memory.vault.lifecycle import Vault, check, destroy, rotate
from memory.vault.pins import LONGEST_WAIT_S, Pins
from schemas.errors import GloveboxError, KeySourceError, PinError, WrongKeyError
from tests.vaults import NOW, child, clock, first_line, killed_at_every_line, preference

CHEAP = Cost(iterations=1, memory_kib=64)
LINES = (
    "memory.vault.keys.pinned",
    "memory.vault.keys.file",
    "memory.vault.keys.wrapped",
    "memory.vault.pins",
    "memory.vault.files",
)

STRIDE = 7
"""Lines from one death to the next: every line was tried once (three minutes)."""


class _Machine:
    """A wrapper by a secret that never changes, as a TPM's."""

    name = "machine"
    what = "the machine"

    def parameters(self) -> dict[str, str]:
        return {}

    def derive(self, parameters: dict[str, str], *, new: bool) -> bytes:
        del parameters, new
        return bytes(32)


class _Words(_Machine):
    """Another one, as a passphrase's."""

    name = "words"
    what = "the passphrase"

    def derive(self, parameters: dict[str, str], *, new: bool) -> bytes:
        del parameters, new
        return bytes([1] * 32)


Device: TypeAlias = Callable[[Path], Callable[[str], KeySource]]


def by_file(folder: Path) -> Callable[[str], KeySource]:
    return lambda driver: KeyFile(folder / "keys" / f"{driver}.key")


def by_machine(folder: Path) -> Callable[[str], KeySource]:
    return lambda driver: WrappedKey(folder / "keys" / f"{driver}.wrapped", _Machine())


def by_words(folder: Path) -> Callable[[str], KeySource]:
    """A second wrapper, whose file lies where `by_machine` has its own."""
    return lambda driver: WrappedKey(folder / "keys" / f"{driver}.wrapped", _Words())


def pins_of(folder: Path, device: Device = by_file) -> Pins:
    return Pins(folder, device(folder), cost=CHEAP)


def opened(folder: Path, keys: KeySource) -> Vault:
    return Vault.open(folder, "ada", keys, clock=clock)


def fill(folder: Path, pins: Pins, pin: str | None = None) -> None:
    with closing(opened(folder, pins.source("ada"))) as vault:
        Store(vault).add(preference("p1"), NOW)
        if pin is not None:
            pins.set("ada", pin)


def held(folder: Path, keys: KeySource) -> list[str]:
    with closing(opened(folder, keys)) as vault:
        return [one.id for one in Store(vault).preferences()]


def opens(folder: Path, pins: Pins, pin: str | None) -> bool:
    """Whether the vault opens so; what it holds is whole then."""
    try:
        assert held(folder, pins.require("ada", pin, NOW)) == ["p1"]
    except PinError:
        return False
    return True


@pytest.mark.parametrize("device", [by_file, by_machine])
def test_without_the_pin_neither_the_name_nor_the_device_opens_a_vault(
    tmp_path: Path, device: Callable[[Path], Callable[[str], KeySource]]
) -> None:
    pins = pins_of(tmp_path, device)
    fill(tmp_path, pins)
    before = device(tmp_path)("ada").key(create=False)
    with closing(opened(tmp_path, pins.source("ada"))):
        pins.set("ada", "2468")
    with pytest.raises(PinError):
        opened(tmp_path, pins.source("ada"))
    with pytest.raises(WrongKeyError):
        opened(tmp_path, device(tmp_path)("ada"))
    assert device(tmp_path)("ada").key(create=False) != before
    assert not opens(tmp_path, pins, None) and not opens(tmp_path, pins, "1111") and opens(tmp_path, pins, "2468")
    assert all(before not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"2468" not in b"".join(path.read_bytes() for path in (tmp_path / "keys").iterdir())


def test_the_file_of_another_device_does_not_open_with_the_pin(tmp_path: Path) -> None:
    pins = pins_of(tmp_path)
    fill(tmp_path, pins, "2468")
    (tmp_path / "keys" / "ada.key").write_bytes(bytes(32))
    with pytest.raises(KeySourceError, match="another secret"):
        pins.try_("ada", "2468", NOW)


def test_a_pin_is_changed_and_taken_away(tmp_path: Path) -> None:
    pins = pins_of(tmp_path)
    fill(tmp_path, pins, "2468")
    with pytest.raises(PinError):
        pins.set("ada", "1357")
    with pytest.raises(PinError):
        pins.take_away("ada", None)
    with pytest.raises(ValueError, match="4 to 12"):
        pins.set("ada", "12", pins.require("ada", "2468", NOW))
    pins.set("ada", "1357", pins.require("ada", "2468", NOW))
    assert opens(tmp_path, pins, "1357") and not opens(tmp_path, pins, "2468")
    pins.take_away("ada", pins.require("ada", "1357", NOW))
    assert not pins.has("ada") and opens(tmp_path, pins, None)
    assert sorted(path.name for path in tmp_path.rglob("ada.*")) == ["ada.key", "ada.lock", "ada.vault"]


def test_a_vault_with_a_pin_gets_another_key_is_checked_and_deleted(tmp_path: Path) -> None:
    pins = pins_of(tmp_path)
    fill(tmp_path, pins, "2468")
    with pytest.raises(PinError):
        rotate(tmp_path, "ada", pins.source("ada"))
    before = pins.require("ada", "2468", NOW).key(create=False)
    rotate(tmp_path, "ada", pins.require("ada", "2468", NOW))
    assert pins.require("ada", "2468", NOW).key(create=False) != before and opens(tmp_path, pins, "2468")
    check(tmp_path, "ada", pins.require("ada", "2468", NOW))
    assert destroy(tmp_path, "ada", pins.source("ada")).verified
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def moved(folder: Path, old: Device, new: Device, pin: str | None = "2468") -> None:
    """As `glovebox vault rotate --to` does it."""
    to = new(folder)("ada")
    pins = Pins(folder, old(folder), to=lambda _: to, cost=CHEAP)
    rotate(folder, "ada", pins.require("ada", pin, NOW), to=to)


SOURCES: list[tuple[Device, Device]] = [(by_file, by_machine), (by_machine, by_words), (by_words, by_file)]


@pytest.mark.parametrize(("old", "new"), SOURCES)
@pytest.mark.parametrize("pin", ["2468", None])
def test_a_vault_moves_to_another_source(tmp_path: Path, old: Device, new: Device, pin: str | None) -> None:
    pins = pins_of(tmp_path, old)
    fill(tmp_path, pins, pin)
    with closing(Vault.open(tmp_path, "grace", pins.source("grace"), clock=clock)):
        pins.set("grace", "1111")
    before = pins.require("ada", pin, NOW).key(create=False)
    moved(tmp_path, old, new, pin)
    assert opens(tmp_path, pins_of(tmp_path, new), pin)
    assert pins_of(tmp_path, new).require("ada", pin, NOW).key(create=False) != before
    with pytest.raises(GloveboxError):
        held(tmp_path, pins_of(tmp_path, old).require("ada", pin, NOW))
    with closing(Vault.open(tmp_path, "grace", pins_of(tmp_path, old).require("grace", "1111", NOW), clock=clock)):
        pass
    if pin is not None:
        with pytest.raises(PinError):
            opened(tmp_path, pins_of(tmp_path, new).source("ada"))


def test_a_vault_moves_only_with_its_pin(tmp_path: Path) -> None:
    fill(tmp_path, pins_of(tmp_path), "2468")
    for wrong in (None, "1111", "1111", "1111"):
        with pytest.raises(PinError):
            moved(tmp_path, by_file, by_machine, wrong)
    with pytest.raises(PinError) as tried_too_often:
        moved(tmp_path, by_file, by_machine)
    assert tried_too_often.value.wait_s > 0
    assert not (tmp_path / "keys" / "ada.wrapped").exists()


def test_a_vault_with_the_key_of_all_gets_no_pin_before_its_own(tmp_path: Path) -> None:
    def shared(driver: str) -> KeySource:
        return KeyFile(tmp_path / f"vault-{driver}.key", shared=tmp_path / "vault.key")

    KeyFile(tmp_path / "vault.key").key(create=True)
    with pytest.raises(KeySourceError, match="key of all"):
        Pins(tmp_path, shared, cost=CHEAP).set("ada", "2468")


# Killed


def _kept(folder: Path, work: Callable[[Pins], object], pin: str | None, good: Callable[[Pins], bool]) -> int:
    """Kill a piece of work at every line; afterwards the vault opens with one of two PINs and nothing is left over."""
    start = folder / "start"
    fill(start, pins_of(start), pin)
    here = folder / "here"

    def before() -> None:
        shutil.rmtree(here, ignore_errors=True)
        shutil.copytree(start, here)

    def afterwards() -> None:
        assert good(pins_of(here)), sorted(path.name for path in here.rglob("*"))
        assert good(pins_of(here))  # the second start finds what the first has tidied
        left = {path.name for path in here.rglob("*") if path.is_file()}
        assert left <= {"ada.key", "ada.locked", "ada.lock", "ada.vault", "ada.pin", "ada.pin.part"}, left

    return killed_at_every_line(lambda: work(pins_of(here)), LINES, before, afterwards, stride=STRIDE)


def test_killed_at_every_line_of_setting_a_pin(tmp_path: Path) -> None:
    here = tmp_path / "here"
    killed = _kept(
        tmp_path,
        lambda pins: pins.set("ada", "2468"),
        None,
        lambda pins: opens(here, pins, "2468" if pins.has("ada") else None),
    )
    assert killed > 15


def test_killed_at_every_line_of_changing_a_pin(tmp_path: Path) -> None:
    here = tmp_path / "here"
    killed = _kept(
        tmp_path,
        lambda pins: pins.set("ada", "1357", pins.require("ada", "2468", NOW)),
        "2468",
        lambda pins: opens(here, pins, "1357") != opens(here, pins, "2468"),
    )
    assert killed > 25


def test_killed_at_every_line_of_taking_a_pin_away(tmp_path: Path) -> None:
    here = tmp_path / "here"
    killed = _kept(
        tmp_path,
        lambda pins: pins.take_away("ada", pins.require("ada", "2468", NOW)),
        "2468",
        lambda pins: opens(here, pins, "2468" if pins.has("ada") else None),
    )
    assert killed > 25


def test_killed_at_every_line_of_another_key_for_a_vault_with_a_pin(tmp_path: Path) -> None:
    here = tmp_path / "here"
    killed = _kept(
        tmp_path,
        lambda pins: rotate(here, "ada", pins.require("ada", "2468", NOW)),
        "2468",
        lambda pins: opens(here, pins, "2468") and not opens(here, pins, None),
    )
    assert killed > 25


@pytest.mark.parametrize(("old", "new"), SOURCES[:2])
def test_killed_at_every_line_of_a_move_of_a_vault_with_a_pin(tmp_path: Path, old: Device, new: Device) -> None:
    """It opens with its PIN from the one source or from the other; the same order again finishes it."""
    start, here = tmp_path / "start", tmp_path / "here"
    fill(start, pins_of(start, old), "2468")
    opened_with: set[Device] = set()

    def before() -> None:
        shutil.rmtree(here, ignore_errors=True)
        shutil.copytree(start, here)

    def afterwards() -> None:
        found = [device for device in (old, new) if _opens_somehow(here, pins_of(here, device))]
        assert len(found) == 1, sorted(path.name for path in here.rglob("*"))
        assert not opens(here, pins_of(here, found[0]), None) and not opens(here, pins_of(here, found[0]), "1111")
        opened_with.update(found)
        moved(here, old, new)
        assert opens(here, pins_of(here, new), "2468")
        left = {path.name for path in here.rglob("*") if path.is_file()}
        assert left <= {"ada.wrapped", "ada.key", "ada.locked", "ada.lock", "ada.vault", "ada.pin"}, left

    killed = killed_at_every_line(lambda: moved(here, old, new), LINES, before, afterwards, stride=STRIDE)
    assert killed > 40 and opened_with == {old, new}


def _opens_somehow(folder: Path, pins: Pins) -> bool:
    try:
        return opens(folder, pins, "2468")
    except GloveboxError:
        return False


def test_what_a_killed_rotation_left_of_a_key_is_cleared_at_the_next_start(tmp_path: Path) -> None:
    pins = pins_of(tmp_path)
    fill(tmp_path, pins)
    for name in ("ada.key.next.part", "ada.key.part"):
        (tmp_path / "keys" / name).write_bytes(bytes(20))
    assert opens(tmp_path, pins, None)
    assert [path.name for path in (tmp_path / "keys").iterdir()] == ["ada.key"]


# How often


def test_waits_grow_and_outlive_a_restart(tmp_path: Path) -> None:
    fill(tmp_path, pins_of(tmp_path), "2468")
    waits = [pins_of(tmp_path).try_("ada", "9999", NOW).wait_s for _ in range(3)]
    assert waits == [0, 0, 30] and not pins_of(tmp_path).try_("ada", "2468", NOW).right
    later = NOW + timedelta(seconds=31)
    assert pins_of(tmp_path).try_("ada", "9999", later).wait_s == 60
    later += timedelta(seconds=61)
    assert pins_of(tmp_path).try_("ada", "2468", later).right
    assert pins_of(tmp_path).try_("ada", "9999", later).wait_s == 0


TRIES = """
import sys, time
from pathlib import Path
from tests.unit.memory.vault.test_pins import NOW, PinnedKey, pins_of
def stuck(*_, **__):
    print("counted", flush=True)
    time.sleep(600)
PinnedKey.key = stuck
pins_of(Path(sys.argv[1])).try_("ada", "9999", NOW)
"""


def test_a_try_that_is_killed_counts(tmp_path: Path) -> None:
    fill(tmp_path, pins_of(tmp_path), "2468")
    for _ in range(3):
        process = child(TRIES, str(tmp_path))
        assert first_line(process) == "counted"
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
    assert pins_of(tmp_path).try_("ada", "2468", NOW).wait_s > 0


def test_a_clock_that_was_set_back_keeps_nobody_out_for_longer_than_the_longest_wait(tmp_path: Path) -> None:
    pins = pins_of(tmp_path)
    fill(tmp_path, pins, "2468")
    for _ in range(3):
        pins.try_("ada", "9999", NOW)
    back = NOW - timedelta(days=400)
    assert pins.try_("ada", "2468", back).wait_s == LONGEST_WAIT_S + 1
    assert pins.try_("ada", "2468", back + timedelta(seconds=LONGEST_WAIT_S)).right


def test_a_damaged_count_makes_wait_and_a_damaged_wrapping_lets_nobody_in(tmp_path: Path) -> None:
    pins = pins_of(tmp_path)
    fill(tmp_path, pins, "2468")
    (tmp_path / "ada.pin").write_text("{")
    assert pins.try_("ada", "9999", NOW).wait_s > 0
    (tmp_path / "keys" / "ada.locked").write_text("{")
    with pytest.raises(GloveboxError):
        pins.try_("ada", "2468", NOW + timedelta(hours=2))
    assert pins.has("ada")


def test_what_a_change_that_was_cut_off_left_of_a_count_goes_with_the_next_try(tmp_path: Path) -> None:
    pins = Pins(tmp_path, lambda driver: KeyFile(tmp_path / f"{driver}.key"), cost=CHEAP)
    (tmp_path / "ada.pin.part").write_bytes(b"cut")
    pins.try_("ada", "1234", NOW)
    assert not (tmp_path / "ada.pin.part").exists()


def test_a_name_without_a_pin_is_let_in(tmp_path: Path) -> None:
    assert pins_of(tmp_path).try_("ada", "", NOW).right


# From before PINs wrapped the key


def old_pin(folder: Path, pin: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "ada.pin").write_text(
        json.dumps({"hash": PasswordHasher(1, 64, 1).hash(pin), "missed": 0, "until": None})
    )


def test_a_pin_of_before_wraps_the_key_once_it_is_entered(tmp_path: Path) -> None:
    pins = pins_of(tmp_path)
    fill(tmp_path, pins)
    old_pin(tmp_path, "2468")
    assert pins.has("ada") and not opens(tmp_path, pins, "1111") and not opens(tmp_path, pins, None)
    with pytest.raises(PinError):
        pins.set("ada", "1111")
    keys = pins.require("ada", "2468", NOW)
    with closing(opened(tmp_path, keys)):
        pins.adopt("ada", "2468", keys)
    assert "hash" not in (tmp_path / "ada.pin").read_text()
    assert (tmp_path / "keys" / "ada.locked").exists() and opens(tmp_path, pins, "2468")
    with pytest.raises(PinError):
        opened(tmp_path, pins.source("ada"))


def test_a_damaged_pin_file_of_before_lets_nobody_in(tmp_path: Path) -> None:
    tmp_path.joinpath("ada.pin").write_text("{")
    assert pins_of(tmp_path).has("ada") and not pins_of(tmp_path).try_("ada", "2468", NOW).right


def test_a_pinned_key_is_derived_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pins = pins_of(tmp_path)
    fill(tmp_path, pins, "2468")
    keys = pins.require("ada", "2468", NOW)
    monkeypatch.setattr("argon2.low_level.hash_secret_raw", None)
    assert len(keys.key(create=False)) == 32 and isinstance(keys, PinnedKey)
