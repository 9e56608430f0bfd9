"""Loads a model that nobody vouches for, in a process of its own.

What cannot be loaded is not taken, and what ends the process that loads it ends nothing else. Owns the trial of an
import; what an engine wants of a model is the engine's.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from models.catalog import Model
from schemas.errors import EngineMissingError, GloveboxError, ModelDamagedError

NOT_TRIED = 3
"""The program's exit code where the package that runs such models is not installed."""
WITHIN_S = 300.0
"""A gigabyte is loaded in a few seconds; a slow stick may take a minute. Our choice."""


def tried(model: Model, path: Path) -> bool:
    """Load the files of a model.

    Args:
        model: which; those of other roles than recogniser, voice and small talk are not tried.
        path: what its engine is given.

    Returns:
        Whether it was tried: False where what runs it is not installed.

    Raises:
        schemas.errors.ModelDamagedError: it cannot be loaded.
    """
    if model.role not in ("asr", "tts", "talker"):
        return False
    command = [sys.executable, "-m", "deploy.machine.trial", model.role, str(path.resolve())]
    try:
        ended = subprocess.run(
            command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False, timeout=WITHIN_S,
            errors="replace",
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise ModelDamagedError(f"model {model.id} is not loaded after {WITHIN_S:.0f} s; it was not taken") from None
    if ended.returncode in (0, NOT_TRIED):
        return ended.returncode == 0
    why = ended.stdout.strip() or "the engine breaks off"
    raise ModelDamagedError(f"model {model.id} cannot be loaded, so it was not taken: {why}")


def load(role: str, path: Path) -> None:
    """Load it, and let it do the least that it must be able to do.

    Raises:
        schemas.errors.GloveboxError: it cannot.
    """
    if role == "talker":
        from models.runtime.llamacpp import LlamaCppModel

        LlamaCppModel(path, threads=1).close()
    elif role == "tts":
        from voice.tts.piper import opened_voice

        opened_voice(path).close()
    else:
        from voice.asr.whisper_model import WhisperModel

        WhisperModel(path, threads=1, padding_s=1.0)


def main(role: str, path: str) -> int:
    """Load it; what is wrong goes to standard output."""
    try:
        load(role, Path(path))
    except EngineMissingError:
        return NOT_TRIED
    except GloveboxError as error:
        sys.stdout.write(f"{error}\n")
        return 1
    except Exception as error:  # noqa: BLE001 - engines raise anything on a file that is no model of theirs
        sys.stdout.write(f"the engine breaks off ({type(error).__name__})\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
