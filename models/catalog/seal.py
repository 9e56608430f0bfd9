"""The built-in models' sizes and digests, written into the catalogue after a training: ``python -m models.catalog seal``.

Owns which files of a built-in folder are weights, and the text of their entries.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from models.catalog.entries import Model, ModelFile
from models.catalog.shelf import BUILTIN, CATALOG, Catalog
from models.catalog.store import described


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
    """Write sizes and digests of the built-in files into the catalogue; returns the ids that changed."""
    catalog = Catalog(builtin=builtin, file=file)
    text = file.read_text(encoding="utf-8")
    head, *blocks = text.split("[[model]]\n")
    changed: list[str] = []
    for number, (model, block) in enumerate(zip(catalog.models, blocks, strict=True)):
        if model.source != "builtin":
            continue
        files = contents(model, catalog, builtin)
        if files != model.files:
            changed.append(model.id)
        kept, _, _ = block.partition("files = [")
        blocks[number] = f"{kept}files = {_toml(files)}\n\n"
    sealed = "[[model]]\n".join([head, *blocks])
    file.write_text(sealed.rstrip("\n") + "\n", encoding="utf-8")
    return changed


def contents(model: Model, catalog: Catalog, builtin: Path) -> tuple[ModelFile, ...]:
    """The files of a built-in model as they are on disk.

    They are all in its folder; of a folder that several share, its entry and what lies beside it under that name and "-check" (the
    second stage of a wake word).
    """
    folder, name = builtin / str(model.folder), Path(model.entry).stem
    shared = sum(other.folder == model.folder for other in catalog.models) > 1
    paths = (path for path in weights(folder) if not shared or path.stem.removesuffix("-check") == name)
    return tuple(described(path, folder) for path in paths)


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
