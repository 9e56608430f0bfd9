"""A model's folder as the engine shall see it: with an adaptation added to the weights, in memory.

Owns where the changed weights lie while the engine loads them. CTranslate2 can be given a file's bytes, but keeps them for good
(137 MB more for Whisper base than the same loaded from a file); so they lie in a file in memory, and the folder holds links alone.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from mmap import ACCESS_READ, mmap
from pathlib import Path

from models.runtime.ct2_file import Adaptation, patched

WEIGHTS = "model.bin"


@contextmanager
def adapted(folder: Path, adaptation: Path) -> Generator[Path]:
    """The folder with the adaptation added to its weights, to be loaded while this is open. No weight is written to a disk.

    Args:
        folder: of the model; every file of it is found in the other one.
        adaptation: what ``Adaptation.save`` wrote.

    Raises:
        schemas.errors.ModelDamagedError: the adaptation cannot be used with this model; the message is what to say of it.
        OSError: there is no room for the links or the file in memory.
        ValueError: the weights' file is empty.
    """
    change = Adaptation.load(adaptation)
    with (folder / WEIGHTS).open("rb") as stream, mmap(stream.fileno(), 0, access=ACCESS_READ) as data:
        weights = patched(data, change)
    with os.fdopen(os.memfd_create(WEIGHTS), "wb") as file, tempfile.TemporaryDirectory(prefix="glovebox-") as made:
        file.write(weights)
        file.flush()
        del weights
        links = Path(made)
        for path in folder.resolve().iterdir():
            if path.name != WEIGHTS:
                (links / path.name).symlink_to(path)
        (links / WEIGHTS).symlink_to(f"/proc/self/fd/{file.fileno()}")
        yield links
