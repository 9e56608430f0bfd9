"""Training of the encoder's branch: what is told to stay as it is stays."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed (extra `train`): nothing is trained")

from models.training.encoder import origin, train  # noqa: E402 - needs PyTorch
from models.training.encoder.examples import REQUESTS, Example  # noqa: E402
from models.training.encoder.network import WIDTH, Classifier  # noqa: E402

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz"]


class Flat:
    """Stands for the frozen layers: made-up hidden states that depend on the pieces."""

    def shared(self, ids: Any, mask: Any) -> Any:
        del mask
        return torch.sin(ids[:, :, None] * torch.arange(1, WIDTH + 1) * 0.37)

    def search(self, x: Any, mask: Any) -> Any:
        del mask
        return x.mean(1)


@pytest.mark.parametrize("only_requests", [True, False])
def test_only_the_requests_head_learns_when_told_so(
    only_requests: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Example("a b c", strength="none", request=REQUESTS[0])
    told = Example("d e f", {"favorite_genres": 1.0}, "stated")

    def portion(tokenizer: Any, number: int, count: int) -> list[train.Batch]:
        del number, count
        encoded = tokenizer.encode_batch(["a b c", "d e f"])
        return [train.batch_of([(encoded[0], asked)]), train.batch_of([(encoded[1], told)])] * 4

    monkeypatch.setattr(train, "portion", portion)
    torch.manual_seed(Random(2).randint(0, 9))  # noqa: S311 - repeatable on purpose
    classifier = Classifier([], train.SIZES)
    if only_requests:
        classifier.requires_grad_(False).requests.requires_grad_(True)
    before = {name: value.clone() for name, value in classifier.state_dict().items()}
    run = train.Run(Flat(), classifier, 8, tmp_path)  # pyright: ignore[reportArgumentType] - stands for the frozen layers
    run.fit(origin.tokenizer(PIECES), "cpu")
    changed = {name for name, value in classifier.state_dict().items() if not torch.equal(value, before[name])}
    assert {"requests.weight", "requests.bias"} <= changed
    assert (changed == {"requests.weight", "requests.bias"}) == only_requests
    assert (tmp_path / train.CHECKPOINT_NAME).is_file()
