"""The models that there are, and their files on this device: finding, verifying, importing, removing.

Owns what counts as being there. Fetches nothing (``models.catalog.fetching``), loads no model and does not know what the
configuration chose.
"""

from __future__ import annotations

import importlib.util
import shutil
import tomllib
from collections.abc import Callable
from os.path import expanduser
from pathlib import Path
from typing import Protocol, Self

from pydantic import ValidationError

from models.catalog.entries import Model, ModelFile
from models.catalog.store import (
    Staging,
    described,
    discard,
    full_or_missing,
    how_to_get,
    locked,
    manifest_of,
    need_room,
    sha256,
)
from schemas.errors import ModelDamagedError, ModelError, ModelMissingError

HERE = Path(__file__).parents[1]
CATALOG = HERE / "catalog.toml"
BUILTIN = HERE / "builtin"

Trial = Callable[[Model, Path], object]
"""Given a model and what its engine is given; raises ``schemas.errors.ModelError`` if it cannot be loaded."""


class Places(Protocol):
    """Where a device keeps models."""

    @property
    def models(self) -> Path:
        """The folder of what was fetched and imported."""
        ...

    @property
    def catalog(self) -> Path:
        """The user's own catalogue, which may add models; need not be there."""
        ...


class Catalog:
    """The models that there are, and their files on this device.

    Attributes:
        models: all of them, ours first.
        folder_of_weights: where fetched and imported ones lie; None where there are none.
        trouble: why the user's own catalogue is not used; empty if it is, or if there is none.
    """

    def __init__(
        self,
        weights: Path | None = None,
        *,
        own: Path | None = None,
        builtin: Path = BUILTIN,
        file: Path = CATALOG,
    ) -> None:
        """Read the catalogue.

        Args:
            weights: folder of the fetched and imported models; None where there are none.
            own: the user's own catalogue; None, or no such file, for none.
            builtin: folder of the models that come with Glovebox.
            file: the catalogue that comes with Glovebox.

        Raises:
            schemas.errors.ModelDamagedError: the catalogue that comes with Glovebox cannot be read.
        """
        self.folder_of_weights, self._builtin = weights, builtin
        try:
            self.models = _read(file)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelDamagedError(f"the catalogue {file} cannot be used ({_short(error)}); restore it") from error
        self.trouble = ""
        if own is not None:
            self._add(own)

    @classmethod
    def load(cls, places: Places) -> Self:
        """The catalogue of a device.

        Raises:
            schemas.errors.ModelDamagedError: the catalogue that comes with Glovebox cannot be read.
        """
        return cls(places.models, own=places.catalog)

    def _add(self, own: Path) -> None:
        """Add the user's models; where one of them does not fit, none is added and ``trouble`` says why."""
        ours = {model.id for model in self.models}
        try:
            added = _read(own)
        except FileNotFoundError:
            return
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            self.trouble = f"your catalogue {own} is not used: {_short(error)}"
            return
        for model in added:
            if model.source != "weights":
                self.trouble = f"your catalogue {own} is not used: {model.id} is not of source weights"
            elif model.id in ours:
                self.trouble = f"your catalogue {own} is not used: there is another model {model.id}; choose another id"
            ours.add(model.id)
        if not self.trouble:
            self.models = (*self.models, *added)

    def model(self, model_id: str) -> Model:
        """The model of that id.

        Raises:
            schemas.errors.ModelMissingError: the catalogue has none.
        """
        for model in self.models:
            if model.id == model_id:
                return model
        known = ", ".join(model.id for model in self.models)
        raise ModelMissingError(f"there is no model {model_id!r} in the catalogue; it has {known}")

    def folder(self, model: Model) -> Path:
        """Where the model's files lie, whether or not they are there.

        Raises:
            schemas.errors.ModelMissingError: it is a package's model and the package is not installed.
        """
        if model.source == "builtin":
            return self._builtin / str(model.folder)
        if model.source == "weights":
            return (self.folder_of_weights or Path("models")) / model.id
        spec = importlib.util.find_spec(str(model.package))
        if spec is None or spec.origin is None:
            raise ModelMissingError(f"model {model.id} comes with the package {model.package}, which is not installed")
        return Path(spec.origin).parent

    def files(self, model: Model) -> tuple[ModelFile, ...]:
        """The files with their sizes and digests: the catalogue's, or those that were taken down at the import.

        Raises:
            schemas.errors.ModelMissingError: it was neither fetched nor imported.
            schemas.errors.ModelDamagedError: its manifest cannot be read.
        """
        if model.source != "weights":
            return model.files
        files, makers = manifest_of(self.folder(model), model)
        return model.files if makers and model.files else files

    def from_makers(self, model: Model) -> bool:
        """Whether what lies on this device was fetched or imported with the catalogue's digests; ours has them."""
        if model.source != "weights":
            return True
        try:
            return manifest_of(self.folder(model), model)[1]
        except ModelError:
            return False

    def present(self, model: Model) -> bool:
        """Whether the model's files are there at all; says nothing of their contents."""
        try:
            folder = self.folder(model)
            files = self.files(model)
            return bool(files or model.source == "package") and all((folder / file.path).is_file() for file in files)
        except ModelError:
            return False

    def find(self, reference: str) -> Path:
        """The file or folder that an engine is to load, every byte of it checked.

        That takes .2 s for Whisper base and a Piper voice (docs/log.md), and a damaged file is never loaded.

        Args:
            reference: a model's id; or, with a slash in it, a path, which is checked for being there only.

        Raises:
            schemas.errors.ModelMissingError: no such model, or a file of it is not there.
            schemas.errors.ModelDamagedError: a file is not what the catalogue says.
        """
        if "/" in reference:
            path = Path(expanduser(reference))
            if not path.exists():
                raise ModelMissingError(f"there is no model at {path}; correct the path or put the model there")
            return path
        model = self.model(reference)
        self.verify(model)
        folder = self.folder(model)
        return folder if model.entry == "." else _match(folder, model.entry, model.id)

    def verify(self, model: Model) -> int:
        """Check every byte of a model; returns how many.

        Raises:
            schemas.errors.ModelMissingError: it, or a file of it, is not there.
            schemas.errors.ModelDamagedError: a file is not what the catalogue says; the message names both digests.
        """
        folder, total = self.folder(model), 0
        files = self.files(model)
        if model.source == "builtin" and not files:
            raise ModelMissingError(
                f"the catalogue knows no file of model {model.id}; run `python -m models.catalog seal`"
            )
        for file in files:
            _check_file(folder / file.path, file, model)
            total += file.bytes
        return total

    def import_model(
        self, model_id: str, source: Path, *, unverified: bool = False, trial: Trial | None = None
    ) -> bool:
        """Take a model over from a folder (a download, a USB stick).

        Args:
            model_id: a model of the catalogue that is neither built in nor a package's.
            source: the folder.
            unverified: take it even where it has other digests than the catalogue; it is marked so.
            trial: loads what has not the catalogue's digests, and raises if that cannot be done.

        Returns:
            Whether the bytes have the digests of the catalogue.

        Raises:
            schemas.errors.ModelMissingError: no such model, or the folder lacks a file of it.
            schemas.errors.ModelDamagedError: the catalogue has other digests, or it cannot be loaded.
            schemas.errors.StorageFullError: no room; nothing is left behind.
        """
        model, weights = self.model(model_id), self.folder_of_weights
        if model.source != "weights" or weights is None:
            raise ModelMissingError(f"model {model_id} is not one that is imported: it comes with Glovebox")
        known = bool(model.files)
        names = [file.path for file in model.files] if known else list(model.names)
        found = [_match(source, name, model.id) for name in names]
        with locked(weights):
            need_room(weights, sum(path.stat().st_size for path in found), f"importing {model_id}")
            Staging(weights, model).drop()
            staging = Staging(weights, model)
            try:
                files = tuple(_taken(path, staging.folder, source if known else path.parent) for path in found)
                makers = known and set(files) == set(model.files)
                if trial is not None and not makers and (unverified or not known):
                    at = staging.folder
                    trial(model, at if model.entry == "." else _match(at, model.entry, model.id))
                if makers or unverified or not known:
                    staging.become(files, makers=makers)
            except OSError as error:
                raise full_or_missing(error, f"model {model_id} could not be imported from {source}") from error
            finally:
                staging.drop()
        if known and not makers and not unverified:
            wrong = next(file for file in files if file not in model.files)
            raise ModelDamagedError(
                f"{wrong.path} in {source} is not the file of {model_id} that the catalogue has ({wrong.bytes} bytes, SHA-256 "
                f"{wrong.sha256[:12]}…); get it again, or take it all the same with --unverified"
            )
        return makers

    def remove(self, model_id: str) -> int:
        """Remove a fetched or imported model, and what was begun of it; returns how many bytes.

        Raises:
            schemas.errors.ModelMissingError: no such model, it is not here, or it comes with Glovebox.
        """
        model, weights = self.model(model_id), self.folder_of_weights
        if model.source != "weights" or weights is None:
            raise ModelMissingError(f"model {model_id} comes with Glovebox and stays")
        with locked(weights):
            folder = self.folder(model)
            unfinished = Staging(weights, model)
            there = [path for at in (folder, unfinished.folder) for path in at.rglob("*") if path.is_file()]
            size = sum(path.stat().st_size for path in there)
            unfinished.drop()
            if not there:
                raise ModelMissingError(f"model {model_id} is not here")
            discard(folder)
        return size


def _read(file: Path) -> tuple[Model, ...]:
    entries = tomllib.loads(file.read_text(encoding="utf-8"))["model"]
    return tuple(Model.model_validate(entry) for entry in entries)


def _short(error: Exception) -> str:
    """What is wrong with a catalogue, in one line."""
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        return f"{place}: {first['msg']}" if place else first["msg"]
    if isinstance(error, OSError):
        return f"it cannot be read ({error.strerror})"
    if isinstance(error, UnicodeDecodeError):
        return "it is no text in UTF-8"
    if isinstance(error, tomllib.TOMLDecodeError):
        return f"it is no TOML ({error})"
    return "it has no [[model]], or something else under that name"


def _check_file(path: Path, file: ModelFile, model: Model) -> None:
    if not path.is_file():
        raise ModelMissingError(f"{path} of model {model.id} is missing; {how_to_get(model)}")
    size = path.stat().st_size
    digest = sha256(path)
    if size != file.bytes or digest != file.sha256:
        raise ModelDamagedError(
            f"{path} of model {model.id} is damaged: {size} bytes with SHA-256 {digest[:12]}…, "
            f"expected {file.bytes} bytes with {file.sha256[:12]}…; {how_to_get(model)}"
        )


def _match(folder: Path, pattern: str, model_id: str) -> Path:
    """The one file that matches; ``*.onnx`` does not match ``*.onnx.json``."""
    found = sorted(path for path in folder.glob(pattern) if path.is_file()) if folder.is_dir() else []
    if len(found) != 1:
        count = "no file" if not found else f"{len(found)} files"
        raise ModelMissingError(f"{folder} has {count} like {pattern}, and model {model_id} needs exactly one")
    return found[0]


def _taken(path: Path, into: Path, folder: Path) -> ModelFile:
    copy = into / path.relative_to(folder)
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, copy)
    return described(copy, into)
