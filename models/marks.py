"""What every word of a sentence says about its speaker, by a small network on the sentence encoder's states of the words.

Owns the arithmetic, that of ``models.training.marks.network``, the file's format, and how a long text is cut. Computed with numpy:
a sentence takes some five million multiplications. What is made of the marks is memory's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.acts.pointing import LEVELS_OF_INT8, PARTS, Rows, WordStates, mixed, norm, rotations
from schemas.errors import ModelDamagedError
from schemas.kinds import LABELS, Marked

FILE = "marks.npz"
"""Name of the network's file in the encoder's folder."""
MOST = 40
"""Words that are read together: as many as the encoder's 64 pieces hold of any English."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_END = re.compile(r"[.!?;]")


def packed(tensors: Mapping[str, Rows]) -> dict[str, NDArray[Any]]:
    """What the file holds: matrices as int8 with a scale a row, all else as float16."""
    found: dict[str, NDArray[Any]] = {"labels": np.array([str(label) for label in LABELS])}
    for name, tensor in tensors.items():
        if tensor.ndim == 2:
            scale = np.maximum(np.abs(tensor).max(1, keepdims=True), 1e-8) / LEVELS_OF_INT8
            found[name] = np.round(tensor / scale).astype(np.int8)
            found[f"{name}.scale"] = scale.astype(np.float16)
        else:
            found[name] = tensor.astype(np.float16)
    return found


def load(path: Path) -> dict[str, Rows]:
    """The tensors of a file.

    Raises:
        schemas.errors.ModelDamagedError: it is none of ours, or of other labels.
    """
    try:
        with np.load(path, allow_pickle=False) as kept:
            read = {name: kept[name] for name in kept.files}
        labels = tuple(str(label) for label in read.pop("labels"))
        scales = {name: read.pop(f"{name}.scale") for name in [one for one in read if f"{one}.scale" in read]}
        tensors = {
            name: value.astype(np.float32) * np.asarray(scales.get(name, 1.0), np.float32)
            for name, value in read.items()
        }
        fits = labels == tuple(str(label) for label in LABELS) and len(tensors["out.weight"]) == len(LABELS)
    except (OSError, ValueError, KeyError) as error:
        raise ModelDamagedError(f"{path} cannot be loaded as marks: restore it") from error
    if not fits:
        raise ModelDamagedError(f"{path} has other labels: restore it")
    return tensors


def spans_of(text: str) -> tuple[tuple[int, int], ...]:
    """Where the words of a text stand."""
    return tuple(found.span() for found in _WORD.finditer(text))


class Marks:
    """Marks the words of texts. May be called from any thread."""

    def __init__(self, path: Path, encoder: WordStates) -> None:
        """Load the network.

        Args:
            path: of its file.
            encoder: that it was trained with.

        Raises:
            schemas.errors.ModelDamagedError: as `load`.
        """
        self._tensors, self._encoder = load(path), encoder
        self._layers = len({name.split(".")[1] for name in self._tensors if name.startswith("blocks.")})

    def marks(self, text: str) -> Marked:
        """What the words of a text are part of."""
        plain = " ".join(text.split())
        spans = spans_of(plain)
        if not spans:
            return Marked(plain)
        return Marked(plain, spans, np.concatenate([self._read(states) for states in states_of(self._encoder, plain)]))

    def _read(self, states: Rows) -> NDArray[np.float32]:
        return shares(self._tensors, self._layers, states)


def states_of(encoder: WordStates, text: str) -> list[Rows]:
    """The encoder's states of a text's words, (words, 768) for each piece of it that is read together."""
    pieces = windows(text, spans_of(text))
    if len(pieces) == 1:  # as it is, since the encoder may have read it already
        return [encoder.states(text, pieces[0])]
    found: list[Rows] = []
    for spans in pieces:
        first, last = spans[0][0], spans[-1][1]
        found.append(encoder.states(text[first:last], [(start - first, end - first) for start, end in spans]))
    return found


def windows(text: str, spans: tuple[tuple[int, int], ...]) -> list[tuple[tuple[int, int], ...]]:
    """The words of a text in pieces that are read together, cut behind sentences where that is possible."""
    found: list[tuple[tuple[int, int], ...]] = []
    while len(spans) > MOST:
        ends = [
            n for n, (one, next_) in enumerate(pairwise(spans[: MOST + 1]), 1) if _END.search(text[one[1] : next_[0]])
        ]
        cut = ends[-1] if ends else MOST
        found.append(spans[:cut])
        spans = spans[cut:]
    return [*found, spans]


def shares(tensors: Mapping[str, Rows], layers: int, states: Rows) -> NDArray[np.float32]:
    """(words, labels) of a text's words by the states (words, 768) that the encoder has of them."""
    x = np.asarray(states @ tensors["word.weight"].T + tensors["word.bias"], np.float32)
    turns = rotations(0, len(x))
    for layer in range(layers):
        x = mixed(x, {name: tensors[f"blocks.{layer}.{name}.weight"] for name in PARTS}, turns)
    logits = norm(x, tensors["norm.weight"]) @ tensors["out.weight"].T + tensors["out.bias"]
    raised = np.exp(logits - logits.max(1, keepdims=True))
    return np.asarray(raised / raised.sum(1, keepdims=True), np.float32)
