"""The language model port: the same promises of the fake and of llama.cpp."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.runtime.fake_language import FakeLanguageModel
from models.runtime.llamacpp import LlamaCppModel
from schemas.errors import GenerationError
from schemas.ports import LanguageModel
from tests.networks.language import write_tiny

GRAMMAR = 'root ::= "{\\"on\\":" ("true" | "false") "}"\n'
ACCEPTED = {'{"on":true}', '{"on":false}'}


@pytest.fixture(params=["fake", "llama.cpp"])
def language(request: pytest.FixtureRequest, tmp_path: Path) -> LanguageModel:
    if request.param == "fake":
        return FakeLanguageModel(otherwise='{"on":true}')
    write_tiny(tmp_path / "tiny.gguf")
    return LlamaCppModel(tmp_path / "tiny.gguf", threads=1, context_tokens=128)


def test_the_completion_is_one_that_the_grammar_accepts(language: LanguageModel) -> None:
    assert language.complete("<|turn|><|turn|>0 hello<|out|>", grammar=GRAMMAR, max_tokens=50) in ACCEPTED


def test_the_same_prompt_gives_the_same_completion(language: LanguageModel) -> None:
    first, second = (language.complete("<|turn|>", grammar=GRAMMAR, max_tokens=50) for _ in range(2))
    assert first == second


def test_a_limit_before_the_grammars_end_is_an_error(language: LanguageModel) -> None:
    with pytest.raises(GenerationError, match="not complete after 1 tokens"):
        language.complete("<|turn|>", grammar=GRAMMAR, max_tokens=1)


def test_an_empty_grammar_is_an_error(language: LanguageModel) -> None:
    with pytest.raises(GenerationError):
        language.complete("<|turn|>", grammar="", max_tokens=50)
