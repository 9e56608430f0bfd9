"""Where the packages meet: the protocols that engines and services implement.

Every port has a fake beside its real engines, stated as one, and a contract test in ``tests/contract`` that runs on
both. Engines are synchronous and know no clock; the loop in ``voice.loop`` runs them off its event loop. All sound is
mono int16 at 16 kHz unless a parameter says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from schemas.actions import Action
from schemas.actions.acts import Parsed
from schemas.events import (
    ActionResult,
    Asking,
    Command,
    Phase,
    Samples,
    Standing,
    Transcript,
    VehicleState,
    WakeDetection,
)
from schemas.kinds import Marked, Wish
from schemas.memory import Words
from schemas.memory_port import MemoryPort as MemoryPort  # noqa: PLC0414 - handed on


class Clock(Protocol):
    """Monotonic seconds, and waiting for them. In a drive that is played back, the stream is the clock."""

    def now(self) -> float:
        """Seconds since some fixed moment; never goes back."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Return after that many seconds of this clock."""
        ...


class WakeWord(Protocol):
    """Finds the wake word in a stream."""

    sample_rate: int

    def process(self, chunk: Samples) -> WakeDetection | None:
        """Take the next samples (any number); a detection when the keyword ended in them."""
        ...

    def reset(self) -> None:
        """Forget the stream so far; positions count from here."""
        ...


class Vad(Protocol):
    """Tells speech from the rest, frame by frame."""

    def process(self, frame: Samples) -> float:
        """Probability (0..1) that this frame of ``schemas.events.FRAME`` samples holds speech."""
        ...

    def reset(self) -> None:
        """Forget the stream so far."""
        ...


class Recognizer(Protocol):
    """Turns one utterance into words. Streaming: start, feed any number of times, finish."""

    def reset(self) -> None:
        """Another source begins: forget what was learnt of voices and rooms, and an utterance that is open."""
        ...

    def start(self, before: Samples | None = None) -> None:
        """Begin an utterance; an unfinished one is thrown away.

        Args:
            before: samples heard just before it, which are no part of it: an engine may learn from them what noise there is.
        """
        ...

    def feed(self, chunk: Samples) -> None:
        """Take the next samples of the utterance (any number)."""
        ...

    def hear(self) -> Transcript | None:
        """The voice has paused: the words so far of the engine that has them first, before ``pause`` weighs others against them.

        Blocks for as long as that takes. None where there is no such engine, nothing was heard, or `pause` has decided.

        Raises:
            schemas.errors.ModelError: the engine failed.
        """
        ...

    def pause(self) -> None:
        """The voice has paused: what was fed so far may be the whole utterance, so decode it now.

        Blocks for as long as that takes; without an utterance, or where nothing was fed since the last pause, it does nothing.
        After it ``partial`` gives the words so far, and ``finish`` costs next to nothing if nothing was fed since. An engine
        that decodes as it is fed does nothing here.

        Raises:
            schemas.errors.ModelError: the engine failed.
        """
        ...

    def partial(self) -> str:
        """The words so far; cheap, may change, empty where the engine cannot tell."""
        ...

    def likely(self) -> Transcript | None:
        """What ``finish`` will most likely give if nothing more is fed; cheap, None where the engine cannot tell."""
        ...

    def finish(self) -> Transcript:
        """End the utterance.

        Raises:
            schemas.errors.ModelError: the engine failed.
        """
        ...


class CommandMatcher(Protocol):
    """Understands a command by rules alone."""

    def match(self, text: str) -> Command | None:
        """The command that the whole text asks for, or None: a partial match is no match."""
        ...

    def begins(self, text: str) -> bool:
        """Whether a command begins with these words and they break off where something must follow ("navigate to")."""
        ...

    def standing(self, text: str) -> Standing:
        """How much of a sentence these words are; cheap enough to be asked in every pause."""
        ...


class ActParser(Protocol):
    """Understands an utterance that is no complete command."""

    def parse(self, text: str, context: str = "") -> Parsed:
        """What was meant, in the order in which it was said. Blocks for some ten milliseconds.

        Args:
            text: the utterance.
            context: what was done or asked last, as the dialogue writes it; empty: nothing that matters.

        Raises:
            schemas.errors.GenerationError: nothing came of it.
        """
        ...


class Talker(Protocol):
    """Writes a short reply to small talk. What of it is said, its caller decides."""

    def reply(self, text: str, told: str = "", *, within_s: float) -> str:
        """One or two sentences. Blocks for some hundred milliseconds.

        Args:
            text: the utterance.
            told: what the reply may be about, as `models.acts.talk.told` writes it.
            within_s: seconds after which it is given up.

        Raises:
            schemas.errors.GenerationError: nothing came of it, or not in time.
        """
        ...


class Encoder(Protocol):
    """Sentence vectors, and how well a text belongs to each leaf of the schemas."""

    dimension: int

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), dimension): for search."""
        ...

    def topics(self, text: str) -> dict[str, float]:
        """Probability of every preference detail key for what the driver said, and of ``none``; they sum to 1."""
        ...

    def strength(self, text: str) -> dict[str, float]:
        """How clearly what the driver said reveals a preference, as probabilities that sum to 1.

        ``none`` (the same as in `topics`), ``hinted`` (only by what is asked for), ``stated``, ``ended`` (it does not hold
        any more).
        """
        ...

    def words(self, text: str, detail: str) -> tuple[Words, ...]:
        """The parts of the text that carry a value of this category, if it is about it; the likeliest first."""
        ...

    def choices(self, text: str, detail: str) -> dict[str, float]:
        """Which value of a closed category the text means, if it is about it: probabilities that sum to 1.

        Empty for an open category, and for an engine that cannot tell.
        """
        ...

    def requests(self, text: str) -> dict[str, float]:
        """Probability of every action name, and of ``none`` (asks for nothing that the car can do); they sum to 1."""
        ...

    def states(self, text: str, spans: Sequence[tuple[int, int]]) -> NDArray[np.float32]:
        """What the network makes of parts of a text in its spoken form (``models.text.spoken``), (spans, states)."""
        ...

    def special(self, text: str) -> NDArray[np.float32] | None:
        """Logits of the special kinds of data and of none, (kinds + 1,), of a text in its spoken form; None: cannot tell."""
        ...

    def revealed(self, text: str) -> dict[str, float] | None:
        """Probability of every detail key that a text in its spoken form reveals a lasting preference of it, and of ``none``.

        None: cannot tell.
        """
        ...

    def wishes(self, text: str) -> dict[Wish, float] | None:
        """Probability of all that memory may be asked for, of a text in its spoken form; they sum to 1. None: cannot tell."""
        ...

    def answers(self, question: str, memory: str) -> float | None:
        """The log odds that a memory, in words, answers a question in its spoken form; None: cannot tell."""
        ...

    def marks(self, text: str) -> Marked:
        """What every word of what the driver said is part of: liked, past, somebody else's ...; nothing if it cannot tell."""
        ...


class Synthesizer(Protocol):
    """Turns a sentence into sound."""

    def synthesize(self, text: str) -> Iterator[Samples]:
        """Sound at 16 kHz, piece by piece; the first piece as early as the engine can.

        Raises:
            schemas.errors.EngineMissingError: the program is not installed.
            schemas.errors.AudioError: it failed.
        """
        ...


class AudioSource(Protocol):
    """A microphone, or something that delivers frames as one would."""

    def frames(self) -> Iterator[Samples]:
        """Frames of ``schemas.events.FRAME`` samples, without gaps, until the source ends.

        Raises:
            schemas.errors.AudioError: the source cannot be opened or failed.
        """
        ...

    def close(self) -> None:
        """Release the device; ``frames`` ends."""
        ...


class AudioSink(Protocol):
    """A loudspeaker, or something that takes sound as one would."""

    def play(self, samples: Samples) -> float:
        """Queue sound at 16 kHz; returns seconds until all that is queued will have been heard."""
        ...

    def stop(self) -> None:
        """Fall silent at once and drop what is queued."""
        ...

    def close(self) -> None:
        """Release the device."""
        ...


@dataclass(frozen=True, slots=True)
class Wiping:
    """What whoever drives has to bring to destroy the memories of all drivers."""

    allowed: bool
    """False: neither PINs nor two yeses are enough; the owner's recovery code is, where there is one."""
    pins: tuple[str, ...] = ()
    """Whose PINs are asked for, all of them; none: a second yes is."""
    code: bool = False
    """Whether there is a recovery code that does in place of all this."""
    owner: str | None = None
    """Who owns the car, where somebody was appointed."""


class Drivers(Protocol):
    """Whose memory is open: one of the configured drivers', or a guest's. A name opens no memory that has a PIN.

    Whoever destroys or hands out a memory proves to be its driver: every such method asks for the PIN where there is one.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The configured drivers."""
        ...

    @property
    def awaited(self) -> str | None:
        """The driver whose PIN is asked for: until it is entered they are served as a guest. None: nobody's is."""
        ...

    def guarded(self, driver: str) -> bool:
        """Whether this driver has a PIN."""
        ...

    def switch(self, driver: str | None, pin: str | None = None) -> MemoryPort:
        """Leave the memory that is open and open that of a configured driver; None: a guest's, which reads and writes nothing.

        The one that is left is closed when what was said is learnt, which nobody waits for. Without the PIN of a driver who has
        one a guest's memory is open then, and the driver is ``awaited``.

        Raises:
            schemas.errors.UnknownEntryError: no driver of that name is configured.
            schemas.errors.PinError: a PIN was given and is wrong; nothing is changed.
            schemas.errors.MemoryStoreError: the vault cannot be opened; a guest's memory is open then.
        """
        ...

    def save_export(self, pin: str | None = None) -> str:
        """Write the open memory's export where its driver can fetch it, readable by nobody else; returns the file's name.

        It is erased with the next thing that is forgotten, and with the driver: a copy would keep what the vault must not.

        Raises:
            schemas.errors.PinError: the driver has a PIN, and this is not it.
            schemas.errors.StorageFullError: no room for it.
            schemas.errors.MemoryStoreError: it cannot be written.
        """
        ...

    def delete(self, pin: str | None = None) -> None:
        """Destroy the open vault, its key and its backups; a guest's memory is open then.

        Raises:
            schemas.errors.PinError: the driver has a PIN, and this is not it.
            schemas.errors.MemoryStoreError: something could not be removed; the message says what.
        """
        ...

    def wiping(self) -> Wiping:
        """What whoever drives has to bring to destroy the memories of all drivers."""
        ...

    def may_wipe(self, pins: Mapping[str, str], code: str | None = None) -> str:
        """Prove it: the PINs that `wiping` asks for, by driver, or the owner's recovery code; returns a word for `wipe`.

        Raises:
            schemas.errors.PinError: something of it is wrong or missing, or whoever drives may not.
        """
        ...

    def wipe(self, agreed: str) -> int:
        """Destroy the vaults, keys, backups, exports and PINs of all drivers; a guest's memory is open then.

        Args:
            agreed: what `may_wipe` gave, once and within minutes, while nobody else took the wheel.

        Returns:
            How many drivers' memories went.

        Raises:
            schemas.errors.PinError: it was not agreed.
            schemas.errors.MemoryStoreError: something could not be removed; the message says what.
        """
        ...


class VehiclePort(Protocol):
    """The vehicle behind the gate."""

    def offers(self) -> frozenset[str]:
        """Names of the actions that this vehicle has."""
        ...

    async def state(self) -> VehicleState:
        """Current signals.

        Raises:
            schemas.errors.AdapterError: the vehicle cannot be reached.
        """
        ...

    async def act(self, action: Action) -> ActionResult:
        """Ask the gate, then the vehicle. Denied and unconfirmed are results; DONE only when the value has moved."""
        ...

    async def foresee(self, action: Action, *, confirmed: bool = False) -> ActionResult | None:
        """What `act` would most likely come to now, if all moves as it should: nothing is asked for, moved or noted.

        Args:
            action: what is to be asked for.
            confirmed: whether a yes to it is foreseen, too.

        Returns:
            The result, without a token; None where it cannot be told.

        Raises:
            schemas.errors.AdapterError: the vehicle cannot be reached.
        """
        ...

    async def confirm(self, token: str) -> ActionResult:
        """Carry out the action that waits under this token, if the gate still agrees.

        Raises:
            schemas.errors.ConfirmationError: unknown or expired token.
        """
        ...

    def withdraw(self, token: str) -> None:
        """Drop an action that waits for confirmation; unknown tokens are ignored."""
        ...

    async def take_back(self, action: Action) -> ActionResult | None:
        """Undo this action if it is the last that was done, by the gate's rules for that; None: there is nothing to take back."""
        ...

    def due(self) -> Sequence[str]:
        """Sentences to speak unasked: timers and reminders that have become due since the last call."""
        ...

    async def close(self) -> None:
        """Release the adapter."""
        ...


class Onlooker(Protocol):
    """Who is shown a turn while it goes on, from a thread of the voice's; must be quick, and shows nothing of an old era."""

    def stands(self, phase: Phase, asking: Asking | None, era: int) -> None:
        """The turn stands here, and this waits for an answer."""
        ...

    def sounds(self, level: float) -> None:
        """How loud it is at the microphone, 0 (still) to 1, while a voice is waited for or heard."""
        ...

    def hears(self, words: str, era: int) -> None:
        """The words so far; they may change."""
        ...


class Touch(Protocol):
    """What is done by hand in place of the voice; from any thread, and it takes effect with the next frame of the microphone."""

    def press(self) -> None:
        """Listen, as after the wake word; while it listens already nothing happens."""
        ...

    def answer(self, number: int, words: str) -> None:
        """Answer the question of this number as if these words had been said; nothing where another or none is open."""
        ...

    def order(self, words: str) -> None:
        """Deal with these words as if they had been said after the wake word; nothing while another turn is thought about."""
        ...
