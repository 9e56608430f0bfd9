"""A model's folder as the engine shall see it: with an adaptation added to the weights.

Owns where the changed weights lie while the engine loads them. CTranslate2 can be given a file's bytes, but keeps them for good
(137 MB more for Whisper base than the same loaded from a file); so they lie in a file in memory or, where a folder is given, in one
that the next start finds again (``models.computed``), and the folder holds links alone.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import BinaryIO

from models import computed
from models.runtime.ct2_file import Adaptation, patched

WEIGHTS = "model.bin"
KIND, FORM = "adapted", 1
"""Of the kept file; the form is raised when the same files would give other weights."""


@contextmanager
def adapted(folder: Path, adaptation: Path, keep: Path | None = None) -> Generator[Path]:
    """The folder with the adaptation added to its weights, to be loaded while this is open.

    Args:
        folder: of the model; every file of it is found in the other one.
        adaptation: what ``Adaptation.save`` wrote.
        keep: where the changed weights are kept, 145 MB for Whisper base; None: no weight is written to a disk.

    Raises:
        schemas.errors.ModelDamagedError: the adaptation cannot be used with this model; the message is what to say of it.
        OSError: there is no room for the links or the file in memory.
        ValueError: the weights' file is empty.
    """
    weights, known = (folder / WEIGHTS).resolve(), (folder / WEIGHTS).stat()
    # The weights' own digest takes as long as loading them: a file of another time, size or place is another one.
    added = adaptation.read_bytes() if adaptation.is_file() else b""
    key = computed.key_of(FORM, added, weights, known.st_size, known.st_mtime_ns, known.st_ino)
    file = computed.opened(keep, KIND, key) or _changed(weights, adaptation, keep, key)
    with file, tempfile.TemporaryDirectory(prefix="glovebox-") as made:
        links = Path(made)
        for path in folder.resolve().iterdir():
            if path.name != WEIGHTS:
                (links / path.name).symlink_to(path)
        (links / WEIGHTS).symlink_to(f"/proc/self/fd/{file.fileno()}")
        yield links


def _changed(weights: Path, adaptation: Path, keep: Path | None, key: str) -> BinaryIO:
    change = Adaptation.load(adaptation)
    with weights.open("rb") as stream, mmap(stream.fileno(), 0, access=ACCESS_READ) as data:
        whole = patched(data, change)
    computed.keep(keep, KIND, key, lambda file: file.write(whole))
    file = os.fdopen(os.memfd_create(WEIGHTS), "w+b")
    file.write(whole)
    file.flush()
    return file
