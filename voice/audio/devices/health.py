"""What is wrong with the sound, and whom it is told.

Owns: the closed list of troubles, a plain sentence for each, one line in the log when it begins and one when it is over.
Does not own finding them (`voice.audio.devices.microphone`, `.loudspeaker`, `.levels`), nor the screen's wording in other languages
(`memory/screen/locale`, by the same keys).
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Literal

from voice.audio.devices.portaudio import Part
from voice.audio.levels import Defect

_LOG = logging.getLogger(__name__)

Aspect = Part | Literal["level"]
"""What can be ill by itself: a device, or the sound that a microphone delivers."""
Trouble = Literal[
    "microphone_missing",
    "microphone_hangs",
    "microphone_telephone",
    "microphone_clipped",
    "microphone_quiet",
    "loudspeaker_missing",
    "loudspeaker_hangs",
]

SENTENCES: dict[Trouble, str] = {
    "microphone_missing": "I can't hear you: the microphone is missing.",
    "microphone_hangs": "I can't hear you: the microphone gives no sound.",
    "microphone_telephone": "The microphone sounds like a telephone: above 4 kHz there is nothing, so I mishear more.",
    "microphone_clipped": "The microphone is too loud: its sound is clipped, so I mishear more.",
    "microphone_quiet": "The microphone is too quiet to hear you well.",
    "loudspeaker_missing": "You can't hear me: the loudspeaker is missing.",
    "loudspeaker_hangs": "You can't hear me: the loudspeaker does not move on.",
}
RECORDED: dict[Defect, str] = {
    "telephone": "it sounds like a telephone: above 4 kHz there is nothing, so more is misheard",
    "clipped": "it is too loud: its sound is clipped, so more is misheard",
    "quiet": "it is too quiet to be heard well",
}
"""The same of a file."""
DEFECTS: dict[Defect, Trouble] = {
    "telephone": "microphone_telephone",
    "clipped": "microphone_clipped",
    "quiet": "microphone_quiet",
}
_OVER: dict[Aspect, str] = {
    "microphone": "The microphone is back.",
    "loudspeaker": "The loudspeaker is back.",
    "level": "The microphone sounds as it should again.",
}


class Health:
    """The troubles of now. From any thread."""

    def __init__(self, changed: Callable[[], None] | None = None) -> None:
        """All is well.

        Args:
            changed: Called after every change, from the thread that noticed it; must be quick.
        """
        self._changed = changed
        self._lock = threading.Lock()
        self._now: dict[Aspect, Trouble] = {}

    def ill(self, part: Aspect, trouble: Trouble, why: str = "") -> None:
        """Something is wrong with a device; ``why`` is for the log. Told once however often it is found."""
        with self._lock:
            if self._now.get(part) == trouble:
                return
            self._now[part] = trouble
        _LOG.warning("%s%s", SENTENCES[trouble], f" ({why})" if why else "")
        self._tell()

    def well(self, part: Aspect) -> None:
        """The device works (again)."""
        with self._lock:
            if self._now.pop(part, None) is None:
                return
        _LOG.warning("%s", _OVER[part])
        self._tell()

    def is_ill(self, part: Aspect) -> bool:
        """Whether the device is known to have a trouble."""
        return part in self._now

    def troubles(self) -> tuple[Trouble, ...]:
        """What is wrong now, the microphone first."""
        with self._lock:
            return tuple(self._now[part] for part in _OVER if part in self._now)

    def watch(self, changed: Callable[[], None]) -> None:
        """From now on tell this one."""
        self._changed = changed

    def _tell(self) -> None:
        if self._changed is not None:
            self._changed()
