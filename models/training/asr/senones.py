"""What a PocketSphinx acoustic model has beside its Gaussians: states, their codebooks and how they mix. Reading its files.

Owns: the binary ``mdef`` and ``sendump`` of a phonetically tied model (``bin_mdef.c`` and ``ptm_mgau.c`` of PocketSphinx 5, BSD).
Does not own the Gaussians (``gaussians``) nor what is computed from both (``likelihood``).
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from schemas.errors import ModelDamagedError

_LOG_BASE, _SHIFT = 1.0001, 10
"""A stored weight w is the logarithm -w * 2^10 to this base (``SENSCR_SHIFT``)."""
_PHONE_BYTES, _TREE_BYTES, _STATES = 12, 8, 3


@dataclass(frozen=True, slots=True)
class Senones:
    """The tied states of a model."""

    codebook: NDArray[np.int64]
    """(senones,): whose Gaussians a senone mixes; a codebook is a phone."""
    phones: tuple[str, ...]
    """Names of the phones, in the order of the codebooks."""
    plain: int
    """How many of them, the first, belong to phones without neighbours."""
    weights: NDArray[np.float32]
    """(streams, densities, senones): natural logarithms of the mixture weights."""


def read(folder: Path, streams: int = 3) -> Senones:
    """The senones of the model in ``folder``.

    Raises:
        schemas.errors.ModelDamagedError: a file is cut short or of another kind.
    """
    try:
        phones, plain, codebook = _definition((folder / "mdef").read_bytes())
        weights = _mixtures((folder / "sendump").read_bytes(), streams, codebook.size)
    except (struct.error, ValueError, IndexError) as error:
        raise ModelDamagedError(f"{folder} holds no senones of the en-us model's kind; restore the package") from error
    return Senones(codebook, phones, plain, weights)


def _definition(raw: bytes) -> tuple[tuple[str, ...], int, NDArray[np.int64]]:
    if raw[:4] != b"BMDF":
        raise ValueError("no binary model definition")
    place = 12 + struct.unpack_from("<i", raw, 8)[0]
    names, phones, _, plain, senones, _, sequences, _, tree, _ = struct.unpack_from("<10i", raw, place)
    place += 40
    found, begun = [], place
    for _ in range(names):
        end = raw.index(b"\0", place)
        found.append(raw[place:end].decode())
        place = end + 1
    place = begun + -(-(place - begun) // 4) * 4 + _TREE_BYTES * tree
    sequence = np.frombuffer(raw, "<i4", phones * 3, place).reshape(phones, 3)[:, 0]
    base = np.frombuffer(raw, "u1", phones * _PHONE_BYTES, place).reshape(phones, _PHONE_BYTES)[:, 9].astype(np.int64)
    base[:names] = np.arange(names)
    place += phones * _PHONE_BYTES + 4
    states = np.frombuffer(raw, "<u2", sequences * _STATES, place).reshape(sequences, _STATES)
    codebook = np.full(senones, -1, dtype=np.int64)
    codebook[states[sequence]] = base[:, None]
    if (codebook < 0).any():
        raise ValueError("a senone belongs to no phone")
    return tuple(found), plain, codebook


def _mixtures(raw: bytes, streams: int, senones: int) -> NDArray[np.float32]:
    place = 0
    while length := struct.unpack_from("<i", raw, place)[0]:
        place += 4 + length
        if length < 0:
            raise ValueError("no header")
    densities, columns = struct.unpack_from("<2i", raw, place + 4)
    if columns != senones:
        raise ValueError("another number of senones")
    stored = np.frombuffer(raw, "u1", streams * densities * senones, place + 12).reshape(streams, densities, senones)
    return -stored.astype(np.float32) * np.float32(2.0**_SHIFT * math.log(_LOG_BASE))
