"""The contract suites of key sources and checksums, run on those of another package: a whole one passes, a broken one fails."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULE = """
from memory.vault.keys.file import KeyFile
from vehicle.adapters.can.checksums import sum8


class Whole(KeyFile):
    def __init__(self, lock):
        super().__init__(lock.wrapped.with_suffix(".mine"))


class Amnesiac(Whole):
    def key(self, *, create):
        return super().key(create=True)


class Eager(Whole):
    def stage(self, key=None):
        staged = super().stage(key)
        super().promote()
        super().stage(staged)
        return staged


class Hasty(Whole):
    def promote(self):
        if self.staged() is not None:
            self._path.unlink(missing_ok=True)
            super().promote()


class Clinging(Whole):
    def destroy(self):
        self.discard()
        return True


class Common(Whole):
    def __init__(self, lock):
        KeyFile.__init__(self, lock.wrapped.with_name("all.mine"))


def whole(frame):
    return sum8(frame)


calls = []


def counting(frame):
    calls.append(frame)
    return (sum8(frame) + len(calls)) & 0xFF


def wide(frame):
    return sum(frame.others)


def bare(frame):
    return (sum8(frame) + frame.data_ids[frame.counter]) & 0xFF


def blind(frame):
    return sum(frame.others[1:]) & 0xFF


def text(frame):
    return str(sum8(frame))
"""
SOURCES = {
    "Whole": "",
    "Amnesiac": "test_a_key_that_is_missing_is_an_error_and_is_never_made",
    "Eager": "test_a_second_key_is_kept_beside_the_first",
    "Hasty": "test_killed_at_every_line_each_step_of_a_change_is_done_or_not",
    "Clinging": "test_what_is_destroyed_is_gone_and_may_be_destroyed_again",
    "Common": "test_a_key_is_one_vault_s_own_unless_it_is_shared",
}
"""Whether it is broken, and which test finds it."""
SUMS = {
    "whole": "",
    "counting": "test_it_hangs_on_nothing_but_the_frame",
    "wide": "test_it_is_a_whole_number_that_fits_its_signal",
    "bare": "test_it_is_a_whole_number_that_fits_its_signal",
    "text": "test_it_is_a_whole_number_that_fits_its_signal",
    "blind": "test_what_is_sealed_is_accepted_and_each_flipped_bit_is_found",
}


@pytest.mark.slow  # it kills many processes
@pytest.mark.parametrize(
    ("suite", "group", "parts"),
    [("test_key_source.py", "key_sources", SOURCES), ("vehicle/test_checksum.py", "checksums", SUMS)],
    ids=["key source", "checksum"],
)
def test_a_whole_one_passes_and_each_broken_one_fails(
    tmp_path: Path, suite: str, group: str, parts: dict[str, str]
) -> None:
    info = tmp_path / "mine-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    entries = "".join(f"my_{name} = mine_parts:{name}\n" for name in parts)
    (info / "entry_points.txt").write_text(f"[glovebox.{group}]\n{entries}")
    (tmp_path / "mine_parts.py").write_text(MODULE)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--tb=no", "-rA", "-p", "no:cacheprovider", f"tests/contract/{suite}",
         "-k", "my_ and (not killed or Whole or Hasty)"],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    told = re.findall(r"^(PASSED|FAILED|ERROR) \S+::(\w+)\[my_([A-Za-z]+)", ran.stdout, flags=re.MULTILINE)
    assert {name for _, _, name in told} == parts.keys(), ran.stdout[-2_000:]
    found = {name: {test for verdict, test, one in told if one == name and verdict != "PASSED"} for name in parts}
    assert not [name for name, test in parts.items() if not (test in found[name] if test else not found[name])], found
