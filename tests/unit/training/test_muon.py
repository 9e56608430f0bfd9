from __future__ import annotations

import pytest


def test_orthogonal_steps_have_singular_values_near_one() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed (extra `train`): nothing to compute with")
    from models.training.muon import orthogonal

    torch.manual_seed(0)
    for shape in ((32, 96), (96, 32), (32, 32)):
        singular = torch.linalg.svdvals(orthogonal(torch.randn(shape)))
        assert singular.max() < 1.4
        assert singular.median() > 0.6
