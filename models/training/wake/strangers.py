"""Voices that nothing was trained on, as sound files: the word called alone and before a command, and half an hour of other talk.

    GLOVEBOX_PIPER_JOE=.../en_US-joe-medium.onnx python -m models.training.wake.strangers --lines talk.txt
    glovebox eval wake --positives .cache/wake/strangers/computer --negatives .cache/wake/strangers/talk

Owns: what they say and where it is put. Does not own the voices (`voices.TEST_VOICES`). The lines of talk are the caller's: a text,
one utterance a line, that is spoken for measuring alone. Commands and introductions are not those of training.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import soundfile as sf

from models.training import voices
from models.training.wake.corpus import Clip
from models.training.wake.words import phrases

COMMANDS = (
    "open my window",
    "close the boot",
    "I would like it a bit cooler",
    "switch to the news",
    "take me to the nearest charger",
    "turn the wipers on",
    "what can you do",
    "defrost the windscreen",
    "stop the music",
    "lock the doors",
    "how fast may I drive here",
    "drive me to the airport",
    "read me the message",
    "seat heating to two please",
    "unlock the tailgate",
)
BEFORE = ("um", "all right", "okay now", "one second", "hello")
_LINE = re.compile(r"[A-Za-z0-9',.?! -]{12,200}")
_KEYWORD = re.compile("comput|jarvis", re.IGNORECASE)


def calls(keyword: str, count: int, seed: int) -> Iterator[tuple[str, Clip]]:
    """A name and a clip for each call: three in five alone, three in ten before a command, one in ten after a word."""
    rng = np.random.default_rng(seed)
    for index in range(count):
        text = keyword
        if index % 10 in (1, 4, 7):
            text = f"{keyword}{', ' if rng.random() < 0.5 else ' '}{rng.choice(COMMANDS)}"
        elif index % 10 == 9:
            text = f"{rng.choice(BEFORE)} {keyword}"
        prosody = _next(rng, index)
        yield f"{index:03d}-{prosody.voice.replace(':', '-')}", voices.speak(text, prosody)


def talk(lines: list[str], minutes: float, seed: int) -> Iterator[tuple[str, Clip]]:
    """Lines in an order drawn, each by the next voice, until there are `minutes` of them."""
    rng = np.random.default_rng(seed)
    fit = [line for line in lines if _LINE.fullmatch(line) and not _KEYWORD.search(line)]
    spoken = 0.0
    for index, which in enumerate(rng.permutation(len(fit)).tolist()):
        if spoken >= 60.0 * minutes:
            return
        prosody = _next(rng, index)
        clip = voices.speak(fit[which], prosody)
        spoken += clip.size / voices.SAMPLE_RATE
        yield f"{index:04d}-{prosody.voice.replace(':', '-')}", clip


def _next(rng: np.random.Generator, index: int) -> voices.Prosody:
    """The voices in turn, 120 to 195 words a minute, pitch 35 to 65 where it can be set."""
    voice = voices.TEST_VOICES[index % len(voices.TEST_VOICES)]
    return voices.Prosody(voice, int(rng.integers(120, 196)), int(rng.integers(35, 66)))


def write(folder: Path, clips: Iterator[tuple[str, Clip]]) -> None:
    """Each clip as a WAV file; nothing is made again where the folder is already there."""
    if folder.is_dir():
        return
    part = folder.with_suffix(".part")
    part.mkdir(parents=True, exist_ok=True)
    seconds = 0.0
    for name, clip in clips:
        sf.write(part / f"{name}.wav", clip, voices.SAMPLE_RATE)
        seconds += clip.size / voices.SAMPLE_RATE
    part.rename(folder)
    print(f"{folder}: {seconds / 60.0:.1f} minutes", flush=True)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path(".cache/wake/strangers"))
    parser.add_argument("--calls", type=int, default=240, help="how often each word is called")
    parser.add_argument("--lines", type=Path, nargs="+", default=[], help="texts to speak, one utterance a line")
    parser.add_argument("--minutes", type=float, default=45.0, help="how much of them")
    options = parser.parse_args()
    for index, keyword in enumerate(phrases.KEYWORDS):
        write(options.out / keyword, calls(keyword, options.calls, 71 + index))
    if options.lines:
        lines = [line.strip() for path in options.lines for line in path.read_text(encoding="utf-8").splitlines()]
        write(options.out / "talk", talk(sorted(set(lines)), options.minutes, 81))


if __name__ == "__main__":
    main()
