"""Acts that are talk about memory, obeyed: what the driver tells, asks for, or wants kept, forgotten or switched off.

Owns which part of the dialogue about memory answers which act. What it does and says is ``voice.dialogue.memory.remembering``'s.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial

from schemas.actions.acts import Act
from schemas.events import Command, CommandKind
from schemas.ports import CommandMatcher, Drivers
from schemas.seat import Seat
from voice.dialogue.acts.planning import COMMANDS, DEFAULTS
from voice.dialogue.acts.work import Work
from voice.dialogue.forgetting import naming
from voice.dialogue.knowing.reading import told_name
from voice.dialogue.knowing.talk import Knowing
from voice.dialogue.memory import talks
from voice.dialogue.memory.remembering import Remembering
from voice.dialogue.memory.sparing import Sparing
from voice.dialogue.replies import responder
from voice.dialogue.rights.drivers import UNNAMED


class MemoryActs:
    """Obeys acts about memory."""

    def __init__(
        self,
        *,
        seat: Seat,
        vehicle: Sparing,
        talk: Remembering,
        knowing: Knowing,
        matcher: CommandMatcher,
        clock: Callable[[], datetime],
        drivers: Drivers | None,
    ) -> None:
        """Over the parts of a dialogue."""
        self._seat, self._vehicle, self._talk, self._knowing = seat, vehicle, talk, knowing
        self._matcher, self._clock, self._drivers = matcher, clock, drivers

    async def told(self, text: str, conversation: str, work: Work) -> str:
        """Learn from what the driver has just told, which was noted."""
        decisions = await asyncio.to_thread(self._seat.memory.learn_pending, conversation, text)
        said, work.decision = self._talk.told(decisions, text)
        return said

    async def of_memory(self, act: Act, text: str, conversation: str, work: Work, *, moving: bool, alone: bool) -> str:
        """What is said to an act about memory, once it is done."""
        about = str(act.slots.get("about") or act.slots.get("what") or act.slots.get("name") or "")
        key_of = partial(naming.key, self._matcher)
        key = key_of(about)
        if act.name in COMMANDS:
            name, slots = COMMANDS[act.name], {**DEFAULTS.get(act.name, {}), **act.slots}
            return self._command(name, slots, conversation, moving=moving)
        match act.name:
            case "recall":
                if key is not None or not about:
                    return self._talk.what(key, moving=moving, question=text)
                told = await asyncio.to_thread(self._talk.answered, text, moving=moving)
                return told or self._talk.about(about, moving=moving, question=text)
            case "talked":
                return talks.talked(self._seat, text, self._clock(), moving=moving, about=about)
            case "remember":
                whole = text if alone and self._seat.memory.keeps(text) else about
                seen = (await self._vehicle.circumstances()).values
                said, work.decision = self._talk.remember(whole, seen) if whole else self._talk.remember_that()
                return said
            case "forget" if not about:
                return self._talk.forget_that(conversation)
            case "forget":
                return self._talk.forget_named(about, key, text)
            case "opt_out" | "opt_in":
                keys = [key] if key else [found for part in naming.BETWEEN.split(about) if (found := key_of(part))]
                told = [self._command(act.name, {"category": one}, conversation, moving=moving) for one in keys]
                return " ".join(told) or responder.WHICH_TOPIC
            case _:  # switch_driver
                drivers = self._drivers.names if self._drivers is not None else ()
                named = [driver for driver in drivers if driver.replace("_", " ") == about]
                if named:
                    return self._talk.switch(named[0])
                own = told_name(text, about) if self._seat.memory.driver not in {*drivers} - {UNNAMED} else ""
                return self._knowing.obey({"name": own}) if own else responder.NO_SUCH_DRIVER

    def _command(self, name: str, slots: Mapping[str, object], conversation: str, *, moving: bool) -> str:
        return self._talk.handle(
            Command(kind=CommandKind.MEMORY, name=name, slots=dict(slots)), conversation, moving=moving
        )
