"""The wake word as the car hears it, networks and second ear, on voices that nothing was trained on.

    python -m deploy.lab.wake.strangers FOLDER --data ../shared/data/wake

FOLDER is what ``models.training.wake.strangers`` made: calls of the word and other talk. Owns the counting: engines are opened
as in the car, conditions are those of ``models.training.wake.measure``, which measures the networks without the second ear.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from deploy.config import load_config
from deploy.engines import Engines
from models import acoustics
from models.catalog import Catalog
from models.commands.matcher import TemplateMatcher
from models.training.wake import corpus, listening
from models.training.wake.corpus import Clip, Spoken
from models.training.wake.listening import Condition, Pool
from models.training.wake.measure import hours, poisson, wilson
from schemas.events import FRAME, Samples
from schemas.ports import WakeWord
from voice.wake import SecondEar

CONDITIONS = (Condition("none", None), Condition("road", 10.0), Condition("kitchen", 10.0))
TOGETHER = 40
"""Clips of talk that are played as one stream."""


class Counted:
    """A second ear that counts its questions."""

    def __init__(self, ear: SecondEar) -> None:
        """Nothing was asked yet."""
        self._ear = ear
        self.asked, self.took_s = 0, 0.0
        """Questions, and the processor time of all of them."""

    def has(self, sound: Samples, word: str) -> bool:
        """As the ear says."""
        begun = time.process_time()
        found = self._ear.has(sound, word)
        self.asked, self.took_s = self.asked + 1, self.took_s + time.process_time() - begun
        return found


def woken(wake: WakeWord, samples: Samples) -> int:
    """How often the wake word is found in a stream of its own."""
    wake.reset()
    return sum(wake.process(samples[start : start + FRAME]) is not None for start in range(0, samples.size, FRAME))


def streams(clips: Sequence[Clip], pool: Pool | None, snr_db: float | None, rng: np.random.Generator) -> list[Samples]:
    """The clips after each other, each with the noise under its own level, half a second between them."""
    found: list[Samples] = []
    for first in range(0, len(clips), TOGETHER):
        parts: list[Samples] = []
        for clip in clips[first : first + TOGETHER]:
            speech = np.pad(clip.astype(np.float32) / np.float32(32768.0), (0, listening.PAUSE))
            parts.append(listening.under(speech, acoustics.active_level(speech), pool, snr_db, rng))
        found.append(np.concatenate(parts))
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/wake"), help="kitchen noise lies beside it")
    parser.add_argument("--keyword", default="computer")
    parser.add_argument("--calls", type=int, help="only so many, spread over all")
    given = parser.parse_args()
    flags = {"wake.keyword": given.keyword, "wake.model": f"wake-{given.keyword}"}
    config = load_config(flags=flags)
    engines = Engines(config, Catalog.load(config.data))
    recognizer = engines.recognizer(TemplateMatcher)
    second = Counted(recognizer) if isinstance(recognizer, SecondEar) else None
    wake = engines.wake_word(second)
    rng = np.random.default_rng(47)
    kitchen = corpus.read(given.data.parent / "noise" / "kitchen.flac").astype(np.float32) / np.float32(32768.0)
    pools = {"road": Pool(listening.road(10.0, rng), rng), "kitchen": Pool(kitchen, rng)}
    calls = [(path.stem[4:], corpus.read(path)) for path in sorted((given.folder / given.keyword).glob("*.wav"))]
    if given.calls is not None and given.calls < len(calls):
        calls = [calls[index * len(calls) // given.calls] for index in range(given.calls)]
    talked = [corpus.read(path) for path in sorted((given.folder / "talk").glob("*.wav"))]
    length = hours(talked)
    for condition in CONDITIONS:
        pool = pools.get(condition.noise)
        lost = [
            voice
            for voice, clip in calls
            if not woken(wake, listening.embedded(Spoken(clip, 0, clip.size), pool, condition.snr_db, rng))
        ]
        low, high = wilson(len(lost) / len(calls), len(calls))
        whose = ", ".join(f"{voice} {lost.count(voice)}" for voice in sorted({name for name, _ in calls}))
        print(f"{condition}: missed {len(lost)} of {len(calls)}, {low:.1%} to {high:.1%} ({whose})", flush=True)
        asked, took = (second.asked, second.took_s) if second is not None else (0, 0.0)
        false = sum(woken(wake, stream) for stream in streams(talked, pool, condition.snr_db, rng))
        low, high = poisson(false)
        print(f"  {length:.2f} h of talk: {false} false, {low / length:.2f} to {high / length:.2f} an hour", flush=True)
        if second is not None:
            print(
                f"  asked {(second.asked - asked) / length:.0f} times an hour, {(second.took_s - took) / length:.0f} s of it"
            )


if __name__ == "__main__":
    main()
