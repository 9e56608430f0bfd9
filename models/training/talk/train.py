"""Trains the addition to Gemma's weights.

``python -m models.training.talk.train GGUF OUT [--minutes 45] [--threads 2] [--device cpu|cuda] [--init STATE] [--rate 1e-3]``:
GGUF is the file of Gemma 3 270M; OUT, a folder, gets ``state.pt`` every ten minutes and at the end. Started again with the same OUT
it goes on from there, for what is left of the minutes, with the lines that there are then. With ``--init`` it begins with the
addition of another training's ``state.pt`` or of a shipped ``.gguf``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import torch
from torch import Tensor
from torch.nn import functional

from models.training.talk.export import additions_of
from models.training.talk.lines import checked, draw, drawn, read
from models.training.talk.network import Gemma
from models.training.talk.tokens import Item, Spelling

RATE, WARM, LAST = 1.0e-3, 40, 0.02
"""Peak learning rate, steps until it, and the share of it at the end: it falls in a straight line with the time."""
TOKENS, STEP = 1024, 8
"""Tokens of a batch, and what lengths are padded to a multiple of: few shapes are quick."""
SAVE, SAY = 600.0, 25
"""Seconds between states, and steps between lines of the log."""


def batches(items: Sequence[Item], rng: Random) -> list[list[Item]]:
    """The items in batches of about the same length, in any order."""
    ordered = sorted(items, key=lambda item: len(item.tokens) * rng.uniform(0.9, 1.1))
    found: list[list[Item]] = [[]]
    longest = 0
    for item in ordered:
        longest = max(longest, _padded(len(item.tokens)))
        if longest * (len(found[-1]) + 1) > TOKENS and found[-1]:
            found.append([])
            longest = _padded(len(item.tokens))
        found[-1].append(item)
    rng.shuffle(found)
    return found


def _padded(length: int) -> int:
    return length + -length % STEP


def rows(batch: Sequence[Item], device: str) -> tuple[Tensor, Tensor]:
    """Tokens (batch, length), and where the next token counts (batch, length) bool."""
    length = max(_padded(len(item.tokens)) for item in batch)
    tokens = torch.zeros(len(batch), length, dtype=torch.long)
    counts = torch.zeros(len(batch), length, dtype=torch.bool)
    for row, item in enumerate(batch):
        tokens[row, : len(item.tokens)] = torch.tensor(item.tokens)
        counts[row, item.given - 1 : len(item.tokens) - 1] = True
    return tokens.to(device), counts.to(device)


class Trainer:
    """Network, tokens and lines."""

    def __init__(self, gguf: Path, device: str) -> None:
        """Load all of it."""
        torch.manual_seed(0)
        all_ = read()
        self.broken = list(checked(all_))
        unfit = {line for line, _ in self.broken}
        self.lines = [line for line in all_ if not line.held_out and line not in unfit]
        held_out = [line for line in all_ if line.held_out and line not in unfit]
        self.device, self.spelling = device, Spelling(gguf)
        self.network = Gemma(gguf).to(device)
        self._seen: set[int] = set()
        self.competing = torch.empty(0, dtype=torch.long)
        rng = Random(1)
        self.tests = [self.spelling.item(draw(rng, line)) for line in held_out]
        self.learn(self.tests)

    def learn(self, items: Sequence[Item]) -> None:
        """Let the tokens of these compete from now on."""
        fresh = {token for item in items for token in item.tokens} - self._seen
        if fresh:
            self._seen |= fresh
            self.network.know(torch.tensor(sorted(fresh)))
            self.competing = torch.tensor(sorted(self._seen), device=self.device)

    def logits(self, batch: Sequence[Item]) -> tuple[Tensor, Tensor]:
        """Of the answers' tokens: logits (n, competing), and which is right (n,)."""
        tokens, counts = rows(batch, self.device)
        hidden = self.network.hidden(tokens, counts)
        logits = functional.linear(hidden, self.network.table[self.competing]).float()
        wanted = torch.searchsorted(self.competing, tokens[:, 1:][counts[:, :-1]])
        return logits, wanted

    def round(self, number: int) -> list[list[Item]]:
        """The batches of a round."""
        items = [self.spelling.item(one) for one in drawn(Random(number), self.lines)]
        self.learn(items)
        return batches(items, Random(number))

    @torch.no_grad()
    def look(self) -> float:
        """The loss of a token of the held-out lines."""
        losses, total = 0.0, 0
        for batch in batches(self.tests, Random(0)):
            logits, wanted = self.logits(batch)
            losses += float(functional.cross_entropy(logits, wanted, reduction="sum"))
            total += len(wanted)
        return losses / max(1, total)


class Run:
    """A training."""

    def __init__(self, gguf: Path, out: Path, device: str, init: Path | None, rate: float) -> None:
        """Load all of it, and go on from a state if there is one."""
        self.path, self.rate = out / "state.pt", rate
        self.trainer = Trainer(gguf, device)
        self.weights = list(self.trainer.network.additions().values())
        self.optimizer = torch.optim.AdamW(self.weights, lr=rate, betas=(0.9, 0.98), weight_decay=0.01)
        self.step, self.number, self.examples, self.before = 0, 1, 0, 0.0
        if self.path.exists():
            state = torch.load(self.path, weights_only=True, map_location=device)
            self.trainer.network.add(state["additions"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.step, self.number, self.examples = state["step"], state["round"] + 1, state["examples"]
            self.before = state["seconds"]
        elif init is not None:
            self.trainer.network.add(additions_of(init))
        self.began = time.monotonic()

    @property
    def seconds(self) -> float:
        """Spent on training, all starts together."""
        return self.before + time.monotonic() - self.began

    def save(self) -> None:
        """Look at the held-out lines and write the state."""
        print(
            f"step {self.step}: loss {self.trainer.look():.4f} of {len(self.trainer.tests)} held-out lines", flush=True
        )
        made = {
            "additions": {name: one.detach().cpu() for name, one in self.trainer.network.additions().items()},
            "optimizer": self.optimizer.state_dict(),
            "step": self.step, "seconds": self.seconds, "round": self.number, "examples": self.examples,
        }  # fmt: skip
        torch.save(made, self.path.with_suffix(".new"))
        self.path.with_suffix(".new").replace(self.path)

    def learn(self, batch: Sequence[Item], share: float) -> float:
        """One step, when this share of the time is over; the loss of a token."""
        rate = self.rate * min((self.step + 1) / WARM, 1.0) * (LAST + (1.0 - LAST) * (1.0 - share))
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        loss = functional.cross_entropy(*self.trainer.logits(batch))
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.weights, 1.0)
        self.optimizer.step()
        self.step, self.examples = self.step + 1, self.examples + len(batch)
        return loss.item()

    def batches(self) -> Iterator[list[Item]]:
        """Batches without end."""
        while True:
            yield from self.trainer.round(self.number)
            self.number += 1

    def train(self, minutes: float) -> None:
        """Train until so many minutes are over, all starts together."""
        trainer, count = self.trainer, sum(one.numel() for one in self.weights)
        print(
            f"{len(trainer.lines)} lines, {len(trainer.tests)} held out, {len(trainer.broken)} not in the format;"
            f" {count:,} numbers to train; begins at step {self.step}, {self.before / 60:.1f} of {minutes} minutes",
            flush=True,
        )
        saved = said = time.monotonic()
        mean, since = 0.0, self.examples
        for batch in self.batches():
            share = self.seconds / (60.0 * minutes)
            if share >= 1.0:
                break
            mean += self.learn(batch, share) / SAY
            if self.step % SAY == 0:
                quick = (self.examples - since) / (time.monotonic() - said)
                print(
                    f"step {self.step}: loss {mean:.4f}, {quick:.1f} examples/s, round {self.number}, {share:.1%}",
                    flush=True,
                )
                mean, since, said = 0.0, self.examples, time.monotonic()
            if time.monotonic() - saved > SAVE:
                self.save()
                saved = said = time.monotonic()
        self.save()
        print(f"{self.examples} examples in {self.seconds / 60:.1f} minutes", flush=True)


def main() -> None:
    """Train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gguf", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=45.0, help="how long, all starts together")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--init", type=Path, help="a state.pt or an adapter .gguf whose addition to begin with")
    parser.add_argument("--rate", type=float, default=RATE, help="peak learning rate")
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    torch.set_flush_denormal(True)
    given.out.mkdir(parents=True, exist_ok=True)
    Run(given.gguf, given.out, given.device, given.init, given.rate).train(given.minutes)


if __name__ == "__main__":
    main()
