"""Train the wake words together: recordings and synthetic voices -> scenes -> features -> one network -> a file for each word.

    python -m models.training.wake.train --data ../shared/data/wake --out models/builtin/wake

One network learns every word of the collection, ours weighing more; each of ours is then written with the shared layers and
its own output alone. Owns: the loop, its checkpoints. The result is a function of the seed, the number of steps, the data
and the versions of PyTorch, espeak-ng and flite; a run that was stopped goes on from its checkpoint to the same result. Threshold
and model card come afterwards, from `measure`.
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
from torch import Tensor
from torch.nn import functional

from models import acoustics
from models.runtime import keyword, mel
from models.training import voices
from models.training.wake import alter, corpus, noises
from models.training.wake.corpus import Clip, Spoken
from models.training.wake.network import KeywordNet, export, parameters
from models.training.wake.scenes import WORDS, Bank, Mined, Scenes
from models.training.wake.words import lexicon, phrases, talk

BATCH = 64
PEAK_RATE = 3e-3
AVERAGED = 0.998
"""Share that the averaged weights keep from step to step."""
MINING_EVERY = 500
MINED = 150
"""Stretches a keyword that one search adds; those of the last three searches are trained on."""
OTHERS_WEIGHT = 0.25
"""How much a word counts that is not shipped."""
CHECKPOINT_EVERY = 200
STRETCHES = 40
"""Of 10 s, of road noise; the other noises in proportion."""
ROUNDS = 2
"""Steps that a batch of scenes is used for, each time with other bands and moments masked: making it costs as much as a step."""
_FFT = 512
_HANN = torch.from_numpy(np.asarray(np.hanning(mel.WINDOW + 1)[:-1], dtype=np.float32))


def load_bank(data: Path, cache: Path) -> Bank:
    """Everything to train on; synthetic speech and altered recordings come from `cache` when they are there."""
    real = [_altered(data, cache, index) for index in range(WORDS)]
    synthetic = [_synthetic(cache, index) for index in range(WORDS)]
    others = [_others(cache, index) for index in range(WORDS)]
    near = [clip for index in range(len(phrases.KEYWORDS)) for clip in _near(cache, index)]
    orders = corpus.cached_clips(cache, "orders", lambda: alter.altered_clips(corpus.orders(data, "train"), 2, 400))
    make = corpus.synthetic_speech
    texts = (*phrases.TRAIN_SENTENCES * 2, *lexicon.nonsense(150, 500))
    speech = corpus.cached_clips(cache, "speech", lambda: make(texts, len(texts), 500, voices.OLD))
    said = talk.lines("train")
    speech += corpus.cached_clips(cache, "talk-old", lambda: make(said, 300, 501, voices.OLD))
    speech += corpus.cached_clips(cache, "talk-read", lambda: make(said[300:], 900, 502, voices.READ))
    return Bank(real, synthetic, others, orders + speech, near)


def _altered(data: Path, cache: Path, index: int) -> list[Spoken]:
    """The recordings of a word, each followed by other speakers made of it."""
    word = phrases.SPOKEN[index]
    recorded = corpus.keyword_recordings(data, word, "train")
    copies = 8 if word in phrases.KEYWORDS else 2
    return corpus.cached(cache, f"real-{word}", lambda: alter.altered(recorded, copies, 100 + index))


def _synthetic(cache: Path, index: int) -> list[Spoken]:
    """A word synthesised by the older engines."""
    word, seed = phrases.SPOKEN[index], 200 + index
    draw = voices.mixed((0.6, voices.OLD), (0.4, voices.READ))
    count = 450 if word in phrases.KEYWORDS else 30
    return corpus.cached(cache, f"synthetic-{word}", lambda: corpus.synthetic_keywords(word, count, seed, draw))


def _others(cache: Path, index: int) -> list[Spoken]:
    """A word by the voices made from real speakers' recordings, each as three other speakers made of it."""
    word, seed = phrases.SPOKEN[index], 250 + index
    if word not in phrases.KEYWORDS:
        return []

    def make() -> list[Spoken]:
        rng = np.random.default_rng(seed)
        made = corpus.synthetic_keywords(word, 160, seed, voices.READ)
        return [alter.whole(item, rng, 1.4) for item in made for _ in range(3)]

    return corpus.cached(cache, f"others-{word}", make)


def _near(cache: Path, index: int) -> list[Clip]:
    """What sounds like a keyword, synthesised."""
    word, seed = phrases.KEYWORDS[index], 300 + index
    make, draw = corpus.synthetic_speech, voices.mixed((0.55, voices.OLD), (0.45, voices.READ))
    return corpus.cached_clips(cache, f"near-{word}", lambda: make(corpus.near_texts(word, seed), 450, seed, draw))


def features_of(samples: NDArray[np.float32], banks: list[NDArray[np.float32]], rng: np.random.Generator) -> Tensor:
    """Samples (batch, n) -> features (batch, frames, 40), as `mel.MelStream` would give them from the start of each row.

    Every eight rows go through one of `banks` at random: vocal tracts of other lengths. PyTorch's Fourier transform takes a third
    of the time of NumPy's.
    """
    frames = torch.from_numpy(samples).unfold(-1, mel.WINDOW, mel.HOP) * _HANN
    spectrum = torch.view_as_real(torch.fft.rfft(frames, _FFT))
    power = spectrum.square_().sum(dim=-1).numpy()
    parts = [power[row : row + 8] @ banks[int(rng.integers(len(banks)))] for row in range(0, samples.shape[0], 8)]
    energies = np.concatenate(parts)
    return torch.from_numpy(mel.pcen(energies, energies[..., 0, :].copy()))


def loss_of(logits: Tensor, labels: Tensor) -> Tensor:
    """Cross-entropy over the outputs that count, and over each scene's loudest wrong output; (batch, words, outputs)."""
    ours = len(phrases.KEYWORDS)
    total = logits.new_zeros(())
    for words, weight in ((slice(0, ours), 1.0), (slice(ours, None), OTHERS_WEIGHT)):
        values, wanted = logits[:, words], labels[:, words]
        positive, counted = wanted == 1.0, wanted == 0.0
        hits = functional.softplus(-values)[positive].sum() / positive.sum().clamp(min=1)
        misses = functional.softplus(values)[counted].mean()
        worst = functional.softplus(values.masked_fill(~counted, -30.0).amax(dim=2)).mean()
        total = total + weight * (hits + 2.0 * misses + 0.5 * worst)
    return total


def masked(features: Tensor, rng: np.random.Generator) -> Tensor:
    """Now and then a few bands, all above or below one, or a moment fall silent: microphones, lines, dropouts."""
    for row in range(features.shape[0]):
        kind = rng.random()
        if kind < 0.25:
            start = int(rng.integers(0, mel.BANDS - 6))
            features[row, :, start : start + int(rng.integers(1, 7))] = 0.0
        elif kind < 0.35:
            features[row, :, int(rng.integers(27, mel.BANDS)) :] = 0.0
        elif kind < 0.45:
            features[row, :, : int(rng.integers(1, 8))] = 0.0
        if rng.random() < 0.2:
            start = int(rng.integers(0, features.shape[1] - 8))
            features[row, start : start + int(rng.integers(2, 8))] = 0.0
    return features


@dataclass
class Searched:
    """What is searched for false alarms: a clip, and the word it holds."""

    samples: Clip
    word: int | None


def mine(net: KeywordNet, clips: list[Searched], rng: np.random.Generator) -> list[Mined]:
    """The stretches (1.1 s) of `clips` where the network is most wrongly sure, the worst `MINED` of each keyword."""
    found: list[list[tuple[float, Mined]]] = [[] for _ in phrases.KEYWORDS]
    banks = [mel.mel_bank()]
    road = noises.road(20.0, rng)
    net.eval()
    with torch.no_grad():
        for start in range(0, len(clips), 12):
            some = clips[start : start + 12]
            stream = np.concatenate([np.pad(clip.samples, (2000, 2000)) for clip in some])
            if stream.size < 20_000:
                continue
            edges = np.cumsum([clip.samples.size + 4000 for clip in some])
            speech = stream.astype(np.float32) / np.float32(32768.0)
            noisy = speech + np.float32(1e-3) * rng.standard_normal(stream.size, np.float32)
            if rng.random() < 0.5:
                noise = np.take(road, np.arange(speech.size) + int(rng.integers(road.size)), mode="wrap")
                gain = acoustics.noise_gain(acoustics.active_level(speech), noise, rng.uniform(3.0, 20.0))
                noisy += np.float32(gain) * noise
            scores = torch.sigmoid(net(features_of(noisy[None], banks, rng)))[0].numpy()
            for ours, values in enumerate(scores[: len(phrases.KEYWORDS)]):
                for peak in np.flatnonzero((values > 0.2) & (values == _local_maximum(values))):
                    end = int(keyword.output_positions(int(peak), 1)[0])
                    holds = {clip.word for clip in some[_clip_at(edges, end - 17_600) : _clip_at(edges, end) + 1]}
                    words = holds - {None}
                    if ours not in words and len(words) <= 1:
                        piece = stream[max(0, end - 17_600) : end]
                        found[ours].append((float(values[peak]), Mined(piece, words.pop() if words else None)))
    net.train()
    return [item for some in found for _, item in sorted(some, key=lambda pair: -pair[0])[:MINED]]


class Training:
    """A run of training, which can be written down and taken up again."""

    def __init__(self, data: Path, cache: Path, steps: int, seed: int) -> None:
        torch.manual_seed(seed)
        self.made_for, self.steps, self.step = (steps, seed), steps, 0
        self.rng = np.random.default_rng(seed)
        self.bank = load_bank(data, cache)
        self.searched = [
            *(Searched(clip, None) for clip in self.bank.speech + self.bank.near),
            *(Searched(item.samples, word) for word, items in enumerate(self.bank.real) for item in items[::2]),
        ]
        self.scenes = Scenes(self.bank, seed, STRETCHES)
        self.banks = [mel.mel_bank(float(warp)) for warp in np.linspace(0.86, 1.16, 9)]
        self.net, self.average = KeywordNet(WORDS), KeywordNet(WORDS)
        self.average.load_state_dict(self.net.state_dict())
        self.average.eval()
        self.optimizer = torch.optim.AdamW(self.net.parameters(), lr=PEAK_RATE, weight_decay=1e-2)
        self.rounds: list[list[Mined]] = []

    def advance(self) -> float:
        """One step; returns its loss."""
        warm, phase = min(1.0, (self.step + 1) / 100), self.step / self.steps
        for group in self.optimizer.param_groups:
            group["lr"] = PEAK_RATE * warm * 0.5 * (1.0 + math.cos(math.pi * phase)) + 1e-5
        if self.step % MINING_EVERY == 0 and self.step >= 2 * MINING_EVERY:
            self.rounds = [mine(self.average, self.searched, self.rng), *self.rounds][:3]
            self.bank.mined[:] = [item for found in self.rounds for item in found]
            print(f"step {self.step:5d}  {len(self.bank.mined)} stretches to train on harder", flush=True)
        if self.step % ROUNDS == 0:
            samples, self.labels = self.scenes.batch(BATCH, self.rng)
            self.features = features_of(samples, self.banks, self.rng)
        labels = self.labels
        features = masked(self.features.clone(), self.rng)
        loss = loss_of(self.net(features), torch.from_numpy(labels))
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 2.0)
        self.optimizer.step()
        self.step += 1
        _follow(self.average, self.net, min(AVERAGED, self.step / (self.step + 9)))
        return float(loss.detach())

    def save(self, path: Path) -> None:
        """Write everything that the next step depends on."""
        state = {
            "made for": self.made_for,
            "step": self.step,
            "net": self.net.state_dict(),
            "average": self.average.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "numpy": self.rng.bit_generator.state,
            "torch": torch.get_rng_state(),
            "rounds": [[(item.samples, item.word) for item in found] for found in self.rounds],
        }
        torch.save(state, path.with_suffix(".new"))
        path.with_suffix(".new").replace(path)

    def resume(self, path: Path) -> bool:
        """Go on where `save` stopped; False if there is nothing for this seed and number of steps."""
        if not path.is_file():
            return False
        state = torch.load(path, weights_only=False)
        if state["made for"] != self.made_for:
            return False
        self.step = state["step"]
        self.net.load_state_dict(state["net"])
        self.average.load_state_dict(state["average"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.rng.bit_generator.state = state["numpy"]
        torch.set_rng_state(state["torch"])
        self.rounds = [[Mined(*item) for item in found] for found in state["rounds"]]
        self.bank.mined[:] = [item for found in self.rounds for item in found]
        return True


def train(data: Path, cache: Path, steps: int, seed: int) -> KeywordNet:
    """The whole training, from the checkpoint in `cache` where there is one; prints its progress."""
    torch.set_num_threads(1)
    started = time.monotonic()
    run, checkpoint = Training(data, cache, steps, seed), cache / "checkpoint.pt"
    if run.resume(checkpoint):
        print(f"goes on from step {run.step}")
    counts = ", ".join(f"{word} {len(items)}" for word, items in zip(phrases.SPOKEN, run.bank.real, strict=True))
    print(
        f"{parameters(run.net)} weights; recordings and their altered copies: {counts}; "
        f"{sum(clip.size for clip in run.bank.speech + run.bank.near) / 57.6e6:.2f} h of other speech; "
        f"ready in {time.monotonic() - started:.0f} s",
        flush=True,
    )
    total = 0.0
    while run.step < steps:
        total += run.advance()
        if run.step % 100 == 0:
            print(f"step {run.step:5d}  loss {total / 100:.4f}  {time.monotonic() - started:5.0f} s", flush=True)
            total = 0.0
        if run.step % CHECKPOINT_EVERY == 0:
            run.save(checkpoint)
    return run.average


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=Path, default=Path("../shared/data/wake"), help="folder of recordings by keyword"
    )
    parser.add_argument("--out", type=Path, default=Path("models/builtin/wake"))
    parser.add_argument(
        "--cache", type=Path, default=Path(".cache/wake"), help="synthetic speech and checkpoint are kept here"
    )
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    net = train(options.data, options.cache, options.steps, options.seed)
    for index, word in enumerate(phrases.KEYWORDS):
        path = options.out / f"{word}.onnx"
        export(net, path, {"keyword": word, "steps": str(options.steps), "seed": str(options.seed)}, index)
        print(f"wrote {path}, {path.stat().st_size} bytes; now run models.training.wake.measure --keyword {word}")


def _clip_at(edges: NDArray[np.int64], position: int) -> int:
    """Index of the clip that holds a position of the stream."""
    return min(int(np.searchsorted(edges, max(0, position), side="right")), edges.size - 1)


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
