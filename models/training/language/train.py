"""Trains the language model: ``python -m models.training.language.train --out models/builtin/language``.

Owns: the loop and its settings. Examples are drawn as it goes (`models.training.language.data.examples`), so none is seen twice
in the same slice. Checkpoints go to ``--work``; a run that was stopped goes on from there. Two threads are what the
development machine has; the figures of the shipped run stand in the model card.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

import torch
from tokenizers import Tokenizer
from torch import Tensor

from models.structured.prompt import OUT
from models.training.language.data import vocabulary
from models.training.language.data.copying import copying_task
from models.training.language.data.examples import Examples
from models.training.language.export import write
from models.training.language.muon import Muon
from models.training.language.network import Network
from models.training.language.pretrained import plain_words, pretrained_vectors
from models.training.language.shape import Shape

TASKS = {"extract": 0.63, "maintain": 0.37}
"""Shares of the tasks. With .11 maintenance got worse than with .2 (.468 against .534), although it is short and has few forms."""
BATCH = 80
BUCKET = 16
"""Batches that are drawn together and sorted by length, so that little is padding."""
MUON_RATE, ADAM_RATE = 3e-3, 4e-3
"""Peak learning rates, warmed up over the first 2 % and let down by a cosine. With Muon for the blocks the loss after 110
batches was 1.21, with AdamW for all of it 2.47."""
VOCABULARY_EXAMPLES = 12_000
NAMES = slice(400, 7000)
"""Plain words that random names are made of: not the function words."""
SAVE_EVERY = 100
PRACTICE, RARER = 0.12, 0.2
"""Drills are for the beginning: after this share of the run only this share of them is left."""


def learn_vocabulary(path: Path, start: Path | None = None) -> Tokenizer:
    """The vocabulary, from ``path`` if it is there; else that of the run in ``start``, with what is new; else a new one."""
    if not path.exists() and start is not None:
        tokenizer = Tokenizer.from_file(str(start / path.name))
        vocabulary.widen(tokenizer)
        tokenizer.save(str(path))
    if not path.exists():
        drawn = Examples(1).draw(VOCABULARY_EXAMPLES, TASKS)
        numbers = [f" {number}" for number in range(101)] + [f":{number}." for number in range(101)]
        texts = [example.prompt + example.output for example in drawn] + numbers
        vocabulary.train(texts, plain_words(vocabulary.PLAIN_WORDS)).save(str(path))
    return Tokenizer.from_file(str(path))


def batches(seed: int, tokenizer: Tokenizer, copying: Callable[[], float]) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Endless batches: tokens (batch, length) padded at the end, prompts' lengths, and which tokens are to be predicted."""
    names = plain_words(NAMES.stop)[NAMES]
    examples, rng = Examples(seed, names=names), Random(seed)
    out, pad = tokenizer.token_to_id(OUT), tokenizer.token_to_id(vocabulary.PAD)
    while True:
        practised = int(BATCH * BUCKET * copying())
        pairs = [(e.prompt, e.output) for e in examples.draw(BATCH * BUCKET - practised, TASKS)]
        pairs += [copying_task(rng, names) for _ in range(practised)]
        given = tokenizer.encode_batch_fast([prompt for prompt, _ in pairs])
        wanted = tokenizer.encode_batch_fast([answer for _, answer in pairs])
        rows = sorted(((g.ids, w.ids) for g, w in zip(given, wanted, strict=True)), key=lambda r: len(r[0]) + len(r[1]))
        for at in torch.randperm(BUCKET).tolist():
            group = rows[at * BATCH : (at + 1) * BATCH]
            length = max(len(prompt) + len(answer) for prompt, answer in group)
            tokens = torch.full((BATCH, length), pad)
            counts = torch.zeros((BATCH, length), dtype=torch.bool)
            ends = torch.empty(BATCH, dtype=torch.long)
            for index, (prompt, answer) in enumerate(group):
                end = len(prompt) + len(answer)
                tokens[index, :end] = torch.tensor(prompt + answer)
                counts[index, len(prompt) : end] = True
                ends[index] = prompt.index(out) + 1
            yield tokens, ends, counts


def optimizers(network: Network) -> list[tuple[torch.optim.Optimizer, float]]:
    """Muon for the matrices of the blocks, AdamW for vectors of tokens and norms; with their peak rates."""
    matrices = [p for block in network.blocks for p in block.parameters() if p.ndim > 1]
    known = {id(p) for p in matrices}
    rest = [p for p in network.parameters() if id(p) not in known]
    return [
        (Muon(matrices, MUON_RATE, weight_decay=0.05), MUON_RATE),
        (torch.optim.AdamW(rest, lr=ADAM_RATE, betas=(0.9, 0.98), weight_decay=0.01), ADAM_RATE),
    ]


@dataclass(frozen=True)
class Schedule:
    """How long to train, and at which rates."""

    steps: int = 8000
    minutes: float = 0.0
    """End in this time: the schedule follows the clock (0: after the steps)."""
    peak: float = 1.0
    """Share of the peak rates: less than 1 where a run goes on from another's weights."""
    last: float = 0.03
    """Share of the peak that is left at the end."""
    copying: float = 0.25

    def scale(self, step: int) -> float:
        """Share of the optimizers' rates at a step."""
        warm = max(1, self.steps * 2 // 100)
        if step < warm:
            return self.peak * (step + 1) / warm
        turned = 0.5 * (1 + math.cos(math.pi * min(1.0, (step - warm) / max(1, self.steps - warm))))
        return self.peak * (self.last + (1 - self.last) * turned)


def take_over(network: Network, kept: Mapping[str, Tensor]) -> None:
    """Begin with the weights of a run with fewer tokens: rows of tokens that it does not know stay as they are."""
    own = network.state_dict()
    for name, value in kept.items():
        if name != "prior":
            own[name][: len(value)] = value
    network.load_state_dict(own)


def train(
    out: Path, work: Path, *, schedule: Schedule, seed: int, shape: dict[str, int], start: Path | None = None
) -> None:
    """Train and export.

    Args:
        out: folder for the model.
        work: folder for checkpoints; a run that stopped there goes on.
        schedule: how long, at which rates.
        seed: of all chance.
        shape: sizes of the network, without the vocabulary.
        start: folder with the checkpoint and the vocabulary of an earlier run of the same shape, to begin from.
    """
    work.mkdir(parents=True, exist_ok=True)
    steps, minutes, copying = schedule.steps, schedule.minutes, schedule.copying
    tokenizer = learn_vocabulary(work / "tokenizer.json", start)
    torch.manual_seed(seed)
    prior, free = pretrained_vectors(tokenizer)
    network = Network(Shape(vocabulary=tokenizer.get_vocab_size(), **shape), prior, free)
    if start is not None:
        take_over(network, torch.load(start / "checkpoint.pt")["network"])
    pairs = optimizers(network)
    step, tokens_seen, log = 0, 0, work / "log.jsonl"
    saved = work / "checkpoint.pt"
    spent = 0.0
    if saved.exists():
        state = torch.load(saved)
        network.load_state_dict(state["network"])
        for (optimizer, _), kept in zip(pairs, state["optimizers"], strict=True):
            optimizer.load_state_dict(kept)
        step, spent = state["step"], state["spent"]
    special = torch.tensor([tokenizer.token_to_id(text) for text in (*vocabulary.CONTROL, *vocabulary.marks())])
    now = step
    source = batches(seed * 100_000 + step, tokenizer, lambda: copying if now < steps * PRACTICE else copying * RARER)
    print(f"{sum(p.numel() for b in network.blocks for p in b.parameters()):,} parameters in blocks", flush=True)
    began, mean = time.perf_counter() - spent, 0.0
    network.train()
    while step < steps:
        elapsed = (time.perf_counter() - began) / 60
        if minutes and elapsed >= minutes:
            break
        now = max(step, int(steps * elapsed / minutes)) if minutes else step
        for optimizer, peak in pairs:
            for group in optimizer.param_groups:
                group["lr"] = peak * schedule.scale(now)
            optimizer.zero_grad()
        tokens, given, counts = next(source)
        loss = network.loss(tokens, given, counts, torch.unique(torch.cat((tokens.flatten(), special))))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        for optimizer, _ in pairs:
            optimizer.step()
        step, tokens_seen = step + 1, tokens_seen + tokens.numel()
        mean = loss.item() if mean == 0 else 0.98 * mean + 0.02 * loss.item()
        if step % 50 == 0:
            entry = {"step": step, "loss": round(mean, 4), "minutes": round(elapsed, 2), "tokens": tokens_seen}
            print(json.dumps(entry), flush=True)
            with log.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")
        if step % SAVE_EVERY == 0:
            _save(saved, network, pairs, step, time.perf_counter() - began)
    _save(saved, network, pairs, step, time.perf_counter() - began)
    network.eval()
    out.mkdir(parents=True, exist_ok=True)
    write(out / "glovebox.gguf", network.shape, network.tensors(), tokenizer)


def _save(
    path: Path, network: Network, pairs: list[tuple[torch.optim.Optimizer, float]], step: int, spent: float
) -> None:
    part = path.with_suffix(".part")
    kept = [optimizer.state_dict() for optimizer, _ in pairs]
    torch.save({"network": network.state_dict(), "optimizers": kept, "step": step, "spent": spent}, part)
    part.replace(path)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder for glovebox.gguf")
    parser.add_argument("--work", type=Path, default=Path("out/language"), help="folder for checkpoints")
    parser.add_argument("--steps", type=int, default=8000)
    parser.add_argument("--minutes", type=float, default=0.0, help="end in this time (0: after the steps)")
    parser.add_argument(
        "--start", type=Path, help="folder of an earlier run to begin from: checkpoint.pt, tokenizer.json"
    )
    parser.add_argument("--peak", type=float, default=1.0, help="share of the peak rates")
    parser.add_argument("--last", type=float, default=0.03, help="share of the peak rates at the end")
    parser.add_argument("--copying", type=float, default=0.25, help="share of copying tasks at the beginning")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--width", type=int, default=192)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--inner", type=int, default=512)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    shape = {"width": given.width, "layers": given.layers, "inner": given.inner, "heads": given.width // 32}
    schedule = Schedule(given.steps, given.minutes, given.peak, given.last, given.copying)
    train(given.out, given.work, schedule=schedule, seed=given.seed, shape=shape, start=given.start)


if __name__ == "__main__":
    main()
