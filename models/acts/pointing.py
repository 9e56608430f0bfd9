"""An utterance as acts, by the small network that Glovebox carries: it writes closed tokens and points at words.

A word comes in as the sentence encoder's state of it, so the network knows English from there and only this car's acts by itself.
Computed with numpy: one utterance takes some ten million multiplications. Owns the arithmetic, that of
``models.training.acts.pointing.network``, and the file's format; the tokens, and what may follow what, are ``models.acts.steps``'.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from models.acts.limits import LEVELS, MOST_ACTS, MOST_STEPS, MOST_WORDS, meant, near, require_readable
from models.acts.steps import CLOSED, Prompt, Writing, prompt
from models.text import spoken
from schemas.actions.acts import Parsed
from schemas.errors import GenerationError, ModelDamagedError, ModelMissingError

Rows: TypeAlias = NDArray[np.floating[Any]]
HEAD = 32
"""Width of an attention head."""
BASE = 10_000.0
"""Of the rotary positions; llama's value."""
EPSILON = 1e-5
"""Of the norms."""
NEVER = -1e4
"""Bias of a closed token that the network was not taught: an act that is younger than its training."""
LEVELS_OF_INT8 = 127.0


class WordStates(Protocol):
    """Gives the states of words in a text."""

    def states(self, text: str, spans: Sequence[tuple[int, int]]) -> Rows:
        """(spans, 768): see `models.runtime.onnx_encoder.OnnxEncoder.states`."""
        ...


def states_of(encoder: WordStates, given: Prompt) -> Rows:
    """(places, 768): the encoder's states of a prompt's words; zero for its closed tokens."""
    found: Rows | None = None
    for told, text in ((False, given.text), (True, given.told)):
        at = [index for index, place in enumerate(given.places) if place.word and place.told == told]
        if at:
            states = encoder.states(text, [(given.places[index].start, given.places[index].end) for index in at])
            found = np.zeros((len(given.places), states.shape[1]), np.float32) if found is None else found
            found[at] = states
    if found is None:
        raise GenerationError("there is no word to be read")
    return found


def packed(tensors: Mapping[str, Rows], tokens: Sequence[str]) -> dict[str, NDArray[Any]]:
    """What the file holds: matrices as int8 with a scale a row, all else as float32, and the closed tokens in their order."""
    found: dict[str, NDArray[Any]] = {"tokens": np.array(tokens)}
    for name, tensor in tensors.items():
        if tensor.ndim == 2:
            scale = np.maximum(np.abs(tensor).max(1, keepdims=True), 1e-8) / LEVELS_OF_INT8
            found[name] = np.round(tensor / scale).astype(np.int8)
            found[f"{name}.scale"] = scale.astype(np.float32)
        else:
            found[name] = tensor.astype(np.float32)
    return found


def load(path: Path) -> tuple[dict[str, Rows], tuple[str, ...]]:
    """The tensors of a file, and its closed tokens.

    Raises:
        schemas.errors.ModelMissingError: there is no such file.
        schemas.errors.ModelDamagedError: it is none of ours.
    """
    if not path.is_file():
        raise ModelMissingError(f"the parser's file {path} is missing: restore it")
    try:
        with np.load(path, allow_pickle=False) as kept:
            read = {name: kept[name] for name in kept.files}
        tokens = tuple(str(text) for text in read.pop("tokens"))
        scales = {name: read.pop(f"{name}.scale") for name in [one for one in read if f"{one}.scale" in read]}
        tensors = {name: np.asarray(value * scales.get(name, 1.0), np.float32) for name, value in read.items()}
        fits = tensors["token.weight"].shape[0] == tensors["closed.weight"].shape[0] == len(tokens)
    except (OSError, ValueError, KeyError) as error:
        raise ModelDamagedError(f"{path} cannot be loaded as a parser: restore it") from error
    if not fits:
        raise ModelDamagedError(f"{path} does not fit itself: restore it")
    return tensors, tokens


class PointingParser:
    """A `schemas.ports.ActParser`. May be called from any thread."""

    def __init__(self, path: Path, encoder: WordStates) -> None:
        """Load the network.

        Args:
            path: of its file.
            encoder: that it was trained with.

        Raises:
            schemas.errors.ModelError: as `load`.
        """
        tensors, tokens = load(path)
        self._encoder, self._tensors = encoder, tensors
        self._layers = len({name.split(".")[1] for name in tensors if name.startswith("blocks.")})
        known = {text: index for index, text in enumerate(tokens)}
        rows = np.array([known.get(text, -1) for text in CLOSED])
        for name, unknown in (("token.weight", 0.0), ("closed.weight", 0.0), ("closed.bias", NEVER)):
            taken = tensors[name][rows]
            taken[rows < 0] = unknown
            tensors[name] = taken

    def parse(self, text: str, context: str = "") -> Parsed:
        """See `schemas.ports.ActParser.parse`."""
        said = spoken(text)
        require_readable(said)
        given = prompt(said, context)
        words = f"{said} {given.told}"
        amounts = LEVELS | meant(words) | near(context) | ({0.5} if re.search(r"\bhalf\b", said) else set())
        writing = Writing(given, amounts, MOST_ACTS, MOST_WORDS)
        run, surprise = _Run(self._tensors, self._layers, given, states_of(self._encoder, given)), 0.0
        for _ in range(MOST_STEPS):
            likely = run.likely()
            closed, places = writing.allowed()
            if not closed and not places:
                raise GenerationError("nothing that was said can stand in a slot of this act")
            options = np.array([*closed, *(len(CLOSED) + place for place in places)])
            best = int(options[likely[options].argmax()])
            token, place = (best, -1) if best < len(CLOSED) else (-1, best - len(CLOSED))
            surprise -= math.log(max(1e-9, _same(likely, writing, token, place)))
            writing.take(token, place)
            if writing.done:
                return Parsed(tuple(dict.fromkeys(writing.result())), math.exp(-surprise))
            run.take(token, place)
        raise GenerationError(f"the acts were not complete after {MOST_STEPS} steps")


def _same(likely: Rows, writing: Writing, token: int, place: int) -> float:
    """Probability of everything that means the same as a step: a word or a number may stand at several places."""
    if place < 0:
        return float(np.exp(likely[token]))
    given = writing.given
    alike = [
        at
        for at, word in enumerate(given.words)
        if word
        and (
            word == given.words[place] or (given.amounts[at] is not None and given.amounts[at] == given.amounts[place])
        )
    ]
    return float(np.exp(likely[[len(CLOSED) + at for at in alike]]).sum())


class _Run:
    """The network over one prompt, step by step."""

    def __init__(self, tensors: Mapping[str, Rows], layers: int, given: Prompt, states: Rows) -> None:
        self._tensors, self._layers, self._states = tensors, layers, states
        self._keys: list[Rows] = []
        self._values: list[Rows] = []
        tokens = np.array([place.token for place in given.places])
        x = np.where(tokens[:, None] >= 0, tensors["token.weight"][np.maximum(tokens, 0)], self._linear(states, "word"))
        self._at = 0
        self._hidden, last = self._blocks(x)
        self._places = norm(last, tensors["place_norm.weight"]) @ tensors["place_k.weight"].T
        self._copyable = np.where(tokens < 0, 0.0, NEVER).astype(np.float32)
        self._after = -1

    def likely(self) -> Rows:
        """Logarithms of the probabilities of every closed token, then of every place."""
        closed = self._tensors["closed.weight"] @ self._hidden + self._tensors["closed.bias"]
        scores = self._places @ (self._tensors["place_q.weight"] @ self._hidden) / math.sqrt(len(self._hidden))
        if 0 <= self._after < len(scores):
            scores[self._after] += float(self._tensors["following"])
        both = np.concatenate((closed, np.where(self._copyable < 0, NEVER, scores)))
        highest = both.max()
        return np.asarray(both - highest - math.log(float(np.exp(both - highest).sum())), np.float32)

    def take(self, token: int, place: int) -> None:
        """Go on with a step."""
        x = self._tensors["token.weight"][token] if place < 0 else self._linear(self._states[place], "copied")
        self._hidden, _ = self._blocks(x[None])
        self._after = place + 1 if place >= 0 else -1

    def _linear(self, x: Rows, name: str) -> Rows:
        return np.asarray(x @ self._tensors[f"{name}.weight"].T + self._tensors[f"{name}.bias"], np.float32)

    def _blocks(self, x: Rows) -> tuple[Rows, Rows]:
        """New rows through the blocks; each sees itself, all before it, and, in the prompt, all of it.

        Returns:
            The last row after all blocks, and all rows before the last block.
        """
        length, width = x.shape
        cos, sin = rotations(self._at, length)
        first, before = not self._keys, x
        for layer in range(self._layers):
            part = {name: self._tensors[f"blocks.{layer}.{name}.weight"] for name in PARTS}
            before = x
            normed = norm(x, part["attn_norm"])
            q, k, v = (
                (normed @ part[name].T).reshape(length, width // HEAD, HEAD) for name in ("attn_q", "attn_k", "attn_v")
            )
            q, k = turned(q, cos, sin), turned(k, cos, sin)
            if layer == self._layers - 1:
                q, x, length = q[-1:], x[-1:], 1
            if first:
                self._keys.append(k)
                self._values.append(v)
            else:
                self._keys[layer] = np.concatenate((self._keys[layer], k))
                self._values[layer] = np.concatenate((self._values[layer], v))
            x = _fed(x + _attended(q, self._keys[layer], self._values[layer]) @ part["attn_output"].T, part)
        self._at += len(before)
        return norm(x[0], self._tensors["output_norm.weight"]), before


PARTS = ("attn_norm", "ffn_norm", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")


def norm(x: Rows, weight: Rows) -> Rows:
    """Root-mean-square norm of rows."""
    return np.asarray(x / np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON) * weight, np.float32)


def rotations(first: int, length: int) -> tuple[Rows, Rows]:
    """Cosines and sines of rotary positions from ``first`` on, each (length, 1, HEAD / 2)."""
    angle = np.outer(np.arange(first, first + length), BASE ** (-np.arange(0, HEAD, 2) / HEAD))
    return np.cos(angle).astype(np.float32)[:, None], np.sin(angle).astype(np.float32)[:, None]


def turned(x: Rows, cos: Rows, sin: Rows) -> Rows:
    """Rotary positions on neighbouring pairs, the pairs' first dimensions before their second ones."""
    first, second = x[..., 0::2], x[..., 1::2]
    return np.concatenate((first * cos - second * sin, first * sin + second * cos), -1)


def mixed(x: Rows, part: Mapping[str, Rows], by: tuple[Rows, Rows]) -> Rows:
    """Rows (length, width) through a block with these tensors, all of them seeing all."""
    normed = norm(x, part["attn_norm"])
    q, k, v = (
        (normed @ part[name].T).reshape(len(x), x.shape[1] // HEAD, HEAD) for name in ("attn_q", "attn_k", "attn_v")
    )
    return _fed(x + _attended(turned(q, *by), turned(k, *by), v) @ part["attn_output"].T, part)


def _attended(q: Rows, k: Rows, v: Rows) -> Rows:
    """(queries, width) from queries, keys and values, each (n, heads, HEAD)."""
    scores = np.einsum("ihd,jhd->hij", q, k) / math.sqrt(HEAD)
    shares = np.exp(scores - scores.max(2, keepdims=True))
    shares /= shares.sum(2, keepdims=True)
    return np.einsum("hij,jhd->ihd", shares, v).reshape(len(q), -1)


def _fed(x: Rows, part: Mapping[str, Rows]) -> Rows:
    """Rows through a block's feed-forward part, added to them."""
    normed = norm(x, part["ffn_norm"])
    gate = normed @ part["ffn_gate"].T
    return np.asarray(x + (gate / (1.0 + np.exp(-gate)) * (normed @ part["ffn_up"].T)) @ part["ffn_down"].T, np.float32)
