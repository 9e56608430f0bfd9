"""Opening an engine of a registry, so that whatever goes wrong is an error of the tree; and what an engine imports in vain.

The registries stand in ``voice.asr``, ``voice.tts`` and ``voice.wake``. Which engine is chosen is said by ``deploy.engines``.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from schemas.errors import ConfigError, EngineMissingError, GloveboxError, ModelDamagedError
from schemas.registry import Registry


def opened(registry: Registry, name: str, needs: Any) -> Any:
    """The engine of that name.

    Args:
        registry: ``voice.asr.RECOGNIZERS``, ``voice.tts.SYNTHESIZERS`` or ``voice.wake.WAKE_WORDS``.
        name: one of its names.
        needs: what its functions take: ``voice.asr.Hearing``, ``voice.tts.Speaking`` or ``voice.wake.Waking``.

    Raises:
        schemas.errors.EngineMissingError: it, or the package that it runs on, is not installed or cannot be imported.
        schemas.errors.ModelError: its model cannot be used, whatever the engine says to it.
    """
    registry.require(name)
    try:
        return registry.opener(name)(needs)
    except ConfigError as error:  # somebody else's that leads nowhere
        raise EngineMissingError(str(error)) from error
    except GloveboxError:
        raise
    except ImportError as error:
        raise EngineMissingError(f"{name} cannot be started here ({error}); run ./deploy/up again") from error
    except Exception as error:  # engines raise anything on a file that is no model of theirs
        raise ModelDamagedError(
            f"{name} cannot use its model ({type(error).__name__}); get or import it again"
        ) from error


class _PutOff(ModuleType):
    """Stands for a package that is not imported yet."""

    def __getattr__(self, name: str) -> Any:
        """Of the package, which is imported now."""
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def put_off(name: str) -> None:
    """Let a package be imported when something of it is first used: for one that an engine imports for what we never ask of it.

    Nothing happens where it is not installed, or imported already.
    """
    if name not in sys.modules and find_spec(name) is not None:
        sys.modules[name] = _PutOff(name)
