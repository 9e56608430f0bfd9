"""``glovebox bench crash``: kills (SIGKILL) a process that writes to a vault, at random moments, and looks at what is left.

A child writes to a real vault through the real store and memory, tells each write on a pipe before it begins it, and again when
it has returned: acknowledged. It is killed somewhere. The writes that it told are then repeated on a copy of the vault from
before, and the vault that was left must hold exactly what the copy holds: every acknowledged write, and of the one that was
under way all or nothing of each of its transactions. Beside writes the same is done to the making of a vault, to a migration
with its backup, to a rotation of keys and to the deletion of a driver.

What it cannot show: a kill leaves what the kernel has taken in, a cut of the power does not. That rests on ``synchronous=FULL``.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import tempfile
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deploy.lab.memory.crash_writer import NOW, Write, Writer
from deploy.lab.memory.old_vaults import content, kept, make_old_vault
from memory.settings import BackupSettings
from memory.store.preferences import Store
from memory.vault.files import vault_path
from memory.vault.keys import RawKey
from memory.vault.keys.file import KeyFile
from memory.vault.lifecycle import Vault, check, destroy, rotate
from memory.vault.migrations import VERSION
from models.runtime.fake_encoder import KeywordEncoder
from schemas.errors import GloveboxError
from schemas.memory import Consent

KEY = bytes(range(32))
SHARES = {"write": 0.8, "make": 0.05, "migrate": 0.05, "rotate": 0.05, "delete": 0.05}
"""What is killed how often; our choice: writes are what happens in a car."""

OPENING_SHARE = 0.15
"""How often a writer is killed while it opens the vault."""

MOST_WRITES = 8
"""A writer is let acknowledge fewer than so many writes,"""

LONGEST_S = 0.05
"""and is killed within so long after that: a write or two on an ordinary disk. Other work is killed within so long at first."""

_SEARCHED = (
    "SELECT id FROM episodes UNION SELECT id FROM thoughts UNION SELECT id FROM summaries UNION SELECT id FROM profile"
)
"""What is searched beside preferences."""

DERIVED = frozenset({"vectors", "graphs", "queries"})
"""Tables that hold only what can be worked out again, and is, when the memory is opened."""

Tables = dict[str, list[tuple[Any, ...]]]


@dataclass(slots=True)
class Outcome:
    """What a run of kills showed."""

    kills: Counter[str] = field(default_factory=Counter[str])
    acknowledged: int = 0
    cut_short: Counter[str] = field(default_factory=Counter[str])
    """Of the writes under way: how many were found not at all, wholly, or between two of their transactions, if they have more
    than one."""
    kinds: Counter[str] = field(default_factory=Counter[str])
    """Kinds of the writes that were under way."""
    failures: list[str] = field(default_factory=list[str])
    open_ms: list[float] = field(default_factory=list[float])
    """Opening again after a kill, the check after a crash included."""
    seconds: float = 0.0
    interrupted: bool = False
    """It was stopped before all were killed: what it showed until then counts."""

    def summary(self) -> dict[str, Any]:
        """As JSON."""
        opened = sorted(self.open_ms)
        return {
            "kills": sum(self.kills.values()),
            "killed": dict(self.kills),
            "acknowledged": self.acknowledged,
            "under_way": dict(self.cut_short),
            "under_way_kinds": dict(self.kinds),
            "failures": self.failures,
            "reopen_ms": {
                "p50": round(opened[len(opened) // 2], 1) if opened else None,
                "p95": round(opened[int(len(opened) * 0.95)], 1) if opened else None,
            },
            "seconds": round(self.seconds, 1),
            "interrupted": self.interrupted,
        }


def crash(times: int, seed: int, folder: Path | None = None, told: Callable[[int], None] | None = None) -> Outcome:
    """Kill so many times.

    Args:
        times: how many processes are killed.
        seed: of what is written and when it is killed (the moment itself is the machine's).
        folder: where the vaults lie; None for a new folder that is removed afterwards.
        told: called after each.

    Returns:
        What was found; without `Outcome.failures` all was as it should be. Interrupted (SIGINT, SIGTERM), what was found until
        then.
    """
    outcome, began = Outcome(), time.perf_counter()
    dice = random.Random(seed)
    with _interruptible():
        try:
            _kill_all(times, seed, dice, outcome, folder, told)
        except KeyboardInterrupt:
            outcome.interrupted = True
    outcome.seconds = time.perf_counter() - began
    return outcome


def _kill_all(
    times: int,
    seed: int,
    dice: random.Random,
    outcome: Outcome,
    folder: Path | None,
    told: Callable[[int], None] | None,
) -> None:
    with tempfile.TemporaryDirectory(prefix="glovebox-crash-", dir=folder) as made:
        harness = _Harness(Path(made), dice, outcome)
        works: dict[str, Callable[[], None]] = {
            "write": harness.write,
            "make": harness.make,
            "migrate": harness.migrate,
            "rotate": harness.rotate,
            "delete": harness.delete,
        }
        for number in range(times):
            kind = dice.choices(list(SHARES), list(SHARES.values()))[0]
            try:
                works[kind]()
            except (GloveboxError, AssertionError) as error:
                outcome.failures.append(f"kill {number} ({kind}, seed {seed}): {type(error).__name__}: {error}"[:500])
                harness.start()
            outcome.kills[kind] += 1
            if told is not None:
                told(number + 1)


@contextlib.contextmanager
def _interruptible() -> Generator[None]:
    """A wish to terminate ends the kills as Ctrl-C does; outside of the main thread it stays as it is."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


class _Harness:
    """The folders that are written in, and what is expected in them."""

    def __init__(self, folder: Path, dice: random.Random, outcome: Outcome) -> None:
        self._live, self._copy, self._scratch = folder / "live", folder / "copy", folder / "scratch"
        self._dice, self._outcome = dice, outcome
        self._encoder = KeywordEncoder(64)
        self._writes = 0
        self._spans: dict[str, float] = {}
        self._templates: dict[str, Tables] = {}
        for version in range(1, VERSION):
            self._templates[f"v{version}"] = make_old_vault(folder / f"v{version}", "ada", KEY, version)
        self._folder = folder
        self._warm(folder / "warm")
        keys = KeyFile(folder / "full" / "ada.key")
        make_old_vault(folder / "full", "ada", keys.key(create=True), VERSION)
        with _opened(folder / "full", keys) as vault:
            self._templates["full"] = content(vault._connection)  # noqa: SLF001 - all rows of all tables, whatever they are
        self.start()

    def _warm(self, folder: Path) -> None:
        """Write once of every kind here, so that a child does not spend its short life on what is loaded when first used."""
        with _opened(folder) as vault:
            Store(vault).set_consent(Consent(opted_in=frozenset({"conversations"})))
        writer = Writer(Vault.open(folder, "ada", RawKey(KEY), clock=lambda: NOW), self._encoder)
        dice = random.Random(1)
        for number in range(40):
            writer.carry_out(writer.draw(number, dice))
        writer.close()

    def start(self) -> None:
        """A new vault to write to."""
        shutil.rmtree(self._live, ignore_errors=True)
        with _opened(self._live) as vault:
            Store(vault).set_consent(Consent(opted_in=frozenset({"conversations"})))

    # Writes

    def write(self) -> None:
        """Kill a writer, and hold what it left against the copy."""
        shutil.rmtree(self._copy, ignore_errors=True)
        shutil.copytree(self._live, self._copy)
        first, seed = self._writes, self._dice.random()
        lines = self._killed_writer(first, seed)
        done = [line["done"] for line in lines if "done" in line]
        begun: list[Write] = [line["write"] for line in lines if "write" in line]
        self._writes += len(begun)
        states = self._repeated(begun, len(done), opened=bool(lines))
        started = time.perf_counter()
        with _opened(self._live) as vault:
            self._outcome.open_ms.append(1000.0 * (time.perf_counter() - started))
            found = content(vault._connection)  # noqa: SLF001
            _require(vault.rows("PRAGMA integrity_check(1)") == [("ok",)], "the indexes do not agree with the tables")
            _require(not vault.rows("PRAGMA foreign_key_check"), "a row refers to one that is gone")
        self._outcome.acknowledged += len(done)
        under_way = begun[-1]["kind"] if len(begun) > len(done) else "nothing" if lines else "opening"
        self._outcome.kinds[under_way] += 1
        if found not in states:
            wrong = [name for name in found if found[name] != states[0].get(name)]
            raise AssertionError(f"{len(done)} writes acknowledged, {under_way} under way: {', '.join(wrong)} differ")
        place = states.index(found)
        if len(states) > 1:
            how = "not at all" if place == 0 else "wholly" if place == len(states) - 1 else ""
            if not how:
                told, last = _told(found), _told(states[-1])
                late = told == last and "wholly, what search derives from it to be made anew"
                how = late or ("not at all" if told == _told(states[0]) else f"between two transactions of {under_way}")
            self._outcome.cut_short[how] += 1
        self._searchable()

    def _killed_writer(self, first: int, seed: float) -> list[dict[str, Any]]:
        """What the writer told before it was killed, whole lines only."""
        reading, writing = os.pipe()
        with _forked() as child:
            if child == 0:
                os.close(reading)
                _run(lambda: self._write_on(first, seed, writing))
            os.close(writing)
            told = b""
            if self._dice.random() >= OPENING_SHARE:
                wanted = self._dice.randrange(MOST_WRITES)
                while told.count(b'"done"') < wanted and (more := os.read(reading, 1 << 20)):
                    told += more
            time.sleep(self._dice.uniform(0.0, LONGEST_S))
            _kill(child)
        while more := os.read(reading, 1 << 20):
            told += more
        os.close(reading)
        return [json.loads(line) for line in told.split(b"\n")[:-1]]

    def _write_on(self, first: int, seed: float, pipe: int) -> None:
        dice = random.Random(seed)
        writer = Writer(Vault.open(self._live, "ada", RawKey(KEY), clock=lambda: NOW), self._encoder)
        os.write(pipe, b'{"open": true}\n')
        number = first
        while True:
            write = writer.draw(number, dice)
            os.write(pipe, json.dumps({"write": write}).encode("ascii") + b"\n")
            writer.carry_out(write)
            os.write(pipe, json.dumps({"done": number}).encode("ascii") + b"\n")
            number += 1

    def _repeated(self, begun: list[Write], done: int, *, opened: bool) -> list[Tables]:
        """What the vault may hold: after the acknowledged writes, and after each transaction of the one under way."""
        vault = Vault.open(self._copy, "ada", RawKey(KEY), clock=lambda: NOW)
        states: list[Tables] = [content(vault._connection)] if not opened else []  # noqa: SLF001
        with _commits(vault, states if not opened else []):
            writer = Writer(vault, self._encoder)
        try:
            for write in begun[:done]:
                writer.carry_out(write)
            if opened:
                states.append(content(vault._connection))  # noqa: SLF001
            with _commits(vault, states):
                for write in begun[done:]:
                    writer.carry_out(write)
        finally:
            writer.close()
        return states

    def _searchable(self) -> None:
        """Open the memory as the assistant does: what is searched is what the table holds."""
        vault = Vault.open(self._live, "ada", RawKey(KEY), clock=lambda: NOW)
        writer = Writer(vault, self._encoder)
        try:
            held = {p.id for p in writer.store.preferences()} | {name for (name,) in vault.rows(_SEARCHED)}
            searched = writer.memory.session.search.cache
            _require(len(searched) == len(held), f"the index has {len(searched)} entries and the tables {len(held)}")
            _require(all(searched.holds([name]) for name in held), "the index lacks an entry of the tables")
        finally:
            writer.close()

    # Everything else that a kill may interrupt

    def make(self) -> None:
        """Kill the making of a vault."""
        shutil.rmtree(self._scratch, ignore_errors=True)
        keys = KeyFile(self._scratch / "keys" / "ada.key")
        self._interrupted("make", lambda: _opened_once(self._scratch, keys))
        with _opened(self._scratch, keys) as vault:
            _require(not Store(vault).preferences(history=True), "a new vault is not empty")
        check(self._scratch, "ada", keys)

    def migrate(self) -> None:
        """Kill an upgrade from any older version, its backup included."""
        name = self._dice.choice([name for name in self._templates if name != "full"])
        self._fresh(name)
        self._interrupted("migrate", lambda: _opened_once(self._scratch, RawKey(KEY)))
        with _opened(self._scratch) as vault:
            found = content(vault._connection)  # noqa: SLF001
            _require(kept(self._templates[name], found), "a row is not as it was before the upgrade")
            _require(vault.rows("PRAGMA user_version") == [(VERSION,)], "the upgrade was not finished")
        _opened_once(self._scratch, RawKey(KEY))
        _require(not list(self._scratch.glob("*.backup*")), "a backup was left")
        check(self._scratch, "ada", RawKey(KEY))

    def rotate(self) -> None:
        """Kill a change of keys."""
        self._fresh("full")
        keys = KeyFile(self._scratch / "ada.key")
        self._interrupted("rotate", lambda: rotate(self._scratch, "ada", keys))
        with _opened(self._scratch, keys) as vault:
            _require(content(vault._connection) == self._templates["full"], "the content differs")  # noqa: SLF001
        _require(keys.staged() is None, "a second key was left")
        check(self._scratch, "ada", keys)

    def delete(self) -> None:
        """Kill the deletion of a driver: it is finished at the next opening, or had not begun."""
        self._fresh("full")
        keys = KeyFile(self._scratch / "ada.key")
        self._interrupted("delete", lambda: destroy(self._scratch, "ada", keys))
        began = (self._scratch / "ada.deleting").exists() or not vault_path(self._scratch, "ada").exists()
        with _opened(self._scratch, keys) as vault:
            left = len(Store(vault).preferences(history=True))
        _require(left == (0 if began else 2), f"{left} preferences are left of a deleted driver")

    def _fresh(self, template: str) -> None:
        shutil.rmtree(self._scratch, ignore_errors=True)
        shutil.copytree(self._folder / template, self._scratch)

    def _interrupted(self, kind: str, work: Callable[[], object]) -> None:
        """Do a piece of work in a process that is killed within as long as the longest so far took, and a bit."""
        span = self._spans.get(kind, LONGEST_S)
        started = time.perf_counter()
        with _forked() as child:
            if child == 0:
                _run(work)
            time.sleep(self._dice.uniform(0.0, span))
            if os.waitpid(child, os.WNOHANG)[0] == child:
                self._spans[kind] = 0.9 * span  # it had ended: the next is killed earlier
                return
            _kill(child)
        self._spans[kind] = min(max(span, 1.1 * (time.perf_counter() - started)), 1.0)


def _told(tables: Tables) -> Tables:
    """What was told, without what is derived from it."""
    return {name: rows for name, rows in tables.items() if name not in DERIVED}


def _opened_once(folder: Path, keys: Any) -> None:
    with _opened(folder, keys):
        pass


@contextlib.contextmanager
def _opened(folder: Path, keys: Any = None) -> Generator[Vault]:
    vault = Vault.open(folder, "ada", keys or RawKey(KEY), clock=lambda: NOW, keep=BackupSettings(most=0))
    try:
        yield vault
    finally:
        vault.close()


@contextlib.contextmanager
def _commits(vault: Vault, states: list[Tables]) -> Generator[None]:
    """Take down what the vault holds after every transaction inside."""
    connection, whole = vault._connection, vault.transaction  # noqa: SLF001

    @contextlib.contextmanager
    def noted() -> Generator[None]:
        outermost = not connection.in_transaction
        with whole():
            yield
        if outermost:
            states.append(content(connection))

    vault.transaction = noted
    try:
        yield
    finally:
        del vault.transaction


@contextlib.contextmanager
def _forked() -> Generator[int]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a fork beside threads: the child uses none of theirs
        child = os.fork()
    try:
        yield child
    except KeyboardInterrupt:
        with contextlib.suppress(OSError):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        raise


def _run(work: Callable[[], object]) -> None:
    """The child's life: it never returns into the parent's code. Who interrupts means the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        work()
    except BaseException as error:  # noqa: BLE001 - whatever it is, it must not run the parent's cleaning up
        os.write(2, f"the writer failed: {type(error).__name__}: {error}\n".encode("utf-8", "replace"))
        os._exit(3)
    os._exit(0)


def _kill(child: int) -> None:
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    _require(os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the writer failed by itself")


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise AssertionError(what)
