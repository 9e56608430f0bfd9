"""Trains the addition to Gemma's weights.

``python -m models.training.acts.train GGUF OUT [--minutes 45] [--threads 2] [--processes 1] [--device cpu|cuda] [--init STATE]``:
GGUF is the file of Gemma 3 270M; OUT, a folder, gets ``state.pt`` every ten minutes and at the end. Started again with the same OUT
it goes on from there, for what is left of the minutes, with the lines that there are then. With ``--init`` it begins with the
addition of another training's ``state.pt`` or of a shipped ``.gguf``; the lines of the ``--young`` files, which that has not read,
come more often.

With ``--processes 2`` two processes of one thread each take a batch and average their gradients: on cores that others use too
that is quicker than two threads, which wait for each other.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import torch
from torch import Tensor, distributed, multiprocessing
from torch.nn import functional

from models.training.acts.data import YOUNG, Corpus
from models.training.acts.export import additions_of
from models.training.acts.lines import FOLDER
from models.training.acts.network import Gemma
from models.training.acts.tokens import Item, Spelling

RATE, WARM, LAST = 1.0e-3, 40, 0.02
"""Peak learning rate, steps until it, and the share of it at the end: it falls in a straight line with the time."""
TOKENS, STEP = 1024, 8
"""Tokens of a batch, and what lengths are padded to a multiple of: few shapes are quick."""
SAVE, SAY = 600.0, 25
"""Seconds between states, and steps between lines of the log."""
LOOK = 192
"""Held-out cases that are looked at with each state."""


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
    """Network, tokens and cases."""

    def __init__(self, gguf: Path, lines: Path, device: str, seed: int, young: Collection[str]) -> None:
        """Load all of it."""
        torch.manual_seed(seed)
        self.device, self.corpus, self.spelling, self.young = device, Corpus(lines), Spelling(gguf), young
        self.network = Gemma(gguf).to(device)
        self._seen: set[int] = set()
        self.competing = torch.empty(0, dtype=torch.long)
        tests = [self.spelling.item(case) for case in self.corpus.tests()]
        talks = [self.spelling.item(one) for one in self.corpus.talk_tests()]
        self.tests, self.talk_tests = tests[:LOOK], talks[:LOOK]
        self.learn([*tests, *talks])

    def learn(self, items: Sequence[Item]) -> None:
        """Let the tokens of these compete from now on."""
        fresh = {token for item in items for token in item.tokens} - self._seen
        if fresh:
            self._seen |= fresh
            self.network.know(torch.tensor(sorted(fresh)))
            self.competing = torch.tensor(sorted(self._seen), device=self.device)

    def logits(self, batch: Sequence[Item]) -> tuple[Tensor, Tensor, Tensor]:
        """Of the answers' tokens: logits (n, competing), which is right (n,), and in which row each stands (n,)."""
        tokens, counts = rows(batch, self.device)
        hidden = self.network.hidden(tokens, counts)
        logits = functional.linear(hidden, self.network.table[self.competing]).float()
        wanted = torch.searchsorted(self.competing, tokens[:, 1:][counts[:, :-1]])
        return logits, wanted, counts.nonzero()[:, 0]

    def round(self, number: int) -> list[list[Item]]:
        """The batches of a round."""
        cases = self.corpus.round(number, self.young)
        known = YOUNG if self.young else 1  # the talk has been read before
        items = [self.spelling.item(case) for case in (*cases, *self.corpus.talked(number, len(cases) // known))]
        self.learn(items)
        return batches(items, Random(number))

    @torch.no_grad()
    def look(self, tests: Sequence[Item]) -> tuple[float, float]:
        """Of held-out lines: loss of a token, and share of answers whose every token is the likeliest: those are written right."""
        losses, right, total = 0.0, 0, 0
        for batch in batches(tests, Random(0)) if tests else ():
            logits, wanted, row = self.logits(batch)
            losses += float(functional.cross_entropy(logits, wanted, reduction="sum"))
            total += len(wanted)
            wrong = row[logits.argmax(-1) != wanted]
            right += len(batch) - len(wrong.unique())
        return losses / max(1, total), right / max(1, len(tests))


@dataclass
class Task:
    """What the command line asks for."""

    gguf: Path
    out: Path
    lines: Path
    minutes: float
    threads: int
    processes: int
    device: str
    init: Path | None
    rate: float
    seed: int
    young: frozenset[str]
    meeting: str = ""
    """The file by which processes find each other."""


def _average(weights: Sequence[Tensor], processes: int) -> None:
    flat = torch.cat([one.grad.flatten() for one in weights if one.grad is not None])
    distributed.all_reduce(flat)
    at = 0
    for one in weights:
        if one.grad is not None:
            one.grad.copy_(flat[at : at + one.numel()].view_as(one) / processes)
            at += one.numel()


class Run:
    """One process of a training; the first one writes."""

    def __init__(self, rank: int, task: Task) -> None:
        """Load all of it, and go on from a state if there is one."""
        self.rank, self.task, self.path = rank, task, task.out / "state.pt"
        self.trainer = Trainer(task.gguf, task.lines, task.device, task.seed, task.young)
        self.weights = list(self.trainer.network.additions().values())
        self.optimizer = torch.optim.AdamW(self.weights, lr=task.rate, betas=(0.9, 0.98), weight_decay=0.01)
        self.step, self.number, self.examples, self.before = 0, 1, 0, 0.0
        if self.path.exists():
            state = torch.load(self.path, weights_only=True, map_location=task.device)
            self.trainer.network.add(state["additions"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.step, self.number, self.examples = state["step"], state["round"] + 1, state["examples"]
            self.before = state["seconds"]
        elif task.init is not None:
            self.trainer.network.add(additions_of(task.init))
        self.began = time.monotonic()

    @property
    def seconds(self) -> float:
        """Spent on training, all starts together."""
        return self.before + time.monotonic() - self.began

    def share(self) -> float:
        """Of the time, what is over; the first process's, for all."""
        agreed = torch.tensor([self.seconds / (60.0 * self.task.minutes)])
        if self.task.processes > 1:
            distributed.broadcast(agreed, 0)
        return float(agreed)

    def save(self) -> None:
        """Look at the held-out lines and write the state."""
        tests, talks = self.trainer.tests, self.trainer.talk_tests
        (loss, right), (talk_loss, _) = self.trainer.look(tests), self.trainer.look(talks)
        print(
            f"step {self.step}: held out: loss {loss:.4f}, exactly right {right:.3f} of {len(tests)};"
            f" talk: loss {talk_loss:.4f} of {len(talks)}",
            flush=True,
        )
        made = {
            "additions": {name: one.detach().cpu() for name, one in self.trainer.network.additions().items()},
            "optimizer": self.optimizer.state_dict(),
            "step": self.step, "seconds": self.seconds, "round": self.number, "examples": self.examples,
        }  # fmt: skip
        torch.save(made, self.path.with_suffix(".new"))
        self.path.with_suffix(".new").replace(self.path)

    def learn(self, batch: Sequence[Item], share: float) -> float:
        """One step; the loss of a token."""
        rate = self.task.rate * min((self.step + 1) / WARM, 1.0) * (LAST + (1.0 - LAST) * (1.0 - share))
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        logits, wanted, row = self.trainer.logits(batch)
        weight = torch.tensor([item.weight for item in batch], device=logits.device)[row]
        losses = functional.cross_entropy(logits, wanted, reduction="none")
        loss = (weight * losses).sum() / len(wanted)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        if self.task.processes > 1:
            _average(self.weights, self.task.processes)
        torch.nn.utils.clip_grad_norm_(self.weights, 1.0)
        self.optimizer.step()
        self.step, self.examples = self.step + 1, self.examples + len(batch) * self.task.processes
        return loss.item()

    def batches(self) -> Iterator[list[Item]]:
        """Batches without end, each process its own."""
        many = self.task.processes
        while True:
            made = self.trainer.round(self.number)
            for at in range(0, len(made) - many + 1, many):
                yield made[at + self.rank]
            self.number += 1

    def train(self) -> None:
        """Train until the time is over."""
        if self.rank == 0:
            corpus, count = self.trainer.corpus, sum(one.numel() for one in self.weights)
            print(
                f"{len(corpus.train)} lines, {len(corpus.held_out)} held out, {len(corpus.talks)} of talk,"
                f" {len(corpus.broken)} not in the format; {count:,} numbers to train; begins at step {self.step},"
                f" {self.before / 60:.1f} of {self.task.minutes} minutes",
                flush=True,
            )
        saved = said = time.monotonic()
        mean, since = 0.0, self.examples
        for batch in self.batches():
            share = self.share()
            if share >= 1.0:
                break
            mean += self.learn(batch, share) / SAY
            if self.step % SAY == 0:
                if self.rank == 0:
                    quick = (self.examples - since) / (time.monotonic() - said)
                    print(
                        f"step {self.step}: loss {mean:.4f}, {quick:.1f} examples/s, round {self.number}, {share:.1%}",
                        flush=True,
                    )
                mean, since, said = 0.0, self.examples, time.monotonic()
            if self.rank == 0 and time.monotonic() - saved > SAVE:
                self.save()
                saved = said = time.monotonic()
        if self.rank == 0:
            self.save()
            print(f"{self.examples} examples in {self.seconds / 60:.1f} minutes", flush=True)


def work(rank: int, task: Task) -> None:
    """One process of the training."""
    torch.set_num_threads(max(1, task.threads // task.processes))
    torch.set_flush_denormal(True)
    if task.processes > 1:
        distributed.init_process_group(
            "gloo", init_method=f"file://{task.meeting}", rank=rank, world_size=task.processes
        )
    Run(rank, task).train()
    if task.processes > 1:
        distributed.barrier()
        distributed.destroy_process_group()


def _stems(text: str) -> frozenset[str]:
    return frozenset(text.split(","))


def main() -> None:
    """Train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gguf", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--lines", type=Path, default=FOLDER, help="folder of the lines")
    parser.add_argument("--minutes", type=float, default=45.0, help="how long, all starts together")
    parser.add_argument("--threads", type=int, default=2, help="of all processes together")
    parser.add_argument("--processes", type=int, default=1, help="that average their gradients; on a processor only")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--init", type=Path, help="a state.pt or an adapter .gguf whose addition to begin with")
    parser.add_argument("--rate", type=float, default=RATE, help="peak learning rate")
    parser.add_argument("--seed", type=int, default=0, help="of the first weights")
    parser.add_argument(
        "--young", type=_stems, default=frozenset(), help="files of lines, without .txt, not read before"
    )
    task = Task(**vars(parser.parse_args()))
    task.out.mkdir(parents=True, exist_ok=True)
    if task.processes == 1:
        work(0, task)
        return
    with tempfile.TemporaryDirectory() as folder:
        task.meeting = str(Path(folder) / "meeting")
        multiprocessing.spawn(work, (task,), nprocs=task.processes)


if __name__ == "__main__":
    main()
