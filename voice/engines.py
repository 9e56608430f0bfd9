"""A row of a table of engines: where an engine lies and what it needs. The tables stand in ``voice.asr`` and ``voice.tts``.

Owns the shape of a row and the late import. Which engine is chosen is said by ``deploy.engines``.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from schemas.errors import EngineMissingError, GloveboxError, ModelDamagedError


@dataclass(frozen=True, slots=True)
class Engine:
    """One engine of a table."""

    module: str
    """Imported when it is chosen; it has a function ``opened`` that takes what the table's own module describes."""
    package: str | None = None
    """The Python package that it runs on, where the default set-up may leave that out."""
    extra: str | None = None
    """The extra of Glovebox that brings the package."""
    takes_model: bool = False
    """Whether it is given a model of the catalogue; without, it knows its own."""


def opened(table: Mapping[str, Engine], name: str, needs: Any) -> Any:
    """The engine of that name.

    Args:
        table: ``voice.asr.RECOGNIZERS`` or ``voice.tts.SYNTHESIZERS``.
        name: a key of it.
        needs: what its ``opened`` takes: ``voice.asr.Hearing`` or ``voice.tts.Speaking``.

    Raises:
        schemas.errors.EngineMissingError: the package that it runs on is not installed, or cannot be imported.
        schemas.errors.ModelError: its model cannot be used, whatever the engine says to it.
    """
    require(table, name)
    try:
        return import_module(table[name].module).opened(needs)
    except GloveboxError:
        raise
    except ImportError as error:
        raise EngineMissingError(f"{name} cannot be started here ({error}); run ./deploy/up again") from error
    except Exception as error:  # engines raise anything on a file that is no model of theirs
        raise ModelDamagedError(
            f"{name} cannot use its model ({type(error).__name__}); get or import it again"
        ) from error


def require(table: Mapping[str, Engine], name: str) -> None:
    """Look whether the package that an engine runs on is installed; it is not imported.

    Raises:
        schemas.errors.EngineMissingError: it is not.
    """
    engine = table[name]
    if engine.package is not None and importlib.util.find_spec(engine.package) is None:
        raise EngineMissingError(f"{name} needs the package {engine.package}; pip install 'glovebox[{engine.extra}]'")
