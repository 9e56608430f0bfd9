"""What listens for a wake word in `eval wake`: ours as it runs in the car, and the peers that are installed.

Owns: how each engine is asked for a score over time, so that one curve can be drawn for all. Does not own conditions or
counting. PocketSphinx spots a key phrase in one pass at a threshold low enough for every candidate, whose own score stands for
a threshold; openWakeWord is asked every 80 ms, as its documentation says, with its own model of the word or one that is named.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from models.runtime.keyword import KeywordNetwork, Scores
from models.training.wake.corpus import Clip
from models.training.wake.listening import RATE
from voice.wake.onnx import OnnxWakeWord

CHUNK = 512
"""Samples that the microphone gives at once."""
_LOWEST = 1e-60
"""PocketSphinx's threshold: below every score that it gave a spoken keyword in road noise at 5 dB."""
_FRAMES = RATE // 100
_OPENWAKEWORD_CHUNK = 1280
_UTTERANCE = 60 * RATE


class Ear(Protocol):
    """Something that scores a stream."""

    @property
    def name(self) -> str:
        """As people call it."""
        ...

    @property
    def threshold(self) -> float | None:
        """The one it is shipped with, in its own scores; None where it has none."""
        ...

    def reset(self) -> None:
        """Begin another stream."""
        ...

    def listen(self, samples: Clip) -> Scores:
        """Scores for the next samples of the stream, with their positions since the reset."""
        ...

    def live(self, chunk: Clip) -> None:
        """Take the next `CHUNK` samples as in the car; what this costs is the CPU share."""
        ...


class OurEar:
    """A keyword network of ours."""

    name = "Glovebox"

    def __init__(self, path: Path) -> None:
        """Load it.

        Raises:
            ModelError: the network is missing or damaged.
        """
        self._network, self._wake = KeywordNetwork(path), OnnxWakeWord(path)
        self.keyword, self.threshold = self._wake.keyword, self._wake.threshold

    def reset(self) -> None:
        """Begin another stream."""
        self._network.reset()
        self._wake.reset()

    def listen(self, samples: Clip) -> Scores:
        """The network's smoothed scores; chunks of any length give the same ones."""
        return self._network.process(samples)

    def live(self, chunk: Clip) -> None:
        """Through the wake word engine itself."""
        self._wake.process(chunk)


class PocketSphinxEar:
    """PocketSphinx spotting a key phrase with the acoustic model of its package."""

    name = "PocketSphinx"
    threshold = None

    def __init__(self, keyword: str) -> None:
        """Begin; the word must be in its dictionary."""
        from pocketsphinx import Decoder

        self._decoder: Any = Decoder(
            keyphrase=keyword, kws_threshold=_LOWEST, lm=None, samprate=float(RATE), loglevel="FATAL"
        )
        self._position = 0
        self._open = False

    @staticmethod
    def knows(keyword: str) -> bool:
        """Whether every word of it is in the dictionary."""
        from pocketsphinx import Decoder

        decoder: Any = Decoder(lm=None, loglevel="FATAL")
        return all(decoder.lookup_word(word) is not None for word in keyword.split())

    def reset(self) -> None:
        """Begin another stream."""
        self._position = 0

    def listen(self, samples: Clip) -> Scores:
        """Candidates of the samples, at most a minute at a time, each decoded as an utterance."""
        found: list[tuple[float, int]] = []
        for start in range(0, samples.size, _UTTERANCE):
            part = samples[start : start + _UTTERANCE]
            self._decoder.start_utt()
            self._decoder.process_raw(part.tobytes(), no_search=False, full_utt=False)
            self._decoder.end_utt()
            found += [(float(one.prob), self._position + one.end_frame * _FRAMES) for one in self._decoder.seg() or ()]
            self._position += part.size
        found.sort(key=lambda pair: pair[1])
        return Scores(
            np.asarray([score for score, _ in found], np.float32), np.asarray([place for _, place in found], np.int64)
        )

    def live(self, chunk: Clip) -> None:
        """One long utterance, asked after every chunk."""
        if not self._open:
            self._decoder.start_utt()
            self._open = True
        self._decoder.process_raw(chunk.tobytes(), no_search=False, full_utt=False)
        self._decoder.hyp()

    def close(self) -> None:
        """End what `live` began."""
        if self._open:
            self._decoder.end_utt()
            self._open = False


class OpenWakeWordEar:
    """A model of openWakeWord, where the package and the files are here; the package carries no weights."""

    name = "openWakeWord"
    threshold = 0.5
    """Its documentation's."""

    def __init__(self, model: Any, word: str) -> None:
        """Listen with a loaded `openwakeword.model.Model`."""
        self._model, self._word = model, word
        self.reset()

    @classmethod
    def load(cls, keyword: str, file: Path | None = None) -> OpenWakeWordEar | str:
        """The ear, or why there is none.

        Args:
            keyword: the word, of which the package may know a model.
            file: an ONNX model of the word to use instead. ``melspectrogram.onnx`` and ``embedding_model.onnx``, which it needs,
                are looked for beside it, then in the package.
        """
        try:
            package = importlib.import_module("openwakeword")
            module = importlib.import_module("openwakeword.model")
        except ImportError as error:
            return "is not installed" if error.name == "openwakeword" else f"cannot be imported: {error}"
        inside = Path(str(package.__file__)).parent / "resources" / "models"
        if file is None:
            entry = getattr(package, "MODELS", {}).get(keyword.replace(" ", "_"))
            if entry is None:
                return f"has no model of {keyword!r}; `--openwakeword` names one"
            file = Path(str(entry["model_path"])).with_suffix(".onnx")
            if not file.is_file():
                return f"has a model of {keyword!r}, but its file is not on this machine"
        before: dict[str, str] = {}
        for setting, name in (("melspec_model_path", "melspectrogram"), ("embedding_model_path", "embedding_model")):
            found = next(
                (one for one in (file.with_name(f"{name}.onnx"), inside / f"{name}.onnx") if one.is_file()), None
            )
            if found is None:
                return f"lacks its own {name}.onnx on this machine"
            before[setting] = str(found)
        try:
            model = module.Model(wakeword_models=[str(file)], inference_framework="onnx", **before)
        except Exception as error:  # noqa: BLE001 - ONNX Runtime's own errors, and whatever the package raises: a peer is optional
            return f"cannot use {file}: {error}"
        return cls(model, file.stem)

    def reset(self) -> None:
        """Begin another stream."""
        self._model.reset()
        self._position = 0
        self._pending = np.zeros(0, np.int16)

    def listen(self, samples: Clip) -> Scores:
        """A score every 80 ms."""
        pending = np.concatenate([self._pending, samples])
        values = [
            float(self._model.predict(pending[start : start + _OPENWAKEWORD_CHUNK])[self._word])
            for start in range(0, pending.size - _OPENWAKEWORD_CHUNK + 1, _OPENWAKEWORD_CHUNK)
        ]
        self._pending = pending[len(values) * _OPENWAKEWORD_CHUNK :]
        positions = self._position + _OPENWAKEWORD_CHUNK * np.arange(1, len(values) + 1, dtype=np.int64)
        self._position += len(values) * _OPENWAKEWORD_CHUNK
        return Scores(np.asarray(values, np.float32), positions)

    def live(self, chunk: Clip) -> None:
        """The next chunk; it works every 80 ms."""
        self.listen(chunk)


def peers(keyword: str, openwakeword: Path | None = None) -> tuple[list[Ear], dict[str, str]]:
    """The peers that can be run here, and of the others why they cannot.

    Args:
        keyword: the word.
        openwakeword: a model for openWakeWord, where it is not to use its own.
    """
    ears: list[Ear] = []
    missing: dict[str, str] = {}
    if PocketSphinxEar.knows(keyword):
        ears.append(PocketSphinxEar(keyword))
    else:
        missing[PocketSphinxEar.name] = f"does not have {keyword!r} in its dictionary"
    loaded = OpenWakeWordEar.load(keyword, openwakeword)
    if isinstance(loaded, str):
        missing[OpenWakeWordEar.name] = loaded
    else:
        ears.append(loaded)
    return ears, missing
