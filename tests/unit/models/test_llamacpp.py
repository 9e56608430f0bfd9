from __future__ import annotations

import sys
from pathlib import Path

import pytest

from models.runtime.llamacpp import LlamaCppModel
from schemas.errors import EngineMissingError, GenerationError, ModelDamagedError, ModelMissingError
from tests.networks.language import write_tiny

LONG = 'root ::= "a"{40,40}\n'


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


def test_our_own_models_are_known_by_their_metadata(model: LlamaCppModel) -> None:
    assert model.own


def test_a_model_without_a_chat_template_cannot_chat(model: LlamaCppModel) -> None:
    with pytest.raises(ModelDamagedError, match="no chat template"):
        model.render_chat("system", "user")


def chatting(model: LlamaCppModel, monkeypatch: pytest.MonkeyPatch, template: str) -> str:
    """What the model makes of two messages with this template in its file."""
    monkeypatch.setitem(model._llama.metadata, "tokenizer.chat_template", template)
    monkeypatch.setattr(model, "_chat", None)
    return model.render_chat("Be brief.", "Turn 0: hi")


USER_ALONE = "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}"


@pytest.mark.parametrize(
    "template",
    [
        "{% if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
        + USER_ALONE,
        "{% for m in messages if m.role == 'user' %}[user]{{ m.content }}{% endfor %}",
    ],
)
def test_a_template_without_a_system_role_gets_it_all_from_the_user(
    model: LlamaCppModel, monkeypatch: pytest.MonkeyPatch, template: str
) -> None:
    assert chatting(model, monkeypatch, template) == "[user]Be brief.\n\nTurn 0: hi"


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ("{{ raise_exception('No') }}", "ValueError"),
        ("{{ messages.nothing.at.all }}", "UndefinedError"),
        ("{{ ''.__class__.__mro__ }}", "SecurityError"),
        ("I say what I like", "its words are not in what it makes"),
    ],
)
def test_a_template_that_cannot_be_used_is_damage(
    model: LlamaCppModel, monkeypatch: pytest.MonkeyPatch, template: str, why: str
) -> None:
    with pytest.raises(ModelDamagedError, match=why):
        chatting(model, monkeypatch, template)


def test_a_broken_template_is_damage(model: LlamaCppModel, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelDamagedError, match="is broken"):
        chatting(model, monkeypatch, "{% if %}")


def test_a_chat_template_of_the_file_is_used(model: LlamaCppModel, monkeypatch: pytest.MonkeyPatch) -> None:
    template = "{% for m in messages %}[{{ m['role'] }}]{{ m['content'] }}{% endfor %}[assistant]"
    assert chatting(model, monkeypatch, template) == "[system]Be brief.[user]Turn 0: hi[assistant]"


def test_a_prompt_that_fills_the_context_is_refused(model: LlamaCppModel) -> None:
    with pytest.raises(GenerationError, match="does not fit"):
        model.complete("<|turn|>" * 64, grammar='root ::= "a"\n', max_tokens=5)


def test_the_output_ends_with_the_context_at_the_latest(model: LlamaCppModel) -> None:
    with pytest.raises(GenerationError, match="not complete after 4 tokens"):
        model.complete("<|turn|>" * 60, grammar=LONG, max_tokens=500)


def test_a_grammar_that_llama_cpp_refuses_is_an_error(model: LlamaCppModel) -> None:
    with pytest.raises(GenerationError, match="refused the grammar"):
        model.complete("<|turn|>", grammar="root ::= undefined-rule\n", max_tokens=5)


def test_after_an_error_the_next_call_is_as_good_as_the_first(model: LlamaCppModel) -> None:
    grammar = 'root ::= "jazz" | "cold" | "hungry"\n'
    before = model.complete("<|turn|><|turn|>0 i'm cold<|out|>", grammar=grammar, max_tokens=9)
    with pytest.raises(GenerationError):
        model.complete("<|turn|><|turn|>0 i'm hungry<|out|>", grammar=LONG, max_tokens=3)
    assert model.complete("<|turn|><|turn|>0 i'm cold<|out|>", grammar=grammar, max_tokens=9) == before


def test_what_is_kept_of_the_call_before_does_not_change_the_answer(path: Path, model: LlamaCppModel) -> None:
    grammar = 'root ::= ("a" | "e" | "i" | "o" | "u" | " "){12,12}\n'
    prompts = ["<|turn|><|turn|>0 play some jazz<|out|>", "<|turn|><|turn|>0 play some music<|out|>", "<|turn|>"]
    again = [model.complete(prompt, grammar=grammar, max_tokens=20) for prompt in [*prompts, *reversed(prompts)]]
    fresh = [LlamaCppModel(path, threads=1).complete(prompt, grammar=grammar, max_tokens=20) for prompt in prompts]
    assert again == [*fresh, *reversed(fresh)]


def test_a_token_of_more_than_32_bytes_comes_out_whole(model: LlamaCppModel) -> None:
    key = '"preferred_type_of_charging_at_everyday_points":'
    literal = key.replace('"', '\\"')
    assert model.complete("<|extract|>", grammar=f'root ::= "{literal}"\n', max_tokens=60) == key


def test_llama_cpp_writes_nothing_to_standard_error(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    loaded = LlamaCppModel(path, threads=1)
    loaded.complete("<|turn|>", grammar='root ::= "a"\n', max_tokens=3)
    loaded.close()
    assert capfd.readouterr().err == ""


GRAMMAR = 'root ::= "yes" | "no"\n'


def test_a_completion_has_a_probability(model: LlamaCppModel) -> None:
    text, sure = model.scored("a", grammar=GRAMMAR, max_tokens=8)
    assert text == model.complete("a", grammar=GRAMMAR, max_tokens=8)
    assert 0.0 < sure < 1.0


def test_what_is_not_done_in_time_is_an_error_and_the_next_call_works(model: LlamaCppModel) -> None:
    with pytest.raises(GenerationError, match="not complete after 0 s"):
        model.scored("a", grammar=GRAMMAR, max_tokens=8, within_s=0.0)
    assert model.complete("a", grammar=GRAMMAR, max_tokens=8) in {"yes", "no"}


def test_an_adapter_that_is_none_is_damage(path: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelDamagedError, match="adapter"):
        LlamaCppModel(path, adapter=tmp_path / "missing.gguf")
    (tmp_path / "junk.gguf").write_bytes(b"GGUF, but no more")
    with pytest.raises(ModelDamagedError, match="adapter"):
        LlamaCppModel(path, adapter=tmp_path / "junk.gguf")
