"""Sentences whose sound was made ahead: a reply of them begins at once.

Owns: the sound of the assistant's own fixed sentences, in memory and in a folder of the voice that made them. Nothing else is ever
kept, in either place: what is spoken to a driver may hold a driver's words, and those belong to the vault alone. Does not own
which sentences these are (`voice.dialogue.replies.fixed`).
"""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import wave
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from schemas.errors import GloveboxError
from schemas.events import SAMPLE_RATE, Samples
from schemas.ports import Synthesizer
from voice.audio.wavefile import write

LIMIT_S = 600.0
"""Seconds of sound held at most: 19 MB."""
_END_BYTES = 1 << 20
"""Of the voice's file, at its beginning and its end: that tells voices apart without reading all of it at every start."""
_FORM = b"1"
"""Changes when the same words would sound otherwise: level, silence, how text is written out."""


class KeptSentences:
    """The sound of fixed sentences by one voice."""

    def __init__(self, folder: Path, voice: str, sentences: Sequence[str]) -> None:
        """Read what was made before; unreadable files count as not made.

        Args:
            folder: Of all voices' sounds; one below it is this voice's. It need not be there.
            voice: The voice's own name, see `voice_digest`.
            sentences: What may be kept; the first ones if that is too much.
        """
        self._root, self._folder = folder, folder / voice
        self._sentences = tuple(dict.fromkeys(sentences))
        self._place = {sentence: place for place, sentence in enumerate(self._sentences)}
        self._sounds: dict[str, Samples] = {}
        self._left, self._full = round(LIMIT_S * SAMPLE_RATE), False
        for sentence in self._sentences:
            sound = _read(self._path(sentence))
            if sound is not None:
                self._hold(sentence, sound)

    def get(self, sentence: str) -> Samples | None:
        """Its sound, read-only; None if it is not kept."""
        return self._sounds.get(sentence)

    def missing(self, first: int | None = None) -> tuple[str, ...]:
        """What may be kept and was not made yet; of the first so many sentences, or of all.

        Once there is no more room, these are the ones that stand before the last one held: they take its room. So it is after an
        upgrade whose list has another order.
        """
        end = max(self._last(), 0) if self._full else len(self._sentences)
        return tuple(one for one in self._sentences[:end][:first] if one not in self._sounds)

    def make(self, voice: Synthesizer) -> int:
        """Make one sentence that is missing; returns how many still are. For idle time, in a thread of its own.

        Raises:
            GloveboxError: The voice failed, or the file cannot be written; then the sentence is kept in memory all the same.
            OSError: The folder cannot be made; likewise.
        """
        missing = self.missing()
        if not missing:
            return 0
        sound = np.concatenate([*voice.synthesize(missing[0]), np.zeros(0, np.int16)])
        if not sound.size:
            raise GloveboxError("a fixed sentence gave no sound")
        self._hold(missing[0], sound)
        path = self._path(missing[0])
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write(path, sound)  # also of the first that found no room: by it the next start sees that there is none
        return len(missing) - 1

    def drop_other_voices(self) -> None:
        """Delete what other voices made."""
        with contextlib.suppress(OSError):
            for other in self._root.iterdir():
                if other != self._folder and other.is_dir() and not other.is_symlink():
                    shutil.rmtree(other, ignore_errors=True)

    def _last(self) -> int:
        """The place in the list of the last one held; -1 where none is."""
        return max((self._place[one] for one in self._sounds), default=-1)

    def _hold(self, sentence: str, sound: Samples) -> None:
        """Hold a sound; where the room does not do, in place of what stands later in the list."""
        while len(sound) > self._left and self._last() > self._place[sentence]:
            self._full, other = True, self._sentences[self._last()]
            self._left += len(self._sounds.pop(other))
            with contextlib.suppress(OSError):
                self._path(other).unlink(missing_ok=True)
        if len(sound) <= self._left:
            self._left -= len(sound)
            sound.flags.writeable = False
            self._sounds[sentence] = sound
        else:
            self._full = True

    def _path(self, sentence: str) -> Path:
        return self._folder / f"{hashlib.sha256(sentence.encode()).hexdigest()[:24]}.wav"


def voice_digest(model: Path, *settings: object) -> str:
    """A name for a voice with its settings: another voice, or other settings, have another.

    Raises:
        OSError: The file cannot be read.
    """
    digest = hashlib.sha256(_FORM + repr(settings).encode())
    digest.update(model.with_name(f"{model.name}.json").read_bytes())
    with model.open("rb") as file:
        size = model.stat().st_size
        digest.update(size.to_bytes(8, "little") + file.read(_END_BYTES))
        file.seek(max(0, size - _END_BYTES))
        digest.update(file.read())
    return digest.hexdigest()[:24]


def _read(path: Path) -> Samples | None:
    try:
        with wave.open(str(path), "rb") as file:
            if (file.getnchannels(), file.getsampwidth(), file.getframerate()) != (1, 2, SAMPLE_RATE):
                return None
            data = file.readframes(file.getnframes())
            return np.frombuffer(data, "<i2").astype(np.int16) if len(data) == 2 * file.getnframes() > 0 else None
    except (OSError, EOFError, wave.Error):
        return None
