"""What of hearing and understanding can be configured, with unit, range, meaning and where each default is from.

Owns the keys under ``[endpoint]`` and ``[dialogue]``, and two under ``[vad]``; the configuration nests these models. What was
measured and nobody sets stands with the code that it belongs to.
"""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from schemas.events import Standing

Seconds = Annotated[float, Field(gt=0.0, le=600.0)]
Probability = Annotated[float, Field(gt=0.0, le=1.0)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]


class _Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class SpeechThresholds(_Settings):
    """Speech or not, frame by frame; `python -m tests.audio.test_vad_in_noise` measures them."""

    start_at: Probability = 0.5
    """Probability from which on a frame is speech.

    Silero's own default."""
    stop_below: Probability = 0.35
    """Probability under which a frame is none.

    Silero's own default (0.15 less)."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.stop_below > self.start_at:
            raise ValueError(f"stop_below ({self.stop_below}) must not lie above start_at ({self.start_at})")
        return self


class EndpointSettings(_Settings):
    """When an utterance is over; `python -m tests.audio.test_vad_in_noise` measures it."""

    silence_s: Seconds = 0.576
    """Silence that ends it after free speech, or where nothing is known of the words. A multiple of a frame, 32 ms, as the others.

    A frame less than RealtimeSTT's default; 0.3 s cuts people off who think between words (heywillow/willow #254)."""
    whole_silence_s: Seconds = 0.448
    """The same where what the words mean is sure, and lacks nothing.

    The reply's first sound is made by then; what is said within a second of the end still amends it."""
    hurry_silence_s: Seconds = 0.16
    """Silence that ends it when the words so far are a complete command that no longer one begins with.

    Longer than the closure of a stop consonant (about 0.1 s). The VAD itself holds on for about 0.1 s in noise, so the
    driver has been quiet for 0.26 s."""
    middle_silence_s: Seconds = 0.736
    """The same after a command that may go on as another ("open the window ... halfway").

    People pause .7 s before they go on (``python -m deploy.lab.recogniser.pauses``); the VAD hears about .1 s less of it.
    26 of the 206 commands in docs/what-to-say.md wait so long."""
    unfinished_silence_s: Seconds = 1.3
    """The same after words that cannot be all ("navigate to the ...").

    Our choice, between the .7 s that people pause within a sentence and the 1.5 s after which they ask whether anybody
    listens."""
    max_utterance_s: Seconds = 12.0
    """Longest utterance.

    Under the turn's own limit of 15 s, so that the utterance is closed by the endpointer."""
    no_speech_s: Seconds = 5.0
    """Silence after the wake word that gives up."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        pauses = (self.whole_silence_s, self.silence_s, self.middle_silence_s, self.unfinished_silence_s)
        if not self.hurry_silence_s <= min(pauses) or max(pauses) >= self.max_utterance_s:
            raise ValueError(
                "needs hurry_silence_s <= whole_silence_s, silence_s, middle_silence_s, unfinished_silence_s < max_utterance_s; "
                f"they are {self.hurry_silence_s}, {', '.join(map(str, pauses))} and {self.max_utterance_s}"
            )
        return self

    def silence_after(self, words: Standing) -> float:
        """Seconds of pause that end an utterance whose words stand so."""
        return {
            Standing.COMPLETE: self.hurry_silence_s,
            Standing.CONTINUABLE: self.middle_silence_s,
            Standing.UNFINISHED: self.unfinished_silence_s,
            Standing.WHOLE: self.whole_silence_s,
            Standing.OPEN: self.silence_s,
        }[words]


class CoordinatorSettings(_Settings):
    """What an utterance needs to be acted on."""

    heard_at: Share = 0.2
    """Recogniser confidence below which the words are not acted on at all."""
