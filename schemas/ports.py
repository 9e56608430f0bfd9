"""Where the packages meet: the protocols that engines and services implement.

Every port has a fake beside its real engines, stated as one, and a contract test in ``tests/contract`` that runs on
both. Engines are synchronous and know no clock; the loop in ``voice.loop`` runs them off its event loop. All sound is
mono int16 at 16 kHz unless a parameter says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from schemas.events import Command, Samples, Standing, Transcript, WakeDetection
from schemas.memory import (
    Conversation,
    Decision,
    Explanation,
    Found,
    Kind,
    Matches,
    Period,
    Preference,
    Proposal,
    Receipt,
    Recollection,
    Selector,
    TakenIn,
    Turn,
    Withheld,
    Words,
)
from schemas.memory_port import BrowsingPort, ConsentPort, KeepingPort
from schemas.vehicle_port import VehiclePort as VehiclePort  # noqa: PLC0414 - handed on


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


class LanguageModel(Protocol):
    """Completes a prompt under a grammar at temperature 0."""

    def complete(self, prompt: str, *, grammar: str, max_tokens: int) -> str:
        """The completion, which the grammar accepts completely.

        Args:
            prompt: text in the model's own format.
            grammar: GBNF made by ``models.structured``; never from outside (a malformed grammar kills llama.cpp).
            max_tokens: limit of the output.

        Raises:
            schemas.errors.GenerationError: the limit came before the grammar's end.
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


class MemoryPort(BrowsingPort, ConsentPort, KeepingPort, Protocol):
    """What is remembered about one driver."""

    driver: str

    def recall(self, query: str, *, details: Sequence[str] = (), limit: int = 3) -> tuple[Recollection, ...]:
        """Active preferences that matter for the query, best first; empty when none passes the threshold.

        Args:
            query: what was asked, in words.
            details: only these detail keys; empty for all.
            limit: at most that many.
        """
        ...

    def search(
        self,
        query: str,
        *,
        kinds: Sequence[Kind] = (),
        tags: Sequence[str] = (),
        period: Period | None = None,
        details: Sequence[str] = (),
        limit: int = 5,
    ) -> tuple[Found, ...]:
        """Memories of any kind that matter for the query, best first; usually none, since most turns need no memory.

        Args:
            query: what was asked, in words. If they say nothing but a time ("what did we talk about yesterday") and that is given
                as the period, what is kept of it is listed: summaries, then exchanges.
            kinds: only these; empty for all, as with the three that follow.
            tags: with one of these tags.
            period: said in this time. A period or tags also say that something remembered is asked for, so less has to fit.
            details: about one of these detail keys.
            limit: at most that many.
        """
        ...

    def used(self, recalled: Sequence[Recollection | Found], action: str | None = None) -> None:
        """Note that these were used (reinforcement), and preferences for which action: its name, for `explain`."""
        ...

    def remember(self, sentence: str, key: str | None = None) -> tuple[Decision, ...]:
        """Store what the driver asks to be remembered.

        Args:
            sentence: the driver's words.
            key: the detail key that it belongs to; None: extraction decides. What is asked for with its category is stored
                even where extraction is not sure, with the words of the sentence that carry the value.

        Raises:
            schemas.errors.UnknownEntryError: no such detail key.
        """
        ...

    def learn(self, conversation: Conversation) -> tuple[Decision, ...]:
        """Extraction and maintenance over a finished conversation; what is allowed is stored when this returns."""
        ...

    def note(self, turn: Turn, conversation: str) -> None:
        """Keep a turn until extraction has seen it; during a pause or a private trip it is dropped at once.

        Args:
            turn: what was said.
            conversation: id of the conversation that it belongs to.
        """
        ...

    def forget_pending(self, conversation: str) -> int:
        """Erase what came of this conversation and is not stored: waiting turns and open proposals; how many that were."""
        ...

    def learn_pending(self) -> tuple[Decision, ...]:
        """``learn`` for every conversation noted and not yet learnt from, oldest first; then they are erased."""
        ...

    def proposals(self) -> tuple[Proposal, ...]:
        """What memory is not sure enough of to store it unasked and has not expired, last heard first."""
        ...

    def asked(self, proposal: str) -> None:
        """Note that the driver was asked aloud about a proposal; unknown ids are ignored."""
        ...

    def answer(self, proposal: str, yes: bool) -> Decision:
        """The driver's answer: yes stores the proposal if consent allows it now, no is not asked again for a while.

        Raises:
            schemas.errors.UnknownEntryError: no open proposal has that id.
        """
        ...

    def preferences(self, key: str | None = None, *, history: bool = False) -> tuple[Preference, ...]:
        """Stored preferences, newest first, under a main, sub or detail key.

        Raises:
            schemas.errors.UnknownEntryError: no such category.
        """
        ...

    def forget(self, key: str) -> Receipt:
        """Erase a preference or an open proposal by id, a category by key, or ``everything``; history included.

        Raises:
            schemas.errors.UnknownEntryError: nothing has that id or key.
        """
        ...

    def matching(self, what: Selector) -> Matches:
        """What `forget_where` would erase, and erases nothing. Nothing at all matches a selector without a condition.

        Raises:
            schemas.errors.UnknownEntryError: no such category.
        """
        ...

    def forget_where(self, what: Selector) -> Receipt:
        """Erase everything that meets all of a selector's conditions, what derives from it, and the backups.

        A preference goes with what it took the place of. Of one that was said at several times only the sentences that meet
        the conditions go. Where nothing meets them the receipt is empty.

        Raises:
            schemas.errors.UnknownEntryError: nothing has that id, or no such category.
        """
        ...

    def withhold(self, what: Selector) -> Withheld:
        """Take it out of every list and of recall at once, to be erased by `carry_out` unless `restore` takes it back.

        Should the process end before, it is erased when the vault is next opened: it never comes back by itself.

        Raises:
            schemas.errors.UnknownEntryError: nothing meets the conditions.
        """
        ...

    def restore(self, token: str) -> None:
        """Take back what was withheld, within the time that `Withheld.until` says.

        Raises:
            schemas.errors.UnknownEntryError: unknown token, carried out already, or too late.
        """
        ...

    def carry_out(self, token: str) -> Receipt:
        """Erase what was withheld.

        Raises:
            schemas.errors.UnknownEntryError: unknown token, or carried out already.
        """
        ...

    def explain(self, name: str) -> Explanation:
        """Why a preference is remembered, what it was used for, and what it took the place of.

        Raises:
            schemas.errors.UnknownEntryError: no preference has that id.
        """
        ...

    def correct(self, name: str, value: str) -> Preference:
        """Put another value in the place of a preference's, which is kept as superseded.

        Raises:
            schemas.errors.UnknownEntryError: no active preference has that id, or its category is closed and does not have
                that value; the message names those that it has.
            schemas.errors.ConsentError: consent forbids its category now.
        """
        ...

    def export(self) -> dict[str, Any]:
        """Everything that is stored, as JSON values."""
        ...

    def take_in(self, exported: Mapping[str, Any], *, allow: bool = False) -> TakenIn:
        """Read an export in, as far as consent allows now; what is switched off there is switched off here first.

        Args:
            exported: JSON values, as `export` gives them.
            allow: take over what the driver had allowed there, too: sensitive categories, the keeping of conversations.

        Raises:
            schemas.errors.ExportError: it is no export that this program can read.
        """
        ...

    def close(self) -> None:
        """Release the vault."""
        ...


class Drivers(Protocol):
    """Whose memory is open: one of the configured drivers', or a guest's."""

    @property
    def names(self) -> tuple[str, ...]:
        """The configured drivers."""
        ...

    def switch(self, driver: str | None) -> MemoryPort:
        """Leave the memory that is open and open that of a configured driver; None: a guest's, which reads and writes nothing.

        The one that is left is closed when what was said is learnt, which nobody waits for.

        Raises:
            schemas.errors.UnknownEntryError: no driver of that name is configured.
            schemas.errors.MemoryStoreError: the vault cannot be opened; a guest's memory is open then.
        """
        ...

    def save_export(self) -> str:
        """Write the open memory's export where its driver can fetch it, readable by nobody else; returns the file's name.

        It is erased with the next thing that is forgotten, and with the driver: a copy would keep what the vault must not.

        Raises:
            schemas.errors.StorageFullError: no room for it.
            schemas.errors.MemoryStoreError: it cannot be written.
        """
        ...

    def delete(self) -> None:
        """Destroy the open vault, its key and its backups; a guest's memory is open then.

        Raises:
            schemas.errors.MemoryStoreError: something could not be removed; the message says what.
        """
        ...


class StructuredModel(Protocol):
    """Fills a Pydantic model from words: the one mechanism of understanding (see ``models.structured``)."""

    def fill(self, task: str, model: type[BaseModel], *, turns: Sequence[str], facts: Sequence[str] = ()) -> BaseModel:
        """A validated instance of the model.

        Args:
            task: ``act``, ``extract`` or ``maintain``.
            model: the slice, as ``schemas.actions.action_model`` or ``schemas.preferences.preference_model`` make it.
            turns: the driver's turns that it may draw on, oldest first; the request is the last one.
            facts: remembered or observed facts that it may draw on, ``"detail key: value"`` each.

        Raises:
            schemas.errors.GenerationError: no valid output within the limits.
        """
        ...
