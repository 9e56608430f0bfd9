"""A driver's data as a whole: written to a file, or deleted with its key. Both are asked about first; a PIN keeps them back.

Owns the wording. The file and the key are ``deploy.drivers``' matter.
"""

from __future__ import annotations

from schemas.memory import Selector
from schemas.ports import Drivers
from schemas.seat import Seat
from voice.dialogue.forgetting.asking import Asked, Question
from voice.dialogue.forgetting.counted import there
from voice.dialogue.memory.mind import Mind
from voice.dialogue.rights.drivers import WhoDrives, spoken_name

_NO_FILES = "I can't write files here: use the command line."
_NO_DELETING = "That is for the command line: memory wipe."


class OwnData:
    """Export and deletion, by voice."""

    def __init__(self, seat: Seat, mind: Mind, drives: WhoDrives, drivers: Drivers | None) -> None:
        """Nothing is asked yet.

        Args:
            seat: who drives.
            mind: takes the questions.
            drives: whether that is a guest, and whether a PIN stands before it.
            drivers: writes the file, deletes the driver; None: neither can be done by voice.
        """
        self._seat, self._mind, self._drives, self._drivers = seat, mind, drives, drivers

    def export(self) -> str:
        """Ask whether the data is to be written to a file that the driver can fetch: whoever speaks in the car can ask for it."""
        if self._drives.guest:
            return "There is nothing to export."
        if self._drivers is None:
            return _NO_FILES
        if guarded := self._drives.guarded("export it"):
            return guarded
        again = "That writes what I remember to a file that is not encrypted. Shall I?"
        self._mind.ask(Question(Asked.EXPORT, again=again))
        return ""

    def exported(self) -> str:
        """Write the file."""
        if self._drivers is None:
            return _NO_FILES
        if guarded := self._drives.guarded("export it"):
            return guarded
        return f"Your data is in the file {self._drivers.save_export()}, in the folder exports. It is not encrypted."

    def delete(self) -> str:
        """Ask whether the driver is to be deleted, saying what that means."""
        if self._drives.guest:
            return "There is nothing to delete."
        if self._drivers is None:
            return _NO_DELETING
        if guarded := self._drives.guarded("delete yourself"):
            return guarded
        matches = self._seat.memory.matching(Selector(everything=True))
        counted = "" if matches.empty else f": {there(matches)}"
        again = (
            f"That deletes all that I remember about {spoken_name(self._seat.memory.driver)}{counted}, with its "
            "key and its backups. Nobody can bring it back. Shall I go on?"
        )
        self._mind.ask(Question(Asked.DELETE, again=again))
        return ""

    def delete_surely(self) -> str:
        """Ask once more."""
        again = "Once more, to be sure: delete everything now? Say yes or no."
        self._mind.ask(Question(Asked.DELETE_SURELY, again=again))
        return ""

    def deleted(self) -> str:
        """Delete the driver."""
        if self._drivers is None:
            return _NO_DELETING
        if guarded := self._drives.guarded("delete yourself"):
            return guarded
        self._drivers.delete()
        return "Everything is deleted, and so is the key. You are a guest now."
