"""The talk about memory: the front that the dialogue speaks to, and the parts that it holds.

Owns which part a command and an answer go to. What the parts share, what "that" is, is ``mind``'s. Telling and reading back are
``telling``'s and ``recalling``'s beside it, forgetting and the driver's rights ``voice.dialogue.forgetting``'s and
``voice.dialogue.rights``'. Replies are templates; whatever else is said comes from memory. What memory does is its own business.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from schemas.errors import UnknownEntryError
from schemas.events import Command
from schemas.memory import Selector
from schemas.ports import Drivers, Encoder
from schemas.seat import Seat
from voice.dialogue.forgetting.asking import Asked, Question
from voice.dialogue.forgetting.forgetting import Forgetting
from voice.dialogue.memory.likes import title
from voice.dialogue.memory.mind import Mind
from voice.dialogue.memory.question import ByTheWay
from voice.dialogue.memory.recalling import LOOKS, WHAT, Recalling
from voice.dialogue.memory.telling import Telling
from voice.dialogue.replies.moments import SAID, period
from voice.dialogue.rights.consent import Switches, opted_out
from voice.dialogue.rights.data import OwnData
from voice.dialogue.rights.drivers import WhoDrives


class Remembering:
    """One driver's talk about memory."""

    def __init__(
        self,
        seat: Seat,
        clock: Callable[[], datetime],
        *,
        drivers: Drivers | None = None,
        questions: ByTheWay | None = None,
        encoder: Encoder | None = None,
    ) -> None:
        """Nothing spoken of yet; the trip begins now.

        Args:
            seat: who drives.
            clock: aware current time.
            drivers: who else may drive; None: nobody.
            questions: asks about what memory is not sure of; None: nobody asks.
            encoder: tells what of the things told on this trip answers a question; None: nothing does.
        """
        self._seat, self._clock = seat, clock
        self._mind = mind = Mind(clock, encoder)
        self._drives = drives = WhoDrives(seat, drivers)
        self._recalling = recalling = Recalling(seat, clock, mind, drives)
        self._telling = telling = Telling(seat, clock, mind, questions)
        self._forgetting = forgetting = Forgetting(seat, mind, drives)
        self._switches = Switches(seat, clock, mind, drives)
        self._data = OwnData(seat, mind, drives, drivers)
        seat.follow(mind.new_trip)
        seat.observe(mind.unsay)
        # What one part does alone the dialogue asks of it through here.
        self.begins, self.acted, self.heard, self.ended = mind.begins, mind.acted, mind.heard, mind.ended
        self.mention, self.let_go, self.asks, self.doubt = mind.mention, mind.lately.clear, mind.asks, mind.doubt
        self.what, self.about, self.why = recalling.what, recalling.about, recalling.why
        self.answered, self.just_told = recalling.answered, recalling.just_told
        self.remember, self.remember_that = telling.remember, telling.remember_that
        self.told, self.chatted, self.corrected = telling.told, telling.chatted, telling.corrected
        self.forget_that, self.forget_named = forgetting.forget_that, forgetting.forget_named
        self.switch, self.announcement = drives.switch, drives.announcement

    @property
    def asking(self) -> bool:
        """Whether something is asked."""
        return self._mind.asking

    @property
    def told_something(self) -> bool:
        """Whether something was told on this trip that may answer a question."""
        return bool(self._mind.lately)

    def settle(self, open_: Question, text: str, command: Command | None) -> str:
        """Do what the answer to a question says.

        Args:
            open_: what was asked.
            text: the answer, which agrees or names what is meant (``voice.dialogue.forgetting.asking.read``).
            command: what it parsed as, if it did.

        Raises:
            schemas.errors.GloveboxError: memory failed.
        """
        match open_.asked:
            case Asked.EXPORT:
                return self._data.exported()
            case Asked.DELETE:
                return self._data.delete_surely()
            case Asked.DELETE_SURELY:
                return self._data.deleted()
            case Asked.FORGET | Asked.FORGET_SURELY | Asked.WHICH | Asked.KEEP:
                return self._forgetting.settle(open_, text, command)

    def foresee(self, command: Command, *, moving: bool) -> str | None:
        """How the reply of `handle` will most likely begin, if that can be told without doing anything."""
        if command.name in LOOKS:
            return self._recalling.apart().look(command, moving=moving)
        return opted_out(str(command.slots.get("category", ""))) if command.name == "opt_out" else None

    def handle(self, command: Command, conversation: str, *, moving: bool) -> str:
        """The reply to a command about memory.

        Raises:
            schemas.errors.GloveboxError: memory failed.
        """
        slots, forgetting = command.slots, self._forgetting
        key: str | None = slots.get("category")
        simple: dict[str, Callable[[], str]] = {
            **dict.fromkeys(LOOKS, lambda: self._recalling.look(command, moving=moving)),
            "forget_last": lambda: forgetting.forget_that(conversation),
            "forget_everything": lambda: forgetting.forget(Selector(everything=True), "about you"),
            "private_trip": lambda: self._switches.private(bool(slots.get("on", True))),
            "pause_learning": lambda: self._switches.pause(slots.get("pause", "always")),
            "resume_learning": self._switches.resume,
            "guest_mode": lambda: self.switch(None) if slots.get("on", True) else self._drives.unguest(),
            "switch_driver": lambda: self.switch(int(slots["driver"])),
            "export_data": self._data.export,
            "delete_me": self._data.delete,
            "remember_last": lambda: self.remember_that()[0],
            "keep_those": lambda: self.remember_that()[0] if self._telling.keepable else "Okay.",
            "delete_those": lambda: forgetting.forget_that(conversation),
            "pick": lambda: WHAT,
        }
        if command.name in simple:
            try:
                return simple[command.name]()
            except UnknownEntryError:
                self._mind.nothing()
                return "That is forgotten already."
        if command.name == "forget_words" and "count" in slots:
            return forgetting.forget_several(int(slots["count"]), str(slots["kind"]), key)
        if command.name == "forget_words":
            return forgetting.forget_named(str(slots["words"]), key, str(slots.get("whole", "")))
        if command.name == "forget_said":
            return forgetting.forget_said(conversation, slots.get("proposal"))
        if key is not None:
            by_key: dict[str, Callable[[str], str]] = {
                "opt_out": self._switches.opt_out,
                "opt_in": self._switches.opt_in,
                "forget_category": lambda name: forgetting.forget(Selector(key=name), f"about {title(name)}"),
            }
            return by_key[command.name](key)
        name = str(slots["period"])
        span = period(name, self._clock(), self._seat.zone, self._mind.trip)
        return forgetting.forget(Selector(period=span), f"from {SAID[name].removeprefix('in ').removeprefix('on ')}")
