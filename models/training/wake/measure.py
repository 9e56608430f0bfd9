"""Measure a wake word: misses by noise and level against false accepts an hour, on clips it was not trained on.

    python -m models.training.wake.measure --keyword computer --data ../shared/data/wake

With `--choose` the threshold and the lag are chosen on the dev part first and written into the model file. Owns: the test
sets and the tables of the model card. Does not own the counting (`listening`) nor the network's streaming, which is the
device's own (`models.runtime.keyword`).
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
from models.training.wake import corpus, listening, phrases, voices
from models.training.wake.corpus import Clip, Part, Spoken, cached, cached_clips
from models.training.wake.listening import RATE, Condition, Floats, Pool, accepts, misses

CURVE = (0.30, 0.50, 0.70, 0.80, 0.85, 0.90, 0.93, 0.95, 0.97, 0.98, 0.99)
TARGET_PER_HOUR = 0.6
"""False accepts an hour of dev speech at the chosen threshold: the limit is one, the rest is margin for other recordings. A
stricter target is decided by a single dev clip: 0.5 would ask for .93 (computer) and .98 (jarvis) instead of .90, where a
fifth of the calls with a command in the same breath are lost ("jarvis")."""

RECORDED, TALK, ALONE = "recorded speech", "synthetic small talk", "noise alone"

DEMO_VOICES = ("en-us", "en-us+f2", "en-gb+m3", "en-us+f4", "en-gb-x-rp")
CONDITIONS = (
    Condition("none", None),
    *(Condition("road", snr) for snr in (20.0, 15.0, 10.0, 5.0)),
    *(Condition("kitchen", snr) for snr in (20.0, 15.0, 10.0, 5.0)),
)
NEGATIVE_CONDITIONS = (Condition("none", None), Condition("road", 15.0), Condition("road", 5.0))


@dataclass(frozen=True)
class Heard:
    """The best score around each keyword's end, and the seconds from the end to the first score at the threshold."""

    best: Floats
    late: list[float]


class Bench:
    """A network and the noises it is tried in."""

    def __init__(self, network: KeywordNetwork, data: Path, seed: int) -> None:
        """Prepare ten minutes of road noise, and the kitchen of the folder beside `data`."""
        self._network, self._rng = network, np.random.default_rng(seed)
        kitchen = corpus.read(data.parent / "noise" / "kitchen.flac").astype(np.float32) / np.float32(32768.0)
        self.pools = {
            "road": Pool(listening.road(10.0, self._rng), self._rng),
            "kitchen": Pool(kitchen, self._rng),
        }

    def hear(self, items: Iterable[Spoken], condition: Condition, *, draws: int, threshold: float) -> Heard:
        """Each item `draws` times, each time in other noise."""
        best: list[float] = []
        late: list[float] = []
        for item in items:
            for _ in range(draws):
                pool = self.pools.get(condition.noise)
                self._network.reset()
                scores = self._network.process(listening.embedded(item, pool, condition.snr_db, self._rng))
                near, after = listening.near_end(item, scores.positions)
                best.append(float(scores.values[near].max()))
                late.extend(after[near & (scores.values >= threshold)][:1].tolist())
        return Heard(np.asarray(best, np.float32), late)

    def stream(self, clips: list[Clip], condition: Condition) -> Scores:
        """Scores over all clips as one stream, half a second of quiet between them."""
        self._network.reset()
        parts: list[Scores] = []
        for clip in clips:
            speech = np.pad(clip.astype(np.float32) / np.float32(32768.0), (0, listening.PAUSE))
            level = acoustics.active_level(speech)
            noisy = listening.under(speech, level, self.pools.get(condition.noise), condition.snr_db, self._rng)
            parts.append(self._network.process(noisy))
        return Scores(
            np.concatenate([part.values for part in parts]), np.concatenate([part.positions for part in parts])
        )

    def alone(self) -> tuple[float, list[Scores]]:
        """Hours and scores of ten minutes of road and two of kitchen, loud."""
        clips = [self.pools["road"].cut(RATE * 600), self.pools["kitchen"].cut(RATE * 120)]
        scores: list[Scores] = []
        for clip in clips:
            self._network.reset()
            scores.append(self._network.process((clip * (3277.0 / float(np.abs(clip).max()))).astype(np.int16)))
        return sum(clip.size for clip in clips) / RATE / 3600.0, scores


def hours(clips: list[Clip]) -> float:
    """Their length as `Bench.stream` plays them."""
    return sum(clip.size + listening.PAUSE for clip in clips) / RATE / 3600.0


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


def negatives(data: Path, cache: Path, keyword: str, part: Part) -> dict[str, list[Clip]]:
    """Speech without the keyword: recorded, synthetic small talk, and what was written to sound like it (told apart)."""
    dev = part == "dev"
    variants = voices.TRAIN_VARIANTS if dev else voices.HELD_OUT_VARIANTS
    half = slice(0 if dev else 1, None, 2)
    talk, said = phrases.SMALL_TALK[half], phrases.NEAR_SENTENCES[keyword][half]
    near, unseen = phrases.NEAR_WORDS[keyword], corpus.near_measured(keyword)
    make = corpus.synthetic_speech
    return {
        RECORDED: corpus.other_recordings(data, keyword, part),
        TALK: cached_clips(cache, f"talk-{part}", lambda: make(talk, 400 if dev else 800, 11 + dev, variants)),
        "sentences near the keyword": cached_clips(
            cache, f"said-{keyword}-{part}", lambda: make(said, 200, 15 + dev, variants)
        ),
        "words near the keyword": cached_clips(
            cache, f"words-{keyword}-{part}", lambda: make(near, 300, 13 + dev, variants)
        ),
        "near words never trained on": cached_clips(
            cache, f"unseen-{keyword}-{part}", lambda: make(unseen, 300, 17 + dev, variants)
        ),
    }


def demo_keywords(keyword: str) -> list[Spoken]:
    """The voices of the demonstration drive, each alone and with a command straight after."""
    rng = np.random.default_rng(21)
    spoken: list[Spoken] = []
    for voice in DEMO_VOICES:
        for index in range(10):
            prosody = voices.Prosody(voice, int(rng.integers(130, 181)), int(rng.integers(30, 81)))
            alone = voices.speak(keyword, prosody)
            if index % 2:
                clip = voices.speak(f"{keyword} {phrases.AFTER_KEYWORD[index]}", prosody)
                spoken.append(Spoken(clip, 0, min(clip.size, round(0.9 * alone.size))))
            else:
                spoken.append(Spoken(alone, 0, alone.size))
    return spoken


def keyword_sets(data: Path, cache: Path, keyword: str, part: Part) -> dict[str, tuple[list[Spoken], int]]:
    """What must be heard, by a column's title, and with how many noises each; recorded speakers come first.

    Clips that are copies of a training take stand apart: hearing those again says nothing about new speakers.
    """
    known = corpus.keyword_recordings(data, keyword, "train")
    every = corpus.keyword_recordings(data, keyword, part)
    real = listening.unseen(every, known)
    copies = [item for item in every if not any(item is other for other in real)]
    variants = voices.TRAIN_VARIANTS if part == "dev" else voices.HELD_OUT_VARIANTS
    synthetic = cached(
        cache, f"keywords-{keyword}-{part}", lambda: corpus.synthetic_keywords(keyword, 150, 51, variants)
    )
    demo = cached(cache, f"keywords-{keyword}-demo", lambda: demo_keywords(keyword))
    return {
        f"recorded, {len(real)} clips x 4": (real, 4),
        "the same x 2, speech straight after": (followed(real, corpus.other_recordings(data, keyword, part), 61), 2),
        f"synthetic, {len(synthetic)}": (synthetic, 1),
        f"demo voices, {len(demo)} x 2": (demo, 2),
        f"copies of training takes, {len(copies)} x 4": (copies, 4),
    }


def choose(network: KeywordNetwork, data: Path, cache: Path) -> tuple[float, int]:
    """Threshold and lag from the dev part.

    The threshold is the lowest from 0.5 on with at most `TARGET_PER_HOUR` false accepts an hour over the dev speech, played
    in all conditions with three noises each; the lag is the median time from the keyword's end to the first score that
    reaches it, in road noise at 15 dB.
    """
    keyword = network.metadata["keyword"]
    bench = Bench(network, data, 31)
    speech = negatives(data, cache, keyword, "dev")
    common = speech[RECORDED] + speech[TALK]
    streams = [bench.stream(common, condition) for condition in NEGATIVE_CONDITIONS * 3]
    length = hours(common) * len(streams)
    grid = [*np.arange(0.50, 0.95, 0.01).tolist(), *np.arange(0.95, 0.999, 0.002).tolist()]
    counts = [sum(accepts(stream, level) for stream in streams) for level in grid]
    passing = [level for level, count in zip(grid, counts, strict=True) if count <= TARGET_PER_HOUR * length]
    threshold = round(passing[0] if passing else grid[-1], 3)
    real = corpus.keyword_recordings(data, keyword, "dev")
    heard = bench.hear(real, Condition("road", 15.0), draws=4, threshold=threshold)
    lag = max(0, round(float(np.median(heard.late)) * RATE)) if heard.late else 0
    print(f"dev: {length:.2f} h of speech, threshold {threshold}, lag {lag / RATE * 1000:.0f} ms")
    for level, count in list(zip(grid, counts, strict=True))[::5]:
        print(f"  {level:.3f}: {count / length:.2f} false accepts an hour")
    return threshold, lag


def report(network: KeywordNetwork, data: Path, cache: Path, part: Part, threshold: float) -> None:
    """Print the tables of the model card."""
    keyword = network.metadata["keyword"]
    bench = Bench(network, data, 41)
    sets = keyword_sets(data, cache, keyword, part)
    best = report_misses(bench, sets, threshold)
    report_thirds(next(iter(sets.values())), corpus.keyword_recordings(data, keyword, "train"), best, threshold)
    streams = played_negatives(bench, negatives(data, cache, keyword, part))
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


def report_misses(bench: Bench, sets: dict[str, tuple[list[Spoken], int]], threshold: float) -> dict[str, Floats]:
    """Print misses and delays; the best scores of the first set, by condition."""
    print(f"\nMisses at threshold {threshold:.3f}\n\n| condition | {' | '.join(sets)} |\n|---|{'---|' * len(sets)}")
    first: dict[str, Floats] = {}
    delays: dict[str, list[float]] = {}
    for condition in CONDITIONS:
        cells: list[str] = []
        for name, (items, draws) in sets.items():
            heard = bench.hear(items, condition, draws=draws, threshold=threshold)
            first.setdefault(str(condition), heard.best)
            if str(condition) == "road 15 dB":
                delays[name] = heard.late
            cells.append(f"{100.0 * misses(heard.best, threshold):.1f} %")
        print(f"| {condition} | {' | '.join(cells)} |", flush=True)
    print("\nFrom the keyword's end to the score that reaches the threshold, road 15 dB:\n")
    for name, late in delays.items():
        middle, most = (1000.0 * float(value) for value in np.percentile(late, [50, 95]))
        print(f"- {name}: median {middle:.0f} ms, 95 % within {most:.0f} ms")
    return first


def report_thirds(
    recorded: tuple[list[Spoken], int], known: list[Spoken], best: dict[str, Floats], threshold: float
) -> None:
    """Print misses of the clips nearest to a training clip, farthest from one, and between."""
    items, draws = recorded
    third: NDArray[np.int64] = np.repeat(listening.thirds(items, known), draws)
    columns = ("clean", "road 10 dB", "road 5 dB", "kitchen 10 dB")
    print(f"\nMisses by acoustic distance from the training clips\n\n| third | {' | '.join(columns)} |")
    print(f"|---|{'---|' * len(columns)}")
    for index, name in enumerate(listening.THIRDS):
        cells = [f"{100.0 * misses(best[column][third == index], threshold):.1f} %" for column in columns]
        print(f"| {name} | {' | '.join(cells)} |")


def played_negatives(bench: Bench, speech: dict[str, list[Clip]]) -> dict[str, tuple[float, list[Scores]]]:
    """Hours and scores of everything that must not be taken for the keyword, noise alone included."""
    streams: dict[str, tuple[float, list[Scores]]] = {}
    for name, clips in speech.items():
        scores = [bench.stream(clips, condition) for condition in NEGATIVE_CONDITIONS]
        streams[name] = (hours(clips) * len(scores), scores)
    streams[ALONE] = bench.alone()
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
    parser.add_argument("--keyword", choices=phrases.KEYWORDS, default=phrases.KEYWORDS[0])
    parser.add_argument("--model", type=Path, help="default: the built-in one of the keyword")
    parser.add_argument("--cache", type=Path, default=Path(".cache/wake"), help="synthetic speech is kept here")
    parser.add_argument("--part", choices=("dev", "test"), default="test")
    parser.add_argument(
        "--choose", action="store_true", help="choose the threshold on the dev part and write it to the model"
    )
    options = parser.parse_args()
    path = options.model or Path("models/builtin/wake") / f"{options.keyword}.onnx"
    network = KeywordNetwork(path)
    if options.choose:
        threshold, lag = choose(network, options.data, options.cache)
        stamp(path, {"threshold": f"{threshold:.3f}", "lag_samples": str(lag)})
        network = KeywordNetwork(path)
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
