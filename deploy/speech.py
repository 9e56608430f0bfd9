"""The assistant's voice: the engine that was chosen, espeak-ng behind it, and its fixed sentences at hand.

Owns how these are put together, the idle time in which sentences are made ahead, and saying something apart from any turn. The
engines are chosen by ``deploy.engines``.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from deploy.config import Config
from deploy.engines import Engines
from schemas.errors import GloveboxError
from schemas.events import SAMPLE_RATE, Samples
from schemas.ports import Synthesizer
from vehicle.policy import REFUSING
from voice.audio.devices.loudspeaker import Loudspeaker
from voice.audio.devices.portaudio import DeviceId
from voice.audio.wavefile import write
from voice.dialogue.replies.fixed import PLAIN, fixed_sentences
from voice.tts.espeak import EspeakSettings, EspeakSynthesizer
from voice.tts.kept import KeptSentences, voice_digest
from voice.tts.piper import PiperSynthesizer
from voice.tts.voices import Voices

_log = logging.getLogger("glovebox.voice")
_BEGIN_S = 20.0
"""Seconds after the start in which nothing is made ahead: the driver speaks first. Our choice."""
_AT_ONCE = 1 + len(PLAIN)
"""Sentences, those that are said most, that the very first start makes before the driver can speak: 2 s, once."""
_NICENESS = 19
_PATIENCE = 20.0
"""How much longer such a sentence may take: the machine's other work comes first."""


def open_voice(config: Config, engines: Engines) -> tuple[Voices, MakingAhead | None]:
    """The voice, and what makes its fixed sentences ahead if there is need for that.

    Raises:
        schemas.errors.ModelError: there is none.
    """
    settings = config.tts
    behind = EspeakSynthesizer(EspeakSettings(settings.voice, settings.speed_wpm, settings.pitch))
    return assembled_voice(engines.synthesizer(), behind, config.data.models / "spoken")


def assembled_voice(engine: Synthesizer, behind: Synthesizer, folder: Path) -> tuple[Voices, MakingAhead | None]:
    """The voice, and what makes its fixed sentences ahead; None for a voice that begins to sound in 20 ms anyway.

    Args:
        engine: the chosen one.
        behind: speaks when that fails.
        folder: where sentences made ahead are kept: with the models, which hold nothing personal either.
    """
    if isinstance(engine, EspeakSynthesizer):
        return Voices(engine), None
    if not isinstance(engine, PiperSynthesizer):
        return Voices(engine, behind), None
    kept = KeptSentences(folder, voice_digest(engine.voice), fixed_sentences(REFUSING.values()))
    try:
        for _ in kept.missing(_AT_ONCE):
            kept.make(engine)
    except (GloveboxError, OSError) as error:  # they are made when they are needed
        _log.warning("no sentence could be made ahead: %s", error)
    return Voices(engine, behind, kept=kept.get, close=engine.close), MakingAhead(kept, engine.voice)


def said(voice: Synthesizer, texts: Sequence[str], file: Path | None, device: DeviceId) -> Iterator[dict[str, object]]:
    """Say the texts, aloud or into a file; of each its text, the milliseconds to its first sound, and its seconds.

    Args:
        voice: who speaks.
        texts: one after the other.
        file: where the sound goes; None for the loudspeaker.
        device: which loudspeaker.

    Raises:
        schemas.errors.GloveboxError: the voice failed, there is no loudspeaker, or the file cannot be written.
    """
    sounds: list[Samples] = []
    loudspeaker = Loudspeaker(device) if file is None and texts else None
    if loudspeaker is not None:
        loudspeaker.open()
    try:
        for text in texts:
            began, first_ms, seconds, rest_s = time.perf_counter(), 0.0, 0.0, 0.0
            for piece in voice.synthesize(text):
                first_ms = first_ms or (time.perf_counter() - began) * 1000.0
                seconds += len(piece) / SAMPLE_RATE
                if loudspeaker is not None:
                    rest_s = loudspeaker.play(piece)
                sounds.append(piece)
            time.sleep(rest_s)
            yield {"text": text, "first_ms": round(first_ms, 1), "seconds": round(seconds, 3)}
    finally:
        if loudspeaker is not None:
            loudspeaker.close()
    if file is not None:
        write(file, np.concatenate([*sounds, np.zeros(0, np.int16)]))


class MakingAhead:
    """Makes the sentences that are missing, with a program of its own at the lowest priority. A context manager."""

    def __init__(self, kept: KeptSentences, voice: Path, *, begin_s: float = _BEGIN_S) -> None:
        """Nothing is made yet.

        Args:
            kept: what is missing, and where it goes.
            voice: Piper's voice file.
            begin_s: seconds to wait first.
        """
        self._kept, self._voice, self._begin_s = kept, voice, begin_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._make, name="voice-ahead", daemon=True)

    def __enter__(self) -> Self:
        """Begin."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End, after the sentence that is being made; the rest is made the next time."""
        self._stop.set()
        self._thread.join(timeout=5.0)

    def make_all(self) -> int:
        """Make them all now; returns how many were missing.

        Raises:
            schemas.errors.GloveboxError: the voice failed, or a file cannot be written.
            OSError: the folder cannot be made.
        """
        missing = len(self._kept.missing())
        if missing:
            self._kept.drop_other_voices()
            with closing(PiperSynthesizer(self._voice, niceness=_NICENESS, patience=_PATIENCE)) as voice:
                voice.check()
                while not self._stop.is_set() and self._kept.make(voice):
                    pass
        return missing

    def _make(self) -> None:
        if self._stop.wait(self._begin_s):
            return
        try:
            self.make_all()
        except (GloveboxError, OSError) as error:  # replies are then made when they are needed
            _log.warning("no sentence could be made ahead: %s", error)
