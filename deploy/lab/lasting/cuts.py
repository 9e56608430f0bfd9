"""``glovebox bench cuts``: the whole assistant is killed (SIGKILL) at random moments while it is talked to; what it keeps is there.

A forked child opens the driver's vault as the assistant does and is told facts ("remember that locker 7 is number 4821"), one after
another, between other requests. Before each it writes its number on a pipe, and again once the reply is there: the driver has been
told that it is kept. Then it is killed, with its vehicle, and the vault is opened again as the assistant does: every fact that was
acknowledged must be there, of the one under way all or nothing, and no other. `deploy.lab.memory.crash` does the same below, with
every kind of write; as there, a kill leaves what the kernel has taken in, which a cut of the power does not.

The models are loaded once, before the fork: the child uses no thread of theirs.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import tempfile
import time
import warnings
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from deploy.config import Config
from deploy.lab.dialogue.driving import Fleet, Talk
from deploy.lab.report.blocks import Progress
from memory.vault.keys.file import KeyFile
from memory.vault.lifecycle import Vault
from schemas.errors import GloveboxError

BEGAN = datetime(2026, 11, 2, 8, 0).astimezone()
BESIDE = (
    "play some jazz",
    "turn on the seat heating",
    "what time is it",
    "i love thai food",
    "set a timer for ten minutes",
)
A_VAULT = 60
"""Kills to one vault: it holds 500 facts (``memory.store.facts.MOST_FACTS``)."""
MOST = 6
"""A child is let acknowledge fewer than so many facts,"""
LONGEST_S = 0.2
"""and is killed within so long after that: a turn takes .02 to .1 s."""
_NUMBER = re.compile(r"locker (\d+) is number")


@dataclass(slots=True)
class Outcome:
    """What a run of kills showed."""

    kills: int = 0
    acknowledged: int = 0
    under_way: dict[str, int] = field(default_factory=lambda: {"kept": 0, "not kept": 0, "nothing": 0})
    """What had become of what was being said."""
    refused: int = 0
    """Facts to which the reply was another than that they are kept."""
    opening: int = 0
    """Killed before the assistant was ready."""
    answering: int = 0
    """Killed when a reply had begun to sound (`deploy.lab.lasting.program`)."""
    processes: int = 0
    """Killed with it, itself among them (`deploy.lab.lasting.program`)."""
    failures: list[str] = field(default_factory=list[str])
    seconds: float = 0.0

    def told(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "kills": self.kills, "acknowledged": self.acknowledged, "under_way": self.under_way, "opening": self.opening,
            "refused": self.refused, "answering": self.answering, "processes": self.processes,
            "failures": self.failures, "seconds": round(self.seconds, 1),
        }  # fmt: skip


def cut(config: Config, times: int, seed: int, tell: Progress) -> Outcome:
    """Kill so many times.

    Args:
        config: whose models are used; vault and vehicle are the measurement's own.
        times: how often.
        seed: of what is said and when it is killed (the moment itself is the machine's).
        tell: hears how far it is.

    Raises:
        schemas.errors.GloveboxError: a model cannot be had.
    """
    found, began, dice = Outcome(), time.perf_counter(), random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="glovebox-cuts-") as place, closing(Fleet(config, Path(place))) as fleet:
        expected: set[int] = set()
        number = 0
        for kill in range(times):
            tell("cuts", kill, times)
            home = Path(place) / str(kill // A_VAULT)
            if kill % A_VAULT == 0:
                home.mkdir()
                expected = set()
                with fleet.drive(home, BEGAN) as talk:  # its vault and its grammar are made, and what is lazy is loaded
                    talk.say("remember that locker 0 is number 1")
                expected.add(0)
            lines = _killed(fleet, home, number + 1, dice)
            begun = [line["begun"] for line in lines if "begun" in line]
            done = {line["done"] for line in lines if "done" in line}
            number = max([number, *begun])
            found.kills, found.acknowledged = found.kills + 1, found.acknowledged + len(done)
            found.opening += not lines
            found.refused += sum("refused" in line for line in lines)
            expected |= done
            try:
                kept = _kept(home)
            except (GloveboxError, AssertionError) as error:
                found.failures.append(f"cut {kill}: {error}")
                continue
            open_ = set(begun) - done
            found.under_way["nothing" if not open_ else "kept" if open_ & kept else "not kept"] += 1
            if lost := expected - kept:
                found.failures.append(f"cut {kill}: {sorted(lost)} were acknowledged and are gone")
            if strange := kept - expected - open_:
                found.failures.append(f"cut {kill}: {sorted(strange)} were never said")
            expected = kept
        tell("cuts", times, times)
    found.seconds = time.perf_counter() - began
    return found


def _killed(fleet: Fleet, home: Path, first: int, dice: random.Random) -> list[dict[str, int]]:
    """What a child told before it was killed, whole lines only."""
    reading, writing = os.pipe()
    seed, wanted, after_s = dice.random(), dice.randrange(MOST), dice.uniform(0.0, LONGEST_S)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a fork beside threads: the child uses none of theirs
        child = os.fork()
    if child == 0:
        os.close(reading)
        _live(fleet, home, first, seed, writing)
    os.setpgid(child, child)  # as the child does it, too: whoever comes first, the group is there before it is killed
    os.close(writing)
    told = b""
    while told.count(b'"done"') < wanted and (more := os.read(reading, 1 << 16)):
        told += more
    time.sleep(after_s)
    os.killpg(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    while more := os.read(reading, 1 << 16):
        told += more
    os.close(reading)
    if not os.WIFSIGNALED(status):
        raise GloveboxError(f"the assistant ended by itself ({status}); it told {told!r} before"[:300])
    return [json.loads(line) for line in told.split(b"\n")[:-1]]


def _live(fleet: Fleet, home: Path, first: int, seed: float, pipe: int) -> None:
    """The child's life: it never returns into the parent's code."""
    try:
        os.setpgid(0, 0)
        with fleet.drive(home, BEGAN) as talk:
            _talk(talk, first, random.Random(seed), pipe)
    except BaseException as error:  # noqa: BLE001 - whatever it is, it must not run the parent's cleaning up
        os.write(2, f"the assistant failed: {type(error).__name__}: {error}\n".encode("utf-8", "replace"))
    os._exit(3)


def _talk(talk: Talk, number: int, dice: random.Random, pipe: int) -> None:
    os.write(pipe, b'{"ready": 1}\n')
    while True:
        if dice.random() < 0.3:
            talk.say(dice.choice(BESIDE))
        os.write(pipe, json.dumps({"begun": number}).encode() + b"\n")
        reply = talk.say(f"remember that locker {number} is number {dice.randrange(1_000, 10_000)}")
        promised = f"locker {number} " in reply  # it says what it keeps; anything else is no promise
        os.write(pipe, json.dumps({"done" if promised else "refused": number}).encode() + b"\n")
        number += 1


def _kept(home: Path) -> set[int]:
    """The numbers of the facts that the vault holds.

    Raises:
        AssertionError: it is damaged.
    """
    texts = facts(home / "data", next(home.glob("vault*.key")), BEGAN)
    return {int(match[1]) for text in texts if (match := _NUMBER.search(text))}


def facts(folder: Path, key: Path, now: datetime) -> frozenset[str]:
    """The facts that a vault holds, its indexes and references being whole.

    Args:
        folder: where the vault of ``driver`` lies.
        key: the file of its key.
        now: by which it is opened.

    Raises:
        AssertionError: it is damaged.
    """
    vault = Vault.open(folder, "driver", KeyFile(key), clock=lambda: now)
    try:
        if vault.rows("PRAGMA integrity_check(1)") != [("ok",)] or vault.rows("PRAGMA foreign_key_check"):
            raise AssertionError("the vault is damaged")
        return frozenset(str(text) for (text,) in vault.rows("SELECT text FROM facts"))
    finally:
        vault.close()
