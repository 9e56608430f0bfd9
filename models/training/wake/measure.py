"""Measure a wake word: misses by noise and level against false accepts an hour, on clips it was not trained on.

    python -m models.training.wake.measure --data ../shared/data/wake --model models/builtin/wake/computer.onnx

With `--choose` the threshold and the lag are chosen on the dev part first and written into the model file. Owns: the test
conditions and the counting. Does not own the network's streaming, which is the device's own (`models.runtime.keyword`).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray

from models.runtime.keyword import KeywordNetwork, Scores
from models.training import acoustics
from models.training.wake import corpus, phrases, voices
from models.training.wake.corpus import Clip, Part, Spoken, cached, cached_clips

Floats = NDArray[np.float32]

RATE = 16_000
REFRACTORY = 2.0
"""Seconds; the default of the wake word engine."""
EARLY, LATE = 0.25, 0.60
"""A hit must come within this many seconds before and after the keyword's end."""
CURVE = (0.30, 0.50, 0.70, 0.80, 0.85, 0.90, 0.93, 0.95, 0.97, 0.98, 0.99)
TARGET_PER_HOUR = 0.5

RECORDED, TALK, ALONE = "recorded speech", "synthetic small talk", "noise alone"

DEMO_VOICES = ("en-us", "en-us+f2", "en-gb+m3", "en-us+f4", "en-gb-x-rp")


@dataclass(frozen=True)
class Condition:
    """Noise and its level under the speech; None for the clip as it is (plus a noise floor at -70 dBFS)."""

    noise: str
    snr_db: float | None

    def __str__(self) -> str:
        return "clean" if self.snr_db is None else f"{self.noise} {self.snr_db:.0f} dB"


CLEAN = Condition("none", None)
CONDITIONS = (
    CLEAN,
    *(Condition("road", snr) for snr in (20.0, 15.0, 10.0, 5.0)),
    *(Condition("kitchen", snr) for snr in (20.0, 15.0, 10.0, 5.0)),
)
NEGATIVE_CONDITIONS = (CLEAN, Condition("road", 15.0), Condition("road", 5.0))


class Noises:
    """Noise of a kind, cut at random places: synthetic road, two minutes of recorded kitchen."""

    def __init__(self, data: Path, seed: int, minutes: float = 10.0) -> None:
        """Prepare `minutes` of road noise at 30 to 130 km/h, and the kitchen of the folder beside `data`."""
        self._rng = np.random.default_rng(seed)
        speeds = (30.0, 50.0, 70.0, 90.0, 110.0, 130.0)
        road = [acoustics.road_noise(minutes * 2.0, self._rng, speed, 900.0 + 18.0 * speed) for speed in speeds * 5]
        kitchen = corpus.read(data.parent / "noise" / "kitchen.flac").astype(np.float32) / 32768.0
        self._pools: dict[str, Floats] = {"road": np.concatenate(road), "kitchen": kitchen}

    def cut(self, kind: str, count: int) -> Floats:
        """`count` samples; a pool that is too short is repeated."""
        pool = self._pools[kind]
        place = int(self._rng.integers(0, pool.size))
        return np.take(pool, np.arange(place, place + count), mode="wrap")

    def under(self, speech: Floats, level: float, condition: Condition) -> Clip:
        """`speech` in the noise of `condition`, `level` being what the ratio refers to."""
        mixed = speech + np.float32(10.0**-3.5) * self._rng.standard_normal(speech.size, np.float32)
        if condition.snr_db is not None:
            noise = self.cut(condition.noise, speech.size)
            mixed = mixed + np.float32(acoustics.noise_gain(level, noise, condition.snr_db)) * noise
        peak = float(np.abs(mixed).max())
        return np.asarray(mixed * (min(1.0, 0.99 / peak) * 32767.0), dtype=np.int16)


def keyword_scores(
    network: KeywordNetwork,
    items: Iterable[Spoken],
    noises: Noises,
    condition: Condition,
    *,
    draws: int,
    threshold: float,
) -> tuple[Floats, list[float]]:
    """How well each keyword was heard, with `draws` noises a clip.

    Returns:
        The best score around each keyword's end; and for those that reached `threshold`, the seconds from the end of the
        keyword to the first score that did.
    """
    best: list[float] = []
    late: list[float] = []
    for item in items:
        clip = item.samples.astype(np.float32) / 32768.0
        speech = np.concatenate([np.zeros(2 * RATE, np.float32), clip, np.zeros(RATE, np.float32)])
        level = acoustics.active_level(clip[item.start : item.end])
        for _ in range(draws):
            network.reset()
            scores = network.process(noises.under(speech, level, condition))
            after = (scores.positions - (2 * RATE + item.end)) / RATE
            near = (after >= -EARLY) & (after <= LATE)
            best.append(float(scores.values[near].max()))
            late.extend(after[near & (scores.values >= threshold)][:1].tolist())
    return np.asarray(best, np.float32), late


def stream_scores(network: KeywordNetwork, clips: list[Clip], noises: Noises, condition: Condition) -> Scores:
    """Scores over all clips as one stream, half a second of quiet between them."""
    network.reset()
    values: list[Floats] = []
    positions: list[NDArray[np.int64]] = []
    for clip in clips:
        speech = np.pad(clip.astype(np.float32) / 32768.0, (0, RATE // 2))
        scores = network.process(noises.under(speech, acoustics.active_level(speech), condition))
        values.append(scores.values)
        positions.append(scores.positions)
    return Scores(np.concatenate(values), np.concatenate(positions))


def accepts(scores: Scores, threshold: float) -> int:
    """Detections in a stream at `threshold`, the refractory period kept."""
    count, deaf_until = 0, -1
    for position in scores.positions[scores.values >= threshold].tolist():
        if position >= deaf_until:
            count += 1
            deaf_until = position + round(REFRACTORY * RATE)
    return count


def hours(clips: list[Clip]) -> float:
    """Their length as `stream_scores` plays them."""
    return sum(clip.size + RATE // 2 for clip in clips) / RATE / 3600.0


def misses(best: Floats, threshold: float) -> float:
    """Share of keywords under the threshold."""
    return float(np.mean(best < threshold))


def negatives(data: Path, cache: Path, part: Part) -> dict[str, list[Clip]]:
    """Speech without the keyword: recorded, synthetic small talk, and what was written to sound like it (told apart)."""
    dev = part == "dev"
    variants = voices.TRAIN_VARIANTS if dev else voices.HELD_OUT_VARIANTS
    half = slice(0 if dev else 1, None, 2)
    talk, said = phrases.SMALL_TALK[half], phrases.NEAR_SENTENCES[half]
    make = corpus.synthetic_speech
    return {
        RECORDED: corpus.negative_recordings(data, part),
        TALK: cached_clips(cache, f"talk-{part}", lambda: make(talk, 400 if dev else 800, 11 + dev, variants)),
        "sentences near the keyword": cached_clips(cache, f"said-{part}", lambda: make(said, 200, 15 + dev, variants)),
        "words near the keyword": cached_clips(
            cache, f"near-{part}", lambda: make(phrases.NEAR_WORDS, 400, 13 + dev, variants)
        ),
    }


def demo_keywords() -> list[Spoken]:
    """The voices of the demonstration drive, each alone and with a command straight after."""
    rng = np.random.default_rng(21)
    spoken: list[Spoken] = []
    for voice in DEMO_VOICES:
        for index in range(10):
            prosody = voices.Prosody(voice, int(rng.integers(130, 181)), int(rng.integers(30, 81)))
            alone = voices.speak(phrases.KEYWORD, prosody)
            if index % 2:
                clip = voices.speak(f"{phrases.KEYWORD} {phrases.AFTER_KEYWORD[index]}", prosody)
                spoken.append(Spoken(clip, 0, min(clip.size, round(0.9 * alone.size))))
            else:
                spoken.append(Spoken(alone, 0, alone.size))
    return spoken


def followed(items: list[Spoken], others: list[Clip], seed: int) -> list[Spoken]:
    """Each keyword cut off at its end, and another speaker's words from there on, at the same level, without a gap."""
    rng = np.random.default_rng(seed)
    spoken: list[Spoken] = []
    for item in items:
        other = others[int(rng.integers(len(others)))]
        start, end = corpus.keyword_bounds(other)
        words = other[start : max(end, start + RATE)].astype(np.float32)
        level = acoustics.active_level(item.samples[item.start : item.end].astype(np.float32))
        words *= np.float32(level / acoustics.active_level(words))
        after = np.clip(words, -32768.0, 32767.0).astype(np.int16)
        spoken.append(Spoken(np.concatenate([item.samples[: item.end], after]), item.start, item.end))
    return spoken


def choose(network: KeywordNetwork, data: Path, cache: Path) -> tuple[float, int]:
    """Threshold and lag from the dev part.

    The threshold is the lowest from 0.5 on with at most `TARGET_PER_HOUR` false accepts an hour over the dev speech, played
    in all conditions with three noises each; the lag is the median time from the keyword's end to the first score that
    reaches it, in road noise at 15 dB.
    """
    noises = Noises(data, 31)
    speech = negatives(data, cache, "dev")
    common = speech[RECORDED] + speech[TALK]
    streams = [stream_scores(network, common, noises, condition) for condition in NEGATIVE_CONDITIONS * 3]
    length = hours(common) * len(streams)
    grid = [*np.arange(0.50, 0.95, 0.01).tolist(), *np.arange(0.95, 0.999, 0.002).tolist()]
    passing = [t for t in grid if sum(accepts(stream, t) for stream in streams) <= TARGET_PER_HOUR * length]
    threshold = round(passing[0] if passing else grid[-1], 3)
    real = corpus.keyword_recordings(data, "dev")
    _, late = keyword_scores(network, real, noises, Condition("road", 15.0), draws=4, threshold=threshold)
    lag = max(0, round(float(np.median(late)) * RATE)) if late else 0
    print(f"dev: {length:.2f} h of speech, threshold {threshold}, lag {lag / RATE * 1000:.0f} ms")
    return threshold, lag


def report(network: KeywordNetwork, data: Path, cache: Path, part: Part, threshold: float) -> None:
    """Print the tables of the model card."""
    noises = Noises(data, 41)
    best = report_misses(network, noises, keyword_sets(data, cache, part), threshold)
    streams = played_negatives(network, noises, negatives(data, cache, part))
    print(f"\nFalse accepts at threshold {threshold:.3f} (speech clean, and in road noise at 15 and 5 dB)\n")
    print("| what | hours played | false accepts | an hour |\n|---|---|---|---|")
    for name, (length, scores) in streams.items():
        count = sum(accepts(item, threshold) for item in scores)
        print(f"| {name} | {length:.2f} | {count} | {count / length:.2f} |")
    common = [streams[name] for name in (RECORDED, TALK, ALONE)]
    length = sum(item[0] for item in common)
    print(f"\nMisses of recorded speakers against false accepts over {length:.2f} h ({RECORDED}, {TALK}, {ALONE})\n")
    columns = ("clean", "road 15 dB", "road 10 dB", "road 5 dB", "kitchen 10 dB")
    print(f"| threshold | false accepts | an hour | {' | '.join(columns)} |\n|---|---|---|{'---|' * len(columns)}")
    for level in CURVE:
        count = sum(accepts(item, level) for _, scores in common for item in scores)
        cells = [f"{100.0 * misses(best[column], level):.1f} %" for column in columns]
        print(f"| {level:.2f} | {count} | {count / length:.2f} | {' | '.join(cells)} |")


def keyword_sets(data: Path, cache: Path, part: Part) -> dict[str, tuple[list[Spoken], int]]:
    """What must be heard, by a column's title, and with how many noises each; recorded speakers come first."""
    real = corpus.keyword_recordings(data, part)
    variants = voices.TRAIN_VARIANTS if part == "dev" else voices.HELD_OUT_VARIANTS
    synthetic = cached(cache, f"keywords-{part}", lambda: corpus.synthetic_keywords(150, 51, variants))
    demo = cached(cache, "keywords-demo", demo_keywords)
    return {
        f"recorded, {len(real)} speakers x 4": (real, 4),
        "the same x 2, speech straight after": (followed(real, corpus.negative_recordings(data, part), 61), 2),
        f"synthetic, {len(synthetic)}": (synthetic, 1),
        f"demo voices, {len(demo)} x 2": (demo, 2),
    }


def report_misses(
    network: KeywordNetwork, noises: Noises, sets: dict[str, tuple[list[Spoken], int]], threshold: float
) -> dict[str, Floats]:
    """Print misses and delays; the best scores of the first set, by condition."""
    print(f"\nMisses at threshold {threshold:.3f}\n\n| condition | {' | '.join(sets)} |\n|---|{'---|' * len(sets)}")
    first: dict[str, Floats] = {}
    delays: dict[str, list[float]] = {}
    for condition in CONDITIONS:
        cells: list[str] = []
        for name, (items, draws) in sets.items():
            best, late = keyword_scores(network, items, noises, condition, draws=draws, threshold=threshold)
            first.setdefault(str(condition), best)
            if str(condition) == "road 15 dB":
                delays[name] = late
            cells.append(f"{100.0 * misses(best, threshold):.1f} %")
        print(f"| {condition} | {' | '.join(cells)} |", flush=True)
    print("\nFrom the keyword's end to the score that reaches the threshold, road 15 dB:\n")
    for name, late in delays.items():
        middle, most = (1000.0 * float(value) for value in np.percentile(late, [50, 95]))
        print(f"- {name}: median {middle:.0f} ms, 95 % within {most:.0f} ms")
    return first


def played_negatives(
    network: KeywordNetwork, noises: Noises, speech: dict[str, list[Clip]]
) -> dict[str, tuple[float, list[Scores]]]:
    """Hours and scores of everything that must not be taken for the keyword, noise alone included."""
    streams: dict[str, tuple[float, list[Scores]]] = {}
    for name, clips in speech.items():
        scores = [stream_scores(network, clips, noises, condition) for condition in NEGATIVE_CONDITIONS]
        streams[name] = (hours(clips) * len(scores), scores)
    alone = [noises.cut("road", RATE * 600), noises.cut("kitchen", RATE * 120)]
    network.reset()
    quiet = [network.process((clip * (3277.0 / float(np.abs(clip).max()))).astype(np.int16)) for clip in alone]
    streams[ALONE] = (sum(clip.size for clip in alone) / RATE / 3600.0, quiet)
    return streams


def cost(network: KeywordNetwork) -> float:
    """CPU milliseconds for a second of audio in chunks of 512 samples."""
    noise = (acoustics.road_noise(60.0, np.random.default_rng(1)) * 32767.0).astype(np.int16)
    network.reset()
    started = time.process_time()
    for start in range(0, noise.size, 512):
        network.process(noise[start : start + 512])
    return (time.process_time() - started) / 60.0 * 1000.0


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=Path, default=Path("../shared/data/wake"), help="folder of recordings by keyword"
    )
    parser.add_argument("--model", type=Path, default=Path("models/builtin/wake") / f"{phrases.KEYWORD}.onnx")
    parser.add_argument("--cache", type=Path, default=Path(".cache/wake"), help="synthetic speech is kept here")
    parser.add_argument("--part", choices=("dev", "test"), default="test")
    parser.add_argument(
        "--choose", action="store_true", help="choose the threshold on the dev part and write it to the model"
    )
    options = parser.parse_args()
    network = KeywordNetwork(options.model)
    if options.choose:
        threshold, lag = choose(network, options.data, options.cache)
        stamp(options.model, {"threshold": f"{threshold:.3f}", "lag_samples": str(lag)})
        network = KeywordNetwork(options.model)
    print(f"{cost(network):.1f} ms CPU for a second of audio, chunks of 512 samples")
    report(network, options.data, options.cache, options.part, float(network.metadata["threshold"]))


def stamp(path: Path, values: dict[str, str]) -> None:
    """Write `values` into the model file's metadata, replacing what was there under the same names."""
    model = onnx.load(str(path))
    kept = {entry.key: entry.value for entry in model.metadata_props}
    onnx.helper.set_model_props(model, {**kept, **values})
    onnx.save(model, str(path))


if __name__ == "__main__":
    main()
