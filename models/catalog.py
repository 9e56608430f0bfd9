"""Every model by role: what it is, where its files lie, whether they are whole.

Owns the catalogue (``models/catalog.toml``), finding, verifying and importing. Uses no network. Does not load a model and does
not know what the configuration chose. ``python -m models.catalog seal`` writes sizes and digests of the built-in files anew
after a training.
"""

from __future__ import annotations

import errno
import hashlib
import importlib.util
import json
import shutil
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from schemas.errors import ModelDamagedError, ModelMissingError, StorageFullError

HERE = Path(__file__).parent
CATALOG = HERE / "catalog.toml"
BUILTIN = HERE / "builtin"
MANIFEST = "manifest.json"
"""Beside an imported model's files: their sizes and digests as they were when they were imported."""

DIGEST_UP_TO = 64 * 1024 * 1024
"""Bytes up to which ``find`` checks a file's digest and not only its size: start-up must not wait for gigabytes."""

_BLOCK = 1 << 20


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ModelFile(_Entry):
    """One file of a model."""

    path: str
    """Relative to the model's folder."""
    bytes: Annotated[int, Field(ge=0)]
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class Model(_Entry):
    """One model of the catalogue."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")]
    role: Literal["wake", "vad", "asr", "encoder", "llm", "tts"]
    source: Literal["builtin", "package", "import"]
    folder: str | None = None
    """For builtin: its folder in models/builtin."""
    package: str | None = None
    """For package: the Python package that carries it."""
    entry: str
    """What the engine is given: a file, a pattern that one file matches, or ``.`` for the folder."""
    names: tuple[str, ...] = ()
    """For import: patterns of the files that belong to it."""
    licence: str
    origin: str
    devices: tuple[str, ...]
    files: tuple[ModelFile, ...] = ()

    @model_validator(mode="after")
    def _complete(self) -> Self:
        needed = {"builtin": self.folder, "package": self.package, "import": self.names}[self.source]
        if not needed:
            raise ValueError(f"model {self.id} is of source {self.source} and does not say where its files come from")
        return self


class Catalog:
    """The models that there are, and their files on this device."""

    def __init__(self, imported: Path | None = None, *, builtin: Path = BUILTIN, file: Path = CATALOG) -> None:
        """Read the catalogue.

        Args:
            imported: folder of the imported models; None where there are none.
            builtin: folder of the models that come with Glovebox.
            file: the catalogue.

        Raises:
            ModelDamagedError: the catalogue itself cannot be read.
        """
        self._imported, self._builtin = imported, builtin
        try:
            entries = tomllib.loads(file.read_text(encoding="utf-8"))["model"]
            self.models: tuple[Model, ...] = tuple(Model.model_validate(entry) for entry in entries)
        except (OSError, tomllib.TOMLDecodeError, KeyError, ValidationError) as error:
            raise ModelDamagedError(f"the catalogue {file} cannot be used ({error}); restore it") from error

    @classmethod
    def load(cls, data: Path) -> Self:
        """The catalogue of a device whose imported models lie in ``models`` of its data folder.

        Raises:
            ModelDamagedError: the catalogue itself cannot be read.
        """
        return cls(data / "models")

    def model(self, model_id: str) -> Model:
        """The model of that id.

        Raises:
            ModelMissingError: the catalogue has none.
        """
        for model in self.models:
            if model.id == model_id:
                return model
        known = ", ".join(model.id for model in self.models)
        raise ModelMissingError(f"there is no model {model_id!r} in the catalogue; it has {known}")

    def folder(self, model: Model) -> Path:
        """Where the model's files lie, whether or not they are there.

        Raises:
            ModelMissingError: it is a package's model and the package is not installed.
        """
        if model.source == "builtin":
            return self._builtin / str(model.folder)
        if model.source == "import":
            return (self._imported or Path("models")) / model.id
        spec = importlib.util.find_spec(str(model.package))
        if spec is None or spec.origin is None:
            raise ModelMissingError(f"model {model.id} comes with the package {model.package}, which is not installed")
        return Path(spec.origin).parent

    def files(self, model: Model) -> tuple[ModelFile, ...]:
        """The files with their sizes and digests; those of an imported model are from its import.

        Raises:
            ModelMissingError: it has not been imported.
            ModelDamagedError: its manifest cannot be read.
        """
        if model.source != "import":
            return model.files
        manifest = self.folder(model) / MANIFEST
        try:
            entries = json.loads(manifest.read_text(encoding="utf-8"))["files"]
            return tuple(ModelFile.model_validate(entry) for entry in entries)
        except FileNotFoundError:
            raise ModelMissingError(
                f"model {model.id} has not been imported; get it ({model.origin}) and run "
                f"`glovebox models import {model.id} FOLDER`"
            ) from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelDamagedError(f"{manifest} cannot be used; import model {model.id} again") from error

    def present(self, model: Model) -> bool:
        """Whether the model's files are there at all; says nothing of their contents."""
        try:
            folder = self.folder(model)
            files = self.files(model)
            return bool(files or model.source == "package") and all((folder / file.path).is_file() for file in files)
        except (ModelMissingError, ModelDamagedError):
            return False

    def find(self, reference: str) -> Path:
        """The file or folder that an engine is to load, checked: sizes always, digests up to ``DIGEST_UP_TO``.

        Args:
            reference: a model's id; or, with a slash in it, a path, which is checked for being there only.

        Raises:
            ModelMissingError: no such model, or a file of it is not there.
            ModelDamagedError: a file is not what the catalogue says.
        """
        if "/" in reference:
            path = Path(reference).expanduser()
            if not path.exists():
                raise ModelMissingError(f"there is no model at {path}; correct the path or put the model there")
            return path
        model = self.model(reference)
        self._check(model, DIGEST_UP_TO)
        return self._entry(model)

    def verify(self, model: Model) -> int:
        """Check every byte of a model; returns how many.

        Raises:
            ModelMissingError: a file is not there.
            ModelDamagedError: a file is not what the catalogue says; the message names both digests.
        """
        return self._check(model, None)

    def import_model(self, model_id: str, source: Path) -> Model:
        """Take a model over from a folder (a download, a USB stick) and take its digests down.

        Raises:
            ModelMissingError: no such model, or the folder lacks a file of it.
            StorageFullError: no room; nothing is left behind.
        """
        model = self.model(model_id)
        if model.source != "import" or self._imported is None:
            raise ModelMissingError(f"model {model_id} is not one that is imported: it comes with Glovebox")
        found = [_match(source, pattern, model.id) for pattern in model.names]
        target, part = self._imported / model.id, self._imported / f".{model.id}.part"
        shutil.rmtree(part, ignore_errors=True)
        try:
            part.mkdir(parents=True)
            files = [_taken(path, part) for path in found]
            manifest = {"id": model.id, "files": [file.model_dump() for file in files]}
            (part / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
            shutil.rmtree(target, ignore_errors=True)
            part.rename(target)
        except OSError as error:
            shutil.rmtree(part, ignore_errors=True)
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise StorageFullError(
                    f"no room to import model {model_id} into {self._imported}; free some"
                ) from error
            raise ModelMissingError(f"model {model_id} could not be imported from {source}: {error}") from error
        return model

    def _check(self, model: Model, digest_up_to: int | None) -> int:
        folder, total = self.folder(model), 0
        files = self.files(model)
        if model.source == "builtin" and not files:
            raise ModelMissingError(
                f"the catalogue knows no file of model {model.id}; run `python -m models.catalog seal`"
            )
        for file in files:
            _check_file(folder / file.path, file, model, digest_up_to)
            total += file.bytes
        return total

    def _entry(self, model: Model) -> Path:
        folder = self.folder(model)
        return folder if model.entry == "." else _match(folder, model.entry, model.id)


def _check_file(path: Path, file: ModelFile, model: Model, digest_up_to: int | None) -> None:
    again = f"import model {model.id} again" if model.source == "import" else "restore it from the repository"
    if not path.is_file():
        raise ModelMissingError(f"{path} of model {model.id} is missing; {again}")
    size = path.stat().st_size
    if size == file.bytes and digest_up_to is not None and size > digest_up_to:
        return
    digest = sha256(path)
    if size != file.bytes or digest != file.sha256:
        raise ModelDamagedError(
            f"{path} of model {model.id} is damaged: {size} bytes with SHA-256 {digest[:12]}…, "
            f"expected {file.bytes} bytes with {file.sha256[:12]}…; {again}"
        )


def _match(folder: Path, pattern: str, model_id: str) -> Path:
    """The one file that matches; ``*.onnx`` does not match ``*.onnx.json``."""
    found = sorted(folder.glob(pattern)) if folder.is_dir() else []
    if len(found) != 1:
        count = "no file" if not found else f"{len(found)} files"
        raise ModelMissingError(f"{folder} has {count} like {pattern}, and model {model_id} needs exactly one")
    return found[0]


def _taken(path: Path, into: Path) -> ModelFile:
    shutil.copyfile(path, into / path.name)
    return described(into / path.name, into)


def described(path: Path, folder: Path) -> ModelFile:
    """A file's entry in the catalogue."""
    return ModelFile(path=path.relative_to(folder).as_posix(), bytes=path.stat().st_size, sha256=sha256(path))


def sha256(path: Path) -> str:
    """The file's SHA-256 in hexadecimal digits."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def weights(folder: Path) -> Iterator[Path]:
    """The files of a built-in model: all in its folder but what is written for people (cards, licences), in order."""
    for path in sorted(folder.rglob("*")):
        if (
            path.is_file()
            and path.suffix != ".md"
            and "__pycache__" not in path.parts
            and not path.name.startswith(".")
        ):
            yield path


def seal(file: Path = CATALOG, builtin: Path = BUILTIN) -> list[str]:
    """Write sizes and digests of the built-in files into the catalogue; returns the ids that changed.

    A model's files are all in its folder; of a folder that several share, the one that it names as its entry.
    """
    catalog = Catalog(builtin=builtin, file=file)
    text = file.read_text(encoding="utf-8")
    head, *blocks = text.split("[[model]]\n")
    changed: list[str] = []
    for number, (model, block) in enumerate(zip(catalog.models, blocks, strict=True)):
        if model.source != "builtin":
            continue
        folder = builtin / str(model.folder)
        shared = sum(other.folder == model.folder for other in catalog.models) > 1
        files = tuple(described(path, folder) for path in weights(folder) if not shared or path.name == model.entry)
        if files != model.files:
            changed.append(model.id)
        kept, _, _ = block.partition("files = [")
        blocks[number] = f"{kept}files = {_toml(files)}\n\n"
    sealed = "[[model]]\n".join([head, *blocks])
    file.write_text(sealed.rstrip("\n") + "\n", encoding="utf-8")
    return changed


def _toml(files: Sequence[ModelFile]) -> str:
    """The files as a TOML array, one a line."""
    if not files:
        return "[]"
    lines = [f'    {{ path = "{file.path}", bytes = {file.bytes}, sha256 = "{file.sha256}" }},\n' for file in files]
    return f"[\n{''.join(lines)}]"


def main(arguments: Sequence[str]) -> int:
    """``seal``: write the built-in files' sizes and digests."""
    if list(arguments) != ["seal"]:
        sys.stderr.write("usage: python -m models.catalog seal\n")
        return 2
    changed = seal()
    sys.stdout.write(f"sealed; changed: {', '.join(changed) or 'nothing'}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
