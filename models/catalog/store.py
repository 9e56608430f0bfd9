"""What is written on disk: a model's folder is whole or not there.

Owns digests, the lock between processes, the staging folder in which a model's files gather, and the one rename that makes it a
model. Does not know where bytes come from.

In the models folder: ``ID`` with the files and ``manifest.json`` of a model that is there; ``.ID.part`` with what was fetched of
one that is not (a finished file under its own name, an unfinished one under ``NAME.partial``), which the next try goes on from;
``.lock``.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from models.catalog.entries import Model, ModelFile
from schemas.errors import ModelDamagedError, ModelMissingError, StorageFullError

MANIFEST = "manifest.json"
"""Beside a model's files: their sizes and digests, and (``makers``) whether they are those of the catalogue."""
SPARE = 64 * 1024 * 1024
"""Bytes that are left free: a vault and its journal need room, too."""
_BLOCK = 1 << 20


def sha256(path: Path) -> str:
    """The file's SHA-256 in hexadecimal digits."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def described(path: Path, folder: Path) -> ModelFile:
    """A file's entry in the catalogue."""
    return ModelFile(path=path.relative_to(folder).as_posix(), bytes=path.stat().st_size, sha256=sha256(path))


@contextmanager
def locked(folder: Path, waiting: Callable[[], None] | None = None) -> Generator[None]:
    """Alone with the models folder: whoever fetches, imports or removes holds it. A process that ends lets it go.

    Args:
        folder: the models folder; made if it is not there.
        waiting: called once if another process holds it.

    Raises:
        schemas.errors.ModelMissingError: the folder cannot be made or written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        stream = (folder / ".lock").open("a")
    except OSError as error:
        raise full_or_missing(error, f"the models folder {folder} cannot be used") from error
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            if waiting is not None:
                waiting()
            fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def need_room(folder: Path, needed: int, what: str) -> None:
    """Look for room before anything is written.

    Raises:
        schemas.errors.StorageFullError: ``needed`` bytes and ``SPARE`` are not free.
    """
    free = shutil.disk_usage(folder).free
    if free < needed + SPARE:
        raise StorageFullError(
            f"{what} needs {needed / 1e6:.0f} MB and {SPARE / 1e6:.0f} to spare at {folder}, where {free / 1e6:.0f} MB are free; "
            "free some and run it again"
        )


def full_or_missing(error: OSError, what: str) -> StorageFullError | ModelMissingError:
    """A failure to write as one of ours: no room, or the rest."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StorageFullError(f"{what}: no room is left; free some and run it again. What was finished is kept")
    return ModelMissingError(
        f"{what}: {error.strerror or type(error).__name__}; look at the folder and its permissions"
    )


class Staging:
    """The files of a model that is not whole yet."""

    def __init__(self, models: Path, model: Model) -> None:
        """Open or make the model's staging folder; the caller holds the lock."""
        self.folder = models / f".{model.id}.part"
        self._target, self._model = models / model.id, model
        self.folder.mkdir(parents=True, exist_ok=True)

    def partial(self, file: ModelFile) -> Path:
        """Where the bytes of an unfinished file gather."""
        path = self.folder / f"{file.path}.partial"
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def so_far(self, file: ModelFile) -> int:
        """Bytes of the file that are there, finished or not."""
        finished, partial = self.folder / file.path, self.partial(file)
        return file.bytes if finished.is_file() else (partial.stat().st_size if partial.is_file() else 0)

    def finished(self, file: ModelFile) -> bool:
        """Whether the file is there with every byte right."""
        return (self.folder / file.path).is_file()

    def finish(self, file: ModelFile) -> str:
        """Check the gathered bytes; they are the file from now on, or nothing.

        Returns:
            Empty if they are right, else what is wrong with them; then they are gone.
        """
        partial = self.partial(file)
        size = partial.stat().st_size if partial.is_file() else 0
        digest = sha256(partial) if size == file.bytes and partial.is_file() else ""
        if digest != file.sha256:
            partial.unlink(missing_ok=True)
            has = f"{size} bytes" if size != file.bytes else f"SHA-256 {digest[:12]}…"
            wants = f"{file.bytes} bytes" if size != file.bytes else f"{file.sha256[:12]}…"
            return f"{file.path} has {has} instead of {wants}"
        _sync(partial)
        partial.replace(self.folder / file.path)
        return ""

    def become(self, files: tuple[ModelFile, ...], *, makers: bool) -> None:
        """Make the finished files the model, in the place of what was there.

        Args:
            files: all of them.
            makers: whether they have the catalogue's digests.
        """
        manifest = {"id": self._model.id, "makers": makers, "files": [file.model_dump() for file in files]}
        (self.folder / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
        _sync(self.folder / MANIFEST)
        _sync(self.folder)
        discard(self._target)
        self.folder.rename(self._target)
        _sync(self._target.parent)

    def drop(self) -> None:
        """Remove everything of it."""
        shutil.rmtree(self.folder, ignore_errors=True)


def discard(folder: Path) -> None:
    """Remove a model's folder; cut short, what is left of it is no model. Whoever has its files open keeps them."""
    gone = folder.with_name(f".{folder.name}.gone")
    shutil.rmtree(gone, ignore_errors=True)
    if folder.exists():
        folder.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)


def manifest_of(folder: Path, model: Model) -> tuple[tuple[ModelFile, ...], bool]:
    """The files of a model that was fetched or imported, and whether they have the catalogue's digests.

    Raises:
        schemas.errors.ModelMissingError: it is not here.
        schemas.errors.ModelDamagedError: its manifest cannot be read.
    """
    try:
        said: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        return tuple(ModelFile.model_validate(entry) for entry in said["files"]), bool(said.get("makers", False))
    except FileNotFoundError:
        raise ModelMissingError(f"model {model.id} is not here; {how_to_get(model)}") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelDamagedError(f"{folder / MANIFEST} cannot be used; {how_to_get(model)}") from error


def how_to_get(model: Model) -> str:
    """What to do about a model that is missing or damaged, as the end of a sentence."""
    if model.source != "weights":
        return "restore it from the repository"
    if model.ways:
        return f"`glovebox models get {model.id}` fetches it"
    return f"get it ({model.origin}) and run `glovebox models import {model.id} FOLDER`"


def _sync(path: Path) -> None:
    """Wait until a file or a folder's list of names is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
