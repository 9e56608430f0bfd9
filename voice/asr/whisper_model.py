"""A Whisper model in CTranslate2's format: loading, decoding an utterance with little padding, and scoring given words.

Owns: the engine, its prompt and its tokens. Local folders only; nothing is ever fetched. Does not own when to decode, nor what
becomes of the words (``voice.asr.whisper``).
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from models.runtime.whisper_tokens import Writer, tokenizer
from schemas.errors import EngineMissingError, ModelDamagedError, ModelError, ModelMissingError
from schemas.events import SAMPLE_RATE, Samples
from voice.asr.adapted import adapted
from voice.engines import put_off

NEEDED = ("model.bin", "config.json", "tokenizer.json")
"""Without ``tokenizer.json`` faster-whisper would look for one on the network."""

LONGEST_S = 30.0
"""What the encoder can take (Radford et al. 2022, section 2.1); of a longer utterance the end is heard."""

PROMPT_TOKENS = 160
"""Most tokens of the prompt. Whisper's limit is 224, half its context less one."""

MOST_TOKENS, TOKENS_A_SECOND, SPARE_TOKENS = 160, 6.0, 12
"""Most tokens of an utterance, and of one of so many seconds: people say up to 4.5 a second. It bounds the time that a decoder
takes which repeats itself."""

MOST_LENGTH = 448
"""Tokens that the decoder can hold, prompt included."""

FRAMES_A_SECOND, MOST_FRAMES = 100, 3000

AGAIN = 4
"""So many words as at its beginning say that a text begins again; all of them where it is shorter."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """What the model made of an utterance."""

    text: str
    """As Whisper writes it, with case, digits and punctuation."""
    log_probability: float
    """Mean natural log probability of a token, the end included."""
    no_speech: float
    """Probability that there are no words in it, 0..1."""
    compression: float
    """Bytes of the text over those of its zlib compression; 1 and less for short texts."""
    again: bool = False
    """It was written more than once; ``text`` is the first time."""
    others: tuple[tuple[str, float], ...] = ()
    """What else was likely, as Whisper writes it, with its share of the probability of all that was looked at."""


class WhisperModel:
    """An utterance in, words out; nothing is kept between utterances but the prompt."""

    def __init__(
        self, folder: Path, *, threads: int, padding_s: float, adaptation: Path | None = None, keep: Path | None = None
    ) -> None:
        """Load a model.

        Args:
            folder: holds ``model.bin``, ``config.json``, ``tokenizer.json`` and the vocabulary.
            threads: processor threads that the engine may use.
            padding_s: silence after the utterance, seconds.
            adaptation: added to the weights if it belongs to them; where it does not, ``plain`` says so.
            keep: the folder where the changed weights are kept; None: nowhere.

        Raises:
            schemas.errors.EngineMissingError: faster-whisper is not installed.
            schemas.errors.ModelMissingError: the folder lacks a file.
            schemas.errors.ModelError: the engine cannot use the files.
        """
        put_off("av")  # it reads sound files, and takes a tenth of a second to come
        try:
            from faster_whisper import WhisperModel as Engine
            from faster_whisper.tokenizer import Tokenizer
            from faster_whisper.transcribe import get_ctranslate2_storage, get_suppressed_tokens
        except ImportError as error:
            raise EngineMissingError("faster-whisper is not installed; run: pip install 'glovebox[asr]'") from error
        for name in NEEDED:
            if not (folder / name).is_file():
                raise ModelMissingError(f"{folder / name} is missing; a Whisper model needs {', '.join(NEEDED)}")

        def load(from_: Path) -> Any:
            return Engine(str(from_), device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=True)

        self.plain = ""
        """Why the weights are used as they are, for a person; empty where nothing else was wished."""
        engine: Any = None
        try:
            if adaptation is not None:
                engine = self._loaded_adapted(load, folder, adaptation, keep)
            if engine is None:
                engine = load(folder)
            engine.hf_tokenizer = tokenizer(folder)
            multilingual = bool(engine.model.is_multilingual)
            self._tokenizer: Any = Tokenizer(engine.hf_tokenizer, multilingual, task="transcribe", language="en")
            self._written = Writer(self._tokenizer.encode)
            self._start: list[int] = [*self._tokenizer.sot_sequence, self._tokenizer.no_timestamps]
            self._suppressed = sorted(
                {*(get_suppressed_tokens(self._tokenizer, (-1,)) or ()), *_foreign(engine.hf_tokenizer)}
            )
        except (RuntimeError, ValueError, KeyError, TypeError, OSError) as error:
            raise ModelError(f"faster-whisper cannot load the model in {folder}: {error}") from error
        self._engine, self._storage = engine.model, get_ctranslate2_storage
        self._extract: Any = engine.feature_extractor
        self._padding = round(padding_s * SAMPLE_RATE)
        self._prompt: list[int] = []

    def _loaded_adapted(
        self, load: Callable[[Path], Any], folder: Path, adaptation: Path, keep: Path | None
    ) -> Any | None:
        try:
            with adapted(folder, adaptation, keep) as other:
                return load(other)
        except (ModelDamagedError, OSError, ValueError) as error:
            self.plain = f"{folder.name} hears as its makers made it: {error}"
        return None

    def expect(self, text: str) -> None:
        """Expect words like those of this text: it is given to the decoder as what was said before, cut to its limit."""
        tokens = self._tokenizer.encode(" " + text.strip())[:PROMPT_TOKENS] if text.strip() else []
        self._prompt = [self._tokenizer.sot_prev, *tokens] if tokens else []

    def encode(self, samples: Samples) -> Any:
        """The engine's view of an utterance, for ``decode`` and ``scores``.

        Args:
            samples: shape (n,), 16 kHz; of more than 30 s the end is heard.

        Raises:
            schemas.errors.ModelError: the engine failed.
        """
        most = round(LONGEST_S * SAMPLE_RATE)
        wave = samples[-most:].astype(np.float32) / np.float32(32768.0)
        padded = np.pad(wave, (0, min(self._padding, most - wave.size)))
        features = self._extract(padded, padding=160)  # (80, frames): 100 a second; the encoder halves them
        frames = min(features.shape[1], MOST_FRAMES) // 2 * 2
        try:
            return self._engine.encode(self._storage(np.ascontiguousarray(features[None, :, :frames])))
        except (RuntimeError, ValueError) as error:
            raise ModelError(f"whisper failed: {error}") from error

    def decode(self, encoded: Any, seconds: float, beam: int = 1, *, prompted: bool = True) -> Decoded:
        """The words of an utterance.

        Args:
            encoded: the engine's view of it.
            seconds: its length.
            beam: texts that are followed at a time; 1 is greedy.
            prompted: with what is expected before it, which costs .1 s of processor time.

        Raises:
            schemas.errors.ModelError: the engine failed.
        """
        prompt = [*(self._prompt if prompted else ()), *self._start]
        most = min(MOST_TOKENS, round(TOKENS_A_SECOND * seconds) + SPARE_TOKENS)
        try:
            result = self._engine.generate(
                encoded, [prompt], beam_size=beam, num_hypotheses=beam, max_length=min(MOST_LENGTH, len(prompt) + most),
                return_scores=True, return_no_speech_prob=True, suppress_blank=True, suppress_tokens=self._suppressed,
            )[0]  # fmt: skip
        except (RuntimeError, ValueError) as error:
            raise ModelError(f"whisper failed: {error}") from error
        tokens = result.sequences_ids[0]
        text, whole = self._tokenizer.decode(tokens).strip(), len(tokens)
        mean = result.scores[0] * whole / (whole + 1)  # the engine divides by the words' tokens alone
        likely = np.exp([score * len(ids) for score, ids in zip(result.scores, result.sequences_ids, strict=True)])
        shares = likely / likely.sum()
        others = [self._tokenizer.decode(ids).strip() for ids in result.sequences_ids[1:]]
        once = said_once(text)
        data = text.encode()
        return Decoded(
            text=once, log_probability=mean, no_speech=result.no_speech_prob,
            compression=len(data) / len(zlib.compress(data)) if data else 0.0, again=len(once) < len(text),
            others=tuple((said_once(other), float(share)) for other, share in zip(others, shares[1:], strict=True)),
        )  # fmt: skip

    def scores(self, encoded: Any, texts: Sequence[str], seconds: float) -> list[float]:
        """How well each text fits the sound: natural log probability, summed over its tokens, of ``encoded``.

        All are written in the same way (a capital, a full stop), so that they differ by their words alone. The prompt is left out:
        with it each text costs seven times as much (base: 126 ms of processor time against 19 ms, beside other work).

        Raises:
            schemas.errors.ModelError: the engine failed.
        """
        tokens = [self._tokenizer.encode(self._written(text))[:MOST_TOKENS] for text in texts]
        start = list(self._tokenizer.sot_sequence)  # the engine adds the mark for "no time stamps" itself
        frames = round(seconds * FRAMES_A_SECOND)
        try:
            each = [self._engine.align(encoded, start, [one], frames)[0].text_token_probs for one in tokens]
        except (RuntimeError, ValueError) as error:
            raise ModelError(f"whisper failed: {error}") from error
        return [float(np.sum(np.log(np.maximum(one, 1e-9)))) for one in each]


def _foreign(tokenizer: Any) -> list[int]:
    """Tokens with other characters than English writes: a multilingual model takes noise for Chinese.

    A byte-level vocabulary writes bytes beyond ASCII as characters beyond U+00A0, and a space as U+0120.
    """
    return [
        number
        for token, number in tokenizer.get_vocab().items()
        if not token.startswith("<|") and not token.replace("\u0120", "").replace("\u010a", "").isascii()
    ]


_TWICE = re.compile(r"(\b\w+(?: \w+){2,}?)(?: \1\b)+(?: \w+)*$")
"""Three words or more that follow on themselves, to the end of the text: what comes after them was cut off."""


def said_once(text: str) -> str:
    """A text up to where it repeats itself: with little padding Whisper writes a short utterance twice or more.

    ``"Make me a latte. Make me a latte. Make"`` is "Make me a latte.".
    """
    written = text.replace("-", " ").split()
    words = [word.strip(".,!?").lower() for word in written]
    for at in range(2, len(words) - 1):
        same = min(at, len(words) - at, AGAIN)
        if same >= 2 and words[at : at + same] == words[:same]:
            return " ".join(written[:at])
    if len(words) > 1 and len(set(words)) == 1:
        return written[0]
    found = _TWICE.search(" ".join(words))
    if found is None or len(set(found[1].split())) < 3:
        return text
    return " ".join(written[: len(found.string[: found.end(1)].split())])
