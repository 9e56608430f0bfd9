"""Train the wake word: recordings and synthetic voices -> scenes -> features -> network -> ONNX file.

    python -m models.training.wake.train --data ../shared/data/wake --out models/builtin/wake

Owns: the loop. On one core 2,000 steps take about a quarter of an hour; the result is a function of the seed, the data and
the versions of PyTorch and espeak-ng. Threshold and model card come afterwards, from `measure`.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from models.runtime import keyword, mel
from models.training.wake import corpus, phrases, voices
from models.training.wake.corpus import Clip
from models.training.wake.network import KeywordNet, export, parameters
from models.training.wake.scenes import Bank, Scenes

BATCH = 64
POSITIVES = 0.4
PEAK_RATE = 3e-3
MINING = (0.3, 0.5, 0.7, 0.85)
"""Shares of the steps after which the training negatives are searched for false alarms."""
SYNTHETIC_KEYWORDS, SYNTHETIC_NEAR, SYNTHETIC_NEAR_SAID, SYNTHETIC_SPEECH = 1000, 1100, 800, 700


def load_bank(data: Path, cache: Path) -> Bank:
    """Everything to train on; synthetic speech comes from `cache` when it is there."""
    train = voices.TRAIN_VARIANTS
    keywords = corpus.cached(cache, "keywords", lambda: corpus.synthetic_keywords(SYNTHETIC_KEYWORDS, 1, train))
    near = corpus.cached_clips(
        cache, "near", lambda: corpus.synthetic_speech(phrases.NEAR_WORDS, SYNTHETIC_NEAR, 2, train)
    )
    near += corpus.cached_clips(
        cache, "near-said", lambda: corpus.synthetic_speech(corpus.near_texts(), SYNTHETIC_NEAR_SAID, 4, train)
    )
    speech = corpus.cached_clips(
        cache, "speech", lambda: corpus.synthetic_speech(phrases.TRAIN_SENTENCES, SYNTHETIC_SPEECH, 3, train)
    )
    real = corpus.negative_recordings(data, "train")
    return Bank(corpus.keyword_recordings(data, "train"), keywords, real + speech, near, [])


def features_of(samples: NDArray[np.float32], bank: NDArray[np.float32]) -> Tensor:
    """Samples (batch, n) -> features (batch, frames, 40), as `mel.MelStream` would give them from the start of each row."""
    parts = [mel.mel_energies(samples[row : row + 8], bank) for row in range(0, samples.shape[0], 8)]  # fits the cache
    energies = np.concatenate(parts)
    return torch.from_numpy(mel.pcen(energies, energies[..., 0, :].copy()))


def loss_of(logits: Tensor, labels: Tensor) -> Tensor:
    """Cross-entropy over the outputs that count, and over each scene's loudest wrong output."""
    positive, counted = labels == 1.0, labels == 0.0
    hits = functional.softplus(-logits)[positive].mean()
    misses = functional.softplus(logits)[counted].mean()
    worst = functional.softplus(logits.masked_fill(~counted, -30.0).max(dim=1).values).mean()
    return hits + 2.0 * misses + 0.5 * worst


def masked(features: Tensor, rng: np.random.Generator) -> Tensor:
    """Now and then a few bands, or all above or below one, fall silent: band-limited microphones and lines."""
    for row in range(features.shape[0]):
        kind = rng.random()
        if kind < 0.25:
            start = int(rng.integers(0, mel.BANDS - 6))
            features[row, :, start : start + int(rng.integers(1, 7))] = 0.0
        elif kind < 0.35:
            features[row, :, int(rng.integers(27, mel.BANDS)) :] = 0.0
        elif kind < 0.45:
            features[row, :, : int(rng.integers(1, 8))] = 0.0
    return features


def mine(net: KeywordNet, clips: list[Clip], rng: np.random.Generator) -> list[Clip]:
    """The stretches (1.1 s) of `clips` where the network is most wrongly sure, the worst 150."""
    found: list[tuple[float, Clip]] = []
    bank = mel.mel_bank()
    net.eval()
    with torch.no_grad():
        for start in range(0, len(clips) - 11, 12):
            stream = np.concatenate([np.pad(clip, (2000, 2000)) for clip in clips[start : start + 12]])
            noisy = stream.astype(np.float32) / np.float32(32768.0)
            noisy += np.float32(1e-3) * rng.standard_normal(stream.size, np.float32)
            scores = torch.sigmoid(net(features_of(noisy[None], bank)))[0].numpy()
            for peak in np.flatnonzero((scores > 0.2) & (scores == _local_maximum(scores))):
                end = int(keyword.output_positions(int(peak), 1)[0])
                found.append((float(scores[peak]), stream[max(0, end - 17_600) : end]))
    net.train()
    found.sort(key=lambda item: -item[0])
    return [clip for _, clip in found[:150]]


def train(data: Path, cache: Path, steps: int, seed: int) -> KeywordNet:
    """The whole training; prints its progress."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    rng = np.random.default_rng(seed)
    started = time.monotonic()
    bank = load_bank(data, cache)
    scenes = Scenes(bank, rng)
    banks = [mel.mel_bank(float(warp)) for warp in np.linspace(0.88, 1.14, 7)]
    net, average = KeywordNet(), KeywordNet()
    average.load_state_dict(net.state_dict())
    print(
        f"{parameters(net)} weights, {len(bank.real)} recorded and {len(bank.synthetic)} synthetic keywords, "
        f"{sum(clip.size for clip in bank.speech) / 57.6e6:.2f} h of other speech, ready in {time.monotonic() - started:.0f} s"
    )
    optimizer = torch.optim.AdamW(net.parameters(), lr=PEAK_RATE, weight_decay=1e-2)
    total = 0.0
    for step in range(steps):
        rate = PEAK_RATE * min(1.0, (step + 1) / 100) * 0.5 * (1.0 + math.cos(math.pi * step / steps)) + 1e-5
        for group in optimizer.param_groups:
            group["lr"] = rate
        samples, labels = scenes.batch(BATCH, POSITIVES)
        features = masked(features_of(samples, banks[int(rng.integers(len(banks)))]), rng)
        loss = loss_of(net(features), torch.from_numpy(labels))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        optimizer.step()
        _follow(average, net, min(0.995, (step + 1) / (step + 10)))
        total += float(loss.detach())
        if (step + 1) % 100 == 0:
            print(f"step {step + 1:5d}  loss {total / 100:.4f}  {time.monotonic() - started:5.0f} s", flush=True)
            total = 0.0
        if step + 1 in {round(share * steps) for share in MINING}:
            bank.mined[:] = mine(average, bank.speech + bank.near, rng) + bank.mined[:150]
            print(f"step {step + 1:5d}  {len(bank.mined)} stretches to train on harder", flush=True)
    average.eval()
    return average


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=Path, default=Path("../shared/data/wake"), help="folder of recordings by keyword"
    )
    parser.add_argument("--out", type=Path, default=Path("models/builtin/wake"))
    parser.add_argument("--cache", type=Path, default=Path(".cache/wake"), help="synthetic speech is kept here")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    net = train(options.data, options.cache, options.steps, options.seed)
    path = options.out / f"{phrases.KEYWORD}.onnx"
    export(net, path, {"keyword": phrases.KEYWORD, "steps": str(options.steps), "seed": str(options.seed)})
    print(f"wrote {path}, {path.stat().st_size} bytes; now run models.training.wake.measure")


def _follow(average: KeywordNet, net: KeywordNet, keep: float) -> None:
    """Exponential average of the weights, and of batch normalisation's statistics."""
    with torch.no_grad():
        for slow, fast in zip(average.state_dict().values(), net.state_dict().values(), strict=True):
            if slow.dtype.is_floating_point:
                slow.mul_(keep).add_(fast, alpha=1.0 - keep)
            else:
                slow.copy_(fast)


def _local_maximum(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """The largest score within 0.6 s of each output."""
    padded = np.pad(scores, 15, constant_values=-1.0)
    return np.lib.stride_tricks.sliding_window_view(padded, 31).max(axis=-1)


if __name__ == "__main__":
    main()
