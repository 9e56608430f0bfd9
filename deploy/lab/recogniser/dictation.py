"""How well Whisper hears the development sentences, with an adaptation and without: exact sentences, and words.

``python -m deploy.lab.recogniser.dictation SPEECH MODEL [--adaptation FILE] [--count 100]``. The voices and, commands aside, the
sentences were not trained on. For unseen voices in whole turns ``glovebox eval hearing`` is the measure.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from rapidfuzz.distance import Levenshtein

from models.acoustics import active_level, noise_gain
from models.commands.templates import load_templates
from models.text import spoken
from models.training.whisper.scenes import RATE, coloured
from models.training.whisper.speech import Speech
from voice.asr.expected import expected
from voice.asr.whisper import WhisperRecognizer

LEVELS_DB: tuple[float | None, ...] = (None, 15.0, 10.0, 5.0)


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("speech", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--adaptation", type=Path)
    parser.add_argument("--count", type=int, default=100, help="sentences")
    parser.add_argument("--prompt", action="store_true", help="tell Whisper the words that are expected")
    parser.add_argument("--show", action="store_true", help="print what was heard wrongly")
    given = parser.parse_args()
    likely = expected(load_templates()) if given.prompt else ""
    ear = WhisperRecognizer(given.model, lambda _: None, threads=1, likely=likely, adaptation=given.adaptation)
    dev = Speech.load(given.speech / "dev.npz")
    count = min(given.count, len(dev))
    for level in LEVELS_DB:
        rng = np.random.default_rng(9)
        exact, wrong, words, confident, began = 0, 0, 0, 0, time.process_time()
        for number in range(count):
            wave = np.pad(dev[number].astype(np.float32) / 32768.0, (3200, 6400))
            wave += rng.standard_normal(wave.size).astype(np.float32) * np.float32(1e-4)
            if level is not None:
                noise = coloured(wave.size, rng)
                wave += noise * np.float32(noise_gain(active_level(wave), noise, level))
            ear.start()
            ear.feed(np.asarray(np.clip(wave, -1.0, 1.0) * 32767.0, np.int16))
            transcript, said = ear.finish(), spoken(dev.texts[number])
            heard = transcript.text
            exact += heard == said
            confident += heard != said and not transcript.misheard
            wrong += int(Levenshtein.distance(heard.split(), said.split()))
            words += len(said.split())
            if given.show and heard != said:
                print(f"  {level} {transcript.confidence:.2f} {said} | {heard}")
        spent = (time.process_time() - began) / count
        name = "quiet" if level is None else f"{level:.0f} dB"
        print(
            f"{name:>6}: exact {exact / count:.3f}, word errors {wrong / words:.3f}, wrong and not given as misheard "
            f"{confident / count:.3f}, {1000 * spent:.0f} ms of processor time", flush=True
        )  # fmt: skip
    print(f"{count} sentences of {len(dev)}, {RATE} Hz; {ear.plain or 'adapted' if given.adaptation else 'as it is'}")


if __name__ == "__main__":
    main()
