"""Trains the addition to Whisper base's weights.

``python -m models.training.whisper.train SPEECH MODEL OUT [--minutes 50]``: SPEECH as ``models.training.whisper.speech`` made it,
MODEL the folder of Whisper base in CTranslate2's format. OUT is written after every look at the development sentences, so that
training may end at any time; ``--begin OUT`` goes on from one.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from models.runtime.ct2_file import Adaptation, read
from models.runtime.whisper_tokens import Writer, tokenizer
from models.training.whisper import scenes
from models.training.whisper.network import STEP, Whisper, log_mel
from models.training.whisper.speech import Speech
from schemas.errors import EngineMissingError

BATCH = 16
RATE, WARM = 1.0e-3, 60
"""Peak learning rate, and steps until it."""
WORDLESS = 0.05
"""Scenes without words: Whisper shall find no speech in them, and write nothing."""
POOL, FRESH = 160, 2
"""Pieces of noise at hand, and how many of them are made anew each step."""
LOOK = 250
"""Steps between looks at the development sentences."""


class Trainer:
    """Network, tokens and data."""

    def __init__(self, speech: Path, model: Path, seed: int = 0) -> None:
        """Load all of it."""
        try:
            from faster_whisper.feature_extractor import FeatureExtractor
            from faster_whisper.tokenizer import Tokenizer
        except ImportError as error:
            raise EngineMissingError("faster-whisper is not installed; run: pip install 'glovebox[asr]'") from error

        torch.manual_seed(seed)
        self.rng = np.random.default_rng(seed)
        self.sha256 = hashlib.sha256((model / "model.bin").read_bytes()).hexdigest()
        self.network = Whisper(read(model / "model.bin"))
        self.tokens = Tokenizer(tokenizer(model), True, task="transcribe", language="en")
        self.written = Writer(self.tokens.encode)
        self.start = [*self.tokens.sot_sequence, self.tokens.no_timestamps]
        self.train, self.dev = Speech.load(speech / "train.npz"), Speech.load(speech / "dev.npz")
        self.filters = torch.from_numpy(np.asarray(FeatureExtractor().mel_filters, np.float32))
        self.pool = scenes.noises(POOL, self.train, self.rng)
        self._order: list[int] = []

    def example(self, text: str | None) -> tuple[list[int], list[int]]:
        """Tokens to read, and what each must be followed by; -100 where that does not matter."""
        words = self.tokens.encode(self.written(text)) if text is not None else []
        first = self.start[1] if text is not None else self.tokens.no_speech
        read_, follow = [*self.start, *words], [first, -100, -100, *words, self.tokens.eot]
        return read_, follow

    def loss(self, waves: list[scenes.Floats], texts: list[str | None]) -> Tensor:
        """Mean cross-entropy of a token."""
        heard = self.network.encode(log_mel(waves, self.filters))
        examples = [self.example(text) for text in texts]
        longest = max(len(one) for one, _ in examples)
        longest += -longest % 8
        tokens = torch.full((len(examples), longest), self.tokens.eot)
        follow = torch.full((len(examples), longest), -100)
        for number, (one, after) in enumerate(examples):
            tokens[number, : len(one)] = torch.tensor(one)
            follow[number, : len(after)] = torch.tensor(after)
        hidden = self.network.decode(tokens, heard).flatten(0, 1)
        follow = follow.flatten()
        told = (follow >= 0).nonzero().flatten()
        told = functional.pad(told, (0, -len(told) % STEP), value=0)
        follow = torch.where(torch.arange(len(told)) < int((follow >= 0).sum()), follow[told], -100)
        return functional.cross_entropy(self.network.logits(hidden[told]).float(), follow)

    def draw(self) -> tuple[list[scenes.Floats], list[str | None]]:
        """A batch of sentences of about the same length."""
        if len(self._order) < BATCH:
            lengths = np.diff(self.train.begins) * np.exp(self.rng.normal(0.0, 0.1, len(self.train)))
            rows = np.argsort(lengths)[: len(self.train) // BATCH * BATCH].reshape(-1, BATCH)
            self._order = [int(one) for one in self.rng.permutation(rows).reshape(-1)]
        chosen, self._order = self._order[:BATCH], self._order[BATCH:]
        waves: list[scenes.Floats] = []
        texts: list[str | None] = []
        for number in chosen:
            wordless = self.rng.random() < WORDLESS
            waves.append(scenes.scene(None if wordless else self.train[number], self.pool, self.rng))
            texts.append(None if wordless else self.train.texts[number])
        for fresh in scenes.noises(FRESH, self.train, self.rng):
            self.pool[int(self.rng.integers(POOL))] = fresh
        return waves, texts

    @torch.no_grad()
    def look(self, count: int = 96) -> tuple[float, float]:
        """Of the development sentences, in the same noise every time: loss, and share of tokens that are the likeliest."""
        rng = np.random.default_rng(3)
        pool = scenes.noises(24, self.dev, rng)
        losses, right, total = [], 0, 0
        for at in range(0, min(count, len(self.dev)), BATCH):
            numbers = range(at, min(at + BATCH, len(self.dev)))
            waves = [scenes.scene(self.dev[number], pool, rng) for number in numbers]
            heard = self.network.encode(log_mel(waves, self.filters))
            for row, number in enumerate(numbers):
                one, after = self.example(self.dev.texts[number])
                hidden = self.network.decode(torch.tensor([one]), heard[row : row + 1])
                logits, wanted = self.network.logits(hidden[0, 3:]).float(), torch.tensor(after[3:])
                losses.append(float(functional.cross_entropy(logits, wanted)))
                right += int((logits.argmax(-1) == wanted).sum())
                total += len(wanted)
        return float(np.mean(losses)), right / max(1, total)

    def save(self, path: Path) -> None:
        """Write the addition."""
        arrays = self.network.additions()
        names = sorted({name.rsplit(".", 1)[0] for name in arrays})
        Adaptation(self.sha256, {name: (arrays[f"{name}.down"], arrays[f"{name}.up"]) for name in names}).save(path)


def main() -> None:
    """Train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("speech", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=50.0, help="how long")
    parser.add_argument("--rate", type=float, default=RATE, help="peak learning rate")
    parser.add_argument("--begin", type=Path, help="an addition to go on from")
    parser.add_argument("--seed", type=int, default=0, help="of all randomness")
    given = parser.parse_args()
    trainer = Trainer(given.speech, given.model, given.seed)
    if given.begin is not None:
        trainer.network.add(Adaptation.load(given.begin).changes)
    weights = [one for one in trainer.network.parameters() if one.requires_grad]
    optimizer = torch.optim.AdamW(weights, lr=given.rate, betas=(0.9, 0.98), weight_decay=0.01)
    print(f"{sum(one.numel() for one in weights):,} numbers to train; before: {trainer.look()}", flush=True)
    began, mean = time.monotonic(), 0.0
    for step in range(1_000_000):
        share = (time.monotonic() - began) / (60.0 * given.minutes)
        if share >= 1.0:
            break
        scale = min(1.0, (step + 1) / WARM) * (0.03 + 0.97 * 0.5 * (1.0 + math.cos(math.pi * share)))
        for group in optimizer.param_groups:
            group["lr"] = given.rate * scale
        loss = trainer.loss(*trainer.draw())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        mean = loss.item() if step == 0 else 0.97 * mean + 0.03 * loss.item()
        if step % 25 == 24:
            print(f"step {step + 1}, {(time.monotonic() - began) / 60:.1f} min, loss {mean:.3f}", flush=True)
        if step % LOOK == LOOK - 1:
            print(f"look at {step + 1}: {trainer.look()}", flush=True)
            trainer.save(given.out)
    print(f"at the end: {trainer.look()}", flush=True)
    trainer.save(given.out)


if __name__ == "__main__":
    main()
