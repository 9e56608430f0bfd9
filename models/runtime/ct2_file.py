"""CTranslate2's model file, and an adaptation that is added to it.

Owns both formats: ``model.bin`` as CTranslate2 writes it since its version 2 (a header, then one named tensor after the other,
little-endian, no padding), and our adaptation of one such file (Hu et al. 2021, "LoRA": for each adapted matrix two narrow ones
whose product is added to it). Runs nothing, and does not know what the tensors are for.
"""

from __future__ import annotations

import hashlib
import math
import struct
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.errors import ModelDamagedError

VERSION = 6
"""Of the file format (``src/models/model.cc`` of CTranslate2, ``current_binary_version``)."""

TYPES = ("<f4", "i1", "<i2", "<i4", "<f2")
"""NumPy's type by the file's number (``include/ctranslate2/types.h``); 5 is bfloat16, which no model of ours has."""

_HALF = np.dtype(np.float16)
DIGEST, DOWN, UP, SCALE = "sha256", ".down", ".up", ".scale"


@dataclass(frozen=True, slots=True)
class Tensor:
    """Where one variable lies."""

    name: str
    shape: tuple[int, ...]
    type: str
    """NumPy's."""
    begins: int
    """Offset of its bytes in the file."""
    bytes: int

    def of(self, data: Any) -> NDArray[Any]:
        """Its numbers, a view on the file's bytes."""
        count = self.bytes // np.dtype(self.type).itemsize
        return np.frombuffer(data, self.type, count, self.begins).reshape(self.shape)


@dataclass(frozen=True, slots=True)
class Adaptation:
    """What is added to the matrices of one model."""

    sha256: str
    """Of the ``model.bin`` that it belongs to, in hexadecimal digits."""
    changes: Mapping[str, tuple[NDArray[np.float16], NDArray[np.float16]]]
    """Variable of shape (out, in) -> down (r, in) and up (out, r): the matrix becomes ``W + up @ down``."""

    @classmethod
    def load(cls, path: Path) -> Adaptation:
        """Read what ``save`` wrote.

        Raises:
            schemas.errors.ModelDamagedError: the file is no adaptation.
        """
        try:
            with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            digest = str(arrays.pop(DIGEST))
            scales = {name.removesuffix(SCALE): arrays.pop(name) for name in list(arrays) if name.endswith(SCALE)}
            arrays |= {name: (arrays[name] * scale).astype(np.float16) for name, scale in scales.items()}
            names = {name.removesuffix(DOWN).removesuffix(UP) for name in arrays}
            changes = {name: (arrays.pop(name + DOWN), arrays.pop(name + UP)) for name in sorted(names)}
        except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
            raise ModelDamagedError(f"{path.name} is no adaptation of a model ({type(error).__name__})") from error
        for name, (down, up) in changes.items():
            if not down.ndim == up.ndim == 2 or down.shape[0] != up.shape[1] or {down.dtype, up.dtype} != {_HALF}:
                raise ModelDamagedError(f"{path.name} is no adaptation of a model ({name} does not fit itself)")
        return cls(digest, changes)

    def save(self, path: Path) -> None:
        """Write it as ``.npz``, compressed: ``sha256``, and for each variable ``NAME.down`` and ``NAME.up``.

        They are int8, with the scale of each row in ``NAME.down.scale`` and ``NAME.up.scale``: half the bytes of float16, which may
        stand there without a scale, too.
        """
        arrays: dict[str, Any] = {DIGEST: np.array(self.sha256)}
        for name, pair in self.changes.items():
            for suffix, matrix in zip((DOWN, UP), pair, strict=True):
                scale = (
                    np.maximum(np.abs(matrix.astype(np.float32)).max(axis=1, keepdims=True, initial=0.0), 1e-12) / 127.0
                )
                arrays[name + suffix], arrays[name + suffix + SCALE] = np.rint(matrix / scale).astype(np.int8), scale
        np.savez_compressed(path, **arrays)


class _Reader:
    """Numbers and texts of a file, one after the other."""

    def __init__(self, data: Any) -> None:
        self.data, self.at = data, 0

    def number(self, form: str) -> int:
        (value,) = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return value

    def text(self) -> str:
        length = self.number("<H")  # with the zero at its end
        self.at += length
        return bytes(self.data[self.at - length : self.at - 1]).decode("ascii")

    def tensor(self) -> Tensor:
        """One variable.

        Raises:
            ValueError: what it says of itself cannot be.
        """
        name, dimensions = self.text(), self.number("<B")
        shape = tuple(self.number("<I") for _ in range(dimensions))
        kind, size = TYPES[self.number("<B")], self.number("<I")
        begins, self.at = self.at, self.at + size
        if math.prod(shape) * np.dtype(kind).itemsize != size or self.at > len(self.data):
            raise ValueError(f"{name} does not fit")
        return Tensor(name, shape, kind, begins, size)


def tensors(data: Any) -> list[Tensor]:
    """Where the variables of a model file lie, in order.

    Args:
        data: the whole file, ``bytes`` or mapped.

    Raises:
        schemas.errors.ModelDamagedError: it is none, or cut short.
    """
    reader = _Reader(data)
    try:
        version = reader.number("<I")
        reader.text()  # the kind of model
        reader.number("<I")  # its revision
        found = [reader.tensor() for _ in range(reader.number("<I"))] if version == VERSION else []
        for _ in range(2 * reader.number("<I") if found else 0):  # aliases: two names each
            reader.text()
    except (struct.error, ValueError, IndexError) as error:
        raise ModelDamagedError(f"the model file is damaged: {error}") from error
    if not found or reader.at != len(data):
        raise ModelDamagedError(f"the model file is none of CTranslate2's version {VERSION}")
    return found


def read(path: Path) -> dict[str, NDArray[Any]]:
    """The variables of a model file by name, views on the mapped file; aliases are left out.

    Raises:
        schemas.errors.ModelDamagedError: it is none, or cut short.
        OSError: it cannot be read.
    """
    with path.open("rb") as stream:
        data = mmap(stream.fileno(), 0, access=ACCESS_READ) if path.stat().st_size else b""
    return {tensor.name: tensor.of(data) for tensor in tensors(data)}


def patched(data: Any, adaptation: Adaptation) -> bytearray:
    """A model file with the adaptation added, in the same types.

    Args:
        data: the whole file, ``bytes`` or mapped; it is not changed.
        adaptation: must belong to this very file.

    Raises:
        schemas.errors.ModelDamagedError: it belongs to another one, or does not fit.
    """
    if hashlib.sha256(data).hexdigest() != adaptation.sha256:
        raise ModelDamagedError("the adaptation belongs to another model")
    whole = bytearray(data)
    missing = dict(adaptation.changes)
    for tensor in tensors(data):
        if (change := missing.pop(tensor.name, None)) is None:
            continue
        down, up = (one.astype(np.float32) for one in change)
        matrix = tensor.of(whole)
        if matrix.shape != (up.shape[0], down.shape[1]) or matrix.dtype.kind != "f":
            raise ModelDamagedError(f"the adaptation does not fit {tensor.name}")
        matrix[...] = matrix + up @ down
    if missing:
        raise ModelDamagedError(f"the adaptation changes {min(missing)}, which the model has not")
    return whole
