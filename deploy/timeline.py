"""What happened, entry by entry: the form in which the command line, the demo and its page tell a drive.

``Timeline`` is the loop's observer. An entry holds a sentence for a person and its facts as JSON values for a program.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from schemas.events import ActionResult, ActionStatus, Moved, Reply, TurnRecord, WakeDetection
from schemas.memory import FACTS, Decision, Outcome, Proposal, Reflected, usual
from schemas.preferences import BY_DETAIL
from voice.dialogue.replies.answers import found_nothing

_WORDS = {Outcome.REFUSED: "not stored", Outcome.DROPPED: "dropped", Outcome.ASK: "to be asked"}


class TimelineEntry(BaseModel):
    """One thing that happened."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    at_s: float
    """Seconds of the stream (0 for typed text)."""
    kind: str
    """wake, heard, decided, recalled, moved, refused, asked (an action waits for a yes), proposed (a preference does), fault,
    said, learned, thought (after a trip), ended, error."""
    text: str
    data: dict[str, Any] = {}
    era: int | None = Field(default=None, exclude=True)
    """Of the seat when it was said (``schemas.seat.Seat.era``); None for what is nobody's."""


class Timeline:
    """Turns what the loop reports into entries; implements ``voice.loop.Observer``."""

    def __init__(self, emit: Callable[[TimelineEntry], None], at_end: Callable[[], object] | None = None) -> None:
        """A timeline that hands every entry on as it happens, and calls ``at_end`` after every conversation."""
        self._emit, self._at_end = emit, at_end
        self.records: list[TurnRecord] = []

    def woke(self, at: float, detection: WakeDetection) -> None:
        """An entry for the wake word."""
        text = f"“{detection.keyword}” ({detection.score:.2f})"
        self._emit(TimelineEntry(at_s=at, kind="wake", text=text, data={"score": detection.score}))

    def finished(self, record: TurnRecord) -> None:
        """The entries of a turn."""
        self.records.append(record)
        for entry in entries_of(record):
            self._emit(entry.model_copy(update={"era": record.era}))

    def ended(self, at: float, conversation: str) -> None:
        """An entry for the end of a conversation."""
        data = {"conversation": conversation}
        self._emit(TimelineEntry(at_s=at, kind="ended", text="end of the conversation", data=data))
        if self._at_end is not None:
            self._at_end()


def entries_of(record: TurnRecord) -> list[TimelineEntry]:
    """A turn, told in the order in which it happened."""
    entries: list[TimelineEntry] = []
    if record.transcript is not None:
        entries.append(_heard(record))
    if record.reply is not None:
        entries += reply_entries(record.reply, record.endpoint_s)
        if record.reply.text:
            said_at = record.reply_at_s if record.reply_at_s is not None else record.endpoint_s
            data = {"seconds": record.reply_seconds, "latency_ms": record.latency_ms, "route": record.reply.route.value}
            entries.append(TimelineEntry(at_s=said_at, kind="said", text=f"“{record.reply.text}”", data=data))
    if record.error is not None:
        data = {"code": record.error, "reply_at_s": record.reply_at_s}
        entries.append(TimelineEntry(at_s=record.endpoint_s, kind="error", text=record.error_message or "", data=data))
    return entries


def _heard(record: TurnRecord) -> TimelineEntry:
    transcript = record.transcript
    assert transcript is not None  # noqa: S101 - narrowed by the caller
    if not transcript.text:
        return TimelineEntry(at_s=record.began_s, kind="heard", text="no words", data={"text": ""})
    how = "command grammar" if transcript.in_grammar else "open speech"
    data = {
        "text": transcript.text,
        "confidence": transcript.confidence,
        "in_grammar": transcript.in_grammar,
        "open": transcript.open.text if transcript.open else None,
        "grammar": transcript.grammar.text if transcript.grammar else None,
        "seconds": transcript.seconds,
        "endpoint": record.endpoint_reason,
        "until_s": record.speech_ended_s,
    }
    text = f"“{transcript.text}” ({how}, {transcript.confidence:.2f} sure)"
    return TimelineEntry(at_s=record.began_s, kind="heard", text=text, data=data)


def reply_entries(reply: Reply, at: float) -> list[TimelineEntry]:
    """What was decided, recalled and done for a reply."""
    route = reply.route.value
    entries = [TimelineEntry(at_s=at, kind="decided", text=f"{route}: {reply.reason}", data={"route": route})]
    for recollection in reply.recalled:
        preference = recollection.preference
        text = f"{preference.category.title}: {preference.value} (score {recollection.score:.2f})"
        data = {"detail": preference.detail, "value": preference.value, "score": recollection.score}
        entries.append(TimelineEntry(at_s=at, kind="recalled", text=text, data=data))
    entries += [_acted(result, at) for result in reply.results]
    if reply.decision is not None:
        entries.append(entry_of(at, reply.decision))
    if reply.proposal is not None:
        entries.append(_proposed(reply.proposal, at))
    return entries


def _proposed(proposal: Proposal, at: float) -> TimelineEntry:
    title = proposal.category.title
    ended = "no longer " if proposal.negated else ""
    text = f"{title}: {ended}“{proposal.value}”? (proposal {proposal.id})"
    data = {**proposal.model_dump(mode="json"), "title": title}
    return TimelineEntry(at_s=at, kind="proposed", text=text, data=data)


def _acted(result: ActionResult, at: float) -> TimelineEntry:
    name = result.action.describe()
    data: dict[str, Any] = {
        "action": result.action.name,
        "slots": result.action.slots(),
        "status": result.status.value,
        "rule": result.ruling.rule,
        "moved": [moved.model_dump(mode="json") for moved in result.moved],
        "answer": result.answer,
    }
    if result.status is ActionStatus.DENIED:
        return TimelineEntry(at_s=at, kind="refused", text=f"{name}: {result.ruling.reason}", data=data)
    if result.status is ActionStatus.NEEDS_CONFIRMATION:
        return TimelineEntry(at_s=at, kind="asked", text=f"{name}: {result.ruling.reason}", data=data)
    if result.status is ActionStatus.FAULT:
        return TimelineEntry(at_s=at, kind="fault", text=f"{name}: {result.error}", data=data)
    if found_nothing(result.action.name, result.answer):
        return TimelineEntry(at_s=at, kind="refused", text=f"{name}: no such place is known", data=data)
    changes = ", ".join(_change(moved) for moved in result.moved)
    answer = ", ".join(f"{key} {_plain(value)}" for key, value in result.answer.items())
    return TimelineEntry(at_s=at, kind="moved", text=f"{name}: {changes or answer or 'done'}", data=data)


def _change(moved: Moved) -> str:
    """``window.driver 0 → 100 (on its way)``; what arrived at once needs no more than the arrow."""
    aim = moved.after if moved.target is None else moved.target
    way = "" if aim == moved.after else " (on its way)"
    return f"{moved.signal} {_plain(moved.before)} → {_plain(aim)}{way}"


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


FACT = "Kept for you"
"""The title of facts, beside those of categories."""


def entry_of(at: float, decision: Decision) -> TimelineEntry:
    """A decision of maintenance."""
    meant = "" if decision.detail == FACTS or decision.sense is usual(decision.detail) else f"{decision.sense} "
    shown = "" if decision.value is None else f" “{meant}{decision.value}”"
    word = _WORDS.get(decision.outcome, decision.outcome.value)
    title = FACT if decision.detail == FACTS else BY_DETAIL[decision.detail].title
    data = {**decision.model_dump(mode="json"), "title": title}
    return TimelineEntry(at_s=at, kind="learned", text=f"{word}: {title}{shown} ({decision.reason})", data=data)


def reflected_entry(reflected: Reflected) -> TimelineEntry | None:
    """What memory thought after a trip; None where it thought of nothing new and let go of nothing."""
    parts = [f"“{thought.text}”" for thought in reflected.thoughts]
    parts += [f"{entry.key.replace('_', ' ')}: {entry.value}" for entry in reflected.entries]
    if reflected.let_go:
        gone = ", ".join(f"{count} {kind.value}" for kind, count in sorted(reflected.let_go.items()))
        parts.append(f"let go of {gone}: their time is over")
    if not parts:
        return None
    return TimelineEntry(at_s=0.0, kind="thought", text="; ".join(parts), data=reflected.model_dump(mode="json"))
