"""How well the recogniser hears, and how the weights of its decision are fitted.

    python -m deploy.lab.recogniser.recognition [--snr 15] [--sentences 40] [--json FILE] [--fit]
    python -m deploy.lab.recogniser.recognition --recordings FOLDER...

espeak-ng's voices say commands (in grammar), preference statements and vague requests (for the trigram), and small talk (not
to be understood as a command), in the synthetic road noise of ``models.acoustics``. Synthetic voices are clearer and
more alike than drivers: these figures compare versions of the recogniser, they do not promise anything about people.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import soundfile as sf
import soxr
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from models.acoustics import active_level, mix_at_snr, road_noise
from models.commands.matcher import TemplateMatcher
from models.training import conversations, phrases
from models.training.voices import Prosody, speak
from schemas.events import FRAME, SAMPLE_RATE, Command, Samples
from voice.asr.pocketsphinx import FEATURES, Evidence, PocketSphinxRecognizer, features

BUILTIN = Path(__file__).parents[3] / "models" / "builtin" / "asr"

FIT_VOICES = (
    Prosody("en-us+f1", 150, 50), Prosody("en-us+m1", 140, 45), Prosody("en-us+m6", 160, 50), Prosody("en-gb+f2", 150, 50),
    Prosody("en-us+klatt2", 150, 50), Prosody("en-gb+m4", 145, 50), Prosody("en-us+f4", 150, 55), Prosody("en-us+m8", 135, 40),
)  # fmt: skip
"""Voices on which the decision's weights are fitted."""

TEST_VOICES = (
    Prosody("en-us", 140, 50), Prosody("en-us+f2", 140, 55), Prosody("en-us+f5", 150, 50), Prosody("en-us+m3", 150, 50),
    Prosody("en-us+m7", 150, 50), Prosody("en-us+m5", 165, 45), Prosody("en-gb", 145, 50), Prosody("en-gb-x-rp", 145, 50),
)  # fmt: skip
"""Voices on which it is measured: five that are heard well, and three that are not."""

LEVEL_DBFS = -20.0
"""Active level of speech at the microphone."""
BEFORE_S, AFTER_S = 0.3, 0.4
"""Sound without speech around an utterance: the loop's pre-roll, and the end of speech."""
NEAR_WORDS = 0.25
"""Share of words that may be wrong in a text that still counts as heard."""

FOREIGN = (
    "the purple elephant sang about the ocean", "my grandmother bakes bread every thursday morning",
    "did you hear what the minister said yesterday", "they painted the whole fence in one afternoon",
    "nobody believed the story about the missing painting", "he forgot his umbrella at the dentist again",
    "our neighbours are building a swimming pool", "i have to finish that report before friday",
    "the cat jumped onto the kitchen table", "she studied medicine for seven years",
    "we should really invite your cousin to dinner", "the match was cancelled because of the snow",
    "i think the teacher likes my drawing", "who ate the last piece of chocolate cake",
    "the bridge was built a hundred years ago", "let me tell you about my new colleague",
    "he said that he would call back later", "this shirt is too small for me now",
    "the doctor told him to drink more water", "are you coming to the party on saturday",
)  # fmt: skip
"""Sentences of no domain of ours, with words that the trigram does not know."""


CALLS = (
    "jarvis", "alexa", "michael", "sandwich", "elizabeth", "what", "hey you", "oh dear", "whatever", "really", "tomorrow",
    "my goodness", "banana", "christopher", "well then", "how odd", "seriously", "mister jones", "good grief", "hello there",
)  # fmt: skip
"""One or two words that ask for nothing: a grammar of short commands is most easily fooled by these."""


@dataclass(frozen=True, slots=True)
class Item:
    """Something to say: a command, or a sentence of the kind free, held_out, vague, small_talk, foreign or call."""

    kind: str
    text: str
    command: Command | None = None


@dataclass(frozen=True, slots=True)
class Heard:
    """What became of an item."""

    item: Item
    voice: str
    snr: float | None
    text: str
    grammar: str
    open: str
    confidence: float
    in_grammar: bool
    right: bool
    """The grammar's text is the item's command."""
    errors: float
    """Word errors of the final text over the words of the item."""
    open_errors: float
    evidence: Evidence | None
    audio_s: float
    feed_s: float
    finish_s: float


def items(matcher: TemplateMatcher, each: int, seed: int = 17) -> list[Item]:
    """Sentences to say, ``each`` of every kind (fewer where the kind has no more)."""
    chance = Random(seed)
    commands = matcher.templates.sample(np.random.default_rng(seed), each)
    found = [Item("command", text, command) for text, command in commands]
    free = {
        "free": [statement.text for statement in conversations.statements(chance, each)],
        "held_out": [statement.text for statement in conversations.statements(chance, each, held_out=True)],
        "vague": chance.sample(sorted({text for group in phrases.vague() for text in group.say}), each),
        "small_talk": [negative.text for negative in conversations.negatives(chance, each, held_out=True)],
        "foreign": list(FOREIGN[:each]),
        "call": list(CALLS[:each]),
    }
    for kind, texts in free.items():
        for text in texts:
            command = matcher.match(text)
            found.append(Item("command" if command else kind, text, command))
    return found


def sound(text: str, voice: Prosody, snr: float | None, rng: np.random.Generator) -> Samples:
    """The sentence at ``LEVEL_DBFS``, with noise around and under it (almost none for ``snr`` None)."""
    speech = speak(text, voice).astype(np.float32) / 32768.0
    speech *= 10.0 ** (LEVEL_DBFS / 20.0) / active_level(speech)
    padded = np.pad(speech, (round(BEFORE_S * SAMPLE_RATE), round(AFTER_S * SAMPLE_RATE)))
    if snr is None:
        mixed = padded + rng.standard_normal(padded.size).astype(np.float32) * 10.0 ** (-70.0 / 20.0)
    else:
        noise = road_noise(padded.size / SAMPLE_RATE + 0.1, rng, rng.uniform(50.0, 120.0), rng.uniform(1500.0, 3000.0))
        mixed = mix_at_snr(padded, noise, snr)
    return np.asarray(np.clip(mixed, -1.0, 1.0) * 32767.0, dtype=np.int16)


def listen(
    recognizer: Any, matcher: TemplateMatcher, said: Iterable[Item], voice: Prosody, snr: float | None, seed: int = 0
) -> Iterator[Heard]:
    """One drive: every item in turn with one voice, the recogniser keeping what it adapts to."""
    rng = np.random.default_rng(seed)
    for item in said:
        samples = sound(item.text, voice, snr, rng)
        begun = time.process_time()
        recognizer.start()
        for start in range(0, samples.size, FRAME):
            recognizer.feed(samples[start : start + FRAME])
        fed = time.process_time()
        transcript = recognizer.finish()
        done = time.process_time()
        grammar = transcript.grammar.text if transcript.grammar else transcript.text
        free = transcript.open.text if transcript.open else transcript.text
        yield Heard(
            item=item, voice=voice.voice, snr=snr, text=transcript.text, grammar=grammar, open=free,
            confidence=transcript.confidence, in_grammar=transcript.in_grammar,
            right=item.command is not None and matcher.match(grammar) == item.command,
            errors=word_errors(item.text, transcript.text), open_errors=word_errors(item.text, free),
            evidence=recognizer.evidence() if isinstance(recognizer, PocketSphinxRecognizer) else None,
            audio_s=samples.size / SAMPLE_RATE, feed_s=fed - begun, finish_s=done - fed,
        )  # fmt: skip


def recordings(folder: Path, most: int, longest_s: float = 6.0, seed: int = 5) -> Iterator[Samples]:
    """Some of a folder's sound files at 16 kHz, cut to ``longest_s``: people saying what is no command."""
    paths = sorted(path for path in folder.rglob("*") if path.suffix in {".flac", ".wav"})
    for path in Random(seed).sample(paths, min(most, len(paths))):
        sound_file, rate = sf.read(path, dtype="float32", always_2d=True)
        resampled = soxr.resample(sound_file[:, 0], rate, SAMPLE_RATE)[: round(longest_s * SAMPLE_RATE)]
        yield np.asarray(np.clip(resampled, -1.0, 1.0) * 32767.0, dtype=np.int16)


def mistaken(recognizer: Any, sounds: Iterable[Samples]) -> tuple[int, int]:
    """How many of the sounds are taken for a command, and how many there are."""
    accepted = count = 0
    for samples in sounds:
        recognizer.start()
        for start in range(0, samples.size, FRAME):
            recognizer.feed(samples[start : start + FRAME])
        accepted += recognizer.finish().in_grammar
        count += 1
    return accepted, count


def word_errors(said: str, heard: str) -> float:
    """Substitutions, deletions and insertions over the words said."""
    return Levenshtein.distance(said.split(), heard.split()) / max(1, len(said.split()))


def table(heard: Sequence[Heard]) -> dict[str, dict[str, float]]:
    """Figures by kind of sentence."""
    rows: dict[str, dict[str, float]] = {}
    for kind in dict.fromkeys(one.item.kind for one in heard):
        own = [one for one in heard if one.item.kind == kind]
        rows[kind] = {
            "n": len(own),
            "accepted right": _share(one.in_grammar and one.right for one in own),
            "accepted wrong": _share(one.in_grammar and not one.right for one in own),
            "not accepted": _share(not one.in_grammar for one in own),
            "word errors": float(np.mean([min(1.0, one.errors) for one in own])),
            "heard": _share(one.errors <= NEAR_WORDS for one in own),
            "exact": _share(one.errors == 0 for one in own),
        }
    return rows


def speed(heard: Sequence[Heard]) -> dict[str, float]:
    """What it costs: CPU seconds a second of sound, and milliseconds after the last sample."""
    finish = np.asarray([one.finish_s for one in heard]) * 1000.0
    return {
        "real time factor": sum(one.feed_s for one in heard) / sum(one.audio_s for one in heard),
        "finish ms p50": float(np.percentile(finish, 50)),
        "finish ms p95": float(np.percentile(finish, 95)),
        "finish ms max": float(finish.max()),
    }


def fitted(rows: NDArray[np.float64], labels: NDArray[np.bool_], ridge: float = 1.0) -> NDArray[np.float64]:
    """Weights of a logistic regression (Newton's method); the first belongs to a constant and is not shrunk."""
    inputs = np.hstack([np.ones((len(rows), 1)), rows])
    weights = np.zeros(inputs.shape[1])
    shrink = np.diag([0.0] + [ridge] * rows.shape[1])
    for _ in range(50):
        likely = 1.0 / (1.0 + np.exp(-inputs @ weights))
        slope = inputs.T @ (likely - labels) + shrink @ weights
        curve = (inputs * (likely * (1.0 - likely))[:, None]).T @ inputs + shrink
        weights -= np.linalg.solve(curve + 1e-9 * np.eye(len(weights)), slope)
    return weights


def fit(heard: Sequence[Heard]) -> dict[str, list[float]]:
    """Weights for ``ACCEPT`` and ``HEARD`` of ``voice.asr.pocketsphinx``."""
    parsed = [one for one in heard if one.evidence is not None and one.evidence.parses]
    said = [one for one in heard if one.evidence is not None and one.open]
    near = [one.open_errors <= NEAR_WORDS for one in said]
    return {
        "ACCEPT": fitted(_inputs(parsed), np.asarray([one.right for one in parsed])).round(2).tolist(),
        "HEARD": fitted(_inputs(said), np.asarray(near)).round(2).tolist(),
    }


def _inputs(heard: Sequence[Heard]) -> NDArray[np.float64]:
    return np.asarray([features(one.evidence) for one in heard if one.evidence is not None])


def _share(flags: Iterable[bool]) -> float:
    return float(np.mean(list(flags)))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="How well the recogniser hears.")
    parser.add_argument("--model", type=Path, default=BUILTIN)
    parser.add_argument("--snr", type=float, nargs="*", default=[15.0], help="decibels; 99 for hardly any noise")
    parser.add_argument("--sentences", type=int, default=40, help="of each kind")
    parser.add_argument("--voices", type=int, default=99, help="at most so many")
    parser.add_argument("--fit", action="store_true", help="listen to the other voices and print weights")
    parser.add_argument("--kinds", nargs="*", help="only these kinds of sentence")
    parser.add_argument(
        "--recordings", type=Path, nargs="*", default=[], help="folders of speech that holds no command"
    )
    parser.add_argument("--json", type=Path, help="write what was heard, line by line")
    chosen = parser.parse_args()

    matcher = TemplateMatcher()
    for folder in chosen.recordings:
        accepted, count = mistaken(PocketSphinxRecognizer(chosen.model, matcher), recordings(folder, chosen.sentences))
        print(f"{folder.name}: {accepted} of {count} recordings taken for a command", flush=True)
    if chosen.recordings:
        return
    heard: list[Heard] = []
    said = items(matcher, chosen.sentences, seed=23 if chosen.fit else 17)
    said = [item for item in said if not chosen.kinds or item.kind in chosen.kinds]
    for voice in (FIT_VOICES if chosen.fit else TEST_VOICES)[: chosen.voices]:
        for snr in chosen.snr:
            level = None if snr >= 99 else snr
            recognizer = PocketSphinxRecognizer(chosen.model, matcher)
            own = [replace(one, snr=level) for one in listen(recognizer, matcher, said, voice, level)]
            heard += own
            for kind, row in list(table(own).items())[:1]:
                print(f"{voice.voice:14} {snr:4.0f} dB  {kind}: accepted {row['accepted right']:.2f} right, "
                      f"{row['accepted wrong']:.2f} wrong", flush=True)  # fmt: skip
    print()
    columns = list(next(iter(table(heard).values())))
    print(" " * 12 + "".join(f"{column:>16}" for column in columns))
    for kind, row in table(heard).items():
        print(f"{kind:12}" + "".join(f"{row[column]:16.3f}" for column in columns))
    print("  ".join(f"{name} {value:.3f}" for name, value in speed(heard).items()))
    if chosen.fit:
        print(f"features: constant, {', '.join(FEATURES)}")
        print("\n".join(f"{name} = {weights}" for name, weights in fit(heard).items()))
    if chosen.json:
        lines = (json.dumps({**asdict(one), "item": asdict(one.item) | {"command": None}}) for one in heard)
        chosen.json.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
