"""Training the network against noise through the acoustic model; needs PyTorch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pocketsphinx
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed (extra `train`): nothing is trained")

from models.runtime import cepstra, denoiser  # noqa: E402
from models.training.asr import denoise, gaussians, noisy, senones  # noqa: E402
from models.training.asr.likelihood import EDGE, Likelihood, features  # noqa: E402
from models.training.wake import noises  # noqa: E402
from tests.unit.training.test_asr_noise import heard, scaled, voiced  # noqa: E402

MODEL = Path(pocketsphinx.get_model_path("en-us/en-us"))


@pytest.fixture(scope="module")
def model() -> Likelihood:
    torch.set_num_threads(1)
    return Likelihood(MODEL)


def test_features_are_cepstra_and_two_slopes() -> None:
    rising = torch.arange(20.0)[None, :, None].expand(1, 20, 13) ** 2
    plain, slope, bend = features(rising)
    assert plain.shape == slope.shape == bend.shape == (1, 20 - 2 * EDGE, 13)
    assert plain[0, 0, 0] == 9.0
    assert slope[0, 0, 0] == 5.0**2 - 1.0
    assert bend[0, 0, 0] == (6.0**2 - 2.0**2) - (4.0**2 - 0.0)


def test_a_likelihood_is_that_of_the_mixture(model: Likelihood) -> None:
    chosen = model.chosen(np.arange(model.count))
    values = [torch.randn(2, 13, generator=torch.Generator().manual_seed(1)) for _ in range(3)]
    found = model(values, chosen)
    assert found.shape == (2, model.count)
    stored, means = senones.read(MODEL), gaussians.read(MODEL / "means")
    variances = np.maximum(gaussians.read(MODEL / "variances"), 1e-4)
    order = np.argsort(stored.codebook, kind="stable")
    for place in (0, 700, model.count - 1):
        senone, total = order[place], 0.0
        book = stored.codebook[senone]
        for stream in range(3):
            distance = (values[stream][1].numpy() - means[book, stream]) ** 2 / variances[book, stream]
            each = -0.5 * (distance + np.log(2.0 * np.pi * variances[book, stream])).sum(axis=1)
            each = each + stored.weights[stream, :, senone]
            total += np.log(np.exp(each - each.max()).sum()) + each.max()
        assert float(found[1, place]) == pytest.approx(total, abs=0.05)


def test_training_brings_the_senones_nearer_goes_on_and_writes_what_the_runtime_computes(
    model: Likelihood, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(noisy, "KINDS", {"plain": (noises.plain, 1.0, 1)})
    monkeypatch.setattr(denoise, "HIDDEN", 16)
    monkeypatch.setattr(denoise, "BATCH", 6)
    monkeypatch.setattr(denoise, "FRAMES", 100)
    monkeypatch.setattr(denoise, "OTHERS", 50)
    monkeypatch.setattr(denoise, "KEPT_OTHERS", 100)
    monkeypatch.setattr(denoise, "WARM_UP", 2)
    clips = [scaled(voiced(1.2))] * 3
    files = denoise.made(clips, [], 16, 1, tmp_path)
    assert denoise.made(clips, [], 16, 1, tmp_path) == files
    scenes = denoise.Scenes(files)
    torch.manual_seed(1)
    before = denoise.kept_losses(denoise.Net(), scenes, model)[0]
    denoise.train(scenes, model, 6, 1, tmp_path / "checkpoint.pt", tmp_path / "noise.npz")
    net = denoise.train(scenes, model, 12, 1, tmp_path / "checkpoint.pt", tmp_path / "noise.npz")
    assert denoise.kept_losses(net, scenes, model)[0] < before
    written = denoiser.Denoiser(tmp_path / "noise.npz")
    shown = scenes.batch(np.asarray([0]))[0][:, :40]
    with torch.no_grad():
        theirs = net(shown)[0].numpy() * denoise.spreads()[0]
    ours = np.stack([written.step(frame) for frame in shown[0].numpy()])
    np.testing.assert_allclose(ours, theirs, atol=0.05)
    assert heard(scaled(voiced()), 160, written).shape[1] == cepstra.COEFFICIENTS
