"""The ladders: what is missing, damaged or foreign leads to the next best engine and one line that says so."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deploy import engines as module
from deploy.config import Config, load_config
from deploy.engines import LAST, ROLES, Choice, Engines, Role, Rung, ladder, standing, wanted
from deploy.screen import about
from models.acts.spelling import write
from models.catalog import Catalog
from models.commands.matcher import TemplateMatcher
from models.commands.templates import load_templates
from schemas import registry as rows
from schemas.errors import EngineMissingError, ModelDamagedError, ModelError, ModelMissingError
from schemas.registry import Registry, Row
from tests.networks.language import write_tiny
from voice.engines import opened, put_off


def config(**flags: str) -> Config:
    return load_config(flags={key.replace("__", "."): value for key, value in flags.items()})


def engines(chosen: Config) -> Engines:
    return Engines(chosen, Catalog.load(chosen.data))


def bring(chosen: Config, model: str, *names: str, content: bytes = b"not a model" * 1_000) -> None:
    """Import files under a model's name that are no such model."""
    stick = chosen.data.folder / "stick"
    stick.mkdir(parents=True, exist_ok=True)
    for name in names:
        (stick / name).write_bytes(content)
    Catalog.load(chosen.data).import_model(model, stick, unverified=True)


@pytest.mark.parametrize("profile", ["default", "small", "pi5", "jetson"])
def test_every_profile_ends_with_what_the_repository_carries(profile: str) -> None:
    chosen = config(profile=profile)
    for role in ROLES:
        *_, last = ladder(chosen, role)
        assert str(last) == LAST[role]
        if profile == "small":
            assert len(ladder(chosen, role)) == 1
        choice = standing(chosen, Catalog.load(chosen.data), role)
        assert choice.rung == last and bool(choice.told()) == (profile != "small")


def test_what_is_worth_fetching_follows_the_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    def ids(**flags: str) -> list[str]:
        chosen = config(**flags)
        return [model.id for model in wanted(chosen, Catalog.load(chosen.data))]

    whisper, voice, talker = "whisper-base", "piper-en-us-joe-medium", "gemma-3-270m"
    assert ids() == [whisper, voice, talker]
    assert ids(profile="small") == []
    assert ids(profile="pi5") == ids(profile="jetson") == [whisper, voice, talker]
    assert ids(asr__model="whisper-tiny-en", talker__model="") == ["whisper-tiny-en", voice]
    assert ids(asr__model="/some/folder,whisper-tiny-en", tts__engine="espeak", talker__model="") == ["whisper-tiny-en"]
    bring(config(), "whisper-base-en", "model.bin", "config.json", "tokenizer.json", "vocabulary.txt")
    assert ids(profile="pi5") == [voice, talker]

    def absent(name: str) -> None:
        assert name in {"piper", "faster_whisper"}

    monkeypatch.setattr(rows.importlib.util, "find_spec", absent)
    assert ids(talker__model="") == []


def test_a_language_model_that_is_missing_or_damaged_is_passed_over(tmp_path: Path) -> None:
    write_tiny(tmp_path / "junk.gguf")
    (tmp_path / "junk.gguf").write_bytes((tmp_path / "junk.gguf").read_bytes()[:2_000])
    tried = engines(config(talker__model=f"gemma-3-270m,{tmp_path}/junk.gguf"))
    assert tried.talker() is None
    choice = tried.choices["talker"]
    assert choice.rung == Rung("sentences")
    missing, damaged = (reason for _, reason in choice.missed)
    assert "glovebox models get gemma-3-270m" in missing and "cannot be loaded as a GGUF model" in damaged
    (line,) = tried.told()
    assert line == f"Small talk: sentences instead of gemma-3-270m: {missing}"


def test_a_foreign_whisper_leads_to_pocketsphinx() -> None:
    chosen = config(asr__model="whisper-base-en")
    bring(chosen, "whisper-base-en", "model.bin", "config.json", "tokenizer.json", "vocabulary.txt")
    tried = engines(chosen)
    tried.recognizer(lambda: TemplateMatcher(load_templates()))
    (line,) = tried.told()
    assert line.startswith("Recogniser: pocketsphinx instead of whisper-base-en: ") and "\n" not in line


def test_a_foreign_voice_leads_to_espeak() -> None:
    chosen = config(tts__model="piper-en-us-lessac-low")
    bring(chosen, "piper-en-us-lessac-low", "a.onnx", "a.onnx.json")
    tried = engines(chosen)
    tried.synthesizer()
    (line,) = tried.told()
    assert line.startswith("Voice: espeak instead of piper-en-us-lessac-low: ")


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    chosen = config(tts__model="piper-en-us-lessac-low")
    bring(chosen, "piper-en-us-lessac-low", "a.onnx", "a.onnx.json")
    (chosen.data.models / "piper-en-us-lessac-low" / "a.onnx").write_bytes(b"cut")
    choice = standing(chosen, Catalog.load(chosen.data), "tts")
    assert choice.rung == Rung("espeak") and "is damaged: 3 bytes" in choice.told()


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (ModelMissingError("no file"), ModelMissingError),
        (ImportError("libx is missing"), EngineMissingError),
        (Exception("no tokenizer"), ModelDamagedError),
        (SystemError("null pointer"), ModelDamagedError),
    ],
)
def test_whatever_an_engine_raises_is_an_error_of_its_model(
    monkeypatch: pytest.MonkeyPatch, raised: Exception, told: type[ModelError]
) -> None:
    def fail(_: Any) -> None:
        raise raised

    def opener(*_: object) -> Callable[[Any], None]:
        return fail

    odd = Registry("engine", "glovebox.odd", {"odd": Row("odd:opened")})
    monkeypatch.setattr(Registry, "opener", opener)
    with pytest.raises(told):
        opened(odd, "odd", None)


def test_an_engine_without_its_package_says_what_brings_it() -> None:
    odd = Registry("engine", "glovebox.odd", {"odd": Row("odd:opened", package="no_such_package", extra="asr")})
    with pytest.raises(EngineMissingError, match=r"needs the package no_such_package; pip install 'glovebox\[asr\]'"):
        odd.require("odd")


def test_of_the_last_rung_the_error_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise EngineMissingError("not installed")

    monkeypatch.setattr(module, "opened", fail)
    with pytest.raises(EngineMissingError):
        engines(config()).synthesizer()


def test_without_a_language_model_the_parser_that_comes_along_parses_and_nobody_talks() -> None:
    tried = engines(config(profile="small"))
    parsed = tried.parser(tried.encoder()).parse("make it a bit warmer in the back")
    assert write(parsed.acts) == "change_temperature(change=up,zone=rear)" and 0.0 < parsed.sure <= 1.0
    assert tried.talker() is None and tried.told() == ()


@pytest.mark.timeout(300)
def test_the_fetched_models_can_be_loaded(real_models: Callable[[str], Path]) -> None:
    for name in ("whisper-base", "gemma-3-270m"):  # the voice: tests/contract/test_synthesizer.py, which has patience
        real_models(name)
    tried = engines(config(data__models=str(real_models("whisper-base").parent)))
    tried.recognizer(lambda: TemplateMatcher(load_templates()))
    talker = tried.talker()
    assert talker is not None and len(talker.reply("i had a long day", within_s=60.0)) > 5
    assert tried.told() == () and {choice.rung.model for choice in tried.choices.values()} == {
        "whisper-base",
        "gemma-3-270m",
    }


def test_what_an_engine_imports_in_vain_is_imported_when_it_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in_vain.py").write_text("import sys\nsys.in_vain = True\nVALUE = 3\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    put_off("in_vain")
    import in_vain  # pyright: ignore[reportMissingImports]  # made above

    assert not hasattr(sys, "in_vain")
    assert in_vain.VALUE == 3 and sys.in_vain  # pyright: ignore[reportUnknownMemberType, reportAttributeAccessIssue]
    monkeypatch.delattr(sys, "in_vain")
    monkeypatch.delitem(sys.modules, "in_vain")
    put_off("no_such_package")
    assert "no_such_package" not in sys.modules


def test_the_page_about_tells_of_the_engines_that_run() -> None:
    small = config(profile="small")
    running: dict[Role, Choice] = {"asr": Choice("asr", Rung("whisper", "whisper-base"))}
    assert "whisper-base" in {one.name for one in about(small, running).models}
    assert "whisper-base" not in {one.name for one in about(small).models}
