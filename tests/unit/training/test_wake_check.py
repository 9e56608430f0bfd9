"""What the check is taught with: stretches at which a network fired, with or without the word. Needs the `train` extra."""

from __future__ import annotations

import numpy as np
import pytest

from models.runtime import keyword, mel

pytest.importorskip("torch", reason="PyTorch is not installed (extra `train`): nothing to train with")

import torch

from models.training.wake import check
from models.training.wake.network import KeywordNet


class Fires(torch.nn.Module):
    """Fires at one output of the first word, whatever it is given."""

    def __init__(self, output: int, words: int) -> None:
        super().__init__()
        self.output, self.words = output, words

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        logits = torch.full((features.shape[0], self.words, keyword.outputs_of(features.shape[1])), -9.0)
        logits[:, 0, self.output - 1 : self.output + 2] = 3.0
        return logits


@pytest.mark.parametrize(("label", "count", "said"), [(0.0, 1, False), (1.0, 1, True), (-1.0, 0, False)])
def test_a_fire_is_told_by_the_labels_around_it(label: float, count: int, said: bool) -> None:
    features = torch.randn(1, 358, mel.BANDS)
    labels = np.zeros((1, 6, keyword.outputs_of(358)), np.float32)
    labels[0, 0, 28:34] = label
    found = check.fired(Fires(30, 6), features, labels)
    assert found.said.size == count
    if count:
        assert bool(found.said[0]) is said and int(found.words[0]) == 0
        assert found.features.shape == (1, check.FRAMES, mel.BANDS)
        end = keyword.STRIDE * 31 + keyword.FIELD + check.SLACK // 2
        assert np.array_equal(found.features[0], features[0, end - check.FRAMES : end].numpy())


def test_training_raises_what_was_said_above_what_was_not() -> None:
    torch.manual_seed(1)
    net = KeywordNet(2)
    rng = np.random.default_rng(1)
    features = rng.random((40, check.FRAMES, mel.BANDS), np.float32)
    features[:20, :, :10] += 3.0
    stretches = check.Stretches(features, np.zeros(40, np.int64), np.arange(40) < 20)
    check.train(net, stretches, 25, 1)
    with torch.no_grad():
        given = torch.from_numpy(features[:, : check.FRAMES - check.SLACK])
        scores = check.verdicts(net, given, torch.zeros(40, dtype=torch.int64))
    assert float(scores[:20].mean()) > float(scores[20:].mean()) + 0.2
