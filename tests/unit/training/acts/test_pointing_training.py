"""The small network's training: the program computes what was trained, a few steps learn something, what was known stays."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tokenizers import Tokenizer

from models.acts import pointing
from models.acts.spelling import write
from models.acts.steps import prompt
from models.text import spoken
from models.training.acts.form import read
from models.training.acts.lines import Case
from models.training.acts.pointing.rows import Row, rows

torch = pytest.importorskip("torch", reason="PyTorch is not installed (extra `train`): nothing is trained")

from models.training.acts.pointing import kept  # noqa: E402 - needs PyTorch
from models.training.acts.pointing.network import Batch, Pointing, Reader, Whole  # noqa: E402
from models.training.acts.pointing.train import Run, save  # noqa: E402
from models.training.blocks import Shape  # noqa: E402
from models.training.encoder.network import Base, Classifier, Embeddings, Layer, Sizes  # noqa: E402

TOKENIZER = Path("models/builtin/encoder/tokenizer.json")
CASES = [
    Case(
        "open the window to fifty percent and play hey jude", read("set_window(percent=50); play_music(song=hey jude)")
    ),
    Case("a bit more", read("change_volume(change=up)"), "did change_volume(change=up)"),
    Case("anna then", read("call_contact(person=anna)"), "did call_contact(person=peter pan)"),
    Case("play some jazz", read("play_music(genre=jazz)")),
]


class Untaught(Base):
    """A base with random weights, of two layers."""

    def __init__(self) -> None:
        torch.nn.Module.__init__(self)
        pieces = Tokenizer.from_file(str(TOKENIZER)).get_vocab_size()
        rng = np.random.default_rng(0)
        drawn = {
            "embeddings.word_embeddings.weight": rng.normal(size=(pieces, 384), scale=0.05).astype(np.float32),
            "embeddings.position_embeddings.weight": rng.normal(size=(64, 384), scale=0.02).astype(np.float32),
            "embeddings.token_type_embeddings.weight": np.zeros((1, 384), np.float32),
            "embeddings.LayerNorm.weight": np.ones(384, np.float32),
            "embeddings.LayerNorm.bias": np.zeros(384, np.float32),
        }
        self.embeddings = Embeddings(drawn, list(range(pieces)), 64)
        self.layers = torch.nn.ModuleList([Layer(), Layer()])
        self.requires_grad_(False)


class Encoder:
    """The states that the reader gives, as `models.runtime.onnx_encoder.OnnxEncoder.states` gives them."""

    def __init__(self, reader: Reader) -> None:
        self._reader, self._tokenizer = reader, Tokenizer.from_file(str(TOKENIZER))

    def states(self, text: str, spans: Sequence[tuple[int, int]]) -> NDArray[np.float32]:
        pieces = self._tokenizer.encode(text)
        words = [
            (at, 0, min(inside), max(inside) + 1)
            for at, (start, end) in enumerate(spans)
            if (inside := [one for one, (a, b) in enumerate(pieces.offsets) if a < end and b > start and b > a])
        ]
        given = np.full(len(spans), -1)
        row = Row(
            (np.array(pieces.ids),), np.array(words), given, np.zeros(1, np.int64), np.zeros((1, len(spans)), np.bool_)
        )
        with torch.no_grad():
            return self._reader(Batch([row]))[0].numpy()  # type: ignore[no-any-return]


def made() -> list[Row]:
    return rows(Tokenizer.from_file(str(TOKENIZER)), CASES)


def whole(layers: int = 1) -> Whole:
    torch.manual_seed(0)
    classifier = Classifier([Layer() for _ in range(layers)], Sizes(41, 4, 9, len(kept.CHOICES)))
    return Whole(Reader(Untaught(), classifier), Pointing(Shape(width=64, layers=2, heads=2, inner=96))).eval()


def test_what_cannot_be_pointed_at_is_left_out() -> None:
    some = [*CASES, Case("play something", read("play_music(song=yesterday)"))]
    assert len(rows(Tokenizer.from_file(str(TOKENIZER)), some)) == len(CASES)


def test_a_row_tells_where_its_words_stand() -> None:
    tokenizer, row = Tokenizer.from_file(str(TOKENIZER)), made()[2]
    given = prompt(spoken(CASES[2].utterance), CASES[2].context)
    assert len(row.texts) == 2, "the utterance, and the name of the context"
    for place, text, first, last in row.words.tolist():
        pieces = [str(tokenizer.id_to_token(piece)) for piece in row.texts[text][first:last].tolist()]
        assert "".join(pieces).replace("##", "") == given.words[place]


def test_the_program_computes_what_was_trained() -> None:
    network, some = whole(), made()
    encoder = Encoder(network.reader)
    with torch.no_grad():
        batch = Batch(some)
        theirs, at = network.pointing(batch, network.reader(batch)).numpy(), 0
    for case, row in zip(CASES, some, strict=True):
        given = prompt(spoken(case.utterance), case.context)
        tensors = network.pointing.tensors()
        run = pointing._Run(tensors, 2, given, pointing.states_of(encoder, given))
        for token, places in zip(row.tokens.tolist(), row.places, strict=True):
            ours = run.likely()
            there = theirs[at, : len(ours)]
            assert np.abs(ours - there)[there > -100].max() < 1e-3
            run.take(token, -1 if token >= 0 else int(places.argmax()))
            at += 1


def test_a_few_steps_learn_something_and_a_stopped_run_goes_on(tmp_path: Path) -> None:
    run = Run(tmp_path, whole())
    batch = Batch(made())
    before = run.learn(batch, 1.0)
    for _ in range(60):
        run.learn(batch, 1.0)
    run.save()
    again = Run(tmp_path, whole())
    assert (again.step, again.cases, again.round) == (61, 244, 1)
    assert again.learn(batch, 0.0) < 0.5 * before


def test_the_file_of_the_network_parses_as_it_learnt(tmp_path: Path) -> None:
    run = Run(tmp_path, whole())
    batch = Batch(made())
    for _ in range(200):
        run.learn(batch, 1.0)
    network = run.network.eval()
    save(tmp_path / "made.npz", network.pointing)
    parser = pointing.PointingParser(tmp_path / "made.npz", Encoder(network.reader))
    assert write(parser.parse("play some jazz").acts) == str(CASES[3].answer)
    other = Pointing(network.pointing.shape)
    other.restore(*pointing.load(tmp_path / "made.npz"))
    assert torch.allclose(other.place_q.weight, network.pointing.place_q.weight, atol=0.01)


def test_what_the_branch_told_is_held() -> None:
    network, base = whole(), Untaught()
    base.search = lambda x, mask: x.mean(1)  # type: ignore[method-assign]
    said = [case.utterance for case in CASES]
    held = kept.Kept(base, network.reader.classifier, Tokenizer.from_file(str(TOKENIZER)), said)
    assert abs(held.loss(network.reader.classifier).item()) < 0.01, "nothing was forgotten yet"
    with torch.no_grad():
        for one in network.reader.classifier.layers.parameters():
            one.add_(0.2 * torch.randn_like(one))
    forgotten = held.loss(network.reader.classifier).item()
    assert forgotten > 0.02
    optimizer = torch.optim.Adam(network.reader.parameters(), lr=1e-3)
    for _ in range(30):
        optimizer.zero_grad()
        held.loss(network.reader.classifier).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    assert held.loss(network.reader.classifier).item() < 0.5 * forgotten
