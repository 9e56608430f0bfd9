"""Means and variances of a PocketSphinx acoustic model: reading its files ("s3" format, as ``s3file.c`` has it)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from schemas.errors import ModelDamagedError

Floats = NDArray[np.float32]

_END = b"endhdr\n"
_ORDER = 0x11223344


def read(path: Path) -> Floats:
    """All Gaussians' values, shape (codebooks, streams, densities, 13).

    Raises:
        schemas.errors.ModelDamagedError: it is no such file, or its streams are not alike.
    """
    raw = path.read_bytes()
    start = raw.find(_END) + len(_END)
    if start < len(_END) or len(raw) < start + 20 or int(np.frombuffer(raw, "<u4", 1, start)[0]) != _ORDER:
        raise ModelDamagedError(f"{path} holds no Gaussians in PocketSphinx's format; restore the package")
    codebooks, streams, densities = (int(value) for value in np.frombuffer(raw, "<i4", 3, start + 4))
    lengths = np.frombuffer(raw, "<i4", streams, start + 16)
    count = int(np.frombuffer(raw, "<i4", 1, start + 16 + 4 * streams)[0])
    begin = start + 20 + 4 * streams
    if (
        len(set(lengths.tolist())) != 1
        or count != codebooks * densities * int(lengths.sum())
        or len(raw) < begin + 4 * count
    ):
        raise ModelDamagedError(f"{path} is cut short or of another kind than the en-us model; restore the package")
    values = np.frombuffer(raw, "<f4", count, begin)
    return values.reshape(codebooks, streams, densities, int(lengths[0])).copy()
