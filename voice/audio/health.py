"""What is wrong with the sound, and whom it is told.

Owns: the closed list of troubles, a plain sentence for each, one line in the log when it begins and one when it is over.
Does not own finding them (`voice.audio.microphone`, `.loudspeaker`, `.levels`), nor the screen's wording in other languages
(`memory/screen/locale`, by the same keys).
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Literal

from voice.audio.portaudio import Part

_LOG = logging.getLogger(__name__)

Trouble = Literal["microphone_missing", "microphone_hangs", "loudspeaker_missing", "loudspeaker_hangs"]

SENTENCES: dict[Trouble, str] = {
    "microphone_missing": "I can't hear you: the microphone is missing.",
    "microphone_hangs": "I can't hear you: the microphone gives no sound.",
    "loudspeaker_missing": "You can't hear me: the loudspeaker is missing.",
    "loudspeaker_hangs": "You can't hear me: the loudspeaker does not move on.",
}
_OVER = {"microphone": "The microphone is back.", "loudspeaker": "The loudspeaker is back."}


class Health:
    """The troubles of now. From any thread."""

    def __init__(self, changed: Callable[[], None] | None = None) -> None:
        """All is well.

        Args:
            changed: Called after every change, from the thread that noticed it; must be quick.
        """
        self._changed = changed
        self._lock = threading.Lock()
        self._now: dict[Part, Trouble] = {}

    def ill(self, part: Part, trouble: Trouble, why: str = "") -> None:
        """Something is wrong with a device; ``why`` is for the log. Told once however often it is found."""
        with self._lock:
            if self._now.get(part) == trouble:
                return
            self._now[part] = trouble
        _LOG.warning("%s%s", SENTENCES[trouble], f" ({why})" if why else "")
        self._tell()

    def well(self, part: Part) -> None:
        """The device works (again)."""
        with self._lock:
            if self._now.pop(part, None) is None:
                return
        _LOG.warning("%s", _OVER[part])
        self._tell()

    def troubles(self) -> tuple[Trouble, ...]:
        """What is wrong now, the microphone first."""
        with self._lock:
            return tuple(self._now[part] for part in ("microphone", "loudspeaker") if part in self._now)

    def watch(self, changed: Callable[[], None]) -> None:
        """From now on tell this one."""
        self._changed = changed

    def _tell(self) -> None:
        if self._changed is not None:
            self._changed()
