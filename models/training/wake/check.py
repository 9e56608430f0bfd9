"""Train the check, the network that is asked when the first has fired: where that fires -> stretches of features -> a file a word.

    python -m models.training.wake.check --data ../shared/data/wake --out models/builtin/wake

It begins as the first network and learns to tell apart what made that one fire: the word in many voices and noises, and
ordinary talk and near words in which it is not said. The car takes the mean of both networks' logits; training that mean instead of
the check alone heard strangers worse (docs/log.md). Owns: finding the stretches, the loop. Does not own scenes and voices.
The result is a function of the seed, the steps, the data and the versions of PyTorch and the synthesisers.
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from models import acoustics
from models.runtime import keyword, mel
from models.training.wake import noises
from models.training.wake.corpus import Clip
from models.training.wake.measure import stamp
from models.training.wake.network import KeywordNet, export, load, parameters
from models.training.wake.scenes import Bank, Scenes
from models.training.wake.train import WORDS, features_of, load_bank, masked
from models.training.wake.words import phrases

FIRES = 0.3
"""Score of the first network from which on the check is asked: in road noise at 10 dB 2 of 210 calls by voices that nothing was
trained on stay under it, in quiet 4 (docs/log.md)."""
FIRED = 0.12
"""Score of the first network from which on a stretch is learnt from: its fires and near-fires."""
SLACK = 12
"""Frames that are kept beyond what the check will be given, to cut it from elsewhere each time."""
FRAMES = keyword.FIELD + keyword.SPAN + SLACK
BATCH = 96
RATE = 6e-4
OURS = len(phrases.KEYWORDS)
_LINE = 1_000_000
"""Samples of talk that are searched at once."""


@dataclass
class Stretches:
    """What the first network fired at: features (n, FRAMES, 40), the word (n,) and whether it was said (n,)."""

    features: NDArray[np.float32]
    words: NDArray[np.int64]
    said: NDArray[np.bool_]


def from_scenes(net: KeywordNet, bank: Bank, batches: int, seed: int) -> Stretches:
    """What fires in scenes: most of the keywords there, and near words, fragments and talk."""
    rng = np.random.default_rng(seed)
    scenes = Scenes(bank, seed, 40)
    banks = [mel.mel_bank(float(warp)) for warp in np.linspace(0.86, 1.16, 9)]
    parts: list[Stretches] = []
    for _ in range(batches):
        samples, labels = scenes.batch(64, rng)
        parts.append(fired(net, features_of(samples, banks, rng), labels))
    return joined(parts)


def from_talk(net: KeywordNet, clips: list[Clip], rounds: int, seed: int) -> Stretches:
    """What fires in clips that hold no keyword: each played `rounds` times, in another noise, level, order and vocal tract."""
    rng = np.random.default_rng(seed)
    banks = [mel.mel_bank(float(warp)) for warp in np.linspace(0.88, 1.14, 9)]
    road, music = noises.road(60.0, rng), noises.music(30.0, rng)
    parts: list[Stretches] = []
    for _ in range(rounds):
        line: list[NDArray[np.float32]] = []
        for index in rng.permutation(len(clips)).tolist():
            clip = clips[index].astype(np.float32)
            level = acoustics.active_level(clip)
            gap = int(rng.exponential(2000.0))
            line.append(np.pad(clip * np.float32(0.1 / max(level, 1.0)), (0, gap)))
            if sum(piece.size for piece in line) >= _LINE:
                parts.append(_search(net, np.concatenate(line), (road, music), banks, rng))
                line = []
    return joined(parts)


def _search(
    net: KeywordNet,
    speech: NDArray[np.float32],
    pools: tuple[NDArray[np.float32], ...],
    banks: list[NDArray[np.float32]],
    rng: np.random.Generator,
) -> Stretches:
    hiss = np.float32(10.0 ** rng.uniform(-3.8, -2.4)) * rng.standard_normal(speech.size, np.float32)
    speech = np.asarray(speech + hiss, np.float32)
    if rng.random() < 0.6:
        pool = pools[0] if rng.random() < 0.75 else pools[1]
        noise = np.take(pool, np.arange(speech.size) + int(rng.integers(pool.size)), mode="wrap")
        speech += np.float32(acoustics.noise_gain(0.1, noise, rng.uniform(3.0, 22.0))) * noise
    speech *= np.float32(10.0 ** (rng.uniform(-30.0, 8.0) / 20.0))
    features = features_of(np.clip(speech, -1.0, 1.0)[None], banks, rng)
    return fired(net, features, np.zeros((1, WORDS, keyword.outputs_of(features.shape[1])), np.float32))


def fired(net: nn.Module, features: Tensor, labels: NDArray[np.float32]) -> Stretches:
    """Where `net` fires in `features` (batch, frames, 40); `labels` (batch, words, outputs) tell what was said there."""
    with torch.no_grad():
        scores = torch.sigmoid(net(features))[:, :OURS]
        smooth = functional.avg_pool1d(scores, keyword.SMOOTHING, 1)
        best = functional.max_pool1d(smooth, 11, 1, 5)
        peaks = torch.nonzero((smooth == best) & (smooth >= FIRED))
    found: list[NDArray[np.float32]] = []
    words: list[int] = []
    said: list[bool] = []
    for row, word, place in peaks.tolist():
        output = place + keyword.SMOOTHING - 1
        end = keyword.STRIDE * output + keyword.FIELD + SLACK // 2
        around = labels[row, word, max(0, output - 3) : output + 3]
        if end > features.shape[1] or end < FRAMES:
            continue
        if not (around == 1.0).any() and (around != 0.0).any():
            continue  # too early or too late to say
        found.append(features[row, end - FRAMES : end].numpy())
        words.append(word)
        said.append(bool((around == 1.0).any()))
    return Stretches(
        np.asarray(found, np.float32).reshape(-1, FRAMES, mel.BANDS),
        np.asarray(words, np.int64),
        np.asarray(said, np.bool_),
    )


def joined(parts: list[Stretches]) -> Stretches:
    """All in one."""
    return Stretches(
        np.concatenate([part.features for part in parts]),
        np.concatenate([part.words for part in parts]),
        np.concatenate([part.said for part in parts]),
    )


def verdicts(net: KeywordNet, features: Tensor, words: Tensor) -> Tensor:
    """As `keyword.KeywordNetwork` asks its check, at one offset: the best mean of three outputs, as a logit; (n,)."""
    logits = net(features)[torch.arange(words.shape[0]), words]
    return functional.avg_pool1d(logits[:, None], keyword.SMOOTHING, 1)[:, 0].amax(dim=1)


def train(net: KeywordNet, stretches: Stretches, steps: int, seed: int) -> None:
    """Teach `net`: every batch half word, half not; each stretch cut from elsewhere and masked each time."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    net.train()
    for module in net.modules():
        if isinstance(module, nn.BatchNorm1d):
            module.eval()  # folded into the weights that it began with
    optimizer = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=1e-2)
    kinds = [np.flatnonzero(stretches.said), np.flatnonzero(~stretches.said)]
    started, total = time.monotonic(), 0.0
    for step in range(steps):
        rate = RATE * min(1.0, (step + 1) / 30) * 0.5 * (1.0 + math.cos(math.pi * step / steps)) + 1e-5
        for group in optimizer.param_groups:
            group["lr"] = rate
        rows = np.concatenate([rng.choice(kind, BATCH // 2) for kind in kinds])
        features = np.stack(
            [
                stretches.features[row, cut : cut + FRAMES - SLACK]
                for row, cut in zip(rows, rng.integers(0, SLACK + 1, BATCH), strict=True)
            ]
        )
        wanted = torch.from_numpy(stretches.said[rows].astype(np.float32))
        given, words = masked(torch.from_numpy(features), rng), torch.from_numpy(stretches.words[rows])
        loss = functional.binary_cross_entropy_with_logits(verdicts(net, given, words), 0.02 + 0.96 * wanted)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        optimizer.step()
        total += float(loss.detach())
        if (step + 1) % 50 == 0:
            print(f"step {step + 1:4d}  loss {total / 50:.4f}  {time.monotonic() - started:4.0f} s", flush=True)
            total = 0.0
    net.eval()


def stored(path: Path, net: KeywordNet, bank: Bank, batches: int, rounds: int, seed: int) -> Stretches:
    """The stretches of `path`; where it is not there, found and written."""
    if not path.is_file():
        found = from_scenes(net, bank, batches, seed)
        print(f"scenes: {int(found.said.sum())} with the word, {int((~found.said).sum())} without", flush=True)
        talk = from_talk(net, [*bank.speech, *bank.near], rounds, seed + 1)
        print(f"talk: {talk.said.size} stretches", flush=True)
        found = joined([found, talk])
        np.savez(path, features=found.features, words=found.words, said=found.said)
    with np.load(path) as kept:
        return Stretches(kept["features"], kept["words"], kept["said"])


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=Path, default=Path("../shared/data/wake"), help="folder of recordings by keyword"
    )
    parser.add_argument("--out", type=Path, default=Path("models/builtin/wake"))
    parser.add_argument("--cache", type=Path, default=Path(".cache/wake"))
    parser.add_argument("--batches", type=int, default=60, help="of 64 scenes")
    parser.add_argument("--rounds", type=int, default=4, help="how often the talk is played")
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(1)
    first, net = (load([options.out / f"{word}.onnx" for word in phrases.KEYWORDS], WORDS) for _ in range(2))
    first.eval()
    bank = load_bank(options.data, options.cache)
    path = options.cache / "stretches.npz"
    stretches = stored(path, first, bank, options.batches, options.rounds, options.seed)
    for index, word in enumerate(phrases.KEYWORDS):
        mine = stretches.said[stretches.words == index]
        print(f"{word}: {int(mine.sum())} stretches with the word, {int((~mine).sum())} without")
    train(net, stretches, options.steps, options.seed)
    for index, word in enumerate(phrases.KEYWORDS):
        path = options.out / f"{word}-check.onnx"
        stamp(options.out / f"{word}.onnx", {"check": path.name, "fires": str(FIRES)})
        export(net, path, {"keyword": word, "steps": str(options.steps), "seed": str(options.seed)}, index)
        print(
            f"wrote {path}, {path.stat().st_size} bytes; {parameters(net)} weights; now run models.training.wake.measure"
        )


if __name__ == "__main__":
    main()
