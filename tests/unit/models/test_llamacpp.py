from __future__ import annotations

import sys
from pathlib import Path

import pytest

from models.runtime.llamacpp import LlamaCppModel
from schemas.errors import EngineMissingError, GenerationError, ModelDamagedError, ModelMissingError
from tests.networks.language import LONG, write_tiny

ENDLESS = 'root ::= "a"{40,40}\n'


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("models") / "tiny.gguf"
    write_tiny(file)
    return file


@pytest.fixture(scope="module")
def model(path: Path) -> LlamaCppModel:
    return LlamaCppModel(path, threads=1, context_tokens=64)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelMissingError, match=r"none\.gguf"):
        LlamaCppModel(tmp_path / "none.gguf")


@pytest.mark.parametrize("keep", [0, 4, 500, 20_000, -1])
def test_a_truncated_file_is_damaged(path: Path, tmp_path: Path, keep: int) -> None:
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(ModelDamagedError, match=r"cut\.gguf \(\d+ bytes\)"):
        LlamaCppModel(cut)


def test_a_file_of_something_else_is_damaged(tmp_path: Path) -> None:
    other = tmp_path / "other.gguf"
    other.write_bytes(b"not a model" * 1000)
    with pytest.raises(ModelDamagedError):
        LlamaCppModel(other)


def test_without_the_package_the_error_says_how_to_get_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    with pytest.raises(EngineMissingError, match="pip install llama-cpp-python"):
        LlamaCppModel(path)


def test_a_prompt_that_fills_the_context_is_refused(model: LlamaCppModel) -> None:
    with pytest.raises(GenerationError, match="does not fit"):
        model.completed("<|turn|>" * 64, grammar='root ::= "a"\n', max_tokens=5)


def test_the_output_ends_with_the_context_at_the_latest(model: LlamaCppModel) -> None:
    with pytest.raises(GenerationError, match="not complete after 4 tokens"):
        model.completed("<|turn|>" * 60, grammar=ENDLESS, max_tokens=500)


def test_a_grammar_that_llama_cpp_refuses_is_an_error(model: LlamaCppModel) -> None:
    with pytest.raises(GenerationError, match="refused the grammar"):
        model.completed("<|turn|>", grammar="root ::= undefined-rule\n", max_tokens=5)


def test_after_an_error_the_next_call_is_as_good_as_the_first(model: LlamaCppModel) -> None:
    grammar = 'root ::= "jazz" | "cold" | "hungry"\n'
    before = model.completed("<|turn|>i'm cold", grammar=grammar, max_tokens=9)
    with pytest.raises(GenerationError):
        model.completed("<|turn|>i'm hungry", grammar=ENDLESS, max_tokens=3)
    assert model.completed("<|turn|>i'm cold", grammar=grammar, max_tokens=9) == before


def test_what_is_kept_of_the_call_before_does_not_change_the_answer(path: Path, model: LlamaCppModel) -> None:
    grammar = 'root ::= ("a" | "e" | "i" | "o" | "u" | " "){12,12}\n'
    prompts = ["<|turn|>play some jazz", "<|turn|>play some music", "<|turn|>"]
    again = [model.completed(prompt, grammar=grammar, max_tokens=20) for prompt in [*prompts, *reversed(prompts)]]
    fresh = [LlamaCppModel(path, threads=1).completed(prompt, grammar=grammar, max_tokens=20) for prompt in prompts]
    assert again == [*fresh, *reversed(fresh)]


def test_a_token_of_more_than_32_bytes_comes_out_whole(model: LlamaCppModel) -> None:
    literal = LONG.replace('"', '\\"')
    assert model.completed("<|turn|>", grammar=f'root ::= "{literal}"\n', max_tokens=60) == LONG


def test_llama_cpp_writes_nothing_to_standard_error(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    loaded = LlamaCppModel(path, threads=1)
    loaded.completed("<|turn|>", grammar='root ::= "a"\n', max_tokens=3)
    loaded.close()
    assert capfd.readouterr().err == ""


GRAMMAR = 'root ::= "yes" | "no"\n'


def test_the_same_prompt_gives_the_same_completion_that_the_grammar_accepts(model: LlamaCppModel) -> None:
    first, second = (model.completed("<|turn|>hello", grammar=GRAMMAR, max_tokens=8) for _ in range(2))
    assert first == second and first in {"yes", "no"}


def test_an_empty_grammar_is_an_error(model: LlamaCppModel) -> None:
    with pytest.raises(GenerationError):
        model.completed("<|turn|>", grammar="", max_tokens=8)


def test_what_is_not_done_in_time_is_an_error_and_the_next_call_works(model: LlamaCppModel) -> None:
    with pytest.raises(GenerationError, match="not complete after 0 s"):
        model.completed("a", grammar=GRAMMAR, max_tokens=8, within_s=0.0)
    assert model.completed("a", grammar=GRAMMAR, max_tokens=8) in {"yes", "no"}


@pytest.mark.parametrize(
    "error", [RuntimeError("llama_decode returned -1"), MemoryError(), OSError(5, "Input/output error")]
)
def test_a_crash_inside_is_an_error_and_the_next_call_works(
    error: Exception, model: LlamaCppModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    import llama_cpp

    def crash(self: object, tokens: object) -> None:
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(llama_cpp.Llama, "eval", crash)
        with pytest.raises(GenerationError, match=type(error).__name__):
            model.completed("a", grammar=GRAMMAR, max_tokens=8)
    assert model.completed("a", grammar=GRAMMAR, max_tokens=8) in {"yes", "no"}


def test_an_adapter_that_is_none_is_damage(path: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelDamagedError, match="adapter"):
        LlamaCppModel(path, adapter=tmp_path / "missing.gguf")
    (tmp_path / "junk.gguf").write_bytes(b"GGUF, but no more")
    with pytest.raises(ModelDamagedError, match="adapter"):
        LlamaCppModel(path, adapter=tmp_path / "junk.gguf")
