"""One encoder learns what several say: their mean, the loss towards it, and the texts that they are asked about."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed (extra `train`): nothing is trained")

from models.training.encoder import distil  # noqa: E402 - needs PyTorch
from models.training.encoder.examples import CHOICES, REQUESTS  # noqa: E402
from models.training.encoder.network import WIDTH, Classifier  # noqa: E402
from models.training.encoder.train import SIZES, Batch  # noqa: E402

TEXTS = 5
PIECES = 7


class Flat:
    """Stands for the frozen layers: made-up hidden states, the same for every batch of a size."""

    def shared(self, ids: Any, mask: Any) -> Any:
        del mask
        generator = torch.Generator().manual_seed(1)
        return torch.randn((*ids.shape, WIDTH), generator=generator)

    def search(self, x: Any, mask: Any) -> Any:
        del mask
        return x.mean(1)


def branch(seed: int) -> Classifier:
    torch.manual_seed(seed)
    made = Classifier([], SIZES).eval()
    for head in (made.details, made.strength, made.choices, made.value, made.values):
        torch.nn.init.normal_(head.weight, std=0.3)
    return made


def batch() -> Batch:
    ids = torch.zeros((TEXTS, PIECES), dtype=torch.long)
    return Batch(
        ids=ids,
        mask=torch.ones(TEXTS, PIECES),
        details=torch.zeros(TEXTS, SIZES.details),
        strength=torch.full((TEXTS,), -1),
        requests=torch.full((TEXTS,), -1),
        choices=torch.full((TEXTS,), -1),
        rivals=torch.zeros((TEXTS, SIZES.choices), dtype=torch.bool),
        values=torch.zeros(TEXTS, PIECES, SIZES.details),
        told=torch.zeros(TEXTS, SIZES.details),
    )


def test_values_are_weighed_within_their_category() -> None:
    member = distil.groups()
    chances = distil.among(torch.randn(3, len(CHOICES)) * 20, member).exp()
    present = member.sum(0) > 0
    assert torch.allclose((chances @ member)[:, present], torch.ones(3, int(present.sum())), atol=1e-4)
    assert torch.equal(member.sum(1), torch.ones(len(CHOICES)))


def test_the_mean_lies_between_the_teachers() -> None:
    flat, rows = Flat(), batch()
    shared = flat.shared(rows.ids, rows.mask)
    found, member = flat.search(shared, rows.mask), distil.groups()
    one, other = branch(1), branch(2)
    single = [distil.mean_of([teacher], shared, rows.mask, found, member) for teacher in (one, other)]
    both = distil.mean_of([one, other], shared, rows.mask, found, member)
    assert torch.allclose(both.details, (single[0].details + single[1].details) / 2, atol=1e-6)
    assert torch.allclose(both.strength.sum(-1), torch.ones(TEXTS), atol=1e-5)
    assert not torch.allclose(single[0].details, single[1].details, atol=1e-2)


def test_who_says_what_the_teacher_says_has_nothing_to_learn_and_who_does_not_has() -> None:
    teacher, flat, rows = branch(1), Flat(), batch()
    lesson = distil.Lesson([teacher])
    same, other = branch(1), branch(2)
    same.requires_grad_(True)

    def slope(student: Classifier) -> float:
        student.zero_grad()
        lesson(student, flat, rows).backward()  # pyright: ignore[reportArgumentType] - stands for the frozen layers
        return max(float(p.grad.abs().max()) for p in student.parameters() if p.grad is not None)

    assert slope(same) < 1e-4
    assert slope(other) > 1e-2
    with torch.no_grad():
        assert lesson(same, flat, rows) < lesson(other, flat, rows)  # pyright: ignore[reportArgumentType]


def test_requests_are_learnt_from_the_labels() -> None:
    teacher, flat, rows = branch(1), Flat(), batch()
    student = branch(1)
    rows.requests[0] = REQUESTS.index("play_radio")
    distil.Lesson([teacher])(student, flat, rows).backward()  # pyright: ignore[reportArgumentType]
    slope = student.requests.bias.grad
    assert slope is not None
    assert int(slope.argmin()) == REQUESTS.index("play_radio")


def test_teachers_are_asked_about_labelled_sentences_and_about_whole_conversations() -> None:
    made = distil.texts(Random(3), 400)  # noqa: S311 - repeatable on purpose
    assert [item.text for item in made] == [item.text for item in distil.texts(Random(3), 400)]  # noqa: S311
    bare = [item for item in made if not item.details and item.strength is None and item.request is None]
    assert len(bare) >= 200 and len(made) == 400
    assert all(0 < len(item.text.split()) <= distil.LAST_WORDS for item in bare)
    assert sum(len(item.text.split()) > 25 for item in bare) > 10
