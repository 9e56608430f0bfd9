"""Cases as the network reads them: the sentence encoder's states of their words, and the steps that are to be written.

Owns: rows, and the files that keep a round of them. The encoder is not trained here; it runs as in the program, one text at a time,
and takes longer than a pass over the network, so a round's states are kept and used again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.acts.pointing import WordStates, states_of
from models.acts.spelling import read
from models.acts.steps import prompt, steps
from models.text import spoken
from models.training.acts.lines import Case
from schemas.errors import GenerationError

ENCODER = Path("models/builtin/encoder")
WIDTH = 768
"""Of a word's state."""


@dataclass(frozen=True)
class Row:
    """A case."""

    states: NDArray[np.float16]
    """(places, `WIDTH`) of the prompt; zero for closed tokens."""
    prompt: NDArray[np.int16]
    """(places,) closed tokens; -1 for words."""
    tokens: NDArray[np.int16]
    """(steps,) closed tokens that are to be written; -1 for places."""
    places: NDArray[np.bool_]
    """(steps, places): places that mean the same, each as right as the others."""

    @property
    def size(self) -> int:
        """Places and steps."""
        return len(self.prompt) + len(self.tokens)


def rows(encoder: WordStates, cases: Iterable[Case]) -> list[Row]:
    """The rows of cases; those that cannot be written by pointing are left out (28 of 27,945)."""
    found: list[Row] = []
    for case in cases:
        try:
            given = prompt(spoken(case.utterance), case.context)
            wanted = steps(read(case.answer), given)
            states = states_of(encoder, given)
        except (GenerationError, ValueError):
            continue
        places = np.zeros((len(wanted), len(given.places)), np.bool_)
        for at, step in enumerate(wanted):
            places[at, list(step.places)] = True
        found.append(
            Row(
                states.astype(np.float16),
                np.array([place.token for place in given.places], np.int16),
                np.array([step.token for step in wanted], np.int16),
                places,
            )
        )
    return found


def keep(path: Path, made: Sequence[Row]) -> None:
    """Write rows to a file."""
    part = path.with_suffix(".part.npz")
    np.savez(
        part,
        lengths=np.array([(len(row.prompt), len(row.tokens)) for row in made], np.int32),
        states=np.concatenate([row.states for row in made]),
        prompt=np.concatenate([row.prompt for row in made]),
        tokens=np.concatenate([row.tokens for row in made]),
        places=np.concatenate([row.places.ravel() for row in made]),
    )
    part.replace(path)


def kept(path: Path) -> list[Row]:
    """The rows of a file."""
    with np.load(path) as file:
        lengths, states, given, tokens, places = (
            file[name] for name in ("lengths", "states", "prompt", "tokens", "places")
        )
    found: list[Row] = []
    at = step = cell = 0
    for here, long in lengths.tolist():
        square = places[cell : cell + here * long].reshape(long, here)
        found.append(Row(states[at : at + here], given[at : at + here], tokens[step : step + long], square))
        at, step, cell = at + here, step + long, cell + here * long
    return found
