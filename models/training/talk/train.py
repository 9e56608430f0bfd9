"""Trains the addition to Gemma's weights.

``python -m models.training.talk.train GGUF OUT [--minutes 45] [--threads 2] [--device cpu|cuda] [--init STATE] [--rate 1e-3]``:
GGUF is the file of Gemma 3 270M; OUT, a folder, gets ``state.pt`` every ten minutes and at the end. Started again with the same OUT
it goes on from there, for what is left of the minutes, with the lines that there are then. With ``--init`` it begins with the
addition of another training's ``state.pt`` or of a shipped ``.gguf``.

With ``--teacher`` it learns what a larger addition (``--rank 16``) would write, token by token (Hinton and others 2015, arXiv
1503.02531), on the lines and on what that replied to others (``--replies``, ``models.training.talk.replies``). It begins with the
best approximation of its rank. A small addition that reads the lines themselves knows them by heart after two rounds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

import torch
from torch import Tensor
from torch.nn import functional

from models.training.talk import replies
from models.training.talk.export import additions_of
from models.training.talk.lines import checked, draw, drawn, read
from models.training.talk.network import RANK, Gemma
from models.training.talk.tokens import Item, Spelling

RATE, WARM, LAST = 1.0e-3, 40, 0.02
"""Peak learning rate, steps until it, and the share of it at the end: it falls in a straight line with the time."""
TOKENS, STEP = 1024, 8
"""Tokens of a batch, and what lengths are padded to a multiple of: few shapes are quick."""
SAVE, SAY = 600.0, 25
"""Seconds between states, and steps between lines of the log."""
AVERAGED = 0.01
"""What each step adds to the running mean of the weights, which is what is kept and looked at."""


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

    def __init__(self, gguf: Path, device: str, rank: int, teacher: Path | None, more: Path | None) -> None:
        """Load all of it.

        Args:
            gguf: of the model.
            device: where it is computed.
            rank: of the addition.
            teacher: a larger addition that it is to write like.
            more: what that has replied, `models.training.talk.replies`'s file.
        """
        torch.manual_seed(0)
        all_ = read()
        self.broken = list(checked(all_))
        unfit = {line for line, _ in self.broken}
        self.lines = [line for line in all_ if not line.held_out and line not in unfit]
        held_out = [line for line in all_ if line.held_out and line not in unfit]
        self.device, self.spelling = device, Spelling(gguf)
        self.network, self.teacher = Gemma(gguf, rank).to(device), None
        if teacher is not None:
            known = additions_of(teacher)
            self.teacher = (
                Gemma(gguf, next(iter(known.values())).shape[0]).to(device).requires_grad_(requires_grad=False)
            )
            self.teacher.add(known)
            self.network.add(nearest(known, rank))
        self.more = [] if more is None else [self.spelling.item(one) for one in replies.read(more)]
        self._seen: set[int] = set()
        self.competing = torch.empty(0, dtype=torch.long)
        rng = Random(1)
        self.tests = [self.spelling.item(draw(rng, line)) for line in held_out]
        self.learn([*self.tests, *self.more])

    def learn(self, items: Sequence[Item]) -> None:
        """Let the tokens of these compete from now on."""
        fresh = {token for item in items for token in item.tokens} - self._seen
        if fresh:
            self._seen |= fresh
            self.network.know(torch.tensor(sorted(fresh)))
            self.competing = torch.tensor(sorted(self._seen), device=self.device)
            if self.teacher is not None:
                self.teacher.table = self.network.table

    def loss(self, batch: Sequence[Item]) -> Tensor:
        """Of a token of the answers: the surprise at it, or how far the network is from its teacher."""
        logits, wanted = self.logits(batch)
        if self.teacher is None:
            return functional.cross_entropy(logits, wanted)
        with torch.no_grad():
            taught = functional.linear(
                self.teacher.hidden(*rows(batch, self.device)), self.network.table[self.competing]
            )
        told = taught.float().log_softmax(-1)
        return functional.kl_div(logits.log_softmax(-1), told, log_target=True, reduction="batchmean")

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
        items += self.more
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


def nearest(additions: Mapping[str, Tensor], rank: int) -> dict[str, Tensor]:
    """The additions of a smaller rank that come nearest to these (Eckart and Young 1936), as `Gemma.additions` names them."""
    found = dict[str, Tensor]()
    for name in [one.removesuffix(".a") for one in additions if one.endswith(".a")]:
        a, b = additions[f"{name}.a"], additions[f"{name}.b"]
        left, sizes, right = torch.linalg.svd(b @ a, full_matrices=False)
        root = (sizes[:rank] * rank / a.shape[0]).sqrt()  # what is added is divided by the rank
        found[f"{name}.a"], found[f"{name}.b"] = root[:, None] * right[:rank], left[:, :rank] * root
    return found


class Run:
    """A training."""

    def __init__(self, trainer: Trainer, out: Path, init: Path | None, rate: float) -> None:
        """Go on from a state if there is one in ``out``."""
        self.path, self.rate, self.trainer = out / "state.pt", rate, trainer
        own = trainer.network.additions()
        self.weights = list(own.values())
        self.optimizer = torch.optim.AdamW(self.weights, lr=rate, betas=(0.9, 0.98), weight_decay=0.01)
        self.step, self.number, self.examples, self.before = 0, 1, 0, 0.0
        if self.path.exists():
            state = torch.load(self.path, weights_only=True, map_location=trainer.device)
            trainer.network.add(state["weights"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.step, self.number, self.examples = state["step"], state["round"] + 1, state["examples"]
            self.before = state["seconds"]
        elif init is not None:
            trainer.network.add(additions_of(init))
        self.mean = {name: one.detach().clone() for name, one in own.items()}
        if self.path.exists():
            self.mean = state["additions"]
        self.began = time.monotonic()

    @property
    def seconds(self) -> float:
        """Spent on training, all starts together."""
        return self.before + time.monotonic() - self.began

    def save(self) -> None:
        """Look at the held-out lines and write the state."""
        network = self.trainer.network
        now = {name: one.detach().clone() for name, one in network.additions().items()}
        network.add(self.mean)
        told = self.trainer.look()
        network.add(now)
        print(f"step {self.step}: loss {told:.4f} of {len(self.trainer.tests)} held-out lines", flush=True)
        made = {
            "additions": {name: one.cpu() for name, one in self.mean.items()},
            "weights": {name: one.cpu() for name, one in now.items()},
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
        loss = self.trainer.loss(batch)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.weights, 1.0)
        self.optimizer.step()
        self.step, self.examples = self.step + 1, self.examples + len(batch)
        for name, one in self.trainer.network.additions().items():
            self.mean[name].lerp_(one.detach(), max(AVERAGED, 1 / (1 + self.step)))
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
    parser.add_argument("--rank", type=int, default=RANK, help="of the addition")
    parser.add_argument("--teacher", type=Path, help="a larger addition that it is to write like")
    parser.add_argument("--replies", type=Path, help="what that has replied to other words")
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    torch.set_flush_denormal(True)
    given.out.mkdir(parents=True, exist_ok=True)
    trainer = Trainer(given.gguf, given.device, given.rank, given.teacher, given.replies)
    Run(trainer, given.out, given.init, given.rate).train(given.minutes)


if __name__ == "__main__":
    main()
