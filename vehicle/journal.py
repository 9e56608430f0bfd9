"""The gate's decisions on disk: one JSON object a line, only ever added to, bounded by starting a new file.

Owns the file. What an entry may hold is the gate's business (``vehicle.gate``: names of actions and rules, numbers,
switches and members of closed lists, never words of the driver). A disk that fails must not stop a gate: it is logged
once, and the decisions stay in the gate's own memory.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from vehicle.gate import Decided

LIMIT_BYTES = 2_000_000
"""About 12,000 decisions: a month of driving. Then the file becomes the one before, whose own forerunner is deleted."""

_log = logging.getLogger("glovebox.vehicle")


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Journal:
    """An append-only file of decisions; a ``sink`` of ``vehicle.gate.Gate``."""

    def __init__(self, path: Path, *, limit_bytes: int = LIMIT_BYTES, now: Callable[[], datetime] = _utc_now) -> None:
        """A journal in a file, which is made when something is decided.

        Args:
            path: the file; the one before it gets ``.1`` at its end.
            limit_bytes: size from which on a new file is begun.
            now: the time that stands in the entries.
        """
        self._path, self._limit, self._now = path, limit_bytes, now
        self._failed = False

    def __call__(self, decided: Decided) -> None:
        """Write one decision."""
        entry = {
            "at": self._now().isoformat(timespec="milliseconds"),
            "occasion": decided.occasion.value,
            "action": decided.action,
            "slots": dict(decided.slots),
            "motion": decided.motion.value,
            "verdict": decided.verdict.value,
            "rule": decided.rule,
        }
        line = json.dumps(entry, separators=(",", ":")) + "\n"
        try:
            self._begin_anew()
            handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(handle, line.encode())
            finally:
                os.close(handle)
        except OSError as error:
            if not self._failed:
                _log.warning("the gate's decisions cannot be written to %s: %s", self._path, error.strerror)
            self._failed = True
        else:
            self._failed = False

    def _begin_anew(self) -> None:
        try:
            full = self._path.stat().st_size >= self._limit
        except FileNotFoundError:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            return
        if full:
            self._path.replace(self._path.with_name(self._path.name + ".1"))
