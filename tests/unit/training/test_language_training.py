from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer

from models.runtime.fake_language import FakeLanguageModel
from models.runtime.llamacpp import LlamaCppModel
from models.structured import Structured
from models.structured.prompt import opening
from models.structured.words import fact_parts, words
from models.training.language.data import vocabulary
from models.training.language.data.copying import copying_task
from models.training.language.data.examples import SIZES, Example, Examples
from models.training.language.data.labelled_turns import TurnSampler
from models.training.language.data.maintain import maintain
from models.training.language.export import write
from models.training.language.measure import leaves_of
from models.training.language.shape import Shape
from schemas.memory import MaintenanceChoice
from schemas.preferences import BY_DETAIL
from tests.networks import language as tiny

SHARES = {"extract": 0.65, "maintain": 0.35}


@pytest.fixture(scope="module")
def drawn() -> list[Example]:
    return Examples(3, names=("quorvat", "belmisso", "tarneck")).draw(300, SHARES)


def test_every_example_is_what_a_perfect_model_would_answer(drawn: list[Example]) -> None:
    for example in drawn[:60]:
        language = FakeLanguageModel(otherwise=example.output)
        filled = Structured(language).fill(example.task, example.model, turns=example.turns, facts=example.facts)
        assert filled.model_dump(mode="json", exclude_defaults=True) == example.answer
        assert language.prompts == [example.prompt]


def test_examples_are_the_same_for_the_same_seed() -> None:
    first, second = (Examples(5).draw(20, SHARES) for _ in range(2))
    assert first == second
    assert first != Examples(6).draw(20, SHARES)


def test_slices_have_the_size_that_the_callers_make(drawn: list[Example]) -> None:
    sizes = [len(example.leaves) for example in drawn if example.task != "maintain"]
    assert set(sizes) == set(SIZES)


def test_what_is_missing_from_a_slice_does_not_spill_into_a_neighbour(drawn: list[Example]) -> None:
    left_out = [example for example in drawn if example.kind == "left out" and not example.answer]
    assert len(left_out) > 5
    for example in drawn:
        assert all(path[-1] in example.leaves for path in leaves_of(dict(example.answer)) if path and example.leaves)


def test_training_and_held_out_sentences_are_apart() -> None:
    seen = {turn for example in Examples(1).draw(400, {"maintain": 1.0}) for turn in example.turns}
    held_out = {turn for example in Examples(1, held_out=True).draw(200, {"maintain": 1.0}) for turn in example.turns}
    assert len(seen & held_out) <= 0.02 * len(held_out)


def test_maintenance_decides_by_its_rules() -> None:
    rng = Random(2)  # noqa: S311 - examples, not secrets
    cases = [case for _ in range(600) if (case := maintain(rng, held_out=False)) is not None]
    assert set(Counter(case.kind for case in cases)) == {"same", "other", "taken back", "traded"}
    for case in cases:
        choice = MaintenanceChoice.model_validate(case.choice)
        parts = [fact_parts(fact) for fact in case.facts]
        entries = {name: value for name, value in parts if name.isdecimal()}
        detail = next((value for name, value in parts if name == "category"), None)
        assert (choice.decision == "append") == (choice.entry is None)
        assert choice.entry is None or str(choice.entry) in entries
        if detail is not None and not BY_DETAIL[detail].multi and entries:
            assert choice.decision != "append"
        assert {"same": "pass", "taken back": "update", "traded": "update"}.get(
            case.kind, choice.decision
        ) == choice.decision


def test_what_is_told_are_words_of_its_turn_and_what_tells_nothing_has_no_mention() -> None:
    sampler = TurnSampler(Random(6), names=("quorvat", "belmisso", "tarneck"))  # noqa: S311 - examples, not secrets
    told = [sampler.sample() for _ in range(400)]
    kinds = Counter(one.kind for one in told)
    assert {"stated", "hinted", "negated", "two", "listed", "aside", "one-off", "need", "talk", "2 turns"} <= set(kinds)
    for one in told:
        for turn, _, said in one.gold if one.kind in ("stated", "hinted", "negated") else ():
            assert f" {said} " in f" {' '.join(words(one.turns[turn]))} "
        if one.kind in ("aside", "one-off", "need", "talk", "other's"):
            assert not one.gold
    assert sum(len(one.gold) == 2 for one in told if one.kind == "listed") == kinds["listed"]


def test_a_turn_without_a_preference_is_mostly_shown_with_its_own_category() -> None:
    drawn = [e for e in Examples(8).draw(400, {"extract": 1.0}) if e.kind in ("aside", "one-off")]
    assert len(drawn) > 20
    assert all(example.answer == {} for example in drawn)


def test_llama_cpp_cuts_words_as_the_trainer_does(tmp_path: Path, drawn: list[Example]) -> None:
    tiny.write_tiny(tmp_path / "tiny.gguf")
    model = LlamaCppModel(tmp_path / "tiny.gguf", threads=1)
    tokenizer = vocabulary.train(tiny.TEXTS, (), tiny.PIECES)
    odd = ["<|extract|>\"up\" café größe r&b ac/dc i've 21.5 東京 don't  two  spaces<|out|>{}"]
    for text in [*odd, *(example.prompt + example.output for example in drawn)]:
        ours = tokenizer.encode(text).ids
        assert model._llama.tokenize(text.encode(), add_bos=False, special=True) == ours


def test_naming_a_leaf_is_one_token_and_digits_stand_alone(drawn: list[Example]) -> None:
    tokenizer = vocabulary.train(tiny.TEXTS, (), tiny.PIECES)
    for mark in (
        *map(opening, BY_DETAIL),
        '"favorite_genres":',
        "{}",
        '"}]}}}',
    ):
        assert len(tokenizer.encode(mark).ids) == 1
    assert len(tokenizer.encode("21").ids) == 2
    for example in drawn:
        if example.answer and example.task != "maintain":
            first = tokenizer.id_to_token(tokenizer.encode(example.output).ids[0])
            assert first in [*map(opening, example.leaves)]


def test_the_exported_network_computes_what_the_trained_one_does(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed (extra `train`): nothing to compare with")
    import llama_cpp

    from models.training.language.network import Network

    torch.manual_seed(0)
    tokenizer = vocabulary.train(tiny.TEXTS, (), tiny.PIECES)
    size = tokenizer.get_vocab_size()
    shape = Shape(vocabulary=size, layers=2, inner=96)
    network = Network(shape, torch.randn(size, shape.prior), torch.ones(size, dtype=torch.bool)).eval()
    write(tmp_path / "same.gguf", shape, network.tensors(), tokenizer, quantized=False)
    model = LlamaCppModel(tmp_path / "same.gguf", threads=1)
    given, begun = (
        tokenizer.encode(text).ids for text in ("<|extract|><|turn|>0 play some jazz<|out|>", '{"up": jazz')
    )
    table = network.vectors(torch.arange(size)).detach()
    model._prefill(given)
    for count in range(len(begun) + 1):
        if count:
            model._llama.eval([begun[count - 1]])
        theirs = np.ctypeslib.as_array(llama_cpp.llama_get_logits_ith(model._llama.ctx, -1), shape=(size,))
        ids = torch.tensor([[*given, *begun[:count]]])
        last = torch.zeros(ids.shape, dtype=torch.bool)
        last[0, -1] = True
        with torch.no_grad():
            ours = (network.hidden(table[ids], torch.tensor([len(given)]), last) @ table.T)[0].numpy()
        assert np.abs(ours - theirs).max() < 0.02 * np.abs(ours).max()
        assert ours.argmax() == theirs.argmax()


def test_drills_ask_for_what_stands_in_them() -> None:
    rng = Random(4)  # noqa: S311 - examples, not secrets
    names = ("quorvat", "belmisso", "tarneck", "oldrim")
    given = [copying_task(rng, names) for _ in range(200)]
    assert {text[:7] for text, _ in given} == {"<|extra", "<|maint"}
    for prompt, wanted in given:
        head, _, cue = prompt.partition("<|out|>")
        if wanted.isdecimal():
            assert f"<|fact|>{wanted}{head.partition('<|new|>')[2]}" in head
        elif wanted:
            assert cue + wanted in head


def test_an_untrained_network_looks_one_word_back_and_copies() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed (extra `train`): nothing to compute with")
    from models.training.language.network import Network

    torch.manual_seed(0)
    shape = Shape(vocabulary=300, layers=2)
    network = Network(shape, torch.randn(300, shape.prior), torch.zeros(300, dtype=torch.bool)).eval()
    table = network.vectors(torch.arange(300))
    right = 0
    with torch.no_grad():
        for seed in range(30):
            torch.manual_seed(seed)
            said = torch.randperm(300)[:20]
            tokens = torch.cat((said, said[:6]))
            last = torch.zeros((1, len(tokens)), dtype=torch.bool)
            last[0, -1] = True
            logits = (network.hidden(table[tokens][None], torch.tensor([len(tokens)]), last) @ table.T)[0]
            logits[tokens[-1]] = -torch.inf
            right += int(said[logits[said].argmax()] == said[6])
    assert right >= 15


def test_orthogonal_steps_have_singular_values_near_one() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed (extra `train`): nothing to compute with")
    from models.training.language.muon import orthogonal

    torch.manual_seed(0)
    for shape in ((32, 96), (96, 32), (32, 32)):
        singular = torch.linalg.svdvals(orthogonal(torch.randn(shape)))
        assert singular.max() < 1.4
        assert singular.median() > 0.6


def test_a_wider_vocabulary_keeps_the_numbers_of_all_tokens() -> None:
    tokenizer = vocabulary.train(tiny.TEXTS, (), tiny.PIECES)
    whole = json.loads(tokenizer.to_str())
    known, gone = tokenizer.get_vocab(), opening("favorite_genres")
    whole["added_tokens"] = [token for token in whole["added_tokens"] if token["content"] != gone]
    older = Tokenizer.from_str(json.dumps(whole))
    assert gone not in older.get_vocab()
    kept = older.get_vocab()
    vocabulary.widen(older)
    assert set(older.get_vocab()) == set(known)
    assert {text: older.get_vocab()[text] for text in kept} == kept
    assert len(older.encode(gone).ids) == 1


def test_a_run_goes_on_from_weights_with_fewer_tokens() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed (extra `train`): nothing to take over")
    from models.training.language.network import Network
    from models.training.language.train import Schedule, take_over

    def network(size: int) -> Any:
        shape = Shape(vocabulary=size, layers=2, inner=96)
        return Network(shape, torch.randn(size, shape.prior), torch.ones(size, dtype=torch.bool))

    small, large = network(40), network(48)
    before = large.own.detach().clone()
    take_over(large, small.state_dict())
    assert torch.equal(large.own[:40], small.own)
    assert torch.equal(large.own[40:], before[40:])
    assert torch.equal(large.blocks[0].attn_q.weight, small.blocks[0].attn_q.weight)
    schedule = Schedule(steps=100, peak=0.5, last=0.1)
    assert schedule.scale(2) == pytest.approx(0.5, abs=0.01)
    assert schedule.scale(100) == pytest.approx(0.05)
