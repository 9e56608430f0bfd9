"""The sentence encoder on ONNX Runtime: vectors for search, and how well a text fits each leaf of the schemas.

Owns: loading and checking the model's folder, cutting text into pieces, running the network once a text. Does not know
what the labels mean, and decides nothing: thresholds belong to who asks.

The folder holds ``encoder.onnx``, ``tokenizer.json`` and ``labels.json`` (the labels in the order of the network's
outputs, and the SHA-256 of the other two); where it has ``content.onnx``, too, that tells special kinds of data, lasting
preferences, what memory is asked for, and what words are part of (``models.training.content``).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.marks import of_word, shares, spans_of, windows
from schemas.actions import BY_NAME
from schemas.errors import EngineMissingError, ModelDamagedError, ModelMissingError
from schemas.kinds import Marked, Wish
from schemas.memory import Words
from schemas.preferences import BY_DETAIL

NONE = "none"
REMEMBERED = 32
"""Texts whose results are kept, so that search, topics and requests of one text cost one run."""
APART = 0.5
"""From this probability on a piece is part of a value; the training's own middle."""
AT_LEAST = 0.05
"""Below it no piece of a text carries the value, not even the likeliest; our choice."""
FALL = 0.5
"""Pieces beside the likeliest belong to it down to this share of its probability; our choice."""
EXACT = "session.x64quantprecision"
"""ONNX Runtime's option for exact integers on x86 without VNNI (``onnxruntime_session_options_config_keys.h``): there its
kernels for int8 saturate at 16 bits otherwise, and the vectors have a cosine of .985 to those of other processors. Where
VNNI is there it changes nothing but the time: 6.2 ms a sentence for 4.2 (docs/log.md, 2026-11-22)."""
NETWORK, TOKENIZER, LABELS = "encoder.onnx", "tokenizer.json", "labels.json"
LONGEST = 64
"""Pieces of a text that the network reads; the tokenizer cuts what is longer."""
CONTENT = "content.onnx"
ANSWERS = "answers.onnx"
"""Both go on from the states where the branches part."""
QUESTION, OVERLAP, PARTS = 24, 10, 3
"""Pieces of a question that are read beside a memory, pieces that two parts of a long memory share, and parts of one at most."""


@dataclass(frozen=True)
class _Result:
    """What one run of the network gives."""

    vector: NDArray[np.float32]
    topics: dict[str, float]
    strength: dict[str, float]
    requests: dict[str, float]
    choices: dict[str, dict[str, float]]
    pieces: tuple[tuple[int, int], ...]
    """Where every piece stands in the text; empty for the marks of its start and end."""
    values: NDArray[np.float32]
    """(pieces, details): probability that the piece is part of a value."""
    states: NDArray[np.float32]
    """(pieces, 768): the states of the pieces where the branches part, and at the end of the one that classifies."""


class _Told(NamedTuple):
    """What one run of the branch of ``content.onnx`` gives; the names are its outputs'."""

    kinds: NDArray[np.float32]
    details: NDArray[np.float32]
    wishes: NDArray[np.float32]
    labels: NDArray[np.float32]


def saturates(processor: Path = Path("/proc/cpuinfo")) -> bool:
    """Whether this processor may lack VNNI, by Linux's list of its flags; unread, it may. On ARM ``EXACT`` is ignored."""
    try:
        words = set(processor.read_text("utf-8", "replace").split())
    except OSError:
        return True
    return not words & {"avx512_vnni", "avx_vnni"}


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
            ModelMissingError: one of the three is not there.
            ModelDamagedError: a file is not what ``labels.json`` says, or cannot be loaded.
            EngineMissingError: onnxruntime or tokenizers is not installed.
        """
        try:
            import onnxruntime as ort
            from tokenizers import Tokenizer
        except ImportError as error:
            raise EngineMissingError(f"{error.name} is not installed; install it to run the encoder") from error
        self._labels = _checked(folder)
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        if saturates():
            options.add_session_config_entry(EXACT, "1")
        try:
            self._tokenizer: Any = Tokenizer.from_file(str(folder / TOKENIZER))
            self._session: Any = ort.InferenceSession(
                str(folder / NETWORK), options, providers=["CPUExecutionProvider"]
            )
            sizes = {output.name: output.shape[0] for output in self._session.get_outputs()}
            self.dimension = int(sizes["embedding"])
            branches: list[Any] = [
                ort.InferenceSession(str(folder / name), options, providers=["CPUExecutionProvider"])
                if (folder / name).is_file()
                else None
                for name in (CONTENT, ANSWERS)
            ]
            self._content, self._answers = branches
            properties = self._content.get_modelmeta().custom_metadata_map if self._content is not None else {}
            self._revealed = (*properties.get("details", "").split(), NONE)
            fits = all(sizes[name] == len(getattr(self._labels, name)) for name in ("topics", *_Labels.REST))
        except Exception as error:  # neither library has a base for its errors but Exception
            raise ModelDamagedError(f"the encoder in {folder} cannot be loaded; restore it") from error
        if not fits:
            raise ModelDamagedError(f"the encoder in {folder} has outputs for other labels; restore it")
        self._details = {name: number for number, name in enumerate(self._labels.topics) if name != NONE}
        self._result = lru_cache(maxsize=REMEMBERED)(self._run)
        self._told = lru_cache(maxsize=REMEMBERED)(self._tell)
        self._marks = lru_cache(maxsize=REMEMBERED)(self._mark)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), dimension): for search."""
        vectors = np.empty((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._result(_plain(text)).vector
        return vectors

    def topics(self, text: str) -> dict[str, float]:
        """Probability of every preference detail key for what the driver said, and of ``none``; they sum to 1.

        A request that reveals no preference has a high ``none``; how the rest is shared then tells which categories it
        is about. A category that this network was not taught has 0.
        """
        return dict(self._result(_plain(text)).topics)

    def requests(self, text: str) -> dict[str, float]:
        """Probability of every action name, and of ``none`` (asks for nothing that the car can do); they sum to 1.

        An action that this network was not taught has 0.
        """
        return dict(self._result(_plain(text)).requests)

    def strength(self, text: str) -> dict[str, float]:
        """Probability that the text reveals no preference, hints at one, states one, or says that one has ended."""
        return dict(self._result(_plain(text)).strength)

    def choices(self, text: str, detail: str) -> dict[str, float]:
        """Which value of a closed category the text means, if it is about it; empty for an open one."""
        return dict(self._result(_plain(text)).choices.get(detail, {}))

    def words(self, text: str, detail: str) -> tuple[Words, ...]:
        """The parts of the text, in lower case, that carry a value of this category, if it is about it; likeliest first.

        None of a category that this network was not taught.

        Raises:
            KeyError: no such detail key.
        """
        number = self._details.get(BY_DETAIL[detail].detail)
        if number is None:
            return ()
        plain = _plain(text)
        result = self._result(plain)
        return _parts(plain, result.pieces, result.values[:, number])

    def marks(self, text: str) -> Marked:
        """What every word of the text is part of; nothing is told where the folder has no such branch."""
        return self._marks(text)

    def states(self, text: str, spans: Sequence[tuple[int, int]]) -> NDArray[np.float32]:
        """What the network makes of parts of a text in their sentence, (spans, 768): the mean of the states of their pieces.

        Args:
            text: in its spoken form (``models.text.spoken``).
            spans: where the parts begin and end; what lies beyond the tokenizer's limit gets zeros.
        """
        result = self._result(_plain(text))
        found = np.zeros((len(spans), result.states.shape[1]), np.float32)
        for row, (start, end) in enumerate(spans):
            at = of_word(result.pieces, (start, end))
            if at:
                found[row] = result.states[at].mean(0)
        return found

    def special(self, text: str) -> NDArray[np.float32] | None:
        """How much a text tells of each special kind of data and of none, (kinds + 1,), as logits.

        Args:
            text: in its spoken form (``models.text.spoken``); what lies beyond the tokenizer's limit is not seen.
        """
        found = self._told(_plain(text))
        return None if found is None else found.kinds

    def revealed(self, text: str) -> dict[str, float] | None:
        """Probability of every detail key that the text reveals a lasting preference of it, and of ``none``.

        Args:
            text: in its spoken form (``models.text.spoken``); what lies beyond the tokenizer's limit is not seen.
        """
        found = self._told(_plain(text))
        return None if found is None else _named(self._revealed, found.details)

    def wishes(self, text: str) -> dict[Wish, float] | None:
        """Probability of everything that memory may be asked for; they sum to 1.

        Args:
            text: in its spoken form (``models.text.spoken``); what lies beyond the tokenizer's limit is not seen.
        """
        found = self._told(_plain(text))
        return None if found is None else dict(zip(Wish, found.wishes.astype(float).tolist(), strict=True))

    def answers(self, question: str, memory: str) -> float | None:
        """The log odds that a memory answers a question; of a long memory the part that does so most likely counts.

        Args:
            question: in its spoken form (``models.text.spoken``).
            memory: in words.
        """
        if self._answers is None:
            return None
        return max(self._odds(part) for part in beside(self._tokenizer, question, memory))

    def _odds(self, pieces: Sequence[int]) -> float:
        (states,) = self._session.run(["states"], {"ids": np.array(pieces, np.int64)})
        shared = np.ascontiguousarray(states[:, : states.shape[1] // 2])
        (odds,) = self._answers.run(["odds"], {"states": shared})
        return float(odds[0])

    def _tell(self, text: str) -> _Told | None:
        if self._content is None:
            return None
        states = self._result(text).states
        shared = np.ascontiguousarray(states[:, : states.shape[1] // 2])
        found = self._content.run(_Told._fields, {"states": shared})
        return _Told(*(np.asarray(one, np.float32) for one in found))

    def _mark(self, text: str) -> Marked:
        plain = " ".join(text.split())
        spans = spans_of(plain)
        if not spans or self._content is None:
            return Marked(plain)
        found: list[NDArray[np.float32]] = []
        for own in windows(plain, spans):
            first, last = (0, len(plain)) if own == spans else (own[0][0], own[-1][1])
            read = _plain(plain[first:last])
            told = self._told(read)
            if told is not None:
                inside = [(start - first, end - first) for start, end in own]
                found.append(shares(told.labels, self._result(read).pieces, inside))
        return Marked(plain, spans, np.concatenate(found))

    def _run(self, text: str) -> _Result:
        encoded = self._tokenizer.encode(text)
        names = ["embedding", "topics", *_Labels.REST, "values", "states"]
        vector, topics, strength, requests, choices, values, states = self._session.run(
            names, {"ids": np.array(encoded.ids, np.int64)}
        )
        labels = self._labels
        if not text:  # the network cannot know that silence means nothing
            topics, requests = _only_none(labels.topics), _only_none(labels.requests)
            strength, values = _only_none(labels.strength), np.zeros_like(values)
        chosen: dict[str, dict[str, float]] = {}
        for label, share in _named(labels.choices, choices).items():
            detail, _, value = label.partition("=")
            chosen.setdefault(detail, {})[value] = share
        return _Result(
            vector,
            {**dict.fromkeys(BY_DETAIL, 0.0), **_named(labels.topics, topics)},
            _named(labels.strength, strength),
            {**dict.fromkeys(BY_NAME, 0.0), **_named(labels.requests, requests)},
            chosen,
            tuple(encoded.offsets),
            values,
            states,
        )


def beside(tokenizer: Any, question: str, memory: str) -> list[list[int]]:
    """The pieces of a question and a memory as `OnnxEncoder.answers` reads them together, a list for every part of the memory."""
    asked = tokenizer.encode(_plain(question)).ids
    end = asked[-1]
    asked = [*asked[: QUESTION - 1], end] if len(asked) > QUESTION else asked
    told = tokenizer.encode(_plain(memory), add_special_tokens=False).ids
    room = LONGEST - len(asked) - 1
    starts = [0]
    while starts[-1] + room < len(told) and len(starts) < PARTS:
        starts.append(min(starts[-1] + room - OVERLAP, len(told) - room))
    return [[*asked, *told[start : start + room], end] for start in starts]


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _only_none(labels: Sequence[str]) -> NDArray[np.float32]:
    return np.array([label == NONE for label in labels], np.float32)


def _named(labels: Sequence[str], values: NDArray[np.float32]) -> dict[str, float]:
    return dict(zip(labels, values.astype(float).tolist(), strict=True))


def _parts(text: str, pieces: Sequence[tuple[int, int]], likely: NDArray[np.float32]) -> tuple[Words, ...]:
    """Runs of pieces that are likely part of a value, as whole words."""
    spans: list[tuple[int, int, float]] = []
    rest = likely.copy()
    while rest.size:
        peak = int(rest.argmax())
        top = float(rest[peak])
        if top < (APART if spans else AT_LEAST):
            break
        floor = min(APART, FALL * top)
        first = last = peak
        while first > 0 and rest[first - 1] >= floor:
            first -= 1
        while last + 1 < len(rest) and rest[last + 1] >= floor:
            last += 1
        rest[first : last + 1] = 0.0
        start, end = pieces[first][0], pieces[last][1]
        if start == end:  # the mark of the text's start or end
            continue
        while start > 0 and _inside(text[start - 1]):
            start -= 1
        while end < len(text) and _inside(text[end]):
            end += 1
        spans.append((start, end, float(likely[first : last + 1].mean())))
    found = sorted(spans, key=lambda span: -span[2])
    kept: list[tuple[int, int, float]] = []
    for start, end, probability in found:
        if all(end <= other[0] or start >= other[1] for other in kept):
            kept.append((start, end, probability))
    return tuple(Words(text=text[start:end], probability=min(1.0, probability)) for start, end, probability in kept)


def _inside(character: str) -> bool:
    """Whether a character is inside a word."""
    return character.isalnum() or character in "'_"


@dataclass(frozen=True)
class _Labels:
    """The labels in the order of the network's outputs."""

    topics: tuple[str, ...]
    strength: tuple[str, ...]
    requests: tuple[str, ...]
    choices: tuple[str, ...]

    REST: ClassVar = ("strength", "requests", "choices")


def _checked(folder: Path) -> _Labels:
    """The labels of the outputs, once all files are what they should be."""
    for name in (NETWORK, TOKENIZER, LABELS):
        if not (folder / name).is_file():
            raise ModelMissingError(f"the encoder's file {folder / name} is missing; restore it or train the encoder")
    try:
        read = json.loads((folder / LABELS).read_text(encoding="utf-8"))
        labels = _Labels(**{name: tuple(read[name]) for name in ("topics", *_Labels.REST)})
        digests = {name: str(read["files"][name]) for name in (NETWORK, TOKENIZER)}
    except (ValueError, KeyError, TypeError) as error:
        raise ModelDamagedError(f"the encoder's file {folder / LABELS} is not a list of labels; restore it") from error
    for name, expected in digests.items():
        found = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        if found != expected:
            raise ModelDamagedError(f"{folder / name} has SHA-256 {found}, expected {expected}; restore it")
    return labels
