"""A trip as memory sees it: what it is called, and what is done when a conversation or the trip is over.

Owns the order (learn, keep, end the trip, reflect) and that in a running car it happens beside the loop, one thing at a time: a
turn may begin while memory still thinks about the last one.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

from deploy.machine.allocator import give_back
from deploy.timeline import TimelineEntry, entry_of, reflected_entry
from schemas.errors import GloveboxError
from schemas.memory import Decision
from schemas.seat import Seat

Emit = Callable[[TimelineEntry], None]


class TripMemory:
    """The present trip of whoever drives."""

    def __init__(self, seat: Seat, new_id: Callable[[], str] = lambda: uuid4().hex[:12]) -> None:
        """``new_id`` makes ids of trips."""
        self._seat, self._new_id = seat, new_id
        self.id = new_id()
        self._conversations = 0
        self._begun = False
        self._worker: ThreadPoolExecutor | None = None

    def new_conversation(self) -> str:
        """The id of the next conversation: it begins with the trip's."""
        self._conversations += 1
        return f"{self.id}-{self._conversations}"

    def begin(self) -> None:
        """The trip begins. Whoever takes the wheel later begins it with the next conversation that is learnt from."""
        self._begun = True
        self._seat.memory.begin_trip(self.id)

    def learn(self, emit: Emit) -> tuple[Decision, ...]:
        """Learn from what was said and not yet learnt from, and keep the conversation if conversations are kept."""
        era, memory = self._seat.era, self._seat.memory
        if self._begun:
            memory.begin_trip(self.id)
        decisions = memory.learn_pending()
        for decision in decisions:
            emit(entry_of(0.0, decision).model_copy(update={"era": era}))
        give_back()
        return decisions

    def learn_beside(self, emit: Emit) -> None:
        """`learn`, without waiting for it; what fails is told as an entry and made up for the next time."""
        self._worker = self._worker or ThreadPoolExecutor(max_workers=1, thread_name_prefix="memory")
        self._worker.submit(self._learn_quietly, emit)

    def _learn_quietly(self, emit: Emit) -> None:
        memory = self._seat.memory
        try:
            self.learn(emit)
        except GloveboxError as error:
            if memory is self._seat.memory:  # else it was closed because somebody else drives, and had learnt before
                emit(TimelineEntry(at_s=0.0, kind="error", text=str(error), data={"code": error.code}))

    def wait(self) -> None:
        """Until nothing is being learnt beside."""
        if self._worker is not None:
            self._worker.shutdown(wait=True)
            self._worker = None

    def end(self, emit: Emit) -> tuple[Decision, ...]:
        """The trip is over: learn what is left, end it and with it a private trip, and think about what was said."""
        self.wait()
        decisions = self.learn(emit)
        memory = self._seat.memory
        memory.end_trip(self.id)
        entry = reflected_entry(memory.reflect())
        if entry is not None:
            emit(entry)
        self.id, self._conversations, self._begun = self._new_id(), 0, False
        return decisions
