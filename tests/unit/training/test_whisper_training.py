"""Adapting Whisper: what is said, the scenes, and that what is trained is what is added to the weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from deploy.lab.hearing.cases import FREE
from models.commands.templates import load_templates
from models.runtime.ct2_file import Adaptation
from models.training.whisper import scenes
from models.training.whisper.average import mean
from models.training.whisper.speech import Speech
from models.training.whisper.texts import LONGEST, draw


def test_sentences_are_no_longer_than_allowed_and_none_of_those_that_hearing_is_measured_with() -> None:
    texts = draw(700, load_templates(), 5)
    assert len(texts) == 700
    assert max(len(text.split()) for text in texts) <= LONGEST
    assert not {one.text for one in FREE} & set(texts)
    assert len(set(texts)) > 500
    assert texts == draw(700, load_templates(), 5)


def test_the_mean_of_additions_is_the_mean_of_what_they_add() -> None:
    rng = np.random.default_rng(2)

    def made(rank: int) -> Adaptation:
        down, up = rng.normal(size=(rank, 12)).astype(np.float16), rng.normal(size=(9, rank)).astype(np.float16)
        return Adaptation("f" * 64, {"one": (down, up)})

    def added(one: Adaptation) -> NDArray[np.float32]:
        down, up = one.changes["one"]
        return np.asarray(up.astype(np.float32) @ down.astype(np.float32))

    both = [made(9), made(9)]  # as many as the matrix has rows: nothing is lost
    found = mean(both, share=0.5)
    assert np.allclose(added(found), 0.25 * (added(both[0]) + added(both[1])), atol=0.02)
    assert [part.shape for part in found.changes["one"]] == [(9, 12), (9, 9)]
    with pytest.raises(ValueError, match="belong together"):
        mean([both[0], Adaptation("0" * 64, both[1].changes)])


def _speech() -> Speech:
    rng = np.random.default_rng(1)
    sounds = [np.asarray(rng.normal(0.0, 3000.0, 16_000 + 400 * one), np.int16) for one in range(3)]
    begins = np.concatenate([[0], np.cumsum([len(sound) for sound in sounds])])
    return Speech(np.concatenate(sounds), begins, ["one", "two", "three"])


def test_speech_is_read_as_it_was_kept(tmp_path: Any) -> None:
    speech = _speech()
    speech.save(tmp_path / "speech.npz")
    again = Speech.load(tmp_path / "speech.npz")
    assert again.texts == speech.texts
    assert all(np.array_equal(again[number], speech[number]) for number in range(len(speech)))


def test_scenes_are_sound_of_full_scale_and_differ_from_draw_to_draw() -> None:
    speech, rng = _speech(), np.random.default_rng(2)
    pool = scenes.noises(4, speech, rng)
    made = [scenes.scene(speech[0], pool, rng) for _ in range(6)] + [scenes.scene(None, pool, rng)]
    assert all(one.dtype == np.float32 and np.isfinite(one).all() and np.abs(one).max() <= 1.0 for one in made)
    assert all(one.size > 0.7 * len(speech[0]) for one in made[:6])
    assert len({one.size for one in made}) > 1


def _tiny(rng: np.random.Generator, width: int = 16, vocabulary: int = 40) -> dict[str, NDArray[np.float32]]:
    """Weights of a Whisper of one layer on each side, by CTranslate2's names."""

    def some(*shape: int) -> NDArray[np.float32]:
        return np.asarray(rng.normal(0.0, 0.2, shape), np.float32)

    def norm(name: str) -> dict[str, NDArray[np.float32]]:
        return {f"{name}/gamma": np.ones(width, np.float32), f"{name}/beta": np.zeros(width, np.float32)}

    def linear(name: str, rows: int, columns: int) -> dict[str, NDArray[np.float32]]:
        return {f"{name}/weight": some(rows, columns), f"{name}/bias": some(rows)}

    def block(side: str, *, across: bool) -> dict[str, NDArray[np.float32]]:
        at = f"{side}/layer_0"
        found = {
            **norm(f"{at}/self_attention/layer_norm"), **linear(f"{at}/self_attention/linear_0", 3 * width, width),
            **linear(f"{at}/self_attention/linear_1", width, width), **norm(f"{at}/ffn/layer_norm"),
            **linear(f"{at}/ffn/linear_0", 4 * width, width), **linear(f"{at}/ffn/linear_1", width, 4 * width),
            **norm(f"{side}/layer_norm"),
        }  # fmt: skip
        if across:
            found |= {
                **norm(f"{at}/attention/layer_norm"), **linear(f"{at}/attention/linear_0", width, width),
                **linear(f"{at}/attention/linear_1", 2 * width, width), **linear(f"{at}/attention/linear_2", width, width),
            }  # fmt: skip
        return found

    return {
        **block("encoder", across=False), **block("decoder", across=True),
        "encoder/conv1/weight": some(width, 80, 3), "encoder/conv1/bias": some(width),
        "encoder/conv2/weight": some(width, width, 3), "encoder/conv2/bias": some(width),
        "encoder/position_encodings/encodings": some(200, width), "decoder/position_encodings/encodings": some(30, width),
        "decoder/embeddings/weight": some(vocabulary, width),
    }  # fmt: skip


def _added(
    arrays: Mapping[str, NDArray[np.float32]], additions: Mapping[str, NDArray[np.float16]]
) -> dict[str, NDArray[np.float32]]:
    whole = dict(arrays)
    for name in {name.rsplit(".", 1)[0] for name in additions}:
        up, down = (additions[f"{name}.{one}"].astype(np.float32) for one in ("up", "down"))
        whole[name] = np.asarray(arrays[name] + up @ down, np.float32)
    return whole


def test_what_was_trained_does_the_same_once_it_is_added_to_the_weights() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is needed for training only")
    from models.training.whisper.network import Whisper, log_mel

    torch.manual_seed(0)
    rng = np.random.default_rng(3)
    arrays = _tiny(rng)
    network = Whisper(arrays)
    mel = log_mel([np.asarray(rng.normal(0.0, 0.1, 9_000), np.float32)], torch.rand(80, 201))
    tokens = torch.tensor([[1, 2, 3, 4]])

    def logits(of: Any) -> Any:
        return of.logits(of.decode(tokens, of.encode(mel))[0]).float()

    with torch.no_grad():
        plain = logits(network)
    weights = [one for one in network.parameters() if one.requires_grad]
    optimizer = torch.optim.AdamW(weights, lr=0.01)
    wanted = torch.tensor([5, 6, 7, 8])
    losses: list[float] = []
    for _ in range(30):
        loss = torch.nn.functional.cross_entropy(logits(network), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.5 * losses[0]
    with torch.no_grad():
        trained = logits(network)
        added = logits(Whisper(_added(arrays, network.additions())))
        again = Whisper(arrays)
        made = network.additions()
        names = {name.rsplit(".", 1)[0] for name in made}
        again.add({name: (made[f"{name}.down"], made[f"{name}.up"]) for name in names})
    moved = float((trained - plain).abs().max())
    assert moved > 1.0
    assert float((added - trained).abs().max()) < 0.1 * moved
    assert float((logits(again).detach() - trained).abs().max()) < 0.02 * moved
