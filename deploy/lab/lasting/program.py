"""``glovebox bench cuts --program``: ``glovebox run`` itself, as the service manager starts it, is killed while it is told things.

Nothing is left out: ears, dialogue, gate, the vehicle in its own process, memory, voice and the driver's screen run; sound goes in
and out over a Wyoming satellite on the loopback interface, at the pace of the air. A life ends with SIGKILL to all processes of the
program at once, at a random moment: while it is spoken to, thinks, writes or replies. What it promised is read from the terminal
on which it runs, as a person would. `deploy.lab.lasting.cuts` does the same with typed words, much faster, and reads the vault.
"""

from __future__ import annotations

import asyncio
import os
import pty
import random
import re
import signal
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from wyoming.audio import AudioChunk
from wyoming.event import async_read_event, async_write_event

from deploy.config import Config
from deploy.lab.hearing.scenes import TAIL_S
from deploy.lab.lasting.cuts import A_VAULT, Outcome, facts
from deploy.lab.lasting.start import LONGEST_S, command, family, manager, ready
from deploy.lab.report.blocks import Progress
from deploy.lab.stages import inputs
from models.text import contains
from schemas.errors import EngineMissingError, GloveboxError
from schemas.events import FRAME, SAMPLE_RATE, Samples

QUIET = 10.0
"""Standard deviation of what the microphone gives between sentences, of 32,768."""
REPLY_S = 15.0
"""Longest wait for a reply, on a busy machine, too."""
SPREAD_S = (-0.5, 3.5)
"""The kill comes so long after the last word: its end is heard after .7 s or so, what is kept is written, then the reply begins."""
_TERMINAL = {"TERM": "xterm", "COLUMNS": "2000", "NO_COLOR": "1"}
"""On which no line is broken."""
_STYLE = re.compile(r"\x1b\[[0-9;]*m")
_SAID = re.compile(r"\bsaid +“(.*)”")
_PROMISE = "I'll keep that:"
"""What a reply says that keeps a fact, and the fact behind it; anything else is no promise."""
BESIDE = ("what time is it", "turn on the seat heating", "close all windows")
_COLORS = ("red", "green", "blue", "white", "black", "yellow")
A_LIFE = 2
"""At most so many facts are told in a life."""


def spoken(text: str) -> Samples:
    """The wake word and a sentence, up to its last word."""
    return inputs.turn(text)[: -round(TAIL_S * SAMPLE_RATE)]


class Satellite:
    """Microphone and loudspeaker of the program: quiet, but for what is said to it."""

    def __init__(self) -> None:
        """Nothing is said."""
        self._frames: deque[Samples] = deque()
        self._said = asyncio.Event()
        self.sounded = 0.0
        """When something last came back, by the clock of the event loop."""

    async def meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """A connection of the program."""
        clock = asyncio.get_running_loop().time
        listening = asyncio.create_task(self._listen(reader))
        due, quiet = clock(), np.random.default_rng(1).normal(0.0, QUIET, (50, FRAME)).astype(np.int16)
        with suppress(ConnectionError, asyncio.CancelledError):  # the program is killed, and then this ends, too
            while not listening.done():
                frame = self._frames.popleft() if self._frames else quiet[round(due / FRAME * SAMPLE_RATE) % len(quiet)]
                await async_write_event(AudioChunk(SAMPLE_RATE, 2, 1, frame.tobytes()).event(), writer)
                if not self._frames:
                    self._said.set()
                due += FRAME / SAMPLE_RATE
                await asyncio.sleep(max(0.0, due - clock()))
        listening.cancel()
        writer.close()

    async def say(self, text: str) -> None:
        """Say a sentence after the wake word; comes back when its last word is over."""
        sound = spoken(text)
        self._said.clear()
        self._frames.extend(sound[start : start + FRAME] for start in range(0, sound.size - FRAME, FRAME))
        await self._said.wait()

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        with suppress(ConnectionError):
            while (event := await async_read_event(reader)) is not None:
                if AudioChunk.is_type(event.type):
                    self.sounded = asyncio.get_running_loop().time()


@dataclass(slots=True)
class Life:
    """What happened between a start and its kill."""

    said: int = 0
    """Sentences that were said to it, whole or in part."""
    replies: list[str] = field(default_factory=list[str])
    """What it answered, in full, before it was killed."""
    ready: bool = False
    answering: bool = False
    """Something had sounded since the last word when it was killed: its reply had begun."""
    processes: int = 0
    """Killed at once."""


class Program:
    """The program, in a home of its own, that is started and killed again and again."""

    def __init__(self, config: Config, place: Path) -> None:
        """Nothing is started yet; ``place`` is for its home, its socket and what it complains about."""
        self._config, self._place = config, place
        self.home = place / "home"

    def live(self, texts: list[str], dice: random.Random) -> Life:
        """One life: as many of the sentences are said as come before the kill, which the dice put in or after one of them.

        Raises:
            EngineMissingError: it ended by itself, or did not become ready.
        """
        return asyncio.run(self._live(texts, dice))

    async def _live(self, texts: list[str], dice: random.Random) -> Life:
        satellite, told, life = Satellite(), bytearray(), Life()
        last, after_s = dice.randrange(1, len(texts)), dice.uniform(*SPREAD_S)
        loop = asyncio.get_running_loop()
        master, slave = pty.openpty()
        server = await asyncio.start_server(satellite.meet, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        with manager() as (line, address), (self._place / "errors").open("wb") as errors:
            run, environment = command(self._config, self.home, address, f"audio.satellite=127.0.0.1:{port}")
            line.settimeout(0.0)
            process = subprocess.Popen(  # noqa: ASYNC220 - it only forks
                run, env={**environment, **_TERMINAL}, stdin=slave, stdout=slave, stderr=errors,
                cwd=self._place, start_new_session=True,
            )  # fmt: skip
            os.close(slave)
            loop.add_reader(master, lambda: _take(loop, master, told))
            try:
                await self._until(lambda: ready(line), process, LONGEST_S)
                life.ready = True
                for number, text in enumerate(texts[: last + 1]):
                    life.said += 1
                    before, saying = len(_replies(told)), asyncio.create_task(satellite.say(text))
                    if number < last:
                        await saying
                        with suppress(TimeoutError):
                            await self._until(lambda before=before: len(_replies(told)) > before, process, REPLY_S)
                    else:
                        spoken_s = inputs.seconds(spoken(text))
                        ended = loop.time() + spoken_s
                        await asyncio.sleep(spoken_s + after_s)
                        saying.cancel()
                        life.answering = satellite.sounded > ended
                if process.poll() is not None:
                    raise EngineMissingError(f"the program ended by itself: {self._complaint()}")
            finally:
                life.processes = _cut(process.pid)
                process.wait()
                _take(loop, master, told)
                loop.remove_reader(master)
                os.close(master)
                server.close()
        life.replies = _replies(told)
        return life

    async def _until(self, seen: Callable[[], bool], process: subprocess.Popen[bytes], longest_s: float) -> None:
        until = time.monotonic() + longest_s
        while not seen():
            if process.poll() is not None:
                raise EngineMissingError(f"the program ended by itself: {self._complaint()}")
            if time.monotonic() > until:
                raise TimeoutError
            await asyncio.sleep(0.05)

    def _complaint(self) -> str:
        return (self._place / "errors").read_text("utf-8", "replace").strip()[-300:]


def cut_program(config: Config, times: int, seed: int, tell: Progress) -> Outcome:
    """Start it and kill it so many times; what it said that it keeps has to be in the vault each time.

    Args:
        config: whose profile and models are used; vault and vehicle are the measurement's own.
        times: how often.
        seed: of what is said and when it is killed (the moment itself is the machine's).
        tell: hears how far it is.

    Raises:
        EngineMissingError: it ended by itself, or did not become ready: also after a cut.
    """
    found, began, dice, number = Outcome(), time.perf_counter(), random.Random(seed), 0
    with tempfile.TemporaryDirectory(prefix="glovebox-cuts-") as folder:
        expected: frozenset[str] = frozenset()
        for kill in range(times):
            tell("cuts of the program", kill, times)
            place = Path(folder) / str(kill // A_VAULT)
            if kill % A_VAULT == 0:
                place.mkdir()
                expected = frozenset()
            texts: list[str] = []
            for _ in range(A_LIFE):
                number += 1
                texts += [dice.choice(BESIDE)] if dice.random() < 0.3 else []
                texts.append(f"remember that box number {number} is {dice.choice(_COLORS)}")
            life = Program(config, place).live(texts, dice)
            found.kills += 1
            found.processes += life.processes
            try:
                kept = facts(place / "home", place / "home" / "keys" / "driver.key", datetime.now(UTC))
            except (GloveboxError, AssertionError) as error:
                found.failures.append(f"cut {kill}: {error}")
                continue
            promises = [reply for reply in life.replies if _PROMISE in reply]
            found.acknowledged += len(promises)
            found.refused += len(life.replies) - len(promises)
            broken = [reply for reply in promises if not any(contains(reply, text) for text in kept)]
            new = [text for text in kept - expected if not any(contains(reply, text) for reply in promises)]
            if lost := [*(expected - kept), *broken]:
                found.failures.append(f"cut {kill}: {lost} were acknowledged and are gone")
            if len(new) > 1:
                found.failures.append(f"cut {kill}: {new}, of which one was being said at most")
            found.under_way["kept" if new else "not kept"] += 1
            found.answering += life.answering
            expected = kept
        tell("cuts of the program", times, times)
    found.seconds = time.perf_counter() - began
    return found


def _cut(first: int) -> int:
    """End a process and all that came of it as a cut of the power does; how many there were."""
    ours = family(first)
    for one in ours:
        with suppress(ProcessLookupError):
            os.kill(one, signal.SIGKILL)
    return len(ours)


def _take(loop: asyncio.AbstractEventLoop, terminal: int, told: bytearray) -> None:
    """What stands on the terminal by now."""
    os.set_blocking(terminal, False)
    try:
        while more := os.read(terminal, 1 << 16):
            told += more
    except BlockingIOError:
        pass
    except OSError:  # nobody writes there any more
        loop.remove_reader(terminal)


def _replies(told: bytes | bytearray) -> list[str]:
    """Of whole lines alone."""
    whole = bytes(told).rpartition(b"\n")[0].decode("utf-8", "replace")
    return _SAID.findall(_STYLE.sub("", whole))
