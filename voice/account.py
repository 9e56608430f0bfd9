"""What the loop is given, what it knows of a running turn, and who is told of it. Owns no decision and no sound."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Protocol

from schemas.errors import GloveboxError
from schemas.events import Reply, Transcript, TurnRecord, WakeDetection
from voice.speaking import Speech
from voice.turn import TurnEvent


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """What is not the business of a single part."""

    preroll_s: float = 0.3
    """Audio before the detected start of speech that the recogniser still gets: the VAD is late on soft consonants, and one-word
    answers are lost without it."""
    chime: bool = True
    chime_after_s: float = 0.3
    """The chime sounds only if nobody speaks by then: a command in one breath must not be talked over."""
    barge_in: bool = False
    """Voice, not the wake word alone, interrupts a reply: only where the microphone does not hear our own, because its echo is
    cancelled or because there is none, as in a file."""


class Observer(Protocol):
    """Who is told what happened; called from the loop, must be quick."""

    def woke(self, at: float, detection: WakeDetection) -> None:
        """The wake word was heard at this second of the stream."""
        ...

    def finished(self, record: TurnRecord) -> None:
        """A turn is over as far as its reply has begun to sound (or it failed, or held no words)."""
        ...

    def ended(self, at: float, conversation: str) -> None:
        """The conversation is over."""
        ...


@dataclass(slots=True)
class Load:
    """What the always-on part costs."""

    audio_s: float = 0.0
    wake_cpu_s: float = 0.0
    vad_cpu_s: float = 0.0
    recognise_audio_s: float = 0.0
    recognise_cpu_s: float = 0.0

    def share(self) -> float:
        """Share of one core that wake word and VAD take together at real time."""
        return (self.wake_cpu_s + self.vad_cpu_s) / self.audio_s if self.audio_s else 0.0


@dataclass(slots=True)
class RunningTurn:
    """What is known of the running turn."""

    wake: WakeDetection | None = None
    era: int = 0
    """Of the seat when the utterance began."""
    began_s: float = 0.0
    speech_ended_s: float = 0.0
    endpoint_s: float = 0.0
    endpoint_reason: str = ""
    transcript: Transcript | None = None
    reply: Reply | None = None
    error: GloveboxError | None = None
    latency_ms: dict[str, float] = field(default_factory=dict[str, float])
    speech: Speech | None = None
    speech_ready_s: float = 0.0
    """In playback: the second of the stream at which what was made ahead is there."""
    thought: asyncio.Task[type[TurnEvent]] | None = None
    earlier: RunningTurn | None = None
    """The turn of this utterance's first part, where it had ended and went on."""
    superseded: bool = False
    """The utterance went on: what has not been done for it yet is not done any more."""
    told: bool = False
    """The observer knows of it."""
    waited: int = 0
    """Frames that its reply has waited for a voice that might begin."""
    tapped: Transcript | None = None
    """What was tapped in place of said."""

    def abandoned(self) -> RunningTurn:
        """What stays known of a turn whose utterance or thought is thrown away; late results reach the old object only."""
        return RunningTurn(
            wake=self.wake,
            era=self.era,
            began_s=self.began_s,
            speech_ended_s=self.speech_ended_s,
            endpoint_s=self.endpoint_s,
            endpoint_reason=self.endpoint_reason,
            transcript=self.transcript,
        )

    def record(self, conversation: str, reply_at: float | None, seconds: float) -> TurnRecord:
        """What is told of it."""
        self.told = True
        return TurnRecord(
            conversation=conversation,
            wake=self.wake,
            era=self.era,
            began_s=self.began_s,
            speech_ended_s=self.speech_ended_s,
            endpoint_s=self.endpoint_s,
            endpoint_reason=self.endpoint_reason,
            transcript=self.transcript,
            reply=self.reply,
            error=self.error.code if self.error else None,
            error_message=str(self.error) if self.error else None,
            latency_ms=self.latency_ms,
            reply_at_s=reply_at,
            reply_seconds=seconds,
        )


def ms_since(started: float) -> float:
    """Milliseconds since a moment of ``time.perf_counter``."""
    return (time.perf_counter() - started) * 1000.0
