"""Whisper beside the speech: what was said so far is decoded at every pause, so that the end of the utterance costs nothing.

Owns: collecting an utterance, when it is decoded, how sure its words are, and refusing what Whisper invents on sound without
words. Does not own the engine (``voice.asr.whisper_model``), voice activity (the endpointer came before it) nor what a command
is: the matcher says whether the text is one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from models.text import spoken
from schemas.errors import ModelMissingError
from schemas.events import SAMPLE_RATE, Command, Hypothesis, Samples, Transcript
from voice.asr import Hearing
from voice.asr.expected import expected
from voice.asr.whisper_model import Decoded, WhisperModel

SHORTEST_S = 0.1
"""Less sound than this holds no word; Whisper would make one up."""

INVENTED = frozenset(
    spoken(text)
    for text in (
        "Thank you for watching.", "Thanks for watching!", "Thank you for listening.", "Thank you very much for watching.",
        "Please subscribe.", "Subscribe to my channel.", "Like and subscribe.", "See you next time.", "See you in the next video.",
        "I'll see you in the next one.", "you", "Bye.", "Bye bye.", "The end.", "Amara.org", "Transcribed by",
        "Subtitles by the Amara.org community", "so", "Oh.", "Hmm.", "Mm-hmm.", "uh", "um", "I'm sorry.", "Thank you.",
    )
)  # fmt: skip
"""What Whisper writes for noise, music and silence: ends of films and videos that it was trained on. They count only where the
words are well heard (``INVENTED_AT``): a driver may say "thank you"."""

PADDING_S = 1.0
"""Silence after the utterance, seconds."""
BEAM = 3
"""Texts that are followed at a time. 260 sentences by two unseen voices at 10 dB had a word error rate of .157 with one, .144
with two, .142 with three and .141 with five, at 92, 100, 109 and 119 ms of processor time; in quiet .054 to .058."""
NO_SPEECH = 0.6
"""A segment more likely empty than this is dropped if it is also improbable (Radford et al. 2022, section 4.5)."""
LOG_PROBABILITY = -1.0
"""Mean log probability of a token under which a segment is improbable (the same)."""
COMPRESSION = 2.4
"""Text that compresses better than this repeats itself: invented (the same)."""
MISHEARD_BELOW = 0.45
"""Confidence under which the words are given as misheard. Of 33 utterances given .3 to .6, 9 were heard, of 23 under .3, two
(docs/log.md); what is made of the others are wishes that nobody had."""
SECOND_AT = -0.45
"""Mean log probability of a token from which on words without the prompt take the place of misheard ones: "I'm hungry" behind
the wake word had -.29 to -.40 without it, and "I'm purned rit" -.87 to -.99 with it. Our choice, on three utterances."""
INVENTED_AT = 0.6
"""Least confidence of words that Whisper likes to invent."""
WORD_AT = -9.0
"""Log probability of a single word from which on it fits a sound (`has`). Where the wake word's networks were in doubt,
"computer" had -10.3 at most in .94 h of talk by voices kept for choosing thresholds; of nine calls for which it wrote other
words in road noise at 10 dB, six had -8.5 and more (docs/log.md)."""
INSTEAD_AT = {"jarvis": -9.0}
"""For a word, the natural logarithm by which a text may fit a sound better than the same with the word in the place of one or
two of its words, for the word to fit, too (`has`): "charge this open", and "jarvis open" 3 behind. Chosen on voices kept for
that, in road noise at 10 dB: of 29 calls of "jarvis" that were missed 17 lay within it, and the nearest talk 11.8 behind.
"Computer", one token of Whisper's, came within 8 of talk: it has none (docs/log.md)."""
MOST_INSTEAD = 2
"""Words in whose place another is tried: "charge this" for "jarvis". Three found no more of 41 calls that were missed."""


@dataclass(frozen=True, slots=True)
class Take:
    """What was decoded, and of how much of the utterance."""

    samples: int
    decoded: Decoded
    encoded: Any
    """The engine's view of the sound, for scoring other words on it."""
    text: str
    """In the form of ``spoken``; empty if it was invented."""
    confidence: float

    def others(self) -> tuple[Hypothesis, ...]:
        """Other words that may have been said, each once, likeliest first; not for words that were invented."""
        shares: dict[str, float] = {}
        for text, share in self.decoded.others if self.text else ():
            if (words := spoken(text)) and words != self.text:
                shares[words] = shares.get(words, 0.0) + share
        ranked = sorted(shares.items(), key=lambda item: -item[1])
        return tuple(Hypothesis(text=words, log_score=math.log(max(share, 1e-9))) for words, share in ranked)


class WhisperRecognizer:
    """``schemas.ports.Recognizer``: decodes at pauses, and at the end if something was fed since the last one."""

    def __init__(
        self,
        folder: Path,
        match: Callable[[str], Command | None],
        *,
        threads: int = 2,
        likely: str = "",
        adaptation: Path | None = None,
        keep: Path | None = None,
    ) -> None:
        """Load a model in CTranslate2's format.

        Args:
            folder: holds ``model.bin``, ``config.json``, ``tokenizer.json`` and the vocabulary.
            match: the command matcher; a text that it knows is in grammar.
            threads: processor threads that the engine may use.
            likely: words of the domain and names that are likely to be said (``voice.asr.expected``). An adapted model knows
                the domain's and is led astray by them (docs/log.md): it is not told.
            adaptation: what is added to the model's weights if it belongs to them (``models.runtime.ct2_file``).
            keep: the folder where the changed weights are kept for the next start; None: nowhere.

        Raises:
            schemas.errors.EngineMissingError: faster-whisper is not installed.
            schemas.errors.ModelMissingError: the folder lacks a file.
            schemas.errors.ModelError: the engine cannot use the files.
        """
        self._model = WhisperModel(folder, threads=threads, padding_s=PADDING_S, adaptation=adaptation, keep=keep)
        self.plain = self._model.plain
        """Why the model is used without the adaptation, for a person; empty where it is used or none was given."""
        self.adapted = adaptation is not None and not self.plain
        """Whether the adaptation is used."""
        self.expect(likely)
        self._match = match
        self._chunks: list[Samples] = []
        self.samples = 0
        """What was fed of this utterance."""
        self._take: Take | None = None
        self._encoded: tuple[int, Any] | None = None
        """Samples, and the engine's view of them."""

    def expect(self, likely: str) -> None:
        """Expect such words, as of ``__init__``."""
        self._prompted = bool(likely) and not self.adapted
        self._model.expect(likely if self._prompted else "")
        self._echo = spoken(likely)

    def reset(self) -> None:
        """Forget an utterance that is open; nothing else is kept."""
        self.start()

    def start(self, before: Samples | None = None) -> None:
        """Begin an utterance; an unfinished one is thrown away."""
        del before
        self._chunks, self.samples, self._take, self._encoded = [], 0, None, None

    def feed(self, chunk: Samples) -> None:
        """Take the next samples of the utterance (any number)."""
        self._chunks.append(chunk.copy())
        self.samples += len(chunk)

    def hear(self) -> Transcript | None:
        """Nothing before `pause`: there is one engine."""
        return None

    def pause(self) -> None:
        """Decode what was fed so far.

        Raises:
            schemas.errors.ModelError: the engine failed.
        """
        self.take()

    def partial(self) -> str:
        """The words up to the last pause."""
        return self._take.text if self._take is not None else ""

    def likely(self) -> Transcript | None:
        """What the last pause found, if nothing was fed since."""
        take = self.taken()
        return None if take is None else self._said(take)

    def finish(self) -> Transcript:
        """The words of all that was fed.

        Raises:
            schemas.errors.ModelError: the engine failed.
        """
        found = self._said(self.take())
        self.start()
        return found

    def has(self, sound: Samples, word: str) -> bool:
        """Whether the word alone fits this sound, stands in one of its likeliest texts, or fits nearly as well in its place there.

        No utterance is touched by it.

        Raises:
            schemas.errors.ModelError: the engine failed.
        """
        encoded, seconds = self._model.encode(sound), len(sound) / SAMPLE_RATE
        if self._model.scores(encoded, [word], seconds)[0] >= WORD_AT:
            return True
        decoded = self._model.decode(encoded, seconds, BEAM, prompted=False)
        written = spoken(decoded.text)
        if any(
            one.startswith(word)
            for text in (written, *(spoken(other) for other, _ in decoded.others))
            for one in text.split()
        ):
            return True
        at, instead_of = INSTEAD_AT.get(word), instead(written, word)
        if at is None or not instead_of:
            return False
        best, *scores = self._model.scores(encoded, [written, *instead_of], seconds)
        return max(scores) - best >= at

    def _said(self, take: Take | None) -> Transcript:
        text, confidence = (take.text, take.confidence) if take is not None else ("", 0.0)
        return Transcript(
            text=text,
            confidence=confidence if text else 0.0,
            misheard=self.misheard(confidence),
            in_grammar=bool(text) and self._match(text) is not None,
            open=Hypothesis(text=text, log_score=math.log(max(confidence, 1e-9))),
            others=take.others() if take is not None else (),
            seconds=self.seconds,
        )

    def misheard(self, confidence: float) -> bool:
        """Whether words of this confidence are more likely misheard than heard."""
        return confidence < MISHEARD_BELOW

    @property
    def seconds(self) -> float:
        """Length of what was fed of this utterance."""
        return self.samples / SAMPLE_RATE

    def take(self) -> Take | None:
        """What the model makes of all that was fed so far, decoded if it was not yet; None if that holds no word.

        Raises:
            schemas.errors.ModelError: the engine failed.
        """
        if self.samples < SHORTEST_S * SAMPLE_RATE:
            return None
        if self.taken() is None:
            self._take = self._taken(prompted=True)
            if self._prompted and self.misheard(self._take.confidence):
                self._take = self._second(self._take)
        return self._take

    def taken(self) -> Take | None:
        """What `take` has found, if nothing was fed since."""
        return self._take if self._take is not None and self._take.samples == self.samples else None

    def unprompted(self) -> Take | None:
        """The same without what is expected before it: less often right, and sooner there. It is not kept.

        Raises:
            schemas.errors.ModelError: the engine failed.
        """
        if not self._prompted:
            return self.take()
        return self._taken(prompted=False) if self.samples >= SHORTEST_S * SAMPLE_RATE else None

    def _second(self, first: Take) -> Take:
        """What is heard without the prompt, if those words are far likelier: a prompt leads a short utterance astray.

        Whether anything was said is what the first pass holds of it: without a prompt that is no measure for a short utterance.
        """
        if first.decoded.no_speech > NO_SPEECH:
            return first
        second = self._taken(prompted=False)
        likely = second.decoded.log_probability
        if not second.text or likely < max(SECOND_AT, first.decoded.log_probability):
            return first
        return replace(second, confidence=heard_probability(replace(second.decoded, no_speech=first.decoded.no_speech)))

    def _taken(self, *, prompted: bool) -> Take:
        if self._encoded is None or self._encoded[0] != self.samples:
            self._chunks = [np.concatenate(self._chunks)]
            self._encoded = self.samples, self._model.encode(self._chunks[0])
        encoded = self._encoded[1]
        decoded = self._model.decode(encoded, self.seconds, BEAM, prompted=prompted)
        confidence = heard_probability(decoded)
        text = spoken(decoded.text)
        if self._invented(decoded, text, confidence):
            text, confidence = "", 0.0
        return Take(self.samples, decoded, encoded, text, confidence)

    def scores(self, take: Take, texts: Sequence[str]) -> list[float]:
        """Natural log probability of each text as what was said in the take."""
        return self._model.scores(take.encoded, texts, take.samples / SAMPLE_RATE)

    def _invented(self, decoded: Decoded, text: str, confidence: float) -> bool:
        if decoded.compression > COMPRESSION and not decoded.again:
            return True
        if decoded.no_speech > NO_SPEECH and decoded.log_probability < LOG_PROBABILITY:
            return True
        if text in INVENTED and confidence < INVENTED_AT:
            return True
        return repeats(text) or (len(text.split()) >= ECHO_WORDS and text in self._echo)


def opened(hearing: Hearing) -> WhisperRecognizer:
    """The recogniser of the table, with the adaptation to this car's words and noise if the model is the one that has it.

    Raises:
        schemas.errors.ModelMissingError: no model was chosen.
    """
    if hearing.model is None:
        raise ModelMissingError("whisper needs a model; name one in asr.model")
    adaptation = hearing.find("asr-domain") / ADAPTATION

    def match(text: str) -> Command | None:
        return hearing.matcher.match(text)

    ear = WhisperRecognizer(
        hearing.model, match, threads=hearing.threads,
        adaptation=adaptation if adaptation.is_file() else None, keep=hearing.keep,
    )  # fmt: skip
    ear.expect(expected(hearing.matcher.templates))
    if ear.plain:
        hearing.tell(ear.plain)
    return ear


ADAPTATION = "whisper_base_adaptation.npz"
"""In the folder of the built-in recogniser; ``models.training.whisper`` makes it."""

ECHO_WORDS = 7
"""So many words of the prompt, in its order, were not said but copied from it."""

_REPEATED = re.compile(r"\b(\w+(?: \w+){0,3})(?: \1){3,}\b")


def repeats(text: str) -> bool:
    """Whether one to four words stand in it four times or more, one after the other."""
    return _REPEATED.search(text) is not None


HEARD = (2.11, 4.69, -0.72, 0.49)
"""Constant, mean log probability of a token, written more than once, words (of 8): a logistic regression on 150 utterances of
twelve espeak-ng and flite voices, quiet to 5 dB. Of those given under .3 / .3 to .6 / .6 to .85 / more, 2 of 23 / 9 of 33 / 67 of
78 / 16 of 16 were heard (docs/log.md)."""


def heard_inputs(decoded: Decoded) -> tuple[float, float, float]:
    """What ``HEARD`` weighs, after its constant."""
    return max(-2.0, decoded.log_probability), float(decoded.again), min(len(decoded.text.split()), 8) / 8.0


def heard_probability(decoded: Decoded) -> float:
    """Probability that at least three of four words are what was said, less the chance that nothing was."""
    total = HEARD[0] + sum(weight * value for weight, value in zip(HEARD[1:], heard_inputs(decoded), strict=True))
    return (1.0 - decoded.no_speech) / (1.0 + math.exp(-total))


def instead(text: str, word: str) -> list[str]:
    """The text with the word in the place of each of its words, and of each two that follow on each other."""
    words = text.split()
    spans = [(at, at + count) for count in range(1, MOST_INSTEAD + 1) for at in range(len(words) - count + 1)]
    return [" ".join([*words[:begin], word, *words[end:]]) for begin, end in spans]
