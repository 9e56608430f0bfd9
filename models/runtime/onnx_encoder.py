"""The sentence encoder on ONNX Runtime: vectors for search, and how well a text fits each leaf of the schemas.

Owns: loading and checking the model's folder, cutting text into pieces, running the network once a text. Does not know
what the labels mean, and decides nothing: thresholds belong to who asks.

The folder holds ``encoder.onnx``, ``tokenizer.json`` and ``labels.json`` (the labels in the order of the network's
outputs, and the SHA-256 of the other two).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.errors import EngineMissingError, ModelDamagedError, ModelMissingError

NONE = "none"
REMEMBERED = 32
"""Texts whose results are kept, so that search, topics and requests of one text cost one run."""
NETWORK, TOKENIZER, LABELS = "encoder.onnx", "tokenizer.json", "labels.json"


@dataclass(frozen=True)
class _Result:
    """What one run of the network gives."""

    vector: NDArray[np.float32]
    topics: dict[str, float]
    requests: dict[str, float]


class OnnxEncoder:
    """`schemas.ports.Encoder` on ONNX Runtime. Safe to use from several threads.

    Every text is run alone, so its result does not depend on which texts come with it; there is nothing to gain from
    batches of short sentences on one core. Text beyond the tokenizer's limit (64 pieces) is cut off.
    """

    dimension: int

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        """Load and check the model.

        Args:
            folder: with the model's three files.
            threads: cores that one run may use.

        Raises:
            ModelMissingError: a file is not there.
            ModelDamagedError: a file is not what ``labels.json`` says, or cannot be loaded.
            EngineMissingError: onnxruntime or tokenizers is not installed.
        """
        try:
            import onnxruntime as ort
            from tokenizers import Tokenizer
        except ImportError as error:
            raise EngineMissingError(f"{error.name} is not installed; install it to run the encoder") from error
        self._topics, self._requests = _checked(folder)
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        try:
            self._tokenizer: Any = Tokenizer.from_file(str(folder / TOKENIZER))
            self._session: Any = ort.InferenceSession(
                str(folder / NETWORK), options, providers=["CPUExecutionProvider"]
            )
            sizes = {output.name: output.shape[0] for output in self._session.get_outputs()}
            self.dimension = int(sizes["embedding"])
            fits = (sizes["topics"], sizes["requests"]) == (len(self._topics), len(self._requests))
        except Exception as error:  # neither library has a base for its errors but Exception
            raise ModelDamagedError(f"the encoder in {folder} cannot be loaded; restore it") from error
        if not fits:
            raise ModelDamagedError(f"the encoder in {folder} has outputs for other labels; restore it")
        self._result = lru_cache(maxsize=REMEMBERED)(self._run)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), dimension): for search."""
        vectors = np.empty((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._result(_plain(text)).vector
        return vectors

    def topics(self, text: str) -> dict[str, float]:
        """Probability of every preference detail key for what the driver said, and of ``none``; they sum to 1.

        A request that reveals no preference has a high ``none``; how the rest is shared then tells which categories it
        is about.
        """
        return dict(self._result(_plain(text)).topics)

    def requests(self, text: str) -> dict[str, float]:
        """Probability of every action name, and of ``none`` (asks for nothing that the car can do); they sum to 1."""
        return dict(self._result(_plain(text)).requests)

    def _run(self, text: str) -> _Result:
        ids = np.array(self._tokenizer.encode(text).ids, np.int64)
        vector, topics, requests = self._session.run(["embedding", "topics", "requests"], {"ids": ids})
        if not text:  # the network cannot know that silence means nothing
            topics, requests = _only_none(self._topics), _only_none(self._requests)
        return _Result(vector, _named(self._topics, topics), _named(self._requests, requests))


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _only_none(labels: Sequence[str]) -> NDArray[np.float32]:
    return np.array([label == NONE for label in labels], np.float32)


def _named(labels: Sequence[str], values: NDArray[np.float32]) -> dict[str, float]:
    return dict(zip(labels, values.astype(float).tolist(), strict=True))


def _checked(folder: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The labels of topics and requests, once all files are what they should be."""
    for name in (NETWORK, TOKENIZER, LABELS):
        if not (folder / name).is_file():
            raise ModelMissingError(f"the encoder's file {folder / name} is missing; restore it or train the encoder")
    try:
        labels = json.loads((folder / LABELS).read_text(encoding="utf-8"))
        topics, requests = tuple(labels["topics"]), tuple(labels["requests"])
        digests = {name: str(labels["files"][name]) for name in (NETWORK, TOKENIZER)}
    except (ValueError, KeyError, TypeError) as error:
        raise ModelDamagedError(f"the encoder's file {folder / LABELS} is not a list of labels; restore it") from error
    for name, expected in digests.items():
        found = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        if found != expected:
            raise ModelDamagedError(f"{folder / name} has SHA-256 {found}, expected {expected}; restore it")
    return topics, requests
