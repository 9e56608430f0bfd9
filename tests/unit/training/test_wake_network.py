"""The exported network gives what the trained one gives. Needs the `train` extra."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from models.runtime import keyword, mel
from models.runtime.keyword import KeywordNetwork

torch = pytest.importorskip("torch", reason="PyTorch is not installed (extra `train`): nothing to compare with")


def test_export_equals_the_network_in_torch(tmp_path: Path) -> None:
    from models.training.wake import network
    from models.training.wake.train import features_of

    torch.manual_seed(3)
    net = network.KeywordNet(3)
    with torch.no_grad():  # batch normalisation with statistics of its own, so that folding is put to the test
        net(torch.randn(4, 200, mel.BANDS) * 2.0 + 0.5)
    net.eval()
    network.export(net, tmp_path / "net.onnx", {"keyword": "test"}, 1)
    samples = (3000.0 * np.random.default_rng(1).standard_normal(32_000)).astype(np.int16)
    features = features_of(
        samples[None].astype(np.float32) / np.float32(32768.0), [mel.mel_bank()], np.random.default_rng(1)
    )
    with torch.no_grad():
        expected = torch.sigmoid(net(features))[0, 1].numpy()
    assert expected.shape == (keyword.outputs_of(features.shape[1]),)
    with torch.no_grad():
        later = torch.sigmoid(net(features[:, keyword.HOP :]))[0, 1].numpy()
    every = np.zeros(expected.size + later.size, np.float32)
    every[::2], every[1::2] = expected, later
    runtime = KeywordNetwork(tmp_path / "net.onnx")
    scores = runtime.process(samples)
    window = keyword.SMOOTHING * keyword.STRIDE // keyword.HOP
    smoothed = np.convolve(every, np.ones(window) / window)[: every.size]
    assert np.allclose(scores.values, smoothed, atol=2e-3)  # weights are stored as 16-bit floats
    assert runtime.metadata["keyword"] == "test"


def test_exported_networks_are_learnt_on_from(tmp_path: Path) -> None:
    from models.training.wake import network

    torch.manual_seed(4)
    net = network.KeywordNet(3)
    with torch.no_grad():
        net(torch.randn(4, 200, mel.BANDS) * 2.0 + 0.5)
    net.eval()
    paths = [tmp_path / "first.onnx", tmp_path / "second.onnx"]
    for index, path in enumerate(paths):
        network.export(net, path, {"keyword": "test"}, index)
    again = network.load(paths, 5)
    again.eval()
    features = torch.randn(1, 150, mel.BANDS)
    with torch.no_grad():
        assert torch.allclose(torch.sigmoid(again(features))[:, :2], torch.sigmoid(net(features))[:, :2], atol=2e-3)


def test_size_stays_small() -> None:
    from models.training.wake import network

    assert 50_000 < network.parameters(network.KeywordNet()) < 100_000
