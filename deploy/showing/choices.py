"""What was chosen on the panel, in a file of the data folder: its language, and day or night. Nothing of a driver."""

from __future__ import annotations

import json
import logging
import os
import threading
from pathlib import Path

_log = logging.getLogger("glovebox.screen")
FILE = "screen.json"
"""In the data folder, for its owner alone."""


class KeptChoices:
    """Meets ``memory.screen.parts.Choices``; safe for use by several threads."""

    def __init__(self, folder: Path) -> None:
        """As the file in that folder says; one that is none counts as empty."""
        self._file, self._lock, self._held = folder / FILE, threading.Lock(), dict[str, str]()
        try:
            told = json.loads(self._file.read_text("utf-8"))
        except (OSError, ValueError):
            return
        if isinstance(told, dict):
            self._held = {str(name): value for name, value in told.items() if isinstance(value, str)}

    def get(self, name: str) -> str | None:
        """See ``Choices``."""
        return self._held.get(name)

    def keep(self, name: str, value: str) -> None:
        """See ``Choices``; where the file cannot be written it holds for this start."""
        with self._lock:
            self._held[name] = value
            fresh = self._file.with_name(f"{FILE}.part")
            try:
                fresh.unlink(missing_ok=True)
                with os.fdopen(
                    os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
                ) as file:
                    json.dump(self._held, file)
                fresh.replace(self._file)
            except OSError as error:
                _log.warning("what was chosen on the screen cannot be kept for the next start: %s", error)
